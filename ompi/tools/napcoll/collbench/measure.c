/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Taking turns. In a turn every contestant runs once, in an order shuffled anew, on the same data;
 * ratios compare times of one turn only, so that what disturbs the machine disturbs all alike.
 *
 *     rank 0 announces a start time -> all sleep until then -> batch of calls, timed -> who is
 *     done sleeps until others are likely to be, too -> the longest duration goes to rank 0
 *     -> results are checked
 *
 * The announcement and the collection are not part of the sample. An announcement that arrived
 * after the start time somewhere spoils its turn: the turn is not counted, and the next ones get
 * more time.
 */
#include <math.h>
#include <stdio.h>

#include "bench.h"

enum { PROBE_CALLS = 3, BATCH_MAX = 1000, SPARE_TRIES = 10 };

static const double BATCH_SECONDS = 2.0e-3, BATCH_SECONDS_MAX = 0.5;
static const double SKEW_SHARE = 50.0; /* a batch lasts this many times the start skew */
static const double HOPELESS =
    4.0; /* so many times the factor of --drop, where calls are still cold */
static const double LONG_CALL = 50.0e-3;

/* What rank 0 announces, as doubles so that it is one message. */
enum { ANNOUNCE_GO, ANNOUNCE_START, ANNOUNCE_SECONDS, ANNOUNCE_WORDS };

/* What is collected on rank 0, all by maximum. */
enum { COLLECT_SECONDS, COLLECT_SKEW, COLLECT_MISSED, COLLECT_WORDS };

struct sample {
    napcoll_start_before_t took; /* the slowest rank */
    double skew;                 /* last start after the agreed one */
    bool missed;                 /* announced too late */
};

/* All turns of one size. Times are known to rank 0. */
struct turns {
    size_t bytes;
    int num;      /* those that count */
    int taken;    /* and those with a missed start */
    double spent; /* seconds in them */
    int batch;    /* calls of a sample; 0 before the first look */
    struct stats stats[BENCH_MAX_CONTESTANTS];
    struct sample last[BENCH_MAX_CONTESTANTS]; /* also those that do not count */
    double first_look[BENCH_MAX_CONTESTANTS];  /* seconds of a call when it was warm */
    double *seconds[BENCH_MAX_CONTESTANTS];
    double *skew;
};

