/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * For tests of readers: a text with a mistake. After cmocka.h.
 */

#ifndef NAPCOLL_TESTS_REPLACED_H
#define NAPCOLL_TESTS_REPLACED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A text with one passage replaced; the caller frees it. */
static inline char *replaced(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    char *made = malloc(strlen(text) + strlen(new) + 1);

    assert_non_null(at);
    assert_non_null(made);
    (void) sprintf(made, "%.*s%s%s", (int) (at - text), text, new, at + strlen(old));
    return made;
}

#endif /* NAPCOLL_TESTS_REPLACED_H */
