/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Making, comparing and writing rules, for tools. Pure: no MPI in here.
 */

#ifndef NAPCOLL_RULE_WRITE_H
#define NAPCOLL_RULE_WRITE_H

#include <stdio.h>

#include "select/napcoll_rules.h"

/** Whether a range has all numbers of another one. */
bool napcoll_rule_range_has(const napcoll_rule_range_t *outer, const napcoll_rule_range_t *inner);

/** Whether a rule is on all calls that another one is on, their sizes aside. */
bool napcoll_rule_is_wider(const napcoll_rule_t *outer, const napcoll_rule_t *inner);

/** Whether a rule is on all calls that another one is on. */
bool napcoll_rule_covers(const napcoll_rule_t *outer, const napcoll_rule_t *inner);

/** Let a rule name a row of its collective's table and every parameter of a decision that rules can
 * name: it then does the same on any machine. */
void napcoll_rule_pin(napcoll_rule_t *rule, int row, const napcoll_params_t *params);

/** Print a rule as a line that reads back the same. Returns 0, or -1 when out failed. */
int napcoll_rule_print(const napcoll_rule_t *rule, FILE *out);

/** Print what stands behind its ->, without an end of line: napcoll_rules_parse_action reads it
 * back. */
void napcoll_rule_print_action(const napcoll_rule_t *rule, FILE *out);

#endif /* NAPCOLL_RULE_WRITE_H */
