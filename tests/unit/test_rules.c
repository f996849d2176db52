/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Rules files: what is read, what is refused and where, which rule decides, and what a check finds.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include "algo/napcoll_generators.h"
#include "common/napcoll_rule_write.h"
#include "plan/napcoll_rules_check.h"

static napcoll_rules_t *read_all(const char *text)
{
    napcoll_rules_error_t error = {0};
    napcoll_rules_t *rules = NULL;

    if (0 != napcoll_rules_parse(text, strlen(text), &rules, &error)) {
        fail_msg("line %d, column %d: %s", error.line, error.column, error.text);
    }
    return rules;
}

static void every_part_of_a_rule_is_read(void **state)
{
    napcoll_rules_t *rules = read_all(
        "# the owner's\r\n"
        "\n"
        "allreduce nodes=2..8 ppn=8 bytes=..4K op=commutative placement=contiguous -> nap lanes=3 "
        "local_radix=4 # x\n"
        "bcast bytes=1M.. nodes=4..->lane between=binomial segments=7\n"
        "reduce op=ordered placement=scattered bytes=1G calls=blocking->fallback\n"
        "\tallreduce bytes=0 calls=requests -> ring segments=5\r\n"
        "barrier -> auto");
    const napcoll_rule_t *rule = rules->rule;

    (void) state;
    assert_int_equal(rules->rules, 5);
    assert_int_equal(rule->line, 3);
    assert_ptr_equal(rule->collective, &napcoll_allreduce);
    assert_true(2 == rule->nodes.least && 8 == rule->nodes.most);
    assert_true(8 == rule->ppn.least && 8 == rule->ppn.most);
    assert_true(0 == rule->bytes.least && 4096 == rule->bytes.most);
    assert_int_equal(rule->noncommutative, NAPCOLL_RULE_NO);
    assert_int_equal(rule->scattered, NAPCOLL_RULE_NO);
    assert_int_equal(rule->request, NAPCOLL_RULE_ANY);
    assert_int_equal(rule->action, NAPCOLL_RULE_ALGORITHM);
    assert_int_equal(rule->algorithm, NAPCOLL_ALLREDUCE_NAP);
    assert_int_equal(rule->local_radix, 4);
    assert_int_equal(rule->tunable[0], 3);
    rule++;
    assert_true(4 == rule->nodes.least && SIZE_MAX == rule->nodes.most);
    assert_true(1 << 20 == rule->bytes.least && SIZE_MAX == rule->bytes.most);
    assert_int_equal(rule->noncommutative, NAPCOLL_RULE_ANY);
    assert_int_equal(rule->scattered, NAPCOLL_RULE_ANY);
    assert_string_equal(napcoll_bcast.algorithm[rule->algorithm].name, "lane");
    assert_true(rule->tunable[0] > 0);
    assert_int_equal(rule->tunable[1], 7);
    assert_int_equal(rule->segments, 0);
    rule++;
    assert_int_equal(rule->action, NAPCOLL_RULE_FALLBACK);
    assert_int_equal(rule->noncommutative, NAPCOLL_RULE_YES);
    assert_int_equal(rule->scattered, NAPCOLL_RULE_YES);
    assert_int_equal(rule->request, NAPCOLL_RULE_NO);
    assert_true((size_t) 1 << 30 == rule->bytes.least && (size_t) 1 << 30 == rule->bytes.most);
    rule++;
    assert_int_equal(rule->segments, 5);
    assert_int_equal(rule->request, NAPCOLL_RULE_YES);
    assert_int_equal(rule->line, 6);
    assert_true(0 == rule->bytes.least && 0 == rule->bytes.most);
    rule++;
    assert_int_equal(rule->action, NAPCOLL_RULE_AUTO);
    assert_int_equal(rule->tunable[0], NAPCOLL_RULE_UNSET);
    napcoll_rules_free(rules);
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
    static const struct {
        const char *text;
        int line;
        int column;
        /* of the message */
        const char *word;
    } cases[] = {
        {"foo -> nap", 1, 1, "expected a collective (allreduce"},
        {"\n  allreduce nodes -> nap", 2, 13, "expected nodes="},
        {"allreduce nodes=0 -> nap", 1, 11, "from 1 on"},
        {"allreduce nodes=4..2 -> nap", 1, 11, "not the larger one"},
        {"allreduce nodes=4K -> nap", 1, 11, "expected nodes="},
        {"allreduce nodes=4294967296 -> nap", 1, 11, "expected numbers up to"},
        {"allreduce ppn=x -> nap", 1, 11, "expected ppn="},
        {"allreduce bytes=1T -> nap", 1, 11, "expected bytes="},
        {"allreduce bytes=.. -> nap", 1, 11, "expected bytes="},
        {"allreduce bytes=1.2 -> nap", 1, 11, "expected bytes="},
        {"allreduce bytes=1..2..3 -> nap", 1, 11, "expected bytes="},
        {"allreduce bytes= -> nap", 1, 11, "expected bytes="},
        {"allreduce bytes=-1 -> nap", 1, 11, "expected bytes="},
        {"allreduce bytes=18446744073709551616 -> nap", 1, 11, "expected bytes="},
        {"allreduce bytes=18446744073709551615K -> nap", 1, 11, "expected bytes="},
        {"allreduce op=sum -> nap", 1, 11, "op=commutative or op=noncommutative"},
        {"bcast op=noncommutative -> nap", 1, 7, "bcast has no operation"},
        {"allreduce placement=block -> nap", 1, 11, "placement=contiguous or"},
        {"allreduce calls=nonblocking -> nap", 1, 11, "calls=blocking or calls=requests"},
        {"allreduce ppn=2 ppn=2 -> nap", 1, 17, "ppn= is given twice"},
        {"allreduce", 1, 10, "found the end of the line"},
        {"allreduce nodes=2 # -> nap", 1, 19, "expected -> and what is to be done"},
        {"allreduce ->", 1, 13, "found the end of the line"},
        {"allreduce -> bogus", 1, 14, "(recursive_doubling, smp, nap"},
        {"allreduce -> previous", 1, 14, "expected fallback, auto, file:NAME"},
        {"allreduce -> -> nap", 1, 14, "found \"->\""},
        {"allreduce -> fallback lanes=2", 1, 23, "behind fallback or auto"},
        {"allreduce -> nap 3", 1, 18, "(lanes, local_radix)"},
        {"allreduce -> nap radix=3", 1, 18, "(lanes, local_radix)"},
        {"allreduce -> nap lanes=-1", 1, 18, "expected a number from 0"},
        {"allreduce -> nap lanes=2 lanes=3", 1, 26, "lanes is given twice"},
        {"allreduce -> nap local_radix=1", 1, 18, "expected a number from 2"},
        {"allreduce -> nap segments=2", 1, 18, "(lanes, local_radix)"},
        {"allreduce -> ring segments=2000", 1, 19, "expected a number from 1 to 1024"},
        {"allreduce -> tree lanes=1", 1, 19, "tree has no tunables"},
        {"bcast -> two_level between=bogus", 1, 20, "expected one of auto, "},
        {"allreduce -> n\001p\377", 1, 14, "found \"n?p?\""},
    };

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_rules_error_t error = {0};
        napcoll_rules_t *rules = NULL;

        assert_int_equal(napcoll_rules_parse(cases[c].text, strlen(cases[c].text), &rules, &error),
                         -1);
        assert_null(rules);
        if (cases[c].line != error.line || cases[c].column != error.column
            || NULL == strstr(error.text, cases[c].word)) {
            fail_msg("\"%s\": line %d, column %d: %s", cases[c].text, error.line, error.column,
                     error.text);
        }
    }
}

