/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Decisions in words, for the component's log and for napcoll-plan. Pure: no MPI in here.
 */

#ifndef NAPCOLL_WORDING_H
#define NAPCOLL_WORDING_H

#include "select/napcoll_select.h"

enum { NAPCOLL_WORDS = 512 };

/**
 * A decision in one line without its end:
 *
 *     allreduce of 9 to 16 bytes by nap, chosen by auto; local_radix=8, lanes=2
 *     allreduce of 9 to 16 bytes by nap, by line 3 of the rules file; local_radix=8, lanes=2
 *     allreduce of 9 to 16 bytes by the fallback component: no node has more than one process
 *
 * Behind the semicolon is all that the algorithm's plans depend on and that was chosen or set.
 *
 * @param[in]  collective  its table
 * @param[in]  decision    the decision
 * @param[in]  force       NAPCOLL_FORCE_...: what users force
 * @param[out] words       the line
 */
void napcoll_words_of_decision(const napcoll_collective_t *collective,
                               const napcoll_decision_t *decision, int force,
                               char words[NAPCOLL_WORDS]);

/** What auto found out about one row, in one line without its end: "smp: at least 12.345 us".
 * Returns false, and no line, if auto has not looked at the row. */
bool napcoll_words_of_candidate(const napcoll_collective_t *collective,
                                const napcoll_decision_t *decision, int row,
                                char words[NAPCOLL_WORDS]);

#endif /* NAPCOLL_WORDING_H */
