/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-tune: measures a platform and writes what it finds as parameters of napcoll.
 *
 *     mpirun -np 16 napcoll-tune -o napcoll.conf
 *     mpirun -np 16 napcoll-tune gather-scatter -o gather-scatter.conf
 *     mpirun -np 16 napcoll-tune correct --only bcast:32K napcoll.conf
 *
 * Exit status: 0 measured and written; 1 something failed; 2 bad command line.
 */

#include "napcoll_tune.h"

/* What does not stand in the way of a result, but whoever asked should know. */
static void tell_doubts(const tune_t *t)
{
    const tune_machine_t *m = t->machine;

    if (NULL != m && m->unsteady > 0) {
        fprintf(
            stderr,
            "napcoll-tune: %d numbers are uncertain, since half of the turns say something else than the "
            "others by more than %.0f %%; the file says which. Try again with a larger --time-limit, or while "
            "nothing else runs here\n",
            m->unsteady, 100 * TUNE_STEADY);
    }
    if (NULL != m && '\0' != t->network.missing[0]) {
        fprintf(stderr, "napcoll-tune: no latencies by distance: %s\n", t->network.missing);
    }
    if (NULL != m && tune_count_contradictions(m) > 0) {
        fprintf(
            stderr,
            "napcoll-tune: farther nodes are faster than nearer ones: %s may not be that of this network; the "
            "report says which\n",
            t->network.file);
    }
    if (NULL != m && t->options.thresholds && '\0' != m->no_thresholds[0]) {
        fprintf(stderr, "napcoll-tune: no thresholds of gather and scatter: %s\n",
                m->no_thresholds);
    }
}

/* Rank 0: measure and fit. */
static int measure(tune_t *t, char message[TUNE_TEXT])
{
    switch (t->options.command) {
    case TUNE_CORRECT:
        return tune_correct(t, message);
    case TUNE_GATHER_SCATTER:
        return tune_scan(t, t->options.time_limit, message);
    default:
        return tune_machine(t, message);
    }
}

/* Rank 0: print what was found; without a file for them, the parameters as well. */
static void report(const tune_t *t)
{
    const bool machine = TUNE_MACHINE == t->options.command;

    if (TUNE_CORRECT == t->options.command) {
        tune_report_cases(t, stdout, "");
        printf("rules that go into %s: %d\n", t->corrected.rules_name, tune_count_rules(t));
        return;
    }
    if (!machine) {
        tune_report_sizes(t, stdout);
    }
    if (NULL == t->options.output) {
        tune_write_parameters(t, stdout);
        return;
    }
    if (machine) {
        tune_report_machine(t, stdout, "");
    }
    if (!machine || '\0' == t->machine->no_thresholds[0]) {
        tune_report_models(t, stdout, "");
    }
    if (machine) {
        tune_report_cases(t, stdout, "");
    }
}

/* Rank 0: measure, fit, print and write. */
static int lead(tune_t *t)
{
    char message[TUNE_TEXT] = "";
    int status = measure(t, message), written;

    tune_stop(t);
    if (TUNE_GOOD != status) {
        fprintf(stderr, "napcoll-tune: %s\n", message);
        return status;
    }
    tell_doubts(t);
    report(t);
    if (0 != fflush(stdout) || ferror(stdout)) {
        fputs("napcoll-tune: standard output cannot be written\n", stderr);
        status = TUNE_FAILED;
    }
    written = TUNE_CORRECT == t->options.command ? tune_correct_write(t) : tune_write_files(t);
    return TUNE_GOOD == written ? status : TUNE_FAILED;
}

/* All ranks: what the job and its files allow is known before anything is measured. */
static int start(tune_t *t)
{
    char message[TUNE_TEXT] = "";
    int status = TUNE_GOOD;

    tune_nodes_open(t);
    tune_calls_open(t);
    if (!tune_network_open(t, message)
        || (0 == t->rank
            && !(tune_write_check(&t->options, message) && tune_correct_open(t, message)))
        || !tune_options_fit(&t->options, t->ranks, t->node.num, message)) {
        status = TUNE_USAGE;
    }
    tune_check(MPI_Bcast(&status, 1, MPI_INT, 0, t->comm), "MPI_Bcast");
    if (TUNE_GOOD != status) {
        if (0 == t->rank) {
            fprintf(stderr, "napcoll-tune: %s\n", message);
        }
        tune_correct_close(t);
        tune_network_close(t);
        tune_nodes_close(t);
        return status;
    }
    tune_measure_open(t);
    if (0 == t->rank) {
        status = lead(t);
    } else {
        tune_serve(t);
    }
    tune_measure_close(t);
    tune_calls_close(t);
    tune_network_close(t);
    tune_nodes_close(t);
    tune_scan_close(t);
    tune_machine_close(t);
    tune_correct_close(t);
    tune_check(MPI_Bcast(&status, 1, MPI_INT, 0, t->comm), "MPI_Bcast");
    return status;
}

int main(int argc, char **argv)
{
    char message[TUNE_TEXT] = "";
    tune_t t = {.rank = 0};
    tune_parsed_t parsed;
    int status = TUNE_GOOD;

    tune_check(MPI_Init(&argc, &argv), "MPI_Init");
    tune_check(MPI_Comm_dup(MPI_COMM_WORLD, &t.comm), "MPI_Comm_dup");
    tune_check(MPI_Comm_rank(t.comm, &t.rank), "MPI_Comm_rank");
    tune_check(MPI_Comm_size(t.comm, &t.ranks), "MPI_Comm_size");
    t.argc = argc;
    t.argv = argv;
    parsed = tune_options_parse(argc, argv, &t.options, message);
    if (TUNE_RUN == parsed) {
        status = start(&t);
    } else if (TUNE_BAD == parsed) {
        status = TUNE_USAGE;
    }
    if (0 == t.rank && TUNE_HELP == parsed) {
        fputs(tune_usage(), stdout);
    } else if (0 == t.rank && TUNE_BAD == parsed) {
        fprintf(stderr, "napcoll-tune: %s\n", message);
    }
    tune_check(MPI_Comm_free(&t.comm), "MPI_Comm_free");
    tune_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
