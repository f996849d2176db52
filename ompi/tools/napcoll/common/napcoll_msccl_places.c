/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The places of a program's buffers: which chunk lies where, and which events use them; and the
 * temporaries of messages (see napcoll_msccl_moves.h).
 */

#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"
#include "common/napcoll_msccl_moves.h"
#include "util/napcoll_grow.h"

/* More looks for races than this: the program is too large. */
static const long long most_visits = 1LL << 30;

/* ---- places ---- */

/* The number of a chunk whose place is in the input or output. */
int napcoll_msccl_chunk_at(const napcoll_msccl_t *program, int rank, int buffer, int at)
{
    const bool own = (NAPCOLL_MSCCL_ALLGATHER == program->coll && NAPCOLL_MSCCL_INPUT == buffer)
                     || (NAPCOLL_MSCCL_REDUCE_SCATTER == program->coll
                         && NAPCOLL_MSCCL_OUTPUT == buffer);

    return own ? rank * program->parts + at : at;
}

place_t *napcoll_msccl_place_of(const maker_t *m, int rank, int buffer, int at)
{
    const napcoll_msccl_t *program = m->program;
    const bool scatters = NAPCOLL_MSCCL_REDUCE_SCATTER == program->coll;
    const int joins = scatters ? NAPCOLL_MSCCL_OUTPUT : NAPCOLL_MSCCL_INPUT;
    size_t index = m->first[rank];

    if (m->program->inplace && buffer == joins) {
        at = napcoll_msccl_chunk_at(program, rank, buffer, at);
        buffer = scatters ? NAPCOLL_MSCCL_INPUT : NAPCOLL_MSCCL_OUTPUT;
    }
    for (int b = 0; b < buffer; b++) {
        index += (size_t) napcoll_msccl_chunks(program, rank, b);
    }
    return &m->place[index + (size_t) at];
}

/* The number of the temporary of scratch for a distance between places and chunks. */
static int scratch_of(maker_t *m, int rank, int distance)
{
    int i = 0;

    while (i < m->distances[rank] && m->distance[rank][i] != distance) {
        i++;
    }
    if (i == m->distances[rank]) {
        m->distance[rank] = napcoll_memory_grow(m->distance[rank], (size_t) i, sizeof(int));
        m->distance[rank][i] = distance;
        m->distances[rank]++;
    }
    return IN_SCRATCH + 2 * i;
}

/* Where a chunk comes to lie that a step writes to a place; false: where no plan can have it. */
bool napcoll_msccl_locate(maker_t *m, const napcoll_msccl_step_t *step, int k, int id, int *in,
                          int *at)
{
    const napcoll_msccl_t *program = m->program;
    const bool personalized = NAPCOLL_MSCCL_ALLTOALL == program->coll;
    const bool scatters = NAPCOLL_MSCCL_REDUCE_SCATTER == program->coll;
    const int offset = step->dstoff + k, buffer = step->dstbuf, rank = step->gpu;
    const int own = napcoll_msccl_chunk_at(program, rank, buffer, offset);

    *at = id / program->parts;
    if (NAPCOLL_MSCCL_SCRATCH == buffer) {
        *in = personalized ? IN_SCRATCH : scratch_of(m, rank, offset - id);
        *at = personalized ? offset : *at;
        return true;
    }
    if (personalized ? NAPCOLL_MSCCL_INPUT == buffer : own != id) {
        return napcoll_msccl_fail(program, step, m->error,
                                  "writes chunk %d to %s[%d], the place of chunk %d; expected "
                                  "another offset, or scratch",
                                  id, napcoll_msccl_buffers[buffer], offset, own);
    }
    if (scatters) {
        *in = NAPCOLL_MSCCL_INPUT == buffer || program->inplace ? IN_INPUT : IN_OUTPUT;
    } else {
        *in = NAPCOLL_MSCCL_INPUT == buffer && !program->inplace ? IN_INPUT : IN_RECVBUF;
    }
    if (personalized) {
        *at = modulo(offset / program->parts - rank, program->ngpus);
    }
    return true;
}

/* ---- races ---- */

static bool fail_race(const maker_t *m, int event, int other, int buffer, int at)
{
    const napcoll_msccl_step_t *step = &m->program->step[other / 2];

    return napcoll_msccl_fail(m->program, &m->program->step[event / 2], m->error,
                              "race for %s[%d] with tb %d, step %d (%s): expected deps that say "
                              "which is first",
                              napcoll_msccl_buffers[buffer], at, m->program->tb[step->tb].id,
                              step->s, napcoll_msccl_types[step->type]);
}

