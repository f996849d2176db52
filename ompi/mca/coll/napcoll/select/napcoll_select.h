/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection: one decision, with its reason, from values that all ranks of a communicator
 * share. Pure: no MPI in here.
 *
 * Order: what the user forces (info key, then parameter), else the rule of `auto`, else the
 * previous function. Nothing in a decision depends on one rank's own view, so all ranks decide
 * alike.
 */

#ifndef NAPCOLL_SELECT_H
#define NAPCOLL_SELECT_H

#include "algo/napcoll_algo.h"

/** Values of an algorithm parameter; an algorithm's own value is NAPCOLL_FORCE_FIRST + its row. */
enum { NAPCOLL_FORCE_AUTO = 0, NAPCOLL_FORCE_PREVIOUS = 1, NAPCOLL_FORCE_FIRST = 2 };

enum { NAPCOLL_MAX_ALGORITHMS = 16 };

/** What users set, the same on all ranks. */
typedef struct napcoll_settings {
    int force;      /**< NAPCOLL_FORCE_... */
    size_t nap_max; /**< bytes up to which auto does an allreduce by nap */
    size_t smp_max; /**< bytes up to which auto does it by smp, above nap_max */
    int local_radix;
    napcoll_provider_t provider;
    napcoll_shape_t shape;
    int tunable[NAPCOLL_MAX_ALGORITHMS][NAPCOLL_MAX_TUNABLES]; /**< by row of the table */
} napcoll_settings_t;

/** What the parameters are where users set none: in bytes, and the fan-out. */
enum {
    NAPCOLL_DEFAULT_NAP_MAX = 2048,
    NAPCOLL_DEFAULT_SMP_MAX = 32768,
    NAPCOLL_DEFAULT_LOCAL_RADIX = 8
};

/** What is asked of a call. */
typedef struct napcoll_question {
    const napcoll_node_map_t *map;
    size_t bytes;  /**< of the vector, packed */
    bool ordered;  /**< the op does not commute */
    bool in_place; /**< MPI_IN_PLACE */
} napcoll_question_t;

/** An algorithm, its parameters and the reason. */
typedef struct napcoll_decision {
    int algorithm;           /**< row of the table, or -1: the previous function */
    napcoll_reason_t reason; /**< why not, where algorithm is -1 */
    napcoll_params_t params; /**< for the generator */
    size_t least;            /**< the decision holds for vectors of least .. most bytes */
    size_t most;
} napcoll_decision_t;

/** The settings of a collective where users set none. */
napcoll_settings_t napcoll_select_defaults(const napcoll_collective_t *collective);

/**
 * Decide on a call of a collective. Bytes are those of the packed vector on any rank: MPI demands
 * equal signatures.
 */
napcoll_decision_t napcoll_select(const napcoll_collective_t *collective,
                                  const napcoll_settings_t *settings,
                                  const napcoll_question_t *question);

#endif /* NAPCOLL_SELECT_H */
