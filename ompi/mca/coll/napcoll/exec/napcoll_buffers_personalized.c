/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Buffers of personalized blocks: the messages of their plans (see napcoll_personalized.h).
 */

#include "exec/napcoll_operation.h"

#include <string.h>

#include "util/napcoll_grow.h"

/* A block of the user, or the piece of it that is under way: *piece is memory for the piece. */
static inline const napcoll_block_t *user_block(const napcoll_personalized_t *p, int32_t buffer,
                                                int block, napcoll_block_t *piece)
{
    const napcoll_block_t *whole = napcoll_personalized_block(p, buffer, block);
    size_t each, before;

    if (p->pieces < 2) {
        return whole;
    }
    each = whole->bytes / (size_t) p->pieces;
    before = each * (size_t) p->piece;
    *piece = napcoll_block_packed(napcoll_offset(whole->at, whole->lead + (ptrdiff_t) before),
                                  p->piece == p->pieces - 1 ? whole->bytes - before : each);
    return piece;
}

/* The bytes of a slot's next block, or, if that has come, of its block. */
static inline size_t bytes_to_come(const napcoll_personalized_t *p, int slot)
{
    return p->even ? p->bytes : napcoll_transit_size(&p->transit, slot);
}

/* Whether a message is sent without its blocks. */
static inline bool leaves_blocks(const napcoll_personalized_t *p, const napcoll_step_t *step)
{
    return step->headed && 0 != (p->said & NAPCOLL_SAID_BREAK);
}

/* The bytes of a run of slots in a message. A slot that both sends and receives in a stage sends
 * the block that it has and receives the next one. */
static size_t slot_bytes(const napcoll_personalized_t *p, const napcoll_step_t *step,
                         const napcoll_span_t *run)
{
    const napcoll_slot_t *slot = &p->transit.slot[run->first];
    size_t bytes = 0;

    if (NAPCOLL_STEP_RECV == step->kind && step->headed) {
        return (size_t) run->count * p->largest;
    }
    for (int i = 0; i < run->count; i++) {
        bytes += NAPCOLL_STEP_SEND == step->kind ? slot[i].size : bytes_to_come(p, run->first + i);
    }
    return bytes;
}

/* Measure a message: the bytes that it has, or has room for, and its address, if it is contiguous
 * in the user's memory. Returns how many of its blocks are in slots. */
static size_t measure_message(const napcoll_personalized_t *p, const napcoll_plan_t *plan,
                              const napcoll_step_t *step, napcoll_block_message_t *message)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, napcoll_step_span(step));
    const size_t head = step->sizes || step->headed ? NAPCOLL_SIZE_BYTES * (size_t) runs.left : 0;
    size_t in_slots = 0;
    bool adjacent = 0 == head;
    char *end = NULL;

    message->wire.count = head;
    if (step->sizes || (NAPCOLL_STEP_SEND == step->kind && leaves_blocks(p, step))) {
        return 0;
    }
    while (napcoll_runs_next(&runs)) {
        if (runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
            in_slots += (size_t) runs.run.count;
            message->wire.count += slot_bytes(p, step, &runs.run);
            adjacent = false;
            continue;
        }
        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            napcoll_block_t piece;
            const napcoll_block_t *block = user_block(p, runs.run.buffer, b, &piece);

            message->wire.count += block->bytes;
            if (adjacent && block->bytes > 0) {
                char *at = napcoll_offset(block->at, block->lead);

                adjacent = block->dense && (NULL == end || at == end);
                message->wire.at = NULL == message->wire.at ? at : message->wire.at;
                end = at + block->bytes;
            }
        }
    }
    message->wire.at = adjacent ? message->wire.at : NULL;
    return in_slots;
}

/* Whether a message is one block that is sent or received where it is. */
static bool is_one(const napcoll_step_t *step)
{
    const napcoll_span_t *span = napcoll_step_span(step);

    return !step->sizes && !step->headed && 1 == span->count && NAPCOLL_BUFFER_LIST != span->buffer
           && (NAPCOLL_STEP_SEND == step->kind || span->buffer < NAPCOLL_BUFFER_TEMP);
}

