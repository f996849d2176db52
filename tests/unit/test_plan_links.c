/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The loads of links: plans on small trees with numbers computed by hand, and invariants of all
 * plans.
 */

#include "cmocka_setup.h"

#include "placement.h"
#include "scripts.h"

#include "algo/napcoll_algo.h"
#include "plan/napcoll_links.h"
#include "common/napcoll_names.h"

/* ---- trees ---- */

/*
 *            root
 *           /    \
 *         S0      S1
 *       0 2 4 6   1 3 5 7     the names of the nodes, which are nodes 0 to 7 of the map
 */
enum { ROOT, S0, S1 };

static napcoll_switch_t pair_switch[] = {
    [ROOT] = {.parent = -1, .depth = 0, .first = 0, .nodes = 0, .end = 8},
    [S0] = {.parent = ROOT, .depth = 1, .first = 0, .nodes = 4, .end = 4},
    [S1] = {.parent = ROOT, .depth = 1, .first = 4, .nodes = 4, .end = 8}};
static int pair_switch_of[] = {S0, S0, S0, S0, S1, S1, S1, S1};
static const napcoll_switch_tree_t pair = {
    .at = pair_switch, .switches = 3, .switch_of = pair_switch_of, .nodes = 8};
static const int pair_spot[] = {0, 4, 1, 5, 2, 6, 3, 7};

/*
 *         top -- 0
 *         /  \
 *       mid   side -- 3
 *      /  \
 *     1    low -- 2
 */
enum { TOP, MID, LOW, SIDE };

static napcoll_switch_t deep_switch[] = {
    [TOP] = {.parent = -1, .depth = 0, .first = 0, .nodes = 1, .end = 4},
    [MID] = {.parent = TOP, .depth = 1, .first = 1, .nodes = 1, .end = 3},
    [LOW] = {.parent = MID, .depth = 2, .first = 2, .nodes = 1, .end = 3},
    [SIDE] = {.parent = TOP, .depth = 1, .first = 3, .nodes = 1, .end = 4}};
static int deep_switch_of[] = {TOP, MID, LOW, SIDE};
static const napcoll_switch_tree_t deep = {
    .at = deep_switch, .switches = 4, .switch_of = deep_switch_of, .nodes = 4};
static const int deep_spot[] = {0, 1, 2, 3};

static napcoll_node_map_t *map_on(const napcoll_switch_tree_t *tree, const int *spot, int nodes,
                                  int ppn)
{
    napcoll_node_map_t *map = block_map(nodes, ppn);

    assert_int_equal(napcoll_node_map_set_network(map, tree, spot), 0);
    return map;
}

/* ---- checks ---- */

static const napcoll_link_load_t *node_link(const napcoll_links_t *links, int node, bool up)
{
    const int link = 2 * node + !up;

    assert_int_equal(napcoll_link_end(link), node);
    assert_int_equal(napcoll_link_is_up(link), up);
    return &links->load[link];
}

static const napcoll_link_load_t *switch_link(const napcoll_links_t *links, int at, bool up)
{
    return node_link(links, links->nodes + at, up);
}

static void check_load(const napcoll_link_load_t *load, int64_t messages, double share,
                       int64_t most, int step, double most_share)
{
    assert_int_equal(load->messages, messages);
    assert_true(load->share > share - 1e-9 && load->share < share + 1e-9);
    assert_int_equal(load->most, most);
    assert_int_equal(load->step, step);
    assert_true(load->most_share > most_share - 1e-9 && load->most_share < most_share + 1e-9);
}

static napcoll_links_t *links_of(napcoll_plan_source_t source, void *context,
                                 const napcoll_node_map_t *map)
{
    napcoll_links_t *links = NULL;

    assert_int_equal(napcoll_plan_links(source, context, map, &links), NAPCOLL_LINKS_OK);
    assert_non_null(links);
    return links;
}

/* ---- chains ---- */

/* Segments of rank order[0]'s vector go from each rank to the next; a rank sends one while it
 * receives the next. */
typedef struct {
    int order[8];
    int segments;
} chain_t;