/* A file in memory of `length` bytes, each `byte`. */
static char *filled(size_t length, int byte)
{
    char *text = malloc(length);

    assert_non_null(text);
    memset(text, byte, length);
    return text;
}

static void expect_refused(const char *text, size_t length, int line, const char *word)
{
    napcoll_rules_error_t error = {0};
    napcoll_rules_t *rules;

    assert_int_equal(napcoll_rules_parse(text, length, &rules, &error), -1);
    assert_null(rules);
    assert_int_equal(error.line, line);
    assert_non_null(strstr(error.text, word));
}

static void zeros_long_lines_and_large_files_are_refused(void **state)
{
    static const char rule[] = "barrier -> smp\n";
    const size_t length = strlen(rule), many = NAPCOLL_MOST_RULES + 1;
    char *text = filled(NAPCOLL_MOST_RULES_BYTES + 1, 'x');

    (void) state;
    expect_refused(text, NAPCOLL_MOST_RULES_BYTES + 1, 0,
                   "expected a file of at most 1048576 bytes");
    expect_refused(text, NAPCOLL_MOST_RULES_BYTES, 1, "expected lines of at most 4096 bytes");
    free(text);
    expect_refused("\nbarrier\0 -> smp", 16, 2, "zero byte");
    expect_refused("# a comment, with\0", 18, 1, "zero byte");
    text = filled(many * length, ' ');
    for (size_t i = 0; i < many; i++) {
        memcpy(text + i * length, rule, length);
    }
    expect_refused(text, many * length, NAPCOLL_MOST_RULES + 1, "expected at most 16384 rules");
    free(text);
}

