/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The lines of a switch tree's file (see the header).
 *
 * What is read is a copy without comments, in which lines that a backslash joins are one. Places are
 * places in that copy; where that is in the file is found out when an error is to say it.
 */

#include "topo/napcoll_switch_file.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_NAME = 255, /* bytes */
    MOST_BRACKETS = 16,
    MOST_DIGITS = 18,
    MOST_SHOWN = 60, /* bytes of a name that errors show */
    /* Bytes of all names and what stands between them: below the limit of a file by what joins lines. */
    MOST_WRITTEN = NAPCOLL_MOST_SWITCH_BYTES / 4 * 3,
    AROUND_SWITCH = 32, /* bytes of a switch's keywords */
    END = -1
};

typedef enum { SWITCH_NAME, NODES, SWITCHES, LINK_SPEED, KEYWORDS } keyword_t;

static const char *const keywords[KEYWORDS] = {"SwitchName", "Nodes", "Switches", "LinkSpeed"};

/* The numbers low, low + 1, ... of a bracket, behind `before` other numbers of it. */
typedef struct {
    uint64_t low;
    int before;
    int width; /* at least so many digits */
} range_t;

/* A part of a name: letters, and the numbers in the bracket behind them. */
typedef struct {
    size_t at;
    int length;
    int first; /* range */
    int ranges;
    int numbers;
} part_t;

/* What a name with brackets stands for; the last part has no bracket. */
typedef struct {
    part_t part[MOST_BRACKETS + 1];
    int parts;
    int names;
} pattern_t;

typedef struct {
    napcoll_switch_file_t *file;
    char *text; /* the copy, which ends with a newline and a zero */
    size_t at;
    range_t *range; /* of the name that is being read */
    int ranges;
    int range_room;
    int written; /* bytes so far, see MOST_WRITTEN */
} reader_t;

/* ---- places and errors ---- */

/* A walk through a file, for the copy, and for the place of a byte of it. */
typedef struct {
    const char *text;
    size_t length;
    size_t at;
    size_t begin; /* of the line */
    int line;
} walk_t;

static bool is_blank(int c)
{
    return ' ' == c || '\t' == c || '\r' == c;
}

/* Whether the backslash here is the last of its line. */
static bool joins(const walk_t *walk)
{
    size_t at = walk->at + 1;

    while (at < walk->length && is_blank(walk->text[at])) {
        at++;
    }
    return at == walk->length || '\n' == walk->text[at];
}

/* The end of the line: its newline, or the end of the file. */
static size_t line_end(const walk_t *walk)
{
    const char *newline = memchr(walk->text + walk->at, '\n', walk->length - walk->at);

    return NULL == newline ? walk->length : (size_t) (newline - walk->text);
}

/* The next byte of the copy, which is that before walk->at then. */
static int step(walk_t *walk)
{
    for (;;) {
        if (walk->at > walk->begin && '\n' == walk->text[walk->at - 1]) {
            walk->line++;
            walk->begin = walk->at;
        }
        if (walk->at == walk->length) {
            return END;
        }
        if ('#' == walk->text[walk->at]) {
            walk->at = line_end(walk);
        } else if ('\\' == walk->text[walk->at] && joins(walk)) {
            walk->at = line_end(walk);
            walk->at += walk->at < walk->length;
        } else {
            return (unsigned char) walk->text[walk->at++];
        }
    }
}

/* The place in the file of byte `at` of the copy; of the end of a line, what follows its last byte. */
static void find_place(const napcoll_switch_file_t *file, size_t at, int *line, int *column)
{
    walk_t walk = {.text = file->text, .length = file->length, .line = 1};
    walk_t last = walk;
    int c = step(&walk);

    for (; at > 0 && END != c; at--) {
        last = walk;
        c = step(&walk);
    }
    if (END == c || '\n' == c) {
        *line = last.line;
        *column = (int) (last.at - last.begin) + 1;
    } else {
        *line = walk.line;
        *column = (int) (walk.at - walk.begin);
    }
}

static int refuse(napcoll_switch_error_t *error, int line, int column, const char *format,
                  va_list args)
{
    error->line = line;
    error->column = column;
    (void) vsnprintf(error->text, sizeof(error->text), format, args);
    return -1;
}

int napcoll_switch_file_refuse(napcoll_switch_file_t *file, size_t at, const char *format, ...)
{
    va_list args;
    int line, column;

    find_place(file, at, &line, &column);
    va_start(args, format);
    (void) refuse(file->error, line, column, format, args);
    va_end(args);
    return -1;
}

