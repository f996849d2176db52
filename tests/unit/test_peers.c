/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Records of nodes: what a launcher's list becomes, and the nodes of a job from all records.
 * Every process reads the same ones, so that what is asserted here of one reader holds for all.
 */

#include "cmocka_setup.h"

#include <limits.h>

#include "topo/napcoll_peers.h"

enum { MOST = 16 };

/* What the processes of a job published, NULL: nothing; and which were asked for it. */
typedef struct {
    const char *record[MOST];
    int asked[MOST];
    int lookups;
    bool no_memory;
} published_t;

static int look_up(void *context, int process, char **record)
{
    published_t *published = context;

    published->asked[published->lookups++] = process;
    if (published->no_memory) {
        return -1;
    }
    *record = NULL == published->record[process] ? NULL : strdup(published->record[process]);
    return 0;
}

static char *record_of_list(const char *list, int self, int size, int number)
{
    napcoll_peers_t peers;
    char *record;

    assert_int_equal(napcoll_peers_of_list(list, self, size, &peers), 0);
    peers.number = number;
    record = napcoll_peers_record(&peers);
    assert_non_null(record);
    napcoll_peers_free(&peers);
    return record;
}

static void record_has_runs(void **state)
{
    static const struct {
        const char *list;
        int self;
        int number;
        const char *record;
    } cases[] = {
        {"3", 3, 0, "0 3"},
        {"0,1", 0, 7, "7 0,1"},
        {"0,1,2,3", 2, 1, "1 0-3/1"},
        {"1,5,9,13", 1, 1, "1 1-13/4"},
        {"0,1,2,9,10,11,12,14", 0, -1, "-1 0-2/1,9-12/1,14"},
        {"12,0,4,8", 4, 5, "5 0-12/4"},
        {"2147483646,0", 0, 2147483645, "2147483645 0,2147483646"},
    };

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        char *record = record_of_list(cases[c].list, cases[c].self, INT_MAX, cases[c].number);

        assert_string_equal(record, cases[c].record);
        free(record);
    }
}

static void process_is_alone_where_its_list_makes_no_sense(void **state)
{
    static const char *const bad[] = {NULL,    "",     "0,1",  "0,2,",
                                      "0,2,2", ",2",   "0-2",  "2,8",
                                      "2,-1",  "2,1x", "2 ,3", "99999999999999999999,2"};

    (void) state;
    for (size_t c = 0; c < sizeof(bad) / sizeof(bad[0]); c++) {
        char *record = record_of_list(bad[c], 2, 8, 4);

        assert_string_equal(record, "4 2");
        free(record);
    }
}

/* The records of a job whose process v is on node node[v], each node's by its first process. */
static void publish(published_t *published, const int *node, const int *number, int size)
{
    for (int v = 0; v < size; v++) {
        char list[4 * MOST] = "";
        int first = -1;

        for (int w = 0; w < size; w++) {
            if (node[w] == node[v]) {
                first = first < 0 ? w : first;
                (void) snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%d",
                                '\0' == list[0] ? "" : ",", w);
            }
        }
        published->record[v] = first == v ? record_of_list(list, v, size, number[node[v]]) : NULL;
    }
}

static void forget(published_t *published)
{
    for (int v = 0; v < MOST; v++) {
        free((char *) (uintptr_t) published->record[v]);
    }
}

static void any_placement_is_found_by_one_lookup_a_node(void **state)
{
    static const int placement[][MOST] = {
        {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5}, /* block */
        {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0}, /* cyclic */
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, /* one node */
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {0, 1, 1, 0, 2, 0, 1, 2, 2, 2, 0, 3, 1, 1, 3, 0},
    };
    static const int nodes[] = {6, 3, 1, 16, 4};
    static const int number[MOST] = {40, 4, 9, 3, 2, 8, 70, 7, 60, 6, 5, 50, 0, 1, 30, 31};

    (void) state;
    for (size_t c = 0; c < sizeof(nodes) / sizeof(nodes[0]); c++) {
        published_t published = {.lookups = 0};
        int found[MOST];

        publish(&published, placement[c], number, MOST);
        assert_int_equal(napcoll_peers_assemble(MOST, look_up, &published, found), 0);
        assert_int_equal(published.lookups, nodes[c]);
        for (int v = 0; v < MOST; v++) {
            assert_int_equal(found[v], number[placement[c][v]]);
        }
        forget(&published);
    }
}

/* Slurm 24.11 gives each process its own node's number, which is right; others may give all the
 * same, or none. */
