/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Uneven calls: what ranks learn from one for the next, and the limits of rounds.
 */
#include "cmocka_setup.h"
#include "placement.h"

#include "algo/napcoll_generators.h"
#include "select/napcoll_select.h"
#include "select/napcoll_uneven.h"

enum { MOST = 63, FEW = 5 };

/* A call that ranks hear of: each has some inline blocks, of some bytes each. */
static napcoll_call_t hear(napcoll_uneven_t *uneven, size_t blocks, size_t bytes)
{
    napcoll_call_t call = {.bytes = 0};
    int heard[NAPCOLL_UNEVEN_SAYINGS] = {0};

    napcoll_uneven_begin(uneven, &call);
    heard[napcoll_uneven_say(blocks, blocks * bytes, MOST, FEW)] = MOST + 1;
    napcoll_uneven_hear(uneven, heard);
    return call;
}

static napcoll_call_t stay_deaf(napcoll_uneven_t *uneven)
{
    napcoll_call_t call = {.bytes = 0};

    napcoll_uneven_begin(uneven, &call);
    napcoll_uneven_deaf(uneven);
    return call;
}

static void the_next_plan_is_for_the_blocks_of_the_last_call(void **state)
{
    napcoll_uneven_t uneven = {0};

    (void) state;
    assert_int_equal(hear(&uneven, MOST, 1000).bytes, NAPCOLL_UNEVEN_FIRST_BYTES);
    assert_int_equal(hear(&uneven, MOST, 8).bytes, 1024);
    assert_int_equal(hear(&uneven, MOST, 11).bytes, 8);
    assert_int_equal(hear(&uneven, 20, 1600).bytes, 12);
    /* the mean of all blocks, also of those without bytes */
    assert_int_equal(hear(&uneven, MOST, 1).bytes, 512);
    /* larger ones are told as this one */
    assert_int_equal(hear(&uneven, MOST, (size_t) 1 << 40).bytes, 1);
    assert_in_range(hear(&uneven, MOST, 1).bytes, (size_t) 1 << 30, (size_t) 1 << 31);
}

static void rounds_are_needed_after_a_call_with_many_blocks(void **state)
{
    napcoll_uneven_t uneven = {0};

    (void) state;
    assert_false(napcoll_uneven_needs_rounds(&uneven));
    (void) hear(&uneven, 1, 8);
    assert_false(napcoll_uneven_needs_rounds(&uneven));
    (void) hear(&uneven, MOST, 8);
    assert_true(napcoll_uneven_needs_rounds(&uneven));
    for (int i = 0; i < NAPCOLL_UNEVEN_PATIENCE; i++) {
        (void) hear(&uneven, 1, 8);
    }
    assert_false(napcoll_uneven_needs_rounds(&uneven));
}

/* One rank has large blocks: the mean of all ranks counts. A rank without any has a mean, too, but
 * not one that says nothing. */
static void all_ranks_count_alike(void **state)
{
    const unsigned small = napcoll_uneven_say(MOST, 512 * MOST, MOST, FEW);
    const unsigned large = napcoll_uneven_say(MOST, 8192 * MOST, MOST, FEW);
    int heard[NAPCOLL_UNEVEN_SAYINGS] = {0};
    napcoll_uneven_t uneven = {0};

    (void) state;
    heard[0] = 1000;
    heard[small] = 63;
    heard[large] = 1;
    napcoll_uneven_hear(&uneven, heard);
    assert_int_equal(uneven.bytes, (63 * 512 + 8192) / 64);
    heard[napcoll_uneven_say(0, 0, MOST, FEW)] = 64;
    napcoll_uneven_hear(&uneven, heard);
    assert_int_equal(uneven.bytes, (63 * 512 + 8192) / 128);
}

static void what_is_said_fits_its_bits_and_grows_with_need(void **state)
{
    (void) state;
    for (size_t blocks = 0; blocks <= MOST; blocks++) {
        for (size_t bytes = 1; bytes < SIZE_MAX / 2 / MOST; bytes *= 3) {
            const unsigned said = napcoll_uneven_say(blocks, blocks * bytes, MOST, FEW);

            assert_in_range(said, 1, NAPCOLL_UNEVEN_SAYINGS - 1);
            assert_int_equal(said >= 64, blocks > FEW);
            assert_true(blocks > FEW || said < napcoll_uneven_say(FEW + 1, 0, MOST, FEW));
        }
    }
    assert_int_equal(napcoll_uneven_say(0, 0, 0, 0), 1);
}

/* Calls that go straight after `idle` that did not need the rounds. */
static int straight_calls(napcoll_uneven_t *uneven)
{
    int calls = 0;

    for (;; calls++) {
        napcoll_uneven_t next = *uneven;

        if (!stay_deaf(&next).straight) {
            return calls;
        }
        *uneven = next;
    }
}

