/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The numbers of TuNA's rounds (see the header).
 */

#include "algo/napcoll_digits.h"

int napcoll_digits_radix(int wanted, int members)
{
    if (wanted < 2) {
        return 2;
    }
    return wanted > members && members > 1 ? members : wanted;
}

int napcoll_digits_rounds(int members, int radix)
{
    int rounds = 0;

    for (int64_t weight = 1; weight < members; weight *= radix) {
        const int64_t digits = (members - 1) / weight;

        rounds += (int) (digits < radix ? digits : radix - 1);
    }
    return rounds;
}

int64_t napcoll_digits_having(int members, int radix, int64_t weight, int digit)
{
    const int64_t span = weight * radix, rest = members % span - digit * weight;

    return members / span * weight + (rest < 0 ? 0 : rest > weight ? weight : rest);
}

int64_t napcoll_digits_moved(int members, int radix)
{
    int64_t moved = 0;

    for (int64_t weight = 1; weight < members; weight *= radix) {
        for (int digit = 1; digit < radix && digit * weight < members; digit++) {
            moved += napcoll_digits_having(members, radix, weight, digit);
        }
    }
    return moved;
}

int napcoll_digits_told(int members, int radix)
{
    int told = 0;

    for (int64_t weight = 1; weight * radix < members; weight *= radix) {
        for (int digit = 1; digit < radix && digit * weight + weight * radix < members; digit++) {
            told++;
        }
    }
    return told;
}

int napcoll_digits_slots(int members, int radix)
{
    return members - 1 - napcoll_digits_rounds(members, radix);
}

int napcoll_digits_slot(int radix, int j)
{
    int digits = 0, leading = j;

    for (; leading >= radix; leading /= radix) {
        digits++;
    }
    return j - 1 - digits * (radix - 1) - leading;
}
