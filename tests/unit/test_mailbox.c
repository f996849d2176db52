/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node memory: notes come once, whole and in order, also where their numbers wrap around; bytes in
 * a ring stay until all their readers have read them; sleepers are woken. Threads stand for
 * processes.
 */

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/napcoll_mailbox.c"
#include "select/napcoll_select.h"

enum { LANES = 3, CHANNELS = 2, NOTES = 20000 };

/* The shared memory, and what each lane knows. */
typedef struct {
    void *memory, *large;
    napcoll_region_t region[LANES];
} node_t;

static void *zeroed(size_t bytes)
{
    void *memory = aligned_alloc(NAPCOLL_CACHE_PAIR, bytes);

    assert_non_null(memory);
    return memset(memory, 0, bytes);
}

static void open_node(node_t *node, bool sleeps)
{
    node->memory = zeroed(napcoll_region_bytes(LANES, CHANNELS));
    node->large = zeroed(napcoll_large_rings_bytes(LANES));
    for (int lane = 0; lane < LANES; lane++) {
        assert_true(
            napcoll_region_open(&node->region[lane], node->memory, LANES, lane, CHANNELS, sleeps));
        assert_true(napcoll_large_rings_open(&node->region[lane], node->large));
    }
}

static void close_node(node_t *node)
{
    for (int lane = 0; lane < LANES; lane++) {
        napcoll_region_close(&node->region[lane]);
    }
    free(node->memory);
    free(node->large);
}

/* The kinds of rings. */
static const napcoll_way_t way[] = {NAPCOLL_WAY_RING, NAPCOLL_WAY_LARGE_RING};
enum { WAYS = sizeof(way) / sizeof(way[0]) };

static napcoll_ring_t *ring_of(napcoll_channel_t *channel, napcoll_way_t kind)
{
    napcoll_region_t *region = channel->region;

    return NAPCOLL_WAY_RING == kind ? &region->ring : &region->large_ring;
}

/* Let the numbers of all notes go on after `last`. */
static void begin_after(node_t *node, uint32_t last)
{
    for (int lane = 0; lane < LANES; lane++) {
        for (int c = 0; c < CHANNELS; c++) {
            napcoll_channel_t *channel = &node->region[lane].channel[c];

            for (int peer = 0; peer < LANES; peer++) {
                channel->pair[peer] = (napcoll_pair_t){last, last, last, last, last};
                for (uint32_t d = 0; d < channel->depth; d++) {
                    napcoll_note_t *line = napcoll_channel_mailbox(channel, lane, peer);

                    atomic_store(&line[(last - d) % channel->depth].number, last - d);
                }
                atomic_store(napcoll_channel_taken(channel, lane) + peer, last);
            }
        }
    }
}

/* Send a note of one number, if there is room. */
static bool send(napcoll_channel_t *channel, int lane, uint32_t number, uint32_t value)
{
    napcoll_note_t *note = napcoll_note_line(channel, lane, number);

    if (NULL != note) {
        note->way = NAPCOLL_WAY_INLINE;
        note->bytes = sizeof(value);
        memcpy(note->payload, &value, sizeof(value));
        napcoll_note_post(channel, lane, note, number);
    }
    return NULL != note;
}

static bool receive(napcoll_channel_t *channel, int lane, uint32_t number, uint32_t *value)
{
    const napcoll_note_t *note = napcoll_note_look(channel, lane, number);

    if (NULL != note) {
        memcpy(value, napcoll_note_bytes(channel, lane, note), sizeof(*value));
        napcoll_note_take(channel, lane, number);
    }
    return NULL != note;
}

