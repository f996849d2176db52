/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether the order of algorithms is what the machine says: collectives of some sizes, each as auto would do it on the
 * machine that was found, by every algorithm that is not hopeless, and as Open MPI did it before napcoll; in turns. Where
 * another one is beyond noise faster than what auto would take, a rule corrects it. Rank 0 alone.
 *
 * Contestants have all their tunables as the machine that was found has them chosen, whatever the job's own parameters
 * say of the machine.
 */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "napcoll_tune.h"
#include "select/napcoll_agreement.h"
#include "select/napcoll_rule_range.h"
#include "select/napcoll_rule_winner.h"
#include "select/napcoll_select.h"

/* By how much two times have to differ, besides noise, to be of interest. */
static const double matters = 0.05;

/* Who is reckoned to take so many times what the cheapest takes is not tried, and who takes so many times what the
 * fastest takes in its first calls, or in the very first, is not tried further. */
static const double hopeless = 10, slow = 2.5, very_slow = 5;

/* With tunables that the model does not choose, who is reckoned to take so many times that is not tried. */
static const double likely = 4;

/* Calls of so many seconds vary less: who takes `slow_long` times what the fastest takes is not tried further, and each is
 * looked at once less before; in calls of `very_long` connections do not count, and the very first is enough for that. */
static const double long_call = 50e-3, slow_long = 1.6, very_long_call = 0.5;

/* This part of the time goes to all cases alike, the rest by what they are reckoned to need. */
static const double alike = 0.5;

/* A sample lasts about so long, in seconds; but has few calls where each needs a start of its own. */
static const double long_batch = 20e-3;

enum { MOST_CALLS = 50, MOST_SAMPLES = 32, MOST_STARTS = 2 };

/* ---- what the model says ---- */

/* What a decision's plans would take; INFINITY where that is not known. */
static double cost_of(const napcoll_collective_t *collective, const napcoll_machine_t *machine,
                      const napcoll_question_t *question, const napcoll_decision_t *decision)
{
    const bool rooted = napcoll_goal_is_rooted(collective->goal);
    const napcoll_algorithm_t *algorithm = &collective->algorithm[decision->algorithm];
    const int segments = decision->params.segments > 1 ? decision->params.segments : 1;
    napcoll_generator_t generator = {.request = {.collective = collective,
                                                 .algorithm = algorithm,
                                                 .map = question->map,
                                                 .params = decision->params}};
    double lead = 0, time;

    if (NULL != algorithm->hops) {
        const napcoll_hops_t hops = algorithm->hops(question->map, &decision->params);

        lead = napcoll_model_lead_us(machine, &hops, segments, (double) question->bytes);
    }
    time = napcoll_plan_cost_us(question->map, napcoll_generator_plan, &generator,
                                rooted ? question->root : -1, machine, (double) question->bytes,
                                lead, INFINITY);
    return isnan(time) ? INFINITY : time;
}

/* ---- contestants ---- */

/* A decision of napcoll's as a contestant, with words that have it done again on any machine. False where there are too
 * many words for an info key's value. */
static bool describe(const napcoll_collective_t *collective, const napcoll_machine_t *machine,
                     const napcoll_question_t *question, const napcoll_decision_t *decision,
                     tune_contestant_t *contestant)
{
    napcoll_rule_t rule = napcoll_rule_any(collective, NAPCOLL_RULE_AUTO);
    FILE *out;

    *contestant = (tune_contestant_t){.row = decision->algorithm,
                                      .rule = napcoll_rule_any(collective, NAPCOLL_RULE_ALGORITHM)};
    contestant->rule.algorithm = decision->algorithm;
    out = fmemopen(contestant->action, sizeof(contestant->action), "w");
    if (NULL == out) {
        tune_out_of_memory();
    }
    napcoll_rule_pin(&rule, decision->algorithm, &decision->params);
    napcoll_rule_print_action(&rule, out);
    contestant->model_us = cost_of(collective, machine, question, decision);
    return 0 == fclose(out) && strlen(contestant->action) + 1 < sizeof(contestant->action);
}

static tune_contestant_t previous_contestant(const napcoll_collective_t *collective)
{
    return (tune_contestant_t){.row = -1,
                               .action = "previous",
                               .model_us = INFINITY,
                               .rule = napcoll_rule_any(collective, NAPCOLL_RULE_FALLBACK)};
}