static void rounds_that_nobody_needs_are_left(void **state)
{
    napcoll_uneven_t uneven = {0};

    (void) state;
    for (int i = 0; i < NAPCOLL_UNEVEN_PATIENCE; i++) {
        assert_false(hear(&uneven, FEW, 8).straight);
    }
    assert_int_equal(straight_calls(&uneven), NAPCOLL_UNEVEN_LEAST_CALLS);
    /* one call tries the rounds; if nobody needs them, twice as many go straight, to a limit */
    for (int calls = 2 * NAPCOLL_UNEVEN_LEAST_CALLS; calls < 1000; calls *= 2) {
        assert_false(hear(&uneven, 1, 8).straight);
        assert_int_equal(straight_calls(&uneven),
                         calls < NAPCOLL_UNEVEN_MOST_CALLS ? calls : NAPCOLL_UNEVEN_MOST_CALLS);
    }
    /* somebody does */
    assert_false(hear(&uneven, MOST, 8).straight);
    assert_int_equal(straight_calls(&uneven), 0);
    for (int i = 1; i < NAPCOLL_UNEVEN_PATIENCE; i++) {
        assert_false(hear(&uneven, 0, 0).straight);
        assert_false(hear(&uneven, MOST, 8).straight);
    }
}

/* Where the plan for some size lets no rank hear, others are tried, then none for a while. */
static void sizes_are_looked_for(void **state)
{
    napcoll_uneven_t uneven = {0};
    size_t tried[8] = {0};
    int calls = 0;

    (void) state;
    while (0 == uneven.calls) {
        assert_in_range(calls, 0, 7);
        tried[calls++] = stay_deaf(&uneven).bytes;
    }
    assert_int_equal(tried[0], NAPCOLL_UNEVEN_FIRST_BYTES);
    assert_true(calls > 3 && tried[1] != tried[0] && tried[2] != tried[1]);
    for (int i = 0; i < NAPCOLL_UNEVEN_LEAST_CALLS; i++) {
        assert_int_equal(stay_deaf(&uneven).bytes, NAPCOLL_UNEVEN_FIRST_BYTES);
    }
    assert_int_equal(stay_deaf(&uneven).bytes, tried[0]);
    /* one that lets them: its sizes decide, also where their plan lets nobody hear again */
    assert_int_equal(hear(&uneven, MOST, 70000).bytes, tried[1]);
    for (int i = 0; i <= 2 * NAPCOLL_UNEVEN_LEAST_CALLS; i++) {
        assert_int_equal(stay_deaf(&uneven).bytes, 65536);
    }
    assert_int_equal(stay_deaf(&uneven).bytes, tried[0]);
}

static napcoll_limits_t limits_on(const char *ppn, int size, const napcoll_machine_t *machine)
{
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_alltoallv);
    napcoll_node_map_t *map = placement(ppn, "block", size);
    napcoll_limits_t limits;

    settings.machine = machine;
    assert_int_equal(napcoll_uneven_limits(&napcoll_alltoallv, &settings, map, &limits), 0);
    napcoll_node_map_free(map);
    return limits;
}

/* TuNA's paper gains up to 2 KiB on 4,096 processes. */
static void rounds_pay_up_to_a_size(void **state)
{
    const napcoll_limits_t few = limits_on("8", 64, &napcoll_machine_default);
    const napcoll_limits_t many = limits_on("16", 4096, &napcoll_machine_default);

    (void) state;
    assert_in_range(few.inline_bytes, 8, 4 << 20);
    assert_in_range(few.few, 1, 62);
    assert_in_range(many.inline_bytes, 2048, 4 << 20);
    assert_true(NAPCOLL_INLINE_SLOTS_BYTES / 4096 >= 2048);
    assert_in_range(many.few, few.few, 4094);
}

/* Where messages cost nothing but their latency, blocks that go straight are the fastest. */
static void rounds_may_never_pay(void **state)
{
    napcoll_machine_t machine = napcoll_machine_default;
    napcoll_limits_t limits;

    (void) state;
    machine.process_gap_us = machine.process_overhead_us = machine.node_gap_us = 0;
    limits = limits_on("4", 16, &machine);
    assert_int_equal(limits.inline_bytes, 0);
    assert_int_equal(limits.few, 15);
}

/* Users and rules that name an algorithm mean it, whatever the model says. */
static void named_algorithms_forward_blocks(void **state)
{
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_alltoallv);
    napcoll_node_map_t *map = placement("8", "block", 64);
    const napcoll_call_t call = {.collective = &napcoll_alltoallv, .map = map, .bytes = 8};
    napcoll_decision_t decision;

    (void) state;
    settings.machine = &napcoll_machine_default;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.inline_bytes, 0);
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLTOALL_TUNA;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.inline_bytes, NAPCOLL_NAMED_INLINE_BYTES);
    settings.inline_bytes = 100;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.inline_bytes, 100);
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLTOALL_LINEAR;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.inline_bytes, 0);
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_plan_is_for_the_blocks_of_the_last_call),
        cmocka_unit_test(rounds_are_needed_after_a_call_with_many_blocks),
        cmocka_unit_test(all_ranks_count_alike),
        cmocka_unit_test(what_is_said_fits_its_bits_and_grows_with_need),
        cmocka_unit_test(rounds_that_nobody_needs_are_left),
        cmocka_unit_test(sizes_are_looked_for),
        cmocka_unit_test(rounds_pay_up_to_a_size),
        cmocka_unit_test(rounds_may_never_pay),
        cmocka_unit_test(named_algorithms_forward_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
