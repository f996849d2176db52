/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Taking turns. In a turn every contestant runs once, in an order shuffled anew, on the same data;
 * ratios compare times of one turn only.
 *
 *     rank 0 announces a start time -> all ranks sleep until then -> a batch of calls is timed
 *     -> ranks that are done sleep until the others are likely to be done -> rank 0 gets the
 *     longest time -> all ranks check their results
 *
 * Neither the announcement nor the collection is part of the sample. If an announcement comes after
 * its start time on some rank, the turn does not count, and the next announcements get more time.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/napcoll_judge.h"
#include "common/napcoll_memory.h"
#include "measure/napcoll_measure.h"
#include "measure/napcoll_check.h"
#include "util/napcoll_mix.h"

enum { PROBE_CALLS = 3, MOST_BATCH = 1000, SPARE_TRIES = 10 };

/* A sample lasts at least so long, and this many times the start skew, up to a limit. */
static const double batch_seconds = 2.0e-3, skew_share = 50.0, most_batch_seconds = 0.5;

/* Longer calls are timed once before the turns, not three times in a row. */
static const double long_call = 50.0e-3;

/* The first look is one call: it drops at this many times the factor, or the last finalist. */
static const double hopeless = 4.0, unlikely = 2.0;

/* What rank 0 announces, as doubles so that it is one message; what rank 0 collects, by maximum. */
enum { ANNOUNCE_GO, ANNOUNCE_START, ANNOUNCE_SECONDS, ANNOUNCE_COMPUTE, ANNOUNCE_WORDS };
enum {
    COLLECT_SECONDS,
    COLLECT_COMPUTE,
    /* after the start: the last entry; by its negative, the first one; the last exit */
    COLLECT_SKEW,
    COLLECT_FIRST,
    COLLECT_EXIT,
    /* by how much the announcement came after the start */
    COLLECT_LATE,
    COLLECT_WORDS
};

/* ---- the job ---- */

void napcoll_measure_open(napcoll_measure_t *measure)
{
    *measure = (napcoll_measure_t){.random = 1};
    napcoll_check(napcoll_counters_init(), "MPI_T_init_thread");
    measure->helper = napcoll_measure_dup(NULL, "tuned,^napcoll", "", "");
    napcoll_check(MPI_Comm_rank(measure->helper, &measure->rank), "MPI_Comm_rank");
    napcoll_check(MPI_Comm_size(measure->helper, &measure->size), "MPI_Comm_size");
    napcoll_start_open(measure->helper, &measure->start);
    napcoll_blocks_open(&measure->blocks, measure->rank, measure->size, NULL);
}

void napcoll_measure_close(napcoll_measure_t *measure)
{
    napcoll_blocks_close(&measure->blocks);
    free(measure->send);
    free(measure->recv);
    free(measure->scratch);
    napcoll_start_close(&measure->start);
    napcoll_check(MPI_Comm_free(&measure->helper), "MPI_Comm_free");
    napcoll_check(MPI_T_finalize(), "MPI_T_finalize");
}

void napcoll_measure_clocks(const napcoll_measure_t *measure, FILE *out)
{
    const napcoll_start_t *start = &measure->start;

    fprintf(out, "clocks: offset error ");
    if (start->offset_error < 0) {
        fprintf(out, "unknown (synchronised once)");
    } else {
        fprintf(out, "up to %.1f us (between synchronisations)", 1e6 * start->offset_error);
    }
    fprintf(out, ", %llu of %llu start windows missed\n", start->missed, start->starts);
}

/* Every component of the framework has a priority parameter as long as it is loaded. */
bool napcoll_measure_has(const char *component, int *priority)
{
    char name[96];
    MPI_T_cvar_handle handle;
    int index, elements;

    *priority = 0;
    (void) snprintf(name, sizeof(name), "coll_%.64s_priority", component);
    if (MPI_SUCCESS != MPI_T_cvar_get_index(name, &index)) {
        return false;
    }
    napcoll_check(MPI_T_cvar_handle_alloc(index, NULL, &handle, &elements),
                  "MPI_T_cvar_handle_alloc");
    napcoll_check(MPI_T_cvar_read(handle, priority), "MPI_T_cvar_read");
    napcoll_check(MPI_T_cvar_handle_free(&handle), "MPI_T_cvar_handle_free");
    return true;
}

