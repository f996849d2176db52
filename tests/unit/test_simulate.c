/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The simulation: small plans against times worked out by hand, and the plans of allreduce against
 * the papers' closed forms.
 */

#include "cmocka_setup.h"

#include "scripts.h"

#include <math.h>

#include "algo/napcoll_algo.h"
#include "common/napcoll_closed_form.h"
#include "model/napcoll_simulate.h"
#include "common/napcoll_machine_file.h"
#include "common/napcoll_names.h"

static napcoll_machine_t bluewaters;

static int read_bluewaters(void **state)
{
    napcoll_machine_error_t error;
    char path[4096];
    FILE *in = napcoll_machine_open("bluewaters.conf", MACHINES, path, sizeof(path));
    int rc = NULL == in ? -1 : napcoll_machine_read(in, &bluewaters, &error);

    (void) state;
    if (NULL != in) {
        (void) fclose(in);
    }
    return rc;
}

/* ---- plans by hand ---- */

static napcoll_simulate_status_t simulate_script(const napcoll_machine_t *machine, int nodes,
                                                 int ppn, const act_t *act, int acts, double bytes,
                                                 double *time_us)
{
    script_t script = {.act = act, .acts = acts};
    napcoll_node_map_t *map = block_map(nodes, ppn);
    napcoll_simulation_t *simulation;
    napcoll_simulate_status_t status = napcoll_simulation_create(map, play, &script, &simulation);

    if (NAPCOLL_SIMULATE_OK == status) {
        double again;

        status = napcoll_simulation_run(simulation, machine, bytes, time_us);
        assert_int_equal(napcoll_simulation_run(simulation, machine, bytes, &again), status);
        /* runs leave nothing behind */
        assert_memory_equal(time_us, &again, sizeof(again));
    } else {
        assert_null(simulation);
    }
    napcoll_simulation_free(simulation);
    napcoll_node_map_free(map);
    return status;
}

static void check_script(const napcoll_machine_t *machine, int nodes, int ppn, const act_t *act,
                         int acts, double bytes, double expected)
{
    double time = -1;

    assert_int_equal(simulate_script(machine, nodes, ppn, act, acts, bytes, &time),
                     NAPCOLL_SIMULATE_OK);
    if (!(time > expected - 1e-9 && time < expected + 1e-9)) {
        fail_msg("%.9g us, expected %.9g", time, expected);
    }
}

