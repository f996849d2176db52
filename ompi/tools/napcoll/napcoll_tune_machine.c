/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What is measured of a machine, in which order, until when. Rank 0 alone.
 *
 *     explore      round trips of sizes that double, until one takes long: they tell how large messages of bursts are
 *     turns        each thing once, in an order shuffled anew: round trips of all sizes on each level, bursts of
 *                  few and of many messages by few and by many processes, round trips between pairs of nodes, folds
 *     after some   sizes between, where the protocol changes; then whether the even turns and the odd ones say the
 *                  same: then it is enough
 *     at last      M1, M2 and S of gather and scatter, and whether algorithms are in the machine's order
 */

#define _POSIX_C_SOURCE 200809L

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_tune.h"

enum {
    LEAST_TURNS = 2,  /* one in each half */
    STEADY_TURNS = 6, /* fewer do not say that the halves agree by more than chance */
    MOST_TURNS = 40,
    MOST_TASKS = 1024,
    MOST_NARROWED = 10, /* sizes that are added where the protocol changes */
    SEVERAL = 3         /* bursts of different lengths: what a line takes */
};

/* Thresholds and algorithms have these shares of the time, where they are wanted; the machine has the rest. */
static const double thresholds_share = 0.3, verify_share = 0.2;

/* A half round trip that takes longer is as large as need be; those inside a node have less to show. */
static const double long_trip[NAPCOLL_LEVELS] = {1e-3, 1e-3, 20e-3};
static const size_t most_trip = (size_t) 4 << 20;

/* A large message of a burst takes about so long. */
static const double long_message = 4e-3;

/* One thing to be measured: a probe, or a fold by rank 0. */
struct task {
    tune_probe_t probe;
    napcoll_timings_t *kept;   /* where its time goes */
    napcoll_timings_t *starts; /* where that of starting a message goes, or NULL */
    int fold;                  /* kind; -1: a probe */
};

struct list {
    struct task task[MOST_TASKS];
    int num;
};

static void keep(napcoll_timings_t *timings, double x, double seconds, int turn)
{
    if (0 != napcoll_timings_add(timings, x, seconds > 0 ? seconds : 0, turn)) {
        tune_out_of_memory();
    }
}

/* ---- who takes part ---- */

static int ppn_of(const tune_nodes_t *n, int node)
{
    return n->first[node + 1] - n->first[node];
}

/* The two nodes with most processes, the first ones of such. */
static void choose_nodes(const tune_nodes_t *n, tune_machine_t *m)
{
    m->from = 0;
    for (int node = 1; node < n->num; node++) {
        m->from = ppn_of(n, node) > ppn_of(n, m->from) ? node : m->from;
    }
    m->to = 0 == m->from ? 1 : 0;
    for (int node = 0; node < n->num; node++) {
        if (node != m->from && ppn_of(n, node) > ppn_of(n, m->to)) {
            m->to = node;
        }
    }
    m->pinger = n->rank[n->first[m->from]];
}

/* The pinger's peers inside its node: one on its socket, and one that is not known to be. */
static void choose_near(const tune_nodes_t *n, tune_machine_t *m)
{
    m->peer[NAPCOLL_LEVEL_SOCKET] = m->peer[NAPCOLL_LEVEL_NODE] = -1;
    for (int lane = ppn_of(n, m->from) - 1; lane > 0; lane--) {
        const int rank = n->rank[n->first[m->from] + lane];
        const bool near = n->socket_of[rank] == n->socket_of[m->pinger];

        m->peer[near ? NAPCOLL_LEVEL_SOCKET : NAPCOLL_LEVEL_NODE] = rank;
    }
}

