/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What differs between the versions of Open MPI: only the files of this folder test the version, by
 * the coll framework's version macro.
 *
 *     MCA_COLL_BASE_VERSION_2_0_0   4.1
 *     MCA_COLL_BASE_VERSION_2_4_0   5.0
 *     MCA_COLL_BASE_VERSION_3_0_0   6.0
 */

#ifndef NAPCOLL_COMPAT_H
#define NAPCOLL_COMPAT_H

#include "ompi_config.h"

#include <stdint.h>
#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/info/info.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/op/op.h"

/* NAPCOLL_COMPAT_SELF_INSTALL: a module itself puts its functions into the communicator's table,
 * and removes them; else the framework copies them from the module. */
#if defined(MCA_COLL_BASE_VERSION_3_0_0)
#    include "opal/mca/threads/mutex.h"
#    define NAPCOLL_COMPAT_COLL_VERSION MCA_COLL_BASE_VERSION_3_0_0
#    define NAPCOLL_COMPAT_SELF_INSTALL 1
#elif defined(MCA_COLL_BASE_VERSION_2_4_0)
#    include "opal/mca/threads/mutex.h"
#    define NAPCOLL_COMPAT_COLL_VERSION MCA_COLL_BASE_VERSION_2_4_0
#    define NAPCOLL_COMPAT_SELF_INSTALL 0
#elif defined(MCA_COLL_BASE_VERSION_2_0_0)
#    include "opal/threads/mutex.h"
#    define NAPCOLL_COMPAT_COLL_VERSION MCA_COLL_BASE_VERSION_2_0_0
#    define NAPCOLL_COMPAT_SELF_INSTALL 0
#else
#    error "napcoll does not know this version of Open MPI's coll framework"
#endif

/* NAPCOLL_COMPAT_DEVICES: this Open MPI supports device memory. */
#if defined(MCA_COLL_BASE_VERSION_2_4_0) || defined(MCA_COLL_BASE_VERSION_3_0_0)
#    include "opal/mca/accelerator/accelerator.h"
#    define NAPCOLL_COMPAT_DEVICES 1
#elif OPAL_CUDA_SUPPORT
#    include "opal/datatype/opal_datatype_cuda.h"
#    define NAPCOLL_COMPAT_DEVICES 1
#else
#    define NAPCOLL_COMPAT_DEVICES 0
#endif

/* The declaration of the symbol that the loader looks for. */
#if defined(OMPI_MODULE_DECLSPEC)
#    define NAPCOLL_COMPAT_COMPONENT_DECLSPEC OMPI_MODULE_DECLSPEC
#else
#    define NAPCOLL_COMPAT_COMPONENT_DECLSPEC OMPI_DECLSPEC
#endif

/* NAPCOLL_COMPAT_HETEROGENEOUS: processes may have different representations of data, and cannot
 * exchange packed bytes. */
#if OPAL_ENABLE_HETEROGENEOUS_SUPPORT
#    define NAPCOLL_COMPAT_HETEROGENEOUS 1
#else
#    define NAPCOLL_COMPAT_HETEROGENEOUS 0
#endif

/* NAPCOLL_COMPAT_BRUCK_MIXES_LAYOUTS: Bruck's alltoall uses the layout of the send type for the
 * receive buffer. */
#if defined(MCA_COLL_BASE_VERSION_2_4_0) || defined(MCA_COLL_BASE_VERSION_3_0_0)
#    define NAPCOLL_COMPAT_BRUCK_MIXES_LAYOUTS 0
#else
#    define NAPCOLL_COMPAT_BRUCK_MIXES_LAYOUTS 1
#endif

/* From 6.0 on a component has a pointer to itself, for builds inside libmpi. */
#if defined(MCA_BASE_COMPONENT_INIT)
#    define NAPCOLL_COMPAT_COMPONENT_INIT MCA_BASE_COMPONENT_INIT(ompi, coll, napcoll)
#else
#    define NAPCOLL_COMPAT_COMPONENT_INIT
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
 * The launcher's number of this node, without communication.
 *
 * @return OMPI_SUCCESS, or an error where the launcher has not given one
 */
