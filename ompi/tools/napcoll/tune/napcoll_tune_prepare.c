/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What is measured of a machine: the processes that take part, the sizes of round trips, the
 * messages of bursts, and the tasks of a turn that follow from these. Rank 0 only.
 */

#include <math.h>

#include "tune/napcoll_tune.h"

enum { SEVERAL = 3 /* bursts of different lengths: a line needs them */ };

/* Round trips grow until half of one takes so long; inside a node there is less to show. */
static const double long_trip[NAPCOLL_LEVELS] = {1e-3, 1e-3, 20e-3};
static const size_t most_trip = (size_t) 4 << 20;

/* A large message of a burst takes about so long, and a task of a turn at most. */
static const double long_message = 4e-3, long_task = 20e-3;

/* ---- the processes that take part ---- */

/* The two nodes with most processes, the first of several. */
static void choose_nodes(const tune_nodes_t *n, tune_machine_t *m)
{
    m->from = 0;
    for (int node = 1; node < n->num; node++) {
        m->from = tune_ppn(n, node) > tune_ppn(n, m->from) ? node : m->from;
    }
    m->to = 0 == m->from ? 1 : 0;
    for (int node = 0; node < n->num; node++) {
        if (node != m->from && tune_ppn(n, node) > tune_ppn(n, m->to)) {
            m->to = node;
        }
    }
    m->pinger = tune_rank_at(n, m->from, 0);
}

/* The pinger's peers inside its node: one on its socket, and one that is not known to be there. */
static void choose_near(const tune_nodes_t *n, tune_machine_t *m)
{
    m->peer[NAPCOLL_LEVEL_SOCKET] = m->peer[NAPCOLL_LEVEL_NODE] = -1;
    for (int lane = tune_ppn(n, m->from) - 1; lane > 0; lane--) {
        const int rank = tune_rank_at(n, m->from, lane);
        const bool near = n->socket_of[rank] == n->socket_of[m->pinger];

        m->peer[near ? NAPCOLL_LEVEL_SOCKET : NAPCOLL_LEVEL_NODE] = rank;
    }
}

int tune_far_peer(const tune_t *t, int turn)
{
    const tune_nodes_t *n = &t->node;

    return tune_rank_at(n, (t->machine.from + 1 + turn % (n->num - 1)) % n->num, 0);
}

/* Compare all nodes, or some that are spread over all: node 0 with each, and neighbours. */
static void choose_pairs(const tune_nodes_t *n, tune_machine_t *m)
{
    m->nodes = n->num < TUNE_MOST_NODES ? n->num : TUNE_MOST_NODES;
    for (int i = 0; i < m->nodes; i++) {
        m->node[i] = (int) ((long long) i * (n->num - 1) / (m->nodes - 1));
    }
    for (int i = 1; i < m->nodes; i++) {
        m->pair[m->pairs++] = (napcoll_node_pair_t){.one = 0, .other = i};
    }
    for (int i = 1; i + 1 < m->nodes; i++) {
        m->pair[m->pairs++] = (napcoll_node_pair_t){.one = i, .other = i + 1};
    }
    if (m->nodes > 3) {
        m->pair[m->pairs++] = (napcoll_node_pair_t){.one = 1, .other = m->nodes - 1};
    }
}

/* ---- limits of protocols that the library tells ---- */

/* Whether a parameter is the eager limit of a transport, btl_..._eager_limit. */
static bool is_limit(const char *name)
{
    static const char end[] = "_eager_limit";
    const size_t length = strlen(name);

    return 0 == strncmp(name, "btl_", 4) && length > 4 + sizeof(end)
           && 0 == strcmp(name + length - (sizeof(end) - 1), end);
}