/* Nodes that are compared: all, or some that are spread over all; and the pairs of them. */
static void choose_pairs(const tune_nodes_t *n, tune_machine_t *m)
{
    m->nodes = n->num < TUNE_MOST_NODES ? n->num : TUNE_MOST_NODES;
    for (int i = 0; i < m->nodes; i++) {
        m->node[i] = (int) ((long long) i * (n->num - 1) / (m->nodes - 1));
    }
    for (int i = 1; i < m->nodes; i++) {
        m->pair[m->pairs++] = (napcoll_pair_t){.one = 0, .other = i};
    }
    for (int i = 1; i + 1 < m->nodes; i++) {
        m->pair[m->pairs++] = (napcoll_pair_t){.one = i, .other = i + 1};
    }
    if (m->nodes > 3) {
        m->pair[m->pairs++] = (napcoll_pair_t){.one = 1, .other = m->nodes - 1};
    }
}

/* ---- limits of protocols that the library tells ---- */

static bool is_limit(const char *name)
{
    static const char begin[] = "btl_", end[] = "_eager_limit";
    const size_t length = strlen(name);

    return length > sizeof(begin) + sizeof(end) && 0 == strncmp(name, begin, sizeof(begin) - 1)
           && 0 == strcmp(name + length - (sizeof(end) - 1), end);
}

static bool read_limit(int index, MPI_Datatype type, double *value)
{
    MPI_T_cvar_handle handle;
    union {
        int i;
        unsigned u;
        unsigned long l;
        unsigned long long ll;
    } number = {.ll = 0};
    int count;
    bool good;

    if (MPI_INT != type && MPI_UNSIGNED != type && MPI_UNSIGNED_LONG != type
        && MPI_UNSIGNED_LONG_LONG != type) {
        return false;
    }
    if (MPI_SUCCESS != MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) {
        return false;
    }
    good = 1 == count && MPI_SUCCESS == MPI_T_cvar_read(handle, &number);
    (void) MPI_T_cvar_handle_free(&handle);
    *value = MPI_INT == type             ? number.i
             : MPI_UNSIGNED == type      ? number.u
             : MPI_UNSIGNED_LONG == type ? (double) number.l
                                         : (double) number.ll;
    return good && *value > 0 && *value < (double) most_trip;
}

static void add_limit(napcoll_measured_t *measured, double value)
{
    for (int i = 0; i < measured->num_limits; i++) {
        if (fabs(measured->limit[i] - value) < 1) {
            return;
        }
    }
    if (measured->num_limits < NAPCOLL_CALIBRATE_MOST_LIMITS) {
        measured->limit[measured->num_limits++] = value;
    }
}

/* The eager limits of all transports, of which one carries the messages between nodes. Where the tool interface says
 * nothing, what is measured has to do. */
static void read_limits(napcoll_measured_t *measured)
{
    int level, provided, number = 0;

    if (MPI_SUCCESS != MPI_Query_thread(&level)
        || MPI_SUCCESS != MPI_T_init_thread(level, &provided)) {
        return;
    }
    if (MPI_SUCCESS != MPI_T_cvar_get_num(&number)) {
        number = 0;
    }
    for (int i = 0; i < number; i++) {
        char name[128], text[8];
        int name_length = (int) sizeof(name), text_length = (int) sizeof(text);
        int verbosity, bind, scope;
        MPI_Datatype type;
        MPI_T_enum values;
        double value;

        if (MPI_SUCCESS
                == MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &values, text,
                                       &text_length, &bind, &scope)
            && is_limit(name) && read_limit(i, type, &value)) {
            add_limit(measured, value);
        }
    }
    (void) MPI_T_finalize();
}

/* ---- sizes of round trips ---- */

static void add_size(tune_machine_t *m, int level, double bytes)
{
    const size_t size = (size_t) (bytes + 0.5);

    for (int i = 0; i < m->sizes[level]; i++) {
        if (m->size[level][i] == size) {
            return;
        }
    }
    if (m->sizes[level] < TUNE_MOST_SIZES_OF_TRIPS && size > 0) {
        m->size[level][m->sizes[level]++] = size;
    }
}

