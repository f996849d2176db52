/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reproducible reductions of small vectors: all ranks' vectors are gathered, node-aware, and then reduced
 * by halves of the ranks (napcoll_claim_t) where the result is wanted. So the bits of a result depend on
 * nothing but the number of ranks, while the messages follow the nodes.
 *
 * On every process (allreduce, scans), by a locality-aware Bruck allgather: first inside the node, then
 * the lanes of a node fetch (napcoll_ports.h) and share what they fetched inside the node after each
 * step. Four nodes A to D, three processes each, as node A sees it:
 *
 *     in the node       a0 a1 a2                  all three processes have A
 *     between nodes     lane 0 <- B, lane 1 <- C, lane 2 <- D
 *     in the node       lanes exchange B, C, D    all three processes have A B C D
 *     everywhere        reduce the 12 vectors by halves of the ranks
 *
 *     cost   ceil(log_{L+1} n) alpha_n + (n - 1) s beta_n between nodes,
 *            (1 + ceil(log_{L+1} n)) ceil(log_k L) alpha_l + P s beta_l inside, P s gamma
 *
 * At the root (reduce): to a representative of each node, from there to the lanes of the root's node,
 * which share the other nodes out, and on to the root.
 *
 *     cost   ceil(log_k L) alpha_l + ceil((n - 1) / L) alpha_n + (P - L) s beta_n
 *            + ceil(log_k L) alpha_l + P s beta_l + P s gamma
 *
 * with k the fan-out inside a node. Either way a process that reduces holds P vectors in memory, and P
 * vectors pass through it: P times the size of the call, where other algorithms need a few vectors.
 * That is for small vectors only.
 *
 * A. Bienz, S. Gautam, A. Kharel: "A Locality-Aware Bruck Allgather", 2022, for the allgather.
 */

#ifndef NAPCOLL_GATHERED_H
#define NAPCOLL_GATHERED_H

#include "algo/napcoll_algo.h"

/**
 * Gather all ranks' vectors on every process. A plan in the layout of slots.
 *
 * @param[in,out] builder  the plan
 * @param[in]     request  whose
 * @param[in]     lanes    that fetch (napcoll_port_lanes)
 * @param[out]    value    [size] where each rank's vector is
 */
void napcoll_gather_everywhere(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                               int lanes, napcoll_span_t *value);

/** Gather them at the root; value is written there alone. */
void napcoll_gather_at_root(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                            napcoll_span_t *value);

/**
 * The plan of a collective in which the vectors are gathered on every process. The row's first tunable
 * is the number of lanes that fetch.
 *
 * @param[in] request  whose
 * @param[in] ranks    the result is the reduction of the vectors of ranks 0 .. ranks - 1; 0: there is none
 *
 * @return the plan, owned by the caller; NULL when memory ran out
 */
napcoll_plan_t *napcoll_gathered_plan(const napcoll_plan_args_t *args, int ranks);

napcoll_bounds_t napcoll_gathered_bounds(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params);

/** The generator for reduce's table (see reduce/gathered.c); it has no tunables. */
napcoll_plan_t *napcoll_reduce_gathered(const napcoll_plan_args_t *args);

napcoll_bounds_t napcoll_reduce_gathered_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params);

#endif /* NAPCOLL_GATHERED_H */
