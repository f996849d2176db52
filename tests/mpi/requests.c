/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What MPI promises of nonblocking and persistent collectives, one property after the other, and
 * that napcoll ran them.
 *
 *     requests [--starts N] [--forced COLLECTIVE]
 *
 * Memory does not grow in N starts. With a COLLECTIVE, which a parameter sends to the fallback, it
 * only checks what served each.
 */
#include "counters.h"
#include "each_request.h"
#include "heap.h"
#include "ops.h"

#include <unistd.h>

enum { FEW = 5, MANY = 20000, ROUNDS = 50, ELEMENTS = 9 };

/* --- requests begin and end --- */

static bool is_empty(const MPI_Status *status)
{
    int count = -1, cancelled = 1;

    mpi_check(MPI_Get_count(status, MPI_INT, &count), "MPI_Get_count");
    mpi_check(MPI_Test_cancelled(status, &cancelled), "MPI_Test_cancelled");
    return MPI_ANY_SOURCE == status->MPI_SOURCE && MPI_ANY_TAG == status->MPI_TAG && 0 == count
           && !cancelled;
}

/* Every function returns at once for a request that is null or not active, and says so. */
static bool is_inactive(MPI_Request *request)
{
    const MPI_Request before = *request;
    MPI_Status status[4];
    int test = 0, get = 0, all = 0, which = 0;

    memset(status, 0x55, sizeof(status));
    mpi_check(MPI_Wait(request, &status[0]), "MPI_Wait");
    mpi_check(MPI_Test(request, &test, &status[1]), "MPI_Test");
    mpi_check(MPI_Request_get_status(*request, &get, &status[2]), "MPI_Request_get_status");
    mpi_check(MPI_Waitany(1, request, &which, &status[3]), "MPI_Waitany");
    mpi_check(MPI_Testall(1, request, &all, MPI_STATUSES_IGNORE), "MPI_Testall");
    return is_empty(&status[0]) && is_empty(&status[1]) && is_empty(&status[2])
           && is_empty(&status[3]) && test && get && all && MPI_UNDEFINED == which
           && before == *request;
}

static void check_ends(struct tap *tap, MPI_Comm comm, enum mode mode)
{
    struct all all;
    bool good = true, inactive = true;

    all_open(&all, comm, mode, FEW);
    init_all(&all);
    for (int i = 0; i < EACH_CALLS; ++i) {
        inactive = is_inactive(&all.request[i]) && inactive;
        start(&all, i);
        mpi_check(MPI_Wait(&all.request[i], MPI_STATUS_IGNORE), "MPI_Wait");
        good = is_done(tap, &all, i) && good;
        inactive = is_inactive(&all.request[i]) && inactive;
    }
    all_close(&all);
    tap_ok(tap, good, "%s_requests_end", mode_name(mode));
    tap_ok(tap, inactive, "%s_requests_that_are_not_active_have_empty_statuses", mode_name(mode));
}

/* A start on a communicator that nothing was called on before returns although a rank has not
 * come; large messages cannot be anywhere but in the buffers then. */
static void check_starts(struct tap *tap, enum mode mode, int count)
{
    MPI_Comm comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    struct all all;
    bool good;

    all_open(&all, comm, mode, count);
    init_all(&all);
    if (!is_late(tap)) {
        start_all(&all);
    }
    gate(tap);
    if (is_late(tap)) {
        start_all(&all);
    }
    good = wait_for_all(tap, &all);
    all_close(&all);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    tap_ok(tap, good, "%s_starts_of_%d_do_not_wait_for_others", mode_name(mode), count);
}

/* All at once, in an order of each rank's own, with other data each time. */
static void check_restarts(struct tap *tap, MPI_Comm comm)
{
    struct all all;
    bool good = true;

    all_open(&all, comm, PERSISTENT, FEW);
    init_all(&all);
    for (int round = 0; round < ROUNDS; ++round) {
        MPI_Request several[EACH_CALLS];

        for (int i = 0; i < EACH_CALLS; ++i) {
            all.place[i].salt = round * (i + 1);
            each_prepare(&all.place[i], &each_calls[i]);
            several[(i + tap->rank + round) % EACH_CALLS] = all.request[i];
        }
        mpi_check(MPI_Startall(EACH_CALLS, several), "MPI_Startall");
        good = wait_for_all(tap, &all) && good;
    }
    all_close(&all);
    tap_ok(tap, good, "persistent_requests_start_again_with_other_data_in_any_order");
}

