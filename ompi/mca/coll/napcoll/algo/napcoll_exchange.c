/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Exchanges along the balanced split (see the header). Four members, radix 2, one process each:
 *
 *     level 1      0 <-> 1     2 <-> 3           parts of one member
 *     level 2      0 <-> 2     1 <-> 3           parts of two members, same position
 *
 * Where parts differ in size, a process at the position that a smaller part lacks receives from
 * one of that part's other members, which send once more: any of them has the part's value.
 *
 * Both ends of a message come from one function, source_of(): a process receives what source_of()
 * says, and sends to those whose source_of() names it.
 */

#include "algo/napcoll_exchange.h"

#include "algo/napcoll_split.h"

static int flat_rank(const napcoll_party_t *party, int process)
{
    (void) party;
    return process;
}

static int leader_rank(const napcoll_party_t *party, int process)
{
    return napcoll_node_map_rank(party->map, process, process == party->root ? party->lane : 0);
}

static int node_rank(const napcoll_party_t *party, int process)
{
    const int ppn = napcoll_node_map_ppn(party->map, party->node);
    const int lane = party->noncommutative
                         ? (process + party->lane) % ppn
                         : napcoll_node_map_local_order(party->map, party->node, process);

    return napcoll_node_map_rank(party->map, party->node, lane);
}

napcoll_party_t napcoll_party_flat(const napcoll_plan_args_t *args, int radix)
{
    return (napcoll_party_t){.members = args->map->size,
                             .processes = args->map->size,
                             .self = args->rank,
                             .root = napcoll_plan_args_root(args),
                             .radix = radix,
                             .count = 1,
                             .rank = flat_rank,
                             .map = args->map};
}

napcoll_party_t napcoll_party_leaders(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int root = napcoll_plan_args_root(args);

    return (napcoll_party_t){.members = map->nodes,
                             .processes = map->nodes,
                             .self = napcoll_node_map_node(map, args->rank),
                             .root = napcoll_node_map_node(map, root),
                             .radix = napcoll_params_radix(&args->params),
                             .count = 1,
                             .rank = leader_rank,
                             .map = map,
                             .lane = napcoll_node_map_lane(map, root)};
}

/* The process of a party that has a rank. */
static int process_of(const napcoll_party_t *party, int rank)
{
    int process = 0;

    while (party->rank(party, process) != rank) {
        process++;
    }
    return process;
}

napcoll_party_t napcoll_party_node(const napcoll_plan_args_t *args)
{
    const int root = napcoll_plan_args_root(args);
    int node = napcoll_node_map_node(args->map, args->rank);
    int ppn = napcoll_node_map_ppn(args->map, node);
    napcoll_party_t party = {.members = ppn,
                             .processes = ppn,
                             .radix = args->params.local_radix,
                             .count = 1,
                             .rank = node_rank,
                             .map = args->map,
                             .node = node,
                             .noncommutative = args->params.noncommutative};

    party.self = process_of(&party, args->rank);
    if (node == napcoll_node_map_node(args->map, root)) {
        party.root = process_of(&party, root);
    }
    return party;
}

/* The process that holds a member. */
static int holder_of(const napcoll_party_t *party, int member)
{
    return member == party->processes && party->members == party->processes + 1
               ? party->one_more
               : member % party->processes;
}

/* The member that this process holds after `seat`; members or more: there is none. */
static int next_seat(const napcoll_party_t *party, int seat)
{
    if (party->members != party->processes + 1) {
        return seat + party->processes;
    }
    return seat < party->processes && party->self == party->one_more ? party->processes
                                                                     : party->members;
}

/* The member of a range through which a process takes part in it, or -1. */
static int seat_in(const napcoll_party_t *party, int process, int first, int size)
{
    int seat;

    if (party->members == party->processes + 1) {
        if (process >= first && process < first + size) {
            return process;
        }
        return process == party->one_more && first + size == party->members ? party->processes : -1;
    }
    if (process >= party->members) {
        seat = process % party->members;
    } else {
        int ahead = (process - first) % party->processes;
        seat = first + (ahead < 0 ? ahead + party->processes : ahead);
    }
    return (seat >= first && seat < first + size) ? seat : -1;
}

/* Whether a process has the value of a part of its group before the exchange of a level. */
static bool has_part(const napcoll_party_t *party, const napcoll_split_t *group, int level,
                     int process, int part, int known)
{
    int first = napcoll_split_part_first(group, part);

    if (1 == level && known == first) {
        return true;
    }
    if (1 == level && process >= party->members) {
        return false; /* shadows begin with nothing */
    }
    return seat_in(party, process, first, napcoll_split_part_size(group, part)) >= 0;
}

/* The member that supplies a part's value to the process that sits at `seat` of the group. */
static int source_of(const napcoll_party_t *party, const napcoll_split_t *group, int level,
                     int seat, int part)
{
    napcoll_split_t own = napcoll_split_at(party->members, party->radix, level, seat);
    int size = napcoll_split_part_size(group, part);
    int position = own.position < size ? own.position : own.part % size;

    return napcoll_split_part_first(group, part) + position;
}

