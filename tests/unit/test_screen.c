/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Decisions at scale: from sketches and a screen they are compared with those from whole plans,
 * with the number of estimates; and sketches have the messages of their plans.
 */

#include "cmocka_setup.h"

#include "placement.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "algo/pattern/napcoll_sketch.h"
#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "model/napcoll_screen.h"
#include "select/napcoll_select.h"

/* ---- the stages of sketches ---- */

static void sketch_stands_for_all_stages(void **state)
{
    (void) state;
    for (int run = 1; run <= 16; run *= 4) {
        for (int stages = 0; stages < 3000; stages += 1 + stages / 7) {
            int all = 0, last = -1, count = 0;

            for (napcoll_sketch_t at = napcoll_sketch_first(true, stages, run); at.stage < stages;
                 napcoll_sketch_next(&at)) {
                assert_true(at.stage > last && at.times >= 1);
                last = at.stage;
                all += at.times;
                count++;
            }
            assert_int_equal(all, stages);
            assert_int_equal(last, stages - 1);
            assert_true(count <= 4 * NAPCOLL_SKETCH_PARTS * run + 2);
        }
    }
}

static void plan_has_every_stage_once(void **state)
{
    napcoll_sketch_t at = napcoll_sketch_first(false, 1000, 1);

    (void) state;
    for (int stage = 0; stage < 1000; stage++) {
        assert_int_equal(at.stage, stage);
        assert_int_equal(at.times, 1);
        napcoll_sketch_next(&at);
    }
    assert_int_equal(at.stage, 1000);
}

/* ---- sketches of plans ---- */

typedef struct {
    double messages;
    double shares;
    double fixed;
    double reduced;
} effort_t;

static effort_t effort_of(const napcoll_plan_t *plan)
{
    effort_t effort = {0};

    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];

        for (int i = stage->first; i < stage->first + stage->messages + stage->work; i++) {
            const napcoll_step_t *step = &plan->step[i];
            const double times = napcoll_plan_times(plan, s);

            if (step->kind <= NAPCOLL_STEP_SEND) {
                effort.messages += times;
                effort.shares += times * napcoll_plan_share(plan, *napcoll_step_span(step));
                effort.fixed += times * napcoll_plan_message_fixed(step);
            } else if (NAPCOLL_STEP_REDUCE == step->kind) {
                effort.reduced += times * napcoll_plan_share(plan, step->dst);
            }
        }
    }
    return effort;
}

static void check_near(const char *what, const napcoll_plan_args_t *args, double sketch,
                       double plan, double off)
{
    if (fabs(sketch - plan) > off * plan + 1e-6) {
        fail_msg("%s %s, rank %d: %s: %g in the sketch, %g in the plan", args->collective->name,
                 args->algorithm->name, args->rank, what, sketch, plan);
    }
}

static void check_sketch(const napcoll_plan_args_t *args, bool shortened)
{
    napcoll_plan_args_t brief = *args;
    napcoll_plan_t *plan, *sketch;
    effort_t a, b;

    brief.sketch = true;
    brief.shortened = shortened;
    plan = args->algorithm->generate(args);
    sketch = brief.algorithm->generate(&brief);
    assert_non_null(plan);
    assert_non_null(sketch);
    assert_null(plan->times);
    a = effort_of(plan);
    b = effort_of(sketch);
    check_near("messages", args, b.messages, a.messages, shortened ? 0.02 : 0);
    check_near("bytes", args, b.shares, a.shares, shortened ? 0.05 : 0);
    check_near("bytes of sizes", args, b.fixed, a.fixed, shortened ? 0.05 : 0);
    check_near("reductions", args, b.reduced, a.reduced, shortened ? 0.05 : 0);
    napcoll_plan_free(plan);
    napcoll_plan_free(sketch);
}

static void check_sketches(const napcoll_collective_t *collective, const napcoll_node_map_t *map,
                           bool shortened)
{
    for (int row = 0; row < collective->algorithms; row++) {
        const napcoll_algorithm_t *algorithm = &collective->algorithm[row];
        napcoll_plan_args_t args = {.collective = collective,
                                    .algorithm = algorithm,
                                    .map = map,
                                    .params = {.segments = 1, .local_radix = 4, .root = 5}};
        int value[NAPCOLL_MOST_VALUES], values;

        if (!napcoll_goal_is_rooted(collective->goal)) {
            args.params.root = 0;
        }
        for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
            args.params.tunable[t] = algorithm->tunable[t].initial;
        }
        if (NAPCOLL_REASON_NONE != napcoll_algorithm_eligible(algorithm, map, &args.params)) {
            continue;
        }
        values = napcoll_select_values(algorithm, map, value);
        for (int v = 0; v < (values > 0 ? values : 1); v++) {
            args.params.tunable[0] = values > 0 ? value[v] : args.params.tunable[0];
            for (args.rank = 0; args.rank < map->size; args.rank += 1 + map->size / 5) {
                check_sketch(&args, shortened);
            }
        }
    }
}

