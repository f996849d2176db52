/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verifier catches plans that are broken on purpose, each with its own status.
 */

#include <string.h>

#include "plan_set.h"

enum { RANKS = 12 };

typedef struct {
    napcoll_node_map_t *map;
    napcoll_plan_t **plans;
    napcoll_claim_t claim;
    napcoll_verdict_t verdict;
} fixture_t;

/* nap on 4 nodes with 3 processes each, by two lanes: two levels */
static int setup(void **state)
{
    fixture_t *f = calloc(1, sizeof(*f));
    napcoll_params_t params = {.local_radix = 4, .tunable = {2}};

    assert_non_null(f);
    f->map = placement("3", "block", RANKS);
    f->plans = plans_of(&napcoll_allreduce, NAPCOLL_ALLREDUCE_NAP, f->map, &params, ONE_SHAPE);
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

/* The same, at a place that the text names. */
static void expect_at(fixture_t *f, napcoll_verify_status_t status, int rank, int stage, int step)
{
    char place[64];

    expect(f, status);
    assert_int_equal(f->verdict.rank, rank);
    assert_int_equal(f->verdict.stage, stage);
    assert_int_equal(f->verdict.step, step);
    (void) snprintf(place, sizeof(place), "rank %d, stage %d, step %d: ", rank, stage, step);
    assert_memory_equal(f->verdict.text, place, strlen(place));
}

/* Replace a rank's plan. */
static void replace_plan(fixture_t *f, int rank, napcoll_builder_t *builder)
{
    napcoll_plan_free(f->plans[rank]);
    f->plans[rank] = napcoll_builder_finish(builder);
    assert_non_null(f->plans[rank]);
}

static napcoll_builder_t *script(int rank, int blocks)
{
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", rank, blocks);

    assert_non_null(b);
    return b;
}

static napcoll_span_t span(int buffer, int first, int count)
{
    return (napcoll_span_t){buffer, first, count};
}

/* The n-th step of a kind in a rank's plan. */
static napcoll_step_t *step_of(fixture_t *f, int rank, napcoll_step_kind_t kind, int n)
{
    napcoll_plan_t *plan = f->plans[rank];

    for (int i = 0; i < plan->steps; i++) {
        if (kind == plan->step[i].kind && 0 == n--) {
            return &plan->step[i];
        }
    }
    fail_msg("rank %d has no such step", rank);
    return NULL;
}

static void verifier_accepts_correct_plans(void **state)
{
    fixture_t *f = *state;

    f->claim.noncommutative = true;
    f->claim.max_inter = 1;
    expect(f, NAPCOLL_VERIFY_OK);
}

static void verifier_catches_spans_outside_their_buffer(void **state)
{
    fixture_t *f = *state;

    step_of(f, 5, NAPCOLL_STEP_REDUCE, 0)->left.first = 1;
    expect(f, NAPCOLL_VERIFY_SPAN);
    assert_int_equal(f->verdict.rank, 5);
    assert_int_equal(f->verdict.stage, 0);
}

static void verifier_catches_writes_to_the_send_buffer(void **state)
{
    fixture_t *f = *state;

    step_of(f, 3, NAPCOLL_STEP_RECV, 0)->dst.buffer = NAPCOLL_BUFFER_SEND;
    expect(f, NAPCOLL_VERIFY_SPAN);
}

static void verifier_catches_reductions_over_their_left_operand(void **state)
{
    fixture_t *f = *state;
    napcoll_step_t *reduction = step_of(f, 1, NAPCOLL_STEP_REDUCE, 0);

    reduction->left = reduction->dst;
    expect(f, NAPCOLL_VERIFY_REDUCTION);
}

static void verifier_catches_messages_to_oneself_and_to_nobody(void **state)
{
    fixture_t *f = *state;

    step_of(f, 2, NAPCOLL_STEP_SEND, 0)->peer = 2;
    expect(f, NAPCOLL_VERIFY_PEER);
    step_of(f, 2, NAPCOLL_STEP_SEND, 0)->peer = RANKS;
    expect(f, NAPCOLL_VERIFY_PEER);
}

static void verifier_catches_messages_without_other_end(void **state)
{
    fixture_t *f = *state;
    napcoll_step_t *send = step_of(f, 7, NAPCOLL_STEP_SEND, 0);

    send->peer = (send->peer + 1) % RANKS == 7 ? 0 : (send->peer + 1) % RANKS;
    expect(f, NAPCOLL_VERIFY_UNMATCHED);
}

static void verifier_catches_left_over_messages(void **state)
{
    fixture_t *f = *state;
    napcoll_plan_t *plan = f->plans[0];

    /* the first stage's last send becomes work that does nothing: its receive is left alone */
    plan->step[plan->stage[0].messages - 1] = (napcoll_step_t){
        .kind = NAPCOLL_STEP_COPY, .dst = {NAPCOLL_BUFFER_RECV, 0, 1}, .left = {0, 0, 1}};
    plan->stage[0].messages--;
    plan->stage[0].work++;
    expect(f, NAPCOLL_VERIFY_UNMATCHED);
}

static void verifier_catches_deadlock_under_rendezvous(void **state)
{
    fixture_t *f = *state;
    napcoll_builder_t *b;

    /* two ranks that both send first: fine where sends are buffered, not under rendezvous */
    for (int rank = 0; rank < RANKS; rank++) {
        napcoll_plan_free(f->plans[rank]);
        b = napcoll_builder_new("allreduce", "test", rank, 1);
        assert_non_null(b);
        if (rank < 2) {
            napcoll_builder_send(b, (napcoll_span_t){NAPCOLL_BUFFER_SEND, 0, 1}, 1 - rank);
            napcoll_builder_next_stage(b);
            napcoll_builder_recv(b, (napcoll_span_t){NAPCOLL_BUFFER_RECV, 0, 1}, 1 - rank);
        }
        f->plans[rank] = napcoll_builder_finish(b);
        assert_non_null(f->plans[rank]);
    }
    expect(f, NAPCOLL_VERIFY_DEADLOCK);
}

static void verifier_catches_reads_of_unwritten_blocks(void **state)
{
    fixture_t *f = *state;

    step_of(f, 4, NAPCOLL_STEP_REDUCE, 0)->left.buffer = NAPCOLL_BUFFER_SEND;
    step_of(f, 4, NAPCOLL_STEP_REDUCE, 0)->right = step_of(f, 4, NAPCOLL_STEP_REDUCE, 0)->dst =
        (napcoll_span_t){NAPCOLL_BUFFER_TEMP + f->plans[4]->temps++, 0, 1};
    f->plans[4]->temp = realloc(f->plans[4]->temp,
                                (size_t) f->plans[4]->temps * sizeof(*f->plans[4]->temp));
    assert_non_null(f->plans[4]->temp);
    f->plans[4]->temp[f->plans[4]->temps - 1] = (napcoll_block_range_t){0, 1};
    expect_at(f, NAPCOLL_VERIFY_UNWRITTEN, 4, 0, 4);
}

static void verifier_catches_contributions_reduced_twice(void **state)
{
    fixture_t *f = *state;
    napcoll_step_t *reduction = step_of(f, 6, NAPCOLL_STEP_REDUCE, 0);

    /* the second reduce takes the own contribution once more */
    step_of(f, 6, NAPCOLL_STEP_REDUCE, 1)->left = (napcoll_span_t){NAPCOLL_BUFFER_SEND, 0, 1};
    reduction->left = (napcoll_span_t){NAPCOLL_BUFFER_SEND, 0, 1};
    expect(f, NAPCOLL_VERIFY_CONTRIBUTION);
}

static void verifier_catches_missing_contributions(void **state)
{
    fixture_t *f = *state;
    napcoll_step_t *reduction = step_of(f, 9, NAPCOLL_STEP_REDUCE, 0);

    reduction->kind = NAPCOLL_STEP_COPY;
    expect(f, NAPCOLL_VERIFY_CONTRIBUTION);
}

static void verifier_catches_reductions_out_of_rank_order(void **state)
{
    fixture_t *f = *state;
    napcoll_params_t params = {.local_radix = 4};
    napcoll_node_map_t *cyclic = placement("3", "cyclic", RANKS);
    napcoll_plan_t **plans = plans_of(&napcoll_allreduce, NAPCOLL_ALLREDUCE_NAP, cyclic, &params,
                                      ONE_SHAPE);
    napcoll_claim_t claim = {.noncommutative = true};

    assert_int_equal(napcoll_plan_verify(plans, cyclic, &claim, &f->verdict), NAPCOLL_VERIFY_ORDER);
    assert_int_equal(f->verdict.rank, 0);
    assert_int_equal(f->verdict.stage, 0);
    assert_int_equal(plans[0]->step[f->verdict.step].kind, NAPCOLL_STEP_REDUCE);
    claim.noncommutative = false;
    assert_int_equal(napcoll_plan_verify(plans, cyclic, &claim, &f->verdict), NAPCOLL_VERIFY_OK);
    free_plans(plans, RANKS);
    napcoll_node_map_free(cyclic);
}

static void verifier_catches_ranks_that_bracket_differently(void **state)
{
    fixture_t *f = *state;
    napcoll_plan_t *plan = f->plans[11];
    napcoll_step_t *last = NULL;
    napcoll_span_t swap;

    /* exchange the operands of the last reduce on one rank: dst must stay the right one */
    for (int i = 0; i < plan->steps; i++) {
        if (NAPCOLL_STEP_REDUCE == plan->step[i].kind) {
            last = &plan->step[i];
        }
    }
    assert_non_null(last);
    swap = last->left;
    last->left = last->right;
    last->right = last->dst = swap;
    /* the result is in the receive buffer now: no copy */
    assert_int_equal(swap.buffer, NAPCOLL_BUFFER_RECV);
    plan->stages--;
    plan->steps--;
    assert_int_equal(plan->step[plan->steps].kind, NAPCOLL_STEP_COPY);
    expect_at(f, NAPCOLL_VERIFY_BRACKETING, 11, 2, (int) (last - plan->step));
}

static void verifier_catches_more_messages_than_claimed(void **state)
{
    fixture_t *f = *state;
    napcoll_params_t params = {.local_radix = 4, .tunable = {4}};

    free_plans(f->plans, RANKS);
    f->plans = plans_of(&napcoll_allreduce, NAPCOLL_ALLREDUCE_NAP, f->map, &params, ONE_SHAPE);
    /* with 4 lanes on 3 processes, one of them has two */
    f->claim.max_inter = 1;
    expect(f, NAPCOLL_VERIFY_MESSAGES);
    f->claim.max_inter = 2;
    expect(f, NAPCOLL_VERIFY_OK);
}

static void verifier_catches_receives_in_flight(void **state)
{
    static const struct {
        int first, count, other_first, other_count;
        bool sends;
        napcoll_verify_status_t status;
    } cases[] = {
        {0, 2, 1, 2, false, NAPCOLL_VERIFY_IN_FLIGHT}, /* two receives that share a block */
        {1, 2, 0, 2, false, NAPCOLL_VERIFY_IN_FLIGHT},
        {0, 4, 2, 1, true, NAPCOLL_VERIFY_IN_FLIGHT}, /* a receive where a send still reads */
        {2, 1, 0, 4, true, NAPCOLL_VERIFY_IN_FLIGHT},
        {0, 2, 2, 2, false, NAPCOLL_VERIFY_OK}, /* neighbours */
        {2, 2, 0, 2, true, NAPCOLL_VERIFY_OK},
    };
    fixture_t *f = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        napcoll_builder_t *b = script(3, 4);
        napcoll_span_t temp = napcoll_builder_temp(b, 0, 4);

        napcoll_builder_recv(b, span(temp.buffer, cases[i].first, cases[i].count), 4);
        if (cases[i].sends) {
            napcoll_builder_send(b, span(temp.buffer, cases[i].other_first, cases[i].other_count),
                                 5);
        } else {
            napcoll_builder_recv(b, span(temp.buffer, cases[i].other_first, cases[i].other_count),
                                 5);
        }
        replace_plan(f, 3, b);
        assert_int_equal(napcoll_plan_check(f->plans[3], f->map, &f->claim, &f->verdict),
                         cases[i].status);
        if (NAPCOLL_VERIFY_OK != cases[i].status) {
            expect(f, NAPCOLL_VERIFY_IN_FLIGHT);
            assert_int_equal(f->verdict.rank, 3);
            assert_int_equal(f->verdict.stage, 0);
        }
    }
}

