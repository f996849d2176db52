/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Which component carries out a collective on a communicator. Where the preferred component does
 * not offer the collective, or declines the communicator, Open MPI silently takes the one with the
 * next priority. The communicator's table says which; only this file of collbench looks into it.
 */

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"

#include "bench.h"

/* The offset of a collective's module in a communicator's table. */
struct coll_entry {
    const char *coll;
    size_t module;
};

#define ENTRY(op)                                                                      \
    {                                                                                  \
        .coll = #op, .module = offsetof(mca_coll_base_comm_coll_t, coll_##op##_module) \
    }

static const struct coll_entry entries[] = {
    ENTRY(allgather), ENTRY(allgatherv),     ENTRY(allreduce),
    ENTRY(barrier),   ENTRY(bcast),          ENTRY(exscan),
    ENTRY(reduce),    ENTRY(reduce_scatter), ENTRY(reduce_scatter_block),
    ENTRY(scan),      ENTRY(alltoall),       ENTRY(alltoallv),
    ENTRY(gather),    ENTRY(gatherv),        ENTRY(scatter),
    ENTRY(scatterv),
};

static const mca_coll_base_module_t *module_of(const struct ompi_communicator_t *comm,
                                               const char *coll)
{
    const mca_coll_base_module_t *module = NULL;

    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); ++i) {
        if (0 == strcmp(entries[i].coll, coll)) {
            memcpy(&module, (const char *) comm->c_coll + entries[i].module, sizeof(module));
        }
    }
    return module;
}

const char *supplier_of(MPI_Comm comm, const char *coll)
{
    const mca_coll_base_module_t *module = module_of(comm, coll);
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
