/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * One call at a time, as HeteroMPI's authors wrote them (section 3 of the paper): flat gather and scatter by
 * messages from and to the root, whatever Open MPI would have taken.
 *
 *     rank 0 announces -> barrier -> | gather: the root posts all receives, the others send
 *                                    | scatter: the root starts all sends in rank order, the others receive
 *                                    | message: from the root to a peer and back
 *                     -> the longest time goes to rank 0
 *
 * The barrier is what lets all senders of a gather begin together, which is what overflows a queue. Whoever
 * waits for an announcement sleeps in between, the longer the longer it waits, and rank 0 wakes only those that have a
 * part in what comes: processes that share processors do not disturb a message between two others.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "napcoll_tune.h"

/* Words of an announcement; the peer of a message goes as `to`. */
enum { WORD_KIND, WORD_BYTES, WORD_TO, WORD_FROM, WORD_COUNT, WORD_INNER, WORD_ACTIVE, WORDS };

void tune_check(int rc, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;

    if (MPI_SUCCESS == rc) {
        return;
    }
    (void) MPI_Error_string(rc, text, &length);
    fprintf(stderr, "napcoll-tune: %s failed: %s\n", call, text);
    MPI_Abort(MPI_COMM_WORLD, TUNE_FAILED);
}

void tune_out_of_memory(void)
{
    fputs("napcoll-tune: no memory\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, TUNE_FAILED);
    exit(TUNE_FAILED); /* not reached */
}

/* ---- who is where ---- */

/* Whether this rank is the lowest of its node, and whether the root is on that node. */
static void find_node(const tune_t *t, bool *lowest, bool *with_root)
{
    int first = 0, root = t->rank == t->options.root;

    tune_check(MPI_Comm_rank(t->start.node, &first), "MPI_Comm_rank");
    tune_check(MPI_Allreduce(MPI_IN_PLACE, &root, 1, MPI_INT, MPI_MAX, t->start.node),
               "MPI_Allreduce");
    *lowest = 0 == first;
    *with_root = 1 == root;
}

/* Rank 0 learns the root's peers: the lowest rank of each other node; on one node, all others. */
static void find_peers(tune_t *t)
{
    bool lowest, with_root;
    int mine, *all = calloc((size_t) t->ranks, sizeof(*all));

    t->peer = calloc((size_t) t->ranks, sizeof(*t->peer));
    if (NULL == all || NULL == t->peer) {
        tune_out_of_memory();
    }
    find_node(t, &lowest, &with_root);
    mine = lowest ? (with_root ? 1 : 2) : 0;
    tune_check(MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, t->comm), "MPI_Gather");
    for (int i = 0; i < t->ranks; i++) {
        t->nodes += all[i] > 0;
        if (2 == all[i]) {
            t->peer[t->num_peers++] = i;
        }
    }
    for (int i = 0; 1 == t->nodes && i < t->ranks; i++) {
        if (i != t->options.root) {
            t->peer[t->num_peers++] = i;
        }
    }
    free(all);
}

void tune_measure_open(tune_t *t)
{
    const size_t blocks = t->rank == t->options.root ? (size_t) t->ranks : 1;

    tune_check(napcoll_start_open(t->comm, &t->start), "napcoll_start_open");
    find_peers(t);
    t->send = calloc(blocks, t->options.most);
    t->recv = calloc(blocks, t->options.most);
    t->requests = calloc((size_t) t->ranks, sizeof(*t->requests));
    if (NULL == t->send || NULL == t->recv || NULL == t->requests) {
        tune_out_of_memory();
    }
}

void tune_measure_close(tune_t *t)
{
    tune_check(napcoll_start_close(&t->start), "napcoll_start_close");
    free(t->peer);
    free(t->send);
    free(t->recv);
    free(t->requests);
}

/* ---- the calls ---- */

