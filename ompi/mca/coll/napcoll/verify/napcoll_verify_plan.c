/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The part of the verifier that needs one plan only, and the verdict (see napcoll_verify.h).
 */

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/napcoll_order.h"
#include "verify/napcoll_prover.h"

static const char *const status_names[NAPCOLL_VERIFY_STATUSES] = {
    [NAPCOLL_VERIFY_OK] = "ok",
    [NAPCOLL_VERIFY_NO_MEMORY] = "no memory",
    [NAPCOLL_VERIFY_SPAN] = "span",
    [NAPCOLL_VERIFY_REDUCTION] = "reduction",
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

bool napcoll_verdict_fail(napcoll_verdict_t *verdict, napcoll_verify_status_t status, int rank,
                          int stage, int step, const char *format, ...)
{
    const struct {
        const char *format;
        int number;
    } place[] = {{"rank %d", rank}, {", stage %d", stage}, {", step %d", step}};
    const size_t room = sizeof(verdict->text);
    size_t at = 0;
    va_list args;

    verdict->status = status;
    verdict->rank = rank;
    verdict->stage = stage;
    verdict->step = step;
    for (int i = 0; i < 3; i++) {
        if (place[i].number >= 0) {
            at += (size_t) snprintf(verdict->text + at, room - at, place[i].format,
                                    place[i].number);
        }
    }
    at += (size_t) snprintf(verdict->text + at, room - at, "%s", rank >= 0 ? ": " : "");
    va_start(args, format);
    (void) vsnprintf(verdict->text + at, room - at, format, args);
    va_end(args);
    return false;
}

bool napcoll_plan_same_blocks(const napcoll_plan_t *plan, napcoll_span_t a, napcoll_span_t b)
{
    switch (plan->layout) {
    case NAPCOLL_LAYOUT_SLOTS:
    case NAPCOLL_LAYOUT_PERSONALIZED:
    case NAPCOLL_LAYOUT_EDGES:
        return a.count == b.count;
    case NAPCOLL_LAYOUT_RANKS:
        return a.count == b.count && a.first % plan->blocks == b.first % plan->blocks;
    default:
        return a.count == b.count && a.first == b.first;
    }
}

/* The check of one plan. */
typedef struct {
    const napcoll_plan_t *plan;
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    napcoll_verdict_t *verdict;
    int stage;
} check_t;

static bool fail(const check_t *check, napcoll_verify_status_t status, int step, const char *text)
{
    return napcoll_verdict_fail(check->verdict, status, check->plan->rank, check->stage, step, "%s",
                                text);
}

/* ---- steps ---- */

static bool run_is_inside(const check_t *check, napcoll_span_t span)
{
    napcoll_block_range_t blocks;

    if (span.buffer < 0 || span.buffer >= NAPCOLL_BUFFER_TEMP + check->plan->temps) {
        return false;
    }
    blocks = napcoll_plan_block_range(check->plan, span.buffer);
    return span.count > 0 && span.first >= blocks.first
           && span.count <= blocks.first + blocks.count - span.first;
}

/* Whether a span, perhaps a list, is inside its buffers. */
static bool is_inside(const check_t *check, napcoll_span_t span)
{
    const bool personalized = napcoll_layout_has_slots(check->plan->layout);
    int32_t left = span.count;

    if (NAPCOLL_GOAL_BARRIER == check->claim->goal) {
        return 0 == span.count;
    }
    if (personalized && 0 == span.count) {
        return span.buffer >= NAPCOLL_BUFFER_SEND && span.buffer <= NAPCOLL_BUFFER_RECV;
    }
    if (NAPCOLL_BUFFER_LIST != span.buffer) {
        return run_is_inside(check, span);
    }
    for (int32_t next = span.first; left > 0; next++) {
        if (!personalized || next < 0 || next >= check->plan->listed
            || !run_is_inside(check, check->plan->list[next])) {
            return false;
        }
        left -= check->plan->list[next].count;
    }
    return 0 == left && span.count > 0;
}

/* Whether a span is several blocks of a user's buffer that are not contiguous. */
static bool is_scattered(const napcoll_plan_t *plan, napcoll_span_t span)
{
    return plan->scattered && span.buffer < NAPCOLL_BUFFER_TEMP && span.count > 1;
}

static bool overlap(napcoll_span_t a, napcoll_span_t b)
{
    return a.buffer == b.buffer && a.first < b.first + b.count && b.first < a.first + a.count;
}

/* Whether a step overwrites an operand that it still needs. It writes to `rows` buffers from dst
 * on. */
static bool spoils_operand(const napcoll_step_t *step, int rows)
{
    napcoll_span_t dst = step->dst;
    bool spoils = false;

    switch (step->kind) {
    case NAPCOLL_STEP_REDUCE:
        return overlap(dst, step->left)
               || (overlap(dst, step->right) && !napcoll_span_equal(dst, step->right));
    case NAPCOLL_STEP_COPY:
        return overlap(dst, step->left);
    case NAPCOLL_STEP_PHASE:
        if ((NAPCOLL_PHASE_ALLGATHER != step->phase && napcoll_span_equal(dst, step->left))
            || (napcoll_phase_has_runs(step->phase)
                && NAPCOLL_PHASE_REDUCE_SCATTER != step->phase)) {
            return false;
        }
        for (int row = 0; row < rows; row++, dst.buffer++) {
            spoils = spoils || overlap(dst, step->left);
        }
        return spoils;
    default:
        return false;
    }
}

static bool step_writes(const check_t *check, const napcoll_step_t *step)
{
    return NAPCOLL_STEP_PHASE == step->kind ? napcoll_phase_writes(
               step, napcoll_scope_member(check->map, step->scope, check->plan->rank))
                                            : NAPCOLL_STEP_SEND != step->kind;
}

static bool step_reads(const check_t *check, const napcoll_step_t *step)
{
    return NAPCOLL_STEP_PHASE == step->kind ? napcoll_phase_reads(
               step, napcoll_scope_member(check->map, step->scope, check->plan->rank))
                                            : NAPCOLL_STEP_RECV != step->kind;
}

/* Whether dst and left are the blocks that a phase has. */
static bool has_blocks_of_phase(const check_t *check, const napcoll_step_t *step)
{
    const napcoll_plan_t *plan = check->plan;
    const bool gathers = NAPCOLL_PHASE_GATHER == step->phase || NAPCOLL_PHASE_SHARE == step->phase;
    const napcoll_span_t all = gathers ? step->dst : step->left;
    const napcoll_span_t own = gathers ? step->left : step->dst;
    napcoll_block_range_t runs, run;

    if (!napcoll_phase_has_runs(step->phase)) {
        return napcoll_plan_same_blocks(plan, step->dst, step->left);
    }
    runs = napcoll_scope_runs(check->map, step->scope, plan->rank);
    run = napcoll_scope_run(check->map, step->scope, plan->rank,
                            napcoll_scope_member(check->map, step->scope, plan->rank));
    return NAPCOLL_LAYOUT_RANKS == plan->layout && all.count == runs.count
           && all.first % plan->blocks == runs.first && own.count == run.count
           && own.first % plan->blocks == run.first
           && (!gathers
               || (own.buffer == all.buffer && own.first - all.first == run.first - runs.first));
}

/* Whether a phase is one of those there are, of a scope in which the rank is. */
static bool is_phase(const check_t *check, const napcoll_step_t *step)
{
    const int rank = check->plan->rank;

    return step->phase > NAPCOLL_PHASE_NONE && step->phase < NAPCOLL_PHASE_KINDS
           && (unsigned) step->scope < NAPCOLL_SCOPES
           && napcoll_scope_member(check->map, step->scope, rank) >= 0 && step->peer >= 0
           && step->peer < napcoll_scope_members(check->map, step->scope, rank);
}

/* Blocks that have sizes of their own are copied one by one, to the user. */
static bool copies_to_slot(const napcoll_plan_t *plan, const napcoll_step_t *step)
{
    return napcoll_layout_has_slots(plan->layout)
           && (NAPCOLL_BUFFER_RECV != step->dst.buffer || 1 != step->dst.count);
}

static bool check_step(const check_t *check, int index)
{
    const napcoll_plan_t *plan = check->plan;
    const napcoll_step_t *step = &plan->step[index];
    const bool writes = step_writes(check, step), reads = step_reads(check, step);
    const bool reduces = NAPCOLL_STEP_REDUCE == step->kind,
               copies = NAPCOLL_STEP_COPY == step->kind;
    const bool message = step->kind <= NAPCOLL_STEP_SEND, phase = NAPCOLL_STEP_PHASE == step->kind;
    const int rows = NAPCOLL_PHASE_ALLGATHER == step->phase
                         ? napcoll_scope_members(check->map, step->scope, plan->rank)
                         : 1;
    const napcoll_span_t last_row = {step->dst.buffer + rows - 1, step->dst.first, step->dst.count};
    const bool inside = ((!writes && !phase)
                         || (is_inside(check, step->dst) && is_inside(check, last_row)))
                        && ((!reads && !phase) || is_inside(check, step->left))
                        && (!reduces || is_inside(check, step->right));
    const struct {
        bool broken;
        napcoll_verify_status_t status;
        const char *text;
    } rule[] = {
        {(unsigned) step->kind >= NAPCOLL_STEP_KINDS, NAPCOLL_VERIFY_SPAN,
         "there is no such kind of step"},
        {!message
             && (step->headed || NAPCOLL_BUFFER_LIST == step->dst.buffer
                 || NAPCOLL_BUFFER_LIST == step->left.buffer),
         NAPCOLL_VERIFY_SPAN, "has a list, or sizes, and is not a message"},
        {!inside, NAPCOLL_VERIFY_SPAN, "a span leaves its buffer"},
        {inside && writes
             && napcoll_span_meets(plan, &step->dst, NAPCOLL_BUFFER_SEND, NAPCOLL_BUFFER_RECV),
         NAPCOLL_VERIFY_SPAN, "writes to the send buffer"},
        {step->headed && !napcoll_layout_has_slots(plan->layout), NAPCOLL_VERIFY_SPAN,
         "begins with sizes, but has blocks of one size"},
        {check->claim->announces && message && !step->headed, NAPCOLL_VERIFY_SIZES,
         "is a message that does not begin with the sizes of its blocks"},
        {check->claim->sized && inside && NAPCOLL_STEP_RECV == step->kind && !step->headed
             && napcoll_span_meets(plan, &step->dst, NAPCOLL_BUFFER_TEMP, INT32_MAX),
         NAPCOLL_VERIFY_SIZES, "brings a block into a temporary without its size"},
        {!reduces && !copies
             && ((writes && is_scattered(plan, step->dst))
                 || (reads && is_scattered(plan, step->left))),
         NAPCOLL_VERIFY_SPAN, "takes several blocks of the user together that are not contiguous"},
        {NAPCOLL_GOAL_ALLGATHER == check->claim->goal && !copies && reads
             && NAPCOLL_BUFFER_SEND == step->left.buffer,
         NAPCOLL_VERIFY_SPAN, "takes a block of another datatype before it is copied"},
        {copies && copies_to_slot(plan, step), NAPCOLL_VERIFY_SPAN,
         "copies a block to a slot, or several blocks at once"},
        {((reduces || copies) && !napcoll_plan_same_blocks(plan, step->dst, step->left))
             || (reduces && !napcoll_plan_same_blocks(plan, step->dst, step->right)),
         NAPCOLL_VERIFY_REDUCTION, "its operands are different blocks"},
        {spoils_operand(step, rows), NAPCOLL_VERIFY_REDUCTION,
         "overwrites an operand that it still needs"},
        {message && (step->peer < 0 || step->peer >= check->map->size || step->peer == plan->rank),
         NAPCOLL_VERIFY_PEER, "its peer is the rank itself, or not a rank"},
    };

    for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]); i++) {
        if (rule[i].broken) {
            return fail(check, rule[i].status, index, rule[i].text);
        }
    }
    return true;
}

