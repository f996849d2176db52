/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The shadows of what tuned and basic do, run by the verifier like the algorithms that users are offered: sound, free of
 * deadlock under rendezvous, every contribution once and, where the op asks for it, in order; and the trees as
 * Open MPI draws them.
 */

#include "plan_set.h"

#include "algo/previous/previous.h"

static bool takes_trees(const napcoll_collective_t *shadow, int row)
{
    return 0 == row
           && (&napcoll_previous_allreduce == shadow || &napcoll_previous_reduce == shadow
               || &napcoll_previous_bcast == shadow || &napcoll_previous_barrier == shadow
               || &napcoll_previous_allgather == shadow
               || &napcoll_previous_reduce_scatter == shadow);
}

/* A tree that keeps the order of ranks in a reduce. */
static bool keeps_order(int tree)
{
    return NAPCOLL_PREVIOUS_LINEAR == tree || NAPCOLL_PREVIOUS_IN_ORDER_BINARY == tree;
}

/* Whether a tree begins with rank 0, and its subtrees stand side by side: what a scatter needs. */
static bool scatters(int tree)
{
    return NAPCOLL_PREVIOUS_LINEAR == tree || NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL == tree;
}

/* One shadow with all trees, the second one after them by turns. */
static int prove_trees(const napcoll_collective_t *shadow, const napcoll_node_map_t *map, int root)
{
    const bool scatter = &napcoll_previous_reduce_scatter == shadow;
    const bool reduces = NAPCOLL_GOAL_BCAST != shadow->goal && NAPCOLL_GOAL_BARRIER != shadow->goal;
    int proven = 0;

    for (int tree = 0; tree < NAPCOLL_PREVIOUS_TREES; tree++) {
        for (int turn = 0; turn < (scatter ? NAPCOLL_PREVIOUS_TREES : 3); turn++) {
            const int second = (tree + turn) % NAPCOLL_PREVIOUS_TREES;
            napcoll_params_t params = {.root = root,
                                       .segments = 1,
                                       .local_radix = 2,
                                       .in_place = 1 == turn,
                                       .tunable = {tree, second}};

            /* no broadcast and no barrier goes along the tree whose head is the last rank */
            if ((scatter && !scatters(second))
                || (NAPCOLL_PREVIOUS_IN_ORDER_BINARY == (reduces ? second : tree))
                || (NAPCOLL_GOAL_ALLGATHER == shadow->goal
                    && NAPCOLL_PREVIOUS_IN_ORDER_BINARY == tree)) {
                continue;
            }
            proven += prove_plans(shadow, 0, map, &params);
            if (napcoll_goal_reduces(shadow->goal) && keeps_order(tree)) {
                params.noncommutative = true;
                proven += prove_plans(shadow, 0, map, &params);
            }
        }
    }
    return proven;
}

static void shadows_are_right_for_every_number_of_ranks(void **state)
{
    (void) state;
    for (int size = 2; size <= 35; size++) {
        const napcoll_node_map_t map = napcoll_previous_map(size);

        for (int c = 0; NULL != napcoll_previous_collectives[c]; c++) {
            const napcoll_collective_t *shadow = napcoll_previous_collectives[c];
            const int root = napcoll_goal_is_rooted(shadow->goal) ? size * 5 / 7 : 0;

            for (int row = 0; row < shadow->algorithms; row++) {
                const napcoll_params_t params = {
                    .root = root, .segments = 1, .local_radix = 2, .tunable = {0, 0}};

                if (takes_trees(shadow, row)) {
                    assert_true(prove_trees(shadow, &map, root) >= 4);
                } else if (NAPCOLL_PREVIOUS_ALLGATHER_NEIGHBOR != row || 0 == size % 2
                           || NAPCOLL_GOAL_ALLGATHER != shadow->goal) {
                    assert_true(
                        prove_plans(shadow, row, &map, &params)
                        || 0 != (shadow->algorithm[row].needs & NAPCOLL_NEEDS_POWER_OF_TWO));
                }
            }
        }
    }
}

