/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Circulant graphs: p members on a circle, q = ceil(log2 p). In round k each member sends to the
 * member skip[k] places on, and receives from the one skip[k] places back:
 *
 *     skip[q] = p, skip[k] = ceil(skip[k + 1] / 2)        skip[0] = 1
 *
 * Pipelined broadcast from member 0 in n segments. The rounds are numbered round and round 0 ..
 * q - 1. In round k member r receives segment receive[k] of a turn and sends segment send[k], where
 * numbers below 0 are segments of the turn before, and each turn has q segments. p = 9, q = 4:
 *
 *     member          0   1   2   3   4   5   6   7   8
 *     skip 1  send    0  -4  -3  -2  -4  -1  -4  -3  -2        receive of the next member
 *          2          1  -4  -3  -2  -2  -1  -4  -3  -2        of the one 2 places on
 *          3          2   0  -3  -3  -2  -1  -1  -3  -2
 *          5          3   0   1   2  -4  -1  -1  -1  -1
 *     base block      -   0   1   2   0   3   0   1   2
 *
 * The base block b of a member is the least index in the sum of skips that is its number, each the
 * largest that fits (6 = 5 + 1: b = 0). It is the segment of a turn that comes to it in that turn.
 *
 * Conditions, which the tests prove for all p up to 600:
 *
 *     1   send[k] of member r = receive[k] of member r + skip[k]
 *     2   receive is a permutation of b and the numbers -1 .. -q without b - q: in q rounds in a
 *         row a member receives q segments, and over all rounds each segment once
 *     3   send[k] is b - q, or receive[j] of some j < k: a member has what it sends
 *     4   member 0 sends segment k in round k
 *
 * A first turn is shortened so that a last one is full. In it segments from n on become segment
 * n - 1, which has come to every member at its end: n - 1 + q rounds, the least possible, with one
 * message per member in each direction. With one segment it is a binomial tree where p is a power
 * of two. Backwards it is a reduce.
 *
 * Allgather in q rounds and p - 1 blocks: the skips are taken from below, and a member that has the
 * blocks of skip[k] members, from its own on, receives the blocks of the next skip[k + 1] -
 * skip[k] members. Backwards it is a reduce-scatter.
 *
 * J. L. Träff: "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
 * All-Broadcast, Reduction and All-Reduction", arXiv 2407.18004, 2024; "Optimal, Non-pipelined
 * Reduce-scatter and Allreduce Algorithms", arXiv 2410.14234, 2024.
 */

#ifndef NAPCOLL_CIRCULANT_H
#define NAPCOLL_CIRCULANT_H

#include "algo/pattern/napcoll_route.h"

/** Rounds of a turn, at most. */
enum { NAPCOLL_CIRCULANT_LEVELS = 31 };

/** The graph, and what one member does in the rounds of a turn. */
typedef struct napcoll_circulant {
    /** p */
    int members;
    /** q */
    int levels;
    /** [levels + 1] */
    int skip[NAPCOLL_CIRCULANT_LEVELS + 1];
    /** [levels] */
    int receive[NAPCOLL_CIRCULANT_LEVELS];
    /** [levels] */
    int send[NAPCOLL_CIRCULANT_LEVELS];
} napcoll_circulant_t;

/** The schedules of member 0 .. members - 1, in O(log members) steps on the mean over members. */
napcoll_circulant_t napcoll_circulant_of(int members, int member);

/** The base block of a member; of member 0 it is levels. */
int napcoll_circulant_base(const napcoll_circulant_t *graph, int member);

/** Rounds of a broadcast: n - 1 + ceil(log2 p), 0 of one member. */
int napcoll_circulant_rounds(int members, int segments);

/**
 * The segment that a member's schedule has for a round of a broadcast.
 *
 * @param[in] graph     the graph
 * @param[in] schedule  [levels] receive or send of a member
 * @param[in] round     0 .. napcoll_circulant_rounds - 1
 * @param[in] segments  of the vector
 * @param[out] skip     how far the message goes
 *
 * @return the segment, or -1: there is no message. Nothing is sent to member 0, which the schedules
 *         do not say
 */
int napcoll_circulant_segment(const napcoll_circulant_t *graph, const int *schedule, int round,
                              int segments, int *skip);

/** Add this process's messages of a pipelined broadcast from member 0 of a group. Each segment is a
 * block. */
void napcoll_circulant_bcast(napcoll_route_t *route, const napcoll_group_t *group, int segments);

/** Add this process's messages of an allgather of the members' blocks. */
void napcoll_circulant_allgather(napcoll_route_t *route, const napcoll_group_t *group);

/**
 * The route of a broadcast on all lanes (bcast/lane_circulant.c) from the root of the arguments.
 * Segment s of slice l is block l segments + s.
 *
 * @param[in,out] route     of no moves
 * @param[in]     args      of the plan
 * @param[in]     segments  of a slice
 */
void napcoll_circulant_lanes(napcoll_route_t *route, const napcoll_plan_args_t *args, int segments);

/** Bounds of the plans of such a route, and the path of a segment. */
napcoll_claim_bounds_t napcoll_circulant_lanes_bounds;
napcoll_path_t napcoll_circulant_lanes_hops;

/** The path of a segment in a broadcast over all processes. */
napcoll_path_t napcoll_circulant_hops;

/** The plan of a broadcast by such routes, or of a reduce, which takes them backwards, of `blocks`
 * blocks. Frees the route. NULL: memory ran out. */
napcoll_plan_t *napcoll_circulant_bcast_plan(const napcoll_plan_args_t *args,
                                             napcoll_route_t *route, int blocks);
napcoll_plan_t *napcoll_circulant_reduce_plan(const napcoll_plan_args_t *args,
                                              napcoll_route_t *route, int blocks);

#endif /* NAPCOLL_CIRCULANT_H */
