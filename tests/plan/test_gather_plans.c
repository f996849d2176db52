/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All plans of gather, gatherv, scatter and scatterv, run by the verifier over many placements,
 * roots and radixes: sound, free of deadlock under rendezvous, every block in its place, sizes sent
 * before they are needed; messages and slots by the closed forms; a barrier before each piece of a
 * segmented gather; the window of credit.
 */

#include "plan_set.h"

#include <string.h>

#include "algo/napcoll_generators.h"

static const napcoll_collective_t *const tables[] = {&napcoll_gather, &napcoll_gatherv,
                                                     &napcoll_scatter, &napcoll_scatterv};

enum { TABLES = sizeof(tables) / sizeof(*tables) };

/* Every algorithm of every table; uneven collectives also where some blocks go straight. */
static int verify_all(const napcoll_node_map_t *map, int root, int radix, int local_radix,
                      int pieces)
{
    int proven = 0;

    for (int t = 0; t < TABLES; t++) {
        for (int row = 0; row < tables[t]->algorithms; row++) {
            const napcoll_params_t params = {
                .root = root,
                .segments = tables[t]->algorithm[row].cuts_blocks ? pieces : 1,
                .local_radix = local_radix,
                .tunable = {radix, 0}};

            proven += prove_plans(tables[t], row, map, &params);
            proven += tables[t]->uneven && prove_mixed(tables[t], row, map, &params);
        }
    }
    return proven;
}

static void plans_on_uniform_nodes(void **state)
{
    (void) state;
    for (int ppn = 1; ppn <= 6; ppn++) {
        for (int nodes = 1; nodes <= 17; nodes += NODES_STRIDE) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 2 ? "block" : "cyclic", nodes * ppn);
            const int proven = verify_all(map, nodes * 7 % map->size, nodes % 6, 2 + nodes % 4,
                                          1 + nodes % 3);

            /* two_level needs two processes on a node; three rows forward blocks */
            assert_int_equal(proven, ppn > 1 ? 4 * 6 + 2 * 3 : 4 * 5 + 2 * 2);
            napcoll_node_map_free(map);
        }
    }
}

static void plans_from_every_root(void **state)
{
    static const char *const lists[] = {"3,2,1", "1,4", "5", "2,3,3"};
    static const char *const orders[] = {"block", "cyclic", "random:5"};

    (void) state;
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        for (size_t j = 0; j < sizeof(orders) / sizeof(*orders); j++) {
            napcoll_node_map_t *map = placement(lists[i], orders[j], 13);

            for (int root = 0; root < map->size; root++) {
                (void) verify_all(map, root, root % 5, 2 + root % 3, 2 - root % 2);
            }
            napcoll_node_map_free(map);
        }
    }
}

static void plans_on_many_nodes(void **state)
{
    (void) state;
    for (int nodes = 18; nodes <= 64; nodes += 23) {
        for (int ppn = 1; ppn <= 16; ppn += 15) {
            napcoll_node_map_t *map = uniform(ppn, "random:2", nodes * ppn);

            (void) verify_all(map, map->size / 3, 4, 4, 2);
            napcoll_node_map_free(map);
        }
    }
}

/* The plans of one algorithm. */
static napcoll_plan_t **plans_by(const napcoll_collective_t *table, int row,
                                 const napcoll_node_map_t *map, napcoll_params_t params)
{
    return plans_of(table, row, map, &params, ONE_SHAPE);
}

static int messages_to_root(napcoll_plan_t *const *plans, int root)
{
    int count = 0;

    for (int s = 0; s < plans[root]->stages; s++) {
        count += plans[root]->stage[s].messages;
    }
    return count;
}

/* The most slots of any plan, which every rank must estimate. */
static int most_slots(const napcoll_collective_t *table, int row, const napcoll_node_map_t *map,
                      napcoll_params_t params, napcoll_plan_t *const *plans)
{
    const napcoll_plan_args_t args = {.collective = table,
                                      .algorithm = &table->algorithm[row],
                                      .map = map,
                                      .rank = map->size - 1,
                                      .params = params};
    const int size = map->size;
    int most = 0;

    for (int rank = 0; rank < size; rank++) {
        if (plans[rank]->temps > 0 && plans[rank]->temp[0].count > most) {
            most = plans[rank]->temp[0].count;
        }
    }
    assert_int_equal(NULL == args.algorithm->slots ? 0 : args.algorithm->slots(&args), most);
    return most;
}

