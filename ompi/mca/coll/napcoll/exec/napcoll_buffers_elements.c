/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Buffers of elements: vectors, and blocks of ranks. Block b of a vector of B blocks has the
 * elements from count * b / B on; the first count mod B blocks have one more than the others.
 * Temporaries follow each other in the scratch memory, each element an extent after the one before.
 */

#include "exec/napcoll_operation.h"

#include "util/napcoll_grow.h"

/* ---- where blocks are ---- */

/* Elements before a block. */
static inline size_t block_start(const napcoll_operation_t *op, int block)
{
    const size_t count = op->binding.count, b = (size_t) block;
    const size_t blocks = (size_t) op->plan->blocks;

    if (NAPCOLL_LAYOUT_VECTOR == op->plan->layout) {
        return napcoll_vector_start(count, op->plan->blocks, block);
    }
    return NULL == op->start ? b * count : b / blocks * op->start[blocks] + op->start[b % blocks];
}

static inline size_t span_count(const napcoll_operation_t *op, napcoll_span_t span)
{
    if (op->is_whole) {
        return 0 == span.count ? 0 : op->binding.count;
    }
    return block_start(op, span.first + span.count) - block_start(op, span.first);
}

static inline char *span_address(const napcoll_operation_t *op, napcoll_span_t span)
{
    char *base = op->base[span.buffer];
    ptrdiff_t elements;

    if (op->is_whole) {
        return base;
    }
    if (NAPCOLL_LAYOUT_RANKS == op->plan->layout && span.buffer < NAPCOLL_BUFFER_TEMP) {
        /* a buffer of one block begins with it */
        elements = 1 == op->plan->user[span.buffer].count ? 0
                                                          : napcoll_elements_place(op, span.first);
    } else {
        elements = (ptrdiff_t) block_start(op, span.first);
    }
    return 0 == elements ? base : napcoll_offset(base, elements * op->extent);
}

/* All blocks of a temporary. */
static napcoll_span_t temp_span(const napcoll_plan_t *plan, int t)
{
    return (napcoll_span_t){NAPCOLL_BUFFER_TEMP + t, plan->temp[t].first, plan->temp[t].count};
}

/* Where ranks have different counts: the blocks' first elements. The blocks of a reduction follow
 * each other in rank order in the send buffer. */
static int bind_blocks(napcoll_operation_t *op)
{
    const napcoll_binding_t *binding = &op->binding;
    const int blocks = op->plan->blocks;
    const size_t room = (size_t) blocks + 1;
    ptrdiff_t at = 0;

    op->start = NULL;
    op->place = NULL;
    if (NAPCOLL_LAYOUT_RANKS != op->plan->layout || !napcoll_compat_has_counts(binding->counts)) {
        return OMPI_SUCCESS;
    }
    if (!napcoll_grow(&op->starts, &op->starts_room, room, sizeof(*op->starts))
        || !napcoll_grow(&op->places, &op->places_room, room, sizeof(*op->places))) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    op->start = op->starts;
    op->start[0] = 0;
    for (int b = 0; b < blocks; b++) {
        op->start[b + 1] = op->start[b]
                           + napcoll_compat_count(binding->counts, napcoll_rank_of(binding, b));
    }
    if (NULL != binding->op) {
        op->place = op->places;
        for (int rank = 0; rank < blocks; rank++) {
            op->place[rank] = at;
            at += (ptrdiff_t) napcoll_compat_count(binding->counts, rank);
        }
    }
    return OMPI_SUCCESS;
}

/* The addresses of the temporaries. */
static int bind_temporaries(napcoll_operation_t *op)
{
    const napcoll_plan_t *plan = op->plan;
    size_t elements = 0;
    char *at = NULL;
    int rc = OMPI_SUCCESS;

    for (int t = 0; t < plan->temps; t++) {
        elements += span_count(op, temp_span(plan, t));
    }
    if (elements > 0) {
        rc = napcoll_operation_scratch(op, op->binding.datatype, elements, &at);
    }
    for (int t = 0; t < plan->temps && OMPI_SUCCESS == rc; t++) {
        const napcoll_span_t span = temp_span(plan, t);
        const size_t before = 0 == span.first ? 0 : block_start(op, span.first);

        op->base[span.buffer] = napcoll_offset(at, -(ptrdiff_t) before * op->extent);
        at = napcoll_offset(at, (ptrdiff_t) span_count(op, span) * op->extent);
    }
    return rc;
}

static int elements_bind(napcoll_operation_t *op)
{
    const napcoll_plan_t *plan = op->plan;
    ptrdiff_t lb;
    int rc;

    op->is_whole = 1 == plan->blocks && NAPCOLL_LAYOUT_VECTOR == plan->layout;
    op->independent = false;
    ompi_datatype_get_extent(op->binding.datatype, &lb, &op->extent);
    op->base[NAPCOLL_BUFFER_SEND] = (char *) (uintptr_t) op->binding.sendbuf;
    op->base[NAPCOLL_BUFFER_RECV] = op->binding.recvbuf;
    rc = bind_blocks(op);
    return OMPI_SUCCESS == rc ? bind_temporaries(op) : rc;
}

