/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The models against numbers worked out by hand, and the closed forms against the figures of Bienz,
 * Olson, Gropp: "Node-Aware Improvements to Allreduce".
 */

#include "cmocka_setup.h"

#include "close.h"
#include "model/napcoll_model.h"

static napcoll_machine_t machine;

static int read_bluewaters(void **state)
{
    napcoll_machine_error_t error;
    char path[4096];
    FILE *in = napcoll_machine_open("bluewaters.conf", MACHINES, path, sizeof(path));
    int rc = NULL == in ? -1 : napcoll_machine_read(in, &machine, &error);

    (void) state;
    if (NULL != in) {
        (void) fclose(in);
    }
    return rc;
}

/* All rows of a figure, to 0.1 %; returns how many times were compared. */
static int check_figure(const char *path)
{
    char line[256];
    int compared = 0;
    FILE *in = fopen(path, "r");

    assert_non_null(in);
    while (NULL != fgets(line, sizeof(line), in)) {
        int processes, bytes, ppn;
        double expected[3];

        if (6
            != sscanf(line, "%d,%d,%d,%lf,%lf,%lf", &processes, &bytes, &ppn, &expected[0],
                      &expected[1], &expected[2])) {
            /* A comment or the head */
            continue;
        }
        check_close(napcoll_model_recursive_doubling_us(&machine, processes / ppn, ppn, bytes),
                    expected[0], 0.001);
        check_close(napcoll_model_smp_us(&machine, processes / ppn, ppn, bytes), expected[1],
                    0.001);
        check_close(napcoll_model_nap_us(&machine, processes / ppn, ppn, bytes), expected[2],
                    0.001);
        compared += 3;
    }
    assert_int_equal(fclose(in), 0);
    return compared;
}

static void closed_forms_give_figure_10(void **state)
{
    (void) state;
    assert_int_equal(check_figure(FIGURES "/fig10.csv"), 27);
}

static void closed_forms_give_figure_11(void **state)
{
    (void) state;
    assert_int_equal(check_figure(FIGURES "/fig11.csv"), 36);
}

static void closed_forms_round_steps_up(void **state)
{
    (void) state;
    /* 3 nodes as 4, 5 processes as 8; reduces: log2 15 as 4 */
    check_close(napcoll_model_recursive_doubling_us(&machine, 3, 5, 8),
                3 * (0.82823 + 8 * 2.10447e-3) + 2 * (2.265647 + 8 * 0.742038e-3)
                    + 4 * 8 * 1.4442875e-3,
                1e-12);
    check_close(napcoll_model_smp_us(&machine, 3, 5, 8),
                6 * (0.82823 + 8 * 2.10447e-3) + 2 * (2.265647 + 8 * 0.742038e-3)
                    + 4 * 8 * 1.4442875e-3,
                1e-12);
    check_close(napcoll_model_nap_us(&machine, 3, 5, 8),
                4 * (0.82823 + 8 * 2.10447e-3) + 2.265647 + 8 * 0.742038e-3
                    + (4 + 3) * 8 * 1.4442875e-3,
                1e-12);
}

static void closed_forms_of_single_nodes_and_processes(void **state)
{
    double none = napcoll_model_nap_us(&machine, 2, 1, 8);

    (void) state;
    /* NAN */
    assert_true(none != none);
    assert_true(0 == napcoll_model_nap_us(&machine, 1, 1, 8));
    assert_true(0 == napcoll_model_recursive_doubling_us(&machine, 1, 1, 8));
    check_close(napcoll_model_nap_us(&machine, 1, 2, 0), 0.82823, 1e-12);
    check_close(napcoll_model_smp_us(&machine, 2, 1, 0), 2.265647, 1e-12);
}

static void closed_forms_are_found_by_name(void **state)
{
    (void) state;
    assert_true(napcoll_model_nap_us == napcoll_model_closed_form("allreduce", "nap"));
    assert_true(napcoll_model_smp_us == napcoll_model_closed_form("allreduce", "smp"));
    assert_true(napcoll_model_recursive_doubling_us
                == napcoll_model_closed_form("allreduce", "recursive_doubling"));
    assert_null(napcoll_model_closed_form("bcast", "smp"));
    assert_null(napcoll_model_closed_form("allreduce", "ring"));
}

static void linear_and_postal_models(void **state)
{
    const napcoll_traffic_t traffic = {
        .message_bytes = 1000, .local_messages = 2, .network_messages = 1, .folded_bytes = 4000};

    (void) state;
    check_close(napcoll_model_linear_us((napcoll_link_t){.latency_us = 2, .ns_per_byte = 3}, 500),
                3.5, 1e-12);
    check_close(napcoll_model_postal_us(&machine, NAPCOLL_LEVEL_SOCKET, &traffic),
                3 * (0.53234 + 0.31088) + 4 * 1.4442875, 1e-12);
}

static void two_level_model(void **state)
{
    const napcoll_traffic_t traffic = {
        .message_bytes = 1000, .local_messages = 2, .network_messages = 3, .folded_bytes = 1000};

    (void) state;
    check_close(napcoll_model_two_level_us(&machine, &traffic),
                2 * (1.205444 + 1.03856) + 3 * (6.951053 + 1.330323) + 1.4442875, 1e-12);
}

