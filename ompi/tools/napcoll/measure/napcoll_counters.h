/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * napcoll's counters, read through the MPI tool interface:
 *
 *     coll_napcoll_runs_FUNCTION_ALGORITHM    calls that ran ALGORITHM
 *     coll_napcoll_fallbacks_FUNCTION_REASON  calls that the fallback component ran, by reason
 *
 * FUNCTION is an MPI function in small letters: allreduce, iallreduce, allreduce_init.
 *
 * They count per process and over all communicators, so a caller takes differences. Header-only:
 * the tools and the MPI tests include it.
 */
#ifndef NAPCOLL_COUNTERS_H
#define NAPCOLL_COUNTERS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAPCOLL_COUNTER_NAME = 128, NAPCOLL_COUNTERS_MAX = 256 };

/* The counters of one function. Zeroed before napcoll_counters_open(). */
struct napcoll_counters {
    MPI_T_pvar_session session;
    /* counters found, may be 0; the first num_runs of them count runs */
    int num, num_runs;
    /* ALGORITHM or REASON only */
    char name[NAPCOLL_COUNTERS_MAX][NAPCOLL_COUNTER_NAME];
    MPI_T_pvar_handle handle[NAPCOLL_COUNTERS_MAX];
};

/* Whether the rest of a name, after "coll_napcoll_runs_" or "coll_napcoll_fallbacks_", begins with
 * this function, and not with one whose name begins with the same words. */
static inline int napcoll_counters_of(const char *rest, const char *coll)
{
    static const char *const longer[] = {"reduce_scatter_block", "reduce_scatter",
                                         "ireduce_scatter_block", "ireduce_scatter"};
    static const char init[] = "_init_";
    size_t length = strlen(coll);

    for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); ++i) {
        size_t more = strlen(longer[i]);

        if (more > length && 0 == strncmp(rest, longer[i], more) && '_' == rest[more]) {
            return 0;
        }
    }
    return 0 == strncmp(rest, coll, length) && '_' == rest[length]
           && 0 != strncmp(rest + length, init, strlen(init));
}

static inline int napcoll_counters_scan(struct napcoll_counters *c, const char *prefix,
                                        const char *coll)
{
    size_t length = strlen(prefix);
    int num_pvars, rc;

    rc = MPI_T_pvar_get_num(&num_pvars);
    for (int i = 0; MPI_SUCCESS == rc && i < num_pvars; ++i) {
        char name[NAPCOLL_COUNTER_NAME + 64], text[8];
        int name_len = (int) sizeof(name), text_len = (int) sizeof(text);
        int verbosity, class, bind, readonly, continuous, atomic, elements;
        MPI_Datatype type;
        MPI_T_enum values;

        if (MPI_SUCCESS
            != MPI_T_pvar_get_info(i, name, &name_len, &verbosity, &class, &type, &values, text,
                                   &text_len, &bind, &readonly, &continuous, &atomic)) {
            /* of a component that is not loaded any more */
            continue;
        }
        if (0 != strncmp(name, prefix, length) || !napcoll_counters_of(name + length, coll)
            || MPI_UNSIGNED_LONG_LONG != type || MPI_T_BIND_NO_OBJECT != bind
            || c->num >= NAPCOLL_COUNTERS_MAX) {
            continue;
        }
        rc = MPI_T_pvar_handle_alloc(c->session, i, NULL, &c->handle[c->num], &elements);
        if (MPI_SUCCESS == rc && !continuous) {
            rc = MPI_T_pvar_start(c->session, c->handle[c->num]);
        }
        snprintf(c->name[c->num], sizeof(c->name[0]), "%.*s", NAPCOLL_COUNTER_NAME - 1,
                 name + length + strlen(coll) + 1);
        ++c->num;
    }
    return rc;
}

/* Initialises the tool interface at the thread level that MPI has: Open MPI before 6.0 takes the
 * level given here for the whole process, and may then send without locks. */
static inline int napcoll_counters_init(void)
{
    int level = MPI_THREAD_SINGLE, ready, provided, rc;

    rc = MPI_Initialized(&ready);
    if (MPI_SUCCESS == rc && ready) {
        rc = MPI_Query_thread(&level);
    }
    return MPI_SUCCESS == rc ? MPI_T_init_thread(level, &provided) : rc;
}

/**
 * Finds the counters of one function and opens them for reading. Call after MPI_Init; the tool
 * interface is initialised here.
 * @param c     zeroed; the caller's until napcoll_counters_close()
 * @param coll  the function's name, e.g. "iallreduce"
 * @return MPI_SUCCESS, also where there are no counters because napcoll is not loaded
 */
static inline int napcoll_counters_open(struct napcoll_counters *c, const char *coll)
{
    int rc;

    rc = napcoll_counters_init();
    if (MPI_SUCCESS == rc) {
        rc = MPI_T_pvar_session_create(&c->session);
    }
    if (MPI_SUCCESS == rc) {
        rc = napcoll_counters_scan(c, "coll_napcoll_runs_", coll);
        c->num_runs = c->num;
    }
    if (MPI_SUCCESS == rc) {
        rc = napcoll_counters_scan(c, "coll_napcoll_fallbacks_", coll);
    }
    return rc;
}

/**
 * Reads every counter.
 * @param values  c->num numbers are written
 * @return MPI_SUCCESS or the tool interface's error
 */
static inline int napcoll_counters_read(struct napcoll_counters *c, unsigned long long *values)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; MPI_SUCCESS == rc && i < c->num; ++i) {
        rc = MPI_T_pvar_read(c->session, c->handle[i], &values[i]);
    }
    return rc;
}

/* Index of the run counter of an algorithm, or of the fallback counter of a reason; -1 if none. */
static inline int napcoll_counters_find(const struct napcoll_counters *c, int fallback,
                                        const char *name)
{
    int first = fallback ? c->num_runs : 0;
    int end = fallback ? c->num : c->num_runs;

    for (int i = first; i < end; ++i) {
        if (0 == strcmp(c->name[i], name)) {
            return i;
        }
    }
    return -1;
}

static inline int napcoll_counters_close(struct napcoll_counters *c)
{
    int rc = MPI_SUCCESS, rc2;

    for (int i = 0; i < c->num; ++i) {
        rc2 = MPI_T_pvar_handle_free(c->session, &c->handle[i]);
        rc = MPI_SUCCESS == rc ? rc2 : rc;
    }
    c->num = c->num_runs = 0;
    rc2 = MPI_T_pvar_session_free(&c->session);
    rc = MPI_SUCCESS == rc ? rc2 : rc;
    rc2 = MPI_T_finalize();
    return MPI_SUCCESS == rc ? rc2 : rc;
}

#endif
