/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The node map: numbering, lanes, contiguity, the hardware's order, made-up placements.
 */

#include "cmocka_setup.h"

#include "topo/napcoll_node_map.h"

static napcoll_node_map_t *map_of(const int *id, int size)
{
    napcoll_node_map_t *map;

    assert_int_equal(napcoll_node_map_create(id, size, &map), 0);
    assert_non_null(map);
    return map;
}

/* The look-ups agree with each other whatever the representation. */
static void check_consistent(const napcoll_node_map_t *map)
{
    int total = 0, lowest = -1;

    for (int m = 0; m < map->nodes; m++) {
        int ppn = napcoll_node_map_ppn(map, m), before = -1;
        assert_true(ppn >= map->min_ppn && ppn <= map->max_ppn);
        total += ppn;
        assert_true(napcoll_node_map_rank(map, m, 0) > lowest);
        lowest = napcoll_node_map_rank(map, m, 0);
        for (int lane = 0; lane < ppn; lane++) {
            int rank = napcoll_node_map_rank(map, m, lane);
            assert_true(rank > before);
            before = rank;
            assert_int_equal(napcoll_node_map_node(map, rank), m);
            assert_int_equal(napcoll_node_map_lane(map, rank), lane);
        }
    }
    assert_int_equal(total, map->size);
}

static void node_map_block_placement_needs_no_tables(void **state)
{
    static const int id[] = {9, 9, 9, 4, 4, 4};
    napcoll_node_map_t *map = map_of(id, 6);

    (void) state;
    assert_int_equal(map->nodes, 2);
    assert_true(map->contiguous);
    assert_null(map->ranks);
    check_consistent(map);
    napcoll_node_map_free(map);
}

static void node_map_orders_nodes_by_lowest_rank(void **state)
{
    static const int id[] = {70, 42, 70, 42, -5, 42};
    napcoll_node_map_t *map = map_of(id, 6);

    (void) state;
    assert_int_equal(map->nodes, 3);
    assert_int_equal(map->min_ppn, 1);
    assert_int_equal(map->max_ppn, 3);
    assert_false(map->contiguous);
    assert_int_equal(napcoll_node_map_rank(map, 0, 1), 2);
    assert_int_equal(napcoll_node_map_rank(map, 1, 2), 5);
    assert_int_equal(napcoll_node_map_node(map, 4), 2);
    check_consistent(map);
    napcoll_node_map_free(map);
}

static void node_map_uneven_intervals_are_contiguous(void **state)
{
    static const int id[] = {1, 1, 1, 0, 0, 2};
    napcoll_node_map_t *map = map_of(id, 6);

    (void) state;
    assert_true(map->contiguous);
    check_consistent(map);
    napcoll_node_map_free(map);
}

static void node_map_one_rank(void **state)
{
    static const int id[] = {12345};
    napcoll_node_map_t *map = map_of(id, 1);

    (void) state;
    assert_int_equal(map->nodes, 1);
    check_consistent(map);
    napcoll_node_map_free(map);
    napcoll_node_map_free(NULL);
}

static void near_order_starts_with_leader_and_its_socket(void **state)
{
    static const int id[] = {0, 0, 0, 0};
    /* cores dealt to sockets in turns; the leader is on the second socket's last core */
    static const char *const locality[] = {"NM1:SK1:L31:CR7:HT14", "NM0:SK0:L30:CR0:HT0",
                                           "NM1:SK1:L31:CR4:HT8", "NM0:SK0:L30:CR1:HT2"};
    static const int expected[] = {0, 2, 1, 3};
    napcoll_node_map_t *map = map_of(id, 4);

    (void) state;
    assert_int_equal(napcoll_node_map_near_lane(map, 0, 2), 2);
    assert_int_equal(napcoll_node_map_set_locality(map, 0, locality), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(napcoll_node_map_near_lane(map, 0, i), expected[i]);
    }
    /* Another node: rank order */
    assert_int_equal(napcoll_node_map_near_lane(map, 1, 3), 3);
    napcoll_node_map_free(map);
}

static void near_order_of_unbound_processes_is_rank_order(void **state)
{
    static const int id[] = {0, 0, 0};
    static const char *const locality[] = {"SK0:CR3", NULL, "SK0:CR1"};
    napcoll_node_map_t *map = map_of(id, 3);

    (void) state;
    assert_int_equal(napcoll_node_map_set_locality(map, 0, locality), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(napcoll_node_map_near_lane(map, 0, i), i);
    }
    napcoll_node_map_free(map);
}

