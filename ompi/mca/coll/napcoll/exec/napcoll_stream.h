/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Streams: the vector of a broadcast as the bytes of its packed form. Root and others may describe it by
 * different datatypes of one signature, so pieces of it can be told by bytes alone.
 *
 *     one piece of memory       messages go from and to the user's buffer
 *     a datatype with gaps      root: packed into scratch memory as far as messages need it
 *                               others: unpacked from there, in order, as messages come
 */

#ifndef NAPCOLL_STREAM_H
#define NAPCOLL_STREAM_H

#include "exec/napcoll_exec.h"

/**
 * Run a plan of a broadcast, blocking, on a vector's packed bytes.
 *
 * @param[in] engine    of the communicator
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

/** Pack as far as to `end` bytes from the beginning, at least. For the engine. */
int napcoll_stream_fill(napcoll_stream_t *stream, size_t end);

/** Bytes [first, first + bytes) have come: unpack what follows what was unpacked before. For the engine. */
int napcoll_stream_empty(napcoll_stream_t *stream, size_t first, size_t bytes);

#endif /* NAPCOLL_STREAM_H */
