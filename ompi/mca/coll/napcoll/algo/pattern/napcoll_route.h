/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Routes: which blocks a process sends and receives, and when, until all members of a group have
 * all blocks. A route is the route of one process.
 *
 * At the beginning each member has its own blocks. Read forwards, a route is an allgather: a
 * message brings blocks that the receiver does not have yet. Read backwards, it is a
 * reduce-scatter: each message goes in the other direction with what its sender has reduced of
 * these blocks so far, and the receiver reduces it into its own values. At the end each member has
 * its own blocks reduced over all.
 *
 *     forwards               a -- block 3 --> b -- block 3 --> c
 *     backwards              a <- a'+b'+c' -- b <--  c'  ----- c
 *
 * Allgather, reduce-scatter, broadcast and the large allreduce and reduce (backwards, then
 * forwards) all come of routes. napcoll_route_emit writes a stage of a route into a plan, forwards;
 * napcoll_reduction_emit (napcoll_reduction.h) backwards. Several routes, or one for each segment
 * of a vector, can go into one plan, shifted in stages (a pipeline).
 */

#ifndef NAPCOLL_ROUTE_H
#define NAPCOLL_ROUTE_H

#include "algo/pattern/napcoll_group.h"
#include "algo/pattern/napcoll_sketch.h"

/** A message of this process, of an allgather: blocks [first, first + count). */
typedef struct napcoll_move {
    int stage;
    /** Rank of the other end. */
    int peer;
    bool send;
    int first;
    int count;
    /** Not a message but a phase of another component, a broadcast, gather or share, with the root
     * member `peer`; send: this process is the root. It is alone in its stage. */
    napcoll_phase_t phase;
    napcoll_scope_t scope;
    /** Of a gather or share: the own run. */
    napcoll_block_range_t own;
    /** The sender gets these blocks again later: they are gathered first, then handed to all.
     * Backwards the receiver gets a final value in place of its own. */
    bool returns;
    /** Place among the moves while these are sorted. */
    int order;
} napcoll_move_t;

/** What one process does; all zero: nothing. */
typedef struct napcoll_route {
    /** [moves] in the order of their stages, unless unsorted. */
    napcoll_move_t *move;
    int moves;
    int capacity;
    bool unsorted;
    /** The same for all processes of one route. */
    int stages;
    /** Of a sketch: stages that stand for several. */
    struct {
        int stage;
        int times;
    } repeat[NAPCOLL_SKETCH_PARTS];
    int repeats;
    /** Memory ran out: the route is incomplete. */
    bool failed;
} napcoll_route_t;

typedef enum {
    NAPCOLL_ROUTE_UP,  /**< towards the root of a tree */
    NAPCOLL_ROUTE_DOWN /**< away from it */
} napcoll_route_direction_t;

/** Free what a route has allocated. */
void napcoll_route_free(napcoll_route_t *route);

/** Add a message; one of no blocks is left out. */
void napcoll_route_move(napcoll_route_t *route, int stage, int peer, bool send, int first,
                        int count);

/** Let a stage of a sketch stand for a number of like stages. */
void napcoll_route_repeat(napcoll_route_t *route, int stage, int times);

/** For how many stages a stage stands. */
int napcoll_route_times(const napcoll_route_t *route, int stage);

/** Add a message of the blocks of `count` members from member `from` on, round the end. */
void napcoll_route_run(napcoll_route_t *route, const napcoll_group_t *group, int stage, int peer,
                       bool send, int from, int count);

/* Each of the following adds the messages of one pattern, from a stage on, and returns the stage
 * after its last. b is the bytes of a member's blocks. */

/**
 * Ring: in n - 1 stages each member passes on to the next what came from the one before.
 *
 *     cost   (n - 1) (alpha + beta b)
 *
 * `scattered`: after a scatter down the tree of radix 2, what a member already has is not sent to
 * it.
 */
int napcoll_route_ring(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                       bool scattered);

/**
 * Bruck's allgather with any radix and any number of members: member m has the blocks of members m
 * to m + w - 1 (round the end), and gets the blocks of the next (radix - 1) w members in radix - 1
 * messages.
 *
 *     cost   ceil(log_radix n) alpha + (n - 1) beta b, radix - 1 messages at once
 *
 * With radix = n each member sends its blocks to all others at once. J. Bruck et al.: "Efficient
 * algorithms for all-to-all communications in multiport message-passing systems", 1997.
 */
int napcoll_route_bruck(napcoll_route_t *route, const napcoll_group_t *group, int stage, int radix);

/**
 * Recursive multiplying among any number of members: on each level of the balanced split a member
 * gets the blocks of the other parts of its group (napcoll_split_source). Parts are runs of
 * members, so every message is one run of blocks. Recursive doubling is radix 2 among a power of
 * two of members.
 *
 *     cost   ceil(log_radix n) alpha + (n - 1) beta b, radix - 1 messages at once
 */
int napcoll_route_multiplying(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                              int radix);

/**
 * The tree of the group: a gather to its root (up), a scatter from it (down) or, with a load that
 * every message carries, a broadcast (down). Gathers and broadcasts are phases where the group is
 * delegated.
 *
 *     cost   ceil(log_radix n) alpha + (n - 1) beta b, radix - 1 messages at once
 */
int napcoll_route_tree(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                       napcoll_route_direction_t direction, const napcoll_block_range_t *load);

/** Add a phase of a group that is delegated: of blocks `all`, with the own run of a gather or
 * share. */
int napcoll_route_phase(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                        napcoll_phase_t phase, napcoll_block_range_t all,
                        napcoll_block_range_t own);

/**
 * Emit the whole route forwards, for every segment, each a stage behind the one before, from and
 * into one of the user's buffers. Takes time for the moves times the segments, however many stages
 * there are. A phase, which is a broadcast, carries all segments.
 *
 * @param[in]     builder   the plan, of segments * blocks blocks
 * @param[in,out] route     of one segment; its moves are sorted by their stages
 * @param[in]     buffer    where all blocks are
 * @param[in]     segments  of the vector
 * @param[in]     blocks    of a segment
 */
void napcoll_route_emit_segments(napcoll_builder_t *builder, napcoll_route_t *route, int buffer,
                                 int segments, int blocks);

/**
 * Emit a stage's messages, forwards, into the builder's current stage.
 *
 * @param[in,out] builder  the plan
 * @param[in]     route    this process's
 * @param[in]     stage    of the route
 * @param[in]     whole    the buffer of all blocks, and the block that it begins with (see cyclic)
 * @param[in]     shift    added to the route's block numbers
 */
void napcoll_route_emit(napcoll_builder_t *builder, const napcoll_route_t *route, int stage,
                        napcoll_span_t whole, int shift);

/** The moves [*from, returned) include all moves of a stage. */
int napcoll_route_range(const napcoll_route_t *route, int stage, int *from);

#endif /* NAPCOLL_ROUTE_H */