/* ---- buffers ---- */

static double *grow(double *buffer, size_t *room, size_t wanted)
{
    if (NULL == buffer || wanted > *room) {
        free(buffer);
        buffer = napcoll_allocate(wanted > 0 ? wanted : 1, sizeof(*buffer));
        *room = wanted;
    }
    return buffer;
}

static void make_room(napcoll_measure_t *m, const napcoll_contest_args_t *args)
{
    napcoll_blocks_set(&m->blocks, args->coll, args->deal, args->bytes);
    m->send = grow(m->send, &m->send_room, napcoll_blocks_room(&m->blocks, args->coll->send));
    m->recv = grow(m->recv, &m->recv_room, napcoll_blocks_room(&m->blocks, args->coll->recv));
    m->scratch = grow(m->scratch, &m->scratch_room, args->scratch);
}

static void fill_input(napcoll_measure_t *m, const napcoll_measured_coll_t *coll, int turn)
{
    const size_t count = napcoll_blocks_room(&m->blocks, coll->send);

    for (size_t i = 0; i < count; i++) {
        m->send[i] = napcoll_measured_input(i, turn, m->rank);
    }
}

static void fill_output(napcoll_measure_t *m, const napcoll_measured_coll_t *coll, int turn)
{
    const size_t count = napcoll_blocks_room(&m->blocks, coll->recv);

    for (size_t i = 0; i < count; i++) {
        m->recv[i] = napcoll_measured_before(coll, i, turn, m->rank);
    }
}

