/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Writing plans as text (see the header).
 */

#include "common/napcoll_plan_text_write.h"

#include <stdlib.h>
#include <string.h>

#include "algo/file/napcoll_plan_words.h"

/* What the lines before the ranks say of all plans. */
typedef struct {
    napcoll_layout_t layout;
    int blocks;
    int pieces;
    bool reduces_alone;
    bool announces;
} shape_t;

/* The node of each rank; equal ones in a row are written once with their number. */
static void put_nodes(const napcoll_node_map_t *map, FILE *out)
{
    fputs("nodes", out);
    for (int rank = 0, next; rank < map->size; rank = next) {
        const int node = napcoll_node_map_node(map, rank);

        next = rank + 1;
        while (next < map->size && napcoll_node_map_node(map, next) == node) {
            next++;
        }
        fprintf(out, next > rank + 1 ? " %d*%d" : " %d", node, next - rank);
    }
    fputc('\n', out);
}

static void put_claims(const napcoll_plan_args_t *args, FILE *out)
{
    const napcoll_claim_t claim = napcoll_plan_args_claim(args);

    if (napcoll_goal_is_rooted(claim.goal)) {
        fprintf(out, "root %d\n", claim.root);
    }
    if (claim.in_place) {
        fputs("in_place yes\n", out);
    }
    if (claim.noncommutative) {
        fputs("noncommutative\n", out);
    }
    if (claim.canonical) {
        fputs("halves\n", out);
    }
    if (claim.announces) {
        fputs("announces\n", out);
    }
    if (claim.max_messages > 0) {
        fprintf(out, "messages %d\n", claim.max_messages);
    }
    if (claim.max_inter > 0) {
        fprintf(out, "inter %d\n", claim.max_inter);
    }
}

static void put_head(const napcoll_plan_args_t *args, const char *name, const shape_t *shape,
                     FILE *out)
{
    fprintf(out, "\nplan %s %s\nranks %d\n", name, args->collective->name, args->map->size);
    put_nodes(args->map, out);
    put_claims(args, out);
    fprintf(out, "layout %s", napcoll_layout_words[shape->layout]);
    if (NAPCOLL_LAYOUT_VECTOR == shape->layout) {
        fprintf(out, " %d", shape->blocks);
    }
    fputc('\n', out);
    if (shape->pieces > 1) {
        fprintf(out, "pieces %d\n", shape->pieces);
    }
    if (shape->reduces_alone) {
        fputs("alone\n", out);
    }
}

static void put_span(napcoll_span_t span, FILE *out)
{
    if (0 == span.buffer && 0 == span.first && 0 == span.count) {
        fputs(" -", out);
        return;
    }
    if (span.buffer >= NAPCOLL_BUFFER_TEMP) {
        fprintf(out, " temp%d", span.buffer - NAPCOLL_BUFFER_TEMP);
    } else if (NAPCOLL_BUFFER_LIST == span.buffer) {
        fputs(" list", out);
    } else {
        fputs(NAPCOLL_BUFFER_SEND == span.buffer ? " sendbuf" : " recvbuf", out);
    }
    fprintf(out, 1 == span.count ? "[%d]" : "[%d+%d]", span.first, span.count);
}

static void put_step(const napcoll_step_t *step, FILE *out)
{
    fputs(napcoll_step_words[step->kind], out);
    if (NAPCOLL_STEP_PHASE == step->kind) {
        fprintf(out, " %s %s %d", napcoll_scope_words[step->scope],
                napcoll_phase_words[step->phase], step->peer);
    }
    put_span(NAPCOLL_STEP_SEND == step->kind ? step->left : step->dst, out);
    if (step->kind <= NAPCOLL_STEP_SEND) {
        fprintf(out, " %s %d", NAPCOLL_STEP_SEND == step->kind ? "to" : "from", step->peer);
    } else {
        fputs(" =", out);
        put_span(step->left, out);
    }
    if (NAPCOLL_STEP_REDUCE == step->kind) {
        fputs(" op", out);
        put_span(step->right, out);
    }
    fputc('\n', out);
}

/* The temporaries and the list, a few words a line. */
static void put_memory(const napcoll_plan_t *plan, FILE *out)
{
    enum { OF_LINE = 16 };

    for (int t = 0; t < plan->temps; t++) {
        fprintf(out, "%s %d+%d", 0 == t % OF_LINE ? "temps" : "", plan->temp[t].first,
                plan->temp[t].count);
        if (OF_LINE - 1 == t % OF_LINE || plan->temps - 1 == t) {
            fputc('\n', out);
        }
    }
    for (int i = 0; i < plan->listed; i++) {
        fputs(0 == i % OF_LINE ? "list" : "", out);
        put_span(plan->list[i], out);
        if (OF_LINE - 1 == i % OF_LINE || plan->listed - 1 == i) {
            fputc('\n', out);
        }
    }
}

static void put_plan(const napcoll_plan_t *plan, FILE *out)
{
    fprintf(out, "\nrank %d\n", plan->rank);
    put_memory(plan, out);
    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];

        fputs("stage\n", out);
        for (int i = 0; i < stage->messages + stage->work; i++) {
            put_step(&plan->step[stage->first + i], out);
        }
    }
}

/* Whether the lines before the ranks hold for a plan. */
static bool fits(const napcoll_plan_t *plan, const shape_t *shape)
{
    for (int i = 0; i < plan->steps; i++) {
        if (plan->step[i].kind <= NAPCOLL_STEP_SEND && plan->step[i].headed != shape->announces) {
            return false;
        }
    }
    return plan->layout == shape->layout && plan->blocks == shape->blocks
           && plan->pieces == shape->pieces && plan->reduces_alone == shape->reduces_alone
           && NULL == plan->times;
}

int napcoll_plan_text_write(const napcoll_plan_args_t *args, const char *name,
                            napcoll_plan_source_t source, void *context, FILE *out)
{
    shape_t shape = {.pieces = 0};
    bool fit = true;

    for (int rank = 0; rank < args->map->size && fit && !ferror(out); rank++) {
        napcoll_plan_t *plan = source(context, rank);

        if (NULL == plan) {
            return NAPCOLL_PLAN_WRITE_NO_MEMORY;
        }
        if (0 == rank) {
            shape = (shape_t){.layout = plan->layout,
                              .blocks = plan->blocks,
                              .pieces = plan->pieces,
                              .reduces_alone = plan->reduces_alone,
                              .announces = napcoll_plan_args_claim(args).announces};
            put_head(args, name, &shape, out);
        }
        fit = fits(plan, &shape);
        put_plan(plan, out);
        napcoll_plan_free(plan);
    }
    return fit ? 0 : NAPCOLL_PLAN_WRITE_FAILED;
}
