/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A module's decisions and plans. The first call of a kind pays for the node map, the decision, the
 * plan and, if plans have phases, the subcommunicators. Later calls find the entry, the latest
 * first. Entries differ in op class, in-place, size class, forced choice and root; beyond a few
 * dozen the one used longest ago goes, on all ranks alike. Communicators that are alike share what
 * an entry says, except the subcommunicators and the online check.
 */

#include "coll_napcoll_neighbors.h"
#include "coll_napcoll_node_memory.h"
#include "coll_napcoll_stats.h"

#include "algo/napcoll_generators.h"

#include <stdlib.h>

#include "opal/util/output.h"
#include "select/napcoll_wording.h"

/* The node map of a communicator on which nothing runs: every rank is a node. */
static int make_map_of_ranks(mca_coll_napcoll_module_t *module)
{
    const int size = ompi_comm_size(module->comm);
    int *id = malloc((size_t) size * sizeof(*id)), rc = OMPI_ERR_OUT_OF_RESOURCE;

    for (int r = 0; NULL != id && r < size; r++) {
        id[r] = r;
    }
    if (NULL != id && 0 == napcoll_node_map_create(id, size, &module->map)) {
        rc = OMPI_SUCCESS;
    }
    free(id);
    return rc;
}

/* Find the node map and what the communicator's info says, after the processes are compared. A call
 * that must not wait gets OMPI_ERR_WOULD_BLOCK where that takes messages. */
static int read_topology(mca_coll_napcoll_module_t *module, bool waits)
{
    const napcoll_saved_function_t *allgather =
        &module->fallback[NAPCOLL_KIND_BLOCKING][NAPCOLL_COLL_ALLGATHER];
    int rc = mca_coll_napcoll_compare_jobs(module, waits);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (module->jobs_differ) {
        /* some ranks may not have napcoll, and take part in nothing */
        for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
            module->force[coll] = NAPCOLL_FORCE_FALLBACK;
        }
        return make_map_of_ranks(module);
    }
    rc = napcoll_discover_node_map(&mca_coll_napcoll_component.job, module->comm,
                                   waits ? (mca_coll_base_module_allgather_fn_t) allgather->function
                                         : NULL,
                                   allgather->module, &module->map);
    return OMPI_SUCCESS == rc ? mca_coll_napcoll_read_info(module) : rc;
}

/* The same, at first use. */
static int find_topology(mca_coll_napcoll_module_t *module, bool waits)
{
    int rc;

    mca_coll_napcoll_fallback_enter(module);
    rc = read_topology(module, waits);
    if (OMPI_SUCCESS == rc) {
        mca_coll_napcoll_share_map(module);
        if (!module->jobs_differ) {
            mca_coll_napcoll_log_map(module);
        }
    } else {
        napcoll_node_map_free(module->map);
        module->map = NULL;
    }
    module->ready = OMPI_SUCCESS == rc;
    return mca_coll_napcoll_fallback_exit(module, rc);
}

/* A plan of a decision. *good: whether all ranks' plans are right. */
static int make_plan(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                     napcoll_decided_t *made, napcoll_plan_t **plan, bool *good)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    const napcoll_decision_t *decision = &made->decision;
    const napcoll_plan_args_t args = {
        .collective = collective,
        .algorithm = napcoll_algorithm_at(collective, decision->algorithm),
        .map = module->map,
        .rank = ompi_comm_rank(module->comm),
        .neighborhood = module->neighborhood,
        .params = decision->params};

    *plan = args.algorithm->generate(&args);
    if (NULL == *plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    made->slots = napcoll_plan_args_slots(&args, *plan);
    if (made->slots < 0) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    napcoll_plan_mark_read_once(*plan);
    return mca_coll_napcoll_verify_plan(module, coll, decision, *plan, good);
}

static void free_plans(napcoll_decided_t *made)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        napcoll_plan_free(made->plan[in_place]);
        made->plan[in_place] = NULL;
    }
}

/* Make the plans of a decision: if each process decides alone whether it is in place, both, so that
 * all ranks make theirs at the same time. If one is wrong, the decision becomes the fallback
 * function. */
