/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A machine from measured times; see napcoll_calibrate.h.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune/napcoll_calibrate.h"
#include "common/napcoll_memory.h"

static const double us = 1e6, ns = 1e9, mbyte = 1e-6;

/* A rate has grown, and processes slow each other down, by these factors. */
static const double grown = 1.1, held_up = 1.25;

/* R_N is the median of the rates above this share of the largest. */
static const double same = 0.9;

const char *napcoll_calibrate_result_text(napcoll_calibrate_result_t result)
{
    static const char *const text[] = {
        [NAPCOLL_CALIBRATE_OK] = "fitted",
        [NAPCOLL_CALIBRATE_TOO_FEW] = "too few samples: expected round trips of 8 sizes between "
                                      "nodes, and streams",
        [NAPCOLL_CALIBRATE_NO_RATE] = "larger messages between nodes do not take longer, so there "
                                      "is no rate",
        [NAPCOLL_CALIBRATE_IMPLAUSIBLE] = "a number is beyond what a machine file may have"};

    return text[result];
}

/* Four digits. */
static double rounded(double value)
{
    double unit;

    if (!(value > 0)) {
        return 0;
    }
    unit = pow(10, floor(log10(value)) - 3);
    return unit < 1 ? round(value / unit) / round(1 / unit) : round(value / unit) * unit;
}

static int points_of(const napcoll_timings_t *timings, napcoll_turns_t turns,
                     napcoll_point_t **points)
{
    const int count = napcoll_timings_points(timings, turns, points);

    if (count < 0) {
        napcoll_out_of_memory();
    }
    return count;
}

static napcoll_line_t line_of(const napcoll_timings_t *timings, napcoll_turns_t turns)
{
    napcoll_line_t line;

    if (0 != napcoll_timings_line(timings, turns, &line)) {
        napcoll_out_of_memory();
    }
    return line;
}

/* ---- links ---- */

/* The only limit inside a change, or where the change was found. */
static double place_of(const napcoll_measured_t *measured, const napcoll_change_t *change,
                       bool *known)
{
    double place = change->below;
    int inside = 0;

    for (int i = 0; i < measured->num_limits; i++) {
        if (measured->limit[i] > change->after && measured->limit[i] <= change->below) {
            place = measured->limit[i];
            inside++;
        }
    }
    *known = 1 == inside;
    return 1 == inside ? place : change->below;
}

/* The limits of the machine, from the changes between nodes. */
static void set_limits(const napcoll_measured_t *measured, double largest, napcoll_calibrated_t *c)
{
    const napcoll_protocols_t *found = &c->protocols[NAPCOLL_LEVEL_NETWORK];
    bool known;

    c->machine.short_below_bytes = 0;
    if (found->shorts.below > 0) {
        c->machine.short_below_bytes = place_of(measured, &found->shorts, &known);
    }
    /* Without a change all measured messages are eager. */
    c->machine.eager_below_bytes = largest + 1;
    if (found->eager.below > 0) {
        c->machine.eager_below_bytes = place_of(measured, &found->eager, &c->limit_known);
    }
}

/* The lines of one level, by the changes between nodes; the network comes first. Returns the number
 * of sizes. */
static int fit_level(const napcoll_measured_t *measured, int level, napcoll_turns_t turns,
                     napcoll_calibrated_t *c)
{
    napcoll_point_t *points;
    const int count = points_of(&measured->half_trip[level], turns, &points);

    c->protocols[level] = napcoll_protocols_find(points, count, measured->limit,
                                                 measured->num_limits);
    if (NAPCOLL_LEVEL_NETWORK == level && count > 0) {
        set_limits(measured, points[count - 1].x, c);
    }
    if (count > 0) {
        napcoll_protocols_lines(points, count, c->machine.short_below_bytes,
                                c->machine.eager_below_bytes, c->line[level]);
    }
    free(points);
    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        const napcoll_line_t *line = &c->line[level][p];

        if (line->points > 0) {
            c->machine.link[level][p] = (napcoll_link_t){
                .latency_us = rounded(line->intercept * us),
                .ns_per_byte = rounded(line->slope * ns)};
        }
    }
    return count;
}

static napcoll_calibrate_result_t fit_links(const napcoll_measured_t *measured,
                                            napcoll_turns_t turns, napcoll_calibrated_t *c)
{
    napcoll_link_t *socket = c->machine.link[NAPCOLL_LEVEL_SOCKET];
    napcoll_link_t *node = c->machine.link[NAPCOLL_LEVEL_NODE];

    if (fit_level(measured, NAPCOLL_LEVEL_NETWORK, turns, c) < NAPCOLL_CALIBRATE_LEAST_SIZES) {
        return NAPCOLL_CALIBRATE_TOO_FEW;
    }
    (void) fit_level(measured, NAPCOLL_LEVEL_NODE, turns, c);
    (void) fit_level(measured, NAPCOLL_LEVEL_SOCKET, turns, c);
    if (0 == c->line[NAPCOLL_LEVEL_SOCKET][0].points) {
        memcpy(socket, node, NAPCOLL_PROTOCOLS * sizeof(*node));
    } else if (0 == c->line[NAPCOLL_LEVEL_NODE][0].points) {
        memcpy(node, socket, NAPCOLL_PROTOCOLS * sizeof(*node));
    }
    return NAPCOLL_CALIBRATE_OK;
}

