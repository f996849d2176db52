/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How many doubles the block of each rank has, for collectives whose blocks are equal or differ.
 */

#include <math.h>
#include <stdlib.h>

#include "common/napcoll_memory.h"
#include "measure/napcoll_measure.h"

/* The largest buffer for the blocks of all processes: 64 processes on one machine then take 4 GiB,
 * and as much again for each copy that an algorithm works on. */
static const size_t most_blocks = (size_t) 64 << 20;

bool napcoll_measured_has_blocks(const napcoll_measured_coll_t *coll)
{
    return NAPCOLL_BUFFER_ALL == coll->send || NAPCOLL_BUFFER_ALL == coll->recv
           || NAPCOLL_BUFFER_ROOT == coll->send || NAPCOLL_BUFFER_ROOT == coll->recv;
}

size_t napcoll_measured_most(const napcoll_measured_coll_t *coll, int blocks)
{
    return napcoll_measured_has_blocks(coll) && blocks > 0
               ? most_blocks / (size_t) blocks / sizeof(double) * sizeof(double)
               : SIZE_MAX;
}

/* By how many doubles the block of a rank is larger than the average. Ranks r and size - 1 - r
 * compensate each other, so that the average is exact. Blocks differ by a quarter, half, three
 * quarters or all of the average, rounded up: of one double on average, some blocks have none and
 * some two. Larger and smaller ones alternate, so nodes differ less than ranks. */
static int excess(const napcoll_blocks_t *b, int rank)
{
    int twin = b->size - 1 - rank, lower = rank < twin ? rank : twin;
    int quarters = 1 + lower % 4;
    int part = b->count / 4 * quarters + (b->count % 4 * quarters + 3) / 4;

    if (rank == twin) {
        return 0;
    }
    return (rank == lower) == (1 == lower % 2) ? part : -part;
}

const char *napcoll_deal_name(int deal)
{
    static const char *const names[NAPCOLL_DEALS + 1] = {"uniform", "power", "hot", "zeros", NULL};

    return names[deal];
}