int napcoll_switch_file_refuse_all(napcoll_switch_file_t *file, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void) refuse(file->error, 0, 0, format, args);
    va_end(args);
    return -1;
}

__attribute__((format(printf, 4, 5))) static int refuse_byte(napcoll_switch_file_t *file, int line,
                                                             size_t column, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void) refuse(file->error, line, (int) column, format, args);
    va_end(args);
    return -1;
}

static int out_of_memory(napcoll_switch_file_t *file)
{
    return napcoll_switch_file_refuse_all(file, "out of memory");
}

int napcoll_switch_file_line(const napcoll_switch_file_t *file, size_t at)
{
    int line, column;

    find_place(file, at, &line, &column);
    return line;
}

static napcoll_switch_shown_t show(const char *text, size_t length)
{
    napcoll_switch_shown_t shown;

    (void) snprintf(shown.text, sizeof(shown.text), "%.*s%s",
                    (int) (length > MOST_SHOWN ? MOST_SHOWN : length), text,
                    length > MOST_SHOWN ? "..." : "");
    return shown;
}

napcoll_switch_shown_t napcoll_switch_show(const char *name)
{
    return show(name, strlen(name));
}

/* ---- bytes ---- */

/* That the file has no bytes and lines that no text has. Comments may have letters of any language. */
static int check_bytes(napcoll_switch_file_t *file)
{
    bool comment = false;
    size_t begin = 0;
    int line = 1;

    if (file->length > NAPCOLL_MOST_SWITCH_BYTES) {
        return napcoll_switch_file_refuse_all(
            file, "more than %d bytes; is it a file of switches (Slurm's topology.conf)?",
            NAPCOLL_MOST_SWITCH_BYTES);
    }
    for (size_t i = 0; i < file->length; i++) {
        const unsigned char c = (unsigned char) file->text[i];

        if ('\n' == c) {
            begin = i + 1;
            line++;
            comment = false;
            continue;
        }
        if (i - begin == NAPCOLL_MOST_SWITCH_LINE) {
            return refuse_byte(file, line, i - begin + 1,
                               "a line of more than %d bytes; break it (a backslash at its end "
                               "joins a line to the next) or write ranges, n[0-99]",
                               NAPCOLL_MOST_SWITCH_LINE);
        }
        comment = comment || '#' == c;
        if ((c < ' ' && !is_blank(c)) || 0x7f == c || (c > 0x7f && !comment)) {
            return refuse_byte(file, line, i - begin + 1,
                               "byte 0x%02x is no printable character of ASCII; expected a text "
                               "file of switches (Slurm's topology.conf)",
                               c);
        }
    }
    return 0;
}

static char *copy_text(const napcoll_switch_file_t *file)
{
    walk_t walk = {.text = file->text, .length = file->length, .line = 1};
    char *text = malloc(file->length + 2);
    size_t at = 0;

    if (NULL != text) {
        for (int c = step(&walk); END != c; c = step(&walk)) {
            text[at++] = (char) c;
        }
        text[at] = '\n';
        text[at + 1] = '\0';
    }
    return text;
}

static void skip_blanks(reader_t *in)
{
    while (is_blank(in->text[in->at])) {
        in->at++;
    }
}

/* What may stand in a name: what has no other meaning in a list, or in Slurm's files. */
static bool is_of_name(char c)
{
    return c > ' ' && c <= '~' && NULL == strchr(",[]=#\\\"'", c);
}

/* ---- names ---- */

/* Room for one more of what there are `count`. Returns false where memory ran out. */
static bool grow(void *items, int count, int *room, size_t size)
{
    void *more;

    if (count < *room) {
        return true;
    }
    memcpy(&more, items, sizeof(more));
    more = realloc(more, (size_t) (0 == *room ? 64 : 2 * *room) * size);
    if (NULL == more) {
        return false;
    }
    memcpy(items, &more, sizeof(more));
    *room = 0 == *room ? 64 : 2 * *room;
    return true;
}

