/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Call statistics (see the header), and the online check.
 *
 * Each rank times the calls of a trial. After the last one, an allreduce of the fallback component
 * gives all ranks the maximum of each call's times, so that all come to the same result: the times
 * of the slowest rank decide.
 */

#include "coll_napcoll_stats.h"

#include "coll_napcoll_stall.h"

#include <stdlib.h>
#include <time.h>

#include "opal/util/output.h"

static double now_us(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec * 1e6 + (double) now.tv_nsec / 1e3;
}

void mca_coll_napcoll_stats_decide(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const bool first = 0 == OPAL_PROC_MY_NAME.vpid;

    component->summarized = NAPCOLL_SUMMARY_ALL == component->summary
                            || NAPCOLL_SUMMARY_JOB == component->summary
                            || (NAPCOLL_SUMMARY_RANK0 == component->summary && first);
    component->recorded = component->summarized || component->online || component->watched;
}

void mca_coll_napcoll_stats_open(void)
{
    OBJ_CONSTRUCT(&mca_coll_napcoll_component.stats_lock, opal_mutex_t);
    mca_coll_napcoll_stats_decide();
}

void mca_coll_napcoll_stats_close(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    napcoll_job_stats_release(&component->job_stats);
    napcoll_call_stats_release(&component->stats);
    OBJ_DESTRUCT(&component->stats_lock);
}

void mca_coll_napcoll_stats_begin(mca_coll_napcoll_run_t *run)
{
    run->trial = NULL;
    if (mca_coll_napcoll_component.watched) {
        mca_coll_napcoll_stall_begin(run);
    }
    if (mca_coll_napcoll_component.summarized) {
        run->began_us = now_us();
    }
}

void mca_coll_napcoll_stats_settle(mca_coll_napcoll_run_t *run)
{
    if (mca_coll_napcoll_component.watched) {
        mca_coll_napcoll_stall_settle(run);
    }
    if (NAPCOLL_KIND_BLOCKING == run->kind && NULL != run->entry
        && NAPCOLL_REASON_MEMORY != run->outcome.reason) {
        mca_coll_napcoll_trial_t *trial = run->entry->trial;

        run->trial = NULL == trial || trial->state.over ? NULL : trial;
    }
    if (mca_coll_napcoll_component.summarized || NULL != run->trial) {
        run->settled_us = now_us();
    }
}

/* Give all ranks the same times, and end the trial by them. */
static int conclude(mca_coll_napcoll_module_t *module, mca_coll_napcoll_trial_t *trial)
{
    napcoll_trial_t *state = &trial->state;
    const int rc = mca_coll_napcoll_fallback(
        module, NAPCOLL_COLL_ALLREDUCE,
        &(napcoll_binding_t){.sendbuf = MPI_IN_PLACE,
                             .recvbuf = state->us,
                             .count = (size_t) (NAPCOLL_CONTESTANTS * state->calls),
                             .datatype = &ompi_mpi_double.dt,
                             .op = &ompi_mpi_op_max.op,
                             .comm = module->comm});

    if (OMPI_SUCCESS != rc) {
        /* the winner is napcoll, as it was at the start */
        state->over = true;
        return rc;
    }
    napcoll_trial_judge(state);
    opal_output_verbose(1, mca_coll_napcoll_log_output(module),
                        "coll:napcoll: communicator %u: online check of %s of %zu to %zu bytes: "
                        "%s took %.1f us, the fallback component %.1f us: %s serves later calls",
                        napcoll_compat_comm_id(module->comm),
                        mca_coll_napcoll_collectives[trial->call.coll]->name, trial->least,
                        trial->most, trial->algorithm, state->median_us[NAPCOLL_CONTESTANT_NAPCOLL],
                        state->median_us[NAPCOLL_CONTESTANT_FALLBACK],
                        NAPCOLL_CONTESTANT_FALLBACK == state->winner ? "it" : "napcoll");
    return OMPI_SUCCESS;
}

int mca_coll_napcoll_stats_end(mca_coll_napcoll_run_t *run, int rc)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    double us;
    int ended;

    mca_coll_napcoll_stall_end(run);
    if (!component->summarized && NULL == run->trial) {
        return rc;
    }
    us = now_us() - run->settled_us;
    if (component->summarized) {
        opal_mutex_lock(&component->stats_lock);
        napcoll_call_stats_count(&component->stats, &run->outcome, run->call.bytes, us,
                                 run->settled_us - run->began_us);
        opal_mutex_unlock(&component->stats_lock);
    }
    /* also after an error, which other ranks may not have: all ranks count alike */
    if (NULL != run->trial && napcoll_trial_learn(&run->trial->state, us)) {
        ended = conclude(run->napcoll, run->trial);
        rc = OMPI_SUCCESS == rc ? ended : rc;
    }
    return rc;
}

static bool is_trial_of(const mca_coll_napcoll_trial_t *trial, const napcoll_call_t *call,
                        const napcoll_decision_t *decision)
{
    return trial->call.noncommutative == call->noncommutative
           && (trial->call.in_place == call->in_place
               || mca_coll_napcoll_in_place_alone(call->coll))
           && trial->least == decision->least && trial->most == decision->most;
}

int mca_coll_napcoll_trial_for(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                               const napcoll_decision_t *decision, mca_coll_napcoll_trial_t **trial)
{
    const mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[call->coll];
    const int times = NAPCOLL_CONTESTANTS * component->online_calls;
    mca_coll_napcoll_trial_t *made;

    *trial = NULL;
    if (component->reproducible && napcoll_goal_reduces(collective->goal)) {
        /* the fallback function would reduce in another order */
        return OMPI_SUCCESS;
    }
    for (made = module->trials[call->coll]; NULL != made; made = made->next) {
        if (is_trial_of(made, call, decision)) {
            *trial = made;
            return OMPI_SUCCESS;
        }
    }
    made = calloc(1, sizeof(*made) + (size_t) times * sizeof(made->us[0]));
    if (NULL == made) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    made->call = *call;
    made->least = decision->least;
    made->most = decision->most;
    made->algorithm = napcoll_algorithm_at(collective, decision->algorithm)->name;
    made->state.calls = component->online_calls;
    made->state.us = made->us;
    made->next = module->trials[call->coll];
    *trial = module->trials[call->coll] = made;
    return OMPI_SUCCESS;
}

void mca_coll_napcoll_trials_release(mca_coll_napcoll_module_t *module)
{
    for (int coll = 0; coll < NAPCOLL_COLLS; coll++) {
        while (NULL != module->trials[coll]) {
            mca_coll_napcoll_trial_t *trial = module->trials[coll];

            module->trials[coll] = trial->next;
            free(trial);
        }
    }
}
