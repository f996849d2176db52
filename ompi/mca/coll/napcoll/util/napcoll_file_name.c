/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Names of files with patterns (see the header).
 */

#include "util/napcoll_file_name.h"

#include <stdio.h>
#include <stdlib.h>

/* What a letter behind a percent sign stands for; NULL: nothing. */
static const char *value_of(const napcoll_file_pattern_t *pattern, char letter)
{
    if ('%' == letter) {
        return "%";
    }
    while ('\0' != pattern->letter && letter != pattern->letter) {
        pattern++;
    }
    return '\0' == pattern->letter ? NULL : pattern->value;
}

char *napcoll_file_name(const char *name, const napcoll_file_pattern_t *pattern, size_t *wrong)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    *wrong = 0;
    if (NULL == out) {
        return NULL;
    }
    for (const char *c = name; '\0' != *c && 0 == *wrong; c++) {
        const char *value;

        if ('%' != *c) {
            (void) fputc(*c, out);
            continue;
        }
        value = value_of(pattern, c[1]);
        if (NULL == value) {
            *wrong = (size_t) (c - name) + 1;
        } else {
            (void) fputs(value, out);
            c++;
        }
    }
    if (0 != fclose(out) || 0 != *wrong) {
        free(text);
        text = NULL;
    }
    return text;
}
