/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Recursive halving for any number of ranks (see the header).
 */

#include "algo/napcoll_pieces.h"

#include "algo/napcoll_halves.h"
#include "algo/napcoll_split.h"

/* The rank that acts for a member's piece; base is the rank of the root. */
static int actor_rank(const napcoll_group_t *group, int member)
{
    const int size = group->map->size, depth = napcoll_halves_depth(size);
    const int first = napcoll_halves_first(size, depth, napcoll_halves_reversed(member, depth));
    int with_root, ranks;

    (void) napcoll_halves_piece(size, depth, group->base, &with_root, &ranks);
    return first == with_root ? group->base : first;
}

static int actor_block(const napcoll_group_t *group, int member)
{
    (void) group;
    return member;
}

napcoll_pieces_t napcoll_pieces_of(const napcoll_plan_args_t *args)
{
    const int size = args->map->size, depth = napcoll_halves_depth(size);
    const int root = napcoll_plan_args_root(args);
    napcoll_pieces_t pieces = {.group = {.members = 1 << depth,
                                         .rank = actor_rank,
                                         .first = actor_block,
                                         .map = args->map,
                                         .base = root},
                               .other = -1};
    int first, ranks;

    pieces.root = napcoll_halves_reversed(napcoll_halves_piece(size, depth, root, &first, &ranks),
                                          depth);
    pieces.group.self = napcoll_halves_reversed(
        napcoll_halves_piece(size, depth, args->rank, &first, &ranks), depth);
    pieces.actor = napcoll_split_head(first, ranks, root);
    if (ranks > 1) {
        pieces.other = pieces.actor == first ? first + 1 : first;
    }
    return pieces;
}

void napcoll_pieces_join(napcoll_reduction_t *reduction, const napcoll_pieces_t *pieces)
{
    napcoll_builder_t *builder = reduction->builder;

    if (reduction->rank == pieces->other) {
        napcoll_builder_send(builder, napcoll_reduction_settle(reduction, 0, reduction->blocks),
                             pieces->actor);
    } else if (pieces->other >= 0) {
        napcoll_span_t value = napcoll_builder_temp(builder, 0, reduction->blocks);

        napcoll_builder_recv(builder, value, pieces->other);
        napcoll_reduction_in(reduction, value, pieces->other);
    }
    napcoll_builder_next_stage(builder);
}
