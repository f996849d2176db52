/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Rules of measurements: for each size that collbench measured, what was fastest.
 *
 *     files -> measurements -> for each collective, nodes and ppn: sizes -> the choice of each -> rules
 *
 * Choices are what rules can say: an algorithm of napcoll, auto, or fallback for any other component. Neighbouring sizes
 * with one choice share a rule; between two choices the bound is the geometric mean of the sizes, as times are compared
 * on a logarithmic scale. Below the smallest size its choice holds, above the largest the model decides.
 */

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_tool.h"
#include "select/napcoll_rules.h"
#include "util/napcoll_file.h"

enum {
    MOST_MEASURED = 1 << 20,
    MOST_FIELDS = 32,
    MOST_CSV = 1 << 30, /* bytes of a file */
    /* a choice that is no row of the table */
    CHOICE_FALLBACK = -1,
    CHOICE_AUTO = -2,
    CHOICE_NONE = -3, /* it did not run */
    CHOICE_OTHER = -4 /* of no interest */
};

/* The columns that are read, by their names in the first line. */
typedef enum { COLL, NODES, PPN, BYTES, CONTESTANT, MEDIAN, RAN, COLUMNS } column_t;

static const char *const columns[COLUMNS] = {"coll",       "nodes",     "ppn", "bytes",
                                             "contestant", "median_us", "ran"};

typedef struct {
    int collective; /* of napcoll_collectives */
    int nodes;
    int ppn;
    size_t bytes;
    int choice;
    double time_us;
} measured_t;

typedef struct {
    measured_t *at;
    size_t count;
    size_t room;
} table_t;

/* A file that is being read. */
typedef struct {
    const char *path;
    int line;
    int column[COLUMNS]; /* -1: it has none */
    char *field[MOST_FIELDS];
    int fields;
} csv_t;

/* ---- reading ---- */