static void verifier_catches_messages_of_another_size(void **state)
{
    fixture_t *f = *state;

    for (int rank = 0; rank < RANKS; rank++) {
        napcoll_builder_t *b = script(rank, 3);

        if (0 == rank) {
            napcoll_builder_send(b, span(NAPCOLL_BUFFER_SEND, 0, 3), 1);
        }
        if (1 == rank) {
            napcoll_builder_recv(b, span(NAPCOLL_BUFFER_RECV, 0, 2), 0);
        }
        replace_plan(f, rank, b);
    }
    expect_at(f, NAPCOLL_VERIFY_UNMATCHED, 0, 0, 0);
}

static void verifier_catches_copies_onto_themselves(void **state)
{
    fixture_t *f = *state;
    napcoll_builder_t *b = script(2, 3);
    napcoll_span_t temp = napcoll_builder_temp(b, 0, 3);

    napcoll_builder_copy(b, temp, span(NAPCOLL_BUFFER_SEND, 0, 3));
    napcoll_builder_copy(b, span(temp.buffer, 0, 2), span(temp.buffer, 1, 2));
    replace_plan(f, 2, b);
    expect_at(f, NAPCOLL_VERIFY_REDUCTION, 2, 0, 1);
}

/* Personalized blocks are copied one by one, to the user; their slots are in one temporary. */
static void verifier_catches_copies_to_slots(void **state)
{
    const napcoll_params_t params = {.local_radix = 2, .tunable = {2}};
    fixture_t f = {.map = placement("1", "block", 4)};
    napcoll_step_t *copy;

    (void) state;
    f.plans = plans_of(&napcoll_alltoall, NAPCOLL_ALLTOALL_TUNA, f.map, &params, ONE_SHAPE);
    f.claim.goal = NAPCOLL_GOAL_ALLTOALL;
    expect(&f, NAPCOLL_VERIFY_OK);
    copy = step_of(&f, 2, NAPCOLL_STEP_COPY, 0);
    copy->dst.buffer = NAPCOLL_BUFFER_TEMP;
    expect(&f, NAPCOLL_VERIFY_SPAN);
    assert_non_null(strstr(f.verdict.text, "copies a block to a slot"));
    copy->dst.buffer = NAPCOLL_BUFFER_RECV;
    f.plans[1]->temp[0].first++;
    expect(&f, NAPCOLL_VERIFY_SPAN);
    assert_non_null(strstr(f.verdict.text, "slots of personalized blocks are not in temp0"));
    f.plans[1]->temp[0].first--;
    expect(&f, NAPCOLL_VERIFY_OK);
    free_plans(f.plans, 4);
    napcoll_node_map_free(f.map);
}

