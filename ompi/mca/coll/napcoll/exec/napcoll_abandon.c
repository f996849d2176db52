/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The messages of a failed stage (see the header).
 */

#include "exec/napcoll_abandon.h"

#include "compat/napcoll_compat.h"

void napcoll_abandon_messages(const napcoll_step_t *step, ompi_request_t **request, int posted,
                              ompi_communicator_t *comm, int error)
{
    const bool waits = napcoll_compat_has_failed(comm, error);

    for (int i = 0; i < posted; i++) {
        if (NULL == request[i] || MPI_REQUEST_NULL == request[i]) {
            continue;
        }
        if ((waits || NAPCOLL_STEP_RECV == step[i].kind) && !REQUEST_COMPLETE(request[i])) {
            (void) ompi_request_cancel(request[i]);
        }
        if (waits) {
            (void) ompi_request_wait(&request[i], MPI_STATUS_IGNORE);
        }
        if (MPI_REQUEST_NULL != request[i]) { /* a wait that ends with an error leaves it */
            (void) ompi_request_free(&request[i]);
        }
    }
}
