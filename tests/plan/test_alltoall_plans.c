/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-all plans: TuNA's numbers of rounds, blocks and slots against their definitions. The
 * verifier runs all plans: every block reaches its rank, sizes come before they are needed, and it
 * notices where they do not.
 */

#include "alltoall_set.h"

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_tuna.h"
#include "common/napcoll_closed_form.h"

/* ---- the numbers ---- */

/* Digits of j that are not 0. */
static int digits_of(int radix, int j)
{
    int digits = 0;

    for (; j > 0; j /= radix) {
        digits += 0 != j % radix;
    }
    return digits;
}

/* Call check(members, radix) for all numbers of members and radices up to a limit. */
enum { MOST_MEMBERS = 128 };

static void for_every_radix(void (*check)(int members, int radix))
{
    for (int members = 1; members <= MOST_MEMBERS; members++) {
        for (int radix = 2; radix <= (members > 2 ? members : 2); radix++) {
            check(members, radix);
        }
    }
}

static void compare_with_definition(int members, int radix)
{
    bool used[MOST_MEMBERS] = {false};
    int rounds = 0, slots = 0;
    int64_t moved = 0;

    for (int j = 1; j < members; j++) {
        moved += digits_of(radix, j);
        if (1 == digits_of(radix, j)) { /* z a: a round */
            rounds++;
        } else {
            const int slot = napcoll_digits_slot(radix, j);

            slots++;
            assert_in_range(slot, 0, napcoll_digits_slots(members, radix) - 1);
            assert_false(used[slot]);
            used[slot] = true;
        }
    }
    assert_int_equal(napcoll_digits_rounds(members, radix), rounds);
    assert_int_equal(napcoll_digits_moved(members, radix), moved);
    assert_int_equal(napcoll_digits_slots(members, radix), slots);
}

static void rounds_blocks_and_slots_are_those_of_the_definition(void **state)
{
    (void) state;
    for_every_radix(compare_with_definition);
}

static int clamp(int number, int most)
{
    if (number < 0) {
        return 0;
    }
    return number < most ? number : most;
}

/* Blocks of the round of a digit: all j with this digit at this weight. */
static int blocks_of_round(int members, int radix, int weight, int digit)
{
    const int rest = members % (weight * radix) - digit * weight;

    return members / (weight * radix) * weight + clamp(rest, weight);
}

/* Rounds: radix - 1 for each of the w digits of members - 1, less the values that the first digit
 * does not reach. */
static int rounds_by_formula(int members, int radix)
{
    int width = 0, top = 1;

    for (int left = members - 1; left > 0; left /= radix) {
        top = width++ > 0 ? top * radix : top;
    }
    return 0 == width ? 0 : width * (radix - 1) - (radix * top - members) / top;
}

static void compare_with_formulas(int members, int radix)
{
    const int rounds = rounds_by_formula(members, radix);
    int64_t moved = 0;

    for (int weight = 1; weight < members; weight *= radix) {
        for (int digit = 1; digit < radix; digit++) {
            moved += blocks_of_round(members, radix, weight, digit);
        }
    }
    assert_int_equal(napcoll_digits_rounds(members, radix), rounds);
    assert_int_equal(napcoll_digits_moved(members, radix), moved);
    assert_int_equal(napcoll_digits_slots(members, radix), members - 1 - rounds);
}

static void rounds_blocks_and_slots_are_those_of_the_formulas(void **state)
{
    (void) state;
    for_every_radix(compare_with_formulas);
}

static void large_numbers_are_those_of_the_paper(void **state)
{
    static const struct {
        int radix, rounds, moved, slots;
    } all[] = {{2, 12, 24576, 4083}, {64, 126, 8064, 3969}, {4096, 4095, 4095, 0}};

    (void) state;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        assert_int_equal(napcoll_digits_rounds(4096, all[i].radix), all[i].rounds);
        assert_int_equal(napcoll_digits_moved(4096, all[i].radix), all[i].moved);
        assert_int_equal(napcoll_digits_slots(4096, all[i].radix), all[i].slots);
    }
    assert_int_equal(napcoll_digits_radix(0, 9), 2);
    /* never 1, which would not end */
    assert_int_equal(napcoll_digits_radix(5, 2), 2);
    assert_int_equal(napcoll_digits_radix(64, 9), 9);
}

