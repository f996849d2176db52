/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA's numbers and rounds (see the header).
 */

#include "algo/pattern/napcoll_tuna.h"

/* ---- numbers ---- */

int napcoll_digits_radix(int wanted, int members)
{
    if (wanted < 2) {
        return 2;
    }
    return wanted > members && members > 1 ? members : wanted;
}

/* The nonzero digits that numbers below `members` have at a weight. */
static int digits_at(int members, int radix, int64_t weight)
{
    const int64_t digits = (members - 1) / weight;

    return digits < radix ? (int) digits : radix - 1;
}

int napcoll_digits_rounds(int members, int radix)
{
    int rounds = 0;

    for (int64_t weight = 1; weight < members; weight *= radix) {
        rounds += digits_at(members, radix, weight);
    }
    return rounds;
}

int64_t napcoll_digits_having(int members, int radix, int64_t weight, int digit)
{
    const int64_t span = weight * radix;
    int64_t rest = members % span - digit * weight;

    rest = rest < 0 ? 0 : rest;
    return members / span * weight + (rest > weight ? weight : rest);
}

int napcoll_digits_slots(int members, int radix)
{
    return members - 1 - napcoll_digits_rounds(members, radix);
}

int napcoll_digits_slot(int radix, int j)
{
    int digits = 0, leading = j;

    for (; leading >= radix; leading /= radix) {
        digits++;
    }
    return j - 1 - digits * (radix - 1) - leading;
}

/* ---- rounds ---- */

int napcoll_tuna_burst(int wanted, int members, int radix)
{
    const int all = (radix < members ? radix : members) - 1;
    const int burst = wanted > 0 ? wanted : NAPCOLL_TUNA_AT_ONCE;

    if (burst < all) {
        return burst;
    }
    return all > 0 ? all : 1;
}

/* Rounds of one weight that go together: digits [digit, end). */
typedef struct {
    int64_t weight;
    int digit;
    int end;
    /* Which of the weight's bursts it is. */
    napcoll_sketch_t at;
} burst_t;

/* The first burst of a weight. */
static burst_t first_burst(const napcoll_tuna_t *tuna, int64_t weight)
{
    int bursts = 0;

    if (weight < tuna->members) {
        bursts = (digits_at(tuna->members, tuna->radix, weight) + tuna->burst - 1) / tuna->burst;
    }
    return (burst_t){.weight = weight,
                     .at = napcoll_sketch_first(tuna->args->shortened, bursts, 1)};
}

/* Set the burst's digits, or go on to the next weight; false: there are no more. */
static bool find_burst(const napcoll_tuna_t *tuna, burst_t *burst)
{
    int end;

    if (burst->at.stage >= burst->at.stages) {
        *burst = first_burst(tuna, burst->weight * tuna->radix);
    }
    if (burst->weight >= tuna->members) {
        return false;
    }
    end = 1 + digits_at(tuna->members, tuna->radix, burst->weight);
    burst->digit = 1 + burst->at.stage * tuna->burst;
    burst->end = burst->digit + tuna->burst < end ? burst->digit + tuna->burst : end;
    return true;
}

/* The blocks of a run of a round's digit that begins with block `first`. */
static int run_of(const napcoll_tuna_t *tuna, int64_t weight, int64_t first)
{
    return (int) (first + weight < tuna->members ? weight : tuna->members - first);
}

/* The list of a round: what is sent, or where it lands. */
static napcoll_span_t list_blocks(const napcoll_tuna_t *tuna, napcoll_builder_t *builder,
                                  int64_t weight, int digit, bool sends)
{
    const bool sketch = napcoll_builder_is_sketch(builder);
    napcoll_span_t list = napcoll_builder_list(builder);

    if (sketch) {
        list.count = (int) (tuna->groups
                            * napcoll_digits_having(tuna->members, tuna->radix, weight, digit));
    }
    for (int group = 0; group < tuna->groups && !sketch; group++) {
        for (int64_t first = digit * weight; first < tuna->members; first += weight * tuna->radix) {
            const int count = run_of(tuna, weight, first);
            const bool home = first < weight * tuna->radix;

            if (!sends) {
                tuna->add(tuna, builder, &list, group,
                          home ? NAPCOLL_TUNA_HOME : NAPCOLL_TUNA_TRANSIT, (int) first, count);
                continue;
            }
            tuna->add(tuna, builder, &list, group, NAPCOLL_TUNA_INPUT, (int) first, 1);
            if (count > 1) {
                tuna->add(tuna, builder, &list, group, NAPCOLL_TUNA_TRANSIT, (int) first + 1,
                          count - 1);
            }
        }
    }
    return napcoll_builder_list_end(builder, list);
}

/* The messages of a burst. */
static void emit_burst(const napcoll_tuna_t *tuna, napcoll_builder_t *builder, const burst_t *burst)
{
    for (int digit = burst->digit; digit < burst->end; digit++) {
        const int distance = (int) (digit * burst->weight);
        const int to = tuna->rank(tuna, (tuna->self + tuna->members - distance) % tuna->members);
        const int from = tuna->rank(tuna, (tuna->self + distance) % tuna->members);
        napcoll_span_t list = list_blocks(tuna, builder, burst->weight, digit, false);

        napcoll_builder_recv_blocks(builder, list, from, tuna->headed);
        list = list_blocks(tuna, builder, burst->weight, digit, true);
        napcoll_builder_send_blocks(builder, list, to, tuna->headed);
    }
}

void napcoll_tuna_emit(const napcoll_tuna_t *tuna, napcoll_builder_t *builder)
{
    for (burst_t burst = first_burst(tuna, 1); find_burst(tuna, &burst);
         napcoll_sketch_next(&burst.at)) {
        emit_burst(tuna, builder, &burst);
        napcoll_builder_repeat(builder, burst.at.times);
        napcoll_builder_next_stage(builder);
    }
}
