/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Alltoall, MPI_Alltoallv or MPI_Alltoallw by one of napcoll's algorithms against a formula:
 * blocks of any size, none among them, types that differ between sender and receiver (and between
 * blocks), blocks in any order with gaps that must stay, in place, subcommunicators. Options: see
 * collective.h. Bytes are of a block; --large counts the numbers that a process sends.
 *
 * With --changes yes nothing else is checked than a row of calls whose sizes change.
 */
#include "collective.h"
#include "layouts.h"

/* A multiple of the parts of all layouts */
enum { SOME = 24 };

/* How many numbers each rank has for each other; in calls in place as many as that one has for
 * it. */
enum deal { EVEN, SUM_OF_RANKS, FEW, ONE_IS_HOT, SOME_ARE_SILENT, ANY, NUM_DEALS };

/* One call. Numbers are doubles; block is a multiple of the parts of all layouts used. */
struct shape {
    /* Layouts; may differ between ranks */
    int send, recv;
    /* Alltoallw: each block has a layout of its own */
    bool mixed;
    enum deal deal;
    /* May differ between ranks */
    enum order send_order, recv_order;
    int block;
    bool in_place;
    /* Makes the numbers differ from other calls' */
    int salt;
};

/* One side of a call. */
struct side {
    const struct shape *shape;
    const struct group *group;
    enum order order;
    int layout;
};

static double number(int from, int to, int salt, int i)
{
    return from * 1073741824.0 + to * 4194304.0 + i + salt / 1024.0;
}

static bool is_symmetric(enum deal deal)
{
    return deal <= FEW;
}

static int given(const struct shape *s, int from, int to, int size)
{
    switch (s->deal) {
    case EVEN:
        return s->block;
    case SUM_OF_RANKS: /* some of them 0 */
        return (from + to) % 3 * s->block;
    case FEW:
        return 0 == (from + to) % 10 ? 3 * s->block : 0;
    case ONE_IS_HOT:
        return 0 == from || size - 1 == to ? 3 * s->block : 0;
    case SOME_ARE_SILENT:
        return 1 == from % 3 ? 0 : s->block;
    default:
        return (from * 7 + to * 5 + from * to) % 4 * s->block;
    }
}

static const struct layout *layout_of(const struct side *side, int peer)
{
    return layout_at(side->shape->mixed ? (side->layout + peer) % NUM_LAYOUTS : side->layout);
}

/* Bytes from one block's address to the next one's, which none needs in full. */
static MPI_Aint slot_bytes(const struct side *side)
{
    const struct layout *l = layout_at(side->layout);

    if (IN_A_ROW == side->order && !side->shape->mixed) {
        return (EVEN == side->shape->deal ? 1 : 3) * side->shape->block / l->parts * l->extent;
    }
    return side->shape->mixed ? 3 * 24 * side->shape->block + 96
                              : 4 * side->shape->block / l->parts * l->extent;
}

/* Where a peer's block begins, counted from the buffer's address. */
static MPI_Aint begin_of(const struct side *side, int peer)
{
    return slot_at(side->order, peer, side->group->size) * slot_bytes(side);
}

static MPI_Aint room(const struct side *side)
{
    return side->group->size * slot_bytes(side) + 64;
}

static MPI_Aint room_before(const struct side *side)
{
    return AROUND == side->order ? side->group->size / 2 * slot_bytes(side) : 0;
}

/* Writes the block from one rank for another as it lies in a side's buffer, whose room begins
 * here. */
static void store_block(const struct side *side, char *begin, int peer, int from, int to)
{
    const struct layout *l = layout_of(side, peer);
    char *block = begin + room_before(side) + begin_of(side, peer);

    for (int i = 0; i < given(side->shape, from, to, side->group->size); ++i) {
        double x = number(from, to, side->shape->salt, i);

        memcpy(block + layout_offset(l, i), &x, sizeof(x));
    }
}

/* What a side tells MPI. */
struct arguments {
    int *counts, *displs;
    MPI_Datatype *types, type;
};

static struct arguments arguments_of(const struct test *t, const struct side *side, bool sends)
{
    const struct group *g = side->group;
    const bool bytes = 0 == strcmp(t->coll, "alltoallw");
    struct arguments a;

    a.counts = tap_alloc((size_t) g->size * sizeof(*a.counts));
    a.displs = tap_alloc((size_t) g->size * sizeof(*a.displs));
    a.types = tap_alloc((size_t) g->size * sizeof(*a.types));
    a.type = layout_type(layout_at(side->layout));
    for (int peer = 0; peer < g->size; ++peer) {
        const struct layout *l = layout_of(side, peer);
        const int from = sends ? g->rank : peer, to = sends ? peer : g->rank;

        a.counts[peer] = given(side->shape, from, to, g->size) / l->parts;
        a.displs[peer] = (int) (begin_of(side, peer) / (bytes ? 1 : l->extent));
        a.types[peer] = layout_type(l);
    }
    return a;
}

