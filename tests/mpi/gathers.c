/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Allgather or MPI_Allgatherv by one of napcoll's algorithms against a formula: blocks of any
 * size, types that differ between sender and receiver, blocks in any order with gaps that must
 * stay, in place, subcommunicators. Options: see collective.h. Bytes are of one process, on
 * average; --large counts the numbers of all.
 */
#include "collective.h"
#include "layouts.h"

/* A multiple of the parts of all layouts, and beyond 100 bytes */
enum { SOME = 100 };

/* How much each rank gives; allgather knows but the first. */
enum deal { EVEN, THREE_SIZES, TWO_SIZES, LAST_GIVES_ALL, NUM_DEALS };

/* One call. Numbers are doubles; block is a multiple of the parts of both layouts. */
struct shape {
    /* May differ between ranks */
    const struct layout *send, *recv;
    enum deal deal;
    /* May differ between ranks */
    enum order order;
    int block;
    bool in_place;
    /* Makes the numbers differ from other calls' */
    int salt;
};

static double number(int rank, int salt, int i)
{
    return rank * 1048576.0 + i + salt / 1024.0;
}

/* How many numbers a rank gives. */
static int given(const struct shape *s, int rank, int size)
{
    switch (s->deal) {
    case EVEN:
        return s->block;
    case THREE_SIZES: /* one of them 0 */
        return rank % 3 * s->block;
    case TWO_SIZES:
        return (1 + rank % 2) * s->block;
    default:
        return rank == size - 1 ? s->block : 0;
    }
}

/* Which number of the receive buffer the block of a rank begins at, counted from the buffer's
 * address. */
static int begin_of(const struct shape *s, int rank, int size)
{
    return block_begin(s, given, s->order, s->block, rank, size);
}

/* Numbers of the receive buffer before its address, and in all. */
static int room_before(const struct shape *s, int size)
{
    return blocks_before(s->order, s->block, size);
}

static int room(const struct shape *s, int size)
{
    return blocks_room(s, given, s->order, s->block, size);
}

/* Writes the block of a rank as it lies in the receive buffer, whose room begins here. */
static void store_block(const struct shape *s, char *begin, int rank, int size)
{
    int first = room_before(s, size) + begin_of(s, rank, size);

    for (int i = 0; i < given(s, rank, size); ++i) {
        double x = number(rank, s->salt, i);

        memcpy(begin + layout_offset(s->recv, first + i), &x, sizeof(x));
    }
}

static int call(const struct test *t, const struct shape *s, const struct group *g, MPI_Comm comm,
                const char *send, char *recv)
{
    MPI_Datatype from = layout_type(s->send), to = layout_type(s->recv);
    MPI_Datatype from_type = s->in_place ? MPI_DATATYPE_NULL : from;
    const void *from_buffer = s->in_place ? MPI_IN_PLACE : (const void *) send;
    int from_count = s->in_place ? 0 : given(s, g->rank, g->size) / s->send->parts;
    int *counts = tap_alloc(2 * (size_t) g->size * sizeof(*counts)), *displs = counts + g->size, rc;

    for (int r = 0; r < g->size; ++r) {
        counts[r] = given(s, r, g->size) / s->recv->parts;
        displs[r] = begin_of(s, r, g->size) / s->recv->parts;
    }
    if (0 == strcmp(t->coll, "allgatherv")) {
        rc = MPI_Allgatherv(from_buffer, from_count, from_type, recv, counts, displs, to, comm);
    } else {
        rc = MPI_Allgather(from_buffer, from_count, from_type, recv, counts[0], to, comm);
    }
    free(counts);
    layout_type_free(s->send, &from);
    layout_type_free(s->recv, &to);
    return rc;
}

/* One call on comm; whether all blocks are there, every byte beside them as before, and so the send
 * buffer. */
static bool gathers(struct test *t, const struct group *g, const struct shape *s)
{
    int size = g->size, mine = given(s, g->rank, size), parts = s->recv->parts;
    MPI_Aint before = room_before(s, size) / parts * s->recv->extent;
    char text[TAP_TEXT];
    struct memory m;
    bool good;

    memory_open(&m, mine / s->send->parts * s->send->extent,
                room(s, size) / parts * s->recv->extent);
    for (int i = 0; i < mine; ++i) {
        double x = number(g->rank, s->salt, i);

        memcpy(m.send + MARGIN + layout_offset(s->send, i), &x, sizeof(x));
    }
    if (s->in_place) {
        store_block(s, m.recv + MARGIN, g->rank, size);
    }
    memory_keep(&m);
    for (int r = 0; r < size; ++r) {
        store_block(s, m.expected + MARGIN, r, size);
    }
    mpi_check(call(t, s, g, g->comm, m.send + MARGIN, m.recv + MARGIN + before), t->coll);
    snprintf(text, sizeof(text), "%s, %s as %s, block %d, deal %d, order %d%s", t->coll,
             s->send->name, s->recv->name, s->block, (int) s->deal, (int) s->order,
             s->in_place ? ", in place" : "");
    good = memory_good(&t->tap, &m, text);
    memory_close(&m);
    return good;
}

/* The same, apart and in place. */
static bool gathers_in_both_places(struct test *t, const struct group *g, struct shape s)
{
    bool good;

    s.in_place = false;
    good = gathers(t, g, &s);
    s.in_place = true;
    return gathers(t, g, &s) && good;
}

static bool takes_counts(const struct test *t)
{
    return 0 == strcmp(t->coll, "allgatherv");
}

