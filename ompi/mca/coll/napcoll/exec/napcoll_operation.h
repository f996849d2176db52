/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The operation: a call that runs a plan. It owns everything of the call: the arguments, the
 * memory, the messages and its place in the plan. Any number of operations may be under way on a
 * communicator.
 *
 *     take    an operation from the process's pool, with the memory of earlier calls
 *     init    bind the arguments to a plan, and take what memory is missing
 *     start   begin the plan's first stage
 *     wait    run to the end, or
 *     progress   as far as messages have come, again and again until it is done
 *     give    back to the pool
 *
 * A persistent request binds once, and starts again and again. A communicator has no memory between
 * its calls, and a call allocates nothing unless its temporaries are large.
 */

#ifndef NAPCOLL_OPERATION_H
#define NAPCOLL_OPERATION_H

#include "exec/napcoll_buffer_pool.h"
#include "exec/napcoll_buffers.h"
#include "exec/napcoll_host.h"
#include "exec/napcoll_personalized.h"
#include "exec/napcoll_stream.h"
#include "exec/napcoll_transport_node.h"
#include "exec/napcoll_transport_pml.h"
#include "plan/napcoll_scope.h"

/** A pooled operation keeps larger buffers than this during a call only. */
enum { NAPCOLL_SCRATCH_KEPT = 1024 * 1024 };

typedef struct napcoll_operation {
    const napcoll_buffers_t *buffers;
    /** the caller holds it until the end */
    napcoll_plan_t *plan;
    napcoll_binding_t binding;
    /** [scope] what carries out phases; NULL where the plan has none */
    ompi_communicator_t *subcomm[NAPCOLL_SCOPES];
    /** of the communicator, for phases */
    const napcoll_node_map_t *map;
    /** the processes of this node with which it shares memory, and the channel for its messages;
     * both NULL: all messages go by the PML */
    const napcoll_node_t *node;
    napcoll_channel_t *channel;
    /** operations share the channel one after the other; and whose turn is the own one, until the
     * operation has entered it */
    bool queues;
    uint32_t ticket;
    bool entered;

    /** the stage to run or under way, and the piece of the blocks */
    int stage;
    int piece;
    /** the messages of the stage are posted */
    bool under_way;
    bool done;
    /** when done: OMPI_SUCCESS or an error */
    int rc;
    /** a message did not have the bytes that its receiver said, and the operation goes on */
    bool truncated;
    /** in seconds: a truncated operation waits until then for messages that may never come */
    double deadline;
    /** an error has ended it: messages to its memory may be under way */
    bool failed;
    napcoll_messages_t messages;
    napcoll_node_messages_t node_messages;

    /** of the datatype */
    ptrdiff_t extent;
    /** the plan's one block is the vector */
    bool is_whole;
    /** blocks do not depend on each other: after a truncated message the others still count */
    bool independent;
    /** [buffers of the plan] where block 0 is */
    char **base;
    size_t base_room;
    /** [blocks + 1] the first element of each block where ranks have different counts, else NULL;
     * and its memory */
    size_t *start;
    size_t *starts;
    size_t starts_room;
    /** [ranks] likewise, of a reduction: the element at which a rank's block begins */
    ptrdiff_t *place;
    ptrdiff_t *places;
    size_t places_room;
    /** temporaries, or the stream */
    napcoll_buffer_t scratch;
    napcoll_stream_t stream;
    napcoll_personalized_t personalized;
    napcoll_host_sides_t host;

    /** of a list of its owner */
    struct napcoll_operation *next;
} napcoll_operation_t;

/** The rank to which a block of ranks belongs. */
static inline int napcoll_rank_of(const napcoll_binding_t *binding, int block)
{
    return NULL == binding->order ? block : binding->order[block];
}

/** The element at which a rank's block begins in the user's buffer of all ranks' blocks. */
static inline ptrdiff_t napcoll_elements_place(const napcoll_operation_t *operation, int block)
{
    const int rank = napcoll_rank_of(&operation->binding, block);

    if (NULL == operation->start) {
        return (ptrdiff_t) ((size_t) rank * operation->binding.count);
    }
    return NULL != operation->place ? operation->place[rank]
                                    : napcoll_compat_displ(operation->binding.displs, rank);
}

/** An operation from the pool, to be given back; NULL when memory ran out. Thread safe. */
napcoll_operation_t *napcoll_operation_take(void);

/** Give an operation back that was taken, unless it has failed: then free it when its communicator
 * ends. */
void napcoll_operation_give(napcoll_operation_t *operation);

