/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Machine files: reading, printing, finding, and errors.
 */

#include "cmocka_setup.h"

#include <locale.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/napcoll_machine_file.h"

enum { TEXT = 16384 };

/* A complete file in which every key has the value 1, except that `line` replaces the line of the
 * key `changed`. */
static char *text_with(const char *changed, const char *line)
{
    char *text = calloc(1, TEXT);
    size_t at = 0;

    assert_non_null(text);
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        const char *key = napcoll_machine_key(i);
        int length;

        if (NULL != changed && 0 == strcmp(key, changed)) {
            length = snprintf(text + at, TEXT - at, "%s\n", line);
        } else {
            /* no overhead, so that it fits into every latency */
            length = snprintf(text + at, TEXT - at, "%s = %d\n", key,
                              NULL == strstr(key, "overhead"));
        }
        assert_in_range(length, 1, (int) (TEXT - at) - 1);
        at += (size_t) length;
    }
    return text;
}

static int parse(const char *text, napcoll_machine_t *machine, napcoll_machine_error_t *error)
{
    return napcoll_machine_parse(text, strlen(text), machine, error);
}

/* Check that a file with this line is refused, at this column, with these words. */
static void check_refused(const char *key, const char *line, int column, const char *words)
{
    char *text = text_with(key, line);
    napcoll_machine_error_t error = {0};
    napcoll_machine_t machine;
    int number = 0;

    while (0 != strcmp(napcoll_machine_key(number), key)) {
        number++;
    }
    assert_int_equal(parse(text, &machine, &error), -1);
    if (NULL == strstr(error.text, words)) {
        fail_msg("'%s' gave '%s', which lacks '%s'", line, error.text, words);
    }
    assert_int_equal(error.line, number + 1);
    assert_int_equal(error.column, column);
    free(text);
}

static napcoll_machine_t shipped(const char *name)
{
    napcoll_machine_t machine;
    napcoll_machine_error_t error = {0};
    char path[4096];
    FILE *in = napcoll_machine_open(name, MACHINES, path, sizeof(path));

    assert_non_null(in);
    if (0 != napcoll_machine_read(in, &machine, &error)) {
        fail_msg("%s:%d:%d: %s", path, error.line, error.column, error.text);
    }
    assert_int_equal(fclose(in), 0);
    return machine;
}

static void machine_file_values_arrive_in_their_fields(void **state)
{
    napcoll_machine_t m = shipped("bluewaters.conf");

    (void) state;
    assert_true(500 == m.short_below_bytes && 8000 == m.eager_below_bytes);
    assert_true(0.44224 == m.link[NAPCOLL_LEVEL_SOCKET][NAPCOLL_PROTOCOL_SHORT].latency_us);
    assert_true(0.160034 == m.link[NAPCOLL_LEVEL_SOCKET][NAPCOLL_PROTOCOL_RENDEZVOUS].ns_per_byte);
    assert_true(1.03856 == m.link[NAPCOLL_LEVEL_NODE][NAPCOLL_PROTOCOL_EAGER].ns_per_byte);
    assert_true(2.464821 == m.link[NAPCOLL_LEVEL_NODE][NAPCOLL_PROTOCOL_RENDEZVOUS].latency_us);
    assert_true(6.951053 == m.link[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_EAGER].latency_us);
    assert_true(3085.142 == m.process_injection_mbyte_per_s);
    assert_true(6671.908 == m.node_injection_mbyte_per_s);
    assert_true(4 == m.node_injection_from_processes && 8000 == m.node_injection_from_bytes);
    assert_true(1.4442875 == m.reduce_ns_per_byte);
    assert_true(1000 / 3085.142
                == m.link[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_RENDEZVOUS].ns_per_byte);
    m = shipped("netlab.conf");
    assert_true(1000 == m.link[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_EAGER].latency_us);
    assert_true(125 == m.node_injection_mbyte_per_s && 5 == m.node_gap_us);
}

static void machine_protocol_follows_the_size(void **state)
{
    napcoll_machine_t m = shipped("bluewaters.conf");

    (void) state;
    assert_int_equal(napcoll_machine_protocol(&m, 0), NAPCOLL_PROTOCOL_SHORT);
    assert_int_equal(napcoll_machine_protocol(&m, 499), NAPCOLL_PROTOCOL_SHORT);
    assert_int_equal(napcoll_machine_protocol(&m, 500), NAPCOLL_PROTOCOL_EAGER);
    assert_int_equal(napcoll_machine_protocol(&m, 7999), NAPCOLL_PROTOCOL_EAGER);
    assert_int_equal(napcoll_machine_protocol(&m, 8000), NAPCOLL_PROTOCOL_RENDEZVOUS);
}

