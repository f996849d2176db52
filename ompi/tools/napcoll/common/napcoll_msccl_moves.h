/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the ranks of an MSCCL program do, as messages and work in stages; private to
 * napcoll_msccl_plans.c and napcoll_msccl_places.c, which find it, and napcoll_msccl_text.c, which
 * writes it.
 */

#ifndef NAPCOLL_MSCCL_MOVES_H
#define NAPCOLL_MSCCL_MOVES_H

#include "common/napcoll_msccl.h"

/* Memory of a plan: the user's buffers, what replaces them where they are written too early, and
 * temporaries for messages (even numbers from 4 on) and for scratch (odd ones). */
enum { IN_SENDBUF, IN_RECVBUF, IN_INPUT, IN_OUTPUT, IN_STAGING, IN_SCRATCH };

/* A block of a step: left, right and dst as in napcoll_step_t; of a message, left is the sender's
 * and dst the receiver's. */
enum { LEFT, RIGHT, DST, OPERANDS };
typedef struct {
    int id, low;
    int in[OPERANDS], at[OPERANDS];
} block_t;

/* Consecutive blocks of a message or of work, [first, first + count). */
typedef struct {
    napcoll_step_kind_t kind;
    int stage;
    size_t first;
    int count;
} move_t;

/* A step of a rank. */
typedef struct {
    int rank, stage;
    napcoll_step_kind_t kind;
    int peer;
    size_t move;
} entry_t;

/* All of them. */
typedef struct {
    block_t *block;
    size_t blocks, block_room;
    move_t *move;
    size_t moves, move_room;
    entry_t *entry;
    size_t entries, entry_room;
    /* memory of all ranks is below this number */
    int memories;
    /* most places in scratch and temporaries for messages of any rank, of an alltoall */
    int slots;
} moves_t;

/* A place of a buffer. */
typedef struct {
    /* the chunk that it has, -1: none; and the lowest rank that is in it */
    int id, low;
    /* where: memory and number of the block */
    int in, at;
    /* the last stage in which it was written, or used at all; -1: none */
    int written, used;
    /* the event that wrote it, -1: none; those that read it since, as indices into the readers */
    int writer, readers;
} place_t;

typedef struct {
    int event;
    int next;
} reading_t;

typedef struct {
    napcoll_msccl_t *program;
    napcoll_plan_text_error_t *error;
    /* [ranks + 1] where the places of a rank begin */
    size_t *first;
    place_t *place;
    reading_t *reading;
    size_t readings, reading_room;
    moves_t *moves;
    /* [steps] the move that sends; the stage that the thread block has reached behind the step */
    size_t *sent;
    int *reached;
    /* [tbs] */
    int *tb_reached;
    /* [ranks] rows of chunks: the stage up to which each is in use as a temporary for messages */
    int ***row;
    int *rows;
    long long row_chunks;
    /* [ranks] the distances in scratch */
    int **distance;
    int *distances;
    /* operands are reduced in the order of their lowest ranks */
    bool by_rank;
} maker_t;

static inline int max_of(int a, int b)
{
    return a > b ? a : b;
}

static inline int modulo(int a, int b)
{
    return (a % b + b) % b;
}

static inline block_t *blocks_of(const maker_t *m, size_t move)
{
    /* a program may have no blocks at all */
    return NULL == m->moves->block ? NULL : &m->moves->block[m->moves->move[move].first];
}

static inline void set_operand(block_t *block, int operand, int in, int at)
{
    block->in[operand] = in;
    block->at[operand] = at;
}

/* ---- napcoll_msccl_places.c ---- */

/** The number of a chunk whose place is in the input or output. */
int napcoll_msccl_chunk_at(const napcoll_msccl_t *program, int rank, int buffer, int at);

place_t *napcoll_msccl_place_of(const maker_t *m, int rank, int buffer, int at);

/** Find where a chunk comes to lie that a step writes to its place number k; false, with an error:
 * no plan can have it there. */
bool napcoll_msccl_locate(maker_t *m, const napcoll_msccl_step_t *step, int k, int id, int *in,
                          int *at);

/** Note that an event reads its source or destination, or writes its destination; false, with an
 * error: that is a race, or what it reads was not written. */
bool napcoll_msccl_use_all(maker_t *m, int event, bool of_dst, bool writes);

/** Begin a message or work of some blocks, which are all zero; returns its number. */
size_t napcoll_msccl_begin_move(maker_t *m, napcoll_step_kind_t kind, int stage, int count);

/** Let a rank have a step of its plan. */
void napcoll_msccl_add_entry(maker_t *m, int rank, napcoll_step_kind_t kind, int peer, size_t move);

/** Let a move's results come to temporaries, which are in use from a stage on up to another; false,
 * with an error: there are too many. */
bool napcoll_msccl_take_staging(maker_t *m, int rank, int from, int to, size_t move);

/** Extend the use of the temporary of a result, which is no personalized block. */
void napcoll_msccl_keep_staging(const maker_t *m, int rank, const block_t *block, int to);

/* ---- napcoll_msccl_text.c ---- */

/** Write the plans, see napcoll_msccl_plans; puts the entries in order, and changes the blocks. */
bool napcoll_msccl_text(const napcoll_msccl_t *program, moves_t *moves, const char *name,
                        bool in_place, FILE *out, napcoll_plan_text_error_t *error);

#endif /* NAPCOLL_MSCCL_MOVES_H */
