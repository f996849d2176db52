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
#include "common/napcoll_plot.h"
#include "measure/napcoll_origin.h"

const char napcoll_tool_name[] = "collbench";

/* A file that rank 0 writes. */
struct output {
    const char *option, *name;
    void (*write)(const struct bench *b, FILE *out, const struct row *rows, bool first);
    FILE *out;
};

enum { OUTPUTS = 2 };

/* Open the files that have a name, and check that --svg can be done: nothing is measured in
 * vain. */
static bool outputs_open(const struct bench *b, struct output *output, char message[BENCH_TEXT])
{
    for (int i = 0; i < OUTPUTS; i++, output++) {
        const int error = NULL == output->name ? 0
                                               : napcoll_output_open(output->name, &output->out);

        if (0 != error) {
            napcoll_output_explain(message, BENCH_TEXT, output->option, output->name, error);
            return false;
        }
        if (NULL != output->out) {
            napcoll_origin_print(output->out, b->argc, b->argv, b->measure.size, b->layout.nodes);
        }
    }
    return NULL == b->opt.svg || napcoll_plot_check(b->opt.svg, message);
}

/* Append the rows of one size to the files; outputs_close sees errors. */
static void outputs_write(const struct output *output, const struct bench *b,
                          const struct row *rows, bool first)
{
    for (int i = 0; i < OUTPUTS; i++, output++) {
        if (NULL != output->out) {
            output->write(b, output->out, rows, first);
        }
    }
}

