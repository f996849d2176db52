/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Allreduce by one of napcoll's algorithms against Open MPI's basic component on the same
 * data, or against a formula: every predefined operation with every type it takes, operations of
 * the user's, odd datatypes, counts from 0 up, in place, subcommunicators.
 *
 *     allreduce [--algorithm NAME] [--expect WORDS] [--expect-large WORDS]
 *               [--expect-noncommutative WORDS] [--large COUNT]
 *
 * --algorithm goes to napcoll by info key. WORDS are those of counters.h; --expect is asserted for
 * messages below 100 bytes, --expect-large for the longer ones.
 */
#include "counters.h"
#include "kinds.h"

enum { SMALL = 7, MIDDLE = 1000, GAP = 0x5a };

struct test {
    struct tap tap;
    struct napcoll_counters counters;
    const char *algorithm;
    const char *expect, *expect_large, *expect_noncommutative;
    int large;
    MPI_Comm comm;      /* under test */
    MPI_Comm reference; /* basic */
};

static MPI_Comm dup_tested(const struct test *t, MPI_Comm comm)
{
    return tap_dup(comm, "napcoll", NULL == t->algorithm ? NULL : "napcoll_allreduce_algorithm",
                   t->algorithm);
}

/* --- predefined operations --- */

static bool same_result(struct test *t, const struct op *op, const struct kind *kind, int count,
                        bool in_place)
{
    size_t bytes = kind->extent * (size_t) count;
    unsigned char *send = tap_alloc(bytes), *got = tap_alloc(bytes), *expected = tap_alloc(bytes);
    bool good;

    for (int i = 0; i < count; ++i) {
        kind_store(kind, send + kind->extent * (size_t) i, op_value(op, t->tap.rank, i), i);
    }
    memcpy(got, send, bytes);
    mpi_check(MPI_Allreduce(send, expected, count, kind->type, op->op, t->reference),
              "MPI_Allreduce (basic)");
    mpi_check(
        MPI_Allreduce(in_place ? MPI_IN_PLACE : send, got, count, kind->type, op->op, t->comm),
        "MPI_Allreduce");
    good = kind_equal(kind, got, expected, count);
    if (!good) {
        tap_note(&t->tap, "%s of %d %s%s differs from basic's", op->name, count, kind->name,
                 in_place ? " in place" : "");
    }
    free(send);
    free(got);
    free(expected);
    return good;
}

static void predefined_operations(struct test *t)
{
    for (int i = 0; i < num_ops(); ++i) {
        const struct op *op = op_at(i);
        struct expectation expectation;
        bool good = true;

        expect_begin(&expectation, &t->counters);
        for (int k = 0; k < num_kinds(); ++k) {
            struct kind kind = kind_at(k);

            if (0 != kind.extent && kind_takes(&kind, op)) {
                good = same_result(t, op, &kind, 1, false) && good;
                good = same_result(t, op, &kind,
                                   SMALL < 64 / (int) kind.extent ? SMALL : 64 / (int) kind.extent,
                                   0 == k % 2)
                       && good;
            }
        }
        good = expect_met(&t->tap, &expectation, t->expect) && good;
        tap_ok(&t->tap, good, "allreduce_%s_equals_basic_on_every_type", op->name);
    }
}

/* --- counts --- */

static void counts(struct test *t)
{
    const int all[] = {1, 2, SMALL, MIDDLE, t->large};
    const struct op *sum = op_named("sum"), *max = op_named("max");
    struct kind number = kind_named("double"), whole = kind_named("int");

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        struct expectation expectation;
        bool good;

        expect_begin(&expectation, &t->counters);
        good = same_result(t, sum, &number, all[i], false);
        good = same_result(t, sum, &number, all[i], true) && good;
        good = same_result(t, max, &whole, all[i], false) && good;
        good = same_result(t, max, &whole, all[i], true) && good;
        good = expect_met(&t->tap, &expectation, all[i] < MIDDLE ? t->expect : t->expect_large)
               && good;
        tap_ok(&t->tap, good, "allreduce_equals_basic_for_count_%d", all[i]);
    }
}

