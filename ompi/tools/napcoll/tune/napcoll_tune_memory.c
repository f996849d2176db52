/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Messages through node memory (exec/napcoll_mailbox.h): round trips between two processes, and
 * shifts, in which each process of a node sends to the next one. Their memory is a window that each
 * node shares: a region for the two, and one for all.
 */

#include <sched.h>

#include "tune/napcoll_tune.h"

/* The regions of a node, and the lanes of the first. */
enum { OF_TWO, OF_ALL };
enum { PINGER, PEER, LANES };

/* Bytes of a region, a multiple of NAPCOLL_CACHE_PAIR. */
static size_t bytes_of(int lanes)
{
    const size_t bytes = napcoll_region_bytes(lanes, 1) + NAPCOLL_CACHE_PAIR - 1;

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
    bytes = bytes_of(LANES) + bytes_of(ppn) + NAPCOLL_CACHE_PAIR;
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
    napcoll_region_close(&t->memory.region[OF_TWO]);
    napcoll_region_close(&t->memory.region[OF_ALL]);
    if (MPI_WIN_NULL != t->memory.window) {
        napcoll_check(MPI_Win_free(&t->memory.window), "MPI_Win_free");
    }
}

/* The lane of a process in the region of a probe. */
static int lane_of(const tune_t *t, const tune_probe_t *probe, int rank)
{
    if (probe->from < 0) {
        return t->node.lane_of[rank];
    }
    return rank == probe->from ? PINGER : PEER;
}

/* The channel of a probe, and the lane of the process to which this one sends, or from which it
 * receives. */
static napcoll_channel_t *channel_of(tune_t *t, const tune_probe_t *probe, bool sends, int *lane)
{
    const bool shifts = probe->from < 0;
    const int lanes = shifts ? tune_ppn(&t->node, t->node.node_of[t->rank]) : LANES;
    napcoll_region_t *region = &t->memory.region[shifts ? OF_ALL : OF_TWO];
    int to, from;

    if (NULL == region->channel
        && !napcoll_region_open(region, t->memory.shared + (shifts ? bytes_of(LANES) : 0), lanes,
                                lane_of(t, probe, t->rank), 1, false)) {
        napcoll_out_of_memory();
    }
    (void) tune_find_peers(t, probe, t->rank, &to, &from);
    *lane = lane_of(t, probe, sends ? to : from);
    return region->channel;
}

/* Wait a little, for the turn-th time: on a busy machine the other one may need the processor. In a
 * shift processes wait as they do for messages between nodes: each looks at the network, too. */
static void idle(const tune_t *t, const tune_probe_t *probe, unsigned turn)
{
    enum { SPINS = 256 };
    int any;

    if (probe->from < 0) {
        napcoll_check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->comm, &any, MPI_STATUS_IGNORE),
                      "MPI_Iprobe");
    }
    if (t->node.oversubscribed || SPINS - 1 == turn % SPINS) {
        (void) sched_yield();
    } else {
        napcoll_bell_spin();
    }
}

void tune_memory_send(tune_t *t, const tune_probe_t *probe, const char *data)
{
    int lane;
    napcoll_channel_t *channel = channel_of(t, probe, true, &lane);
    const uint32_t number = napcoll_note_queue(channel, lane);
    napcoll_note_t *note;
    unsigned turn = 0;
    uint32_t stamp;
    char *to;

    while (NULL == (note = napcoll_note_line(channel, lane, number))) {
        idle(t, probe, turn++);
    }
    note->bytes = (uint32_t) probe->bytes;
    note->way = probe->bytes <= NAPCOLL_NOTE_PAYLOAD ? NAPCOLL_WAY_INLINE : NAPCOLL_WAY_RING;
    to = note->payload;
    while (NAPCOLL_WAY_RING == note->way
           && NULL
                  == (to = napcoll_ring_publish(&channel->region->ring, channel, lane, number,
                                                probe->bytes, &note->place, &stamp))) {
        idle(t, probe, turn++);
    }
    memcpy(to, data, probe->bytes);
    napcoll_note_post(channel, lane, note, number);
}

void tune_memory_receive(tune_t *t, const tune_probe_t *probe, char *data)
{
    int lane;
    napcoll_channel_t *channel = channel_of(t, probe, false, &lane);
    const uint32_t number = napcoll_note_expect(channel, lane);
    const napcoll_note_t *note;
    unsigned turn = 0;

    while (NULL == (note = napcoll_note_look(channel, lane, number))) {
        idle(t, probe, turn++);
    }
    memcpy(data, napcoll_note_bytes(channel, lane, note), note->bytes);
    napcoll_note_take(channel, lane, number);
}
