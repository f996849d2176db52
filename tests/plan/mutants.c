/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Writes plan sets with random errors in them, as text (napcoll-plans(5)), each with the verifier's
 * verdict behind it, for the second judge (judge.py).
 *
 *     mutants COUNT SEED
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_plan_text_write.h"
#include "util/napcoll_mix.h"
#include "verify/napcoll_verify.h"

enum { MOST_NODES = 4, MOST_PPN = 3, MUTATIONS = 10 };

/* The state of the random numbers. */
static uint64_t state;

/* A random number below a limit. */
static int below(int limit)
{
    state = napcoll_mix(state + 1);
    return (int) (state % (uint64_t) limit);
}

/* The plans of all ranks. */
typedef struct {
    napcoll_generator_t generator;
    napcoll_node_map_t *map;
    napcoll_plan_t *plan[MOST_NODES * MOST_PPN];
} set_t;

static void out_of_memory(void)
{
    fprintf(stderr, "mutants: out of memory\n");
    exit(EXIT_FAILURE);
}

/* Whether the judge knows a collective: all ranks know the sizes and places of all blocks. */
static bool is_judged(const napcoll_collective_t *collective)
{
    return !collective->uneven && !collective->spread;
}

/* Choose an algorithm and a placement; false: it cannot do it. */
static bool choose(set_t *set)
{
    const int ppn = 1 + below(MOST_PPN), size = ppn * (1 + below(MOST_NODES));
    const napcoll_collective_t *collective;
    int node[MOST_NODES * MOST_PPN], collectives = 0;
    napcoll_plan_args_t *args = &set->generator.args;

    while (NULL != napcoll_collectives[collectives]) {
        collectives++;
    }
    do {
        collective = napcoll_collectives[below(collectives)];
    } while (!is_judged(collective));
    for (int rank = 0; rank < size; rank++) {
        node[rank] = rank / ppn;
    }
    if (0 != napcoll_node_map_create(node, size, &set->map)) {
        out_of_memory();
    }
    *args = (napcoll_plan_args_t){
        .collective = collective,
        .algorithm = &collective->algorithm[below(collective->algorithms)],
        .map = set->map,
        .params = {.local_radix = 2 + below(3),
                   .segments = 1 + below(2),
                   .noncommutative = napcoll_goal_reduces(collective->goal) && 0 == below(3)}};
    args->params.root = napcoll_goal_is_rooted(collective->goal) ? below(size) : 0;
    args->params.segments = args->algorithm->segmented ? args->params.segments : 0;
    return size > 1
           && NAPCOLL_REASON_NONE
                  == napcoll_algorithm_eligible(args->algorithm, set->map, &args->params);
}

/* Take a step out of a plan. */
static void lose_step(napcoll_plan_t *plan, int index, napcoll_stage_t *stage)
{
    if (index < stage->first + stage->messages) {
        stage->messages--;
    } else {
        stage->work--;
    }
    memmove(plan->step + index, plan->step + index + 1,
            (size_t) (plan->steps - index - 1) * sizeof(*plan->step));
    plan->steps--;
    for (napcoll_stage_t *s = stage + 1; s < plan->stage + plan->stages; s++) {
        s->first--;
    }
}

/* Let the first message of a stage be the last of the one before, which has no work. */
static void move_message(napcoll_plan_t *plan, napcoll_stage_t *stage)
{
    if (stage > plan->stage && stage->messages > 0 && 0 == stage[-1].work) {
        stage->first++;
        stage->messages--;
        stage[-1].messages++;
    }
}

static void swap_steps(napcoll_step_t *a, napcoll_step_t *b)
{
    const napcoll_step_t kept = *a;

    *a = *b;
    *b = kept;
}

/* The direction of a message, or the operands of a reduction, the other way round. */
static void turn(napcoll_step_t *step)
{
    const napcoll_span_t left = step->left;

    if (NAPCOLL_STEP_REDUCE == step->kind) {
        step->left = step->right;
        step->right = left;
    } else {
        if (step->kind <= NAPCOLL_STEP_SEND) {
            step->kind = NAPCOLL_STEP_SEND == step->kind ? NAPCOLL_STEP_RECV : NAPCOLL_STEP_SEND;
        }
        step->left = step->dst;
        step->dst = left;
    }
}

