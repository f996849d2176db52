/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The module: one per communicator. Enabling it saves the function that supplies each collective,
 * and fails if one is missing; then napcoll's functions take their slots. What needs communication
 * waits for the first call.
 */

#include "coll_napcoll_stats.h"

#include <string.h>

#include "opal/util/output.h"

int mca_coll_napcoll_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    napcoll_compat_find_devices();
    /* for any thread level: state is per communicator, or locked */
    return OMPI_SUCCESS;
}

/* Why napcoll does not serve a communicator; NULL if it does. */
static const char *not_wanted(ompi_communicator_t *comm)
{
    int rc;

    if (OMPI_COMM_IS_INTER(comm)) {
        return "it is an intercommunicator";
    }
    if (ompi_comm_size(comm) < 2) {
        return "it has one process";
    }
    rc = mca_coll_napcoll_set_up_job();
    if (OMPI_ERR_OUT_OF_RESOURCE == rc) {
        mca_coll_napcoll_no_memory("the settings of the job");
    }
    if (OMPI_SUCCESS != rc) {
        /* processes that choose differently would wait for each other for ever */
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

/* Save the function that supplies a collective; false, after a message, where there is none. */
static bool save(mca_coll_napcoll_module_t *module, const ompi_communicator_t *comm,
                 napcoll_coll_t coll, void (*function)(void), mca_coll_base_module_t *supplier)
{
    if (NULL == function || NULL == supplier) {
        opal_output_verbose(10, mca_coll_napcoll_component.output,
                            "coll:napcoll: not used on communicator %u: no other component "
                            "supplies %s",
                            napcoll_compat_comm_id(comm), mca_coll_napcoll_collectives[coll]->name);
        return false;
    }
    module->fallback[coll] = (napcoll_saved_function_t){function, supplier};
    OBJ_RETAIN(supplier);
    return true;
}

static bool save_all(mca_coll_napcoll_module_t *module, const ompi_communicator_t *comm)
{
    const mca_coll_base_comm_coll_t *table = comm->c_coll;

    /* clang-format off */
#define AND_SAVE(ENUM, op, PREFIX)                                                     \
    && save(module, comm, NAPCOLL_COLL_##ENUM, (void (*)(void)) table->coll_##op, \
            table->coll_##op##_module)
    return true NAPCOLL_FOR_EACH_COLLECTIVE(AND_SAVE);
    /* clang-format on */
}

/* Put napcoll's functions into the table, where the framework leaves that to the module. */
static void install(mca_coll_napcoll_module_t *module, ompi_communicator_t *comm)
{
    mca_coll_base_comm_coll_t *table = comm->c_coll;

#define INSTALL(ENUM, op, PREFIX)             \
    table->coll_##op = mca_coll_napcoll_##op; \
    table->coll_##op##_module = &module->super;
    if (NAPCOLL_COMPAT_SELF_INSTALL) {
        NAPCOLL_FOR_EACH_COLLECTIVE(INSTALL)
    }
}

/* Restore the functions that napcoll's have replaced; a second call finds none. */
static void uninstall(mca_coll_napcoll_module_t *module, ompi_communicator_t *comm)
{
    mca_coll_base_comm_coll_t *table = comm->c_coll;
    const napcoll_saved_function_t *saved = module->fallback;

#define UNINSTALL(ENUM, op, PREFIX)                                                                \
    if (&module->super == table->coll_##op##_module) {                                             \
        table->coll_##op = (mca_coll_base_module_##op##_fn_t) saved[NAPCOLL_COLL_##ENUM].function; \
        table->coll_##op##_module = saved[NAPCOLL_COLL_##ENUM].module;                             \
    }
    if (NAPCOLL_COMPAT_SELF_INSTALL) {
        NAPCOLL_FOR_EACH_COLLECTIVE(UNINSTALL)
    }
}

static int module_enable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    mca_coll_napcoll_module_t *module = (mca_coll_napcoll_module_t *) base;

    /* after an error the destructor releases what was saved */
    if (!save_all(module, comm)) {
        return OMPI_ERR_NOT_FOUND;
    }
    module->comm = comm;
    install(module, comm);
    return OMPI_SUCCESS;
}

/* Open MPI calls this once, or once for every slot, depending on its version. */
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
#define SUPPLY(ENUM, op, PREFIX) module->super.coll_##op = mca_coll_napcoll_##op;
    NAPCOLL_FOR_EACH_COLLECTIVE(SUPPLY)
    return &module->super;
}

napcoll_operation_t *mca_coll_napcoll_take_operation(const mca_coll_napcoll_module_t *module)
{
    napcoll_operation_t *operation = napcoll_operation_take();

    if (NULL != operation) {
        operation->node_comm = module->node_comm;
    }
    return operation;
}

void mca_coll_napcoll_give_operation(mca_coll_napcoll_module_t *module,
                                     napcoll_operation_t *operation)
{
    if (OPAL_LIKELY(!operation->failed)) {
        napcoll_operation_give(operation);
        return;
    }
    operation->next = module->failed;
    module->failed = operation;
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
    napcoll_subcomm_free(&module->node_comm);
    while (NULL != module->failed) {
        napcoll_operation_t *operation = module->failed;

        module->failed = operation->next;
        napcoll_operation_free(operation);
    }
    for (int slot = 0; slot < NAPCOLL_COLLS; slot++) {
        if (NULL != module->fallback[slot].module) {
            OBJ_RELEASE(module->fallback[slot].module);
        }
    }
}

OBJ_CLASS_INSTANCE(mca_coll_napcoll_module_t, mca_coll_base_module_t, module_construct,
                   module_destruct);
