/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the MPI tools share besides measuring: their command lines, and how they end when MPI fails.
 * All ranks parse the same command line and get the same result; nothing is printed by the parser.
 */

#ifndef NAPCOLL_OPTIONS_H
#define NAPCOLL_OPTIONS_H

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/** The name of the program for its messages. Each program defines it. */
extern const char napcoll_tool_name[];

/** Abort the job, with the name of the call that failed, unless rc is MPI_SUCCESS. */
void napcoll_check(int rc, const char *call);

/** What the value of an option is, and the type of the variable that it sets. */
typedef enum {
    /** no value; bool is set */
    NAPCOLL_OPTION_SET,
    /** no value; bool is cleared */
    NAPCOLL_OPTION_CLEAR,
    /** int from least to most */
    NAPCOLL_OPTION_INT,
    /** double above least, up to most */
    NAPCOLL_OPTION_NUMBER,
    /** const char *, not empty */
    NAPCOLL_OPTION_TEXT,
    /** bytes with an optional suffix K, M or G; size_t from least to most */
    NAPCOLL_OPTION_BYTES,
    /** what `parse` takes */
    NAPCOLL_OPTION_OTHER
} napcoll_option_kind_t;

/** An option of a program, --name VALUE. */
typedef struct napcoll_option {
    /** NULL ends a table */
    const char *name;
    /** -o for one letter; 0: none */
    char letter;
    napcoll_option_kind_t kind;
    /** the variable, or the first argument of `parse` */
    void *variable;
    double least, most;
    /** what a value has to be, for the message about a wrong one */
    const char *expected;
    /** returns false for a wrong value */
    bool (*parse)(void *variable, const char *value);
    /** commands that have it, one bit each; 0: all */
    unsigned commands;
} napcoll_option_t;

typedef enum { NAPCOLL_PARSED_RUN, NAPCOLL_PARSED_HELP, NAPCOLL_PARSED_BAD } napcoll_parsed_t;

/** A command line. */
typedef struct napcoll_command_line {
    int argc;
    char **argv;
    /** index of the first option */
    int first;
    /** the subcommand, which only some options belong to, or 0 and NULL */
    unsigned command;
    const char *command_name;
} napcoll_command_line_t;

/**
 * Set the variables of all options that are given. --help and -h are known without a row.
 *
 * @param[in]  line
 * @param[in]  option   the table
 * @param[out] message  [room] one line about the first mistake, for NAPCOLL_PARSED_BAD
 */
napcoll_parsed_t napcoll_options_parse(const napcoll_command_line_t *line,
                                       const napcoll_option_t *option, char *message, size_t room);

/**
 * Read a number of bytes with an optional suffix K, M or G, and move *text behind it.
 *
 * @return false if there is none up to `most`
 */
static inline bool napcoll_parse_bytes(const char **text, size_t most, size_t *bytes)
{
    static const char suffixes[] = "KMG";
    unsigned long long value;
    const char *suffix;
    int shift = 0;
    char *end;

    if (!isdigit((unsigned char) **text)) {
        return false;
    }
    errno = 0;
    value = strtoull(*text, &end, 10);
    suffix = '\0' == *end ? NULL : strchr(suffixes, toupper((unsigned char) *end));
    if (NULL != suffix) {
        shift = 10 * (int) (suffix - suffixes + 1);
        end++;
    }
    if (0 != errno || value > most >> shift) {
        return false;
    }
    *bytes = (size_t) value << shift;
    *text = end;
    return true;
}

#endif /* NAPCOLL_OPTIONS_H */
