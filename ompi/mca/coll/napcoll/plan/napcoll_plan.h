/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The plan: what one rank does in one collective, as data. Pure: no MPI in here.
 *
 * A plan is a list of stages that follow each other. A stage posts all its messages at once,
 * ends them all, and then does its work (reduces, copies, local phases) in the order listed:
 *
 *     stage 0   recv temp0 <- rank 5    send sendbuf -> rank 5    |  reduce temp0 = sendbuf op temp0
 *     stage 1   recv temp1 <- rank 2    send temp0   -> rank 2    |  reduce temp0 = temp1 op temp0
 *     stage 2                                                     |  copy recvbuf = temp0
 *
 * Plans speak of blocks, not of bytes or elements: how large they are is said when the plan is run
 * (its layout), so one plan serves every count and datatype. A span is a run of blocks in one buffer.
 * Buffers are the user's two and temporaries; each holds the blocks that the plan says it holds. A
 * plan for MPI_IN_PLACE reads its input from the receive buffer, but that of a reduce-scatter, where
 * the send buffer may be the same memory: the receive buffer is written when all has been read. The one
 * buffer of a broadcast is the send buffer on the root and the receive buffer on all others.
 *
 * A plan may be that of a piece: all blocks are cut into as many, and the plan is run once for each.
 *
 * Messages between the same two ranks are received in the order in which they were sent.
 *
 * A sketch is a plan for estimates only. Its stages have the messages and reduces of the plan, with the
 * right numbers of blocks, but not which blocks these are; one of many like stages stands for all.
 */

#ifndef NAPCOLL_PLAN_H
#define NAPCOLL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    NAPCOLL_BUFFER_LIST = -1, /**< no buffer: the span is a list, see napcoll_span_t */
    NAPCOLL_BUFFER_SEND = 0,  /**< the user's send buffer, read only */
    NAPCOLL_BUFFER_RECV = 1,  /**< the user's receive buffer */
    NAPCOLL_BUFFER_TEMP = 2   /**< the first temporary; later ones count on from here */
};

/** What the plans of a collective bring about together; those that reduce come first (napcoll_goal_reduces). */
typedef enum {
    NAPCOLL_GOAL_ALLREDUCE,      /**< every rank: the reduction of all ranks' vectors */
    NAPCOLL_GOAL_REDUCE,         /**< the root: the same */
    NAPCOLL_GOAL_SCAN,           /**< rank r: the reduction of those of ranks 0 to r */
    NAPCOLL_GOAL_EXSCAN,         /**< rank r > 0: the reduction of those of ranks 0 to r - 1 */
    NAPCOLL_GOAL_REDUCE_SCATTER, /**< rank r: the reduction of all ranks' blocks for r */
    NAPCOLL_GOAL_ALLGATHER,      /**< every rank: all ranks' blocks */
    NAPCOLL_GOAL_BCAST,          /**< every rank but the root: the root's vector */
    NAPCOLL_GOAL_ALLTOALL,       /**< every rank: the block that each rank has for it */
    NAPCOLL_GOAL_GATHER,         /**< the root: the block that each rank has for it */
    NAPCOLL_GOAL_SCATTER,        /**< every rank: the block that the root has for it */
    NAPCOLL_GOAL_BARRIER,        /**< no rank ends before all have begun; messages are empty */
    NAPCOLL_GOALS
} napcoll_goal_t;

/** How large blocks are, and which of them belong together. */
typedef enum {
    NAPCOLL_LAYOUT_VECTOR, /**< blocks are even pieces of one vector; each keeps its number wherever it is */
    NAPCOLL_LAYOUT_RANKS, /**< block b belongs to the rank at place b of the node order
                                (napcoll_node_map_at) and keeps its number; in temporaries block b is
                                also called b + blocks, so that one may begin with any rank's */
    NAPCOLL_LAYOUT_SLOTS, /**< every block holds a whole vector, and the number is but its place */
    NAPCOLL_LAYOUT_PERSONALIZED, /**< block j of the send buffer is for the rank j places before this one in the
                                node order (napcoll_node_map_at, round the end), block j of the receive
                                buffer from the rank j places after it; each has a size of its own. A
                                temporary's blocks are slots for any of them. A message of no blocks is
                                a word: that it comes says all */
    NAPCOLL_LAYOUTS
} napcoll_layout_t;

