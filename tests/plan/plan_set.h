/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * For the plan tests: the plans of all ranks of a placement.
 */

#ifndef NAPCOLL_TESTS_PLAN_SET_H
#define NAPCOLL_TESTS_PLAN_SET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>

#include <cmocka.h>

#include "algo/napcoll_generators.h"
#include "model/napcoll_simulate.h"
#include "plan/napcoll_plan_print.h"
#include "verify/napcoll_verify.h"
#include "placement.h"

/** The stride of loops over numbers of nodes: under the address checker the code matters, not every
 * number. */
#ifdef __SANITIZE_ADDRESS__
enum { NODES_STRIDE = 5 };
#else
enum { NODES_STRIDE = 1 };
#endif

/** Numbers of processes on nodes that have unequal ones, and orders of the ranks. */
enum { UNEVEN_LISTS = 10, UNEVEN_ORDERS = 4 };
static const char *const uneven_lists[UNEVEN_LISTS]
    __attribute__((unused)) = {"3,2,1",   "5,5,1,4", "1,8",       "8,1,1", "2,3",
                               "7,7,7,6", "4,4,1",   "16,1,3,16", "1,1,2", "9,2,5,5,1,3"};
static const char *const uneven_orders[UNEVEN_ORDERS]
    __attribute__((unused)) = {"block", "cyclic", "random:1", "random:77"};

/** A map of nodes with the same number of processes. */
static inline napcoll_node_map_t *uniform(int ppn, const char *order, int size)
{
    char list[16];

    (void) snprintf(list, sizeof(list), "%d", ppn);
    return placement(list, order, size);
}

/** Let the hardware of a node have its processes in another order than their ranks: every other one
 * is on the second socket. */
static inline void shuffle_hardware(napcoll_node_map_t *map, int node)
{
    const char *locality[64];
    const int ppn = napcoll_node_map_ppn(map, node);

    assert_in_range(ppn, 1, 64);
    for (int lane = 0; lane < ppn; lane++) {
        locality[lane] = lane % 2 ? "NM0:SK1" : "NM0:SK0";
    }
    assert_int_equal(napcoll_node_map_set_locality(map, node, locality), 0);
}

typedef enum {
    ONE_SHAPE,   /**< the same parameters on all nodes */
    MIXED_SHAPES /**< local trees on every other node, exchanges on the rest */
} shapes_t;

/** The plans of all ranks. */
static inline napcoll_plan_t **plans_of(const napcoll_collective_t *collective, int row,
                                        const napcoll_node_map_t *map,
                                        const napcoll_params_t *params, shapes_t shapes)
{
    napcoll_plan_t **plans = calloc((size_t) map->size, sizeof(napcoll_plan_t *));

    assert_non_null(plans);
    for (int rank = 0; rank < map->size; rank++) {
        napcoll_plan_args_t args = {.collective = collective,
                                    .algorithm = &collective->algorithm[row],
                                    .map = map,
                                    .rank = rank,
                                    .params = *params};
        if (MIXED_SHAPES == shapes) {
            args.params.local_tree = 0 == napcoll_node_map_node(map, rank) % 2;
        }
        plans[rank] = args.algorithm->generate(&args);
        assert_non_null(plans[rank]);
    }
    return plans;
}

static inline void free_plans(napcoll_plan_t **plans, int size)
{
    for (int rank = 0; rank < size; rank++) {
        napcoll_plan_free(plans[rank]);
    }
    free(plans);
}

/** Prove what the row claims of one algorithm's plans on one map. Returns whether it is
 * eligible; under the address checker not all are proved (sweep_takes). */
static inline bool prove_plans(const napcoll_collective_t *collective, int row,
                               const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const napcoll_plan_args_t args = {.collective = collective,
                                      .algorithm = &collective->algorithm[row],
                                      .map = map,
                                      .params = *params};
    const napcoll_claim_t claim = napcoll_plan_args_claim(&args);
    napcoll_verdict_t verdict;
    napcoll_plan_t **plans;

    if (NAPCOLL_REASON_NONE != napcoll_algorithm_eligible(args.algorithm, map, params)) {
        return false;
    }
    if (!sweep_takes()) {
        return true;
    }
    plans = plans_of(collective, row, map, params, params->local_tree ? MIXED_SHAPES : ONE_SHAPE);
    if (NAPCOLL_VERIFY_OK != napcoll_plan_verify(plans, map, &claim, &verdict)) {
        print_message("%s %s: %d ranks, %d nodes, ppn %d..%d, root %d, providers %d %d, "
                      "radix %d, segments %d, tunables %d %d: %s\n",
                      collective->name, args.algorithm->name, map->size, map->nodes, map->min_ppn,
                      map->max_ppn, params->root, params->provider[0], params->provider[1],
                      params->local_radix, params->segments, params->tunable[0], params->tunable[1],
                      verdict.text);
        if (verdict.rank >= 0) {
            (void) napcoll_plan_print(plans[verdict.rank], stderr);
        }
    }
    assert_int_equal(verdict.status, NAPCOLL_VERIFY_OK);
    free_plans(plans, map->size);
    return true;
}

