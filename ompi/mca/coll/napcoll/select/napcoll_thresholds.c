/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * HeteroMPI's thresholds (see the header).
 */

#include "select/napcoll_thresholds.h"

#include <limits.h>
#include <stdint.h>

const napcoll_thresholds_t napcoll_thresholds_default = {
    .gather_m1 = 5 * 1024, .gather_m2 = 64 * 1024, .scatter_s = 64 * 1024};

/* The sizes that are cut, into pieces below the first of them: [*least, *most]; false where none
 * are. */
static bool range_of(const napcoll_thresholds_t *thresholds, napcoll_goal_t goal, size_t *least,
                     size_t *most)
{
    switch (goal) {
    case NAPCOLL_GOAL_GATHER:
        *least = thresholds->gather_m1;
        *most = thresholds->gather_m2;
        break;
    case NAPCOLL_GOAL_SCATTER:
        *least = thresholds->scatter_s;
        *most = SIZE_MAX;
        break;
    default:
        return false;
    }
    return *least > 0 && *least <= *most;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* More pieces than a plan is run for: as many as it can be. */
static napcoll_cut_t most_pieces(size_t bytes)
{
    return (napcoll_cut_t){.pieces = INT_MAX, .least = bytes, .most = bytes};
}

/* Pieces of at most `piece` bytes; the sizes from first to last are cut. */
static napcoll_cut_t cut_to(size_t piece, size_t bytes, size_t first, size_t last)
{
    const size_t pieces = (bytes - 1) / piece + 1;

    if (pieces >= INT_MAX) {
        return most_pieces(bytes);
    }
    return (napcoll_cut_t){.pieces = (int) pieces,
                           .least = larger(first, (pieces - 1) * piece + 1),
                           .most = pieces <= SIZE_MAX / piece ? smaller(last, pieces * piece)
                                                              : last};
}

napcoll_cut_t napcoll_thresholds_cut(const napcoll_thresholds_t *thresholds, napcoll_goal_t goal,
                                     size_t bytes, size_t piece_bytes)
{
    size_t first, last, pieces;

    if (!range_of(thresholds, goal, &first, &last)) {
        return (napcoll_cut_t){.pieces = 1, .most = SIZE_MAX};
    }
    if (bytes < first) {
        return (napcoll_cut_t){.pieces = 1, .most = first - 1};
    }
    if (bytes > last) {
        return (napcoll_cut_t){.pieces = 1, .least = last + 1, .most = SIZE_MAX};
    }
    if (piece_bytes > 0) {
        return cut_to(piece_bytes, bytes, first, last);
    }
    /* M/m < M1 <= M/(m - 1): m is the first above M/M1 */
    if (bytes / first >= INT_MAX - 1) {
        return most_pieces(bytes);
    }
    pieces = bytes / first + 1;
    return (napcoll_cut_t){.pieces = (int) pieces,
                           .least = (pieces - 1) * first,
                           .most = pieces <= SIZE_MAX / first ? smaller(last, pieces * first - 1)
                                                              : last};
}

bool napcoll_thresholds_warn(const napcoll_thresholds_t *thresholds, napcoll_goal_t goal,
                             size_t bytes)
{
    size_t first, last;

    return range_of(thresholds, goal, &first, &last) && bytes >= first && bytes <= last;
}

int napcoll_thresholds_window(const napcoll_thresholds_t *thresholds, napcoll_goal_t goal,
                              int ranks, size_t piece)
{
    size_t first, last, window;

    if (!range_of(thresholds, goal, &first, &last)) {
        return 2;
    }
    window = first / 2 > SIZE_MAX / (size_t) ranks ? SIZE_MAX / piece
                                                   : first / 2 * (size_t) ranks / piece;
    return window < 2 ? 2 : (int) smaller(window, (size_t) ranks);
}
