/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Collectives whose sizes not all processes know: rules on these have processes agree on them, which the
 * contestants, of a size that is forced upon them, did not do. What it takes was measured as well, as calls of the
 * collective by which they agree. Rank 0 alone.
 *
 *     by size    what is faster for each size, and the agreement, where calls cannot rely on that of earlier ones
 *     one rule   an algorithm that sends each block straight to its end, or the fallback function, for all sizes, if
 *                the time has sufficed for the largest: one that detours would do so also with larger blocks than any
 *                that were measured
 *     none       what auto takes, and the agreement; where that does not pay, auto does without
 */

#include <math.h>

#include "napcoll_tune.h"
#include "select/napcoll_agreement.h"
#include "common/napcoll_rule_scope.h"

/* The cases of a subject that could be judged. */
static int cases_of(tune_machine_t *m, int subject, tune_case_t *found[TUNE_SUBJECT_SIZES])
{
    int cases = 0;

    for (int i = 0; i < m->num_tried; i++) {
        if (subject == m->tried[i].subject && m->tried[i].samples >= NAPCOLL_ROBUST_LEAST_TURNS) {
            found[cases++] = &m->tried[i];
        }
    }
    return cases;
}

/* The contestant that will do a case: that of its rule, or auto's. */
static const tune_contestant_t *winner(const tune_case_t *c)
{
    return &c->contestant[c->ruled ? c->best : 0];
}

/* What it takes to agree, in seconds: a call of the smallest size by whom its own rules name; INFINITY: it was not
 * measured. */
static double telling_seconds(const tune_machine_t *m, const napcoll_collective_t *collective)
{
    for (int i = 0; i < m->num_tried; i++) {
        const tune_case_t *c = &m->tried[i];

        if (napcoll_agreement_by(collective) == tune_subject(c->subject)->collective && 0 == c->size
            && c->samples >= NAPCOLL_ROBUST_LEAST_TURNS) {
            return winner(c)->median;
        }
    }
    return INFINITY;
}

/* What a contestant of a case takes with its share of the agreement. */
static double all_of(const tune_case_t *c, const tune_contestant_t *k, int ranks, double telling)
{
    const tune_subject_t *subject = tune_subject(c->subject);
    const napcoll_algorithm_t *algorithm = k->row < 0 ? NULL
                                                      : &subject->collective->algorithm[k->row];
    const bool bounded = c->bytes <= tune_subject_bounded(subject, ranks);
    const double share = napcoll_rule_scope_share(subject->collective, algorithm, bounded);

    return k->median + (share > 0 ? share * telling : 0);
}

/* An algorithm of a case as it is when it is named without tunables, or the fallback function; NULL: it was not tried so. */
static const tune_contestant_t *plain(const tune_case_t *c, int row)
{
    for (int i = 0; i < c->contestants; i++) {
        if (row == c->contestant[i].row && !napcoll_rule_has_tunables(&c->contestant[i].rule)) {
            return &c->contestant[i];
        }
    }
    return NULL;
}

/* Judge the cases of a subject together. */
static void judge(tune_untold_t *untold, const napcoll_collective_t *collective,
                  tune_case_t *const found[], int cases, int ranks, bool may_be_one)
{
    double by_size[TUNE_SUBJECT_SIZES], silent[TUNE_SUBJECT_SIZES];
    double one[(NAPCOLL_MAX_ALGORITHMS + 1) * TUNE_SUBJECT_SIZES];
    napcoll_rule_times_t times = {.sizes = cases, .by_size = by_size, .silent = silent, .one = one};
    int row_of[NAPCOLL_MAX_ALGORITHMS + 1], which;

    for (int i = 0; i < cases; i++) {
        by_size[i] = all_of(found[i], winner(found[i]), ranks, untold->telling);
        silent[i] = found[i]->blind
                        ? found[i]->contestant[0].median
                        : all_of(found[i], &found[i]->contestant[0], ranks, untold->telling);
    }
    for (int row = -1; may_be_one && row < collective->algorithms; row++) {
        if (!napcoll_rule_scope_may_be_one(row < 0 ? NULL : &collective->algorithm[row])) {
            continue;
        }
        for (int i = 0; i < cases; i++) {
            const tune_contestant_t *k = plain(found[i], row);

            one[times.ones * cases + i] = NULL == k ? INFINITY : k->median;
        }
        row_of[times.ones++] = row;
    }
    untold->judged = true;
    untold->scope = napcoll_rule_scope_choose(&times, &which);
    untold->one = which < 0 ? NULL : &plain(found[0], row_of[which])->rule;
}

void tune_judge_untold(tune_t *t, const napcoll_node_map_t *map)
{
    tune_machine_t *m = t->machine;

    for (int subject = 0; subject < TUNE_SUBJECTS; subject++) {
        const napcoll_collective_t *collective = tune_subject(subject)->collective;
        tune_untold_t *untold = &m->untold[subject];
        napcoll_settings_t settings = napcoll_select_defaults(collective);
        tune_case_t *found[TUNE_SUBJECT_SIZES];
        bool ruled = false, largest = false, warned;
        int cases = tune_subject(subject)->untold ? cases_of(m, subject, found) : 0;

        for (int i = 0; i < cases; i++) {
            ruled = ruled || found[i]->ruled;
            largest = largest || tune_subject_sizes(t, subject) - 1 == found[i]->size;
        }
        untold->telling = ruled ? telling_seconds(m, collective) : INFINITY;
        if (isinf(untold->telling)) {
            continue;
        }
        settings.machine = &m->fit.machine;
        settings.thresholds = m->thresholds;
        if (0 != napcoll_rule_range_any_is_warned(collective, &settings, map, &warned)) {
            tune_out_of_memory();
        }
        judge(untold, collective, found, cases, t->ranks, !warned && largest);
        for (int i = 0; i < cases && NAPCOLL_RULES_BY_SIZE != untold->scope; i++) {
            found[i]->ruled = false;
        }
    }
}
