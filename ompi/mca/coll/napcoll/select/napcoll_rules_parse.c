/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reading rules (see napcoll_rules.h). Words have blanks between them; only -> may stand against its neighbours. One
 * table says which keys there are and how their values are read.
 */

#include "select/napcoll_rules.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 40 /* bytes of a word that errors show */ };

/* The line that is being read. */
typedef struct {
    const char *begin;
    const char *at;
    const char *end; /* of what is to be read: before a comment */
    int number;
    napcoll_rules_error_t *error;
} line_t;

/* A part of it. */
typedef struct {
    const char *at;
    size_t length;
} word_t;

/* A word as errors show it: printable letters, long ones cut. */
typedef struct {
    char text[MOST_SHOWN + 8];
} shown_t;

static shown_t show(word_t word)
{
    const size_t length = word.length < MOST_SHOWN ? word.length : MOST_SHOWN;
    shown_t shown;

    for (size_t i = 0; i < length; i++) {
        shown.text[i] = word.at[i] >= ' ' && word.at[i] <= '~' ? word.at[i] : '?';
    }
    (void) strcpy(shown.text + length, length < word.length ? "..." : "");
    return shown;
}

/* ---- errors ---- */

__attribute__((format(printf, 3, 4))) static int refuse(const line_t *line, const char *at,
                                                        const char *format, ...)
{
    va_list args;

    line->error->line = line->number;
    line->error->column = (int) (at - line->begin) + 1;
    va_start(args, format);
    (void) vsnprintf(line->error->text, sizeof(line->error->text), format, args);
    va_end(args);
    return -1;
}

/* Expected something, found a word, or the end of the line. */
static int expected(const line_t *line, word_t found, const char *what)
{
    return 0 == found.length
               ? refuse(line, found.at, "expected %s, found the end of the line", what)
               : refuse(line, found.at, "expected %s, found \"%s\"", what, show(found).text);
}

__attribute__((format(printf, 2, 3))) static int refuse_file(napcoll_rules_error_t *error,
                                                             const char *format, ...)
{
    va_list args;

    error->line = 0;
    error->column = 0;
    va_start(args, format);
    (void) vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return -1;
}

/* A list of names for errors, as long as there is room for it. */
typedef struct {
    char text[400];
    size_t used;
} names_t;

