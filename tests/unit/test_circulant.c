/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Circulant graphs: the conditions of their schedules, and what a broadcast by them does in which
 * round.
 */

#include "cmocka_setup.h"

#include "algo/pattern/napcoll_circulant.h"
#include "algo/pattern/napcoll_split.h"

/** Under the address checker the code matters, not every number. */
#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 7 };
#else
enum { STRIDE = 1 };
#endif

enum { MOST_MEMBERS = 600, MOST_SEGMENTS = 64 };

static void schedules_of_nine_members_are_those_of_the_header(void **state)
{
    static const int skips[] = {1, 2, 3, 5, 9};
    static const int base[] = {4, 0, 1, 2, 0, 3, 0, 1, 2};
    static const int send[4][9] = {{0, -4, -3, -2, -4, -1, -4, -3, -2},
                                   {1, -4, -3, -2, -2, -1, -4, -3, -2},
                                   {2, 0, -3, -3, -2, -1, -1, -3, -2},
                                   {3, 0, 1, 2, -4, -1, -1, -1, -1}};

    (void) state;
    for (int member = 0; member < 9; member++) {
        const napcoll_circulant_t graph = napcoll_circulant_of(9, member);

        assert_int_equal(graph.members, 9);
        assert_int_equal(graph.levels, 4);
        assert_memory_equal(graph.skip, skips, sizeof(skips));
        assert_int_equal(napcoll_circulant_base(&graph, member), base[member]);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(graph.send[k], send[k][member]);
        }
    }
}

/* The first three conditions of the header, of one member. */
static void check_conditions(int members, int member)
{
    const napcoll_circulant_t graph = napcoll_circulant_of(members, member);
    const int q = graph.levels, base = napcoll_circulant_base(&graph, member);
    /* bit q + s: segment s comes in a turn, or has come by now */
    uint64_t comes = 0;
    bool has_come;

    for (int k = 0; k < q; k++) {
        const int to = (int) (((int64_t) member + graph.skip[k]) % members);
        const napcoll_circulant_t receiver = napcoll_circulant_of(members, to);

        assert_int_equal(graph.send[k], receiver.receive[k]);
        has_come = graph.send[k] == base - q || (comes >> (q + graph.send[k]) & 1);
        assert_true(0 == member ? k == graph.send[k] : has_come);
        assert_in_range(graph.receive[k] + q, 0, 2 * q - 1);
        comes |= UINT64_C(1) << (q + graph.receive[k]);
    }
    if (0 == member) {
        assert_true(comes == (UINT64_C(1) << q) - 1);
    } else {
        assert_true(
            comes
            == ((((UINT64_C(1) << q) - 1) & ~(UINT64_C(1) << base)) | UINT64_C(1) << (q + base)));
    }
}

static void schedules_meet_the_conditions(void **state)
{
    (void) state;
    for (int members = 1; members <= MOST_MEMBERS; members += STRIDE) {
        for (int member = 0; member < members; member++) {
            check_conditions(members, member);
        }
    }
}

static void schedules_of_many_members_meet_the_conditions(void **state)
{
    static const int many[] = {4096, 4097, 46341, 1 << 20, (1 << 20) + 1, 1000003, 2147483647};

    (void) state;
    for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++) {
        for (int away = 0; away < 100; away++) {
            check_conditions(many[i], away);
            check_conditions(many[i], many[i] - 1 - away);
            check_conditions(many[i], (int) ((int64_t) many[i] * away / 100));
        }
    }
}

static void skips_are_halves_rounded_up(void **state)
{
    (void) state;
    for (int members = 2; members <= MOST_MEMBERS; members++) {
        const napcoll_circulant_t graph = napcoll_circulant_of(members, 0);

        assert_int_equal(graph.levels, napcoll_split_levels(members, 2));
        assert_int_equal(graph.skip[graph.levels], members);
        assert_int_equal(graph.skip[0], 1);
        for (int k = 0; k < graph.levels; k++) {
            assert_int_equal(graph.skip[k], (graph.skip[k + 1] + 1) / 2);
        }
    }
}

/* Run a broadcast round by round: nobody sends what it does not have, and each segment comes to
 * each member once. */
static void run_rounds(const napcoll_circulant_t *graph, int members, int segments)
{
    static uint64_t had[MOST_MEMBERS], have[MOST_MEMBERS];
    const uint64_t all = UINT64_MAX >> (64 - segments);
    const int rounds = napcoll_circulant_rounds(members, segments);
    int messages = 0;

    assert_int_equal(rounds, members < 2 ? 0 : segments - 1 + napcoll_split_levels(members, 2));
    memset(had, 0, sizeof(had));
    had[0] = all;
    for (int round = 0; round < rounds; round++) {
        memcpy(have, had, sizeof(have));
        for (int member = 0; member < members; member++) {
            int skip, there;
            const int segment = napcoll_circulant_segment(&graph[member], graph[member].send, round,
                                                          segments, &skip);
            const int to = (member + skip) % members;

            if (segment < 0 || 0 == to) {
                continue;
            }
            assert_int_equal(
                napcoll_circulant_segment(&graph[to], graph[to].receive, round, segments, &there),
                segment);
            assert_int_equal(there, skip);
            assert_true(had[member] >> segment & 1);
            assert_false(have[to] >> segment & 1);
            have[to] |= UINT64_C(1) << segment;
            messages++;
        }
        memcpy(had, have, sizeof(have));
    }
    assert_int_equal(messages, (members - 1) * segments);
    for (int member = 0; member < members; member++) {
        assert_true(all == had[member]);
    }
}

static void broadcasts_take_the_fewest_rounds(void **state)
{
    static napcoll_circulant_t graph[MOST_MEMBERS];

    (void) state;
    for (int members = 1; members <= MOST_MEMBERS; members += STRIDE) {
        /* of few members all numbers of segments, of many every seventh */
        const int step = members <= 40 ? 1 : 7;

        for (int member = 0; member < members; member++) {
            graph[member] = napcoll_circulant_of(members, member);
        }
        for (int segments = 1 + members % step; segments <= MOST_SEGMENTS; segments += step) {
            run_rounds(graph, members, segments);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_of_nine_members_are_those_of_the_header),
        cmocka_unit_test(skips_are_halves_rounded_up),
        cmocka_unit_test(schedules_meet_the_conditions),
        cmocka_unit_test(schedules_of_many_members_meet_the_conditions),
        cmocka_unit_test(broadcasts_take_the_fewest_rounds),
    };
    return cmocka_run_group_tests_name("circulant graphs", tests, NULL, NULL);
}