/* Without measured times the machine has none. */
static void fit_node_memory(const napcoll_measured_t *measured, napcoll_turns_t turns,
                            napcoll_calibrated_t *c)
{
    c->node_memory = line_of(&measured->node_memory, turns);
    if (c->node_memory.points > 0) {
        c->machine.node_memory = (napcoll_link_t){
            .latency_us = rounded(c->node_memory.intercept * us),
            .ns_per_byte = rounded(c->node_memory.slope * ns)};
    }
}

/* ---- streams ---- */

/* Seconds for a message of each active process; 0: unknown. */
static double pace(const napcoll_stream_t *stream, napcoll_turns_t turns)
{
    const napcoll_line_t line = line_of(&stream->sent, turns);

    return line.points > 0 && line.slope > 0 ? line.slope : 0;
}

/* The rate of a stream in 10^6 bytes per second; 0: unknown. */
static double rate_of(const napcoll_stream_t *stream, napcoll_turns_t turns)
{
    const double seconds = pace(stream, turns);

    return seconds > 0 ? stream->active * stream->bytes * mbyte / seconds : 0;
}

/* The rate of the longest bursts of the most processes, with all one-time costs: a lower bound; 0:
 * unknown. */
static double least_rate(const napcoll_streams_t *streams, napcoll_turns_t turns)
{
    const napcoll_stream_t *most;
    napcoll_point_t *points;
    double rate = 0;
    int count;

    if (0 == streams->num) {
        return 0;
    }
    most = &streams->stream[streams->num - 1];
    count = points_of(&most->sent, turns, &points);
    if (count > 0 && points[count - 1].y > 0) {
        rate = most->active * most->bytes * points[count - 1].x * mbyte / points[count - 1].y;
    }
    free(points);
    return rate;
}

/* The median of the largest rates, which differ by noise. */
static double median_of_largest(const double *rate, int num)
{
    double sorted[NAPCOLL_CALIBRATE_MOST_STREAMS];
    int first = 0;

    memcpy(sorted, rate, (size_t) num * sizeof(*rate));
    napcoll_robust_sort(sorted, (size_t) num);
    while (sorted[first] < same * sorted[num - 1]) {
        first++;
    }
    return napcoll_robust_quantile(sorted + first, (size_t) (num - first), 0.5);
}

/* R_b, R_N, and where R_N applies. */
static napcoll_calibrate_result_t fit_rates(const napcoll_measured_t *measured,
                                            napcoll_turns_t turns, napcoll_calibrated_t *c)
{
    const int num = measured->large.num;
    const double slope = c->line[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_RENDEZVOUS].slope;
    double credible[NAPCOLL_CALIBRATE_MOST_STREAMS], one, all, before = 0;
    napcoll_machine_t *m = &c->machine;
    int from = 1;

    if (0 == num) {
        return NAPCOLL_CALIBRATE_TOO_FEW;
    }
    for (int i = 0; i < num; i++) {
        before = i > 0 ? fmax(before, c->node_rate[i - 1]) : 0;
        c->node_rate[i] = rate_of(&measured->large.stream[i], turns);
    }
    c->eager_rate = least_rate(&measured->eager, turns);
    one = slope > 0 ? mbyte / slope : c->node_rate[0] / measured->large.stream[0].active;
    for (int i = 0; i < num; i++) {
        /* k processes have at most k R_b; more is noise. */
        const double most = grown * one * measured->large.stream[i].active;

        credible[i] = one > 0 ? fmin(c->node_rate[i], most) : c->node_rate[i];
    }
    all = median_of_largest(credible, num);
    if (!(one > 0) || !(all > 0)) {
        return NAPCOLL_CALIBRATE_NO_RATE;
    }
    c->rate_grows = num > 1 && c->node_rate[num - 1] > grown * before;
    while (from < NAPCOLL_MACHINE_MOST_ACTIVE && from * one < same * all) {
        from++;
    }
    if (c->rate_grows) {
        from = measured->large.stream[num - 1].active;
    }
    m->process_injection_mbyte_per_s = rounded(one);
    m->node_injection_mbyte_per_s = rounded(all);
    m->node_injection_from_processes = fmin(from, NAPCOLL_MACHINE_MOST_ACTIVE);
    m->node_injection_from_bytes = c->eager_rate > held_up * all ? m->eager_below_bytes : 0;
    return NAPCOLL_CALIBRATE_OK;
}

/* The gaps between nodes: of one process, and of all where they slow each other down. */
static void fit_gaps(const napcoll_measured_t *measured, napcoll_turns_t turns,
                     napcoll_calibrated_t *c)
{
    const napcoll_stream_t *first = measured->small.stream;
    const napcoll_stream_t *last = first + measured->small.num - 1;
    double one, all;

    if (0 == measured->small.num) {
        return;
    }
    one = pace(first, turns);
    all = pace(last, turns);
    c->gap_us[0] = one * us / first->active;
    c->gap_us[1] = all * us / last->active;
    c->node_has_gap = last > first && all > held_up * one;
    c->machine.process_gap_us = rounded(one * us);
    c->machine.node_gap_us = c->node_has_gap ? rounded(c->gap_us[1]) : 0;
}

