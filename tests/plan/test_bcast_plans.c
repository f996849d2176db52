/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All broadcast plans, run by the verifier over many placements, roots, segments and switch trees:
 * sound, free of deadlock under rendezvous, the root's vector everywhere; the steps between nodes,
 * by the closed forms; and the links of a switch tree.
 */

#include "plan_set.h"

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"
#include "algo/pattern/napcoll_lanes.h"
#include "algo/pattern/napcoll_split.h"
#include "plan/napcoll_links.h"

/* Every algorithm, with every value of its choice. */
static void verify_all(const napcoll_node_map_t *map, int root, int segments, int local_radix)
{
    for (int a = 0; a < napcoll_bcast.algorithms; a++) {
        const napcoll_algorithm_t *algorithm = &napcoll_bcast.algorithm[a];
        int choices = 0;

        while (NULL != algorithm->tunable[0].names
               && NULL != algorithm->tunable[0].names[choices]) {
            choices++;
        }
        for (int choice = 0; choice <= choices; choice++) {
            const napcoll_params_t params = {.root = root,
                                             .segments = algorithm->segmented ? segments : 1,
                                             .local_radix = local_radix,
                                             .tunable = {choice, 1 + segments % 3}};

            (void) prove_plans(&napcoll_bcast, a, map, &params);
        }
    }
}

static void bcast_plans_on_uniform_nodes(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 6; ppn++) {
        for (int nodes = 1; nodes <= 17; nodes += NODES_STRIDE) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 2 ? "block" : "cyclic", nodes * ppn);
            verify_all(map, nodes * 7 % map->size, 1, 2 + nodes % 4);
            verify_all(map, 0, 1 + nodes % 5, 8);
            napcoll_node_map_free(map);
        }
    }
}

static void bcast_plans_from_every_root(void **state)
{
    static const char *const lists[] = {"3,2,1", "1,4", "5", "2,3,3"};
    static const char *const orders[] = {"block", "cyclic", "random:5"};

    (void) state;
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        for (size_t j = 0; j < sizeof(orders) / sizeof(*orders); j++) {
            napcoll_node_map_t *map = placement(lists[i], orders[j], 13);

            for (int root = 0; root < map->size; root++) {
                verify_all(map, root, 1 + root % 4, 2 + root % 2);
            }
            napcoll_node_map_free(map);
        }
    }
}

static void bcast_plans_on_many_nodes(void **state)
{
    (void) state;
    for (int nodes = 18; nodes <= 64; nodes += 23 * NODES_STRIDE) {
        for (int ppn = 1; ppn * nodes <= 320; ppn += 15) {
            napcoll_node_map_t *map = uniform(ppn, "random:2", nodes * ppn);
            verify_all(map, map->size / 3, 2, 4);
            napcoll_node_map_free(map);
        }
    }
}

/* Steps between nodes on the longest path. */
static int steps(int row, const napcoll_node_map_t *map, napcoll_params_t params)
{
    return steps_in_a_row(&napcoll_bcast, row, map, &params, NAPCOLL_LEVEL_NETWORK);
}

/* The longest path of a k-nomial tree of some radix has as many messages as levels, or one less
 * unless the nodes fill all levels. */
static void check_tree(int steps_in_tree, int nodes, int radix)
{
    const int levels = napcoll_split_levels(nodes, radix);
    int full = 1;

    for (int i = 0; i < levels; i++) {
        full *= radix;
    }
    assert_true(steps_in_tree == levels || (full != nodes && steps_in_tree == levels - 1));
}