static void zero_count(struct test *t)
{
    double send = 1.0, recv = -1.0;

    mpi_check(MPI_Allreduce(&send, &recv, 0, MPI_DOUBLE, MPI_SUM, t->comm), "MPI_Allreduce");
    mpi_check(MPI_Allreduce(MPI_IN_PLACE, &recv, 0, MPI_DOUBLE, MPI_SUM, t->comm), "MPI_Allreduce");
    mpi_check(MPI_Allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, t->comm), "MPI_Allreduce");
    tap_ok(&t->tap, recv < 0.0, "allreduce_zero_count_touches_nothing");
}

/* --- operations of the user's --- */

enum { MATRIX = 4, PRIME = 32749 };

/* inout = in * inout for 2 x 2 matrices modulo a prime: the order of the ranks shows. */
static void matrix_product(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const int *a = in;
    int *b = inout;

    (void) type;
    for (int i = 0; i < *len; ++i, a += MATRIX, b += MATRIX) {
        int c0 = (a[0] * b[0] % PRIME + a[1] * b[2] % PRIME) % PRIME;
        int c1 = (a[0] * b[1] % PRIME + a[1] * b[3] % PRIME) % PRIME;
        int c2 = (a[2] * b[0] % PRIME + a[3] * b[2] % PRIME) % PRIME;
        int c3 = (a[2] * b[1] % PRIME + a[3] * b[3] % PRIME) % PRIME;

        b[0] = c0;
        b[1] = c1;
        b[2] = c2;
        b[3] = c3;
    }
}

static void matrix_of(int rank, int element, int *m)
{
    m[0] = 1 + rank % 101;
    m[1] = 2 + element % 57;
    m[2] = 3 + (rank * element) % 89;
    m[3] = 5 + (rank + element) % 71;
}

/* The product over a communicator's ranks in their order, computed here. */
static bool matrices_match(const int *got, int count, int size)
{
    for (int i = 0; i < count; ++i) {
        int product[MATRIX], left[MATRIX], one = 1;

        matrix_of(size - 1, i, product);
        for (int r = size - 2; r >= 0; --r) {
            matrix_of(r, i, left);
            matrix_product(left, product, &one, NULL);
        }
        if (0 != memcmp(product, got + i * MATRIX, sizeof(product))) {
            return false;
        }
    }
    return true;
}

static bool noncommutative_on(struct test *t, MPI_Comm comm, int count)
{
    MPI_Datatype type;
    MPI_Op op;
    int rank, size;
    int *send = tap_alloc(sizeof(int) * MATRIX * (size_t) count);
    int *recv = tap_alloc(sizeof(int) * MATRIX * (size_t) count);
    bool good;

    mpi_check(MPI_Type_contiguous(MATRIX, MPI_INT, &type), "MPI_Type_contiguous");
    mpi_check(MPI_Type_commit(&type), "MPI_Type_commit");
    mpi_check(MPI_Op_create(matrix_product, 0, &op), "MPI_Op_create");
    mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    for (int i = 0; i < count; ++i) {
        matrix_of(rank, i, send + i * MATRIX);
    }
    mpi_check(MPI_Allreduce(send, recv, count, type, op, comm), "MPI_Allreduce");
    good = matrices_match(recv, count, size);
    mpi_check(MPI_Allreduce(MPI_IN_PLACE, send, count, type, op, comm), "MPI_Allreduce");
    good = matrices_match(send, count, size) && good;
    if (!good) {
        tap_note(&t->tap, "product of %d matrices is not that in rank order", count);
    }
    mpi_check(MPI_Op_free(&op), "MPI_Op_free");
    mpi_check(MPI_Type_free(&type), "MPI_Type_free");
    free(send);
    free(recv);
    return good;
}

static void noncommutative(struct test *t)
{
    struct expectation expectation;
    bool good;

    expect_begin(&expectation, &t->counters);
    good = noncommutative_on(t, t->comm, 1);
    good = noncommutative_on(t, t->comm, SMALL) && good;
    good = expect_met(&t->tap, &expectation, t->expect_noncommutative) && good;
    good = noncommutative_on(t, t->comm, MIDDLE) && good;
    tap_ok(&t->tap, good, "allreduce_noncommutative_op_keeps_rank_order");
}

static void modular_sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const int *a = in;
    int *b = inout;

    (void) type;
    for (int i = 0; i < *len; ++i) {
        b[i] = (a[i] + b[i]) % PRIME;
    }
}