static void check_order(uint32_t last)
{
    node_t node;
    napcoll_channel_t *from, *to;
    uint32_t sent[4], expected[4], value = 0;

    open_node(&node, false);
    begin_after(&node, last);
    from = &node.region[0].channel[1];
    to = &node.region[2].channel[1];
    for (uint32_t i = 0; i < 4; i++) {
        sent[i] = napcoll_note_queue(from, 2);
        expected[i] = napcoll_note_expect(to, 0);
        assert_int_equal(sent[i], last + 1 + i);
        assert_int_equal(expected[i], sent[i]);
    }
    assert_false(receive(to, 0, expected[0], &value));
    /* not before the first */
    assert_false(send(from, 2, sent[1], 11));
    assert_true(send(from, 2, sent[0], 10));
    assert_true(send(from, 2, sent[1], 11));
    /* both lines are in use */
    assert_false(send(from, 2, sent[2], 12));
    assert_false(receive(to, 0, expected[1], &value));
    assert_true(receive(to, 0, expected[0], &value));
    assert_int_equal(value, 10);
    assert_true(send(from, 2, sent[2], 12));
    assert_false(send(from, 2, sent[3], 13));
    assert_true(receive(to, 0, expected[1], &value));
    assert_int_equal(value, 11);
    assert_true(receive(to, 0, expected[2], &value));
    assert_int_equal(value, 12);
    /* other channels and other lanes have had nothing */
    assert_false(receive(&node.region[2].channel[0], 0, last + 1, &value));
    assert_false(receive(&node.region[1].channel[1], 0, last + 1, &value));
    close_node(&node);
}

static void notes_come_in_order(void **state)
{
    (void) state;
    check_order(0);
}

static void numbers_wrap_around(void **state)
{
    (void) state;
    for (uint32_t before = 0; before < 5; before++) {
        check_order(UINT32_MAX - before);
    }
}

static void check_readers(napcoll_way_t kind)
{
    uint32_t first, other, place, stamp, number, pieces;
    napcoll_channel_t *from, *reader[LANES];
    napcoll_ring_t *ring;
    size_t bytes;
    node_t node;
    char *at;

    open_node(&node, false);
    from = &node.region[0].channel[0];
    ring = ring_of(from, kind);
    bytes = ring->most;
    pieces = ring->bytes / ring->most;
    for (int lane = 1; lane < LANES; lane++) {
        reader[lane] = &node.region[lane].channel[0];
    }
    number = napcoll_note_queue(from, 1);
    assert_int_equal(number, napcoll_note_queue(from, 2));
    at = napcoll_ring_publish(ring, from, 1, number, bytes, &first, &stamp);
    assert_non_null(at);
    assert_true(napcoll_ring_join(ring, from, 2, number, stamp));
    memset(at, 7, bytes);
    for (uint32_t piece = 1; piece < pieces; piece++) {
        assert_non_null(napcoll_ring_publish(ring, from, 1, number + piece, bytes, &other, &place));
        assert_int_not_equal(first, other);
    }
    /* no more the latest */
    assert_false(napcoll_ring_join(ring, from, 2, number, stamp));
    assert_null(napcoll_ring_publish(ring, from, 1, number + pieces, 64, &place, &stamp));
    napcoll_note_take(reader[1], 0, number);
    assert_null(napcoll_ring_publish(ring, from, 1, number + pieces, 64, &place, &stamp));
    napcoll_note_take(reader[2], 0, number);
    assert_non_null(napcoll_ring_publish(ring, from, 1, number + pieces, 64, &place, &stamp));
    assert_int_equal(place, first);
    close_node(&node);
}

static void bytes_in_a_ring_stay_until_all_have_read(void **state)
{
    (void) state;
    for (int i = 0; i < WAYS; i++) {
        check_readers(way[i]);
    }
}

/* Pieces of many sizes, read in the order of their notes, are never written while they are in
 * use. */
static void use_ring(napcoll_way_t kind, int rounds)
{
    enum { IN_USE = 7 };
    uint32_t number = 0, taken = 0, stamp, place[IN_USE] = {0};
    size_t size[IN_USE] = {0};
    napcoll_channel_t *from, *to;
    napcoll_note_t note = {.way = kind};
    napcoll_ring_t *ring;
    int refused = 0;
    node_t node;

    open_node(&node, false);
    from = &node.region[0].channel[1];
    to = &node.region[1].channel[1];
    ring = ring_of(from, kind);
    for (int round = 0; round < rounds; round++) {
        const size_t bytes = 64 + (size_t) round * 7919 % (ring->most - 64);
        const int i = (int) ((number + 1) % IN_USE);
        char *at = number - taken == IN_USE
                       ? NULL
                       : napcoll_ring_publish(ring, from, 1, number + 1, bytes, &place[i], &stamp);

        if (NULL != at) {
            number++;
            size[i] = bytes;
            memset(at, (int) (number % 251), bytes);
            assert_true(place[i] + bytes <= ring->bytes);
            continue;
        }
        refused++;
        /* an empty ring has room */
        assert_true((int32_t) (number - taken) > 0);
        taken++;
        note.place = place[taken % IN_USE];
        for (size_t b = 0; b < size[taken % IN_USE]; b++) {
            assert_int_equal((unsigned char) napcoll_note_bytes(to, 0, &note)[b], taken % 251);
        }
        napcoll_note_take(to, 0, taken);
    }
    assert_true(refused > 100 && number > 100);
    close_node(&node);
}

