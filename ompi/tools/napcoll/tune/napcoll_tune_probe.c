/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Probes of a machine: who sits where, messages there and back, and bursts of messages by several processes.
 *
 *     burst   receiver posts its receives --- ready ---> sender
 *             the senders of a node wait for each other
 *             sender: clock starts, all sends, ... last one is in --- acknowledged ---> clock stops
 *
 * Ranks without a part in a probe are not told of it, and sleep on; so does rank 0 where it has none, until those that
 * have tell it what it took. So nothing else happens on the machine, but for what is not ours.
 */

#define _GNU_SOURCE

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "napcoll_tune.h"

/* ---- who is where ---- */

/* All ranks' lowest fellow in such a part of the machine. */
static int *lowest_fellows(const tune_t *t, int type)
{
    int lowest = t->rank, *all = calloc((size_t) t->ranks, sizeof(*all));
    MPI_Comm part;

    if (NULL == all) {
        tune_out_of_memory();
    }
    tune_check(MPI_Comm_split_type(t->comm, type, t->rank, MPI_INFO_NULL, &part),
               "MPI_Comm_split_type");
    tune_check(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, part), "MPI_Allreduce");
    tune_check(MPI_Comm_free(&part), "MPI_Comm_free");
    tune_check(MPI_Allgather(&lowest, 1, MPI_INT, all, 1, MPI_INT, t->comm), "MPI_Allgather");
    return all;
}

/* Whether some node's processes are more than the processors that they may run on together. */
static int is_oversubscribed(const tune_t *t)
{
    cpu_set_t processors;
    MPI_Comm node;
    int size, oversubscribed;

    if (0 != sched_getaffinity(0, sizeof(processors), &processors)) {
        memset(&processors, UCHAR_MAX, sizeof(processors)); /* more than the set can name */
    }
    tune_check(MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_SHARED, t->rank, MPI_INFO_NULL, &node),
               "MPI_Comm_split_type");
    tune_check(MPI_Comm_size(node, &size), "MPI_Comm_size");
    tune_check(
        MPI_Allreduce(MPI_IN_PLACE, &processors, (int) sizeof(processors), MPI_BYTE, MPI_BOR, node),
        "MPI_Allreduce");
    tune_check(MPI_Comm_free(&node), "MPI_Comm_free");
    oversubscribed = size > CPU_COUNT(&processors);
    tune_check(MPI_Allreduce(MPI_IN_PLACE, &oversubscribed, 1, MPI_INT, MPI_MAX, t->comm),
               "MPI_Allreduce");
    return oversubscribed;
}

/* Number the nodes, whose lowest ranks are known, and sort the ranks by them. */
static void number_nodes(tune_nodes_t *n, int ranks)
{
    int *count = calloc((size_t) ranks, sizeof(*count));

    if (NULL == count) {
        tune_out_of_memory();
    }
    for (int i = 0; i < ranks; i++) { /* a node's lowest rank comes first */
        n->node_of[i] = n->node_of[i] == i ? n->num++ : n->node_of[n->node_of[i]];
        n->lane_of[i] = count[n->node_of[i]]++;
    }
    n->least_ppn = ranks;
    for (int node = 0; node < n->num; node++) {
        n->first[node + 1] = n->first[node] + count[node];
        n->least_ppn = count[node] < n->least_ppn ? count[node] : n->least_ppn;
    }
    for (int i = 0; i < ranks; i++) {
        n->rank[n->first[n->node_of[i]] + n->lane_of[i]] = i;
    }
    free(count);
}

void tune_nodes_open(tune_t *t)
{
    const size_t ranks = (size_t) t->ranks;
    tune_nodes_t *n = &t->node;

    n->node_of = lowest_fellows(t, MPI_COMM_TYPE_SHARED);
    n->socket_of = lowest_fellows(t, OMPI_COMM_TYPE_SOCKET);
    n->lane_of = calloc(ranks, sizeof(*n->lane_of));
    n->first = calloc(ranks + 1, sizeof(*n->first));
    n->rank = calloc(ranks, sizeof(*n->rank));
    if (NULL == n->lane_of || NULL == n->first || NULL == n->rank) {
        tune_out_of_memory();
    }
    number_nodes(n, t->ranks);
    n->oversubscribed = 0 != is_oversubscribed(t);
}

