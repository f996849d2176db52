/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Models of communication, and the papers' formulas for whole algorithms. Pure: no MPI in here.
 *
 * All times are in microseconds, all sizes in bytes. The models take their numbers from a machine
 * (napcoll_machine.h), by the level of the message and the protocol that its size has there.
 */

#ifndef NAPCOLL_MODEL_H
#define NAPCOLL_MODEL_H

#include <stdbool.h>

#include "model/napcoll_machine.h"
#include "plan/napcoll_plan.h"

/** What the busiest process does: messages of one size, and reduces. */
typedef struct napcoll_traffic {
    double message_bytes;    /**< size of every message */
    double local_messages;   /**< inside the node, one after the other */
    double network_messages; /**< between nodes, one after the other */
    double folded_bytes;     /**< bytes reduced into others */
} napcoll_traffic_t;

/**
 * Linear model: one message, latency + bytes * time per byte.
 *
 * @param[in] link   latency and time per byte
 * @param[in] bytes  of the message
 */
double napcoll_model_linear_us(napcoll_link_t link, double bytes);

/**
 * Postal model (Hockney): every message costs the same, wherever its ends are.
 *
 *     T = alpha t + beta s + gamma c
 *
 * Bienz, Olson, Gropp: "Node-Aware Improvements to Allreduce", section IV, Eq. 1; R. W. Hockney: "The
 * communication challenge for MPP", 1994.
 *
 * @param[in] machine  the machine
 * @param[in] level    where all ends are taken to be
 * @param[in] traffic  what is done; s is all messages' bytes together
 */
double napcoll_model_postal_us(const napcoll_machine_t *machine, napcoll_level_t level,
                               const napcoll_traffic_t *traffic);

/**
 * LogGP: a row of messages from one process to another, until the last has been received.
 *
 *     T = o + (m - 1) max(g, o, G s) + G s + L + o         L = latency - 2 o, G = time per byte
 *
 * A. Alexandrov, M. F. Ionescu, K. E. Schauser, C. Scheiman: "LogGP: Incorporating Long Messages
 * into the LogP Model", 1995. There the first byte is part of the overhead (G (s - 1)); here it is
 * not, so that one message costs what it costs in the linear model. The gaps of process and node apply on the
 * network, and the node has one for the messages inside it.
 *
 * @param[in] machine   the machine
 * @param[in] level     where the two processes are
 * @param[in] messages  m, at least 1
 * @param[in] bytes     s, of each message
 */
double napcoll_model_loggp_us(const napcoll_machine_t *machine, napcoll_level_t level,
                              double messages, double bytes);

/**
 * Two-level model: messages inside the node and between nodes have their own costs.
 *
 *     T = alpha_l t_l + beta_l s_l + alpha t + beta s + gamma c
 *
 * Bienz et al., Eq. 2.
 */
double napcoll_model_two_level_us(const napcoll_machine_t *machine,
                                  const napcoll_traffic_t *traffic);

/**
 * Max-rate model: the two-level model in which the processes of a node share its injection rate.
 *
 *     network term    alpha t + active s / min(R_N, active R_b)
 *
 * Bienz et al., Eq. 3; W. Gropp, L. N. Olson, P. Samfass: "Modeling MPI Communication Performance on
 * SMP Nodes: Is it Time to Retire the Ping Pong Test", EuroMPI 2016. It holds from the machine's
 * node_injection_from_processes and _from_bytes on; below, the network term is the two-level one.
 *
 * @param[in] machine  the machine
 * @param[in] active   processes of a node that use the network at the same time, at least 1
 * @param[in] traffic  what one of them does
 */
double napcoll_model_max_rate_us(const napcoll_machine_t *machine, int active,
                                 const napcoll_traffic_t *traffic);

/** One processor of a heterogeneous cluster. */
typedef struct napcoll_processor {
    double delay_us;          /**< C_i: fixed processing delay of a message */
    double delay_ns_per_byte; /**< t_i: processing delay of a byte */
} napcoll_processor_t;

/**
 * HeteroMPI's point-to-point model: a message of M bytes from processor i to processor j.
 *
 *     T = C_i + M t_i + C_j + M t_j + M / beta_ij
 *
 * A. Lastovetsky, M. O'Flynn, V. Rychkov: "Optimization of Collective Communications in HeteroMPI",
 * 2007, section 3. Processors differ in C and t, pairs of them in beta_ij.
 *
 * @param[in] from             processor i
 * @param[in] to               processor j
 * @param[in] beta_mbyte_per_s rate of the link between the two, above 0
 * @param[in] bytes            M
 */
double napcoll_model_heterogeneous_us(napcoll_processor_t from, napcoll_processor_t to,
                                      double beta_mbyte_per_s, double bytes);

/** More segments than this no model asks for. */
enum { NAPCOLL_MODEL_MOST_SEGMENTS = 1024 };

/**
 * How long the first segment takes to the end of the way, each hop in the postal model:
 *
 *     network (alpha + beta' s/S) + local (alpha_l + beta_l s/S)      beta' = max(beta/L, 1/R_N)
 *
 * @param[in] machine   the machine
 * @param[in] hops      the way of a segment
 * @param[in] segments  S, at least 1
 * @param[in] bytes     s, of the vector
 */
double napcoll_model_lead_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                             int segments, double bytes);