/** A set of blocks that go straight to their ranks: of few ranks bit from * size + to of a number,
 * of many the blocks with an odd hash. */
typedef struct direct_set {
    int size;
    uint64_t number;
} direct_set_t;

static inline bool is_in_direct_set(const void *context, int from, int to)
{
    const direct_set_t *set = context;
    const uint64_t bit = (uint64_t) from * (uint64_t) set->size + (uint64_t) to;

    return 0 != (set->size <= 4 ? set->number >> bit & 1 : napcoll_mix(set->number + bit) & 1);
}

/** Prove an uneven algorithm where some blocks go straight: on at most three ranks for all sets of
 * them, on more for some. Whether the algorithm can do it. */
static inline bool prove_mixed(const napcoll_collective_t *collective, int row,
                               const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const napcoll_plan_args_t args = {.collective = collective,
                                      .algorithm = &collective->algorithm[row],
                                      .map = map,
                                      .params = *params};
    const uint64_t sets = map->size <= 3 ? (uint64_t) 1 << (map->size * map->size) : 4;
    direct_set_t set = {.size = map->size};
    napcoll_claim_t claim = napcoll_plan_args_claim(&args);
    napcoll_verdict_t verdict;
    napcoll_plan_t **plans;

    if (!args.algorithm->store_and_forward
        || NAPCOLL_REASON_NONE != napcoll_algorithm_eligible(args.algorithm, map, params)) {
        return false;
    }
    if (!sweep_takes()) {
        return true;
    }
    plans = plans_of(collective, row, map, params, ONE_SHAPE);
    claim.direct = is_in_direct_set;
    claim.direct_context = &set;
    for (uint64_t i = 0; i < sets; i++) {
        set.number = map->size <= 3 ? i : napcoll_mix(i + (uint64_t) map->size);
        if (NAPCOLL_VERIFY_OK != napcoll_plan_verify(plans, map, &claim, &verdict)) {
            print_message("%s %s: %d ranks, set %llx: %s\n", collective->name, args.algorithm->name,
                          map->size, (unsigned long long) set.number, verdict.text);
        }
        assert_int_equal(verdict.status, NAPCOLL_VERIFY_OK);
    }
    free_plans(plans, map->size);
    return true;
}

/** Stages of a plan with a message to or from another node. */
static inline int inter_node_stages(const napcoll_plan_t *plan, const napcoll_node_map_t *map)
{
    int node = napcoll_node_map_node(map, plan->rank), count = 0;

    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];
        bool crosses = false;
        for (int i = stage->first; i < stage->first + stage->messages; i++) {
            crosses = crosses || node != napcoll_node_map_node(map, plan->step[i].peer);
        }
        count += crosses;
    }
    return count;
}

/** Messages one after the other on the longest path through the plans: between nodes, or inside. */
static inline int steps_in_a_row(const napcoll_collective_t *collective, int row,
                                 const napcoll_node_map_t *map, const napcoll_params_t *params,
                                 napcoll_level_t level)
{
    napcoll_generator_t generator = {.args = {.collective = collective,
                                              .algorithm = &collective->algorithm[row],
                                              .map = map,
                                              .params = *params}};
    napcoll_machine_t machine = {.process_injection_mbyte_per_s = 1};
    napcoll_simulation_t *simulation;
    double time_us;

    for (int protocol = 0; protocol < NAPCOLL_PROTOCOLS; protocol++) {
        machine.link[level][protocol].latency_us = 1;
    }
    assert_int_equal(
        napcoll_simulation_create(map, napcoll_generator_plan, &generator, &simulation),
        NAPCOLL_SIMULATE_OK);
    assert_int_equal(napcoll_simulation_run(simulation, &machine, 0, &time_us),
                     NAPCOLL_SIMULATE_OK);
    napcoll_simulation_free(simulation);
    return (int) (time_us + 0.5);
}

#endif /* NAPCOLL_TESTS_PLAN_SET_H */