typedef struct {
    napcoll_builder_t *builder;
    const napcoll_party_t *party;
    napcoll_span_t *value;
    int level;
    int known;
} exchange_t;

/* Receive the parts of the group that this process lacks; afterwards value[first of part] is set
 * for every part. */
static void receive_parts(const exchange_t *x, const napcoll_split_t *group, int seat)
{
    const napcoll_party_t *party = x->party;

    for (int part = 0; part < group->parts; part++) {
        int first = napcoll_split_part_first(group, part);
        int size = napcoll_split_part_size(group, part);

        if (!has_part(party, group, x->level, party->self, part, x->known)) {
            int source = source_of(party, group, x->level, seat, part);
            x->value[first] = napcoll_builder_temp(x->builder, party->block, party->count);
            napcoll_builder_recv(x->builder, x->value[first],
                                 party->rank(party, holder_of(party, source)));
        } else if (1 != x->level || first != x->known) {
            x->value[first] = x->value[seat_in(party, party->self, first, size)];
        }
    }
}

/* Send member `from`'s value to the processes at `seat` that want it from there. */
static void offer(const exchange_t *x, const napcoll_split_t *group, int from, int seat)
{
    const napcoll_party_t *party = x->party;

    for (int process = holder_of(party, seat); process < party->processes;
         process += party->members) {
        if (process != party->self && seat == seat_in(party, process, group->first, group->size)
            && !has_part(party, group, x->level, process, group->part, x->known)
            && from == source_of(party, group, x->level, seat, group->part)) {
            napcoll_builder_send(x->builder, x->value[from], party->rank(party, process));
        }
    }
}

/* Send the value of the part in which `from`, a member held here, sits; group is from's view. */
static void send_part(const exchange_t *x, const napcoll_split_t *group, int from)
{
    int size = napcoll_split_part_size(group, group->part);

    for (int part = 0; part < group->parts; part++) {
        int first = napcoll_split_part_first(group, part);
        int other = napcoll_split_part_size(group, part);

        if (part == group->part) {
            offer(x, group, from, from); /* to shadows of from */
            continue;
        }
        if (group->position < other) {
            offer(x, group, from, first + group->position);
        }
        if (other > size && group->position == part % size) {
            offer(x, group, from, first + size); /* the position that this part lacks */
        }
    }
}

napcoll_span_t napcoll_exchange_join(napcoll_builder_t *builder, napcoll_span_t left,
                                     napcoll_span_t right)
{
    napcoll_span_t dst = right;

    if (NAPCOLL_BUFFER_SEND == right.buffer) {
        dst = napcoll_builder_temp(builder, right.first, right.count);
    }
    napcoll_builder_reduce(builder, dst, left, right);
    return dst;
}

/* The same, where left is of no more use. */
static napcoll_span_t fold_left(napcoll_builder_t *builder, napcoll_span_t left, napcoll_span_t acc)
{
    napcoll_span_t dst = napcoll_exchange_join(builder, left, acc);

    napcoll_builder_release(builder, left);
    return dst;
}

/* Fold the parts' values, from the last part to the first. */
static napcoll_span_t fold_parts(const exchange_t *x, const napcoll_split_t *group)
{
    napcoll_span_t acc = x->value[napcoll_split_part_first(group, group->parts - 1)];

    for (int part = group->parts - 2; part >= 0; part--) {
        acc = fold_left(x->builder, x->value[napcoll_split_part_first(group, part)], acc);
    }
    return acc;
}

napcoll_span_t napcoll_exchange_allreduce(napcoll_builder_t *builder, const napcoll_party_t *party,
                                          napcoll_span_t *value, int known)
{
    exchange_t x = {.builder = builder, .party = party, .value = value, .known = known};
    const int levels = napcoll_split_levels(party->members, party->radix);
    const int mine = party->self % party->members;

    for (x.level = 1; x.level <= levels; x.level++) {
        for (int seat = mine; seat < party->members; seat = next_seat(party, seat)) {
            napcoll_split_t group = napcoll_split_at(party->members, party->radix, x.level, seat);
            bool first_seat = seat == seat_in(party, party->self, group.first, group.size);

            if (party->self < party->members) {
                send_part(&x, &group, seat);
            }
            if (first_seat) {
                receive_parts(&x, &group, seat);
            }
        }
        for (int seat = mine; seat < party->members; seat = next_seat(party, seat)) {
            napcoll_split_t group = napcoll_split_at(party->members, party->radix, x.level, seat);
            int first_seat = seat_in(party, party->self, group.first, group.size);

            value[seat] = seat == first_seat ? fold_parts(&x, &group) : value[first_seat];
        }
        napcoll_builder_next_stage(builder);
    }
    return value[mine];
}

/* Fold the parts' values, from the first part to the last, each in the next one's place: what comes by
 * just before the own part is what the prefix lacks of this group. */
