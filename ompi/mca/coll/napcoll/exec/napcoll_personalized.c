/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans in the layout of personalized blocks (see the header): their messages.
 */

#include "exec/napcoll_personalized.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/napcoll_compat.h"
#include "exec/napcoll_host.h"
#include "exec/napcoll_buffer_pool.h"
#include "ompi/datatype/ompi_datatype.h"

/* The piece of a block that is under way. */
static const napcoll_block_t *cut(const napcoll_personalized_t *personalized,
                                  const napcoll_block_t *whole, napcoll_block_t *piece)
{
    const size_t each = whole->bytes / (size_t) personalized->pieces;
    const size_t before = each * (size_t) personalized->piece;
    const bool last = personalized->piece == personalized->pieces - 1;

    *piece = napcoll_block_packed(napcoll_offset(whole->at, whole->lead + (ptrdiff_t) before),
                                  last ? whole->bytes - before : each);
    return piece;
}

/* What of a block of the user's is under way: all of it, or a piece, which is put into *piece. */
static inline const napcoll_block_t *part_of(const napcoll_personalized_t *personalized,
                                             const napcoll_block_t *whole, napcoll_block_t *piece)
{
    return personalized->pieces < 2 ? whole : cut(personalized, whole, piece);
}

/* The bytes of a block of the user's in a message. */
static inline size_t bytes_of(const napcoll_personalized_t *personalized, int32_t buffer, int block)
{
    napcoll_block_t piece;

    return part_of(personalized, napcoll_personalized_block(personalized, buffer, block), &piece)
        ->bytes;
}

/* The bytes of the block that comes next into a slot, or of the present one. */
static inline size_t bytes_to_come(const napcoll_personalized_t *personalized, int slot)
{
    return personalized->even ? personalized->bytes
                              : napcoll_transit_size(&personalized->transit, slot);
}

/* Whether a message that is sent leaves its blocks behind. */
static inline bool leaves_blocks(const napcoll_personalized_t *personalized,
                                 const napcoll_step_t *step)
{
    return step->headed && 0 != (personalized->said & NAPCOLL_SAID_BREAK);
}

/* What there is to know of a message before it is posted. */
typedef struct {
    size_t bytes;    /* of it, or more where it is received with its sizes */
    size_t in_slots; /* how many of its blocks are in slots */
    char *
        at; /* where it begins, if it has bytes, and they are dense blocks of the user's of which each ends
                 where the next one begins; else NULL */
} survey_t;

/* The bytes of a run of slots. Of slots that send and receive in the same stage the present block is sent, and the
 * next one received. */
static size_t survey_slots(const napcoll_personalized_t *personalized, const napcoll_step_t *step,
                           const napcoll_span_t *run)
{
    const napcoll_slot_t *slot = &personalized->transit.slot[run->first];
    size_t bytes = 0;

    if (NAPCOLL_STEP_SEND == step->kind) {
        for (int i = 0; i < run->count; i++) {
            bytes += slot[i].size;
        }
        return bytes;
    }
    if (step->headed) {
        return (size_t) run->count * personalized->largest;
    }
    for (int b = run->first; b < run->first + run->count; b++) {
        bytes += bytes_to_come(personalized, b);
    }
    return bytes;
}

