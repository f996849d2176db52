/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A scan inside a node in the fewest messages: up a tree to the leader, and later down again. Four
 * processes; what each of them has, or gets, as letters:
 *
 *     up        1 -> 0 (b)   3 -> 2 (d)   2 -> 0 (cd)     0 has abcd, and keeps a and ab
 *     down      0 -> 2 (xab)   0 -> 1 (xa)   2 -> 3 (xabc)
 *
 * x is what stands before the node: it comes to the leader between the two, so the scan of the node and
 * what the nodes tell one another need no messages of their own inside the node.
 *
 *     cost   2 ceil(log_k L) alpha_l, 2 (L - 1) messages
 */

#ifndef NAPCOLL_SCAN_SWEEP_H
#define NAPCOLL_SCAN_SWEEP_H

#include "algo/napcoll_exchange.h"

/**
 * Up: reduce the inputs at process 0 of the party, one member per process.
 *
 * @param[in,out] builder  the plan
 * @param[in]     party    the processes of a node, in rank order
 * @param[in]     input    of this process; not written
 * @param[out]    before   [members] at the members that send to this process: the reduction from this
 *                         process up to the one before them
 *
 * @return where the reduction of all is, on process 0: the input itself where there is one process
 */
napcoll_span_t napcoll_scan_up(napcoll_builder_t *builder, const napcoll_party_t *party,
                               napcoll_span_t input, napcoll_span_t *before);

/**
 * Down: every process gets what stands before it.
 *
 * @param[in,out] builder  the plan
 * @param[in]     party    as on the way up
 * @param[in]     input    likewise
 * @param[in,out] before   what the way up has left
 * @param[in]     prefix   on process 0: what stands before it, or an empty span
 *
 * @return what stands before this process: a temporary or, on process 0, prefix
 */
napcoll_span_t napcoll_scan_down(napcoll_builder_t *builder, const napcoll_party_t *party,
                                 napcoll_span_t input, napcoll_span_t *before,
                                 napcoll_span_t prefix);

#endif /* NAPCOLL_SCAN_SWEEP_H */
