/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Rules from measurements: for each size that collbench measured, what was fastest.
 *
 *     files -> measurements -> sizes of each collective, nodes and ppn -> choices -> rules
 *
 * Choices are the actions of rules: an algorithm of napcoll, auto, or fallback for any other
 * component. Neighbouring sizes with one choice share a rule; between two choices the bound is the
 * geometric mean of the sizes. The first rule also holds for smaller sizes; above the largest size
 * the model decides.
 */

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_csv.h"
#include "common/napcoll_rule_write.h"
#include "napcoll_plan_tool.h"
#include "util/napcoll_file.h"
#include "util/napcoll_order.h"
#include "common/napcoll_names.h"

enum {
    MOST_MEASURED = 1 << 20,
    MOST_FIELDS = 32,
    /* Bytes of a file. */
    MOST_CSV = 1 << 30,
    /* Choices that are no row of the table; NONE: it did not run, OTHER: it is ignored. */
    CHOICE_FALLBACK = -1,
    CHOICE_AUTO = -2,
    CHOICE_NONE = -3,
    CHOICE_OTHER = -4
};

/* The columns that are read. */
typedef enum { COLL, NODES, PPN, BYTES, CONTESTANT, MEDIAN, RAN, COLUMNS } column_t;

static const char *const columns[COLUMNS] = {"coll",       "nodes",     "ppn", "bytes",
                                             "contestant", "median_us", "ran"};

typedef struct {
    /* index of napcoll_collective_at */
    int collective;
    int nodes;
    int ppn;
    size_t bytes;
    int choice;
    double time_us;
} measured_t;

typedef struct {
    measured_t *at;
    size_t count;
} table_t;

/* A file that is being read. */
typedef struct {
    const char *path;
    int line;
    /* -1: it has none */
    int column[COLUMNS];
    char *field[MOST_FIELDS];
    /* where the fields begin in the line, from 1 */
    int start[MOST_FIELDS];
    int fields;
    bool has_columns;
} csv_t;

/* ---- reading ---- */

static void split_line(csv_t *csv, char *line)
{
    csv->fields = napcoll_csv_split(line, csv->field, csv->start, MOST_FIELDS);
    if (csv->fields > MOST_FIELDS) {
        complain("%s:%d: expected at most %d fields", csv->path, csv->line, MOST_FIELDS);
    }
}

static void find_columns(csv_t *csv)
{
    for (int c = 0; c < COLUMNS; c++) {
        csv->column[c] = -1;
        for (int i = 0; i < csv->fields; i++) {
            if (0 == strcmp(csv->field[i], columns[c])) {
                csv->column[c] = i;
            }
        }
        if (csv->column[c] < 0 && RAN != c) {
            complain("%s:%d: expected a column %s, as collbench --csv writes it", csv->path,
                     csv->line, columns[c]);
        }
    }
}

static const char *field_of(const csv_t *csv, column_t column)
{
    const int at = csv->column[column];

    if (at >= csv->fields) {
        complain("%s:%d: expected a column %s, found the end of the line", csv->path, csv->line,
                 columns[column]);
    }
    return at < 0 ? "" : csv->field[at];
}

/* A whole number; of "3-5", processes on the emptiest and the fullest node, the last. */
static size_t number_of(const csv_t *csv, column_t column, size_t least, size_t most)
{
    const char *text = field_of(csv, column);
    const char *dash = PPN == column ? strchr(text, '-') : NULL;
    const char *digits = NULL == dash ? text : dash + 1;
    size_t number;

    if (!napcoll_read_size(digits, least, most, &number)) {
        complain("%s:%d:%d: %s: expected a number from %zu to %zu, found \"%s\"", csv->path,
                 csv->line, csv->start[csv->column[column]], columns[column], least, most, text);
    }
    return number;
}

