/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans of a file as an algorithm: the generator looks for the plan set that serves the call, and
 * reads the rank's lines.
 */

#include "algo/file/napcoll_plan_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/napcoll_grow.h"

static bool is_on_nodes(const napcoll_plan_set_t *set, const napcoll_node_map_t *map)
{
    if (map->size != set->ranks) {
        return false;
    }
    for (int rank = 0; rank < set->ranks; rank++) {
        if (set->placed ? napcoll_node_map_node(map, rank) != napcoll_node_map_node(set->map, rank)
                        : napcoll_node_map_place(map, rank) != rank) {
            return false;
        }
    }
    return true;
}

/* Why a set does not serve calls, or NONE. */
static napcoll_reason_t refusal(const napcoll_plan_set_t *set, const napcoll_node_map_t *map,
                                const napcoll_params_t *params)
{
    const napcoll_goal_t goal = set->collective->goal;
    const napcoll_in_place_t wanted = params->in_place ? NAPCOLL_IN_PLACE_YES : NAPCOLL_IN_PLACE_NO;

    if ((NAPCOLL_IN_PLACE_BOTH != set->in_place && set->in_place != wanted)
        || (napcoll_goal_is_rooted(goal) && set->root != params->root) || !is_on_nodes(set, map)) {
        return NAPCOLL_REASON_FILE;
    }
    if (params->noncommutative && !set->noncommutative) {
        return NAPCOLL_REASON_NONCOMMUTATIVE;
    }
    return params->reproducible && !set->canonical ? NAPCOLL_REASON_REPRODUCIBLE
                                                   : NAPCOLL_REASON_NONE;
}

/* The first set that serves calls; NULL: none does, for a reason. */
static const napcoll_plan_set_t *set_for(const napcoll_file_row_t *row,
                                         const napcoll_node_map_t *map,
                                         const napcoll_params_t *params, napcoll_reason_t *reason)
{
    *reason = NAPCOLL_REASON_FILE;
    for (int i = 0; i < row->sets; i++) {
        const napcoll_reason_t why = refusal(row->set[i], map, params);

        if (NAPCOLL_REASON_NONE == why) {
            *reason = why;
            return row->set[i];
        }
        *reason = NAPCOLL_REASON_FILE == *reason ? why : *reason;
    }
    return NULL;
}

napcoll_params_t napcoll_plan_set_params(const napcoll_plan_set_t *set)
{
    return (napcoll_params_t){.root = set->root,
                              .in_place = NAPCOLL_IN_PLACE_YES == set->in_place,
                              .noncommutative = set->noncommutative};
}

bool napcoll_plan_set_is_twin(const napcoll_plan_set_t *a, const napcoll_plan_set_t *b)
{
    const napcoll_params_t params = napcoll_plan_set_params(a);

    return a->collective == b->collective && 0 == strcmp(a->name, b->name)
           && a->noncommutative == b->noncommutative && a->in_place == b->in_place
           && NAPCOLL_REASON_NONE == refusal(b, a->map, &params);
}

napcoll_reason_t napcoll_file_row_eligible(const napcoll_file_row_t *row,
                                           const napcoll_node_map_t *map,
                                           const napcoll_params_t *params)
{
    napcoll_reason_t reason;

    (void) set_for(row, map, params, &reason);
    return reason;
}

void napcoll_file_row_claim(const napcoll_file_row_t *row, const napcoll_plan_args_t *args,
                            napcoll_claim_t *claim)
{
    napcoll_reason_t reason;
    const napcoll_plan_set_t *set = set_for(row, args->map, &args->params, &reason);

    if (NULL != set) {
        claim->noncommutative = set->noncommutative;
        claim->canonical = set->canonical;
        claim->announces = set->announces;
        claim->max_inter = set->bounds.inter;
        claim->max_messages = set->bounds.all;
    }
}

static napcoll_plan_t *generate(const napcoll_plan_args_t *args)
{
    napcoll_reason_t reason;
    const napcoll_plan_set_t *set = set_for(args->algorithm->file, args->map, &args->params,
                                            &reason);

    return NULL == set ? NULL : napcoll_plan_set_plan(set, args, NULL);
}

/* The file says how many messages there are (napcoll_file_row_claim). */
static napcoll_bounds_t no_bounds(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){0};
}

/* The most slots of any process. */
static int slots(const napcoll_plan_args_t *args)
{
    napcoll_plan_args_t of_rank = *args;
    int most = 0;

    for (of_rank.rank = 0; of_rank.rank < args->map->size; of_rank.rank++) {
        napcoll_plan_t *plan = generate(&of_rank);
        int count = 0;

        if (NULL == plan) {
            return -1;
        }
        for (int t = 0; NAPCOLL_LAYOUT_PERSONALIZED == plan->layout && t < plan->temps; t++) {
            count += plan->temp[t].count;
        }
        most = napcoll_max(most, count);
        napcoll_plan_free(plan);
    }
    return most;
}

void napcoll_file_row_begin(napcoll_file_row_t *row, const napcoll_collective_t *collective,
                            const char *name)
{
    *row = (napcoll_file_row_t){.algorithm = {.name = row->title,
                                              .help = "the plans of this name in the plans file",
                                              .generate = generate,
                                              .bounds = no_bounds,
                                              .file = row},
                                .collective = collective};
    (void) snprintf(row->title, sizeof(row->title), "file:%s", name);
    if (napcoll_goal_is_personalized(collective->goal)) {
        row->algorithm.slots = slots;
    }
}

bool napcoll_file_row_add(napcoll_file_row_t *row, const napcoll_plan_set_t *set)
{
    if (!napcoll_grow(&row->set, &row->room, (size_t) row->sets + 1, sizeof(*row->set))) {
        return false;
    }
    row->set[row->sets++] = set;
    row->algorithm.store_and_forward = row->algorithm.store_and_forward || set->announces;
    return true;
}

void napcoll_file_row_end(napcoll_file_row_t *row)
{
    free(row->set);
    row->set = NULL;
    row->sets = 0;
}
