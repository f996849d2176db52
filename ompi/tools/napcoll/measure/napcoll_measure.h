/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The measuring engine of collbench and napcoll-tune: contestants of one job carry out the same
 * collective turn by turn, each on its own duplicate of one communicator. What disturbs the machine
 * disturbs all of them alike, so the ratio of two contestants in one turn says more than two runs.
 *
 *     napcoll_measure_open
 *       napcoll_contest_open     one collective, one size, some contestants
 *         napcoll_contest_turns  warm-up first, then turns until a time or a number of them
 *       napcoll_contest_close
 *     napcoll_measure_close
 *
 * All functions are collective over the job. Where MPI fails or a result is wrong they abort it.
 */

#ifndef NAPCOLL_MEASURE_H
#define NAPCOLL_MEASURE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "algo/napcoll_algo.h"
#include "common/napcoll_graph_make.h"
#include "measure/napcoll_counters.h"
#include "measure/napcoll_start.h"

enum { NAPCOLL_MOST_CONTESTANTS = 24 };

/* ---- napcoll_measure_table.c: the collectives ---- */

/** The name of a kind; NULL after the last that this Open MPI has. */
const char *napcoll_kind_name(int kind);

/** What a buffer contains. */
typedef enum {
    NAPCOLL_BUFFER_NOTHING,
    /** vector or block of this rank */
    NAPCOLL_BUFFER_OWN,
    /** blocks of all ranks, or of all in-neighbours */
    NAPCOLL_BUFFER_ALL,
    /** blocks of all ranks at rank 0, nothing elsewhere */
    NAPCOLL_BUFFER_ROOT,
    /** all-to-all: blocks for all ranks, or for all out-neighbours */
    NAPCOLL_BUFFER_SENT
} napcoll_buffer_t;

/** How the blocks of an alltoallv, alltoallw, gatherv or scatterv differ
 * (napcoll_measure_shape.c). */
typedef enum {
    NAPCOLL_DEAL_UNIFORM,
    NAPCOLL_DEAL_POWER,
    NAPCOLL_DEAL_HOT,
    NAPCOLL_DEAL_ZEROS,
    NAPCOLL_DEALS
} napcoll_deal_t;

/** How many doubles each block has. There is one of each rank, or, in a neighbourhood collective,
 * of each neighbour. */
typedef struct napcoll_blocks {
    int rank, size;
    /** the size that is measured: a vector or the average block */
    int count;
    /** of this rank: its own block in doubles, and how many blocks come and are sent */
    int own, come, sent;
    /** NULL: the collective has no neighbours; borrowed */
    const napcoll_edge_lists_t *graph;
    /** [come] the rank that the block is of, its doubles, and where it begins among all blocks,
     * with the end of the last one */
    int *source, *counts, *displs;
    /** all-to-all: [sent] the doubles of the block for it, and where that begins; [come] where the
     * block for this rank begins among those that the source sends */
    int *sent_counts, *sent_displs, *origin;
    /** alltoallw: displs and sent_displs in bytes, in two types, and the type of doubles */
    int *offsets, *sent_offsets;
    MPI_Aint *places, *sent_places;
    MPI_Datatype *types;
} napcoll_blocks_t;

/** What recv has after a call. */
typedef enum {
    NAPCOLL_EXPECT_SUM,
    NAPCOLL_EXPECT_SUM_AT_ROOT,
    NAPCOLL_EXPECT_SUM_OF_BLOCK,
    NAPCOLL_EXPECT_SCAN,
    NAPCOLL_EXPECT_EXSCAN,
    /** the root's vector, the block that the root has for this rank */
    NAPCOLL_EXPECT_ROOT,
    NAPCOLL_EXPECT_BLOCK_OF_ROOT,
    /** each rank's block, each rank's block for this rank */
    NAPCOLL_EXPECT_GATHERED,
    NAPCOLL_EXPECT_ALLTOALL
} napcoll_expect_t;

/** One collective: all that the engine has to know about it. Data are doubles. */
typedef struct napcoll_measured_coll {
    const char *name;
    /** what is sent, and what a size is the size of, "" for none: for headlines */
    const char *data, *bytes;
    napcoll_buffer_t send, recv;
    /** blocks of ranks differ in size */
    bool uneven;
    /** they differ as a deal says, with one block for each rank */
    bool deals;
    /** every rank has a block for every other one, or for every out-neighbour */
    bool personalized;
    /** blocks go along the edges of the communicator's graph */
    bool neighbor;
    /** some rank need not wait for all others: calls in a row would overlap */
    bool overlaps;
    /** call MPI's function of a kind; `request`: what it returns, not for blocking calls */
    int (*call)(napcoll_kind_t kind, const napcoll_blocks_t *blocks, const double *send,
                double *recv, MPI_Comm comm, MPI_Request *request);
    napcoll_expect_t expect;
} napcoll_measured_coll_t;

