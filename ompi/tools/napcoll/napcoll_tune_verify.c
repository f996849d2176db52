/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether the order of algorithms is what the machine says: some collectives of some sizes, each by the algorithm that
 * the model would take, by the next two, and by what Open MPI had before napcoll; in turns. Where the model's choice is
 * beyond noise slower than another one, a rule corrects it.
 *
 * Each contestant has a duplicate of the communicator, whose info key forces it. What the job's own parameters make of
 * an algorithm, its radix for instance, stays as it is.
 */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "napcoll_tune.h"
#include "select/napcoll_select.h"

/* ---- what is tried ---- */

static void call_allreduce(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Allreduce(send, recv, bytes / (int) sizeof(double), MPI_DOUBLE, MPI_SUM, comm),
               "MPI_Allreduce");
}

static void call_reduce(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Reduce(send, recv, bytes / (int) sizeof(double), MPI_DOUBLE, MPI_SUM, 0, comm),
               "MPI_Reduce");
}

static void call_scan(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Scan(send, recv, bytes / (int) sizeof(double), MPI_DOUBLE, MPI_SUM, comm),
               "MPI_Scan");
}

static void call_reduce_scatter_block(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Reduce_scatter_block(send, recv, bytes / (int) sizeof(double), MPI_DOUBLE,
                                        MPI_SUM, comm),
               "MPI_Reduce_scatter_block");
}

static void call_barrier(MPI_Comm comm, int bytes, char *send, char *recv)
{
    (void) bytes;
    (void) send;
    (void) recv;
    tune_check(MPI_Barrier(comm), "MPI_Barrier");
}

static void call_bcast(MPI_Comm comm, int bytes, char *send, char *recv)
{
    (void) recv;
    tune_check(MPI_Bcast(send, bytes, MPI_BYTE, 0, comm), "MPI_Bcast");
}

static void call_allgather(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Allgather(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, comm), "MPI_Allgather");
}

static void call_alltoall(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Alltoall(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, comm), "MPI_Alltoall");
}

/* Sizes are those of vectors, or of a rank's block where buffers hold one for each rank. Gathers and scatters are not
 * here: theirs is the search for M1, M2 and S. */
static const struct {
    const napcoll_collective_t *collective;
    void (*call)(MPI_Comm comm, int bytes, char *send, char *recv);
    bool blocks;
    bool overlaps; /* who is done with one would begin the next */
    int sizes;
    size_t bytes[TUNE_CASE_SIZES];
} cases[TUNE_CASE_COLLECTIVES] = {
    {&napcoll_allreduce, call_allreduce, false, false, 3, {8, 4096, 262144}},
    {&napcoll_bcast, call_bcast, false, true, 3, {8, 4096, 262144}},
    {&napcoll_alltoall, call_alltoall, true, false, 3, {8, 512, 8192}},
    {&napcoll_reduce, call_reduce, false, true, 3, {8, 4096, 262144}},
    {&napcoll_barrier, call_barrier, false, false, 1, {0}},
    {&napcoll_allgather, call_allgather, true, false, 3, {8, 512, 8192}},
    {&napcoll_reduce_scatter_block, call_reduce_scatter_block, true, false, 3, {8, 512, 8192}},
    {&napcoll_scan, call_scan, false, true, 3, {8, 4096, 262144}},
};

/* The name of a previous function. */
static const char previous[] = "previous";

/* By how much two times have to differ, besides noise, to be of interest. */
static const double matters = 0.1;

/* A sample lasts about so long, in seconds. */
static const double long_batch = 20e-3;

enum { MOST_CALLS = 50, LEAST_SAMPLES = NAPCOLL_ROBUST_LEAST_TURNS, MOST_SAMPLES = 16 };

static const size_t most_buffer = (size_t) 16 << 20;

static const char *name_of(int collective, int row)
{
    return row < 0 ? previous : cases[collective].collective->algorithm[row].name;
}

