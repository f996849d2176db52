/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What plans put on the links of a network (see the header).
 *
 * First the steps: a rank that begins a stage looks for the other end of each of its messages. Where the
 * other rank is in that stage already, both know the message's step; else the other one will find it
 * when it gets there. Whoever knows the steps of all messages of its stage begins the next one.
 *
 * Then the loads, step by step: the links that messages of the step go over are counted, and then added to
 * what is known of each of them.
 */

#include "common/napcoll_plan_links.h"

#include <stdlib.h>

#include "verify/napcoll_plan_cache.h"

/* Shares that differ by less are those of the same bytes, added up in another order. */
static const double same_share = 1 + 1e-9;

/* A message between nodes. */
typedef struct {
    double share;
    int32_t step;
    int32_t from; /* nodes */
    int32_t to;
} sent_t;

typedef struct {
    int32_t piece;   /* that it is at: the stages are run once for each */
    int32_t stage;   /* that it is in, or -1 */
    int32_t begun;   /* the step in which it came there */
    int32_t ended;   /* the last step of a message of it */
    int32_t waiting; /* messages whose steps are not known */
} rank_t;

typedef struct {
    const napcoll_node_map_t *map;
    napcoll_links_t *links;
    napcoll_plan_cache_t cache; /* all plans */
    rank_t *rank;               /* [size] */
    int *ready;                 /* [readies] ranks that can begin their next stages */
    int readies;
    int done; /* ranks that have none */
    sent_t *sent;
    int64_t sent_room;
} run_t;

const char *napcoll_links_status_help(napcoll_links_status_t status)
{
    static const char *const help[NAPCOLL_LINKS_STATUSES] = {
        [NAPCOLL_LINKS_OK] = "no error",
        [NAPCOLL_LINKS_NO_MEMORY] = "out of memory",
        [NAPCOLL_LINKS_UNMATCHED] = "a message has no receive, or a receive no message",
        [NAPCOLL_LINKS_PHASE] = "the plans leave local phases to another component",
        [NAPCOLL_LINKS_DEADLOCK] = "ranks wait for one another"};

    return help[status];
}

/* ---- plans ---- */

static napcoll_links_status_t check_plan(const napcoll_plan_t *plan, int size)
{
    for (int i = 0; i < plan->steps; i++) {
        const napcoll_step_t *step = &plan->step[i];

        if (NAPCOLL_STEP_PHASE == step->kind) {
            return NAPCOLL_LINKS_PHASE;
        }
        if (step->kind <= NAPCOLL_STEP_SEND
            && (step->peer < 0 || step->peer >= size || step->peer == plan->rank)) {
            return NAPCOLL_LINKS_UNMATCHED;
        }
    }
    return NAPCOLL_LINKS_OK;
}

static napcoll_links_status_t make_plans(run_t *run, napcoll_plan_source_t source, void *context)
{
    for (int rank = 0; rank < run->map->size; rank++) {
        napcoll_plan_t *plan = source(context, rank);
        napcoll_links_status_t status = NULL == plan ? NAPCOLL_LINKS_NO_MEMORY
                                                     : check_plan(plan, run->map->size);

        if (NAPCOLL_LINKS_OK == status && !napcoll_plan_cache_put(&run->cache, rank, plan)) {
            status = NAPCOLL_LINKS_NO_MEMORY;
        }
        if (NAPCOLL_LINKS_OK != status) {
            napcoll_plan_free(plan);
            return status;
        }
    }
    return NAPCOLL_LINKS_OK;
}

/* ---- steps ---- */

static bool keep_sent(run_t *run, sent_t sent)
{
    if (run->links->network == run->sent_room) {
        const int64_t room = run->sent_room > 0 ? 2 * run->sent_room : 1024;
        sent_t *more = realloc(run->sent, (size_t) room * sizeof(*more));

        if (NULL == more) {
            return false;
        }
        run->sent = more;
        run->sent_room = room;
    }
    run->sent[run->links->network++] = sent;
    return true;
}

/* One of a rank's messages has its step. */
static void end_message(run_t *run, int rank, int step)
{
    rank_t *r = &run->rank[rank];

    r->ended = step > r->ended ? step : r->ended;
    if (0 == --r->waiting) {
        run->ready[run->readies++] = rank;
    }
}

/* A message whose ranks are both in its stages, with the index of its send. */
static bool meet(run_t *run, int source, int send, int target)
{
    const napcoll_plan_t *plan = run->cache.entry[source]->plan;
    const int a = run->rank[source].begun, b = run->rank[target].begun;
    const sent_t sent = {.share = napcoll_plan_message_share(plan, &plan->step[send]),
                         .step = a > b ? a : b,
                         .from = napcoll_node_map_node(run->map, source),
                         .to = napcoll_node_map_node(run->map, target)};

    end_message(run, source, sent.step);
    end_message(run, target, sent.step);
    run->links->messages++;
    run->links->steps = sent.step >= run->links->steps ? sent.step + 1 : run->links->steps;
    return sent.from == sent.to || keep_sent(run, sent);
}

