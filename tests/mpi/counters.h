/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a test expects napcoll to have done, asserted on its counters, so that no test compares
 * another component with itself unknowingly. In words, as on the test programs' command lines:
 *
 *     runs:ALGORITHM     ALGORITHM ran at least once, no other did, and nothing fell back
 *     runs               some algorithm of napcoll's ran, and nothing fell back
 *     fallback:REASON    something fell back for REASON, for nothing else, and no algorithm ran
 *     fallback           something fell back, and no algorithm ran
 *     runs_or:REASON     some algorithm ran, or something fell back for REASON alone
 *     none               napcoll did not see the operation
 *     any                nothing is asserted
 */
#ifndef TEST_COUNTERS_H
#define TEST_COUNTERS_H

#include "tap_mpi.h"

struct expectation {
    struct napcoll_counters *counters;
    unsigned long long before[NAPCOLL_COUNTERS_MAX];
};

static inline void expect_begin(struct expectation *e, struct napcoll_counters *counters)
{
    e->counters = counters;
    mpi_check(napcoll_counters_read(counters, e->before), "MPI_T_pvar_read");
}

/* Whether the words describe what was counted since expect_begin(); a note says what was. */
static inline bool expect_met(struct tap *tap, struct expectation *e, const char *words)
{
    const struct napcoll_counters *c = e->counters;
    unsigned long long now[NAPCOLL_COUNTERS_MAX], total = 0;
    const char *name = strchr(words, ':');
    bool either = 0 == strncmp(words, "runs_or:", strlen("runs_or:"));
    bool fallback = either || 0 == strncmp(words, "fallback", strlen("fallback"));
    bool none = 0 == strcmp(words, "none"), met = true;
    char seen[TAP_TEXT] = "";

    mpi_check(napcoll_counters_read(e->counters, now), "MPI_T_pvar_read");
    if (0 == strcmp(words, "any")) {
        return true;
    }
    for (int i = 0; i < c->num; ++i) {
        unsigned long long more = now[i] - e->before[i];
        bool kind = fallback == (i >= c->num_runs);

        if (more > 0) {
            size_t used = strlen(seen);

            snprintf(seen + used, sizeof(seen) - used, " %s:%s %llu times",
                     i < c->num_runs ? "runs" : "fallback", c->name[i], more);
            total += more;
            met = met
                  && ((either && i < c->num_runs)
                      || (kind && (NULL == name || 0 == strcmp(name + 1, c->name[i]))));
        }
    }
    met = none ? 0 == total : met && total > 0;
    if (!met) {
        if (0 == total) {
            snprintf(seen, sizeof(seen), " nothing: napcoll %s",
                     0 == c->num ? "is not loaded or has no counters"
                                 : "did not see the operation");
        }
        tap_note(tap, "expected %s, counted%s", words, seen);
    }
    return met;
}

/* Whether the i-th counter is of an algorithm of the table: `file` counts plans of files. */
static inline bool counts_algorithm(const struct napcoll_counters *c, int i)
{
    return i < c->num_runs && 0 != strcmp("file", c->name[i]);
}

/* The calls that the first `num` counters have counted. */
static inline unsigned long long counted_by_first(struct napcoll_counters *c, int num)
{
    unsigned long long now[NAPCOLL_COUNTERS_MAX], total = 0;

    mpi_check(napcoll_counters_read(c, now), "MPI_T_pvar_read");
    for (int i = 0; i < num; ++i) {
        total += now[i];
    }
    return total;
}

/* All calls that counters know of. */
static inline unsigned long long counted(struct napcoll_counters *c)
{
    return counted_by_first(c, c->num);
}

/* The calls that napcoll's algorithms ran. */
static inline unsigned long long counted_runs(struct napcoll_counters *c)
{
    return counted_by_first(c, c->num_runs);
}

/* The calls that were counted as `name`: an algorithm, or a reason. */
static inline unsigned long long counted_as(struct napcoll_counters *c, const char *name)
{
    unsigned long long now[NAPCOLL_COUNTERS_MAX], total = 0;

    mpi_check(napcoll_counters_read(c, now), "MPI_T_pvar_read");
    for (int i = 0; i < c->num; ++i) {
        total += 0 == strcmp(name, c->name[i]) ? now[i] : 0;
    }
    return total;
}

/* Whether the words are of the forms above. */
static inline bool expect_valid(const char *words)
{
    return 0 == strcmp(words, "any") || 0 == strcmp(words, "none") || 0 == strcmp(words, "runs")
           || 0 == strcmp(words, "fallback") || 0 == strncmp(words, "runs:", strlen("runs:"))
           || 0 == strncmp(words, "fallback:", strlen("fallback:"))
           || 0 == strncmp(words, "runs_or:", strlen("runs_or:"));
}

#endif
