/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "measure/napcoll_options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void napcoll_check(int rc, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;

    if (MPI_SUCCESS == rc) {
        return;
    }
    (void) MPI_Error_string(rc, text, &length);
    fprintf(stderr, "%s: %s failed: %s\n", napcoll_tool_name, call, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- values ---- */

static bool take_int(const napcoll_option_t *option, const char *value)
{
    long long number;
    char *end;

    errno = 0;
    number = strtoll(value, &end, 10);
    if (0 != errno || end == value || '\0' != *end || (double) number < option->least
        || (double) number > option->most) {
        return false;
    }
    *(int *) option->variable = (int) number;
    return true;
}

static bool take_number(const napcoll_option_t *option, const char *value)
{
    char *end;
    const double number = strtod(value, &end);

    if (end == value || '\0' != *end || !isfinite(number) || number <= option->least
        || number > option->most) {
        return false;
    }
    *(double *) option->variable = number;
    return true;
}

static bool take_bytes(const napcoll_option_t *option, const char *value)
{
    size_t bytes;

    if (!napcoll_parse_bytes(&value, (size_t) option->most, &bytes) || '\0' != *value
        || (double) bytes < option->least) {
        return false;
    }
    *(size_t *) option->variable = bytes;
    return true;
}

/* Set the variable of one option; false for a wrong value. */
static bool take(const napcoll_option_t *option, const char *value)
{
    switch (option->kind) {
    case NAPCOLL_OPTION_SET:
    case NAPCOLL_OPTION_CLEAR:
        *(bool *) option->variable = NAPCOLL_OPTION_SET == option->kind;
        return true;
    case NAPCOLL_OPTION_INT:
        return take_int(option, value);
    case NAPCOLL_OPTION_NUMBER:
        return take_number(option, value);
    case NAPCOLL_OPTION_TEXT:
        *(const char **) option->variable = value;
        return '\0' != value[0];
    case NAPCOLL_OPTION_BYTES:
        return take_bytes(option, value);
    default:
        return option->parse(option->variable, value);
    }
}

/* ---- the command line ---- */

enum { MOST_OPTIONS = 32, VALUES_FROM = 256 };

/* The tables for getopt_long: option i returns VALUES_FROM + i. */
static void list_options(const napcoll_option_t *option, struct option *known, char *letters)
{
    int i;

    letters += sprintf(letters, ":h");
    for (i = 0; NULL != option[i].name && i + 2 < MOST_OPTIONS; i++) {
        const bool valued = NAPCOLL_OPTION_SET != option[i].kind
                            && NAPCOLL_OPTION_CLEAR != option[i].kind;

        known[i] = (struct option){.name = option[i].name,
                                   .has_arg = valued ? required_argument : no_argument,
                                   .val = VALUES_FROM + i};
        if (0 != option[i].letter) {
            letters += sprintf(letters, "%c%s", option[i].letter, valued ? ":" : "");
        }
    }
    known[i++] = (struct option){.name = "help", .has_arg = no_argument, .val = 'h'};
    known[i] = (struct option){.name = NULL};
}

/* The row of what getopt_long has returned. */
static const napcoll_option_t *row_of(const napcoll_option_t *option, int letter)
{
    if (letter >= VALUES_FROM) {
        return &option[letter - VALUES_FROM];
    }
    while (option->letter != letter) {
        option++;
    }
    return option;
}

napcoll_parsed_t napcoll_options_parse(const napcoll_command_line_t *line,
                                       const napcoll_option_t *option, char *message, size_t room)
{
    struct option known[MOST_OPTIONS];
    char letters[3 * MOST_OPTIONS];
    char **argv = line->argv;
    int letter;

    list_options(option, known, letters);
    opterr = 0;
    optind = line->first;
    while (-1 != (letter = getopt_long(line->argc, argv, letters, known, NULL))) {
        const napcoll_option_t *row;

        if ('h' == letter) {
            return NAPCOLL_PARSED_HELP;
        }
        if (':' == letter || '?' == letter) {
            (void) snprintf(message, room, "%.64s %s; see --help", argv[optind - 1],
                            ':' == letter ? "needs a value" : "is not an option");
            return NAPCOLL_PARSED_BAD;
        }
        row = row_of(option, letter);
        if (0 != row->commands && 0 == (row->commands & line->command)) {
            (void) snprintf(message, room, "--%s is not an option of %s; see --help", row->name,
                            line->command_name);
            return NAPCOLL_PARSED_BAD;
        }
        if (!take(row, optarg)) {
            (void) snprintf(message, room, "--%s %.64s: expected %s", row->name, optarg,
                            row->expected);
            return NAPCOLL_PARSED_BAD;
        }
    }
    if (optind < line->argc) {
        (void) snprintf(message, room, "%.64s is not an option; see --help", argv[optind]);
        return NAPCOLL_PARSED_BAD;
    }
    return NAPCOLL_PARSED_RUN;
}
