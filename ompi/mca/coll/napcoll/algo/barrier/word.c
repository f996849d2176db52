/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Passing the word among the processes of a party (see barrier.h).
 */

#include "algo/barrier/barrier.h"
#include "algo/napcoll_split.h"

void napcoll_word_collect(napcoll_builder_t *builder, const napcoll_party_t *party)
{
    const int levels = party->self < party->processes
                           ? napcoll_split_levels(party->processes, party->radix)
                           : 0;

    for (int level = 1; level <= levels; level++) {
        const napcoll_split_t group = napcoll_split_at(party->processes, party->radix, level,
                                                       party->self);

        if (0 == group.position && 0 != group.part) {
            napcoll_builder_send(builder, napcoll_word(), party->rank(party, group.first));
        }
        for (int part = 1; 0 == group.position && 0 == group.part && part < group.parts; part++) {
            napcoll_builder_recv(builder, napcoll_word(),
                                 party->rank(party, napcoll_split_part_first(&group, part)));
        }
        napcoll_builder_next_stage(builder);
    }
}

void napcoll_word_release(napcoll_builder_t *builder, const napcoll_party_t *party)
{
    if (party->self < party->processes) {
        napcoll_exchange_bcast(builder, party, napcoll_word());
    }
}

/* The least radix with which the steps are as few as with the largest one allowed. */
static int least_radix(int processes, int most)
{
    const int levels = napcoll_split_levels(processes, most);
    int radix = 2;

    while (radix < most && napcoll_split_levels(processes, radix) > levels) {
        radix++;
    }
    return radix;
}

void napcoll_word_disseminate(napcoll_builder_t *builder, const napcoll_party_t *party, int ports)
{
    const int n = party->processes, self = party->self, radix = least_radix(n, ports + 1);

    for (int have = 1; have < n && self < n; have = napcoll_split_widen(have, n, radix)) {
        for (int port = 1; port < radix && port <= (n - 1) / have; port++) {
            const int away = port * have;

            napcoll_builder_recv(builder, napcoll_word(),
                                 party->rank(party, (self + n - away) % n));
            napcoll_builder_send(builder, napcoll_word(), party->rank(party, (self + away) % n));
        }
        napcoll_builder_next_stage(builder);
    }
}

/* Whether so many processes are a power of the radix. */
static bool is_power(int processes, int radix)
{
    while (0 == processes % radix) {
        processes /= radix;
    }
    return 1 == processes;
}

void napcoll_word_exchange(napcoll_builder_t *builder, const napcoll_party_t *party, int ports)
{
    const int n = party->processes, self = party->self, radix = least_radix(n, ports + 1);

    if (!is_power(n, radix)) {
        napcoll_word_disseminate(builder, party, ports);
        return;
    }
    for (int have = 1; have < n && self < n; have *= radix) {
        const int digit = self / have % radix;

        for (int port = 1; port < radix; port++) {
            const int from = (digit + radix - port) % radix, to = (digit + port) % radix;

            napcoll_builder_recv(builder, napcoll_word(),
                                 party->rank(party, self + (from - digit) * have));
            napcoll_builder_send(builder, napcoll_word(),
                                 party->rank(party, self + (to - digit) * have));
        }
        napcoll_builder_next_stage(builder);
    }
}