/* The root of a gather receives all blocks, the root of a scatter sends them; its own it copies. */
static void run_root(tune_t *t, tune_kind_t kind, size_t bytes)
{
    const size_t own = (size_t) t->rank * bytes;
    int count = 0;

    for (int i = 0; i < t->ranks; i++) {
        const size_t block = (size_t) i * bytes;

        if (i == t->rank) {
            continue;
        }
        if (TUNE_GATHER == kind) {
            tune_check(MPI_Irecv(t->recv + block, (int) bytes, MPI_BYTE, i, TUNE_TAG_DATA, t->comm,
                                 &t->requests[count++]),
                       "MPI_Irecv");
        } else {
            tune_check(MPI_Isend(t->send + block, (int) bytes, MPI_BYTE, i, TUNE_TAG_DATA, t->comm,
                                 &t->requests[count++]),
                       "MPI_Isend");
        }
    }
    if (TUNE_GATHER == kind) {
        memcpy(t->recv + own, t->send, bytes);
    } else {
        memcpy(t->recv, t->send + own, bytes);
    }
    tune_check(MPI_Waitall(count, t->requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

static void send_block(const tune_t *t, int to, size_t bytes)
{
    tune_check(MPI_Send(t->send, (int) bytes, MPI_BYTE, to, TUNE_TAG_DATA, t->comm), "MPI_Send");
}

static void receive_block(const tune_t *t, int from, size_t bytes)
{
    tune_check(
        MPI_Recv(t->recv, (int) bytes, MPI_BYTE, from, TUNE_TAG_DATA, t->comm, MPI_STATUS_IGNORE),
        "MPI_Recv");
}

/* One gather or scatter; the longest of what the processes' times are goes to rank 0. */
static double run_collective(tune_t *t, tune_kind_t kind, size_t bytes)
{
    const bool is_root = t->rank == t->options.root;
    double start, mine, longest = 0;

    tune_check(MPI_Barrier(t->comm), "MPI_Barrier");
    start = MPI_Wtime();
    if (is_root) {
        run_root(t, kind, bytes);
    } else if (TUNE_GATHER == kind) {
        send_block(t, t->options.root, bytes);
    } else {
        receive_block(t, t->options.root, bytes);
    }
    mine = MPI_Wtime() - start;
    if (TUNE_GATHER == kind && !is_root) {
        mine = 0; /* a sender is done before its block has arrived */
    }
    tune_check(MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, t->comm), "MPI_Reduce");
    return longest;
}

/* A message from the root to the peer and back; half of its time goes to rank 0. */
static double run_message(tune_t *t, size_t bytes, int peer)
{
    const int root = t->options.root;
    double seconds = 0;

    tune_check(MPI_Barrier(t->comm), "MPI_Barrier");
    if (t->rank == root) {
        const double start = MPI_Wtime();

        send_block(t, peer, bytes);
        receive_block(t, peer, bytes);
        seconds = (MPI_Wtime() - start) / 2;
        if (0 != root) {
            tune_check(MPI_Send(&seconds, 1, MPI_DOUBLE, 0, TUNE_TAG_REPORT, t->comm), "MPI_Send");
        }
    } else if (t->rank == peer) {
        receive_block(t, root, bytes);
        send_block(t, root, bytes);
    }
    if (0 == t->rank && 0 != root) {
        tune_check(
            MPI_Recv(&seconds, 1, MPI_DOUBLE, root, TUNE_TAG_REPORT, t->comm, MPI_STATUS_IGNORE),
            "MPI_Recv");
    }
    return seconds;
}

static double run(tune_t *t, tune_kind_t kind, size_t bytes, int peer)
{
    return TUNE_MESSAGE == kind ? run_message(t, bytes, peer) : run_collective(t, kind, bytes);
}

/* ---- announcements ---- */

static tune_probe_t probe_of(const long long word[WORDS])
{
    return (tune_probe_t){.kind = (tune_kind_t) word[WORD_KIND],
                          .bytes = (size_t) word[WORD_BYTES],
                          .count = (int) word[WORD_COUNT],
                          .inner = (int) word[WORD_INNER],
                          .active = (int) word[WORD_ACTIVE],
                          .from = (int) word[WORD_FROM],
                          .to = (int) word[WORD_TO]};
}

void tune_wait(MPI_Request *request)
{
    const double shortest = 50e-6, longest = 20e-3, share = 0.25, begin = MPI_Wtime();
    int done = 0;

    for (;;) {
        double pause;

        tune_check(MPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done) {
            return;
        }
        pause = share * (MPI_Wtime() - begin);
        pause = pause < shortest ? shortest : pause > longest ? longest : pause;
        (void) nanosleep(&(struct timespec){.tv_nsec = (long) (1e9 * pause)}, NULL);
    }
}

/* Rank 0: to those who have a part in it. */
static void announce(tune_t *t, const long long word[WORDS])
{
    const tune_probe_t probe = probe_of(word);
    int count = 0;

    for (int rank = 1; rank < t->ranks; rank++) {
        if (probe.kind <= TUNE_STOP || tune_takes_part(t, &probe, rank)) {
            tune_check(MPI_Isend(word, WORDS, MPI_LONG_LONG, rank, TUNE_TAG_ANNOUNCED, t->comm,
                                 &t->requests[count++]),
                       "MPI_Isend");
        }
    }
    tune_check(MPI_Waitall(count, t->requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

double tune_measure(tune_t *t, tune_kind_t kind, size_t bytes, int peer)
{
    long long word[WORDS] = {
        [WORD_KIND] = kind, [WORD_BYTES] = (long long) bytes, [WORD_TO] = peer};

    announce(t, word);
    return run(t, kind, bytes, peer);
}

void tune_probe(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    long long word[WORDS] = {[WORD_KIND] = probe->kind,    [WORD_BYTES] = (long long) probe->bytes,
                             [WORD_TO] = probe->to,        [WORD_FROM] = probe->from,
                             [WORD_COUNT] = probe->count,  [WORD_INNER] = probe->inner,
                             [WORD_ACTIVE] = probe->active};

    announce(t, word);
    tune_probe_run(t, probe, seconds);
}

void tune_stop(tune_t *t)
{
    long long word[WORDS] = {[WORD_KIND] = TUNE_STOP};

    announce(t, word);
}

/* One of the others does what was announced. */
static void serve(tune_t *t, const long long word[WORDS])
{
    const tune_probe_t probe = probe_of(word);

    if (probe.kind < TUNE_KINDS) {
        (void) run(t, probe.kind, probe.bytes, probe.to);
    } else {
        tune_probe_run(t, &probe, NULL);
    }
}

void tune_serve(tune_t *t)
{
    for (;;) {
        long long word[WORDS] = {0};
        MPI_Request request;

        tune_check(MPI_Irecv(word, WORDS, MPI_LONG_LONG, 0, TUNE_TAG_ANNOUNCED, t->comm, &request),
                   "MPI_Irecv");
        tune_wait(&request);
        if (TUNE_STOP == word[WORD_KIND]) {
            return;
        }
        serve(t, word);
    }
}
