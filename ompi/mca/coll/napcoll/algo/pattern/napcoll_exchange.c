/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Exchanges of whole vectors (see the header). Recursive multiplying of four values, radix 2:
 *
 *     level 1      0 <-> 1     2 <-> 3           parts of one member
 *     level 2      0 <-> 2     1 <-> 3           parts of two members, same position
 *
 * Where parts differ in size, a process at the position that a smaller part lacks receives from
 * another member of that part, which sends twice (napcoll_split_source, napcoll_split_targets).
 */

#include "algo/pattern/napcoll_exchange.h"

#include <stdlib.h>

/* ---- recursive multiplying ---- */

typedef struct {
    napcoll_builder_t *builder;
    const napcoll_group_t *group;
    napcoll_values_t values;
    int level;
} exchange_t;

static bool has_extra(const exchange_t *x)
{
    return x->values.values == x->group->members + 1;
}

/* The first process that has a value. */
static int process_of(const exchange_t *x, int value)
{
    return has_extra(x) && value == x->group->members ? x->values.extra : value % x->group->members;
}

/* The value that this process has after `value`; `values` or more: there is none. */
static int next_value(const exchange_t *x, int value)
{
    const int members = x->group->members;

    if (!has_extra(x)) {
        return value + members;
    }
    return value < members && x->group->self == x->values.extra ? members : x->values.values;
}

/* The value of [first, first + size) with which a process takes part in them, or -1. */
static int value_in(const exchange_t *x, int process, int first, int size)
{
    const int members = x->group->members, values = x->values.values;
    int value, ahead;

    if (has_extra(x)) {
        if (process >= first && process < first + size) {
            return process;
        }
        return process == x->values.extra && first + size == values ? members : -1;
    }
    ahead = ((process - first) % members + members) % members;
    value = process >= values ? process % values : first + ahead;
    return value >= first && value < first + size ? value : -1;
}

/* Whether a process has the value of a part of its group before the messages of a level. */
static bool has_part(const exchange_t *x, const napcoll_split_t *split, int process, int part)
{
    const int first = napcoll_split_part_first(split, part);

    if (1 == x->level && x->values.known == first) {
        return true;
    }
    if (1 == x->level && process >= x->values.values) {
        /* a process beyond the last value begins with nothing */
        return false;
    }
    return value_in(x, process, first, napcoll_split_part_size(split, part)) >= 0;
}

/* Receive the parts of the group that this process lacks; then value[first of part] is set for
 * every part. `split` is the view of this process's value in the group. */
static void receive_parts(const exchange_t *x, const napcoll_split_t *split)
{
    const napcoll_group_t *group = x->group;
    napcoll_span_t *value = x->values.value;

    for (int part = 0; part < split->parts; part++) {
        const int first = napcoll_split_part_first(split, part);
        const int size = napcoll_split_part_size(split, part);

        if (!has_part(x, split, group->self, part)) {
            const int source = process_of(x, napcoll_split_source(split, part));

            value[first] = napcoll_builder_temp(x->builder, 0, 1);
            napcoll_builder_recv(x->builder, value[first], group->rank(group, source));
        } else if (1 != x->level || first != x->values.known) {
            value[first] = value[value_in(x, group->self, first, size)];
        }
    }
}

/* Send value `from` to the processes that take part with value `to` and lack the part of `from`. */
static void send_value(const exchange_t *x, const napcoll_split_t *split, int from, int to)
{
    const napcoll_group_t *group = x->group;

    for (int process = process_of(x, to); process < group->members; process += x->values.values) {
        if (process != group->self && to == value_in(x, process, split->first, split->size)
            && !has_part(x, split, process, split->part)) {
            napcoll_builder_send(x->builder, x->values.value[from], group->rank(group, process));
        }
    }
}