static uint64_t next_random(uint64_t *state)
{
    /* splitmix64: any seed will do, also 0 */
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void shuffle(struct bench *b, int *order)
{
    int num = b->opt.num_contestants;

    for (int i = 0; i < num; ++i) {
        order[i] = i;
    }
    for (int i = num - 1; i > 0; --i) {
        int j = (int) (next_random(&b->random) % (uint64_t) (i + 1));
        int kept = order[i];

        order[i] = order[j];
        order[j] = kept;
    }
}

static void fill_input(struct bench *b, int turn)
{
    size_t count = shape_room(&b->shape, b->opt.coll->send);

    for (size_t i = 0; i < count; ++i) {
        b->send[i] = collective_input(i, turn, b->layout.rank);
    }
}

static void fill_output(struct bench *b, int turn)
{
    size_t count = shape_room(&b->shape, b->opt.coll->recv);

    for (size_t i = 0; i < count; ++i) {
        b->recv[i] = b->opt.coll->before(i, turn, b->layout.rank);
    }
}

static void verify_block(const struct bench *b, const struct contestant *c, const double *got,
                         int block, int turn)
{
    for (size_t i = 0; i < (size_t) b->shape.counts[block]; ++i) {
        double expected;

        if (!b->opt.coll->after(&b->shape, block, i, turn, &expected)) {
            continue;
        }
        if (got[i] < expected || got[i] > expected || got[i] != got[i]) {
            fprintf(stderr,
                    "collbench: wrong result: %s %s, %zu bytes, rank %d, element %zu: "
                    "got %.17g, expected %.17g\n",
                    c->label, b->opt.coll->name, (size_t) b->shape.count * sizeof(double),
                    b->layout.rank, (size_t) (got - b->recv) + i, got[i], expected);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void verify(const struct bench *b, const struct contestant *c, int turn)
{
    switch (b->opt.coll->recv) {
    case HOLDS_OWN:
        verify_block(b, c, b->recv, b->layout.rank, turn);
        break;
    case HOLDS_ALL_AT_ROOT:
        if (0 != b->layout.rank) {
            break;
        }
        /* fall through */
    case HOLDS_ALL:
        for (int block = 0; block < b->layout.size; ++block) {
            verify_block(b, c, b->recv + b->shape.displs[block], block, turn);
        }
        break;
    default:
        break;
    }
}

/* The timed region. */
static double run_batch(struct bench *b, struct contestant *c, int batch)
{
    double start = MPI_Wtime(), seconds;
    int rc = MPI_SUCCESS;

    for (int i = 0; MPI_SUCCESS == rc && i < batch; ++i) {
        rc = b->opt.coll->run(&b->shape, b->send, b->recv, c->comm);
    }
    seconds = MPI_Wtime() - start;
    check(rc, b->opt.coll->name);
    return seconds / batch;
}

/* One sample, after the one that is in *sample. False on all ranks if rank 0 said stop; then nothing ran. Adds to the
 * statistics what napcoll counted meanwhile: that is read far from the timed region, which it would delay where ranks share
 * cores; the helper's calls are not napcoll's. */
static bool take_sample(struct bench *b, struct contestant *c, struct stats *stats, int turn,
                        int batch, bool go, struct sample *sample)
{
    double announce[ANNOUNCE_WORDS], mine[COLLECT_WORDS], worst[COLLECT_WORDS], early;
    unsigned long long before[NAPCOLL_COUNTERS_MAX], after[NAPCOLL_COUNTERS_MAX];

    fill_output(b, turn);
    check(napcoll_counters_read(&b->counters, before), "MPI_T_pvar_read");
    announce[ANNOUNCE_GO] = go ? 1.0 : 0.0;
    announce[ANNOUNCE_START] = MPI_Wtime() + b->layout.start.slack;
    announce[ANNOUNCE_SECONDS] = sample->took.seconds;
    check(MPI_Bcast(announce, ANNOUNCE_WORDS, MPI_DOUBLE, 0, b->helper), "MPI_Bcast");
    if (announce[ANNOUNCE_GO] < 0.5) {
        return false;
    }
    early = napcoll_start_at(&b->layout.start, announce[ANNOUNCE_START]);
    mine[COLLECT_MISSED] = early < 0.0 ? 1.0 : 0.0;
    mine[COLLECT_SKEW] = MPI_Wtime() + b->layout.start.offset - announce[ANNOUNCE_START];
    mine[COLLECT_SECONDS] = run_batch(b, c, batch);
    sample->took.seconds = announce[ANNOUNCE_SECONDS];
    napcoll_start_rest(&b->layout.start, announce[ANNOUNCE_START], &sample->took, batch);
    sample->took.calls = batch;
    check(MPI_Reduce(mine, worst, COLLECT_WORDS, MPI_DOUBLE, MPI_MAX, 0, b->helper), "MPI_Reduce");
    check(napcoll_counters_read(&b->counters, after), "MPI_T_pvar_read");
    for (int i = 0; i < b->counters.num; ++i) {
        stats->ran[i] += after[i] - before[i];
    }
    stats->calls += (unsigned long long) batch;
    verify(b, c, turn);
    if (0 == b->layout.rank) {
        sample->took.seconds = worst[COLLECT_SECONDS];
        sample->skew = worst[COLLECT_SKEW];
        sample->missed = worst[COLLECT_MISSED] > 0.5;
        if (sample->missed) {
            napcoll_start_was_missed(&b->layout.start);
        }
    }
    return true;
}

/* As many calls as last as long as users say, or long enough for the clock and to dwarf what the start is uneven by. */
static int choose_batch(const struct bench *b, double fastest, double skew)
{
    double aim = SKEW_SHARE * skew > BATCH_SECONDS ? SKEW_SHARE * skew : BATCH_SECONDS;

    aim = aim < BATCH_SECONDS_MAX ? aim : BATCH_SECONDS_MAX;
    aim = b->opt.sample_time > 0.0 ? b->opt.sample_time : aim;
    return fastest * BATCH_MAX > aim ? 1 + (int) (aim / fastest) : BATCH_MAX;
}

/* Calls of the first look at a contestant: one where those that follow each other overlap, or last long. */
static int first_calls(const struct bench *b, double seconds)
{
    return b->opt.coll->overlaps || seconds > LONG_CALL ? 1 : PROBE_CALLS;
}

static void reset_counts(struct stats *stats)
{
    memset(stats->ran, 0, sizeof(stats->ran));
    stats->calls = 0;
}

/* Who takes so many times what the fastest of those still there takes is left out from now on; never the first, which the
 * others are compared with. Rank 0 knows the times; returns the least. */
static double drop_slow(const struct bench *b, struct turns *t, double factor)
{
    double fastest = 1.0e30;

    check(MPI_Bcast(t->first_look, BENCH_MAX_CONTESTANTS, MPI_DOUBLE, 0, b->helper), "MPI_Bcast");
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        if (!t->stats[i].dropped && t->first_look[i] < fastest) {
            fastest = t->first_look[i];
        }
    }
    for (int i = 1; i < b->opt.num_contestants && factor > 0.0; ++i) {
        t->stats[i].dropped = t->stats[i].dropped || t->first_look[i] > factor * fastest;
    }
    return fastest;
}

/* First calls build plans, connections and other components' communicators, and say nothing; later ones say how many
 * calls make a sample, and who is dropped: the hopeless at once. */
static void warm_up(struct bench *b, struct turns *t)
{
    double fastest, skew = 0.0;
    int looked = 0;

    fill_input(b, 0);
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        for (int call = 0; call < 2; ++call) {
            reset_counts(&t->stats[i]);
            (void) take_sample(b, &b->contestant[i], &t->stats[i], 0, 1, true, &t->last[i]);
        }
        t->first_look[i] = t->last[i].took.seconds;
    }
    (void) drop_slow(b, t, HOPELESS * b->opt.drop);
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        if (!t->stats[i].dropped) {
            reset_counts(&t->stats[i]);
            (void) take_sample(b, &b->contestant[i], &t->stats[i], 0,
                               first_calls(b, t->first_look[i]), true, &t->last[i]);
            t->first_look[i] = fmin(t->first_look[i], t->last[i].took.seconds);
            skew += t->last[i].skew;
            looked++;
        }
    }
    fastest = drop_slow(b, t, b->opt.drop);
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        if (!t->stats[i].dropped) {
            reset_counts(&t->stats[i]);
        }
    }
    t->batch = 0 == b->opt.batch && b->opt.coll->overlaps ? 1 : b->opt.batch;
    if (0 == t->batch && 0 == b->layout.rank) {
        t->batch = choose_batch(b, fastest, skew / looked);
    }
    check(MPI_Bcast(&t->batch, 1, MPI_INT, 0, b->helper), "MPI_Bcast");
}

