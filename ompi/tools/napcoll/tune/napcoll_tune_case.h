/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What napcoll-tune tries: collectives, and for each of their sizes a case with its contestants. Choosing these is rank
 * 0's alone, and needs no MPI.
 */

#ifndef NAPCOLL_TUNE_CASE_H
#define NAPCOLL_TUNE_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "select/napcoll_agreement.h"
#include "common/napcoll_rule_range.h"

/** Collectives whose algorithms are tried, sizes of each at most, contestants: what auto would do, every algorithm, also
 * with other tunables, and the fallback function. */
enum {
    TUNE_SUBJECTS = 16,
    TUNE_SUBJECT_SIZES = 6,
    TUNE_CONTESTANTS = 4 * NAPCOLL_MAX_ALGORITHMS,
    TUNE_SAMPLES = 128, /**< of each contestant at most */
    TUNE_ACTION = 128   /**< room for the words that force one */
};

/** A collective whose algorithms are tried. */
typedef struct tune_subject {
    const napcoll_collective_t *collective;
    bool blocks;   /**< sizes are those of a rank's block, not of the vector */
    bool untold;   /**< not all processes know the sizes of all blocks */
    bool overlaps; /**< some process need not wait for all others: calls in a row would overlap */
    int sizes;
    const size_t *bytes; /**< [sizes], TUNE_SUBJECT_SIZES at most, ascending */
    size_t largest;      /**< untold: the largest block is so many times that */
} tune_subject_t;

/** Up to how many bytes of a block, on average, such sizes go along with blocks on so many ranks; 0: not at all. */
static inline size_t tune_subject_bounded(const tune_subject_t *subject, int ranks)
{
    return subject->untold ? NAPCOLL_BOUNDED_BYTES / (size_t) ranks / subject->largest : 0;
}

/** One way to do a collective; times are quartiles and the median, in seconds. */
typedef struct tune_contestant {
    int row;                  /**< of the collective's table; -1: the fallback function */
    char action[TUNE_ACTION]; /**< what forces it: an algorithm with its tunables, or previous */
    napcoll_rule_t
        rule;        /**< what a rule has to say that is to have it done for other sizes as well */
    double model_us; /**< INFINITY: the model does not say */
    bool dropped;    /**< it is not tried further */
    int turns; /**< the first of its case, in which it was measured; 0: median is of its first calls */
    double seconds[TUNE_SAMPLES]; /**< [turns] by turn */
    double low, median, high;
} tune_contestant_t;

/** A collective of a size by several contestants, of which the first is what auto would do. */
typedef struct tune_case {
    int subject;
    int size; /**< of its sizes */
    size_t bytes;
    bool blind;                 /**< auto does without sizes (napcoll_agreement_without) */
    napcoll_rule_range_t range; /**< the sizes for which it stands */
    tune_contestant_t contestant[TUNE_CONTESTANTS];
    int contestants;
    int untried;        /**< for so many more, which are no longer there, it was too late */
    double need;        /**< a call by auto, as estimated, microseconds; 0: not known */
    double need_until;  /**< of all cases up to it in their order */
    int calls;          /**< in a row, that make a sample */
    int samples;        /**< turns in all */
    int looked;         /**< turns of the first look */
    int contradictions; /**< pairs that are not in the model's order */
    int best; /**< contestant for which a rule would be (napcoll_rule_winner); 0: what auto would do */
    bool ruled; /**< it is to have a rule, that the best does the sizes for which this one stands */
} tune_case_t;

/** What came of a collective whose sizes not all processes know. */
typedef struct tune_untold {
    bool judged;
    double telling; /**< what it takes to agree on sizes, in seconds */
    napcoll_rules_scope_t scope;
    const napcoll_rule_t *one; /**< what does all sizes, where that is one; else NULL */
} tune_untold_t;

enum { TUNE_MOST_RULES = TUNE_SUBJECTS * (TUNE_SUBJECT_SIZES + 1) };

/** A rule that follows from what was measured. */
typedef struct tune_rule {
    const tune_case_t *about; /**< NULL: it is on all sizes of its subject */
    int subject;
    napcoll_rule_t rule;
} tune_rule_t;

/** Abort the job because memory ran out. */
void tune_out_of_memory(void);

/** A collective whose algorithms are tried, by its number from 0 to TUNE_SUBJECTS - 1. */
const tune_subject_t *tune_subject(int index);

/**
 * Rank 0: have a case's contestants: what auto would do first, then the fallback function, and algorithms by name in the
 * order of the model.
 *
 * @param[in,out] c whose subject, bytes and blind are set; its contestants
 *
 * @return false where there is nothing to compare, or the thresholds have a say: what they warn of is rare, and no
 *         median shows it; and pieces are those of the job's thresholds, whoever is forced
 */
bool tune_choose_contestants(tune_case_t *c, const napcoll_settings_t *settings,
                             const napcoll_node_map_t *map);

#endif /* NAPCOLL_TUNE_CASE_H */