static void verifier_catches_steps_of_no_stage(void **state)
{
    fixture_t *f = *state;

    f->plans[7]->stages--;
    expect(f, NAPCOLL_VERIFY_SPAN);
    assert_int_equal(f->verdict.rank, 7);
    f->plans[7]->stages++;
    f->plans[7]->stage[1].first--;
    expect(f, NAPCOLL_VERIFY_SPAN);
    assert_int_equal(f->verdict.stage, 1);
}

static void verifier_catches_deadlock_of_a_ring(void **state)
{
    fixture_t *f = *state;

    /* every rank receives from the one before, then sends to the next */
    for (int rank = 0; rank < RANKS; rank++) {
        napcoll_builder_t *b = script(rank, 1);

        napcoll_builder_recv(b, span(NAPCOLL_BUFFER_RECV, 0, 1), (rank + RANKS - 1) % RANKS);
        napcoll_builder_next_stage(b);
        napcoll_builder_send(b, span(NAPCOLL_BUFFER_SEND, 0, 1), (rank + 1) % RANKS);
        replace_plan(f, rank, b);
    }
    expect(f, NAPCOLL_VERIFY_DEADLOCK);
    assert_non_null(strstr(f->verdict.text, "waits for stage 1 of rank"));
}

/* The verifier finds every step that is changed. */
static void verifier_catches_every_changed_step(void **state)
{
    fixture_t *f = *state;
    int spoilt = 0;

    f->claim.noncommutative = true;
    for (int rank = 0; rank < RANKS; rank++) {
        for (int i = 0; i < f->plans[rank]->steps; i++) {
            napcoll_step_t *step = &f->plans[rank]->step[i], whole = *step;

            switch (step->kind) {
            case NAPCOLL_STEP_RECV:
            case NAPCOLL_STEP_SEND:
                step->peer = (step->peer + 1) % RANKS;
                break;
            case NAPCOLL_STEP_REDUCE:
                step->kind = NAPCOLL_STEP_COPY;
                break;
            default:
                step->left = (napcoll_span_t){NAPCOLL_BUFFER_SEND, 0, 1};
                break;
            }
            (void) napcoll_plan_verify(f->plans, f->map, &f->claim, &f->verdict);
            assert_int_not_equal(f->verdict.status, NAPCOLL_VERIFY_OK);
            spoilt++;
            *step = whole;
        }
    }
    assert_true(spoilt > 100);
    expect(f, NAPCOLL_VERIFY_OK);
}

