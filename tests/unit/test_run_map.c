/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Maps of runs, compared with plain arrays.
 */

#include "cmocka_setup.h"

#include <string.h>

#include "util/napcoll_run_map.h"

enum { LENGTH = 60, ITEMS = 4 };

static int item_at(const napcoll_run_map_t *map, int index)
{
    int item;

    memcpy(&item, napcoll_run_map_item(map, napcoll_run_map_find(map, index)), sizeof(item));
    return item;
}

/* Every index has its item, and runs that follow each other have different ones. */
static void assert_same(const napcoll_run_map_t *map, const int item[LENGTH])
{
    int runs = 1;

    for (int i = 0; i < LENGTH; i++) {
        const int run = napcoll_run_map_find(map, i);

        assert_int_equal(item_at(map, i), item[i]);
        assert_in_range(i, map->first[run], napcoll_run_map_end(map, run) - 1);
        runs += i > 0 && item[i] != item[i - 1];
    }
    assert_int_equal(map->runs, runs);
    assert_int_equal(napcoll_run_map_end(map, runs - 1), LENGTH);
}

static void maps_are_arrays(void **state)
{
    unsigned random = 3;

    (void) state;
    for (int round = 0; round < 100; round++) {
        napcoll_run_map_t map;
        int item[LENGTH] = {0};

        assert_true(napcoll_run_map_begin(&map, LENGTH, &item[0], sizeof(item[0])));
        for (int step = 0; step < 60; step++) {
            int first, count, next;

            random = random * 1103515245u + 12345u;
            first = (int) (random >> 16) % LENGTH;
            random = random * 1103515245u + 12345u;
            count = (int) (random >> 16) % (LENGTH - first + 1);
            next = (int) (random >> 8) % ITEMS;
            assert_true(napcoll_run_map_set(&map, first, count, &next));
            for (int i = first; i < first + count; i++) {
                item[i] = next;
            }
            assert_same(&map, item);
        }
        napcoll_run_map_free(&map);
    }
}

/* Setting one index after the other needs no more memory than for the runs there are at a time. */
static void runs_that_meet_become_one(void **state)
{
    const int none = 0, some = 7;
    napcoll_run_map_t map;

    (void) state;
    assert_true(napcoll_run_map_begin(&map, 1 << 20, &none, sizeof(none)));
    for (int i = 0; i < 1000; i++) {
        assert_true(napcoll_run_map_set(&map, i, 1, &some));
        assert_true(napcoll_run_map_set(&map, (1 << 20) - 1 - i, 1, &some));
    }
    assert_int_equal(map.runs, 3);
    assert_in_range(map.room, 3, 8);
    assert_true(napcoll_run_map_set(&map, 1000, (1 << 20) - 2000, &some));
    assert_int_equal(map.runs, 1);
    napcoll_run_map_free(&map);
    napcoll_run_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_arrays),
        cmocka_unit_test(runs_that_meet_become_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
