/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans in the layout of pairs (see the header).
 */

#include "exec/napcoll_pairs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/napcoll_compat.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

/* ---- the user's blocks ---- */

int napcoll_pairs_ranks(napcoll_pairs_t *pairs, int ranks)
{
    napcoll_block_t *blocks;

    if (ranks <= pairs->ranks) {
        return OMPI_SUCCESS;
    }
    blocks = realloc(pairs->send, 2 * (size_t) ranks * sizeof(*blocks));
    if (NULL == blocks) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pairs->send = blocks;
    pairs->recv = blocks + ranks;
    pairs->ranks = ranks;
    return OMPI_SUCCESS;
}

/* What follows from a block's datatype; `like` is a block that may have the same one. */
static void measure(napcoll_block_t *block, const napcoll_block_t *like)
{
    ptrdiff_t true_extent;
    size_t element;

    ompi_datatype_type_size(block->type, &element);
    block->bytes = element * block->count;
    if (like != block && like->type == block->type && (like->count > 1) == (block->count > 1)) {
        block->dense = like->dense;
        block->lead = like->lead;
        return;
    }
    block->dense = opal_datatype_is_contiguous_memory_layout(&block->type->super,
                                                             block->count > 1 ? 2 : 1);
    ompi_datatype_get_true_extent(block->type, &block->lead, &true_extent);
}

/* The block of the receive buffer that a call in place sends as block j: where that from the same rank will be. */
static const napcoll_block_t *block_in_place(const napcoll_pairs_t *pairs, int j)
{
    return &pairs->recv[(pairs->ranks - j) % pairs->ranks];
}

void napcoll_pairs_measure(napcoll_pairs_t *pairs)
{
    for (int j = 0; j < pairs->ranks; j++) {
        measure(&pairs->recv[j], &pairs->recv[0]);
        if (!pairs->in_place) {
            measure(&pairs->send[j], &pairs->send[0]);
        }
    }
    for (int j = 0; j < pairs->ranks && pairs->in_place; j++) {
        pairs->send[j] = *block_in_place(pairs, j);
    }
}

/* Pack a block, or unpack it, through the datatype engine. */
static int convert(const napcoll_block_t *block, char *packed, bool packs)
{
    opal_convertor_t convertor;
    struct iovec iov = {.iov_base = packed, .iov_len = block->bytes};
    size_t bytes = block->bytes;
    uint32_t pieces = 1;
    int32_t rc;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    rc = packs ? opal_convertor_copy_and_prepare_for_send(
             ompi_mpi_local_convertor, &block->type->super, block->count, block->at, 0, &convertor)
               : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                          &block->type->super, block->count,
                                                          block->at, 0, &convertor);
    if (OPAL_SUCCESS == rc) {
        rc = packs ? opal_convertor_pack(&convertor, &iov, &pieces, &bytes)
                   : opal_convertor_unpack(&convertor, &iov, &pieces, &bytes);
        rc = rc >= 0 && bytes == block->bytes ? OMPI_SUCCESS : OMPI_ERROR;
    }
    OBJ_DESTRUCT(&convertor);
    return rc;
}

static int pack(const napcoll_block_t *block, char *to)
{
    if (0 == block->bytes) {
        return OMPI_SUCCESS;
    }
    if (block->dense) {
        memcpy(to, block->at + block->lead, block->bytes);
        return OMPI_SUCCESS;
    }
    return convert(block, to, true);
}

static int unpack(const napcoll_block_t *block, char *from)
{
    if (0 == block->bytes) {
        return OMPI_SUCCESS;
    }
    if (block->dense) {
        memcpy(block->at + block->lead, from, block->bytes);
        return OMPI_SUCCESS;
    }
    return convert(block, from, false);
}

/* Copy what a call in place sends, packed, but for the rank's own block. */
static int copy_input(napcoll_pairs_t *pairs)
{
    size_t bytes = 0;
    int rc = OMPI_SUCCESS;
    char *at;

    for (int j = 1; j < pairs->ranks; j++) {
        bytes += pairs->send[j].bytes;
    }
    at = pairs->copy = malloc(bytes > 0 ? bytes : 1);
    if (NULL == at) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int j = 1; j < pairs->ranks && OMPI_SUCCESS == rc; j++) {
        napcoll_block_t *block = &pairs->send[j];

        rc = pack(block, at);
        *block = (napcoll_block_t){.at = at,
                                   .count = block->bytes,
                                   .type = &ompi_mpi_byte.dt,
                                   .bytes = block->bytes,
                                   .dense = true};
        at += block->bytes;
    }
    return rc;
}

