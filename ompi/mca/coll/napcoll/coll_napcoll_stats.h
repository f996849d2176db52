/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Statistics of a call. They serve the summary and the online check; without these a call looks at
 * one flag and reads no clock. The counters of all calls are kept in any case.
 *
 *     begin ... decision and plan, or a reason ... settle ... plan | fallback function ... end
 *
 * A call that is not settled is not counted: it is a part of a fallback function, or of napcoll's
 * set-up.
 */

#ifndef MCA_COLL_NAPCOLL_STATS_H
#define MCA_COLL_NAPCOLL_STATS_H

#include "coll_napcoll_run.h"

/** The online check of a class of calls on a communicator, whatever their root. */
typedef struct mca_coll_napcoll_trial {
    struct mca_coll_napcoll_trial *next;
    /** one of the class; bytes and root do not matter */
    napcoll_call_t call;
    /** bytes of the class: least .. most */
    size_t least;
    size_t most;
    /** that the model chose */
    const char *algorithm;
    napcoll_trial_t state;
    /** times of the state */
    double us[];
} mca_coll_napcoll_trial_t;

/** When the component opens, and when it closes. */
void mca_coll_napcoll_stats_open(void);
void mca_coll_napcoll_stats_close(void);

/** Find out whether calls are recorded in this process, by the parameters. */
void mca_coll_napcoll_stats_decide(void);

/* The parts of the inline functions for calls that are recorded. */
void mca_coll_napcoll_stats_begin(mca_coll_napcoll_run_t *run);
void mca_coll_napcoll_stats_settle(mca_coll_napcoll_run_t *run);
int mca_coll_napcoll_stats_end(mca_coll_napcoll_run_t *run, int rc);

/** A call begins. */
static inline void mca_coll_napcoll_begin(mca_coll_napcoll_run_t *run)
{
    if (OPAL_UNLIKELY(mca_coll_napcoll_component.recorded)) {
        mca_coll_napcoll_stats_begin(run);
    }
}

/** Its outcome is known: count it. */
static inline void mca_coll_napcoll_settle(mca_coll_napcoll_run_t *run)
{
    mca_coll_napcoll_count(run->call.coll, &run->outcome, run->call.bytes);
    if (OPAL_UNLIKELY(mca_coll_napcoll_component.recorded)) {
        mca_coll_napcoll_stats_settle(run);
    }
}

/** It ends with `rc`; returns that, or an error of the allreduce at the end of a trial. */
static inline int mca_coll_napcoll_end(mca_coll_napcoll_run_t *run, int rc)
{
    return OPAL_UNLIKELY(mca_coll_napcoll_component.recorded) && NULL != run->outcome.collective
               ? mca_coll_napcoll_stats_end(run, rc)
               : rc;
}

/**
 * The trial of a call's class, made if there is none yet. All ranks of the communicator ask alike.
 *
 * @param[in]  module    of the communicator; it owns the trial
 * @param[in]  call      the call
 * @param[in]  decision  for an algorithm
 * @param[out] trial     NULL: the class is not checked, because reductions must be reproducible
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE
 */
int mca_coll_napcoll_trial_for(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                               const napcoll_decision_t *decision,
                               mca_coll_napcoll_trial_t **trial);

/** Free a module's trials. */
void mca_coll_napcoll_trials_release(mca_coll_napcoll_module_t *module);

/* ---- coll_napcoll_job_stats.c ---- */

/** Begin the job's statistics with this process's calls. */
void mca_coll_napcoll_start_job_stats(void);

/** Gather the job's statistics on process 0. Collective on MPI_COMM_WORLD, once; one thread. */
void mca_coll_napcoll_gather_job_stats(void);

/* ---- coll_napcoll_summary.c ---- */

/** When the component opens: find the job's number, and report a file name that cannot be used. */
void mca_coll_napcoll_summary_open(void);

/** When it closes: write the summary of this process or, on process 0, of the job, unless
 * MPI_Finalize has done so. */
void mca_coll_napcoll_summary_close(void);

/** Let MPI_Finalize write the summary, where there is to be one. All processes of MPI_COMM_WORLD
 * call this, or none. */
int mca_coll_napcoll_summarize_at_end(void);

#endif /* MCA_COLL_NAPCOLL_STATS_H */
