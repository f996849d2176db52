/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The papers' formulas for whole algorithms, for napcoll-plan. No MPI in here.
 *
 * Where nodes and ppn are powers of two (and, for nap, nodes a power of ppn) the forms are the
 * papers': Bienz, Olson, Gropp: "Node-Aware Improvements to Allreduce"; "MPI: Going further"; K.
 * Fan et al.: "Configurable Non-uniform All-to-all Algorithms".
 */

#ifndef NAPCOLL_CLOSED_FORM_H
#define NAPCOLL_CLOSED_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/napcoll_model.h"

/** What the busiest process does: messages of one size, one after the other, and reductions. */
typedef struct napcoll_traffic {
    /** of every message */
    double message_bytes;
    /** messages inside the node */
    double local_messages;
    /** messages between nodes */
    double network_messages;
    /** bytes that are reduced into others */
    double reduced_bytes;
} napcoll_traffic_t;

/**
 * Max-rate model: messages inside the node (l) and between nodes have their own costs, and the
 * processes of a node share its injection rate.
 *
 *     T = alpha_l t_l + beta_l s_l + alpha t + active s / min(R_N, active R_b) + gamma c
 *
 * Bienz, Olson, Gropp: "Node-Aware Improvements to Allreduce", Eq. 3; W. Gropp, L. N. Olson, P.
 * Samfass: "Modeling MPI Communication Performance on SMP Nodes", EuroMPI 2016. Below the machine's
 * node_injection_from_processes and _from_bytes it is the two-level model (Bienz et al., Eq. 2),
 * whose network term is alpha t + beta s.
 *
 * @param[in] machine  the machine
 * @param[in] active   processes of a node that use the network at the same time; 0: two-level model
 * @param[in] traffic  what one of them does
 */
double napcoll_model_max_rate_us(const napcoll_machine_t *machine, int active,
                                 const napcoll_traffic_t *traffic);

/**
 * The closed form of an algorithm: the time of one collective on nodes with equal numbers of
 * processes. Numbers of steps are whole: every logarithm is rounded up.
 *
 * @param[in] machine  the machine; local messages are of its level node
 * @param[in] nodes    at least 1
 * @param[in] ppn      processes per node, at least 1; nodes * ppn at most INT_MAX
 * @param[in] bytes    of the vector
 *
 * @return the time; NAN where the algorithm needs more than one process on a node
 */
typedef double (*napcoll_closed_form_t)(const napcoll_machine_t *machine, int nodes, int ppn,
                                        double bytes);

/**
 * Allreduce by recursive doubling, all processes of a node active (Bienz et al., Eq. 4):
 *
 *     T = local log2(ppn) + network(ppn) log2(n) + gamma s log2(n ppn)
 */
double napcoll_model_recursive_doubling_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                           double bytes);

/** Broadcast by a binomial tree: log2(n) network + log2(ppn) local messages. */
double napcoll_model_bcast_binomial_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                       double bytes);

/** The closed form of an algorithm, by the names of its table; NULL where it has none. Bytes are of
 * the vector or, in an all-to-all, of the block that one process has for another. */
napcoll_closed_form_t napcoll_model_closed_form(const char *collective, const char *algorithm);

/**
 * A whole pipeline: the other segments follow the first one at the pace of the slowest hop.
 *
 *     T = lead(S) + (S - 1) max(alpha + beta' s/S, alpha_l + beta_l s/S)
 *
 * On one level, of P processes, that is (S + P - 2) (alpha + beta s/S): "MPI: Going further", the
 * linear tree pipeline. See napcoll_model_lead_us for the arguments.
 */
double napcoll_model_pipeline_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                 int segments, double bytes);

/** Blocks that each member of a TuNA exchange sends in all rounds, D. */
int64_t napcoll_digits_moved(int members, int radix);

/**
 * TuNA by a radix: K rounds send D blocks.
 *
 *     T(r) = alpha K(r) + ppn beta' s D(r)
 *
 * Fan et al.: T(r) = 2 alpha K + beta s D, since sizes take a round of their own; here in the
 * max-rate model, and sizes go in front of the blocks.
 *
 * @param[in] machine  the machine
 * @param[in] nodes    at least 1
 * @param[in] ppn      processes per node
 * @param[in] bytes    s, of the block that one process has for another, with its size
 * @param[in] radix    r, from 2 to the number of processes
 */
double napcoll_model_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes,
                             int radix);

#endif /* NAPCOLL_CLOSED_FORM_H */
