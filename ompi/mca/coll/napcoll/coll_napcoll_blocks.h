/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-alls, gathers and scatters: calls whose plans are in the layout of personalized blocks
 * (exec/napcoll_personalized.h), and the agreement on block sizes by which uneven ones are decided.
 */

#ifndef MCA_COLL_NAPCOLL_BLOCKS_H
#define MCA_COLL_NAPCOLL_BLOCKS_H

#include "coll_napcoll_stats.h"

/** Where the sizes come from by which a call is decided. */
typedef enum {
    /** all ranks know them, or the decision does not depend on them */
    NAPCOLL_SIZES_KNOWN,
    /** ranks have agreed on them in this call */
    NAPCOLL_SIZES_AGREED,
    /** of an earlier agreement; messages of the plan say where they no longer hold */
    NAPCOLL_SIZES_TRUSTED,
    /** of an earlier agreement, in a gather: larger blocks are sent directly after the others */
    NAPCOLL_SIZES_REUSED
} mca_coll_napcoll_sizes_t;

/* ---- coll_napcoll_blocks.c ---- */

/**
 * Run a call, unless it belongs to the fallback function.
 *
 * @param[in]     napcoll  of the communicator
 * @param[in,out] call     collective, root, and the bytes of every block if all ranks know them
 * @param[in]     binding  the caller's arguments
 * @param[in,out] stats    of the call
 * @param[out]    done     false: it is the fallback function's, and nothing has been touched
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_run_blocks(mca_coll_napcoll_module_t *napcoll, napcoll_call_t *call,
                                const napcoll_binding_t *binding,
                                mca_coll_napcoll_call_stats_t *stats, bool *done);

/* ---- coll_napcoll_sizes.c; the nodes are known ---- */

/** Whether every block may have a size of its own, which not all ranks know. */
bool mca_coll_napcoll_is_uneven(napcoll_coll_t coll);

/** Set call->unsized: auto decides without sizes, because an agreement would cost more than it
 * gains. */
int mca_coll_napcoll_set_unsized(mca_coll_napcoll_module_t *napcoll, napcoll_call_t *call);

/** Whether the decision on a call needs an agreement on sizes. */
bool mca_coll_napcoll_must_agree(mca_coll_napcoll_module_t *napcoll, const napcoll_call_t *call);

/** A call on its way to a plan. */
typedef struct mca_coll_napcoll_blocks {
    mca_coll_napcoll_module_t *napcoll;
    const napcoll_binding_t *binding;
    mca_coll_napcoll_call_stats_t *stats;
    /** gets the sizes */
    napcoll_call_t *call;
    /** with the call's blocks, when these are filled in */
    napcoll_operation_t *operation;
    /** the decision, and the plan; NULL: the call belongs to the fallback function */
    const napcoll_cached_t *entry;
    napcoll_plan_t *plan;
    /** where the sizes come from, the same on all ranks */
    mca_coll_napcoll_sizes_t sizes;
} mca_coll_napcoll_blocks_t;

/** Decide on a call that needs no agreement, before its blocks are known. */
int mca_coll_napcoll_decide(mca_coll_napcoll_blocks_t *blocks);

/** Agree on sizes, or, unless this is done `again` because they do not hold, take the sizes of an
 * earlier agreement, and decide. */
int mca_coll_napcoll_agree_and_decide(mca_coll_napcoll_blocks_t *blocks, bool again);

#endif /* MCA_COLL_NAPCOLL_BLOCKS_H */
