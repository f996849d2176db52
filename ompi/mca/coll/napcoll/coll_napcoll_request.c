/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Nonblocking and persistent calls: requests around operations.
 *
 *     unused --take--> request --start--> arriving --> active --end--> complete --free--> unused
 *
 * A start posts the first messages and never waits. Open MPI's progress function carries on the
 * active operations, in whichever thread it runs; one thread at a time walks their list, and not
 * from inside itself. It is registered while there are any. A request is Open MPI's own kind for
 * nonblocking collectives, to which the MPI layer attaches the datatypes and the op of the call
 * until it is complete.
 *
 * A request holds its communicator, so MPI_Comm_free may come before the end. A persistent one also
 * holds its datatypes and its op, which the MPI layer, up to Open MPI 6.0, does for others only.
 */

#include <sched.h>
#include <stdatomic.h>

#include "coll_napcoll_stall.h"
#include "coll_napcoll_stats.h"

#include "ompi/mca/coll/base/coll_base_util.h"
#include "opal/class/opal_list.h"
#include "opal/runtime/opal_progress.h"

typedef struct mca_coll_napcoll_request {
    ompi_coll_base_nbc_request_t super;
    mca_coll_napcoll_run_t run;
} mca_coll_napcoll_request_t;

/* Only the thread that has set `walking` looks at active ones. The lock is for all others: those
 * that arrive and those that nobody uses. (Open MPI's free list would need compiler flags that
 * depend on the processor.) */
static opal_list_t active, arriving, unused;
static _Atomic bool walking, some_arrive;
static opal_mutex_t lock;
static bool registered;

static inline ompi_request_t *base_of(mca_coll_napcoll_request_t *request)
{
    return &request->super.super;
}

static inline opal_list_item_t *item_of(mca_coll_napcoll_request_t *request)
{
    return &request->super.super.super.super;
}

/* ---- the end of an operation ---- */

/* An operation has ended, or there was none: complete its request. `shared`: other threads may know
 * the request. */
static void complete(mca_coll_napcoll_request_t *request, int rc, bool shared)
{
    rc = mca_coll_napcoll_end(&request->run, rc);
    if (!base_of(request)->req_persistent) {
        mca_coll_napcoll_run_finish(&request->run);
    }
    base_of(request)->req_status.MPI_ERROR = rc;
    (void) ompi_request_complete(base_of(request), shared);
}

/* ---- progress ---- */

static int carry_on(void);

/* Take over the requests that have arrived; without any left, unregister. */
static void take_arrived(void)
{
    opal_mutex_lock(&lock);
    opal_list_join(&active, opal_list_get_end(&active), &arriving);
    atomic_store_explicit(&some_arrive, false, memory_order_relaxed);
    if (opal_list_is_empty(&active) && registered) {
        registered = OPAL_SUCCESS != opal_progress_unregister(carry_on);
    }
    opal_mutex_unlock(&lock);
}

/* Carry on the active operations as far as messages have come; returns how many have ended.
 * *others_turn: all that are left wait for processes of this node that need its processors. */
static int walk(bool *others_turn)
{
    mca_coll_napcoll_request_t *request, *next;
    int ended = 0;

    *others_turn = true;
    OPAL_LIST_FOREACH_SAFE (request, next, &active, mca_coll_napcoll_request_t) {
        napcoll_operation_t *operation = request->run.operation;

        if (napcoll_operation_progress(operation)) {
            (void) opal_list_remove_item(&active, item_of(request));
            complete(request, operation->rc, true);
            ended++;
        } else {
            *others_turn = *others_turn && napcoll_operation_is_others_turn(operation);
        }
    }
    return ended;
}

/* The same, for opal_progress(). Other processes get some turns of the processor before it goes on
 * with what takes longer than a look into node memory. */
static int carry_on(void)
{
    enum { TURNS = 7 };
    bool others_turn;
    int ended;

    if (atomic_exchange_explicit(&walking, true, memory_order_acquire)) {
        return 0;
    }
    if (atomic_load_explicit(&some_arrive, memory_order_relaxed) || opal_list_is_empty(&active)) {
        take_arrived();
    }
    ended = walk(&others_turn);
    for (int turn = 0; 0 == ended && others_turn && !opal_list_is_empty(&active) && turn < TURNS;
         turn++) {
        (void) sched_yield();
        ended = walk(&others_turn);
    }
    atomic_store_explicit(&walking, false, memory_order_release);
    return ended;
}