static void steps_between_nodes_are_those_of_the_closed_forms(void **state)
{
    (void) state;
    for (int nodes = 2; nodes <= 40; nodes += NODES_STRIDE) {
        const int ppn = 1 + nodes % 5;
        napcoll_node_map_t *map = uniform(ppn, "cyclic", nodes * ppn);
        const napcoll_params_t params = {.root = nodes / 2, .segments = 1, .local_radix = 4};
        napcoll_params_t chain = params, knomial = params;

        assert_int_equal(steps(NAPCOLL_BCAST_FLAT, map, params), 1);
        assert_int_equal(steps(NAPCOLL_BCAST_CHAIN, map, params), nodes - 1);
        check_tree(steps(NAPCOLL_BCAST_TWO_LEVEL, map, params), nodes, 2);
        knomial.tunable[0] = NAPCOLL_BCAST_TREE_KNOMIAL;
        check_tree(steps(NAPCOLL_BCAST_TWO_LEVEL, map, knomial), nodes, NAPCOLL_BCAST_TREE_RADIX);
        chain.tunable[0] = NAPCOLL_BCAST_TREE_CHAIN;
        assert_int_equal(steps(NAPCOLL_BCAST_TWO_LEVEL, map, chain), nodes - 1);
        if (ppn > 1) {
            assert_int_equal(steps(NAPCOLL_BCAST_NAP, map, params),
                             napcoll_port_levels(map, napcoll_port_lanes(map, 0)));
        } else {
            check_tree(steps(NAPCOLL_BCAST_BINOMIAL, map, params), nodes, 2);
            chain.segments = 1 + nodes % 7;
            assert_int_equal(steps(NAPCOLL_BCAST_CHAIN, map, chain), nodes - 2 + chain.segments);
        }
        napcoll_node_map_free(map);
    }
}

/* Rounds of a broadcast on a circulant graph. */
static int fewest_rounds(int members, int segments)
{
    return segments - 1 + napcoll_split_levels(members, 2);
}

/* The stages of one rank's plan. */
static int stages_of(const napcoll_collective_t *collective, int row, const napcoll_node_map_t *map,
                     int rank, const napcoll_params_t *params)
{
    const napcoll_plan_args_t args = {.collective = collective,
                                      .algorithm = &collective->algorithm[row],
                                      .map = map,
                                      .rank = rank,
                                      .params = *params};
    napcoll_plan_t *plan = args.algorithm->generate(&args);
    int stages;

    assert_non_null(plan);
    stages = plan->stages;
    napcoll_plan_free(plan);
    return stages;
}

/* The root has a message in every round, and no rank has more rounds: for every number of ranks and
 * of segments up to 600 and 64, in both directions. */
static void circulant_plans_have_the_fewest_rounds(void **state)
{
    (void) state;
    for (int size = 2; size <= 600; size += 1 + 10 * (NODES_STRIDE - 1)) {
        napcoll_node_map_t *map = uniform(1, "block", size);
        napcoll_params_t params = {.local_radix = 2, .root = size / 3};

        for (params.segments = 1; params.segments <= 64; params.segments++) {
            const int rounds = fewest_rounds(size, params.segments);
            const int other = (params.root + 1 + size * params.segments % (size - 1)) % size;

            assert_int_equal(
                stages_of(&napcoll_bcast, NAPCOLL_BCAST_CIRCULANT, map, params.root, &params),
                rounds);
            assert_int_equal(
                stages_of(&napcoll_reduce, NAPCOLL_REDUCE_CIRCULANT, map, params.root, &params),
                rounds);
            assert_in_range(stages_of(&napcoll_bcast, NAPCOLL_BCAST_CIRCULANT, map, other, &params),
                            params.segments, rounds);
        }
        napcoll_node_map_free(map);
    }
}

/* ... and none waits for another longer than that. */
static void circulant_plans_take_the_fewest_steps(void **state)
{
    (void) state;
    for (int nodes = 2; nodes <= 600; nodes += nodes < 20 ? NODES_STRIDE : 97) {
        napcoll_node_map_t *flat = uniform(1, "block", nodes);
        napcoll_node_map_t *map = uniform(2 + nodes % 3, "cyclic", nodes * (2 + nodes % 3));
        napcoll_params_t params = {.local_radix = 2, .root = nodes / 2};

        for (params.segments = 1; params.segments <= 64; params.segments += 9) {
            const int rounds = fewest_rounds(nodes, params.segments);

            assert_in_range(steps(NAPCOLL_BCAST_CIRCULANT, flat, params), params.segments, rounds);
            assert_in_range(steps_in_a_row(&napcoll_reduce, NAPCOLL_REDUCE_CIRCULANT, flat, &params,
                                           NAPCOLL_LEVEL_NETWORK),
                            params.segments, rounds);
            if (nodes < 20) {
                assert_in_range(steps(NAPCOLL_BCAST_LANE_CIRCULANT, map, params), params.segments,
                                rounds);
                assert_in_range(steps_in_a_row(&napcoll_reduce, NAPCOLL_REDUCE_LANE_CIRCULANT, map,
                                               &params, NAPCOLL_LEVEL_NETWORK),
                                params.segments, rounds);
            }
        }
        napcoll_node_map_free(flat);
        napcoll_node_map_free(map);
    }
}