/* Requests that are complete; no rank has waited for them. */
static void check_free_unwaited(struct tap *tap, MPI_Comm comm)
{
    struct all all;
    bool good = true;

    all_open(&all, comm, PERSISTENT, FEW);
    init_all(&all);
    start_all(&all);
    for (int i = 0; i < EACH_CALLS; ++i) {
        int flag = 0;

        while (!flag) {
            mpi_check(MPI_Request_get_status(all.request[i], &flag, MPI_STATUS_IGNORE),
                      "MPI_Request_get_status");
        }
        mpi_check(MPI_Request_free(&all.request[i]), "MPI_Request_free");
        good = good && MPI_REQUEST_NULL == all.request[i]
               && each_is_right(&all.place[i], &each_calls[i]);
    }
    all_close(&all);
    tap_ok(tap, good, "persistent_requests_are_freed_without_a_wait");
}

/* --- what belongs to a request lives as long as it needs --- */

static void check_op_and_type(struct tap *tap, MPI_Comm comm, enum mode mode)
{
    struct problem p = problem_matrices();
    const struct layout *l = p.layout;
    int send[ELEMENTS * MATRIX], recv[ELEMENTS * MATRIX], due[ELEMENTS * MATRIX];
    MPI_Request request = MPI_REQUEST_NULL;
    bool good = true;

    for (int i = 0; i < ELEMENTS; ++i) {
        p.own(l, tap->rank, 1, i, (char *) &send[i * MATRIX]);
        p.all(l, tap->size, 1, i, (char *) &due[i * MATRIX]);
    }
    if (is_late(tap) && NONBLOCKING == mode) {
        gate(tap);
    }
    mpi_check(MAKE(mode, &request, Allreduce, allreduce, send, recv, ELEMENTS, p.type, p.op, comm),
              "a call of allreduce");
    problem_close(&p);
    if (!is_late(tap) && NONBLOCKING == mode) {
        gate(tap);
    }
    for (int round = 0; round < (PERSISTENT == mode ? 3 : 1); ++round) {
        if (PERSISTENT == mode) {
            memset(recv, 0, sizeof(recv));
            mpi_check(MPI_Start(&request), "MPI_Start");
        }
        mpi_check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        good = good && 0 == memcmp(recv, due, sizeof(due));
    }
    if (PERSISTENT == mode) {
        mpi_check(MPI_Request_free(&request), "MPI_Request_free");
    }
    tap_ok(tap, good, "%s_requests_keep_a_freed_op_and_type", mode_name(mode));
}

/* The ranks that came in time free the communicator while its calls are under way. */
static void check_comm(struct tap *tap, int count)
{
    MPI_Comm comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    struct all all;
    bool good = each_of(comm, EACH_CALLS, FEW, 0);

    all_open(&all, comm, NONBLOCKING, count);
    if (is_late(tap)) {
        (void) usleep(20000);
    }
    start_all(&all);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    good = wait_for_all(tap, &all) && good;
    all_close(&all);
    tap_ok(tap, good, "nonblocking_requests_of_%d_outlive_their_communicator", count);
}

static void check_cancel(struct tap *tap, MPI_Comm comm, enum mode mode)
{
    struct all all;
    bool refused = true, good;

    all_open(&all, comm, mode, FEW);
    init_all(&all);
    if (is_late(tap)) {
        gate(tap);
    }
    start_all(&all);
    for (int i = 0; i < EACH_CALLS; ++i) {
        refused = MPI_SUCCESS != MPI_Cancel(&all.request[i]) && refused;
    }
    if (!is_late(tap)) {
        gate(tap);
    }
    good = wait_for_all(tap, &all);
    all_close(&all);
    tap_ok(tap, refused, "%s_requests_cannot_be_cancelled", mode_name(mode));
    tap_ok(tap, good, "%s_requests_end_after_cancel_was_refused", mode_name(mode));
}

/* --- order and progress --- */