static void add_name(names_t *names, const char *name)
{
    const int length = snprintf(names->text + names->used, sizeof(names->text) - names->used,
                                "%s%s", 0 == names->used ? "" : ", ", name);

    names->used += length > 0 && (size_t) length < sizeof(names->text) - names->used
                       ? (size_t) length
                       : 0;
    names->text[names->used] = '\0';
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

/* Split NAME=VALUE; false where it is none. */
static bool split(word_t word, word_t *name, word_t *value)
{
    const char *equals = memchr(word.at, '=', word.length);

    if (NULL == equals) {
        return false;
    }
    *name = (word_t){.at = word.at, .length = (size_t) (equals - word.at)};
    *value = (word_t){.at = equals + 1, .length = word.length - name->length - 1};
    return true;
}

/* ---- numbers ---- */

/* A number at the start of a word, with a suffix where it may have one; the word becomes what is behind. */
static bool take_number(word_t *word, bool scaled, size_t *number)
{
    static const char suffix[] = "KMG";
    size_t value = 0;
    int digits = 0;

    for (; word->length > 0 && *word->at >= '0' && *word->at <= '9'; digits++) {
        const size_t digit = (size_t) (*word->at - '0');

        if (value > (SIZE_MAX - digit) / 10) {
            return false;
        }
        value = 10 * value + digit;
        word->at++;
        word->length--;
    }
    for (int power = 1; scaled && digits > 0 && word->length > 0 && power <= 3; power++) {
        if (*word->at == suffix[power - 1]) {
            if (value > SIZE_MAX >> (10 * power)) {
                return false;
            }
            value <<= 10 * power;
            word->at++;
            word->length--;
            break;
        }
    }
    *number = value;
    return digits > 0;
}

static bool take_dots(word_t *word)
{
    if (word->length < 2 || '.' != word->at[0] || '.' != word->at[1]) {
        return false;
    }
    word->at += 2;
    word->length -= 2;
    return true;
}

/* N, N..M, N.. or ..M */
static bool take_range(word_t word, bool scaled, napcoll_rule_range_t *range)
{
    const bool begins = word.length > 0 && '.' != *word.at;

    *range = (napcoll_rule_range_t){0, SIZE_MAX};
    if (begins && !take_number(&word, scaled, &range->least)) {
        return false;
    }
    if (!take_dots(&word)) {
        range->most = range->least;
        return begins && 0 == word.length;
    }
    if (0 == word.length) {
        return begins;
    }
    return take_number(&word, scaled, &range->most) && 0 == word.length;
}

/* ---- keys ---- */

typedef enum { KEY_NODES, KEY_PPN, KEY_BYTES, KEY_OP, KEY_PLACEMENT, KEYS } rule_key_t;

static const struct {
    const char *name;
    const char *values; /* what errors say of them */
} keys[KEYS] = {
    [KEY_NODES] = {"nodes", "nodes= and a number or a range from 1 on, as 8, 4..16, 4.. or ..16"},
    [KEY_PPN] = {"ppn", "ppn= and a number or a range from 1 on, as 8, 4..16, 4.. or ..16"},
    [KEY_BYTES] = {"bytes",
                   "bytes= and a number or a range, with K, M or G for 2^10, 2^20 or 2^30, as "
                   "512, 1K..64K, 1M.. or ..4K"},
    [KEY_OP] = {"op", "op=commutative or op=ordered"},
    [KEY_PLACEMENT] = {"placement", "placement=contiguous or placement=scattered"},
};

static int read_range(const line_t *line, word_t word, word_t value, rule_key_t key,
                      napcoll_rule_range_t *range)
{
    const bool scaled = KEY_BYTES == key;

    if (!take_range(value, scaled, range) || (!scaled && 0 == range->most)) {
        return expected(line, word, keys[key].values);
    }
    if (range->least > range->most) {
        return refuse(line, word.at,
                      "expected a range whose first number is not the larger one, found \"%s\"",
                      show(word).text);
    }
    if (!scaled && range->least > INT_MAX) {
        return refuse(line, word.at, "expected numbers up to %d, found \"%s\"", INT_MAX,
                      show(word).text);
    }
    return 0;
}

static int read_whether(const line_t *line, word_t word, word_t value, rule_key_t key,
                        const char *no, const char *yes, napcoll_rule_whether_t *whether)
{
    if (!is_same(value, no) && !is_same(value, yes)) {
        return expected(line, word, keys[key].values);
    }
    *whether = is_same(value, yes) ? NAPCOLL_RULE_YES : NAPCOLL_RULE_NO;
    return 0;
}

static int read_key(const line_t *line, word_t word, napcoll_rule_t *rule, unsigned *seen)
{
    word_t name, value;
    int key = KEYS;

    if (split(word, &name, &value)) {
        for (key = 0; key < KEYS && !is_same(name, keys[key].name); key++) {
        }
    }
    if (KEYS == key) {
        return expected(line, word,
                        "nodes=, ppn=, bytes=, op=, placement= or -> behind the collective");
    }
    if (0 != (*seen & 1U << key)) {
        return refuse(line, word.at, "%s= is given twice; expected it once", keys[key].name);
    }
    *seen |= 1U << key;
    switch (key) {
    case KEY_NODES:
        return read_range(line, word, value, KEY_NODES, &rule->nodes);
    case KEY_PPN:
        return read_range(line, word, value, KEY_PPN, &rule->ppn);
    case KEY_BYTES:
        return read_range(line, word, value, KEY_BYTES, &rule->bytes);
    case KEY_OP:
        if (!napcoll_goal_reduces(rule->collective->goal)) {
            return refuse(line, word.at,
                          "op= is for reductions; expected none, as %s has no operation",
                          rule->collective->name);
        }
        return read_whether(line, word, value, KEY_OP, "commutative", "ordered",
                            &rule->noncommutative);
    default:
        return read_whether(line, word, value, KEY_PLACEMENT, "contiguous", "scattered",
                            &rule->scattered);
    }
}

/* ---- tunables ---- */

/* A number in a range, or 0 where that is allowed besides. */
static int read_int(const line_t *line, word_t word, word_t value, int least, int most, bool or_0,
                    int *number)
{
    size_t given;

    if (!take_number(&value, false, &given) || value.length > 0 || given > (size_t) most
        || (given < (size_t) least && !(or_0 && 0 == given))) {
        return refuse(line, word.at, "expected a number from %d to %d%s behind =, found \"%s\"",
                      least, most, or_0 && least > 0 ? ", or 0," : "", show(word).text);
    }
    *number = (int) given;
    return 0;
}

/* The value of a tunable that has names; auto is 0. */
static int read_choice(const line_t *line, word_t word, word_t value,
                       const napcoll_tunable_t *tunable, int *number)
{
    names_t names = {.used = 0};

    add_name(&names, "auto");
    *number = 0;
    if (is_same(value, "auto")) {
        return 0;
    }
    for (int v = 0; NULL != tunable->names[v]; v++) {
        add_name(&names, tunable->names[v]);
        if (is_same(value, tunable->names[v])) {
            *number = v + 1;
            return 0;
        }
    }
    return refuse(line, word.at, "expected one of %s behind =, found \"%s\"", names.text,
                  show(word).text);
}

static int expected_tunable(const line_t *line, word_t word, const napcoll_algorithm_t *algorithm)
{
    names_t names = {.used = 0};

    for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
        add_name(&names, algorithm->tunable[t].name);
    }
    if (algorithm->radix) {
        add_name(&names, "local_radix");
    }
    if (napcoll_rule_takes_segments(algorithm)) {
        add_name(&names, "segments");
    }
    return 0 == names.used
               ? refuse(line, word.at,
                        "expected the end of the line, as %s has no tunables, found \"%s\"",
                        algorithm->name, show(word).text)
               : refuse(line, word.at, "expected NAME=VALUE of a tunable of %s (%s), found \"%s\"",
                        algorithm->name, names.text, show(word).text);
}