/** The name of the i-th collective; NULL behind the last. */
const char *napcoll_measured_name(int i);

/** The row of a collective, or NULL. */
const napcoll_measured_coll_t *napcoll_measured_find(const char *name);

/** What `rank` sends in a turn: a small integer, so that any order of adding has the same sum. */
double napcoll_measured_input(size_t element, int turn, int rank);

/** An element of recv where no data should come: below every input and every sum of inputs. */
#define NAPCOLL_UNTOUCHED (-1.0)

/** An element of recv before the call, and of a rank's block in it afterwards; NAN: undefined. */
double napcoll_measured_before(const napcoll_measured_coll_t *coll, size_t element, int turn,
                               int rank);
double napcoll_measured_after(const napcoll_measured_coll_t *coll, const napcoll_blocks_t *blocks,
                              int block, size_t element, int turn);

/* ---- napcoll_measure_shape.c: the sizes of blocks ---- */

/** The name of a deal; NULL after the last. */
const char *napcoll_deal_name(int deal);

/** Whether a buffer has the blocks of all ranks. */
bool napcoll_measured_has_blocks(const napcoll_measured_coll_t *coll);

/** The largest block that leaves this many blocks within 64 MiB; SIZE_MAX for vectors. */
size_t napcoll_measured_most(const napcoll_measured_coll_t *coll, int blocks);

/** Make room for the sizes of blocks, set them, and release them. graph: the neighbours of all
 * ranks, which the blocks borrow; or NULL. */
void napcoll_blocks_open(napcoll_blocks_t *blocks, int rank, int size,
                         const napcoll_edge_lists_t *graph);
void napcoll_blocks_set(napcoll_blocks_t *blocks, const napcoll_measured_coll_t *coll,
                        napcoll_deal_t deal, size_t bytes);
void napcoll_blocks_close(napcoll_blocks_t *blocks);

/** The doubles of a buffer. */
size_t napcoll_blocks_room(const napcoll_blocks_t *blocks, napcoll_buffer_t buffer);

/* ---- napcoll_contest.c ---- */

/** The processes that measure, as one of them sees them. */
typedef struct napcoll_measure {
    /** of all processes, for everything that is not measured; never served by napcoll */
    MPI_Comm helper;
    napcoll_start_t start;
    int rank, size;
    /** state of the generator that shuffles each turn */
    uint64_t random;
    napcoll_blocks_t blocks;
    double *send, *recv;
    size_t send_room, recv_room;
    /** of mock-ups */
    double *scratch;
    size_t scratch_room;
    /** of the functions of the collective that is measured, or none (num = 0) */
    struct napcoll_counters counters[NAPCOLL_KINDS];
} napcoll_measure_t;

/** Blocking calls of other collectives that have the same result in recv as the one that is
 * measured; returns MPI's code. */
typedef int napcoll_mockup_t(const napcoll_measure_t *measure, MPI_Comm comm);

/** What to measure, the same on all ranks. */
typedef struct napcoll_contest_args {
    const napcoll_measured_coll_t *coll;
    napcoll_deal_t deal;
    size_t bytes;
    int contestants;
    MPI_Comm comm[NAPCOLL_MOST_CONTESTANTS];
    const char *label[NAPCOLL_MOST_CONTESTANTS];
    napcoll_kind_t kind[NAPCOLL_MOST_CONTESTANTS];
    /** NULL: the contestant calls the collective */
    napcoll_mockup_t *mockup[NAPCOLL_MOST_CONTESTANTS];
    /** doubles of measure->scratch that mock-ups need */
    size_t scratch;
    /** in each turn, take another sample of those that do not block, with computation */
    bool overlap;
    /** calls of MPI_Test in the computation */
    int tests;
    /** turns at most */
    int most;
    /** calls in a row that make a sample; 0: chosen */
    int batch;
    /** seconds that a sample should last; 0: chosen */
    double sample_time;
    /** a contestant that is slower than the fastest by this factor has no turns; 0: all have */
    double drop;
    /** contestants of a pool that have turns, the fastest before the first turn; 0: all have */
    int finalists;
    /** the pool of a contestant; 0: none */
    int pool[NAPCOLL_MOST_CONTESTANTS];
} napcoll_contest_args_t;

