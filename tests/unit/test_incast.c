/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Fits of the gather and scatter models to made-up times with a known answer.
 */

#include <math.h>

#include "cmocka_setup.h"

#include "close.h"
#include "tune/napcoll_incast.h"
#include "util/napcoll_mix.h"

enum { OTHERS = 15, TURNS = 20, MOST_SAMPLES = 8192 };

/* The made-up platform: at the root 50 us and 8 ns per byte (a port of 1 Gbit/s); at the others 60
 * us and 12 ns per byte, with the link. */
static const napcoll_incast_model_t platform = {.others = OTHERS,
                                                .root_delay = 50e-6,
                                                .root_per_byte = 8e-9,
                                                .far_delay = 60e-6,
                                                .far_per_byte = 12e-9,
                                                .kappa1 = 14e-9,
                                                .kappa2 = -9e-9};
static const napcoll_line_t message = {.intercept = 110e-6, .slope = 20e-9, .points = 9};
static const double timeout = 0.2;

/* The samples of one collective. */
struct samples {
    napcoll_incast_sample_t sample[MOST_SAMPLES];
    size_t count;
    uint64_t random;
};

static struct samples made;

static int begin(void **state)
{
    (void) state;
    made.count = 0;
    made.random = 7;
    return 0;
}

/* From 0 to below 1. */
static double dice(struct samples *s)
{
    return (double) (napcoll_mix_next(&s->random) >> 11) * 0x1p-53;
}

static void add(struct samples *s, size_t bytes, double seconds)
{
    assert_true(s->count < MOST_SAMPLES);
    s->sample[s->count++] = (napcoll_incast_sample_t){.bytes = bytes, .seconds = seconds};
}

static double far_end(double bytes)
{
    return platform.far_delay + platform.far_per_byte * bytes;
}

static double gather_line(double bytes)
{
    return OTHERS * (platform.root_delay + platform.root_per_byte * bytes) + far_end(bytes)
           + platform.kappa1 * bytes;
}

static double gather_large(double bytes)
{
    return OTHERS * (platform.root_delay + platform.root_per_byte * bytes) + OTHERS * far_end(bytes)
           + platform.kappa2 * bytes;
}

static double scatter_line(double bytes, bool large)
{
    return platform.root_delay + OTHERS * platform.root_per_byte * bytes
           + (large ? OTHERS : 1) * far_end(bytes);
}

/* The index-th size of a scan, three to an octave from 256 bytes; 31 of them reach 256 KB. */
static size_t size_at(int index)
{
    return (size_t) (256 * pow(2, index / 3.0) + 0.5);
}

enum { SIZES = 31 };

/* How the made-up gathers go wrong. */
struct trouble {
    /* From m1 to m2 a call escalates with this probability, and twice with probability * second. */
    size_t m1, m2;
    double probability, second;
    /* Up to this share of the time is added. */
    double noise;
    /* This share of the calls, at all sizes, takes up to 20 ms longer. */
    double outliers;
    /* Whether sizes above m2 are on the large line. */
    bool large;
};

static void make_gather(const struct trouble *t)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < SIZES; i++) {
            const size_t bytes = size_at(i);
            double seconds = t->large && bytes > t->m2 ? gather_large((double) bytes)
                                                       : gather_line((double) bytes);

            seconds *= 1 + t->noise * dice(&made);
            if (bytes >= t->m1 && bytes <= t->m2 && dice(&made) < t->probability) {
                seconds += timeout * (dice(&made) < t->second ? 2 : 1);
            }
            if (dice(&made) < t->outliers) {
                seconds += 0.02 * dice(&made);
            }
            add(&made, bytes, seconds);
        }
    }
}

static napcoll_incast_gather_t fitted(void)
{
    napcoll_incast_gather_t g;

    assert_int_equal(napcoll_incast_gather(made.sample, made.count, OTHERS, &message, &g),
                     NAPCOLL_INCAST_OK);
    return g;
}

