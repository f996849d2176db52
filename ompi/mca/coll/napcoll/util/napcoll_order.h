/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Comparisons for qsort.
 */

#ifndef NAPCOLL_ORDER_H
#define NAPCOLL_ORDER_H

#include <stdint.h>

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

#endif /* NAPCOLL_ORDER_H */
