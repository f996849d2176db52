/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * For the plan tests of allgather and reduce-scatter: sweeps over placements, and what plans cost.
 */

#ifndef NAPCOLL_TESTS_SPREAD_SET_H
#define NAPCOLL_TESTS_SPREAD_SET_H

#include "plan_set.h"

#include "algo/pattern/napcoll_lanes.h"

enum { SPREAD_VARIANTS = 4 };

/** All algorithms of a collective on one map, in one variant of place and shape. */
static inline void prove_variant(const napcoll_collective_t *collective,
                                 const napcoll_node_map_t *map, int variant, int local_radix,
                                 int tunable)
{
    for (int row = 0; row < collective->algorithms; row++) {
        const napcoll_params_t params = {.in_place = 0 != (variant & 1),
                                         .local_tree = 0 != (variant & 2),
                                         .local_radix = local_radix,
                                         .tunable = {tunable}};
        (void) prove_plans(collective, row, map, &params);
    }
}

/** Two collectives of the same rows, in turn, over small uniform nodes. */
static inline void prove_uniform(const napcoll_collective_t *const pair[2])
{
    for (int nodes = 1; nodes <= 12; nodes += NODES_STRIDE) {
        for (int ppn = 1; ppn <= 6; ppn++) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 3 ? "block" : "cyclic", nodes * ppn);
            for (int variant = 0; variant < SPREAD_VARIANTS; variant++) {
                prove_variant(pair[(nodes + ppn + variant / 2) % 2], map, variant, 2 + nodes % 4,
                              variant % 2 ? nodes % 5 : 0);
            }
            napcoll_node_map_free(map);
        }
    }
}

/** The same over nodes with different numbers of processes, in any order. */
static inline void prove_uneven(const napcoll_collective_t *const pair[2])
{
    for (int l = 0; l < UNEVEN_LISTS; l++) {
        for (int size = 1; size <= 47; size += size < 12 ? NODES_STRIDE : 7) {
            napcoll_node_map_t *map = placement(uneven_lists[l],
                                                uneven_orders[(l + size) % UNEVEN_ORDERS], size);
            for (int variant = 0; variant < SPREAD_VARIANTS; variant++) {
                prove_variant(pair[variant / 2], map, variant, 2 + size % 5, 0);
                prove_variant(pair[1 - variant / 2], map, variant, 8, 1 + (size + variant) % 6);
            }
            napcoll_node_map_free(map);
        }
    }
}

/** One algorithm over larger numbers of nodes, up to `nodes`, by a step. */
static inline void prove_larger(const napcoll_collective_t *collective, int row, int nodes,
                                int step)
{
    static const int ppns[] = {2, 3, 5, 8, 16};

    for (size_t i = 0; i < sizeof(ppns) / sizeof(*ppns); i++) {
        for (int n = 1; n <= nodes; n += step) {
            const int ppn = ppns[i];
            const napcoll_params_t params = {
                .in_place = 0 == n % 2, .local_tree = 0 == n % 3, .local_radix = 2 + (n + ppn) % 7};
            napcoll_node_map_t *map = uniform(ppn, "block", n * ppn);
            (void) prove_plans(collective, row, map, &params);
            napcoll_node_map_free(map);
        }
    }
}

/** Trees inside a node follow its hardware, which only that node knows: here the second node. */
static inline void prove_by_hardware(const napcoll_collective_t *collective, int row)
{
    static const char *const locality[] = {"NM0:SK0:CR0:HT0", "NM1:SK1:CR3:HT0", "NM0:SK0:CR1:HT0",
                                           "NM1:SK1:CR2:HT0", "NM0:SK0:CR5:HT0"};

    for (int radix = 2; radix <= 5; radix++) {
        const napcoll_params_t params = {.local_tree = true, .local_radix = radix};
        napcoll_node_map_t *map = placement("5", "block", 20);
        assert_int_equal(napcoll_node_map_set_locality(map, 1, locality), 0);
        assert_int_equal(napcoll_node_map_local_order(map, 1, 1), 2);
        assert_true(prove_plans(collective, row, map, &params));
        napcoll_node_map_free(map);
    }
}

/** What a plan costs. */
typedef struct {
    /** with messages */
    int stages;
    /** ... with other nodes */
    int inter_stages;
    /** received */
    int messages;
    /** received */
    int blocks;
    /** ... from other nodes */
    int inter_blocks;
    /** blocks */
    int copied;
} cost_t;

static inline cost_t cost_of(const napcoll_plan_t *plan, const napcoll_node_map_t *map)
{
    const int node = napcoll_node_map_node(map, plan->rank);
    cost_t cost = {0};

    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];
        const napcoll_step_t *step = &plan->step[stage->first];
        bool crosses = false;
        for (int i = 0; i < stage->messages + stage->work; i++) {
            const bool away = step[i].kind <= NAPCOLL_STEP_SEND
                              && node != napcoll_node_map_node(map, step[i].peer);
            crosses = crosses || away;
            if (NAPCOLL_STEP_RECV == step[i].kind) {
                cost.messages++;
                cost.blocks += step[i].dst.count;
                cost.inter_blocks += away ? step[i].dst.count : 0;
            }
            cost.copied += NAPCOLL_STEP_COPY == step[i].kind ? step[i].dst.count : 0;
        }
        cost.stages += stage->messages > 0;
        cost.inter_stages += crosses;
    }
    return cost;
}

