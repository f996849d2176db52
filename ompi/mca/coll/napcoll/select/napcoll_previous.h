/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the fallback component would do with a call, and what that would cost: the fixed decisions of tuned, by the
 * number of ranks and the bytes, and the linear algorithms of basic, where tuned has none. Pure: no MPI in here.
 *
 *     collective, ranks, bytes, op  ->  switch points  ->  a shadow (algo/previous/previous.h)  ->  its plans, simulated
 *
 * Both sides of a comparison go through the same simulation, so that they err alike. Read in
 * ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of 4.1.4, 5.0.7 and 6.0. That of 5.0.7 is the same as that of
 * 4.1.4; 6.0 differs in the chains of a reduce. None of them cuts vectors into segments. Some switch points go by
 * elements, which are taken to have 8 bytes: a decision is made once for all calls of one size, whatever their
 * datatypes, and would otherwise have to be made, agreed and kept for each size of elements. With smaller or larger
 * ones a few sizes next to such a switch point are estimated by the neighbouring algorithm.
 */

#ifndef NAPCOLL_PREVIOUS_H
#define NAPCOLL_PREVIOUS_H

#include "algo/napcoll_algo.h"
#include "model/napcoll_machine.h"

/** Series of Open MPI. */
typedef enum {
    NAPCOLL_SERIES_4_1,
    NAPCOLL_SERIES_5_0,
    NAPCOLL_SERIES_6_0,
    NAPCOLL_SERIES
} napcoll_series_t;

/** Name of a series ("4.1"), static. */
const char *napcoll_series_name(napcoll_series_t series);

/** The series of a version ("5.0" or "5.0.7"); false, and *series as it was, where napcoll knows none. */
bool napcoll_series_find(const char *version, napcoll_series_t *series);

/** Which component holds the slot of a collective behind napcoll. */
typedef enum {
    NAPCOLL_COMPONENT_UNKNOWN, /**< one of which nothing is known here: there is no comparison */
    NAPCOLL_COMPONENT_TUNED,   /**< by its fixed decisions */
    NAPCOLL_COMPONENT_BASIC,
    NAPCOLL_COMPONENTS
} napcoll_component_t;

/** Name of a component ("tuned"), static. */
const char *napcoll_component_name(napcoll_component_t component);

/** The component of a name, or NAPCOLL_COMPONENT_UNKNOWN; NULL is allowed. */
napcoll_component_t napcoll_component_find(const char *name);

/** The component that would hold the slot of a collective if there were but napcoll, tuned and what tuned needs. */
napcoll_component_t napcoll_component_usual(const napcoll_collective_t *collective);

/** What is behind napcoll; all zero: nothing known. */
typedef struct napcoll_previous {
    napcoll_component_t component;
    napcoll_series_t series;
} napcoll_previous_t;

/** A call, as far as the fallback component looks at it. */
typedef struct napcoll_previous_call {
    int ranks;
    size_t bytes; /**< of the vector, or of a rank's block (the mean or the largest one), packed */
    bool noncommutative; /**< the op does not commute */
    bool in_place;       /**< MPI_IN_PLACE, of an all-to-all */
    int root;            /**< of a collective that has one; else 0 */
} napcoll_previous_call_t;

/** What it does. */
typedef struct napcoll_previous_choice {
    const napcoll_collective_t *shadow; /**< the table, of algo/previous/previous.h */
    int row;                            /**< of it */
    napcoll_params_t params;            /**< of the plans */
    bool
        sparse; /**< in all there are few messages for each rank, and they wait for each other: all ranks are
                       simulated, as a sample of them would not show how deep a tree is */
    bool closely;  /**< as napcoll_settings_t has it; false unless the caller says so */
    char name[64]; /**< for people: "binomial", "reduce (binomial), then broadcast (4-nomial)" */
} napcoll_previous_choice_t;

/** On more ranks there is no comparison. */
enum { NAPCOLL_PREVIOUS_MOST_RANKS = 65536 };

/**
 * What the fallback component does with a call.
 *
 * @param[in]  previous    the component
 * @param[in]  collective  napcoll's table of the collective
 * @param[in]  call        the call
 * @param[out] choice      what it does
 *
 * @return whether that is known: not of components other than tuned and basic, of a few algorithms that have no
 *         shadow, of all-to-alls in place, and on more than NAPCOLL_PREVIOUS_MOST_RANKS ranks
 */
bool napcoll_previous_choose(const napcoll_previous_t *previous,
                             const napcoll_collective_t *collective,
                             const napcoll_previous_call_t *call,
                             napcoll_previous_choice_t *choice);

/**
 * What that costs, as napcoll_plan_cost_us has it.
 *
 * @param[in] choice   what the component does
 * @param[in] map      who sits where: of napcoll_plan_cost_map, so that all ranks get the same
 * @param[in] machine  the machine
 * @param[in] bytes    those of the call
 * @param[in] most_us  from here on it is of no interest how much it is; INFINITY: it always is
 *
 * @return microseconds, from most_us on any time that is at least that; NAN where memory ran out
 */
double napcoll_previous_cost_us(const napcoll_previous_choice_t *choice,
                                const napcoll_node_map_t *map, const napcoll_machine_t *machine,
                                double bytes, double most_us);

#endif /* NAPCOLL_PREVIOUS_H */
