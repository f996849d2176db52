/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What differs between the versions of Open MPI (see the header).
 */

#include "compat/napcoll_compat.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/mca/base/mca_base_component_repository.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/util/argv.h"
#include "opal/util/keyval_parse.h"
#include "opal/util/proc.h"
#include "ompi/attribute/attribute.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/version.h"

#if defined(MCA_COLL_BASE_VERSION_2_4_0) || defined(MCA_COLL_BASE_VERSION_3_0_0)
#    include "ompi/runtime/ompi_rte.h"
#    include "opal/class/opal_cstring.h"
#    include "opal/mca/accelerator/base/base.h"
#    include "opal/mca/pmix/pmix-internal.h"
#    define KEY_NODE_ID  PMIX_NODEID
#    define KEY_PEERS    PMIX_LOCAL_PEERS
#    define KEY_JOB_SIZE PMIX_JOB_SIZE
#    define KEY_LOCALITY PMIX_LOCALITY_STRING
#    define KEY_HOSTNAME PMIX_HOSTNAME
#    define TYPE_UINT32  PMIX_UINT32
#    define TYPE_STRING  PMIX_STRING
#    define SCOPE_GLOBAL PMIX_GLOBAL
#    define COMM_INDEX   ompi_comm_get_local_cid
#    define CODE(status) opal_pmix_convert_status(status)
#else
#    include "ompi/mca/rte/rte.h"
#    include "opal/mca/pmix/pmix.h"
#    define KEY_NODE_ID  OPAL_PMIX_NODEID
#    define KEY_PEERS    OPAL_PMIX_LOCAL_PEERS
#    define KEY_JOB_SIZE OPAL_PMIX_JOB_SIZE
#    define KEY_LOCALITY OPAL_PMIX_LOCALITY_STRING
#    define KEY_HOSTNAME OPAL_PMIX_HOSTNAME
#    define TYPE_UINT32  OPAL_UINT32
#    define TYPE_STRING  OPAL_STRING
#    define SCOPE_GLOBAL OPAL_PMIX_GLOBAL
#    define COMM_INDEX   ompi_comm_get_cid
#    define CODE(status) (status)
#endif

/* How long to wait for a server, in seconds. */
enum { SECONDS = 20 };

#if defined(MCA_COLL_BASE_VERSION_2_0_0)
/* A value, with an attribute that says how to ask for it: like the macros of Open MPI 4.1, which do
 * not check their memory. The key of the attribute is borrowed. */
static int ask(opal_value_t *attribute, const char *key, const opal_process_name_t *process,
               void **to, opal_data_type_t type)
{
    opal_value_t *value = NULL;
    opal_list_t question;
    int rc;

    OBJ_CONSTRUCT(&question, opal_list_t);
    opal_list_append(&question, &attribute->super);
    rc = opal_pmix.get(process, key, &question, &value);
    (void) opal_list_remove_item(&question, &attribute->super);
    attribute->key = NULL;
    OBJ_DESTRUCT(attribute);
    OBJ_DESTRUCT(&question);
    if (OPAL_SUCCESS == rc && NULL == value) {
        return OPAL_ERR_NOT_FOUND;
    }
    if (OPAL_SUCCESS == rc) {
        rc = opal_value_unload(value, to, type);
        OBJ_RELEASE(value);
    }
    return rc;
}

static int ask_if(const char *condition, const char *key, const opal_process_name_t *process,
                  void **to, opal_data_type_t type)
{
    opal_value_t attribute;

    OBJ_CONSTRUCT(&attribute, opal_value_t);
    attribute.key = (char *) (uintptr_t) condition;
    attribute.type = OPAL_BOOL;
    attribute.data.flag = true;
    return ask(&attribute, key, process, to, type);
}

/* A text that a process published: of what reached all nodes, or fetched from the process's server,
 * which waits for a key that is missing. */
static int fetch(const char *key, const opal_process_name_t *process, char **text)
{
    opal_value_t attribute;
    int rc;

    if (napcoll_compat_collects() && OPAL_PROC_MY_NAME.jobid == process->jobid) {
        return ask_if(OPAL_PMIX_IMMEDIATE, key, process, (void **) text, OPAL_STRING);
    }
    OBJ_CONSTRUCT(&attribute, opal_value_t);
    attribute.key = (char *) (uintptr_t) OPAL_PMIX_TIMEOUT;
    attribute.type = OPAL_INT;
    attribute.data.integer = SECONDS;
    rc = ask(&attribute, key, process, (void **) text, OPAL_STRING);
    return OPAL_SUCCESS == rc || OPAL_ERR_OUT_OF_RESOURCE == rc ? rc : OPAL_ERR_NOT_FOUND;
}