/* ---- calls: all ranks ---- */

/* The communicator of an algorithm; made at first use, which all ranks come to at the same time. */
static MPI_Comm comm_of(tune_t *t, int collective, int row)
{
    MPI_Comm *comm = &t->forced[collective][row + 1];
    char key[MPI_MAX_INFO_KEY];
    MPI_Info info;

    if (MPI_COMM_NULL != *comm) {
        return *comm;
    }
    snprintf(key, sizeof(key), "napcoll_%s_algorithm", cases[collective].collective->name);
    tune_check(MPI_Info_create(&info), "MPI_Info_create");
    tune_check(MPI_Info_set(info, "ompi_comm_coll_preference", "napcoll"), "MPI_Info_set");
    tune_check(MPI_Info_set(info, key, name_of(collective, row)), "MPI_Info_set");
    tune_check(MPI_Comm_dup_with_info(t->comm, info, comm), "MPI_Comm_dup_with_info");
    tune_check(MPI_Info_free(&info), "MPI_Info_free");
    return *comm;
}

/* The bytes of one buffer. */
static size_t room_of(const tune_t *t, int collective, size_t bytes)
{
    return cases[collective].blocks ? bytes * (size_t) t->ranks : bytes;
}

void tune_call_run(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    const int collective = probe->from, row = probe->to;
    const size_t room = room_of(t, collective, probe->bytes);
    MPI_Comm comm = comm_of(t, collective, row);
    char *buffer = calloc(2, room > 0 ? room : 1);
    double mine = 0, longest = 0;

    if (NULL == buffer) {
        tune_out_of_memory();
    }
    for (int i = 0; i < probe->count; i++) {
        double start;

        if (0 == i || cases[collective].overlaps) {
            tune_check(MPI_Barrier(t->comm), "MPI_Barrier");
        }
        start = MPI_Wtime();
        cases[collective].call(comm, (int) probe->bytes, buffer, buffer + room);
        mine += (MPI_Wtime() - start) / probe->count;
    }
    tune_check(MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, t->comm), "MPI_Reduce");
    if (0 == t->rank) {
        *seconds = longest;
    }
    free(buffer);
}

void tune_calls_open(tune_t *t)
{
    for (int c = 0; c < TUNE_CASE_COLLECTIVES; c++) {
        for (int row = 0; row < NAPCOLL_MAX_ALGORITHMS + 1; row++) {
            t->forced[c][row] = MPI_COMM_NULL;
        }
    }
}

void tune_calls_close(tune_t *t)
{
    for (int c = 0; c < TUNE_CASE_COLLECTIVES; c++) {
        for (int row = 0; row < NAPCOLL_MAX_ALGORITHMS + 1; row++) {
            if (MPI_COMM_NULL != t->forced[c][row]) {
                tune_check(MPI_Comm_free(&t->forced[c][row]), "MPI_Comm_free");
            }
        }
    }
}

/* ---- what the model says: rank 0 ---- */

/* What a forced algorithm would take; INFINITY where it cannot do it or that is not known. */
static double cost_of(const napcoll_collective_t *collective, int row,
                      const napcoll_settings_t *settings, const napcoll_question_t *question)
{
    const bool rooted = napcoll_goal_is_rooted(collective->goal);
    napcoll_settings_t forced = *settings;
    napcoll_generator_t generator;
    napcoll_decision_t decision;
    double lead = 0, time;

    forced.force = NAPCOLL_FORCE_FIRST + row;
    if (0 != napcoll_select(collective, &forced, question, &decision)) {
        tune_out_of_memory();
    }
    if (decision.algorithm != row) {
        return INFINITY;
    }
    generator = (napcoll_generator_t){.request = {.collective = collective,
                                                  .algorithm = &collective->algorithm[row],
                                                  .map = question->map,
                                                  .params = decision.params}};
    if (NULL != collective->algorithm[row].hops) {
        const napcoll_hops_t hops = collective->algorithm[row].hops(question->map,
                                                                    &decision.params);

        lead = napcoll_model_lead_us(settings->machine, &hops,
                                     decision.params.segments > 1 ? decision.params.segments : 1,
                                     (double) question->bytes);
    }
    time = napcoll_plan_cost_us(question->map, napcoll_generator_plan, &generator,
                                rooted ? question->root : -1, settings->machine,
                                (double) question->bytes, lead, INFINITY);
    return isnan(time) ? INFINITY : time;
}