/* Print, read, and compare every field; returns how many keys were printed. */
static int check_reads_back(const napcoll_machine_t *machine)
{
    napcoll_machine_t again;
    napcoll_machine_error_t error = {0};
    FILE *file = tmpfile();
    int lines = 0;

    assert_non_null(file);
    assert_int_equal(napcoll_machine_print(machine, file), 0);
    rewind(file);
    for (int c; EOF != (c = getc(file));) {
        lines += '\n' == c;
    }
    rewind(file);
    assert_int_equal(napcoll_machine_read(file, &again, &error), 0);
    assert_int_equal(fclose(file), 0);
    assert_memory_equal(machine, &again, sizeof(again));
    return lines;
}

static void machine_printed_reads_back_the_same(void **state)
{
    napcoll_machine_t m = shipped("bluewaters.conf");
    int keys = 0;

    (void) state;
    while (NULL != napcoll_machine_key(keys)) {
        keys++;
    }
    assert_int_equal(check_reads_back(&m), keys);
    /* needs all 17 digits */
    m.reduce_ns_per_byte = 1.0 / 3;
    m.link[NAPCOLL_LEVEL_NODE][NAPCOLL_PROTOCOL_SHORT].ns_per_byte = 1e-300;
    m.link[NAPCOLL_LEVEL_SOCKET][NAPCOLL_PROTOCOL_EAGER].latency_us = 0.1 + 0.2;
    assert_int_equal(check_reads_back(&m), keys);
    m = shipped("netlab.conf");
    assert_int_equal(check_reads_back(&m), keys);
}

static void machine_file_takes_comments_blanks_and_any_order(void **state)
{
    const char *key = "coll_napcoll_machine_reduce_ns_per_byte";
    char *text = text_with(key, "\r\n\t # a comment\n   \n"
                                "\tcoll_napcoll_machine_reduce_ns_per_byte=\t+25.0e-1 # why\r");
    napcoll_machine_error_t error = {0};
    napcoll_machine_t machine;

    (void) state;
    assert_int_equal(parse(text, &machine, &error), 0);
    assert_true(2.5 == machine.reduce_ns_per_byte);
    /* the last line need not end */
    text[strlen(text) - 1] = '\0';
    assert_int_equal(parse(text, &machine, &error), 0);
    free(text);
}

/* Files of earlier releases. */
static void machine_file_may_have_the_old_name_of_a_key(void **state)
{
    const char *key = "coll_napcoll_machine_reduce_ns_per_byte";
    char *text = text_with(key, "coll_napcoll_machine_fold_ns_per_byte = 2.5");
    napcoll_machine_error_t error = {0};
    napcoll_machine_t machine;

    (void) state;
    assert_int_equal(parse(text, &machine, &error), 0);
    assert_true(2.5 == machine.reduce_ns_per_byte);
    free(text);
    /* one of the two */
    check_refused("coll_napcoll_machine_process_overhead_us",
                  "coll_napcoll_machine_fold_ns_per_byte = 2.5", 1,
                  "reduce_ns_per_byte: given before, in line");
}

static void machine_numbers_that_are_none_are_refused(void **state)
{
    const char *const bad[] = {"",    "nan",   "inf",     "-inf",  "infinity", "0x10", "1e999",
                               "-1",  "-1e-9", "1000001", "1.2.3", "1e",       ".",    "+",
                               "1us", "1_000", "--1",     "one",   "\"1\""};

    (void) state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char line[128];

        (void) snprintf(line, sizeof(line), "coll_napcoll_machine_reduce_ns_per_byte = %s", bad[i]);
        check_refused("coll_napcoll_machine_reduce_ns_per_byte", line, 43,
                      "reduce_ns_per_byte: expected a number from 0 to 1e+06");
    }
    check_refused("coll_napcoll_machine_reduce_ns_per_byte",
                  "coll_napcoll_machine_reduce_ns_per_byte = 1,5", 44,
                  "expected the end of the line");
    check_refused("coll_napcoll_machine_reduce_ns_per_byte",
                  "coll_napcoll_machine_reduce_ns_per_byte = 1 5", 45,
                  "expected the end of the line");
    check_refused("coll_napcoll_machine_node_injection_mbyte_per_s",
                  "coll_napcoll_machine_node_injection_mbyte_per_s = 0", 51,
                  "expected a number from 0.001 to 1e+09");
    check_refused("coll_napcoll_machine_node_injection_from_processes",
                  "coll_napcoll_machine_node_injection_from_processes = 2.5", 54,
                  "expected a whole number from 1 to 64");
    check_refused("coll_napcoll_machine_node_injection_from_processes",
                  "coll_napcoll_machine_node_injection_from_processes = 65", 54,
                  "expected a whole number from 1 to 64");
    check_refused(
        "coll_napcoll_machine_node_gap_us",
        "coll_napcoll_machine_node_gap_us = 0000000000000000000000000000000000000000000000"
        "000000000000000000000000000001",
        36, "expected a number");
}

