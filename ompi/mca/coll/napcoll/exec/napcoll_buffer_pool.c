/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Buffers and their pool (see the header).
 */

#include "exec/napcoll_buffer_pool.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t limit;
/* [chunks] the pool, and its bytes */
static napcoll_buffer_t pool[NAPCOLL_BUFFER_POOL_CHUNKS];
static int chunks;
static size_t kept_bytes;

/* The smallest chunk of the pool with room for some bytes; -1: there is none. */
static int find_chunk(size_t bytes)
{
    int found = -1;

    for (int i = 0; i < chunks; i++) {
        if (pool[i].room >= bytes && (found < 0 || pool[i].room < pool[found].room)) {
            found = i;
        }
    }
    return found;
}

static napcoll_buffer_t remove_chunk(int which)
{
    const napcoll_buffer_t chunk = pool[which];

    pool[which] = pool[--chunks];
    kept_bytes -= chunk.room;
    return chunk;
}

/* Remove the smallest chunks until the pool has at most some bytes, and fewer chunks than
 * `most`. The caller frees them when it has released the lock. */
static int shrink_pool(size_t bytes, int most, napcoll_buffer_t removed[NAPCOLL_BUFFER_POOL_CHUNKS])
{
    int count = 0;

    while (chunks > 0 && (kept_bytes > bytes || chunks >= most)) {
        removed[count++] = remove_chunk(find_chunk(0));
    }
    return count;
}

static void free_chunks(const napcoll_buffer_t *chunk, int count)
{
    for (int i = 0; i < count; i++) {
        free(chunk[i].memory);
    }
}

void napcoll_buffer_pool_limit(size_t bytes)
{
    napcoll_buffer_t removed[NAPCOLL_BUFFER_POOL_CHUNKS];
    int count;

    (void) pthread_mutex_lock(&lock);
    limit = bytes;
    count = shrink_pool(bytes, NAPCOLL_BUFFER_POOL_CHUNKS + 1, removed);
    (void) pthread_mutex_unlock(&lock);
    free_chunks(removed, count);
}

bool napcoll_buffer_take(napcoll_buffer_t *buffer, size_t bytes)
{
    int which;

    if (NULL != buffer->memory && bytes <= buffer->room) {
        return true;
    }
    napcoll_buffer_give(buffer);
    if (bytes >= NAPCOLL_BUFFER_POOL_LEAST) {
        (void) pthread_mutex_lock(&lock);
        which = find_chunk(bytes);
        if (which >= 0) {
            *buffer = remove_chunk(which);
        }
        (void) pthread_mutex_unlock(&lock);
    }
    if (NULL == buffer->memory) {
        buffer->memory = malloc(bytes > 0 ? bytes : 1);
        buffer->room = NULL == buffer->memory ? 0 : bytes;
    }
    return NULL != buffer->memory;
}

void napcoll_buffer_give(napcoll_buffer_t *buffer)
{
    napcoll_buffer_t removed[NAPCOLL_BUFFER_POOL_CHUNKS];
    int count = 0;

    if (buffer->room >= NAPCOLL_BUFFER_POOL_LEAST) {
        (void) pthread_mutex_lock(&lock);
        if (buffer->room <= limit) {
            count = shrink_pool(limit - buffer->room, NAPCOLL_BUFFER_POOL_CHUNKS, removed);
            pool[chunks++] = *buffer;
            kept_bytes += buffer->room;
            buffer->memory = NULL;
        }
        (void) pthread_mutex_unlock(&lock);
    }
    free_chunks(removed, count);
    free(buffer->memory);
    *buffer = (napcoll_buffer_t){0};
}