static void add_contestant(tune_case_t *c, int row, double model_us)
{
    int at = c->contestants++;

    for (; at > 0 && c->contestant[at - 1].model_us > model_us; at--) {
        c->contestant[at] = c->contestant[at - 1];
    }
    c->contestant[at] = (tune_contestant_t){.row = row, .model_us = model_us};
}

/* The model's choice comes first, then the next two by its reckoning, then the previous function. */
static void choose_contestants(tune_case_t *c, const napcoll_machine_t *machine,
                               const napcoll_node_map_t *map)
{
    enum { OTHERS = 2 };
    const napcoll_collective_t *collective = cases[c->collective].collective;
    const napcoll_question_t question = {.map = map, .bytes = c->bytes};
    napcoll_settings_t settings = napcoll_select_defaults(collective);
    tune_case_t all = {.contestants = 0};
    napcoll_decision_t decision;

    settings.machine = machine;
    if (0 != napcoll_select(collective, &settings, &question, &decision)) {
        tune_out_of_memory();
    }
    for (int row = 0; row < collective->algorithms; row++) {
        const double model_us = row == decision.algorithm || collective->algorithm[row].gathers
                                    ? INFINITY
                                    : cost_of(collective, row, &settings, &question);

        if (model_us < INFINITY) {
            add_contestant(&all, row, model_us);
        }
    }
    if (decision.algorithm >= 0) {
        c->contestant[c->contestants++] = (tune_contestant_t){
            .row = decision.algorithm,
            .model_us = cost_of(collective, decision.algorithm, &settings, &question)};
    } else {
        c->contestant[c->contestants++] = (tune_contestant_t){.row = -1, .model_us = INFINITY};
    }
    for (int i = 0; i < all.contestants && i < OTHERS; i++) {
        c->contestant[c->contestants++] = all.contestant[i];
    }
    if (decision.algorithm >= 0) {
        c->contestant[c->contestants++] = (tune_contestant_t){.row = -1, .model_us = INFINITY};
    }
}

/* ---- measuring: rank 0 ---- */

static double sample(tune_t *t, const tune_case_t *c, int contestant, int count)
{
    const tune_probe_t probe = {.kind = TUNE_CALL,
                                .bytes = c->bytes,
                                .count = count,
                                .from = c->collective,
                                .to = c->contestant[contestant].row};
    double seconds[2 * TUNE_MOST_ROUNDS] = {0};

    tune_probe(t, &probe, seconds);
    return seconds[0];
}

/* Quartiles and median. */
static void summarize(tune_contestant_t *contestant, const double *seconds, int samples)
{
    double sorted[MOST_SAMPLES];

    memcpy(sorted, seconds, (size_t) samples * sizeof(*seconds));
    napcoll_robust_sort(sorted, (size_t) samples);
    contestant->low = napcoll_robust_quantile(sorted, (size_t) samples, 0.25);
    contestant->median = napcoll_robust_quantile(sorted, (size_t) samples, 0.5);
    contestant->high = napcoll_robust_quantile(sorted, (size_t) samples, 0.75);
}

