/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan goal: the plans of all ranks in GOAL, the input language of LogGOPSim's txt2bin.
 *
 *     rank 5 {
 *     s0_0: recv 8b from 4 tag 0
 *     s0_1: send 8b to 4 tag 0
 *     s0: calc 3
 *     s0 requires s0_0
 *     s0 requires s0_1
 *     s1_0: send 8b to 20 tag 0
 *     s1_0 requires s0
 *     ...
 *
 * A plan that is run for each of several pieces is written once for each; the last piece has the
 * rest. Each stage ends with a calc, the time of its reductions in nanoseconds, which requires the
 * stage's messages; they require the calc of the stage before. Copies are free. LogGOPSim knows no
 * order of messages: the tag counts the messages between the same two ranks in the same direction.
 * It computes with the size minus one, so a message without data has one byte.
 */

#include <math.h>
#include <stdlib.h>

#include "napcoll_plan_tool.h"

typedef struct {
    /* The plan and the piece that are written. */
    const napcoll_plan_t *plan;
    int piece;
    /* Of the user's vector, or of a rank's block. */
    int bytes;
    /* 0 without a machine */
    double reduce_ns_per_byte;
    /* [ranks] messages of this rank to and from each other one so far */
    int *sent, *received;
    FILE *out;
} export_t;

/* Where a block begins, as in the component with a datatype of one byte. */
static int64_t block_start(const export_t *e, int block)
{
    const int blocks = e->plan->blocks, larger = e->bytes % blocks;

    if (NAPCOLL_LAYOUT_VECTOR != e->plan->layout) {
        const int each = e->bytes / e->plan->pieces, last = e->plan->pieces - 1;

        return (int64_t) block * (e->piece == last ? e->bytes - last * each : each);
    }
    return (int64_t) block * (e->bytes / blocks) + (block < larger ? block : larger);
}

static int64_t span_bytes(const export_t *e, napcoll_span_t span)
{
    return block_start(e, span.first + span.count) - block_start(e, span.first);
}

/* Round a time up, to at most 9e18 ns. */
static long long round_up(double ns)
{
    return (long long) fmin(ceil(ns), 9e18);
}

static void put_message(const export_t *e, int stage, int index, const napcoll_step_t *step)
{
    const bool send = NAPCOLL_STEP_SEND == step->kind;
    const int64_t bytes = span_bytes(e, send ? step->left : step->dst);
    const long long size = 0 == bytes ? 1 : bytes;
    int *tag = &(send ? e->sent : e->received)[step->peer];

    fprintf(e->out,
            send ? "s%d_%d: send %lldb to %d tag %d\n" : "s%d_%d: recv %lldb from %d tag %d\n",
            stage, index, size, step->peer, *tag);
    (*tag)++;
    if (stage > 0) {
        fprintf(e->out, "s%d_%d requires s%d\n", stage, index, stage - 1);
    }
}

static double reduce_ns(const export_t *e, const napcoll_stage_t *stage)
{
    const napcoll_step_t *work = &e->plan->step[stage->first + stage->messages];
    int64_t bytes = 0;

    for (int i = 0; i < stage->work; i++) {
        bytes += NAPCOLL_STEP_REDUCE == work[i].kind ? span_bytes(e, work[i].dst) : 0;
    }
    return e->reduce_ns_per_byte * (double) bytes;
}

static void put_stage(const export_t *e, int number)
{
    /* Among the stages of all pieces */
    const int index = e->piece * e->plan->stages + number;
    const napcoll_stage_t *stage = &e->plan->stage[number];

    for (int i = 0; i < stage->messages; i++) {
        put_message(e, index, i, &e->plan->step[stage->first + i]);
    }
    fprintf(e->out, "s%d: calc %lld\n", index, round_up(reduce_ns(e, stage)));
    for (int i = 0; i < stage->messages; i++) {
        fprintf(e->out, "s%d requires s%d_%d\n", index, index, i);
    }
    if (0 == stage->messages && index > 0) {
        fprintf(e->out, "s%d requires s%d\n", index, index - 1);
    }
}

/* LogGOPSim expects something in every rank: at least an empty calc. */
static void put_rank(export_t *e)
{
    fprintf(e->out, "\nrank %d {\n", e->plan->rank);
    for (e->piece = 0; e->piece < e->plan->pieces; e->piece++) {
        for (int i = 0; i < e->plan->stages; i++) {
            put_stage(e, i);
        }
    }
    fputs(0 == e->plan->stages ? "s0: calc 0\n}\n" : "}\n", e->out);
    /* Only the counters in use: there are as many as ranks. */
    for (int i = 0; i < e->plan->steps; i++) {
        if (e->plan->step[i].kind <= NAPCOLL_STEP_SEND) {
            e->sent[e->plan->step[i].peer] = e->received[e->plan->step[i].peer] = 0;
        }
    }
}

/* The parser of placements lets no line ends through. */
static void put_header(const export_t *e, const options_t *o, const napcoll_node_map_t *map)
{
    char graph[GRAPH_WORDS];

    fprintf(e->out, "// %s %s: ranks %d, nodes %d (--ppn %s --map %s%s), bytes %d\n",
            o->collective->name, o->algorithm->name, map->size, map->nodes, o->ppn, o->order,
            name_graph(o, graph), e->bytes);
    fprintf(e->out,
            "// Made by napcoll-plan goal. A calc is the time of a stage's reductions in ns%s.\n",
            NULL == o->machine ? ", 0 because no --machine was named" : "");
    fprintf(e->out, "num_ranks %d\n", map->size);
}

int goal(options_t *o)
{
    export_t e = {.bytes = read_bytes(o)};
    napcoll_generator_t generator;
    napcoll_progress_t progress;
    napcoll_node_map_t *map;

    require_own_phases(o);
    if (NULL != o->machine) {
        napcoll_machine_t machine;

        read_machine(o, &machine);
        e.reduce_ns_per_byte = machine.reduce_ns_per_byte;
    }
    map = make_map_up_to(o, MOST_SIMULATED);
    e.sent = napcoll_allocate((size_t) map->size, sizeof(*e.sent));
    e.received = napcoll_allocate((size_t) map->size, sizeof(*e.received));
    e.out = open_output("output", o->output);
    put_header(&e, o, map);
    generator = generator_of(o, o->algorithm, map);
    napcoll_progress_begin(&progress, false);
    for (int rank = 0; rank < map->size && !ferror(e.out); rank++) {
        napcoll_plan_t *plan = make_plan(&generator, rank);

        e.plan = plan;
        put_rank(&e);
        napcoll_plan_free(plan);
        if (stdout != e.out) {
            napcoll_progress_tell(&progress, (rank + 1.0) / map->size, "rank %d of %d", rank + 1,
                                  map->size);
        }
    }
    napcoll_progress_clear(&progress);
    free(e.sent);
    free(e.received);
    free_map(o, map);
    return close_output("output", o->output, e.out);
}