/* The time between messages of a node in shifts; 0: not measured. */
static double shift_gap_us(const napcoll_measured_t *measured, napcoll_turns_t turns)
{
    napcoll_point_t *points;
    double gap_us = 0;

    if (points_of(&measured->shift, turns, &points) > 0) {
        gap_us = points[0].y * us / measured->shift_ppn;
    }
    free(points);
    return gap_us;
}

static void fit_near(const napcoll_measured_t *measured, napcoll_turns_t turns,
                     napcoll_calibrated_t *c)
{
    const napcoll_stream_t *large = &measured->near_large, *small = &measured->near_small;

    if (large->sent.count > 0) {
        c->machine.node_local_ns_per_byte = rounded(pace(large, turns) * ns
                                                    / (large->active * large->bytes));
    }
    if (small->sent.count > 0) {
        c->near_gap_us = fmax(pace(small, turns) * us / small->active,
                              shift_gap_us(measured, turns));
        c->machine.node_local_gap_us = measured->oversubscribed ? rounded(c->near_gap_us) : 0;
    }
}

/* ---- processes ---- */

/* Overhead is a part of every latency, at both ends. */
static void fit_overhead(const napcoll_measured_t *measured, napcoll_turns_t turns,
                         napcoll_calibrated_t *c)
{
    napcoll_machine_t *m = &c->machine;
    double least = HUGE_VAL;
    napcoll_point_t *points;

    if (points_of(&measured->start, turns, &points) > 0) {
        c->start_us = points[0].y * us;
        m->process_overhead_us = rounded(c->start_us);
    }
    free(points);
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
            least = fmin(least, m->link[level][p].latency_us);
        }
    }
    m->process_overhead_us = fmin(m->process_overhead_us, least / 2);
}

static void fit_reduction(const napcoll_measured_t *measured, napcoll_turns_t turns,
                          napcoll_calibrated_t *c)
{
    const napcoll_line_t line = line_of(&measured->reduction, turns);

    if (line.points > 0) {
        c->machine.reduce_ns_per_byte = rounded(line.slope * ns);
    }
}

/* ---- all together ---- */

static napcoll_calibrate_result_t check_machine(napcoll_machine_t *machine)
{
    napcoll_machine_error_t error;

    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        if (0 != napcoll_machine_check_number(i, *napcoll_machine_number(machine, i), &error)) {
            return NAPCOLL_CALIBRATE_IMPLAUSIBLE;
        }
    }
    return 0 == napcoll_machine_complete(machine, &error) ? NAPCOLL_CALIBRATE_OK
                                                          : NAPCOLL_CALIBRATE_IMPLAUSIBLE;
}

napcoll_calibrate_result_t napcoll_calibrate(const napcoll_measured_t *measured,
                                             napcoll_turns_t turns,
                                             napcoll_calibrated_t *calibrated)
{
    napcoll_calibrate_result_t result;

    *calibrated = (napcoll_calibrated_t){.machine = napcoll_machine_default};
    result = fit_links(measured, turns, calibrated);
    if (NAPCOLL_CALIBRATE_OK == result) {
        result = fit_rates(measured, turns, calibrated);
    }
    if (NAPCOLL_CALIBRATE_OK != result) {
        return result;
    }
    fit_node_memory(measured, turns, calibrated);
    fit_gaps(measured, turns, calibrated);
    fit_near(measured, turns, calibrated);
    fit_reduction(measured, turns, calibrated);
    fit_overhead(measured, turns, calibrated);
    return check_machine(&calibrated->machine);
}

double napcoll_calibrate_apart(napcoll_machine_t *one, napcoll_machine_t *other, int index)
{
    const double nothing = 0.05;
    const double *place = napcoll_machine_number(one, index);
    const double a = *place, b = *napcoll_machine_number(other, index);
    const double larger = fmax(a, b);

    if (place == &one->short_below_bytes || place == &one->eager_below_bytes
        || place == &one->node_injection_from_processes || place == &one->node_injection_from_bytes
        || larger < nothing) {
        return 0;
    }
    return fabs(a - b) / larger;
}

static void close_streams(napcoll_streams_t *streams)
{
    for (int i = 0; i < streams->num; i++) {
        napcoll_timings_close(&streams->stream[i].sent);
    }
    streams->num = 0;
}

void napcoll_measured_close(napcoll_measured_t *measured)
{
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        napcoll_timings_close(&measured->half_trip[level]);
    }
    napcoll_timings_close(&measured->node_memory);
    close_streams(&measured->large);
    close_streams(&measured->eager);
    close_streams(&measured->small);
    napcoll_timings_close(&measured->near_large.sent);
    napcoll_timings_close(&measured->near_small.sent);
    napcoll_timings_close(&measured->shift);
    napcoll_timings_close(&measured->start);
    napcoll_timings_close(&measured->reduction);
}
