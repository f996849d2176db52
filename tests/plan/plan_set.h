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

#include "algo/allreduce/allreduce.h"
#include "plan/napcoll_plan_verify.h"

/** A map of a placement in the form of the parameters fake_ppn and fake_map. */
static inline napcoll_node_map_t *placement(const char *ppn, const char *order, int size)
{
    int *id = calloc((size_t) size, sizeof(*id));
    napcoll_node_map_t *map = NULL;
    size_t where;

    assert_non_null(id);
    assert_int_equal(napcoll_placement_parse(ppn, order, size, id, &where), 0);
    assert_int_equal(napcoll_node_map_create(id, size, &map), 0);
    free(id);
    return map;
}

typedef enum {
    ONE_SHAPE,   /**< the same parameters on all nodes */
    MIXED_SHAPES /**< local trees on every other node, exchanges on the rest */
} shapes_t;

/** The plans of all ranks. */
static inline napcoll_plan_t **plans_of(const napcoll_algorithm_t *algorithm,
                                        const napcoll_node_map_t *map,
                                        const napcoll_params_t *params, shapes_t shapes)
{
    napcoll_plan_t **plans = calloc((size_t) map->size, sizeof(napcoll_plan_t *));

    assert_non_null(plans);
    for (int rank = 0; rank < map->size; rank++) {
        napcoll_request_t request = {.map = map, .rank = rank, .params = *params};
        if (MIXED_SHAPES == shapes) {
            request.params.local_tree = 0 == napcoll_node_map_node(map, rank) % 2;
        }
        plans[rank] = algorithm->generate(&request);
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

#endif /* NAPCOLL_TESTS_PLAN_SET_H */