static int elements_begin(napcoll_operation_t *op)
{
    return OPAL_LIKELY(!napcoll_compat_devices) ? OMPI_SUCCESS : napcoll_host_begin_elements(op);
}

static int elements_finish(napcoll_operation_t *op, int rc)
{
    if (OPAL_UNLIKELY(napcoll_compat_devices)) {
        rc = napcoll_host_end(&op->host, rc);
    }
    return rc;
}

static void elements_message(const napcoll_operation_t *op, const napcoll_step_t *step, int i,
                             napcoll_message_t *message)
{
    const napcoll_span_t span = *napcoll_step_span(step);

    (void) i;
    message->at = 0 == span.count ? NULL : span_address(op, span);
    message->count = 0 == span.count ? 0 : span_count(op, span);
    message->type = op->binding.datatype;
    message->nothing = message->at_most = false;
    /* a user's function might write to its left operand */
    message->may_stay = step->read_once && ompi_op_is_intrinsic(op->binding.op);
}

/* ---- work ---- */

/* dst = left op right. Open MPI's op writes to its right operand: dst becomes a copy of it first,
 * unless other ranks need not get the same bits and the op can write to a third operand. */
static int reduce_elements(const napcoll_operation_t *op, char *dst, const char *left,
                           const char *right, size_t count)
{
    const napcoll_binding_t *binding = &op->binding;
    int rc;

    if (0 == count) {
        return OMPI_SUCCESS;
    }
    if (dst != right && op->plan->reduces_alone && ompi_op_is_intrinsic(binding->op)) {
        napcoll_compat_reduce_to(binding->op, left, right, dst, count, binding->datatype);
        return OMPI_SUCCESS;
    }
    rc = napcoll_copy_elements(binding->datatype, count, dst, right);
    if (OMPI_SUCCESS == rc) {
        napcoll_compat_reduce(binding->op, left, dst, count, binding->datatype);
    }
    return rc;
}

/* Where an operand of a reduction is: in its blocks, or still in node memory. */
static const char *operand_address(const napcoll_operation_t *op, napcoll_span_t span)
{
    const napcoll_node_message_t *message = napcoll_node_messages_find(&op->node_messages, span);

    return NULL == message ? span_address(op, span)
                           : message->arrived + (span_address(op, span) - message->message.at);
}

/* A reduction or copy of spans that are contiguous. */
static int do_contiguous(const napcoll_operation_t *op, const napcoll_step_t *step)
{
    const napcoll_binding_t *binding = &op->binding;
    char *dst = span_address(op, step->dst);
    const size_t count = span_count(op, step->dst);
    char *left;

    if (NAPCOLL_STEP_REDUCE == step->kind) {
        return reduce_elements(op, dst, operand_address(op, step->left),
                               operand_address(op, step->right), count);
    }
    left = span_address(op, step->left);
    if (NULL != binding->send_type && NAPCOLL_BUFFER_SEND == step->left.buffer) {
        return napcoll_compat_copy_types(left, binding->send_count, binding->send_type, dst, count,
                                         binding->datatype);
    }
    return napcoll_copy_elements(binding->datatype, count, dst, left);
}

/* A reduction has read its operands: those that are still in node memory are not read again. */
static void take_operands(napcoll_operation_t *op, const napcoll_step_t *step)
{
    const napcoll_span_t operand[] = {step->left, step->right};

    for (int i = 0; i < 2; i++) {
        napcoll_node_message_t *message = napcoll_node_messages_find(&op->node_messages,
                                                                     operand[i]);

        if (NULL != message) {
            napcoll_node_messages_take(op->channel, message);
        }
    }
}

static int reduce_or_copy(napcoll_operation_t *op, const napcoll_step_t *step)
{
    const bool in_user_buffer = step->dst.buffer < NAPCOLL_BUFFER_TEMP
                                || step->left.buffer < NAPCOLL_BUFFER_TEMP
                                || (NAPCOLL_STEP_REDUCE == step->kind
                                    && step->right.buffer < NAPCOLL_BUFFER_TEMP);
    napcoll_step_t single;
    int rc = OMPI_SUCCESS;

    if (1 == step->dst.count || !op->plan->scattered || !in_user_buffer) {
        return do_contiguous(op, step);
    }
    single = *step;
    single.dst.count = single.left.count = single.right.count = 1;
    for (int b = 0; b < step->dst.count && OMPI_SUCCESS == rc; b++) {
        rc = do_contiguous(op, &single);
        single.dst.first++;
        single.left.first++;
        single.right.first++;
    }
    return rc;
}

static int elements_work(napcoll_operation_t *op, const napcoll_step_t *step)
{
    int rc;

    if (NAPCOLL_STEP_PHASE == step->kind) {
        return napcoll_phase_delegate(op, step, span_address(op, step->dst),
                                      span_address(op, step->left), span_count(op, step->dst));
    }
    rc = reduce_or_copy(op, step);
    if (NAPCOLL_STEP_REDUCE == step->kind && op->node_messages.stayed > 0) {
        take_operands(op, step);
    }
    return rc;
}

const napcoll_buffers_t napcoll_buffers_elements = {.bind = elements_bind,
                                                    .begin = elements_begin,
                                                    .message = elements_message,
                                                    .work = elements_work,
                                                    .finish = elements_finish};
