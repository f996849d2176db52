/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the info keys of a communicator ask for.
 */

#include "coll_napcoll.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Say that an info key's value is none, and why, on one of its processes; one thread at a time, as show_help
 * wants it. */
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
    if (0 == strcmp(value, "previous")) { /* the old name of fallback */
        module->force[coll] = NAPCOLL_FORCE_FALLBACK;
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

int mca_coll_napcoll_read_info(mca_coll_napcoll_module_t *module)
{
    int rc;

    if (!napcoll_compat_has_info(module->comm)) {
        module->mean_bytes = mca_coll_napcoll_component.alltoallv_mean_bytes;
        return OMPI_SUCCESS;
    }
    rc = read_mean_bytes(module);
    for (int coll = 0; coll < NAPCOLL_COLLS && OMPI_SUCCESS == rc; coll++) {
        rc = read_info_key(module, (napcoll_coll_t) coll);
    }
    return rc;
}
