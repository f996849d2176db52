/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Neighbourhood collectives, all five in three ways, on graphs and grids: every element that comes
 * is the one that its sender has for this edge, and no other memory is written. Edges may be there
 * twice, and lead to the rank itself; ranks may have no neighbours; blocks differ in size and may
 * be empty, and have gaps.
 *
 *     neighbors --expect WORDS     what napcoll counts for each call, as in counters.h
 *               --graph NUMBER     only this one, from 1
 *               --learn WORDS      instead: uneven calls with small blocks are counted so, and with
 *                                  large ones as --expect says, once the ranks know of them
 */

#include "counters.h"
#include "modes.h"

enum { NEIGHBORS = 160, UNTOUCHED = -7, GRAPHS = 7, SIZES = 4, COLLS = 5 };

static const char *const colls[COLLS] = {"neighbor_allgather", "neighbor_allgatherv",
                                         "neighbor_alltoall", "neighbor_alltoallv",
                                         "neighbor_alltoallw"};

/* Elements of a block, on the mean: of uneven calls none to twice as many. */
static const int sizes[SIZES] = {0, 2, 300, 1500};

/* The neighbours of this rank. */
struct graph {
    const char *name;
    MPI_Comm comm;
    int rank;
    int out, in;
    int to[NEIGHBORS], from[NEIGHBORS];
    bool grid;
};

static unsigned mix(unsigned a, unsigned b)
{
    unsigned x = a * 2654435761u + b * 40503u + 12345u;

    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

/* ---- graphs ---- */

static void add(int *list, int *count, int peer)
{
    if (*count < NEIGHBORS) {
        list[(*count)++] = peer;
    }
}

/* How often a random graph has an edge: most have few, rank 1 none. */
static int edges_between(int from, int to, int size, int degree)
{
    const unsigned dice = mix((unsigned) from * 97u + (unsigned) degree, (unsigned) to);

    if (1 == from || 1 == to) {
        return 0;
    }
    return dice % (unsigned) size < (unsigned) degree ? 1 + (int) (dice / 64 % 8 == 0) : 0;
}

static void random_graph(struct graph *g, int size, int degree)
{
    int weight[NEIGHBORS];

    g->name = degree < size ? "random graph" : "graph of all";
    for (int i = 0; i < NEIGHBORS; ++i) {
        weight[i] = i;
    }
    for (int other = 0; other < size; ++other) {
        for (int i = edges_between(g->rank, other, size, degree); i > 0; --i) {
            add(g->to, &g->out, other);
        }
        for (int i = edges_between(other, g->rank, size, degree); i > 0; --i) {
            add(g->from, &g->in, other);
        }
    }
    mpi_check(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, g->in, g->from, weight, g->out, g->to,
                                             weight, MPI_INFO_NULL, 0, &g->comm),
              "MPI_Dist_graph_create_adjacent");
}

/* A ring of both neighbours and the rank itself, by MPI_Graph_create. */
static void ring_graph(struct graph *g, int size)
{
    int *index = tap_alloc((size_t) size * sizeof(int));
    int *edges = tap_alloc(3 * (size_t) size * sizeof(int));

    g->name = "ring";
    for (int r = 0; r < size; ++r) {
        index[r] = 3 * (r + 1);
        edges[3 * r] = (r + 1) % size;
        edges[3 * r + 1] = r;
        edges[3 * r + 2] = (r + size - 1) % size;
    }
    mpi_check(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &g->comm),
              "MPI_Graph_create");
    g->out = g->in = 3;
    memcpy(g->to, edges + 3 * g->rank, 3 * sizeof(int));
    memcpy(g->from, edges + 3 * g->rank, 3 * sizeof(int));
    free(index);
    free(edges);
}

