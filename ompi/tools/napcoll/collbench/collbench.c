/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * collbench: compares collective components turn by turn, inside one job, on duplicates of one
 * communicator.
 *
 *     mpirun --mca coll napcoll,tuned,han collbench --contestants napcoll:nap,tuned,han
 *
 * Exit status: 0 measured; 1 measured, but a file could not be written; 2 bad command line.
 */

#include <errno.h>
#include <math.h>

#include "bench.h"
#include "common/napcoll_output.h"
#include "measure/napcoll_origin.h"

const char napcoll_tool_name[] = "collbench";

/* A file that rank 0 writes while it measures. */
struct output {
    const char *option, *name;
    bool (*write)(const struct bench *b, FILE *out, const struct row *rows, bool first);
    FILE *out;
};

enum { OUTPUTS = 2 };

static bool complain(const struct output *output, int error)
{
    if (0 != error) {
        fprintf(stderr, "collbench: %s %s: %s\n", output->option, output->name, strerror(error));
    }
    return 0 == error;
}

/* Open the files that have a name. Their rows appear while later sizes are still measured. */
static bool outputs_open(const struct bench *b, struct output *output, char message[BENCH_TEXT])
{
    for (int i = 0; i < OUTPUTS; i++, output++) {
        const int error = NULL == output->name
                              ? 0
                              : napcoll_output_open(output->name, NAPCOLL_OUTPUT_GROWS,
                                                    &output->out);

        if (0 != error) {
            snprintf(message, BENCH_TEXT, "%s %.128s: %s", output->option, output->name,
                     strerror(error));
            return false;
        }
        if (NULL != output->out) {
            napcoll_origin_print(output->out, b->argc, b->argv, b->measure.size, b->layout.nodes);
        }
    }
    return true;
}

/* Append the rows of one size to the files. */
static bool outputs_write(const struct output *output, const struct bench *b,
                          const struct row *rows, bool first)
{
    bool good = true;

    for (int i = 0; i < OUTPUTS; i++, output++) {
        if (NULL != output->out && !output->write(b, output->out, rows, first)) {
            good = complain(output, errno);
        }
    }
    return good;
}

static bool outputs_close(const struct output *output)
{
    bool good = true;

    for (int i = 0; i < OUTPUTS; i++, output++) {
        if (NULL != output->out) {
            good = complain(output, napcoll_output_close(output->out, 0)) && good;
        }
    }
    return good;
}

/* ---- measuring ---- */

/* How many of `all` turns should have been taken when a round is over. */
static int so_far(const struct options *opt, int round, int all)
{
    return (int) (((long long) all * (round + 1) + opt->rounds - 1) / opt->rounds);
}

static void show_progress(const napcoll_contest_t *t, const napcoll_contest_until_t *until)
{
    const double left = until->time - MPI_Wtime();

    fprintf(stderr, "\r%s %zu bytes: turn %d of %d, at most %.0f s left   ", t->args.coll->name,
            t->args.bytes, t->turns, t->args.most, left > 0.0 ? left : 0.0);
    fflush(stderr);
}

static napcoll_contest_t *begin_size(const struct bench *b, size_t bytes)
{
    const struct options *opt = &b->opt;
    napcoll_contest_args_t args = {.coll = opt->coll,
                                   .deal = (napcoll_deal_t) opt->deal,
                                   .bytes = bytes,
                                   .contestants = opt->num_contestants,
                                   .most = opt->iterations,
                                   .batch = opt->batch,
                                   .sample_time = opt->sample_time,
                                   .drop = opt->drop};

    for (int i = 0; i < args.contestants; i++) {
        args.comm[i] = b->contestant[i].comm;
        args.label[i] = b->contestant[i].label;
    }
    return napcoll_contest_open(&args);
}

/* The row of one contestant. Without turns, the first look is its only sample. */
static void fill_row(const napcoll_contest_t *t, int which, struct row *row)
{
    const napcoll_contestant_t *contestant = &t->contestant[which], *first = &t->contestant[0];
    const int samples = contestant->dropped ? 1 : t->turns;
    const double *seconds = contestant->dropped ? &contestant->first_look : contestant->seconds;
    double *ratio = napcoll_allocate((size_t) samples + 1, sizeof(*ratio));

    row->sample = napcoll_allocate((size_t) samples + 1, sizeof(double));
    for (int turn = 0; turn < samples; turn++) {
        row->sample[turn] = 1.0e6 * seconds[turn];
        ratio[turn] = seconds[turn]
                      / (contestant->dropped ? napcoll_summarize(first->seconds, t->turns).median
                                             : first->seconds[turn]);
    }
    row->bytes = t->args.bytes;
    row->contestant = t->args.label[which];
    row->samples = samples;
    row->dropped = contestant->dropped;
    row->batch = contestant->dropped ? (int) contestant->calls : t->batch;
    row->time = napcoll_summarize(row->sample, samples);
    row->ratio = napcoll_summarize(ratio, samples);
    row->skew = contestant->dropped ? 0.0 : 1.0e6 * napcoll_summarize(t->skew, t->turns).median;
    free(ratio);
}

