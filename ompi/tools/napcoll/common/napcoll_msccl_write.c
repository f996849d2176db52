/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Writing plans as MSCCL XML (see the header).
 *
 *     tb 0         nop nop  work  work | nop  work      nops wait for the messages of their stage
 *     tb 1  s  r                       | r              the first message of a stage waits for the
 *     tb 2  s  r                       | s              last step of tb 0 before it
 */

#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"
#include "common/napcoll_msccl.h"
#include "util/napcoll_order.h"

/* The steps of a rank, and where they stand. */
typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_msccl_coll_t coll;
    const napcoll_plan_t *plan;
    /* the ranks are in node order: places of blocks are ranks */
    bool ordered;
    napcoll_msccl_step_t *step;
    int steps;
    /* [ranks] the thread block of a peer, 0: none */
    int *tb_of;
    /* [ranks + 1] of each thread block: its peer, its steps, the last one, and the stage that it
     * has begun */
    int *peer, *count, *last, *stage;
    /* whether it sends, and receives */
    bool *sends, *receives;
    int tbs;
    /* [temps] where the temporaries begin in scratch */
    int *base;
} writer_t;

/* Set where a block lies. */
static void locate(const writer_t *w, int buffer, int block, int *xml, int *at)
{
    const napcoll_plan_t *plan = w->plan;
    const napcoll_node_map_t *map = w->args->map;
    const int place = napcoll_node_map_place(map, plan->rank), size = map->size;
    const bool sends = NAPCOLL_BUFFER_SEND == buffer;

    *xml = sends ? NAPCOLL_MSCCL_INPUT : NAPCOLL_MSCCL_OUTPUT;
    if (buffer >= NAPCOLL_BUFFER_TEMP) {
        const int temp = buffer - NAPCOLL_BUFFER_TEMP;

        *xml = NAPCOLL_MSCCL_SCRATCH;
        *at = w->base[temp] + block - plan->temp[temp].first;
    } else if (NAPCOLL_MSCCL_ALLREDUCE == w->coll) {
        *at = block;
    } else if (NAPCOLL_MSCCL_ALLTOALL == w->coll) {
        *at = napcoll_node_map_at(map, (sends ? place + size - block : place + block) % size);
    } else if ((NAPCOLL_MSCCL_ALLGATHER == w->coll) == sends) {
        *at = 0;
    } else {
        *at = napcoll_node_map_at(map, block);
    }
}

static napcoll_msccl_step_t *add_step(writer_t *w, int tb, napcoll_msccl_type_t type)
{
    napcoll_msccl_step_t *step;

    w->step = napcoll_memory_grow(w->step, (size_t) w->steps, sizeof(*step));
    step = &w->step[w->steps];
    *step = (napcoll_msccl_step_t){.s = w->count[tb]++,
                                   .type = (int) type,
                                   .srcoff = -1,
                                   .dstbuf = NAPCOLL_MSCCL_OUTPUT,
                                   .dstoff = -1,
                                   .depid = -1,
                                   .deps = -1,
                                   .tb = tb};
    w->last[tb] = w->steps++;
    return step;
}

/* How many blocks of a span one step takes: both ends of a message find the same. */
static int blocks_of_step(const writer_t *w, int count)
{
    return NAPCOLL_MSCCL_ALLTOALL == w->coll || !w->ordered ? 1 : count;
}

/* A step for consecutive blocks: source and destination in the plan's buffers, or -1. */
static napcoll_msccl_step_t *add_move(writer_t *w, int tb, napcoll_msccl_type_t type,
                                      napcoll_span_t src, napcoll_span_t dst, int cnt)
{
    napcoll_msccl_step_t *step = add_step(w, tb, type);

    locate(w, src.buffer, src.first, &step->srcbuf, &step->srcoff);
    locate(w, dst.buffer, dst.first, &step->dstbuf, &step->dstoff);
    step->cnt = cnt;
    return step;
}

/* A personalized block that is sent leaves its slot, and the next one may come there in the same
 * stage: let that wait for the step that sends, from `first` on. */
static void wait_for_slot(writer_t *w, int tb, int first, napcoll_span_t dst)
{
    int xml, at;

    locate(w, dst.buffer, dst.first, &xml, &at);
    for (int i = first; i < w->steps && NAPCOLL_MSCCL_SCRATCH == xml; i++) {
        const napcoll_msccl_step_t *step = &w->step[i];

        if (NAPCOLL_MSCCL_S == step->type && xml == step->srcbuf && at == step->srcoff
            && tb != step->tb) {
            napcoll_msccl_step_t *nop = add_step(w, tb, NAPCOLL_MSCCL_NOP);

            nop->depid = w->step[i].tb;
            nop->deps = w->step[i].s;
            w->step[i].hasdep = 1;
            return;
        }
    }
}

