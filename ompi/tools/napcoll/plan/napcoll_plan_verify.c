/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan verify: proves the plans of one placement, or of a range of placements with
 * several threads.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_rotation.h"
#include "common/napcoll_rounds.h"
#include "napcoll_plan_symmetry.h"
#include "napcoll_plan_tool.h"
#include "verify/napcoll_verify.h"

enum {
    /* Ranks without --sample whose plans are proved by demand. */
    MOST_PROVED = 1 << 18,
    /* Ranks from which on vectors are proved in rounds. */
    LEAST_IN_ROUNDS = 1 << 12,
    /* Broken placements that are printed. */
    MOST_REPORTED = 10,
    /* Characters of the number of a range. */
    NUMBER = 16
};

/* The memory for plans in bytes, and the seed of samples. */
static const size_t plan_memory = (size_t) 512 << 20;
static const uint64_t seed = 20070523;

/* All placements, and the results so far. */
typedef struct {
    const options_t *options;
    values_t nodes;
    /* count 0: the list is used */
    values_t ppn;
    long placements;
    /* Ranks of all placements. */
    long ranks;
    atomic_long next;
    /* Protects what follows, and the output. */
    pthread_mutex_t lock;
    long proved, broken, skipped, results, plans, done_ranks;
    long long messages;
    /* where memory ran out, and the options of the placement */
    napcoll_verdict_t no_memory;
    options_t too_large;
    napcoll_progress_t progress;
    /* Plans made so far. */
    atomic_long made;
} sweep_t;

/* The options of the index-th placement; a ppn of a range is written into text. */
static options_t placement(const sweep_t *sweep, long index, char text[NUMBER])
{
    options_t o = *sweep->options;

    o.nodes = sweep->nodes.value[index % sweep->nodes.count];
    if (sweep->ppn.count > 0) {
        (void) snprintf(text, NUMBER, "%d", sweep->ppn.value[index / sweep->nodes.count]);
        o.ppn = text;
    }
    return o;
}

/* Show the progress; the caller holds the lock. Of one placement only the plans tell something. */
static void tell_progress(sweep_t *sweep)
{
    const long done = sweep->proved + sweep->broken + sweep->skipped;

    if (1 == sweep->placements) {
        napcoll_progress_tell(&sweep->progress, -1, "%ld plans", atomic_load(&sweep->made));
    } else {
        napcoll_progress_tell(&sweep->progress, (double) sweep->done_ranks / (double) sweep->ranks,
                              "%ld of %ld placements", done, sweep->placements);
    }
}

/* The plans of a placement. */
typedef struct {
    napcoll_generator_t *generator;
    sweep_t *sweep;
} source_t;

/* A proof may take minutes: each plan is a step of the progress. Where another thread shows its
 * own, this one is not shown. */
static napcoll_plan_t *make_proved_plan(void *context, int rank)
{
    const source_t *source = context;
    sweep_t *sweep = source->sweep;

    (void) atomic_fetch_add(&sweep->made, 1);
    if (0 == pthread_mutex_trylock(&sweep->lock)) {
        tell_progress(sweep);
        (void) pthread_mutex_unlock(&sweep->lock);
    }
    return napcoll_generator_plan(source->generator, rank);
}

static void report_broken(sweep_t *sweep, const options_t *o, const napcoll_node_map_t *map,
                          const napcoll_verdict_t *verdict)
{
    char graph[GRAPH_WORDS];

    if (sweep->broken++ < MOST_REPORTED) {
        napcoll_progress_clear(&sweep->progress);
        printf("%s %s, %d ranks on %d nodes, --ppn %s --map %s%s", o->collective->name,
               o->algorithm->name, map->size, map->nodes, o->ppn, o->order, name_graph(o, graph));
        if (napcoll_goal_is_rooted(o->collective->goal)) {
            printf(" --root %d", o->params.root);
        }
        printf(": %s: %s\n", napcoll_verify_status_name(verdict->status), verdict->text);
        (void) fflush(stdout);
    }
}

/* Prove the plans of all ranks, or of a sample, which is proved by demand. */
static void prove_plans(source_t *source, const napcoll_node_map_t *map,
                        const napcoll_claim_t *claim, napcoll_verdict_t *verdict)
{
    const options_t *o = source->sweep->options;
    const bool alone = 1 == source->sweep->placements;
    const int jobs = alone ? o->jobs : 1;
    const napcoll_proof_t proof = {.sample = o->sample,
                                   .seed = seed,
                                   .plan_memory = plan_memory,
                                   .value_memory = napcoll_memory_limit()
                                                   / (size_t) (alone ? 1 : o->jobs)};

    if (0 == o->sample
        && (prove_by_symmetry(source->generator, make_proved_plan, source, jobs, claim, verdict)
            || (map->size >= LEAST_IN_ROUNDS
                && (napcoll_prove_by_rotation(make_proved_plan, source, map, claim, jobs, verdict)
                    || napcoll_prove_in_rounds(make_proved_plan, source, map, claim, jobs,
                                               verdict))))) {
        return;
    }
    if (0 == o->sample && map->size > MOST_PROVED) {
        complain("--nodes and --ppn: expected at most %d ranks in all, for plans like these "
                 "(--sample takes more)",
                 MOST_PROVED);
    }
    (void) napcoll_plan_prove(make_proved_plan, source, map, claim, &proof, verdict);
}

