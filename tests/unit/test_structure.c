/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * On a machine that was not measured auto takes nothing with a worse structure than the
 * reference's.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include "algo/napcoll_generators.h"
#include "select/napcoll_select.h"
#include "select/napcoll_structure.h"

static napcoll_settings_t settings_of(const napcoll_collective_t *collective, int processors)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);

    settings.machine = &napcoll_machine_default;
    settings.unmeasured = true;
    settings.processors = processors;
    return settings;
}

static napcoll_decision_t decide(const napcoll_collective_t *collective,
                                 const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                                 size_t bytes)
{
    const napcoll_call_t call = {.collective = collective, .map = map, .bytes = bytes};
    napcoll_decision_t decision;

    assert_int_equal(napcoll_select(settings, &call, &decision), 0);
    return decision;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* All plans of an algorithm, counted message by message. */
static napcoll_structure_t count(const napcoll_collective_t *collective, int row,
                                 const napcoll_params_t *params, const napcoll_node_map_t *map)
{
    double *messages = calloc((size_t) map->nodes, sizeof(*messages));
    double *sent = calloc((size_t) map->nodes, sizeof(*sent));
    double *received = calloc((size_t) map->nodes, sizeof(*received));
    napcoll_structure_t structure = {.messages = 0};

    assert_true(NULL != messages && NULL != sent && NULL != received);
    for (int rank = 0; rank < map->size; rank++) {
        const napcoll_plan_args_t args = {.collective = collective,
                                          .algorithm = &collective->algorithm[row],
                                          .map = map,
                                          .rank = rank,
                                          .params = *params};
        napcoll_plan_t *plan = args.algorithm->generate(&args);
        const int node = napcoll_node_map_node(map, rank);
        int sends = 0, receives = 0, steps = 0;

        assert_non_null(plan);
        for (int stage = 0; stage < plan->stages; stage++) {
            steps += plan->stage[stage].messages > 0 ? plan->pieces : 0;
        }
        for (int i = 0; i < plan->steps; i++) {
            const napcoll_step_t *step = &plan->step[i];
            const bool is_send = NAPCOLL_STEP_SEND == step->kind;

            if (!is_send && NAPCOLL_STEP_RECV != step->kind) {
                continue;
            }
            messages[node] += plan->pieces;
            if (napcoll_node_map_node(map, step->peer) != node) {
                *(is_send ? &sends : &receives) += plan->pieces;
                (is_send ? sent : received)[node] += plan->pieces
                                                     * napcoll_plan_share(plan,
                                                                          *napcoll_step_span(step));
            }
        }
        structure.messages = larger(structure.messages, sends > receives ? sends : receives);
        structure.steps = larger(structure.steps, steps);
        napcoll_plan_free(plan);
    }
    for (int node = 0; node < map->nodes; node++) {
        structure.node_messages = larger(structure.node_messages, messages[node]);
        structure.node_bytes = larger(structure.node_bytes, larger(sent[node], received[node]));
    }
    free(messages);
    free(sent);
    free(received);
    return structure;
}

static napcoll_node_map_t *regular_map(int nodes, int ppn)
{
    char text[16];

    (void) snprintf(text, sizeof(text), "%d", ppn);
    return placement(text, "block", nodes * ppn);
}

static void references_are_those_of_plans(void **state)
{
    static const int shapes[][2] = {{2, 1}, {2, 4}, {4, 4}, {8, 8}, {16, 2}};
    const napcoll_params_t params = {.segments = 1, .local_radix = 2};

    (void) state;
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        napcoll_node_map_t *map = regular_map(shapes[s][0], shapes[s][1]);
        napcoll_structure_t reference, counted;
        double message;

        reference = napcoll_structure_reference(&napcoll_allreduce, map, &message);
        counted = count(&napcoll_allreduce, NAPCOLL_ALLREDUCE_RECURSIVE_DOUBLING, &params, map);
        assert_memory_equal(&reference, &counted, sizeof(counted));
        reference = napcoll_structure_reference(&napcoll_bcast, map, &message);
        counted = count(&napcoll_bcast, NAPCOLL_BCAST_BINOMIAL, &params, map);
        assert_memory_equal(&reference, &counted, sizeof(counted));
        napcoll_node_map_free(map);
    }
}

/* Whether an algorithm's structure is no worse than the reference's where it matters for calls of
 * this size. */
static bool is_no_worse(const napcoll_collective_t *collective, const napcoll_node_map_t *map,
                        const napcoll_decision_t *d, int processors)
{
    enum { SMALL = 4096, LARGE = 65536 };
    const bool oversubscribed = map->max_ppn > processors;
    const napcoll_structure_t taken = count(collective, d->algorithm, &d->params, map);
    double size;
    const napcoll_structure_t reference = napcoll_structure_reference(collective, map, &size);
    const bool fewer_bytes = taken.node_bytes <= reference.node_bytes * (1 + 1e-9);
    bool fewer_messages = taken.messages <= reference.messages;

    if (oversubscribed) {
        fewer_messages = map->nodes < 2 ? taken.steps <= reference.steps
                                        : taken.node_messages <= reference.node_messages;
    }
    size *= (double) d->most;
    if (size <= (oversubscribed ? LARGE : SMALL)) {
        return fewer_messages;
    }
    return fewer_bytes || (size <= LARGE && fewer_messages);
}

/* Some algorithm is always taken where two processes share a node, except between HeteroMPI's
 * thresholds. */
