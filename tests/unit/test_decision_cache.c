/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Shared decisions: who finds which, how long they stay, and that what is in use is never freed.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include "algo/napcoll_algo.h"
#include "select/napcoll_decision_cache.h"

typedef struct {
    napcoll_map_cache_t maps;
    napcoll_decision_cache_t cache;
    napcoll_node_map_t *map;
    napcoll_decision_key_t key;
} fixture_t;

static int set_up(void **state)
{
    fixture_t *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->cache.maps = &f->maps;
    f->map = napcoll_map_cache_share(&f->maps, placement("4", "cyclic", 16));
    f->key = (napcoll_decision_key_t){
        .call = {.collective = &napcoll_bcast}, .map = f->map, .rank = 3};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture_t *f = *state;

    napcoll_decision_cache_clear(&f->cache);
    assert_int_equal(f->map->users, 1);
    napcoll_map_cache_release(&f->maps, f->map);
    napcoll_map_cache_clear(&f->maps);
    free(f);
    return 0;
}

/* A plan of as many steps. */
static napcoll_plan_t *plan_of(int steps)
{
    napcoll_plan_t *plan = calloc(1, sizeof(*plan));

    assert_non_null(plan);
    plan->steps = steps;
    plan->step = calloc((size_t) steps, sizeof(*plan->step));
    assert_non_null(plan->step);
    return plan;
}

/* Add a decision on bytes least .. most, with a plan. */
static napcoll_decided_t *add(fixture_t *f, size_t least, size_t most, int steps)
{
    napcoll_decided_t *made = napcoll_decided_create(&f->key);

    assert_non_null(made);
    made->decision.least = least;
    made->decision.most = most;
    made->plan[f->key.call.in_place] = plan_of(steps);
    napcoll_decision_cache_share(&f->cache, &made);
    return made;
}

static bool finds(fixture_t *f, const napcoll_decided_t *decided, size_t bytes)
{
    napcoll_decided_t *found = napcoll_decision_cache_find(&f->cache, &f->key, bytes);

    napcoll_decision_cache_release(&f->cache, found);
    return decided == found;
}

static void a_decision_is_found_for_the_bytes_that_it_is_on(void **state)
{
    fixture_t *f = *state;
    napcoll_decided_t *small = add(f, 0, 8, 1), *large = add(f, 17, 32, 1);

    assert_true(finds(f, small, 0) && finds(f, small, 8));
    assert_true(finds(f, NULL, 9) && finds(f, NULL, 16) && finds(f, NULL, 33));
    assert_true(finds(f, large, 17) && finds(f, large, 32));
    assert_int_equal(small->users, 1);
    napcoll_decision_cache_release(&f->cache, small);
    napcoll_decision_cache_release(&f->cache, large);
}

static void one_that_another_thread_has_added_is_taken(void **state)
{
    fixture_t *f = *state;
    napcoll_decided_t *first = add(f, 0, 8, 1), *second = add(f, 0, 8, 2);

    assert_ptr_equal(first, second);
    assert_int_equal(first->users, 2);
    assert_int_equal(f->cache.table.entries, 1);
    assert_int_equal(f->map->users, 2);
    napcoll_decision_cache_release(&f->cache, first);
    napcoll_decision_cache_release(&f->cache, second);
    assert_int_equal(f->cache.idle, 1);
}

/* Whether a key finds what was added under the fixture's. */
static bool is_apart(fixture_t *f, napcoll_decision_key_t key)
{
    napcoll_decided_t *found = napcoll_decision_cache_find(&f->cache, &key, 4);

    napcoll_decision_cache_release(&f->cache, found);
    return NULL == found;
}

static void all_that_a_decision_rests_on_keeps_it_apart(void **state)
{
    fixture_t *f = *state;
    napcoll_node_map_t *other = napcoll_map_cache_share(&f->maps, placement("4", "block", 16));
    const napcoll_rule_t asked = {.collective = &napcoll_bcast, .local_radix = 3};
    napcoll_decision_key_t key = f->key;

    napcoll_decision_cache_release(&f->cache, add(f, 0, 8, 1));
    assert_false(is_apart(f, f->key));
#define APART(field, value)            \
    do {                               \
        key = f->key;                  \
        key.field = (value);           \
        assert_true(is_apart(f, key)); \
    } while (0)
    APART(call.collective, &napcoll_reduce);
    APART(map, other);
    APART(asked, &asked);
    APART(rank, 4);
    APART(force, 2);
    APART(call.root, 1);
    APART(first_root, 1);
    APART(call.noncommutative, true);
    APART(call.in_place, true);
    APART(call.straight, true);
    APART(jobs_differ, true);
    APART(limits, true);
#undef APART
    napcoll_map_cache_release(&f->maps, other);
}