static napcoll_span_t scan_parts(const exchange_t *x, const napcoll_split_t *group,
                                 napcoll_span_t *prefix)
{
    napcoll_span_t acc = x->value[napcoll_split_part_first(group, 0)];

    for (int part = 1; part < group->parts; part++) {
        const napcoll_span_t own = x->value[napcoll_split_part_first(group, part)];
        const bool prefix_is_own = part == group->part && napcoll_span_equal(*prefix, own);
        napcoll_span_t next;

        if (part == group->part && 0 == prefix->count) {
            *prefix = acc;
        } else if (part == group->part && !prefix_is_own) {
            *prefix = napcoll_exchange_join(x->builder, acc, *prefix);
        }
        next = napcoll_exchange_join(x->builder, acc, own);
        *prefix = prefix_is_own ? next : *prefix;
        if (!napcoll_span_equal(acc, *prefix)) {
            napcoll_builder_release(x->builder, acc);
        }
        acc = next;
    }
    return acc;
}

napcoll_span_t napcoll_exchange_scan(napcoll_builder_t *builder, const napcoll_party_t *party,
                                     napcoll_span_t *value, napcoll_span_t *prefix)
{
    exchange_t x = {.builder = builder, .party = party, .value = value, .known = -1};
    const int levels = napcoll_split_levels(party->members, party->radix);

    for (x.level = 1; x.level <= levels; x.level++) {
        napcoll_split_t group = napcoll_split_at(party->members, party->radix, x.level,
                                                 party->self);

        send_part(&x, &group, party->self);
        receive_parts(&x, &group, party->self);
        value[party->self] = scan_parts(&x, &group, prefix);
        napcoll_builder_next_stage(builder);
    }
    return value[party->self];
}

/* Receive the values of a group's other parts from where they met, and reduce all, in order. */
static napcoll_span_t take_in_parts(napcoll_builder_t *builder, const napcoll_party_t *party,
                                    const napcoll_split_t *group, napcoll_span_t value)
{
    napcoll_span_t acc = value;

    for (int part = group->parts - 1; part >= 0; part--) {
        napcoll_span_t next = value;

        if (part != group->part) {
            next = napcoll_builder_temp(builder, party->block, party->count);
            napcoll_builder_recv(
                builder, next,
                party->rank(party, napcoll_split_part_head(group, part, party->root)));
        }
        acc = part == group->parts - 1 ? next : fold_left(builder, next, acc);
    }
    return acc;
}

napcoll_span_t napcoll_exchange_reduce(napcoll_builder_t *builder, const napcoll_party_t *party,
                                       napcoll_span_t value)
{
    const int levels = party->self < party->members
                           ? napcoll_split_levels(party->members, party->radix)
                           : 0;

    for (int level = 1; level <= levels; level++) {
        napcoll_split_t group = napcoll_split_at(party->members, party->radix, level, party->self);
        const int head = napcoll_split_head(group.first, group.size, party->root);

        if (party->self != napcoll_split_part_head(&group, group.part, party->root)) {
            break; /* sent on the level before */
        }
        if (party->self == head) {
            value = take_in_parts(builder, party, &group, value);
        } else {
            napcoll_builder_send(builder, value, party->rank(party, head));
        }
        napcoll_builder_next_stage(builder);
    }
    return value;
}

void napcoll_exchange_bcast(napcoll_builder_t *builder, const napcoll_party_t *party,
                            napcoll_span_t data)
{
    const int processes = party->processes;

    for (int level = napcoll_split_levels(processes, party->radix); level >= 1; level--) {
        napcoll_split_t group = napcoll_split_at(processes, party->radix, level, party->self);

        if (0 == group.position && 0 != group.part) {
            napcoll_builder_recv(builder, data, party->rank(party, group.first));
        }
        for (int part = 1; 0 == group.position && 0 == group.part && part < group.parts; part++) {
            napcoll_builder_send(builder, data,
                                 party->rank(party, napcoll_split_part_first(&group, part)));
        }
        napcoll_builder_next_stage(builder);
    }
}

/* Fold the group of `member` at `level`. */
static napcoll_span_t fold_group(napcoll_builder_t *builder, int members, int radix, int level,
                                 int member, const napcoll_span_t *value)
{
    napcoll_split_t group;
    napcoll_span_t acc;

    if (0 == level) {
        return value[member];
    }
    group = napcoll_split_at(members, radix, level, member);
    acc = fold_group(builder, members, radix, level - 1,
                     napcoll_split_part_first(&group, group.parts - 1), value);
    for (int part = group.parts - 2; part >= 0; part--) {
        acc = fold_left(builder,
                        fold_group(builder, members, radix, level - 1,
                                   napcoll_split_part_first(&group, part), value),
                        acc);
    }
    return acc;
}

napcoll_span_t napcoll_exchange_combine(napcoll_builder_t *builder, int members, int radix,
                                        const napcoll_span_t *value)
{
    return fold_group(builder, members, radix, napcoll_split_levels(members, radix), 0, value);
}
