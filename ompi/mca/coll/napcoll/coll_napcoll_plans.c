/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans from files: process 0 of the job reads what the parameter plans_file names, proves the
 * plans of all ranks, and publishes those that are right with the settings. So a wrong plan reaches
 * no process, and the first call needs no message for the proof.
 */

#include "coll_napcoll_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "algo/file/napcoll_file_rows.h"
#include "util/napcoll_file.h"
#include "verify/napcoll_verify.h"

enum {
    /* of all files, which process 0 sends to all others */
    MOST_BYTES = 4 << 20,
    MOST_FILES = 64,
    /* mistakes that the message names */
    MOST_SHOWN = 8
};

/* What process 0 has read. */
typedef struct {
    napcoll_plan_text_t *read[MOST_FILES];
    int files;
    size_t bytes;
    /* the plan sets that are right */
    const napcoll_plan_set_t *set[NAPCOLL_MOST_PLAN_SETS];
    int sets;
    /* lines of the message */
    char *mistake;
    int mistakes;
} reader_t;

/* ---- mistakes ---- */

/* Note a mistake: one line of the message. */
__attribute__((format(printf, 3, 4))) static void note(reader_t *reader, const char *path,
                                                       const char *format, ...)
{
    char text[512], *longer;
    va_list args;

    if (++reader->mistakes > MOST_SHOWN) {
        return;
    }
    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (asprintf(&longer, "%s  %s%s\n", NULL == reader->mistake ? "" : reader->mistake, path, text)
        >= 0) {
        free(reader->mistake);
        reader->mistake = longer;
    }
}

static void report(reader_t *reader)
{
    char more[64] = "";

    if (0 == reader->mistakes) {
        return;
    }
    if (reader->mistakes > MOST_SHOWN) {
        (void) snprintf(more, sizeof(more), "  and %d more\n", reader->mistakes - MOST_SHOWN);
    }
    napcoll_compat_show_help("bad plans", napcoll_compat_hostname(),
                             NULL == reader->mistake ? "" : reader->mistake, more);
}

/* ---- plan sets ---- */

/* Whether each process decides alone whether it is in place. */
static bool is_in_place_alone(napcoll_goal_t goal)
{
    return NAPCOLL_GOAL_REDUCE == goal || NAPCOLL_GOAL_SCAN == goal || NAPCOLL_GOAL_EXSCAN == goal;
}

/* Whether a rank's plan leaves a phase to another component. */
static bool has_phases(napcoll_generator_t *generator, int rank)
{
    napcoll_plan_t *plan = napcoll_generator_plan(generator, rank);
    bool has = false;

    for (int i = 0; NULL != plan && i < plan->steps; i++) {
        has = has || NAPCOLL_STEP_PHASE == plan->step[i].kind;
    }
    napcoll_plan_free(plan);
    return has;
}

/* Prove the plans of a set, for calls in place and others as far as they are for them. */
static bool is_proved(napcoll_generator_t *generator, const napcoll_plan_set_t *set,
                      napcoll_verdict_t *verdict)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        napcoll_claim_t claim;

        if (NAPCOLL_IN_PLACE_BOTH != set->in_place
            && (1 == in_place) != (NAPCOLL_IN_PLACE_YES == set->in_place)) {
            continue;
        }
        generator->args.params.in_place = 1 == in_place;
        claim = napcoll_plan_args_claim(&generator->args);
        if (NAPCOLL_VERIFY_OK
            != napcoll_plan_prove(napcoll_generator_plan, generator, set->map, &claim,
                                  &(napcoll_proof_t){0}, verdict)) {
            return false;
        }
    }
    return true;
}

/* Take a plan set, or note why not. */
static void take_set(reader_t *reader, const char *path, const napcoll_plan_set_t *set)
{
    napcoll_generator_t generator = {.args = {.collective = set->collective,
                                              .algorithm = &set->row.algorithm,
                                              .map = set->map,
                                              .params = napcoll_plan_set_params(set)}};
    napcoll_verdict_t verdict;
    bool phases = false;

    for (int i = 0; i < reader->sets; i++) {
        if (napcoll_plan_set_is_twin(reader->set[i], set)) {
            note(reader, path,
                 ", line %d: plan %s: another file has plans of that name for the "
                 "same calls",
                 set->line, set->name);
            return;
        }
    }
    for (int rank = 0; rank < set->ranks; rank++) {
        phases = phases || has_phases(&generator, rank);
    }
    if (phases) {
        note(reader, path, ", line %d: plan %s: phases of other components; expected messages",
             set->line, set->name);
    } else if (is_in_place_alone(set->collective->goal) && NAPCOLL_IN_PLACE_BOTH != set->in_place) {
        note(reader, path,
             ", line %d: plan %s: each process decides alone whether %s is in place; "
             "expected a line \"in_place both\"",
             set->line, set->name, set->collective->name);
    } else if (NAPCOLL_MOST_PLAN_SETS == reader->sets) {
        note(reader, path, ", line %d: plan %s: expected at most %d plans", set->line, set->name,
             NAPCOLL_MOST_PLAN_SETS);
    } else if (!is_proved(&generator, set, &verdict)) {
        note(reader, path, ", line %d: plan %s of %s is wrong (%s): %s", set->line, set->name,
             set->collective->name, napcoll_verify_status_name(verdict.status), verdict.text);
    } else {
        reader->set[reader->sets++] = set;
    }
}

