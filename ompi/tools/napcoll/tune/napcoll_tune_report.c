/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What napcoll-tune prints: a machine and the models of gather and scatter for people, the keys of
 * the machine for Open MPI, and the samples. Rank 0 only.
 */

#include "tune/napcoll_tune.h"

static const double us = 1e6, ns = 1e9, percent = 100;

static const char *const level_names[NAPCOLL_LEVELS] = {"two processes of one socket",
                                                        "two processes of one node", "two nodes"};
static const char *const protocol_names[NAPCOLL_PROTOCOLS] = {"short", "eager", "rendezvous"};

/* ---- a machine ---- */

static void print_machine_line(FILE *out, const char *what, const napcoll_line_t *line)
{
    fprintf(out, "  %-12s %10.2f +- %.2f us + (%.4f +- %.4f ns) per byte, from %d sizes\n", what,
            us * line->intercept, us * line->intercept_error, ns * line->slope,
            ns * line->slope_error, line->points);
}

/* Where the protocol changes on this level. */
static void print_cut(FILE *out, const napcoll_protocols_t *p)
{
    if (p->shorts.below > 0) {
        fprintf(out, "  messages above %.0f bytes are on another line than those up to %.0f\n",
                p->shorts.below, p->shorts.after);
    }
    if (p->eager.below > 0) {
        fprintf(out, "  the protocol changes between %.0f and %.0f bytes\n", p->eager.after,
                p->eager.below);
    } else {
        fprintf(out, "  no change of protocol was seen\n");
    }
}

static bool is_same_line(const napcoll_line_t *a, const napcoll_line_t *b)
{
    return a->points == b->points && a->intercept == b->intercept && a->slope == b->slope;
}

static void print_level(const tune_machine_t *m, int level, FILE *out)
{
    const napcoll_line_t *line = m->fit.line[level];

    fprintf(out, "%s, half of a round trip\n", level_names[level]);
    if (0 == line[0].points) {
        fprintf(out, "  not measured\n");
        return;
    }
    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        /* one line for short and eager messages is called eager */
        const int named = 0 == p && is_same_line(&line[0], &line[1]) ? 1 : p;

        if (0 == p || !is_same_line(&line[p], &line[p - 1])) {
            print_machine_line(out, protocol_names[named], &line[p]);
        }
    }
    print_cut(out, &m->fit.protocols[level]);
}

static void print_rates(const tune_t *t, FILE *out)
{
    const tune_machine_t *m = &t->machine;
    const napcoll_streams_t *large = &m->measured.large;

    fprintf(out, "messages of %.0f bytes from processes of %s, 10^6 bytes per second of a node\n",
            large->stream[0].bytes,
            t->options.all_nodes ? "each node to the next one at once" : "one node to another");
    for (int i = 0; i < large->num; i++) {
        fprintf(out, "  %2d active: %.4g\n", large->stream[i].active, m->fit.node_rate[i]);
    }
    fprintf(out, "  R_b = %.4g, R_N = %.4g%s\n", m->fit.machine.process_injection_mbyte_per_s,
            m->fit.machine.node_injection_mbyte_per_s,
            m->fit.rate_grows ? ", at least: more processes might still add to it" : "");
    fprintf(out, "  messages of %.0f bytes: at least %.4g\n", m->measured.eager.stream[0].bytes,
            m->fit.eager_rate);
}

