/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that are counted: how many of which collective and size is on the command line, so that the
 * suite can compare napcoll's log and summary with it. All on one communicator; their results are
 * checked.
 *
 *     watched [run] COLL:BYTES:TIMES...
 *
 * BYTES are of the vector, or of each rank's block. Roots take turns, from rank 0 on. After
 * the calls of each word the performance variables are to have its bytes for each of the runs that
 * they have; behind the word run all calls are to be such.
 */
#include "counters.h"

/* One word of the command line. */
struct calls {
    char coll[64];
    int bytes, times;
};

struct buffers {
    MPI_Comm comm;
    int rank, size, bytes;
    /* A block for each rank, or a vector in the first */
    unsigned char *send, *recv;
    int *counts, *displs;
};

/* Element i of the block that rank `from` has for rank `to`, in some call. */
static unsigned char element(int from, int to, int i, int time)
{
    return (unsigned char) (from * 7 + to * 31 + i * 3 + time);
}

/* The vector of the first that many ranks, reduced; the block for rank `to`. */
static unsigned char reduced(int ranks, int to, int i, int time)
{
    unsigned char all = 0;

    for (int from = 0; from < ranks; ++from) {
        all ^= element(from, to, i, time);
    }
    return all;
}

static void fill(const struct buffers *b, int time)
{
    for (int to = 0; to < b->size; ++to) {
        for (int i = 0; i < b->bytes; ++i) {
            b->send[to * b->bytes + i] = element(b->rank, to, i, time);
        }
    }
    memset(b->recv, 0, (size_t) b->size * (size_t) b->bytes);
}

/* Whether the first block received is the reduction of that many ranks' blocks for rank `to`. */
static bool is_reduced(const struct buffers *b, int ranks, int to, int time)
{
    for (int i = 0; i < b->bytes; ++i) {
        if (b->recv[i] != reduced(ranks, to, i, time)) {
            return false;
        }
    }
    return true;
}

/* Whether block `at` received is the one that `from` has for `to`. */
static bool is_block(const struct buffers *b, int at, int from, int to, int time)
{
    for (int i = 0; i < b->bytes; ++i) {
        if (b->recv[at * b->bytes + i] != element(from, to, i, time)) {
            return false;
        }
    }
    return true;
}

/* Whether the blocks received are what each rank has for `to`. */
static bool are_blocks(const struct buffers *b, int to, int time)
{
    bool good = true;

    for (int from = 0; from < b->size; ++from) {
        good = good && is_block(b, from, from, to, time);
    }
    return good;
}

static bool do_allreduce(const struct buffers *b, int time)
{
    mpi_check(MPI_Allreduce(b->send, b->recv, b->bytes, MPI_BYTE, MPI_BXOR, b->comm),
              "MPI_Allreduce");
    return is_reduced(b, b->size, 0, time);
}

static bool do_reduce(const struct buffers *b, int time)
{
    const int root = time % b->size;

    mpi_check(MPI_Reduce(b->send, b->recv, b->bytes, MPI_BYTE, MPI_BXOR, root, b->comm),
              "MPI_Reduce");
    return b->rank != root || is_reduced(b, b->size, 0, time);
}

static bool do_scan(const struct buffers *b, int time)
{
    mpi_check(MPI_Scan(b->send, b->recv, b->bytes, MPI_BYTE, MPI_BXOR, b->comm), "MPI_Scan");
    return is_reduced(b, b->rank + 1, 0, time);
}

static bool do_reduce_scatter_block(const struct buffers *b, int time)
{
    mpi_check(MPI_Reduce_scatter_block(b->send, b->recv, b->bytes, MPI_BYTE, MPI_BXOR, b->comm),
              "MPI_Reduce_scatter_block");
    return is_reduced(b, b->size, b->rank, time);
}

static bool do_barrier(const struct buffers *b, int time)
{
    (void) time;
    mpi_check(MPI_Barrier(b->comm), "MPI_Barrier");
    return true;
}

static bool do_bcast(const struct buffers *b, int time)
{
    const int root = time % b->size;

    if (b->rank == root) {
        memcpy(b->recv, b->send, (size_t) b->bytes);
    }
    mpi_check(MPI_Bcast(b->recv, b->bytes, MPI_BYTE, root, b->comm), "MPI_Bcast");
    return is_block(b, 0, root, 0, time);
}

