/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Memory that is kept for later: the same comes back, no more of it than the limit, and one
 * owner at a time.
 */

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/napcoll_buffer_pool.c"

enum { UNIT = NAPCOLL_BUFFER_POOL_LEAST };

static int begin(void **state)
{
    (void) state;
    napcoll_buffer_pool_limit(100 * UNIT);
    return 0;
}

static int end(void **state)
{
    (void) state;
    napcoll_buffer_pool_limit(0);
    return (int) kept_bytes;
}

/* Give back memory of that many units. */
static void *keep(size_t units)
{
    void *memory = malloc(units * UNIT);

    assert_non_null(memory);
    napcoll_buffer_pool_give(memory, units * UNIT);
    return memory;
}

static void what_is_given_comes_back(void **state)
{
    size_t room;
    void *memory = napcoll_buffer_pool_take(3 * UNIT, &room);

    (void) state;
    assert_non_null(memory);
    assert_int_equal(room, 3 * UNIT);
    assert_int_equal(kept_bytes, 0);
    napcoll_buffer_pool_give(memory, room);
    assert_int_equal(kept_bytes, 3 * UNIT);
    assert_ptr_equal(napcoll_buffer_pool_take(2 * UNIT + 1, &room), memory);
    assert_int_equal(room, 3 * UNIT);
    assert_int_equal(kept_bytes, 0);
    napcoll_buffer_pool_give(memory, room);
    napcoll_buffer_pool_give(NULL, 0);
}

static void the_smallest_that_is_large_enough_is_taken(void **state)
{
    void *const large = keep(9), *const middle = keep(5), *const small = keep(2);
    size_t room;

    (void) state;
    assert_ptr_equal(napcoll_buffer_pool_take(3 * UNIT, &room), middle);
    assert_ptr_equal(napcoll_buffer_pool_take(3 * UNIT, &room), large);
    assert_int_equal(room, 9 * UNIT);
    assert_ptr_equal(napcoll_buffer_pool_take(UNIT, &room), small);
    free(small);
    free(middle);
    free(large);
}

/* Small ones make way, and what is larger than all that may be kept is not. */
static void no_more_is_kept_than_the_limit(void **state)
{
    void *large;
    size_t room;

    (void) state;
    keep(10);
    keep(20);
    keep(60);
    assert_int_equal(kept_bytes, 90 * UNIT);
    keep(25);
    assert_int_equal(kept_bytes, 85 * UNIT);
    keep(101);
    assert_int_equal(kept_bytes, 85 * UNIT);
    napcoll_buffer_pool_limit(70 * UNIT);
    assert_int_equal(kept_bytes, 60 * UNIT);
    keep(9);
    large = napcoll_buffer_pool_take(10 * UNIT, &room);
    assert_int_equal(room, 60 * UNIT);
    assert_int_equal(kept_bytes, 9 * UNIT);
    napcoll_buffer_pool_give(large, room);
}

static void small_ones_are_not_kept(void **state)
{
    size_t room;
    void *memory = napcoll_buffer_pool_take(UNIT - 1, &room);

    (void) state;
    assert_non_null(memory);
    assert_int_equal(room, UNIT - 1);
    napcoll_buffer_pool_give(memory, room);
    assert_int_equal(kept_bytes, 0);
}

static void so_many_are_kept(void **state)
{
    (void) state;
    for (int i = 0; i < NAPCOLL_BUFFER_POOL_CHUNKS + 5; i++) {
        keep(i % 3 + 1);
    }
    assert_true(kept_bytes <= 3 * UNIT * NAPCOLL_BUFFER_POOL_CHUNKS);
    assert_true(kept_bytes >= 2 * UNIT * NAPCOLL_BUFFER_POOL_CHUNKS);
}

static void no_limit_keeps_nothing(void **state)
{
    (void) state;
    keep(4);
    napcoll_buffer_pool_limit(0);
    assert_int_equal(kept_bytes, 0);
    keep(1);
    assert_int_equal(kept_bytes, 0);
}

/* Takes memory again and again, and marks its ends: whether they stay so. */
static void *take_and_give(void *mark)
{
    for (size_t i = 0; i < 2000; i++) {
        size_t room;
        unsigned char *memory = napcoll_buffer_pool_take(UNIT * (1 + i % 3), &room);

        if (NULL == memory) {
            return NULL;
        }
        memory[0] = memory[room - 1] = *(unsigned char *) mark;
        for (volatile int wait = 0; wait < 50; wait++) {
        }
        if (memory[0] != *(unsigned char *) mark || memory[room - 1] != memory[0]) {
            return NULL;
        }
        napcoll_buffer_pool_give(memory, room);
    }
    return mark;
}

static void each_has_one_owner(void **state)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    unsigned char mark[THREADS];

    (void) state;
    for (int i = 0; i < THREADS; i++) {
        mark[i] = (unsigned char) (i + 1);
        assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, &mark[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *found;

        assert_int_equal(pthread_join(thread[i], &found), 0);
        assert_ptr_equal(found, &mark[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_given_comes_back, begin, end),
        cmocka_unit_test_setup_teardown(the_smallest_that_is_large_enough_is_taken, begin, end),
        cmocka_unit_test_setup_teardown(no_more_is_kept_than_the_limit, begin, end),
        cmocka_unit_test_setup_teardown(small_ones_are_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(so_many_are_kept, begin, end),
        cmocka_unit_test_setup_teardown(no_limit_keeps_nothing, begin, end),
        cmocka_unit_test_setup_teardown(each_has_one_owner, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
