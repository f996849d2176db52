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

static int pack(const napcoll_block_t *block, char *to);

/* The send blocks of a call in place: copies of the receive blocks, but for the rank's own. That for the rank j
 * places before is where the one from that rank will be. */
static int copy_input(napcoll_pairs_t *pairs)
{
    size_t bytes = 0;
    int rc = OMPI_SUCCESS;
    char *at;

    for (int j = 1; j < pairs->ranks; j++) {
        bytes += pairs->recv[j].bytes;
    }
    at = pairs->copy = malloc(bytes > 0 ? bytes : 1);
    if (NULL == at) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pairs->send[0] = pairs->recv[0];
    for (int j = 1; j < pairs->ranks && OMPI_SUCCESS == rc; j++) {
        const napcoll_block_t *from = &pairs->recv[pairs->ranks - j];

        rc = pack(from, at);
        pairs->send[j] = (napcoll_block_t){.at = at,
                                           .count = from->bytes,
                                           .type = &ompi_mpi_byte.dt,
                                           .bytes = from->bytes,
                                           .dense = true};
        at += from->bytes;
    }
    return rc;
}

int napcoll_pairs_measure(napcoll_pairs_t *pairs, bool in_place)
{
    for (int j = 0; j < pairs->ranks; j++) {
        measure(&pairs->recv[j], &pairs->recv[0]);
        if (!in_place) {
            measure(&pairs->send[j], &pairs->send[0]);
        }
    }
    return in_place ? copy_input(pairs) : OMPI_SUCCESS;
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

/* The bytes of a message. Of slots that send and receive in the same stage the present block is sent, and the
 * next one received. */
static size_t bytes_of_message(const napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                               const napcoll_step_t *step)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    napcoll_runs_t runs = napcoll_runs_of(plan, sends ? &step->left : &step->dst);
    size_t bytes = 0;

    if (step->sizes) {
        return NAPCOLL_SIZE_BYTES * (size_t) runs.left;
    }
    while (napcoll_runs_next(&runs)) {
        for (int b = runs.run.first; b < runs.run.first + runs.run.count; b++) {
            bytes += sends && runs.run.buffer >= NAPCOLL_BUFFER_TEMP
                         ? pairs->transit.slot[b].size
                         : bytes_of(pairs, runs.run.buffer, b);
        }
    }
    return bytes;
}

/* Whether a message is one block that needs no packing; then *parcel is it. */
static bool is_direct(const napcoll_pairs_t *pairs, const napcoll_step_t *step,
                      napcoll_parcel_t *parcel)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    const napcoll_span_t span = sends ? step->left : step->dst;
    const napcoll_block_t *block;

    if (step->sizes || 1 != span.count || NAPCOLL_BUFFER_LIST == span.buffer) {
        return false;
    }
    if (span.buffer >= NAPCOLL_BUFFER_TEMP) {
        *parcel = (napcoll_parcel_t){.at = napcoll_transit_at(&pairs->transit, span.first),
                                     .count = pairs->transit.slot[span.first].size,
                                     .type = &ompi_mpi_byte.dt};
        return sends; /* what is received may need other memory */
    }
    block = sends ? &pairs->send[span.first] : &pairs->recv[span.first];
    *parcel = (napcoll_parcel_t){.at = block->at, .count = block->count, .type = block->type};
    return true;
}

static size_t aligned(size_t bytes)
{
    const size_t unit = 16;

    return (bytes + unit - 1) / unit * unit;
}

/* Fill a message that is sent. */
static int fill(const napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                const napcoll_step_t *step, char *to)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->left);
    int rc = OMPI_SUCCESS;

    while (OMPI_SUCCESS == rc && napcoll_runs_next(&runs)) {
        const bool rests = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;

        for (int b = runs.run.first; b < runs.run.first + runs.run.count && OMPI_SUCCESS == rc;
             b++) {
            if (step->sizes) {
                const uint64_t size = bytes_of(pairs, runs.run.buffer, b);

                memcpy(to, &size, sizeof(size));
                to += sizeof(size);
            } else if (rests) {
                const size_t bytes = pairs->transit.slot[b].size;

                if (bytes > 0) {
                    memcpy(to, napcoll_transit_at(&pairs->transit, b), bytes);
                }
                to += bytes;
            } else {
                rc = pack(&pairs->send[b], to);
                to += pairs->send[b].bytes;
            }
        }
    }
    return rc;
}