/* ---- proofs of plans that a source makes ---- */

/* A source that spoils the plan of one rank. */
typedef struct {
    napcoll_generator_t generator;
    /* -1: none */
    int spoilt_rank;
    int plans_made;
    /* spoil the last step, not the first reduction */
    bool at_last;
} spoiler_t;

static napcoll_plan_t *spoiled(void *context, int rank)
{
    spoiler_t *spoiler = context;
    napcoll_plan_t *plan = napcoll_generator_plan(&spoiler->generator, rank);

    assert_non_null(plan);
    spoiler->plans_made++;
    for (int i = 0; rank == spoiler->spoilt_rank && i < plan->steps; i++) {
        if (spoiler->at_last ? i == plan->steps - 1 : NAPCOLL_STEP_REDUCE == plan->step[i].kind) {
            plan->step[i].kind = NAPCOLL_STEP_COPY;
            plan->step[i].left = span(NAPCOLL_BUFFER_SEND, 0, 1);
            break;
        }
    }
    return plan;
}

static napcoll_verify_status_t prove(int nodes, spoiler_t *spoiler, const napcoll_proof_t *proof,
                                     napcoll_verdict_t *verdict)
{
    const napcoll_claim_t claim = {.max_inter = 1};
    napcoll_node_map_t *map = placement("4", "block", 4 * nodes);
    napcoll_verify_status_t status;

    spoiler->plans_made = 0;
    spoiler->generator = (napcoll_generator_t){
        .args = {.collective = &napcoll_allreduce,
                 .algorithm = &napcoll_allreduce.algorithm[NAPCOLL_ALLREDUCE_NAP],
                 .map = map,
                 .params = {.local_radix = 2}}};
    status = napcoll_plan_prove(spoiled, spoiler, map, &claim, proof, verdict);
    napcoll_node_map_free(map);
    return status;
}

