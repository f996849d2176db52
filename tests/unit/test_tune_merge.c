/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The rules that follow from what napcoll-tune has compared, and what is left of older ones.
 */

#include "cmocka_setup.h"

#include "tune/napcoll_tune_cases.h"
#include "common/napcoll_names.h"

enum { KEPT = -2, FALLBACK = -1, TURNS = 6 };

static const tune_shape_t shape = {.nodes = 8, .ppn = 5};

/* A case that `winner` wins, a row of the collective, FALLBACK or KEPT, for bytes least to most. */
static tune_case_t case_of(const napcoll_collective_t *collective, int size, int winner,
                           size_t least, size_t most)
{
    tune_case_t c = {.collective = collective,
                     .size = size,
                     .bytes = most,
                     .range = {.least = least, .most = most},
                     .contestants = 2,
                     .contestant = {{.action = "auto's"}, {.action = "winner"}},
                     .turns = TURNS,
                     .best = KEPT == winner ? 0 : 1};

    c.contestant[0].time.median = 2e-6;
    c.contestant[1].time.median = 1e-6;
    c.contestant[1].rule = napcoll_rule_any(
        collective, FALLBACK == winner ? NAPCOLL_RULE_FALLBACK : NAPCOLL_RULE_ALGORITHM);
    c.contestant[1].rule.algorithm = winner;
    c.contestant[1].rule.request = FALLBACK == winner ? NAPCOLL_RULE_NO : NAPCOLL_RULE_ANY;
    return c;
}

/* The rules of cases as text, without comments. The caller frees it. */
static char *text_of(const tune_case_t *list, int cases, bool again)
{
    tune_rule_t rules[TUNE_CASES];
    const int count = tune_make_rules(list, cases, &shape, again, rules);
    char *printed = NULL, *to;
    size_t length;
    FILE *out = open_memstream(&printed, &length);
    bool comment = false;

    assert_non_null(out);
    tune_print_rules(rules, count, out);
    assert_int_equal(fclose(out), 0);
    to = printed;
    for (const char *from = printed; '\0' != *from; from++) {
        comment = comment || '#' == *from;
        if (!comment) {
            *to++ = *from;
        }
        comment = comment && '\n' != *from;
    }
    *to = '\0';
    return printed;
}

static void expect_rules(const tune_case_t *list, int cases, bool again, const char *expected)
{
    char *text = text_of(list, cases, again);

    assert_string_equal(text, expected);
    free(text);
}

/* In any order of cases. Both shapes and sizes of a winner of several sizes are ranges. */
static void neighbours_with_one_winner_make_one_rule(void **state)
{
    const int flat = napcoll_algorithm_find(&napcoll_bcast, "flat");
    const tune_case_t list[] = {case_of(&napcoll_bcast, 1, flat, 65, 1448),
                                case_of(&napcoll_bcast, 0, flat, 0, 64),
                                case_of(&napcoll_bcast, 2, FALLBACK, 1449, 11585),
                                case_of(&napcoll_bcast, 3, KEPT, 11586, 92681)};

    (void) state;
    expect_rules(list, 4, false,
                 "bcast nodes=4..16 ppn=3..10 bytes=..1448 -> flat\n"
                 "bcast nodes=8 ppn=5 bytes=1449..11585 calls=blocking -> fallback\n");
}

/* A size without a winner, one with too few turns, and one that thresholds cut off are between. */
static void other_sizes_are_not_bridged(void **state)
{
    const int flat = napcoll_algorithm_find(&napcoll_bcast, "flat");
    tune_case_t list[] = {case_of(&napcoll_bcast, 0, flat, 0, 64),
                          case_of(&napcoll_bcast, 1, KEPT, 65, 1448),
                          case_of(&napcoll_bcast, 2, flat, 1449, 11585),
                          case_of(&napcoll_bcast, 3, flat, 20000, 92681)};
    static const char apart[] = "bcast nodes=8 ppn=5 bytes=..64 -> flat\n"
                                "bcast nodes=8 ppn=5 bytes=1449..11585 -> flat\n"
                                "bcast nodes=8 ppn=5 bytes=20000..92681 -> flat\n";

    (void) state;
    expect_rules(list, 4, false, apart);
    list[1].best = 1;
    list[1].turns = TURNS - 1;
    list[1].contestant[1].rule.algorithm = flat;
    expect_rules(list, 4, false, apart);
}

/* New rules stand before older ones, so sizes where auto's choice is kept need a rule, too. */
static void kept_sizes_overrule_older_rules(void **state)
{
    const tune_case_t kept = case_of(&napcoll_bcast, 3, KEPT, 11586, 92681);

    (void) state;
    expect_rules(&kept, 1, false, "");
    expect_rules(&kept, 1, true, "bcast nodes=8 ppn=5 bytes=11586..92681 -> auto\n");
}

/* Where processes do not know all sizes, a rule on sizes would make them agree in every call. */
static void untold_sizes_have_one_rule_or_none(void **state)
{
    const int linear = napcoll_algorithm_find(&napcoll_gatherv, "linear");
    tune_case_t list[] = {case_of(&napcoll_gatherv, 0, linear, 0, 64),
                          case_of(&napcoll_gatherv, 1, linear, 65, 1448)};

    (void) state;
    list[0].untold = list[1].untold = true;
    expect_rules(list, 2, false, "gatherv nodes=4..16 ppn=3..10 -> linear\n");
    /* there was no time for one size; thresholds warn of one size */
    list[1].turns = 0;
    expect_rules(list, 2, true, "");
    list[1].skipped = true;
    expect_rules(list, 2, false, "");
    expect_rules(list, 2, true, "gatherv nodes=8 ppn=5 -> auto\n");
    list[1].skipped = false;
    list[1].turns = TURNS;
    list[1].best = 0;
    expect_rules(list, 2, false, "");
    expect_rules(list, 2, true, "gatherv nodes=8 ppn=5 -> auto\n");
}

