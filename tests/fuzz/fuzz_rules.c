/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Fuzz target for rules files: no input crashes the reader, the check or the look-up, an
 * error says where and what in plain letters, what is accepted reads back the same from its printed
 * form, and a ruling holds for the sizes it names.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"

#include "common/napcoll_rule_write.h"
#include "plan/napcoll_rules_check.h"

static void demand_error(const napcoll_rules_error_t *error)
{
    demand_text(error->line, error->column, error->text, sizeof(error->text));
}

/* What the check found. */
typedef struct {
    int errors;
    int warnings;
} found_t;

static void hear(void *context, napcoll_rules_severity_t severity,
                 const napcoll_rules_error_t *finding)
{
    found_t *found = context;

    demand_error(finding);
    demand(finding->line > 0 || NAPCOLL_RULES_ERROR == severity);
    found->errors += NAPCOLL_RULES_ERROR == severity;
    found->warnings += NAPCOLL_RULES_WARNING == severity;
}

static void demand_same(const napcoll_rule_t *a, const napcoll_rule_t *b)
{
    demand(a->collective == b->collective && a->action == b->action);
    demand(a->nodes.least == b->nodes.least && a->nodes.most == b->nodes.most);
    demand(a->ppn.least == b->ppn.least && a->ppn.most == b->ppn.most);
    demand(a->bytes.least == b->bytes.least && a->bytes.most == b->bytes.most);
    demand(a->noncommutative == b->noncommutative && a->scattered == b->scattered);
    demand(a->algorithm == b->algorithm && a->local_radix == b->local_radix);
    demand(a->segments == b->segments);
    demand(0 == memcmp(a->tunable, b->tunable, sizeof(a->tunable)));
}

static void demand_printed(const napcoll_rules_t *rules)
{
    napcoll_rules_error_t error;
    napcoll_rules_t *again;
    char *printed = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&printed, &length);

    demand(NULL != out);
    for (int i = 0; i < rules->rules; i++) {
        demand(0 == napcoll_rule_print(&rules->rule[i], out));
    }
    demand(0 == fclose(out));
    demand(0 == napcoll_rules_parse(printed, length, &again, &error));
    demand(again->rules == rules->rules);
    for (int i = 0; i < rules->rules; i++) {
        demand_same(&rules->rule[i], &again->rule[i]);
    }
    free(printed);
    napcoll_rules_free(again);
}

static napcoll_ruling_t find(const napcoll_rules_t *rules, napcoll_call_t *call, size_t bytes)
{
    call->bytes = bytes;
    return napcoll_rules_find(rules, call, false);
}

/* Every number of bytes at which a ruling ends has the same one, and so has the other end. */
static void demand_rulings(const napcoll_rules_t *rules, const napcoll_collective_t *collective)
{
    const napcoll_node_map_t map = {
        .size = 8, .nodes = 4, .min_ppn = 2, .max_ppn = 2, .contiguous = true, .local_node = -1};
    napcoll_call_t call = {.collective = collective, .map = &map};
    const napcoll_rule_t *one;
    const napcoll_rules_scope_t scope = napcoll_rules_scope(rules, &call, false, &one);
    size_t bytes = 0;

    demand((NAPCOLL_RULES_ONE == scope) == (NULL != one));
    for (int step = 0; step < 64; step++) {
        const napcoll_ruling_t ruling = find(rules, &call, bytes);

        demand(ruling.least <= bytes && bytes <= ruling.most);
        demand(ruling.rule == find(rules, &call, ruling.least).rule);
        demand(ruling.rule == find(rules, &call, ruling.most).rule);
        demand(NAPCOLL_RULES_ONE != scope || ruling.rule == one);
        demand(NAPCOLL_RULES_SILENT != scope || NULL == ruling.rule
               || NAPCOLL_RULE_AUTO == ruling.rule->action);
        if (SIZE_MAX == ruling.most) {
            return;
        }
        bytes = ruling.most + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *) data;
    napcoll_rules_error_t error = {.line = -1};
    napcoll_rules_t *rules;
    found_t found = {0};
    const int wrong = napcoll_rules_check(text, size, hear, &found);

    demand(wrong == found.errors + found.warnings);
    if (0 != napcoll_rules_parse(text, size, &rules, &error)) {
        demand(NULL == rules && found.errors > 0);
        demand_error(&error);
        return 0;
    }
    demand(0 == found.errors && rules->rules <= NAPCOLL_MOST_RULES);
    demand_printed(rules);
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        demand_rulings(rules, napcoll_collectives[c]);
    }
    napcoll_rules_free(rules);
    return 0;
}
