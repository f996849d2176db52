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

#include "coll_napcoll_neighbors.h"
#include "coll_napcoll_node_memory.h"
#include "coll_napcoll_stall.h"
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

/* Set up the job, or end it. */
static void set_up_job(ompi_communicator_t *comm)
{
    const int rc = mca_coll_napcoll_set_up_job(comm);

    if (OMPI_ERR_OUT_OF_RESOURCE == rc) {
        mca_coll_napcoll_no_memory("the settings of the job");
    }
    if (OMPI_SUCCESS != rc) {
        /* processes that choose differently would wait for each other for ever */
        napcoll_compat_abort();
    }
}

/* Whether napcoll serves a communicator; `reason`, of `room` bytes: why not. */
static bool serves(ompi_communicator_t *comm, char *reason, size_t room)
{
    const mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const char *why = NULL;

    if (OMPI_COMM_IS_INTER(comm)) {
        why = "it is an intercommunicator";
    } else if (ompi_comm_size(comm) < 2) {
        why = "it has one process";
    } else if (component->priority < 0) {
        why = "coll_napcoll_priority is negative";
    } else {
        set_up_job(comm);
        if (component->versions_differ) {
            why = "not all processes of the job have this version of napcoll";
        }
    }
    if (NULL != why) {
        (void) snprintf(reason, room, "%s", why);
        return false;
    }
    if (!component->reproducible && !component->node_memory
        && !napcoll_spans_nodes(&mca_coll_napcoll_component.job, comm)) {
        (void) snprintf(reason, room, "all %d processes share one node", ompi_comm_size(comm));
        return false;
    }
    return true;
}

/* Log why napcoll does not serve a communicator; why not MPI_COMM_WORLD is of interest to all. */
static void log_unused(ompi_communicator_t *comm, const char *reason)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const bool world = MPI_COMM_WORLD == comm;

    if (world) {
        (void) snprintf(component->unused, sizeof(component->unused), "%s", reason);
    }
    opal_output_verbose(world && 0 == ompi_comm_rank(comm) ? 1 : 10, component->output,
                        "coll:napcoll: not used on communicator %u%s: %s",
                        napcoll_compat_comm_id(comm), world ? " (MPI_COMM_WORLD)" : "", reason);
}

/* Save the function that supplies a collective; false, after a message, where there is none. */
static bool save(mca_coll_napcoll_module_t *module, const ompi_communicator_t *comm,
                 napcoll_kind_t kind, napcoll_coll_t coll, void (*function)(void),
                 mca_coll_base_module_t *supplier)
{
    char name[NAPCOLL_FUNCTION_NAME];

    if (NULL == function || NULL == supplier) {
        if (mca_coll_napcoll_is_neighbor(coll)) {
            /* a communicator without a topology does not need it, and gets that only later */
            return true;
        }
        napcoll_function_name(mca_coll_napcoll_collectives[coll], kind, name);
        opal_output_verbose(10, mca_coll_napcoll_component.output,
                            "coll:napcoll: not used on communicator %u: no other component "
                            "supplies %s",
                            napcoll_compat_comm_id(comm), name);
        return false;
    }
    module->fallback[kind][coll] = (napcoll_saved_function_t){function, supplier};
    OBJ_RETAIN(supplier);
    return true;
}

