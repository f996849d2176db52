/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The plan: what one rank does in one collective, as data. No MPI in here.
 *
 * A plan is a list of stages. A stage posts all its messages at once, waits for all of them, and
 * then does its work (reductions, copies, local phases) in the order of the list. Each message,
 * reduction, copy or phase is a step:
 *
 *     stage 0   recv temp0 <- rank 5    send sendbuf -> rank 5   |  reduce temp0 = sendbuf op temp0
 *     stage 1   recv temp1 <- rank 2    send temp0   -> rank 2   |  reduce temp0 = temp1 op temp0
 *     stage 2                                                    |  copy recvbuf = temp0
 *
 * Messages between the same two ranks are received in the order in which they were sent.
 *
 * Plans count in blocks. How many bytes a block has is known when the plan is run, so one plan
 * serves every count and datatype; the layout says what the blocks are. A buffer (the user's two,
 * and the plan's temporaries) holds a range of blocks. A span is a run of consecutive blocks in one
 * buffer:
 *
 *     blocks of temp0   | 2 | 3 | 4 | 5 | 6 |     range {first 2, count 5}
 *                           [-----------]         span {temp0, first 3, count 3}
 *
 * In place, a plan reads its input from the receive buffer (see napcoll_goal_in_place). A broadcast
 * has one buffer: the send buffer on the root, the receive buffer on every other rank.
 *
 * A sketch is a plan for estimates only. Its messages and reductions have the right number of
 * blocks, but not the right blocks, and one stage can stand for several like it.
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
    NAPCOLL_BUFFER_TEMP = 2   /**< the first temporary; the others follow */
};

/** What the blocks are. */
typedef enum {
    /** equal parts of one vector; a block has the same number in every buffer */
    NAPCOLL_LAYOUT_VECTOR,
    /** block b belongs to the rank at place b of the node order (napcoll_node_map_at). In
     * temporaries it is also called b + blocks, so that a span can begin at any rank's block and
     * wrap around */
    NAPCOLL_LAYOUT_RANKS,
    /** each block is a whole vector; its number is only its place in the buffer */
    NAPCOLL_LAYOUT_SLOTS,
    /** block j of the send buffer is for the rank j places before this one in the node order
     * (modulo the size), block j of the receive buffer comes from the rank j places after it. Each
     * has its own size. Blocks of a temporary are slots, which take any of them. A message may be
     * empty: then only its arrival matters */
    NAPCOLL_LAYOUT_PERSONALIZED,
    /** block j of the send buffer is for the process's j-th out-neighbour, block i of the receive
     * buffer comes from its i-th in-neighbour (napcoll_plan_t's edges). In other respects as
     * personalized blocks, but a slot keeps its block: it may be sent several times */
    NAPCOLL_LAYOUT_EDGES,
    NAPCOLL_LAYOUTS
} napcoll_layout_t;

/** Whether each block has a size of its own and may stop in slots. */
static inline bool napcoll_layout_has_slots(napcoll_layout_t layout)
{
    return NAPCOLL_LAYOUT_PERSONALIZED == layout || NAPCOLL_LAYOUT_EDGES == layout;
}

/** An edge of a process, by its block: the rank at the other end, -1 where the block is for nobody,
 * and its number among the edges of these two ranks in this direction, from 0. */
typedef struct napcoll_plan_edge {
    int32_t peer;
    int32_t number;
} napcoll_plan_edge_t;

/**
 * Consecutive blocks of one buffer; count 0 is an empty span. In layouts that have slots
 * a message may take a list: buffer is NAPCOLL_BUFFER_LIST, first an index into the plan's list,
 * and the runs from there on are taken until they have count blocks.
 */
typedef struct napcoll_span {
    int32_t buffer;
    int32_t first;
    int32_t count;
} napcoll_span_t;

typedef enum {
    NAPCOLL_STEP_RECV,   /**< dst <- message from rank peer */
    NAPCOLL_STEP_SEND,   /**< left -> message to rank peer */
    NAPCOLL_STEP_REDUCE, /**< dst = left op right; dst is right, or overlaps neither operand */
    NAPCOLL_STEP_COPY,   /**< dst = left */
    NAPCOLL_STEP_PHASE,  /**< a collective of another component, see napcoll_phase_t */
    NAPCOLL_STEP_KINDS
} napcoll_step_kind_t;

/** The processes that a phase is for, see napcoll_scope.h. */
typedef enum {
    NAPCOLL_SCOPE_NODE,    /**< of this node; a member's number is its lane */
    NAPCOLL_SCOPE_LEADERS, /**< lane 0 of every node; a member's number is its node */
    NAPCOLL_SCOPES
} napcoll_scope_t;

