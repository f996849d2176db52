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

#include "common/napcoll_calibrate.h"

static const double us = 1e6, ns = 1e9, mbyte = 1e-6;

/* A rate has grown, and a gap is one of all processes together, where the next is so much more. */
static const double grown = 1.1;
static const double held_up = 1.25;

/* Rates of so much of the largest are what R_N is the median of. */
static const double same = 0.9;

const char *napcoll_calibrate_result_text(napcoll_calibrate_result_t result)
{
    switch (result) {
    case NAPCOLL_CALIBRATE_OK:
        return "fitted";
    case NAPCOLL_CALIBRATE_TOO_FEW:
        return "too few samples: it takes round trips of 8 sizes between nodes, and streams";
    case NAPCOLL_CALIBRATE_NO_RATE:
        return "larger messages between nodes do not take longer, so there is no rate";
    case NAPCOLL_CALIBRATE_IMPLAUSIBLE:
        return "a number is beyond what a machine file may have";
    case NAPCOLL_CALIBRATE_NO_MEMORY:
        break;
    }
    return "no memory";
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

/* ---- links ---- */

/* The limit that lies where a change was found, if it is the only one; else where it was found. */
static double place_of(const napcoll_measured_t *measured, const napcoll_change_t *cut, bool *known)
{
    double place = cut->below;
    int inside = 0;

    for (int i = 0; i < measured->num_limits; i++) {
        if (measured->limit[i] > cut->after && measured->limit[i] <= cut->below) {
            place = measured->limit[i];
            inside++;
        }
    }
    *known = 1 == inside;
    return 1 == inside ? place : cut->below;
}

static void set_limits(const napcoll_measured_t *measured, const napcoll_point_t *points, int count,
                       napcoll_calibrated_t *c)
{
    const napcoll_protocols_t *found = &c->protocols[NAPCOLL_LEVEL_NETWORK];
    bool known = false;

    if (found->shorts.below > 0) {
        c->machine.short_below_bytes = place_of(measured, &found->shorts, &known);
    }
    /* Where nothing shows that a message waits for its receiver, none of those measured does. */
    c->machine.eager_below_bytes = found->eager.below > 0
                                       ? place_of(measured, &found->eager, &c->limit_known)
                                       : points[count - 1].x + 1;
}

/* The lines of one level, by the changes between nodes. */
static napcoll_calibrate_result_t fit_level(const napcoll_measured_t *measured, int level,
                                            napcoll_turns_t turns, napcoll_calibrated_t *c)
{
    napcoll_calibrate_result_t result = NAPCOLL_CALIBRATE_OK;
    napcoll_point_t *points;
    const int count = napcoll_timings_points(&measured->half_trip[level], turns, &points);

    if (count < 0
        || 0
               != napcoll_protocols_find(points, count, measured->limit, measured->num_limits,
                                         &c->protocols[level])) {
        result = NAPCOLL_CALIBRATE_NO_MEMORY;
    } else if (NAPCOLL_LEVEL_NETWORK == level && count < NAPCOLL_CALIBRATE_LEAST_SIZES) {
        result = NAPCOLL_CALIBRATE_TOO_FEW;
    } else if (NAPCOLL_LEVEL_NETWORK == level) {
        set_limits(measured, points, count, c);
    }
    if (NAPCOLL_CALIBRATE_OK == result && count > 0
        && 0
               != napcoll_protocols_lines(points, count, c->machine.short_below_bytes,
                                          c->machine.eager_below_bytes, c->line[level])) {
        result = NAPCOLL_CALIBRATE_NO_MEMORY;
    }
    free(points);
    return result;
}

static void take_lines(napcoll_calibrated_t *c, int level)
{
    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        const napcoll_line_t *line = &c->line[level][p];

        if (line->points > 0) {
            c->machine.link[level][p] = (napcoll_link_t){
                .latency_us = rounded(line->intercept * us),
                .ns_per_byte = rounded(line->slope * ns)};
        }
    }
}

