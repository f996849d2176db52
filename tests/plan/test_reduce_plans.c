/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All reduce plans, run by the verifier over many placements and roots: sound, free of deadlock
 * under rendezvous, each contribution once at the root, in order where asked, by halves where
 * claimed; and the steps between nodes that nap needs.
 */

#include "plan_set.h"

#include "algo/pattern/napcoll_lanes.h"
#include "algo/pattern/napcoll_split.h"
#include "algo/napcoll_generators.h"

enum { VARIANTS = 8 };

/* All algorithms on one map, in one variant of order, place and segments. */
static void verify_variant(const napcoll_node_map_t *map, int root, int variant, int local_radix,
                           int tunable)
{
    for (int a = 0; a < napcoll_reduce.algorithms; a++) {
        napcoll_params_t params = {.root = root,
                                   .in_place = 0 != (variant & 1),
                                   .noncommutative = 0 != (variant & 2),
                                   .local_tree = 0 != (variant & 4),
                                   .segments = 1 + (variant + map->nodes) % 3,
                                   .local_radix = local_radix,
                                   .tunable = {tunable}};

        (void) prove_plans(&napcoll_reduce, a, map, &params);
    }
}

/* One of three roots that are on different nodes and lanes. */
static int some_root(const napcoll_node_map_t *map, int number)
{
    const int roots[] = {0, map->size - 1, (2 * map->size / 5 + number) % map->size};

    return roots[number % 3];
}

static void reduce_plans_exactly_once_on_uniform_nodes(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 8; ppn++) {
        for (int nodes = 1; nodes <= 20; nodes += NODES_STRIDE) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 3 ? "block" : "cyclic", nodes * ppn);
            for (int variant = 0; variant < VARIANTS; variant++) {
                verify_variant(map, some_root(map, nodes + variant), variant, 2 + nodes % 4, 0);
            }
            napcoll_node_map_free(map);
        }
    }
}

static void reduce_plans_exactly_once_at_every_root(void **state)
{
    static const struct {
        const char *list, *order;
        int size;
    } cases[] = {{"1", "block", 13},   {"1", "block", 16},     {"4", "block", 28},
                 {"5", "cyclic", 20},  {"3,2,1", "block", 23}, {"7,1,4", "random:5", 24},
                 {"1,6", "block", 21}, {"9", "block", 9}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = placement(cases[c].list, cases[c].order, cases[c].size);
        for (int root = 0; root < map->size; root++) {
            verify_variant(map, root, 2 + root % 2, 2 + root % 3, 0);
            verify_variant(map, root, root % 2, 2 + root % 3, 2 + root % 4);
        }
        napcoll_node_map_free(map);
    }
}

static void reduce_plans_exactly_once_where_the_hardware_has_another_order(void **state)
{
    (void) state;
    for (int node = 0; node < 5; node++) {
        napcoll_node_map_t *map = placement("7,4,5", "block", 28);
        shuffle_hardware(map, node);
        for (int root = 0; root < map->size; root++) {
            verify_variant(map, root, root % VARIANTS, 2 + root % 3, root % 5);
        }
        napcoll_node_map_free(map);
    }
}

static void reduce_plans_exactly_once_on_uneven_nodes(void **state)
{
    (void) state;
    for (int l = 0; l < UNEVEN_LISTS; l++) {
        for (int size = 2; size <= 64; size += size < 12 ? NODES_STRIDE : 13) {
            for (int o = 0; o < UNEVEN_ORDERS; o++) {
                napcoll_node_map_t *map = placement(uneven_lists[l], uneven_orders[o], size);
                for (int lanes = 0; lanes <= 7; lanes += lanes < 4 ? 1 : 3) {
                    verify_variant(map, some_root(map, size + lanes), (size + lanes) % VARIANTS,
                                   2 + (size + lanes) % 5, lanes);
                }
                napcoll_node_map_free(map);
            }
        }
    }
}