/* Two to an octave, of small sizes one; and beside each limit. */
static void choose_sizes(tune_machine_t *m, int level, double most)
{
    const napcoll_measured_t *measured = &m->measured;
    const double root = 1.4142135623730951, least = 8, small = 500;

    for (double bytes = least; bytes <= most * 1.01; bytes *= bytes < small ? 2 : root) {
        add_size(m, level, bytes);
    }
    for (int i = 0; i < measured->num_limits; i++) {
        const double limit = measured->limit[i];

        if (limit > least * 2 && limit * 2 <= most) {
            add_size(m, level, limit * 0.97);
            add_size(m, level, limit * 1.03);
        }
    }
}

/* How long half a round trip takes, about. */
static double try_trip(tune_t *t, int peer, size_t bytes)
{
    const tune_probe_t probe = {.kind = TUNE_PING,
                                .bytes = bytes,
                                .count = 2,
                                .inner = 1,
                                .from = t->machine->pinger,
                                .to = peer};
    double seconds[2 * TUNE_MOST_ROUNDS];

    tune_probe(t, &probe, seconds);
    return seconds[0] < seconds[1] ? seconds[0] : seconds[1];
}

/* The sizes of one level; returns how many bytes per second its largest message gets, about. */
static double explore(tune_t *t, int level, int peer)
{
    size_t bytes = (size_t) 32 << 10;
    double seconds;

    (void) try_trip(t, peer, 1); /* opens the connection */
    t->machine->about[level] = try_trip(t, peer, 1);
    do {
        bytes *= 2;
        seconds = try_trip(t, peer, bytes);
    } while (bytes < most_trip && seconds < long_trip[level]);
    choose_sizes(t->machine, level, (double) bytes);
    return (double) bytes / (seconds > 0 ? seconds : 1e-9);
}

/* ---- what a turn has ---- */

static void add_task(struct list *list, const struct task *task)
{
    if (list->num < MOST_TASKS) {
        list->task[list->num++] = *task;
    }
}

/* How often something is done in a turn that takes so many seconds. */
static int times_of(double seconds)
{
    const double enough = 20e-3;
    const int least = 2;

    if (seconds * TUNE_MOST_ROUNDS <= enough) {
        return TUNE_MOST_ROUNDS;
    }
    return seconds * least >= enough ? least : (int) (enough / seconds);
}

/* Short ones are repeated until the clock can tell them. */
static void add_trips(const tune_t *t, struct list *list, int level, int peer)
{
    tune_machine_t *m = t->machine;

    for (int i = 0; i < m->sizes[level]; i++) {
        const size_t bytes = m->size[level][i];
        const bool small = NAPCOLL_LEVEL_NETWORK != level && bytes <= 4096;

        add_task(list, &(struct task){
                           .probe = {.kind = TUNE_PING,
                                     .bytes = bytes,
                                     .count = bytes <= 65536 ? times_of(2 * m->about[level]) : 2,
                                     .inner = small ? 16 : 1,
                                     .from = m->pinger,
                                     .to = peer},
                           .kept = &m->measured.half_trip[level],
                           .fold = -1});
    }
}

/* Bursts of n, 2 n and 4 n messages. */
static void add_bursts(struct list *list, const tune_probe_t *probe, napcoll_timings_t *kept,
                       napcoll_timings_t *starts)
{
    for (int i = 0; i < SEVERAL; i++) {
        struct task task = {.probe = *probe, .kept = kept, .starts = starts, .fold = -1};

        task.probe.count = probe->count << i;
        add_task(list, &task);
    }
}

static void add_streams(const tune_t *t, struct list *list, napcoll_streams_t *streams, int count,
                        int bursts, napcoll_timings_t *starts)
{
    const tune_machine_t *m = t->machine;
    const int times = times_of(4 * m->about[NAPCOLL_LEVEL_NETWORK]);

    for (int i = 0; i < streams->num; i++) {
        napcoll_stream_t *stream = &streams->stream[i];

        add_bursts(list,
                   &(tune_probe_t){.kind = TUNE_STREAM,
                                   .bytes = (size_t) stream->bytes,
                                   .count = count,
                                   .inner = bursts < times ? bursts : times,
                                   .active = stream->active,
                                   .from = t->options.all_nodes ? -1 : m->from,
                                   .to = m->to},
                   &stream->sent, 0 == i ? starts : NULL);
    }
}