static void simulate_message_costs_what_its_level_says(void **state)
{
    const act_t act[] = {{0, 1, -1, 0}, {1, -1, 0, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    check_script(&m, 1, 2, act, 2, 2000, 1 + 2);
    check_script(&m, 2, 1, act, 2, 2000, 10 + 2);
    check_script(&m, 2, 1, act, 2, 20000, 10 + 20);
}

static void simulate_reductions_cost_gamma(void **state)
{
    const act_t act[] = {{0, 1, -1, 0}, {1, -1, 0, 3}};
    napcoll_machine_t m = plain();

    (void) state;
    check_script(&m, 1, 2, act, 2, 2000, 1 + 2 + 3 * 1);
}

/* Rank 1 reduces for 10 us before it receives: 5000 bytes are there by then, 20000 start then. */
static void simulate_rendezvous_waits_for_the_receive(void **state)
{
    const act_t act[] = {{0, 1, -1, 0}, {1, -1, -1, 4}, {1, -1, 0, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    check_script(&m, 1, 2, act, 3, 5000, 4 * 2.5);
    check_script(&m, 1, 2, act, 3, 20000, 4 * 10 + 1 + 20);
}

static void simulate_process_sends_and_receives_one_at_a_time(void **state)
{
    const act_t fan[] = {{0, 1, -1, 0}, {0, 2, -1, 0}, {0, 3, -1, 0},
                         {1, -1, 0, 0}, {2, -1, 0, 0}, {3, -1, 0, 0}};
    const act_t in[] = {{0, -1, 1, 0}, {0, -1, 2, 0}, {0, -1, 3, 0},
                        {1, 0, -1, 0}, {2, 0, -1, 0}, {3, 0, -1, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    check_script(&m, 1, 4, fan, 6, 2000, 3 * 2 + 1);
    check_script(&m, 1, 4, in, 6, 2000, 1 + 3 * 2);
    /* more than 400 bytes take */
    m.process_overhead_us = 0.5;
    check_script(&m, 1, 4, fan, 6, 400, 2 * 0.5 + 0.4 + 1);
    check_script(&m, 1, 4, in, 6, 400, 1 + 0.4 + 2 * 0.5);
}

/* Processes 0..3 of node 0 send to 4..7 of node 1 at once. */
static void simulate_node_injection_is_shared(void **state)
{
    const act_t act[] = {{0, 4, -1, 0}, {4, -1, 0, 0}, {1, 5, -1, 0}, {5, -1, 1, 0},
                         {2, 6, -1, 0}, {6, -1, 2, 0}, {3, 7, -1, 0}, {7, -1, 3, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    check_script(&m, 2, 4, act, 8, 20000, 10 + 4 * 20000 / 2000.0);
    check_script(&m, 2, 4, act, 6, 20000, 10 + 3 * 20000 / 2000.0);
    /* two are too few */
    check_script(&m, 2, 4, act, 4, 20000, 10 + 20);
    /* too small */
    check_script(&m, 2, 4, act, 8, 9000, 10 + 9);
    m.node_injection_from_processes = 1;
    m.node_injection_mbyte_per_s = 500;
    check_script(&m, 2, 4, act, 4, 20000, 10 + 2 * 20000 / 500.0);
    /* not inside a node */
    check_script(&m, 1, 8, act, 8, 20000, 1 + 20);
}

/* Rank 1 reduces for 10 us before it sends. By then half of rank 0's message has left. Then both
 * have half the rate: rank 0's message has left at 30 us, and rank 1's, alone again, at 40. Rank 2
 * receives rank 0's message and reduces for 30 us. */
static void simulate_node_injection_is_shared_evenly(void **state)
{
    const act_t act[] = {
        {0, 2, -1, 0}, {2, -1, 0, 3}, {1, -1, -1, 1}, {1, 3, -1, 0}, {3, -1, 1, 0}};
    const act_t other[] = {
        {0, 2, -1, 0}, {2, -1, 0, 0}, {1, -1, -1, 1}, {1, 3, -1, 0}, {3, -1, 1, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    m.node_injection_from_processes = 1;
    m.node_injection_mbyte_per_s = 1000;
    check_script(&m, 2, 2, act, 5, 20000, 30 + 10 + 30);
    check_script(&m, 2, 2, other, 5, 20000, 40 + 10);
}

static void simulate_node_gap_spaces_messages(void **state)
{
    const act_t act[] = {{0, 4, -1, 0}, {4, -1, 0, 0}, {1, 5, -1, 0}, {5, -1, 1, 0},
                         {2, 6, -1, 0}, {6, -1, 2, 0}, {3, 7, -1, 0}, {7, -1, 3, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    m.node_gap_us = 5;
    check_script(&m, 2, 4, act, 8, 2000, 3 * 5 + 2 + 10);
    check_script(&m, 1, 8, act, 8, 2000, 2 + 1);
    m.node_local_gap_us = 4;
    check_script(&m, 2, 4, act, 8, 2000, 3 * 5 + 2 + 10);
    check_script(&m, 1, 8, act, 8, 2000, 3 * 4 + 2 + 1);
    m.node_local_ns_per_byte = 3;
    check_script(&m, 2, 4, act, 8, 2000, 3 * 5 + 2 + 10);
    check_script(&m, 1, 8, act, 8, 2000, 4 * 6 + 1);
}

/* Process 0 sends to two processes of each node, and process 2 of the other node gets two
 * messages. */
static void simulate_process_gap_spaces_network_messages(void **state)
{
    const act_t fan[] = {{0, 1, -1, 0}, {0, 2, -1, 0}, {0, 3, -1, 0},
                         {1, -1, 0, 0}, {2, -1, 0, 0}, {3, -1, 0, 0}};
    const act_t in[] = {{0, 2, -1, 0}, {2, -1, 0, 0}, {1, 2, -1, 0}, {2, -1, 1, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    m.process_gap_us = 5;
    check_script(&m, 2, 2, fan, 6, 2000, 2 + 5 + 2 + 10);
    check_script(&m, 2, 2, in, 4, 2000, 2 + 10 + 5);
    check_script(&m, 1, 4, fan, 6, 2000, 3 * 2 + 1);
}

/* Process 0 sends inside its node, and process 1 to the other one, 2000 bytes at 1000 MB/s. */
static void simulate_shared_processors_do_one_thing_at_a_time(void **state)
{
    const act_t act[] = {{0, 1, -1, 0}, {1, 2, 0, 0}, {2, -1, 1, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    check_script(&m, 2, 2, act, 3, 2000, 2 + 10);
    m.node_injection_mbyte_per_s = 1000;
    m.node_local_gap_us = 7;
    check_script(&m, 2, 2, act, 3, 2000, 7 + 2 + 10);
}

/* 2000 bytes inside a node take 0.5 us and 0.25 ns per byte, more bytes what the PML takes; between
 * nodes nothing changes. */
static void simulate_node_memory_is_a_protocol_of_small_messages_inside_nodes(void **state)
{
    const act_t act[] = {{0, 1, -1, 0}, {1, -1, 0, 0}};
    const act_t late[] = {{0, 1, -1, 0}, {1, -1, -1, 3}, {1, -1, 0, 0}};
    const act_t fan[] = {{0, 1, -1, 0}, {0, 2, -1, 0}, {0, 3, -1, 0},
                         {1, -1, 0, 0}, {2, -1, 0, 0}, {3, -1, 0, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    m.node_memory.ns_per_byte = 0.25;
    check_script(&m, 1, 2, act, 2, 2000, 2 + 1);
    m.node_memory.latency_us = 0.5;
    check_script(&m, 1, 2, act, 2, 2000, 0.5 + 0.5);
    check_script(&m, 1, 2, act, 2, 16384, 4.096 + 0.5);
    check_script(&m, 1, 2, act, 2, 20000, 20 + 1);
    check_script(&m, 2, 1, act, 2, 2000, 2 + 10);
    /* it need not wait for its receive */
    m.short_below_bytes = m.eager_below_bytes = 0;
    check_script(&m, 1, 2, late, 3, 2000, 3);
    m.node_memory.latency_us = 0;
    check_script(&m, 1, 2, late, 3, 2000, 3 + 2 + 1);
    /* a message keeps a process busy for o, but not for more than half of the latency */
    m.node_memory = (napcoll_link_t){.latency_us = 0.5};
    m.process_overhead_us = 0.1;
    check_script(&m, 1, 4, fan, 6, 2000, 2 * 0.1 + 0.5);
    m.process_overhead_us = 0.4;
    check_script(&m, 1, 4, fan, 6, 2000, 2 * 0.25 + 0.5);
}

/* What a process sends to several others of its node it writes once: 0.25 ns per byte. Messages
 * above 16 KiB go through node memory up to the size that the goal allows. */
static void simulate_node_memory_is_written_once_for_several_readers(void **state)
{
    const act_t fan[] = {{0, 1, -1, 0}, {0, 2, -1, 0}, {0, 3, -1, 0},
                         {1, -1, 0, 0}, {2, -1, 0, 0}, {3, -1, 0, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    m.node_memory = (napcoll_link_t){.latency_us = 0.5, .ns_per_byte = 0.25};
    check_script(&m, 1, 4, fan, 6, 2000, 0.5 + 0.5);
    check_script(&m, 1, 4, fan, 6, 20000, 1 + 20);
    m.node_memory_large = 20000;
    check_script(&m, 1, 4, fan, 6, 20000, 5 + 0.5);
    check_script(&m, 1, 4, fan, 6, 24000, 1 + 24);
    /* each of the others is one more message by itself */
    m.process_overhead_us = 0.1;
    check_script(&m, 1, 4, fan, 6, 20000, 5 + 0.1 + 0.5);
    m.node_memory.latency_us = 0;
    check_script(&m, 1, 4, fan, 6, 2000, 3 * 2 + 1);
}

/* By rendezvous inside a node receivers copy, at the same time, each one message after the other; a
 * send ends with its copy. */
static void simulate_receivers_pull_large_messages_inside_nodes(void **state)
{
    const act_t fan[] = {{0, 1, -1, 0}, {0, 2, -1, 0}, {1, -1, 0, 0}, {2, -1, 0, 0}};
    const act_t in[] = {{0, -1, 1, 0}, {0, -1, 2, 0}, {1, 0, -1, 0}, {2, 0, -1, 0}};
    const act_t twice[] = {{0, 1, -1, 1}, {0, 2, -1, 0}, {1, -1, 0, 0}, {2, -1, 0, 0}};
    napcoll_machine_t m = plain();

    (void) state;
    check_script(&m, 1, 3, fan, 4, 20000, 1 + 20);
    check_script(&m, 1, 3, in, 4, 20000, 1 + 2 * 20);
    check_script(&m, 1, 3, twice, 4, 20000, 1 + 20 + 10 + 1 + 20);
    /* between nodes the sender sends */
    check_script(&m, 3, 1, fan, 4, 20000, 2 * 20 + 10);
    check_script(&m, 3, 1, twice, 4, 20000, 20 + 10 + 20 + 10);
    /* a process is busy with each message for a time */
    m.process_overhead_us = 3;
    check_script(&m, 1, 3, fan, 4, 20000, 3 + 1 + 20);
}

static void simulate_finds_what_cannot_run(void **state)
{
    const act_t unmatched[] = {{0, 1, -1, 0}, {1, -1, -1, 1}};
    const act_t wrong_peer[] = {{0, 1, -1, 0}, {1, -1, 2, 0}};
    const act_t outside[] = {{0, 9, -1, 0}, {1, -1, 0, 0}};
    /* each rank sends in one stage and receives in the next: eager messages only */
    const act_t crossed[] = {{0, 1, -1, 1}, {0, -1, 1, 0}, {1, 0, -1, 1}, {1, -1, 0, 0}};
    napcoll_machine_t m = plain();
    double time;

    (void) state;
    assert_int_equal(simulate_script(&m, 3, 1, unmatched, 2, 8, &time), NAPCOLL_SIMULATE_UNMATCHED);
    assert_int_equal(simulate_script(&m, 3, 1, wrong_peer, 2, 8, &time),
                     NAPCOLL_SIMULATE_UNMATCHED);
    assert_int_equal(simulate_script(&m, 3, 1, outside, 2, 8, &time), NAPCOLL_SIMULATE_UNMATCHED);
    assert_int_equal(simulate_script(&m, 3, 1, crossed, 4, 20000, &time),
                     NAPCOLL_SIMULATE_DEADLOCK);
    assert_int_equal(simulate_script(&m, 3, 1, crossed, 4, 2000, &time), NAPCOLL_SIMULATE_OK);
}

/* ---- plans of allreduce ---- */

static napcoll_simulation_t *simulation_of(const char *algorithm, const napcoll_node_map_t *map,
                                           const napcoll_params_t *params)
{
    napcoll_generator_t generator = {
        .args = {.collective = &napcoll_allreduce, .map = map, .params = *params}};
    napcoll_simulation_t *simulation;

    generator.args.algorithm =
        &napcoll_allreduce.algorithm[napcoll_algorithm_find(&napcoll_allreduce, algorithm)];
    assert_int_equal(
        napcoll_simulation_create(map, napcoll_generator_plan, &generator, &simulation),
        NAPCOLL_SIMULATE_OK);
    return simulation;
}

/* Check that the simulated time is within 10 % of the closed form less `fewer` reductions of the
 * vector, for sizes up to `most_bytes`. */
static void check_form(const char *algorithm, int nodes, int ppn, int fewer, double most_bytes)
{
    const napcoll_params_t params = {.local_radix = 2};
    napcoll_closed_form_t form = napcoll_model_closed_form("allreduce", algorithm);
    napcoll_node_map_t *map = block_map(nodes, ppn);
    napcoll_simulation_t *simulation = simulation_of(algorithm, map, &params);

    for (double bytes = 8; bytes <= most_bytes; bytes *= 2) {
        double expected = form(&bluewaters, nodes, ppn, bytes)
                          - fewer * bytes * bluewaters.reduce_ns_per_byte / 1000;
        double time;

        assert_int_equal(napcoll_simulation_run(simulation, &bluewaters, bytes, &time),
                         NAPCOLL_SIMULATE_OK);
        if (!(time >= 0.9 * expected && time <= 1.1 * expected)) {
            fail_msg("%s, %d x %d, %g bytes: %.9g us, %.4f of the closed form's %.9g", algorithm,
                     nodes, ppn, bytes, time, time / expected, expected);
        }
    }
    napcoll_simulation_free(simulation);
    napcoll_node_map_free(map);
}

/* nodes, ppn, log2(ppn): nodes are powers of ppn */
static const int placement[][3] = {{1, 4, 2},  {4, 4, 2},   {16, 4, 2}, {64, 4, 2}, {8, 8, 3},
                                   {64, 8, 3}, {16, 16, 4}, {2, 2, 1},  {16, 2, 1}, {256, 16, 4}};
enum { PLACEMENTS = sizeof(placement) / sizeof(*placement) };

/* Steps of two inside the nodes, as the forms count them; every protocol. */
static void simulate_agrees_with_recursive_doublings_form(void **state)
{
    (void) state;
    for (int p = 0; p < PLACEMENTS; p++) {
        check_form("recursive_doubling", placement[p][0], placement[p][1], 0, 1 << 20);
    }
}

static void simulate_agrees_with_smps_form(void **state)
{
    (void) state;
    for (int p = 0; p < PLACEMENTS; p++) {
        check_form("smp", placement[p][0], placement[p][1], 0, 1 << 20);
    }
}

/* The form behind the paper's figures has log2(ppn) reductions that the algorithm does not do: each
 * of its local allreduces, one more than there are steps between nodes, reduces log2(ppn) times,
 * which makes log2(P). From about 1 KiB on, where reductions cost as much as messages, they are
 * more than 10 %; without them the form holds for every size. */
static void simulate_agrees_with_naps_form(void **state)
{
    (void) state;
    for (int p = 0; p < PLACEMENTS; p++) {
        check_form("nap", placement[p][0], placement[p][1], placement[p][2], 1 << 20);
        if (placement[p][0] >= placement[p][1]) {
            check_form("nap", placement[p][0], placement[p][1], 0, 512);
        }
    }
}

static double simulated(const char *algorithm, int nodes, int ppn, int local_radix, double bytes)
{
    const napcoll_params_t params = {.local_radix = local_radix};
    napcoll_node_map_t *map = block_map(nodes, ppn);
    napcoll_simulation_t *simulation = simulation_of(algorithm, map, &params);
    double time;

    assert_int_equal(napcoll_simulation_run(simulation, &bluewaters, bytes, &time),
                     NAPCOLL_SIMULATE_OK);
    napcoll_simulation_free(simulation);
    napcoll_node_map_free(map);
    return time;
}

/* Where the forms do not hold. Wider local steps pay fewer latencies than log2(ppn): with radix 8
 * two of them instead of four. On 48 nodes of 16, recursive doubling halves 768 ranks into groups
 * of 24 and 12, which cut through nodes: more steps cross the network than log2(48). nap's groups
 * are of nodes, so it needs no more than its form, rounded up, says. */
static void simulate_differs_from_the_forms_outside_their_assumptions(void **state)
{
    (void) state;
    assert_true(simulated("nap", 16, 16, 8, 8)
                < 0.9 * napcoll_model_closed_form("allreduce", "nap")(&bluewaters, 16, 16, 8));
    assert_true(simulated("recursive_doubling", 48, 16, 2, 8)
                > 1.1 * napcoll_model_recursive_doubling_us(&bluewaters, 48, 16, 8));
    assert_true(simulated("nap", 48, 16, 2, 8)
                < 1.1 * napcoll_model_closed_form("allreduce", "nap")(&bluewaters, 48, 16, 8));
}

static void simulate_refuses_phases_of_another_provider(void **state)
{
    napcoll_generator_t generator = {
        .args = {.collective = &napcoll_allreduce,
                 .params = {.provider = {NAPCOLL_PROVIDER_DELEGATE}, .local_radix = 2}}};
    napcoll_node_map_t *map = block_map(2, 2);
    napcoll_simulation_t *simulation;

    (void) state;
    generator.args.map = map;
    generator.args.algorithm =
        &napcoll_allreduce.algorithm[napcoll_algorithm_find(&napcoll_allreduce, "smp")];
    assert_int_equal(
        napcoll_simulation_create(map, napcoll_generator_plan, &generator, &simulation),
        NAPCOLL_SIMULATE_PHASE);
    assert_null(simulation);
    napcoll_node_map_free(map);
}

/* The time of a scatter by an algorithm, in a number of pieces. */
static double scattered(const char *algorithm, int pieces, double bytes)
{
    napcoll_generator_t generator = {
        .args = {.collective = &napcoll_scatter,
                 .params = {.root = 3, .segments = pieces, .local_radix = 2}}};
    napcoll_node_map_t *map = block_map(6, 2);
    napcoll_simulation_t *simulation;
    double time_us;

    generator.args.map = map;
    generator.args.algorithm =
        &napcoll_scatter.algorithm[napcoll_algorithm_find(&napcoll_scatter, algorithm)];
    assert_int_equal(
        napcoll_simulation_create(map, napcoll_generator_plan, &generator, &simulation),
        NAPCOLL_SIMULATE_OK);
    assert_int_equal(napcoll_simulation_run(simulation, &bluewaters, bytes, &time_us),
                     NAPCOLL_SIMULATE_OK);
    napcoll_simulation_free(simulation);
    napcoll_node_map_free(map);
    return time_us;
}

static void simulate_runs_plans_of_pieces_once_for_each(void **state)
{
    const double piece = scattered("linear", 1, 65536);

    (void) state;
    assert_true(piece > 0);
    assert_true(fabs(scattered("segmented", 1, 65536) - piece) < 1e-9);
    assert_true(fabs(scattered("segmented", 4, 4 * 65536) - 4 * piece) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulate_message_costs_what_its_level_says),
        cmocka_unit_test(simulate_reductions_cost_gamma),
        cmocka_unit_test(simulate_rendezvous_waits_for_the_receive),
        cmocka_unit_test(simulate_process_sends_and_receives_one_at_a_time),
        cmocka_unit_test(simulate_node_injection_is_shared),
        cmocka_unit_test(simulate_node_injection_is_shared_evenly),
        cmocka_unit_test(simulate_node_gap_spaces_messages),
        cmocka_unit_test(simulate_process_gap_spaces_network_messages),
        cmocka_unit_test(simulate_node_memory_is_a_protocol_of_small_messages_inside_nodes),
        cmocka_unit_test(simulate_node_memory_is_written_once_for_several_readers),
        cmocka_unit_test(simulate_receivers_pull_large_messages_inside_nodes),
        cmocka_unit_test(simulate_shared_processors_do_one_thing_at_a_time),
        cmocka_unit_test(simulate_finds_what_cannot_run),
        cmocka_unit_test(simulate_agrees_with_recursive_doublings_form),
        cmocka_unit_test(simulate_agrees_with_smps_form),
        cmocka_unit_test(simulate_agrees_with_naps_form),
        cmocka_unit_test(simulate_differs_from_the_forms_outside_their_assumptions),
        cmocka_unit_test(simulate_refuses_phases_of_another_provider),
        cmocka_unit_test(simulate_runs_plans_of_pieces_once_for_each),
    };
    return cmocka_run_group_tests_name("simulation", tests, read_bluewaters, NULL);
}
