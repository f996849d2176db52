/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The numbers of a machine (see the header). One table names the keys, their fields and their
 * ranges. Parameters, machine files and the texts of errors follow it.
 */

#include "model/napcoll_machine.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "coll_napcoll_machine_"

/* A number beyond these has a wrong unit, whatever the machine. */
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
    /* earlier name of the key, or NULL */
    const char *old_name;
    /* files without the key are valid */
    bool optional;
} entry_t;

#define ENTRY(field, low, high, is_whole, text)                                              \
    {                                                                                        \
        .name = PREFIX #field, .offset = offsetof(napcoll_machine_t, field), .least = (low), \
        .most = (high), .whole = (is_whole), .help = (text)                                  \
    }
#define LINK(level, LEVEL, protocol, PROTOCOL, number, high, text)                           \
    {                                                                                        \
        .name = PREFIX #level "_" #protocol "_" #number,                                     \
        .offset = offsetof(napcoll_machine_t,                                                \
                           link[NAPCOLL_LEVEL_##LEVEL][NAPCOLL_PROTOCOL_##PROTOCOL].number), \
        .most = (high), .help = (text)                                                       \
    }
#define LATENCY(level, LEVEL, protocol, PROTOCOL, ends)                 \
    LINK(level, LEVEL, protocol, PROTOCOL, latency_us, MOST_LATENCY_US, \
         "Latency of " #protocol " messages between two " ends ", in microseconds")
#define PER_BYTE(level, LEVEL, protocol, PROTOCOL, ends)                  \
    LINK(level, LEVEL, protocol, PROTOCOL, ns_per_byte, MOST_NS_PER_BYTE, \
         "Time per byte of " #protocol " messages between two " ends ", in nanoseconds")
#define LINKS(level, LEVEL, ends)                                                              \
    LATENCY(level, LEVEL, short, SHORT, ends), PER_BYTE(level, LEVEL, short, SHORT, ends),     \
        LATENCY(level, LEVEL, eager, EAGER, ends), PER_BYTE(level, LEVEL, eager, EAGER, ends), \
        LATENCY(level, LEVEL, rendezvous, RENDEZVOUS, ends)
#define NODE_MEMORY(number, high, text)                                                            \
    {                                                                                              \
        .name = PREFIX "node_memory_" #number,                                                     \
        .offset = offsetof(napcoll_machine_t, node_memory.number), .most = (high), .help = (text), \
        .optional = true                                                                           \
    }

static const entry_t entries[] = {
    ENTRY(short_below_bytes, 0, MOST_BYTES, true,
          "Messages smaller than this are short: they are sent with their envelope; in bytes"),
    ENTRY(eager_below_bytes, 0, MOST_BYTES, true,
          "Messages smaller than this that are not short are eager, larger ones use rendezvous; in "
          "bytes, at least short_below_bytes"),
    LINKS(socket, SOCKET, "processes of one socket"),
    PER_BYTE(socket, SOCKET, rendezvous, RENDEZVOUS, "processes of one socket"),
    LINKS(node, NODE, "processes of one node"),
    PER_BYTE(node, NODE, rendezvous, RENDEZVOUS, "processes of one node"),
    NODE_MEMORY(latency_us, MOST_LATENCY_US,
                "Latency of messages of up to 16 KiB between two processes of one node through "
                "memory that they share, in microseconds; 0: not measured, they cost as messages "
                "by Open MPI's point-to-point layer"),
    NODE_MEMORY(ns_per_byte, MOST_NS_PER_BYTE, "Time per byte of these messages, in nanoseconds"),
    LINKS(network, NETWORK, "nodes"),
    ENTRY(
        process_injection_mbyte_per_s, LEAST_RATE, MOST_RATE, false,
        "R_b: the rate at which one process can send to the network, in 10^6 bytes per second; the "
        "time per byte of rendezvous messages between nodes follows from it"),
    ENTRY(
        node_injection_mbyte_per_s, LEAST_RATE, MOST_RATE, false,
        "R_N: the rate at which all processes of a node together can send to the network, in 10^6 "
        "bytes per second"),
    ENTRY(node_injection_from_processes, 1, NAPCOLL_MACHINE_MOST_ACTIVE, true,
          "R_N applies where this number of processes of a node, or more, send to other nodes at "
          "once"),
    ENTRY(node_injection_from_bytes, 0, MOST_BYTES, true,
          "R_N applies to messages of this size or more, in bytes"),
    {.name = PREFIX "reduce_ns_per_byte",
     .offset = offsetof(napcoll_machine_t, reduce_ns_per_byte),
     .most = MOST_NS_PER_BYTE,
     .help = "gamma: time to reduce one byte into another, in nanoseconds",
     .old_name = PREFIX "fold_ns_per_byte"},
    ENTRY(process_overhead_us, 0, MOST_LATENCY_US, false,
          "LogGP's o: how long a process is busy with one message, at either end, in microseconds; "
          "the latencies contain it"),
    ENTRY(process_gap_us, 0, MOST_LATENCY_US, false,
          "LogGP's g of a process: the least time between two messages that it sends to other "
          "nodes, or receives from them, in microseconds"),
    ENTRY(node_gap_us, 0, MOST_LATENCY_US, false,
          "LogGP's g of a node: the least time between two messages that it sends to the network, "
          "in microseconds"),
    ENTRY(node_local_gap_us, 0, MOST_LATENCY_US, false,
          "The least time between two messages inside a node whose processes share processors; "
          "messages to other nodes occupy these, too; in microseconds"),
    ENTRY(
        node_local_ns_per_byte, 0, MOST_NS_PER_BYTE, false,
        "Time per byte of all messages inside a node together, by the bandwidth of its memory; in "
        "nanoseconds"),
};

enum {
    ENTRIES = sizeof(entries) / sizeof(*entries),
    /* of a number */
    MOST_DIGITS = 63
};

/* Inside the nodes of Blue Waters. */
#define INSIDE_NODES                                                                        \
    [NAPCOLL_LEVEL_SOCKET] = {{0.44224, 0.45624}, {0.53234, 0.31088}, {1.66569, 0.160034}}, \
    [NAPCOLL_LEVEL_NODE] = {{0.82823, 2.10447}, {1.205444, 1.03856}, {2.464821, 0.1614978}}

/* Blue Waters: bluewaters.conf names the sources of the numbers. */
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

/* Of processes on an Ethernet. */
#define ETHERNET [NAPCOLL_LEVEL_NETWORK] = {{25, 6.6}, {32, 2.9}, {40, 1000.0 / 350}}

/* ethernet.conf names the sources of the numbers. */
const napcoll_machine_t napcoll_machine_ethernet = {.short_below_bytes = 500,
                                                    .eager_below_bytes = 8000,
                                                    .link = {INSIDE_NODES, ETHERNET},
                                                    .process_injection_mbyte_per_s = 350,
                                                    .node_injection_mbyte_per_s = 350,
                                                    .node_injection_from_processes = 1,
                                                    .node_injection_from_bytes = 0,
                                                    .reduce_ns_per_byte = 1.4442875,
                                                    .process_overhead_us = 0.22,
                                                    .process_gap_us = 4,
                                                    .node_gap_us = 1};

const napcoll_machine_t napcoll_machine_node = {
    .short_below_bytes = 500,
    .eager_below_bytes = 8000,
    .link = {[NAPCOLL_LEVEL_SOCKET] = {{0.8, 0.12}, {0.8, 0.12}, {1.6, 0.1}},
             [NAPCOLL_LEVEL_NODE] = {{1, 0.12}, {1, 0.12}, {2, 0.1}},
             ETHERNET},
    .node_memory = {0.5, 0.12},
    .process_injection_mbyte_per_s = 350,
    .node_injection_mbyte_per_s = 350,
    .node_injection_from_processes = 1,
    .reduce_ns_per_byte = 0.1,
    .process_overhead_us = 0.2};

const char *napcoll_machine_key(int index)
{
    return index >= 0 && index < ENTRIES ? entries[index].name : NULL;
}

const char *napcoll_machine_old_key(int index)
{
    return entries[index].old_name;
}

bool napcoll_machine_is_optional(int index)
{
    return entries[index].optional;
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

/* ---- reading and checking ---- */

/* Set an error at a column, 0: none. Returns -1. */
__attribute__((format(printf, 3, 4))) static int refuse(napcoll_machine_error_t *error,
                                                        ptrdiff_t column, const char *format, ...)
{
    va_list args;

    error->line = column > 0;
    error->column = (int) column;
    va_start(args, format);
    (void) vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return -1;
}

/* Whether a text is a decimal number: strtod takes nan, infinity and hexadecimal numbers, too. */
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

static int check(const entry_t *entry, double number, ptrdiff_t column,
                 napcoll_machine_error_t *error)
{
    if (number >= entry->least && number <= entry->most
        && (!entry->whole || number == (double) (long long) number)) {
        return 0;
    }
    return refuse(error, column,
                  "%s: expected a %snumber from %g to %g, in the unit of the key's name",
                  entry->name, entry->whole ? "whole " : "", entry->least, entry->most);
}

int napcoll_machine_check_number(int index, double number, napcoll_machine_error_t *error)
{
    return check(&entries[index], number, 0, error);
}

int napcoll_machine_read_number(int index, const char *text, double *number,
                                napcoll_machine_error_t *error)
{
    static const char blanks[] = " \t\r";
    const char *at = text + strspn(text, blanks);
    const size_t length = strspn(at, "+-.0123456789abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    char word[MOST_DIGITS + 1] = "", *end = word;
    double value;

    if (length <= MOST_DIGITS) {
        memcpy(word, at, length);
    }
    value = is_decimal(word) ? strtod(word, &end) : NAN;
    /* strtod stops early where the locale has another decimal point */
    if (0 != check(&entries[index], '\0' == *end ? value : NAN, at - text + 1, error)) {
        return -1;
    }
    at += length;
    at += strspn(at, blanks);
    if ('\0' != *at && '#' != *at) {
        return refuse(error, at - text + 1,
                      "%s: expected the end of the line or a # after the number",
                      entries[index].name);
    }
    /* -0 becomes 0 */
    *number = value + 0.0;
    return 0;
}

int napcoll_machine_complete(napcoll_machine_t *machine, napcoll_machine_error_t *error)
{
    if (machine->eager_below_bytes < machine->short_below_bytes) {
        return refuse(error, 0,
                      PREFIX "eager_below_bytes: expected at least " PREFIX
                             "short_below_bytes (%g), above which eager messages begin",
                      machine->short_below_bytes);
    }
    machine->link[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_RENDEZVOUS].ns_per_byte =
        1000 / machine->process_injection_mbyte_per_s;
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        for (int protocol = 0; protocol < NAPCOLL_PROTOCOLS; protocol++) {
            if (2 * machine->process_overhead_us > machine->link[level][protocol].latency_us) {
                return refuse(error, 0,
                              PREFIX "process_overhead_us: expected at most half of the "
                                     "smallest latency (%g), which contains it at both ends",
                              machine->link[level][protocol].latency_us);
            }
        }
    }
    return 0;
}

void napcoll_machine_number_text(const napcoll_machine_t *machine, int index, char *text,
                                 size_t size)
{
    napcoll_machine_t copy = *machine;
    /* -0 becomes 0 */
    const double value = *napcoll_machine_number(&copy, index) + 0.0;
    int digits = 1;
    char *point;

    /* With fewer digits than the whole number has, %g would write an exponent. */
    for (double rest = fabs(value); rest >= 10 && digits < 17; rest /= 10) {
        digits++;
    }

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