/* Split a line into its fields, in place; in quotes commas are letters, and two quotes are one. */
static void split_line(csv_t *csv, char *line)
{
    char *out = line;
    bool quoted = false;

    line[strcspn(line, "\r\n")] = '\0';
    csv->fields = 0;
    csv->field[csv->fields++] = out;
    for (const char *at = line;; at++) {
        const char c = *at;

        if ('"' == c && quoted && '"' == at[1]) {
            *out++ = *at++;
        } else if ('"' == c) {
            quoted = !quoted;
        } else if ('\0' == c || (',' == c && !quoted)) {
            *out++ = '\0';
            if ('\0' == c) {
                return;
            }
            if (MOST_FIELDS == csv->fields) {
                complain("%s:%d: expected at most %d fields", csv->path, csv->line, MOST_FIELDS);
            }
            csv->field[csv->fields++] = out;
        } else {
            *out++ = c;
        }
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

    if (at < 0) {
        return "";
    }
    if (at >= csv->fields) {
        complain("%s:%d: expected a column %s, found the end of the line", csv->path, csv->line,
                 columns[column]);
    }
    return csv->field[at];
}

/* A whole number; of "3-5", processes on the emptiest and the fullest node, the last. */
static size_t number_of(const csv_t *csv, column_t column, size_t least, size_t most)
{
    const char *text = field_of(csv, column), *digits = text;
    const char *dash = PPN == column ? strchr(text, '-') : NULL;
    unsigned long long number = 0;
    char *end = NULL;

    digits = NULL == dash ? text : dash + 1;
    errno = 0;
    if (*digits >= '0' && *digits <= '9') {
        number = strtoull(digits, &end, 10);
    }
    if (NULL == end || '\0' != *end || 0 != errno || number < least || number > most) {
        complain("%s:%d: %s: expected a number from %zu to %zu, found \"%s\"", csv->path, csv->line,
                 columns[column], least, most, text);
    }
    return (size_t) number;
}

static double time_of(const csv_t *csv)
{
    const char *text = field_of(csv, MEDIAN);
    char *end;
    const double time_us = strtod(text, &end);

    if (end == text || '\0' != *end || !(time_us >= 0) || isinf(time_us)) {
        complain("%s:%d: %s: expected a time in microseconds, found \"%s\"", csv->path, csv->line,
                 columns[MEDIAN], text);
    }
    return time_us;
}

/* The collective of a line, or -1, where napcoll has none of that name. */
static int collective_of(const csv_t *csv)
{
    const char *name = field_of(csv, COLL);
    int c = 0;

    while (NULL != napcoll_collectives[c] && 0 != strcmp(name, napcoll_collectives[c]->name)) {
        c++;
    }
    return NULL == napcoll_collectives[c] ? -1 : c;
}

/* What a contestant stands for; `previous`: the only one of other components that does. One of napcoll's that left calls to the fallback component stands for nothing: what
 * was measured is not what it is called. */
static int choice_of(const csv_t *csv, const napcoll_collective_t *collective, const char *previous)
{
    static const char own[] = "napcoll";
    const size_t length = strlen(own);
    const char *name = field_of(csv, CONTESTANT);
    int row;

    if (0 != strncmp(name, own, length) || ('\0' != name[length] && ':' != name[length])) {
        return NULL == previous || 0 == strcmp(name, previous) ? CHOICE_FALLBACK : CHOICE_OTHER;
    }
    if (0 == strcmp(name + length, ":previous")) {
        return CHOICE_FALLBACK;
    }
    if (NULL != strstr(field_of(csv, RAN), "fallback")) {
        return CHOICE_NONE;
    }
    if ('\0' == name[length] || 0 == strcmp(name + length, ":auto")) {
        return CHOICE_AUTO;
    }
    row = napcoll_algorithm_find(collective, name + length + 1);
    return row < 0 ? CHOICE_NONE : row;
}

static void keep(table_t *table, measured_t measured)
{
    if (table->count == table->room) {
        table->room = 0 == table->room ? 256 : 2 * table->room;
        table->at = realloc(table->at, table->room * sizeof(*table->at));
        if (NULL == table->at) {
            out_of_memory();
        }
    }
    table->at[table->count++] = measured;
}

static void read_row(const csv_t *csv, const char *previous, table_t *table)
{
    const int collective = collective_of(csv);
    measured_t measured = {.collective = collective};

    if (collective < 0) {
        fprintf(stderr, "napcoll-plan: %s:%d: left out: napcoll has no collective %s\n", csv->path,
                csv->line, field_of(csv, COLL));
        return;
    }
    measured.nodes = (int) number_of(csv, NODES, 1, INT_MAX);
    measured.ppn = (int) number_of(csv, PPN, 1, INT_MAX);
    measured.bytes = number_of(csv, BYTES, 0, SIZE_MAX);
    measured.time_us = time_of(csv);
    measured.choice = choice_of(csv, napcoll_collectives[collective], previous);
    if (CHOICE_OTHER == measured.choice) {
        return;
    }
    if (CHOICE_NONE == measured.choice) {
        fprintf(stderr, "napcoll-plan: %s:%d: left out: %s did not run (%s)\n", csv->path,
                csv->line, field_of(csv, CONTESTANT),
                '\0' == *field_of(csv, RAN) ? "unknown" : field_of(csv, RAN));
        return;
    }
    if (MOST_MEASURED == table->count) {
        complain("%s:%d: expected at most %d measurements in all", csv->path, csv->line,
                 MOST_MEASURED);
    }
    keep(table, measured);
}

static void read_csv(const char *path, const char *previous, table_t *table)
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
        split_line(&csv, line);
        if (1 == csv.line) {
            find_columns(&csv);
        } else if (csv.fields > 1 || '\0' != csv.field[0][0]) {
            read_row(&csv, previous, table);
        }
    }
    if (ferror(in)) {
        complain("%s: cannot be read (%s)", path, strerror(errno));
    }
    (void) fclose(in);
    if (0 == csv.line) {
        complain("%s: expected what collbench --csv writes, found an empty file", path);
    }
}

/* ---- choosing ---- */

static int order(long long a, long long b)
{
    return (a > b) - (a < b);
}

static int compare_places(const measured_t *a, const measured_t *b)
{
    const int by_collective = order(a->collective, b->collective);
    const int by_nodes = order(a->nodes, b->nodes);

    return 0 != by_collective ? by_collective : 0 != by_nodes ? by_nodes : order(a->ppn, b->ppn);
}

static int compare(const void *left, const void *right)
{
    const measured_t *a = left, *b = right;
    const int place = compare_places(a, b);
    const int size = (a->bytes > b->bytes) - (a->bytes < b->bytes);

    return 0 != place ? place : 0 != size ? size : order(a->choice, b->choice);
}

static bool is_same_size(const measured_t *a, const measured_t *b)
{
    return 0 == compare_places(a, b) && a->bytes == b->bytes;
}

/* What was measured several times, or by several components that stand for fallback: of fallback the least time, as
 * rules are not to take a call from a component that may be the previous one, of others the mean. *table is sorted. */
static void merge(table_t *table)
{
    size_t kept = 0;

    for (size_t i = 0, next; i < table->count; i = next) {
        measured_t one = table->at[i];
        double sum = 0, least = one.time_us;

        for (next = i; next < table->count && 0 == compare(&table->at[next], &one); next++) {
            sum += table->at[next].time_us;
            least = table->at[next].time_us < least ? table->at[next].time_us : least;
        }
        one.time_us = CHOICE_FALLBACK == one.choice ? least : sum / (double) (next - i);
        table->at[kept++] = one;
    }
    table->count = kept;
}

