/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * --guidelines: whether a component's collective takes longer than its own other collectives that
 * could do the same (mockups.c). For each collective, contestant and size the call and its mock-ups
 * take turns, on the contestant's communicator:
 *
 *     ratio of a turn = time of the call / time of the mock-up
 *
 * A guideline is violated where chance does not explain how many ratios are above WITHIN, holds
 * where it does not explain how many are below, and else is undecided.
 */

#include <errno.h>
#include <math.h>

#include "bench.h"
#include "common/napcoll_output.h"
#include "common/napcoll_robust.h"
#include "measure/napcoll_origin.h"

/* By which factor a call may be slower than its mock-up. */
static const double within = 1.1;

static const char *const verdicts[] = {[NAPCOLL_VERDICT_HOLDS] = "holds",
                                       [NAPCOLL_VERDICT_VIOLATED] = "violated",
                                       [NAPCOLL_VERDICT_UNDECIDED] = "undecided"};

enum { VERDICTS = sizeof(verdicts) / sizeof(*verdicts) };

/* What all contests share, and what they found. */
struct check {
    struct bench *bench;
    FILE *csv;
    /* by MPI_Wtime */
    double end;
    int contests, done, count[VERDICTS];
    /* the present contest */
    const char *contestant;
    int num_guidelines;
    struct guideline guideline[GUIDELINES_MAX];
};

/* ---- report: rank 0 ---- */

static void write_head(const struct check *c)
{
    const struct bench *b = c->bench;
    const struct layout *l = &b->layout;
    char ppn[32];

    ppn_text(l, ppn);
    printf("performance guidelines on %d processes on %d %s x %s: a collective takes at most %g "
           "times as long as\nothers of the same component that do the same. By a sign test on "
           "paired turns (5 %%). Below: what does not hold.\n",
           b->measure.size, l->nodes, 1 == l->nodes ? "node" : "nodes", ppn, within);
    printf("\n%9s  %-12s %7s %10s %10s %7s %15s  %-9s  guideline\n", "bytes", "contestant", "turns",
           "call us", "mock-up us", "factor", "p05..p95", "verdict");
    fflush(stdout);
    if (NULL != c->csv) {
        napcoll_origin_print(c->csv, b->argc, b->argv, b->measure.size, l->nodes);
        fprintf(c->csv, "coll,nodes,ppn,bytes,contestant,mockup,samples,median_us,mockup_us,factor,"
                        "p05,p95,verdict\n");
    }
}

/* Judge one guideline by the turns of a contest: the call is contestant 0. */
static void judge(struct check *c, const napcoll_contest_t *t, int which)
{
    const double *call = t->contestant[0].seconds, *other = t->contestant[which].seconds;
    const napcoll_verdict_t verdict = napcoll_judge_within(call, other, t->turns, within);
    const struct bench *b = c->bench;
    const char *mockup = t->args.label[which];
    double *ratio = napcoll_allocate((size_t) t->turns + 1, sizeof(*ratio));
    napcoll_summary_t factor;
    char ppn[32];

    for (int i = 0; i < t->turns; i++) {
        ratio[i] = call[i] / other[i];
    }
    factor = napcoll_summarize(ratio, t->turns);
    free(ratio);
    c->count[verdict]++;
    if (NAPCOLL_VERDICT_HOLDS != verdict) {
        char spread[32];

        (void) snprintf(spread, sizeof(spread), "%.2f..%.2f", factor.p05, factor.p95);
        printf("%9zu  %-12s %7d %10.1f %10.1f %7.2f %15s  %-9s  %s <= %s\n", t->args.bytes,
               c->contestant, t->turns, 1e6 * napcoll_summarize(call, t->turns).median,
               1e6 * napcoll_summarize(other, t->turns).median, factor.median, spread,
               verdicts[verdict], t->args.coll->name, mockup);
        fflush(stdout);
    }
    ppn_text(&b->layout, ppn);
    if (NULL != c->csv && t->turns > 0) {
        fprintf(c->csv, "%s,%d,%s,%zu,%s,%s,%d,%.2f,%.2f,%.4f,%.4f,%.4f,%s\n", t->args.coll->name,
                b->layout.nodes, ppn, t->args.bytes, c->contestant, mockup, t->turns,
                1e6 * napcoll_summarize(call, t->turns).median,
                1e6 * napcoll_summarize(other, t->turns).median, factor.median, factor.p05,
                factor.p95, verdicts[verdict]);
    }
}