/* USE(kind, ENUM, slot) for the three functions of a collective: slot as in coll_SLOT. */
#define EACH_KIND(USE, ENUM, name)               \
    USE(NAPCOLL_KIND_BLOCKING, ENUM, name)       \
    USE(NAPCOLL_KIND_NONBLOCKING, ENUM, i##name) \
    USE(NAPCOLL_KIND_PERSISTENT, ENUM, name##_init)

static bool save_all(mca_coll_napcoll_module_t *module, const ompi_communicator_t *comm)
{
    const mca_coll_base_comm_coll_t *table = comm->c_coll;

    /* clang-format off */
#define AND_SAVE(kind, ENUM, slot)                                                            \
    && save(module, comm, kind, NAPCOLL_COLL_##ENUM, (void (*)(void)) table->coll_##slot, \
            table->coll_##slot##_module)
#define AND_SAVE_EACH(ENUM, name, PREFIX) EACH_KIND(AND_SAVE, ENUM, name)
    return true NAPCOLL_FOR_EACH_COLLECTIVE(AND_SAVE_EACH);
    /* clang-format on */
}

/* Put napcoll's functions into the table, where the framework leaves that to the module. */
static void install(mca_coll_napcoll_module_t *module, ompi_communicator_t *comm)
{
    mca_coll_base_comm_coll_t *table = comm->c_coll;

#define INSTALL(kind, ENUM, slot)                 \
    table->coll_##slot = mca_coll_napcoll_##slot; \
    table->coll_##slot##_module = &module->super;
#define INSTALL_EACH(ENUM, name, PREFIX) EACH_KIND(INSTALL, ENUM, name)
    if (NAPCOLL_COMPAT_SELF_INSTALL) {
        NAPCOLL_FOR_EACH_COLLECTIVE(INSTALL_EACH)
    }
}

/* Restore the functions that napcoll's have replaced; a second call finds none. */
static void uninstall(mca_coll_napcoll_module_t *module, ompi_communicator_t *comm)
{
    mca_coll_base_comm_coll_t *table = comm->c_coll;
    const napcoll_saved_function_t *saved;

#define UNINSTALL(kind, ENUM, slot)                                                \
    saved = &module->fallback[kind][NAPCOLL_COLL_##ENUM];                          \
    if (&module->super == table->coll_##slot##_module) {                           \
        table->coll_##slot = (mca_coll_base_module_##slot##_fn_t) saved->function; \
        table->coll_##slot##_module = saved->module;                               \
    }
#define UNINSTALL_EACH(ENUM, name, PREFIX) EACH_KIND(UNINSTALL, ENUM, name)
    if (NAPCOLL_COMPAT_SELF_INSTALL) {
        NAPCOLL_FOR_EACH_COLLECTIVE(UNINSTALL_EACH)
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
    module->one_node = !napcoll_spans_nodes(&mca_coll_napcoll_component.job, comm);
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
    mca_coll_napcoll_module_t *module;
    char reason[sizeof(mca_coll_napcoll_component.unused)];

    if (!serves(comm, reason, sizeof(reason))) {
        log_unused(comm, reason);
        return NULL;
    }
    module = OBJ_NEW(mca_coll_napcoll_module_t);
    if (NULL == module) {
        mca_coll_napcoll_no_memory("a communicator");
    }
    *priority = mca_coll_napcoll_component.priority;
    module->super.coll_module_enable = module_enable;
    module->super.coll_module_disable = module_disable;
#define SUPPLY(kind, ENUM, slot)        module->super.coll_##slot = mca_coll_napcoll_##slot;
#define SUPPLY_EACH(ENUM, name, PREFIX) EACH_KIND(SUPPLY, ENUM, name)
    NAPCOLL_FOR_EACH_COLLECTIVE(SUPPLY_EACH)
    return &module->super;
}

napcoll_operation_t *mca_coll_napcoll_take_operation(const mca_coll_napcoll_module_t *module)
{
    napcoll_operation_t *operation = napcoll_operation_take();

    if (NULL != operation) {
        memcpy(operation->subcomm, module->subcomm, sizeof(operation->subcomm));
        operation->map = module->map;
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
    operation->next = atomic_load(&module->failed);
    while (!atomic_compare_exchange_weak(&module->failed, &operation->next, operation)) {
        /* operations may fail in several threads */
    }
}

static void module_construct(mca_coll_napcoll_module_t *module)
{
    memset((char *) module + sizeof(module->super), 0, sizeof(*module) - sizeof(module->super));
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        module->force[coll] = mca_coll_napcoll_component.settings[coll].force;
        module->rules_scope[coll][0] = module->rules_scope[coll][1] = -1;
    }
}

static void module_destruct(mca_coll_napcoll_module_t *module)
{
    napcoll_operation_t *operation = atomic_load(&module->failed);
    napcoll_saved_function_t *saved = &module->fallback[0][0];

    mca_coll_napcoll_stall_forget(module);
    mca_coll_napcoll_cache_release(module);
    mca_coll_napcoll_trials_release(module);
    mca_coll_napcoll_release_neighbors(module);
    mca_coll_napcoll_release_node_memory(module);
    mca_coll_napcoll_release_map(module);
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        free(module->asked[coll]);
    }
    for (int scope = 0; scope < NAPCOLL_SCOPES; scope++) {
        napcoll_subcomm_free(&module->subcomm[scope]);
    }
    while (NULL != operation) {
        napcoll_operation_t *next = operation->next;

        napcoll_operation_free(operation);
        operation = next;
    }
    for (int slot = 0; slot < NAPCOLL_KINDS * NAPCOLL_COLLS; slot++) {
        if (NULL != saved[slot].module) {
            OBJ_RELEASE(saved[slot].module);
        }
    }
}

OBJ_CLASS_INSTANCE(mca_coll_napcoll_module_t, mca_coll_base_module_t, module_construct,
                   module_destruct);
