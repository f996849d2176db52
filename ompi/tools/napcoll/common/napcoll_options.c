/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The command lines of the tools; see napcoll_options.h.
 */

#include "common/napcoll_options.h"
#include "common/napcoll_output.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_version.h"

enum { MOST_OPTIONS = 64, DASHED = 32, EXIT_REFUSED = 2 };

/* What getopt_long returns: a letter, one of these or VALUES_FROM + the row of an option. */
enum { HELP = 256, VERSION, VALUES_FROM };

/* Characters of what was given that messages show. */
enum { SHOWN = 200 };

/* ---- commands ---- */

/* How many arguments, from the first one on, name this command; 0: they do not. */
static int words_of(const napcoll_command_t *command, int argc, char **argv)
{
    const char *name = command->name;
    int words = 0;

    do {
        const size_t length = strcspn(name, " ");

        if (words + 1 >= argc || strlen(argv[words + 1]) != length
            || 0 != strncmp(argv[words + 1], name, length)) {
            return 0;
        }
        words++;
        name += length;
        name += ' ' == *name;
    } while ('\0' != *name);
    return words;
}

/* Whether a command has several words, of which the first is this one. */
static bool is_of_group(const napcoll_command_t *command, const char *word)
{
    const size_t length = strlen(word);

    return 0 == strncmp(command->name, word, length) && ' ' == command->name[length];
}

/* The i-th command of a group of commands, or of the tool. */
static const char *command_name_at(const void *context, int i)
{
    const napcoll_command_line_t *line = context;
    const napcoll_command_t *command = line->tool->command;

    for (; NULL != command->name; command++) {
        if ((NULL == line->group || is_of_group(command, line->group)) && 0 == i--) {
            return command->name;
        }
    }
    return NULL;
}

static bool asks_for_help(const char *argument)
{
    return 0 == strcmp(argument, "--help") || 0 == strcmp(argument, "-h");
}

/* Whether the tool has commands, and none is given. */
static bool lacks_command(const napcoll_command_line_t *line)
{
    return NULL == line->command && NULL != line->tool->command;
}

static napcoll_parsed_t refuse_without_command(napcoll_command_line_t *line)
{
    static const char missing[] = "a command is missing; ";
    const napcoll_names_t names = {.at = command_name_at, .context = line};
    const size_t used = strlen(missing);

    strcpy(line->message, missing);
    napcoll_name_expected(line->message + used, sizeof(line->message) - used, &names, "", 0);
    return NAPCOLL_PARSED_BAD;
}

static napcoll_parsed_t refuse_command(napcoll_command_line_t *line, const char *first,
                                       const char *second)
{
    const napcoll_names_t names = {.at = command_name_at, .context = line};
    const size_t room = sizeof(line->message);
    char given[SHOWN];
    int used;

    (void) snprintf(given, sizeof(given), "%s%s%s", first, '\0' == *second ? "" : " ", second);
    used = snprintf(line->message, room, "%s: no such command; ", given);
    napcoll_name_expected(line->message + used, room - (size_t) used, &names, given, strlen(given));
    return NAPCOLL_PARSED_BAD;
}

/* Find the command. Sets *first to the index of the first argument behind it. */
static napcoll_parsed_t find_command(napcoll_command_line_t *line, int argc, char **argv,
                                     int *first)
{
    const napcoll_tool_t *tool = line->tool;

    *first = 1;
    if (NULL == tool->command) {
        return NAPCOLL_PARSED_RUN;
    }
    if (argc < 2 || '-' == argv[1][0]) {
        line->unnamed = true;
        line->command = tool->first_is_default ? tool->command : NULL;
        return NAPCOLL_PARSED_RUN;
    }
    for (const napcoll_command_t *command = tool->command; NULL != command->name; command++) {
        const int words = words_of(command, argc, argv);

        if (words > 0) {
            line->command = command;
            *first = 1 + words;
            return NAPCOLL_PARSED_RUN;
        }
    }
    for (const napcoll_command_t *command = tool->command; NULL != command->name; command++) {
        line->group = is_of_group(command, argv[1]) ? argv[1] : line->group;
    }
    if (NULL != line->group && argc > 2 && asks_for_help(argv[2])) {
        return NAPCOLL_PARSED_ANSWER;
    }
    return refuse_command(line, argv[1], NULL == line->group || argc < 3 ? "" : argv[2]);
}

/* ---- values ---- */