static bool count_mistake(void *context, const napcoll_rules_error_t *error)
{
    *(int *) context += error->line;
    return true;
}

static void other_lines_are_read_beside_mistakes(void **state)
{
    static const char text[] = "barrier -> smp\nbarrier -> x\nbarrier ->\nbarrier -> nap\n";
    napcoll_rules_t *rules;
    int lines = 0;

    (void) state;
    assert_int_equal(napcoll_rules_parse_all(text, strlen(text), &rules, count_mistake, &lines), 2);
    assert_int_equal(lines, 2 + 3);
    assert_int_equal(rules->rules, 2);
    assert_int_equal(rules->rule[1].line, 4);
    napcoll_rules_free(rules);
    assert_int_equal(napcoll_rules_parse_all(NULL, 0, &rules, count_mistake, &lines), 0);
    assert_int_equal(rules->rules, 0);
    napcoll_rules_free(rules);
}

static void rules_read_back_as_they_are_printed(void **state)
{
    static const char text[] =
        "allreduce nodes=2..8 ppn=..8 bytes=..4K op=commutative -> nap local_radix=4 lanes=0\n"
        "bcast nodes=4.. bytes=1000..1M placement=scattered -> lane between=auto segments=3\n"
        "allreduce bytes=0 op=noncommutative -> auto\n"
        "allreduce placement=contiguous -> ring segments=2\n"
        "gatherv bytes=1536 -> fallback\n"
        "bcast calls=blocking -> fallback\n"
        "bcast placement=contiguous calls=requests -> lane between=auto\n";
    napcoll_rules_t *rules = read_all(text);
    char *printed = NULL;
    size_t length;
    FILE *out = open_memstream(&printed, &length);

    (void) state;
    assert_non_null(out);
    for (int i = 0; i < rules->rules; i++) {
        assert_int_equal(napcoll_rule_print(&rules->rule[i], out), 0);
    }
    assert_int_equal(fclose(out), 0);
    assert_string_equal(printed, text);
    free(printed);
    napcoll_rules_free(rules);
}

