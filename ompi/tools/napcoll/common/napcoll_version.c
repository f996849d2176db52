/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The version of the tools; see napcoll_version.h.
 */

#include "common/napcoll_version.h"

#include <stdbool.h>

#include "napcoll_config.h"

const char *napcoll_version(void)
{
    /* what configure has found out; empty where it has not */
    const bool has_revision = '\0' != NAPCOLL_GIT_REVISION[0];

    return has_revision ? PACKAGE_VERSION " (git " NAPCOLL_GIT_REVISION ")" : PACKAGE_VERSION;
}
