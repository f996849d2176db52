/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The machine that is fitted to made-up times with a known answer.
 */

#include <math.h>

#include "cmocka_setup.h"

#include "close.h"
#include "tune/napcoll_calibrate.h"
#include "common/napcoll_delays.h"
#include "util/napcoll_mix.h"
#include "common/napcoll_machine_file.h"

/* The made-up platform, in seconds and bytes. */
struct platform {
    /* Eager, between nodes */
    double alpha, beta;
    /* Additional latency of rendezvous. */
    double asked;
    /* = 1 / R_b */
    double rendezvous_beta;
    /* = 1 / R_N */
    double node_beta;
    /* The least size of rendezvous. */
    double limit;
    /* Below this limit the latency is shorter by this; 0: no short messages. */
    double short_limit, shorter;
    /* Between messages of one process, and of all processes of the node. */
    double gap, node_gap;
};

static const struct platform far_away = {.alpha = 100e-6,
                                         .beta = 9e-9,
                                         .asked = 200e-6,
                                         .rendezvous_beta = 8e-9,
                                         .node_beta = 2e-9,
                                         .limit = 65536,
                                         .gap = 5e-6,
                                         .node_gap = 2e-6};

enum { TURNS = 8, ROUNDS = 4 };

static uint64_t seed;
static napcoll_measured_t made;

static int begin(void **state)
{
    (void) state;
    seed = 7;
    memset(&made, 0, sizeof(made));
    return 0;
}

static int end(void **state)
{
    (void) state;
    napcoll_measured_close(&made);
    return 0;
}

/* From 0 to below 1. */
static double dice(void)
{
    return (double) (napcoll_mix_next(&seed) >> 11) * 0x1p-53;
}

/* A time on a busy machine: up to `noise` longer, and one in eight up to ten times as long. */
static void add(napcoll_timings_t *timings, double x, double seconds, double noise, int turn)
{
    seconds *= 1 + noise * dice();
    if (noise > 0 && dice() < 0.125) {
        seconds *= 1 + 9 * dice();
    }
    assert_int_equal(napcoll_timings_add(timings, x, seconds, turn), 0);
}

static double half_trip(const struct platform *p, double bytes)
{
    if (bytes < p->short_limit) {
        return p->alpha - p->shorter + p->beta * bytes;
    }
    return bytes < p->limit ? p->alpha + p->beta * bytes
                            : p->alpha + p->asked + p->rendezvous_beta * bytes;
}

static void make_trips(const struct platform *p, napcoll_level_t level, double noise)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (double bytes = 8; bytes < 3e6; bytes *= sqrt(2)) {
            const double whole = floor(bytes + 0.5);

            for (int i = 0; i < ROUNDS; i++) {
                add(&made.half_trip[level], whole, half_trip(p, whole), noise, turn);
            }
        }
    }
}

/* Bursts of 1, 2 and 4 times `count` messages; a message of each active process takes `seconds`. */
static void make_stream(napcoll_stream_t *stream, int active, double bytes, int count,
                        double seconds, double noise)
{
    stream->active = active;
    stream->bytes = bytes;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int n = count; n <= 4 * count; n *= 2) {
            add(&stream->sent, n, 300e-6 + n * seconds, noise, turn);
        }
    }
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void make_streams(const struct platform *p, int most, double noise)
{
    const double bytes = 1e6;

    for (int active = 1; active <= most; active++) {
        make_stream(&made.large.stream[made.large.num++], active, bytes, 1,
                    bytes * larger(p->rendezvous_beta, active * p->node_beta), noise);
    }
    make_stream(&made.small.stream[made.small.num++], 1, 8, 16, p->gap, noise);
    make_stream(&made.small.stream[made.small.num++], most, 8, 16,
                larger(p->gap, most * p->node_gap), noise);
}

static void make_all(const struct platform *p, double noise)
{
    make_trips(p, NAPCOLL_LEVEL_NETWORK, noise);
    make_streams(p, 8, noise);
}