static bool gathers_blocks_of(struct test *t, const struct group *g, int block)
{
    struct shape s = {.send = layout_at(0), .recv = layout_at(0), .block = block};
    bool good = gathers_in_both_places(t, g, s);

    if (takes_counts(t)) {
        s.deal = TWO_SIZES;
        good = gathers_in_both_places(t, g, s) && good;
        s.deal = THREE_SIZES;
        s.order = SHUFFLED;
        good = gathers_in_both_places(t, g, s) && good;
    }
    return good;
}

static void check_counts(struct test *t)
{
    const int large = t->large / t->all.size > 0 ? t->large / t->all.size : 1;
    const int all[] = {1, 2, SMALL, MIDDLE, large};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        struct expectation expectation;
        bool good;

        expect_begin(&expectation, &t->counters);
        good = gathers_blocks_of(t, &t->all, all[i]);
        good = expect_met(&t->tap, &expectation, all[i] < MIDDLE ? t->expect : t->expect_large)
               && good;
        tap_ok(&t->tap, good, "%s_gathers_blocks_of_%d", t->coll, all[i]);
    }
}

static void check_zero_count(struct test *t)
{
    bool good = gathers_blocks_of(t, &t->all, 0);

    tap_ok(&t->tap, good, "%s_of_nothing_touches_nothing", t->coll);
}

static void check_orders(struct test *t)
{
    for (int order = 0; order < NUM_ORDERS; ++order) {
        struct expectation expectation;
        bool good = true;

        expect_begin(&expectation, &t->counters);
        for (int deal = 0; deal < NUM_DEALS; ++deal) {
            struct shape s = {.send = layout_at(0),
                              .recv = layout_at(FIRST_SPREAD + deal),
                              .deal = (enum deal) deal,
                              .order = (enum order) order,
                              .block = 4,
                              .salt = deal};

            good = gathers_in_both_places(t, &t->all, s) && good;
        }
        good = expect_met(&t->tap, &expectation, t->expect) && good;
        tap_ok(&t->tap, good, "%s_blocks_%s", t->coll, order_name((enum order) order));
    }
}

/* A row of numbers goes out in one type and comes in as another. */
static void check_types(struct test *t)
{
    for (int recv = 0; recv < NUM_LAYOUTS; ++recv) {
        struct expectation expectation;
        bool good = true;

        expect_begin(&expectation, &t->counters);
        for (int send = 0; send < NUM_LAYOUTS; ++send) {
            struct shape s = {.send = layout_at(send),
                              .recv = layout_at(recv),
                              .order = takes_counts(t) ? WITH_GAPS : IN_A_ROW,
                              .block = 0 == send % 2 ? 4 : 12,
                              .salt = send};

            good = gathers_in_both_places(t, &t->all, s) && good;
        }
        good = expect_met(&t->tap, &expectation, t->expect) && good;
        for (int send = 0; send < NUM_LAYOUTS; ++send) {
            struct shape s = {.send = layout_at(send), .recv = layout_at(recv), .block = SOME};

            good = gathers(t, &t->all, &s) && good;
        }
        tap_ok(&t->tap, good, "%s_receives_%s_from_any_type", t->coll, layout_at(recv)->name);
    }
}

/* What a rank says of types and places is its own business, as long as the numbers are as many. But
 * Open MPI's tuned, which may be behind napcoll, takes an allgatherv's size from the size of the
 * type that is sent and the counts of the one that is received, and hangs where ranks then choose
 * differently; it is only asked with numbers in pairs. */
static bool gathers_ones_own_way(struct test *t, const struct group *g, int turn)
{
    bool any_type = !takes_counts(t) || 0 == strncmp(t->expect, "runs", strlen("runs"));
    int spreads = NUM_LAYOUTS - FIRST_SPREAD, i = g->rank + turn;
    struct shape s = {.send = layout_at(any_type ? i % NUM_LAYOUTS : FIRST_SPREAD + i % spreads),
                      .recv = layout_at(FIRST_SPREAD + (g->rank + turn / 2) % spreads),
                      .block = 4,
                      .salt = turn};

    if (takes_counts(t)) {
        s.deal = (enum deal)(turn % NUM_DEALS);
        s.order = (enum order)((g->rank + turn) % NUM_ORDERS);
    }
    return gathers_in_both_places(t, g, s);
}

static void check_own_ways(struct test *t)
{
    struct expectation expectation;
    bool good = true;

    expect_begin(&expectation, &t->counters);
    for (int turn = 0; turn < 8; ++turn) {
        good = gathers_ones_own_way(t, &t->all, turn) && good;
    }
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    tap_ok(&t->tap, good, "%s_takes_other_types_on_each_rank", t->coll);
}

static bool gathers_on(struct test *t, const struct group *g)
{
    bool good = gathers_blocks_of(t, g, SMALL);

    good = gathers_blocks_of(t, g, SOME) && good;
    good = gathers_ones_own_way(t, g, 1) && good;
    return gathers_ones_own_way(t, g, 2) && good;
}

/* Basic is left out: it would hold back those who are done first. */
static bool gathers_in_turn(struct test *t, const struct group *g, int round)
{
    struct shape s = {.send = layout_at(0),
                      .recv = layout_at(0),
                      .block = 1 + round % 3,
                      .in_place = 0 == round % 4,
                      .salt = round};

    if (takes_counts(t)) {
        s.deal = (enum deal)(round % NUM_DEALS);
        s.order = (enum order)(round % NUM_ORDERS);
    }
    return gathers(t, g, &s);
}

void test_gathers(struct test *t)
{
    check_counts(t);
    check_zero_count(t);
    if (takes_counts(t)) {
        check_orders(t);
    }
    if (!t->results_only) {
        check_types(t);
    }
    check_own_ways(t);
    on_subcommunicators(t, gathers_on);
    on_several_communicators(t, gathers_in_turn);
}
