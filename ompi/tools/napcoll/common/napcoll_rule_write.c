/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Making, comparing and writing rules (see the header).
 */

#include "common/napcoll_rule_write.h"

#include <stdint.h>

void napcoll_rule_pin(napcoll_rule_t *rule, int row, const napcoll_params_t *params)
{
    const napcoll_algorithm_t *algorithm = napcoll_algorithm_at(rule->collective, row);

    rule->action = NAPCOLL_RULE_ALGORITHM;
    rule->algorithm = row;
    rule->local_radix = algorithm->radix ? params->local_radix : 0;
    rule->segments = napcoll_rule_takes_segments(algorithm) ? params->segments : 0;
    for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
        rule->tunable[t] = NAPCOLL_TUNES_SEGMENTS == algorithm->tunable[t].tunes
                               ? params->segments
                               : params->tunable[t];
    }
}

bool napcoll_rule_range_has(const napcoll_rule_range_t *outer, const napcoll_rule_range_t *inner)
{
    return outer->least <= inner->least && outer->most >= inner->most;
}

static bool allows(napcoll_rule_whether_t outer, napcoll_rule_whether_t inner)
{
    return NAPCOLL_RULE_ANY == outer || outer == inner;
}

bool napcoll_rule_is_wider(const napcoll_rule_t *outer, const napcoll_rule_t *inner)
{
    return outer->collective == inner->collective
           && napcoll_rule_range_has(&outer->nodes, &inner->nodes)
           && napcoll_rule_range_has(&outer->ppn, &inner->ppn)
           && allows(outer->noncommutative, inner->noncommutative)
           && allows(outer->scattered, inner->scattered) && allows(outer->request, inner->request);
}

bool napcoll_rule_covers(const napcoll_rule_t *outer, const napcoll_rule_t *inner)
{
    return napcoll_rule_is_wider(outer, inner)
           && napcoll_rule_range_has(&outer->bytes, &inner->bytes);
}

/* With the largest of the suffixes that divides the number, where sizes may have one. */
static void print_number(size_t number, bool scaled, FILE *out)
{
    static const char suffix[] = "KMG";
    int power = 0;

    while (scaled && power < 3 && number > 0 && 0 == number % 1024) {
        number /= 1024;
        power++;
    }
    fprintf(out, "%zu", number);
    if (power > 0) {
        fputc(suffix[power - 1], out);
    }
}

static void print_range(const char *key, const napcoll_rule_range_t *range, bool scaled, FILE *out)
{
    if (0 == range->least && SIZE_MAX == range->most) {
        return;
    }
    fprintf(out, " %s=", key);
    if (range->least > 0 || 0 == range->most) {
        print_number(range->least, scaled, out);
    }
    if (range->least == range->most) {
        return;
    }
    fputs("..", out);
    if (range->most < SIZE_MAX) {
        print_number(range->most, scaled, out);
    }
}

static void print_tunables(const napcoll_rule_t *rule, FILE *out)
{
    const napcoll_tunable_t *tunable =
        napcoll_algorithm_at(rule->collective, rule->algorithm)->tunable;

    if (rule->local_radix > 0) {
        fprintf(out, " local_radix=%d", rule->local_radix);
    }
    if (rule->inline_bytes > 0) {
        fprintf(out, " inline_bytes=%d", rule->inline_bytes);
    }
    if (rule->segments > 0) {
        fprintf(out, " segments=%d", rule->segments);
    }
    for (int t = 0; NULL != tunable[t].name; t++) {
        const int value = rule->tunable[t];

        if (NAPCOLL_RULE_UNSET == value) {
            continue;
        }
        if (NULL == tunable[t].names) {
            fprintf(out, " %s=%d", tunable[t].name, value);
        } else {
            fprintf(out, " %s=%s", tunable[t].name,
                    0 == value ? "auto" : tunable[t].names[value - 1]);
        }
    }
}

void napcoll_rule_print_action(const napcoll_rule_t *rule, FILE *out)
{
    if (NAPCOLL_RULE_ALGORITHM != rule->action) {
        fputs(NAPCOLL_RULE_AUTO == rule->action ? "auto" : "fallback", out);
        return;
    }
    fputs(napcoll_algorithm_at(rule->collective, rule->algorithm)->name, out);
    print_tunables(rule, out);
}

int napcoll_rule_print(const napcoll_rule_t *rule, FILE *out)
{
    fputs(rule->collective->name, out);
    print_range("nodes", &rule->nodes, false, out);
    print_range("ppn", &rule->ppn, false, out);
    print_range("bytes", &rule->bytes, true, out);
    if (NAPCOLL_RULE_ANY != rule->noncommutative) {
        fprintf(out, " op=%s",
                NAPCOLL_RULE_YES == rule->noncommutative ? "noncommutative" : "commutative");
    }
    if (NAPCOLL_RULE_ANY != rule->scattered) {
        fprintf(out, " placement=%s",
                NAPCOLL_RULE_YES == rule->scattered ? "scattered" : "contiguous");
    }
    if (NAPCOLL_RULE_ANY != rule->request) {
        fprintf(out, " calls=%s", NAPCOLL_RULE_YES == rule->request ? "requests" : "blocking");
    }
    fputs(" -> ", out);
    napcoll_rule_print_action(rule, out);
    fputc('\n', out);
    return ferror(out) ? -1 : 0;
}
