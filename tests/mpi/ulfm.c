/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * User-level failure mitigation: in the midst of each collective a rank revokes the communicator,
 * or dies. All others get the error that tells so, shrink the communicator, agree on it, and have
 * 200 right calls on what is left.
 *
 *     ulfm --how revoke|kill [--mode blocking|nonblocking|persistent] [--count N] [--rounds N]
 *          [--only COLLECTIVE]
 *     ulfm --how finalize
 *
 * N ints are a block: with --count messages are to take a while. Deaths follow each other in one
 * job: there must be more ranks than collectives. Where a revocation comes while large messages are
 * under way, it is at another time in each round. With finalize rank 2 dies while the others are in
 * MPI_Finalize. --probe only tells whether Open MPI has the
 * extension; without it the exit status is 77.
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#if defined(OPEN_MPI) && OPEN_MPI
#    include <mpi-ext.h>
#endif

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#if defined(OMPI_HAVE_MPI_EXT_FTMPI) && OMPI_HAVE_MPI_EXT_FTMPI

#    include "counters.h"
#    include "each_call.h"

enum { SMALL = 16, BEFORE = 3, AFTER = 200, FAST = 20000, SLOW = 5000 };

/* What is done to the collectives. */
struct deed {
    bool kills;
    /* Of the calls; after nonblocking and persistent ones it is MPI_Wait that returns the error */
    enum mode mode;
    /* Messages take a while */
    bool large;
    int rounds;
    /* Of ints in a block */
    int count;
};

/* What a case tells. */
struct outcome {
    /* napcoll served the calls before */
    bool ran;
    /* class of the error that the interrupted call returned */
    int error;
    /* until it did, from the time when the rank that acts was to act */
    double us;
    /* shrink and agree have done their part */
    bool agreed;
    /* ranks that are left, and how many of their calls were right */
    int ranks, right;
};

static struct napcoll_counters counters[EACH_CALLS];

static void sleep_us(long us)
{
    const struct timespec time = {.tv_nsec = us * 1000};

    (void) nanosleep(&time, NULL);
}

static int class_of(int rc)
{
    int class;

    mpi_check(MPI_Error_class(rc, &class), "MPI_Error_class");
    return class;
}

static void die_now(int signal)
{
    (void) signal;
    (void) raise(SIGKILL);
}

/* Dies in some ms, wherever it is then. */
static void die_soon(void)
{
    const struct itimerval soon = {.it_value = {.tv_usec = 3000}};

    (void) signal(SIGALRM, die_now);
    (void) setitimer(ITIMER_REAL, &soon, NULL);
}

/* The part of the rank that acts. */
static void act(MPI_Comm comm, const struct deed *deed, int round)
{
    static const long us[] = {0, 300, 1000, 100};

    if (deed->kills && deed->large) {
        die_soon();
        /* It goes on with its calls until then */
        return;
    }
    /* The others are in the call */
    sleep_us(deed->large ? us[round % 4] : 2000);
    if (deed->kills) {
        (void) raise(SIGKILL);
    }
    mpi_check(MPIX_Comm_revoke(comm), "MPIX_Comm_revoke");
}

/* Calls until there is an error. A rank that only sends small messages can return from many calls
 * before its library hears of the failure. After FAST calls it waits between calls, and probes:
 * small sends need not enter the progress engine, which hears of failures. */
