/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reading rules (see napcoll_rules.h). Blanks separate words; only -> needs none.
 */

#include "select/napcoll_rules.h"

#include "algo/file/napcoll_file_rows.h"

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 40 /* bytes of a word that errors show */ };

/* The line that is being read. */
typedef struct {
    const char *begin;
    const char *at;
    /* before a comment */
    const char *end;
    int number;
    napcoll_rules_error_t *error;
} line_t;

/* A part of it. */
typedef struct {
    const char *at;
    size_t length;
} word_t;

/* ---- errors ---- */

/* Keep an error at a place of a line; NULL: of the whole file. Returns -1. */
__attribute__((format(printf, 3, 4))) static int refuse(const line_t *line, const char *at,
                                                        const char *format, ...)
{
    va_list args;

    line->error->line = line->number;
    line->error->column = NULL == at ? 0 : (int) (at - line->begin) + 1;
    va_start(args, format);
    (void) vsnprintf(line->error->text, sizeof(line->error->text), format, args);
    va_end(args);
    return -1;
}

/* Expected something, found a word, or the end of the line. */
static int refuse_word(const line_t *line, word_t found, const char *expected)
{
    const int length = found.length < MOST_SHOWN ? (int) found.length : MOST_SHOWN;
    char shown[MOST_SHOWN + 1] = "";

    if (0 == found.length) {
        return refuse(line, found.at, "expected %s, found the end of the line", expected);
    }
    for (int i = 0; i < length; i++) {
        shown[i] = found.at[i];
        if (shown[i] < ' ' || shown[i] > '~') {
            shown[i] = '?';
        }
    }
    return refuse(line, found.at, "expected %s, found \"%s%s\"", expected, shown,
                  (size_t) length < found.length ? "..." : "");
}

__attribute__((format(printf, 3, 4))) static int refuse_as(const line_t *line, word_t found,
                                                           const char *format, ...)
{
    char expected[480];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(expected, sizeof(expected), format, args);
    va_end(args);
    return refuse_word(line, found, expected);
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return ' ' == c || '\t' == c || '\r' == c;
}

static bool is_arrow(const char *at, const char *end)
{
    return end - at >= 2 && '-' == at[0] && '>' == at[1];
}

static bool is_same(word_t word, const char *text)
{
    return strlen(text) == word.length && 0 == memcmp(text, word.at, word.length);
}

/* The next word, which is -> or ends before one; of length 0 at the end of the line. */
static word_t next_word(line_t *line)
{
    word_t word;

    while (line->at < line->end && is_blank(*line->at)) {
        line->at++;
    }
    word.at = line->at;
    if (is_arrow(line->at, line->end)) {
        line->at += 2;
    } else {
        while (line->at < line->end && !is_blank(*line->at) && !is_arrow(line->at, line->end)) {
            line->at++;
        }
    }
    word.length = (size_t) (line->at - word.at);
    return word;
}

/* Split NAME=VALUE; without = the name is empty. */
static void split(word_t word, word_t *name, word_t *value)
{
    const char *equals = memchr(word.at, '=', word.length);

    *name = *value = (word_t){.at = word.at};
    if (NULL != equals) {
        name->length = (size_t) (equals - word.at);
        *value = (word_t){.at = equals + 1, .length = word.length - name->length - 1};
    }
}

/* Names that were compared with a word, for errors, as long as there is room. */
typedef struct {
    char text[400];
    size_t used;
} names_t;

/* Whether a word is a name, which joins the list. */
static bool is_name(names_t *names, const char *name, word_t word)
{
    const size_t room = sizeof(names->text) - names->used;
    const int length = snprintf(names->text + names->used, room, "%s%s",
                                0 == names->used ? "" : ", ", name);

    if (length > 0 && (size_t) length < room) {
        names->used += (size_t) length;
    }
    names->text[names->used] = '\0';
    return is_same(word, name);
}

/* ---- numbers ---- */

static void skip(word_t *word, size_t length)
{
    word->at += length;
    word->length -= length;
}