/* Set the memory of a message of one block. */
static void bind_one(const napcoll_personalized_t *p, const napcoll_step_t *step,
                     napcoll_block_message_t *message)
{
    const napcoll_span_t *span = napcoll_step_span(step);
    const napcoll_block_t *block;
    napcoll_block_t piece;

    if (span->buffer >= NAPCOLL_BUFFER_TEMP) {
        message->wire.at = napcoll_transit_at(&p->transit, span->first);
        message->wire.count = p->transit.slot[span->first].size;
        return;
    }
    block = user_block(p, span->buffer, span->first, &piece);
    message->wire.at = block->at;
    message->wire.count = block->count;
    message->wire.type = block->type;
}

static size_t aligned(size_t bytes)
{
    const size_t unit = 16;

    return (bytes + unit - 1) / unit * unit;
}

/* The size of a block as a message tells it. */
static size_t size_to_tell(const napcoll_personalized_t *p, const napcoll_step_t *step,
                           int32_t buffer, int block)
{
    napcoll_block_t piece;

    if (leaves_blocks(p, step)) {
        return 0;
    }
    if (buffer < NAPCOLL_BUFFER_TEMP) {
        return user_block(p, buffer, block, &piece)->bytes;
    }
    return step->headed ? p->transit.slot[block].size : bytes_to_come(p, block);
}

/* Write the sizes of a message; returns their end. */
static char *pack_sizes(const napcoll_personalized_t *p, const napcoll_plan_t *plan,
                        const napcoll_step_t *step, char *to)
{
    uint64_t said = step->headed ? p->said : 0;
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);

    while (napcoll_runs_next(&runs)) {
        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            const uint64_t size = said | size_to_tell(p, step, runs.run.buffer, b);

            said = 0;
            memcpy(to, &size, sizeof(size));
            to += sizeof(size);
        }
    }
    return to;
}

/* Pack a message that is sent; its blocks leave their slots. */
static int pack_message(napcoll_personalized_t *p, const napcoll_plan_t *plan,
                        const napcoll_step_t *step, char *to)
{
    napcoll_transit_t *transit = &p->transit;
    const bool leaves = leaves_blocks(p, step);
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);
    int rc = OMPI_SUCCESS;

    if (step->sizes || step->headed) {
        to = pack_sizes(p, plan, step, to);
    }
    while (!step->sizes && napcoll_runs_next(&runs)) {
        const int end = runs.run.first + runs.run.count;

        for (int b = runs.run.first; b < end && OMPI_SUCCESS == rc; b++) {
            napcoll_block_t piece;
            const napcoll_block_t *block;

            if (runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
                const size_t bytes = leaves ? 0 : transit->slot[b].size;

                if (bytes > 0) {
                    memcpy(to, napcoll_transit_at(transit, b), bytes);
                }
                napcoll_transit_drop(transit, b);
                to += bytes;
            } else if (!leaves) {
                block = user_block(p, runs.run.buffer, b, &piece);
                rc = napcoll_block_pack(block, to);
                to += block->bytes;
            }
        }
    }
    return rc;
}

/* Decide where a stage's messages have their bytes, and make room for those that are packed.
 * *blocks, *bytes: of the messages with blocks that go into slots. */
static int plan_messages(napcoll_personalized_t *p, const napcoll_plan_t *plan,
                         const napcoll_stage_t *stage, size_t *blocks, size_t *bytes)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t packed = 0;

    *blocks = *bytes = 0;
    for (int i = 0; i < stage->messages; i++) {
        const bool one = is_one(&step[i]), empty = 0 == napcoll_step_span(&step[i])->count;
        napcoll_block_message_t *message = &p->message[i];
        size_t in_slots;

        *message = (napcoll_block_message_t){
            .wire = {.type = &ompi_mpi_byte.dt,
                     .at_most = step[i].headed || (one && !p->even && p->pieces < 2)}};
        in_slots = measure_message(p, plan, &step[i], message);
        message->wire.nothing = 0 == message->wire.count && !empty;
        if (empty) {
            message->kind = NAPCOLL_MESSAGE_EMPTY;
        } else if (NAPCOLL_STEP_RECV == step[i].kind && in_slots > 0) {
            message->kind = NAPCOLL_MESSAGE_SLOTS;
            *blocks += in_slots;
            *bytes += message->wire.count;
        } else if (one) {
            message->kind = NAPCOLL_MESSAGE_ONE;
        } else if (NULL != message->wire.at) {
            message->kind = NAPCOLL_MESSAGE_ADJACENT;
        } else {
            packed += aligned(message->wire.count);
        }
    }
    return napcoll_buffer_take(&p->packed, packed) ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

