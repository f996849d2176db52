/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * collbench: compares collective components turn by turn, inside one job, on duplicates of one
 * communicator, so that they meet the same machine in the same minute.
 *
 *     mpirun --mca coll napcoll,tuned,han collbench --contestants napcoll:nap,tuned,han
 *
 * Exit status: 0 measured; 1 measured, but a file could not be written; 2 bad command line.
 */
#include <errno.h>

#include "bench.h"
#include "common/napcoll_output.h"

void check(int rc, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;

    if (MPI_SUCCESS == rc) {
        return;
    }
    (void) MPI_Error_string(rc, text, &length);
    fprintf(stderr, "collbench: %s failed: %s\n", call, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Buffers for the largest size. */
static void buffers_open(struct bench *b)
{
    const struct collective *coll = b->opt.coll;
    bool shaped = shape_open(&b->shape, b->layout.rank, b->layout.size);
    size_t send = 1, recv = 1;

    for (int i = 0; shaped && i < b->opt.num_sizes; ++i) {
        size_t sends, receives;

        shape_set(&b->shape, coll, b->opt.deal, b->opt.bytes[i]);
        sends = shape_room(&b->shape, coll->send);
        receives = shape_room(&b->shape, coll->recv);
        send = sends > send ? sends : send;
        recv = receives > recv ? receives : recv;
    }
    b->send = calloc(send, sizeof(double));
    b->recv = calloc(recv, sizeof(double));
    if (!shaped || NULL == b->send || NULL == b->recv) {
        fprintf(stderr, "collbench: rank %d: no memory for buffers of %zu and %zu bytes\n",
                b->layout.rank, send * sizeof(double), recv * sizeof(double));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void buffers_close(struct bench *b)
{
    free(b->send);
    free(b->recv);
    shape_close(&b->shape);
}

/* What rank 0 writes while it measures; NULL where it was not asked for. */
struct files {
    FILE *csv, *samples;
};

static bool written(bool good, const char *option, const char *name)
{
    if (!good) {
        fprintf(stderr, "collbench: %s %s: %s\n", option, name, strerror(errno));
    }
    return good;
}

/* The rows of one size, to all that were opened. */
static bool write_rows(const struct bench *b, const struct files *files, const struct row *rows,
                       bool first)
{
    bool good = true;

    if (NULL != files->csv) {
        good = written(report_csv(b, files->csv, rows, first), "--csv", b->opt.csv);
    }
    if (NULL != files->samples) {
        good = written(report_samples(b, files->samples, rows, first), "--samples", b->opt.samples)
               && good;
    }
    return good;
}

/* All sizes in each round, each with its share of the time that is left; the last round reports. */
static bool measure_all(struct bench *b, const struct files *files, struct row *rows)
{
    const int sizes = b->opt.num_sizes, parts = b->opt.rounds * sizes;
    const double end = MPI_Wtime() + b->opt.time_limit;
    struct turns *turns[BENCH_MAX_SIZES];
    bool good = true;

    for (int i = 0; i < sizes; ++i) {
        turns[i] = measure_begin(b, b->opt.bytes[i]);
    }
    for (int part = 0; part < parts; ++part) {
        const int i = part % sizes, round = part / sizes;
        const double now = MPI_Wtime(), share = now < end ? (end - now) / (parts - part) : 0.0;
        struct row *mine = rows + i * b->opt.num_contestants;

        measure_round(b, turns[i], round, now + share);
        if (round < b->opt.rounds - 1) {
            continue;
        }
        measure_end(b, turns[i], mine);
        if (0 == b->layout.rank) {
            report_rows(b, mine, 0 == i);
            good = write_rows(b, files, mine, 0 == i) && good;
        }
    }
    return good;
}

/* Opens a file if it has a name. Its rows are to be there if a later size takes too long. */
static bool file_open(FILE **file, const char *option, const char *name, char message[BENCH_TEXT])
{
    int error = 0;

    *file = NULL;
    if (NULL != name) {
        error = napcoll_output_open(name, NAPCOLL_OUTPUT_GROWS, file);
    }
    if (0 != error) {
        snprintf(message, BENCH_TEXT, "%s %.128s: %s", option, name, strerror(error));
    }
    return 0 == error;
}

static bool files_open(struct files *files, const struct options *opt, char message[BENCH_TEXT])
{
    return file_open(&files->csv, "--csv", opt->csv, message)
           && file_open(&files->samples, "--samples", opt->samples, message);
}

static bool file_close(FILE *file, const char *option, const char *name)
{
    if (NULL == file) {
        return true;
    }
    errno = napcoll_output_close(file, 0);
    return written(0 == errno, option, name);
}

static bool files_close(const struct files *files, const struct options *opt)
{
    const bool good = file_close(files->csv, "--csv", opt->csv);

    return file_close(files->samples, "--samples", opt->samples) && good;
}

/* The pictures that were asked for. */
static bool draw_all(const struct bench *b, const struct row *rows, int num_rows)
{
    bool good = NULL == b->opt.svg || report_svg(b, rows, num_rows);

    return (NULL == b->opt.dots || report_dots(b, rows, num_rows)) && good;
}

/* Measures and reports; rank 0 opened the files. Returns the exit status on rank 0. */
static int run(struct bench *b, const struct files *files)
{
    int num_rows = b->opt.num_sizes * b->opt.num_contestants;
    struct row *rows = calloc((size_t) num_rows, sizeof(*rows));
    int status = 0;

    if (NULL == rows) {
        fprintf(stderr, "collbench: no memory for %d rows\n", num_rows);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    buffers_open(b);
    layout_ping(b);
    if (0 == b->layout.rank) {
        report_head(b);
    }
    if (!measure_all(b, files, rows)) {
        status = 1;
    }
    if (0 == b->layout.rank) {
        report_foot(b, rows, num_rows);
        if (!draw_all(b, rows, num_rows)) {
            status = 1;
        }
    }
    buffers_close(b);
    measure_forget(rows, num_rows);
    free(rows);
    return status;
}

static bool sizes_fit(const struct bench *b, char message[BENCH_TEXT])
{
    for (int i = 0; i < b->opt.num_sizes; ++i) {
        if (!collective_fits(b->opt.coll, b->opt.bytes[i], b->layout.size, message)) {
            return false;
        }
    }
    return true;
}

static int start(struct bench *b)
{
    char message[BENCH_TEXT] = "";
    struct files files = {NULL, NULL};
    int status = 0;

    if (b->layout.size < 2) {
        snprintf(message, BENCH_TEXT, "nothing to measure with one process; start it with mpirun");
        status = 2;
    } else if (!contestants_open(b, message) || !sizes_fit(b, message)) {
        status = 2;
    } else if (0 == b->layout.rank && !files_open(&files, &b->opt, message)) {
        status = 2;
    }
    check(MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
    if (0 == status) {
        status = run(b, &files);
    } else if (0 == b->layout.rank) {
        fprintf(stderr, "collbench: %s\n", message);
    }
    if (!files_close(&files, &b->opt)) {
        status = 1;
    }
    check(MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
    if (b->layout.size >= 2) {
        contestants_close(b);
    }
    return status;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    char message[BENCH_TEXT] = "";
    enum options_result parsed;
    int status = 0;

    check(MPI_Init(&argc, &argv), "MPI_Init");
    parsed = options_parse(argc, argv, &bench.opt, message);
    layout_open(&bench.layout);
    bench.random = bench.opt.seed;
    if (OPTIONS_RUN == parsed) {
        status = start(&bench);
    } else if (OPTIONS_BAD == parsed) {
        status = 2;
    }
    if (0 == bench.layout.rank && OPTIONS_HELP == parsed) {
        fputs(options_usage(), stdout);
    } else if (0 == bench.layout.rank && OPTIONS_BAD == parsed) {
        fprintf(stderr, "collbench: %s\n", message);
    }
    layout_close(&bench.layout);
    check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
