/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Bcast by one of napcoll's algorithms against a formula: vectors of any size from every root,
 * datatypes that differ between ranks, bytes between the numbers that must stay, subcommunicators.
 * Options: see collective.h.
 */
#include "collective.h"
#include "layouts.h"

/* A multiple of the parts of all layouts, and beyond 100 bytes */
enum { SOME = 100 };

/* One call. Numbers are doubles; there are a multiple of the parts of all layouts. */
struct shape {
    /* May differ between ranks */
    const struct layout *layout;
    int numbers;
    int root;
    /* Makes the numbers differ from other calls' */
    int salt;
};

static double number(const struct shape *s, int i)
{
    return s->root * 1048576.0 + i + s->salt / 1024.0;
}

static void store(const struct shape *s, char *begin)
{
    for (int i = 0; i < s->numbers; ++i) {
        double x = number(s, i);

        memcpy(begin + layout_offset(s->layout, i), &x, sizeof(x));
    }
}

/* One call on comm; whether the root's numbers are there, and every byte beside them as before. The
 * one buffer is the memory's `recv`. */
static bool broadcasts(struct test *t, const struct group *g, const struct shape *s)
{
    const int elements = s->numbers / s->layout->parts;
    MPI_Datatype type = layout_type(s->layout);
    char text[TAP_TEXT];
    struct memory m;
    bool good;

    memory_open(&m, 0, elements * s->layout->extent);
    if (g->rank == s->root) {
        store(s, m.recv + MARGIN);
    }
    memory_keep(&m);
    store(s, m.expected + MARGIN);
    mpi_check(MPI_Bcast(m.recv + MARGIN, elements, type, s->root, g->comm), t->coll);
    snprintf(text, sizeof(text), "%s, %d numbers of %s from rank %d", t->coll, s->numbers,
             s->layout->name, s->root);
    good = memory_good(&t->tap, &m, text);
    memory_close(&m);
    layout_type_free(s->layout, &type);
    return good;
}

static void check_counts(struct test *t)
{
    const int all[] = {1, 2, SMALL, MIDDLE, t->large};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        struct shape s = {.layout = layout_at(0), .numbers = all[i], .root = (int) i % t->all.size};
        struct expectation expectation;
        bool good;

        expect_begin(&expectation, &t->counters);
        good = broadcasts(t, &t->all, &s);
        good = expect_met(&t->tap, &expectation, all[i] < MIDDLE ? t->expect : t->expect_large)
               && good;
        tap_ok(&t->tap, good, "bcast_brings_%d_numbers", all[i]);
    }
}

static void check_zero_count(struct test *t)
{
    struct shape s = {.layout = layout_at(FIRST_SPREAD)};

    tap_ok(&t->tap, broadcasts(t, &t->all, &s), "bcast_of_nothing_touches_nothing");
}

static bool broadcasts_from_every_root(struct test *t, const struct group *g, int numbers)
{
    bool good = true;

    for (int root = 0; root < g->size; ++root) {
        struct shape s = {.layout = layout_at(0), .numbers = numbers, .root = root, .salt = root};

        good = broadcasts(t, g, &s) && good;
    }
    return good;
}

static void check_roots(struct test *t)
{
    struct expectation expectation;
    bool good;

    expect_begin(&expectation, &t->counters);
    good = broadcasts_from_every_root(t, &t->all, SMALL);
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    expect_begin(&expectation, &t->counters);
    good = broadcasts_from_every_root(t, &t->all, MIDDLE) && good;
    good = expect_met(&t->tap, &expectation, t->expect_large) && good;
    tap_ok(&t->tap, good, "bcast_takes_every_root");
}

/* Rank r takes layout r + turn, the root one of its own: signatures are equal, datatypes are
 * not. */
static bool broadcasts_ones_own_way(struct test *t, const struct group *g, int turn, int numbers)
{
    struct shape s = {.layout = layout_at((g->rank + turn) % NUM_LAYOUTS),
                      .numbers = numbers,
                      .root = turn * 3 % g->size,
                      .salt = turn};

    if (g->rank == s.root) {
        s.layout = layout_at(turn % NUM_LAYOUTS);
    }
    return broadcasts(t, g, &s);
}

static void check_types(struct test *t)
{
    const int all[] = {4, SOME, 4 * MIDDLE, t->large / 4 * 4};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        struct expectation expectation;
        bool good = true;

        expect_begin(&expectation, &t->counters);
        for (int turn = 0; turn < NUM_LAYOUTS; ++turn) {
            good = broadcasts_ones_own_way(t, &t->all, turn, all[i]) && good;
        }
        good = expect_met(&t->tap, &expectation, all[i] < SOME ? t->expect : t->expect_large)
               && good;
        tap_ok(&t->tap, good, "bcast_of_%d_numbers_takes_other_types_on_each_rank", all[i]);
    }
}

static bool broadcasts_on(struct test *t, const struct group *g)
{
    bool good = broadcasts_from_every_root(t, g, SMALL);

    good = broadcasts_ones_own_way(t, g, 1, SOME) && good;
    return broadcasts_ones_own_way(t, g, 2, MIDDLE) && good;
}

/* Basic is left out: it would hold back those who are done first. */
static bool broadcasts_in_turn(struct test *t, const struct group *g, int round)
{
    struct shape s = {.layout = layout_at(round % NUM_LAYOUTS),
                      .numbers = 4 + round % 3 * 4,
                      .root = round % g->size,
                      .salt = round};

    return broadcasts(t, g, &s);
}

void test_bcast(struct test *t)
{
    check_counts(t);
    check_zero_count(t);
    check_roots(t);
    if (!t->results_only) {
        check_types(t);
    }
    on_subcommunicators(t, broadcasts_on);
    on_several_communicators(t, broadcasts_in_turn);
}
