/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the applications compare (see the header).
 */
#include "contest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_robust.h"

void check(int rc, const char *call)
{
    napcoll_check(rc, call);
}

void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);

    if (NULL == memory) {
        fprintf(stderr, "%s: no memory for %zu times %zu bytes\n", napcoll_tool_name, count, bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* Every component has a priority as long as it is loaded; a negative one switches it off. */
static bool component_is_there(const char *variable)
{
    MPI_T_cvar_handle handle;
    int index, elements, priority = -1, mine, all;

    if (MPI_SUCCESS == MPI_T_cvar_get_index(variable, &index)) {
        check(MPI_T_cvar_handle_alloc(index, NULL, &handle, &elements), "MPI_T_cvar_handle_alloc");
        check(MPI_T_cvar_read(handle, &priority), "MPI_T_cvar_read");
        check(MPI_T_cvar_handle_free(&handle), "MPI_T_cvar_handle_free");
    }
    mine = priority >= 0;
    check(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    return 1 == all;
}

/* Finds what napcoll counts of the collective: coll_napcoll_runs_alltoall[v]_ALGORITHM. */
static void counters_open(struct contest *c)
{
    char prefix[64];
    int num;

    (void) snprintf(prefix, sizeof(prefix), "coll_napcoll_runs_%s", c->subject.collective);
    check(MPI_T_pvar_session_create(&c->session), "MPI_T_pvar_session_create");
    check(MPI_T_pvar_get_num(&num), "MPI_T_pvar_get_num");
    for (int i = 0; i < num && c->num_counters < COUNTERS_MAX; ++i) {
        char name[256], text[8];
        int name_length = (int) sizeof(name), text_length = (int) sizeof(text);
        int verbosity, class, bind, readonly, continuous, atomic, elements;
        MPI_T_pvar_handle *handle = &c->counter[c->num_counters];
        MPI_Datatype type;
        MPI_T_enum values;

        if (MPI_SUCCESS
                != MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class, &type, &values,
                                       text, &text_length, &bind, &readonly, &continuous, &atomic)
            || 0 != strncmp(name, prefix, strlen(prefix)) || MPI_UNSIGNED_LONG_LONG != type
            || MPI_T_BIND_NO_OBJECT != bind) {
            continue;
        }
        check(MPI_T_pvar_handle_alloc(c->session, i, NULL, handle, &elements),
              "MPI_T_pvar_handle_alloc");
        if (!continuous) {
            check(MPI_T_pvar_start(c->session, *handle), "MPI_T_pvar_start");
        }
        ++c->num_counters;
    }
}

/* How many of these calls napcoll has carried out on this process. */
static unsigned long long counters_read(struct contest *c)
{
    unsigned long long sum = 0, value;

    for (int i = 0; i < c->num_counters; ++i) {
        check(MPI_T_pvar_read(c->session, c->counter[i], &value), "MPI_T_pvar_read");
        sum += value;
    }
    return sum;
}

/* A duplicate that prefers a component; any MPI may ignore the key. */
static MPI_Comm duplicate(MPI_Comm comm, const char *preference)
{
    MPI_Comm copy;
    MPI_Info info;

    check(MPI_Info_create(&info), "MPI_Info_create");
    if (NULL != preference) {
        check(MPI_Info_set(info, "ompi_comm_coll_preference", preference), "MPI_Info_set");
    }
    check(MPI_Comm_dup_with_info(comm, info, &copy), "MPI_Comm_dup_with_info");
    check(MPI_Info_free(&info), "MPI_Info_free");
    return copy;
}

static void contestant_open(struct contest *c, MPI_Comm comm, const char *label,
                            const char *preference)
{
    struct contestant *one = &c->contestant[c->num++];

    one->label = label;
    one->comm = duplicate(comm, preference);
    one->exchange = room((size_t) c->turns, sizeof(double));
    one->whole = room((size_t) c->turns, sizeof(double));
}

void contest_open(struct contest *c, const struct subject *subject, MPI_Comm comm, int turns)
{
    char preference[64], priority[64];
    int level, provided;

    memset(c, 0, sizeof(*c));
    c->subject = *subject;
    c->turns = turns;
    /* The level is MPI's own: Open MPI before 6.0 takes a lower one for both. */
    check(MPI_Query_thread(&level), "MPI_Query_thread");
    check(MPI_T_init_thread(level, &provided), "MPI_T_init_thread");
    counters_open(c);
    (void) snprintf(priority, sizeof(priority), "coll_%s_priority", subject->peer);
    c->napcoll = component_is_there("coll_napcoll_priority");
    c->peer = component_is_there(priority);
    c->helper = duplicate(MPI_COMM_WORLD, "tuned,^napcoll");
    if (c->napcoll) {
        contestant_open(c, comm, "napcoll", "napcoll");
    }
    if (c->peer) {
        /* What comes next where the peer declines must not be napcoll. */
        (void) snprintf(preference, sizeof(preference), "%s,^napcoll", subject->peer);
        contestant_open(c, comm, subject->peer, preference);
    }
    if (0 == c->num) {
        contestant_open(c, comm, "this MPI", NULL);
    }
    c->before = counters_read(c);
}

void contest_close(struct contest *c)
{
    for (int i = 0; i < c->num; ++i) {
        check(MPI_Comm_free(&c->contestant[i].comm), "MPI_Comm_free");
        free(c->contestant[i].exchange);
        free(c->contestant[i].whole);
    }
    for (int i = 0; i < c->num_counters; ++i) {
        check(MPI_T_pvar_handle_free(c->session, &c->counter[i]), "MPI_T_pvar_handle_free");
    }
    check(MPI_Comm_free(&c->helper), "MPI_Comm_free");
    check(MPI_T_pvar_session_free(&c->session), "MPI_T_pvar_session_free");
    check(MPI_T_finalize(), "MPI_T_finalize");
}

void contest_took(struct contest *c, struct contestant *one, int turn, double exchange,
                  double whole, int asked)
{
    const double mine[2] = {exchange, whole};
    double slowest[2];

    check(MPI_Allreduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, c->helper), "MPI_Allreduce");
    if (turn > 0) {
        one->exchange[turn - 1] = slowest[0];
        one->whole[turn - 1] = slowest[1];
    }
    contest_asked(c, one, asked);
}

void contest_asked(struct contest *c, const struct contestant *one, int times)
{
    if (c->napcoll && one == &c->contestant[0]) {
        c->asked += (unsigned long long) times;
    }
}

void contest_report(struct contest *c)
{
    unsigned long long ran = counters_read(c) - c->before;
    double *ratio = room((size_t) c->turns, sizeof(double)), ratios[CONTESTANTS_MAX];

    /* Ratios compare the times of one turn, so they come before the sorting. */
    for (int i = 0; i < c->num; ++i) {
        for (int turn = 0; turn < c->turns; ++turn) {
            ratio[turn] = c->contestant[i].exchange[turn] / c->contestant[0].exchange[turn];
        }
        ratios[i] = napcoll_robust_median(ratio, (size_t) c->turns);
    }
    printf("%12s  %12s  %12s  %8s\n", "component", "exchange ms", "whole ms", "ratio");
    for (int i = 0; i < c->num; ++i) {
        printf("%12s  %12.3f  %12.3f  %8.3f\n", c->contestant[i].label,
               1.0e3 * napcoll_robust_median(c->contestant[i].exchange, (size_t) c->turns),
               1.0e3 * napcoll_robust_median(c->contestant[i].whole, (size_t) c->turns), ratios[i]);
    }
    free(ratio);
    if (!c->napcoll) {
        printf("napcoll is not there (does mpirun's --mca coll name it, and Open MPI find it?)\n");
    } else {
        printf("napcoll carried out %llu of the %llu %s that it was asked for%s\n", ran, c->asked,
               c->subject.calls, 0 == ran ? " (see --mca coll_napcoll_verbose 10)" : "");
    }
    if (!c->peer) {
        printf("%s is not there (does mpirun's --mca coll name it?)\n", c->subject.peer);
    }
}

/* One turn of one contestant; returns whether all results were right on all ranks. */
static bool take_turn(struct contest *c, struct contestant *one, int turn, contest_turn_t *take,
                      void *context)
{
    const struct taken taken = take(context, one, turn);
    long long wrong;
    int rank;

    contest_took(c, one, turn, taken.exchange, taken.whole, taken.asked);
    check(MPI_Allreduce(&taken.wrong, &wrong, 1, MPI_LONG_LONG, MPI_SUM, c->helper),
          "MPI_Allreduce");
    check(MPI_Comm_rank(c->helper, &rank), "MPI_Comm_rank");
    if (0 != wrong && 0 == rank) {
        fprintf(stderr, "%s: wrong result with %s: %lld numbers are off\n", napcoll_tool_name,
                one->label, wrong);
    }
    return 0 == wrong;
}

int contest_run(struct contest *c, contest_turn_t *take, void *context)
{
    int rank;

    for (int turn = 0; turn <= c->turns; ++turn) {
        for (int i = 0; i < c->num; ++i) {
            if (!take_turn(c, &c->contestant[(i + turn) % c->num], turn, take, context)) {
                return 1;
            }
        }
    }
    check(MPI_Comm_rank(c->helper, &rank), "MPI_Comm_rank");
    if (0 == rank) {
        printf("all results are right; medians of %d turns, of the slowest rank; ratio: of the "
               "exchanges, to %s in the same turn\n",
               c->turns, c->contestant[0].label);
        contest_report(c);
    }
    return 0;
}

int contest_main(int argc, char **argv, const napcoll_tool_t *tool, void *options,
                 int (*run)(const void *options))
{
    napcoll_command_line_t line;
    const napcoll_parsed_t parsed = napcoll_tool_parse(tool, argc, argv, options, &line);
    int status;

    if (napcoll_tool_start(&argc, &argv, parsed, &line, &status)) {
        status = run(options);
        check(MPI_Finalize(), "MPI_Finalize");
    }
    return status;
}
