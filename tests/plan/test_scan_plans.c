/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All plans of the inclusive and the exclusive scan, run by the verifier over many placements;
 * their steps between nodes; and what being in place must not change.
 */

#include "plan_set.h"

#include "algo/pattern/napcoll_lanes.h"
#include "algo/pattern/napcoll_split.h"
#include "algo/napcoll_generators.h"

/* With P vectors per process, gathered plans are checked on small communicators only. */
enum { VARIANTS = 4, MOST_GATHERED = 48 };

static const napcoll_collective_t *const scans[] = {&napcoll_scan, &napcoll_exscan};

/* Both scans by all algorithms on one map, in one variant. */
static void verify_variant(const napcoll_node_map_t *map, int variant, int local_radix, int lanes)
{
    for (size_t s = 0; s < sizeof(scans) / sizeof(*scans); s++) {
        for (int a = 0; a < NAPCOLL_SCAN_ALGORITHMS; a++) {
            napcoll_params_t params = {.in_place = 0 != (variant & 1),
                                       .noncommutative = 0 != (variant + map->nodes) % 4,
                                       .local_tree = 0 != (variant & 2),
                                       .local_radix = local_radix,
                                       .tunable = {lanes}};

            if (NAPCOLL_SCAN_GATHERED != a || map->size <= MOST_GATHERED) {
                (void) prove_plans(scans[s], a, map, &params);
            }
        }
    }
}

static void verify_all(const napcoll_node_map_t *map, int local_radix, int lanes)
{
    for (int variant = 0; variant < VARIANTS; variant++) {
        verify_variant(map, variant, local_radix, lanes);
    }
}

static void scan_plans_exactly_once_on_uniform_nodes(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 9; ppn++) {
        for (int nodes = 1; nodes <= 20; nodes += NODES_STRIDE) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 4 ? "block" : "cyclic", nodes * ppn);

            verify_all(map, 2 + nodes % 4, 0);
            napcoll_node_map_free(map);
        }
    }
}

/* With the defaults, and with one of the variants in turn. */
static void scan_plans_exactly_once_on_up_to_64_nodes_by_16(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 16; ppn++) {
        for (int nodes = 1; nodes <= 64; nodes += nodes < 18 ? 1 + ppn / 4 : 23) {
            napcoll_node_map_t *map = uniform(ppn, "block", nodes * ppn);

            verify_variant(map, 0, 8, 0);
            verify_variant(map, (nodes + 5 * ppn) % VARIANTS, 2 + (nodes + ppn) % 7, 0);
            napcoll_node_map_free(map);
        }
    }
}

static void scan_plans_exactly_once_on_uneven_nodes(void **state)
{
    static const char *const lists[] = {"3,2,1",   "5,5,1,4", "1,8",       "8,1,1", "2,3",
                                        "7,7,7,6", "4,4,1",   "16,1,3,16", "1,1,2", "9,2,5,5,1,3"};
    static const char *const orders[] = {"block", "block", "random:1", "cyclic"};

    (void) state;
    for (size_t l = 0; l < sizeof(lists) / sizeof(*lists); l++) {
        for (int size = 2; size <= 64; size += size < 12 ? 1 + (int) l % 3 : 17) {
            for (size_t o = 0; o < sizeof(orders) / sizeof(*orders); o += 1 + (size_t) size % 2) {
                napcoll_node_map_t *map = placement(lists[l], orders[o], size);

                for (int lanes = 0; lanes <= 7; lanes += lanes < 2 ? 1 : 2 + size % 3) {
                    verify_all(map, 2 + (size + lanes) % 5, lanes);
                }
                napcoll_node_map_free(map);
            }
        }
    }
}

/* The most inter-node stages of any rank's plan. */
static int most_inter_node_stages(const napcoll_collective_t *scan, int row,
                                  const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    napcoll_plan_t **plans = plans_of(scan, row, map, params, ONE_SHAPE);
    int most = 0;

    for (int rank = 0; rank < map->size; rank++) {
        const int stages = inter_node_stages(plans[rank], map);

        most = stages > most ? stages : most;
    }
    free_plans(plans, map->size);
    return most;
}

