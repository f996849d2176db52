/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA's rounds (see the header).
 */

#include "algo/napcoll_tuna.h"

enum { MOST_AT_ONCE = 256 };

int napcoll_tuna_burst(int wanted, int members, int radix)
{
    const int all = (radix < members ? radix : members) - 1;
    const int burst = wanted > 0 ? wanted : MOST_AT_ONCE;

    return burst < all ? burst : all > 0 ? all : 1;
}

/* Rounds of one weight that go together: digits [digit, end). */
typedef struct {
    int64_t weight;
    int digit;
    int end;
    napcoll_sketch_t at; /* which of the weight's bursts it is */
} burst_t;

/* The digits of a weight, but 0. */
static int digits_of(const napcoll_tuna_t *tuna, int64_t weight)
{
    const int64_t digits = (tuna->members - 1) / weight;

    return digits < tuna->radix ? (int) digits : tuna->radix - 1;
}

/* The first burst of a weight. */
static burst_t first_burst(const napcoll_tuna_t *tuna, int64_t weight)
{
    const int bursts = weight >= tuna->members
                           ? 0
                           : (digits_of(tuna, weight) + tuna->burst - 1) / tuna->burst;
    burst_t burst = {.weight = weight,
                     .at = napcoll_sketch_first(tuna->args->shortened, bursts, 1)};

    return burst;
}

/* Find the burst's digits, or go on to the next weight; false: there is none. */
static bool find_burst(const napcoll_tuna_t *tuna, burst_t *burst)
{
    if (burst->at.stage >= burst->at.stages) {
        *burst = first_burst(tuna, burst->weight * tuna->radix);
    }
    if (burst->weight >= tuna->members) {
        return false;
    }
    burst->digit = 1 + burst->at.stage * tuna->burst;
    burst->end = burst->digit + tuna->burst;
    burst->end = burst->end > digits_of(tuna, burst->weight) ? digits_of(tuna, burst->weight) + 1
                                                             : burst->end;
    return true;
}

/* The runs of blocks of a round: [first, first + *count), whose digit it is. Begin with digit * weight. */
static int run_of(const napcoll_tuna_t *tuna, int64_t weight, int64_t first)
{
    return (int) (first + weight < tuna->members ? weight : tuna->members - first);
}

/* Whether blocks of a run are at home after the round. */
static bool arrives(const napcoll_tuna_t *tuna, int64_t weight, int64_t first)
{
    return first < weight * tuna->radix;
}

/* How many blocks a round's list has. */
static int count_blocks(const napcoll_tuna_t *tuna, int64_t weight, int digit, bool sizes)
{
    int64_t blocks = tuna->groups
                     * napcoll_digits_having(tuna->members, tuna->radix, weight, digit);

    if (sizes) { /* without the run that is at home */
        const int64_t own = !tuna->rests(tuna, 0);
        const int64_t others = tuna->groups > 1 && !tuna->rests(tuna, 1) ? tuna->groups - 1 : 0;

        blocks -= (own + others) * run_of(tuna, weight, digit * weight);
    }
    return (int) blocks;
}

/* The lists of a round: what is sent, and where it lands; where `sizes`, only of what lands in a temporary. */
static void list_blocks(const napcoll_tuna_t *tuna, napcoll_builder_t *builder, int64_t weight,
                        int digit, bool sends, bool sizes, napcoll_span_t *list)
{
    if (napcoll_builder_is_sketch(builder)) {
        list->count = count_blocks(tuna, weight, digit, sizes);
        return;
    }
    for (int group = 0; group < tuna->groups; group++) {
        for (int64_t first = digit * weight; first < tuna->members; first += weight * tuna->radix) {
            const int count = run_of(tuna, weight, first);
            const bool home = arrives(tuna, weight, first);

            if (sizes && home && !tuna->rests(tuna, group)) {
                continue;
            }
            if (sends) {
                tuna->add(tuna, builder, list, group, NAPCOLL_TUNA_INPUT, (int) first, 1);
                if (count > 1) {
                    tuna->add(tuna, builder, list, group, NAPCOLL_TUNA_TRANSIT, (int) first + 1,
                              count - 1);
                }
            } else {
                tuna->add(tuna, builder, list, group,
                          home ? NAPCOLL_TUNA_HOME : NAPCOLL_TUNA_TRANSIT, (int) first, count);
            }
        }
    }
}

/* The messages of a burst: of its blocks, or of their sizes. */
static void emit_burst(const napcoll_tuna_t *tuna, napcoll_builder_t *builder, const burst_t *burst,
                       bool sizes)
{
    for (int digit = burst->digit; digit < burst->end; digit++) {
        const int distance = (int) (digit * burst->weight);
        const int to = tuna->rank(tuna, (tuna->self + tuna->members - distance) % tuna->members);
        const int from = tuna->rank(tuna, (tuna->self + distance) % tuna->members);
        napcoll_span_t list = napcoll_builder_list(builder);

        list_blocks(tuna, builder, burst->weight, digit, false, sizes, &list);
        list = napcoll_builder_list_end(builder, list);
        if (sizes) {
            napcoll_builder_recv_sizes(builder, list, from);
        } else {
            napcoll_builder_recv_blocks(builder, list, from, tuna->headed);
        }
        list = napcoll_builder_list(builder);
        list_blocks(tuna, builder, burst->weight, digit, true, sizes, &list);
        list = napcoll_builder_list_end(builder, list);
        if (sizes) {
            napcoll_builder_send_sizes(builder, list, to);
        } else {
            napcoll_builder_send_blocks(builder, list, to, tuna->headed);
        }
    }
}

void napcoll_tuna_emit(const napcoll_tuna_t *tuna, napcoll_builder_t *builder)
{
    burst_t ahead = first_burst(tuna, 1), burst;
    bool more = find_burst(tuna, &ahead);

    if (tuna->sized && more) {
        emit_burst(tuna, builder, &ahead, true);
        napcoll_builder_next_stage(builder);
    }
    while (more) {
        burst = ahead;
        napcoll_sketch_next(&ahead.at);
        more = find_burst(tuna, &ahead);
        emit_burst(tuna, builder, &burst, false);
        napcoll_builder_repeat(builder, burst.at.times);
        if (tuna->sized && more) {
            emit_burst(tuna, builder, &ahead, true);
        }
        napcoll_builder_next_stage(builder);
    }
}