/* A message, in a stage whose steps begin with `first`. */
static void put_message(writer_t *w, const napcoll_step_t *message, int first)
{
    const bool sends = NAPCOLL_STEP_SEND == message->kind;
    napcoll_runs_t runs = napcoll_runs_of(w->plan, napcoll_step_span(message));
    int *tb = &w->tb_of[message->peer];

    if (0 == *tb) {
        *tb = w->tbs++;
        w->peer[*tb] = message->peer;
    }
    *(sends ? &w->sends[*tb] : &w->receives[*tb]) = true;
    while (napcoll_runs_next(&runs)) {
        const int cnt = blocks_of_step(w, runs.run.count);

        for (; runs.run.count > 0; runs.run.count -= cnt, runs.run.first += cnt) {
            if (!sends && NAPCOLL_MSCCL_ALLTOALL == w->coll) {
                wait_for_slot(w, *tb, first, runs.run);
            }
            (void) add_move(w, *tb, sends ? NAPCOLL_MSCCL_S : NAPCOLL_MSCCL_R, runs.run, runs.run,
                            cnt);
        }
    }
}

/* A reduction whose result is not its right operand begins with a copy of that. */
static void put_work(writer_t *w, const napcoll_step_t *work)
{
    napcoll_span_t dst = work->dst, left = work->left, right = work->right;
    const int cnt = blocks_of_step(w, dst.count);

    for (; dst.count > 0; dst.count -= cnt) {
        if (NAPCOLL_STEP_COPY == work->kind || !napcoll_span_equal(work->dst, work->right)) {
            (void) add_move(w, 0, NAPCOLL_MSCCL_CPY, NAPCOLL_STEP_COPY == work->kind ? left : right,
                            dst, cnt);
        }
        if (NAPCOLL_STEP_REDUCE == work->kind) {
            (void) add_move(w, 0, NAPCOLL_MSCCL_RE, left, dst, cnt);
        }
        dst.first += cnt;
        left.first += cnt;
        right.first += cnt;
    }
}

static void put_stage(writer_t *w, int number)
{
    const napcoll_stage_t *stage = &w->plan->stage[number];
    const napcoll_step_t *step = &w->plan->step[stage->first];
    const int first = w->steps, barrier = w->last[0];

    for (int kind = NAPCOLL_STEP_SEND; kind >= NAPCOLL_STEP_RECV; kind--) {
        for (int i = 0; i < stage->messages; i++) {
            if ((int) step[i].kind == kind) {
                put_message(w, &step[i], first);
            }
        }
    }
    for (int i = first, end = w->steps; i < end; i++) {
        const int tb = w->step[i].tb;

        if (w->stage[tb] <= number && w->count[0] > 0 && w->step[i].depid < 0) {
            w->step[i].depid = 0;
            w->step[i].deps = w->step[barrier].s;
            w->step[barrier].hasdep = 1;
        }
        w->stage[tb] = number + 1;
    }
    for (int i = first, end = w->steps; i < end; i++) {
        const int tb = w->step[i].tb;

        if (i == w->last[tb]) {
            napcoll_msccl_step_t *nop = add_step(w, 0, NAPCOLL_MSCCL_NOP);

            nop->depid = tb;
            nop->deps = w->step[i].s;
            w->step[i].hasdep = 1;
        }
    }
    for (int i = 0; i < stage->work; i++) {
        put_work(w, &step[stage->messages + i]);
    }
}

static int compare_steps(const void *a, const void *b)
{
    const napcoll_msccl_step_t *x = a, *y = b;

    return napcoll_order_pairs(x->tb, x->s, y->tb, y->s);
}

/* ---- XML ---- */

static void put_step(const napcoll_msccl_step_t *step, FILE *out)
{
    fprintf(out,
            "      <step s=\"%d\" type=\"%s\" srcbuf=\"%s\" srcoff=\"%d\" dstbuf=\"%s\" "
            "dstoff=\"%d\" cnt=\"%d\" depid=\"%d\" deps=\"%d\" hasdep=\"%d\"/>\n",
            step->s, napcoll_msccl_types[step->type], napcoll_msccl_buffers[step->srcbuf],
            step->srcoff, napcoll_msccl_buffers[step->dstbuf], step->dstoff, step->cnt, step->depid,
            step->deps, step->hasdep);
}