static napcoll_calibrated_t fitted(void)
{
    napcoll_calibrated_t c;
    const napcoll_calibrate_result_t result = napcoll_calibrate(&made, NAPCOLL_TURNS_ALL, &c);

    if (NAPCOLL_CALIBRATE_OK != result) {
        fail_msg("%s", napcoll_calibrate_result_text(result));
    }
    return c;
}

static void check_far_away(const napcoll_machine_t *m, double share)
{
    const napcoll_link_t *link = m->link[NAPCOLL_LEVEL_NETWORK];

    check_close(link[NAPCOLL_PROTOCOL_EAGER].latency_us, 100, share);
    check_close(link[NAPCOLL_PROTOCOL_EAGER].ns_per_byte, 9, share);
    check_close(link[NAPCOLL_PROTOCOL_RENDEZVOUS].latency_us, 300, share);
    check_close(m->process_injection_mbyte_per_s, 125, share);
    check_close(m->node_injection_mbyte_per_s, 500, share);
    assert_true(4 == m->node_injection_from_processes && 0 == m->node_injection_from_bytes);
    check_close(m->process_gap_us, 5, share);
    check_close(m->node_gap_us, 2, share);
}

/* ---- a machine ---- */

static void machine_is_exact_without_noise(void **state)
{
    napcoll_calibrated_t c;

    (void) state;
    make_all(&far_away, 0);
    c = fitted();
    /* Four digits */
    check_far_away(&c.machine, 1e-3);
    assert_true(0 == c.machine.short_below_bytes && 65536 == c.machine.eager_below_bytes);
    assert_true(c.node_has_gap && !c.rate_grows);
}

static void machine_is_found_in_noise(void **state)
{
    napcoll_calibrated_t c;

    (void) state;
    made.limit[made.num_limits++] = 4096;
    made.limit[made.num_limits++] = 65000;
    make_all(&far_away, 0.1);
    c = fitted();
    check_far_away(&c.machine, 0.08);
    assert_true(c.limit_known && 65000 == c.machine.eager_below_bytes);
}

static void short_messages_are_told_from_eager_ones(void **state)
{
    struct platform p = far_away;
    napcoll_calibrated_t c;

    (void) state;
    p.short_limit = 500;
    p.shorter = 60e-6;
    make_all(&p, 0.02);
    c = fitted();
    assert_true(c.machine.short_below_bytes > 360 && c.machine.short_below_bytes < 520);
    assert_true(65536 == c.machine.eager_below_bytes);
    check_close(c.machine.link[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_SHORT].latency_us, 40, 0.1);
    check_close(c.machine.link[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_EAGER].latency_us, 100, 0.1);
}

/* A third line behind the library's documented limit is not of the protocol. */
static void limits_tell_which_change_is_the_protocol(void **state)
{
    struct platform p = far_away;
    napcoll_calibrated_t c;

    (void) state;
    p.short_limit = 4096;
    p.shorter = 80e-6;
    make_all(&p, 0.02);
    made.limit[made.num_limits++] = 4000;
    c = fitted();
    assert_true(0 == c.machine.short_below_bytes && 4000 == c.machine.eager_below_bytes);
    made.limit[made.num_limits++] = 65000;
    c = fitted();
    assert_true(4000 == c.machine.short_below_bytes && 65000 == c.machine.eager_below_bytes);
}

static void noise_alone_is_no_protocol(void **state)
{
    struct platform p = far_away;
    napcoll_calibrated_t c;

    (void) state;
    p.asked = 0;
    p.rendezvous_beta = p.beta;
    make_all(&p, 0.2);
    c = fitted();
    assert_true(0 == c.protocols[NAPCOLL_LEVEL_NETWORK].eager.below);
    assert_true(0 == c.machine.short_below_bytes && c.machine.eager_below_bytes > 2e6);
    check_close(c.machine.process_injection_mbyte_per_s, 1000 / 9.0, 0.1);
}

/* Where the rate still grows, R_N is the rate of the most processes and applies from their number
 * on. */
static void growing_rates_are_said_to_grow(void **state)
{
    struct platform p = far_away;
    napcoll_calibrated_t c;

    (void) state;
    p.node_beta = 0.5e-9;
    p.node_gap = 0.1e-6;
    make_all(&p, 0.02);
    c = fitted();
    assert_true(c.rate_grows && 8 == c.machine.node_injection_from_processes);
    check_close(c.machine.node_injection_mbyte_per_s, 1000, 0.05);
    assert_true(!c.node_has_gap && 0 == c.machine.node_gap_us);
}