static void add_near(const tune_t *t, struct list *list, napcoll_stream_t *stream, int count)
{
    if (stream->active > 0) {
        add_bursts(list,
                   &(tune_probe_t){.kind = TUNE_NEAR,
                                   .bytes = (size_t) stream->bytes,
                                   .count = count,
                                   .inner = TUNE_MOST_ROUNDS,
                                   .active = stream->active,
                                   .from = t->options.all_nodes ? -1 : t->machine->from},
                   &stream->sent, NULL);
    }
}

static void add_pairs(const tune_t *t, struct list *list)
{
    static const size_t size[] = {8, 4096, 16384};
    const tune_nodes_t *n = &t->node;
    tune_machine_t *m = t->machine;

    for (int i = 0; i < m->pairs; i++) {
        for (size_t s = 0; s < sizeof(size) / sizeof(*size); s++) {
            add_task(list,
                     &(struct task){.probe = {.kind = TUNE_PING,
                                              .bytes = size[s],
                                              .count = 4,
                                              .inner = 1,
                                              .from = n->rank[n->first[m->node[m->pair[i].one]]],
                                              .to = n->rank[n->first[m->node[m->pair[i].other]]]},
                                    .kept = &m->pair_trip[i],
                                    .fold = -1});
        }
    }
}

static void add_folds(tune_machine_t *m, struct list *list)
{
    for (int kind = 0; kind < TUNE_FOLDS; kind++) {
        for (size_t bytes = (size_t) 64 << 10; bytes <= (size_t) 256 << 10; bytes *= 2) {
            add_task(list, &(struct task){
                               .probe = {.bytes = bytes}, .kept = &m->fold[kind], .fold = kind});
        }
    }
}

/* The peer on the network is another node's in each turn. */
static int far_peer(const tune_t *t, int turn)
{
    const tune_nodes_t *n = &t->node;
    const int node = (t->machine->from + 1 + turn % (n->num - 1)) % n->num;

    return n->rank[n->first[node]];
}

static void make_list(const tune_t *t, int turn, struct list *list)
{
    tune_machine_t *m = t->machine;

    list->num = 0;
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        const int peer = NAPCOLL_LEVEL_NETWORK == level ? far_peer(t, turn) : m->peer[level];

        if (peer >= 0) {
            add_trips(t, list, level, peer);
        }
    }
    add_streams(t, list, &m->measured.large, 1, 2, NULL);
    add_streams(t, list, &m->measured.eager, 8, 3, NULL);
    add_streams(t, list, &m->measured.small, 16, TUNE_MOST_ROUNDS, &m->measured.start);
    add_near(t, list, &m->measured.near_large, 2);
    add_near(t, list, &m->measured.near_small, 64);
    add_pairs(t, list);
    add_folds(m, list);
}

/* ---- bursts ---- */

