/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All barrier plans, run by the verifier over many placements: sound, free of deadlock under
 * rendezvous, no rank leaves before it has heard from all; and the steps between nodes.
 */

#include "plan_set.h"

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_lanes.h"
#include "algo/pattern/napcoll_split.h"

static void verify_all(const napcoll_node_map_t *map, int local_radix, int lanes)
{
    for (int tree = 0; tree < 2; tree++) {
        for (int a = 0; a < napcoll_barrier.algorithms; a++) {
            napcoll_params_t params = {
                .local_tree = 0 != tree, .local_radix = local_radix, .tunable = {lanes}};

            (void) prove_plans(&napcoll_barrier, a, map, &params);
        }
    }
}

static void barrier_plans_on_uniform_nodes(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 9; ppn++) {
        for (int nodes = 1; nodes <= 30; nodes += NODES_STRIDE) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 2 ? "block" : "cyclic", nodes * ppn);
            verify_all(map, 2 + nodes % 4, 0);
            verify_all(map, 8, nodes % 9);
            napcoll_node_map_free(map);
        }
    }
}

static void barrier_plans_where_the_hardware_has_another_order(void **state)
{
    (void) state;
    for (int node = 0; node < 5; node++) {
        napcoll_node_map_t *map = placement("7,4,5", "block", 28);
        shuffle_hardware(map, node);
        for (int lanes = 0; lanes < 6; lanes++) {
            verify_all(map, 2 + lanes % 3, lanes);
        }
        napcoll_node_map_free(map);
    }
}

static void barrier_plans_on_uneven_nodes(void **state)
{
    (void) state;
    for (int l = 0; l < UNEVEN_LISTS; l++) {
        for (int size = 2; size <= 64; size += size < 12 ? NODES_STRIDE : 13) {
            for (int o = 0; o < UNEVEN_ORDERS; o++) {
                napcoll_node_map_t *map = placement(uneven_lists[l], uneven_orders[o], size);
                for (int lanes = 0; lanes <= 7; lanes += lanes < 4 ? 1 : 3) {
                    verify_all(map, 2 + (size + lanes) % 5, lanes);
                }
                napcoll_node_map_free(map);
            }
        }
    }
}

static void barrier_plans_on_many_nodes(void **state)
{
    static const int nodes[] = {33, 100, 257};

    (void) state;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
        napcoll_node_map_t *map = placement("16", "block", 16 * nodes[i]);
        verify_all(map, 8, 0);
        napcoll_node_map_free(map);
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
        napcoll_params_t params = {.local_radix = 4};
        assert_int_equal(napcoll_barrier_nap_bounds(map, &params).inter, 1);
        assert_int_equal(steps_in_a_row(&napcoll_barrier, NAPCOLL_BARRIER_NAP, map, &params,
                                        NAPCOLL_LEVEL_NETWORK),
                         cases[c].steps);
        assert_int_equal(napcoll_port_steps(map, napcoll_port_lanes(map, 0)), cases[c].steps);
        napcoll_node_map_free(map);
    }
}

/* Also with a given number of lanes; and one local exchange more than steps. */
static void nap_plan_steps_are_those_of_the_closed_form(void **state)
{
    (void) state;
    for (int nodes = 2; nodes <= 60; nodes += NODES_STRIDE) {
        napcoll_node_map_t *map = placement("6", "block", nodes * 6);
        for (int lanes = 1; lanes <= 6; lanes++) {
            napcoll_params_t params = {.local_radix = 5, .tunable = {lanes}};
            const int steps = napcoll_port_steps(map, napcoll_port_lanes(map, lanes));
            assert_int_equal(steps_in_a_row(&napcoll_barrier, NAPCOLL_BARRIER_NAP, map, &params,
                                            NAPCOLL_LEVEL_NETWORK),
                             steps);
            assert_int_equal(steps_in_a_row(&napcoll_barrier, NAPCOLL_BARRIER_NAP, map, &params,
                                            NAPCOLL_LEVEL_NODE),
                             1 == lanes ? 2 : 1 + steps);
        }
        napcoll_node_map_free(map);
    }
}

/* Messages of all ranks; only those inside nodes where asked. */
static int messages_of(napcoll_plan_t *const *plans, const napcoll_node_map_t *map, bool inside)
{
    int sends = 0;

    for (int rank = 0; rank < map->size; rank++) {
        for (int i = 0; i < plans[rank]->steps; i++) {
            const napcoll_step_t *step = &plans[rank]->step[i];

            sends += NAPCOLL_STEP_SEND == step->kind
                     && (!inside
                         || napcoll_node_map_node(map, rank)
                                == napcoll_node_map_node(map, step->peer));
        }
    }
    return sends;
}

