/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Bine trees and butterflies: the paper's distances and the conditions of napcoll_bine.h, and all
 * plans, run by the verifier.
 */

#include "plan_set.h"

#include "algo/pattern/napcoll_bine.h"

/* ---- the numbers ---- */

static void positions_and_places_are_one_to_one(void **state)
{
    (void) state;
    for (int members = 1; members <= 300; members++) {
        assert_int_equal(napcoll_bine_place(members, 0), 0);
        for (int position = 0; position < members; position++) {
            const int place = napcoll_bine_place(members, position);

            assert_in_range(place, 0, members - 1);
            assert_int_equal(napcoll_bine_position(members, place), position);
        }
    }
}

/* The header's tree of eight. */
static void eight_ranks_have_the_places_of_the_header(void **state)
{
    /* 0 -> 3, 0 -> 7, 3 -> 4, 0 -> 1, 7 -> 6, 3 -> 2, 4 -> 5; a half behind its sender */
    static const int places[8] = {0, 1, 7, 6, 3, 2, 4, 5};

    (void) state;
    for (int position = 0; position < 8; position++) {
        assert_int_equal(napcoll_bine_place(8, position), places[position]);
    }
}

/* Distance on the ring. */
static int apart(int members, int a, int b)
{
    const int distance = (a + members - b) % members;

    return distance < members - distance ? distance : members - distance;
}

/* |1 - (-2)^i| / 3 */
static int distance_of_paper(int i)
{
    return ((1 << i) + (i % 2 ? 1 : -1)) / 3;
}

/* In the tree of 2^s the head of a subtree of 2^i gets its data from the head of the one before. */
static void distances_are_those_of_the_paper(void **state)
{
    (void) state;
    for (int s = 1; s <= 10; s++) {
        const int p = 1 << s;

        for (int i = 0; i < s; i++) {
            for (int head = 0; head < p; head += 2 << i) {
                assert_int_equal(
                    apart(p, napcoll_bine_place(p, head), napcoll_bine_place(p, head + (1 << i))),
                    distance_of_paper(i + 1));
            }
            for (int r = 0; r < p; r++) {
                assert_int_equal(apart(p, r, napcoll_bine_partner(p, i, r)),
                                 apart(p, 0, distance_of_paper(i + 1)));
            }
        }
    }
}

/* Subtrees of the balanced split are stretches of the ring. */
static void check_stretches(int members, int first, int count)
{
    int least = members, most = -1;

    for (int i = first; i < first + count; i++) {
        const int number = (napcoll_bine_place(members, i) + members / 3) % members;

        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    assert_int_equal(most - least + 1, count);
    if (count > 1) {
        check_stretches(members, first, (count + 1) / 2);
        check_stretches(members, first + (count + 1) / 2, count / 2);
    }
}

static void subtrees_are_stretches(void **state)
{
    (void) state;
    for (int members = 1; members <= 130; members++) {
        check_stretches(members, 0, members);
    }
}

/* A partner's partner is the rank itself; in an allgather the runs of both become one, and bit k
 * differs between them while the lower ones agree. */
static void butterflies_meet_the_conditions_of_the_header(void **state)
{
    (void) state;
    for (int s = 1; s <= 10; s++) {
        const int p = 1 << s;

        for (int k = 0; k < s; k++) {
            for (int r = 0; r < p; r++) {
                const int partner = napcoll_bine_partner(p, k, r);
                const int own = napcoll_bine_run(p, k, r), other = napcoll_bine_run(p, k, partner);
                const int both = napcoll_bine_run(p, k + 1, r);
                const int differs = napcoll_bine_bits(p, r) ^ napcoll_bine_bits(p, partner);

                assert_int_equal(napcoll_bine_partner(p, k, partner), r);
                assert_int_equal(napcoll_bine_run(p, k + 1, partner), both);
                assert_true(k + 1 == s || both == own || both == other);
                assert_int_equal((other - own + 2 * p) % p == 1 << k
                                     || (own - other + 2 * p) % p == 1 << k,
                                 true);
                assert_int_equal(differs & ((2 << k) - 1), 1 << k);
            }
        }
    }
}

/* ---- the proofs ---- */

static const struct {
    const napcoll_collective_t *collective;
    int row;
} rows[] = {{&napcoll_bcast, NAPCOLL_BCAST_BINE},
            {&napcoll_reduce, NAPCOLL_REDUCE_BINE},
            {&napcoll_gather, NAPCOLL_GATHER_BINE},
            {&napcoll_gatherv, NAPCOLL_GATHER_BINE},
            {&napcoll_scatter, NAPCOLL_GATHER_BINE},
            {&napcoll_scatterv, NAPCOLL_GATHER_BINE},
            {&napcoll_allreduce, NAPCOLL_ALLREDUCE_BINE},
            {&napcoll_allgather, NAPCOLL_ALLGATHER_BINE},
            {&napcoll_allgatherv, NAPCOLL_ALLGATHER_BINE},
            {&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_BINE},
            {&napcoll_reduce_scatter_block, NAPCOLL_REDUCE_SCATTER_BINE}};

static bool is_power_of_two(int number)
{
    return 0 == (number & (number - 1));
}

static void verify_all(const napcoll_node_map_t *map, int root, int segments, bool in_place)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const napcoll_params_t params = {
            .root = root,
            .segments = NAPCOLL_GOAL_BCAST == rows[i].collective->goal ? segments : 1,
            .in_place = in_place && NAPCOLL_GOAL_BCAST != rows[i].collective->goal,
            .local_radix = 2};
        const bool done = prove_plans(rows[i].collective, rows[i].row, map, &params);

        assert_int_equal(done, is_power_of_two(map->size)
                                   || 0
                                          == (rows[i].collective->algorithm[rows[i].row].needs
                                              & NAPCOLL_NEEDS_POWER_OF_TWO));
    }
}

