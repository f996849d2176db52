/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Gather, MPI_Gatherv, MPI_Scatter or MPI_Scatterv by one of napcoll's algorithms against a
 * formula: every root, blocks of any size, types
 * that differ between the root and the others, blocks in any order with gaps that must stay, in
 * place at the root, calls that follow each other, subcommunicators. What MPI may look at on the
 * root alone is on the others an address that cannot be read. Options: see collective.h. Bytes are
 * of a block; --large limits the numbers of all blocks, and the length of blocks of single bytes.
 *
 * With --changes yes the only check is a row of v calls whose sizes and roots change.
 */
#include "gather_scatter.h"

/* A multiple of the parts of all layouts, and beyond 100 bytes. */
enum { SOME = 100 };

/* The same, apart and in place. */
static bool moves_in_both_places(struct test *t, const struct group *g, struct shape s)
{
    bool good;

    s.in_place = false;
    good = gather_scatter_moves(t, g, &s);
    s.in_place = true;
    return gather_scatter_moves(t, g, &s) && good;
}

static bool moves_blocks_of(struct test *t, const struct group *g, int block, int root)
{
    struct shape s = {.all = layout_at(0), .own = layout_at(0), .root = root, .block = block};
    bool good = moves_in_both_places(t, g, s);

    for (int deal = THREE_SIZES; deal < NUM_DEALS && takes_counts(t); ++deal) {
        s.deal = (enum deal) deal;
        s.salt = deal;
        s.order = 0 == deal % 2 ? SHUFFLED : IN_A_ROW;
        good = moves_in_both_places(t, g, s) && good;
    }
    return good;
}

/* A block of the longest calls, a multiple of the parts of all layouts. */
static int large_block(const struct test *t)
{
    const int large = t->large / t->all.size / 4 * 4;

    return large > 0 ? large : 4;
}

static void check_counts(struct test *t)
{
    const int all[] = {1, 2, SMALL, MIDDLE, large_block(t)};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        struct expectation expectation;
        bool good;

        expect_begin(&expectation, &t->counters);
        good = moves_blocks_of(t, &t->all, all[i], (int) i % t->all.size);
        good = expect_met(&t->tap, &expectation, all[i] < MIDDLE ? t->expect : t->expect_large)
               && good;
        tap_ok(&t->tap, good, "%s_moves_blocks_of_%d", t->coll, all[i]);
    }
}

/* Some roots: all of a few ranks; of many the first, the last and three between. */
static int num_roots(int size)
{
    return size <= 8 ? size : 5;
}

static int root_at(int i, int size)
{
    return size <= 8 ? i : i * (size - 1) / 4;
}

static bool moves_at_roots(struct test *t, const struct group *g, int block)
{
    bool good = true;

    for (int i = 0; i < num_roots(g->size); ++i) {
        struct shape s = {.all = layout_at(0),
                          .own = layout_at(0),
                          .root = root_at(i, g->size),
                          .block = block,
                          .salt = i};

        if (takes_counts(t)) {
            s.deal = (enum deal)(i % NUM_DEALS);
            s.order = (enum order)(i % NUM_ORDERS);
        }
        good = moves_in_both_places(t, g, s) && good;
    }
    return good;
}

static void check_roots(struct test *t)
{
    struct expectation expectation;
    bool good;

    expect_begin(&expectation, &t->counters);
    good = moves_at_roots(t, &t->all, SMALL);
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    expect_begin(&expectation, &t->counters);
    good = moves_at_roots(t, &t->all, MIDDLE) && good;
    good = expect_met(&t->tap, &expectation, t->expect_large) && good;
    tap_ok(&t->tap, good, "%s_takes_every_root", t->coll);
}

static void check_zero_count(struct test *t)
{
    bool good = true;

    for (int root = 0; root < 2 && root < t->all.size; ++root) {
        good = moves_blocks_of(t, &t->all, 0, root) && good;
    }
    tap_ok(&t->tap, good, "%s_of_nothing_touches_nothing", t->coll);
}

