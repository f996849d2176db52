/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Memory that the process keeps for later calls, of any communicator: what a vector or blocks on their way need once, and the next
 * call needs again. Memory that is given back to the system and asked for anew comes in pages that have to be made, which
 * can take longer than a call's messages. Safe in any thread; no MPI in here.
 */

#ifndef NAPCOLL_BUFFER_POOL_H
#define NAPCOLL_BUFFER_POOL_H

#include <stddef.h>

enum {
    NAPCOLL_BUFFER_POOL_CHUNKS = 16,       /**< kept at most */
    NAPCOLL_BUFFER_POOL_LEAST = 64 * 1024, /**< smaller ones are malloc's business */
    NAPCOLL_BUFFER_POOL_BYTES = 64 << 20   /**< kept in all, unless users say otherwise */
};

/** Keep so many bytes in all from now on; 0: nothing, and what is kept is freed. */
void napcoll_buffer_pool_limit(size_t bytes);

/**
 * Have memory of at least so many bytes, which may hold anything.
 *
 * @param[in]  bytes  at least 1
 * @param[out] room   bytes that it has; 0 when memory ran out
 *
 * @return the memory, the caller's until it gives it back; NULL when memory ran out
 */
void *napcoll_buffer_pool_take(size_t bytes, size_t *room);

/** Give memory back, to be kept or freed; NULL is none. */
void napcoll_buffer_pool_give(void *memory, size_t room);

#endif /* NAPCOLL_BUFFER_POOL_H */
