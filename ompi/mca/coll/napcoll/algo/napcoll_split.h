/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The balanced split: how m members are cut into groups of groups, for any m and any radix.
 *
 * A range of m members at level v is cut into G = ceil(m / radix^(v-1)) parts, the first m mod G of
 * them one member larger than the others, in member order; each part is then cut at level v-1.
 * Level ceil(log_radix m) is the whole. m = 10, radix = 4:
 *
 *     level 2   [ 0 1 2 3 | 4 5 6 | 7 8 9 ]       3 parts of 4, 3, 3
 *     level 1   [0|1|2|3]  [4|5|6]  [7|8|9]       parts of one member each
 *
 * It is the shape of NAP's node groups (Bienz, Olson, Gropp: "Node-Aware Improvements to
 * Allreduce", section III-A), balanced so that no short last group serialises its partners, and of
 * all reduce trees in napcoll: where two ranks split the same m by the same radix, they reduce in the
 * same order and get the same bits.
 */

#ifndef NAPCOLL_SPLIT_H
#define NAPCOLL_SPLIT_H

/** The group of one member at one level. */
typedef struct napcoll_split {
    int first;    /**< first member of the group */
    int size;     /**< members of the group */
    int parts;    /**< parts that the group is cut into */
    int part;     /**< the member's part */
    int position; /**< the member's place in its part */
} napcoll_split_t;

/** Levels of a split: the least v with radix^v >= members. radix >= 2. */
int napcoll_split_levels(int members, int radix);

/** How many members a process with `width` of them has reached after a step of this radix. A process goes
 * napcoll_split_levels(members, radix) such steps from 1 to all of them. */
static inline int napcoll_split_widen(int width, int members, int radix)
{
    return width > members / radix ? members : width * radix;
}

/** The group of `member` (0 <= member < members) at `level` (1 .. levels). */
napcoll_split_t napcoll_split_at(int members, int radix, int level, int member);

/** Members in part `part` of a group. */
static inline int napcoll_split_part_size(const napcoll_split_t *split, int part)
{
    return split->size / split->parts + (part < split->size % split->parts ? 1 : 0);
}

/** First member of part `part` of a group. */
static inline int napcoll_split_part_first(const napcoll_split_t *split, int part)
{
    int larger = split->size % split->parts;
    return split->first + part * (split->size / split->parts) + (part < larger ? part : larger);
}

/** Where what members [first, first + size) have meets on its way to member `root`: there, if that is one
 * of them, else at the first. */
static inline int napcoll_split_head(int first, int size, int root)
{
    return root >= first && root < first + size ? root : first;
}

/** The same of a part of a group. */
static inline int napcoll_split_part_head(const napcoll_split_t *split, int part, int root)
{
    return napcoll_split_head(napcoll_split_part_first(split, part),
                              napcoll_split_part_size(split, part), root);
}

#endif /* NAPCOLL_SPLIT_H */