static napcoll_plan_t *pass_on(void *context, int rank)
{
    const chain_t *chain = context;
    napcoll_builder_t *builder = napcoll_builder_new("bcast", "chain", rank, chain->segments);
    int at = 0;

    while (chain->order[at] != rank) {
        at++;
    }
    for (int i = 0; i <= chain->segments; i++) {
        const int sent = 0 == at ? i : i - 1;
        napcoll_span_t span = {.buffer = NAPCOLL_BUFFER_RECV, .first = i, .count = 1};

        if (at > 0 && i < chain->segments) {
            napcoll_builder_recv(builder, span, chain->order[at - 1]);
        }
        span.first = sent;
        if (at < 7 && sent >= 0 && sent < chain->segments) {
            napcoll_builder_send(builder, span, chain->order[at + 1]);
        }
        napcoll_builder_next_stage(builder);
    }
    return napcoll_builder_finish(builder);
}

/* The message of segment s from the p-th node goes in step p + s. In step 6 all seven go, the four
 * from nodes 0, 2, 4 and 6 go from S0 to S1, the three others back. */
static void chain_across_switches_meets_itself(void **state)
{
    chain_t chain = {.order = {0, 1, 2, 3, 4, 5, 6, 7}, .segments = 8};
    napcoll_node_map_t *map = map_on(&pair, pair_spot, 8, 1);
    napcoll_links_t *links = links_of(pass_on, &chain, map);

    (void) state;
    assert_int_equal(links->steps, 14);
    assert_int_equal(links->messages, 7 * 8);
    assert_int_equal(links->network, 7 * 8);
    assert_false(napcoll_links_contention_free(links));
    check_load(switch_link(links, S0, true), 32, 4, 4, 6, 0.5);
    check_load(switch_link(links, S1, false), 32, 4, 4, 6, 0.5);
    check_load(switch_link(links, S1, true), 24, 3, 3, 5, 0.375);
    check_load(switch_link(links, S0, false), 24, 3, 3, 5, 0.375);
    check_load(node_link(links, 0, true), 8, 1, 1, 0, 0.125);
    check_load(node_link(links, 0, false), 0, 0, 0, -1, 0);
    check_load(node_link(links, 7, false), 8, 1, 1, 6, 0.125);
    assert_ptr_equal(&links->load[links->worst], switch_link(links, S0, true));
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

static void chain_in_depth_first_order_is_contention_free(void **state)
{
    chain_t chain = {.order = {0, 2, 4, 6, 1, 3, 5, 7}, .segments = 8};
    napcoll_node_map_t *map = map_on(&pair, pair_spot, 8, 1);
    napcoll_links_t *links = links_of(pass_on, &chain, map);

    (void) state;
    assert_int_equal(links->steps, 14);
    assert_true(napcoll_links_contention_free(links));
    check_load(switch_link(links, S0, true), 8, 1, 1, 3, 0.125);
    check_load(switch_link(links, S1, false), 8, 1, 1, 3, 0.125);
    check_load(switch_link(links, S1, true), 0, 0, 0, -1, 0);
    check_load(switch_link(links, ROOT, true), 0, 0, 0, -1, 0);
    check_load(switch_link(links, ROOT, false), 0, 0, 0, -1, 0);
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

/* On one switch every order is free of contention. */
static void without_a_tree_all_nodes_hang_on_one_switch(void **state)
{
    chain_t chain = {.order = {5, 1, 7, 3, 4, 2, 0, 6}, .segments = 3};
    napcoll_node_map_t *map = block_map(8, 1);
    napcoll_links_t *links = links_of(pass_on, &chain, map);

    (void) state;
    assert_int_equal(links->switches, 1);
    assert_int_equal(links->links, 2 * 9);
    assert_true(napcoll_links_contention_free(links));
    check_load(node_link(links, 5, true), 3, 1, 1, 0, 1 / 3.0);
    assert_int_equal(napcoll_link_switch(map, 2 * 5), 0);
    assert_int_equal(napcoll_link_switch(map, 2 * 8), -1);
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

/* ---- scripts ---- */

static napcoll_links_t *links_of_script(const napcoll_node_map_t *map, const act_t *act, int acts)
{
    script_t script = {.act = act, .acts = acts};

    return links_of(play, &script, map);
}

static void messages_turn_round_at_the_lowest_switch_above_both(void **state)
{
    const act_t act[] = {{1, 2, -1, 0}, {2, -1, 1, 1}, {2, 3, -1, 0},
                         {3, -1, 2, 1}, {3, 0, -1, 0}, {0, -1, 3, 0}};
    napcoll_node_map_t *map = map_on(&deep, deep_spot, 4, 1);
    napcoll_links_t *links = links_of_script(map, act, 6);

    (void) state;
    assert_int_equal(links->steps, 3);
    /* 1 to 2, from MID */
    check_load(switch_link(links, LOW, false), 1, 1, 1, 0, 1);
    /* 2 to 3, over TOP */
    check_load(switch_link(links, LOW, true), 1, 1, 1, 1, 1);
    check_load(switch_link(links, MID, true), 1, 1, 1, 1, 1);
    check_load(switch_link(links, SIDE, false), 1, 1, 1, 1, 1);
    /* 3 to 0, from TOP */
    check_load(switch_link(links, SIDE, true), 1, 1, 1, 2, 1);
    check_load(switch_link(links, MID, false), 0, 0, 0, -1, 0);
    check_load(node_link(links, 0, false), 1, 1, 1, 2, 1);
    assert_int_equal(napcoll_link_switch(map, 2 * 2), LOW);
    assert_int_equal(napcoll_link_switch(map, 2 * (4 + LOW)), MID);
    assert_int_equal(napcoll_link_switch(map, 2 * (4 + TOP)), -1);
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

/* Rank 0 sends to rank 1 of its node, then to rank 2 of the other node. */
static void messages_inside_nodes_take_steps_and_no_links(void **state)
{
    const act_t act[] = {{0, 1, -1, 1}, {0, 2, -1, 0}, {1, -1, 0, 0}, {2, -1, 0, 0}};
    napcoll_node_map_t *map = block_map(2, 2);
    napcoll_links_t *links = links_of_script(map, act, 4);

    (void) state;
    assert_int_equal(links->steps, 2);
    assert_int_equal(links->messages, 2);
    assert_int_equal(links->network, 1);
    check_load(node_link(links, 0, true), 1, 1, 1, 1, 1);
    check_load(node_link(links, 1, false), 1, 1, 1, 1, 1);
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

static void stages_without_messages_take_no_step(void **state)
{
    const act_t act[] = {{0, -1, -1, 2}, {0, -1, -1, 1}, {0, 1, -1, 0}, {1, -1, 0, 0}};
    napcoll_node_map_t *map = block_map(2, 1);
    napcoll_links_t *links = links_of_script(map, act, 4);

    (void) state;
    assert_int_equal(links->steps, 1);
    check_load(node_link(links, 0, true), 1, 1, 1, 0, 1);
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

/* Rank 0's first stage sends to rank 1, which is ready, and to rank 2, which is ready two steps
 * later; the second stage begins after both. */
static void stages_end_with_their_last_message(void **state)
{
    const act_t act[] = {{0, 1, -1, 0}, {0, 2, -1, 1}, {0, 3, -1, 0}, {1, -1, 0, 0}, {2, 3, -1, 1},
                         {2, 3, -1, 1}, {2, -1, 0, 0}, {3, -1, 2, 1}, {3, -1, 2, 1}, {3, -1, 0, 0}};
    napcoll_node_map_t *map = block_map(4, 1);
    napcoll_links_t *links = links_of_script(map, act, 10);

    (void) state;
    assert_int_equal(links->steps, 4);
    check_load(node_link(links, 1, false), 1, 1, 1, 0, 1);
    check_load(node_link(links, 2, false), 1, 1, 1, 2, 1);
    check_load(node_link(links, 2, true), 2, 2, 1, 0, 1);
    check_load(node_link(links, 3, false), 3, 3, 1, 0, 1);
    check_load(node_link(links, 0, true), 3, 3, 1, 0, 1);
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

/* Both processes of node 0 send to node 1 in one step. */
static void links_of_nodes_are_shared_by_their_processes(void **state)
{
    const act_t act[] = {{0, 2, -1, 0}, {1, 3, -1, 0}, {2, -1, 0, 0}, {3, -1, 1, 0}};
    napcoll_node_map_t *map = block_map(2, 2);
    napcoll_links_t *links = links_of_script(map, act, 4);

    (void) state;
    assert_int_equal(links->steps, 1);
    assert_false(napcoll_links_contention_free(links));
    assert_int_equal(links->worst, 0);
    check_load(node_link(links, 0, true), 2, 2, 2, 0, 2);
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

static void nothing_to_send_is_contention_free(void **state)
{
    const act_t act[] = {{0, -1, -1, 1}};
    napcoll_node_map_t *map = block_map(2, 1);
    napcoll_links_t *links = links_of_script(map, act, 1);

    (void) state;
    assert_int_equal(links->steps, 0);
    assert_int_equal(links->worst, -1);
    assert_true(napcoll_links_contention_free(links));
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

static void check_error(const act_t *act, int acts, napcoll_links_status_t expected)
{
    script_t script = {.act = act, .acts = acts};
    napcoll_node_map_t *map = block_map(3, 1);
    napcoll_links_t *links = (napcoll_links_t *) (void *) map;

    assert_int_equal(napcoll_plan_links(play, &script, map, &links), expected);
    assert_null(links);
    assert_true(strlen(napcoll_links_status_help(expected)) > 0);
    napcoll_node_map_free(map);
}

static void what_cannot_run_is_found(void **state)
{
    const act_t no_receive[] = {{0, 1, -1, 0}, {1, -1, -1, 1}};
    const act_t no_send[] = {{0, 1, -1, 0}, {1, -1, 0, 1}, {1, -1, 0, 0}};
    const act_t wrong_peer[] = {{0, 1, -1, 0}, {1, -1, 2, 0}};
    const act_t outside[] = {{0, 9, -1, 0}, {1, -1, 0, 0}};
    const act_t oneself[] = {{0, 0, 0, 0}};
    /* each sends before it receives */
    const act_t crossed[] = {{0, 1, -1, 1}, {0, -1, 1, 0}, {1, 0, -1, 1}, {1, -1, 0, 0}};
    /* three ranks in a circle */
    const act_t circle[] = {{0, 1, -1, 1}, {0, -1, 2, 0}, {1, 2, -1, 1},
                            {1, -1, 0, 0}, {2, 0, -1, 1}, {2, -1, 1, 0}};

    (void) state;
    check_error(no_receive, 2, NAPCOLL_LINKS_UNMATCHED);
    check_error(no_send, 3, NAPCOLL_LINKS_UNMATCHED);
    check_error(wrong_peer, 2, NAPCOLL_LINKS_UNMATCHED);
    check_error(outside, 2, NAPCOLL_LINKS_UNMATCHED);
    check_error(oneself, 1, NAPCOLL_LINKS_UNMATCHED);
    check_error(crossed, 4, NAPCOLL_LINKS_DEADLOCK);
    check_error(circle, 6, NAPCOLL_LINKS_DEADLOCK);
}

/* ---- plans of algorithms ---- */

static napcoll_generator_t generator_of(const napcoll_collective_t *collective, int row,
                                        const napcoll_node_map_t *map)
{
    const napcoll_algorithm_t *algorithm = &collective->algorithm[row];
    napcoll_generator_t generator = {.args = {.collective = collective,
                                              .algorithm = algorithm,
                                              .map = map,
                                              .params = {.local_radix = 4}}};

    generator.args.params.tunable[0] = algorithm->tunable[0].initial;
    return generator;
}

static void phases_of_a_delegate_are_refused(void **state)
{
    napcoll_node_map_t *map = block_map(4, 4);
    napcoll_generator_t generator = generator_of(
        &napcoll_allreduce, napcoll_algorithm_find(&napcoll_allreduce, "smp"), map);
    napcoll_links_t *links;

    (void) state;
    generator.args.params.provider[NAPCOLL_SCOPE_NODE] = NAPCOLL_PROVIDER_DELEGATE;
    assert_int_equal(napcoll_plan_links(napcoll_generator_plan, &generator, map, &links),
                     NAPCOLL_LINKS_PHASE);
    assert_null(links);
    napcoll_node_map_free(map);
}

/* A switch sends what it receives, and all nodes receive what all nodes send. */
static void check_flow(const napcoll_links_t *links, const napcoll_node_map_t *map)
{
    int64_t in[4] = {0}, out[4] = {0}, up = 0, down = 0;

    for (int link = 0; link < links->links; link++) {
        const int end = napcoll_link_end(link), above = napcoll_link_switch(map, link);
        const int64_t messages = links->load[link].messages;
        int64_t *from = napcoll_link_is_up(link) ? out : in;
        int64_t *to = napcoll_link_is_up(link) ? in : out;

        assert_true(links->load[link].most <= messages && links->load[link].step < links->steps);
        assert_true(links->load[link].most_share < links->load[link].share + 1e-9);
        assert_true(messages == 0 || links->load[link].most > 0);
        assert_true(links->load[link].most <= links->load[links->worst].most);
        if (above < 0) {
            assert_int_equal(messages, 0);
            continue;
        }
        if (end >= links->nodes) {
            from[end - links->nodes] += messages;
        } else {
            *(napcoll_link_is_up(link) ? &up : &down) += messages;
        }
        to[above] += messages;
    }
    assert_int_equal(up, links->network);
    assert_int_equal(down, links->network);
    assert_memory_equal(in, out, sizeof(in));
}

static const napcoll_collective_t *const collectives[] = {
    &napcoll_allreduce, &napcoll_reduce,         &napcoll_barrier,
    &napcoll_allgather, &napcoll_reduce_scatter, &napcoll_scan};

static void switches_pass_on_what_they_get(void **state)
{
    int tried = 0;

    (void) state;
    for (size_t c = 0; c < sizeof(collectives) / sizeof(*collectives); c++) {
        for (int row = 0; row < collectives[c]->algorithms; row++) {
            napcoll_node_map_t *map = placement("3,1,2,2", 0 == row % 2 ? "block" : "cyclic", 8);
            napcoll_generator_t generator = generator_of(collectives[c], row, map);
            napcoll_links_t *links;

            assert_int_equal(map->nodes, 4);
            assert_int_equal(napcoll_node_map_set_network(map, &deep, deep_spot), 0);
            if (NAPCOLL_REASON_NONE
                == napcoll_algorithm_eligible(generator.args.algorithm, map,
                                              &generator.args.params)) {
                links = links_of(napcoll_generator_plan, &generator, map);
                check_flow(links, map);
                napcoll_links_free(links);
                tried++;
            }
            napcoll_node_map_free(map);
        }
    }
    assert_true(tried > 20);
}

/* A quarter of a million messages: in a ring each rank sends one message to the next in each
 * step. */
static void ring_of_many_is_contention_free(void **state)
{
    const int ranks = 512;
    napcoll_node_map_t *map = block_map(ranks, 1);
    napcoll_generator_t generator = generator_of(
        &napcoll_allgather, napcoll_algorithm_find(&napcoll_allgather, "ring"), map);
    napcoll_links_t *links = links_of(napcoll_generator_plan, &generator, map);

    (void) state;
    assert_int_equal(links->steps, ranks - 1);
    assert_int_equal(links->messages, (int64_t) ranks * (ranks - 1));
    assert_true(napcoll_links_contention_free(links));
    napcoll_links_free(links);
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_across_switches_meets_itself),
        cmocka_unit_test(chain_in_depth_first_order_is_contention_free),
        cmocka_unit_test(without_a_tree_all_nodes_hang_on_one_switch),
        cmocka_unit_test(messages_turn_round_at_the_lowest_switch_above_both),
        cmocka_unit_test(messages_inside_nodes_take_steps_and_no_links),
        cmocka_unit_test(stages_without_messages_take_no_step),
        cmocka_unit_test(stages_end_with_their_last_message),
        cmocka_unit_test(links_of_nodes_are_shared_by_their_processes),
        cmocka_unit_test(nothing_to_send_is_contention_free),
        cmocka_unit_test(what_cannot_run_is_found),
        cmocka_unit_test(phases_of_a_delegate_are_refused),
        cmocka_unit_test(switches_pass_on_what_they_get),
        cmocka_unit_test(ring_of_many_is_contention_free),
    };

    return cmocka_run_group_tests_name("plan_links", tests, NULL, NULL);
}
