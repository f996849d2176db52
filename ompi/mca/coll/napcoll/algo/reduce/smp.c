/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce through one process per node: the leader, and on the root's node the root. Three nodes,
 * root 5:
 *
 *     node 0   0 <- 1,2,3  |
 *     node 1   5 <- 4,6,7  |  0 -> 5  |          |
 *     node 2   8 <- 9,..   |          |  8 -> 5  |
 *               reduce        tree of radix 2
 *
 *     cost     log_k(ppn) local steps, ceil(log_r n) (alpha + (r - 1) beta s) between nodes
 *
 * The reduction of MPICH's SMP algorithms (see allreduce/smp.c). Leaders whose tree is another
 * component's are the lanes 0 of all nodes: the one of the root's node then sends the result to the
 * root.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

/* The leader of the root's node sends the result to the root. */
static napcoll_span_t pass_to_root(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                                   napcoll_span_t result)
{
    const int root = args->params.root;
    const int leader = napcoll_node_map_rank(args->map, napcoll_node_map_node(args->map, root), 0);

    if (args->rank == leader && root != leader) {
        napcoll_builder_send(builder, result, root);
    } else if (args->rank == root && root != leader) {
        result = (napcoll_span_t){.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
        napcoll_builder_recv(builder, result, leader);
    }
    napcoll_builder_next_stage(builder);
    return result;
}

napcoll_plan_t *napcoll_reduce_smp(const napcoll_plan_args_t *args)
{
    const napcoll_group_t leaders = napcoll_group_leaders(args);
    const bool through_leaders = napcoll_group_is_delegated(&leaders);
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_group_t node = napcoll_group_node(args);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t result;

    if (NULL == builder) {
        return NULL;
    }
    node.root = through_leaders ? 0 : node.root;
    result = napcoll_exchange_reduce(builder, &node, napcoll_plan_args_input(args));
    if (node.self == node.root) {
        result = napcoll_exchange_reduce(builder, &leaders, result);
    }
    if (through_leaders) {
        result = pass_to_root(builder, args, result);
    }
    if (napcoll_plan_args_takes(args)) {
        napcoll_builder_copy(builder, recvbuf, result);
    }
    return napcoll_builder_finish(builder);
}
