/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The building blocks of reductions, as steps of a plan: exchanges along the balanced split
 * (napcoll_split.h) among the members of a party. They serve flat algorithms (the party is the
 * communicator), leaders (one process per node) and the local phases (the processes of a node).
 *
 * Folds follow the split and nothing else, so parties with equal members and radix bracket
 * alike, however many processes share the members out among them.
 */

#ifndef NAPCOLL_EXCHANGE_H
#define NAPCOLL_EXCHANGE_H

#include "algo/napcoll_algo.h"

/**
 * Who takes part in an exchange. `members` contributions are reduced in member order, for
 * `processes` processes. Process p holds the members p, p + processes, ...; with more processes
 * than members, process p >= members holds none and shadows member p mod members: it receives
 * what that member receives.
 */
typedef struct napcoll_party {
    int members;
    int processes;
    int self;  /**< this process, 0 .. processes - 1 */
    int root;  /**< the process to which napcoll_exchange_reduce reduces */
    int radix; /**< of the split, >= 2 */
    int block; /**< first block of the vector that is reduced */
    int count; /**< blocks that are reduced */

    /** Rank of a process in the communicator. */
    int (*rank)(const struct napcoll_party *party, int process);

    const napcoll_node_map_t *map; /**< for rank */
    int node;                      /**< for rank */
    int lane;                      /**< for rank: that of the root's node's process in a party of
                                        nodes, of process 0 in one of an ordered node */
    bool noncommutative;           /**< for rank: processes stand in rank order */
    int one_more; /**< with one member more than processes: the process that holds the last member; it
                       holds its own one besides */
} napcoll_party_t;

/* Where a request has a root, it is that of the parties below, too. */

/** All ranks of the communicator, in rank order. */
napcoll_party_t napcoll_party_flat(const napcoll_plan_args_t *args, int radix);

/** One process of every node, in node order: the leader, and on the root's node the root; only they may
 * use it. The radix is the request's (napcoll_params_radix). */
napcoll_party_t napcoll_party_leaders(const napcoll_plan_args_t *args);

/** The processes of the request's node, leader first; one member each. The root is the one that
 * napcoll_party_leaders takes. */
napcoll_party_t napcoll_party_node(const napcoll_plan_args_t *args);

/**
 * Allreduce by recursive multiplying (recursive doubling where the radix is 2): in each level a
 * process exchanges its part's value with one process of every other part of its group.
 * ceil(log_radix members) stages; a process receives at most radix - 1 messages in each.
 *
 *     cost   ceil(log_radix m) * (alpha + (radix - 1) * (beta + gamma) * s)
 *
 * @param[in,out] builder  the plan
 * @param[in]     party    who takes part
 * @param[in,out] value    [members] where the contributions are; read at the members that this
 *                         process holds, and at `known`; overwritten
 * @param[in]     known    a member whose contribution every process of the party has in
 *                         value[known], so that nobody sends it; or -1
 *
 * @return where the result is: a temporary or one of the values given
 */
napcoll_span_t napcoll_exchange_allreduce(napcoll_builder_t *builder, const napcoll_party_t *party,
                                          napcoll_span_t *value, int known);

/**
 * Reduce to the party's root along the split, at most one member per process: processes that hold none
 * do nothing. Folds as napcoll_exchange_allreduce does, whoever is the root: the part in which the root
 * is reduces to it, and every other part to its first process.
 *
 *     root 1 of 4, radix 2      0 -> 1, 3 -> 2      2 -> 1
 *
 * @return where the result is on the root; elsewhere nothing of use
 */
napcoll_span_t napcoll_exchange_reduce(napcoll_builder_t *builder, const napcoll_party_t *party,
                                       napcoll_span_t value);

/**
 * Scan: the messages of napcoll_exchange_allreduce, of whose values a process also keeps those of the
 * members before it. One member per process; reduces in member order.
 *
 * @param[in,out] builder  the plan
 * @param[in]     party    who takes part
 * @param[in,out] value    [members] the contribution of this process at its place; overwritten
 * @param[in,out] prefix   the contribution of this process, for an inclusive scan, or an empty span,
 *                         for an exclusive one; then the reduction of all members before this process,
 *                         and of that span. Still empty on process 0 of an exclusive scan
 *
 * @return where the reduction of all members is; on the last process of an inclusive scan that is the
 *         prefix itself
 */
napcoll_span_t napcoll_exchange_scan(napcoll_builder_t *builder, const napcoll_party_t *party,
                                     napcoll_span_t *value, napcoll_span_t *prefix);

/** right = left op right, in place but where right is in the send buffer; left is kept. Returns where
 * the result is. */
napcoll_span_t napcoll_exchange_join(napcoll_builder_t *builder, napcoll_span_t left,
                                     napcoll_span_t right);

/** Broadcast process 0's `data` to that of all processes, along the split of the processes. */
void napcoll_exchange_bcast(napcoll_builder_t *builder, const napcoll_party_t *party,
                            napcoll_span_t data);

/**
 * Fold values in order, along the split of `members` by `radix`: the same bracketing as
 * napcoll_exchange_allreduce, all on this process.
 */
napcoll_span_t napcoll_exchange_combine(napcoll_builder_t *builder, int members, int radix,
                                        const napcoll_span_t *value);

#endif /* NAPCOLL_EXCHANGE_H */
