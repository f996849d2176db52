/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Checking rules (see the header).
 */

#include "common/napcoll_rule_write.h"
#include "plan/napcoll_rules_check.h"

#include <stdarg.h>
#include <stdint.h>

typedef struct {
    const napcoll_rules_t *rules;
    napcoll_rules_tell_t tell;
    void *context;
    int warnings;
} check_t;

static bool tell_error(void *context, const napcoll_rules_error_t *error)
{
    check_t *check = context;

    check->tell(check->context, NAPCOLL_RULES_ERROR, error);
    return true;
}

__attribute__((format(printf, 4, 5))) static void tell(check_t *check,
                                                       napcoll_rules_severity_t severity,
                                                       const napcoll_rule_t *rule,
                                                       const char *format, ...)
{
    napcoll_rules_error_t finding = {.line = rule->line};
    va_list args;

    va_start(args, format);
    (void) vsnprintf(finding.text, sizeof(finding.text), format, args);
    va_end(args);
    check->warnings += NAPCOLL_RULES_WARNING == severity;
    check->tell(check->context, severity, &finding);
}

/* ---- what holds for all calls that a rule matches ---- */

typedef enum { NEVER = -1, PERHAPS, ALWAYS } sure_t;

static sure_t sure(bool always, bool never)
{
    if (always) {
        return ALWAYS;
    }
    return never ? NEVER : PERHAPS;
}

/* One node, or one rank on each node. */
static bool is_flat(const napcoll_rule_t *rule)
{
    return 1 == rule->nodes.most || 1 == rule->ppn.most;
}

static sure_t is_contiguous(const napcoll_rule_t *rule)
{
    return sure(NAPCOLL_RULE_NO == rule->scattered || is_flat(rule),
                NAPCOLL_RULE_YES == rule->scattered);
}

static sure_t is_commutative(const napcoll_rule_t *rule)
{
    return sure(NAPCOLL_RULE_NO == rule->noncommutative
                    || !napcoll_goal_reduces(rule->collective->goal),
                NAPCOLL_RULE_YES == rule->noncommutative);
}

/* Whether the number of ranks is a power of two. It is known on one node, or with one rank on
 * each. */
static sure_t is_power_of_two(const napcoll_rule_t *rule)
{
    const napcoll_rule_range_t *ranks = 1 == rule->nodes.most ? &rule->ppn : &rule->nodes;

    if (!is_flat(rule) || ranks->least != ranks->most) {
        return PERHAPS;
    }
    return 0 == (ranks->most & (ranks->most - 1)) ? ALWAYS : NEVER;
}

/* Whether one need of algorithms is met. */
static sure_t is_met(napcoll_needs_t need, const napcoll_rule_t *rule)
{
    const sure_t contiguous = is_contiguous(rule), commutative = is_commutative(rule);

    switch (need) {
    case NAPCOLL_NEEDS_SHARED_NODE:
        return sure(rule->ppn.least > 1, 1 == rule->ppn.most);
    case NAPCOLL_NEEDS_NODE_ORDER:
        return sure(ALWAYS == contiguous || ALWAYS == commutative,
                    NEVER == contiguous && NEVER == commutative);
    case NAPCOLL_NEEDS_COMMUTATIVE:
        return commutative;
    case NAPCOLL_NEEDS_CONTIGUOUS:
        return contiguous;
    case NAPCOLL_NEEDS_POWER_OF_TWO:
        return is_power_of_two(rule);
    default:
        return ALWAYS;
    }
}

/* Whether the algorithm of a rule can do the calls that another rule matches. */
static sure_t is_able(const napcoll_rule_t *rule, const napcoll_rule_t *on)
{
    static const napcoll_needs_t all[] = {NAPCOLL_NEEDS_SHARED_NODE, NAPCOLL_NEEDS_NODE_ORDER,
                                          NAPCOLL_NEEDS_COMMUTATIVE, NAPCOLL_NEEDS_CONTIGUOUS,
                                          NAPCOLL_NEEDS_POWER_OF_TWO};
    sure_t able = ALWAYS;

    if (NAPCOLL_RULE_ALGORITHM != rule->action) {
        return ALWAYS;
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (0 != (napcoll_algorithm_at(rule->collective, rule->algorithm)->needs & all[i])) {
            const sure_t met = is_met(all[i], on);

            able = met < able ? met : able;
        }
    }
    return able;
}

