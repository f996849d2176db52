/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The checks that all reductions have in common: every predefined operation with every type it
 * takes, against Open MPI's basic component on the same data; operations of the user's, odd
 * datatypes, counts from 0 up, in place, subcommunicators, against a formula. What differs between
 * the collectives is a struct reduction.
 */
#ifndef TEST_REDUCTIONS_H
#define TEST_REDUCTIONS_H

#include "collective.h"
#include "kinds.h"
#include "ops.h"

/* Where MPI_IN_PLACE is given. */
enum where { APART, IN_PLACE, MIXED, NUM_WHERE };

/* One way of calling the collective, alike on all ranks. */
struct way {
    /* E.g. the root; numbered by the program */
    int variant;
    enum where where;
    int count;
    /* For the data */
    int salt;
};

/* What one rank gets. */
struct share {
    /* The reduction of that many first ranks; 0: nothing, not even a buffer */
    int ranks;
    /* Of their vectors, these elements */
    int from, count;
    /* Of a rank's vector, alike on all ranks */
    int length;
};

/* A collective that reduces. */
struct reduction {
    /* IN_PLACE means the root alone */
    bool rooted;
    /* MIXED is allowed: each process chooses for itself */
    bool chooses;
    int (*variants)(int size);
    struct share (*share)(const struct way *way, int rank, int size);
    /* The call itself; send is MPI_IN_PLACE where this rank works in place. */
    int (*call)(const struct way *way, const void *send, void *recv, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm);
    /* A property of the bits of a sum of that many doubles, and its check. */
    const char *bits_name;
    bool (*bits)(struct test *t, const struct group *g, int count);
};

static inline bool works_in_place(const struct reduction *r, const struct way *way,
                                  const struct share *share, int rank)
{
    switch (way->where) {
    case APART:
        return false;
    case IN_PLACE:
        return !r->rooted || share->ranks > 0;
    default:
        return 0 == (rank + way->count) % 2;
    }
}

static inline int num_where(const struct test *t)
{
    return t->reduction->chooses ? NUM_WHERE : MIXED;
}

static inline const char *describe_way(const struct way *way, char *text, const char *what)
{
    static const char *const place[] = {"", ", in place", ", in place on every other rank"};

    snprintf(text, TAP_TEXT, "%s, count %d, variant %d%s", what, way->count, way->variant,
             place[way->where]);
    return text;
}

/* --- against a formula --- */

/* One call; whether the result is right, every byte beside it as before, and so the send buffer.
 * What is left of the input behind a result in place is not said by the standard, and not
 * checked. */
static inline bool solves(struct test *t, const struct group *g, const struct problem *p,
                          const struct way *way)
{
    const struct reduction *r = t->reduction;
    const struct layout *l = p->layout;
    struct share share = r->share(way, g->rank, g->size);
    bool in_place = works_in_place(r, way, &share, g->rank), good;
    char text[TAP_TEXT];
    struct memory m;

    memory_open(&m, share.length * l->extent, share.length * l->extent);
    for (int i = 0; i < share.length; ++i) {
        p->own(l, g->rank, way->salt, i, m.send + MARGIN + i * l->extent);
    }
    if (in_place) {
        memcpy(m.recv, m.send, m.recv_bytes);
    }
    memory_keep(&m);
    mpi_check(r->call(way, in_place ? MPI_IN_PLACE : m.send + MARGIN, m.recv + MARGIN, p->type,
                      p->op, g->comm),
              t->coll);
    for (int i = 0; share.ranks > 0 && i < share.length; ++i) {
        if (i < share.count) {
            p->all(l, share.ranks, way->salt, share.from + i, m.expected + MARGIN + i * l->extent);
        } else if (in_place) {
            layout_copy(l, m.expected + MARGIN, m.recv + MARGIN, i);
        }
    }
    good = memory_good(&t->tap, &m, describe_way(way, text, p->name));
    memory_close(&m);
    return good;
}

/* The same in all ways that differ in where the result goes, with the variants in turn or, for
 * short vectors, each. */
static inline bool solves_in_all_places(struct test *t, const struct group *g,
                                        const struct problem *p, int count)
{
    int variants = t->reduction->variants(g->size), each = count <= SMALL ? variants : 1;
    bool good = true;

    for (int k = 0; k < each * num_where(t); ++k) {
        struct way way = {.variant = (k / num_where(t) + count) % variants,
                          .where = (enum where)(k % num_where(t)),
                          .count = count,
                          .salt = k};

        good = solves(t, g, p, &way) && good;
    }
    return good;
}

/* --- against basic --- */

/* What basic makes of the send buffer; the caller frees it. */
static inline unsigned char *by_basic(const struct test *t, const struct group *g,
                                      const struct op *op, const struct kind *kind,
                                      const struct way *way, const struct memory *m)
{
    unsigned char *result = tap_alloc(m->recv_bytes);

    mpi_check(t->reduction->call(way, m->send + MARGIN, result, kind->type, op->op, g->reference),
              "basic");
    return result;
}

/* What recv is to hold, given basic's result. A right result is blotted out on both sides, because
 * bytes between the members of a pair may be anything; so is the input that is left behind a result
 * in place. */