/* Elements of no bytes, three for each rank, which lie apart even so. */
static bool moves_empty_elements(struct test *t, const struct group *g, int root)
{
    enum { ELEMENTS = 3, EXTENT = 16 };
    int *counts = tap_alloc((size_t) g->size * sizeof(*counts));
    int *displs = tap_alloc((size_t) g->size * sizeof(*displs));
    struct side own = {.count = ELEMENTS}, all;
    MPI_Datatype none, type;
    struct memory m;
    bool good;

    mpi_check(MPI_Type_contiguous(0, MPI_DOUBLE, &none), "MPI_Type_contiguous");
    mpi_check(MPI_Type_create_resized(none, 0, EXTENT, &type), "MPI_Type_create_resized");
    mpi_check(MPI_Type_commit(&type), "MPI_Type_commit");
    for (int rank = 0; rank < g->size; ++rank) {
        counts[rank] = ELEMENTS;
        displs[rank] = rank * ELEMENTS;
    }
    memory_open(&m, g->size * ELEMENTS * EXTENT, g->size * ELEMENTS * EXTENT);
    memory_keep(&m);
    own.type = type;
    own.buffer = (scatters(t) ? m.recv : m.send) + MARGIN;
    all = (struct side){.buffer = (scatters(t) ? m.send : m.recv) + MARGIN,
                        .count = ELEMENTS,
                        .type = type,
                        .counts = counts,
                        .displs = displs};
    if (g->rank != root) {
        all = side_of_nobody(g->rank);
    }
    mpi_check(gather_scatter_call(t, &own, &all, root, g->comm), t->coll);
    good = memory_good(&t->tap, &m, "elements of no bytes");
    memory_close(&m);
    mpi_check(MPI_Type_free(&type), "MPI_Type_free");
    mpi_check(MPI_Type_free(&none), "MPI_Type_free");
    free(counts);
    free(displs);
    return good;
}

static void check_empty_elements(struct test *t)
{
    const bool good = moves_empty_elements(t, &t->all, t->all.size - 1);

    tap_ok(&t->tap, good, "%s_of_elements_without_bytes_touches_nothing", t->coll);
}

static void check_orders(struct test *t)
{
    for (int order = 0; order < NUM_ORDERS; ++order) {
        struct expectation expectation;
        bool good = true;

        expect_begin(&expectation, &t->counters);
        for (int deal = 0; deal < NUM_DEALS; ++deal) {
            struct shape s = {
                .all = layout_at(FIRST_SPREAD + (order + deal) % (NUM_LAYOUTS - FIRST_SPREAD)),
                .own = layout_at(0),
                .deal = (enum deal) deal,
                .order = (enum order) order,
                .root = (order + deal) % t->all.size,
                .block = 4,
                .salt = deal};

            good = moves_in_both_places(t, &t->all, s) && good;
        }
        good = expect_met(&t->tap, &expectation, t->expect) && good;
        tap_ok(&t->tap, good, "%s_blocks_%s", t->coll, order_name((enum order) order));
    }
}

/* The root's numbers are of one type, the other ranks' of another: every pair in few numbers,
 * and each of the root's types in many. */
static void check_types(struct test *t)
{
    for (int all = 0; all < NUM_LAYOUTS; ++all) {
        struct shape s = {.all = layout_at(all), .order = takes_counts(t) ? WITH_GAPS : IN_A_ROW};
        struct expectation expectation;
        bool good = true;

        expect_begin(&expectation, &t->counters);
        for (int own = 0; own < NUM_LAYOUTS; ++own) {
            s.own = layout_at(own);
            s.root = (all + own) % t->all.size;
            s.block = 0 == own % 2 ? 4 : 12;
            s.salt = own;
            good = moves_in_both_places(t, &t->all, s) && good;
        }
        good = expect_met(&t->tap, &expectation, t->expect) && good;
        tap_ok(&t->tap, good, "%s_with_%s_at_the_root_and_any_type_elsewhere", t->coll,
               s.all->name);
    }
}