static int make_plans(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                      napcoll_decided_t *made)
{
    const bool alone = mca_coll_napcoll_in_place_alone(call->coll);
    napcoll_decision_t *decision = &made->decision;
    bool good = true;
    int rc = OMPI_SUCCESS;

    for (int in_place = 0; in_place < 2 && OMPI_SUCCESS == rc && good; in_place++) {
        if (alone || (1 == in_place) == call->in_place) {
            decision->params.in_place = 1 == in_place;
            rc = make_plan(module, call->coll, made, &made->plan[in_place], &good);
        }
    }
    if (OMPI_SUCCESS == rc && !good) {
        free_plans(made);
        decision->algorithm = -1;
        decision->reason = NAPCOLL_REASON_WRONG_PLAN;
    }
    return rc;
}

/* Make the subcommunicator of a scope, if plans of a decision leave phases to it. */
static int prepare_scope(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                         const napcoll_decision_t *decision, napcoll_scope_t scope)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[call->coll];
    const napcoll_plan_args_t args = {
        .algorithm = napcoll_algorithm_at(collective, decision->algorithm),
        .params = decision->params};
    int rc;

    if (module->has_subcomm[scope] || !napcoll_plan_args_delegates(&args, scope)) {
        return OMPI_SUCCESS;
    }
    mca_coll_napcoll_fallback_enter(module);
    rc = mca_coll_napcoll_fallback_exit(
        module, napcoll_subcomm_make(module->comm, module->map, scope, &module->subcomm[scope]));
    /* also where only the rest failed here: other ranks have it */
    module->has_subcomm[scope] = OMPI_SUCCESS == rc || NULL != module->subcomm[scope];
    if (OMPI_SUCCESS == rc) {
        mca_coll_napcoll_log_subcomm(module, scope);
    }
    return rc;
}

/* Make what the plans of a decision need of the communicator itself. Collective, and the same on
 * all ranks. */
static int prepare_communicator(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                                napcoll_cached_t *entry)
{
    const napcoll_decision_t *decision = &entry->decided->decision;
    int rc = OMPI_SUCCESS;

    if (decision->algorithm < 0) {
        return OMPI_SUCCESS;
    }
    for (int scope = 0; scope < NAPCOLL_SCOPES && OMPI_SUCCESS == rc; scope++) {
        rc = prepare_scope(module, call, decision, (napcoll_scope_t) scope);
    }
    if (OMPI_SUCCESS == rc && mca_coll_napcoll_component.online && decision->by_model
        && !mca_coll_napcoll_is_neighbor(call->coll)) {
        rc = mca_coll_napcoll_trial_for(module, call, decision, &entry->trial);
    }
    return rc;
}

static void free_entry(napcoll_cached_t *entry)
{
    mca_coll_napcoll_release_decided(entry->decided);
    free(entry);
}

/* Whether an entry has the decision on a call, or on one that differs in the root only. */
static inline bool is_on_any_root(const napcoll_cached_t *entry, const napcoll_call_t *call,
                                  int force)
{
    const napcoll_decided_t *decided = entry->decided;
    const napcoll_call_t *known = &decided->key.call;

    return call->noncommutative == known->noncommutative && call->straight == known->straight
           && call->own_phases == known->own_phases && call->request == known->request
           && force == decided->key.force && call->bytes >= decided->decision.least
           && call->bytes <= decided->decision.most
           && (call->in_place == known->in_place || mca_coll_napcoll_in_place_alone(call->coll));
}

/* The decision on a call that differs in the root only, to save an estimate; NULL: there is none.
 * Entries of all ranks are alike, so all ranks find it or none does. */
static const napcoll_decided_t *find_alike(const mca_coll_napcoll_module_t *module,
                                           const napcoll_call_t *call, int force)
{
    for (const napcoll_cached_t *e = module->cached[call->coll]; NULL != e; e = e->next) {
        if (is_on_any_root(e, call, force)
            && NAPCOLL_REASON_WRONG_PLAN != e->decided->decision.reason) {
            return e->decided;
        }
    }
    return NULL;
}

napcoll_settings_t mca_coll_napcoll_settings(const mca_coll_napcoll_module_t *module,
                                             napcoll_coll_t coll)
{
    const mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    napcoll_settings_t settings = component->settings[coll];

    settings.unmeasured = !component->measured && !component->online;
    settings.processors = component->processors;
    settings.node_memory = component->node_memory && !module->jobs_differ;
    return settings;
}

