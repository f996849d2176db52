/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The part of the verifier that needs one plan only, and the verdict (see napcoll_plan_verify.h).
 */

#include "plan/napcoll_plan_verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/napcoll_order.h"

static const char *const status_names[NAPCOLL_VERIFY_STATUSES] = {
    [NAPCOLL_VERIFY_OK] = "ok",
    [NAPCOLL_VERIFY_NO_MEMORY] = "no memory",
    [NAPCOLL_VERIFY_SPAN] = "span",
    [NAPCOLL_VERIFY_REDUCTION] = "fold",
    [NAPCOLL_VERIFY_IN_FLIGHT] = "in flight",
    [NAPCOLL_VERIFY_PEER] = "peer",
    [NAPCOLL_VERIFY_UNMATCHED] = "unmatched",
    [NAPCOLL_VERIFY_PHASE] = "phase",
    [NAPCOLL_VERIFY_DEADLOCK] = "deadlock",
    [NAPCOLL_VERIFY_UNWRITTEN] = "unwritten",
    [NAPCOLL_VERIFY_CONTRIBUTION] = "contribution",
    [NAPCOLL_VERIFY_ORDER] = "order",
    [NAPCOLL_VERIFY_BRACKETING] = "bracketing",
    [NAPCOLL_VERIFY_MESSAGES] = "messages",
    [NAPCOLL_VERIFY_SIZES] = "sizes",
};

const char *napcoll_verify_status_name(napcoll_verify_status_t status)
{
    return status_names[status];
}

napcoll_verify_status_t napcoll_verdict_set(napcoll_verdict_t *verdict,
                                            napcoll_verify_status_t status, int rank, int stage,
                                            int step, const char *format, ...)
{
    const size_t room = sizeof(verdict->text);
    size_t at = 0;
    va_list args;

    verdict->status = status;
    verdict->rank = rank;
    verdict->stage = stage;
    verdict->step = step;
    verdict->text[0] = '\0';
    if (rank >= 0) {
        at += (size_t) snprintf(verdict->text + at, room - at, "rank %d", rank);
    }
    if (stage >= 0) {
        at += (size_t) snprintf(verdict->text + at, room - at, ", stage %d", stage);
    }
    if (step >= 0) {
        at += (size_t) snprintf(verdict->text + at, room - at, ", step %d", step);
    }
    if (rank >= 0) {
        at += (size_t) snprintf(verdict->text + at, room - at, ": ");
    }
    va_start(args, format);
    (void) vsnprintf(verdict->text + at, room - at, format, args);
    va_end(args);
    return status;
}

/* The check of one plan. */
typedef struct {
    const napcoll_plan_t *plan;
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    napcoll_verdict_t *verdict;
    int stage;
} check_t;

__attribute__((format(printf, 4, 5))) static napcoll_verify_status_t fail(
    const check_t *check, napcoll_verify_status_t status, int step, const char *format, ...)
{
    char text[sizeof(check->verdict->text)];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return napcoll_verdict_set(check->verdict, status, check->plan->rank, check->stage, step, "%s",
                               text);
}

static bool run_inside(const check_t *check, napcoll_span_t span)
{
    napcoll_block_range_t blocks;

    if (span.buffer < 0 || span.buffer >= NAPCOLL_BUFFER_TEMP + check->plan->temps) {
        return false;
    }
    blocks = napcoll_plan_block_range(check->plan, span.buffer);
    return span.count > 0 && span.first >= blocks.first
           && span.count <= blocks.first + blocks.count - span.first;
}

/* A span, perhaps a list, is inside its buffers. */
static bool span_inside(const check_t *check, napcoll_span_t span)
{
    int32_t left = span.count, next = span.first;

    if (NAPCOLL_GOAL_BARRIER == check->claim->goal) {
        return 0 == span.count;
    }
    if (NAPCOLL_LAYOUT_PERSONALIZED == check->plan->layout && 0 == span.count) {
        return span.buffer >= NAPCOLL_BUFFER_SEND && span.buffer <= NAPCOLL_BUFFER_RECV;
    }
    if (NAPCOLL_BUFFER_LIST != span.buffer) {
        return run_inside(check, span);
    }
    if (NAPCOLL_LAYOUT_PERSONALIZED != check->plan->layout || next < 0 || left < 1) {
        return false;
    }
    for (; left > 0; next++) {
        if (next >= check->plan->listed || !run_inside(check, check->plan->list[next])) {
            return false;
        }
        left -= check->plan->list[next].count;
    }
    return 0 == left;
}