static void check_long_blocks_of_types(struct test *t)
{
    struct expectation expectation;
    bool good = true;

    expect_begin(&expectation, &t->counters);
    for (int all = 0; all < NUM_LAYOUTS; ++all) {
        struct shape s = {.all = layout_at(all),
                          .own = layout_at((all + 1 + t->all.rank % 2) % NUM_LAYOUTS),
                          .root = all % t->all.size,
                          .block = large_block(t),
                          .salt = all};

        good = moves_in_both_places(t, &t->all, s) && good;
        s.block = 4 * MIDDLE;
        good = moves_in_both_places(t, &t->all, s) && good;
    }
    good = expect_met(&t->tap, &expectation, t->expect_large) && good;
    tap_ok(&t->tap, good, "%s_moves_long_blocks_of_any_type", t->coll);
}

/* What a rank says of its own block is its own business, as long as the numbers are as many. */
static bool moves_ones_own_way(struct test *t, const struct group *g, int turn, int block)
{
    struct shape s = {.all = layout_at((turn * 5 + 2) % NUM_LAYOUTS),
                      .own = layout_at((g->rank + turn) % NUM_LAYOUTS),
                      .root = turn * 3 % g->size,
                      .block = block,
                      .salt = turn};

    if (takes_counts(t)) {
        s.deal = (enum deal)(turn % NUM_DEALS);
        s.order = (enum order)(turn % NUM_ORDERS);
    }
    return moves_in_both_places(t, g, s);
}

static void check_own_ways(struct test *t)
{
    struct expectation expectation;
    bool good = true;

    expect_begin(&expectation, &t->counters);
    for (int turn = 0; turn < 2 * NUM_DEALS; ++turn) {
        good = moves_ones_own_way(t, &t->all, turn, 4) && good;
    }
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    tap_ok(&t->tap, good, "%s_takes_other_types_on_each_rank", t->coll);
}

/* Blocks around the sizes where the ways change by default: up to 5120 bytes they may share
 * messages, from 65536 on they go in pieces. */
static void check_thresholds(struct test *t)
{
    static const struct layout plain = {"single_bytes", 1, 1, {0}, 0, 1};
    static const struct layout spread = {"spread_bytes", 1, 1, {1}, 0, 3};
    static const int all[] = {5119, 5120, 5121, 10240, 65535, 65536, 65537, 131075};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        struct shape s = {.all = 0 == i % 2 ? &plain : &spread,
                          .own = 0 == i % 2 ? &spread : &plain,
                          .root = (int) i % t->all.size,
                          .block = all[i],
                          .salt = (int) i};
        struct expectation expectation;
        bool good;

        if (all[i] > t->large * (int) sizeof(double)) {
            return;
        }
        expect_begin(&expectation, &t->counters);
        good = moves_in_both_places(t, &t->all, s);
        if (takes_counts(t)) {
            s.deal = (enum deal)(1 + i % (NUM_DEALS - 1));
            good = moves_in_both_places(t, &t->all, s) && good;
        }
        good = expect_met(&t->tap, &expectation, t->expect_large) && good;
        tap_ok(&t->tap, good, "%s_moves_blocks_of_%d_bytes", t->coll, all[i]);
    }
}

/* Of calls that follow each other, the root may stay or change, and long ones come among short
 * ones. */
static struct shape shape_in_turn(const struct test *t, const struct group *g, int round)
{
    struct shape s = {.all = layout_at(round % NUM_LAYOUTS),
                      .own = layout_at(round / 2 % NUM_LAYOUTS),
                      .root = (0 == round / 8 % 2 ? round : round / 8) % g->size,
                      .block = 2 == round % 3 ? 4 * MIDDLE : 4 + 4 * (round % 2),
                      .in_place = 0 == round % 4,
                      .salt = round};

    if (takes_counts(t)) {
        s.deal = (enum deal)(round % NUM_DEALS);
        s.order = (enum order)(round / 3 % NUM_ORDERS);
    }
    return s;
}

/* Nothing but the calls themselves keeps ranks together: those that are done first go on to the
 * next call, and nobody looks at what came before the last one is over. */
