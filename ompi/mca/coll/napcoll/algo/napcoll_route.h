/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Routes: who sends which blocks to whom, and when, until everybody who takes part has all blocks.
 *
 * At the beginning each member of a group has its own blocks. Read forwards, a route is an
 * allgather: a message brings blocks that the receiver does not have yet. Read backwards, it is a
 * reduce-scatter: each message goes the other way and carries what its sender has reduced of these
 * blocks so far, and the receiver reduces it into its own; at the end each member has its own blocks
 * reduced over all. Both ways a block passes every process once.
 *
 *     forwards               a -- block 3 --> b -- block 3 --> c
 *     backwards              a <- a'+b'+c' -- b <--  c'  ----- c
 *
 * So allgather, reduce-scatter, and the large allreduce and reduce (the one, then the other) share
 * what follows: a route is made for one process, and then emitted stage by stage into its plan
 * by napcoll_route_gather and napcoll_reduction_stage. Several routes can go into one plan,
 * shifted in stages (a pipeline over segments of the vector).
 */

#ifndef NAPCOLL_ROUTE_H
#define NAPCOLL_ROUTE_H

#include "algo/napcoll_algo.h"
#include "algo/napcoll_sketch.h"
#include "topo/napcoll_dfs_order.h"

/**
 * A message of this process, of an allgather: blocks [first, first + count).
 *
 * One that returns is of blocks which its sender gets once more, later on (they are gathered first, then
 * handed to all). Backwards that comes first: its receiver has given its own value away, and takes this
 * one in its place.
 */
typedef struct napcoll_move {
    int stage;
    int peer; /**< rank of its other end */
    bool send;
    int first;
    int count;
    bool returns; /**< see above */
    int order;    /**< among moves that are being sorted */
} napcoll_move_t;

/** What one process does; all zero: nothing. */
typedef struct napcoll_route {
    napcoll_move_t *move; /**< [moves] */
    int moves;
    int room;
    bool mixed; /**< moves do not stand in the order of their stages */
    int stages; /**< the same for all processes of one route */

    /** Of a sketch: stages that stand for several. */
    struct {
        int stage;
        int times;
    } repeat[NAPCOLL_SKETCH_PARTS];
    int repeats;
    bool failed; /**< memory ran out: the route is not whole */
} napcoll_route_t;

/**
 * Who takes part in a part of a route, and with which blocks. Bundles follow each other in member
 * order: member m has blocks [first(m), first(m + 1)), perhaps none.
 */
typedef struct napcoll_group {
    int members;
    int self; /**< this process */

    /** Rank of a member in the communicator. */
    int (*rank)(const struct napcoll_group *group, int member);

    /** First block of a member's bundle; that of member `members` is where the last one ends. */
    int (*first)(const struct napcoll_group *group, int member);

    /** Whether a run of bundles over the end is one message (the group has all blocks of a plan in
     * the layout of ranks, gathered in a temporary that begins with the process's own), or two. */
    bool cyclic;

    const napcoll_node_map_t *map;  /**< for rank and first */
    const napcoll_dfs_order_t *dfs; /**< likewise, where members stand in its order */
    int node;                       /**< likewise */
    int lane;                       /**< likewise */
    int base;                       /**< likewise */
} napcoll_group_t;

/** Free what a route holds. */
void napcoll_route_free(napcoll_route_t *route);

/** Add a message; one of no blocks is none. */
void napcoll_route_move(napcoll_route_t *route, int stage, int peer, bool send, int first,
                        int count);

/** Let a stage of a sketch stand for a number of like stages. */
void napcoll_route_repeat(napcoll_route_t *route, int stage, int times);

/** For how many stages a stage stands. */
int napcoll_route_times(const napcoll_route_t *route, int stage);

/** Add the message of a run of `count` bundles, from member `from` of the group on, round the end. */
void napcoll_route_run(napcoll_route_t *route, const napcoll_group_t *group, int stage, int peer,
                       bool send, int from, int count);

/**
 * Ring: in n - 1 stages each member passes on to the next what came from the one before.
 *
 *     cost   (n - 1) (alpha + beta b), b the bytes of a bundle
 *
 * @param[in,out] route  where to
 * @param[in]     group     who
 * @param[in]     stage     the first one
 *
 * @return the stage after the last
 */
int napcoll_route_ring(napcoll_route_t *route, const napcoll_group_t *group, int stage);

/**
 * Bruck's allgather with any radix and any number of members: member m has the bundles of members m to
 * m + w - 1 (round the end), and gets those of the next (radix - 1) w ones from radix - 1 members.
 *
 *     cost   ceil(log_radix n) alpha + (n - 1) beta b, radix - 1 messages at once
 *
 * J. Bruck et al.: "Efficient algorithms for all-to-all communications in multiport message-passing
 * systems", 1997. With radix = n each member sends its bundle to all others at once.
 */
int napcoll_route_bruck(napcoll_route_t *route, const napcoll_group_t *group, int stage, int radix);

/**
 * Recursive doubling among a power of two of members, neighbours first.
 *
 *     cost   log2(n) alpha + (n - 1) beta b
 */
int napcoll_route_doubling(napcoll_route_t *route, const napcoll_group_t *group, int stage);

