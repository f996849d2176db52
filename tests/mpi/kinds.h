/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every predefined reduction with the types that MPI-3.1 section 5.9.2 allows it, and values for
 * which any order of reducing gives the same bits.
 */
#ifndef TEST_KINDS_H
#define TEST_KINDS_H

#include <complex.h>
#include <stddef.h>
#include <stdint.h>

#include "tap_mpi.h"

/* What a type holds; an operation names the classes it takes. */
enum kind_class {
    KIND_INTEGER = 1,
    KIND_FLOATING = 2,
    KIND_COMPLEX = 4,
    KIND_LOGICAL = 8,
    KIND_BYTE = 16,
    KIND_PAIR = 32,
    KIND_FOREIGN = 64 /* integers of Fortran or of any language: no logical operations */
};

enum kind_format {
    FORMAT_WHOLE,
    FORMAT_FLOAT,
    FORMAT_DOUBLE,
    FORMAT_LONG_DOUBLE,
    FORMAT_FLOAT_COMPLEX,
    FORMAT_DOUBLE_COMPLEX,
    FORMAT_LONG_DOUBLE_COMPLEX
};

struct kind {
    const char *name;
    MPI_Datatype type;
    enum kind_class class;
    /* Of the first or only member */
    enum kind_format format;
    /* Its bytes */
    size_t first;
    /* Of a pair's second member */
    enum kind_format second_format;
    /* Its bytes and place; 0 and 0 if there is none */
    size_t second, second_at;
    /* 0: this library has no such type */
    size_t extent;
};

struct op {
    const char *name;
    MPI_Op op;
    int classes;
};

/* The numbers an x87 long double keeps in its 16 bytes; the others are anybody's. */
static inline size_t kind_significant(enum kind_format format, size_t bytes)
{
    return FORMAT_LONG_DOUBLE == format && 16 == bytes ? 10 : bytes;
}

static inline int num_ops(void)
{
    return 12;
}

static inline const struct op *op_at(int i)
{
    static struct op ops[12];
    const int whole = KIND_INTEGER | KIND_FOREIGN, noncommutative = whole | KIND_FLOATING;
    const struct op all[] = {
        {"max", MPI_MAX, noncommutative},
        {"min", MPI_MIN, noncommutative},
        {"sum", MPI_SUM, noncommutative | KIND_COMPLEX},
        {"prod", MPI_PROD, noncommutative | KIND_COMPLEX},
        {"land", MPI_LAND, KIND_INTEGER | KIND_LOGICAL},
        {"lor", MPI_LOR, KIND_INTEGER | KIND_LOGICAL},
        {"lxor", MPI_LXOR, KIND_INTEGER | KIND_LOGICAL},
        {"band", MPI_BAND, whole | KIND_BYTE},
        {"bor", MPI_BOR, whole | KIND_BYTE},
        {"bxor", MPI_BXOR, whole | KIND_BYTE},
        {"minloc", MPI_MINLOC, KIND_PAIR},
        {"maxloc", MPI_MAXLOC, KIND_PAIR},
    };

    memcpy(ops, all, sizeof(all));
    return &ops[i];
}

static inline const struct op *op_named(const char *name)
{
    int i = 0;

    while (0 != strcmp(op_at(i)->name, name)) {
        ++i;
    }
    return op_at(i);
}

static inline bool kind_takes(const struct kind *kind, const struct op *op)
{
    return 0 != ((int) kind->class & op->classes);
}

/* Small, of either sign, rarely zero; for products a power of two that stays exact. */
static inline int op_value(const struct op *op, int rank, int i)
{
    if (MPI_PROD == op->op) {
        int x = 0 == (rank + i) % 16 ? 2 : 1;

        return 0 == (rank + 2 * i) % 3 ? -x : x;
    }
    if (MPI_LAND == op->op) {
        return 0 == i % 2 && 1 == rank ? 0 : 1 + rank % 2;
    }
    if (MPI_LOR == op->op || MPI_LXOR == op->op) {
        return 0 == (rank + i) % 3 ? 2 : 0;
    }
    if (MPI_MAX == op->op || MPI_MAXLOC == op->op) {
        /* All below zero: a zero of nobody's would win */
        return -1 - (rank * 7 + i) % 23;
    }
    return 1 + (rank * 7 + i * 5) % 23;
}

