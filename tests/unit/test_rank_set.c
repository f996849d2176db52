/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Sets of ranks, compared with sets as bits.
 */

#include "cmocka_setup.h"

#include <string.h>

#include "verify/napcoll_rank_set.h"

enum { SIZE = 40 };

static void add_interval(napcoll_rank_set_t *set, bool *bits, int low, int high)
{
    napcoll_interval_t interval = {low, high};

    assert_true(napcoll_rank_set_add(set, &(napcoll_rank_set_t){&interval, 1}));
    for (int i = low; i < high; i++) {
        bits[i] = true;
    }
}

static void assert_same(const napcoll_rank_set_t *set, const bool *bits)
{
    bool found[SIZE] = {false};
    int missing = 0;

    for (int i = 0; i < set->intervals; i++) {
        assert_true(set->interval[i].low < set->interval[i].high);
        assert_true(0 == i || set->interval[i].low > set->interval[i - 1].high);
        for (int j = set->interval[i].low; j < set->interval[i].high; j++) {
            found[j] = true;
        }
    }
    assert_memory_equal(found, bits, sizeof(found));
    while (missing < SIZE && bits[missing]) {
        missing++;
    }
    assert_int_equal(napcoll_rank_set_first_missing(set), missing);
}

static void rank_sets_are_what_was_added(void **state)
{
    unsigned random = 7;

    (void) state;
    for (int round = 0; round < 200; round++) {
        napcoll_rank_set_t one = {0}, other = {0};
        bool bits[SIZE] = {false}, more[SIZE] = {false};

        for (int i = 0; i < 1 + round % 9; i++) {
            int low, high;

            random = random * 1103515245u + 12345u;
            low = (int) (random >> 16) % SIZE;
            high = low + 1 + (int) (random >> 8) % 6;
            high = high < SIZE ? high : SIZE;
            if (0 == i % 2) {
                add_interval(&one, bits, low, high);
            } else {
                add_interval(&other, more, low, high);
            }
        }
        assert_same(&one, bits);
        assert_same(&other, more);
        assert_true(napcoll_rank_set_add(&one, &other));
        for (int i = 0; i < SIZE; i++) {
            bits[i] = bits[i] || more[i];
        }
        assert_same(&one, bits);
        napcoll_rank_set_clear(&one);
        napcoll_rank_set_clear(&other);
    }
}

static void rank_sets_become_whole(void **state)
{
    napcoll_rank_set_t set = {0};
    bool bits[SIZE] = {false};

    (void) state;
    assert_same(&set, bits);
    for (int i = SIZE - 2; i >= 0; i -= 2) {
        add_interval(&set, bits, i, i + 1);
        assert_same(&set, bits);
    }
    for (int i = 1; i < SIZE; i += 2) {
        add_interval(&set, bits, i, i + 1);
    }
    assert_same(&set, bits);
    assert_int_equal(napcoll_rank_set_first_missing(&set), SIZE);
    napcoll_rank_set_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_sets_are_what_was_added),
        cmocka_unit_test(rank_sets_become_whole),
    };
    return cmocka_run_group_tests_name("rank sets", tests, NULL, NULL);
}
