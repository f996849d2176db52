/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * To be preloaded: of the allocations that napcoll's plugin asks for, one fails. A program says
 * which (see no_memory.h), or the environment, for a process of the job from its start on:
 *
 *     NAPCOLL_NO_MEMORY=RANK:N
 */
#define _GNU_SOURCE

#include "no_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What glibc's own functions are called inside of it. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

/* 0: none */
static _Atomic long failing;
static _Atomic long counted;

/* Whether the code at this address is the plugin's. */
static bool is_plugin(const void *caller)
{
    static const char name[] = "/mca_coll_napcoll.so";
    Dl_info info;
    size_t length;

    if (0 == dladdr(caller, &info) || NULL == info.dli_fname) {
        return false;
    }
    length = strlen(info.dli_fname);
    return length >= sizeof(name) - 1
           && 0 == strcmp(info.dli_fname + length - (sizeof(name) - 1), name);
}

/* Whether an allocation that is asked for from this address fails. */
static bool fails(const void *caller)
{
    if (0 == failing || !is_plugin(caller) || ++counted != failing) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

char *strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

    return NULL == copy ? NULL : memcpy(copy, text, size);
}

void no_memory_at(long which)
{
    counted = 0;
    failing = which;
}

long no_memory_counted(void)
{
    return counted;
}

__attribute__((constructor)) static void read_environment(void)
{
    const char *asked = getenv("NAPCOLL_NO_MEMORY"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    long which, of;

    if (NULL != asked && NULL != rank && 2 == sscanf(asked, "%ld:%ld", &of, &which)
        && of == strtol(rank, NULL, 10)) {
        no_memory_at(which);
    }
}
