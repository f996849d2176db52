/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * For which sizes a rule stands that was found by measuring some: those nearest to the one that was measured, by their
 * ratio. Pure: no MPI in here.
 *
 * Rules come before HeteroMPI's thresholds, of which the few calls of a measurement know nothing: what these warn of is
 * rare. So no rule that was found reaches into sizes on which they have a say.
 */

#ifndef NAPCOLL_RULE_RANGE_H
#define NAPCOLL_RULE_RANGE_H

#include "select/napcoll_select.h"

/** Whether the thresholds had a say in a decision: its algorithm cuts blocks, or some were left out for bursts. */
bool napcoll_rule_range_is_warned(const napcoll_collective_t *collective,
                                  const napcoll_decision_t *decision);

/**
 * The sizes for which one of those that were measured stands: half way to its neighbours, from 0 on before the first, and
 * to four times the last; but none on which the thresholds have a say.
 *
 * @param[in]  settings  as auto decides; no rules
 * @param[in]  map       of the communicator; borrowed for the call
 * @param[in]  measured  [count] bytes, ascending
 * @param[in]  which     index of one on which the thresholds have no say
 * @param[out] range     of bytes; includes that one
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_rule_range_find(const napcoll_collective_t *collective,
                            const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                            const size_t *measured, int count, int which,
                            napcoll_rule_range_t *range);

/**
 * Whether auto would take an algorithm for some size of a range.
 *
 * @param[in]  bounded  up to so many bytes blocks have their sizes with them, where not all ranks know these (see
 *                      napcoll_call_t)
 * @param[in]  row      of the table; -1: the fallback function
 * @param[out] takes    the answer
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_rule_range_takes(const napcoll_collective_t *collective,
                             const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                             const napcoll_rule_range_t *range, size_t bounded, int row,
                             bool *takes);

/**
 * Whether the thresholds have a say on any size at all: then no rule can be for all of them.
 *
 * @param[out] warned  the answer
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_rule_range_any_is_warned(const napcoll_collective_t *collective,
                                     const napcoll_settings_t *settings,
                                     const napcoll_node_map_t *map, bool *warned);

#endif /* NAPCOLL_RULE_RANGE_H */
