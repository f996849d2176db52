/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Which rule decides (see the header).
 */

#include "select/napcoll_rules.h"

#include <stdint.h>
#include <stdlib.h>

napcoll_rule_t napcoll_rule_any(const napcoll_collective_t *collective,
                                napcoll_rule_action_t action)
{
    napcoll_rule_t rule = {.collective = collective,
                           .nodes = {0, SIZE_MAX},
                           .ppn = {0, SIZE_MAX},
                           .bytes = {0, SIZE_MAX},
                           .noncommutative = NAPCOLL_RULE_ANY,
                           .scattered = NAPCOLL_RULE_ANY,
                           .request = NAPCOLL_RULE_ANY,
                           .action = action,
                           .algorithm = -1};

    for (int t = 0; t < NAPCOLL_MAX_TUNABLES; t++) {
        rule.tunable[t] = NAPCOLL_RULE_UNSET;
    }
    return rule;
}

bool napcoll_rule_takes_segments(const napcoll_algorithm_t *algorithm)
{
    return algorithm->segmented && napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_SEGMENTS) < 0;
}

bool napcoll_rule_has_tunables(const napcoll_rule_t *rule)
{
    bool has = rule->local_radix > 0 || rule->segments > 0 || rule->inline_bytes > 0;

    for (int t = 0; t < NAPCOLL_MAX_TUNABLES; t++) {
        has = has || NAPCOLL_RULE_UNSET != rule->tunable[t];
    }
    return has;
}

void napcoll_rules_free(napcoll_rules_t *rules)
{
    if (NULL != rules) {
        free(rules->rule);
        free(rules);
    }
}

static bool has(const napcoll_rule_range_t *range, size_t number)
{
    return number >= range->least && number <= range->most;
}

static bool fits(napcoll_rule_whether_t wanted, bool is)
{
    return NAPCOLL_RULE_ANY == wanted || is == (NAPCOLL_RULE_YES == wanted);
}

/* Whether a rule is on such calls, of some size. */
static bool is_on(const napcoll_rule_t *rule, const napcoll_call_t *call)
{
    return rule->collective == call->collective && has(&rule->nodes, (size_t) call->map->nodes)
           && has(&rule->ppn, (size_t) call->map->max_ppn)
           && fits(rule->noncommutative, call->noncommutative)
           && fits(rule->scattered, !call->map->contiguous) && fits(rule->request, call->request);
}

/* Why a rule's algorithm cannot do a call; NONE for other actions. */
static napcoll_reason_t refusal(const napcoll_rule_t *rule, const napcoll_call_t *call,
                                bool reproducible)
{
    const napcoll_params_t params = {
        .noncommutative = call->noncommutative,
        .in_place = call->in_place,
        .root = call->root,
        .reproducible = reproducible && napcoll_goal_reduces(call->collective->goal)};

    return NAPCOLL_RULE_ALGORITHM != rule->action
               ? NAPCOLL_REASON_NONE
               : napcoll_algorithm_eligible(napcoll_algorithm_at(rule->collective, rule->algorithm),
                                            call->map, &params);
}

/* Keep the sizes of a ruling on which a rule says the same as on `bytes`. Returns whether it is on
 * `bytes`. */
static bool narrow(napcoll_ruling_t *ruling, const napcoll_rule_range_t *range, size_t bytes)
{
    size_t least = range->least, most = range->most;
    const bool is_within = has(range, bytes);

    if (bytes < range->least) {
        least = 0;
        most = range->least - 1;
    } else if (bytes > range->most) {
        least = range->most + 1;
        most = SIZE_MAX;
    }
    ruling->least = ruling->least > least ? ruling->least : least;
    ruling->most = ruling->most < most ? ruling->most : most;
    return is_within;
}

napcoll_ruling_t napcoll_rules_find(const napcoll_rules_t *rules, const napcoll_call_t *call,
                                    bool reproducible)
{
    napcoll_ruling_t ruling = {.most = SIZE_MAX, .reason = NAPCOLL_REASON_NONE};

    for (int i = 0; NULL != rules && i < rules->rules; i++) {
        const napcoll_rule_t *rule = &rules->rule[i];
        napcoll_reason_t reason;

        if (!is_on(rule, call) || !narrow(&ruling, &rule->bytes, call->bytes)) {
            continue;
        }
        reason = refusal(rule, call, reproducible);
        if (NAPCOLL_REASON_NONE == reason) {
            ruling.rule = rule;
            break;
        }
        if (NULL == ruling.passed) {
            ruling.passed = rule;
            ruling.reason = reason;
        }
    }
    return ruling;
}

napcoll_rules_scope_t napcoll_rules_scope(const napcoll_rules_t *rules, const napcoll_call_t *call,
                                          bool reproducible, const napcoll_rule_t **rule)
{
    bool sized = false, other = false;

    *rule = NULL;
    for (int i = 0; NULL != rules && i < rules->rules; i++) {
        const napcoll_rule_t *at = &rules->rule[i];

        if (!is_on(at, call) || NAPCOLL_REASON_NONE != refusal(at, call, reproducible)) {
            continue;
        }
        other = other || NAPCOLL_RULE_AUTO != at->action;
        if (0 == at->bytes.least && SIZE_MAX == at->bytes.most) {
            if (!sized && other) {
                *rule = at;
                return NAPCOLL_RULES_ONE;
            }
            break;
        }
        sized = true;
    }
    return sized && other ? NAPCOLL_RULES_BY_SIZE : NAPCOLL_RULES_SILENT;
}

bool napcoll_rules_tell_requests(const napcoll_rules_t *rules)
{
    for (int i = 0; NULL != rules && i < rules->rules; i++) {
        if (NAPCOLL_RULE_ANY != rules->rule[i].request) {
            return true;
        }
    }
    return false;
}