static void reduce_plans_exactly_once_on_many_nodes(void **state)
{
    static const int nodes[] = {33, 64, 100, 257, 600};

    (void) state;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
        napcoll_node_map_t *map = placement("16", "block", 16 * nodes[i]);
        const int root = some_root(map, (int) i);
        for (int a = 0; a < napcoll_reduce.algorithms; a++) {
            napcoll_params_t params = {
                .root = root, .noncommutative = 0 != i % 2, .local_radix = 8};
            if (map->size < 2000 || a < NAPCOLL_REDUCE_RABENSEIFNER) { /* blocks cost memory */
                (void) prove_plans(&napcoll_reduce, a, map, &params);
            }
        }
        napcoll_node_map_free(map);
    }
}

static void nap_plan_one_message_per_process_and_level(void **state)
{
    static const int ppns[] = {2, 3, 4, 5, 8, 16};

    (void) state;
    for (size_t i = 0; i < sizeof(ppns) / sizeof(*ppns); i++) {
        for (int nodes = 2; nodes <= 300; nodes += nodes < 40 ? 1 : 57) {
            napcoll_node_map_t *map = uniform(ppns[i], "block", nodes * ppns[i]);
            napcoll_params_t params = {
                .noncommutative = true, .local_radix = 4, .root = map->size / 3};
            assert_int_equal(napcoll_reduce_nap_bounds(map, &params).inter, 1);
            assert_true(prove_plans(&napcoll_reduce, NAPCOLL_REDUCE_NAP, map, &params));
            napcoll_node_map_free(map);
        }
    }
}

static void nap_plan_needs_log_ppn_plus_1_inter_node_steps(void **state)
{
    static const struct {
        int nodes, ppn, steps;
    } cases[] = {{9, 8, 1},   {10, 8, 2},  {25, 4, 2},   {26, 4, 3},   {10, 4, 2},
                 {17, 16, 1}, {18, 16, 2}, {289, 16, 2}, {290, 16, 3}, {9, 2, 2}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = uniform(cases[c].ppn, "block", cases[c].nodes * cases[c].ppn);
        for (int root = 0; root < map->size; root += 1 + map->size / 5) {
            napcoll_params_t params = {.local_radix = 4, .root = root};
            assert_int_equal(steps_in_a_row(&napcoll_reduce, NAPCOLL_REDUCE_NAP, map, &params,
                                            NAPCOLL_LEVEL_NETWORK),
                             cases[c].steps);
            assert_int_equal(napcoll_port_steps(map, napcoll_port_lanes(map, 0)), cases[c].steps);
        }
        napcoll_node_map_free(map);
    }
}

/* Also with a given number of lanes; and the same number of local reduces, each a tree. */
static void nap_plan_steps_are_those_of_the_closed_form(void **state)
{
    (void) state;
    for (int nodes = 2; nodes <= 60; nodes += NODES_STRIDE) {
        napcoll_node_map_t *map = placement("6", "block", nodes * 6);
        for (int lanes = 1; lanes <= 6; lanes++) {
            napcoll_params_t params = {.local_radix = 6, .root = nodes, .tunable = {lanes}};
            const int steps = napcoll_port_steps(map, napcoll_port_lanes(map, lanes));
            assert_int_equal(steps_in_a_row(&napcoll_reduce, NAPCOLL_REDUCE_NAP, map, &params,
                                            NAPCOLL_LEVEL_NETWORK),
                             steps);
            assert_in_range(steps_in_a_row(&napcoll_reduce, NAPCOLL_REDUCE_NAP, map, &params,
                                           NAPCOLL_LEVEL_NODE),
                            1, 1 + steps);
        }
        napcoll_node_map_free(map);
    }
}