int napcoll_pairs_copy_own(const napcoll_pairs_t *pairs)
{
    const napcoll_block_t *from = &pairs->send[0], *to = &pairs->recv[0];

    if (0 == to->bytes || (from->at == to->at && from->type == to->type)) {
        return OMPI_SUCCESS;
    }
    return napcoll_compat_copy_types(from->at, from->count, from->type, to->at, to->count,
                                     to->type);
}

/* ---- messages ---- */

/* The bytes of a block of a message, when it is posted. */
static size_t bytes_of(const napcoll_pairs_t *pairs, int32_t buffer, int block)
{
    switch (buffer) {
    case NAPCOLL_BUFFER_SEND:
        return pairs->send[block].bytes;
    case NAPCOLL_BUFFER_RECV:
        return pairs->recv[block].bytes;
    default:
        return pairs->even ? pairs->bytes : napcoll_transit_size(&pairs->transit, block);
    }
}

/* The bytes of a message, which may be fewer than this where they are received with their sizes, and how many of
 * its blocks are in slots. Of slots that send and receive in the same stage the present block is sent, and the next
 * one received. */
static size_t bytes_of_message(const napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                               const napcoll_step_t *step, size_t *in_slots)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    napcoll_runs_t runs = napcoll_runs_of(plan, sends ? &step->left : &step->dst);
    size_t bytes = 0;

    *in_slots = 0;
    if (step->sizes) {
        return NAPCOLL_SIZE_BYTES * (size_t) runs.left;
    }
    bytes = step->headed ? NAPCOLL_SIZE_BYTES * (size_t) runs.left : 0;
    while (napcoll_runs_next(&runs)) {
        const bool stops = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;

        *in_slots += stops ? (size_t) runs.run.count : 0;
        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            bytes += !stops         ? bytes_of(pairs, runs.run.buffer, b)
                     : sends        ? pairs->transit.slot[b].size
                     : step->headed ? pairs->largest
                                    : bytes_of(pairs, runs.run.buffer, b);
        }
    }
    return bytes;
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
static napcoll_parcel_t one(const napcoll_pairs_t *pairs, const napcoll_step_t *step)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    const napcoll_span_t span = sends ? step->left : step->dst;
    const napcoll_block_t *block;

    if (span.buffer >= NAPCOLL_BUFFER_TEMP) {
        return (napcoll_parcel_t){.way = NAPCOLL_WAY_ONE,
                                  .at = napcoll_transit_at(&pairs->transit, span.first),
                                  .count = pairs->transit.slot[span.first].size,
                                  .type = &ompi_mpi_byte.dt};
    }
    block = sends ? &pairs->send[span.first] : &pairs->recv[span.first];
    return (napcoll_parcel_t){
        .way = NAPCOLL_WAY_ONE, .at = block->at, .count = block->count, .type = block->type};
}

/* Where the user's blocks of a message begin, if they are dense and each ends where the next one begins; else
 * NULL. */
static char *adjacent(const napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                      const napcoll_step_t *step)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    napcoll_runs_t runs = napcoll_runs_of(plan, sends ? &step->left : &step->dst);
    char *begin = NULL, *end = NULL;

    while (!step->sizes && !step->headed && napcoll_runs_next(&runs)) {
        const napcoll_block_t *blocks = sends ? pairs->send : pairs->recv;

        if (runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
            return NULL;
        }
        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            char *at = blocks[b].at + blocks[b].lead;

            if (0 == blocks[b].bytes) {
                continue;
            }
            if (!blocks[b].dense || (NULL != end && at != end)) {
                return NULL;
            }
            begin = NULL == begin ? at : begin;
            end = at + blocks[b].bytes;
        }
    }
    return begin;
}

static size_t aligned(size_t bytes)
{
    const size_t unit = 16;

    return (bytes + unit - 1) / unit * unit;
}