static void machine_keys_that_are_none_are_refused(void **state)
{
    const char *key = "coll_napcoll_machine_node_gap_us";

    (void) state;
    check_refused(key, " coll_napcoll_machine_node_gap_ms = 1", 2,
                  "coll_napcoll_machine_node_gap_ms: no such key; correct or remove it");
    check_refused(key, "= 1", 1, "expected a key");
    check_refused(key, "COLL_NAPCOLL_MACHINE_NODE_GAP_US = 1", 1, "no such key");
    check_refused(key, "coll_napcoll_machine_node_gap_us 1", 34, "expected = and a number");
    check_refused(key, "coll_napcoll_machine_node_gap_us", 33, "expected = and a number");
    check_refused(key, "coll_napcoll_machine_short_below_bytes = 1", 1,
                  "short_below_bytes: given before, in line 1; remove one");
}

static void machine_keys_that_lack_are_named(void **state)
{
    (void) state;
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        char *text = text_with(napcoll_machine_key(i), "# nothing");
        napcoll_machine_error_t error = {0};
        napcoll_machine_t machine;

        if (napcoll_machine_is_optional(i)) {
            free(text);
            continue;
        }
        assert_int_equal(parse(text, &machine, &error), -1);
        assert_int_equal(error.line, 0);
        assert_memory_equal(error.text, napcoll_machine_key(i), strlen(napcoll_machine_key(i)));
        assert_non_null(strstr(error.text, "missing; add a line"));
        free(text);
    }
}

/* Files of versions without node memory. */
static void machine_files_may_lack_node_memory(void **state)
{
    const char *const keys[] = {"coll_napcoll_machine_node_memory_latency_us",
                                "coll_napcoll_machine_node_memory_ns_per_byte"};
    int optional = 0;

    (void) state;
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        optional += napcoll_machine_is_optional(i);
    }
    assert_int_equal(optional, 2);
    for (int k = 0; k < 2; k++) {
        char *text = text_with(keys[k], "# nothing");
        napcoll_machine_error_t error = {0};
        napcoll_machine_t machine;

        assert_int_equal(parse(text, &machine, &error), 0);
        assert_true(0
                    == (0 == k ? machine.node_memory.latency_us : machine.node_memory.ns_per_byte));
        free(text);
    }
}

static void machine_keys_that_contradict_are_refused(void **state)
{
    napcoll_machine_error_t error = {0};
    napcoll_machine_t machine;
    char *text = text_with("coll_napcoll_machine_short_below_bytes",
                           "coll_napcoll_machine_short_below_bytes = 2");

    (void) state;
    assert_int_equal(parse(text, &machine, &error), -1);
    assert_non_null(strstr(error.text, "eager_below_bytes: expected at least"));
    free(text);
    text = text_with("coll_napcoll_machine_process_overhead_us",
                     "coll_napcoll_machine_process_overhead_us = 0.51");
    assert_int_equal(parse(text, &machine, &error), -1);
    assert_non_null(strstr(error.text, "process_overhead_us: expected at most half"));
    free(text);
}

static void machine_files_too_long_or_binary_are_refused(void **state)
{
    const size_t length = 1100000;
    char *text = calloc(1, length);
    napcoll_machine_error_t error = {0};
    napcoll_machine_t machine;

    (void) state;
    assert_non_null(text);
    assert_int_equal(napcoll_machine_parse(text, length, &machine, &error), -1);
    assert_non_null(strstr(error.text, "more than 1048576 bytes"));
    assert_int_equal(napcoll_machine_parse(text, 3, &machine, &error), -1);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 1);
    memset(text, 'a', length);
    assert_int_equal(napcoll_machine_parse(text, 60000, &machine, &error), -1);
    assert_non_null(strstr(error.text, "no such key"));
    assert_int_equal(napcoll_machine_parse(text, 0, &machine, &error), -1);
    assert_non_null(strstr(error.text, "missing"));
    free(text);
}

