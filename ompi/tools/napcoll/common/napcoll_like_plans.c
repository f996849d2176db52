/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether plans are images of a few (see the header).
 */

#include "common/napcoll_like_plans.h"

#include <stdlib.h>

#include "util/napcoll_order.h"

/* ---- blocks ---- */

/* A plan whose blocks are compared, and where its rank is. */
typedef struct {
    const napcoll_plan_t *plan;
    int place;
} side_t;

/* The number by which a plan's block is compared: the same for a block and its image. */
static int key_of(const napcoll_symmetry_t *symmetry, side_t side, int buffer, int block)
{
    const int size = symmetry->map->size;
    const bool personalized = NAPCOLL_LAYOUT_PERSONALIZED == side.plan->layout;
    int other;

    if (buffer >= NAPCOLL_BUFFER_TEMP) {
        return block - napcoll_plan_block_range(side.plan, buffer).first;
    }
    if (!personalized) {
        return (block % size - side.place + size) % size;
    }
    if (NAPCOLL_SYMMETRY_RING == symmetry->kind) {
        return block;
    }
    other = NAPCOLL_BUFFER_SEND == buffer ? (side.place - block + size) % size
                                          : (int) (((int64_t) side.place + block) % size);
    return napcoll_symmetry_image(symmetry, other, side.place, 0);
}

/* The number of blocks, at most `most`, whose keys follow the key of the first. */
static int following(const napcoll_symmetry_t *symmetry, side_t side, napcoll_span_t run, int most)
{
    const bool scattered = NAPCOLL_SYMMETRY_TORUS == symmetry->kind
                           && run.buffer < NAPCOLL_BUFFER_TEMP;
    int left = run.count < most ? run.count : most;

    if (scattered) {
        return 1;
    }
    if (run.buffer < NAPCOLL_BUFFER_TEMP && NAPCOLL_LAYOUT_RANKS == side.plan->layout) {
        const int to_end = symmetry->map->size - key_of(symmetry, side, run.buffer, run.first);

        left = left < to_end ? left : to_end;
    }
    return left;
}

/* Whether a run, which is no list, is inside its buffer. */
static bool is_inside(const napcoll_plan_t *plan, napcoll_span_t run)
{
    napcoll_block_range_t range;

    if (run.buffer < 0 || run.buffer >= NAPCOLL_BUFFER_TEMP + plan->temps || run.count < 1) {
        return false;
    }
    range = napcoll_plan_block_range(plan, run.buffer);
    return run.first >= range.first && run.count <= range.first + range.count - run.first;
}

/* The runs of a span that was not checked. */
typedef struct {
    napcoll_runs_t runs;
    const napcoll_plan_t *plan;
    bool list;
} reader_t;

static reader_t read_span(const napcoll_plan_t *plan, const napcoll_span_t *span)
{
    const bool list = NAPCOLL_BUFFER_LIST == span->buffer;

    /* a list begins inside the lists of its plan */
    if (list && (span->first < 0 || span->first >= plan->listed)) {
        return (reader_t){.plan = plan, .list = true};
    }
    return (reader_t){.runs = napcoll_runs_of(plan, span), .plan = plan, .list = list};
}

/* Go to the next run where the current one is used up; false: there is none, or it is wrong. */
static bool read_run(reader_t *reader)
{
    if (reader->runs.run.count > 0) {
        return true;
    }
    return (!reader->list || reader->runs.next < reader->plan->list + reader->plan->listed)
           && napcoll_runs_next(&reader->runs) && is_inside(reader->plan, reader->runs.run);
}

static void skip_blocks(reader_t *reader, int count)
{
    reader->runs.run.first += count;
    reader->runs.run.count -= count;
}

static bool same_spans(const napcoll_symmetry_t *symmetry, side_t a, const napcoll_span_t *x,
                       side_t b, const napcoll_span_t *y)
{
    reader_t runs = read_span(a.plan, x), images = read_span(b.plan, y);

    if (x->count != y->count || (0 == x->count && x->buffer != y->buffer)) {
        return false;
    }
    /* of sketches */
    if (runs.list && images.list && 0 == a.plan->listed && 0 == b.plan->listed) {
        return true;
    }
    for (int left = x->count; left > 0;) {
        int count;

        if (!read_run(&runs) || !read_run(&images) || runs.runs.run.buffer != images.runs.run.buffer
            || key_of(symmetry, a, runs.runs.run.buffer, runs.runs.run.first)
                   != key_of(symmetry, b, runs.runs.run.buffer, images.runs.run.first)) {
            return false;
        }
        count = following(symmetry, b, images.runs.run,
                          following(symmetry, a, runs.runs.run, left));
        skip_blocks(&runs, count);
        skip_blocks(&images, count);
        left -= count;
    }
    return true;
}

/* ---- copies ---- */

enum {
    /* Runs of the copies of a stage: two for each, where it goes round the end. */
    MOST_COPIES = 64
};

/* A copy by the keys of its blocks. */
typedef struct {
    int dst_buffer, left_buffer;
    int dst, left;
    int count;
} copy_t;

