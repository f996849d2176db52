/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * results_page: what follows from the figures that results.sh has measured, as heat maps and as
 * tables for README.md.
 *
 *     results_page results.csv reasons.txt applications.csv OUTPUT-FOLDER >tables.md
 *
 * A cell is a collective of one size on one cluster, called in one way. Its ratio is the time of
 * auto over the time of the better peer, a component of Open MPI; its regret is the time of auto
 * over the time of the fastest algorithm of napcoll by name. Both are ratios of ratios to the same
 * contestant
 * in the same turns. A contestant that was dropped before the first turn counts as no faster than
 * auto. Exit status: 0; 1: a file could not be read or written; 2: bad command line.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_csv.h"
#include "common/napcoll_heat.h"
#include "common/napcoll_memory.h"
#include "common/napcoll_robust.h"

enum { LINE = 4096, NAME = 64, FIELDS = 32 };

/* Above: a cell wants a reason. */
static const double bound = 1.1;

/* ---- reading ---- */

static _Noreturn void fail(const char *what, const char *file)
{
    fprintf(stderr, "results_page: %s: %s\n", file, what);
    exit(1);
}

/* A file of comma-separated values that is read line by line. */
struct csv {
    const char *name;
    FILE *file;
    int columns, fields;
    char head[LINE], line[LINE];
    char *column[FIELDS], *field[FIELDS];
};

static bool next_line(struct csv *csv, char *line)
{
    while (NULL != fgets(line, LINE, csv->file)) {
        if (NULL == strchr(line, '\n')) {
            fail("a line is too long or has no end", csv->name);
        }
        if ('#' != line[0]) {
            return true;
        }
    }
    return false;
}

/* Returns whether there is one. */
static bool csv_open(struct csv *csv, const char *name)
{
    *csv = (struct csv){.name = name, .file = fopen(name, "r")};
    if (NULL == csv->file) {
        if (ENOENT == errno) {
            return false;
        }
        fail(strerror(errno), name);
    }
    if (!next_line(csv, csv->head)) {
        fail("expected a line with the names of columns", name);
    }
    csv->columns = napcoll_csv_split(csv->head, csv->column, NULL, FIELDS);
    return true;
}

static bool csv_next(struct csv *csv)
{
    if (!next_line(csv, csv->line)) {
        (void) fclose(csv->file);
        return false;
    }
    csv->fields = napcoll_csv_split(csv->line, csv->field, NULL, FIELDS);
    if (csv->fields != csv->columns) {
        fail("a line has another number of fields than the first one", csv->name);
    }
    return true;
}

static const char *text_of(const struct csv *csv, const char *column)
{
    for (int i = 0; i < csv->columns; i++) {
        if (0 == strcmp(csv->column[i], column)) {
            return csv->field[i];
        }
    }
    fail("a column is missing", csv->name);
}

static double number_of(const struct csv *csv, const char *column)
{
    char *end;
    const char *text = text_of(csv, column);
    const double value = strtod(text, &end);

    if ('\0' == text[0] || '\0' != *end) {
        fail("expected a number", csv->name);
    }
    return value;
}

/* ---- cells ---- */

struct cell {
    char openmpi[NAME], date[NAME], cluster[NAME], kind[NAME], coll[NAME], took[LINE];
    long bytes;
    int turns;
    /* to the first contestant of the run; 0: there is none */
    double own, peer, named;
    /* the better peer and the fastest algorithm */
    char peer_name[NAME], named_name[NAME];
};

struct cells {
    struct cell *at;
    size_t num;
};

static void copy_name(char to[NAME], const char *from, size_t length)
{
    (void) snprintf(to, NAME, "%.*s", (int) length, from);
}

static bool same_group(const struct cell *a, const struct cell *b)
{
    return 0 == strcmp(a->openmpi, b->openmpi) && 0 == strcmp(a->cluster, b->cluster)
           && 0 == strcmp(a->kind, b->kind);
}