/* The value of an integer parameter; 0 if it cannot be read. */
static double read_limit(int index, MPI_Datatype type)
{
    MPI_T_cvar_handle handle;
    unsigned long long number = 0;
    double value = 0;
    int count;

    if ((MPI_INT != type && MPI_UNSIGNED != type && MPI_UNSIGNED_LONG != type
         && MPI_UNSIGNED_LONG_LONG != type)
        || MPI_SUCCESS != MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) {
        return 0;
    }
    if (1 == count && MPI_SUCCESS == MPI_T_cvar_read(handle, &number)) {
        unsigned narrow;

        memcpy(&narrow, &number, sizeof(narrow));
        value = MPI_INT == type || MPI_UNSIGNED == type ? narrow : (double) number;
    }
    (void) MPI_T_cvar_handle_free(&handle);
    return value < (double) most_trip ? value : 0;
}

/* Collect the eager limits of all transports: one of them carries the messages between nodes. */
static void read_limits(napcoll_measured_t *measured)
{
    int number = 0;

    (void) MPI_T_cvar_get_num(&number);
    for (int i = 0; i < number && measured->num_limits < NAPCOLL_CALIBRATE_MOST_LIMITS; i++) {
        char name[128], text[8];
        int name_length = (int) sizeof(name), text_length = (int) sizeof(text);
        int verbosity, bind, scope, k = 0;
        MPI_Datatype type;
        MPI_T_enum values;
        double limit;

        if (MPI_SUCCESS
                != MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &values, text,
                                       &text_length, &bind, &scope)
            || !is_limit(name)) {
            continue;
        }
        limit = read_limit(i, type);
        while (k < measured->num_limits && fabs(measured->limit[k] - limit) >= 1) {
            k++;
        }
        if (k == measured->num_limits && limit > 0) {
            measured->limit[measured->num_limits++] = limit;
        }
    }
}

/* ---- sizes ---- */

void tune_add_size(tune_machine_t *m, int level, double bytes)
{
    const size_t size = (size_t) (bytes + 0.5);

    for (int i = 0; i < m->sizes[level]; i++) {
        if (m->size[level][i] == size) {
            return;
        }
    }
    if (m->sizes[level] < TUNE_MOST_TRIPS && size > 0) {
        m->size[level][m->sizes[level]++] = size;
    }
}

/* Two sizes to an octave, of small ones one; and sizes beside each limit. */
static void choose_sizes(tune_machine_t *m, int level, double most)
{
    const napcoll_measured_t *measured = &m->measured;
    const double root = 1.4142135623730951, least = 8, small = 500;

    for (double bytes = least; bytes <= most * 1.01; bytes *= bytes < small ? 2 : root) {
        tune_add_size(m, level, bytes);
    }
    for (int i = 0; i < measured->num_limits; i++) {
        const double limit = measured->limit[i];

        if (limit > least * 2 && limit * 2 <= most) {
            tune_add_size(m, level, limit * 0.97);
            tune_add_size(m, level, limit * 1.03);
        }
    }
}

double tune_try_trip(tune_t *t, int peer, size_t bytes)
{
    const tune_probe_t probe = {.kind = TUNE_PING,
                                .bytes = bytes,
                                .count = 2,
                                .inner = 1,
                                .from = t->machine.pinger,
                                .to = peer};
    double seconds[2 * TUNE_MOST_ROUNDS];

    tune_probe(t, &probe, seconds);
    return fmin(seconds[0], seconds[1]);
}

/* Choose the sizes of one level. Returns how many bytes per second its largest message has. */
static double explore(tune_t *t, int level, int peer)
{
    size_t bytes = (size_t) 32 << 10;
    double seconds;

    /* the first one opens the connection */
    (void) tune_try_trip(t, peer, 1);
    t->machine.about[level] = tune_try_trip(t, peer, 1);
    do {
        bytes *= 2;
        seconds = tune_try_trip(t, peer, bytes);
    } while (bytes < most_trip && seconds < long_trip[level]);
    choose_sizes(&t->machine, level, (double) bytes);
    return (double) bytes / fmax(seconds, 1e-9);
}

static void add_stream(napcoll_streams_t *streams, int active, double bytes)
{
    streams->stream[streams->num++] = (napcoll_stream_t){.active = active, .bytes = bytes};
}

