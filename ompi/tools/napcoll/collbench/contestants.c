/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The contestants: one duplicate of the world each, on which an info key asks Open MPI to prefer
 * one component. That is a preference only: the component's parameters in the MPI tool interface
 * say whether it is loaded, napcoll's counters what napcoll did, and supplier.c which component
 * serves the communicator.
 */

#include <stdarg.h>

#include "bench.h"

enum { MOST_COMPONENTS = 64 };

static void append(char text[BENCH_TEXT], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    (void) vsnprintf(text + used, BENCH_TEXT - used, format, arguments);
    va_end(arguments);
}

/* The components of Open MPI that are loaded: each has a parameter coll_NAME_priority. */
typedef struct {
    char text[MOST_COMPONENTS][BENCH_NAME];
    const char *name[MOST_COMPONENTS + 1];
} components_t;

static void list_components(components_t *list)
{
    int variables, count = 0;

    napcoll_check(MPI_T_cvar_get_num(&variables), "MPI_T_cvar_get_num");
    for (int i = 0; i < variables && count < MOST_COMPONENTS; i++) {
        int verbosity, bind, scope, text_length = 0, length = BENCH_NAME;
        char name[BENCH_NAME], *end;
        MPI_Datatype type;
        MPI_T_enum values;

        if (MPI_SUCCESS
                != MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &values, NULL,
                                       &text_length, &bind, &scope)
            || 0 != strncmp(name, "coll_", strlen("coll_"))
            || NULL == (end = strstr(name, "_priority")) || '\0' != end[strlen("_priority")]) {
            continue;
        }
        (void) snprintf(list->text[count], BENCH_NAME, "%.*s",
                        (int) (end - name) - (int) strlen("coll_"), name + strlen("coll_"));
        list->name[count] = list->text[count];
        count++;
    }
    list->name[count] = NULL;
}

static bool component_usable(const char *component, char message[BENCH_TEXT])
{
    components_t list;
    const napcoll_names_t names = {.at = napcoll_name_in_array, .context = list.name};
    int priority;

    if (!napcoll_measure_has(component, &priority)) {
        list_components(&list);
        append(message, "--contestants: component %s is not loaded; ", component);
        napcoll_name_expected(message + strlen(message), BENCH_TEXT / 2, &names, component,
                              strlen(component));
        append(message, ", or another one that mpirun gets by --mca coll");
        return false;
    }
    if (priority < 0) {
        snprintf(message, BENCH_TEXT,
                 "--contestants: component %s is switched off by its priority; set --mca "
                 "coll_%s_priority to 0 or more",
                 component, component);
        return false;
    }
    return true;
}

/* What napcoll can be told to do: in any case, and the algorithms that it counts. */
static const char *const always[] = {"auto", "fallback"};

enum { ALWAYS = sizeof(always) / sizeof(*always) };

static const char *action_name_at(const void *context, int i)
{
    const struct napcoll_counters *counters = context;

    if (i < ALWAYS) {
        return always[i];
    }
    return i - ALWAYS < counters->num_runs ? counters->name[i - ALWAYS] : NULL;
}

/* Whether napcoll has the algorithm that an action begins with; napcoll reads the rest. */
static bool algorithm_known(const struct bench *b, const char *action, char message[BENCH_TEXT])
{
    /* the algorithms are the same for all kinds of calls */
    const napcoll_names_t names = {.at = action_name_at,
                                   .context = &b->measure.counters[NAPCOLL_KIND_BLOCKING]};
    /* what "fallback" was called before; read, but not offered */
    static const char earlier[] = "previous";
    const size_t length = strcspn(action, " ");

    if (0 == length || napcoll_name_find(&names, action, length) >= 0
        || (strlen(earlier) == length && 0 == strncmp(action, earlier, length))) {
        return true;
    }
    append(message, "--contestants: napcoll has no algorithm %.*s for %s; ", (int) length, action,
           b->opt.coll->name);
    napcoll_name_expected(message + strlen(message), BENCH_TEXT - strlen(message), &names, action,
                          length);
    return false;
}

/* Components set a communicator up in its first blocking calls, as napcoll does with node memory:
 * in an application, nonblocking and persistent calls come after them. */
static void settle(MPI_Comm comm)
{
    enum { CALLS = 8 };

    for (int i = 0; i < CALLS; i++) {
        napcoll_check(MPI_Barrier(comm), "MPI_Barrier");
    }
}

static bool contestant_open(struct bench *b, struct contestant *c, const char *label,
                            char message[BENCH_TEXT])
{
    const char *coll = b->opt.coll->name, *colon = strchr(label, ':');
    char preference[BENCH_NAME + 16], function[NAPCOLL_FUNCTION_NAME];
    size_t length;
    const int kind = kind_of(label, &length);

    c->label = label;
    c->kind = NAPCOLL_KINDS == kind ? NAPCOLL_KIND_BLOCKING : (napcoll_kind_t) kind;
    snprintf(c->component, sizeof(c->component), "%.*s", (int) strcspn(label, ":@"), label);
    snprintf(c->action, sizeof(c->action), "%.*s",
             NULL == colon ? 0 : (int) (label + length - colon - 1),
             NULL == colon ? "" : colon + 1);
    c->napcoll = 0 == strcmp(c->component, "napcoll");
    if (!component_usable(c->component, message)) {
        return false;
    }
    if (NULL != colon && !c->napcoll) {
        snprintf(message, BENCH_TEXT,
                 "--contestants: %s: only napcoll takes an algorithm per communicator; choose "
                 "%s's by its own parameters",
                 label, c->component);
        return false;
    }
    if (c->napcoll && !algorithm_known(b, c->action, message)) {
        return false;
    }
    /* where another component declines, napcoll must not take its place */
    snprintf(preference, sizeof(preference), "%s%s", c->component, c->napcoll ? "" : ",^napcoll");
    c->comm = napcoll_measure_dup(b->opt.coll->neighbor ? &b->graph : NULL, preference, coll,
                                  c->action);
    settle(c->comm);
    napcoll_function_name(napcoll_collective_find(coll), c->kind, function);
    c->supplier = supplier_of(c->comm, function);
    return true;
}