static void max_rate_model_limits_the_node(void **state)
{
    napcoll_traffic_t traffic = {.message_bytes = 16000, .network_messages = 1};
    const double alone = 6.195205 + 16000 / 3085.142;

    (void) state;
    check_close(napcoll_model_max_rate_us(&machine, 1, &traffic), alone, 1e-12);
    check_close(napcoll_model_max_rate_us(&machine, 3, &traffic), alone, 1e-12);
    check_close(napcoll_model_max_rate_us(&machine, 4, &traffic), 6.195205 + 64000 / 6671.908,
                1e-12);
    check_close(napcoll_model_max_rate_us(&machine, 16, &traffic), 6.195205 + 256000 / 6671.908,
                1e-12);
    /* Eager: not limited */
    traffic.message_bytes = 7999;
    check_close(napcoll_model_max_rate_us(&machine, 16, &traffic),
                napcoll_model_two_level_us(&machine, &traffic), 1e-12);
}

static void loggp_model_spaces_messages(void **state)
{
    napcoll_machine_t m = machine;

    (void) state;
    check_close(napcoll_model_loggp_us(&m, NAPCOLL_LEVEL_NETWORK, 1, 100), 2.265647 + 0.0742038,
                1e-12);
    check_close(napcoll_model_loggp_us(&m, NAPCOLL_LEVEL_NETWORK, 5, 100), 2.265647 + 5 * 0.0742038,
                1e-12);
    m.process_overhead_us = 0.2;
    check_close(napcoll_model_loggp_us(&m, NAPCOLL_LEVEL_NODE, 5, 0), 0.82823 + 4 * 0.2, 1e-12);
    m.process_gap_us = 0.3;
    check_close(napcoll_model_loggp_us(&m, NAPCOLL_LEVEL_NETWORK, 5, 0), 2.265647 + 4 * 0.3, 1e-12);
    m.node_gap_us = 0.5;
    check_close(napcoll_model_loggp_us(&m, NAPCOLL_LEVEL_NETWORK, 5, 0), 2.265647 + 4 * 0.5, 1e-12);
    check_close(napcoll_model_loggp_us(&m, NAPCOLL_LEVEL_NODE, 5, 0), 0.82823 + 4 * 0.2, 1e-12);
    m.node_local_gap_us = 0.4;
    check_close(napcoll_model_loggp_us(&m, NAPCOLL_LEVEL_NODE, 5, 0), 0.82823 + 4 * 0.4, 1e-12);
    m.node_local_ns_per_byte = 10;
    check_close(napcoll_model_loggp_us(&m, NAPCOLL_LEVEL_NODE, 5, 100), 0.82823 + 0.210447 + 4 * 1,
                1e-12);
}

static void heterogeneous_model_adds_both_processors(void **state)
{
    const napcoll_processor_t i = {.delay_us = 10, .delay_ns_per_byte = 5};
    const napcoll_processor_t j = {.delay_us = 40, .delay_ns_per_byte = 1};

    (void) state;
    check_close(napcoll_model_heterogeneous_us(i, j, 100, 10000), 10 + 50 + 40 + 10 + 100, 1e-12);
    check_close(napcoll_model_heterogeneous_us(i, j, 100, 10000),
                napcoll_model_heterogeneous_us(j, i, 100, 10000), 1e-12);
}

/* A machine on which every message, wherever it goes, takes a us and c ns per byte. */
static napcoll_machine_t one_level(double a, double c)
{
    napcoll_machine_t flat = napcoll_machine_default;

    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        for (int protocol = 0; protocol < NAPCOLL_PROTOCOLS; protocol++) {
            flat.link[level][protocol] = (napcoll_link_t){.latency_us = a, .ns_per_byte = c};
        }
    }
    return flat;
}

/* "MPI: Going further": flat (P - 1)(a + cm), binomial log2 P (a + cm), chain (S + P - 2)(a +
 * cm/S). */
static void broadcasts_take_what_the_notes_say(void **state)
{
    const napcoll_machine_t flat = one_level(10, 2);
    const double bytes = 1e6, message = 10 + 2 * bytes / 1000;

    (void) state;
    check_close(napcoll_model_bcast_flat_us(&flat, 8, 1, bytes), 7 * message, 1e-9);
    check_close(napcoll_model_bcast_flat_us(&flat, 4, 2, bytes), 7 * message, 1e-9);
    check_close(napcoll_model_bcast_binomial_us(&flat, 8, 1, bytes), 3 * message, 1e-9);
    check_close(napcoll_model_bcast_binomial_us(&flat, 2, 4, bytes), 3 * message, 1e-9);
    /* 3 a and 7/8 of the vector, then 7 steps of an eighth */
    check_close(napcoll_model_bcast_scatter_allgather_us(&flat, 8, 1, bytes),
                3 * 10 + 1750 + 7 * (10 + 250), 1e-9);
    /* S* = sqrt(6 * 2000 / 10) = 34.6, rounded up */
    check_close(napcoll_model_bcast_chain_us(&flat, 8, 1, bytes), 41 * (10 + 2000.0 / 35), 1e-9);
    check_close(napcoll_model_bcast_chain_us(&flat, 4, 2, bytes), 41 * (10 + 2000.0 / 35), 1e-9);
}