/* Makes gathers from a seed and fits them. */
static napcoll_incast_gather_t gathered(const struct trouble *t, uint64_t seed)
{
    made.count = 0;
    made.random = seed;
    make_gather(t);
    return fitted();
}

static void make_scatter(size_t s, double noise)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < SIZES; i++) {
            const size_t bytes = size_at(i);

            add(&made, bytes, scatter_line((double) bytes, bytes >= s) * (1 + noise * dice(&made)));
        }
    }
}

static napcoll_incast_scatter_t fitted_scatter(void)
{
    napcoll_incast_scatter_t s;

    assert_int_equal(napcoll_incast_scatter(made.sample, made.count, &s), NAPCOLL_INCAST_OK);
    return s;
}

/* ---- gather ---- */

static void escalation_is_found_where_it_is(void **state)
{
    const struct trouble t = {
        .m1 = 5120, .m2 = 65536, .probability = 0.4, .noise = 0.1, .large = true};
    napcoll_incast_gather_t g;

    (void) state;
    g = gathered(&t, 7);
    assert_true(g.escalates);
    /* 5161 */
    assert_int_equal(g.m1, size_at(13));
    /* 65536 */
    assert_int_equal(g.m2, size_at(24));
    assert_int_equal(g.below_m1, size_at(12));
    assert_int_equal(g.above_m2, size_at(25));
    assert_int_equal(g.large_from, size_at(25));
    check_close(g.escalated, 0.4, 0.2);
    assert_true(g.elsewhere <= 0);
    assert_int_equal(g.num_levels, 1);
    check_close(g.level[0].seconds, timeout, 0.02);
    check_close(g.level[0].probability, g.escalated, 1e-9);
    check_close(napcoll_incast_gather_loss(&g), 0.4 * timeout / gather_line(sqrt(5120 * 65536)),
                0.3);
    /* half the noise is on average added to either line */
    check_close(g.small.slope, 1.05 * (gather_line(2e6) - gather_line(1e6)) / 1e6, 0.05);
    check_close(g.small.intercept, 1.05 * gather_line(0), 0.05);
    check_close(g.large.slope, 1.05 * (gather_large(2e6) - gather_large(1e6)) / 1e6, 0.05);
    assert_true(g.small.slope_error > 0 && g.small.slope_error < 0.1 * g.small.slope);
    napcoll_incast_gather_close(&g);
}

/* Without noise the fit gives the platform's numbers. */
static void numbers_are_what_was_put_in(void **state)
{
    const struct trouble t = {.m1 = 5120, .m2 = 65536, .probability = 0.5, .large = true};
    napcoll_incast_gather_t g;
    napcoll_incast_scatter_t s;
    napcoll_incast_model_t m;

    g = gathered(&t, 7);
    begin(state);
    make_scatter(65536, 0);
    s = fitted_scatter();
    m = napcoll_incast_model(&message, &g, &s, OTHERS);
    check_close(m.root_delay, platform.root_delay, 1e-6);
    check_close(m.root_per_byte, platform.root_per_byte, 1e-6);
    check_close(m.far_delay, platform.far_delay, 1e-6);
    check_close(m.far_per_byte, platform.far_per_byte, 1e-6);
    check_close(m.kappa1, platform.kappa1, 1e-6);
    check_close(m.kappa2, platform.kappa2, 1e-6);
    for (double bytes = 256; bytes <= 262144; bytes *= 2) {
        check_close(napcoll_incast_gather_seconds(&m, bytes),
                    bytes > 65536 ? gather_large(bytes) : gather_line(bytes), 1e-6);
        check_close(napcoll_incast_scatter_seconds(&m, bytes), scatter_line(bytes, bytes >= 65536),
                    1e-6);
    }
    napcoll_incast_gather_close(&g);
    napcoll_incast_scatter_close(&s);
}