static bool is_empty(const napcoll_rule_t *rule)
{
    return (NAPCOLL_RULE_YES == rule->scattered && is_flat(rule))
           || (NAPCOLL_GOAL_BARRIER == rule->collective->goal && rule->bytes.least > 0);
}

/* ---- two rules ---- */

/* The earlier rule that covers a rule, or NULL. */
static const napcoll_rule_t *covered_by(const napcoll_rules_t *rules, const napcoll_rule_t *rule)
{
    for (const napcoll_rule_t *earlier = rules->rule; earlier < rule; earlier++) {
        if (napcoll_rule_covers(earlier, rule) && ALWAYS == is_able(earlier, rule)) {
            return earlier;
        }
    }
    return NULL;
}

/* ---- gaps ---- */

static bool is_on_the_same(const napcoll_rule_t *a, const napcoll_rule_t *b)
{
    return napcoll_rule_is_wider(a, b) && napcoll_rule_is_wider(b, a);
}

/* Whether a rule for all of these calls covers the gap. */
static bool is_filled(const napcoll_rules_t *rules, const napcoll_rule_t *rule,
                      const napcoll_rule_range_t *gap)
{
    for (int i = 0; i < rules->rules; i++) {
        if (napcoll_rule_is_wider(&rules->rule[i], rule)
            && napcoll_rule_range_has(&rules->rule[i].bytes, gap)) {
            return true;
        }
    }
    return false;
}

/* Remark on sizes between a rule and the next larger one for the same calls that no rule covers. */
static void check_gap(check_t *check, const napcoll_rule_t *rule)
{
    const napcoll_rules_t *rules = check->rules;
    const napcoll_rule_t *next = NULL;
    napcoll_rule_range_t gap;

    for (int i = 0; i < rules->rules; i++) {
        const napcoll_rule_t *other = &rules->rule[i];

        if (other == rule || !is_on_the_same(rule, other)) {
            continue;
        }
        if (other->bytes.least <= rule->bytes.most) {
            if (other->bytes.most > rule->bytes.most
                || (other < rule && other->bytes.most == rule->bytes.most)) {
                /* It goes on from here; or the other one was asked */
                return;
            }
        } else if (NULL == next || other->bytes.least < next->bytes.least) {
            next = other;
        }
    }
    if (NULL == next || next->bytes.least == rule->bytes.most + 1) {
        return;
    }
    gap = (napcoll_rule_range_t){rule->bytes.most + 1, next->bytes.least - 1};
    if (!is_filled(rules, rule, &gap)) {
        tell(
            check, NAPCOLL_RULES_REMARK, rule,
            "%s of %zu to %zu bytes, between this rule and line %d: no rule covers them, the model "
            "decides",
            rule->collective->name, gap.least, gap.most, next->line);
    }
}

/* ---- all ---- */

static void check_rule(check_t *check, const napcoll_rule_t *rule)
{
    const napcoll_rule_t *earlier;

    if (is_empty(rule)) {
        tell(check, NAPCOLL_RULES_WARNING, rule,
             NAPCOLL_GOAL_BARRIER == rule->collective->goal && rule->bytes.least > 0
                 ? "this rule matches nothing: a barrier has 0 bytes"
                 : "this rule matches nothing: ranks are never scattered on one node, or with one "
                   "rank on each");
        return;
    }
    if (NEVER == is_able(rule, rule)) {
        tell(check, NAPCOLL_RULES_WARNING, rule,
             "this rule never decides: %s cannot do anything that it matches; expected another "
             "algorithm, or other conditions",
             napcoll_algorithm_at(rule->collective, rule->algorithm)->name);
        return;
    }
    earlier = covered_by(check->rules, rule);
    if (NULL != earlier) {
        tell(
            check, NAPCOLL_RULES_WARNING, rule,
            "this rule is never reached: the rule of line %d matches the same calls; expected only "
            "one of them, or this one first",
            earlier->line);
    }
}

int napcoll_rules_check(const char *text, size_t length, napcoll_rules_tell_t tell_caller,
                        void *context)
{
    check_t check = {.tell = tell_caller, .context = context};
    napcoll_rules_t *rules;
    const int mistakes = napcoll_rules_parse_all(text, length, &rules, tell_error, &check);

    if (mistakes < 0) {
        return -1;
    }
    check.rules = rules;
    for (int i = 0; i < rules->rules; i++) {
        check_rule(&check, &rules->rule[i]);
    }
    for (int i = 0; i < rules->rules; i++) {
        check_gap(&check, &rules->rule[i]);
    }
    napcoll_rules_free(rules);
    return mistakes + check.warnings;
}