static void proofs_keep_within_their_memory(void **state)
{
    spoiler_t spoiler = {.spoilt_rank = -1};
    napcoll_proof_t proof = {0};
    napcoll_verdict_t all, few;

    (void) state;
    assert_int_equal(prove(100, &spoiler, &proof, &all), NAPCOLL_VERIFY_OK);
    assert_int_equal(spoiler.plans_made, 400);
    assert_int_equal(all.plans, 400);
    assert_int_equal(all.results, 400);
    /* about ten plans */
    proof.plan_memory = 20000;
    assert_int_equal(prove(100, &spoiler, &proof, &few), NAPCOLL_VERIFY_OK);
    assert_true(spoiler.plans_made > 1000);
    assert_int_equal(few.plans, 400);
    assert_int_equal(few.messages, all.messages);
    /* of 400 ranks, each with some ten blocks */
    proof.value_memory = 1 << 20;
    assert_int_equal(prove(100, &spoiler, &proof, &few), NAPCOLL_VERIFY_OK);
    proof.value_memory = 1 << 14;
    assert_int_equal(prove(100, &spoiler, &proof, &few), NAPCOLL_VERIFY_NO_MEMORY);
    proof.value_memory = 0;
    spoiler.spoilt_rank = 333;
    assert_int_equal(prove(100, &spoiler, &proof, &few), NAPCOLL_VERIFY_CONTRIBUTION);
}

