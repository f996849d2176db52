/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The frame of a call: every collective of the component begins one, says through it what becomes of the call, and
 * ends it. With that the summary counts and times calls, and the online check has its samples; where neither is
 * asked for, a frame is a flag that is looked at, and no clock is read.
 *
 *     begin ... decision and plan, or a reason ... settle ... napcoll's plan or the fallback function ... end
 *
 * Frames may lie in one another: the call of an all-to-all has that of the allreduce by which ranks agree on sizes in
 * it. A call that is never settled is none of napcoll's: of nothing, or caused by napcoll itself.
 */

#ifndef MCA_COLL_NAPCOLL_STATS_H
#define MCA_COLL_NAPCOLL_STATS_H

#include "coll_napcoll.h"

/** The online check of one class of calls on a communicator, whatever their root. */
typedef struct mca_coll_napcoll_trial {
    struct mca_coll_napcoll_trial *next;
    napcoll_call_t call; /**< one of the class; bytes, root and largest do not matter */
    size_t least;        /**< bytes, least .. most */
    size_t most;
    const char *algorithm; /**< that the model chose first */
    napcoll_trial_t state;
    double us[]; /**< for the state */
} mca_coll_napcoll_trial_t;

typedef struct mca_coll_napcoll_call_stats {
    mca_coll_napcoll_module_t *module;  /**< NULL: nobody watches */
    mca_coll_napcoll_module_t *napcoll; /**< the same, whether somebody watches or not */
    struct mca_coll_napcoll_call_stats *outer;
    napcoll_outcome_t outcome;       /**< no collective: not settled */
    size_t bytes;                    /**< of the call, as the decision counts them */
    mca_coll_napcoll_trial_t *trial; /**< of which the call is a part, or NULL */
    double began_us;
    double settled_us;
} mca_coll_napcoll_call_stats_t;

/** See whether anything is to be watched in this process, once parameters are known. */
void mca_coll_napcoll_stats_open(void);

/** Write the summary where it is asked for, and release it. */
void mca_coll_napcoll_stats_close(void);

/* What the inline functions do where something is watched. */
void mca_coll_napcoll_stats_begin(mca_coll_napcoll_module_t *module,
                                  mca_coll_napcoll_call_stats_t *stats);
void mca_coll_napcoll_stats_settle(mca_coll_napcoll_call_stats_t *stats,
                                   const napcoll_outcome_t *outcome, size_t bytes,
                                   mca_coll_napcoll_trial_t *trial);
int mca_coll_napcoll_stats_end(mca_coll_napcoll_call_stats_t *stats, int rc);

/** A call begins; the frame is the caller's, until it ends it. */
static inline void mca_coll_napcoll_begin(mca_coll_napcoll_module_t *module,
                                          mca_coll_napcoll_call_stats_t *stats)
{
    module->depth++;
    stats->module = NULL;
    if (OPAL_UNLIKELY(mca_coll_napcoll_component.watched)) {
        mca_coll_napcoll_stats_begin(module, stats);
    }
    stats->napcoll = module;
}

/** It ends with `rc`; returns that, or an error of the online check's agreement, which the last call of a trial has. */
static inline int mca_coll_napcoll_end(mca_coll_napcoll_call_stats_t *stats, int rc)
{
    if (0 == --stats->napcoll->depth) {
        napcoll_engine_give_workspace(&stats->napcoll->engine);
    }
    return OPAL_UNLIKELY(NULL != stats->module) ? mca_coll_napcoll_stats_end(stats, rc) : rc;
}

/**
 * The trial of the class of a call on which a decision was taken, made where there is none yet. All ranks of the
 * communicator ask alike.
 *
 * @param[in]  module    the communicator's; it owns the trial
 * @param[in]  call      the call
 * @param[in]  decision  an algorithm of napcoll's
 * @param[out] trial     NULL: the class is not checked, because reductions are to be reproducible
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE
 */
int mca_coll_napcoll_trial_for(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                               const napcoll_decision_t *decision,
                               mca_coll_napcoll_trial_t **trial);

/** Free a module's trials. */
void mca_coll_napcoll_trials_release(mca_coll_napcoll_module_t *module);

#endif /* MCA_COLL_NAPCOLL_STATS_H */
