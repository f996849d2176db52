/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The calls of one sample, of each kind:
 *
 *     blocking      MPI_Allreduce
 *     nonblocking   MPI_Iallreduce  [computation]  MPI_Wait
 *     persistent    MPI_Start       [computation]  MPI_Wait
 *
 * The computation is as in the nonblocking benchmarks of OSU: arithmetic until a time has passed,
 * in equal parts with an MPI_Test behind each where tests are wanted.
 */

#include "measure/napcoll_check.h"
#include "measure/napcoll_measure.h"

void napcoll_calls_open(const napcoll_measure_t *m, napcoll_contest_t *t)
{
    for (int i = 0; i < t->args.contestants; i++) {
        MPI_Request *request = &t->contestant[i].request;

        *request = MPI_REQUEST_NULL;
        if (NAPCOLL_KIND_PERSISTENT == t->args.kind[i]) {
            napcoll_check(t->args.coll->call(NAPCOLL_KIND_PERSISTENT, &m->blocks, m->send, m->recv,
                                             t->args.comm[i], request),
                          t->args.coll->name);
        }
    }
}

void napcoll_calls_close(napcoll_contest_t *t)
{
    for (int i = 0; i < t->args.contestants; i++) {
        if (MPI_REQUEST_NULL != t->contestant[i].request) {
            napcoll_check(MPI_Request_free(&t->contestant[i].request), "MPI_Request_free");
        }
    }
}

void napcoll_calls_prepare(const napcoll_measure_t *m, napcoll_contest_t *t, int which)
{
    if (NAPCOLL_KIND_NONBLOCKING == t->args.kind[which]) {
        napcoll_check(t->args.coll->call(NAPCOLL_KIND_BLOCKING, &m->blocks, m->send, m->recv,
                                         t->args.comm[which], NULL),
                      t->args.coll->name);
    }
}

/* Returns how long it took: where processes share cores, longer than was wanted. */
static double compute_for(double seconds)
{
    enum { STEPS = 500 };
    static volatile double kept = 1.0;
    const double begin = MPI_Wtime();
    double spent = 0;

    while (spent < seconds) {
        double x = kept;

        for (int i = 0; i < STEPS; i++) {
            x = x * 0.999 + 0.001;
        }
        kept = x;
        spent = MPI_Wtime() - begin;
    }
    return spent;
}

static int compute(napcoll_computation_t *computation, int tests, MPI_Request *request)
{
    const int parts = tests > 0 ? tests : 1;
    int rc = MPI_SUCCESS;

    for (int i = 0; MPI_SUCCESS == rc && i < parts; i++) {
        int done;

        computation->spent += compute_for(computation->seconds / parts);
        if (tests > 0) {
            rc = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        }
    }
    return rc;
}

static int make_call(const napcoll_measure_t *m, napcoll_contest_t *t, int which,
                     napcoll_computation_t *computation)
{
    const napcoll_kind_t kind = t->args.kind[which];
    MPI_Request *request = &t->contestant[which].request;
    int rc;

    if (NULL != t->args.mockup[which]) {
        return t->args.mockup[which](m, t->args.comm[which]);
    }
    if (NAPCOLL_KIND_PERSISTENT == kind) {
        rc = MPI_Start(request);
    } else {
        rc = t->args.coll->call(kind, &m->blocks, m->send, m->recv, t->args.comm[which], request);
    }
    if (MPI_SUCCESS != rc || NAPCOLL_KIND_BLOCKING == kind) {
        return rc;
    }
    if (computation->seconds > 0) {
        rc = compute(computation, t->args.tests, request);
    }
    return MPI_SUCCESS == rc ? MPI_Wait(request, MPI_STATUS_IGNORE) : rc;
}

double napcoll_calls_run(const napcoll_measure_t *m, napcoll_contest_t *t, int which, int calls,
                         napcoll_computation_t *computation)
{
    const double start = MPI_Wtime();
    double seconds;
    int rc = MPI_SUCCESS;

    computation->spent = 0;
    for (int i = 0; MPI_SUCCESS == rc && i < calls; i++) {
        rc = make_call(m, t, which, computation);
    }
    seconds = MPI_Wtime() - start;
    napcoll_check(rc, t->args.coll->name);
    return seconds;
}
