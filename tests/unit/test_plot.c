/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The colors of pictures: a name has one color in all pictures, and the names of one picture
 * differ in color.
 */

#include "cmocka_setup.h"

#include <string.h>

#include "algo/napcoll_algo.h"
#include "common/napcoll_plot.h"

/* Components that are measured together with algorithms of napcoll. */
static const char *const components[] = {"napcoll", "tuned", "han", "basic", "libnbc", "xhc"};

enum { COMPONENTS = sizeof(components) / sizeof(components[0]) };

static void assert_differ(const char *a, const char *b)
{
    if (NULL == napcoll_plot_color(a) || NULL == napcoll_plot_color(b)) {
        fail_msg("%s or %s has no color: add it to the table in napcoll_plot.c", a, b);
    }
    if (0 == strcmp(napcoll_plot_color(a), napcoll_plot_color(b))) {
        fail_msg("%s and %s have the same color", a, b);
    }
}

static void names_of_a_picture_differ(void **state)
{
    (void) state;
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        const napcoll_collective_t *collective = napcoll_collectives[c];

        for (int a = 0; a < collective->algorithms; a++) {
            for (int b = 0; b < a; b++) {
                assert_differ(collective->algorithm[a].name, collective->algorithm[b].name);
            }
            for (int b = 0; b < COMPONENTS; b++) {
                assert_differ(collective->algorithm[a].name, components[b]);
            }
        }
    }
    for (int a = 0; a < COMPONENTS; a++) {
        for (int b = 0; b < a; b++) {
            assert_differ(components[a], components[b]);
        }
    }
}

static void contestants_have_the_color_of_their_algorithm(void **state)
{
    (void) state;
    assert_string_equal(napcoll_plot_color("napcoll:nap"), napcoll_plot_color("nap"));
    assert_string_equal(napcoll_plot_color("napcoll:nap local_radix=3"), napcoll_plot_color("nap"));
    assert_string_equal(napcoll_plot_color("napcoll:auto"), napcoll_plot_color("napcoll"));
    assert_string_equal(napcoll_plot_color("napcoll:nap@persistent"), napcoll_plot_color("nap"));
    assert_string_equal(napcoll_plot_color("libnbc@nonblocking"), napcoll_plot_color("libnbc"));
    assert_null(napcoll_plot_color("napcoll:fallback"));
    assert_null(napcoll_plot_color("nosuch"));
    assert_null(napcoll_plot_color(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_a_picture_differ),
        cmocka_unit_test(contestants_have_the_color_of_their_algorithm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
