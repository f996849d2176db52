/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What coll/base does with the blocks of all ranks, where napcoll has no algorithm of that kind of its own.
 *
 *     neighbor    even P: neighbours exchange their blocks, then in turns with the one on the other side the two
 *                 blocks that came last; P/2 steps, cost alpha + b beta + (P/2 - 1) (alpha + 2 b beta)
 *     halving     recursive halving of the vector, the farthest partner first
 *     butterfly   the same, the nearest first; every rank ends with the block of the rank whose number is its own
 *                 read backwards, and sends it there
 *     cost        log2(P) alpha + (P - 1) b (beta + gamma), of the butterfly alpha + b beta more
 *
 * Where the number of ranks is no power of two, the first ranks are pairs, of which the even one gives its vector to the
 * odd one, and gets its block at the end.
 */

#include "algo/previous/previous.h"

#include "algo/alltoall/alltoall.h"
#include "algo/napcoll_exchange.h"
#include "algo/napcoll_halves.h"
#include "algo/napcoll_gather_tree.h"
#include "algo/napcoll_sketch.h"
#include "algo/napcoll_spread.h"

napcoll_plan_t *napcoll_previous_neighbor(const napcoll_plan_args_t *args)
{
    const int size = args->map->size, rank = args->rank, even = 0 == rank % 2;
    const int neighbor[2] = {(rank + (even ? 1 : size - 1)) % size,
                             (rank + (even ? size - 1 : 1)) % size};
    const int stride[2] = {even ? 2 : size - 2, even ? size - 2 : 2};
    const napcoll_span_t own = {NAPCOLL_BUFFER_RECV, rank, 1};
    const napcoll_span_t input = {
        .buffer = napcoll_plan_args_input_buffer(args), .first = rank, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_RANKS, size);
    int pair = even ? rank : rank - 1, from[2] = {pair, pair};

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_copy(builder, own, input);
    napcoll_builder_next_stage(builder);
    napcoll_builder_recv(builder, (napcoll_span_t){NAPCOLL_BUFFER_RECV, neighbor[0], 1},
                         neighbor[0]);
    napcoll_builder_send(builder, own, neighbor[0]);
    napcoll_builder_next_stage(builder);
    for (napcoll_sketch_t at = napcoll_sketch_first(args->shortened, size / 2 - 1, 2);
         at.stage < size / 2 - 1; napcoll_sketch_next(&at)) {
        const int side = (at.stage + 1) % 2, last = pair;

        pair = from[side] = (from[side] + stride[side]) % size;
        napcoll_builder_recv(builder, (napcoll_span_t){NAPCOLL_BUFFER_RECV, pair, 2},
                             neighbor[side]);
        napcoll_builder_send(builder, (napcoll_span_t){NAPCOLL_BUFFER_RECV, last, 2},
                             neighbor[side]);
        napcoll_builder_repeat(builder, at.times);
        napcoll_builder_next_stage(builder);
    }
    return napcoll_builder_finish(builder);
}

/* ---- reduce-scatters among a power of two of ranks, the first of which act for two ---- */

typedef struct {
    napcoll_builder_t *builder;
    int rank;
    int size;
    int actors;           /* a power of two */
    int rest;             /* actors that act for two ranks */
    int self;             /* the actor that this rank is, or -1 */
    napcoll_span_t value; /* of all blocks */
} actors_t;

static int actor_rank(const actors_t *a, int actor)
{
    return actor < a->rest ? 2 * actor + 1 : actor + a->rest;
}

/* The first block of an actor; that of actor `actors` is where the last one's end. */
static int actor_block(const actors_t *a, int actor)
{
    return actor < a->rest ? 2 * actor : actor + a->rest;
}

/* The blocks of actors first, ..., first + count - 1 in the buffer of the value. */
static napcoll_span_t blocks_of(const actors_t *a, int first, int count)
{
    const int block = actor_block(a, first);

    return (napcoll_span_t){a->value.buffer, block, actor_block(a, first + count) - block};
}

/* Begin: pairs join, and the value is in a temporary. */
static actors_t begin(const napcoll_plan_args_t *args)
{
    const int rank = args->rank, size = args->map->size;
    const napcoll_span_t input = {.buffer = NAPCOLL_BUFFER_SEND, .count = size};
    actors_t a = {.rank = rank,
                  .size = size,
                  .self = -1,
                  .builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_RANKS, size)};

    if (NULL == a.builder) {
        return a;
    }
    a.actors = napcoll_previous_power(size, &a.rest);
    if (rank < 2 * a.rest && 0 == rank % 2) {
        napcoll_builder_send(a.builder, input, rank + 1);
        napcoll_builder_next_stage(a.builder);
        return a;
    }
    a.self = rank < 2 * a.rest ? rank / 2 : rank - a.rest;
    a.value = napcoll_builder_temp(a.builder, 0, size);
    if (rank < 2 * a.rest) {
        napcoll_builder_recv(a.builder, a.value, rank - 1);
        napcoll_builder_reduce(a.builder, a.value, input, a.value);
    } else {
        napcoll_builder_copy(a.builder, a.value, input);
    }
    napcoll_builder_next_stage(a.builder);
    return a;
}

