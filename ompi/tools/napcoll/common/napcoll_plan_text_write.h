/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Writing plans as text, in the form of napcoll-plans(5) (algo/file/napcoll_plan_text.h).
 */

#ifndef NAPCOLL_PLAN_TEXT_WRITE_H
#define NAPCOLL_PLAN_TEXT_WRITE_H

#include "algo/file/napcoll_plan_text.h"

/** What napcoll_plan_text_write returns. */
enum { NAPCOLL_PLAN_WRITE_NO_MEMORY = -1, NAPCOLL_PLAN_WRITE_FAILED = -2 };

/**
 * Write the plans of all ranks of an algorithm as a plan set.
 *
 * @param[in] args    of the plans; the rank does not matter
 * @param[in] name    of the set, see napcoll_plan_name_length
 * @param[in] source  makes the plans
 * @param[in] context of the source
 * @param[in] out     open file; the caller checks it for errors
 *
 * @return 0, or NAPCOLL_PLAN_WRITE_...; FAILED: a plan is none that the form can say (a sketch)
 */
int napcoll_plan_text_write(const napcoll_plan_args_t *args, const char *name,
                            napcoll_plan_source_t source, void *context, FILE *out);

#endif /* NAPCOLL_PLAN_TEXT_WRITE_H */