static void levels_have_their_probabilities(void **state)
{
    const struct trouble t = {
        .m1 = 4000, .m2 = 50000, .probability = 0.6, .second = 0.25, .noise = 0.2, .large = true};
    napcoll_incast_gather_t g;
    double all = 0;

    (void) state;
    g = gathered(&t, 7);
    assert_int_equal(g.num_levels, 2);
    check_close(g.level[0].seconds, timeout, 0.02);
    check_close(g.level[1].seconds, 2 * timeout, 0.02);
    check_close(g.level[0].probability, 0.45, 0.2);
    check_close(g.level[1].probability, 0.15, 0.4);
    for (int i = 0; i < g.num_sizes; i++) {
        const napcoll_incast_size_t *size = &g.size[i];

        check_close(size->level[0] + size->level[1],
                    size->bytes >= g.m1 && size->bytes <= g.m2 ? size->escalated : 0, 1e-9);
        all += size->level[0] * (double) size->samples;
    }
    check_close(all, (double) g.level[0].samples, 1e-9);
    napcoll_incast_gather_close(&g);
}

/* Where M1 and M2 are found, and where not: from the first size on, and at one size only. */
static void ranges_are_found(void **state)
{
    enum { NONE = -1, LAST = SIZES - 1 };
    static const struct {
        struct trouble t;
        /* indices of M1 and M2 */
        int m1, m2;
        bool large;
    } cases[] = {
        {{.m1 = 8000, .m2 = 70000, .probability = 1, .noise = 0.1, .large = true}, 15, 24, true},
        {{.m1 = 10000, .m2 = 1 << 20, .probability = 0.5, .noise = 0.1}, 16, LAST, false},
        {{.m1 = 10000, .m2 = 1 << 20, .probability = 1, .noise = 0.1}, 16, LAST, false},
        {{.m1 = 0, .m2 = 32768, .probability = 0.5, .noise = 0.1}, NONE, NONE, false},
        {{.m1 = 8192, .m2 = 8192, .probability = 0.6, .noise = 0.1}, NONE, NONE, false},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        napcoll_incast_gather_t g = gathered(&cases[i].t, 7);
        const bool escalates = NONE != cases[i].m1;

        assert_int_equal(g.escalates, escalates);
        assert_int_equal(g.m1, escalates ? size_at(cases[i].m1) : 0);
        assert_int_equal(g.m2, escalates ? size_at(cases[i].m2) : 0);
        assert_int_equal(g.large.points > 0, cases[i].large);
        assert_int_equal(g.large_from, cases[i].large ? size_at(cases[i].m2 + 1) : 0);
        assert_int_equal(g.above_m2, g.large_from);
        if (escalates) {
            check_close(g.escalated, cases[i].t.probability, 0.2);
            check_close(g.level[0].seconds, timeout, 0.05);
        }
        assert_int_equal(napcoll_incast_gather_loss(&g) > 0, escalates);
        napcoll_incast_gather_close(&g);
    }
}

/* With slow messages a timeout takes less than all messages, but it does not grow with the size. */
static void a_timeout_in_all_calls_is_no_large_regime(void **state)
{
    const napcoll_line_t slow = {.intercept = 1600e-6, .slope = 200e-9, .points = 9};
    napcoll_incast_gather_t g;

    (void) state;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < SIZES - 3; i++) { /* up to 128 KB */
            const double bytes = (double) size_at(i);
            const double late = bytes > 50000 || (bytes > 10000 && dice(&made) < 0.3) ? timeout : 0;

            add(&made, size_at(i), 0.003 + 900e-9 * bytes + late + 0.01 * dice(&made));
        }
    }
    assert_int_equal(napcoll_incast_gather(made.sample, made.count, OTHERS, &slow, &g),
                     NAPCOLL_INCAST_OK);
    assert_true(g.escalates);
    /* 10321 */
    assert_int_equal(g.m1, size_at(16));
    assert_int_equal(g.m2, size_at(SIZES - 4));
    assert_int_equal(g.large.points, 0);
    napcoll_incast_gather_close(&g);
}

