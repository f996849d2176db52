/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Open MPI's versions: every difference between them is met here and in napcoll_compat.c, and
 * nowhere else. The test is the coll framework's version macro.
 *
 *     MCA_COLL_BASE_VERSION_2_0_0   4.1
 */

#ifndef NAPCOLL_COMPAT_H
#define NAPCOLL_COMPAT_H

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/info/info.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/op/op.h"

#if defined(MCA_COLL_BASE_VERSION_2_0_0)
#    define NAPCOLL_COMPAT_COLL_VERSION MCA_COLL_BASE_VERSION_2_0_0
#else
#    error "napcoll does not know this version of Open MPI's coll framework"
#endif

/**
 * The value of a communicator's info key.
 *
 * @param[in]  comm  communicator
 * @param[in]  key   key
 * @param[out] value the value, to be freed by the caller; NULL where the key is not set
 *
 * @return OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE
 */
int napcoll_compat_comm_info(ompi_communicator_t *comm, const char *key, char **value);

/**
 * The number of the node that a process of this job is on, from the job's information, without
 * communication.
 *
 * @return OMPI_SUCCESS, or an error where the launcher did not tell
 */
int napcoll_compat_node_id(const opal_process_name_t *process, uint32_t *node);

/**
 * Where a process on this node is bound: a PMIx locality string ("NM0:SK0:...:CR0:HT0"), to be
 * freed by the caller; NULL where it is not bound or not known.
 */
char *napcoll_compat_locality(const opal_process_name_t *process);

/** Publish a text under a key for the job's processes, before they exchange their addresses. */
int napcoll_compat_publish(const char *key, const char *text);

/** A text that a process published; to be freed by the caller. May wait for that process. */
int napcoll_compat_lookup(const opal_process_name_t *process, const char *key, char **text);

/** Name of this host, static. */
const char *napcoll_compat_hostname(void);

/** A number that names the communicator in messages and is the same on all its ranks. */
unsigned napcoll_compat_comm_id(const ompi_communicator_t *comm);

/** Index under which ompi_mpi_communicators holds a communicator. */
int napcoll_compat_comm_index(const ompi_communicator_t *comm);

/** target = source op target, for any number of elements. */
void napcoll_compat_reduce(ompi_op_t *op, const void *source, void *target, size_t count,
                           ompi_datatype_t *datatype);

/** The component's function table, as the framework of this version knows a component. */
typedef mca_coll_base_component_t napcoll_compat_component_t;

#endif /* NAPCOLL_COMPAT_H */