static double time_of(const csv_t *csv)
{
    const char *text = field_of(csv, MEDIAN);
    double time_us;

    if (!napcoll_read_real(text, 0, DBL_MAX, &time_us)) {
        complain("%s:%d:%d: %s: expected a time in microseconds, found \"%s\"", csv->path,
                 csv->line, csv->start[csv->column[MEDIAN]], columns[MEDIAN], text);
    }
    return time_us;
}

/* The choice of a contestant; `fallback`: the only other component that counts. A row in which
 * napcoll fell back counts as not run: the time is another component's. */
static int choice_of(const csv_t *csv, const napcoll_collective_t *collective, const char *fallback)
{
    static const char own[] = "napcoll";
    const char *name = field_of(csv, CONTESTANT), *algorithm = name + strlen(own);
    int row;

    if (0 != strncmp(name, own, strlen(own)) || ('\0' != *algorithm && ':' != *algorithm)) {
        return NULL == fallback || 0 == strcmp(name, fallback) ? CHOICE_FALLBACK : CHOICE_OTHER;
    }
    if (0 == strcmp(algorithm, ":fallback") || 0 == strcmp(algorithm, ":previous")) {
        return CHOICE_FALLBACK;
    }
    if (NULL != strstr(field_of(csv, RAN), "fallback")) {
        return CHOICE_NONE;
    }
    if ('\0' == *algorithm || 0 == strcmp(algorithm, ":auto")) {
        return CHOICE_AUTO;
    }
    row = napcoll_algorithm_find(collective, algorithm + 1);
    return row < 0 ? CHOICE_NONE : row;
}

static void read_row(const csv_t *csv, const char *fallback, table_t *table)
{
    measured_t measured = {.collective = 0};
    const char *name = field_of(csv, COLL);

    while (NULL != napcoll_collective_at(measured.collective)
           && 0 != strcmp(name, napcoll_collective_at(measured.collective)->name)) {
        measured.collective++;
    }
    if (NULL == napcoll_collective_at(measured.collective)) {
        fprintf(stderr, "napcoll-plan: %s:%d: ignored: napcoll has no collective %s\n", csv->path,
                csv->line, name);
        return;
    }
    if (NULL != strchr(field_of(csv, CONTESTANT), '@')) {
        fprintf(stderr, "napcoll-plan: %s:%d: ignored: %s: rules come from blocking calls\n",
                csv->path, csv->line, field_of(csv, CONTESTANT));
        return;
    }
    measured.nodes = (int) number_of(csv, NODES, 1, INT_MAX);
    measured.ppn = (int) number_of(csv, PPN, 1, INT_MAX);
    measured.bytes = number_of(csv, BYTES, 0, SIZE_MAX);
    measured.time_us = time_of(csv);
    measured.choice = choice_of(csv, napcoll_collective_at(measured.collective), fallback);
    if (CHOICE_NONE == measured.choice) {
        fprintf(stderr, "napcoll-plan: %s:%d: ignored: %s did not run (%s)\n", csv->path, csv->line,
                field_of(csv, CONTESTANT),
                '\0' == *field_of(csv, RAN) ? "unknown" : field_of(csv, RAN));
    }
    if (CHOICE_NONE == measured.choice || CHOICE_OTHER == measured.choice) {
        return;
    }
    if (MOST_MEASURED == table->count) {
        complain("%s:%d: expected at most %d measurements in all", csv->path, csv->line,
                 MOST_MEASURED);
    }
    table->at = napcoll_memory_grow(table->at, table->count, sizeof(*table->at));
    table->at[table->count++] = measured;
}

