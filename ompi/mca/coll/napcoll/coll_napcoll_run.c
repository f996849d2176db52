/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A call's way from its arguments to its end (see the header), and blocking calls.
 */

#include "coll_napcoll_run.h"

#include "coll_napcoll_neighbors.h"
#include "coll_napcoll_node_memory.h"
#include "coll_napcoll_stall.h"
#include "coll_napcoll_stats.h"

#include <limits.h>

#include "ompi/mca/coll/base/coll_base_util.h"

/* ---- what a call is ---- */

static inline size_t bytes_of(ompi_datatype_t *type, size_t count)
{
    size_t element;

    ompi_datatype_type_size(type, &element);
    return element * count;
}

/* The elements of all ranks' blocks in a call whose recvcounts all ranks know. */
static size_t elements_of_all(const napcoll_binding_t *binding)
{
    const int size = ompi_comm_size(binding->comm);
    size_t elements = 0;

    for (int rank = 0; rank < size; rank++) {
        elements += napcoll_compat_count(binding->counts, rank);
    }
    return elements;
}

/* The bytes of the vector, or of a rank's block, of uneven blocks the mean, rounded up: the same
 * on all ranks. 0 also where only some ranks know them, or there are none. */
static size_t bytes_of_call(napcoll_coll_t coll, const napcoll_binding_t *binding)
{
    const bool root = ompi_comm_rank(binding->comm) == binding->root;
    const size_t size = (size_t) ompi_comm_size(binding->comm);

    if (mca_coll_napcoll_is_neighbor(coll)) {
        return mca_coll_napcoll_neighbor_bytes(coll, binding);
    }
    switch (coll) {
    case NAPCOLL_COLL_ALLGATHERV:
    case NAPCOLL_COLL_REDUCE_SCATTER:
        return (bytes_of(binding->datatype, elements_of_all(binding)) + size - 1) / size;
    case NAPCOLL_COLL_GATHER:
        return root ? bytes_of(binding->datatype, binding->count)
                    : bytes_of(binding->send_type, binding->send_count);
    case NAPCOLL_COLL_SCATTER:
        return root ? bytes_of(binding->send_type, binding->send_count)
                    : bytes_of(binding->datatype, binding->count);
    case NAPCOLL_COLL_ALLTOALLV:
    case NAPCOLL_COLL_ALLTOALLW:
    case NAPCOLL_COLL_GATHERV:
    case NAPCOLL_COLL_SCATTERV:
        return 0;
    default:
        return bytes_of(binding->datatype, binding->count);
    }
}

bool mca_coll_napcoll_run_is_empty(mca_coll_napcoll_run_t *run)
{
    const napcoll_coll_t coll = run->call.coll;
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];

    run->call.bytes = bytes_of_call(coll, &run->binding);
    /* a process without neighbours may give no bytes where others do */
    return 0 == run->call.bytes && NAPCOLL_COLL_BARRIER != coll
           && !mca_coll_napcoll_is_neighbor(coll)
           && !(collective->uneven && napcoll_goal_is_personalized(collective->goal));
}

/* The elements that the send buffer has on this rank, where the call needs one that is not the
 * receive buffer. */
static size_t elements_sent(napcoll_coll_t coll, const napcoll_binding_t *binding)
{
    const bool root = ompi_comm_rank(binding->comm) == binding->root;
    const size_t size = (size_t) ompi_comm_size(binding->comm);

    switch (coll) {
    case NAPCOLL_COLL_ALLREDUCE:
    case NAPCOLL_COLL_SCAN:
    case NAPCOLL_COLL_EXSCAN:
        return binding->count;
    case NAPCOLL_COLL_REDUCE:
        return root ? binding->count : 0;
    case NAPCOLL_COLL_REDUCE_SCATTER:
        return elements_of_all(binding);
    case NAPCOLL_COLL_REDUCE_SCATTER_BLOCK:
        return size * binding->count;
    case NAPCOLL_COLL_ALLGATHER:
    case NAPCOLL_COLL_ALLGATHERV:
        return binding->send_count;
    case NAPCOLL_COLL_ALLTOALL:
        return size * binding->send_count;
    case NAPCOLL_COLL_GATHER:
    case NAPCOLL_COLL_GATHERV:
        return root ? binding->send_count : 0;
    case NAPCOLL_COLL_SCATTER:
        return root && 0 != root ? size * binding->send_count : 0;
    default:
        return 0;
    }
}

