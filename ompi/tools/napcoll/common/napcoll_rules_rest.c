/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What is left of a rules file when other rules come before its own (see the header).
 */

#include "common/napcoll_rule_write.h"
#include "common/napcoll_rules_rest.h"

#include <stdlib.h>
#include <string.h>

/* A line of a file, with its end. */
typedef struct {
    const char *at;
    size_t length;
} span_t;

/* The line that begins at a place before the end. */
static span_t line_at(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t) (end - at));

    return (span_t){.at = at, .length = (size_t) ((NULL == newline ? end : newline + 1) - at)};
}

static bool is_comment(const span_t *line)
{
    size_t i = 0;

    while (i < line->length && (' ' == line->at[i] || '\t' == line->at[i])) {
        i++;
    }
    return i < line->length && '#' == line->at[i];
}

static void print(const span_t *line, FILE *out)
{
    if (line->length > 0) {
        (void) fwrite(line->at, 1, line->length, out); /* whoever looks at out sees its error */
    }
}

static bool is_left_nothing(const napcoll_rule_t *rule, const napcoll_rule_t *first, int count)
{
    for (int i = 0; i < count; i++) {
        if (napcoll_rule_covers(&first[i], rule)) {
            return true;
        }
    }
    return false;
}

int napcoll_rules_print_rest(const char *text, size_t length, const napcoll_rule_t *first,
                             int count, FILE *out)
{
    const char *end = text + length;
    span_t line, comment = {.at = NULL}; /* that may go with the next line */
    napcoll_rules_error_t error;
    napcoll_rules_t *rules;
    bool was_comment = false;
    int left_out = 0, next = 0;

    if (0 != napcoll_rules_parse(text, length, &rules, &error)) {
        return -1;
    }
    for (int number = 1; text < end; text += line.length, number++) {
        line = line_at(text, end);
        if (next < rules->rules && number == rules->rule[next].line
            && is_left_nothing(&rules->rule[next++], first, count)) {
            left_out++;
            comment.length = 0;
            was_comment = false;
            continue;
        }
        print(&comment, out);
        comment = (span_t){.at = NULL};
        if (is_comment(&line) && !was_comment) {
            comment = line;
        } else {
            print(&line, out);
        }
        was_comment = is_comment(&line);
    }
    print(&comment, out);
    napcoll_rules_free(rules);
    return ferror(out) ? -1 : left_out;
}
