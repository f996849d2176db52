/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who carries out a collective on a communicator. A preference is a wish: where a component does not
 * offer the collective, or declines the communicator, Open MPI takes the one with the next priority
 * and does not say so. It is written in the communicator, though, which this file alone looks into;
 * all others of collbench know MPI only.
 */
#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"

#include "bench.h"

/* Where a communicator's table has the module of a collective. */
struct slot {
    const char *coll;
    size_t module;
};

#define SLOT(op)                                                                       \
    {                                                                                  \
        .coll = #op, .module = offsetof(mca_coll_base_comm_coll_t, coll_##op##_module) \
    }

static const struct slot slots[] = {
    SLOT(allgather), SLOT(allgatherv),     SLOT(allreduce),
    SLOT(barrier),   SLOT(bcast),          SLOT(exscan),
    SLOT(reduce),    SLOT(reduce_scatter), SLOT(reduce_scatter_block),
    SLOT(scan),      SLOT(alltoall),       SLOT(alltoallv),
    SLOT(gather),    SLOT(gatherv),        SLOT(scatter),
    SLOT(scatterv),
};

static const mca_coll_base_module_t *module_of(const struct ompi_communicator_t *comm,
                                               const char *coll)
{
    const mca_coll_base_module_t *module = NULL;

    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); ++i) {
        if (0 == strcmp(slots[i].coll, coll)) {
            memcpy(&module, (const char *) comm->c_coll + slots[i].module, sizeof(module));
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
