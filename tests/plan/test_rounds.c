/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Proofs in rounds, and by rotation, say what proofs by demand say, where they say something.
 */

#include "plan_set.h"
#include "common/napcoll_rotation.h"
#include "common/napcoll_rounds.h"
#include "mutated.h"
#include "plan/napcoll_builder.h"

/* A source whose plans outlive the proof, which frees what it gets. */
static napcoll_plan_t *lend(void *context, int rank)
{
    napcoll_plan_t *plan = napcoll_plan_of_array(context, rank);

    napcoll_plan_retain(plan);
    return plan;
}

static const napcoll_collective_t *const collectives[] = {&napcoll_allreduce, &napcoll_reduce,
                                                          &napcoll_bcast};

enum { COLLECTIVES = sizeof(collectives) / sizeof(collectives[0]) };

static napcoll_claim_t claim_of(const napcoll_collective_t *collective, int row,
                                const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const napcoll_plan_args_t args = {.collective = collective,
                                      .algorithm = &collective->algorithm[row],
                                      .map = map,
                                      .params = *params};

    return napcoll_plan_args_claim(&args);
}

/* napcoll_prove_in_rounds, or the one by rotation. */
typedef bool prove_t(napcoll_plan_source_t source, void *context, const napcoll_node_map_t *map,
                     const napcoll_claim_t *claim, int jobs, napcoll_verdict_t *verdict);

/* Whether the plans of a row are proved. By demand all of them are. */
static bool is_proved(prove_t *prove, const napcoll_collective_t *collective, int row,
                      const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const napcoll_claim_t claim = claim_of(collective, row, map, params);
    napcoll_verdict_t whole, verdict;
    napcoll_plan_t **plans;
    bool proved;

    if (NAPCOLL_REASON_NONE
        != napcoll_algorithm_eligible(&collective->algorithm[row], map, params)) {
        return false;
    }
    plans = plans_of(collective, row, map, params, ONE_SHAPE);
    assert_int_equal(napcoll_plan_verify(plans, map, &claim, &whole), NAPCOLL_VERIFY_OK);
    proved = prove(lend, plans, map, &claim, 1 + map->size % 3, &verdict);
    if (proved) {
        assert_int_equal(verdict.status, NAPCOLL_VERIFY_OK);
        assert_int_equal(verdict.results, whole.results);
        assert_int_equal(verdict.plans, whole.plans);
        assert_int_equal(verdict.messages, whole.messages);
    }
    free_plans(plans, map->size);
    return proved;
}

/* An allreduce is proved where it is eligible. */
static void assert_proved(prove_t *prove, int row, const napcoll_node_map_t *map,
                          const napcoll_params_t *params)
{
    const napcoll_algorithm_t *algorithm = &napcoll_allreduce.algorithm[row];

    assert_int_equal(is_proved(prove, &napcoll_allreduce, row, map, params),
                     NAPCOLL_REASON_NONE == napcoll_algorithm_eligible(algorithm, map, params));
}

/* Ask both about all algorithms of a collective. Returns how many placements are proved. */
static int compare(prove_t *prove, const napcoll_collective_t *collective)
{
    const bool rooted = napcoll_goal_is_rooted(collective->goal);
    const bool reduces = napcoll_goal_reduces(collective->goal);
    int proved = 0;

    for (int size = 1; size <= 40; size += NODES_STRIDE) {
        for (int ppn = 1; ppn <= 4; ppn++) {
            napcoll_node_map_t *map = uniform(ppn, 0 == size % 2 ? "block" : "random:3", size);

            for (int row = 0; row < collective->algorithms; row++) {
                const napcoll_params_t params = {
                    .local_radix = 2 + size % 3,
                    .noncommutative = reduces && 0 != size % 3,
                    .in_place = reduces && 0 != ppn % 2,
                    .segments = collective->algorithm[row].segmented ? 1 + size % 4 : 1,
                    .root = rooted ? size / 2 : 0};

                proved += is_proved(prove, collective, row, map, &params);
            }
            napcoll_node_map_free(map);
        }
    }
    return proved;
}