static void write_foot(const struct check *c)
{
    printf("\n%d hold, %d violated, %d undecided%s\nall results verified\n",
           c->count[NAPCOLL_VERDICT_HOLDS], c->count[NAPCOLL_VERDICT_VIOLATED],
           c->count[NAPCOLL_VERDICT_UNDECIDED],
           c->count[NAPCOLL_VERDICT_UNDECIDED] > 0
               ? ": more turns may decide them (--time-limit, --iterations)"
               : "");
    napcoll_measure_clocks(&c->bench->measure, stdout);
}

/* ---- measuring ---- */

static void show_progress(void *context, const napcoll_contest_t *t)
{
    struct check *c = context;

    napcoll_progress_tell(&c->bench->progress, (double) c->done / c->contests,
                          "%s of %zu bytes, %s: turn %d of %d", t->args.coll->name, t->args.bytes,
                          c->contestant, t->turns, t->args.most);
}

/* The call and its mock-ups, on the communicator of one contestant. */
static void measure(struct check *c, const struct contestant *contestant, size_t bytes)
{
    struct bench *b = c->bench;
    const double now = MPI_Wtime(), left = fmax(0, c->end - now);
    napcoll_contest_args_t args = {
        .coll = b->opt.coll,
        .bytes = bytes,
        .contestants = 1 + c->num_guidelines,
        .scratch = guidelines_scratch(b->opt.coll, bytes, b->measure.size),
        .most = b->opt.iterations,
        .batch = b->opt.batch,
        .sample_time = b->opt.sample_time};
    const napcoll_contest_until_t until = {.least = b->opt.min_iterations,
                                           .most = b->opt.iterations,
                                           .time = now + left / (c->contests - c->done),
                                           .end = INFINITY,
                                           .progress = show_progress,
                                           .context = c};
    napcoll_contest_t *t;

    c->contestant = contestant->label;
    for (int i = 0; i < args.contestants; i++) {
        args.comm[i] = contestant->comm;
        args.label[i] = 0 == i ? b->opt.coll->name : c->guideline[i - 1].mockup_name;
        args.mockup[i] = 0 == i ? NULL : c->guideline[i - 1].mockup;
    }
    t = napcoll_contest_open(&args);
    napcoll_contest_turns(&b->measure, t, &until);
    if (0 == b->measure.rank) {
        napcoll_progress_clear(&b->progress);
        for (int i = 1; i < args.contestants; i++) {
            judge(c, t, i);
        }
    }
    napcoll_contest_close(t);
    c->done++;
}

/* All sizes and contestants of one collective. Returns false with a message, on all ranks. */
static bool measure_collective(struct check *c, char message[BENCH_TEXT])
{
    struct bench *b = c->bench;
    bool good = contestants_open(b, message);

    for (int i = 0; good && i < b->opt.num_contestants; i++) {
        for (int size = 0; size < b->opt.num_sizes; size++) {
            measure(c, &b->contestant[i], b->opt.bytes[size]);
        }
    }
    contestants_close(b);
    return good;
}

/* The collectives that have guidelines, or the one of --coll. */
static int wanted(const struct bench *b, const napcoll_measured_coll_t **coll)
{
    struct guideline unused[GUIDELINES_MAX];
    const char *name;
    int num = 0;

    for (int i = 0; NULL != (name = napcoll_measured_name(i)); i++) {
        if (guidelines_of(name, unused) > 0 && (b->opt.row < 0 || b->opt.row == i)) {
            coll[num++] = napcoll_measured_find(name);
        }
    }
    return num;
}