static int compare_copies(const void *a, const void *b)
{
    const copy_t *x = a, *y = b;

    return x->dst_buffer != y->dst_buffer ? napcoll_order(x->dst_buffer, y->dst_buffer)
                                          : napcoll_order(x->dst, y->dst);
}

/* Whether a copy of the stage reads a buffer that another one writes: then their order matters. */
static bool order_matters(const napcoll_plan_t *plan, const napcoll_stage_t *s)
{
    const napcoll_step_t *work = plan->step + s->first + s->messages;

    for (int i = 0; i < s->work; i++) {
        for (int j = 0; j < s->work; j++) {
            if (work[i].dst.buffer == work[j].left.buffer) {
                return true;
            }
        }
    }
    return false;
}

/* The copies of a stage as runs, sorted, none of which follows the one before; their number, -1
 * where there are too many, or steps that are no copies. */
static int find_copies(const napcoll_symmetry_t *symmetry, side_t side, const napcoll_stage_t *s,
                       copy_t copy[MOST_COPIES])
{
    int count = 0, joined = 0;

    if (s->work > MOST_COPIES || (s->work > 1 && order_matters(side.plan, s))) {
        return -1;
    }
    for (int i = s->first + s->messages; i < s->first + s->messages + s->work; i++) {
        const napcoll_step_t *step = &side.plan->step[i];
        napcoll_span_t dst = step->dst, left = step->left;

        if (NAPCOLL_STEP_COPY != step->kind || dst.count != left.count || !is_inside(side.plan, dst)
            || !is_inside(side.plan, left)) {
            return -1;
        }
        while (dst.count > 0) {
            const int run = following(symmetry, side, left,
                                      following(symmetry, side, dst, dst.count));

            if (MOST_COPIES == count) {
                return -1;
            }
            copy[count++] = (copy_t){dst.buffer, left.buffer,
                                     key_of(symmetry, side, dst.buffer, dst.first),
                                     key_of(symmetry, side, left.buffer, left.first), run};
            dst.first += run;
            left.first += run;
            dst.count -= run;
            left.count -= run;
        }
    }
    qsort(copy, (size_t) count, sizeof(*copy), compare_copies);
    for (int i = 1; i < count; i++) {
        copy_t *last = &copy[joined];

        if (last->dst_buffer == copy[i].dst_buffer && last->left_buffer == copy[i].left_buffer
            && last->dst + last->count == copy[i].dst && last->left + last->count == copy[i].left) {
            last->count += copy[i].count;
        } else {
            copy[++joined] = copy[i];
        }
    }
    return count > 0 ? joined + 1 : 0;
}

static bool same_copies(const napcoll_symmetry_t *symmetry, side_t a, side_t b, int stage)
{
    copy_t x[MOST_COPIES], y[MOST_COPIES];
    const int count = find_copies(symmetry, a, &a.plan->stage[stage], x);

    if (count < 0 || count != find_copies(symmetry, b, &b.plan->stage[stage], y)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (0 != compare_copies(&x[i], &y[i]) || x[i].left_buffer != y[i].left_buffer
            || x[i].left != y[i].left || x[i].count != y[i].count) {
            return false;
        }
    }
    return true;
}

/* ---- plans ---- */

/* Whether two ranges of blocks are images. */
static bool same_ranges(const napcoll_symmetry_t *symmetry, side_t a, side_t b, int buffer)
{
    const napcoll_block_range_t x = napcoll_plan_block_range(a.plan, buffer);
    const napcoll_block_range_t y = napcoll_plan_block_range(b.plan, buffer);
    const int size = symmetry->map->size;

    /* a user's buffer of all blocks begins with the first one on every rank */
    return x.count == y.count
           && (NAPCOLL_LAYOUT_RANKS != a.plan->layout
                       || (buffer < NAPCOLL_BUFFER_TEMP && x.count == size)
                   ? x.first == y.first
                   : 0 == (x.first - a.place + b.place - y.first) % size);
}

/* Whether two messages are images; `alike`: except for their buffers. */
static bool same_message(const napcoll_symmetry_t *symmetry, side_t a, const napcoll_step_t *x,
                         side_t b, const napcoll_step_t *y, bool alike)
{
    const napcoll_node_map_t *map = symmetry->map;
    const napcoll_span_t *span = napcoll_step_span(x), *image = napcoll_step_span(y);

    return x->kind <= NAPCOLL_STEP_SEND && x->kind == y->kind && x->headed == y->headed
           && x->peer >= 0 && x->peer < map->size && y->peer >= 0 && y->peer < map->size
           && napcoll_node_map_place(map, y->peer)
                  == napcoll_symmetry_image(symmetry, napcoll_node_map_place(map, x->peer), a.place,
                                            b.place)
           && (alike ? span->count == image->count : same_spans(symmetry, a, span, b, image));
}

