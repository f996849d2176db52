/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A program becomes plans (see the header). The events are taken in their order:
 *
 * - A send goes to the stage after all work of its thread block before it, of what this depends on,
 *   and of what it sends. Its receive is in the same stage: as all ranks count stages alike, and
 *   each message is in one of them, no rank waits for itself.
 * - A receive does not wait for memory. Where the place is in use in its stage, or a reduction
 *   follows, the message comes to a temporary and the stage's work goes on from there.
 * - Work is in the first stage that has its operands, and in which nobody needs what it overwrites.
 *
 * Each chunk is followed through the buffers: a block of a plan has the same number in all of
 * them, so scratch becomes temporaries, one for each distance between places and numbers. Two
 * events that use one place, of which one writes, must have an order: else it is a race.
 */

#include "common/napcoll_msccl_moves.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"

/* ---- events ---- */

/* A place of a step's destination, or of its source. */
static place_t *place_at(const maker_t *m, const napcoll_msccl_step_t *step, bool of_dst, int k)
{
    return of_dst ? napcoll_msccl_place_of(m, step->gpu, step->dstbuf, step->dstoff + k)
                  : napcoll_msccl_place_of(m, step->gpu, step->srcbuf, step->srcoff + k);
}

/* The last stage in which places of a step were written, or used. */
static int last_stage(const maker_t *m, const napcoll_msccl_step_t *step, bool of_dst, bool used)
{
    int stage = -1;

    for (int k = 0; k < step->cnt; k++) {
        const place_t *place = place_at(m, step, of_dst, k);

        stage = max_of(stage, used ? place->used : place->written);
    }
    return stage;
}

/* Let an operand of a move be what lies at the places of a step, in a stage; the chunks must be
 * the chunks of the move, where it has any. */
static bool get_blocks(const maker_t *m, const napcoll_msccl_step_t *step, bool of_dst, size_t move,
                       int operand, bool known)
{
    const int stage = m->moves->move[move].stage;
    block_t *block = blocks_of(m, move);

    for (int k = 0; k < step->cnt; k++) {
        place_t *place = place_at(m, step, of_dst, k);

        if (known && place->id != block[k].id) {
            return napcoll_msccl_fail(m->program, step, m->error,
                                      "reduces chunk %d with chunk %d; expected other offsets",
                                      place->id, block[k].id);
        }
        block[k].id = place->id;
        block[k].low = known && block[k].low < place->low ? block[k].low : place->low;
        set_operand(&block[k], operand, place->in, place->at);
        place->used = max_of(place->used, stage);
    }
    return true;
}

/* Let an operand of a move be what another one brings. */
static void get_result(const maker_t *m, size_t move, int operand, size_t from)
{
    const block_t *result = blocks_of(m, from);
    block_t *block = blocks_of(m, move);

    for (int k = 0; k < m->moves->move[move].count; k++) {
        block[k].id = result[k].id;
        block[k].low = result[k].low;
        set_operand(&block[k], operand, result[k].in[DST], result[k].at[DST]);
    }
}

/* Say where a move's results go by a step's destination. */
static bool aim(maker_t *m, const napcoll_msccl_step_t *step, size_t move)
{
    block_t *block = blocks_of(m, move);

    for (int k = 0; k < step->cnt; k++) {
        int in, at;

        if (!napcoll_msccl_locate(m, step, k, block[k].id, &in, &at)) {
            return false;
        }
        set_operand(&block[k], DST, in, at);
    }
    return true;
}

/* The places of a step's destination now have a move's results. */
static void put_blocks(const maker_t *m, const napcoll_msccl_step_t *step, size_t move)
{
    const int stage = m->moves->move[move].stage;
    const block_t *block = blocks_of(m, move);

    for (int k = 0; k < step->cnt; k++) {
        place_t *place = place_at(m, step, true, k);

        place->id = block[k].id;
        place->low = block[k].low;
        place->in = block[k].in[DST];
        place->at = block[k].at[DST];
        place->written = stage;
        place->used = max_of(place->used, stage);
    }
    m->tb_reached[step->tb] = max_of(m->tb_reached[step->tb], stage);
}

/* Whether what a step brings stays where it is: a personalized block is not copied to a slot. */
static bool is_renamed(const maker_t *m, const napcoll_msccl_step_t *step)
{
    return NAPCOLL_MSCCL_ALLTOALL == m->program->coll && NAPCOLL_MSCCL_SCRATCH == step->dstbuf;
}