/** Free an operation; NULL is allowed. */
void napcoll_operation_free(napcoll_operation_t *operation);

/** Free the operations in the pool; when the component closes. */
void napcoll_operations_free(void);

/**
 * Bind a call's arguments to a plan. An operation may be bound again after it has ended.
 *
 * @param[in,out] operation  that runs; personalized blocks are filled in and measured
 * @param[in]     buffers    kind of the buffers
 * @param[in]     plan       this rank's; borrowed until the end
 * @param[in]     binding    copied; its memory is borrowed until the end
 *
 * @return OMPI_SUCCESS or an error
 */
int napcoll_operation_init(napcoll_operation_t *operation, const napcoll_buffers_t *buffers,
                           napcoll_plan_t *plan, const napcoll_binding_t *binding);

/** Start an operation that is bound, or start it again after its end. Posts nothing yet. */
void napcoll_operation_start(napcoll_operation_t *operation);

/** Run on: with `waits` to the end, else as far as messages have come. */
void napcoll_operation_advance(napcoll_operation_t *operation, bool waits);

/** Run as far as messages have come; whether the operation has ended. Never waits. */
static inline bool napcoll_operation_progress(napcoll_operation_t *operation)
{
    napcoll_operation_advance(operation, false);
    return operation->done;
}

/** Whether an operation that has not ended waits for nothing but messages through node memory, from
 * processes with which this one shares its processors. */
static inline bool napcoll_operation_is_others_turn(const napcoll_operation_t *operation)
{
    return operation->node_messages.left > 0 && 0 == operation->messages.posted
           && operation->channel->region->sleeps;
}

/**
 * Run to the end.
 *
 * @return OMPI_SUCCESS or the first error; no request is left behind then. MPI_ERR_TRUNCATE: a
 *         message did not have the bytes that its receiver said, but this process has sent all its
 *         messages
 */
static inline int napcoll_operation_wait(napcoll_operation_t *operation)
{
    napcoll_operation_advance(operation, true);
    return operation->rc;
}

/**
 * Scratch memory, until the operation is bound again. For the buffers.
 *
 * @param[in]  operation  whose
 * @param[in]  datatype   of the elements
 * @param[in]  elements   how many
 * @param[out] origin     the first element, as a pointer to a buffer of the datatype
 */
int napcoll_operation_scratch(napcoll_operation_t *operation, ompi_datatype_t *datatype,
                              size_t elements, char **origin);

/** Note that a block did not have the bytes that its receiver said; the operation goes on, with a
 * deadline. For the buffers. */
void napcoll_operation_truncate(napcoll_operation_t *operation);

/** End messages whose posting returned rc, and wait for them. Returns OMPI_SUCCESS, also where some
 * were truncated and the operation goes on, or an error; no request is left. For the buffers. */
int napcoll_operation_end_messages(napcoll_operation_t *operation, napcoll_messages_t *messages,
                                   int rc);

/** Whether to go on waiting for messages. For the buffers. */
bool napcoll_operation_waits_for(const napcoll_operation_t *operation,
                                 const napcoll_messages_t *messages);

/** What an operation that has not ended waits for. */
typedef enum {
    /** its turn in the channel */
    NAPCOLL_AWAITS_TURN,
    /** messages */
    NAPCOLL_AWAITS_MESSAGES,
    /** a phase, which another component carries out */
    NAPCOLL_AWAITS_PHASE
} napcoll_awaits_t;

/**
 * Find what an operation under way waits for. Another thread may carry the operation on meanwhile:
 * then the answer may be of two moments.
 *
 * @param[in]     operation  that was started, and has not been given back
 * @param[in,out] peer       [size of the communicator] set to true for each rank to or from which a
 *                           message is under way
 */
napcoll_awaits_t napcoll_operation_awaits(const napcoll_operation_t *operation, bool *peer);

/** Whether this process is the root of a phase. */
static inline bool napcoll_phase_is_root(const napcoll_operation_t *operation,
                                         const napcoll_step_t *step)
{
    return step->peer == ompi_comm_rank(operation->subcomm[step->scope]);
}

/**
 * Carry out a phase by the collectives of its scope's subcommunicator. For the buffers.
 *
 * @param[in] operation  with subcomm
 * @param[in] step       the phase
 * @param[in] dst, left  addresses of the step's spans
 * @param[in] count      elements of a span
 */
int napcoll_phase_delegate(const napcoll_operation_t *operation, const napcoll_step_t *step,
                           char *dst, const char *left, size_t count);

#endif /* NAPCOLL_OPERATION_H */
