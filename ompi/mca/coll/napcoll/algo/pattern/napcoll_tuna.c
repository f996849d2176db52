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

/* A message of a round: its blocks have this digit at this weight. */
typedef struct {
    int64_t weight;
    int digit;
    int ring;
    bool sends;
} message_t;

/* Add the run of a message that begins with block `first`: the first block of a run that is sent
 * is the member's own. */
static void add_run(const napcoll_tuna_t *tuna, napcoll_builder_t *builder, napcoll_span_t *list,
                    const message_t *message, int group, int64_t first)
{
    napcoll_tuna_run_t run = {.ring = message->ring,
                              .group = group,
                              .first = (int) first,
                              .count = run_of(tuna, message->weight, first),
                              .left = (int) first};

    if (!message->sends) {
        run.left -= (int) (message->digit * message->weight);
        run.where = 0 == run.left ? NAPCOLL_TUNA_HOME : NAPCOLL_TUNA_TRANSIT;
        tuna->add(tuna, builder, list, &run);
        return;
    }
    if (run.count > 1) {
        const napcoll_tuna_run_t own = {
            .ring = run.ring, .group = group, .first = run.first, .count = 1, .left = run.left};

        tuna->add(tuna, builder, list, &own);
        run.first++;
        run.count--;
        run.where = NAPCOLL_TUNA_TRANSIT;
    }
    tuna->add(tuna, builder, list, &run);
}

/* The number of blocks of a message. */
static int count_blocks(const napcoll_tuna_t *tuna, const message_t *message)
{
    int count = 0;

    if (NULL == tuna->blocks) {
        return tuna->groups
               * (int) napcoll_digits_having(tuna->members, tuna->radix, message->weight,
                                             message->digit);
    }
    for (int64_t first = message->digit * message->weight; first < tuna->members;
         first += message->weight * tuna->radix) {
        const int arrived = message->sends ? 0 : (int) (message->digit * message->weight);
        const napcoll_tuna_run_t run = {.ring = message->ring,
                                        .first = (int) first,
                                        .count = run_of(tuna, message->weight, first),
                                        .left = (int) first - arrived};

        count += tuna->blocks(tuna, &run);
    }
    return count;
}

/* The list of a message: what is sent, or where it lands. */
static napcoll_span_t list_blocks(const napcoll_tuna_t *tuna, napcoll_builder_t *builder,
                                  const message_t *message)
{
    const int64_t start = message->digit * message->weight, step = message->weight * tuna->radix;
    napcoll_span_t list = napcoll_builder_list(builder);

    if (napcoll_builder_is_sketch(builder)) {
        list.count = count_blocks(tuna, message);
        return napcoll_builder_list_end(builder, list);
    }
    for (int group = 0; group < tuna->groups; group++) {
        for (int64_t first = start; first < tuna->members; first += step) {
            add_run(tuna, builder, &list, message, group, first);
        }
    }
    return napcoll_builder_list_end(builder, list);
}

/* The messages of a digit on a ring. */
static void emit_digit(const napcoll_tuna_t *tuna, napcoll_builder_t *builder, message_t message)
{
    const int distance = (int) (message.digit * message.weight);
    const int to = (tuna->self + tuna->members - distance) % tuna->members;
    const int from = (tuna->self + distance) % tuna->members;
    napcoll_span_t list = list_blocks(tuna, builder, &message);

    if (list.count > 0) {
        napcoll_builder_recv_blocks(builder, list, tuna->rank(tuna, message.ring, from),
                                    tuna->headed);
    }
    message.sends = true;
    list = list_blocks(tuna, builder, &message);
    if (list.count > 0) {
        napcoll_builder_send_blocks(builder, list, tuna->rank(tuna, message.ring, to),
                                    tuna->headed);
    }
}

/* The messages of a burst. */
static void emit_burst(const napcoll_tuna_t *tuna, napcoll_builder_t *builder, const burst_t *burst)
{
    for (int digit = burst->digit; digit < burst->end; digit++) {
        for (int ring = 0; ring == 0 || ring < tuna->rings; ring++) {
            emit_digit(tuna, builder,
                       (message_t){.weight = burst->weight, .digit = digit, .ring = ring});
        }
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
