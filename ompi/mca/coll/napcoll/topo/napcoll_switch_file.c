/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reads the lines of a topology file: keywords, lists of names, and the names that brackets stand
 * for (see the headers).
 */

#include "topo/napcoll_switch_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* bytes of a name */
    MOST_NAME = 255,
    MOST_BRACKETS = 16,
    /* of a number in brackets */
    MOST_DIGITS = 18,
    /* bytes of a name before the check of its length: all its letters and numbers */
    NAME_ROOM = (MOST_BRACKETS + 1) * (MOST_NAME + MOST_DIGITS) + 1,
    /* bytes of a switch's keywords when napcoll_switch_tree_text writes it */
    KEYWORD_BYTES = 32,
    /* bytes of all names when they are written one by one, so that the text fits into a file */
    MOST_WRITTEN = NAPCOLL_MOST_SWITCH_BYTES / 4 * 3
};

typedef enum { SWITCH_NAME, NODES, SWITCHES, LINK_SPEED, KEYWORDS } keyword_t;

static const char *const keywords[KEYWORDS] = {"SwitchName", "Nodes", "Switches", "LinkSpeed"};

typedef struct {
    napcoll_switch_file_t *file;
    /* the copy; it ends with a newline and a zero */
    char *text;
    size_t at;
    /* see MOST_WRITTEN */
    int written;
} reader_t;

/* Whether a character may be part of a name: it has no meaning in lists or in Slurm's files. */
static bool is_of_name(char c)
{
    return c > ' ' && c <= '~' && NULL == strchr(",[]=#\\\"'", c);
}

static bool is_digit(char c)
{
    return '0' <= c && c <= '9';
}

/* ---- names ---- */

static int add_name(reader_t *in, napcoll_switch_names_t *names, size_t at, const char *name,
                    size_t length)
{
    const int line = in->file->switches.count - (names != &in->file->switches);
    char *copy;

    in->written += (int) length + 1;
    if (names->count == NAPCOLL_MOST_SWITCH_NODES || in->written > MOST_WRITTEN) {
        return napcoll_switch_refuse(in->file, at,
                                     "too many names: expected at most %d nodes, and as many "
                                     "switches, whose names have at most %d bytes together; "
                                     "check the ranges",
                                     NAPCOLL_MOST_SWITCH_NODES, (int) MOST_WRITTEN);
    }
    if (names->count == names->room) {
        const int room = 0 == names->room ? 64 : 2 * names->room;
        napcoll_switch_name_t *larger = realloc(names->at, (size_t) room * sizeof(*larger));

        if (NULL == larger) {
            return napcoll_switch_no_memory(in->file);
        }
        names->at = larger;
        names->room = room;
    }
    copy = strndup(name, length);
    if (NULL == copy) {
        return napcoll_switch_no_memory(in->file);
    }
    names->at[names->count++] = (napcoll_switch_name_t){.name = copy, .at = at, .line = line};
    return 0;
}

static int read_number(reader_t *in, uint64_t *number)
{
    const size_t begin = in->at;

    *number = 0;
    for (; is_digit(in->text[in->at]); in->at++) {
        if (in->at - begin == MOST_DIGITS) {
            return napcoll_switch_refuse(
                in->file, begin, "a number in brackets of more than %d digits; write it shorter",
                MOST_DIGITS);
        }
        *number = *number * 10 + (uint64_t) (in->text[in->at] - '0');
    }
    return in->at > begin ? 0
                          : napcoll_switch_refuse(in->file, begin,
                                                  "expected a number here: brackets contain "
                                                  "numbers and ranges, n[0-3,8]");
}

static int refuse_long_name(reader_t *in, size_t at)
{
    return napcoll_switch_refuse(in->file, at, "a name of more than %d bytes; write it shorter",
                                 MOST_NAME);
}

static int refuse_count(reader_t *in, size_t at)
{
    return napcoll_switch_refuse(in->file, at,
                                 "the brackets stand for more than %d names; expected at "
                                 "most as many nodes; correct the range",
                                 NAPCOLL_MOST_SWITCH_NODES);
}

/* Read NUMBER or NUMBER-NUMBER, and add how many numbers it stands for. */
static int read_range(reader_t *in, int *numbers)
{
    const size_t begin = in->at;
    uint64_t low, high;

    if (0 != read_number(in, &low)) {
        return -1;
    }
    high = low;
    if ('-' == in->text[in->at]) {
        in->at++;
        if (0 != read_number(in, &high)) {
            return -1;
        }
    }
    if (high < low) {
        return napcoll_switch_refuse(in->file, begin,
                                     "the range %.*s falls; write the lesser number first",
                                     (int) (in->at - begin), in->text + begin);
    }
    if (high - low >= (uint64_t) (NAPCOLL_MOST_SWITCH_NODES - *numbers)) {
        return refuse_count(in, begin);
    }
    *numbers += (int) (high - low) + 1;
    return 0;
}

