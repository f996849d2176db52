/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How the messages of a stage end that has failed.
 */

#ifndef NAPCOLL_ABANDON_H
#define NAPCOLL_ABANDON_H

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/request/request.h"

#include "plan/napcoll_plan.h"

/**
 * Leave no request behind.
 *
 * Where processes have failed, or the communicator was revoked, every message ends, and is waited for:
 * the PML goes on writing what is under way. After other errors a wait could last for ever: receives are
 * cancelled, and what cannot be cancelled runs out by itself.
 *
 * @param[in]     step      the messages
 * @param[in,out] request   [posted] their requests, MPI_REQUEST_NULL where one has ended
 * @param[in]     posted    how many messages there are
 * @param[in]     comm      the communicator
 * @param[in]     error     of the stage
 */
void napcoll_abandon_messages(const napcoll_step_t *step, ompi_request_t **request, int posted,
                              ompi_communicator_t *comm, int error);

#endif /* NAPCOLL_ABANDON_H */
