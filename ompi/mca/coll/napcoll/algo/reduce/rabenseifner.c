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
 *     cost   2 log2(P) alpha + 2 (P - 1)/P beta s; alpha + beta s more unless P is a power of 2
 *
 * Where P is not a power of two, the ranks are cut by halves into parts of one or two
 * (napcoll_halves.h), and one of two gives its vector to the other, which is the root if it is one
 * of them. The gather follows the order of the blocks, halved like the ranks in the binomial tree
 * (reduce/binomial.c), so no extra message takes the result to the root.
 *
 * R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication Operations in
 * MPICH", 2005.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_halves.h"

napcoll_plan_t *napcoll_reduce_rabenseifner(const napcoll_plan_args_t *args)
{
    const napcoll_actors_t actors = napcoll_halves_actors(args);
    const int blocks = actors.group.members;
    napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = blocks};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, blocks);
    napcoll_route_t halving = {0}, gather = {0};
    napcoll_reduction_t reduction;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    if (!napcoll_plan_args_takes(args) && args->rank == actors.actor) {
        home = napcoll_builder_temp(builder, 0, blocks);
    }
    if (napcoll_reduction_begin(&reduction, builder, args, napcoll_plan_args_input_buffer(args),
                                home, blocks)) {
        napcoll_halves_join(&reduction, &actors);
        if (args->rank == actors.actor) {
            (void) napcoll_route_multiplying(&halving, &actors.group, 0, 2);
            (void) napcoll_route_tree(&gather, &actors.group, 0, NAPCOLL_ROUTE_UP, NULL);
            napcoll_reduction_pipeline(&reduction, &halving, &gather, 1, blocks, actors.group.self);
        }
    }
    napcoll_reduction_end(&reduction);
    napcoll_route_free(&halving);
    napcoll_route_free(&gather);
    return napcoll_builder_finish(builder);
}
