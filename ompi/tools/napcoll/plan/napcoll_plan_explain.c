/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan explain: for one placement and size, what each algorithm would take on a machine and
 * what makes it so. What the component's auto does is napcoll_plan_explain_auto.c's.
 */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/napcoll_model.h"
#include "model/napcoll_simulate.h"
#include "napcoll_plan_explain.h"

static const char *plural(int count)
{
    return 1 == count ? "" : "s";
}

/* ---- what the plans ask for ---- */

static void count_stage(const napcoll_plan_t *plan, const napcoll_stage_t *stage,
                        const napcoll_node_map_t *map, explain_effort_t *effort)
{
    const int node = napcoll_node_map_node(map, plan->rank);
    const napcoll_step_t *step = &plan->step[stage->first];
    bool network = false;

    for (int i = 0; i < stage->messages; i++) {
        const bool send = NAPCOLL_STEP_SEND == step[i].kind;

        if (node == napcoll_node_map_node(map, step[i].peer)) {
            effort->local_messages += send ? 0 : plan->pieces;
            continue;
        }
        network = true;
        if (send) {
            effort->network_messages += plan->pieces;
            effort->node_vectors += plan->pieces * napcoll_plan_message_share(plan, &step[i]);
        }
    }
    effort->network_steps += network ? plan->pieces : 0;
    effort->local_steps += !network && stage->messages > 0 ? plan->pieces : 0;
    for (int i = stage->messages; i < stage->messages + stage->work; i++) {
        if (NAPCOLL_STEP_REDUCE == step[i].kind) {
            effort->folds += napcoll_plan_share(plan, step[i].dst);
        }
    }
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static void keep_most(explain_effort_t *all, const explain_effort_t *rank)
{
    all->network_steps = most(all->network_steps, rank->network_steps);
    all->local_steps = most(all->local_steps, rank->local_steps);
    all->network_messages = most(all->network_messages, rank->network_messages);
    all->local_messages = most(all->local_messages, rank->local_messages);
    all->folds = rank->folds > all->folds ? rank->folds : all->folds;
}

static explain_effort_t effort_of(napcoll_generator_t *generator)
{
    const napcoll_node_map_t *map = generator->args.map;
    double *sent = calloc((size_t) map->nodes, sizeof(*sent)); /* vectors, by node */
    explain_effort_t all = {0};

    if (NULL == sent) {
        out_of_memory();
    }
    for (int rank = 0; rank < map->size; rank++) {
        napcoll_plan_t *plan = napcoll_generator_plan(generator, rank);
        const int node = napcoll_node_map_node(map, rank);
        explain_effort_t own = {0};

        if (NULL == plan) {
            out_of_memory();
        }
        for (int i = 0; i < plan->stages; i++) {
            count_stage(plan, &plan->stage[i], map, &own);
        }
        napcoll_plan_free(plan);
        keep_most(&all, &own);
        sent[node] += own.node_vectors;
        all.node_vectors = sent[node] > all.node_vectors ? sent[node] : all.node_vectors;
    }
    free(sent);
    return all;
}

/* ---- times ---- */

static double simulated_us(const explain_case_t *c, napcoll_generator_t *generator)
{
    napcoll_simulation_t *simulation;
    napcoll_simulate_status_t status;
    double time_us = NAN;

    status = napcoll_simulation_create(c->map, napcoll_generator_plan, generator, &simulation);
    if (NAPCOLL_SIMULATE_OK == status) {
        status = napcoll_simulation_run(simulation, &c->machine, c->bytes, &time_us);
    }
    napcoll_simulation_free(simulation);
    if (NAPCOLL_SIMULATE_OK != status) {
        fprintf(stderr, "napcoll-plan: %s: %s\n", generator->args.algorithm->name,
                napcoll_simulate_status_help(status));
        exit(EXIT_FAILURE);
    }
    return time_us;
}

static double formula_us(const explain_case_t *c, const napcoll_algorithm_t *algorithm)
{
    napcoll_closed_form_t form = napcoll_model_closed_form(c->options->collective->name,
                                                           algorithm->name);

    return NULL == form || !is_uniform(c->options, c->map)
               ? NAN
               : form(&c->machine, c->map->nodes, c->map->max_ppn, c->bytes);
}

napcoll_settings_t explain_settings(const explain_case_t *c)
{
    const options_t *o = c->options;
    napcoll_settings_t settings = napcoll_select_defaults(o->collective);

    settings.local_radix = o->params.local_radix;
    settings.reproducible = o->params.reproducible;
    settings.machine = &c->machine;
    settings.thresholds = c->thresholds;
    settings.rules = c->rules;
    settings.unmeasured = o->processors > 0;
    settings.processors = o->processors;
    return settings;
}

napcoll_decision_t explain_decide(const explain_case_t *c, const napcoll_settings_t *settings)
{
    const options_t *o = c->options;
    const napcoll_question_t question = {.map = c->map,
                                         .bytes = (size_t) c->bytes,
                                         .noncommutative = o->params.noncommutative,
                                         .in_place = o->params.in_place,
                                         .bounded = o->params.bounded,
                                         .root = o->params.root};
    napcoll_decision_t decision;

    if (0 != napcoll_select(o->collective, settings, &question, &decision)) {
        out_of_memory();
    }
    return decision;
}

/* A radix that is none over nodes: then there is one value that suits a size, as with what can be chosen. */
static bool is_other_radix(const napcoll_tunable_t *tunable)
{
    return NAPCOLL_TUNES_RADIX_RANKS == tunable->tunes
           || NAPCOLL_TUNES_RADIX_LANES == tunable->tunes;
}

/* The parameters of an algorithm: of a broadcast's, what goes between nodes and the segments, of an all-to-all's
 * the radix, and of a gather's or scatter's the pieces, are those that the component would take. */
static void set_params(const explain_case_t *c, const napcoll_algorithm_t *algorithm,
                       napcoll_params_t *params)
{
    napcoll_settings_t settings = explain_settings(c);
    napcoll_decision_t decision;

    if (napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_SEGMENTS) < 0
        && napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_CHOICE) < 0
        && !is_other_radix(&algorithm->tunable[0]) && !algorithm->cut) {
        return;
    }
    settings.force = NAPCOLL_FORCE_FIRST + (int) (algorithm - c->options->collective->algorithm);
    decision = explain_decide(c, &settings);
    if (decision.algorithm >= 0) {
        params->segments = decision.params.segments;
        memcpy(params->tunable, decision.params.tunable, sizeof(params->tunable));
    }
}