/* What the process got at its start, without a request to its server. */
#    define RECV_OPTIONAL(rc, key, process, to, type) \
        (rc) = ask_if(OPAL_PMIX_OPTIONAL, key, process, (void **) (to), type)
#else
/* A text that a process published, asked for with an attribute. */
static int ask_for(const char *attribute, const char *key, const opal_process_name_t *process,
                   char **text)
{
    const int seconds = SECONDS;
    pmix_value_t *value = NULL;
    pmix_info_t info[2];
    pmix_proc_t name;
    pmix_status_t rc;

    OPAL_PMIX_CONVERT_NAME(&name, process);
    PMIX_INFO_LOAD(&info[0], attribute, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_TIMEOUT, &seconds, PMIX_INT);
    rc = PMIx_Get(&name, key, info, 2, &value);
    PMIX_INFO_DESTRUCT(&info[0]);
    PMIX_INFO_DESTRUCT(&info[1]);
    if (PMIX_SUCCESS == rc && NULL != value && PMIX_STRING == value->type) {
        *text = value->data.string;
        value->data.string = NULL;
    }
    if (NULL != value) {
        PMIX_VALUE_RELEASE(value);
    }
    return NULL == *text && PMIX_ERR_NOMEM != rc ? PMIX_ERR_NOT_FOUND : rc;
}

/* A text that a process published. The server asks the process's server for what it does not have,
 * where a question without an attribute would wait until the process publishes the key. Of a
 * process of another job on this node, the server finds the text in its own memory only. */
static int fetch(const char *key, const opal_process_name_t *process, char **text)
{
    const int rc = ask_for(PMIX_GET_REFRESH_CACHE, key, process, text);

    return PMIX_ERR_NOT_FOUND == rc && OPAL_PROC_MY_NAME.jobid != process->jobid
               ? ask_for(PMIX_IMMEDIATE, key, process, text)
               : rc;
}

#    define RECV_OPTIONAL OPAL_MODEX_RECV_VALUE_OPTIONAL
#endif

/* The value of an info key, to be freed. NULL: it is not set or, where *found, memory ran out. */
static char *info_value(opal_info_t *info, const char *key, int *found)
{
#if defined(MCA_COLL_BASE_VERSION_2_0_0)
    char text[OPAL_MAX_INFO_VAL + 1];

    opal_info_get(info, key, OPAL_MAX_INFO_VAL, text, found);
    return *found ? strdup(text) : NULL;
#else
    opal_cstring_t *text = NULL;
    char *value = NULL;

    if (OPAL_SUCCESS == opal_info_get(info, key, &text, found) && *found) {
        value = strdup(text->string);
        OBJ_RELEASE(text);
    }
    return value;
#endif
}

int napcoll_compat_comm_info(ompi_communicator_t *comm, const char *key, char **value)
{
    int found = 0;

    *value = NULL;
    if (NULL != comm->super.s_info) {
        *value = info_value(comm->super.s_info, key, &found);
    }
    return found && NULL == *value ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}

int napcoll_compat_node_id(uint32_t *node)
{
    uint32_t *id = node;
    int rc;

    RECV_OPTIONAL(rc, KEY_NODE_ID, &OPAL_PROC_MY_NAME, &id, TYPE_UINT32);
    return rc;
}

char *napcoll_compat_local_peers(void)
{
    const opal_process_name_t job = {.jobid = OPAL_PROC_MY_NAME.jobid, .vpid = OPAL_VPID_WILDCARD};
    char *peers = NULL;
    int rc;

    RECV_OPTIONAL(rc, KEY_PEERS, &job, &peers, TYPE_STRING);
    return OPAL_SUCCESS == rc ? peers : NULL;
}

char *napcoll_compat_locality(const opal_process_name_t *process)
{
    char *locality = NULL;
    int rc;

    RECV_OPTIONAL(rc, KEY_LOCALITY, process, &locality, TYPE_STRING);
    return OPAL_SUCCESS == rc ? locality : NULL;
}

char *napcoll_compat_host_of(const opal_process_name_t *process)
{
    char *name = NULL;
    int rc;

    RECV_OPTIONAL(rc, KEY_HOSTNAME, process, &name, TYPE_STRING);
    return OPAL_SUCCESS == rc ? name : NULL;
}

int napcoll_compat_publish(const char *key, const char *text)
{
    int rc;

    OPAL_MODEX_SEND_VALUE(rc, SCOPE_GLOBAL, (char *) (uintptr_t) key, (void *) (uintptr_t) text,
                          TYPE_STRING);
    return rc;
}

bool napcoll_compat_collects(void)
{
    return opal_pmix_collect_all_data && !opal_pmix_base_async_modex;
}

