/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How much memory a process uses, for tests that it does not grow.
 */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <malloc.h>
#include <stdlib.h>

/* Bytes of the heap that are in use; 0 where the C library does not tell. */
static inline long heap(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();

    return (long) (info.uordblks + info.hblkhd);
#else
    return 0;
#endif
}

#endif
