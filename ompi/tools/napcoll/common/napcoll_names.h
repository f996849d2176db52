/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Collectives and algorithms by the names that users type.
 */

#ifndef NAPCOLL_NAMES_H
#define NAPCOLL_NAMES_H

#include "algo/napcoll_algo.h"

/** The table of a collective by its name, or NULL. */
const napcoll_collective_t *napcoll_collective_find(const char *name);

/** The row of an algorithm by its name, or -1. */
int napcoll_algorithm_find(const napcoll_collective_t *collective, const char *name);

#endif /* NAPCOLL_NAMES_H */
