/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All allreduce plans, run by the verifier over many placements: sound, free of deadlock under
 * rendezvous, each contribution once, in order where asked, the same bits on all ranks.
 */

#include "plan_set.h"

#include "algo/pattern/napcoll_split.h"

/* A ring of P has 2 P^2 messages: larger ones are proven by hand (tests/build/verify.sh --wide). */
enum { VARIANTS = 8, MOST_FOR_LINEAR = 32 };

/* Whether an algorithm's plans depend on the shape of local phases, or on the tunable. */
static bool has_phases(int row)
{
    return NAPCOLL_ALLREDUCE_SMP == row || NAPCOLL_ALLREDUCE_NAP == row;
}

static bool has_tunable(int row)
{
    return NULL != napcoll_allreduce.algorithm[row].tunable[0].name;
}

/* All algorithms on one map, in one variant of shape, order and place. */
static void verify_variant(const napcoll_node_map_t *map, int variant, int local_radix, int lanes)
{
    for (int a = 0; a < napcoll_allreduce.algorithms; a++) {
        napcoll_params_t params = {.in_place = 0 != (variant & 1),
                                   .noncommutative = 0 != (variant & 2),
                                   .local_tree = 0 != (variant & 4),
                                   .segments = 1 + (variant + map->nodes) % 3,
                                   .local_radix = local_radix,
                                   .tunable = {lanes}};
        if ((!napcoll_allreduce.algorithm[a].linear || map->size <= MOST_FOR_LINEAR)
            && (variant < 4 || has_phases(a)) && (0 == lanes || has_tunable(a))) {
            (void) prove_plans(&napcoll_allreduce, a, map, &params);
        }
    }
}

static void verify_all(const napcoll_node_map_t *map, int local_radix, int lanes)
{
    for (int variant = 0; variant < VARIANTS; variant++) {
        verify_variant(map, variant, local_radix, lanes);
    }
}

static void allreduce_plans_exactly_once_on_uniform_nodes(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 9; ppn++) {
        for (int nodes = 1; nodes <= 20; nodes += ppn < 5 || nodes < 4 ? NODES_STRIDE : 3) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 2 ? "block" : "cyclic", nodes * ppn);
            verify_all(map, 2 + nodes % 4, 0);
            napcoll_node_map_free(map);
        }
    }
}

/* Each map with one of the variants in turn, and with the defaults; tests/build/verify.sh --wide
 * proves all numbers between. */
static void allreduce_plans_exactly_once_on_up_to_64_nodes_by_16(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 16; ppn += ppn < 4 ? 1 : 4) {
        for (int nodes = 1; nodes <= 64; nodes += nodes < 18 ? 1 + ppn / 2 : 23 * NODES_STRIDE) {
            napcoll_node_map_t *map = uniform(ppn, "block", nodes * ppn);
            verify_variant(map, 0, 8, 0);
            verify_variant(map, (nodes + 5 * ppn) % VARIANTS, 2 + (nodes + ppn) % 7, 0);
            napcoll_node_map_free(map);
        }
    }
}

static void allreduce_plans_exactly_once_on_uneven_nodes(void **state)
{
    (void) state;
    for (int l = 0; l < UNEVEN_LISTS; l++) {
        for (int size = 2; size <= 64; size += size < 12 ? NODES_STRIDE : 13) {
            napcoll_node_map_t *map = placement(uneven_lists[l],
                                                uneven_orders[size % UNEVEN_ORDERS], size);
            for (int lanes = 0; lanes <= 7; lanes += lanes < 4 ? 1 : 3) {
                verify_all(map, 2 + (size + lanes) % 5, lanes);
            }
            napcoll_node_map_free(map);
        }
    }
}

static void nap_plan_one_message_per_process_and_level(void **state)
{
    static const int ppns[] = {2, 3, 4, 5, 8, 16};

    (void) state;
    for (size_t i = 0; i < sizeof(ppns) / sizeof(*ppns); i++) {
        for (int nodes = 2; nodes <= 300; nodes += nodes < 70 ? NODES_STRIDE : 57) {
            napcoll_node_map_t *map = uniform(ppns[i], "block", nodes * ppns[i]);
            napcoll_params_t params = {.noncommutative = true, .local_radix = 4};
            assert_int_equal(napcoll_allreduce_nap_bounds(map, &params).inter, 1);
            assert_true(prove_plans(&napcoll_allreduce, NAPCOLL_ALLREDUCE_NAP, map, &params));
            napcoll_node_map_free(map);
        }
    }
}

/* The inter-node stages of the process that has most. */
static int most_inter_node_stages(int row, const napcoll_node_map_t *map)
{
    napcoll_params_t params = {.local_radix = 4};
    napcoll_plan_t **plans = plans_of(&napcoll_allreduce, row, map, &params, ONE_SHAPE);
    int most = 0;

    for (int rank = 0; rank < map->size; rank++) {
        int stages = inter_node_stages(plans[rank], map);

        most = stages > most ? stages : most;
    }
    free_plans(plans, map->size);
    return most;
}

static void lane_plan_needs_two_inter_node_steps_on_few_nodes(void **state)
{
    (void) state;
    for (int nodes = 2; nodes <= 33; nodes += NODES_STRIDE) {
        napcoll_node_map_t *map = placement("3", "block", nodes * 3);
        assert_int_equal(most_inter_node_stages(NAPCOLL_ALLREDUCE_LANE, map), nodes <= 32 ? 2 : 4);
        napcoll_node_map_free(map);
    }
}

