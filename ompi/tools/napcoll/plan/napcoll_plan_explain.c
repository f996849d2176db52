/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan explain: for one placement and size, the time of each algorithm on a machine and
 * its causes.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/file/napcoll_file_rows.h"
#include "common/napcoll_closed_form.h"
#include "model/napcoll_simulate.h"
#include "napcoll_plan_explain.h"

/* ---- what the plans need ---- */

static void count_stage(const napcoll_plan_t *plan, const napcoll_stage_t *stage,
                        const napcoll_node_map_t *map, double effort[EFFORTS])
{
    const int node = napcoll_node_map_node(map, plan->rank);
    const napcoll_step_t *step = &plan->step[stage->first];
    bool network = false;

    for (int i = 0; i < stage->messages; i++) {
        const bool send = NAPCOLL_STEP_SEND == step[i].kind;

        if (node == napcoll_node_map_node(map, step[i].peer)) {
            effort[EFFORT_LOCAL_MESSAGES] += send ? 0 : plan->pieces;
            continue;
        }
        network = true;
        if (send) {
            effort[EFFORT_NETWORK_MESSAGES] += plan->pieces;
            effort[EFFORT_NODE_VECTORS] += plan->pieces
                                           * napcoll_plan_share(plan, *napcoll_step_span(&step[i]));
        }
    }
    if (stage->messages > 0) {
        effort[network ? EFFORT_NETWORK_STEPS : EFFORT_LOCAL_STEPS] += plan->pieces;
    }
    for (int i = stage->messages; i < stage->messages + stage->work; i++) {
        if (NAPCOLL_STEP_REDUCE == step[i].kind) {
            effort[EFFORT_REDUCTIONS] += napcoll_plan_share(plan, step[i].dst);
        }
    }
}

static void count_effort(napcoll_generator_t *generator, double all[EFFORTS])
{
    const napcoll_node_map_t *map = generator->args.map;
    /* Vectors, by node */
    double *sent = napcoll_allocate((size_t) map->nodes, sizeof(*sent));

    for (int rank = 0; rank < map->size; rank++) {
        napcoll_plan_t *plan = make_plan(generator, rank);
        double *of_node = &sent[napcoll_node_map_node(map, rank)], own[EFFORTS] = {0};

        for (int i = 0; i < plan->stages; i++) {
            count_stage(plan, &plan->stage[i], map, own);
        }
        napcoll_plan_free(plan);
        *of_node += own[EFFORT_NODE_VECTORS];
        own[EFFORT_NODE_VECTORS] = *of_node;
        for (int e = 0; e < EFFORTS; e++) {
            all[e] = fmax(all[e], own[e]);
        }
    }
    free(sent);
}

/* ---- times ---- */

static double simulated_us(const explain_case_t *c, napcoll_generator_t *generator)
{
    const int all = c->options->collective->algorithms + (NULL != c->options->set);
    watched_t watched = {.generator = generator,
                         .progress = c->progress,
                         .before = (double) c->candidates / all,
                         .after = (c->candidates + 1.0) / all};
    napcoll_simulation_t *simulation;
    napcoll_simulate_status_t status;
    double time_us = NAN;

    status = napcoll_simulation_create(c->map, make_watched_plan, &watched, &simulation);
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
    settings.node_memory = c->node_memory;
    settings.unmeasured = o->processors > 0;
    settings.processors = o->processors;
    return settings;
}

napcoll_decision_t explain_decide(const explain_case_t *c, const napcoll_settings_t *settings)
{
    const options_t *o = c->options;
    const napcoll_call_t call = {.collective = o->collective,
                                 .map = c->map,
                                 .bytes = (size_t) c->bytes,
                                 .noncommutative = o->params.noncommutative,
                                 .in_place = o->params.in_place,
                                 .root = o->params.root,
                                 .neighborhood = o->neighborhoods.of,
                                 .request = o->request};
    napcoll_decision_t decision;

    if (0 != napcoll_select(settings, &call, &decision)) {
        napcoll_out_of_memory();
    }
    return decision;
}

/* A radix over ranks or lanes, or leaders: the model chooses its value for a size. */
static bool is_by_size(const napcoll_tunable_t *tunable)
{
    return NAPCOLL_TUNES_RADIX_RANKS == tunable->tunes
           || NAPCOLL_TUNES_RADIX_LANES == tunable->tunes
           || NAPCOLL_TUNES_LEADERS == tunable->tunes;
}

