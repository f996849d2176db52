/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A module's decisions and plans. The first call of a kind pays for the node map, the decision,
 * the plan and, where the plan has phases, the subcommunicator; later ones find the entry, the
 * latest first. Entries are few, as they differ in op class, in-place, size class, forced choice and
 * root; beyond a few dozen the one used longest ago goes, on all ranks alike.
 */

#include "coll_napcoll_watch.h"

#include "algo/alltoall/alltoall.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/output.h"
#include "select/napcoll_wording.h"

/* Say that an info key's value is none, and why, on one of its processes; one thread at a time, as show_help wants it. */
static void complain_of_info(const mca_coll_napcoll_module_t *module, const char *key,
                             const char *value, const char *why)
{
    opal_mutex_t *lock = &mca_coll_napcoll_component.job.lock;

    if (0 != ompi_comm_rank(module->comm)) {
        return;
    }
    opal_mutex_lock(lock);
    napcoll_compat_show_help("bad info value", key, value, module->comm->c_name, why);
    opal_mutex_unlock(lock);
}

/* What the communicator's info key asks for, in the place of the parameter: one of its values, or what stands behind the
 * -> of a rule. */
static int read_info_key(mca_coll_napcoll_module_t *module, napcoll_coll_t coll)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    char key[MPI_MAX_INFO_KEY + 1], *value = NULL;
    napcoll_rules_error_t error;
    napcoll_rule_t rule;
    int rc;

    napcoll_collective_info_key(collective, key, MPI_MAX_INFO_KEY);
    rc = napcoll_compat_comm_info(module->comm, key, &value);
    if (OMPI_SUCCESS != rc || NULL == value) {
        return rc;
    }
    if (0 == strcmp(value, "previous")) {
        module->force[coll] = NAPCOLL_FORCE_PREVIOUS;
    } else if (0 != napcoll_rules_parse_action(collective, value, &rule, &error)) {
        complain_of_info(module, key, value, error.text);
    } else {
        module->force[coll] = napcoll_select_force(&rule);
        if (napcoll_rule_has_tunables(&rule)) {
            free(module->asked[coll]); /* of an attempt that failed */
            module->asked[coll] = malloc(sizeof(rule));
            if (NULL == module->asked[coll]) {
                rc = OMPI_ERR_OUT_OF_RESOURCE;
            } else {
                *module->asked[coll] = rule;
            }
        }
    }
    free(value);
    return rc;
}

/* What users say of the blocks of MPI_Alltoallv on a communicator. */
static int read_mean_bytes(mca_coll_napcoll_module_t *module)
{
    static const char key[] = "napcoll_alltoallv_mean_bytes";
    char *value = NULL, *end = NULL;
    unsigned long long bytes = 0;
    int rc = napcoll_compat_comm_info(module->comm, key, &value);

    module->mean_bytes = mca_coll_napcoll_component.alltoallv_mean_bytes;
    if (OMPI_SUCCESS != rc || NULL == value) {
        return rc;
    }
    errno = 0;
    bytes = strtoull(value, &end, 10);
    if (0 != errno || value == end || '\0' != *end || NULL != strchr(value, '-')
        || bytes > SIZE_MAX) {
        complain_of_info(module, key, value, "expected a number of bytes");
    } else {
        module->mean_bytes = (size_t) bytes;
    }
    free(value);
    return OMPI_SUCCESS;
}

