/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Neighbourhood collectives: the estimates of direct and coalesced messages, and when ranks agree
 * on sizes.
 */
#include "cmocka_setup.h"
#include "placement.h"

#include <math.h>

#include "algo/napcoll_generators.h"
#include "common/napcoll_graph.h"
#include "select/napcoll_uneven.h"

enum { ROWS = NAPCOLL_NEIGHBOR_ROWS };

/* Every rank has edges, both ways, to the ranks up to `reach` places before and after it. */
typedef struct {
    int size, reach;
    int list[64];
} band_t;

static void neighbors_in_band(void *context, int rank, napcoll_neighbors_t *neighbors)
{
    band_t *band = context;

    for (int i = 0; i < band->reach; i++) {
        band->list[2 * i] = (rank + i + 1) % band->size;
        band->list[2 * i + 1] = (rank + band->size - i - 1) % band->size;
    }
    *neighbors = (napcoll_neighbors_t){
        .to = band->list, .from = band->list, .out = 2 * band->reach, .in = 2 * band->reach};
}

/* The ranks of a communicator, which have agreed; n is rank 0's. */
typedef struct {
    napcoll_node_map_t *map;
    napcoll_neighborhoods_t all;
    napcoll_neighborhood_t n;
} agreed_t;

static agreed_t agree_on_band(int nodes, int ppn, int reach)
{
    band_t band = {.size = nodes * ppn, .reach = reach};
    napcoll_graph_t graph = {.neighbors_of = neighbors_in_band, .context = &band};
    char list[16];
    agreed_t agreed;

    (void) snprintf(list, sizeof(list), "%d", ppn);
    agreed.map = placement(list, "block", band.size);
    graph.map = agreed.map;
    assert_int_equal(napcoll_neighborhoods_open(&graph, &agreed.all), 0);
    assert_int_equal(napcoll_neighborhoods_agree(agreed.map, &agreed.all), 0);
    agreed.n = agreed.all.of[0];
    return agreed;
}

static void free_band(agreed_t *agreed)
{
    napcoll_neighborhoods_free(&agreed->all);
    napcoll_node_map_free(agreed->map);
}

/* One protocol for all sizes, at the rate of the node, so that no time jumps. */
static napcoll_machine_t machine_of(double node_gap_us, double local_gap_us)
{
    napcoll_machine_t machine = napcoll_machine_ethernet;

    machine.short_below_bytes = 0;
    machine.eager_below_bytes = 1e12;
    machine.link[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_EAGER].ns_per_byte =
        1000 / machine.node_injection_mbyte_per_s;
    machine.node_gap_us = node_gap_us;
    machine.node_local_gap_us = local_gap_us;
    return machine;
}

static double cost(const napcoll_machine_t *machine, const agreed_t *agreed, int row,
                   napcoll_neighbor_sizes_t sizes)
{
    return napcoll_neighbor_cost_us(
        machine, napcoll_neighbor_loads(&napcoll_neighbor_alltoallv, &agreed->n), row, &sizes);
}

static napcoll_neighbor_sizes_t even(const agreed_t *agreed, size_t bytes)
{
    return napcoll_neighbor_even_sizes(
        napcoll_neighbor_loads(&napcoll_neighbor_alltoallv, &agreed->n), bytes);
}

/* The sizes of a call whose blocks are all too large to be forwarded. */
static napcoll_neighbor_sizes_t large(const agreed_t *agreed, size_t bytes)
{
    napcoll_neighbor_sizes_t sizes = even(agreed, bytes);

    sizes.large_bytes = sizes.bytes;
    sizes.large_blocks = napcoll_neighbor_loads(&napcoll_neighbor_alltoallv, &agreed->n)[0].blocks;
    sizes.bytes = 0;
    return sizes;
}

typedef void (*check_t)(const napcoll_machine_t *machine, const agreed_t *agreed);

/* Check nodes of 2 to 16 processes with few and many edges, on machines with and without processors
 * that are shared. */
static void on_many(check_t check)
{
    for (int nodes = 2; nodes <= 8; nodes *= 2) {
        for (int ppn = 2; ppn <= 16; ppn *= 2) {
            for (int reach = 1; reach <= 8 && 2 * reach < nodes * ppn; reach += 3) {
                agreed_t agreed = agree_on_band(nodes, ppn, reach);

                for (int gap = 1; gap <= 100; gap *= 10) {
                    for (int shared = 0; shared < 2; shared++) {
                        const napcoll_machine_t machine = machine_of(gap, shared * gap / 4.0);

                        check(&machine, &agreed);
                    }
                }
                free_band(&agreed);
            }
        }
    }
}