/* Pack the messages of a stage, sizes first: a message tells the sizes of blocks before they
 * leave. */
static int pack_messages(napcoll_personalized_t *p, const napcoll_plan_t *plan,
                         const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t packed = 0;
    int rc = OMPI_SUCCESS;

    for (int sizes = 1; sizes >= 0; sizes--) {
        for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
            napcoll_block_message_t *message = &p->message[i];

            if (sizes != step[i].sizes || NAPCOLL_MESSAGE_PACKED != message->kind) {
                continue;
            }
            message->wire.at = p->packed.memory + packed;
            packed += aligned(message->wire.count);
            if (NAPCOLL_STEP_SEND == step[i].kind) {
                rc = pack_message(p, plan, &step[i], message->wire.at);
            }
        }
    }
    return rc;
}

static int personalized_before(napcoll_operation_t *op, const napcoll_stage_t *stage)
{
    const napcoll_plan_t *plan = op->plan;
    napcoll_personalized_t *p = &op->personalized;
    napcoll_transit_t *transit = &p->transit;
    size_t blocks, bytes;
    int rc = plan_messages(p, plan, stage, &blocks, &bytes);

    if (OMPI_SUCCESS == rc) {
        rc = pack_messages(p, plan, stage);
    }
    if (OMPI_SUCCESS == rc && !napcoll_transit_reserve(transit, blocks, bytes)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* From here on the blocks in transit stay where they are. */
    for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
        napcoll_block_message_t *message = &p->message[i];

        if (NAPCOLL_MESSAGE_SLOTS == message->kind) {
            message->offset = napcoll_transit_take(transit, message->wire.count);
            message->wire.at = message->wire.nothing ? NULL : transit->buffer.memory + message->offset;
        } else if (NAPCOLL_MESSAGE_ONE == message->kind) {
            bind_one(p, &plan->step[stage->first + i], message);
        }
    }
    return rc;
}

/* Take in a block of `size` bytes that has come for the user. */
static int take_block(napcoll_operation_t *op, int32_t buffer, int index, char *from, size_t size)
{
    const napcoll_personalized_t *p = &op->personalized;
    napcoll_block_t piece;
    const napcoll_block_t *block = user_block(p, buffer, index, &piece);

    if (0 == size && !p->complete) {
        return OMPI_SUCCESS;
    }
    if (size > block->bytes || (0 == size && block->bytes > 0)) {
        op->truncated = true;
        return OMPI_SUCCESS;
    }
    return napcoll_block_unpack(block, from, size);
}

/* Take in the blocks, or the sizes, of a message. */
static int take_in(napcoll_operation_t *op, const napcoll_step_t *step,
                   const napcoll_block_message_t *message)
{
    napcoll_personalized_t *p = &op->personalized;
    napcoll_runs_t runs = napcoll_runs_of(op->plan, &step->dst);
    const uint64_t said = step->headed ? NAPCOLL_SAID_DOUBT | NAPCOLL_SAID_BREAK : 0;
    const char *head = message->wire.at;
    size_t at = step->headed ? NAPCOLL_SIZE_BYTES * (size_t) runs.left : 0;
    int rc = OMPI_SUCCESS;

    while (napcoll_runs_next(&runs)) {
        const bool in_slots = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;
        const int end = runs.run.first + runs.run.count;

        for (int b = runs.run.first; b < end && OMPI_SUCCESS == rc; b++) {
            napcoll_block_t piece;
            uint64_t size;

            if (step->sizes || step->headed) {
                memcpy(&size, head, sizeof(size));
                head += sizeof(size);
                p->said |= size & said;
                size &= ~said;
            } else {
                size = in_slots ? bytes_to_come(p, b)
                                : user_block(p, runs.run.buffer, b, &piece)->bytes;
            }
            if (step->sizes) {
                napcoll_transit_tell(&p->transit, b, size);
                continue;
            }
            if (in_slots) {
                napcoll_transit_place(&p->transit, b, message->offset + at, size);
            } else {
                rc = take_block(op, runs.run.buffer, b, message->wire.at + at, size);
            }
            at += size;
        }
    }
    return rc;
}

