/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Names of files with patterns, such as "calls.%j.%p", which stand for what processes know.
 */

#ifndef NAPCOLL_FILE_NAME_H
#define NAPCOLL_FILE_NAME_H

#include <stddef.h>

/** What a pattern stands for. */
typedef struct {
    char letter;
    const char *value;
} napcoll_file_pattern_t;

/**
 * Replace the patterns of a name; %% is a percent sign.
 *
 * @param[in]  name     with patterns
 * @param[in]  pattern  those that are known; a letter 0 ends them
 * @param[out] wrong    character of the name, from 1 on, at which an unknown pattern is; else 0
 *
 * @return the file's name, owned by the caller; NULL: a pattern is unknown, or memory ran out
 */
char *napcoll_file_name(const char *name, const napcoll_file_pattern_t *pattern, size_t *wrong);

#endif /* NAPCOLL_FILE_NAME_H */
