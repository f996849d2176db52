/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Vectors gathered on all processes and at a root, reduced by halves of the ranks: the plans, and
 * the steps and messages between nodes that they take.
 */

#include "plan_set.h"

#include "algo/pattern/napcoll_lanes.h"
#include "algo/pattern/napcoll_gathered.h"

/* A table of reduce with this algorithm only. */
static const napcoll_algorithm_t reduce_rows[] = {{.name = "gathered",
                                                   .help = "",
                                                   .generate = napcoll_reduce_gathered,
                                                   .bounds = napcoll_reduce_gathered_bounds,
                                                   .canonical = true}};
static const napcoll_collective_t gathered_reduce = {
    .name = "reduce", .goal = NAPCOLL_GOAL_REDUCE, .algorithm = reduce_rows, .algorithms = 1};

static const char *const lists[] = {"1",       "2",   "4",     "7",     "3,2,1",
                                    "5,5,1,4", "1,8", "8,1,1", "16,1,3"};
static const char *const orders[] = {"block", "cyclic", "random:5"};

static void reduces_go_by_halves_at_any_root(void **state)
{
    (void) state;
    for (size_t l = 0; l < sizeof(lists) / sizeof(*lists); l++) {
        for (int size = 1; size <= 60; size += size < 18 ? NODES_STRIDE : 11) {
            napcoll_node_map_t *map = placement(lists[l], orders[(size_t) size % 3], size);

            for (int root = 0; root < size; root += 1 + size / 6) {
                const napcoll_params_t params = {.root = root,
                                                 .in_place = 0 != (root + size) % 2,
                                                 .noncommutative = 0 != size % 2,
                                                 .local_radix = 2 + (root + size) % 4};

                assert_true(prove_plans(&gathered_reduce, 0, map, &params));
            }
            napcoll_node_map_free(map);
        }
    }
}

static void allreduces_go_by_halves_whatever_the_lanes(void **state)
{
    (void) state;
    for (size_t l = 0; l < sizeof(lists) / sizeof(*lists); l++) {
        for (int size = 1; size <= 75; size += size < 18 ? NODES_STRIDE : 19) {
            napcoll_node_map_t *map = placement(lists[l], orders[(size_t) size % 3], size);

            for (int lanes = 0; lanes <= 6; lanes += 1 + lanes / 2) {
                const napcoll_params_t params = {.in_place = 0 != (lanes + size) % 2,
                                                 .noncommutative = true,
                                                 .reproducible = true,
                                                 .local_tree = 0 != size % 2,
                                                 .local_radix = 2 + (lanes + size) % 4,
                                                 .tunable = {lanes}};

                assert_true(
                    prove_plans(&napcoll_allreduce, NAPCOLL_ALLREDUCE_GATHERED, map, &params));
            }
            napcoll_node_map_free(map);
        }
    }
}

static int count_inter_node_sends(napcoll_plan_t *const *plans, const napcoll_node_map_t *map)
{
    int count = 0;

    for (int rank = 0; rank < map->size; rank++) {
        for (int i = 0; i < plans[rank]->steps; i++) {
            const napcoll_step_t *step = &plans[rank]->step[i];

            count += NAPCOLL_STEP_SEND == step->kind
                     && napcoll_node_map_node(map, step->peer) != napcoll_node_map_node(map, rank);
        }
    }
    return count;
}

/* ceil(log_{L + 1} n) steps, one message for each lane. */
static void gathering_everywhere_takes_log_ppn_plus_1_inter_node_steps(void **state)
{
    static const struct {
        int nodes, ppn, steps;
    } cases[] = {{1, 4, 0}, {2, 4, 1},  {5, 4, 1},   {6, 4, 2},   {25, 4, 2},  {26, 4, 3},
                 {9, 8, 1}, {10, 8, 2}, {17, 16, 1}, {18, 16, 2}, {8, 1, 3},   {9, 1, 4},
                 {3, 2, 1}, {4, 2, 2},  {9, 2, 2},   {10, 2, 3},  {100, 1, 7}, {64, 3, 3}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = uniform(cases[c].ppn, "block", cases[c].nodes * cases[c].ppn);
        const napcoll_params_t params = {.local_radix = 4, .local_tree = 0 != c % 2};
        napcoll_plan_t **plans = plans_of(&napcoll_allreduce, NAPCOLL_ALLREDUCE_GATHERED, map,
                                          &params, ONE_SHAPE);
        int most = 0;

        for (int rank = 0; rank < map->size; rank++) {
            const int stages = inter_node_stages(plans[rank], map);

            most = stages > most ? stages : most;
        }
        assert_int_equal(most, cases[c].steps);
        assert_int_equal(napcoll_port_steps(map, napcoll_port_lanes(map, 0)), cases[c].steps);
        assert_int_equal(napcoll_gathered_bounds(map, &params).inter, 1);
        free_plans(plans, map->size);
        napcoll_node_map_free(map);
    }
}

/* Each node's vectors cross the network once, in one message; the processes of the root's node
 * receive equal shares. */
static void gathering_at_the_root_takes_one_message_per_node(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 6; ppn++) {
        for (int nodes = 1; nodes <= 20; nodes += NODES_STRIDE) {
            napcoll_node_map_t *map = uniform(ppn, "block", nodes * ppn);
            const napcoll_params_t params = {.local_radix = 4, .root = nodes * ppn / 2};
            napcoll_plan_t **plans = plans_of(&gathered_reduce, 0, map, &params, ONE_SHAPE);
            const int share = (nodes - 1 + ppn - 1) / ppn;

            assert_int_equal(count_inter_node_sends(plans, map), nodes - 1);
            assert_int_equal(napcoll_reduce_gathered_bounds(map, &params).inter,
                             share > 0 ? share : 1);
            for (int rank = 0; rank < map->size; rank++) {
                assert_true(inter_node_stages(plans[rank], map) <= 1);
            }
            free_plans(plans, map->size);
            napcoll_node_map_free(map);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduces_go_by_halves_at_any_root),
        cmocka_unit_test(allreduces_go_by_halves_whatever_the_lanes),
        cmocka_unit_test(gathering_everywhere_takes_log_ppn_plus_1_inter_node_steps),
        cmocka_unit_test(gathering_at_the_root_takes_one_message_per_node),
    };
    return cmocka_run_group_tests_name("gathered plans", tests, NULL, NULL);
}
