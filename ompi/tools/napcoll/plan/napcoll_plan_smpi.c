/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan smpi: the plans of all ranks as a trace that SimGrid's smpirun replays, on the
 * cluster of a machine file.
 *
 *     5 init
 *     5 irecv 4 0 8                 from rank 4, tag 0, 8 bytes
 *     5 isend 4 0 8
 *     5 waitall
 *     5 compute 8                   8 bytes are reduced
 *     5 isend 20 0 8
 *     ...
 *     5 finalize
 *
 * A plan that is run for each of several pieces is written once for each. Copies are free. Where a
 * process's gap between messages to other nodes is longer than its overhead, the process sleeps for
 * the rest.
 *
 * The files of the folder: trace, traces (the list that smpirun takes), platform.xml, hostfile.
 * Formats: SimGrid 3.32, src/smpi/internals/smpi_replay.cpp.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/napcoll_output.h"
#include "napcoll_plan_smpi.h"
#include "napcoll_plan_tool.h"

typedef struct {
    /* First: trace_ranks hands it on. */
    trace_t trace;
    const napcoll_node_map_t *map;
    const napcoll_machine_t *machine;
    smpi_cluster_t cluster;
} replay_t;

/* ---- the trace ---- */

/* How much longer a process waits between a message to or from another node and the next one than
 * SMPI makes it wait. 0 for messages inside the node, and for those whose bytes take as long as the
 * gap: the links keep these apart. */
static double more_gap_us(const replay_t *r, const napcoll_step_t *step, bool send)
{
    const double bytes = (double) trace_message_bytes(&r->trace, step);
    const napcoll_link_t link = napcoll_machine_link(r->machine, NAPCOLL_LEVEL_NETWORK, bytes);
    const double transfer_us = bytes * link.ns_per_byte / 1000, gap_us = r->machine->process_gap_us;
    const smpi_sizes_t *sizes = smpi_sizes_of(&r->cluster, bytes);
    const double overhead_us = send ? sizes->send_overhead_us : sizes->receive_overhead_us;

    if (transfer_us >= gap_us || overhead_us >= gap_us
        || napcoll_node_map_node(r->map, r->trace.plan->rank)
               == napcoll_node_map_node(r->map, step->peer)) {
        return 0;
    }
    return gap_us - (send ? overhead_us : fmax(transfer_us, overhead_us));
}

static void put_sleep(const replay_t *r, double time_us)
{
    if (time_us > 0) {
        fprintf(r->trace.out, "%d sleep %.9g\n", r->trace.plan->rank, time_us / 1e6);
    }
}

/* The messages of a stage. Sends wait for the gap one after the other; of the receives those
 * besides the first delay the end. */
static void put_messages(replay_t *r, const napcoll_stage_t *stage)
{
    trace_t *t = &r->trace;
    double sent_gap_us = 0, gaps_us = 0, first_us = 0;

    for (int i = 0; i < stage->messages; i++) {
        const napcoll_step_t *step = &t->plan->step[stage->first + i];
        const bool send = NAPCOLL_STEP_SEND == step->kind;
        const double gap_us = more_gap_us(r, step, send);

        if (send) {
            put_sleep(r, gap_us > 0 ? sent_gap_us : 0);
            sent_gap_us = gap_us > 0 ? gap_us : sent_gap_us;
        } else {
            first_us = gap_us > 0 && 0 == gaps_us ? gap_us : first_us;
            gaps_us += gap_us;
        }
        fprintf(t->out, "%d %s %d %d %lld\n", t->plan->rank, send ? "isend" : "irecv", step->peer,
                trace_next_tag(t, step), (long long) trace_message_bytes(t, step));
    }
    if (stage->messages > 0) {
        fprintf(t->out, "%d waitall\n", t->plan->rank);
    }
    put_sleep(r, gaps_us - first_us);
}

static void put_rank(trace_t *t)
{
    replay_t *r = (replay_t *) t;

    fprintf(t->out, "%d init\n", t->plan->rank);
    for (t->piece = 0; t->piece < t->plan->pieces; t->piece++) {
        for (int i = 0; i < t->plan->stages; i++) {
            const long long reduced = trace_reduced_bytes(t, &t->plan->stage[i]);

            put_messages(r, &t->plan->stage[i]);
            if (reduced > 0) {
                fprintf(t->out, "%d compute %lld\n", t->plan->rank, reduced);
            }
        }
    }
    fprintf(t->out, "%d finalize\n", t->plan->rank);
}

