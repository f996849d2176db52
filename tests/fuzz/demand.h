/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What fuzz targets demand: a target ends where it does not hold.
 */

#ifndef NAPCOLL_FUZZ_DEMAND_H
#define NAPCOLL_FUZZ_DEMAND_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(int holds)
{
    if (!holds) {
        abort();
    }
}

/* An error has a place, and a text [room] of plain letters that ends. */
static inline void demand_text(int line, int column, const char *text, size_t room)
{
    demand(line >= 0 && column >= 0 && '\0' != text[0]);
    demand(NULL != memchr(text, '\0', room));
    for (const char *c = text; '\0' != *c; c++) {
        demand(*c >= ' ' && *c <= '~');
    }
}

#endif /* NAPCOLL_FUZZ_DEMAND_H */
