/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reproducible allreduce of small vectors: every process gathers all vectors, node-aware, and
 * reduces them by halves of the ranks (napcoll_gathered.h).
 *
 *     node A    gather a0 a1 a2 | fetch B, C, D | share them | reduce a0 .. d2 by halves
 *
 *     cost   ceil(log_{L+1} n) alpha_n + (n - 1) s beta_n between nodes,
 *            (1 + ceil(log_{L+1} n)) ceil(log_k L) alpha_l + P s beta_l inside, P s gamma
 *
 * The result has the bits of the tree and of recursive doubling, in fewer steps between nodes, for
 * P times the vector in memory and through each process.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_gathered.h"

napcoll_plan_t *napcoll_allreduce_gathered(const napcoll_plan_args_t *args)
{
    return napcoll_gathered_plan(args, args->map->size);
}
