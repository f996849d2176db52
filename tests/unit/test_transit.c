/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Blocks in transit keep their bytes while others come and go, in no more memory than all of them
 * need.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/napcoll_buffer_pool.c"
#include "exec/napcoll_transit.c"

enum { SLOTS = 12, ROUNDS = 400 };

static void put(napcoll_transit_t *transit, int slot, size_t bytes, int mark)
{
    const size_t offset = napcoll_transit_take(transit, bytes);

    if (bytes > 0) {
        memset(transit->buffer.memory + offset, mark, bytes);
    }
    napcoll_transit_place(transit, slot, offset, bytes);
}

static void check(const napcoll_transit_t *transit, int slot, size_t bytes, int mark)
{
    assert_int_equal(transit->slot[slot].size, bytes);
    for (size_t i = 0; i < bytes; i++) {
        assert_int_equal((unsigned char) napcoll_transit_at(transit, slot)[i], mark);
    }
}

static void blocks_keep_their_bytes(void **state)
{
    napcoll_transit_t transit = {0};
    size_t bytes[SLOTS] = {0}, live = 0, most = 0;
    int mark[SLOTS] = {0};
    unsigned seed = 7;

    (void) state;
    assert_true(napcoll_transit_begin(&transit, SLOTS));
    for (int round = 0; round < ROUNDS; round++) {
        int moved[3], count = 0;
        size_t coming = 0;

        for (int i = 0; i < 3; i++) {
            const int slot = (round * 5 + i * 4) % SLOTS;

            napcoll_transit_drop(&transit, slot);
            live -= bytes[slot];
            seed = seed * 1103515245 + 12345;
            bytes[slot] = seed / 65536 % 100 < 30 ? 0 : seed / 65536 % 100;
            mark[slot] = 1 + (round + i) % 250;
            coming += bytes[slot];
            moved[count++] = slot;
        }
        assert_true(napcoll_transit_reserve(&transit, (size_t) count, coming));
        for (int i = 0; i < count; i++) {
            put(&transit, moved[i], bytes[moved[i]], mark[moved[i]]);
        }
        live += coming;
        most = live > most ? live : most;
        for (int slot = 0; slot < SLOTS; slot++) {
            if (transit.slot[slot].full) {
                check(&transit, slot, bytes[slot], mark[slot]);
            }
        }
    }
    assert_true(most > 0);
    assert_true(transit.buffer.room <= most);
    napcoll_transit_end(&transit, 0);
    assert_null(transit.buffer.memory);
}

static void sizes_belong_to_the_next_block(void **state)
{
    napcoll_transit_t transit = {0};

    (void) state;
    assert_true(napcoll_transit_begin(&transit, 2));
    napcoll_transit_tell(&transit, 1, 5);
    assert_int_equal(napcoll_transit_size(&transit, 1), 5);
    assert_true(napcoll_transit_reserve(&transit, 1, 5));
    put(&transit, 1, 5, 'a');
    napcoll_transit_tell(&transit, 1, 0);
    /* the size of the next block, and the block that is there */
    assert_int_equal(napcoll_transit_size(&transit, 1), 0);
    check(&transit, 1, 5, 'a');
    napcoll_transit_drop(&transit, 1);
    assert_true(napcoll_transit_reserve(&transit, 1, 0));
    put(&transit, 1, 0, 'b');
    assert_int_equal(napcoll_transit_size(&transit, 1), 0);
    napcoll_transit_end(&transit, 0);
}

static void a_little_memory_is_kept_for_the_next_call(void **state)
{
    napcoll_transit_t transit = {0};
    const char *memory;

    (void) state;
    assert_true(napcoll_transit_begin(&transit, 1));
    assert_true(napcoll_transit_reserve(&transit, 1, 64));
    put(&transit, 0, 64, 'x');
    memory = transit.buffer.memory;
    napcoll_transit_end(&transit, 4096);
    assert_ptr_equal(transit.buffer.memory, memory);
    assert_true(napcoll_transit_begin(&transit, 1));
    assert_false(transit.slot[0].full);
    napcoll_transit_end(&transit, 16);
    assert_null(transit.buffer.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_bytes),
        cmocka_unit_test(sizes_belong_to_the_next_block),
        cmocka_unit_test(a_little_memory_is_kept_for_the_next_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