static explain_candidate_t weigh(const explain_case_t *c, const napcoll_algorithm_t *algorithm)
{
    napcoll_generator_t generator = generator_of(c->options, algorithm, c->map);
    explain_candidate_t candidate = {
        .algorithm = algorithm, .simulated_us = NAN, .formula_us = NAN, .time_us = INFINITY};
    double time_us;

    candidate.reason = napcoll_algorithm_eligible(algorithm, c->map, &c->options->params);
    if (NAPCOLL_REASON_NONE != candidate.reason) {
        return candidate;
    }
    candidate.formula_us = formula_us(c, algorithm);
    set_params(c, algorithm, &generator.args.params);
    candidate.params = generator.args.params;
    candidate.too_long = c->simulated && guess_steps(&generator) > MOST_STEPS;
    if (c->simulated && !candidate.too_long) {
        candidate.simulated_us = simulated_us(c, &generator);
    }
    time_us = c->simulated ? candidate.simulated_us : candidate.formula_us;
    if (!isnan(time_us)) { /* else its plans explain nothing, and may take long */
        candidate.time_us = time_us;
        candidate.effort = effort_of(&generator);
    }
    return candidate;
}

/* Fastest first; those of one time, and those without, in the order of the collective's table. */
static int compare_candidates(const void *left, const void *right)
{
    const explain_candidate_t *a = left, *b = right;

    if (a->time_us < b->time_us || a->time_us > b->time_us) {
        return a->time_us < b->time_us ? -1 : 1;
    }
    return a->algorithm < b->algorithm ? -1 : a->algorithm > b->algorithm;
}

