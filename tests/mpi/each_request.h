/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A nonblocking or persistent call of each collective, all under way at once, and a rank that comes
 * to them later than the others.
 */
#ifndef TEST_EACH_REQUEST_H
#define TEST_EACH_REQUEST_H

#include "each_call.h"

static inline bool is_late(const struct tap *tap)
{
    return tap->size - 1 == tap->rank;
}

/* The last rank waits here for all others, who do not wait. */
static inline void gate(const struct tap *tap)
{
    enum { TAG = 77 };
    const int last = tap->size - 1;

    if (!is_late(tap)) {
        mpi_check(MPI_Send(NULL, 0, MPI_INT, last, TAG, tap->comm), "MPI_Send");
    }
    for (int r = 0; is_late(tap) && r < last; ++r) {
        mpi_check(MPI_Recv(NULL, 0, MPI_INT, r, TAG, tap->comm, MPI_STATUS_IGNORE), "MPI_Recv");
    }
}

/* One call of each collective on a communicator; MPI takes requests in an array. */
struct all {
    MPI_Comm comm;
    enum mode mode;
    struct each_place place[EACH_CALLS];
    MPI_Request request[EACH_CALLS];
};

static inline void all_open(struct all *all, MPI_Comm comm, enum mode mode, int count)
{
    memset(all, 0, sizeof(*all));
    all->comm = comm;
    all->mode = mode;
    for (int i = 0; i < EACH_CALLS; ++i) {
        each_enter(&all->place[i], comm, i, count);
        all->place[i].mode = mode;
        all->request[i] = MPI_REQUEST_NULL;
    }
}

static inline void all_close(struct all *all)
{
    for (int i = 0; i < EACH_CALLS; ++i) {
        if (MPI_REQUEST_NULL != all->request[i]) {
            mpi_check(MPI_Request_free(&all->request[i]), "MPI_Request_free");
        }
        each_leave(&all->place[i]);
    }
}

static inline void make(struct all *all, int i)
{
    mpi_check(each_calls[i].make(&all->place[i]), each_calls[i].name);
    all->request[i] = all->place[i].request;
}

/* What comes before the start: the init of persistent requests, which may wait for others. */
static inline void init_all(struct all *all)
{
    for (int i = 0; PERSISTENT == all->mode && i < EACH_CALLS; ++i) {
        make(all, i);
    }
}

static inline void start(struct all *all, int i)
{
    each_prepare(&all->place[i], &each_calls[i]);
    if (PERSISTENT == all->mode) {
        mpi_check(MPI_Start(&all->request[i]), "MPI_Start");
    } else {
        make(all, i);
    }
}

static inline void start_all(struct all *all)
{
    for (int i = 0; i < EACH_CALLS; ++i) {
        start(all, i);
    }
}

/* Whether a request is as it has to be when the call is complete, and the result. */
static inline bool is_done(struct tap *tap, const struct all *all, int i)
{
    const bool state = (PERSISTENT == all->mode) == (MPI_REQUEST_NULL != all->request[i]);
    const bool right = each_is_right(&all->place[i], &each_calls[i]);

    if (!state || !right) {
        tap_note(tap, "%s %s: the result is %s, the request %s", mode_name(all->mode),
                 each_calls[i].name, right ? "right" : "wrong",
                 MPI_REQUEST_NULL == all->request[i] ? "null" : "not null");
    }
    return state && right;
}

static inline bool wait_for_all(struct tap *tap, struct all *all)
{
    bool good = true;

    mpi_check(MPI_Waitall(EACH_CALLS, all->request, MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (int i = 0; i < EACH_CALLS; ++i) {
        good = is_done(tap, all, i) && good;
    }
    return good;
}

#endif