static void log_map(const mca_coll_napcoll_module_t *module)
{
    const napcoll_node_map_t *map = module->map;

    opal_output_verbose(20, mca_coll_napcoll_component.output,
                        "coll:napcoll: communicator %u: %d ranks on %d nodes, %d to %d on each, "
                        "%s; rank %d is lane %d of node %d; nodes %s",
                        napcoll_compat_comm_id(module->comm), map->size, map->nodes, map->min_ppn,
                        map->max_ppn, map->contiguous ? "contiguous" : "not contiguous",
                        ompi_comm_rank(module->comm),
                        napcoll_node_map_lane(map, ompi_comm_rank(module->comm)),
                        napcoll_node_map_node(map, ompi_comm_rank(module->comm)),
                        napcoll_job_source(&mca_coll_napcoll_component.job, module->comm));
    for (int i = 0; NULL != map->along && i < map->nodes; i++) {
        opal_output_verbose(20, mca_coll_napcoll_component.output,
                            "coll:napcoll: communicator %u: place %d in the network: node %d%s%s",
                            napcoll_compat_comm_id(module->comm), i, map->along[i],
                            NULL == map->tree ? "" : ", ",
                            NULL == map->tree ? "" : map->tree->node[map->spot[map->along[i]]]);
    }
    for (int i = 0; NULL != map->near && i < napcoll_node_map_ppn(map, map->near_node); i++) {
        opal_output_verbose(20, mca_coll_napcoll_component.output,
                            "coll:napcoll: communicator %u: node %d, place %d in the hardware: "
                            "lane %d",
                            napcoll_compat_comm_id(module->comm), map->near_node, i, map->near[i]);
    }
}

/* Which components hold the slots behind napcoll, as far as it is known what they do: the same on all ranks, since
 * Open MPI wants the same components on them. */
static void know_components(mca_coll_napcoll_module_t *module)
{
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        const char *name = napcoll_compat_component_name(module->comm,
                                                         module->previous[coll].module);
        const napcoll_component_t component = napcoll_component_find(name);

        module->component[coll] = NAPCOLL_COMPONENT_TUNED == component
                                          && mca_coll_napcoll_component.tuned_by_rules
                                      ? NAPCOLL_COMPONENT_UNKNOWN
                                      : component;
    }
}

/* The node map and what the communicator's info says; at first use. */
static int find_topology(mca_coll_napcoll_module_t *module)
{
    const napcoll_holder_t *allgather = mca_coll_napcoll_leave_to(module, NAPCOLL_COLL_ALLGATHER);
    int rc;

    rc = napcoll_discover_node_map(&mca_coll_napcoll_component.job, module->comm,
                                   (mca_coll_base_module_allgather_fn_t) allgather->function,
                                   allgather->module, &module->map);
    for (int coll = 0; coll < NAPCOLL_COLLS && OMPI_SUCCESS == rc; coll++) {
        rc = read_info_key(module, (napcoll_coll_t) coll);
    }
    if (OMPI_SUCCESS == rc) {
        rc = read_mean_bytes(module);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_compare_jobs(module);
    }
    for (int coll = 0; coll < NAPCOLL_COLLS && module->jobs_differ; coll++) {
        module->force[coll] = NAPCOLL_FORCE_PREVIOUS;
    }
    if (OMPI_SUCCESS == rc) {
        know_components(module);
        log_map(module);
    } else {
        napcoll_node_map_free(module->map);
        module->map = NULL;
    }
    module->ready = OMPI_SUCCESS == rc;
    return mca_coll_napcoll_back(module, rc);
}

/* A plan of an entry's decision, and what running it needs. *good: whether all ranks' plans are right. */
static int make_plan(mca_coll_napcoll_module_t *module, napcoll_cached_t *entry,
                     napcoll_plan_t **plan, bool *good)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[entry->call.coll];
    const napcoll_decision_t *decision = &entry->decision;
    const napcoll_request_t request = {.collective = collective,
                                       .algorithm = &collective->algorithm[decision->algorithm],
                                       .map = module->map,
                                       .rank = ompi_comm_rank(module->comm),
                                       .params = decision->params};
    int rc;

    *plan = request.algorithm->generate(&request);
    if (NULL == *plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    entry->slots = napcoll_request_slots(&request, *plan);
    if (entry->slots < 0) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = mca_coll_napcoll_verify_plan(module, entry->call.coll, decision, *plan, good);
    if (OMPI_SUCCESS == rc && *good) {
        rc = napcoll_engine_prepare(&module->engine, *plan);
    }
    return rc;
}

