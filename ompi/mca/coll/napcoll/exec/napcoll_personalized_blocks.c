/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The user's blocks of plans of personalized blocks (see the header).
 */

#include "exec/napcoll_personalized.h"

#include <stdlib.h>
#include <string.h>

#include "compat/napcoll_compat.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"
#include "util/napcoll_grow.h"

int napcoll_personalized_make_room(napcoll_personalized_t *p,
                                   const napcoll_block_range_t range[NAPCOLL_BUFFER_TEMP])
{
    const size_t sent = (size_t) range[NAPCOLL_BUFFER_SEND].count;
    const size_t received = (size_t) range[NAPCOLL_BUFFER_RECV].count;

    if (!napcoll_grow(&p->blocks, &p->blocks_room, sent + received, sizeof(*p->blocks))) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    p->block[NAPCOLL_BUFFER_SEND] = p->blocks;
    p->block[NAPCOLL_BUFFER_RECV] = p->blocks + sent;
    memcpy(p->range, range, sizeof(p->range));
    return OMPI_SUCCESS;
}

/* What follows from a datatype; type is NULL at first. */
typedef struct {
    const ompi_datatype_t *type;
    size_t element;
    /* one element, and several */
    bool dense[2];
    ptrdiff_t lead;
} type_facts_t;

/* Measure a block. *facts are of the block before, which mostly has the same datatype. */
static inline void measure_block(napcoll_block_t *block, type_facts_t *facts)
{
    ptrdiff_t true_extent;

    if (block->type != facts->type) {
        facts->type = block->type;
        ompi_datatype_type_size(block->type, &facts->element);
        facts->dense[0] = opal_datatype_is_contiguous_memory_layout(&block->type->super, 1);
        facts->dense[1] = opal_datatype_is_contiguous_memory_layout(&block->type->super, 2);
        ompi_datatype_get_true_extent(block->type, &facts->lead, &true_extent);
    }
    block->bytes = facts->element * block->count;
    block->dense = facts->dense[block->count > 1];
    block->lead = facts->lead;
    block->direct = false;
    block->request = -1;
}

void napcoll_block_measure(napcoll_block_t *block)
{
    measure_block(block, &(type_facts_t){.type = NULL});
}

void napcoll_personalized_measure(napcoll_personalized_t *p)
{
    napcoll_block_t *send = p->block[NAPCOLL_BUFFER_SEND];
    napcoll_block_t *recv = p->block[NAPCOLL_BUFFER_RECV];
    const int sent = p->range[NAPCOLL_BUFFER_SEND].count;
    const int received = p->range[NAPCOLL_BUFFER_RECV].count;
    type_facts_t facts = {.type = NULL};

    for (int i = 0; i < received; i++) {
        measure_block(&recv[i], &facts);
    }
    for (int i = 0; i < sent; i++) {
        if (p->in_place) {
            send[i] = recv[(received - i) % received];
        } else {
            measure_block(&send[i], &facts);
        }
    }
}

/* Whether a block is the rank's block for itself, or nobody's. */
static bool is_own(const napcoll_personalized_t *p, int32_t buffer, int i)
{
    const int rank = p->block[buffer][i].rank;

    return rank == p->self || rank < 0;
}

size_t napcoll_personalized_divide(napcoll_personalized_t *p)
{
    size_t direct = 0;

    for (int32_t buffer = 0; buffer < NAPCOLL_BUFFER_TEMP; buffer++) {
        for (int i = 0; i < p->range[buffer].count; i++) {
            napcoll_block_t *block = &p->block[buffer][i];

            block->direct = block->bytes > p->inline_bytes && !is_own(p, buffer, i);
            direct += block->direct;
        }
    }
    return direct;
}

/* Pack the first bytes of a block, or unpack them, through the datatype engine. */
static int convert_block(const napcoll_block_t *block, char *packed, size_t bytes, bool packs)
{
    opal_convertor_t convertor;
    struct iovec iov = {.iov_base = packed, .iov_len = bytes};
    size_t converted = bytes;
    uint32_t pieces = 1;
    int32_t rc;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    rc = packs ? opal_convertor_copy_and_prepare_for_send(
             ompi_mpi_local_convertor, &block->type->super, block->count, block->at, 0, &convertor)
               : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                          &block->type->super, block->count,
                                                          block->at, 0, &convertor);
    if (OPAL_SUCCESS == rc) {
        rc = packs ? opal_convertor_pack(&convertor, &iov, &pieces, &converted)
                   : opal_convertor_unpack(&convertor, &iov, &pieces, &converted);
        rc = rc >= 0 && converted == bytes ? OMPI_SUCCESS : OMPI_ERROR;
    }
    OBJ_DESTRUCT(&convertor);
    return rc;
}

int napcoll_block_pack(const napcoll_block_t *block, char *to)
{
    if (0 == block->bytes) {
        return OMPI_SUCCESS;
    }
    return block->dense
               ? napcoll_compat_copy_bytes(to, napcoll_offset(block->at, block->lead), block->bytes)
               : convert_block(block, to, block->bytes, true);
}

