/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A scan inside a node by a tree (see the header).
 */

#include "algo/scan/sweep.h"

#include "algo/napcoll_split.h"

/* Whether a process is the first of its group, to which the others of a level send. */
static bool is_first(const napcoll_split_t *group)
{
    return 0 == group->position && 0 == group->part;
}

/* Take in the values of the group's other parts: each part's value makes place for what stands before
 * it, and takes in that in turn. */
static napcoll_span_t take_parts(napcoll_builder_t *builder, const napcoll_party_t *party,
                                 const napcoll_split_t *group, napcoll_span_t acc,
                                 napcoll_span_t *before)
{
    for (int part = 1; part < group->parts; part++) {
        const int first = napcoll_split_part_first(group, part);

        before[first] = napcoll_builder_temp(builder, party->block, party->count);
        napcoll_builder_recv(builder, before[first], party->rank(party, first));
    }
    for (int part = 1; part < group->parts; part++) {
        const int first = napcoll_split_part_first(group, part);
        const napcoll_span_t next = napcoll_exchange_join(builder, acc, before[first]);

        before[first] = acc;
        acc = next;
    }
    return acc;
}

napcoll_span_t napcoll_scan_up(napcoll_builder_t *builder, const napcoll_party_t *party,
                               napcoll_span_t input, napcoll_span_t *before)
{
    const int levels = napcoll_split_levels(party->members, party->radix);
    napcoll_span_t acc = input;

    for (int level = 1; level <= levels; level++) {
        napcoll_split_t group = napcoll_split_at(party->members, party->radix, level, party->self);

        if (is_first(&group)) {
            acc = take_parts(builder, party, &group, acc, before);
        } else if (0 == group.position) {
            napcoll_builder_send(builder, acc, party->rank(party, group.first));
            napcoll_builder_release(builder, acc);
        }
        napcoll_builder_next_stage(builder);
    }
    return acc;
}

/* What stands before this process stands before those that sent to it as well. */
static void add_prefix(napcoll_builder_t *builder, const napcoll_party_t *party,
                       napcoll_span_t input, napcoll_span_t *before, napcoll_span_t prefix)
{
    const int levels = napcoll_split_levels(party->members, party->radix);

    for (int level = 1; level <= levels; level++) {
        napcoll_split_t group = napcoll_split_at(party->members, party->radix, level, party->self);

        for (int part = 1; is_first(&group) && part < group.parts; part++) {
            napcoll_span_t *value = &before[napcoll_split_part_first(&group, part)];
            const napcoll_span_t dst = napcoll_span_equal(*value, input)
                                           ? napcoll_builder_temp(builder, input.first, input.count)
                                           : *value;

            napcoll_builder_reduce(builder, dst, prefix, *value);
            *value = dst;
        }
    }
}

napcoll_span_t napcoll_scan_down(napcoll_builder_t *builder, const napcoll_party_t *party,
                                 napcoll_span_t input, napcoll_span_t *before,
                                 napcoll_span_t prefix)
{
    if (prefix.count > 0) {
        add_prefix(builder, party, input, before, prefix);
        napcoll_builder_next_stage(builder);
    }
    for (int level = napcoll_split_levels(party->members, party->radix); level >= 1; level--) {
        napcoll_split_t group = napcoll_split_at(party->members, party->radix, level, party->self);

        if (0 == group.position && 0 != group.part) {
            prefix = napcoll_builder_temp(builder, party->block, party->count);
            napcoll_builder_recv(builder, prefix, party->rank(party, group.first));
            add_prefix(builder, party, input, before, prefix);
        }
        for (int part = 1; is_first(&group) && part < group.parts; part++) {
            const int first = napcoll_split_part_first(&group, part);

            napcoll_builder_send(builder, before[first], party->rank(party, first));
        }
        napcoll_builder_next_stage(builder);
    }
    return prefix;
}