static void arguments_free(const struct side *side, struct arguments *a)
{
    for (int peer = 0; peer < side->group->size; ++peer) {
        layout_type_free(layout_of(side, peer), &a->types[peer]);
    }
    layout_type_free(layout_at(side->layout), &a->type);
    free(a->counts);
    free(a->displs);
    free(a->types);
}

static int call(const struct test *t, const struct side *send, const struct side *recv,
                MPI_Comm comm, const char *from, char *to)
{
    const bool in_place = send->shape->in_place;
    struct arguments s = arguments_of(t, send, true), r = arguments_of(t, recv, false);
    const void *sendbuf = in_place ? MPI_IN_PLACE : (const void *) (from + room_before(send));
    char *recvbuf = to + room_before(recv);
    int rc;

    if (0 == strcmp(t->coll, "alltoallv")) {
        rc = MPI_Alltoallv(sendbuf, in_place ? NULL : s.counts, in_place ? NULL : s.displs,
                           in_place ? MPI_DATATYPE_NULL : s.type, recvbuf, r.counts, r.displs,
                           r.type, comm);
    } else if (0 == strcmp(t->coll, "alltoallw")) {
        rc = MPI_Alltoallw(sendbuf, in_place ? NULL : s.counts, in_place ? NULL : s.displs,
                           in_place ? NULL : s.types, recvbuf, r.counts, r.displs, r.types, comm);
    } else {
        rc = MPI_Alltoall(sendbuf, in_place ? 0 : s.counts[0],
                          in_place ? MPI_DATATYPE_NULL : s.type, recvbuf, r.counts[0], r.type,
                          comm);
    }
    arguments_free(send, &s);
    arguments_free(recv, &r);
    return rc;
}

/* One call on comm; whether all blocks are there, every byte beside them as before, and so the send
 * buffer. */
static bool trades(struct test *t, const struct group *g, const struct shape *s)
{
    const struct side send = {s, g, s->send_order, s->send}, recv = {s, g, s->recv_order, s->recv};
    char text[TAP_TEXT];
    struct memory m;
    bool good;

    memory_open(&m, room(&send), room(&recv));
    for (int peer = 0; peer < g->size; ++peer) {
        store_block(&send, m.send + MARGIN, peer, g->rank, peer);
        if (s->in_place) {
            store_block(&recv, m.recv + MARGIN, peer, g->rank, peer);
        }
    }
    memory_keep(&m);
    for (int peer = 0; peer < g->size; ++peer) {
        store_block(&recv, m.expected + MARGIN, peer, peer, g->rank);
    }
    mpi_check(call(t, &send, &recv, g->comm, m.send + MARGIN, m.recv + MARGIN), t->coll);
    snprintf(text, sizeof(text), "%s, %s as %s, block %d, deal %d, orders %d and %d%s%s", t->coll,
             layout_at(s->send)->name, layout_at(s->recv)->name, s->block, (int) s->deal,
             (int) s->send_order, (int) s->recv_order, s->mixed ? ", mixed" : "",
             s->in_place ? ", in place" : "");
    good = memory_good(&t->tap, &m, text);
    memory_close(&m);
    return good;
}

/* The same, apart and, where that can be, in place. */
static bool trades_in_both_places(struct test *t, const struct group *g, struct shape s)
{
    bool good;

    s.in_place = false;
    good = trades(t, g, &s);
    if (!is_symmetric(s.deal) || s.mixed) {
        return good;
    }
    s.in_place = true;
    return trades(t, g, &s) && good;
}

static bool takes_counts(const struct test *t)
{
    return 0 != strcmp(t->coll, "alltoall");
}

static bool trades_blocks_of(struct test *t, const struct group *g, int block)
{
    struct shape s = {.block = block};
    bool good = trades_in_both_places(t, g, s);

    for (int deal = SUM_OF_RANKS; deal < NUM_DEALS && takes_counts(t); ++deal) {
        s.deal = (enum deal) deal;
        good = trades_in_both_places(t, g, s) && good;
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
        good = trades_blocks_of(t, &t->all, all[i]);
        good = expect_met(&t->tap, &expectation, all[i] < MIDDLE ? t->expect : t->expect_large)
               && good;
        tap_ok(&t->tap, good, "%s_trades_blocks_of_%d", t->coll, all[i]);
    }
}

static void check_zero_count(struct test *t)
{
    bool good = trades_blocks_of(t, &t->all, 0);

    tap_ok(&t->tap, good, "%s_of_nothing_touches_nothing", t->coll);
}