#if defined(MPI_INTEGER4) && defined(MPI_REAL8)
enum { NUM_SIMPLE_KINDS = 38, NUM_PAIR_KINDS = 9 };
#else
/* An Open MPI that was built without Fortran has no types of Fortran of a given size, and no
 * operations on pairs of its numbers. */
enum { NUM_SIMPLE_KINDS = 36, NUM_PAIR_KINDS = 7 };
#endif

enum { NUM_WHOLE_KINDS = 22 };

static inline int num_kinds(void)
{
    return NUM_SIMPLE_KINDS + NUM_PAIR_KINDS;
}

/* The types of whole numbers come first. */
static inline struct kind kind_whole(int i)
{
    const struct kind all[NUM_WHOLE_KINDS] = {
        {.name = "int", .type = MPI_INT, .class = KIND_INTEGER},
        {.name = "short", .type = MPI_SHORT, .class = KIND_INTEGER},
        {.name = "long", .type = MPI_LONG, .class = KIND_INTEGER},
        {.name = "long_long", .type = MPI_LONG_LONG, .class = KIND_INTEGER},
        {.name = "signed_char", .type = MPI_SIGNED_CHAR, .class = KIND_INTEGER},
        {.name = "unsigned_char", .type = MPI_UNSIGNED_CHAR, .class = KIND_INTEGER},
        {.name = "unsigned_short", .type = MPI_UNSIGNED_SHORT, .class = KIND_INTEGER},
        {.name = "unsigned", .type = MPI_UNSIGNED, .class = KIND_INTEGER},
        {.name = "unsigned_long", .type = MPI_UNSIGNED_LONG, .class = KIND_INTEGER},
        {.name = "unsigned_long_long", .type = MPI_UNSIGNED_LONG_LONG, .class = KIND_INTEGER},
        {.name = "int8", .type = MPI_INT8_T, .class = KIND_INTEGER},
        {.name = "int16", .type = MPI_INT16_T, .class = KIND_INTEGER},
        {.name = "int32", .type = MPI_INT32_T, .class = KIND_INTEGER},
        {.name = "int64", .type = MPI_INT64_T, .class = KIND_INTEGER},
        {.name = "uint8", .type = MPI_UINT8_T, .class = KIND_INTEGER},
        {.name = "uint16", .type = MPI_UINT16_T, .class = KIND_INTEGER},
        {.name = "uint32", .type = MPI_UINT32_T, .class = KIND_INTEGER},
        {.name = "uint64", .type = MPI_UINT64_T, .class = KIND_INTEGER},
        {.name = "aint", .type = MPI_AINT, .class = KIND_FOREIGN},
        {.name = "offset", .type = MPI_OFFSET, .class = KIND_FOREIGN},
        {.name = "count", .type = MPI_COUNT, .class = KIND_FOREIGN},
        {.name = "integer", .type = MPI_INTEGER, .class = KIND_FOREIGN},
    };

    return all[i];
}