static void a_line_is_no_escalation(void **state)
{
    (void) state;
    for (int noise = 0; noise < 4; noise++) {
        napcoll_incast_gather_t g = gathered(&(struct trouble){.noise = 0.3 * noise}, 7);

        assert_false(g.escalates);
        assert_int_equal(g.m1, 0);
        assert_int_equal(g.m2, 0);
        assert_int_equal(g.num_levels, 0);
        assert_int_equal(g.small.points, SIZES);
        assert_int_equal(g.large.points, 0);
        check_close(g.small.slope, (1 + 0.15 * noise) * (gather_line(2e6) - gather_line(1e6)) / 1e6,
                    0.2);
        napcoll_incast_gather_close(&g);
    }
}

/* On a shared machine some calls of all sizes take longer: in 100 scans that is never an
 * escalation, and it never hides one. */
static void outliers_are_told_from_escalation(void **state)
{
    (void) state;
    for (int seed = 0; seed < 100; seed++) {
        const struct trouble none = {.noise = 0.5, .outliers = 0.01 * (seed % 8)};
        struct trouble t = none;
        napcoll_incast_gather_t g = gathered(&none, (uint64_t) seed);

        if (g.escalates) {
            fail_msg("seed %d: from %zu to %zu", seed, g.m1, g.m2);
        }
        napcoll_incast_gather_close(&g);
        t.m1 = 5120;
        t.m2 = 65536;
        t.probability = 0.3;
        t.large = true;
        g = gathered(&t, (uint64_t) seed);
        if (!g.escalates || g.m1 < t.m1 / 2 || g.m1 > 2 * t.m1 || g.m2 < t.m2 / 2
            || g.m2 > 2 * t.m2) {
            fail_msg("seed %d: from %zu to %zu", seed, g.m1, g.m2);
        }
        napcoll_incast_gather_close(&g);
    }
}

/* A second regime alone, as with a rendezvous protocol: nothing is random there. */
static void a_steeper_line_is_no_escalation(void **state)
{
    napcoll_incast_gather_t g;

    (void) state;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < SIZES; i++) {
            const double bytes = (double) size_at(i), line = gather_line(bytes);

            add(&made, size_at(i), (bytes > 32768 ? 2.2 * line : line) * (1 + 0.1 * dice(&made)));
        }
    }
    g = fitted();
    assert_false(g.escalates);
    /* 41285 */
    assert_int_equal(g.large_from, size_at(22));
    check_close(g.large.slope / g.small.slope, 2.2, 0.1);
    napcoll_incast_gather_close(&g);
}

/* ---- scatter ---- */

static void leap_of_scatter_is_found(void **state)
{
    for (int i = 0; i < 4; i++) {
        const double noise = 0.1 * i;
        napcoll_incast_scatter_t s;
        double expected;

        begin(state);
        make_scatter(65536, noise);
        s = fitted_scatter();
        assert_true(s.leaps);
        assert_int_equal(s.s, 65536);
        assert_int_equal(s.below_s, size_at(23));
        expected = (1 + noise / 2) * (scatter_line(65536, true) - scatter_line(65536, false));
        check_close(s.leap, expected, 0.001 + noise);
        assert_true(s.leap_error <= 0.2 * s.leap);
        check_close(s.small.slope,
                    (1 + noise / 2) * (scatter_line(2e6, false) - scatter_line(1e6, false)) / 1e6,
                    0.001 + noise);
        check_close(s.large.slope,
                    (1 + noise / 2) * (scatter_line(2e6, true) - scatter_line(1e6, true)) / 1e6,
                    0.001 + noise);
        napcoll_incast_scatter_close(&s);
    }
}

