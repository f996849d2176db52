/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of exact sizes, for the byte bounds of rules: each gives its result, and is done by what is
 * expected.
 *
 *     rules COLL,BYTES,WORDS...
 *
 * COLL: allreduce, iallreduce, alltoallv, gatherv or scatterv. BYTES: of the vector; or of each
 * block, but that a few of the latter two's are smaller. WORDS: see counters.h. The calls follow
 * each other on one communicator.
 */
#include "counters.h"

enum { BYTES_MAX = 1 << 20 };

static unsigned char byte_of(int from, int to, int i)
{
    return (unsigned char) (31 * from + 7 * to + i);
}

/* Wait for a call that was started without an error. */
static int complete(MPI_Request *request, int rc)
{
    return MPI_SUCCESS == rc ? MPI_Wait(request, MPI_STATUS_IGNORE) : rc;
}

static bool reduces_all(MPI_Comm comm, int rank, int size, int bytes, bool blocking)
{
    MPI_Request request;
    unsigned char *send = tap_alloc((size_t) bytes), *recv = tap_alloc((size_t) bytes);
    bool good = true;

    for (int i = 0; i < bytes; ++i) {
        send[i] = byte_of(rank, 0, i);
    }
    mpi_check(blocking ? MPI_Allreduce(send, recv, bytes, MPI_BYTE, MPI_BXOR, comm)
                       : complete(&request, MPI_Iallreduce(send, recv, bytes, MPI_BYTE, MPI_BXOR,
                                                           comm, &request)),
              "an allreduce");
    for (int i = 0; i < bytes; ++i) {
        unsigned char expected = 0;

        for (int r = 0; r < size; ++r) {
            expected ^= byte_of(r, 0, i);
        }
        good = good && expected == recv[i];
    }
    free(send);
    free(recv);
    return good;
}

static bool allreduce(MPI_Comm comm, int rank, int size, int bytes)
{
    return reduces_all(comm, rank, size, bytes, true);
}

static bool iallreduce(MPI_Comm comm, int rank, int size, int bytes)
{
    return reduces_all(comm, rank, size, bytes, false);
}

static bool alltoallv(MPI_Comm comm, int rank, int size, int bytes)
{
    const size_t all = (size_t) size * (size_t) bytes;
    unsigned char *send = tap_alloc(all), *recv = tap_alloc(all);
    int *counts = tap_alloc((size_t) size * sizeof(*counts));
    int *displs = tap_alloc((size_t) size * sizeof(*displs));
    bool good = true;

    for (int r = 0; r < size; ++r) {
        counts[r] = bytes;
        displs[r] = r * bytes;
        for (int i = 0; i < bytes; ++i) {
            send[r * bytes + i] = byte_of(rank, r, i);
        }
    }
    mpi_check(MPI_Alltoallv(send, counts, displs, MPI_BYTE, recv, counts, displs, MPI_BYTE, comm),
              "MPI_Alltoallv");
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < bytes; ++i) {
            good = good && byte_of(r, rank, i) == recv[r * bytes + i];
        }
    }
    free(send);
    free(recv);
    free(counts);
    free(displs);
    return good;
}

/* The root's buffer of all blocks, of which every third is one byte smaller. */
struct blocks {
    unsigned char *all;
    int *counts, *displs;
};

static struct blocks blocks_open(int size, int bytes)
{
    struct blocks b = {.all = tap_alloc((size_t) size * (size_t) bytes),
                       .counts = tap_alloc((size_t) size * sizeof(int)),
                       .displs = tap_alloc((size_t) size * sizeof(int))};

    for (int r = 0; r < size; ++r) {
        b.counts[r] = bytes - (2 == r % 3);
        b.displs[r] = r * bytes;
    }
    return b;
}

static void blocks_close(struct blocks *b)
{
    free(b->all);
    free(b->counts);
    free(b->displs);
}

static void fill_block(unsigned char *block, int rank, int bytes)
{
    for (int i = 0; i < bytes; ++i) {
        block[i] = byte_of(rank, 0, i);
    }
}

static bool is_block(const unsigned char *block, int rank, int bytes)
{
    bool good = true;

    for (int i = 0; i < bytes; ++i) {
        good = good && byte_of(rank, 0, i) == block[i];
    }
    return good;
}

static bool gatherv(MPI_Comm comm, int rank, int size, int bytes)
{
    struct blocks b = blocks_open(size, bytes);
    unsigned char *own = tap_alloc((size_t) bytes);
    bool good = true;

    fill_block(own, rank, b.counts[rank]);
    mpi_check(
        MPI_Gatherv(own, b.counts[rank], MPI_BYTE, b.all, b.counts, b.displs, MPI_BYTE, 0, comm),
        "MPI_Gatherv");
    for (int r = 0; r < size && 0 == rank; ++r) {
        good = is_block(b.all + b.displs[r], r, b.counts[r]) && good;
    }
    free(own);
    blocks_close(&b);
    return good;
}

static bool scatterv(MPI_Comm comm, int rank, int size, int bytes)
{
    struct blocks b = blocks_open(size, bytes);
    unsigned char *own = tap_alloc((size_t) bytes);
    bool good;

    for (int r = 0; r < size && 0 == rank; ++r) {
        fill_block(b.all + b.displs[r], r, b.counts[r]);
    }
    mpi_check(
        MPI_Scatterv(b.all, b.counts, b.displs, MPI_BYTE, own, b.counts[rank], MPI_BYTE, 0, comm),
        "MPI_Scatterv");
    good = is_block(own, rank, b.counts[rank]);
    free(own);
    blocks_close(&b);
    return good;
}

static const struct {
    const char *name;
    bool (*run)(MPI_Comm comm, int rank, int size, int bytes);
} known[] = {{"allreduce", allreduce},
             {"iallreduce", iallreduce},
             {"alltoallv", alltoallv},
             {"gatherv", gatherv},
             {"scatterv", scatterv}};

/* One call; `text` is COLL,BYTES,WORDS. */
static void run_call(struct tap *tap, MPI_Comm comm, const char *text)
{
    static struct napcoll_counters counters;
    struct expectation expectation;
    char name[32] = "", words[64] = "";
    int bytes = -1;
    size_t c = 0;

    if (3 == sscanf(text, "%31[a-z],%d,%63s", name, &bytes, words)) {
        while (c < sizeof(known) / sizeof(known[0]) && 0 != strcmp(name, known[c].name)) {
            ++c;
        }
    }
    if (bytes < 1 || bytes > BYTES_MAX || c == sizeof(known) / sizeof(known[0])
        || !expect_valid(words)) {
        fprintf(stderr, "# %s: expected COLL,BYTES,WORDS\n", text);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    memset(&counters, 0, sizeof(counters));
    mpi_check(napcoll_counters_open(&counters, name), "MPI_T_init_thread");
    expect_begin(&expectation, &counters);
    tap_ok(tap, known[c].run(comm, tap->rank, tap->size, bytes), "%s_of_%d_bytes_is_right", name,
           bytes);
    tap_ok(tap, expect_met(tap, &expectation, words), "%s_of_%d_bytes_%s", name, bytes, words);
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
}

int main(int argc, char **argv)
{
    struct tap tap;
    MPI_Comm comm;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    for (int i = 1; i < argc; ++i) {
        run_call(&tap, comm, argv[i]);
    }
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
