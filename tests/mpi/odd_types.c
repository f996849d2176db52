/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives on datatypes that the fallback component (tuned) has faults with: types whose first
 * byte lies far from the buffer's address, and types that differ between ranks or between the two
 * sides of a call. What they carry is the same everywhere, a number of ints.
 *
 *     odd_types [--expect WORDS] [--most INTS] [COLLECTIVE...]
 *
 * WORDS as in counters.h, for every call.
 */
#include <stdint.h>

#include "counters.h"

enum { UNIT = 4, STYLES = 5 };

/* So far that code which forgets it meets no memory. */
static const MPI_Aint far = (MPI_Aint) 1 << 36;

/* A datatype, and how many ints it has. */
struct style {
    MPI_Datatype type;
    int ints;
};

enum { PLAIN, FOURS, BEHIND, BEFORE, GAPS };

static struct style styles[STYLES];

static MPI_Datatype type_of(int count, const int *length, const MPI_Aint *at, MPI_Aint lb,
                            MPI_Aint extent)
{
    MPI_Datatype parts, type;

    mpi_check(MPI_Type_create_hindexed(count, length, at, MPI_INT, &parts),
              "MPI_Type_create_hindexed");
    mpi_check(MPI_Type_create_resized(parts, lb, extent, &type), "MPI_Type_create_resized");
    mpi_check(MPI_Type_commit(&type), "MPI_Type_commit");
    mpi_check(MPI_Type_free(&parts), "MPI_Type_free");
    return type;
}

static void styles_open(void)
{
    const MPI_Aint number = sizeof(int);

    styles[PLAIN] = (struct style){MPI_INT, 1};
    styles[FOURS] = (struct style){type_of(1, (int[]){UNIT}, (MPI_Aint[]){0}, 0, UNIT * number),
                                   UNIT};
    styles[BEHIND] = (struct style){type_of(1, (int[]){1}, (MPI_Aint[]){far}, far, number), 1};
    styles[BEFORE] = (struct style){type_of(1, (int[]){1}, (MPI_Aint[]){-far}, 0, number), 1};
    styles[GAPS] = (struct style){
        type_of(2, (int[]){1, 1}, (MPI_Aint[]){0, 2 * number}, 0, 4 * number), 2};
}

static void styles_close(void)
{
    for (int i = 1; i < STYLES; ++i) {
        mpi_check(MPI_Type_free(&styles[i].type), "MPI_Type_free");
    }
}

/* A buffer of numbers in the layout of a style. */
struct buffer {
    struct style style;
    int ints;
    char *room;
    /* What is given to MPI */
    char *base;
};

static struct buffer buffer_open(int style, int ints)
{
    struct buffer b = {.style = styles[style], .ints = ints};
    MPI_Aint lb, extent, true_lb, true_extent;

    mpi_check(MPI_Type_get_extent(b.style.type, &lb, &extent), "MPI_Type_get_extent");
    mpi_check(MPI_Type_get_true_extent(b.style.type, &true_lb, &true_extent),
              "MPI_Type_get_true_extent");
    b.room = tap_alloc((size_t) (true_extent + extent * (ints / b.style.ints)));
    b.base = (char *) ((uintptr_t) b.room - (uintptr_t) true_lb);
    return b;
}

static int count_of(const struct buffer *b, int ints)
{
    return ints / b->style.ints;
}

static void buffer_set(const struct buffer *b, const int *number)
{
    int at = 0;

    mpi_check(MPI_Unpack(number, b->ints * (int) sizeof(int), &at, b->base, count_of(b, b->ints),
                         b->style.type, MPI_COMM_SELF),
              "MPI_Unpack");
}

static void buffer_get(const struct buffer *b, int *number)
{
    int at = 0;

    mpi_check(MPI_Pack(b->base, count_of(b, b->ints), b->style.type, number,
                       b->ints * (int) sizeof(int), &at, MPI_COMM_SELF),
              "MPI_Pack");
}

/* One call: blocks of `ints` numbers; each rank has its own styles. */
struct call {
    MPI_Comm comm;
    int rank, size, ints;
    int counts[64], displs[64];
    struct buffer send, recv;
};

static int number_at(int rank, int to, int i)
{
    return rank * 1000003 + to * 10007 + i;
}

static void sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint lb, extent;

    mpi_check(MPI_Type_get_true_extent(*type, &lb, &extent), "MPI_Type_get_true_extent");
    for (int i = 0; i < *count; ++i) {
        const int *from = (int *) ((uintptr_t) in + (uintptr_t) lb);
        int *to = (int *) ((uintptr_t) inout + (uintptr_t) lb);

        to[i] += from[i];
    }
}