/**
 * A run of blocks in one buffer; count 0 is an empty span. Messages in the layout of personalized blocks may have a list
 * instead: first is the index of a run in the plan's list, and that one and those behind it are taken together,
 * until they have count blocks.
 */
typedef struct napcoll_span {
    int32_t buffer;
    int32_t first; /**< first block */
    int32_t count; /**< blocks */
} napcoll_span_t;

typedef enum {
    NAPCOLL_STEP_RECV,   /**< dst <- message from rank peer, or the sizes of what will come there */
    NAPCOLL_STEP_SEND,   /**< left -> message to rank peer, or its sizes */
    NAPCOLL_STEP_REDUCE, /**< dst = left op right; dst is right or overlaps neither */
    NAPCOLL_STEP_COPY,   /**< dst = left */
    NAPCOLL_STEP_PHASE,  /**< a collective among the processes of this node, see phase */
    NAPCOLL_STEP_KINDS
} napcoll_step_kind_t;

/** Local phases: collectives inside the node that a provider carries out as a whole. */
typedef enum {
    NAPCOLL_PHASE_NONE,
    NAPCOLL_PHASE_REDUCE,    /**< dst at lane peer = reduce of every lane's left, in lane order */
    NAPCOLL_PHASE_BCAST,     /**< dst everywhere = dst of lane peer */
    NAPCOLL_PHASE_ALLREDUCE, /**< dst everywhere = reduce of every lane's left, in lane order */
    NAPCOLL_PHASE_ALLGATHER, /**< buffers dst, dst+1, ... = left of lane 0, 1, ... */
    NAPCOLL_PHASE_KINDS
} napcoll_phase_t;

typedef struct napcoll_step {
    napcoll_step_kind_t kind;
    napcoll_phase_t phase;
    int32_t peer; /**< rank of a message's other end; root lane of a phase */
    bool
        sizes; /**< a message of blocks' sizes, not of the blocks: of those that are in the slots when
                       the stage has ended. It comes a stage or more before a block that goes into a
                       slot, where ranks do not know its size and it does not come headed */
    bool headed; /**< a message of blocks that begins with the sizes of all of them */
    napcoll_span_t dst;
    napcoll_span_t left;
    napcoll_span_t right;
} napcoll_step_t;

/** Steps [first, first + messages) are messages, the next `work` ones the stage's work. */
typedef struct napcoll_stage {
    int32_t first;
    int32_t messages;
    int32_t work;
} napcoll_stage_t;

/** The blocks that a buffer holds. */
typedef struct napcoll_block_range {
    int32_t first;
    int32_t count;
} napcoll_block_range_t;

typedef struct napcoll_plan {
    const char *collective; /**< name, static */
    const char *algorithm;  /**< name, static */
    int32_t rank;           /**< whose plan this is */
    napcoll_layout_t layout;
    int32_t blocks;     /**< pieces of the vector, or ranks; 1 for slots */
    bool scattered;     /**< blocks of the user's larger buffer do not lie in the order of their
                                 numbers, or not side by side: messages take single ones */
    bool reduces_alone; /**< no two ranks reduce the same values, and nobody minds which one of two
                           zeros or NaNs a reduction takes */
    int32_t
        pieces; /**< of every block, in the layout of personalized blocks: the plan is run once for each */
    napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP]; /**< what the user's buffers hold */
    int32_t temps;
    int32_t stages;
    int32_t steps;
    int32_t max_messages; /**< most messages in one stage */

    /** [stages] of a sketch: for how many like stages, one after the other, each stands. NULL: 1. */
    int32_t *times;
    int32_t listed;       /**< runs in the list */
    napcoll_span_t *list; /**< [listed] the runs of spans that are lists */
    napcoll_block_range_t *temp;
    napcoll_stage_t *stage;
    napcoll_step_t *step;
} napcoll_plan_t;

/** Makes the plan of a rank, which the caller frees; NULL when memory ran out. The same rank's is the
 * same whenever it is asked for. */
typedef napcoll_plan_t *(*napcoll_plan_source_t)(void *context, int rank);

