/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Messages through node memory (exec/napcoll_mailbox.h), for round trips between pairs of
 * processes. Their memory is a window that each node shares: a region for the pair that is alone,
 * and one for each pair where all are busy.
 */

#include <sched.h>

#include "tune/napcoll_tune.h"

/* lanes of a region */
enum { PINGER, PEER, LANES };

/* Bytes of a pair, a multiple of NAPCOLL_CACHE_PAIR. */
static size_t pair_bytes(void)
{
    const size_t bytes = napcoll_region_bytes(LANES, 1) + NAPCOLL_CACHE_PAIR - 1;

    return bytes - bytes % NAPCOLL_CACHE_PAIR;
}

/* Allocate the window on the processes of a node. False where it cannot be had. */
static bool allocate(const MPI_Comm node, size_t bytes, MPI_Win *window)
{
    MPI_Errhandler handler;
    void *memory;
    int rank, rc;

    napcoll_check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    napcoll_check(MPI_Comm_get_errhandler(node, &handler), "MPI_Comm_get_errhandler");
    napcoll_check(MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    rc = MPI_Win_allocate_shared(0 == rank ? (MPI_Aint) bytes : 0, 1, MPI_INFO_NULL, node, &memory,
                                 window);
    napcoll_check(MPI_Comm_set_errhandler(node, handler), "MPI_Comm_set_errhandler");
    napcoll_check(MPI_Errhandler_free(&handler), "MPI_Errhandler_free");
    if (MPI_SUCCESS != rc) {
        *window = MPI_WIN_NULL;
    }
    return MPI_SUCCESS == rc;
}

void tune_memory_open(tune_t *t)
{
    const MPI_Comm node = t->measure.start.node;
    tune_memory_t *memory = &t->memory;
    MPI_Aint size;
    size_t bytes;
    int unit, rank, ppn, has;
    char *at;

    memory->window = MPI_WIN_NULL;
    napcoll_check(MPI_Comm_size(node, &ppn), "MPI_Comm_size");
    bytes = (size_t) (1 + ppn / 2) * pair_bytes() + NAPCOLL_CACHE_PAIR;
    has = allocate(node, bytes, &memory->window);
    napcoll_check(MPI_Allreduce(MPI_IN_PLACE, &has, 1, MPI_INT, MPI_MIN, t->comm), "MPI_Allreduce");
    if (!has) {
        return;
    }
    napcoll_check(MPI_Win_shared_query(memory->window, 0, &size, &unit, &at),
                  "MPI_Win_shared_query");
    napcoll_check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    if (0 == rank) {
        memset(at, 0, bytes);
    }
    napcoll_check(MPI_Barrier(node), "MPI_Barrier");
    memory->shared = at + (NAPCOLL_CACHE_PAIR - (uintptr_t) at % NAPCOLL_CACHE_PAIR);
}

void tune_memory_close(tune_t *t)
{
    napcoll_region_close(&t->memory.region[0]);
    napcoll_region_close(&t->memory.region[1]);
    if (MPI_WIN_NULL != t->memory.window) {
        napcoll_check(MPI_Win_free(&t->memory.window), "MPI_Win_free");
    }
}

/* The channel between the processes of a probe, and the lane of the other one. */
static napcoll_channel_t *channel_of(tune_t *t, const tune_probe_t *probe, int *lane)
{
    const bool alone = probe->from >= 0;
    const size_t place = alone ? 0 : 1 + (size_t) t->node.lane_of[t->rank] / 2;
    napcoll_region_t *region = &t->memory.region[alone ? 0 : 1];
    bool is_pinger;
    int from, to;

    (void) tune_find_pair(t, probe, t->rank, &from, &to);
    is_pinger = t->rank == from;
    if (NULL == region->channel
        && !napcoll_region_open(region, t->memory.shared + place * pair_bytes(), LANES,
                                is_pinger ? PINGER : PEER, 1, false)) {
        napcoll_out_of_memory();
    }
    *lane = is_pinger ? PEER : PINGER;
    return region->channel;
}

/* Wait a little, for the turn-th time: on a busy machine the other one may need the processor. */
static void idle(const tune_t *t, unsigned turn)
{
    enum { SPINS = 256 };

    if (t->node.oversubscribed || SPINS - 1 == turn % SPINS) {
        (void) sched_yield();
    } else {
        napcoll_bell_spin();
    }
}

void tune_memory_send(tune_t *t, const tune_probe_t *probe, const char *data)
{
    int lane;
    napcoll_channel_t *channel = channel_of(t, probe, &lane);
    const uint32_t number = napcoll_note_queue(channel, lane);
    napcoll_note_t *note;
    unsigned turn = 0;
    uint32_t stamp;
    char *to;

    while (NULL == (note = napcoll_note_line(channel, lane, number))) {
        idle(t, turn++);
    }
    note->bytes = (uint32_t) probe->bytes;
    note->way = probe->bytes <= NAPCOLL_NOTE_PAYLOAD ? NAPCOLL_WAY_INLINE : NAPCOLL_WAY_RING;
    to = note->payload;
    while (NAPCOLL_WAY_RING == note->way
           && NULL
                  == (to = napcoll_ring_publish(channel, lane, number, probe->bytes, &note->place,
                                                &stamp))) {
        idle(t, turn++);
    }
    memcpy(to, data, probe->bytes);
    napcoll_note_post(channel, lane, note, number);
}

void tune_memory_receive(tune_t *t, const tune_probe_t *probe, char *data)
{
    int lane;
    napcoll_channel_t *channel = channel_of(t, probe, &lane);
    const uint32_t number = napcoll_note_expect(channel, lane);
    const napcoll_note_t *note;
    unsigned turn = 0;

    while (NULL == (note = napcoll_note_look(channel, lane, number))) {
        idle(t, turn++);
    }
    memcpy(data, napcoll_note_bytes(channel, lane, note), note->bytes);
    napcoll_note_take(channel, lane, number);
}