static void rings_are_used_again_and_again(void **state)
{
    (void) state;
    use_ring(NAPCOLL_WAY_RING, 3000);
    use_ring(NAPCOLL_WAY_LARGE_RING, 500);
}

/* A region of very many lanes has smaller rings. */
static void rings_share_their_memory(void **state)
{
    const size_t others = napcoll_region_bytes(16, 1) - NAPCOLL_RINGS;

    (void) state;
    assert_in_range(others, 1, 16 * NAPCOLL_RING_BYTES_LEAST);
    assert_in_range(napcoll_region_bytes(2, 1), 2 * NAPCOLL_RING_BYTES_MOST,
                    3 * NAPCOLL_RING_BYTES_MOST);
    assert_int_equal(napcoll_large_rings_bytes(2), 2 * NAPCOLL_LARGE_RING_MOST);
    assert_int_equal(napcoll_large_rings_bytes(16), NAPCOLL_LARGE_RINGS);
    assert_int_equal(napcoll_large_rings_bytes(1000), (size_t) 1000 * NAPCOLL_LARGE_RING_LEAST);
}

/* The estimates know the largest message of a large ring, half of it. */
static void the_model_knows_large_rings(void **state)
{
    (void) state;
    for (int lanes = 1; lanes <= 200; lanes++) {
        const napcoll_node_map_t map = {.size = lanes, .nodes = 1, .max_ppn = lanes};
        const double half = (double) napcoll_large_rings_bytes(lanes) / lanes / 2;
        const double known = napcoll_select_large_rings(NAPCOLL_GOAL_REDUCE, &map);

        assert_true(known >= half && known < half + NAPCOLL_CACHE_PAIR);
        assert_true(napcoll_select_large_rings(NAPCOLL_GOAL_SCAN, &map) <= 0);
    }
}

/* Lanes learn the answer to a question, and only from that question on. */
static void the_board_tells_what_lane_0_wants(void **state)
{
    node_t node;
    napcoll_region_t *lane;

    (void) state;
    open_node(&node, false);
    lane = &node.region[1];
    assert_false(napcoll_board_has_answer(lane, 1));
    for (uint32_t question = 1; question <= 5; question++) {
        napcoll_board_answer(&node.region[0], question, question >= 3);
        assert_true(napcoll_board_has_answer(lane, question));
        assert_false(napcoll_board_has_answer(lane, question + 1));
        assert_false(napcoll_board_wants(lane, 2));
        assert_int_equal(napcoll_board_wants(lane, question), question >= 3);
    }
    /* a lane that is behind */
    assert_true(napcoll_board_has_answer(lane, 2));
    assert_true(napcoll_board_wants(lane, 3));
    close_node(&node);
}

/* ---- threads ---- */

typedef struct {
    napcoll_channel_t *channel;
    int to, from;
    uint32_t wrong;
} thread_t;

/* Wait for something; `can` looks at it. */
static void wait_for(const napcoll_channel_t *channel, bool (*can)(void *), void *what)
{
    const napcoll_region_t *region = channel->region;

    while (!can(what)) {
        if (region->sleeps) {
            napcoll_bell_announce(region);
            if (can(what)) {
                return;
            }
            /* longer than the test: a wake-up that is lost is seen */
            napcoll_bell_sleep(region, 30L * 1000 * 1000);
        } else {
            (void) sched_yield();
        }
    }
}

typedef struct {
    napcoll_channel_t *channel;
    int lane;
    uint32_t number;
} awaited_t;

static bool can_send(void *what)
{
    const awaited_t *a = what;

    return NULL != napcoll_note_line(a->channel, a->lane, a->number);
}

static bool can_receive(void *what)
{
    const awaited_t *a = what;

    return NULL != napcoll_note_look(a->channel, a->lane, a->number);
}