static void print_gaps(const tune_machine_t *m, FILE *out)
{
    fprintf(out,
            "time between messages of 8 bytes\n"
            "  %.2f us of one process, %.2f us of a node with %d active: %s\n",
            m->fit.gap_us[0], m->fit.gap_us[1],
            m->measured.small.stream[m->measured.small.num - 1].active,
            m->fit.node_has_gap ? "they delay each other" : "the node has no gap of its own");
    if (m->measured.near_small.active > 0) {
        const char *remark = "";

        if (!m->measured.oversubscribed) {
            remark = ", which is no gap of the node's: each process has a processor";
        } else if (m->measured.shift_ppn > 0) {
            remark = ", or, if that is longer, in shifts on all nodes at once";
        }
        fprintf(out, "  %.3f us inside a node with %d pair%s%s\n", m->fit.near_gap_us,
                m->measured.near_small.active, plural(m->measured.near_small.active), remark);
    }
    fprintf(out, "  %.3f us to start one", m->fit.start_us);
    if (m->fit.start_us > 1.001 * m->fit.machine.process_overhead_us) {
        fprintf(out, "; the overhead is half of the least latency, which it is a part of");
    }
    fputc('\n', out);
}

static void print_nodes(const tune_t *t, FILE *out)
{
    const tune_machine_t *m = &t->machine;
    int unlike = 0;

    fprintf(out,
            "nodes by HeteroMPI's model, C_i + C_j + (t_i + t_j + 1/beta_ij) M, of messages up to "
            "16384 bytes\n");
    for (int i = 0; i < m->nodes; i++) {
        const napcoll_delay_t *d = &m->delay[i];

        fprintf(out, "  node %d, of rank %d: C = %.1f us", m->node[i],
                t->node.rank[t->node.first[m->node[i]]], us * d->delay);
        if (i > 0) {
            fprintf(out, ", t_0 + t_%d + 1/beta = %.3f ns per byte", m->node[i],
                    ns * d->seconds_per_byte);
        }
        fputs(d->slow_start ? ", UNLIKE the others in C" : "", out);
        fputs(d->slow_bytes ? ", UNLIKE the others in bytes\n" : "\n", out);
        unlike += d->slow_start || d->slow_bytes;
    }
    if (unlike > 0) {
        fprintf(out, "  %d of %d nodes are unlike the others; the machine describes most nodes\n",
                unlike, m->nodes);
    }
}

static void print_state(const tune_t *t, FILE *out)
{
    const tune_machine_t *m = &t->machine;

    fprintf(out, "%d turn%s, %.0f s with all: ", m->turns, plural(m->turns), m->seconds);
    if (0 == m->unsteady) {
        fprintf(out, "even and odd turns agree to %.0f %%", percent * TUNE_STEADY);
    } else {
        fprintf(out, "even and odd turns differ by more than %.0f %% in %d number%s",
                percent * TUNE_STEADY, m->unsteady, plural(m->unsteady));
    }
    fprintf(out, "%s\n", m->out_of_time ? "; the time limit ended it" : "");
}

/* Whether the halves of the turns differ in a key. */
static bool is_uncertain(const tune_machine_t *m, int key)
{
    napcoll_machine_t even = m->half[0].machine, odd = m->half[1].machine;

    return napcoll_calibrate_apart(&even, &odd, key) > TUNE_STEADY;
}

/* The keys that are uncertain, with both values. */
static void print_uncertain(const tune_machine_t *m, FILE *out)
{
    napcoll_machine_t even = m->half[0].machine, odd = m->half[1].machine;

    for (int i = 0; m->unsteady > 0 && NULL != napcoll_machine_key(i); i++) {
        char one[64], other[64];

        if (is_uncertain(m, i)) {
            napcoll_machine_number_text(&even, i, one, sizeof(one));
            napcoll_machine_number_text(&odd, i, other, sizeof(other));
            fprintf(out, "  UNCERTAIN: %s is %s by even turns, %s by odd ones\n",
                    napcoll_machine_key(i), one, other);
        }
    }
}

