/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Lists of names in a switch tree's file: names, and what brackets with numbers and ranges stand for.
 */

#include "topo/napcoll_switch_reader.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_NAME = 255, /* bytes */
    MOST_BRACKETS = 16,
    MOST_DIGITS = 18
};

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

bool napcoll_switch_is_of_name(char c)
{
    return c > ' ' && c <= '~' && NULL == strchr(",[]=#\\\"'", c);
}

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

static int add_name(napcoll_switch_reader_t *in, napcoll_switch_names_t *names, size_t at,
                    const char *name, int length)
{
    char *copy;

    in->written += length + 1;
    if (names->count == NAPCOLL_MOST_SWITCH_NODES || in->written > NAPCOLL_MOST_SWITCH_WRITTEN) {
        return napcoll_switch_file_refuse(in->file, at,
                                          "too many names: expected at most %d nodes, and as many "
                                          "switches, whose names have at most %d bytes together; "
                                          "is a range too long?",
                                          NAPCOLL_MOST_SWITCH_NODES, NAPCOLL_MOST_SWITCH_WRITTEN);
    }
    copy = malloc((size_t) length + 1);
    if (NULL == copy || !grow(&names->at, names->count, &names->room, sizeof(*names->at))) {
        free(copy);
        return napcoll_switch_file_no_memory(in->file);
    }
    memcpy(copy, name, (size_t) length);
    copy[length] = '\0';
    names->at[names->count++] = (napcoll_switch_name_t){
        .name = copy, .at = at, .line = in->file->switches.count - 1};
    return 0;
}

static int read_number(napcoll_switch_reader_t *in, uint64_t *number, int *digits)
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

static int too_many(napcoll_switch_reader_t *in, size_t at)
{
    return napcoll_switch_file_refuse(in->file, at,
                                      "the brackets stand for more than %d names; expected at "
                                      "most that many nodes; correct the range",
                                      NAPCOLL_MOST_SWITCH_NODES);
}

/* Read NUMBER or NUMBER-NUMBER. */
static int read_range(napcoll_switch_reader_t *in, part_t *part)
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
        return napcoll_switch_file_no_memory(in->file);
    }
    in->range[in->ranges++] = (napcoll_switch_range_t){
        .low = low, .before = part->numbers, .width = width};
    part->ranges++;
    part->numbers += (int) (high - low) + 1;
    return 0;
}

/* Read a bracket, with its [ and its ]. */
static int read_bracket(napcoll_switch_reader_t *in, part_t *part)
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
        return '\n' == in->text[in->at] || napcoll_switch_is_blank(in->text[in->at])
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
static int read_pattern(napcoll_switch_reader_t *in, pattern_t *pattern)
{
    const size_t begin = in->at;

    *pattern = (pattern_t){.names = 1};
    in->ranges = 0;
    for (;;) {
        part_t *part = &pattern->part[pattern->parts++];

        part->at = in->at;
        while (napcoll_switch_is_of_name(in->text[in->at])) {
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
static int write_number(const napcoll_switch_reader_t *in, const part_t *part, int number,
                        char *end)
{
    const napcoll_switch_range_t *range = in->range + part->first;
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
static int write_name(const napcoll_switch_reader_t *in, const pattern_t *pattern, int number,
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
static int read_value_end(napcoll_switch_reader_t *in)
{
    if (napcoll_switch_is_blank(in->text[in->at]) || '\n' == in->text[in->at]) {
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

int napcoll_switch_names_read(napcoll_switch_reader_t *in, napcoll_switch_names_t *names)
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

int napcoll_switch_name_read(napcoll_switch_reader_t *in, napcoll_switch_names_t *names)
{
    const size_t begin = in->at;
    pattern_t pattern;

    if (0 != read_pattern(in, &pattern)) {
        return -1;
    }
    if (pattern.parts > 1 || ',' == in->text[in->at]) {
        return napcoll_switch_file_refuse(
            in->file, begin,
            "SwitchName=: expected one name, without brackets and commas; write a line for each "
            "switch");
    }
    if (0 != add_name(in, names, begin, in->text + begin, pattern.part[0].length)) {
        return -1;
    }
    return read_value_end(in);
}