/* Whether a span, which is inside its buffers, has a run in temporaries, or elsewhere. */
static bool is_partly(const check_t *check, const napcoll_span_t *span, bool temporary)
{
    napcoll_runs_t runs = napcoll_runs_of(check->plan, span);

    while (napcoll_runs_next(&runs)) {
        if (temporary == (runs.run.buffer >= NAPCOLL_BUFFER_TEMP)) {
            return true;
        }
    }
    return false;
}

/* Whether a span, which is inside its buffers, has a run in the send buffer. */
static bool is_in_input(const check_t *check, const napcoll_span_t *span)
{
    napcoll_runs_t runs = napcoll_runs_of(check->plan, span);

    while (napcoll_runs_next(&runs)) {
        if (NAPCOLL_BUFFER_SEND == runs.run.buffer) {
            return true;
        }
    }
    return false;
}

/* Whether a span is of several blocks of the user's that do not lie side by side. */
static bool is_scattered(const napcoll_plan_t *plan, napcoll_span_t span)
{
    return plan->scattered && span.buffer < NAPCOLL_BUFFER_TEMP && span.count > 1;
}

static bool overlap(napcoll_span_t a, napcoll_span_t b)
{
    return a.buffer == b.buffer && a.first < b.first + b.count && b.first < a.first + a.count;
}

/* Rows of buffers that a step writes, from dst on: an allgather's are as many as the node has lanes. */
static int rows_of(const check_t *check, const napcoll_step_t *step)
{
    return NAPCOLL_PHASE_ALLGATHER == step->phase ? napcoll_node_map_ppn(
               check->map, napcoll_node_map_node(check->map, check->plan->rank))
                                                  : 1;
}

static napcoll_verify_status_t check_spans(const check_t *check, int index)
{
    const napcoll_step_t *step = &check->plan->step[index];
    const bool writes = NAPCOLL_STEP_SEND != step->kind, reads = NAPCOLL_STEP_RECV != step->kind;
    const bool folds = NAPCOLL_STEP_REDUCE == step->kind;
    napcoll_span_t last_row = step->dst;

    last_row.buffer += rows_of(check, step) - 1;
    if (step->kind > NAPCOLL_STEP_SEND
        && (step->sizes || step->headed || NAPCOLL_BUFFER_LIST == step->dst.buffer
            || NAPCOLL_BUFFER_LIST == step->left.buffer)) {
        return fail(check, NAPCOLL_VERIFY_SPAN, index, "has a list, or sizes, and is no message");
    }
    if ((writes && (!span_inside(check, step->dst) || !span_inside(check, last_row)))
        || (reads && !span_inside(check, step->left))
        || (folds && !span_inside(check, step->right))) {
        return fail(check, NAPCOLL_VERIFY_SPAN, index, "a span leaves its buffer");
    }
    if (writes && step->dst.count > 0 && is_in_input(check, &step->dst)) {
        return fail(check, NAPCOLL_VERIFY_SPAN, index, "writes to the send buffer");
    }
    if (step->headed && (step->sizes || NAPCOLL_LAYOUT_PERSONALIZED != check->plan->layout)) {
        return fail(check, NAPCOLL_VERIFY_SPAN, index,
                    "has sizes before its blocks, of which it has none, or all of one size");
    }
    if (check->claim->tells && !step->headed
        && (NAPCOLL_STEP_SEND == step->kind || NAPCOLL_STEP_RECV == step->kind)) {
        return fail(check, NAPCOLL_VERIFY_SIZES, index,
                    "is a message without sizes, in which nothing can be said");
    }
    if (step->sizes && writes && is_partly(check, &step->dst, false)) {
        return fail(check, NAPCOLL_VERIFY_SPAN, index,
                    "takes in sizes of what goes into no temporary");
    }
    if (NAPCOLL_STEP_REDUCE != step->kind && NAPCOLL_STEP_COPY != step->kind
        && ((writes && is_scattered(check->plan, step->dst))
            || (reads && is_scattered(check->plan, step->left)))) {
        return fail(check, NAPCOLL_VERIFY_SPAN, index,
                    "takes blocks of the user's together that do not lie side by side");
    }
    if (NAPCOLL_GOAL_ALLGATHER == check->claim->goal && NAPCOLL_STEP_COPY != step->kind && reads
        && NAPCOLL_BUFFER_SEND == step->left.buffer) {
        return fail(check, NAPCOLL_VERIFY_SPAN, index,
                    "takes a block that has another datatype before it is copied");
    }
    return NAPCOLL_VERIFY_OK;
}

