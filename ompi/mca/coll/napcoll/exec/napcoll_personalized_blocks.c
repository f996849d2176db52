/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The user's blocks of plans in the layout of personalized blocks (see the header).
 */

#include "exec/napcoll_personalized.h"

#include <stdlib.h>
#include <string.h>

#include "compat/napcoll_compat.h"
#include "exec/napcoll_buffer_pool.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

int napcoll_personalized_hold(napcoll_personalized_t *personalized,
                              const napcoll_block_range_t held[NAPCOLL_BUFFER_TEMP])
{
    const size_t sent = (size_t) held[NAPCOLL_BUFFER_SEND].count;
    const size_t rooms = sent + (size_t) held[NAPCOLL_BUFFER_RECV].count;

    if (rooms > personalized->rooms) {
        napcoll_block_t *room = realloc(personalized->room, rooms * sizeof(*room));

        if (NULL == room) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        personalized->room = room;
        personalized->rooms = rooms;
    }
    personalized->block[NAPCOLL_BUFFER_SEND] = personalized->room;
    personalized->block[NAPCOLL_BUFFER_RECV] = personalized->room + sent;
    memcpy(personalized->held, held, sizeof(personalized->held));
    return OMPI_SUCCESS;
}

/* What follows from a datatype. */
typedef struct {
    const ompi_datatype_t *type; /* NULL: not known yet */
    size_t element;
    bool dense[2]; /* one element, and several */
    ptrdiff_t lead;
} kind_t;

static void know_kind(const ompi_datatype_t *type, kind_t *kind)
{
    ptrdiff_t true_extent;

    kind->type = type;
    ompi_datatype_type_size(type, &kind->element);
    kind->dense[0] = opal_datatype_is_contiguous_memory_layout(&type->super, 1);
    kind->dense[1] = opal_datatype_is_contiguous_memory_layout(&type->super, 2);
    ompi_datatype_get_true_extent(type, &kind->lead, &true_extent);
}

/* What follows from a block's datatype; *kind is that of a block before, which mostly has the same. */
static inline void measure(napcoll_block_t *block, kind_t *kind)
{
    if (block->type != kind->type) {
        know_kind(block->type, kind);
    }
    block->bytes = kind->element * block->count;
    block->dense = kind->dense[block->count > 1];
    block->lead = kind->lead;
}

void napcoll_personalized_measure(napcoll_personalized_t *personalized)
{
    napcoll_block_t *send = personalized->block[NAPCOLL_BUFFER_SEND];
    napcoll_block_t *recv = personalized->block[NAPCOLL_BUFFER_RECV];
    const int sent = personalized->held[NAPCOLL_BUFFER_SEND].count;
    const int received = personalized->held[NAPCOLL_BUFFER_RECV].count;
    kind_t kind = {.type = NULL};

    for (int i = 0; i < received; i++) {
        measure(&recv[i], &kind);
    }
    for (int i = 0; i < sent; i++) {
        if (personalized->in_place) { /* what the block from the same rank holds before */
            send[i] = recv[(received - i) % received];
        } else {
            measure(&send[i], &kind);
        }
    }
}

void napcoll_personalized_sum(const napcoll_personalized_t *personalized, int32_t buffer, int first,
                              size_t *sum, size_t *largest)
{
    const napcoll_block_t *block = personalized->block[buffer];

    *sum = *largest = 0;
    for (int i = first; i < personalized->held[buffer].count; i++) {
        *sum += block[i].bytes;
        *largest = block[i].bytes > *largest ? block[i].bytes : *largest;
    }
}

/* Whether a block is the rank's own for itself. */
static bool is_own(const napcoll_personalized_t *personalized, int32_t buffer, int i)
{
    return 0 == personalized->held[buffer].first + i;
}

int napcoll_personalized_messages(const napcoll_personalized_t *personalized, int32_t buffer)
{
    int messages = 0;

    for (int i = 0; i < personalized->held[buffer].count; i++) {
        messages += personalized->block[buffer][i].bytes > 0 && !is_own(personalized, buffer, i);
    }
    return messages;
}

