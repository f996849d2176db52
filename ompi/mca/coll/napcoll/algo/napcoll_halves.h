/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Ranks by halves: 0 .. P - 1 are cut into the first ceil(P/2) and the rest, each of these again, and so
 * on. Folding along these cuts is napcoll's canonical order (napcoll_claim_t), which no placement
 * changes; recursive doubling and the trees of radix 2 over all ranks follow it.
 *
 * After d = floor(log2 P) cuts there are 2^d pieces of one or two ranks, of which piece g and piece g ^ 1
 * come from one, and so on upwards: recursive halving among the first ranks of the pieces, where the
 * second ones have given their vectors to them, is in canonical order for any P.
 */

#ifndef NAPCOLL_HALVES_H
#define NAPCOLL_HALVES_H

/** floor(log2 n), n > 0. */
static inline int napcoll_halves_depth(int n)
{
    int depth = 0;

    while (n > 1) {
        n /= 2;
        depth++;
    }
    return depth;
}

/** The piece, 0 .. 2^depth - 1, that a rank is in after so many cuts of `size` ranks; *first, *count: the
 * ranks of that piece. */
static inline int napcoll_halves_piece(int size, int depth, int rank, int *first, int *count)
{
    int piece = 0;

    *first = 0;
    *count = size;
    for (int cut = 0; cut < depth; cut++) {
        const int half = (*count + 1) / 2;
        const int upper = rank >= *first + half;

        piece = 2 * piece + upper;
        *first += upper ? half : 0;
        *count = upper ? *count - half : half;
    }
    return piece;
}

/** The first rank of a piece. */
static inline int napcoll_halves_first(int size, int depth, int piece)
{
    int first = 0, count = size;

    for (int cut = depth - 1; cut >= 0; cut--) {
        const int half = (count + 1) / 2;
        const int upper = piece >> cut & 1;

        first += upper ? half : 0;
        count = upper ? count - half : half;
    }
    return first;
}

/** A number of `bits` bits, read from the other end. */
static inline int napcoll_halves_reversed(int number, int bits)
{
    int reversed = 0;

    for (int bit = 0; bit < bits; bit++) {
        reversed |= (number >> bit & 1) << (bits - 1 - bit);
    }
    return reversed;
}

#endif /* NAPCOLL_HALVES_H */