/* ---- files ---- */

static void read_file(reader_t *reader, const char *path)
{
    napcoll_plan_text_error_t error;
    napcoll_plan_text_t *read;
    napcoll_file_error_t why;
    size_t length;
    char *text;

    if (MOST_FILES == reader->files) {
        note(reader, path, ": expected at most %d files", MOST_FILES);
        return;
    }
    text = napcoll_file_load(path, MOST_BYTES - reader->bytes, &length, &why);
    if (NULL == text) {
        note(reader, path, " %s", why.text);
        return;
    }
    if (0 != napcoll_plan_text_read(text, length, false, &read, &error)) {
        note(reader, path, ", line %d, column %d: %s", error.line, error.column, error.text);
    } else {
        reader->read[reader->files++] = read;
        reader->bytes += length;
        for (int i = 0; i < read->sets; i++) {
            take_set(reader, path, read->set[i]);
        }
    }
    free(text);
}

/* Whether a file of a folder has plans: its name ends in .plans, and it is not hidden. */
static int has_plans(const struct dirent *entry)
{
    static const char ending[] = ".plans";
    const size_t length = strlen(entry->d_name);

    return '.' != entry->d_name[0] && length > strlen(ending)
           && 0 == strcmp(entry->d_name + length - strlen(ending), ending);
}

/* Read a file, or the files of a folder in the order of their names. */
static void read_path(reader_t *reader, const char *path)
{
    struct dirent **entry = NULL;
    const int entries = scandir(path, &entry, has_plans, alphasort);
    char *file;

    if (entries < 0) {
        read_file(reader, path);
    }
    if (0 == entries) {
        note(reader, path, ": a folder without files *.plans");
    }
    for (int i = 0; i < entries; i++) {
        if (asprintf(&file, "%s/%s", path, entry[i]->d_name) >= 0) {
            read_file(reader, file);
            free(file);
        }
        free(entry[i]);
    }
    free(entry);
}

/* The plan sets that are right, as one text; NULL where memory ran out. */
static char *text_of(const reader_t *reader)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (NULL == out) {
        return NULL;
    }
    if (reader->sets > 0) {
        napcoll_plan_text_begin(out);
    }
    for (int i = 0; i < reader->sets; i++) {
        const napcoll_plan_section_t *whole = &reader->set[i]->whole;

        (void) fwrite(whole->begin, 1, (size_t) (whole->end - whole->begin), out);
        (void) fputc('\n', out);
    }
    if (0 != fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

char *mca_coll_napcoll_read_plans(void)
{
    const char *path = mca_coll_napcoll_component.plans_file;
    reader_t *reader;
    char *text, *places;

    if (NULL == path || '\0' == path[0]) {
        return strdup("");
    }
    reader = calloc(1, sizeof(*reader));
    if (NULL == reader) {
        return NULL;
    }
    places = mca_coll_napcoll_places("plans_file", path);
    read_path(reader, NULL == places ? path : places);
    report(reader);
    text = text_of(reader);
    for (int i = 0; i < reader->files; i++) {
        napcoll_plan_text_free(reader->read[i]);
    }
    free(reader->mistake);
    free(reader);
    free(places);
    return text;
}

/* On process 0: report the names that parameters have and no plan. */
static void report_unknown(void)
{
    const napcoll_file_row_t *row;
    char names[512] = "";
    int at = 0;

    while (NULL != (row = napcoll_file_rows_unknown(&at))) {
        const size_t used = strlen(names);

        (void) snprintf(names + used, sizeof(names) - used, "  coll_napcoll_%s_algorithm=%s\n",
                        row->collective->name, row->title);
    }
    if ('\0' != names[0]) {
        const char *path = mca_coll_napcoll_component.plans_file;

        napcoll_compat_show_help("no such plan", names, NULL == path ? "not set" : path);
    }
}

int mca_coll_napcoll_set_plans(const char *text, size_t length)
{
    napcoll_plan_text_error_t error;
    napcoll_plan_text_t *read;
    int rc = OMPI_SUCCESS;

    if (length > 0) {
        /* process 0 has read the same text without an error: memory ran out */
        rc = 0 == napcoll_plan_text_read(text, length, true, &read, &error)
                     && 0 == napcoll_file_rows_take(read)
                 ? OMPI_SUCCESS
                 : OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == rc && mca_coll_napcoll_reports()) {
        report_unknown();
    }
    return rc;
}
