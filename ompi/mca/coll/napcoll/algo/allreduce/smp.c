/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce through the nodes' leaders: the SMP algorithm of MPICH (Bienz et al., section II-A,
 * Eq. 5).
 *
 *     node 0   0 <- 1,2,3  |                  |  0 -> 1,2,3
 *     node 1   4 <- 5,6,7  |  0 <-> 4 <-> 8   |  4 -> 5,6,7
 *     node 2   8 <- 9,..   |                  |  8 -> 9,..
 *               reduce        recursive            bcast
 *                             multiplying
 *
 *     cost     2 log_k(ppn) local steps, ceil(log_r n) (alpha + (r - 1) beta s) between nodes
 *
 * MPICH's radix r is 2; leaders that talk to several others at once need fewer steps.
 *
 * One process per node crosses the network, so every message has the node's whole rate; the
 * others wait.
 */

#include <stdlib.h>

#include "algo/allreduce/allreduce.h"
#include "algo/napcoll_exchange.h"

static napcoll_span_t reduce_to_leader(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                                       const napcoll_party_t *node, napcoll_span_t recvbuf)
{
    napcoll_span_t input = napcoll_plan_args_input(args);

    if (1 == node->processes || NAPCOLL_PROVIDER_P2P == args->params.provider) {
        return napcoll_exchange_reduce(builder, node, input);
    }
    napcoll_builder_phase(builder, NAPCOLL_PHASE_REDUCE, 0, recvbuf, input);
    napcoll_builder_next_stage(builder);
    return recvbuf;
}

static void bcast_from_leader(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                              const napcoll_party_t *node, napcoll_span_t recvbuf)
{
    if (1 == node->processes || NAPCOLL_PROVIDER_P2P == args->params.provider) {
        napcoll_exchange_bcast(builder, node, recvbuf);
        return;
    }
    napcoll_builder_phase(builder, NAPCOLL_PHASE_BCAST, 0, recvbuf, recvbuf);
    napcoll_builder_next_stage(builder);
}

napcoll_plan_t *napcoll_allreduce_smp(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_party_t node = napcoll_party_node(args);
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t *value = malloc((size_t) map->nodes * sizeof(*value));
    napcoll_span_t local;

    if (NULL == builder || NULL == value) {
        free(value);
        napcoll_builder_discard(builder);
        return NULL;
    }
    local = reduce_to_leader(builder, args, &node, recvbuf);
    if (0 == napcoll_node_map_lane(map, args->rank)) {
        napcoll_party_t leaders = napcoll_party_leaders(args);

        value[leaders.self] = local;
        napcoll_builder_copy(builder, recvbuf,
                             napcoll_exchange_allreduce(builder, &leaders, value, -1));
        napcoll_builder_next_stage(builder);
    }
    bcast_from_leader(builder, args, &node, recvbuf);
    free(value);
    return napcoll_builder_finish(builder);
}

/* Between leaders a message to each other part, and one for the position that it lacks; inside the node
 * one to or from each other part. */
napcoll_bounds_t napcoll_allreduce_smp_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    const int inter = 2 * (napcoll_params_radix(params) - 1), local = params->local_radix - 1;

    (void) map;
    return (napcoll_bounds_t){.inter = inter, .all = local > inter ? local : inter};
}
