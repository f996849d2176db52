/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * For the plan tests of all-to-alls: what a plan sends, and the proofs of all algorithms.
 */

#ifndef NAPCOLL_TESTS_ALLTOALL_SET_H
#define NAPCOLL_TESTS_ALLTOALL_SET_H

#include "plan_set.h"

/* What a rank's plan sends: messages, and blocks of them; and its slots. */
typedef struct {
    int messages;
    int blocks;
    int slots;
} sent_t;

static inline sent_t sent_by(const napcoll_plan_t *plan)
{
    sent_t sent = {.slots = plan->temps > 0 ? (int) plan->temp[0].count : 0};

    assert_in_range(plan->temps, 0, 1);
    for (int i = 0; i < plan->steps; i++) {
        const napcoll_step_t *step = &plan->step[i];

        if (NAPCOLL_STEP_SEND == step->kind) {
            sent.messages++;
            sent.blocks += (int) step->left.count;
        }
    }
    return sent;
}

/* The same for one algorithm and map. */
static inline sent_t sent_of(int row, const napcoll_node_map_t *map, int rank, int radix)
{
    const napcoll_plan_args_t args = {.collective = &napcoll_alltoallv,
                                      .algorithm = &napcoll_alltoallv.algorithm[row],
                                      .map = map,
                                      .rank = rank,
                                      .params = {.local_radix = 2, .tunable = {radix}}};
    napcoll_plan_t *plan = args.algorithm->generate(&args);
    sent_t sent;

    assert_non_null(plan);
    sent = sent_by(plan);
    napcoll_plan_free(plan);
    return sent;
}

/* With blocks of one size, with sizes of their own, and where some of these go straight. */
static inline void verify_all(const napcoll_node_map_t *map, int radix, int at_once)
{
    const napcoll_params_t params = {.local_radix = 2, .tunable = {radix, at_once}};

    for (int a = 0; a < NAPCOLL_ALLTOALL_ALGORITHMS; a++) {
        (void) prove_plans(&napcoll_alltoall, a, map, &params);
        (void) prove_plans(&napcoll_alltoallv, a, map, &params);
        (void) prove_mixed(&napcoll_alltoallv, a, map, &params);
    }
}

#endif /* NAPCOLL_TESTS_ALLTOALL_SET_H */
