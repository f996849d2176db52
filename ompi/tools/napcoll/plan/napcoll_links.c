/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The loads of links; see napcoll_links.h.
 *
 * First the steps: a rank that begins a stage looks up the other end of each of its messages. When
 * the other rank is already in that stage, the message's step is known; otherwise the other rank
 * finds it later. A rank begins its next stage when all messages of its stage have their steps.
 * Then the loads are added up step by step.
 */

#include <stdlib.h>

#include "common/napcoll_memory.h"
#include "verify/napcoll_plan_cache.h"

#include "plan/napcoll_links.h"

/* Sums of the same shares in another order differ by less. */
static const double same_share = 1 + 1e-9;

/* A message between nodes. */
typedef struct {
    double share;
    int32_t step;
    int32_t from;
    int32_t to;
} sent_t;

/* Where a rank is: its piece and stage (-1 before the first), the step in which the stage began,
 * the last step of its messages, and the number of messages without a step. */
typedef struct {
    int32_t piece;
    int32_t stage;
    int32_t begun;
    int32_t ended;
    int32_t waiting;
} rank_t;

typedef struct {
    const napcoll_node_map_t *map;
    napcoll_links_t *links;
    /* All plans. */
    napcoll_plan_cache_t cache;
    /* [size] */
    rank_t *rank;
    /* [readies] ranks that can begin their next stage; and the number of ranks that have none. */
    int *ready;
    int readies;
    int done;
    /* [links->network] */
    sent_t *sent;
    /* One step: [links] the messages and their share, and [touches] the links that are not 0. */
    napcoll_link_load_t *now;
    int *touched;
    int touches;
} run_t;