/* An action as a communicator's info key has it: read, and printed. */
static void expect_action(const char *text, const char *printed, bool has_tunables)
{
    napcoll_rules_error_t error;
    napcoll_rule_t rule;
    char *got = NULL;
    size_t length;
    FILE *out = open_memstream(&got, &length);

    assert_non_null(out);
    if (0 != napcoll_rules_parse_action(&napcoll_allreduce, text, &rule, &error)) {
        fail_msg("%s: %s", text, error.text);
    }
    assert_ptr_equal(rule.collective, &napcoll_allreduce);
    assert_int_equal(rule.bytes.most, SIZE_MAX);
    assert_int_equal(rule.line, 0);
    assert_int_equal(napcoll_rule_has_tunables(&rule), has_tunables);
    napcoll_rule_print_action(&rule, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(got, printed);
    free(got);
}

static void actions_are_read_alone(void **state)
{
    static const struct {
        const char *text, *word;
        int column;
    } bad[] = {{"", "found the end of the line", 1},
               {"nap radix", "NAME=VALUE of a tunable of nap", 5},
               {"  nape", "found \"nape\"", 3},
               {"auto radix=2", "behind fallback or auto", 6},
               {"nap local_radix=1", "a number from 2", 5},
               {"nap\nlocal_radix=2", "found \"nap?local_radix=2\"", 1}};

    (void) state;
    expect_action("nap", "nap", false);
    expect_action("  nap  lanes=1 local_radix=3 ", "nap local_radix=3 lanes=1", true);
    expect_action("nap lanes=0", "nap lanes=0", true);
    expect_action("ring segments=2", "ring segments=2", true);
    expect_action("auto", "auto", false);
    expect_action("fallback", "fallback", false);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        napcoll_rules_error_t error = {0};
        napcoll_rule_t rule;

        assert_int_equal(napcoll_rules_parse_action(&napcoll_allreduce, bad[i].text, &rule, &error),
                         -1);
        assert_int_equal(error.column, bad[i].column);
        if (NULL == strstr(error.text, bad[i].word)) {
            fail_msg("\"%s\": %s", bad[i].text, error.text);
        }
    }
}

/* ---- which one decides ---- */

static napcoll_ruling_t find(const napcoll_rules_t *rules, const napcoll_call_t *about,
                             size_t bytes)
{
    napcoll_call_t call = *about;

    call.bytes = bytes;
    return napcoll_rules_find(rules, &call, false);
}

/* The line of the rule that decides on an allreduce, 0 for none. */
static int line_for(const napcoll_rules_t *rules, const char *ppn, const char *order, int size,
                    size_t bytes, bool noncommutative)
{
    napcoll_node_map_t *map = placement(ppn, order, size);
    const napcoll_call_t about = {
        .collective = &napcoll_allreduce, .map = map, .noncommutative = noncommutative};
    const napcoll_ruling_t ruling = find(rules, &about, bytes);

    napcoll_node_map_free(map);
    assert_true(ruling.least <= bytes && bytes <= ruling.most);
    return NULL == ruling.rule ? 0 : ruling.rule->line;
}

static void the_first_rule_that_matches_decides(void **state)
{
    napcoll_rules_t *rules = read_all("reduce -> nap\n"
                                      "allreduce nodes=2 ppn=4 bytes=..8 -> nap\n"
                                      "allreduce nodes=2 -> tree\n"
                                      "allreduce ppn=3..4 op=noncommutative -> fallback\n"
                                      "allreduce placement=scattered bytes=100.. -> tree\n"
                                      "allreduce ppn=5.. -> auto\n");

    (void) state;
    assert_int_equal(line_for(rules, "4", "block", 8, 8, false), 2);
    assert_int_equal(line_for(rules, "4", "block", 8, 9, false), 3);
    assert_int_equal(line_for(rules, "3", "block", 6, 0, false), 3);
    assert_int_equal(line_for(rules, "4", "block", 12, 8, true), 4);
    /* the fullest node */
    assert_int_equal(line_for(rules, "1,3", "block", 12, 8, true), 4);
    assert_int_equal(line_for(rules, "4", "block", 12, 100, false), 0);
    assert_int_equal(line_for(rules, "4", "cyclic", 12, 100, false), 5);
    assert_int_equal(line_for(rules, "4", "cyclic", 12, 99, false), 0);
    assert_int_equal(line_for(rules, "5", "block", 15, 0, true), 6);
    assert_int_equal(line_for(NULL, "5", "block", 15, 0, true), 0);
    napcoll_rules_free(rules);
}

