/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reproducible scans of small vectors: every process gathers all vectors, node-aware, and rank r
 * reduces the vectors of ranks 0 to r, or to r - 1, by halves (napcoll_gathered.h).
 *
 *     node B    gather b0 b1 b2 | fetch C, D, A | share them | b1 reduces a0 .. b0 or a0 .. b1
 *
 *     cost   ceil(log_{L+1} n) alpha_n + (n - 1) s beta_n between nodes,
 *            (1 + ceil(log_{L+1} n)) ceil(log_k L) alpha_l + P s beta_l inside, P s gamma
 *
 * For any placement. Every process keeps P vectors in memory, P times the size of the call, also of
 * higher ranks: for small vectors only.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_gathered.h"

napcoll_plan_t *napcoll_scan_gathered(const napcoll_plan_args_t *args)
{
    return napcoll_gathered_plan(args, args->rank + napcoll_scan_is_inclusive(args));
}
