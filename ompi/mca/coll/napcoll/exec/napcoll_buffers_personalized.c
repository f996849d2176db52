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

/* The bytes of a block of the user in the messages of a plan. */
static inline size_t plan_bytes(const napcoll_block_t *block)
{
    return block->direct ? 0 : block->bytes;
}

/* The bytes of a run of slots that is sent, or received where all blocks have one size. A slot that
 * both sends and receives in a stage sends the block that it has and receives the next one. */
static size_t slot_bytes(const napcoll_personalized_t *p, const napcoll_step_t *step,
                         const napcoll_span_t *run)
{
    const napcoll_slot_t *slot = &p->transit.slot[run->first];
    size_t bytes = 0;

    if (NAPCOLL_STEP_RECV == step->kind) {
        return (size_t) run->count * p->bytes;
    }
    for (int i = 0; i < run->count; i++) {
        bytes += slot[i].size;
    }
    return bytes;
}

/* Measure a message: the bytes that it has, or has room for, and its address, if it is contiguous
 * in the user's memory. Returns how many of its blocks are in slots. A receiver of blocks behind
 * their sizes has room for the largest. */
static size_t measure_message(const napcoll_personalized_t *p, const napcoll_plan_t *plan,
                              const napcoll_step_t *step, napcoll_message_t *message)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    napcoll_runs_t runs = napcoll_runs_of(plan, napcoll_step_span(step));
    const size_t blocks = (size_t) runs.left;
    size_t in_slots = 0;
    bool adjacent = !step->headed;
    char *end = NULL;

    message->count = step->headed ? NAPCOLL_SIZE_BYTES * blocks : 0;
    if (step->headed && !sends) {
        message->count += p->inline_bytes * blocks;
    }
    while (napcoll_runs_next(&runs)) {
        if (runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
            in_slots += (size_t) runs.run.count;
            message->count += step->headed && !sends ? 0 : slot_bytes(p, step, &runs.run);
            adjacent = false;
            continue;
        }
        for (int b = runs.run.first;
             b < runs.run.first + runs.run.count && (sends || !step->headed); b++) {
            napcoll_block_t piece;
            const napcoll_block_t *block = user_block(p, runs.run.buffer, b, &piece);
            const size_t bytes = plan_bytes(block);

            message->count += bytes;
            if (adjacent && bytes > 0) {
                char *at = napcoll_offset(block->at, block->lead);

                adjacent = block->dense && (NULL == end || at == end);
                message->at = NULL == message->at ? at : message->at;
                end = at + bytes;
            }
        }
    }
    message->at = adjacent ? message->at : NULL;
    return in_slots;
}

/* Whether a message is one block that is sent or received where it is. */
static bool is_one(const napcoll_step_t *step)
{
    const napcoll_span_t *span = napcoll_step_span(step);

    return !step->headed && 1 == span->count && NAPCOLL_BUFFER_LIST != span->buffer
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

/* The word in front of a block. */
static inline uint64_t word_of(const napcoll_personalized_t *p, int32_t buffer, int number)
{
    const napcoll_block_t *block;

    if (buffer >= NAPCOLL_BUFFER_TEMP) {
        return p->transit.slot[number].head;
    }
    block = napcoll_personalized_block(p, buffer, number);
    return (uint64_t) p->said << NAPCOLL_SIZE_SAID_BIT
           | (block->direct ? NAPCOLL_SIZE_DIRECT : block->bytes);
}

/* Write the words in front of the blocks of a message; returns their end. */
static char *pack_sizes(const napcoll_personalized_t *p, const napcoll_plan_t *plan,
                        const napcoll_step_t *step, char *to)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);

    while (napcoll_runs_next(&runs)) {
        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            const uint64_t word = word_of(p, runs.run.buffer, b);

            memcpy(to, &word, sizeof(word));
            to += sizeof(word);
        }
    }
    return to;
}

