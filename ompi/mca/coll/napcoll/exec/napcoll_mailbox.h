/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node memory: messages between the processes of a node through memory that they share. No MPI in
 * here.
 *
 * A region belongs to one communicator on one node. Its processes are lanes. It is divided into
 * channels: messages of a channel between the same two lanes are received in the order in which
 * they were sent; channels do not order each other's messages.
 *
 *     region     a board                   what lane 0 wants the lanes to do at the same time
 *                a bell for each lane      where a process that sleeps is woken, and a record of
 *                                          its latest call
 *                a ring for each sender    bytes that are too many for a line; several notes can
 *                                          name the same bytes
 *                a large ring likewise     made later, for messages that do not fit into the ring
 *     channel    a mailbox for each pair   some lines, its depth, written by the sender; note k is
 *                (sender, receiver)        in line k mod depth
 *                acknowledgements          the latest note that a receiver has taken from each
 *                                          sender, written by the receiver
 *
 * A note says how its message goes: INLINE, in the line itself; RING or LARGE_RING, in one of the
 * sender's rings; or PML: it follows through Open MPI's point-to-point layer. The sender alone
 * decides that.
 *
 *     sender                                    receiver
 *     k <= taken + depth ?      (acquire)       number == k ?             (acquire)
 *     write payload, way, place, bytes          read them
 *     number = k                (release)       taken = k                 (release)
 *
 * Each acquire sees what was written before the release whose value it reads, on every processor:
 * the receiver sees the whole note, and the sender overwrites a line, or bytes of its ring, only
 * after the receiver has read them. Notes count from 1 and wrap around; they are compared by their
 * difference.
 *
 * A process that sleeps, and one that wakes it, each write first and then look at what the other
 * has written, with a sequentially consistent fence between: one of the two sees the other's.
 *
 *     sleeping = 1; fence; is there a note? no: futex_wait     number = k; fence; sleeping? wake
 *
 * A process that has several notes to write writes all before it wakes any other: one that is woken
 * may get the writer's processor, and the others would wait for the rest.
 *
 * That holds for one thread of a process: where another one has announced in between that it may
 * sleep, the first can sleep until its time is over. So a process sleeps only where one operation
 * is under way in it.
 *
 * A payload beside its number in one cache line is the idea of Open MPI's xhc; that gather and
 * release have flags of their own, and that a communicator gets its memory only after some calls,
 * is MPICH's release_gather. tests/spin/ has a model of the protocol.
 */

#ifndef NAPCOLL_MAILBOX_H
#define NAPCOLL_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NAPCOLL_NOTE_PAYLOAD = 48, /**< bytes in a line */
    NAPCOLL_MAILBOX_LEAST = 2, /**< lines of a mailbox; a power of two */
    NAPCOLL_MAILBOX_MOST = 16, /**< of a mailbox of channel 0; likewise */
    /* rings: of a sender, at most and at least, and of all senders where that is between. A call of
     * several messages, and the next one, must find room in it */
    NAPCOLL_RING_BYTES_MOST = 128 * 1024,
    NAPCOLL_RING_BYTES_LEAST = 32 * 1024,
    NAPCOLL_RINGS = 1024 * 1024,
    NAPCOLL_RING_MOST = 16 * 1024,  /**< of a message in the ring */
    NAPCOLL_RING_PUBLICATIONS = 16, /**< most pieces of a ring that are in use */
    /* large rings: of a sender, at most and at least, and of all senders where that is between */
    NAPCOLL_LARGE_RING_MOST = 1024 * 1024,
    NAPCOLL_LARGE_RING_LEAST = 64 * 1024,
    NAPCOLL_LARGE_RINGS = 8 * 1024 * 1024,
    NAPCOLL_CACHE_LINE = 64,
    NAPCOLL_CACHE_PAIR = 128 /**< processors fetch lines in pairs */
};

typedef enum {
    NAPCOLL_WAY_INLINE,
    NAPCOLL_WAY_RING,
    NAPCOLL_WAY_LARGE_RING,
    NAPCOLL_WAY_PML
} napcoll_way_t;

