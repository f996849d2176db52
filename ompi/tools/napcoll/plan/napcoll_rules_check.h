/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file What is wrong with a rules file, and what is odd about it: for napcoll-plan rules check.
 * Pure: no MPI in here.
 */

#ifndef NAPCOLL_RULES_CHECK_H
#define NAPCOLL_RULES_CHECK_H

#include "select/napcoll_rules.h"

typedef enum {
    NAPCOLL_RULES_ERROR,   /**< the component does not take the file */
    NAPCOLL_RULES_WARNING, /**< a rule that never decides */
    NAPCOLL_RULES_REMARK   /**< what users may have meant otherwise */
} napcoll_rules_severity_t;

/** Hears of something that was found. */
typedef void (*napcoll_rules_tell_t)(void *context, napcoll_rules_severity_t severity,
                                     const napcoll_rules_error_t *finding);

/**
 * Check the text of a rules file. Found are all mistakes; and, of the rules of the other lines,
 * those that match no call at all, those whose algorithm cannot do anything that they match, those
 * that one earlier rule leaves nothing, and gaps between the byte ranges of rules that are else on
 * the same calls. For the second and third, users are taken not to have set the parameter
 * reproducible.
 *
 * @param[in] text     [length] the file's contents; may hold any bytes
 * @param[in] length   bytes
 * @param[in] tell     hears of each finding, mistakes first
 * @param[in] context  for it
 *
 * @return how many errors and warnings there were, or -1 when memory ran out
 */
int napcoll_rules_check(const char *text, size_t length, napcoll_rules_tell_t tell, void *context);

#endif /* NAPCOLL_RULES_CHECK_H */