static void check_placement(const char *ppn, const char *order, const int *expected, int size)
{
    int id[16];
    size_t where;

    assert_int_equal(napcoll_placement_parse(ppn, order, size, id, &where), 0);
    for (int r = 0; r < size; r++) {
        assert_int_equal(id[r], expected[r]);
    }
}

static void placement_block_and_cyclic(void **state)
{
    static const int block[] = {0, 0, 0, 1, 1, 2, 3, 3};
    static const int cyclic[] = {0, 1, 2, 0, 1, 0};

    (void) state;
    check_placement("3,2,1", "block", block, 8);
    check_placement("3,2,1", "cyclic", cyclic, 6);
}

static void placement_random_is_a_reproducible_shuffle(void **state)
{
    int id[64], again[64], other[64], count[16] = {0};
    size_t where;

    (void) state;
    assert_int_equal(napcoll_placement_parse("4", "random:7", 64, id, &where), 0);
    assert_int_equal(napcoll_placement_parse("4", "random:7", 64, again, &where), 0);
    assert_int_equal(napcoll_placement_parse("4", "random:8", 64, other, &where), 0);
    assert_memory_equal(id, again, sizeof(id));
    assert_memory_not_equal(id, other, sizeof(id));
    for (int r = 0; r < 64; r++) {
        count[id[r]]++;
    }
    for (int m = 0; m < 16; m++) {
        assert_int_equal(count[m], 4);
    }
}

static void placement_errors_name_the_character(void **state)
{
    static const struct {
        const char *ppn, *order;
        int rc;
        size_t where;
    } cases[] = {{"", "block", 1, 0},     {"3,x", "block", 1, 2},
                 {"3,,1", "block", 1, 2}, {"0", "block", 1, 0},
                 {"4,", "block", 1, 2},   {"4 4", "block", 1, 1},
                 {"-2", "block", 1, 0},   {"99999999999999", "block", 1, 0},
                 {"2", "random", 2, 0},   {"2", "random:1x", 2, 8},
                 {"2", "random:", 2, 0},  {"2", "", 2, 0}};
    int id[4];

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        size_t where = 99;
        assert_int_equal(napcoll_placement_parse(cases[c].ppn, cases[c].order, 4, id, &where),
                         cases[c].rc);
        assert_int_equal(where, cases[c].where);
    }
}

/* Equal ones are those of equal placements, however the nodes are named. */
static void fingerprints_tell_placements_apart(void **state)
{
    static const struct {
        const char *ppn, *order;
        int size;
    } cases[] = {{"4", "block", 16},   {"4", "cyclic", 16},   {"4", "block", 17},
                 {"2", "block", 16},   {"4", "random:1", 16}, {"4", "random:2", 16},
                 {"1", "block", 16},   {"1", "block", 1},     {"3,2", "block", 16},
                 {"2,3", "block", 16}, {"16", "block", 16}};
    enum { CASES = sizeof(cases) / sizeof(*cases) };
    uint64_t fingerprint[CASES];

    (void) state;
    for (int c = 0; c < CASES; c++) {
        int id[17];
        size_t where;
        napcoll_node_map_t *map;

        assert_int_equal(
            napcoll_placement_parse(cases[c].ppn, cases[c].order, cases[c].size, id, &where), 0);
        assert_int_equal(napcoll_node_map_create(id, cases[c].size, &map), 0);
        fingerprint[c] = napcoll_node_map_fingerprint(map);
        napcoll_node_map_free(map);
        for (int rank = 0; rank < cases[c].size; rank++) {
            id[rank] = 1000 - 7 * id[rank];
        }
        assert_int_equal(napcoll_node_map_create(id, cases[c].size, &map), 0);
        assert_true(fingerprint[c] == napcoll_node_map_fingerprint(map));
        napcoll_node_map_free(map);
        for (int other = 0; other < c; other++) {
            assert_true(fingerprint[c] != fingerprint[other]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_map_block_placement_needs_no_tables),
        cmocka_unit_test(node_map_orders_nodes_by_lowest_rank),
        cmocka_unit_test(node_map_uneven_intervals_are_contiguous),
        cmocka_unit_test(node_map_one_rank),
        cmocka_unit_test(near_order_starts_with_leader_and_its_socket),
        cmocka_unit_test(near_order_of_unbound_processes_is_rank_order),
        cmocka_unit_test(fingerprints_tell_placements_apart),
        cmocka_unit_test(placement_block_and_cyclic),
        cmocka_unit_test(placement_random_is_a_reproducible_shuffle),
        cmocka_unit_test(placement_errors_name_the_character),
    };
    return cmocka_run_group_tests_name("node map", tests, NULL, NULL);
}
