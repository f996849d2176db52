/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What napcoll-tune says of a machine: a summary for people, the keys for Open MPI, and the samples.
 */

#include <math.h>
#include <string.h>

#include "napcoll_tune.h"

static const double us = 1e6, ns = 1e9, percent = 100;

static const char *const level_names[NAPCOLL_LEVELS] = {"two processes of one socket",
                                                        "two processes of one node", "two nodes"};
static const char *const protocol_names[NAPCOLL_PROTOCOLS] = {"short", "eager", "rendezvous"};
static const char *const fold_names[TUNE_FOLDS] = {
    "sum of doubles", "sum of ints", "maximum of doubles", "an operation of the user's on doubles"};

/* ---- summary ---- */

static void print_line(FILE *out, const char *prefix, const char *what, const napcoll_line_t *line)
{
    fprintf(out, "%s  %-12s %10.2f +- %.2f us + (%.4f +- %.4f ns) per byte, from %d sizes\n",
            prefix, what, us * line->intercept, us * line->intercept_error, ns * line->slope,
            ns * line->slope_error, line->points);
}

/* Where the protocol changes, as that level's own times tell. */
static void print_cut(FILE *out, const char *prefix, const napcoll_protocols_t *p)
{
    if (p->shorts.below > 0) {
        fprintf(out, "%s  messages above %.0f bytes are on another line than those up to %.0f\n",
                prefix, p->shorts.below, p->shorts.after);
    }
    if (p->eager.below > 0) {
        fprintf(out, "%s  the protocol changes between %.0f and %.0f bytes\n", prefix,
                p->eager.after, p->eager.below);
    } else {
        fprintf(out, "%s  no change of protocol was seen\n", prefix);
    }
}

static void print_level(const tune_machine_t *m, int level, FILE *out, const char *prefix)
{
    const napcoll_line_t *line = m->fit.line[level];

    fprintf(out, "%s%s, half of a round trip\n", prefix, level_names[level]);
    if (0 == line[0].points) {
        fprintf(out, "%s  not measured\n", prefix);
        return;
    }
    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        const bool same = p > 0 && 0 == memcmp(&line[p], &line[p - 1], sizeof(*line));

        if (!same) {
            print_line(out, prefix,
                       0 == p && 0 == memcmp(&line[0], &line[1], sizeof(*line))
                           ? protocol_names[NAPCOLL_PROTOCOL_EAGER]
                           : protocol_names[p],
                       &line[p]);
        }
    }
    print_cut(out, prefix, &m->fit.protocols[level]);
}

static void print_rates(const tune_t *t, FILE *out, const char *prefix)
{
    const tune_machine_t *m = t->machine;
    const napcoll_streams_t *large = &m->measured.large;

    fprintf(out, "%smessages of %.0f bytes from processes of %s, 10^6 bytes per second of a node\n",
            prefix, large->stream[0].bytes,
            t->options.all_nodes ? "each node to the next one at once" : "one node to another");
    for (int i = 0; i < large->num; i++) {
        fprintf(out, "%s  %2d active: %.4g\n", prefix, large->stream[i].active,
                m->fit.node_rate[i]);
    }
    fprintf(out, "%s  R_b = %.4g, R_N = %.4g%s\n", prefix,
            m->fit.machine.process_injection_mbyte_per_s, m->fit.machine.node_injection_mbyte_per_s,
            m->fit.rate_grows ? ", at least: more processes might still add to it" : "");
    fprintf(out, "%s  messages of %.0f bytes: at least %.4g\n", prefix,
            m->measured.eager.stream[0].bytes, m->fit.eager_rate);
}

