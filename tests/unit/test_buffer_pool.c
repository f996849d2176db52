/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The pool of buffers: it gives back what it was given, keeps no more than its limit, and a buffer
 * has one owner at a time.
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

static napcoll_buffer_t take(size_t bytes)
{
    napcoll_buffer_t buffer = {0};

    assert_true(napcoll_buffer_take(&buffer, bytes));
    assert_non_null(buffer.memory);
    return buffer;
}

/* Put a buffer of some units into the pool; returns its address. */
static void *keep(size_t units)
{
    napcoll_buffer_t buffer = {malloc(units * UNIT), units * UNIT};
    void *memory = buffer.memory;

    assert_non_null(memory);
    napcoll_buffer_give(&buffer);
    assert_null(buffer.memory);
    return memory;
}

static void a_buffer_that_was_given_is_taken_again(void **state)
{
    napcoll_buffer_t buffer = take(3 * UNIT), none = {0};
    void *memory = buffer.memory;

    (void) state;
    assert_int_equal(buffer.room, 3 * UNIT);
    assert_int_equal(kept_bytes, 0);
    napcoll_buffer_give(&buffer);
    assert_int_equal(kept_bytes, 3 * UNIT);
    buffer = take(2 * UNIT + 1);
    assert_ptr_equal(buffer.memory, memory);
    assert_int_equal(buffer.room, 3 * UNIT);
    assert_int_equal(kept_bytes, 0);
    napcoll_buffer_give(&buffer);
    napcoll_buffer_give(&none);
}

static void a_buffer_grows_only_when_it_is_too_small(void **state)
{
    napcoll_buffer_t buffer = take(3 * UNIT);
    void *memory = buffer.memory;

    (void) state;
    assert_true(napcoll_buffer_take(&buffer, UNIT));
    assert_ptr_equal(buffer.memory, memory);
    assert_int_equal(buffer.room, 3 * UNIT);
    assert_true(napcoll_buffer_take(&buffer, 4 * UNIT));
    assert_int_equal(buffer.room, 4 * UNIT);
    assert_int_equal(kept_bytes, 3 * UNIT);
    napcoll_buffer_give(&buffer);
}

static void the_smallest_that_is_large_enough_is_taken(void **state)
{
    void *const large = keep(9), *const middle = keep(5), *const small = keep(2);
    napcoll_buffer_t first = take(3 * UNIT), second = take(3 * UNIT), third = take(UNIT);

    (void) state;
    assert_ptr_equal(first.memory, middle);
    assert_ptr_equal(second.memory, large);
    assert_int_equal(second.room, 9 * UNIT);
    assert_ptr_equal(third.memory, small);
    free(small);
    free(middle);
    free(large);
}

/* Small buffers make room for larger ones, except for one that is larger than the limit. */
static void the_pool_has_no_more_than_the_limit(void **state)
{
    napcoll_buffer_t large;

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
    large = take(10 * UNIT);
    assert_int_equal(large.room, 60 * UNIT);
    assert_int_equal(kept_bytes, 9 * UNIT);
    napcoll_buffer_give(&large);
}

static void small_buffers_are_not_kept(void **state)
{
    napcoll_buffer_t buffer = take(UNIT - 1);

    (void) state;
    assert_int_equal(buffer.room, UNIT - 1);
    napcoll_buffer_give(&buffer);
    assert_int_equal(kept_bytes, 0);
}

static void the_pool_has_a_limited_number_of_buffers(void **state)
{
    (void) state;
    for (int i = 0; i < NAPCOLL_BUFFER_POOL_CHUNKS + 5; i++) {
        keep(i % 3 + 1);
    }
    assert_true(kept_bytes <= 3 * UNIT * NAPCOLL_BUFFER_POOL_CHUNKS);
    assert_true(kept_bytes >= 2 * UNIT * NAPCOLL_BUFFER_POOL_CHUNKS);
}

static void limit_zero_keeps_nothing(void **state)
{
    (void) state;
    keep(4);
    napcoll_buffer_pool_limit(0);
    assert_int_equal(kept_bytes, 0);
    keep(1);
    assert_int_equal(kept_bytes, 0);
}

/* Take a buffer again and again, and mark its ends; NULL when a mark has changed. */
static void *take_and_give(void *mark)
{
    for (size_t i = 0; i < 2000; i++) {
        napcoll_buffer_t buffer = {0};
        char *last;

        if (!napcoll_buffer_take(&buffer, UNIT * (1 + i % 3))) {
            return NULL;
        }
        last = buffer.memory + buffer.room - 1;
        buffer.memory[0] = *last = *(char *) mark;
        for (volatile int wait = 0; wait < 50; wait++) {
        }
        if (buffer.memory[0] != *(char *) mark || *last != *(char *) mark) {
            return NULL;
        }
        napcoll_buffer_give(&buffer);
    }
    return mark;
}

static void each_buffer_has_one_owner(void **state)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    char mark[THREADS];

    (void) state;
    for (int i = 0; i < THREADS; i++) {
        mark[i] = (char) (i + 1);
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
        cmocka_unit_test_setup_teardown(a_buffer_that_was_given_is_taken_again, begin, end),
        cmocka_unit_test_setup_teardown(a_buffer_grows_only_when_it_is_too_small, begin, end),
        cmocka_unit_test_setup_teardown(the_smallest_that_is_large_enough_is_taken, begin, end),
        cmocka_unit_test_setup_teardown(the_pool_has_no_more_than_the_limit, begin, end),
        cmocka_unit_test_setup_teardown(small_buffers_are_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(the_pool_has_a_limited_number_of_buffers, begin, end),
        cmocka_unit_test_setup_teardown(limit_zero_keeps_nothing, begin, end),
        cmocka_unit_test_setup_teardown(each_buffer_has_one_owner, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
