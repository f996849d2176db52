/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The probes: round trips, bursts, and flat gathers and scatters by messages, as the authors of
 * HeteroMPI wrote them (section 3 of their paper), whatever component Open MPI would take.
 *
 *     gather    barrier; rank 0 posts all receives, the others send; the time is rank 0's
 *     scatter   barrier; rank 0 starts all sends in rank order; the time is the slowest process's
 *     burst     receiver posts its receives --- ready ---> sender
 *               the senders of a node wait for each other
 *               sender: clock starts, all sends, ... last one is in --- acknowledged ---> clock
 *               stops
 *     to many   all post their receives and wait for each other; clock starts, all sends, message i
 *               to the i-th process behind on other nodes; last one is in: clock stops
 *
 * Rank 0 announces a probe only to the ranks that take part. The others sleep meanwhile, and so
 * does rank 0 while it waits for results: processes that share processors must not disturb a probe.
 */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <time.h>

#include "tune/napcoll_tune.h"

/* Tags of messages: a probe's own, its result, and the next announcement. */
enum { TAG_DATA, TAG_READY, TAG_ACKNOWLEDGED, TAG_MATE, TAG_REPORT, TAG_ANNOUNCED };

/* ---- messages ---- */

void tune_probes_close(tune_t *t)
{
    free(t->room);
    free(t->request);
}

/* Make room for `count` messages and `requests` requests. */
static void make_room(tune_t *t, size_t bytes, int count, int requests)
{
    const size_t wanted = bytes * (size_t) count;

    if (wanted > t->room_bytes) {
        free(t->room);
        t->room = napcoll_allocate(wanted, 1);
        t->room_bytes = wanted;
    }
    if (requests > t->requests) {
        free(t->request);
        t->request = napcoll_allocate((size_t) requests, sizeof(*t->request));
        t->requests = requests;
    }
}

/* What a process sends begins at t->room, what it receives begins one message behind. */
static void send_to(const tune_t *t, size_t bytes, int peer, int tag)
{
    napcoll_check(MPI_Send(t->room, (int) bytes, MPI_BYTE, peer, tag, t->comm), "MPI_Send");
}

static void receive_from(const tune_t *t, size_t bytes, int peer, int tag)
{
    napcoll_check(
        MPI_Recv(t->room + bytes, (int) bytes, MPI_BYTE, peer, tag, t->comm, MPI_STATUS_IGNORE),
        "MPI_Recv");
}

/* Wait for a request, asleep: its end is seen up to a quarter of the wait later, 20 ms at most. */
static void wait_asleep(MPI_Request *request)
{
    const double shortest = 50e-6, longest = 20e-3, share = 0.25, begin = MPI_Wtime();

    for (;;) {
        struct timespec pause = {.tv_sec = 0};
        int done = 0;

        napcoll_check(MPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done) {
            return;
        }
        pause.tv_nsec = (long) (1e9 * fmin(fmax(share * (MPI_Wtime() - begin), shortest), longest));
        (void) nanosleep(&pause, NULL);
    }
}

static void report(const tune_t *t, const double *seconds, int count)
{
    napcoll_check(MPI_Send(seconds, count, MPI_DOUBLE, 0, TAG_REPORT, t->comm), "MPI_Send");
}

static void take_report(const tune_t *t, double *seconds, int count, int from)
{
    MPI_Request request;

    napcoll_check(MPI_Irecv(seconds, count, MPI_DOUBLE, from, TAG_REPORT, t->comm, &request),
                  "MPI_Irecv");
    wait_asleep(&request);
}

/* ---- gather and scatter ---- */