static void check_growth(const napcoll_machine_t *machine, const agreed_t *agreed)
{
    for (int row = 0; row < ROWS; row++) {
        double before = 0;

        for (size_t bytes = 1; bytes < 1 << 24; bytes *= 2) {
            const napcoll_neighbor_sizes_t sizes = even(agreed, bytes);
            const double us = cost(machine, agreed, row, sizes);
            napcoll_neighbor_sizes_t more = sizes;

            assert_true(us >= before);
            before = us;
            more.local_bytes += 100000;
            assert_true(cost(machine, agreed, row, more) >= us);
            more.large_bytes += 100000;
            more.large_blocks++;
            assert_true(cost(machine, agreed, row, more) >= us);
        }
    }
}

static void estimates_grow_with_sizes(void **state)
{
    (void) state;
    on_many(check_growth);
}

/* From the size on at which direct messages take no longer, they do so for all larger ones. */
static void check_crossing(const napcoll_machine_t *machine, const agreed_t *agreed)
{
    bool direct = false;

    for (size_t bytes = 1; bytes < 1 << 24; bytes *= 2) {
        const napcoll_neighbor_sizes_t sizes = even(agreed, bytes);
        const bool wins = cost(machine, agreed, NAPCOLL_NEIGHBOR_DIRECT, sizes)
                          <= cost(machine, agreed, NAPCOLL_NEIGHBOR_COALESCED, sizes);

        assert_true(wins || !direct);
        direct = wins;
    }
    assert_true(direct);
}

static void the_choice_changes_once(void **state)
{
    (void) state;
    on_many(check_crossing);
}

/* Where no block can be forwarded, rounds only add messages. */
static void check_large(const napcoll_machine_t *machine, const agreed_t *agreed)
{
    for (size_t bytes = 8192; bytes < 1 << 24; bytes *= 2) {
        const napcoll_neighbor_sizes_t sizes = large(agreed, bytes);
        const double direct = cost(machine, agreed, NAPCOLL_NEIGHBOR_DIRECT, sizes);

        assert_true(direct < cost(machine, agreed, NAPCOLL_NEIGHBOR_COALESCED, sizes));
        /* a message is a message, whatever its block may do elsewhere */
        assert_true(
            fabs(direct - cost(machine, agreed, NAPCOLL_NEIGHBOR_DIRECT, even(agreed, bytes)))
            < 1e-6 * direct);
    }
}

static void large_blocks_go_straight(void **state)
{
    (void) state;
    on_many(check_large);
}

static bool is_straight(const napcoll_machine_t *machine, const agreed_t *agreed,
                        const napcoll_neighbor_sizes_t *sizes)
{
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_neighbor_alltoallv);

    settings.machine = machine;
    settings.node_memory = true;
    return napcoll_uneven_edges_straight(&napcoll_neighbor_alltoallv, &settings, agreed->map,
                                         &agreed->n, sizes);
}

/* Small blocks beside ever larger ones: what rounds save on the small ones no longer pays. */
static void rounds_beside_large_blocks_must_pay(void **state)
{
    const napcoll_machine_t machine = machine_of(50, 0);
    agreed_t agreed = agree_on_band(4, 8, 8);
    napcoll_neighbor_sizes_t sizes = even(&agreed, 8);
    bool straight;

    (void) state;
    assert_false(is_straight(&machine, &agreed, &sizes));
    sizes.large_blocks = 1;
    sizes.large_bytes = 8192;
    assert_false(is_straight(&machine, &agreed, &sizes));
    straight = false;
    for (int64_t bytes = 8192; bytes < (int64_t) 1 << 28; bytes *= 2) {
        sizes.large_bytes = bytes;
        assert_true(is_straight(&machine, &agreed, &sizes) || !straight);
        straight = is_straight(&machine, &agreed, &sizes);
    }
    assert_true(straight);
    free_band(&agreed);
}