/* Prove one placement and add it to the results. */
static void prove(sweep_t *sweep, options_t *o)
{
    napcoll_node_map_t *map = make_map(o);
    napcoll_generator_t generator = generator_of(o, o->algorithm, map);
    source_t source = {&generator, sweep};
    const napcoll_claim_t claim = napcoll_plan_args_claim(&generator.args);
    napcoll_verdict_t verdict = {.status = NAPCOLL_VERIFY_OK};
    const bool eligible = NAPCOLL_REASON_NONE
                          == napcoll_algorithm_eligible(o->algorithm, map, &o->params);

    if (eligible) {
        prove_plans(&source, map, &claim, &verdict);
    }
    (void) pthread_mutex_lock(&sweep->lock);
    sweep->results += verdict.results;
    sweep->plans += verdict.plans;
    sweep->messages += verdict.messages;
    sweep->done_ranks += map->size;
    if (!eligible) {
        sweep->skipped++;
    } else if (NAPCOLL_VERIFY_OK == verdict.status) {
        sweep->proved++;
    } else if (NAPCOLL_VERIFY_NO_MEMORY == verdict.status) {
        sweep->too_large = *o;
        sweep->no_memory = verdict;
    } else {
        report_broken(sweep, o, map, &verdict);
    }
    tell_progress(sweep);
    (void) pthread_mutex_unlock(&sweep->lock);
    free_map(o, map);
}

static void *work(void *argument)
{
    sweep_t *sweep = argument;
    long index;

    while ((index = atomic_fetch_add(&sweep->next, 1)) < sweep->placements) {
        char text[NUMBER];
        /* The largest first: otherwise one thread might prove it alone at the end. */
        options_t o = placement(sweep, sweep->placements - 1 - index, text);

        prove(sweep, &o);
    }
    return NULL;
}

/* Check all placements before the first proof. */
static void check_placements(sweep_t *sweep)
{
    const options_t *o = sweep->options;
    const napcoll_goal_t goal = o->collective->goal;
    const bool all = o->sample > 0 || napcoll_rounds_suit(goal) || NAPCOLL_GOAL_ALLGATHER == goal
                     || NAPCOLL_GOAL_ALLTOALL == goal;
    const int most = all ? MOST_RANKS : MOST_PROVED;

    for (long i = 0; i < sweep->placements; i++) {
        char text[NUMBER];
        options_t one = placement(sweep, i, text);
        int ranks = one.ranks > 0 ? one.ranks : count_ranks(one.ppn, one.nodes);

        if (ranks > most) {
            complain("--nodes and --ppn: expected at most %d ranks in all%s", most,
                     all ? "" : " (--sample takes more)");
        }
        require_root(o, ranks);
        require_hosts(o, one.nodes);
        sweep->ranks += ranks;
        if (0 == i) { /* checks --ppn and --map */
            free_map(&one, make_map(&one));
        }
    }
}

static void run_threads(sweep_t *sweep)
{
    const int wanted = sweep->options->jobs < sweep->placements ? sweep->options->jobs
                                                                : (int) sweep->placements;
    pthread_t *thread = napcoll_allocate((size_t) wanted, sizeof(*thread));
    int started = 0;

    while (started + 1 < wanted && 0 == pthread_create(&thread[started], NULL, work, sweep)) {
        started++;
    }
    (void) work(sweep);
    for (int i = 0; i < started; i++) {
        (void) pthread_join(thread[i], NULL);
    }
    free(thread);
}

static void complain_of_memory(sweep_t *sweep)
{
    const options_t *o = &sweep->too_large;

    napcoll_progress_clear(&sweep->progress);
    complain("--nodes %d: %s; expected fewer ranks, or --sample, for plans like these", o->nodes,
             sweep->no_memory.text);
}

static void summarise(sweep_t *sweep)
{
    const options_t *o = sweep->options;

    napcoll_progress_clear(&sweep->progress);
    printf("%s %s: ", o->collective->name, o->algorithm->name);
    if (sweep->placements > 1) {
        printf("%ld placements proved, %ld broken, %ld not for %s; ", sweep->proved, sweep->broken,
               sweep->skipped, o->algorithm->name);
    } else {
        printf("%s; ", sweep->broken > 0 ? "broken" : "ok");
    }
    if (o->sample > 0) {
        printf("results of %ld ranks, which depend on ", sweep->results);
    }
    printf("%ld plans, %lld messages\n", sweep->plans, sweep->messages);
}

int verify(options_t *o)
{
    /* Its ranges are large */
    static sweep_t sweep = {.lock = PTHREAD_MUTEX_INITIALIZER};

    if (NULL != o->set) {
        return verify_plan_file(o);
    }
    sweep.options = o;
    read_range("nodes", o->node_range, 0, RANGE_COUNTS, 1, MOST_RANKS, &sweep.nodes);
    if (NULL != strchr(o->ppn, ':')) {
        read_range("ppn", o->ppn, 0, RANGE_COUNTS, 1, MOST_RANKS, &sweep.ppn);
    }
    sweep.placements = (long) sweep.nodes.count * (sweep.ppn.count > 0 ? sweep.ppn.count : 1);
    if (o->ranks > 0 && sweep.placements > 1) {
        complain("--ranks %d: expected no range of --ppn with it", o->ranks);
    }
    check_placements(&sweep);
    if (1 == sweep.placements) {
        char text[NUMBER];
        options_t one = placement(&sweep, 0, text);
        napcoll_node_map_t *map = make_map(&one);

        require_eligible(&one, map);
        free_map(&one, map);
    }
    napcoll_progress_begin(&sweep.progress, false);
    run_threads(&sweep);
    if (NAPCOLL_VERIFY_NO_MEMORY == sweep.no_memory.status) {
        complain_of_memory(&sweep);
    }
    summarise(&sweep);
    return 0 == sweep.broken ? EXIT_SUCCESS : EXIT_FAILURE;
}
