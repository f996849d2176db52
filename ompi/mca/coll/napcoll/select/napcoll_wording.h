/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Decisions in words, for the component's log and for napcoll-plan, which so say the same of the same. Pure: no MPI
 * in here.
 */

#ifndef NAPCOLL_WORDING_H
#define NAPCOLL_WORDING_H

#include "select/napcoll_select.h"

enum { NAPCOLL_WORDS = 512 };

/**
 * What a decision is, in one line without its end:
 *
 *     allreduce of 9 to 16 bytes by nap, chosen by auto; local_radix=8, lanes=2
 *     allreduce of 9 to 16 bytes by nap, by line 3 of the rules file; local_radix=8, lanes=2
 *     allreduce of 9 to 16 bytes by the fallback component: no node has more than one process
 *
 * Behind the semicolon is everything on which the algorithm's plans depend and that was chosen or set: the local
 * radix, tunables by name, segments, or the pieces of blocks that are cut.
 *
 * @param[in]  collective  its table
 * @param[in]  decision    the decision
 * @param[in]  force       NAPCOLL_FORCE_...: what users force
 * @param[out] words       the line
 */
void napcoll_words_of_decision(const napcoll_collective_t *collective,
                               const napcoll_decision_t *decision, int force,
                               char words[NAPCOLL_WORDS]);

/**
 * What auto found out about one row, in one line without its end: "smp: at least 12.345 us", "ring: it cannot, ...".
 *
 * @param[in]  collective  its table
 * @param[in]  decision    the decision
 * @param[in]  row         of the table
 * @param[out] words       the line
 *
 * @return whether auto has looked at the row; where not, there is no line
 */
bool napcoll_words_of_candidate(const napcoll_collective_t *collective,
                                const napcoll_decision_t *decision, int row,
                                char words[NAPCOLL_WORDS]);

#endif /* NAPCOLL_WORDING_H */
