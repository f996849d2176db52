/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What flows through a plan (see the header).
 */

#include "common/napcoll_flow.h"

#include <stdlib.h>

#include "util/napcoll_grow.h"
#include "util/napcoll_run_map.h"

/* What has written a block, or a buffer's blocks; steps are counted from FIRST_STEP on. */
enum { SEVERAL = -1, UNWRITTEN, INPUT, FIRST_STEP };

/* Kinds of records: below the first block of any run. */
enum { STAGE_RECORD = -1, STEP_RECORD = -2 };

typedef struct {
    const napcoll_turns_t *turns;
    const napcoll_plan_t *plan;
    /* rotations from the model to this rank */
    int32_t turn;
    /* [buffers] what has written all blocks of each one, or SEVERAL */
    int32_t *writer;
    /* [buffers + 1] the index of each one's first block among the blocks of all */
    int32_t *at;
    /* of the blocks of all buffers that SEVERAL have written: what has */
    napcoll_run_map_t writers;
    /* records of the model: they are written, or compared with; where the next one is */
    napcoll_flow_t *written;
    const napcoll_flow_t *model;
    size_t next;
    bool broken;
    /* the step that was read last and the index of its record, blocks that were read of it, and the
     * block after them where it was cut at the end of a circle; -1: it was not */
    napcoll_flow_record_t step;
    size_t step_at;
    int32_t steps, done, goes_on;
    /* it has not ended */
    bool in_step;
    /* the run that was read last; count 0: none */
    napcoll_flow_record_t run;
} reader_t;

/* ---- records ---- */

static bool same_records(napcoll_flow_record_t a, napcoll_flow_record_t b)
{
    return a.first == b.first && a.count == b.count && a.left == b.left && a.right == b.right;
}

static void put(reader_t *r, napcoll_flow_record_t record)
{
    napcoll_flow_t *flow = r->written;

    if (NULL == flow) {
        r->broken |= r->next >= r->model->records
                     || !same_records(r->model->record[r->next], record);
    } else if (napcoll_grow(&flow->record, &flow->room, r->next + 1, sizeof(*flow->record))) {
        flow->record[r->next] = record;
        flow->records = r->next + 1;
    } else {
        r->broken = true;
    }
    r->next++;
}

static void put_run(reader_t *r)
{
    if (r->run.count > 0) {
        put(r, r->run);
    }
    r->run.count = 0;
}

/* The number of a block after rotating back. */
static int32_t rotated_back(const reader_t *r, int32_t block)
{
    const int32_t turns = r->turns->turns, i = block % turns;

    return block - i + (i >= r->turn ? i - r->turn : i - r->turn + turns);
}

/* Read a run of a step's blocks. It is one with the run before where it follows that in the circle
 * and its operands come from the same steps. */
static void read_run(reader_t *r, int32_t first, int32_t count, int32_t left, int32_t right)
{
    const int32_t turns = r->turns->turns, circle = first / turns;
    const int32_t start = turns == count ? first : rotated_back(r, first);
    const int32_t after = r->run.first + r->run.count;

    if (r->run.count > 0 && r->run.left == left && r->run.right == right
        && r->run.first / turns == circle && r->run.count + count <= turns
        && start == (after < (circle + 1) * turns ? after : after - turns)) {
        r->run.count += count;
        return;
    }
    put_run(r);
    r->run = (napcoll_flow_record_t){start, count, left, right};
}

/* ---- steps ---- */

/* What has written a block of an operand, whose range is checked. *count becomes at most the number
 * of blocks from there on that the same has written. */
static int32_t writer_of(reader_t *r, int32_t buffer, int32_t block, int32_t *count)
{
    const napcoll_block_range_t range = napcoll_plan_block_range(r->plan, buffer);
    int32_t writer = r->writer[buffer], same = range.count - (block - range.first);

    if (SEVERAL == writer) {
        const int32_t index = r->at[buffer] + block - range.first;
        const int run = napcoll_run_map_find(&r->writers, index);

        same = napcoll_run_map_end(&r->writers, run) - index;
        writer = *(const int32_t *) napcoll_run_map_item(&r->writers, run);
    }
    *count = same < *count ? same : *count;
    r->broken |= UNWRITTEN == writer;
    return writer;
}

