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
#include "common/napcoll_closed_form.h"
#include "common/napcoll_machine_file.h"

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

static napcoll_closed_form_t form(const char *collective, const char *algorithm)
{
    napcoll_closed_form_t found = napcoll_model_closed_form(collective, algorithm);

    assert_non_null(found);
    return found;
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
            /* a comment or the head */
            continue;
        }
        check_close(napcoll_model_recursive_doubling_us(&machine, processes / ppn, ppn, bytes),
                    expected[0], 0.001);
        check_close(form("allreduce", "smp")(&machine, processes / ppn, ppn, bytes), expected[1],
                    0.001);
        check_close(form("allreduce", "nap")(&machine, processes / ppn, ppn, bytes), expected[2],
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
    /* 3 nodes as 4, 5 processes as 8; reductions: log2 15 as 4 */
    check_close(napcoll_model_recursive_doubling_us(&machine, 3, 5, 8),
                3 * (0.82823 + 8 * 2.10447e-3) + 2 * (2.265647 + 8 * 0.742038e-3)
                    + 4 * 8 * 1.4442875e-3,
                1e-12);
    check_close(form("allreduce", "smp")(&machine, 3, 5, 8),
                6 * (0.82823 + 8 * 2.10447e-3) + 2 * (2.265647 + 8 * 0.742038e-3)
                    + 4 * 8 * 1.4442875e-3,
                1e-12);
    check_close(form("allreduce", "nap")(&machine, 3, 5, 8),
                4 * (0.82823 + 8 * 2.10447e-3) + 2.265647 + 8 * 0.742038e-3
                    + (4 + 3) * 8 * 1.4442875e-3,
                1e-12);
}

static void closed_forms_of_single_nodes_and_processes(void **state)
{
    double none = form("allreduce", "nap")(&machine, 2, 1, 8);

    (void) state;
    /* NAN */
    assert_true(none != none);
    assert_true(0 == form("allreduce", "nap")(&machine, 1, 1, 8));
    assert_true(0 == napcoll_model_recursive_doubling_us(&machine, 1, 1, 8));
    check_close(form("allreduce", "nap")(&machine, 1, 2, 0), 0.82823, 1e-12);
    check_close(form("allreduce", "smp")(&machine, 2, 1, 0), 2.265647, 1e-12);
}

static void closed_forms_are_found_by_name(void **state)
{
    (void) state;
    assert_true(napcoll_model_recursive_doubling_us
                == napcoll_model_closed_form("allreduce", "recursive_doubling"));
    assert_null(napcoll_model_closed_form("bcast", "smp"));
    assert_null(napcoll_model_closed_form("allreduce", "ring"));
}

static void messages_take_latency_and_time_per_byte(void **state)
{
    (void) state;
    check_close(napcoll_model_message_us(&machine, NAPCOLL_LEVEL_SOCKET, 1000), 0.53234 + 0.31088,
                1e-12);
}

static void two_level_model(void **state)
{
    const napcoll_traffic_t traffic = {
        .message_bytes = 1000, .local_messages = 2, .network_messages = 3, .reduced_bytes = 1000};

    (void) state;
    check_close(napcoll_model_max_rate_us(&machine, 0, &traffic),
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
    /* eager: not limited */
    traffic.message_bytes = 7999;
    check_close(napcoll_model_max_rate_us(&machine, 16, &traffic),
                napcoll_model_max_rate_us(&machine, 0, &traffic), 1e-12);
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
    check_close(form("bcast", "flat")(&flat, 8, 1, bytes), 7 * message, 1e-9);
    check_close(form("bcast", "flat")(&flat, 4, 2, bytes), 7 * message, 1e-9);
    check_close(napcoll_model_bcast_binomial_us(&flat, 8, 1, bytes), 3 * message, 1e-9);
    check_close(napcoll_model_bcast_binomial_us(&flat, 2, 4, bytes), 3 * message, 1e-9);
    /* 3 a and 7/8 of the vector, then 7 steps of an eighth */
    check_close(form("bcast", "scatter_allgather")(&flat, 8, 1, bytes),
                3 * 10 + 1750 + 7 * (10 + 250), 1e-9);
    /* S* = sqrt(6 * 2000 / 10) = 34.6, rounded up */
    check_close(form("bcast", "chain")(&flat, 8, 1, bytes), 41 * (10 + 2000.0 / 35), 1e-9);
    check_close(form("bcast", "chain")(&flat, 4, 2, bytes), 41 * (10 + 2000.0 / 35), 1e-9);
}

/* TuNA: T(r) = alpha K + beta D s. 64 ranks by radix 8: 14 rounds and 112 blocks. With radix P each
 * block is a message. */
static void alltoalls_take_what_their_rounds_do(void **state)
{
    const napcoll_machine_t flat = one_level(10, 2);

    (void) state;
    check_close(napcoll_model_tuna_us(&flat, 4096, 1, 1000, 64), 126 * 10 + 8064 * 2.0, 1e-9);
    check_close(napcoll_model_tuna_us(&flat, 64, 1, 1000, 8), 14 * 10 + 112 * 2.0, 1e-9);
    check_close(napcoll_model_tuna_us(&flat, 64, 1, 1000, 64), 63 * 12.0, 1e-9);
    check_close(napcoll_model_tuna_us(&flat, 1, 1, 1000, 2), 0, 1e-9);
    check_close(form("alltoall", "pairwise")(&flat, 64, 1, 1000), 63 * 12.0, 1e-9);
    check_close(form("alltoall", "linear")(&flat, 64, 1, 1000), 10 + 63 * 2.0, 1e-9);
    /* few rounds for small blocks, few forwarded blocks for large ones */
    check_close(form("alltoall", "tuna")(&flat, 64, 1, 1), 6 * 10 + 192 * 0.002, 1e-9);
    check_close(form("alltoallv", "tuna")(&flat, 64, 1, 1e6), 63 * (10 + 2000.016), 1e-9);
}

static void hockneys_segments_make_a_pipeline_shortest(void **state)
{
    const napcoll_machine_t flat = one_level(10, 2);

    (void) state;
    for (int hops = 2; hops <= 64; hops *= 2) {
        const napcoll_hops_t path = {.network = hops, .lanes = 1};

        for (double bytes = 1e4; bytes <= 1e7; bytes *= 10) {
            const int best = napcoll_model_hockney_segments(&flat, &path, bytes);
            const double least = napcoll_model_pipeline_us(&flat, &path, best, bytes);

            for (int s = 1; s <= 2 * best; s++) {
                assert_true(napcoll_model_pipeline_us(&flat, &path, s, bytes) >= least * 0.999
                            || s == best - 1);
            }
            assert_true(napcoll_model_lead_us(&flat, &path, best, bytes) < least || 1 == best);
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
    const napcoll_hops_t path = {.network = 3, .lanes = 2};

    (void) state;
    for (double bytes = 1; bytes <= 1e7; bytes *= 3) {
        const int segments = napcoll_model_eager_segments(&machine, &path, bytes);

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
        cmocka_unit_test(messages_take_latency_and_time_per_byte),
        cmocka_unit_test(alltoalls_take_what_their_rounds_do),
        cmocka_unit_test(two_level_model),
        cmocka_unit_test(max_rate_model_limits_the_node),
    };
    return cmocka_run_group_tests_name("models", tests, read_bluewaters, NULL);
}
