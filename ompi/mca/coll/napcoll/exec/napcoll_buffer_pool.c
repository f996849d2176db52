/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Memory that the process keeps (see the header).
 */

#include "exec/napcoll_buffer_pool.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct {
    void *memory;
    size_t room;
} chunk_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t limit;
static chunk_t reserve[NAPCOLL_BUFFER_POOL_CHUNKS]; /* [chunks] */
static int chunks;
static size_t kept_bytes;

/* Take a chunk out. */
static chunk_t take_out(int which)
{
    const chunk_t chunk = reserve[which];

    reserve[which] = reserve[--chunks];
    kept_bytes -= chunk.room;
    return chunk;
}

/* The smallest chunk of at least so many bytes; -1: there is none. */
static int find(size_t bytes)
{
    int found = -1;

    for (int i = 0; i < chunks; i++) {
        if (reserve[i].room >= bytes && (found < 0 || reserve[i].room < reserve[found].room)) {
            found = i;
        }
    }
    return found;
}

/* Take out chunks, smallest first, until one more of so many bytes is within the limit; to be freed. */
static int make_way(size_t room, chunk_t out[NAPCOLL_BUFFER_POOL_CHUNKS])
{
    int taken = 0;

    while (chunks > 0 && (room > limit - kept_bytes || NAPCOLL_BUFFER_POOL_CHUNKS == chunks)) {
        out[taken++] = take_out(find(0));
    }
    return taken;
}

static void free_all(const chunk_t *chunk, int count)
{
    for (int i = 0; i < count; i++) {
        free(chunk[i].memory);
    }
}

void napcoll_buffer_pool_limit(size_t bytes)
{
    chunk_t out[NAPCOLL_BUFFER_POOL_CHUNKS];
    int taken = 0;

    (void) pthread_mutex_lock(&lock);
    while (kept_bytes > bytes) {
        out[taken++] = take_out(find(0));
    }
    limit = bytes;
    (void) pthread_mutex_unlock(&lock);
    free_all(out, taken);
}

void *napcoll_buffer_pool_take(size_t bytes, size_t *room)
{
    chunk_t chunk = {.memory = NULL};
    int which = -1;

    if (bytes >= NAPCOLL_BUFFER_POOL_LEAST) {
        (void) pthread_mutex_lock(&lock);
        which = find(bytes);
        if (which >= 0) {
            chunk = take_out(which);
        }
        (void) pthread_mutex_unlock(&lock);
    }
    if (which < 0) {
        chunk.memory = malloc(bytes);
        chunk.room = NULL == chunk.memory ? 0 : bytes;
    }
    *room = chunk.room;
    return chunk.memory;
}

void napcoll_buffer_pool_give(void *memory, size_t room)
{
    chunk_t out[NAPCOLL_BUFFER_POOL_CHUNKS];
    int taken = 0;

    if (NULL != memory && room >= NAPCOLL_BUFFER_POOL_LEAST) {
        (void) pthread_mutex_lock(&lock);
        if (room <= limit) {
            taken = make_way(room, out);
            reserve[chunks++] = (chunk_t){.memory = memory, .room = room};
            kept_bytes += room;
            memory = NULL;
        }
        (void) pthread_mutex_unlock(&lock);
    }
    free_all(out, taken);
    free(memory);
}
