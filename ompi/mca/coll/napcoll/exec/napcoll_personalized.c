/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The messages of plans of personalized blocks (see the header).
 */

#include "exec/napcoll_personalized.h"

#include <stdlib.h>
#include <string.h>

#include "compat/napcoll_compat.h"
#include "exec/napcoll_host.h"
#include "ompi/datatype/ompi_datatype.h"
#include "util/napcoll_grow.h"

/* A user block, or the piece of it that is under way: *piece is memory for the piece. */
static inline const napcoll_block_t *piece_of(const napcoll_personalized_t *personalized,
                                              const napcoll_block_t *whole, napcoll_block_t *piece)
{
    size_t each, before;

    if (personalized->pieces < 2) {
        return whole;
    }
    each = whole->bytes / (size_t) personalized->pieces;
    before = each * (size_t) personalized->piece;
    *piece = napcoll_block_packed(
        napcoll_offset(whole->at, whole->lead + (ptrdiff_t) before),
        personalized->piece == personalized->pieces - 1 ? whole->bytes - before : each);
    return piece;
}

/* The bytes of a user block, or of its piece. */
static inline size_t bytes_of(const napcoll_personalized_t *personalized, int32_t buffer, int block)
{
    napcoll_block_t piece;

    return piece_of(personalized, napcoll_personalized_block(personalized, buffer, block), &piece)
        ->bytes;
}

/* The bytes of a slot's next block, or, if that has come, of its block. */
static inline size_t bytes_to_come(const napcoll_personalized_t *personalized, int slot)
{
    return personalized->even ? personalized->bytes
                              : napcoll_transit_size(&personalized->transit, slot);
}

/* Whether a message is sent without its blocks. */
static inline bool leaves_blocks(const napcoll_personalized_t *personalized,
                                 const napcoll_step_t *step)
{
    return step->headed && 0 != (personalized->said & NAPCOLL_SAID_BREAK);
}

/* The bytes of a run of slots in a message. A slot that both sends and receives in a stage sends the
 * block that it has and receives the next one. */
static size_t slot_bytes(const napcoll_personalized_t *personalized, const napcoll_step_t *step,
                         const napcoll_span_t *run)
{
    const napcoll_slot_t *slot = &personalized->transit.slot[run->first];
    size_t bytes = 0;

    if (NAPCOLL_STEP_RECV == step->kind && step->headed) {
        return (size_t) run->count * personalized->largest;
    }
    for (int i = 0; i < run->count; i++) {
        bytes += NAPCOLL_STEP_SEND == step->kind ? slot[i].size
                                                 : bytes_to_come(personalized, run->first + i);
    }
    return bytes;
}

/* What must be known of a message before it is posted. */
typedef struct {
    /* its bytes, or more where it is received with its sizes */
    size_t bytes;
    size_t blocks_in_slots;
    /* where it begins in the user's memory, if it is contiguous there; else NULL */
    char *at;
} survey_t;

static survey_t survey(const napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                       const napcoll_step_t *step)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, napcoll_step_span(step));
    const size_t head = step->sizes || step->headed ? NAPCOLL_SIZE_BYTES * (size_t) runs.left : 0;
    survey_t found = {.bytes = head};
    bool adjacent = 0 == head;
    char *end = NULL;

    if (step->sizes || (NAPCOLL_STEP_SEND == step->kind && leaves_blocks(personalized, step))) {
        return found;
    }
    while (napcoll_runs_next(&runs)) {
        if (runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
            found.blocks_in_slots += (size_t) runs.run.count;
            found.bytes += slot_bytes(personalized, step, &runs.run);
            adjacent = false;
            continue;
        }
        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            napcoll_block_t piece;
            const napcoll_block_t *block = piece_of(
                personalized, napcoll_personalized_block(personalized, runs.run.buffer, b), &piece);

            found.bytes += block->bytes;
            if (adjacent && block->bytes > 0) {
                char *at = napcoll_offset(block->at, block->lead);

                adjacent = block->dense && (NULL == end || at == end);
                found.at = NULL == found.at ? at : found.at;
                end = at + block->bytes;
            }
        }
    }
    found.at = adjacent ? found.at : NULL;
    return found;
}

