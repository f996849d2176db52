/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of uneven calls as auto does them: what napcoll counts, and how many of them send all blocks
 * straight to their ranks, because nobody needed the rounds in the calls before
 * (select/napcoll_uneven.h).
 *
 *     uneven [--nodes 1]
 *
 * --nodes 1: nobody hears of sizes there, and napcoll tries some, one of which is too large for
 * node memory.
 */
#include "counters.h"
#include "modes.h"

enum { CALLS = 40, STARTS = 3, LITTLE = 8, MUCH = 200000, MOST_RANKS = 16 };

enum shape { EMPTY, TO_ONE, RING, DENSE, LARGE, LEAPS, RING_LEAPS, ONE_LEAPS, LONE, SPIKE, EVEN };

struct row {
    const char *what;
    const char *coll;
    enum shape shape;
    /* NULL: auto */
    const char *algorithm;
    /* Of counters.h */
    const char *words;
    /* Calls by linear */
    unsigned straight;
};

/* Of 40 calls in rounds that nobody needs the first 4 and call 21 are in rounds. */
enum { IDLE = CALLS - 5 };

static const struct row rows[] = {
    {"alltoallw_without_blocks", "alltoallw", EMPTY, NULL, "runs", IDLE},
    {"alltoallw_to_one_rank", "alltoallw", TO_ONE, NULL, "runs", IDLE},
    {"alltoallw_in_a_ring", "alltoallw", RING, NULL, "runs", IDLE},
    {"alltoallw_of_all_blocks", "alltoallw", DENSE, NULL, "runs", 0},
    {"alltoallw_as_users_ask", "alltoallw", DENSE, "tuna", "runs:tuna", 0},
    {"alltoallv_without_blocks", "alltoallv", EMPTY, NULL, "runs", IDLE},
    {"alltoallv_in_a_ring", "alltoallv", RING, NULL, "runs", IDLE},
    {"alltoallv_of_leaping_rings", "alltoallv", RING_LEAPS, NULL, "runs", IDLE},
    {"alltoallv_of_large_blocks", "alltoallv", LARGE, NULL, "runs", IDLE},
    {"alltoallv_of_leaping_blocks", "alltoallv", LEAPS, NULL, "runs", 0},
    {"alltoallv_of_one_leaping_rank", "alltoallv", ONE_LEAPS, NULL, "runs", 0},
    {"alltoallv_of_small_blocks", "alltoallv", EVEN, NULL, "runs", 0},
    {"gatherv_of_one_block", "gatherv", LONE, NULL, "runs:two_level", 0},
    {"gatherv_of_no_block", "gatherv", EMPTY, NULL, "runs:two_level", 0},
    {"gatherv_with_one_large_block", "gatherv", SPIKE, NULL, "runs:two_level", 0},
    {"gatherv_of_small_blocks", "gatherv", EVEN, NULL, "runs:two_level", 0},
    {"scatterv_of_one_block", "scatterv", LONE, NULL, "runs", IDLE},
    {"scatterv_with_one_large_block", "scatterv", SPIKE, NULL, "runs:binomial", 0},
    {"scatterv_of_small_blocks", "scatterv", EVEN, NULL, "runs:binomial", 0},
};

/* The bytes that one rank has for another in a call; of a gatherv or scatterv the root is 0. */
static int given(enum shape shape, int from, int to, int size, int i)
{
    const int other = 0 == from ? to : from;

    switch (shape) {
    case TO_ONE:
        return 0 == to ? LITTLE : 0;
    case RING:
        return (from + 1) % size == to ? LITTLE : 0;
    case RING_LEAPS:
        if ((from + 1) % size != to) {
            return 0;
        }
        return 1 == i % 2 ? MUCH : LITTLE;
    case LARGE:
        return MUCH;
    case LEAPS:
        return 1 == i % 2 ? MUCH : LITTLE;
    case ONE_LEAPS:
        return 3 == from && 1 == i % 2 ? MUCH : LITTLE;
    case LONE:
        return 5 == other ? LITTLE : 0;
    case SPIKE:
        return 5 == other ? MUCH : LITTLE;
    default:
        return EMPTY == shape ? 0 : LITTLE;
    }
}

