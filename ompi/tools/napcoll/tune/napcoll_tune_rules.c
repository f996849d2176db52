/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the test of algorithms found, and the rules that follow from it. Rank 0 alone.
 */

#include <math.h>
#include <stdint.h>

#include "common/napcoll_rule_write.h"
#include "napcoll_tune.h"

/* Whether there were turns enough to say who is faster. */
static bool is_judged(const tune_case_t *c)
{
    return c->samples >= NAPCOLL_ROBUST_LEAST_TURNS;
}

/* A contestant as reports name it: with its tunables. */
static void report_contestant(const tune_case_t *c, int which, FILE *out, const char *prefix)
{
    const tune_contestant_t *k = &c->contestant[which];

    fprintf(out, "%s    %-50s %10.1f us", prefix, k->action, 1e6 * k->median);
    if (k->turns > 0) {
        fprintf(out, " (%.1f to %.1f)", 1e6 * k->low, 1e6 * k->high);
    }
    if (k->model_us < INFINITY) {
        fprintf(out, ", the model says %.1f", k->model_us);
    }
    if (0 == k->turns) {
        fputs(", in the first calls", out);
    } else if (k->dropped) {
        fprintf(out, ", in %d turns", k->turns);
    }
    fprintf(out, "%s%s\n", 0 == which ? ": what auto would do" : "",
            c->best > 0 && which == c->best ? ": FASTER than that" : "");
}

static void report_case(const tune_case_t *c, FILE *out, const char *prefix)
{
    const bool judged = is_judged(c);

    fprintf(out, "%s  %s of %zu bytes, %d turns", prefix,
            tune_subject(c->subject)->collective->name, c->bytes, c->samples);
    if (c->samples > c->looked) {
        fprintf(out, ", of which %d at another time", c->samples - c->looked);
    }
    fprintf(out, "%s\n", judged ? "" : ": too few to judge");
    for (int i = 0; judged && i < c->contestants; i++) {
        report_contestant(c, i, out, prefix);
    }
    if (c->untried > 0) {
        fprintf(out, "%s    for %d more it was too late\n", prefix, c->untried);
    }
    if (c->contradictions > 0) {
        fprintf(out, "%s    %d pairs are not in the model's order\n", prefix, c->contradictions);
    }
}

/* What became of the rules of a collective whose sizes not all processes know. */
static void report_untold(const napcoll_collective_t *collective, const tune_untold_t *untold,
                          FILE *out, const char *prefix)
{
    if (!untold->judged) {
        return;
    }
    fprintf(out, "%s  %s: to agree on sizes takes %.1f us; rules: ", prefix, collective->name,
            1e6 * untold->telling);
    if (NAPCOLL_RULES_ONE == untold->scope) {
        fputs("one whatever the size, ", out);
        napcoll_rule_print_action(untold->one, out);
    } else {
        fputs(NAPCOLL_RULES_BY_SIZE == untold->scope ? "by size, all the same"
                                                     : "none, which take longer than they spare",
              out);
    }
    fputc('\n', out);
}

void tune_report_cases(const tune_t *t, FILE *out, const char *prefix)
{
    const tune_machine_t *m = t->machine;

    if ('\0' != m->no_cases[0]) {
        fprintf(out, "%sthe order of algorithms was not verified: %s\n", prefix, m->no_cases);
        return;
    }
    fprintf(out, "%salgorithms: median and quartiles of what the slowest process took\n", prefix);
    for (int i = 0; i < m->num_tried; i++) {
        report_case(&m->tried[i], out, prefix);
    }
    if (m->not_reached > 0) {
        fprintf(out, "%s  there was no time for %d more\n", prefix, m->not_reached);
    }
    for (int i = 0; i < TUNE_SUBJECTS; i++) {
        report_untold(tune_subject(i)->collective, &m->untold[i], out, prefix);
    }
}

/* ---- rules ---- */

/* A rule of the job's nodes on some sizes of a subject, which is to do what another one says. */
static napcoll_rule_t rule_of(const tune_nodes_t *n, int subject, const napcoll_rule_range_t *bytes,
                              const napcoll_rule_t *action)
{
    napcoll_rule_t rule = NULL == action ? napcoll_rule_any(tune_subject(subject)->collective,
                                                            NAPCOLL_RULE_AUTO)
                                         : *action;

    rule.nodes = (napcoll_rule_range_t){(size_t) n->num, (size_t) n->num};
    rule.ppn = (napcoll_rule_range_t){(size_t) n->least_ppn, (size_t) n->least_ppn};
    rule.bytes = *bytes;
    return rule;
}

/* Whether all is known of a collective whose rules stand or fall together. */
static bool is_complete(const tune_machine_t *m, int subject)
{
    bool complete = 0 == m->not_reached;

    for (int i = 0; i < m->num_tried; i++) {
        complete = complete && (subject != m->tried[i].subject || is_judged(&m->tried[i]));
    }
    return complete;
}

