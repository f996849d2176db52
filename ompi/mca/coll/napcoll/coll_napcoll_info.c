/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Info keys of communicators: napcoll_COLL_algorithm.
 */

#include "coll_napcoll.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Report a value that cannot be used, on process 0 of the communicator; show_help serves one thread
 * at a time. */
static void report_value(const mca_coll_napcoll_module_t *module, const char *key,
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

/* Read napcoll_COLL_algorithm: a value of the parameter COLL_algorithm, or the action of a rule. */
static int read_algorithm(mca_coll_napcoll_module_t *module, napcoll_coll_t coll)
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
    if (0 == strcmp(value, "fallback") || 0 == strcmp(value, "previous")) {
        module->force[coll] = NAPCOLL_FORCE_FALLBACK;
    } else if (0 != napcoll_rules_parse_action(collective, value, &rule, &error)) {
        report_value(module, key, value, error.text);
    } else {
        module->force[coll] = napcoll_select_force(&rule);
        if (napcoll_rule_has_tunables(&rule)) {
            free(module->asked[coll]);
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

int mca_coll_napcoll_read_info(mca_coll_napcoll_module_t *module)
{
    int rc = OMPI_SUCCESS;

    for (int coll = 0; coll < NAPCOLL_COLLS && OMPI_SUCCESS == rc; coll++) {
        rc = read_algorithm(module, (napcoll_coll_t) coll);
    }
    return rc;
}