/* Small blocks go through leaders with success, larger ones do not: the rule says up to which. */
static void forwarding_ends_where_direct_messages_win(void **state)
{
    const int linear = napcoll_algorithm_find(&napcoll_gatherv, "linear");
    const int two_level = napcoll_algorithm_find(&napcoll_gatherv, "two_level");
    tune_case_t list[] = {case_of(&napcoll_gatherv, 0, KEPT, 0, 64),
                          case_of(&napcoll_gatherv, 1, KEPT, 65, 1448),
                          case_of(&napcoll_gatherv, 2, linear, 1449, 11585),
                          case_of(&napcoll_gatherv, 3, FALLBACK, 11586, 46340)};

    (void) state;
    for (int i = 0; i < 4; i++) {
        list[i].untold = true;
        list[i].contestant[0].rule = napcoll_rule_any(&napcoll_gatherv, NAPCOLL_RULE_ALGORITHM);
        list[i].contestant[0].rule.algorithm = two_level;
        list[i].contestant[0].rule.inline_bytes = 4096;
    }
    expect_rules(list, 4, false, "gatherv nodes=4..16 ppn=3..10 -> two_level inline_bytes=1448\n");
    /* the size between is not known */
    list[1].turns = 0;
    list[1].skipped = true;
    expect_rules(list, 4, false, "gatherv nodes=4..16 ppn=3..10 -> two_level inline_bytes=64\n");
    list[1].skipped = false;
    list[1].turns = TURNS;
    /* large blocks, too */
    list[3].best = 0;
    expect_rules(list, 4, false, "");
    list[3].best = 1;
    /* auto forwards nothing */
    list[1].contestant[0].rule.inline_bytes = 0;
    expect_rules(list, 4, false, "");
}

/* What is left of `text` when a rule on the measured shape comes before it, by a case of these
 * bytes that `winner` wins. */
static void expect_behind(int winner, const char *text, size_t least, size_t most,
                          const char *expected, int left_out)
{
    const tune_case_t newer = case_of(&napcoll_bcast, 1, winner, least, most);
    tune_rule_t rules[TUNE_CASES];
    const int count = tune_make_rules(&newer, 1, &shape, true, rules);
    char *printed = NULL;
    size_t length;
    FILE *out = open_memstream(&printed, &length);

    assert_non_null(out);
    assert_int_equal(tune_print_older(text, strlen(text), rules, count, out), left_out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(printed, expected);
    free(printed);
}

static void expect_older(const char *text, size_t least, size_t most, const char *expected,
                         int left_out)
{
    expect_behind(KEPT, text, least, most, expected, left_out);
}

/* A fallback that has won is for blocking calls: an older rule for all calls still decides on
 * requests. */
static void older_rules_stay_for_requests(void **state)
{
    static const char all[] = "bcast nodes=8 ppn=5 bytes=..64 -> nap\n";

    (void) state;
    expect_behind(FALLBACK, all, 0, 64, all, 0);
    expect_behind(FALLBACK, "bcast nodes=8 ppn=5 bytes=..64 calls=blocking -> nap\n", 0, 64, "", 1);
}

static void older_rules_that_cannot_match_go(void **state)
{
    static const char text[] = "# the owner's\n"
                               "bcast nodes=8 ppn=5 bytes=0..64 -> nap\n"
                               "\n"
                               "# 512 bytes: 1.0 us by flat\n"
                               "# 4096 bytes: 1.0 us by flat\n"
                               "bcast nodes=8 ppn=5 bytes=65..1448 -> flat\n"
                               "# 512 bytes: 1.0 us by nap\n"
                               "scan nodes=8 ppn=5 bytes=65..1448 -> nap\n"
                               "bcast -> lane # the rest";

    (void) state;
    expect_older(text, 66, 1448, text, 0);
    expect_older(text, 65, 1448,
                 "# the owner's\nbcast nodes=8 ppn=5 bytes=0..64 -> nap\n\n"
                 "# 512 bytes: 1.0 us by nap\nscan nodes=8 ppn=5 bytes=65..1448 -> nap\n"
                 "bcast -> lane # the rest",
                 1);
    /* the owner's comments stay */
    expect_older("# the owner's\nbcast nodes=8 ppn=5 bytes=9 -> nap\nscan -> nap\n", 0, 64,
                 "# the owner's\nscan -> nap\n", 1);
    expect_older("bcast ->", 0, 64, "", -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_with_one_winner_make_one_rule),
        cmocka_unit_test(other_sizes_are_not_bridged),
        cmocka_unit_test(kept_sizes_overrule_older_rules),
        cmocka_unit_test(untold_sizes_have_one_rule_or_none),
        cmocka_unit_test(forwarding_ends_where_direct_messages_win),
        cmocka_unit_test(older_rules_that_cannot_match_go),
        cmocka_unit_test(older_rules_stay_for_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
