/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The module: one per communicator. Enabling captures every function that napcoll may fall back
 * to or call, and fails cleanly if one is missing; only then are napcoll's own in the way. What
 * needs communication waits for the first call.
 */

#include "coll_napcoll_stats.h"

#include <string.h>

#include "opal/util/output.h"

/** A slot of the framework's function tables. */
typedef struct {
    const char *name;
    size_t function; /**< offset in mca_coll_base_comm_coll_t */
    size_t module;   /**< likewise, of the function's module */
    size_t own;      /**< offset of a module's function in mca_coll_base_module_t */
} slot_t;

#define SLOT(op)                                                                 \
    {                                                                            \
        .name = #op, .function = offsetof(mca_coll_base_comm_coll_t, coll_##op), \
        .module = offsetof(mca_coll_base_comm_coll_t, coll_##op##_module),       \
        .own = offsetof(mca_coll_base_module_t, coll_##op)                       \
    }

static const slot_t slots[NAPCOLL_COLLS] = {
    [NAPCOLL_COLL_ALLREDUCE] = SLOT(allreduce),
    [NAPCOLL_COLL_REDUCE] = SLOT(reduce),
    [NAPCOLL_COLL_BARRIER] = SLOT(barrier),
    [NAPCOLL_COLL_ALLGATHER] = SLOT(allgather),
    [NAPCOLL_COLL_ALLGATHERV] = SLOT(allgatherv),
    [NAPCOLL_COLL_REDUCE_SCATTER] = SLOT(reduce_scatter),
    [NAPCOLL_COLL_REDUCE_SCATTER_BLOCK] = SLOT(reduce_scatter_block),
    [NAPCOLL_COLL_SCAN] = SLOT(scan),
    [NAPCOLL_COLL_EXSCAN] = SLOT(exscan),
    [NAPCOLL_COLL_BCAST] = SLOT(bcast),
    [NAPCOLL_COLL_ALLTOALL] = SLOT(alltoall),
    [NAPCOLL_COLL_ALLTOALLV] = SLOT(alltoallv),
    [NAPCOLL_COLL_ALLTOALLW] = SLOT(alltoallw),
    [NAPCOLL_COLL_GATHER] = SLOT(gather),
    [NAPCOLL_COLL_GATHERV] = SLOT(gatherv),
    [NAPCOLL_COLL_SCATTER] = SLOT(scatter),
    [NAPCOLL_COLL_SCATTERV] = SLOT(scatterv),
};

int mca_coll_napcoll_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    napcoll_compat_know_devices();
    return OMPI_SUCCESS; /* any thread level: all state is per communicator, or locked */
}

/* Why napcoll has nothing to do on a communicator; NULL where it has. */
static const char *not_wanted(ompi_communicator_t *comm)
{
    int rc;

    if (OMPI_COMM_IS_INTER(comm)) {
        return "it is an intercommunicator";
    }
    if (ompi_comm_size(comm) < 2) {
        return "it has one process";
    }
    rc = mca_coll_napcoll_know_job();
    if (OMPI_ERR_OUT_OF_RESOURCE == rc) {
        mca_coll_napcoll_no_memory("what all processes of the job know");
    }
    if (OMPI_SUCCESS != rc) {
        /* processes that see the job differently would wait for each other for ever */
        napcoll_compat_abort();
    }
    if (mca_coll_napcoll_component.priority < 0) {
        return "its priority is negative";
    }
    if (!mca_coll_napcoll_component.reproducible
        && !napcoll_spans_nodes(&mca_coll_napcoll_component.job, comm)) {
        return "all its processes share one node";
    }
    return NULL;
}

/* Keep the function that holds a slot; false where there is none. */
static bool capture(mca_coll_napcoll_module_t *module, ompi_communicator_t *comm, int slot)
{
    const char *table = (const char *) comm->c_coll;
    napcoll_saved_function_t *fallback = &module->fallback[slot];

    memcpy(&fallback->function, table + slots[slot].function, sizeof(fallback->function));
    memcpy(&fallback->module, table + slots[slot].module, sizeof(fallback->module));
    if (NULL == fallback->function || NULL == fallback->module) {
        fallback->module = NULL;
        return false;
    }
    OBJ_RETAIN(fallback->module);
    return true;
}

/* What a slot of the communicator's table holds from now on. */
static void set_slot(ompi_communicator_t *comm, int slot, const napcoll_saved_function_t *saved)
{
    char *table = (char *) comm->c_coll;

    memcpy(table + slots[slot].function, &saved->function, sizeof(saved->function));
    memcpy(table + slots[slot].module, &saved->module, sizeof(saved->module));
}

/* Our own function for a slot, with the module. */
static napcoll_saved_function_t own_function(mca_coll_napcoll_module_t *module, int slot)
{
    napcoll_saved_function_t own = {.module = &module->super};

    memcpy(&own.function, (const char *) &module->super + slots[slot].own, sizeof(own.function));
    return own;
}

/* Put our functions into the table, where the framework leaves that to the module. */
static void install(mca_coll_napcoll_module_t *module, ompi_communicator_t *comm)
{
    for (int slot = 0; slot < NAPCOLL_COLLS && NAPCOLL_COMPAT_SELF_INSTALL; slot++) {
        napcoll_saved_function_t own = own_function(module, slot);

        set_slot(comm, slot, &own);
    }
}

/* Give the slots back that our functions hold; a second time it finds none. */
static void uninstall(mca_coll_napcoll_module_t *module, ompi_communicator_t *comm)
{
    for (int slot = 0; slot < NAPCOLL_COLLS && NAPCOLL_COMPAT_SELF_INSTALL; slot++) {
        const mca_coll_base_module_t *saved;

        memcpy(&saved, (const char *) comm->c_coll + slots[slot].module, sizeof(saved));
        if (saved == &module->super) {
            set_slot(comm, slot, &module->fallback[slot]);
        }
    }
}

static int module_enable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    mca_coll_napcoll_module_t *module = (mca_coll_napcoll_module_t *) base;

    for (int slot = 0; slot < NAPCOLL_COLLS; slot++) {
        if (!capture(module, comm, slot)) {
            opal_output_verbose(10, mca_coll_napcoll_component.output,
                                "coll:napcoll: not used on communicator %u: no other component "
                                "supplies %s",
                                napcoll_compat_comm_id(comm), slots[slot].name);
            return OMPI_ERR_NOT_FOUND; /* the destructor releases what was captured */
        }
    }
    module->comm = comm;
    install(module, comm);
    return OMPI_SUCCESS;
}

