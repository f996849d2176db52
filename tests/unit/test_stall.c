/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reports of stalled calls: their words, and what napcoll-plan explain --stuck makes of them.
 */

#include "cmocka_setup.h"

#include <stdlib.h>
#include <string.h>

#include "plan/napcoll_stuck.h"
#include "select/napcoll_stall.h"

static napcoll_stall_report_t report_of(int rank, const char *node)
{
    napcoll_stall_report_t report = {.who = {.rank = rank},
                                     .name = "MPI_COMM_WORLD",
                                     .size = 8,
                                     .call = {.number = 17,
                                              .function = "allreduce",
                                              .under_way = true,
                                              .stage = 2,
                                              .seconds = 10.04},
                                     .doing = NAPCOLL_STALL_MESSAGES,
                                     .algorithm = "nap",
                                     .stages = 5,
                                     .piece = 1,
                                     .pieces = 1};

    (void) snprintf(report.who.node, sizeof(report.who.node), "%s", node);
    return report;
}

static void add_peer(napcoll_stall_report_t *report, int rank, const char *node)
{
    napcoll_stall_rank_t *peer = &report->peer[report->peers++];

    peer->rank = rank;
    (void) snprintf(peer->node, sizeof(peer->node), "%s", node);
}

static napcoll_stall_absent_t *add_absent(napcoll_stall_report_t *report, int rank,
                                          const char *node)
{
    napcoll_stall_absent_t *absent = &report->absent[report->absents++];

    absent->who.rank = rank;
    (void) snprintf(absent->who.node, sizeof(absent->who.node), "%s", node);
    absent->last = (napcoll_stall_call_t){.number = 16, .function = "barrier", .seconds = 12};
    return absent;
}

/* ---- the words ---- */

static void report_says_call_peers_and_missing_mates(void **state)
{
    napcoll_stall_report_t report = report_of(3, "n1");
    napcoll_stall_absent_t *absent;
    char line[NAPCOLL_STALL_LINE];

    (void) state;
    add_peer(&report, 4, "n2");
    add_peer(&report, 7, "n3");
    absent = add_absent(&report, 2, "n1");
    absent->pid = 4711;
    absent->state = 'T';
    napcoll_stall_words(&report, line);
    assert_string_equal(
        line, "coll:napcoll: stall: rank 3 on n1 of communicator 0 (MPI_COMM_WORLD, 8 ranks, rank "
              "0 is process 0): 10.0 s in allreduce, call 17, by nap, stage 2 of 5; waits for rank "
              "4 on n2, rank 7 on n3; not in the call: rank 2 on n1 (last barrier, call 16, ended "
              "12.0 s ago; pid 4711 is stopped)");
}

static void report_says_where_a_mate_is_instead(void **state)
{
    napcoll_stall_report_t report = report_of(0, "node 0");
    napcoll_stall_absent_t *absent;
    char line[NAPCOLL_STALL_LINE];

    (void) state;
    absent = add_absent(&report, 1, "node 0");
    absent->last = (napcoll_stall_call_t){
        .number = 17, .function = "bcast", .under_way = true, .stage = 3, .seconds = 9};
    absent = add_absent(&report, 2, "node 0");
    absent->last.number = 0;
    absent->other = (napcoll_stall_call_t){
        .number = 4, .function = "barrier", .under_way = true, .seconds = 8};
    absent->other_communicator = 5;
    napcoll_stall_words(&report, line);
    assert_non_null(strstr(line, "rank 1 on node 0 (in bcast, call 17, stage 3, for 9.0 s), "));
    assert_non_null(strstr(
        line, "rank 2 on node 0 (no call yet; in barrier, call 4, for 8.0 s on communicator 5)"));
}

static void report_says_what_the_call_does(void **state)
{
    static const struct {
        napcoll_stall_doing_t doing;
        const char *words;
    } cases[] = {
        {NAPCOLL_STALL_SETUP, "10.0 s in allreduce, call 17, in its set-up"},
        {NAPCOLL_STALL_FALLBACK, "10.0 s in allreduce, call 17, by the fallback component"},
        {NAPCOLL_STALL_QUEUED, "by nap, behind an earlier call of this process, stage 2 of 5"},
        {NAPCOLL_STALL_PHASE, "by nap, stage 2 of 5, in a phase of another component"},
        {NAPCOLL_STALL_NONE, "in no call; last allreduce, call 17, ended 10.0 s ago"}};
    char line[NAPCOLL_STALL_LINE];

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        napcoll_stall_report_t report = report_of(3, "n1");

        report.doing = cases[i].doing;
        report.call.under_way = NAPCOLL_STALL_NONE != report.doing;
        napcoll_stall_words(&report, line);
        assert_non_null(strstr(line, cases[i].words));
    }
}