/* ---- stages ---- */

/* A run of blocks that a message of a stage uses. */
typedef struct {
    napcoll_span_t span;
    int index;
    bool writes;
} use_t;

static int compare_uses(const void *a, const void *b)
{
    const use_t *x = a, *y = b;

    return x->span.buffer != y->span.buffer
               ? napcoll_order(x->span.buffer, y->span.buffer)
               : napcoll_order_pairs(x->span.first, x->index, y->span.first, y->index);
}

/* Fill in the runs that a stage's messages use, unless use is NULL; returns how many. Personalized
 * blocks that are sent have left their slots when they are posted. */
static size_t find_uses(const check_t *check, use_t *use)
{
    const napcoll_plan_t *plan = check->plan;
    const napcoll_stage_t *s = &plan->stage[check->stage];
    size_t count = 0;

    for (int i = s->first; i < s->first + s->messages; i++) {
        const napcoll_step_t *step = &plan->step[i];
        const bool receives = NAPCOLL_STEP_RECV == step->kind;
        napcoll_runs_t runs = napcoll_runs_of(plan, napcoll_step_span(step));

        while ((receives || NAPCOLL_LAYOUT_PERSONALIZED != plan->layout)
               && napcoll_runs_next(&runs)) {
            if (NULL != use) {
                use[count] = (use_t){runs.run, i, receives};
            }
            count++;
        }
    }
    return count;
}