/* ---- the folder ---- */

/* Open a file of the folder, which the caller closes with close_file. */
static FILE *open_file(const options_t *o, const char *name, char **path)
{
    const size_t size = strlen(o->output) + strlen(name) + 2;

    *path = napcoll_allocate(size, 1);
    (void) snprintf(*path, size, "%s/%s", o->output, name);
    return open_output("output", *path);
}

static int close_file(char *path, FILE *out)
{
    const int rc = close_output("output", path, out);

    free(path);
    return rc;
}

static void make_folder(const options_t *o)
{
    struct stat found;

    if (NULL == o->output || 0 == strcmp(o->output, "-")) {
        complain("--output: expected a folder, for the trace, the platform and the host file");
    }
    if (0 != mkdir(o->output, 0777) && EEXIST != errno) {
        complain("--output %s: the folder cannot be made (%s); name one below a folder in which "
                 "you may write",
                 o->output, strerror(errno));
    }
    if (0 != stat(o->output, &found) || !S_ISDIR(found.st_mode)) {
        complain("--output %s: this is no folder; name a folder, which need not exist", o->output);
    }
}

static int put_trace(const options_t *o, replay_t *r)
{
    char *path;

    r->trace.out = open_file(o, "trace", &path);
    fprintf(r->trace.out, "# %s %s: ranks %d, nodes %d (--ppn %s --map %s), bytes %d\n",
            o->collective->name, o->algorithm->name, r->map->size, r->map->nodes, o->ppn, o->order,
            r->trace.bytes);
    fprintf(r->trace.out, "# Made by napcoll-plan smpi. A flop is a byte that is reduced.\n");
    trace_ranks(o, r->map, &r->trace, put_rank);
    return close_file(path, r->trace.out);
}

static int put_platform(const options_t *o, const replay_t *r)
{
    char *path;
    FILE *out = open_file(o, "platform.xml", &path);

    smpi_put_platform(&r->cluster, r->map, out);
    return close_file(path, out);
}

static int put_lists(const options_t *o, const replay_t *r)
{
    char *path;
    FILE *out = open_file(o, "traces", &path);
    int rc;

    fprintf(out, "trace\n");
    rc = close_file(path, out);
    out = open_file(o, "hostfile", &path);
    for (int rank = 0; rank < r->map->size; rank++) {
        fprintf(out, "rank%d\n", rank);
    }
    return EXIT_SUCCESS == close_file(path, out) ? rc : EXIT_FAILURE;
}

/* A word of the shell. */
static void put_quoted(const char *text)
{
    putchar('\'');
    for (; '\0' != *text; text++) {
        if ('\'' == *text) {
            fputs("'\\''", stdout);
        } else {
            putchar(*text);
        }
    }
    putchar('\'');
}

static void put_command(const options_t *o, const replay_t *r)
{
    printf("cd ");
    put_quoted(o->output);
    printf(" && smpirun -quiet -no-privatize -np %d -platform platform.xml -hostfile hostfile",
           r->map->size);
    smpi_put_options(&r->cluster, stdout);
    printf(" -replay traces\n");
}

int smpi(options_t *o)
{
    replay_t r = {.trace = {.bytes = read_bytes(o)}};
    napcoll_machine_t machine;
    napcoll_node_map_t *map;
    int rc;

    require_own_phases(o);
    read_machine(o, &machine);
    map = make_map_up_to(o, MOST_SIMULATED);
    make_folder(o);
    r.map = map;
    r.machine = &machine;
    smpi_describe(&machine, r.trace.bytes, &r.cluster);
    rc = put_trace(o, &r);
    rc = EXIT_SUCCESS == rc ? put_platform(o, &r) : rc;
    rc = EXIT_SUCCESS == rc ? put_lists(o, &r) : rc;
    if (EXIT_SUCCESS == rc) {
        put_command(o, &r);
    }
    free_map(o, map);
    return rc;
}
