/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of algorithms of alltoall, alltoallv and alltoallw.
 */

#include "algo/napcoll_generators.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_ALLTOALL_ALGORITHMS] = {
    [NAPCOLL_ALLTOALL_LINEAR] =
        {.name = "linear",
         .help = "every rank sends its blocks straight to all others",
         .generate = napcoll_alltoall_linear,
         .bounds = napcoll_alltoall_linear_bounds,
         .linear = true,
         .tunable = {{.name = "requests",
                      .help = "Blocks that a process sends, and receives, at once. 0: 256"}}},
    [NAPCOLL_ALLTOALL_PAIRWISE] = {.name = "pairwise",
                                   .help = "in P - 1 steps every rank sends one block and receives "
                                           "one",
                                   .generate = napcoll_alltoall_pairwise,
                                   .bounds = napcoll_bounds_one,
                                   .linear = true,
                                   .lockstep = true},
    [NAPCOLL_ALLTOALL_TUNA] =
        {.name = "tuna",
         .help = "blocks are forwarded by the digits of their distance, all of one digit together: "
                 "ceil(log_radix P) steps of radix - 1 messages",
         .generate = napcoll_alltoall_tuna,
         .bounds = napcoll_alltoall_tuna_bounds,
         .store_and_forward = true,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the digits over all ranks", NAPCOLL_TUNES_RADIX_RANKS),
                     {.name = "burst",
                      .help =
                          "Messages at once, at most radix - 1. 0: all of a digit, at most 256"}}},
    [NAPCOLL_ALLTOALL_TUNA_COALESCED] =
        {.name = "tuna_coalesced",
         .help = "inside the node by digits, the blocks of all nodes together; then one message to "
                 "each other node",
         .generate = napcoll_alltoall_tuna_coalesced,
         .bounds = napcoll_alltoall_tuna_coalesced_bounds,
         .slots = napcoll_alltoall_tuna_coalesced_slots,
         .store_and_forward = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the digits over the processes of a node",
                                           NAPCOLL_TUNES_RADIX_LANES),
                     {.name = "block_count",
                      .help = "Nodes to which a process sends at once. 0: 256"}}},
    [NAPCOLL_ALLTOALL_TUNA_STAGGERED] =
        {.name = "tuna_staggered",
         .help = "inside the node by digits, the blocks of all nodes together; then each block in "
                 "a message of its own to its node",
         .generate = napcoll_alltoall_tuna_staggered,
         .bounds = napcoll_alltoall_tuna_staggered_bounds,
         .slots = napcoll_alltoall_tuna_staggered_slots,
         .store_and_forward = true,
         .linear = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the digits over the processes of a node",
                                           NAPCOLL_TUNES_RADIX_LANES),
                     {.name = "block_count",
                      .help = "Blocks that a process sends to other nodes at once. 0: 256"}}},
    [NAPCOLL_ALLTOALL_TUNA_TWO_LEVEL] =
        {.name = "tuna_two_level",
         .help = "inside the node by digits, with local_radix, the blocks of all nodes together; "
                 "then by digits over the nodes, the blocks of all lanes together",
         .generate = napcoll_alltoall_tuna_two_level,
         .bounds = napcoll_alltoall_tuna_two_level_bounds,
         .slots = napcoll_alltoall_tuna_two_level_slots,
         .store_and_forward = true,
         .radix = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the digits over the nodes", NAPCOLL_TUNES_RADIX),
                     {.name = "burst",
                      .help = "Messages to other nodes at once, at most radix - 1. 0: all of a "
                              "digit, at most 256"}}},
    [NAPCOLL_ALLTOALL_MULTI_LEADER] =
        {.name = "multi_leader",
         .help = "the processes of a node give all blocks to a few leaders, which exchange them "
                 "between the nodes and hand them out to their groups",
         .generate = napcoll_alltoall_multi_leader,
         .bounds = napcoll_alltoall_multi_leader_bounds,
         .slots = napcoll_alltoall_multi_leader_slots,
         .store_and_forward = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .tunable = {{.name = "leaders",
                      .help = "Leaders of each node, from one for the whole node to all of its "
                              "processes. 0: chosen by the model",
                      .tunes = NAPCOLL_TUNES_LEADERS},
                     {.name = "block_count",
                      .help = "Nodes to which a leader sends at once. 0: 256"}}},
};

const napcoll_collective_t napcoll_alltoall = {.name = "alltoall",
                                               .goal = NAPCOLL_GOAL_ALLTOALL,
                                               .everywhere = true,
                                               .algorithm = algorithms,
                                               .algorithms = NAPCOLL_ALLTOALL_ALGORITHMS};

const napcoll_collective_t napcoll_alltoallv = {.name = "alltoallv",
                                                .goal = NAPCOLL_GOAL_ALLTOALL,
                                                .everywhere = true,
                                                .uneven = true,
                                                .algorithm = algorithms,
                                                .algorithms = NAPCOLL_ALLTOALL_ALGORITHMS};

const napcoll_collective_t napcoll_alltoallw = {.name = "alltoallw",
                                                .goal = NAPCOLL_GOAL_ALLTOALL,
                                                .everywhere = true,
                                                .uneven = true,
                                                .few_blocks = true,
                                                .algorithm = algorithms,
                                                .algorithms = NAPCOLL_ALLTOALL_ALGORITHMS};

napcoll_builder_t *napcoll_alltoall_builder(const napcoll_plan_args_t *args)
{
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_PERSONALIZED,
                                                           args->map->size);

    if (NULL != builder) {
        napcoll_builder_copy(builder, (napcoll_span_t){.buffer = NAPCOLL_BUFFER_RECV, .count = 1},
                             (napcoll_span_t){.buffer = NAPCOLL_BUFFER_SEND, .count = 1});
    }
    return builder;
}
