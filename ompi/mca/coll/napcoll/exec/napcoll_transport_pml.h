/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Messages by the PML, Open MPI's point-to-point layer. The messages of a stage, and others, are
 * posted, waited for and freed together.
 */

#ifndef NAPCOLL_TRANSPORT_PML_H
#define NAPCOLL_TRANSPORT_PML_H

#include "exec/napcoll_buffers.h"
#include "ompi/request/request.h"

/** Messages. All zero: none, and no memory. */
typedef struct napcoll_messages {
    /** [posted] MPI_REQUEST_NULL of those that have ended well */
    ompi_request_t **request;
    /** [posted] the bytes that each must bring, SIZE_MAX: any number */
    size_t *due;
    ompi_status_public_t *status;
    /** [posted] the rank that a message comes from, or ~ of the rank that it goes to */
    int *peer;
    /** of each of these arrays */
    size_t room;
    int posted;
    /** one has brought too few bytes */
    bool fell_short;
} napcoll_messages_t;

bool napcoll_messages_grow(napcoll_messages_t *messages, size_t most);

/** Make room for messages, also while some are posted. False when memory ran out. */
static inline bool napcoll_messages_reserve(napcoll_messages_t *messages, size_t most)
{
    return most <= messages->room || napcoll_messages_grow(messages, most);
}

/** Forget the messages before, which have ended. */
static inline void napcoll_messages_begin(napcoll_messages_t *messages)
{
    messages->posted = 0;
    messages->fell_short = false;
}

/** Post the next message; of the step only the kind and the peer matter. */
int napcoll_messages_post(napcoll_messages_t *messages, const napcoll_step_t *step,
                          const napcoll_message_t *message, ompi_communicator_t *comm, int tag);

/** Send or receive the one message of a stage by a blocking call, which costs less than a request.
 * MPI_ERR_TRUNCATE: it has brought too few bytes, or too many. */
int napcoll_messages_pass(const napcoll_step_t *step, const napcoll_message_t *message,
                          ompi_communicator_t *comm, int tag);

/** Whether all messages have ended, well or not, or some never will: then a wait returns at once
 * with an error. */
bool napcoll_messages_have_ended(const napcoll_messages_t *messages);

/**
 * Wait for all messages.
 *
 * @return OMPI_SUCCESS, or the error of the first message that failed, whose request is left
 */
int napcoll_messages_wait(napcoll_messages_t *messages);

/** Free the messages that have ended well; whether any is left. */
bool napcoll_messages_free_ended(napcoll_messages_t *messages);

/** Free the messages that were too long; whether there were any. */
bool napcoll_messages_free_truncated(napcoll_messages_t *messages);

/** Leave no request behind after an error. */
void napcoll_messages_abandon(napcoll_messages_t *messages, ompi_communicator_t *comm, int error);

/** Free the memory. */
void napcoll_messages_free(napcoll_messages_t *messages);

#endif /* NAPCOLL_TRANSPORT_PML_H */