/* The cell of a line, which is new where none is like it. */
static struct cell *cell_of(struct cells *cells, const struct csv *csv)
{
    const char *at = strchr(text_of(csv, "contestant"), '@');
    struct cell cell = {.bytes = (long) number_of(csv, "bytes")};

    copy_name(cell.openmpi, text_of(csv, "openmpi"), NAME - 1);
    copy_name(cell.date, text_of(csv, "date"), NAME - 1);
    (void) snprintf(cell.cluster, NAME, "%.20sx%.20s", text_of(csv, "nodes"), text_of(csv, "ppn"));
    copy_name(cell.kind, NULL == at ? "blocking" : at + 1, NAME - 1);
    copy_name(cell.coll, text_of(csv, "coll"), NAME - 1);
    for (size_t i = 0; i < cells->num; i++) {
        if (same_group(&cell, &cells->at[i]) && 0 == strcmp(cell.coll, cells->at[i].coll)
            && cell.bytes == cells->at[i].bytes) {
            return &cells->at[i];
        }
    }
    cells->at = napcoll_memory_grow(cells->at, cells->num, sizeof(*cells->at));
    cells->at[cells->num] = cell;
    return &cells->at[cells->num++];
}

/* auto comes before the others of its kind, so that its turns are known here. */
static void add_line(struct cells *cells, const struct csv *csv)
{
    static const char named[] = "napcoll:";
    struct cell *cell = cell_of(cells, csv);
    const char *who = text_of(csv, "contestant"), *ran = text_of(csv, "ran");
    const size_t length = strcspn(who, "@");
    const int turns = (int) number_of(csv, "samples");
    const bool dropped = turns < cell->turns;
    double ratio = number_of(csv, "ratio");

    if (7 == length && 0 == strncmp(who, "napcoll", length)) {
        cell->own = ratio;
        cell->turns = turns;
        (void) snprintf(cell->took, sizeof(cell->took), "%s", ran);
        return;
    }
    ratio = dropped ? fmax(ratio, cell->own) : ratio;
    if (0 != strncmp(who, named, strlen(named))) {
        if (cell->peer <= 0 || ratio < cell->peer) {
            cell->peer = ratio;
            copy_name(cell->peer_name, ran, strcspn(ran, " ;"));
        }
    } else if (strlen(ran) == length - strlen(named)
               && 0 == strncmp(ran, who + strlen(named), strlen(ran))
               && (cell->named <= 0 || ratio < cell->named)) {
        /* an algorithm that fell back does not count */
        cell->named = ratio;
        copy_name(cell->named_name, ran, strlen(ran));
    }
}

/* NAN: there is no peer. */
static double ratio_of(const struct cell *cell)
{
    return cell->own > 0 && cell->peer > 0 ? cell->own / cell->peer : NAN;
}

/* auto may be faster than all by name. NAN: none was measured. */
static double regret_of(const struct cell *cell)
{
    return cell->own > 0 && cell->named > 0 ? fmax(1, cell->own / cell->named) : NAN;
}

/* ---- one group: a cluster and a kind of calls ---- */

static void size_text(long bytes, char text[NAME])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB"};
    int i = 0;

    while (i < 3 && bytes >= 1024 && 0 == bytes % 1024) {
        bytes /= 1024;
        i++;
    }
    (void) snprintf(text, NAME, "%ld %s", bytes, unit[i]);
}

/* The sizes of a group, ascending. */
static int sizes_of(const struct cells *cells, const struct cell *group,
                    long size[NAPCOLL_HEAT_COLUMNS])
{
    int num = 0;

    for (long last = -1; num < NAPCOLL_HEAT_COLUMNS; last = size[num++]) {
        long least = LONG_MAX;

        for (size_t i = 0; i < cells->num; i++) {
            const struct cell *cell = &cells->at[i];

            if (same_group(cell, group) && cell->bytes > last && cell->bytes < least) {
                least = cell->bytes;
            }
        }
        if (LONG_MAX == least) {
            break;
        }
        size[num] = least;
    }
    return num;
}