static MPI_Op sum_op;

/* How many blocks each side has, what the call is, and the number that is at place i of block b of
 * the result of a rank. */
struct collective {
    const char *name;
    /* As which collective */
    const char *counted;
    /* On types that are the same everywhere */
    bool reduces;
    bool sends_all, receives_all;
    int (*run)(struct call *c);
    int (*expected)(const struct call *c, int b, int i);
};

static int sum_at(const struct call *c, int to, int i)
{
    int all = 0;

    for (int rank = 0; rank < c->size; ++rank) {
        all += number_at(rank, to, i);
    }
    return all;
}

static int sum_of_own(const struct call *c, int b, int i)
{
    return sum_at(c, b, i);
}

static int sum_of_block(const struct call *c, int b, int i)
{
    (void) b;
    return sum_at(c, c->rank, i);
}

static int from_block(const struct call *c, int b, int i)
{
    (void) c;
    return number_at(b, 0, i);
}

static int to_me(const struct call *c, int b, int i)
{
    return number_at(b, c->rank, i);
}

static int from_root(const struct call *c, int b, int i)
{
    (void) b;
    return number_at(0, c->rank, i);
}

static int of_root(const struct call *c, int b, int i)
{
    (void) c;
    return number_at(0, b, i);
}

#define SEND c->send.base, count_of(&c->send, c->ints), c->send.style.type
#define RECV c->recv.base, count_of(&c->recv, c->ints), c->recv.style.type

static int run_allreduce(struct call *c)
{
    return MPI_Allreduce(c->send.base, RECV, sum_op, c->comm);
}

static int run_reduce_scatter_block(struct call *c)
{
    return MPI_Reduce_scatter_block(c->send.base, RECV, sum_op, c->comm);
}

static int run_bcast(struct call *c)
{
    return 0 == c->rank ? MPI_Bcast(SEND, 0, c->comm) : MPI_Bcast(RECV, 0, c->comm);
}

static int run_allgather(struct call *c)
{
    return MPI_Allgather(SEND, RECV, c->comm);
}

/* What stands for the send side is not looked at there, and differs. */
static int run_allgather_in_place(struct call *c)
{
    const int given = c->rank % 2 * 100000;

    return MPI_Allgather(MPI_IN_PLACE, given, MPI_INT, RECV, c->comm);
}

static int run_allgatherv(struct call *c)
{
    for (int rank = 0; rank < c->size; ++rank) {
        c->counts[rank] = count_of(&c->recv, c->ints);
        c->displs[rank] = rank * c->counts[rank];
    }
    return MPI_Allgatherv(SEND, c->recv.base, c->counts, c->displs, c->recv.style.type, c->comm);
}

static int run_alltoall(struct call *c)
{
    return MPI_Alltoall(SEND, RECV, c->comm);
}

static int run_gather(struct call *c)
{
    return MPI_Gather(SEND, RECV, 0, c->comm);
}

static int run_scatter(struct call *c)
{
    return MPI_Scatter(SEND, RECV, 0, c->comm);
}

static const struct collective collectives[] = {
    {"allreduce", "allreduce", true, false, false, run_allreduce, sum_of_own},
    {"reduce_scatter_block", "reduce_scatter_block", true, true, false, run_reduce_scatter_block,
     sum_of_block},
    {"bcast", "bcast", false, false, false, run_bcast, of_root},
    {"allgather", "allgather", false, false, true, run_allgather, from_block},
    {"allgather_in_place", "allgather", false, false, true, run_allgather_in_place, from_block},
    {"allgatherv", "allgatherv", false, false, true, run_allgatherv, from_block},
    {"alltoall", "alltoall", false, true, true, run_alltoall, to_me},
    {"gather", "gather", false, false, true, run_gather, from_block},
    {"scatter", "scatter", false, true, false, run_scatter, from_root},
};

enum { COLLECTIVES = sizeof(collectives) / sizeof(collectives[0]) };

/* Which ranks get a result. */
static bool has_result(const struct collective *collective, const struct call *c)
{
    return (0 != strcmp(collective->name, "gather") || 0 == c->rank)
           && (0 != strcmp(collective->name, "bcast") || 0 != c->rank);
}