static void grid_graph(struct graph *g, int size, int ndims, bool periodic)
{
    int dims[3] = {0}, periods[3];

    g->name = periodic ? "torus" : "grid";
    g->grid = true;
    mpi_check(MPI_Dims_create(size, ndims, dims), "MPI_Dims_create");
    for (int d = 0; d < ndims; ++d) {
        periods[d] = periodic;
    }
    mpi_check(MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &g->comm),
              "MPI_Cart_create");
    for (int d = 0; d < ndims; ++d) {
        int before, after;

        mpi_check(MPI_Cart_shift(g->comm, d, 1, &before, &after), "MPI_Cart_shift");
        add(g->to, &g->out, before);
        add(g->to, &g->out, after);
    }
    g->in = g->out;
    memcpy(g->from, g->to, sizeof(g->to));
}

static void open_graph(struct graph *g, int which, int rank, int size)
{
    const int degrees[] = {2, 5, size};

    memset(g, 0, sizeof(*g));
    g->rank = rank;
    switch (which) {
    case 0:
        ring_graph(g, size);
        break;
    case 1:
    case 2:
        grid_graph(g, size, 1 + which, true);
        break;
    case 3:
        grid_graph(g, size, 3, false);
        break;
    default:
        random_graph(g, size, degrees[which - 4]);
        break;
    }
}

/* The number of an edge among all edges of these two ranks. In a grid what goes in one direction
 * comes from the other one. */
static int number_of(const int *peer, int count, int at, bool mirrored)
{
    int number = 0;

    for (int i = 0; i < count; ++i) {
        const bool before = mirrored ? (i ^ 1) < (at ^ 1) : i < at;

        number += before && peer[i] == peer[at];
    }
    return number;
}

/* ---- blocks ---- */

/* A call as this rank makes it. */
struct side {
    int count[NEIGHBORS], displ[NEIGHBORS];
    MPI_Aint offset[NEIGHBORS];
    MPI_Datatype type[NEIGHBORS];
    /* of each block: the element at which it begins, and from one element to the next */
    int start[NEIGHBORS], step[NEIGHBORS];
    int *buffer;
    int room;
};

struct call {
    int coll;
    int size;
    bool gaps;
    /* one int in two */
    MPI_Datatype spread;
    struct side send, recv;
};

static bool is_uneven(int coll)
{
    return 1 == coll || coll >= 3;
}

static bool is_allgather(int coll)
{
    return coll < 2;
}

static int elements_of(const struct call *c, int from, int to, int number)
{
    const unsigned most = 2 * (unsigned) c->size + 1;

    if (!is_uneven(c->coll)) {
        return c->size;
    }
    return (int) (is_allgather(c->coll)
                      ? mix((unsigned) from, 3) % most
                      : mix((unsigned) from * 31u + (unsigned) number, (unsigned) to) % most);
}

static int element(const struct call *c, int from, int to, int number, int i)
{
    const unsigned edge = is_allgather(c->coll) ? 0 : (unsigned) (to * 8 + number + 1);

    return (int) (mix((unsigned) from * 1000u + (unsigned) i, edge) >> 2);
}

/* Lay out the blocks of one side; `spread`: those with gaps, of alltoallw every second one. */
static void lay_out(struct call *c, struct side *side, const struct graph *g, bool sends)
{
    const int count = sends ? g->out : g->in;
    const int *peer = sends ? g->to : g->from;
    int at = 0;

    for (int b = 0; b < count; ++b) {
        const int number = number_of(peer, count, b, sends && g->grid);
        const int other = peer[b];
        bool spread = c->gaps == sends;

        if (4 == c->coll) {
            spread = c->gaps == (b % 2 == (int) sends);
        }
        side->step[b] = spread ? 2 : 1;
        side->type[b] = spread ? c->spread : MPI_INT;
        side->count[b] = c->size;
        if (MPI_PROC_NULL != other) {
            side->count[b] = sends ? elements_of(c, g->rank, other, number)
                                   : elements_of(c, other, g->rank, number);
        }
        side->displ[b] = at / side->step[b];
        side->offset[b] = at * (MPI_Aint) sizeof(int);
        side->start[b] = at;
        at += side->count[b] * side->step[b];
        /* of uneven calls there is room between the blocks */
        at += is_uneven(c->coll) ? 2 : 0;
    }
    side->room = at + 4 * (c->size + 1);
    side->buffer = tap_alloc((size_t) side->room * sizeof(int));
}