/* Any number of ranks on nodes of different sizes; of few ranks every root. */
static void bine_plans_of_any_number_of_ranks(void **state)
{
    (void) state;
    for (int size = 1; size <= 70; size += NODES_STRIDE) {
        napcoll_node_map_t *map = placement(uneven_lists[size % UNEVEN_LISTS],
                                            uneven_orders[size % UNEVEN_ORDERS], size);

        for (int root = 0; root < size; root += 1 + size / 4) {
            verify_all(map, root, 1 + (size + root) % 3, root % 2);
        }
        napcoll_node_map_free(map);
    }
}

static void bine_plans_of_every_root(void **state)
{
    static const int sizes[] = {5, 8, 11, 13, 16};

    (void) state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        napcoll_node_map_t *map = placement("3,1,4", "random:2", sizes[i]);

        for (int root = 0; root < map->size; root++) {
            verify_all(map, root, 2, 0 == root % 3);
        }
        napcoll_node_map_free(map);
    }
}

static void bine_plans_of_powers_of_two(void **state)
{
    (void) state;
    for (int size = 128; size <= 256; size *= 2) {
        napcoll_node_map_t *map = placement("16", "block", size);

        verify_all(map, size / 2 - 1, 1, true);
        napcoll_node_map_free(map);
    }
}

/* ---- what it is for ---- */

/* Blocks times their distance on the ring, of all messages. */
static int64_t distance_of_blocks(const napcoll_collective_t *collective, int row, int size)
{
    const napcoll_params_t params = {.local_radix = 2};
    napcoll_node_map_t *map = placement("1", "block", size);
    napcoll_plan_t **plans = plans_of(collective, row, map, &params, ONE_SHAPE);
    int64_t sum = 0;

    for (int rank = 0; rank < size; rank++) {
        for (int i = 0; i < plans[rank]->steps; i++) {
            const napcoll_step_t *step = &plans[rank]->step[i];

            if (NAPCOLL_STEP_SEND == step->kind) {
                sum += (int64_t) step->left.count * apart(size, rank, step->peer);
            }
        }
    }
    free_plans(plans, size);
    napcoll_node_map_free(map);
    return sum;
}

/* A third less than the usual algorithms have, whose longest messages go half round the ring. */
static void blocks_go_two_thirds_of_the_distance(void **state)
{
    static const struct {
        const napcoll_collective_t *collective;
        int usual, bine;
    } pairs[] = {{&napcoll_allgather, NAPCOLL_ALLGATHER_RECURSIVE_DOUBLING, NAPCOLL_ALLGATHER_BINE},
                 {&napcoll_reduce_scatter, NAPCOLL_REDUCE_SCATTER_RECURSIVE_HALVING,
                  NAPCOLL_REDUCE_SCATTER_BINE},
                 {&napcoll_scatter, NAPCOLL_GATHER_BINOMIAL, NAPCOLL_GATHER_BINE},
                 {&napcoll_gather, NAPCOLL_GATHER_BINOMIAL, NAPCOLL_GATHER_BINE},
                 {&napcoll_bcast, NAPCOLL_BCAST_BINOMIAL, NAPCOLL_BCAST_BINE},
                 {&napcoll_allreduce, NAPCOLL_ALLREDUCE_RABENSEIFNER, NAPCOLL_ALLREDUCE_BINE}};

    (void) state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        for (int size = 64; size <= 256; size *= 2) {
            const int64_t usual = distance_of_blocks(pairs[i].collective, pairs[i].usual, size);
            const int64_t bine = distance_of_blocks(pairs[i].collective, pairs[i].bine, size);

            assert_true(100 * bine <= 75 * usual);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_and_places_are_one_to_one),
        cmocka_unit_test(eight_ranks_have_the_places_of_the_header),
        cmocka_unit_test(distances_are_those_of_the_paper),
        cmocka_unit_test(subtrees_are_stretches),
        cmocka_unit_test(butterflies_meet_the_conditions_of_the_header),
        cmocka_unit_test(bine_plans_of_any_number_of_ranks),
        cmocka_unit_test(bine_plans_of_every_root),
        cmocka_unit_test(bine_plans_of_powers_of_two),
        cmocka_unit_test(blocks_go_two_thirds_of_the_distance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