static bool do_copy(maker_t *m, int event)
{
    const napcoll_msccl_step_t *step = &m->program->step[event / 2];
    const int stage = max_of(
        0, max_of(last_stage(m, step, false, false), last_stage(m, step, true, true)));
    size_t move;

    if (!napcoll_msccl_use_all(m, event, false, false)
        || !napcoll_msccl_use_all(m, event, true, true)) {
        return false;
    }
    move = napcoll_msccl_begin_move(m, NAPCOLL_STEP_COPY, stage, step->cnt);
    (void) get_blocks(m, step, false, move, LEFT, false);
    if (is_renamed(m, step)) {
        (void) get_blocks(m, step, false, move, DST, false);
    } else if (!aim(m, step, move)) {
        return false;
    } else {
        napcoll_msccl_add_entry(m, step->gpu, NAPCOLL_STEP_COPY, -1, move);
    }
    put_blocks(m, step, move);
    return true;
}

/* A reduction must not write to its left operand. In place, the input becomes the result. */
static bool spoils_left(const maker_t *m, size_t move)
{
    const block_t *block = blocks_of(m, move);

    for (int k = 0; k < m->moves->move[move].count; k++) {
        const bool input = IN_SENDBUF == block[k].in[LEFT] && IN_RECVBUF == block[k].in[DST];

        if (block[k].at[LEFT] == block[k].at[DST]
            && (block[k].in[LEFT] == block[k].in[DST] || (input && m->program->inplace))) {
            return true;
        }
    }
    return false;
}

/* Reduce what a message or src has, left, with what dst or src has, right: the other way round
 * where the ranks are to reduce alike and the right one begins at a lower rank. */
static void order_operands(const maker_t *m, size_t move, int low, int right_low)
{
    block_t *block = blocks_of(m, move);

    for (int k = 0; k < m->moves->move[move].count && m->by_rank && right_low < low; k++) {
        const int in = block[k].in[LEFT], at = block[k].at[LEFT];

        set_operand(&block[k], LEFT, block[k].in[RIGHT], block[k].at[RIGHT]);
        set_operand(&block[k], RIGHT, in, at);
    }
}

/* The reduction of a step: of its destination and source, or of its source and a message that has
 * come to a temporary, where rrs keeps the result. */
static bool do_reduction(maker_t *m, int event, int stage, const size_t *message)
{
    const napcoll_msccl_step_t *step = &m->program->step[event / 2];
    const bool keeps = NAPCOLL_MSCCL_RRS == step->type, local = NULL == message;
    size_t move = napcoll_msccl_begin_move(m, NAPCOLL_STEP_REDUCE, stage, step->cnt), copy;
    int low;

    if (local) {
        (void) get_blocks(m, step, false, move, LEFT, false);
    } else {
        get_result(m, move, LEFT, *message);
    }
    low = blocks_of(m, move)->low;
    if (!get_blocks(m, step, local, move, RIGHT, true)) {
        return false;
    }
    order_operands(m, move, low, place_at(m, step, local, 0)->low);
    if (keeps) {
        get_result(m, move, DST, *message);
    } else if (!aim(m, step, move)) {
        return false;
    }
    napcoll_msccl_add_entry(m, step->gpu, NAPCOLL_STEP_REDUCE, -1, move);
    m->sent[event / 2] = move;
    m->tb_reached[step->tb] = max_of(m->tb_reached[step->tb], stage);
    if (!spoils_left(m, move)) {
        if (!keeps) {
            put_blocks(m, step, move);
        }
        return true;
    }
    if (!napcoll_msccl_take_staging(m, step->gpu, stage, stage, move) || keeps) {
        return keeps;
    }
    copy = napcoll_msccl_begin_move(m, NAPCOLL_STEP_COPY, stage, step->cnt);
    get_result(m, copy, LEFT, move);
    napcoll_msccl_add_entry(m, step->gpu, NAPCOLL_STEP_COPY, -1, copy);
    if (!aim(m, step, copy)) {
        return false;
    }
    put_blocks(m, step, copy);
    return true;
}

