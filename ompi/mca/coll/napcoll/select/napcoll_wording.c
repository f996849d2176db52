/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Decisions in words (see the header).
 */

#include "select/napcoll_wording.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void add(char words[NAPCOLL_WORDS], const char *format,
                                                      ...)
{
    const size_t used = strlen(words);
    va_list args;

    va_start(args, format);
    (void) vsnprintf(words + used, NAPCOLL_WORDS - used, format, args);
    va_end(args);
}

/* One parameter: "; " before the first, ", " before the others. */
static void add_number(char words[NAPCOLL_WORDS], int *added, const char *name, int value)
{
    add(words, "%s%s=%d", 0 == (*added)++ ? "; " : ", ", name, value);
}

/* The parameters of an algorithm's plans; the generator chooses a tunable of 0. Segments are named
 * at the end. Returns how many were added. */
static int add_params(char words[NAPCOLL_WORDS], const napcoll_algorithm_t *algorithm,
                      const napcoll_params_t *params)
{
    int added = 0;

    if (algorithm->radix) {
        add_number(words, &added, "local_radix", params->local_radix);
    }
    for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
        const napcoll_tunable_t *tunable = &algorithm->tunable[t];
        const int value = params->tunable[t];

        if (value < 1 || NAPCOLL_TUNES_SEGMENTS == tunable->tunes) {
            continue;
        }
        if (NULL != tunable->names) {
            add(words, "%s%s=%s", 0 == added++ ? "; " : ", ", tunable->name,
                tunable->names[value - 1]);
        } else {
            add_number(words, &added, tunable->name, value);
        }
    }
    if (params->segments > 1) {
        add_number(words, &added, algorithm->cuts_blocks ? "pieces" : "segments", params->segments);
    }
    return added;
}

/* What decided: a rule, the user or the model. */
static void add_decider(char words[NAPCOLL_WORDS], const napcoll_decision_t *decision, int force)
{
    if (decision->rule > 0) {
        add(words, ", by line %d of the rules file", decision->rule);
    } else if (decision->algorithm >= 0) {
        add(words, ", %s", force >= NAPCOLL_FORCE_FIRST ? "forced" : "chosen by auto");
    }
}

void napcoll_words_of_decision(const napcoll_collective_t *collective,
                               const napcoll_decision_t *decision, int force,
                               char words[NAPCOLL_WORDS])
{
    int added;

    if (0 == decision->least && SIZE_MAX == decision->most) {
        (void) snprintf(words, NAPCOLL_WORDS, "%s of any size", collective->name);
    } else {
        (void) snprintf(words, NAPCOLL_WORDS, "%s of %zu to %zu bytes", collective->name,
                        decision->least, decision->most);
    }
    if (decision->algorithm < 0) {
        add(words, " by the fallback component");
        add_decider(words, decision, force);
        add(words, ": %s", napcoll_reason_help(decision->reason));
        return;
    }
    add(words, " by %s", napcoll_algorithm_at(collective, decision->algorithm)->name);
    add_decider(words, decision, force);
    added = add_params(words, napcoll_algorithm_at(collective, decision->algorithm),
                       &decision->params);
    if (decision->inline_bytes > 0) {
        add(words, "%sinline_bytes=%zu", 0 == added ? "; " : ", ", decision->inline_bytes);
    }
}

bool napcoll_words_of_candidate(const napcoll_collective_t *collective,
                                const napcoll_decision_t *decision, int row,
                                char words[NAPCOLL_WORDS])
{
    static const char *const not_tried[] = {
        [NAPCOLL_EVALUATION_LINEAR] = "its plans have a step for each rank, which are too many",
        [NAPCOLL_EVALUATION_GATHERS] =
            "a process holds all vectors, which only reproducible results need",
        [NAPCOLL_EVALUATION_BURSTS] =
            "it has messages under way at once of a size of which the thresholds warn (gather_m1, "
            "gather_m2, scatter_s)",
        [NAPCOLL_EVALUATION_STRUCTURE] =
            "it has more messages or bytes than auto takes on a machine that was not measured"};
    const napcoll_candidate_t *candidate = &decision->candidate[row];

    (void) snprintf(words, NAPCOLL_WORDS, "%s: ", napcoll_algorithm_at(collective, row)->name);
    switch (candidate->evaluation) {
    case NAPCOLL_EVALUATION_NONE:
        return false;
    case NAPCOLL_EVALUATION_ESTIMATED:
        add(words, "%.3f us%s", candidate->cost_us,
            row == decision->algorithm ? ", the least" : "");
        return true;
    case NAPCOLL_EVALUATION_AT_LEAST:
        add(words, "at least %.3f us", candidate->cost_us);
        return true;
    case NAPCOLL_EVALUATION_NOT_ELIGIBLE:
        add(words, "not eligible: %s", napcoll_reason_help(candidate->reason));
        return true;
    default:
        add(words, "not tried: %s", not_tried[candidate->evaluation]);
        return true;
    }
}
