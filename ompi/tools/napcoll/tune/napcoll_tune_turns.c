/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * One case of napcoll-tune's: its contestants are measured in turns, at first all, at another time once more those that
 * are near each other, and judged by all of that. Rank 0 alone.
 */

#include <math.h>
#include <string.h>

#include "napcoll_tune.h"
#include "napcoll_tune_schedule.h"
#include "common/napcoll_rule_range.h"
#include "common/napcoll_rule_winner.h"

/* By how much two times have to differ, besides noise, to be of interest. */
static const double matters = 0.05;

/* Who takes so many times what the fastest takes in its first calls is not tried further. In short ones processes still find
 * together: what takes four times as long there may be the fastest in the end. */
static const double slow_short = 5, short_call = 10e-3, slow = 2.5;

/* Calls of so many seconds vary less: who takes `slow_long` times what the fastest takes is not tried further, and each is
 * looked at once less before; in calls of `very_long` connections do not count, and the very first is enough for that. */
static const double long_call = 50e-3, slow_long = 1.6, very_long_call = 0.5;

/* The fallback function, than which nothing is to be slower, is given up only where its first calls are long and take so many
 * times what the fastest takes. */
static const double slow_previous = 3;

/* Who takes longer than the fastest by this share in each of its turns, so many at least, is not tried further either: the
 * time is for those that are near each other. */
static const double behind = 0.3;
static const int behind_turns = 3;

/* A sample of the fastest lasts about so long, in seconds, as in collbench: of several calls in a row the later ones find
 * processes awake. But it has few calls where each needs a start of its own. */
static const double long_batch = 20e-3;

enum { MOST_CALLS = 50, MOST_STARTS = 2 };

/* So many contestants are looked at however late it is. */
enum { LEAST_CONTESTANTS = 2 };

/* The first look at contestants has this part of a case's time: one call says more than the sixth turn of others. */
static const double looking = 0.5;

/* At the second look only those are tried that have taken less than so many times what the fastest took, and the previous
 * function as above; and auto. */