/* One process, some more, and as many as both nodes have (all nodes, where all send). */
static void choose_streams(const tune_t *t, double rate)
{
    const tune_nodes_t *n = &t->node;
    tune_machine_t *m = t->machine;
    napcoll_measured_t *measured = &m->measured;
    const int most = t->options.all_nodes ? n->least_ppn : ppn_of(n, m->to);
    double large = 131072;

    while (large < rate * long_message && large < (double) most_trip) {
        large *= 2;
    }
    for (int active = 1; measured->large.num + 1 < NAPCOLL_CALIBRATE_MOST_STREAMS && active < most;
         active += 1 + active / 4) {
        measured->large.stream[measured->large.num++] = (napcoll_stream_t){.active = active,
                                                                           .bytes = large};
    }
    measured->large.stream[measured->large.num++] = (napcoll_stream_t){.active = most,
                                                                       .bytes = large};
    measured->eager.stream[measured->eager.num++] = (napcoll_stream_t){.active = most,
                                                                       .bytes = 16384};
    measured->small.stream[measured->small.num++] = (napcoll_stream_t){.active = 1, .bytes = 8};
    if (most > 1) {
        measured->small.stream[measured->small.num++] = (napcoll_stream_t){.active = most,
                                                                           .bytes = 8};
    }
    measured->near_large = (napcoll_stream_t){
        .active = (t->options.all_nodes ? n->least_ppn : ppn_of(n, m->from)) / 2, .bytes = 262144};
    measured->near_small = (napcoll_stream_t){.active = measured->near_large.active, .bytes = 8};
    measured->crowded = n->crowded || t->options.all_nodes;
}

/* ---- folds ---- */

/* A user's own operation, as simple as can be. */
static void add_doubles(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const double *from = in;
    double *to = inout;

    (void) type;
    for (int i = 0; i < *count; i++) {
        to[i] += from[i];
    }
}

/* Seconds of one fold of so many bytes. */
static double fold(int kind, size_t bytes, char *room)
{
    enum { TIMES = 4 };
    const MPI_Datatype type = 1 == kind ? MPI_INT : MPI_DOUBLE;
    const int count = (int) (bytes / (1 == kind ? sizeof(int) : sizeof(double)));
    MPI_Op op = 2 == kind ? MPI_MAX : MPI_SUM;
    double start, seconds;

    if (3 == kind) {
        tune_check(MPI_Op_create(add_doubles, 1, &op), "MPI_Op_create");
    }
    start = MPI_Wtime();
    for (int i = 0; i < TIMES; i++) {
        tune_check(MPI_Reduce_local(room, room + bytes, count, type, op), "MPI_Reduce_local");
    }
    seconds = (MPI_Wtime() - start) / TIMES;
    if (3 == kind) {
        tune_check(MPI_Op_free(&op), "MPI_Op_free");
    }
    return seconds;
}

/* ---- turns ---- */

static void run_task(tune_t *t, const struct task *task, int turn, char *room)
{
    const tune_probe_t *probe = &task->probe;
    double seconds[2 * TUNE_MOST_ROUNDS];

    if (task->fold >= 0) {
        keep(task->kept, (double) probe->bytes, fold(task->fold, probe->bytes, room), turn);
        return;
    }
    tune_probe(t, probe, seconds);
    if (TUNE_PING == probe->kind) {
        for (int i = 0; i < probe->count; i++) {
            keep(task->kept, (double) probe->bytes, seconds[i], turn);
        }
        return;
    }
    for (int i = 0; i < probe->inner; i++) {
        keep(task->kept, probe->count, seconds[i], turn);
        if (NULL != task->starts) {
            keep(task->starts, 0, seconds[TUNE_MOST_ROUNDS + i], turn);
        }
    }
}

static void shuffle(struct list *list, tune_watch_t *watch)
{
    for (int i = list->num - 1; i > 0; i--) {
        const int other = (int) (tune_random(watch) % (uint64_t) (i + 1));
        const struct task kept = list->task[i];

        list->task[i] = list->task[other];
        list->task[other] = kept;
    }
}

/* Whether all of a turn was measured before the time was over. */
static bool take_turn(tune_t *t, struct list *list, tune_watch_t *watch, char *room)
{
    tune_machine_t *m = t->machine;

    make_list(t, m->turns, list);
    shuffle(list, watch);
    for (int i = 0; i < list->num; i++) {
        const double passed = MPI_Wtime() - watch->begin, all = watch->deadline - watch->begin;

        if (passed >= all) {
            m->out_of_time = true;
            return false;
        }
        run_task(t, &list->task[i], m->turns, room);
        tune_tell(watch, "machine", (int) (1000 * passed / all), 1000);
    }
    m->turns++;
    return true;
}

