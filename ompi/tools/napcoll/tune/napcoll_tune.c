/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-tune: measures a platform and writes what it finds as parameters of napcoll.
 *
 *     mpirun -np 16 napcoll-tune -o napcoll.conf
 *     mpirun -np 16 napcoll-tune --only bcast:32K -o napcoll.conf
 *     mpirun -np 16 napcoll-tune gather-scatter -o gather-scatter.conf
 *
 * Exit status: 0 measured and written; 1 something failed; 2 bad command line.
 */

#include "common/napcoll_output.h"
#include "tune/napcoll_tune.h"

const char napcoll_tool_name[] = "napcoll-tune";

/* Thresholds and algorithms have these shares of the time; the machine has the rest. */
static const double thresholds_share = 0.3, verify_share = 0.4;

/* Say what makes a result doubtful. */
static void tell_doubts(const tune_t *t)
{
    const tune_machine_t *m = &t->machine;

    if (m->unsteady > 0) {
        fprintf(stderr,
                "napcoll-tune: %d number%s uncertain: the even and the odd turns differ by more "
                "than %.0f %% there; the report says which. Try again with a larger --time-limit, "
                "or while nothing else runs here\n",
                m->unsteady, 1 == m->unsteady ? " is" : "s are", 100 * TUNE_STEADY);
    }
    if ('\0' != t->network.missing[0]) {
        fprintf(stderr, "napcoll-tune: no latencies by distance: %s\n", t->network.missing);
    }
    if (tune_count_contradictions(m) > 0) {
        fprintf(stderr,
                "napcoll-tune: farther nodes are faster than nearer ones: %s may describe another "
                "network; the report says which\n",
                t->network.file);
    }
    if (t->options.thresholds && '\0' != m->no_thresholds[0]) {
        fprintf(stderr, "napcoll-tune: no thresholds of gather and scatter: %s\n",
                m->no_thresholds);
    }
}

/* M1, M2 and S of a machine; without them there still is a machine. */
static void find_thresholds(tune_t *t)
{
    const tune_options_t *o = &t->options;
    tune_machine_t *m = &t->machine;
    const double deadline = t->end - (o->verify ? verify_share * o->time_limit : 0);

    m->thresholds = napcoll_thresholds_default;
    if (!o->thresholds) {
        snprintf(m->no_thresholds, TUNE_TEXT,
                 "left out by --no-thresholds, or there are too few processes, or too many");
    } else if (MPI_Wtime() >= deadline) {
        snprintf(m->no_thresholds, TUNE_TEXT, "no time was left");
    } else if (TUNE_GOOD == tune_scan(t, deadline, m->no_thresholds)) {
        m->thresholds = tune_thresholds(&t->scan);
    }
}

/* Rank 0: measure and fit. */
static int measure(tune_t *t, char message[TUNE_TEXT])
{
    const tune_options_t *o = &t->options;
    const double later = o->thresholds * thresholds_share + o->verify * verify_share;
    tune_rule_t rules[TUNE_CASES];
    int status = TUNE_GOOD;

    if (TUNE_GATHER_SCATTER == o->command) {
        return tune_scan(t, t->end, message);
    }
    if (NULL == o->only) {
        status = tune_machine(t, t->end - later * o->time_limit, message);
        if (TUNE_GOOD == status) {
            find_thresholds(t);
        }
    }
    if (TUNE_GOOD == status) {
        tune_correct(t);
    }
    if (TUNE_GOOD == status && NULL != o->only && 0 == tune_rules(t, rules)) {
        snprintf(
            message, TUNE_TEXT,
            "--only %.300s: nothing was measured in six turns, so the rules stay%s%.300s; give "
            "more time by --time-limit, or fewer collectives",
            o->only, '\0' == t->cases.missing[0] ? "" : ": ", t->cases.missing);
        return TUNE_FAILED;
    }
    return status;
}

/* Rank 0: print what was found; without a file for them, the parameters as well. */
static void report(const tune_t *t)
{
    const tune_options_t *o = &t->options;

    if (NULL == o->output) {
        tune_write_parameters(t, stdout);
        return;
    }
    tune_report(t, stdout);
    if (NULL == o->only) {
        fputc('\n', stdout);
        tune_write_use(t, stdout);
    }
}

/* Rank 0: measure, fit, print and write. */
static int lead(tune_t *t)
{
    char message[TUNE_TEXT] = "";
    int status;

    t->begin = MPI_Wtime();
    t->end = t->begin + t->options.time_limit;
    t->random = 1;
    status = measure(t, message);
    tune_probe(t, &(tune_probe_t){.kind = TUNE_STOP}, NULL);
    if (TUNE_GOOD != status) {
        fprintf(stderr, "napcoll-tune: %s\n", message);
        return status;
    }
    tell_doubts(t);
    report(t);
    if (!napcoll_output_finish("napcoll-tune")) {
        status = TUNE_FAILED;
    }
    return TUNE_GOOD == tune_write(t) ? status : TUNE_FAILED;
}

/* All ranks: whether the job and the files allow it is known before anything is measured. */
static int start(tune_t *t)
{
    char message[TUNE_TEXT] = "";
    int status = TUNE_GOOD;

    napcoll_measure_open(&t->measure);
    t->comm = t->measure.helper;
    t->rank = t->measure.rank;
    t->ranks = t->measure.size;
    tune_nodes_open(t);
    tune_memory_open(t);
    if (!tune_network_open(t, message)
        || (0 == t->rank && !(tune_correct_open(t, message) && tune_write_check(t, message)))
        || !tune_options_fit(&t->options, &t->node, t->ranks, message)) {
        status = TUNE_USAGE;
    }
    napcoll_check(MPI_Bcast(&status, 1, MPI_INT, 0, t->comm), "MPI_Bcast");
    if (TUNE_GOOD != status && 0 == t->rank) {
        fprintf(stderr, "napcoll-tune: %s\n", message);
    } else if (TUNE_GOOD == status && 0 == t->rank) {
        status = lead(t);
    } else if (TUNE_GOOD == status) {
        tune_serve(t);
    }
    napcoll_check(MPI_Bcast(&status, 1, MPI_INT, 0, t->comm), "MPI_Bcast");
    tune_network_close(t);
    tune_scan_close(t);
    tune_machine_close(t);
    tune_correct_close(t);
    tune_memory_close(t);
    tune_probes_close(t);
    tune_nodes_close(t);
    napcoll_measure_close(&t->measure);
    return status;
}

int main(int argc, char **argv)
{
    static tune_t t;
    napcoll_command_line_t line;
    const napcoll_parsed_t parsed = tune_options_parse(argc, argv, &t.options, &line);
    int status;

    if (napcoll_tool_start(&argc, &argv, parsed, &line, &status)) {
        t.argc = argc;
        t.argv = argv;
        status = start(&t);
        napcoll_check(MPI_Finalize(), "MPI_Finalize");
    }
    return status;
}