/* Nobody gets through a barrier to which a rank has not come. */
static void check_barrier(struct tap *tap, MPI_Comm comm, enum mode mode)
{
    const double wait = 0.03;
    MPI_Request request = MPI_REQUEST_NULL;
    double begin;
    int flag = 0;

    if (PERSISTENT == mode) {
        mpi_check(MAKE(mode, &request, Barrier, barrier, comm), "MPI_Barrier_init");
    }
    if (is_late(tap)) {
        gate(tap);
    }
    if (PERSISTENT == mode) {
        mpi_check(MPI_Start(&request), "MPI_Start");
    } else {
        mpi_check(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
    }
    begin = MPI_Wtime();
    while (!is_late(tap) && !flag && MPI_Wtime() - begin < wait) {
        mpi_check(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    }
    if (!is_late(tap)) {
        gate(tap);
    }
    mpi_check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    if (PERSISTENT == mode) {
        mpi_check(MPI_Request_free(&request), "MPI_Request_free");
    }
    tap_ok(tap, !flag, "%s_barrier_waits_for_the_last_rank", mode_name(mode));
}

/* Each nonblocking call is followed by a blocking one of the same collective. */
static void check_blocking(struct tap *tap, MPI_Comm comm)
{
    struct all first, second;
    bool good = true;

    all_open(&first, comm, NONBLOCKING, FEW);
    all_open(&second, comm, BLOCKING, FEW);
    if (is_late(tap)) {
        (void) usleep(20000);
    }
    for (int i = 0; i < EACH_CALLS; ++i) {
        second.place[i].salt = 1;
        start(&first, i);
        start(&second, i);
        good = each_is_right(&second.place[i], &each_calls[i]) && good;
    }
    good = wait_for_all(tap, &first) && good;
    all_close(&second);
    all_close(&first);
    tap_ok(tap, good, "blocking_calls_while_nonblocking_ones_are_under_way");
}

/* A rank in the midst of all computes for a while and calls nothing. */
static void check_computing(struct tap *tap, MPI_Comm comm, enum mode mode)
{
    struct all all;
    bool good;

    all_open(&all, comm, mode, FEW);
    init_all(&all);
    start_all(&all);
    if (tap->size / 2 == tap->rank) {
        (void) usleep(30000);
    }
    good = wait_for_all(tap, &all);
    all_close(&all);
    tap_ok(tap, good, "%s_requests_end_after_a_rank_has_computed", mode_name(mode));
}

/* --- handles and errors --- */

static void check_fortran(struct tap *tap, MPI_Comm comm, enum mode mode)
{
    struct all all;
    bool good = true;

    all_open(&all, comm, mode, FEW);
    init_all(&all);
    for (int i = 0; i < EACH_CALLS; ++i) {
        start(&all, i);
        good = all.request[i] == MPI_Request_f2c(MPI_Request_c2f(all.request[i])) && good;
    }
    good = wait_for_all(tap, &all) && good;
    all_close(&all);
    tap_ok(tap, good, "%s_requests_have_handles_in_fortran", mode_name(mode));
}

static bool is_class(int rc, int wanted)
{
    int class;

    mpi_check(MPI_Error_class(rc, &class), "MPI_Error_class");
    return wanted == class;
}

static void check_bad_arguments(struct tap *tap, MPI_Comm comm, enum mode mode)
{
    MPI_Request null = MPI_REQUEST_NULL, r = MPI_REQUEST_NULL;
    int a = 0, b = 0;
    bool good = is_class(MPI_Start(&null), MPI_ERR_REQUEST);

    good = is_class(MAKE(mode, &r, Allreduce, allreduce, &a, &b, -1, MPI_INT, MPI_SUM, comm),
                    MPI_ERR_COUNT)
           && good;
    good = is_class(MAKE(mode, &r, Allreduce, allreduce, &a, &b, 1, MPI_INT, MPI_OP_NULL, comm),
                    MPI_ERR_OP)
           && good;
    good = is_class(MAKE(mode, &r, Bcast, bcast, &a, 1, MPI_INT, tap->size, comm), MPI_ERR_ROOT)
           && good;
    good = is_class(MAKE(mode, &r, Bcast, bcast, &a, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE)
           && good;
    good = MPI_REQUEST_NULL == r && good;
    tap_ok(tap, good, "%s_calls_with_bad_arguments_return_their_errors", mode_name(mode));
}

/* --- memory --- */

/* Starts of all collectives in turn, some of them under way at once. Persistent requests are made
 * anew now and then. */
static bool start_many(struct tap *tap, MPI_Comm comm, enum mode mode, int starts)
{
    enum { OF_A_REQUEST = 8 };
    bool good = true;

    for (int n = 0; n < starts; n += OF_A_REQUEST * EACH_CALLS) {
        struct all all;

        all_open(&all, comm, mode, FEW);
        init_all(&all);
        for (int i = 0; i < OF_A_REQUEST; ++i) {
            start_all(&all);
            good = wait_for_all(tap, &all) && good;
        }
        all_close(&all);
    }
    return good;
}

/* A process that leaks does so each time; Open MPI's lists of free objects grow now and then,
 * several times in a row where processes are often out of step, in one process or another. */
static void check_growth(struct tap *tap, MPI_Comm comm, enum mode mode, int starts)
{
    enum { TIMES = 10 };
    bool good = start_many(tap, comm, mode, starts);
    int grows = 1, any = 1;

    for (int i = 0; i < TIMES && any; ++i) {
        const long before = heap();
        long more;

        good = start_many(tap, comm, mode, starts) && good;
        more = heap() - before;
        grows = grows && more >= starts;
        if (grows) {
            tap_note(tap, "%ld bytes more after %d %s starts", more, starts, mode_name(mode));
        }
        mpi_check(MPI_Allreduce(&grows, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD),
                  "MPI_Allreduce");
    }
    tap_ok(tap, good && !any, "%s_starts_leave_nothing_in_memory", mode_name(mode));
}

/* --- who served them --- */

struct counters {
    struct napcoll_counters of[EACH_CALLS][MODES];
};

static void counters_open(struct counters *counters)
{
    for (int i = 0; i < EACH_CALLS; ++i) {
        for (int mode = NONBLOCKING; mode < MODES; ++mode) {
            char name[FUNCTION_NAME];

            function_name(each_calls[i].name, (enum mode) mode, name);
            mpi_check(napcoll_counters_open(&counters->of[i][mode], name), "MPI_T");
        }
    }
}

static void counters_close(struct counters *counters)
{
    for (int i = 0; i < EACH_CALLS; ++i) {
        for (int mode = NONBLOCKING; mode < MODES; ++mode) {
            mpi_check(napcoll_counters_close(&counters->of[i][mode]), "MPI_T");
        }
    }
}

/* All calls of a mode are counted, each as what served it. */
static void check_counters(struct tap *tap, MPI_Comm comm, struct counters *counters,
                           enum mode mode, const char *forced)
{
    for (int i = 0; i < EACH_CALLS; ++i) {
        const bool falls_back = NULL != forced && 0 == strcmp(forced, each_calls[i].name);
        struct napcoll_counters *c = &counters->of[i][mode];
        const unsigned long long before = counted(c);
        struct expectation e;
        struct each_place p;
        bool good, met;

        expect_begin(&e, c);
        each_enter(&p, comm, 0, FEW);
        p.mode = mode;
        mpi_check(each_run(&p, &each_calls[i], &good), each_calls[i].name);
        each_leave(&p);
        met = expect_met(tap, &e, falls_back ? "fallback:forced" : "runs")
              && 1 == counted(c) - before;
        tap_ok(tap, good && met, "%s_%s_%s", mode_name(mode), each_calls[i].name,
               falls_back ? "falls_back_by_parameter" : "runs_in_napcoll");
    }
}

/* An info key of a communicator is for all modes too. */
static void check_info_key(struct tap *tap, struct counters *counters, enum mode mode)
{
    MPI_Comm comm = tap_dup(MPI_COMM_WORLD, "napcoll", "napcoll_allreduce_algorithm", "fallback");
    struct expectation e;
    struct each_place p;
    bool good;

    each_enter(&p, comm, 0, FEW);
    p.mode = mode;
    expect_begin(&e, &counters->of[0][mode]);
    mpi_check(each_run(&p, &each_calls[0], &good), each_calls[0].name);
    good = expect_met(tap, &e, "fallback:forced") && good;
    each_leave(&p);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    tap_ok(tap, good, "%s_%s_falls_back_by_info_key", mode_name(mode), each_calls[0].name);
}

static void check_all(struct tap *tap, MPI_Comm comm, int starts)
{
    for (int mode = NONBLOCKING; mode < NUM_MODES; ++mode) {
        check_starts(tap, (enum mode) mode, FEW);
        check_starts(tap, (enum mode) mode, MANY);
        check_ends(tap, comm, (enum mode) mode);
        check_op_and_type(tap, comm, (enum mode) mode);
        check_cancel(tap, comm, (enum mode) mode);
        check_barrier(tap, comm, (enum mode) mode);
        check_computing(tap, comm, (enum mode) mode);
        check_fortran(tap, comm, (enum mode) mode);
        check_bad_arguments(tap, comm, (enum mode) mode);
        check_growth(tap, comm, (enum mode) mode, starts);
    }
    check_comm(tap, FEW);
    check_comm(tap, MANY);
    check_blocking(tap, comm);
    if (NAPCOLL_HAVE_PERSISTENT) {
        check_restarts(tap, comm);
        check_free_unwaited(tap, comm);
    }
}

int main(int argc, char **argv)
{
    static struct counters counters;
    const char *forced;
    struct tap tap;
    MPI_Comm comm;
    int starts, status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    starts = (int) tap_option_number(argc, argv, "--starts", 2000);
    forced = tap_option(argc, argv, "--forced", NULL);
    counters_open(&counters);
    comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    mpi_check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
              "MPI_Comm_set_errhandler");
    mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    if (NULL == forced) {
        check_all(&tap, comm, starts);
    }
    for (int mode = NONBLOCKING; mode < NUM_MODES; ++mode) {
        check_counters(&tap, comm, &counters, (enum mode) mode, forced);
        check_info_key(&tap, &counters, (enum mode) mode);
    }
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    counters_close(&counters);
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