static bool take_name(const napcoll_option_t *option, void *options, const char *value, int *index,
                      char *message)
{
    const napcoll_names_t names = option->names(options);
    const int found = napcoll_name_find(&names, value, strlen(value));

    if (found < 0) {
        napcoll_name_expected(message, NAPCOLL_MESSAGE, &names, value, strlen(value));
        return false;
    }
    *index = found;
    return true;
}

/* Set the variable of one option; false for a wrong value. */
static bool take(const napcoll_option_t *option, void *options, const char *value, char *message)
{
    void *variable = (char *) options + option->at;
    const size_t least = option->least > 0 ? (size_t) option->least : 0;

    switch (option->kind) {
    case NAPCOLL_OPTION_SET:
    case NAPCOLL_OPTION_CLEAR:
        *(bool *) variable = NAPCOLL_OPTION_SET == option->kind;
        return true;
    case NAPCOLL_OPTION_INT:
        return napcoll_read_int(value, (int) option->least, (int) option->most, variable);
    case NAPCOLL_OPTION_REAL:
        return napcoll_read_real(value, option->least, option->most, variable);
    case NAPCOLL_OPTION_TIME:
        return napcoll_read_time(value, 1e-9, option->most, variable);
    case NAPCOLL_OPTION_TEXT:
    case NAPCOLL_OPTION_FILE:
        *(const char **) variable = value;
        return NAPCOLL_OPTION_TEXT == option->kind || '\0' != value[0];
    case NAPCOLL_OPTION_SIZE:
        return napcoll_read_size(value, least, (size_t) option->most, variable);
    case NAPCOLL_OPTION_NAME:
        return take_name(option, options, value, variable, message);
    default:
        return option->parse(options, value, message);
    }
}

/* What a value has to be. */
static void describe(const napcoll_option_t *option, char *text, size_t room)
{
    if (NULL != option->expected) {
        (void) snprintf(text, room, "expected %s", option->expected);
    } else if (NAPCOLL_OPTION_INT == option->kind) {
        (void) snprintf(text, room, "expected a number from %.0f to %.0f", option->least,
                        option->most);
    } else if (NAPCOLL_OPTION_REAL == option->kind) {
        (void) snprintf(text, room, "expected a number from %g to %g", option->least, option->most);
    } else if (NAPCOLL_OPTION_TIME == option->kind) {
        (void) snprintf(text, room, "expected a time above 0, up to %g s, such as 2, 0.5s or 300us",
                        option->most);
    } else if (NAPCOLL_OPTION_SIZE == option->kind) {
        (void) snprintf(text, room,
                        "expected a size from %.0f to %.0f bytes, such as 256 or 4K; %s",
                        option->least, option->most, NAPCOLL_SUFFIXES);
    } else {
        (void) snprintf(text, room, "expected a file name");
    }
}

/* ---- options ---- */

static bool has_value(const napcoll_option_t *option)
{
    return NAPCOLL_OPTION_SET != option->kind && NAPCOLL_OPTION_CLEAR != option->kind;
}

/* Whether a command takes an option. */
static bool takes(const napcoll_command_t *command, const napcoll_option_t *option)
{
    return NULL == command
           || (command->options
               && (0 == option->commands || 0 != (option->commands & command->bit)));
}

/* What messages call the tool, or its command. */
static const char *name_of(const napcoll_command_line_t *line)
{
    return NULL == line->command ? line->tool->name : line->command->name;
}

/* The tables for getopt_long. */
static void list_options(const napcoll_option_t *option, struct option *known, char *letters)
{
    int i;

    letters += sprintf(letters, ":h");
    for (i = 0; NULL != option[i].name && i + 3 < MOST_OPTIONS; i++) {
        known[i] = (struct option){.name = option[i].name,
                                   .has_arg = has_value(&option[i]) ? required_argument
                                                                    : no_argument,
                                   .val = VALUES_FROM + i};
        if (0 != option[i].letter) {
            letters += sprintf(letters, "%c%s", option[i].letter, has_value(&option[i]) ? ":" : "");
        }
    }
    known[i++] = (struct option){.name = "help", .has_arg = no_argument, .val = HELP};
    known[i++] = (struct option){.name = "version", .has_arg = no_argument, .val = VERSION};
    known[i] = (struct option){.name = NULL};
}

/* The row of what getopt_long has returned, or of a letter; NULL: it has none. */
static const napcoll_option_t *row_of(const napcoll_option_t *option, int value)
{
    if (value >= VALUES_FROM) {
        return &option[value - VALUES_FROM];
    }
    while (NULL != option->name && (0 == option->letter || option->letter != value)) {
        option++;
    }
    return NULL == option->name ? NULL : option;
}

