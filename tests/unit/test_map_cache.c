/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Shared node maps, and the hash table under them.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include "topo/napcoll_map_cache.h"

static void equal_maps_become_one(void **state)
{
    napcoll_map_cache_t cache = {0};
    napcoll_node_map_t *one = napcoll_map_cache_share(&cache, placement("3,2", "cyclic", 15));
    napcoll_node_map_t *two = napcoll_map_cache_share(&cache, placement("3,2", "cyclic", 15));
    napcoll_node_map_t *regular = napcoll_map_cache_share(&cache, placement("5", "block", 15));

    (void) state;
    assert_ptr_equal(one, two);
    assert_ptr_not_equal(one, regular);
    assert_int_equal(one->users, 2);
    assert_int_equal(cache.table.entries, 2);
    napcoll_map_cache_release(&cache, one);
    assert_int_equal(two->users, 1);
    assert_int_equal(two->size, 15);
    napcoll_map_cache_release(&cache, two);
    assert_int_equal(cache.table.entries, 1);
    napcoll_map_cache_release(&cache, regular);
    napcoll_map_cache_release(&cache, NULL);
    napcoll_map_cache_clear(&cache);
}

/* Two maps of eight ranks; a test changes the second. */
static bool are_one(void (*change)(napcoll_node_map_t *map))
{
    napcoll_map_cache_t cache = {0};
    napcoll_node_map_t *one = napcoll_map_cache_share(&cache, placement("3", "cyclic", 8));
    napcoll_node_map_t *two = placement("3", "cyclic", 8);
    bool same;

    if (NULL != change) {
        change(two);
    }
    two = napcoll_map_cache_share(&cache, two);
    same = one == two;
    napcoll_map_cache_release(&cache, two);
    napcoll_map_cache_release(&cache, one);
    napcoll_map_cache_clear(&cache);
    return same;
}

static void oversubscribe(napcoll_node_map_t *map)
{
    map->oversubscribed = true;
}

static void order_lanes(napcoll_node_map_t *map)
{
    const char *const locality[] = {"NM0:SK0:CR0:HT0", "NM1:SK1:CR4:HT4", "NM0:SK0:CR1:HT1"};

    assert_int_equal(napcoll_node_map_set_locality(map, 0, locality), 0);
    assert_non_null(map->local_order);
}

static void order_nodes(napcoll_node_map_t *map)
{
    const int spot[] = {2, 0, 1};

    assert_int_equal(napcoll_node_map_set_network(map, NULL, spot), 0);
}

static void swap_two_ranks(napcoll_node_map_t *map)
{
    const int node = map->node_of[0];

    map->node_of[0] = map->node_of[1];
    map->node_of[1] = node;
}

static void all_that_a_map_says_keeps_it_apart(void **state)
{
    (void) state;
    assert_true(are_one(NULL));
    assert_false(are_one(oversubscribe));
    assert_false(are_one(order_lanes));
    assert_false(are_one(order_nodes));
    assert_false(are_one(swap_two_ranks));
}

/* Maps of one hash: the oversubscribed ones are not in the fingerprint. */
static void a_hash_alone_is_no_match(void **state)
{
    napcoll_node_map_t *one = placement("3", "cyclic", 8), *two = placement("3", "cyclic", 8);

    (void) state;
    two->oversubscribed = true;
    assert_true(napcoll_node_map_fingerprint(one) == napcoll_node_map_fingerprint(two));
    assert_false(napcoll_node_map_equal(one, two));
    napcoll_node_map_free(one);
    napcoll_node_map_free(two);
}

static void maps_outlive_the_cache_while_they_are_used(void **state)
{
    napcoll_map_cache_t cache = {0};
    napcoll_node_map_t *map = napcoll_map_cache_share(&cache, placement("2,3", "block", 9));

    (void) state;
    napcoll_map_cache_clear(&cache);
    assert_int_equal(napcoll_node_map_ppn(map, 1), 3);
    napcoll_map_cache_release(&cache, map);
    assert_int_equal(cache.table.entries, 0);
}

/* More entries than buckets, with few hashes, removed in another order. */
static void a_table_finds_what_is_in_it(void **state)
{
    enum { ENTRIES = 500, HASHES = 37 };
    static napcoll_table_link_t link[ENTRIES];
    napcoll_table_t table = {0};

    (void) state;
    assert_null(napcoll_table_chain(&table, 5));
    for (uint64_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(napcoll_table_add(&table, &link[i], i % HASHES * 64), 0);
    }
    assert_true(table.buckets >= table.entries);
    for (size_t i = 0; i < ENTRIES; i += 2) {
        napcoll_table_remove(&table, &link[i]);
    }
    for (size_t i = 0; i < ENTRIES; i++) {
        const napcoll_table_link_t *at = napcoll_table_chain(&table, i % HASHES * 64);

        while (NULL != at && &link[i] != at) {
            at = at->next;
        }
        assert_true((NULL != at) == (1 == i % 2));
    }
    for (size_t left = ENTRIES / 2; left > 0; left--) {
        assert_int_equal(table.entries, left);
        assert_non_null(napcoll_table_take(&table));
    }
    assert_null(napcoll_table_take(&table));
    napcoll_table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_maps_become_one),
        cmocka_unit_test(all_that_a_map_says_keeps_it_apart),
        cmocka_unit_test(a_hash_alone_is_no_match),
        cmocka_unit_test(maps_outlive_the_cache_while_they_are_used),
        cmocka_unit_test(a_table_finds_what_is_in_it),
    };

    return cmocka_run_group_tests_name("shared node maps", tests, NULL, NULL);
}