/* The fastest, or NULL where no time is known. */
static const explain_candidate_t *chosen(const explain_case_t *c)
{
    return c->candidates > 0 && c->candidate[0].time_us < INFINITY ? &c->candidate[0] : NULL;
}

/* ---- the table ---- */

static void print_time(double time_us)
{
    if (isnan(time_us)) {
        printf(" %14s", "-");
    } else {
        printf(" %14.3f", time_us);
    }
}

static void print_verdict(const explain_candidate_t *candidate, const explain_candidate_t *best)
{
    if (NAPCOLL_REASON_NONE != candidate->reason) {
        printf("cannot do this: %s\n", napcoll_reason_help(candidate->reason));
    } else if (candidate->too_long) {
        printf("its plans have too many steps to be simulated\n");
    } else if (candidate->time_us == INFINITY) {
        printf("no formula, no time\n");
    } else if (candidate == best) {
        printf("chosen: the least time\n");
    } else if (candidate->time_us <= best->time_us) {
        printf("as fast as %s\n", best->algorithm->name);
    } else if (best->time_us > 0) {
        printf("%.2f times the time of %s\n", candidate->time_us / best->time_us,
               best->algorithm->name);
    } else {
        printf("slower than %s\n", best->algorithm->name);
    }
}

void explain_print_chosen(const napcoll_algorithm_t *algorithm, const napcoll_params_t *params,
                          const char *before, const char *between, const char *behind)
{
    int printed = 0;

    for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
        const napcoll_tunable_t *tunable = &algorithm->tunable[t];
        const int value = params->tunable[t];

        if (NAPCOLL_TUNES_CHOICE == tunable->tunes && value > 0) {
            printf("%s%s=%s", printed++ > 0 ? between : before, tunable->name,
                   tunable->names[value - 1]);
        } else if (NAPCOLL_TUNES_SEGMENTS == tunable->tunes && params->segments > 1) {
            printf("%s%s=%d", printed++ > 0 ? between : before, tunable->name, params->segments);
        } else if ((is_other_radix(tunable) || NAPCOLL_TUNES_WINDOW == tunable->tunes)
                   && value > 0) {
            printf("%s%s=%d", printed++ > 0 ? between : before, tunable->name, value);
        }
    }
    printf("%s", printed > 0 ? behind : "");
}

static void print_table(const explain_case_t *c)
{
    const options_t *o = c->options;

    printf("%s", o->collective->name);
    if (NAPCOLL_GOAL_BARRIER != o->collective->goal) {
        printf(" of %d bytes%s", c->bytes,
               !sized_by_rank(o->collective) ? ""
               : NAPCOLL_GOAL_ALLTOALL == o->collective->goal
                       || NAPCOLL_GOAL_SCATTER == o->collective->goal
                   ? " for each rank"
                   : " of each rank");
    }
    printf(", %d rank%s on %d node%s, %s\n", c->map->size, plural(c->map->size), c->map->nodes,
           plural(c->map->nodes), o->machine);
    if (c->simulated) {
        printf("The simulated times decide; closed forms are for comparison.\n");
    } else if (o->closed_form) {
        printf("The closed forms decide; plans are not simulated.\n");
    } else {
        printf("%d ranks are more than can be simulated (%d): the closed forms decide.\n",
               c->map->size, MOST_SIMULATED);
    }
    printf("\n%-20s %14s %14s\n", "algorithm", "simulated us", "closed form us");
    for (int i = 0; i < c->candidates; i++) {
        printf("%-20s", c->candidate[i].algorithm->name);
        print_time(c->candidate[i].simulated_us);
        print_time(c->candidate[i].formula_us);
        printf("  ");
        explain_print_chosen(c->candidate[i].algorithm, &c->candidate[i].params, "", ", ", "; ");
        if (c->candidate[i].algorithm->cut && c->candidate[i].params.segments > 1) {
            printf("%d pieces; ", c->candidate[i].params.segments);
        }
        print_verdict(&c->candidate[i], chosen(c));
    }
}