/** The most of each that any rank has. */
static inline cost_t busiest(const napcoll_collective_t *collective, int row,
                             const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    napcoll_plan_t **plans = plans_of(collective, row, map, params, ONE_SHAPE);
    cost_t most = {0};

    for (int rank = 0; rank < map->size; rank++) {
        const cost_t cost = cost_of(plans[rank], map);
        const int *from = (const int *) &cost;
        int *to = (int *) &most;
        for (size_t i = 0; i < sizeof(cost) / sizeof(int); i++) {
            to[i] = from[i] > to[i] ? from[i] : to[i];
        }
    }
    free_plans(plans, map->size);
    return most;
}

/** Messages of all ranks together. */
static inline int messages_of_all(const napcoll_collective_t *collective, int row,
                                  const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    napcoll_plan_t **plans = plans_of(collective, row, map, params, ONE_SHAPE);
    int messages = 0;

    for (int rank = 0; rank < map->size; rank++) {
        messages += cost_of(plans[rank], map).messages;
    }
    free_plans(plans, map->size);
    return messages;
}

/** ceil(log_radix n), by multiplication. */
static inline int log_ceil(int n, int radix)
{
    int levels = 0;

    for (long reach = 1; reach < n; reach *= radix) {
        levels++;
    }
    return levels;
}

/** Inter-node steps of the locality route, by hand: nodes, processes on each, lanes asked for,
 * lanes, steps. */
typedef struct {
    int nodes, ppn, wanted, lanes, steps;
} steps_case_t;

static const steps_case_t steps_cases[] = {
    {1, 4, 0, 1, 0},   {2, 4, 0, 1, 1},  {5, 4, 0, 4, 1},  {6, 4, 0, 2, 2},    {25, 4, 0, 4, 2},
    {26, 4, 0, 2, 3},  {9, 2, 0, 2, 2},  {10, 2, 0, 2, 3}, {17, 16, 0, 16, 1}, {18, 16, 0, 4, 2},
    {64, 16, 0, 7, 2}, {20, 4, 3, 3, 3}, {20, 4, 9, 9, 2}, {20, 4, 99, 19, 1}, {8, 2, 1, 1, 3},
};

/** The cases against what plans do. */
static inline void prove_steps(const napcoll_collective_t *collective, int row)
{
    for (size_t c = 0; c < sizeof(steps_cases) / sizeof(*steps_cases); c++) {
        const steps_case_t *expected = &steps_cases[c];
        const napcoll_params_t params = {.local_radix = 4, .tunable = {expected->wanted}};
        napcoll_node_map_t *map = uniform(expected->ppn, "block", expected->nodes * expected->ppn);
        const int lanes = napcoll_port_lanes(map, expected->wanted);
        assert_int_equal(lanes, expected->lanes);
        assert_int_equal(log_ceil(expected->nodes, lanes + 1), expected->steps);
        assert_int_equal(napcoll_port_levels(map, lanes), expected->steps);
        assert_int_equal(busiest(collective, row, map, &params).inter_stages, expected->steps);
        assert_true(prove_plans(collective, row, map, &params));
        napcoll_node_map_free(map);
    }
}

/** A node of p processes needs p - 1 messages to gather its blocks and p - 1 to broadcast them;
 * what l lanes fetch needs l - 1 and p - 1; each run comes in one message. */
static inline void prove_fewest_messages(const napcoll_collective_t *collective, int row)
{
    static const struct {
        /* by a node's lanes, in all steps */
        int nodes, ppn, fetched;
    } cases[] = {{2, 4, 1},    {5, 4, 4},      {6, 4, 2 + 2},
                 {17, 16, 16}, {25, 4, 4 + 4}, {10, 2, 2 + 2 + 1}};

    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        const int nodes = cases[c].nodes, ppn = cases[c].ppn, fetched = cases[c].fetched;
        const napcoll_params_t params = {.local_tree = true, .local_radix = 4};
        napcoll_node_map_t *map = uniform(ppn, "block", nodes * ppn);
        const int steps = log_ceil(nodes, napcoll_port_lanes(map, 0) + 1);
        assert_int_equal(messages_of_all(collective, row, map, &params),
                         nodes * (2 * (ppn - 1) + fetched + fetched - steps + steps * (ppn - 1)));
        napcoll_node_map_free(map);
    }
}

/** Every process gets every block once, and every node gets each block of another node once. */
static inline void prove_each_block_once(const napcoll_collective_t *collective, int row)
{
    static const char *const lists[] = {"4", "3,2,1", "5,5,1,4", "2,3"};
    const napcoll_params_t params = {.local_radix = 3};

    for (int l = 0; l < (int) (sizeof(lists) / sizeof(*lists)); l++) {
        napcoll_node_map_t *map = placement(lists[l], "block", 24);
        napcoll_plan_t **plans = plans_of(collective, row, map, &params, ONE_SHAPE);
        int crossed = 0, blocks = 0, expected = 0;
        for (int rank = 0; rank < map->size; rank++) {
            const cost_t cost = cost_of(plans[rank], map);
            crossed += cost.inter_blocks;
            blocks += cost.blocks;
        }
        for (int node = 0; node < map->nodes; node++) {
            expected += map->size - napcoll_node_map_ppn(map, node);
        }
        assert_int_equal(crossed, expected);
        assert_int_equal(blocks, map->size * (map->size - 1));
        free_plans(plans, map->size);
        napcoll_node_map_free(map);
    }
}

#endif /* NAPCOLL_TESTS_SPREAD_SET_H */