static inline struct kind kind_simple(int i)
{
    const struct kind all[NUM_SIMPLE_KINDS - NUM_WHOLE_KINDS] = {
        {.name = "float", .type = MPI_FLOAT, .class = KIND_FLOATING, .format = FORMAT_FLOAT},
        {.name = "double", .type = MPI_DOUBLE, .class = KIND_FLOATING, .format = FORMAT_DOUBLE},
        {.name = "long_double",
         .type = MPI_LONG_DOUBLE,
         .class = KIND_FLOATING,
         .format = FORMAT_LONG_DOUBLE},
        {.name = "real", .type = MPI_REAL, .class = KIND_FLOATING, .format = FORMAT_FLOAT},
        {.name = "double_precision",
         .type = MPI_DOUBLE_PRECISION,
         .class = KIND_FLOATING,
         .format = FORMAT_DOUBLE},
        {.name = "c_complex",
         .type = MPI_C_COMPLEX,
         .class = KIND_COMPLEX,
         .format = FORMAT_FLOAT_COMPLEX},
        {.name = "c_float_complex",
         .type = MPI_C_FLOAT_COMPLEX,
         .class = KIND_COMPLEX,
         .format = FORMAT_FLOAT_COMPLEX},
        {.name = "c_double_complex",
         .type = MPI_C_DOUBLE_COMPLEX,
         .class = KIND_COMPLEX,
         .format = FORMAT_DOUBLE_COMPLEX},
        {.name = "c_long_double_complex",
         .type = MPI_C_LONG_DOUBLE_COMPLEX,
         .class = KIND_COMPLEX,
         .format = FORMAT_LONG_DOUBLE_COMPLEX},
        {.name = "complex",
         .type = MPI_COMPLEX,
         .class = KIND_COMPLEX,
         .format = FORMAT_FLOAT_COMPLEX},
        {.name = "double_complex",
         .type = MPI_DOUBLE_COMPLEX,
         .class = KIND_COMPLEX,
         .format = FORMAT_DOUBLE_COMPLEX},
        {.name = "c_bool", .type = MPI_C_BOOL, .class = KIND_LOGICAL},
        {.name = "logical", .type = MPI_LOGICAL, .class = KIND_LOGICAL},
        {.name = "byte", .type = MPI_BYTE, .class = KIND_BYTE},
#if defined(MPI_INTEGER4) && defined(MPI_REAL8)
        {.name = "integer4", .type = MPI_INTEGER4, .class = KIND_FOREIGN},
        {.name = "real8", .type = MPI_REAL8, .class = KIND_FLOATING, .format = FORMAT_DOUBLE},
#endif
    };

    return i < NUM_WHOLE_KINDS ? kind_whole(i) : all[i - NUM_WHOLE_KINDS];
}

static inline struct kind kind_pair(int i)
{
    struct float_int {
        float a;
        int b;
    };
    struct double_int {
        double a;
        int b;
    };
    struct long_int {
        long a;
        int b;
    };
    struct short_int {
        short a;
        int b;
    };
    struct long_double_int {
        long double a;
        int b;
    };
    const enum kind_format w = FORMAT_WHOLE, f = FORMAT_FLOAT, d = FORMAT_DOUBLE;
    const size_t i4 = sizeof(int);
    const struct kind all[NUM_PAIR_KINDS] = {
        {"2int", MPI_2INT, KIND_PAIR, w, i4, w, i4, i4, 0},
        {"float_int", MPI_FLOAT_INT, KIND_PAIR, f, sizeof(float), w, i4,
         offsetof(struct float_int, b), 0},
        {"double_int", MPI_DOUBLE_INT, KIND_PAIR, d, sizeof(double), w, i4,
         offsetof(struct double_int, b), 0},
        {"long_int", MPI_LONG_INT, KIND_PAIR, w, sizeof(long), w, i4, offsetof(struct long_int, b),
         0},
        {"short_int", MPI_SHORT_INT, KIND_PAIR, w, sizeof(short), w, i4,
         offsetof(struct short_int, b), 0},
        {"long_double_int", MPI_LONG_DOUBLE_INT, KIND_PAIR, FORMAT_LONG_DOUBLE, sizeof(long double),
         w, i4, offsetof(struct long_double_int, b), 0},
        {"2integer", MPI_2INTEGER, KIND_PAIR, w, i4, w, i4, i4, 0},
#if defined(MPI_INTEGER4) && defined(MPI_REAL8)
        {"2real", MPI_2REAL, KIND_PAIR, f, sizeof(float), f, sizeof(float), sizeof(float), 0},
        {"2double_precision", MPI_2DOUBLE_PRECISION, KIND_PAIR, d, sizeof(double), d,
         sizeof(double), sizeof(double), 0},
#endif
    };

    return all[i];
}

/* The i-th type, with its extent; extent 0 where the library has not got it. */
static inline struct kind kind_at(int i)
{
    struct kind kind = i < NUM_SIMPLE_KINDS ? kind_simple(i) : kind_pair(i - NUM_SIMPLE_KINDS);
    MPI_Aint lb, extent;
    int size = 0;

    if (MPI_DATATYPE_NULL == kind.type) {
        return kind;
    }
    mpi_check(MPI_Type_size(kind.type, &size), "MPI_Type_size");
    mpi_check(MPI_Type_get_extent(kind.type, &lb, &extent), "MPI_Type_get_extent");
    kind.extent = 0 == size ? 0 : (size_t) extent;
    if (KIND_PAIR != kind.class) {
        kind.first = kind.extent;
    }
    return kind;
}

