/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The tables of shadows (see the header). Users are offered none of them: a row's help is what napcoll-plan says that
 * the fallback component does.
 */

#include "algo/previous/previous.h"

#include "algo/allgather/allgather.h"
#include "algo/allreduce/allreduce.h"
#include "algo/alltoall/alltoall.h"
#include "algo/barrier/barrier.h"
#include "algo/bcast/bcast.h"
#include "algo/gather/gather.h"

static napcoll_bounds_t one_message(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}

/* The most children of a position in the trees that the tunables say. */
static napcoll_bounds_t children(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    int most = 1;

    for (int t = 0; t < NAPCOLL_MAX_TUNABLES; t++) {
        const napcoll_previous_tree_t tree = (napcoll_previous_tree_t) params->tunable[t];
        const int head = NAPCOLL_PREVIOUS_IN_ORDER_BINARY == tree ? map->size - 1 : 0;
        int count = 0;

        while (napcoll_previous_child(tree, map->size, head, count) >= 0) {
            count++;
        }
        most = most > count ? most : count;
    }
    return (napcoll_bounds_t){.inter = most, .all = most};
}

static napcoll_bounds_t all_at_once(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    return napcoll_alltoall_linear_bounds(map, params);
}

/* The tunables of trees are set by whoever makes a plan: there is nothing to offer. */

static const napcoll_algorithm_t allreduces[NAPCOLL_PREVIOUS_ALLREDUCE_ROWS] = {
    [NAPCOLL_PREVIOUS_ALLREDUCE_TREES] = {.name = "reduce_bcast",
                                          .help = "reduce to rank 0, then broadcast",
                                          .generate = napcoll_previous_allreduce_trees,
                                          .bounds = children},
    [NAPCOLL_PREVIOUS_ALLREDUCE_RECURSIVE_DOUBLING] = {.name = "recursive_doubling",
                                                       .help = "recursive doubling",
                                                       .generate =
                                                           napcoll_previous_allreduce_doubling,
                                                       .bounds = one_message},
    [NAPCOLL_PREVIOUS_ALLREDUCE_RING] = {.name = "ring",
                                         .help = "ring",
                                         .generate = napcoll_allreduce_ring,
                                         .bounds = napcoll_allreduce_ring_bounds,
                                         .needs = NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_PREVIOUS_ALLREDUCE_RABENSEIFNER] = {.name = "rabenseifner",
                                                 .help = "Rabenseifner's",
                                                 .generate = napcoll_allreduce_rabenseifner,
                                                 .bounds = napcoll_allreduce_rabenseifner_bounds},
};

static const napcoll_algorithm_t reduces[NAPCOLL_PREVIOUS_REDUCE_ROWS] = {
    [NAPCOLL_PREVIOUS_REDUCE_TREE] = {.name = "tree",
                                      .help = "tree",
                                      .generate = napcoll_previous_reduce_tree,
                                      .bounds = children},
};

static const napcoll_algorithm_t bcasts[NAPCOLL_PREVIOUS_BCAST_ROWS] = {
    [NAPCOLL_PREVIOUS_BCAST_TREE] = {.name = "tree",
                                     .help = "tree",
                                     .generate = napcoll_previous_bcast_tree,
                                     .bounds = children},
    [NAPCOLL_PREVIOUS_BCAST_SCATTER_ALLGATHER] = {.name = "scatter_allgather",
                                                  .help = "scatter and allgather",
                                                  .generate = napcoll_bcast_scatter_allgather,
                                                  .bounds = napcoll_bcast_scatter_allgather_bounds},
};

static const napcoll_algorithm_t barriers[NAPCOLL_PREVIOUS_BARRIER_ROWS] = {
    [NAPCOLL_PREVIOUS_BARRIER_TREE] = {.name = "tree",
                                       .help = "tree",
                                       .generate = napcoll_previous_barrier_tree,
                                       .bounds = children},
    [NAPCOLL_PREVIOUS_BARRIER_RECURSIVE_DOUBLING] = {.name = "recursive_doubling",
                                                     .help = "recursive doubling",
                                                     .generate = napcoll_previous_barrier_doubling,
                                                     .bounds = one_message},
    [NAPCOLL_PREVIOUS_BARRIER_BRUCK] = {.name = "bruck",
                                        .help = "Bruck's",
                                        .generate = napcoll_barrier_dissemination,
                                        .bounds = napcoll_barrier_dissemination_bounds},
};

