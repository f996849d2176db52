/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The kind of a node's network (see the header). hwloc would find the same: on Linux it reads these
 * folders.
 */

#include "model/napcoll_network.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>

/* InfiniBand, RoCE, iWARP, Omni-Path and EFA; Slingshot; BXI */
static const char *const fabrics[] = {"infiniband", "cxi", "bxi"};

static bool has_devices(const char *classes, const char *name)
{
    char path[4096];
    const struct dirent *entry;
    bool found = false;
    DIR *folder;

    if ((size_t) snprintf(path, sizeof(path), "%s/%s", classes, name) >= sizeof(path)) {
        return false;
    }
    folder = opendir(path);
    if (NULL == folder) {
        return false;
    }
    while (!found && NULL != (entry = readdir(folder))) {
        found = '.' != entry->d_name[0];
    }
    (void) closedir(folder);
    return found;
}

napcoll_network_t napcoll_network_find(const char *classes)
{
    for (size_t i = 0; i < sizeof(fabrics) / sizeof(*fabrics); i++) {
        if (has_devices(classes, fabrics[i])) {
            return NAPCOLL_NETWORK_FABRIC;
        }
    }
    return NAPCOLL_NETWORK_ETHERNET;
}

const napcoll_machine_t *napcoll_network_machine(napcoll_network_t network)
{
    return NAPCOLL_NETWORK_ETHERNET == network ? &napcoll_machine_ethernet
                                               : &napcoll_machine_default;
}