static int read_tunable(const line_t *line, word_t word, napcoll_rule_t *rule)
{
    const napcoll_algorithm_t *algorithm = &rule->collective->algorithm[rule->algorithm];
    word_t name, value;
    int t = 0, *number;

    if (!split(word, &name, &value)) {
        return expected_tunable(line, word, algorithm);
    }
    while (NULL != algorithm->tunable[t].name && !is_same(name, algorithm->tunable[t].name)) {
        t++;
    }
    if (NULL != algorithm->tunable[t].name) {
        number = &rule->tunable[t];
    } else if (algorithm->radix && is_same(name, "local_radix")) {
        number = &rule->local_radix;
    } else if (napcoll_rule_takes_segments(algorithm) && is_same(name, "segments")) {
        number = &rule->segments;
    } else {
        return expected_tunable(line, word, algorithm);
    }
    if (*number > 0 || (NULL != algorithm->tunable[t].name && NAPCOLL_RULE_UNSET != *number)) {
        return refuse(line, word.at, "%s is given twice; expected it once", show(name).text);
    }
    if (number == &rule->local_radix) {
        return read_int(line, word, value, 2, NAPCOLL_TUNABLE_MOST, false, number);
    }
    if (number == &rule->segments) {
        return read_int(line, word, value, 1, NAPCOLL_MOST_RULE_SEGMENTS, false, number);
    }
    if (NULL != algorithm->tunable[t].names) {
        return read_choice(line, word, value, &algorithm->tunable[t], number);
    }
    return read_int(line, word, value, algorithm->tunable[t].least,
                    napcoll_tunable_most(&algorithm->tunable[t]),
                    0 == algorithm->tunable[t].initial, number);
}

