/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection: one decision, with its reason, from values that all ranks of a communicator share.
 * Pure: no MPI in here.
 *
 * Order: what the user forces (info key, then parameter), else what the rules file says, else
 * `auto`: the algorithm, with its segments and local radix, that costs least on the model of the
 * machine; else the fallback function. On a machine that was not measured auto takes only what has
 * no more messages or bytes than the algorithms that any MPI library has (napcoll_structure.h). The
 * model knows nothing of lost messages, so auto takes no gather or scatter that sends many messages
 * at once of a size of which HeteroMPI's thresholds warn.
 */

#ifndef NAPCOLL_SELECT_H
#define NAPCOLL_SELECT_H

#include "model/napcoll_machine.h"
#include "select/napcoll_call.h"
#include "select/napcoll_rules.h"
#include "select/napcoll_thresholds.h"

/** Values of an algorithm parameter; an algorithm's own value is NAPCOLL_FORCE_FIRST + its row. */
enum { NAPCOLL_FORCE_AUTO = 0, NAPCOLL_FORCE_FALLBACK = 1, NAPCOLL_FORCE_FIRST = 2 };

/** What users set, the same on all ranks. Pointers are borrowed. */
typedef struct napcoll_settings {
    /** NAPCOLL_FORCE_... */
    int force;
    int local_radix;
    napcoll_provider_t provider[NAPCOLL_SCOPES];
    napcoll_shape_t shape;
    bool reproducible;
    /** processes of a node share memory: communicators on one node are served, too, and estimates
     * know its messages where they were measured */
    bool node_memory;
    /** of vectors that go through a pipeline */
    size_t segment_bytes;
    /** of uneven calls: blocks up to this many bytes go through the rounds. 0: the model says, or
     * where users or rules name the algorithm NAPCOLL_NAMED_INLINE_BYTES */
    size_t inline_bytes;
    /** of gathers and scatters */
    napcoll_thresholds_t thresholds;
    /** what auto estimates with */
    const napcoll_machine_t *machine;
    /** the machine was not measured: auto goes by structure, too */
    bool unmeasured;
    /** processors of a node, 0: unknown; matters only on an unmeasured machine */
    int processors;
    /** has the tunables that go with a forced algorithm; NULL: those below */
    const napcoll_rule_t *asked;
    /** what comes before the model; NULL: none */
    const napcoll_rules_t *rules;
    /** auto estimates all variants by whole plans, on any number of ranks: to measure what sketches
     * lose */
    bool closely;
    /** by row of the table; plans from files have none, which the last entry says */
    int tunable[NAPCOLL_MAX_ALGORITHMS + 1][NAPCOLL_MAX_TUNABLES];
} napcoll_settings_t;

/**
 * The most bytes of a call on one node up to which it is served, where its messages go through node
 * memory: they take no longer there than from process to process. A block that only moves is copied
 * twice in it.
 *
 * @param[in] goal            of the collective
 * @param[in] oversubscribed  the node has more processes than processors
 */
static inline size_t napcoll_select_most_on_one_node(napcoll_goal_t goal, bool oversubscribed)
{
    const bool moves = NAPCOLL_GOAL_ALLGATHER == goal || NAPCOLL_GOAL_ALLTOALL == goal;
    const size_t most = NAPCOLL_MACHINE_NODE_MEMORY_MOST;

    if (napcoll_goal_suits_node_memory(goal)) {
        return SIZE_MAX;
    }
    return moves && !oversubscribed ? most / 2 : most;
}

/** Whether processes of a node share processors; false where that is not known. */
static inline bool napcoll_settings_oversubscribed(const napcoll_settings_t *settings,
                                                   const napcoll_node_map_t *map)
{
    return settings->processors > 0 && map->max_ppn > settings->processors;
}

