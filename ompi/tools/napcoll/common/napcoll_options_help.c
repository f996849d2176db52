/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The help of the tools, from the tables of their commands and options.
 */

#include <string.h>

#include "common/napcoll_options.h"

/* Columns: of the texts beside names, and of a line. */
enum { TEXT_COLUMN = 25, LINE = 80 };

/* Print words from a column on, which is moved; lines go on in `indent`. */
static void put_words(FILE *out, const char *text, int indent, int *column)
{
    static const char blanks[] = " \n";

    for (text += strspn(text, blanks); '\0' != *text; text += strspn(text, blanks)) {
        const int length = (int) strcspn(text, blanks);

        if (*column > indent && *column + 1 + length > LINE) {
            fputc('\n', out);
            *column = 0;
        }
        if (*column < indent) {
            *column += fprintf(out, "%*s", indent - *column, "");
        } else if (*column > indent) {
            *column += fprintf(out, " ");
        }
        *column += fprintf(out, "%.*s", length, text);
        text += length;
    }
}

/* Print a name, without a newline, and begin the text beside or below it. Returns the column. */
static int begin_entry(FILE *out, const char *name, const char *text)
{
    int column = fprintf(out, "  %s", name);

    if (column + 2 > TEXT_COLUMN) {
        fputc('\n', out);
        column = 0;
    }
    put_words(out, text, TEXT_COLUMN, &column);
    return column;
}

static void print_entry(FILE *out, const char *name, const char *text)
{
    (void) begin_entry(out, name, text);
    fputc('\n', out);
}

static void print_option(FILE *out, const napcoll_option_t *option, const void *options)
{
    char name[80];
    int column;

    (void) snprintf(name, sizeof(name), "%s%c%s--%s%s%s", 0 == option->letter ? "" : "-",
                    0 == option->letter ? ' ' : option->letter, 0 == option->letter ? "" : ", ",
                    option->name, NULL == option->argument ? "" : " ",
                    NULL == option->argument ? "" : option->argument);
    column = begin_entry(out, name + (' ' == name[0]), option->help);
    if (NAPCOLL_OPTION_NAME == option->kind) {
        const napcoll_names_t names = option->names(options);

        for (int i = 0; NULL != names.at(names.context, i); i++) {
            const bool last = NULL == names.at(names.context, i + 1);

            (void) snprintf(name, sizeof(name), "%s%s", names.at(names.context, i),
                            last ? "" : ",");
            put_words(out, name, TEXT_COLUMN, &column);
        }
    }
    fputc('\n', out);
}

static void print_options(const napcoll_command_line_t *line, const napcoll_command_t *command,
                          FILE *out)
{
    const napcoll_option_t *option = line->tool->option;

    for (; NULL != option->name && (NULL == command || command->options); option++) {
        if (NULL == command || 0 == option->commands || 0 != (option->commands & command->bit)) {
            print_option(out, option, line->options);
        }
    }
    print_entry(out, "-h, --help", "this text");
    print_entry(out, "--version", "the version, and its git revision");
}

static void print_usage(const napcoll_tool_t *tool, const napcoll_command_t *command, FILE *out)
{
    int column = 0;

    fprintf(out, "usage: %s", tool->start);
    if (NULL != command) {
        const bool is_default = tool->first_is_default && command == tool->command;

        fprintf(out, is_default ? " [%s]" : " %s", command->name);
    }
    fputs(NULL == command || command->options ? " [OPTION]..." : "", out);
    if (NULL != command && NULL != command->operands) {
        fprintf(out, " %s", command->operands);
    }
    fputc('\n', out);
    put_words(out, NULL == command ? tool->help : command->help, 0, &column);
    fputs("\n\n", out);
}

static void print_command(const napcoll_command_line_t *line, const napcoll_command_t *command,
                          FILE *out)
{
    print_usage(line->tool, command, out);
    print_options(line, command, out);
    if (NULL != line->tool->notes && (NULL == command || command->options)) {
        fprintf(out, "\n%s\n", line->tool->notes);
    }
}

static void print_overview(const napcoll_tool_t *tool, FILE *out)
{
    int column = 0;

    fprintf(out, "usage: %s %s [OPTION]...\n", tool->start,
            tool->first_is_default ? "[COMMAND]" : "COMMAND");
    put_words(out, tool->help, 0, &column);
    fputs("\n\n", out);
    for (const napcoll_command_t *command = tool->command; NULL != command->name; command++) {
        print_entry(out, command->name, command->help);
    }
    fputc('\n', out);
    print_entry(out, "COMMAND --help", "the options of a command");
    print_entry(out, "-h, --help", "this text");
    print_entry(out, "--version", "the version, and its git revision");
}

void napcoll_tool_help(const napcoll_command_line_t *line, FILE *out)
{
    const napcoll_command_t *command = line->tool->command;
    const size_t length = NULL == line->group ? 0 : strlen(line->group);
    const char *before = "";

    if (NULL != line->group) {
        for (; NULL != command->name; command++) {
            if (0 == strncmp(command->name, line->group, length) && ' ' == command->name[length]) {
                fputs(before, out);
                print_command(line, command, out);
                before = "\n";
            }
        }
    } else if (NULL != command && (NULL == line->command || line->unnamed)) {
        print_overview(line->tool, out);
    } else {
        print_command(line, line->command, out);
    }
}