/* ---- lines ---- */

static int read_collective(const line_t *line, word_t word, const napcoll_collective_t **collective)
{
    names_t names = {.used = 0};

    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        add_name(&names, napcoll_collectives[c]->name);
        if (is_same(word, napcoll_collectives[c]->name)) {
            *collective = napcoll_collectives[c];
            return 0;
        }
    }
    return refuse(line, word.at, "expected a collective (%s), found \"%s\"", names.text,
                  show(word).text);
}

static int read_action(const line_t *line, word_t word, napcoll_rule_t *rule)
{
    names_t names = {.used = 0};

    for (int row = 0; row < rule->collective->algorithms; row++) {
        add_name(&names, rule->collective->algorithm[row].name);
        if (is_same(word, rule->collective->algorithm[row].name)) {
            rule->action = NAPCOLL_RULE_ALGORITHM;
            rule->algorithm = row;
            return 0;
        }
    }
    if (is_same(word, "fallback") || is_same(word, "auto")) {
        rule->action = is_same(word, "auto") ? NAPCOLL_RULE_AUTO : NAPCOLL_RULE_FALLBACK;
        return 0;
    }
    return refuse(line, word.at, "expected fallback, auto or an algorithm of %s (%s), found %s%s%s",
                  rule->collective->name, names.text, 0 == word.length ? "" : "\"",
                  0 == word.length ? "the end of the line" : show(word).text,
                  0 == word.length ? "" : "\"");
}

