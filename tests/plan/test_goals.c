/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verifier asks of plans what each collective promises: it accepts small plans written by hand,
 * and finds each error that is put into them.
 */

#include "plan_set.h"

#include <string.h>

enum { MOST_RANKS = 4 };

static const napcoll_span_t sendbuf = {.buffer = NAPCOLL_BUFFER_SEND, .count = 1};
static const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
static const napcoll_span_t nothing = {0};

/* The plans of all ranks under construction, for one goal. */
typedef struct {
    napcoll_claim_t claim;
    napcoll_node_map_t *map;
    napcoll_builder_t *builder[MOST_RANKS];
} scripts_t;

static scripts_t begin(napcoll_goal_t goal, napcoll_layout_t layout, int ranks, const char *order)
{
    scripts_t s = {.claim = {.goal = goal}, .map = placement("2", order, ranks)};

    for (int rank = 0; rank < ranks; rank++) {
        const int blocks = NAPCOLL_LAYOUT_RANKS == layout ? ranks : 1;
        napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP];

        s.builder[rank] = napcoll_builder_new("test", "test", rank, blocks);
        assert_non_null(s.builder[rank]);
        napcoll_goal_buffers(goal, layout, blocks, napcoll_node_map_place(s.map, rank),
                             napcoll_goal_takes(goal, 0, rank), user);
        napcoll_builder_layout(s.builder[rank], layout, !s.map->contiguous, user);
    }
    return s;
}

/* Finish the plans, verify them, and release all. */
static napcoll_verify_status_t end(scripts_t *s)
{
    napcoll_plan_t *plans[MOST_RANKS] = {NULL};
    napcoll_verdict_t verdict;
    const int ranks = s->map->size;

    for (int rank = 0; rank < ranks; rank++) {
        plans[rank] = napcoll_builder_finish(s->builder[rank]);
        assert_non_null(plans[rank]);
    }
    (void) napcoll_plan_verify(plans, s->map, &s->claim, &verdict);
    for (int rank = 0; rank < ranks; rank++) {
        napcoll_plan_free(plans[rank]);
    }
    napcoll_node_map_free(s->map);
    return verdict.status;
}

static void expect(scripts_t *s, napcoll_verify_status_t status)
{
    assert_string_equal(napcoll_verify_status_name(end(s)), napcoll_verify_status_name(status));
}

static napcoll_span_t blocks(int buffer, int first, int count)
{
    return (napcoll_span_t){buffer, first, count};
}

static void pass(scripts_t *s, int from, napcoll_span_t left, int to, napcoll_span_t dst)
{
    napcoll_builder_send(s->builder[from], left, to);
    napcoll_builder_recv(s->builder[to], dst, from);
    napcoll_builder_next_stage(s->builder[from]);
}

/* ---- scans ---- */

typedef enum { RIGHT, SWAPPED, OWN_ONLY, TWICE } mistake_t;

/* A chain: each rank gets the reduction of the ranks before it, adds its own vector and passes it
 * on. */
static scripts_t chain(mistake_t mistake)
{
    scripts_t s = begin(NAPCOLL_GOAL_SCAN, NAPCOLL_LAYOUT_VECTOR, 3, "block");

    s.claim.noncommutative = true;
    napcoll_builder_copy(s.builder[0], recvbuf, sendbuf);
    napcoll_builder_next_stage(s.builder[0]);
    for (int rank = 1; rank < 3; rank++) {
        const napcoll_span_t before = napcoll_builder_temp(s.builder[rank], 0, 1);
        const mistake_t here = 2 == rank ? mistake : RIGHT;

        pass(&s, rank - 1, recvbuf, rank, before);
        if (SWAPPED == here) {
            napcoll_builder_reduce(s.builder[rank], recvbuf, sendbuf, before);
        } else if (OWN_ONLY == here) {
            napcoll_builder_copy(s.builder[rank], recvbuf, sendbuf);
        } else {
            napcoll_builder_reduce(s.builder[rank], recvbuf, before, sendbuf);
        }
        if (TWICE == here) {
            napcoll_builder_reduce(s.builder[rank], recvbuf, before, recvbuf);
        }
        napcoll_builder_next_stage(s.builder[rank]);
    }
    return s;
}

