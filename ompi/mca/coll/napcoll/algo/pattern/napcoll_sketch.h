/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Which of many like stages a sketch has (napcoll_plan.h). Pure: no MPI in here.
 *
 *     stages   0 | 1 ....... | ......... | ......... | ......... n - 2 | n - 1
 *     sketch   0 |    xx     |    xx     |    xx     |    xx           | n - 1
 *
 * The first and the last one stand for themselves, as they often differ (they reach into the own
 * node). Each quarter of the others has a run that stands for all of them: of one stage, or of
 * several where stages are short and not quite alike.
 */

#ifndef NAPCOLL_SKETCH_H
#define NAPCOLL_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

/** Runs of a sketch, and the most messages in each direction of a stage of a rough one. */
enum { NAPCOLL_SKETCH_PARTS = 4, NAPCOLL_SKETCH_ROUGH = 64 };

/** A stage of those that a plan or its sketch has. */
typedef struct napcoll_sketch {
    /** Its number; `stages` behind the last. */
    int stage;
    /** The number of stages that it stands for. */
    int times;
    /** Stages of the sketch before it. */
    int before;
    /** Of the plan. */
    int stages;
    /** Stages of a run; 0: the sketch has all stages. */
    int run;
} napcoll_sketch_t;

/** The first stage of a sketch whose runs have `run` stages. */
static inline napcoll_sketch_t napcoll_sketch_first(bool shortened, int stages, int run)
{
    const bool pays = stages >= 4 * NAPCOLL_SKETCH_PARTS * run;

    return (napcoll_sketch_t){.times = 1, .stages = stages, .run = shortened && pays ? run : 0};
}

/** The messages of a stage in each direction, for a plan with this number of them. */
static inline int napcoll_sketch_at_once(bool rough, int messages)
{
    return rough && messages > NAPCOLL_SKETCH_ROUGH ? NAPCOLL_SKETCH_ROUGH : messages;
}

/** The first of `all` that a part of them gets. */
static inline int napcoll_sketch_share(int all, int parts, int part)
{
    return (int) ((int64_t) all * part / parts);
}

/** Go on to the next one. */
static inline void napcoll_sketch_next(napcoll_sketch_t *at)
{
    const int inner = at->before, part = at->run > 0 ? inner / at->run : 0;

    at->before++;
    at->times = 1;
    if (0 == at->run) {
        at->stage++;
    } else if (part < NAPCOLL_SKETCH_PARTS) {
        const int begin = napcoll_sketch_share(at->stages - 2, NAPCOLL_SKETCH_PARTS, part);
        const int all = napcoll_sketch_share(at->stages - 2, NAPCOLL_SKETCH_PARTS, part + 1)
                        - begin;
        const int i = inner % at->run;

        at->stage = 1 + begin + (all - at->run) / 2 + i;
        at->times = napcoll_sketch_share(all, at->run, i + 1)
                    - napcoll_sketch_share(all, at->run, i);
    } else {
        at->stage = inner == NAPCOLL_SKETCH_PARTS * at->run ? at->stages - 1 : at->stages;
    }
}

#endif /* NAPCOLL_SKETCH_H */
