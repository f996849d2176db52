/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A call on its way from its arguments to its end, the same for the three kinds of MPI functions:
 *
 *     prepare    decide, and bind the arguments to an operation where napcoll carries the call out
 *     operation  start, then wait or progress | fallback function
 *     finish     learn, give the operation back
 *
 *     blocking     prepare, start, wait, finish              coll_napcoll_run.c
 *     nonblocking  prepare, start; progress; finish          coll_napcoll_request.c
 *     persistent   prepare; (start; progress) ...; finish    coll_napcoll_request.c
 */

#ifndef MCA_COLL_NAPCOLL_RUN_H
#define MCA_COLL_NAPCOLL_RUN_H

#include "coll_napcoll.h"

/** A call that is watched (coll_napcoll_stall.h), as an item of the list of these. All under the
 * list's lock. */
typedef struct mca_coll_napcoll_stall {
    struct mca_coll_napcoll_run *next;
    /** what points to the call; NULL: it is not in the list */
    struct mca_coll_napcoll_run **at;
    /** CLOCK_MONOTONIC, in milliseconds */
    uint64_t began;
    /** of the call on its communicator, when it is settled */
    uint32_t number;
    bool settled;
    /** it has waited for stall_seconds, and that was reported */
    bool reported;
    /** signals after which it was reported, or that came before it */
    unsigned rounds;
} mca_coll_napcoll_stall_t;

/** A call. A blocking one is on the stack of its function, others are in their requests. */
typedef struct mca_coll_napcoll_run {
    mca_coll_napcoll_module_t *napcoll;
    napcoll_kind_t kind;
    /** the caller's arguments; what plans need besides is filled in */
    napcoll_binding_t binding;
    /** what the decision depends on */
    napcoll_call_t call;
    /** with the decision, until the module takes the next one; NULL: there is none */
    const napcoll_cached_t *entry;
    /** that carries the call out; NULL: the fallback function does */
    napcoll_operation_t *operation;
    /** the operation's, where the call may outlast the entry; else NULL */
    napcoll_plan_t *plan;
    /** of the send buffer, or none */
    napcoll_host_copy_t copy;
    /** without a collective: the call is not counted, it is a part of a fallback function */
    napcoll_outcome_t outcome;
    /** of a persistent call: its next start decides anew if the call was started before, since the
     * first start tells all ranks how large the blocks are */
    bool learns;
    bool started;

    /* statistics (coll_napcoll_stats.h) */

    /** that the call is a part of, or NULL */
    struct mca_coll_napcoll_trial *trial;
    double began_us;
    double settled_us;
    mca_coll_napcoll_stall_t stall;
} mca_coll_napcoll_run_t;

/** Set up a call; the caller has set the binding, with the tag of the collective. */
static inline void mca_coll_napcoll_run_init(mca_coll_napcoll_run_t *run,
                                             mca_coll_base_module_t *module, napcoll_coll_t coll,
                                             napcoll_kind_t kind)
{
    run->napcoll = (mca_coll_napcoll_module_t *) module;
    run->kind = kind;
    run->call = (napcoll_call_t){.coll = coll, .root = run->binding.root};
    run->entry = NULL;
    run->operation = NULL;
    run->plan = NULL;
    run->copy = (napcoll_host_copy_t){.user = NULL};
    run->outcome.collective = NULL;
    run->learns = run->started = false;
    run->stall.at = NULL;
}

/* ---- coll_napcoll_run.c ---- */

/** Whether no rank has anything to send or to reduce, as far as all ranks know; finds the bytes of
 * the call. */
bool mca_coll_napcoll_run_is_empty(mca_coll_napcoll_run_t *run);

/**
 * Decide on a call that is not empty, and bind its operation. A call that belongs to the fallback
 * function has none, and nothing has been touched. Persistent calls are counted when they start,
 * others here.
 *
 * @return OMPI_SUCCESS or an error; finish the call in any case
 */
int mca_coll_napcoll_run_prepare(mca_coll_napcoll_run_t *run);

/** Bind the arguments of a persistent call anew, for its next start. */
int mca_coll_napcoll_run_rebind(mca_coll_napcoll_run_t *run);

/** Release what a call holds; it may have failed. */
void mca_coll_napcoll_run_finish(mca_coll_napcoll_run_t *run);

/** A blocking call. */
int mca_coll_napcoll_run_blocking(mca_coll_napcoll_run_t *run);

/* ---- coll_napcoll_cache.c ---- */

/** Whether new plans take messages: all ranks verify theirs together. */
static inline bool mca_coll_napcoll_plans_take_messages(void)
{
    return NAPCOLL_VERIFY_PLANS_OFF != mca_coll_napcoll_component.verify;
}

/**
 * Decide on a call apart from the entries, which ranks may do in any order, each in any thread. New
 * plans take no messages.
 *
 * @param[in]  module   of the communicator
 * @param[in]  call     of a collective without a root
 * @param[out] decided  to be released
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_decide_apart(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                                  napcoll_decided_t **decided);

/* ---- coll_napcoll_blocks.c: all-to-alls, gathers and scatters ---- */

/** Complete what the decision depends on: of uneven calls what calls before have said. */
void mca_coll_napcoll_blocks_look(mca_coll_napcoll_run_t *run);

/** Complete it further where the communicator is set up: of uneven calls along edges what the ranks
 * have agreed on, now or before. Collective. */
int mca_coll_napcoll_blocks_agree(mca_coll_napcoll_run_t *run);

/** Bind the blocks of a call to its operation, by the plan of its entry. */
int mca_coll_napcoll_blocks_bind(mca_coll_napcoll_run_t *run);

/** Bind them anew, for the next start. Where the first start of an uneven call has told what blocks
 * there are, the second one decides by them, on all ranks alike and without messages. */
int mca_coll_napcoll_blocks_rebind(mca_coll_napcoll_run_t *run);

/** Learn for the next calls from a blocking one that was decided, also after an error, which other
 * ranks may not have: all learn alike; or from one that is too large for one node (no entry). */
void mca_coll_napcoll_blocks_learn(const mca_coll_napcoll_run_t *run);

/* ---- coll_napcoll_request.c ---- */

/**
 * Nonblocking and persistent calls.
 *
 * @param[in]     run      on the stack, with its binding
 * @param[in]     info     of a persistent call
 * @param[out]    request  of the user
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_run_request(mca_coll_napcoll_run_t *run, ompi_info_t *info,
                                 ompi_request_t **request);

#endif /* MCA_COLL_NAPCOLL_RUN_H */