static napcoll_calibrate_result_t fit_links(const napcoll_measured_t *measured,
                                            napcoll_turns_t turns, napcoll_calibrated_t *c)
{
    napcoll_calibrate_result_t result = NAPCOLL_CALIBRATE_OK;
    napcoll_machine_t *m = &c->machine;

    m->short_below_bytes = 0;
    for (int level = NAPCOLL_LEVELS; NAPCOLL_CALIBRATE_OK == result && level-- > 0;) {
        result = fit_level(measured, level, turns, c); /* the network first */
        take_lines(c, level);
    }
    if (0 == c->line[NAPCOLL_LEVEL_SOCKET][0].points) {
        memcpy(m->link[NAPCOLL_LEVEL_SOCKET], m->link[NAPCOLL_LEVEL_NODE],
               sizeof(m->link[NAPCOLL_LEVEL_NODE]));
    } else if (0 == c->line[NAPCOLL_LEVEL_NODE][0].points) {
        memcpy(m->link[NAPCOLL_LEVEL_NODE], m->link[NAPCOLL_LEVEL_SOCKET],
               sizeof(m->link[NAPCOLL_LEVEL_SOCKET]));
    }
    return result;
}

/* ---- streams ---- */

/* Seconds that a message of each active process takes; 0: not known. */
static int pace(const napcoll_stream_t *stream, napcoll_turns_t turns, double *seconds)
{
    napcoll_line_t line;

    *seconds = 0;
    if (0 != napcoll_timings_line(&stream->sent, turns, &line)) {
        return -1;
    }
    if (line.points > 0 && line.slope > 0) {
        *seconds = line.slope;
    }
    return 0;
}

/* The rates of numbers of processes: 10^6 bytes per second, 0 where it is not known. */
static int rates(const napcoll_streams_t *streams, napcoll_turns_t turns, double *rate)
{
    for (int i = 0; i < streams->num; i++) {
        const napcoll_stream_t *stream = &streams->stream[i];
        double seconds;

        if (0 != pace(stream, turns, &seconds)) {
            return -1;
        }
        rate[i] = seconds > 0 ? stream->active * stream->bytes * mbyte / seconds : 0;
    }
    return 0;
}

/* What the longest bursts got through, with all that comes once: a rate that was certainly reached; 0: not known. */
static int reached(const napcoll_streams_t *streams, napcoll_turns_t turns, double *rate)
{
    const napcoll_stream_t *most = streams->num > 0 ? &streams->stream[streams->num - 1] : NULL;
    napcoll_point_t *points = NULL;
    const int count = NULL == most ? 0 : napcoll_timings_points(&most->sent, turns, &points);

    *rate = 0;
    if (count > 0 && points[count - 1].y > 0) {
        *rate = most->active * most->bytes * points[count - 1].x * mbyte / points[count - 1].y;
    }
    free(points);
    return count < 0 ? -1 : 0;
}

/* The median of the rates that are the largest but for noise. */
static double rate_of_node(const double *rate, int num)
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

static int least_int(int a, int b)
{
    return a < b ? a : b;
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
    if (0 != rates(&measured->large, turns, c->node_rate)
        || 0 != reached(&measured->eager, turns, &c->eager_rate)) {
        return NAPCOLL_CALIBRATE_NO_MEMORY;
    }
    one = slope > 0 ? mbyte / slope : c->node_rate[0] / measured->large.stream[0].active;
    for (int i = 0; i < num;
         i++) { /* k processes have no more than k R_b; what shows more is noise */
        const double most = grown * one * measured->large.stream[i].active;

        credible[i] = one > 0 && c->node_rate[i] > most ? most : c->node_rate[i];
    }
    all = rate_of_node(credible, num);
    if (!(one > 0) || !(all > 0)) {
        return NAPCOLL_CALIBRATE_NO_RATE;
    }
    for (int i = 0; i + 1 < num; i++) {
        before = c->node_rate[i] > before ? c->node_rate[i] : before;
    }
    c->rate_grows = num > 1 && c->node_rate[num - 1] > grown * before;
    while (from < NAPCOLL_MACHINE_MOST_ACTIVE && from * one < same * all) {
        from++;
    }
    if (c->rate_grows) {
        from = least_int(measured->large.stream[num - 1].active, NAPCOLL_MACHINE_MOST_ACTIVE);
    }
    m->process_injection_mbyte_per_s = rounded(one);
    m->node_injection_mbyte_per_s = rounded(all);
    m->node_injection_from_processes = from;
    m->node_injection_from_bytes = c->eager_rate > held_up * all ? m->eager_below_bytes : 0;
    return NAPCOLL_CALIBRATE_OK;
}

