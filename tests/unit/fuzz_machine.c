/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Fuzz target for machine files: no input crashes the reader, an error says where and what, and what
 * is accepted reads back the same from its printed form. `make -C build/tests/unit fuzz` runs it.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/napcoll_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    napcoll_machine_error_t error = {.line = -1};
    napcoll_machine_t machine, again;
    char *printed = NULL;
    size_t length = 0;
    FILE *out;

    if (0 != napcoll_machine_parse((const char *) data, size, &machine, &error)) {
        demand(error.line >= 0 && '\0' != error.text[0]);
        demand(NULL != memchr(error.text, '\0', sizeof(error.text)));
        return 0;
    }
    out = open_memstream(&printed, &length);
    demand(NULL != out);
    demand(0 == napcoll_machine_print(&machine, out));
    demand(0 == fclose(out));
    demand(0 == napcoll_machine_parse(printed, length, &again, &error));
    demand(0 == memcmp(&machine, &again, sizeof(machine)));
    free(printed);
    return 0;
}