/* A first use of everything, which does not count: connections and buffers are made. */
static void warm_up(tune_t *t, struct list *list, char *room)
{
    tune_machine_t *m = t->machine;
    napcoll_timings_t nowhere = {0};

    for (int turn = 0; turn < t->node.num - 1 && turn < TUNE_MOST_NODES; turn++) {
        (void) try_trip(t, far_peer(t, turn), 65536);
    }
    make_list(t, 0, list);
    for (int i = 0; i < list->num; i++) {
        struct task task = list->task[i];
        const bool first = TUNE_PING != task.probe.kind || 8 == task.probe.bytes;

        if (first || task.fold >= 0) {
            task.kept = &nowhere;
            task.starts = NULL;
            run_task(t, &task, 0, room);
        }
    }
    napcoll_timings_close(&nowhere);
    m->turns = 0;
}

/* ---- fits ---- */

static napcoll_calibrate_result_t fit_all(tune_machine_t *m)
{
    napcoll_calibrate_result_t result;

    m->measured.fold = m->fold[0]; /* borrowed */
    result = napcoll_calibrate(&m->measured, NAPCOLL_TURNS_ALL, &m->fit);
    if (NAPCOLL_CALIBRATE_OK == result) {
        result = napcoll_calibrate(&m->measured, NAPCOLL_TURNS_EVEN, &m->half[0]);
    }
    if (NAPCOLL_CALIBRATE_OK == result) {
        result = napcoll_calibrate(&m->measured, NAPCOLL_TURNS_ODD, &m->half[1]);
    }
    m->measured.fold = (napcoll_timings_t){0};
    if (NAPCOLL_CALIBRATE_OK == result) {
        m->unsteady = 0;
        for (int i = 0; NULL != napcoll_machine_key(i); i++) {
            m->unsteady += napcoll_calibrate_apart(&m->half[0].machine, &m->half[1].machine, i)
                           > TUNE_STEADY;
        }
    }
    return result;
}

/* A size more, half way between those that the protocol changes between, unless it is known where that is. */
static void narrow_down(tune_machine_t *m)
{
    const double near = 1.03;
    const napcoll_change_t *cut = &m->fit.protocols[NAPCOLL_LEVEL_NETWORK].eager;

    if (cut->below > near * cut->after && !m->fit.limit_known) {
        add_size(m, NAPCOLL_LEVEL_NETWORK, sqrt(cut->below * cut->after));
    }
}

static void fit_rest(tune_machine_t *m)
{
    for (int i = 0; i < m->pairs; i++) {
        if (0 != napcoll_timings_line(&m->pair_trip[i], NAPCOLL_TURNS_ALL, &m->pair[i].line)) {
            tune_out_of_memory();
        }
    }
    if (0 != napcoll_delays(m->pair, m->pairs, m->nodes, m->delay)) {
        tune_out_of_memory();
    }
    for (int kind = 0; kind < TUNE_FOLDS; kind++) {
        napcoll_line_t line;

        if (0 != napcoll_timings_line(&m->fold[kind], NAPCOLL_TURNS_ALL, &line)) {
            tune_out_of_memory();
        }
        m->fold_ns[kind] = line.slope > 0 ? line.slope * 1e9 : 0;
    }
}

/* All turns; returns what is wrong, or NULL. */
static const char *take_turns(tune_t *t, struct list *list, tune_watch_t *watch, char *room)
{
    tune_machine_t *m = t->machine;
    napcoll_calibrate_result_t result = NAPCOLL_CALIBRATE_TOO_FEW;
    int narrowed = 0;

    while (m->turns < MOST_TURNS && take_turn(t, list, watch, room)) {
        if (m->turns < LEAST_TURNS) {
            continue;
        }
        result = fit_all(m);
        if (NAPCOLL_CALIBRATE_OK == result && m->turns >= STEADY_TURNS && 0 == m->unsteady) {
            break;
        }
        if (NAPCOLL_CALIBRATE_OK == result && narrowed++ < MOST_NARROWED) {
            narrow_down(m);
        }
    }
    tune_tell_end(watch);
    if (m->turns >= LEAST_TURNS) {
        result = fit_all(m);
    }
    return NAPCOLL_CALIBRATE_OK == result || m->turns < LEAST_TURNS
               ? NULL
               : napcoll_calibrate_result_text(result);
}