/* Names of hosts may be long; the line must fit into a pipe at once. */
static void report_is_bounded(void **state)
{
    napcoll_stall_report_t report = report_of(0, "n1");
    char node[NAPCOLL_STALL_NAME], line[NAPCOLL_STALL_LINE];

    (void) state;
    memset(node, 'n', sizeof(node) - 1);
    node[sizeof(node) - 1] = '\0';
    for (int i = 0; i < NAPCOLL_STALL_NAMED; i++) {
        napcoll_stall_absent_t *absent = add_absent(&report, 100000 + i, node);

        add_peer(&report, 200000 + i, node);
        absent->other = absent->last;
        absent->pid = 123456;
        absent->state = 'S';
    }
    report.size = 1000000;
    report.peers = 5000;
    report.absents = 60;
    napcoll_stall_words(&report, line);
    assert_non_null(strstr(line, " and 4984 more; not in the call: rank 100000 on "));
    assert_non_null(strstr(line, ", rank 100008 on "));
    assert_string_equal(line + strlen(line) - strlen(" more"), " more");
    assert_true(strlen(line) + 1 < NAPCOLL_STALL_LINE);
}

static void names_cannot_confuse_a_reader(void **state)
{
    char clean[NAPCOLL_STALL_NAME];

    (void) state;
    napcoll_stall_clean("a (b), c;\n\"d\" 1.5", clean);
    assert_string_equal(clean, "a ?b?? c???d? 1.5");
}

/* ---- read again ---- */

/* What is printed for reports, to be freed. */
static char *explain(const napcoll_stuck_t *stuck)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    assert_non_null(out);
    napcoll_stuck_print(stuck, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* A report as a line of a log, behind what a launcher and Open MPI put before it. */
static void read_report(napcoll_stuck_t *stuck, const napcoll_stall_report_t *report)
{
    char line[NAPCOLL_STALL_LINE], all[NAPCOLL_STALL_LINE + 100];

    napcoll_stall_words(report, line);
    (void) snprintf(all, sizeof(all), "[1,3]<stderr>: [n1:04712] %s\r\n", line);
    napcoll_stuck_read(stuck, all);
}

/* Rank 2 has not entered the call; rank 3 of its node waits for it, 4 for 3, 5 for 4; 6 and 7 wait
 * for each other. */
static void missing_rank_and_its_dependents_are_named(void **state)
{
    static const int waits[][2] = {{3, 2}, {4, 3}, {5, 4}, {6, 7}, {7, 6}};
    napcoll_stuck_t stuck = {.comm = NULL};
    char *text;

    (void) state;
    napcoll_stuck_read(&stuck, "some other line\n");
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        napcoll_stall_report_t report = report_of(waits[i][0], i < 1 ? "n1" : "n2");

        add_peer(&report, waits[i][1], i < 1 ? "n1" : "n2");
        if (3 == waits[i][0]) {
            (void) add_absent(&report, 2, "n1");
        }
        read_report(&stuck, &report);
    }
    assert_int_equal(stuck.reports, 5);
    assert_int_equal(stuck.bad, 0);
    text = explain(&stuck);
    assert_string_equal(
        text, "Communicator 0 (MPI_COMM_WORLD, 8 ranks, rank 0 is process 0): 5 ranks wait in "
              "allreduce, call 17, by nap, stage 2 of 5, for up to 10.0 s\n"
              "  Missing: rank 2 on n1: last barrier, call 16, ended 12.0 s ago; so 1 rank of its "
              "node says\n"
              "    1 rank waits for it: 3\n"
              "    2 more depend on that one: 4-5\n");
    free(text);
    napcoll_stuck_free(&stuck);
}

/* Alone on its node, it has nobody who knows that it is missing; but it does not report. */
static void rank_that_does_not_report_is_missing(void **state)
{
    napcoll_stuck_t stuck = {.comm = NULL};
    char *text;

    (void) state;
    for (int rank = 0; rank < 7; rank++) {
        napcoll_stall_report_t report = report_of(rank, "n1");

        add_peer(&report, rank < 6 ? rank + 1 : 7, rank < 6 ? "n1" : "n9");
        read_report(&stuck, &report);
    }
    text = explain(&stuck);
    assert_non_null(strstr(text, "  Missing: rank 7 on n9, which has not reported"));
    assert_non_null(strstr(text, "    1 rank waits for it: 6\n"));
    assert_non_null(strstr(text, "    6 more depend on that one: 0-5\n"));
    free(text);
    napcoll_stuck_free(&stuck);
}