/* The options of a command, as they are typed. */
typedef struct {
    char text[MOST_OPTIONS][DASHED];
    const char *name[MOST_OPTIONS + 1];
} dashed_t;

static void dash_options(const napcoll_command_line_t *line, dashed_t *dashed)
{
    const napcoll_option_t *option = line->tool->option;
    int count = 0;

    for (int i = 0; NULL != option[i].name && count + 2 < MOST_OPTIONS; i++) {
        if ((NULL != line->command || NULL == line->tool->command)
            && takes(line->command, &option[i])) {
            (void) snprintf(dashed->text[count], DASHED, "--%s", option[i].name);
            dashed->name[count] = dashed->text[count];
            count++;
        }
    }
    dashed->name[count++] = "--help";
    dashed->name[count++] = "--version";
    dashed->name[count] = NULL;
}

static napcoll_parsed_t refuse_option(napcoll_command_line_t *line, const char *given)
{
    const size_t room = sizeof(line->message);
    const size_t length = strcspn(given, "=");
    dashed_t dashed;
    const napcoll_names_t names = {.at = napcoll_name_in_array, .context = dashed.name};
    int used;

    dash_options(line, &dashed);
    used = snprintf(line->message, room, "%.*s: not an option of %s; ",
                    (int) (length < SHOWN ? length : SHOWN), given, name_of(line));
    napcoll_name_expected(line->message + used, room - (size_t) used, &names, given, length);
    return NAPCOLL_PARSED_BAD;
}

/* The option is another command's. */
static napcoll_parsed_t refuse_here(napcoll_command_line_t *line, const napcoll_option_t *option)
{
    const napcoll_command_t *command = line->tool->command;
    const size_t room = sizeof(line->message);
    int used = snprintf(line->message, room, "--%s: not an option of %s; it belongs to",
                        option->name, name_of(line));
    const char *before = " ";

    for (; NULL != command->name; command++) {
        if (takes(command, option)) {
            used += snprintf(line->message + used, room - (size_t) used, "%s%s", before,
                             command->name);
            before = ", ";
        }
    }
    return NAPCOLL_PARSED_BAD;
}

/* getopt_long has found a mistake. */
static napcoll_parsed_t refuse(napcoll_command_line_t *line, int kind, const char *given)
{
    const napcoll_option_t *row = row_of(line->tool->option, optopt);
    char letter[] = {'-', (char) optopt, '\0'};

    if (NULL != row && !lacks_command(line) && !takes(line->command, row)) {
        return refuse_here(line, row);
    }
    if (':' == kind || optopt >= HELP) {
        (void) snprintf(line->message, sizeof(line->message), "%.*s: %s", SHOWN, given,
                        ':' == kind ? "a value is missing" : "expected no value");
        line->unfinished = ':' == kind ? row : NULL;
        return NAPCOLL_PARSED_BAD;
    }
    return refuse_option(line, 0 == optopt ? given : letter);
}

static napcoll_parsed_t set_option(napcoll_command_line_t *line, const napcoll_option_t *option)
{
    const int shown = SHOWN;
    char expected[NAPCOLL_MESSAGE] = "";

    if (!takes(line->command, option)) {
        return refuse_here(line, option);
    }
    if (take(option, line->options, optarg, expected)) {
        return NAPCOLL_PARSED_RUN;
    }
    if ('\0' == expected[0]) {
        describe(option, expected, sizeof(expected));
    }
    (void) snprintf(line->message, sizeof(line->message), "--%s %.*s: %.*s", option->name, shown,
                    optarg, NAPCOLL_MESSAGE - 2 * SHOWN, expected);
    return NAPCOLL_PARSED_BAD;
}

static napcoll_parsed_t parse_options(napcoll_command_line_t *line, int argc, char **argv,
                                      int first)
{
    const napcoll_option_t *option = line->tool->option;
    struct option known[MOST_OPTIONS];
    char letters[3 * MOST_OPTIONS];
    napcoll_parsed_t parsed;
    int value;

    list_options(option, known, letters);
    opterr = 0;
    optind = first;
    while (-1 != (value = getopt_long(argc, argv, letters, known, NULL))) {
        if ('h' == value || HELP == value || VERSION == value) {
            line->answer = VERSION == value ? NAPCOLL_ANSWER_VERSION : NAPCOLL_ANSWER_HELP;
            return NAPCOLL_PARSED_ANSWER;
        }
        if (':' == value || '?' == value) {
            return refuse(line, value, argv[optind - 1]);
        }
        if (lacks_command(line)) {
            return refuse_without_command(line);
        }
        parsed = set_option(line, row_of(option, value));
        if (NAPCOLL_PARSED_RUN != parsed) {
            return parsed;
        }
    }
    line->operands = optind;
    if (optind < argc && (NULL == line->command || NULL == line->command->operands)) {
        (void) snprintf(line->message, sizeof(line->message),
                        "%.*s: unexpected argument; options of %s begin with --", SHOWN,
                        argv[optind], name_of(line));
        return NAPCOLL_PARSED_BAD;
    }
    return NAPCOLL_PARSED_RUN;
}

