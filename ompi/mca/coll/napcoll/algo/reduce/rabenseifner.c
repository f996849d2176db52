/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Rabenseifner's reduce, for large vectors and any root: reduce-scatter by recursive halving of the
 * vector, neighbours first, then a binomial gather. Four ranks, blocks 0 to 3, root 2:
 *
 *     0 <-> 1   0 folds blocks 0 1, 1 blocks 2 3       2 <-> 3   likewise
 *     0 <-> 2   0 folds block 0, 2 block 1             1 <-> 3   blocks 2 and 3
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

napcoll_plan_t *napcoll_reduce_rabenseifner(const napcoll_request_t *request)
{
    const napcoll_pieces_t cut = napcoll_pieces_of(request);
    const int pieces = cut.group.members;
    napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = pieces};
    napcoll_builder_t *builder = napcoll_request_builder(request, NAPCOLL_LAYOUT_VECTOR, pieces);
    napcoll_schedule_t halving = {0}, gather = {0};
    napcoll_fold_t fold;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    if (!napcoll_request_takes(request) && request->rank == cut.actor) {
        home = napcoll_builder_temp(builder, 0, pieces);
    }
    if (napcoll_fold_begin(&fold, builder, request, napcoll_request_input_buffer(request), home,
                           pieces)) {
        napcoll_pieces_join(&fold, &cut);
        if (request->rank == cut.actor) {
            (void) napcoll_schedule_doubling(&halving, &cut.group, 0);
            (void) napcoll_schedule_collect(&gather, &cut.group, 0, 2, cut.root);
            napcoll_pipeline_through(&fold, &halving, &gather, 1, pieces, cut.group.self);
        }
    }
    napcoll_fold_end(&fold);
    napcoll_schedule_free(&halving);
    napcoll_schedule_free(&gather);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_reduce_rabenseifner_bounds(const napcoll_node_map_t *map,
                                                    const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
