/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * That two numbers are close.
 */

#ifndef NAPCOLL_TESTS_CLOSE_H
#define NAPCOLL_TESTS_CLOSE_H

#include <math.h>

/** That two numbers agree to a share of the expected one. */
static inline void check_close(double ours, double expected, double share)
{
    if (!(fabs(ours - expected) <= share * fabs(expected))) {
        fail_msg("%.9g, expected %.9g", ours, expected);
    }
}

#endif /* NAPCOLL_TESTS_CLOSE_H */
