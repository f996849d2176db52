/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Memory of the tools; see napcoll_memory.h.
 */

#define _GNU_SOURCE

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/napcoll_memory.h"

void napcoll_out_of_memory(void)
{
    fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
    exit(EXIT_FAILURE);
}

void *napcoll_allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (NULL == memory) {
        napcoll_out_of_memory();
    }
    return memory;
}

void *napcoll_memory_grow(void *array, size_t count, size_t size)
{
    /* The room is the least power of two that is not below count. */
    if (0 == (count & (count - 1))) {
        array = realloc(array, (count > 0 ? 2 * count : 1) * size);
        if (NULL == array) {
            napcoll_out_of_memory();
        }
    }
    return array;
}

size_t napcoll_memory_limit(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

    return pages > 0 && bytes > 0 ? (size_t) pages / 4 * 3 * (size_t) bytes : SIZE_MAX;
}