/* A number at the start of a word, with a suffix where it may have one; the word becomes the rest.
 * */
static bool take_number(word_t *word, bool scaled, size_t *number)
{
    static const char suffixes[] = "KMG";
    const char *suffix;
    size_t value = 0;
    int digits = 0;

    for (; word->length > 0 && *word->at >= '0' && *word->at <= '9'; digits++, skip(word, 1)) {
        const size_t digit = (size_t) (*word->at - '0');

        if (value > (SIZE_MAX - digit) / 10) {
            return false;
        }
        value = 10 * value + digit;
    }
    if (scaled && digits > 0 && word->length > 0 && '\0' != *word->at
        && NULL != (suffix = strchr(suffixes, *word->at))) {
        const int bits = 10 * (int) (suffix - suffixes + 1);

        if (value > SIZE_MAX >> bits) {
            return false;
        }
        value <<= bits;
        skip(word, 1);
    }
    *number = value;
    return digits > 0;
}

/* N, N..M, N.. or ..M */
static bool take_range(word_t word, bool scaled, napcoll_rule_range_t *range)
{
    const bool begins = word.length > 0 && '.' != *word.at;

    *range = (napcoll_rule_range_t){0, SIZE_MAX};
    if (begins && !take_number(&word, scaled, &range->least)) {
        return false;
    }
    if (word.length < 2 || 0 != memcmp(word.at, "..", 2)) {
        range->most = range->least;
        return begins && 0 == word.length;
    }
    skip(&word, 2);
    if (0 == word.length) {
        return begins;
    }
    return take_number(&word, scaled, &range->most) && 0 == word.length;
}

/* ---- keys ---- */

#define NUMBERS " and a number or a range from 1 on, as 8, 4..16, 4.. or ..16"