/* M1, M2 and S; without them there still is a machine. */
static void find_thresholds(tune_t *t, const tune_watch_t *watch)
{
    tune_machine_t *m = t->machine;
    const double limit = t->options.time_limit;

    if (!t->options.thresholds) {
        snprintf(m->no_thresholds, TUNE_TEXT,
                 "left out by --no-thresholds, or there are too few processes, or too many");
        return;
    }
    t->options.time_limit = watch->end - (t->options.verify ? verify_share * limit : 0)
                            - MPI_Wtime();
    if (!(t->options.time_limit > 0)) {
        snprintf(m->no_thresholds, TUNE_TEXT, "no time was left");
    } else if (TUNE_GOOD != tune_scan(t, m->no_thresholds) && '\0' == m->no_thresholds[0]) {
        snprintf(m->no_thresholds, TUNE_TEXT, "they were not found");
    }
    t->options.time_limit = limit;
}

static void prepare(tune_t *t)
{
    tune_machine_t *m = t->machine;
    double rate;

    choose_nodes(&t->node, m);
    choose_near(&t->node, m);
    choose_pairs(&t->node, m);
    read_limits(&m->measured);
    rate = explore(t, NAPCOLL_LEVEL_NETWORK, far_peer(t, 0));
    for (int level = 0; level < NAPCOLL_LEVEL_NETWORK; level++) {
        if (m->peer[level] >= 0) {
            (void) explore(t, level, m->peer[level]);
        }
    }
    choose_streams(t, rate);
}

int tune_machine(tune_t *t, char message[TUNE_TEXT])
{
    const double limit = t->options.time_limit;
    tune_watch_t watch = tune_watch(limit);
    struct list *list = calloc(1, sizeof(*list));
    char *room = calloc(2, (size_t) 256 << 10);
    const char *wrong;
    tune_machine_t *m;

    t->machine = m = calloc(1, sizeof(*m));
    if (NULL == list || NULL == room || NULL == m) {
        tune_out_of_memory();
        return TUNE_FAILED;
    }
    watch.deadline -= limit
                      * ((t->options.thresholds ? thresholds_share : 0)
                         + (t->options.verify ? verify_share : 0));
    prepare(t);
    warm_up(t, list, room);
    wrong = take_turns(t, list, &watch, room);
    free(list);
    free(room);
    if (NULL != wrong) {
        snprintf(message, TUNE_TEXT, "no machine: %s", wrong);
        return TUNE_FAILED;
    }
    if (m->turns < LEAST_TURNS) {
        snprintf(message, TUNE_TEXT,
                 "--time-limit %g: it takes %d turns through all that is measured, and %d were "
                 "complete; give more%s",
                 limit, LEAST_TURNS, m->turns, t->options.thresholds ? ", or --no-thresholds" : "");
        return TUNE_FAILED;
    }
    fit_rest(m);
    find_thresholds(t, &watch);
    tune_verify(t, &watch);
    m->seconds = MPI_Wtime() - watch.begin;
    return TUNE_GOOD;
}

void tune_machine_close(tune_t *t)
{
    tune_machine_t *m = t->machine;

    if (NULL == m) {
        return;
    }
    napcoll_measured_close(&m->measured);
    for (int i = 0; i < m->pairs; i++) {
        napcoll_timings_close(&m->pair_trip[i]);
    }
    for (int kind = 0; kind < TUNE_FOLDS; kind++) {
        napcoll_timings_close(&m->fold[kind]);
    }
    free(m);
    t->machine = NULL;
}
