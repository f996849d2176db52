/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The balanced split (see the header).
 */

#include "algo/pattern/napcoll_split.h"

#include <stdint.h>

int napcoll_split_levels(int members, int radix)
{
    int levels = 0;
    for (int64_t reach = 1; reach < members; reach *= radix) {
        levels++;
    }
    return levels;
}

/* radix^exponent, or some number above INT32_MAX. */
static int64_t power(int radix, int exponent)
{
    int64_t result = 1;
    while (exponent-- > 0 && result <= INT32_MAX) {
        result *= radix;
    }
    return result;
}

/* The group where all groups of a level are alike: by the digits of the member. */
static napcoll_split_t even_group(int radix, int level, int member)
{
    const int part = (int) power(radix, level - 1), size = part * radix, offset = member % size;

    return (napcoll_split_t){.first = member - offset,
                             .size = size,
                             .parts = radix,
                             .part = offset / part,
                             .position = offset % part};
}

napcoll_split_t napcoll_split_at(int members, int radix, int level, int member)
{
    const int levels = napcoll_split_levels(members, radix);
    napcoll_split_t split = {.first = 0, .size = members};

    if (power(radix, levels) == members) {
        return even_group(radix, level, member);
    }
    for (int v = levels;; v--) {
        int64_t capacity = power(radix, v - 1);
        int offset = member - split.first, small, larger;

        split.parts = (int) ((split.size + capacity - 1) / capacity);
        small = split.size / split.parts;
        larger = split.size % split.parts;
        split.part = offset < larger * (small + 1) ? offset / (small + 1)
                                                   : (offset - larger) / small;
        split.position = member - napcoll_split_part_first(&split, split.part);
        if (v == level) {
            return split;
        }
        int size = napcoll_split_part_size(&split, split.part);
        split.first = napcoll_split_part_first(&split, split.part);
        split.size = size;
    }
}

int napcoll_split_source(const napcoll_split_t *split, int part)
{
    const int size = napcoll_split_part_size(split, part);

    return napcoll_split_part_first(split, part)
           + (split->position < size ? split->position : split->part % size);
}

int napcoll_split_targets(const napcoll_split_t *split, int part, int target[2])
{
    const int own = napcoll_split_part_size(split, split->part);
    const int first = napcoll_split_part_first(split, part);
    const int size = napcoll_split_part_size(split, part);
    int targets = 0;

    if (split->position < size) {
        target[targets++] = first + split->position;
    }
    if (size > own && split->position == part % own) {
        /* the position that this part lacks */
        target[targets++] = first + own;
    }
    return targets;
}
