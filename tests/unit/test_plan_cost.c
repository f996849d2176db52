/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Estimates from a sample of the plans: samples against times worked out by hand, and the plans of
 * allreduce against the simulation of all ranks.
 */

#include "cmocka_setup.h"

#include "placement.h"
#include "scripts.h"

#include <math.h>

#include "algo/napcoll_algo.h"
#include "model/napcoll_plan_cost.h"
#include "common/napcoll_machine_file.h"
#include "common/napcoll_names.h"

static bool is_about(double time, double expected)
{
    return time > expected - 1e-9 && time < expected + 1e-9;
}

/* ---- samples by hand ---- */

static void check_source(const napcoll_machine_t *machine, int nodes, int ppn,
                         const napcoll_sampled_t *sampled, int count, napcoll_plan_source_t source,
                         void *context, double bytes, double expected)
{
    napcoll_node_map_t *map = block_map(nodes, ppn);
    napcoll_simulation_t *simulation;
    double time = -1;

    assert_int_equal(
        napcoll_simulation_create_sampled(map, sampled, count, source, context, &simulation),
        NAPCOLL_SIMULATE_OK);
    for (int run = 0; run < 2; run++) { /* runs leave nothing behind */
        assert_int_equal(napcoll_simulation_run(simulation, machine, bytes, &time),
                         NAPCOLL_SIMULATE_OK);
        if (!is_about(time, expected)) {
            fail_msg("%.9g us, expected %.9g", time, expected);
        }
    }
    napcoll_simulation_free(simulation);
    napcoll_node_map_free(map);
}

/* Check the time of a sample of rank 0, with a weight, of 4 nodes of 2 processes. */
static void check_alone(const napcoll_machine_t *machine, int weight, const act_t *act, int acts,
                        double bytes, double expected)
{
    const napcoll_sampled_t alone = {.rank = 0, .weight = weight};
    script_t script = {.act = act, .acts = acts};

    check_source(machine, 4, 2, &alone, 1, play, &script, bytes, expected);
}

/* The messages of the others leave when this process's messages of the stage do. */
static void sampled_process_gets_what_it_sends(void **state)
{
    const act_t exchange[] = {{0, 2, 2, 1}}, local[] = {{0, 1, 1, 1}};
    const act_t two_stages[] = {{0, 2, 2, 1}, {0, 4, 4, 1}};
    const act_t two_at_once[] = {{0, 2, 2, 0}, {0, 4, 6, 1}};
    napcoll_machine_t m = plain();

    (void) state;
    check_alone(&m, 1, exchange, 1, 2000, 10 + 2 + 1);
    check_alone(&m, 1, exchange, 1, 20000, 10 + 20 + 10);
    check_alone(&m, 1, local, 1, 2000, 1 + 2 + 1);
    check_alone(&m, 1, two_stages, 2, 2000, 2 * (10 + 2 + 1));
    check_alone(&m, 1, two_at_once, 2, 2000, 10 + 2 * 2 + 1);
    /* more than 400 bytes take */
    m.process_overhead_us = 0.5;
    check_alone(&m, 1, two_at_once, 2, 400, 10 + 0.5 + 0.4 + 0.2);
}