static int add_name(reader_t *in, napcoll_switch_names_t *names, size_t at, const char *name,
                    int length)
{
    char *copy;

    in->written += length + 1;
    if (names->count == NAPCOLL_MOST_SWITCH_NODES || in->written > MOST_WRITTEN) {
        return napcoll_switch_file_refuse(in->file, at,
                                          "too many names: expected at most %d nodes, and as many "
                                          "switches, whose names have at most %d bytes together; "
                                          "is a range too long?",
                                          NAPCOLL_MOST_SWITCH_NODES, MOST_WRITTEN);
    }
    copy = malloc((size_t) length + 1);
    if (NULL == copy || !grow(&names->at, names->count, &names->room, sizeof(*names->at))) {
        free(copy);
        return out_of_memory(in->file);
    }
    memcpy(copy, name, (size_t) length);
    copy[length] = '\0';
    names->at[names->count++] = (napcoll_switch_name_t){
        .name = copy, .at = at, .line = in->file->switches.count - 1};
    return 0;
}

static int read_number(reader_t *in, uint64_t *number, int *digits)
{
    const size_t begin = in->at;

    *number = 0;
    for (*digits = 0; '0' <= in->text[in->at] && in->text[in->at] <= '9'; in->at++) {
        if (++*digits > MOST_DIGITS) {
            return napcoll_switch_file_refuse(
                in->file, begin, "a number in brackets of more than %d digits; write it shorter",
                MOST_DIGITS);
        }
        *number = *number * 10 + (uint64_t) (in->text[in->at] - '0');
    }
    if (0 == *digits) {
        return napcoll_switch_file_refuse(
            in->file, begin,
            "expected a number here in brackets, which have numbers and ranges, n[0-3,8]");
    }
    return 0;
}

static int too_many(reader_t *in, size_t at)
{
    return napcoll_switch_file_refuse(in->file, at,
                                      "the brackets stand for more than %d names; expected at "
                                      "most that many nodes; correct the range",
                                      NAPCOLL_MOST_SWITCH_NODES);
}

/* Read NUMBER or NUMBER-NUMBER. */
static int read_range(reader_t *in, part_t *part)
{
    const size_t begin = in->at;
    uint64_t low, high;
    int width, digits;

    if (0 != read_number(in, &low, &width)) {
        return -1;
    }
    high = low;
    if ('-' == in->text[in->at]) {
        in->at++;
        if (0 != read_number(in, &high, &digits)) {
            return -1;
        }
    }
    if (high < low) {
        return napcoll_switch_file_refuse(in->file, begin,
                                          "the range %.*s falls; write the lesser number first",
                                          (int) (in->at - begin), in->text + begin);
    }
    if (high - low >= (uint64_t) (NAPCOLL_MOST_SWITCH_NODES - part->numbers)) {
        return too_many(in, begin);
    }
    if (!grow(&in->range, in->ranges, &in->range_room, sizeof(*in->range))) {
        return out_of_memory(in->file);
    }
    in->range[in->ranges++] = (range_t){.low = low, .before = part->numbers, .width = width};
    part->ranges++;
    part->numbers += (int) (high - low) + 1;
    return 0;
}

/* Read a bracket, with its [ and its ]. */
static int read_bracket(reader_t *in, part_t *part)
{
    const size_t begin = in->at;

    part->first = in->ranges;
    do {
        in->at++;
        if (0 != read_range(in, part)) {
            return -1;
        }
    } while (',' == in->text[in->at]);
    if (']' != in->text[in->at]) {
        return '\n' == in->text[in->at] || is_blank(in->text[in->at])
                   ? napcoll_switch_file_refuse(in->file, begin,
                                                "this [ has no ]; add it (a list has no blanks)")
                   : napcoll_switch_file_refuse(in->file, in->at,
                                                "expected , or - or ] here in brackets, which have "
                                                "numbers and ranges, n[0-3,8]");
    }
    in->at++;
    return 0;
}

/* Read one entry of a list: a name, or one with brackets. */
static int read_pattern(reader_t *in, pattern_t *pattern)
{
    const size_t begin = in->at;

    *pattern = (pattern_t){.names = 1};
    in->ranges = 0;
    for (;;) {
        part_t *part = &pattern->part[pattern->parts++];

        part->at = in->at;
        while (is_of_name(in->text[in->at])) {
            in->at++;
        }
        if (in->at - part->at > MOST_NAME) {
            return napcoll_switch_file_refuse(
                in->file, begin, "a name of more than %d bytes; write it shorter", MOST_NAME);
        }
        part->length = (int) (in->at - part->at);
        if ('[' != in->text[in->at]) {
            break;
        }
        if (pattern->parts > MOST_BRACKETS) {
            return napcoll_switch_file_refuse(
                in->file, in->at, "more than %d brackets in a name; write some out", MOST_BRACKETS);
        }
        if (0 != read_bracket(in, part)) {
            return -1;
        }
        if (part->numbers > NAPCOLL_MOST_SWITCH_NODES / pattern->names) {
            return too_many(in, begin);
        }
        pattern->names *= part->numbers;
    }
    if (in->at == begin) {
        return napcoll_switch_file_refuse(in->file, begin,
                                          "expected a name here (a list has no blanks)");
    }
    return 0;
}