static void what_info_keys_ask_for_is_compared_by_value(void **state)
{
    fixture_t *f = *state;
    napcoll_rule_t *asked = calloc(1, sizeof(*asked)), again;
    napcoll_decision_key_t key = f->key;

    assert_non_null(asked);
    asked->local_radix = 3;
    /* says nothing */
    asked->line = 7;
    again = *asked;
    again.line = 9;
    f->key.asked = asked;
    napcoll_decision_cache_release(&f->cache, add(f, 0, 8, 1));
    /* with its communicator */
    free(asked);
    key.asked = &again;
    assert_false(is_apart(f, key));
    again.tunable[1] = 5;
    assert_true(is_apart(f, key));
    f->key.asked = NULL;
}

/* Entries that are used all the time, and more that are not than there is room for. */
static void eviction_spares_what_is_in_use(void **state)
{
    fixture_t *f = *state;
    napcoll_decided_t *used[10], *latest;

    for (size_t i = 0; i < 10; i++) {
        used[i] = add(f, i, i, 100);
    }
    for (size_t i = 10; i < 10 + 3 * NAPCOLL_IDLE_DECISIONS; i++) {
        latest = add(f, i, i, 1);
        napcoll_decision_cache_release(&f->cache, latest);
        assert_true(finds(f, latest, i));
        assert_true(f->cache.idle <= NAPCOLL_IDLE_DECISIONS);
        assert_true(f->cache.idle_bytes <= NAPCOLL_IDLE_BYTES);
    }
    assert_true(finds(f, NULL, 10));
    for (size_t i = 0; i < 10; i++) {
        assert_true(finds(f, used[i], i));
        assert_int_equal(used[i]->plan[0]->steps, 100);
        napcoll_decision_cache_release(&f->cache, used[i]);
    }
}

static void the_one_used_longest_ago_goes_first(void **state)
{
    enum { STEPS = 1000 };
    fixture_t *f = *state;
    napcoll_decided_t *first = add(f, 0, 0, STEPS);
    const size_t room = NAPCOLL_IDLE_BYTES / first->bytes;

    napcoll_decision_cache_release(&f->cache, first);
    for (size_t i = 1; i < room; i++) {
        napcoll_decision_cache_release(&f->cache, add(f, i, i, STEPS));
    }
    /* and is the newest then */
    assert_true(finds(f, first, 0));
    napcoll_decision_cache_release(&f->cache, add(f, room, room, STEPS));
    assert_true(finds(f, first, 0));
    assert_true(finds(f, NULL, 1));
}

/* One plan that is larger than all that may stay. */
static void what_is_too_large_goes_with_its_last_user(void **state)
{
    fixture_t *f = *state;
    napcoll_decided_t *large = add(f, 0, 8, NAPCOLL_IDLE_BYTES / (int) sizeof(napcoll_step_t) + 1);

    assert_true(finds(f, large, 8));
    napcoll_decision_cache_release(&f->cache, large);
    assert_int_equal(f->cache.table.entries, 0);
    assert_int_equal(f->cache.idle_bytes, 0);
    assert_int_equal(f->map->users, 1);
}

static void what_is_used_outlives_the_cache(void **state)
{
    fixture_t *f = *state;
    napcoll_decided_t *used = add(f, 0, 8, 5);

    napcoll_decision_cache_release(&f->cache, add(f, 9, 16, 5));
    napcoll_decision_cache_clear(&f->cache);
    assert_true(finds(f, NULL, 8) && finds(f, NULL, 16));
    assert_int_equal(used->plan[0]->steps, 5);
    assert_int_equal(f->map->users, 2);
    napcoll_decision_cache_release(&f->cache, used);
    assert_int_equal(f->map->users, 1);
}

/* One that is not shared is its maker's alone. */
static void what_is_not_shared_is_not_found(void **state)
{
    fixture_t *f = *state;
    napcoll_decided_t *made = napcoll_decided_create(&f->key);

    assert_non_null(made);
    made->decision.most = SIZE_MAX;
    assert_true(finds(f, NULL, 4));
    napcoll_decision_cache_release(&f->cache, made);
    assert_int_equal(f->cache.idle, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_decision_is_found_for_the_bytes_that_it_is_on, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(one_that_another_thread_has_added_is_taken, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(all_that_a_decision_rests_on_keeps_it_apart, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_info_keys_ask_for_is_compared_by_value, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(eviction_spares_what_is_in_use, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_one_used_longest_ago_goes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_too_large_goes_with_its_last_user, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_used_outlives_the_cache, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_shared_is_not_found, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("shared decisions", tests, NULL, NULL);
}