static const napcoll_algorithm_t allgathers[NAPCOLL_PREVIOUS_ALLGATHER_ROWS] = {
    [NAPCOLL_PREVIOUS_ALLGATHER_TREE] = {.name = "gather_bcast",
                                         .help = "linear gather, then broadcast",
                                         .generate = napcoll_previous_allgather_tree,
                                         .bounds = children},
    [NAPCOLL_PREVIOUS_ALLGATHER_BRUCK] = {.name = "bruck",
                                          .help = "Bruck's",
                                          .generate = napcoll_allgather_bruck,
                                          .bounds = napcoll_allgather_bruck_bounds},
    [NAPCOLL_PREVIOUS_ALLGATHER_RECURSIVE_DOUBLING] =
        {.name = "recursive_doubling",
         .help = "recursive doubling",
         .generate = napcoll_allgather_recursive_doubling,
         .bounds = napcoll_allgather_recursive_doubling_bounds,
         .needs = NAPCOLL_NEEDS_POWER_OF_TWO},
    [NAPCOLL_PREVIOUS_ALLGATHER_RING] = {.name = "ring",
                                         .help = "ring",
                                         .generate = napcoll_allgather_ring,
                                         .bounds = napcoll_allgather_ring_bounds},
    [NAPCOLL_PREVIOUS_ALLGATHER_NEIGHBOR] = {.name = "neighbor_exchange",
                                             .help = "neighbor exchange",
                                             .generate = napcoll_previous_neighbor,
                                             .bounds = one_message},
};

static const napcoll_algorithm_t reduce_scatters[NAPCOLL_PREVIOUS_REDUCE_SCATTER_ROWS] = {
    [NAPCOLL_PREVIOUS_REDUCE_SCATTER_TREES] = {.name = "reduce_scatter",
                                               .help = "reduce to rank 0, then scatter",
                                               .generate = napcoll_previous_reduce_scatter_trees,
                                               .bounds = one_message},
    [NAPCOLL_PREVIOUS_REDUCE_SCATTER_HALVING] = {.name = "recursive_halving",
                                                 .help = "recursive halving",
                                                 .generate = napcoll_previous_halving,
                                                 .bounds = one_message,
                                                 .needs = NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_PREVIOUS_REDUCE_SCATTER_RING] = {.name = "ring",
                                              .help = "ring",
                                              .generate = napcoll_previous_ring,
                                              .bounds = one_message,
                                              .needs = NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_PREVIOUS_REDUCE_SCATTER_BUTTERFLY] = {.name = "butterfly",
                                                   .help = "butterfly",
                                                   .generate = napcoll_previous_butterfly,
                                                   .bounds = one_message,
                                                   .needs = NAPCOLL_NEEDS_COMMUTATIVE},
};

static const napcoll_algorithm_t alltoalls[NAPCOLL_PREVIOUS_ALLTOALL_ROWS] = {
    [NAPCOLL_PREVIOUS_ALLTOALL_LINEAR] = {.name = "linear",
                                          .help = "linear",
                                          .generate = napcoll_alltoall_linear,
                                          .bounds = all_at_once},
    [NAPCOLL_PREVIOUS_ALLTOALL_PAIRWISE] = {.name = "pairwise",
                                            .help = "pairwise exchange",
                                            .generate = napcoll_alltoall_pairwise,
                                            .bounds = one_message},
    [NAPCOLL_PREVIOUS_ALLTOALL_BRUCK] = {.name = "bruck",
                                         .help = "Bruck's",
                                         .generate = napcoll_previous_bruck,
                                         .bounds = one_message},
};