/* Write the sizes of a message that is sent: of those blocks that go with it, or that will go in a later stage. */
static char *fill_sizes(const napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                        const napcoll_step_t *step, char *to)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);

    while (napcoll_runs_next(&runs)) {
        const bool goes = step->headed && runs.run.buffer >= NAPCOLL_BUFFER_TEMP;

        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            const uint64_t size = goes ? pairs->transit.slot[b].size
                                       : bytes_of(pairs, runs.run.buffer, b);

            memcpy(to, &size, sizeof(size));
            to += sizeof(size);
        }
    }
    return to;
}

/* Pack a message that is sent; blocks that leave slots with it have left them then. */
static int fill(napcoll_pairs_t *pairs, const napcoll_plan_t *plan, const napcoll_step_t *step,
                char *to)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);
    int rc = OMPI_SUCCESS;

    if (step->sizes || step->headed) {
        to = fill_sizes(pairs, plan, step, to);
    }
    while (!step->sizes && OMPI_SUCCESS == rc && napcoll_runs_next(&runs)) {
        const bool stops = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;

        for (int b = runs.run.first; b < runs.run.first + runs.run.count && OMPI_SUCCESS == rc;
             b++) {
            if (stops) {
                const size_t bytes = pairs->transit.slot[b].size;

                if (bytes > 0) {
                    memcpy(to, napcoll_transit_at(&pairs->transit, b), bytes);
                }
                napcoll_transit_drop(&pairs->transit, b);
                to += bytes;
            } else {
                rc = pack(&pairs->send[b], to);
                to += pairs->send[b].bytes;
            }
        }
    }
    return rc;
}

/* Find out how large a stage's messages are, and where they go; make room for those that are packed, or bring
 * sizes or blocks for this process alone. *blocks, *bytes: of those that bring others. */
static int measure_messages(napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                            const napcoll_stage_t *stage, size_t *blocks, size_t *bytes)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t packed = 0;

    *blocks = *bytes = 0;
    for (int i = 0; i < stage->messages; i++) {
        size_t in_slots;
        const size_t message = bytes_of_message(pairs, plan, &step[i], &in_slots);
        napcoll_parcel_t *parcel = &pairs->parcel[i];

        *parcel = (napcoll_parcel_t){
            .count = message, .type = &ompi_mpi_byte.dt, .nothing = 0 == message};
        if (NAPCOLL_STEP_RECV == step[i].kind && in_slots > 0) {
            parcel->way = NAPCOLL_WAY_STOPS;
            *blocks += in_slots;
            *bytes += message;
        } else if (is_one(&step[i])) {
            parcel->way = NAPCOLL_WAY_ONE;
        } else {
            parcel->at = adjacent(pairs, plan, &step[i]);
            parcel->way = NULL == parcel->at ? NAPCOLL_WAY_PACKED : NAPCOLL_WAY_ADJACENT;
            packed += NULL == parcel->at ? aligned(message) : 0;
        }
    }
    if (packed > pairs->packed_room) {
        free(pairs->packed);
        pairs->packed_room = 0;
        pairs->packed = malloc(packed);
        if (NULL == pairs->packed) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        pairs->packed_room = packed;
    }
    return OMPI_SUCCESS;
}

int napcoll_pairs_post(napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                       const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t blocks, bytes, packed = 0;
    int rc = measure_messages(pairs, plan, stage, &blocks, &bytes);

    /* sizes are those of what is in the slots before it leaves them, or comes next */
    for (int sizes = 1; sizes >= 0; sizes--) {
        for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
            napcoll_parcel_t *parcel = &pairs->parcel[i];

            if ((1 == sizes) != step[i].sizes || NAPCOLL_WAY_PACKED != parcel->way) {
                continue;
            }
            parcel->at = pairs->packed + packed;
            packed += aligned(parcel->count);
            if (NAPCOLL_STEP_SEND == step[i].kind) {
                rc = fill(pairs, plan, &step[i], parcel->at);
            }
        }
    }
    if (OMPI_SUCCESS == rc && 0 != napcoll_transit_reserve(&pairs->transit, blocks, bytes)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) { /* nothing moves any more */
        napcoll_parcel_t *parcel = &pairs->parcel[i];

        if (NAPCOLL_WAY_STOPS == parcel->way) {
            parcel->offset = napcoll_transit_take(&pairs->transit, parcel->count);
            parcel->at = parcel->nothing ? NULL : pairs->transit.memory + parcel->offset;
        } else if (NAPCOLL_WAY_ONE == parcel->way) {
            const bool nothing = parcel->nothing;

            *parcel = one(pairs, &step[i]);
            parcel->nothing = nothing;
        }
    }
    return rc;
}