static void compare_with_plan(int members, int radix)
{
    napcoll_node_map_t *map = placement("3,2", "cyclic", members);
    const sent_t sent = sent_of(NAPCOLL_ALLTOALL_TUNA, map, radix * 7 % members, radix);

    assert_int_equal(sent.messages, napcoll_digits_rounds(members, radix));
    assert_int_equal(sent.blocks, napcoll_digits_moved(members, radix));
    /* the blocks that are forwarded */
    assert_int_equal(sent.slots, napcoll_digits_slots(members, radix));
    napcoll_node_map_free(map);
}

static void plans_have_as_many_messages_blocks_and_slots(void **state)
{
    (void) state;
    for_every_radix(compare_with_plan);
}

/* Inside a node every message has blocks for all nodes; then one message goes to each other node,
 * or one for each block. Only blocks for the own node may go straight to their places. */
static void compare_with_plans_on_nodes(int nodes, int ppn, int radix)
{
    napcoll_node_map_t *map = uniform(ppn, nodes % 2 ? "cyclic" : "block", nodes * ppn);
    const int rank = radix * 7 % map->size, others = nodes - 1;
    const int rounds = napcoll_digits_rounds(ppn, radix);
    const int inside = nodes * (int) napcoll_digits_moved(ppn, radix);

    for (int row = NAPCOLL_ALLTOALL_TUNA_COALESCED; row <= NAPCOLL_ALLTOALL_TUNA_STAGGERED; row++) {
        const bool whole = NAPCOLL_ALLTOALL_TUNA_COALESCED == row;
        const sent_t sent = sent_of(row, map, rank, radix);

        assert_int_equal(sent.messages, rounds + (whole ? others : others * ppn));
        assert_int_equal(sent.blocks, inside + others * ppn);
        assert_int_equal(sent.slots, others * (ppn - 1) + ppn - 1 - rounds);
    }
    napcoll_node_map_free(map);
}

/* Between nodes as between ranks, with the blocks of all lanes together; the sizes of forwarded
 * blocks are sent, too. */
static void compare_with_plan_on_two_levels(int nodes, int ppn, int radix)
{
    enum { LOCAL_RADIX = 2 };
    napcoll_node_map_t *map = uniform(ppn, nodes % 2 ? "cyclic" : "block", nodes * ppn);
    const sent_t sent = sent_of(NAPCOLL_ALLTOALL_TUNA_TWO_LEVEL, map, radix * 7 % map->size, radix);
    const int rounds = napcoll_digits_rounds(ppn, LOCAL_RADIX);
    const int inside = nodes * (int) napcoll_digits_moved(ppn, LOCAL_RADIX);
    const int fit = napcoll_digits_radix(radix, nodes);
    const int between = ppn * (int) napcoll_digits_moved(nodes, fit);

    assert_int_equal(sent.messages, rounds + napcoll_digits_rounds(nodes, fit));
    assert_int_equal(sent.blocks, inside + between);
    assert_int_equal(sent.slots, (nodes - 1) * (ppn - 1) + ppn - 1 - rounds
                                     + ppn * napcoll_digits_slots(nodes, fit));
    napcoll_node_map_free(map);
}

static void plans_on_nodes_have_as_many_messages_blocks_and_slots(void **state)
{
    (void) state;
    for (int nodes = 2; nodes <= 16; nodes += NODES_STRIDE) {
        for (int ppn = 2; ppn <= 5; ppn++) {
            for (int radix = 2; radix <= nodes; radix++) {
                compare_with_plan_on_two_levels(nodes, ppn, radix);
            }
        }
    }
    for (int nodes = 1; nodes <= 8; nodes++) {
        for (int ppn = 2; ppn <= 8; ppn++) {
            for (int radix = 2; radix <= ppn; radix++) {
                compare_with_plans_on_nodes(nodes, ppn, radix);
            }
        }
    }
}