/* ---- all of it ---- */

static napcoll_parsed_t parse(napcoll_command_line_t *line, int argc, char **argv)
{
    int first;
    napcoll_parsed_t parsed = find_command(line, argc, argv, &first);

    if (NAPCOLL_PARSED_RUN == parsed) {
        parsed = parse_options(line, argc, argv, first);
    }
    if (NAPCOLL_PARSED_RUN == parsed && lacks_command(line)) {
        return refuse_without_command(line);
    }
    return parsed;
}

napcoll_parsed_t napcoll_tool_parse(const napcoll_tool_t *tool, int argc, char **argv,
                                    void *options, napcoll_command_line_t *line)
{
    napcoll_output_begin();
    *line = (napcoll_command_line_t){.tool = tool, .options = options};
    if (argc < 3 || 0 != strcmp(argv[1], "--complete")) {
        return parse(line, argc, argv);
    }
    /* A line that ends behind an option, a group or the tool is not wrong, only unfinished. */
    if (NAPCOLL_PARSED_BAD != parse(line, argc - 2, argv + 1) || NULL != line->unfinished
        || 3 == argc || (4 == argc && NULL != line->group)) {
        line->typed = argv[argc - 1];
    }
    line->answer = NAPCOLL_ANSWER_COMPLETE;
    return NAPCOLL_PARSED_ANSWER;
}

/* Print the words of commands that a shell may add: first ones, or a group's second ones. */
static void print_commands(const napcoll_command_line_t *line)
{
    const napcoll_command_t *command = line->tool->command;
    const size_t skipped = NULL == line->group ? 0 : strlen(line->group) + 1;
    const char *before = "";

    for (; NULL != command && NULL != command->name; command++) {
        const char *word;
        size_t length;

        if (NULL != line->group && !is_of_group(command, line->group)) {
            continue;
        }
        word = command->name + skipped;
        length = strcspn(word, " ");
        if (0 != strncmp(before, word, length)) {
            printf("%.*s\n", (int) length, word);
        }
        before = word;
    }
}

/* Whether the next word may be a command's: none stands before it. */
static bool may_be_command(const napcoll_command_line_t *line)
{
    return lacks_command(line) || (line->unnamed && 1 == line->operands);
}

/* Print what may follow, one a line. */
static void print_completions(const napcoll_command_line_t *line)
{
    const napcoll_option_t *option = line->unfinished;
    dashed_t dashed;
    napcoll_names_t names = {.at = napcoll_name_in_array, .context = dashed.name};
    const char *name;

    if (NULL == line->typed || (NULL != option && NULL == option->names)) {
        return;
    }
    if (NULL != option) {
        names = option->names(line->options);
    } else if ('-' != *line->typed && may_be_command(line)) {
        print_commands(line);
        return;
    } else if ('-' != *line->typed && NULL != line->command && NULL != line->command->operands) {
        return;
    } else {
        dash_options(line, &dashed);
    }
    for (int i = 0; NULL != (name = names.at(names.context, i)); i++) {
        puts(name);
    }
}

int napcoll_tool_answer(const napcoll_command_line_t *line)
{
    switch (line->answer) {
    case NAPCOLL_ANSWER_HELP:
        napcoll_tool_help(line, stdout);
        break;
    case NAPCOLL_ANSWER_VERSION:
        printf("%s %s\n", line->tool->name, napcoll_version());
        break;
    default:
        print_completions(line);
    }
    return napcoll_output_finish(line->tool->name) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int napcoll_tool_refuse(const napcoll_command_line_t *line)
{
    fprintf(stderr, "%s: %s; see %s %s%s--help\n", line->tool->name, line->message,
            line->tool->name, NULL == line->command ? "" : line->command->name,
            NULL == line->command ? "" : " ");
    return EXIT_REFUSED;
}