static void numbers_of_the_launcher_need_be_distinct(void **state)
{
    static const int placement[6] = {0, 1, 2, 0, 1, 2};
    static const int same[3] = {5, 5, 5}, unknown[3] = {-1, -1, -1}, two[3] = {8, 3, 8};
    static const int *const number[] = {same, unknown, two};

    (void) state;
    for (size_t c = 0; c < sizeof(number) / sizeof(number[0]); c++) {
        published_t published = {.lookups = 0};
        int found[6];

        publish(&published, placement, number[c], 6);
        assert_int_equal(napcoll_peers_assemble(6, look_up, &published, found), 0);
        assert_memory_equal(found, placement, sizeof(placement));
        forget(&published);
    }
}

static void contradictions_are_found(void **state)
{
    static const published_t cases[] = {
        {.record = {"0 0,1"}},                  /* 2 published nothing */
        {.record = {"0 0,1", NULL, "1 1-3/1"}}, /* 1 is on two nodes */
        {.record = {"0 0,1", NULL, "1 3"}},     /* 2 is not on its own */
        {.record = {"0 0,1", NULL, "1 2-4/1"}}, /* 4 is none of the job */
        {.record = {"0 0,0", "1 1", "1 2,3"}},  /* twice on one */
        {.record = {"0 0,1", NULL, "1 2,3,"}},  /* no record */
        {.record = {"0 0,1", NULL, "x 2,3"}},
        {.record = {"0 0,1", NULL, "1 2-3/0"}},
        {.record = {"0 0,1", NULL, "1 3-2/1"}},
        {.record = {"0 0,1", NULL, "1"}},
        {.record = {"0 0,1", NULL, ""}},
        {.record = {"0 0,1", NULL, "1 2,3 "}},
        {.record = {"0 0-99999999999999999999"}},
    };

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        published_t published = cases[c];
        int found[4];

        assert_int_equal(napcoll_peers_assemble(4, look_up, &published, found), 1);
    }
}

static void lack_of_memory_is_no_contradiction(void **state)
{
    published_t published = {.no_memory = true};
    int found[4];

    (void) state;
    assert_int_equal(napcoll_peers_assemble(4, look_up, &published, found), -1);
}

static void check_connected(const napcoll_peers_said_t *said, const int *expected, int size)
{
    int id[MOST];

    assert_int_equal(napcoll_peers_connect(size, said, id), 0);
    for (int r = 0; r < size; r++) {
        assert_int_equal(id[r], expected[r]);
    }
}

static void ranks_of_several_jobs_are_connected(void **state)
{
    /* ranks 0 and 1 of one job do not see 2 and 3 of the other on their node; 2 sees 0, 3 sees but
     * 2 */
    static const napcoll_peers_said_t half_seen[] = {{0, -1}, {0, -1}, {0, -1},
                                                     {2, -1}, {4, -1}, {4, -1}};
    static const napcoll_peers_said_t impossible[] = {{3, 0}, {2, 0}, {-1, 0}, {9, 0}, {3, 0}};
    static const int of_half_seen[] = {0, 0, 0, 0, 1, 1}, of_impossible[] = {0, 1, 2, 3, 3};

    (void) state;
    check_connected(half_seen, of_half_seen, 6);
    check_connected(impossible, of_impossible, 5);
}

static void connected_ranks_have_the_launchers_numbers(void **state)
{
    /* cyclic on two nodes; the number counts that the node's first rank said */
    static const napcoll_peers_said_t cyclic[] = {{0, 9}, {1, 4}, {0, 9}, {1, 5}};
    static const napcoll_peers_said_t same[] = {{0, 9}, {1, 9}, {0, 9}, {1, 9}};
    static const int of_cyclic[] = {9, 4, 9, 4}, of_same[] = {0, 1, 0, 1};

    (void) state;
    check_connected(cyclic, of_cyclic, 4);
    check_connected(same, of_same, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_has_runs),
        cmocka_unit_test(process_is_alone_where_its_list_makes_no_sense),
        cmocka_unit_test(any_placement_is_found_by_one_lookup_a_node),
        cmocka_unit_test(numbers_of_the_launcher_need_be_distinct),
        cmocka_unit_test(contradictions_are_found),
        cmocka_unit_test(lack_of_memory_is_no_contradiction),
        cmocka_unit_test(ranks_of_several_jobs_are_connected),
        cmocka_unit_test(connected_ranks_have_the_launchers_numbers),
    };
    return cmocka_run_group_tests_name("peers", tests, NULL, NULL);
}