static void user_commutative(struct test *t)
{
    int send[SMALL], recv[SMALL];
    struct expectation expectation;
    MPI_Op op;
    bool good = true;

    mpi_check(MPI_Op_create(modular_sum, 1, &op), "MPI_Op_create");
    for (int i = 0; i < SMALL; ++i) {
        send[i] = 20000 + t->tap.rank * 31 + i;
    }
    expect_begin(&expectation, &t->counters);
    mpi_check(MPI_Allreduce(send, recv, SMALL, MPI_INT, op, t->comm), "MPI_Allreduce");
    for (int i = 0; i < SMALL; ++i) {
        long long sum = (20000LL + i) * t->tap.size + 31LL * t->tap.size * (t->tap.size - 1) / 2;

        good = good && recv[i] == sum % PRIME;
    }
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    mpi_check(MPI_Op_free(&op), "MPI_Op_free");
    tap_ok(&t->tap, good, "allreduce_user_op_has_no_identity_assumed");
}

/* --- datatypes --- */

enum { PARTS = 2 };

/* A layout of two doubles per element, with bytes between that belong to nobody. */
struct spread {
    const char *name;
    MPI_Aint at[PARTS]; /* of the doubles, relative to the element's address */
    MPI_Aint lb, extent;
};

static const struct spread spreads[] = {
    {"negative_lower_bound", {-16, 8}, -24, 48},
    {"lower_bound_above_zero", {32, 16}, 8, 48},
    {"gaps", {0, 16}, 0, 32},
    {"parts_outside_extent", {0, 56}, 0, 24},
};

static const struct spread *spread_of_op; /* what the operation below is called with */

static void spread_sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct spread *s = spread_of_op;

    (void) type;
    for (int i = 0; i < *len; ++i) {
        for (int part = 0; part < PARTS; ++part) {
            MPI_Aint at = i * s->extent + s->at[part];
            double a, b;

            memcpy(&a, (char *) in + at, sizeof(a));
            memcpy(&b, (char *) inout + at, sizeof(b));
            b += a;
            memcpy((char *) inout + at, &b, sizeof(b));
        }
    }
}

/* Writes into a buffer of GAPs what `rank` contributes, or with rank -1 the sum of all. */
static void spread_fill(const struct test *t, const struct spread *s, char *element0, int count,
                        int rank)
{
    for (int i = 0; i < count; ++i) {
        for (int part = 0; part < PARTS; ++part) {
            double p = t->tap.size, own = 10.0 * i + part;
            double x = rank >= 0 ? own + rank : own * p + p * (p - 1.0) / 2.0;

            memcpy(element0 + i * s->extent + s->at[part], &x, sizeof(x));
        }
    }
}

static bool spread_good(struct test *t, const struct spread *s, MPI_Datatype type, MPI_Op op,
                        int count, bool in_place)
{
    size_t margin = 128, bytes = 2 * margin + (size_t) s->extent * (size_t) count;
    char *send = tap_alloc(bytes), *recv = tap_alloc(bytes), *expected = tap_alloc(bytes);
    bool good;

    memset(send, GAP, bytes);
    memset(recv, GAP, bytes);
    memset(expected, GAP, bytes);
    spread_fill(t, s, send + margin, count, t->tap.rank);
    spread_fill(t, s, expected + margin, count, -1);
    if (in_place) {
        memcpy(recv, send, bytes);
    }
    mpi_check(MPI_Allreduce(in_place ? MPI_IN_PLACE : send + margin, recv + margin, count, type, op,
                            t->comm),
              "MPI_Allreduce");
    good = 0 == memcmp(recv, expected, bytes);
    if (!good) {
        tap_note(&t->tap, "%d elements with %s%s: wrong sum or a gap was written", count, s->name,
                 in_place ? " in place" : "");
    }
    free(send);
    free(recv);
    free(expected);
    return good;
}

