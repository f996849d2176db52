/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Streams: the vector of a broadcast as packed bytes. The root and the others may describe it by
 * different datatypes of one signature, so only bytes can say where a block of it begins.
 *
 *     contiguous vector      messages go from and to the user's buffer, as elements
 *     datatype with gaps     root: packs into scratch memory as far as messages need it
 *                            others: unpack from there, in order, as messages come
 */

#ifndef NAPCOLL_STREAM_H
#define NAPCOLL_STREAM_H

#include "exec/napcoll_buffers.h"
#include "opal/datatype/opal_convertor.h"

/** The stream of an operation. */
typedef struct napcoll_stream {
    /** the user's vector; the operation's binding has the packed bytes */
    void *vector;
    size_t count;
    ompi_datatype_t *datatype;
    /** between begin and finish */
    opal_convertor_t convertor;
    char *packed;
    size_t bytes;
    /** bytes that are packed, or unpacked */
    size_t done;
    /** [blocks] what has come, and the first block that has not, or is not unpacked */
    bool *came;
    size_t came_room;
    int next;
} napcoll_stream_t;

#endif /* NAPCOLL_STREAM_H */
