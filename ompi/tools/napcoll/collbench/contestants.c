/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The contestants: one duplicate of the world each, on which Open MPI is asked by info key to
 * prefer one component. That is a preference only: whether the component is loaded is seen from
 * its parameters in the MPI tool interface, what napcoll did from its counters, and who serves the
 * communicator from supplier.c.
 */
#include "bench.h"

static void append(char text[BENCH_TEXT], const char *more)
{
    size_t used = strlen(text);

    snprintf(text + used, BENCH_TEXT - used, "%s", more);
}

/* Every component of the framework has a priority parameter as long as it is loaded. */
static bool component_loaded(const char *component, int *priority)
{
    char name[BENCH_NAME + 16];
    MPI_T_cvar_handle handle;
    int index, elements;

    *priority = 0;
    snprintf(name, sizeof(name), "coll_%s_priority", component);
    if (MPI_SUCCESS != MPI_T_cvar_get_index(name, &index)) {
        return false;
    }
    check(MPI_T_cvar_handle_alloc(index, NULL, &handle, &elements), "MPI_T_cvar_handle_alloc");
    check(MPI_T_cvar_read(handle, priority), "MPI_T_cvar_read");
    check(MPI_T_cvar_handle_free(&handle), "MPI_T_cvar_handle_free");
    return true;
}

static bool component_usable(const char *component, char message[BENCH_TEXT])
{
    int priority;

    if (!component_loaded(component, &priority)) {
        snprintf(message, BENCH_TEXT,
                 "--contestants: component %s is not loaded; add it to the "
                 "list that mpirun gets by --mca coll (or is there no such component?)",
                 component);
        return false;
    }
    if (priority < 0) {
        snprintf(message, BENCH_TEXT,
                 "--contestants: component %s is switched off by its "
                 "priority; set --mca coll_%s_priority to 0 or more",
                 component, component);
        return false;
    }
    return true;
}

/* Whether napcoll has the algorithm that words name, of which the first is its name; napcoll itself reads the others. */
static bool algorithm_known(const struct bench *b, const char *words, char message[BENCH_TEXT])
{
    const struct napcoll_counters *counters = &b->counters;
    char algorithm[BENCH_NAME];

    snprintf(algorithm, sizeof(algorithm), "%.*s", (int) strcspn(words, " "), words);
    if (0 == strcmp(algorithm, "") || 0 == strcmp(algorithm, "auto")
        || 0 == strcmp(algorithm, "fallback") || 0 == strcmp(algorithm, "previous")
        || napcoll_counters_find(counters, 0, algorithm) >= 0) {
        return true;
    }
    if (0 == counters->num_runs) {
        snprintf(message, BENCH_TEXT,
                 "--contestants: napcoll has no algorithm %s for %s, nor any other; name it "
                 "without one",
                 algorithm, b->opt.coll->name);
        return false;
    }
    snprintf(message, BENCH_TEXT,
             "--contestants: napcoll has no algorithm %s for %s; it has: auto, fallback", algorithm,
             b->opt.coll->name);
    for (int i = 0; i < counters->num_runs; ++i) {
        append(message, ", ");
        append(message, counters->name[i]);
    }
    return false;
}

/* napcoll_COLL_algorithm; without the last word where that would be longer than MPI allows. */
static void algorithm_key(const char *coll, char key[BENCH_NAME])
{
    int length = snprintf(key, BENCH_NAME, "napcoll_%s_algorithm", coll);

    if (length >= MPI_MAX_INFO_KEY) {
        snprintf(key, BENCH_NAME, "napcoll_%s", coll);
    }
}

MPI_Comm contestants_dup(const char *preference, const char *coll, const char *algorithm)
{
    char key[BENCH_NAME];
    MPI_Info info;
    MPI_Comm comm;

    check(MPI_Info_create(&info), "MPI_Info_create");
    check(MPI_Info_set(info, "ompi_comm_coll_preference", preference), "MPI_Info_set");
    if ('\0' != algorithm[0]) {
        algorithm_key(coll, key);
        check(MPI_Info_set(info, key, algorithm), "MPI_Info_set");
    }
    check(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), "MPI_Comm_dup_with_info");
    check(MPI_Info_free(&info), "MPI_Info_free");
    return comm;
}