/* Whether a step overwrites blocks that it still needs. */
static bool spoils_operand(const check_t *check, const napcoll_step_t *step)
{
    const bool same_left = napcoll_span_equal(step->dst, step->left);

    switch (step->kind) {
    case NAPCOLL_STEP_REDUCE:
        return overlap(step->dst, step->left)
               || (overlap(step->dst, step->right) && !napcoll_span_equal(step->dst, step->right));
    case NAPCOLL_STEP_COPY:
        return overlap(step->dst, step->left);
    case NAPCOLL_STEP_PHASE:
        if (NAPCOLL_PHASE_ALLGATHER != step->phase) {
            return overlap(step->dst, step->left) && !same_left;
        }
        for (int row = 0; row < rows_of(check, step); row++) {
            napcoll_span_t dst = step->dst;

            dst.buffer += row;
            if (overlap(dst, step->left)) {
                return true;
            }
        }
        return false;
    default:
        return false;
    }
}

static napcoll_verify_status_t check_step(const check_t *check, int index)
{
    const napcoll_step_t *step = &check->plan->step[index];
    napcoll_verify_status_t status;

    if ((unsigned) step->kind >= NAPCOLL_STEP_KINDS) {
        return fail(check, NAPCOLL_VERIFY_SPAN, index, "there is no such kind of step");
    }
    status = check_spans(check, index);
    if (NAPCOLL_VERIFY_OK != status) {
        return status;
    }
    if ((NAPCOLL_STEP_REDUCE == step->kind || NAPCOLL_STEP_COPY == step->kind)
        && (!napcoll_plan_same_blocks(check->plan, step->dst, step->left)
            || (NAPCOLL_STEP_REDUCE == step->kind
                && !napcoll_plan_same_blocks(check->plan, step->dst, step->right)))) {
        return fail(check, NAPCOLL_VERIFY_REDUCTION, index, "its operands are of different blocks");
    }
    if (spoils_operand(check, step)) {
        return fail(check, NAPCOLL_VERIFY_REDUCTION, index,
                    "overwrites an operand that it still needs");
    }
    if (step->kind <= NAPCOLL_STEP_SEND
        && (step->peer < 0 || step->peer >= check->map->size || step->peer == check->plan->rank)) {
        return fail(check, NAPCOLL_VERIFY_PEER, index, "a message with rank %" PRId32, step->peer);
    }
    return NAPCOLL_VERIFY_OK;
}

/* What a message of a stage uses. */
typedef struct {
    napcoll_span_t span;
    int index;
    bool writes;
} use_t;

static int by_place(const void *a, const void *b)
{
    const use_t *x = a, *y = b;

    return x->span.buffer != y->span.buffer
               ? napcoll_order(x->span.buffer, y->span.buffer)
               : napcoll_order_pairs(x->span.first, x->index, y->span.first, y->index);
}

/* The runs that a stage's messages use, [*count], or NULL. In the layout of personalized blocks what is sent has left its
 * slots when it is posted, and sizes do not go where blocks go: they are taken to be in buffers of their own. */
static use_t *uses_of(const check_t *check, int *count)
{
    const napcoll_plan_t *plan = check->plan;
    const napcoll_stage_t *s = &plan->stage[check->stage];
    const bool personalized = NAPCOLL_LAYOUT_PERSONALIZED == plan->layout;
    use_t *use = malloc(((size_t) s->messages + (size_t) plan->listed + 1) * sizeof(*use));

    *count = 0;
    for (int i = s->first; i < s->first + s->messages && NULL != use; i++) {
        const napcoll_step_t *step = &plan->step[i];
        const bool receives = NAPCOLL_STEP_RECV == step->kind;
        napcoll_runs_t runs = napcoll_runs_of(plan, receives ? &step->dst : &step->left);

        while ((receives || !personalized) && napcoll_runs_next(&runs)) {
            use[*count] = (use_t){runs.run, i, receives};
            use[*count].span.buffer += step->sizes ? NAPCOLL_BUFFER_TEMP + plan->temps : 0;
            ++*count;
        }
    }
    return use;
}