static napcoll_links_status_t post_message(run_t *run, int rank, int index)
{
    const napcoll_step_t *step = &run->cache.entry[rank]->plan->step[index];
    const int other = napcoll_plan_cache_other_end(&run->cache, rank, index);
    bool memory = true;

    if (other < 0) {
        return NAPCOLL_LINKS_UNMATCHED;
    }
    if (run->rank[step->peer].piece == run->rank[rank].piece
        && run->rank[step->peer].stage == run->cache.entry[step->peer]->stage_of[other]) {
        memory = NAPCOLL_STEP_SEND == step->kind ? meet(run, rank, index, step->peer)
                                                 : meet(run, step->peer, other, rank);
    }
    return memory ? NAPCOLL_LINKS_OK : NAPCOLL_LINKS_NO_MEMORY;
}

/* Whether a rank has another stage with messages, of this piece or, once these are over, of the next one; takes it
 * there. */
static bool next_stage(const napcoll_plan_t *plan, rank_t *r)
{
    for (; r->piece < plan->pieces; r->piece++, r->stage = -1) {
        while (++r->stage < plan->stages) {
            if (plan->stage[r->stage].messages > 0) {
                return true;
            }
        }
    }
    return false;
}

/* Take a rank to its next stage with messages. */
static napcoll_links_status_t begin_stage(run_t *run, int rank)
{
    const napcoll_plan_t *plan = run->cache.entry[rank]->plan;
    napcoll_links_status_t status = NAPCOLL_LINKS_OK;
    const napcoll_stage_t *stage;
    rank_t *r = &run->rank[rank];

    if (!next_stage(plan, r)) {
        run->done++;
        return NAPCOLL_LINKS_OK;
    }
    stage = &plan->stage[r->stage];
    r->begun = r->ended + 1;
    r->waiting = stage->messages;
    for (int i = 0; i < stage->messages && NAPCOLL_LINKS_OK == status; i++) {
        status = post_message(run, rank, stage->first + i);
    }
    return status;
}

static napcoll_links_status_t find_steps(run_t *run)
{
    napcoll_links_status_t status = NAPCOLL_LINKS_OK;

    for (int rank = run->map->size - 1; rank >= 0; rank--) {
        run->rank[rank] = (rank_t){.stage = -1, .ended = -1};
        run->ready[run->readies++] = rank;
    }
    while (run->readies > 0 && NAPCOLL_LINKS_OK == status) {
        status = begin_stage(run, run->ready[--run->readies]);
    }
    if (NAPCOLL_LINKS_OK == status && run->done < run->map->size) {
        status = NAPCOLL_LINKS_DEADLOCK;
    }
    return status;
}

/* ---- loads ---- */

/* What one step puts on links. */
typedef struct {
    const napcoll_node_map_t *map;
    napcoll_link_load_t *now; /* [links] messages and their share; of other links 0 */
    int *touched;             /* [touches] the links that it is on */
    int touches;
} stats_t;

static void touch(stats_t *stats, int link, double share)
{
    napcoll_link_load_t *now = &stats->now[link];

    if (0 == now->messages) {
        stats->touched[stats->touches++] = link;
    }
    now->messages++;
    now->share += share;
}

/* Put a message on the links of its way. */
static void route(stats_t *stats, const sent_t *sent)
{
    const napcoll_switch_tree_t *tree = stats->map->tree;
    const int first = stats->map->nodes; /* of the lower ends that are switches */

    touch(stats, 2 * sent->from, sent->share);
    touch(stats, 2 * sent->to + 1, sent->share);
    if (NULL != tree) {
        int a = tree->switch_of[stats->map->spot[sent->from]];
        int b = tree->switch_of[stats->map->spot[sent->to]];

        while (a != b) {
            if (tree->at[a].depth >= tree->at[b].depth) {
                touch(stats, 2 * (first + a), sent->share);
                a = tree->at[a].parent;
            } else {
                touch(stats, 2 * (first + b) + 1, sent->share);
                b = tree->at[b].parent;
            }
        }
    }
}

/* Whether so many messages of such a share are more than others. */
static bool is_more(int64_t messages, double share, int64_t others, double their_share)
{
    return messages > others || (messages == others && share > their_share * same_share);
}

