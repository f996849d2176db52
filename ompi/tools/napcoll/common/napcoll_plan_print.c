/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans for people:
 *
 *     allreduce nap, rank 4: 1 block, 4 temporaries, 5 stages
 *       stage 2
 *         recv   temp1 <- rank 16
 *         send   temp0 -> rank 16
 *         reduce   temp0 = temp1 op temp0
 */

#include "common/napcoll_plan_print.h"

#include <inttypes.h>

static const char *const phase_names[NAPCOLL_PHASE_KINDS] = {"none", "reduce", "bcast", "allreduce",
                                                             "allgather"};

const char *napcoll_phase_name(napcoll_phase_t phase)
{
    return phase_names[phase];
}

typedef struct {
    char text[64];
} label_t;

/* "temp3", or "temp3[2..5]" where there are several blocks; "nothing" for an empty span; of a list the first
 * run and how many blocks there are */
static label_t label(const napcoll_plan_t *plan, napcoll_span_t span)
{
    label_t l;
    int at;

    if (NAPCOLL_BUFFER_LIST == span.buffer && span.count > 0) {
        const label_t first = label(plan, plan->list[span.first]);

        (void) snprintf(l.text, sizeof(l.text), "%.32s... (%" PRId32 " blocks)", first.text,
                        span.count);
        return l;
    }
    if (0 == span.count) {
        at = snprintf(l.text, sizeof(l.text), "nothing");
    } else if (NAPCOLL_BUFFER_SEND == span.buffer) {
        at = snprintf(l.text, sizeof(l.text), "sendbuf");
    } else if (NAPCOLL_BUFFER_RECV == span.buffer) {
        at = snprintf(l.text, sizeof(l.text), "recvbuf");
    } else {
        at = snprintf(l.text, sizeof(l.text), "temp%" PRId32, span.buffer - NAPCOLL_BUFFER_TEMP);
    }
    if ((plan->blocks > 1 || NAPCOLL_LAYOUT_SLOTS == plan->layout) && span.count > 0 && at > 0
        && (size_t) at < sizeof(l.text)) {
        (void) snprintf(l.text + at, sizeof(l.text) - (size_t) at, "[%" PRId32 "..%" PRId32 "]",
                        span.first, span.first + span.count - 1);
    }
    return l;
}

static const char *sizes_in(const napcoll_step_t *s)
{
    return s->sizes ? "sizes of " : s->headed ? "sizes and " : "";
}

static int print_step(const napcoll_plan_t *plan, const napcoll_step_t *s, FILE *out)
{
    switch (s->kind) {
    case NAPCOLL_STEP_RECV:
        return fprintf(out, "    recv   %s%s <- rank %" PRId32 "\n", sizes_in(s),
                       label(plan, s->dst).text, s->peer);
    case NAPCOLL_STEP_SEND:
        return fprintf(out, "    send   %s%s -> rank %" PRId32 "\n", sizes_in(s),
                       label(plan, s->left).text, s->peer);
    case NAPCOLL_STEP_REDUCE:
        return fprintf(out, "    reduce %s = %s op %s\n", label(plan, s->dst).text,
                       label(plan, s->left).text, label(plan, s->right).text);
    case NAPCOLL_STEP_COPY:
        return fprintf(out, "    copy   %s = %s\n", label(plan, s->dst).text,
                       label(plan, s->left).text);
    default:
        return fprintf(out, "    phase  %s on the node, root lane %" PRId32 ": %s = %s\n",
                       napcoll_phase_name(s->phase), s->peer, label(plan, s->dst).text,
                       label(plan, s->left).text);
    }
}

int napcoll_plan_print(const napcoll_plan_t *plan, FILE *out)
{
    fprintf(
        out,
        "%s %s, rank %" PRId32 ": %" PRId32 " block%s, %" PRId32 " temporar%s, %" PRId32 " stage%s",
        plan->collective, plan->algorithm, plan->rank, plan->blocks, 1 == plan->blocks ? "" : "s",
        plan->temps, 1 == plan->temps ? "y" : "ies", plan->stages, 1 == plan->stages ? "" : "s");
    if (plan->pieces > 1) {
        fprintf(out, ", for each of %" PRId32 " pieces of the blocks", plan->pieces);
    }
    fprintf(out, "\n");
    for (int i = 0; i < plan->stages; i++) {
        const napcoll_stage_t *stage = &plan->stage[i];
        fprintf(out, "  stage %d\n", i);
        for (int j = 0; j < stage->messages + stage->work; j++) {
            (void) print_step(plan, &plan->step[stage->first + j], out);
        }
    }
    return 0 == ferror(out) ? 0 : -1;
}