/* Make the graph of a neighbourhood collective. */
static bool graph_open(struct bench *b, char message[BENCH_TEXT])
{
    char what[NAPCOLL_MESSAGE] = "";

    if (!b->opt.coll->neighbor) {
        return true;
    }
    if (!napcoll_measure_graph(&b->opt.graph, &b->measure, &b->graph, what)) {
        append(message, "--graph %s", what);
        return false;
    }
    layout_graph(b);
    return true;
}

static void graph_close(struct bench *b)
{
    napcoll_measure_t *m = &b->measure;

    if (b->layout.graph) {
        napcoll_blocks_close(&m->blocks);
        napcoll_blocks_open(&m->blocks, m->rank, m->size, NULL);
        b->layout.graph = false;
    }
    napcoll_edge_lists_free(&b->graph);
}

bool contestants_open(struct bench *b, char message[BENCH_TEXT])
{
    for (int kind = 0; kind < NAPCOLL_KINDS; kind++) {
        char function[NAPCOLL_FUNCTION_NAME];

        napcoll_function_name(napcoll_collective_find(b->opt.coll->name), (napcoll_kind_t) kind,
                              function);
        napcoll_check(napcoll_counters_open(&b->measure.counters[kind], function),
                      "MPI_T_init_thread");
    }
    for (int i = 0; i < b->opt.num_contestants; i++) {
        b->contestant[i].comm = MPI_COMM_NULL;
    }
    if (!graph_open(b, message)) {
        return false;
    }
    for (int i = 0; i < b->opt.num_contestants; i++) {
        if (!contestant_open(b, &b->contestant[i], b->opt.contestant[i], message)) {
            return false;
        }
    }
    return true;
}

void contestants_close(struct bench *b)
{
    for (int i = 0; i < b->opt.num_contestants; i++) {
        if (MPI_COMM_NULL != b->contestant[i].comm) {
            napcoll_check(MPI_Comm_free(&b->contestant[i].comm), "MPI_Comm_free");
        }
    }
    for (int kind = 0; kind < NAPCOLL_KINDS; kind++) {
        napcoll_check(napcoll_counters_close(&b->measure.counters[kind]), "MPI_T_finalize");
    }
    graph_close(b);
}

/* The counted algorithms and reasons, with their shares of the calls where there are several. */
static void describe(const struct napcoll_counters *counters, unsigned long long calls,
                     const unsigned long long *counts, char text[BENCH_TEXT])
{
    text[0] = '\0';
    for (int i = 0; i < counters->num; i++) {
        if (0 == counts[i]) {
            continue;
        }
        append(text, "%s", '\0' == text[0] ? "" : ", ");
        append(text, "%s%s", i < counters->num_runs ? "" : "fallback: ", counters->name[i]);
        if (counts[i] != calls) {
            append(text, " (%llu of %llu)", counts[i], calls);
        }
    }
}

/* Which component ran, where that is not napcoll. `inside`: what napcoll did meanwhile, on the
 * component's own subcommunicators. */
static void name_supplier(const struct contestant *c, const char *inside, char text[BENCH_TEXT])
{
    text[0] = '\0';
    append(text, "%s", '\0' == c->supplier[0] ? "unknown" : c->supplier);
    if ('\0' != c->supplier[0] && 0 != strcmp(c->supplier, c->component)) {
        append(text, " (not %s)", c->component);
    }
    if ('\0' != inside[0]) {
        append(text, "; napcoll inside: %s", inside);
    }
}

void contestants_ran(struct bench *b, const struct contestant *c,
                     const napcoll_contestant_t *contestant, char text[BENCH_TEXT])
{
    const MPI_Datatype type = MPI_UNSIGNED_LONG_LONG;
    const struct napcoll_counters *counters = &b->measure.counters[c->kind];
    const int num = counters->num;
    unsigned long long low[NAPCOLL_COUNTERS_MAX] = {0}, high[NAPCOLL_COUNTERS_MAX] = {0};
    unsigned long long range[2] = {(unsigned long long) num, ~(unsigned long long) num};
    unsigned long long extremes[2];
    char counted[BENCH_TEXT];

    /* processes with different counters would make the reductions below unequal */
    napcoll_check(MPI_Allreduce(range, extremes, 2, type, MPI_MAX, b->measure.helper),
                  "MPI_Allreduce");
    if (extremes[0] != ~extremes[1]) {
        snprintf(text, BENCH_TEXT, "ranks count differently: not the same napcoll everywhere");
        return;
    }
    napcoll_check(MPI_Reduce(contestant->ran, low, num, type, MPI_MIN, 0, b->measure.helper),
                  "MPI_Reduce");
    napcoll_check(MPI_Reduce(contestant->ran, high, num, type, MPI_MAX, 0, b->measure.helper),
                  "MPI_Reduce");
    describe(counters, contestant->calls, high, counted);
    if (!c->napcoll || ('\0' != c->supplier[0] && 0 != strcmp(c->supplier, c->component))) {
        name_supplier(c, counted, text);
        return;
    }
    snprintf(text, BENCH_TEXT, "%s", counted);
    if ('\0' == text[0]) {
        append(text, "%s", 0 == num ? "unknown: no counters" : "napcoll did not run");
    }
    if (0 != memcmp(low, high, sizeof(low))) {
        append(text, "; differs by rank");
    }
}