/* Whether a message is one block that is sent or received where it is. */
static bool is_one(const napcoll_step_t *step)
{
    const napcoll_span_t *span = napcoll_step_span(step);

    return !step->sizes && !step->headed && 1 == span->count && NAPCOLL_BUFFER_LIST != span->buffer
           && (NAPCOLL_STEP_SEND == step->kind || span->buffer < NAPCOLL_BUFFER_TEMP);
}

/* Set the memory of a message of one block. */
static void bind_one(const napcoll_personalized_t *personalized, const napcoll_step_t *step,
                     napcoll_message_t *message)
{
    const napcoll_span_t *span = napcoll_step_span(step);
    const napcoll_block_t *block;
    napcoll_block_t piece;

    if (span->buffer >= NAPCOLL_BUFFER_TEMP) {
        message->at = napcoll_transit_at(&personalized->transit, span->first);
        message->count = personalized->transit.slot[span->first].size;
        return;
    }
    block = piece_of(personalized,
                     napcoll_personalized_block(personalized, span->buffer, span->first), &piece);
    message->at = block->at;
    message->count = block->count;
    message->type = block->type;
}

static size_t aligned(size_t bytes)
{
    const size_t unit = 16;

    return (bytes + unit - 1) / unit * unit;
}

/* The size of a block as a message tells it. */
static size_t size_to_tell(const napcoll_personalized_t *personalized, const napcoll_step_t *step,
                           int32_t buffer, int block)
{
    if (leaves_blocks(personalized, step)) {
        return 0;
    }
    if (buffer < NAPCOLL_BUFFER_TEMP) {
        return bytes_of(personalized, buffer, block);
    }
    return step->headed ? personalized->transit.slot[block].size
                        : bytes_to_come(personalized, block);
}

/* Write the sizes of a message; returns their end. */
static char *pack_sizes(const napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                        const napcoll_step_t *step, char *to)
{
    uint64_t said = step->headed ? personalized->said : 0;
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);

    while (napcoll_runs_next(&runs)) {
        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            const uint64_t size = said | size_to_tell(personalized, step, runs.run.buffer, b);

            said = 0;
            memcpy(to, &size, sizeof(size));
            to += sizeof(size);
        }
    }
    return to;
}

/* Pack a message that is sent; its blocks leave their slots. */
static int pack_message(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                        const napcoll_step_t *step, char *to)
{
    napcoll_transit_t *transit = &personalized->transit;
    const bool leaves = leaves_blocks(personalized, step);
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);
    int rc = OMPI_SUCCESS;

    if (step->sizes || step->headed) {
        to = pack_sizes(personalized, plan, step, to);
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
                block = piece_of(personalized,
                                 napcoll_personalized_block(personalized, runs.run.buffer, b),
                                 &piece);
                rc = napcoll_block_pack(block, to);
                to += block->bytes;
            }
        }
    }
    return rc;
}

/* Decide where a stage's messages have their bytes, and make room for those that are packed. *blocks,
 * *bytes: of the messages with blocks that go into slots. */