/* TuNA: T(r) = alpha (K + told) + beta D s; 64 ranks by radix 8: 14 rounds, of which 7 have blocks
 * that go on, and 112 blocks; with radix P each block goes by itself. */
static void alltoalls_take_what_their_rounds_do(void **state)
{
    const napcoll_machine_t flat = one_level(10, 2);

    (void) state;
    check_close(napcoll_model_tuna_us(&flat, 4096, 1, 1000, 64, false), 126 * 10 + 8064 * 2.0,
                1e-9);
    check_close(napcoll_model_tuna_us(&flat, 64, 1, 1000, 8, false), 14 * 10 + 112 * 2.0, 1e-9);
    check_close(napcoll_model_tuna_us(&flat, 64, 1, 1000, 8, true), 21 * 10 + 112 * 2.0, 1e-9);
    check_close(napcoll_model_tuna_us(&flat, 64, 1, 1000, 64, true), 63 * 12.0, 1e-9);
    check_close(napcoll_model_tuna_us(&flat, 1, 1, 1000, 2, true), 0, 1e-9);
    check_close(napcoll_model_alltoall_pairwise_us(&flat, 64, 1, 1000), 63 * 12.0, 1e-9);
    check_close(napcoll_model_alltoall_linear_us(&flat, 64, 1, 1000), 10 + 63 * 2.0, 1e-9);
    /* few rounds for small blocks, few detours for large ones */
    check_close(napcoll_model_alltoall_tuna_us(&flat, 64, 1, 1), 6 * 10 + 192 * 0.002, 1e-9);
    check_close(napcoll_model_alltoallv_tuna_us(&flat, 64, 1, 1e6), 63 * (10 + 2000.0), 1e-9);
}

static void hockneys_segments_make_a_pipeline_shortest(void **state)
{
    const napcoll_machine_t flat = one_level(10, 2);

    (void) state;
    for (int hops = 2; hops <= 64; hops *= 2) {
        const napcoll_hops_t way = {.network = hops, .lanes = 1};

        for (double bytes = 1e4; bytes <= 1e7; bytes *= 10) {
            const int best = napcoll_model_hockney_segments(&flat, &way, bytes);
            const double least = napcoll_model_pipeline_us(&flat, &way, best, bytes);

            for (int s = 1; s <= 2 * best; s++) {
                assert_true(napcoll_model_pipeline_us(&flat, &way, s, bytes) >= least * 0.999
                            || s == best - 1);
            }
            assert_true(napcoll_model_lead_us(&flat, &way, best, bytes) < least || 1 == best);
        }
    }
    assert_int_equal(
        napcoll_model_hockney_segments(&flat, &(napcoll_hops_t){.network = 1000, .lanes = 1}, 8),
        2);
    assert_int_equal(
        napcoll_model_hockney_segments(&flat, &(napcoll_hops_t){.network = 1000, .lanes = 1}, 1e12),
        NAPCOLL_MODEL_MOST_SEGMENTS);
}

static void eager_segments_are_the_fewest_that_need_no_rendezvous(void **state)
{
    const napcoll_hops_t way = {.network = 3, .lanes = 2};

    (void) state;
    for (double bytes = 1; bytes <= 1e7; bytes *= 3) {
        const int segments = napcoll_model_eager_segments(&machine, &way, bytes);

        assert_true(NAPCOLL_PROTOCOL_RENDEZVOUS
                        != napcoll_machine_protocol(&machine, bytes / segments / 2)
                    || NAPCOLL_MODEL_MOST_SEGMENTS == segments);
        assert_true(1 == segments
                    || NAPCOLL_PROTOCOL_RENDEZVOUS
                           == napcoll_machine_protocol(&machine, bytes / (segments - 1) / 2));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcasts_take_what_the_notes_say),
        cmocka_unit_test(hockneys_segments_make_a_pipeline_shortest),
        cmocka_unit_test(eager_segments_are_the_fewest_that_need_no_rendezvous),
        cmocka_unit_test(closed_forms_give_figure_10),
        cmocka_unit_test(closed_forms_give_figure_11),
        cmocka_unit_test(closed_forms_round_steps_up),
        cmocka_unit_test(closed_forms_of_single_nodes_and_processes),
        cmocka_unit_test(closed_forms_are_found_by_name),
        cmocka_unit_test(linear_and_postal_models),
        cmocka_unit_test(alltoalls_take_what_their_rounds_do),
        cmocka_unit_test(two_level_model),
        cmocka_unit_test(max_rate_model_limits_the_node),
        cmocka_unit_test(loggp_model_spaces_messages),
        cmocka_unit_test(heterogeneous_model_adds_both_processors),
    };
    return cmocka_run_group_tests_name("models", tests, read_bluewaters, NULL);
}