static void fill(struct call *c, const struct graph *g)
{
    struct side *s = &c->send, *r = &c->recv;

    for (int i = 0; i < s->room; ++i) {
        s->buffer[i] = UNTOUCHED;
    }
    for (int i = 0; i < r->room; ++i) {
        r->buffer[i] = UNTOUCHED;
    }
    if (is_allgather(c->coll)) {
        const int step = s->step[0] > 0 ? s->step[0] : 1;

        for (int i = 0; i < elements_of(c, g->rank, 0, 0); ++i) {
            s->buffer[i * step] = element(c, g->rank, 0, 0, i);
        }
        return;
    }
    for (int b = 0; b < g->out; ++b) {
        const int number = number_of(g->to, g->out, b, g->grid);

        for (int i = 0; i < s->count[b]; ++i) {
            s->buffer[s->start[b] + i * s->step[b]] = element(c, g->rank, g->to[b], number, i);
        }
    }
}

/* Whether the receive buffer is right, all of it. */
static bool is_right(struct tap *tap, const struct call *c, const struct graph *g)
{
    const struct side *r = &c->recv;
    int *wanted = tap_alloc((size_t) r->room * sizeof(int));
    int wrong = -1;

    for (int i = 0; i < r->room; ++i) {
        wanted[i] = UNTOUCHED;
    }
    for (int b = 0; b < g->in; ++b) {
        const int number = number_of(g->from, g->in, b, false);

        for (int i = 0; i < r->count[b] && MPI_PROC_NULL != g->from[b]; ++i) {
            wanted[r->start[b] + i * r->step[b]] = element(c, g->from[b], g->rank, number, i);
        }
    }
    for (int i = r->room - 1; i >= 0; --i) {
        wrong = wanted[i] != r->buffer[i] ? i : wrong;
    }
    if (wrong >= 0) {
        tap_note(tap, "%s of %d elements on a %s: int %d is %d, not %d", colls[c->coll], c->size,
                 g->name, wrong, r->buffer[wrong], wanted[wrong]);
    }
    free(wanted);
    return wrong < 0;
}

static void open_call(struct call *c, const struct graph *g, int coll, int size, bool gaps)
{
    MPI_Datatype spread = c->spread;

    memset(c, 0, sizeof(*c));
    c->spread = spread;
    c->coll = coll;
    c->size = size;
    c->gaps = gaps;
    lay_out(c, &c->send, g, true);
    lay_out(c, &c->recv, g, false);
}

static void close_call(struct call *c)
{
    free(c->send.buffer);
    free(c->recv.buffer);
}

static int make(struct call *c, const struct graph *g, enum mode mode, MPI_Request *request)
{
    struct side *s = &c->send, *r = &c->recv;
    const MPI_Datatype stype = c->gaps ? c->spread : MPI_INT, rtype = c->gaps ? MPI_INT : c->spread;
    const int mine = elements_of(c, g->rank, 0, 0);

    switch (c->coll) {
    case 0:
        return MAKE(mode, request, Neighbor_allgather, neighbor_allgather, s->buffer, c->size,
                    stype, r->buffer, c->size, rtype, g->comm);
    case 1:
        return MAKE(mode, request, Neighbor_allgatherv, neighbor_allgatherv, s->buffer, mine, stype,
                    r->buffer, r->count, r->displ, rtype, g->comm);
    case 2:
        return MAKE(mode, request, Neighbor_alltoall, neighbor_alltoall, s->buffer, c->size, stype,
                    r->buffer, c->size, rtype, g->comm);
    case 3:
        return MAKE(mode, request, Neighbor_alltoallv, neighbor_alltoallv, s->buffer, s->count,
                    s->displ, stype, r->buffer, r->count, r->displ, rtype, g->comm);
    default:
        return MAKE(mode, request, Neighbor_alltoallw, neighbor_alltoallw, s->buffer, s->count,
                    s->offset, s->type, r->buffer, r->count, r->offset, r->type, g->comm);
    }
}

