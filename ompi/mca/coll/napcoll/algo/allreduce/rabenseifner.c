/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Rabenseifner's allreduce: reduce-scatter by recursive halving of the vector, neighbours first, then
 * allgather by recursive doubling, neighbours last. Four ranks, blocks 0 to 3:
 *
 *     0 <-> 1   0 reduces blocks 0 1, 1 blocks 2 3       2 <-> 3   likewise
 *     0 <-> 2   0 reduces block 0, 2 block 1             1 <-> 3   blocks 2 and 3
 *
 * Folding neighbours first keeps rank order, and moves most bytes between neighbours, which often share
 * a node. Where P is no power of two, the ranks are cut by halves into pieces of one or two
 * (napcoll_pieces.h); the second of two gives its vector to the first, and gets the result at the end.
 *
 *     cost   2 log2(P) alpha + 2 (P - 1)/P beta s; 2 (alpha + beta s) more where P is no power of two
 *
 * R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication Operations in MPICH",
 * 2005.
 */

#include "algo/allreduce/allreduce.h"
#include "algo/napcoll_pieces.h"

/* The second of two waits for the result. */
static void give_back(napcoll_reduction_t *reduction, const napcoll_pieces_t *cut)
{
    if (reduction->rank == cut->other) {
        napcoll_builder_recv(reduction->builder, reduction->home, cut->actor);
    } else if (cut->other >= 0) {
        napcoll_builder_send(reduction->builder, reduction->home, cut->other);
    }
}

napcoll_plan_t *napcoll_allreduce_rabenseifner(const napcoll_plan_args_t *args)
{
    const napcoll_pieces_t cut = napcoll_pieces_of(args);
    const int pieces = cut.group.members;
    const napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = pieces};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, pieces);
    napcoll_route_t route = {0};
    napcoll_reduction_t reduction;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    if (napcoll_reduction_begin(&reduction, builder, args, napcoll_plan_args_input_buffer(args),
                                home, pieces)) {
        napcoll_pieces_join(&reduction, &cut);
        if (args->rank == cut.actor) {
            (void) napcoll_route_doubling(&route, &cut.group, 0);
            napcoll_pipeline(&reduction, &route, 1, pieces, cut.group.self);
        }
        give_back(&reduction, &cut);
    }
    napcoll_reduction_end(&reduction);
    napcoll_route_free(&route);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_allreduce_rabenseifner_bounds(const napcoll_node_map_t *map,
                                                       const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