/* Whether a receive of a stage overlaps another use. */
static bool uses_collide(const use_t *use, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count && use[i].writes; j++) {
            if (i != j && overlap(use[i].span, use[j].span)) {
                return true;
            }
        }
    }
    return false;
}

/* The message that receives where another one of a stage is under way; -1: none does. */
static int find_guilty(use_t *use, size_t count)
{
    /* the farthest ends in this buffer, of all runs and of those that are written */
    int end = INT_MIN, written = INT_MIN, guilty = -1;

    qsort(use, count, sizeof(*use), compare_uses);
    for (size_t i = 0; i < count && guilty < 0; i++) {
        const int first = use[i].span.first, last = first + use[i].span.count;

        if (i > 0 && use[i - 1].span.buffer != use[i].span.buffer) {
            end = written = INT_MIN;
        }
        if (first < written || (use[i].writes && first < end)) {
            guilty = use[i].index;
        }
        end = last > end ? last : end;
        written = use[i].writes && last > written ? last : written;
    }
    return guilty;
}

/* No receive of a stage goes where another of its messages is under way. */
static bool check_in_flight(const check_t *check)
{
    /* up to which comparing each with each takes less time than sorting */
    enum { FEW = 64 };
    const size_t count = find_uses(check, NULL);
    use_t few[FEW], *use = count <= FEW ? few : malloc(count * sizeof(*use));
    int guilty = -1;

    if (NULL == use) {
        return fail(check, NAPCOLL_VERIFY_NO_MEMORY, -1, "out of memory");
    }
    (void) find_uses(check, use);
    if (count > FEW || uses_collide(use, count)) {
        guilty = find_guilty(use, count);
    }
    if (use != few) {
        free(use);
    }
    return guilty < 0
           || fail(check, NAPCOLL_VERIFY_IN_FLIGHT, guilty,
                   "a receive goes where another message of the stage is under way");
}