static void scans_hold_the_ranks_up_to_ones_own(void **state)
{
    static const napcoll_verify_status_t statuses[] = {
        [RIGHT] = NAPCOLL_VERIFY_OK,
        [SWAPPED] = NAPCOLL_VERIFY_ORDER,
        [OWN_ONLY] = NAPCOLL_VERIFY_CONTRIBUTION,
        [TWICE] = NAPCOLL_VERIFY_CONTRIBUTION,
    };

    (void) state;
    for (int mistake = RIGHT; mistake <= TWICE; mistake++) {
        scripts_t s = chain((mistake_t) mistake);

        expect(&s, statuses[mistake]);
    }
}

/* Rank 0 has no result, and no buffer for one. */
static scripts_t exclusive(bool first_writes, bool own_too)
{
    scripts_t s = begin(NAPCOLL_GOAL_EXSCAN, NAPCOLL_LAYOUT_VECTOR, 2, "block");

    pass(&s, 0, sendbuf, 1, recvbuf);
    if (first_writes) {
        napcoll_builder_copy(s.builder[0], recvbuf, sendbuf);
    }
    if (own_too) {
        napcoll_builder_reduce(s.builder[1], recvbuf, sendbuf, recvbuf);
    }
    return s;
}

static void exclusive_scans_hold_the_ranks_before_ones_own(void **state)
{
    scripts_t s = exclusive(false, false);

    (void) state;
    expect(&s, NAPCOLL_VERIFY_OK);
    s = exclusive(true, false);
    expect(&s, NAPCOLL_VERIFY_SPAN);
    s = exclusive(false, true);
    expect(&s, NAPCOLL_VERIFY_CONTRIBUTION);
}

/* ---- reductions ---- */

static scripts_t to_root(bool reduces, bool other_writes)
{
    scripts_t s = begin(NAPCOLL_GOAL_REDUCE, NAPCOLL_LAYOUT_VECTOR, 2, "block");
    const napcoll_span_t theirs = napcoll_builder_temp(s.builder[0], 0, 1);

    pass(&s, 1, sendbuf, 0, theirs);
    if (reduces) {
        napcoll_builder_reduce(s.builder[0], recvbuf, sendbuf, theirs);
    } else {
        napcoll_builder_copy(s.builder[0], recvbuf, theirs);
    }
    if (other_writes) {
        napcoll_builder_copy(s.builder[1], recvbuf, sendbuf);
    }
    return s;
}

static void reductions_end_at_the_root_alone(void **state)
{
    scripts_t s = to_root(true, false);

    (void) state;
    expect(&s, NAPCOLL_VERIFY_OK);
    s = to_root(false, false);
    expect(&s, NAPCOLL_VERIFY_CONTRIBUTION);
    s = to_root(true, true);
    expect(&s, NAPCOLL_VERIFY_SPAN);
}

/* All get all three vectors and reduce them: ranks 0 and 1 first, or 1 and 2. */
static scripts_t all_to_all(bool by_halves)
{
    scripts_t s = begin(NAPCOLL_GOAL_ALLREDUCE, NAPCOLL_LAYOUT_VECTOR, 3, "cyclic");

    s.claim.canonical = s.claim.noncommutative = true;
    for (int rank = 0; rank < 3; rank++) {
        napcoll_builder_t *b = s.builder[rank];
        napcoll_span_t value[3];

        for (int other = 0; other < 3; other++) {
            value[other] = other == rank ? sendbuf : napcoll_builder_temp(b, 0, 1);
            if (other != rank) {
                napcoll_builder_recv(b, value[other], other);
                napcoll_builder_send(b, sendbuf, other);
            }
        }
        if (by_halves) {
            napcoll_builder_reduce(b, recvbuf, value[0], value[1]);
            napcoll_builder_copy(b, value[0] = napcoll_builder_temp(b, 0, 1), recvbuf);
            napcoll_builder_reduce(b, recvbuf, value[0], value[2]);
        } else {
            napcoll_builder_reduce(b, recvbuf, value[1], value[2]);
            napcoll_builder_reduce(b, recvbuf, value[0], recvbuf);
        }
    }
    return s;
}