/* Called once for every slot that the module holds, or once in all: depends on the version. What
 * the module keeps is released by its destructor. */
static int module_disable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    uninstall((mca_coll_napcoll_module_t *) base, comm);
    return OMPI_SUCCESS;
}

mca_coll_base_module_t *mca_coll_napcoll_comm_query(ompi_communicator_t *comm, int *priority)
{
    const char *reason = not_wanted(comm);
    mca_coll_napcoll_module_t *module;

    if (NULL != reason) {
        opal_output_verbose(10, mca_coll_napcoll_component.output,
                            "coll:napcoll: not used on communicator %u: %s",
                            napcoll_compat_comm_id(comm), reason);
        return NULL;
    }
    module = OBJ_NEW(mca_coll_napcoll_module_t);
    if (NULL == module) {
        mca_coll_napcoll_no_memory("a communicator");
    }
    *priority = mca_coll_napcoll_component.priority;
    module->super.coll_module_enable = module_enable;
    module->super.coll_module_disable = module_disable;
    module->super.coll_allreduce = mca_coll_napcoll_allreduce;
    module->super.coll_reduce = mca_coll_napcoll_reduce;
    module->super.coll_barrier = mca_coll_napcoll_barrier;
    module->super.coll_allgather = mca_coll_napcoll_allgather;
    module->super.coll_allgatherv = mca_coll_napcoll_allgatherv;
    module->super.coll_reduce_scatter = mca_coll_napcoll_reduce_scatter;
    module->super.coll_reduce_scatter_block = mca_coll_napcoll_reduce_scatter_block;
    module->super.coll_scan = mca_coll_napcoll_scan;
    module->super.coll_exscan = mca_coll_napcoll_exscan;
    module->super.coll_bcast = mca_coll_napcoll_bcast;
    module->super.coll_alltoall = mca_coll_napcoll_alltoall;
    module->super.coll_alltoallv = mca_coll_napcoll_alltoallv;
    module->super.coll_alltoallw = mca_coll_napcoll_alltoallw;
    module->super.coll_gather = mca_coll_napcoll_gather;
    module->super.coll_gatherv = mca_coll_napcoll_gatherv;
    module->super.coll_scatter = mca_coll_napcoll_scatter;
    module->super.coll_scatterv = mca_coll_napcoll_scatterv;
    return &module->super;
}

static void module_construct(mca_coll_napcoll_module_t *module)
{
    memset((char *) module + sizeof(module->super), 0, sizeof(*module) - sizeof(module->super));
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        module->force[coll] = mca_coll_napcoll_component.settings[coll].force;
        module->ruled_force[coll] = NAPCOLL_FORCE_UNKNOWN;
    }
}

static void module_destruct(mca_coll_napcoll_module_t *module)
{
    mca_coll_napcoll_cache_release(module);
    mca_coll_napcoll_trials_release(module);
    mca_coll_napcoll_release_map(module);
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        free(module->asked[coll]);
    }
    napcoll_subcomm_free(&module->engine.node_comm);
    napcoll_engine_release(&module->engine);
    for (int slot = 0; slot < NAPCOLL_COLLS; slot++) {
        if (NULL != module->fallback[slot].module) {
            OBJ_RELEASE(module->fallback[slot].module);
        }
    }
}

OBJ_CLASS_INSTANCE(mca_coll_napcoll_module_t, mca_coll_base_module_t, module_construct,
                   module_destruct);