/* Take a decision that no entry of the communicator has. */
static int decide(const mca_coll_napcoll_module_t *module, const napcoll_decision_key_t *key,
                  napcoll_decision_t *decision)
{
    const napcoll_call_t *call = &key->call;
    napcoll_settings_t settings = mca_coll_napcoll_settings(module, call->coll);

    settings.force = key->force;
    settings.asked = module->asked[call->coll];
    return 0 == napcoll_select(&settings, call, decision) ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

/* Estimate where rounds of an uneven collective pay. */
static int estimate_limits(const mca_coll_napcoll_module_t *module,
                           const napcoll_decision_key_t *key, napcoll_decided_t **decided)
{
    const napcoll_collective_t *collective = key->call.collective;
    const napcoll_settings_t settings = mca_coll_napcoll_settings(module, key->call.coll);
    napcoll_decided_t *made = mca_coll_napcoll_make_decided(key);

    if (NULL == made
        || 0 != napcoll_uneven_limits(collective, &settings, module->map, &made->limits)) {
        mca_coll_napcoll_release_decided(made);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    made->decision.most = SIZE_MAX;
    mca_coll_napcoll_share_decided(&made);
    *decided = made;
    opal_output_verbose(1, mca_coll_napcoll_log_output(module),
                        "coll:napcoll: communicator %u: %s: blocks of up to %zu bytes are "
                        "forwarded with others, where a process sends more than %zu of them",
                        napcoll_compat_comm_id(module->comm), collective->name,
                        made->limits.inline_bytes, made->limits.few);
    return OMPI_SUCCESS;
}

int mca_coll_napcoll_limits(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                            const napcoll_limits_t **limits)
{
    napcoll_decided_t **decided = &module->limits[coll];
    int rc = OMPI_SUCCESS;

    if (OPAL_UNLIKELY(NULL == *decided)) {
        const napcoll_decision_key_t key = {
            .call = {.collective = mca_coll_napcoll_collectives[coll],
                     .map = module->map,
                     .coll = coll},
            .map = module->map,
            .limits = true};

        *decided = mca_coll_napcoll_find_decided(&key, 0);
        rc = NULL == *decided ? estimate_limits(module, &key, decided) : OMPI_SUCCESS;
    }
    *limits = OMPI_SUCCESS == rc ? &(*decided)->limits : NULL;
    return rc;
}

/* What a decision on a call rests on. Of calls that differ in the root only, the decision on the
 * first one counts. */
static napcoll_decision_key_t key_of(const mca_coll_napcoll_module_t *module,
                                     const napcoll_call_t *call, int force,
                                     const napcoll_decided_t *alike)
{
    napcoll_decision_key_t key = {.call = *call,
                                  .map = module->map,
                                  .asked = module->asked[call->coll],
                                  .rank = ompi_comm_rank(module->comm),
                                  .force = force,
                                  .first_root = NULL == alike ? call->root : alike->key.first_root,
                                  .jobs_differ = module->jobs_differ};

    key.call.collective = mca_coll_napcoll_collectives[call->coll];
    key.call.map = module->map;
    key.call.neighborhood = mca_coll_napcoll_is_neighbor(call->coll) ? module->neighborhood : NULL;
    key.call.in_place = call->in_place && !mca_coll_napcoll_in_place_alone(call->coll);
    return key;
}

/* Take a decision and make its plans. Not shared between communicators are plans along the edges of
 * one, and plans that ranks verify together: all ranks must make theirs at the same time. */
static int make_decided(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                        const napcoll_decision_key_t *key, const napcoll_decided_t *alike,
                        napcoll_decided_t **decided)
{
    napcoll_decided_t *made = mca_coll_napcoll_make_decided(key);
    int rc = OMPI_SUCCESS;

    if (NULL == made) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (NULL != alike) {
        made->decision = alike->decision;
    } else {
        rc = decide(module, key, &made->decision);
    }
    if (module->jobs_differ) {
        made->decision.reason = NAPCOLL_REASON_JOBS;
    }
    made->decision.params.root = call->root;
    if (OMPI_SUCCESS == rc && made->decision.algorithm >= 0) {
        rc = make_plans(module, call, made);
    }
    if (OMPI_SUCCESS != rc) {
        mca_coll_napcoll_release_decided(made);
        return rc;
    }
    if (NAPCOLL_VERIFY_PLANS_OFF == mca_coll_napcoll_component.verify
        && !mca_coll_napcoll_is_neighbor(call->coll)) {
        mca_coll_napcoll_share_decided(&made);
    }
    *decided = made;
    return OMPI_SUCCESS;
}

/* The decision of another communicator, or a new one. */
static int take_decided(mca_coll_napcoll_module_t *module, const napcoll_call_t *call, int force,
                        const napcoll_decided_t *alike, napcoll_decided_t **decided)
{
    const napcoll_decision_key_t key = key_of(module, call, force, alike);

    *decided = mca_coll_napcoll_is_neighbor(call->coll)
                   ? NULL
                   : mca_coll_napcoll_find_decided(&key, call->bytes);
    return NULL == *decided ? make_decided(module, call, &key, alike, decided) : OMPI_SUCCESS;
}

int mca_coll_napcoll_decide_apart(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                                  napcoll_decided_t **decided)
{
    const int rc = take_decided(module, call, mca_coll_napcoll_force(module, call->coll), NULL,
                                decided);

    if (OMPI_SUCCESS == rc) {
        mca_coll_napcoll_log_decision(module, *decided, true);
    }
    return rc;
}

/* A new entry. */
static int decide_new(mca_coll_napcoll_module_t *module, const napcoll_call_t *call, int force,
                      napcoll_cached_t **cached)
{
    const napcoll_decided_t *alike = find_alike(module, call, force);
    napcoll_cached_t *entry = calloc(1, sizeof(*entry));
    int rc;

    if (NULL == entry) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = take_decided(module, call, force, alike, &entry->decided);
    if (OMPI_SUCCESS == rc) {
        rc = prepare_communicator(module, call, entry);
    }
    if (OMPI_SUCCESS != rc) {
        free_entry(entry);
        return rc;
    }
    mca_coll_napcoll_log_decision(module, entry->decided, NULL == alike);
    *cached = entry;
    return OMPI_SUCCESS;
}

/* Whether an entry has the decision on a call. */
static inline bool is_on(const napcoll_cached_t *entry, const napcoll_call_t *call, int force)
{
    return call->root == entry->decided->key.call.root && is_on_any_root(entry, call, force);
}

/* Take the entry on a call out of its list; NULL: there is none, and the last entry is dropped if
 * the list is full. */
static napcoll_cached_t *take_out(napcoll_cached_t **list, const napcoll_call_t *call, int force)
{
    enum { MOST = 48 };
    int entries = 0;

    for (napcoll_cached_t **at = list; NULL != *at; at = &(*at)->next) {
        napcoll_cached_t *entry = *at;

        if (is_on(entry, call, force)) {
            *at = entry->next;
            return entry;
        }
        if (++entries == MOST) {
            *at = NULL;
            free_entry(entry);
            return NULL;
        }
    }
    return NULL;
}

/* Whether the slots for blocks of a call fit the memory that is allowed; the same on all ranks. In
 * uneven calls blocks that are too large do not go there (coll_napcoll_blocks.c). */
static inline bool fits(const napcoll_cached_t *entry, const napcoll_call_t *call)
{
    const size_t limit = mca_coll_napcoll_component.transit_bytes;

    return 0 == entry->decided->slots || 0 == call->bytes || 0 == limit
           || entry->decided->key.call.collective->uneven
           || (size_t) entry->decided->slots <= limit / call->bytes;
}

/* Why a call goes to the fallback function though an algorithm was chosen; NONE: it does not. */
static inline napcoll_reason_t reason_against(const napcoll_cached_t *entry,
                                              const napcoll_call_t *call, napcoll_kind_t kind)
{
    if (!fits(entry, call)) {
        return NAPCOLL_REASON_MEMORY;
    }
    return OPAL_UNLIKELY(NULL != entry->trial) && NAPCOLL_KIND_BLOCKING == kind
                   && NAPCOLL_CONTESTANT_FALLBACK == napcoll_trial_turn(&entry->trial->state)
               ? NAPCOLL_REASON_ONLINE
               : NAPCOLL_REASON_NONE;
}

napcoll_outcome_t mca_coll_napcoll_outcome(const napcoll_cached_t *entry, napcoll_reason_t reason,
                                           const napcoll_call_t *call, napcoll_kind_t kind)
{
    napcoll_outcome_t outcome = {.collective = mca_coll_napcoll_collectives[call->coll],
                                 .kind = kind,
                                 .algorithm = -1,
                                 .reason = reason,
                                 .most = SIZE_MAX};

    if (NULL != entry) {
        const napcoll_decision_t *decision = &entry->decided->decision;

        outcome.reason = decision->algorithm < 0 ? decision->reason
                                                 : reason_against(entry, call, kind);
        outcome.algorithm = NAPCOLL_REASON_NONE == outcome.reason ? decision->algorithm : -1;
        outcome.least = decision->least;
        outcome.most = decision->most;
    }
    return outcome;
}

/* Whether a call on one node goes through node memory. */
static inline bool takes_node_memory(const mca_coll_napcoll_module_t *module,
                                     const napcoll_call_t *call)
{
    const napcoll_goal_t goal = mca_coll_napcoll_collectives[call->coll]->goal;
    const napcoll_region_t *region = mca_coll_napcoll_region(module);

    if (NULL == region
        || (mca_coll_napcoll_takes_large_rings(call) && NULL == region->large_ring.memory)) {
        return false;
    }
    /* processes without neighbours may give another size */
    return napcoll_goal_is_neighbor(goal)
           || call->bytes <= napcoll_select_most_on_one_node(goal, region->sleeps);
}

/* Whether calls on one node are napcoll's: where their messages go through node memory, or for
 * reproducible results. */
static inline bool is_served_on_one_node(const mca_coll_napcoll_module_t *module,
                                         const napcoll_call_t *call)
{
    return takes_node_memory(module, call)
           || (mca_coll_napcoll_component.reproducible
               && napcoll_goal_reduces(mca_coll_napcoll_collectives[call->coll]->goal));
}

/* After an error no rank runs the fallback function: other ranks may have none. */
int mca_coll_napcoll_set_up(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                            bool waits, napcoll_reason_t *reason)
{
    int rc = OMPI_SUCCESS;

    *reason = NAPCOLL_REASON_NONE;
    if (OPAL_UNLIKELY(!module->ready)) {
        rc = find_topology(module, waits);
    }
    if (OMPI_SUCCESS == rc && waits
        && OPAL_UNLIKELY(module->calls_before_node_memory >= 0
                         || module->calls_before_large_rings >= 0)) {
        rc = mca_coll_napcoll_make_node_memory(module, mca_coll_napcoll_takes_large_rings(call));
    }
    if (OMPI_SUCCESS == rc && module->one_node && !is_served_on_one_node(module, call)) {
        *reason = NAPCOLL_REASON_ONE_NODE;
    } else if (OMPI_SUCCESS == rc && mca_coll_napcoll_is_neighbor(call->coll)
               && OPAL_UNLIKELY(NULL == module->neighborhood)) {
        rc = waits ? mca_coll_napcoll_find_neighbors(module) : OMPI_ERR_WOULD_BLOCK;
    }
    if (OMPI_ERR_WOULD_BLOCK == rc) {
        *reason = NAPCOLL_REASON_SETUP;
        rc = OMPI_SUCCESS;
    }
    return rc;
}

int mca_coll_napcoll_find_entry(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                                bool waits, const napcoll_cached_t **found,
                                napcoll_reason_t *reason)
{
    napcoll_cached_t **list = &module->cached[call->coll], *entry = *list;
    int force, rc;

    *found = NULL;
    *reason = NAPCOLL_REASON_NONE;
    force = mca_coll_napcoll_force(module, call->coll);
    if (OPAL_UNLIKELY(NULL == entry || !is_on(entry, call, force))) {
        entry = take_out(list, call, force);
        if (NULL == entry) {
            if (!waits && mca_coll_napcoll_plans_take_messages()) {
                *reason = NAPCOLL_REASON_SETUP;
                return OMPI_SUCCESS;
            }
            rc = decide_new(module, call, force, &entry);
            if (OMPI_SUCCESS != rc) {
                return rc;
            }
        }
        entry->next = *list;
        *list = entry;
    }
    *found = entry;
    return OMPI_SUCCESS;
}

void mca_coll_napcoll_cache_release(mca_coll_napcoll_module_t *module)
{
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        mca_coll_napcoll_release_decided(module->limits[coll]);
        module->limits[coll] = NULL;
        while (NULL != module->cached[coll]) {
            napcoll_cached_t *entry = module->cached[coll];

            module->cached[coll] = entry->next;
            free_entry(entry);
        }
    }
}
