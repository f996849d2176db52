/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the algorithms' tables share: look-up, eligibility, the names of reasons.
 */

#include "algo/napcoll_algo.h"

#include <string.h>

static const struct {
    const char *name;
    const char *help;
} reasons[NAPCOLL_REASONS] = {
    [NAPCOLL_REASON_NONE] = {"none", "napcoll does it"},
    [NAPCOLL_REASON_PREVIOUS] = {"previous",
                                 "the algorithm parameter or info key asks for the previous "
                                 "component's function"},
    [NAPCOLL_REASON_SIZE_LIMIT] = {"size_limit",
                                   "the vector is larger than what auto takes on (see the "
                                   "parameter allreduce_smp_max)"},
    [NAPCOLL_REASON_NONCOMMUTATIVE] = {"noncommutative",
                                       "the operation does not commute and the ranks of some node "
                                       "are not one interval"},
    [NAPCOLL_REASON_PPN] = {"ppn", "no node has more than one process"},
    [NAPCOLL_REASON_WRONG_PLAN] = {"wrong_plan",
                                   "the verifier found the algorithm's plan to be wrong (see the "
                                   "parameter verify)"},
};

const char *napcoll_reason_name(napcoll_reason_t reason)
{
    return reasons[reason].name;
}

const char *napcoll_reason_help(napcoll_reason_t reason)
{
    return reasons[reason].help;
}

napcoll_builder_t *napcoll_request_builder(const napcoll_request_t *request, const char *collective,
                                           const char *algorithm, int blocks)
{
    napcoll_builder_t *builder = napcoll_builder_new(collective, algorithm, request->rank, blocks);

    if (NULL != builder && !request->params.in_place
        && NAPCOLL_PROVIDER_P2P == request->params.provider) {
        napcoll_builder_lend_recvbuf(builder);
    }
    return builder;
}

napcoll_plan_t *napcoll_generator_plan(void *context, int rank)
{
    const napcoll_generator_t *generator = context;
    napcoll_request_t request = generator->request;

    request.rank = rank;
    return generator->algorithm->generate(&request);
}

int napcoll_algorithm_find(const napcoll_collective_t *collective, const char *name)
{
    for (int i = 0; i < collective->algorithms; i++) {
        if (0 == strcmp(name, collective->algorithm[i].name)) {
            return i;
        }
    }
    return -1;
}

napcoll_reason_t napcoll_algorithm_eligible(const napcoll_algorithm_t *algorithm,
                                            const napcoll_node_map_t *map, bool ordered)
{
    if (0 != (algorithm->needs & NAPCOLL_NEEDS_SHARED_NODE) && map->max_ppn < 2) {
        return NAPCOLL_REASON_PPN;
    }
    if (0 != (algorithm->needs & NAPCOLL_NEEDS_NODE_ORDER) && ordered && !map->contiguous) {
        return NAPCOLL_REASON_NONCOMMUTATIVE;
    }
    return NAPCOLL_REASON_NONE;
}