static void canonical_reductions_go_by_halves_of_the_ranks(void **state)
{
    scripts_t s = all_to_all(true);

    (void) state;
    expect(&s, NAPCOLL_VERIFY_OK);
    s = all_to_all(false);
    expect(&s, NAPCOLL_VERIFY_BRACKETING);
    s = all_to_all(false);
    s.claim.canonical = false;
    expect(&s, NAPCOLL_VERIFY_OK);
}

/* Two ranks exchange what they have for each other; late: the input is read once more at the
 * end. */
static scripts_t halves(bool late)
{
    scripts_t s = begin(NAPCOLL_GOAL_REDUCE_SCATTER, NAPCOLL_LAYOUT_RANKS, 2, "block");

    for (int rank = 0; rank < 2; rank++) {
        napcoll_builder_t *b = s.builder[rank];
        const napcoll_span_t own = blocks(NAPCOLL_BUFFER_SEND, rank, 1),
                             result = blocks(NAPCOLL_BUFFER_RECV, rank, 1),
                             theirs = napcoll_builder_temp(b, rank, 1);

        napcoll_builder_recv(b, theirs, 1 - rank);
        napcoll_builder_send(b, blocks(NAPCOLL_BUFFER_SEND, 1 - rank, 1), 1 - rank);
        if (late) {
            napcoll_builder_copy(b, result, theirs);
            napcoll_builder_reduce(b, result, own, result);
        } else {
            napcoll_builder_reduce(b, result, theirs, own);
        }
    }
    return s;
}

static void reduce_scatters_read_nothing_that_the_result_overwrites(void **state)
{
    scripts_t s = halves(false);

    (void) state;
    expect(&s, NAPCOLL_VERIFY_OK);
    s = halves(true);
    expect(&s, NAPCOLL_VERIFY_REDUCTION);
}

/* ---- allgather ---- */

typedef enum { SOUND, STRAIGHT, INTO_ANOTHER, UNCOPIED } gathering_t;

static scripts_t gather(gathering_t how, const char *order)
{
    scripts_t s = begin(NAPCOLL_GOAL_ALLGATHER, NAPCOLL_LAYOUT_RANKS, 4, order);

    for (int rank = 0; rank < 4; rank++) {
        napcoll_builder_t *b = s.builder[rank];
        const int own = napcoll_node_map_place(s.map, rank);
        napcoll_span_t mine = blocks(NAPCOLL_BUFFER_RECV, own, 1);

        if (UNCOPIED != how) {
            napcoll_builder_copy(b, mine, blocks(NAPCOLL_BUFFER_SEND, own, 1));
            napcoll_builder_next_stage(b);
        }
        mine.buffer = STRAIGHT == how ? NAPCOLL_BUFFER_SEND : NAPCOLL_BUFFER_RECV;
        for (int other = 0; other < 4; other++) {
            int block = napcoll_node_map_place(s.map, other);

            if (INTO_ANOTHER == how && 3 == rank && other < 2) {
                block = napcoll_node_map_place(s.map, 1 - other);
            }
            if (other != rank) {
                napcoll_builder_recv(b, blocks(NAPCOLL_BUFFER_RECV, block, 1), other);
                napcoll_builder_send(b, mine, other);
            }
        }
    }
    return s;
}