/* Eager messages may leave faster than R_N. */
static void rate_of_large_messages_need_not_be_that_of_eager_ones(void **state)
{
    napcoll_calibrated_t c;

    (void) state;
    make_all(&far_away, 0);
    make_stream(&made.eager.stream[made.eager.num++], 8, 16384, 8, 8 * 16384 / 1000e6, 0);
    c = fitted();
    assert_true(65536 == c.machine.node_injection_from_bytes);
    /* With one-time costs. */
    check_close(c.eager_rate, 930, 0.01);
}

static void inside_of_nodes_is_found(void **state)
{
    const struct platform p = {.alpha = 2e-6, .beta = 0.2e-9, .limit = 1e9};
    napcoll_calibrated_t c;

    (void) state;
    make_all(&far_away, 0);
    make_trips(&p, NAPCOLL_LEVEL_SOCKET, 0);
    make_stream(&made.near_large, 4, 262144, 2, 262144 * 0.4e-9, 0);
    make_stream(&made.near_small, 4, 8, 64, 1.2e-6, 0);
    add(&made.start, 0, 20e-6, 0, 0);
    for (double bytes = 1e5; bytes < 5e5; bytes *= 2) {
        add(&made.reduction, bytes, bytes * 0.25e-9, 0, 0);
    }
    c = fitted();
    check_close(c.machine.link[NAPCOLL_LEVEL_SOCKET][NAPCOLL_PROTOCOL_EAGER].latency_us, 2, 1e-3);
    /* Two sockets were not measured: a copy of one. No line begins below 0. */
    check_close(c.machine.link[NAPCOLL_LEVEL_NODE][NAPCOLL_PROTOCOL_RENDEZVOUS].latency_us, 2,
                1e-3);
    check_close(c.machine.node_local_ns_per_byte, 0.1, 1e-3);
    check_close(c.machine.reduce_ns_per_byte, 0.25, 1e-3);
    /* Half of the least latency. */
    check_close(c.machine.process_overhead_us, 1, 1e-3);
    check_close(c.start_us, 20, 1e-3);
    /* Each process has a processor. */
    assert_true(0 == c.machine.node_local_gap_us);
    made.oversubscribed = true;
    c = fitted();
    check_close(c.machine.node_local_gap_us, 0.3, 1e-3);
    /* Four messages that wait for each other. */
    add(&made.shift, 8, 160e-6, 0, 0);
    made.shift_ppn = 4;
    c = fitted();
    check_close(c.machine.node_local_gap_us, 40, 1e-3);
}

static void node_memory_is_a_line_over_bytes(void **state)
{
    napcoll_calibrated_t c;

    (void) state;
    make_all(&far_away, 0);
    c = fitted();
    assert_true(0 == c.machine.node_memory.latency_us && 0 == c.node_memory.points);
    for (double bytes = 8; bytes <= 16384; bytes *= 2) {
        for (int turn = 0; turn < TURNS; turn++) {
            add(&made.node_memory, bytes, 0.2e-6 + bytes * 0.1e-9, 0.05, turn);
        }
    }
    c = fitted();
    check_close(c.machine.node_memory.latency_us, 0.2, 0.06);
    check_close(c.machine.node_memory.ns_per_byte, 0.1, 0.06);
}

/* A printed machine can be read. */
static void machine_reads_back(void **state)
{
    napcoll_machine_error_t error = {0};
    napcoll_machine_t read;
    napcoll_calibrated_t c;
    FILE *file = tmpfile();

    (void) state;
    assert_non_null(file);
    make_all(&far_away, 0.3);
    c = fitted();
    assert_int_equal(napcoll_machine_print(&c.machine, file), 0);
    rewind(file);
    if (0 != napcoll_machine_read(file, &read, &error)) {
        fail_msg("%d: %s", error.line, error.text);
    }
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        assert_true(*napcoll_machine_number(&read, i) == *napcoll_machine_number(&c.machine, i));
    }
    assert_int_equal(fclose(file), 0);
}

