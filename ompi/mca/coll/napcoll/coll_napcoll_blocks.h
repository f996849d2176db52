/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What all-to-alls, gathers and scatters share: the user's buffers as blocks (exec/napcoll_personalized.h), and the way of a
 * call on whose sizes ranks may have to agree.
 */

#ifndef MCA_COLL_NAPCOLL_BLOCKS_H
#define MCA_COLL_NAPCOLL_BLOCKS_H

#include "coll_napcoll.h"

#include "exec/napcoll_personalized.h"

/** One of the user's buffers. Where there is no array, all blocks have the one value. */
typedef struct mca_coll_napcoll_side {
    char *buffer;
    bool single; /**< it has one block only, at its beginning */
    const napcoll_compat_counts_t *counts;
    size_t count;
    const napcoll_compat_displs_t *displs; /**< in elements, or, where there are types, in bytes */
    ompi_datatype_t *const *types;
    ompi_datatype_t *type;
} mca_coll_napcoll_side_t;

/** How the ranks of a call agree on its sizes: sets call->bytes, largest and bounded alike on all. */
typedef int (*mca_coll_napcoll_agree_fn_t)(mca_coll_napcoll_module_t *napcoll,
                                           const napcoll_personalized_t *personalized,
                                           napcoll_call_t *call);

/** A call. */
typedef struct mca_coll_napcoll_exchange {
    napcoll_call_t call; /**< bytes: where all ranks know them, of every block */
    bool uneven;         /**< they do not */
    size_t told_bytes;   /**< what users say of blocks, so that ranks need not agree; 0: nothing */
    int tag;
    mca_coll_napcoll_agree_fn_t agree;
    const mca_coll_napcoll_side_t
        *send; /**< NULL: of an all-to-all in place; or where the rank has none */
    const mca_coll_napcoll_side_t *recv; /**< NULL: the rank has none */
    /** what is sent, where the user gives one buffer for both sides */
    napcoll_buffer_t kept;
} mca_coll_napcoll_exchange_t;

/**
 * Run a call, unless it belongs to the fallback function.
 *
 * @param[in]     napcoll   the communicator's
 * @param[in,out] exchange  the call
 * @param[out]    done      false: it is the fallback function's, and nothing has been touched
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_run_exchange(mca_coll_napcoll_module_t *napcoll,
                                  mca_coll_napcoll_exchange_t *exchange, bool *done);

#endif /* MCA_COLL_NAPCOLL_BLOCKS_H */
