/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of algorithms of gather, gatherv, scatter and scatterv. A scatter's messages are those
 * of the gather, backwards.
 */

#include "algo/napcoll_generators.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_GATHER_ALGORITHMS] = {
    [NAPCOLL_GATHER_LINEAR] =
        {.name = "linear",
         .help = "the root receives each rank's block, or sends it, in one message, all at once",
         .generate = napcoll_gather_linear,
         .bounds = napcoll_gather_linear_bounds,
         .burst = napcoll_gather_linear_burst,
         .linear = true,
         .tunable = {{.name = "requests",
                      .help = "Blocks that the root receives, or sends, at once. 0: 256"}}},
    [NAPCOLL_GATHER_BINOMIAL] =
        {.name = "binomial",
         .help = "a binomial tree over all ranks from the root on, node after node",
         .generate = napcoll_gather_binomial,
         .bounds = napcoll_gather_binomial_bounds,
         .slots = napcoll_gather_binomial_slots,
         .store_and_forward = true},
    [NAPCOLL_GATHER_TWO_LEVEL] =
        {.name = "two_level",
         .help = "the leader of a node gathers, or scatters, the blocks of its node; trees between "
                 "the leaders and inside the nodes",
         .generate = napcoll_gather_two_level,
         .bounds = napcoll_gather_two_level_bounds,
         .slots = napcoll_gather_two_level_slots,
         .burst = napcoll_gather_two_level_burst,
         .store_and_forward = true,
         .radix = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the tree of leaders", NAPCOLL_TUNES_RADIX)}},
    [NAPCOLL_GATHER_SEGMENTED] =
        {.name = "segmented",
         .help =
             "HeteroMPI's: like linear, but blocks between the thresholds (gather_m1, "
             "gather_m2, scatter_s) are cut into pieces; a gather has a barrier before each piece",
         .generate = napcoll_gather_segmented,
         .bounds = napcoll_gather_segmented_bounds,
         .cuts_blocks = true,
         .linear = true,
         .radix = true,
         .tunable = {NAPCOLL_TUNABLE_RADIX("a gather's barriers between leaders",
                                           NAPCOLL_TUNES_RADIX)}},
    [NAPCOLL_GATHER_CREDIT] =
        {.name = "credit",
         .help =
             "like linear, but between the thresholds only a window of ranks sends, or receives, "
             "pieces at a time",
         .generate = napcoll_gather_credit,
         .bounds = napcoll_gather_credit_bounds,
         .cuts_blocks = true,
         .linear = true,
         .tunable =
             {{.name = "window",
               .help = "Ranks whose pieces are under way to or from the root at once, between the "
                       "thresholds (gather_m1 and gather_m2, scatter_s). 0: two, or the number "
                       "whose pieces together have half of the bytes of flat messages just below "
                       "the threshold",
               .tunes = NAPCOLL_TUNES_WINDOW},
              {.name = "piece_bytes",
               .help = "Bytes of a piece at most. 0: 65536",
               .most = 1 << 30,
               .tunes = NAPCOLL_TUNES_PIECES}}},
    [NAPCOLL_GATHER_BINE] =
        {.name = "bine",
         .help = "a Bine tree over all ranks: the steps of the binomial one between closer ranks",
         .generate = napcoll_gather_bine,
         .bounds = napcoll_gather_binomial_bounds,
         .slots = napcoll_gather_binomial_slots,
         .store_and_forward = true},
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
