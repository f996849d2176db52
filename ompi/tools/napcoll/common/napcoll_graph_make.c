/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The graphs that users name (see the header).
 *
 * The ranks of a grid are numbered as MPI_Cart_create numbers them: the last dimension, the
 * shortest, runs fastest. Its sides are as equal as the number of ranks allows: the box with the
 * least surface.
 *
 *     random     d random permutations of the ranks; rank r has the edges r -> p(r)
 *     power-law  the ranks, in a random order, have weights i^(-2/3), i = 1, 2, ...; d P / 2 pairs
 *                are drawn by these weights, and have an edge each way. About P k^(-2.5) ranks have
 *                k neighbours: F. Chung, L. Lu, "Connected components in random graphs with given
 *                expected degree sequences", Annals of Combinatorics, 2002
 */

#include "common/napcoll_graph_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"
#include "util/napcoll_mix.h"
#include "util/napcoll_order.h"

enum { DIMENSIONS = 3, STENCIL_POINTS = 27 };

/* What makes the edges of a name. */
typedef struct {
    const char *name;
    /* the most edges of a rank on average; 0: the degree */
    int most;
    /* make at most most * ranks edges; returns how many */
    int (*make)(const napcoll_graph_choice_t *choice, int ranks, napcoll_edge_pair_t *edge);
} generator_t;

static int degree_of(const napcoll_graph_choice_t *choice)
{
    return 0 == choice->degree ? NAPCOLL_GRAPH_DEGREE : choice->degree;
}

/* ---- grids ---- */

/* The sides of the box with the least surface, ascending. */
static void find_sides(int ranks, int side[DIMENSIONS])
{
    long long least = -1;

    for (long long a = 1; a * a * a <= ranks; a++) {
        for (long long b = a; 0 == ranks % a && a * b * b <= ranks; b++) {
            const long long c = ranks / a / b, surface = a * b + b * c + a * c;

            if (0 == ranks / a % b && (least < 0 || surface < least)) {
                least = surface;
                side[0] = (int) a;
                side[1] = (int) b;
                side[2] = (int) c;
            }
        }
    }
}

/* Add the edges of a rank to the cells at some offsets, each a number of base 3 whose digits are 1
 * more than the steps in each dimension. */
static int add_cells(const int side[DIMENSIONS], int rank, bool closed, const int *offset,
                     int offsets, napcoll_edge_pair_t *edge)
{
    int edges = 0;

    for (int i = 0; i < offsets; i++) {
        int cell = 0, stride = 1, digits = offset[i];
        bool inside = true;

        for (int d = 0; d < DIMENSIONS; d++, digits /= 3) {
            const int at = rank / stride % side[d] + digits % 3 - 1;

            inside = inside && (closed || (at >= 0 && at < side[d]));
            cell += (at + side[d]) % side[d] * stride;
            stride *= side[d];
        }
        if (inside && cell != rank) {
            edge[edges++] = (napcoll_edge_pair_t){rank, cell};
        }
    }
    return edges;
}

static int make_torus(const napcoll_graph_choice_t *choice, int ranks, napcoll_edge_pair_t *edge)
{
    /* one step back or forward in one dimension */
    static const int offset[] = {12, 14, 10, 16, 4, 22};
    int side[DIMENSIONS], edges = 0;

    (void) choice;
    find_sides(ranks, side);
    for (int rank = 0; rank < ranks; rank++) {
        edges += add_cells(side, rank, true, offset, sizeof(offset) / sizeof(*offset),
                           edge + edges);
    }
    return edges;
}

static int make_stencil(const napcoll_graph_choice_t *choice, int ranks, napcoll_edge_pair_t *edge)
{
    int offset[STENCIL_POINTS], side[DIMENSIONS], edges = 0;

    (void) choice;
    for (int i = 0; i < STENCIL_POINTS; i++) {
        offset[i] = i;
    }
    find_sides(ranks, side);
    for (int rank = 0; rank < ranks; rank++) {
        edges += add_cells(side, rank, false, offset, STENCIL_POINTS, edge + edges);
    }
    return edges;
}

/* ---- random graphs ---- */

static void shuffle(int *order, int ranks, uint64_t *state)
{
    for (int i = 0; i < ranks; i++) {
        const int j = (int) (napcoll_mix_next(state) % (uint64_t) (i + 1));

        order[i] = order[j];
        order[j] = i;
    }
}

static uint64_t state_of(const napcoll_graph_choice_t *choice)
{
    return napcoll_mix((uint64_t) (0 == choice->seed ? 1 : choice->seed));
}

