/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans that leave phases to other components, inside nodes, among leaders, or both: run by the
 * verifier over many placements, roots and operations. What a row delegates has no messages left.
 * And the verifier notices phases that are wrong.
 */

#include "plan_set.h"

/* Providers of the two scopes as bits; 0 is napcoll itself in both. */
enum { BOTH = 1 << NAPCOLL_SCOPE_NODE | 1 << NAPCOLL_SCOPE_LEADERS };

static void set_providers(napcoll_params_t *params, int delegated)
{
    for (int scope = 0; scope < NAPCOLL_SCOPES; scope++) {
        params->provider[scope] = 0 != (delegated & 1 << scope) ? NAPCOLL_PROVIDER_DELEGATE
                                                                : NAPCOLL_PROVIDER_OWN;
    }
}

static bool delegates(const napcoll_algorithm_t *algorithm)
{
    return algorithm->delegates[NAPCOLL_SCOPE_NODE] || algorithm->delegates[NAPCOLL_SCOPE_LEADERS];
}

/* The values of a choice; 1: there is none. */
static int choices_of(const napcoll_algorithm_t *algorithm)
{
    int choices = 1;

    while (NULL != algorithm->tunable[0].names
           && NULL != algorithm->tunable[0].names[choices - 1]) {
        choices++;
    }
    return choices;
}

/* Every row that delegates, in one variant. */
static void verify_variant(const napcoll_node_map_t *map, int root, int variant)
{
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        const napcoll_collective_t *collective = napcoll_collectives[c];

        for (int row = 0; row < collective->algorithms; row++) {
            const napcoll_algorithm_t *algorithm = &collective->algorithm[row];
            const int tunable = NULL != algorithm->tunable[0].names
                                    ? variant % choices_of(algorithm)
                                    : variant % 4;
            napcoll_params_t params = {.root = napcoll_goal_is_rooted(collective->goal) ? root : 0,
                                       .in_place = 0 != (variant & 1),
                                       .noncommutative = 0 != (variant & 2),
                                       .local_tree = 0 != (variant & 4),
                                       .segments = algorithm->segmented ? 1 + variant % 3 : 1,
                                       .local_radix = 2 + variant % 3,
                                       .tunable = {tunable, variant % 3}};

            for (int delegated = 1; delegated <= BOTH && delegates(algorithm); delegated++) {
                set_providers(&params, delegated);
                (void) prove_plans(collective, row, map, &params);
            }
        }
    }
}

static void phase_plans_on_uniform_nodes(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 5; ppn++) {
        for (int nodes = 1; nodes <= 17; nodes += nodes < 9 ? NODES_STRIDE : 4) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 2 ? "block" : "cyclic", nodes * ppn);

            for (int variant = 0; variant < 24; variant += 5) {
                verify_variant(map, (nodes * 7 + variant) % map->size, variant);
            }
            napcoll_node_map_free(map);
        }
    }
}

static void phase_plans_on_uneven_nodes(void **state)
{
    (void) state;
    for (int l = 0; l < UNEVEN_LISTS; l++) {
        for (int size = 2; size <= 40; size += size < 12 ? NODES_STRIDE : 9) {
            napcoll_node_map_t *map = placement(uneven_lists[l],
                                                uneven_orders[size % UNEVEN_ORDERS], size);

            for (int variant = l % 3; variant < 24; variant += 3) {
                verify_variant(map, (size / 3 + variant) % size, variant);
            }
            napcoll_node_map_free(map);
        }
    }
}

static void phase_plans_from_every_root(void **state)
{
    static const char *const orders[] = {"block", "cyclic", "random:5"};

    (void) state;
    for (int o = 0; o < 3; o++) {
        napcoll_node_map_t *map = placement("3,2,1,4", orders[o], 10);

        shuffle_hardware(map, 0);
        for (int root = 0; root < map->size; root++) {
            verify_variant(map, root, root);
            verify_variant(map, root, root + 3);
        }
        napcoll_node_map_free(map);
    }
}

/* Messages of all ranks, between nodes and inside. */
typedef struct {
    int between;
    int inside;
} messages_t;

static messages_t messages_of(const napcoll_collective_t *collective, int row,
                              const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    napcoll_plan_t **plans = plans_of(collective, row, map, params, ONE_SHAPE);
    messages_t count = {0, 0};

    for (int rank = 0; rank < map->size; rank++) {
        for (int i = 0; i < plans[rank]->steps; i++) {
            const napcoll_step_t *step = &plans[rank]->step[i];

            if (step->kind <= NAPCOLL_STEP_SEND) {
                const int node = napcoll_node_map_node(map, step->peer);

                count.between += node != napcoll_node_map_node(map, rank);
                count.inside += node == napcoll_node_map_node(map, rank);
            }
        }
    }
    free_plans(plans, map->size);
    return count;
}