int napcoll_compat_lookup(const opal_process_name_t *process, const char *key, char **text)
{
    *text = NULL;
    return CODE(fetch(key, process, text));
}

const char *napcoll_compat_hostname(void)
{
    return opal_process_info.nodename;
}

uint32_t napcoll_compat_job_size(void)
{
    opal_process_name_t job = {.jobid = OPAL_PROC_MY_NAME.jobid, .vpid = OPAL_VPID_WILDCARD};
    uint32_t size = 1, *to = &size;
    int rc;

    RECV_OPTIONAL(rc, KEY_JOB_SIZE, &job, &to, TYPE_UINT32);
    return OPAL_SUCCESS == rc ? size : 1;
}

void napcoll_compat_abort(void)
{
    ompi_rte_abort(1, NULL);
}

unsigned napcoll_compat_comm_id(const ompi_communicator_t *comm)
{
    return (unsigned) COMM_INDEX((ompi_communicator_t *) (uintptr_t) comm);
}

const char *napcoll_compat_component_name(const ompi_communicator_t *comm,
                                          const mca_coll_base_module_t *module)
{
    mca_coll_base_avail_coll_t *available;

    if (NULL == comm->c_coll->module_list) {
        return NULL;
    }
    OPAL_LIST_FOREACH (available, comm->c_coll->module_list, mca_coll_base_avail_coll_t) {
        if (module == available->ac_module) {
            return available->ac_component_name;
        }
    }
    return NULL;
}

bool napcoll_compat_is_tuned(const ompi_communicator_t *comm, const mca_coll_base_module_t *module)
{
    const char *name = napcoll_compat_component_name(comm, module);

    return NULL != name && 0 == strcmp(name, "tuned");
}

/* The library's list of built-in components. */
#if defined(MCA_COLL_BASE_VERSION_3_0_0)
typedef const mca_base_component_t **built_in_t;
#    define BUILT_IN_NAME(entry) ((*(entry))->mca_component_name)
#else
typedef const mca_base_component_t *built_in_t;
#    define BUILT_IN_NAME(entry) ((entry)->mca_component_name)
#endif

const char napcoll_compat_openmpi[] = OMPI_VERSION;

static void (*at_finalize)(void);

/* Components of 6.0 are not linked to libmpi, which has the functions of MPI. Before 6.0, libmpi
 * need not export the inner function. */
static void free_comm_key(int key)
{
#if defined(MCA_COLL_BASE_VERSION_3_0_0)
    (void) ompi_attr_free_keyval(COMM_ATTR, &key, false);
#else
    (void) PMPI_Comm_free_keyval(&key);
#endif
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, the latest before the others; all
 * that users have set go before this one. */
static int run_at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) comm;
    (void) value;
    (void) extra;
    at_finalize();
    free_comm_key(key);
    return MPI_SUCCESS;
}

int napcoll_compat_at_finalize(void (*function)(void))
{
    ompi_attribute_fn_ptr_union_t copied,
        deleted = {.attr_communicator_delete_fn = run_at_finalize};
    int rc, key = MPI_KEYVAL_INVALID;

    at_finalize = function;
    /* 4.1 has another type of function, with one argument more */
    copied.attr_communicator_copy_fn = (__typeof__(copied.attr_communicator_copy_fn)) (void (*)(
        void)) MPI_COMM_NULL_COPY_FN;
    rc = ompi_attr_create_keyval(COMM_ATTR, copied, deleted, &key, NULL, 0, NULL);
    if (OMPI_SUCCESS == rc) {
        /* of the functions that set an attribute, one that libmpi exports in all builds */
        rc = ompi_attr_set_aint(COMM_ATTR, MPI_COMM_SELF, &ompi_mpi_comm_self.comm.c_keyhash, key,
                                0, false);
    }
    return rc;
}

bool napcoll_compat_is_installed(const char *component)
{
    built_in_t *built_in = ompi_coll_base_framework.framework_static_components;
    mca_base_component_repository_item_t *plugin;
    opal_list_t *plugins = NULL;

    for (int i = 0; NULL != built_in && NULL != built_in[i]; i++) {
        if (0 == strcmp(component, BUILT_IN_NAME(built_in[i]))) {
            return true;
        }
    }
    (void) mca_base_component_repository_get_components(&ompi_coll_base_framework, &plugins);
    if (NULL == plugins) {
        return false;
    }
    OPAL_LIST_FOREACH (plugin, plugins, mca_base_component_repository_item_t) {
        if (0 == strcmp(component, plugin->ri_name)) {
            return true;
        }
    }
    return false;
}