static void check_succession(struct test *t)
{
    enum { CALLS = 32 };
    struct shape s[CALLS];
    struct memory m[CALLS];
    struct expectation expectation;
    bool good = true;

    expect_begin(&expectation, &t->counters);
    for (int i = 0; i < CALLS; ++i) {
        s[i] = shape_in_turn(t, &t->all, i);
        gather_scatter_prepare(t, &t->all, &s[i], &m[i]);
    }
    for (int i = 0; i < CALLS; ++i) {
        gather_scatter_perform(t, &t->all, &s[i], &m[i]);
    }
    for (int i = 0; i < CALLS; ++i) {
        good = gather_scatter_finish(t, &s[i], &m[i]) && good;
    }
    good = expect_met(&t->tap, &expectation,
                      0 == strcmp(t->expect, t->expect_large) ? t->expect : "any")
           && good;
    tap_ok(&t->tap, good, "%s_calls_follow_each_other", t->coll);
}

static bool moves_on(struct test *t, const struct group *g)
{
    bool good = moves_at_roots(t, g, SMALL);

    good = moves_blocks_of(t, g, SOME, g->size / 2) && good;
    good = moves_ones_own_way(t, g, 1, 4 * MIDDLE) && good;
    return moves_ones_own_way(t, g, 5, 4) && good;
}

/* Basic is left out: it would hold back those who are done first. */
static bool moves_in_turn(struct test *t, const struct group *g, int round)
{
    struct shape s = shape_in_turn(t, g, round);

    return gather_scatter_moves(t, g, &s);
}

/* Sizes and roots change from call to call: each call counts once, and the root asks and tells
 * nobody. */
static void check_changes(struct test *t)
{
    static const struct {
        enum deal deal;
        int block;
        bool other_root, in_place;
    } turn[] = {{EVEN, 24, false, false},      {EVEN, 24, false, true},
                {EVEN, 12, false, false},      {EVEN, 1, false, false},
                {EVEN, 100, false, false},     {ONE_IS_HOT, 24, false, false},
                {ONE_IS_HOT, 24, true, false}, {ROOT_ALONE, 24, true, false},
                {GROWING, 24, false, true},    {GROWING, 12, true, true},
                {EVEN, 0, false, false}};
    struct napcoll_counters others = {.num = 0};
    struct expectation expectation;
    unsigned long long before, told;
    bool good = true;

    mpi_check(napcoll_counters_open(&others, "bcast"), "MPI_T_pvar_handle_alloc");
    told = counted(&others);
    expect_begin(&expectation, &t->counters);
    for (size_t i = 0; i < sizeof(turn) / sizeof(turn[0]); ++i) {
        const bool small = 1 == turn[i].block;
        const struct shape s = {.all = layout_at(small ? 0 : (int) (i % NUM_LAYOUTS)),
                                .own = layout_at(small ? 0 : (int) (i / 2 % NUM_LAYOUTS)),
                                .deal = turn[i].deal,
                                .root = turn[i].other_root ? t->all.size / 2 : 0,
                                .block = turn[i].block,
                                .in_place = turn[i].in_place,
                                .salt = (int) i};

        before = counted(&t->counters);
        good = gather_scatter_moves(t, &t->all, &s) && 1 == counted(&t->counters) - before && good;
    }
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    good = told == counted(&others) && good;
    mpi_check(napcoll_counters_close(&others), "MPI_T_pvar_handle_free");
    tap_ok(&t->tap, good, "%s_sizes_change_from_call_to_call", t->coll);
}

void test_gather_scatter(struct test *t)
{
    if (NULL != test_option(t, "--changes", NULL)) {
        check_changes(t);
        return;
    }
    check_counts(t);
    check_roots(t);
    check_zero_count(t);
    check_empty_elements(t);
    if (takes_counts(t)) {
        check_orders(t);
    }
    if (!t->results_only) {
        check_types(t);
        check_long_blocks_of_types(t);
        check_succession(t);
    }
    check_own_ways(t);
    check_thresholds(t);
    on_subcommunicators(t, moves_on);
    on_several_communicators(t, moves_in_turn);
}