/* ---- the proofs ---- */

static void alltoall_plans_with_every_radix(void **state)
{
    static const char *const orders[] = {"block", "cyclic", "random:5"};

    (void) state;
    for (int size = 1; size <= 33; size += NODES_STRIDE) {
        napcoll_node_map_t *map = placement("3,1,4", orders[size % 3], size);

        for (int radix = 2; radix <= (size > 2 ? size : 2); radix++) {
            const napcoll_params_t params = {.local_radix = 2, .tunable = {radix, radix % 4}};

            assert_true(prove_plans(&napcoll_alltoall, NAPCOLL_ALLTOALL_TUNA, map, &params));
            assert_true(prove_plans(&napcoll_alltoallv, NAPCOLL_ALLTOALL_TUNA, map, &params));
            assert_true(prove_mixed(&napcoll_alltoallv, NAPCOLL_ALLTOALL_TUNA, map, &params));
        }
        napcoll_node_map_free(map);
    }
}

static void alltoall_plans_on_equal_nodes(void **state)
{
    (void) state;
    for (int nodes = 1; nodes <= 8; nodes++) {
        for (int ppn = 1; ppn <= 8; ppn++) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 2 ? "cyclic" : "block", nodes * ppn);

            for (int radix = 1; radix <= (ppn > 2 ? ppn : 2); radix++) {
                verify_all(map, radix, (nodes + radix) % 5);
            }
            napcoll_node_map_free(map);
        }
    }
}

static void alltoall_plans_on_many_ranks(void **state)
{
    (void) state;
    for (int size = 64; size <= 128; size += 21) {
        napcoll_node_map_t *map = placement("16", "random:2", size);

        for (int radix = 2; radix <= size; radix = radix * 3 + 1) {
            verify_all(map, radix, 0);
        }
        napcoll_node_map_free(map);
    }
}

/* ---- what the verifier notices ---- */

typedef struct {
    napcoll_node_map_t *map;
    napcoll_plan_t **plans;
    napcoll_claim_t claim;
    napcoll_verdict_t verdict;
} fixture_t;

enum { RANKS = 9 };

static int setup(void **state)
{
    const napcoll_params_t params = {.local_radix = 2, .tunable = {3}};
    fixture_t *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->map = placement("3", "block", RANKS);
    f->plans = plans_of(&napcoll_alltoallv, NAPCOLL_ALLTOALL_TUNA, f->map, &params, ONE_SHAPE);
    f->claim = (napcoll_claim_t){.goal = NAPCOLL_GOAL_ALLTOALL, .sized = true};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_t *f = *state;

    free_plans(f->plans, RANKS);
    napcoll_node_map_free(f->map);
    free(f);
    return 0;
}

static void expect(fixture_t *f, napcoll_verify_status_t status)
{
    (void) napcoll_plan_verify(f->plans, f->map, &f->claim, &f->verdict);
    assert_string_equal(napcoll_verify_status_name(f->verdict.status),
                        napcoll_verify_status_name(status));
}

/* The n-th message of a rank. */
static napcoll_step_t *message_of(fixture_t *f, int rank, napcoll_step_kind_t kind, int n)
{
    const napcoll_plan_t *plan = f->plans[rank];

    for (int i = 0; i < plan->steps; i++) {
        if (kind == plan->step[i].kind && 0 == n--) {
            return &plan->step[i];
        }
    }
    fail();
    return NULL;
}

static void good_plans_are_good(void **state)
{
    expect(*state, NAPCOLL_VERIFY_OK);
}

/* The same blocks, but a slot gets another one's. */
static void blocks_that_change_places_are_noticed(void **state)
{
    fixture_t *f = *state;
    const napcoll_step_t *step = message_of(f, 4, NAPCOLL_STEP_SEND, 0);
    napcoll_span_t *list = f->plans[4]->list + step->left.first, first = list[0];

    assert_int_equal(step->left.buffer, NAPCOLL_BUFFER_LIST);
    list[0] = list[1];
    list[1] = first;
    expect(f, NAPCOLL_VERIFY_CONTRIBUTION);
}