/* Some blocks of a buffer are written. */
static void write_blocks(reader_t *r, int32_t buffer, int32_t first, int32_t count, int32_t writer)
{
    const napcoll_block_range_t range = napcoll_plan_block_range(r->plan, buffer);
    const int32_t before = r->writer[buffer];

    if (count == range.count) {
        r->writer[buffer] = writer;
        return;
    }
    r->writer[buffer] = SEVERAL;
    r->broken |= (SEVERAL != before
                  && !napcoll_run_map_set(&r->writers, r->at[buffer], range.count, &before))
                 || !napcoll_run_map_set(&r->writers, r->at[buffer] + first - range.first, count,
                                         &writer);
}

/* A copy passes on what has written its blocks. */
static void read_copy(reader_t *r, const napcoll_step_t *step)
{
    const int32_t end = step->left.first + step->left.count;

    for (int32_t first = step->left.first, count; first < end && !r->broken; first += count) {
        int32_t writer;

        count = end - first;
        writer = writer_of(r, step->left.buffer, first, &count);
        write_blocks(r, step->dst.buffer, first, count, writer);
    }
}

/* Whether each operand of a step has one writer of all blocks of a circle. */
static bool has_one_writer(reader_t *r, const napcoll_step_t *step, int32_t first)
{
    int32_t count = r->turns->turns;

    if (NAPCOLL_STEP_RECV != step->kind) {
        (void) writer_of(r, step->left.buffer, first, &count);
    }
    if (NAPCOLL_STEP_REDUCE == step->kind) {
        (void) writer_of(r, step->right.buffer, first, &count);
    }
    return count == r->turns->turns;
}

/* Read blocks of a step that follow each other in a circle. What a message sends counts as written
 * by it from then on: it may be of many runs, and sent many times. */
static void read_blocks(reader_t *r, const napcoll_step_t *step, int32_t first, int32_t end)
{
    const bool sends = NAPCOLL_STEP_SEND == step->kind;
    const bool reduces = NAPCOLL_STEP_REDUCE == step->kind;
    const int32_t writer = FIRST_STEP + r->steps;

    for (int32_t at = first, count; at < end && !r->broken; at += count) {
        int32_t left = 0, right = 0;

        count = end - at;
        if (NAPCOLL_STEP_RECV != step->kind) {
            left = writer_of(r, step->left.buffer, at, &count);
        }
        if (reduces) {
            right = writer_of(r, step->right.buffer, at, &count);
        }
        read_run(r, at, count, left, right);
        if (!sends) {
            write_blocks(r, step->dst.buffer, at, count, writer);
        }
    }
    if (sends && first < end && !r->broken) {
        write_blocks(r, step->left.buffer, first, end - first, writer);
    }
}

static int32_t places_to(const reader_t *r, const napcoll_step_t *step)
{
    const napcoll_node_map_t *map = r->turns->map;
    const int places = napcoll_node_map_place(map, step->peer)
                       - napcoll_node_map_place(map, r->plan->rank);

    return step->kind > NAPCOLL_STEP_SEND ? 0 : (places + map->size) % map->size;
}

/* Whether a step is the rest of a run that was cut at the end of its circle. The model tells how
 * many blocks the run has; of its own ones it is the rest where it can be. */
static bool goes_on(const reader_t *r, const napcoll_step_t *step, const napcoll_span_t *span)
{
    const napcoll_flow_record_t *last = &r->step;

    return span->first == r->goes_on && last->first == STEP_RECORD - (int32_t) step->kind
           && last->left == places_to(r, step) && last->right == step->headed
           && r->done + span->count <= (NULL == r->written ? last->count : r->turns->turns);
}

/* The record of a step. The number of its blocks is the model's, or is set when the step ends. */
static void put_step(reader_t *r, const napcoll_step_t *step)
{
    const bool known = NULL != r->model && r->next < r->model->records;

    r->steps++;
    r->step_at = r->next;
    r->step = (napcoll_flow_record_t){STEP_RECORD - (int32_t) step->kind,
                                      known ? r->model->record[r->next].count : 0,
                                      places_to(r, step), step->headed};
    r->done = 0;
    r->in_step = true;
    put(r, r->step);
}