/* A block of a few bytes that goes straight beside them makes rounds a quarter dearer. */
static void check_caution(const napcoll_machine_t *machine, const agreed_t *agreed)
{
    napcoll_neighbor_sizes_t sizes = even(agreed, 64);
    const double alone = cost(machine, agreed, NAPCOLL_NEIGHBOR_COALESCED, sizes);
    const double direct = cost(machine, agreed, NAPCOLL_NEIGHBOR_DIRECT, sizes);

    sizes.large_blocks = 1;
    sizes.large_bytes = 1;
    assert_true(cost(machine, agreed, NAPCOLL_NEIGHBOR_COALESCED, sizes) >= 1.25 * alone);
    assert_true(cost(machine, agreed, NAPCOLL_NEIGHBOR_DIRECT, sizes) <= 1.25 * direct);
}

static void rounds_are_chosen_with_caution(void **state)
{
    (void) state;
    on_many(check_caution);
}

/* Rank r of 4 on a node has edges to the r + 1 .. r + 2: the loads, counted by hand. */
static void loads_count_what_a_node_sends_inside(void **state)
{
    agreed_t agreed = agree_on_band(3, 4, 1);
    const napcoll_neighbor_load_t *load = agreed.n.load[1];

    (void) state;
    /* a ring: one edge to each of the nodes before and behind, which its own process carries */
    assert_int_equal(load[NAPCOLL_NEIGHBOR_DIRECT].messages, 1);
    assert_int_equal(load[NAPCOLL_NEIGHBOR_DIRECT].node_messages, 2);
    assert_int_equal(load[NAPCOLL_NEIGHBOR_DIRECT].node_local_messages, 8);
    assert_int_equal(load[NAPCOLL_NEIGHBOR_COALESCED].node_local_messages, 8);
    assert_false(napcoll_neighbor_saves(load));
    free_band(&agreed);

    agreed = agree_on_band(3, 4, 2);
    load = agreed.n.load[1];
    /* three edges of two processes to each other node: one carries them, to and from the other */
    assert_int_equal(load[NAPCOLL_NEIGHBOR_DIRECT].node_messages, 6);
    assert_int_equal(load[NAPCOLL_NEIGHBOR_COALESCED].node_messages, 2);
    assert_int_equal(load[NAPCOLL_NEIGHBOR_COALESCED].node_local_messages
                         - load[NAPCOLL_NEIGHBOR_DIRECT].node_local_messages,
                     4);
    assert_true(napcoll_neighbor_saves(load));
    free_band(&agreed);
}

static void the_mean_is_of_all_edges(void **state)
{
    agreed_t agreed = agree_on_band(4, 8, 8);
    const napcoll_neighbor_load_t *load = agreed.n.load[1];
    napcoll_neighbor_sizes_t sizes = even(&agreed, 100);

    (void) state;
    assert_int_equal(napcoll_neighbor_mean(load, &sizes), 100);
    sizes.bytes++;
    assert_int_equal(napcoll_neighbor_mean(load, &sizes), 101);
    sizes.bytes = 0;
    assert_int_equal(napcoll_neighbor_mean(load, &sizes), 0);
    /* no overflow */
    assert_true(even(&agreed, SIZE_MAX).bytes > 0);
    free_band(&agreed);
}

static void ranks_agree_at_growing_distance(void **state)
{
    static const int first[] = {1, 3, 6, 11, 20, 37, 70, 103, 136};
    napcoll_uneven_t uneven = {0};
    napcoll_call_t call;
    size_t next = 0;

    (void) state;
    napcoll_uneven_look(&uneven, &call);
    assert_int_equal(call.bytes, NAPCOLL_UNEVEN_FIRST_BYTES);
    assert_false(call.straight);
    for (int number = 1; number <= first[8]; number++) {
        const bool agrees = napcoll_uneven_begin_edges(&uneven);

        assert_int_equal(agrees, number == first[next]);
        if (agrees) {
            napcoll_uneven_agreed(&uneven, next * 1000, next % 2 == 1);
            next++;
        }
        napcoll_uneven_look(&uneven, &call);
        assert_int_equal(call.straight, next % 2 == 0);
        assert_int_equal(call.bytes, next == 1 ? 1 : (next - 1) * 1000);
    }
    assert_int_equal(next, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_grow_with_sizes),
        cmocka_unit_test(the_choice_changes_once),
        cmocka_unit_test(large_blocks_go_straight),
        cmocka_unit_test(rounds_beside_large_blocks_must_pay),
        cmocka_unit_test(rounds_are_chosen_with_caution),
        cmocka_unit_test(loads_count_what_a_node_sends_inside),
        cmocka_unit_test(the_mean_is_of_all_edges),
        cmocka_unit_test(ranks_agree_at_growing_distance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