int napcoll_compat_node_id(uint32_t *node);

/** The processes of this job on this node, "0,3,6", from the launcher, without communication; to be
 * freed by the caller. NULL where the launcher has not given them. */
char *napcoll_compat_local_peers(void);

/**
 * Where a process on this node is bound: a PMIx locality string ("NM0:SK0:...:CR0:HT0"), to be
 * freed by the caller; NULL where it is not bound or not known.
 */
char *napcoll_compat_locality(const opal_process_name_t *process);

/** Publish a text under a key for the job's processes, before they exchange their addresses. */
int napcoll_compat_publish(const char *key, const char *text);

/** Whether what processes publish reaches all nodes while the job starts, so that look-ups send no
 * message to another node; see pmix_base_collect_data and pmix_base_async_modex. */
bool napcoll_compat_collects(void);

/** A text that a process published before the processes exchanged their addresses; to be freed by
 * the caller. What does not reach all nodes is fetched from the process's server.
 *
 * @return OMPI_SUCCESS; OMPI_ERR_NOT_FOUND where the process has not published the key; another
 *         error
 */
int napcoll_compat_lookup(const opal_process_name_t *process, const char *key, char **text);

/** The name of a process's host, from the launcher, to be freed by the caller; NULL where it is not
 * known. */
char *napcoll_compat_host_of(const opal_process_name_t *process);

/** Name of this host, static. */
const char *napcoll_compat_hostname(void);

/** The number of processes of this job, 1 without a launcher; without communication. */
uint32_t napcoll_compat_job_size(void);

/** End the job, after a message has been shown. */
void napcoll_compat_abort(void) __attribute__((noreturn));

/** An event of MPI_T, which tools can wait for. */
struct napcoll_event;

/** Most integers that an event tells. */
enum { NAPCOLL_EVENT_ELEMENTS = 16 };

/**
 * Register an event. Its name for tools is ompi.coll_napcoll_NAME.
 *
 * @param[in] component    to which it belongs
 * @param[in] name         of the event
 * @param[in] description  for users
 * @param[in] enumerator   of the integers; retained
 * @param[in] elements     integers that it tells, at most NAPCOLL_EVENT_ELEMENTS
 *
 * @return Open MPI's until the end; NULL: it has no events (before 6.0), or did not take this one
 */
struct napcoll_event *napcoll_compat_event(const mca_base_component_t *component, const char *name,
                                           const char *description, mca_base_var_enum_t *enumerator,
                                           int elements);

/** Tell the tools that wait for an event; NULL is allowed. `data`: [elements]. */
void napcoll_compat_event_raise(struct napcoll_event *event, const int *data);

/** The index of a communicator in ompi_mpi_communicators, which names it in messages: the same on
 * all ranks, unless it was made without a parent (MPI_Comm_create_from_group). */
unsigned napcoll_compat_comm_id(const ompi_communicator_t *comm);

/**
 * The component to which a communicator's module belongs.
 *
 * @param[in] comm    communicator, whose components have all been enabled
 * @param[in] module  one of its modules
 *
 * @return its name, static; NULL where no component of the communicator has this module
 */
const char *napcoll_compat_component_name(const ompi_communicator_t *comm,
                                          const mca_coll_base_module_t *module);

/** Whether a communicator's module belongs to component tuned. */
bool napcoll_compat_is_tuned(const ompi_communicator_t *comm, const mca_coll_base_module_t *module);

/**
 * Whether processes of a communicator have failed, or it was revoked (ULFM): then all its messages
 * end with an error.
 *
 * @param[in] comm   communicator
 * @param[in] error  of a call on it
 */
bool napcoll_compat_has_failed(ompi_communicator_t *comm, int error);