static void free_plans(napcoll_cached_t *entry)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        napcoll_plan_free(entry->plan[in_place]);
        entry->plan[in_place] = NULL;
    }
}

/* The plans of an entry: where each process decides by itself whether it is in place, both, so that
 * all ranks make theirs at the same time. Where one is found to be wrong, the decision becomes to leave
 * the call to the previous function. */
static int make_plans(mca_coll_napcoll_module_t *module, napcoll_cached_t *entry)
{
    const bool alone = mca_coll_napcoll_in_place_alone(entry->call.coll);
    napcoll_decision_t *decision = &entry->decision;
    bool good = true;
    int rc = OMPI_SUCCESS;

    for (int in_place = 0; in_place < 2 && OMPI_SUCCESS == rc && good; in_place++) {
        if (alone || (1 == in_place) == entry->call.in_place) {
            decision->params.in_place = 1 == in_place;
            rc = make_plan(module, entry, &entry->plan[in_place], &good);
        }
    }
    if (OMPI_SUCCESS == rc && !good) {
        free_plans(entry);
        decision->algorithm = -1;
        decision->reason = NAPCOLL_REASON_WRONG_PLAN;
        return OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS == rc && NAPCOLL_PROVIDER_DELEGATE == decision->params.provider
        && NULL == module->engine.node_comm) {
        mca_coll_napcoll_leave(module);
        rc = mca_coll_napcoll_back(
            module, napcoll_subcomm_node(module->comm, module->map, &module->engine.node_comm));
    }
    return rc;
}

int mca_coll_napcoll_log_of(const mca_coll_napcoll_module_t *module)
{
    const int output = mca_coll_napcoll_component.output;

    return 0 == ompi_comm_rank(module->comm) || opal_output_get_verbosity(output) >= 10 ? output
                                                                                        : -1;
}

/* Say which rule would have decided, had its algorithm been able to do the call. */
static void log_passed_rule(const mca_coll_napcoll_module_t *module, const napcoll_cached_t *entry)
{
    if (entry->decision.passed > 0) {
        opal_output_verbose(
            1, mca_coll_napcoll_log_of(module),
            "coll:napcoll: communicator %u: %s: line %d of the rules file is passed over: %s",
            napcoll_compat_comm_id(module->comm),
            mca_coll_napcoll_collectives[entry->call.coll]->name, entry->decision.passed,
            napcoll_reason_help(entry->decision.passed_reason));
    }
}

/* Say what was decided, and where it was reckoned anew, why not otherwise. */
static void log_decision(const mca_coll_napcoll_module_t *module, const napcoll_cached_t *entry,
                         bool reckoned)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[entry->call.coll];
    const napcoll_decision_t *decision = &entry->decision;
    const int output = mca_coll_napcoll_log_of(module);
    char words[NAPCOLL_WORDS];

    if (opal_output_get_verbosity(output) < 1) {
        return;
    }
    log_passed_rule(module, entry);
    napcoll_words_of_decision(collective, decision, entry->force, words);
    opal_output_verbose(1, output, "coll:napcoll: communicator %u: %s",
                        napcoll_compat_comm_id(module->comm), words);
    for (int row = 0; row < collective->algorithms && reckoned; row++) {
        if (napcoll_words_of_candidate(collective, decision, row, words)) {
            opal_output_verbose(5, output,
                                "coll:napcoll: communicator %u: %s of %zu to %zu bytes: %s",
                                napcoll_compat_comm_id(module->comm), collective->name,
                                decision->least, decision->most, words);
        }
    }
    if (decision->previous_us > 0) {
        opal_output_verbose(
            1, output,
            "coll:napcoll: communicator %u: napcoll is reckoned to take %.1f us, %s %s%.1f us",
            napcoll_compat_comm_id(module->comm), decision->cost_us,
            napcoll_component_name(module->component[entry->call.coll]),
            decision->algorithm < 0 ? "" : "at least ", decision->previous_us);
    }
}

