/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Datatypes of a few numbers each, with odd bounds, and the memory of one call, in which every byte
 * that a collective must not write is seen to be as before.
 */
#ifndef TEST_LAYOUTS_H
#define TEST_LAYOUTS_H

#include "tap_mpi.h"

enum { PARTS_MAX = 4, MARGIN = 128, GAP = 0x5a };

/* Where the numbers of one element lie; bytes between them belong to nobody. */
struct layout {
    const char *name;
    int parts;
    /* Of a part: a byte, an int or a double */
    size_t bytes;
    /* Of the parts, relative to the element's address */
    MPI_Aint at[PARTS_MAX];
    MPI_Aint lb, extent;
};

enum { NUM_LAYOUTS = 6, FIRST_SPREAD = 2 };

/* Where the blocks of ranks lie in a buffer: one behind the other, or each in a slot that none
 * needs in full. */
enum order { IN_A_ROW, WITH_GAPS, BACKWARDS, SHUFFLED, AROUND, NUM_ORDERS };

/* What such an order is called in the names of checks. */
static inline const char *order_name(enum order order)
{
    static const char *const name[NUM_ORDERS] = {"in_a_row", "with_gaps_that_stay",
                                                 "in_reverse_order", "in_any_order",
                                                 "before_and_behind_the_address"};

    return name[order];
}

/* The slot of a rank's block, counted from the buffer's address. */
static inline int slot_at(enum order order, int rank, int size)
{
    switch (order) {
    case BACKWARDS:
        return size - 1 - rank;
    case SHUFFLED: /* odd ranks upwards, then even ones downwards */
        return 1 == rank % 2 ? rank / 2 : size - 1 - rank / 2;
    case AROUND: /* some before the address */
        return rank - size / 2;
    default:
        return rank;
    }
}

/* One call, as the test describes it, and how many numbers a rank gives or gets in
 * it. */
struct shape;
typedef int given_t(const struct shape *s, int rank, int size);

/* Which number of a buffer of all ranks' blocks the block of a rank begins at, counted from the
 * buffer's address. Except with IN_A_ROW, each has a slot for three blocks of the usual size. */
static inline int block_begin(const struct shape *s, given_t *given, enum order order, int block,
                              int rank, int size)
{
    int sum = 0;

    if (IN_A_ROW != order) {
        return slot_at(order, rank, size) * 3 * block;
    }
    for (int r = 0; r < rank; ++r) {
        sum += given(s, r, size);
    }
    return sum;
}

/* How many numbers such a buffer has room for. */
static inline int blocks_room(const struct shape *s, given_t *given, enum order order, int block,
                              int size)
{
    return IN_A_ROW == order ? block_begin(s, given, order, block, size, size) : size * 3 * block;
}

/* Of these, how many lie before its address. */
static inline int blocks_before(enum order order, int block, int size)
{
    return AROUND == order ? size / 2 * 3 * block : 0;
}

/* Layouts of doubles; those from FIRST_SPREAD on have two parts and bytes that are nobody's. */
static inline const struct layout *layout_at(int i)
{
    static const struct layout all[NUM_LAYOUTS] = {
        {"single_doubles", 1, sizeof(double), {0}, 0, 8},
        {"four_doubles", 4, sizeof(double), {0, 8, 16, 24}, 0, 32},
        {"negative_lower_bound", 2, sizeof(double), {-16, 8}, -24, 48},
        {"lower_bound_above_zero", 2, sizeof(double), {32, 16}, 8, 48},
        {"gaps", 2, sizeof(double), {0, 16}, 0, 32},
        {"parts_outside_extent", 2, sizeof(double), {0, 56}, 0, 24},
    };

    return &all[i];
}

/* Whether an element is one number and nothing else. */
static inline bool layout_plain(const struct layout *l)
{
    return 1 == l->parts && 0 == l->at[0] && 0 == l->lb && (MPI_Aint) l->bytes == l->extent;
}