static inline void expect_result(struct memory *m, const struct kind *kind,
                                 const struct share *share, const unsigned char *result,
                                 bool in_place)
{
    size_t bytes = kind->extent * (size_t) share->count;
    size_t rest = kind->extent * (size_t) share->length - bytes;
    char *recv = m->recv + MARGIN, *expected = m->expected + MARGIN;

    if (0 == share->ranks) {
        return;
    }
    memcpy(expected, result, bytes);
    if (kind_equal(kind, (const unsigned char *) recv, result, share->count)) {
        memset(recv, 0, bytes);
        memset(expected, 0, bytes);
    }
    if (in_place) {
        memset(recv + bytes, 0, rest);
        memset(expected + bytes, 0, rest);
    }
}

static inline bool equals_basic(struct test *t, const struct group *g, const struct op *op,
                                const struct kind *kind, const struct way *way)
{
    struct share share = t->reduction->share(way, g->rank, g->size);
    bool in_place = works_in_place(t->reduction, way, &share, g->rank), good;
    MPI_Aint bytes = share.length * (MPI_Aint) kind->extent;
    char what[TAP_TEXT / 2], text[TAP_TEXT];
    unsigned char *result;
    struct memory m;

    memory_open(&m, bytes, bytes);
    for (int i = 0; i < share.length; ++i) {
        kind_store(kind, (unsigned char *) m.send + MARGIN + kind->extent * (size_t) i,
                   op_value(op, g->rank, i + way->salt), g->rank + i);
    }
    if (in_place) {
        memcpy(m.recv, m.send, m.recv_bytes);
    }
    memory_keep(&m);
    result = by_basic(t, g, op, kind, way, &m);
    mpi_check(t->reduction->call(way, in_place ? MPI_IN_PLACE : m.send + MARGIN, m.recv + MARGIN,
                                 kind->type, op->op, g->comm),
              t->coll);
    expect_result(&m, kind, &share, result, in_place);
    snprintf(what, sizeof(what), "%s of %s", op->name, kind->name);
    good = memory_good(&t->tap, &m, describe_way(way, text, what));
    free(result);
    memory_close(&m);
    return good;
}

static inline void check_predefined_operations(struct test *t)
{
    const struct group *g = &t->all;
    int variants = t->reduction->variants(g->size);

    for (int i = 0; i < num_ops(); ++i) {
        const struct op *op = op_at(i);
        struct expectation expectation;
        bool good = true;

        expect_begin(&expectation, &t->counters);
        for (int k = 0; k < num_kinds(); ++k) {
            struct kind kind = kind_at(k);
            struct way one = {.variant = (i + k) % variants, .where = APART, .count = 1};
            struct way some = {.variant = (i + k + 1) % variants,
                               .where = (enum where)((i + k + 1) % num_where(t))};

            if (0 != kind.extent && kind_takes(&kind, op)) {
                some.count = SMALL < 64 / (int) kind.extent ? SMALL : 64 / (int) kind.extent;
                good = equals_basic(t, g, op, &kind, &one) && good;
                good = equals_basic(t, g, op, &kind, &some) && good;
            }
        }
        good = expect_met(&t->tap, &expectation, t->expect) && good;
        tap_ok(&t->tap, good, "%s_%s_equals_basic_on_every_type", t->coll, op->name);
    }
}

static inline void check_counts(struct test *t)
{
    const int all[] = {1, 2, SMALL, MIDDLE, t->large};
    const struct op *sum = op_named("sum"), *max = op_named("max");
    struct kind number = kind_named("double"), whole = kind_named("int");
    int variants = t->reduction->variants(t->all.size), turn = 0;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        struct expectation expectation;
        bool good = true;

        expect_begin(&expectation, &t->counters);
        for (int where = 0; where < num_where(t); ++where, ++turn) {
            struct way way = {.where = (enum where) where, .count = all[i], .salt = turn};

            way.variant = turn % variants;
            good = equals_basic(t, &t->all, sum, &number, &way) && good;
            way.variant = (turn + 1) % variants;
            good = equals_basic(t, &t->all, max, &whole, &way) && good;
        }
        good = expect_met(&t->tap, &expectation, all[i] < MIDDLE ? t->expect : t->expect_large)
               && good;
        tap_ok(&t->tap, good, "%s_equals_basic_for_count_%d", t->coll, all[i]);
    }
}

/* --- operations of the user's and odd datatypes --- */

static inline void check_zero_count(struct test *t)
{
    struct problem p = problem_sum();
    bool good = solves_in_all_places(t, &t->all, &p, 0);

    problem_close(&p);
    tap_ok(&t->tap, good, "%s_zero_count_touches_nothing", t->coll);
}

static inline void check_user_commutative(struct test *t)
{
    struct problem p = problem_shifted();
    struct expectation expectation;
    bool good;

    expect_begin(&expectation, &t->counters);
    good = solves_in_all_places(t, &t->all, &p, SMALL);
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    problem_close(&p);
    tap_ok(&t->tap, good, "%s_user_op_has_no_identity_assumed", t->coll);
}

