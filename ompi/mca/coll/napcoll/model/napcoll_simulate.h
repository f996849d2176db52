/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The time of a collective from the plans of all ranks, by discrete-event simulation. Pure: no MPI
 * in here.
 *
 * All ranks begin at time 0; the time is that at which the last one ends. A stage posts its messages
 * in the order of its steps, ends when all of them have, and then does its reduces. Of a message of s
 * bytes, with the latency a and the time per byte b of its level and protocol:
 *
 *     sender                    network                    receiver
 *     busy max(o, b s)  ----->  a later           ----->   busy max(o, b s)
 *
 *     level       node where the ranks share one, else network; sockets are not known
 *     start       when the send is posted; by rendezvous, when the receive is posted as well
 *     process     sends one message at a time, for max(o, b s) each, and receives one at a time: of
 *                 several that arrive together the k-th is there (k - 1) max(o, b s) later
 *                 (one that its node holds up does not hold up the next one of its process)
 *     node        R_N: the messages of node_injection_from_bytes or more that are leaving share that
 *                 rate evenly, where they are node_injection_from_processes or more; and a node
 *                 puts a message on the network every g at most
 *     send ends   when the last byte has left the process
 *     reduce        gamma s; copies are free
 *
 * So s bytes of each of k processes of a node, sent at once, take max(k s / R_N, s / R_b) =
 * k s / min(R_N, k R_b) to leave: the network term of the max-rate model.
 */

#ifndef NAPCOLL_SIMULATE_H
#define NAPCOLL_SIMULATE_H

#include "model/napcoll_machine.h"
#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** The messages and reduces of all ranks' plans, matched; for any machine and size. */
typedef struct napcoll_simulation napcoll_simulation_t;

typedef enum {
    NAPCOLL_SIMULATE_OK,
    NAPCOLL_SIMULATE_OUT_OF_MEMORY,
    NAPCOLL_SIMULATE_UNMATCHED, /**< a send without its receive, or the other way */
    NAPCOLL_SIMULATE_DEADLOCK,  /**< ranks wait for one another */
    NAPCOLL_SIMULATE_PHASE,     /**< a plan has a local phase, which only its provider could time */
    NAPCOLL_SIMULATE_STATUSES
} napcoll_simulate_status_t;

/**
 * Prepare a simulation. Holds one plan at a time, and about 100 bytes per message.
 *
 * @param[in]  map         who sits where; borrowed until the simulation is freed
 * @param[in]  source      makes the plans, in rank order
 * @param[in]  context     for source
 * @param[out] simulation  the simulation, which the caller frees; NULL after an error
 *
 * @return NAPCOLL_SIMULATE_OK, OUT_OF_MEMORY, UNMATCHED or PHASE
 */
napcoll_simulate_status_t napcoll_simulation_create(const napcoll_node_map_t *map,
                                                    napcoll_plan_source_t source, void *context,
                                                    napcoll_simulation_t **simulation);

/** A process of a sample, and how many of its node's it stands for, at least 1. */
typedef struct napcoll_sampled {
    int32_t rank;
    int32_t weight;
} napcoll_sampled_t;

/**
 * Prepare a simulation of a few processes, as if all others did at any time what these do: what a
 * process sends to those that are not in the sample comes back to the process itself, in place of what
 * it receives from such in the same stage and at the same level, in this order. Where it sends
 * more than it receives, the stage lasts until those messages have arrived (but for those that stay in
 * a node of which no other process is in the sample); where it receives more, they leave their
 * senders when the stage begins. A message of a process that stands for several
 * counts as so many at its node's rate and gap. Where all processes are in step, the time is that of
 * the whole simulation.
 *
 * A local phase takes what a tree of messages, two to a step, takes inside the node, and an allgather
 * what recursive doubling takes; it does not wait for others.
 *
 * @param[in]  map         who sits where; borrowed until the simulation is freed
 * @param[in]  sampled     [count] the processes, by ascending rank, each once
 * @param[in]  count       at least 1; meant for tens, not thousands
 * @param[in]  source      makes the plans, which are asked for in this order
 * @param[in]  context     for source
 * @param[out] simulation  the simulation, which the caller frees; NULL after an error
 *
 * @return NAPCOLL_SIMULATE_OK, OUT_OF_MEMORY or UNMATCHED
 */
napcoll_simulate_status_t napcoll_simulation_create_sampled(const napcoll_node_map_t *map,
                                                            const napcoll_sampled_t *sampled,
                                                            int count, napcoll_plan_source_t source,
                                                            void *context,
                                                            napcoll_simulation_t **simulation);

/** Free a simulation; NULL is allowed. */
void napcoll_simulation_free(napcoll_simulation_t *simulation);

/**
 * Run one collective. The same arguments give the same time, to the last bit.
 *
 * @param[in]  simulation  the simulation; may be run again
 * @param[in]  machine     the machine
 * @param[in]  bytes       of the user's vector, which its blocks share evenly
 * @param[out] time_us     when the slowest rank ends
 *
 * @return NAPCOLL_SIMULATE_OK, OUT_OF_MEMORY or DEADLOCK
 */
napcoll_simulate_status_t napcoll_simulation_run(napcoll_simulation_t *simulation,
                                                 const napcoll_machine_t *machine, double bytes,
                                                 double *time_us);

/**
 * Run one collective as far as it is of interest.
 *
 * @param[in]  simulation  the simulation; may be run again
 * @param[in]  machine     the machine
 * @param[in]  bytes       of the user's vector, which its blocks share evenly
 * @param[in]  most_us     the run ends at the first event behind this time; INFINITY: never before its end
 * @param[out] time_us     when the slowest rank ends; where the run has ended before, a time above most_us
 *                         which that is not earlier than
 *
 * @return NAPCOLL_SIMULATE_OK, OUT_OF_MEMORY or, where the run came so far, DEADLOCK
 */
napcoll_simulate_status_t napcoll_simulation_run_within(napcoll_simulation_t *simulation,
                                                        const napcoll_machine_t *machine,
                                                        double bytes, double most_us,
                                                        double *time_us);

/** A sentence on a status, static. */
const char *napcoll_simulate_status_help(napcoll_simulate_status_t status);

#endif /* NAPCOLL_SIMULATE_H */
