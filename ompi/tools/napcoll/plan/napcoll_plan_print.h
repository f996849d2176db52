/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans as text for people.
 */

#ifndef NAPCOLL_PLAN_PRINT_H
#define NAPCOLL_PLAN_PRINT_H

#include <stdio.h>

#include "plan/napcoll_plan.h"

/** Print a plan, one line for each step. Returns 0, or -1 when out failed. */
int napcoll_plan_print(const napcoll_plan_t *plan, FILE *out);

enum { NAPCOLL_PHASE_TITLE = 32 };

/** What a picture calls a phase: "reduce", "leaders: reduce". */
void napcoll_phase_title(const napcoll_step_t *step, char title[NAPCOLL_PHASE_TITLE]);

#endif /* NAPCOLL_PLAN_PRINT_H */
