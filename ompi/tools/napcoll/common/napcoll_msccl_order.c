/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The order of a program's events (see the header): the order of each thread block's steps, the
 * dependencies, and of each message its send before its receive.
 */

#include "common/napcoll_msccl.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"
#include "util/napcoll_order.h"

const char *const napcoll_msccl_types[] = {"nop", "s",    "r",   "rcs", "rrs",
                                           "rrc", "rrcs", "cpy", "re",  NULL};
const char *const napcoll_msccl_buffers[] = {"i", "o", "s", NULL};
const char *const napcoll_msccl_colls[] = {"allreduce", "allgather", "reduce_scatter", "alltoall",
                                           NULL};

/* ---- what is shared ---- */

bool napcoll_msccl_fail_at(napcoll_plan_text_error_t *error, int line, int column,
                           const char *format, ...)
{
    va_list args;

    error->line = line;
    error->column = column;
    va_start(args, format);
    (void) vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    for (char *c = error->text; '\0' != *c; c++) {
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    }
    return false;
}

bool napcoll_msccl_fail(const napcoll_msccl_t *program, const napcoll_msccl_step_t *step,
                        napcoll_plan_text_error_t *error, const char *format, ...)
{
    char text[sizeof(error->text)];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return napcoll_msccl_fail_at(error, step->line, 0, "gpu %d, tb %d, step %d (%s): %s", step->gpu,
                                 program->tb[step->tb].id, step->s, napcoll_msccl_types[step->type],
                                 text);
}

int napcoll_msccl_chunks(const napcoll_msccl_t *program, int gpu, int buffer)
{
    if (NAPCOLL_MSCCL_SCRATCH == buffer) {
        return program->gpu[gpu].s_chunks;
    }
    if ((NAPCOLL_MSCCL_ALLGATHER == program->coll && NAPCOLL_MSCCL_INPUT == buffer)
        || (NAPCOLL_MSCCL_REDUCE_SCATTER == program->coll && NAPCOLL_MSCCL_OUTPUT == buffer)) {
        return program->parts;
    }
    return program->nchunksperloop;
}

/* ---- messages ---- */

/* One end of a message. */
typedef struct {
    /* ranks */
    int from, to;
    int chan;
    int step;
} end_t;

static int compare_connections(const end_t *a, const end_t *b)
{
    const int ranks = napcoll_order_pairs(a->from, a->to, b->from, b->to);

    return 0 != ranks ? ranks : napcoll_order(a->chan, b->chan);
}

static int compare_ends(const void *a, const void *b)
{
    const end_t *x = a, *y = b;
    const int connections = compare_connections(x, y);

    return 0 != connections ? connections : napcoll_order(x->step, y->step);
}

/* The sends, or the receives, by connection; returns how many. */
static int find_ends(const napcoll_msccl_t *program, bool sends, end_t *end)
{
    int ends = 0;

    for (int i = 0; i < program->steps; i++) {
        const napcoll_msccl_step_t *step = &program->step[i];
        const napcoll_msccl_tb_t *tb = &program->tb[step->tb];

        if (sends && napcoll_msccl_sends(step->type)) {
            end[ends++] = (end_t){step->gpu, tb->send, tb->chan, i};
        } else if (!sends && napcoll_msccl_receives(step->type)) {
            end[ends++] = (end_t){tb->recv, step->gpu, tb->chan, i};
        }
    }
    qsort(end, (size_t) ends, sizeof(*end), compare_ends);
    return ends;
}

/* Each end of a connection belongs to one thread block: else its messages have no order. */
static bool check_owners(const napcoll_msccl_t *program, const end_t *end, int ends,
                         napcoll_plan_text_error_t *error)
{
    for (int i = 1; i < ends; i++) {
        const napcoll_msccl_step_t *before = &program->step[end[i - 1].step];
        const napcoll_msccl_step_t *step = &program->step[end[i].step];

        if (0 == compare_connections(&end[i - 1], &end[i]) && before->tb != step->tb) {
            return napcoll_msccl_fail(program, step, error,
                                      "tb %d, too, has messages from gpu %d to %d on channel %d; "
                                      "expected one tb, or another chan",
                                      program->tb[before->tb].id, end[i].from, end[i].to,
                                      end[i].chan);
        }
    }
    return true;
}

