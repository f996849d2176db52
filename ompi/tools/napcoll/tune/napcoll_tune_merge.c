/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "tune/napcoll_tune_cases.h"

#include <string.h>

#include "common/napcoll_rule_write.h"
#include "common/napcoll_robust.h"

/* ---- making rules ---- */

static bool is_judged(const tune_case_t *c)
{
    return c->turns >= NAPCOLL_ROBUST_LEAST_TURNS;
}

/* What a case says: the winner's rule, or auto. */
static napcoll_rule_t verdict_of(const tune_case_t *c)
{
    return 0 == c->best || !is_judged(c) ? napcoll_rule_any(c->collective, NAPCOLL_RULE_AUTO)
                                         : c->contestant[c->best].rule;
}

static bool is_same(const napcoll_rule_t *one, const napcoll_rule_t *other)
{
    return one->action == other->action && one->algorithm == other->algorithm
           && 0 == memcmp(one->tunable, other->tunable, sizeof(one->tunable));
}

/* The cases of a collective, ascending by size. */
static int cases_of(const tune_case_t *list, int cases, const napcoll_collective_t *collective,
                    const tune_case_t **found)
{
    int count = 0;

    for (int size = 0; size < TUNE_SIZES; size++) {
        for (int i = 0; i < cases; i++) {
            if (list[i].collective == collective && list[i].size == size) {
                found[count++] = &list[i];
            }
        }
    }
    return count;
}

/* Set the shapes that a rule is for. Rules for auto are as narrow as the measurement. */
static void set_shape(tune_rule_t *rule, const tune_shape_t *shape)
{
    const bool wide = rule->cases > 1 && NAPCOLL_RULE_AUTO != rule->rule.action;
    const size_t least_nodes = (shape->nodes + 1) / 2, factor = wide ? 2 : 1;

    rule->rule.nodes.least = wide ? least_nodes : shape->nodes;
    if (rule->rule.nodes.least < 2) {
        rule->rule.nodes.least = 2;
    }
    rule->rule.nodes.most = factor * shape->nodes;
    rule->rule.ppn.least = wide ? (shape->ppn + 1) / 2 : shape->ppn;
    rule->rule.ppn.most = factor * shape->ppn;
}

static bool is_direct(const napcoll_rule_t *rule)
{
    return NAPCOLL_RULE_FALLBACK == rule->action
           || (NAPCOLL_RULE_ALGORITHM == rule->action
               && !rule->collective->algorithm[rule->algorithm].store_and_forward);
}

/* Where auto forwards small blocks with success, and messages straight to their ranks are faster
 * for all larger ones: auto's algorithm with the limit between the two. Else auto. */
static napcoll_rule_t limited(const tune_case_t *const *about, int count)
{
    napcoll_rule_t rule = napcoll_rule_any(about[0]->collective, NAPCOLL_RULE_AUTO);
    int kept = 0;

    while (kept < count && NAPCOLL_RULE_AUTO == verdict_of(about[kept]).action) {
        kept++;
    }
    for (int i = kept; i < count; i++) {
        const napcoll_rule_t verdict = verdict_of(about[i]);

        if (!is_direct(&verdict)) {
            return rule;
        }
    }
    if (kept > 0 && about[kept - 1]->contestant[0].rule.inline_bytes > 0) {
        rule = about[kept - 1]->contestant[0].rule;
        rule.inline_bytes = (int) about[kept - 1]->range.most;
    }
    return rule;
}

/* One rule for all sizes, if all of them were measured. A size that was skipped is auto's. */
static int make_one(const tune_case_t *const *found, int count, tune_rule_t *rule)
{
    bool same = true;

    *rule = (tune_rule_t){.rule = verdict_of(found[0])};
    for (int i = 0; i < count; i++) {
        const napcoll_rule_t verdict = verdict_of(found[i]);

        if (!is_judged(found[i]) && !found[i]->skipped) {
            return 0;
        }
        same = same && is_same(&verdict, &rule->rule);
        if (!found[i]->skipped) {
            rule->about[rule->cases++] = found[i];
        }
    }
    if (!same) {
        rule->rule = limited(rule->about, rule->cases);
    }
    return rule->cases > 0;
}