/* What is behind the arrow, up to the end of the line. */
static int read_decision(line_t *line, napcoll_rule_t *rule)
{
    word_t word;

    if (0 != read_action(line, next_word(line), rule)) {
        return -1;
    }
    for (word = next_word(line); word.length > 0; word = next_word(line)) {
        if (NAPCOLL_RULE_ALGORITHM != rule->action) {
            return expected(line, word, "the end of the line behind fallback or auto");
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
    const napcoll_collective_t *collective = NULL;
    unsigned seen = 0;

    if (0 != read_collective(line, word, &collective)) {
        return -1;
    }
    *rule = napcoll_rule_any(collective, NAPCOLL_RULE_AUTO);
    rule->line = line->number;
    for (word = next_word(line); !is_same(word, "->"); word = next_word(line)) {
        if (0 == word.length) {
            return expected(line, word, "-> and what is to be done");
        }
        if (0 != read_key(line, word, rule, &seen)) {
            return -1;
        }
    }
    return read_decision(line, rule);
}

/* Room for one more rule. Returns 0, 1 where there are too many, or -1 where memory ran out. */
static int make_room(napcoll_rules_t *rules, int *room)
{
    napcoll_rule_t *larger;

    if (rules->rules < *room) {
        return 0;
    }
    if (NAPCOLL_MOST_RULES == rules->rules) {
        return 1;
    }
    *room = 0 == *room ? 16 : *room > NAPCOLL_MOST_RULES / 2 ? NAPCOLL_MOST_RULES : 2 * *room;
    larger = realloc(rules->rule, (size_t) *room * sizeof(*larger));
    if (NULL == larger) {
        return -1;
    }
    rules->rule = larger;
    return 0;
}

/* What reading a file needs. */
typedef struct {
    napcoll_rules_t *rules;
    int room;
    int mistakes;
    bool stopped;
    napcoll_rules_complain_t complain;
    void *context;
} reader_t;

static void tell(reader_t *reader, const napcoll_rules_error_t *error)
{
    reader->mistakes++;
    reader->stopped = !reader->complain(reader->context, error);
}

/* Read the line from `begin` to `end`. Returns 0, or -1 when memory ran out. */
static int read_line(reader_t *reader, const char *begin, const char *end, int number)
{
    napcoll_rules_error_t error = {0};
    line_t line = {.begin = begin, .at = begin, .end = end, .number = number, .error = &error};
    const char *zero = memchr(begin, '\0', (size_t) (end - begin));
    const char *comment = memchr(begin, '#', (size_t) (end - begin));
    napcoll_rule_t rule;
    word_t word;
    int rc;

    if (end - begin > NAPCOLL_MOST_RULES_LINE) {
        (void) refuse(&line, begin + NAPCOLL_MOST_RULES_LINE,
                      "expected lines of at most %d bytes, found one of %zu",
                      NAPCOLL_MOST_RULES_LINE, (size_t) (end - begin));
        tell(reader, &error);
        return 0;
    }
    if (NULL != zero) {
        (void) refuse(&line, zero, "expected text, found a zero byte");
        tell(reader, &error);
        return 0;
    }
    line.end = NULL == comment ? end : comment;
    word = next_word(&line);
    if (0 == word.length) {
        return 0;
    }
    if (0 != read_rule(&line, word, &rule)) {
        tell(reader, &error);
        return 0;
    }
    rc = make_room(reader->rules, &reader->room);
    if (rc > 0) {
        (void) refuse(&line, begin, "expected at most %d rules, found more", NAPCOLL_MOST_RULES);
        tell(reader, &error);
        reader->stopped = true;
        return 0;
    }
    if (0 == rc) {
        reader->rules->rule[reader->rules->rules++] = rule;
    }
    return rc;
}

int napcoll_rules_parse_all(const char *text, size_t length, napcoll_rules_t **rules,
                            napcoll_rules_complain_t complain, void *context)
{
    reader_t reader = {
        .rules = calloc(1, sizeof(**rules)), .complain = complain, .context = context};
    const char *const end = 0 == length ? text : text + length;
    int number = 1, rc = NULL == reader.rules ? -1 : 0;

    *rules = NULL;
    if (length > NAPCOLL_MOST_RULES_BYTES) {
        napcoll_rules_error_t error;

        (void) refuse_file(&error, "expected a file of at most %d bytes, found %zu",
                           NAPCOLL_MOST_RULES_BYTES, length);
        tell(&reader, &error);
        length = 0;
    }
    for (const char *at = text; 0 == rc && length > 0 && at < end && !reader.stopped; number++) {
        const char *newline = memchr(at, '\n', (size_t) (end - at));
        const char *stop = NULL == newline ? end : newline;

        rc = read_line(&reader, at, stop, number);
        at = NULL == newline ? end : newline + 1;
    }
    if (0 != rc) {
        napcoll_rules_free(reader.rules);
        return -1;
    }
    *rules = reader.rules;
    return reader.mistakes;
}

static bool keep_first(void *context, const napcoll_rules_error_t *error)
{
    napcoll_rules_error_t *kept = context;

    *kept = *error;
    return false;
}

int napcoll_rules_parse(const char *text, size_t length, napcoll_rules_t **rules,
                        napcoll_rules_error_t *error)
{
    const int mistakes = napcoll_rules_parse_all(text, length, rules, keep_first, error);

    if (mistakes < 0) {
        return refuse_file(error, "out of memory");
    }
    if (mistakes > 0) {
        napcoll_rules_free(*rules);
        *rules = NULL;
        return -1;
    }
    return 0;
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
    /* One byte more than is allowed tells that there are more. */
    char *contents = malloc((size_t) NAPCOLL_MOST_RULES_BYTES + 2);
    size_t bytes;

    *text = NULL;
    if (NULL == contents) {
        return refuse_file(error, "out of memory");
    }
    bytes = fread(contents, 1, (size_t) NAPCOLL_MOST_RULES_BYTES + 1, in);
    if (ferror(in)) {
        free(contents);
        return refuse_file(error, "the file cannot be read; is it a folder?");
    }
    if (bytes > NAPCOLL_MOST_RULES_BYTES) {
        free(contents);
        return refuse_file(error, "expected a file of at most %d bytes, found more",
                           NAPCOLL_MOST_RULES_BYTES);
    }
    contents[bytes] = '\0';
    *text = contents;
    *length = bytes;
    return 0;
}
