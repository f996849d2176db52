/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a collective would cost, fast enough to be asked inside a running job: an estimate of the
 * time that the simulation of all ranks (napcoll_simulate.h) comes to, from the plans of a few. Pure:
 * no MPI in here.
 *
 * The estimate is that simulation, of a sample of the processes: what these exchange among each
 * other is simulated, and all others are taken to do at any time what they do
 * (napcoll_simulation_create_sampled).
 *
 *     nodes     the first of those with the most processes, then others spread over all, from the first
 *               to the last: all of their processes, or 16, the first and the last among them,
 *               which stand for the others at the node's rate and gap
 *     leaders   the first processes of further nodes, spread likewise
 *     root      of a collective that has one
 *
 * These are 96 processes, fewer where plans are long. For the algorithms of allreduce on 32,768 ranks
 * the plans take about a millisecond, and each time a third of one. Up to 64 processes on nodes of one
 * size, 16 at most, are all simulated: the estimate is the simulated time. Elsewhere it is within
 * a factor of 1.6 of it, mostly of 1.1 (tests/unit/test_plan_cost.c), and the same where all processes
 * are in step, as with powers of two in recursive doubling.
 *
 * All ranks that ask get the same estimate, to the last bit, if the plans rest on nothing but what
 * ranks share: the node map that the source uses is to be that of napcoll_plan_cost_map, and its
 * other parameters the same on all ranks.
 */

#ifndef NAPCOLL_PLAN_COST_H
#define NAPCOLL_PLAN_COST_H

#include "model/napcoll_machine.h"
#include "model/napcoll_simulate.h"
#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** A node map without what only the own node knows of it; borrows the tables of `map`. */
napcoll_node_map_t napcoll_plan_cost_map(const napcoll_node_map_t *map);

/**
 * Prepare estimates of one collective, for any machine and any size: napcoll_simulation_run says the
 * time, and takes a fraction of what preparing takes.
 *
 * @param[in]  map         who sits where; borrowed until the simulation is freed
 * @param[in]  source      makes the plans; they may have local phases
 * @param[in]  context     for source
 * @param[in]  root        a rank that does what no other does, or -1
 * @param[out] simulation  of the sample; the caller frees it; NULL after an error
 *
 * @return NAPCOLL_SIMULATE_OK, OUT_OF_MEMORY or UNMATCHED
 */
napcoll_simulate_status_t napcoll_plan_cost_prepare(const napcoll_node_map_t *map,
                                                    napcoll_plan_source_t source, void *context,
                                                    int root, napcoll_simulation_t **simulation);

/**
 * The estimate for one machine and one size.
 *
 * @param[in] map      who sits where
 * @param[in] source   makes the plans; they may have local phases
 * @param[in] context  for source
 * @param[in] root     a rank that does what no other does, or -1
 * @param[in] machine  the machine
 * @param[in] bytes    of the user's vector
 * @param[in] lead_us  how long it takes until a pipeline's first message has come to its last process:
 *                     what a sample does not see, and is added where not all are simulated
 * @param[in] most_us  from here on it is of no interest how much it is; INFINITY: it always is
 *
 * @return when the slowest process ends, in microseconds; from most_us on any time that is at least that,
 *         whatever was quickest to find: that the lead alone takes so long, that one process's messages
 *         do, or that the simulation has come so far; NAN where memory ran out (or the plans are wrong):
 *         no number to decide by, because other ranks may have one
 */
double napcoll_plan_cost_us(const napcoll_node_map_t *map, napcoll_plan_source_t source,
                            void *context, int root, const napcoll_machine_t *machine, double bytes,
                            double lead_us, double most_us);

/** The same from a sample of a quarter of the processes, or fewer, in a tenth of the time: to tell which plans
 * are not worth a closer look (napcoll_screen.h). */
double napcoll_plan_cost_rough_us(const napcoll_node_map_t *map, napcoll_plan_source_t source,
                                  void *context, int root, const napcoll_machine_t *machine,
                                  double bytes, double lead_us, double most_us);

#endif /* NAPCOLL_PLAN_COST_H */
