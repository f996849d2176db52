/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan verify: whole proofs by symmetry. The plans of all ranks are made, by several
 * threads, and compared with the plans of a few, and only these few are
 * proved (verify/napcoll_symmetry.h).
 */

#include "napcoll_plan_symmetry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/napcoll_memory.h"

enum {
    /* Places that a thread compares before it asks for more. */
    AT_ONCE = 64
};

/* Runs of lists in the plans of all ranks, up to which the lists of all are compared. Beyond, of an
 * all-to-all that forwards blocks, whose lists depend on the lane only, sketches are. */
static const int64_t most_listed = (int64_t) 1 << 27;

/* A comparison of all plans with their models'. */
typedef struct {
    const napcoll_generator_t *generator;
    napcoll_plan_source_t source;
    void *context;
    napcoll_symmetry_t symmetry;
    /* of sketches; model NULL: plans are compared in full */
    napcoll_symmetry_t sketches;
    /* places of the node order; where sketches are compared, first the places of the first and of
     * the last node, whose plans are compared in full */
    atomic_int next, next_long;
    atomic_bool broken;
    /* protects what follows */
    pthread_mutex_t lock;
    napcoll_plan_t *exception[NAPCOLL_SYMMETRY_EXCEPTIONS];
    int exceptions;
} comparison_t;

static napcoll_plan_t *make_sketch(const napcoll_generator_t *generator, int rank)
{
    napcoll_generator_t sketch = *generator;

    sketch.args.sketch = true;
    return napcoll_generator_plan(&sketch, rank);
}

/* Note an exception; the plan belongs to the comparison then. */
static void note_exception(comparison_t *all, napcoll_plan_t *plan)
{
    (void) pthread_mutex_lock(&all->lock);
    if (all->exceptions < NAPCOLL_SYMMETRY_EXCEPTIONS) {
        all->exception[all->exceptions++] = plan;
    } else {
        napcoll_plan_free(plan);
        atomic_store(&all->broken, true);
    }
    (void) pthread_mutex_unlock(&all->lock);
}

/* Compare a rank's plan in full. */
static void compare_plan(comparison_t *all, int rank)
{
    napcoll_plan_t *plan = all->source(all->context, rank), *sketch = NULL;
    napcoll_symmetry_match_t match = NULL == plan ? NAPCOLL_SYMMETRY_BROKEN
                                                  : napcoll_symmetry_match(&all->symmetry, plan);

    if (NULL != plan && NULL != all->sketches.model) {
        sketch = make_sketch(all->generator, rank);
        if (NULL == sketch || !napcoll_symmetry_is_sketch(sketch, plan)) {
            match = NAPCOLL_SYMMETRY_BROKEN;
        }
        napcoll_plan_free(sketch);
    }
    if (NAPCOLL_SYMMETRY_EXCEPTION == match) {
        note_exception(all, plan);
        return;
    }
    if (NAPCOLL_SYMMETRY_BROKEN == match) {
        atomic_store(&all->broken, true);
    }
    napcoll_plan_free(plan);
}

/* Compare the sketch of a rank's plan. */
static void compare_sketch(comparison_t *all, int rank)
{
    napcoll_plan_t *sketch = make_sketch(all->generator, rank);

    if (NULL == sketch
        || NAPCOLL_SYMMETRY_IMAGE != napcoll_symmetry_match(&all->sketches, sketch)) {
        atomic_store(&all->broken, true);
    }
    napcoll_plan_free(sketch);
}

static void *compare(void *argument)
{
    comparison_t *all = argument;
    const napcoll_node_map_t *map = all->symmetry.map;
    const bool sketches = NULL != all->sketches.model;
    const int first_end = napcoll_node_map_ppn(map, 0);
    const int last_begin = map->size - napcoll_node_map_ppn(map, map->nodes - 1);
    int first;

    /* what takes longest comes first */
    while (sketches && !atomic_load(&all->broken)
           && (first = atomic_fetch_add(&all->next_long, 1)) < first_end + map->size - last_begin) {
        compare_plan(all, napcoll_node_map_at(
                              map, first < first_end ? first : last_begin + first - first_end));
    }
    while (!atomic_load(&all->broken)
           && (first = atomic_fetch_add(&all->next, AT_ONCE)) < map->size) {
        for (int place = first; place < map->size && place < first + AT_ONCE; place++) {
            if (!sketches) {
                compare_plan(all, napcoll_node_map_at(map, place));
            } else if (place >= first_end && place < last_begin) {
                compare_sketch(all, napcoll_node_map_at(map, place));
            }
        }
    }
    return NULL;
}