static bool fail_unmatched(const napcoll_msccl_t *program, const end_t *end, bool sends,
                           napcoll_plan_text_error_t *error)
{
    return napcoll_msccl_fail(program, &program->step[end->step], error,
                              "no step of gpu %d %s this message on channel %d: expected as many "
                              "receives as sends",
                              sends ? end->to : end->from, sends ? "receives" : "sends", end->chan);
}

static bool match_ends(napcoll_msccl_t *program, const end_t *send, int sends, const end_t *recv,
                       int recvs, napcoll_plan_text_error_t *error)
{
    int i = 0;

    for (; i < sends && i < recvs; i++) {
        const int order = compare_connections(&send[i], &recv[i]);
        const napcoll_msccl_step_t *from = &program->step[send[i].step];
        napcoll_msccl_step_t *to = &program->step[recv[i].step];

        if (0 != order) {
            return fail_unmatched(program, order < 0 ? &send[i] : &recv[i], order < 0, error);
        }
        if (from->cnt != to->cnt) {
            return napcoll_msccl_fail(program, to, error,
                                      "receives cnt=\"%d\" chunks, but gpu %d, tb %d, step %d "
                                      "sends %d",
                                      to->cnt, from->gpu, program->tb[from->tb].id, from->s,
                                      from->cnt);
        }
        to->sender = send[i].step;
    }
    if (i < sends || i < recvs) {
        return fail_unmatched(program, i < sends ? &send[i] : &recv[i], i < sends, error);
    }
    return true;
}

static bool find_messages(napcoll_msccl_t *program, napcoll_plan_text_error_t *error)
{
    const size_t room = (size_t) program->steps;
    end_t *send = napcoll_allocate(room, sizeof(*send)),
          *recv = napcoll_allocate(room, sizeof(*recv));
    const int sends = find_ends(program, true, send), recvs = find_ends(program, false, recv);
    const bool good = check_owners(program, send, sends, error)
                      && check_owners(program, recv, recvs, error)
                      && match_ends(program, send, sends, recv, recvs, error);

    free(send);
    free(recv);
    return good;
}

static bool check_dependencies(const napcoll_msccl_t *program, napcoll_plan_text_error_t *error)
{
    for (int i = 0; i < program->steps; i++) {
        const napcoll_msccl_step_t *step = &program->step[i];
        const napcoll_msccl_gpu_t *gpu = &program->gpu[step->gpu];
        const napcoll_msccl_tb_t *tb = &program->tb[gpu->first_tb];

        if (step->depid < 0) {
            continue;
        }
        if (step->depid >= gpu->tbs || step->deps >= tb[step->depid].steps) {
            return napcoll_msccl_fail(program, step, error,
                                      "depid=\"%d\" deps=\"%d\": gpu %d has no such step",
                                      step->depid, step->deps, step->gpu);
        }
        if (!program->step[tb[step->depid].first_step + step->deps].hasdep) {
            return napcoll_msccl_fail(program, step, error,
                                      "waits for ever for tb %d, step %d, which has "
                                      "hasdep=\"0\"; expected hasdep=\"1\" there",
                                      step->depid, step->deps);
        }
    }
    return true;
}

/* ---- order ---- */

/* The index of the step for which a step waits by depid and deps; -1: none. */
static int dependency(const napcoll_msccl_t *program, const napcoll_msccl_step_t *step)
{
    return step->depid < 0 ? -1
                           : program->tb[program->gpu[step->gpu].first_tb + step->depid].first_step
                                 + step->deps;
}