/* No receive of a stage goes where another of its messages is under way. */
static napcoll_verify_status_t check_in_flight(const check_t *check)
{
    int count, guilty = -1;
    use_t *use = uses_of(check, &count);
    const use_t *far = NULL, *written = NULL; /* that reach farthest in this buffer, of all and of
                                                 the writes */

    if (NULL == use) {
        return fail(check, NAPCOLL_VERIFY_NO_MEMORY, -1, "out of memory");
    }
    qsort(use, (size_t) count, sizeof(*use), by_place);
    for (int i = 0; i < count && guilty < 0; i++) {
        const napcoll_span_t span = use[i].span;
        const int end = span.first + span.count;

        if (NULL != far && far->span.buffer != span.buffer) {
            far = written = NULL;
        }
        if ((use[i].writes && NULL != far && span.first < far->span.first + far->span.count)
            || (NULL != written && span.first < written->span.first + written->span.count)) {
            guilty = use[i].index;
        }
        if (NULL == far || end > far->span.first + far->span.count) {
            far = &use[i];
        }
        if (use[i].writes && (NULL == written || end > written->span.first + written->span.count)) {
            written = &use[i];
        }
    }
    free(use);
    return guilty < 0 ? NAPCOLL_VERIFY_OK
                      : fail(check, NAPCOLL_VERIFY_IN_FLIGHT, guilty,
                             "a receive goes where another message of the stage is under way");
}

/* Phases stand alone: no message goes with them, and they are their stage's first work. */
static napcoll_verify_status_t check_phases(const check_t *check)
{
    const napcoll_stage_t *s = &check->plan->stage[check->stage];
    const napcoll_step_t *step = check->plan->step;

    for (int i = s->first + s->messages; i < s->first + s->messages + s->work; i++) {
        if (NAPCOLL_STEP_PHASE == step[i].kind && i > s->first) {
            return fail(check, NAPCOLL_VERIFY_PHASE, i, "a local phase is not alone in its stage");
        }
        if (NAPCOLL_STEP_PHASE == step[i].kind
            && (step[i].phase <= NAPCOLL_PHASE_NONE || step[i].phase >= NAPCOLL_PHASE_KINDS)) {
            return fail(check, NAPCOLL_VERIFY_PHASE, i, "there is no such phase");
        }
    }
    return NAPCOLL_VERIFY_OK;
}

/* Messages first, work behind them, and no more of the former than claimed. */
static napcoll_verify_status_t check_messages(const check_t *check)
{
    const napcoll_plan_t *plan = check->plan;
    const napcoll_stage_t *s = &plan->stage[check->stage];
    const int node = napcoll_node_map_node(check->map, plan->rank);
    int inter[2] = {0, 0}, all[2] = {0, 0};

    for (int i = s->first; i < s->first + s->messages + s->work; i++) {
        const napcoll_step_t *step = &plan->step[i];

        if ((i < s->first + s->messages) != (step->kind <= NAPCOLL_STEP_SEND)) {
            return fail(check, NAPCOLL_VERIFY_SPAN, i,
                        "a stage's messages come before its work, and nothing else does");
        }
        if (i < s->first + s->messages) {
            all[NAPCOLL_STEP_SEND == step->kind]++;
            inter[NAPCOLL_STEP_SEND == step->kind] += node
                                                      != napcoll_node_map_node(check->map,
                                                                               step->peer);
        }
    }
    if (check->claim->max_inter > 0
        && (inter[0] > check->claim->max_inter || inter[1] > check->claim->max_inter)) {
        return fail(check, NAPCOLL_VERIFY_MESSAGES, -1,
                    "%d messages received and %d sent between nodes, claimed %d", inter[0],
                    inter[1], check->claim->max_inter);
    }
    if (check->claim->max_messages > 0
        && (all[0] > check->claim->max_messages || all[1] > check->claim->max_messages)) {
        return fail(check, NAPCOLL_VERIFY_MESSAGES, -1,
                    "%d messages received and %d sent, claimed %d", all[0], all[1],
                    check->claim->max_messages);
    }
    return NAPCOLL_VERIFY_OK;
}

/* A stage's steps follow those of the stage before, and the last stage's end the plan. */
static bool stage_fits(const check_t *check)
{
    const napcoll_stage_t *s = &check->plan->stage[check->stage];
    const int begin = 0 == check->stage ? 0 : s[-1].first + s[-1].messages + s[-1].work;
    const int room = check->plan->steps - s->first;

    return s->first == begin && s->messages >= 0 && s->work >= 0
           && s->messages <= check->plan->max_messages && s->messages <= room
           && s->work <= room - s->messages
           && (check->stage < check->plan->stages - 1 || s->messages + s->work == room);
}

static napcoll_verify_status_t check_stage(const check_t *check)
{
    const napcoll_stage_t *s = &check->plan->stage[check->stage];
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    if (!stage_fits(check)) {
        return fail(
            check, NAPCOLL_VERIFY_SPAN, -1,
            "the stage's steps do not follow those of the one before, up to the plan's end");
    }
    for (int i = s->first; i < s->first + s->messages + s->work && NAPCOLL_VERIFY_OK == status;
         i++) {
        status = check_step(check, i);
    }
    if (NAPCOLL_VERIFY_OK == status) {
        status = check_messages(check);
    }
    if (NAPCOLL_VERIFY_OK == status) {
        status = check_phases(check);
    }
    return NAPCOLL_VERIFY_OK == status && s->messages > 1 ? check_in_flight(check) : status;
}