static const double near = 1.5;

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
static void summarize(tune_contestant_t *contestant)
{
    const size_t turns = (size_t) contestant->turns;
    double sorted[TUNE_SAMPLES];

    memcpy(sorted, contestant->seconds, turns * sizeof(*sorted));
    napcoll_robust_sort(sorted, turns);
    contestant->low = napcoll_robust_quantile(sorted, turns, 0.25);
    contestant->median = napcoll_robust_quantile(sorted, turns, 0.5);
    contestant->high = napcoll_robust_quantile(sorted, turns, 0.75);
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

/* Calls of a sample. */
static int calls_of(const tune_case_t *c, double fastest)
{
    const int most = tune_subject(c->subject)->overlaps ? MOST_STARTS : MOST_CALLS;

    return fastest * most > long_batch ? 1 + (int) (long_batch / fastest) : most;
}

/* Look at contestants: at what auto would do and the fallback function, and as long as looking takes no more than half of the
 * time until it is late, as turns take the other half, at whoever comes next. Drop who is slow, but never the first.
 * Returns what the fastest takes. */
static double look_first(tune_t *t, tune_case_t *c, double late, double end)
{
    const double now = MPI_Wtime(), until = fmin(now + looking * (late - now), end);
    const int all = c->contestants;
    double fastest = INFINITY;

    for (c->contestants = 0;
         c->contestants < all && (c->contestants < LEAST_CONTESTANTS || MPI_Wtime() < until);
         c->contestants++) {
        tune_contestant_t *k = &c->contestant[c->contestants];

        k->median = look_at(t, c, c->contestants, fastest);
        fastest = fmin(fastest, k->median);
    }
    c->untried = all - c->contestants;
    for (int i = 1; i < c->contestants; i++) {
        c->contestant[i].dropped = is_slow(&c->contestant[i], fastest);
    }
    return fastest;
}

/* The contestant of least median. */
static int fastest_of(const tune_case_t *c)
{
    int fastest = 0;

    for (int i = 0; i < c->contestants; i++) {
        if (!c->contestant[i].dropped && c->contestant[i].median < c->contestant[fastest].median) {
            fastest = i;
        }
    }
    return fastest;
}

/* Keep what was measured up to now, and drop who has fallen behind, but never the first. */
static void drop_behind(tune_case_t *c)
{
    int fastest;

    for (int i = 0; i < c->contestants; i++) {
        if (!c->contestant[i].dropped) {
            summarize(&c->contestant[i]);
        }
    }
    fastest = fastest_of(c);
    for (int i = 1; i < c->contestants; i++) {
        tune_contestant_t *k = &c->contestant[i];

        k->dropped = k->dropped
                     || napcoll_rule_is_behind(k->seconds, c->contestant[fastest].seconds, k->turns,
                                               behind);
    }
}

/* Turns until the deadline, or until there are `most` of them in all; but so many that there are `least` unless all of the
 * time is over before. */
static void take_turns(tune_t *t, tune_case_t *c, int least, int most, double deadline, double end)
{
    while (c->samples < most && MPI_Wtime() < (c->samples < least ? end : deadline)) {
        for (int i = 0; i < c->contestants; i++) { /* each comes first in turn */
            const int which = (i + c->samples) % c->contestants;
            tune_contestant_t *k = &c->contestant[which];

            if (!k->dropped) {
                k->seconds[c->samples] = sample(t, c, which, c->calls);
                k->turns++;
            }
        }
        c->samples++;
        if (c->samples >= behind_turns) {
            drop_behind(c);
        }
    }
}

void tune_look(tune_t *t, tune_case_t *c, double deadline, double late, double end)
{
    c->calls = calls_of(c, look_first(t, c, late, end));
    tune_fit_turns(c, NAPCOLL_ROBUST_LEAST_TURNS, late - MPI_Wtime());
    take_turns(t, c, NAPCOLL_ROBUST_LEAST_TURNS, t->options.most_turns / 2, deadline, end);
    c->looked = c->samples;
}

void tune_look_again(tune_t *t, tune_case_t *c, double deadline, double end)
{
    const double fastest = c->contestant[fastest_of(c)].median;

    for (int i = 0; i < c->contestants; i++) {
        tune_contestant_t *k = &c->contestant[i];

        k->dropped = k->dropped
                     || (i > 0 && k->median > (k->row < 0 ? slow_previous : near) * fastest);
        if (!k->dropped) {
            (void) look_at(t, c, i, INFINITY); /* its first calls make all anew, and do not count */
        }
    }
    take_turns(t, c, c->looked + NAPCOLL_ROBUST_LEAST_TURNS, t->options.most_turns, deadline, end);
}

/* ---- judging ---- */

/* Whether one contestant takes longer than another beyond noise, in the turns that both have. */
static bool takes_longer(const tune_contestant_t *one, const tune_contestant_t *other)
{
    return napcoll_robust_longer(one->seconds, other->seconds,
                                 one->turns < other->turns ? one->turns : other->turns, matters);
}

/* Pairs whose order is not the model's. */
static int count_contradictions(const tune_case_t *c)
{
    int contradictions = 0;

    for (int i = 0; i < c->contestants; i++) {
        for (int j = 0; j < c->contestants; j++) {
            const tune_contestant_t *one = &c->contestant[i], *other = &c->contestant[j];

            contradictions += other->model_us < INFINITY
                              && one->model_us * (1 + matters) < other->model_us
                              && takes_longer(one, other);
        }
    }
    return contradictions;
}

/* For whom a rule would be, by all turns. */
static int best_of(const tune_case_t *c)
{
    napcoll_rule_contestant_t measured[TUNE_CONTESTANTS];
    const napcoll_rule_turns_t turns = {.all = c->samples, .looked = c->looked};

    for (int i = 0; i < c->contestants; i++) {
        const tune_contestant_t *k = &c->contestant[i];

        measured[i] = (napcoll_rule_contestant_t){
            .seconds = k->dropped ? NULL : k->seconds, .median = k->median, .previous = k->row < 0};
    }
    return napcoll_rule_winner(measured, c->contestants, &turns, matters);
}

/* Whether somewhere among the sizes that this one stands for auto would take an algorithm that is beyond noise slower
 * here than what it takes here: half way to the next size nobody knows better. */
static bool strays(const tune_case_t *c, const napcoll_settings_t *settings,
                   const napcoll_node_map_t *map)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;

    for (int i = 1; i < c->contestants && !c->blind; i++) {
        const tune_contestant_t *k = &c->contestant[i];
        bool takes;

        if (k->row == c->contestant[0].row || napcoll_rule_has_tunables(&k->rule)
            || !(k->dropped ? k->median > c->contestant[0].median
                            : takes_longer(k, &c->contestant[0]))) {
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

void tune_judge_case(tune_case_t *c, const napcoll_settings_t *settings,
                     const napcoll_node_map_t *map)
{
    if (c->samples < NAPCOLL_ROBUST_LEAST_TURNS) {
        return;
    }
    c->contradictions = count_contradictions(c);
    c->best = best_of(c);
    c->ruled = c->best > 0 || strays(c, settings, map);
}
