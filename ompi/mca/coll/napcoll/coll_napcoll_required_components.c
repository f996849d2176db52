/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Required components. The framework needs a component for every operation on every communicator,
 * and a list like `--mca coll napcoll,tuned` has none for some of them (alltoallw, scans,
 * nonblocking operations, communicators of one process, intercommunicators). Open MPI's basic,
 * libnbc, self and inter supply these, with the lowest priorities.
 *  Some components are added where the installation has them: ftagree, by which processes agree
 * after a failure, and cuda (before 6.0) or accelerator, which copy buffers from and to device
 * memory.
 *
 * The framework reads its list before it opens components. So a copy of the framework with its own
 * list registers and opens the missing ones here, and the real framework takes them over. A list
 * that excludes components ("^basic") is not changed.
 */

#include "coll_napcoll.h"

#include <stdlib.h>
#include <string.h>

#include "opal/mca/base/base.h"
#include "opal/util/argv.h"

static const char *const required[] = {"basic", "libnbc", "self", "inter"};
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

/* The names of the components that are missing, comma separated; NULL for none. */
static int missing_components(char **list)
{
    char **names = NULL;
    int rc = OPAL_SUCCESS;

    for (size_t i = 0; i < sizeof(required) / sizeof(*required) && OPAL_SUCCESS == rc; i++) {
        if (!framework_has(required[i])) {
            rc = opal_argv_append_nosize(&names, required[i]);
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
    rc = missing_components(&copy.framework_selection);
    if (NULL == copy.framework_selection) {
        return rc;
    }
    OBJ_CONSTRUCT(&copy.framework_components, opal_list_t);
    OBJ_CONSTRUCT(&copy.framework_failed_components, opal_list_t);
    rc = mca_base_framework_components_register(&copy, MCA_BASE_REGISTER_DEFAULT);
    if (OPAL_SUCCESS == rc) {
        rc = mca_base_framework_components_open(&copy, MCA_BASE_OPEN_DEFAULT);
    }
    /* in front of the components that the framework is opening, from front to end */
    opal_list_join(&ompi_coll_base_framework.framework_components,
                   opal_list_get_first(&ompi_coll_base_framework.framework_components),
                   &copy.framework_components);
    OBJ_DESTRUCT(&copy.framework_components);
    OPAL_LIST_DESTRUCT(&copy.framework_failed_components);
    free(copy.framework_selection);
    return rc;
}