static const struct {
    const char *name;
    const char *expected;
    /* of the field in the rule */
    size_t offset;
    /* numbers may have a suffix, and be 0 */
    bool scaled;
    /* the two values of a key without a range */
    const char *no;
    const char *yes;
    /* the old name of the latter, or "" */
    const char *old_yes;
} keys[] = {
    {"nodes", "nodes=" NUMBERS, offsetof(napcoll_rule_t, nodes), false, NULL, NULL, ""},
    {"ppn", "ppn=" NUMBERS, offsetof(napcoll_rule_t, ppn), false, NULL, NULL, ""},
    {"bytes",
     "bytes= and a number or a range, with K, M or G for 2^10, 2^20 or 2^30, as 512, 1K..64K, "
     "1M.. or ..4K",
     offsetof(napcoll_rule_t, bytes), true, NULL, NULL, ""},
    {"op", "op=commutative or op=noncommutative", offsetof(napcoll_rule_t, noncommutative), false,
     "commutative", "noncommutative", "ordered"},
    {"placement", "placement=contiguous or placement=scattered",
     offsetof(napcoll_rule_t, scattered), false, "contiguous", "scattered", ""},
    {"calls", "calls=blocking or calls=requests", offsetof(napcoll_rule_t, request), false,
     "blocking", "requests", ""},
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static int read_range(const line_t *line, word_t word, word_t value, int key,
                      napcoll_rule_range_t *range)
{
    const bool scaled = keys[key].scaled;

    if (!take_range(value, scaled, range) || (!scaled && 0 == range->most)) {
        return refuse_word(line, word, keys[key].expected);
    }
    if (range->least > range->most) {
        return refuse_word(line, word, "a range whose first number is not the larger one");
    }
    if (!scaled && range->least > INT_MAX) {
        return refuse_as(line, word, "numbers up to %d", INT_MAX);
    }
    return 0;
}

/* NAME=VALUE between the collective and the arrow. *seen: bits of the keys that were given. */
static int read_key(const line_t *line, word_t word, napcoll_rule_t *rule, unsigned *seen)
{
    word_t name, value;
    void *field;
    int key = 0;

    split(word, &name, &value);
    while (key < KEYS && !is_same(name, keys[key].name)) {
        key++;
    }
    if (KEYS == key) {
        return refuse_word(
            line, word,
            "nodes=, ppn=, bytes=, op=, placement=, calls= or -> behind the collective");
    }
    if (0 != (*seen & 1U << key)) {
        return refuse(line, word.at, "%s= is given twice; expected it once", keys[key].name);
    }
    *seen |= 1U << key;
    field = (char *) rule + keys[key].offset;
    if (NULL == keys[key].no) {
        return read_range(line, word, value, key, field);
    }
    if (field == &rule->noncommutative && !napcoll_goal_reduces(rule->collective->goal)) {
        return refuse(line, word.at, "op= is for reductions; expected none, as %s has no operation",
                      rule->collective->name);
    }
    if (is_same(value, keys[key].no)) {
        *(napcoll_rule_whether_t *) field = NAPCOLL_RULE_NO;
    } else if (is_same(value, keys[key].yes)
               || ('\0' != keys[key].old_yes[0] && is_same(value, keys[key].old_yes))) {
        *(napcoll_rule_whether_t *) field = NAPCOLL_RULE_YES;
    } else {
        return refuse_word(line, word, keys[key].expected);
    }
    return 0;
}

/* ---- tunables ---- */

/* A number in the range of a tunable, or 0 if the model may choose it; or a name, of which auto is
 * 0. */
static int read_value(const line_t *line, word_t word, word_t value,
                      const napcoll_tunable_t *tunable, int *number)
{
    const int most = napcoll_tunable_most(tunable);
    const bool or_0 = 0 == tunable->initial;
    names_t names = {.used = 0};
    size_t given;

    if (NULL != tunable->names) {
        bool found = is_name(&names, "auto", value);

        for (*number = 0; !found && NULL != tunable->names[*number]; (*number)++) {
            found = is_name(&names, tunable->names[*number], value);
        }
        return found ? 0 : refuse_as(line, word, "one of %s behind =", names.text);
    }
    if (!take_number(&value, false, &given) || value.length > 0 || given > (size_t) most
        || (given < (size_t) tunable->least && !(or_0 && 0 == given))) {
        return refuse_as(line, word, "a number from %d to %d%s behind =", tunable->least, most,
                         or_0 && tunable->least > 0 ? ", or 0," : "");
    }
    *number = (int) given;
    return 0;
}

/* NAME=VALUE behind the algorithm. */
static int read_tunable(const line_t *line, word_t word, napcoll_rule_t *rule)
{
    static const napcoll_tunable_t local_radix = {.initial = 2, .least = 2};
    static const napcoll_tunable_t segments = {
        .initial = 1, .least = 1, .most = NAPCOLL_MOST_RULE_SEGMENTS};
    static const napcoll_tunable_t inline_bytes = {.initial = 1, .least = 1, .most = INT32_MAX};
    const napcoll_algorithm_t *algorithm = napcoll_algorithm_at(rule->collective, rule->algorithm);
    const napcoll_tunable_t *tunable = algorithm->tunable;
    names_t names = {.used = 0};
    word_t name, value;
    int *number, unset = 0;

    split(word, &name, &value);
    while (NULL != tunable->name && !is_name(&names, tunable->name, name)) {
        tunable++;
    }
    if (NULL != tunable->name) {
        number = &rule->tunable[tunable - algorithm->tunable];
        unset = NAPCOLL_RULE_UNSET;
    } else if (algorithm->radix && is_name(&names, "local_radix", name)) {
        number = &rule->local_radix;
        tunable = &local_radix;
    } else if (napcoll_rule_takes_segments(algorithm) && is_name(&names, "segments", name)) {
        number = &rule->segments;
        tunable = &segments;
    } else if (napcoll_rule_takes_inline(rule->collective, algorithm)
               && is_name(&names, "inline_bytes", name)) {
        number = &rule->inline_bytes;
        tunable = &inline_bytes;
    } else if (0 == names.used) {
        return refuse_as(line, word, "the end of the line, as %s has no tunables", algorithm->name);
    } else {
        return refuse_as(line, word, "NAME=VALUE of a tunable of %s (%s)", algorithm->name,
                         names.text);
    }
    if (unset != *number) {
        return refuse(line, word.at, "%.*s is given twice; expected it once", (int) name.length,
                      name.at);
    }
    return read_value(line, word, value, tunable, number);
}

/* ---- lines ---- */

/* The rest of the line behind the arrow. */
static int read_decision(line_t *line, napcoll_rule_t *rule)
{
    const napcoll_collective_t *collective = rule->collective;
    names_t names = {.used = 0};
    word_t word = next_word(line);
    int row = 0;

    while (row < collective->algorithms
           && !is_name(&names, napcoll_algorithm_at(collective, row)->name, word)) {
        row++;
    }
    if (row == collective->algorithms) {
        row = napcoll_file_rows_find(collective, word.at, word.length);
    }
    if (row >= 0) {
        rule->action = NAPCOLL_RULE_ALGORITHM;
        rule->algorithm = row;
    } else if (is_same(word, "fallback")) {
        rule->action = NAPCOLL_RULE_FALLBACK;
    } else if (!is_same(word, "auto")) {
        return refuse_as(line, word,
                         "fallback, auto, file:NAME of plans in the plans file or an algorithm of "
                         "%s (%s)",
                         collective->name, names.text);
    }
    for (word = next_word(line); word.length > 0; word = next_word(line)) {
        if (NAPCOLL_RULE_ALGORITHM != rule->action) {
            return refuse_word(line, word, "the end of the line behind fallback or auto");
        }
        if (0 != read_tunable(line, word, rule)) {
            return -1;
        }
    }
    return 0;
}

/* A line that has a rule, whose first word is given. */
static int read_rule(line_t *line, word_t word, napcoll_rule_t *rule)
{
    names_t names = {.used = 0};
    unsigned seen = 0;
    int c = 0;

    while (NULL != napcoll_collective_at(c)
           && !is_name(&names, napcoll_collective_at(c)->name, word)) {
        c++;
    }
    if (NULL == napcoll_collective_at(c)) {
        return refuse_as(line, word, "a collective (%s)", names.text);
    }
    *rule = napcoll_rule_any(napcoll_collective_at(c), NAPCOLL_RULE_AUTO);
    rule->line = line->number;
    for (word = next_word(line); !is_same(word, "->"); word = next_word(line)) {
        if (0 == word.length) {
            return refuse_word(line, word, "-> and what is to be done");
        }
        if (0 != read_key(line, word, rule, &seen)) {
            return -1;
        }
    }
    return read_decision(line, rule);
}

/* A line, of which some have no rule. Returns 1: *rule is one, 0: it has none, -1: it has a
 * mistake. */
static int read_line(line_t *line, napcoll_rule_t *rule)
{
    const size_t length = (size_t) (line->end - line->begin);
    const char *zero = memchr(line->begin, '\0', length);
    const char *comment = memchr(line->begin, '#', length);
    word_t word;

    if (length > NAPCOLL_MOST_RULES_LINE) {
        return refuse(line, line->begin + NAPCOLL_MOST_RULES_LINE,
                      "expected lines of at most %d bytes, found one of %zu",
                      NAPCOLL_MOST_RULES_LINE, length);
    }
    if (NULL != zero) {
        return refuse(line, zero, "expected text, found a zero byte");
    }
    line->end = NULL == comment ? line->end : comment;
    word = next_word(line);
    if (0 == word.length) {
        return 0;
    }
    return 0 == read_rule(line, word, rule) ? 1 : -1;
}

/* Add a rule. Returns 0, or -1 where memory ran out. */
static int add_rule(napcoll_rules_t *rules, const napcoll_rule_t *rule)
{
    const int count = rules->rules;

    if (0 == (count & (count - 1))) { /* room for as many again */
        const size_t room = 0 == count ? 1 : 2 * (size_t) count;
        napcoll_rule_t *larger = realloc(rules->rule, room * sizeof(*larger));

        if (NULL == larger) {
            return -1;
        }
        rules->rule = larger;
    }
    rules->rule[rules->rules++] = *rule;
    return 0;
}

int napcoll_rules_parse_all(const char *text, size_t length, napcoll_rules_t **rules,
                            napcoll_rules_complain_t complain, void *context)
{
    const char *const end = 0 == length ? text : text + length;
    napcoll_rules_error_t error = {.line = 0};
    line_t line = {.begin = text, .error = &error};
    bool goes_on = true;
    int mistakes = 0;

    *rules = calloc(1, sizeof(**rules));
    if (NULL == *rules) {
        return -1;
    }
    if (length > NAPCOLL_MOST_RULES_BYTES) {
        (void) refuse(&line, NULL, "expected a file of at most %d bytes, found %zu",
                      NAPCOLL_MOST_RULES_BYTES, length);
        (void) complain(context, &error);
        return 1;
    }
    while (goes_on && length > 0 && line.begin < end) {
        const char *newline = memchr(line.begin, '\n', (size_t) (end - line.begin));
        napcoll_rule_t rule;
        int rc;

        line.number++;
        line.at = line.begin;
        line.end = NULL == newline ? end : newline;
        rc = read_line(&line, &rule);
        if (rc > 0 && NAPCOLL_MOST_RULES == (*rules)->rules) {
            rc = refuse(&line, line.begin, "expected at most %d rules, found more",
                        NAPCOLL_MOST_RULES);
            goes_on = false;
        }
        if (rc < 0) {
            mistakes++;
            goes_on = complain(context, &error) && goes_on;
        } else if (rc > 0 && 0 != add_rule(*rules, &rule)) {
            napcoll_rules_free(*rules);
            *rules = NULL;
            return -1;
        }
        line.begin = NULL == newline ? end : newline + 1;
    }
    return mistakes;
}

static bool keep_first(void *context, const napcoll_rules_error_t *error)
{
    *(napcoll_rules_error_t *) context = *error;
    return false;
}

int napcoll_rules_parse(const char *text, size_t length, napcoll_rules_t **rules,
                        napcoll_rules_error_t *error)
{
    const int mistakes = napcoll_rules_parse_all(text, length, rules, keep_first, error);

    if (mistakes < 0) {
        return refuse(&(line_t){.error = error}, NULL, "out of memory");
    }
    if (mistakes > 0) {
        napcoll_rules_free(*rules);
        *rules = NULL;
    }
    return mistakes > 0 ? -1 : 0;
}

int napcoll_rules_parse_action(const napcoll_collective_t *collective, const char *text,
                               napcoll_rule_t *rule, napcoll_rules_error_t *error)
{
    line_t line = {
        .begin = text, .at = text, .end = text + strlen(text), .number = 1, .error = error};
    napcoll_rule_t read = napcoll_rule_any(collective, NAPCOLL_RULE_AUTO);

    if (0 != read_decision(&line, &read)) {
        return -1;
    }
    *rule = read;
    return 0;
}

int napcoll_rules_load(FILE *in, char **text, size_t *length, napcoll_rules_error_t *error)
{
    const line_t file = {.error = error};
    /* one byte more than is allowed tells that there are more */
    char *contents = malloc((size_t) NAPCOLL_MOST_RULES_BYTES + 2);
    int rc = 0;

    *text = NULL;
    if (NULL == contents) {
        return refuse(&file, NULL, "out of memory");
    }
    *length = fread(contents, 1, (size_t) NAPCOLL_MOST_RULES_BYTES + 1, in);
    if (ferror(in)) {
        rc = refuse(&file, NULL, "the file cannot be read; is it a folder?");
    } else if (*length > NAPCOLL_MOST_RULES_BYTES) {
        rc = refuse(&file, NULL, "expected a file of at most %d bytes, found more",
                    NAPCOLL_MOST_RULES_BYTES);
    }
    if (0 != rc) {
        free(contents);
        return -1;
    }
    contents[*length] = '\0';
    *text = contents;
    return 0;
}
