/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Pseudo-random numbers and a hash: splitmix64.
 *
 * G. L. Steele, D. Lea, C. H. Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
 */

#ifndef NAPCOLL_MIX_H
#define NAPCOLL_MIX_H

#include <stdint.h>

/** The distance between the states of two numbers. */
#define NAPCOLL_MIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/** A hash of a number: the number of state x. Different numbers have different hashes. */
static inline uint64_t napcoll_mix(uint64_t x)
{
    x += NAPCOLL_MIX_STEP;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/** The next random number. The first state may be any number. */
static inline uint64_t napcoll_mix_next(uint64_t *state)
{
    const uint64_t number = napcoll_mix(*state);

    *state += NAPCOLL_MIX_STEP;
    return number;
}

#endif /* NAPCOLL_MIX_H */