static survey_t survey(const napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                       const napcoll_step_t *step)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    napcoll_runs_t runs = napcoll_runs_of(plan, sends ? &step->left : &step->dst);
    const size_t head = step->sizes || step->headed ? NAPCOLL_SIZE_BYTES * (size_t) runs.left : 0;
    const napcoll_block_t *whole;
    survey_t found = {.bytes = head};
    bool adjacent = 0 == head;
    char *end = NULL;

    if (sends && leaves_blocks(personalized, step)) {
        return found;
    }
    while (!step->sizes && napcoll_runs_next(&runs)) {
        if (runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
            found.in_slots += (size_t) runs.run.count;
            found.bytes += survey_slots(personalized, step, &runs.run);
            adjacent = false;
            continue;
        }
        whole = napcoll_personalized_block(personalized, runs.run.buffer, runs.run.first);
        for (int i = 0; i < runs.run.count; i++) {
            napcoll_block_t piece;
            const napcoll_block_t *block = part_of(personalized, &whole[i], &piece);

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

/* Whether a message has no blocks: it is sent all the same. */
static bool is_word(const napcoll_step_t *step)
{
    return 0 == (NAPCOLL_STEP_SEND == step->kind ? step->left : step->dst).count;
}

/* Whether a message is one block, which goes as it lies. */
static bool is_one(const napcoll_step_t *step)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    const napcoll_span_t span = sends ? step->left : step->dst;

    return !step->sizes && !step->headed && 1 == span.count && NAPCOLL_BUFFER_LIST != span.buffer
           && (sends || span.buffer < NAPCOLL_BUFFER_TEMP);
}

/* The message of a block that goes as it lies. */
static napcoll_parcel_t one(const napcoll_personalized_t *personalized, const napcoll_step_t *step)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    const napcoll_span_t span = sends ? step->left : step->dst;
    const napcoll_block_t *block;
    napcoll_block_t piece;

    if (span.buffer >= NAPCOLL_BUFFER_TEMP) {
        return (napcoll_parcel_t){.way = NAPCOLL_WAY_ONE,
                                  .at = napcoll_transit_at(&personalized->transit, span.first),
                                  .count = personalized->transit.slot[span.first].size,
                                  .type = &ompi_mpi_byte.dt};
    }
    block = part_of(personalized, napcoll_personalized_block(personalized, span.buffer, span.first),
                    &piece);
    return (napcoll_parcel_t){
        .way = NAPCOLL_WAY_ONE, .at = block->at, .count = block->count, .type = block->type};
}

static size_t aligned(size_t bytes)
{
    const size_t unit = 16;

    return (bytes + unit - 1) / unit * unit;
}

/* Write the sizes of a message that is sent: of those blocks that go with it, or that will go in a later stage. */
static char *fill_sizes(const napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                        const napcoll_step_t *step, char *to)
{
    const napcoll_transit_t *transit = &personalized->transit;
    const bool leaves = leaves_blocks(personalized, step);
    uint64_t said = step->headed ? personalized->said : 0;
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);

    while (napcoll_runs_next(&runs)) {
        const bool in_slots = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;

        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            const uint64_t size = said
                                  | (leaves         ? 0
                                     : !in_slots    ? bytes_of(personalized, runs.run.buffer, b)
                                     : step->headed ? transit->slot[b].size
                                                    : bytes_to_come(personalized, b));

            said = 0;
            memcpy(to, &size, sizeof(size));
            to += sizeof(size);
        }
    }
    return to;
}

/* Pack a message that is sent; blocks that leave slots with it have left them then. */
static int fill(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                const napcoll_step_t *step, char *to)
{
    napcoll_transit_t *transit = &personalized->transit;
    const bool leaves = leaves_blocks(personalized, step);
    const napcoll_block_t *whole;
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);
    int rc = OMPI_SUCCESS;

    if (step->sizes || step->headed) {
        to = fill_sizes(personalized, plan, step, to);
    }
    while (!step->sizes && OMPI_SUCCESS == rc && napcoll_runs_next(&runs)) {
        if (runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
            for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
                const size_t bytes = leaves ? 0 : transit->slot[b].size;

                if (bytes > 0) {
                    memcpy(to, napcoll_transit_at(transit, b), bytes);
                }
                napcoll_transit_drop(transit, b);
                to += bytes;
            }
            continue;
        }
        whole = napcoll_personalized_block(personalized, runs.run.buffer, runs.run.first);
        for (int i = 0; i < runs.run.count && !leaves && OMPI_SUCCESS == rc; i++) {
            napcoll_block_t piece;
            const napcoll_block_t *block = part_of(personalized, &whole[i], &piece);

            rc = napcoll_block_pack(block, to);
            to += block->bytes;
        }
    }
    return rc;
}

/* Find out how large a stage's messages are, and where they go; make room for those that are packed, or bring
 * sizes or blocks for this process alone. *blocks, *bytes: of those that bring others. *sizes: whether any is of
 * sizes. */