/* An event uses a place: events that wrote it, and if it writes, those that read it, are before. */
static bool use(maker_t *m, int event, int buffer, int at, bool writes)
{
    napcoll_msccl_t *program = m->program;
    place_t *place = napcoll_msccl_place_of(m, program->step[event / 2].gpu, buffer, at);

    if (place->writer >= 0 && !napcoll_msccl_before(program, place->writer, event)) {
        return fail_race(m, event, place->writer, buffer, at);
    }
    for (int i = place->readers; i >= 0 && writes; i = m->reading[i].next) {
        if (!napcoll_msccl_before(program, m->reading[i].event, event)) {
            return fail_race(m, event, m->reading[i].event, buffer, at);
        }
    }
    if (program->visits > most_visits) {
        return napcoll_msccl_fail_at(m->error, 0, 0,
                                     "is too large to be searched for races; expected more deps, "
                                     "or fewer chunks");
    }
    if (writes) {
        place->writer = event;
        place->readers = -1;
        return true;
    }
    if (!napcoll_grow(&m->reading, &m->reading_room, m->readings + 1, sizeof(*m->reading))) {
        napcoll_out_of_memory();
    }
    m->reading[m->readings] = (reading_t){event, place->readers};
    place->readers = (int) m->readings++;
    return true;
}

/* A step reads its source (or, sending behind work, its destination), or writes its destination. */
bool napcoll_msccl_use_all(maker_t *m, int event, bool of_dst, bool writes)
{
    const napcoll_msccl_step_t *step = &m->program->step[event / 2];
    const int buffer = of_dst ? step->dstbuf : step->srcbuf;
    const int at = of_dst ? step->dstoff : step->srcoff;

    for (int k = 0; k < step->cnt; k++) {
        if (!use(m, event, buffer, at + k, writes)) {
            return false;
        }
        if (!writes && napcoll_msccl_place_of(m, step->gpu, buffer, at + k)->id < 0) {
            return napcoll_msccl_fail(m->program, step, m->error,
                                      "reads %s[%d], to which no step before has written",
                                      napcoll_msccl_buffers[buffer], at + k);
        }
    }
    return true;
}

/* ---- moves ---- */

/* Begin a message or work of some blocks, which are all zero; returns its number. */
size_t napcoll_msccl_begin_move(maker_t *m, napcoll_step_kind_t kind, int stage, int count)
{
    moves_t *moves = m->moves;

    if (!napcoll_grow(&moves->move, &moves->move_room, moves->moves + 1, sizeof(*moves->move))
        || !napcoll_grow(&moves->block, &moves->block_room, moves->blocks + (size_t) count,
                         sizeof(*moves->block))) {
        napcoll_out_of_memory();
    }
    for (int i = 0; i < count; i++) {
        moves->block[moves->blocks + (size_t) i] = (block_t){.id = 0};
    }
    moves->move[moves->moves] = (move_t){kind, stage, moves->blocks, count};
    moves->blocks += (size_t) count;
    return moves->moves++;
}

void napcoll_msccl_add_entry(maker_t *m, int rank, napcoll_step_kind_t kind, int peer, size_t move)
{
    if (!napcoll_grow(&m->moves->entry, &m->moves->entry_room, m->moves->entries + 1,
                      sizeof(*m->moves->entry))) {
        napcoll_out_of_memory();
    }
    m->moves->entry[m->moves->entries++] = (entry_t){rank, m->moves->move[move].stage, kind, peer,
                                                     move};
}

/* A row of temporaries for messages; NULL: there are too many. */
static int *row_of(maker_t *m, int rank, int k)
{
    const bool personalized = NAPCOLL_MSCCL_ALLTOALL == m->program->coll;
    const int chunks = personalized ? 1 : m->program->nchunksperloop;

    if (k == m->rows[rank]) {
        int *row;

        m->row_chunks += chunks;
        if (m->row_chunks > NAPCOLL_MOST_PLAN_BLOCKS) {
            (void) napcoll_msccl_fail_at(m->error, 0, 0, "needs more than %d chunks of temporaries",
                                         NAPCOLL_MOST_PLAN_BLOCKS);
            return NULL;
        }
        row = napcoll_allocate((size_t) chunks, sizeof(*row));
        memset(row, -1, (size_t) chunks * sizeof(*row));
        m->row[rank] = napcoll_memory_grow(m->row[rank], (size_t) k, sizeof(row));
        m->row[rank][k] = row;
        m->rows[rank]++;
    }
    return m->row[rank][k];
}

/* Let a message's blocks come to temporaries, which are in use from a stage on up to another. */
bool napcoll_msccl_take_staging(maker_t *m, int rank, int from, int to, size_t message)
{
    const bool personalized = NAPCOLL_MSCCL_ALLTOALL == m->program->coll;
    const move_t *move = &m->moves->move[message];

    for (int i = 0; i < move->count; i++) {
        block_t *block = &m->moves->block[move->first + (size_t) i];
        const int column = personalized ? 0 : block->id;
        int k = 0, *row = row_of(m, rank, 0);

        while (NULL != row && row[column] >= from) {
            row = row_of(m, rank, ++k);
        }
        if (NULL == row) {
            return false;
        }
        row[column] = to;
        set_operand(block, DST, personalized ? IN_STAGING : IN_STAGING + 2 * k,
                    personalized ? k : block->id / m->program->parts);
    }
    return true;
}

/* Extend the use of a temporary that a block is in. */
void napcoll_msccl_keep_staging(const maker_t *m, int rank, const block_t *block, int to)
{
    int *row = m->row[rank][(block->in[DST] - IN_STAGING) / 2];

    row[block->id] = max_of(row[block->id], to);
}
