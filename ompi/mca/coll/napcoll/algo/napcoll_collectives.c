/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All tables together, for whoever looks a collective up by its name.
 */

#include <string.h>

#include "algo/napcoll_algo.h"

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

const napcoll_collective_t *napcoll_collective_find(const char *name)
{
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        if (0 == strcmp(name, napcoll_collectives[c]->name)) {
            return napcoll_collectives[c];
        }
    }
    return NULL;
}