static int measure_messages(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                            const napcoll_stage_t *stage, size_t *blocks, size_t *bytes,
                            bool *sizes)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t packed = 0;

    *blocks = *bytes = 0;
    *sizes = false;
    for (int i = 0; i < stage->messages; i++) {
        const survey_t message = survey(personalized, plan, &step[i]);
        napcoll_parcel_t *parcel = &personalized->parcel[i];

        *parcel = (napcoll_parcel_t){
            .count = message.bytes,
            .type = &ompi_mpi_byte.dt,
            .nothing = 0 == message.bytes,
            .at_most = step[i].headed
                       || (is_one(&step[i]) && !personalized->even && personalized->pieces < 2)};
        *sizes = *sizes || step[i].sizes;
        if (is_word(&step[i])) {
            parcel->way = NAPCOLL_WAY_WORD;
            parcel->nothing = false;
        } else if (NAPCOLL_STEP_RECV == step[i].kind && message.in_slots > 0) {
            parcel->way = NAPCOLL_WAY_STOPS;
            *blocks += message.in_slots;
            *bytes += message.bytes;
        } else if (is_one(&step[i])) {
            parcel->way = NAPCOLL_WAY_ONE;
        } else {
            parcel->at = message.at;
            parcel->way = NULL == parcel->at ? NAPCOLL_WAY_PACKED : NAPCOLL_WAY_ADJACENT;
            packed += NULL == parcel->at ? aligned(message.bytes) : 0;
        }
    }
    if (packed > personalized->packed_room) {
        napcoll_buffer_pool_give(personalized->packed, personalized->packed_room);
        personalized->packed = napcoll_buffer_pool_take(packed, &personalized->packed_room);
        if (NULL == personalized->packed) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return OMPI_SUCCESS;
}

int napcoll_personalized_post(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                              const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t blocks, bytes, packed = 0;
    bool any;
    int rc = measure_messages(personalized, plan, stage, &blocks, &bytes, &any);

    /* sizes are those of what is in the slots before it leaves them, or comes next */
    for (int sizes = any ? 1 : 0; sizes >= 0; sizes--) {
        for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
            napcoll_parcel_t *parcel = &personalized->parcel[i];

            if ((1 == sizes) != step[i].sizes || NAPCOLL_WAY_PACKED != parcel->way) {
                continue;
            }
            parcel->at = personalized->packed + packed;
            packed += aligned(parcel->count);
            if (NAPCOLL_STEP_SEND == step[i].kind) {
                rc = fill(personalized, plan, &step[i], parcel->at);
            }
        }
    }
    if (OMPI_SUCCESS == rc && 0 != napcoll_transit_reserve(&personalized->transit, blocks, bytes)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) { /* nothing moves any more */
        napcoll_parcel_t *parcel = &personalized->parcel[i];

        if (NAPCOLL_WAY_STOPS == parcel->way) {
            parcel->offset = napcoll_transit_take(&personalized->transit, parcel->count);
            parcel->at = parcel->nothing ? NULL : personalized->transit.memory + parcel->offset;
        } else if (NAPCOLL_WAY_ONE == parcel->way) {
            const bool nothing = parcel->nothing, at_most = parcel->at_most;

            *parcel = one(personalized, &step[i]);
            parcel->nothing = nothing;
            parcel->at_most = at_most;
        }
    }
    return rc;
}