/* A number from 0 up to 1 that depends on two ranks only (splitmix64). */
static double draw(int from, int to)
{
    uint64_t z = ((uint64_t) from << 32 | (uint64_t) to) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double) ((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* The block of a rank for another, in doubles; on average about the size that is measured.
 *
 *     uniform   from 0 to twice the size
 *     power     half the size over the root of a number from 0 to 1: most are small, few are 32
 *               times the size
 *     hot       the blocks that rank 0 sends and receives have 16 times the size, the others half
 *     zeros     nine of ten are empty, the others have ten times the size */
static int dealt(const napcoll_blocks_t *b, napcoll_deal_t deal, int from, int to)
{
    const double x = draw(from, to), count = b->count;

    switch (deal) {
    case NAPCOLL_DEAL_POWER:
        return (int) (0.5 * count / sqrt(fmax(x, 1.0 / 4096.0)) + draw(to, from));
    case NAPCOLL_DEAL_HOT:
        return 0 == from || 0 == to ? 16 * b->count : (b->count + 1) / 2;
    case NAPCOLL_DEAL_ZEROS:
        return x < 0.1 ? 10 * b->count : 0;
    default:
        return (int) (x * (2.0 * count + 1.0));
    }
}

/* The block of a rank where there is one for each. A deal numbers the ranks from the last, so that
 * the hot rank is not the root. Of few ranks, too many could be empty by chance, so every tenth
 * rank from the last has a block. */
static int block_of(const napcoll_blocks_t *b, const napcoll_measured_coll_t *coll,
                    napcoll_deal_t deal, int rank)
{
    const int mirrored = b->size - 1 - rank;

    if (!coll->deals) {
        return b->count + (coll->uneven ? excess(b, rank) : 0);
    }
    if (NAPCOLL_DEAL_ZEROS == deal) {
        return 0 == mirrored % 10 ? 10 * b->count : 0;
    }
    return dealt(b, deal, mirrored, b->size);
}

/* The rank for which a rank has its i-th block. */
static int target_of(const napcoll_blocks_t *b, int rank, int i)
{
    return NULL == b->graph ? i : b->graph->to[b->graph->out[rank] + i];
}

/* Where the block for this rank begins among those that a rank sends; of a graph's several edges
 * between the two, the one with this number. */
static int origin_of(const napcoll_blocks_t *b, bool uneven, napcoll_deal_t deal, int from,
                     int number)
{
    int origin = 0;

    for (int i = 0;; i++) {
        const int to = target_of(b, from, i);

        if (to == b->rank && 0 == number--) {
            return origin;
        }
        origin += uneven ? dealt(b, deal, from, to) : b->count;
    }
}

/* The number of a block among those before it of the same source. */
static int number_of(const napcoll_blocks_t *b, int block)
{
    int number = 0;

    for (int i = 0; NULL != b->graph && i < block; i++) {
        number += b->source[i] == b->source[block];
    }
    return number;
}

static void set_personalized(napcoll_blocks_t *b, bool uneven, napcoll_deal_t deal)
{
    for (int i = 0; i < b->sent; i++) {
        b->sent_counts[i] = uneven ? dealt(b, deal, b->rank, target_of(b, b->rank, i)) : b->count;
        b->sent_displs[i + 1] = b->sent_displs[i] + b->sent_counts[i];
    }
    for (int i = 0; i < b->come; i++) {
        b->counts[i] = uneven ? dealt(b, deal, b->source[i], b->rank) : b->count;
        b->displs[i + 1] = b->displs[i] + b->counts[i];
        b->origin[i] = origin_of(b, uneven, deal, b->source[i], number_of(b, i));
    }
}

/* Displacements in bytes. */
static void set_offsets(napcoll_blocks_t *b)
{
    const int each = (int) sizeof(double);

    for (int i = 0; i < b->sent; i++) {
        b->sent_offsets[i] = b->sent_displs[i] * each;
        b->sent_places[i] = b->sent_offsets[i];
    }
    for (int i = 0; i < b->come; i++) {
        b->offsets[i] = b->displs[i] * each;
        b->places[i] = b->offsets[i];
    }
}

/* Of what ranks blocks come, and how many are sent. */
static void set_sources(napcoll_blocks_t *b, bool neighbor)
{
    const napcoll_edge_lists_t *graph = b->graph;

    b->come = neighbor ? graph->in[b->rank + 1] - graph->in[b->rank] : b->size;
    b->sent = neighbor ? graph->out[b->rank + 1] - graph->out[b->rank] : b->size;
    for (int i = 0; i < b->come; i++) {
        b->source[i] = neighbor ? graph->from[graph->in[b->rank] + i] : i;
    }
}

void napcoll_blocks_open(napcoll_blocks_t *b, int rank, int size, const napcoll_edge_lists_t *graph)
{
    const int most = NULL == graph ? 0 : napcoll_edge_lists_most(graph);
    const size_t room = (size_t) (most > size ? most : size) + 1;

    *b = (napcoll_blocks_t){.rank = rank,
                            .size = size,
                            .graph = graph,
                            .source = napcoll_allocate(8 * room, sizeof(int)),
                            .places = napcoll_allocate(2 * room, sizeof(MPI_Aint))};
    b->counts = b->source + room;
    b->sent_places = b->places + room;
    b->displs = b->counts + room;
    b->sent_counts = b->displs + room;
    b->sent_displs = b->sent_counts + room;
    b->origin = b->sent_displs + room;
    b->offsets = b->origin + room;
    b->sent_offsets = b->offsets + room;
    b->types = napcoll_allocate(room, sizeof(*b->types));
    for (size_t i = 0; i < room; i++) {
        b->types[i] = MPI_DOUBLE;
    }
}

/* Vectors have no displacements: an int could be too small for their sum. */
void napcoll_blocks_set(napcoll_blocks_t *b, const napcoll_measured_coll_t *coll,
                        napcoll_deal_t deal, size_t bytes)
{
    b->count = (int) (bytes / sizeof(double));
    set_sources(b, coll->neighbor);
    if (coll->personalized) {
        set_personalized(b, coll->uneven, deal);
        set_offsets(b);
        return;
    }
    b->own = block_of(b, coll, deal, b->rank);
    for (int i = 0; i < b->come; i++) {
        b->counts[i] = block_of(b, coll, deal, b->source[i]);
        b->displs[i + 1] = napcoll_measured_has_blocks(coll) ? b->displs[i] + b->counts[i] : 0;
    }
}

size_t napcoll_blocks_room(const napcoll_blocks_t *b, napcoll_buffer_t buffer)
{
    switch (buffer) {
    case NAPCOLL_BUFFER_OWN:
        return (size_t) b->own;
    case NAPCOLL_BUFFER_ALL:
        return (size_t) b->displs[b->come];
    case NAPCOLL_BUFFER_ROOT:
        return 0 == b->rank ? (size_t) b->displs[b->size] : 0;
    case NAPCOLL_BUFFER_SENT:
        return (size_t) b->sent_displs[b->sent];
    default:
        return 0;
    }
}

void napcoll_blocks_close(napcoll_blocks_t *b)
{
    free(b->source);
    free(b->places);
    free(b->types);
}
