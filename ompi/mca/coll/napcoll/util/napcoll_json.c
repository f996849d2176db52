/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Values in JSON (see the header).
 */

#include "util/napcoll_json.h"

void napcoll_json_string(FILE *out, const char *text)
{
    if (NULL == text) {
        (void) fputs("null", out);
        return;
    }
    (void) fputc('"', out);
    for (const unsigned char *c = (const unsigned char *) text; '\0' != *c; c++) {
        if ('"' == *c || '\\' == *c) {
            (void) fprintf(out, "\\%c", *c);
        } else if (*c < 0x20 || *c > 0x7e) {
            (void) fprintf(out, "\\u%04x", *c);
        } else {
            (void) fputc(*c, out);
        }
    }
    (void) fputc('"', out);
}

void napcoll_json_us(FILE *out, double us)
{
    const unsigned long long ns = (unsigned long long) (us * 1e3 + 0.5);

    /* a %f would have the comma of some locales */
    (void) fprintf(out, "%llu.%03llu", ns / 1000, ns % 1000);
}