static void ports_are_as_few_as_the_steps_allow(void **state)
{
    static const struct {
        const char *list;
        int size, wanted, lanes;
    } cases[] = {{"4", 40, 0, 3},  {"16", 1024, 0, 7}, {"8", 72, 0, 8},
                 {"2", 18, 0, 2},  {"1", 9, 0, 1},     {"4", 40, 4, 4},
                 {"4", 40, 99, 9}, {"8", 8, 0, 1},     {"4,1", 15, 0, 1}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = placement(cases[c].list, "block", cases[c].size);
        assert_int_equal(napcoll_port_lanes(map, cases[c].wanted), cases[c].lanes);
        napcoll_node_map_free(map);
    }
}

/* A tree: every rank except the root sends once, in at most ceil(log2 P) steps, for any root. */
static void binomial_needs_log2_steps_for_any_root(void **state)
{
    (void) state;
    for (int size = 2; size <= 40; size += NODES_STRIDE) {
        napcoll_node_map_t *map = placement("1", "block", size);
        for (int root = 0; root < size; root++) {
            napcoll_params_t params = {.local_radix = 2, .root = root};
            napcoll_plan_t **plans = plans_of(&napcoll_reduce, NAPCOLL_REDUCE_BINOMIAL, map,
                                              &params, ONE_SHAPE);
            int sends = 0;
            for (int rank = 0; rank < size; rank++) {
                assert_true(inter_node_stages(plans[rank], map) <= napcoll_split_levels(size, 2));
                for (int i = 0; i < plans[rank]->steps; i++) {
                    sends += NAPCOLL_STEP_SEND == plans[rank]->step[i].kind;
                }
            }
            assert_int_equal(sends, size - 1);
            assert_int_equal(steps_in_a_row(&napcoll_reduce, NAPCOLL_REDUCE_BINOMIAL, map, &params,
                                            NAPCOLL_LEVEL_NETWORK),
                             napcoll_split_levels(size, 2));
            assert_int_equal(plans[root]->user[NAPCOLL_BUFFER_RECV].count, 1);
            assert_int_equal(plans[(root + 1) % size]->user[NAPCOLL_BUFFER_RECV].count, 0);
            free_plans(plans, size);
        }
        napcoll_node_map_free(map);
    }
}

static void smp_and_nap_send_one_message_per_node(void **state)
{
    static const int rows[] = {NAPCOLL_REDUCE_SMP, NAPCOLL_REDUCE_NAP};
    napcoll_node_map_t *map = placement("5,3,4", "cyclic", 60);

    (void) state;
    for (int root = 0; root < map->size; root++) {
        for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
            napcoll_params_t params = {.local_radix = 2, .root = root};
            napcoll_plan_t **plans = plans_of(&napcoll_reduce, rows[r], map, &params, ONE_SHAPE);
            int sends = 0;
            for (int rank = 0; rank < map->size; rank++) {
                for (int i = 0; i < plans[rank]->steps; i++) {
                    const napcoll_step_t *step = &plans[rank]->step[i];
                    sends += NAPCOLL_STEP_SEND == step->kind
                             && napcoll_node_map_node(map, rank)
                                    != napcoll_node_map_node(map, step->peer);
                }
            }
            assert_int_equal(sends, map->nodes - 1);
            free_plans(plans, map->size);
        }
    }
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduce_plans_exactly_once_on_uniform_nodes),
        cmocka_unit_test(reduce_plans_exactly_once_at_every_root),
        cmocka_unit_test(reduce_plans_exactly_once_where_the_hardware_has_another_order),
        cmocka_unit_test(reduce_plans_exactly_once_on_uneven_nodes),
        cmocka_unit_test(reduce_plans_exactly_once_on_many_nodes),
        cmocka_unit_test(nap_plan_one_message_per_process_and_level),
        cmocka_unit_test(nap_plan_needs_log_ppn_plus_1_inter_node_steps),
        cmocka_unit_test(nap_plan_steps_are_those_of_the_closed_form),
        cmocka_unit_test(ports_are_as_few_as_the_steps_allow),
        cmocka_unit_test(binomial_needs_log2_steps_for_any_root),
        cmocka_unit_test(smp_and_nap_send_one_message_per_node),
    };
    return cmocka_run_group_tests_name("reduce plans", tests, NULL, NULL);
}
