/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Ranks by halves (see the header).
 */

#include "algo/pattern/napcoll_halves.h"

/* One cut: go on with the upper or the lower half. */
static napcoll_half_t cut_half(napcoll_half_t whole, bool upper)
{
    const int half = (whole.count + 1) / 2;
    napcoll_half_t result = {.part = 2 * whole.part + upper, .first = whole.first, .count = half};

    if (upper) {
        result.first += half;
        result.count = whole.count - half;
    }
    return result;
}

napcoll_half_t napcoll_halves_of(int size, int cuts, int rank)
{
    napcoll_half_t half = {.count = size};

    for (int i = 0; i < cuts; i++) {
        half = cut_half(half, rank >= half.first + (half.count + 1) / 2);
    }
    return half;
}

/* The part whose block a member of the actors has: its number has the member's bits reversed. */
static napcoll_half_t part_of(int size, int member)
{
    napcoll_half_t half = {.count = size};

    for (int bit = 0; bit < napcoll_halves_depth(size); bit++) {
        half = cut_half(half, member >> bit & 1);
    }
    return half;
}

static int actor_of(int size, int rank)
{
    const int depth = napcoll_halves_depth(size), part = napcoll_halves_of(size, depth, rank).part;
    int member = 0;

    for (int bit = 0; bit < depth; bit++) {
        member |= (part >> bit & 1) << (depth - 1 - bit);
    }
    return member;
}

/* The group's lane is the rank of the root. */
static int rank_of_actor(const napcoll_group_t *group, int member)
{
    const napcoll_half_t half = part_of(group->map->size, member);

    return napcoll_split_head(half.first, half.count, group->lane);
}

napcoll_actors_t napcoll_halves_actors(const napcoll_plan_args_t *args)
{
    const int size = args->map->size, depth = napcoll_halves_depth(size);
    const int root = napcoll_plan_args_root(args);
    const napcoll_half_t half = napcoll_halves_of(size, depth, args->rank);
    napcoll_actors_t actors = {.group = {.members = 1 << depth,
                                         .self = actor_of(size, args->rank),
                                         .root = actor_of(size, root),
                                         .radix = 2,
                                         .rank = rank_of_actor,
                                         .map = args->map,
                                         .lane = root},
                               .actor = napcoll_split_head(half.first, half.count, root),
                               .other = -1};

    if (half.count > 1) {
        actors.other = actors.actor == half.first ? half.first + 1 : half.first;
    }
    return actors;
}

void napcoll_halves_join(napcoll_reduction_t *reduction, const napcoll_actors_t *actors)
{
    napcoll_builder_t *builder = reduction->builder;

    if (reduction->rank == actors->other) {
        napcoll_builder_send(builder, napcoll_reduction_settle(reduction, 0, reduction->blocks),
                             actors->actor);
    } else if (actors->other >= 0) {
        const napcoll_span_t value = napcoll_builder_temp(builder, 0, reduction->blocks);

        napcoll_builder_recv(builder, value, actors->other);
        napcoll_reduction_add(reduction, value, actors->other);
    }
    napcoll_builder_next_stage(builder);
}

napcoll_plan_t *napcoll_halves_allreduce(const napcoll_plan_args_t *args,
                                         const napcoll_actors_t *actors, napcoll_route_t *route,
                                         int own)
{
    const int blocks = actors->group.members;
    const napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = blocks};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, blocks);
    napcoll_reduction_t reduction;

    if (NULL == builder) {
        napcoll_route_free(route);
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    if (napcoll_reduction_begin(&reduction, builder, args, napcoll_plan_args_input_buffer(args),
                                home, blocks)) {
        napcoll_halves_join(&reduction, actors);
        if (args->rank == actors->actor) {
            napcoll_reduction_pipeline(&reduction, route, route, 1, blocks, own);
        }
        if (args->rank == actors->other) {
            napcoll_builder_recv(builder, home, actors->actor);
        } else if (actors->other >= 0) {
            napcoll_builder_send(builder, home, actors->other);
        }
    }
    napcoll_reduction_end(&reduction);
    napcoll_route_free(route);
    return napcoll_builder_finish(builder);
}
