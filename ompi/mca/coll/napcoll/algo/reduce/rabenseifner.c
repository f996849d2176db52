/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Rabenseifner's reduce, for large vectors and any root: reduce-scatter by recursive halving of the
 * vector, neighbours first, then a binomial gather. Four ranks, blocks 0 to 3, root 2:
 *
 *     0 <-> 1   0 reduces blocks 0 1, 1 blocks 2 3       2 <-> 3   likewise
 *     0 <-> 2   0 reduces block 0, 2 block 1             1 <-> 3   blocks 2 and 3
 *     0 -> 2    block 0                                3 -> 1    block 3
 *     1 -> 2    blocks 2 3
 *
 * Where P is no power of two, the ranks are cut by halves into pieces of one or two (napcoll_pieces.h),
 * and one of two gives its vector to the other, which is the root if that is one of them. The gather
 * follows the order of the blocks, halved in the same way as the ranks in the binomial tree
 * (reduce/binomial.c), so it needs no message of its own to move the result to the root.
 *
 *     cost   2 log2(P) alpha + 2 (P - 1)/P beta s; alpha + beta s more where P is no power of two
 *
 * R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication Operations in MPICH",
 * 2005.
 */

#include "algo/napcoll_pieces.h"
#include "algo/reduce/reduce.h"

napcoll_plan_t *napcoll_reduce_rabenseifner(const napcoll_plan_args_t *args)
{
    const napcoll_pieces_t cut = napcoll_pieces_of(args);
    const int pieces = cut.group.members;
    napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = pieces};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, pieces);
    napcoll_route_t halving = {0}, gather = {0};
    napcoll_reduction_t reduction;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    if (!napcoll_plan_args_takes(args) && args->rank == cut.actor) {
        home = napcoll_builder_temp(builder, 0, pieces);
    }
    if (napcoll_reduction_begin(&reduction, builder, args, napcoll_plan_args_input_buffer(args),
                                home, pieces)) {
        napcoll_pieces_join(&reduction, &cut);
        if (args->rank == cut.actor) {
            (void) napcoll_route_doubling(&halving, &cut.group, 0);
            (void) napcoll_route_collect(&gather, &cut.group, 0, 2, cut.root);
            napcoll_pipeline_through(&reduction, &halving, &gather, 1, pieces, cut.group.self);
        }
    }
    napcoll_reduction_end(&reduction);
    napcoll_route_free(&halving);
    napcoll_route_free(&gather);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_reduce_rabenseifner_bounds(const napcoll_node_map_t *map,
                                                    const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