/**
 * Phases: collectives among the members of a scope that another component carries out as a whole.
 * Each member has the step, with spans of the same blocks; reductions are in member order.
 *
 * The last four are for the layout of ranks: a member's run is its own block or, of a leader, the
 * blocks of its node, and all runs are the scope's blocks, from member 0's first block on.
 */
typedef enum {
    NAPCOLL_PHASE_NONE,
    NAPCOLL_PHASE_REDUCE,    /**< dst at member peer = reduction of all left; no other dst */
    NAPCOLL_PHASE_BCAST,     /**< dst at the other members = left at member peer */
    NAPCOLL_PHASE_ALLREDUCE, /**< dst at all members = reduction of all left */
    NAPCOLL_PHASE_ALLGATHER, /**< dst, dst + 1, ... at all members = left of member 0, 1, ... */
    NAPCOLL_PHASE_BARRIER,   /**< no spans: all members have begun it */
    NAPCOLL_PHASE_GATHER,    /**< dst, of all runs, at member peer = all left; left is the own run
                                  of dst */
    NAPCOLL_PHASE_SCATTER,   /**< dst, the own run, = its blocks of left, of all runs, at member
                                  peer. That member has it there already */
    NAPCOLL_PHASE_SHARE,     /**< as a gather, at all members: MPI's allgatherv */
    NAPCOLL_PHASE_REDUCE_SCATTER, /**< dst, the own run, = reduction of its blocks of all left */
    NAPCOLL_PHASE_KINDS
} napcoll_phase_t;

typedef struct napcoll_step {
    napcoll_step_kind_t kind;
    napcoll_phase_t phase;
    /** of a phase */
    napcoll_scope_t scope;
    /** rank at the other end of a message; root member of a phase */
    int32_t peer;
    /** the message begins with the sizes of its blocks, which not all ranks know */
    bool headed;
    /** of a message that is received: see napcoll_plan_mark_read_once */
    bool read_once;
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
    /** users besides the first, see napcoll_plan_retain */
    _Atomic int users;
    /** names, static */
    const char *collective;
    const char *algorithm;
    /** whose plan this is */
    int32_t rank;
    napcoll_layout_t layout;
    /** parts of the vector, or ranks; 1 for slots */
    int32_t blocks;
    /** the blocks of the user's larger buffer are not in the order of their numbers, or not
     * contiguous: a message takes one of them */
    bool scattered;
    /** no two ranks reduce the same values: a reduction may take either operand's zero or NaN */
    bool reduces_alone;
    /** parts into which personalized blocks are cut; the plan is run once for each */
    int32_t pieces;
    /** what the user's two buffers hold */
    napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP];
    /** of the layout of edges: the blocks of both of them; else 0 */
    int32_t edges;
    int32_t temps;
    int32_t stages;
    int32_t steps;
    /** most messages in one stage */
    int32_t max_messages;
    int32_t listed;
    /** [stages] of a sketch: the number of like stages for which each stands. NULL: 1 each */
    int32_t *times;
    /** [listed] the runs of all lists */
    napcoll_span_t *list;
    /** [edges] first of the send buffer's blocks */
    napcoll_plan_edge_t *edge;
    /** [temps] what the temporaries hold */
    napcoll_block_range_t *temp;
    /** [stages] */
    napcoll_stage_t *stage;
    /** [steps] */
    napcoll_step_t *step;
} napcoll_plan_t;

/** Makes the plan of a rank, always the same one; the caller frees it. NULL when memory ran out. */
typedef napcoll_plan_t *(*napcoll_plan_source_t)(void *context, int rank);

/** The longest path of one segment in a pipeline; the model estimates with it. */
typedef struct napcoll_hops {
    /** messages between nodes, one after the other */
    int network;
    /** messages inside nodes, one after the other */
    int local;
    /** processes of a node that each carry a share of the segment; at least 1 */
    int lanes;
} napcoll_hops_t;

/** What a buffer of a plan holds. */
static inline napcoll_block_range_t napcoll_plan_block_range(const napcoll_plan_t *plan,
                                                             int32_t buffer)
{
    return buffer < NAPCOLL_BUFFER_TEMP ? plan->user[buffer]
                                        : plan->temp[buffer - NAPCOLL_BUFFER_TEMP];
}

/** The edges of one of the user's buffers. */
static inline const napcoll_plan_edge_t *napcoll_plan_edges_of(const napcoll_plan_t *plan,
                                                               int32_t buffer)
{
    return NAPCOLL_BUFFER_SEND == buffer ? plan->edge
                                         : plan->edge + plan->user[NAPCOLL_BUFFER_SEND].count;
}

