/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The colors of pictures: a name has one color in all pictures, and the names of one picture
 * differ in color, or in dashes and points.
 */

#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A program in place of gnuplot, whose picture is the script. */
static void make_gnuplot(const char *folder)
{
    char name[64];
    FILE *out;

    (void) snprintf(name, sizeof(name), "%s/gnuplot", folder);
    out = fopen(name, "w");
    assert_non_null(out);
    (void) fputs("#!/bin/sh\n/bin/cat\necho '</svg>'\n", out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(name, 0700), 0);
    assert_int_equal(setenv("PATH", folder, 1), 0);
}

/* How the lines of a script are drawn: "pt 7 ps 0.6 dt 1 lc rgb '#009e73'". Returns how many. */
static int read_styles(const char *file, char style[][64], int most)
{
    static char text[8192];
    FILE *in = fopen(file, "r");
    int styles = 0;

    assert_non_null(in);
    text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
    (void) fclose(in);
    for (const char *at = text; NULL != (at = strstr(at, " lw 2 pt ")) && styles < most; at++) {
        (void) snprintf(style[styles++], 64, "%.*s", (int) (strstr(at, " title") - at), at);
    }
    return styles;
}

/* As the radixes of one algorithm. */
static void lines_of_one_color_differ(void **state)
{
    enum { LINES = 12 };
    char folder[] = "/tmp/test_plot-XXXXXX", file[64], message[NAPCOLL_PLOT_MESSAGE] = "";
    char style[LINES][64];
    napcoll_plot_t plot = {
        .lines = LINES, .x = {NAPCOLL_AXIS_BYTES, "size"}, .y = {NAPCOLL_AXIS_TIME, "time"}};

    (void) state;
    assert_non_null(mkdtemp(folder));
    make_gnuplot(folder);
    (void) snprintf(file, sizeof(file), "%s/plot.svg", folder);
    for (int i = 0; i < LINES; i++) {
        plot.line[i].name = "napcoll:tuna radix=2";
        napcoll_plot_add(&plot, i, &(napcoll_plot_point_t){8, 1 + i, 1 + i, 1 + i});
    }
    assert_true(napcoll_plot_draw(&plot, file, message));
    napcoll_plot_free(&plot);
    assert_int_equal(read_styles(file, style, LINES), LINES);
    for (int a = 0; a < LINES; a++) {
        assert_non_null(strstr(style[a], napcoll_plot_color("tuna")));
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(style[a], style[b]);
        }
    }
    assert_int_equal(unlink(file), 0);
    (void) snprintf(file, sizeof(file), "%s/gnuplot", folder);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_a_picture_differ),
        cmocka_unit_test(contestants_have_the_color_of_their_algorithm),
        cmocka_unit_test(lines_of_one_color_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