static void requests_can_have_rules_of_their_own(void **state)
{
    napcoll_rules_t *rules = read_all("allreduce calls=blocking bytes=..64 -> fallback\n"
                                      "allreduce calls=requests -> tree\n"
                                      "allreduce -> smp\n"),
                    *without = read_all("allreduce -> smp\n");
    napcoll_node_map_t *map = placement("2", "block", 8);
    napcoll_call_t about = {.collective = &napcoll_allreduce, .map = map};
    const napcoll_rule_t *rule;

    (void) state;
    assert_true(napcoll_rules_tell_requests(rules));
    assert_false(napcoll_rules_tell_requests(without));
    assert_false(napcoll_rules_tell_requests(NULL));
    assert_int_equal(find(rules, &about, 8).rule->line, 1);
    assert_int_equal(find(rules, &about, 65).rule->line, 3);
    assert_int_equal(napcoll_rules_scope(rules, &about, false, &rule), NAPCOLL_RULES_BY_SIZE);
    about.request = true;
    assert_int_equal(find(rules, &about, 8).rule->line, 2);
    assert_int_equal(napcoll_rules_scope(rules, &about, false, &rule), NAPCOLL_RULES_ONE);
    assert_int_equal(rule->line, 2);
    napcoll_node_map_free(map);
    napcoll_rules_free(rules);
    napcoll_rules_free(without);
}

static void a_rule_whose_algorithm_cannot_is_passed_over(void **state)
{
    napcoll_rules_t *rules = read_all("allreduce -> ring\nallreduce bytes=..64 -> tree\n");
    napcoll_node_map_t *map = placement("2", "block", 8);
    napcoll_call_t about = {.collective = &napcoll_allreduce, .map = map, .noncommutative = true};
    napcoll_ruling_t ruling = find(rules, &about, 8);

    (void) state;
    assert_int_equal(ruling.rule->line, 2);
    assert_int_equal(ruling.passed->line, 1);
    assert_int_equal(ruling.reason, NAPCOLL_REASON_NONCOMMUTATIVE);
    ruling = find(rules, &about, 65);
    assert_null(ruling.rule);
    assert_int_equal(ruling.passed->line, 1);
    about = (napcoll_call_t){.collective = &napcoll_allreduce, .map = map, .bytes = 8};
    ruling = napcoll_rules_find(rules, &about, true);
    assert_int_equal(ruling.rule->line, 2);
    assert_int_equal(ruling.reason, NAPCOLL_REASON_REPRODUCIBLE);
    ruling = find(rules, &about, 8);
    assert_int_equal(ruling.rule->line, 1);
    assert_null(ruling.passed);
    napcoll_node_map_free(map);
    napcoll_rules_free(rules);
}

/* From whatever size one asks, the sizes named have the same ruling, and their neighbours are
 * outside of it or alike. */
static void a_ruling_holds_for_the_sizes_that_it_names(void **state)
{
    napcoll_rules_t *rules = read_all("allreduce nodes=3 -> tree\n"
                                      "allreduce bytes=10..20 -> nap\n"
                                      "allreduce bytes=15..30 -> smp\n"
                                      "allreduce bytes=40 -> fallback\n"
                                      "allreduce bytes=..12 op=noncommutative -> tree\n");
    napcoll_node_map_t *map = placement("2", "block", 8);
    const napcoll_call_t about = {.collective = &napcoll_allreduce, .map = map};

    (void) state;
    for (size_t bytes = 0; bytes < 60; bytes++) {
        const napcoll_ruling_t ruling = find(rules, &about, bytes);

        assert_true(ruling.least <= bytes && bytes <= ruling.most);
        for (size_t b = ruling.least; b <= ruling.most && b < 100; b++) {
            assert_ptr_equal(find(rules, &about, b).rule, ruling.rule);
        }
    }
    assert_int_equal(find(rules, &about, 25).least, 21);
    assert_int_equal(find(rules, &about, 25).most, 30);
    assert_true(SIZE_MAX == find(rules, &about, 50).most);
    napcoll_node_map_free(map);
    napcoll_rules_free(rules);
}