/* The number-th number of a bracket as text, in front of the end of a field. Returns its length. */
static int write_number(const reader_t *in, const part_t *part, int number, char *end)
{
    const range_t *range = in->range + part->first;
    int low = 0, high = part->ranges, length = 0;
    uint64_t value;

    while (high - low > 1) { /* the last range with at most so many before it */
        const int middle = low + (high - low) / 2;

        if (range[middle].before <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    value = range[low].low + (uint64_t) (number - range[low].before);
    while (value > 0 || length < range[low].width) {
        end[-++length] = (char) ('0' + value % 10);
        value /= 10;
    }
    return length;
}

/* The number-th name of a pattern, the last bracket's number counting fastest. Returns the length. */
static int write_name(const reader_t *in, const pattern_t *pattern, int number,
                      char name[MOST_NAME + 1])
{
    char digits[MOST_DIGITS];
    int at = MOST_NAME;

    /* from its end to its front */
    for (int i = pattern->parts - 1; i >= 0; i--) {
        const part_t *part = &pattern->part[i];
        int length = 0;

        if (part->ranges > 0) {
            length = write_number(in, part, number % part->numbers, digits + MOST_DIGITS);
            number /= part->numbers;
        }
        if (at < length + part->length) {
            return -1;
        }
        at -= length;
        memcpy(name + at, digits + MOST_DIGITS - length, (size_t) length);
        at -= part->length;
        memcpy(name + at, in->text + part->at, (size_t) part->length);
    }
    memmove(name, name + at, (size_t) (MOST_NAME - at));
    return MOST_NAME - at;
}

/* Expect the end of a value. */
static int read_value_end(reader_t *in)
{
    if (is_blank(in->text[in->at]) || '\n' == in->text[in->at]) {
        return 0;
    }
    if (']' == in->text[in->at]) {
        return napcoll_switch_file_refuse(in->file, in->at, "this ] has no [; add or remove one");
    }
    return napcoll_switch_file_refuse(in->file, in->at,
                                      "%c cannot stand in a name; expected a blank or the end of "
                                      "the line here, or in a list a comma",
                                      in->text[in->at]);
}

/* Read a LIST. */
static int read_names(reader_t *in, napcoll_switch_names_t *names)
{
    char name[MOST_NAME + 1];
    pattern_t pattern;

    in->at--;
    do {
        const size_t begin = ++in->at;

        if (0 != read_pattern(in, &pattern)) {
            return -1;
        }
        for (int i = 0; i < pattern.names; i++) {
            const int length = write_name(in, &pattern, i, name);

            if (length < 0) {
                return napcoll_switch_file_refuse(
                    in->file, begin, "a name of more than %d bytes; write it shorter", MOST_NAME);
            }
            if (0 != add_name(in, names, begin, name, length)) {
                return -1;
            }
        }
    } while (',' == in->text[in->at]);
    return read_value_end(in);
}

/* ---- lines ---- */

/* Read NAME of SwitchName=, which begins a switch. */
static int read_switch(reader_t *in)
{
    napcoll_switch_names_t *switches = &in->file->switches;
    const size_t begin = in->at;
    pattern_t pattern;

    in->written += AROUND_SWITCH;
    if (0 != read_pattern(in, &pattern)) {
        return -1;
    }
    if (pattern.parts > 1 || ',' == in->text[in->at]) {
        return napcoll_switch_file_refuse(
            in->file, begin,
            "SwitchName=: expected one name, without brackets and commas; write a line for each "
            "switch");
    }
    if (0 != add_name(in, switches, begin, in->text + begin, pattern.part[0].length)) {
        return -1;
    }
    switches->at[switches->count - 1].line = switches->count - 1;
    return read_value_end(in);
}

/* A speed means nothing here, but it has to be there. */
static int skip_value(reader_t *in)
{
    const size_t begin = in->at;

    while ('\n' != in->text[in->at] && !is_blank(in->text[in->at])) {
        in->at++;
    }
    return in->at > begin ? 0
                          : napcoll_switch_file_refuse(in->file, begin,
                                                       "LinkSpeed=: expected a value; remove the "
                                                       "keyword or add one (it is not used)");
}

static bool same_word(const char *text, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];

        /* a word that is shorter ends with a zero, which no text has */
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c)
            != (word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i])) {
            return false;
        }
    }
    return '\0' == word[length];
}