static int row_of(napcoll_heat_t *heat, const char *coll)
{
    for (int i = 0; i < heat->rows; i++) {
        if (0 == strcmp(heat->row[i], coll)) {
            return i;
        }
    }
    if (NAPCOLL_HEAT_ROWS == heat->rows) {
        fail("too many collectives", coll);
    }
    for (int i = 0; i < NAPCOLL_HEAT_COLUMNS; i++) {
        heat->value[heat->rows][i] = NAN;
    }
    heat->row[heat->rows] = coll;
    return heat->rows++;
}

static void draw_group(const struct cells *cells, const struct cell *group, const char *file)
{
    static napcoll_heat_t heat;
    char message[NAPCOLL_PLOT_MESSAGE], names[NAPCOLL_HEAT_COLUMNS][NAME];
    long size[NAPCOLL_HEAT_COLUMNS];

    heat = (napcoll_heat_t){.label = "size of the vector, or of the block of a process",
                            .columns = sizes_of(cells, group, size)};
    (void) snprintf(heat.title, sizeof(heat.title), "%s, %s: napcoll over the better component",
                    group->cluster, group->kind);
    (void) snprintf(
        heat.origin, sizeof(heat.origin), "Open MPI %s, %s, %s", group->openmpi, group->date,
        0 == strncmp(group->cluster, "1x", 2) ? "one node" : "nodes that are emulated by netlab");
    for (int i = 0; i < heat.columns; i++) {
        size_text(size[i], names[i]);
        heat.column[i] = names[i];
    }
    for (size_t i = 0; i < cells->num; i++) {
        if (same_group(&cells->at[i], group)) {
            const int row = row_of(&heat, cells->at[i].coll);

            for (int j = 0; j < heat.columns; j++) {
                if (size[j] == cells->at[i].bytes) {
                    heat.value[row][j] = ratio_of(&cells->at[i]);
                }
            }
        }
    }
    if (!napcoll_heat_draw(&heat, file, message)) {
        fprintf(stderr, "results_page: %s\n", message);
        exit(1);
    }
}

/* What a group amounts to, in words. */
static void print_group(const struct cells *cells, const struct cell *group)
{
    double *regret = napcoll_allocate(cells->num, sizeof(*regret)), worst = 0;
    const struct cell *at_worst = NULL;
    int compared = 0, faster = 0, above = 0;
    size_t regrets = 0;

    for (size_t i = 0; i < cells->num; i++) {
        const struct cell *cell = &cells->at[i];

        if (!same_group(cell, group)) {
            continue;
        }
        compared += !isnan(ratio_of(cell));
        faster += ratio_of(cell) < 1;
        above += ratio_of(cell) > bound;
        if (!isnan(regret_of(cell))) {
            regret[regrets++] = regret_of(cell);
            if (regret_of(cell) > worst) {
                worst = regret_of(cell);
                at_worst = cell;
            }
        }
    }
    printf("Of %d cells, napcoll is faster in %d, and above %g in %d.", compared, faster, bound,
           above);
    if (NULL != at_worst) {
        char size[NAME];

        size_text(at_worst->bytes, size);
        printf(" Regret, auto over the best named algorithm: median %.2f, worst %.2f",
               napcoll_robust_median(regret, regrets), worst);
        if (worst > 1) {
            printf(" (%s of %s: %s is faster)", at_worst->coll, size, at_worst->named_name);
        }
        printf(".");
    }
    printf("\n");
    free(regret);
}