/* Make a call, twice if it is persistent; whether the results are right. */
static bool run_call(struct tap *tap, struct call *c, const struct graph *g, enum mode mode)
{
    MPI_Request request = MPI_REQUEST_NULL;
    bool right = true;

    fill(c, g);
    mpi_check(make(c, g, mode, &request), colls[c->coll]);
    for (int turn = 0; turn < (PERSISTENT == mode ? 2 : 1); ++turn) {
        if (PERSISTENT == mode) {
            fill(c, g);
            mpi_check(MPI_Start(&request), "MPI_Start");
        }
        mpi_check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        right = is_right(tap, c, g) && right;
    }
    if (PERSISTENT == mode) {
        mpi_check(MPI_Request_free(&request), "MPI_Request_free");
    }
    return right;
}

/* All sizes of a collective, with gaps on either side. */
static bool run_sizes(struct tap *tap, const struct graph *g, int coll, enum mode mode,
                      MPI_Datatype spread)
{
    bool right = true;

    for (int size = 0; size < SIZES; ++size) {
        for (int gaps = 0; gaps < 2; ++gaps) {
            struct call c = {.spread = spread};

            open_call(&c, g, coll, sizes[size], 1 == gaps);
            right = run_call(tap, &c, g, mode) && right;
            close_call(&c);
        }
    }
    return right;
}

