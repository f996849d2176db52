/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The numbers that users type: on command lines, in lists, in parameter files and CSV files. All
 * tools read them here.
 *
 *     number   7                     digits only: no sign, no blanks
 *     size     4096  4K  1M  2g      K, M and G are 2^10, 2^20 and 2^30
 *     real     0.5  1e3
 *     time     2  0.5s  300us        s, ms, us and ns; seconds without
 *     range    8:64K  8:64K:x4  2:10:+2
 *     list     8,1K,4K:64K           numbers or ranges with commas between
 *
 * napcoll_take_... read from *text and move it behind what was read; napcoll_read_... read a whole
 * text. All return false, and set nothing, where the text is wrong or the value is out of range.
 * Pure: no MPI.
 */

#ifndef NAPCOLL_NUMBERS_H
#define NAPCOLL_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/** What a message says about sizes. */
#define NAPCOLL_SUFFIXES "K, M and G are allowed"

bool napcoll_take_number(const char **text, size_t most, size_t *number);
bool napcoll_take_size(const char **text, size_t most, size_t *size);

bool napcoll_read_int(const char *text, int least, int most, int *number);
bool napcoll_read_size(const char *text, size_t least, size_t most, size_t *size);

/** From least to most. */
bool napcoll_read_real(const char *text, double least, double most, double *number);

/** In seconds. */
bool napcoll_read_time(const char *text, double least, double most, double *seconds);

/** What values a range or a list may have, and how FROM:TO goes on. */
typedef struct napcoll_series {
    size_t least, most;
    /** Value after value is times `factor` plus `step`, where the text says nothing else. */
    size_t factor, step;
    /** TO is the last value also where the steps miss it. */
    bool ends_with_to;
    /** Whether commas are allowed. */
    bool list;
} napcoll_series_t;

/**
 * Read a range or a list.
 *
 * @param[in]  text
 * @param[in]  series  what is allowed
 * @param[out] value   [room]
 * @param[in]  room    at least 1
 *
 * @return how many values there are; 0: the text is wrong; room + 1: there are more than room
 */
int napcoll_read_series(const char *text, const napcoll_series_t *series, size_t *value, int room);

/** The end of a noun behind a number. */
static inline const char *plural(long long count)
{
    return 1 == count ? "" : "s";
}

#endif /* NAPCOLL_NUMBERS_H */
