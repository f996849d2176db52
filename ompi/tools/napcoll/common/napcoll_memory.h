/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Memory of the tools. A tool that runs out of memory says so and exits with status 1: its
 * callers need no error path.
 */

#ifndef NAPCOLL_MEMORY_H
#define NAPCOLL_MEMORY_H

#include <stddef.h>

/** Say that memory ran out and exit. */
__attribute__((noreturn)) void napcoll_out_of_memory(void);

/** Allocate count objects of size bytes, all zero. Never NULL, also for 0 objects. The caller frees
 * them. */
void *napcoll_allocate(size_t count, size_t size);

/**
 * Make room for one more object in an array that grows one by one from 0.
 *
 * @param[in] array  [count] NULL when count is 0; freed or returned
 * @param[in] count  objects in it
 * @param[in] size   of one object, in bytes
 *
 * @return the array, which the caller frees
 */
void *napcoll_memory_grow(void *array, size_t count, size_t size);

/** Three quarters of this machine's memory, in bytes: what a tool may take without others ending.
 */
size_t napcoll_memory_limit(void);

#endif /* NAPCOLL_MEMORY_H */