static void report_machine(const tune_t *t, FILE *out)
{
    const tune_machine_t *m = &t->machine;

    for (int level = NAPCOLL_LEVELS; level-- > 0;) {
        if (NAPCOLL_LEVEL_SOCKET != level || m->fit.line[level][0].points > 0) {
            print_level(m, level, out);
        }
    }
    fputs("two processes of one node through memory that they share, half of a round trip\n", out);
    if (m->fit.node_memory.points > 0) {
        print_machine_line(out, "node memory", &m->fit.node_memory);
    } else {
        fputs("  not measured\n", out);
    }
    print_rates(t, out);
    print_gaps(m, out);
    print_nodes(t, out);
    tune_report_distances(t, out);
    print_state(t, out);
    print_uncertain(m, out);
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

/* What is above the first key of each group in the parameter file. */
static const struct {
    const char *first, *title;
} groups[] = {
    {"short_below_bytes", "Smaller messages are short, then eager; larger ones use rendezvous"},
    {"socket_short_latency_us", "Between two processes of one socket: latency, time per byte"},
    {"node_short_latency_us", "Between two processes of one node"},
    {"node_memory_latency_us",
     "The same through memory that they share, up to 16 KiB; 0: as above"},
    {"network_short_latency_us", "Between two nodes; the rest follows from the rate of a process"},
    {"process_injection_mbyte_per_s", "Rates to the network, of a process (R_b) and a node (R_N)"},
    {"reduce_ns_per_byte", "Reductions (gamma)"},
    {"process_overhead_us", "LogGP's o and g, and the gap and memory inside a node"},
};

/* Begin a group where the key is the first of one. */
static void print_title(const tune_machine_t *m, const char *key, FILE *out)
{
    const char *name = key + strlen("coll_napcoll_machine_");
    const bool inside = 0 == strncmp(name, "socket", 6) || 0 == strncmp(name, "node_short", 10);
    const bool measured = m->fit.line[NAPCOLL_LEVEL_SOCKET][0].points > 0
                          || m->fit.line[NAPCOLL_LEVEL_NODE][0].points > 0;

    for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
        if (0 == strcmp(name, groups[i].first)) {
            fprintf(out, "\n# %s%s\n", groups[i].title,
                    inside && !measured ? ". Not measured: the default" : "");
        }
    }
}

/* The names of the keys that are uncertain. */
static void print_uncertain_names(const tune_machine_t *m, FILE *out)
{
    char text[4096] = "UNCERTAIN, as the even and the odd turns differ:";
    size_t used = strlen(text);

    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        if (is_uncertain(m, i) && used < sizeof(text)) {
            used += (size_t) snprintf(text + used, sizeof(text) - used, " %s",
                                      napcoll_machine_key(i) + strlen("coll_napcoll_machine_"));
        }
    }
    print_wrapped(text, out);
}

void tune_report_keys(const tune_t *t, FILE *out)
{
    const tune_machine_t *m = &t->machine;
    const napcoll_machine_t *found = &m->fit.machine;

    if (m->unsteady > 0) {
        print_uncertain_names(m, out);
    }
    fputs("# ompi_info --param coll napcoll --level 9 explains each parameter.\n", out);
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        char text[64];

        print_title(m, napcoll_machine_key(i), out);
        napcoll_machine_number_text(found, i, text, sizeof(text));
        fprintf(out, "%s = %s\n", napcoll_machine_key(i), text);
    }
}

/* ---- gather and scatter ---- */

/* "a line: 12.3 +- 0.1 us + 4.56 +- 0.07 ns per byte, through the medians of 9 sizes" */
static void print_line(FILE *out, const char *what, const napcoll_line_t *line)
{
    if (0 == line->points) {
        fprintf(out, "  %s: no line, there are fewer than 3 sizes\n", what);
        return;
    }
    fprintf(out, "  %s: %.1f +- %.1f us + (%.3f +- %.3f ns) M, through the medians of %d sizes\n",
            what, us * line->intercept, us * line->intercept_error, ns * line->slope,
            ns * line->slope_error, line->points);
}

static void print_message(const tune_t *t, FILE *out)
{
    const napcoll_incast_model_t *m = &t->scan.model;

    fprintf(out,
            "point-to-point: C_0 + t_0 M + C_i + t_i M + M/beta, root 0 and others i, all alike\n"
            "  C_0 = %.1f us, t_0 = %.3f ns per byte, C_i = %.1f us, "
            "t_i + 1/beta = %.3f ns per byte\n",
            us * m->root_delay, ns * m->root_per_byte, us * m->far_delay, ns * m->far_per_byte);
    print_line(out, "measured", &t->scan.message);
}