bool napcoll_compat_is_set(const char *component, const char *parameter)
{
    const int variable = mca_base_var_find("ompi", "coll", component, parameter);
    const bool *value = NULL;

    return variable >= 0 && OPAL_SUCCESS == mca_base_var_get_value(variable, &value, NULL, NULL)
           && NULL != value && *value;
}

/* What napcoll_compat_setter looks for: Open MPI's parser gives its callback no context. */
static struct {
    const char *name, *value;
    bool found;
} looked_for;

static void compare_setting(const char *name, const char *value)
{
    if (0 == strcmp(name, looked_for.name)) {
        looked_for.found = NULL != value && 0 == strcmp(value, looked_for.value);
    }
}

/* Open MPI's parameter files. Processes that mpirun 5.0 starts lack the user's in their list. */
static char **parameter_files(void)
{
    const int variable = mca_base_var_find("opal", "mca", "base", "param_files");
    const char *home = getenv("HOME");
    char *const *list = NULL;
    char **files = NULL, users[PATH_MAX];

    if (variable >= 0 && OPAL_SUCCESS == mca_base_var_get_value(variable, &list, NULL, NULL)
        && NULL != list && NULL != *list) {
        files = opal_argv_split(*list, ',');
    }
    if (NULL != home
        && snprintf(users, sizeof(users), "%s/.openmpi/mca-params.conf", home) < PATH_MAX) {
        (void) opal_argv_prepend_nosize(&files, users);
    }
    return files;
}

/* The first of the parameter files that sets a parameter to this value. */
static char *file_with(const char *name, const char *value)
{
    char **files = parameter_files(), *file = NULL;

    looked_for.name = name;
    looked_for.value = value;
    for (int i = 0; NULL != files && NULL != files[i] && NULL == file; i++) {
        looked_for.found = false;
        if (OPAL_SUCCESS == opal_util_keyval_parse(files[i], compare_setting) && looked_for.found) {
            file = strdup(files[i]);
        }
    }
    opal_argv_free(files);
    return file;
}

char *napcoll_compat_setter(const char *parameter, const char *value)
{
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
    const int variable = mca_base_var_find("ompi", "coll", "napcoll", parameter);
    const char *file = NULL;
    char name[128];

    if (variable < 0 || OPAL_SUCCESS != mca_base_var_get_value(variable, NULL, &source, &file)) {
        return NULL;
    }
    if (MCA_BASE_VAR_SOURCE_ENV == source) {
        (void) snprintf(name, sizeof(name), "coll_napcoll_%s", parameter);
        return file_with(name, value);
    }
    return MCA_BASE_VAR_SOURCE_FILE == source && NULL != file ? strdup(file) : NULL;
}

void napcoll_compat_reduce(ompi_op_t *op, const void *source, void *target, size_t count,
                           ompi_datatype_t *datatype)
{
    /* the source is only read; the interface has no const before 6.0 */
    ompi_op_reduce(op, (void *) (uintptr_t) source, target, count, datatype);
}

void napcoll_compat_reduce_to(ompi_op_t *op, const void *left, const void *right, void *target,
                              size_t count, ompi_datatype_t *datatype)
{
    /* Open MPI counts in int before 6.0 */
    const size_t most = INT32_MAX;
    ptrdiff_t lb, extent;

    ompi_datatype_get_extent(datatype, &lb, &extent);
    for (size_t done = 0; done < count; done += most) {
        const ptrdiff_t at = (ptrdiff_t) done * extent;

        ompi_3buff_op_reduce(op, (char *) (uintptr_t) left + at, (char *) (uintptr_t) right + at,
                             (char *) target + at,
                             (napcoll_compat_count_t) (count - done < most ? count - done : most),
                             datatype);
    }
}

int napcoll_compat_copy_types(const void *from, size_t from_count, ompi_datatype_t *from_type,
                              void *to, size_t to_count, ompi_datatype_t *to_type)
{
#if !defined(MCA_COLL_BASE_VERSION_3_0_0)
    if (from_count > INT32_MAX || to_count > INT32_MAX) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
#endif
    return ompi_datatype_sndrcv(from, (napcoll_compat_count_t) from_count, from_type, to,
                                (napcoll_compat_count_t) to_count, to_type);
}

bool napcoll_compat_devices;

void napcoll_compat_find_devices(void)
{
#if defined(MCA_COLL_BASE_VERSION_2_0_0)
    /* Open MPI looks for CUDA when it gets the first buffer */
    napcoll_compat_devices = NAPCOLL_COMPAT_DEVICES;
#else
    /* component "null": there is no accelerator */
    napcoll_compat_devices =
        0
        != strcmp("null", opal_accelerator_base_selected_component.base_version.mca_component_name);
#endif
}