/* All blocks for rank 4. */
static bool goes_to_rank_4(const void *context, int from, int to)
{
    (void) context;
    (void) from;
    return 4 == to;
}

/* The same where blocks go straight, and only the word of it goes through the rounds. */
static void words_that_change_places_are_noticed(void **state)
{
    fixture_t *f = *state;
    const napcoll_step_t *step = message_of(f, 4, NAPCOLL_STEP_RECV, 0);
    napcoll_span_t *list = f->plans[4]->list + step->dst.first, first = list[0];

    f->claim.direct = goes_to_rank_4;
    expect(f, NAPCOLL_VERIFY_OK);
    assert_int_equal(step->dst.buffer, NAPCOLL_BUFFER_LIST);
    list[0] = list[1];
    list[1] = first;
    expect(f, NAPCOLL_VERIFY_CONTRIBUTION);
}

/* No rank knows the sizes of the blocks that come. */
static void sizes_that_are_not_told_are_noticed(void **state)
{
    fixture_t *f = *state;

    f->claim.sized = true;
    for (int rank = 0; rank < RANKS; rank++) {
        napcoll_plan_free(f->plans[rank]);
        f->plans[rank] = napcoll_alltoall_tuna(
            &(napcoll_plan_args_t){.collective = &napcoll_alltoall,
                                   .algorithm = &napcoll_alltoall.algorithm[NAPCOLL_ALLTOALL_TUNA],
                                   .map = f->map,
                                   .rank = rank,
                                   .params = {.local_radix = 2, .tunable = {3}}});
        assert_non_null(f->plans[rank]);
    }
    expect(f, NAPCOLL_VERIFY_SIZES);
    f->claim.sized = false;
    expect(f, NAPCOLL_VERIFY_OK);
}

/* Every message begins with sizes, so that what a rank says reaches all. The numbers of messages
 * and stages are the same as where all know the sizes. */
static void sizes_go_along_with_every_message(void **state)
{
    fixture_t *f = *state;

    for (int rank = 0; rank < RANKS; rank++) {
        napcoll_plan_args_t args = {.collective = &napcoll_alltoall,
                                    .algorithm = &napcoll_alltoall.algorithm[NAPCOLL_ALLTOALL_TUNA],
                                    .map = f->map,
                                    .rank = rank,
                                    .params = {.local_radix = 2, .tunable = {3}}};
        napcoll_plan_t *known = napcoll_alltoall_tuna(&args);
        int headed = 0, messages = 0;

        args.collective = &napcoll_alltoallv;
        napcoll_plan_free(f->plans[rank]);
        f->plans[rank] = napcoll_alltoall_tuna(&args);
        assert_non_null(known);
        assert_non_null(f->plans[rank]);
        assert_int_equal(f->plans[rank]->steps, known->steps);
        assert_int_equal(f->plans[rank]->stages, known->stages);
        for (int i = 0; i < known->steps; i++) {
            headed += f->plans[rank]->step[i].headed;
            messages += NAPCOLL_STEP_SEND == known->step[i].kind
                        || NAPCOLL_STEP_RECV == known->step[i].kind;
        }
        assert_int_equal(headed, messages);
        napcoll_plan_free(known);
    }
    expect(f, NAPCOLL_VERIFY_OK);
    message_of(f, 5, NAPCOLL_STEP_SEND, 0)->headed = false;
    expect(f, NAPCOLL_VERIFY_UNMATCHED);
    message_of(f, 5, NAPCOLL_STEP_SEND, 0)->headed = true;
    f->claim.announces = true;
    expect(f, NAPCOLL_VERIFY_OK);
    /* blocks that have arrived need no sizes */
    for (int rank = 0; rank < RANKS; rank++) {
        message_of(f, rank, NAPCOLL_STEP_SEND, 3)->headed = false;
        message_of(f, rank, NAPCOLL_STEP_RECV, 3)->headed = false;
    }
    expect(f, NAPCOLL_VERIFY_SIZES);
    f->claim.announces = false;
    expect(f, NAPCOLL_VERIFY_OK);
}

