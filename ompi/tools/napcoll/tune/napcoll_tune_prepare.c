/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Before the turns of a machine: who takes part, which limits of protocols the library tells, of which sizes round
 * trips are, and how long the bursts' messages are. Rank 0 alone.
 */

#include <math.h>
#include <string.h>

#include "napcoll_tune_machine.h"

/* A half round trip that takes longer is as large as need be; those inside a node have less to show. */
static const double long_trip[NAPCOLL_LEVELS] = {1e-3, 1e-3, 20e-3};
static const size_t most_trip = (size_t) 4 << 20;

/* A large message of a burst takes about so long. */
static const double long_message = 4e-3;

/* ---- who takes part ---- */

/* The two nodes with most processes, the first ones of such. */
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

/* The pinger's peers inside its node: one on its socket, and one that is not known to be. */
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
    const int node = (t->machine->from + 1 + turn % (n->num - 1)) % n->num;

    return tune_rank_at(n, node, 0);
}

/* Nodes that are compared: all, or some that are spread over all; and the pairs of them. */
static void choose_pairs(const tune_nodes_t *n, tune_machine_t *m)
{
    m->nodes = n->num < TUNE_MOST_NODES ? n->num : TUNE_MOST_NODES;
    for (int i = 0; i < m->nodes; i++) {
        m->node[i] = (int) ((long long) i * (n->num - 1) / (m->nodes - 1));
    }
    for (int i = 1; i < m->nodes; i++) {
        m->pair[m->personalized++] = (napcoll_pair_t){.one = 0, .other = i};
    }
    for (int i = 1; i + 1 < m->nodes; i++) {
        m->pair[m->personalized++] = (napcoll_pair_t){.one = i, .other = i + 1};
    }
    if (m->nodes > 3) {
        m->pair[m->personalized++] = (napcoll_pair_t){.one = 1, .other = m->nodes - 1};
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

void tune_add_size(tune_machine_t *m, int level, double bytes)
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

    (void) tune_try_trip(t, peer, 1); /* opens the connection */
    t->machine->about[level] = tune_try_trip(t, peer, 1);
    do {
        bytes *= 2;
        seconds = tune_try_trip(t, peer, bytes);
    } while (bytes < most_trip && seconds < long_trip[level]);
    choose_sizes(t->machine, level, (double) bytes);
    return (double) bytes / (seconds > 0 ? seconds : 1e-9);
}

/* ---- bursts ---- */

/* One process, some more, and as many as both nodes have (all nodes, where all send). */
static void choose_streams(const tune_t *t, double rate)
{
    const tune_nodes_t *n = &t->node;
    tune_machine_t *m = t->machine;
    napcoll_measured_t *measured = &m->measured;
    const int most = t->options.all_nodes ? n->least_ppn : tune_ppn(n, m->to);
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
        .active = (t->options.all_nodes ? n->least_ppn : tune_ppn(n, m->from)) / 2,
        .bytes = 262144};
    measured->near_small = (napcoll_stream_t){.active = measured->near_large.active, .bytes = 8};
    measured->oversubscribed = n->oversubscribed || t->options.all_nodes;
}

/* ---- all of it ---- */

void tune_prepare(tune_t *t)
{
    tune_machine_t *m = t->machine;
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
    choose_streams(t, rate);
    tune_choose_distances(t);
}