static void whether_sizes_must_be_known_is_known(void **state)
{
    static const struct {
        const char *text;
        napcoll_rules_scope_t scope;
        int line;
    } cases[] = {
        {"", NAPCOLL_RULES_SILENT, 0},
        {"alltoallw -> tuna\n", NAPCOLL_RULES_SILENT, 0},
        {"alltoallv nodes=3 bytes=..8 -> tuna\n", NAPCOLL_RULES_SILENT, 0},
        {"alltoallv -> tuna\n", NAPCOLL_RULES_ONE, 1},
        {"alltoallv nodes=3 -> linear\nalltoallv -> fallback\nalltoallv bytes=..8 -> tuna\n",
         NAPCOLL_RULES_ONE, 2},
        {"alltoallv -> auto\nalltoallv -> tuna\n", NAPCOLL_RULES_SILENT, 0},
        {"alltoallv bytes=..8 -> auto\n", NAPCOLL_RULES_SILENT, 0},
        {"alltoallv bytes=..8 -> auto\nalltoallv -> tuna\n", NAPCOLL_RULES_BY_SIZE, 0},
        {"alltoallv bytes=..8 -> tuna\n", NAPCOLL_RULES_BY_SIZE, 0},
        {"alltoallv bytes=..8 -> tuna\nalltoallv -> auto\n", NAPCOLL_RULES_BY_SIZE, 0},
        /* nodes of one process cannot do this one */
        {"alltoallv bytes=..8 -> tuna_coalesced\nalltoallv -> linear\n", NAPCOLL_RULES_ONE, 2},
    };
    napcoll_node_map_t *map = placement("1", "block", 10);
    const napcoll_call_t about = {.collective = &napcoll_alltoallv, .map = map};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_rules_t *rules = read_all(cases[c].text);
        const napcoll_rule_t *rule;

        assert_int_equal(napcoll_rules_scope(rules, &about, false, &rule), cases[c].scope);
        assert_int_equal(NULL == rule ? 0 : rule->line, cases[c].line);
        napcoll_rules_free(rules);
    }
    napcoll_node_map_free(map);
}

/* ---- checking ---- */

typedef struct {
    /* of the last finding of each severity */
    int line[3];
    int found[3];
    /* of the last one */
    char text[512];
} findings_t;

static void note(void *context, napcoll_rules_severity_t severity,
                 const napcoll_rules_error_t *finding)
{
    findings_t *findings = context;

    findings->found[severity]++;
    findings->line[severity] = finding->line;
    (void) snprintf(findings->text, sizeof(findings->text), "%s", finding->text);
}