static int plan_messages(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                         const napcoll_stage_t *stage, size_t *blocks, size_t *bytes)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t packed = 0;

    *blocks = *bytes = 0;
    for (int i = 0; i < stage->messages; i++) {
        const survey_t found = survey(personalized, plan, &step[i]);
        const bool one = is_one(&step[i]), empty = 0 == napcoll_step_span(&step[i])->count;
        napcoll_message_t *message = &personalized->message[i];

        *message = (napcoll_message_t){
            .kind = NAPCOLL_MESSAGE_PACKED,
            .at = found.at,
            .count = found.bytes,
            .type = &ompi_mpi_byte.dt,
            .nothing = 0 == found.bytes && !empty,
            .at_most = step[i].headed || (one && !personalized->even && personalized->pieces < 2)};
        if (empty) {
            message->kind = NAPCOLL_MESSAGE_EMPTY;
        } else if (NAPCOLL_STEP_RECV == step[i].kind && found.blocks_in_slots > 0) {
            message->kind = NAPCOLL_MESSAGE_SLOTS;
            *blocks += found.blocks_in_slots;
            *bytes += found.bytes;
        } else if (one) {
            message->kind = NAPCOLL_MESSAGE_ONE;
        } else if (NULL != found.at) {
            message->kind = NAPCOLL_MESSAGE_ADJACENT;
        } else {
            packed += aligned(found.bytes);
        }
    }
    return napcoll_buffer_take(&personalized->packed, packed) ? OMPI_SUCCESS
                                                              : OMPI_ERR_OUT_OF_RESOURCE;
}

/* Pack the messages of a stage, of sizes first: they are those of the blocks before they leave. */
static int pack_messages(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                         const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t packed = 0;
    int rc = OMPI_SUCCESS;

    for (int sizes = 1; sizes >= 0; sizes--) {
        for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
            napcoll_message_t *message = &personalized->message[i];

            if (sizes != step[i].sizes || NAPCOLL_MESSAGE_PACKED != message->kind) {
                continue;
            }
            message->at = personalized->packed.memory + packed;
            packed += aligned(message->count);
            if (NAPCOLL_STEP_SEND == step[i].kind) {
                rc = pack_message(personalized, plan, &step[i], message->at);
            }
        }
    }
    return rc;
}

int napcoll_personalized_post(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                              const napcoll_stage_t *stage)
{
    napcoll_transit_t *transit = &personalized->transit;
    size_t blocks, bytes;
    int rc = plan_messages(personalized, plan, stage, &blocks, &bytes);

    if (OMPI_SUCCESS == rc) {
        rc = pack_messages(personalized, plan, stage);
    }
    if (OMPI_SUCCESS == rc && !napcoll_transit_reserve(transit, blocks, bytes)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* From here on the blocks in transit stay where they are. */
    for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
        napcoll_message_t *message = &personalized->message[i];

        if (NAPCOLL_MESSAGE_SLOTS == message->kind) {
            message->offset = napcoll_transit_take(transit, message->count);
            message->at = message->nothing ? NULL : transit->buffer.memory + message->offset;
        } else if (NAPCOLL_MESSAGE_ONE == message->kind) {
            bind_one(personalized, &plan->step[stage->first + i], message);
        }
    }
    return rc;
}

/* Take in a block of `size` bytes that has come for the user. */
static int take_block(napcoll_personalized_t *personalized, int32_t buffer, int index, char *from,
                      size_t size)
{
    napcoll_block_t piece;
    const napcoll_block_t *block = piece_of(
        personalized, napcoll_personalized_block(personalized, buffer, index), &piece);

    if (0 == size && !personalized->complete) {
        return OMPI_SUCCESS;
    }
    if (size > block->bytes || (0 == size && block->bytes > 0)) {
        personalized->truncated = true;
        return OMPI_SUCCESS;
    }
    return napcoll_block_unpack(block, from, size);
}

/* Take in the blocks, or the sizes, of a message. */
static int take_in(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                   const napcoll_step_t *step, const napcoll_message_t *message)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->dst);
    const uint64_t said = step->headed ? NAPCOLL_SAID_DOUBT | NAPCOLL_SAID_BREAK : 0;
    const char *head = message->at;
    size_t at = step->headed ? NAPCOLL_SIZE_BYTES * (size_t) runs.left : 0;
    int rc = OMPI_SUCCESS;

    while (napcoll_runs_next(&runs)) {
        const bool in_slots = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;
        const int end = runs.run.first + runs.run.count;

        for (int b = runs.run.first; b < end && OMPI_SUCCESS == rc; b++) {
            uint64_t size;

            if (step->sizes || step->headed) {
                memcpy(&size, head, sizeof(size));
                head += sizeof(size);
                personalized->said |= size & said;
                size &= ~said;
            } else {
                size = in_slots ? bytes_to_come(personalized, b)
                                : bytes_of(personalized, runs.run.buffer, b);
            }
            if (step->sizes) {
                napcoll_transit_tell(&personalized->transit, b, size);
                continue;
            }
            if (in_slots) {
                napcoll_transit_place(&personalized->transit, b, message->offset + at, size);
            } else {
                rc = take_block(personalized, runs.run.buffer, b, message->at + at, size);
            }
            at += size;
        }
    }
    return rc;
}