static bool do_re(maker_t *m, int event)
{
    const napcoll_msccl_step_t *step = &m->program->step[event / 2];
    const int stage = max_of(
        0, max_of(last_stage(m, step, false, false), last_stage(m, step, true, true)));

    return napcoll_msccl_use_all(m, event, false, false)
           && napcoll_msccl_use_all(m, event, true, false)
           && napcoll_msccl_use_all(m, event, true, true) && do_reduction(m, event, stage, NULL);
}

/* A message arrives in a stage; where its place is in use then, it comes to a temporary. */
static bool do_receive(maker_t *m, int event)
{
    const napcoll_msccl_step_t *step = &m->program->step[event / 2];
    const size_t message = m->sent[step->sender];
    const int arrives = m->moves->move[message].stage;
    const bool reads = napcoll_msccl_reads(step->type), writes = napcoll_msccl_writes(step->type);
    int stage = arrives;
    size_t copy;

    if ((reads && !napcoll_msccl_use_all(m, event, false, false))
        || (writes && !napcoll_msccl_use_all(m, event, true, true))) {
        return false;
    }
    stage = reads ? max_of(stage, last_stage(m, step, false, false)) : stage;
    stage = writes ? max_of(stage, last_stage(m, step, true, true)) : stage;
    napcoll_msccl_add_entry(m, step->gpu, NAPCOLL_STEP_RECV, m->program->step[step->sender].gpu,
                            message);
    if (reads) {
        return napcoll_msccl_take_staging(m, step->gpu, arrives, stage, message)
               && do_reduction(m, event, stage, &message);
    }
    if (last_stage(m, step, true, true) < arrives) {
        if (!aim(m, step, message)) {
            return false;
        }
        put_blocks(m, step, message);
        return true;
    }
    if (!napcoll_msccl_take_staging(m, step->gpu, arrives, is_renamed(m, step) ? INT_MAX : stage,
                                    message)) {
        return false;
    }
    if (is_renamed(m, step)) {
        put_blocks(m, step, message);
        return true;
    }
    copy = napcoll_msccl_begin_move(m, NAPCOLL_STEP_COPY, stage, step->cnt);
    get_result(m, copy, LEFT, message);
    napcoll_msccl_add_entry(m, step->gpu, NAPCOLL_STEP_COPY, -1, copy);
    if (!aim(m, step, copy)) {
        return false;
    }
    put_blocks(m, step, copy);
    return true;
}

static bool do_send(maker_t *m, int event)
{
    const int s = event / 2;
    const napcoll_msccl_step_t *step = &m->program->step[s];
    const bool of_dst = NAPCOLL_MSCCL_S != step->type, kept = NAPCOLL_MSCCL_RRS == step->type;
    int stage = m->tb_reached[step->tb];
    size_t move;

    if (!kept && !napcoll_msccl_use_all(m, event, of_dst, false)) {
        return false;
    }
    stage = 1 + (kept ? stage : max_of(stage, last_stage(m, step, of_dst, false)));
    move = napcoll_msccl_begin_move(m, NAPCOLL_STEP_SEND, stage, step->cnt);
    if (!kept) {
        (void) get_blocks(m, step, of_dst, move, LEFT, false);
    } else {
        get_result(m, move, LEFT, m->sent[s]);
        for (int k = 0; k < step->cnt; k++) {
            napcoll_msccl_keep_staging(m, step->gpu, &blocks_of(m, m->sent[s])[k], stage);
        }
    }
    m->sent[s] = move;
    napcoll_msccl_add_entry(m, step->gpu, NAPCOLL_STEP_SEND, m->program->tb[step->tb].send, move);
    return true;
}

static bool do_event(maker_t *m, int event)
{
    const int s = event / 2;
    const napcoll_msccl_step_t *step = &m->program->step[s];
    const int first_tb = m->program->gpu[step->gpu].first_tb;
    int *reached = &m->tb_reached[step->tb];
    bool good = true;

    if (1 == event % 2) {
        good = !napcoll_msccl_sends(step->type) || do_send(m, event);
        m->reached[s] = *reached;
        return good;
    }
    if (step->depid >= 0) {
        *reached = max_of(
            *reached, m->reached[m->program->tb[first_tb + step->depid].first_step + step->deps]);
    }
    if (napcoll_msccl_receives(step->type)) {
        return do_receive(m, event);
    }
    if (NAPCOLL_MSCCL_RE == step->type) {
        return do_re(m, event);
    }
    return NAPCOLL_MSCCL_CPY != step->type || do_copy(m, event);
}