/** The blocks of a message. */
static inline const napcoll_span_t *napcoll_step_span(const napcoll_step_t *step)
{
    return NAPCOLL_STEP_SEND == step->kind ? &step->left : &step->dst;
}

/** Whether two spans are the same blocks of the same buffer. */
static inline bool napcoll_span_equal(napcoll_span_t a, napcoll_span_t b)
{
    return a.buffer == b.buffer && a.first == b.first && a.count == b.count;
}

/** Whether a message of a stage, not the first, sends the same blocks as the one before. */
static inline bool napcoll_step_sends_again(const napcoll_step_t *step)
{
    return NAPCOLL_STEP_SEND == step->kind && NAPCOLL_STEP_SEND == step[-1].kind
           && napcoll_span_equal(step->left, step[-1].left);
}

/** An iterator over the runs of a span. */
typedef struct napcoll_runs {
    const napcoll_span_t *next;
    /** blocks of the runs that were not yet visited */
    int32_t left;
    /** the current run */
    napcoll_span_t run;
} napcoll_runs_t;

/** Begin before the first run. The span must stay valid. */
static inline napcoll_runs_t napcoll_runs_of(const napcoll_plan_t *plan, const napcoll_span_t *span)
{
    return (napcoll_runs_t){.next = NAPCOLL_BUFFER_LIST == span->buffer ? plan->list + span->first
                                                                        : span,
                            .left = span->count};
}

/** Go to the next run; false when there is none. */
static inline bool napcoll_runs_next(napcoll_runs_t *runs)
{
    if (runs->left <= 0) {
        return false;
    }
    runs->run = *runs->next++;
    runs->left -= runs->run.count;
    return true;
}

/** Whether a span has blocks in one of the buffers [low, high). */
static inline bool napcoll_span_meets(const napcoll_plan_t *plan, const napcoll_span_t *span,
                                      int32_t low, int32_t high)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, span);

    while (napcoll_runs_next(&runs)) {
        if (runs.run.buffer >= low && runs.run.buffer < high) {
            return true;
        }
    }
    return false;
}

/** The bytes of a span in one run of the plan, as a multiple of the bytes of the call, which are
 * the bytes of the vector or of one rank's block. */
static inline double napcoll_plan_share(const napcoll_plan_t *plan, napcoll_span_t span)
{
    const int32_t parts = NAPCOLL_LAYOUT_VECTOR == plan->layout ? plan->blocks : plan->pieces;

    return (double) span.count / parts;
}

/** The bytes of one size in a message. */
enum { NAPCOLL_SIZE_BYTES = 8 };

/** The bytes of the sizes in a message. */
static inline double napcoll_plan_message_fixed(const napcoll_step_t *step)
{
    return step->headed ? (double) NAPCOLL_SIZE_BYTES * napcoll_step_span(step)->count : 0;
}

/** The number of like stages for which a stage stands. */
static inline int napcoll_plan_times(const napcoll_plan_t *plan, int stage)
{
    return NULL == plan->times ? 1 : plan->times[stage];
}

/**
 * Mark the received messages that need not be in their blocks: a reduction of the same stage takes
 * them as an operand, and nothing else reads these blocks before they are overwritten. So it can
 * read them where they have arrived.
 */
void napcoll_plan_mark_read_once(napcoll_plan_t *plan);

/** The memory of a plan in bytes. */
size_t napcoll_plan_bytes(const napcoll_plan_t *plan);

/** Become a further user of a plan: it then takes one more napcoll_plan_free. Thread safe. */
void napcoll_plan_retain(napcoll_plan_t *plan);

/** Free a plan, when its last user does; NULL is allowed. */
void napcoll_plan_free(napcoll_plan_t *plan);

/** How many numbers a packed plan has. */
size_t napcoll_plan_packed_count(const napcoll_plan_t *plan);

/** Pack a plan into numbers[napcoll_plan_packed_count(plan)], to send it to another process. */
void napcoll_plan_pack(const napcoll_plan_t *plan, int32_t *numbers);

/**
 * Unpack a plan. Only the verifier can tell whether its steps make sense.
 *
 * @param[in] numbers     [count] what napcoll_plan_pack wrote
 * @param[in] count       numbers
 * @param[in] collective  name, static
 * @param[in] algorithm   name, static
 *
 * @return the plan, owned by the caller; NULL when memory ran out or the numbers are not a plan
 */
napcoll_plan_t *napcoll_plan_unpack(const int32_t *numbers, size_t count, const char *collective,
                                    const char *algorithm);

#endif /* NAPCOLL_PLAN_H */
