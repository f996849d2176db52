/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The correction of the model: for each collective and size, what auto would do runs turn by turn
 * against the fallback and the model's next best algorithms (../measure). Where one of them beats
 * auto's choice by a margin beyond noise, a rule names it; else that choice is kept. One pass; each
 * case has an equal share of the remaining time, and leaves to the others what it does not need.
 */

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "common/napcoll_robust.h"
#include "tune/napcoll_tune.h"
#include "util/napcoll_file.h"
#include "common/napcoll_machine_file.h"

/* By how much auto's choice has to be slower; the drop rule; seconds of a sample; turns of a
 * case. */
static const double margin = 0.05, drop = 3, sample_time = 0.02;

enum { MOST_TURNS = 100 };

/* ---- --only: the file that is there ---- */

static bool names_rules(const tune_t *t)
{
    const char *name = t->cases.parameters.rules_file;

    return NULL != name && '\0' != name[0];
}

static bool read_machine(tune_t *t, FILE *in, char message[TUNE_TEXT])
{
    const char *name = t->options.output;
    napcoll_parameters_error_t other;
    napcoll_machine_error_t error;

    if (0 != napcoll_machine_read(in, &t->machine.fit.machine, &error)) {
        return tune_refuse(name, error.line, error.column, error.text, message);
    }
    rewind(in);
    if (0 != napcoll_parameters_read(in, name, &t->cases.parameters, &other)) {
        return tune_refuse(name, other.line, 0, other.text, message);
    }
    t->machine.thresholds = t->cases.parameters.thresholds;
    return true;
}

static bool read_rules(tune_t *t, FILE *in, char message[TUNE_TEXT])
{
    tune_cases_t *cases = &t->cases;
    napcoll_rules_t *rules = NULL;
    napcoll_rules_error_t error;
    const bool good = 0 == napcoll_rules_load(in, &cases->rules, &cases->rules_bytes, &error)
                      && 0 == napcoll_rules_parse(cases->rules, cases->rules_bytes, &rules, &error);

    napcoll_rules_free(rules);
    return good || tune_refuse(cases->rules_name, error.line, error.column, error.text, message);
}

/* Open a file, which another one may name, read it, and close it. */
static bool read_file(tune_t *t, const char *name, const char *setter,
                      bool (*read)(tune_t *t, FILE *in, char message[TUNE_TEXT]),
                      char message[TUNE_TEXT])
{
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(name, NAPCOLL_MOST_FILE_BYTES, &why);
    bool good;

    if (NULL == in) {
        char *places = 0 == access(name, F_OK) ? NULL : napcoll_file_places(name, setter);

        good = tune_refuse(NULL == places ? name : places, 0, 0, why.text, message);
        free(places);
        return good;
    }
    good = read(t, in, message);
    (void) fclose(in);
    return good;
}

bool tune_correct_open(tune_t *t, char message[TUNE_TEXT])
{
    if (NULL == t->options.only) {
        return true;
    }
    if (!read_file(t, t->options.output, NULL, read_machine, message)) {
        return false;
    }
    if (!names_rules(t)) {
        t->cases.rules_name = tune_rules_name(t->options.output);
        return true;
    }
    t->cases.rules_name = strdup(t->cases.parameters.rules_file);
    if (NULL == t->cases.rules_name) {
        napcoll_out_of_memory();
    }
    return read_file(t, t->cases.rules_name, t->options.output, read_rules, message);
}

void tune_correct_close(tune_t *t)
{
    napcoll_parameters_close(&t->cases.parameters);
    free(t->cases.rules_name);
    free(t->cases.rules);
}

/* ---- one case: all ranks ---- */

/* What rank 0 tells the others about a case. */
typedef struct {
    char collective[64];
    size_t bytes;
    int contestants;
    char action[TUNE_CONTESTANTS][TUNE_ACTION];
} shared_t;

