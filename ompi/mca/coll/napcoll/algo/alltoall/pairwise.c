/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-all in pairs: in step j every rank sends to the one j places before it, and receives from the
 * one j places after (see linear.c).
 */

#include "algo/alltoall/alltoall.h"

napcoll_plan_t *napcoll_alltoall_pairwise(const napcoll_plan_args_t *args)
{
    return napcoll_alltoall_direct(args, 1);
}

napcoll_bounds_t napcoll_alltoall_pairwise_bounds(const napcoll_node_map_t *map,
                                                  const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
