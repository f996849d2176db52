/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/napcoll_names.h"

#include <string.h>

const napcoll_collective_t *napcoll_collective_find(const char *name)
{
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        if (0 == strcmp(name, napcoll_collectives[c]->name)) {
            return napcoll_collectives[c];
        }
    }
    return NULL;
}

int napcoll_algorithm_find(const napcoll_collective_t *collective, const char *name)
{
    for (int i = 0; i < collective->algorithms; i++) {
        if (0 == strcmp(name, collective->algorithm[i].name)) {
            return i;
        }
    }
    return -1;
}