/* A report of napcoll-tune on many processes has 100 KB of comments. */
static void machine_file_may_have_long_comments(void **state)
{
    const size_t comments = 200000;
    char *text = text_with("coll_napcoll_machine_node_gap_us",
                           "coll_napcoll_machine_node_gap_us = 3");
    char *all = malloc(comments + strlen(text) + 1);
    napcoll_machine_error_t error = {0};
    napcoll_machine_t machine;

    (void) state;
    assert_non_null(all);
    memset(all, 'x', comments);
    for (size_t line = 0; line < comments; line += 80) {
        all[line] = '#';
        all[line + 79] = '\n';
    }
    memcpy(all + comments, text, strlen(text) + 1);
    assert_int_equal(parse(all, &machine, &error), 0);
    assert_true(3 == machine.node_gap_us);
    free(all);
    free(text);
}

/* A parameter file may have the component's other parameters, with whatever values. */
static void machine_file_may_have_other_parameters(void **state)
{
    char *text = text_with("coll_napcoll_machine_node_gap_us",
                           "coll_napcoll_rules_file = /a b/#c.rules\ncoll_napcoll_gather_m1 = 1\n"
                           "coll_napcoll_machine_node_gap_us = 3");
    napcoll_machine_error_t error = {0};
    napcoll_machine_t machine;

    (void) state;
    assert_int_equal(parse(text, &machine, &error), 0);
    assert_true(3 == machine.node_gap_us);
    free(text);
    text = text_with("coll_napcoll_machine_node_gap_us", "coll_napcoll_machin_node_gap_us = 3");
    /* the line is another parameter, so the key is missing */
    assert_int_equal(parse(text, &machine, &error), -1);
    assert_non_null(strstr(error.text, "coll_napcoll_machine_node_gap_us: missing"));
    free(text);
}

static void machine_names_are_found_in_order(void **state)
{
    char folder[] = "/tmp/napcoll-test-XXXXXX", made[64], list[8192], path[4096];
    FILE *file;

    (void) state;
    assert_non_null(mkdtemp(folder));
    (void) snprintf(made, sizeof(made), "%s/netlab.conf", folder);
    assert_non_null(file = fopen(made, "w"));
    assert_int_equal(fclose(file), 0);

    (void) snprintf(list, sizeof(list), "/nowhere::%s:%s", folder, MACHINES);
    assert_non_null(file = napcoll_machine_open("netlab.conf", list, path, sizeof(path)));
    assert_string_equal(path, made);
    assert_int_equal(fclose(file), 0);
    assert_non_null(file = napcoll_machine_open("bluewaters.conf", list, path, sizeof(path)));
    assert_string_equal(path, MACHINES "/bluewaters.conf");
    assert_int_equal(fclose(file), 0);
    assert_non_null(file = napcoll_machine_open(made, NULL, path, sizeof(path)));
    assert_int_equal(fclose(file), 0);

    assert_null(napcoll_machine_open("nothing.conf", list, path, sizeof(path)));
    assert_null(napcoll_machine_open("./bluewaters.conf", list, path, sizeof(path)));
    /* a folder */
    assert_null(napcoll_machine_open(folder, list, path, sizeof(path)));
    assert_null(napcoll_machine_open("netlab.conf", folder, path, 12));
    assert_int_equal(unlink(made), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void machine_default_is_blue_waters_with_overhead_and_gap(void **state)
{
    napcoll_machine_t m = shipped("bluewaters.conf");

    (void) state;
    m.process_overhead_us = 0.22;
    m.process_gap_us = 0.7;
    assert_memory_equal(&m, &napcoll_machine_default, sizeof(m));
}

static void ethernet_is_the_file_of_that_name(void **state)
{
    const napcoll_machine_t m = shipped("ethernet.conf");

    (void) state;
    assert_memory_equal(&m, &napcoll_machine_ethernet, sizeof(m));
}

static int key_index(const char *name)
{
    int index = 0;

    while (0 != strcmp(napcoll_machine_key(index) + strlen("coll_napcoll_machine_"), name)) {
        index++;
    }
    return index;
}

/* Key by key, as parameters of a job are set. */
static void machine_numbers_can_be_set_one_by_one(void **state)
{
    napcoll_machine_t m = {0}, netlab = shipped("netlab.conf");
    napcoll_machine_error_t error = {0};
    char text[33];

    (void) state;
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        napcoll_machine_number_text(&netlab, i, text, sizeof(text));
        assert_int_equal(
            napcoll_machine_read_number(i, text, napcoll_machine_number(&m, i), &error), 0);
        assert_int_equal(napcoll_machine_check_number(i, *napcoll_machine_number(&m, i), &error),
                         0);
        assert_true(strlen(napcoll_machine_key_help(i)) > 20);
    }
    assert_int_equal(napcoll_machine_complete(&m, &error), 0);
    assert_memory_equal(&m, &netlab, sizeof(m));
    m.process_overhead_us = 1;
    assert_int_equal(napcoll_machine_complete(&m, &error), -1);
    assert_non_null(strstr(error.text, "process_overhead_us: expected at most half"));
}

static void machine_numbers_set_one_by_one_are_refused_alike(void **state)
{
    const double bad[] = {-1, 1e300, -HUGE_VAL, HUGE_VAL, NAN};
    const char *const bad_text[] = {"", " ", "abc", "1us", "0x10", "nan", "-1", "1e999"};
    const int gap = key_index("node_gap_us");
    napcoll_machine_error_t error = {0};
    double number = 7;

    (void) state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(napcoll_machine_check_number(gap, bad[i], &error), -1);
        assert_non_null(strstr(error.text, "node_gap_us: expected a number from 0 to 1e+07"));
    }
    assert_int_equal(napcoll_machine_check_number(key_index("short_below_bytes"), 0.5, &error), -1);
    assert_non_null(strstr(error.text, "expected a whole number"));
    for (size_t i = 0; i < sizeof(bad_text) / sizeof(*bad_text); i++) {
        assert_int_equal(napcoll_machine_read_number(gap, bad_text[i], &number, &error), -1);
        assert_non_null(strstr(error.text, "node_gap_us: expected a number"));
    }
    assert_int_equal(napcoll_machine_read_number(gap, "1,5", &number, &error), -1);
    assert_true(7 == number);
    assert_int_equal(napcoll_machine_read_number(gap, " 1.5 # why", &number, &error), 0);
    assert_true(1.5 == number);
}