/**
 * Recursive multiplying among any number of members: on each level of the balanced split
 * (napcoll_split.h) a member gets the bundles of the other parts of its group. Parts are runs of
 * members, so that every message is one run of blocks, where Bruck's go round the end. A member of a
 * part that is smaller than others sends to one member more, radix ones at most.
 *
 *     cost   ceil(log_radix n) alpha + (n - 1) beta b, radix - 1 messages at once
 */
int napcoll_route_multiplying(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                              int radix);

/** Each member sends its bundle to all others at once, and gets theirs. One stage. */
int napcoll_route_direct(napcoll_route_t *route, const napcoll_group_t *group, int stage);

/**
 * Gather to one member, along the balanced split (napcoll_split.h): the bundles of a part meet where its
 * first member is, or the root, and go on together. For reading forwards: only the root gets all.
 *
 *     cost   ceil(log_radix n) alpha + (n - 1) beta b, radix - 1 messages at once
 *
 * @param[in,out] route  where to
 * @param[in]     group     who
 * @param[in]     stage     the first one
 * @param[in]     radix     of the split
 * @param[in]     root      the member
 *
 * @return the stage after the last
 */
int napcoll_route_collect(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                          int radix, int root);

/**
 * Scatter from one member: napcoll_route_collect the other way round. Before, the root has all; then
 * each member has its bundle, and those of the members behind it that it has passed on.
 */
int napcoll_route_scatter(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                          int radix, int root);

/**
 * Emit the whole route forwards, for every segment, each a stage behind the one before, from and into
 * one of the user's buffers. Takes time for the moves times the segments, however many stages there are.
 *
 * @param[in]     builder   the plan, of segments * blocks blocks
 * @param[in,out] route  of one segment; its moves are sorted by their stages
 * @param[in]     buffer    where all blocks are
 * @param[in]     segments  of the vector
 * @param[in]     blocks    of a segment
 */
void napcoll_route_pour(napcoll_builder_t *builder, napcoll_route_t *route, int buffer,
                        int segments, int blocks);

/**
 * Emit a stage's messages, forwards, into the builder's current stage.
 *
 * @param[in,out] builder   the plan
 * @param[in]     route  this process's
 * @param[in]     stage     of the route
 * @param[in]     whole     the buffer of all blocks, and the block that it begins with (see cyclic)
 * @param[in]     shift     added to the route's block numbers
 */
void napcoll_route_gather(napcoll_builder_t *builder, const napcoll_route_t *route, int stage,
                          napcoll_span_t whole, int shift);

/**
 * The values of blocks that are being reduced on this process: where each of them is.
 */
typedef struct napcoll_reduction {
    napcoll_builder_t *builder;
    napcoll_span_t home; /**< where values end: a buffer of all blocks, and its first block. Block
                              numbers below that are those of the next round (see cyclic) */
    int blocks;
    int *buffer; /**< [blocks] where a block's value is now; NULL in a sketch, where it is home */
    bool noncommutative; /**< values of lower ranks are left operands */
    int rank;            /**< this process */
} napcoll_reduction_t;

/**
 * Begin to reduce.
 *
 * @param[out] reduce     the values, all of them at `input`
 * @param[in]  builder  the plan
 * @param[in]  request  whose
 * @param[in]  input    buffer of all blocks, which is not written but where it is home as well
 * @param[in]  home     see napcoll_reduction_t
 * @param[in]  blocks   in all
 *
 * @return false where memory ran out, and the builder is marked as failed; end it in any case
 */
bool napcoll_reduction_begin(napcoll_reduction_t *reduction, napcoll_builder_t *builder,
                             const napcoll_plan_args_t *args, int input, napcoll_span_t home,
                             int blocks);

/** Emit a stage's messages, backwards, into the builder's current stage, with the reduces that follow. */
void napcoll_reduction_stage(napcoll_reduction_t *reduction, const napcoll_route_t *route,
                             int stage, int shift);

/** See that the values of blocks [first, first + count) are in one buffer, in a stage before the one in
 * which they are sent; returns that span. */
napcoll_span_t napcoll_reduction_settle(napcoll_reduction_t *reduction, int first, int count);

/** Bring values home. */
void napcoll_reduction_home(napcoll_reduction_t *reduction, int first, int count);

/** Fold a value that has been received in the current stage into blocks; the temporary is the reduction's
 * from then on. */
void napcoll_reduction_in(napcoll_reduction_t *reduction, napcoll_span_t value, int peer);

/**
 * Emit an allreduce: the route backwards, then forwards, for every segment, each a stage behind the
 * one before, so that they are in different stages at any time.
 *
 * @param[in,out] reduce      begun, for all blocks of all segments
 * @param[in]     route  of one segment
 * @param[in]     segments  of the vector
 * @param[in]     blocks    of a segment
 * @param[in]     own       the block of a segment that this process owns, or -1
 */
void napcoll_pipeline(napcoll_reduction_t *reduction, const napcoll_route_t *route, int segments,
                      int blocks, int own);

/**
 * The same with two routes, of as many stages on every process each: one backwards, then another
 * forwards, which gathers what the first one has reduced.
 */
void napcoll_pipeline_through(napcoll_reduction_t *reduction, const napcoll_route_t *backwards,
                              const napcoll_route_t *forwards, int segments, int blocks, int own);

/** Free the reduction's list. */
void napcoll_reduction_end(napcoll_reduction_t *reduction);

#endif /* NAPCOLL_ROUTE_H */