static bool do_allgather(const struct buffers *b, int time)
{
    mpi_check(MPI_Allgather(b->send, b->bytes, MPI_BYTE, b->recv, b->bytes, MPI_BYTE, b->comm),
              "MPI_Allgather");
    return are_blocks(b, 0, time);
}

static bool do_alltoall(const struct buffers *b, int time)
{
    mpi_check(MPI_Alltoall(b->send, b->bytes, MPI_BYTE, b->recv, b->bytes, MPI_BYTE, b->comm),
              "MPI_Alltoall");
    return are_blocks(b, b->rank, time);
}

static bool do_alltoallv(const struct buffers *b, int time)
{
    mpi_check(MPI_Alltoallv(b->send, b->counts, b->displs, MPI_BYTE, b->recv, b->counts, b->displs,
                            MPI_BYTE, b->comm),
              "MPI_Alltoallv");
    return are_blocks(b, b->rank, time);
}

static bool do_gather(const struct buffers *b, int time)
{
    const int root = time % b->size;

    mpi_check(MPI_Gather(b->send, b->bytes, MPI_BYTE, b->recv, b->bytes, MPI_BYTE, root, b->comm),
              "MPI_Gather");
    return b->rank != root || are_blocks(b, 0, time);
}

static bool do_scatter(const struct buffers *b, int time)
{
    const int root = time % b->size;

    mpi_check(MPI_Scatter(b->send, b->bytes, MPI_BYTE, b->recv, b->bytes, MPI_BYTE, root, b->comm),
              "MPI_Scatter");
    return is_block(b, 0, root, b->rank, time);
}

static bool do_gatherv(const struct buffers *b, int time)
{
    const int root = time % b->size;

    mpi_check(MPI_Gatherv(b->send, b->bytes, MPI_BYTE, b->recv, b->counts, b->displs, MPI_BYTE,
                          root, b->comm),
              "MPI_Gatherv");
    return b->rank != root || are_blocks(b, 0, time);
}

static bool do_scatterv(const struct buffers *b, int time)
{
    const int root = time % b->size;

    mpi_check(MPI_Scatterv(b->send, b->counts, b->displs, MPI_BYTE, b->recv, b->bytes, MPI_BYTE,
                           root, b->comm),
              "MPI_Scatterv");
    return is_block(b, 0, root, b->rank, time);
}

static const struct {
    const char *coll;
    bool (*call)(const struct buffers *b, int time);
} known[] = {{"allgather", do_allgather}, {"allreduce", do_allreduce},
             {"alltoall", do_alltoall},   {"alltoallv", do_alltoallv},
             {"barrier", do_barrier},     {"bcast", do_bcast},
             {"gather", do_gather},       {"gatherv", do_gatherv},
             {"reduce", do_reduce},       {"reduce_scatter_block", do_reduce_scatter_block},
             {"scan", do_scan},           {"scatter", do_scatter},
             {"scatterv", do_scatterv}};

/* The calls of a word, and their place in `known`. */
static size_t read_word(const char *word, struct calls *calls)
{
    if (3 == sscanf(word, "%63[a-z_]:%d:%d", calls->coll, &calls->bytes, &calls->times)
        && calls->bytes >= 0 && calls->times > 0) {
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
            if (0 == strcmp(calls->coll, known[i].coll)) {
                return i;
            }
        }
    }
    fprintf(stderr, "# %s: expected COLL:BYTES:TIMES of a collective that this program knows\n",
            word);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 0;
}

static void open_buffers(struct buffers *b, MPI_Comm comm, int bytes)
{
    b->comm = comm;
    b->bytes = bytes;
    mpi_check(MPI_Comm_rank(comm, &b->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &b->size), "MPI_Comm_size");
    b->send = tap_alloc((size_t) b->size * (size_t) bytes);
    b->recv = tap_alloc((size_t) b->size * (size_t) bytes);
    b->counts = tap_alloc((size_t) b->size * sizeof(int));
    b->displs = tap_alloc((size_t) b->size * sizeof(int));
    for (int rank = 0; rank < b->size; ++rank) {
        b->counts[rank] = bytes;
        b->displs[rank] = rank * bytes;
    }
}

static void close_buffers(struct buffers *b)
{
    free(b->send);
    free(b->recv);
    free(b->counts);
    free(b->displs);
}

