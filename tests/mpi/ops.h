/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations of the user's on data whose reduction over any number of first ranks is a formula, and
 * numbers whose sum shows in its bits how it was added.
 */
#ifndef TEST_OPS_H
#define TEST_OPS_H

#include "layouts.h"

/* What is reduced, and what comes out. `salt` makes the data of one call differ from another's. */
struct problem {
    const char *name;
    const struct layout *layout;
    MPI_Datatype type;
    MPI_Op op;
    bool user_op;
    /* Writes the parts of element i at its address: what `rank` contributes, and what the ranks
     * from 0 to before `ranks` make together, in their order. */
    void (*own)(const struct layout *l, int rank, int salt, int i, char *element);
    void (*all)(const struct layout *l, int ranks, int salt, int i, char *element);
};

/* --- 2 x 2 matrices: the order of the ranks shows --- */

enum { MATRIX = 4, PRIME = 32749 };

/* inout = in * inout modulo a prime. */
static inline void matrix_product(void *in, void *inout, int *len, MPI_Datatype *type)
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

static inline void matrix_own(const struct layout *l, int rank, int salt, int i, char *element)
{
    const int m[MATRIX] = {1 + rank % 101, 2 + (i + 2 * rank) % 57, 3 + (rank * i + salt) % 89,
                           5 + (rank + i) % 71};

    (void) l;
    memcpy(element, m, sizeof(m));
}

static inline void matrix_all(const struct layout *l, int ranks, int salt, int i, char *element)
{
    int product[MATRIX], left[MATRIX], one = 1;

    matrix_own(l, ranks - 1, salt, i, (char *) product);
    for (int r = ranks - 2; r >= 0; --r) {
        matrix_own(l, r, salt, i, (char *) left);
        matrix_product(left, product, &one, NULL);
    }
    memcpy(element, product, sizeof(product));
}

/* --- a sum without a neutral zero: nobody may begin with one --- */

enum { SHIFT = 1009 };

static inline void shifted_sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const int *a = in;
    int *b = inout;

    (void) type;
    for (int i = 0; i < *len; ++i) {
        b[i] = (a[i] + b[i] + SHIFT) % PRIME;
    }
}

static inline void shifted_own(const struct layout *l, int rank, int salt, int i, char *element)
{
    int x = (20000 + rank * 31 + i + salt) % PRIME;

    (void) l;
    memcpy(element, &x, sizeof(x));
}

static inline void shifted_all(const struct layout *l, int ranks, int salt, int i, char *element)
{
    long long p = ranks;
    int sum = (int) ((p * (20000LL + i + salt) + 31 * p * (p - 1) / 2 + (p - 1) * SHIFT) % PRIME);

    (void) l;
    memcpy(element, &sum, sizeof(sum));
}

/* --- sums of the parts of any layout --- */

/* The layout that a type was made from, or a duplicate of it; NULL for none, as for elements of no
 * bytes. Sizes and bounds tell the layouts apart. */
static inline const struct layout *layout_of_type(MPI_Datatype type)
{
    MPI_Aint lb, extent;
    int size;

    mpi_check(MPI_Type_size(type, &size), "MPI_Type_size");
    mpi_check(MPI_Type_get_extent(type, &lb, &extent), "MPI_Type_get_extent");
    for (int i = 0; i < NUM_LAYOUTS; ++i) {
        const struct layout *l = layout_at(i);

        if (l->lb == lb && l->extent == extent && l->parts * (int) l->bytes == size) {
            return l;
        }
    }
    return NULL;
}

static inline void layout_sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct layout *l = layout_of_type(*type);

    if (NULL == l) {
        return;
    }
    for (int i = 0; i < *len; ++i) {
        for (int part = 0; part < l->parts; ++part) {
            MPI_Aint at = i * l->extent + l->at[part];
            double a, b;

            memcpy(&a, (char *) in + at, sizeof(a));
            memcpy(&b, (char *) inout + at, sizeof(b));
            b += a;
            memcpy((char *) inout + at, &b, sizeof(b));
        }
    }
}

static inline void layout_own(const struct layout *l, int rank, int salt, int i, char *element)
{
    for (int part = 0; part < l->parts; ++part) {
        double x = 10.0 * i + part + rank + salt;

        memcpy(element + l->at[part], &x, sizeof(x));
    }
}

static inline void layout_all(const struct layout *l, int ranks, int salt, int i, char *element)
{
    for (int part = 0; part < l->parts; ++part) {
        double p = ranks, x = p * (10.0 * i + part + salt) + p * (p - 1.0) / 2.0;

        memcpy(element + l->at[part], &x, sizeof(x));
    }
}

/* --- problems --- */

/* With function NULL: MPI_SUM. */
static inline struct problem problem_open(const char *name, const struct layout *l,
                                          MPI_User_function *function, bool commutes)
{
    struct problem p = {.name = name, .layout = l, .own = layout_own, .all = layout_all};

    p.type = layout_type(l);
    p.op = MPI_SUM;
    p.user_op = NULL != function;
    if (p.user_op) {
        mpi_check(MPI_Op_create(function, commutes, &p.op), "MPI_Op_create");
    }
    return p;
}

static inline void problem_close(struct problem *p)
{
    if (p->user_op) {
        mpi_check(MPI_Op_free(&p->op), "MPI_Op_free");
    }
    layout_type_free(p->layout, &p->type);
}

/* The plainest: MPI_SUM of doubles. */
static inline struct problem problem_sum(void)
{
    return problem_open("sum", layout_at(0), NULL, true);
}

/* Sums over a layout of layout_at(). */
static inline struct problem problem_layout(const struct layout *l)
{
    return problem_open(l->name, l, layout_sum, true);
}

static inline struct problem problem_matrices(void)
{
    static const struct layout four_ints = {"four_ints", MATRIX, sizeof(int), {0, 4, 8, 12}, 0, 16};
    struct problem p = problem_open("product in rank order", &four_ints, matrix_product, false);

    p.own = matrix_own;
    p.all = matrix_all;
    return p;
}

static inline const struct layout *one_int(void)
{
    static const struct layout layout = {"one_int", 1, sizeof(int), {0}, 0, sizeof(int)};

    return &layout;
}

static inline struct problem problem_shifted(void)
{
    struct problem p = problem_open("shifted sum", one_int(), shifted_sum, true);

    p.own = shifted_own;
    p.all = shifted_all;
    return p;
}

/* Elements of no bytes. */
static inline struct problem problem_nothing(void)
{
    static const struct layout nothing = {"nothing", 0, sizeof(double), {0}, 0, 0};

    return problem_layout(&nothing);
}

/* --- bits --- */

/* Numbers whose sum depends on the order of adding; large ones cancel only in some orders. NaN and
 * infinity do not come up: 1e300 times a few dozen is far below the largest double. */
static inline double wild(int rank, int i)
{
    static const double some[] = {1e16, 1.0, -1e16, 3.14159e-7, 2.0 / 3.0, -7e15, 1e300, -1e300};

    return some[(rank * 5 + i * 3) % 8] * (1.0 + rank * 1e-3);
}

#endif
