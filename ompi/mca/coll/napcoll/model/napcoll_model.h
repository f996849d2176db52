/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Models of communication. Pure: no MPI in here.
 *
 * All times are in microseconds, all sizes in bytes. A message costs what the machine says for its
 * level and for the protocol that its size has there.
 */

#ifndef NAPCOLL_MODEL_H
#define NAPCOLL_MODEL_H

#include "model/napcoll_machine.h"
#include "plan/napcoll_plan.h"

/** One message in the linear model (Hockney): latency + bytes * time per byte. */
double napcoll_model_message_us(const napcoll_machine_t *machine, napcoll_level_t level,
                                double bytes);

/** No model asks for more segments. */
enum { NAPCOLL_MODEL_MOST_SEGMENTS = 1024 };

/**
 * The time of a pipeline's first segment from the first process to the last one, each hop in the
 * linear model:
 *
 *     network (alpha + beta' s/S) + local (alpha_l + beta_l s/S)      beta' = max(beta/L, 1/R_N)
 *
 * @param[in] machine   the machine
 * @param[in] hops      of a segment
 * @param[in] segments  S, at least 1
 * @param[in] bytes     s, of the vector
 */
double napcoll_model_lead_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                             int segments, double bytes);

/**
 * The number of segments that makes a pipeline fastest, where its slope in S is 0:
 *
 *     S* = sqrt(((network - 1) beta' + local beta_l) s / alpha)
 *
 * rounded up, at most NAPCOLL_MODEL_MOST_SEGMENTS and one per byte. alpha and beta are of a network
 * message of the segment's size. On one level, of P processes, S* = sqrt((P - 2) beta s / alpha).
 */
int napcoll_model_hockney_segments(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                   double bytes);

/** The fewest segments that all go by the eager protocol: none waits for a rendezvous. */
int napcoll_model_eager_segments(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                 double bytes);

#endif /* NAPCOLL_MODEL_H */