static void print_groups(const struct cells *cells, const char *folder)
{
    for (size_t i = 0; i < cells->num; i++) {
        const struct cell *group = &cells->at[i];
        bool first = true;
        char name[4 * NAME], file[2 * LINE];

        for (size_t j = 0; j < i; j++) {
            first = first && !same_group(group, &cells->at[j]);
        }
        if (!first) {
            continue;
        }
        (void) snprintf(name, sizeof(name), "heat-%s-%s-%s.svg", group->openmpi, group->cluster,
                        group->kind);
        (void) snprintf(file, sizeof(file), "%s/%s", folder, name);
        draw_group(cells, group, file);
        printf("\n### %s, %s calls, Open MPI %s\n\n![ratios](%s)\n\n", group->cluster, group->kind,
               group->openmpi, name);
        print_group(cells, group);
    }
}

/* ---- tables ---- */

static bool is_for(const char *word, const char *name)
{
    return 0 == strcmp(word, "*") || 0 == strcmp(word, name);
}

/* The reason of a cell, from lines "CLUSTER KIND COLLECTIVE BYTES: reason"; * is for all. The first
 * one counts. */
static void print_reason(const char *file, const struct cell *cell)
{
    FILE *in = fopen(file, "r");
    char line[LINE], bytes[NAME], word[4][NAME];
    int begin;

    (void) snprintf(bytes, sizeof(bytes), "%ld", cell->bytes);
    while (NULL != in && NULL != fgets(line, sizeof(line), in)) {
        if (4
                == sscanf(line, "%63s %63s %63s %63[^: ]: %n", word[0], word[1], word[2], word[3],
                          &begin)
            && is_for(word[0], cell->cluster) && is_for(word[1], cell->kind)
            && is_for(word[2], cell->coll) && is_for(word[3], bytes)) {
            line[strcspn(line, "\n")] = '\0';
            printf(" %s |\n", line + begin);
            (void) fclose(in);
            return;
        }
    }
    if (NULL != in) {
        (void) fclose(in);
    }
    printf(" not known |\n");
}

static void print_above(const struct cells *cells, const char *reasons)
{
    int above = 0;

    printf("\n## Cells above %g\n\n", bound);
    for (size_t i = 0; i < cells->num; i++) {
        const struct cell *cell = &cells->at[i];
        char size[NAME];

        if (!(ratio_of(cell) > bound)) {
            continue;
        }
        if (0 == above++) {
            printf("| Open MPI | cluster | calls | collective | size | ratio | against | auto took "
                   "| turns | reason |\n|---|---|---|---|---:|---:|---|---|---:|---|\n");
        }
        size_text(cell->bytes, size);
        printf("| %s | %s | %s | %s | %s | %.2f | %s | %s | %d |", cell->openmpi, cell->cluster,
               cell->kind, cell->coll, size, ratio_of(cell), cell->peer_name, cell->took,
               cell->turns);
        print_reason(reasons, cell);
    }
    if (0 == above) {
        printf("None.\n");
    }
}

static void print_applications(const char *file)
{
    struct csv csv;

    if (!csv_open(&csv, file)) {
        return;
    }
    printf("\n## Applications\n\nTime of napcoll over the time of the other component, in one job; "
           "the exchange is the collective alone.\n\n"
           "| application | cluster | against | exchange | whole |\n|---|---|---|---:|---:|\n");
    while (csv_next(&csv)) {
        printf("| %s | %s | %s | %.2f | %.2f |\n", text_of(&csv, "application"),
               text_of(&csv, "cluster"), text_of(&csv, "against"), number_of(&csv, "exchange"),
               number_of(&csv, "whole"));
    }
}

int main(int argc, char **argv)
{
    struct cells cells = {0};
    struct csv csv;

    if (5 != argc) {
        fprintf(stderr,
                "usage: results_page RESULTS.csv REASONS.txt APPLICATIONS.csv OUTPUT-FOLDER\n");
        return 2;
    }
    if (csv_open(&csv, argv[1])) {
        while (csv_next(&csv)) {
            add_line(&cells, &csv);
        }
    }
    print_groups(&cells, argv[4]);
    print_above(&cells, argv[2]);
    print_applications(argv[3]);
    free(cells.at);
    return 0 == fflush(stdout) && !ferror(stdout) ? 0 : 1;
}