/* Pass notes on from one lane to the next, large ones by the ring; lane 0 makes them up. */
static void *pass_notes(void *argument)
{
    thread_t *thread = argument;
    napcoll_channel_t *channel = thread->channel;
    char bytes[256];

    for (uint32_t i = 0; i < NOTES; i++) {
        awaited_t in = {channel, thread->from, i + 1}, out = {channel, thread->to, i + 1};
        const size_t size = 0 == i % 3 ? sizeof(bytes) : sizeof(i);
        uint32_t value = i, place, stamp;
        napcoll_note_t *note;
        char *at;

        if (0 != channel->region->lane) {
            const napcoll_note_t *come;

            wait_for(channel, can_receive, &in);
            come = napcoll_note_look(channel, thread->from, i + 1);
            memcpy(bytes, napcoll_note_bytes(channel, thread->from, come), come->bytes);
            memcpy(&value, bytes + come->bytes - sizeof(value), sizeof(value));
            thread->wrong += come->bytes != size || value != i;
            napcoll_note_take(channel, thread->from, i + 1);
            napcoll_bell_fence();
            napcoll_bell_ring(channel->region, thread->from);
        }
        if (thread->to >= LANES) {
            continue;
        }
        wait_for(channel, can_send, &out);
        note = napcoll_note_line(channel, thread->to, i + 1);
        note->bytes = (uint32_t) size;
        note->way = size > NAPCOLL_NOTE_PAYLOAD ? way[i % WAYS] : NAPCOLL_WAY_INLINE;
        at = note->payload;
        if (NAPCOLL_WAY_INLINE != note->way) {
            at = napcoll_ring_publish(ring_of(channel, note->way), channel, thread->to, i + 1, size,
                                      &place, &stamp);
            note->place = place;
        }
        memset(at, (int) i, size - sizeof(value));
        memcpy(at + size - sizeof(value), &value, sizeof(value));
        napcoll_note_post(channel, thread->to, note, i + 1);
        napcoll_bell_fence();
        napcoll_bell_ring(channel->region, thread->to);
    }
    return NULL;
}

static void pass_by_threads(bool sleeps)
{
    pthread_t id[LANES];
    thread_t thread[LANES];
    node_t node;

    open_node(&node, sleeps);
    for (int lane = 0; lane < LANES; lane++) {
        thread[lane] = (thread_t){&node.region[lane].channel[0], lane + 1, lane - 1, 0};
        assert_int_equal(pthread_create(&id[lane], NULL, pass_notes, &thread[lane]), 0);
    }
    for (int lane = 0; lane < LANES; lane++) {
        assert_int_equal(pthread_join(id[lane], NULL), 0);
        assert_int_equal(thread[lane].wrong, 0);
    }
    close_node(&node);
}

static void notes_come_whole_between_threads(void **state)
{
    (void) state;
    pass_by_threads(false);
}

static void sleepers_are_woken(void **state)
{
    (void) state;
    pass_by_threads(true);
}

static void users_of_a_channel_queue_up(void **state)
{
    napcoll_channel_t *channel;
    uint32_t first, second, third;
    node_t node;

    (void) state;
    open_node(&node, false);
    channel = &node.region[1].channel[1];
    first = napcoll_channel_queue(channel);
    second = napcoll_channel_queue(channel);
    third = napcoll_channel_queue(channel);
    assert_true(napcoll_channel_is_free_for(channel, first));
    assert_false(napcoll_channel_is_free_for(channel, second));
    napcoll_channel_leave(channel, first);
    assert_true(napcoll_channel_is_free_for(channel, second));
    assert_false(napcoll_channel_is_free_for(channel, third));
    napcoll_channel_leave(channel, second);
    assert_true(napcoll_channel_is_free_for(channel, third));
    close_node(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_come_in_order),
        cmocka_unit_test(numbers_wrap_around),
        cmocka_unit_test(bytes_in_a_ring_stay_until_all_have_read),
        cmocka_unit_test(rings_are_used_again_and_again),
        cmocka_unit_test(rings_share_their_memory),
        cmocka_unit_test(the_model_knows_large_rings),
        cmocka_unit_test(the_board_tells_what_lane_0_wants),
        cmocka_unit_test(notes_come_whole_between_threads),
        cmocka_unit_test(sleepers_are_woken),
        cmocka_unit_test(users_of_a_channel_queue_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
