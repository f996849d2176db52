/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Proofs in rounds: the symbolic values of a rank's blocks (verify/napcoll_prover.h), in runs of
 * blocks that have the same.
 *
 * A block's first value of all contributions is noted for all ranks, and any other rank must come
 * to it with the same bits. From then on it is the same value for all blocks, "complete":
 *
 *     rank 1, after a reduce-scatter of 4 blocks     0 1 complete, 2 3 of ranks 1 and 3
 *     after the allgather                            0 1 2 3 complete: one run
 */

#ifndef NAPCOLL_ROUND_VALUES_H
#define NAPCOLL_ROUND_VALUES_H

#include "common/napcoll_like_stages.h"
#include "util/napcoll_run_map.h"
#include "verify/napcoll_prover.h"

/** What values of all ranks have in common. */
typedef struct napcoll_round_values {
    const napcoll_claim_t *claim;
    int32_t size;
    /** of all contributions */
    uint64_t sum;
    /** in bytes: the values of all ranks */
    _Atomic size_t bytes;
    /** [blocks] of each the bracketing of its complete value; 0: there is none yet. One for all
     * where blocks are slots */
    _Atomic uint64_t *complete;
    int32_t blocks;
} napcoll_round_values_t;

/** A value on its way to its blocks. */
typedef struct napcoll_round_arrival {
    int32_t index, count;
    value_t value;
} napcoll_round_arrival_t;

/** Blocks without values. False when memory ran out. */
bool napcoll_round_values_begin(napcoll_round_values_t *all, napcoll_run_map_t *map, int blocks);

/** Set the value of some blocks, by the index of the first one. False when memory ran out. */
bool napcoll_round_values_set(napcoll_round_values_t *all, napcoll_run_map_t *map, int index,
                              int count, value_t value);

/**
 * Take what a message brings; it is set later.
 *
 * @param[in]     from      the sender's values
 * @param[in]     left      index of the first block sent
 * @param[in]     dst       of the first block received
 * @param[in]     count     of blocks
 * @param[in,out] arrival   grows by the values, one for each run
 * @param[in,out] arrivals  their number
 * @param[in,out] room      see napcoll_grow
 *
 * @return false: a block has no value, or memory ran out
 */
bool napcoll_round_values_take(const napcoll_run_map_t *from, int left, int dst, int count,
                               napcoll_round_arrival_t **arrival, size_t *arrivals, size_t *room);

/**
 * Do a reduction or a copy.
 *
 * @param[in,out] all      for all ranks
 * @param[in,out] map      the rank's values
 * @param[in]     buffers  of the rank
 * @param[in]     work     what it does
 * @param[in]     shift    of its blocks
 *
 * @return false: an operand has no value, the claim is broken, or memory ran out
 */
bool napcoll_round_values_work(napcoll_round_values_t *all, napcoll_run_map_t *map,
                               const napcoll_like_buffers_t *buffers,
                               const napcoll_like_work_t *work, int32_t shift);

#endif /* NAPCOLL_ROUND_VALUES_H */