/**
 * What the user's buffers hold on a rank.
 *
 * @param[in]  goal      the collective's
 * @param[in]  layout    of the plan
 * @param[in]  blocks    of the plan
 * @param[in]  own       the rank's place in the node order; of a gather or scatter counted from the
 *                       root's, round the end
 * @param[in]  has       whether the rank has a receive buffer, where only some do: the root of a
 *                       reduce or gather; in a broadcast all but the root; in an exclusive scan all but
 *                       rank 0, and in place rank 0 as well
 * @param[out] user      the send and the receive buffer's
 */
void napcoll_goal_buffers(napcoll_goal_t goal, napcoll_layout_t layout, int blocks, int own,
                          bool has, napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP]);

/** Whether one rank, the root, does what no other does. */
static inline bool napcoll_goal_is_rooted(napcoll_goal_t goal)
{
    return NAPCOLL_GOAL_REDUCE == goal || NAPCOLL_GOAL_BCAST == goal || NAPCOLL_GOAL_GATHER == goal
           || NAPCOLL_GOAL_SCATTER == goal;
}

/** Whether each block is one rank's for another one: plans are in the layout of personalized blocks. */
static inline bool napcoll_goal_is_personalized(napcoll_goal_t goal)
{
    return NAPCOLL_GOAL_ALLTOALL == goal || NAPCOLL_GOAL_GATHER == goal
           || NAPCOLL_GOAL_SCATTER == goal;
}

/** Whether values are reduced. */
static inline bool napcoll_goal_reduces(napcoll_goal_t goal)
{
    return goal < NAPCOLL_GOAL_ALLGATHER;
}

/** Whether a rank gets a result. */
static inline bool napcoll_goal_takes(napcoll_goal_t goal, int root, int rank)
{
    switch (goal) {
    case NAPCOLL_GOAL_REDUCE:
    case NAPCOLL_GOAL_GATHER:
        return rank == root;
    case NAPCOLL_GOAL_BCAST:
        return rank != root;
    default:
        return NAPCOLL_GOAL_EXSCAN != goal || rank > 0;
    }
}

/** Whether a rank's input is in its receive buffer, where the collective is said to be in place: that
 * of a reduce is at the root alone, a reduce-scatter's in the send buffer all the same, an all-to-all's is
 * copied before the plan begins, of a gather or scatter it is the root's own block, which stays where it is, and
 * a broadcast is never in place. */
static inline bool napcoll_goal_in_place(napcoll_goal_t goal, int root, int rank)
{
    return NAPCOLL_GOAL_REDUCE == goal
               ? rank == root
               : NAPCOLL_GOAL_REDUCE_SCATTER != goal && NAPCOLL_GOAL_BCAST != goal
                     && !napcoll_goal_is_personalized(goal);
}

/** What a buffer of a plan holds. */
static inline napcoll_block_range_t napcoll_plan_block_range(const napcoll_plan_t *plan,
                                                             int32_t buffer)
{
    return buffer < NAPCOLL_BUFFER_TEMP ? plan->user[buffer]
                                        : plan->temp[buffer - NAPCOLL_BUFFER_TEMP];
}

/** The runs of a span, one after the other; napcoll_runs_of begins with none. */
typedef struct napcoll_runs {
    const napcoll_span_t *next;
    int32_t left;       /**< blocks that have not been taken */
    napcoll_span_t run; /**< the present one */
} napcoll_runs_t;

/** Begin with the runs of a span, which is to stay where it is. */
static inline napcoll_runs_t napcoll_runs_of(const napcoll_plan_t *plan, const napcoll_span_t *span)
{
    return (napcoll_runs_t){.next = NAPCOLL_BUFFER_LIST == span->buffer ? plan->list + span->first
                                                                        : span,
                            .left = span->count};
}

/** Take the next run; false: there is none. */
static inline bool napcoll_runs_next(napcoll_runs_t *runs)
{
    if (runs->left <= 0) {
        return false;
    }
    runs->run = *runs->next++;
    runs->left -= runs->run.count;
    return true;
}

/** Whether a span has a block of a buffer. */
static inline bool napcoll_plan_span_has(const napcoll_plan_t *plan, const napcoll_span_t *span,
                                         int buffer, int block)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, span);

    while (napcoll_runs_next(&runs)) {
        if (buffer == runs.run.buffer && block >= runs.run.first
            && block < runs.run.first + runs.run.count) {
            return true;
        }
    }
    return false;
}