static int make_random(const napcoll_graph_choice_t *choice, int ranks, napcoll_edge_pair_t *edge)
{
    int *order = napcoll_allocate((size_t) ranks, sizeof(*order)), edges = 0;
    uint64_t state = state_of(choice);

    for (int d = 0; d < degree_of(choice); d++) {
        shuffle(order, ranks, &state);
        for (int rank = 0; rank < ranks; rank++) {
            if (order[rank] != rank) {
                edge[edges++] = (napcoll_edge_pair_t){rank, order[rank]};
            }
        }
    }
    free(order);
    return edges;
}

/* Draw a place by its weight. sum: [ranks] of the weights up to a place, and its own */
static int draw(const double *sum, int ranks, uint64_t *state)
{
    const double drawn = sum[ranks - 1] * (double) (napcoll_mix_next(state) >> 11) * 0x1p-53;
    int low = 0, high = ranks - 1;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (sum[middle] <= drawn) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int make_power_law(const napcoll_graph_choice_t *choice, int ranks,
                          napcoll_edge_pair_t *edge)
{
    const long long pairs = (long long) ranks * degree_of(choice) / 2;
    int *order = napcoll_allocate((size_t) ranks, sizeof(*order)), edges = 0;
    double *sum = napcoll_allocate((size_t) ranks, sizeof(*sum));
    uint64_t state = state_of(choice);

    shuffle(order, ranks, &state);
    for (int i = 0; i < ranks; i++) {
        sum[i] = (i > 0 ? sum[i - 1] : 0) + pow(i + 1, -2.0 / 3);
    }
    for (long long i = 0; i < pairs; i++) {
        const int one = order[draw(sum, ranks, &state)], other = order[draw(sum, ranks, &state)];

        if (one != other) {
            edge[edges++] = (napcoll_edge_pair_t){one, other};
            edge[edges++] = (napcoll_edge_pair_t){other, one};
        }
    }
    free(order);
    free(sum);
    return edges;
}

/* ---- names ---- */

static const generator_t generators[] = {{"torus", 2 * DIMENSIONS, make_torus},
                                         {"stencil", STENCIL_POINTS - 1, make_stencil},
                                         {"random", 0, make_random},
                                         {"power-law", 0, make_power_law}};

enum { GENERATORS = sizeof(generators) / sizeof(*generators) };

const char *napcoll_graph_name_at(const void *context, int i)
{
    (void) context;
    return i < GENERATORS ? generators[i].name : NULL;
}

const char *napcoll_graph_name(const napcoll_graph_choice_t *choice)
{
    return NULL == choice->graph ? generators[0].name : choice->graph;
}

/* NULL: it is a file. */
static const generator_t *find_generator(const napcoll_graph_choice_t *choice)
{
    const napcoll_names_t names = {.at = napcoll_graph_name_at};
    const char *name = napcoll_graph_name(choice);
    const int at = napcoll_name_find(&names, name, strlen(name));

    return at < 0 ? NULL : &generators[at];
}

/* The first option that is given; NULL: none is. */
static const char *first_given(const napcoll_graph_choice_t *choice, bool drawn_only)
{
    if (!drawn_only && NULL != choice->graph) {
        return "graph";
    }
    if (choice->degree > 0) {
        return "degree";
    }
    return choice->seed > 0 ? "seed" : NULL;
}

bool napcoll_graph_check(const napcoll_graph_choice_t *choice,
                         const napcoll_collective_t *collective, char message[NAPCOLL_MESSAGE])
{
    const generator_t *generator = find_generator(choice);
    const bool drawn = NULL != generator && 0 == generator->most;
    const bool neighbor = napcoll_goal_is_neighbor(collective->goal);
    const char *option = first_given(choice, neighbor);

    if (NULL != option && !neighbor) {
        (void) snprintf(message, NAPCOLL_MESSAGE,
                        "--%s: %s has no neighbours; expected it with a neighbourhood collective, "
                        "such as --coll neighbor_alltoall",
                        option, collective->name);
        return false;
    }
    if (NULL != option && !drawn) {
        (void) snprintf(message, NAPCOLL_MESSAGE,
                        "--%s: the edges of the graph %.500s are fixed; expected --graph random or "
                        "power-law with it",
                        option, napcoll_graph_name(choice));
        return false;
    }
    return true;
}

/* ---- lists ---- */

static int compare_edges(const void *a, const void *b)
{
    const napcoll_edge_pair_t *x = a, *y = b;

    return napcoll_order_pairs(x->from, x->to, y->from, y->to);
}

/* Keep one of equal edges; returns how many are left. */
static int leave_one(napcoll_edge_pair_t *edge, int edges)
{
    int kept = 0;

    qsort(edge, (size_t) edges, sizeof(*edge), compare_edges);
    for (int i = 0; i < edges; i++) {
        if (0 == kept || 0 != compare_edges(&edge[kept - 1], &edge[i])) {
            edge[kept++] = edge[i];
        }
    }
    return kept;
}

void napcoll_edge_lists_open(napcoll_edge_lists_t *lists, int ranks, int edges)
{
    const int numbers = 2 * (ranks + 1) + 2 * edges;

    *lists = (napcoll_edge_lists_t){.ranks = ranks,
                                    .edges = edges,
                                    .number = napcoll_allocate((size_t) numbers, sizeof(int)),
                                    .numbers = numbers};
    lists->out = lists->number;
    lists->in = lists->out + ranks + 1;
    lists->to = lists->in + ranks + 1;
    lists->from = lists->to + edges;
}

/* Fill one kind of list, in the order of the edges. */
static void fill_lists(const napcoll_edge_pair_t *edge, int edges, int ranks, bool out, int *first,
                       int *other)
{
    for (int i = 0; i < edges; i++) {
        first[1 + (out ? edge[i].from : edge[i].to)]++;
    }
    for (int rank = 0; rank < ranks; rank++) {
        first[rank + 1] += first[rank];
    }
    /* first becomes the end of each list, which is the beginning of the next one */
    for (int i = 0; i < edges; i++) {
        const int rank = out ? edge[i].from : edge[i].to;

        other[first[rank]++] = out ? edge[i].to : edge[i].from;
    }
    memmove(first + 1, first, (size_t) ranks * sizeof(*first));
    first[0] = 0;
}

/* Make the edges of a name; NULL: they are too many. */
static napcoll_edge_pair_t *make_edges(const napcoll_graph_choice_t *choice,
                                       const generator_t *generator, int ranks, int *edges,
                                       char message[NAPCOLL_MESSAGE])
{
    const bool drawn = 0 == generator->most;
    const int most = drawn ? degree_of(choice) : generator->most;
    napcoll_edge_pair_t *edge;

    if ((long long) most * ranks > NAPCOLL_GRAPH_MOST_EDGES) {
        (void) snprintf(message, NAPCOLL_MESSAGE,
                        "%s: %d ranks with %d neighbours each have more than %d edges; take fewer "
                        "ranks%s",
                        generator->name, ranks, most, NAPCOLL_GRAPH_MOST_EDGES,
                        drawn ? ", or a smaller --degree" : "");
        return NULL;
    }
    edge = napcoll_allocate((size_t) most * (size_t) ranks, sizeof(*edge));
    *edges = leave_one(edge, generator->make(choice, ranks, edge));
    return edge;
}

bool napcoll_graph_make(const napcoll_graph_choice_t *choice, int ranks,
                        napcoll_edge_lists_t *lists, char message[NAPCOLL_MESSAGE])
{
    const generator_t *generator = find_generator(choice);
    napcoll_edge_pair_t *edge;
    int edges = 0;

    *lists = (napcoll_edge_lists_t){.ranks = 0};
    edge = NULL == generator ? napcoll_graph_read(choice->graph, ranks, &edges, message)
                             : make_edges(choice, generator, ranks, &edges, message);
    if (NULL == edge) {
        return false;
    }
    napcoll_edge_lists_open(lists, ranks, edges);
    fill_lists(edge, edges, ranks, true, lists->out, lists->to);
    fill_lists(edge, edges, ranks, false, lists->in, lists->from);
    free(edge);
    return true;
}

void napcoll_edge_lists_free(napcoll_edge_lists_t *lists)
{
    free(lists->number);
    *lists = (napcoll_edge_lists_t){.ranks = 0};
}

int napcoll_edge_lists_most(const napcoll_edge_lists_t *lists)
{
    int most = 0;

    for (int rank = 0; rank < lists->ranks; rank++) {
        const int out = lists->out[rank + 1] - lists->out[rank];
        const int in = lists->in[rank + 1] - lists->in[rank];

        most = out > most ? out : most;
        most = in > most ? in : most;
    }
    return most;
}

void napcoll_edge_lists_neighbors(void *context, int rank, napcoll_neighbors_t *neighbors)
{
    const napcoll_edge_lists_t *lists = context;

    *neighbors = (napcoll_neighbors_t){.to = lists->to + lists->out[rank],
                                       .from = lists->from + lists->in[rank],
                                       .out = lists->out[rank + 1] - lists->out[rank],
                                       .in = lists->in[rank + 1] - lists->in[rank]};
}