static void derived_type(struct test *t, const struct spread *s)
{
    const int length[PARTS] = {1, 1};
    MPI_Datatype parts, type;
    MPI_Op op;
    bool good = true;

    mpi_check(MPI_Type_create_hindexed(PARTS, length, s->at, MPI_DOUBLE, &parts),
              "MPI_Type_create_hindexed");
    mpi_check(MPI_Type_create_resized(parts, s->lb, s->extent, &type), "MPI_Type_create_resized");
    mpi_check(MPI_Type_commit(&type), "MPI_Type_commit");
    mpi_check(MPI_Op_create(spread_sum, 1, &op), "MPI_Op_create");
    spread_of_op = s;
    for (int count = 1; count <= MIDDLE; count = 1 == count ? SMALL : count * 11) {
        good = spread_good(t, s, type, op, count, false) && good;
        good = spread_good(t, s, type, op, count, true) && good;
    }
    mpi_check(MPI_Op_free(&op), "MPI_Op_free");
    mpi_check(MPI_Type_free(&type), "MPI_Type_free");
    mpi_check(MPI_Type_free(&parts), "MPI_Type_free");
    tap_ok(&t->tap, good, "allreduce_datatype_with_%s", s->name);
}

static void nothing(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void) in;
    (void) inout;
    (void) len;
    (void) type;
}

static void zero_size_type(struct test *t)
{
    int send[SMALL] = {1}, recv[SMALL];
    MPI_Datatype type;
    MPI_Op op;
    bool good = true;

    memset(recv, GAP, sizeof(recv));
    mpi_check(MPI_Type_contiguous(0, MPI_INT, &type), "MPI_Type_contiguous");
    mpi_check(MPI_Type_commit(&type), "MPI_Type_commit");
    mpi_check(MPI_Op_create(nothing, 1, &op), "MPI_Op_create");
    mpi_check(MPI_Allreduce(send, recv, SMALL, type, op, t->comm), "MPI_Allreduce");
    for (size_t i = 0; i < sizeof(recv); ++i) {
        good = good && GAP == ((unsigned char *) recv)[i];
    }
    mpi_check(MPI_Op_free(&op), "MPI_Op_free");
    mpi_check(MPI_Type_free(&type), "MPI_Type_free");
    tap_ok(&t->tap, good, "allreduce_zero_size_type_touches_nothing");
}

/* --- bits --- */

/* Numbers whose sum depends on the order of adding; large ones cancel only in some orders. */
static double wild(int rank, int i)
{
    static const double some[] = {1e16, 1.0, -1e16, 3.14159e-7, 2.0 / 3.0, -7e15, 1e300, -1e300};

    return some[(rank * 5 + i * 3) % 8] * (1.0 + rank * 1e-3);
}

/* NaN and infinity do not come up: 1e300 times a few dozen is far below the largest double. */
static bool identical_on(struct test *t, MPI_Comm comm, MPI_Comm checker, int count)
{
    size_t bytes = (size_t) count * sizeof(double);
    double *send = tap_alloc(bytes), *recv = tap_alloc(bytes), *first = tap_alloc(bytes);
    int rank;
    bool good;

    mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    for (int i = 0; i < count; ++i) {
        send[i] = wild(rank, i);
    }
    mpi_check(MPI_Allreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, comm), "MPI_Allreduce");
    memcpy(first, recv, bytes);
    mpi_check(MPI_Bcast(first, count, MPI_DOUBLE, 0, checker), "MPI_Bcast");
    good = 0 == memcmp(first, recv, bytes);
    if (!good) {
        tap_note(&t->tap, "sum of %d doubles has other bits than on rank 0", count);
    }
    free(send);
    free(recv);
    free(first);
    return good;
}

static bool identical_floats(struct test *t)
{
    float send[SMALL], recv[SMALL], first[SMALL];

    for (int i = 0; i < SMALL; ++i) {
        send[i] = (float) ((i + 1) * 1e-3 + t->tap.rank % 3 * 1e7 - t->tap.rank % 5 * 3e6);
    }
    mpi_check(MPI_Allreduce(send, recv, SMALL, MPI_FLOAT, MPI_SUM, t->comm), "MPI_Allreduce");
    memcpy(first, recv, sizeof(recv));
    mpi_check(MPI_Bcast(first, SMALL, MPI_FLOAT, 0, t->reference), "MPI_Bcast");
    return 0 == memcmp(first, recv, sizeof(recv));
}

static void identical_bits(struct test *t)
{
    struct expectation expectation;
    bool good;

    expect_begin(&expectation, &t->counters);
    good = identical_on(t, t->comm, t->reference, 1);
    good = identical_on(t, t->comm, t->reference, SMALL) && good;
    good = identical_floats(t) && good;
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    good = identical_on(t, t->comm, t->reference, MIDDLE) && good;
    tap_ok(&t->tap, good, "allreduce_identical_bits_on_all_ranks");
}

