/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Parameters besides the machine; see napcoll_parameters.h.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/napcoll_memory.h"
#include "common/napcoll_numbers.h"
#include "common/napcoll_parameters.h"
#include "util/napcoll_file.h"

/* The value of a line "NAME = VALUE" without blanks around it, in place; NULL: the line is another
 * one. */
static char *value_of(char *line, const char *name)
{
    const size_t length = strlen(name);
    char *end;

    line += strspn(line, " \t");
    if (0 != strncmp(line, name, length)) {
        return NULL;
    }
    line += length;
    line += strspn(line, " \t");
    if ('=' != *line) {
        return NULL;
    }
    line += 1 + strspn(line + 1, " \t");
    for (end = line + strlen(line); end > line && NULL != strchr(" \t\r\n", end[-1]);) {
        *--end = '\0';
    }
    return line;
}

/* Read a truth value, by one of Open MPI's words for it; false: it is none. */
static bool read_truth(const char *value, bool *truth)
{
    static const char *const words[][2] = {{"0", "1"}, {"false", "true"},
                                           {"f", "t"}, {"no", "yes"},
                                           {"n", "y"}, {"disabled", "enabled"}};

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        for (int which = 0; which < 2; which++) {
            if (0 == strcasecmp(value, words[i][which])) {
                *truth = 1 == which;
                return true;
            }
        }
    }
    return false;
}

/* Take a line; the last of several lines counts, as in Open MPI. */
static int take_line(char *line, napcoll_parameters_t *parameters,
                     napcoll_parameters_error_t *error)
{
    napcoll_thresholds_t *thresholds = &parameters->thresholds;
    const struct {
        const char *name;
        size_t *threshold;
    } sizes[] = {{"coll_napcoll_gather_m1", &thresholds->gather_m1},
                 {"coll_napcoll_gather_m2", &thresholds->gather_m2},
                 {"coll_napcoll_scatter_s", &thresholds->scatter_s}};
    const char *value = value_of(line, "coll_napcoll_rules_file");

    if (NULL != value) {
        free(parameters->rules_file);
        parameters->rules_file = strdup(value);
        if (NULL == parameters->rules_file) {
            napcoll_out_of_memory();
        }
    }
    value = value_of(line, "coll_napcoll_node_memory");
    if (NULL != value && !read_truth(value, &parameters->node_memory)) {
        (void) snprintf(error->text, sizeof(error->text),
                        "coll_napcoll_node_memory = %.64s: expected true or false", value);
        return -1;
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        value = value_of(line, sizes[i].name);
        if (NULL == value) {
            continue;
        }
        if (!napcoll_read_size(value, 0, SIZE_MAX, sizes[i].threshold)) {
            (void) snprintf(error->text, sizeof(error->text),
                            "%s = %.64s: expected a number of bytes; " NAPCOLL_SUFFIXES,
                            sizes[i].name, value);
            return -1;
        }
    }
    return 0;
}

/* Replace the rules file's name by its path. */
static void find_rules(const char *path, napcoll_parameters_t *parameters)
{
    char *name = parameters->rules_file;

    if (NULL == name || '\0' == name[0]) {
        return;
    }
    parameters->rules_file = napcoll_file_find(name, path);
    free(name);
    if (NULL == parameters->rules_file) {
        napcoll_out_of_memory();
    }
}

int napcoll_parameters_read(FILE *in, const char *path, napcoll_parameters_t *parameters,
                            napcoll_parameters_error_t *error)
{
    size_t room = 0;
    char *line = NULL;
    int rc = 0;

    *parameters = (napcoll_parameters_t){.thresholds = napcoll_thresholds_default,
                                         .node_memory = true};
    *error = (napcoll_parameters_error_t){.line = 0};
    while (0 == rc && getline(&line, &room, in) >= 0) {
        error->line++;
        rc = take_line(line, parameters, error);
    }
    free(line);
    find_rules(path, parameters);
    if (0 != rc) {
        napcoll_parameters_close(parameters);
    }
    return rc;
}

void napcoll_parameters_close(napcoll_parameters_t *parameters)
{
    free(parameters->rules_file);
    parameters->rules_file = NULL;
}