static bool contestant_open(struct bench *b, struct contestant *c, const char *label,
                            char message[BENCH_TEXT])
{
    const char *coll = b->opt.coll->name;
    char preference[BENCH_NAME + 16], *component = c->component;
    char *colon;

    snprintf(component, sizeof(c->component), "%s", label);
    colon = strchr(component, ':');
    c->comm = MPI_COMM_NULL;
    c->label = label;
    c->algorithm[0] = '\0';
    if (NULL != colon) {
        *colon = '\0';
        snprintf(c->algorithm, sizeof(c->algorithm), "%s", colon + 1);
    }
    c->napcoll = 0 == strcmp(component, "napcoll");
    if (!component_usable(component, message)) {
        return false;
    }
    if (NULL != colon && !c->napcoll) {
        snprintf(message, BENCH_TEXT,
                 "--contestants: %s: only napcoll takes an algorithm per "
                 "communicator; choose %s's by its own parameters",
                 label, component);
        return false;
    }
    if (c->napcoll && !algorithm_known(b, c->algorithm, message)) {
        return false;
    }
    if (c->napcoll) {
        snprintf(preference, sizeof(preference), "napcoll");
    } else {
        /* where the component declines, what comes next must not be napcoll */
        snprintf(preference, sizeof(preference), "%s,^napcoll", component);
    }
    c->comm = contestants_dup(preference, coll, c->algorithm);
    c->supplier = supplier_of(c->comm, coll);
    return true;
}

bool contestants_open(struct bench *b, char message[BENCH_TEXT])
{
    memset(&b->counters, 0, sizeof(b->counters));
    check(napcoll_counters_open(&b->counters, b->opt.coll->name), "MPI_T_init_thread");
    b->helper = contestants_dup("tuned,^napcoll", "", "");
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        b->contestant[i].comm = MPI_COMM_NULL;
    }
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        if (!contestant_open(b, &b->contestant[i], b->opt.contestant[i], message)) {
            return false;
        }
    }
    return true;
}

void contestants_close(struct bench *b)
{
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        if (MPI_COMM_NULL != b->contestant[i].comm) {
            check(MPI_Comm_free(&b->contestant[i].comm), "MPI_Comm_free");
        }
    }
    check(MPI_Comm_free(&b->helper), "MPI_Comm_free");
    check(napcoll_counters_close(&b->counters), "MPI_T_finalize");
}

/* The counted algorithms and reasons with their shares of the calls where there are several. */
static void describe(const struct bench *b, unsigned long long calls,
                     const unsigned long long *counts, char text[BENCH_TEXT])
{
    bool first = true;

    text[0] = '\0';
    for (int i = 0; i < b->counters.num; ++i) {
        char part[NAPCOLL_COUNTER_NAME + 64], times[32] = "";

        if (0 == counts[i]) {
            continue;
        }
        if (counts[i] != calls) {
            snprintf(times, sizeof(times), " (%llu of %llu)", counts[i], calls);
        }
        snprintf(part, sizeof(part), "%s%s%s%s", first ? "" : ", ",
                 i < b->counters.num_runs ? "" : "fallback: ", b->counters.name[i], times);
        append(text, part);
        first = false;
    }
}

/* Who ran, where that is not napcoll. `text` says what napcoll did meanwhile: another component's
 * subcommunicators may hold it. */
static void name_supplier(const struct contestant *c, char text[BENCH_TEXT])
{
    char inside[BENCH_TEXT];

    memcpy(inside, text, BENCH_TEXT);
    text[0] = '\0';
    append(text, '\0' == c->supplier[0] ? "unknown" : c->supplier);
    if ('\0' != c->supplier[0] && 0 != strcmp(c->supplier, c->component)) {
        append(text, " (not ");
        append(text, c->component);
        append(text, ")");
    }
    if ('\0' != inside[0]) {
        append(text, "; napcoll inside: ");
        append(text, inside);
    }
}

void contestants_ran(struct bench *b, const struct contestant *c, const struct stats *stats,
                     char text[BENCH_TEXT])
{
    unsigned long long low[NAPCOLL_COUNTERS_MAX] = {0}, high[NAPCOLL_COUNTERS_MAX] = {0};
    unsigned long long range[2], extremes[2];
    bool alike = true;

    /* one more process without counters would make the reductions below unequal */
    range[0] = (unsigned long long) b->counters.num;
    range[1] = ~range[0];
    check(MPI_Allreduce(range, extremes, 2, MPI_UNSIGNED_LONG_LONG, MPI_MAX, b->helper),
          "MPI_Allreduce");
    if (extremes[0] != ~extremes[1]) {
        snprintf(text, BENCH_TEXT, "ranks count differently: not the same napcoll everywhere");
        return;
    }
    check(
        MPI_Reduce(stats->ran, low, b->counters.num, MPI_UNSIGNED_LONG_LONG, MPI_MIN, 0, b->helper),
        "MPI_Reduce");
    check(MPI_Reduce(stats->ran, high, b->counters.num, MPI_UNSIGNED_LONG_LONG, MPI_MAX, 0,
                     b->helper),
          "MPI_Reduce");
    for (int i = 0; i < b->counters.num; ++i) {
        alike = alike && low[i] == high[i];
    }
    describe(b, stats->calls, high, text);
    if (c->napcoll && ('\0' == c->supplier[0] || 0 == strcmp(c->supplier, c->component))) {
        if ('\0' == text[0]) {
            append(text, 0 == b->counters.num ? "unknown: no counters" : "napcoll did not run");
        }
        if (!alike) {
            append(text, "; differs by rank");
        }
    } else {
        name_supplier(c, text);
    }
}
