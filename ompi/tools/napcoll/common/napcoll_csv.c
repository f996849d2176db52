/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/napcoll_csv.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

int napcoll_csv_split(char *line, char **field, int *start, int most)
{
    char *out = line;
    bool quoted = false;
    int fields = 1;

    line[strcspn(line, "\r\n")] = '\0';
    field[0] = out;
    if (NULL != start) {
        start[0] = 1;
    }
    for (const char *at = line; '\0' != *at; at++) {
        if ('"' == *at && quoted && '"' == at[1]) {
            *out++ = *at++;
        } else if ('"' == *at) {
            quoted = !quoted;
        } else if (',' != *at || quoted) {
            *out++ = *at;
        } else if (fields < most) {
            *out++ = '\0';
            if (NULL != start) {
                start[fields] = (int) (at - line) + 2;
            }
            field[fields++] = out;
        } else {
            return most + 1;
        }
    }
    *out = '\0';
    return fields;
}