static void verify_block(const napcoll_measure_t *m, const napcoll_contest_args_t *args,
                         const char *label, const double *got, int block, int turn)
{
    for (size_t i = 0; i < (size_t) m->blocks.counts[block]; i++) {
        const double expected = napcoll_measured_after(args->coll, &m->blocks, block, i, turn);

        if (!isnan(expected) && !(fabs(got[i] - expected) <= 0)) {
            fprintf(stderr,
                    "%s: wrong result: %s %s, %zu bytes, rank %d, element %zu: "
                    "got %.17g, expected %.17g\n",
                    napcoll_tool_name, label, args->coll->name, args->bytes, m->rank,
                    (size_t) (got - m->recv) + i, got[i], expected);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void verify(const napcoll_measure_t *m, const napcoll_contest_args_t *args,
                   const char *label, int turn)
{
    const napcoll_buffer_t recv = args->coll->recv;

    if (NAPCOLL_BUFFER_OWN == recv) {
        verify_block(m, args, label, m->recv, m->rank, turn);
    }
    if (NAPCOLL_BUFFER_ALL == recv || (NAPCOLL_BUFFER_ROOT == recv && 0 == m->rank)) {
        for (int block = 0; block < m->blocks.come; block++) {
            verify_block(m, args, label, m->recv + m->blocks.displs[block], block, turn);
        }
    }
}

/* ---- one sample ---- */

/* One sample of a contestant. */
typedef struct {
    /* calls in a row, and whether there is computation in each */
    int calls;
    bool overlapped;
    /* rank 0: whether there is a sample, not the end of the turns */
    bool go;
    /* rank 0, what it was: seconds of a call, of the computation in it, of the last entry after the
     * start, and of a call from the first entry to the last exit */
    double seconds, compute, skew, run;
    bool missed;
} sample_t;

/* Take a sample. False on all ranks if rank 0 says stop; then nothing ran. The computation lasts as
 * long as a call without it did. Counters are read outside the timed region, which they would delay
 * where ranks share cores; the helper's calls are not napcoll's. */
static bool take_sample(napcoll_measure_t *m, napcoll_contest_t *t, int which, sample_t *sample)
{
    const napcoll_contest_args_t *args = &t->args;
    napcoll_contestant_t *contestant = &t->contestant[which];
    napcoll_start_before_t *last = sample->overlapped ? &contestant->last_overlapped
                                                      : &contestant->last;
    struct napcoll_counters *counters = &m->counters[args->kind[which]];
    unsigned long long before[NAPCOLL_COUNTERS_MAX], after[NAPCOLL_COUNTERS_MAX];
    double announce[ANNOUNCE_WORDS], mine[COLLECT_WORDS], worst[COLLECT_WORDS] = {0};
    napcoll_computation_t computation;

    fill_output(m, args->coll, t->taken);
    napcoll_check(napcoll_counters_read(counters, before), "MPI_T_pvar_read");
    announce[ANNOUNCE_GO] = sample->go ? 1.0 : 0.0;
    announce[ANNOUNCE_START] = MPI_Wtime() + m->start.slack;
    announce[ANNOUNCE_SECONDS] = last->seconds;
    announce[ANNOUNCE_COMPUTE] = sample->overlapped ? contestant->last.seconds : 0;
    napcoll_check(MPI_Bcast(announce, ANNOUNCE_WORDS, MPI_DOUBLE, 0, m->helper), "MPI_Bcast");
    if (announce[ANNOUNCE_GO] < 0.5) {
        return false;
    }
    computation.seconds = announce[ANNOUNCE_COMPUTE];
    mine[COLLECT_LATE] = -napcoll_start_at(&m->start, announce[ANNOUNCE_START]);
    mine[COLLECT_SKEW] = MPI_Wtime() + m->start.offset - announce[ANNOUNCE_START];
    mine[COLLECT_FIRST] = -mine[COLLECT_SKEW];
    mine[COLLECT_SECONDS] = napcoll_calls_run(m, t, which, sample->calls, &computation);
    mine[COLLECT_EXIT] = mine[COLLECT_SKEW] + mine[COLLECT_SECONDS];
    mine[COLLECT_SECONDS] /= sample->calls;
    mine[COLLECT_COMPUTE] = computation.spent / sample->calls;
    last->seconds = announce[ANNOUNCE_SECONDS];
    napcoll_start_rest(&m->start, announce[ANNOUNCE_START], last, sample->calls);
    last->calls = sample->calls;
    napcoll_check(MPI_Reduce(mine, worst, COLLECT_WORDS, MPI_DOUBLE, MPI_MAX, 0, m->helper),
                  "MPI_Reduce");
    napcoll_check(napcoll_counters_read(counters, after), "MPI_T_pvar_read");
    for (int i = 0; i < counters->num; i++) {
        contestant->ran[i] += after[i] - before[i];
    }
    contestant->calls += (unsigned long long) sample->calls;
    verify(m, args, args->label[which], t->taken);
    sample->seconds = worst[COLLECT_SECONDS];
    sample->compute = worst[COLLECT_COMPUTE];
    sample->skew = worst[COLLECT_SKEW];
    sample->run = (worst[COLLECT_EXIT] + worst[COLLECT_FIRST]) / sample->calls;
    if (0 == m->rank) {
        last->seconds = sample->seconds;
        sample->missed = napcoll_start_count(&m->start, worst[COLLECT_LATE]);
    }
    return true;
}

/* A sample that is no turn. */
static sample_t look(napcoll_measure_t *m, napcoll_contest_t *t, int which, int calls)
{
    sample_t sample = {.calls = calls, .go = true};

    (void) take_sample(m, t, which, &sample);
    return sample;
}

static void forget_counts(napcoll_contestant_t *contestant)
{
    memset(contestant->ran, 0, sizeof(contestant->ran));
    contestant->calls = 0;
}

/* ---- before the first turn ---- */

/* How many calls make a sample of each contestant: as many as the user says; otherwise it lasts as
 * long as the user says, or long enough for the clock and for the start skew that rank 0 knows. */
static void choose_batches(const napcoll_measure_t *m, napcoll_contest_t *t, double skew)
{
    const napcoll_contest_args_t *args = &t->args;
    double aim = args->sample_time > 0.0
                     ? args->sample_time
                     : fmin(fmax(skew_share * skew, batch_seconds), most_batch_seconds);

    napcoll_check(MPI_Bcast(&aim, 1, MPI_DOUBLE, 0, m->helper), "MPI_Bcast");
    for (int i = 0; i < args->contestants; i++) {
        const double seconds = t->contestant[i].first_look;

        if (args->batch > 0 || args->coll->overlaps) {
            t->contestant[i].batch = args->batch > 0 ? args->batch : 1;
        } else {
            t->contestant[i].batch = seconds * MOST_BATCH > aim ? 1 + (int) (aim / seconds)
                                                                : MOST_BATCH;
        }
    }
}

/* Drop contestants by the first looks, which rank 0 knows: the drop rule with `factor`, and of each
 * pool all but the fastest, with a margin. */
static void drop_slow(const napcoll_measure_t *m, napcoll_contest_t *t, double factor,
                      double margin)
{
    const int num = t->args.contestants;
    double seconds[NAPCOLL_MOST_CONTESTANTS] = {0};
    bool dropped[NAPCOLL_MOST_CONTESTANTS] = {false};

    for (int i = 0; i < num; i++) {
        seconds[i] = t->contestant[i].first_look;
        dropped[i] = t->contestant[i].dropped;
    }
    napcoll_check(MPI_Bcast(seconds, num, MPI_DOUBLE, 0, m->helper), "MPI_Bcast");
    napcoll_judge_drop(seconds, dropped, num, factor);
    napcoll_judge_finalists(seconds, t->args.pool, dropped, num, t->args.finalists, margin);
    for (int i = 0; i < num; i++) {
        t->contestant[i].first_look = seconds[i];
        t->contestant[i].dropped = dropped[i];
    }
}

/* The first calls make plans, connections and communicators of other components. */
static void call_first(const napcoll_measure_t *m, napcoll_contest_t *t)
{
    napcoll_computation_t none = {.seconds = 0};

    for (int i = 0; i < t->args.contestants; i++) {
        napcoll_calls_prepare(m, t, i);
        (void) napcoll_calls_run(m, t, i, 1, &none);
    }
    napcoll_start_quiet_barrier(m->helper);
}

/* One call of each contestant. */
static void look_first(napcoll_measure_t *m, napcoll_contest_t *t)
{
    for (int i = 0; i < t->args.contestants; i++) {
        forget_counts(&t->contestant[i]);
        t->contestant[i].first_look = look(m, t, i, 1).seconds;
    }
    drop_slow(m, t, hopeless * t->args.drop, unlikely);
}

/* Warm calls of the contestants that are left; the rest is decided by the shorter look. Returns the
 * mean start skew. */
static double look_again(napcoll_measure_t *m, napcoll_contest_t *t)
{
    double skew = 0.0;
    int looked = 0;

    for (int i = 0; i < t->args.contestants; i++) {
        napcoll_contestant_t *contestant = &t->contestant[i];
        const bool once = t->args.coll->overlaps || contestant->first_look > long_call;

        if (contestant->dropped) {
            continue;
        }
        forget_counts(contestant);
        skew += look(m, t, i, once ? 1 : PROBE_CALLS).skew;
        contestant->first_look = fmin(contestant->first_look, contestant->last.seconds);
        looked++;
    }
    return skew / looked;
}

static void warm_up(napcoll_measure_t *m, napcoll_contest_t *t)
{
    double skew;

    fill_input(m, t->args.coll, 0);
    call_first(m, t);
    look_first(m, t);
    skew = look_again(m, t);
    drop_slow(m, t, t->args.drop, 1);
    for (int i = 0; i < t->args.contestants; i++) {
        if (!t->contestant[i].dropped) {
            forget_counts(&t->contestant[i]);
        }
    }
    choose_batches(m, t, skew);
}

/* Repeat one call of each contestant, which counts nowhere: the first call after the calls of other
 * sizes is special. napcoll, for one, relies on the sizes of the call before. */
static void warm_again(napcoll_measure_t *m, napcoll_contest_t *t)
{
    fill_input(m, t->args.coll, t->taken);
    for (int i = 0; i < t->args.contestants; i++) {
        const napcoll_contestant_t kept = t->contestant[i];

        if (!kept.dropped) {
            (void) look(m, t, i, 1);
            t->contestant[i] = kept;
        }
    }
}

/* ---- turns ---- */

/* Rank 0: whether there is another turn: as many as wanted, while the next one is likely to end in
 * time, and `least` whatever the time, except that missed starts are repeated a few times only. */
static bool another(const napcoll_measure_t *m, const napcoll_contest_t *t,
                    const napcoll_contest_until_t *until)
{
    const double ends = MPI_Wtime() + (t->taken > 0 ? t->spent / t->taken : 0.0);
    const bool owed = t->turns < until->least && t->taken < t->turns + SPARE_TRIES;

    if (0 == m->rank && NULL != until->enough && until->enough(until->context, t)) {
        return false;
    }
    return t->turns < until->most && ends <= (owed ? until->end : until->time);
}

static void shuffle(napcoll_measure_t *m, int contestants, int *order)
{
    for (int i = 0; i < contestants; i++) {
        const int j = (int) (napcoll_mix_next(&m->random) % (uint64_t) (i + 1));

        order[i] = order[j];
        order[j] = i;
    }
}

/* What a turn was. */
typedef struct {
    double skew;
    bool missed;
} turn_t;

/* One sample in a turn. False if rank 0 ended the turn before it began. */
static bool take_turns_sample(napcoll_measure_t *m, napcoll_contest_t *t, int which,
                              sample_t *sample, turn_t *turn)
{
    sample->calls = t->contestant[which].batch;
    if (!take_sample(m, t, which, sample)) {
        return false;
    }
    turn->skew = fmax(turn->skew, sample->skew);
    turn->missed = turn->missed || sample->missed;
    return true;
}

/* The samples of a contestant in a turn. False if rank 0 ended the turn before it began. */
static bool take_contestants_turn(napcoll_measure_t *m, napcoll_contest_t *t, int which, bool go,
                                  turn_t *turn)
{
    napcoll_contestant_t *contestant = &t->contestant[which];
    sample_t pure = {.go = go}, overlapped = {.go = true, .overlapped = true};

    if (contestant->dropped) {
        return true;
    }
    if (!take_turns_sample(m, t, which, &pure, turn)) {
        return false;
    }
    if (NULL != contestant->overall) {
        (void) take_turns_sample(m, t, which, &overlapped, turn);
    }
    if (0 == m->rank) {
        contestant->seconds[t->turns] = pure.seconds;
        contestant->run[t->turns] = pure.run;
        if (NULL != contestant->overall) {
            contestant->overall[t->turns] = overlapped.seconds;
            contestant->compute[t->turns] = overlapped.compute;
        }
    }
    return true;
}

/* One turn of all contestants. False if rank 0 ended it before it began. */
static bool take_turn(napcoll_measure_t *m, napcoll_contest_t *t, bool go)
{
    const double begin = MPI_Wtime();
    int order[NAPCOLL_MOST_CONTESTANTS];
    turn_t turn = {0};

    shuffle(m, t->args.contestants, order);
    fill_input(m, t->args.coll, t->taken);
    for (int i = 0; i < t->args.contestants; i++) {
        if (!take_contestants_turn(m, t, order[i], go, &turn)) {
            return false;
        }
    }
    if (0 == m->rank && !turn.missed) {
        t->skew[t->turns++] = turn.skew;
    }
    t->taken++;
    t->spent += MPI_Wtime() - begin;
    return true;
}

napcoll_contest_t *napcoll_contest_open(const napcoll_contest_args_t *args)
{
    const size_t most = (size_t) args->most;
    napcoll_contest_t *t = napcoll_allocate(1, sizeof(*t));
    double *room = napcoll_allocate((size_t) (4 * args->contestants + 1) * most, sizeof(*room));

    t->args = *args;
    t->skew = room;
    for (int i = 0; i < args->contestants; i++) {
        napcoll_contestant_t *contestant = &t->contestant[i];

        contestant->seconds = room += most;
        contestant->run = room += most;
        if (args->overlap && NAPCOLL_KIND_BLOCKING != args->kind[i]) {
            contestant->overall = room += most;
            contestant->compute = room += most;
        }
    }
    return t;
}

void napcoll_contest_turns(napcoll_measure_t *m, napcoll_contest_t *t,
                           const napcoll_contest_until_t *until)
{
    make_room(m, &t->args);
    napcoll_calls_open(m, t);
    napcoll_start_sync_again(&m->start);
    if (0 == t->contestant[0].batch) {
        warm_up(m, t);
    } else {
        warm_again(m, t);
    }
    while (take_turn(m, t, another(m, t, until))) {
        if (0 == m->rank && NULL != until->progress) {
            until->progress(until->context, t);
        }
    }
    napcoll_calls_close(t);
}

void napcoll_contest_close(napcoll_contest_t *t)
{
    free(t->skew);
    free(t);
}
