/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node memory (see the header).
 */

#include "exec/napcoll_mailbox.h"

#include <stdlib.h>
#include <time.h>

#if defined(__linux__)
#    include <linux/futex.h>
#    include <sys/syscall.h>
#    include <unistd.h>
#endif

_Static_assert(sizeof(napcoll_note_t) == NAPCOLL_CACHE_LINE, "a note is a cache line");
_Static_assert(sizeof(napcoll_bell_t) == NAPCOLL_CACHE_PAIR, "a bell has its own cache lines");
_Static_assert(sizeof(napcoll_board_t) == NAPCOLL_CACHE_PAIR, "the board has its own cache lines");

/* ---- the region ---- */

static size_t rounded(size_t bytes)
{
    return (bytes + NAPCOLL_CACHE_PAIR - 1) / NAPCOLL_CACHE_PAIR * NAPCOLL_CACHE_PAIR;
}

/* The depth of a channel's mailboxes; the memory of channel 0 limits it. */
static uint32_t depth_of(int lanes, int channel)
{
    const size_t most = 256 * 1024, line = (size_t) lanes * (size_t) lanes * sizeof(napcoll_note_t);
    uint32_t depth = 0 == channel ? NAPCOLL_MAILBOX_MOST : NAPCOLL_MAILBOX_LEAST;

    while (depth > NAPCOLL_MAILBOX_LEAST && depth * line > most) {
        depth /= 2;
    }
    return depth;
}

static size_t mailbox_bytes(int lanes, int channel)
{
    return rounded((size_t) lanes * (size_t) lanes * depth_of(lanes, channel)
                   * sizeof(napcoll_note_t));
}

/* Of one receiver. */
static size_t taken_bytes(int lanes)
{
    return rounded((size_t) lanes * sizeof(uint32_t));
}

static size_t channel_bytes(int lanes, int channel)
{
    return mailbox_bytes(lanes, channel) + (size_t) lanes * taken_bytes(lanes);
}

/* The bytes of a sender's ring: an equal share of what all may take, between two bounds. */
static uint32_t ring_bytes(int lanes, size_t all, size_t least, size_t most)
{
    const size_t share = all / (size_t) lanes / NAPCOLL_CACHE_PAIR * NAPCOLL_CACHE_PAIR;
    const size_t enough = share < least ? least : share;

    return (uint32_t) (enough > most ? most : enough);
}

static uint32_t small_ring_bytes(int lanes)
{
    return ring_bytes(lanes, NAPCOLL_RINGS, NAPCOLL_RING_BYTES_LEAST, NAPCOLL_RING_BYTES_MOST);
}

static uint32_t large_ring_bytes(int lanes)
{
    return ring_bytes(lanes, NAPCOLL_LARGE_RINGS, NAPCOLL_LARGE_RING_LEAST,
                      NAPCOLL_LARGE_RING_MOST);
}

size_t napcoll_region_bytes(int lanes, int channels)
{
    size_t bytes = sizeof(napcoll_board_t)
                   + (size_t) lanes * (sizeof(napcoll_bell_t) + small_ring_bytes(lanes));

    for (int c = 0; c < channels; c++) {
        bytes += channel_bytes(lanes, c);
    }
    return bytes;
}

_Atomic uint32_t *napcoll_channel_taken(const napcoll_channel_t *channel, int receiver)
{
    return channel->taken
           + (size_t) receiver * taken_bytes(channel->region->lanes) / sizeof(*channel->taken);
}

static void open_channel(napcoll_region_t *region, int number, char *memory)
{
    napcoll_channel_t *channel = &region->channel[number];

    channel->region = region;
    channel->depth = depth_of(region->lanes, number);
    channel->pair = region->pairs + (size_t) region->lanes * (size_t) number;
    channel->line = (napcoll_note_t *) (void *) memory;
    channel->taken = (_Atomic uint32_t *) (void *) (memory + mailbox_bytes(region->lanes, number));
}

/* ---- rings ---- */

/* Look at the rings of all senders. The publications share the memory of their readers. */
static bool open_ring(napcoll_ring_t *ring, void *memory, int lanes, uint32_t bytes, uint32_t most)
{
    napcoll_reader_t *reader = calloc((size_t) lanes * NAPCOLL_RING_PUBLICATIONS, sizeof(*reader));

    if (NULL == reader) {
        return false;
    }
    *ring = (napcoll_ring_t){.memory = memory, .bytes = bytes, .most = most};
    for (size_t p = 0; p < NAPCOLL_RING_PUBLICATIONS; p++) {
        ring->publication[p].reader = reader + p * (size_t) lanes;
    }
    return true;
}