/* The root's messages, and the slots of the process that has most. */
static void the_root_has_as_many_messages_as_its_tree_says(void **state)
{
    (void) state;
    for (int nodes = 2; nodes <= 16; nodes += NODES_STRIDE) {
        const int ppn = 1 + nodes % 4, size = nodes * ppn, root = size / 2;
        napcoll_node_map_t *map = uniform(ppn, "cyclic", nodes * ppn);

        for (int t = 0; t < TABLES; t += 2) { /* the messages that send no sizes */
            napcoll_params_t params = {.root = root, .segments = 1, .local_radix = ppn + 1};
            napcoll_plan_t **plans = plans_by(tables[t], NAPCOLL_GATHER_LINEAR, map, params);
            int levels = 0;

            assert_int_equal(messages_to_root(plans, root), size - 1);
            assert_int_equal(most_slots(tables[t], NAPCOLL_GATHER_LINEAR, map, params, plans), 0);
            free_plans(plans, size);
            while (1 << levels < size) {
                levels++;
            }
            plans = plans_by(tables[t], NAPCOLL_GATHER_BINOMIAL, map, params);
            assert_int_equal(messages_to_root(plans, root), levels);
            assert_int_equal(most_slots(tables[t], NAPCOLL_GATHER_BINOMIAL, map, params, plans),
                             size / 2 - 1);
            free_plans(plans, size);
            params.tunable[0] = nodes;
            plans = plans_by(tables[t], NAPCOLL_GATHER_TWO_LEVEL, map, params);
            assert_int_equal(messages_to_root(plans, root), nodes - 1 + ppn - 1);
            assert_int_equal(most_slots(tables[t], NAPCOLL_GATHER_TWO_LEVEL, map, params, plans),
                             ppn - 1);
            free_plans(plans, size);
        }
        napcoll_node_map_free(map);
    }
}

static bool is_word(const napcoll_step_t *step)
{
    return 0 == (NAPCOLL_STEP_SEND == step->kind ? step->left : step->dst).count;
}

/* Reduce a plan to its empty messages, which must come before all others: a plan of a barrier. */
static void keep_words(napcoll_plan_t *plan)
{
    int stages = 0;

    while (stages < plan->stages && plan->stage[stages].messages > 0
           && is_word(&plan->step[plan->stage[stages].first])) {
        for (int i = 0; i < plan->stage[stages].messages; i++) {
            assert_true(is_word(&plan->step[plan->stage[stages].first + i]));
        }
        assert_int_equal(plan->stage[stages].work, 0 == stages && plan->user[0].first == 0);
        stages++;
    }
    for (int s = stages; s < plan->stages; s++) {
        for (int i = 0; i < plan->stage[s].messages; i++) {
            assert_false(is_word(&plan->step[plan->stage[s].first + i]));
        }
    }
    assert_true(stages > 0);
    plan->stages = stages;
    plan->steps = plan->stage[stages - 1].first + plan->stage[stages - 1].messages;
    if (plan->stage[0].work
        > 0) { /* the copy of the root's block follows the first empty messages */
        const int first = plan->stage[0].messages;

        memmove(&plan->step[first], &plan->step[first + 1],
                (size_t) (plan->steps - first) * sizeof(*plan->step));
        plan->stage[0].work = 0;
        for (int s = 1; s < stages; s++) {
            plan->stage[s].first--;
        }
        plan->steps -= stages > 1;
    }
    plan->layout = NAPCOLL_LAYOUT_VECTOR;
    plan->blocks = plan->pieces = 1;
    plan->user[NAPCOLL_BUFFER_SEND] = plan->user[NAPCOLL_BUFFER_RECV] = (napcoll_block_range_t){0};
}