static void without_a_leap_there_is_no_s(void **state)
{
    for (int seed = 0; seed < 40; seed++) {
        napcoll_incast_scatter_t s;

        begin(state);
        made.random = (uint64_t) seed;
        make_scatter(1 << 20, 0.2 * (seed % 4));
        s = fitted_scatter();
        assert_false(s.leaps);
        assert_int_equal(s.s, 0);
        assert_int_equal(s.small.points, SIZES);
        assert_int_equal(s.large.points, 0);
        napcoll_incast_scatter_close(&s);
    }
}

/* A few sizes in the middle that take longer are no leap: it would not last. */
static void a_hump_is_no_leap(void **state)
{
    napcoll_incast_scatter_t s;

    (void) state;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < SIZES; i++) {
            const double line = scatter_line((double) size_at(i), false);

            add(&made, size_at(i), i >= 15 && i < 20 ? 4 * line : line);
        }
    }
    s = fitted_scatter();
    assert_false(s.leaps);
    napcoll_incast_scatter_close(&s);
}

/* ---- the rest ---- */

static void few_samples_are_refused(void **state)
{
    napcoll_incast_gather_t g;
    napcoll_incast_scatter_t s;
    napcoll_line_t line;

    (void) state;
    assert_int_equal(napcoll_incast_gather(NULL, 0, OTHERS, &message, &g), NAPCOLL_INCAST_TOO_FEW);
    for (int i = 0; i < NAPCOLL_INCAST_LEAST_SIZES; i++) {
        for (int k = 0; k < NAPCOLL_INCAST_LEAST_SAMPLES - (0 == i); k++) {
            add(&made, size_at(i), gather_line((double) size_at(i)));
        }
    }
    assert_int_equal(napcoll_incast_gather(made.sample, made.count, OTHERS, &message, &g),
                     NAPCOLL_INCAST_TOO_FEW);
    napcoll_incast_gather_close(&g);
    assert_int_equal(napcoll_incast_scatter(made.sample, made.count, &s), NAPCOLL_INCAST_TOO_FEW);
    napcoll_incast_scatter_close(&s);
    assert_int_equal(napcoll_incast_line(made.sample, made.count, &line), NAPCOLL_INCAST_TOO_FEW);
    assert_int_equal(line.points, 0);
    add(&made, size_at(0), gather_line((double) size_at(0)));
    assert_int_equal(napcoll_incast_line(made.sample, made.count, &line), NAPCOLL_INCAST_OK);
    check_close(line.intercept, gather_line(0), 1e-9);
    g = fitted();
    assert_false(g.escalates);
    napcoll_incast_gather_close(&g);
}

static void impossible_times_are_refused(void **state)
{
    const double bad[] = {-1e-9, NAN, INFINITY};

    for (int i = 0; i < 3; i++) {
        napcoll_incast_gather_t g;

        begin(state);
        make_gather(&(struct trouble){.noise = 0.1});
        made.sample[17].seconds = bad[i];
        assert_int_equal(napcoll_incast_gather(made.sample, made.count, OTHERS, &message, &g),
                         NAPCOLL_INCAST_BAD_TIME);
        napcoll_incast_gather_close(&g);
    }
    for (int result = NAPCOLL_INCAST_OK; result <= NAPCOLL_INCAST_BAD_TIME; result++) {
        assert_true(strlen(napcoll_incast_result_text((napcoll_incast_result_t) result)) > 5);
    }
}

static void the_order_of_samples_does_not_matter(void **state)
{
    const struct trouble t = {
        .m1 = 5120, .m2 = 65536, .probability = 0.4, .noise = 0.1, .large = true};
    napcoll_incast_gather_t first, second;

    (void) state;
    first = gathered(&t, 7);
    for (size_t i = made.count - 1; i > 0; i--) {
        const size_t other = (size_t) (dice(&made) * (double) (i + 1));
        const napcoll_incast_sample_t kept = made.sample[i];

        made.sample[i] = made.sample[other];
        made.sample[other] = kept;
    }
    second = fitted();
    assert_memory_equal(&first.small, &second.small, sizeof(first.small));
    assert_memory_equal(first.level, second.level, sizeof(first.level));
    assert_int_equal(first.m1, second.m1);
    assert_int_equal(first.m2, second.m2);
    napcoll_incast_gather_close(&first);
    napcoll_incast_gather_close(&second);
}

