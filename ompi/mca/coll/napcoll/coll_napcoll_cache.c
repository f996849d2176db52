/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A module's decisions and plans. The first call of a kind pays for the node map, the decision,
 * the plan and, where the plan has phases, the subcommunicator; later ones find the entry, the
 * latest first. Entries are few: they differ in op class, in-place, size class and forced choice.
 */

#include "coll_napcoll.h"

#include <stdlib.h>

#include "opal/util/argv.h"
#include "opal/util/output.h"

/* Say that an info key's value is none; one thread at a time, as show_help wants it. */
static void complain_of_info(const mca_coll_napcoll_module_t *module,
                             const napcoll_collective_t *collective, const char *key,
                             const char *value)
{
    opal_mutex_t *lock = &mca_coll_napcoll_component.job.lock;
    char **names = NULL, *valid;

    (void) opal_argv_append_nosize(&names, "auto");
    (void) opal_argv_append_nosize(&names, "previous");
    for (int row = 0; row < collective->algorithms; row++) {
        (void) opal_argv_append_nosize(&names, collective->algorithm[row].name);
    }
    valid = opal_argv_join(names, ' ');
    opal_argv_free(names);
    opal_mutex_lock(lock);
    napcoll_compat_show_help("bad info value", key, value, module->comm->c_name,
                             NULL == valid ? "" : valid);
    opal_mutex_unlock(lock);
    free(valid);
}

/* The forced algorithm of the communicator's info key, -1 without one. */
static int read_info_key(mca_coll_napcoll_module_t *module, napcoll_coll_t coll)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    char key[64], *value = NULL;
    int rc;

    (void) snprintf(key, sizeof(key), "napcoll_%s_algorithm", collective->name);
    rc = napcoll_compat_comm_info(module->comm, key, &value);
    if (OMPI_SUCCESS != rc || NULL == value) {
        return rc;
    }
    module->info_force[coll] = mca_coll_napcoll_force_value(collective, value);
    if (module->info_force[coll] < 0) {
        complain_of_info(module, collective, key, value);
    }
    free(value);
    return OMPI_SUCCESS;
}

static void log_map(const mca_coll_napcoll_module_t *module)
{
    const napcoll_node_map_t *map = module->map;

    opal_output_verbose(20, mca_coll_napcoll_component.output,
                        "coll:napcoll: communicator %u: %d ranks on %d nodes, %d to %d on each, "
                        "%s; rank %d is lane %d of node %d",
                        napcoll_compat_comm_id(module->comm), map->size, map->nodes, map->min_ppn,
                        map->max_ppn, map->contiguous ? "contiguous" : "not contiguous",
                        ompi_comm_rank(module->comm),
                        napcoll_node_map_lane(map, ompi_comm_rank(module->comm)),
                        napcoll_node_map_node(map, ompi_comm_rank(module->comm)));
    for (int i = 0; NULL != map->near && i < napcoll_node_map_ppn(map, map->near_node); i++) {
        opal_output_verbose(20, mca_coll_napcoll_component.output,
                            "coll:napcoll: communicator %u: node %d, place %d in the hardware: "
                            "lane %d",
                            napcoll_compat_comm_id(module->comm), map->near_node, i, map->near[i]);
    }
}

/* The node map and what the communicator's info says; at first use. */
static int find_topology(mca_coll_napcoll_module_t *module)
{
    const napcoll_holder_t *allgather = &module->previous[NAPCOLL_SLOT_ALLGATHER];
    int rc = OMPI_SUCCESS;

    module->topo_state = NAPCOLL_TOPO_BUSY;
    rc = napcoll_discover_node_map(&mca_coll_napcoll_component.job, module->comm,
                                   (mca_coll_base_module_allgather_fn_t) allgather->function,
                                   allgather->module, &module->map);
    for (int coll = 0; coll < NAPCOLL_COLLS && OMPI_SUCCESS == rc; coll++) {
        rc = read_info_key(module, (napcoll_coll_t) coll);
    }
    if (OMPI_SUCCESS == rc) {
        log_map(module);
    } else {
        napcoll_node_map_free(module->map);
        module->map = NULL;
    }
    module->topo_state = OMPI_SUCCESS == rc ? NAPCOLL_TOPO_READY : NAPCOLL_TOPO_ABSENT;
    return rc;
}

/* The plan of a decision, and what running it needs; or, where the plan is found to be wrong, the decision
 * to leave the call to the previous function. */
