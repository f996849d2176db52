/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans as text for people:
 *
 *     allreduce nap, rank 4: 1 block, 4 temporaries, 5 stages
 *       stage 2
 *         recv   temp1 <- rank 16
 *         send   temp0 -> rank 16
 *         reduce temp0 = temp1 op temp0
 */

#include "plan/napcoll_plan_print.h"

static const char *const phase_names[NAPCOLL_PHASE_KINDS] = {
    [NAPCOLL_PHASE_NONE] = "none",           [NAPCOLL_PHASE_REDUCE] = "reduce",
    [NAPCOLL_PHASE_BCAST] = "bcast",         [NAPCOLL_PHASE_ALLREDUCE] = "allreduce",
    [NAPCOLL_PHASE_ALLGATHER] = "allgather", [NAPCOLL_PHASE_BARRIER] = "barrier",
    [NAPCOLL_PHASE_GATHER] = "gather",       [NAPCOLL_PHASE_SCATTER] = "scatter",
    [NAPCOLL_PHASE_SHARE] = "share",         [NAPCOLL_PHASE_REDUCE_SCATTER] = "reduce-scatter"};

void napcoll_phase_title(const napcoll_step_t *step, char title[NAPCOLL_PHASE_TITLE])
{
    (void) snprintf(title, NAPCOLL_PHASE_TITLE, "%s%s",
                    NAPCOLL_SCOPE_LEADERS == step->scope ? "leaders: " : "",
                    phase_names[step->phase]);
}

typedef struct {
    char text[64];
} label_t;

/* "temp3", or "temp3[2..5]" of several blocks; "nothing" of none. Of a list the first run and the
 * number of blocks. */
static label_t label(const napcoll_plan_t *plan, napcoll_span_t span)
{
    label_t l, buffer;

    if (0 == span.count) {
        return (label_t){"nothing"};
    }
    if (NAPCOLL_BUFFER_LIST == span.buffer) {
        const label_t first = label(plan, plan->list[span.first]);

        (void) snprintf(l.text, sizeof(l.text), "%.32s... (%d blocks)", first.text, span.count);
        return l;
    }
    if (NAPCOLL_BUFFER_SEND == span.buffer || NAPCOLL_BUFFER_RECV == span.buffer) {
        buffer = NAPCOLL_BUFFER_SEND == span.buffer ? (label_t){"sendbuf"} : (label_t){"recvbuf"};
    } else {
        (void) snprintf(buffer.text, sizeof(buffer.text), "temp%d",
                        span.buffer - NAPCOLL_BUFFER_TEMP);
    }
    if (plan->blocks <= 1 && NAPCOLL_LAYOUT_SLOTS != plan->layout
        && NAPCOLL_LAYOUT_EDGES != plan->layout) {
        return buffer;
    }
    (void) snprintf(l.text, sizeof(l.text), "%.32s[%d..%d]", buffer.text, span.first,
                    span.first + span.count - 1);
    return l;
}

static const char *sizes_in(const napcoll_step_t *s)
{
    return s->headed ? "sizes and " : "";
}

static void print_step(const napcoll_plan_t *plan, const napcoll_step_t *s, FILE *out)
{
    const label_t dst = label(plan, s->dst), left = label(plan, s->left);

    switch (s->kind) {
    case NAPCOLL_STEP_RECV:
        fprintf(out, "    recv   %s%s <- rank %d\n", sizes_in(s), dst.text, s->peer);
        break;
    case NAPCOLL_STEP_SEND:
        fprintf(out, "    send   %s%s -> rank %d\n", sizes_in(s), left.text, s->peer);
        break;
    case NAPCOLL_STEP_REDUCE:
        fprintf(out, "    reduce %s = %s op %s\n", dst.text, left.text, label(plan, s->right).text);
        break;
    case NAPCOLL_STEP_COPY:
        fprintf(out, "    copy   %s = %s\n", dst.text, left.text);
        break;
    default:
        fprintf(out, "    phase  %s %s %d: %s = %s\n", phase_names[s->phase],
                NAPCOLL_SCOPE_NODE == s->scope ? "on the node, root lane"
                                               : "among leaders, root node",
                s->peer, dst.text, left.text);
    }
}

int napcoll_plan_print(const napcoll_plan_t *plan, FILE *out)
{
    fprintf(out, "%s %s, rank %d: ", plan->collective, plan->algorithm, plan->rank);
    if (NAPCOLL_LAYOUT_EDGES == plan->layout) {
        fprintf(out, "blocks to %d and from %d neighbours, ", plan->user[NAPCOLL_BUFFER_SEND].count,
                plan->user[NAPCOLL_BUFFER_RECV].count);
    } else {
        fprintf(out, "%d block%s, ", plan->blocks, 1 == plan->blocks ? "" : "s");
    }
    fprintf(out, "%d temporar%s, ", plan->temps, 1 == plan->temps ? "y" : "ies");
    fprintf(out, "%d stage%s", plan->stages, 1 == plan->stages ? "" : "s");
    if (plan->pieces > 1) {
        fprintf(out, ", for each of %d pieces of the blocks", plan->pieces);
    }
    fprintf(out, "\n");
    for (int i = 0; i < plan->stages; i++) {
        const napcoll_stage_t *stage = &plan->stage[i];

        fprintf(out, "  stage %d\n", i);
        for (int j = 0; j < stage->messages + stage->work; j++) {
            print_step(plan, &plan->step[stage->first + j], out);
        }
    }
    return 0 == ferror(out) ? 0 : -1;
}
