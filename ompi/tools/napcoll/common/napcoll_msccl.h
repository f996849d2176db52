/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MSCCL XML: programs of thread blocks, as msccl-tools and other synthesizers write them, become
 * plans, and plans become programs. No MPI in here; memory that runs out ends the tool.
 *
 *     <algo name="pair" ngpus="2" nchunksperloop="1" coll="allreduce" inplace="0" ...>
 *       <gpu id="0" i_chunks="1" o_chunks="1" s_chunks="1">
 *         <tb id="0" send="1" recv="1" chan="0">
 *           <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" .../>
 *
 * A gpu is a rank. The steps of a thread block (tb) run one after the other, thread blocks at the
 * same time; depid and deps name the thread block and step that must have ended before. A send is
 * received by the step of the same number on its connection: sender, receiver and channel.
 *
 *     type                  receives   then                              then sends
 *     s                                                                  src
 *     r, rcs                a message  dst = message                     rcs: dst
 *     rrc, rrcs             a message  dst = src op message              rrcs: dst
 *     rrs                   a message  src op message, which stays       what was reduced
 *     cpy, re, nop                     dst = src, dst = src op dst, -
 *
 * The source of the meaning is the interpreter of MSCCL; M. Cowan et al.: "MSCCLang: Microsoft
 * Collective Communication Language", ASPLOS 2023.
 */

#ifndef NAPCOLL_MSCCL_H
#define NAPCOLL_MSCCL_H

#include "algo/file/napcoll_plan_text.h"

/** In the order of the words i, o and s. */
enum { NAPCOLL_MSCCL_INPUT, NAPCOLL_MSCCL_OUTPUT, NAPCOLL_MSCCL_SCRATCH };

/** In the order of napcoll_msccl_types. */
typedef enum {
    NAPCOLL_MSCCL_NOP,
    NAPCOLL_MSCCL_S,
    NAPCOLL_MSCCL_R,
    NAPCOLL_MSCCL_RCS,
    NAPCOLL_MSCCL_RRS,
    NAPCOLL_MSCCL_RRC,
    NAPCOLL_MSCCL_RRCS,
    NAPCOLL_MSCCL_CPY,
    NAPCOLL_MSCCL_RE
} napcoll_msccl_type_t;

/** In the order of the words allreduce, allgather, reduce_scatter and alltoall. */
typedef enum {
    NAPCOLL_MSCCL_ALLREDUCE,
    NAPCOLL_MSCCL_ALLGATHER,
    NAPCOLL_MSCCL_REDUCE_SCATTER,
    NAPCOLL_MSCCL_ALLTOALL
} napcoll_msccl_coll_t;

extern const char *const napcoll_msccl_types[], *const napcoll_msccl_buffers[],
                                                    *const napcoll_msccl_colls[];

typedef struct napcoll_msccl_step {
    int line;
    /** its own number in the thread block */
    int s;
    /** napcoll_msccl_type_t */
    int type;
    /** buffers, and places in them, in chunks */
    int srcbuf, srcoff, dstbuf, dstoff, cnt;
    /** thread block and step that end before; -1: none */
    int depid, deps;
    /** another step waits for this one */
    int hasdep;
    /** indices into the program's arrays */
    int gpu, tb;
    /** the step at the other end of the message that it receives; -1: none */
    int sender;
} napcoll_msccl_step_t;

typedef struct napcoll_msccl_tb {
    int line;
    int id;
    /** ranks, -1: none */
    int send, recv;
    int chan;
    int gpu;
    int first_step, steps;
} napcoll_msccl_tb_t;

typedef struct napcoll_msccl_gpu {
    int line;
    int id;
    int i_chunks, o_chunks, s_chunks;
    int first_tb, tbs;
} napcoll_msccl_gpu_t;

/** A program. */
typedef struct napcoll_msccl {
    /** a name that plans can have */
    char name[NAPCOLL_PLAN_NAME];
    /** napcoll_msccl_coll_t */
    int coll;
    int inplace;
    int ngpus, nchunksperloop;
    /** chunks of a rank's block; of an allreduce 1 */
    int parts;
    int gpus, tbs, steps;
    napcoll_msccl_gpu_t *gpu;
    napcoll_msccl_tb_t *tb;
    napcoll_msccl_step_t *step;
    /** [2 * steps] events: 2 * i is when step i has received or worked, 2 * i + 1 when it has sent.
     * The level of an event is above the levels of all events before it; order is by level */
    int *level, *order;
    /** [2 * steps] of napcoll_msccl_before */
    int *seen, *stack;
    int looks;
    long long visits;
} napcoll_msccl_t;

