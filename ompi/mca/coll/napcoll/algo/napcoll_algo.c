/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the algorithms' tables share: look-up, eligibility, the names of reasons.
 */

#include "algo/napcoll_algo.h"

#include <stdio.h>
#include <string.h>

#include "algo/file/napcoll_file_rows.h"

const napcoll_collective_t *const napcoll_collectives[] = {&napcoll_allreduce,
                                                           &napcoll_reduce,
                                                           &napcoll_barrier,
                                                           &napcoll_allgather,
                                                           &napcoll_allgatherv,
                                                           &napcoll_reduce_scatter,
                                                           &napcoll_reduce_scatter_block,
                                                           &napcoll_scan,
                                                           &napcoll_exscan,
                                                           &napcoll_bcast,
                                                           &napcoll_alltoall,
                                                           &napcoll_alltoallv,
                                                           &napcoll_alltoallw,
                                                           &napcoll_gather,
                                                           &napcoll_gatherv,
                                                           &napcoll_scatter,
                                                           &napcoll_scatterv,
                                                           NULL};

const napcoll_collective_t *const napcoll_neighbor_collectives[] = {
    &napcoll_neighbor_allgather, &napcoll_neighbor_allgatherv, &napcoll_neighbor_alltoall,
    &napcoll_neighbor_alltoallv, &napcoll_neighbor_alltoallw,  NULL};

const napcoll_collective_t *napcoll_collective_at(int index)
{
    const int first = sizeof(napcoll_collectives) / sizeof(napcoll_collectives[0]) - 1;

    return index < first ? napcoll_collectives[index] : napcoll_neighbor_collectives[index - first];
}

static const struct {
    const char *name;
    const char *help;
} reasons[NAPCOLL_REASONS] = {
    [NAPCOLL_REASON_NONE] = {"none", "napcoll does it"},
    [NAPCOLL_REASON_FALLBACK] = {"forced",
                                 "the algorithm parameter or info key asks for the fallback "
                                 "component's function"},
    [NAPCOLL_REASON_RULES] = {"rules", "a rule of the rules file asks for the fallback component "
                                       "(see the parameter rules_file)"},
    [NAPCOLL_REASON_NONCOMMUTATIVE] = {"noncommutative",
                                       "the operation does not commute and the algorithm cannot "
                                       "reduce in rank order, on this placement or on any"},
    [NAPCOLL_REASON_PLACEMENT] = {"placement", "the ranks of some node are not contiguous"},
    [NAPCOLL_REASON_POWER_OF_TWO] =
        {"power_of_two", "the algorithm needs a number of ranks that is a power of two"},
    [NAPCOLL_REASON_REPRODUCIBLE] = {"reproducible",
                                     "the algorithm's bits depend on which ranks share a node (see "
                                     "the parameter reproducible)"},
    [NAPCOLL_REASON_MEMORY] = {"memory",
                               "blocks in transit could take more memory than the parameter "
                               "alltoall_memory_bytes allows"},
    [NAPCOLL_REASON_ONLINE] = {"online",
                               "the online check times the fallback component there, or has found "
                               "it to be faster (see the parameter online)"},
    [NAPCOLL_REASON_JOBS] = {"jobs",
                             "the communicator joins jobs that have different settings or versions "
                             "of napcoll"},
    [NAPCOLL_REASON_ONE_NODE] = {"one_node", "all processes share one node, and the messages "
                                             "do not go through node memory"},
    [NAPCOLL_REASON_PPN] = {"ppn", "no node has more than one process"},
    [NAPCOLL_REASON_WRONG_PLAN] = {"wrong_plan",
                                   "the verifier found the algorithm's plan to be wrong (see the "
                                   "parameter verify)"},
    [NAPCOLL_REASON_SETUP] =
        {"setup", "the call must not wait, and its set-up on the communicator, which no "
                  "call before has done, takes messages"},
    [NAPCOLL_REASON_FILE] = {"file",
                             "the plans file has no plan of that name for such calls: for their "
                             "collective, number of processes, placement, root and MPI_IN_PLACE"},
    [NAPCOLL_REASON_STRUCTURE] = {"structure",
                                  "every algorithm has more messages or bytes than auto takes on a "
                                  "machine that was not measured, or too many steps for this "
                                  "number of processes"},
};

const char *napcoll_reason_name(napcoll_reason_t reason)
{
    return reasons[reason].name;
}

const char *napcoll_reason_help(napcoll_reason_t reason)
{
    return reasons[reason].help;
}

napcoll_bounds_t napcoll_bounds_one(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}

int napcoll_plan_args_input_buffer(const napcoll_plan_args_t *args)
{
    return args->params.in_place
                   && napcoll_goal_in_place(args->collective->goal, args->params.root, args->rank)
               ? NAPCOLL_BUFFER_RECV
               : NAPCOLL_BUFFER_SEND;
}