/* Take in the blocks, or the sizes, of a message. */
static int take_in(napcoll_pairs_t *pairs, const napcoll_plan_t *plan, const napcoll_step_t *step,
                   const napcoll_parcel_t *parcel)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->dst);
    const char *head = parcel->at;
    size_t at = step->headed ? NAPCOLL_SIZE_BYTES * (size_t) runs.left : 0;
    int rc = OMPI_SUCCESS;

    while (OMPI_SUCCESS == rc && napcoll_runs_next(&runs)) {
        const bool stops = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;

        for (int b = runs.run.first; b < runs.run.first + runs.run.count && OMPI_SUCCESS == rc;
             b++) {
            uint64_t size;

            if (step->sizes || step->headed) {
                memcpy(&size, head, sizeof(size));
                head += sizeof(size);
            } else {
                size = bytes_of(pairs, runs.run.buffer, b);
            }
            if (step->sizes) {
                napcoll_transit_tell(&pairs->transit, b, size);
                continue;
            }
            if (stops) {
                napcoll_transit_place(&pairs->transit, b, parcel->offset + at, size);
            } else if (size > 0) {
                rc = unpack(&pairs->recv[b], parcel->at + at);
            }
            at += size;
        }
    }
    return rc;
}

int napcoll_pairs_land(napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                       const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < stage->messages; i++) {
        if (NAPCOLL_STEP_SEND == step[i].kind && NAPCOLL_WAY_ONE == pairs->parcel[i].way
            && step[i].left.buffer >= NAPCOLL_BUFFER_TEMP) {
            napcoll_transit_drop(&pairs->transit, step[i].left.first);
        }
    }
    /* blocks come before the sizes of what follows them into their slots */
    for (int sizes = 0; sizes < 2; sizes++) {
        for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
            const napcoll_parcel_t *parcel = &pairs->parcel[i];

            if (NAPCOLL_STEP_RECV == step[i].kind && (1 == sizes) == step[i].sizes
                && (NAPCOLL_WAY_PACKED == parcel->way || NAPCOLL_WAY_STOPS == parcel->way)) {
                rc = take_in(pairs, plan, &step[i], parcel);
            }
        }
    }
    return rc;
}

void napcoll_pairs_end(napcoll_pairs_t *pairs, size_t kept)
{
    free(pairs->copy);
    pairs->copy = NULL;
    napcoll_transit_end(&pairs->transit, kept);
    if (pairs->packed_room > kept) {
        free(pairs->packed);
        pairs->packed = NULL;
        pairs->packed_room = 0;
    }
    if (0 == kept) {
        free(pairs->packed);
        free(pairs->send);
        free(pairs->parcel);
        *pairs = (napcoll_pairs_t){0};
    }
}

int napcoll_engine_run_pairs(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                             ompi_communicator_t *comm, int tag)
{
    napcoll_pairs_t *pairs = engine->pairs;
    const napcoll_binding_t binding = {
        .datatype = &ompi_mpi_byte.dt, .comm = comm, .tag = tag, .pairs = pairs};
    const int slots = plan->temps > 0 ? plan->temp[0].count : 0;
    int rc;

    if (plan->max_messages > pairs->parcel_room) {
        napcoll_parcel_t *more = realloc(pairs->parcel,
                                         (size_t) plan->max_messages * sizeof(*more));

        if (NULL == more) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        pairs->parcel = more;
        pairs->parcel_room = plan->max_messages;
    }
    if (0 != napcoll_transit_begin(&pairs->transit, slots)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = pairs->in_place ? copy_input(pairs) : OMPI_SUCCESS;
    if (OMPI_SUCCESS == rc) {
        return napcoll_engine_run(engine, plan, &binding); /* ends the pairs */
    }
    napcoll_pairs_end(pairs, 0);
    return rc;
}