/* Returns whether all files were written; `whole`: their content is complete. */
static bool outputs_close(const struct output *output, bool whole)
{
    char message[BENCH_TEXT];
    bool good = true;

    for (int i = 0; i < OUTPUTS; i++, output++) {
        int error = whole ? 0 : ECANCELED;

        if (NULL != output->out) {
            error = napcoll_output_close(output->out, error);
        }
        if (0 != error && whole) {
            napcoll_output_explain(message, sizeof(message), output->option, output->name, error);
            fprintf(stderr, "collbench: %s\n", message);
            good = false;
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

/* A size in a round, for the progress line. */
struct part {
    napcoll_progress_t *progress;
    int number, parts;
    /* Seconds, by MPI_Wtime: when it began, and should end. */
    double begin, end;
};

/* A part is over by its time, or before. */
static void show_progress(void *context, const napcoll_contest_t *t)
{
    const struct part *part = context;
    const double time = part->end - part->begin, spent = MPI_Wtime() - part->begin;
    const double share = spent < time ? spent / time : 1;

    napcoll_progress_tell(part->progress, (part->number + share) / part->parts,
                          "%zu bytes: turn %d of %d", t->args.bytes, t->turns, t->args.most);
}

static napcoll_contest_t *begin_size(const struct bench *b, size_t bytes)
{
    const struct options *opt = &b->opt;
    napcoll_contest_args_t args = {.coll = opt->coll,
                                   .deal = (napcoll_deal_t) opt->deal,
                                   .bytes = bytes,
                                   .contestants = opt->num_contestants,
                                   .overlap = opt->overlap,
                                   .tests = opt->tests,
                                   .most = opt->iterations,
                                   .batch = opt->batch,
                                   .sample_time = opt->sample_time,
                                   .drop = opt->drop,
                                   .finalists = opt->finalists};

    for (int i = 0; i < args.contestants; i++) {
        args.comm[i] = b->contestant[i].comm;
        args.label[i] = b->contestant[i].label;
        args.kind[i] = b->contestant[i].kind;
        args.pool[i] = '\0' == b->contestant[i].action[0] ? 0 : 1 + (int) b->contestant[i].kind;
    }
    return napcoll_contest_open(&args);
}

/* The samples with computation. The overlap of a turn compares times of that turn. */
static void fill_overlap(const napcoll_contestant_t *contestant, struct row *row)
{
    const size_t room = (size_t) row->samples + 1;
    double *share;

    row->overlaps = NULL != contestant->overall && !contestant->dropped;
    if (!row->overlaps) {
        return;
    }
    share = napcoll_allocate(room, sizeof(*share));
    row->overalls = napcoll_allocate(room, sizeof(double));
    row->computes = napcoll_allocate(room, sizeof(double));
    for (int turn = 0; turn < row->samples; turn++) {
        row->overalls[turn] = 1.0e6 * contestant->overall[turn];
        row->computes[turn] = 1.0e6 * contestant->compute[turn];
        share[turn] = napcoll_judge_overlap(row->sample[turn], row->overalls[turn],
                                            row->computes[turn]);
    }
    row->overall = napcoll_summarize(row->overalls, row->samples).median;
    row->compute = napcoll_summarize(row->computes, row->samples).median;
    row->overlap = napcoll_summarize(share, row->samples).median;
    free(share);
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
    row->batch = contestant->dropped ? (int) contestant->calls : contestant->batch;
    row->time = napcoll_summarize(row->sample, samples);
    row->ratio = napcoll_summarize(ratio, samples);
    row->run = contestant->dropped ? NAN
                                   : 1.0e6 * napcoll_summarize(contestant->run, samples).median;
    row->skew = contestant->dropped ? 0.0 : 1.0e6 * napcoll_summarize(t->skew, t->turns).median;
    fill_overlap(contestant, row);
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
static void measure_all(struct bench *b, const struct output *outputs, struct row *rows)
{
    const struct options *opt = &b->opt;
    const int sizes = opt->num_sizes, parts = opt->rounds * sizes;
    const double end = MPI_Wtime() + opt->time_limit;
    napcoll_contest_t *turns[BENCH_MAX_SIZES];

    napcoll_progress_begin(&b->progress, opt->progress);
    for (int i = 0; i < sizes; i++) {
        turns[i] = begin_size(b, opt->bytes[i]);
    }
    for (int number = 0; number < parts; number++) {
        const int i = number % sizes, round = number / sizes;
        const double now = MPI_Wtime(), share = now < end ? (end - now) / (parts - number) : 0.0;
        struct part part = {&b->progress, number, parts, now, now + share};
        const napcoll_contest_until_t until = {.least = so_far(opt, round, opt->min_iterations),
                                               .most = so_far(opt, round, opt->iterations),
                                               .time = now + share,
                                               .end = INFINITY,
                                               .progress = show_progress,
                                               .context = &part};
        struct row *mine = rows + i * opt->num_contestants;

        napcoll_contest_turns(&b->measure, turns[i], &until);
        if (round < opt->rounds - 1) {
            continue;
        }
        end_size(b, turns[i], mine);
        if (0 == b->measure.rank) {
            napcoll_progress_clear(&b->progress);
            report_rows(b, mine, 0 == i);
            outputs_write(outputs, b, mine, 0 == i);
        }
    }
    /* by which clocks were off since the sync before */
    napcoll_start_sync(&b->measure.start);
}

/* ---- all of it ---- */

/* Measure and report; rank 0 has opened the files. Returns the exit status on rank 0. */
static int run_bench(struct bench *b, const struct output *outputs)
{
    const int num_rows = b->opt.num_sizes * b->opt.num_contestants;
    struct row *rows = napcoll_allocate((size_t) num_rows, sizeof(*rows));
    int status = 0;

    if (0 == b->measure.rank) {
        report_head(b);
    }
    measure_all(b, outputs, rows);
    if (0 == b->measure.rank) {
        report_foot(b, rows, num_rows);
        if (NULL != b->opt.svg && !report_svg(b, rows, num_rows)) {
            status = 1;
        }
        if (!napcoll_output_finish("collbench")) {
            status = 1;
        }
    }
    for (int i = 0; i < num_rows; i++) {
        free(rows[i].sample);
        free(rows[i].overalls);
        free(rows[i].computes);
    }
    free(rows);
    return status;
}

static bool job_fits(const struct bench *b, char message[BENCH_TEXT])
{
    const bool neighbor = b->opt.coll->neighbor;
    const char *things = neighbor ? "neighbours" : "processes";
    const int blocks = neighbor ? napcoll_edge_lists_most(&b->graph) : b->measure.size;
    const size_t most = napcoll_measured_most(b->opt.coll, blocks);

    if (b->measure.size < 2) {
        snprintf(message, BENCH_TEXT, "nothing to measure with one process; start it with mpirun");
        return false;
    }
    for (int i = 0; i < b->opt.num_sizes; i++) {
        if (b->opt.bytes[i] > most) {
            snprintf(message, BENCH_TEXT,
                     "--bytes: blocks of %zu bytes from %d %s are more than the 64 MiB that "
                     "%s may take on one; take at most %zu",
                     b->opt.bytes[i], blocks, things, b->opt.coll->name, most);
            return false;
        }
    }
    return true;
}

/* Measure and write the table. Returns the exit status. */
static int run_table(struct bench *b)
{
    char message[BENCH_TEXT] = "";
    struct output outputs[OUTPUTS] = {{"--csv", b->opt.csv, report_csv, NULL},
                                      {"--samples", b->opt.samples, report_samples, NULL}};
    int status = 0;

    if (!contestants_open(b, message) || !job_fits(b, message)
        || (0 == b->measure.rank && !outputs_open(b, outputs, message))) {
        status = 2;
    }
    napcoll_check(MPI_Bcast(&status, 1, MPI_INT, 0, b->measure.helper), "MPI_Bcast");
    if (0 == status) {
        status = run_bench(b, outputs);
    } else if (0 == b->measure.rank) {
        fprintf(stderr, "collbench: %s%s\n", b->place, message);
    }
    if (!outputs_close(outputs, 2 != status)) {
        status = 1;
    }
    napcoll_check(MPI_Bcast(&status, 1, MPI_INT, 0, b->measure.helper), "MPI_Bcast");
    contestants_close(b);
    return status;
}

int bench_run(struct bench *b)
{
    return b->opt.guidelines ? guidelines_run(b) : run_table(b);
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
        napcoll_measure_open(&bench.measure);
        layout_open(&bench);
        status = NULL == bench.opt.runs ? bench_run(&bench) : runs_run(&bench);
        napcoll_measure_close(&bench.measure);
        napcoll_check(MPI_Finalize(), "MPI_Finalize");
    }
    return status;
}