struct side {
    unsigned char *data;
    int counts[MOST_RANKS], at[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
};

static unsigned char byte_of(int from, int to, int i)
{
    return (unsigned char) (31 * from + 7 * to + i);
}

/* The blocks of a rank's side of a call, as they should be. */
static void make_side(struct side *s, const struct row *row, bool sends, int rank, int size, int i)
{
    int bytes = 0;

    for (int r = 0; r < size; ++r) {
        s->counts[r] = sends ? given(row->shape, rank, r, size, i)
                             : given(row->shape, r, rank, size, i);
        s->at[r] = bytes;
        s->types[r] = MPI_BYTE;
        bytes += s->counts[r];
    }
    s->data = tap_alloc((size_t) bytes);
    for (int r = 0; r < size; ++r) {
        memset(s->data + s->at[r], sends ? byte_of(rank, r, i) : byte_of(r, rank, i),
               (size_t) s->counts[r]);
    }
}

static int call(const struct row *row, const struct side *send, const struct side *recv, void *data,
                int rank, MPI_Comm comm)
{
    if (0 == strcmp(row->coll, "alltoallw")) {
        return MPI_Alltoallw(send->data, send->counts, send->at, send->types, data, recv->counts,
                             recv->at, recv->types, comm);
    }
    if (0 == strcmp(row->coll, "alltoallv")) {
        return MPI_Alltoallv(send->data, send->counts, send->at, MPI_BYTE, data, recv->counts,
                             recv->at, MPI_BYTE, comm);
    }
    if (0 == strcmp(row->coll, "gatherv")) {
        return MPI_Gatherv(send->data, send->counts[0], MPI_BYTE, data, recv->counts, recv->at,
                           MPI_BYTE, 0, comm);
    }
    return MPI_Scatterv(send->data, send->counts, send->at, MPI_BYTE, (char *) data + recv->at[0],
                        recv->counts[0], MPI_BYTE, 0, comm);
}

/* A call of a row; whether this rank got what is due. Of a gatherv the root alone gets something,
 * of a scatterv all do from the root. */
static bool runs(const struct row *row, int i, const struct tap *tap, MPI_Comm comm)
{
    const bool gather = 0 == strcmp(row->coll, "gatherv"),
               scatter = 0 == strcmp(row->coll, "scatterv");
    struct side send, recv;
    unsigned char *data;
    bool good;
    int bytes;

    make_side(&send, row, true, tap->rank, tap->size, i);
    make_side(&recv, row, false, tap->rank, tap->size, i);
    bytes = scatter ? recv.counts[0] : recv.at[tap->size - 1] + recv.counts[tap->size - 1];
    data = tap_alloc((size_t) (recv.at[tap->size - 1] + recv.counts[tap->size - 1]));
    good = MPI_SUCCESS == call(row, &send, &recv, data, tap->rank, comm);
    good = good
           && ((gather && tap->rank > 0) || 0 == bytes
               || 0 == memcmp(data, recv.data, (size_t) bytes));
    free(data);
    free(send.data);
    free(recv.data);
    return good;
}

static void check(struct tap *tap, const struct row *row)
{
    struct napcoll_counters calls = {.num = 0};
    struct expectation expectation;
    unsigned long long straight, ran;
    bool good = true;
    char key[64];
    MPI_Comm comm;

    snprintf(key, sizeof(key), "napcoll_%s_algorithm", row->coll);
    comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL == row->algorithm ? NULL : key, row->algorithm);
    mpi_check(napcoll_counters_open(&calls, row->coll), "MPI_T_init_thread");
    expect_begin(&expectation, &calls);
    ran = counted(&calls);
    straight = counted_as(&calls, "linear");
    for (int i = 0; i < CALLS; ++i) {
        good = runs(row, i, tap, comm) && good;
    }
    ran = counted(&calls) - ran;
    straight = counted_as(&calls, "linear") - straight;
    tap_ok(tap, good, "%s_bring_their_bytes", row->what);
    tap_ok(tap, expect_met(tap, &expectation, row->words) && CALLS == ran, "%s_are_counted_as_%s",
           row->what, row->words);
    if (straight != row->straight) {
        tap_note(tap, "%llu of %llu calls are straight", straight, ran);
    }
    tap_ok(tap, straight == row->straight, "%s_go_straight_%u_times", row->what, row->straight);
    mpi_check(napcoll_counters_close(&calls), "MPI_T_finalize");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* ---- one node ---- */

/* Calls of small blocks on one node are napcoll's, except for those that try a large size. */
static void check_one_node(struct tap *tap, const char *coll)
{
    enum { FIRST = 12, TRIES = 4 };
    const struct row row = {.coll = coll, .shape = EVEN};
    struct napcoll_counters calls = {.num = 0};
    MPI_Comm comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    unsigned long long ran = 0;
    bool good = true;

    mpi_check(napcoll_counters_open(&calls, coll), "MPI_T_init_thread");
    for (int i = 0; i < FIRST + CALLS; ++i) {
        /* node memory comes after a few calls */
        ran = FIRST == i ? counted_runs(&calls) : ran;
        good = runs(&row, i, tap, comm) && good;
    }
    ran = counted_runs(&calls) - ran;
    tap_ok(tap, good, "%s_brings_its_bytes_on_one_node", coll);
    if (ran < CALLS - TRIES) {
        tap_note(tap, "napcoll ran %llu of %d calls", ran, CALLS);
    }
    tap_ok(tap, ran >= CALLS - TRIES, "%s_is_served_on_one_node", coll);
    mpi_check(napcoll_counters_close(&calls), "MPI_T_finalize");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* ---- persistent calls ---- */

struct persistent {
    struct side send, recv;
    unsigned char *data;
    size_t bytes;
    MPI_Request request;
};

static void persistent_open(struct persistent *p, enum shape shape, int i, const struct tap *tap,
                            MPI_Comm comm)
{
    const struct row row = {.shape = shape};

    make_side(&p->send, &row, true, tap->rank, tap->size, i);
    make_side(&p->recv, &row, false, tap->rank, tap->size, i);
    p->bytes = (size_t) (p->recv.at[tap->size - 1] + p->recv.counts[tap->size - 1]);
    p->data = tap_alloc(p->bytes);
    mpi_check(MAKE(PERSISTENT, &p->request, Alltoallv, alltoallv, p->send.data, p->send.counts,
                   p->send.at, MPI_BYTE, p->data, p->recv.counts, p->recv.at, MPI_BYTE, comm),
              "MPI_Alltoallv_init");
}

static void persistent_close(struct persistent *p)
{
    mpi_check(MPI_Request_free(&p->request), "MPI_Request_free");
    free(p->data);
    free(p->recv.data);
    free(p->send.data);
}

/* Start two, in an order of each rank's own; whether both bring their bytes. */
static bool both_run(struct persistent both[2], int rank)
{
    MPI_Request in_turn[] = {both[rank % 2].request, both[1 - rank % 2].request};
    bool good = true;

    for (int k = 0; k < 2; ++k) {
        memset(both[k].data, 0, both[k].bytes);
    }
    mpi_check(MPI_Startall(2, in_turn), "MPI_Startall");
    mpi_check(MPI_Waitall(2, in_turn, MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (int k = 0; k < 2; ++k) {
        good = good && 0 == memcmp(both[k].data, both[k].recv.data, both[k].bytes);
    }
    return good;
}

/* The first start tells which blocks there are, and the later ones are decided for these: whether
 * all blocks go straight to their ranks then. */
static void check_persistent(struct tap *tap, const char *what, enum shape shape, bool straight)
{
    struct napcoll_counters calls = {.num = 0};
    MPI_Comm comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    struct persistent both[2];
    bool good = true, counted_well = true;

    mpi_check(napcoll_counters_open(&calls, "alltoallv_init"), "MPI_T_init_thread");
    for (int k = 0; k < 2; ++k) {
        persistent_open(&both[k], shape, k, tap, comm);
    }
    for (int i = 0; i < STARTS; ++i) {
        const unsigned long long linear = counted_as(&calls, "linear"), runs = counted_runs(&calls);

        good = both_run(both, tap->rank) && good;
        counted_well = counted_well && counted_runs(&calls) - runs == 2
                       && counted_as(&calls, "linear") - linear == (i > 0 && straight ? 2 : 0);
    }
    for (int k = 0; k < 2; ++k) {
        persistent_close(&both[k]);
    }
    tap_ok(tap, good, "persistent_calls_%s_bring_their_bytes", what);
    tap_ok(tap, counted_well, "persistent_calls_%s_learn_from_their_first_start", what);
    mpi_check(napcoll_counters_close(&calls), "MPI_T_finalize");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* ---- nonblocking calls of a collective that mostly has few blocks ---- */

/* Some MPI_Ialltoallw of small blocks; how many of them went straight. */
static unsigned long long start_alltoallw(struct tap *tap, struct napcoll_counters *calls,
                                          MPI_Comm comm, bool *good)
{
    const struct row row = {.shape = EVEN};
    const unsigned long long before = counted_as(calls, "linear");

    for (int i = 0; i < STARTS; ++i) {
        struct side send, recv;
        MPI_Request request;
        unsigned char *data;
        size_t bytes;

        make_side(&send, &row, true, tap->rank, tap->size, i);
        make_side(&recv, &row, false, tap->rank, tap->size, i);
        bytes = (size_t) (recv.at[tap->size - 1] + recv.counts[tap->size - 1]);
        data = tap_alloc(bytes);
        mpi_check(MPI_Ialltoallw(send.data, send.counts, send.at, send.types, data, recv.counts,
                                 recv.at, recv.types, comm, &request),
                  "MPI_Ialltoallw");
        mpi_check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        *good = *good && 0 == memcmp(data, recv.data, bytes);
        free(data);
        free(recv.data);
        free(send.data);
    }
    return counted_as(calls, "linear") - before;
}

static void check_ialltoallw(struct tap *tap)
{
    const struct row few = {.coll = "alltoallw", .shape = RING};
    const struct row many = {.coll = "alltoallw", .shape = EVEN};
    struct napcoll_counters calls = {.num = 0};
    MPI_Comm comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    unsigned long long untold, told_of_few, told_of_many;
    bool good = true;

    mpi_check(napcoll_counters_open(&calls, "ialltoallw"), "MPI_T_init_thread");
    untold = start_alltoallw(tap, &calls, comm, &good);
    good = runs(&few, 0, tap, comm) && good;
    told_of_few = start_alltoallw(tap, &calls, comm, &good);
    good = runs(&many, 0, tap, comm) && good;
    told_of_many = start_alltoallw(tap, &calls, comm, &good);
    tap_ok(tap, good, "nonblocking_alltoallw_brings_its_bytes");
    tap_ok(tap, STARTS == untold, "nonblocking_alltoallw_goes_straight_before_a_blocking_one");
    tap_ok(tap, STARTS == told_of_few, "nonblocking_alltoallw_goes_straight_after_few_blocks");
    tap_ok(tap, 0 == told_of_many, "nonblocking_alltoallw_goes_in_rounds_after_many_blocks");
    mpi_check(napcoll_counters_close(&calls), "MPI_T_finalize");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

int main(int argc, char **argv)
{
    struct tap tap;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    if (1 == tap_option_number(argc, argv, "--nodes", 2)) {
        check_one_node(&tap, "alltoallv");
        check_one_node(&tap, "alltoallw");
        check_one_node(&tap, "scatterv");
        status = tap_close(&tap);
        mpi_check(MPI_Finalize(), "MPI_Finalize");
        return status;
    }
    tap_ok(&tap, 8 == tap.size, "eight_ranks");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && tap.size <= MOST_RANKS; ++i) {
        check(&tap, &rows[i]);
    }
    check_ialltoallw(&tap);
    if (NAPCOLL_HAVE_PERSISTENT) {
        check_persistent(&tap, "with_large_blocks", LARGE, true);
        check_persistent(&tap, "in_a_ring", RING, true);
        check_persistent(&tap, "with_small_blocks", EVEN, false);
    }
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