static void read_csv(const char *path, const char *fallback, table_t *table)
{
    csv_t csv = {.path = path};
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(path, MOST_CSV, &why);
    char line[4096];

    if (NULL == in) {
        complain("%s: %s", path, why.text);
    }
    while (NULL != fgets(line, sizeof(line), in)) {
        csv.line++;
        if (sizeof(line) - 1 == strlen(line) && '\n' != line[sizeof(line) - 2]) {
            complain("%s:%d: expected lines of at most %zu bytes", path, csv.line,
                     sizeof(line) - 2);
        }
        if ('#' == line[0]) {
            continue;
        }
        split_line(&csv, line);
        if (!csv.has_columns) {
            find_columns(&csv);
            csv.has_columns = true;
        } else if (csv.fields > 1 || '\0' != csv.field[0][0]) {
            read_row(&csv, fallback, table);
        }
    }
    if (ferror(in)) {
        complain("%s: cannot be read (%s)", path, strerror(errno));
    }
    (void) fclose(in);
    if (!csv.has_columns) {
        complain("%s: expected what collbench --csv writes, found no line of columns", path);
    }
}

/* ---- choosing ---- */

static int compare_places(const measured_t *a, const measured_t *b)
{
    const int order = napcoll_order_pairs(a->collective, a->nodes, b->collective, b->nodes);

    return 0 != order ? order : napcoll_order(a->ppn, b->ppn);
}

