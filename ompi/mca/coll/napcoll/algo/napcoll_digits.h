/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The numbers of TuNA's rounds (napcoll_tuna.h), from the digits of 1 .. members - 1 to a radix: there is a round for
 * each of these that has one digit alone which is not 0.
 *
 *     members   radix    K      D        T
 *     4096      2        12     24576    4083
 *     4096      64       126    8064     3969
 *     4096      4096     4095   4095     0
 */

#ifndef NAPCOLL_DIGITS_H
#define NAPCOLL_DIGITS_H

#include <stdint.h>

/** A radix as it is used: from 2 to the number of members. */
int napcoll_digits_radix(int wanted, int members);

/** Rounds, K: the messages that each member sends. */
int napcoll_digits_rounds(int members, int radix);

/** Numbers below `members` that have this digit, not 0, at this weight, a power of the radix. */
int64_t napcoll_digits_having(int members, int radix, int64_t weight, int digit);

/** Blocks that each member sends in all rounds, D: the digits of 1 .. members - 1 that are not 0. */
int64_t napcoll_digits_moved(int members, int radix);

/** Rounds in which some blocks have not come home then: their sizes are told before, where members do not know
 * them. */
int napcoll_digits_told(int members, int radix);

/** Slots in a temporary, T = members - 1 - K. */
int napcoll_digits_slots(int members, int radix);

/** The slot of block j, which has two digits or more that are not 0. Those of one leading digit follow each
 * other. */
int napcoll_digits_slot(int radix, int j);

#endif /* NAPCOLL_DIGITS_H */
