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
 * NAP's node groups have this shape (Bienz, Olson, Gropp: "Node-Aware Improvements to Allreduce",
 * section III-A), balanced so that no short last group makes its partners wait, and so have all
 * reduction trees in napcoll: ranks that split the same m by the same radix reduce in the same
 * order and get the same bits.
 */

#ifndef NAPCOLL_SPLIT_H
#define NAPCOLL_SPLIT_H

/** The group of one member at one level. */
typedef struct napcoll_split {
    /** First member of the group. */
    int first;
    /** Members of the group. */
    int size;
    /** Parts that the group is cut into. */
    int parts;
    /** The member's part. */
    int part;
    /** The member's place in its part. */
    int position;
} napcoll_split_t;

/** Levels of a split: the least v with radix^v >= members. radix >= 2. */
int napcoll_split_levels(int members, int radix);

/** Members that a process reaches in the step after it has reached `width`, members at most. From 1
 * to all takes napcoll_split_levels(members, radix) steps. */
static inline int napcoll_split_widen(int width, int members, int radix)
{
    return width > members / radix ? members : width * radix;
}

/** The group of `member` (0 <= member < members) at `level` (1 .. levels). */
napcoll_split_t napcoll_split_at(int members, int radix, int level, int member);

/** Items of part `part` of `parts`, where the first parts have one more than the others. */
static inline int napcoll_split_share(int items, int parts, int part)
{
    return items / parts + (part < items % parts ? 1 : 0);
}

/** The first of these items. */
static inline int napcoll_split_share_first(int items, int parts, int part)
{
    const int larger = items % parts;

    return part * (items / parts) + (part < larger ? part : larger);
}

/** Members in part `part` of a group. */
static inline int napcoll_split_part_size(const napcoll_split_t *split, int part)
{
    return napcoll_split_share(split->size, split->parts, part);
}

/** First member of part `part` of a group. */
static inline int napcoll_split_part_first(const napcoll_split_t *split, int part)
{
    return split->first + napcoll_split_share_first(split->size, split->parts, part);
}

/** The head of members [first, first + size): `root` if it is one of them, else the first. */
static inline int napcoll_split_head(int first, int size, int root)
{
    return root >= first && root < first + size ? root : first;
}

/** The head of a part of a group. */
static inline int napcoll_split_part_head(const napcoll_split_t *split, int part, int root)
{
    return napcoll_split_head(napcoll_split_part_first(split, part),
                              napcoll_split_part_size(split, part), root);
}

/**
 * Recursive multiplying: on each level a member receives from one member of each other part.
 *
 * @return the member of part `part` at the same position; where the part is too small for that
 *         position, the one at position (own part) mod (size of the part)
 */
int napcoll_split_source(const napcoll_split_t *split, int part);

/**
 * The other end of napcoll_split_source: the members of part `part` that receive from this one.
 *
 * @return how many: 0, 1 or 2
 */
int napcoll_split_targets(const napcoll_split_t *split, int part, int target[2]);

#endif /* NAPCOLL_SPLIT_H */