int napcoll_block_unpack(const napcoll_block_t *block, char *from, size_t bytes)
{
    if (0 == bytes) {
        return OMPI_SUCCESS;
    }
    return block->dense
               ? napcoll_compat_copy_bytes(napcoll_offset(block->at, block->lead), from, bytes)
               : convert_block(block, from, bytes, false);
}

napcoll_block_t napcoll_block_packed(char *at, size_t bytes)
{
    return (napcoll_block_t){
        .at = at, .count = bytes, .type = &ompi_mpi_byte.dt, .bytes = bytes, .dense = true};
}

/* The same for a block whose bytes are packed now. */
static void become_packed(napcoll_block_t *block, char *at)
{
    const napcoll_block_t was = *block;

    *block = napcoll_block_packed(at, was.bytes);
    block->rank = was.rank;
    block->direct = was.direct;
}

/* Whether a block moves into the copy. The rank's block for itself does not: no message has it. */
static bool is_copied(const napcoll_personalized_t *p, int32_t buffer, int i)
{
    return !is_own(p, buffer, i)
           && ((p->in_place && NAPCOLL_BUFFER_SEND == buffer)
               || (p->pieces > 1 && !p->block[buffer][i].dense));
}

int napcoll_personalized_make_copy(napcoll_personalized_t *p)
{
    const size_t received = (size_t) p->range[NAPCOLL_BUFFER_RECV].count;
    size_t bytes = 0;
    int copied = 0, rc = OMPI_SUCCESS;
    char *at;

    for (int32_t buffer = 0; buffer < NAPCOLL_BUFFER_TEMP && (p->in_place || p->pieces > 1);
         buffer++) {
        for (int i = 0; i < p->range[buffer].count; i++) {
            if (is_copied(p, buffer, i)) {
                bytes += p->block[buffer][i].bytes;
                copied++;
            }
        }
    }
    if (0 == copied) {
        return OMPI_SUCCESS;
    }
    p->unpack_to = malloc((received + 1) * sizeof(*p->unpack_to));
    if (!napcoll_buffer_take(&p->copy, bytes) || NULL == p->unpack_to) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memcpy(p->unpack_to, p->block[NAPCOLL_BUFFER_RECV], received * sizeof(*p->unpack_to));
    at = p->copy.memory;
    for (int32_t buffer = 0; buffer < NAPCOLL_BUFFER_TEMP; buffer++) {
        for (int i = 0; i < p->range[buffer].count && OMPI_SUCCESS == rc; i++) {
            napcoll_block_t *block = &p->block[buffer][i];

            if (is_copied(p, buffer, i)) {
                rc = NAPCOLL_BUFFER_SEND == buffer ? napcoll_block_pack(block, at) : OMPI_SUCCESS;
                become_packed(block, at);
                at += block->bytes;
            }
        }
    }
    return rc;
}

int napcoll_personalized_unpack_copy(const napcoll_personalized_t *p)
{
    const int received = NULL == p->unpack_to ? 0 : p->range[NAPCOLL_BUFFER_RECV].count;
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < received && OMPI_SUCCESS == rc; i++) {
        const napcoll_block_t *came = &p->block[NAPCOLL_BUFFER_RECV][i];

        if (came->at != p->unpack_to[i].at) {
            rc = napcoll_block_unpack(&p->unpack_to[i], came->at, came->bytes);
        }
    }
    return rc;
}

int napcoll_personalized_keep_sent(napcoll_personalized_t *p)
{
    napcoll_block_t *block = p->block[NAPCOLL_BUFFER_SEND];
    const int blocks = p->range[NAPCOLL_BUFFER_SEND].count;
    size_t bytes = 0;
    int rc = OMPI_SUCCESS;
    char *at;

    for (int i = 0; i < blocks; i++) {
        bytes += block[i].bytes;
    }
    if (!napcoll_buffer_take(&p->kept, bytes)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    at = p->kept.memory;
    for (int i = 0; i < blocks && OMPI_SUCCESS == rc; i++) {
        rc = napcoll_block_pack(&block[i], at);
        become_packed(&block[i], at);
        at += block[i].bytes;
    }
    return rc;
}

int napcoll_personalized_copy(const napcoll_personalized_t *p, int sent, int received)
{
    const napcoll_block_t *from = napcoll_personalized_block(p, NAPCOLL_BUFFER_SEND, sent);
    const napcoll_block_t *to = napcoll_personalized_block(p, NAPCOLL_BUFFER_RECV, received);

    if (p->piece > 0 || 0 == to->bytes || (from->at == to->at && from->type == to->type)) {
        return OMPI_SUCCESS;
    }
    return napcoll_compat_copy_types(from->at, from->count, from->type, to->at, to->count,
                                     to->type);
}

void napcoll_personalized_end(napcoll_personalized_t *p, size_t kept)
{
    napcoll_buffer_give(&p->kept);
    napcoll_buffer_give(&p->copy);
    free(p->unpack_to);
    p->unpack_to = NULL;
    napcoll_transit_end(&p->transit, kept);
    if (p->packed.room > kept || 0 == kept) {
        napcoll_buffer_give(&p->packed);
    }
    if (0 == kept) {
        napcoll_messages_free(&p->direct);
        free(p->blocks);
        free(p->message);
        *p = (napcoll_personalized_t){0};
    }
}