/* Put one error into one rank's plan. */
static void mutate(napcoll_plan_t *plan, int size)
{
    const int index = 0 == plan->steps ? 0 : below(plan->steps);
    napcoll_step_t *step = &plan->step[index];
    napcoll_stage_t *stage = plan->stage;
    napcoll_span_t *span;

    if (0 == plan->steps) {
        return;
    }
    while (index >= stage->first + stage->messages + stage->work) {
        stage++;
    }
    span = NAPCOLL_STEP_RECV == step->kind || (step->kind > NAPCOLL_STEP_SEND && 0 == below(2))
               ? &step->dst
               : &step->left;
    if (NAPCOLL_BUFFER_LIST == span->buffer && below(4) > 0) {
        span = &plan->list[span->first + below(plan->listed - span->first)];
    }
    switch (below(MUTATIONS)) {
    case 0:
        step->peer = below(size);
        break;
    case 1:
        span->first += 1 - 2 * below(2);
        break;
    case 2:
        span->count += 1 - 2 * below(2);
        break;
    case 3:
        span->buffer = below(NAPCOLL_BUFFER_TEMP + plan->temps);
        break;
    case 4:
        swap_steps(step, &plan->step[below(plan->steps)]);
        break;
    case 5:
        swap_steps(step, &plan->step[stage->first + below(stage->messages + stage->work)]);
        break;
    case 6:
        turn(step);
        break;
    case 7:
        move_message(plan, stage);
        break;
    case 8:
        swap_steps(&plan->step[stage->first], &plan->step[plan->stage[below(plan->stages)].first]);
        break;
    default:
        lose_step(plan, index, stage);
        break;
    }
}

/* Count the messages of each stage as a reader of the text does: steps before the first work. */
static void count_messages(napcoll_plan_t *plan)
{
    for (napcoll_stage_t *s = plan->stage; s < plan->stage + plan->stages; s++) {
        const int steps = s->messages + s->work;

        s->messages = 0;
        while (s->messages < steps
               && plan->step[s->first + s->messages].kind <= NAPCOLL_STEP_SEND) {
            s->messages++;
        }
        s->work = steps - s->messages;
        if (s->messages > plan->max_messages) {
            plan->max_messages = s->messages;
        }
    }
}

static napcoll_plan_t *plan_of_set(void *context, int rank)
{
    set_t *set = context;

    napcoll_plan_retain(set->plan[rank]);
    return set->plan[rank];
}

/* Write one plan set and what the verifier says of it. */
static void write_set(set_t *set, int number)
{
    const napcoll_claim_t claim = napcoll_plan_args_claim(&set->generator.args);
    const int size = set->map->size, errors = 0 == below(8) ? 0 : 1 + below(2);
    napcoll_verdict_t verdict;
    char name[48];

    for (int rank = 0; rank < size; rank++) {
        set->plan[rank] = napcoll_generator_plan(&set->generator, rank);
        if (NULL == set->plan[rank]) {
            out_of_memory();
        }
    }
    for (int i = 0; i < errors; i++) {
        napcoll_plan_t *plan = set->plan[below(size)];

        mutate(plan, size);
        count_messages(plan);
    }
    (void) snprintf(name, sizeof(name), "m%d_%.24s", number, set->generator.args.algorithm->name);
    if (0 != napcoll_plan_text_write(&set->generator.args, name, plan_of_set, set, stdout)) {
        fprintf(stderr, "mutants: %s cannot be written\n", name);
        exit(EXIT_FAILURE);
    }
    (void) napcoll_plan_verify(set->plan, set->map, &claim, &verdict);
    printf("# verifier: %s\n", napcoll_verify_status_name(verdict.status));
    for (int rank = 0; rank < size; rank++) {
        napcoll_plan_free(set->plan[rank]);
    }
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 0;

    if (3 != argc || count < 1) {
        fprintf(stderr, "Usage: mutants COUNT SEED\n");
        return EXIT_FAILURE;
    }
    state = (uint64_t) strtoull(argv[2], NULL, 10);
    napcoll_plan_text_begin(stdout);
    for (int number = 0; number < count;) {
        set_t set = {.map = NULL};

        if (choose(&set)) {
            write_set(&set, number++);
        }
        napcoll_node_map_free(set.map);
    }
    return EXIT_SUCCESS;
}