/* No part of a message is negative, and none is more than the message, whatever was measured. */
static void parts_of_a_message_stay_within_it(void **state)
{
    const double slopes[] = {-1, 10e-9, 100e-6, 1};

    (void) state;
    for (int i = 0; i < 4; i++) {
        const napcoll_line_t line = {.intercept = slopes[i], .slope = slopes[i], .points = 5};
        const napcoll_incast_gather_t g = {.small = line};
        const napcoll_incast_scatter_t s = {.small = line};

        for (int others = 1; others < 9; others++) {
            const napcoll_incast_model_t m = napcoll_incast_model(&message, &g, &s, others);

            assert_true(m.root_delay >= 0 && m.root_per_byte >= 0);
            assert_true(m.far_delay >= 0 && m.far_per_byte >= 0);
            check_close(m.root_delay + m.far_delay, message.intercept, 1e-9);
            check_close(m.root_per_byte + m.far_per_byte, message.slope, 1e-9);
        }
    }
}

static void without_lines_the_root_has_half(void **state)
{
    const napcoll_incast_gather_t g = {.escalates = false};
    const napcoll_incast_scatter_t s = {.leaps = false};
    const napcoll_incast_model_t m = napcoll_incast_model(&message, &g, &s, OTHERS);

    (void) state;
    check_close(m.root_delay, message.intercept / 2, 1e-12);
    check_close(m.root_per_byte, message.slope / 2, 1e-12);
    assert_true(m.kappa1 <= 0 && m.kappa1 >= 0 && m.kappa2 <= 0 && m.kappa2 >= 0);
}

static void bisection_ends_near_the_threshold(void **state)
{
    const size_t threshold = 5000;
    size_t below = 4096, above = 8192, middle;
    int steps = 0;

    (void) state;
    while (0 != (middle = napcoll_incast_between(below, above))) {
        assert_true(middle > below && middle < above);
        assert_int_equal(middle % 64, 0);
        if (middle >= threshold) {
            above = middle;
        } else {
            below = middle;
        }
        steps++;
    }
    assert_true(below < threshold && above >= threshold
                && (double) above <= 1.125 * (double) below);
    assert_int_equal(steps, 3);
    assert_int_equal(napcoll_incast_between(0, 100), 0);
    assert_int_equal(napcoll_incast_between(4, 5), 0);
    assert_int_equal(napcoll_incast_between(100, 200), 128);
    assert_int_equal(napcoll_incast_between(10, 20), 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(escalation_is_found_where_it_is, begin),
        cmocka_unit_test_setup(numbers_are_what_was_put_in, begin),
        cmocka_unit_test_setup(levels_have_their_probabilities, begin),
        cmocka_unit_test(ranges_are_found),
        cmocka_unit_test_setup(a_timeout_in_all_calls_is_no_large_regime, begin),
        cmocka_unit_test(a_line_is_no_escalation),
        cmocka_unit_test(outliers_are_told_from_escalation),
        cmocka_unit_test_setup(a_steeper_line_is_no_escalation, begin),
        cmocka_unit_test(leap_of_scatter_is_found),
        cmocka_unit_test(without_a_leap_there_is_no_s),
        cmocka_unit_test_setup(a_hump_is_no_leap, begin),
        cmocka_unit_test_setup(few_samples_are_refused, begin),
        cmocka_unit_test(impossible_times_are_refused),
        cmocka_unit_test_setup(the_order_of_samples_does_not_matter, begin),
        cmocka_unit_test(parts_of_a_message_stay_within_it),
        cmocka_unit_test(without_lines_the_root_has_half),
        cmocka_unit_test(bisection_ends_near_the_threshold),
    };
    return cmocka_run_group_tests_name("incast", tests, NULL, NULL);
}