/* As `place`, but behind those that are reckoned to be faster, of all from there on. */
static void insert(tune_case_t *c, int place, const tune_contestant_t *contestant)
{
    int at = c->contestants++;

    for (; at > place && c->contestant[at - 1].model_us > contestant->model_us; at--) {
        c->contestant[at] = c->contestant[at - 1];
    }
    c->contestant[at] = *contestant;
}

static bool has_contestant(const tune_case_t *c, const char *action)
{
    for (int i = 0; i < c->contestants; i++) {
        if (0 == strcmp(c->contestant[i].action, action)) {
            return true;
        }
    }
    return false;
}

/* An algorithm as it is when it is named with these tunables, unless that is a contestant already, or reckoned to take
 * longer than that; what that was decided to be. One place is left for the previous function. */
static napcoll_decision_t add_named(tune_case_t *c, const napcoll_settings_t *settings,
                                    const napcoll_question_t *question, const napcoll_rule_t *rule,
                                    double most_us)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;
    const napcoll_algorithm_t *algorithm = &collective->algorithm[rule->algorithm];
    napcoll_settings_t named = *settings;
    tune_contestant_t contestant;
    napcoll_decision_t decision;

    named.force = napcoll_select_force(rule);
    named.asked = rule;
    if (0 != napcoll_select(collective, &named, question, &decision)) {
        tune_out_of_memory();
    }
    if (decision.algorithm == rule->algorithm && !algorithm->gathers && !algorithm->cut
        && describe(collective, settings->machine, question, &decision, &contestant)
        && contestant.model_us < INFINITY && contestant.model_us <= most_us
        && !has_contestant(c, contestant.action) && c->contestants < TUNE_CONTESTANTS - 1) {
        contestant.rule = *rule;
        insert(c, 1, &contestant);
    }
    return decision;
}

/* As add_named, and where that cuts vectors into segments also without: that these overlap is what a model is most
 * easily wrong about. */
static void add_whole(tune_case_t *c, const napcoll_settings_t *settings,
                      const napcoll_question_t *question, const napcoll_rule_t *rule,
                      double most_us)
{
    const int tunable = napcoll_algorithm_tunable(&rule->collective->algorithm[rule->algorithm],
                                                  NAPCOLL_RECKONS_SEGMENTS);
    const napcoll_decision_t decision = add_named(c, settings, question, rule, most_us);
    napcoll_rule_t whole = *rule;

    if (tunable >= 0 && decision.algorithm == rule->algorithm && decision.params.segments > 1) {
        whole.tunable[tunable] = 1;
        (void) add_named(c, settings, question, &whole, most_us);
    }
}

/* Each algorithm as it is when it is named, in the order of the model. What auto has chosen may differ from that in
 * local_radix, which a rule then names. */
static void add_algorithms(tune_case_t *c, const napcoll_settings_t *settings,
                           const napcoll_question_t *question, const napcoll_decision_t *chosen)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;

    for (int row = 0; row < collective->algorithms; row++) {
        napcoll_rule_t rule = napcoll_rule_any(collective, NAPCOLL_RULE_ALGORITHM);
        napcoll_decision_t decision;

        rule.algorithm = row;
        decision = add_named(c, settings, question, &rule, INFINITY);
        if (row == c->contestant[0].row && decision.algorithm == row) {
            if (decision.params.local_radix != chosen->params.local_radix) {
                rule.local_radix = chosen->params.local_radix;
            }
            c->contestant[0].rule = rule;
        }
    }
}

/* Each algorithm with other radixes and choices than the model's, and without segments, as far as it is reckoned not to
 * take much longer than the cheapest: where processes share processors a step takes longer than the latency of two
 * that have one each, which is what was measured. */
static void add_variants(tune_case_t *c, const napcoll_settings_t *settings,
                         const napcoll_question_t *question, double most_us)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;

    for (int row = 0; row < collective->algorithms; row++) {
        napcoll_rule_t rule = napcoll_rule_any(collective, NAPCOLL_RULE_ALGORITHM);
        int value[NAPCOLL_MOST_VALUES];
        const int values = napcoll_select_values(&collective->algorithm[row], question->map, value);

        rule.algorithm = row;
        add_whole(c, settings, question, &rule, most_us);
        for (int v = 0; v < values; v++) {
            rule.tunable[0] = value[v];
            add_whole(c, settings, question, &rule, most_us);
        }
    }
}

