/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The names that users type: of collectives, algorithms, commands, options, machines. All tools
 * look them up here, and say the same about an unknown one: which names there are, and which is
 * nearest.
 */

#ifndef NAPCOLL_NAMES_H
#define NAPCOLL_NAMES_H

#include <stddef.h>

#include "algo/napcoll_algo.h"

/** The i-th name of a list, from 0; NULL behind the last. */
typedef const char *napcoll_name_at_t(const void *context, int i);

/** A list of names. */
typedef struct napcoll_names {
    napcoll_name_at_t *at;
    const void *context;
} napcoll_names_t;

/** Where a name of this length is in a list; -1: it is not. */
int napcoll_name_find(const napcoll_names_t *names, const char *name, size_t length);

/** The name in a list that is most similar to a wrong one; NULL: none is similar. */
const char *napcoll_name_nearest(const napcoll_names_t *names, const char *wrong, size_t length);

/**
 * Say what was expected instead of a wrong name: "expected a, b or c (did you mean b?)"
 *
 * @param[out] text   [room] ends with "..." where there is not room for all names
 * @param[in]  wrong  [length]
 */
void napcoll_name_expected(char *text, size_t room, const napcoll_names_t *names, const char *wrong,
                           size_t length);

/** The names of an array that ends with NULL, which is the context. */
napcoll_name_at_t napcoll_name_in_array;

/** The names of all collectives, by the index of napcoll_collective_at; no context. */
napcoll_name_at_t napcoll_collective_name_at;

/** The names of the algorithms of the collective that is the context. */
napcoll_name_at_t napcoll_algorithm_name_at;

/** The table of a collective by its name, or NULL. */
const napcoll_collective_t *napcoll_collective_find(const char *name);

/** The row of an algorithm by its name, or -1. */
int napcoll_algorithm_find(const napcoll_collective_t *collective, const char *name);

#endif /* NAPCOLL_NAMES_H */