static void run_root(tune_t *t, tune_kind_t kind, size_t bytes)
{
    for (int i = 1; i < t->ranks; i++) {
        char *block = t->room + (size_t) i * bytes;

        if (TUNE_GATHER == kind) {
            napcoll_check(
                MPI_Irecv(block, (int) bytes, MPI_BYTE, i, TAG_DATA, t->comm, &t->request[i]),
                "MPI_Irecv");
        } else {
            napcoll_check(
                MPI_Isend(block, (int) bytes, MPI_BYTE, i, TAG_DATA, t->comm, &t->request[i]),
                "MPI_Isend");
        }
    }
    napcoll_check(MPI_Waitall(t->ranks - 1, t->request + 1, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

static void run_gather_scatter(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    double start, mine, longest = 0;

    make_room(t, probe->bytes, 0 == t->rank ? t->ranks : 2, t->ranks);
    napcoll_check(MPI_Barrier(t->comm), "MPI_Barrier");
    start = MPI_Wtime();
    if (0 == t->rank) {
        run_root(t, probe->kind, probe->bytes);
    } else if (TUNE_GATHER == probe->kind) {
        send_to(t, probe->bytes, 0, TAG_DATA);
    } else {
        receive_from(t, probe->bytes, 0, TAG_DATA);
    }
    mine = MPI_Wtime() - start;
    if (TUNE_GATHER == probe->kind && 0 != t->rank) {
        /* a sender ends before its block has arrived */
        mine = 0;
    }
    napcoll_check(MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, t->comm), "MPI_Reduce");
    if (0 == t->rank) {
        seconds[0] = longest;
    }
}

/* ---- round trips ---- */

/* The first ones do not count: the process that answers may still have been asleep. */
static int warm_rounds(const tune_probe_t *probe)
{
    return probe->count > 2 ? 2 : 1;
}

bool tune_find_peers(const tune_t *t, const tune_probe_t *probe, int rank, int *to, int *from)
{
    const tune_nodes_t *n = &t->node;
    const int node = n->node_of[rank], ppn = tune_ppn(n, node), lane = n->lane_of[rank];

    if (probe->from < 0) {
        *to = tune_rank_at(n, node, (lane + 1) % ppn);
        *from = tune_rank_at(n, node, (lane + ppn - 1) % ppn);
        return ppn > 1;
    }
    *to = *from = rank == probe->from ? probe->to : probe->from;
    return rank == probe->from || rank == probe->to;
}

static void send_ping(tune_t *t, const tune_probe_t *probe, int peer)
{
    if (TUNE_PING_MEMORY == probe->kind) {
        tune_memory_send(t, probe, t->room);
    } else {
        send_to(t, probe->bytes, peer, TAG_DATA);
    }
}

static void receive_ping(tune_t *t, const tune_probe_t *probe, int peer)
{
    if (TUNE_PING_MEMORY == probe->kind) {
        tune_memory_receive(t, probe, t->room + probe->bytes);
    } else {
        receive_from(t, probe->bytes, peer, TAG_DATA);
    }
}

/* Round trips, or shifts. */
static void ping(tune_t *t, const tune_probe_t *probe, int to, int from, double *seconds)
{
    const int messages = (probe->from < 0 ? 1 : 2) * probe->inner;

    for (int round = -warm_rounds(probe); round < probe->count; round++) {
        const double start = MPI_Wtime();

        for (int i = 0; i < probe->inner; i++) {
            send_ping(t, probe, to);
            receive_ping(t, probe, from);
        }
        if (round >= 0) {
            seconds[round] = (MPI_Wtime() - start) / messages;
        }
    }
}

static void run_ping(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    double mine[TUNE_MOST_ROUNDS];
    int to, from;

    if (tune_find_peers(t, probe, t->rank, &to, &from)) {
        make_room(t, probe->bytes, 2, 0);
        if (probe->from < 0 || t->rank == probe->from) {
            ping(t, probe, to, from, 0 == t->rank ? seconds : mine);
        } else {
            for (int i = 0; i < (warm_rounds(probe) + probe->count) * probe->inner; i++) {
                receive_ping(t, probe, from);
                send_ping(t, probe, to);
            }
        }
    }
    if (0 != t->rank && t->rank == probe->from) {
        report(t, mine, probe->count);
    } else if (0 == t->rank && probe->from > 0) {
        take_report(t, seconds, probe->count, probe->from);
    }
}

/* ---- bursts ---- */

/* What a sender reports of each burst. Times are by the node's clock, which its senders
 * share: MPI_Wtime may count from the start of a process. */
typedef struct {
    double began, ended, starting;
} burst_t;

enum { BURST_DOUBLES = TUNE_MOST_ROUNDS * sizeof(burst_t) / sizeof(double) };

static double node_time(void)
{
    struct timespec now = {.tv_sec = 0};

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* The rank that is i places on from a lane of a node, or back, in a burst to many: on the other
 * nodes first, then on their next lanes. */
static int other_rank(const tune_nodes_t *n, const tune_probe_t *probe, int rank, int i, bool on)
{
    const int others = n->num - 1, nodes = 1 + i % others;
    const int lanes = i / others % probe->active, back = probe->active - lanes;

    return tune_rank_at(n, (n->node_of[rank] + (on ? nodes : n->num - nodes)) % n->num,
                        (n->lane_of[rank] + (on ? lanes : back)) % probe->active);
}

/* The rank that the lane of a node sends to, at first, in a burst; -1: none. */
static int receiver_of(const tune_nodes_t *n, const tune_probe_t *probe, int node, int lane)
{
    const int next = probe->from < 0 ? (node + 1) % n->num : probe->to;
    const bool sends = (probe->from < 0 || node == probe->from) && lane < probe->active
                       && lane < tune_ppn(n, node);

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

/* The rank that sends to a rank, at first, in a burst; -1: none. */
static int sender_to(const tune_nodes_t *n, const tune_probe_t *probe, int rank)
{
    const int node = n->node_of[rank];
    int from = probe->from < 0 ? (node + n->num - 1) % n->num : probe->from;
    int lane = n->lane_of[rank];

    if (TUNE_NEAR == probe->kind) {
        from = node;
        lane -= probe->active;
    }
    return lane >= 0 && receiver_of(n, probe, from, lane) == rank ? tune_rank_at(n, from, lane)
                                                                  : -1;
}

/* The senders of a node wait for each other: all tell the first one, which tells all. */
static void meet_mates(const tune_t *t, const tune_probe_t *probe)
{
    const tune_nodes_t *n = &t->node;
    const int node = n->node_of[t->rank], first = tune_rank_at(n, node, 0);

    if (t->rank != first) {
        send_to(t, 0, first, TAG_MATE);
        receive_from(t, 0, first, TAG_MATE);
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int lane = 1; lane < probe->active; lane++) {
            if (receiver_of(n, probe, node, lane) >= 0) {
                (0 == pass ? receive_from : send_to)(t, 0, tune_rank_at(n, node, lane), TAG_MATE);
            }
        }
    }
}

/* One process's part in a burst. The receiver is ready before the sender's clock starts. */
static void exchange(tune_t *t, const tune_probe_t *probe, int to, int from, burst_t *burst)
{
    const int count = probe->count, bytes = (int) probe->bytes;
    MPI_Request *sent = t->request + count;

    for (int i = 0; from >= 0 && i < count; i++) {
        napcoll_check(MPI_Irecv(t->room + probe->bytes * ((size_t) i + 1), bytes, MPI_BYTE, from,
                                TAG_DATA, t->comm, &t->request[i]),
                      "MPI_Irecv");
    }
    if (from >= 0) {
        send_to(t, 0, from, TAG_READY);
    }
    if (to >= 0) {
        receive_from(t, 0, to, TAG_READY);
        meet_mates(t, probe);
    }
    burst->began = node_time();
    for (int i = 0; to >= 0 && i < count; i++) {
        napcoll_check(MPI_Isend(t->room, bytes, MPI_BYTE, to, TAG_DATA, t->comm, &sent[i]),
                      "MPI_Isend");
    }
    burst->starting = (node_time() - burst->began) / count;
    if (from >= 0) {
        napcoll_check(MPI_Waitall(count, t->request, MPI_STATUSES_IGNORE), "MPI_Waitall");
        send_to(t, 0, from, TAG_ACKNOWLEDGED);
    }
    if (to >= 0) {
        napcoll_check(MPI_Waitall(count, sent, MPI_STATUSES_IGNORE), "MPI_Waitall");
        receive_from(t, 0, to, TAG_ACKNOWLEDGED);
    }
    burst->ended = node_time();
}

/* The processes of a burst to many wait for each other, in a dissemination barrier. */
static void meet_all(const tune_t *t, const tune_probe_t *probe)
{
    const tune_nodes_t *n = &t->node;
    const int active = probe->active, all = n->num * active;
    const int self = n->node_of[t->rank] * active + n->lane_of[t->rank];

    for (int away = 1; away < all; away *= 2) {
        const int to = (self + away) % all, from = (self + all - away) % all;
        MPI_Request request;

        napcoll_check(MPI_Isend(NULL, 0, MPI_BYTE, tune_rank_at(n, to / active, to % active),
                                TAG_READY, t->comm, &request),
                      "MPI_Isend");
        receive_from(t, 0, tune_rank_at(n, from / active, from % active), TAG_READY);
        napcoll_check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
}

/* One process's part in a burst to many. */
static void exchange_with_many(tune_t *t, const tune_probe_t *probe, burst_t *burst)
{
    const int count = probe->count, bytes = (int) probe->bytes;
    MPI_Request *sent = t->request + count;

    for (int i = 0; i < count; i++) {
        napcoll_check(MPI_Irecv(t->room + probe->bytes * ((size_t) i + 1), bytes, MPI_BYTE,
                                other_rank(&t->node, probe, t->rank, i, false), TAG_DATA, t->comm,
                                &t->request[i]),
                      "MPI_Irecv");
    }
    meet_all(t, probe);
    burst->began = node_time();
    for (int i = 0; i < count; i++) {
        napcoll_check(MPI_Isend(t->room, bytes, MPI_BYTE,
                                other_rank(&t->node, probe, t->rank, i, true), TAG_DATA, t->comm,
                                &sent[i]),
                      "MPI_Isend");
    }
    burst->starting = (node_time() - burst->began) / count;
    napcoll_check(MPI_Waitall(2 * count, t->request, MPI_STATUSES_IGNORE), "MPI_Waitall");
    burst->ended = node_time();
}

/* Rank 0: collect the bursts of a node's senders; keep its times if they are the longest so far. */
static void collect_node(const tune_t *t, const tune_probe_t *probe, int node, const burst_t *mine,
                         double *seconds)
{
    burst_t all[TUNE_MOST_ROUNDS], one[TUNE_MOST_ROUNDS];

    for (int i = 0; i < TUNE_MOST_ROUNDS; i++) {
        all[i] = (burst_t){.began = INFINITY, .ended = -INFINITY};
    }
    for (int lane = 0; lane < probe->active && lane < tune_ppn(&t->node, node); lane++) {
        const int rank = tune_rank_at(&t->node, node, lane);

        if (receiver_of(&t->node, probe, node, lane) < 0) {
            continue;
        }
        memcpy(one, mine, sizeof(one));
        if (0 != rank) {
            take_report(t, &one[0].began, BURST_DOUBLES, rank);
        }
        for (int i = 0; i < probe->inner; i++) {
            all[i].began = fmin(all[i].began, one[i].began);
            all[i].ended = fmax(all[i].ended, one[i].ended);
            all[i].starting = fmax(all[i].starting, one[i].starting);
        }
    }
    for (int i = 0; i < probe->inner; i++) {
        double *starting = &seconds[TUNE_MOST_ROUNDS + i];

        seconds[i] = fmax(seconds[i], all[i].ended - all[i].began);
        *starting = fmax(*starting, all[i].starting);
    }
}

static void run_burst(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    const tune_nodes_t *n = &t->node;
    const int to = receiver_of(n, probe, n->node_of[t->rank], n->lane_of[t->rank]);
    const int from = sender_to(n, probe, t->rank);
    burst_t mine[TUNE_MOST_ROUNDS] = {{0}};

    if (to >= 0 || from >= 0) {
        make_room(t, probe->bytes, probe->count + 1, 2 * probe->count);
        for (int i = 0; i < probe->inner; i++) {
            if (TUNE_MANY == probe->kind) {
                exchange_with_many(t, probe, &mine[i]);
            } else {
                exchange(t, probe, to, from, &mine[i]);
            }
        }
    }
    if (0 != t->rank) {
        if (to >= 0) {
            report(t, &mine[0].began, BURST_DOUBLES);
        }
        return;
    }
    memset(seconds, 0, 2 * TUNE_MOST_ROUNDS * sizeof(*seconds));
    for (int i = 0; i < n->num; i++) {
        collect_node(t, probe, i, mine, seconds);
    }
}

/* ---- announcements ---- */

static bool takes_part(const tune_t *t, const tune_probe_t *probe, int rank)
{
    const tune_nodes_t *n = &t->node;
    int to, from;

    switch (probe->kind) {
    case TUNE_PING:
    case TUNE_PING_MEMORY:
        return tune_find_peers(t, probe, rank, &to, &from);
    case TUNE_STREAM:
    case TUNE_NEAR:
    case TUNE_MANY:
        return receiver_of(n, probe, n->node_of[rank], n->lane_of[rank]) >= 0
               || sender_to(n, probe, rank) >= 0;
    default:
        return true;
    }
}

/* Do what a probe says; rank 0 gets the times. */
static void run_probe(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    switch (probe->kind) {
    case TUNE_GATHER:
    case TUNE_SCATTER:
        run_gather_scatter(t, probe, seconds);
        break;
    case TUNE_PING:
    case TUNE_PING_MEMORY:
        run_ping(t, probe, seconds);
        break;
    case TUNE_STREAM:
    case TUNE_NEAR:
    case TUNE_MANY:
        run_burst(t, probe, seconds);
        break;
    default:
        break;
    }
}

void tune_probe(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    int count = 0;

    make_room(t, 0, 0, t->ranks);
    for (int rank = 1; rank < t->ranks; rank++) {
        if (takes_part(t, probe, rank)) {
            napcoll_check(MPI_Isend(probe, (int) sizeof(*probe), MPI_BYTE, rank, TAG_ANNOUNCED,
                                    t->comm, &t->request[count++]),
                          "MPI_Isend");
        }
    }
    napcoll_check(MPI_Waitall(count, t->request, MPI_STATUSES_IGNORE), "MPI_Waitall");
    run_probe(t, probe, seconds);
}

void tune_serve(tune_t *t)
{
    tune_probe_t probe = {.kind = TUNE_RACE};

    while (TUNE_STOP != probe.kind) {
        MPI_Request request;

        napcoll_check(
            MPI_Irecv(&probe, (int) sizeof(probe), MPI_BYTE, 0, TAG_ANNOUNCED, t->comm, &request),
            "MPI_Irecv");
        wait_asleep(&request);
        if (TUNE_RACE == probe.kind) {
            tune_case_t c;

            tune_race(t, &c, 0);
        } else {
            run_probe(t, &probe, NULL);
        }
    }
}
