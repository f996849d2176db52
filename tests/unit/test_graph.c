/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Graphs by name: that both lists of a graph have the same edges, none twice, and what each kind
 * promises. Files of edges: their order, edges twice, and every mistake with its line.
 */

#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/napcoll_graph_make.h"

static napcoll_edge_lists_t make(const char *graph, int degree, int seed, int ranks)
{
    const napcoll_graph_choice_t choice = {.graph = graph, .degree = degree, .seed = seed};
    napcoll_edge_lists_t lists;
    char message[NAPCOLL_MESSAGE] = "";

    assert_true(napcoll_graph_check(&choice, &napcoll_neighbor_alltoall, message));
    if (!napcoll_graph_make(&choice, ranks, &lists, message)) {
        fail_msg("%s", message);
    }
    assert_int_equal(lists.ranks, ranks);
    assert_int_equal(lists.out[ranks], lists.edges);
    assert_int_equal(lists.in[ranks], lists.edges);
    return lists;
}

static int out_of(const napcoll_edge_lists_t *lists, int rank)
{
    return lists->out[rank + 1] - lists->out[rank];
}

/* How often an edge is in the list of its sender, and of its receiver. */
static int count_edge(const napcoll_edge_lists_t *lists, int from, int to, bool out)
{
    const int *first = out ? lists->out : lists->in, *other = out ? lists->to : lists->from;
    const int rank = out ? from : to, peer = out ? to : from;
    int count = 0;

    for (int i = first[rank]; i < first[rank + 1]; i++) {
        count += peer == other[i];
    }
    return count;
}

static const char *const names[] = {"torus", "stencil", "random", "power-law"};

enum { NAMES = 4 };

static void both_lists_have_each_edge_once(void **state)
{
    static const int sizes[] = {1, 2, 3, 5, 8, 12, 27, 60, 64, 97};

    (void) state;
    for (int n = 0; n < NAMES; n++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
            napcoll_edge_lists_t lists = make(names[n], 0, 0, sizes[s]);
            int edges = 0;

            for (int from = 0; from < sizes[s]; from++) {
                for (int to = 0; to < sizes[s]; to++) {
                    const int count = count_edge(&lists, from, to, true);

                    assert_true(count <= 1 && (from != to || 0 == count));
                    assert_int_equal(count, count_edge(&lists, from, to, false));
                    /* only a random graph has directions */
                    assert_true(2 == n || count == count_edge(&lists, to, from, true));
                    edges += count;
                }
            }
            assert_int_equal(edges, lists.edges);
            assert_true(edges > 0 || 1 == sizes[s]);
            napcoll_edge_lists_free(&lists);
        }
    }
}

static void grids_have_the_neighbours_of_a_cube(void **state)
{
    napcoll_edge_lists_t lists = make("torus", 0, 0, 64);

    (void) state;
    for (int rank = 0; rank < 64; rank++) {
        assert_int_equal(out_of(&lists, rank), 6);
    }
    /* 4 x 4 x 4: rank 0 and its neighbours in each dimension, on both sides */
    for (int i = 0; i < 6; i++) {
        static const int peers[] = {1, 3, 4, 12, 16, 48};

        assert_int_equal(lists.to[i], peers[i]);
    }
    napcoll_edge_lists_free(&lists);
    lists = make("stencil", 0, 0, 64);
    assert_int_equal(napcoll_edge_lists_most(&lists), 26);
    assert_int_equal(out_of(&lists, 0), 7);
    assert_int_equal(out_of(&lists, 1), 11);
    assert_int_equal(out_of(&lists, 1 + 4), 17);
    assert_int_equal(out_of(&lists, 1 + 4 + 16), 26);
    /* in each dimension 10 of 4 x 4 pairs touch, a cell itself among them */
    assert_int_equal(lists.edges, 10 * 10 * 10 - 64);
    napcoll_edge_lists_free(&lists);
    /* a row, which is closed */
    lists = make("torus", 0, 0, 7);
    assert_int_equal(lists.edges, 14);
    assert_int_equal(count_edge(&lists, 6, 0, true), 1);
    napcoll_edge_lists_free(&lists);
}

static void random_graphs_are_nearly_regular(void **state)
{
    napcoll_edge_lists_t lists = make("random", 5, 3, 1000);

    (void) state;
    assert_int_equal(napcoll_edge_lists_most(&lists), 5);
    /* pairs that are drawn twice are rare */
    assert_in_range(lists.edges, 4900, 5000);
    napcoll_edge_lists_free(&lists);
}

static void power_laws_have_hubs(void **state)
{
    napcoll_edge_lists_t lists = make("power-law", 8, 0, 4096);
    const int most = napcoll_edge_lists_most(&lists);
    int few = 0, many = 0;

    (void) state;
    for (int rank = 0; rank < 4096; rank++) {
        few += out_of(&lists, rank) <= 8;
        many += out_of(&lists, rank) >= 80;
    }
    assert_in_range(most, 200, 1500);
    assert_in_range(many, 10, 200);
    assert_true(few > 4096 * 6 / 10);
    assert_in_range(lists.edges, 4096 * 6, 4096 * 8);
    napcoll_edge_lists_free(&lists);
}

