/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls every collective of MPI-3.1, blocking, nonblocking and persistent (before 5.0 an extension
 * of Open MPI's), on communicators of every kind, and checks the data. A component list that leaves
 * a hole anywhere fails here, at the latest in MPI_Init.
 *
 * On an intercommunicator the two sides are the even and the odd ranks; what one side sends the
 * other receives, and roots are on the even side.
 */
#include "neighbour_calls.h"

/* Roles in operations with a root. With two groups the root's group mates only look on. */
static bool is_root(const struct place *p)
{
    return 0 == p->side && p->rank == p->root;
}

static bool is_leaf(const struct place *p)
{
    return p->inter ? 1 == p->side : true;
}

static int root_argument(const struct place *p)
{
    if (!p->inter || 1 == p->side) {
        return p->root;
    }
    return is_root(p) ? MPI_ROOT : MPI_PROC_NULL;
}

/* Uneven pieces with gaps: piece i has i % BLOCK + 1 elements, STRIDE apart. */
static void lay_out(int *counts, int *displs, int num)
{
    for (int i = 0; i < num; ++i) {
        counts[i] = i % BLOCK + 1;
        displs[i] = i * STRIDE;
    }
}

/* num pieces of what peer `from`(i) has for me; elements behind counts[i] untouched. */
static bool pieces_match(const struct place *p, int stride, const int *counts, int to)
{
    for (int i = 0; i < p->peers; ++i) {
        for (int j = 0; j < stride; ++j) {
            int count = NULL == counts ? stride : counts[i];
            int expected = j < count ? value(p->other, i, to, j) : UNTOUCHED;

            if (p->recv[i * stride + j] != expected) {
                return false;
            }
        }
    }
    return true;
}

/* Sum over the first `ranks` ranks of a side of what each has for `to`, element i. */
static int sum_of(int side, int ranks, int to, int i)
{
    int sum = 0;

    for (int r = 0; r < ranks; ++r) {
        sum += value(side, r, to, i);
    }
    return sum;
}

static bool sums_match(const struct place *p, int num, int ranks)
{
    for (int i = 0; i < num; ++i) {
        if (p->recv[i] != sum_of(p->other, ranks, 0, i)) {
            return false;
        }
    }
    return true;
}

static bool barrier(struct place *p, enum mode mode)
{
    CALL(mode, Barrier, barrier, p->comm);
    return true;
}

static bool bcast(struct place *p, enum mode mode)
{
    bool good = true;

    for (int i = 0; is_root(p) && i < BLOCK; ++i) {
        p->recv[i] = value(0, p->root, 0, i);
    }
    CALL(mode, Bcast, bcast, p->recv, BLOCK, MPI_INT, root_argument(p), p->comm);
    for (int i = 0; (is_leaf(p) || is_root(p)) && i < BLOCK; ++i) {
        good = good && p->recv[i] == value(0, p->root, 0, i);
    }
    return good;
}

static bool gather(struct place *p, enum mode mode)
{
    fill_own(p, BLOCK, 0);
    CALL(mode, Gather, gather, p->send, BLOCK, MPI_INT, p->recv, BLOCK, MPI_INT, root_argument(p),
         p->comm);
    return !is_root(p) || pieces_match(p, BLOCK, NULL, 0);
}

static bool gatherv(struct place *p, enum mode mode)
{
    fill_own(p, BLOCK, 0);
    lay_out(p->counts, p->displs, p->peers);
    CALL(mode, Gatherv, gatherv, p->send, p->rank % BLOCK + 1, MPI_INT, p->recv, p->counts,
         p->displs, MPI_INT, root_argument(p), p->comm);
    return !is_root(p) || pieces_match(p, STRIDE, p->counts, 0);
}

/* Block i at the root is for leaf i. */
static void fill_for_all(struct place *p, int stride)
{
    for (int i = 0; i < p->peers; ++i) {
        for (int j = 0; j < stride; ++j) {
            p->send[i * stride + j] = value(p->side, p->rank, i, j);
        }
    }
}

static bool scattered_match(const struct place *p, int count)
{
    for (int j = 0; is_leaf(p) && j < STRIDE; ++j) {
        if (p->recv[j] != (j < count ? value(0, p->root, p->rank, j) : UNTOUCHED)) {
            return false;
        }
    }
    return true;
}

static bool scatter(struct place *p, enum mode mode)
{
    fill_for_all(p, BLOCK);
    CALL(mode, Scatter, scatter, p->send, BLOCK, MPI_INT, p->recv, BLOCK, MPI_INT, root_argument(p),
         p->comm);
    return scattered_match(p, BLOCK);
}

static bool scatterv(struct place *p, enum mode mode)
{
    int count = p->rank % BLOCK + 1;

    fill_for_all(p, STRIDE);
    lay_out(p->counts, p->displs, p->peers);
    CALL(mode, Scatterv, scatterv, p->send, p->counts, p->displs, MPI_INT, p->recv, count, MPI_INT,
         root_argument(p), p->comm);
    return scattered_match(p, count);
}

static bool allgather(struct place *p, enum mode mode)
{
    fill_own(p, BLOCK, 0);
    CALL(mode, Allgather, allgather, p->send, BLOCK, MPI_INT, p->recv, BLOCK, MPI_INT, p->comm);
    return pieces_match(p, BLOCK, NULL, 0);
}

static bool allgatherv(struct place *p, enum mode mode)
{
    fill_own(p, BLOCK, 0);
    lay_out(p->counts, p->displs, p->peers);
    CALL(mode, Allgatherv, allgatherv, p->send, p->rank % BLOCK + 1, MPI_INT, p->recv, p->counts,
         p->displs, MPI_INT, p->comm);
    return pieces_match(p, STRIDE, p->counts, 0);
}

static bool alltoall(struct place *p, enum mode mode)
{
    fill_for_all(p, BLOCK);
    CALL(mode, Alltoall, alltoall, p->send, BLOCK, MPI_INT, p->recv, BLOCK, MPI_INT, p->comm);
    return pieces_match(p, BLOCK, NULL, p->rank);
}

/* From a to b go (a + b) % STRIDE elements, some of them none; displacements in units of scale. */
static void lay_out_pairs(struct place *p, int scale)
{
    for (int i = 0; i < p->peers; ++i) {
        p->counts[i] = p->counts2[i] = (p->rank + i) % STRIDE;
        p->displs[i] = p->displs2[i] = i * STRIDE * scale;
        p->types[i] = MPI_INT;
    }
}

static bool alltoallv(struct place *p, enum mode mode)
{
    fill_for_all(p, STRIDE);
    lay_out_pairs(p, 1);
    CALL(mode, Alltoallv, alltoallv, p->send, p->counts, p->displs, MPI_INT, p->recv, p->counts2,
         p->displs2, MPI_INT, p->comm);
    return pieces_match(p, STRIDE, p->counts2, p->rank);
}

static bool alltoallw(struct place *p, enum mode mode)
{
    fill_for_all(p, STRIDE);
    lay_out_pairs(p, (int) sizeof(int));
    CALL(mode, Alltoallw, alltoallw, p->send, p->counts, p->displs, p->types, p->recv, p->counts2,
         p->displs2, p->types, p->comm);
    return pieces_match(p, STRIDE, p->counts2, p->rank);
}

static bool reduce(struct place *p, enum mode mode)
{
    fill_own(p, BLOCK, 0);
    CALL(mode, Reduce, reduce, p->send, p->recv, BLOCK, MPI_INT, MPI_SUM, root_argument(p),
         p->comm);
    return !is_root(p) || sums_match(p, BLOCK, p->peers);
}

static bool allreduce(struct place *p, enum mode mode)
{
    fill_own(p, BLOCK, 0);
    CALL(mode, Allreduce, allreduce, p->send, p->recv, BLOCK, MPI_INT, MPI_SUM, p->comm);
    return sums_match(p, BLOCK, p->peers);
}

/* Both groups must reduce equally many elements: size * peers does. */
static bool reduce_scatter_block(struct place *p, enum mode mode)
{
    bool good = true;

    fill_own(p, p->size * p->peers, 0);
    CALL(mode, Reduce_scatter_block, reduce_scatter_block, p->send, p->recv, p->peers, MPI_INT,
         MPI_SUM, p->comm);
    for (int i = 0; i < p->peers; ++i) {
        good = good && p->recv[i] == sum_of(p->other, p->peers, 0, p->rank * p->peers + i);
    }
    return good;
}

static bool reduce_scatter(struct place *p, enum mode mode)
{
    int total = p->size * p->peers, first = 0;
    bool good = true;

    /* the last rank takes more than its share, the others one less */
    for (int i = 0; i < p->size; ++i) {
        p->counts[i] = i < p->size - 1 ? p->peers - 1 : total - (p->size - 1) * (p->peers - 1);
        first += i < p->rank ? p->counts[i] : 0;
    }
    fill_own(p, total, 0);
    CALL(mode, Reduce_scatter, reduce_scatter, p->send, p->recv, p->counts, MPI_INT, MPI_SUM,
         p->comm);
    for (int i = 0; i < p->counts[p->rank]; ++i) {
        good = good && p->recv[i] == sum_of(p->other, p->peers, 0, first + i);
    }
    return good;
}

static bool scan(struct place *p, enum mode mode)
{
    fill_own(p, BLOCK, 0);
    CALL(mode, Scan, scan, p->send, p->recv, BLOCK, MPI_INT, MPI_SUM, p->comm);
    return sums_match(p, BLOCK, p->rank + 1);
}

static bool exscan(struct place *p, enum mode mode)
{
    fill_own(p, BLOCK, 0);
    CALL(mode, Exscan, exscan, p->send, p->recv, BLOCK, MPI_INT, MPI_SUM, p->comm);
    return 0 == p->rank || sums_match(p, BLOCK, p->rank);
}

static const struct call calls[] = {
    {"barrier", barrier, true},
    {"bcast", bcast, true},
    {"gather", gather, true},
    {"gatherv", gatherv, true},
    {"scatter", scatter, true},
    {"scatterv", scatterv, true},
    {"allgather", allgather, true},
    {"allgatherv", allgatherv, true},
    {"alltoall", alltoall, true},
    {"alltoallv", alltoallv, true},
    {"alltoallw", alltoallw, true},
    {"reduce", reduce, true},
    {"allreduce", allreduce, true},
    {"reduce_scatter_block", reduce_scatter_block, true},
    {"reduce_scatter", reduce_scatter, true},
    {"scan", scan, false},
    {"exscan", exscan, false},
};

enum {
    NUM_CALLS = sizeof(calls) / sizeof(calls[0]),
    NUM_NEIGHBOUR_CALLS = sizeof(neighbour_calls) / sizeof(neighbour_calls[0])
};

static void place_open(struct place *p, const char *name, MPI_Comm comm)
{
    int inter, world_rank, most;

    memset(p, 0, sizeof(*p));
    p->name = name;
    p->comm = comm;
    mpi_check(MPI_Comm_rank(comm, &p->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &p->size), "MPI_Comm_size");
    mpi_check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
    p->peers = p->size;
    if (inter) {
        mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &world_rank), "MPI_Comm_rank");
        mpi_check(MPI_Comm_remote_size(comm, &p->peers), "MPI_Comm_remote_size");
        p->inter = true;
        p->side = world_rank % 2;
        p->other = 1 - p->side;
    }
    most = p->peers > p->size ? p->peers : p->size;
    most = most > NEIGHBOURS ? most : NEIGHBOURS;
    p->room = most * most + STRIDE * most;
    p->send = tap_alloc((size_t) p->room * sizeof(int));
    p->recv = tap_alloc((size_t) p->room * sizeof(int));
    p->counts = tap_alloc(4 * (size_t) most * sizeof(int));
    p->displs = p->counts + most;
    p->counts2 = p->counts + 2 * most;
    p->displs2 = p->counts + 3 * most;
    p->types = tap_alloc((size_t) most * sizeof(MPI_Datatype));
}