/* --- communicators --- */

static void subcommunicator(struct test *t, const char *name, int color, int key)
{
    MPI_Comm part, tested, checker;
    int rank, size, got, sent;
    bool good;

    mpi_check(MPI_Comm_split(MPI_COMM_WORLD, color, key, &part), "MPI_Comm_split");
    tested = dup_tested(t, part);
    checker = tap_dup(part, "basic,^napcoll", NULL, NULL);
    mpi_check(MPI_Comm_rank(part, &rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(part, &size), "MPI_Comm_size");
    sent = rank * rank + 1;
    mpi_check(MPI_Allreduce(&sent, &got, 1, MPI_INT, MPI_SUM, tested), "MPI_Allreduce");
    good = got == (size - 1) * size * (2 * size - 1) / 6 + size;
    good = identical_on(t, tested, checker, SMALL) && good;
    good = noncommutative_on(t, tested, SMALL) && good;
    mpi_check(MPI_Comm_free(&part), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&tested), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&checker), "MPI_Comm_free");
    tap_ok(&t->tap, good, "allreduce_on_subcommunicator_%s", name);
}

static void several_communicators(struct test *t)
{
    enum { MANY = 5, ROUNDS = 20 };
    MPI_Comm comm[MANY];
    bool good = true;

    for (int i = 0; i < MANY; ++i) {
        comm[i] = dup_tested(t, t->comm);
    }
    for (int i = 0; i < ROUNDS * MANY; ++i) {
        int sent = t->tap.rank + i, got;

        mpi_check(MPI_Allreduce(&sent, &got, 1, MPI_INT, MPI_SUM, comm[i * 3 % MANY]),
                  "MPI_Allreduce");
        good = good && got == t->tap.size * (t->tap.size - 1) / 2 + i * t->tap.size;
    }
    for (int i = 0; i < MANY; ++i) {
        mpi_check(MPI_Comm_free(&comm[(i * 2 + 1) % MANY]), "MPI_Comm_free");
    }
    tap_ok(&t->tap, good, "allreduce_on_several_communicators_in_turn");
}

static const char *words_option(int argc, char **argv, const char *name, const char *fallback)
{
    const char *words = tap_option(argc, argv, name, fallback);

    if (!expect_valid(words)) {
        fprintf(stderr, "# %s %s: expected runs[:ALGORITHM], fallback[:REASON] or any\n", name,
                words);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return words;
}

static void run(struct test *t)
{
    int rank = t->tap.rank;

    predefined_operations(t);
    counts(t);
    zero_count(t);
    user_commutative(t);
    noncommutative(t);
    for (size_t i = 0; i < sizeof(spreads) / sizeof(spreads[0]); ++i) {
        derived_type(t, &spreads[i]);
    }
    zero_size_type(t);
    identical_bits(t);
    subcommunicator(t, "odd_and_even", rank % 2, rank);
    subcommunicator(t, "reversed", 0, -rank);
    subcommunicator(t, "shuffled", 0, rank * 7 % 5);
    subcommunicator(t, "first_and_rest", 0 == rank, rank);
    several_communicators(t);
}

int main(int argc, char **argv)
{
    static struct test t;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&t.tap);
    t.algorithm = tap_option(argc, argv, "--algorithm", NULL);
    t.expect = words_option(argc, argv, "--expect", "any");
    t.expect_large = words_option(argc, argv, "--expect-large", "any");
    t.expect_noncommutative = words_option(argc, argv, "--expect-noncommutative", "any");
    t.large = (int) tap_option_number(argc, argv, "--large", 100000);
    mpi_check(napcoll_counters_open(&t.counters, "allreduce"), "MPI_T_init_thread");
    t.comm = dup_tested(&t, MPI_COMM_WORLD);
    t.reference = tap_dup(MPI_COMM_WORLD, "basic,^napcoll", NULL, NULL);

    run(&t);

    mpi_check(MPI_Comm_free(&t.comm), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&t.reference), "MPI_Comm_free");
    mpi_check(napcoll_counters_close(&t.counters), "MPI_T_finalize");
    status = tap_close(&t.tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