static void rounds_and_demand_agree(void **state)
{
    (void) state;
    for (int i = 0; i < COLLECTIVES; i++) {
        assert_in_range(compare(napcoll_prove_in_rounds, collectives[i]), 40,
                        40 * 4 * collectives[i]->algorithms);
    }
}

static void nap_is_proved(void **state)
{
    const napcoll_params_t params = {.local_radix = 8};

    (void) state;
    for (int ppn = 2; ppn <= 8; ppn += 2) {
        for (int size = ppn * ppn; size <= 256; size *= ppn) {
            napcoll_node_map_t *map = uniform(ppn, "block", size);

            assert_true(is_proved(napcoll_prove_in_rounds, &napcoll_allreduce,
                                  NAPCOLL_ALLREDUCE_NAP, map, &params));
            napcoll_node_map_free(map);
        }
    }
}

/* Mutate one rank's plan, or all plans alike, and ask both. Returns 1 where both find it. */
static int ask_both(prove_t *prove, const napcoll_collective_t *collective, int row,
                    const napcoll_node_map_t *map, int rank, int index, int mutation)
{
    const napcoll_params_t params = {.local_radix = 3,
                                     .noncommutative = napcoll_goal_reduces(collective->goal)
                                                       && 0 != index % 2};
    const napcoll_claim_t claim = claim_of(collective, row, map, &params);
    napcoll_plan_t **plans = plans_of(collective, row, map, &params, ONE_SHAPE);
    napcoll_verdict_t whole, verdict;
    bool applies = true, proved;
    int both = 0;

    for (int r = rank < 0 ? 0 : rank; r < (rank < 0 ? map->size : rank + 1); r++) {
        applies = applies && mutate(plans[r], index, mutation, map->size);
    }
    if (applies) {
        (void) napcoll_plan_verify(plans, map, &claim, &whole);
        proved = prove(lend, plans, map, &claim, 1, &verdict);
        if (proved && NAPCOLL_VERIFY_OK != whole.status) {
            fail_msg("%s %s, rank %d, step %d, mutation %d: %s", collective->name,
                     collective->algorithm[row].name, rank, index, mutation, whole.text);
        }
        both = !proved && NAPCOLL_VERIFY_OK != whole.status;
    }
    free_plans(plans, map->size);
    return both;
}

static void no_broken_plan_is_proved(void **state)
{
    static const struct {
        prove_t *prove;
        const napcoll_collective_t *collective;
        int row;
        /* mutants that both find; a reduce or broadcast has fewer messages */
        int least;
    } subject[] = {
        {napcoll_prove_in_rounds, &napcoll_allreduce, NAPCOLL_ALLREDUCE_NAP, 100},
        {napcoll_prove_in_rounds, &napcoll_allreduce, NAPCOLL_ALLREDUCE_RECURSIVE_DOUBLING, 100},
        {napcoll_prove_in_rounds, &napcoll_allreduce, NAPCOLL_ALLREDUCE_SMP, 100},
        {napcoll_prove_in_rounds, &napcoll_allreduce, NAPCOLL_ALLREDUCE_CIRCULANT, 100},
        {napcoll_prove_in_rounds, &napcoll_allreduce, NAPCOLL_ALLREDUCE_LANE, 100},
        {napcoll_prove_in_rounds, &napcoll_reduce, NAPCOLL_REDUCE_CIRCULANT, 60},
        {napcoll_prove_in_rounds, &napcoll_bcast, NAPCOLL_BCAST_LANE_CIRCULANT, 100},
        {napcoll_prove_by_rotation, &napcoll_allreduce, NAPCOLL_ALLREDUCE_CIRCULANT, 100},
        {napcoll_prove_by_rotation, &napcoll_allreduce, NAPCOLL_ALLREDUCE_LANE, 100},
        {napcoll_prove_by_rotation, &napcoll_allreduce, NAPCOLL_ALLREDUCE_RING, 100}};
    napcoll_node_map_t *map = uniform(2, "block", 8);

    (void) state;
    for (size_t i = 0; i < sizeof(subject) / sizeof(subject[0]); i++) {
        const napcoll_params_t params = {.local_radix = 3};
        int found = 0;

        assert_true(
            is_proved(subject[i].prove, subject[i].collective, subject[i].row, map, &params));
        for (int rank = -1; rank < map->size; rank++) {
            for (int index = 0; index < 24; index++) {
                for (int mutation = 0; mutation < MUTATIONS; mutation++) {
                    found += ask_both(subject[i].prove, subject[i].collective, subject[i].row, map,
                                      rank, index, mutation);
                }
            }
        }
        assert_in_range(found, subject[i].least, 24 * 9 * MUTATIONS);
    }
    napcoll_node_map_free(map);
}