/* Blocks come all at once from the leaves of these trees, as from napcoll's: see napcoll_algorithm_t. */
static const napcoll_algorithm_t rooteds[NAPCOLL_PREVIOUS_ROOTED_ROWS] = {
    [NAPCOLL_PREVIOUS_ROOTED_LINEAR] = {.name = "linear",
                                        .help = "linear",
                                        .generate = napcoll_previous_one_by_one,
                                        .bounds = one_message,
                                        .burst = napcoll_gather_linear_burst},
    [NAPCOLL_PREVIOUS_ROOTED_AT_ONCE] = {.name = "linear_nb",
                                         .help = "linear, all at once",
                                         .generate = napcoll_gather_linear,
                                         .bounds = napcoll_gather_linear_bounds,
                                         .burst = napcoll_gather_linear_burst},
    [NAPCOLL_PREVIOUS_ROOTED_BINOMIAL] = {.name = "binomial",
                                          .help = "binomial tree",
                                          .generate = napcoll_gather_binomial,
                                          .bounds = napcoll_gather_binomial_bounds,
                                          .slots = napcoll_gather_binomial_slots},
};

static const napcoll_algorithm_t scans[NAPCOLL_PREVIOUS_SCAN_ROWS] = {
    [NAPCOLL_PREVIOUS_SCAN_LINEAR] = {.name = "linear",
                                      .help = "linear",
                                      .generate = napcoll_previous_scan_linear,
                                      .bounds = one_message},
};

#define SHADOW(shadowed, its_goal, rows, count)                                    \
    {                                                                              \
        .name = shadowed, .goal = its_goal, .algorithm = rows, .algorithms = count \
    }

const napcoll_collective_t napcoll_previous_allreduce = SHADOW(
    "allreduce", NAPCOLL_GOAL_ALLREDUCE, allreduces, NAPCOLL_PREVIOUS_ALLREDUCE_ROWS);
const napcoll_collective_t napcoll_previous_reduce = SHADOW("reduce", NAPCOLL_GOAL_REDUCE, reduces,
                                                            NAPCOLL_PREVIOUS_REDUCE_ROWS);
const napcoll_collective_t napcoll_previous_bcast = SHADOW("bcast", NAPCOLL_GOAL_BCAST, bcasts,
                                                           NAPCOLL_PREVIOUS_BCAST_ROWS);
const napcoll_collective_t napcoll_previous_barrier = SHADOW(
    "barrier", NAPCOLL_GOAL_BARRIER, barriers, NAPCOLL_PREVIOUS_BARRIER_ROWS);
const napcoll_collective_t napcoll_previous_allgather = SHADOW(
    "allgather", NAPCOLL_GOAL_ALLGATHER, allgathers, NAPCOLL_PREVIOUS_ALLGATHER_ROWS);
const napcoll_collective_t napcoll_previous_reduce_scatter = SHADOW(
    "reduce_scatter", NAPCOLL_GOAL_REDUCE_SCATTER, reduce_scatters,
    NAPCOLL_PREVIOUS_REDUCE_SCATTER_ROWS);
const napcoll_collective_t napcoll_previous_alltoall = SHADOW(
    "alltoall", NAPCOLL_GOAL_ALLTOALL, alltoalls, NAPCOLL_PREVIOUS_ALLTOALL_ROWS);
const napcoll_collective_t napcoll_previous_gather = SHADOW("gather", NAPCOLL_GOAL_GATHER, rooteds,
                                                            NAPCOLL_PREVIOUS_ROOTED_ROWS);
const napcoll_collective_t napcoll_previous_scatter = SHADOW("scatter", NAPCOLL_GOAL_SCATTER,
                                                             rooteds, NAPCOLL_PREVIOUS_ROOTED_ROWS);
const napcoll_collective_t napcoll_previous_scan = SHADOW("scan", NAPCOLL_GOAL_SCAN, scans,
                                                          NAPCOLL_PREVIOUS_SCAN_ROWS);
const napcoll_collective_t napcoll_previous_exscan = SHADOW("exscan", NAPCOLL_GOAL_EXSCAN, scans,
                                                            NAPCOLL_PREVIOUS_SCAN_ROWS);

const napcoll_collective_t *const napcoll_previous_collectives[] = {
    &napcoll_previous_allreduce, &napcoll_previous_reduce,    &napcoll_previous_bcast,
    &napcoll_previous_barrier,   &napcoll_previous_allgather, &napcoll_previous_reduce_scatter,
    &napcoll_previous_alltoall,  &napcoll_previous_gather,    &napcoll_previous_scatter,
    &napcoll_previous_scan,      &napcoll_previous_exscan,    NULL};
