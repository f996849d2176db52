/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Pairs of nodes by the switches between them: which are chosen, what their times come to,
 * and when these contradict the switches.
 */

#include <math.h>

#include "cmocka_setup.h"

#include "common/napcoll_distances.h"

/* The pairs of a job whose nodes have these names, "1: 0 2, 3: 0 1". */
static const char *pairs_of(const char *text, const char *const *name, int nodes)
{
    static char said[512];
    napcoll_distance_t distance[NAPCOLL_MOST_DISTANCES];
    napcoll_switch_error_t error;
    napcoll_switch_tree_t *tree;
    int spot[16], distances;

    assert_int_equal(napcoll_switch_tree_parse(text, strlen(text), &tree, &error), 0);
    for (int i = 0; i < nodes; i++) {
        spot[i] = napcoll_switch_tree_find(tree, name[i]);
        assert_true(spot[i] >= 0);
    }
    distances = napcoll_distances_choose(tree, spot, nodes, distance);
    said[0] = '\0';
    for (int i = 0; i < distances; i++) {
        const napcoll_distance_t *d = &distance[i];
        const size_t used = strlen(said);

        assert_int_equal(napcoll_distances_between(tree, spot[d->one], spot[d->other]),
                         d->switches);
        assert_int_equal(napcoll_distances_between(tree, spot[d->other], spot[d->one]),
                         d->switches);
        (void) snprintf(said + used, sizeof(said) - used, "%s%d: %d %d", i > 0 ? ", " : "",
                        d->switches, d->one, d->other);
    }
    napcoll_switch_tree_free(tree);
    return said;
}

static void first_pair_of_each_distance_is_chosen(void **state)
{
    static const char two[] = "SwitchName=s0 Nodes=a[0-3]\nSwitchName=s1 Nodes=b[0-3]\n"
                              "SwitchName=top Switches=s[0-1]\n";
    static const char *const mixed[] = {"a3", "b0", "a1", "b2", "a0"};
    static const char *const split[] = {"a0", "b0", "b1"};
    static const char *const apart[] = {"b3", "a0"};

    (void) state;
    assert_string_equal(pairs_of(two, mixed, 5), "1: 0 2, 3: 0 1");
    /* node 0 is alone on its switch */
    assert_string_equal(pairs_of(two, split, 3), "1: 1 2, 3: 0 1");
    assert_string_equal(pairs_of(two, apart, 2), "3: 0 1");
    assert_string_equal(pairs_of(two, apart, 1), "");
}

/* Nodes at different depths, two switches on the way among them. */
static void uneven_trees_have_even_distances(void **state)
{
    static const char text[] = "SwitchName=top Nodes=a,b Switches=low\n"
                               "SwitchName=low Nodes=c Switches=least\n"
                               "SwitchName=least Nodes=d,e\n";
    static const char *const all[] = {"a", "b", "c", "d", "e"};
    static const char *const some[] = {"d", "c", "a"};

    (void) state;
    assert_string_equal(pairs_of(text, all, 5), "1: 0 1, 2: 0 2, 3: 0 3");
    assert_string_equal(pairs_of(text, some, 3), "2: 0 1, 3: 0 2");
}

/* Switches without a parent meet at one that the file does not name. */
static void unnamed_switch_counts(void **state)
{
    static const char text[] = "SwitchName=s0 Nodes=a[0-1]\nSwitchName=s1 Nodes=b[0-1]\n";
    static const char *const all[] = {"a0", "b0", "b1", "a1"};

    (void) state;
    assert_string_equal(pairs_of(text, all, 4), "1: 0 3, 3: 0 1");
}

static void longest_way_has_a_place(void **state)
{
    static const char *const ends[] = {"x", "y"};
    char text[2048] = "SwitchName=top Switches=l1,r1\n", expected[32];
    int deep = NAPCOLL_MOST_SWITCH_DEPTH - 1;

    (void) state;
    for (int i = 1; i <= deep; i++) {
        for (int side = 0; side < 2; side++) {
            const char c = "lr"[side];
            const size_t used = strlen(text);

            if (i < deep) {
                (void) snprintf(text + used, sizeof(text) - used, "SwitchName=%c%d Switches=%c%d\n",
                                c, i, c, i + 1);
            } else {
                (void) snprintf(text + used, sizeof(text) - used, "SwitchName=%c%d Nodes=%c\n", c,
                                i, "xy"[side]);
            }
        }
    }
    (void) snprintf(expected, sizeof(expected), "%d: 0 1", NAPCOLL_MOST_DISTANCES);
    assert_string_equal(pairs_of(text, ends, 2), expected);
}