static void gathered_blocks_keep_their_places(void **state)
{
    static const struct {
        gathering_t how;
        napcoll_verify_status_t status;
    } cases[] = {{SOUND, NAPCOLL_VERIFY_OK},
                 {STRAIGHT, NAPCOLL_VERIFY_SPAN}, /* another datatype */
                 {INTO_ANOTHER, NAPCOLL_VERIFY_UNMATCHED},
                 {UNCOPIED, NAPCOLL_VERIFY_UNWRITTEN}};

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        scripts_t s = gather(cases[i].how, "block");

        expect(&s, cases[i].status);
        s = gather(cases[i].how, "cyclic");
        expect(&s, cases[i].status);
    }
}

/* Ranks 0 and 1 exchange two blocks at once: out of the user's buffer, or out of a temporary. */
static scripts_t exchange_pairs(const char *order, bool direct)
{
    scripts_t s = gather(SOUND, order);

    for (int rank = 0; rank < 2; rank++) {
        napcoll_builder_t *b = s.builder[rank];
        const napcoll_span_t pair = blocks(NAPCOLL_BUFFER_RECV, 0, 2);
        const napcoll_span_t out = direct ? pair : napcoll_builder_temp(b, 0, 2),
                             in = napcoll_builder_temp(b, 0, 2);

        napcoll_builder_next_stage(b);
        napcoll_builder_copy(b, out, pair);
        napcoll_builder_next_stage(b);
        napcoll_builder_send(b, out, 1 - rank);
        napcoll_builder_recv(b, in, 1 - rank);
    }
    return s;
}

static void messages_take_no_blocks_that_lie_apart(void **state)
{
    scripts_t s = exchange_pairs("block", true);

    (void) state;
    expect(&s, NAPCOLL_VERIFY_OK);
    s = exchange_pairs("cyclic", true);
    expect(&s, NAPCOLL_VERIFY_SPAN);
    s = exchange_pairs("cyclic", false);
    expect(&s, NAPCOLL_VERIFY_OK);
}

/* ---- barrier ---- */

/* An empty message goes round a ring of four for a number of stages. */
static scripts_t ring_barrier(int stages, bool with_data)
{
    scripts_t s = begin(NAPCOLL_GOAL_BARRIER, NAPCOLL_LAYOUT_VECTOR, 4, "cyclic");

    for (int stage = 0; stage < stages; stage++) {
        for (int rank = 0; rank < 4; rank++) {
            napcoll_builder_send(s.builder[rank], with_data ? sendbuf : nothing, (rank + 1) % 4);
            napcoll_builder_recv(s.builder[rank], nothing, (rank + 3) % 4);
            napcoll_builder_next_stage(s.builder[rank]);
        }
    }
    return s;
}

static void barriers_end_with_word_of_every_rank(void **state)
{
    scripts_t s = ring_barrier(3, false);

    (void) state;
    expect(&s, NAPCOLL_VERIFY_OK);
    s = ring_barrier(4, false);
    expect(&s, NAPCOLL_VERIFY_OK);
    s = ring_barrier(2, false);
    expect(&s, NAPCOLL_VERIFY_CONTRIBUTION);
    s = ring_barrier(3, true);
    expect(&s, NAPCOLL_VERIFY_SPAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_hold_the_ranks_up_to_ones_own),
        cmocka_unit_test(exclusive_scans_hold_the_ranks_before_ones_own),
        cmocka_unit_test(reductions_end_at_the_root_alone),
        cmocka_unit_test(canonical_reductions_go_by_halves_of_the_ranks),
        cmocka_unit_test(reduce_scatters_read_nothing_that_the_result_overwrites),
        cmocka_unit_test(gathered_blocks_keep_their_places),
        cmocka_unit_test(messages_take_no_blocks_that_lie_apart),
        cmocka_unit_test(barriers_end_with_word_of_every_rank),
    };
    return cmocka_run_group_tests_name("goals", tests, NULL, NULL);
}
