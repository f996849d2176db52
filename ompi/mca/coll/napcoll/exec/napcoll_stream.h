/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Streams: the vector of a broadcast as packed bytes. The root and the others may describe it by
 * different datatypes of one signature, so only bytes can say where a block of it begins.
 *
 *     contiguous vector      messages go from and to the user's buffer
 *     datatype with gaps     root: packs into scratch memory as far as messages need it
 *                            others: unpack from there, in order, as messages come
 */

#ifndef NAPCOLL_STREAM_H
#define NAPCOLL_STREAM_H

#include "exec/napcoll_exec.h"

/**
 * Run a plan of a broadcast on a vector's packed bytes, blocking.
 *
 * @param[in] engine    the communicator's
 * @param[in] plan      this rank's, without temporaries
 * @param[in] buffer    the user's: read on the root, written elsewhere
 * @param[in] count     elements
 * @param[in] datatype  of the elements
 * @param[in] comm      communicator
 * @param[in] tag       of the messages
 *
 * @return OMPI_SUCCESS or the first error; no request is left behind then
 */
int napcoll_engine_run_stream(napcoll_engine_t *engine, const napcoll_plan_t *plan, void *buffer,
                              size_t count, ompi_datatype_t *datatype, ompi_communicator_t *comm,
                              int tag);

/** Pack at least up to the end of a span. For the engine. */
int napcoll_stream_fill(napcoll_stream_t *stream, napcoll_span_t span);

/** A span has come: unpack all blocks up to the first that has not. For the engine. */
int napcoll_stream_empty(napcoll_stream_t *stream, napcoll_span_t span);

#endif /* NAPCOLL_STREAM_H */