/* A row of leaders has no message between nodes left; one that delegates both scopes has none at
 * all, but the result's to a root that is not a leader. */
static void delegated_scopes_have_no_messages(void **state)
{
    napcoll_node_map_t *map = uniform(3, "block", 15);

    (void) state;
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        const napcoll_collective_t *collective = napcoll_collectives[c];

        for (int row = 0; row < collective->algorithms; row++) {
            const napcoll_algorithm_t *algorithm = &collective->algorithm[row];
            napcoll_params_t params = {.local_radix = 4};
            messages_t own, count;

            if (!algorithm->delegates[NAPCOLL_SCOPE_LEADERS]) {
                continue;
            }
            own = messages_of(collective, row, map, &params);
            assert_true(own.between > 0 && own.inside > 0);
            set_providers(&params, 1 << NAPCOLL_SCOPE_LEADERS);
            count = messages_of(collective, row, map, &params);
            assert_int_equal(count.between, 0);
            assert_int_equal(count.inside, own.inside);
            set_providers(&params, 1 << NAPCOLL_SCOPE_NODE);
            count = messages_of(collective, row, map, &params);
            assert_int_equal(count.between, own.between);
            assert_int_equal(count.inside, 0);
            set_providers(&params, BOTH);
            params.root = napcoll_goal_is_rooted(collective->goal) ? 7 : 0;
            count = messages_of(collective, row, map, &params);
            assert_int_equal(count.between, 0);
            assert_int_equal(count.inside, NAPCOLL_GOAL_REDUCE == collective->goal ? 2 : 0);
        }
    }
    napcoll_node_map_free(map);
}

/* Other rows have the same plans whatever the providers. */
static void other_rows_ignore_providers(void **state)
{
    napcoll_node_map_t *map = uniform(2, "block", 8);

    (void) state;
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        const napcoll_collective_t *collective = napcoll_collectives[c];

        for (int row = 0; row < collective->algorithms; row++) {
            napcoll_params_t params = {.local_radix = 4};
            messages_t own;

            if (!delegates(&collective->algorithm[row])) {
                own = messages_of(collective, row, map, &params);
                set_providers(&params, BOTH);
                assert_int_equal(messages_of(collective, row, map, &params).between, own.between);
                assert_int_equal(messages_of(collective, row, map, &params).inside, own.inside);
            }
        }
    }
    napcoll_node_map_free(map);
}

/* ---- what the verifier catches ---- */

enum { RANKS = 12 };

typedef struct {
    napcoll_node_map_t *map;
    napcoll_plan_t **plans;
    napcoll_claim_t claim;
} fixture_t;

/* 4 nodes with 3 processes each: the leaders are 0, 3, 6 and 9. */
static int setup(void **state)
{
    fixture_t *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->map = placement("3", "block", RANKS);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture_t *f = *state;

    if (NULL != f->plans) {
        free_plans(f->plans, RANKS);
    }
    napcoll_node_map_free(f->map);
    free(f);
    return 0;
}

static void expect(fixture_t *f, napcoll_verify_status_t status)
{
    napcoll_verdict_t verdict;

    (void) napcoll_plan_verify(f->plans, f->map, &f->claim, &verdict);
    assert_string_equal(napcoll_verify_status_name(verdict.status),
                        napcoll_verify_status_name(status));
}

/* The right plans of an algorithm whose two scopes are delegated. */
static void use_plans(fixture_t *f, const napcoll_collective_t *collective, int row)
{
    napcoll_params_t params = {.local_radix = 4};

    if (NULL != f->plans) {
        free_plans(f->plans, RANKS);
    }
    set_providers(&params, BOTH);
    f->plans = plans_of(collective, row, f->map, &params, ONE_SHAPE);
    f->claim = (napcoll_claim_t){.goal = collective->goal};
    expect(f, NAPCOLL_VERIFY_OK);
}

/* The n-th phase of a rank's plan. */
static napcoll_step_t *phase_of(fixture_t *f, int rank, int n)
{
    napcoll_plan_t *plan = f->plans[rank];

    for (int i = 0; i < plan->steps; i++) {
        if (NAPCOLL_STEP_PHASE == plan->step[i].kind && 0 == n--) {
            return &plan->step[i];
        }
    }
    fail_msg("rank %d has no such phase", rank);
    return NULL;
}

static void verifier_catches_phases_that_do_not_meet(void **state)
{
    fixture_t *f = *state;

    use_plans(f, &napcoll_allreduce, NAPCOLL_ALLREDUCE_SMP);
    /* another root than on the other processes of the node */
    phase_of(f, 8, 1)->peer = 1;
    expect(f, NAPCOLL_VERIFY_PHASE);
    use_plans(f, &napcoll_allreduce, NAPCOLL_ALLREDUCE_SMP);
    /* one leader reduces, the others reduce to all */
    phase_of(f, 3, 1)->phase = NAPCOLL_PHASE_REDUCE;
    expect(f, NAPCOLL_VERIFY_PHASE);
}