/* A block that has left its slot is sent once more. */
static void slots_that_are_empty_are_noticed(void **state)
{
    fixture_t *f = *state;
    const napcoll_step_t *last = message_of(f, 0, NAPCOLL_STEP_SEND, 3);
    const napcoll_step_t *before = message_of(f, 0, NAPCOLL_STEP_SEND, 2);
    napcoll_span_t *of_last = f->plans[0]->list + last->left.first;

    assert_int_equal(before->left.buffer, NAPCOLL_BUFFER_LIST);
    assert_int_equal(last->left.buffer, NAPCOLL_BUFFER_LIST);
    assert_true(of_last[1].buffer >= NAPCOLL_BUFFER_TEMP);
    of_last[1].first = f->plans[0]->list[before->left.first + 1].first;
    expect(f, NAPCOLL_VERIFY_UNWRITTEN);
}

static void two_blocks_into_one_slot_are_noticed(void **state)
{
    fixture_t *f = *state;
    const napcoll_step_t *step = message_of(f, 1, NAPCOLL_STEP_RECV, 0);
    napcoll_span_t *list = f->plans[1]->list + step->dst.first;

    assert_int_equal(step->dst.buffer, NAPCOLL_BUFFER_LIST);
    list[2] = list[1];
    expect(f, NAPCOLL_VERIFY_IN_FLIGHT);
}

static void lists_that_leave_the_plan_are_noticed(void **state)
{
    fixture_t *f = *state;
    napcoll_step_t *step = message_of(f, 3, NAPCOLL_STEP_SEND, 0);

    step->left.first = f->plans[3]->listed - 1;
    expect(f, NAPCOLL_VERIFY_SPAN);
}

static void lists_are_for_messages(void **state)
{
    fixture_t *f = *state;
    const napcoll_step_t *step = message_of(f, 3, NAPCOLL_STEP_SEND, 0);

    for (int i = 0; i < f->plans[3]->steps; i++) {
        if (NAPCOLL_STEP_COPY == f->plans[3]->step[i].kind) {
            f->plans[3]->step[i].left = step->left;
        }
    }
    expect(f, NAPCOLL_VERIFY_SPAN);
}

static void packed_plans_keep_their_lists(void **state)
{
    fixture_t *f = *state;

    for (int rank = 0; rank < RANKS; rank++) {
        const size_t count = napcoll_plan_packed_count(f->plans[rank]);
        int32_t *numbers = calloc(count, sizeof(*numbers));

        assert_non_null(numbers);
        napcoll_plan_pack(f->plans[rank], numbers);
        assert_null(napcoll_plan_unpack(numbers, count - 1, "alltoallv", "tuna"));
        napcoll_plan_free(f->plans[rank]);
        f->plans[rank] = napcoll_plan_unpack(numbers, count, "alltoallv", "tuna");
        assert_non_null(f->plans[rank]);
        free(numbers);
    }
    expect(f, NAPCOLL_VERIFY_OK);
}

#define BROKEN(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_blocks_and_slots_are_those_of_the_definition),
        cmocka_unit_test(rounds_blocks_and_slots_are_those_of_the_formulas),
        cmocka_unit_test(large_numbers_are_those_of_the_paper),
        cmocka_unit_test(plans_have_as_many_messages_blocks_and_slots),
        cmocka_unit_test(plans_on_nodes_have_as_many_messages_blocks_and_slots),
        cmocka_unit_test(alltoall_plans_with_every_radix),
        cmocka_unit_test(alltoall_plans_on_equal_nodes),
        cmocka_unit_test(alltoall_plans_on_many_ranks),
        BROKEN(good_plans_are_good),
        BROKEN(blocks_that_change_places_are_noticed),
        BROKEN(words_that_change_places_are_noticed),
        BROKEN(sizes_that_are_not_told_are_noticed),
        BROKEN(sizes_go_along_with_every_message),
        BROKEN(slots_that_are_empty_are_noticed),
        BROKEN(two_blocks_into_one_slot_are_noticed),
        BROKEN(lists_that_leave_the_plan_are_noticed),
        BROKEN(lists_are_for_messages),
        BROKEN(packed_plans_keep_their_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