/* Where both buffers are the same memory, which is an error of the caller that Open MPI does not
 * always find: send from a copy. Each process does so by itself, the decision is not changed. */
static int separate(mca_coll_napcoll_run_t *run)
{
    napcoll_binding_t *binding = &run->binding;
    ompi_datatype_t *type = NULL != binding->op ? binding->datatype : binding->send_type;

    if (OPAL_LIKELY(binding->sendbuf != binding->recvbuf)
        || (NULL == binding->sendbuf && NULL == binding->op)) {
        /* blocks at MPI_BOTTOM may have different types, and be at different addresses */
        return OMPI_SUCCESS;
    }
    return napcoll_host_separate(&binding->sendbuf, binding->recvbuf,
                                 elements_sent(run->call.coll, binding), type, &run->copy);
}

/* ---- the common way ---- */

static inline napcoll_goal_t goal_of(const mca_coll_napcoll_run_t *run)
{
    return mca_coll_napcoll_collectives[run->call.coll]->goal;
}

/* Bind vectors, or blocks of ranks. */
static int bind_elements(mca_coll_napcoll_run_t *run)
{
    const napcoll_goal_t goal = goal_of(run);
    const napcoll_buffers_t *buffers = NAPCOLL_GOAL_BCAST == goal ? &napcoll_buffers_stream
                                                                  : &napcoll_buffers_elements;
    napcoll_binding_t *binding = &run->binding;
    const int rc = separate(run);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    binding->order = run->napcoll->map->ranks;
    if (NAPCOLL_GOAL_REDUCE_SCATTER == goal && MPI_IN_PLACE == binding->sendbuf) {
        /* plans read all of the receive buffer before they write the result */
        binding->sendbuf = binding->recvbuf;
    }
    return napcoll_operation_init(run->operation, buffers,
                                  run->entry->decided->plan[run->call.in_place], binding);
}

/* Take an operation, and bind it. */
static int bind_operation(mca_coll_napcoll_run_t *run)
{
    int rc;

    run->operation = mca_coll_napcoll_take_operation(run->napcoll);
    if (NULL == run->operation) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = mca_coll_napcoll_use_node_memory(run->napcoll, &run->call, run->kind, run->operation);
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        return rc;
    }
    if (NAPCOLL_KIND_BLOCKING != run->kind) {
        run->plan = run->entry->decided->plan[run->call.in_place];
        napcoll_plan_retain(run->plan);
        /* one tag for the plan, and the next one for direct blocks */
        run->binding.tag = ompi_coll_base_nbc_reserve_tags(run->binding.comm, 2);
    }
    return napcoll_goal_is_personalized(goal_of(run)) ? mca_coll_napcoll_blocks_bind(run)
                                                      : bind_elements(run);
}

/* Whether other components may not carry out phases of a call: they would make a nonblocking one
 * wait, and code behind interfaces that count in int, in 6.0.0rc2 as well, fails on more elements.
 * The same on all ranks. */
static bool must_own_phases(const mca_coll_napcoll_run_t *run)
{
    const mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const napcoll_goal_t goal = goal_of(run);
    const bool of_ranks = NAPCOLL_GOAL_ALLGATHER == goal || NAPCOLL_GOAL_REDUCE_SCATTER == goal;
    const size_t blocks = of_ranks ? (size_t) ompi_comm_size(run->binding.comm) : 1;
    const bool delegates = NAPCOLL_PROVIDER_DELEGATE == component->local_provider
                           || NAPCOLL_PROVIDER_DELEGATE == component->leader_provider;

    return delegates
           && (NAPCOLL_KIND_BLOCKING != run->kind || run->call.bytes > (size_t) INT_MAX / blocks);
}

/* Complete what the decision depends on. */
static void look(mca_coll_napcoll_run_t *run)
{
    const napcoll_goal_t goal = goal_of(run);
    const napcoll_binding_t *binding = &run->binding;
    napcoll_call_t *call = &run->call;

    call->own_phases = must_own_phases(run);
    call->request = NAPCOLL_KIND_BLOCKING != run->kind
                    && mca_coll_napcoll_component.rules_tell_requests;
    if (napcoll_goal_is_personalized(goal)) {
        mca_coll_napcoll_blocks_look(run);
        return;
    }
    call->noncommutative = NULL != binding->op && !ompi_op_is_commute(binding->op);
    call->in_place = MPI_IN_PLACE == binding->sendbuf && NAPCOLL_GOAL_REDUCE_SCATTER != goal;
}