static void end_size(struct bench *b, napcoll_contest_t *t, struct row *rows)
{
    for (int i = 0; i < b->opt.num_contestants; i++) {
        contestants_ran(b, &b->contestant[i], &t->contestant[i], rows[i].ran);
        if (0 == b->measure.rank) {
            fill_row(t, i, &rows[i]);
        }
    }
    napcoll_contest_close(t);
}

/* All sizes in each round, each with its share of the remaining time; the last round reports. */
static bool measure_all(struct bench *b, const struct output *outputs, struct row *rows)
{
    const struct options *opt = &b->opt;
    const int sizes = opt->num_sizes, parts = opt->rounds * sizes;
    const double end = MPI_Wtime() + opt->time_limit;
    napcoll_contest_t *turns[BENCH_MAX_SIZES];
    bool good = true;

    for (int i = 0; i < sizes; i++) {
        turns[i] = begin_size(b, opt->bytes[i]);
    }
    for (int part = 0; part < parts; part++) {
        const int i = part % sizes, round = part / sizes;
        const double now = MPI_Wtime(), share = now < end ? (end - now) / (parts - part) : 0.0;
        const napcoll_contest_until_t until = {.least = so_far(opt, round, opt->min_iterations),
                                               .most = so_far(opt, round, opt->iterations),
                                               .time = now + share,
                                               .end = INFINITY,
                                               .progress = opt->progress ? show_progress : NULL};
        struct row *mine = rows + i * opt->num_contestants;

        napcoll_contest_turns(&b->measure, turns[i], &until);
        if (round < opt->rounds - 1) {
            continue;
        }
        end_size(b, turns[i], mine);
        if (0 == b->measure.rank) {
            report_rows(b, mine, 0 == i);
            good = outputs_write(outputs, b, mine, 0 == i) && good;
        }
    }
    return good;
}

/* ---- all of it ---- */

/* Measure and report; rank 0 has opened the files. Returns the exit status on rank 0. */
static int run_bench(struct bench *b, const struct output *outputs)
{
    const int num_rows = b->opt.num_sizes * b->opt.num_contestants;
    struct row *rows = napcoll_allocate((size_t) num_rows, sizeof(*rows));
    int status;

    if (0 == b->measure.rank) {
        report_head(b);
    }
    status = measure_all(b, outputs, rows) ? 0 : 1;
    if (0 == b->measure.rank) {
        report_foot(b, rows, num_rows);
        if (NULL != b->opt.svg && !report_svg(b, rows, num_rows)) {
            status = 1;
        }
    }
    for (int i = 0; i < num_rows; i++) {
        free(rows[i].sample);
    }
    free(rows);
    return status;
}

static bool job_fits(const struct bench *b, char message[BENCH_TEXT])
{
    const size_t most = napcoll_measured_most(b->opt.coll, b->measure.size);

    if (b->measure.size < 2) {
        snprintf(message, BENCH_TEXT, "nothing to measure with one process; start it with mpirun");
        return false;
    }
    for (int i = 0; i < b->opt.num_sizes; i++) {
        if (b->opt.bytes[i] > most) {
            snprintf(message, BENCH_TEXT,
                     "--bytes: blocks of %zu bytes from %d processes are more than the 64 MiB that "
                     "%s may take on one; take at most %zu",
                     b->opt.bytes[i], b->measure.size, b->opt.coll->name, most);
            return false;
        }
    }
    return true;
}

static int start(struct bench *b)
{
    char message[BENCH_TEXT] = "";
    struct output outputs[OUTPUTS] = {{"--csv", b->opt.csv, report_csv, NULL},
                                      {"--samples", b->opt.samples, report_samples, NULL}};
    int status = 0;

    napcoll_measure_open(&b->measure);
    layout_open(b);
    if (!contestants_open(b, message) || !job_fits(b, message)
        || (0 == b->measure.rank && !outputs_open(b, outputs, message))) {
        status = 2;
    }
    napcoll_check(MPI_Bcast(&status, 1, MPI_INT, 0, b->measure.helper), "MPI_Bcast");
    if (0 == status) {
        status = run_bench(b, outputs);
    } else if (0 == b->measure.rank) {
        fprintf(stderr, "collbench: %s\n", message);
    }
    if (!outputs_close(outputs)) {
        status = 1;
    }
    napcoll_check(MPI_Bcast(&status, 1, MPI_INT, 0, b->measure.helper), "MPI_Bcast");
    contestants_close(b);
    napcoll_measure_close(&b->measure);
    return status;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    napcoll_command_line_t line;
    const napcoll_parsed_t parsed = options_parse(argc, argv, &bench.opt, &line);
    int status;

    if (napcoll_tool_start(&argc, &argv, parsed, &line, &status)) {
        bench.argc = argc;
        bench.argv = argv;
        status = start(&bench);
        napcoll_check(MPI_Finalize(), "MPI_Finalize");
    }
    return status;
}
