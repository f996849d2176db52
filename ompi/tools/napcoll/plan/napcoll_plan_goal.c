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

#include "napcoll_plan_tool.h"

typedef struct {
    /* First: trace_ranks hands it on. */
    trace_t trace;
    /* 0 without a machine */
    double reduce_ns_per_byte;
} export_t;

/* Round a time up, to at most 9e18 ns. */
static long long round_up(double ns)
{
    return (long long) fmin(ceil(ns), 9e18);
}

static void put_message(trace_t *t, int stage, int index, const napcoll_step_t *step)
{
    const bool send = NAPCOLL_STEP_SEND == step->kind;

    fprintf(t->out,
            send ? "s%d_%d: send %lldb to %d tag %d\n" : "s%d_%d: recv %lldb from %d tag %d\n",
            stage, index, (long long) trace_message_bytes(t, step), step->peer,
            trace_next_tag(t, step));
    if (stage > 0) {
        fprintf(t->out, "s%d_%d requires s%d\n", stage, index, stage - 1);
    }
}

static void put_stage(export_t *e, int number)
{
    trace_t *t = &e->trace;
    /* Among the stages of all pieces */
    const int index = t->piece * t->plan->stages + number;
    const napcoll_stage_t *stage = &t->plan->stage[number];
    const double reduced = (double) trace_reduced_bytes(t, stage);

    for (int i = 0; i < stage->messages; i++) {
        put_message(t, index, i, &t->plan->step[stage->first + i]);
    }
    fprintf(t->out, "s%d: calc %lld\n", index, round_up(e->reduce_ns_per_byte * reduced));
    for (int i = 0; i < stage->messages; i++) {
        fprintf(t->out, "s%d requires s%d_%d\n", index, index, i);
    }
    if (0 == stage->messages && index > 0) {
        fprintf(t->out, "s%d requires s%d\n", index, index - 1);
    }
}

/* LogGOPSim expects something in every rank: at least an empty calc. */
static void put_rank(trace_t *t)
{
    export_t *e = (export_t *) t;

    fprintf(t->out, "\nrank %d {\n", t->plan->rank);
    for (t->piece = 0; t->piece < t->plan->pieces; t->piece++) {
        for (int i = 0; i < t->plan->stages; i++) {
            put_stage(e, i);
        }
    }
    fputs(0 == t->plan->stages ? "s0: calc 0\n}\n" : "}\n", t->out);
}

/* The parser of placements lets no line ends through. */
static void put_header(const trace_t *t, const options_t *o, const napcoll_node_map_t *map)
{
    char graph[GRAPH_WORDS];

    fprintf(t->out, "// %s %s: ranks %d, nodes %d (--ppn %s --map %s%s), bytes %d\n",
            o->collective->name, o->algorithm->name, map->size, map->nodes, o->ppn, o->order,
            name_graph(o, graph), t->bytes);
    fprintf(t->out,
            "// Made by napcoll-plan goal. A calc is the time of a stage's reductions in ns%s.\n",
            NULL == o->machine ? ", 0 because no --machine was named" : "");
    fprintf(t->out, "num_ranks %d\n", map->size);
}

int goal(options_t *o)
{
    export_t e = {.trace = {.bytes = read_bytes(o)}};
    napcoll_node_map_t *map;

    require_own_phases(o);
    if (NULL != o->machine) {
        napcoll_machine_t machine;

        read_machine(o, &machine);
        e.reduce_ns_per_byte = machine.reduce_ns_per_byte;
    }
    map = make_map_up_to(o, MOST_SIMULATED);
    e.trace.out = open_output("output", o->output);
    put_header(&e.trace, o, map);
    trace_ranks(o, map, &e.trace, put_rank);
    free_map(o, map);
    return close_output("output", o->output, e.trace.out);
}