/* Find the entry of a call, or why there is none. */
static int find_entry(mca_coll_napcoll_run_t *run, napcoll_reason_t *reason)
{
    const bool waits = NAPCOLL_KIND_NONBLOCKING != run->kind;
    int rc;

    look(run);
    rc = mca_coll_napcoll_set_up(run->napcoll, &run->call, waits, reason);
    if (OMPI_SUCCESS != rc || NAPCOLL_REASON_NONE != *reason) {
        if (OMPI_SUCCESS == rc && NAPCOLL_KIND_BLOCKING == run->kind
            && NULL != run->napcoll->node_memory && napcoll_goal_is_personalized(goal_of(run))) {
            /* the size is the reason, perhaps one that was only tried */
            mca_coll_napcoll_blocks_learn(run);
        }
        return rc;
    }
    if (mca_coll_napcoll_is_neighbor(run->call.coll)) {
        rc = mca_coll_napcoll_blocks_agree(run);
    }
    return OMPI_SUCCESS == rc
               ? mca_coll_napcoll_find_entry(run->napcoll, &run->call, waits, &run->entry, reason)
               : rc;
}

int mca_coll_napcoll_run_prepare(mca_coll_napcoll_run_t *run)
{
    const napcoll_goal_t goal = goal_of(run);
    napcoll_reason_t reason;
    int rc;

    if (NAPCOLL_COMPAT_HETEROGENEOUS
        && (napcoll_goal_is_personalized(goal) || NAPCOLL_GOAL_BCAST == goal)) {
        /* these plans send packed bytes */
        return OMPI_SUCCESS;
    }
    if (OPAL_UNLIKELY(run->napcoll->fallback_depth > 0)) {
        /* a part of a fallback function */
        return OMPI_SUCCESS;
    }
    rc = find_entry(run, &reason);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    run->outcome = mca_coll_napcoll_outcome(run->entry, reason, &run->call, run->kind);
    if (run->outcome.algorithm < 0 || NAPCOLL_KIND_PERSISTENT != run->kind) {
        mca_coll_napcoll_settle(run);
    }
    return run->outcome.algorithm < 0 ? OMPI_SUCCESS : bind_operation(run);
}

int mca_coll_napcoll_run_rebind(mca_coll_napcoll_run_t *run)
{
    const napcoll_host_copy_t *copy = &run->copy;

    if (napcoll_goal_is_personalized(goal_of(run))) {
        return mca_coll_napcoll_blocks_rebind(run);
    }
    return NULL == copy->user
               ? OMPI_SUCCESS
               : napcoll_copy_elements(copy->type, copy->elements, copy->host, copy->user);
}

void mca_coll_napcoll_run_finish(mca_coll_napcoll_run_t *run)
{
    if (OPAL_UNLIKELY(NULL != run->stall.at)) {
        /* before its operation serves another call */
        mca_coll_napcoll_stall_end(run);
    }
    if (NAPCOLL_KIND_BLOCKING == run->kind && NULL != run->entry
        && napcoll_goal_is_personalized(goal_of(run))) {
        mca_coll_napcoll_blocks_learn(run);
    }
    if (NULL != run->operation) {
        mca_coll_napcoll_give_operation(run->napcoll, run->operation);
        run->operation = NULL;
    }
    napcoll_plan_free(run->plan);
    run->plan = NULL;
    napcoll_host_release(&run->copy);
}

int mca_coll_napcoll_run_blocking(mca_coll_napcoll_run_t *run)
{
    int rc;

    if (mca_coll_napcoll_run_is_empty(run)) {
        return OMPI_SUCCESS;
    }
    mca_coll_napcoll_begin(run);
    rc = mca_coll_napcoll_run_prepare(run);
    if (OPAL_LIKELY(OMPI_SUCCESS == rc && NULL != run->operation)) {
        napcoll_operation_start(run->operation);
        rc = napcoll_operation_wait(run->operation);
    } else if (OMPI_SUCCESS == rc) {
        rc = separate(run);
        if (OMPI_SUCCESS == rc) {
            rc = mca_coll_napcoll_fallback_corrected(run->napcoll, run->call.coll, &run->binding);
        }
    }
    mca_coll_napcoll_run_finish(run);
    return mca_coll_napcoll_end(run, rc);
}