/* Where a reduce-scatter is in place, its result overwrites its input: nothing is read after that, and
 * the step that overwrites it reads no operand that it has just spoilt. */
static napcoll_verify_status_t check_in_place(check_t *check)
{
    const napcoll_plan_t *plan = check->plan;
    bool written = false;

    for (check->stage = 0; check->stage < plan->stages; check->stage++) {
        const napcoll_stage_t *s = &plan->stage[check->stage];

        for (int i = s->first; i < s->first + s->messages; i++) {
            written = written
                      || (NAPCOLL_STEP_RECV == plan->step[i].kind
                          && NAPCOLL_BUFFER_RECV == plan->step[i].dst.buffer);
        }
        for (int i = s->first; i < s->first + s->messages + s->work; i++) {
            const napcoll_step_t *step = &plan->step[i];
            const bool writes = NAPCOLL_STEP_SEND != step->kind
                                && NAPCOLL_BUFFER_RECV == step->dst.buffer;
            const bool folds = NAPCOLL_STEP_REDUCE == step->kind;
            const bool left = NAPCOLL_STEP_RECV != step->kind
                              && NAPCOLL_BUFFER_SEND == step->left.buffer;
            const bool right = folds && NAPCOLL_BUFFER_SEND == step->right.buffer;

            if ((written && (left || right)) || (writes && folds && left)) {
                return fail(check, NAPCOLL_VERIFY_REDUCTION, i,
                            "reads input that the result has overwritten, where it is in place");
            }
            written = written || writes;
        }
    }
    return NAPCOLL_VERIFY_OK;
}

/* The user's buffers hold what the collective gives them. */
static bool holds_fit(const check_t *check)
{
    const napcoll_plan_t *plan = check->plan;
    const napcoll_claim_t *claim = check->claim;
    napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP];

    if (((NAPCOLL_LAYOUT_RANKS == plan->layout || NAPCOLL_LAYOUT_PERSONALIZED == plan->layout)
         && plan->blocks != check->map->size)
        || napcoll_goal_is_personalized(claim->goal)
               != (NAPCOLL_LAYOUT_PERSONALIZED == plan->layout)
        || plan->pieces < 1 || (plan->pieces > 1 && NAPCOLL_LAYOUT_PERSONALIZED != plan->layout)
        || (NAPCOLL_LAYOUT_SLOTS == plan->layout && 1 != plan->blocks)) {
        return false;
    }
    napcoll_goal_buffers(claim->goal, plan->layout, plan->blocks,
                         napcoll_goal_place(claim->goal, check->map, claim->root, plan->rank),
                         napcoll_goal_takes(claim->goal, claim->root, plan->rank)
                             || (claim->in_place && NAPCOLL_GOAL_EXSCAN == claim->goal),
                         user);
    for (int i = 0; i < NAPCOLL_BUFFER_TEMP; i++) {
        if (user[i].first != plan->user[i].first || user[i].count != plan->user[i].count) {
            return false;
        }
    }
    return true;
}

napcoll_verify_status_t napcoll_plan_check(const napcoll_plan_t *plan,
                                           const napcoll_node_map_t *map,
                                           const napcoll_claim_t *claim, napcoll_verdict_t *verdict)
{
    check_t check = {.plan = plan, .map = map, .claim = claim, .verdict = verdict};
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    if (plan->blocks < 1 || (0 == plan->stages && plan->steps > 0)) {
        check.stage = -1;
        return fail(&check, NAPCOLL_VERIFY_SPAN, -1,
                    "a plan of %" PRId32 " blocks and %" PRId32 " steps in no stage", plan->blocks,
                    plan->steps);
    }
    if (!holds_fit(&check)) {
        check.stage = -1;
        return fail(&check, NAPCOLL_VERIFY_SPAN, -1,
                    "the user's buffers do not hold what the plan says");
    }
    for (check.stage = 0; check.stage < plan->stages && NAPCOLL_VERIFY_OK == status;
         check.stage++) {
        status = check_stage(&check);
    }
    return NAPCOLL_VERIFY_OK == status && NAPCOLL_GOAL_REDUCE_SCATTER == claim->goal
               ? check_in_place(&check)
               : status;
}
