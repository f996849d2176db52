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

/* The longest path of a binomial tree has log2 n messages, or one less unless n is a power of
 * two. */
static void check_tree(int steps_in_tree, int nodes)
{
    const int levels = napcoll_split_levels(nodes, 2);

    assert_true(steps_in_tree == levels
                || (0 != (nodes & (nodes - 1)) && steps_in_tree == levels - 1));
}

static void steps_between_nodes_are_those_of_the_closed_forms(void **state)
{
    (void) state;
    for (int nodes = 2; nodes <= 40; nodes += NODES_STRIDE) {
        const int ppn = 1 + nodes % 5;
        napcoll_node_map_t *map = uniform(ppn, "cyclic", nodes * ppn);
        const napcoll_params_t params = {.root = nodes / 2, .segments = 1, .local_radix = 4};
        napcoll_params_t chain = params;

        assert_int_equal(steps(NAPCOLL_BCAST_FLAT, map, params), 1);
        assert_int_equal(steps(NAPCOLL_BCAST_CHAIN, map, params), nodes - 1);
        check_tree(steps(NAPCOLL_BCAST_TWO_LEVEL, map, params), nodes);
        chain.tunable[0] = NAPCOLL_BCAST_TREE_CHAIN;
        assert_int_equal(steps(NAPCOLL_BCAST_TWO_LEVEL, map, chain), nodes - 1);
        if (ppn > 1) {
            assert_int_equal(steps(NAPCOLL_BCAST_NAP, map, params),
                             napcoll_port_levels(map, napcoll_port_lanes(map, 0)));
        } else {
            check_tree(steps(NAPCOLL_BCAST_BINOMIAL, map, params), nodes);
            chain.segments = 1 + nodes % 7;
            assert_int_equal(steps(NAPCOLL_BCAST_CHAIN, map, chain), nodes - 2 + chain.segments);
        }
        napcoll_node_map_free(map);
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
        cmocka_unit_test(the_mapped_chain_is_free_of_contention),
        cmocka_unit_test(the_chain_in_the_order_of_numbers_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
