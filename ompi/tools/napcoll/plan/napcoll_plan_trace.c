/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the exporters for simulators share: the sizes in bytes and the tags of a plan's messages,
 * and the loop over the ranks. The blocks of a vector share its bytes as elements of one byte.
 */

#include <stdlib.h>

#include "napcoll_plan_tool.h"

/* Where a block begins, as in the component with a datatype of one byte. */
static int64_t block_start(const trace_t *t, int block)
{
    const int blocks = t->plan->blocks, larger = t->bytes % blocks;

    if (NAPCOLL_LAYOUT_VECTOR != t->plan->layout) {
        const int each = t->bytes / t->plan->pieces, last = t->plan->pieces - 1;

        return (int64_t) block * (t->piece == last ? t->bytes - last * each : each);
    }
    return (int64_t) block * (t->bytes / blocks) + (block < larger ? block : larger);
}

static int64_t span_bytes(const trace_t *t, napcoll_span_t span)
{
    return block_start(t, span.first + span.count) - block_start(t, span.first);
}

int64_t trace_message_bytes(const trace_t *t, const napcoll_step_t *step)
{
    const int64_t bytes = span_bytes(t, *napcoll_step_span(step))
                          + (int64_t) napcoll_plan_message_fixed(step);

    return 0 == bytes ? 1 : bytes;
}

int64_t trace_reduced_bytes(const trace_t *t, const napcoll_stage_t *stage)
{
    const napcoll_step_t *work = &t->plan->step[stage->first + stage->messages];
    int64_t bytes = 0;

    for (int i = 0; i < stage->work; i++) {
        bytes += NAPCOLL_STEP_REDUCE == work[i].kind ? span_bytes(t, work[i].dst) : 0;
    }
    return bytes;
}

int trace_next_tag(trace_t *t, const napcoll_step_t *step)
{
    return (NAPCOLL_STEP_SEND == step->kind ? t->sent : t->received)[step->peer]++;
}

/* Only the counters in use: there are as many as ranks. */
static void clear_tags(trace_t *t)
{
    for (int i = 0; i < t->plan->steps; i++) {
        if (t->plan->step[i].kind <= NAPCOLL_STEP_SEND) {
            t->sent[t->plan->step[i].peer] = t->received[t->plan->step[i].peer] = 0;
        }
    }
}

void trace_ranks(const options_t *o, const napcoll_node_map_t *map, trace_t *t,
                 void (*put_rank)(trace_t *t))
{
    napcoll_generator_t generator = generator_of(o, o->algorithm, map);
    napcoll_progress_t progress;

    t->sent = napcoll_allocate((size_t) map->size, sizeof(*t->sent));
    t->received = napcoll_allocate((size_t) map->size, sizeof(*t->received));
    napcoll_progress_begin(&progress, false);
    for (int rank = 0; rank < map->size && !ferror(t->out); rank++) {
        napcoll_plan_t *plan = make_plan(&generator, rank);

        t->plan = plan;
        put_rank(t);
        clear_tags(t);
        t->plan = NULL;
        napcoll_plan_free(plan);
        if (stdout != t->out) {
            napcoll_progress_tell(&progress, (rank + 1.0) / map->size, "rank %d of %d", rank + 1,
                                  map->size);
        }
    }
    napcoll_progress_clear(&progress);
    free(t->sent);
    free(t->received);
}
