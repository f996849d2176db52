/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of algorithms of gather, gatherv, scatter and scatterv.
 */

#include "algo/gather/gather.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_GATHER_ALGORITHMS] = {
    [NAPCOLL_GATHER_LINEAR] =
        {.name = "linear",
         .help = "every rank's block goes straight to or from the root, all at once",
         .generate = napcoll_gather_linear,
         .bounds = napcoll_gather_linear_bounds,
         .burst = napcoll_gather_linear_burst,
         .linear = true,
         .needs = NAPCOLL_NEEDS_NOTHING,
         .tunable = {{.name = "requests",
                      .help = "Blocks that the root receives, or sends, at once. 0: 256",
                      .initial = 0,
                      .least = 0}}},
    [NAPCOLL_GATHER_BINOMIAL] =
        {.name = "binomial",
         .help = "a binomial tree over all ranks from the root on, node after node",
         .generate = napcoll_gather_binomial,
         .bounds = napcoll_gather_binomial_bounds,
         .slots = napcoll_gather_binomial_slots,
         .detours = true,
         .tells = true,
         .needs = NAPCOLL_NEEDS_NOTHING},
    [NAPCOLL_GATHER_TWO_LEVEL] =
        {.name = "two_level",
         .help =
             "blocks of a node come together at its leader, or part there; trees of leaders and "
             "inside nodes",
         .generate = napcoll_gather_two_level,
         .bounds = napcoll_gather_two_level_bounds,
         .slots = napcoll_gather_two_level_slots,
         .burst = napcoll_gather_two_level_burst,
         .detours = true,
         .tells = true,
         .radix = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the tree of leaders")}},
    [NAPCOLL_GATHER_SEGMENTED] =
        {.name = "segmented",
         .help = "HeteroMPI's: straight, in pieces below the thresholds (gather_m1 and gather_m2, "
                 "scatter_s), a gather's each after a barrier",
         .generate = napcoll_gather_segmented,
         .bounds = napcoll_gather_segmented_bounds,
         .cut = true,
         .linear = true,
         .radix = true,
         .needs = NAPCOLL_NEEDS_NOTHING,
         .tunable = {NAPCOLL_TUNABLE_RADIX("a gather's barriers between leaders")}},
    [NAPCOLL_GATHER_CREDIT] =
        {.name = "credit",
         .help =
             "straight, where the thresholds warn for a window of ranks at once only, in pieces of "
             "moderate size",
         .generate = napcoll_gather_credit,
         .bounds = napcoll_gather_credit_bounds,
         .cut = true,
         .linear = true,
         .needs = NAPCOLL_NEEDS_NOTHING,
         .tunable =
             {{.name = "window",
               .help = "Ranks whose pieces are on their way to or from the root at once, where the "
                       "thresholds warn (gather_m1 and gather_m2, scatter_s). 0: two, or as many "
                       "as have half of the bytes together that flat messages just below the "
                       "threshold have",
               .initial = 0,
               .least = 0,
               .tunes = NAPCOLL_TUNES_WINDOW},
              {.name = "piece_bytes",
               .help = "Bytes of a piece at most. 0: 65536",
               .initial = 0,
               .least = 0,
               .most = 1 << 30,
               .tunes = NAPCOLL_TUNES_PIECES}}},
};

const napcoll_collective_t napcoll_gather = {.name = "gather",
                                             .goal = NAPCOLL_GOAL_GATHER,
                                             .everywhere = true,
                                             .algorithm = algorithms,
                                             .algorithms = NAPCOLL_GATHER_ALGORITHMS};

const napcoll_collective_t napcoll_gatherv = {.name = "gatherv",
                                              .goal = NAPCOLL_GOAL_GATHER,
                                              .everywhere = true,
                                              .uneven = true,
                                              .algorithm = algorithms,
                                              .algorithms = NAPCOLL_GATHER_ALGORITHMS};

const napcoll_collective_t napcoll_scatter = {.name = "scatter",
                                              .goal = NAPCOLL_GOAL_SCATTER,
                                              .everywhere = true,
                                              .algorithm = algorithms,
                                              .algorithms = NAPCOLL_GATHER_ALGORITHMS};

const napcoll_collective_t napcoll_scatterv = {.name = "scatterv",
                                               .goal = NAPCOLL_GOAL_SCATTER,
                                               .everywhere = true,
                                               .uneven = true,
                                               .algorithm = algorithms,
                                               .algorithms = NAPCOLL_GATHER_ALGORITHMS};