/* The settings with which auto decides, behind which the usual component is. */
static napcoll_settings_t settings_of(const napcoll_collective_t *collective,
                                      const napcoll_machine_t *machine)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);

    settings.machine = machine;
    settings.previous.component = napcoll_component_usual(collective);
    (void) napcoll_series_find(NAPCOLL_OPENMPI_VERSION, &settings.previous.series); /* else 4.1 */
    return settings;
}

/* Whether auto looks at the sizes of a collective at all: where not all processes know those of all blocks, it has them
 * agree, or the root announce the largest, where the machine says that this pays. */
static bool looks_at_sizes(const tune_subject_t *subject, const napcoll_settings_t *settings,
                           const napcoll_node_map_t *map)
{
    const napcoll_collective_t *collective = subject->collective;
    const napcoll_settings_t telling = settings_of(napcoll_agreement_by(collective),
                                                   settings->machine);
    napcoll_recall_t recall = {.entries = 0};
    napcoll_agreement_t agreement;

    if (!subject->untold) {
        return true;
    }
    if (0 != napcoll_agreement(&recall, collective, settings, &telling, map, &agreement)) {
        tune_out_of_memory();
    }
    return agreement.pays;
}

/* What auto decides on a case. */
static napcoll_decision_t decide(const tune_case_t *c, const napcoll_settings_t *settings,
                                 const napcoll_question_t *question)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;
    napcoll_recall_t recall = {.entries = 0};
    napcoll_decision_t decision;

    if (0
        != (c->blind ? napcoll_agreement_without(&recall, collective, settings, question, &decision)
                     : napcoll_select(collective, settings, question, &decision))) {
        tune_out_of_memory();
    }
    return decision;
}

/* What auto would do comes first; then algorithms by name in the order of the model, then the previous function. False
 * where there is nothing to compare, or the thresholds have a say: what they warn of is rare, and no median shows it; and
 * pieces are those of the job's thresholds, whoever is forced. */
static bool choose_contestants(tune_case_t *c, const napcoll_settings_t *settings,
                               const napcoll_node_map_t *map)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;
    const napcoll_question_t question = {.map = map, .bytes = c->bytes};
    const napcoll_decision_t decision = decide(c, settings, &question);
    double cheapest;

    if (napcoll_rule_range_is_warned(collective, &decision)) {
        return false;
    }
    c->contestants = 1;
    if (decision.algorithm < 0
        || !describe(collective, settings->machine, &question, &decision, &c->contestant[0])) {
        c->contestant[0] = previous_contestant(collective);
    }
    add_algorithms(c, settings, &question, &decision);
    cheapest = c->contestants > 1 ? fmin(c->contestant[0].model_us, c->contestant[1].model_us) : 0;
    add_variants(c, settings, &question, likely * cheapest);
    while (c->contestants > 1 && c->contestant[c->contestants - 1].model_us > hopeless * cheapest) {
        c->contestants--;
    }
    if (c->contestant[0].row >= 0) {
        c->contestant[c->contestants++] = previous_contestant(collective);
    }
    return c->contestants > 1;
}

/* ---- measuring ---- */

/* Have a contestant ready. */
static void make(tune_t *t, const tune_case_t *c, int contestant)
{
    const tune_probe_t probe = {.kind = TUNE_FORCE, .from = c->subject, .to = contestant};

    memcpy(t->action, c->contestant[contestant].action, sizeof(t->action));
    tune_probe(t, &probe, NULL);
}