/** What the parameters are where users set none. */
enum {
    NAPCOLL_DEFAULT_LOCAL_RADIX = 8,
    NAPCOLL_DEFAULT_SEGMENT_BYTES = 1024 * 1024,
    NAPCOLL_NAMED_INLINE_BYTES = 64 * 1024,
    NAPCOLL_MOST_SEGMENTS = 8
};

/** Smaller sizes are of one class, and estimated as this one. */
enum { NAPCOLL_LEAST_BYTES = 8 };

/** What auto found out about a row of the table. */
typedef enum {
    /** nothing: the choice was not auto's, or needed no row */
    NAPCOLL_EVALUATION_NONE,
    NAPCOLL_EVALUATION_ESTIMATED,
    /** the estimate ended when it exceeded another row */
    NAPCOLL_EVALUATION_AT_LEAST,
    NAPCOLL_EVALUATION_NOT_ELIGIBLE,
    /** not tried: too many ranks for plans with a step for each rank */
    NAPCOLL_EVALUATION_LINEAR,
    /** not tried: a process holds all vectors, for reproducible results only */
    NAPCOLL_EVALUATION_GATHERS,
    /** not tried: the thresholds warn of what it sends at once */
    NAPCOLL_EVALUATION_BURSTS,
    /** not tried: its structure is worse than the reference's */
    NAPCOLL_EVALUATION_STRUCTURE
} napcoll_evaluation_t;

typedef struct napcoll_candidate {
    napcoll_evaluation_t evaluation;
    /** why it is not eligible; else NONE */
    napcoll_reason_t reason;
    /** of its cheapest variant */
    double cost_us;
} napcoll_candidate_t;

/** An algorithm, its parameters and the reason. */
typedef struct napcoll_decision {
    /** row of the table, or -1: the fallback function */
    int algorithm;
    /** why not, where algorithm is -1 */
    napcoll_reason_t reason;
    /** for the generator */
    napcoll_params_t params;
    /** the decision holds for least .. most bytes */
    size_t least;
    size_t most;
    /** auto's estimate; 0: there is none */
    double cost_us;
    /** line of the rule that decided, be it for auto; 0: none did */
    int rule;
    /** line of the first rule that matches, but whose algorithm cannot do it; 0: none */
    int passed;
    /** why it cannot */
    napcoll_reason_t passed_reason;
    /** of uneven calls whose algorithm forwards blocks: the largest block that goes through the
     * rounds; 0: the model says, see napcoll_uneven_limits */
    size_t inline_bytes;
    /** the model chose the algorithm: neither users nor rules named it */
    bool by_model;
    /** by row of the table */
    napcoll_candidate_t candidate[NAPCOLL_MAX_ALGORITHMS];
} napcoll_decision_t;

/** Set the class of sizes of a decision. */
static inline void napcoll_decision_set_class(napcoll_decision_t *decision, size_t bytes)
{
    decision->least = 0;
    decision->most = NAPCOLL_LEAST_BYTES;
    while (decision->most < bytes) {
        decision->least = decision->most + 1;
        decision->most = decision->most > SIZE_MAX / 2 ? SIZE_MAX : 2 * decision->most;
    }
}

/** Keep the sizes of a class that are in a range, too. */
static inline void napcoll_decision_narrow(napcoll_decision_t *decision, size_t least, size_t most)
{
    decision->least = decision->least > least ? decision->least : least;
    decision->most = decision->most < most ? decision->most : most;
}

/** Note why auto does not take a variant, unless the row has another one with a cost. */
static inline void napcoll_candidate_refuse(napcoll_candidate_t *candidate,
                                            napcoll_evaluation_t refusal)
{
    if (NAPCOLL_EVALUATION_NONE == candidate->evaluation) {
        candidate->evaluation = refusal;
    }
}