/** Whether a request that is not complete never will be, because processes have failed or its
 * communicator was revoked (ULFM): then a wait for it returns an error at once. */
bool napcoll_compat_never_ends(ompi_request_t *request);

/** The error of a call that failed: its communicator's, where this has failed; else
 * `error`. */
int napcoll_compat_failure(ompi_communicator_t *comm, int error);

/**
 * From here to napcoll_compat_untie(), end the collectives on a subcommunicator when its
 * communicator has failed, so that no process waits in it for one that has returned the error.
 *
 * @return OMPI_SUCCESS or an error
 */
int napcoll_compat_tie(ompi_communicator_t *comm, ompi_communicator_t *part);

/** The end of napcoll_compat_tie(), or nothing. */
void napcoll_compat_untie(const ompi_communicator_t *part);

/** Call a function in MPI_Finalize, before anything ends: messages on MPI_COMM_WORLD still work.
 * Once, in MPI_Init. */
int napcoll_compat_at_finalize(void (*function)(void));

/** The version of Open MPI for which napcoll is built, such as 4.1.4. */
extern const char napcoll_compat_openmpi[];

/** Whether the installation has a collective component: in the library, or as a plugin. */
bool napcoll_compat_is_installed(const char *component);

/** Whether a boolean parameter of another component exists, and is true. */
bool napcoll_compat_is_set(const char *component, const char *parameter);

/**
 * The parameter file that sets a text parameter of napcoll. mpirun of Open MPI 5.0 passes what its
 * default files set to the processes in their environment: then the file is one with this value.
 *
 * @param[in] parameter without coll_napcoll_
 * @param[in] value     of the parameter
 *
 * @return the path, which the caller frees; NULL: the value comes from elsewhere, or memory ran out
 */
char *napcoll_compat_setter(const char *parameter, const char *value);

/** Let the help system find messages in the plugin's folder. */
void napcoll_compat_help_folder(void);

/**
 * Show a message of help-coll-napcoll.txt to the user; one thread at a time.
 *
 * @param[in] topic section of the file
 * @param[in] ...   values of its format directives
 */
void napcoll_compat_show_help(const char *topic, ...);

/** Whether no process of this job on this node has a lower rank: it reports what concerns the
 * node. */
bool napcoll_compat_is_first_on_node(void);

/** Before the message of an error that ends the job and that all processes of a node may have:
 * where nothing combines their messages, wait for the node's first process to show it and to end
 * the job. */
void napcoll_compat_await_end(void);

/** target = source op target, for any number of elements. */
void napcoll_compat_reduce(ompi_op_t *op, const void *source, void *target, size_t count,
                           ompi_datatype_t *datatype);

/** target = left op right, three buffers that do not overlap, for a predefined op, in one pass. Of
 * operands that differ only in the sign of a zero, or are NaN, it may take another one than
 * napcoll_compat_reduce(). */
void napcoll_compat_reduce_to(ompi_op_t *op, const void *left, const void *right, void *target,
                              size_t count, ompi_datatype_t *datatype);

/**
 * Copy data from one datatype to another with the same signature.
 *
 * @return OMPI_SUCCESS, or an error: before 6.0 there may be 2^31 - 1 elements at most
 */
int napcoll_compat_copy_types(const void *from, size_t from_count, ompi_datatype_t *from_type,
                              void *to, size_t to_count, ompi_datatype_t *to_type);

/** Whether buffers of this process can be in device memory, because Open MPI uses an accelerator.
 * False before napcoll_compat_find_devices(). */
extern bool napcoll_compat_devices;

/** Find out whether Open MPI uses an accelerator, after it has chosen its component. */
void napcoll_compat_find_devices(void);