/* A rule for each run of neighbouring sizes with the same verdict. */
static int make_by_size(const tune_case_t *const *found, int count, tune_rule_t *rules)
{
    int made = 0;

    for (int i = 0; i < count; i++) {
        const napcoll_rule_t verdict = verdict_of(found[i]);
        tune_rule_t *before = made > 0 ? &rules[made - 1] : NULL;

        if (!is_judged(found[i])) {
            continue;
        }
        if (NULL == before || !is_same(&verdict, &before->rule)
            || before->rule.bytes.most + 1 != found[i]->range.least) {
            before = &rules[made++];
            *before = (tune_rule_t){.rule = verdict};
            before->rule.bytes.least = found[i]->range.least;
        }
        before->rule.bytes.most = found[i]->range.most;
        before->about[before->cases++] = found[i];
    }
    return made;
}

int tune_make_rules(const tune_case_t *list, int cases, const tune_shape_t *shape, bool again,
                    tune_rule_t *rules)
{
    int made = 0;

    for (int i = 0; NULL != napcoll_collectives[i]; i++) {
        const tune_case_t *found[TUNE_SIZES];
        const int count = cases_of(list, cases, napcoll_collectives[i], found), first = made;
        int kept = first;

        if (0 == count) {
            continue;
        }
        made += found[0]->untold ? make_one(found, count, &rules[first])
                                 : make_by_size(found, count, &rules[first]);
        for (int k = first; k < made; k++) {
            if (again || NAPCOLL_RULE_AUTO != rules[k].rule.action) {
                set_shape(&rules[k], shape);
                rules[kept++] = rules[k];
            }
        }
        made = kept;
    }
    return made;
}

/* ---- printing ---- */

void tune_print_rules(const tune_rule_t *rules, int count, FILE *out)
{
    for (int i = 0; i < count; i++) {
        const napcoll_rule_t *rule = &rules[i].rule;

        for (int k = 0; k < rules[i].cases; k++) {
            const tune_case_t *c = rules[i].about[k];

            fprintf(out, "# %zu bytes: %.1f us by %s", c->bytes,
                    1e6 * c->contestant[c->best].time.median, c->contestant[c->best].action);
            if (c->best > 0) {
                fprintf(out, ", %.1f us by %s", 1e6 * c->contestant[0].time.median,
                        c->contestant[0].action);
            }
            fputc('\n', out);
        }
        /* who closes the file sees errors */
        (void) napcoll_rule_print(rule, out);
    }
}

/* Whether the first rules match all calls that an older one matches. */
static bool is_covered(const napcoll_rule_t *older, const tune_rule_t *rules, int count)
{
    for (int i = 0; i < count; i++) {
        if (napcoll_rule_covers(&rules[i].rule, older)) {
            return true;
        }
    }
    return false;
}

/* Whether a line is a comment of tune_print_rules. */
static bool is_finding(const char *line)
{
    return 0 == strncmp(line, "# ", 2) && line[2] >= '0' && line[2] <= '9';
}

int tune_print_older(const char *text, size_t length, const tune_rule_t *rules, int count,
                     FILE *out)
{
    const char *end = text + length, *unprinted = text, *behind;
    napcoll_rules_error_t error;
    napcoll_rules_t *older;
    int left_out = 0, next = 0, number = 1;

    if (0 != napcoll_rules_parse(text, length, &older, &error)) {
        return -1;
    }
    for (const char *line = text; line < end; line = behind, number++) {
        const char *newline = memchr(line, '\n', (size_t) (end - line));

        behind = NULL == newline ? end : newline + 1;
        if (next < older->rules && number == older->rule[next].line
            && is_covered(&older->rule[next++], rules, count)) {
            left_out++;
            unprinted = behind;
        } else if (!is_finding(line)) {
            (void) fwrite(unprinted, 1, (size_t) (behind - unprinted), out);
            unprinted = behind;
        }
    }
    (void) fwrite(unprinted, 1, (size_t) (end - unprinted), out);
    napcoll_rules_free(older);
    return left_out;
}
