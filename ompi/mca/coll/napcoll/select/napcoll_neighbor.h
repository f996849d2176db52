/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The choice for neighbourhood collectives: no rank knows the plans of others, so the estimate
 * rests on what all ranks have agreed on, the most that any process sends or receives. Pure: no MPI
 * in here.
 *
 *     between nodes   alpha + max((m - 1) g, (b - b/m) beta s, the same of the node)
 *     inside          stages alpha_l + (m_l - 1) 2 o + b_l beta_l s
 *
 * m messages of b blocks of s bytes. Direct messages are all under way together; coalesced ones in
 * three stages, one after the other.
 */

#ifndef NAPCOLL_NEIGHBOR_H
#define NAPCOLL_NEIGHBOR_H

#include "model/napcoll_machine.h"
#include "plan/napcoll_neighborhood.h"

/** Of uneven calls: larger blocks go straight to their ranks, where users do not say. */
enum { NAPCOLL_NEIGHBOR_INLINE_BYTES = 4096 };

/**
 * Estimate a call.
 *
 * @param[in] machine   the machine
 * @param[in] load      of the algorithm
 * @param[in] forwards  blocks are forwarded
 * @param[in] bytes     of a block
 *
 * @return microseconds
 */
double napcoll_neighbor_cost_us(const napcoll_machine_t *machine,
                                const napcoll_neighbor_load_t *load, bool forwards, double bytes);

/** Whether coalescing can help at all on any machine: it sends fewer messages between nodes, of one
 * process or of a node. */
bool napcoll_neighbor_saves(const napcoll_neighbor_load_t *direct,
                            const napcoll_neighbor_load_t *coalesced);

#endif /* NAPCOLL_NEIGHBOR_H */