static void a_barrier_goes_before_each_piece_of_a_segmented_gather(void **state)
{
    const napcoll_claim_t barrier = {.goal = NAPCOLL_GOAL_BARRIER};
    napcoll_verdict_t verdict;

    (void) state;
    for (int nodes = 2; nodes <= 9; nodes++) {
        for (int ppn = 1; ppn <= 3; ppn++) {
            napcoll_node_map_t *map = uniform(ppn, "cyclic", nodes * ppn);
            napcoll_plan_t **plans = plans_by(&napcoll_gather, NAPCOLL_GATHER_SEGMENTED, map,
                                              (napcoll_params_t){.root = map->size - 1,
                                                                 .segments = 4,
                                                                 .local_radix = 3,
                                                                 .tunable = {nodes % 4}});

            for (int rank = 0; rank < map->size; rank++) {
                assert_int_equal(plans[rank]->pieces, 4);
                keep_words(plans[rank]);
            }
            assert_int_equal(napcoll_plan_verify(plans, map, &barrier, &verdict),
                             NAPCOLL_VERIFY_OK);
            free_plans(plans, map->size);
            napcoll_node_map_free(map);
        }
    }
}

/* A scatter has no barriers; plans of one piece, or without a window, have no barrier and no empty
 * messages. */
static void what_is_not_cut_has_no_words(void **state)
{
    static const struct {
        const napcoll_collective_t *table;
        int row;
        int pieces;
    } cases[] = {{&napcoll_gather, NAPCOLL_GATHER_SEGMENTED, 1},
                 {&napcoll_gather, NAPCOLL_GATHER_CREDIT, 1},
                 {&napcoll_scatter, NAPCOLL_GATHER_CREDIT, 3},
                 {&napcoll_scatter, NAPCOLL_GATHER_SEGMENTED, 1},
                 {&napcoll_scatter, NAPCOLL_GATHER_SEGMENTED, 5}};
    napcoll_node_map_t *map = uniform(2, "block", 10);

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_plan_t **plans = plans_by(
            cases[c].table, cases[c].row, map,
            (napcoll_params_t){.root = 3, .segments = cases[c].pieces, .local_radix = 2});

        assert_int_equal(plans[3]->pieces, cases[c].pieces);
        assert_int_equal(messages_to_root(plans, 3), 9);
        free_plans(plans, map->size);
    }
    napcoll_node_map_free(map);
}

/* Pieces that may be under way at once: requested and not yet received, or sent and not yet
 * answered. */
static int most_under_way(const napcoll_plan_t *root, bool scatters)
{
    int open = 0, most = 0;

    for (int s = 0; s < root->stages; s++) {
        int ended = 0;

        for (int i = root->stage[s].first; i < root->stage[s].first + root->stage[s].messages;
             i++) {
            const bool sends = NAPCOLL_STEP_SEND == root->step[i].kind;

            assert_int_equal(is_word(&root->step[i]), sends != scatters);
            open += sends;
            ended += !sends;
        }
        most = open > most ? open : most;
        open -= ended;
    }
    assert_int_equal(open, 0);
    return most;
}

static void credit_keeps_to_its_window(void **state)
{
    (void) state;
    for (int window = 1; window <= 20; window++) {
        napcoll_node_map_t *map = uniform(1, "block", 16);

        for (int t = 0; t < TABLES; t++) {
            napcoll_plan_t **plans = plans_by(
                tables[t], NAPCOLL_GATHER_CREDIT, map,
                (napcoll_params_t){
                    .root = 5, .segments = 3, .local_radix = 2, .tunable = {window}});
            const int most = most_under_way(plans[5], t >= 2);

            if (window < 2) {
                assert_int_equal(most, 1);
            } else {
                assert_int_equal(most, window < 16 ? window / 2 * 2 : 15);
            }
            free_plans(plans, map->size);
        }
        napcoll_node_map_free(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_on_uniform_nodes),
        cmocka_unit_test(plans_from_every_root),
        cmocka_unit_test(plans_on_many_nodes),
        cmocka_unit_test(the_root_has_as_many_messages_as_its_tree_says),
        cmocka_unit_test(a_barrier_goes_before_each_piece_of_a_segmented_gather),
        cmocka_unit_test(what_is_not_cut_has_no_words),
        cmocka_unit_test(credit_keeps_to_its_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
