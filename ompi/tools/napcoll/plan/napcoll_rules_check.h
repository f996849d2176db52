/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Mistakes and oddities in rules files, for napcoll-plan rules check. Pure: no MPI.
 */

#ifndef NAPCOLL_RULES_CHECK_H
#define NAPCOLL_RULES_CHECK_H

#include "select/napcoll_rules.h"

typedef enum {
    /** The component rejects the file. */
    NAPCOLL_RULES_ERROR,
    /** A rule that never decides. */
    NAPCOLL_RULES_WARNING,
    /** Probably not what users want. */
    NAPCOLL_RULES_REMARK
} napcoll_rules_severity_t;

/** Gets a finding. */
typedef void (*napcoll_rules_tell_t)(void *context, napcoll_rules_severity_t severity,
                                     const napcoll_rules_error_t *finding);

/**
 * Check the text of a rules file. It finds all mistakes; and of the other lines rules that match no
 * call, whose algorithm cannot do any call that they match, or that an earlier rule covers, and
 * gaps between the byte ranges of rules for the same calls. The parameter reproducible is taken not
 * to be set.
 *
 * @param[in] text     [length] the file's contents; may contain any bytes
 * @param[in] length   bytes
 * @param[in] tell     called for each finding, mistakes first
 * @param[in] context  for tell
 *
 * @return the number of errors and warnings, or -1 when memory ran out
 */
int napcoll_rules_check(const char *text, size_t length, napcoll_rules_tell_t tell, void *context);

#endif /* NAPCOLL_RULES_CHECK_H */
