/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reproducible scans of small vectors: every process gathers all vectors, node-aware, and rank r reduces
 * those of ranks 0 to r, or to r - 1, by halves (napcoll_gathered.h has the picture).
 *
 *     node B    gather b0 b1 b2 | fetch C, D, A | share them | b1 reduces a0 .. b0 or a0 .. b1
 *
 *     cost   ceil(log_{L+1} n) alpha_n + (n - 1) s beta_n between nodes,
 *            (1 + ceil(log_{L+1} n)) ceil(log_k L) alpha_l + P s beta_l inside, P s gamma
 *
 * Any placement will do. Every process holds P vectors in memory, P times the size of the call, and as
 * many pass through it, those of higher ranks for the sake of others: for small vectors only.
 */

#include "algo/napcoll_gathered.h"
#include "algo/scan/scan.h"

napcoll_plan_t *napcoll_scan_gathered(const napcoll_plan_args_t *args)
{
    return napcoll_gathered_plan(args, args->rank + napcoll_scan_is_inclusive(args));
}

napcoll_bounds_t napcoll_scan_gathered_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    return napcoll_gathered_bounds(map, params);
}