/** Whether a buffer is in device memory: the test that Open MPI's own copies make. */
static inline bool napcoll_compat_on_device(const void *buffer)
{
#if NAPCOLL_COMPAT_DEVICES && OPAL_CUDA_SUPPORT && defined(MCA_COLL_BASE_VERSION_2_0_0)
    return napcoll_compat_devices && opal_cuda_check_bufs((char *) (uintptr_t) buffer, NULL);
#elif NAPCOLL_COMPAT_DEVICES
    uint64_t flags = 0;
    int device;

    return napcoll_compat_devices && opal_accelerator.check_addr(buffer, &device, &flags) > 0;
#else
    (void) buffer;
    return false;
#endif
}

/** Copy bytes from or to host or device memory; the two sides do not overlap. */
static inline int napcoll_compat_copy_bytes(void *to, const void *from, size_t bytes)
{
    if (OPAL_LIKELY(!NAPCOLL_COMPAT_DEVICES || !napcoll_compat_devices)) {
        memcpy(to, from, bytes);
        return OMPI_SUCCESS;
    }
    return ompi_datatype_copy_content_same_ddt(&ompi_mpi_byte.dt, bytes, to,
                                               (char *) (uintptr_t) from)
                   < 0
               ? OMPI_ERROR
               : OMPI_SUCCESS;
}

/* A count of elements, and the arrays of counts and displacements, one element for each rank. */
#if defined(MCA_COLL_BASE_VERSION_3_0_0)
typedef size_t napcoll_compat_count_t;
typedef ompi_count_array_t napcoll_compat_counts_t;
typedef ompi_disp_array_t napcoll_compat_displs_t;
/* displacements of neighbor_alltoallw, which are addresses */
typedef ompi_disp_array_t napcoll_compat_offsets_t;

/* Arrays of int as what functions of components take. */
static inline napcoll_compat_counts_t napcoll_compat_counts_of(const int *counts)
{
    return ompi_count_array_create(counts);
}

static inline napcoll_compat_displs_t napcoll_compat_displs_of(const int *displs)
{
    return ompi_disp_array_create(displs);
}

static inline bool napcoll_compat_has_counts(napcoll_compat_counts_t counts)
{
    return 0 != counts;
}

static inline size_t napcoll_compat_count(napcoll_compat_counts_t counts, int rank)
{
    return ompi_count_array_get(counts, (size_t) rank);
}

static inline ptrdiff_t napcoll_compat_displ(napcoll_compat_displs_t displs, int rank)
{
    return ompi_disp_array_get(displs, (size_t) rank);
}

static inline bool napcoll_compat_has_offsets(napcoll_compat_offsets_t offsets)
{
    return 0 != offsets;
}

static inline ptrdiff_t napcoll_compat_offset(napcoll_compat_offsets_t offsets, int rank)
{
    return ompi_disp_array_get(offsets, (size_t) rank);
}
#else
typedef int napcoll_compat_count_t;
typedef const int *napcoll_compat_counts_t;
typedef const int *napcoll_compat_displs_t;
typedef const MPI_Aint *napcoll_compat_offsets_t;

static inline napcoll_compat_counts_t napcoll_compat_counts_of(const int *counts)
{
    return counts;
}

static inline napcoll_compat_displs_t napcoll_compat_displs_of(const int *displs)
{
    return displs;
}

static inline bool napcoll_compat_has_counts(napcoll_compat_counts_t counts)
{
    return NULL != counts;
}

static inline size_t napcoll_compat_count(napcoll_compat_counts_t counts, int rank)
{
    return (size_t) counts[rank];
}

static inline ptrdiff_t napcoll_compat_displ(napcoll_compat_displs_t displs, int rank)
{
    return displs[rank];
}

static inline bool napcoll_compat_has_offsets(napcoll_compat_offsets_t offsets)
{
    return NULL != offsets;
}

static inline ptrdiff_t napcoll_compat_offset(napcoll_compat_offsets_t offsets, int rank)
{
    return offsets[rank];
}
#endif

#endif /* NAPCOLL_COMPAT_H */