/** The bytes of a span, where a call's are 1: those of the vector, or of a rank's block; in a run of the plan. */
static inline double napcoll_plan_share(const napcoll_plan_t *plan, napcoll_span_t span)
{
    return NAPCOLL_LAYOUT_VECTOR == plan->layout ? (double) span.count / plan->blocks
                                                 : (double) span.count / plan->pieces;
}

/** The bytes of one size in a message. */
enum { NAPCOLL_SIZE_BYTES = 8 };

/** The bytes of a message, where a call's are 1, and those that it has whatever a call's are. */
static inline double napcoll_plan_message_share(const napcoll_plan_t *plan,
                                                const napcoll_step_t *step)
{
    return step->sizes
               ? 0
               : napcoll_plan_share(plan, NAPCOLL_STEP_SEND == step->kind ? step->left : step->dst);
}

static inline double napcoll_plan_message_fixed(const napcoll_step_t *step)
{
    return !step->sizes && !step->headed
               ? 0
               : (double) NAPCOLL_SIZE_BYTES
                     * (NAPCOLL_STEP_SEND == step->kind ? step->left : step->dst).count;
}

/** Whether two spans are of the same blocks, as far as blocks keep their numbers. */
static inline bool napcoll_plan_same_blocks(const napcoll_plan_t *plan, napcoll_span_t a,
                                            napcoll_span_t b)
{
    switch (plan->layout) {
    case NAPCOLL_LAYOUT_SLOTS:
    case NAPCOLL_LAYOUT_PERSONALIZED:
        return a.count == b.count;
    case NAPCOLL_LAYOUT_RANKS:
        return a.count == b.count && a.first % plan->blocks == b.first % plan->blocks;
    default:
        return a.count == b.count && a.first == b.first;
    }
}

/** For how many stages a stage stands. */
static inline int napcoll_plan_times(const napcoll_plan_t *plan, int stage)
{
    return NULL == plan->times ? 1 : plan->times[stage];
}

/** The memory that a plan takes, in bytes. */
size_t napcoll_plan_bytes(const napcoll_plan_t *plan);

/** Free a plan; NULL is allowed. */
void napcoll_plan_free(napcoll_plan_t *plan);

/** How many numbers a plan packs into. */
size_t napcoll_plan_packed_count(const napcoll_plan_t *plan);

/** Pack a plan into numbers[napcoll_plan_packed_count(plan)], for another process of this byte order. */
void napcoll_plan_pack(const napcoll_plan_t *plan, int32_t *numbers);

/**
 * Unpack a plan.
 *
 * @param[in] numbers     [count] what napcoll_plan_pack wrote
 * @param[in] count       numbers
 * @param[in] collective  name, static
 * @param[in] algorithm   name, static
 *
 * @return the plan, owned by the caller, as sound as the one packed: the verifier checks it; NULL where
 *         memory ran out or the numbers are not those of a plan
 */
napcoll_plan_t *napcoll_plan_unpack(const int32_t *numbers, size_t count, const char *collective,
                                    const char *algorithm);

/* ---- building ---- */

/**
 * A plan under construction. Errors stick: a builder that ran out of memory ignores all further
 * calls, and napcoll_builder_finish reports it. So generators need no checks of their own.
 */
typedef struct napcoll_builder napcoll_builder_t;

/**
 * Begin a plan.
 *
 * @param[in] collective  name, static
 * @param[in] algorithm   name, static
 * @param[in] rank        whose plan
 * @param[in] blocks      pieces of the user's vector, or ranks; at least 1
 *
 * @return the builder, or NULL when memory ran out; finish or discard it. The layout is that of a
 *         vector, which both of the user's buffers hold, until napcoll_builder_layout says otherwise
 */
napcoll_builder_t *napcoll_builder_new(const char *collective, const char *algorithm, int rank,
                                       int blocks);

/** Say how blocks are sized and what the user's buffers hold (napcoll_goal_buffers); at the beginning. */
void napcoll_builder_layout(napcoll_builder_t *builder, napcoll_layout_t layout, bool scattered,
                            const napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP]);

/** Say that ranks reduce alone (napcoll_plan_t). */
void napcoll_builder_reduces_alone(napcoll_builder_t *builder);