/* Say what a word is that is no keyword of ours. */
static int refuse_word(reader_t *in, const char *word, size_t length)
{
    if (same_word(word, length, "BlockName") || same_word(word, length, "BlockSizes")) {
        return napcoll_switch_file_refuse(
            in->file, in->at,
            "%s: napcoll reads only the tree form of topology.conf; describe the network with "
            "SwitchName=NAME and Nodes=LIST or Switches=LIST",
            show(word, length).text);
    }
    if (same_word(word, length, "Include")) {
        return napcoll_switch_file_refuse(
            in->file, in->at, "%s: napcoll reads one file; put the lines of the other one here",
            show(word, length).text);
    }
    return napcoll_switch_file_refuse(
        in->file, in->at,
        "'%s': no such keyword; expected SwitchName=, Nodes=, Switches= or LinkSpeed= (a list has "
        "no blanks)",
        show(word, length).text);
}

/* Read a keyword and its =. Returns which it is. */
static int read_keyword(reader_t *in)
{
    const char *word = in->text + in->at;
    size_t length = 0;

    while (is_of_name(word[length])) {
        length++;
    }
    if (0 == length) {
        return napcoll_switch_file_refuse(
            in->file, in->at,
            "expected a keyword here: SwitchName=, Nodes=, Switches= or "
            "LinkSpeed= (a list has no blanks)");
    }
    for (int i = 0; i < KEYWORDS; i++) {
        if (same_word(word, length, keywords[i])) {
            in->at += length;
            skip_blanks(in);
            if ('=' != in->text[in->at]) {
                return napcoll_switch_file_refuse(in->file, in->at, "%s: expected = here",
                                                  keywords[i]);
            }
            in->at++;
            skip_blanks(in);
            return i;
        }
    }
    return refuse_word(in, word, length);
}

/* Read one keyword and its value; `seen` has the keywords of the line, a bit for each. */
static int read_field(reader_t *in, unsigned *seen)
{
    const size_t begin = in->at;
    const int keyword = read_keyword(in);

    if (keyword < 0) {
        return -1;
    }
    if (0 != (*seen & 1U << keyword)) {
        return napcoll_switch_file_refuse(
            in->file, begin, "%s= twice in a line; %s", keywords[keyword],
            SWITCH_NAME == keyword ? "write a line for each switch" : "make one list of the two");
    }
    if (0 == *seen && SWITCH_NAME != keyword) {
        return napcoll_switch_file_refuse(
            in->file, begin, "%s= without a switch; begin the line with SwitchName=NAME",
            keywords[keyword]);
    }
    *seen |= 1U << keyword;
    switch (keyword) {
    case SWITCH_NAME:
        return read_switch(in);
    case NODES:
        return read_names(in, &in->file->nodes);
    case SWITCHES:
        return read_names(in, &in->file->below);
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
        const napcoll_switch_name_t *name = &switches->at[switches->count - 1];

        return napcoll_switch_file_refuse(in->file, name->at,
                                          "switch '%s': nothing is below it; add Nodes=LIST or "
                                          "Switches=LIST, or remove the line",
                                          napcoll_switch_show(name->name).text);
    }
    return 0;
}

int napcoll_switch_file_read(napcoll_switch_file_t *file)
{
    reader_t in = {.file = file};
    int rc = check_bytes(file);

    if (0 != rc) {
        return rc;
    }
    in.text = copy_text(file);
    if (NULL == in.text) {
        return out_of_memory(file);
    }
    while (0 == rc && '\0' != in.text[in.at]) {
        rc = read_line(&in);
    }
    if (0 == rc && 0 == file->switches.count) {
        rc = napcoll_switch_file_refuse_all(
            file, "no switch; expected lines SwitchName=NAME Nodes=LIST (Slurm's topology.conf)");
    }
    free(in.range);
    free(in.text);
    return rc;
}

static void drop_names(napcoll_switch_names_t *names)
{
    for (int i = 0; i < names->count; i++) {
        free(names->at[i].name);
    }
    free(names->at);
    *names = (napcoll_switch_names_t){0};
}

void napcoll_switch_file_drop(napcoll_switch_file_t *file)
{
    drop_names(&file->switches);
    drop_names(&file->nodes);
    drop_names(&file->below);
}