static void place_close(struct place *p)
{
    free(p->send);
    free(p->recv);
    free(p->counts);
    free(p->types);
}

/* All calls of a table in one mode; with a root of 0 and of the last rank in its group. */
static void run_table(struct tap *tap, struct place *p, const struct call *table, int num,
                      enum mode mode)
{
    int roots = p->inter && 1 == p->side ? p->peers : p->size;
    bool good = true;

    for (int i = 0; i < num; ++i) {
        for (int k = 0; k < 2 && (!p->inter || table[i].inter); ++k) {
            p->root = 0 == k ? 0 : roots - 1;
            reset(p);
            if (!table[i].fn(p, mode)) {
                good = false;
                tap_note(tap, "%s: %s %s gave wrong data", p->name, mode_name(mode), table[i].name);
            }
        }
    }
    tap_ok(tap, good, "all_collectives_%s_on_%s", mode_name(mode), p->name);
}

static void run_modes(struct tap *tap, struct place *p, const struct call *table, int num)
{
    run_table(tap, p, table, num, BLOCKING);
    run_table(tap, p, table, num, NONBLOCKING);
    if (NAPCOLL_HAVE_PERSISTENT) {
        run_table(tap, p, table, num, PERSISTENT);
    }
}

static void run_place(struct tap *tap, const char *name, MPI_Comm comm)
{
    struct place p;

    place_open(&p, name, comm);
    run_modes(tap, &p, calls, NUM_CALLS);
    place_close(&p);
}