/* A vector of a block for each rank, which is cut where ranks' runs of blocks wrap around. */
static void vectors_of_many_blocks_are_proved(void **state)
{
    static const int rows[] = {NAPCOLL_ALLREDUCE_CIRCULANT, NAPCOLL_ALLREDUCE_LANE,
                               NAPCOLL_ALLREDUCE_RABENSEIFNER};

    (void) state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int size = 2; size <= 96; size += 1 + size / 7) {
            napcoll_node_map_t *map = uniform(1 + size % 4, "block", size);
            const napcoll_params_t params = {
                .tunable = {2}, .local_radix = 2 + size % 3, .segments = 1 + size % 3};

            assert_proved(napcoll_prove_in_rounds, rows[i], map, &params);
            napcoll_node_map_free(map);
        }
    }
}

static void rotation_and_demand_agree(void **state)
{
    (void) state;
    assert_in_range(compare(napcoll_prove_by_rotation, &napcoll_allreduce), 30 / NODES_STRIDE,
                    40 * 4 * napcoll_allreduce.algorithms);
}

static void equal_nodes_are_rotated(void **state)
{
    static const int rows[] = {NAPCOLL_ALLREDUCE_CIRCULANT, NAPCOLL_ALLREDUCE_RING,
                               NAPCOLL_ALLREDUCE_LANE};

    (void) state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int nodes = 2; nodes <= 40; nodes += 1 + nodes / 7) {
            for (int ppn = 1; ppn <= 4; ppn++) {
                const napcoll_params_t params = {
                    .tunable = {2 + nodes % 3}, .local_radix = 2 + nodes % 3, .segments = 1};
                napcoll_node_map_t *map = uniform(ppn, "block", nodes * ppn);

                assert_proved(napcoll_prove_by_rotation, rows[i], map, &params);
                napcoll_node_map_free(map);
            }
        }
    }
}

/* Of a broadcast among two ranks that do nothing, each with the root's buffers. */
static void buffers_of_another_rank_are_found(void **state)
{
    const napcoll_block_range_t roots[NAPCOLL_BUFFER_TEMP] = {{.count = 1}, {.count = 0}};
    const napcoll_params_t params = {.local_radix = 2};
    napcoll_node_map_t *map = uniform(1, "block", 2);
    const napcoll_claim_t claim = claim_of(&napcoll_bcast, NAPCOLL_BCAST_FLAT, map, &params);
    napcoll_plan_t *plans[2];
    napcoll_verdict_t verdict;

    (void) state;
    for (int rank = 0; rank < map->size; rank++) {
        napcoll_builder_t *builder = napcoll_builder_new("bcast", "flat", rank, 1);

        assert_non_null(builder);
        napcoll_builder_layout(builder, NAPCOLL_LAYOUT_VECTOR, false, roots);
        plans[rank] = napcoll_builder_finish(builder);
        assert_non_null(plans[rank]);
    }
    assert_int_not_equal(napcoll_plan_verify(plans, map, &claim, &verdict), NAPCOLL_VERIFY_OK);
    assert_false(napcoll_prove_in_rounds(lend, plans, map, &claim, 1, &verdict));
    napcoll_plan_free(plans[0]);
    napcoll_plan_free(plans[1]);
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_and_demand_agree),
        cmocka_unit_test(nap_is_proved),
        cmocka_unit_test(no_broken_plan_is_proved),
        cmocka_unit_test(vectors_of_many_blocks_are_proved),
        cmocka_unit_test(rotation_and_demand_agree),
        cmocka_unit_test(equal_nodes_are_rotated),
        cmocka_unit_test(buffers_of_another_rank_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
