/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Names as users type them: which one is nearest to a wrong one, and what is said.
 */

#include "cmocka_setup.h"

#include <string.h>

#include "common/napcoll_names.h"

static const napcoll_names_t collectives = {.at = napcoll_collective_name_at};

static void napcoll_nearest_name_is_found(void **state)
{
    static const struct {
        const char *wrong, *nearest;
    } cases[] = {{"allredcue", "allreduce"}, {"allrduce", "allreduce"}, {"bcats", "bcast"},
                 {"Bcast", "bcast"},         {"alltoal", "alltoall"},   {"scatterx", "scatter"},
                 {"red", "reduce"},          {"gater", "gather"},       {"barier", "barrier"}};
    static const char *const unlike[] = {"", "x", "frobnicate", "zzzzz"};

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_string_equal(
            napcoll_name_nearest(&collectives, cases[i].wrong, strlen(cases[i].wrong)),
            cases[i].nearest);
    }
    for (size_t i = 0; i < sizeof(unlike) / sizeof(*unlike); i++) {
        assert_null(napcoll_name_nearest(&collectives, unlike[i], strlen(unlike[i])));
    }
}

static void napcoll_message_lists_names_and_nearest(void **state)
{
    static const char *const few[] = {"block", "cyclic", "random:SEED", NULL};
    static const char *const one[] = {"only", NULL};
    const napcoll_names_t orders = {.at = napcoll_name_in_array, .context = few};
    const napcoll_names_t single = {.at = napcoll_name_in_array, .context = one};
    char text[100];

    (void) state;
    napcoll_name_expected(text, sizeof(text), &orders, "cylic", 5);
    assert_string_equal(text, "expected block, cyclic or random:SEED (did you mean cyclic?)");
    napcoll_name_expected(text, sizeof(text), &orders, "x", 1);
    assert_string_equal(text, "expected block, cyclic or random:SEED");
    napcoll_name_expected(text, sizeof(text), &single, "x", 1);
    assert_string_equal(text, "expected only");
    /* what does not fit is left out, but not the nearest name */
    napcoll_name_expected(text, sizeof(text), &collectives, "scaterv", 7);
    assert_true(strlen(text) < sizeof(text));
    assert_non_null(strstr(text, "expected allreduce, reduce, "));
    assert_non_null(strstr(text, ", ... (did you mean scatterv?)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(napcoll_nearest_name_is_found),
        cmocka_unit_test(napcoll_message_lists_names_and_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