/* In a grid that does not wrap, what I send downwards arrives from above: slots come in pairs. */
static void run_cartesian(struct tap *tap)
{
    int dims[2] = {0, 0}, periods[2] = {0, 0};
    struct place p;
    MPI_Comm comm;

    mpi_check(MPI_Dims_create(tap->size, 2, dims), "MPI_Dims_create");
    mpi_check(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm), "MPI_Cart_create");
    place_open(&p, "cartesian", comm);
    for (int d = 0; d < 2; ++d) {
        mpi_check(MPI_Cart_shift(comm, d, 1, &p.source[2 * d], &p.source[2 * d + 1]),
                  "MPI_Cart_shift");
    }
    p.sources = p.targets = NEIGHBOURS;
    for (int i = 0; i < NEIGHBOURS; ++i) {
        p.target[i] = p.source[i];
        p.slot[i] = i ^ 1;
    }
    run_modes(tap, &p, neighbour_calls, NUM_NEIGHBOUR_CALLS);
    place_close(&p);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* Everybody sends to the next two ranks, as far as there are two others. */
static void run_graph(struct tap *tap)
{
    int degree = tap->size > 2 ? 2 : tap->size - 1;
    int source[NEIGHBOURS] = {0}, target[NEIGHBOURS] = {0};
    const int weight[NEIGHBOURS] = {1, 1, 1, 1};
    struct place p;
    MPI_Comm comm;

    for (int i = 0; i < degree; ++i) {
        source[i] = (tap->rank + tap->size - i - 1) % tap->size;
        target[i] = (tap->rank + i + 1) % tap->size;
    }
    mpi_check(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, source, weight, degree, target,
                                             weight, MPI_INFO_NULL, 0, &comm),
              "MPI_Dist_graph_create_adjacent");
    place_open(&p, "dist_graph", comm);
    p.sources = p.targets = degree;
    for (int i = 0; i < degree; ++i) {
        p.source[i] = source[i];
        p.target[i] = target[i];
        p.slot[i] = i;
    }
    run_modes(tap, &p, neighbour_calls, NUM_NEIGHBOUR_CALLS);
    place_close(&p);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

