/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All plans of reduce_scatter and reduce_scatter_block, run by the verifier over many placements:
 * sound, free of deadlock under rendezvous, each contribution once, in order and by halves where
 * claimed, nothing read that the result has overwritten; and their steps, messages, bytes and
 * memory against what the algorithms promise.
 */

#include "algo/pattern/napcoll_halves.h"
#include "algo/pattern/napcoll_spread.h"
#include "algo/napcoll_generators.h"
#include "spread_set.h"

static const napcoll_collective_t *const both[2] = {&napcoll_reduce_scatter,
                                                    &napcoll_reduce_scatter_block};

static void reduce_scatter_plans_exactly_once_on_uniform_nodes(void **state)
{
    (void) state;
    prove_uniform(both);
}

static void reduce_scatter_plans_exactly_once_on_uneven_nodes(void **state)
{
    (void) state;
    prove_uneven(both);
}

static void reduce_scatter_plans_exactly_once_on_larger_nodes(void **state)
{
    (void) state;
    prove_larger(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_LOCALITY, 21, 1);
    prove_larger(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_RECURSIVE_HALVING, 16, 3);
    prove_larger(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_SMP, 21, 4);
    prove_larger(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_LANE_RING, 10, 3);
    prove_larger(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_PAIRWISE, 10, 3);
}

/* Rank order on any placement, and on all of them by the same halves: the row claims both. */
static void pairwise_reduces_in_rank_order_on_any_placement(void **state)
{
    static const char *const lists[] = {"4", "3,2,1", "1,8", "5"};
    static const char *const orders[] = {"block", "cyclic", "random:5"};

    (void) state;
    for (int size = 1; size <= 40; size += NODES_STRIDE) {
        napcoll_node_map_t *map = placement(lists[size % 4], orders[size % 3], size);
        for (int burst = 0; burst <= 12; burst += 3) {
            const napcoll_params_t params = {.in_place = 0 == burst % 2,
                                             .noncommutative = true,
                                             .reproducible = true,
                                             .local_radix = 2,
                                             .tunable = {burst}};
            assert_true(prove_plans(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_PAIRWISE, map,
                                    &params));
        }
        napcoll_node_map_free(map);
    }
}

static void pairwise_keeps_few_blocks(void **state)
{
    (void) state;
    for (int size = 2; size <= 200; size += size < 20 ? NODES_STRIDE : 37) {
        for (int burst = 1; burst <= 16; burst *= 2) {
            const napcoll_params_t params = {.local_radix = 2, .tunable = {burst}};
            napcoll_node_map_t *map = placement("1", "block", size);
            napcoll_plan_t **plans = plans_of(
                &napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_PAIRWISE, map, &params, ONE_SHAPE);
            for (int rank = 0; rank < size; rank++) {
                assert_true(plans[rank]->temps <= burst + 2 * napcoll_halves_depth(size) + 1);
                assert_true(plans[rank]->temps <= size);
            }
            free_plans(plans, size);
            napcoll_node_map_free(map);
        }
    }
}

static void locality_follows_the_hardware(void **state)
{
    (void) state;
    prove_by_hardware(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_LOCALITY);
}

static void locality_needs_log_lanes_inter_node_steps(void **state)
{
    (void) state;
    prove_steps(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_LOCALITY);
}

static void locality_needs_the_fewest_messages_by_a_tree(void **state)
{
    (void) state;
    prove_fewest_messages(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_LOCALITY);
}

static void node_aware_reduce_scatters_move_each_block_once(void **state)
{
    (void) state;
    prove_each_block_once(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_LOCALITY);
    prove_each_block_once(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_LANE_RING);
}

static void reduce_scatter_steps_are_as_promised(void **state)
{
    static const struct {
        int nodes, ppn, burst;
    } cases[] = {{1, 1, 2}, {4, 4, 2}, {3, 5, 20}, {7, 3, 4}, {8, 4, 5}, {2, 1, 1}, {16, 2, 16}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        const int nodes = cases[c].nodes, size = nodes * cases[c].ppn, burst = cases[c].burst;
        const napcoll_collective_t *collective = both[c % 2];
        const napcoll_params_t params = {.local_radix = 4, .tunable = {burst}};
        napcoll_node_map_t *map = uniform(cases[c].ppn, "block", size);
        assert_int_equal(busiest(collective, NAPCOLL_REDUCE_SCATTER_PAIRWISE, map, &params).stages,
                         (size - 1 + burst - 1) / burst);
        assert_int_equal(
            busiest(collective, NAPCOLL_REDUCE_SCATTER_LANE_RING, map, &params).inter_stages,
            nodes - 1);
        if (0 == (size & (size - 1))) {
            assert_int_equal(
                busiest(collective, NAPCOLL_REDUCE_SCATTER_RECURSIVE_HALVING, map, &params).stages,
                log_ceil(size, 2));
        }
        napcoll_node_map_free(map);
    }
}

/* For large blocks the input stays where it is: only the result is copied. */
static void lane_ring_copies_nothing_but_the_result(void **state)
{
    static const char *const orders[] = {"block", "cyclic"};

    (void) state;
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
        const napcoll_params_t params = {.local_radix = 4};
        napcoll_node_map_t *map = placement("3,5,2", orders[i], 20);
        assert_int_equal(
            busiest(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_LANE_RING, map, &params).copied,
            1);
        napcoll_node_map_free(map);
    }
}

/* Where blocks are in node order their values are reduced in place. */
static void locality_copies_nothing_but_the_result(void **state)
{
    const napcoll_params_t params = {.local_radix = 8, .tunable = {7}};
    napcoll_node_map_t *map = placement("8", "block", 64);

    (void) state;
    assert_int_equal(
        busiest(&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_LOCALITY, map, &params).copied, 1);
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduce_scatter_plans_exactly_once_on_uniform_nodes),
        cmocka_unit_test(reduce_scatter_plans_exactly_once_on_uneven_nodes),
        cmocka_unit_test(reduce_scatter_plans_exactly_once_on_larger_nodes),
        cmocka_unit_test(pairwise_reduces_in_rank_order_on_any_placement),
        cmocka_unit_test(pairwise_keeps_few_blocks),
        cmocka_unit_test(locality_follows_the_hardware),
        cmocka_unit_test(locality_needs_log_lanes_inter_node_steps),
        cmocka_unit_test(locality_needs_the_fewest_messages_by_a_tree),
        cmocka_unit_test(node_aware_reduce_scatters_move_each_block_once),
        cmocka_unit_test(reduce_scatter_steps_are_as_promised),
        cmocka_unit_test(lane_ring_copies_nothing_but_the_result),
        cmocka_unit_test(locality_copies_nothing_but_the_result),
    };
    return cmocka_run_group_tests_name("reduce_scatter plans", tests, NULL, NULL);
}