/* Read a bracket from its [ to its ]. */
static int read_bracket(reader_t *in, int *numbers)
{
    const size_t begin = in->at;

    *numbers = 0;
    do {
        in->at++;
        if (0 != read_range(in, numbers)) {
            return -1;
        }
    } while (',' == in->text[in->at]);
    if ('\n' == in->text[in->at] || napcoll_switch_is_blank(in->text[in->at])) {
        return napcoll_switch_refuse(in->file, begin,
                                     "this [ has no ]; add it (a list has no blanks)");
    }
    if (']' != in->text[in->at]) {
        return napcoll_switch_refuse(in->file, in->at,
                                     "expected , or - or ] here: brackets contain numbers and "
                                     "ranges, n[0-3,8]");
    }
    in->at++;
    return 0;
}

/* Check one entry of a list, a name with or without brackets, and go behind it. */
static int read_entry(reader_t *in, int *brackets)
{
    const size_t begin = in->at;
    int names = 1;

    for (*brackets = 0;; ++*brackets) {
        const size_t part = in->at;
        int numbers;

        while (is_of_name(in->text[in->at])) {
            in->at++;
        }
        if (in->at - part > MOST_NAME) {
            return refuse_long_name(in, begin);
        }
        if ('[' != in->text[in->at]) {
            break;
        }
        if (MOST_BRACKETS == *brackets) {
            return napcoll_switch_refuse(
                in->file, in->at, "more than %d brackets in a name; write some out", MOST_BRACKETS);
        }
        if (0 != read_bracket(in, &numbers)) {
            return -1;
        }
        if (numbers > NAPCOLL_MOST_SWITCH_NODES / names) {
            return refuse_count(in, begin);
        }
        names *= numbers;
    }
    return in->at > begin ? 0
                          : napcoll_switch_refuse(in->file, begin,
                                                  "expected a name here (a list has no blanks)");
}

/* Add all names that an entry stands for. read_entry has checked it. `name` has their first
 * `length` bytes, text[at] follows. The number of the last bracket counts fastest. */
static int add_entry(reader_t *in, napcoll_switch_names_t *names, size_t begin, size_t at,
                     char *name, size_t length)
{
    char *text = in->text + at, *end;

    while (is_of_name(*text)) {
        name[length++] = *text++;
    }
    if ('[' != *text) {
        return length > MOST_NAME ? refuse_long_name(in, begin)
                                  : add_name(in, names, begin, name, length);
    }
    at = (size_t) (strchr(text, ']') + 1 - in->text);
    do {
        const char *number = text + 1;
        const unsigned long long low = strtoull(number, &text, 10);
        const int width = (int) (text - number);
        const unsigned long long high = '-' == *text ? strtoull(text + 1, &end, 10) : low;

        text = '-' == *text ? end : text;
        for (unsigned long long i = low; i <= high; i++) {
            const int digits = sprintf(name + length, "%0*llu", width, i);

            if (0 != add_entry(in, names, begin, at, name, length + (size_t) digits)) {
                return -1;
            }
        }
    } while (',' == *text);
    return 0;
}

/* Read the value of a keyword: a list of names or, for SwitchName=, one name. */
static int read_names(reader_t *in, napcoll_switch_names_t *names, bool list)
{
    char name[NAME_ROOM];
    int brackets;

    in->at--;
    do {
        const size_t begin = ++in->at;

        if (0 != read_entry(in, &brackets)) {
            return -1;
        }
        if (!list && (brackets > 0 || ',' == in->text[in->at])) {
            return napcoll_switch_refuse(in->file, begin,
                                         "SwitchName=: expected one name, without brackets "
                                         "and commas; write a line for each switch");
        }
        if (0 != add_entry(in, names, begin, begin, name, 0)) {
            return -1;
        }
    } while (',' == in->text[in->at]);
    if (napcoll_switch_is_blank(in->text[in->at]) || '\n' == in->text[in->at]) {
        return 0;
    }
    if (']' == in->text[in->at]) {
        return napcoll_switch_refuse(in->file, in->at, "this ] has no [; add or remove one");
    }
    return napcoll_switch_refuse(in->file, in->at,
                                 "%c cannot stand in a name; expected a blank or the end of "
                                 "the line here, or in a list a comma",
                                 in->text[in->at]);
}

/* ---- keywords and lines ---- */

static void skip_blanks(reader_t *in)
{
    while (napcoll_switch_is_blank(in->text[in->at])) {
        in->at++;
    }
}

/* napcoll does not use LinkSpeed=, but it must have a value. */
static int skip_value(reader_t *in)
{
    const size_t begin = in->at;

    while ('\n' != in->text[in->at] && !napcoll_switch_is_blank(in->text[in->at])) {
        in->at++;
    }
    return in->at > begin ? 0
                          : napcoll_switch_refuse(in->file, begin,
                                                  "LinkSpeed=: expected a value; remove the "
                                                  "keyword or add one (it is not used)");
}

/* (Unlike tolower the same in all locales.) */
static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Whether the word of `length` bytes is `wanted`, in any case. */
static bool is_word(const char *word, size_t length, const char *wanted)
{
    size_t i = 0;

    while (i < length && lower(word[i]) == lower(wanted[i])) {
        i++;
    }
    return i == length && '\0' == wanted[i];
}