/** What one contestant did. */
typedef struct napcoll_contestant {
    bool dropped;
    /** seconds of a call before the first turn, once it was warm; known to all ranks */
    double first_look;
    /** calls of a sample; 0 before the first look */
    int batch;
    /** rank 0: [turns] seconds of a call by the slowest process */
    double *seconds;
    /** rank 0: [turns] run time of a call: from the first entry to the last exit */
    double *run;
    /** rank 0, of the samples with computation: [turns] seconds of a call with the computation, and
     * of the computation, by the slowest process; NULL: there are none */
    double *overall, *compute;
    /** calls in its turns, or of the first look if it was dropped, and what napcoll counted in
     * them */
    unsigned long long calls, ran[NAPCOLL_COUNTERS_MAX];
    /** the sample before, and the one with computation */
    napcoll_start_before_t last, last_overlapped;
    /** of a persistent call: made when the turns of its size begin or go on */
    MPI_Request request;
} napcoll_contestant_t;

/** The turns of one size. */
typedef struct napcoll_contest {
    napcoll_contest_args_t args;
    /** rank 0: turns that count; all ranks: turns, also those with a missed start */
    int turns, taken;
    /** seconds in all turns */
    double spent;
    napcoll_contestant_t contestant[NAPCOLL_MOST_CONTESTANTS];
    /** rank 0: [turns] delay of the last process after the start */
    double *skew;
} napcoll_contest_t;

/** Until when turns go on; rank 0's values count. */
typedef struct napcoll_contest_until {
    /** as many turns in all, but not fewer than `least` whatever the time */
    int least, most;
    /** by MPI_Wtime: no turn that would end later; and the time after which not even `least`
     * counts */
    double time, end;
    /** rank 0 calls it after each turn with this context, or NULL */
    void (*progress)(void *context, const napcoll_contest_t *turns);
    /** rank 0 asks it before each turn, with this context, whether those before are enough, or NULL
     */
    bool (*enough)(void *context, const napcoll_contest_t *turns);
    void *context;
} napcoll_contest_until_t;

/** Prepare measuring on all processes of MPI_COMM_WORLD. */
void napcoll_measure_open(napcoll_measure_t *measure);
void napcoll_measure_close(napcoll_measure_t *measure);

/** What the clocks did so far, in one line: offset error and missed starts. Rank 0. */
void napcoll_measure_clocks(const napcoll_measure_t *measure, FILE *out);

/** Whether a component of coll is loaded, and its priority: from its parameter in MPI_T. */
bool napcoll_measure_has(const char *component, int *priority);

/**
 * The graph of a choice, the same on all ranks, for neighbourhood collectives. Rank 0 makes it.
 *
 * @param[in]     choice   rank 0's counts
 * @param[in,out] measure  its blocks borrow the graph from now on
 * @param[out]    graph    to be freed after the measure, also after an error
 * @param[out]    message  what is wrong, where false is returned; on rank 0
 *
 * @return whether there is a graph, alike on all ranks
 */
bool napcoll_measure_graph(const napcoll_graph_choice_t *choice, napcoll_measure_t *measure,
                           napcoll_edge_lists_t *graph, char message[NAPCOLL_MESSAGE]);

/**
 * A duplicate of MPI_COMM_WORLD, or of a communicator with a graph.
 *
 * @param[in] graph       the neighbours of all ranks; NULL: none
 * @param[in] preference  component that should serve it
 * @param[in] coll        collective, with `action`
 * @param[in] action      what napcoll does then, as in rules: nap local_radix=2; "": auto
 */
MPI_Comm napcoll_measure_dup(const napcoll_edge_lists_t *graph, const char *preference,
                             const char *coll, const char *action);

/** Begin to measure one collective of one size. */
napcoll_contest_t *napcoll_contest_open(const napcoll_contest_args_t *args);

/** Take turns, after a warm-up the first time. The sizes of other calls may be measured in
 * between. */
void napcoll_contest_turns(napcoll_measure_t *measure, napcoll_contest_t *turns,
                           const napcoll_contest_until_t *until);
void napcoll_contest_close(napcoll_contest_t *turns);

/* ---- napcoll_measure_calls.c ---- */

/** Make and free the requests of persistent calls, which use the buffers of `measure`. */
void napcoll_calls_open(const napcoll_measure_t *measure, napcoll_contest_t *turns);
void napcoll_calls_close(napcoll_contest_t *turns);

/** One blocking call of a nonblocking contestant: its component may need messages to prepare for
 * the communicator, which a nonblocking call must not wait for. */
void napcoll_calls_prepare(const napcoll_measure_t *measure, napcoll_contest_t *turns, int which);

/** Computation between a call and MPI_Wait. */
typedef struct napcoll_computation {
    /** of each call; 0: none */
    double seconds;
    /** what all calls of a sample spent in it, without MPI_Test */
    double spent;
} napcoll_computation_t;

/**
 * The timed region: some calls of a contestant in a row.
 *
 * @param[in,out] computation `spent` is set
 *
 * @return seconds of all calls
 */
double napcoll_calls_run(const napcoll_measure_t *measure, napcoll_contest_t *turns, int which,
                         int calls, napcoll_computation_t *computation);

#endif /* NAPCOLL_MEASURE_H */
