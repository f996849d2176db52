/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The depth-first order from a root: its order, its two directions, and the links between
 * neighbours.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include "topo/napcoll_dfs_order.h"

/* A map whose node i is called n<i> in the tree of a text; both are to be freed. */
static napcoll_node_map_t *map_in(const char *text, const char *ppn, const char *order, int size,
                                  napcoll_switch_tree_t **tree)
{
    napcoll_node_map_t *map = placement(ppn, order, size);
    int *spot = calloc((size_t) map->nodes, sizeof(*spot));
    napcoll_switch_error_t error;

    assert_non_null(spot);
    assert_int_equal(napcoll_switch_tree_parse(text, strlen(text), tree, &error), 0);
    for (int node = 0; node < map->nodes; node++) {
        char name[16];
        (void) snprintf(name, sizeof(name), "n%d", node);
        spot[node] = napcoll_switch_tree_find(*tree, name);
        assert_true(spot[node] >= 0);
    }
    assert_int_equal(napcoll_node_map_set_network(map, *tree, spot), 0);
    free(spot);
    return map;
}

/* The nodes of the depth-first order from a rank, "5 3 4 ". */
static const char *nodes_from(const napcoll_node_map_t *map, int root)
{
    static char text[512];
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(map, root);

    text[0] = '\0';
    for (int place = 0; place < map->nodes; place++) {
        const size_t used = strlen(text);
        (void) snprintf(text + used, sizeof(text) - used, "%d ",
                        napcoll_dfs_order_node(&dfs, place));
    }
    return text;
}

static const char two_switches[] =
    "SwitchName=S0 Nodes=n[0,2,4,6]\nSwitchName=S1 Nodes=n[1,3,5,7]\n"
    "SwitchName=top Switches=S[0-1]\n";

/* "MPI: Going further", "contention free linear pattern". */
static void the_seeds_order_comes_out(void **state)
{
    static const char text[] = "SwitchName=a Nodes=n[0-1,8-9,16-17,24-25]\n"
                               "SwitchName=b Nodes=n[2-3,10-11,18-19,26-27]\n"
                               "SwitchName=c Nodes=n[4-5,12-13,20-21,28-29]\n"
                               "SwitchName=d Nodes=n[6-7,14-15,22-23,30-31]\n"
                               "SwitchName=top Switches=a,b,c,d\n";
    napcoll_switch_tree_t *tree;
    napcoll_node_map_t *map = map_in(text, "1", "block", 32, &tree);

    (void) state;
    assert_string_equal(nodes_from(map, 0),
                        "0 1 8 9 16 17 24 25 2 3 10 11 18 19 26 27 4 5 12 13 20 21 28 29 6 7 14 15 "
                        "22 23 30 31 ");
    napcoll_node_map_free(map);
    napcoll_switch_tree_free(tree);
}

static void the_roots_switch_comes_first(void **state)
{
    napcoll_switch_tree_t *tree;
    napcoll_node_map_t *map = map_in(two_switches, "1", "block", 8, &tree);

    (void) state;
    assert_string_equal(nodes_from(map, 0), "0 2 4 6 1 3 5 7 ");
    assert_string_equal(nodes_from(map, 5), "5 7 1 3 0 2 4 6 ");
    napcoll_node_map_free(map);
    napcoll_switch_tree_free(tree);
}

static void deeper_trees_are_walked_upwards(void **state)
{
    static const char text[] = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\n"
                               "SwitchName=c Nodes=n[4-5]\nSwitchName=d Nodes=n[6-7]\n"
                               "SwitchName=x Switches=a,b Nodes=n8\nSwitchName=y Switches=c,d\n"
                               "SwitchName=top Switches=x,y\n";
    napcoll_switch_tree_t *tree;
    napcoll_node_map_t *map = map_in(text, "1", "block", 9, &tree);

    (void) state;
    assert_string_equal(nodes_from(map, 3), "3 2 8 0 1 4 5 6 7 ");
    assert_string_equal(nodes_from(map, 8), "8 0 1 2 3 4 5 6 7 ");
    assert_string_equal(nodes_from(map, 6), "6 7 4 5 8 0 1 2 3 ");
    napcoll_node_map_free(map);
    napcoll_switch_tree_free(tree);
}

static void without_a_tree_nodes_follow_the_root_in_their_order(void **state)
{
    const int spot[] = {30, 10, 40, 20};
    napcoll_node_map_t *map = placement("2", "block", 8);

    (void) state;
    assert_string_equal(nodes_from(map, 4), "2 3 0 1 ");
    assert_int_equal(napcoll_node_map_set_network(map, NULL, spot), 0);
    assert_string_equal(nodes_from(map, 7), "3 0 2 1 ");
    assert_int_equal(napcoll_node_map_set_network(map, NULL, NULL), 0);
    assert_string_equal(nodes_from(map, 0), "0 1 2 3 ");
    napcoll_node_map_free(map);
}

/* Ranks and their places are two sides of one thing; nodes stay together, the root comes first. */
static void check_ranks(const napcoll_node_map_t *map)
{
    for (int root = 0; root < map->size; root++) {
        const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(map, root);

        assert_int_equal(napcoll_dfs_order_rank(&dfs, 0), root);
        for (int place = 0; place < map->size; place++) {
            const int rank = napcoll_dfs_order_rank(&dfs, place);
            const int node = napcoll_node_map_node(map, rank);

            assert_int_equal(napcoll_dfs_order_rank_place(&dfs, rank), place);
            assert_int_equal(
                napcoll_dfs_order_member(&dfs, node, napcoll_dfs_order_index(&dfs, rank)), rank);
            assert_int_equal(napcoll_dfs_order_node(&dfs, napcoll_dfs_order_place(&dfs, node)),
                             node);
            if (place > 0 && 0 != napcoll_dfs_order_index(&dfs, rank)) {
                assert_int_equal(
                    napcoll_node_map_node(map, napcoll_dfs_order_rank(&dfs, place - 1)), node);
            }
        }
    }
}

static void ranks_and_places_are_inverse(void **state)
{
    static const char *const lists[] = {"3", "3,1,2"};
    static const char *const orders[] = {"block", "cyclic", "random:4"};

    (void) state;
    for (int i = 0; i < 6; i++) {
        /* On 8 nodes */
        const int size = 0 == i / 3 ? 24 : 16;
        napcoll_switch_tree_t *tree;
        napcoll_node_map_t *map = map_in(two_switches, lists[i / 3], orders[i % 3], size, &tree);

        assert_true(map->nodes <= 8);
        check_ranks(map);
        assert_int_equal(napcoll_node_map_set_network(map, NULL, NULL), 0);
        check_ranks(map);
        napcoll_node_map_free(map);
        napcoll_switch_tree_free(tree);
    }
}

static void maps_in_different_networks_have_different_fingerprints(void **state)
{
    napcoll_switch_tree_t *tree;
    napcoll_node_map_t *map = map_in(two_switches, "1", "block", 8, &tree);
    const uint64_t with = napcoll_node_map_fingerprint(map);

    (void) state;
    assert_int_equal(napcoll_node_map_set_network(map, NULL, NULL), 0);
    assert_true(with != napcoll_node_map_fingerprint(map));
    napcoll_node_map_free(map);
    napcoll_switch_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_seeds_order_comes_out),
        cmocka_unit_test(the_roots_switch_comes_first),
        cmocka_unit_test(deeper_trees_are_walked_upwards),
        cmocka_unit_test(without_a_tree_nodes_follow_the_root_in_their_order),
        cmocka_unit_test(ranks_and_places_are_inverse),
        cmocka_unit_test(maps_in_different_networks_have_different_fingerprints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
