/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Machine files (see the header). One table says which keys there are, where their numbers go and
 * what is plausible; reading, printing and the texts of errors follow it.
 */

#include "model/napcoll_machine.h"

#include <stdbool.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PREFIX "coll_napcoll_machine_"

/* Beyond these a file has a slip in its units, whatever the machine. */
#define MOST_LATENCY_US  1e7
#define MOST_NS_PER_BYTE 1e6
#define LEAST_RATE       1e-3
#define MOST_RATE        1e9
#define MOST_BYTES       1e12

typedef struct {
    const char *name;
    size_t offset;
    double least;
    double most;
    bool whole;
} entry_t;

#define ENTRY(field, least, most, whole)                                            \
    {                                                                               \
        PREFIX #field, offsetof(napcoll_machine_t, field), (least), (most), (whole) \
    }
#define LINK(level, LEVEL, protocol, PROTOCOL, number, most)                           \
    {                                                                                  \
        PREFIX #level "_" #protocol "_" #number,                                       \
            offsetof(napcoll_machine_t,                                                \
                     link[NAPCOLL_LEVEL_##LEVEL][NAPCOLL_PROTOCOL_##PROTOCOL].number), \
            0, (most), false                                                           \
    }
#define LATENCY(level, LEVEL, protocol, PROTOCOL) \
    LINK(level, LEVEL, protocol, PROTOCOL, latency_us, MOST_LATENCY_US)
#define PER_BYTE(level, LEVEL, protocol, PROTOCOL) \
    LINK(level, LEVEL, protocol, PROTOCOL, ns_per_byte, MOST_NS_PER_BYTE)

static const entry_t entries[] = {
    ENTRY(short_below_bytes, 0, MOST_BYTES, true),
    ENTRY(eager_below_bytes, 0, MOST_BYTES, true),
    LATENCY(socket, SOCKET, short, SHORT),
    PER_BYTE(socket, SOCKET, short, SHORT),
    LATENCY(socket, SOCKET, eager, EAGER),
    PER_BYTE(socket, SOCKET, eager, EAGER),
    LATENCY(socket, SOCKET, rendezvous, RENDEZVOUS),
    PER_BYTE(socket, SOCKET, rendezvous, RENDEZVOUS),
    LATENCY(node, NODE, short, SHORT),
    PER_BYTE(node, NODE, short, SHORT),
    LATENCY(node, NODE, eager, EAGER),
    PER_BYTE(node, NODE, eager, EAGER),
    LATENCY(node, NODE, rendezvous, RENDEZVOUS),
    PER_BYTE(node, NODE, rendezvous, RENDEZVOUS),
    LATENCY(network, NETWORK, short, SHORT),
    PER_BYTE(network, NETWORK, short, SHORT),
    LATENCY(network, NETWORK, eager, EAGER),
    PER_BYTE(network, NETWORK, eager, EAGER),
    LATENCY(network, NETWORK, rendezvous, RENDEZVOUS),
    ENTRY(process_injection_mbyte_per_s, LEAST_RATE, MOST_RATE, false),
    ENTRY(node_injection_mbyte_per_s, LEAST_RATE, MOST_RATE, false),
    ENTRY(node_injection_from_processes, 1, NAPCOLL_MACHINE_MOST_ACTIVE, true),
    ENTRY(node_injection_from_bytes, 0, MOST_BYTES, true),
    ENTRY(fold_ns_per_byte, 0, MOST_NS_PER_BYTE, false),
    ENTRY(process_overhead_us, 0, MOST_LATENCY_US, false),
    ENTRY(node_gap_us, 0, MOST_LATENCY_US, false),
};

enum {
    ENTRIES = sizeof(entries) / sizeof(*entries),
    MOST_DIGITS = 63,     /* of a number in a file */
    MOST_FILE = 64 * 1024 /* bytes of a file */
};

const char *napcoll_machine_key(int index)
{
    return index >= 0 && index < ENTRIES ? entries[index].name : NULL;
}

napcoll_protocol_t napcoll_machine_protocol(const napcoll_machine_t *machine, double bytes)
{
    if (bytes < machine->short_below_bytes) {
        return NAPCOLL_PROTOCOL_SHORT;
    }
    return bytes < machine->eager_below_bytes ? NAPCOLL_PROTOCOL_EAGER
                                              : NAPCOLL_PROTOCOL_RENDEZVOUS;
}

static double *number_at(napcoll_machine_t *machine, int entry)
{
    return (double *) (void *) ((char *) machine + entries[entry].offset);
}

static double value_of(const napcoll_machine_t *machine, int entry)
{
    double value;

    memcpy(&value, (const char *) machine + entries[entry].offset, sizeof(value));
    return value;
}

/* ---- reading ---- */

/* The rest of one line. */
typedef struct {
    const char *at;
    const char *begin;
    const char *end;
    int number;
    napcoll_machine_error_t *error;
} line_t;

__attribute__((format(printf, 2, 3))) static int refuse(const line_t *line, const char *format, ...)
{
    va_list args;

    line->error->line = line->number;
    line->error->column = (int) (line->at - line->begin) + 1;
    va_start(args, format);
    (void) vsnprintf(line->error->text, sizeof(line->error->text), format, args);
    va_end(args);
    return -1;
}

__attribute__((format(printf, 2, 3))) static int refuse_file(napcoll_machine_error_t *error,
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

static void skip_blanks(line_t *line)
{
    while (line->at < line->end && (' ' == *line->at || '\t' == *line->at || '\r' == *line->at)) {
        line->at++;
    }
}

/* Characters of a key or a number at the start of what is left of the line. */
static int word(const line_t *line, const char *allowed)
{
    const char *at = line->at;

    while (at < line->end && '\0' != *at && NULL != strchr(allowed, *at)) {
        at++;
    }
    return (int) (at - line->at);
}

static int read_key(line_t *line)
{
    int length = word(line, "abcdefghijklmnopqrstuvwxyz_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    int shown = length > 80 ? 80 : length;

    if (0 == length) {
        return refuse(line, "expected a key such as %s; comments begin with #", entries[0].name);
    }
    for (int i = 0; i < ENTRIES; i++) {
        if (strlen(entries[i].name) == (size_t) length
            && 0 == memcmp(entries[i].name, line->at, (size_t) length)) {
            line->at += length;
            return i;
        }
    }
    return refuse(line,
                  "%.*s%s: no such key; correct or remove it (napcoll-plan(1) lists the keys, "
                  "bluewaters.conf has them all)",
                  shown, line->at, shown < length ? "..." : "");
}

/* Whether a word is digits with at most one point and one exponent, behind an optional sign: strtod
 * alone would also take nan, infinity and hexadecimal. */
static bool is_decimal(const char *text)
{
    int digits = 0, points = 0;

    for (text += '-' == *text || '+' == *text; ('0' <= *text && *text <= '9') || '.' == *text;
         text++) {
        digits += '.' != *text;
        points += '.' == *text;
    }
    if (0 == digits || points > 1) {
        return false;
    }
    if ('e' == *text || 'E' == *text) {
        text++;
        text += '-' == *text || '+' == *text;
        for (digits = 0; '0' <= *text && *text <= '9'; text++) {
            digits++;
        }
    }
    return digits > 0 && '\0' == *text;
}

static int read_number(line_t *line, const entry_t *entry, double *value)
{
    int length = word(line, "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    char text[MOST_DIGITS + 1], *end = text;
    double number = -1;

    if (length > 0 && length <= MOST_DIGITS) {
        memcpy(text, line->at, (size_t) length);
        text[length] = '\0';
        number = is_decimal(text) ? strtod(text, &end) : -1;
    }
    /* Overflow is infinite and beyond `most`; a sign that reached here is below `least`. */
    if (end == text || '\0' != *end || !(number >= entry->least && number <= entry->most)
        || (entry->whole && number != (double) (long long) number)) {
        return refuse(line, "%s: expected a %snumber from %g to %g, in the unit of the key's name",
                      entry->name, entry->whole ? "whole " : "", entry->least, entry->most);
    }
    line->at += length;
    *value = number;
    return 0;
}

/* Read a line `key = value # comment`, or one with no key. */
static int read_line(line_t *line, napcoll_machine_t *machine, int *seen)
{
    int entry;

    skip_blanks(line);
    if (line->at == line->end || '#' == *line->at) {
        return 0;
    }
    entry = read_key(line);
    if (entry < 0) {
        return -1;
    }
    if (0 != seen[entry]) {
        line->at -= strlen(entries[entry].name);
        return refuse(line, "%s: given before, in line %d; remove one of the two",
                      entries[entry].name, seen[entry]);
    }
    seen[entry] = line->number;
    skip_blanks(line);
    if (line->at == line->end || '=' != *line->at) {
        return refuse(line, "%s: expected = and a number after the key", entries[entry].name);
    }
    line->at++;
    skip_blanks(line);
    if (0 != read_number(line, &entries[entry], number_at(machine, entry))) {
        return -1;
    }
    skip_blanks(line);
    if (line->at < line->end && '#' != *line->at) {
        return refuse(line, "%s: expected the end of the line or a # after the number",
                      entries[entry].name);
    }
    return 0;
}

/* What several keys together must meet. */
static int check_whole(napcoll_machine_t *machine, const int *seen, napcoll_machine_error_t *error)
{
    for (int i = 0; i < ENTRIES; i++) {
        if (0 == seen[i]) {
            return refuse_file(error, "%s: missing; add a line %s = NUMBER (%g to %g)",
                               entries[i].name, entries[i].name, entries[i].least, entries[i].most);
        }
    }
    if (machine->eager_below_bytes < machine->short_below_bytes) {
        return refuse_file(error,
                           PREFIX "eager_below_bytes: expected at least " PREFIX
                                  "short_below_bytes (%g), above which eager messages begin",
                           machine->short_below_bytes);
    }
    machine->link[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_RENDEZVOUS].ns_per_byte =
        1000 / machine->process_injection_mbyte_per_s;
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        for (int protocol = 0; protocol < NAPCOLL_PROTOCOLS; protocol++) {
            if (2 * machine->process_overhead_us > machine->link[level][protocol].latency_us) {
                return refuse_file(error,
                                   PREFIX "process_overhead_us: expected at most half of the "
                                          "smallest latency (%g), of which it is a part at both "
                                          "ends",
                                   machine->link[level][protocol].latency_us);
            }
        }
    }
    return 0;
}

int napcoll_machine_parse(const char *text, size_t length, napcoll_machine_t *machine,
                          napcoll_machine_error_t *error)
{
    const char *end = text + length;
    int seen[ENTRIES] = {0};
    line_t line = {.at = text, .error = error};

    *machine = (napcoll_machine_t){0};
    if (length > MOST_FILE) {
        return refuse_file(error, "more than %d bytes; is it a machine file?", MOST_FILE);
    }
    while (line.at < end) {
        const char *newline = memchr(line.at, '\n', (size_t) (end - line.at));

        line.begin = line.at;
        line.end = NULL == newline ? end : newline;
        line.number++;
        if (0 != read_line(&line, machine, seen)) {
            return -1;
        }
        line.at = NULL == newline ? end : newline + 1;
    }
    return check_whole(machine, seen, error);
}

int napcoll_machine_read(FILE *in, napcoll_machine_t *machine, napcoll_machine_error_t *error)
{
    char *text = malloc(MOST_FILE + 1);
    size_t length;
    int rc;

    if (NULL == text) {
        return refuse_file(error, "out of memory");
    }
    length = fread(text, 1, MOST_FILE + 1, in); /* one more, so that parse sees what is too long */
    rc = 0 != ferror(in) ? refuse_file(error, "cannot be read")
                         : napcoll_machine_parse(text, length, machine, error);
    free(text);
    return rc;
}

/* ---- printing ---- */

int napcoll_machine_print(const napcoll_machine_t *machine, FILE *out)
{
    for (int i = 0; i < ENTRIES; i++) {
        char text[64];
        double value = value_of(machine, i);

        /* The fewest digits that read back as the same number. */
        for (int digits = 1; digits <= 17; digits++) {
            (void) snprintf(text, sizeof(text), "%.*g", digits, value);
            if (!(strtod(text, NULL) < value || strtod(text, NULL) > value)) {
                break;
            }
        }
        fprintf(out, "%s = %s\n", entries[i].name, text);
    }
    return 0 == ferror(out) ? 0 : -1;
}

/* ---- finding ---- */

/* A file that can be read; a folder opens, too, but is none. */
static FILE *open_file(const char *path)
{
    FILE *in = fopen(path, "r");
    struct stat about;

    if (NULL != in && (0 != fstat(fileno(in), &about) || S_ISDIR(about.st_mode))) {
        (void) fclose(in);
        in = NULL;
    }
    return in;
}

FILE *napcoll_machine_open(const char *name, const char *folders, char *path, size_t size)
{
    const char *at = NULL == folders ? "" : folders;
    int length = snprintf(path, size, "%s", name);
    FILE *in = length >= 0 && (size_t) length < size ? open_file(path) : NULL;

    while (NULL == in && '\0' != *at && NULL == strchr(name, '/')) {
        int folder = (int) strcspn(at, ":");

        length = snprintf(path, size, "%.*s/%s", folder, at, name);
        if (folder > 0 && length >= 0 && (size_t) length < size) {
            in = open_file(path);
        }
        at += folder;
        at += ':' == *at;
    }
    return in;
}