static void close_ring(napcoll_ring_t *ring)
{
    free(ring->publication[0].reader);
    *ring = (napcoll_ring_t){.memory = NULL};
}

size_t napcoll_large_rings_bytes(int lanes)
{
    return (size_t) lanes * large_ring_bytes(lanes);
}

bool napcoll_large_rings_open(napcoll_region_t *region, void *memory)
{
    const uint32_t bytes = large_ring_bytes(region->lanes);

    return open_ring(&region->large_ring, memory, region->lanes, bytes, bytes / 2);
}

void napcoll_large_rings_close(napcoll_region_t *region)
{
    close_ring(&region->large_ring);
}

/* ---- the region, opened ---- */

bool napcoll_region_open(napcoll_region_t *region, void *memory, int lanes, int lane, int channels,
                         bool sleeps)
{
    const size_t all = (size_t) lanes;
    char *at = memory;

    *region = (napcoll_region_t){
        .lanes = lanes, .lane = lane, .channels = channels, .sleeps = sleeps, .board = memory};
    region->channel = calloc((size_t) channels, sizeof(*region->channel));
    region->pairs = calloc(all * (size_t) channels, sizeof(*region->pairs));
    at += sizeof(*region->board);
    region->bell = (napcoll_bell_t *) (void *) at;
    at += all * sizeof(*region->bell);
    if (NULL == region->channel || NULL == region->pairs
        || !open_ring(&region->ring, at, lanes, small_ring_bytes(lanes), NAPCOLL_RING_MOST)) {
        napcoll_region_close(region);
        return false;
    }
    at += all * small_ring_bytes(lanes);
    for (int c = 0; c < channels; c++) {
        open_channel(region, c, at);
        at += channel_bytes(lanes, c);
    }
    return true;
}

void napcoll_region_close(napcoll_region_t *region)
{
    free(region->channel);
    free(region->pairs);
    close_ring(&region->ring);
    close_ring(&region->large_ring);
    *region = (napcoll_region_t){.channel = NULL};
}

void napcoll_board_answer(napcoll_region_t *region, uint32_t question, bool wanted)
{
    napcoll_board_t *board = region->board;

    if (wanted && 0 == atomic_load_explicit(&board->wanted, memory_order_relaxed)) {
        atomic_store_explicit(&board->wanted, question, memory_order_relaxed);
    }
    atomic_store_explicit(&board->answered, question, memory_order_release);
}

/* ---- bells ---- */