static void compare_all(comparison_t *all, int jobs)
{
    pthread_t *thread = napcoll_allocate((size_t) jobs, sizeof(*thread));
    int started = 0;

    while (started + 1 < jobs && 0 == pthread_create(&thread[started], NULL, compare, all)) {
        started++;
    }
    (void) compare(all);
    for (int i = 0; i < started; i++) {
        (void) pthread_join(thread[i], NULL);
    }
    free(thread);
}

static void free_models(napcoll_symmetry_t *symmetry)
{
    for (int i = 0; NULL != symmetry->model && i < symmetry->period; i++) {
        napcoll_plan_free(symmetry->model[i]);
    }
    free(symmetry->model);
    symmetry->model = NULL;
}

/* Make the plans of the models, or their sketches. */
static bool make_models(comparison_t *all, napcoll_symmetry_t *symmetry, bool sketches)
{
    symmetry->model = napcoll_allocate((size_t) symmetry->period, sizeof(*symmetry->model));
    for (int i = 0; i < symmetry->period; i++) {
        const int rank = napcoll_node_map_at(symmetry->map, symmetry->base + i);

        symmetry->model[i] = sketches ? make_sketch(all->generator, rank)
                                      : all->source(all->context, rank);
        if (NULL == symmetry->model[i]) {
            return false;
        }
    }
    return true;
}

/* Whether the plan of the rank after the models is an image. */
static bool seems_to_hold(comparison_t *all)
{
    const napcoll_symmetry_t *symmetry = &all->symmetry;
    const int place = (symmetry->base + symmetry->period) % symmetry->map->size;
    napcoll_plan_t *plan = all->source(all->context, napcoll_node_map_at(symmetry->map, place));
    const bool holds = NULL != plan
                       && NAPCOLL_SYMMETRY_IMAGE == napcoll_symmetry_match(symmetry, plan);

    napcoll_plan_free(plan);
    return holds;
}

/* Find the symmetry that the plans may have, and make its models. */
static bool find_symmetry(comparison_t *all, const napcoll_claim_t *claim)
{
    const napcoll_node_map_t *map = all->generator->args.map;
    const struct {
        napcoll_symmetry_kind_t kind;
        int period;
    } candidate[] = {{NAPCOLL_SYMMETRY_RING, 1},
                     {NAPCOLL_SYMMETRY_TORUS, 1},
                     {NAPCOLL_SYMMETRY_RING, map->max_ppn}};

    for (size_t i = 0; i < sizeof(candidate) / sizeof(candidate[0]); i++) {
        if (!napcoll_symmetry_is_possible(map, claim, candidate[i].kind, candidate[i].period)) {
            continue;
        }
        all->symmetry = (napcoll_symmetry_t){.kind = candidate[i].kind,
                                             .map = map,
                                             .claim = claim,
                                             .base = 1,
                                             .period = candidate[i].period};
        if (make_models(all, &all->symmetry, false) && seems_to_hold(all)) {
            return true;
        }
        free_models(&all->symmetry);
    }
    return false;
}

bool prove_by_symmetry(const napcoll_generator_t *generator, napcoll_plan_source_t source,
                       void *context, int jobs, const napcoll_claim_t *claim,
                       napcoll_verdict_t *verdict)
{
    comparison_t all = {.generator = generator,
                        .source = source,
                        .context = context,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    bool holds = find_symmetry(&all, claim);

    if (holds && generator->args.algorithm->store_and_forward
        && (int64_t) all.symmetry.model[0]->listed * all.symmetry.map->size > most_listed) {
        all.sketches = all.symmetry;
        holds = make_models(&all, &all.sketches, true);
    }
    if (holds) {
        compare_all(&all, jobs);
        holds = !atomic_load(&all.broken);
    }
    if (holds) {
        holds = NAPCOLL_VERIFY_OK
                    == napcoll_symmetry_prove(&all.symmetry, all.exception, all.exceptions, verdict)
                || 0 == all.exceptions;
    }
    for (int i = 0; i < all.exceptions; i++) {
        napcoll_plan_free(all.exception[i]);
    }
    free_models(&all.symmetry);
    free_models(&all.sketches);
    return holds;
}