int napcoll_personalized_land(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                              const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    const napcoll_message_t *message = personalized->message;
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < stage->messages; i++) {
        if (NAPCOLL_STEP_SEND == step[i].kind && NAPCOLL_MESSAGE_ONE == message[i].kind
            && step[i].left.buffer >= NAPCOLL_BUFFER_TEMP) {
            napcoll_transit_drop(&personalized->transit, step[i].left.first);
        }
    }
    /* Blocks before sizes: these are the sizes of the blocks that come next. */
    for (int sizes = 0; sizes < 2; sizes++) {
        for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
            if (NAPCOLL_STEP_RECV == step[i].kind && sizes == step[i].sizes
                && (NAPCOLL_MESSAGE_PACKED == message[i].kind
                    || NAPCOLL_MESSAGE_SLOTS == message[i].kind)) {
                rc = take_in(personalized, plan, &step[i], &message[i]);
            }
        }
    }
    return rc;
}

void napcoll_personalized_end(napcoll_personalized_t *personalized, size_t kept)
{
    napcoll_buffer_give(&personalized->copy);
    free(personalized->unpack_to);
    personalized->unpack_to = NULL;
    napcoll_transit_end(&personalized->transit, kept);
    if (personalized->packed.room > kept || 0 == kept) {
        napcoll_buffer_give(&personalized->packed);
    }
    if (0 == kept) {
        free(personalized->blocks);
        free(personalized->message);
        *personalized = (napcoll_personalized_t){0};
    }
}

int napcoll_engine_run_personalized(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                                    ompi_communicator_t *comm, int tag)
{
    napcoll_personalized_t *personalized = engine->personalized;
    const napcoll_binding_t binding = {
        .datatype = &ompi_mpi_byte.dt, .comm = comm, .tag = tag, .personalized = personalized};
    const int slots = plan->temps > 0 ? plan->temp[0].count : 0;
    napcoll_host_sides_t sides = {0};
    int rc = napcoll_grow(&personalized->message, &personalized->message_room,
                          (size_t) plan->max_messages, sizeof(*personalized->message))
                 ? OMPI_SUCCESS
                 : OMPI_ERR_OUT_OF_RESOURCE;

    personalized->pieces = plan->pieces;
    personalized->piece = 0;
    personalized->truncated = personalized->doubtful;
    if (OMPI_SUCCESS == rc && OPAL_UNLIKELY(napcoll_compat_devices)) {
        rc = napcoll_host_bind_personalized(plan, personalized, &sides);
    }
    if (OMPI_SUCCESS == rc) {
        rc = napcoll_personalized_make_copy(personalized);
    }
    for (; personalized->piece < plan->pieces && OMPI_SUCCESS == rc; personalized->piece++) {
        rc = napcoll_transit_begin(&personalized->transit, slots)
                 ? napcoll_engine_run(engine, plan, &binding)
                 : OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == rc) {
        rc = napcoll_personalized_unpack_copy(personalized);
    }
    if (OPAL_UNLIKELY(napcoll_compat_devices)) {
        rc = napcoll_host_end(&sides, rc);
    }
    napcoll_personalized_end(personalized, OMPI_SUCCESS == rc ? NAPCOLL_SCRATCH_KEPT : 0);
    return OMPI_SUCCESS == rc && personalized->truncated ? MPI_ERR_TRUNCATE : rc;
}