/**
 * The whole pipeline: the others follow the first segment at the pace of the slowest hop.
 *
 *     T = lead(S) + (S - 1) max(alpha + beta' s/S, alpha_l + beta_l s/S)
 *
 * On one level, of P processes, that is (S + P - 2) (alpha + beta s/S). "MPI: Going further", the linear
 * tree pipeline, in Hockney's model.
 */
double napcoll_model_pipeline_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                 int segments, double bytes);

/**
 * The number of segments that makes it least: where its slope in S is none,
 *
 *     S* = sqrt(((network - 1) beta' + local beta_l) s / alpha)
 *
 * rounded up, at most NAPCOLL_MODEL_MOST_SEGMENTS and one per byte; alpha and beta are those of a network
 * message of the segment's size. On one level, of P processes, S* = sqrt((P - 2) beta s / alpha).
 */
int napcoll_model_hockney_segments(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                   double bytes);

/** The fewest segments of which each goes by the eager protocol: none waits for a rendezvous. */
int napcoll_model_eager_segments(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                 double bytes);

/**
 * The closed form of an algorithm: the time of one collective on nodes with equal numbers of processes.
 *
 * Numbers of steps are whole: every logarithm is rounded up, as the algorithms' steps are. Where
 * nodes and ppn are powers of two (and, for nap, nodes a power of ppn) the forms are the papers'.
 *
 * @param[in] machine  the machine; local messages cost what its level node says
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

/**
 * Allreduce through leaders, one process of a node active (Bienz et al., Eq. 5):
 *
 *     T = local 2 log2(ppn) + network(1) log2(n) + gamma s log2(n ppn)
 *
 * The paper prints log2(ppn) local messages; its figures have twice as many, those of the reduction
 * and those of the broadcast, and so has this.
 */
double napcoll_model_smp_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes);

/**
 * Node-aware parallel allreduce, all processes of a node active (Bienz et al., Eq. 6):
 *
 *     T = local log2(n ppn) + network(ppn) log_ppn(n) + gamma s (log2(n ppn) + log2(ppn))
 *
 * The paper prints log_ppn(n) further reduces; its figures have log2(ppn), and so has this. With one
 * process per node there is no such algorithm, unless there is one node: NAN.
 */
double napcoll_model_nap_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes);

/**
 * Broadcast by the root alone: (n ppn - ppn) network + (ppn - 1) local messages, one after the other.
 *
 * This and the following are those of "MPI: Going further", with Hockney's (alpha + beta s) of its own for
 * messages inside nodes, which the depth-first order from the root (topo/napcoll_dfs_order.h) keeps together.
 */
double napcoll_model_bcast_flat_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                   double bytes);

/** Broadcast by a binomial tree: log2(n) network + log2(ppn) local messages. */
double napcoll_model_bcast_binomial_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                       double bytes);

/**
 * Broadcast by scatter and a ring allgather, P = n ppn: the scatter's messages halve, those of the ring have
 * s/P bytes, and in each of its P - 1 steps some process is waiting for the network:
 *
 *     T = log2(n) alpha + log2(ppn) alpha_l + (1 - 1/n) s beta + (1/n - 1/P) s beta_l
 *         + (P - 1) (alpha + s/P beta)
 */
double napcoll_model_bcast_scatter_allgather_us(const napcoll_machine_t *machine, int nodes,
                                                int ppn, double bytes);

/** Broadcast by a chain of n - 1 network and P - n local hops, with S* segments
 * (napcoll_model_pipeline_us). */
double napcoll_model_bcast_chain_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                    double bytes);

/** All-to-all in P - 1 steps: P - ppn network messages, ppn - 1 local ones, all processes of a node active. Bytes are
 * those of a process's block for another one, as in the following. */
double napcoll_model_alltoall_pairwise_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                          double bytes);

/** All-to-all with all messages at once: the same, but that on each level one latency is seen. */
double napcoll_model_alltoall_linear_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                        double bytes);

/**
 * TuNA by a radix: K rounds in which D blocks are sent, and as many latencies again as there are rounds whose blocks'
 * sizes are told, one after the other and all between nodes:
 *
 *     T(r) = alpha (K(r) + told(r)) + ppn beta' s D(r)        told(r) = 0 where sizes are known
 *
 * K. Fan et al.: "Configurable Non-uniform All-to-all Algorithms", 2024: T(r) = 2 alpha K + beta s D, in the max-rate
 * model; rounds of one block need no sizes.
 *
 * @param[in] machine  the machine
 * @param[in] nodes    at least 1
 * @param[in] ppn      processes per node
 * @param[in] bytes    s, of a process's block for another one
 * @param[in] radix    r, from 2 to the number of processes
 * @param[in] sized    whether sizes are told
 */
double napcoll_model_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes,
                             int radix, bool sized);

/** The least of them over the radixes that are powers of two, and P: of alltoall, which knows sizes, and of
 * alltoallv. */
double napcoll_model_alltoall_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                      double bytes);
double napcoll_model_alltoallv_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                       double bytes);

/** The closed form of a collective's algorithm, by their names in the tables; NULL where there is none. */
napcoll_closed_form_t napcoll_model_closed_form(const char *collective, const char *algorithm);

#endif /* NAPCOLL_MODEL_H */