/* Take the component's values of parameters that the model chooses for a size: a broadcast's
 * algorithm between nodes and its segments, an all-to-all's radix or leaders, and the pieces of a
 * gather or scatter. */
static void set_params(const explain_case_t *c, const napcoll_algorithm_t *algorithm,
                       napcoll_params_t *params)
{
    napcoll_settings_t settings = explain_settings(c);
    napcoll_decision_t decision;

    if (napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_SEGMENTS) < 0
        && napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_CHOICE) < 0
        && !is_by_size(&algorithm->tunable[0]) && !algorithm->cuts_blocks) {
        return;
    }
    settings.force = NAPCOLL_FORCE_FIRST + (int) (algorithm - c->options->collective->algorithm);
    decision = explain_decide(c, &settings);
    if (decision.algorithm >= 0) {
        params->segments = decision.params.segments;
        memcpy(params->tunable, decision.params.tunable, sizeof(params->tunable));
    }
}

static explain_candidate_t evaluate(const explain_case_t *c, const napcoll_algorithm_t *algorithm)
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
    candidate.too_long = c->simulated && has_too_many_steps(&generator, false);
    if (c->simulated && !candidate.too_long) {
        candidate.simulated_us = simulated_us(c, &generator);
    }
    time_us = c->simulated ? candidate.simulated_us : candidate.formula_us;
    if (!isnan(time_us)) { /* else its plans explain nothing, and may take long */
        candidate.time_us = time_us;
        count_effort(&generator, candidate.effort);
    }
    return candidate;
}

/* Fastest first; equal and unknown times in the order of the collective's table. */
static int compare_candidates(const void *left, const void *right)
{
    const explain_candidate_t *a = left, *b = right;

    if (a->time_us < b->time_us || a->time_us > b->time_us) {
        return a->time_us < b->time_us ? -1 : 1;
    }
    return (a->algorithm > b->algorithm) - (a->algorithm < b->algorithm);
}

/* The fastest candidate, or NULL where no time is known. */
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
        } else if ((is_by_size(tunable) || NAPCOLL_TUNES_WINDOW == tunable->tunes) && value > 0) {
            printf("%s%s=%d", printed++ > 0 ? between : before, tunable->name, value);
        }
    }
    printf("%s", printed > 0 ? behind : "");
}

/* How many edges the graph has, and how they are spread. */
static void print_graph(const options_t *o)
{
    const napcoll_neighborhoods_t *all = &o->neighborhoods;
    char words[GRAPH_WORDS];
    long long edges = 0, links = 0;
    int most = 0;

    for (int rank = 0; rank < all->ranks; rank++) {
        edges += all->of[rank].out;
        most = napcoll_max(most, napcoll_max(all->of[rank].out, all->of[rank].in));
    }
    for (int node = 0; node < all->nodes; node++) {
        links += all->leaving[node].links;
    }
    printf("%s: %lld edge%s, up to %d to or from a rank, between %lld pair%s of nodes\n",
           name_graph(o, words) + 1, edges, plural(edges), most, links, plural(links));
}

static void print_table(const explain_case_t *c)
{
    const options_t *o = c->options;
    const napcoll_goal_t goal = o->collective->goal;

    printf("%s", o->collective->name);
    if (NAPCOLL_GOAL_BARRIER != goal) {
        printf(" of %d bytes", c->bytes);
    }
    if (NAPCOLL_GOAL_NEIGHBOR_ALLTOALL == goal) {
        printf(" for each neighbour");
    } else if (sized_by_rank(o->collective)) {
        printf(" %s each rank",
               NAPCOLL_GOAL_ALLTOALL == goal || NAPCOLL_GOAL_SCATTER == goal ? "for" : "of");
    }
    printf(", %d rank%s on %d node%s, %s\n", c->map->size, plural(c->map->size), c->map->nodes,
           plural(c->map->nodes), o->machine);
    if (napcoll_goal_is_neighbor(goal)) {
        print_graph(o);
    }
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
        if (c->candidate[i].algorithm->cuts_blocks && c->candidate[i].params.segments > 1) {
            printf("%d pieces; ", c->candidate[i].params.segments);
        }
        print_verdict(&c->candidate[i], chosen(c));
    }
}