bool napcoll_plan_args_scattered(const napcoll_plan_args_t *args)
{
    return args->collective->spread || !args->map->contiguous;
}

int napcoll_plan_args_root(const napcoll_plan_args_t *args)
{
    return napcoll_goal_is_rooted(args->collective->goal) ? args->params.root : 0;
}

bool napcoll_plan_args_takes(const napcoll_plan_args_t *args)
{
    return napcoll_goal_takes(args->collective->goal, args->params.root, args->rank);
}

bool napcoll_plan_args_headed(const napcoll_plan_args_t *args)
{
    return args->collective->uneven && args->algorithm->store_and_forward;
}

bool napcoll_plan_args_delegates(const napcoll_plan_args_t *args, napcoll_scope_t scope)
{
    return args->algorithm->delegates[scope]
           && NAPCOLL_PROVIDER_DELEGATE == args->params.provider[scope];
}

/* The blocks of a plan in a layout. */
static int blocks_of(const napcoll_plan_args_t *args, napcoll_layout_t layout, int blocks)
{
    switch (layout) {
    case NAPCOLL_LAYOUT_VECTOR:
        return blocks;
    case NAPCOLL_LAYOUT_SLOTS:
        return 1;
    default:
        return args->map->size;
    }
}

void napcoll_plan_args_user(const napcoll_plan_args_t *args, napcoll_layout_t layout, int blocks,
                            napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP])
{
    const napcoll_goal_t goal = args->collective->goal;
    const bool input_there = NAPCOLL_BUFFER_RECV == napcoll_plan_args_input_buffer(args);

    napcoll_goal_buffers(
        goal, layout, blocks_of(args, layout, blocks),
        napcoll_goal_place(goal, args->map, args->params.root, args->rank),
        napcoll_plan_args_takes(args) || (input_there && NAPCOLL_GOAL_EXSCAN == goal), user);
}

napcoll_builder_t *napcoll_plan_args_builder(const napcoll_plan_args_t *args,
                                             napcoll_layout_t layout, int blocks)
{
    const int number = blocks_of(args, layout, blocks);
    napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP];
    napcoll_builder_t *builder = napcoll_builder_new(args->collective->name, args->algorithm->name,
                                                     args->rank, number);

    if (NULL == builder) {
        return NULL;
    }
    if (args->sketch) {
        napcoll_builder_sketch(builder);
    }
    napcoll_plan_args_user(args, layout, blocks, user);
    napcoll_builder_layout(
        builder, layout, NAPCOLL_LAYOUT_RANKS == layout && napcoll_plan_args_scattered(args), user);
    if (NAPCOLL_BUFFER_SEND == napcoll_plan_args_input_buffer(args)
        && user[NAPCOLL_BUFFER_RECV].count > 0
        && (NAPCOLL_LAYOUT_VECTOR == layout || NAPCOLL_LAYOUT_SLOTS == layout)) {
        napcoll_builder_lend_recvbuf(builder);
    }
    return builder;
}

napcoll_claim_t napcoll_plan_args_claim(const napcoll_plan_args_t *args)
{
    const napcoll_bounds_t bounds = args->algorithm->bounds(args->map, &args->params);
    napcoll_claim_t claim = {.goal = args->collective->goal,
                             .root = args->params.root,
                             .in_place = args->params.in_place,
                             .noncommutative = args->params.noncommutative,
                             .canonical = args->algorithm->canonical,
                             .announces = napcoll_plan_args_headed(args),
                             .sized = napcoll_goal_is_personalized(args->collective->goal)
                                      && args->collective->uneven,
                             .max_inter = bounds.inter,
                             .max_messages = bounds.all};

    if (NULL != args->algorithm->file) {
        napcoll_file_row_claim(args->algorithm->file, args, &claim);
    }
    return claim;
}

int napcoll_plan_args_slots(const napcoll_plan_args_t *args, const napcoll_plan_t *plan)
{
    if (NULL != args->algorithm->slots) {
        return args->algorithm->slots(args);
    }
    return napcoll_layout_has_slots(plan->layout) && plan->temps > 0 ? plan->temp[0].count : 0;
}

napcoll_plan_t *napcoll_generator_plan(void *context, int rank)
{
    const napcoll_generator_t *generator = context;
    napcoll_plan_args_t args = generator->args;

    args.rank = rank;
    if (NULL != generator->neighborhoods) {
        args.neighborhood = &generator->neighborhoods[rank];
    }
    return args.algorithm->generate(&args);
}

void napcoll_collective_info_key(const napcoll_collective_t *collective, char *key, int limit)
{
    const size_t bytes = (size_t) limit + 1;

    if (snprintf(key, bytes, "napcoll_%s_algorithm", collective->name) >= limit) {
        (void) snprintf(key, bytes, "napcoll_%s", collective->name);
    }
}

