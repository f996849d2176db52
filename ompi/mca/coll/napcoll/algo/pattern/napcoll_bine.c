/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Bine trees and butterflies (see the header).
 */

#include "algo/pattern/napcoll_bine.h"

/* ---- the tree ---- */

/* Ranks [first, first + count) of a stretch, whose data is at `owner`; they have positions from
 * `position` on. */
typedef struct {
    int first;
    int count;
    int owner;
    int position;
} stretch_t;

static stretch_t whole_stretch(int members)
{
    return (stretch_t){.count = members, .owner = members / 3};
}

/* Cut a stretch of two or more: *kept has the owner, *given its mirror image. */
static void cut(const stretch_t *whole, stretch_t *kept, stretch_t *given)
{
    const int size = whole->count, keeps = (size + 1) / 2, gives = size - keeps;
    const int at = whole->owner - whole->first, image = size - 1 - at;
    const bool low = at < keeps;

    *kept = (stretch_t){.first = whole->first + (low ? 0 : gives),
                        .count = keeps,
                        .owner = whole->owner,
                        .position = whole->position};
    *given = (stretch_t){.first = whole->first + (low ? keeps : 0),
                         .count = gives,
                         .owner = whole->first + (low && image < keeps ? keeps : image),
                         .position = whole->position + keeps};
}

int napcoll_bine_place(int members, int position)
{
    stretch_t at = whole_stretch(members), kept, given;

    while (at.count > 1) {
        cut(&at, &kept, &given);
        at = position < given.position ? kept : given;
    }
    return (at.first + members - members / 3) % members;
}

int napcoll_bine_position(int members, int place)
{
    const int number = (place + members / 3) % members;
    stretch_t at = whole_stretch(members), kept, given;

    while (at.count > 1) {
        cut(&at, &kept, &given);
        at = number >= kept.first && number < kept.first + kept.count ? kept : given;
    }
    return at.position;
}

/* The group's lane is the place of the root. */
static int rank_of_position(const napcoll_group_t *group, int member)
{
    const int place = group->lane + napcoll_bine_place(group->members, member);

    return napcoll_node_map_at(group->map, place % group->members);
}

napcoll_group_t napcoll_bine_group(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int root = napcoll_node_map_place(map, napcoll_plan_args_root(args));
    const int away = napcoll_node_map_place(map, args->rank) + map->size - root;

    return (napcoll_group_t){.members = map->size,
                             .self = napcoll_bine_position(map->size, away % map->size),
                             .radix = 2,
                             .rank = rank_of_position,
                             .map = map,
                             .lane = root};
}

/* ---- the butterfly ---- */

/* d_k = 1 - 2 d_(k - 1) */
static int distance_of(int k)
{
    int distance = 1;

    for (int i = 0; i < k; i++) {
        distance = 1 - 2 * distance;
    }
    return distance;
}

/* member + distance if it is even, member - distance if it is odd; |distance| < members */
static int go(int members, int member, int distance)
{
    return (member + members + (member % 2 ? -distance : distance)) % members;
}

int napcoll_bine_partner(int members, int k, int member)
{
    return go(members, member, distance_of(k));
}

int napcoll_bine_run(int members, int k, int member)
{
    int least = 0;

    for (int i = 1; i < k; i += 2) {
        least -= 1 << i;
    }
    if (member % 2) {
        least = 1 - least - (1 << k);
    }
    return (member + members + least) % members;
}

int napcoll_bine_bits(int members, int member)
{
    int steps = 0, even;

    while (1 << steps < members) {
        steps++;
    }
    if (0 == steps) {
        return 0;
    }
    even = member % 2 ? napcoll_bine_partner(members, steps - 1, member) : member;
    return member % 2 * (members / 2) + even / 2;
}