static void another_call_and_none_are_named(void **state)
{
    napcoll_stuck_t stuck = {.comm = NULL};
    napcoll_stall_report_t report;
    char *text;

    (void) state;
    for (int rank = 0; rank < 8; rank++) {
        report = report_of(rank, "n1");
        add_peer(&report, 5, "n1");
        if (5 == rank) {
            report.peer[0].rank = 0;
            (void) snprintf(report.call.function, sizeof(report.call.function), "ibcast");
        } else if (6 == rank) {
            report.doing = NAPCOLL_STALL_NONE;
            report.call.under_way = false;
        }
        read_report(&stuck, &report);
    }
    text = explain(&stuck);
    assert_non_null(strstr(text, "6 ranks wait in allreduce, call 17"));
    assert_non_null(
        strstr(text, "Missing: rank 5 on n1, which is in ibcast, call 17, instead: for 10.0 s"));
    assert_non_null(strstr(
        text, "Missing: rank 6 on n1, which is in no call: last allreduce, call 17, ended 10.0 s"));
    free(text);
    napcoll_stuck_free(&stuck);
}

static void circle_of_ranks_is_shown(void **state)
{
    napcoll_stuck_t stuck = {.comm = NULL};
    char *text;

    (void) state;
    for (int rank = 0; rank < 3; rank++) {
        napcoll_stall_report_t report = report_of(rank, "n1");

        add_peer(&report, (rank + 1) % 3, "n1");
        read_report(&stuck, &report);
    }
    text = explain(&stuck);
    assert_non_null(strstr(text, "wait for each other: 0 -> 1 -> 2 -> 0."));
    free(text);
    napcoll_stuck_free(&stuck);
}

/* Communicators of a split have one number. */
static void communicators_are_told_apart(void **state)
{
    napcoll_stuck_t stuck = {.comm = NULL};
    napcoll_stall_report_t report = report_of(0, "n1");

    (void) state;
    read_report(&stuck, &report);
    report.first = 8;
    read_report(&stuck, &report);
    read_report(&stuck, &report);
    assert_int_equal(stuck.comms, 2);
    assert_int_equal(stuck.reports, 3);
    napcoll_stuck_free(&stuck);
}

/* Any part of a report, as where another process writes into the line, is read or counted as
 * bad. */
static void line_that_is_cut_off_is_counted(void **state)
{
    napcoll_stuck_t stuck = {.comm = NULL};
    napcoll_stall_report_t report = report_of(3, "n1");
    char line[NAPCOLL_STALL_LINE];
    int lines = 0;

    (void) state;
    add_peer(&report, 4, "n2");
    (void) add_absent(&report, 2, "n1");
    report.peers = 20;
    napcoll_stall_words(&report, line);
    for (size_t length = strlen(line); length >= strlen(NAPCOLL_STALL_PREFIX); length--) {
        line[length] = '\0';
        napcoll_stuck_read(&stuck, line);
        assert_int_equal(stuck.reports + stuck.bad, ++lines);
    }
    assert_true(stuck.bad > 100);
    napcoll_stuck_read(&stuck, "coll:napcoll: stall: rank 9 on n1 of communicator 0 (A, 8 ranks, "
                               "rank 0 is process 0): in no call; no call yet");
    assert_int_equal(stuck.reports + stuck.bad, lines + 1);
    napcoll_stuck_free(&stuck);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_says_call_peers_and_missing_mates),
        cmocka_unit_test(report_says_where_a_mate_is_instead),
        cmocka_unit_test(report_says_what_the_call_does),
        cmocka_unit_test(report_is_bounded),
        cmocka_unit_test(names_cannot_confuse_a_reader),
        cmocka_unit_test(missing_rank_and_its_dependents_are_named),
        cmocka_unit_test(rank_that_does_not_report_is_missing),
        cmocka_unit_test(another_call_and_none_are_named),
        cmocka_unit_test(circle_of_ranks_is_shown),
        cmocka_unit_test(communicators_are_told_apart),
        cmocka_unit_test(line_that_is_cut_off_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