const napcoll_algorithm_t *napcoll_algorithm_at(const napcoll_collective_t *collective, int row)
{
    if (row >= NAPCOLL_MAX_ALGORITHMS) {
        return napcoll_file_rows_at(collective, row - NAPCOLL_MAX_ALGORITHMS);
    }
    return row >= 0 && row < collective->algorithms ? &collective->algorithm[row] : NULL;
}

int napcoll_algorithm_tunable(const napcoll_algorithm_t *algorithm, napcoll_tunes_t tunes)
{
    for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
        if (tunes == algorithm->tunable[t].tunes) {
            return t;
        }
    }
    return -1;
}

napcoll_reason_t napcoll_algorithm_eligible(const napcoll_algorithm_t *algorithm,
                                            const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    const struct {
        unsigned need;
        bool unmet;
        napcoll_reason_t reason;
    } all[] = {
        {NAPCOLL_NEEDS_SHARED_NODE, map->max_ppn < 2, NAPCOLL_REASON_PPN},
        {NAPCOLL_NEEDS_NODE_ORDER, params->noncommutative && !map->contiguous,
         NAPCOLL_REASON_NONCOMMUTATIVE},
        {NAPCOLL_NEEDS_COMMUTATIVE, params->noncommutative, NAPCOLL_REASON_NONCOMMUTATIVE},
        {NAPCOLL_NEEDS_CONTIGUOUS, !map->contiguous, NAPCOLL_REASON_PLACEMENT},
        {NAPCOLL_NEEDS_POWER_OF_TWO, 0 != (map->size & (map->size - 1)),
         NAPCOLL_REASON_POWER_OF_TWO},
    };

    if (NULL != algorithm->file) {
        return napcoll_file_row_eligible(algorithm->file, map, params);
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (0 != (algorithm->needs & all[i].need) && all[i].unmet) {
            return all[i].reason;
        }
    }
    return params->reproducible && !algorithm->canonical ? NAPCOLL_REASON_REPRODUCIBLE
                                                         : NAPCOLL_REASON_NONE;
}

void napcoll_function_name(const napcoll_collective_t *collective, napcoll_kind_t kind,
                           char name[NAPCOLL_FUNCTION_NAME])
{
    (void) snprintf(name, NAPCOLL_FUNCTION_NAME, "%s%s%s",
                    NAPCOLL_KIND_NONBLOCKING == kind ? "i" : "", collective->name,
                    NAPCOLL_KIND_PERSISTENT == kind ? "_init" : "");
}

bool napcoll_collective_has_reason(const napcoll_collective_t *collective, napcoll_kind_t kind,
                                   napcoll_reason_t reason)
{
    static const unsigned needs[NAPCOLL_REASONS] = {
        [NAPCOLL_REASON_NONCOMMUTATIVE] = NAPCOLL_NEEDS_NODE_ORDER | NAPCOLL_NEEDS_COMMUTATIVE,
        [NAPCOLL_REASON_PLACEMENT] = NAPCOLL_NEEDS_CONTIGUOUS,
        [NAPCOLL_REASON_POWER_OF_TWO] = NAPCOLL_NEEDS_POWER_OF_TWO,
        [NAPCOLL_REASON_PPN] = NAPCOLL_NEEDS_SHARED_NODE};
    const bool reduces = napcoll_goal_reduces(collective->goal);
    unsigned row_needs = 0;
    bool not_canonical = false, detours = false;

    for (int row = 0; row < collective->algorithms; row++) {
        row_needs |= collective->algorithm[row].needs;
        not_canonical = not_canonical || !collective->algorithm[row].canonical;
        detours = detours || collective->algorithm[row].store_and_forward;
    }
    switch (reason) {
    case NAPCOLL_REASON_NONE:
        return false;
    case NAPCOLL_REASON_NONCOMMUTATIVE:
        return reduces && 0 != (row_needs & needs[reason]);
    case NAPCOLL_REASON_PLACEMENT:
    case NAPCOLL_REASON_POWER_OF_TWO:
        return 0 != (row_needs & needs[reason]);
    case NAPCOLL_REASON_PPN:
        return !collective->everywhere || 0 != (row_needs & needs[reason]);
    case NAPCOLL_REASON_REPRODUCIBLE:
        return reduces && not_canonical;
    case NAPCOLL_REASON_MEMORY:
        return detours;
    case NAPCOLL_REASON_ONLINE:
        return NAPCOLL_KIND_BLOCKING == kind;
    case NAPCOLL_REASON_SETUP:
        return NAPCOLL_KIND_NONBLOCKING == kind;
    default:
        return true;
    }
}