/* ---- why ---- */

/* Add what there is more of to the list of an algorithm. */
static void list_more(int *listed, const char *best, double more, const char *thing,
                      const char *where)
{
    if (more < 1) {
        return;
    }
    printf("%s%s%s%.0f %s%s %s", 0 == *listed ? "    more than " : "", 0 == *listed ? best : "",
           0 == *listed ? ": " : ", ", floor(more), thing, more < 2 ? "" : "s", where);
    (*listed)++;
}

static const char *fold_of(const explain_case_t *c)
{
    return sized_by_rank(c->options->collective) ? "of a rank's block" : "of the vector";
}

static void print_difference(const explain_case_t *c, const explain_effort_t *effort)
{
    const explain_effort_t *least = &chosen(c)->effort;
    const char *best = chosen(c)->algorithm->name;
    const double more = (effort->node_vectors - least->node_vectors) * c->bytes;
    int listed = 0;

    list_more(&listed, best, effort->network_steps - least->network_steps, "step", "between nodes");
    list_more(&listed, best, effort->network_messages - least->network_messages, "message",
              "sent to other nodes");
    list_more(&listed, best, more, "byte", "of a node");
    list_more(&listed, best, effort->local_steps - least->local_steps, "step", "inside a node");
    list_more(&listed, best, effort->local_messages - least->local_messages, "message",
              "taken in from the own node");
    list_more(&listed, best, effort->folds - least->folds, "fold", fold_of(c));
    if (listed > 0) {
        printf("\n");
    }
}

static void print_effort(const explain_case_t *c, const char *name, const explain_effort_t *e)
{
    const napcoll_collective_t *collective = c->options->collective;

    printf("%s\n    %d step%s between nodes, in which a rank sends %d message%s", name,
           e->network_steps, plural(e->network_steps), e->network_messages,
           plural(e->network_messages));
    if (NAPCOLL_GOAL_BARRIER != collective->goal) {
        printf(" and a node %.0f bytes", e->node_vectors * c->bytes);
    }
    printf("\n    %d step%s inside a node; a rank takes in %d message%s from its own node\n",
           e->local_steps, plural(e->local_steps), e->local_messages, plural(e->local_messages));
    if (napcoll_goal_reduces(collective->goal)) {
        printf("    %.4g fold%s %s\n", e->folds, e->folds > 1 || e->folds < 1 ? "s" : "",
               fold_of(c));
    }
}

/* The arithmetic of a pipeline: its way, Hockney's number of segments, and what the pipeline takes with that, in
 * one piece, and with the segments that were taken. */
static void print_pipeline(const explain_case_t *c, const explain_candidate_t *candidate)
{
    const napcoll_machine_t *m = &c->machine;
    napcoll_hops_t hops;
    int best;

    if (NULL == candidate->algorithm->hops || 0 == c->bytes) {
        return;
    }
    hops = candidate->algorithm->hops(c->map, &candidate->params);
    best = napcoll_model_hockney_segments(m, &hops, c->bytes);
    printf("    a pipeline of %d hop%s between nodes and %d inside", hops.network,
           plural(hops.network), hops.local);
    if (hops.lanes > 1) {
        printf(", %d lanes", hops.lanes);
    }
    printf("; in the postal model %.3f us in one piece, %.3f us in Hockney's S* = %d segment%s",
           napcoll_model_pipeline_us(m, &hops, 1, c->bytes),
           napcoll_model_pipeline_us(m, &hops, best, c->bytes), best, plural(best));
    if (candidate->params.segments > 1 && candidate->params.segments != best) {
        printf(", %.3f us in %d",
               napcoll_model_pipeline_us(m, &hops, candidate->params.segments, c->bytes),
               candidate->params.segments);
    }
    printf("\n");
}