/* Bursts by one process, by some more, and by as many as both nodes (or all of them) have. */
static void choose_streams(const tune_t *t, tune_machine_t *m, double rate)
{
    const tune_nodes_t *n = &t->node;
    napcoll_measured_t *measured = &m->measured;
    const bool all = t->options.all_nodes;
    const int most = all ? n->least_ppn : tune_ppn(n, m->to);
    const int near = (all ? n->least_ppn : tune_ppn(n, m->from)) / 2;
    double large = 131072;

    while (large < rate * long_message && large < (double) most_trip) {
        large *= 2;
    }
    for (int active = 1; measured->large.num + 1 < NAPCOLL_CALIBRATE_MOST_STREAMS && active < most;
         active += 1 + active / 4) {
        add_stream(&measured->large, active, large);
    }
    add_stream(&measured->large, most, large);
    add_stream(&measured->eager, most, 16384);
    add_stream(&measured->small, 1, 8);
    if (most > 1) {
        add_stream(&measured->small, most, 8);
    }
    measured->near_large = (napcoll_stream_t){.active = near, .bytes = 262144};
    measured->near_small = (napcoll_stream_t){.active = near, .bytes = 8};
    measured->oversubscribed = n->oversubscribed || all;
}

void tune_prepare(tune_t *t)
{
    tune_machine_t *m = &t->machine;
    double rate;

    choose_nodes(&t->node, m);
    choose_near(&t->node, m);
    choose_pairs(&t->node, m);
    read_limits(&m->measured);
    rate = explore(t, NAPCOLL_LEVEL_NETWORK, tune_far_peer(t, 0));
    for (int level = 0; level < NAPCOLL_LEVEL_NETWORK; level++) {
        if (m->peer[level] >= 0) {
            (void) explore(t, level, m->peer[level]);
        }
    }
    choose_streams(t, m, rate);
    tune_choose_distances(t);
}

/* ---- the tasks of a turn ---- */

/* How often a probe that takes `seconds` is repeated in a turn. */
static int times_of(double seconds)
{
    return (int) fmin(fmax(long_task / fmax(seconds, 1e-9), 2), TUNE_MOST_ROUNDS);
}

/* Short round trips are repeated until the clock can tell them. */
static void add_trips(tune_machine_t *m, tune_list_t *list, int level, int peer)
{
    for (int i = 0; i < m->sizes[level]; i++) {
        const size_t bytes = m->size[level][i];
        const bool small = NAPCOLL_LEVEL_NETWORK != level && bytes <= 4096;
        const int times = bytes <= 65536 ? times_of(2 * m->about[level]) : 2;

        tune_add_task(list, &(tune_task_t){.probe = {.kind = TUNE_PING,
                                                     .bytes = bytes,
                                                     .count = times,
                                                     .inner = small ? 16 : 1,
                                                     .from = m->pinger,
                                                     .to = peer},
                                           .times = &m->measured.half_trip[level]});
    }
}

/* Round trips through node memory, of one size to the octave. */
static void add_memory_trips(const tune_t *t, tune_machine_t *m, tune_list_t *list)
{
    const bool far = m->peer[NAPCOLL_LEVEL_NODE] >= 0;
    const int peer = m->peer[far ? NAPCOLL_LEVEL_NODE : NAPCOLL_LEVEL_SOCKET];

    for (size_t bytes = 8; NULL != t->memory.shared && peer >= 0 && bytes <= NAPCOLL_RING_MOST;
         bytes *= 2) {
        tune_add_task(list, &(tune_task_t){.probe = {.kind = TUNE_PING_MEMORY,
                                                     .bytes = bytes,
                                                     .count = TUNE_MOST_ROUNDS,
                                                     .inner = 16,
                                                     .from = m->pinger,
                                                     .to = peer},
                                           .times = &m->measured.node_memory});
    }
}

/* Where processes share processors, a message waits until its process has one: shifts of all nodes
 * at once, for longer than it takes until all have begun. */
