/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Exchanges of whole vectors among the members of a group, as steps of a plan: allreduce, reduce,
 * broadcast, scan, and the empty messages of barriers. They serve flat algorithms (the group is the
 * communicator), leaders (one process of each node) and local phases (the processes of a node).
 *
 * They follow the balanced split and the tree of the group, with the group's radix. So groups of
 * equal size and radix reduce with the same brackets, however many processes share the members.
 * Where another component carries out the collectives of the group (napcoll_group_is_delegated),
 * they are phases instead of messages, except scans and napcoll_exchange_allreduce.
 */

#ifndef NAPCOLL_EXCHANGE_H
#define NAPCOLL_EXCHANGE_H

#include "algo/pattern/napcoll_group.h"

/**
 * The values that napcoll_exchange_allreduce reduces, in their order. Process p of the group has
 * the values p, p + members, ...; a process beyond the last value gets what process p mod `values`
 * gets.
 */
typedef struct napcoll_values {
    int values;
    /** [values] where they are. Read are the ones of this process, and `known`; overwritten. */
    napcoll_span_t *value;
    /** A value that every process of the group has in value[known], so that no one sends it; or
     * -1. */
    int known;
    /** With one value more than processes: the process that has the last value besides its own. */
    int extra;
} napcoll_values_t;

/**
 * Allreduce by recursive multiplying (recursive doubling where the radix is 2): on each level a
 * process exchanges the value of its part with one process of every other part of its group. A
 * process receives at most radix - 1 messages on each level.
 *
 *     cost   ceil(log_radix m) (alpha + (radix - 1) (beta + gamma) s)
 *
 * @return where the result is: a temporary or one of the values given
 */
napcoll_span_t napcoll_exchange_allreduce(napcoll_builder_t *builder, const napcoll_group_t *group,
                                          const napcoll_values_t *values);

/** The same with one value, `own`, for each member. NULL is not returned: where memory runs out,
 * the builder fails. */
napcoll_span_t napcoll_exchange_allreduce_own(napcoll_builder_t *builder,
                                              const napcoll_group_t *group, napcoll_span_t own);

/**
 * Reduce to the group's root up the tree, with the brackets of napcoll_exchange_allreduce,
 * whichever member the root is. Processes that are not members do nothing.
 *
 * @return where the result is on the root; elsewhere it has no meaning
 */
napcoll_span_t napcoll_exchange_reduce(napcoll_builder_t *builder, const napcoll_group_t *group,
                                       napcoll_span_t value);

/** The plan of a reduce of all ranks, up the tree of their group; NULL when memory ran out. */
napcoll_plan_t *napcoll_exchange_reduce_plan(const napcoll_plan_args_t *args,
                                             const napcoll_group_t *ranks);

/** Broadcast `data` of the root to all members, down the tree. */
void napcoll_exchange_bcast(napcoll_builder_t *builder, const napcoll_group_t *group,
                            napcoll_span_t data);

/**
 * Scan with the messages of napcoll_exchange_allreduce: a process also keeps the values of the
 * members before it. Reduces in member order.
 *
 * @param[in,out] builder  the plan
 * @param[in]     group    processes
 * @param[in,out] value    [members] the value of this process at its place; overwritten
 * @param[in,out] prefix   the value of this process for an inclusive scan, else empty; then reduced
 *                         with the values of all members before this process. Still empty on
 *                         process 0 of an exclusive scan
 *
 * @return where the reduction of all members is; on the last process of an inclusive scan it is the
 *         prefix itself
 */
napcoll_span_t napcoll_exchange_scan(napcoll_builder_t *builder, const napcoll_group_t *group,
                                     napcoll_span_t *value, napcoll_span_t *prefix);

/** right = left op right, in place unless right is in the send buffer. Returns where the result
 * is. */
napcoll_span_t napcoll_exchange_join(napcoll_builder_t *builder, napcoll_span_t left,
                                     napcoll_span_t right);

/** The same, and release left. */
napcoll_span_t napcoll_exchange_join_last(napcoll_builder_t *builder, napcoll_span_t left,
                                          napcoll_span_t right);

/** Reduce values on this process, in order, with the brackets of napcoll_exchange_allreduce. */
napcoll_span_t napcoll_exchange_combine(napcoll_builder_t *builder, int values, int radix,
                                        const napcoll_span_t *value);

/* ---- barriers: messages without contents; a process that is not a member does nothing ---- */

/** An empty message. */
static inline napcoll_span_t napcoll_empty(void)
{
    return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_RECV};
}

/** The root hears from all members, up the tree. The other direction is a broadcast of nothing. */
void napcoll_exchange_arrive(napcoll_builder_t *builder, const napcoll_group_t *group);

/**
 * Dissemination: all members hear from all. A member that has heard from w members sends to those
 * at the distances w, 2 w, ...
 *
 *     cost   ceil(log_(ports + 1) n) alpha, up to `ports` messages at once
 *
 * `ports` is the most messages at once; fewer are sent where the number of steps stays the same.
 */
void napcoll_exchange_disseminate(napcoll_builder_t *builder, const napcoll_group_t *group,
                                  int ports);

/**
 * The same in pairs, where the number of members is a power of the radix, ports + 1 or less: in
 * each step the members whose numbers differ in one digit send to each other. It needs half of the
 * connections of dissemination, which is used for other numbers, and a transport acknowledges with
 * what it sends.
 */
void napcoll_exchange_disseminate_pairs(napcoll_builder_t *builder, const napcoll_group_t *group,
                                        int ports);

/** All ranks hear from all, through the leaders: the stages of the barrier smp, for any
 * collective. */
void napcoll_exchange_barrier(napcoll_builder_t *builder, const napcoll_plan_args_t *args);

#endif /* NAPCOLL_EXCHANGE_H */