/** Keep the cost of a row's variant for logs; the estimate ended where it reached most_us. */
static inline void napcoll_candidate_note_cost(napcoll_candidate_t *candidate, double cost_us,
                                               double most_us)
{
    if (cost_us < most_us) {
        *candidate = (napcoll_candidate_t){.evaluation = NAPCOLL_EVALUATION_ESTIMATED,
                                           .cost_us = cost_us};
    } else if (NAPCOLL_EVALUATION_ESTIMATED != candidate->evaluation
               && (NAPCOLL_EVALUATION_AT_LEAST != candidate->evaluation
                   || cost_us < candidate->cost_us)) {
        *candidate = (napcoll_candidate_t){.evaluation = NAPCOLL_EVALUATION_AT_LEAST,
                                           .cost_us = cost_us};
    }
}

/** Values at most that auto tries of a tunable, and of segments. */
enum { NAPCOLL_MOST_VALUES = 32, NAPCOLL_MOST_TRIED_SEGMENTS = 3 };

/**
 * What auto tries of a row's first tunable if users leave it open: radixes of powers of two up to
 * the largest that matters, or all choices.
 *
 * @param[in]  algorithm  the row
 * @param[in]  map        the communicator's
 * @param[out] value      [NAPCOLL_MOST_VALUES] as in napcoll_params_t
 *
 * @return how many; 0 where the row has no such tunable
 */
int napcoll_select_values(const napcoll_algorithm_t *algorithm, const napcoll_node_map_t *map,
                          int *value);

/**
 * The numbers of segments that are tried: the one that is set, or 1, Hockney's and the number that
 * the eager protocol takes.
 *
 * @param[in]  algorithm  the row
 * @param[in]  map        the communicator's
 * @param[in]  settings   what users set, with a machine
 * @param[in]  params     of the row
 * @param[in]  bytes      of the call
 * @param[out] segments   ascending
 *
 * @return how many, at least 1
 */
int napcoll_select_segments(const napcoll_algorithm_t *algorithm, const napcoll_node_map_t *map,
                            const napcoll_settings_t *settings, const napcoll_params_t *params,
                            size_t bytes, int segments[NAPCOLL_MOST_TRIED_SEGMENTS]);

/** Keep the sizes that every row cuts into as many pieces. */
void napcoll_select_narrow_to_cuts(napcoll_decision_t *decision, const napcoll_settings_t *settings,
                                   const napcoll_call_t *call);

/** Cut blocks of some bytes, where the row does so. */
void napcoll_select_set_pieces(napcoll_params_t *params, const napcoll_settings_t *settings,
                               const napcoll_call_t *call, int row, size_t bytes);

/** What forces the action of a rule: NAPCOLL_FORCE_... */
int napcoll_select_force(const napcoll_rule_t *rule);

/** The settings of a collective where users set none; without a machine. */
napcoll_settings_t napcoll_select_defaults(const napcoll_collective_t *collective);

/**
 * Decide on a call.
 *
 * @param[in]  settings  what users set
 * @param[in]  call      the call
 * @param[out] decision  the same on all ranks with this call
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_select(const napcoll_settings_t *settings, const napcoll_call_t *call,
                   napcoll_decision_t *decision);

/** The most bytes of a message through the large rings of node memory, for napcoll_machine_t; 0:
 * the messages of the goal take none. */
double napcoll_select_large_rings(napcoll_goal_t goal, const napcoll_node_map_t *map);

/**
 * Fit the machine to a communicator and a goal. Without node memory all its messages go by the PML;
 * with it, large ones of goals that suit it go through it. On one node whose processes share
 * processors these handle one message after the other: the estimates shall know that where nobody
 * has measured how long it takes.
 *
 * @param[in,out] settings  gets the machine
 * @param[in]     goal      of the call
 * @param[in]     map       of the call
 * @param[out]    machine   memory for it
 */
void napcoll_select_fit_machine(napcoll_settings_t *settings, napcoll_goal_t goal,
                                const napcoll_node_map_t *map, napcoll_machine_t *machine);

#endif /* NAPCOLL_SELECT_H */