/* Add a step to the loads. */
static void end_step(stats_t *stats, int step, napcoll_link_load_t *load)
{
    for (int i = 0; i < stats->touches; i++) {
        napcoll_link_load_t *all = &load[stats->touched[i]], *now = &stats->now[stats->touched[i]];

        all->messages += now->messages;
        all->share += now->share;
        if (is_more(now->messages, now->share, all->most, all->most_share)) {
            all->most = now->messages;
            all->most_share = now->share;
            all->step = step;
        }
        *now = (napcoll_link_load_t){0};
    }
    stats->touches = 0;
}

/* The messages between nodes in the order of their steps; NULL when memory ran out. */
static int64_t *sort_by_step(const run_t *run, int64_t *ends)
{
    const napcoll_links_t *links = run->links;
    int64_t *order = malloc(((size_t) links->network + 1) * sizeof(*order));

    if (NULL == order) {
        return NULL;
    }
    for (int64_t i = 0; i < links->network; i++) {
        ends[run->sent[i].step + 1]++;
    }
    for (int step = 0; step < links->steps; step++) {
        ends[step + 1] += ends[step];
    }
    /* ends[s] is where step s begins, and becomes where it ends */
    for (int64_t i = 0; i < links->network; i++) {
        order[ends[run->sent[i].step]++] = i;
    }
    return order;
}

static void choose_worst(napcoll_links_t *links)
{
    for (int link = 0; link < links->links; link++) {
        const napcoll_link_load_t *load = &links->load[link];
        const napcoll_link_load_t *worst = links->worst < 0 ? NULL : &links->load[links->worst];

        if (load->most > 0
            && (NULL == worst
                || is_more(load->most, load->most_share, worst->most, worst->most_share))) {
            links->worst = link;
        }
    }
}

static napcoll_links_status_t add_loads(run_t *run)
{
    napcoll_links_t *links = run->links;
    const size_t count = (size_t) links->links;
    stats_t stats = {.map = run->map,
                     .now = calloc(count, sizeof(*stats.now)),
                     .touched = malloc(count * sizeof(*stats.touched))};
    int64_t *ends = calloc((size_t) links->steps + 1, sizeof(*ends));
    int64_t *order = NULL == ends ? NULL : sort_by_step(run, ends);
    const bool memory = NULL != order && NULL != stats.now && NULL != stats.touched;

    for (int link = 0; link < links->links; link++) {
        links->load[link].step = -1;
    }
    if (memory) {
        int64_t next = 0;

        for (int step = 0; step < links->steps; step++) {
            for (; next < ends[step]; next++) {
                route(&stats, &run->sent[order[next]]);
            }
            end_step(&stats, step, links->load);
        }
        choose_worst(links);
    }
    free(stats.now);
    free(stats.touched);
    free(ends);
    free(order);
    return memory ? NAPCOLL_LINKS_OK : NAPCOLL_LINKS_NO_MEMORY;
}

/* ---- links ---- */

static napcoll_links_t *new_links(const napcoll_node_map_t *map)
{
    napcoll_links_t *links = calloc(1, sizeof(*links));

    if (NULL != links) {
        links->nodes = map->nodes;
        links->switches = NULL == map->tree ? 1 : map->tree->switches;
        links->links = 2 * (links->nodes + links->switches);
        links->worst = -1;
        links->load = calloc((size_t) links->links, sizeof(*links->load));
    }
    if (NULL != links && NULL == links->load) {
        free(links);
        links = NULL;
    }
    return links;
}

void napcoll_links_free(napcoll_links_t *links)
{
    if (NULL != links) {
        free(links->load);
        free(links);
    }
}

napcoll_links_status_t napcoll_plan_links(napcoll_plan_source_t source, void *context,
                                          const napcoll_node_map_t *map, napcoll_links_t **result)
{
    const size_t size = (size_t) map->size;
    run_t run = {.map = map,
                 .links = new_links(map),
                 .rank = calloc(size, sizeof(*run.rank)),
                 .ready = calloc(size, sizeof(*run.ready))};
    napcoll_links_status_t status = NAPCOLL_LINKS_NO_MEMORY;

    *result = NULL;
    if (napcoll_plan_cache_open(&run.cache, map->size) && NULL != run.links && NULL != run.rank
        && NULL != run.ready) {
        status = make_plans(&run, source, context);
    }
    if (NAPCOLL_LINKS_OK == status) {
        status = find_steps(&run);
    }
    if (NAPCOLL_LINKS_OK == status) {
        status = add_loads(&run);
    }
    if (NAPCOLL_LINKS_OK == status) {
        *result = run.links;
    } else {
        napcoll_links_free(run.links);
    }
    napcoll_plan_cache_empty(&run.cache);
    free(run.rank);
    free(run.ready);
    free(run.sent);
    return status;
}