#if defined(__linux__)
/* Wake what sleeps at a bell. */
static void wake(napcoll_bell_t *bell)
{
    (void) syscall(SYS_futex, &bell->sleeping, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Returns at once where the bell was rung after it was announced. */
static void sleep_at(napcoll_bell_t *bell, const struct timespec *limit)
{
    (void) syscall(SYS_futex, &bell->sleeping, FUTEX_WAIT, 1, limit, NULL, 0);
}
#else
static void wake(napcoll_bell_t *bell)
{
    (void) bell;
}

/* Without futexes: give the processor away for a short time. */
static void sleep_at(napcoll_bell_t *bell, const struct timespec *limit)
{
    const struct timespec instant = {.tv_nsec = 50 * 1000};

    (void) bell;
    (void) limit;
    (void) nanosleep(&instant, NULL);
}
#endif

void napcoll_bell_ring(const napcoll_region_t *region, int lane)
{
    napcoll_bell_t *bell = &region->bell[lane];

    if (0 != atomic_load_explicit(&bell->sleeping, memory_order_relaxed)
        && 0 != atomic_exchange_explicit(&bell->sleeping, 0, memory_order_relaxed)) {
        wake(bell);
    }
}

void napcoll_bell_sleep(const napcoll_region_t *region, long microseconds)
{
    const struct timespec limit = {.tv_sec = microseconds / 1000000,
                                   .tv_nsec = microseconds % 1000000 * 1000};

    sleep_at(&region->bell[region->lane], &limit);
}

/* ---- send ---- */

/* Whether a lane has taken a note. Acquire: what is written from now on stays behind its reads. */
static inline bool has_taken(napcoll_channel_t *channel, int lane, uint32_t number)
{
    napcoll_pair_t *pair = &channel->pair[lane];

    if ((int32_t) (number - pair->acknowledged) > 0) {
        pair->acknowledged = atomic_load_explicit(
            napcoll_channel_taken(channel, lane) + channel->region->lane, memory_order_acquire);
    }
    return (int32_t) (number - pair->acknowledged) <= 0;
}

napcoll_note_t *napcoll_note_line(napcoll_channel_t *channel, int lane, uint32_t number)
{
    return channel->pair[lane].sent + 1 == number
                   && has_taken(channel, lane, number - channel->depth)
               ? napcoll_channel_mailbox(channel, lane, channel->region->lane)
                     + number % channel->depth
               : NULL;
}

void napcoll_note_post(napcoll_channel_t *channel, int lane, napcoll_note_t *note, uint32_t number)
{
    channel->pair[lane].sent = number;
    /* release: the receiver that sees the number sees the note */
    atomic_store_explicit(&note->number, number, memory_order_release);
}

/* ---- the ring ---- */

static inline napcoll_publication_t *publication(napcoll_ring_t *ring, uint32_t number)
{
    return &ring->publication[number % NAPCOLL_RING_PUBLICATIONS];
}

static void lock_ring(napcoll_ring_t *ring)
{
    while (atomic_flag_test_and_set_explicit(&ring->lock, memory_order_acquire)) {
        napcoll_bell_spin();
    }
}

static void unlock_ring(napcoll_ring_t *ring)
{
    atomic_flag_clear_explicit(&ring->lock, memory_order_release);
}

/* Whether all readers of a publication have taken their notes; a note that was not taken is one of
 * the `depth` after the latest that was, however many have passed since. Acquire: the bytes can be
 * overwritten then. */
static bool is_read(const napcoll_region_t *region, napcoll_publication_t *old)
{
    while (old->readers > 0) {
        const napcoll_reader_t *reader = &old->reader[old->readers - 1];
        const napcoll_channel_t *channel = &region->channel[reader->channel];
        const _Atomic uint32_t *taken = napcoll_channel_taken(channel, (int) reader->lane)
                                        + region->lane;

        if (reader->number - atomic_load_explicit(taken, memory_order_acquire) - 1
            < channel->depth) {
            return false;
        }
        old->readers--;
    }
    return true;
}

/* Where some bytes fit in a ring, between its newest publication and its oldest; ring->bytes: they
 * do not. */
static uint32_t find_room(napcoll_ring_t *ring, uint32_t bytes)
{
    uint32_t begin, end;

    if (ring->oldest == ring->next) {
        return 0;
    }
    begin = publication(ring, ring->next - 1)->end;
    end = publication(ring, ring->oldest)->begin;
    if (begin <= end) { /* it has wrapped around */
        return bytes <= end - begin ? begin : ring->bytes;
    }
    if (bytes <= ring->bytes - begin) {
        return begin;
    }
    return bytes <= end ? 0 : ring->bytes;
}

static void add_reader(const napcoll_channel_t *channel, napcoll_publication_t *to, int lane,
                       uint32_t number)
{
    const napcoll_region_t *region = channel->region;

    to->reader[to->readers++] = (napcoll_reader_t){
        .channel = (uint32_t) (channel - region->channel), .lane = (uint32_t) lane, number};
}

char *napcoll_ring_publish(napcoll_ring_t *ring, napcoll_channel_t *channel, int lane,
                           uint32_t number, size_t bytes, uint32_t *place, uint32_t *stamp)
{
    const uint32_t room = (uint32_t) ((bytes + NAPCOLL_CACHE_LINE - 1) / NAPCOLL_CACHE_LINE
                                      * NAPCOLL_CACHE_LINE);
    const napcoll_region_t *region = channel->region;
    napcoll_publication_t *made;

    lock_ring(ring);
    while (ring->oldest != ring->next && is_read(region, publication(ring, ring->oldest))) {
        ring->oldest++;
    }
    *place = ring->next - ring->oldest == NAPCOLL_RING_PUBLICATIONS ? ring->bytes
                                                                    : find_room(ring, room);
    if (ring->bytes != *place) {
        made = publication(ring, ring->next++);
        made->begin = *place;
        made->end = *place + room;
        made->readers = 0;
        add_reader(channel, made, lane, number);
        *stamp = ring->next;
    }
    unlock_ring(ring);
    return ring->bytes == *place ? NULL
                                 : ring->memory + (size_t) region->lane * ring->bytes + *place;
}

bool napcoll_ring_join(napcoll_ring_t *ring, napcoll_channel_t *channel, int lane, uint32_t number,
                       uint32_t stamp)
{
    napcoll_publication_t *latest = publication(ring, stamp - 1);
    bool joined;

    lock_ring(ring);
    joined = stamp == ring->next && latest->readers < channel->region->lanes;
    if (joined) {
        add_reader(channel, latest, lane, number);
    }
    unlock_ring(ring);
    return joined;
}

/* ---- receive ---- */

void napcoll_note_take(napcoll_channel_t *channel, int lane, uint32_t number)
{
    const napcoll_region_t *region = channel->region;

    channel->pair[lane].taken = number;
    /* release: the sender that sees this does not overwrite what was read before */
    atomic_store_explicit(napcoll_channel_taken(channel, region->lane) + lane, number,
                          memory_order_release);
}