/* Pack a message that is sent; personalized blocks leave their slots. */
static int pack_message(napcoll_personalized_t *p, const napcoll_plan_t *plan,
                        const napcoll_step_t *step, char *to)
{
    napcoll_transit_t *transit = &p->transit;
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);
    int rc = OMPI_SUCCESS;

    if (step->headed) {
        to = pack_sizes(p, plan, step, to);
    }
    while (napcoll_runs_next(&runs)) {
        const int end = runs.run.first + runs.run.count;

        for (int b = runs.run.first; b < end && OMPI_SUCCESS == rc; b++) {
            if (runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
                const size_t bytes = transit->slot[b].size;

                if (bytes > 0) {
                    memcpy(to, napcoll_transit_at(transit, b), bytes);
                }
                if (NAPCOLL_LAYOUT_PERSONALIZED == plan->layout) {
                    napcoll_transit_drop(transit, b);
                }
                to += bytes;
            } else {
                napcoll_block_t piece;
                const napcoll_block_t *block = user_block(p, runs.run.buffer, b, &piece);

                rc = block->direct ? OMPI_SUCCESS : napcoll_block_pack(block, to);
                to += plan_bytes(block);
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
        in_slots = measure_message(p, plan, &step[i], &message->wire);
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

/* Pack the messages of a stage. */
static int pack_messages(napcoll_personalized_t *p, const napcoll_plan_t *plan,
                         const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t packed = 0;
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
        napcoll_block_message_t *message = &p->message[i];

        if (NAPCOLL_MESSAGE_PACKED == message->kind) {
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
            message->wire.at = message->wire.nothing ? NULL
                                                     : transit->buffer.memory + message->offset;
        } else if (NAPCOLL_MESSAGE_ONE == message->kind) {
            bind_one(p, &plan->step[stage->first + i], message);
        }
    }
    return rc;
}

/* Take in a block of the user that has come in a message: `word` is in front of it, or, where sizes
 * are not sent, the bytes that it must have. */
static int take_block(napcoll_operation_t *op, int32_t buffer, int number, char *from,
                      uint64_t word)
{
    napcoll_personalized_t *p = &op->personalized;
    const size_t size = (size_t) NAPCOLL_SIZE_BYTES_OF(word);
    napcoll_block_t piece;
    const napcoll_block_t *block = user_block(p, buffer, number, &piece);

    if (OPAL_UNLIKELY(block->direct != (0 != (word & NAPCOLL_SIZE_DIRECT)))) {
        /* the two ends do not agree on its size: this one has more than the other sent, or less */
        if (!block->direct) {
            return napcoll_direct_expect(op, napcoll_personalized_block(p, buffer, number));
        }
        napcoll_direct_forget(op, napcoll_personalized_block(p, buffer, number));
    }
    if (size > block->bytes) {
        napcoll_operation_truncate(op);
        return OMPI_SUCCESS;
    }
    return napcoll_block_unpack(block, from, size);
}

/* Take in the blocks of a message. */
static int take_in(napcoll_operation_t *op, const napcoll_step_t *step,
                   const napcoll_block_message_t *message)
{
    napcoll_personalized_t *p = &op->personalized;
    napcoll_runs_t runs = napcoll_runs_of(op->plan, &step->dst);
    const char *head = message->wire.at;
    size_t at = step->headed ? NAPCOLL_SIZE_BYTES * (size_t) runs.left : 0;
    int rc = OMPI_SUCCESS;

    while (napcoll_runs_next(&runs)) {
        const bool in_slots = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;
        const int end = runs.run.first + runs.run.count;

        for (int b = runs.run.first; b < end && OMPI_SUCCESS == rc; b++) {
            napcoll_block_t piece;
            uint64_t word;
            size_t size;

            if (step->headed) {
                memcpy(&word, head, sizeof(word));
                head += sizeof(word);
                p->heard[NAPCOLL_SIZE_SAID_OF(word)] += !in_slots;
            } else {
                word = in_slots ? p->bytes : user_block(p, runs.run.buffer, b, &piece)->bytes;
            }
            size = (size_t) NAPCOLL_SIZE_BYTES_OF(word);
            if (in_slots) {
                napcoll_transit_place(&p->transit, b, message->offset + at, size, word);
            } else {
                rc = take_block(op, runs.run.buffer, b, message->wire.at + at, word);
            }
            at += size;
        }
    }
    if (NAPCOLL_MESSAGE_SLOTS == message->kind) {
        napcoll_transit_return(&p->transit, message->offset + message->wire.count,
                               message->offset + at);
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
        if (NAPCOLL_LAYOUT_PERSONALIZED == op->plan->layout && NAPCOLL_STEP_SEND == step[i].kind
            && NAPCOLL_MESSAGE_ONE == message[i].kind
            && step[i].left.buffer >= NAPCOLL_BUFFER_TEMP) {
            napcoll_transit_drop(&p->transit, step[i].left.first);
        }
    }
    for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
        if (NAPCOLL_STEP_RECV == step[i].kind
            && (NAPCOLL_MESSAGE_PACKED == message[i].kind
                || NAPCOLL_MESSAGE_SLOTS == message[i].kind)) {
            rc = take_in(op, &step[i], &message[i]);
        }
    }
    return OMPI_SUCCESS == rc ? napcoll_direct_advance(op) : rc;
}

/* ---- the other functions of the buffers ---- */

static int personalized_bind(napcoll_operation_t *op)
{
    napcoll_personalized_t *p = &op->personalized;

    op->independent = !p->even;
    p->pieces = op->plan->pieces;
    if (OMPI_SUCCESS != napcoll_direct_bind(op)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
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
    if (OMPI_SUCCESS == rc && !napcoll_transit_begin(&p->transit, slots)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    return 0 == p->piece && OMPI_SUCCESS == rc ? napcoll_direct_begin(op) : rc;
}

static void personalized_message(const napcoll_operation_t *op, const napcoll_step_t *step, int i,
                                 napcoll_message_t *message)
{
    (void) step;
    *message = op->personalized.message[i].wire;
}

/* The only work of these plans is to copy blocks: from the rank to itself, or out of a slot. */
static int personalized_copy(napcoll_operation_t *op, const napcoll_step_t *step)
{
    napcoll_personalized_t *p = &op->personalized;
    const napcoll_slot_t *slot;

    if (step->left.buffer < NAPCOLL_BUFFER_TEMP) {
        return napcoll_personalized_copy(p, step->left.first, step->dst.first);
    }
    slot = &p->transit.slot[step->left.first];
    return take_block(op, step->dst.buffer, step->dst.first,
                      napcoll_transit_at(&p->transit, step->left.first), slot->head);
}

static int personalized_finish(napcoll_operation_t *op, int rc)
{
    napcoll_personalized_t *p = &op->personalized;

    if (op->failed) {
        napcoll_messages_abandon(&p->direct, op->binding.comm, rc);
    }
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
                                                        .work = personalized_copy,
                                                        .outside = napcoll_direct_end,
                                                        .finish = personalized_finish};
