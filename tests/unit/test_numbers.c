/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Numbers as users type them: sizes, times, ranges and lists.
 */

#include "cmocka_setup.h"

#include <stdint.h>
#include <string.h>

#include "common/napcoll_numbers.h"

static void napcoll_sizes_have_suffixes(void **state)
{
    static const struct {
        const char *text;
        size_t size;
    } good[] = {{"0", 0},         {"7", 7},         {"4K", 4096},
                {"1m", 1u << 20}, {"2G", 2u << 30}, {"18446744073709551615", SIZE_MAX}};
    static const char *const wrong[] = {"",
                                        "K",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "1KB",
                                        "0x10",
                                        "1T",
                                        "1e3",
                                        "1.5K",
                                        "1,",
                                        "18446744073709551616",
                                        "18014398509481984K"};
    size_t size;

    (void) state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        assert_true(napcoll_read_size(good[i].text, 0, SIZE_MAX, &size));
        assert_true(size == good[i].size);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        size = 5;
        assert_false(napcoll_read_size(wrong[i], 0, SIZE_MAX, &size));
        assert_int_equal(size, 5);
    }
    assert_false(napcoll_read_size("1K", 0, 1023, &size));
    assert_true(napcoll_read_size("1K", 1024, 1024, &size));
    assert_false(napcoll_read_size("1K", 1025, 2048, &size));
}

static void napcoll_numbers_have_no_suffix(void **state)
{
    int number = 5;

    (void) state;
    assert_false(napcoll_read_int("4K", 0, 5000, &number));
    assert_false(napcoll_read_int("3", 4, 5, &number));
    assert_false(napcoll_read_int("6", 4, 5, &number));
    assert_int_equal(number, 5);
    assert_true(napcoll_read_int("2147483647", 0, INT32_MAX, &number));
    assert_int_equal(number, INT32_MAX);
}

static void napcoll_times_have_units(void **state)
{
    static const char *const same[] = {"0.0005", "5e-4s", "0.5ms", "500us", "500000ns"};
    static const char *const wrong[] = {"",    "s",  "1 s",  "-1",    "nan", "inf",
                                        "0x1", "1m", "1sec", "2001s", "1..5"};
    double time;

    (void) state;
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
        assert_true(napcoll_read_time(same[i], 0, 2000, &time));
        assert_true(time > 0.000499999 && time < 0.000500001);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_false(napcoll_read_time(wrong[i], 0, 2000, &time));
    }
    assert_true(napcoll_read_real("0.05", 0, 1, &time));
    assert_false(napcoll_read_real("0.05s", 0, 1, &time));
    assert_false(napcoll_read_real("1.01", 0, 1, &time));
}

enum { ROOM = 8 };

/* Read a series and compare it to values with a 0 behind the last. */
static void expect(const char *text, const napcoll_series_t *series, const size_t *values)
{
    size_t value[ROOM];
    const int count = napcoll_read_series(text, series, value, ROOM);

    assert_in_range(count, 1, ROOM);
    for (int i = 0; i < count; i++) {
        assert_int_equal(value[i], values[i]);
    }
    assert_int_equal(values[count], 0);
}

static void napcoll_ranges_and_lists_step_as_they_say(void **state)
{
    const napcoll_series_t sizes = {
        .most = SIZE_MAX, .factor = 4, .ends_with_to = true, .list = true};
    const napcoll_series_t nodes = {.least = 1, .most = 100, .factor = 1, .step = 1};

    (void) state;
    expect("8:1K", &sizes, (const size_t[]){8, 32, 128, 512, 1024, 0});
    expect("8,4K,1M:4M:2", &sizes, (const size_t[]){8, 4096, 1 << 20, 1 << 21, 1 << 22, 0});
    expect("3:7", &nodes, (const size_t[]){3, 4, 5, 6, 7, 0});
    expect("3:9:+4", &nodes, (const size_t[]){3, 7, 0});
    expect("3:13:x2", &nodes, (const size_t[]){3, 6, 12, 0});
    expect("5:5", &sizes, (const size_t[]){5, 0});
    /* no value wraps around */
    expect("9223372036854775808:18446744073709551615", &sizes,
           (const size_t[]){(size_t) 1 << 63, SIZE_MAX, 0});
}

static void napcoll_wrong_series_are_refused(void **state)
{
    static const char *const wrong[] = {"",    ",",     "8,",         ",8",      "8:",
                                        "8:4", "8:16:", "8:16:x",     "8:16:x1", "8:16:+0",
                                        "0:8", "8;16",  "8:16:x2:x2", "1000001"};
    const napcoll_series_t series = {.most = 1000000, .factor = 2, .list = true};
    const napcoll_series_t single = {.most = 1000000, .factor = 2};
    size_t value[ROOM];

    (void) state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_int_equal(napcoll_read_series(wrong[i], &series, value, ROOM), 0);
    }
    assert_int_equal(napcoll_read_series("8,16", &single, value, ROOM), 0);
    assert_int_equal(napcoll_read_series("1:256", &series, value, ROOM), ROOM + 1);
    assert_int_equal(napcoll_read_series("1:128", &series, value, ROOM), ROOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(napcoll_sizes_have_suffixes),
        cmocka_unit_test(napcoll_numbers_have_no_suffix),
        cmocka_unit_test(napcoll_times_have_units),
        cmocka_unit_test(napcoll_ranges_and_lists_step_as_they_say),
        cmocka_unit_test(napcoll_wrong_series_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
