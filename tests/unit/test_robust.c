/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Lines through points of which some are wrong, quantiles, and comparisons of two series.
 */

#include "cmocka_setup.h"

#include "close.h"
#include "common/napcoll_robust.h"
#include "util/napcoll_mix.h"

/* ---- lines and quantiles ---- */

static void lines_are_exact_without_noise(void **state)
{
    napcoll_point_t point[9];
    napcoll_line_t line;

    (void) state;
    for (int i = 0; i < 9; i++) {
        point[i] = (napcoll_point_t){.x = 1 << i, .y = 3 + 0.25 * (1 << i)};
    }
    assert_int_equal(napcoll_robust_line(point, 9, &line), 0);
    check_close(line.slope, 0.25, 1e-12);
    check_close(line.intercept, 3, 1e-12);
    assert_true(line.slope_error < 1e-12 && line.intercept_error < 1e-12);
    assert_int_equal(line.points, 9);
}

static void wrong_points_do_not_move_a_line(void **state)
{
    napcoll_point_t point[21];
    napcoll_line_t line;

    (void) state;
    for (int i = 0; i < 21; i++) {
        point[i] = (napcoll_point_t){.x = i, .y = 10 + 2.0 * i + (0 == i % 2 ? 0.01 : -0.01)};
    }
    point[4].y = 1000;
    point[17].y = 5000;
    assert_int_equal(napcoll_robust_line(point, 21, &line), 0);
    check_close(line.slope, 2, 0.005);
    check_close(line.intercept, 10, 0.005);
    assert_true(line.slope_error > 0 && line.slope_error < 0.005);
}

static void a_line_needs_two_different_points(void **state)
{
    const napcoll_point_t point[2] = {{.x = 4, .y = 1}, {.x = 4, .y = 2}};
    napcoll_line_t line = {.points = 7};

    (void) state;
    assert_int_equal(napcoll_robust_line(point, 1, &line), -1);
    assert_int_equal(napcoll_robust_line(point, 2, &line), -1);
    assert_int_equal(line.points, 0);
}

static void quantiles_are_between_neighbours(void **state)
{
    double values[] = {40, 10, 30, 20};

    (void) state;
    napcoll_robust_sort(values, 4);
    check_close(napcoll_robust_quantile(values, 4, 0), 10, 0);
    check_close(napcoll_robust_quantile(values, 4, 0.5), 25, 1e-12);
    check_close(napcoll_robust_quantile(values, 4, 1), 40, 0);
    check_close(napcoll_robust_quantile(values, 1, 0.9), 10, 0);
    {
        /* off their median, 2, by 1 0 1 98: the median of that is 1 */
        double odd[] = {3, 1, 2, 2, 100}, deviation;

        check_close(napcoll_robust_middle(odd, 5, &deviation), 2, 0);
        check_close(deviation, 1.4826, 1e-12);
        check_close(napcoll_robust_median(values, 4), 25, 1e-12);
    }
}

/* ---- which of two takes longer ---- */

/* One series that is longer than the other in all turns except some. */
static bool is_longer_but_in(int shorter, int turns)
{
    double one[64], other[64];

    for (int i = 0; i < turns; i++) {
        other[i] = 1;
        one[i] = i < shorter ? 0.5 : 1.3;
    }
    return napcoll_robust_longer(one, other, turns, 0.1);
}

/* Turns in which the other may be longer, by sums of binomial coefficients. */
static void turns_that_say_so_are_enough(void **state)
{
    static const struct {
        /* `shorter` turns are allowed */
        int turns, shorter;
    } enough[] = {{6, 0}, {7, 0}, {8, 1}, {16, 4}, {32, 10}, {64, 24}};

    (void) state;
    for (size_t i = 0; i < sizeof(enough) / sizeof(*enough); i++) {
        assert_true(is_longer_but_in(enough[i].shorter, enough[i].turns));
        assert_false(is_longer_but_in(enough[i].shorter + 1, enough[i].turns));
    }
}

static void longer_is_told_from_noise(void **state)
{
    double one[16], other[16], disturbed[16];
    uint64_t seed = 7;

    (void) state;
    for (int i = 0; i < 16; i++) {
        /* what disturbs a turn disturbs both */
        const double turn = 1 + (double) (napcoll_mix_next(&seed) % 9000) / 1e3;

        other[i] = turn;
        one[i] = 1.2 * turn;
        disturbed[i] = i < 5 ? 0.5 * turn : 1.3 * turn;
    }
    assert_true(napcoll_robust_longer(one, other, 16, 0.1));
    assert_true(napcoll_robust_longer(one, other, 6, 0.1));
    /* too few turns */
    assert_false(napcoll_robust_longer(one, other, 5, 0.1));
    /* not by enough */
    assert_false(napcoll_robust_longer(one, other, 16, 0.3));
    /* the other way */
    assert_false(napcoll_robust_longer(other, one, 16, 0.1));
    /* in 11 of 16 turns */
    assert_false(napcoll_robust_longer(disturbed, other, 16, 0));
    assert_false(napcoll_robust_longer(one, one, 16, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_exact_without_noise),
        cmocka_unit_test(wrong_points_do_not_move_a_line),
        cmocka_unit_test(a_line_needs_two_different_points),
        cmocka_unit_test(quantiles_are_between_neighbours),
        cmocka_unit_test(turns_that_say_so_are_enough),
        cmocka_unit_test(longer_is_told_from_noise),
    };

    return cmocka_run_group_tests_name("robust", tests, NULL, NULL);
}
