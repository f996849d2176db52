/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Builds a plan, stage by stage. The calls that add messages and work may come in any order: the
 * builder puts a stage's receives first, then its sends, then its work.
 *
 * Errors stick: a builder that ran out of memory ignores all further calls, and
 * napcoll_builder_finish reports it. So generators need no checks of their own.
 */

#ifndef NAPCOLL_BUILDER_H
#define NAPCOLL_BUILDER_H

#include "plan/napcoll_plan.h"

typedef struct napcoll_builder napcoll_builder_t;

/**
 * Begin a plan, in the layout of a vector that both user buffers hold.
 *
 * @param[in] collective  name, static
 * @param[in] algorithm   name, static
 * @param[in] rank        whose plan
 * @param[in] blocks      of the plan, at least 1
 *
 * @return the builder, which the caller finishes or discards; NULL when memory ran out
 */
napcoll_builder_t *napcoll_builder_new(const char *collective, const char *algorithm, int rank,
                                       int blocks);

/** Set the layout and what the user's buffers hold (napcoll_goal_buffers); before the first
 * step. */
void napcoll_builder_layout(napcoll_builder_t *builder, napcoll_layout_t layout, bool scattered,
                            const napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP]);

/**
 * Set the layout of edges; before the first step.
 *
 * @param[in,out] builder  of the plan
 * @param[in]     out, in  blocks of the send and of the receive buffer
 * @param[in]     edge     [out + in] of the send buffer's blocks, then of the receive buffer's
 */
void napcoll_builder_edges(napcoll_builder_t *builder, int out, int in,
                           const napcoll_plan_edge_t *edge);

/** Set reduces_alone of the plan. */
void napcoll_builder_reduces_alone(napcoll_builder_t *builder);

/** Set the pieces of the plan. */
void napcoll_builder_pieces(napcoll_builder_t *builder, int pieces);

/** Make a sketch; before the first step. */
void napcoll_builder_sketch(napcoll_builder_t *builder);

bool napcoll_builder_is_sketch(const napcoll_builder_t *builder);

/** Let the current stage of a sketch stand for a number of like stages. */
void napcoll_builder_repeat(napcoll_builder_t *builder, int times);

/**
 * Allow napcoll_builder_temp to return the receive buffer, so that a result that ends there needs
 * no copy. Not for plans that read their input from it, or write to it before their end.
 */
void napcoll_builder_lend_recvbuf(napcoll_builder_t *builder);

/** End the above: from now on the plan writes to the receive buffer itself. */
void napcoll_builder_claim_recvbuf(napcoll_builder_t *builder);

/** A temporary for blocks [first, first + count): a released one that held the same, or a new one.
 * A temporary that no step uses has no blocks in the finished plan. */
napcoll_span_t napcoll_builder_temp(napcoll_builder_t *builder, int first, int count);

/** Some new temporaries of one shape with consecutive numbers; returns the first. */
napcoll_span_t napcoll_builder_rows(napcoll_builder_t *builder, int rows, int first, int count);

/** Release a temporary at the end of the current stage. Other spans are ignored. */
void napcoll_builder_release(napcoll_builder_t *builder, napcoll_span_t span);

/** Begin a list of runs. */
napcoll_span_t napcoll_builder_list(const napcoll_builder_t *builder);

/** Add a run to the list begun last; runs that follow each other in a buffer become one. */
void napcoll_builder_list_add(napcoll_builder_t *builder, napcoll_span_t *list, napcoll_span_t run);

/** End a list; returns its span. A list of one run becomes that run. */
napcoll_span_t napcoll_builder_list_end(napcoll_builder_t *builder, napcoll_span_t list);

/** Messages of blocks; headed: they begin with the sizes of the blocks. */
void napcoll_builder_recv_blocks(napcoll_builder_t *builder, napcoll_span_t dst, int peer,
                                 bool headed);
void napcoll_builder_send_blocks(napcoll_builder_t *builder, napcoll_span_t left, int peer,
                                 bool headed);

static inline void napcoll_builder_recv(napcoll_builder_t *builder, napcoll_span_t dst, int peer)
{
    napcoll_builder_recv_blocks(builder, dst, peer, false);
}

static inline void napcoll_builder_send(napcoll_builder_t *builder, napcoll_span_t left, int peer)
{
    napcoll_builder_send_blocks(builder, left, peer, false);
}

void napcoll_builder_reduce(napcoll_builder_t *builder, napcoll_span_t dst, napcoll_span_t left,
                            napcoll_span_t right);

/** A copy; nothing when both spans are the same. */
void napcoll_builder_copy(napcoll_builder_t *builder, napcoll_span_t dst, napcoll_span_t left);

/** A phase, in a stage of its own: ends the current stage, and the phase's. Each member of the
 * scope adds it, and gives both dst and left. */
void napcoll_builder_phase(napcoll_builder_t *builder, napcoll_scope_t scope, napcoll_phase_t phase,
                           int root, napcoll_span_t dst, napcoll_span_t left);

/** End the current stage; an empty one is dropped. */
void napcoll_builder_next_stage(napcoll_builder_t *builder);

/** Free a builder; NULL is allowed. */
void napcoll_builder_discard(napcoll_builder_t *builder);

/** Let the builder fail: for generators whose own memory ran out. */
void napcoll_builder_fail(napcoll_builder_t *builder);

/** Turn the builder into a plan, which the caller owns; frees the builder. NULL when memory ran
 * out. */
napcoll_plan_t *napcoll_builder_finish(napcoll_builder_t *builder);

#endif /* NAPCOLL_BUILDER_H */