int napcoll_personalized_leave_out(napcoll_personalized_t *personalized, size_t bytes, bool larger)
{
    int left = 0;

    for (int32_t buffer = 0; buffer < NAPCOLL_BUFFER_TEMP; buffer++) {
        for (int i = 0; i < personalized->held[buffer].count; i++) {
            napcoll_block_t *block = &personalized->block[buffer][i];

            if (larger == (block->bytes > bytes && !is_own(personalized, buffer, i))) {
                block->count = block->bytes = 0;
                left++;
            }
        }
    }
    return left;
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

int napcoll_block_pack(const napcoll_block_t *block, char *to)
{
    if (0 == block->bytes) {
        return OMPI_SUCCESS;
    }
    if (block->dense) {
        return napcoll_compat_copy_bytes(to, napcoll_offset(block->at, block->lead), block->bytes);
    }
    return convert(block, to, true);
}

int napcoll_block_unpack(const napcoll_block_t *block, char *from, size_t bytes)
{
    napcoll_block_t part;

    if (0 == bytes) {
        return OMPI_SUCCESS;
    }
    if (block->dense) {
        return napcoll_compat_copy_bytes(napcoll_offset(block->at, block->lead), from, bytes);
    }
    part = *block;
    part.bytes = bytes;
    return convert(&part, from, false);
}

/* Whether a block is packed as a whole for the time of a call: what a call in place sends, since it is overwritten,
 * and where blocks go in pieces, those with gaps. The rank's own block, which goes nowhere, is neither. */
static bool is_copied(const napcoll_personalized_t *personalized, int32_t buffer, int i)
{
    return !is_own(personalized, buffer, i)
           && ((personalized->in_place && NAPCOLL_BUFFER_SEND == buffer)
               || (personalized->pieces > 1 && !personalized->block[buffer][i].dense));
}

napcoll_block_t napcoll_block_packed(char *at, size_t bytes)
{
    return (napcoll_block_t){
        .at = at, .count = bytes, .type = &ompi_mpi_byte.dt, .bytes = bytes, .dense = true};
}

int napcoll_personalized_pack_whole(napcoll_personalized_t *personalized)
{
    const size_t received = (size_t) personalized->held[NAPCOLL_BUFFER_RECV].count;
    size_t bytes = 0;
    bool any = false;
    char *at;

    if (!personalized->in_place && personalized->pieces < 2) {
        return OMPI_SUCCESS;
    }
    for (int32_t buffer = 0; buffer < NAPCOLL_BUFFER_TEMP; buffer++) {
        for (int i = 0; i < personalized->held[buffer].count; i++) {
            any = any || is_copied(personalized, buffer, i);
            bytes += is_copied(personalized, buffer, i) ? personalized->block[buffer][i].bytes : 0;
        }
    }
    if (!any) {
        return OMPI_SUCCESS;
    }
    at = personalized->copy = napcoll_buffer_pool_take(bytes > 0 ? bytes : 1,
                                                       &personalized->copy_room);
    personalized->spread = malloc((received > 0 ? received : 1) * sizeof(*personalized->spread));
    if (NULL == at || NULL == personalized->spread) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memcpy(personalized->spread, personalized->block[NAPCOLL_BUFFER_RECV],
           received * sizeof(*personalized->spread));
    for (int32_t buffer = 0; buffer < NAPCOLL_BUFFER_TEMP; buffer++) {
        for (int i = 0; i < personalized->held[buffer].count; i++) {
            napcoll_block_t *block = &personalized->block[buffer][i];
            int rc = OMPI_SUCCESS;

            if (!is_copied(personalized, buffer, i)) {
                continue;
            }
            if (NAPCOLL_BUFFER_SEND == buffer) {
                rc = napcoll_block_pack(block, at);
            }
            if (OMPI_SUCCESS != rc) {
                return rc;
            }
            *block = napcoll_block_packed(at, block->bytes);
            at += block->bytes;
        }
    }
    return OMPI_SUCCESS;
}

int napcoll_personalized_keep_sent(napcoll_personalized_t *personalized, char **memory,
                                   size_t *room)
{
    const bool fresh = NULL == *memory;
    int rc = OMPI_SUCCESS;
    size_t bytes, largest;
    char *at;

    if (fresh) {
        napcoll_personalized_sum(personalized, NAPCOLL_BUFFER_SEND, 0, &bytes, &largest);
        *memory = napcoll_buffer_pool_take(bytes > 0 ? bytes : 1, room);
    }
    at = *memory;
    if (NULL == at) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int i = 0; i < personalized->held[NAPCOLL_BUFFER_SEND].count && OMPI_SUCCESS == rc; i++) {
        napcoll_block_t *block = &personalized->block[NAPCOLL_BUFFER_SEND][i];

        rc = fresh ? napcoll_block_pack(block, at) : OMPI_SUCCESS;
        *block = napcoll_block_packed(at, block->bytes);
        at += block->bytes;
    }
    return rc;
}

int napcoll_personalized_spread(const napcoll_personalized_t *personalized)
{
    int rc = OMPI_SUCCESS;

    for (int i = 0; NULL != personalized->spread
                    && i < personalized->held[NAPCOLL_BUFFER_RECV].count && OMPI_SUCCESS == rc;
         i++) {
        const napcoll_block_t *came = &personalized->block[NAPCOLL_BUFFER_RECV][i];

        if (came->at != personalized->spread[i].at) {
            rc = napcoll_block_unpack(&personalized->spread[i], came->at, came->bytes);
        }
    }
    return rc;
}

int napcoll_personalized_copy_own(const napcoll_personalized_t *personalized)
{
    const napcoll_block_t *from = napcoll_personalized_block(personalized, NAPCOLL_BUFFER_SEND, 0);
    const napcoll_block_t *to = napcoll_personalized_block(personalized, NAPCOLL_BUFFER_RECV, 0);

    if (personalized->piece > 0 || 0 == to->bytes
        || (from->at == to->at && from->type == to->type)) {
        return OMPI_SUCCESS;
    }
    return napcoll_compat_copy_types(from->at, from->count, from->type, to->at, to->count,
                                     to->type);
}