/** A line of a mailbox. */
typedef struct napcoll_note {
    /** of the latest note in this line */
    _Atomic uint32_t number;
    /** napcoll_way_t */
    uint32_t way;
    /** offset in the ring */
    uint32_t place;
    uint32_t bytes;
    char payload[NAPCOLL_NOTE_PAYLOAD];
} napcoll_note_t;

/** What lane 0 tells the others. It answers a question at points that all lanes count alike, and
 * they learn the answer at the next point: so they do the same at the same point, and wait for lane
 * 0 only where it is behind by all calls between two of them. */
typedef struct napcoll_board {
    /** questions that lane 0 has answered, and the first one with the answer yes; 0: none */
    _Atomic uint32_t answered, wanted;
    char rest[NAPCOLL_CACHE_PAIR - 2 * sizeof(uint32_t)];
} napcoll_board_t;

/** What a process did last in the region's communicator: it writes, the others read it for the
 * report of a stalled call. All zero: not known. */
typedef struct napcoll_record {
    /** number of its PID namespace, and in that its own */
    _Atomic uint64_t pid_namespace;
    _Atomic uint32_t pid;
    /** stage of the latest call, as of its latest look at the clock; 0: not known */
    _Atomic uint32_t stage;
    /** the latest call: number << 32 | function << 16 | calls under way */
    _Atomic uint64_t call;
    /** number of the latest persistent call; they count by themselves */
    _Atomic uint64_t persistent;
    /** when the latest call began or, with none under way, ended; CLOCK_MONOTONIC */
    _Atomic uint64_t milliseconds;
    char rest[NAPCOLL_CACHE_LINE - 4 * sizeof(uint64_t) - 2 * sizeof(uint32_t)];
} napcoll_record_t;

/** Where a process that sleeps is woken; and, in a line of its own, its record. */
typedef struct napcoll_bell {
    /** the process may sleep; the futex */
    _Atomic uint32_t sleeping;
    char rest[NAPCOLL_CACHE_LINE - sizeof(uint32_t)];
    napcoll_record_t record;
} napcoll_bell_t;

/** What a process knows of its messages to and from one lane, in a channel. */
typedef struct napcoll_pair {
    /** notes to the lane: that have a number, and that were written */
    uint32_t queued, sent;
    /** the latest acknowledgement seen */
    uint32_t acknowledged;
    /** notes from the lane: that are expected, and that were taken */
    uint32_t expected, taken;
} napcoll_pair_t;

/** A reader of a piece of the ring: a note that names it. */
typedef struct napcoll_reader {
    uint32_t channel;
    uint32_t lane;
    uint32_t number;
} napcoll_reader_t;

/** A piece of an own ring that is in use until all its readers have taken their notes. */
typedef struct napcoll_publication {
    uint32_t begin, end;
    int readers;
    /** [readers] of room for all lanes */
    napcoll_reader_t *reader;
} napcoll_publication_t;

/** An own ring. */
typedef struct napcoll_ring {
    /** [lanes][bytes] of all senders; NULL: there is none */
    char *memory;
    /** of a sender, and of the largest message */
    uint32_t bytes, most;
    /** a queue: the oldest is at `oldest` mod RING_PUBLICATIONS */
    napcoll_publication_t publication[NAPCOLL_RING_PUBLICATIONS];
    uint32_t oldest, next;
    /** held by the thread that uses the queue */
    atomic_flag lock;
} napcoll_ring_t;

struct napcoll_region;

/** A channel, as one process sees it. One thread at a time uses it. */
typedef struct napcoll_channel {
    struct napcoll_region *region;
    /** lines of a mailbox: many in channel 0, whose messages may come in a long stream */
    uint32_t depth;
    /** [receiver][sender][depth] */
    napcoll_note_t *line;
    /** [receiver][lanes, rounded up to a pair of cache lines] */
    _Atomic uint32_t *taken;
    /** [lanes] */
    napcoll_pair_t *pair;
    /** an error has left messages behind: it cannot be used any more */
    _Atomic bool broken;
    /** users queue up: the tickets given, and the one whose turn it is */
    uint32_t tickets;
    _Atomic uint32_t turn;
} napcoll_channel_t;

