/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What napcoll-tune compares to correct the model: for each collective and size what auto would do,
 * the fallback, and the algorithms that are next best by the model. And the rules that follow, and
 * how they go into a rules file. Pure: no MPI in here.
 *
 * Neighbouring sizes with the same winner make one rule. Such a winner is structural: it wins
 * because of its algorithm, not of one measurement, so the rule is for half to double the measured
 * numbers of nodes and of processes on each. A winner of one size has a rule for the measured shape
 * only.
 */

#ifndef NAPCOLL_TUNE_CASES_H
#define NAPCOLL_TUNE_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/napcoll_names.h"
#include "measure/napcoll_judge.h"
#include "select/napcoll_select.h"

enum {
    TUNE_COLLECTIVES = 17,
    TUNE_SIZES = 6,
    TUNE_CASES = TUNE_COLLECTIVES * TUNE_SIZES,
    /** the model's best five, and the fallback */
    TUNE_CONTESTANTS = 6,
    TUNE_ACTION = 128
};

/** The sizes that should be measured, by collective in the order of napcoll_collectives. */
typedef struct tune_wanted {
    bool size[TUNE_COLLECTIVES][TUNE_SIZES];
} tune_wanted_t;

/** One way to carry out a collective. */
typedef struct tune_contestant {
    /** what forces it in this job, with all tunables, as in rules */
    char action[TUNE_ACTION];
    /** what a rule says for it; tunables, except for a choice, are chosen by the model then */
    napcoll_rule_t rule;
    /** estimate in microseconds; INFINITY: unknown */
    double model_us;
    /** measured times in seconds; of a dropped one, its first call only */
    napcoll_summary_t time;
    /** median seconds from the first entry to the last exit; NAN if dropped */
    double run;
    bool dropped;
} tune_contestant_t;

/** A collective of one size. */
typedef struct tune_case {
    const napcoll_collective_t *collective;
    /** index in the sizes of the collective, and its bytes: of a vector, or of a rank's block */
    int size;
    size_t bytes;
    /** not all processes know the sizes of all blocks: one rule has to be for all sizes */
    bool untold;
    /** the sizes that a rule for this case is for */
    napcoll_rule_range_t range;
    /** there is nothing to compare, or the thresholds warn of this size */
    bool skipped;
    /** the first is what auto would do */
    int contestants;
    tune_contestant_t contestant[TUNE_CONTESTANTS];
    /** turns that were measured; fewer than NAPCOLL_ROBUST_LEAST_TURNS: not judged */
    int turns;
    /** the contestant that a rule should name; 0: what auto would do is kept */
    int best;
} tune_case_t;

/** All collectives that can be measured, with all sizes. */
void tune_want_all(tune_wanted_t *wanted);

/**
 * Read COLLECTIVE[:BYTES],...: of a collective all sizes, or the measured size that is nearest to
 * BYTES. Of a collective with one rule for all sizes, all are wanted. False for a wrong list.
 */
bool tune_want_only(tune_wanted_t *wanted, const char *text);

/** The names of the collectives that can be measured; no context. */
napcoll_name_at_t tune_wanted_name_at;

/**
 * List cases in the order in which they are measured: few bytes first, so that long calls do not
 * take the time of short ones. Sizes that need buffers above 16 MiB are left out.
 *
 * @param[out] list [TUNE_CASES]
 *
 * @return how many
 */
int tune_list_cases(const tune_wanted_t *wanted, int ranks, tune_case_t *list);

/**
 * Choose the contestants of a case, and the sizes that a rule for it is for: half way to the next
 * measured sizes, without those that HeteroMPI's thresholds warn of. There escalations are rare,
 * and no median of a few turns shows them; a case with such a size has no contestants.
 *
 * @param[in,out] c          from tune_list_cases
 * @param[in]     machine    that was found
 * @param[in]     thresholds as a job has them that reads the parameter file
 * @param[in]     map        of the job
 *
 * @return 0, or -1 when memory ran out
 */
int tune_choose(tune_case_t *c, const napcoll_machine_t *machine,
                const napcoll_thresholds_t *thresholds, const napcoll_node_map_t *map);

/* ---- napcoll_tune_merge.c ---- */

/** The shape that was measured: nodes with as many processes each. */
typedef struct tune_shape {
    size_t nodes, ppn;
} tune_shape_t;

/** A rule, and the cases that it follows from. */
typedef struct tune_rule {
    napcoll_rule_t rule;
    /** the cases, ascending by size */
    const tune_case_t *about[TUNE_SIZES];
    int cases;
} tune_rule_t;

/**
 * Make rules of cases.
 *
 * @param[in]  list  [cases] in any order; cases with too few turns say nothing
 * @param[in]  again the rules go before older ones: sizes where auto's choice is kept have a rule,
 * too
 * @param[out] rules [TUNE_CASES]
 *
 * @return how many
 */
int tune_make_rules(const tune_case_t *list, int cases, const tune_shape_t *shape, bool again,
                    tune_rule_t *rules);

/** Print rules, each after comments on what was measured. */
void tune_print_rules(const tune_rule_t *rules, int count, FILE *out);

/**
 * Print the text of an older rules file without the rules that can no longer match, as the new ones
 * stand before them. What tune_print_rules wrote above such a rule is left out, too.
 *
 * @param[in] text [length], with a zero behind it
 *
 * @return how many rules were left out; -1 where the text is wrong or memory ran out
 */
int tune_print_older(const char *text, size_t length, const tune_rule_t *rules, int count,
                     FILE *out);

#endif /* NAPCOLL_TUNE_CASES_H */