static int personalized_after(napcoll_operation_t *op, const napcoll_stage_t *stage)
{
    napcoll_personalized_t *p = &op->personalized;
    const napcoll_step_t *step = &op->plan->step[stage->first];
    const napcoll_block_message_t *message = p->message;
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < stage->messages; i++) {
        if (NAPCOLL_STEP_SEND == step[i].kind && NAPCOLL_MESSAGE_ONE == message[i].kind
            && step[i].left.buffer >= NAPCOLL_BUFFER_TEMP) {
            napcoll_transit_drop(&p->transit, step[i].left.first);
        }
    }
    /* Blocks before sizes: these are the sizes of the blocks that come next. */
    for (int sizes = 0; sizes < 2; sizes++) {
        for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
            if (NAPCOLL_STEP_RECV == step[i].kind && sizes == step[i].sizes
                && (NAPCOLL_MESSAGE_PACKED == message[i].kind
                    || NAPCOLL_MESSAGE_SLOTS == message[i].kind)) {
                rc = take_in(op, &step[i], &message[i]);
            }
        }
    }
    return rc;
}

/* ---- the other functions of the buffers ---- */

static int personalized_bind(napcoll_operation_t *op)
{
    napcoll_personalized_t *p = &op->personalized;

    op->independent = !p->even;
    p->pieces = op->plan->pieces;
    return napcoll_grow(&p->message, &p->message_room, (size_t) op->plan->max_messages,
                        sizeof(*p->message))
               ? OMPI_SUCCESS
               : OMPI_ERR_OUT_OF_RESOURCE;
}

static int personalized_begin(napcoll_operation_t *op)
{
    const napcoll_plan_t *plan = op->plan;
    napcoll_personalized_t *p = &op->personalized;
    const int slots = plan->temps > 0 ? plan->temp[0].count : 0;
    int rc = OMPI_SUCCESS;

    p->piece = op->piece;
    if (0 == p->piece && OPAL_UNLIKELY(napcoll_compat_devices)) {
        rc = napcoll_host_begin_personalized(op);
    }
    if (0 == p->piece && OMPI_SUCCESS == rc) {
        rc = napcoll_personalized_make_copy(p);
    }
    return OMPI_SUCCESS == rc && !napcoll_transit_begin(&p->transit, slots)
               ? OMPI_ERR_OUT_OF_RESOURCE
               : rc;
}

static napcoll_message_t personalized_message(const napcoll_operation_t *op,
                                              const napcoll_step_t *step, int i)
{
    (void) step;
    return op->personalized.message[i].wire;
}

/* The only work of these plans. */
static int personalized_copy_own(napcoll_operation_t *op, const napcoll_step_t *step)
{
    (void) step;
    return napcoll_personalized_copy_own(&op->personalized);
}

static int personalized_finish(napcoll_operation_t *op, int rc)
{
    napcoll_personalized_t *p = &op->personalized;

    if (OMPI_SUCCESS == rc) {
        rc = napcoll_personalized_unpack_copy(p);
    }
    if (OPAL_UNLIKELY(napcoll_compat_devices)) {
        rc = napcoll_host_end(&op->host, rc);
    }
    if (!op->failed) {
        napcoll_personalized_end(p, NAPCOLL_SCRATCH_KEPT);
    }
    return rc;
}

const napcoll_buffers_t napcoll_buffers_personalized = {.bind = personalized_bind,
                                                        .begin = personalized_begin,
                                                        .before = personalized_before,
                                                        .message = personalized_message,
                                                        .after = personalized_after,
                                                        .work = personalized_copy_own,
                                                        .finish = personalized_finish};
