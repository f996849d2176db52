/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Companions: the framework demands that somebody supplies every operation on every communicator,
 * and a list like `--mca coll napcoll,tuned` leaves holes (alltoallw, scan, everything
 * nonblocking, communicators of one process, intercommunicators). Open MPI's own basic, libnbc,
 * self and inter fill them, at their own low priorities.
 *
 * Others serve what no list should lose, where the installation has them: ftagree, by which processes
 * agree after a failure, and cuda (before 6.0) or accelerator, which stage buffers in device memory.
 *
 * The framework reads its list before it opens components, so those that the list left out are
 * found, registered and opened here through a copy of the framework with a list of its own, and
 * then join the real one. The framework queries, enables and closes them as if the user had named
 * them. A list that excludes ("^basic") is the user's word and is left alone.
 */

#include "coll_napcoll.h"

#include <stdlib.h>
#include <string.h>

#include "opal/mca/base/base.h"
#include "opal/util/argv.h"

static const char *const companions[] = {"basic", "libnbc", "self", "inter"};
static const char *const optional[] = {"ftagree", "cuda", "accelerator"};

static bool framework_has(const char *name)
{
    mca_base_component_list_item_t *item;

    OPAL_LIST_FOREACH (item, &ompi_coll_base_framework.framework_components,
                       mca_base_component_list_item_t) {
        if (0 == strcmp(name, item->cli_component->mca_component_name)) {
            return true;
        }
    }
    return false;
}

/* Names of the required components that are missing, comma separated; NULL for none. */
static int missing_companions(char **list)
{
    char **names = NULL;
    int rc = OPAL_SUCCESS;

    for (size_t i = 0; i < sizeof(companions) / sizeof(*companions) && OPAL_SUCCESS == rc; i++) {
        if (!framework_has(companions[i])) {
            rc = opal_argv_append_nosize(&names, companions[i]);
        }
    }
    for (size_t i = 0; i < sizeof(optional) / sizeof(*optional) && OPAL_SUCCESS == rc; i++) {
        if (!framework_has(optional[i]) && napcoll_compat_is_installed(optional[i])) {
            rc = opal_argv_append_nosize(&names, optional[i]);
        }
    }
    *list = NULL;
    if (NULL != names && OPAL_SUCCESS == rc) {
        *list = opal_argv_join(names, ',');
        rc = NULL == *list ? OPAL_ERR_OUT_OF_RESOURCE : OPAL_SUCCESS;
    }
    opal_argv_free(names);
    return rc;
}

int mca_coll_napcoll_require_components(void)
{
    const char *selection = ompi_coll_base_framework.framework_selection;
    mca_base_framework_t copy = ompi_coll_base_framework;
    int rc = OMPI_SUCCESS;

    if (NULL == selection || '\0' == selection[0] || '^' == selection[0]) {
        return OMPI_SUCCESS;
    }
    rc = missing_companions(&copy.framework_selection);
    if (NULL == copy.framework_selection) {
        return rc;
    }
    OBJ_CONSTRUCT(&copy.framework_components, opal_list_t);
    OBJ_CONSTRUCT(&copy.framework_failed_components, opal_list_t);
    rc = mca_base_framework_components_register(&copy, MCA_BASE_REGISTER_DEFAULT);
    if (OPAL_SUCCESS == rc) {
        rc = mca_base_framework_components_open(&copy, MCA_BASE_OPEN_DEFAULT);
    }
    /* to the front: the framework is on its way to the end of the list, opening */
    opal_list_join(&ompi_coll_base_framework.framework_components,
                   opal_list_get_first(&ompi_coll_base_framework.framework_components),
                   &copy.framework_components);
    OBJ_DESTRUCT(&copy.framework_components);
    OPAL_LIST_DESTRUCT(&copy.framework_failed_components);
    free(copy.framework_selection);
    return rc;
}