static void print_efforts(const explain_case_t *c)
{
    printf("\nWhat the plans ask for, of the rank or node that has most of it:\n");
    for (int i = 0; i < c->candidates; i++) {
        const explain_candidate_t *candidate = &c->candidate[i];
        const explain_effort_t *e = &candidate->effort;

        if (INFINITY == candidate->time_us) {
            continue;
        }
        print_effort(c, candidate->algorithm->name, e);
        print_pipeline(c, candidate);
        if (candidate != chosen(c)) {
            print_difference(c, e);
        }
    }
}

/* What blocks in transit take on the process that has most, and the plan: the root's, where there is one. */
static void print_memory(const explain_case_t *c)
{
    bool first = true;

    for (int i = 0; i < c->candidates; i++) {
        const explain_candidate_t *candidate = &c->candidate[i];
        napcoll_generator_t generator = generator_of(c->options, candidate->algorithm, c->map);
        napcoll_plan_t *plan;
        int slots;

        if (!candidate->algorithm->detours || NAPCOLL_REASON_NONE != candidate->reason) {
            continue;
        }
        generator.args.params = candidate->params;
        generator.args.rank = napcoll_plan_args_root(&generator.args);
        plan = napcoll_generator_plan(&generator, generator.args.rank);
        slots = NULL == plan ? -1 : napcoll_plan_args_slots(&generator.args, plan);
        if (slots < 0) {
            out_of_memory();
        }
        printf("%s%-20s %d slot%s, %.0f bytes for blocks in transit; plan of %zu bytes\n",
               first ? "\nMemory of a process:\n" : "", candidate->algorithm->name, slots,
               plural(slots), (double) slots * c->bytes, napcoll_plan_bytes(plan));
        first = false;
        napcoll_plan_free(plan);
    }
}

/* ---- the command ---- */

/* The plan of --rank, by the chosen algorithm. */
static int print_rank(const explain_case_t *c)
{
    napcoll_generator_t generator;

    if (c->options->rank < 0 || NULL == chosen(c)) {
        return 0;
    }
    generator = generator_of(c->options, chosen(c)->algorithm, c->map);
    generator.args.params = chosen(c)->params;
    printf("\n");
    return print_plan(&generator, c->options->rank, stdout);
}

static void check_placement(const options_t *o, const napcoll_node_map_t *map)
{
    require_p2p(o); /* with formulas as well: efforts are those of the plans */
    require_uniform(o, map);
    if (map->size > MOST_SIMULATED && !is_uniform(o, map)) {
        complain("--nodes, --ppn: %d ranks: expected at most %d where nodes or --map are such that "
                 "there is no formula",
                 map->size, MOST_SIMULATED);
    }
}

int explain(options_t *o)
{
    napcoll_node_map_t *map;
    explain_case_t c = {.options = o};
    napcoll_parameters_t parameters;
    int rc;

    c.bytes = read_size("bytes", o->byte_range, default_bytes(o), 0, MOST_BYTES);
    c.map = map = make_map(o);
    check_placement(o, map);
    read_machine(o, &c.machine);
    read_parameters(o, &parameters);
    c.thresholds = parameters.thresholds;
    c.rules_file = NULL != o->rules ? o->rules : parameters.rules_file;
    c.rules_file = NULL != c.rules_file && '\0' == *c.rules_file ? NULL : c.rules_file;
    c.rules = read_rules(c.rules_file);
    c.simulated = !o->closed_form && map->size <= MOST_SIMULATED;
    for (int row = 0; row < o->collective->algorithms && row < MOST_ALGORITHMS; row++) {
        c.candidate[c.candidates++] = weigh(&c, &o->collective->algorithm[row]);
    }
    qsort(c.candidate, (size_t) c.candidates, sizeof(c.candidate[0]), compare_candidates);
    print_table(&c);
    print_efforts(&c);
    print_memory(&c);
    explain_component(&c);
    rc = print_rank(&c);
    napcoll_rules_free(c.rules);
    napcoll_parameters_close(&parameters);
    napcoll_node_map_free(map);
    return 0 == rc && 0 == fflush(stdout) && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