static void free_entry(napcoll_cached_t *entry)
{
    free_plans(entry);
    free(entry);
}

/* Whether an entry's decision is that on a call, or on one that differs in the root alone. */
static inline bool is_on_any_root(const napcoll_cached_t *entry, const napcoll_call_t *call,
                                  int force)
{
    return call->ordered == entry->call.ordered && call->bounded == entry->call.bounded
           && call->unsized == entry->call.unsized && call->sparse == entry->call.sparse
           && force == entry->force && call->bytes >= entry->decision.least
           && call->bytes <= entry->decision.most
           && (call->in_place == entry->call.in_place
               || mca_coll_napcoll_in_place_alone(call->coll));
}

/* The decision on a call that differs in the root alone, to save the reckoning. All ranks find it, or
 * none does: their entries are alike. */
static bool find_decision(const mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                          int force, napcoll_decision_t *decision)
{
    for (const napcoll_cached_t *e = module->cached[call->coll]; NULL != e; e = e->next) {
        if (is_on_any_root(e, call, force) && NAPCOLL_REASON_WRONG_PLAN != e->decision.reason) {
            *decision = e->decision;
            return true;
        }
    }
    return false;
}

/* The settings of a collective on a communicator. */
static napcoll_settings_t settings_of(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll)
{
    napcoll_settings_t settings = mca_coll_napcoll_component.settings[coll];

    settings.previous = (napcoll_previous_t){.component = module->component[coll],
                                             .series = NAPCOLL_COMPAT_SERIES};
    if (mca_coll_napcoll_component.online) {
        settings.compare = 0; /* the clock will tell */
    }
    return settings;
}

/* A decision that no entry of the communicator has. */
static int reckon(mca_coll_napcoll_module_t *module, const napcoll_call_t *call, int force,
                  napcoll_decision_t *decision)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[call->coll];
    const napcoll_question_t question = {
        .map = module->map,
        .bytes = call->bytes,
        .ordered = call->ordered,
        .in_place = call->in_place && !mca_coll_napcoll_in_place_alone(call->coll),
        .root = call->root,
        .bounded = call->bounded};
    napcoll_settings_t settings = settings_of(module, call->coll);
    int rc;

    settings.force = call->sparse ? NAPCOLL_FORCE_FIRST + NAPCOLL_ALLTOALL_LINEAR : force;
    settings.asked = module->asked[call->coll];
    opal_mutex_lock(&component->job.lock);
    rc = call->unsized ? napcoll_agreement_without(&component->recall, collective, &settings,
                                                   &question, decision)
                       : napcoll_recall_select(&component->recall, collective, &settings, &question,
                                               decision);
    opal_mutex_unlock(&component->job.lock);
    if (call->sparse) {
        decision->most = SIZE_MAX; /* whatever the sizes */
    }
    return 0 == rc ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

int mca_coll_napcoll_agreement(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                               const napcoll_agreement_t **agreement)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    const napcoll_collective_t *by = napcoll_agreement_by(collective);
    napcoll_agreement_t *known = &module->agreement[coll];
    int rc;

    *agreement = known;
    if (OPAL_UNLIKELY(!module->knows_agreement[coll])) {
        const napcoll_settings_t settings = settings_of(module, coll);
        napcoll_agreement_t found;

        opal_mutex_lock(&component->job.lock);
        rc = napcoll_agreement(&component->recall, collective, &settings,
                               &component->settings[&napcoll_bcast == by ? NAPCOLL_COLL_BCAST
                                                                         : NAPCOLL_COLL_ALLREDUCE],
                               module->map, &found);
        opal_mutex_unlock(&component->job.lock);
        if (0 != rc) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        *known = found;
        module->knows_agreement[coll] = true;
        opal_output_verbose(
            1, mca_coll_napcoll_log_of(module),
            "coll:napcoll: communicator %u: to agree on the sizes of %s takes %.1f us, "
            "small blocks %.1f us sent straight, %.1f us at best: %s",
            napcoll_compat_comm_id(module->comm), collective->name, known->cost_us,
            known->direct_us, known->cheapest_us, known->pays ? "it pays" : "it does not pay");
    }
    return OMPI_SUCCESS;
}