void tune_nodes_close(tune_t *t)
{
    free(t->node.node_of);
    free(t->node.lane_of);
    free(t->node.socket_of);
    free(t->node.first);
    free(t->node.rank);
    free(t->burst);
    free(t->burst_requests);
}

/* ---- room ---- */

/* Room for what a process sends, and behind it for `count` messages that it receives. */
static void make_room(tune_t *t, size_t bytes, int count)
{
    const size_t wanted = bytes * ((size_t) count + 1);

    if (wanted > t->burst_bytes) {
        free(t->burst);
        t->burst = calloc(wanted, 1);
        t->burst_bytes = wanted;
    }
    if (2 * count > t->burst_room) {
        free(t->burst_requests);
        t->burst_room = 2 * count;
        t->burst_requests = calloc((size_t) t->burst_room, sizeof(*t->burst_requests));
    }
    if ((NULL == t->burst && wanted > 0) || NULL == t->burst_requests) {
        tune_out_of_memory();
    }
}

/* ---- messages ---- */

static void send_to(const tune_t *t, size_t bytes, int peer, int tag)
{
    tune_check(MPI_Send(t->burst, (int) bytes, MPI_BYTE, peer, tag, t->comm), "MPI_Send");
}

static void receive_from(const tune_t *t, size_t bytes, int peer, int tag)
{
    tune_check(
        MPI_Recv(t->burst + bytes, (int) bytes, MPI_BYTE, peer, tag, t->comm, MPI_STATUS_IGNORE),
        "MPI_Recv");
}

/* What a probe took goes to rank 0. */
static void report(const tune_t *t, const double *seconds, int count)
{
    tune_check(MPI_Send(seconds, count, MPI_DOUBLE, 0, TUNE_TAG_REPORT, t->comm), "MPI_Send");
}

static void take_report(const tune_t *t, double *seconds, int count, int from)
{
    MPI_Request request;

    tune_check(MPI_Irecv(seconds, count, MPI_DOUBLE, from, TUNE_TAG_REPORT, t->comm, &request),
               "MPI_Irecv");
    tune_wait(&request);
}

/* ---- there and back ---- */

/* The first do not count: whoever answers may still have been asleep. */
static int warm_rounds(const tune_probe_t *probe)
{
    return probe->count > 2 ? 2 : 1;
}

static void ping(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    for (int round = -warm_rounds(probe); round < probe->count; round++) {
        const double start = MPI_Wtime();

        for (int i = 0; i < probe->inner; i++) {
            send_to(t, probe->bytes, probe->to, TUNE_TAG_DATA);
            receive_from(t, probe->bytes, probe->to, TUNE_TAG_DATA);
        }
        if (round >= 0) {
            seconds[round] = (MPI_Wtime() - start) / (2 * probe->inner);
        }
    }
}

static void answer(tune_t *t, const tune_probe_t *probe)
{
    for (int i = 0; i < (warm_rounds(probe) + probe->count) * probe->inner; i++) {
        receive_from(t, probe->bytes, probe->from, TUNE_TAG_DATA);
        send_to(t, probe->bytes, probe->from, TUNE_TAG_DATA);
    }
}

static void run_ping(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    double mine[TUNE_MOST_ROUNDS];

    if (t->rank == probe->from || t->rank == probe->to) {
        make_room(t, probe->bytes, 1);
    }
    if (t->rank == probe->from) {
        ping(t, probe, mine);
        if (0 == t->rank) {
            memcpy(seconds, mine, (size_t) probe->count * sizeof(*mine));
        } else {
            report(t, mine, probe->count);
        }
    } else if (t->rank == probe->to) {
        answer(t, probe);
    }
    if (0 == t->rank && 0 != probe->from) {
        take_report(t, seconds, probe->count, probe->from);
    }
}

/* ---- bursts ---- */

/* What a sender tells of each burst. Times are those of the node's clock, which its senders share. */
enum { REPORT_BEGAN, REPORT_ENDED, REPORT_STARTING, REPORT_WORDS };

