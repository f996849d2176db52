/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Buffers of calls, and the pool of the process from which they come. The next call, on whatever
 * communicator, takes the memory of the last one: new memory comes from the system in pages that
 * must be filled, which can take longer than a call's messages. Thread safe; no MPI in here.
 */

#ifndef NAPCOLL_BUFFER_POOL_H
#define NAPCOLL_BUFFER_POOL_H

#include <stdbool.h>
#include <stddef.h>

enum {
    NAPCOLL_BUFFER_POOL_CHUNKS = 16,       /**< most buffers in the pool */
    NAPCOLL_BUFFER_POOL_LEAST = 64 * 1024, /**< smaller buffers come from malloc */
    NAPCOLL_BUFFER_POOL_BYTES = 64 << 20   /**< default of the bytes in the pool */
};

/** Memory that a call owns. All zero: none. */
typedef struct napcoll_buffer {
    char *memory;
    size_t room;
} napcoll_buffer_t;

/** Make room for some bytes; the contents are undefined. False when memory ran out: the buffer is
 * empty then. */
bool napcoll_buffer_take(napcoll_buffer_t *buffer, size_t bytes);

/** Give a buffer back to the pool, or free it; it is empty then. */
void napcoll_buffer_give(napcoll_buffer_t *buffer);

/** Limit the bytes in the pool from now on. */
void napcoll_buffer_pool_limit(size_t bytes);

#endif /* NAPCOLL_BUFFER_POOL_H */
