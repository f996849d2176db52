/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reductions by routes: a route read backwards (napcoll_route.h), and pipelines of one route
 * backwards and one forwards.
 *
 * Values stay where they are as long as possible: a block's value may be in the user's input, in
 * the temporary that a message came into, or in its home, the buffer of all blocks in which it
 * ends.
 */

#ifndef NAPCOLL_REDUCTION_H
#define NAPCOLL_REDUCTION_H

#include "algo/pattern/napcoll_route.h"
#include "util/napcoll_run_map.h"

/** The blocks that are being reduced on this process, and where the value of each of them is. */
typedef struct napcoll_reduction {
    napcoll_builder_t *builder;
    /** Where values end: a buffer of all blocks, and its first block. Smaller block numbers follow
     * behind the last one (napcoll_group_t.cyclic). */
    napcoll_span_t home;
    int blocks;
    /** Of each block the buffer of its value, an int; no runs in a sketch, where all values are in
     * home. */
    napcoll_run_map_t buffer;
    /** Values of lower ranks are left operands. */
    bool noncommutative;
    /** The first value that comes for blocks still in the input is received at home. */
    bool direct;
    /** This process. */
    int rank;
} napcoll_reduction_t;

/**
 * Begin to reduce.
 *
 * @param[out] reduction  the values, all of them in `input`
 * @param[in]  builder    the plan
 * @param[in]  args       of the plan
 * @param[in]  input      buffer of all blocks; written only where it is home as well
 * @param[in]  home       see napcoll_reduction_t
 * @param[in]  blocks     in all
 *
 * @return false where memory ran out, and the builder is marked as failed; end it in any case
 */
bool napcoll_reduction_begin(napcoll_reduction_t *reduction, napcoll_builder_t *builder,
                             const napcoll_plan_args_t *args, int input, napcoll_span_t home,
                             int blocks);

/** Free the reduction's map. */
void napcoll_reduction_end(napcoll_reduction_t *reduction);

/** Emit a stage's messages, backwards, into the builder's current stage, and the reductions after
 * it. */
void napcoll_reduction_emit(napcoll_reduction_t *reduction, const napcoll_route_t *route, int stage,
                            int shift);

/** Bring the values of blocks [first, first + count) into one buffer, in a stage before the one in
 * which they are sent; returns that span. */
napcoll_span_t napcoll_reduction_settle(napcoll_reduction_t *reduction, int first, int count);

/** Bring values home. */
void napcoll_reduction_home(napcoll_reduction_t *reduction, int first, int count);

/** Reduce a value that rank `peer` has sent in the current stage into its blocks. The temporary
 * belongs to the reduction from then on. */
void napcoll_reduction_add(napcoll_reduction_t *reduction, napcoll_span_t value, int peer);

/**
 * Emit one route backwards, then another one forwards, for every segment of the vector, each
 * segment a stage behind the one before. An allreduce has the same route in both directions.
 *
 * @param[in,out] reduction  begun, for all blocks of all segments
 * @param[in]     backwards  route of one segment
 * @param[in]     forwards   route of one segment; all processes have the same number of stages
 * @param[in]     segments   of the vector
 * @param[in]     blocks     of a segment
 * @param[in]     own        the block of a segment that this process owns, or -1
 */
void napcoll_reduction_pipeline(napcoll_reduction_t *reduction, const napcoll_route_t *backwards,
                                const napcoll_route_t *forwards, int segments, int blocks, int own);

/**
 * The plan of a reduce or allreduce of a vector in segments. Frees the routes.
 *
 * @param[in]     args       of the plan
 * @param[in,out] backwards  route of one segment
 * @param[in,out] forwards   route of one segment; may be the same
 * @param[in]     blocks     of a segment
 * @param[in]     own        the block of a segment that this process owns, or -1
 * @param[in]     slice      blocks of a segment that this process handles if it is not the root
 *
 * @return the plan; NULL when memory ran out
 */
napcoll_plan_t *napcoll_reduction_plan(const napcoll_plan_args_t *args, napcoll_route_t *backwards,
                                       napcoll_route_t *forwards, int blocks, int own,
                                       napcoll_block_range_t slice);

#endif /* NAPCOLL_REDUCTION_H */