/* Whole proofs on more ranks and segments than the other tests have. */
static void circulant_plans_from_every_kind_of_root(void **state)
{
    static const int sizes[] = {31, 32, 33, 97, 256, 600};

    (void) state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        napcoll_node_map_t *map = uniform(1, "block", sizes[i]);
        napcoll_node_map_t *lanes = uniform(4, "random:3", sizes[i]);

        for (int segments = 5; segments <= 64; segments += 59) {
            const napcoll_params_t params = {
                .root = sizes[i] / 2, .segments = segments, .local_radix = 2};

            assert_true(prove_plans(&napcoll_bcast, NAPCOLL_BCAST_CIRCULANT, map, &params));
            assert_true(prove_plans(&napcoll_reduce, NAPCOLL_REDUCE_CIRCULANT, map, &params));
            assert_true(prove_plans(&napcoll_bcast, NAPCOLL_BCAST_LANE_CIRCULANT, lanes, &params));
            assert_true(
                prove_plans(&napcoll_reduce, NAPCOLL_REDUCE_LANE_CIRCULANT, lanes, &params));
        }
        napcoll_node_map_free(map);
        napcoll_node_map_free(lanes);
    }
}

/* A chain of eight nodes over two switches of four, in the order of their numbers or in depth-first
 * order. */
static bool chain_is_free_of_contention(bool mapped, int root)
{
    static const char text[] = "SwitchName=S0 Nodes=n[0,2,4,6]\nSwitchName=S1 Nodes=n[1,3,5,7]\n"
                               "SwitchName=top Switches=S[0-1]\n";
    napcoll_node_map_t *map = placement("2", "cyclic", 16), *plain = placement("2", "cyclic", 16);
    napcoll_generator_t generator = {
        .args = {.collective = &napcoll_bcast,
                 .algorithm = &napcoll_bcast.algorithm[NAPCOLL_BCAST_CHAIN],
                 .map = mapped ? map : plain,
                 .params = {.root = root, .segments = 6}}};
    napcoll_switch_tree_t *tree;
    napcoll_switch_error_t error;
    napcoll_links_t *links;
    int spot[8];
    bool free_of_contention;

    assert_int_equal(napcoll_switch_tree_parse(text, sizeof(text) - 1, &tree, &error), 0);
    for (int node = 0; node < 8; node++) {
        char name[8];
        (void) snprintf(name, sizeof(name), "n%d", node);
        spot[node] = napcoll_switch_tree_find(tree, name);
    }
    assert_int_equal(napcoll_node_map_set_network(map, tree, spot), 0);
    assert_int_equal(napcoll_plan_links(napcoll_generator_plan, &generator, map, &links),
                     NAPCOLL_LINKS_OK);
    free_of_contention = napcoll_links_contention_free(links);
    napcoll_links_free(links);
    napcoll_node_map_free(map);
    napcoll_node_map_free(plain);
    napcoll_switch_tree_free(tree);
    return free_of_contention;
}

static void the_mapped_chain_is_free_of_contention(void **state)
{
    (void) state;
    for (int root = 0; root < 16; root++) {
        assert_true(chain_is_free_of_contention(true, root));
    }
}

static void the_chain_in_the_order_of_numbers_is_not(void **state)
{
    (void) state;
    for (int root = 0; root < 16; root++) {
        assert_false(chain_is_free_of_contention(false, root));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bcast_plans_on_uniform_nodes),
        cmocka_unit_test(bcast_plans_from_every_root),
        cmocka_unit_test(bcast_plans_on_many_nodes),
        cmocka_unit_test(steps_between_nodes_are_those_of_the_closed_forms),
        cmocka_unit_test(circulant_plans_have_the_fewest_rounds),
        cmocka_unit_test(circulant_plans_take_the_fewest_steps),
        cmocka_unit_test(circulant_plans_from_every_kind_of_root),
        cmocka_unit_test(the_mapped_chain_is_free_of_contention),
        cmocka_unit_test(the_chain_in_the_order_of_numbers_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
