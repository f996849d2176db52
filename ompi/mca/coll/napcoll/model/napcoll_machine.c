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

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/napcoll_file.h"

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
    const char *help;
} entry_t;

#define ENTRY(field, least, most, whole, help)                                              \
    {                                                                                       \
        PREFIX #field, offsetof(napcoll_machine_t, field), (least), (most), (whole), (help) \
    }
#define LINK(level, LEVEL, protocol, PROTOCOL, number, most, help)                     \
    {                                                                                  \
        PREFIX #level "_" #protocol "_" #number,                                       \
            offsetof(napcoll_machine_t,                                                \
                     link[NAPCOLL_LEVEL_##LEVEL][NAPCOLL_PROTOCOL_##PROTOCOL].number), \
            0, (most), false, (help)                                                   \
    }
#define LATENCY(level, LEVEL, protocol, PROTOCOL, ends)                 \
    LINK(level, LEVEL, protocol, PROTOCOL, latency_us, MOST_LATENCY_US, \
         "Latency of " #protocol " messages between two " ends ", in microseconds")
#define PER_BYTE(level, LEVEL, protocol, PROTOCOL, ends)                  \
    LINK(level, LEVEL, protocol, PROTOCOL, ns_per_byte, MOST_NS_PER_BYTE, \
         "Time per byte of " #protocol " messages between two " ends ", in nanoseconds")
#define ON_SOCKET  "processes of one socket"
#define ON_NODE    "processes of one node"
#define ON_NETWORK "nodes"

static const entry_t entries[] = {
    ENTRY(short_below_bytes, 0, MOST_BYTES, true,
          "Messages smaller than this are short: they travel with their envelope; in bytes"),
    ENTRY(eager_below_bytes, 0, MOST_BYTES, true,
          "Messages smaller than this that are not short are eager, larger ones go by rendezvous; "
          "in bytes, at least short_below_bytes"),
    LATENCY(socket, SOCKET, short, SHORT, ON_SOCKET),
    PER_BYTE(socket, SOCKET, short, SHORT, ON_SOCKET),
    LATENCY(socket, SOCKET, eager, EAGER, ON_SOCKET),
    PER_BYTE(socket, SOCKET, eager, EAGER, ON_SOCKET),
    LATENCY(socket, SOCKET, rendezvous, RENDEZVOUS, ON_SOCKET),
    PER_BYTE(socket, SOCKET, rendezvous, RENDEZVOUS, ON_SOCKET),
    LATENCY(node, NODE, short, SHORT, ON_NODE),
    PER_BYTE(node, NODE, short, SHORT, ON_NODE),
    LATENCY(node, NODE, eager, EAGER, ON_NODE),
    PER_BYTE(node, NODE, eager, EAGER, ON_NODE),
    LATENCY(node, NODE, rendezvous, RENDEZVOUS, ON_NODE),
    PER_BYTE(node, NODE, rendezvous, RENDEZVOUS, ON_NODE),
    LATENCY(network, NETWORK, short, SHORT, ON_NETWORK),
    PER_BYTE(network, NETWORK, short, SHORT, ON_NETWORK),
    LATENCY(network, NETWORK, eager, EAGER, ON_NETWORK),
    PER_BYTE(network, NETWORK, eager, EAGER, ON_NETWORK),
    LATENCY(network, NETWORK, rendezvous, RENDEZVOUS, ON_NETWORK),
    ENTRY(process_injection_mbyte_per_s, LEAST_RATE, MOST_RATE, false,
          "R_b: what one process can put on the network, in 10^6 bytes per second; the time per "
          "byte of rendezvous messages between nodes follows from it"),
    ENTRY(node_injection_mbyte_per_s, LEAST_RATE, MOST_RATE, false,
          "R_N: what all processes of a node together can put on the network, in 10^6 bytes per "
          "second"),
    ENTRY(
        node_injection_from_processes, 1, NAPCOLL_MACHINE_MOST_ACTIVE, true,
        "R_N applies from this number of processes of a node on that send to other nodes at once"),
    ENTRY(node_injection_from_bytes, 0, MOST_BYTES, true,
          "R_N applies to messages of at least this size"),
    ENTRY(reduce_ns_per_byte, 0, MOST_NS_PER_BYTE, false,
          "gamma: time to reduce one byte into another, in nanoseconds"),
    ENTRY(process_overhead_us, 0, MOST_LATENCY_US, false,
          "LogGP's o: how long a process is busy with one message, at either end, in microseconds; "
          "a part of the latencies"),
    ENTRY(process_gap_us, 0, MOST_LATENCY_US, false,
          "LogGP's g, of a process: the least time between two messages that it sends to other "
          "nodes, or receives from them, in microseconds"),
    ENTRY(node_gap_us, 0, MOST_LATENCY_US, false,
          "LogGP's g, of a node: the least time between two messages that it puts on the network, "
          "in microseconds"),
    ENTRY(node_local_gap_us, 0, MOST_LATENCY_US, false,
          "The least time between two messages inside a node, where its processes share "
          "processors, which are then busy with messages to other nodes as well; in "
          "microseconds"),
    ENTRY(node_local_ns_per_byte, 0, MOST_NS_PER_BYTE, false,
          "Time per byte of all messages inside a node together: what its memory lets through, in "
          "nanoseconds"),
};

enum {
    ENTRIES = sizeof(entries) / sizeof(*entries),
    MOST_DIGITS = 63, /* of a number in a file */
    MOST_FILE =
        1024
        * 1024 /* bytes of a file; those of napcoll-tune on 64 processes have 100 KB, most of it comments */
};

/* Inside the nodes of Blue Waters. */
#define INSIDE_NODES                                                                        \
    [NAPCOLL_LEVEL_SOCKET] = {{0.44224, 0.45624}, {0.53234, 0.31088}, {1.66569, 0.160034}}, \
    [NAPCOLL_LEVEL_NODE] = {{0.82823, 2.10447}, {1.205444, 1.03856}, {2.464821, 0.1614978}}

/* Blue Waters, as in bluewaters.conf, which says where the numbers are from. */
const napcoll_machine_t napcoll_machine_default = {
    .short_below_bytes = 500,
    .eager_below_bytes = 8000,
    .link = {INSIDE_NODES, [NAPCOLL_LEVEL_NETWORK] = {{2.265647, 0.742038},
                                                      {6.951053, 1.330323},
                                                      {6.195205, 1000 / 3085.142}}},
    .process_injection_mbyte_per_s = 3085.142,
    .node_injection_mbyte_per_s = 6671.908,
    .node_injection_from_processes = 4,
    .node_injection_from_bytes = 8000,
    .reduce_ns_per_byte = 1.4442875,
    .process_overhead_us = 0.22,
    .process_gap_us = 0.7};

/* As in ethernet.conf, which says where the numbers are from. */
const napcoll_machine_t napcoll_machine_ethernet = {
    .short_below_bytes = 500,
    .eager_below_bytes = 8000,
    .link = {INSIDE_NODES, [NAPCOLL_LEVEL_NETWORK] = {{25, 6.6}, {32, 2.9}, {40, 1000.0 / 350}}},
    .process_injection_mbyte_per_s = 350,
    .node_injection_mbyte_per_s = 350,
    .node_injection_from_processes = 1,
    .node_injection_from_bytes = 0,
    .reduce_ns_per_byte = 1.4442875,
    .process_overhead_us = 0.22,
    .process_gap_us = 4,
    .node_gap_us = 1};

const char *napcoll_machine_key(int index)
{
    return index >= 0 && index < ENTRIES ? entries[index].name : NULL;
}

const char *napcoll_machine_key_help(int index)
{
    return entries[index].help;
}

double *napcoll_machine_number(napcoll_machine_t *machine, int index)
{
    return (double *) (void *) ((char *) machine + entries[index].offset);
}

napcoll_protocol_t napcoll_machine_protocol(const napcoll_machine_t *machine, double bytes)
{
    if (bytes < machine->short_below_bytes) {
        return NAPCOLL_PROTOCOL_SHORT;
    }
    return bytes < machine->eager_below_bytes ? NAPCOLL_PROTOCOL_EAGER
                                              : NAPCOLL_PROTOCOL_RENDEZVOUS;
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

static bool is_plausible(const entry_t *entry, double number)
{
    return number >= entry->least && number <= entry->most
           && (!entry->whole || number == (double) (long long) number);
}

/* What a key's number has to be, as a text of its own. */
static void say_expected(const entry_t *entry, napcoll_machine_error_t *error)
{
    (void) snprintf(error->text, sizeof(error->text),
                    "%s: expected a %snumber from %g to %g, in the unit of the key's name",
                    entry->name, entry->whole ? "whole " : "", entry->least, entry->most);
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
    if (end == text || '\0' != *end || !is_plausible(entry, number)) {
        (void) refuse(line, "%s", "");
        say_expected(entry, line->error);
        return -1;
    }
    line->at += length;
    *value = number + 0.0; /* -0 becomes 0 */
    return 0;
}

/* Expect a comment or nothing behind a number. */
static int read_rest(line_t *line, const entry_t *entry)
{
    skip_blanks(line);
    if (line->at < line->end && '#' != *line->at) {
        return refuse(line, "%s: expected the end of the line or a # after the number",
                      entry->name);
    }
    return 0;
}

int napcoll_machine_read_number(int index, const char *text, double *number,
                                napcoll_machine_error_t *error)
{
    line_t line = {
        .at = text, .begin = text, .end = text + strlen(text), .number = 1, .error = error};
    double value;

    skip_blanks(&line);
    if (0 != read_number(&line, &entries[index], &value)
        || 0 != read_rest(&line, &entries[index])) {
        return -1;
    }
    *number = value;
    return 0;
}

int napcoll_machine_check_number(int index, double number, napcoll_machine_error_t *error)
{
    if (is_plausible(&entries[index], number)) {
        return 0;
    }
    error->line = error->column = 0;
    say_expected(&entries[index], error);
    return -1;
}

/* Whether a line has another parameter of the component, of which a parameter file may have any. */
static bool is_other(const line_t *line)
{
    static const char component[] = "coll_napcoll_";
    const size_t length = (size_t) (line->end - line->at);

    return length >= sizeof(component) - 1
           && 0 == memcmp(line->at, component, sizeof(component) - 1)
           && (length < sizeof(PREFIX) - 1 || 0 != memcmp(line->at, PREFIX, sizeof(PREFIX) - 1));
}

/* Read a line `key = value # comment`, or one with no key. */
static int read_line(line_t *line, napcoll_machine_t *machine, int *seen)
{
    int entry;

    skip_blanks(line);
    if (line->at == line->end || '#' == *line->at || is_other(line)) {
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
    if (0 != read_number(line, &entries[entry], napcoll_machine_number(machine, entry))) {
        return -1;
    }
    return read_rest(line, &entries[entry]);
}

static int find_missing(const int *seen, napcoll_machine_error_t *error)
{
    for (int i = 0; i < ENTRIES; i++) {
        if (0 == seen[i]) {
            return refuse_file(error, "%s: missing; add a line %s = NUMBER (%g to %g)",
                               entries[i].name, entries[i].name, entries[i].least, entries[i].most);
        }
    }
    return 0;
}

int napcoll_machine_complete(napcoll_machine_t *machine, napcoll_machine_error_t *error)
{
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
    return 0 == find_missing(seen, error) ? napcoll_machine_complete(machine, error) : -1;
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

void napcoll_machine_number_text(const napcoll_machine_t *machine, int index, char *text,
                                 size_t size)
{
    const double value = value_of(machine, index) + 0.0; /* -0 becomes 0 */
    int digits = 1;
    char *point;

    /* As many as the whole number has: with fewer it would get an exponent. */
    for (double rest = fabs(value); rest >= 10 && digits < 17; rest /= 10) {
        digits++;
    }
    /* The fewest from there that read back as the same number. */
    for (; digits <= 17; digits++) {
        (void) snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    point = strstr(text, localeconv()->decimal_point);
    if (NULL != point) {
        const size_t length = strlen(localeconv()->decimal_point);

        *point = '.';
        memmove(point + 1, point + length, strlen(point + length) + 1);
    }
}

int napcoll_machine_print(const napcoll_machine_t *machine, FILE *out)
{
    for (int i = 0; i < ENTRIES; i++) {
        char text[64];

        napcoll_machine_number_text(machine, i, text, sizeof(text));
        fprintf(out, "%s = %s\n", entries[i].name, text);
    }
    return 0 == ferror(out) ? 0 : -1;
}

/* ---- finding ---- */

static FILE *open_file(const char *path)
{
    napcoll_file_error_t why;

    return napcoll_file_open(path, MOST_FILE, &why);
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