/* Take in the blocks, or the sizes, of a message. */
static int take_in(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                   const napcoll_step_t *step, const napcoll_parcel_t *parcel)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->dst);
    const uint64_t said = step->headed ? NAPCOLL_SAID_DOUBT | NAPCOLL_SAID_BREAK : 0;
    const char *head = parcel->at;
    size_t at = step->headed ? NAPCOLL_SIZE_BYTES * (size_t) runs.left : 0;
    int rc = OMPI_SUCCESS;

    while (OMPI_SUCCESS == rc && napcoll_runs_next(&runs)) {
        const bool stops = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;
        const int end = runs.run.first + runs.run.count;

        for (int b = runs.run.first; b < end && OMPI_SUCCESS == rc; b++) {
            napcoll_block_t piece;
            uint64_t size;

            if (step->sizes || step->headed) {
                memcpy(&size, head, sizeof(size));
                head += sizeof(size);
                personalized->said |= size & said;
                size &= ~said;
            } else {
                size = stops ? bytes_to_come(personalized, b)
                             : bytes_of(personalized, runs.run.buffer, b);
            }
            if (step->sizes) {
                napcoll_transit_tell(&personalized->transit, b, size);
                continue;
            }
            if (stops) {
                napcoll_transit_place(&personalized->transit, b, parcel->offset + at, size);
            } else if (size > 0 || personalized->complete) {
                const napcoll_block_t *block = part_of(
                    personalized, napcoll_personalized_block(personalized, runs.run.buffer, b),
                    &piece);

                if (size > block->bytes || (0 == size && block->bytes > 0)) {
                    personalized->truncated = true;
                } else {
                    rc = napcoll_block_unpack(block, parcel->at + at, size);
                }
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
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < stage->messages; i++) {
        if (NAPCOLL_STEP_SEND == step[i].kind && NAPCOLL_WAY_ONE == personalized->parcel[i].way
            && step[i].left.buffer >= NAPCOLL_BUFFER_TEMP) {
            napcoll_transit_drop(&personalized->transit, step[i].left.first);
        }
    }
    /* blocks come before the sizes of what follows them into their slots */
    for (int sizes = 0; sizes < 2; sizes++) {
        for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
            const napcoll_parcel_t *parcel = &personalized->parcel[i];

            if (NAPCOLL_STEP_RECV == step[i].kind && (1 == sizes) == step[i].sizes
                && (NAPCOLL_WAY_PACKED == parcel->way || NAPCOLL_WAY_STOPS == parcel->way)) {
                rc = take_in(personalized, plan, &step[i], parcel);
            }
        }
    }
    return rc;
}

void napcoll_personalized_end(napcoll_personalized_t *personalized, size_t kept)
{
    napcoll_buffer_pool_give(personalized->copy, personalized->copy_room);
    free(personalized->spread);
    personalized->copy = NULL;
    personalized->spread = NULL;
    napcoll_transit_end(&personalized->transit, kept);
    if (personalized->packed_room > kept) {
        napcoll_buffer_pool_give(personalized->packed, personalized->packed_room);
        personalized->packed = NULL;
        personalized->packed_room = 0;
    }
    if (0 == kept) {
        napcoll_buffer_pool_give(personalized->packed, personalized->packed_room);
        free(personalized->room);
        free(personalized->parcel);
        *personalized = (napcoll_personalized_t){0};
    }
}

/* Make room for a plan's messages. */
static int make_parcels(napcoll_personalized_t *personalized, const napcoll_plan_t *plan)
{
    if (plan->max_messages > personalized->parcel_room) {
        napcoll_parcel_t *more = realloc(personalized->parcel,
                                         (size_t) plan->max_messages * sizeof(*more));

        if (NULL == more) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        personalized->parcel = more;
        personalized->parcel_room = plan->max_messages;
    }
    return OMPI_SUCCESS;
}

int napcoll_engine_run_personalized(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                                    ompi_communicator_t *comm, int tag)
{
    napcoll_personalized_t *personalized = engine->personalized;
    const napcoll_binding_t binding = {
        .datatype = &ompi_mpi_byte.dt, .comm = comm, .tag = tag, .personalized = personalized};
    const int slots = plan->temps > 0 ? plan->temp[0].count : 0;
    napcoll_host_sides_t sides = {0};
    int rc = make_parcels(personalized, plan);

    personalized->pieces = plan->pieces;
    personalized->piece = 0;
    personalized->truncated = personalized->doubtful;
    if (OMPI_SUCCESS == rc && OPAL_UNLIKELY(napcoll_compat_devices)) {
        rc = napcoll_host_bind_personalized(plan, personalized, &sides);
    }
    if (OMPI_SUCCESS == rc) {
        rc = napcoll_personalized_pack_whole(personalized);
    }
    for (; personalized->piece < plan->pieces && OMPI_SUCCESS == rc; personalized->piece++) {
        rc = 0 == napcoll_transit_begin(&personalized->transit, slots)
                 ? napcoll_engine_run(engine, plan, &binding)
                 : OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == rc) {
        rc = napcoll_personalized_spread(personalized);
    }
    if (OPAL_UNLIKELY(napcoll_compat_devices)) {
        rc = napcoll_host_end(&sides, rc);
    }
    napcoll_personalized_end(personalized, OMPI_SUCCESS == rc ? NAPCOLL_SCRATCH_KEPT : 0);
    return OMPI_SUCCESS == rc && personalized->truncated ? MPI_ERR_TRUNCATE : rc;
}
