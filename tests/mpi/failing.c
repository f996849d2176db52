/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In the first call on a communicator an allocation of napcoll's fails, on one rank. That rank gets
 * an error, or the call is right all the same; what it must not do is run another component's
 * function while the others run napcoll.
 *
 *     failing --rank R --first N --last N [--from NUMBER] [--revoke yes]
 *
 * The N-th allocation fails in each collective in turn, from the one of this number on, each on a
 * new communicator, and for each N. The other ranks wait for the one that has an error. It says
 * what it has seen and ends the job with status 42, as programs do; or, with ULFM, it revokes the
 * communicator, and the next case follows. no_memory.so is preloaded.
 */
#define _GNU_SOURCE

#include <mpi.h>
#if defined(OPEN_MPI) && OPEN_MPI
#    include <mpi-ext.h>
#endif

#include <dlfcn.h>

#include "counters.h"
#include "each_call.h"
#include "no_memory.h"

enum { COUNT = 100, REPORTED = 42 };

/* What became of a case: on the rank where it fails, then on all. */
enum result {
    NOT_REACHED, /* the call asks for less */
    REPORTED_IT, /* an error */
    RIGHT,       /* the call was right without */
    WRONG
};

struct failing {
    struct tap tap;
    int victim;
    void (*at)(long which);
    long (*counted)(void);
    bool can_revoke;
    int cases[WRONG + 1];
};

/* Calls of all collectives that napcoll ran so far. */
static unsigned long long runs(struct napcoll_counters counters[EACH_CALLS])
{
    unsigned long long total = 0;

    for (int which = 0; which < EACH_CALLS; ++which) {
        total += counted_runs(&counters[which]);
    }
    return total;
}

static void find_functions(struct failing *f)
{
    void *at = dlsym(RTLD_DEFAULT, "no_memory_at");
    void *counted = dlsym(RTLD_DEFAULT, "no_memory_counted");

    if (NULL == at || NULL == counted) {
        fprintf(stderr, "# no_memory.so is not preloaded\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    memcpy(&f->at, &at, sizeof(f->at));
    memcpy(&f->counted, &counted, sizeof(f->counted));
}

/* Let the others go on, who wait for this rank. */
static void release_others(const struct failing *f, MPI_Comm comm, const char *name, int n, int rc)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (f->can_revoke) {
#if defined(OMPI_HAVE_MPI_EXT_FTMPI) && OMPI_HAVE_MPI_EXT_FTMPI
        mpi_check(MPIX_Comm_revoke(comm), "MPIX_Comm_revoke");
#endif
        return;
    }
    (void) comm;
    mpi_check(MPI_Error_string(rc, text, &length), "MPI_Error_string");
    printf("reported: allocation %d of %s: %s\n", n, name, text);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, REPORTED);
}

/* One case; returns the same on all ranks. */
static enum result run_failing(struct failing *f, int which, int n)
{
    const struct each_call *call = &each_calls[which];
    struct each_place p;
    MPI_Comm comm;
    int mine = RIGHT, all;
    bool good, reached = false;
    int rc;

    mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
    mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    each_enter(&p, comm, 0, COUNT);
    /* 6.0.0rc2 crashes where a communicator is revoked before all ranks have made it */
    mpi_check(MPI_Barrier(f->tap.comm), "MPI_Barrier");
    if (f->victim == f->tap.rank) {
        f->at(n);
    }
    rc = each_run(&p, call, &good);
    if (f->victim == f->tap.rank) {
        reached = f->counted() >= n;
        f->at(0);
    }
    if (f->victim == f->tap.rank && MPI_SUCCESS != rc) {
        mine = reached ? REPORTED_IT : WRONG;
        release_others(f, comm, call->name, n, rc);
    } else if (f->victim == f->tap.rank) {
        mine = reached ? RIGHT : NOT_REACHED;
        mine = good ? mine : WRONG;
    }
    mpi_check(MPI_Bcast(&mine, 1, MPI_INT, f->victim, f->tap.comm), "MPI_Bcast");
    if (REPORTED_IT != mine && (MPI_SUCCESS != rc || !good)) {
        mine = WRONG;
    }
    mpi_check(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, f->tap.comm), "MPI_Allreduce");
    if (WRONG == all) {
        tap_note(&f->tap, "allocation %d of %s: %d, result %s", n, call->name, rc,
                 good ? "right" : "wrong");
    }
    each_leave(&p);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    ++f->cases[all];
    return (enum result) all;
}

int main(int argc, char **argv)
{
    static struct napcoll_counters counters[EACH_CALLS];
    unsigned long long before, after;
    int first, last, from = 0, status;
    bool reached[EACH_CALLS];
    struct failing f = {0};

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&f.tap);
    find_functions(&f);
    f.victim = (int) tap_option_number(argc, argv, "--rank", 1) % f.tap.size;
    first = (int) tap_option_number(argc, argv, "--first", 1);
    last = (int) tap_option_number(argc, argv, "--last", 40);
    f.can_revoke = NULL != tap_option(argc, argv, "--revoke", NULL);
    from = (int) tap_option_number(argc, argv, "--from", 1) % EACH_CALLS;
    for (int which = 0; which < EACH_CALLS; ++which) {
        reached[which] = true;
        mpi_check(napcoll_counters_open(&counters[which], each_calls[which].name), "MPI_T");
    }
    before = runs(counters);
    for (int n = first; n <= last; ++n) {
        for (int i = 0; i < EACH_CALLS; ++i) {
            const int which = (from + i) % EACH_CALLS;

            reached[which] = reached[which] && NOT_REACHED != run_failing(&f, which, n);
        }
    }
    after = runs(counters);
    for (int which = 0; which < EACH_CALLS; ++which) {
        mpi_check(napcoll_counters_close(&counters[which]), "MPI_T");
    }
    if (0 == f.tap.rank) {
        printf("# %d cases with an error, %d right without, %d not reached\n", f.cases[REPORTED_IT],
               f.cases[RIGHT], f.cases[NOT_REACHED]);
    }
    tap_ok(&f.tap, 0 == f.cases[WRONG], "no_memory_is_reported_or_does_not_matter");
    tap_ok(&f.tap, after > before, "no_memory_is_met_in_napcoll");
    status = tap_close(&f.tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
