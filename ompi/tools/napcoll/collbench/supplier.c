/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Which component carries out a function on a communicator. Where the preferred component does not
 * offer the function, or declines the communicator, Open MPI silently takes the one with the
 * next priority. The communicator's table says which; only this file of collbench looks into it.
 */

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"

#include "bench.h"

/* The offset of a function's module in a communicator's table. */
struct coll_entry {
    const char *function;
    size_t module;
};

#define ENTRY(op)                                                                          \
    {                                                                                      \
        .function = #op, .module = offsetof(mca_coll_base_comm_coll_t, coll_##op##_module) \
    }
#define ENTRIES(coll) ENTRY(coll), ENTRY(i##coll), ENTRY(coll##_init)

static const struct coll_entry entries[] = {
    ENTRIES(allgather),
    ENTRIES(allgatherv),
    ENTRIES(allreduce),
    ENTRIES(barrier),
    ENTRIES(bcast),
    ENTRIES(exscan),
    ENTRIES(reduce),
    ENTRIES(reduce_scatter),
    ENTRIES(reduce_scatter_block),
    ENTRIES(scan),
    ENTRIES(alltoall),
    ENTRIES(alltoallv),
    ENTRIES(alltoallw),
    ENTRIES(gather),
    ENTRIES(gatherv),
    ENTRIES(scatter),
    ENTRIES(scatterv),
    ENTRIES(neighbor_allgather),
    ENTRIES(neighbor_allgatherv),
    ENTRIES(neighbor_alltoall),
    ENTRIES(neighbor_alltoallv),
    ENTRIES(neighbor_alltoallw),
};

static const mca_coll_base_module_t *module_of(const struct ompi_communicator_t *comm,
                                               const char *function)
{
    const mca_coll_base_module_t *module = NULL;

    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); ++i) {
        if (0 == strcmp(entries[i].function, function)) {
            memcpy(&module, (const char *) comm->c_coll + entries[i].module, sizeof(module));
        }
    }
    return module;
}

const char *supplier_of(MPI_Comm comm, const char *function)
{
    const mca_coll_base_module_t *module = module_of(comm, function);
    mca_coll_base_avail_coll_t *available;

    if (NULL == module || NULL == comm->c_coll->module_list) {
        return "";
    }
    OPAL_LIST_FOREACH (available, comm->c_coll->module_list, mca_coll_base_avail_coll_t) {
        if (available->ac_module == module) {
            return available->ac_component_name;
        }
    }
    return "";
}