static void fill(const struct collective *collective, struct call *c)
{
    const int blocks = collective->sends_all ? c->size : 1;
    int *number = tap_alloc(sizeof(int) * (size_t) c->ints * (size_t) c->size);

    for (int b = 0; b < blocks; ++b) {
        for (int i = 0; i < c->ints; ++i) {
            number[b * c->ints + i] = number_at(c->rank, b, i);
        }
    }
    buffer_set(&c->send, number);
    if (0 == strcmp(collective->name, "allgather_in_place")) {
        memset(number, 0, sizeof(int) * (size_t) c->recv.ints);
        for (int i = 0; i < c->ints; ++i) {
            number[c->rank * c->ints + i] = number_at(c->rank, 0, i);
        }
        buffer_set(&c->recv, number);
    }
    free(number);
}

static bool is_right(struct tap *tap, const struct collective *collective, const struct call *c)
{
    const int blocks = collective->receives_all ? c->size : 1;
    int *number = tap_alloc(sizeof(int) * (size_t) c->recv.ints);
    bool right = true;

    buffer_get(&c->recv, number);
    for (int at = 0; at < blocks * c->ints && right && has_result(collective, c); ++at) {
        const int wanted = collective->expected(c, at / c->ints, at % c->ints);

        right = wanted == number[at];
        if (!right) {
            tap_note(tap, "%s of %d ints: %d at %d, and not %d", collective->name, c->ints,
                     number[at], at, wanted);
        }
    }
    free(number);
    return right;
}

static bool call_and_check(struct tap *tap, const struct collective *collective, MPI_Comm comm,
                           int ints, int send, int recv)
{
    struct call c = {.comm = comm, .rank = tap->rank, .size = tap->size, .ints = ints};
    bool right;

    c.send = buffer_open(send, collective->sends_all ? ints * c.size : ints);
    c.recv = buffer_open(recv, collective->receives_all ? ints * c.size : ints);
    fill(collective, &c);
    right = MPI_SUCCESS == collective->run(&c) && is_right(tap, collective, &c);
    free(c.send.room);
    free(c.recv.room);
    return right;
}

/* The styles of a rank's two sides, in each way of choosing them; false: there are no more. */
static bool ways(const struct collective *collective, int way, int rank, int *send, int *recv)
{
    if (collective->reduces) {
        *send = *recv = 0 == way ? BEHIND : BEFORE;
        return way < 2;
    }
    switch (way) {
    case 0:
        *send = BEHIND;
        *recv = PLAIN;
        return true;
    case 1:
        *send = GAPS;
        *recv = BEFORE;
        return true;
    case 2: /* sizes that differ, too */
        *send = rank % STYLES;
        *recv = rank * 2 % STYLES;
        return true;
    default:
        return false;
    }
}

static const char *const way_names[] = {"first_byte_far_away", "gaps_on_one_side",
                                        "types_that_differ_between_ranks"};

static void test_collective(struct tap *tap, const struct collective *collective, MPI_Comm comm,
                            const char *words, int most)
{
    struct napcoll_counters counters;
    struct expectation e;
    int send, recv;

    memset(&counters, 0, sizeof(counters));
    mpi_check(napcoll_counters_open(&counters, collective->counted), "MPI_T_pvar_handle_alloc");
    for (int way = 0; ways(collective, way, tap->rank, &send, &recv); ++way) {
        bool right = true, met;

        expect_begin(&e, &counters);
        for (int ints = UNIT; ints <= most; ints *= 2) {
            right = call_and_check(tap, collective, comm, ints, send, recv) && right;
        }
        met = expect_met(tap, &e, words);
        tap_ok(tap, right && met, "%s_%s", collective->name,
               collective->reduces && 1 == way ? "first_byte_far_before" : way_names[way]);
    }
    mpi_check(napcoll_counters_close(&counters), "MPI_T_pvar_handle_free");
}

static bool wanted(int argc, char **argv, const char *name)
{
    bool any = false;

    for (int i = 1; i < argc; ++i) {
        if (0 == strcmp(argv[i], name)) {
            return true;
        }
        for (int k = 0; k < COLLECTIVES; ++k) {
            any = any || 0 == strcmp(argv[i], collectives[k].name);
        }
    }
    return !any;
}

int main(int argc, char **argv)
{
    const char *words = tap_option(argc, argv, "--expect", "any");
    const int most = (int) tap_option_number(argc, argv, "--most", 16384);
    struct tap tap;
    int provided, status;

    mpi_check(MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided), "MPI_Init_thread");
    tap_open(&tap);
    styles_open();
    mpi_check(MPI_Op_create(sum, 1, &sum_op), "MPI_Op_create");
    for (int i = 0; i < COLLECTIVES; ++i) {
        if (wanted(argc, argv, collectives[i].name)) {
            test_collective(&tap, &collectives[i], MPI_COMM_WORLD, words, most);
        }
    }
    mpi_check(MPI_Op_free(&sum_op), "MPI_Op_free");
    styles_close();
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