/* Send the value of the part of `from`, a value of this process; split is the view of `from`. */
static void send_part(const exchange_t *x, const napcoll_split_t *split, int from)
{
    for (int part = 0; part < split->parts; part++) {
        /* the own part: processes beyond the last value */
        int target[2] = {from}, targets = 1;

        if (part != split->part) {
            targets = napcoll_split_targets(split, part, target);
        }
        for (int t = 0; t < targets; t++) {
            send_value(x, split, from, target[t]);
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

napcoll_span_t napcoll_exchange_join_last(napcoll_builder_t *builder, napcoll_span_t left,
                                          napcoll_span_t right)
{
    const napcoll_span_t dst = napcoll_exchange_join(builder, left, right);

    napcoll_builder_release(builder, left);
    return dst;
}

/* Reduce the parts' values, from the last part to the first. */
static napcoll_span_t reduce_parts(const exchange_t *x, const napcoll_split_t *split)
{
    const napcoll_span_t *value = x->values.value;
    napcoll_span_t acc = value[napcoll_split_part_first(split, split->parts - 1)];

    for (int part = split->parts - 2; part >= 0; part--) {
        acc = napcoll_exchange_join_last(x->builder, value[napcoll_split_part_first(split, part)],
                                         acc);
    }
    return acc;
}

napcoll_span_t napcoll_exchange_allreduce(napcoll_builder_t *builder, const napcoll_group_t *group,
                                          const napcoll_values_t *values)
{
    exchange_t x = {.builder = builder, .group = group, .values = *values};
    const int all = values->values, levels = napcoll_split_levels(all, group->radix);
    const int own = group->self % all;

    for (x.level = 1; x.level <= levels; x.level++) {
        for (int v = own; v < all; v = next_value(&x, v)) {
            const napcoll_split_t split = napcoll_split_at(all, group->radix, x.level, v);

            if (group->self < all) {
                send_part(&x, &split, v);
            }
            if (v == value_in(&x, group->self, split.first, split.size)) {
                /* once for all values of this process in the group */
                receive_parts(&x, &split);
            }
        }
        for (int v = own; v < all; v = next_value(&x, v)) {
            const napcoll_split_t split = napcoll_split_at(all, group->radix, x.level, v);
            const int first = value_in(&x, group->self, split.first, split.size);

            values->value[v] = v == first ? reduce_parts(&x, &split) : values->value[first];
        }
        napcoll_builder_next_stage(builder);
    }
    return values->value[own];
}

/* The phase of a reduction: its result is in place, unless the value is in the send buffer. */
static napcoll_span_t reduce_by_phase(napcoll_builder_t *builder, const napcoll_group_t *group,
                                      napcoll_phase_t phase, napcoll_span_t value)
{
    const bool takes = NAPCOLL_PHASE_ALLREDUCE == phase || group->self == group->root;
    napcoll_span_t dst = value;

    if (takes && NAPCOLL_BUFFER_SEND == value.buffer) {
        dst = napcoll_builder_temp(builder, value.first, value.count);
    }
    napcoll_group_phase(builder, group, phase, dst, value);
    return dst;
}

napcoll_span_t napcoll_exchange_allreduce_own(napcoll_builder_t *builder,
                                              const napcoll_group_t *group, napcoll_span_t own)
{
    napcoll_values_t values = {.values = group->members, .known = -1};

    if (napcoll_group_is_delegated(group)) {
        return reduce_by_phase(builder, group, NAPCOLL_PHASE_ALLREDUCE, own);
    }
    values.value = malloc((size_t) group->members * sizeof(*values.value));
    if (NULL == values.value) {
        napcoll_builder_fail(builder);
        return own;
    }
    values.value[group->self] = own;
    own = napcoll_exchange_allreduce(builder, group, &values);
    free(values.value);
    return own;
}

/* Reduce the parts' values, from the first part to the last. What has been reduced before the own
 * part is what the prefix lacks of this group. */
static napcoll_span_t scan_parts(const exchange_t *x, const napcoll_split_t *split,
                                 napcoll_span_t *prefix)
{
    napcoll_span_t acc = x->values.value[napcoll_split_part_first(split, 0)];

    for (int part = 1; part < split->parts; part++) {
        const napcoll_span_t own = x->values.value[napcoll_split_part_first(split, part)];
        const bool prefix_is_own = part == split->part && napcoll_span_equal(*prefix, own);
        napcoll_span_t next;

        if (part == split->part && 0 == prefix->count) {
            *prefix = acc;
        } else if (part == split->part && !prefix_is_own) {
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

napcoll_span_t napcoll_exchange_scan(napcoll_builder_t *builder, const napcoll_group_t *group,
                                     napcoll_span_t *value, napcoll_span_t *prefix)
{
    exchange_t x = {.builder = builder,
                    .group = group,
                    .values = {.values = group->members, .value = value, .known = -1}};

    for (x.level = 1; x.level <= napcoll_tree_levels(group); x.level++) {
        const napcoll_split_t split = napcoll_split_at(group->members, group->radix, x.level,
                                                       group->self);

        send_part(&x, &split, group->self);
        receive_parts(&x, &split);
        value[group->self] = scan_parts(&x, &split, prefix);
        napcoll_builder_next_stage(builder);
    }
    return value[group->self];
}

/* Reduce the group of `member` at `level`. */
static napcoll_span_t combine_group(napcoll_builder_t *builder, int members, int radix, int level,
                                    int member, const napcoll_span_t *value)
{
    napcoll_split_t split;
    napcoll_span_t acc = {0};

    if (0 == level) {
        return value[member];
    }
    split = napcoll_split_at(members, radix, level, member);
    for (int part = split.parts - 1; part >= 0; part--) {
        const napcoll_span_t next = combine_group(builder, members, radix, level - 1,
                                                  napcoll_split_part_first(&split, part), value);

        acc = part == split.parts - 1 ? next : napcoll_exchange_join_last(builder, next, acc);
    }
    return acc;
}

napcoll_span_t napcoll_exchange_combine(napcoll_builder_t *builder, int values, int radix,
                                        const napcoll_span_t *value)
{
    return combine_group(builder, values, radix, napcoll_split_levels(values, radix), 0, value);
}

/* ---- trees ---- */

/* The head of a group reduces the values of its parts, in order; its own one is `value`. */
static napcoll_span_t take_in_parts(napcoll_builder_t *builder, const napcoll_group_t *group,
                                    const napcoll_split_t *split, napcoll_span_t value)
{
    napcoll_span_t acc = value;

    for (int part = split->parts - 1; part >= 0; part--) {
        napcoll_span_t next = value;

        if (part != split->part) {
            next = napcoll_builder_temp(builder, 0, 1);
            napcoll_builder_recv(
                builder, next,
                group->rank(group, napcoll_split_part_head(split, part, group->root)));
        }
        acc = part == split->parts - 1 ? next : napcoll_exchange_join_last(builder, next, acc);
    }
    return acc;
}

napcoll_span_t napcoll_exchange_reduce(napcoll_builder_t *builder, const napcoll_group_t *group,
                                       napcoll_span_t value)
{
    if (napcoll_group_is_delegated(group)) {
        return reduce_by_phase(builder, group, NAPCOLL_PHASE_REDUCE, value);
    }
    for (int level = 1; level <= napcoll_tree_levels(group); level++) {
        const napcoll_tree_level_t at = napcoll_tree_level(group, level);

        if (at.is_head) {
            value = take_in_parts(builder, group, &at.split, value);
        } else if (at.is_child) {
            napcoll_builder_send(builder, value, group->rank(group, at.head));
        }
        napcoll_builder_next_stage(builder);
    }
    return value;
}

napcoll_plan_t *napcoll_exchange_reduce_plan(const napcoll_plan_args_t *args,
                                             const napcoll_group_t *ranks)
{
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t result;

    if (NULL == builder) {
        return NULL;
    }
    result = napcoll_exchange_reduce(builder, ranks, napcoll_plan_args_input(args));
    if (napcoll_plan_args_takes(args)) {
        napcoll_builder_copy(builder, recvbuf, result);
    }
    return napcoll_builder_finish(builder);
}

static void send_or_recv(napcoll_builder_t *builder, bool sends, napcoll_span_t data, int rank)
{
    if (sends) {
        napcoll_builder_send(builder, data, rank);
    } else {
        napcoll_builder_recv(builder, data, rank);
    }
}

/* The same data in all messages of the tree: towards the root, or away from it. */
static void pass_through_tree(napcoll_builder_t *builder, const napcoll_group_t *group,
                              napcoll_span_t data, bool up)
{
    const int levels = napcoll_tree_levels(group);

    for (int i = 1; i <= levels; i++) {
        const napcoll_tree_level_t at = napcoll_tree_level(group, up ? i : levels + 1 - i);

        if (at.is_child) {
            send_or_recv(builder, up, data, group->rank(group, at.head));
        }
        for (int part = 0; at.is_head && part < at.split.parts; part++) {
            if (part != at.split.part) {
                const int child = napcoll_split_part_head(&at.split, part, group->root);

                send_or_recv(builder, !up, data, group->rank(group, child));
            }
        }
        napcoll_builder_next_stage(builder);
    }
}

/* A broadcast of nothing need not make anybody wait: a barrier stands for it. */
static void barrier_by_phase(napcoll_builder_t *builder, const napcoll_group_t *group)
{
    napcoll_group_phase(builder, group, NAPCOLL_PHASE_BARRIER, napcoll_empty(), napcoll_empty());
}

void napcoll_exchange_bcast(napcoll_builder_t *builder, const napcoll_group_t *group,
                            napcoll_span_t data)
{
    if (!napcoll_group_is_delegated(group)) {
        pass_through_tree(builder, group, data, false);
    } else if (data.count > 0) {
        napcoll_group_phase(builder, group, NAPCOLL_PHASE_BCAST, data, data);
    } else {
        barrier_by_phase(builder, group);
    }
}

/* ---- barriers ---- */

void napcoll_exchange_arrive(napcoll_builder_t *builder, const napcoll_group_t *group)
{
    if (napcoll_group_is_delegated(group)) {
        barrier_by_phase(builder, group);
    } else {
        pass_through_tree(builder, group, napcoll_empty(), true);
    }
}

/* The smallest radix with which the steps are as few as with the largest one allowed. */
static int smallest_radix(int members, int most)
{
    const int levels = napcoll_split_levels(members, most);
    int radix = 2;

    while (radix < most && napcoll_split_levels(members, radix) > levels) {
        radix++;
    }
    return radix;
}

void napcoll_exchange_disseminate(napcoll_builder_t *builder, const napcoll_group_t *group,
                                  int ports)
{
    const int n = group->members, self = group->self, radix = smallest_radix(n, ports + 1);

    if (napcoll_group_is_delegated(group)) {
        barrier_by_phase(builder, group);
        return;
    }
    for (int have = 1; have < n && self < n; have = napcoll_split_widen(have, n, radix)) {
        for (int port = 1; port < radix && port <= (n - 1) / have; port++) {
            const int away = port * have;

            napcoll_builder_recv(builder, napcoll_empty(),
                                 group->rank(group, (self + n - away) % n));
            napcoll_builder_send(builder, napcoll_empty(), group->rank(group, (self + away) % n));
        }
        napcoll_builder_next_stage(builder);
    }
}

static bool is_power(int number, int radix)
{
    while (0 == number % radix) {
        number /= radix;
    }
    return 1 == number;
}

void napcoll_exchange_disseminate_pairs(napcoll_builder_t *builder, const napcoll_group_t *group,
                                        int ports)
{
    const int n = group->members, self = group->self, radix = smallest_radix(n, ports + 1);

    if (!is_power(n, radix) || napcoll_group_is_delegated(group)) {
        napcoll_exchange_disseminate(builder, group, ports);
        return;
    }
    for (int have = 1; have < n && self < n; have *= radix) {
        const int digit = self / have % radix;

        for (int port = 1; port < radix; port++) {
            const int from = (digit + radix - port) % radix, to = (digit + port) % radix;

            napcoll_builder_recv(builder, napcoll_empty(),
                                 group->rank(group, self + (from - digit) * have));
            napcoll_builder_send(builder, napcoll_empty(),
                                 group->rank(group, self + (to - digit) * have));
        }
        napcoll_builder_next_stage(builder);
    }
}

void napcoll_exchange_barrier(napcoll_builder_t *builder, const napcoll_plan_args_t *args)
{
    napcoll_plan_args_t barrier = *args;
    napcoll_group_t node, leaders;

    /* which has no root: leaders are lanes 0 */
    barrier.collective = &napcoll_barrier;
    node = napcoll_group_node(&barrier);
    napcoll_exchange_arrive(builder, &node);
    if (0 == node.self) {
        leaders = napcoll_group_leaders(&barrier);
        napcoll_exchange_disseminate_pairs(builder, &leaders, leaders.radix - 1);
    }
    napcoll_exchange_bcast(builder, &node, napcoll_empty());
}