/* Take a decision that is not cached yet. */
static int decide_new(mca_coll_napcoll_module_t *module, const napcoll_call_t *call, int force,
                      napcoll_cached_t **cached)
{
    napcoll_cached_t *entry = calloc(1, sizeof(*entry));
    bool reckoned;
    int rc = OMPI_SUCCESS;

    if (NULL == entry) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    entry->force = force;
    entry->call = *call;
    reckoned = !find_decision(module, call, force, &entry->decision);
    if (reckoned) {
        rc = reckon(module, call, force, &entry->decision);
    }
    if (module->jobs_differ) {
        entry->decision.reason = NAPCOLL_REASON_JOBS;
    }
    entry->decision.params.root = call->root;
    if (OMPI_SUCCESS == rc && entry->decision.algorithm >= 0) {
        rc = make_plans(module, entry);
    }
    if (OMPI_SUCCESS == rc && mca_coll_napcoll_component.online && entry->decision.by_model
        && entry->decision.algorithm >= 0) {
        rc = mca_coll_napcoll_trial_for(module, call, &entry->decision, &entry->trial);
    }
    if (OMPI_SUCCESS != rc) {
        free_entry(entry);
        return rc;
    }
    log_decision(module, entry, reckoned);
    *cached = entry;
    return OMPI_SUCCESS;
}

/* Whether an entry's decision is that on a call. */
static inline bool is_on(const napcoll_cached_t *entry, const napcoll_call_t *call, int force)
{
    return call->root == entry->call.root && is_on_any_root(entry, call, force);
}

/* Take the entry on a call out of its list, NULL where there is none; or, where the list has become too
 * long, drop the last. */
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

int mca_coll_napcoll_know_nodes(mca_coll_napcoll_module_t *module, bool *known)
{
    const bool left = module->left > 0;
    const int rc = left || module->ready ? OMPI_SUCCESS : find_topology(module);

    *known = !left; /* an error is napcoll's: no rank runs the fallback for it alone */
    return rc;
}

static inline void add_to(_Atomic unsigned long long *counter, size_t more)
{
    (void) atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static inline void take_from(_Atomic unsigned long long *counter, size_t less)
{
    (void) atomic_fetch_sub_explicit(counter, less, memory_order_relaxed);
}

/* Whether slots hold blocks of a call, however they are spread, in the memory that is allowed; the same on all ranks. */
static inline bool fits(const napcoll_cached_t *entry, const napcoll_call_t *call)
{
    const size_t limit = mca_coll_napcoll_component.transit_bytes;

    return 0 == entry->slots || 0 == call->largest || 0 == limit
           || (size_t) entry->slots <= limit / call->largest;
}

bool mca_coll_napcoll_went_straight(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                    bool by_napcoll)
{
    const napcoll_cached_t *entry = module->cached[coll];

    return by_napcoll ? 0 == entry->slots
                      : entry->decision.algorithm < 0
                            || (NULL != entry->trial && entry->trial->state.over
                                && NAPCOLL_CONTESTANT_PREVIOUS == entry->trial->state.winner);
}

bool mca_coll_napcoll_went_along(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                 bool by_napcoll)
{
    const napcoll_cached_t *entry = module->cached[coll];

    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];

    return by_napcoll && entry->slots > 0 && entry->call.bounded
           && collective->algorithm[entry->decision.algorithm].tells
           && (NULL == entry->trial || entry->trial->state.over);
}

