/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers as programs give them: the same one for both sides, on all ranks or on some, which is an
 * error that Open MPI does not always find (with mpi_param_check 0 never); and structs with
 * padding that an operation of the user's writes, under a tool that sees writes behind a buffer.
 * By every algorithm.
 *
 *     buffers same | padding [--only COLL]
 */
#include "calls.h"

/* A run of a test on one collective and algorithm. */
struct run {
    struct tap tap;
    /* Under test */
    MPI_Comm comm;
    /* Basic */
    MPI_Comm reference;
    struct napcoll_counters counters;
};

/* Which ranks give one buffer for both sides. */
enum ranks { ALL, ODD };

/* One buffer for both sides is to give what two give: what is sent is what was there before the
 * call. Only what the call receives is compared: the rest of the buffer is what was sent. */
static bool same_buffer(struct run *run, struct calls *c, enum ranks ranks)
{
    const size_t bytes = calls_room(c) * c->extent;
    char *one = tap_alloc(bytes), *sends = tap_alloc(bytes), *recvs = tap_alloc(bytes);
    const bool same = ALL == ranks || 1 == c->rank % 2;
    bool good;

    calls_fill(c, 1, sends);
    memcpy(recvs, sends, bytes);
    memcpy(one, sends, bytes);
    mpi_check(calls_make(c, run->comm, same ? one : sends, one), c->coll);
    calls_fill(c, 1, sends);
    calls_make_reference(c, run->reference, sends, recvs);
    good = calls_equal(&run->tap, c, one, recvs, "the one buffer");
    free(one);
    free(sends);
    free(recvs);
    return good;
}

static bool padding(struct run *run, struct calls *c)
{
    const size_t bytes = calls_room(c) * c->extent;
    char *sends = tap_alloc(bytes), *got = tap_alloc(bytes), *wanted = tap_alloc(bytes);
    bool good;

    calls_fill(c, 1, sends);
    calls_fill(c, 2, got);
    calls_fill(c, 2, wanted);
    mpi_check(calls_make(c, run->comm, sends, got), c->coll);
    calls_make_reference(c, run->reference, sends, wanted);
    good = calls_equal(&run->tap, c, got, wanted, "the result");
    free(sends);
    free(got);
    free(wanted);
    return good;
}

/* All checks of one collective by one algorithm, or by the fallback. */
static void by_algorithm(struct run *run, const char *coll, const char *algorithm, bool pads)
{
    const bool falls_back = 0 == strcmp("fallback", algorithm);
    struct expectation e;
    struct calls c;
    char expect[TAP_TEXT];
    bool good = true;

    snprintf(expect, sizeof(expect), falls_back ? "fallback" : "runs:%s", algorithm);
    expect_begin(&e, &run->counters);
    run->comm = calls_dup(MPI_COMM_WORLD, coll, algorithm);
    calls_open(&c, MPI_COMM_WORLD, pads ? CALLS_PAIRS : CALLS_INTS);
    for (int count = pads ? 3 : 1; count <= (pads ? 3 : 600); count = count * 24 + 1) {
        calls_choose(&c, coll, count, false, false);
        if (pads) {
            good = padding(run, &c) && good;
        } else {
            good = same_buffer(run, &c, ALL) && good;
            good = same_buffer(run, &c, ODD) && good;
        }
    }
    calls_close(&c);
    mpi_check(MPI_Comm_free(&run->comm), "MPI_Comm_free");
    good = expect_met(&run->tap, &e, expect) && good;
    tap_ok(&run->tap, good, "%s_%s_%s", coll, algorithm, pads ? "padding" : "same_buffer");
}

/* Whether a collective has the property under test. */
static bool is_subject(const char *coll, bool pads)
{
    const struct calls c = {.coll = coll};

    return pads ? calls_reduces(&c) : 0 != strcmp("bcast", coll);
}

/* The fallback is the other components' for alltoallv, alltoallw and scatterv, whose two sides may
 * be parts of one buffer. */
static bool protects_fallback(const char *coll)
{
    return 0 != strcmp("alltoallv", coll) && 0 != strcmp("alltoallw", coll)
           && 0 != strcmp("scatterv", coll);
}

int main(int argc, char **argv)
{
    const bool pads = argc > 1 && 0 == strcmp("padding", argv[1]);
    const char *only = tap_option(argc, argv, "--only", NULL), *coll;
    struct run run;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    memset(&run, 0, sizeof(run));
    tap_open(&run.tap);
    run.reference = tap_dup(MPI_COMM_WORLD, "basic,^napcoll", NULL, NULL);
    for (int i = 0; NULL != (coll = calls_name(i)); ++i) {
        if (!is_subject(coll, pads) || (NULL != only && 0 != strcmp(only, coll))) {
            continue;
        }
        memset(&run.counters, 0, sizeof(run.counters));
        mpi_check(napcoll_counters_open(&run.counters, coll), "MPI_T_pvar_handle_alloc");
        for (int a = 0; a < run.counters.num_runs; ++a) {
            if (counts_algorithm(&run.counters, a)) {
                by_algorithm(&run, coll, run.counters.name[a], pads);
            }
        }
        if (!pads && protects_fallback(coll)) {
            by_algorithm(&run, coll, "fallback", pads);
        }
        tap_ok(&run.tap, run.counters.num_runs > 0, "%s_has_algorithms", coll);
        mpi_check(napcoll_counters_close(&run.counters), "MPI_T_pvar_handle_free");
    }
    mpi_check(MPI_Comm_free(&run.reference), "MPI_Comm_free");
    status = tap_close(&run.tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