static void put_gpu(const writer_t *w, int scratch, int chunks, FILE *out)
{
    int at = 0;

    qsort(w->step, (size_t) w->steps, sizeof(*w->step), compare_steps);
    fprintf(out, "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" s_chunks=\"%d\">\n",
            w->plan->rank, NAPCOLL_MSCCL_ALLGATHER == w->coll ? 1 : chunks,
            NAPCOLL_MSCCL_REDUCE_SCATTER == w->coll ? 1 : chunks, scratch);
    for (int tb = 0; tb < w->tbs; tb++) {
        fprintf(out, "    <tb id=\"%d\" send=\"%d\" recv=\"%d\" chan=\"0\">\n", tb,
                w->sends[tb] ? w->peer[tb] : -1, w->receives[tb] ? w->peer[tb] : -1);
        for (; at < w->steps && w->step[at].tb == tb; at++) {
            put_step(&w->step[at], out);
        }
        fputs("    </tb>\n", out);
    }
    fputs("  </gpu>\n", out);
}

/* The chunks of the vector or of all ranks; 0: the plan is no program. */
static int chunks_of(const writer_t *w)
{
    const napcoll_plan_t *plan = w->plan;

    for (int i = 0; i < plan->steps; i++) {
        if (NAPCOLL_STEP_PHASE == plan->step[i].kind || plan->step[i].headed) {
            return 0;
        }
    }
    return NULL != plan->times ? 0 : plan->blocks;
}

/* Write the program of a rank; false: its plan is none. */
static bool put_plan(writer_t *w, const char *name, FILE *out)
{
    const napcoll_plan_t *plan = w->plan;
    const size_t ranks = (size_t) w->args->map->size;
    const int chunks = chunks_of(w);
    int scratch = 0;

    w->tb_of = napcoll_allocate(5 * (ranks + 1), sizeof(*w->tb_of));
    w->peer = w->tb_of + ranks + 1;
    w->count = w->peer + ranks + 1;
    w->last = w->count + ranks + 1;
    w->stage = w->last + ranks + 1;
    w->sends = napcoll_allocate(2 * ranks + 2, sizeof(*w->sends));
    w->receives = w->sends + ranks + 1;
    w->base = napcoll_allocate((size_t) plan->temps, sizeof(*w->base));
    for (int t = 0; t < plan->temps; t++) {
        w->base[t] = scratch;
        scratch += plan->temp[t].count;
    }
    w->tbs = 1;
    for (int s = 0; s < plan->stages && chunks > 0; s++) {
        put_stage(w, s);
    }
    if (chunks > 0 && 0 == plan->rank) {
        fprintf(out,
                "<algo name=\"%s\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"%d\" "
                "ngpus=\"%zu\" coll=\"%s\" inplace=\"%d\">\n",
                name, chunks, ranks, napcoll_msccl_colls[w->coll],
                w->args->params.in_place && w->coll <= NAPCOLL_MSCCL_ALLGATHER);
    }
    if (chunks > 0) {
        put_gpu(w, scratch, chunks, out);
    }
    free(w->tb_of);
    free(w->sends);
    free(w->base);
    free(w->step);
    return chunks > 0;
}

const char *napcoll_msccl_write(const napcoll_plan_args_t *args, const char *name,
                                napcoll_plan_source_t source, void *context, FILE *out)
{
    static const napcoll_goal_t goals[] = {NAPCOLL_GOAL_ALLREDUCE, NAPCOLL_GOAL_ALLGATHER,
                                           NAPCOLL_GOAL_REDUCE_SCATTER, NAPCOLL_GOAL_ALLTOALL};
    const char *why = NULL;
    bool ordered = true;
    int coll = 0;

    while (coll <= NAPCOLL_MSCCL_ALLTOALL && goals[coll] != args->collective->goal) {
        coll++;
    }
    if (coll > NAPCOLL_MSCCL_ALLTOALL) {
        return "MSCCL XML is for allreduce, allgather, reduce_scatter and alltoall";
    }
    for (int rank = 0; rank < args->map->size; rank++) {
        ordered = ordered && napcoll_node_map_place(args->map, rank) == rank;
    }
    for (int rank = 0; rank < args->map->size && NULL == why && !ferror(out); rank++) {
        napcoll_plan_t *plan = source(context, rank);
        writer_t w = {
            .args = args, .coll = (napcoll_msccl_coll_t) coll, .plan = plan, .ordered = ordered};

        if (NULL == plan) {
            napcoll_out_of_memory();
        }
        if (!put_plan(&w, name, out)) {
            why = "MSCCL XML has neither phases of other components nor messages that begin with "
                  "sizes";
        }
        napcoll_plan_free(plan);
    }
    fputs(NULL == why ? "</algo>\n" : "", out);
    return why;
}