static void run_intercommunicator(struct tap *tap, MPI_Comm half)
{
    MPI_Comm comm;

    if (tap->size < 2) {
        tap_skip(tap, "all_collectives_on_intercommunicator", "needs two processes");
        return;
    }
    mpi_check(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - tap->rank % 2, 7, &comm),
              "MPI_Intercomm_create");
    run_place(tap, "intercommunicator", comm);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

/* Several at once on one communicator, completed in the opposite order. */
static void run_outstanding(struct tap *tap)
{
    enum { DEEP = 12 };
    MPI_Request request[DEEP];
    int in[DEEP], out[DEEP], expected = tap->size * (tap->size - 1) / 2;
    bool good = true;

    for (int i = 0; i < DEEP; ++i) {
        in[i] = out[i] = tap->rank + i;
        if (0 == i % 2) {
            mpi_check(
                MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]),
                "MPI_Iallreduce");
        } else {
            mpi_check(MPI_Ibcast(&out[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]),
                      "MPI_Ibcast");
        }
    }
    for (int i = DEEP - 1; i >= 0; --i) {
        mpi_check(MPI_Wait(&request[i], MPI_STATUS_IGNORE), "MPI_Wait");
        good = good && out[i] == (0 == i % 2 ? expected + i * tap->size : i);
    }
    tap_ok(tap, good, "nonblocking_collectives_outstanding_together");
}

static void run_reduce_local(struct tap *tap)
{
    int in[BLOCK] = {1, 2, 3}, inout[BLOCK] = {10, 20, 30};

    mpi_check(MPI_Reduce_local(in, inout, BLOCK, MPI_INT, MPI_SUM), "MPI_Reduce_local");
    tap_ok(tap, 11 == inout[0] && 22 == inout[1] && 33 == inout[2], "reduce_local");
}

int main(int argc, char **argv)
{
    struct tap tap;
    MPI_Comm half, alone;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    mpi_check(MPI_Comm_split(MPI_COMM_WORLD, tap.rank % 2, -tap.rank, &half), "MPI_Comm_split");
    mpi_check(MPI_Comm_split(MPI_COMM_WORLD, tap.rank, 0, &alone), "MPI_Comm_split");

    run_place(&tap, "world", MPI_COMM_WORLD);
    run_place(&tap, "self", MPI_COMM_SELF);
    run_place(&tap, "split", half);
    run_place(&tap, "one_process", alone);
    mpi_check(MPI_Comm_free(&half), "MPI_Comm_free");
    mpi_check(MPI_Comm_split(MPI_COMM_WORLD, tap.rank % 2, tap.rank, &half), "MPI_Comm_split");
    run_intercommunicator(&tap, half);
    run_cartesian(&tap);
    run_graph(&tap);
    run_reduce_local(&tap);
    run_outstanding(&tap);

    mpi_check(MPI_Comm_free(&alone), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&half), "MPI_Comm_free");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