static void print_gaps(const tune_machine_t *m, FILE *out, const char *prefix)
{
    fprintf(out,
            "%stime between messages of 8 bytes\n"
            "%s  %.2f us of one process, %.2f us of a node with %d active: %s\n",
            prefix, prefix, m->fit.gap_us[0], m->fit.gap_us[1],
            m->measured.small.stream[m->measured.small.num - 1].active,
            m->fit.node_has_gap ? "they hold each other up" : "the node has no gap of its own");
    if (m->measured.near_small.active > 0) {
        fprintf(out, "%s  %.3f us inside a node with %d pairs%s\n", prefix, m->fit.near_gap_us,
                m->measured.near_small.active,
                m->measured.oversubscribed
                    ? ""
                    : ", which is no gap of the node's: each process has a processor");
    }
    fprintf(out, "%s  %.3f us to start one", prefix, m->fit.start_us);
    if (m->fit.start_us > 1.001 * m->fit.machine.process_overhead_us) {
        fprintf(out, "; the overhead is half of the least latency, which it is a part of");
    }
    fputc('\n', out);
}

static void print_folds(const tune_machine_t *m, FILE *out, const char *prefix)
{
    fprintf(out, "%sfolds, by one process\n", prefix);
    for (int kind = 0; kind < TUNE_FOLDS; kind++) {
        fprintf(out, "%s  %.4f ns per byte: %s\n", prefix, m->fold_ns[kind], fold_names[kind]);
    }
}

static void print_nodes(const tune_t *t, FILE *out, const char *prefix)
{
    const tune_machine_t *m = t->machine;
    int unlike = 0;

    fprintf(
        out,
        "%snodes by HeteroMPI's model, C_i + C_j + (t_i + t_j + 1/beta_ij) M, of messages up to "
        "16384 bytes\n",
        prefix);
    for (int i = 0; i < m->nodes; i++) {
        const napcoll_delay_t *d = &m->delay[i];

        fprintf(out, "%s  node %d, of rank %d: C = %.1f us", prefix, m->node[i],
                t->node.rank[t->node.first[m->node[i]]], us * d->delay);
        if (i > 0) {
            fprintf(out, ", t_0 + t_%d + 1/beta = %.3f ns per byte", m->node[i],
                    ns * d->seconds_per_byte);
        }
        fprintf(out, "%s%s\n", d->slow_start ? ", UNLIKE the others in C" : "",
                d->slow_bytes ? ", UNLIKE the others in bytes" : "");
        unlike += d->slow_start || d->slow_bytes;
    }
    if (unlike > 0) {
        fprintf(
            out,
            "%s  %d of %d nodes are unlike the others; the machine's numbers are those of most\n",
            prefix, unlike, m->nodes);
    }
}

static void print_state(const tune_t *t, FILE *out, const char *prefix)
{
    const tune_machine_t *m = t->machine;

    fprintf(out, "%s%d turns, %.0f s with all: ", prefix, m->turns, m->seconds);
    if (0 == m->unsteady) {
        fprintf(out, "even and odd turns agree to %.0f %%", percent * TUNE_STEADY);
    } else {
        fprintf(out, "even and odd turns differ by more than %.0f %% in %d numbers",
                percent * TUNE_STEADY, m->unsteady);
    }
    fprintf(out, "%s\n", m->out_of_time ? "; the time limit ended it" : "");
}

void tune_report_machine(const tune_t *t, FILE *out, const char *prefix)
{
    const tune_machine_t *m = t->machine;

    for (int level = NAPCOLL_LEVELS; level-- > 0;) {
        if (NAPCOLL_LEVEL_SOCKET != level || m->fit.line[level][0].points > 0) {
            print_level(m, level, out, prefix);
        }
    }
    print_rates(t, out, prefix);
    print_gaps(m, out, prefix);
    print_folds(m, out, prefix);
    print_nodes(t, out, prefix);
    tune_report_distances(t, out, prefix);
    print_state(t, out, prefix);
}

/* ---- keys ---- */

/* A text as comments of some 100 columns. */
static void print_wrapped(const char *text, FILE *out)
{
    enum { WIDTH = 96 };

    while ('\0' != *text) {
        size_t length = strlen(text);

        if (length > WIDTH) {
            length = WIDTH;
            while (length > 1 && ' ' != text[length]) {
                length--;
            }
        }
        fprintf(out, "# %.*s\n", (int) length, text);
        text += length;
        text += ' ' == *text;
    }
}