static void samples_prove_what_their_results_depend_on(void **state)
{
    spoiler_t spoiler = {.spoilt_rank = -1};
    const napcoll_proof_t proof = {.sample = 2}, other = {.sample = 5, .seed = 7};
    napcoll_verdict_t verdict;

    (void) state;
    assert_int_equal(prove(256, &spoiler, &proof, &verdict), NAPCOLL_VERIFY_OK);
    assert_int_equal(verdict.results, 2);
    /* every contribution is in every result */
    assert_int_equal(verdict.plans, 1024);
    assert_int_equal(prove(256, &spoiler, &other, &verdict), NAPCOLL_VERIFY_OK);
    assert_int_equal(verdict.results, 5);
    /* a first reduce is in every result; a last one in its own rank's only */
    spoiler.spoilt_rank = 600;
    assert_int_equal(prove(256, &spoiler, &proof, &verdict), NAPCOLL_VERIFY_CONTRIBUTION);
    spoiler.at_last = true;
    assert_int_equal(prove(256, &spoiler, &proof, &verdict), NAPCOLL_VERIFY_OK);
    /* the last rank is in every sample */
    spoiler.spoilt_rank = 1023;
    assert_int_not_equal(prove(256, &spoiler, &proof, &verdict), NAPCOLL_VERIFY_OK);
    assert_int_equal(verdict.rank, 1023);
}

int main(void)
{
#define WITH_PLANS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_PLANS(verifier_accepts_correct_plans),
        WITH_PLANS(verifier_catches_spans_outside_their_buffer),
        WITH_PLANS(verifier_catches_writes_to_the_send_buffer),
        WITH_PLANS(verifier_catches_reductions_over_their_left_operand),
        WITH_PLANS(verifier_catches_messages_to_oneself_and_to_nobody),
        WITH_PLANS(verifier_catches_messages_without_other_end),
        WITH_PLANS(verifier_catches_left_over_messages),
        WITH_PLANS(verifier_catches_deadlock_under_rendezvous),
        WITH_PLANS(verifier_catches_reads_of_unwritten_blocks),
        WITH_PLANS(verifier_catches_contributions_reduced_twice),
        WITH_PLANS(verifier_catches_missing_contributions),
        WITH_PLANS(verifier_catches_reductions_out_of_rank_order),
        WITH_PLANS(verifier_catches_ranks_that_bracket_differently),
        WITH_PLANS(verifier_catches_more_messages_than_claimed),
        WITH_PLANS(verifier_catches_receives_in_flight),
        WITH_PLANS(verifier_catches_messages_of_another_size),
        WITH_PLANS(verifier_catches_copies_onto_themselves),
        WITH_PLANS(verifier_catches_steps_of_no_stage),
        WITH_PLANS(verifier_catches_deadlock_of_a_ring),
        WITH_PLANS(verifier_catches_every_changed_step),
        cmocka_unit_test(verifier_catches_copies_to_slots),
        cmocka_unit_test(proofs_keep_within_their_memory),
        cmocka_unit_test(samples_prove_what_their_results_depend_on),
    };
    return cmocka_run_group_tests_name("verifier", tests, NULL, NULL);
}