static void verifier_catches_phases_that_there_are_not(void **state)
{
    fixture_t *f = *state;

    use_plans(f, &napcoll_allreduce, NAPCOLL_ALLREDUCE_SMP);
    /* rank 1 is no leader */
    phase_of(f, 1, 0)->scope = NAPCOLL_SCOPE_LEADERS;
    expect(f, NAPCOLL_VERIFY_PHASE);
    use_plans(f, &napcoll_allreduce, NAPCOLL_ALLREDUCE_SMP);
    phase_of(f, 3, 1)->scope = NAPCOLL_SCOPES;
    expect(f, NAPCOLL_VERIFY_PHASE);
    use_plans(f, &napcoll_allreduce, NAPCOLL_ALLREDUCE_SMP);
    phase_of(f, 3, 1)->phase = NAPCOLL_PHASE_KINDS;
    expect(f, NAPCOLL_VERIFY_PHASE);
    use_plans(f, &napcoll_allreduce, NAPCOLL_ALLREDUCE_SMP);
    /* a root that there is not */
    phase_of(f, 3, 1)->peer = f->map->nodes;
    expect(f, NAPCOLL_VERIFY_PHASE);
}

static void verifier_catches_phases_of_other_blocks(void **state)
{
    fixture_t *f = *state;

    use_plans(f, &napcoll_allgather, NAPCOLL_ALLGATHER_SMP);
    /* the run of another leader */
    phase_of(f, 3, 1)->left.first = 0;
    expect(f, NAPCOLL_VERIFY_PHASE);
    use_plans(f, &napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_SMP);
    /* a leader that takes a block less */
    phase_of(f, 3, 1)->dst.count--;
    expect(f, NAPCOLL_VERIFY_PHASE);
    use_plans(f, &napcoll_allgather, NAPCOLL_ALLGATHER_SMP);
    /* leaders that gather instead of sharing: all but one broadcast what they do not have */
    for (int node = 0; node < f->map->nodes; node++) {
        phase_of(f, napcoll_node_map_rank(f->map, node, 0), 1)->phase = NAPCOLL_PHASE_GATHER;
    }
    expect(f, NAPCOLL_VERIFY_UNWRITTEN);
}

static void verifier_catches_barriers_without_a_scope(void **state)
{
    fixture_t *f = *state;

    use_plans(f, &napcoll_barrier, NAPCOLL_BARRIER_SMP);
    /* nodes do not hear from each other */
    for (int node = 0; node < f->map->nodes; node++) {
        napcoll_plan_t *plan = f->plans[napcoll_node_map_rank(f->map, node, 0)];

        plan->step[1] = plan->step[2];
        plan->steps--;
        plan->stages--;
    }
    expect(f, NAPCOLL_VERIFY_CONTRIBUTION);
}

static void verifier_catches_phases_with_messages(void **state)
{
    fixture_t *f = *state;
    const napcoll_span_t sendbuf = {.buffer = NAPCOLL_BUFFER_SEND, .count = 1};
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *b = napcoll_builder_new("allreduce", "test", 0, 1);

    assert_non_null(b);
    use_plans(f, &napcoll_allreduce, NAPCOLL_ALLREDUCE_SMP);
    napcoll_builder_send(b, sendbuf, 1);
    napcoll_builder_phase(b, NAPCOLL_SCOPE_NODE, NAPCOLL_PHASE_BCAST, 0, recvbuf, recvbuf);
    napcoll_plan_free(f->plans[0]);
    f->plans[0] = napcoll_builder_finish(b);
    assert_non_null(f->plans[0]);
    /* the builder gives the phase a stage of its own, which becomes one with the message's */
    f->plans[0]->stage[0].work = 1;
    f->plans[0]->stages = 1;
    expect(f, NAPCOLL_VERIFY_PHASE);
}

#define WITH_MAP(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phase_plans_on_uniform_nodes),
        cmocka_unit_test(phase_plans_on_uneven_nodes),
        cmocka_unit_test(phase_plans_from_every_root),
        cmocka_unit_test(delegated_scopes_have_no_messages),
        cmocka_unit_test(other_rows_ignore_providers),
        WITH_MAP(verifier_catches_phases_that_do_not_meet),
        WITH_MAP(verifier_catches_phases_that_there_are_not),
        WITH_MAP(verifier_catches_phases_of_other_blocks),
        WITH_MAP(verifier_catches_barriers_without_a_scope),
        WITH_MAP(verifier_catches_phases_with_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
