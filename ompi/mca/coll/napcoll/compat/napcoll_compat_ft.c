/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Process failure (see napcoll_compat.h): ULFM, from Open MPI 5.0 on, if it was built with it.
 *  Open MPI wakes processes that wait on a communicator which is revoked or has failed processes.
 * For subcommunicators 5.0 has no hook, so each process checks its ties itself while it waits, in
 * opal_progress, and only where mpirun was told that processes may fail. A message could reach a
 * peer that is still making its subcommunicator.
 */

#include "compat/napcoll_compat.h"

#if defined(OPAL_ENABLE_FT_MPI) && OPAL_ENABLE_FT_MPI

#    include <stdlib.h>

#    include "ompi/mca/pml/pml.h"
#    include "ompi/runtime/params.h"
#    include "opal/mca/threads/wait_sync.h"
#    include "opal/runtime/opal_progress.h"

bool napcoll_compat_has_failed(ompi_communicator_t *comm, int error)
{
    return MPI_ERR_PROC_FAILED == error || MPI_ERR_PROC_FAILED_PENDING == error
           || MPI_ERR_REVOKED == error || ompi_comm_coll_revoked(comm);
}

bool napcoll_compat_never_ends(ompi_request_t *request)
{
    return ompi_request_is_failed(request);
}

int napcoll_compat_failure(ompi_communicator_t *comm, int error)
{
    if (ompi_comm_is_revoked(comm)) {
        return MPI_ERR_REVOKED;
    }
    return ompi_comm_coll_revoked(comm) ? MPI_ERR_PROC_FAILED : error;
}

typedef struct tie {
    ompi_communicator_t *comm;
    ompi_communicator_t *part;
    struct tie *next;
} tie_t;

static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static tie_t *ties;

/* End all collectives on a communicator, in this process. */
static void end_collectives(ompi_communicator_t *comm)
{
#    if defined(MCA_COLL_BASE_VERSION_3_0_0)
    (void) ompi_comm_revoke_local(comm, true);
#    else
    (void) MCA_PML_CALL(revoke_comm(comm, true));
    wait_sync_global_wakeup(MPI_ERR_REVOKED);
#    endif
}

/* Revoke the parts of communicators that have failed; for opal_progress. */
static int check_ties(void)
{
    if (0 != opal_mutex_trylock(&lock)) {
        /* another thread checks them */
        return 0;
    }
    for (const tie_t *tie = ties; NULL != tie; tie = tie->next) {
        if (OPAL_UNLIKELY(ompi_comm_coll_revoked(tie->comm))
            && !ompi_comm_coll_revoked(tie->part)) {
            end_collectives(tie->part);
        }
    }
    opal_mutex_unlock(&lock);
    return 0;
}

int napcoll_compat_tie(ompi_communicator_t *comm, ompi_communicator_t *part)
{
    tie_t *tie;
    int rc = OMPI_SUCCESS;

    if (!ompi_ftmpi_enabled) {
        return OMPI_SUCCESS;
    }
    tie = malloc(sizeof(*tie));
    if (NULL == tie) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    opal_mutex_lock(&lock);
    if (NULL == ties) {
        rc = opal_progress_register(check_ties);
    }
    if (OMPI_SUCCESS == rc) {
        *tie = (tie_t){.comm = comm, .part = part, .next = ties};
        ties = tie;
        tie = NULL;
    }
    opal_mutex_unlock(&lock);
    free(tie);
    return rc;
}

void napcoll_compat_untie(const ompi_communicator_t *part)
{
    tie_t *tie = NULL;

    opal_mutex_lock(&lock);
    for (tie_t **at = &ties; NULL != *at; at = &(*at)->next) {
        if (part == (*at)->part) {
            tie = *at;
            *at = tie->next;
            break;
        }
    }
    if (NULL != tie && NULL == ties) {
        (void) opal_progress_unregister(check_ties);
    }
    opal_mutex_unlock(&lock);
    free(tie);
}

#else

bool napcoll_compat_has_failed(ompi_communicator_t *comm, int error)
{
    (void) comm;
    (void) error;
    return false;
}

bool napcoll_compat_never_ends(ompi_request_t *request)
{
    (void) request;
    return false;
}

int napcoll_compat_failure(ompi_communicator_t *comm, int error)
{
    (void) comm;
    return error;
}

int napcoll_compat_tie(ompi_communicator_t *comm, ompi_communicator_t *part)
{
    (void) comm;
    (void) part;
    return OMPI_SUCCESS;
}

void napcoll_compat_untie(const ompi_communicator_t *part)
{
    (void) part;
}

#endif