static void nap_scan_needs_log_ppn_plus_1_inter_node_steps(void **state)
{
    static const struct {
        int nodes, ppn, steps;
    } cases[] = {{1, 4, 0},   {2, 4, 1},   {5, 4, 1},    {6, 4, 2},    {25, 4, 2}, {26, 4, 3},
                 {9, 8, 1},   {10, 8, 2},  {17, 16, 1},  {18, 16, 2},  {81, 8, 2}, {82, 8, 3},
                 {125, 4, 3}, {126, 4, 4}, {289, 16, 2}, {290, 16, 3}, {27, 2, 3}, {28, 2, 4}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = uniform(cases[c].ppn, "block", cases[c].nodes * cases[c].ppn);

        for (int variant = 0; variant < 4; variant++) {
            const napcoll_params_t params = {.local_radix = 4, .local_tree = 0 != (variant & 2)};

            assert_int_equal(
                most_inter_node_stages(scans[variant & 1], NAPCOLL_SCAN_NAP, map, &params),
                cases[c].steps);
            assert_int_equal(napcoll_scan_nap_bounds(map, &params).inter, 1);
        }
        assert_int_equal(napcoll_port_steps(map, napcoll_port_lanes(map, 0)), cases[c].steps);
        napcoll_node_map_free(map);
    }
}

static void nap_scan_steps_follow_their_closed_form(void **state)
{
    (void) state;
    for (int ppn = 2; ppn <= 7; ppn++) {
        for (int nodes = 1; nodes <= 40; nodes += NODES_STRIDE) {
            napcoll_node_map_t *map = uniform(ppn, "block", nodes * ppn);
            const napcoll_params_t params = {.local_radix = 3, .tunable = {1 + nodes % ppn}};
            const int lanes = napcoll_port_lanes(map, params.tunable[0]);

            assert_int_equal(
                most_inter_node_stages(scans[nodes % 2], NAPCOLL_SCAN_NAP, map, &params),
                napcoll_port_steps(map, lanes));
            assert_int_equal(napcoll_port_steps(map, lanes),
                             napcoll_split_levels(nodes, lanes + 1));
            napcoll_node_map_free(map);
        }
    }
}

/* The fewest lanes with the fewest steps; the user's number up to the number of other nodes. */
static void fetching_lanes_are_the_fewest_for_their_steps(void **state)
{
    static const struct {
        const char *ppn;
        int size, wanted, lanes;
    } cases[] = {{"4", 40, 0, 3}, {"4", 20, 0, 4},   {"16", 160, 0, 9}, {"16", 1600, 0, 9},
                 {"4", 40, 2, 2}, {"4", 40, 99, 9},  {"4", 8, 0, 1},    {"4", 4, 0, 1},
                 {"1", 10, 0, 1}, {"1,4", 25, 0, 1}, {"4", 4, 7, 1}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = placement(cases[c].ppn, "block", cases[c].size);

        assert_int_equal(napcoll_port_lanes(map, cases[c].wanted), cases[c].lanes);
        napcoll_node_map_free(map);
    }
}

static void recursive_doubling_scan_needs_log2_steps_for_any_size(void **state)
{
    (void) state;
    for (int size = 1; size <= 70; size += NODES_STRIDE) {
        napcoll_node_map_t *map = uniform(1, "block", size);
        const napcoll_params_t params = {.local_radix = 2};
        const int steps = napcoll_split_levels(size, 2);

        for (size_t s = 0; s < sizeof(scans) / sizeof(*scans); s++) {
            assert_int_equal(
                most_inter_node_stages(scans[s], NAPCOLL_SCAN_RECURSIVE_DOUBLING, map, &params),
                steps);
        }
        napcoll_node_map_free(map);
    }
}

static int count_messages(napcoll_plan_t *const *plans, const napcoll_node_map_t *map)
{
    int count = 0;

    for (int rank = 0; rank < map->size; rank++) {
        for (int i = 0; i < plans[rank]->steps; i++) {
            count += NAPCOLL_STEP_SEND == plans[rank]->step[i].kind;
        }
    }
    return count;
}

/* The tree is passed up and down once, whatever is fetched between; two nodes need one message. */
static void nap_scan_by_trees_needs_the_fewest_messages(void **state)
{
    (void) state;
    for (int ppn = 2; ppn <= 12; ppn++) {
        for (int nodes = 1; nodes <= 2; nodes++) {
            napcoll_node_map_t *map = uniform(ppn, "block", nodes * ppn);
            const napcoll_params_t params = {.local_radix = 2 + ppn % 3, .local_tree = true};

            for (size_t s = 0; s < sizeof(scans) / sizeof(*scans); s++) {
                napcoll_plan_t **plans = plans_of(scans[s], NAPCOLL_SCAN_NAP, map, &params,
                                                  ONE_SHAPE);

                assert_int_equal(count_messages(plans, map), nodes * 2 * (ppn - 1) + nodes - 1);
                free_plans(plans, map->size);
            }
            napcoll_node_map_free(map);
        }
    }
}

