/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node maps of the placements that napcoll_placement_parse knows, and sweeps over cases.
 */

#ifndef NAPCOLL_TESTS_PLACEMENT_H
#define NAPCOLL_TESTS_PLACEMENT_H

#include "topo/napcoll_node_map.h"
#include "util/napcoll_mix.h"

/** Whether a sweep takes its next case: under the address checker, where code matters and not
 * every case, one of three, drawn by the number of the case, so that all kinds are taken. */
static inline bool sweep_takes(void)
{
#ifdef __SANITIZE_ADDRESS__
    static uint64_t cases;

    return 0 == napcoll_mix(cases++) % 3;
#else
    return true;
#endif
}

/** That many ranks on nodes of that many processes ("3,2", repeated), in an order ("cyclic"). To be
 * freed. */
static inline napcoll_node_map_t *placement(const char *ppn, const char *order, int size)
{
    int *id = calloc((size_t) size, sizeof(*id));
    size_t where;
    napcoll_node_map_t *map;

    assert_non_null(id);
    assert_int_equal(napcoll_placement_parse(ppn, order, size, id, &where), 0);
    assert_int_equal(napcoll_node_map_create(id, size, &map), 0);
    free(id);
    return map;
}

#endif /* NAPCOLL_TESTS_PLACEMENT_H */