/* Say what is wrong with a word that is no keyword. */
static int refuse_word(reader_t *in, const char *word, size_t length)
{
    static const struct {
        const char *word;
        const char *advice;
    } others[] = {
        {"BlockName", "napcoll reads only the tree form of topology.conf; describe the network "
                      "with SwitchName=NAME and Nodes=LIST or Switches=LIST"},
        {"BlockSizes", "napcoll reads only the tree form of topology.conf; describe the network "
                       "with SwitchName=NAME and Nodes=LIST or Switches=LIST"},
        {"Include", "napcoll reads one file; put the lines of the other one here"}};
    const napcoll_switch_shown_t shown = napcoll_switch_show_bytes(word, length);

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (is_word(word, length, others[i].word)) {
            return napcoll_switch_refuse(in->file, in->at, "%s: %s", shown.text, others[i].advice);
        }
    }
    return napcoll_switch_refuse(
        in->file, in->at,
        "'%s': no such keyword; expected SwitchName=, Nodes=, Switches= or "
        "LinkSpeed= (a list has no blanks)",
        shown.text);
}

/* Read a keyword and its =. Returns a keyword_t, or -1. */
static int read_keyword(reader_t *in)
{
    const char *word = in->text + in->at;
    size_t length = 0;
    int keyword = 0;

    while (is_of_name(word[length])) {
        length++;
    }
    if (0 == length) {
        return napcoll_switch_refuse(in->file, in->at,
                                     "expected a keyword here: SwitchName=, Nodes=, Switches= or "
                                     "LinkSpeed= (a list has no blanks)");
    }
    while (keyword < KEYWORDS && !is_word(word, length, keywords[keyword])) {
        keyword++;
    }
    if (KEYWORDS == keyword) {
        return refuse_word(in, word, length);
    }
    in->at += length;
    skip_blanks(in);
    if ('=' != in->text[in->at]) {
        return napcoll_switch_refuse(in->file, in->at, "%s: expected = here", keywords[keyword]);
    }
    in->at++;
    skip_blanks(in);
    return keyword;
}

/* Read one keyword and its value. `seen` has a bit for each keyword of the line. */
static int read_field(reader_t *in, unsigned *seen)
{
    const size_t begin = in->at;
    const int keyword = read_keyword(in);

    if (keyword < 0) {
        return -1;
    }
    if (0 != (*seen & 1U << keyword)) {
        return napcoll_switch_refuse(in->file, begin, "%s= twice in a line; %s", keywords[keyword],
                                     SWITCH_NAME == keyword ? "write a line for each switch"
                                                            : "make one list of the two");
    }
    if (0 == *seen && SWITCH_NAME != keyword) {
        return napcoll_switch_refuse(in->file, begin,
                                     "%s= without a switch; begin the line with SwitchName=NAME",
                                     keywords[keyword]);
    }
    *seen |= 1U << keyword;
    switch (keyword) {
    case SWITCH_NAME:
        in->written += KEYWORD_BYTES;
        return read_names(in, &in->file->switches, false);
    case NODES:
        return read_names(in, &in->file->nodes, true);
    case SWITCHES:
        return read_names(in, &in->file->below, true);
    default:
        return skip_value(in);
    }
}

static int read_line(reader_t *in)
{
    const napcoll_switch_names_t *switches = &in->file->switches;
    unsigned seen = 0;

    for (skip_blanks(in); '\n' != in->text[in->at]; skip_blanks(in)) {
        if (0 != read_field(in, &seen)) {
            return -1;
        }
    }
    in->at++;
    if (0 != seen && 0 == (seen & (1U << NODES | 1U << SWITCHES))) {
        return napcoll_switch_refuse(
            in->file, switches->at[switches->count - 1].at,
            "switch '%s': nothing is below it; add Nodes=LIST or "
            "Switches=LIST, or remove the line",
            napcoll_switch_show(switches->at[switches->count - 1].name).text);
    }
    return 0;
}

int napcoll_switch_file_read(napcoll_switch_file_t *file)
{
    reader_t in = {.file = file};
    int rc = napcoll_switch_text_check(file);

    if (0 != rc) {
        return rc;
    }
    in.text = napcoll_switch_text_copy(file);
    if (NULL == in.text) {
        return napcoll_switch_no_memory(file);
    }
    while (0 == rc && '\0' != in.text[in.at]) {
        rc = read_line(&in);
    }
    if (0 == rc && 0 == file->switches.count) {
        rc = napcoll_switch_refuse(
            file, NAPCOLL_SWITCH_WHOLE_FILE,
            "no switch; expected lines SwitchName=NAME Nodes=LIST (as in Slurm's topology.conf)");
    }
    free(in.text);
    return rc;
}

void napcoll_switch_file_free(napcoll_switch_file_t *file)
{
    napcoll_switch_names_t *const all[] = {&file->switches, &file->nodes, &file->below};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (int k = 0; k < all[i]->count; k++) {
            free(all[i]->at[k].name);
        }
        free(all[i]->at);
    }
}
