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
    napcoll_transit_place(transit, slot, offset, bytes, bytes);
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

/* A slot keeps the word in front of its block, also of a block that goes another way. */
static void words_take_no_memory(void **state)
{
    napcoll_transit_t transit = {0};

    (void) state;
    assert_true(napcoll_transit_begin(&transit, 2));
    assert_true(napcoll_transit_reserve(&transit, 2, 5));
    napcoll_transit_place(&transit, 0, napcoll_transit_take(&transit, 0), 0, UINT64_MAX);
    put(&transit, 1, 5, 'a');
    assert_true(transit.slot[0].full && UINT64_MAX == transit.slot[0].head);
    assert_int_equal(transit.slot[0].size, 0);
    assert_int_equal(transit.slot[1].head, 5);
    check(&transit, 1, 5, 'a');
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
        cmocka_unit_test(words_take_no_memory),
        cmocka_unit_test(a_little_memory_is_kept_for_the_next_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