static void shadows_that_keep_order_do_so(void **state)
{
    const napcoll_params_t noncommutative = {
        .noncommutative = true, .segments = 1, .local_radix = 2};

    (void) state;
    for (int size = 2; size <= 20; size++) {
        const napcoll_node_map_t map = napcoll_previous_map(size);

        assert_true(prove_plans(&napcoll_previous_allreduce,
                                NAPCOLL_PREVIOUS_ALLREDUCE_RECURSIVE_DOUBLING, &map,
                                &noncommutative));
        assert_true(prove_plans(&napcoll_previous_scan, NAPCOLL_PREVIOUS_SCAN_LINEAR, &map,
                                &noncommutative));
        assert_true(prove_plans(&napcoll_previous_exscan, NAPCOLL_PREVIOUS_SCAN_LINEAR, &map,
                                &noncommutative));
    }
}

/* Parent and children agree, and from every position one comes to the head. */
static void trees_are_trees(void **state)
{
    (void) state;
    for (int tree = 0; tree < NAPCOLL_PREVIOUS_TREES; tree++) {
        for (int size = 1; size <= 70; size++) {
            int edges = 0, head = -1;

            for (int v = 0; v < size; v++) {
                const int parent = napcoll_previous_parent((napcoll_previous_tree_t) tree, size, v);
                int child;

                head = parent < 0 ? v : head;
                for (int i = 0;
                     (child = napcoll_previous_child((napcoll_previous_tree_t) tree, size, v, i))
                     >= 0;
                     i++) {
                    assert_in_range(child, 0, size - 1);
                    assert_int_equal(
                        napcoll_previous_parent((napcoll_previous_tree_t) tree, size, child), v);
                    edges++;
                }
            }
            assert_int_equal(edges, size - 1);
            assert_int_equal(head, NAPCOLL_PREVIOUS_IN_ORDER_BINARY == tree ? size - 1 : 0);
        }
    }
}

/* All children of a position, -1 behind the last. */
static void check_children(napcoll_previous_tree_t tree, int size, int position, const int *child)
{
    int i = 0;

    do {
        assert_int_equal(napcoll_previous_child(tree, size, position, i), child[i]);
    } while (child[i++] >= 0);
}

/* The examples in the comments of Open MPI's coll_base_topo.c. */
static void trees_are_those_of_open_mpi(void **state)
{
    (void) state;
    check_children(NAPCOLL_PREVIOUS_BINOMIAL, 8, 0, (int[]){1, 2, 4, -1});
    check_children(NAPCOLL_PREVIOUS_BINOMIAL, 8, 1, (int[]){3, 5, -1});
    check_children(NAPCOLL_PREVIOUS_BINOMIAL, 8, 3, (int[]){7, -1});
    check_children(NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL, 8, 0, (int[]){1, 2, 4, -1});
    check_children(NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL, 8, 4, (int[]){5, 6, -1});
    check_children(NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL, 8, 1, (int[]){-1});
    check_children(NAPCOLL_PREVIOUS_KNOMIAL, 10, 0, (int[]){4, 8, 1, 2, 3, -1});
    check_children(NAPCOLL_PREVIOUS_KNOMIAL, 10, 4, (int[]){5, 6, 7, -1});
    check_children(NAPCOLL_PREVIOUS_KNOMIAL, 10, 8, (int[]){9, -1});
    check_children(NAPCOLL_PREVIOUS_IN_ORDER_BINARY, 9, 8, (int[]){7, 3, -1});
    check_children(NAPCOLL_PREVIOUS_IN_ORDER_BINARY, 9, 7, (int[]){6, 5, -1});
    check_children(NAPCOLL_PREVIOUS_IN_ORDER_BINARY, 9, 3, (int[]){2, 1, -1});
    check_children(NAPCOLL_PREVIOUS_IN_ORDER_BINARY, 9, 5, (int[]){4, -1});
    check_children(NAPCOLL_PREVIOUS_BINARY, 9, 1, (int[]){3, 5, -1});
    check_children(NAPCOLL_PREVIOUS_BINARY, 9, 2, (int[]){4, 6, -1});
    check_children(NAPCOLL_PREVIOUS_CHAINS, 8, 0, (int[]){1, 5, -1});
    check_children(NAPCOLL_PREVIOUS_CHAINS, 8, 4, (int[]){-1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shadows_are_right_for_every_number_of_ranks),
        cmocka_unit_test(shadows_that_keep_order_do_so),
        cmocka_unit_test(trees_are_trees),
        cmocka_unit_test(trees_are_those_of_open_mpi),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