/* Pairs whose order is not the model's, and the contestant that a rule is for: 0 is the model's own. */
static void judge(tune_case_t *c, double seconds[TUNE_CONTESTANTS][MOST_SAMPLES])
{
    for (int i = 0; i < c->contestants; i++) {
        for (int j = 0; j < c->contestants; j++) {
            const double one = c->contestant[i].model_us, other = c->contestant[j].model_us;

            c->contradictions += one * (1 + matters) < other && other < INFINITY
                                 && napcoll_robust_longer(seconds[i], seconds[j], c->samples,
                                                          matters);
        }
    }
    for (int i = 1; i < c->contestants; i++) {
        summarize(&c->contestant[i], seconds[i], c->samples);
        if (napcoll_robust_longer(seconds[0], seconds[i], c->samples, matters)
            && (0 == c->best || c->contestant[i].median < c->contestant[c->best].median)) {
            c->best = i;
        }
    }
    summarize(&c->contestant[0], seconds[0], c->samples);
}

/* One case, in turns until its share of the time is over, but so many that it can be judged unless all of the
 * time is over before. */
static void measure_case(tune_t *t, tune_case_t *c, double deadline, double end)
{
    double seconds[TUNE_CONTESTANTS][MOST_SAMPLES], slowest = 0;
    int count;

    for (int i = 0; i < c->contestants; i++) {
        (void) sample(t, c, i, 1); /* makes communicators, connections and plans */
        slowest = fmax(slowest, sample(t, c, i, 2));
    }
    count = slowest * MOST_CALLS > long_batch ? 1 + (int) (long_batch / slowest) : MOST_CALLS;
    while (c->samples < MOST_SAMPLES
           && MPI_Wtime() < (c->samples < LEAST_SAMPLES ? end : deadline)) {
        for (int i = 0; i < c->contestants; i++) { /* each comes first in turn */
            const int which = (i + c->samples) % c->contestants;

            seconds[which][c->samples] = sample(t, c, which, count);
        }
        c->samples++;
    }
    if (c->samples >= LEAST_SAMPLES) {
        judge(c, seconds);
    }
}

/* Whether napcoll is there to be asked for algorithms: its parameters are, and it is not off. */
static bool has_napcoll(void)
{
    int level, provided, index, count, priority = -1;
    MPI_T_cvar_handle handle;

    if (MPI_SUCCESS != MPI_Query_thread(&level)
        || MPI_SUCCESS != MPI_T_init_thread(level, &provided)) {
        return false;
    }
    if (MPI_SUCCESS == MPI_T_cvar_get_index("coll_napcoll_priority", &index)
        && MPI_SUCCESS == MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) {
        if (MPI_SUCCESS != MPI_T_cvar_read(handle, &priority)) {
            priority = -1;
        }
        (void) MPI_T_cvar_handle_free(&handle);
    }
    (void) MPI_T_finalize();
    return priority >= 0;
}

void tune_verify(tune_t *t, tune_watch_t *watch)
{
    const double begin = MPI_Wtime(), left = watch->end - begin;
    const int all = TUNE_CASE_COLLECTIVES * TUNE_CASE_SIZES;
    tune_machine_t *m = t->machine;
    napcoll_node_map_t *map;

    if (!t->options.verify) {
        snprintf(m->no_cases, TUNE_TEXT, "left out by --no-verify");
    } else if (!has_napcoll()) {
        snprintf(m->no_cases, TUNE_TEXT, "component napcoll is not there, or off");
    } else if (!(left > 0)) {
        snprintf(m->no_cases, TUNE_TEXT, "no time was left");
    }
    if ('\0' != m->no_cases[0]) {
        return;
    }
    if (0 != napcoll_node_map_create(t->node.node_of, t->ranks, &map)) {
        tune_out_of_memory();
    }
    for (int i = 0; i < all && MPI_Wtime() < watch->end; i++) {
        const int collective = i % TUNE_CASE_COLLECTIVES, size = i / TUNE_CASE_COLLECTIVES;
        tune_case_t *c = &m->tried[m->num_tried];

        *c = (tune_case_t){.collective = collective,
                           .name = cases[collective].collective->name,
                           .bytes = cases[collective].bytes[size],
                           .size = size};
        if (size >= cases[collective].sizes || room_of(t, c->collective, c->bytes) > most_buffer) {
            continue;
        }
        choose_contestants(c, &m->fit.machine, map);
        measure_case(t, c, begin + left * (i + 1) / all, watch->end);
        m->num_tried++;
        tune_tell(watch, "algorithms", i + 1, all);
    }
    tune_tell_end(watch);
    napcoll_node_map_free(map);
}