static bool same_messages(const napcoll_symmetry_t *symmetry, side_t a, int stage_a, side_t b,
                          int stage_b, bool alike)
{
    const napcoll_node_map_t *map = symmetry->map;
    const napcoll_stage_t *s = &a.plan->stage[stage_a], *t = &b.plan->stage[stage_b];
    const int node = napcoll_node_map_node(map, b.plan->rank);
    int inter[2] = {0, 0};

    if (s->messages != t->messages) {
        return false;
    }
    for (int i = 0; i < s->messages; i++) {
        const napcoll_step_t *x = &a.plan->step[s->first + i], *y = &b.plan->step[t->first + i];

        if (!same_message(symmetry, a, x, b, y, alike)) {
            return false;
        }
        inter[NAPCOLL_STEP_SEND == y->kind] += node != napcoll_node_map_node(map, y->peer);
    }
    return symmetry->claim->max_inter <= 0
           || (inter[0] <= symmetry->claim->max_inter && inter[1] <= symmetry->claim->max_inter);
}

/* Whether the steps of a plan's stages follow each other, up to its end. */
static bool stages_follow(const napcoll_plan_t *plan)
{
    int at = 0;

    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];

        if (stage->first != at || stage->messages < 0 || stage->work < 0
            || stage->messages > plan->steps - at
            || stage->work > plan->steps - at - stage->messages) {
            return false;
        }
        at += stage->messages + stage->work;
    }
    return at == plan->steps;
}

static bool is_image(const napcoll_symmetry_t *symmetry, side_t a, side_t b)
{
    bool same = b.plan->temps == a.plan->temps && b.plan->stages == a.plan->stages;

    for (int buffer = 0; same && buffer < NAPCOLL_BUFFER_TEMP + a.plan->temps; buffer++) {
        same = same_ranges(symmetry, a, b, buffer);
    }
    for (int stage = 0; same && stage < a.plan->stages; stage++) {
        same = same_messages(symmetry, a, stage, b, stage, false)
               && same_copies(symmetry, a, b, stage);
    }
    return same;
}

/* The first stage with messages from one on; the number of stages: there is none. */
static int with_messages(const napcoll_plan_t *plan, int stage)
{
    while (stage < plan->stages && 0 == plan->stage[stage].messages) {
        stage++;
    }
    return stage;
}

/* Whether the stages with messages are alike, one after the other. */
static bool is_exception(const napcoll_symmetry_t *symmetry, side_t a, side_t b)
{
    int x = with_messages(a.plan, 0), y = with_messages(b.plan, 0);
    bool same = true;

    while (same && x < a.plan->stages && y < b.plan->stages) {
        same = same_messages(symmetry, a, x, b, y, true);
        x = with_messages(a.plan, x + 1);
        y = with_messages(b.plan, y + 1);
    }
    return same && x == a.plan->stages && y == b.plan->stages;
}

napcoll_symmetry_match_t napcoll_symmetry_match(const napcoll_symmetry_t *symmetry,
                                                const napcoll_plan_t *plan)
{
    const int place = napcoll_node_map_place(symmetry->map, plan->rank);
    const int at = napcoll_symmetry_model(symmetry, place);
    const side_t a = {symmetry->model[at - symmetry->base], at}, b = {plan, place};

    if (plan->layout != a.plan->layout || plan->blocks != a.plan->blocks
        || plan->scattered != a.plan->scattered || plan->pieces != a.plan->pieces
        || plan->max_messages != a.plan->max_messages || !stages_follow(plan)
        || !stages_follow(a.plan)) {
        return NAPCOLL_SYMMETRY_BROKEN;
    }
    if (is_image(symmetry, a, b)) {
        return NAPCOLL_SYMMETRY_IMAGE;
    }
    return is_exception(symmetry, a, b) ? NAPCOLL_SYMMETRY_EXCEPTION : NAPCOLL_SYMMETRY_BROKEN;
}

bool napcoll_symmetry_is_sketch(const napcoll_plan_t *sketch, const napcoll_plan_t *plan)
{
    bool same = sketch->steps == plan->steps && sketch->stages == plan->stages
                && NULL == sketch->times;

    for (int stage = 0; same && stage < plan->stages; stage++) {
        same = sketch->stage[stage].first == plan->stage[stage].first
               && sketch->stage[stage].messages == plan->stage[stage].messages
               && sketch->stage[stage].work == plan->stage[stage].work;
    }
    for (int i = 0; same && i < plan->steps; i++) {
        const napcoll_step_t *x = &sketch->step[i], *y = &plan->step[i];

        same = x->kind == y->kind && x->peer == y->peer && x->headed == y->headed
               && x->left.count == y->left.count && x->dst.count == y->dst.count;
    }
    return same;
}

bool napcoll_symmetry_is_possible(const napcoll_node_map_t *map, const napcoll_claim_t *claim,
                                  napcoll_symmetry_kind_t kind, int period)
{
    const bool gathers = NAPCOLL_GOAL_ALLGATHER == claim->goal;
    const bool equal = map->min_ppn == map->max_ppn;

    return (gathers || NAPCOLL_GOAL_ALLTOALL == claim->goal) && NULL == claim->direct
           && map->size > period && (1 == period || (equal && map->max_ppn == period))
           && (NAPCOLL_SYMMETRY_RING == kind || (!gathers && equal));
}