struct turns *measure_begin(const struct bench *b, size_t bytes)
{
    const size_t num = (size_t) b->opt.iterations;
    struct turns *t = calloc(1, sizeof(*t));
    bool room = NULL != t;

    for (int i = 0; room && i < b->opt.num_contestants; ++i) {
        t->seconds[i] = calloc(num, sizeof(double));
        room = NULL != t->seconds[i];
    }
    if (room) {
        t->bytes = bytes;
        t->skew = calloc(num, sizeof(double));
        room = NULL != t->skew;
    }
    if (!room) {
        fprintf(stderr, "collbench: no memory for %zu samples\n", num);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return t;
}

static void forget_turns(struct turns *t, const struct bench *b)
{
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        free(t->seconds[i]);
    }
    free(t->skew);
    free(t);
}

static void progress(const struct bench *b, const struct turns *t, double deadline)
{
    if (0 == b->layout.rank && b->opt.progress) {
        double left = deadline - MPI_Wtime();

        fprintf(stderr, "\r%s %zu bytes: turn %d of %d, at most %.0f s left   ", b->opt.coll->name,
                t->bytes, t->num, b->opt.iterations, left > 0.0 ? left : 0.0);
        fflush(stderr);
    }
}

/* The first call after those of other sizes says nothing either: napcoll, for one, relies on the sizes of the call before.
 * It counts nowhere. */
static void meet_again(struct bench *b, struct turns *t)
{
    fill_input(b, t->taken);
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        struct stats nothing = {.calls = 0};
        struct sample sample = t->last[i];

        if (!t->stats[i].dropped) {
            (void) take_sample(b, &b->contestant[i], &nothing, t->taken, 1, true, &sample);
        }
    }
}

/* How many of `all` are to have been taken when a round is over. */
static int so_far(const struct bench *b, int round, int all)
{
    const int rounds = b->opt.rounds;

    return (int) (((long long) all * (round + 1) + rounds - 1) / rounds);
}

/* Another turn? Asked on rank 0: as many as wished, while another one is likely to end in time,
 * and, whatever the time, as many as are wanted at least, but for those that do not count a few tries only. */
static bool another(const struct bench *b, const struct turns *t, int round, double deadline)
{
    if (t->num >= so_far(b, round, b->opt.iterations)) {
        return false;
    }
    if (t->num < so_far(b, round, b->opt.min_iterations) && t->taken < t->num + SPARE_TRIES) {
        return true;
    }
    return MPI_Wtime() + (t->taken > 0 ? t->spent / t->taken : 0.0) <= deadline;
}

