/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a communicator knows of its calls, where calls that wait for long are reported
 * (coll_napcoll_stall.h).
 */

#ifndef MCA_COLL_NAPCOLL_HISTORY_H
#define MCA_COLL_NAPCOLL_HISTORY_H

#include <stdint.h>

#include "algo/napcoll_algo.h"

/** The calls on a communicator so far (coll_napcoll_stall.h), under that file's lock. */
typedef struct mca_coll_napcoll_history {
    /** of the list of communicators with calls; NULL: it is not in it */
    struct mca_coll_napcoll_module *next;
    struct mca_coll_napcoll_module **at;
    /** of the latest call: blocking and nonblocking ones, and starts of persistent ones */
    uint32_t number[2];
    /** napcoll_coll_t of the latest call */
    int coll;
    napcoll_kind_t kind;
    unsigned under_way;
    /** when the latest began or, with none under way, ended; CLOCK_MONOTONIC */
    uint64_t milliseconds;
} mca_coll_napcoll_history_t;

#endif /* MCA_COLL_NAPCOLL_HISTORY_H */