/** A region, as one process sees it. */
typedef struct napcoll_region {
    int lanes;
    int lane;
    int channels;
    /** processes may sleep: the node has more of them than processors */
    bool sleeps;
    napcoll_board_t *board;
    /** [lanes] */
    napcoll_bell_t *bell;
    napcoll_ring_t ring, large_ring;
    /** [channels] */
    napcoll_channel_t *channel;
    /** of all channels */
    napcoll_pair_t *pairs;
} napcoll_region_t;

/** The bytes of shared memory that a region takes. */
size_t napcoll_region_bytes(int lanes, int channels);

/**
 * Look at a region's memory, which was zero when the first process did.
 *
 * @param[out] region    of this process; napcoll_region_close frees what it holds
 * @param[in]  memory    [napcoll_region_bytes(lanes, channels)] at a multiple of a cache line;
 *                       borrowed
 * @param[in]  lanes     processes
 * @param[in]  lane      this one
 * @param[in]  channels  at least 1
 * @param[in]  sleeps    the same in all processes
 *
 * @return false when memory ran out
 */
bool napcoll_region_open(napcoll_region_t *region, void *memory, int lanes, int lane, int channels,
                         bool sleeps);

/** Free what a region holds, but not its shared memory. */
void napcoll_region_close(napcoll_region_t *region);

/** On lane 0: answer the next question. Release: with an answer its lane's memory is seen. */
void napcoll_board_answer(napcoll_region_t *region, uint32_t question, bool wanted);

/** Whether lane 0 has answered a question; questions count from 1. */
static inline bool napcoll_board_has_answer(const napcoll_region_t *region, uint32_t question)
{
    return (int32_t) (atomic_load_explicit(&region->board->answered, memory_order_acquire)
                      - question)
           >= 0;
}

/** Whether the answer to a question, or to one before it, was yes. It is there. */
static inline bool napcoll_board_wants(const napcoll_region_t *region, uint32_t question)
{
    const uint32_t wanted = atomic_load_explicit(&region->board->wanted, memory_order_relaxed);

    return 0 != wanted && wanted <= question;
}

/** The bytes of shared memory that the large rings of a region take. */
size_t napcoll_large_rings_bytes(int lanes);

/**
 * Give an open region large rings, before any process of it may send through them.
 *
 * @param[in,out] region  that has none
 * @param[in]     memory  [napcoll_large_rings_bytes(lanes)]; borrowed
 *
 * @return false when memory ran out
 */
bool napcoll_large_rings_open(napcoll_region_t *region, void *memory);

/** Free what a region holds for its large rings, through which nothing was sent. */
void napcoll_large_rings_close(napcoll_region_t *region);

/* ---- channels that several operations use one after the other ---- */

/** Queue up for a channel: for napcoll_channel_is_free_for. One thread at a time. */
static inline uint32_t napcoll_channel_queue(napcoll_channel_t *channel)
{
    return channel->tickets++;
}

/** Whether the users before have left the channel. Acquire: what they did in it is seen. */
static inline bool napcoll_channel_is_free_for(napcoll_channel_t *channel, uint32_t ticket)
{
    return ticket == atomic_load_explicit(&channel->turn, memory_order_acquire);
}

/** Leave a channel to the next user. */
static inline void napcoll_channel_leave(napcoll_channel_t *channel, uint32_t ticket)
{
    atomic_store_explicit(&channel->turn, ticket + 1, memory_order_release);
}

/* ---- send: queue, then, as soon as there is room, write and post ---- */

/** A number for the next note to a lane. */
static inline uint32_t napcoll_note_queue(napcoll_channel_t *channel, int lane)
{
    return ++channel->pair[lane].queued;
}

/** Where acknowledgements of a receiver begin. */
_Atomic uint32_t *napcoll_channel_taken(const napcoll_channel_t *channel, int receiver);

/** The first line of a mailbox. */
static inline napcoll_note_t *napcoll_channel_mailbox(const napcoll_channel_t *channel,
                                                      int receiver, int sender)
{
    return channel->line
           + ((size_t) receiver * (size_t) channel->region->lanes + (size_t) sender)
                 * channel->depth;
}