/* The type of a part. */
static inline MPI_Datatype layout_number(const struct layout *l)
{
    if (1 == l->bytes) {
        return MPI_BYTE;
    }
    return sizeof(double) == l->bytes ? MPI_DOUBLE : MPI_INT;
}

/* The datatype; the caller gives it to layout_type_free(). A plain layout's is MPI's own. */
static inline MPI_Datatype layout_type(const struct layout *l)
{
    const int length[PARTS_MAX] = {1, 1, 1, 1};
    MPI_Datatype number = layout_number(l), parts, type;

    if (layout_plain(l)) {
        return number;
    }
    mpi_check(MPI_Type_create_hindexed(l->parts, length, l->at, number, &parts),
              "MPI_Type_create_hindexed");
    mpi_check(MPI_Type_create_resized(parts, l->lb, l->extent, &type), "MPI_Type_create_resized");
    mpi_check(MPI_Type_commit(&type), "MPI_Type_commit");
    mpi_check(MPI_Type_free(&parts), "MPI_Type_free");
    return type;
}

static inline void layout_type_free(const struct layout *l, MPI_Datatype *type)
{
    if (!layout_plain(l)) {
        mpi_check(MPI_Type_free(type), "MPI_Type_free");
    }
}

/* Copies the parts of element i alone. */
static inline void layout_copy(const struct layout *l, char *to, const char *from, int i)
{
    for (int part = 0; part < l->parts; ++part) {
        MPI_Aint at = i * l->extent + l->at[part];

        memcpy(to + at, from + at, l->bytes);
    }
}

/* Where number i of a row of elements lies, relative to the first element's address. */
static inline MPI_Aint layout_offset(const struct layout *l, int i)
{
    return i / l->parts * l->extent + l->at[i % l->parts];
}

/* The memory of one call. Each buffer has MARGIN bytes or more before and behind the elements,
 * which nobody is to write, and holds GAPs at first. */
struct memory {
    size_t send_bytes, recv_bytes;
    /* What the call gets; aligned as malloc aligns */
    char *send, *recv;
    /* Copy of send */
    char *sent;
    /* What recv is to hold afterwards */
    char *expected;
};

static inline char *memory_buffer(size_t bytes)
{
    return memset(tap_alloc(bytes), GAP, bytes);
}

static inline void memory_open(struct memory *m, MPI_Aint send_bytes, MPI_Aint recv_bytes)
{
    m->send_bytes = (size_t) send_bytes + 2 * MARGIN;
    m->recv_bytes = (size_t) recv_bytes + 2 * MARGIN;
    m->send = memory_buffer(m->send_bytes);
    m->sent = memory_buffer(m->send_bytes);
    m->recv = memory_buffer(m->recv_bytes);
    m->expected = memory_buffer(m->recv_bytes);
}

/* Once send and recv are filled: remembers both. */
static inline void memory_keep(struct memory *m)
{
    memcpy(m->sent, m->send, m->send_bytes);
    memcpy(m->expected, m->recv, m->recv_bytes);
}

static inline void memory_close(struct memory *m)
{
    free(m->send);
    free(m->sent);
    free(m->recv);
    free(m->expected);
}

/* Whether the call left send alone, and in recv what was expected; a note says what is wrong. */
static inline bool memory_good(struct tap *tap, const struct memory *m, const char *what)
{
    if (0 != memcmp(m->send, m->sent, m->send_bytes)) {
        tap_note(tap, "%s: the send buffer was written", what);
        return false;
    }
    if (0 != memcmp(m->recv, m->expected, m->recv_bytes)) {
        size_t i = 0;

        while (m->recv[i] == m->expected[i]) {
            ++i;
        }
        tap_note(tap, "%s: wrong from byte %td of the receive buffer on", what,
                 (ptrdiff_t) i - MARGIN);
        return false;
    }
    return true;
}

#endif