/* Let progress carry on an operation. */
static int activate(mca_coll_napcoll_request_t *request)
{
    int rc = OMPI_SUCCESS;

    opal_mutex_lock(&lock);
    if (!registered) {
        rc = opal_progress_register(carry_on);
        registered = OPAL_SUCCESS == rc;
    }
    if (OMPI_SUCCESS == rc) {
        opal_list_append(&arriving, item_of(request));
        atomic_store_explicit(&some_arrive, true, memory_order_relaxed);
    }
    opal_mutex_unlock(&lock);
    return rc;
}

/* ---- start ---- */

/* Start the operation of a request. */
static int start(mca_coll_napcoll_request_t *request)
{
    napcoll_operation_t *operation = request->run.operation;
    ompi_request_t *base = base_of(request);
    int rc;

    base->req_state = OMPI_REQUEST_ACTIVE;
    base->req_status.MPI_ERROR = OMPI_SUCCESS;
    base->req_complete = REQUEST_PENDING;
    rc = napcoll_compat_failure(request->run.binding.comm, OMPI_SUCCESS);
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        /* a rank that only sends would not notice */
        complete(request, rc, false);
        return OMPI_SUCCESS;
    }
    napcoll_operation_start(operation);
    if (napcoll_operation_progress(operation)) {
        complete(request, operation->rc, false);
        return OMPI_SUCCESS;
    }
    return activate(request);
}

/* Start a persistent call. */
static int restart(mca_coll_napcoll_request_t *request)
{
    mca_coll_napcoll_run_t *run = &request->run;
    int rc;

    if (NULL == run->operation || run->operation->failed) {
        /* there is nothing to send or to reduce, or messages of a start before are under way */
        base_of(request)->req_state = OMPI_REQUEST_ACTIVE;
        base_of(request)->req_status.MPI_ERROR = NULL == run->operation ? OMPI_SUCCESS
                                                                        : run->operation->rc;
        return OMPI_SUCCESS;
    }
    mca_coll_napcoll_begin(run);
    rc = mca_coll_napcoll_run_rebind(run);
    if (OMPI_SUCCESS != rc) {
        mca_coll_napcoll_stall_end(run);
        return rc;
    }
    mca_coll_napcoll_settle(run);
    return start(request);
}

static int start_requests(size_t count, ompi_request_t **requests)
{
    int rc = OMPI_SUCCESS;

    for (size_t i = 0; i < count && OMPI_SUCCESS == rc; i++) {
        if (MPI_REQUEST_NULL != requests[i]) {
            rc = restart((mca_coll_napcoll_request_t *) requests[i]);
        }
    }
    return rc;
}

/* ---- what a persistent request holds ---- */

/* Whether the arguments of a side are significant on this rank. */
static bool has_side(const mca_coll_napcoll_run_t *run, bool sends)
{
    const napcoll_binding_t *binding = &run->binding;
    const bool root = ompi_comm_rank(binding->comm) == binding->root;
    const void *buffer = sends ? binding->sendbuf : binding->recvbuf;

    switch (mca_coll_napcoll_collectives[run->call.coll]->goal) {
    case NAPCOLL_GOAL_GATHER:
        return MPI_IN_PLACE != buffer && (sends || root);
    case NAPCOLL_GOAL_SCATTER:
        return MPI_IN_PLACE != buffer && (!sends || root);
    default:
        return MPI_IN_PLACE != buffer;
    }
}

static void hold_type(ompi_datatype_t *type, bool hold)
{
    if (NULL == type || ompi_datatype_is_predefined(type)) {
        return;
    }
    if (hold) {
        OBJ_RETAIN(type);
    } else {
        OBJ_RELEASE(type);
    }
}

static void hold_types(ompi_datatype_t *const *types, int count, bool hold)
{
    for (int i = 0; NULL != types && i < count; i++) {
        hold_type(types[i], hold);
    }
}

/* Retain, or release, the datatypes and the op of a call. */
static void hold_objects(const mca_coll_napcoll_run_t *run, bool hold)
{
    const napcoll_binding_t *binding = &run->binding;
    const napcoll_neighborhood_t *neighborhood = run->napcoll->neighborhood;
    const bool edges = mca_coll_napcoll_is_neighbor(run->call.coll);
    const int size = ompi_comm_size(binding->comm);
    ompi_op_t *op = binding->op;

    if (has_side(run, true)) {
        hold_type(binding->send_type, hold);
        hold_types(binding->send_types, edges ? neighborhood->out : size, hold);
    }
    if (has_side(run, false)) {
        hold_type(binding->datatype, hold);
        hold_types(binding->types, edges ? neighborhood->in : size, hold);
    }
    if (NULL != op && !ompi_op_is_intrinsic(op)) {
        if (hold) {
            OBJ_RETAIN(op);
        } else {
            OBJ_RELEASE(op);
        }
    }
}

/* ---- requests ---- */