/* Whether some case of a subject is to have a rule of its own. */
static bool has_rules(const tune_machine_t *m, int subject)
{
    bool has = false;

    for (int i = 0; i < m->num_tried; i++) {
        has = has || (subject == m->tried[i].subject && m->tried[i].ruled);
    }
    return has;
}

/* Whether a case is to have a rule. Where a file is corrected, also one that leaves it to the model, so that no older rule
 * decides; but not where there is none on a size of its collective, nor where it is not known whether any is to be. */
static bool is_ruled(const tune_t *t, const tune_case_t *c)
{
    const tune_machine_t *m = t->machine;

    if (TUNE_CORRECT != t->options.command) {
        return c->ruled;
    }
    if (tune_subject(c->subject)->untold
        && !(is_complete(m, c->subject) && has_rules(m, c->subject))) {
        return false;
    }
    return is_judged(c);
}

/* Whether there is to be a rule on all sizes of a subject; where a file is corrected, also one that leaves them to the
 * model. */
static bool is_ruled_as_a_whole(const tune_t *t, int subject)
{
    const tune_machine_t *m = t->machine;
    bool tried = false;

    if (TUNE_CORRECT != t->options.command) {
        return NULL != m->untold[subject].one;
    }
    for (int i = 0; i < m->num_tried; i++) {
        tried = tried || subject == m->tried[i].subject;
    }
    return tried && tune_subject(subject)->untold && is_complete(m, subject)
           && !has_rules(m, subject);
}

int tune_list_rules(const tune_t *t, tune_rule_t *list)
{
    static const napcoll_rule_range_t all = {0, SIZE_MAX};
    const tune_nodes_t *n = &t->node;
    const tune_machine_t *m = t->machine;
    int rules = 0;

    if (n->least_ppn * n->num != t->ranks) {
        return 0;
    }
    for (int i = 0; i < m->num_tried; i++) {
        const tune_case_t *c = &m->tried[i];

        if (is_ruled(t, c)) {
            list[rules++] = (tune_rule_t){
                .about = c,
                .subject = c->subject,
                .rule = rule_of(n, c->subject, &c->range,
                                c->ruled ? &c->contestant[c->best].rule : NULL)};
        }
    }
    for (int i = 0; i < TUNE_SUBJECTS; i++) {
        if (is_ruled_as_a_whole(t, i)) {
            list[rules++] = (tune_rule_t){.subject = i,
                                          .rule = rule_of(n, i, &all, m->untold[i].one)};
        }
    }
    return rules;
}

/* What was measured, as a comment. */
static void report_why(const tune_t *t, const tune_rule_t *one, FILE *out)
{
    const tune_case_t *c = one->about;
    const tune_untold_t *untold = &t->machine->untold[one->subject];

    if (NULL == c && untold->judged) {
        fprintf(out, "# whatever the size: to agree on sizes would take %.1f us\n",
                1e6 * untold->telling);
    } else if (NULL == c) {
        fputs("# whatever the size: nothing is faster than what auto would do\n", out);
    } else if (!c->ruled) {
        fprintf(out, "# %zu bytes: %.1f us, by what auto would do, %s\n", c->bytes,
                1e6 * c->contestant[0].median, c->contestant[0].action);
    } else if (c->best > 0) {
        fprintf(out, "# %zu bytes: %.1f us, %s took %.1f\n", c->bytes,
                1e6 * c->contestant[c->best].median, c->contestant[0].action,
                1e6 * c->contestant[0].median);
    } else {
        fprintf(out, "# %zu bytes: %.1f us; for other sizes the model says what was slower here\n",
                c->bytes, 1e6 * c->contestant[0].median);
    }
}

/* The conditions in figures, as what was measured is told in them. */
static void report_rule(const tune_rule_t *one, FILE *out)
{
    const napcoll_rule_t *rule = &one->rule;

    fprintf(out, "%s nodes=%zu ppn=%zu", rule->collective->name, rule->nodes.least,
            rule->ppn.least);
    if (NULL != one->about) {
        fprintf(out, " bytes=%zu..%zu", rule->bytes.least, rule->bytes.most);
    }
    fputs(" -> ", out);
    napcoll_rule_print_action(rule, out);
    fputc('\n', out);
}

int tune_count_rules(const tune_t *t)
{
    tune_rule_t list[TUNE_MOST_RULES];

    return tune_list_rules(t, list);
}

void tune_report_rules(const tune_t *t, FILE *out)
{
    tune_rule_t list[TUNE_MOST_RULES];
    const int rules = tune_list_rules(t, list);

    for (int i = 0; i < rules; i++) {
        report_why(t, &list[i], out);
        report_rule(&list[i], out);
    }
}