/* ---- the program ---- */

/* Whether an allgather's input is copied to its place in the output, to which nothing else is
 * written: then the plan has it there from the beginning. */
static bool is_joined(const napcoll_msccl_t *program, int rank)
{
    const int own = rank * program->parts;
    const napcoll_msccl_gpu_t *gpu = &program->gpu[rank];
    int copied = 0;

    for (int t = gpu->first_tb; t < gpu->first_tb + gpu->tbs; t++) {
        const napcoll_msccl_tb_t *tb = &program->tb[t];

        for (int i = tb->first_step; i < tb->first_step + tb->steps; i++) {
            const napcoll_msccl_step_t *step = &program->step[i];
            const bool meets = napcoll_msccl_writes(step->type)
                               && NAPCOLL_MSCCL_OUTPUT == step->dstbuf
                               && step->dstoff < own + program->parts
                               && step->dstoff + step->cnt > own;

            if (meets
                && (NAPCOLL_MSCCL_CPY != step->type || NAPCOLL_MSCCL_INPUT != step->srcbuf
                    || step->dstoff != own + step->srcoff)) {
                return false;
            }
            copied += meets ? step->cnt : 0;
        }
    }
    return copied >= program->parts;
}

/* The input of a rank lies in the send buffer. An allgather copies it first: it may have another
 * datatype. */
static void begin_rank(maker_t *m, int rank)
{
    const napcoll_msccl_t *program = m->program;
    const int chunks = napcoll_msccl_chunks(program, rank, NAPCOLL_MSCCL_INPUT);
    const bool gathers = NAPCOLL_MSCCL_ALLGATHER == program->coll;
    const bool there = gathers && (program->inplace || is_joined(program, rank));
    const size_t move = napcoll_msccl_begin_move(m, NAPCOLL_STEP_COPY, 0, gathers ? chunks : 0);
    block_t *block = blocks_of(m, move);

    for (int k = 0; k < chunks; k++) {
        place_t *place = napcoll_msccl_place_of(m, rank, NAPCOLL_MSCCL_INPUT, k);
        const int id = napcoll_msccl_chunk_at(program, rank, NAPCOLL_MSCCL_INPUT, k),
                  part = id / program->parts;

        place->id = id;
        place->low = rank;
        place->in = IN_SENDBUF;
        place->at = NAPCOLL_MSCCL_ALLTOALL == program->coll ? modulo(rank - part, program->ngpus)
                                                            : part;
        if (gathers) {
            block[k].id = id;
            set_operand(&block[k], LEFT, place->in, place->at);
            place->in = there ? IN_RECVBUF : IN_INPUT;
            place->written = place->used = 0;
            set_operand(&block[k], DST, place->in, place->at);
        }
    }
    if (gathers) {
        napcoll_msccl_add_entry(m, rank, NAPCOLL_STEP_COPY, -1, move);
    }
}

/* The result of a reduce-scatter goes to the user's buffer at the end: that may be the input. So
 * does what an allreduce in place has left of the input. */
static void end_rank(maker_t *m, int rank, int stage)
{
    const napcoll_msccl_t *program = m->program;
    const bool scatters = NAPCOLL_MSCCL_REDUCE_SCATTER == program->coll;

    for (int k = 0; k < napcoll_msccl_chunks(program, rank, NAPCOLL_MSCCL_OUTPUT); k++) {
        const place_t *place = napcoll_msccl_place_of(m, rank, NAPCOLL_MSCCL_OUTPUT, k);

        if (place->id >= 0 && (scatters || IN_SENDBUF == place->in)) {
            const size_t move = napcoll_msccl_begin_move(m, NAPCOLL_STEP_COPY, stage, 1);
            block_t *block = blocks_of(m, move);

            block->id = place->id;
            set_operand(block, LEFT, place->in, place->at);
            set_operand(block, DST, IN_RECVBUF, place->at);
            napcoll_msccl_add_entry(m, rank, NAPCOLL_STEP_COPY, -1, move);
        }
    }
}