static void add_shifts(const tune_t *t, tune_machine_t *m, tune_list_t *list)
{
    const int ppn = tune_ppn(&t->node, 0);

    if (NULL != t->memory.shared && t->options.all_nodes && t->node.oversubscribed && ppn > 1) {
        m->measured.shift_ppn = ppn;
        tune_add_task(list, &(tune_task_t){.probe = {.kind = TUNE_PING_MEMORY,
                                                     .bytes = 8,
                                                     .count = TUNE_MOST_ROUNDS,
                                                     .inner = 64,
                                                     .from = -1},
                                           .times = &m->measured.shift});
    }
}

/* Bursts of `count`, 2 `count` and 4 `count` messages. */
static void add_bursts(const tune_t *t, tune_list_t *list, tune_kind_t kind,
                       napcoll_stream_t *stream, int count, int bursts, napcoll_timings_t *starts)
{
    tune_task_t task = {.probe = {.kind = kind,
                                  .bytes = (size_t) stream->bytes,
                                  .inner = bursts,
                                  .active = stream->active,
                                  .from = t->options.all_nodes ? -1 : t->machine.from,
                                  .to = t->machine.to},
                        .times = &stream->sent,
                        .starts = starts};

    for (int i = 0; stream->active > 0 && i < SEVERAL; i++) {
        task.probe.count = count << i;
        tune_add_task(list, &task);
    }
}

static void add_streams(const tune_t *t, tune_list_t *list, tune_kind_t kind,
                        napcoll_streams_t *streams, int count, int bursts,
                        napcoll_timings_t *starts)
{
    const int most = times_of(4 * t->machine.about[NAPCOLL_LEVEL_NETWORK]);
    const int times = bursts < most ? bursts : most;

    for (int i = 0; i < streams->num; i++) {
        add_bursts(t, list, kind, &streams->stream[i], count, times, 0 == i ? starts : NULL);
    }
}

static void add_pairs(tune_t *t, tune_list_t *list)
{
    static const size_t size[] = {8, 4096, 16384};
    tune_machine_t *m = &t->machine;

    for (int i = 0; i < m->pairs; i++) {
        for (size_t s = 0; s < sizeof(size) / sizeof(*size); s++) {
            const int one = m->node[m->pair[i].one], other = m->node[m->pair[i].other];

            tune_add_task(list, &(tune_task_t){.probe = {.kind = TUNE_PING,
                                                         .bytes = size[s],
                                                         .count = 4,
                                                         .inner = 1,
                                                         .from = tune_rank_at(&t->node, one, 0),
                                                         .to = tune_rank_at(&t->node, other, 0)},
                                               .times = &m->pair_trip[i]});
        }
    }
}

void tune_make_list(tune_t *t, int turn, tune_list_t *list)
{
    tune_machine_t *m = &t->machine;
    napcoll_measured_t *measured = &m->measured;

    list->num = 0;
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        const int peer = NAPCOLL_LEVEL_NETWORK == level ? tune_far_peer(t, turn) : m->peer[level];

        if (peer >= 0) {
            add_trips(m, list, level, peer);
        }
    }
    add_memory_trips(t, m, list);
    add_shifts(t, m, list);
    add_streams(t, list, TUNE_STREAM, &measured->large, 1, 2, NULL);
    add_streams(t, list, TUNE_STREAM, &measured->eager, 8, 3, NULL);
    /* several messages to one process can be one packet */
    add_streams(t, list, t->options.all_nodes ? TUNE_MANY : TUNE_STREAM, &measured->small, 16,
                TUNE_MOST_ROUNDS, &measured->start);
    add_bursts(t, list, TUNE_NEAR, &measured->near_large, 2, TUNE_MOST_ROUNDS, NULL);
    add_bursts(t, list, TUNE_NEAR, &measured->near_small, 64, TUNE_MOST_ROUNDS, NULL);
    add_pairs(t, list);
    tune_add_distances(t, list);
    for (size_t bytes = (size_t) 64 << 10; bytes <= (size_t) 256 << 10; bytes *= 2) {
        tune_add_task(list, &(tune_task_t){.reduction = true,
                                           .probe = {.bytes = bytes},
                                           .times = &measured->reduction});
    }
}
