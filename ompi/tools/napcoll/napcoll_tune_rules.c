/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the test of algorithms found, and the rules that follow from it. Rank 0 alone.
 */

#include <math.h>

#include "napcoll_tune.h"

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
    const bool judged = c->samples >= NAPCOLL_ROBUST_LEAST_TURNS;

    fprintf(out, "%s  %s of %zu bytes, %d turns", prefix,
            tune_subject(c->subject)->collective->name, c->bytes, c->samples);
    if (c->samples > c->looked) {
        fprintf(out, ", of which %d at another time", c->samples - c->looked);
    }
    fprintf(out, "%s\n", judged ? "" : ": too few to judge");
    for (int i = 0; judged && i < c->contestants; i++) {
        report_contestant(c, i, out, prefix);
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
    for (int i = 0; i < TUNE_SUBJECTS; i++) {
        report_untold(tune_subject(i)->collective, &m->untold[i], out, prefix);
    }
}

int tune_count_rules(const tune_t *t)
{
    const tune_nodes_t *n = &t->node;
    const tune_machine_t *m = t->machine;
    int rules = 0;

    if (n->least_ppn * n->num != t->ranks) {
        return 0;
    }
    for (int i = 0; i < m->num_tried; i++) {
        rules += m->tried[i].ruled;
    }
    for (int i = 0; i < TUNE_SUBJECTS; i++) {
        rules += NULL != m->untold[i].one;
    }
    return rules;
}

/* One rule for all sizes of a collective, and why. */
static void report_one_rule(const tune_nodes_t *n, const napcoll_collective_t *collective,
                            const tune_untold_t *untold, FILE *out)
{
    fprintf(out,
            "# whatever the size: to agree on sizes would take %.1f us\n%s nodes=%d ppn=%d -> ",
            1e6 * untold->telling, collective->name, n->num, n->least_ppn);
    napcoll_rule_print_action(untold->one, out);
    fputc('\n', out);
}

/* What was measured, and the rule that says so. */
static void report_rule(const tune_nodes_t *n, const tune_case_t *c, FILE *out)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;
    const tune_contestant_t *best = &c->contestant[c->best], *chosen = &c->contestant[0];

    if (c->best > 0) {
        fprintf(out, "# %zu bytes: %.1f us, %s took %.1f\n", c->bytes, 1e6 * best->median,
                chosen->action, 1e6 * chosen->median);
    } else {
        fprintf(out, "# %zu bytes: %.1f us; for other sizes the model says what was slower here\n",
                c->bytes, 1e6 * best->median);
    }
    fprintf(out, "%s nodes=%d ppn=%d bytes=%zu..%zu -> ", collective->name, n->num, n->least_ppn,
            c->range.least, c->range.most);
    napcoll_rule_print_action(&best->rule, out);
    fputc('\n', out);
}

void tune_report_rules(const tune_t *t, FILE *out)
{
    for (int i = 0; i < t->machine->num_tried; i++) {
        if (t->machine->tried[i].ruled) {
            report_rule(&t->node, &t->machine->tried[i], out);
        }
    }
    for (int i = 0; i < TUNE_SUBJECTS; i++) {
        if (NULL != t->machine->untold[i].one) {
            report_one_rule(&t->node, tune_subject(i)->collective, &t->machine->untold[i], out);
        }
    }
}
