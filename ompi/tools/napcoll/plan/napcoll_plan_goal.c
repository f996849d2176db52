/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan goal: the plans of all ranks in GOAL, the language of which LogGOPSim's txt2bin makes
 * what LogGOPSim runs.
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
 * A plan that is run for each of several pieces is written as often; the last piece has what is left. Each stage ends
 * with a calc, the time of its reduces in nanoseconds, which requires the stage's messages; they require the calc of the
 * stage before. Copies are free. The tag of a message is how many went before it between the same two ranks in the
 * same direction, so that LogGOPSim, which knows no order of messages, matches those that belong together. It computes
 * with a size minus one, so that a message without data has one byte here.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "napcoll_plan_tool.h"

typedef struct {
    const napcoll_plan_t *plan; /* of the rank that is being written */
    int piece;                  /* of its blocks */
    int bytes;                  /* of the user's vector, or of a rank's block */
    double reduce_ns_per_byte;  /* 0 where no machine is named */
    int *sent;                  /* [ranks] messages of this rank to each other one, so far */
    int *received;              /* [ranks] and from each */
    FILE *out;
} export_t;

/* Where a block begins; as for the component, with a datatype of one byte. */
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

/* The least whole number that is not below a time; centuries are all the same. */
static int64_t round_up(double ns)
{
    const double most = 9e18;
    const int64_t whole = ns < most ? (int64_t) ns : (int64_t) most;

    return ns < most && (double) whole < ns ? whole + 1 : whole;
}

static void put_message(const export_t *e, int stage, int index, const napcoll_step_t *step)
{
    const bool send = NAPCOLL_STEP_SEND == step->kind;
    const int64_t bytes = span_bytes(e, send ? step->left : step->dst);
    int *tag = &(send ? e->sent : e->received)[step->peer];

    fprintf(e->out, "s%d_%d: %s %lldb %s %d tag %d\n", stage, index, send ? "send" : "recv",
            (long long) (bytes > 0 ? bytes : 1), send ? "to" : "from", (int) step->peer, (*tag)++);
    if (stage > 0) {
        fprintf(e->out, "s%d_%d requires s%d\n", stage, index, stage - 1);
    }
}

static double fold_ns(const export_t *e, const napcoll_stage_t *stage)
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
    const int index = e->piece * e->plan->stages + number; /* among those of all pieces */
    const napcoll_stage_t *stage = &e->plan->stage[number];

    for (int i = 0; i < stage->messages; i++) {
        put_message(e, index, i, &e->plan->step[stage->first + i]);
    }
    fprintf(e->out, "s%d: calc %lld\n", index, (long long) round_up(fold_ns(e, stage)));
    for (int i = 0; i < stage->messages; i++) {
        fprintf(e->out, "s%d requires s%d_%d\n", index, index, i);
    }
    if (0 == stage->messages && index > 0) {
        fprintf(e->out, "s%d requires s%d\n", index, index - 1);
    }
}

/* Counts from 0 again for the next rank; only what this one touched. */
static void forget_peers(const export_t *e)
{
    for (int i = 0; i < e->plan->steps; i++) {
        const napcoll_step_t *step = &e->plan->step[i];

        if (NAPCOLL_STEP_SEND == step->kind || NAPCOLL_STEP_RECV == step->kind) {
            e->sent[step->peer] = e->received[step->peer] = 0;
        }
    }
}

/* LogGOPSim wants something in every rank: at least a calc of nothing. */
static void put_rank(export_t *e)
{
    fprintf(e->out, "\nrank %d {\n", (int) e->plan->rank);
    for (e->piece = 0; e->piece < e->plan->pieces; e->piece++) {
        for (int i = 0; i < e->plan->stages; i++) {
            put_stage(e, i);
        }
    }
    if (0 == e->plan->stages) {
        fputs("s0: calc 0\n", e->out);
    }
    fputs("}\n", e->out);
    forget_peers(e);
}

/* The placement and the order came through the parser of placements: they hold no line ends. */
static void put_header(const export_t *e, const options_t *o, const napcoll_node_map_t *map)
{
    fprintf(e->out, "// %s %s: ranks %d, nodes %d (--ppn %s --map %s), bytes %d\n",
            o->collective->name, o->algorithm->name, map->size, map->nodes, o->ppn, o->order,
            e->bytes);
    fprintf(e->out,
            "// Made by napcoll-plan goal. A calc is the time of a stage's folds in ns%s.\n",
            NULL == o->machine ? ", 0 because no --machine was named" : "");
    fprintf(e->out, "num_ranks %d\n", map->size);
}

static void put_ranks(export_t *e, const options_t *o, const napcoll_node_map_t *map)
{
    napcoll_generator_t generator = generator_of(o, o->algorithm, map);

    for (int rank = 0; rank < map->size && !ferror(e->out); rank++) {
        napcoll_plan_t *plan = napcoll_generator_plan(&generator, rank);

        if (NULL == plan) {
            out_of_memory();
        }
        e->plan = plan;
        put_rank(e);
        napcoll_plan_free(plan);
    }
}

int goal(options_t *o)
{
    export_t e = {.bytes = read_size("bytes", o->byte_range, default_bytes(o), 0, MOST_BYTES)};
    napcoll_machine_t machine;
    napcoll_node_map_t *map;

    require_p2p(o);
    if (NULL != o->machine) {
        read_machine(o, &machine);
        e.reduce_ns_per_byte = machine.reduce_ns_per_byte;
    }
    map = make_map(o);
    if (map->size > MOST_SIMULATED) {
        complain("--nodes and --ppn, or --ranks: %d ranks: expected from 1 to %d", map->size,
                 MOST_SIMULATED);
    }
    require_eligible(o, map);
    e.sent = calloc((size_t) map->size, sizeof(*e.sent));
    e.received = calloc((size_t) map->size, sizeof(*e.received));
    if (NULL == e.sent || NULL == e.received) {
        out_of_memory();
    }
    e.out = open_output(o);
    put_header(&e, o, map);
    put_ranks(&e, o, map);
    free(e.sent);
    free(e.received);
    napcoll_node_map_free(map);
    return close_output(o, e.out);
}