/* Why a call goes to the previous function, where an algorithm was decided for; NONE: it does not. */
static inline napcoll_reason_t reason_against(const napcoll_cached_t *entry,
                                              const napcoll_call_t *call)
{
    if (!fits(entry, call)) {
        return NAPCOLL_REASON_MEMORY;
    }
    return OPAL_UNLIKELY(NULL != entry->trial)
                   && NAPCOLL_CONTESTANT_PREVIOUS == napcoll_trial_turn(&entry->trial->state)
               ? NAPCOLL_REASON_ONLINE
               : NAPCOLL_REASON_NONE;
}

/* Count a call and let its frame know; the plan for it, NULL where it goes to the previous function. */
static const napcoll_plan_t *settle(const mca_coll_napcoll_module_t *module,
                                    const napcoll_cached_t *entry, const napcoll_call_t *call)
{
    napcoll_counters_t *counters = &mca_coll_napcoll_component.counters;
    const napcoll_decision_t *decision = &entry->decision;
    const napcoll_reason_t reason = decision->algorithm < 0 ? decision->reason
                                                            : reason_against(entry, call);
    const bool runs = decision->algorithm >= 0 && NAPCOLL_REASON_NONE == reason;

    if (OPAL_LIKELY(runs)) {
        add_to(&counters->runs[call->coll][decision->algorithm], 1);
        add_to(&counters->bytes[call->coll][decision->algorithm], call->bytes);
    } else {
        add_to(&counters->fallbacks[call->coll][reason], 1);
    }
    if (OPAL_UNLIKELY(NULL != module->frame)) {
        mca_coll_napcoll_watch_settle(
            module->frame,
            &(napcoll_outcome_t){.collective = mca_coll_napcoll_collectives[call->coll],
                                 .algorithm = runs ? decision->algorithm : -1,
                                 .reason = reason,
                                 .least = decision->least,
                                 .most = decision->most},
            call->bytes, NAPCOLL_REASON_MEMORY == reason ? NULL : entry->trial);
    }
    return runs ? entry->plan[call->in_place] : NULL;
}

void mca_coll_napcoll_take_back(mca_coll_napcoll_module_t *module, const napcoll_call_t *call)
{
    napcoll_counters_t *counters = &mca_coll_napcoll_component.counters;
    const int algorithm = module->cached[call->coll]->decision.algorithm;

    take_from(&counters->runs[call->coll][algorithm], 1);
    take_from(&counters->bytes[call->coll][algorithm], call->bytes);
    opal_output_verbose(
        5, mca_coll_napcoll_log_of(module),
        "coll:napcoll: communicator %u: %s: sizes of blocks are not those on which processes relied, "
        "%zu bytes on average and %zu at most: they agree, and run the call again",
        napcoll_compat_comm_id(module->comm), mca_coll_napcoll_collectives[call->coll]->name,
        call->bytes, call->largest);
}

int mca_coll_napcoll_plan_for(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                              const napcoll_plan_t **plan)
{
    napcoll_cached_t **list = &module->cached[call->coll], *entry = *list;
    bool ready = true;
    int force, rc;

    *plan = NULL;
    if (OPAL_UNLIKELY(!module->ready || module->left > 0)) {
        rc = mca_coll_napcoll_know_nodes(module, &ready);
        if (OMPI_SUCCESS != rc || !ready) {
            return rc; /* an error, or the call is none of napcoll's */
        }
    }
    force = mca_coll_napcoll_force(module, call->coll);
    if (OPAL_UNLIKELY(NULL == entry || !is_on(entry, call, force))) {
        entry = take_out(list, call, force);
        if (NULL == entry) {
            rc = decide_new(module, call, force, &entry);
            if (OMPI_SUCCESS != rc) {
                return rc;
            }
        }
        entry->next = *list;
        *list = entry;
    }
    *plan = settle(module, entry, call);
    return OMPI_SUCCESS;
}

void mca_coll_napcoll_cache_release(mca_coll_napcoll_module_t *module)
{
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        while (NULL != module->cached[coll]) {
            napcoll_cached_t *entry = module->cached[coll];

            module->cached[coll] = entry->next;
            free_entry(entry);
        }
    }
}