/* The variables coll_napcoll_runs_COLL_... and behind them coll_napcoll_bytes_COLL_.... */
static void open_variables(struct napcoll_counters *c, const char *coll)
{
    memset(c, 0, sizeof(*c));
    mpi_check(napcoll_counters_init(), "MPI_T_init_thread");
    mpi_check(MPI_T_pvar_session_create(&c->session), "MPI_T_pvar_session_create");
    mpi_check(napcoll_counters_scan(c, "coll_napcoll_runs_", coll), "MPI_T_pvar_handle_alloc");
    c->num_runs = c->num;
    mpi_check(napcoll_counters_scan(c, "coll_napcoll_bytes_", coll), "MPI_T_pvar_handle_alloc");
}

/* Whether there was a run of each call that was not left, if that many were, with its bytes by the
 * same algorithm. */
static bool are_counted(struct tap *tap, struct napcoll_counters *c, const struct calls *calls,
                        bool all_run)
{
    unsigned long long value[NAPCOLL_COUNTERS_MAX], runs = 0;
    bool good = c->num_runs > 0 && c->num == 2 * c->num_runs;

    mpi_check(napcoll_counters_read(c, value), "MPI_T_pvar_read");
    for (int i = 0; i < c->num_runs; ++i) {
        const unsigned long long bytes = value[c->num_runs + i];

        runs += value[i];
        if (bytes != value[i] * (unsigned) calls->bytes) {
            tap_note(tap, "%s: %llu runs, %llu bytes", c->name[i], value[i], bytes);
            good = false;
        }
    }
    if (all_run && runs != (unsigned) calls->times) {
        tap_note(tap, "%llu runs", runs);
        good = false;
    }
    return good;
}

static void run_calls(struct tap *tap, MPI_Comm comm, const char *word, bool all_run)
{
    static struct napcoll_counters counters;
    struct calls calls;
    const size_t which = read_word(word, &calls);
    struct buffers b;
    bool good = true;

    open_variables(&counters, calls.coll);
    open_buffers(&b, comm, calls.bytes);
    for (int time = 0; time < calls.times; ++time) {
        fill(&b, time);
        good = known[which].call(&b, time) && good;
    }
    close_buffers(&b);
    tap_ok(tap, good, "%s_of_%d_bytes_is_right", calls.coll, calls.bytes);
    good = are_counted(tap, &counters, &calls, all_run);
    tap_ok(tap, good, "%s_of_%d_bytes_counts_them", calls.coll, calls.bytes);
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
}

/* Whether there are variables for the reasons that a collective's calls can have, and no others. */
static void check_reasons(struct tap *tap)
{
    static const struct {
        const char *coll;
        const char *reason;
        bool exists;
    } expected[] = {{"barrier", "jobs", true},
                    {"barrier", "noncommutative", false},
                    {"allreduce", "memory", false},
                    {"allreduce", "noncommutative", true},
                    {"alltoall", "memory", true},
                    {"alltoallw", "memory", true},
                    {"alltoallv", "reproducible", false},
                    {"scan", "placement", true},
                    {"bcast", "reproducible", false},
                    {"reduce", "reproducible", true}};
    static struct napcoll_counters counters;
    bool good = true;

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        bool found = false;

        memset(&counters, 0, sizeof(counters));
        mpi_check(napcoll_counters_open(&counters, expected[i].coll), "MPI_T_pvar_handle_alloc");
        for (int c = counters.num_runs; c < counters.num; ++c) {
            found = found || 0 == strcmp(expected[i].reason, counters.name[c]);
        }
        if (found != expected[i].exists) {
            tap_note(tap, "fallbacks_%s_%s: %s", expected[i].coll, expected[i].reason,
                     found ? "exists" : "does not exist");
            good = false;
        }
        mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    }
    tap_ok(tap, good, "fallback_variables_are_of_reasons_that_calls_can_have");
}

int main(int argc, char **argv)
{
    struct tap tap;
    MPI_Comm comm;
    const bool all_run = argc > 1 && 0 == strcmp(argv[1], "run");
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    check_reasons(&tap);
    for (int i = all_run ? 2 : 1; i < argc; ++i) {
        run_calls(&tap, comm, argv[i], all_run);
    }
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