static void check_orders(struct test *t)
{
    for (int order = 0; order < NUM_ORDERS; ++order) {
        struct expectation expectation;
        bool good = true;

        expect_begin(&expectation, &t->counters);
        for (int deal = 0; deal < NUM_DEALS; ++deal) {
            struct shape s = {.recv = FIRST_SPREAD + deal % (NUM_LAYOUTS - FIRST_SPREAD),
                              .deal = (enum deal) deal,
                              .send_order = (enum order)((order + deal) % NUM_ORDERS),
                              .recv_order = (enum order) order,
                              .block = 4,
                              .salt = deal};

            good = trades_in_both_places(t, &t->all, s) && good;
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
            struct shape s = {.send = send,
                              .recv = recv,
                              .deal = takes_counts(t) ? (enum deal)(send % NUM_DEALS) : EVEN,
                              .block = 0 == send % 2 ? 4 : SOME,
                              .salt = send};

            good = trades_in_both_places(t, &t->all, s) && good;
        }
        good = expect_met(&t->tap, &expectation, "any") && good;
        tap_ok(&t->tap, good, "%s_receives_%s_from_any_type", t->coll, layout_at(recv)->name);
    }
}

/* What a rank says of types and places is its own business, as long as the numbers are as many. */
static bool trades_ones_own_way(struct test *t, const struct group *g, int turn)
{
    struct shape s = {.send = (g->rank + turn) % NUM_LAYOUTS,
                      .recv = (g->rank * 3 + turn / 2) % NUM_LAYOUTS,
                      .mixed = 0 == strcmp(t->coll, "alltoallw"),
                      .block = 4,
                      .salt = turn};

    if (takes_counts(t)) {
        s.deal = (enum deal)(turn % NUM_DEALS);
        s.send_order = (enum order)((g->rank + turn) % NUM_ORDERS);
        s.recv_order = (enum order)((g->rank * 2 + turn) % NUM_ORDERS);
    }
    return trades_in_both_places(t, g, s);
}

static void check_own_ways(struct test *t)
{
    struct expectation expectation;
    bool good = true;

    expect_begin(&expectation, &t->counters);
    for (int turn = 0; turn < 2 * NUM_DEALS; ++turn) {
        good = trades_ones_own_way(t, &t->all, turn) && good;
    }
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    tap_ok(&t->tap, good, "%s_takes_other_types_on_each_rank", t->coll);
}

static bool trades_on(struct test *t, const struct group *g)
{
    bool good = trades_blocks_of(t, g, SMALL);

    good = trades_blocks_of(t, g, SOME) && good;
    good = trades_ones_own_way(t, g, 1) && good;
    return trades_ones_own_way(t, g, 5) && good;
}

/* Basic is left out: it would hold back those who are done first. */
static bool trades_in_turn(struct test *t, const struct group *g, int round)
{
    struct shape s = {.block = 1 + round % 3, .salt = round};

    if (takes_counts(t)) {
        s.deal = (enum deal)(round % NUM_DEALS);
        s.recv_order = (enum order)(round % NUM_ORDERS);
    }
    s.in_place = 0 == round % 4 && is_symmetric(s.deal);
    return trades(t, g, &s);
}

/* Sizes change from call to call: each call counts once, and no rank asks others for sizes. */
static void check_changes(struct test *t)
{
    static const struct {
        enum deal deal;
        int block;
        bool in_place;
    } turn[] = {{EVEN, 24, false},       {EVEN, 24, true},        {SUM_OF_RANKS, 12, false},
                {EVEN, 1, false},        {EVEN, 1, false},        {EVEN, 100, false},
                {ONE_IS_HOT, 24, false}, {ONE_IS_HOT, 72, false}, {SOME_ARE_SILENT, 72, false},
                {EVEN, 0, false},        {SUM_OF_RANKS, 2, true}};
    struct napcoll_counters others = {.num = 0};
    struct expectation expectation;
    unsigned long long before, asked;
    bool good = true;

    mpi_check(napcoll_counters_open(&others, "allreduce"), "MPI_T_pvar_handle_alloc");
    asked = counted(&others);
    expect_begin(&expectation, &t->counters);
    for (size_t i = 0; i < sizeof(turn) / sizeof(turn[0]); ++i) {
        const struct shape s = {.deal = turn[i].deal,
                                .block = turn[i].block,
                                .in_place = turn[i].in_place,
                                .salt = (int) i};

        before = counted(&t->counters);
        good = trades(t, &t->all, &s) && 1 == counted(&t->counters) - before && good;
    }
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    good = asked == counted(&others) && good;
    mpi_check(napcoll_counters_close(&others), "MPI_T_pvar_handle_free");
    tap_ok(&t->tap, good, "%s_sizes_change_from_call_to_call", t->coll);
}

void test_alltoalls(struct test *t)
{
    if (NULL != test_option(t, "--changes", NULL)) {
        check_changes(t);
        return;
    }
    check_counts(t);
    check_zero_count(t);
    if (takes_counts(t)) {
        check_orders(t);
    }
    if (!t->results_only) {
        check_types(t);
    }
    check_own_ways(t);
    on_subcommunicators(t, trades_on);
    on_several_communicators(t, trades_in_turn);
}
