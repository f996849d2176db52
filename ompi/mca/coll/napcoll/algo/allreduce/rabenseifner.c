/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Rabenseifner's allreduce: reduce-scatter by recursive halving of the vector, neighbours first, then
 * allgather by recursive doubling, neighbours last. Four ranks, blocks 0 to 3:
 *
 *     0 <-> 1   0 folds blocks 0 1, 1 blocks 2 3       2 <-> 3   likewise
 *     0 <-> 2   0 folds block 0, 2 block 1             1 <-> 3   blocks 2 and 3
 *
 * Folding neighbours first keeps rank order, and moves most bytes between neighbours, which often share
 * a node. Where P is no power of two, the ranks are cut by halves into pieces of one or two
 * (napcoll_halves.h); the second of two gives its vector to the first, and gets the result at the end.
 *
 *     cost   2 log2(P) alpha + 2 (P - 1)/P beta s; 2 (alpha + beta s) more where P is no power of two
 *
 * R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication Operations in MPICH",
 * 2005.
 */

#include "algo/allreduce/allreduce.h"
#include "algo/napcoll_halves.h"
#include "algo/napcoll_schedule.h"

/* Members are pieces in the order of the blocks that they end with: numbers read backwards. */
static int piece_rank(const napcoll_group_t *group, int member)
{
    const int depth = group->base;

    return napcoll_halves_first(group->map->size, depth, napcoll_halves_reversed(member, depth));
}

static int piece_block(const napcoll_group_t *group, int member)
{
    (void) group;
    return member;
}

/* The first of two takes in the second's vector; the second waits for the result. */
static void give(napcoll_fold_t *fold, const napcoll_request_t *request, int first,
                 napcoll_span_t input)
{
    napcoll_builder_t *builder = fold->builder;

    if (request->rank == first) {
        napcoll_span_t value = napcoll_builder_temp(builder, 0, input.count);

        napcoll_builder_recv(builder, value, first + 1);
        napcoll_fold_in(fold, value, first + 1);
    } else {
        napcoll_builder_send(builder, input, first);
    }
    napcoll_builder_next_stage(builder);
}

static void give_back(napcoll_fold_t *fold, const napcoll_request_t *request, int first)
{
    if (request->rank == first) {
        napcoll_builder_send(fold->builder, fold->home, first + 1);
    } else {
        napcoll_builder_recv(fold->builder, fold->home, first);
    }
}

napcoll_plan_t *napcoll_allreduce_rabenseifner(const napcoll_request_t *request)
{
    const int size = request->map->size, depth = napcoll_halves_depth(size), pieces = 1 << depth;
    const napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = pieces};
    napcoll_builder_t *builder = napcoll_request_builder(request, NAPCOLL_LAYOUT_VECTOR, pieces);
    napcoll_group_t group = {.members = pieces,
                             .rank = piece_rank,
                             .first = piece_block,
                             .map = request->map,
                             .base = depth};
    napcoll_schedule_t schedule = {0};
    napcoll_span_t input = home;
    napcoll_fold_t fold;
    int first, ranks;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    group.self = napcoll_halves_reversed(
        napcoll_halves_piece(size, depth, request->rank, &first, &ranks), depth);
    input.buffer = napcoll_request_input_buffer(request);
    if (napcoll_fold_begin(&fold, builder, request, input.buffer, home, pieces)) {
        if (ranks > 1) {
            give(&fold, request, first, input);
        }
        if (request->rank == first) {
            (void) napcoll_schedule_doubling(&schedule, &group, 0);
            napcoll_pipeline(&fold, &schedule, 1, pieces, group.self);
        }
        if (ranks > 1) {
            give_back(&fold, request, first);
        }
    }
    napcoll_fold_end(&fold);
    napcoll_schedule_free(&schedule);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_allreduce_rabenseifner_bounds(const napcoll_node_map_t *map,
                                                       const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
