/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * HeteroMPI's thresholds: pieces by their definition, and the sizes for which a number of
 * pieces holds.
 */

#include "cmocka_setup.h"

#include <limits.h>

#include "select/napcoll_thresholds.h"

static const napcoll_thresholds_t paper = {
    .gather_m1 = 5120, .gather_m2 = 65536, .scatter_s = 65536};

static napcoll_cut_t gather_cut(size_t bytes)
{
    return napcoll_thresholds_cut(&paper, NAPCOLL_GOAL_GATHER, bytes, 0);
}

static napcoll_cut_t scatter_cut(size_t bytes)
{
    return napcoll_thresholds_cut(&paper, NAPCOLL_GOAL_SCATTER, bytes, 0);
}

/* M/m < M1 and M/(m - 1) >= M1, in whole numbers. */
static void assert_defined(size_t bytes, size_t threshold, int pieces)
{
    assert_true(pieces >= 2);
    assert_true(bytes < threshold * (size_t) pieces);
    assert_true(bytes >= threshold * (size_t) (pieces - 1));
}

static void pieces_are_those_of_the_definition(void **state)
{
    (void) state;
    for (size_t bytes = 0; bytes <= 400000; bytes += 1 + bytes / 997) {
        const int gathered = gather_cut(bytes).pieces, scattered = scatter_cut(bytes).pieces;

        if (bytes < 5120 || bytes > 65536) {
            assert_int_equal(gathered, 1);
        } else {
            assert_defined(bytes, 5120, gathered);
        }
        if (bytes < 65536) {
            assert_int_equal(scattered, 1);
        } else {
            assert_defined(bytes, 65536, scattered);
        }
    }
}

static void the_ends_of_the_range_are_in_it(void **state)
{
    (void) state;
    assert_int_equal(gather_cut(5119).pieces, 1);
    assert_int_equal(gather_cut(5120).pieces, 2);
    assert_int_equal(gather_cut(10239).pieces, 2);
    assert_int_equal(gather_cut(10240).pieces, 3);
    assert_int_equal(gather_cut(65536).pieces, 13);
    assert_int_equal(gather_cut(65537).pieces, 1);
    assert_int_equal(scatter_cut(65535).pieces, 1);
    assert_int_equal(scatter_cut(65536).pieces, 2);
    assert_int_equal(scatter_cut(131071).pieces, 2);
    assert_int_equal(scatter_cut(131072).pieces, 3);
}

/* A cut holds from `least` to `most`, and on neither side beyond. */
static void assert_holds(napcoll_goal_t goal, size_t bytes, size_t piece_bytes)
{
    const napcoll_cut_t cut = napcoll_thresholds_cut(&paper, goal, bytes, piece_bytes);

    assert_true(cut.least <= bytes && bytes <= cut.most);
    assert_int_equal(napcoll_thresholds_cut(&paper, goal, cut.least, piece_bytes).pieces,
                     cut.pieces);
    assert_int_equal(napcoll_thresholds_cut(&paper, goal, cut.most, piece_bytes).pieces,
                     cut.pieces);
    if (cut.least > 0) {
        assert_int_not_equal(
            napcoll_thresholds_cut(&paper, goal, cut.least - 1, piece_bytes).pieces, cut.pieces);
    }
    if (cut.most < SIZE_MAX) {
        assert_int_not_equal(napcoll_thresholds_cut(&paper, goal, cut.most + 1, piece_bytes).pieces,
                             cut.pieces);
    }
}

static void a_number_of_pieces_holds_for_the_sizes_that_it_says(void **state)
{
    static const size_t pieces[] = {0, 1000, 4096};

    (void) state;
    for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
        for (size_t bytes = 0; bytes <= 300000; bytes += 1 + bytes / 211) {
            assert_holds(NAPCOLL_GOAL_GATHER, bytes, pieces[p]);
            assert_holds(NAPCOLL_GOAL_SCATTER, bytes, pieces[p]);
        }
    }
}

static void pieces_of_a_size_are_no_larger(void **state)
{
    (void) state;
    for (size_t bytes = 5120; bytes <= 65536; bytes += 611) {
        const int pieces = napcoll_thresholds_cut(&paper, NAPCOLL_GOAL_GATHER, bytes, 3000).pieces;

        assert_true(bytes <= 3000 * (size_t) pieces);
        assert_true(bytes > 3000 * (size_t) (pieces - 1));
    }
    assert_int_equal(napcoll_thresholds_cut(&paper, NAPCOLL_GOAL_GATHER, 5000, 3000).pieces, 1);
    assert_int_equal(napcoll_thresholds_cut(&paper, NAPCOLL_GOAL_GATHER, 70000, 3000).pieces, 1);
}

static void thresholds_can_be_switched_off(void **state)
{
    static const napcoll_thresholds_t off[] = {
        {.gather_m1 = 0, .gather_m2 = 65536, .scatter_s = 0},
        {.gather_m1 = 65537, .gather_m2 = 65536, .scatter_s = 0}};

    (void) state;
    for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++) {
        for (size_t bytes = 0; bytes < 200000; bytes += 4093) {
            const napcoll_cut_t gather = napcoll_thresholds_cut(&off[i], NAPCOLL_GOAL_GATHER, bytes,
                                                                0);
            const napcoll_cut_t scatter = napcoll_thresholds_cut(&off[i], NAPCOLL_GOAL_SCATTER,
                                                                 bytes, 0);

            assert_true(1 == gather.pieces && 0 == gather.least && SIZE_MAX == gather.most);
            assert_true(1 == scatter.pieces && 0 == scatter.least && SIZE_MAX == scatter.most);
        }
    }
}

static void other_collectives_are_never_cut(void **state)
{
    (void) state;
    for (int goal = 0; goal < NAPCOLL_GOALS; goal++) {
        if (NAPCOLL_GOAL_GATHER != goal && NAPCOLL_GOAL_SCATTER != goal) {
            assert_int_equal(napcoll_thresholds_cut(&paper, (napcoll_goal_t) goal, 65536, 0).pieces,
                             1);
        }
    }
}

/* The largest sizes there are. */
static void sizes_do_not_overflow(void **state)
{
    const napcoll_thresholds_t bytewise = {.gather_m1 = 1, .gather_m2 = SIZE_MAX, .scatter_s = 1};
    const napcoll_thresholds_t half = {.scatter_s = SIZE_MAX / 2 + 1};

    (void) state;
    assert_int_equal(napcoll_thresholds_cut(&bytewise, NAPCOLL_GOAL_GATHER, SIZE_MAX, 0).pieces,
                     INT_MAX);
    assert_int_equal(napcoll_thresholds_cut(&bytewise, NAPCOLL_GOAL_SCATTER, SIZE_MAX, 1).pieces,
                     INT_MAX);
    assert_int_equal(napcoll_thresholds_cut(&half, NAPCOLL_GOAL_SCATTER, SIZE_MAX, 0).pieces, 2);
    assert_true(SIZE_MAX == napcoll_thresholds_cut(&half, NAPCOLL_GOAL_SCATTER, SIZE_MAX, 0).most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_those_of_the_definition),
        cmocka_unit_test(the_ends_of_the_range_are_in_it),
        cmocka_unit_test(a_number_of_pieces_holds_for_the_sizes_that_it_says),
        cmocka_unit_test(pieces_of_a_size_are_no_larger),
        cmocka_unit_test(thresholds_can_be_switched_off),
        cmocka_unit_test(other_collectives_are_never_cut),
        cmocka_unit_test(sizes_do_not_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
