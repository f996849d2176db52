/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Recursive doubling as coll/base does it: partners are as far apart as 1, 2, 4, ..., and where the number of
 * ranks is no power of two those beyond one, 2^d, give their part to another rank first and get the result at the
 * end.
 *
 *     allreduce, 6 ranks    0 -> 1    2 -> 3    then 1, 3, 4, 5 as 0, 1, 2, 3     1 -> 0    3 -> 2
 *     barrier, 6 ranks      4 -> 0    5 -> 1    then 0, 1, 2, 3                   0 -> 4    1 -> 5
 *
 *     cost   floor(log2 P) (alpha + beta s + gamma s); 2 (alpha + beta s) + gamma s more where P is no power of two
 *
 * And the linear scan: rank r waits for what ranks 0 to r - 1 have reduced, cost (P - 1) (alpha + beta s + gamma s).
 */

#include "algo/previous/previous.h"

#include "algo/napcoll_exchange.h"
#include "algo/scan/scan.h"

/* The rank that is the `actor`-th of those that exchange, the first `rest` of which act for a pair. */
static int rank_of(int actor, int rest)
{
    return actor < rest ? 2 * actor + 1 : actor + rest;
}

/* left op right, where one of them is the value and the other one has come; gives back the one that is not the
 * result. */
static napcoll_span_t join(napcoll_builder_t *builder, napcoll_span_t left, napcoll_span_t right)
{
    napcoll_span_t sum = napcoll_exchange_join(builder, left, right);

    napcoll_builder_release(builder, left);
    return sum;
}

/* Exchange values with a rank and reduce, those of lower ranks on the left. */
static napcoll_span_t exchange(napcoll_builder_t *builder, int rank, int peer, napcoll_span_t value)
{
    const napcoll_span_t come = napcoll_builder_temp(builder, 0, 1);

    napcoll_builder_recv(builder, come, peer);
    napcoll_builder_send(builder, value, peer);
    value = peer < rank ? join(builder, come, value) : join(builder, value, come);
    napcoll_builder_next_stage(builder);
    return value;
}

/* What the actors do. */
static napcoll_span_t double_up(napcoll_builder_t *builder, int rank, int actors, int rest,
                                napcoll_span_t value)
{
    const int self = rank < 2 * rest ? rank / 2 : rank - rest;

    if (rank < 2 * rest) {
        const napcoll_span_t come = napcoll_builder_temp(builder, 0, 1);

        napcoll_builder_recv(builder, come, rank - 1);
        value = join(builder, come, value);
        napcoll_builder_next_stage(builder);
    }
    for (int away = 1; away < actors; away *= 2) {
        value = exchange(builder, rank, rank_of(self ^ away, rest), value);
    }
    return value;
}

napcoll_plan_t *napcoll_previous_allreduce_doubling(const napcoll_plan_args_t *args)
{
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    const int rank = args->rank;
    int rest;
    const int actors = napcoll_previous_power(args->map->size, &rest);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t value = napcoll_plan_args_input(args);

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    if (rank < 2 * rest && 0 == rank % 2) {
        napcoll_builder_send(builder, value, rank + 1);
        napcoll_builder_next_stage(builder);
        napcoll_builder_recv(builder, recvbuf, rank + 1);
        return napcoll_builder_finish(builder);
    }
    value = double_up(builder, rank, actors, rest, value);
    if (rank < 2 * rest) {
        napcoll_builder_send(builder, value, rank - 1);
    }
    napcoll_builder_copy(builder, recvbuf, value);
    return napcoll_builder_finish(builder);
}

napcoll_plan_t *napcoll_previous_barrier_doubling(const napcoll_plan_args_t *args)
{
    const napcoll_span_t word = {.buffer = NAPCOLL_BUFFER_RECV};
    const int rank = args->rank;
    int rest;
    const int actors = napcoll_previous_power(args->map->size, &rest);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);

    if (NULL == builder) {
        return NULL;
    }
    if (rank >= actors) {
        napcoll_builder_send(builder, word, rank - actors);
        napcoll_builder_next_stage(builder);
        napcoll_builder_recv(builder, word, rank - actors);
        return napcoll_builder_finish(builder);
    }
    if (rank < rest) {
        napcoll_builder_recv(builder, word, rank + actors);
        napcoll_builder_next_stage(builder);
    }
    for (int away = 1; away < actors; away *= 2) {
        napcoll_builder_recv(builder, word, rank ^ away);
        napcoll_builder_send(builder, word, rank ^ away);
        napcoll_builder_next_stage(builder);
    }
    if (rank < rest) {
        napcoll_builder_send(builder, word, rank + actors);
    }
    return napcoll_builder_finish(builder);
}

napcoll_plan_t *napcoll_previous_scan_linear(const napcoll_plan_args_t *args)
{
    const int rank = args->rank, last = args->map->size - 1;
    const bool inclusive = napcoll_scan_is_inclusive(args);
    const napcoll_span_t own = napcoll_plan_args_input(args);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t before = {0}, upto = own;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    if (rank > 0) {
        before = napcoll_builder_temp(builder, 0, 1);
        napcoll_builder_recv(builder, before, rank - 1);
        if (inclusive || rank < last) {
            upto = napcoll_builder_temp(builder, 0, 1);
            napcoll_builder_reduce(builder, upto, before, own);
        }
        napcoll_builder_next_stage(builder);
    }
    if (rank < last) {
        napcoll_builder_send(builder, upto, rank + 1);
    }
    if (inclusive) {
        before = (napcoll_span_t){0};
    }
    napcoll_scan_conclude(builder, args, before, inclusive ? upto : (napcoll_span_t){0});
    return napcoll_builder_finish(builder);
}
