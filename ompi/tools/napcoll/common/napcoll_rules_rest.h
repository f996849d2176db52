/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What is left of a rules file when other rules come before its own.
 */

#ifndef NAPCOLL_RULES_REST_H
#define NAPCOLL_RULES_REST_H

#include <stdio.h>

#include "select/napcoll_rules.h"

/**
 * Print a file's text without the rules that others leave nothing which are to stand before them. The comment above a rule
 * goes with it, where it is a single line.
 *
 * @param[in] text    [length] the file's contents
 * @param[in] length  bytes
 * @param[in] first   [count] the rules that are to stand before; that their algorithms can do all that they match is
 *                    taken for granted
 * @param[in] out     where to
 *
 * @return how many rules were left out, or -1 where the text has a mistake, out failed or memory ran out
 */
int napcoll_rules_print_rest(const char *text, size_t length, const napcoll_rule_t *first,
                             int count, FILE *out);

#endif /* NAPCOLL_RULES_REST_H */