/* ---- why ---- */

static const char *unit_of(const explain_case_t *c)
{
    return sized_by_rank(c->options->collective) ? "of a rank's block" : "of the vector";
}

/* "3 steps", for instance. */
static void print_count(double count, const char *thing)
{
    printf("%.0f %s%s", count, thing, 1 == (long long) count ? "" : "s");
}

/* What a candidate needs more than the chosen one. */
static void print_difference(const explain_case_t *c, const explain_candidate_t *candidate)
{
    static const struct {
        const char *thing, *where;
    } names[EFFORTS] = {[EFFORT_NETWORK_STEPS] = {"step", "between nodes"},
                        [EFFORT_NETWORK_MESSAGES] = {"message", "sent to other nodes"},
                        [EFFORT_NODE_VECTORS] = {"byte", "of a node"},
                        [EFFORT_LOCAL_STEPS] = {"step", "inside a node"},
                        [EFFORT_LOCAL_MESSAGES] = {"message", "received from the own node"},
                        [EFFORT_REDUCTIONS] = {"reduction", NULL}};
    bool listed = false;

    for (int e = 0; e < EFFORTS; e++) {
        double more = candidate->effort[e] - chosen(c)->effort[e];

        more *= EFFORT_NODE_VECTORS == e ? c->bytes : 1;
        if (more < 1) {
            continue;
        }
        if (listed) {
            printf(", ");
        } else {
            printf("    more than %s: ", chosen(c)->algorithm->name);
        }
        print_count(floor(more), names[e].thing);
        printf(" %s", EFFORT_REDUCTIONS == e ? unit_of(c) : names[e].where);
        listed = true;
    }
    printf("%s", listed ? "\n" : "");
}

static void print_effort(const explain_case_t *c, const char *name, const double e[EFFORTS])
{
    const napcoll_collective_t *collective = c->options->collective;

    printf("%s\n    ", name);
    print_count(e[EFFORT_NETWORK_STEPS], "step");
    printf(" between nodes, in which a rank sends ");
    print_count(e[EFFORT_NETWORK_MESSAGES], "message");
    if (NAPCOLL_GOAL_BARRIER != collective->goal) {
        printf(" and a node %.0f bytes", e[EFFORT_NODE_VECTORS] * c->bytes);
    }
    printf("\n    ");
    print_count(e[EFFORT_LOCAL_STEPS], "step");
    printf(" inside a node; a rank receives ");
    print_count(e[EFFORT_LOCAL_MESSAGES], "message");
    printf(" from its own node\n");
    if (napcoll_goal_reduces(collective->goal)) {
        printf("    %.4g reduction%s %s\n", e[EFFORT_REDUCTIONS],
               e[EFFORT_REDUCTIONS] > 1 || e[EFFORT_REDUCTIONS] < 1 ? "s" : "", unit_of(c));
    }
}

/* The arithmetic of a pipeline: its hops, Hockney's number of segments, and its time with these, in
 * one piece, and with the segments of the candidate. */
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
    printf("\nWhat the plans need, of the rank or node with the most:\n");
    for (int i = 0; i < c->candidates; i++) {
        const explain_candidate_t *candidate = &c->candidate[i];

        if (candidate->time_us < INFINITY) {
            print_effort(c, candidate->algorithm->name, candidate->effort);
            print_pipeline(c, candidate);
            print_difference(c, candidate);
        }
    }
}

/* The memory for blocks in transit, of the process with the most, and of the plan, the root's if
 * there is one. */
static void print_memory(const explain_case_t *c)
{
    bool first = true;

    for (int i = 0; i < c->candidates; i++) {
        const explain_candidate_t *candidate = &c->candidate[i];
        napcoll_generator_t generator = generator_of(c->options, candidate->algorithm, c->map);
        napcoll_plan_t *plan;
        int slots;

        if (!candidate->algorithm->store_and_forward || NAPCOLL_REASON_NONE != candidate->reason) {
            continue;
        }
        generator.args.params = candidate->params;
        generator.args.rank = napcoll_plan_args_root(&generator.args);
        plan = make_plan(&generator, generator.args.rank);
        slots = napcoll_plan_args_slots(&generator.args, plan);
        if (slots < 0) {
            napcoll_out_of_memory();
        }
        printf("%s%-20s %d slot%s, %.0f bytes for blocks in transit; plan of %zu bytes\n",
               first ? "\nMemory of a process:\n" : "", candidate->algorithm->name, slots,
               plural(slots), (double) slots * c->bytes, napcoll_plan_bytes(plan));
        first = false;
        napcoll_plan_free(plan);
    }
}