static void print_levels(const napcoll_incast_gather_t *g, FILE *out)
{
    for (int i = 0; i < g->num_levels; i++) {
        fprintf(out, "    + %.3f s with probability %.3f (%zu sample%s)\n", g->level[i].seconds,
                g->level[i].probability, g->level[i].samples,
                plural((long long) g->level[i].samples));
    }
}

/* Where M1 and M2 lie, by the sizes that were measured beside them. */
static void print_range(const napcoll_incast_gather_t *g, FILE *out)
{
    fprintf(out, "  M1 = %zu bytes: ", g->m1);
    if (g->below_m1 > 0) {
        fprintf(out, "%zu bytes do not escalate\n", g->below_m1);
    } else {
        fprintf(out, "the least size that was measured; it may be less (--min)\n");
    }
    fprintf(out, "  M2 = %zu bytes: ", g->m2);
    if (g->above_m2 > 0) {
        fprintf(out, "%zu bytes do not escalate\n", g->above_m2);
    } else {
        fprintf(out, "the greatest size that was measured; it may be more (--max)\n");
    }
}

static void print_gather(const tune_t *t, FILE *out)
{
    const napcoll_incast_gather_t *g = &t->scan.gather;

    fprintf(out, "gather (many-to-one), n = %d block%s of M bytes\n", t->ranks - 1,
            plural(t->ranks - 1));
    if (g->escalates) {
        print_range(g, out);
        fprintf(out, "  M1 <= M <= M2: %.1f %% of the calls escalate\n", percent * g->escalated);
        print_levels(g, out);
        fprintf(out, "  that costs a call %.2f of its other time on average%s\n",
                napcoll_incast_gather_loss(g),
                napcoll_incast_gather_loss(g) < 1 ? ": pieces may cost as much" : "");
    } else {
        fprintf(out, "  no escalation from %zu to %zu bytes: there is no M1 and no M2\n",
                g->size[0].bytes, g->size[g->num_sizes - 1].bytes);
    }
    fprintf(out,
            "  %s: n (C_0 + t_0 M) + C_i + t_i M + M/beta + kappa1 M, kappa1 = %.3f ns per byte\n",
            g->escalates ? "M < M1, or without escalation" : "time", ns * t->scan.model.kappa1);
    print_line(out, "  measured", &g->small);
    if (g->large.points > 0) {
        fprintf(out,
                "  M >= %zu: n (C_0 + t_0 M) + n (C_i + t_i M + M/beta) + kappa2 M, "
                "kappa2 = %.3f ns per byte\n",
                g->large_from, ns * t->scan.model.kappa2);
        print_line(out, "  measured", &g->large);
    }
    fprintf(out,
            "  noise %.1f us; of the samples outside of M1 to M2 %.1f %% are as far off their "
            "line as escalated ones\n",
            us * g->noise, percent * g->elsewhere);
}

static void print_scatter(const tune_t *t, FILE *out)
{
    const napcoll_incast_scatter_t *s = &t->scan.scatter;

    fprintf(out, "scatter (one-to-many), n = %d block%s of M bytes\n", t->ranks - 1,
            plural(t->ranks - 1));
    if (s->leaps) {
        fprintf(out,
                "  S = %zu bytes: %zu bytes are on the line of small sizes; the leap is "
                "%.1f +- %.1f us\n",
                s->s, s->below_s, us * s->leap, us * s->leap_error);
    } else {
        fprintf(out, "  no leap from %zu to %zu bytes: there is no S\n", s->size[0].bytes,
                s->size[s->num_sizes - 1].bytes);
    }
    fprintf(out, "  %s: C_0 + t_0 n M + C_i + t_i M + M/beta\n", s->leaps ? "M < S" : "time");
    print_line(out, "  measured", &s->small);
    if (s->leaps) {
        fprintf(out, "  M >= S: C_0 + t_0 n M + n (C_i + t_i M + M/beta)\n");
        print_line(out, "  measured", &s->large);
    }
}