static const size_t bytes[NAPCOLL_DISTANCE_SIZES] = {8, 1000, 3000};

/* Turns of 10 us and 2 ns per byte, off by that many us in each; in the last one some sample is
 * disturbed. */
static napcoll_timings_t timings_of(const double *off, int turns)
{
    napcoll_timings_t timings = {0};

    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < NAPCOLL_DISTANCE_SIZES; i++) {
            const double seconds = 10e-6 + off[turn] * 1e-6 + 2e-9 * (double) bytes[i];

            for (int again = 0; again < 4; again++) {
                const double disturbed = turn + 1 == turns && 0 == again ? 1 : 0;

                assert_int_equal(
                    napcoll_timings_add(&timings, (double) bytes[i], seconds + disturbed, turn), 0);
            }
        }
    }
    return timings;
}

static void latency_and_rate_come_out(void **state)
{
    static const double off[] = {0, 0.1, -0.1, 0.2, -0.2, 50, 0};
    napcoll_timings_t timings = timings_of(off, 7);
    napcoll_distance_t d = {.switches = 1};

    (void) state;
    /* a turn that the time ended does not count */
    assert_int_equal(napcoll_timings_add(&timings, 8, 1e-9, 7), 0);
    assert_int_equal(napcoll_distances_measure(&timings, bytes, &d), 0);
    assert_int_equal(d.turns, 7);
    assert_true(fabs(d.latency - 10.016e-6) < 1e-11);
    /* the deviations are 0 0 0.1 0.1 0.2 0.2 50, so their median is 0.1 us */
    assert_true(fabs(d.latency_error - 2 * 1.2533 * 1.4826 * 0.1e-6 / sqrt(7)) < 1e-10);
    assert_true(fabs(d.rate - 5e8) < 1e3);
    assert_true(d.rate_error >= 0 && d.rate_error < 1e3);
    napcoll_timings_close(&timings);
}

static void without_times_there_are_no_numbers(void **state)
{
    static const double off[] = {0};
    napcoll_timings_t timings = {0};
    napcoll_distance_t none = {.switches = 1}, one = {.switches = 3};

    (void) state;
    assert_int_equal(napcoll_distances_measure(&timings, bytes, &none), 0);
    assert_int_equal(none.turns, 0);
    assert_true(isnan(none.latency) && isnan(none.rate));
    timings = timings_of(off, 1);
    assert_int_equal(napcoll_distances_measure(&timings, bytes, &one), 0);
    assert_int_equal(one.turns, 1);
    assert_true(isnan(one.latency_error));
    assert_false(napcoll_distances_contradict(&none, &one));
    assert_false(napcoll_distances_contradict(&one, &none));
    napcoll_timings_close(&timings);
}

/* Where a large message takes no longer than one of a third of its bytes. */
static void rate_of_nothing_is_none(void **state)
{
    napcoll_timings_t timings = {0};
    napcoll_distance_t d = {.switches = 1};

    (void) state;
    for (int i = 0; i < NAPCOLL_DISTANCE_SIZES; i++) {
        assert_int_equal(napcoll_timings_add(&timings, (double) bytes[i], 1e-5, 0), 0);
        assert_int_equal(napcoll_timings_add(&timings, (double) bytes[i], 1e-5, 1), 0);
    }
    assert_int_equal(napcoll_distances_measure(&timings, bytes, &d), 0);
    assert_true(0 <= d.rate && d.rate <= 0);
    assert_true(isnan(d.rate_error));
    napcoll_timings_close(&timings);
}

static void farther_is_not_faster(void **state)
{
    const napcoll_distance_t slow = {.latency = 10e-6, .latency_error = 1e-6};
    const napcoll_distance_t fast = {.latency = 7e-6, .latency_error = 1e-6};
    const napcoll_distance_t rough = {.latency = 7e-6, .latency_error = 2.5e-6};

    (void) state;
    assert_true(napcoll_distances_contradict(&slow, &fast));
    assert_false(napcoll_distances_contradict(&fast, &slow));
    assert_false(napcoll_distances_contradict(&slow, &rough));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_pair_of_each_distance_is_chosen),
        cmocka_unit_test(uneven_trees_have_even_distances),
        cmocka_unit_test(unnamed_switch_counts),
        cmocka_unit_test(longest_way_has_a_place),
        cmocka_unit_test(latency_and_rate_come_out),
        cmocka_unit_test(without_times_there_are_no_numbers),
        cmocka_unit_test(rate_of_nothing_is_none),
        cmocka_unit_test(farther_is_not_faster),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