/* Not MPI_Wtime, which may count from where a process began. */
static double node_time(void)
{
    struct timespec now = {.tv_sec = 0};

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Whom the lane of a node sends to in this probe; -1: nobody. */
static int receiver_of(const tune_nodes_t *n, const tune_probe_t *probe, int node, int lane)
{
    const bool sends = (probe->from < 0 || node == probe->from) && lane < probe->active
                       && lane < tune_ppn(n, node);
    const int next = probe->from < 0 ? (node + 1) % n->num : probe->to;

    if (!sends) {
        return -1;
    }
    if (TUNE_NEAR == probe->kind) {
        return lane + probe->active < tune_ppn(n, node)
                   ? tune_rank_at(n, node, lane + probe->active)
                   : -1;
    }
    return next != node && lane < tune_ppn(n, next) ? tune_rank_at(n, next, lane) : -1;
}

/* From whom it receives; -1: nobody. */
static int sender_to(const tune_nodes_t *n, const tune_probe_t *probe, int node, int lane)
{
    int from = probe->from < 0 ? (node + n->num - 1) % n->num : probe->from;

    if (TUNE_NEAR == probe->kind) {
        from = node;
        lane -= probe->active;
    }
    if (lane < 0 || lane >= tune_ppn(n, from)
        || receiver_of(n, probe, from, lane)
               != tune_rank_at(n, node, TUNE_NEAR == probe->kind ? lane + probe->active : lane)) {
        return -1;
    }
    return tune_rank_at(n, from, lane);
}

/* The senders of a node wait for each other: all tell the first one, and that tells all. */
static void meet_mates(const tune_t *t, const tune_probe_t *probe)
{
    const tune_nodes_t *n = &t->node;
    const int node = n->node_of[t->rank], first = tune_rank_at(n, node, 0);

    if (t->rank != first) {
        send_to(t, 0, first, TUNE_TAG_MATE);
        receive_from(t, 0, first, TUNE_TAG_MATE);
        return;
    }
    for (int lane = 1; lane < probe->active; lane++) {
        if (receiver_of(n, probe, node, lane) >= 0) {
            receive_from(t, 0, tune_rank_at(n, node, lane), TUNE_TAG_MATE);
        }
    }
    for (int lane = 1; lane < probe->active; lane++) {
        if (receiver_of(n, probe, node, lane) >= 0) {
            send_to(t, 0, tune_rank_at(n, node, lane), TUNE_TAG_MATE);
        }
    }
}

/* The receiver's side is ready before the sender's clock starts. */
static void get_ready(tune_t *t, const tune_probe_t *probe, int to, int from)
{
    for (int i = 0; from >= 0 && i < probe->count; i++) {
        tune_check(MPI_Irecv(t->burst + probe->bytes * ((size_t) i + 1), (int) probe->bytes,
                             MPI_BYTE, from, TUNE_TAG_DATA, t->comm, &t->burst_requests[i]),
                   "MPI_Irecv");
    }
    if (from >= 0) {
        send_to(t, 0, from, TUNE_TAG_READY);
    }
    if (to >= 0) {
        receive_from(t, 0, to, TUNE_TAG_READY);
        meet_mates(t, probe);
    }
}

/* One process's part in a burst; the report is the sender's. */
static void exchange(tune_t *t, const tune_probe_t *probe, int to, int from, double *words)
{
    const int count = probe->count;
    MPI_Request *sent = t->burst_requests + count;

    get_ready(t, probe, to, from);
    words[REPORT_BEGAN] = node_time();
    for (int i = 0; to >= 0 && i < count; i++) {
        tune_check(
            MPI_Isend(t->burst, (int) probe->bytes, MPI_BYTE, to, TUNE_TAG_DATA, t->comm, &sent[i]),
            "MPI_Isend");
    }
    words[REPORT_STARTING] = (node_time() - words[REPORT_BEGAN]) / count;
    if (from >= 0) {
        tune_check(MPI_Waitall(count, t->burst_requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
        send_to(t, 0, from, TUNE_TAG_ACKNOWLEDGED);
    }
    if (to >= 0) {
        tune_check(MPI_Waitall(count, sent, MPI_STATUSES_IGNORE), "MPI_Waitall");
        receive_from(t, 0, to, TUNE_TAG_ACKNOWLEDGED);
    }
    words[REPORT_ENDED] = node_time();
}

/* Rank 0: what the senders of a node have to tell of each burst: from when the first began until the last one's are
 * acknowledged, and the slowest starting. A node's time is kept if it is the longest of all nodes. */
static void collect_node(const tune_t *t, const tune_probe_t *probe, int node, const double *mine,
                         double *seconds)
{
    double all[TUNE_MOST_ROUNDS][REPORT_WORDS] = {{0}};
    bool known = false;

    for (int lane = 0; lane < probe->active && lane < tune_ppn(&t->node, node); lane++) {
        double one[TUNE_MOST_ROUNDS][REPORT_WORDS];
        const int rank = tune_rank_at(&t->node, node, lane);

        if (receiver_of(&t->node, probe, node, lane) < 0) {
            continue;
        }
        if (0 == rank) {
            memcpy(one, mine, sizeof(one));
        } else {
            take_report(t, one[0], TUNE_MOST_ROUNDS * REPORT_WORDS, rank);
        }
        for (int i = 0; i < probe->inner; i++) {
            if (!known || one[i][REPORT_BEGAN] < all[i][REPORT_BEGAN]) {
                all[i][REPORT_BEGAN] = one[i][REPORT_BEGAN];
            }
            if (!known || one[i][REPORT_ENDED] > all[i][REPORT_ENDED]) {
                all[i][REPORT_ENDED] = one[i][REPORT_ENDED];
            }
            if (one[i][REPORT_STARTING] > all[i][REPORT_STARTING]) {
                all[i][REPORT_STARTING] = one[i][REPORT_STARTING];
            }
        }
        known = true;
    }
    for (int i = 0; i < probe->inner; i++) {
        const double took = all[i][REPORT_ENDED] - all[i][REPORT_BEGAN];
        double *starting = &seconds[TUNE_MOST_ROUNDS + i];

        seconds[i] = took > seconds[i] ? took : seconds[i];
        *starting = all[i][REPORT_STARTING] > *starting ? all[i][REPORT_STARTING] : *starting;
    }
}

static void run_burst(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    const tune_nodes_t *n = &t->node;
    const int node = n->node_of[t->rank], lane = n->lane_of[t->rank];
    const int to = receiver_of(n, probe, node, lane), from = sender_to(n, probe, node, lane);
    double mine[TUNE_MOST_ROUNDS][REPORT_WORDS] = {{0}};

    if (to >= 0 || from >= 0) {
        make_room(t, probe->bytes, probe->count);
        for (int i = 0; i < probe->inner; i++) {
            exchange(t, probe, to, from, mine[i]);
        }
    }
    if (0 != t->rank) {
        if (to >= 0) {
            report(t, mine[0], TUNE_MOST_ROUNDS * REPORT_WORDS);
        }
        return;
    }
    memset(seconds, 0, 2 * TUNE_MOST_ROUNDS * sizeof(*seconds));
    for (int i = 0; i < n->num; i++) {
        collect_node(t, probe, i, mine[0], seconds);
    }
}

bool tune_takes_part(const tune_t *t, const tune_probe_t *probe, int rank)
{
    const tune_nodes_t *n = &t->node;
    const int node = n->node_of[rank], lane = n->lane_of[rank];

    switch (probe->kind) {
    case TUNE_PING:
        return rank == probe->from || rank == probe->to;
    case TUNE_STREAM:
    case TUNE_NEAR:
        return receiver_of(n, probe, node, lane) >= 0 || sender_to(n, probe, node, lane) >= 0;
    default:
        return true;
    }
}

void tune_probe_run(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    if (TUNE_PING == probe->kind) {
        run_ping(t, probe, seconds);
    } else if (TUNE_FORCE == probe->kind || TUNE_CALL == probe->kind) {
        tune_call_run(t, probe, seconds);
    } else {
        run_burst(t, probe, seconds);
    }
}
