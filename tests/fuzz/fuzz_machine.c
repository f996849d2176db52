/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Fuzz target for machine files, and for the texts of the parameters of their names: no input
 * crashes the reader, an error says where and what, and what is accepted reads back the same from
 * its printed form. driver.c and `make -C build/tests/fuzz fuzz` run it.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"

#include "common/napcoll_machine_file.h"

/* The same bytes as the text of a parameter: each line, up to its end, behind its =. */
static void read_parameters(const char *data, size_t size)
{
    char *text = malloc(size + 1), *rest = NULL;
    int key = 0;

    demand(NULL != text);
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); NULL != line;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *equals = strchr(line, '=');
        napcoll_machine_error_t error = {.line = -1};
        double number = -1;

        key = NULL == napcoll_machine_key(key + 1) ? 0 : key + 1;
        if (0
            == napcoll_machine_read_number(key, NULL == equals ? line : equals + 1, &number,
                                           &error)) {
            demand(0 == napcoll_machine_check_number(key, number, &error));
        } else {
            demand('\0' != error.text[0]);
            demand(NULL != memchr(error.text, '\0', sizeof(error.text)));
        }
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    napcoll_machine_error_t error = {.line = -1};
    napcoll_machine_t machine, again;
    char *printed = NULL;
    size_t length = 0;
    FILE *out;

    read_parameters((const char *) data, size);
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