/* Send the blocks of some actors to an actor, and reduce what comes into those of others. */
static void halve(actors_t *a, int actor, napcoll_span_t away, napcoll_span_t kept)
{
    const int peer = actor_rank(a, actor);
    const napcoll_span_t come = napcoll_builder_temp(a->builder, kept.first, kept.count);

    napcoll_builder_recv(a->builder, come, peer);
    napcoll_builder_send(a->builder, away, peer);
    napcoll_builder_reduce(a->builder, kept, come, kept);
    napcoll_builder_release(a->builder, come);
    napcoll_builder_next_stage(a->builder);
}

static napcoll_span_t block_at(int buffer, int block)
{
    return (napcoll_span_t){buffer, block, 1};
}

napcoll_plan_t *napcoll_previous_halving(const napcoll_plan_args_t *args)
{
    const napcoll_span_t result = block_at(NAPCOLL_BUFFER_RECV, args->rank);
    actors_t a = begin(args);

    if (NULL == a.builder) {
        return NULL;
    }
    if (a.self < 0) {
        napcoll_builder_recv(a.builder, result, a.rank + 1);
        return napcoll_builder_finish(a.builder);
    }
    for (int half = a.actors / 2; half > 0; half /= 2) {
        const int first = a.self / half * half, other = first ^ half;

        halve(&a, a.self ^ half, blocks_of(&a, other, half), blocks_of(&a, first, half));
    }
    if (a.rank < 2 * a.rest) {
        napcoll_builder_send(a.builder, block_at(a.value.buffer, a.rank - 1), a.rank - 1);
    }
    napcoll_builder_copy(a.builder, result, block_at(a.value.buffer, a.rank));
    return napcoll_builder_finish(a.builder);
}

napcoll_plan_t *napcoll_previous_butterfly(const napcoll_plan_args_t *args)
{
    const napcoll_span_t result = block_at(NAPCOLL_BUFFER_RECV, args->rank);
    actors_t a = begin(args);
    const int bits = NULL == a.builder ? 0 : napcoll_halves_depth(a.actors);
    int first = 0, mirror, to;

    if (NULL == a.builder) {
        return NULL;
    }
    if (a.self < 0) {
        mirror = napcoll_halves_reversed(a.rank / 2, bits);
        napcoll_builder_recv(a.builder, result, actor_rank(&a, mirror));
        return napcoll_builder_finish(a.builder);
    }
    for (int away = 1, half = a.actors / 2; away < a.actors; away *= 2, half /= 2) {
        const int kept = first + (0 == (a.self & away) ? 0 : half);
        const int other = first + (0 == (a.self & away) ? half : 0);

        halve(&a, a.self ^ away, blocks_of(&a, other, half), blocks_of(&a, kept, half));
        first = kept;
    }
    mirror = napcoll_halves_reversed(a.self, bits); /* and so is `first` */
    to = actor_rank(&a, mirror);
    if (mirror < a.rest) {
        napcoll_builder_send(a.builder, block_at(a.value.buffer, to - 1), to - 1);
        napcoll_builder_next_stage(a.builder);
    }
    if (to == a.rank) {
        napcoll_builder_copy(a.builder, result, block_at(a.value.buffer, to));
    } else {
        napcoll_builder_recv(a.builder, result, to);
        napcoll_builder_send(a.builder, block_at(a.value.buffer, to), to);
    }
    return napcoll_builder_finish(a.builder);
}

napcoll_plan_t *napcoll_previous_ring(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_spread_places(args);
    napcoll_route_t route = {0};

    (void) napcoll_route_ring(&route, &places, 0);
    return napcoll_spread_reduce(args, &route, (napcoll_room_t){.user = true});
}

/* Bruck's all-to-all is TuNA with radix 2, but for the blocks of one step that TuNA spares itself to store. */
napcoll_plan_t *napcoll_previous_bruck(const napcoll_plan_args_t *args)
{
    napcoll_plan_args_t binary = *args;

    binary.params.tunable[0] = 2;
    return napcoll_alltoall_tuna(&binary);
}

napcoll_plan_t *napcoll_previous_one_by_one(const napcoll_plan_args_t *args)
{
    napcoll_gather_tree_t tree = napcoll_gather_tree_ranks(args, args->map->size);

    napcoll_gather_tree_messages(&tree, 1);
    return napcoll_gather_tree_end(&tree);
}