static bool run_program(maker_t *m)
{
    const napcoll_msccl_t *program = m->program;
    int last = 0;

    for (int rank = 0; rank < program->ngpus; rank++) {
        begin_rank(m, rank);
    }
    for (int i = 0; i < 2 * program->steps; i++) {
        if (!do_event(m, program->order[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < m->moves->entries; i++) {
        last = max_of(last, m->moves->entry[i].stage);
    }
    for (int rank = 0; rank < program->ngpus; rank++) {
        if (NAPCOLL_MSCCL_REDUCE_SCATTER == program->coll
            || (NAPCOLL_MSCCL_ALLREDUCE == program->coll && program->inplace)) {
            end_rank(m, rank, last);
        }
    }
    return true;
}

/* The places of all ranks; false: there are too many. */
static bool begin(maker_t *m)
{
    const napcoll_msccl_t *program = m->program;
    const size_t ranks = (size_t) program->ngpus, steps = (size_t) program->steps;
    long long chunks = 0;

    m->first = napcoll_allocate(ranks + 1, sizeof(*m->first));
    m->row = napcoll_allocate(ranks, sizeof(*m->row));
    m->rows = napcoll_allocate(ranks, sizeof(*m->rows));
    m->distance = napcoll_allocate(ranks, sizeof(*m->distance));
    m->distances = napcoll_allocate(ranks, sizeof(*m->distances));
    m->sent = napcoll_allocate(steps, sizeof(*m->sent));
    m->reached = napcoll_allocate(steps, sizeof(*m->reached));
    m->tb_reached = napcoll_allocate((size_t) program->tbs, sizeof(*m->tb_reached));
    for (int rank = 0; rank < program->ngpus; rank++) {
        m->first[rank + 1] = m->first[rank];
        for (int b = 0; b <= NAPCOLL_MSCCL_SCRATCH; b++) {
            m->first[rank + 1] += (size_t) napcoll_msccl_chunks(program, rank, b);
        }
    }
    for (int i = 0; i < program->steps; i++) {
        chunks += program->step[i].cnt;
    }
    if ((long long) m->first[ranks] + chunks > NAPCOLL_MOST_PLAN_BLOCKS) {
        return napcoll_msccl_fail_at(m->error, 0, 0,
                                     "has %lld chunks in the buffers and steps of all gpus; "
                                     "expected at most %d",
                                     (long long) m->first[ranks] + chunks,
                                     NAPCOLL_MOST_PLAN_BLOCKS);
    }
    m->place = napcoll_allocate(m->first[ranks], sizeof(*m->place));
    for (size_t i = 0; i < m->first[ranks]; i++) {
        m->place[i] = (place_t){.id = -1, .written = -1, .used = -1, .writer = -1, .readers = -1};
    }
    for (int tb = 0; tb < program->tbs; tb++) {
        m->tb_reached[tb] = -1;
    }
    return true;
}

/* Free the maker; the moves are told how many memories there are. */
static void end(maker_t *m)
{
    m->moves->memories = IN_SCRATCH + 1;
    for (int rank = 0; rank < m->program->ngpus; rank++) {
        const int most = max_of(m->rows[rank], m->distances[rank]);

        m->moves->memories = max_of(m->moves->memories, IN_SCRATCH + 2 * most + 1);
        m->moves->slots = max_of(m->moves->slots, m->program->gpu[rank].s_chunks + m->rows[rank]);
        for (int k = 0; k < m->rows[rank]; k++) {
            free(m->row[rank][k]);
        }
        free(m->row[rank]);
        free(m->distance[rank]);
    }
    free(m->first);
    free(m->place);
    free(m->reading);
    free(m->row);
    free(m->rows);
    free(m->distance);
    free(m->distances);
    free(m->sent);
    free(m->reached);
    free(m->tb_reached);
}

bool napcoll_msccl_plans(napcoll_msccl_t *program, const char *name, unsigned how, FILE *out,
                         napcoll_plan_text_error_t *error)
{
    moves_t moves = {.memories = 0};
    maker_t m = {.program = program,
                 .error = error,
                 .moves = &moves,
                 .by_rank = 0 != (how & NAPCOLL_MSCCL_BY_RANK)};
    bool good = begin(&m) && run_program(&m);

    end(&m);
    good = good
           && napcoll_msccl_text(program, &moves, name, 0 != (how & NAPCOLL_MSCCL_IN_PLACE), out,
                                 error);
    free(moves.block);
    free(moves.move);
    free(moves.entry);
    return good;
}
