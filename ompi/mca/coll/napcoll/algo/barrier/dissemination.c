/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Barrier by dissemination over all ranks, for any number of ranks P. All messages are empty.
 *
 *     P = 5     r -> r + 1      then r has heard from 2 ranks
 *               r -> r + 2      from 4
 *               r -> r + 4      from all (round the end)
 *
 *     cost      ceil(log2 P) alpha
 *
 * D. Hensgen, R. Finkel, U. Manber: "Two algorithms for barrier synchronization", 1988.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

napcoll_plan_t *napcoll_barrier_dissemination(const napcoll_plan_args_t *args)
{
    const napcoll_group_t ranks = napcoll_group_ranks(args, 2);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);

    if (NULL == builder) {
        return NULL;
    }
    napcoll_exchange_disseminate(builder, &ranks, 1);
    return napcoll_builder_finish(builder);
}