/* What is to be judged: times by contestant and turn. */
static void find_seconds(const napcoll_contest_t *contest, const double *seconds[TUNE_CONTESTANTS])
{
    for (int i = 0; i < contest->args.contestants; i++) {
        const napcoll_contestant_t *k = &contest->contestant[i];

        seconds[i] = k->dropped ? NULL : k->seconds;
    }
}

/* Whether the turns are enough to judge by. It is asked after 8, 16, 32 and 64. */
static bool is_decided(void *context, const napcoll_contest_t *contest)
{
    enum { FIRST = 8 };
    const int turns = contest->turns;
    const double *seconds[TUNE_CONTESTANTS];

    (void) context;
    if (turns < FIRST || 0 != (turns & (turns - 1))) {
        return false;
    }
    find_seconds(contest, seconds);
    return napcoll_judge_is_clear(seconds, contest->args.contestants, turns, margin);
}

/* Rank 0: keep the times of a case, and judge it. */
static void judge(tune_case_t *c, const napcoll_contest_t *contest)
{
    const double *seconds[TUNE_CONTESTANTS];
    int fallback = -1;

    find_seconds(contest, seconds);
    c->turns = contest->turns;
    for (int i = 0; i < c->contestants; i++) {
        const napcoll_contestant_t *k = &contest->contestant[i];

        fallback = NAPCOLL_RULE_FALLBACK == c->contestant[i].rule.action ? i : fallback;
        c->contestant[i].dropped = k->dropped;
        c->contestant[i].time = k->dropped ? napcoll_summarize(&k->first_look, 1)
                                           : napcoll_summarize(k->seconds, c->turns);
        c->contestant[i].run = k->dropped ? NAN : napcoll_summarize(k->run, c->turns).median;
    }
    /* a rule for the fallback is for blocking calls only */
    c->best = napcoll_judge_best_before(seconds, c->contestants, c->turns, margin, fallback);
}

void tune_race(tune_t *t, tune_case_t *c, double time)
{
    const napcoll_contest_until_t until = {.least = NAPCOLL_ROBUST_LEAST_TURNS,
                                           .most = MOST_TURNS,
                                           .time = time,
                                           .end = t->end,
                                           .enough = is_decided};
    napcoll_contest_args_t args = {.most = MOST_TURNS, .sample_time = sample_time, .drop = drop};
    napcoll_contest_t *contest;
    shared_t shared = {.contestants = 0};

    if (0 == t->rank) {
        tune_probe(t, &(tune_probe_t){.kind = TUNE_RACE}, NULL);
        snprintf(shared.collective, sizeof(shared.collective), "%s", c->collective->name);
        shared.bytes = c->bytes;
        shared.contestants = c->contestants;
        for (int i = 0; i < c->contestants; i++) {
            memcpy(shared.action[i], c->contestant[i].action, TUNE_ACTION);
        }
    }
    napcoll_check(MPI_Bcast(&shared, (int) sizeof(shared), MPI_BYTE, 0, t->comm), "MPI_Bcast");
    args.coll = napcoll_measured_find(shared.collective);
    args.bytes = shared.bytes;
    args.contestants = shared.contestants;
    for (int i = 0; i < args.contestants; i++) {
        args.label[i] = shared.action[i];
        args.comm[i] = napcoll_measure_dup(NULL, "napcoll", shared.collective, shared.action[i]);
    }
    contest = napcoll_contest_open(&args);
    napcoll_contest_turns(&t->measure, contest, &until);
    if (0 == t->rank) {
        judge(c, contest);
    }
    napcoll_contest_close(contest);
    for (int i = 0; i < args.contestants; i++) {
        napcoll_check(MPI_Comm_free(&args.comm[i]), "MPI_Comm_free");
    }
}

/* ---- all cases: rank 0 ---- */