/* ---- reports ---- */

static void report_case(const tune_case_t *c, FILE *out, const char *prefix)
{
    fprintf(out, "%s  %s of %zu bytes, %d turns%s\n", prefix, c->name, c->bytes, c->samples,
            c->samples < LEAST_SAMPLES ? ": too few to judge" : "");
    for (int i = 0; c->samples >= LEAST_SAMPLES && i < c->contestants; i++) {
        const tune_contestant_t *k = &c->contestant[i];

        fprintf(out, "%s    %-20s %10.1f us (%.1f to %.1f)", prefix, name_of(c->collective, k->row),
                1e6 * k->median, 1e6 * k->low, 1e6 * k->high);
        if (k->model_us < INFINITY) {
            fprintf(out, ", the model says %.1f", k->model_us);
        }
        fprintf(out, "%s%s\n", 0 == i ? ": the model's choice" : "",
                c->best > 0 && i == c->best ? ": FASTER than the model's choice" : "");
    }
    if (c->contradictions > 0) {
        fprintf(out, "%s    %d pairs are not in the model's order\n", prefix, c->contradictions);
    }
}

void tune_report_cases(const tune_t *t, FILE *out, const char *prefix)
{
    const tune_machine_t *m = t->machine;

    if ('\0' != m->no_cases[0]) {
        fprintf(out, "%sthe order of algorithms was not verified: %s\n", prefix, m->no_cases);
        return;
    }
    fprintf(out, "%salgorithms: median and quartiles of what the slowest process took\n", prefix);
    for (int i = 0; i < m->num_tried; i++) {
        report_case(&m->tried[i], out, prefix);
    }
}

int tune_count_rules(const tune_t *t)
{
    const tune_nodes_t *n = &t->node;
    int rules = 0;

    for (int i = 0; n->least_ppn * n->num == t->ranks && i < t->machine->num_tried; i++) {
        rules += t->machine->tried[i].best > 0;
    }
    return rules;
}

/* The sizes that a measured one stands for: half way to its neighbours, by their ratio, and a few times as many at the
 * end. */
static void range_of(const tune_case_t *c, size_t *from, size_t *to)
{
    const size_t *bytes = cases[c->collective].bytes;
    const double here = (double) c->bytes;

    *from = 0 == c->size ? 0 : 1 + (size_t) sqrt((double) bytes[c->size - 1] * here);
    *to = cases[c->collective].sizes - 1 == c->size
              ? 4 * c->bytes
              : (size_t) sqrt((double) bytes[c->size + 1] * here);
}

void tune_report_rules(const tune_t *t, FILE *out)
{
    const tune_nodes_t *n = &t->node;

    for (int i = 0; i < t->machine->num_tried; i++) {
        const tune_case_t *c = &t->machine->tried[i];
        const tune_contestant_t *best = &c->contestant[c->best];
        size_t from, to;

        if (0 == c->best) {
            continue;
        }
        range_of(c, &from, &to);
        fprintf(out,
                "# %zu bytes: %.1f us, %s took %.1f\n%s nodes=%d ppn=%d bytes=%zu..%zu -> %s\n",
                c->bytes, 1e6 * best->median, name_of(c->collective, c->contestant[0].row),
                1e6 * c->contestant[0].median, c->name, n->num, n->least_ppn, from, to,
                best->row < 0 ? "fallback" : name_of(c->collective, best->row));
    }
}