/** The line for note `number` to a lane, NULL: a note before was not written, or the line is in
 * use. */
napcoll_note_t *napcoll_note_line(napcoll_channel_t *channel, int lane, uint32_t number);

/**
 * Take room in an own ring for the bytes of a note.
 *
 * @param[in,out] ring     of the channel's region
 * @param[in,out] channel  of the note
 * @param[in]     lane     that reads it
 * @param[in]     number   of the note
 * @param[in]     bytes    at most ring->most
 * @param[out]    place    for the note
 * @param[out]    stamp    for napcoll_ring_join
 *
 * @return where to write the bytes; NULL: there is no room
 */
char *napcoll_ring_publish(napcoll_ring_t *ring, napcoll_channel_t *channel, int lane,
                           uint32_t number, size_t bytes, uint32_t *place, uint32_t *stamp);

/** Let a further note name the bytes that were published last in a ring. False where others were
 * published since. */
bool napcoll_ring_join(napcoll_ring_t *ring, napcoll_channel_t *channel, int lane, uint32_t number,
                       uint32_t stamp);

/** Post a note that is written. Its receiver may sleep: see napcoll_bell_ring. */
void napcoll_note_post(napcoll_channel_t *channel, int lane, napcoll_note_t *note, uint32_t number);

/* ---- receive: expect, and, as soon as it has come, read and take ---- */

/** The number of the next note from a lane. */
static inline uint32_t napcoll_note_expect(napcoll_channel_t *channel, int lane)
{
    return ++channel->pair[lane].expected;
}

/** Whether all notes from a lane before this one were taken. */
static inline bool napcoll_note_is_next(const napcoll_channel_t *channel, int lane, uint32_t number)
{
    return channel->pair[lane].taken + 1 == number;
}

/** Note `number` from a lane; NULL: one before was not taken, or it has not come. */
static inline const napcoll_note_t *napcoll_note_look(const napcoll_channel_t *channel, int lane,
                                                      uint32_t number)
{
    const napcoll_note_t *note = napcoll_channel_mailbox(channel, channel->region->lane, lane)
                                 + number % channel->depth;

    return napcoll_note_is_next(channel, lane, number)
                   && atomic_load_explicit(&note->number, memory_order_acquire) == number
               ? note
               : NULL;
}

/** The bytes that a note brings, of any way but PML. */
static inline const char *napcoll_note_bytes(const napcoll_channel_t *channel, int lane,
                                             const napcoll_note_t *note)
{
    const napcoll_region_t *region = channel->region;
    const napcoll_ring_t *ring = NAPCOLL_WAY_RING == note->way ? &region->ring
                                                               : &region->large_ring;

    return NAPCOLL_WAY_INLINE == note->way
               ? note->payload
               : ring->memory + (size_t) lane * ring->bytes + note->place;
}

/** A note was read: its line and its bytes can be used again. Its sender may sleep: see
 * napcoll_bell_ring. */
void napcoll_note_take(napcoll_channel_t *channel, int lane, uint32_t number);

/* ---- sleep: announce, look at everything again, then sleep or go on ---- */

/** Spin once without keeping a hardware thread's neighbour from working. */
static inline void napcoll_bell_spin(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/**
 * Wake a lane if it sleeps, after notes or acknowledgements were written for it and a fence
 * (napcoll_bell_fence); one fence is enough for many. A process that is woken may take the
 * processor at once, so all that a process has to write comes first.
 */
void napcoll_bell_ring(const napcoll_region_t *region, int lane);

/** What stands between writing to others and a look at their bells. */
static inline void napcoll_bell_fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

/** Announce that this process may sleep. */
static inline void napcoll_bell_announce(const napcoll_region_t *region)
{
    atomic_store_explicit(&region->bell[region->lane].sleeping, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

/** Sleep until a note or an acknowledgement comes, a signal, or some microseconds are over. */
void napcoll_bell_sleep(const napcoll_region_t *region, long microseconds);

#endif /* NAPCOLL_MAILBOX_H */