/* The gaps between nodes: of one process, and of all that send at once where those hold each other up. */
static int fit_gaps(const napcoll_measured_t *measured, napcoll_turns_t turns,
                    napcoll_calibrated_t *c)
{
    const napcoll_streams_t *small = &measured->small;
    double one, all;

    if (0 == small->num) {
        return 0;
    }
    if (0 != pace(&small->stream[0], turns, &one)
        || 0 != pace(&small->stream[small->num - 1], turns, &all)) {
        return -1;
    }
    c->gap_us[0] = one * us / small->stream[0].active;
    c->gap_us[1] = all * us / small->stream[small->num - 1].active;
    c->node_has_gap = small->num > 1 && all > held_up * one;
    c->machine.process_gap_us = rounded(one * us);
    c->machine.node_gap_us = c->node_has_gap ? rounded(c->gap_us[1]) : 0;
    return 0;
}

static int fit_near(const napcoll_measured_t *measured, napcoll_turns_t turns,
                    napcoll_calibrated_t *c)
{
    const napcoll_stream_t *large = &measured->near_large, *small = &measured->near_small;
    double seconds;

    if (large->sent.count > 0) {
        if (0 != pace(large, turns, &seconds)) {
            return -1;
        }
        c->machine.node_local_ns_per_byte = rounded(seconds * ns / (large->active * large->bytes));
    }
    if (small->sent.count > 0) {
        if (0 != pace(small, turns, &seconds)) {
            return -1;
        }
        c->near_gap_us = seconds * us / small->active;
        c->machine.node_local_gap_us = measured->oversubscribed ? rounded(c->near_gap_us) : 0;
    }
    return 0;
}

/* ---- processes ---- */

/* Overhead is a part of every latency, at both ends. */
static int fit_overhead(const napcoll_measured_t *measured, napcoll_turns_t turns,
                        napcoll_calibrated_t *c)
{
    napcoll_machine_t *m = &c->machine;
    double least = HUGE_VAL;
    napcoll_point_t *points;
    const int count = napcoll_timings_points(&measured->start, turns, &points);

    if (count > 0) {
        c->start_us = points[0].y * us;
        m->process_overhead_us = rounded(c->start_us);
    }
    free(points);
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
            least = m->link[level][p].latency_us < least ? m->link[level][p].latency_us : least;
        }
    }
    if (m->process_overhead_us > least / 2) {
        m->process_overhead_us = least / 2;
    }
    return count < 0 ? -1 : 0;
}

static int fit_fold(const napcoll_measured_t *measured, napcoll_turns_t turns,
                    napcoll_calibrated_t *c)
{
    napcoll_line_t line;

    if (0 != napcoll_timings_line(&measured->reduction, turns, &line)) {
        return -1;
    }
    if (line.points > 0) {
        c->machine.reduce_ns_per_byte = rounded(line.slope * ns);
    }
    return 0;
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

    memset(calibrated, 0, sizeof(*calibrated));
    calibrated->machine = napcoll_machine_default;
    result = fit_links(measured, turns, calibrated);
    if (NAPCOLL_CALIBRATE_OK == result) {
        result = fit_rates(measured, turns, calibrated);
    }
    if (NAPCOLL_CALIBRATE_OK != result) {
        return result;
    }
    if (0 != fit_gaps(measured, turns, calibrated) || 0 != fit_near(measured, turns, calibrated)
        || 0 != fit_fold(measured, turns, calibrated)
        || 0 != fit_overhead(measured, turns, calibrated)) {
        return NAPCOLL_CALIBRATE_NO_MEMORY;
    }
    return check_machine(&calibrated->machine);
}

double napcoll_calibrate_apart(napcoll_machine_t *one, napcoll_machine_t *other, int index)
{
    const double nothing = 0.05;
    const double *place = napcoll_machine_number(one, index);
    const double a = *place, b = *napcoll_machine_number(other, index);
    const double larger = a > b ? a : b;

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
    close_streams(&measured->large);
    close_streams(&measured->eager);
    close_streams(&measured->small);
    napcoll_timings_close(&measured->near_large.sent);
    napcoll_timings_close(&measured->near_small.sent);
    napcoll_timings_close(&measured->start);
    napcoll_timings_close(&measured->reduction);
}
