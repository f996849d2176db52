/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-alls, gathers and scatters: calls whose plans are in the layout of personalized blocks
 * (exec/napcoll_personalized.h).
 */

#ifndef MCA_COLL_NAPCOLL_BLOCKS_H
#define MCA_COLL_NAPCOLL_BLOCKS_H

#include "coll_napcoll_stats.h"

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

#endif /* MCA_COLL_NAPCOLL_BLOCKS_H */