static void sampled_process_that_only_sends_or_receives_takes_a_message(void **state)
{
    const act_t send[] = {{0, 2, -1, 1}}, receive[] = {{0, -1, 2, 1}};
    const act_t sends_more[] = {{0, 2, 2, 0}, {0, 4, -1, 0}, {0, 6, -1, 0}};
    const act_t local[] = {{0, 1, -1, 1}};
    const act_t receives_more[] = {{0, 2, 2, 0}, {0, -1, 4, 0}, {0, -1, 6, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    check_alone(&m, 1, send, 1, 2000, 10 + 2 + 1);
    check_alone(&m, 1, receive, 1, 2000, 10 + 2 + 1);
    check_alone(&m, 1, receive, 1, 20000, 10 + 20 + 10);
    check_alone(&m, 1, sends_more, 3, 2000, 3 * 2 + 10);
    check_alone(&m, 1, receives_more, 3, 2000, 10 + 3 * 2);
    /* a lone process of a node does not show how messages travel in it */
    check_alone(&m, 1, local, 1, 2000, 2 + 1);
    /* at one end only: the sample does not receive the second one */
    m.process_overhead_us = 3;
    check_alone(&m, 1, sends_more, 2, 2000, 3 + 2 + 10);
    check_alone(&m, 1, receives_more, 2, 2000, 2 + 10 + 3);
}

/* Messages inside the node and between nodes overlap, except at the process. */
static void sampled_levels_overlap(void **state)
{
    const act_t local_first[] = {{0, 1, 1, 0}, {0, 2, 2, 0}};
    const act_t network_first[] = {{0, 2, 2, 0}, {0, 1, 1, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    check_alone(&m, 1, local_first, 2, 2000, 2 + 2 + 10);
    /* the local one: 2 + 2 + 1 */
    check_alone(&m, 1, network_first, 2, 2000, 2 + 10);
}

/* A process that stands for four: R_N applies from three on, and the gap is one for each. */
static void sampled_process_stands_for_its_node(void **state)
{
    const act_t one[] = {{0, 2, 2, 0}}, two[] = {{0, 2, 2, 0}, {0, 4, 4, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    check_alone(&m, 2, one, 1, 20000, 10 + 20);
    check_alone(&m, 4, one, 1, 20000, 10 + 4 * 20000 / 2000.0);
    m.node_gap_us = 5;
    check_alone(&m, 4, two, 2, 2000, 4 * 5 + 2 + 10);
    check_alone(&m, 1, two, 2, 2000, 5 + 2 + 10);
}

/* Rank 1 reduces for 10 us before it exchanges with rank 0. */
static void sampled_processes_wait_for_each_other(void **state)
{
    const act_t act[] = {{0, 1, 1, 0}, {1, -1, -1, 4}, {1, 0, 0, 0}};
    const napcoll_sampled_t sampled[] = {{0, 1}, {1, 1}};
    script_t script = {.act = act, .acts = 3};
    napcoll_machine_t m = plain();

    (void) state;
    check_source(&m, 2, 2, sampled, 2, play, &script, 5000, 4 * 2.5 + 1 + 5);
    check_source(&m, 2, 2, sampled, 1, play, &script, 5000, 1 + 5);
}

typedef struct {
    napcoll_phase_t phase;
    napcoll_scope_t scope;
} phase_t;

static napcoll_plan_t *one_phase(void *context, int rank)
{
    const phase_t *phase = context;
    const napcoll_span_t in = {.buffer = NAPCOLL_BUFFER_SEND, .count = 1};
    const napcoll_span_t out = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_builder_new("allreduce", "phase", rank, 1);

    napcoll_builder_phase(builder, phase->scope, phase->phase, 0, out, in);
    return napcoll_builder_finish(builder);
}

/* Two steps on four processes, three on five to eight; between nodes one on two. */
static void sampled_phases_take_a_tree_of_messages(void **state)
{
    const struct {
        phase_t phase;
        int ppn;
        double expected;
    } expected[] = {{{NAPCOLL_PHASE_REDUCE, NAPCOLL_SCOPE_NODE}, 4, 2 * (1 + 2 + 1)},
                    {{NAPCOLL_PHASE_BCAST, NAPCOLL_SCOPE_NODE}, 4, 2 * (1 + 2)},
                    {{NAPCOLL_PHASE_ALLREDUCE, NAPCOLL_SCOPE_NODE}, 5, 3 * (1 + 2 + 1)},
                    {{NAPCOLL_PHASE_ALLGATHER, NAPCOLL_SCOPE_NODE}, 4, 2 * 1 + 3 * 2},
                    {{NAPCOLL_PHASE_ALLREDUCE, NAPCOLL_SCOPE_NODE}, 1, 0},
                    {{NAPCOLL_PHASE_ALLREDUCE, NAPCOLL_SCOPE_LEADERS}, 4, 10 + 2 + 1}};
    const napcoll_sampled_t alone = {.rank = 0, .weight = 1};
    napcoll_machine_t m = plain();

    (void) state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        phase_t phase = expected[i].phase;

        check_source(&m, 2, expected[i].ppn, &alone, 1, one_phase, &phase, 2000,
                     expected[i].expected);
    }
}

/* ---- samples of whole collectives ---- */

/* A source that counts its calls. */
typedef struct {
    napcoll_plan_source_t source;
    void *context;
    int asked;
    /* memory runs out after this many plans */
    int until;
} counted_t;

static napcoll_plan_t *counted(void *context, int rank)
{
    counted_t *c = context;

    return c->asked++ < c->until ? c->source(c->context, rank) : NULL;
}

static napcoll_generator_t generator_of(const char *algorithm, const napcoll_node_map_t *map,
                                        int radix, bool tree)
{
    const int row = napcoll_algorithm_find(&napcoll_allreduce, algorithm);

    return (napcoll_generator_t){.args = {.collective = &napcoll_allreduce,
                                          .algorithm = &napcoll_allreduce.algorithm[row],
                                          .map = map,
                                          .params = {.local_radix = radix, .local_tree = tree}}};
}

/* 8 bytes on 2048 nodes of 16, all in step: messages of 10.008 or 1.008 us, reductions of 0.004. */
static void cost_of_processes_in_step_is_exact(void **state)
{
    const struct {
        const char *algorithm;
        double expected;
    } expected[] = {
        {"recursive_doubling", 11 * (10.008 + 0.004) + 4 * (1.008 + 0.004)},
        {"smp", 4 * (1.008 + 0.004) + 11 * (10.008 + 0.004) + 4 * 1.008},
    };
    napcoll_node_map_t *map = block_map(2048, 16);
    napcoll_machine_t m = plain();

    (void) state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        napcoll_generator_t generator = generator_of(expected[i].algorithm, map, 2, false);
        counted_t c = {.source = napcoll_generator_plan, .context = &generator, .until = 100};
        double time = napcoll_plan_cost_us(map, counted, &c, -1, &m, 8, 0, INFINITY);

        if (!is_about(time, expected[i].expected)) {
            fail_msg("%s: %.9g us, expected %.9g", expected[i].algorithm, time,
                     expected[i].expected);
        }
        assert_in_range(c.asked, 90, 97);
    }
    napcoll_node_map_free(map);
}

/* Rank 10 of 100 reduces in seven stages, the others in one. */
static void cost_counts_the_root(void **state)
{
    const act_t act[] = {{10, -1, -1, 1}, {10, -1, -1, 1}, {10, -1, -1, 1}, {10, -1, -1, 1},
                         {10, -1, -1, 1}, {10, -1, -1, 1}, {10, -1, -1, 1}, {0, -1, -1, 1}};
    script_t script = {.act = act, .acts = 8};
    napcoll_node_map_t *map = block_map(25, 4);
    napcoll_machine_t m = plain();

    (void) state;
    assert_true(is_about(napcoll_plan_cost_us(map, play, &script, 10, &m, 2000, 0, INFINITY), 7));
    assert_true(is_about(napcoll_plan_cost_us(map, play, &script, -1, &m, 2000, 0, INFINITY), 1));
    napcoll_node_map_free(map);
}

enum { LONG_STAGES = 30000 };

/* Several rounds of a ring. */
static napcoll_plan_t *ring(void *context, int rank)
{
    const int size = *(const int *) context;
    const napcoll_span_t in = {.buffer = NAPCOLL_BUFFER_SEND, .count = 1};
    const napcoll_span_t out = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_builder_new("allreduce", "ring", rank, 1);

    for (int i = 0; i < LONG_STAGES; i++) {
        napcoll_builder_recv(builder, out, (rank + size - 1) % size);
        napcoll_builder_send(builder, in, (rank + 1) % size);
        napcoll_builder_next_stage(builder);
    }
    return napcoll_builder_finish(builder);
}

static void cost_of_long_plans_takes_few_of_them(void **state)
{
    napcoll_node_map_t *map = block_map(300, 1);
    counted_t c = {.source = ring, .context = &map->size, .until = 100};
    napcoll_machine_t m = plain();
    double time = napcoll_plan_cost_us(map, counted, &c, -1, &m, 1000, 0, INFINITY);

    (void) state;
    assert_true(time > LONG_STAGES * 11.0 - 1e-3 && time < LONG_STAGES * 11.0 + 1e-3);
    assert_in_range(c.asked, 3, 5);
    napcoll_node_map_free(map);
}

/* 100 messages of 1 us each from a rank to its neighbour on another node, all at once. */
enum { MANY = 100 };

static napcoll_plan_t *busy_rank(void *context, int rank)
{
    const int busy = *(const int *) context;
    const napcoll_span_t in = {.buffer = NAPCOLL_BUFFER_SEND, .count = 1};
    const napcoll_span_t out = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_builder_new("allreduce", "busy", rank, 1);

    for (int i = 0; i < MANY; i++) {
        if (rank == busy) {
            napcoll_builder_send(builder, in, busy + 1);
        } else if (rank == busy + 1) {
            napcoll_builder_recv(builder, out, busy);
        }
    }
    napcoll_builder_next_stage(builder);
    return napcoll_builder_finish(builder);
}

/* A time of most_us or more need not be exact: a long lead needs no plan, a process with long sends
 * one plan, or two if it is the root. */
static void cost_is_told_as_far_as_it_is_of_interest(void **state)
{
    napcoll_node_map_t *map = block_map(300, 1);
    napcoll_machine_t m = plain();
    int busy = 0;
    counted_t c = {.source = busy_rank, .context = &busy, .until = 1000};
    double exact = napcoll_plan_cost_us(map, counted, &c, 0, &m, 1000, 5, INFINITY);

    (void) state;
    assert_true(is_about(exact, MANY * 1 + 10 + 5));
    assert_true(c.asked > 2);
    c.asked = 0;
    assert_true(napcoll_plan_cost_us(map, counted, &c, 0, &m, 1000, 5, 5) >= 5);
    assert_int_equal(c.asked, 0);
    assert_true(napcoll_plan_cost_us(map, counted, &c, 0, &m, 1000, 5, 100) >= 100);
    assert_int_equal(c.asked, 1);
    busy = 150;
    c.asked = 0;
    assert_true(napcoll_plan_cost_us(map, counted, &c, busy, &m, 1000, 5, 100) >= 100);
    assert_int_equal(c.asked, 2);
    assert_true(
        is_about(napcoll_plan_cost_us(map, counted, &c, busy, &m, 1000, 5, exact + 1), exact));
    napcoll_node_map_free(map);
}

/* Costs below most_us do not depend on it, to the last bit, and other costs are not below it. */
static void check_costs_below(const napcoll_collective_t *collective, int row)
{
    const double part[] = {0, 0.01, 0.3, 0.9, 0.999999, 1, 1.000001, 2};
    const napcoll_machine_t machine[] = {plain(), napcoll_machine_default};

    for (int i = 0; i < 2 * 2 * 2; i++) {
        napcoll_node_map_t *map = i & 1 ? block_map(40, 3) : block_map(6, 4);
        napcoll_generator_t generator = {.args = {.collective = collective,
                                                  .algorithm = &collective->algorithm[row],
                                                  .map = map,
                                                  .params = {.local_radix = 2}}};
        const napcoll_machine_t *m = &machine[i >> 1 & 1];
        const double bytes = i & 4 ? 1 << 18 : 8, lead = 17;
        const double exact = napcoll_plan_cost_us(map, napcoll_generator_plan, &generator, 0, m,
                                                  bytes, lead, INFINITY);

        for (size_t p = 0; p < sizeof(part) / sizeof(*part); p++) {
            const double most = exact * part[p];
            const double time = napcoll_plan_cost_us(map, napcoll_generator_plan, &generator, 0, m,
                                                     bytes, lead, most);

            if (exact < most) {
                assert_memory_equal(&time, &exact, sizeof(time));
            } else {
                assert_true(time >= most);
            }
        }
        napcoll_node_map_free(map);
    }
}

static void cost_below_what_is_of_interest_is_exact(void **state)
{
    (void) state;
    for (int row = 0; row < napcoll_allreduce.algorithms; row++) {
        check_costs_below(&napcoll_allreduce, row);
    }
    for (int row = 0; row < napcoll_alltoallv.algorithms; row++) { /* with messages of sizes */
        check_costs_below(&napcoll_alltoallv, row);
    }
}

static void cost_is_none_where_memory_runs_out(void **state)
{
    const act_t unmatched[] = {{0, 1, -1, 0}};
    script_t script = {.act = unmatched, .acts = 1};
    napcoll_node_map_t *map = block_map(2, 2);
    napcoll_generator_t generator = generator_of("nap", map, 2, false);
    napcoll_machine_t m = plain();

    (void) state;
    for (int until = 0; until <= 5; until++) {
        counted_t c = {.source = napcoll_generator_plan, .context = &generator, .until = until};

        assert_int_equal(isnan(napcoll_plan_cost_us(map, counted, &c, -1, &m, 8, 0, INFINITY)),
                         until < 5);
    }
    assert_true(isnan(napcoll_plan_cost_us(map, play, &script, -1, &m, 8, 0, INFINITY)));
    napcoll_node_map_free(map);
}

/* The estimate does not depend on the hardware's order of lanes, which only their node knows. */
static void cost_is_the_same_for_all_ranks(void **state)
{
    const char *const locality[] = {"SK0:CR0", "SK1:CR4", "SK0:CR1", "SK1:CR5", "SK0:CR2"};
    napcoll_machine_t m = napcoll_machine_default;

    (void) state;
    for (double bytes = 8; bytes <= 1 << 20; bytes *= 8) {
        double first = 0;

        for (int node = -1; node < 3; node++) {
            napcoll_node_map_t *map = block_map(50, 5), shared;
            napcoll_generator_t generator = generator_of("nap", &shared, 3, false);
            double time;

            if (node >= 0) {
                assert_int_equal(napcoll_node_map_set_locality(map, node, locality), 0);
                assert_int_not_equal(napcoll_node_map_local_order(map, node, 1), 1);
            }
            shared = napcoll_plan_cost_map(map);
            time = napcoll_plan_cost_us(&shared, napcoll_generator_plan, &generator, -1, &m, bytes,
                                        0, INFINITY);
            first = node < 0 ? time : first;
            assert_memory_equal(&time, &first, sizeof(time));
            napcoll_node_map_free(map);
        }
    }
}

/* ---- estimates and simulated times of allreduce ---- */

enum { ALGORITHMS = 3, SHIPPED = 2 };
static const char *const algorithms[ALGORITHMS] = {"recursive_doubling", "smp", "nap"};
static const char *const shipped[SHIPPED] = {"bluewaters.conf", "netlab.conf"};
static napcoll_machine_t machines[SHIPPED];

static int read_machines(void **state)
{
    (void) state;
    for (int i = 0; i < SHIPPED; i++) {
        napcoll_machine_error_t error;
        char path[4096];
        FILE *in = napcoll_machine_open(shipped[i], MACHINES, path, sizeof(path));

        if (NULL == in || 0 != napcoll_machine_read(in, &machines[i], &error) || 0 != fclose(in)) {
            return -1;
        }
    }
    return 0;
}

/* Limits for 2 to 64 nodes of 1 to 16 processes and 8 bytes to 1 MiB: the ratio of estimate and
 * simulated time, and the ratio of two algorithms' times from which on their order is the same. The
 * extremes of all 213,192 cases are 1.56 (nap, 1 MiB, 55 x 2 on netlab) and 1.28 (smp and recursive
 * doubling, 38 x 9 on Blue Waters); one ratio of 280 is above 1.2. The tests below are a choice. */
static const double most_ratio = 1.6, least_difference = 1.3;

/* The simulations of all plans and of a sample, for one placement and algorithm. */
typedef struct {
    napcoll_simulation_t *all;
    napcoll_simulation_t *sample;
} pair_t;

static pair_t pair_of(const char *algorithm, const napcoll_node_map_t *map, int radix, bool tree)
{
    napcoll_generator_t generator = generator_of(algorithm, map, radix, tree);
    pair_t pair = {0};
    napcoll_plan_t *first;
    int processes;

    if (NAPCOLL_REASON_NONE
        == napcoll_algorithm_eligible(generator.args.algorithm, map, &generator.args.params)) {
        assert_int_equal(
            napcoll_simulation_create(map, napcoll_generator_plan, &generator, &pair.all),
            NAPCOLL_SIMULATE_OK);
        first = napcoll_generator_plan(&generator, 0);
        assert_int_equal(napcoll_plan_cost_prepare(map, first, napcoll_generator_plan, &generator,
                                                   -1, false, &processes, &pair.sample),
                         NAPCOLL_SIMULATE_OK);
        napcoll_plan_free(first);
    }
    return pair;
}

static double time_of(napcoll_simulation_t *simulation, const napcoll_machine_t *machine,
                      double bytes)
{
    double time;

    assert_int_equal(napcoll_simulation_run(simulation, machine, bytes, &time),
                     NAPCOLL_SIMULATE_OK);
    return time;
}

/* Check one placement, machine and size. Times are 0 for an algorithm that is not eligible. */
static void check_size(const pair_t *pair, const napcoll_node_map_t *map, int machine, double bytes)
{
    double time[ALGORITHMS] = {0}, estimate[ALGORITHMS] = {0};

    for (int i = 0; i < ALGORITHMS; i++) {
        if (NULL == pair[i].all) {
            continue;
        }
        time[i] = time_of(pair[i].all, &machines[machine], bytes);
        estimate[i] = time_of(pair[i].sample, &machines[machine], bytes);
        if (map->size <= 64) {
            assert_memory_equal(&time[i], &estimate[i], sizeof(time[i]));
        } else if (estimate[i] > most_ratio * time[i] || time[i] > most_ratio * estimate[i]) {
            fail_msg("%s, %d x %d, %g bytes on %s: estimate %.9g us, simulated %.9g", algorithms[i],
                     map->nodes, map->max_ppn, bytes, shipped[machine], estimate[i], time[i]);
        }
        for (int j = 0; j < i; j++) {
            if ((time[i] > least_difference * time[j] && estimate[i] <= estimate[j])
                || (time[j] > least_difference * time[i] && estimate[j] <= estimate[i])) {
                fail_msg("%s and %s, %d x %d, %g bytes on %s: estimates %.9g and %.9g us, "
                         "simulated %.9g and %.9g",
                         algorithms[i], algorithms[j], map->nodes, map->max_ppn, bytes,
                         shipped[machine], estimate[i], estimate[j], time[i], time[j]);
            }
        }
    }
}

static void check_placement(int nodes, int ppn, int radix, bool tree)
{
    napcoll_node_map_t *map = block_map(nodes, ppn);
    pair_t pair[ALGORITHMS];

    for (int i = 0; i < ALGORITHMS; i++) {
        pair[i] = pair_of(algorithms[i], map, radix, tree);
    }
    for (int machine = 0; machine < SHIPPED; machine++) {
        for (double bytes = 8; bytes < 1 << 20; bytes *= 8) {
            check_size(pair, map, machine, bytes);
        }
        check_size(pair, map, machine, 1 << 20);
    }
    for (int i = 0; i < ALGORITHMS; i++) {
        napcoll_simulation_free(pair[i].all);
        napcoll_simulation_free(pair[i].sample);
    }
    napcoll_node_map_free(map);
}

static void cost_is_near_the_simulated_time(void **state)
{
    const int nodes[] = {2, 5, 12, 25, 37, 55, 64}, ppn[] = {1, 2, 3, 8, 11, 16};

    (void) state;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
        for (size_t j = 0; j < sizeof(ppn) / sizeof(*ppn); j++) {
            if (!sweep_takes()) {
                continue;
            }
            check_placement(nodes[i], ppn[j], 2, false);
            check_placement(nodes[i], ppn[j], 8, false);
            check_placement(nodes[i], ppn[j], 8, true);
        }
    }
}

/* Nodes of which the sample has 16 lanes, which stand for the others. */
static void cost_of_wide_nodes_is_near_the_simulated_time(void **state)
{
    (void) state;
    check_placement(20, 48, 8, false);
    check_placement(9, 128, 8, false);
    check_placement(9, 128, 8, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampled_process_gets_what_it_sends),
        cmocka_unit_test(sampled_process_that_only_sends_or_receives_takes_a_message),
        cmocka_unit_test(sampled_levels_overlap),
        cmocka_unit_test(sampled_process_stands_for_its_node),
        cmocka_unit_test(sampled_processes_wait_for_each_other),
        cmocka_unit_test(sampled_phases_take_a_tree_of_messages),
        cmocka_unit_test(cost_of_processes_in_step_is_exact),
        cmocka_unit_test(cost_counts_the_root),
        cmocka_unit_test(cost_of_long_plans_takes_few_of_them),
        cmocka_unit_test(cost_is_told_as_far_as_it_is_of_interest),
        cmocka_unit_test(cost_below_what_is_of_interest_is_exact),
        cmocka_unit_test(cost_is_none_where_memory_runs_out),
        cmocka_unit_test(cost_is_the_same_for_all_ranks),
        cmocka_unit_test(cost_is_near_the_simulated_time),
        cmocka_unit_test(cost_of_wide_nodes_is_near_the_simulated_time),
    };
    return cmocka_run_group_tests_name("estimates", tests, read_machines, NULL);
}