static const struct {
    const char *text;
    napcoll_rules_severity_t severity;
    /* 0: nothing is found */
    int line;
    const char *word;
} checks[] = {
    {"allreduce -> nap\nallreduce nodes=2 -> x\n", NAPCOLL_RULES_ERROR, 2, "found \"x\""},
    {"allreduce -> tree\nallreduce nodes=2 bytes=8 -> smp\n", NAPCOLL_RULES_WARNING, 2,
     "never reached: the rule of line 1"},
    {"allreduce nodes=2..4 bytes=..9 -> auto\n"
     "allreduce nodes=3 bytes=8..9 op=noncommutative -> smp\n",
     NAPCOLL_RULES_WARNING, 2, "never reached"},
    {"allreduce nodes=2..4 bytes=..8 -> auto\nallreduce nodes=3 bytes=8..9 -> smp\n",
     NAPCOLL_RULES_WARNING, 0, ""},
    {"allreduce op=noncommutative -> tree\nallreduce -> smp\n", NAPCOLL_RULES_WARNING, 0, ""},
    /* the first one is not for all operations, placements, nodes */
    {"allreduce -> ring\nallreduce -> smp\n", NAPCOLL_RULES_WARNING, 0, ""},
    {"allreduce -> ring\nallreduce op=commutative -> smp\n", NAPCOLL_RULES_WARNING, 2,
     "never reached"},
    {"allreduce ppn=2.. -> nap\nallreduce ppn=2.. placement=contiguous -> smp\n",
     NAPCOLL_RULES_WARNING, 2, "never reached"},
    {"alltoall -> tuna_coalesced\nalltoall -> tuna\n", NAPCOLL_RULES_WARNING, 0, ""},
    {"bcast calls=blocking -> fallback\nbcast -> lane\n", NAPCOLL_RULES_WARNING, 0, ""},
    {"bcast -> flat\nbcast calls=requests -> nap\n", NAPCOLL_RULES_WARNING, 2, "never reached"},
    {"allgather -> recursive_doubling\nallgather nodes=1 ppn=6 -> ring\n", NAPCOLL_RULES_WARNING, 0,
     ""},
    {"allgather -> recursive_doubling\nallgather nodes=1 ppn=8 -> ring\n", NAPCOLL_RULES_WARNING, 2,
     "never reached"},
    {"allgather nodes=6 ppn=1 -> recursive_doubling\n", NAPCOLL_RULES_WARNING, 1,
     "recursive_doubling cannot do anything"},
    {"allreduce op=noncommutative -> ring\n", NAPCOLL_RULES_WARNING, 1, "ring cannot do anything"},
    {"allreduce op=noncommutative placement=scattered -> nap\n", NAPCOLL_RULES_WARNING, 1,
     "nap cannot"},
    {"allreduce ppn=1 -> nap\n", NAPCOLL_RULES_WARNING, 1, "nap cannot"},
    {"allreduce ppn=1 placement=scattered -> tree\n", NAPCOLL_RULES_WARNING, 1, "matches nothing"},
    {"barrier bytes=1.. -> nap\n", NAPCOLL_RULES_WARNING, 1, "matches nothing"},
    {"bcast bytes=..8 -> nap\nbcast bytes=100.. -> lane\n", NAPCOLL_RULES_REMARK, 1,
     "9 to 99 bytes, between this rule and line 2"},
    {"bcast bytes=100.. -> lane\nbcast bytes=..8 -> nap\n", NAPCOLL_RULES_REMARK, 2,
     "9 to 99 bytes, between this rule and line 1"},
    {"bcast bytes=..8 -> nap\nbcast bytes=9.. -> lane\n", NAPCOLL_RULES_REMARK, 0, ""},
    {"bcast bytes=..50 -> nap\nbcast bytes=9..200 -> lane\nbcast bytes=201 -> flat\n",
     NAPCOLL_RULES_REMARK, 0, ""},
    {"bcast bytes=..8 -> nap\nbcast bytes=100.. -> lane\nbcast -> fallback\n", NAPCOLL_RULES_REMARK,
     0, ""},
    {"bcast nodes=2 bytes=..8 -> nap\nbcast nodes=3 bytes=100.. -> lane\n", NAPCOLL_RULES_REMARK, 0,
     ""},
};

static void a_check_finds_rules_that_never_decide(void **state)
{
    (void) state;
    for (size_t c = 0; c < sizeof(checks) / sizeof(*checks); c++) {
        findings_t findings = {0};
        const int wrong = napcoll_rules_check(checks[c].text, strlen(checks[c].text), note,
                                              &findings);
        const bool remark = NAPCOLL_RULES_REMARK == checks[c].severity;

        if (checks[c].line != findings.line[checks[c].severity]
            || NULL == strstr(findings.text, checks[c].word)
            || wrong != (checks[c].line > 0 && !remark)) {
            fail_msg("%s: %d wrong; error in line %d, warning %d, remark %d: %s", checks[c].text,
                     wrong, findings.line[0], findings.line[1], findings.line[2], findings.text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_of_a_rule_is_read),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(zeros_long_lines_and_large_files_are_refused),
        cmocka_unit_test(other_lines_are_read_beside_mistakes),
        cmocka_unit_test(rules_read_back_as_they_are_printed),
        cmocka_unit_test(actions_are_read_alone),
        cmocka_unit_test(the_first_rule_that_matches_decides),
        cmocka_unit_test(requests_can_have_rules_of_their_own),
        cmocka_unit_test(a_rule_whose_algorithm_cannot_is_passed_over),
        cmocka_unit_test(a_ruling_holds_for_the_sizes_that_it_names),
        cmocka_unit_test(whether_sizes_must_be_known_is_known),
        cmocka_unit_test(a_check_finds_rules_that_never_decide),
    };
    return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
