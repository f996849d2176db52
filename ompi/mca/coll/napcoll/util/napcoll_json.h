/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Values in JSON (RFC 8259), whatever the program's locale is.
 */

#ifndef NAPCOLL_JSON_H
#define NAPCOLL_JSON_H

#include <stdio.h>

/** Write a string with its quotes; null for NULL. Bytes outside of ASCII are taken for Latin-1, so
 * that any text gives valid JSON. */
void napcoll_json_string(FILE *out, const char *text);

/** Write microseconds with three decimals; not negative, and below 2^63 ns. */
void napcoll_json_us(FILE *out, double us);

#endif /* NAPCOLL_JSON_H */