/* A step ends: all its blocks were read. */
static void end_step(reader_t *r)
{
    put_run(r);
    if (r->in_step && NULL != r->model) {
        r->broken |= r->done != r->step.count;
    } else if (r->in_step && !r->broken) {
        r->written->record[r->step_at].count = r->done;
    }
    r->in_step = false;
    r->goes_on = -1;
}

static void read_step(reader_t *r, const napcoll_step_t *step)
{
    const napcoll_span_t *span = napcoll_step_span(step);
    const int32_t turns = r->turns->turns, end = span->first + span->count;

    if (!goes_on(r, step, span)) {
        end_step(r);
        put_step(r, step);
    }
    r->goes_on = -1;
    for (int32_t first = span->first, next; first < end && !r->broken; first = next) {
        const int32_t circle = first - first % turns;

        next = end < circle + turns ? end : circle + turns;
        if (turns == next - first) {
            /* from the image of the circle's first block on */
            const int32_t start = has_one_writer(r, step, first) ? first : first + r->turn;

            read_blocks(r, step, start, next);
            read_blocks(r, step, first, start);
        } else if (first == span->first && next == end) {
            read_blocks(r, step, first, next);
            r->goes_on = next == circle + turns ? circle : -1;
        } else {
            r->broken = true;
        }
    }
    r->done += span->count;
}

/* ---- plans ---- */

/* No block is written except for a rank's contribution. False when memory ran out. */
static bool begin(reader_t *r)
{
    const napcoll_plan_t *plan = r->plan;
    const int32_t none = UNWRITTEN;
    const int buffers = NAPCOLL_BUFFER_TEMP + plan->temps;

    r->goes_on = -1;
    r->writer = malloc((2 * (size_t) buffers + 1) * sizeof(*r->writer));
    if (NULL == r->writer) {
        return false;
    }
    r->at = r->writer + buffers;
    r->at[0] = 0;
    for (int buffer = 0; buffer < buffers; buffer++) {
        r->writer[buffer] = r->turns->input == buffer ? INPUT : UNWRITTEN;
        r->at[buffer + 1] = r->at[buffer] + napcoll_plan_block_range(plan, buffer).count;
    }
    return napcoll_run_map_begin(&r->writers, r->at[buffers], &none, sizeof(none));
}

/* Read a plan up to its end, at which the result is read as if it were sent. */
static bool read_plan(reader_t *r)
{
    const napcoll_plan_t *plan = r->plan;
    const napcoll_step_t result = {.kind = NAPCOLL_STEP_SEND,
                                   .peer = plan->rank,
                                   .left = {NAPCOLL_BUFFER_RECV, 0, plan->blocks}};
    bool ok;

    r->turn = napcoll_node_map_place(r->turns->map, plan->rank) / r->turns->period;
    ok = begin(r);
    for (int s = 0; s < plan->stages && ok; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];

        if (stage->messages > 0) {
            end_step(r);
            put(r, (napcoll_flow_record_t){.first = STAGE_RECORD});
        }
        for (int i = stage->first; i < stage->first + stage->messages + stage->work; i++) {
            if (NAPCOLL_STEP_COPY == plan->step[i].kind) {
                read_copy(r, &plan->step[i]);
            } else {
                read_step(r, &plan->step[i]);
            }
        }
        ok = !r->broken;
    }
    if (ok) {
        read_step(r, &result);
        end_step(r);
    }
    free(r->writer);
    napcoll_run_map_free(&r->writers);
    return ok && !r->broken;
}

bool napcoll_flow_read(const napcoll_turns_t *turns, const napcoll_plan_t *plan,
                       napcoll_flow_t *flow)
{
    reader_t reader = {.turns = turns, .plan = plan, .written = flow};

    return read_plan(&reader);
}

bool napcoll_flow_is_image(const napcoll_turns_t *turns, const napcoll_plan_t *plan,
                           const napcoll_flow_t *model)
{
    reader_t reader = {.turns = turns, .plan = plan, .model = model};

    return read_plan(&reader) && reader.next == model->records;
}

void napcoll_flow_free(napcoll_flow_t *flow)
{
    free(flow->record);
    *flow = (napcoll_flow_t){0};
}