/* The events right before an event; returns how many. */
static int events_before(const napcoll_msccl_t *program, int event, int before[3])
{
    const napcoll_msccl_step_t *step = &program->step[event / 2];
    const int other = dependency(program, step);
    int count = 0;

    if (1 == event % 2 || step->s > 0) {
        before[count++] = event - 1;
    }
    if (0 == event % 2 && other >= 0) {
        before[count++] = 2 * other + 1;
    }
    if (0 == event % 2 && step->sender >= 0) {
        before[count++] = 2 * step->sender + 1;
    }
    return count;
}

/* Each of these events waits for the next one, and the last for the first. */
static bool fail_cycle(const napcoll_msccl_t *program, const int *event, int events,
                       napcoll_plan_text_error_t *error)
{
    const napcoll_msccl_step_t *step, *other;
    int i = 0;

    while (i < events - 1 && event[i] / 2 == event[i + 1] / 2) {
        i++;
    }
    step = &program->step[event[i] / 2];
    other = &program->step[event[(i + 1) % events] / 2];
    return napcoll_msccl_fail(program, step, error,
                              "deadlock: waits for gpu %d, tb %d, step %d, which waits for it, "
                              "directly or through others; expected another order of steps, or "
                              "other deps",
                              other->gpu, program->tb[other->tb].id, other->s);
}

/* Set the level of an event, and of all before it. Level -1: it is on the stack. */
static bool find_level(napcoll_msccl_t *program, int event, napcoll_plan_text_error_t *error)
{
    int *level = program->level, *stack = program->stack, before[3], top = 0;

    stack[top++] = event;
    while (top > 0) {
        const int at = stack[top - 1], count = events_before(program, at, before);
        int highest = 0, i = 0;

        while (i < count && level[before[i]] > 0) {
            highest = level[before[i]] > highest ? level[before[i]] : highest;
            i++;
        }
        level[at] = -1;
        if (i == count) {
            level[at] = highest + 1;
            top--;
        } else if (level[before[i]] < 0) {
            int first = top - 1;

            while (stack[first] != before[i]) {
                first--;
            }
            return fail_cycle(program, &stack[first], top - first, error);
        } else {
            stack[top++] = before[i];
        }
    }
    return true;
}

/* Fill program->order by counting the events of each level. */
static void order_by_level(napcoll_msccl_t *program)
{
    const int events = 2 * program->steps;
    int *at = napcoll_allocate((size_t) events + 2, sizeof(*at));

    for (int event = 0; event < events; event++) {
        at[program->level[event] + 1]++;
    }
    for (int l = 1; l < events + 2; l++) {
        at[l] += at[l - 1];
    }
    for (int event = 0; event < events; event++) {
        program->order[at[program->level[event]]++] = event;
    }
    free(at);
}

bool napcoll_msccl_sort(napcoll_msccl_t *program, napcoll_plan_text_error_t *error)
{
    const size_t events = 2 * (size_t) program->steps;

    program->level = napcoll_allocate(events, sizeof(*program->level));
    program->order = napcoll_allocate(events, sizeof(*program->order));
    program->seen = napcoll_allocate(events, sizeof(*program->seen));
    program->stack = napcoll_allocate(events + 1, sizeof(*program->stack));
    if (!check_dependencies(program, error) || !find_messages(program, error)) {
        return false;
    }
    for (int event = 0; event < (int) events; event++) {
        if (0 == program->level[event] && !find_level(program, event, error)) {
            return false;
        }
    }
    order_by_level(program);
    return true;
}

bool napcoll_msccl_before(napcoll_msccl_t *program, int event, int later)
{
    int *stack = program->stack, before[3], top = 0;
    const int look = ++program->looks;

    stack[top++] = later;
    while (top > 0) {
        const int at = stack[--top];
        int count;

        if (at == event) {
            return true;
        }
        program->visits++;
        count = events_before(program, at, before);
        for (int i = 0; i < count; i++) {
            if (program->level[before[i]] >= program->level[event]
                && look != program->seen[before[i]]) {
                program->seen[before[i]] = look;
                stack[top++] = before[i];
            }
        }
    }
    return false;
}
