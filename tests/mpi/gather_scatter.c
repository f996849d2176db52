/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * See gather_scatter.h. Arguments that only the root may read are, on the other ranks, an address
 * that nobody can read.
 */
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gather_scatter.h"

/* How many numbers a rank has; at most three blocks. */
static int given(const struct shape *s, int rank, int size)
{
    switch (s->deal) {
    case EVEN:
        return s->block;
    case THREE_SIZES: /* one of them 0 */
        return rank % 3 * s->block;
    case GROWING:
        return (1 + rank * 3 / size) * s->block;
    case ONE_IS_HOT:
        return rank == size / 2 ? 3 * s->block : s->block;
    case FEW:
        return 1 == rank % 5 ? s->block : 0;
    case ROOT_ALONE:
        return rank == s->root ? s->block : 0;
    default:
        return rank == s->root ? 0 : s->block;
    }
}

/* Which number of the root's buffer the block of a rank begins at, counted from the buffer's
 * address. */
static int begin_of(const struct shape *s, int rank, int size)
{
    return block_begin(s, given, s->order, s->block, rank, size);
}

/* Bytes that that many numbers take in a buffer. */
static MPI_Aint bytes_of(const struct layout *l, int numbers)
{
    return numbers / l->parts * l->extent;
}

static MPI_Aint room(const struct shape *s, int size)
{
    return bytes_of(s->all, blocks_room(s, given, s->order, s->block, size));
}

/* Of that, what lies before the address. */
static MPI_Aint room_before(const struct shape *s, int size)
{
    return bytes_of(s->all, blocks_before(s->order, s->block, size));
}

/* Writes the block of a rank in a layout to an address. */
static void store(const struct shape *s, const struct layout *l, char *block, int rank, int size)
{
    const int numbers = given(s, rank, size);

    for (int i = 0; i < numbers; ++i) {
        char *at = block + layout_offset(l, i);
        const double x = rank * 1048576.0 + i + s->salt / 1024.0;

        if (sizeof(x) == l->bytes) {
            memcpy(at, &x, sizeof(x));
        } else {
            *at = (char) ((rank * 7 + s->salt * 13 + i + i / 251) % 251);
        }
    }
}

/* The same where it lies among all blocks, whose room begins here. */
static void store_among_all(const struct shape *s, char *begin, int rank, int size)
{
    char *block = begin + room_before(s, size) + bytes_of(s->all, begin_of(s, rank, size));

    store(s, s->all, block, rank, size);
}

static void store_all(const struct shape *s, char *begin, int size)
{
    for (int rank = 0; rank < size; ++rank) {
        store_among_all(s, begin, rank, size);
    }
}

/* Both buffers of a call before it, and what is to be in them afterwards. Of the other ranks' none
 * is the root's buffer, and of the root's own none is used in place. */
void gather_scatter_prepare(const struct test *t, const struct group *g, const struct shape *s,
                            struct memory *m)
{
    const bool root = g->rank == s->root, in_place = root && s->in_place;
    const MPI_Aint all = root ? room(s, g->size) : 0;
    const MPI_Aint own = bytes_of(s->own, given(s, g->rank, g->size));

    memory_open(m, scatters(t) ? all : own, scatters(t) ? own : all);
    if (scatters(t)) {
        if (root) {
            store_all(s, m->send + MARGIN, g->size);
        }
        memory_keep(m);
        if (!in_place) {
            store(s, s->own, m->expected + MARGIN, g->rank, g->size);
        }
        return;
    }
    if (in_place) {
        store_among_all(s, m->recv + MARGIN, g->rank, g->size);
    } else {
        store(s, s->own, m->send + MARGIN, g->rank, g->size);
    }
    memory_keep(m);
    if (root) {
        store_all(s, m->expected + MARGIN, g->size);
    }
}

