/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The generators of barrier. How many lanes and inter-node steps nap needs: napcoll_ports.h.
 */

#ifndef NAPCOLL_ALGO_BARRIER_H
#define NAPCOLL_ALGO_BARRIER_H

#include "algo/napcoll_algo.h"
#include "algo/napcoll_exchange.h"

/** Rows of the table. */
enum {
    NAPCOLL_BARRIER_DISSEMINATION,
    NAPCOLL_BARRIER_SMP,
    NAPCOLL_BARRIER_NAP,
    NAPCOLL_BARRIER_ALGORITHMS
};

napcoll_plan_t *napcoll_barrier_dissemination(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_barrier_smp(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_barrier_nap(const napcoll_plan_args_t *args);

napcoll_bounds_t napcoll_barrier_dissemination_bounds(const napcoll_node_map_t *map,
                                                      const napcoll_params_t *params);
napcoll_bounds_t napcoll_barrier_smp_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params);
napcoll_bounds_t napcoll_barrier_nap_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params);

/* ---- passing the word: what barriers consist of; who is not of a party does nothing ---- */

/** What the messages of a barrier carry. */
static inline napcoll_span_t napcoll_word(void)
{
    return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_RECV};
}

/** Process 0 of a party gets the word of all, along the split of the processes. */
void napcoll_word_collect(napcoll_builder_t *builder, const napcoll_party_t *party);

/** All processes of a party get the word of process 0. */
void napcoll_word_release(napcoll_builder_t *builder, const napcoll_party_t *party);

/**
 * Dissemination: all processes of a party get the word of all. Those who have that of w processes pass it
 * on to the next ones at distances w, 2 w, ...
 *
 *     cost   ceil(log_(ports + 1) n) alpha, up to `ports` messages at once
 *
 * @param[in,out] builder  the plan
 * @param[in]     party    who takes part
 * @param[in]     ports    the most messages at once; no more than the number of steps calls for are sent
 */
void napcoll_word_disseminate(napcoll_builder_t *builder, const napcoll_party_t *party, int ports);

/**
 * The same in groups, where the number of processes is a power of the radix, ports + 1 or less: in each step
 * the processes whose numbers differ in one digit tell each other. The steps and messages are those of
 * dissemination, which it is for other numbers, but who is sent to also sends. So about half as many
 * pairs need a connection, and a transport acknowledges what came with what it sends.
 */
void napcoll_word_exchange(napcoll_builder_t *builder, const napcoll_party_t *party, int ports);

/** All ranks of a request get the word of all, through the leaders: the stages of the barrier smp, with the radix and
 * local radix of the request, of whatever collective it is. */
void napcoll_word_everywhere(napcoll_builder_t *builder, const napcoll_plan_args_t *args);

#endif /* NAPCOLL_ALGO_BARRIER_H */