/** Make a sketch (see above); at the beginning. */
void napcoll_builder_sketch(napcoll_builder_t *builder);

/** Whether the builder makes a sketch. */
bool napcoll_builder_is_sketch(const napcoll_builder_t *builder);

/** Let the current stage of a sketch stand for a number of like stages. */
void napcoll_builder_repeat(napcoll_builder_t *builder, int times);

/** Say that the plan is that of one of so many pieces. */
void napcoll_builder_pieces(napcoll_builder_t *builder, int pieces);

/**
 * Let the plan use the receive buffer as a temporary of what it holds while nothing else is in it;
 * what ends there needs no copy. Not for plans that read their input from it or write to it by name
 * before their end.
 */
void napcoll_builder_lend_recvbuf(napcoll_builder_t *builder);

/** No longer lend the receive buffer: the plan writes to it by name from now on. */
void napcoll_builder_claim_recvbuf(napcoll_builder_t *builder);

/** Take a temporary for `count` blocks from `first` on; a released one of that shape is reused. One that no step names
 * in the end holds none. */
napcoll_span_t napcoll_builder_temp(napcoll_builder_t *builder, int first, int count);

/** Take `rows` new temporaries of one shape with consecutive numbers; returns the first. */
napcoll_span_t napcoll_builder_rows(napcoll_builder_t *builder, int rows, int first, int count);

/**
 * Give a temporary back; its contents are dead from the end of the current stage on. Spans that are
 * no temporaries in use are ignored.
 */
void napcoll_builder_release(napcoll_builder_t *builder, napcoll_span_t span);

/** Begin a list of runs, for a span. */
napcoll_span_t napcoll_builder_list(const napcoll_builder_t *builder);

/** Add a run to the latest list; runs that follow each other in a buffer become one. */
void napcoll_builder_list_add(napcoll_builder_t *builder, napcoll_span_t *list, napcoll_span_t run);

/** End a list: it becomes a run where it is one. */
napcoll_span_t napcoll_builder_list_end(napcoll_builder_t *builder, napcoll_span_t list);

void napcoll_builder_recv(napcoll_builder_t *builder, napcoll_span_t dst, int peer);
void napcoll_builder_send(napcoll_builder_t *builder, napcoll_span_t left, int peer);

/** Messages of blocks; headed: they begin with the sizes of these. */
void napcoll_builder_recv_blocks(napcoll_builder_t *builder, napcoll_span_t dst, int peer,
                                 bool headed);
void napcoll_builder_send_blocks(napcoll_builder_t *builder, napcoll_span_t left, int peer,
                                 bool headed);

/** Messages of sizes; of no blocks they are none. */
void napcoll_builder_recv_sizes(napcoll_builder_t *builder, napcoll_span_t dst, int peer);
void napcoll_builder_send_sizes(napcoll_builder_t *builder, napcoll_span_t left, int peer);

void napcoll_builder_reduce(napcoll_builder_t *builder, napcoll_span_t dst, napcoll_span_t left,
                            napcoll_span_t right);
void napcoll_builder_copy(napcoll_builder_t *builder, napcoll_span_t dst, napcoll_span_t left);
void napcoll_builder_phase(napcoll_builder_t *builder, napcoll_phase_t phase, int root,
                           napcoll_span_t dst, napcoll_span_t left);

/** End the current stage; an empty one vanishes. */
void napcoll_builder_next_stage(napcoll_builder_t *builder);

/** Drop a builder and what it holds; NULL is allowed. */
void napcoll_builder_discard(napcoll_builder_t *builder);

/** Mark the builder as failed: for generators that run out of memory of their own. */
void napcoll_builder_fail(napcoll_builder_t *builder);

/**
 * Turn the builder into a plan; frees the builder.
 *
 * @return the plan, owned by the caller; NULL when memory ran out on the way
 */
napcoll_plan_t *napcoll_builder_finish(napcoll_builder_t *builder);

/** Whether two spans are the same blocks of the same buffer. */
static inline bool napcoll_span_equal(napcoll_span_t a, napcoll_span_t b)
{
    return a.buffer == b.buffer && a.first == b.first && a.count == b.count;
}

#endif /* NAPCOLL_PLAN_H */