/* The number of messages that a stage receives or sends is at most that claimed; 0: no claim. */
static bool check_most(const check_t *check, const int count[2], int most, const char *where)
{
    return most <= 0 || (count[0] <= most && count[1] <= most)
           || napcoll_verdict_fail(
               check->verdict, NAPCOLL_VERIFY_MESSAGES, check->plan->rank, check->stage, -1,
               "%d messages received and %d sent%s, claimed %d", count[0], count[1], where, most);
}

/* Messages come before work, a phase is alone in its stage, and there are as few messages as
 * claimed. */
static bool check_messages(const check_t *check)
{
    const napcoll_plan_t *plan = check->plan;
    const napcoll_stage_t *s = &plan->stage[check->stage];
    const int node = napcoll_node_map_node(check->map, plan->rank);
    int inter[2] = {0, 0}, all[2] = {0, 0};

    for (int i = s->first; i < s->first + s->messages + s->work; i++) {
        const napcoll_step_t *step = &plan->step[i];
        const bool message = i < s->first + s->messages, sends = NAPCOLL_STEP_SEND == step->kind;

        if (message != (step->kind <= NAPCOLL_STEP_SEND)) {
            return fail(check, NAPCOLL_VERIFY_SPAN, i, "a stage has messages first, then work");
        }
        if (message) {
            all[sends]++;
            inter[sends] += node != napcoll_node_map_node(check->map, step->peer);
        } else if (NAPCOLL_STEP_PHASE == step->kind && i > s->first) {
            return fail(check, NAPCOLL_VERIFY_PHASE, i, "a phase is not alone in its stage");
        } else if (NAPCOLL_STEP_PHASE == step->kind && !is_phase(check, step)) {
            return fail(check, NAPCOLL_VERIFY_PHASE, i,
                        "there is no such phase, or the rank is not in it");
        } else if (NAPCOLL_STEP_PHASE == step->kind && !has_blocks_of_phase(check, step)) {
            return fail(check, NAPCOLL_VERIFY_PHASE, i,
                        "its spans are not the blocks of the phase");
        }
    }
    return check_most(check, inter, check->claim->max_inter, " between nodes")
           && check_most(check, all, check->claim->max_messages, "");
}

/* Whether a stage's steps follow the stage before, and the last stage's end the plan. */
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

static bool check_stage(const check_t *check)
{
    const napcoll_stage_t *s = &check->plan->stage[check->stage];

    if (!stage_fits(check)) {
        return fail(check, NAPCOLL_VERIFY_SPAN, -1,
                    "the stage's steps do not follow the stage before, up to the plan's end");
    }
    for (int i = s->first; i < s->first + s->messages + s->work; i++) {
        if (!check_step(check, i)) {
            return false;
        }
    }
    return check_messages(check) && (s->messages < 2 || check_in_flight(check));
}

