/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-alls on nodes of different sizes, and the messages and slots of their plans.
 */

#include "alltoall_set.h"

/* Every process gives all that a leader carries to it in one message; a leader has one message to
 * each other node, and one to each member of its group. */
static void leaders_have_as_many_messages_as_the_header_says(void **state)
{
    (void) state;
    for (int nodes = 1; nodes <= 5; nodes++) {
        for (int ppn = 2; ppn <= 9; ppn++) {
            napcoll_node_map_t *map = uniform(ppn, nodes % 2 ? "block" : "cyclic", nodes * ppn);

            for (int leaders = 1; leaders <= ppn + 1; leaders++) {
                const int groups = leaders < ppn ? leaders : ppn, whole = nodes * ppn;
                int messages = 0, blocks = 0;

                for (int rank = 0; rank < map->size; rank++) {
                    const sent_t sent = sent_of(NAPCOLL_ALLTOALL_MULTI_LEADER, map, rank, leaders);

                    messages += sent.messages;
                    blocks += sent.blocks;
                }
                assert_int_equal(
                    messages,
                    nodes * (ppn * groups - groups + groups * (nodes - 1) + ppn - groups));
                /* one leader: ppn - 1 lanes give all blocks but their own, and get them */
                if (1 == leaders) {
                    assert_int_equal(
                        blocks, nodes * (2 * (ppn - 1) * (whole - 1) + (nodes - 1) * ppn * ppn));
                }
            }
            napcoll_node_map_free(map);
        }
    }
}

/* What the model and the memory limit are told of plans: of a sketch the messages and blocks, of
 * the slots the most of any process. */
static void compare_with_sketches(int row, const napcoll_node_map_t *map, int tunable)
{
    napcoll_plan_args_t args = {.collective = &napcoll_alltoallv,
                                .algorithm = &napcoll_alltoallv.algorithm[row],
                                .map = map,
                                .params = {.local_radix = 3, .tunable = {tunable, 2}}};
    int most = 0, claimed = 0;

    for (args.rank = 0; args.rank < map->size; args.rank++) {
        napcoll_plan_t *plan, *sketch;
        sent_t sent, sketched;

        args.sketch = false;
        plan = args.algorithm->generate(&args);
        args.sketch = true;
        sketch = args.algorithm->generate(&args);
        assert_non_null(plan);
        assert_non_null(sketch);
        sent = sent_by(plan);
        sketched = sent_by(sketch);
        assert_int_equal(sketched.messages, sent.messages);
        assert_int_equal(sketched.blocks, sent.blocks);
        assert_int_equal(sketch->stages, plan->stages);
        most = sent.slots > most ? sent.slots : most;
        claimed = napcoll_plan_args_slots(&args, plan);
        napcoll_plan_free(plan);
        napcoll_plan_free(sketch);
        assert_true(most <= claimed);
    }
    if (map->min_ppn == map->max_ppn) {
        assert_int_equal(most, claimed);
    }
}

static void sketches_and_slots_are_those_of_the_plans(void **state)
{
    static const char *const lists[] = {"4", "3,2,1", "5,5,1,4", "8,1,1", "7,7,7,6", "9,2,5,5,1,3"};

    (void) state;
    for (size_t l = 0; l < sizeof(lists) / sizeof(*lists); l++) {
        napcoll_node_map_t *map = placement(lists[l], l % 2 ? "random:3" : "block", 44);

        for (int row = 0; row < NAPCOLL_ALLTOALL_ALGORITHMS; row++) {
            for (int tunable = 1; tunable <= 5; tunable++) {
                compare_with_sketches(row, map, tunable);
            }
        }
        napcoll_node_map_free(map);
    }
}

/* Every order of the ranks, and numbers of processes that do not divide each other. */
static void alltoall_plans_on_unequal_nodes(void **state)
{
    (void) state;
    for (int l = 0; l < UNEVEN_LISTS; l++) {
        for (int size = 2; size <= 71; size += size < 24 ? NODES_STRIDE : 7) {
            napcoll_node_map_t *map = placement(uneven_lists[l],
                                                uneven_orders[(l + size) % UNEVEN_ORDERS], size);

            verify_all(map, 1 + (size + l) % 5, (size + l) % 3);
            napcoll_node_map_free(map);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaders_have_as_many_messages_as_the_header_says),
        cmocka_unit_test(sketches_and_slots_are_those_of_the_plans),
        cmocka_unit_test(alltoall_plans_on_unequal_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