/* One turn of everybody. False if rank 0 ended it before it began. */
static bool take_turn(struct bench *b, bool go, struct turns *t)
{
    const double begin = MPI_Wtime();
    int order[BENCH_MAX_CONTESTANTS];
    double skew = 0.0;
    bool missed = false;

    shuffle(b, order);
    fill_input(b, t->taken);
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        struct stats *stats = &t->stats[order[i]];
        struct sample *sample = &t->last[order[i]];

        if (stats->dropped) {
            continue;
        }
        if (!take_sample(b, &b->contestant[order[i]], stats, t->taken, t->batch, go, sample)) {
            return false;
        }
        if (0 == b->layout.rank && t->num < b->opt.iterations) {
            t->seconds[order[i]][t->num] = sample->took.seconds;
            skew = sample->skew > skew ? sample->skew : skew;
            missed = missed || sample->missed;
        }
    }
    if (0 == b->layout.rank && !missed) {
        t->skew[t->num++] = skew;
    }
    t->taken++;
    t->spent += MPI_Wtime() - begin;
    return true;
}

static double sorted_percentile(double *values, int num, double p)
{
    qsort(values, (size_t) num, sizeof(double), report_order);
    return report_percentile(values, num, p);
}

/* Microseconds of every turn. */
static double *keep_samples(const double *seconds, int num)
{
    double *kept = calloc((size_t) (num > 0 ? num : 1), sizeof(double));

    if (NULL == kept) {
        fprintf(stderr, "collbench: no memory for %d samples\n", num);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return NULL;
    }
    for (int i = 0; i < num; ++i) {
        kept[i] = 1.0e6 * seconds[i];
    }
    return kept;
}

void measure_forget(struct row *rows, int num_rows)
{
    for (int i = 0; i < num_rows; ++i) {
        free(rows[i].sample);
    }
}

/* The row of one whose first look is all that there is. */
static void summarise_dropped(const struct bench *b, const struct turns *t, int which,
                              struct row *row)
{
    const double *seconds = &t->first_look[which];

    row->bytes = t->bytes;
    row->contestant = b->contestant[which].label;
    row->samples = 1;
    row->dropped = true;
    row->sample = keep_samples(seconds, 1);
    row->batch = (int) t->stats[which].calls;
    row->median = row->p05 = row->p95 = 1.0e6 * *seconds;
    row->skew = 0.0;
}

/* The rows of one size. Sorts the turns, so ratios and samples come first. */
static void summarise(const struct bench *b, struct turns *t, struct row *rows)
{
    double *ratio = calloc((size_t) (t->num > 0 ? t->num : 1), sizeof(double));

    for (int i = b->opt.num_contestants - 1; NULL != ratio && i >= 0; --i) {
        struct row *row = &rows[i];

        if (t->stats[i].dropped) {
            summarise_dropped(b, t, i, row);
            continue;
        }
        for (int turn = 0; turn < t->num; ++turn) {
            ratio[turn] = t->seconds[i][turn] / t->seconds[0][turn];
        }
        row->bytes = t->bytes;
        row->contestant = b->contestant[i].label;
        row->samples = t->num;
        row->dropped = false;
        row->sample = keep_samples(t->seconds[i], t->num);
        row->batch = t->batch;
        row->ratio = sorted_percentile(ratio, t->num, 0.5);
        row->ratio_p05 = report_percentile(ratio, t->num, 0.05);
        row->ratio_p95 = report_percentile(ratio, t->num, 0.95);
        row->median = 1.0e6 * sorted_percentile(t->seconds[i], t->num, 0.5);
        row->p05 = 1.0e6 * report_percentile(t->seconds[i], t->num, 0.05);
        row->p95 = 1.0e6 * report_percentile(t->seconds[i], t->num, 0.95);
        row->skew = 1.0e6 * sorted_percentile(t->skew, t->num, 0.5);
    }
    for (int i = 1; i < b->opt.num_contestants; ++i) {
        if (rows[i].dropped) {
            rows[i].ratio = rows[i].ratio_p05 = rows[i].ratio_p95 = rows[i].median / rows[0].median;
        }
    }
    free(ratio);
}

void measure_round(struct bench *b, struct turns *t, int round, double deadline)
{
    shape_set(&b->shape, b->opt.coll, b->opt.deal, t->bytes);
    check(napcoll_start_sync(&b->layout.start), "napcoll_start_sync");
    if (0 == t->batch) {
        warm_up(b, t);
    } else {
        meet_again(b, t);
    }
    while (take_turn(b, another(b, t, round, deadline), t)) {
        progress(b, t, deadline);
    }
}

void measure_end(struct bench *b, struct turns *t, struct row *rows)
{
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        contestants_ran(b, &b->contestant[i], &t->stats[i], rows[i].ran);
    }
    if (0 == b->layout.rank) {
        summarise(b, t, rows);
    }
    forget_turns(t, b);
}
