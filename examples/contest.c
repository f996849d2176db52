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
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;

    if (MPI_SUCCESS == rc) {
        return;
    }
    (void) MPI_Error_string(rc, text, &length);
    fprintf(stderr, "%s: %s failed: %s\n", program, call, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);

    if (NULL == memory) {
        fprintf(stderr, "%s: no memory for %zu times %zu bytes\n", program, count, bytes);
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

/* Finds what napcoll counts of its all-to-alls: coll_napcoll_runs_alltoall[v]_ALGORITHM. */
static void counters_open(struct contest *c)
{
    static const char prefix[] = "coll_napcoll_runs_alltoall";
    int num;

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

/* How many all-to-alls napcoll has carried out on this process. */
static unsigned long long counters_read(struct contest *c)
{
    unsigned long long sum = 0, value;

    for (int i = 0; i < c->num_counters; ++i) {
        check(MPI_T_pvar_read(c->session, c->counter[i], &value), "MPI_T_pvar_read");
        sum += value;
    }
    return sum;
}

/* A duplicate of the world that prefers a component; any MPI may ignore the key. */
static void contestant_open(struct contest *c, const char *label, const char *preference)
{
    struct contestant *one = &c->contestant[c->num++];
    MPI_Info info;

    one->label = label;
    check(MPI_Info_create(&info), "MPI_Info_create");
    if (NULL != preference) {
        check(MPI_Info_set(info, "ompi_comm_coll_preference", preference), "MPI_Info_set");
    }
    check(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &one->comm), "MPI_Comm_dup_with_info");
    check(MPI_Info_free(&info), "MPI_Info_free");
    one->exchange = room((size_t) c->turns, sizeof(double));
    one->whole = room((size_t) c->turns, sizeof(double));
}

void contest_open(struct contest *c, int turns)
{
    int level, provided;

    memset(c, 0, sizeof(*c));
    c->turns = turns;
    /* The level is MPI's own: Open MPI before 6.0 takes a lower one for both. */
    check(MPI_Query_thread(&level), "MPI_Query_thread");
    check(MPI_T_init_thread(level, &provided), "MPI_T_init_thread");
    counters_open(c);
    c->napcoll = component_is_there("coll_napcoll_priority");
    c->tuned = component_is_there("coll_tuned_priority");
    if (c->napcoll) {
        contestant_open(c, "napcoll", "napcoll");
    }
    if (c->tuned) {
        /* What comes next where tuned declines must not be napcoll. */
        contestant_open(c, "tuned", "tuned,^napcoll");
    }
    if (0 == c->num) {
        contestant_open(c, "this MPI", NULL);
    }
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
    check(MPI_T_pvar_session_free(&c->session), "MPI_T_pvar_session_free");
    check(MPI_T_finalize(), "MPI_T_finalize");
}

void contest_took(struct contest *c, struct contestant *one, int turn, double exchange,
                  double whole, int asked)
{
    const double mine[2] = {exchange, whole};
    double slowest[2];

    check(MPI_Allreduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
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
    unsigned long long ran = counters_read(c);
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
        printf("napcoll carried out %llu of the %llu all-to-alls that it was asked for%s\n", ran,
               c->asked, 0 == ran ? " (see --mca coll_napcoll_verbose 10)" : "");
    }
    if (!c->tuned) {
        printf("tuned is not there (does mpirun's --mca coll name it?)\n");
    }
}