static void a_tree_inside_the_node_has_the_fewest_messages(void **state)
{
    napcoll_node_map_t *map = placement("8", "block", 72);
    int sends[2];

    (void) state;
    for (int tree = 0; tree < 2; tree++) {
        napcoll_params_t params = {.local_radix = 8, .local_tree = 0 != tree};
        napcoll_plan_t **plans = plans_of(&napcoll_barrier, NAPCOLL_BARRIER_NAP, map, &params,
                                          ONE_SHAPE);

        sends[tree] = messages_of(plans, map, true);
        free_plans(plans, map->size);
    }
    /* before and after the step all send to all */
    assert_int_equal(sends[0], 9 * 2 * 8 * 7);
    /* to the leader and from there */
    assert_int_equal(sends[1], 9 * 2 * 2 * 7);
    napcoll_node_map_free(map);
}

static void dissemination_needs_log2_steps_for_any_size(void **state)
{
    (void) state;
    for (int size = 2; size <= 70; size += NODES_STRIDE) {
        napcoll_node_map_t *map = placement("1", "block", size);
        napcoll_params_t params = {.local_radix = 2};
        napcoll_plan_t **plans = plans_of(&napcoll_barrier, NAPCOLL_BARRIER_DISSEMINATION, map,
                                          &params, ONE_SHAPE);

        for (int rank = 0; rank < size; rank++) {
            assert_int_equal(plans[rank]->stages, napcoll_split_levels(size, 2));
        }
        assert_int_equal(messages_of(plans, map, false), size * napcoll_split_levels(size, 2));
        free_plans(plans, size);
        napcoll_node_map_free(map);
    }
}

/* Messages of all ranks whose receiver sends to the sender in the same stage. */
static int mutual_messages_of(napcoll_plan_t *const *plans, const napcoll_node_map_t *map)
{
    int mutual = 0;

    for (int rank = 0; rank < map->size; rank++) {
        for (int s = 0; s < plans[rank]->stages; s++) {
            const napcoll_stage_t *stage = &plans[rank]->stage[s];
            const napcoll_step_t *step = &plans[rank]->step[stage->first];

            for (int to = 0; to < stage->messages; to++) {
                for (int from = 0; from < stage->messages; from++) {
                    mutual += NAPCOLL_STEP_SEND == step[to].kind
                              && NAPCOLL_STEP_RECV == step[from].kind
                              && step[to].peer == step[from].peer;
                }
            }
        }
    }
    return mutual;
}

static void leaders_tell_each_other_where_their_number_is_a_power(void **state)
{
    static const struct {
        int nodes, radix, levels;
        bool mutual;
    } cases[] = {{2, 2, 1, true},  {8, 2, 3, true},  {16, 2, 4, true},  {9, 3, 2, true},
                 {27, 3, 3, true}, {16, 5, 2, true}, {12, 2, 4, false}, {10, 3, 3, false}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = placement("1", "block", cases[c].nodes);
        napcoll_params_t params = {.local_radix = 2, .tunable = {cases[c].radix}};
        napcoll_plan_t **plans = plans_of(&napcoll_barrier, NAPCOLL_BARRIER_SMP, map, &params,
                                          ONE_SHAPE);

        for (int rank = 0; rank < map->size; rank++) {
            assert_int_equal(plans[rank]->stages, cases[c].levels);
        }
        assert_int_equal(mutual_messages_of(plans, map) == messages_of(plans, map, false),
                         cases[c].mutual);
        free_plans(plans, map->size);
        napcoll_node_map_free(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier_plans_on_uniform_nodes),
        cmocka_unit_test(barrier_plans_where_the_hardware_has_another_order),
        cmocka_unit_test(barrier_plans_on_uneven_nodes),
        cmocka_unit_test(barrier_plans_on_many_nodes),
        cmocka_unit_test(nap_plan_needs_log_ppn_plus_1_inter_node_steps),
        cmocka_unit_test(nap_plan_steps_are_those_of_the_closed_form),
        cmocka_unit_test(a_tree_inside_the_node_has_the_fewest_messages),
        cmocka_unit_test(dissemination_needs_log2_steps_for_any_size),
        cmocka_unit_test(leaders_tell_each_other_where_their_number_is_a_power),
    };
    return cmocka_run_group_tests_name("barrier plans", tests, NULL, NULL);
}