static void a_seed_makes_one_graph(void **state)
{
    (void) state;
    for (int n = 2; n < NAMES; n++) {
        napcoll_edge_lists_t one = make(names[n], 4, 9, 100), same = make(names[n], 4, 9, 100);
        napcoll_edge_lists_t other = make(names[n], 4, 10, 100);
        /* what users do not say is 8 and 1 */
        napcoll_edge_lists_t first = make(names[n], 8, 1, 100), none = make(names[n], 0, 0, 100);

        assert_int_equal(one.numbers, same.numbers);
        assert_memory_equal(one.number, same.number, (size_t) one.numbers * sizeof(int));
        assert_true(one.numbers != other.numbers
                    || 0 != memcmp(one.number, other.number, (size_t) one.numbers * sizeof(int)));
        assert_int_equal(first.numbers, none.numbers);
        assert_memory_equal(first.number, none.number, (size_t) none.numbers * sizeof(int));
        napcoll_edge_lists_free(&one);
        napcoll_edge_lists_free(&same);
        napcoll_edge_lists_free(&other);
        napcoll_edge_lists_free(&first);
        napcoll_edge_lists_free(&none);
    }
}

static void pointless_and_huge_choices_are_refused(void **state)
{
    const napcoll_graph_choice_t degree = {.degree = 4}, seed = {.graph = "a.edges", .seed = 4};
    char message[NAPCOLL_MESSAGE];
    napcoll_edge_lists_t lists;

    (void) state;
    assert_false(napcoll_graph_check(&degree, &napcoll_neighbor_alltoall, message));
    assert_non_null(strstr(message, "--degree: the edges of the graph torus are fixed"));
    assert_false(napcoll_graph_check(&seed, &napcoll_neighbor_alltoall, message));
    assert_non_null(strstr(message, "--seed: the edges of the graph a.edges are fixed"));
    assert_false(napcoll_graph_check(&seed, &napcoll_alltoall, message));
    assert_non_null(strstr(message, "--graph: alltoall has no neighbours"));
    assert_true(
        napcoll_graph_check(&(napcoll_graph_choice_t){.seed = 0}, &napcoll_alltoall, message));
    assert_false(napcoll_graph_make(&(napcoll_graph_choice_t){.graph = "random", .degree = 1024},
                                    1 << 18, &lists, message));
    assert_non_null(strstr(message, "take fewer ranks, or a smaller --degree"));
    napcoll_edge_lists_free(&lists);
}

/* ---- files ---- */

/* The path of a file with this text; static. */
static const char *write_file(const char *text, size_t length)
{
    static char path[] = "/tmp/napcoll-graph-XXXXXX";
    int fd;

    strcpy(path + strlen(path) - 6, "XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    assert_int_equal(close(fd), 0);
    return path;
}

static void a_file_keeps_its_order(void **state)
{
    static const char text[] = "# a graph\n3 1 # twice\n\n  3\t0\r\n3 1\n2 2\n0 1";
    static const int to[] = {1, 2, 1, 0, 1}, from[] = {3, 3, 3, 0, 2};
    const char *path = write_file(text, strlen(text));
    napcoll_edge_lists_t lists = make(path, 0, 0, 4);

    (void) state;
    assert_int_equal(lists.edges, 5);
    assert_memory_equal(lists.to, to, sizeof(to));
    assert_memory_equal(lists.from, from, sizeof(from));
    assert_int_equal(lists.out[1], 1);
    assert_int_equal(lists.in[2], 4);
    assert_int_equal(napcoll_edge_lists_most(&lists), 3);
    napcoll_edge_lists_free(&lists);
    (void) unlink(path);
}

static void refuse(const char *text, size_t length, const char *behind_path)
{
    const char *path = write_file(text, length);
    char message[NAPCOLL_MESSAGE] = "";
    napcoll_edge_lists_t lists;

    assert_false(napcoll_graph_make(&(napcoll_graph_choice_t){.graph = path}, 4, &lists, message));
    assert_int_equal(strncmp(message, path, strlen(path)), 0);
    if (0 != strncmp(message + strlen(path), behind_path, strlen(behind_path))) {
        fail_msg("%s, not %s", message, behind_path);
    }
    napcoll_edge_lists_free(&lists);
    (void) unlink(path);
}

static void mistakes_in_files_have_a_line_and_a_remedy(void **state)
{
    static const struct {
        const char *text, *behind_path;
    } cases[] = {
        {"0 1\n1\n", ":2: expected two ranks with a blank between, FROM TO"},
        {"0 1\n\n1 2 3\n", ":3: expected two ranks"},
        {"-1 2\n", ":1: expected two ranks"},
        {"0,1\n", ":1: expected two ranks"},
        {"0 1x\n", ":1: expected two ranks"},
        {"0 99999999999999999999999\n", ":1: expected two ranks"},
        {"0 1\n1 4\n", ":2: rank 4: there are 4 ranks, numbered from 0; take more processes"},
        {"4294967296 1\n", ":1: rank 4294967296: there are 4 ranks"},
        {"", ": has no edges; expected lines of two ranks"},
        {"# 0 1\n", ": has no edges"}};
    char message[NAPCOLL_MESSAGE];
    napcoll_edge_lists_t lists;

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        refuse(cases[i].text, strlen(cases[i].text), cases[i].behind_path);
    }
    refuse("0 1\n1 \0 2\n", 10, ":2: expected a text");
    assert_false(
        napcoll_graph_make(&(napcoll_graph_choice_t){.graph = "stensil"}, 4, &lists, message));
    assert_non_null(strstr(message,
                           "stensil: cannot be opened (No such file or directory); a graph "
                           "is torus, stencil, random, power-law or a file of edges (did "
                           "you mean stencil?)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_lists_have_each_edge_once),
        cmocka_unit_test(grids_have_the_neighbours_of_a_cube),
        cmocka_unit_test(random_graphs_are_nearly_regular),
        cmocka_unit_test(power_laws_have_hubs),
        cmocka_unit_test(a_seed_makes_one_graph),
        cmocka_unit_test(pointless_and_huge_choices_are_refused),
        cmocka_unit_test(a_file_keeps_its_order),
        cmocka_unit_test(mistakes_in_files_have_a_line_and_a_remedy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