static double sample(tune_t *t, const tune_case_t *c, int contestant, int count)
{
    const tune_probe_t probe = {
        .kind = TUNE_CALL, .bytes = c->bytes, .count = count, .from = c->subject, .to = contestant};
    double seconds = 0;

    tune_probe(t, &probe, &seconds);
    return seconds;
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

/* Pairs whose order is not the model's. */
static int count_contradictions(const tune_case_t *c,
                                double seconds[TUNE_CONTESTANTS][MOST_SAMPLES])
{
    int contradictions = 0;

    for (int i = 0; i < c->contestants; i++) {
        for (int j = 0; j < c->contestants; j++) {
            const tune_contestant_t *one = &c->contestant[i], *other = &c->contestant[j];

            contradictions += !one->dropped && !other->dropped && other->model_us < INFINITY
                              && one->model_us * (1 + matters) < other->model_us
                              && napcoll_robust_longer(seconds[i], seconds[j], c->samples, matters);
        }
    }
    return contradictions;
}

/* Keep what was measured, and for whom a rule would be. */
static void judge(tune_case_t *c, double seconds[TUNE_CONTESTANTS][MOST_SAMPLES])
{
    napcoll_rule_contestant_t measured[TUNE_CONTESTANTS];

    c->contradictions = count_contradictions(c, seconds);
    for (int i = 0; i < c->contestants; i++) {
        tune_contestant_t *k = &c->contestant[i];

        if (!k->dropped) {
            summarize(k, seconds[i], c->samples);
        }
        measured[i] = (napcoll_rule_contestant_t){
            .seconds = k->dropped ? NULL : seconds[i], .median = k->median, .previous = k->row < 0};
    }
    c->best = napcoll_rule_winner(measured, c->contestants, c->samples, matters);
}

/* Whether somewhere among the sizes that this one stands for auto would take an algorithm that is beyond noise slower
 * here than what it takes here: half way to the next size nobody knows better. */
static bool strays(const tune_case_t *c, double seconds[TUNE_CONTESTANTS][MOST_SAMPLES],
                   const napcoll_settings_t *settings, const napcoll_node_map_t *map)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;

    for (int i = 1; i < c->contestants && !c->blind; i++) {
        const tune_contestant_t *k = &c->contestant[i];
        bool takes;

        if (k->row == c->contestant[0].row || napcoll_rule_has_tunables(&k->rule)
            || !(k->dropped
                 || napcoll_robust_longer(seconds[i], seconds[0], c->samples, matters))) {
            continue;
        }
        if (0 != napcoll_rule_range_takes(collective, settings, map, &c->range, k->row, &takes)) {
            tune_out_of_memory();
        }
        if (takes) {
            return true;
        }
    }
    return false;
}

/* What a contestant takes in its first calls, which make communicators, connections and plans; no more of them than
 * it takes to see that others are faster. */
static double look_at(tune_t *t, const tune_case_t *c, int contestant, double fastest)
{
    double seconds;

    make(t, c, contestant);
    seconds = sample(t, c, contestant, 1);
    if (seconds > fmax(slow_long * fastest, very_long_call)) {
        return seconds;
    }
    seconds = sample(t, c, contestant, 1);
    return seconds < fmin(very_slow * fastest, long_call)
               ? fmin(seconds, sample(t, c, contestant, 2))
               : seconds;
}

/* Look at all contestants, and drop who is slow. Returns what the slowest of the others takes. */
static double look_first(tune_t *t, tune_case_t *c)
{
    double fastest = INFINITY, slowest = 0, most;

    for (int i = 0; i < c->contestants; i++) {
        c->contestant[i].median = look_at(t, c, i, fastest);
        fastest = fmin(fastest, c->contestant[i].median);
    }
    most = (fastest < long_call ? slow : slow_long) * fastest;
    for (int i = 0; i < c->contestants; i++) {
        c->contestant[i].dropped = i > 0 && c->contestant[i].median > most;
        slowest = c->contestant[i].dropped ? slowest : fmax(slowest, c->contestant[i].median);
    }
    return slowest;
}

/* One case, in turns until its share of the time is over, but so many that it can be judged unless all of the
 * time is over before. */