static inline bool napcoll_msccl_receives(int type)
{
    return type >= NAPCOLL_MSCCL_R && type <= NAPCOLL_MSCCL_RRCS;
}

static inline bool napcoll_msccl_sends(int type)
{
    return NAPCOLL_MSCCL_S == type || NAPCOLL_MSCCL_RCS == type || NAPCOLL_MSCCL_RRS == type
           || NAPCOLL_MSCCL_RRCS == type;
}

/** Whether the step reads its source before it sends. */
static inline bool napcoll_msccl_reads(int type)
{
    return type >= NAPCOLL_MSCCL_RRS;
}

static inline bool napcoll_msccl_writes(int type)
{
    return type >= NAPCOLL_MSCCL_R && NAPCOLL_MSCCL_RRS != type;
}

/** The chunks of a buffer of a rank. */
int napcoll_msccl_chunks(const napcoll_msccl_t *program, int gpu, int buffer);

/** Set an error at a step; returns false. */
__attribute__((format(printf, 4, 5))) bool napcoll_msccl_fail(const napcoll_msccl_t *program,
                                                              const napcoll_msccl_step_t *step,
                                                              napcoll_plan_text_error_t *error,
                                                              const char *format, ...);

/** Set an error at a line and column, 0: none; returns false. */
__attribute__((format(printf, 4, 5))) bool napcoll_msccl_fail_at(napcoll_plan_text_error_t *error,
                                                                 int line, int column,
                                                                 const char *format, ...);

/* ---- napcoll_msccl_xml.c ---- */

/**
 * Read a program.
 *
 * @param[in]  text   [length] any bytes
 * @param[in]  length bytes, at most INT_MAX
 * @param[out] error  the first mistake
 *
 * @return the program, for napcoll_msccl_free; NULL after an error
 */
napcoll_msccl_t *napcoll_msccl_read(const char *text, size_t length,
                                    napcoll_plan_text_error_t *error);

/** Free a program; NULL is allowed. */
void napcoll_msccl_free(napcoll_msccl_t *program);

/* ---- napcoll_msccl_order.c ---- */

/** Find the ends of all messages and the order of all events; false with *error set where there is
 * none. */
bool napcoll_msccl_sort(napcoll_msccl_t *program, napcoll_plan_text_error_t *error);

/** Whether an event comes before another one, of a level that is not lower, in each run. */
bool napcoll_msccl_before(napcoll_msccl_t *program, int event, int later);

/* ---- napcoll_msccl_plans.c ---- */

/** How plans are to be; bits. */
enum {
    /** they say that they are for calls in place, too */
    NAPCOLL_MSCCL_IN_PLACE = 1,
    /** operands are reduced in the order of the lowest ranks in them, which may take copies: for
     * programs whose ranks reduce the same values */
    NAPCOLL_MSCCL_BY_RANK = 2
};

/**
 * Write a program that was sorted as text of napcoll-plans(5).
 *
 * @param[in]  program  which
 * @param[in]  name     of the plans
 * @param[in]  how      NAPCOLL_MSCCL_... bits
 * @param[in]  out      open file; the caller checks it for errors
 * @param[out] error    the first mistake: races, chunks in wrong places
 *
 * @return false with *error set
 */
bool napcoll_msccl_plans(napcoll_msccl_t *program, const char *name, unsigned how, FILE *out,
                         napcoll_plan_text_error_t *error);

/* ---- napcoll_msccl_write.c ---- */

/**
 * Write the plans of all ranks as a program: a thread block for each peer, and one for the work,
 * for whose steps the messages of the next stage wait.
 *
 * @param[in] args    of the plans; the rank does not matter
 * @param[in] name    of the program, see napcoll_plan_name_length
 * @param[in] source  makes the plans
 * @param[in] context of the source
 * @param[in] out     open file; the caller checks it for errors
 *
 * @return NULL, or why the plans are no program, static
 */
const char *napcoll_msccl_write(const napcoll_plan_args_t *args, const char *name,
                                napcoll_plan_source_t source, void *context, FILE *out);

#endif /* NAPCOLL_MSCCL_H */
