/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-all in pairs: in step j every rank sends to the one j places before it, and receives from
 * the one j places after it (see linear.c).
 *
 *     cost   (P - 1) (alpha + beta s)
 */

#include "algo/napcoll_generators.h"

napcoll_plan_t *napcoll_alltoall_pairwise(const napcoll_plan_args_t *args)
{
    return napcoll_alltoall_direct(args, 1);
}