static void sketches_have_what_plans_have(void **state)
{
    napcoll_node_map_t *map[] = {placement("6", "block", 72), placement("5,3,4", "random:2", 61),
                                 placement("8", "cyclic", 64)};

    (void) state;
    for (size_t m = 0; m < sizeof(map) / sizeof(map[0]); m++) {
        for (int c = 0; NULL != napcoll_collectives[c]; c++) {
            check_sketches(napcoll_collectives[c], map[m], false);
        }
        napcoll_node_map_free(map[m]);
    }
}

/* A stage that stands for others is similar to them, also where nodes differ in size. */
static void short_sketches_are_near(void **state)
{
    napcoll_node_map_t *map[] = {placement("4", "block", 1024), placement("8,6", "block", 1008)};

    (void) state;
    for (size_t m = 0; m < sizeof(map) / sizeof(map[0]); m++) {
        check_sketches(&napcoll_alltoall, map[m], true);
        check_sketches(&napcoll_alltoallv, map[m], true);
        check_sketches(&napcoll_allgather, map[m], true);
        check_sketches(&napcoll_reduce_scatter, map[m], true);
        napcoll_node_map_free(map[m]);
    }
}

/* ---- the screen ---- */

static void screen_keeps_the_best(void **state)
{
    const double cost[] = {100, 10, 12.4, 12.6, 11, 10.5, 10.2, 10.1};
    const bool kept[] = {false, true, false, false, false, true, true, true};
    napcoll_screen_t screen;
    double dropped;

    (void) state;
    napcoll_screen_begin(&screen);
    assert_true(screen.rough);
    assert_true(isinf(napcoll_screen_most_us(&screen)));
    for (size_t i = 0; i < sizeof(cost) / sizeof(cost[0]); i++) {
        napcoll_screen_add(&screen, cost[i]);
    }
    napcoll_screen_end(&screen);
    for (size_t i = 0; i < sizeof(cost) / sizeof(cost[0]); i++) {
        dropped = -1;
        assert_int_equal(!napcoll_screen_drops(&screen, &dropped), kept[i]);
        assert_true(kept[i] || (dropped >= cost[i] && dropped <= cost[i]));
    }
    /* nothing is known of it */
    assert_false(napcoll_screen_drops(&screen, &dropped));
}

static void screen_drops_what_is_out_of_the_margin(void **state)
{
    const double cost[] = {12.6, 10, 12.4};
    napcoll_screen_t screen;
    double dropped;

    (void) state;
    napcoll_screen_begin(&screen);
    for (int i = 0; i < 3; i++) {
        napcoll_screen_add(&screen, cost[i]);
    }
    napcoll_screen_end(&screen);
    assert_true(napcoll_screen_drops(&screen, &dropped));
    assert_false(napcoll_screen_drops(&screen, &dropped));
    assert_false(napcoll_screen_drops(&screen, &dropped));
}

/* ---- decisions ---- */

static napcoll_settings_t settings_of(const napcoll_collective_t *collective)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);

    settings.machine = &napcoll_machine_default;
    return settings;
}

static napcoll_decision_t decide(const napcoll_collective_t *collective,
                                 const napcoll_node_map_t *map, size_t bytes, bool closely)
{
    const napcoll_call_t call = {.collective = collective, .map = map, .bytes = bytes};
    napcoll_settings_t settings = settings_of(collective);
    napcoll_decision_t decision;

    settings.closely = closely;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    return decision;
}

/* The times of the decisions by whole plans. */
static double close_us(const napcoll_collective_t *collective, const napcoll_node_map_t *map,
                       const napcoll_decision_t *decision)
{
    const napcoll_settings_t settings = settings_of(collective);
    napcoll_generator_t generator = {
        .args = {.collective = collective, .map = map, .params = decision->params}};
    double lead_us = 0;

    assert_true(decision->algorithm >= 0);
    generator.args.algorithm = &collective->algorithm[decision->algorithm];
    if (NULL != generator.args.algorithm->hops) {
        const napcoll_hops_t hops = generator.args.algorithm->hops(map, &decision->params);

        lead_us = napcoll_model_lead_us(settings.machine, &hops, decision->params.segments,
                                        (double) decision->most);
    }
    return napcoll_plan_cost_us(map, napcoll_generator_plan, &generator,
                                napcoll_goal_is_rooted(collective->goal) ? 0 : -1, settings.machine,
                                (double) decision->most, lead_us, INFINITY);
}

static bool same(const napcoll_decision_t *a, const napcoll_decision_t *b)
{
    return a->algorithm == b->algorithm
           && (a->algorithm < 0
               || (a->params.local_radix == b->params.local_radix
                   && a->params.segments == b->params.segments
                   && a->params.tunable[0] == b->params.tunable[0]));
}

