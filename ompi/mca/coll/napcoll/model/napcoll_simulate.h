/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The time of a collective from the plans of all ranks, by discrete-event simulation. Pure: no MPI
 * in here.
 *
 * All ranks begin at time 0; the time of the collective is when the last rank ends. A stage posts
 * its messages in the order of its steps, ends when all of them have ended, and then reduces. A
 * message of s bytes has the latency a and the time per byte b of its level and protocol:
 *
 *     sender                    network                    receiver
 *     busy max(o, b s)  ----->  a later           ----->   busy max(o, b s)
 *
 *     level       node where the ranks share one, else network; sockets are not known
 *     protocol    by the size; inside a node through node memory where the machine has its numbers
 *     start       when the send is posted; by rendezvous, when the receive is posted as well
 *     process     sends one message at a time, for max(o, b s) each, and receives one at a time: of
 *                 several messages that arrive together it gets the k-th (k - 1) max(o, b s) later
 *                 (a message that its node delays does not delay the next one of its process)
 *     node        R_N: messages of node_injection_from_bytes or more that leave a node share this
 *                 rate evenly, if they are node_injection_from_processes or more; a node sends one
 *                 message to the network every g at most
 *     send ends   when the last byte has left the process
 *     pull        by rendezvous inside a node the receiver copies, once the message has arrived:
 *                 then the sender is busy for o only, and its send ends with the copy
 *     reduction   gamma s; copies are free
 *
 * So s bytes of each of k processes of a node, sent at once, take max(k s / R_N, s / R_b) = k s /
 * min(R_N, k R_b) to leave: the network term of the max-rate model.
 */

#ifndef NAPCOLL_SIMULATE_H
#define NAPCOLL_SIMULATE_H

#include <math.h>

#include "model/napcoll_machine.h"
#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** The messages and reductions of the plans of all ranks, matched; for any machine and size. */
typedef struct napcoll_simulation napcoll_simulation_t;

typedef enum {
    NAPCOLL_SIMULATE_OK,
    NAPCOLL_SIMULATE_OUT_OF_MEMORY,
    /** a send without its receive, or a receive without its send */
    NAPCOLL_SIMULATE_UNMATCHED,
    /** ranks wait for one another */
    NAPCOLL_SIMULATE_DEADLOCK,
    /** a plan has a phase of another component */
    NAPCOLL_SIMULATE_PHASE,
    NAPCOLL_SIMULATE_STATUSES
} napcoll_simulate_status_t;

/** A process of a sample, and the number of processes of its node that it stands for, at least
 * 1. */
typedef struct napcoll_sampled {
    int32_t rank;
    int32_t weight;
} napcoll_sampled_t;

/**
 * Prepare a simulation. It uses one plan at a time, and about 100 bytes per message.
 *
 * A sample is a few processes, simulated as if all others did at any time what these do. A message
 * that a process sends out of the sample comes back to the process itself, in place of one that it
 * receives from outside in the same stage and at the same level. If it sends more such messages
 * than it receives, the stage lasts until they have arrived (except messages inside a node of which
 * no other process is in the sample). If it receives more, these leave their senders when the stage
 * begins. A message of a process that stands for k processes counts k times for its node's rate and
 * gap. Where all processes are in step, the time is the time of the whole simulation.
 *
 * In a sample, a phase takes the time of a tree of messages among its members, two to a step (an
 * allgather: of recursive doubling), and does not wait for others.
 *
 * @param[in]  map         the placement; borrowed until the simulation is freed
 * @param[in]  sampled     [count] the processes by ascending rank; NULL: all processes
 * @param[in]  count       at least 1, meant for tens; map->size where sampled is NULL
 * @param[in]  source      makes the plans, in rank order
 * @param[in]  context     for source
 * @param[out] simulation  the simulation, which the caller frees; NULL after an error
 *
 * @return NAPCOLL_SIMULATE_OK, OUT_OF_MEMORY, UNMATCHED or, without a sample, PHASE
 */
napcoll_simulate_status_t napcoll_simulation_create_sampled(const napcoll_node_map_t *map,
                                                            const napcoll_sampled_t *sampled,
                                                            int count, napcoll_plan_source_t source,
                                                            void *context,
                                                            napcoll_simulation_t **simulation);

/** Prepare a simulation of all processes. */
static inline napcoll_simulate_status_t napcoll_simulation_create(const napcoll_node_map_t *map,
                                                                  napcoll_plan_source_t source,
                                                                  void *context,
                                                                  napcoll_simulation_t **simulation)
{
    return napcoll_simulation_create_sampled(map, NULL, map->size, source, context, simulation);
}

/** Free a simulation; NULL is allowed. */
void napcoll_simulation_free(napcoll_simulation_t *simulation);

/**
 * Run one collective until a time. The same arguments give the same time, to the last bit.
 *
 * @param[in]  simulation  the simulation; may be run again
 * @param[in]  machine     the machine
 * @param[in]  bytes       of the user's vector, which its blocks share evenly
 * @param[in]  most_us     the run stops at the first event after this time; INFINITY: it never
 *                         stops
 * @param[out] time_us     when the slowest rank ends; if the run has stopped, a time above most_us
 *                         at which it has not yet ended
 *
 * @return NAPCOLL_SIMULATE_OK, OUT_OF_MEMORY or, unless the run has stopped before, DEADLOCK
 */
napcoll_simulate_status_t napcoll_simulation_run_within(napcoll_simulation_t *simulation,
                                                        const napcoll_machine_t *machine,
                                                        double bytes, double most_us,
                                                        double *time_us);

/** Run one collective to its end. */
static inline napcoll_simulate_status_t napcoll_simulation_run(napcoll_simulation_t *simulation,
                                                               const napcoll_machine_t *machine,
                                                               double bytes, double *time_us)
{
    return napcoll_simulation_run_within(simulation, machine, bytes, INFINITY, time_us);
}

#endif /* NAPCOLL_SIMULATE_H */