static int compare_sizes(const measured_t *a, const measured_t *b)
{
    const int order = compare_places(a, b);

    return 0 != order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int compare(const void *a, const void *b)
{
    const measured_t *x = a, *y = b;
    const int order = compare_sizes(x, y);

    return 0 != order ? order : napcoll_order(x->choice, y->choice);
}

/* Merge what was measured several times, or by several components that stand for fallback, in the
 * sorted table. Of fallback the least time counts: a rule must not take a call from the component
 * that is the fallback. Of others the mean counts. */
static void merge(table_t *table)
{
    size_t kept = 0;

    for (size_t i = 0, next; i < table->count; i = next) {
        measured_t one = table->at[i];
        double sum = 0, least = one.time_us;

        for (next = i; next < table->count && 0 == compare(&table->at[next], &one); next++) {
            sum += table->at[next].time_us;
            least = fmin(least, table->at[next].time_us);
        }
        one.time_us = CHOICE_FALLBACK == one.choice ? least : sum / (double) (next - i);
        table->at[kept++] = one;
    }
    table->count = kept;
}

/* A size of one place, with its measurements. */
typedef struct {
    const measured_t *first;
    size_t count;
    double best_us;
    int choice;
} size_row_t;

/* The row of the measurements from `at` on that have its size, with the fastest choice. */
static size_row_t size_row(const measured_t *at, const measured_t *end)
{
    size_row_t size = {.first = at, .best_us = INFINITY};

    for (; at < end && 0 == compare_sizes(at, size.first); at++) {
        size.count++;
        if (at->time_us < size.best_us) {
            size.best_us = at->time_us;
            size.choice = at->choice;
        }
    }
    return size;
}

/* Take a neighbour's choice where that takes little longer than the best: noise is no reason for a
 * rule. */
static void follow(size_row_t *size, const size_row_t *neighbour, double margin)
{
    for (size_t i = 0; i < size->count; i++) {
        if (neighbour->choice == size->first[i].choice
            && size->first[i].time_us <= (1 + margin) * size->best_us) {
            size->choice = neighbour->choice;
            return;
        }
    }
}

static size_t bound_between(size_t smaller, size_t larger)
{
    const size_t bound = (size_t) sqrt((double) smaller * (double) larger);

    if (bound < smaller) {
        return smaller;
    }
    return bound >= larger ? larger - 1 : bound;
}

/* ---- writing ---- */

static const char *name_of_choice(const napcoll_collective_t *collective, int choice)
{
    if (choice < 0) {
        return CHOICE_FALLBACK == choice ? "fallback" : "auto";
    }
    return collective->algorithm[choice].name;
}

static void print_sizes(const napcoll_collective_t *collective, const size_row_t *size,
                        size_t sizes, FILE *out)
{
    fprintf(out, "\n# %s on %d nodes of %d:\n", collective->name, size[0].first->nodes,
            size[0].first->ppn);
    for (size_t s = 0; s < sizes; s++) {
        fprintf(out, "#   %zu bytes:", size[s].first->bytes);
        for (size_t i = 0; i < size[s].count; i++) {
            fprintf(out, "%s %s %.1f us", 0 == i ? "" : ",",
                    name_of_choice(collective, size[s].first[i].choice), size[s].first[i].time_us);
        }
        fputc('\n', out);
    }
}

/* The rule of one choice in a place, for any size. */
static napcoll_rule_t rule_of(const napcoll_collective_t *collective, const measured_t *at,
                              int choice)
{
    const size_t nodes = (size_t) at->nodes, ppn = (size_t) at->ppn;
    napcoll_rule_action_t action = NAPCOLL_RULE_ALGORITHM;
    napcoll_rule_t rule;

    if (choice < 0) {
        action = CHOICE_FALLBACK == choice ? NAPCOLL_RULE_FALLBACK : NAPCOLL_RULE_AUTO;
    }
    rule = napcoll_rule_any(collective, action);
    rule.nodes = (napcoll_rule_range_t){nodes, nodes};
    rule.ppn = (napcoll_rule_range_t){ppn, ppn};
    rule.algorithm = choice < 0 ? -1 : choice;
    rule.noncommutative = napcoll_goal_reduces(collective->goal) ? NAPCOLL_RULE_NO
                                                                 : NAPCOLL_RULE_ANY;
    /* of nonblocking calls the fallback is another component than the one that was measured */
    rule.request = CHOICE_FALLBACK == choice ? NAPCOLL_RULE_NO : NAPCOLL_RULE_ANY;
    return rule;
}

static void print_rules(const napcoll_collective_t *collective, const size_row_t *size,
                        size_t sizes, FILE *out)
{
    size_t least = 0;

    for (size_t s = 0, next; s < sizes; s = next) {
        napcoll_rule_t rule = rule_of(collective, size[s].first, size[s].choice);

        for (next = s + 1; next < sizes && size[s].choice == size[next].choice; next++) {
        }
        if (NAPCOLL_GOAL_BARRIER != collective->goal) {
            const size_t last = size[next - 1].first->bytes;

            rule.bytes.least = least;
            rule.bytes.most = next < sizes ? bound_between(last, size[next].first->bytes) : last;
            least = rule.bytes.most + 1;
        }
        /* close_output sees errors */
        (void) napcoll_rule_print(&rule, out);
    }
}

/* Write the rules of one place, from its sorted measurements. */
static void write_place(const measured_t *at, const measured_t *end, double margin, FILE *out)
{
    const napcoll_collective_t *collective = napcoll_collective_at(at->collective);
    size_row_t *size = napcoll_allocate((size_t) (end - at), sizeof(*size));
    size_t sizes = 0;

    for (; at < end; at += size[sizes++].count) {
        size[sizes] = size_row(at, end);
    }
    for (size_t s = 1; s < sizes; s++) {
        follow(&size[s], &size[s - 1], margin);
    }
    for (size_t s = sizes; s > 1; s--) {
        follow(&size[s - 2], &size[s - 1], margin);
    }
    print_sizes(collective, size, sizes, out);
    print_rules(collective, size, sizes, out);
    free(size);
}

int rules_from_csv(char *const *paths, int count, double margin, const char *fallback,
                   const char *output)
{
    table_t table = {0};
    FILE *out;

    for (int i = 0; i < count; i++) {
        read_csv(paths[i], fallback, &table);
    }
    if (0 == table.count) {
        complain("rules from-csv: expected measurements, found none");
    }
    qsort(table.at, table.count, sizeof(*table.at), compare);
    merge(&table);
    out = open_output("output", output);
    fprintf(out,
            "# Made by napcoll-plan rules from-csv --margin %g of what collbench measured; see "
            "napcoll-rules(5).\n",
            margin);
    for (size_t i = 0, next; i < table.count; i = next) {
        for (next = i; next < table.count && 0 == compare_places(&table.at[i], &table.at[next]);
             next++) {
        }
        write_place(&table.at[i], &table.at[next], margin, out);
    }
    free(table.at);
    return close_output("output", output, out);
}
