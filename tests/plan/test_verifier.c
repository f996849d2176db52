/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verifier catches plans that are broken on purpose, each by the name of what is broken.
 */

#include "plan_set.h"

enum { RANKS = 12 };

typedef struct {
    napcoll_node_map_t *map;
    napcoll_plan_t **plans;
    napcoll_claim_t claim;
    napcoll_verdict_t verdict;
} fixture_t;

/* nap on 4 nodes x 3 */
static int setup(void **state)
{
    fixture_t *f = calloc(1, sizeof(*f));
    napcoll_params_t params = {.local_radix = 4};

    assert_non_null(f);
    f->map = placement("3", "block", RANKS);
    f->plans = plans_of(&napcoll_allreduce.algorithm[NAPCOLL_ALLREDUCE_NAP], f->map, &params,
                        ONE_SHAPE);
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
    (void) napcoll_plan_verify_allreduce(f->plans, f->map, &f->claim, &f->verdict);
    assert_string_equal(napcoll_verify_status_name(f->verdict.status),
                        napcoll_verify_status_name(status));
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

static void verifier_accepts_the_unbroken_plans(void **state)
{
    fixture_t *f = *state;

    f->claim.ordered = true;
    f->claim.max_inter = 1;
    expect(f, NAPCOLL_VERIFY_OK);
}

static void verifier_catches_spans_outside_their_buffer(void **state)
{
    fixture_t *f = *state;

    step_of(f, 5, NAPCOLL_STEP_FOLD, 0)->left.first = 1;
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

static void verifier_catches_folds_over_their_left_operand(void **state)
{
    fixture_t *f = *state;
    napcoll_step_t *fold = step_of(f, 1, NAPCOLL_STEP_FOLD, 0);

    fold->left = fold->dst;
    expect(f, NAPCOLL_VERIFY_FOLD);
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

    step_of(f, 4, NAPCOLL_STEP_SEND, 0)->left.buffer = NAPCOLL_BUFFER_RECV;
    expect(f, NAPCOLL_VERIFY_UNWRITTEN);
    assert_int_equal(f->verdict.rank, 4);
}

static void verifier_catches_contributions_folded_twice(void **state)
{
    fixture_t *f = *state;
    napcoll_step_t *fold = step_of(f, 6, NAPCOLL_STEP_FOLD, 0);

    /* the second fold takes the own contribution once more */
    step_of(f, 6, NAPCOLL_STEP_FOLD, 1)->left = (napcoll_span_t){NAPCOLL_BUFFER_SEND, 0, 1};
    fold->left = (napcoll_span_t){NAPCOLL_BUFFER_SEND, 0, 1};
    expect(f, NAPCOLL_VERIFY_CONTRIBUTION);
}

static void verifier_catches_missing_contributions(void **state)
{
    fixture_t *f = *state;
    napcoll_step_t *fold = step_of(f, 9, NAPCOLL_STEP_FOLD, 0);

    fold->kind = NAPCOLL_STEP_COPY;
    expect(f, NAPCOLL_VERIFY_CONTRIBUTION);
}

static void verifier_catches_folds_out_of_rank_order(void **state)
{
    fixture_t *f = *state;
    napcoll_params_t params = {.local_radix = 4};
    napcoll_node_map_t *cyclic = placement("3", "cyclic", RANKS);
    napcoll_plan_t **plans = plans_of(&napcoll_allreduce.algorithm[NAPCOLL_ALLREDUCE_NAP], cyclic,
                                      &params, ONE_SHAPE);
    napcoll_claim_t claim = {.ordered = true};

    assert_int_equal(napcoll_plan_verify_allreduce(plans, cyclic, &claim, &f->verdict),
                     NAPCOLL_VERIFY_ORDER);
    claim.ordered = false;
    assert_int_equal(napcoll_plan_verify_allreduce(plans, cyclic, &claim, &f->verdict),
                     NAPCOLL_VERIFY_OK);
    free_plans(plans, RANKS);
    napcoll_node_map_free(cyclic);
}

static void verifier_catches_ranks_that_bracket_differently(void **state)
{
    fixture_t *f = *state;
    napcoll_plan_t *plan = f->plans[11];
    napcoll_step_t *last = NULL;
    napcoll_span_t swap;

    /* exchange the operands of the last fold on one rank: dst must stay the right one */
    for (int i = 0; i < plan->steps; i++) {
        if (NAPCOLL_STEP_FOLD == plan->step[i].kind) {
            last = &plan->step[i];
        }
    }
    assert_non_null(last);
    swap = last->left;
    last->left = last->right;
    last->right = swap;
    last->dst = swap;
    for (int i = 0; i < plan->steps; i++) {
        if (NAPCOLL_STEP_COPY == plan->step[i].kind) {
            plan->step[i].left = swap;
        }
    }
    expect(f, NAPCOLL_VERIFY_BRACKETING);
    assert_int_equal(f->verdict.rank, 11);
}

static void verifier_catches_more_messages_than_claimed(void **state)
{
    fixture_t *f = *state;
    napcoll_params_t params = {.local_radix = 4, .tunable = {4}};

    free_plans(f->plans, RANKS);
    f->plans = plans_of(&napcoll_allreduce.algorithm[NAPCOLL_ALLREDUCE_NAP], f->map, &params,
                        ONE_SHAPE);
    f->claim.max_inter = 1; /* with 4 lanes on 3 processes one of them has two */
    expect(f, NAPCOLL_VERIFY_MESSAGES);
    f->claim.max_inter = 2;
    expect(f, NAPCOLL_VERIFY_OK);
}

static void verifier_catches_phases_that_do_not_meet(void **state)
{
    fixture_t *f = *state;
    napcoll_params_t params = {.local_radix = 4, .provider = NAPCOLL_PROVIDER_DELEGATE};

    free_plans(f->plans, RANKS);
    f->plans = plans_of(&napcoll_allreduce.algorithm[NAPCOLL_ALLREDUCE_SMP], f->map, &params,
                        ONE_SHAPE);
    expect(f, NAPCOLL_VERIFY_OK);
    step_of(f, 8, NAPCOLL_STEP_PHASE, 1)->peer = 1; /* another root than its neighbours' */
    expect(f, NAPCOLL_VERIFY_UNMATCHED);
}

int main(void)
{
#define WITH_PLANS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_PLANS(verifier_accepts_the_unbroken_plans),
        WITH_PLANS(verifier_catches_spans_outside_their_buffer),
        WITH_PLANS(verifier_catches_writes_to_the_send_buffer),
        WITH_PLANS(verifier_catches_folds_over_their_left_operand),
        WITH_PLANS(verifier_catches_messages_to_oneself_and_to_nobody),
        WITH_PLANS(verifier_catches_messages_without_other_end),
        WITH_PLANS(verifier_catches_left_over_messages),
        WITH_PLANS(verifier_catches_deadlock_under_rendezvous),
        WITH_PLANS(verifier_catches_reads_of_unwritten_blocks),
        WITH_PLANS(verifier_catches_contributions_folded_twice),
        WITH_PLANS(verifier_catches_missing_contributions),
        WITH_PLANS(verifier_catches_folds_out_of_rank_order),
        WITH_PLANS(verifier_catches_ranks_that_bracket_differently),
        WITH_PLANS(verifier_catches_more_messages_than_claimed),
        WITH_PLANS(verifier_catches_phases_that_do_not_meet),
    };
    return cmocka_run_group_tests_name("verifier", tests, NULL, NULL);
}