/* The first stage with messages from `stage` on, or the number of stages. */
static int stage_with_messages(const napcoll_plan_t *plan, int stage)
{
    while (stage < plan->stages && 0 == plan->stage[stage].messages) {
        stage++;
    }
    return stage;
}

static int32_t message_count(const napcoll_step_t *step)
{
    return NAPCOLL_STEP_SEND == step->kind ? step->left.count : step->dst.count;
}

/* Two plans have the same messages, stage for stage. */
static void check_same_messages(const napcoll_plan_t *a, const napcoll_plan_t *b)
{
    int i = stage_with_messages(a, 0), j = stage_with_messages(b, 0);

    while (i < a->stages && j < b->stages) {
        assert_int_equal(a->stage[i].messages, b->stage[j].messages);
        for (int m = 0; m < a->stage[i].messages; m++) {
            const napcoll_step_t *x = &a->step[a->stage[i].first + m];
            const napcoll_step_t *y = &b->step[b->stage[j].first + m];

            assert_int_equal(x->kind, y->kind);
            assert_int_equal(x->peer, y->peer);
            assert_int_equal(message_count(x), message_count(y));
        }
        i = stage_with_messages(a, i + 1);
        j = stage_with_messages(b, j + 1);
    }
    assert_int_equal(i - a->stages, 0);
    assert_int_equal(j - b->stages, 0);
}

/* Each process decides for itself whether it is in place, so some may be and others not. */
static void scan_messages_do_not_depend_on_place(void **state)
{
    static const char *const lists[] = {"4", "1", "3,1,5", "6,2"};

    (void) state;
    for (int c = 0; c < 4 * 2 * 2 * NAPCOLL_SCAN_ALGORITHMS; c++) {
        napcoll_node_map_t *map = placement(lists[c % 4], "block", 1 + c);
        const napcoll_collective_t *scan = scans[c / 4 % 2];
        const int row = c / 16;
        napcoll_params_t params = {.local_radix = 3, .local_tree = 0 != c / 8 % 2};
        napcoll_plan_t **apart = plans_of(scan, row, map, &params, MIXED_SHAPES), **in_place;

        params.in_place = true;
        in_place = plans_of(scan, row, map, &params, MIXED_SHAPES);
        for (int rank = 0; rank < map->size; rank++) {
            check_same_messages(apart[rank], in_place[rank]);
        }
        free_plans(apart, map->size);
        free_plans(in_place, map->size);
        napcoll_node_map_free(map);
    }
}

/* In place rank 0 of an exclusive scan has a receive buffer, which MPI promises to leave as it
 * is. */
static void exscan_leaves_the_receive_buffer_of_rank_0(void **state)
{
    (void) state;
    for (int c = 0; c < 2 * 2 * 10 * NAPCOLL_SCAN_ALGORITHMS; c++) {
        napcoll_node_map_t *map = placement(c % 3 ? "4" : "1,3", "block", 1 + c / 4 % 10);
        const int row = c / 40;
        const napcoll_plan_args_t args = {
            .collective = &napcoll_exscan,
            .algorithm = &napcoll_exscan.algorithm[row],
            .map = map,
            .params = {.in_place = 0 != c % 2, .local_tree = 0 != c / 2 % 2, .local_radix = 2}};
        napcoll_plan_t *plan = args.algorithm->generate(&args);

        assert_non_null(plan);
        for (int i = 0; i < plan->steps; i++) {
            assert_true(NAPCOLL_STEP_SEND == plan->step[i].kind
                        || NAPCOLL_BUFFER_RECV != plan->step[i].dst.buffer);
        }
        napcoll_plan_free(plan);
        napcoll_node_map_free(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_plans_exactly_once_on_uniform_nodes),
        cmocka_unit_test(scan_plans_exactly_once_on_up_to_64_nodes_by_16),
        cmocka_unit_test(scan_plans_exactly_once_on_uneven_nodes),
        cmocka_unit_test(nap_scan_needs_log_ppn_plus_1_inter_node_steps),
        cmocka_unit_test(nap_scan_steps_follow_their_closed_form),
        cmocka_unit_test(fetching_lanes_are_the_fewest_for_their_steps),
        cmocka_unit_test(recursive_doubling_scan_needs_log2_steps_for_any_size),
        cmocka_unit_test(nap_scan_by_trees_needs_the_fewest_messages),
        cmocka_unit_test(scan_messages_do_not_depend_on_place),
        cmocka_unit_test(exscan_leaves_the_receive_buffer_of_rank_0),
    };
    return cmocka_run_group_tests_name("scan plans", tests, NULL, NULL);
}