/* A page that nobody may look at. */
static void *barred(void)
{
    static void *page;
    const long bytes = sysconf(_SC_PAGESIZE);

    if (NULL == page) {
        page = mmap(NULL, (size_t) bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (MAP_FAILED == page) {
            fprintf(stderr, "# no page that nobody may look at\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    return page;
}

/* Arguments that MPI must not look at, in turn those that say so and those that kill who looks. */
struct side side_of_nobody(int turn)
{
    if (0 == turn % 2) {
        return (struct side){.count = -1, .type = MPI_DATATYPE_NULL};
    }
    return (struct side){.buffer = barred(),
                         .count = INT_MAX,
                         .type = barred(),
                         .counts = barred(),
                         .displs = barred()};
}

/* The root's buffer; the caller gives the arrays and the type back with side_free. */
static struct side side_of_all(const struct shape *s, char *buffer, int size)
{
    struct side all = {.buffer = buffer + room_before(s, size),
                       .count = s->block / s->all->parts,
                       .type = layout_type(s->all),
                       .counts = tap_alloc((size_t) size * sizeof(int)),
                       .displs = tap_alloc((size_t) size * sizeof(int))};

    for (int rank = 0; rank < size; ++rank) {
        all.counts[rank] = given(s, rank, size) / s->all->parts;
        all.displs[rank] = begin_of(s, rank, size) / s->all->parts;
    }
    return all;
}

static struct side side_of_own(const struct shape *s, const struct group *g, char *buffer)
{
    return (struct side){.buffer = buffer,
                         .count = given(s, g->rank, g->size) / s->own->parts,
                         .type = layout_type(s->own)};
}

static void side_free(struct side *side, const struct layout *l)
{
    free(side->counts);
    free(side->displs);
    layout_type_free(l, &side->type);
}

int gather_scatter_call(const struct test *t, const struct side *own, const struct side *all,
                        int root, MPI_Comm comm)
{
    if (!scatters(t)) {
        return takes_counts(t) ? MPI_Gatherv(own->buffer, own->count, own->type, all->buffer,
                                             all->counts, all->displs, all->type, root, comm)
                               : MPI_Gather(own->buffer, own->count, own->type, all->buffer,
                                            all->count, all->type, root, comm);
    }
    return takes_counts(t) ? MPI_Scatterv(all->buffer, all->counts, all->displs, all->type,
                                          own->buffer, own->count, own->type, root, comm)
                           : MPI_Scatter(all->buffer, all->count, all->type, own->buffer,
                                         own->count, own->type, root, comm);
}

/* The call, with buffers that were prepared. */
void gather_scatter_perform(const struct test *t, const struct group *g, const struct shape *s,
                            struct memory *m)
{
    const bool root = g->rank == s->root, in_place = root && s->in_place;
    const int turn = g->rank + s->root + s->salt;
    char *all_buffer = (scatters(t) ? m->send : m->recv) + MARGIN;
    char *own_buffer = (scatters(t) ? m->recv : m->send) + MARGIN;
    struct side all = root ? side_of_all(s, all_buffer, g->size) : side_of_nobody(turn);
    struct side own = in_place ? side_of_nobody(turn) : side_of_own(s, g, own_buffer);

    if (in_place) {
        own.buffer = MPI_IN_PLACE;
    }
    mpi_check(gather_scatter_call(t, &own, &all, s->root, g->comm), t->coll);
    if (root) {
        side_free(&all, s->all);
    }
    if (!in_place) {
        side_free(&own, s->own);
    }
}

/* After the call: whether the blocks are where they belong, and every byte beside them as
 * before. */
bool gather_scatter_finish(struct test *t, const struct shape *s, struct memory *m)
{
    char text[TAP_TEXT];
    bool good;

    snprintf(text, sizeof(text), "%s, root %d, %s, own block %s, block %d, deal %d, order %d%s",
             t->coll, s->root, s->all->name, s->own->name, s->block, (int) s->deal, (int) s->order,
             s->in_place ? ", in place" : "");
    good = memory_good(&t->tap, m, text);
    memory_close(m);
    return good;
}

bool gather_scatter_moves(struct test *t, const struct group *g, const struct shape *s)
{
    struct memory m;

    gather_scatter_prepare(t, g, s, &m);
    gather_scatter_perform(t, g, s, &m);
    return gather_scatter_finish(t, s, &m);
}