static void measure_case(tune_t *t, tune_case_t *c, const napcoll_settings_t *settings,
                         const napcoll_node_map_t *map, double deadline, double end)
{
    double seconds[TUNE_CONTESTANTS][MOST_SAMPLES];
    const double slowest = look_first(t, c);
    const int most = tune_subject(c->subject)->overlaps ? MOST_STARTS : MOST_CALLS;
    const int count = slowest * most > long_batch ? 1 + (int) (long_batch / slowest) : most;

    while (c->samples < MOST_SAMPLES
           && MPI_Wtime() < (c->samples < NAPCOLL_ROBUST_LEAST_TURNS ? end : deadline)) {
        for (int i = 0; i < c->contestants; i++) { /* each comes first in turn */
            const int which = (i + c->samples) % c->contestants;

            if (!c->contestant[which].dropped) {
                seconds[which][c->samples] = sample(t, c, which, count);
            }
        }
        c->samples++;
    }
    if (c->samples >= NAPCOLL_ROBUST_LEAST_TURNS) {
        judge(c, seconds);
        c->ruled = c->best > 0 || strays(c, seconds, settings, map);
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

/* ---- all cases ---- */

/* A call of a case, as the previous function is reckoned to take it, microseconds: what goes over the network in it all
 * others have to send as well, or nearly. 0 where it is not known. */
static double need_of(const napcoll_settings_t *settings, const tune_case_t *c,
                      const napcoll_node_map_t *map)
{
    const napcoll_previous_call_t call = {.ranks = map->size, .bytes = c->bytes};
    napcoll_previous_choice_t choice;
    double us;

    if (!napcoll_previous_choose(&settings->previous, tune_subject(c->subject)->collective, &call,
                                 &choice)) {
        return 0;
    }
    us = napcoll_previous_cost_us(&choice, map, settings->machine, (double) c->bytes, INFINITY);
    if (isnan(us)) {
        tune_out_of_memory();
    }
    return us;
}

static napcoll_settings_t settings_of_case(const tune_t *t, const tune_case_t *c)
{
    napcoll_settings_t settings = settings_of(tune_subject(c->subject)->collective,
                                              &t->machine->fit.machine);

    settings.thresholds = tune_thresholds(t);
    return settings;
}

/* Which of its sizes a subject comes with in a turn through all subjects: the smallest first; but where not all processes know
 * them, the largest second, as without it there is no rule for all sizes. */
static int size_in_turn(const tune_subject_t *subject, int sizes, int turn)
{
    if (!subject->untold || 0 == turn || turn >= sizes) {
        return turn;
    }
    return 1 == turn ? sizes - 1 : turn - 1;
}

/* List all cases, small ones first, with what each and those before it need. Returns how many. */
static int list_cases(const tune_t *t, const napcoll_node_map_t *map, tune_case_t *list,
                      double *need)
{
    int cases = 0;

    for (int i = 0; i < TUNE_SUBJECTS * TUNE_SUBJECT_SIZES; i++) {
        const int subject = i % TUNE_SUBJECTS, sizes = tune_subject_sizes(t, subject);
        const int size = size_in_turn(tune_subject(subject), sizes, i / TUNE_SUBJECTS);
        tune_case_t *c = &list[cases];
        napcoll_settings_t settings;

        if (size < sizes) {
            *c = (tune_case_t){
                .subject = subject, .size = size, .bytes = tune_subject(subject)->bytes[size]};
            settings = settings_of_case(t, c);
            need[cases] = need_of(&settings, c, map) + (cases > 0 ? need[cases - 1] : 1);
            cases++;
        }
    }
    return cases;
}

/* Try the algorithms of a case until its share of the time is over. False where there is nothing to try. */
static bool try_case(tune_t *t, tune_case_t *c, const napcoll_node_map_t *map, double deadline,
                     double end)
{
    const tune_subject_t *about = tune_subject(c->subject);
    const napcoll_settings_t settings = settings_of_case(t, c);

    c->blind = !looks_at_sizes(about, &settings, map);
    if (!choose_contestants(c, &settings, map)) {
        return false;
    }
    if (0
        != napcoll_rule_range_find(about->collective, &settings, map, about->bytes, about->sizes,
                                   c->size, &c->range)) {
        tune_out_of_memory();
    }
    measure_case(t, c, &settings, map, deadline, end);
    return true;
}

void tune_verify(tune_t *t, tune_watch_t *watch)
{
    double need[TUNE_SUBJECTS * TUNE_SUBJECT_SIZES];
    tune_machine_t *m = t->machine;
    napcoll_node_map_t *map;
    double begin, left;
    int cases;

    if (!t->options.verify) {
        snprintf(m->no_cases, TUNE_TEXT, "left out by --no-verify");
    } else if (!has_napcoll()) {
        snprintf(m->no_cases, TUNE_TEXT, "component napcoll is not there, or off");
    } else if (MPI_Wtime() >= watch->end) {
        snprintf(m->no_cases, TUNE_TEXT, "no time was left");
    }
    if ('\0' != m->no_cases[0]) {
        return;
    }
    if (0 != napcoll_node_map_create(t->node.node_of, t->ranks, &map)) {
        tune_out_of_memory();
    }
    cases = list_cases(t, map, m->tried, need);
    begin = MPI_Wtime();
    left = watch->end - begin;
    for (int i = 0; i < cases && MPI_Wtime() < watch->end; i++) {
        const double part = alike * (i + 1) / cases + (1 - alike) * need[i] / need[cases - 1];

        m->tried[m->num_tried] = m->tried[i];
        if (try_case(t, &m->tried[m->num_tried], map, begin + left * part, watch->end)) {
            m->num_tried++;
        }
        tune_tell(watch, "algorithms", i + 1, cases);
    }
    tune_tell_end(watch);
    tune_judge_untold(t, map);
    napcoll_node_map_free(map);
}
