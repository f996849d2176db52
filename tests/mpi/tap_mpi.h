/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the MPI test programs share: TAP lines (https://testanything.org) from rank 0 for checks
 * that hold only if they hold on every rank. The ranks agree over a duplicate of the world that
 * Open MPI's basic component serves, so that a broken component cannot hide its own failure.
 */
#ifndef TAP_MPI_H
#define TAP_MPI_H

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ompi/tools/napcoll/measure/napcoll_counters.h"

enum { TAP_TEXT = 256, TAP_NOTES_MAX = 5 };

struct tap {
    /* For the checks themselves */
    MPI_Comm comm;
    /* In the world */
    int rank, size;
    /* So far, alike on all ranks */
    int num, failed;
    /* Printed on this rank for the present check */
    int notes;
};

static inline void mpi_check(int rc, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;

    if (MPI_SUCCESS == rc) {
        return;
    }
    (void) MPI_Error_string(rc, text, &length);
    fprintf(stderr, "# %s failed: %s\n", call, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline void *tap_alloc(size_t bytes)
{
    void *room = calloc(1, bytes > 0 ? bytes : 1);

    if (NULL == room) {
        fprintf(stderr, "# no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return room;
}

/* A duplicate of comm that prefers one component, and optionally one more info key. */
static inline MPI_Comm tap_dup(MPI_Comm comm, const char *preference, const char *key,
                               const char *value)
{
    MPI_Info info;
    MPI_Comm copy;

    mpi_check(MPI_Info_create(&info), "MPI_Info_create");
    mpi_check(MPI_Info_set(info, "ompi_comm_coll_preference", preference), "MPI_Info_set");
    if (NULL != key) {
        mpi_check(MPI_Info_set(info, key, value), "MPI_Info_set");
    }
    mpi_check(MPI_Comm_dup_with_info(comm, info, &copy), "MPI_Comm_dup_with_info");
    mpi_check(MPI_Info_free(&info), "MPI_Info_free");
    return copy;
}

static inline void tap_open(struct tap *tap)
{
    memset(tap, 0, sizeof(*tap));
    mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &tap->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(MPI_COMM_WORLD, &tap->size), "MPI_Comm_size");
    /* For the suite to tell a job that hangs from one that its launcher never started. */
    if (0 == tap->rank) {
        printf("# started\n");
        fflush(stdout);
    }
    /* Its first initialisation opens all plugins of Open MPI: once in a program. */
    mpi_check(napcoll_counters_init(), "MPI_T_init_thread");
    tap->comm = tap_dup(MPI_COMM_WORLD, "basic,^napcoll", NULL, NULL);
}

/* A few words on what is wrong on this rank, before the check that will fail. */
static inline void tap_note(struct tap *tap, const char *format, ...)
{
    char text[TAP_TEXT];
    va_list args;

    if (tap->notes++ >= TAP_NOTES_MAX) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(stderr, "# rank %d: %s\n", tap->rank, text);
}

static inline void tap_line(struct tap *tap, bool good, const char *format, va_list args)
{
    char text[TAP_TEXT];

    vsnprintf(text, sizeof(text), format, args);
    ++tap->num;
    tap->failed += !good;
    tap->notes = 0;
    if (0 == tap->rank) {
        printf("%s %d - %s\n", good ? "ok" : "not ok", tap->num, text);
        fflush(stdout);
    }
}

/* One check, collective over the world: it holds if it holds on every rank. */
static inline bool tap_ok(struct tap *tap, bool good, const char *format, ...)
{
    int mine = good, all = 0;
    va_list args;

    mpi_check(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, tap->comm), "MPI_Allreduce");
    va_start(args, format);
    tap_line(tap, 1 == all, format, args);
    va_end(args);
    return 1 == all;
}

/* Says that a check cannot be made here, alike on all ranks. */
static inline void tap_skip(struct tap *tap, const char *name, const char *why)
{
    ++tap->num;
    if (0 == tap->rank) {
        printf("ok %d - %s # SKIP %s\n", tap->num, name, why);
        fflush(stdout);
    }
}

/* Prints the plan; returns the exit status. MPI_Finalize is the caller's. */
static inline int tap_close(struct tap *tap)
{
    if (0 == tap->rank) {
        printf("1..%d\n", tap->num);
        fflush(stdout);
    }
    mpi_check(MPI_Comm_free(&tap->comm), "MPI_Comm_free");
    mpi_check(MPI_T_finalize(), "MPI_T_finalize");
    return 0 == tap->failed ? 0 : 1;
}

/* The value of an option --name VALUE or --name=VALUE; the fallback if it is not given. */
static inline const char *tap_option(int argc, char **argv, const char *name, const char *fallback)
{
    size_t length = strlen(name);

    for (int i = 1; i < argc; ++i) {
        if (0 == strcmp(argv[i], name) && i + 1 < argc) {
            return argv[i + 1];
        }
        if (0 == strncmp(argv[i], name, length) && '=' == argv[i][length]) {
            return argv[i] + length + 1;
        }
    }
    return fallback;
}

/* As tap_option for a whole number above 0; prints what is wrong and ends the job otherwise. */
static inline long long tap_option_number(int argc, char **argv, const char *name,
                                          long long fallback)
{
    const char *text = tap_option(argc, argv, name, NULL);
    char *end;
    long long number;

    if (NULL == text) {
        return fallback;
    }
    number = strtoll(text, &end, 10);
    if (end == text || '\0' != *end || number < 1) {
        fprintf(stderr, "# %s %s: expected a whole number above 0\n", name, text);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return number;
}

#endif
