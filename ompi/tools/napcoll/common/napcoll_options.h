/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The command line of a tool, from tables: its commands and options say what is parsed, where
 * values go, what --help prints and what shells complete. Pure: no MPI. Nothing is printed by the
 * parser, so that all processes of a job may parse and one may print.
 *
 *     TOOL [COMMAND] [--NAME VALUE]... [OPERAND]...
 *
 * Each tool and each command takes -h, --help and --version without a row in the tables. As first
 * argument, --complete makes the tool print what the last argument, of which any part is typed, may
 * be: commands and options or, behind an option, names that are values of it (napcoll.bash).
 */

#ifndef NAPCOLL_OPTIONS_H
#define NAPCOLL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/napcoll_names.h"
#include "common/napcoll_numbers.h"

enum {
    /* characters of a message about a command line, with names from it */
    NAPCOLL_MESSAGE = 1024
};

/** What the value of an option is, and the type of the variable that it sets. */
typedef enum {
    /** no value; bool is set */
    NAPCOLL_OPTION_SET,
    /** no value; bool is cleared */
    NAPCOLL_OPTION_CLEAR,
    /** int from least to most */
    NAPCOLL_OPTION_INT,
    /** double from least to most */
    NAPCOLL_OPTION_REAL,
    /** double, seconds above 0, up to most */
    NAPCOLL_OPTION_TIME,
    /** const char * */
    NAPCOLL_OPTION_TEXT,
    /** const char *, not empty */
    NAPCOLL_OPTION_FILE,
    /** size_t from least to most */
    NAPCOLL_OPTION_SIZE,
    /** int, index into `names` */
    NAPCOLL_OPTION_NAME,
    /** what `parse` takes */
    NAPCOLL_OPTION_OTHER
} napcoll_option_kind_t;

/** An option, --name VALUE. */
typedef struct napcoll_option {
    /** NULL ends a table */
    const char *name;
    /** -o for one letter; 0: none */
    char letter;
    napcoll_option_kind_t kind;
    /** the offset of its variable in the options of the tool */
    size_t at;
    double least, most;
    /** commands that have it, one bit each; 0: all */
    unsigned commands;
    /** what --help calls its value; NULL: it has none */
    const char *argument;
    /** --help wraps it; of NAPCOLL_OPTION_NAME, the names follow */
    const char *help;
    /** what a value has to be, for the message about a wrong one; NULL: as kind and range say */
    const char *expected;
    /** NAPCOLL_OPTION_NAME: the values, of which the first has index 0. Of other kinds: names that
     * shells complete. May depend on options that were given before. NULL: none. */
    napcoll_names_t (*names)(const void *options);
    /** Returns false for a wrong value, and may say in message [NAPCOLL_MESSAGE] what was expected.
     */
    bool (*parse)(void *options, const char *value, char *message);
} napcoll_option_t;

/** A command of a tool. */
typedef struct napcoll_command {
    /** one word or two; NULL ends a table */
    const char *name;
    /** the bit in napcoll_option.commands */
    unsigned bit;
    /** what --help calls the arguments that are no options; NULL: it takes none */
    const char *operands;
    /** what it does, in the list of commands and above its options */
    const char *help;
    /** whether it takes options; else none but --help and --version */
    bool options;
} napcoll_command_t;

typedef struct napcoll_tool {
    const char *name;
    /** how it is started: "mpirun ... collbench" */
    const char *start;
    const char *help;
    /** NULL: it has no commands */
    const napcoll_command_t *command;
    /** the first command is meant where none is given */
    bool first_is_default;
    const napcoll_option_t *option;
    /** lines that --help adds behind the options of any command; NULL: nothing */
    const char *notes;
} napcoll_tool_t;

typedef enum {
    /** the tool is to do its work */
    NAPCOLL_PARSED_RUN,
    /** one process is to call napcoll_tool_answer, and the tool to end with status 0 */
    NAPCOLL_PARSED_ANSWER,
    /** one process is to print the message, and the tool to end with status 2 */
    NAPCOLL_PARSED_BAD
} napcoll_parsed_t;

typedef enum {
    NAPCOLL_ANSWER_HELP,
    NAPCOLL_ANSWER_VERSION,
    NAPCOLL_ANSWER_COMPLETE
} napcoll_answer_t;

/** A command line that was parsed. */
typedef struct napcoll_command_line {
    const napcoll_tool_t *tool;
    /** The options, which napcoll_tool_parse has set. */
    void *options;
    /** NULL: none was given, and none is the default */
    const napcoll_command_t *command;
    /** it is the default: none was given */
    bool unnamed;
    /** the first word of several commands, of which help is wanted or none was named; or NULL */
    const char *group;
    /** index in argv of the first operand; argc: there is none */
    int operands;
    napcoll_answer_t answer;
    /** the option whose value is missing at the end; NULL: none is */
    const napcoll_option_t *unfinished;
    /** what a shell wants to complete, may be empty; NULL: the command line is wrong */
    const char *typed;
    /** one line about the first mistake */
    char message[NAPCOLL_MESSAGE];
} napcoll_command_line_t;

/**
 * Parse a command line: find the command and set the variables of all options that are given.
 *
 * @param[in]     argv     [argc] operands are moved behind the options
 * @param[in,out] options  with its defaults; changed also where the command line is wrong
 * @param[out]    line     what was found
 */
napcoll_parsed_t napcoll_tool_parse(const napcoll_tool_t *tool, int argc, char **argv,
                                    void *options, napcoll_command_line_t *line);

/** Print what the command line asks for. Returns the exit status, 1 where that failed. */
int napcoll_tool_answer(const napcoll_command_line_t *line);

/** Print the message about a wrong command line to standard error. Returns the exit status. */
int napcoll_tool_refuse(const napcoll_command_line_t *line);

/* ---- napcoll_options_help.c ---- */

/** Print the help of a command, of a group of commands or of the tool. */
void napcoll_tool_help(const napcoll_command_line_t *line, FILE *out);

#endif /* NAPCOLL_OPTIONS_H */