static void halves_differ_where_the_machine_changed(void **state)
{
    struct platform slower = far_away;
    napcoll_calibrated_t even, odd;
    int apart = 0, latency = 0;

    (void) state;
    make_all(&far_away, 0.02);
    assert_int_equal(napcoll_calibrate(&made, NAPCOLL_TURNS_EVEN, &even), NAPCOLL_CALIBRATE_OK);
    assert_int_equal(napcoll_calibrate(&made, NAPCOLL_TURNS_ODD, &odd), NAPCOLL_CALIBRATE_OK);
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        apart += napcoll_calibrate_apart(&even.machine, &odd.machine, i) > 0.05;
    }
    assert_int_equal(apart, 0);
    napcoll_measured_close(&made);
    slower.alpha *= 1.5;
    make_all(&slower, 0.02);
    assert_int_equal(napcoll_calibrate(&made, NAPCOLL_TURNS_ODD, &odd), NAPCOLL_CALIBRATE_OK);
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        if (napcoll_calibrate_apart(&even.machine, &odd.machine, i) > 0.05) {
            latency += NULL != strstr(napcoll_machine_key(i), "network_eager_latency");
        }
    }
    assert_int_equal(latency, 1);
}

/* ---- errors ---- */

static void too_little_is_refused(void **state)
{
    napcoll_calibrated_t c;

    (void) state;
    assert_int_equal(napcoll_calibrate(&made, NAPCOLL_TURNS_ALL, &c), NAPCOLL_CALIBRATE_TOO_FEW);
    make_streams(&far_away, 2, 0);
    for (int i = 0; i < 7; i++) {
        add(&made.half_trip[NAPCOLL_LEVEL_NETWORK], 8 << i, 1e-4, 0, 0);
    }
    assert_int_equal(napcoll_calibrate(&made, NAPCOLL_TURNS_ALL, &c), NAPCOLL_CALIBRATE_TOO_FEW);
    assert_int_equal(napcoll_calibrate(&made, NAPCOLL_TURNS_ODD, &c), NAPCOLL_CALIBRATE_TOO_FEW);
    napcoll_measured_close(&made);
    make_trips(&far_away, NAPCOLL_LEVEL_NETWORK, 0);
    assert_int_equal(napcoll_calibrate(&made, NAPCOLL_TURNS_ALL, &c), NAPCOLL_CALIBRATE_TOO_FEW);
}

static void times_that_do_not_grow_have_no_rate(void **state)
{
    napcoll_calibrated_t c;

    (void) state;
    for (int i = 0; i < 12; i++) {
        add(&made.half_trip[NAPCOLL_LEVEL_NETWORK], 8 << i, 1e-4, 0, 0);
    }
    make_stream(&made.large.stream[made.large.num++], 1, 1e6, 1, 0, 0);
    assert_int_equal(napcoll_calibrate(&made, NAPCOLL_TURNS_ALL, &c), NAPCOLL_CALIBRATE_NO_RATE);
}

static void implausible_numbers_are_refused(void **state)
{
    struct platform p = far_away;
    napcoll_calibrated_t c;

    (void) state;
    /* Seconds */
    p.alpha = 100;
    make_all(&p, 0);
    assert_int_equal(napcoll_calibrate(&made, NAPCOLL_TURNS_ALL, &c),
                     NAPCOLL_CALIBRATE_IMPLAUSIBLE);
}

static void times_that_are_none_are_refused(void **state)
{
    napcoll_timings_t *timings = &made.start;
    napcoll_point_t *points;
    napcoll_line_t line;

    (void) state;
    assert_int_equal(napcoll_timings_add(timings, 1, -1e-9, 0), -1);
    assert_int_equal(napcoll_timings_add(timings, 1, NAN, 0), -1);
    assert_int_equal(napcoll_timings_add(timings, 1, INFINITY, 0), -1);
    assert_int_equal(napcoll_timings_points(timings, NAPCOLL_TURNS_ALL, &points), 0);
    assert_null(points);
    assert_int_equal(napcoll_timings_add(timings, 1, 0, 0), 0);
    assert_int_equal(napcoll_timings_line(timings, NAPCOLL_TURNS_ALL, &line), 0);
    /* Of one point */
    assert_int_equal(line.points, 0);
    assert_int_equal(napcoll_timings_points(timings, NAPCOLL_TURNS_ODD, &points), 0);
}