int napcoll_pairs_post(napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                       const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t bytes = 0;
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < stage->messages; i++) {
        napcoll_parcel_t *parcel = &pairs->parcel[i];
        const size_t message = bytes_of_message(pairs, plan, &step[i]);

        if (!is_direct(pairs, &step[i], parcel)) {
            *parcel = (napcoll_parcel_t){.count = message};
            bytes += aligned(message);
        }
        parcel->nothing = 0 == message;
    }
    if (bytes > pairs->packed_room) {
        free(pairs->packed);
        pairs->packed_room = 0;
        pairs->packed = malloc(bytes);
        if (NULL == pairs->packed) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        pairs->packed_room = bytes;
    }
    bytes = 0;
    for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
        napcoll_parcel_t *parcel = &pairs->parcel[i];

        if (NULL != parcel->type || parcel->nothing) {
            continue;
        }
        parcel->at = pairs->packed + bytes;
        parcel->type = &ompi_mpi_byte.dt;
        bytes += aligned(parcel->count);
        if (NAPCOLL_STEP_SEND == step[i].kind) {
            rc = fill(pairs, plan, &step[i], parcel->at);
        }
    }
    return rc;
}

/* Take in the blocks, or the sizes, of a message. */
static int take_in(napcoll_pairs_t *pairs, const napcoll_plan_t *plan, const napcoll_step_t *step,
                   char *from)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->dst);
    int rc = OMPI_SUCCESS;

    while (OMPI_SUCCESS == rc && napcoll_runs_next(&runs)) {
        const bool rests = runs.run.buffer >= NAPCOLL_BUFFER_TEMP;

        for (int b = runs.run.first; b < runs.run.first + runs.run.count && OMPI_SUCCESS == rc;
             b++) {
            const size_t bytes = step->sizes ? NAPCOLL_SIZE_BYTES
                                             : bytes_of(pairs, runs.run.buffer, b);

            if (step->sizes) {
                uint64_t size;

                memcpy(&size, from, sizeof(size));
                napcoll_transit_tell(&pairs->transit, b, size);
            } else if (rests) {
                char *to = napcoll_transit_put(&pairs->transit, b, bytes);

                if (bytes > 0) {
                    memcpy(to, from, bytes);
                }
            } else {
                rc = unpack(&pairs->recv[b], from);
            }
            from += bytes;
        }
    }
    return rc;
}

/* What a stage's messages take from slots leaves them, and what they bring there gets room. */
static int make_room(napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                     const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    size_t blocks = 0, bytes = 0;

    for (int i = 0; i < stage->messages; i++) {
        const bool sends = NAPCOLL_STEP_SEND == step[i].kind;
        napcoll_runs_t runs = napcoll_runs_of(plan, sends ? &step[i].left : &step[i].dst);

        while (!step[i].sizes && napcoll_runs_next(&runs)) {
            for (int b = runs.run.first;
                 runs.run.buffer >= NAPCOLL_BUFFER_TEMP && b < runs.run.first + runs.run.count;
                 b++) {
                if (sends) {
                    napcoll_transit_drop(&pairs->transit, b);
                } else {
                    blocks++;
                    bytes += bytes_of(pairs, runs.run.buffer, b);
                }
            }
        }
    }
    return 0 == napcoll_transit_reserve(&pairs->transit, blocks, bytes) ? OMPI_SUCCESS
                                                                        : OMPI_ERR_OUT_OF_RESOURCE;
}

int napcoll_pairs_land(napcoll_pairs_t *pairs, const napcoll_plan_t *plan,
                       const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    int rc = make_room(pairs, plan, stage);

    /* blocks come before the sizes of what follows them into their slots */
    for (int sizes = 0; sizes < 2; sizes++) {
        for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
            const napcoll_span_t dst = step[i].dst;

            if (NAPCOLL_STEP_RECV != step[i].kind || (1 == sizes) != step[i].sizes
                || (1 == dst.count && NAPCOLL_BUFFER_RECV == dst.buffer)) {
                continue; /* the last one went straight to the user */
            }
            rc = take_in(pairs, plan, &step[i], pairs->parcel[i].at);
        }
    }
    return rc;
}

void napcoll_pairs_drop_copy(napcoll_pairs_t *pairs)
{
    free(pairs->copy);
    pairs->copy = NULL;
}

void napcoll_pairs_end(napcoll_pairs_t *pairs, size_t kept)
{
    napcoll_pairs_drop_copy(pairs);
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

    if (plan->max_messages > pairs->parcel_room) {
        napcoll_parcel_t *more = realloc(pairs->parcel,
                                         (size_t) plan->max_messages * sizeof(*more));

        if (NULL == more) {
            napcoll_pairs_drop_copy(pairs);
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        pairs->parcel = more;
        pairs->parcel_room = plan->max_messages;
    }
    if (0 != napcoll_transit_begin(&pairs->transit, slots)) {
        napcoll_pairs_drop_copy(pairs);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return napcoll_engine_run(engine, plan, &binding);
}