/* MPI does not allow to cancel a collective call; libnbc returns the same error. */
static int refuse_cancel(ompi_request_t *request, int complete)
{
    (void) request;
    (void) complete;
    return MPI_ERR_REQUEST;
}

static void return_request(mca_coll_napcoll_request_t *request)
{
    ompi_communicator_t *comm = base_of(request)->req_mpi_object.comm;

    OMPI_REQUEST_FINI(base_of(request));
    opal_mutex_lock(&lock);
    opal_list_prepend(&unused, item_of(request));
    opal_mutex_unlock(&lock);
    OBJ_RELEASE(comm);
}

static int free_request(ompi_request_t **base)
{
    mca_coll_napcoll_request_t *request = (mca_coll_napcoll_request_t *) *base;

    if (!REQUEST_COMPLETE(*base)) {
        return MPI_ERR_REQUEST;
    }
    if ((*base)->req_persistent) {
        mca_coll_napcoll_run_finish(&request->run);
        hold_objects(&request->run, false);
    }
    return_request(request);
    *base = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static void construct(mca_coll_napcoll_request_t *request)
{
    ompi_request_t *base = base_of(request);

    base->req_type = OMPI_REQUEST_COLL;
    base->req_start = start_requests;
    base->req_cancel = refuse_cancel;
}

static OBJ_CLASS_INSTANCE(mca_coll_napcoll_request_t, ompi_coll_base_nbc_request_t, construct,
                          NULL);

static mca_coll_napcoll_request_t *take_request(const mca_coll_napcoll_run_t *run)
{
    const bool persistent = NAPCOLL_KIND_PERSISTENT == run->kind;
    mca_coll_napcoll_request_t *request;

    opal_mutex_lock(&lock);
    request = (mca_coll_napcoll_request_t *) opal_list_remove_first(&unused);
    opal_mutex_unlock(&lock);
    if (NULL == request) {
        request = OBJ_NEW(mca_coll_napcoll_request_t);
    }
    if (NULL != request) {
        OMPI_REQUEST_INIT(base_of(request), persistent);
        base_of(request)->req_status = ompi_status_empty;
        /* Open MPI may have put its own function around it */
        base_of(request)->req_free = free_request;
        base_of(request)->req_mpi_object.comm = run->binding.comm;
        OBJ_RETAIN(run->binding.comm);
    }
    return request;
}

int mca_coll_napcoll_run_request(mca_coll_napcoll_run_t *run, ompi_info_t *info,
                                 ompi_request_t **user)
{
    const bool empty = mca_coll_napcoll_run_is_empty(run);
    mca_coll_napcoll_request_t *request;
    int rc = OMPI_SUCCESS;

    if (!empty) {
        mca_coll_napcoll_begin(run);
        rc = mca_coll_napcoll_run_prepare(run);
        if (OMPI_SUCCESS == rc && NULL == run->operation) {
            rc = mca_coll_napcoll_fallback_request(run->napcoll, run->call.coll, run->kind,
                                                   &run->binding, info, user);
            if (OPAL_UNLIKELY(NULL != run->stall.at)) {
                mca_coll_napcoll_stall_end(run);
            }
            return mca_coll_napcoll_end(run, rc);
        }
    }
    request = OMPI_SUCCESS == rc ? take_request(run) : NULL;
    if (NULL == request) {
        mca_coll_napcoll_run_finish(run);
        return OMPI_SUCCESS == rc ? OMPI_ERR_OUT_OF_RESOURCE : rc;
    }
    request->run = *run;
    if (OPAL_UNLIKELY(NULL != run->stall.at)) {
        mca_coll_napcoll_stall_move(run, &request->run);
    }
    *user = base_of(request);
    if ((*user)->req_persistent) {
        mca_coll_napcoll_stall_end(&request->run);
        hold_objects(run, true);
        return OMPI_SUCCESS;
    }
    if (empty) {
        (*user)->req_state = OMPI_REQUEST_ACTIVE;
        (void) ompi_request_complete(*user, false);
        return OMPI_SUCCESS;
    }
    return start(request);
}

void mca_coll_napcoll_requests_open(void)
{
    OBJ_CONSTRUCT(&active, opal_list_t);
    OBJ_CONSTRUCT(&arriving, opal_list_t);
    OBJ_CONSTRUCT(&unused, opal_list_t);
    OBJ_CONSTRUCT(&lock, opal_mutex_t);
}

void mca_coll_napcoll_requests_close(void)
{
    if (registered) {
        (void) opal_progress_unregister(carry_on);
        registered = false;
    }
    OBJ_DESTRUCT(&lock);
    OPAL_LIST_DESTRUCT(&unused);
    OBJ_DESTRUCT(&arriving);
    OBJ_DESTRUCT(&active);
}
