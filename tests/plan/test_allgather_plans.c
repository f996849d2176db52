/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All plans of allgather and allgatherv, run by the verifier over many placements: sound, free of
 * deadlock under rendezvous, every rank's block in its place; and their steps, messages and bytes
 * against what the algorithms promise.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_spread.h"
#include "spread_set.h"

static const napcoll_collective_t *const both[2] = {&napcoll_allgather, &napcoll_allgatherv};

static void allgather_plans_bring_every_block_on_uniform_nodes(void **state)
{
    (void) state;
    prove_uniform(both);
}

static void allgather_plans_bring_every_block_on_uneven_nodes(void **state)
{
    (void) state;
    prove_uneven(both);
}

static void allgather_plans_bring_every_block_on_larger_nodes(void **state)
{
    (void) state;
    prove_larger(&napcoll_allgatherv, NAPCOLL_ALLGATHER_LOCALITY_BRUCK, 21, 1);
    prove_larger(&napcoll_allgather, NAPCOLL_ALLGATHER_BRUCK, 21, 4);
    prove_larger(&napcoll_allgatherv, NAPCOLL_ALLGATHER_SMP, 21, 4);
    prove_larger(&napcoll_allgather, NAPCOLL_ALLGATHER_RECURSIVE_DOUBLING, 16, 3);
    prove_larger(&napcoll_allgatherv, NAPCOLL_ALLGATHER_LANE_RING, 10, 3);
}

static void local_trees_follow_the_hardware(void **state)
{
    (void) state;
    prove_by_hardware(&napcoll_allgather, NAPCOLL_ALLGATHER_LOCALITY_BRUCK);
    prove_by_hardware(&napcoll_allgatherv, NAPCOLL_ALLGATHER_SMP);
}

static void locality_bruck_needs_log_lanes_inter_node_steps(void **state)
{
    (void) state;
    prove_steps(&napcoll_allgather, NAPCOLL_ALLGATHER_LOCALITY_BRUCK);
}

static void locality_bruck_needs_the_fewest_messages_by_a_tree(void **state)
{
    (void) state;
    prove_fewest_messages(&napcoll_allgather, NAPCOLL_ALLGATHER_LOCALITY_BRUCK);
}

static void node_aware_allgathers_move_each_block_once(void **state)
{
    (void) state;
    prove_each_block_once(&napcoll_allgather, NAPCOLL_ALLGATHER_LOCALITY_BRUCK);
    prove_each_block_once(&napcoll_allgatherv, NAPCOLL_ALLGATHER_LANE_RING);
}

/* The steps of the other algorithms, by their formulas. */
static void allgather_steps_are_as_promised(void **state)
{
    static const struct {
        int nodes, ppn, radix;
    } cases[] = {{1, 1, 2}, {4, 4, 2}, {3, 5, 2}, {7, 3, 4}, {8, 4, 3}, {2, 1, 2}, {16, 2, 16}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        const int nodes = cases[c].nodes, size = nodes * cases[c].ppn, radix = cases[c].radix;
        const napcoll_params_t params = {.local_radix = 4, .tunable = {radix}};
        napcoll_node_map_t *map = uniform(cases[c].ppn, "block", size);
        assert_int_equal(busiest(&napcoll_allgather, NAPCOLL_ALLGATHER_RING, map, &params).stages,
                         size - 1);
        assert_int_equal(busiest(&napcoll_allgather, NAPCOLL_ALLGATHER_BRUCK, map, &params).stages,
                         log_ceil(size, radix));
        assert_int_equal(
            busiest(&napcoll_allgather, NAPCOLL_ALLGATHER_LANE_RING, map, &params).inter_stages,
            nodes - 1);
        assert_int_equal(
            busiest(&napcoll_allgather, NAPCOLL_ALLGATHER_SMP, map, &params).inter_stages,
            log_ceil(nodes, radix));
        if (0 == (size & (size - 1))) {
            assert_int_equal(
                busiest(&napcoll_allgather, NAPCOLL_ALLGATHER_RECURSIVE_DOUBLING, map, &params)
                    .stages,
                log_ceil(size, 2));
        }
        napcoll_node_map_free(map);
    }
}

/* The rings are for large blocks: they copy only the own block, and in place nothing. */
static void rings_copy_nothing_but_the_own_block(void **state)
{
    static const int rings[] = {NAPCOLL_ALLGATHER_RING, NAPCOLL_ALLGATHER_LANE_RING};
    napcoll_node_map_t *map = placement("3,5,2", "cyclic", 20);

    (void) state;
    for (size_t i = 0; i < sizeof(rings) / sizeof(*rings); i++) {
        napcoll_params_t params = {.local_radix = 4};
        assert_int_equal(busiest(&napcoll_allgatherv, rings[i], map, &params).copied, 1);
        params.in_place = true;
        assert_int_equal(busiest(&napcoll_allgatherv, rings[i], map, &params).copied, 0);
    }
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allgather_plans_bring_every_block_on_uniform_nodes),
        cmocka_unit_test(allgather_plans_bring_every_block_on_uneven_nodes),
        cmocka_unit_test(allgather_plans_bring_every_block_on_larger_nodes),
        cmocka_unit_test(local_trees_follow_the_hardware),
        cmocka_unit_test(locality_bruck_needs_log_lanes_inter_node_steps),
        cmocka_unit_test(locality_bruck_needs_the_fewest_messages_by_a_tree),
        cmocka_unit_test(node_aware_allgathers_move_each_block_once),
        cmocka_unit_test(allgather_steps_are_as_promised),
        cmocka_unit_test(rings_copy_nothing_but_the_own_block),
    };
    return cmocka_run_group_tests_name("allgather plans", tests, NULL, NULL);
}
