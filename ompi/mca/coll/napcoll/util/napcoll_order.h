/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Comparisons for qsort, the sorting of a few keys, and the median of a few numbers.
 */

#ifndef NAPCOLL_ORDER_H
#define NAPCOLL_ORDER_H

#include <stdint.h>
#include <stdlib.h>

/** -1, 0 or 1: `a` is below `b`, equal to it, or above it. */
static inline int napcoll_order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/** The same; if `a` and `b` are equal, by `second_a` and `second_b`. */
static inline int napcoll_order_pairs(int64_t a, int64_t second_a, int64_t b, int64_t second_b)
{
    return a != b ? napcoll_order(a, b) : napcoll_order(second_a, second_b);
}

/** The same for qsort, of keys. */
static inline int napcoll_order_keys(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/** Sort keys. A few, which is what plans mostly have, are sorted faster than qsort is called. */
static inline void napcoll_sort_keys(uint64_t *key, int count)
{
    enum { FEW = 64 };

    if (count > FEW) {
        qsort(key, (size_t) count, sizeof(*key), napcoll_order_keys);
        return;
    }
    for (int i = 1; i < count; i++) {
        const uint64_t moved = key[i];
        int to = i;

        for (; to > 0 && key[to - 1] > moved; to--) {
            key[to] = key[to - 1];
        }
        key[to] = moved;
    }
}

/** The same for qsort, of doubles. */
static inline int napcoll_order_doubles(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

/** The median of at least one number; sorts them. */
static inline double napcoll_median(double *number, int count)
{
    qsort(number, (size_t) count, sizeof(*number), napcoll_order_doubles);
    return (number[(count - 1) / 2] + number[count / 2]) / 2;
}

#endif /* NAPCOLL_ORDER_H */