static void check_text(double number, const char *expected)
{
    const int gap = key_index("node_gap_us");
    napcoll_machine_t m = {0};
    char text[33];

    *napcoll_machine_number(&m, gap) = number;
    napcoll_machine_number_text(&m, gap, text, sizeof(text));
    assert_string_equal(text, expected);
}

static void machine_numbers_have_one_text(void **state)
{
    const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};

    (void) state;
    check_text(0, "0");
    check_text(-0.0, "0");
    check_text(0.1 + 0.2, "0.30000000000000004");
    check_text(1e-300, "1e-300");
    /* as ompi_info prints them: whole numbers have no exponent */
    check_text(1100, "1100");
    check_text(1230.5, "1230.5");
    check_text(-20, "-20");
    check_text(1e9, "1000000000");
    check_text(1e17, "1e+17");
    for (size_t i = 0; i < sizeof(commas) / sizeof(*commas); i++) {
        if (NULL != setlocale(LC_NUMERIC, commas[i])) { /* else it is not installed */
            check_text(0.25, "0.25");
            check_text(8, "8");
        }
    }
    (void) setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_file_values_arrive_in_their_fields),
        cmocka_unit_test(machine_protocol_follows_the_size),
        cmocka_unit_test(machine_printed_reads_back_the_same),
        cmocka_unit_test(machine_file_takes_comments_blanks_and_any_order),
        cmocka_unit_test(machine_file_may_have_the_old_name_of_a_key),
        cmocka_unit_test(machine_numbers_that_are_none_are_refused),
        cmocka_unit_test(machine_keys_that_are_none_are_refused),
        cmocka_unit_test(machine_keys_that_lack_are_named),
        cmocka_unit_test(machine_files_may_lack_node_memory),
        cmocka_unit_test(machine_keys_that_contradict_are_refused),
        cmocka_unit_test(machine_files_too_long_or_binary_are_refused),
        cmocka_unit_test(machine_file_may_have_long_comments),
        cmocka_unit_test(machine_file_may_have_other_parameters),
        cmocka_unit_test(machine_names_are_found_in_order),
        cmocka_unit_test(machine_default_is_blue_waters_with_overhead_and_gap),
        cmocka_unit_test(ethernet_is_the_file_of_that_name),
        cmocka_unit_test(machine_numbers_can_be_set_one_by_one),
        cmocka_unit_test(machine_numbers_set_one_by_one_are_refused_alike),
        cmocka_unit_test(machine_numbers_have_one_text),
    };
    return cmocka_run_group_tests_name("machine files", tests, NULL, NULL);
}
