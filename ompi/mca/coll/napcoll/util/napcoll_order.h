/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Which of two numbers comes first, as qsort wants to know it.
 */

#ifndef NAPCOLL_ORDER_H
#define NAPCOLL_ORDER_H

#include <stdint.h>

/** -1, 0 or 1: `a` comes before `b`, is the same, or comes behind it. */
static inline int napcoll_order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/** The same of pairs of numbers: where `a` and `b` are the same, `second_a` and `second_b` tell. */
static inline int napcoll_order_pairs(int64_t a, int64_t second_a, int64_t b, int64_t second_b)
{
    return a != b ? napcoll_order(a, b) : napcoll_order(second_a, second_b);
}

#endif /* NAPCOLL_ORDER_H */