static int make_plan(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                     napcoll_cached_t *entry)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    const napcoll_request_t request = {
        .collective = collective,
        .algorithm = &collective->algorithm[entry->decision.algorithm],
        .map = module->map,
        .rank = ompi_comm_rank(module->comm),
        .params = entry->decision.params};
    bool good;
    int rc;

    entry->plan = request.algorithm->generate(&request);
    if (NULL == entry->plan) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = mca_coll_napcoll_verify_plan(module, coll, &entry->decision, entry->plan, &good);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (!good) {
        napcoll_plan_free(entry->plan);
        entry->plan = NULL;
        entry->decision.algorithm = -1;
        entry->decision.reason = NAPCOLL_REASON_WRONG_PLAN;
        return OMPI_SUCCESS;
    }
    rc = napcoll_engine_prepare(&module->engine, entry->plan);
    if (OMPI_SUCCESS == rc && NAPCOLL_PROVIDER_DELEGATE == request.params.provider
        && NULL == module->engine.node_comm) {
        module->topo_state = NAPCOLL_TOPO_BUSY;
        rc = napcoll_subcomm_node(module->comm, module->map, &module->engine.node_comm);
        module->topo_state = NAPCOLL_TOPO_READY;
    }
    return rc;
}

static void log_decision(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                         const napcoll_cached_t *entry)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    const napcoll_decision_t *decision = &entry->decision;

    if (decision->algorithm >= 0) {
        opal_output_verbose(1, mca_coll_napcoll_component.output,
                            "coll:napcoll: communicator %u: %s of %zu to %zu bytes by %s, %s",
                            napcoll_compat_comm_id(module->comm), collective->name, decision->least,
                            decision->most, collective->algorithm[decision->algorithm].name,
                            entry->force >= NAPCOLL_FORCE_FIRST ? "forced" : "chosen by auto");
    } else {
        opal_output_verbose(1, mca_coll_napcoll_component.output,
                            "coll:napcoll: communicator %u: %s of %zu to %zu bytes left to the "
                            "previous component: %s",
                            napcoll_compat_comm_id(module->comm), collective->name, decision->least,
                            decision->most, napcoll_reason_help(decision->reason));
    }
}

static void free_entry(napcoll_cached_t *entry)
{
    napcoll_plan_free(entry->plan);
    free(entry);
}

/* Take a decision that is not cached yet. */
static int decide_new(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                      const napcoll_settings_t *settings, const napcoll_question_t *question,
                      const napcoll_cached_t **cached)
{
    napcoll_cached_t *entry = calloc(1, sizeof(*entry));
    int rc = OMPI_SUCCESS;

    if (NULL == entry) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    entry->ordered = question->ordered;
    entry->in_place = question->in_place;
    entry->force = settings->force;
    entry->nap_max = settings->nap_max;
    entry->smp_max = settings->smp_max;
    entry->decision = napcoll_select(mca_coll_napcoll_collectives[coll], settings, question);
    if (entry->decision.algorithm >= 0) {
        rc = make_plan(module, coll, entry);
    }
    if (OMPI_SUCCESS != rc) {
        free_entry(entry);
        return rc;
    }
    log_decision(module, coll, entry);
    entry->next = module->cached[coll];
    module->cached[coll] = entry;
    *cached = entry;
    return OMPI_SUCCESS;
}

int mca_coll_napcoll_decide(mca_coll_napcoll_module_t *module, napcoll_coll_t coll, size_t bytes,
                            bool ordered, bool in_place, const napcoll_cached_t **cached)
{
    napcoll_settings_t *settings = &mca_coll_napcoll_component.settings[coll];
    napcoll_question_t question;
    napcoll_settings_t mine;
    int force;

    if (OPAL_UNLIKELY(NAPCOLL_TOPO_READY != module->topo_state)) {
        int rc = OMPI_SUCCESS;

        *cached = NULL;
        if (NAPCOLL_TOPO_BUSY != module->topo_state) {
            rc = find_topology(module);
        }
        if (NAPCOLL_TOPO_READY != module->topo_state) {
            return rc;
        }
    }
    force = module->info_force[coll] >= 0 ? module->info_force[coll] : settings->force;
    for (napcoll_cached_t *e = module->cached[coll]; NULL != e; e = e->next) {
        if (ordered == e->ordered && in_place == e->in_place && force == e->force
            && settings->nap_max == e->nap_max && settings->smp_max == e->smp_max
            && bytes >= e->decision.least && bytes <= e->decision.most) {
            *cached = e;
            return OMPI_SUCCESS;
        }
    }
    mine = *settings;
    mine.force = force;
    question = (napcoll_question_t){
        .map = module->map, .bytes = bytes, .ordered = ordered, .in_place = in_place};
    return decide_new(module, coll, &mine, &question, cached);
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