static bool job_fits(const struct bench *b, const napcoll_measured_coll_t *coll,
                     char message[BENCH_TEXT])
{
    const size_t most = napcoll_measured_most(coll, b->measure.size) / 4;

    for (int i = 0; i < b->opt.num_sizes; i++) {
        if (b->opt.bytes[i] > most) {
            (void) snprintf(message, BENCH_TEXT,
                            "--bytes: %zu: with --guidelines blocks of %s from %d processes may "
                            "have %zu bytes at most",
                            b->opt.bytes[i], coll->name, b->measure.size, most);
            return false;
        }
    }
    return true;
}

/* Returns false with a message, on all ranks: nothing is measured then. */
static bool check_job(const struct bench *b, const napcoll_measured_coll_t **coll, int num,
                      char message[BENCH_TEXT])
{
    if (0 == num) {
        (void) snprintf(message, BENCH_TEXT, "--guidelines: there is none on %s",
                        b->opt.coll->name);
        return false;
    }
    if (b->measure.size < 2) {
        (void) snprintf(message, BENCH_TEXT,
                        "nothing to measure with one process; start it with mpirun");
        return false;
    }
    for (int i = 0; i < num; i++) {
        if (!job_fits(b, coll[i], message)) {
            return false;
        }
    }
    return true;
}

/* Rank 0 has opened the CSV file. */
static bool check_all(struct check *c, const napcoll_measured_coll_t **coll, int num,
                      char message[BENCH_TEXT])
{
    struct bench *b = c->bench;
    bool good = true;

    if (0 == b->measure.rank) {
        write_head(c);
    }
    napcoll_progress_begin(&b->progress, b->opt.progress);
    for (int i = 0; good && i < num; i++) {
        b->opt.coll = coll[i];
        c->num_guidelines = guidelines_of(coll[i]->name, c->guideline);
        good = measure_collective(c, message);
    }
    napcoll_start_sync(&b->measure.start);
    if (0 == b->measure.rank && good) {
        write_foot(c);
    }
    return good;
}

/* Rank 0: end the CSV file. Returns whether it is written. */
static bool close_csv(const struct check *c, bool whole)
{
    const char *name = c->bench->opt.csv;
    char message[BENCH_TEXT];
    int error;

    if (NULL == c->csv) {
        return true;
    }
    error = napcoll_output_close(c->csv, whole ? 0 : ECANCELED);
    if (0 != error && whole) {
        napcoll_output_explain(message, sizeof(message), "--csv", name, error);
        fprintf(stderr, "collbench: %s\n", message);
    }
    return 0 == error;
}

int guidelines_run(struct bench *b)
{
    const napcoll_measured_coll_t *coll[GUIDELINES_COLLECTIVES];
    const int num = wanted(b, coll);
    struct check c = {.bench = b,
                      .end = MPI_Wtime() + b->opt.time_limit,
                      .contests = num * b->opt.num_contestants * b->opt.num_sizes};
    char message[BENCH_TEXT] = "";
    int status = 0;

    if (!check_job(b, coll, num, message)) {
        status = 2;
    } else if (0 == b->measure.rank && NULL != b->opt.csv) {
        const int error = napcoll_output_open(b->opt.csv, &c.csv);

        if (0 != error) {
            napcoll_output_explain(message, sizeof(message), "--csv", b->opt.csv, error);
            status = 2;
        }
    }
    napcoll_check(MPI_Bcast(&status, 1, MPI_INT, 0, b->measure.helper), "MPI_Bcast");
    if (0 == status && !check_all(&c, coll, num, message)) {
        status = 2;
    }
    if (0 == b->measure.rank && '\0' != message[0]) {
        fprintf(stderr, "collbench: %s%s\n", b->place, message);
    }
    if (0 == b->measure.rank && (!close_csv(&c, 0 == status) || !napcoll_output_finish("collbench"))
        && 0 == status) {
        status = 1;
    }
    napcoll_check(MPI_Bcast(&status, 1, MPI_INT, 0, b->measure.helper), "MPI_Bcast");
    return status;
}