/* ---- plans ---- */

/* A reduce-scatter in place overwrites its input with its result: it reads nothing after that, and
 * the step that overwrites the input reads no operand that it has just overwritten. */
static bool check_in_place(check_t *check)
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
            const bool reduces = NAPCOLL_STEP_REDUCE == step->kind;
            const bool writes = NAPCOLL_STEP_SEND != step->kind
                                && NAPCOLL_BUFFER_RECV == step->dst.buffer;
            const bool left = NAPCOLL_STEP_RECV != step->kind
                              && NAPCOLL_BUFFER_SEND == step->left.buffer;
            const bool right = reduces && NAPCOLL_BUFFER_SEND == step->right.buffer;

            if ((written && (left || right)) || (writes && reduces && left)) {
                return fail(check, NAPCOLL_VERIFY_REDUCTION, i,
                            "reads input that the result has overwritten, where it is in place");
            }
            written = written || writes;
        }
    }
    return true;
}

/* The same where blocks go along edges: each block has one. */
static bool edges_fit(const check_t *check)
{
    const napcoll_plan_t *plan = check->plan;
    const napcoll_block_range_t *send = &plan->user[NAPCOLL_BUFFER_SEND];
    const napcoll_block_range_t *recv = &plan->user[NAPCOLL_BUFFER_RECV];

    for (int i = 0; i < plan->edges; i++) {
        if (plan->edge[i].peer < -1 || plan->edge[i].peer >= check->map->size) {
            return false;
        }
    }
    return napcoll_goal_is_neighbor(check->claim->goal) && NAPCOLL_LAYOUT_EDGES == plan->layout
           && 1 == plan->pieces && 0 == send->first && 0 == recv->first && send->count >= 0
           && recv->count >= 0 && send->count <= plan->edges
           && recv->count == plan->edges - send->count;
}

/* Whether the layout suits the goal, and the user's buffers hold what the goal gives them. */
static bool buffers_fit(const check_t *check)
{
    const napcoll_plan_t *plan = check->plan;
    const napcoll_claim_t *claim = check->claim;
    const bool personalized = NAPCOLL_LAYOUT_PERSONALIZED == plan->layout;
    napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP];

    if (napcoll_goal_is_neighbor(claim->goal) || NAPCOLL_LAYOUT_EDGES == plan->layout) {
        return edges_fit(check);
    }
    if (((NAPCOLL_LAYOUT_RANKS == plan->layout || personalized) && plan->blocks != check->map->size)
        || napcoll_goal_is_personalized(claim->goal) != personalized || plan->pieces < 1
        || (plan->pieces > 1 && !personalized)
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

/* Blocks that have sizes of their own share the slots of one temporary. */
static bool slots_fit(const check_t *check)
{
    const napcoll_plan_t *plan = check->plan;

    for (int t = 0; t < plan->temps && napcoll_layout_has_slots(plan->layout); t++) {
        if (plan->temp[t].count > 0 && (t > 0 || 0 != plan->temp[t].first)) {
            return false;
        }
    }
    return true;
}

napcoll_verify_status_t napcoll_plan_check(const napcoll_plan_t *plan,
                                           const napcoll_node_map_t *map,
                                           const napcoll_claim_t *claim, napcoll_verdict_t *verdict)
{
    check_t check = {.plan = plan, .map = map, .claim = claim, .verdict = verdict, .stage = -1};
    bool ok = true;

    if (plan->blocks < 1 || (0 == plan->stages && plan->steps > 0)) {
        ok = fail(&check, NAPCOLL_VERIFY_SPAN, -1, "a plan without blocks, or steps in no stage");
    } else if (!buffers_fit(&check)) {
        ok = fail(&check, NAPCOLL_VERIFY_SPAN, -1,
                  "the user's buffers do not have the blocks that the plan says");
    } else if (!slots_fit(&check)) {
        ok = fail(&check, NAPCOLL_VERIFY_SPAN, -1,
                  "slots of personalized blocks are not in temp0, from block 0 on");
    }
    for (int stage = 0; stage < plan->stages && ok; stage++) {
        check.stage = stage;
        ok = check_stage(&check);
    }
    ok = ok && (NAPCOLL_GOAL_REDUCE_SCATTER != claim->goal || check_in_place(&check));
    return ok ? NAPCOLL_VERIFY_OK : verdict->status;
}