/* ---- the command ---- */

/* Where a file of plans is named, let rules name its algorithms, as in a job; the one of --name, or
 * NULL. */
static const napcoll_algorithm_t *take_file(options_t *o)
{
    const napcoll_plan_set_t *set = o->set;
    int row;

    if (NULL == set) {
        return NULL;
    }
    if (0 != napcoll_file_rows_take(o->text)) {
        complain("%s: out of memory, or more than %d names of plans", o->operand[0],
                 NAPCOLL_MOST_FILE_ROWS);
    }
    /* the rows own it from now on */
    o->text = NULL;
    row = napcoll_file_rows_find(set->collective, set->row.title, strlen(set->row.title));
    return napcoll_algorithm_at(set->collective, row);
}

/* Print the plan of --rank by the chosen algorithm. */
static void print_rank(const explain_case_t *c)
{
    napcoll_generator_t generator;

    if (c->options->rank >= 0 && NULL != chosen(c)) {
        generator = generator_of(c->options, chosen(c)->algorithm, c->map);
        generator.args.params = chosen(c)->params;
        printf("\n");
        print_plan(&generator, c->options->rank);
    }
}

static void check_placement(const options_t *o, const napcoll_node_map_t *map)
{
    /* With formulas, too: the plans are counted */
    require_own_phases(o);
    require_uniform(o, map);
    if (map->size > MOST_SIMULATED && !is_uniform(o, map)) {
        complain("--nodes, --ppn: %d ranks: expected at most %d for a placement without formulas",
                 map->size, MOST_SIMULATED);
    }
}

int explain(options_t *o)
{
    napcoll_node_map_t *map;
    napcoll_progress_t progress;
    explain_case_t c = {.options = o, .progress = &progress};
    napcoll_parameters_t parameters;
    const napcoll_algorithm_t *file;

    if (NULL != o->stuck) {
        return explain_stuck(o);
    }
    c.bytes = read_bytes(o);
    c.map = map = make_map(o);
    file = take_file(o);
    check_placement(o, map);
    if (0 != napcoll_neighborhoods_agree(map, &o->neighborhoods)) {
        napcoll_out_of_memory();
    }
    read_machine(o, &c.machine);
    read_parameters(o, &parameters);
    c.thresholds = parameters.thresholds;
    if (!parameters.node_memory) {
        c.machine.node_memory.latency_us = 0;
    }
    c.machine.node_memory_large = napcoll_select_large_rings(o->collective->goal, c.map);
    /* as in a job (takes_node_memory) */
    c.node_memory = parameters.node_memory
                    && (map->nodes > 1 || napcoll_goal_is_neighbor(o->collective->goal)
                        || (size_t) c.bytes <= napcoll_select_most_on_one_node(
                               o->collective->goal,
                               o->processors > 0 && map->max_ppn > o->processors));
    c.rules_file = NULL != o->rules ? o->rules : parameters.rules_file;
    c.rules_file = NULL != c.rules_file && '\0' == *c.rules_file ? NULL : c.rules_file;
    c.rules = read_rules(c.rules_file);
    c.simulated = !o->closed_form && map->size <= MOST_SIMULATED;
    napcoll_progress_begin(&progress, false);
    for (int row = 0; row < o->collective->algorithms && row < MOST_ALGORITHMS; row++) {
        c.candidate[c.candidates++] = evaluate(&c, &o->collective->algorithm[row]);
    }
    if (NULL != file) {
        c.candidate[c.candidates++] = evaluate(&c, file);
    }
    napcoll_progress_clear(&progress);
    qsort(c.candidate, (size_t) c.candidates, sizeof(c.candidate[0]), compare_candidates);
    print_table(&c);
    print_efforts(&c);
    print_memory(&c);
    explain_component(&c);
    print_rank(&c);
    napcoll_rules_free(c.rules);
    napcoll_parameters_close(&parameters);
    free_map(o, map);
    return EXIT_SUCCESS;
}
