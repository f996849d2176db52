/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verbose log: node maps and decisions of a communicator.
 */

#include "coll_napcoll.h"

#include "opal/util/output.h"
#include "select/napcoll_wording.h"

void mca_coll_napcoll_log_map(const mca_coll_napcoll_module_t *module)
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
    for (int i = 0; NULL != map->network_order && i < map->nodes; i++) {
        const char *name = NULL == map->tree ? ""
                                             : map->tree->node[map->spot[map->network_order[i]]];

        opal_output_verbose(20, mca_coll_napcoll_component.output,
                            "coll:napcoll: communicator %u: place %d in the network: node %d%s%s",
                            napcoll_compat_comm_id(module->comm), i, map->network_order[i],
                            NULL == map->tree ? "" : ", ", name);
    }
    for (int i = 0; NULL != map->local_order && i < napcoll_node_map_ppn(map, map->local_node);
         i++) {
        opal_output_verbose(20, mca_coll_napcoll_component.output,
                            "coll:napcoll: communicator %u: node %d, place %d in the hardware: "
                            "lane %d",
                            napcoll_compat_comm_id(module->comm), map->local_node, i,
                            map->local_order[i]);
    }
}

int mca_coll_napcoll_log_output(const mca_coll_napcoll_module_t *module)
{
    const int output = mca_coll_napcoll_component.output;

    return 0 == ompi_comm_rank(module->comm) || opal_output_get_verbosity(output) >= 10 ? output
                                                                                        : -1;
}

/* Log the rule that was passed over because its algorithm cannot do the call. */
static void log_passed_rule(const mca_coll_napcoll_module_t *module,
                            const napcoll_decided_t *decided)
{
    const napcoll_decision_t *decision = &decided->decision;

    if (decision->passed > 0) {
        opal_output_verbose(
            1, mca_coll_napcoll_log_output(module),
            "coll:napcoll: communicator %u: %s: line %d of the rules file is passed over: %s",
            napcoll_compat_comm_id(module->comm), decided->key.call.collective->name,
            decision->passed, napcoll_reason_help(decision->passed_reason));
    }
}

static const char *component_name(const ompi_communicator_t *comm,
                                  const mca_coll_base_module_t *module)
{
    const char *name = napcoll_compat_component_name(comm, module);

    return NULL == name ? "another component" : name;
}

void mca_coll_napcoll_log_subcomm(const mca_coll_napcoll_module_t *module, napcoll_scope_t scope)
{
    const ompi_communicator_t *subcomm = module->subcomm[scope];
    const mca_coll_base_comm_coll_t *coll = NULL == subcomm ? NULL : subcomm->c_coll;
    const int output = mca_coll_napcoll_log_output(module);

    if (NULL == coll || opal_output_get_verbosity(output) < 1) {
        return;
    }
    opal_output_verbose(1, output,
                        "coll:napcoll: communicator %u: phases %s are delegated: allreduce to %s, "
                        "reduce to %s, bcast to %s, allgather to %s, barrier to %s",
                        napcoll_compat_comm_id(module->comm),
                        NAPCOLL_SCOPE_NODE == scope ? "inside nodes" : "among leaders",
                        component_name(subcomm, coll->coll_allreduce_module),
                        component_name(subcomm, coll->coll_reduce_module),
                        component_name(subcomm, coll->coll_bcast_module),
                        component_name(subcomm, coll->coll_allgather_module),
                        component_name(subcomm, coll->coll_barrier_module));
}

void mca_coll_napcoll_log_decision(const mca_coll_napcoll_module_t *module,
                                   const napcoll_decided_t *decided, bool is_new)
{
    const napcoll_collective_t *collective = decided->key.call.collective;
    const napcoll_decision_t *decision = &decided->decision;
    const int output = mca_coll_napcoll_log_output(module);
    char words[NAPCOLL_WORDS];

    if (opal_output_get_verbosity(output) < 1) {
        return;
    }
    log_passed_rule(module, decided);
    napcoll_words_of_decision(collective, decision, decided->key.force, words);
    opal_output_verbose(1, output, "coll:napcoll: communicator %u: %s",
                        napcoll_compat_comm_id(module->comm), words);
    for (int row = 0; row < collective->algorithms && is_new; row++) {
        if (napcoll_words_of_candidate(collective, decision, row, words)) {
            opal_output_verbose(5, output,
                                "coll:napcoll: communicator %u: %s of %zu to %zu bytes: %s",
                                napcoll_compat_comm_id(module->comm), collective->name,
                                decision->least, decision->most, words);
        }
    }
}
