/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection: one decision, with its reason, from values that all ranks of a communicator
 * share. Pure: no MPI in here.
 *
 * Order: what the user forces (info key, then parameter), else what the rules file says, else `auto`: the
 * algorithm, with its segments and local radix, that costs least on the model of the machine; else the fallback
 * function. On a machine that was not measured auto takes only what has no more messages or bytes than the
 * algorithms that any MPI library has (napcoll_structure.h). The model knows nothing of lost messages, so auto
 * takes no gather or scatter that sends many messages at once of a size of which HeteroMPI's thresholds warn.
 * Nothing in a decision depends on one rank's own view, so all ranks decide alike.
 */

#ifndef NAPCOLL_SELECT_H
#define NAPCOLL_SELECT_H

#include "algo/napcoll_algo.h"
#include "model/napcoll_machine.h"
#include "select/napcoll_rules.h"
#include "select/napcoll_thresholds.h"

/** Values of an algorithm parameter; an algorithm's own value is NAPCOLL_FORCE_FIRST + its row. */
enum { NAPCOLL_FORCE_AUTO = 0, NAPCOLL_FORCE_FALLBACK = 1, NAPCOLL_FORCE_FIRST = 2 };

enum { NAPCOLL_MAX_ALGORITHMS = 16 };

/** What users set, the same on all ranks. */
typedef struct napcoll_settings {
    int force; /**< NAPCOLL_FORCE_... */
    int local_radix;
    napcoll_provider_t provider;
    napcoll_shape_t shape;
    bool reproducible;
    size_t segment_bytes;             /**< of vectors that go through a pipeline */
    napcoll_thresholds_t thresholds;  /**< of gathers and scatters */
    const napcoll_machine_t *machine; /**< what auto estimates with; borrowed */
    const napcoll_rule_t *
        asked; /**< has the tunables that go with a forced algorithm; borrowed; NULL: as set here */
    const napcoll_rules_t *rules; /**< what comes before the model; borrowed; NULL: none */
    /** the machine was not measured: auto takes no algorithm with a worse structure than the reference's
     * (napcoll_structure.h) */
    bool unmeasured;
    /** processors of a node, 0: unknown; matters only on an unmeasured machine */
    int processors;
    bool
        closely; /**< auto estimates all variants by whole plans, on any number of ranks: to see what it loses */
    int tunable[NAPCOLL_MAX_ALGORITHMS][NAPCOLL_MAX_TUNABLES]; /**< by row of the table */
} napcoll_settings_t;

/** What the parameters are where users set none. */
enum {
    NAPCOLL_DEFAULT_LOCAL_RADIX = 8,
    NAPCOLL_DEFAULT_SEGMENT_BYTES = 1024 * 1024,
    NAPCOLL_MOST_SEGMENTS = 8
};

/** Smaller sizes are of one class, and estimated as this one. */
enum { NAPCOLL_LEAST_BYTES = 8 };

/** What is asked of a call. */
typedef struct napcoll_question {
    const napcoll_node_map_t *map;
    size_t
        bytes; /**< of the vector, or of a rank's block (of an all-to-all the mean, of a gather or scatter
                        the largest one), packed */
    bool noncommutative; /**< the op does not commute */
    bool in_place;       /**< MPI_IN_PLACE */
    int root;            /**< of a collective that has one; else 0 */
    bool direct;         /**< auto leaves algorithms by detours out */
    bool bounded;        /**< see napcoll_params_t */
} napcoll_question_t;

/** What auto found out about a row of the table. */
typedef enum {
    NAPCOLL_EVALUATION_NONE, /**< it did not come to that: the choice was not its own, or needed no row */
    NAPCOLL_EVALUATION_ESTIMATED, /**< it costs so much */
    NAPCOLL_EVALUATION_AT_LEAST,  /**< it costs so much or more, which was more than another one */
    NAPCOLL_EVALUATION_NOT_ELIGIBLE, /**< for the reason */
    NAPCOLL_EVALUATION_LINEAR,  /**< on so many ranks plans with a step for each are not tried */
    NAPCOLL_EVALUATION_GATHERS, /**< it is there for the sake of reproducible results alone */
    NAPCOLL_EVALUATION_DETOURS, /**< the question leaves detours out */
    NAPCOLL_EVALUATION_BURSTS,  /**< the thresholds warn of what it sends at once */
    /** its structure is worse than the reference's, on a machine that was not measured */
    NAPCOLL_EVALUATION_STRUCTURE
} napcoll_evaluation_t;

typedef struct napcoll_candidate {
    napcoll_evaluation_t evaluation;
    napcoll_reason_t reason; /**< why it is not eligible; else NONE */
    double cost_us;          /**< of its cheapest variant */
} napcoll_candidate_t;

/** An algorithm, its parameters and the reason. */
typedef struct napcoll_decision {
    int algorithm;           /**< row of the table, or -1: the fallback function */
    napcoll_reason_t reason; /**< why not, where algorithm is -1 */
    napcoll_params_t params; /**< for the generator */
    size_t least;            /**< the decision holds for so many bytes, least .. most */
    size_t most;
    double cost_us; /**< what auto estimates with; 0 where it did not estimate */
    int rule;       /**< line of the rule that decided so, if only that auto is to; 0: none did */
    int passed; /**< line of the first rule that matches, but whose algorithm cannot do it; 0: none */
    napcoll_reason_t passed_reason; /**< why it cannot */
    bool by_model; /**< the model chose the algorithm: neither users nor rules named it */
    napcoll_candidate_t candidate[NAPCOLL_MAX_ALGORITHMS]; /**< by row of the table */
} napcoll_decision_t;

/** Values at most that auto tries of a tunable. */
enum { NAPCOLL_MOST_VALUES = 32 };

/**
 * What auto tries of a row's first tunable where that is left open: radixes of powers of two, as far as they are needed,
 * or all that can be chosen.
 *
 * @param[in]  algorithm  the row
 * @param[in]  map        who sits where
 * @param[out] value      [NAPCOLL_MOST_VALUES] as in napcoll_params_t
 *
 * @return how many; 0 where the row has no such tunable
 */
int napcoll_select_values(const napcoll_algorithm_t *algorithm, const napcoll_node_map_t *map,
                          int *value);

/** What forces the action of a rule: NAPCOLL_FORCE_... */
int napcoll_select_force(const napcoll_rule_t *rule);

/** The settings of a collective where users set none, but the machine. */
napcoll_settings_t napcoll_select_defaults(const napcoll_collective_t *collective);

/**
 * Decide on a call of a collective. Bytes are those of the packed vector on any rank: MPI demands
 * equal signatures.
 *
 * @param[in]  collective  its table
 * @param[in]  settings    what users set
 * @param[in]  question    what is asked
 * @param[out] decision    the same on all ranks that ask the same
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_select(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                   const napcoll_question_t *question, napcoll_decision_t *decision);

#endif /* NAPCOLL_SELECT_H */