static inline void check_noncommutative(struct test *t)
{
    struct problem p = problem_matrices();
    struct expectation expectation;
    bool good;

    expect_begin(&expectation, &t->counters);
    good = solves_in_all_places(t, &t->all, &p, 1);
    good = solves_in_all_places(t, &t->all, &p, SMALL) && good;
    good = expect_met(&t->tap, &expectation, t->expect_noncommutative) && good;
    good = solves_in_all_places(t, &t->all, &p, MIDDLE) && good;
    problem_close(&p);
    tap_ok(&t->tap, good, "%s_noncommutative_op_keeps_rank_order", t->coll);
}

/* Where the standard lets each process choose. */
static inline void check_mixed(struct test *t)
{
    struct problem p = problem_matrices();
    bool good = true;

    for (int count = 1; count <= SMALL; ++count) {
        struct way way = {.variant = count % t->reduction->variants(t->all.size),
                          .where = MIXED,
                          .count = count,
                          .salt = count};

        good = solves(t, &t->all, &p, &way) && good;
    }
    problem_close(&p);
    tap_ok(&t->tap, good, "%s_in_place_on_some_ranks_only", t->coll);
}

static inline void check_datatypes(struct test *t)
{
    for (int i = FIRST_SPREAD; i < NUM_LAYOUTS; ++i) {
        struct problem p = problem_layout(layout_at(i));
        bool good = true;

        for (int count = 1; count <= MIDDLE; count = 1 == count ? SMALL : count * 11) {
            good = solves_in_all_places(t, &t->all, &p, count) && good;
        }
        problem_close(&p);
        tap_ok(&t->tap, good, "%s_datatype_with_%s", t->coll, p.name);
    }
}

static inline void check_zero_size_type(struct test *t)
{
    struct problem p = problem_nothing();
    bool good = solves_in_all_places(t, &t->all, &p, SMALL);

    problem_close(&p);
    tap_ok(&t->tap, good, "%s_zero_size_type_touches_nothing", t->coll);
}

/* --- bits --- */

static inline void check_bits(struct test *t)
{
    struct expectation expectation;
    bool good;

    expect_begin(&expectation, &t->counters);
    good = t->reduction->bits(t, &t->all, 1);
    good = t->reduction->bits(t, &t->all, SMALL) && good;
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    good = t->reduction->bits(t, &t->all, MIDDLE) && good;
    tap_ok(&t->tap, good, "%s_%s", t->coll, t->reduction->bits_name);
}

/* For struct reduction: the same call on the same data gives the same bits. */
static inline bool bits_repeat(struct test *t, const struct group *g, int count)
{
    struct way way = {.variant = count % t->reduction->variants(g->size), .count = count};
    struct share share = t->reduction->share(&way, g->rank, g->size);
    size_t bytes = (size_t) share.length * sizeof(double);
    double *send = tap_alloc(bytes), *recv = tap_alloc(bytes), *first = tap_alloc(bytes);
    bool good;

    for (int i = 0; i < share.length; ++i) {
        send[i] = wild(g->rank, i);
    }
    mpi_check(t->reduction->call(&way, send, first, MPI_DOUBLE, MPI_SUM, g->comm), t->coll);
    mpi_check(t->reduction->call(&way, send, recv, MPI_DOUBLE, MPI_SUM, g->comm), t->coll);
    good = 0 == share.ranks || 0 == memcmp(first, recv, (size_t) share.count * sizeof(double));
    if (!good) {
        tap_note(&t->tap, "sum of %d doubles has other bits than the first time", count);
    }
    free(send);
    free(recv);
    free(first);
    return good;
}

/* --- communicators --- */

static inline bool reduces_on(struct test *t, const struct group *g)
{
    struct problem sum = problem_sum(), matrices = problem_matrices();
    bool good;

    good = solves_in_all_places(t, g, &sum, 1);
    good = solves_in_all_places(t, g, &sum, MIDDLE) && good;
    good = solves_in_all_places(t, g, &matrices, SMALL) && good;
    good = t->reduction->bits(t, g, SMALL) && good;
    problem_close(&sum);
    problem_close(&matrices);
    return good;
}

static inline bool reduces_in_turn(struct test *t, const struct group *g, int round)
{
    struct problem sum = problem_sum();
    struct way way = {.variant = round % t->reduction->variants(g->size),
                      .where = (enum where)(round % num_where(t)),
                      .count = 1 + round % 3,
                      .salt = round};
    bool good = solves(t, g, &sum, &way);

    problem_close(&sum);
    return good;
}

/* Everything above. */
static inline void check_reduction(struct test *t)
{
    if (!t->results_only) {
        check_predefined_operations(t);
        check_datatypes(t);
    }
    check_counts(t);
    check_zero_count(t);
    check_user_commutative(t);
    check_noncommutative(t);
    if (t->reduction->chooses) {
        check_mixed(t);
    }
    check_zero_size_type(t);
    check_bits(t);
    on_subcommunicators(t, reduces_on);
    on_several_communicators(t, reduces_in_turn);
}

/* For struct reduction: there is but one variant. */
static inline int one_variant(int size)
{
    (void) size;
    return 1;
}

#endif
