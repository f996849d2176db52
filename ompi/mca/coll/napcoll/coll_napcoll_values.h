/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The values of parameters that have names (coll_napcoll_param_table.c).
 */

#ifndef MCA_COLL_NAPCOLL_VALUES_H
#define MCA_COLL_NAPCOLL_VALUES_H

/** Values of the parameter verify. */
enum {
    NAPCOLL_VERIFY_PLANS_OFF,
    NAPCOLL_VERIFY_PLANS_ON,
    /** for tests: on, with an error put into the plan of process 0 */
    NAPCOLL_VERIFY_PLANS_BROKEN
};

/** Values of the parameter summary. */
enum { NAPCOLL_SUMMARY_OFF, NAPCOLL_SUMMARY_RANK0, NAPCOLL_SUMMARY_ALL, NAPCOLL_SUMMARY_JOB };

/** Values of the parameter mismatch. */
enum { NAPCOLL_MISMATCH_FALLBACK, NAPCOLL_MISMATCH_ABORT };

/** Values of the parameter stall_signal. */
enum { NAPCOLL_STALL_SIGNAL_NONE, NAPCOLL_STALL_SIGNAL_USR1, NAPCOLL_STALL_SIGNAL_USR2 };

#endif /* MCA_COLL_NAPCOLL_VALUES_H */
