/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the two rooms of napcoll-plan explain share: napcoll_plan_explain.c weighs the algorithms and says why,
 * napcoll_plan_explain_auto.c says what the component would do.
 */

#ifndef NAPCOLL_PLAN_EXPLAIN_H
#define NAPCOLL_PLAN_EXPLAIN_H

#include <stdbool.h>

#include "napcoll_plan_tool.h"
#include "select/napcoll_select.h"

/** What an algorithm's plans ask for; of each the most that a rank, or a node, has. */
typedef struct {
    int network_steps;    /**< stages of a rank with messages from or to other nodes */
    int local_steps;      /**< stages of a rank with messages inside its node only */
    int network_messages; /**< that a rank sends to other nodes */
    int local_messages;   /**< that a rank receives from its own node */
    double node_vectors;  /**< vectors, or ranks' blocks, that a node sends to others */
    double folds;         /**< of them that a rank reduces */
} explain_effort_t;

/** An algorithm, and what it would take. */
typedef struct {
    const napcoll_algorithm_t *algorithm;
    napcoll_reason_t reason; /**< why it cannot do this, or NONE */
    bool too_long;           /**< its plans have more steps than are simulated */
    double simulated_us;     /**< NAN: not simulated */
    double formula_us;       /**< NAN: there is none, or none for this placement */
    double time_us;          /**< that of the two which decides; INFINITY: there is none */
    explain_effort_t effort;
    napcoll_params_t params; /**< with which it was weighed */
} explain_candidate_t;

/** What is explained. */
typedef struct {
    const options_t *options;
    const napcoll_node_map_t *map;
    napcoll_machine_t machine;
    napcoll_thresholds_t thresholds;
    const char *rules_file; /**< NULL: none, as where it is "" */
    napcoll_rules_t *rules; /**< NULL: none */
    int bytes;
    bool simulated; /**< plans are simulated, and decide */
    explain_candidate_t candidate[MOST_ALGORITHMS];
    int candidates;
} explain_case_t;

/* ---- napcoll_plan_explain.c ---- */

/** What the component is asked: its settings as the options say, on this machine. They point into the case. */
napcoll_settings_t explain_settings(const explain_case_t *c);

/** What the component decides by these settings. Ends the program where memory runs out. */
napcoll_decision_t explain_decide(const explain_case_t *c, const napcoll_settings_t *settings);

/**
 * Print what the model chooses of an algorithm, each as "NAME=VALUE"; nothing where it chooses nothing.
 *
 * @param[in] before   what stands before the first one
 * @param[in] between  what stands between two
 * @param[in] behind   what stands behind the last one
 */
void explain_print_chosen(const napcoll_algorithm_t *algorithm, const napcoll_params_t *params,
                          const char *before, const char *between, const char *behind);

/* ---- napcoll_plan_explain_auto.c ---- */

/** Print what the component would do with this machine in its parameters. */
void explain_component(const explain_case_t *c);

#endif /* NAPCOLL_PLAN_EXPLAIN_H */
