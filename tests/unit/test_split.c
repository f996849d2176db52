/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The balanced split.
 */

#include "cmocka_setup.h"

#include "algo/pattern/napcoll_split.h"

static void split_levels_are_integer_logarithms(void **state)
{
    (void) state;
    assert_int_equal(napcoll_split_levels(1, 2), 0);
    assert_int_equal(napcoll_split_levels(2, 2), 1);
    assert_int_equal(napcoll_split_levels(8, 2), 3);
    assert_int_equal(napcoll_split_levels(9, 2), 4);
    assert_int_equal(napcoll_split_levels(4096, 16), 3);
    assert_int_equal(napcoll_split_levels(4097, 16), 4);
    assert_int_equal(napcoll_split_levels(2147483647, 2), 31);
    assert_int_equal(napcoll_split_levels(2147483647, 2147483647), 1);
}

/* Parts are balanced, cover their group, and have no more members than the next level can split. */
static void check_split(int members, int radix)
{
    int levels = napcoll_split_levels(members, radix);

    for (int member = 0; member < members; member++) {
        int first = 0, size = members;
        for (int level = levels; level >= 1; level--) {
            napcoll_split_t s = napcoll_split_at(members, radix, level, member);
            int covered = 0;
            assert_int_equal(s.first, first);
            assert_int_equal(s.size, size);
            assert_in_range(s.parts, 1, radix);
            for (int part = 0; part < s.parts; part++) {
                assert_int_equal(napcoll_split_part_first(&s, part), first + covered);
                covered += napcoll_split_part_size(&s, part);
                assert_true(abs(napcoll_split_part_size(&s, part) - napcoll_split_part_size(&s, 0))
                            <= 1);
            }
            assert_int_equal(covered, size);
            first = napcoll_split_part_first(&s, s.part);
            size = napcoll_split_part_size(&s, s.part);
            assert_int_equal(first + s.position, member);
        }
        assert_int_equal(size, 1);
    }
}

static void split_is_balanced_and_ends_in_single_members(void **state)
{
    (void) state;
    for (int members = 1; members <= 150; members++) {
        for (int radix = 2; radix <= 17; radix++) {
            check_split(members, radix);
        }
    }
}

static void split_of_ten_by_four(void **state)
{
    napcoll_split_t s = napcoll_split_at(10, 4, 2, 5);

    (void) state;
    assert_int_equal(s.parts, 3);
    assert_int_equal(s.part, 1);
    assert_int_equal(s.position, 1);
    assert_int_equal(napcoll_split_part_size(&s, 0), 4);
    assert_int_equal(napcoll_split_part_first(&s, 2), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_levels_are_integer_logarithms),
        cmocka_unit_test(split_is_balanced_and_ends_in_single_members),
        cmocka_unit_test(split_of_ten_by_four),
    };
    return cmocka_run_group_tests_name("balanced split", tests, NULL, NULL);
}
