/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Open MPI's versions (see the header).
 */

#include "compat/napcoll_compat.h"

#include <string.h>

#include "opal/mca/pmix/pmix.h"
#include "opal/util/proc.h"
#include "ompi/datatype/ompi_datatype.h"

int napcoll_compat_comm_info(ompi_communicator_t *comm, const char *key, char **value)
{
    char text[OPAL_MAX_INFO_VAL + 1];
    int found = 0;

    *value = NULL;
    if (NULL == comm->super.s_info) {
        return OMPI_SUCCESS;
    }
    opal_info_get(comm->super.s_info, key, OPAL_MAX_INFO_VAL, text, &found);
    if (found) {
        *value = strdup(text);
        return NULL == *value ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    }
    return OMPI_SUCCESS;
}

int napcoll_compat_node_id(const opal_process_name_t *process, uint32_t *node)
{
    uint32_t *id = node;
    int rc;

    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, OPAL_PMIX_NODEID, process, &id, OPAL_UINT32);
    return rc;
}

char *napcoll_compat_locality(const opal_process_name_t *process)
{
    char *locality = NULL;
    int rc;

    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, OPAL_PMIX_LOCALITY_STRING, process, &locality, OPAL_STRING);
    return OPAL_SUCCESS == rc ? locality : NULL;
}

int napcoll_compat_publish(const char *key, const char *text)
{
    int rc;

    OPAL_MODEX_SEND_VALUE(rc, OPAL_PMIX_GLOBAL, (char *) (uintptr_t) key, (void *) (uintptr_t) text,
                          OPAL_STRING);
    return rc;
}

int napcoll_compat_lookup(const opal_process_name_t *process, const char *key, char **text)
{
    int rc;

    OPAL_MODEX_RECV_VALUE(rc, key, process, text, OPAL_STRING);
    return rc;
}

const char *napcoll_compat_hostname(void)
{
    return opal_process_info.nodename;
}

unsigned napcoll_compat_comm_id(const ompi_communicator_t *comm)
{
    return (unsigned) ompi_comm_get_cid((ompi_communicator_t *) comm);
}

int napcoll_compat_comm_index(const ompi_communicator_t *comm)
{
    return (int) ompi_comm_get_cid((ompi_communicator_t *) comm);
}

void napcoll_compat_reduce(ompi_op_t *op, const void *source, void *target, size_t count,
                           ompi_datatype_t *datatype)
{
    /* the interface takes no const: the source is only read */
    ompi_op_reduce(op, (void *) (uintptr_t) source, target, count, datatype);
}