/* Of what level a key is, and whether that was measured. */
static bool is_default(const tune_machine_t *m, const double *number)
{
    const napcoll_machine_t *machine = &m->fit.machine;
    const bool near = m->fit.line[NAPCOLL_LEVEL_SOCKET][0].points > 0
                      || m->fit.line[NAPCOLL_LEVEL_NODE][0].points > 0;
    const double *begin = &machine->link[NAPCOLL_LEVEL_SOCKET][0].latency_us;
    const double *end = &machine->link[NAPCOLL_LEVEL_NETWORK][0].latency_us;

    return !near && number >= begin && number < end;
}

void tune_report_keys(const tune_t *t, FILE *out)
{
    tune_machine_t *m = t->machine;

    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        const double *number = napcoll_machine_number(&m->fit.machine, i);
        const double apart = napcoll_calibrate_apart(&m->half[0].machine, &m->half[1].machine, i);
        char text[64];

        fputc('\n', out);
        print_wrapped(napcoll_machine_key_help(i), out);
        if (is_default(m, number)) {
            fputs("# Not measured, as no node has two processes: the default.\n", out);
        } else if (apart > TUNE_STEADY) {
            char one[64], other[64];

            napcoll_machine_number_text(&m->half[0].machine, i, one, sizeof(one));
            napcoll_machine_number_text(&m->half[1].machine, i, other, sizeof(other));
            fprintf(out, "# UNCERTAIN: %s by even turns, %s by odd ones.\n", one, other);
        }
        napcoll_machine_number_text(&m->fit.machine, i, text, sizeof(text));
        fprintf(out, "%s = %s\n", napcoll_machine_key(i), text);
    }
}

/* ---- samples ---- */

static void print_samples(const char *what, int active, double bytes,
                          const napcoll_timings_t *timings, FILE *out)
{
    for (size_t i = 0; i < timings->count; i++) {
        const napcoll_timing_t *s = &timings->timing[i];

        if (bytes > 0) { /* a burst */
            fprintf(out, "%s,%d,%.0f,%.0f,%d,%.9f\n", what, active, bytes, s->x, s->turn,
                    s->seconds);
        } else {
            fprintf(out, "%s,%d,%.0f,1,%d,%.9f\n", what, active, s->x, s->turn, s->seconds);
        }
    }
}

static void print_streams(const char *what, const napcoll_streams_t *streams, FILE *out)
{
    for (int i = 0; i < streams->num; i++) {
        const napcoll_stream_t *stream = &streams->stream[i];

        print_samples(what, stream->active, stream->bytes, &stream->sent, out);
    }
}

void tune_report_samples(const tune_t *t, FILE *out)
{
    static const char *const names[NAPCOLL_LEVELS] = {"half_trip_socket", "half_trip_node",
                                                      "half_trip_network"};
    const tune_machine_t *m = t->machine;
    const napcoll_measured_t *measured = &m->measured;

    fputs("what,active,bytes,messages,turn,seconds\n", out);
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        print_samples(names[level], 1, 0, &measured->half_trip[level], out);
    }
    print_streams("large", &measured->large, out);
    print_streams("eager", &measured->eager, out);
    print_streams("small", &measured->small, out);
    print_samples("near_large", measured->near_large.active, measured->near_large.bytes,
                  &measured->near_large.sent, out);
    print_samples("near_small", measured->near_small.active, measured->near_small.bytes,
                  &measured->near_small.sent, out);
    print_samples("start", 1, 0, &measured->start, out);
    for (int kind = 0; kind < TUNE_FOLDS; kind++) {
        char name[32];

        snprintf(name, sizeof(name), "fold_%d", kind);
        print_samples(name, 1, 0, &m->reduction[kind], out);
    }
    for (int i = 0; i < m->personalized; i++) {
        char name[64];

        snprintf(name, sizeof(name), "half_trip_%d_%d", m->node[m->pair[i].one],
                 m->node[m->pair[i].other]);
        print_samples(name, 1, 0, &m->pair_trip[i], out);
    }
    for (int i = 0; i < m->distances; i++) {
        char name[64];

        snprintf(name, sizeof(name), "half_trip_switches_%d", m->distance[i].switches);
        print_samples(name, 1, 0, &m->distance_trip[i], out);
    }
}