/* ---- nodes ---- */

enum { NODES = 6 };

/* All pairs with node 0 and all neighbours, of nodes with these delays. */
static int make_pairs(const double *delay, const double *per_byte, napcoll_node_pair_t *pair)
{
    int personalized = 0;

    for (int i = 0; i < NODES; i++) {
        for (int j = i + 1; j < NODES; j++) {
            if (0 == i || j == i + 1) {
                pair[personalized++] = (napcoll_node_pair_t){
                    .one = i,
                    .other = j,
                    .line = {.intercept = delay[i] + delay[j],
                             .slope = per_byte[i] + per_byte[j],
                             .points = 3}};
            }
        }
    }
    return personalized;
}

static void delays_of_nodes_are_told_apart(void **state)
{
    const double delay[NODES] = {50e-6, 51e-6, 50e-6, 90e-6, 49e-6, 50e-6};
    const double per_byte[NODES] = {4e-9, 4e-9, 4.1e-9, 4e-9, 4e-9, 9e-9};
    napcoll_delay_t found[NODES];
    napcoll_node_pair_t pair[2 * NODES];
    const int personalized = make_pairs(delay, per_byte, pair);

    (void) state;
    assert_int_equal(napcoll_delays(pair, personalized, NODES, found), 0);
    for (int i = 0; i < NODES; i++) {
        check_close(found[i].delay, delay[i], 1e-9);
        assert_true(found[i].known);
        assert_int_equal(found[i].slow_start, 3 == i);
        assert_int_equal(found[i].slow_bytes, 5 == i);
    }
    check_close(found[5].seconds_per_byte, 13e-9, 1e-9);
}

/* Two nodes have half of the delay each; without a measurement the delay is unknown. */
static void delays_of_few_nodes_are_halves(void **state)
{
    const napcoll_node_pair_t pair[] = {
        {.one = 0, .other = 1, .line = {.intercept = 80e-6, .slope = 8e-9, .points = 3}},
        {.one = 0, .other = 2}};
    napcoll_delay_t found[3];

    (void) state;
    assert_int_equal(napcoll_delays(pair, 2, 3, found), 0);
    assert_true(found[0].known && found[1].known && !found[2].known);
    check_close(found[0].delay, 40e-6, 1e-9);
    check_close(found[1].delay, 40e-6, 1e-9);
    assert_false(found[1].slow_start || found[1].slow_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(machine_is_exact_without_noise, begin, end),
        cmocka_unit_test_setup_teardown(machine_is_found_in_noise, begin, end),
        cmocka_unit_test_setup_teardown(short_messages_are_told_from_eager_ones, begin, end),
        cmocka_unit_test_setup_teardown(limits_tell_which_change_is_the_protocol, begin, end),
        cmocka_unit_test_setup_teardown(noise_alone_is_no_protocol, begin, end),
        cmocka_unit_test_setup_teardown(growing_rates_are_said_to_grow, begin, end),
        cmocka_unit_test_setup_teardown(rate_of_large_messages_need_not_be_that_of_eager_ones,
                                        begin, end),
        cmocka_unit_test_setup_teardown(inside_of_nodes_is_found, begin, end),
        cmocka_unit_test_setup_teardown(node_memory_is_a_line_over_bytes, begin, end),
        cmocka_unit_test_setup_teardown(machine_reads_back, begin, end),
        cmocka_unit_test_setup_teardown(halves_differ_where_the_machine_changed, begin, end),
        cmocka_unit_test_setup_teardown(too_little_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(times_that_do_not_grow_have_no_rate, begin, end),
        cmocka_unit_test_setup_teardown(implausible_numbers_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(times_that_are_none_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(delays_of_nodes_are_told_apart, begin, end),
        cmocka_unit_test_setup_teardown(delays_of_few_nodes_are_halves, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
