/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The three functions that MPI has for each collective: blocking, nonblocking and persistent, which
 * before 5.0 is an extension of Open MPI's.
 */
#ifndef TEST_MODES_H
#define TEST_MODES_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../../ompi/mca/coll/napcoll/compat/napcoll_compat_persistent.h"

enum mode { BLOCKING, NONBLOCKING, PERSISTENT, MODES };

/* Those that this library has. */
enum { NUM_MODES = NAPCOLL_HAVE_PERSISTENT ? MODES : PERSISTENT };

/* What MPI returns for a call in one of these ways; the arguments end with the communicator.
 * *request is set unless the call is blocking; a persistent one is only initialized. */
#define MAKE(mode, request, Upper, lower, ...)     \
    (BLOCKING == (mode) ? MPI_##Upper(__VA_ARGS__) \
                        : MAKE_REQUEST(mode, request, Upper, lower, __VA_ARGS__))

#define MAKE_REQUEST(mode, request, Upper, lower, ...) \
    (NONBLOCKING == (mode)                             \
         ? MPI_I##lower(__VA_ARGS__, (request))        \
         : NAPCOLL_PERSISTENT_INIT(Upper, __VA_ARGS__, MPI_INFO_NULL, (request)))

static inline const char *mode_name(enum mode mode)
{
    static const char *const name[MODES] = {"blocking", "nonblocking", "persistent"};

    return name[mode];
}

/* MODES for a name that none has. */
static inline enum mode mode_named(const char *name)
{
    int mode = BLOCKING;

    while (mode < MODES && 0 != strcmp(name, mode_name((enum mode) mode))) {
        ++mode;
    }
    return (enum mode) mode;
}

/* The name that napcoll's counters have for a collective's function: allreduce, iallreduce,
 * allreduce_init. */
enum { FUNCTION_NAME = 64 };

static inline const char *function_name(const char *coll, enum mode mode, char name[FUNCTION_NAME])
{
    snprintf(name, FUNCTION_NAME, "%s%s%s", NONBLOCKING == mode ? "i" : "", coll,
             PERSISTENT == mode ? "_init" : "");
    return name;
}

#endif