/* A size of one place. */
typedef struct {
    const measured_t *first; /* [count] of what it was measured with */
    size_t count;
    double best_us;
    int choice;
} size_row_t;

static double time_with(const size_row_t *size, int choice)
{
    for (size_t i = 0; i < size->count; i++) {
        if (choice == size->first[i].choice) {
            return size->first[i].time_us;
        }
    }
    return INFINITY;
}

static void take_best(size_row_t *size)
{
    size->best_us = INFINITY;
    for (size_t i = 0; i < size->count; i++) {
        if (size->first[i].time_us < size->best_us) {
            size->best_us = size->first[i].time_us;
            size->choice = size->first[i].choice;
        }
    }
}

/* Keep a neighbour's choice where that takes little longer than the best: noise is no reason for a rule. */
static void follow(size_row_t *size, const size_row_t *neighbour, double margin)
{
    if (time_with(size, neighbour->choice) <= (1 + margin) * size->best_us) {
        size->choice = neighbour->choice;
    }
}

static size_t bound_between(size_t smaller, size_t larger)
{
    const size_t bound = (size_t) sqrt((double) smaller * (double) larger);

    return bound < smaller ? smaller : bound >= larger ? larger - 1 : bound;
}

static const char *name_of_choice(const napcoll_collective_t *collective, int choice)
{
    return CHOICE_FALLBACK == choice ? "fallback"
           : CHOICE_AUTO == choice   ? "auto"
                                     : collective->algorithm[choice].name;
}

/* ---- writing ---- */

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

/* The rules of one place. */
static void print_rules(const napcoll_collective_t *collective, const size_row_t *size,
                        size_t sizes, FILE *out)
{
    size_t least = 0;

    for (size_t s = 0, next; s < sizes; s = next) {
        const int choice = size[s].choice;
        napcoll_rule_t rule = napcoll_rule_any(collective,
                                               CHOICE_FALLBACK == choice ? NAPCOLL_RULE_FALLBACK
                                               : CHOICE_AUTO == choice   ? NAPCOLL_RULE_AUTO
                                                                         : NAPCOLL_RULE_ALGORITHM);
        const size_t nodes = (size_t) size[s].first->nodes, ppn = (size_t) size[s].first->ppn;

        for (next = s + 1; next < sizes && choice == size[next].choice; next++) {
        }
        rule.nodes = (napcoll_rule_range_t){nodes, nodes};
        rule.ppn = (napcoll_rule_range_t){ppn, ppn};
        rule.algorithm = choice < 0 ? -1 : choice;
        rule.noncommutative = napcoll_goal_reduces(collective->goal) ? NAPCOLL_RULE_NO
                                                                     : NAPCOLL_RULE_ANY;
        if (NAPCOLL_GOAL_BARRIER != collective->goal) {
            const size_t last = size[next - 1].first->bytes;

            rule.bytes.least = least;
            rule.bytes.most = next < sizes ? bound_between(last, size[next].first->bytes) : last;
            least = rule.bytes.most + 1;
        }
        (void) napcoll_rule_print(&rule, out); /* whoever closes the file sees its error */
    }
}

/* All sizes of one place, from measurements that are sorted. */
static void write_place(const measured_t *at, size_t count, double margin, FILE *out)
{
    const napcoll_collective_t *collective = napcoll_collectives[at->collective];
    size_row_t *size = calloc(count, sizeof(*size));
    size_t sizes = 0;

    if (NULL == size) {
        out_of_memory();
    }
    for (size_t i = 0; i < count; i += size[sizes++].count) {
        size[sizes].first = &at[i];
        while (i + size[sizes].count < count && is_same_size(&at[i], &at[i + size[sizes].count])) {
            size[sizes].count++;
        }
        take_best(&size[sizes]);
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

int rules_from_csv(char *const *paths, int count, double margin, const char *previous,
                   const char *output)
{
    const options_t o = {.output = output};
    table_t table = {0};
    FILE *out;

    for (int i = 0; i < count; i++) {
        read_csv(paths[i], previous, &table);
    }
    if (0 == table.count) {
        complain("rules from-csv: expected measurements, found none");
    }
    qsort(table.at, table.count, sizeof(*table.at), compare);
    merge(&table);
    out = open_output(&o);
    fprintf(out,
            "# Made by napcoll-plan rules from-csv --margin %g of what collbench measured; see "
            "napcoll-rules(5).\n",
            margin);
    for (size_t i = 0, next; i < table.count; i = next) {
        for (next = i; next < table.count && 0 == compare_places(&table.at[i], &table.at[next]);
             next++) {
        }
        write_place(&table.at[i], next - i, margin, out);
    }
    free(table.at);
    return close_output(&o, out);
}