static int call_on(struct each_place *p, const struct each_call *call)
{
    bool good;
    int flag;

    for (int i = 0; i < FAST + SLOW; ++i) {
        const int rc = each_run(p, call, &good);

        if (MPI_SUCCESS != rc) {
            return class_of(rc);
        }
        if (i >= FAST) {
            sleep_us(1000);
            mpi_check(MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
        }
    }
    return MPI_SUCCESS;
}

/* How many of AFTER calls, of all collectives in turn, are right. */
static int right_calls(MPI_Comm comm, enum mode mode)
{
    struct each_place p;
    int right = 0;

    each_enter(&p, comm, 1, SMALL);
    p.mode = mode;
    for (int i = 0; i < AFTER; ++i) {
        bool good;
        const int rc = each_run(&p, &each_calls[i % EACH_CALLS], &good);

        right += MPI_SUCCESS == rc && good;
    }
    each_leave(&p);
    return right;
}

/* What follows the error; returns the communicator of those who are left. */
static MPI_Comm recover(MPI_Comm comm, enum mode mode, struct outcome *outcome)
{
    MPI_Comm left;
    int flag = 1;

    mpi_check(MPIX_Comm_shrink(comm, &left), "MPIX_Comm_shrink");
    mpi_check(MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    outcome->agreed = MPI_SUCCESS == MPIX_Comm_agree(left, &flag) && 1 == flag;
    mpi_check(MPI_Comm_size(left, &outcome->ranks), "MPI_Comm_size");
    outcome->right = right_calls(left, mode);
    return left;
}

/* One case, on a duplicate of a communicator; returns the communicator of those who are left. */
static MPI_Comm interrupt(MPI_Comm from, int which, const struct deed *deed, int round,
                          struct outcome *outcome)
{
    const struct each_call *call = &each_calls[which];
    const unsigned long long ran = counted_runs(&counters[which]);
    struct each_place p;
    MPI_Comm comm, left;
    double begin;
    bool good = true;

    mpi_check(MPI_Comm_dup(from, &comm), "MPI_Comm_dup");
    mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    each_enter(&p, comm, which, deed->count);
    p.mode = deed->mode;
    for (int i = 0; i < BEFORE; ++i) {
        bool right;

        mpi_check(each_run(&p, call, &right), call->name);
        good = good && right;
    }
    outcome->ran = good && counted_runs(&counters[which]) > ran;
    /* who is late may hear in here of the death that follows */
    (void) MPI_Barrier(from);
    begin = MPI_Wtime();
    if (p.rank == 1 + (3 * which) % (p.size - 1)) {
        act(comm, deed, round);
    }
    outcome->error = call_on(&p, call);
    outcome->us = (MPI_Wtime() - begin) * 1e6;
    left = recover(comm, deed->mode, outcome);
    each_leave(&p);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    return left;
}

/* Whether a case went well on this rank; says what did not. */
static bool is_good(const struct outcome *outcome, const struct deed *deed, int rank, int size,
                    const char *name)
{
    const int error = deed->kills ? MPIX_ERR_PROC_FAILED : MPIX_ERR_REVOKED;
    const bool good = outcome->ran && error == outcome->error && outcome->agreed
                      && AFTER == outcome->right
                      && outcome->ranks == (deed->kills ? size - 1 : size);

    if (!good) {
        fprintf(stderr, "# rank %d: %s: %s, error class %d, %s, %d of %d calls right on %d ranks\n",
                rank, name, outcome->ran ? "ran before" : "did not run in napcoll before",
                outcome->error, outcome->agreed ? "agreed" : "did not agree", outcome->right, AFTER,
                outcome->ranks);
    }
    return good;
}

/* All rounds of a collective; *comm becomes the communicator of those who are left. Returns the
 * same on all. */
static bool do_collective(MPI_Comm *comm, int which, const struct deed *deed, int number)
{
    char name[FUNCTION_NAME];
    struct outcome outcome = {.error = MPI_SUCCESS};
    int rank, size, good = 1;

    mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    function_name(each_calls[which].name, deed->mode, name);
    for (int round = 0; round < deed->rounds; ++round) {
        MPI_Comm left;

        mpi_check(MPI_Comm_size(*comm, &size), "MPI_Comm_size");
        left = interrupt(*comm, which, deed, round, &outcome);
        good = good && is_good(&outcome, deed, rank, size, name);
        mpi_check(MPI_Comm_free(comm), "MPI_Comm_free");
        *comm = left;
    }
    mpi_check(MPIX_Comm_agree(*comm, &good), "MPIX_Comm_agree");
    if (0 == rank) {
        const char *how = deed->kills ? "kill" : "revoke",
                   *size_of = deed->large ? "large" : "small";

        printf("# | %-25s | %-6s | %-5s | %-11s | %6.1f ms | %2d of %2d ranks, %d calls right\n",
               name, how, size_of, MPIX_ERR_REVOKED == outcome.error ? "REVOKED" : "PROC_FAILED",
               outcome.us / 1e3, outcome.ranks, size, outcome.right);
        printf("%s %d - %s_%s_%s\n", good ? "ok" : "not ok", number, name, how, size_of);
        fflush(stdout);
    }
    return good;
}

static void leave(int number)
{
    (void) number;
    _exit(0);
}

/* One rank dies when the others wait in MPI_Finalize, in 5.0 for ever, in 6.0 now and then, without
 * napcoll as well: they end by themselves, long after they have said what napcoll tells. */
static int die_in_finalize(int rank)
{
    enum { VICTIM = 2, WAIT = 300 * 1000 * 1000, LONG_S = 20 };
    int one = 1, sum, size;

    mpi_check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    mpi_check(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    if (0 == rank) {
        printf("%s 1 - allreduce_before_the_death\n1..1\n", size == sum ? "ok" : "not ok");
        fflush(stdout);
    }
    if (VICTIM == rank) {
        (void) nanosleep(&(struct timespec){.tv_nsec = WAIT}, NULL);
        (void) raise(SIGKILL);
    }
    (void) signal(SIGALRM, leave);
    (void) alarm(LONG_S);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return size == sum ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *only;
    struct deed deed;
    int number = 0, failed = 0, rank;
    MPI_Comm comm;

    if (2 == argc && 0 == strcmp(argv[1], "--probe")) {
        return 0;
    }
    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    deed = (struct deed){.kills = 0 == strcmp(tap_option(argc, argv, "--how", "revoke"), "kill"),
                         .mode = mode_named(tap_option(argc, argv, "--mode", "blocking")),
                         .large = NULL != tap_option(argc, argv, "--count", NULL),
                         .count = (int) tap_option_number(argc, argv, "--count", SMALL),
                         .rounds = (int) tap_option_number(argc, argv, "--rounds", 1)};
    if (MODES == deed.mode) {
        fprintf(stderr, "# --mode: expected blocking, nonblocking or persistent\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    only = tap_option(argc, argv, "--only", NULL);
    if (0 == strcmp(tap_option(argc, argv, "--how", "revoke"), "finalize")) {
        mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
        return die_in_finalize(rank);
    }
    mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
    mpi_check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
              "MPI_Comm_set_errhandler");
    mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    for (int which = 0; which < EACH_CALLS; ++which) {
        char name[FUNCTION_NAME];

        function_name(each_calls[which].name, deed.mode, name);
        mpi_check(napcoll_counters_open(&counters[which], name), "MPI_T");
    }
    for (int which = 0; which < EACH_CALLS; ++which) {
        if (NULL == only || 0 == strcmp(only, each_calls[which].name)) {
            failed += !do_collective(&comm, which, &deed, ++number);
        }
    }
    if (0 == rank) {
        printf("1..%d\n", number);
        fflush(stdout);
    }
    if (deed.kills) {
        /* after several deaths 5.0.7 mostly hangs in MPI_Finalize, without napcoll as well */
        (void) MPI_Barrier(comm);
        _exit(0 == failed ? 0 : 1);
    }
    for (int which = 0; which < EACH_CALLS; ++which) {
        mpi_check(napcoll_counters_close(&counters[which]), "MPI_T");
    }
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return 0 == failed ? 0 : 1;
}

#else

int main(void)
{
    printf("this Open MPI has no user-level failure mitigation\n");
    return 77;
}

#endif