static void report_models(const tune_t *t, FILE *out)
{
    print_message(t, out);
    print_gather(t, out);
    print_scatter(t, out);
    fprintf(out, "%d turn%s of %d, %.0f s", t->scan.turns, plural(t->scan.turns),
            t->options.repetitions, t->scan.seconds);
    if (t->scan.out_of_time) {
        fprintf(out, ": the time limit of %g s ended it early", t->options.time_limit);
    }
    fputc('\n', out);
}

/* ---- all of it ---- */

void tune_report(const tune_t *t, FILE *out)
{
    const tune_options_t *o = &t->options;
    tune_rule_t rules[TUNE_CASES];

    if (TUNE_MACHINE == o->command && NULL == o->only) {
        report_machine(t, out);
    }
    if (NULL == o->only && '\0' == t->machine.no_thresholds[0]) {
        report_models(t, out);
    }
    if (TUNE_MACHINE == o->command) {
        tune_report_cases(t, out);
        fprintf(out, "rules: %d\n", tune_rules(t, rules));
    }
}

/* ---- samples ---- */

static void print_samples(const char *what, const napcoll_timings_t *timings, FILE *out)
{
    for (size_t i = 0; i < timings->count; i++) {
        const napcoll_timing_t *s = &timings->timing[i];

        fprintf(out, "%s,1,%.0f,1,%d,%.9f\n", what, s->x, s->turn, s->seconds);
    }
}

static void print_bursts(const char *what, const napcoll_stream_t *stream, int num, FILE *out)
{
    for (; num-- > 0; stream++) {
        for (size_t i = 0; i < stream->sent.count; i++) {
            const napcoll_timing_t *s = &stream->sent.timing[i];

            fprintf(out, "%s,%d,%.0f,%.0f,%d,%.9f\n", what, stream->active, stream->bytes, s->x,
                    s->turn, s->seconds);
        }
    }
}

/* Gathers and scatters of a machine's thresholds are printed with it. */
void tune_report_samples(const tune_t *t, FILE *out)
{
    static const char *const names[NAPCOLL_LEVELS] = {"half_trip_socket", "half_trip_node",
                                                      "half_trip_network"};
    const tune_machine_t *m = &t->machine;
    const napcoll_measured_t *measured = &m->measured;
    char name[64];

    fputs("what,active,bytes,messages,turn,seconds\n", out);
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        print_samples(names[level], &measured->half_trip[level], out);
    }
    print_samples("half_trip_node_memory", &measured->node_memory, out);
    print_bursts("large", measured->large.stream, measured->large.num, out);
    print_bursts("eager", measured->eager.stream, measured->eager.num, out);
    print_bursts("small", measured->small.stream, measured->small.num, out);
    print_bursts("near_large", &measured->near_large, 1, out);
    print_bursts("near_small", &measured->near_small, 1, out);
    print_samples("shift_node_memory", &measured->shift, out);
    print_samples("start", &measured->start, out);
    print_samples("reduction", &measured->reduction, out);
    for (int i = 0; i < m->pairs; i++) {
        snprintf(name, sizeof(name), "half_trip_%d_%d", m->node[m->pair[i].one],
                 m->node[m->pair[i].other]);
        print_samples(name, &m->pair_trip[i], out);
    }
    for (int i = 0; i < m->distances; i++) {
        snprintf(name, sizeof(name), "half_trip_switches_%d", m->distance[i].switches);
        print_samples(name, &m->distance_trip[i], out);
    }
    print_samples("gather", &t->scan.gathers, out);
    print_samples("scatter", &t->scan.scatters, out);
    print_samples("message", &t->scan.messages, out);
}
