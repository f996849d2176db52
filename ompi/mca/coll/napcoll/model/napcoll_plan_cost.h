/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The cost of a collective, fast enough for a running job: an estimate of the time that the
 * simulation of all ranks (napcoll_simulate.h) gives, from the plans of a few. Pure: no MPI in
 * here.
 *
 * The estimate is the simulation of a sample (napcoll_simulation_create_sampled):
 *
 *     nodes     the first node with the most processes, and others spread over all nodes: all of
 *               their processes, or 16 from the first to the last, which stand for the others at
 *               the node's rate and gap
 *     leaders   the first processes of further nodes, spread likewise
 *     root      of a collective that has one
 *
 * That is 96 processes, fewer where plans are long. For an allreduce on 32,768 ranks the plans
 * take about a millisecond, and each time a third of one. Up to 64 processes on nodes of one size,
 * 16 at most, all are simulated. Elsewhere the estimate is within a factor of 1.6 of the simulated
 * time, mostly of 1.1 (tests/unit/test_plan_cost.c), and equal to it where all processes are in
 * step.
 *
 * All ranks get the same estimate, to the last bit, if the plans depend only on what ranks share:
 * the source uses the node map of napcoll_plan_cost_map, and its other parameters are the same on
 * all ranks.
 */

#ifndef NAPCOLL_PLAN_COST_H
#define NAPCOLL_PLAN_COST_H

#include "model/napcoll_machine.h"
#include "model/napcoll_simulate.h"
#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** A node map without the facts that only its own node knows. It borrows the tables of `map`. */
napcoll_node_map_t napcoll_plan_cost_map(const napcoll_node_map_t *map);

/**
 * Prepare the simulation of a sample, for any machine and size.
 *
 * @param[in]  map         the placement; borrowed until the simulation is freed
 * @param[in]  first       the plan of the first process of the fullest node
 * @param[in]  source      makes the plans; they may have local phases
 * @param[in]  context     for source
 * @param[in]  root        a rank that is always in the sample, or -1
 * @param[in]  rough       a sample of a quarter of the processes, or fewer
 * @param[out] processes   of the sample
 * @param[out] simulation  the simulation, which the caller frees; NULL after an error
 *
 * @return NAPCOLL_SIMULATE_OK, OUT_OF_MEMORY or UNMATCHED
 */
napcoll_simulate_status_t napcoll_plan_cost_prepare(const napcoll_node_map_t *map,
                                                    const napcoll_plan_t *first,
                                                    napcoll_plan_source_t source, void *context,
                                                    int root, bool rough, int *processes,
                                                    napcoll_simulation_t **simulation);

/**
 * The estimate for one machine and one size.
 *
 * @param[in] map      the placement
 * @param[in] source   makes the plans; they may have local phases
 * @param[in] context  for source
 * @param[in] root     a rank that is always in the sample, or -1
 * @param[in] machine  the machine
 * @param[in] bytes    of the user's vector
 * @param[in] lead_us  time from the first to the last process of a pipeline. A sample does not show
 *                     it, so it is added where not all processes are simulated
 * @param[in] most_us  the caller needs no exact time from here on; INFINITY: always
 *
 * @return when the slowest process ends, in microseconds. If that is most_us or more: a time of at
 *         least most_us, whichever is found first. NAN when memory ran out or the plans are wrong;
 *         a rank must not decide by it, because other ranks may have a number
 */
double napcoll_plan_cost_us(const napcoll_node_map_t *map, napcoll_plan_source_t source,
                            void *context, int root, const napcoll_machine_t *machine, double bytes,
                            double lead_us, double most_us);

/** The same from a rough sample, in a tenth of the time: to find the plans that deserve a close
 * estimate (napcoll_screen.h). */
double napcoll_plan_cost_rough_us(const napcoll_node_map_t *map, napcoll_plan_source_t source,
                                  void *context, int root, const napcoll_machine_t *machine,
                                  double bytes, double lead_us, double most_us);

#endif /* NAPCOLL_PLAN_COST_H */