/* Requests of all five under way at once, in all ways that do not wait. */
static bool run_together(struct tap *tap, const struct graph *g, MPI_Datatype spread)
{
    struct call *c = tap_alloc(COLLS * sizeof(*c));
    MPI_Request request[COLLS];
    bool right = true;

    for (int coll = 0; coll < COLLS; ++coll) {
        c[coll].spread = spread;
        open_call(&c[coll], g, coll, 40, coll % 2);
        fill(&c[coll], g);
        mpi_check(make(&c[coll], g, NONBLOCKING, &request[coll]), colls[coll]);
    }
    mpi_check(MPI_Waitall(COLLS, request, MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (int coll = 0; coll < COLLS; ++coll) {
        right = is_right(tap, &c[coll], g) && right;
        close_call(&c[coll]);
    }
    free(c);
    return right;
}

static void check_graph(struct tap *tap, int which, MPI_Datatype spread, const char *words)
{
    struct graph *g = tap_alloc(sizeof(*g));

    open_graph(g, which, tap->rank, tap->size);
    for (int mode = BLOCKING; mode < NUM_MODES; ++mode) {
        bool right = true, met = true;

        for (int coll = 0; coll < COLLS; ++coll) {
            char name[FUNCTION_NAME];
            struct napcoll_counters counters = {.num = 0};
            struct expectation e;

            mpi_check(napcoll_counters_open(&counters,
                                            function_name(colls[coll], (enum mode) mode, name)),
                      "napcoll_counters_open");
            expect_begin(&e, &counters);
            right = run_sizes(tap, g, coll, (enum mode) mode, spread) && right;
            met = expect_met(tap, &e, words) && met;
            mpi_check(napcoll_counters_close(&counters), "napcoll_counters_close");
        }
        tap_ok(tap, right && met, "%s calls on a %s: right, and %s", mode_name((enum mode) mode),
               g->name, words);
    }
    tap_ok(tap, run_together(tap, g, spread), "five calls under way on a %s", g->name);
    mpi_check(MPI_Comm_free(&g->comm), "MPI_Comm_free");
    free(g);
}

/* A nonblocking call before any that may wait goes to the fallback function: it must not wait. */
static void check_first(struct tap *tap, MPI_Datatype spread)
{
    struct graph *g = tap_alloc(sizeof(*g));
    struct napcoll_counters counters = {.num = 0};
    struct expectation e;
    struct call c = {.spread = spread};

    open_graph(g, 1, tap->rank, tap->size);
    mpi_check(napcoll_counters_open(&counters, "ineighbor_allgather"), "napcoll_counters_open");
    expect_begin(&e, &counters);
    open_call(&c, g, 0, 5, false);
    tap_ok(tap, run_call(tap, &c, g, NONBLOCKING) && expect_met(tap, &e, "fallback:setup"),
           "a first call that must not wait falls back");
    close_call(&c);
    mpi_check(napcoll_counters_close(&counters), "napcoll_counters_close");
    mpi_check(MPI_Comm_free(&g->comm), "MPI_Comm_free");
    free(g);
}

/* ---- learning ---- */

enum { FEW_ELEMENTS = 3, MANY_ELEMENTS = 5000, LAST_CALLS = 6, PHASES = 3 };

/* The calls of a phase, which begin with call 1, 25 and 45. The ranks agree on sizes in the calls
 * 1, 3, 6, 11, 20, 37 and 70: when the last calls of a phase begin they know of it. */
static const int phase_calls[PHASES] = {24, 20, 36};

/* Calls of a size in a row; whether all are right, and the last ones are counted as words say. */
static bool repeat(struct tap *tap, const struct graph *g, int coll, enum mode mode, int size,
                   int calls, MPI_Datatype spread, const char *words)
{
    char name[FUNCTION_NAME];
    struct napcoll_counters counters = {.num = 0};
    struct expectation e;
    struct call c = {.spread = spread};
    bool right = true, met;

    mpi_check(napcoll_counters_open(&counters, function_name(colls[coll], mode, name)),
              "napcoll_counters_open");
    open_call(&c, g, coll, size, false);
    for (int i = 0; i < calls; ++i) {
        if (i <= calls - LAST_CALLS || 0 == i) {
            expect_begin(&e, &counters);
        }
        right = run_call(tap, &c, g, mode) && right;
    }
    met = expect_met(tap, &e, words);
    close_call(&c);
    mpi_check(napcoll_counters_close(&counters), "napcoll_counters_close");
    return right && met;
}

/* Small and large blocks in turns. A persistent call is decided by its own blocks, a nonblocking
 * one by the blocking calls before it. */
static void check_learning(struct tap *tap, int which, MPI_Datatype spread, const char *large,
                           const char *small)
{
    static const int uneven[] = {1, 3, 4};
    struct graph *g = tap_alloc(sizeof(*g));

    open_graph(g, which, tap->rank, tap->size);
    for (int i = 0; i < 3; ++i) {
        const int coll = uneven[i];

        for (int phase = 0; phase < PHASES; ++phase) {
            const bool many = phase % 2 == 0;
            const int size = many ? MANY_ELEMENTS : FEW_ELEMENTS;
            const int other = many ? FEW_ELEMENTS : MANY_ELEMENTS;
            const char *words = many ? large : small, *others = many ? small : large;

            tap_ok(tap, repeat(tap, g, coll, BLOCKING, size, phase_calls[phase], spread, words),
                   "%s of %s blocks on a %s: right, and %s", colls[coll], many ? "large" : "small",
                   g->name, words);
            tap_ok(tap,
                   repeat(tap, g, coll, NONBLOCKING, other, 1, spread, words)
                       && (!NAPCOLL_HAVE_PERSISTENT
                           || repeat(tap, g, coll, PERSISTENT, other, 1, spread, others)),
                   "a nonblocking call goes by the last ones, a persistent one by its own blocks");
        }
    }
    mpi_check(MPI_Comm_free(&g->comm), "MPI_Comm_free");
    free(g);
}

int main(int argc, char **argv)
{
    const char *words = tap_option(argc, argv, "--expect", "any");
    const char *small = tap_option(argc, argv, "--learn", "");
    const int only = (int) tap_option_number(argc, argv, "--graph", GRAPHS + 1) - 1;
    MPI_Datatype spread;
    struct tap tap;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    mpi_check(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread),
              "MPI_Type_create_resized");
    mpi_check(MPI_Type_commit(&spread), "MPI_Type_commit");
    for (int which = 0; which < GRAPHS; ++which) {
        if ((GRAPHS == only || which == only) && '\0' == small[0]) {
            check_graph(&tap, which, spread, words);
        } else if (GRAPHS == only || which == only) {
            check_learning(&tap, which, spread, words, small);
        }
    }
    if ('\0' == small[0] && 0 == strncmp(words, "runs", 4)) {
        check_first(&tap, spread);
    }
    mpi_check(MPI_Type_free(&spread), "MPI_Type_free");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