static void nap_plan_needs_log_ppn_inter_node_steps(void **state)
{
    static const struct {
        int nodes, ppn, steps;
    } cases[] = {{8, 8, 1},   {16, 4, 2},  {10, 4, 2},   {11, 4, 2},   {17, 4, 3},
                 {16, 16, 1}, {18, 16, 2}, {241, 16, 2}, {257, 16, 3}, {10, 2, 4}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = uniform(cases[c].ppn, "block", cases[c].nodes * cases[c].ppn);
        assert_int_equal(most_inter_node_stages(NAPCOLL_ALLREDUCE_NAP, map), cases[c].steps);
        assert_int_equal(napcoll_nap_steps(map, napcoll_nap_lanes(map, 0)), cases[c].steps);
        napcoll_node_map_free(map);
    }
}

static void nap_plan_needs_log_ppn_plus_1_inter_node_steps_for_equal_parts(void **state)
{
    static const struct {
        int nodes, ppn, steps;
    } cases[] = {{3, 2, 1}, {5, 4, 1}, {9, 8, 1}, {17, 16, 1}, {9, 2, 2}, {25, 4, 2}, {81, 8, 2}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = uniform(cases[c].ppn, "block", cases[c].nodes * cases[c].ppn);
        assert_int_equal(napcoll_nap_radix(map, cases[c].ppn), cases[c].ppn + 1);
        assert_int_equal(napcoll_nap_steps(map, napcoll_nap_lanes(map, 0)), cases[c].steps);
        assert_int_equal(most_inter_node_stages(NAPCOLL_ALLREDUCE_NAP, map), cases[c].steps);
        for (int variant = 0; variant<VARIANTS; variant += map->size> 100 ? 5 : 1) {
            verify_variant(map, variant, 2 + variant % 7, 0);
        }
        napcoll_node_map_free(map);
    }
}

/* Whether a rank sends to a peer on another node in the last stage that has such messages. */
static bool sends_last(const napcoll_plan_t *plan, const napcoll_node_map_t *map, int peer)
{
    int node = napcoll_node_map_node(map, plan->rank);

    for (int s = plan->stages - 1; s >= 0; s--) {
        const napcoll_stage_t *stage = &plan->stage[s];
        bool crosses = false;
        for (int i = stage->first; i < stage->first + stage->messages; i++) {
            crosses = crosses || node != napcoll_node_map_node(map, plan->step[i].peer);
            if (NAPCOLL_STEP_SEND == plan->step[i].kind && peer == plan->step[i].peer) {
                return true;
            }
        }
        if (crosses) {
            return false;
        }
    }
    return false;
}

typedef struct {
    int from, to;
    bool both;
} pair_t;

/* These ranks exchange messages on the outermost level, or one of them only sends. */
static void check_pairs(int nodes, const pair_t *personalized, size_t count)
{
    napcoll_node_map_t *map = placement("4", "block", nodes * 4);
    napcoll_params_t params = {.local_radix = 4};
    napcoll_plan_t **plans = plans_of(&napcoll_allreduce, NAPCOLL_ALLREDUCE_NAP, map, &params,
                                      ONE_SHAPE);

    for (size_t i = 0; i < count; i++) {
        assert_true(sends_last(plans[personalized[i].from], map, personalized[i].to));
        assert_int_equal(sends_last(plans[personalized[i].to], map, personalized[i].from),
                         personalized[i].both);
    }
    free_plans(plans, map->size);
    napcoll_node_map_free(map);
}

static void nap_plan_exchanges_of_10_nodes_by_4(void **state)
{
    static const pair_t personalized[] = {{1, 16, true},   {2, 28, true},  {5, 20, true},
                                          {6, 32, true},   {9, 24, true},  {10, 36, true},
                                          {18, 29, true},  {22, 33, true}, {26, 37, true},
                                          {17, 13, false}, {30, 14, false}};

    (void) state;
    check_pairs(10, personalized, sizeof(personalized) / sizeof(*personalized));
}

static void nap_plan_exchanges_of_11_nodes_by_4(void **state)
{
    static const pair_t personalized[] = {{34, 14, false}, {38, 30, false}};

    (void) state;
    check_pairs(11, personalized, sizeof(personalized) / sizeof(*personalized));
}

static void recursive_doubling_needs_log2_steps_for_any_size(void **state)
{
    (void) state;
    for (int size = 2; size <= 70; size += NODES_STRIDE) {
        napcoll_node_map_t *map = placement("1", "block", size);
        napcoll_params_t params = {.local_radix = 2};
        napcoll_plan_t **plans = plans_of(&napcoll_allreduce, NAPCOLL_ALLREDUCE_RECURSIVE_DOUBLING,
                                          map, &params, ONE_SHAPE);
        for (int rank = 0; rank < size; rank++) {
            assert_true(inter_node_stages(plans[rank], map) <= napcoll_split_levels(size, 2));
        }
        free_plans(plans, size);
        napcoll_node_map_free(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allreduce_plans_exactly_once_on_uniform_nodes),
        cmocka_unit_test(allreduce_plans_exactly_once_on_up_to_64_nodes_by_16),
        cmocka_unit_test(allreduce_plans_exactly_once_on_uneven_nodes),
        cmocka_unit_test(nap_plan_one_message_per_process_and_level),
        cmocka_unit_test(nap_plan_needs_log_ppn_inter_node_steps),
        cmocka_unit_test(nap_plan_needs_log_ppn_plus_1_inter_node_steps_for_equal_parts),
        cmocka_unit_test(lane_plan_needs_two_inter_node_steps_on_few_nodes),
        cmocka_unit_test(nap_plan_exchanges_of_10_nodes_by_4),
        cmocka_unit_test(nap_plan_exchanges_of_11_nodes_by_4),
        cmocka_unit_test(recursive_doubling_needs_log2_steps_for_any_size),
    };
    return cmocka_run_group_tests_name("allreduce plans", tests, NULL, NULL);
}