static inline struct kind kind_named(const char *name)
{
    int i = 0;

    while (0 != strcmp(kind_at(i).name, name)) {
        ++i;
    }
    return kind_at(i);
}

static inline void kind_store_whole(unsigned char *at, size_t bytes, int value)
{
    const int8_t v1 = (int8_t) value;
    const int16_t v2 = (int16_t) value;
    const int32_t v4 = value;
    const int64_t v8 = value;

    switch (bytes) {
    case sizeof(v1):
        memcpy(at, &v1, sizeof(v1));
        break;
    case sizeof(v2):
        memcpy(at, &v2, sizeof(v2));
        break;
    case sizeof(v4):
        memcpy(at, &v4, sizeof(v4));
        break;
    default:
        memcpy(at, &v8, sizeof(v8));
    }
}

/* The bytes behind a long double's number stay as they are. */
static inline void kind_store_long_double(unsigned char *at, long double value)
{
    memcpy(at, &value, kind_significant(FORMAT_LONG_DOUBLE, sizeof(value)));
}

static inline void kind_store_member(enum kind_format format, unsigned char *at, size_t bytes,
                                     int value)
{
    const float f = (float) value;
    const double d = value;
    const float complex fc = (float) value;
    const double complex dc = value;

    switch (format) {
    case FORMAT_WHOLE:
        kind_store_whole(at, bytes, value);
        break;
    case FORMAT_FLOAT:
        memcpy(at, &f, sizeof(f));
        break;
    case FORMAT_DOUBLE:
        memcpy(at, &d, sizeof(d));
        break;
    case FORMAT_LONG_DOUBLE:
        kind_store_long_double(at, value);
        break;
    case FORMAT_FLOAT_COMPLEX:
        memcpy(at, &fc, sizeof(fc));
        break;
    case FORMAT_DOUBLE_COMPLEX:
        memcpy(at, &dc, sizeof(dc));
        break;
    default:
        kind_store_long_double(at, value);
        kind_store_long_double(at + sizeof(long double), 0.0L);
    }
}

/* Writes one element; a pair's second member gets the index. A logical is 0 or 1. */
static inline void kind_store(const struct kind *kind, unsigned char *at, int value, int index)
{
    kind_store_member(kind->format, at, kind->first,
                      KIND_LOGICAL == kind->class ? 0 != value : value);
    if (kind->second > 0) {
        kind_store_member(kind->second_format, at + kind->second_at, kind->second, index);
    }
}

/* By value, because the order of multiplying decides the sign of a part that is zero. */
static inline bool kind_equal_complex(enum kind_format format, const unsigned char *a,
                                      const unsigned char *b)
{
    float complex fa, fb;
    double complex da, db;
    long double complex la, lb;

    switch (format) {
    case FORMAT_FLOAT_COMPLEX:
        memcpy(&fa, a, sizeof(fa));
        memcpy(&fb, b, sizeof(fb));
        return fa == fb;
    case FORMAT_DOUBLE_COMPLEX:
        memcpy(&da, a, sizeof(da));
        memcpy(&db, b, sizeof(db));
        return da == db;
    default:
        memcpy(&la, a, sizeof(la));
        memcpy(&lb, b, sizeof(lb));
        return la == lb;
    }
}

/* Whether two arrays are equal except for padding. */
static inline bool kind_equal(const struct kind *kind, const unsigned char *a,
                              const unsigned char *b, int count)
{
    for (int i = 0; i < count; ++i, a += kind->extent, b += kind->extent) {
        bool equal = KIND_COMPLEX == kind->class ? kind_equal_complex(kind->format, a, b)
                                                 : 0
                                                       == memcmp(a, b,
                                                                 kind_significant(kind->format,
                                                                                  kind->first));

        if (!equal || 0 != memcmp(a + kind->second_at, b + kind->second_at, kind->second)) {
            return false;
        }
    }
    return true;
}

#endif
