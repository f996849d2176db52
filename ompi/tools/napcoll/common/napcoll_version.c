/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The version of the tools; see napcoll_version.h.
 */

#include "common/napcoll_version.h"

#include "napcoll_config.h"
/* NAPCOLL_REVISION, " (git ...)" or "", made by the Makefile */
#include "napcoll_revision.h"

const char *napcoll_version(void)
{
    return PACKAGE_VERSION NAPCOLL_REVISION;
}