/* Measure all cases that have something to compare, until the end. */
static void compare(tune_t *t, const napcoll_node_map_t *map)
{
    tune_cases_t *cases = &t->cases;
    const int all = tune_list_cases(&t->options.wanted, t->ranks, cases->list);

    tune_progress_t progress = {.part = NULL == t->options.only ? 2 + t->options.thresholds : 1,
                                .name = "algorithms",
                                .step = "case",
                                .least = all,
                                .most = all};

    cases->num = all;
    for (int i = 0; i < all && MPI_Wtime() < t->end; i++) {
        tune_case_t *c = &cases->list[i];
        const double now = MPI_Wtime();

        progress.done = i;
        tune_tell(t, &progress, 0);

        if (0 != tune_choose(c, &t->machine.fit.machine, &t->machine.thresholds, map)) {
            napcoll_out_of_memory();
        }
        if (!c->skipped) {
            tune_race(t, c, now + (t->end - now) / (all - i));
        }
    }
    tune_tell_end();
}

void tune_correct(tune_t *t)
{
    tune_cases_t *cases = &t->cases;
    napcoll_node_map_t *map;
    int priority;

    if (!t->options.verify) {
        snprintf(cases->missing, TUNE_TEXT, "left out by --no-verify");
    } else if (!napcoll_measure_has("napcoll", &priority) || priority < 0) {
        snprintf(cases->missing, TUNE_TEXT, "component napcoll is not loaded, or off");
    } else if (MPI_Wtime() >= t->end) {
        snprintf(cases->missing, TUNE_TEXT, "no time was left");
    }
    if ('\0' != cases->missing[0]) {
        return;
    }
    if (0 != napcoll_node_map_create(t->node.node_of, t->ranks, &map)) {
        napcoll_out_of_memory();
    }
    compare(t, map);
    napcoll_node_map_free(map);
}

/* No rules are about nodes with different numbers of processes. */
int tune_rules(const tune_t *t, tune_rule_t *rules)
{
    const tune_nodes_t *n = &t->node;
    const tune_shape_t shape = {.nodes = (size_t) n->num, .ppn = (size_t) n->least_ppn};

    if (n->least_ppn * n->num != t->ranks) {
        return 0;
    }
    return tune_make_rules(t->cases.list, t->cases.num, &shape, NULL != t->options.only, rules);
}

/* ---- report ---- */

static void report_contestant(const tune_contestant_t *k, FILE *out)
{
    fprintf(out, "    %-50s %10.1f us", k->action, 1e6 * k->time.median);
    if (k->dropped) {
        fputs(" in its first calls", out);
    } else {
        fprintf(out, " (%.1f to %.1f), run time %.1f", 1e6 * k->time.p05, 1e6 * k->time.p95,
                1e6 * k->run);
    }
    if (k->model_us < INFINITY) {
        fprintf(out, ", the model says %.1f", k->model_us);
    }
}

static void report_case(const tune_case_t *c, FILE *out)
{
    const bool judged = c->turns >= NAPCOLL_ROBUST_LEAST_TURNS;

    fprintf(out, "  %s of %zu bytes, %d turn%s%s\n", c->collective->name, c->bytes, c->turns,
            plural(c->turns), judged ? "" : ": too few to judge");
    for (int i = 0; judged && i < c->contestants; i++) {
        report_contestant(&c->contestant[i], out);
        if (0 == i) {
            fprintf(out, ": auto's choice%s", 0 == c->best ? ", kept" : "");
        } else if (i == c->best) {
            fputs(": faster than auto's choice", out);
        }
        fputc('\n', out);
    }
}

void tune_report_cases(const tune_t *t, FILE *out)
{
    const tune_cases_t *cases = &t->cases;
    int not_reached = 0;

    if ('\0' != cases->missing[0]) {
        fprintf(out, "algorithms were not compared: %s\n", cases->missing);
        return;
    }
    fprintf(out,
            "algorithms: median (5th to 95th percentile) of the time of the slowest process; run "
            "time: from the first entry to the last exit\n");
    napcoll_measure_clocks(&t->measure, out);
    for (int i = 0; i < cases->num; i++) {
        if (cases->list[i].contestants > 1) {
            report_case(&cases->list[i], out);
        }
        not_reached += 0 == cases->list[i].contestants && !cases->list[i].skipped;
    }
    if (not_reached > 0) {
        fprintf(out, "  there was no time for %d more\n", not_reached);
    }
}
