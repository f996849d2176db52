/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Messages by the PML (see the header).
 */

#include "exec/napcoll_transport_pml.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "ompi/mca/pml/pml.h"
#include "util/napcoll_grow.h"

static const size_t any_bytes = SIZE_MAX;

bool napcoll_messages_grow(napcoll_messages_t *m, size_t most)
{
    size_t room[] = {m->room, m->room, m->room, m->room};

    if (!napcoll_grow(&m->request, &room[0], most, sizeof(*m->request))
        || !napcoll_grow(&m->due, &room[1], most, sizeof(*m->due))
        || !napcoll_grow(&m->status, &room[2], most, sizeof(*m->status))
        || !napcoll_grow(&m->peer, &room[3], most, sizeof(*m->peer))) {
        return false;
    }
    m->room = room[0];
    return true;
}

void napcoll_messages_free(napcoll_messages_t *m)
{
    free(m->request);
    free(m->due);
    free(m->status);
    free(m->peer);
    *m = (napcoll_messages_t){.request = NULL};
}

/* The bytes that a message must bring. Where ranks have different counts it mostly brings others;
 * too few would go unnoticed. */
static inline size_t bytes_due(const napcoll_step_t *step, const napcoll_message_t *message)
{
    size_t element;

    if (NAPCOLL_STEP_RECV != step->kind || message->at_most || NAPCOLL_COMPAT_HETEROGENEOUS) {
        return any_bytes;
    }
    ompi_datatype_type_size(message->type, &element);
    return element * message->count;
}

int napcoll_messages_post(napcoll_messages_t *m, const napcoll_step_t *step,
                          const napcoll_message_t *message, ompi_communicator_t *comm, int tag)
{
    ompi_request_t **request = &m->request[m->posted];
    int rc = OMPI_SUCCESS;

    *request = MPI_REQUEST_NULL;
    m->due[m->posted] = any_bytes;
    m->peer[m->posted] = NAPCOLL_STEP_RECV == step->kind ? step->peer : ~step->peer;
    if (message->nothing) {
        m->posted++;
        return OMPI_SUCCESS;
    }
    m->due[m->posted] = bytes_due(step, message);
    rc = NAPCOLL_STEP_RECV == step->kind
             ? MCA_PML_CALL(
                 irecv(message->at, message->count, message->type, step->peer, tag, comm, request))
             : MCA_PML_CALL(isend(message->at, message->count, message->type, step->peer, tag,
                                  MCA_PML_BASE_SEND_STANDARD, comm, request));
    m->posted += OMPI_SUCCESS == rc;
    return rc;
}

int napcoll_messages_pass(const napcoll_step_t *step, const napcoll_message_t *message,
                          ompi_communicator_t *comm, int tag)
{
    const size_t due = bytes_due(step, message);
    ompi_status_public_t status;
    int rc;

    if (message->nothing) {
        return OMPI_SUCCESS;
    }
    if (NAPCOLL_STEP_SEND == step->kind) {
        return MCA_PML_CALL(send(message->at, message->count, message->type, step->peer, tag,
                                 MCA_PML_BASE_SEND_STANDARD, comm));
    }
    rc = MCA_PML_CALL(
        recv(message->at, message->count, message->type, step->peer, tag, comm, &status));
    return OMPI_SUCCESS == rc && any_bytes != due && due != status._ucount ? MPI_ERR_TRUNCATE : rc;
}

/* The error of a message whose request is left; MPI_SUCCESS when it has none or is under way. */
static inline int error_of(const ompi_request_t *request)
{
    return NULL == request || MPI_REQUEST_NULL == request || !REQUEST_COMPLETE(request)
                   || MPI_ERR_PENDING == request->req_status.MPI_ERROR
               ? MPI_SUCCESS
               : request->req_status.MPI_ERROR;
}

/* The error of the first message that failed. What the wait returned says less: MPI_ERR_IN_STATUS,
 * or OMPI_ERROR, or in 6.0 success where the message had failed before the wait. */
static int first_error(const napcoll_messages_t *m, int returned)
{
    for (int i = 0; i < m->posted; i++) {
        if (MPI_SUCCESS != error_of(m->request[i])) {
            return error_of(m->request[i]);
        }
    }
    return MPI_ERR_IN_STATUS == returned ? MPI_ERR_OTHER : returned;
}

/* Compare the bytes of a message with those due, once. */
static inline void check_bytes(napcoll_messages_t *m, int i, size_t came)
{
    m->fell_short = m->fell_short || (any_bytes != m->due[i] && came != m->due[i]);
    m->due[i] = any_bytes;
}

bool napcoll_messages_free_ended(napcoll_messages_t *m)
{
    bool left = false;

    for (int i = 0; i < m->posted; i++) {
        const ompi_request_t *request = m->request[i];

        if (MPI_REQUEST_NULL == request) {
            continue;
        }
        if (!REQUEST_COMPLETE(request) || MPI_SUCCESS != request->req_status.MPI_ERROR) {
            left = true;
        } else if (&ompi_request_empty == request) {
            m->request[i] = MPI_REQUEST_NULL;
        } else {
            check_bytes(m, i, request->req_status._ucount);
            (void) ompi_request_free(&m->request[i]);
        }
    }
    /* another thread may have ended them */
    atomic_thread_fence(memory_order_acquire);
    return left;
}

bool napcoll_messages_have_ended(const napcoll_messages_t *m)
{
    bool ended = true;

    for (int i = 0; i < m->posted; i++) {
        if (MPI_REQUEST_NULL != m->request[i] && !REQUEST_COMPLETE(m->request[i])) {
            if (napcoll_compat_never_ends(m->request[i])) {
                return true;
            }
            ended = false;
        }
    }
    return ended;
}

int napcoll_messages_wait(napcoll_messages_t *m)
{
    const int rc = ompi_request_wait_all((size_t) m->posted, m->request, m->status);

    for (int i = 0; i < m->posted && OMPI_SUCCESS == rc; i++) {
        check_bytes(m, i, m->status[i]._ucount);
    }
    return first_error(m, rc);
}

bool napcoll_messages_free_truncated(napcoll_messages_t *m)
{
    bool freed = false;

    for (int i = 0; i < m->posted; i++) {
        if (MPI_ERR_TRUNCATE == error_of(m->request[i])) {
            (void) ompi_request_free(&m->request[i]);
            freed = true;
        }
    }
    return freed;
}

/* After a process failure or revocation every message ends, and is waited for, since the PML may
 * still write its memory. After other errors a wait could last for ever: receives are cancelled,
 * and sends end by themselves. */
void napcoll_messages_abandon(napcoll_messages_t *m, ompi_communicator_t *comm, int error)
{
    const bool waits = napcoll_compat_has_failed(comm, error);
    ompi_request_t **request = m->request;

    for (int i = 0; i < m->posted; i++) {
        if (NULL == request[i] || MPI_REQUEST_NULL == request[i]) {
            continue;
        }
        if ((waits || m->peer[i] >= 0) && !REQUEST_COMPLETE(request[i])) {
            (void) ompi_request_cancel(request[i]);
        }
        if (waits) {
            (void) ompi_request_wait(&request[i], MPI_STATUS_IGNORE);
        }
        if (MPI_REQUEST_NULL != request[i]) { /* a wait that ends with an error leaves it */
            (void) ompi_request_free(&request[i]);
        }
    }
    m->posted = 0;
}
