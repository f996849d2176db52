/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether the order of algorithms is what the machine says: collectives of some sizes, each as auto would do it on the
 * machine that was found, by every algorithm that is not hopeless, and as Open MPI did it before napcoll; in turns. Where
 * another one is beyond noise faster than what auto would take, a rule corrects it. Rank 0 alone.
 */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <string.h>

#include "napcoll_tune.h"
#include "select/napcoll_agreement.h"
#include "select/napcoll_rule_range.h"
#include "select/napcoll_rule_winner.h"
#include "select/napcoll_select.h"

/* By how much two times have to differ, besides noise, to be of interest. */
static const double matters = 0.05;

/* Who takes so many times what the fastest takes in its first calls is not tried further. In short ones processes still find
 * together: what takes four times as long there may be the fastest in the end. */
static const double slow_short = 5, short_call = 10e-3, slow = 2.5;

/* Calls of so many seconds vary less: who takes `slow_long` times what the fastest takes is not tried further, and each is
 * looked at once less before; in calls of `very_long` connections do not count, and the very first is enough for that. */
static const double long_call = 50e-3, slow_long = 1.6, very_long_call = 0.5;

/* The previous function, than which nothing is to be slower, is given up only where its first calls are long and take so many
 * times what the fastest takes. */
static const double slow_previous = 3;

/* Who takes longer than the fastest by this share in each of its turns, so many at least, is not tried further either: the
 * time is for those that are near each other. */
static const double behind = 0.3;
static const int behind_turns = 3;

/* This part of the time goes to all cases alike, the rest by what they are reckoned to need. */
static const double alike = 0.5;

/* A sample of the fastest lasts about so long, in seconds, as in collbench: of several calls in a row the later ones find
 * processes awake. But it has few calls where each needs a start of its own. */
static const double long_batch = 20e-3;

enum { MOST_CALLS = 50, MOST_SAMPLES = 32, MOST_STARTS = 2 };

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
static void summarize(tune_contestant_t *contestant, const double *seconds)
{
    const size_t turns = (size_t) contestant->turns;
    double sorted[MOST_SAMPLES];

    memcpy(sorted, seconds, turns * sizeof(*seconds));
    napcoll_robust_sort(sorted, turns);
    contestant->low = napcoll_robust_quantile(sorted, turns, 0.25);
    contestant->median = napcoll_robust_quantile(sorted, turns, 0.5);
    contestant->high = napcoll_robust_quantile(sorted, turns, 0.75);
}

/* Whether one contestant takes longer than another beyond noise, in the turns that both have. */
static bool takes_longer(const tune_case_t *c, double seconds[TUNE_CONTESTANTS][MOST_SAMPLES],
                         int one, int other)
{
    const int turns = c->contestant[one].turns, others = c->contestant[other].turns;

    return napcoll_robust_longer(seconds[one], seconds[other], turns < others ? turns : others,
                                 matters);
}

/* Pairs whose order is not the model's. */
static int count_contradictions(const tune_case_t *c,
                                double seconds[TUNE_CONTESTANTS][MOST_SAMPLES])
{
    int contradictions = 0;

    for (int i = 0; i < c->contestants; i++) {
        for (int j = 0; j < c->contestants; j++) {
            const tune_contestant_t *one = &c->contestant[i], *other = &c->contestant[j];

            contradictions += other->model_us < INFINITY
                              && one->model_us * (1 + matters) < other->model_us
                              && takes_longer(c, seconds, i, j);
        }
    }
    return contradictions;
}

/* For whom a rule would be, by medians of all turns. */
static void judge(tune_case_t *c, double seconds[TUNE_CONTESTANTS][MOST_SAMPLES])
{
    napcoll_rule_contestant_t measured[TUNE_CONTESTANTS];

    c->contradictions = count_contradictions(c, seconds);
    for (int i = 0; i < c->contestants; i++) {
        const tune_contestant_t *k = &c->contestant[i];

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
            || !(k->dropped || takes_longer(c, seconds, i, 0))) {
            continue;
        }
        if (0
            != napcoll_rule_range_takes(collective, settings, map, &c->range,
                                        tune_subject_bounded(tune_subject(c->subject), map->size),
                                        k->row, &takes)) {
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
    return seconds < fmin(slow_short * fastest, long_call)
               ? fmin(seconds, sample(t, c, contestant, 2))
               : seconds;
}

/* Whether a contestant's first calls were so long that it is not tried further, by the fastest one's. */
static bool is_slow(const tune_contestant_t *contestant, double fastest)
{
    if (contestant->row < 0) {
        return contestant->median > fmax(slow_previous * fastest, long_call);
    }
    return contestant->median > fastest
                                    * (fastest < short_call  ? slow_short
                                       : fastest < long_call ? slow
                                                             : slow_long);
}

/* Look at all contestants, and drop who is slow, but never the first. Returns what the fastest takes. */
static double look_first(tune_t *t, tune_case_t *c)
{
    double fastest = INFINITY;

    for (int i = 0; i < c->contestants; i++) {
        c->contestant[i].median = look_at(t, c, i, fastest);
        fastest = fmin(fastest, c->contestant[i].median);
    }
    for (int i = 1; i < c->contestants; i++) {
        c->contestant[i].dropped = is_slow(&c->contestant[i], fastest);
    }
    return fastest;
}

/* Keep what was measured up to now, and drop who has fallen behind, but never the first. */
static void drop_behind(tune_case_t *c, double seconds[TUNE_CONTESTANTS][MOST_SAMPLES])
{
    int fastest = 0;

    for (int i = 0; i < c->contestants; i++) {
        if (!c->contestant[i].dropped) {
            summarize(&c->contestant[i], seconds[i]);
            fastest = c->contestant[i].median < c->contestant[fastest].median ? i : fastest;
        }
    }
    for (int i = 1; i < c->contestants; i++) {
        tune_contestant_t *k = &c->contestant[i];

        k->dropped = k->dropped
                     || napcoll_rule_is_behind(seconds[i], seconds[fastest], k->turns, behind);
    }
}

/* One case, in turns until its share of the time is over, but so many that it can be judged unless all of the
 * time is over before. */
static void measure_case(tune_t *t, tune_case_t *c, const napcoll_settings_t *settings,
                         const napcoll_node_map_t *map, double deadline, double end)
{
    double seconds[TUNE_CONTESTANTS][MOST_SAMPLES];
    const double fastest = look_first(t, c);
    const int most = tune_subject(c->subject)->overlaps ? MOST_STARTS : MOST_CALLS;
    const int count = fastest * most > long_batch ? 1 + (int) (long_batch / fastest) : most;

    while (c->samples < MOST_SAMPLES
           && MPI_Wtime() < (c->samples < NAPCOLL_ROBUST_LEAST_TURNS ? end : deadline)) {
        for (int i = 0; i < c->contestants; i++) { /* each comes first in turn */
            const int which = (i + c->samples) % c->contestants;

            if (!c->contestant[which].dropped) {
                seconds[which][c->samples] = sample(t, c, which, count);
                c->contestant[which].turns++;
            }
        }
        c->samples++;
        if (c->samples >= behind_turns) {
            drop_behind(c, seconds);
        }
    }
    if (c->samples >= NAPCOLL_ROBUST_LEAST_TURNS) {
        judge(c, seconds);
        if (c->contestant[c->best].row < 0) {
            napcoll_rule_range_alike(tune_subject(c->subject)->collective, &settings->previous,
                                     map->size, c->bytes, &c->range);
        }
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
 * agree, or the root announce them, where the machine says that this pays. */
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
    if (!tune_choose_contestants(c, &settings, map)) {
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