static void check_decision(const napcoll_collective_t *collective, const napcoll_node_map_t *map,
                           size_t bytes, int processors)
{
    const napcoll_settings_t settings = settings_of(collective, processors);
    const napcoll_decision_t d = decide(collective, &settings, map, bytes);

    if (d.algorithm >= 0) {
        assert_true(is_no_worse(collective, map, &d, processors));
    } else if (map->max_ppn < 2) {
        assert_int_equal(d.reason, NAPCOLL_REASON_PPN);
    } else {
        assert_int_equal(d.reason, NAPCOLL_REASON_STRUCTURE);
        assert_true(&napcoll_gatherv == collective
                    && napcoll_thresholds_warn(&settings.thresholds, collective->goal, bytes));
    }
}

static void auto_takes_nothing_worse_than_the_reference(void **state)
{
    static const int nodes[] = {2, 3, 7, 16}, ppns[] = {1, 2, 5, 16};
    static const size_t sizes[] = {8, 4096, 32768, 1048576};

    (void) state;
    for (int shape = 0; shape < 16; shape++) {
        napcoll_node_map_t *map = regular_map(nodes[shape / 4], ppns[shape % 4]);

        for (int c = 0; NULL != napcoll_collectives[c]; c++) {
            for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
                if (!sweep_takes()) {
                    continue;
                }
                check_decision(napcoll_collectives[c], map, sizes[s], 2);
                check_decision(napcoll_collectives[c], map, sizes[s], 128);
            }
        }
        napcoll_node_map_free(map);
    }
}

/* 16 nodes of 4 processes, 2 processors each: lane took six times what a binomial tree takes. */
static void many_messages_are_not_for_busy_processors(void **state)
{
    napcoll_settings_t settings = settings_of(&napcoll_reduce, 2);
    napcoll_node_map_t *map = regular_map(16, 4);
    napcoll_decision_t d;

    (void) state;
    settings.unmeasured = false;
    d = decide(&napcoll_reduce, &settings, map, 32768);
    assert_false(is_no_worse(&napcoll_reduce, map, &d, 2));
    settings.unmeasured = true;
    d = decide(&napcoll_reduce, &settings, map, 32768);
    assert_true(is_no_worse(&napcoll_reduce, map, &d, 2));
    napcoll_node_map_free(map);
}

/* On one node each step waits until another process has had a processor: a step less saves more
 * than many messages cost. */
static void steps_count_on_one_busy_node(void **state)
{
    static const struct {
        const napcoll_collective_t *collective;
        size_t bytes;
        double steps;
    } cases[] = {{&napcoll_reduce, 64, 1},     {&napcoll_reduce, 4096, 1},
                 {&napcoll_allreduce, 64, 2},  {&napcoll_allreduce, 4096, 2},
                 {&napcoll_allgather, 512, 1}, {&napcoll_reduce_scatter_block, 512, 1},
                 {&napcoll_alltoall, 8, 1},    {&napcoll_alltoall, 4096, 1},
                 {&napcoll_bcast, 4096, 1}};

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        napcoll_settings_t settings = settings_of(cases[i].collective, 2);
        napcoll_node_map_t *map = regular_map(1, 8);
        napcoll_decision_t d;

        settings.node_memory = true;
        d = decide(cases[i].collective, &settings, map, cases[i].bytes);
        assert_true(d.algorithm >= 0);
        assert_true(is_no_worse(cases[i].collective, map, &d, 2));
        assert_true(count(cases[i].collective, d.algorithm, &d.params, map).steps
                    <= cases[i].steps);
        napcoll_node_map_free(map);
    }
}

/* A wrong guess of the machine, where messages cost nothing, does not make the root send one to
 * each process. */
static void a_wrong_machine_brings_no_flood_of_messages(void **state)
{
    napcoll_settings_t settings = settings_of(&napcoll_bcast, 64);
    napcoll_machine_t machine = napcoll_machine_default;
    napcoll_node_map_t *map = regular_map(16, 2);
    napcoll_decision_t d;

    (void) state;
    machine.process_gap_us = machine.node_gap_us = machine.process_overhead_us = 0;
    settings.machine = &machine;
    settings.unmeasured = false;
    d = decide(&napcoll_bcast, &settings, map, 8);
    assert_false(is_no_worse(&napcoll_bcast, map, &d, 64));
    settings.unmeasured = true;
    d = decide(&napcoll_bcast, &settings, map, 8);
    assert_true(is_no_worse(&napcoll_bcast, map, &d, 64));
    assert_int_equal(d.candidate[NAPCOLL_BCAST_FLAT].evaluation, NAPCOLL_EVALUATION_STRUCTURE);
    napcoll_node_map_free(map);
}

/* The same bits on any nodes are a promise; fewer messages are none. */
static void reproducible_results_come_first(void **state)
{
    napcoll_settings_t settings = settings_of(&napcoll_allreduce, 1);
    napcoll_node_map_t *map = regular_map(4, 4);

    (void) state;
    settings.reproducible = true;
    for (size_t bytes = 8; bytes <= 1 << 20; bytes *= 32) {
        assert_true(decide(&napcoll_allreduce, &settings, map, bytes).algorithm >= 0);
    }
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_those_of_plans),
        cmocka_unit_test(auto_takes_nothing_worse_than_the_reference),
        cmocka_unit_test(many_messages_are_not_for_busy_processors),
        cmocka_unit_test(steps_count_on_one_busy_node),
        cmocka_unit_test(a_wrong_machine_brings_no_flood_of_messages),
        cmocka_unit_test(reproducible_results_come_first),
    };

    return cmocka_run_group_tests_name("structure", tests, NULL, NULL);
}