const char *napcoll_links_status_help(napcoll_links_status_t status)
{
    static const char *const help[NAPCOLL_LINKS_STATUSES] = {
        [NAPCOLL_LINKS_OK] = "no error",
        [NAPCOLL_LINKS_UNMATCHED] = "a send has no receive, or a receive no send",
        [NAPCOLL_LINKS_PHASE] = "another component carries out phases of the plans",
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
    napcoll_links_status_t status = NAPCOLL_LINKS_OK;

    if (!napcoll_plan_cache_open(&run->cache, run->map->size)) {
        napcoll_out_of_memory();
    }
    for (int rank = 0; rank < run->map->size && NAPCOLL_LINKS_OK == status; rank++) {
        napcoll_plan_t *plan = source(context, rank);

        if (NULL == plan) {
            napcoll_out_of_memory();
        }
        status = check_plan(plan, run->map->size);
        if (NAPCOLL_LINKS_OK != status) {
            napcoll_plan_free(plan);
        } else if (!napcoll_plan_cache_put(&run->cache, rank, plan)) {
            napcoll_out_of_memory();
        }
    }
    return status;
}

/* ---- steps ---- */

/* One of a rank's messages has its step. */
static void end_message(run_t *run, int rank, int step)
{
    rank_t *r = &run->rank[rank];

    r->ended = step > r->ended ? step : r->ended;
    if (0 == --r->waiting) {
        run->ready[run->readies++] = rank;
    }
}

/* Both ranks of a message are in its stages; `send` is the index of the sender's step. */
static void meet(run_t *run, int source, int send, int target)
{
    const napcoll_plan_t *plan = run->cache.entry[source]->plan;
    const int a = run->rank[source].begun, b = run->rank[target].begun;
    const sent_t sent = {.share = napcoll_plan_share(plan, *napcoll_step_span(&plan->step[send])),
                         .step = a > b ? a : b,
                         .from = napcoll_node_map_node(run->map, source),
                         .to = napcoll_node_map_node(run->map, target)};

    end_message(run, source, sent.step);
    end_message(run, target, sent.step);
    run->links->messages++;
    run->links->steps = sent.step >= run->links->steps ? sent.step + 1 : run->links->steps;
    if (sent.from != sent.to) {
        run->sent = napcoll_memory_grow(run->sent, (size_t) run->links->network,
                                        sizeof(*run->sent));
        run->sent[run->links->network++] = sent;
    }
}

/* Returns whether the message has another end. */
static bool post_message(run_t *run, int rank, int index)
{
    const napcoll_step_t *step = &run->cache.entry[rank]->plan->step[index];
    const int other = napcoll_plan_cache_other_end(&run->cache, rank, index);
    const rank_t *peer = &run->rank[step->peer];

    if (other < 0) {
        return false;
    }
    if (peer->piece == run->rank[rank].piece
        && peer->stage == run->cache.entry[step->peer]->stage_of[other]) {
        if (NAPCOLL_STEP_SEND == step->kind) {
            meet(run, rank, index, step->peer);
        } else {
            meet(run, step->peer, other, rank);
        }
    }
    return true;
}

/* Take a rank to its next stage with messages, of this piece or the next; false: there is none. */
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

/* Begin a rank's next stage. Returns whether its messages have other ends. */
static bool begin_stage(run_t *run, int rank)
{
    const napcoll_plan_t *plan = run->cache.entry[rank]->plan;
    rank_t *r = &run->rank[rank];
    bool matched = true;

    if (!next_stage(plan, r)) {
        run->done++;
        return true;
    }
    r->begun = r->ended + 1;
    r->waiting = plan->stage[r->stage].messages;
    for (int i = 0, messages = r->waiting, stage = r->stage; i < messages && matched; i++) {
        matched = post_message(run, rank, plan->stage[stage].first + i);
    }
    return matched;
}

static napcoll_links_status_t find_steps(run_t *run)
{
    for (int rank = run->map->size - 1; rank >= 0; rank--) {
        run->rank[rank] = (rank_t){.stage = -1, .ended = -1};
        run->ready[run->readies++] = rank;
    }
    while (run->readies > 0) {
        if (!begin_stage(run, run->ready[--run->readies])) {
            return NAPCOLL_LINKS_UNMATCHED;
        }
    }
    return run->done < run->map->size ? NAPCOLL_LINKS_DEADLOCK : NAPCOLL_LINKS_OK;
}

/* ---- loads ---- */

static void touch(run_t *run, int link, double share)
{
    napcoll_link_load_t *now = &run->now[link];

    if (0 == now->messages) {
        run->touched[run->touches++] = link;
    }
    now->messages++;
    now->share += share;
}

/* Put a message on its links. */
static void add_route(run_t *run, const sent_t *sent)
{
    const napcoll_switch_tree_t *tree = run->map->tree;
    const int first = run->map->nodes;
    int a, b;

    touch(run, 2 * sent->from, sent->share);
    touch(run, 2 * sent->to + 1, sent->share);
    if (NULL == tree) {
        return;
    }
    a = tree->switch_of[run->map->spot[sent->from]];
    b = tree->switch_of[run->map->spot[sent->to]];
    while (a != b) {
        if (tree->at[a].depth >= tree->at[b].depth) {
            touch(run, 2 * (first + a), sent->share);
            a = tree->at[a].parent;
        } else {
            touch(run, 2 * (first + b) + 1, sent->share);
            b = tree->at[b].parent;
        }
    }
}

/* Whether a load is more than another one: first by messages, then by share. */
static bool is_more(int64_t messages, double share, int64_t other, double other_share)
{
    return messages > other || (messages == other && share > other_share * same_share);
}

/* Add a step to the loads. */
static void end_step(run_t *run, int step)
{
    for (int i = 0; i < run->touches; i++) {
        napcoll_link_load_t *load = &run->links->load[run->touched[i]];
        napcoll_link_load_t *now = &run->now[run->touched[i]];

        load->messages += now->messages;
        load->share += now->share;
        if (is_more(now->messages, now->share, load->most, load->most_share)) {
            load->most = now->messages;
            load->most_share = now->share;
            load->step = step;
        }
        *now = (napcoll_link_load_t){0};
    }
    run->touches = 0;
}

/* The messages between nodes in the order of their steps; ends[s] is where step s ends. */
static int64_t *sort_by_step(const run_t *run, int64_t *ends)
{
    const int64_t network = run->links->network;
    int64_t *order = napcoll_allocate((size_t) network, sizeof(*order));

    for (int64_t i = 0; i < network; i++) {
        ends[run->sent[i].step + 1]++;
    }
    for (int step = 0; step < run->links->steps; step++) {
        ends[step + 1] += ends[step];
    }
    for (int64_t i = 0; i < network; i++) {
        order[ends[run->sent[i].step]++] = i;
    }
    return order;
}

static void choose_worst(napcoll_links_t *links)
{
    const napcoll_link_load_t *worst = NULL;

    for (int link = 0; link < links->links; link++) {
        const napcoll_link_load_t *load = &links->load[link];

        if (load->most > 0
            && (NULL == worst
                || is_more(load->most, load->most_share, worst->most, worst->most_share))) {
            worst = load;
            links->worst = link;
        }
    }
}

static void add_loads(run_t *run)
{
    napcoll_links_t *links = run->links;
    int64_t *ends = napcoll_allocate((size_t) links->steps + 1, sizeof(*ends));
    int64_t *order = sort_by_step(run, ends), next = 0;

    run->now = napcoll_allocate((size_t) links->links, sizeof(*run->now));
    run->touched = napcoll_allocate((size_t) links->links, sizeof(*run->touched));
    for (int link = 0; link < links->links; link++) {
        links->load[link].step = -1;
    }
    for (int step = 0; step < links->steps; step++) {
        for (; next < ends[step]; next++) {
            add_route(run, &run->sent[order[next]]);
        }
        end_step(run, step);
    }
    choose_worst(links);
    free(ends);
    free(order);
    free(run->now);
    free(run->touched);
}

/* ---- links ---- */

void napcoll_links_free(napcoll_links_t *links)
{
    if (NULL != links) {
        free(links->load);
        free(links);
    }
}

napcoll_links_status_t napcoll_plan_links(napcoll_plan_source_t source, void *context,
                                          const napcoll_node_map_t *map, napcoll_links_t **links)
{
    const size_t size = (size_t) map->size;
    const int switches = NULL == map->tree ? 1 : map->tree->switches;
    run_t run = {.map = map,
                 .links = napcoll_allocate(1, sizeof(*run.links)),
                 .rank = napcoll_allocate(size, sizeof(*run.rank)),
                 .ready = napcoll_allocate(size, sizeof(*run.ready))};
    napcoll_links_status_t status = make_plans(&run, source, context);

    *run.links = (napcoll_links_t){.nodes = map->nodes,
                                   .switches = switches,
                                   .links = 2 * (map->nodes + switches),
                                   .worst = -1};
    run.links->load = napcoll_allocate((size_t) run.links->links, sizeof(*run.links->load));
    if (NAPCOLL_LINKS_OK == status) {
        status = find_steps(&run);
    }
    if (NAPCOLL_LINKS_OK == status) {
        add_loads(&run);
        *links = run.links;
    } else {
        napcoll_links_free(run.links);
        *links = NULL;
    }
    napcoll_plan_cache_empty(&run.cache);
    free(run.rank);
    free(run.ready);
    free(run.sent);
    return status;
}
