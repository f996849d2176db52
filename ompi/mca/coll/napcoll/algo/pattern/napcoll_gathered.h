/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reproducible reductions of small vectors: all ranks' vectors are gathered, node-aware, and then
 * reduced by halves of the ranks (napcoll_halves.h) where the result is wanted. So the bits of a
 * result depend only on the number of ranks, while the messages follow the nodes.
 *
 * On every process (allreduce, scans), by a locality-aware Bruck allgather: first inside the node,
 * then the lanes of a node fetch (napcoll_lanes.h) and share what they fetched inside the node
 * after each step. Four nodes A to D, three processes each, as node A sees it:
 *
 *     in the node       a0 a1 a2                  all three processes have A
 *     between nodes     lane 0 <- B, lane 1 <- C, lane 2 <- D
 *     in the node       lanes exchange B, C, D    all three processes have A B C D
 *     everywhere        reduce the 12 vectors by halves of the ranks
 *
 *     cost   ceil(log_{L+1} n) alpha_n + (n - 1) s beta_n between nodes,
 *            (1 + ceil(log_{L+1} n)) ceil(log_k L) alpha_l + P s beta_l inside, P s gamma
 *
 * At the root (reduce): each node's vectors are gathered at one of its processes, sent from there
 * to the lanes of the root's node, which share the other nodes, and on to the root.
 *
 *     cost   ceil(log_k L) alpha_l + ceil((n - 1) / L) alpha_n + (P - L) s beta_n
 *            + ceil(log_k L) alpha_l + P s beta_l + P s gamma
 *
 * k is the fan-out inside a node. Either way a process that reduces keeps P vectors in memory, P
 * times the size of the call, and P vectors pass through it: for small vectors only.
 *
 * A. Bienz, S. Gautam, A. Kharel: "A Locality-Aware Bruck Allgather", 2022, for the allgather.
 */

#ifndef NAPCOLL_GATHERED_H
#define NAPCOLL_GATHERED_H

#include "algo/napcoll_algo.h"

/**
 * The plan of a collective in which all vectors are gathered: of a reduce at the root, of others on
 * every process, where the first tunable is the number of lanes that fetch.
 *
 * @param[in] args   of the plan
 * @param[in] ranks  of these, from rank 0 on, the vectors are reduced; 0: there is no result
 *
 * @return the plan, owned by the caller; NULL when memory ran out
 */
napcoll_plan_t *napcoll_gathered_plan(const napcoll_plan_args_t *args, int ranks);

/** Bounds where the vectors are gathered on every process. */
napcoll_bounds_t napcoll_gathered_bounds(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params);

#endif /* NAPCOLL_GATHERED_H */