/* On few ranks nothing changes. */
static void few_ranks_are_decided_closely(void **state)
{
    napcoll_node_map_t *map[] = {placement("8", "block", 96), placement("7,5", "cyclic", 90)};

    (void) state;
    for (size_t m = 0; m < sizeof(map) / sizeof(map[0]); m++) {
        for (int c = 0; NULL != napcoll_collectives[c]; c++) {
            for (size_t bytes = 8; bytes <= 1 << 20; bytes *= 32) {
                if (!sweep_takes()) {
                    continue;
                }
                const napcoll_decision_t a = decide(napcoll_collectives[c], map[m], bytes, false);
                const napcoll_decision_t b = decide(napcoll_collectives[c], map[m], bytes, true);

                assert_memory_equal(&a, &b, sizeof(a));
            }
        }
        napcoll_node_map_free(map[m]);
    }
}

/* Sizes and placements that take a few seconds; tests/bench/decisions.c has more. */
static void screened_decisions_are_those_of_whole_plans(void **state)
{
    napcoll_node_map_t *map[] = {placement("16", "block", 512), placement("24,17", "cyclic", 615)};
    int cases = 0, alike = 0;

    (void) state;
    for (size_t m = 0; m < sizeof(map) / sizeof(map[0]); m++) {
        for (int c = 0; NULL != napcoll_collectives[c]; c++) {
            for (size_t bytes = 8; bytes <= 1 << 20; bytes *= 128) {
                if (!sweep_takes()) {
                    continue;
                }
                const napcoll_collective_t *collective = napcoll_collectives[c];
                const napcoll_decision_t a = decide(collective, map[m], bytes, false);
                const napcoll_decision_t b = decide(collective, map[m], bytes, true);
                double ratio;

                cases++;
                if (same(&a, &b)) {
                    alike++;
                    continue;
                }
                ratio = close_us(collective, map[m], &a) / close_us(collective, map[m], &b);
                if (!(ratio <= 1.2)) {
                    fail_msg("%s of %zu bytes on %d ranks: %g times as slow", collective->name,
                             bytes, map[m]->size, ratio);
                }
            }
        }
        napcoll_node_map_free(map[m]);
    }
    if (alike < 0.95 * cases) {
        fail_msg("%d of %d decisions are the same", alike, cases);
    }
}

static double cpu_ms(void)
{
    struct timespec now;

    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (double) now.tv_sec * 1e3 + (double) now.tv_nsec * 1e-6;
}

static double decisions_ms(const napcoll_collective_t *collective, const napcoll_node_map_t *map)
{
    const double begin = cpu_ms();

    for (size_t bytes = 8; bytes <= 1 << 20; bytes *= 16) {
        (void) decide(collective, map, bytes, false);
    }
    return cpu_ms() - begin;
}

/* The time of a decision does not grow with the ranks; without sketches it is 100 times as long.
 * Milliseconds depend on the machine, and the address checker's work grows with the memory. */
static void decisions_take_no_longer_on_a_million_ranks(void **state)
{
    enum { TIMES = 10, MORE_MS = 100 };
#ifdef __SANITIZE_ADDRESS__
    (void) state;
    skip();
#endif
    napcoll_node_map_t *few = placement("64", "block", 4096);
    napcoll_node_map_t *map[] = {placement("64", "block", 65536),
                                 placement("96,95", "block", 40000),
                                 placement("64", "cyclic", 1 << 20)};

    (void) state;
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        const double few_ms = decisions_ms(napcoll_collectives[c], few);

        for (size_t m = 0; m < sizeof(map) / sizeof(map[0]); m++) {
            const double ms = decisions_ms(napcoll_collectives[c], map[m]);

            if (ms > TIMES * few_ms + MORE_MS) {
                fail_msg("%s: %g ms on %d ranks, %g ms on %d", napcoll_collectives[c]->name, ms,
                         map[m]->size, few_ms, few->size);
            }
        }
    }
    for (size_t m = 0; m < sizeof(map) / sizeof(map[0]); m++) {
        napcoll_node_map_free(map[m]);
    }
    napcoll_node_map_free(few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sketch_stands_for_all_stages),
        cmocka_unit_test(plan_has_every_stage_once),
        cmocka_unit_test(sketches_have_what_plans_have),
        cmocka_unit_test(short_sketches_are_near),
        cmocka_unit_test(screen_keeps_the_best),
        cmocka_unit_test(screen_drops_what_is_out_of_the_margin),
        cmocka_unit_test(few_ranks_are_decided_closely),
        cmocka_unit_test(screened_decisions_are_those_of_whole_plans),
        cmocka_unit_test(decisions_take_no_longer_on_a_million_ranks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
