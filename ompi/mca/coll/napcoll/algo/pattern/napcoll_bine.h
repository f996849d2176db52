/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Bine trees (binomial negabinary): the trees and butterflies of binomial ones, but the ends of a
 * message are closer on the ring of ranks, p/3 apart where those have p/2. On oversubscribed
 * networks fewer bytes then cross the top of the switch tree, whichever nodes a job has.
 *
 * Tree. The root is at place floor(m/3) of a stretch of m ranks of the ring. A stretch is cut into
 * halves; the rank that has the data is in one of them and keeps it, and sends to its mirror image
 * in the other, place m - 1 - x for place x. Then both do so in their halves. Eight ranks, root 0:
 *
 *     stretch    6 7 0 1 2 3 4 5
 *     step 1         0 ---> 3              distance 3
 *     step 2     7 <- 0   3 -> 4           distance 1
 *     step 3     7 -> 6, 0 -> 1, 3 -> 2, 4 -> 5
 *
 * Of powers of two the distances are the paper's, |1 - (-2)^i| / 3 for i = s, ..., 1, where
 * p = 2^s: 5 3 1 1 for 16 ranks in place of 8 4 2 1. The half that keeps the data has the middle
 * one of an odd number, so the tree has the shape of the balanced split of radix 2
 * (napcoll_split.h), for any number of ranks: only the ranks of its members differ. Members of a
 * subtree have successive numbers from its head on, the positions; their ranks are a stretch of the
 * ring. Conditions: a mirror image is always in the other half; of the middle rank, whose image it
 * is itself, the next one takes its place.
 *
 * Butterfly, of p = 2^s ranks. In step k rank r exchanges with r + d_k if r is even, with r - d_k
 * if it is odd, modulo p:
 *
 *     d_k = (1 - (-2)^(k + 1)) / 3 = 1, -1, 3, -5, 11, ...      p = 8:   0-1 2-3 4-5 6-7
 *                                                                        0-7 2-1 4-3 6-5
 *                                                                        0-3 2-5 4-7 6-1
 * d_k is odd, so the partner of the partner is r. Two orders are used:
 *
 *     k = 0, 1, ...   an allgather has runs of the ring: rank 0 the blocks 0 1, then 6 7 0 1, then
 *                     all. An even r has [r + l_k, r + l_k + 2^k) before step k, an odd one its
 *                     mirror image, [r - l_k - 2^k + 1, r - l_k]; l_k is the least number of k
 *                     negabinary digits: 0, 0, -2, -2, -10, ...
 *     k = ..., 1, 0   half of the bytes go to direct neighbours. Let e = r, or r - d_(s-1) for odd
 *                     r, and c the number with the low s - 1 bits of e/2 and above them r mod 2.
 *                     Step k flips bit k of c and keeps the lower ones, because d_k - d_(s-1) is an
 *                     odd multiple of 2^(k + 1). So the ranks that agree in the low k bits exchange
 *                     among themselves from step k on: they share a vector of which each ends with
 *                     the block whose number has the bits of c reversed.
 *
 * D. De Sensi, S. Pasqualoni, L. Piarulli, T. Bonato, S. Ba, M. Turisini, J. Domke, T. Hoefler:
 * "Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality", SC '25. The
 * mirror images, and with them any number of ranks, are ours.
 */

#ifndef NAPCOLL_BINE_H
#define NAPCOLL_BINE_H

#include "algo/pattern/napcoll_group.h"

/** The place of a position, counted on the ring from the root's on. */
int napcoll_bine_place(int members, int position);

/** The position at a place. */
int napcoll_bine_position(int members, int place);

/** All ranks by their positions: the group of the tree of radix 2 from the root, over the ring of
 * the node order. */
napcoll_group_t napcoll_bine_group(const napcoll_plan_args_t *args);

/** The partner of a member of a butterfly in step k; members: a power of two, at least 2. */
int napcoll_bine_partner(int members, int k, int member);

/** The first block of the run that a member has before step k, where k goes upwards. */
int napcoll_bine_run(int members, int k, int member);

/** c of a member: bit k decides in step k, where k goes downwards in an allgather. */
int napcoll_bine_bits(int members, int member);

#endif /* NAPCOLL_BINE_H */
