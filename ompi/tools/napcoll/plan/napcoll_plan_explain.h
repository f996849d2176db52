/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan explain: napcoll_plan_explain.c compares the algorithms,
 * napcoll_plan_explain_auto.c says what the component would do.
 */

#ifndef NAPCOLL_PLAN_EXPLAIN_H
#define NAPCOLL_PLAN_EXPLAIN_H

#include "napcoll_plan_tool.h"
#include "select/napcoll_select.h"

/** What the plans of an algorithm need: of each the most that a rank, or a node, has. */
typedef enum {
    /** Stages of a rank with messages to or from other nodes. */
    EFFORT_NETWORK_STEPS,
    /** Messages that a rank sends to other nodes. */
    EFFORT_NETWORK_MESSAGES,
    /** Vectors, or ranks' blocks, that a node sends to others. */
    EFFORT_NODE_VECTORS,
    /** Stages of a rank with messages inside its node only. */
    EFFORT_LOCAL_STEPS,
    /** Messages that a rank receives from its own node. */
    EFFORT_LOCAL_MESSAGES,
    /** Vectors or blocks that a rank reduces. */
    EFFORT_REDUCTIONS,
    EFFORTS
} effort_t;

/** An algorithm, and its times. */
typedef struct {
    const napcoll_algorithm_t *algorithm;
    /** Why it cannot do this, or NONE. */
    napcoll_reason_t reason;
    /** Its plans have too many steps to be simulated. */
    bool too_long;
    /** NAN: unknown. */
    double simulated_us, formula_us;
    /** The one of the two that decides; INFINITY: unknown. */
    double time_us;
    double effort[EFFORTS];
    napcoll_params_t params;
} explain_candidate_t;

/** What is explained. */
typedef struct {
    const options_t *options;
    const napcoll_node_map_t *map;
    napcoll_machine_t machine;
    napcoll_thresholds_t thresholds;
    /** The component serves the call where it needs node memory for that. */
    bool node_memory;
    /** NULL: none */
    const char *rules_file;
    napcoll_rules_t *rules;
    int bytes;
    /** Plans are simulated, and decide. */
    bool simulated;
    /** of the collective's table, and the one of a file */
    explain_candidate_t candidate[MOST_ALGORITHMS + 1];
    int candidates;
    napcoll_progress_t *progress;
} explain_case_t;

/* ---- napcoll_plan_explain.c ---- */

/** The component's settings as the options give them, on this machine. They point into the case. */
napcoll_settings_t explain_settings(const explain_case_t *c);

/** The component's decision with these settings. */
napcoll_decision_t explain_decide(const explain_case_t *c, const napcoll_settings_t *settings);

/**
 * Print the parameters of an algorithm that the model chooses, each as "NAME=VALUE"; nothing where
 * it chooses none.
 *
 * @param[in] before   put before the first one
 * @param[in] between  put between two
 * @param[in] behind   put behind the last one
 */
void explain_print_chosen(const napcoll_algorithm_t *algorithm, const napcoll_params_t *params,
                          const char *before, const char *between, const char *behind);

/* ---- napcoll_plan_explain_auto.c ---- */

/** Print what the component would do with this machine in its parameters. */
void explain_component(const explain_case_t *c);

#endif /* NAPCOLL_PLAN_EXPLAIN_H */
