/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a machine's communication costs, and the file that says so. Pure: no MPI in here.
 *
 * A machine file is one of Open MPI's parameter files, the keys being the component's parameters:
 * lines `key = value`, comments after #.
 *
 *     # between nodes, messages of 500 to 7999 bytes
 *     coll_napcoll_machine_network_eager_latency_us = 6.951053
 *     coll_napcoll_machine_network_eager_ns_per_byte = 1.330323
 *
 * Every key of napcoll_machine_key() stands in it once; other parameters of the component, coll_napcoll_..., may
 * stand between them and are passed over, and nothing else is allowed. Numbers are kept in the units
 * of their names, so what is printed reads back as the same machine, bit by bit. Bytes per
 * microsecond are megabytes (10^6) per second.
 */

#ifndef NAPCOLL_MACHINE_H
#define NAPCOLL_MACHINE_H

#include <stddef.h>
#include <stdio.h>

/** Where the two ends of a message are: the nearest level that both are in. */
typedef enum {
    NAPCOLL_LEVEL_SOCKET,  /**< the same socket of a node */
    NAPCOLL_LEVEL_NODE,    /**< two sockets of a node, or where sockets are not known */
    NAPCOLL_LEVEL_NETWORK, /**< two nodes */
    NAPCOLL_LEVELS
} napcoll_level_t;

/** How a message is sent; its size decides. */
typedef enum {
    NAPCOLL_PROTOCOL_SHORT,      /**< with its envelope */
    NAPCOLL_PROTOCOL_EAGER,      /**< at once, into a buffer of the receiver's where it is early */
    NAPCOLL_PROTOCOL_RENDEZVOUS, /**< when the receive is posted */
    NAPCOLL_PROTOCOLS
} napcoll_protocol_t;

/** The postal model's two numbers: a message of s bytes takes latency + s * time per byte. */
typedef struct napcoll_link {
    double latency_us;
    double ns_per_byte;
} napcoll_link_t;

/** R_N may apply from so many active processes at most. */
enum { NAPCOLL_MACHINE_MOST_ACTIVE = 64 };

typedef struct napcoll_machine {
    double short_below_bytes; /**< smaller messages are short */
    double eager_below_bytes; /**< smaller messages that are not short are eager */

    /** Level and protocol. ns_per_byte of network and rendezvous is no number of its own: it is
     * 1000 / process_injection_mbyte_per_s. */
    napcoll_link_t link[NAPCOLL_LEVELS][NAPCOLL_PROTOCOLS];

    double process_injection_mbyte_per_s; /**< R_b: what one process can put on the network */
    double node_injection_mbyte_per_s;    /**< R_N: what all processes of a node can */
    double node_injection_from_processes; /**< R_N applies from so many active processes on */
    double node_injection_from_bytes;     /**< ... and to messages of so many bytes or more */
    double reduce_ns_per_byte;            /**< gamma: to reduce one byte into another */

    /** LogGP's o: how long a process is busy with one message, at either end. It is part of the
     * latencies: LogGP's L is latency - 2 o. */
    double process_overhead_us;

    /** LogGP's g, of a process: the least time between two messages that it sends to other nodes, or
     * receives from them. */
    double process_gap_us;

    /** LogGP's g, of a node: the least time between two messages that it puts on the network. */
    double node_gap_us;

    /** The same of the messages inside a node: what they cost processes that share processors, which are
     * then busy with messages to other nodes, too, as long as these leave; 0 where each has its own. */
    double node_local_gap_us;

    /** LogGP's G, of all messages inside a node together: what its memory lets through. */
    double node_local_ns_per_byte;
} napcoll_machine_t;

/** Where a machine file is wrong, and a sentence on it. */
typedef struct napcoll_machine_error {
    int line;       /**< from 1; 0: the file as a whole */
    int column;     /**< from 1, in bytes; 0: the line, or the file, as a whole */
    char text[512]; /**< the key, what was expected, what to do */
} napcoll_machine_error_t;

/** The protocol by which a message of so many bytes goes. */
napcoll_protocol_t napcoll_machine_protocol(const napcoll_machine_t *machine, double bytes);

/** Blue Waters, as in bluewaters.conf, but with an overhead of 0.22 us, half the latency inside its sockets, and a
 * gap of 0.7 us between a process's messages to other nodes, a third of their latency. The paper's models have neither,
 * and would send any number of small messages at once. What is taken where nobody has measured a fabric. */
extern const napcoll_machine_t napcoll_machine_default;

/** Nodes like those of napcoll_machine_default, but with TCP over an Ethernet between them, of a rate between those of
 * 1 and 10 Gbit/s: as in ethernet.conf. What is taken where nobody has measured an Ethernet. */
extern const napcoll_machine_t napcoll_machine_ethernet;

/** Name of the index-th key of a machine file ("coll_napcoll_machine_node_gap_us"), from 0; NULL
 * after the last. Static. */
const char *napcoll_machine_key(int index);

/** What the number of the index-th key is, with its unit. Static. */
const char *napcoll_machine_key_help(int index);

/**
 * Where the number of the index-th key is kept. To set numbers one by one: each is to pass
 * napcoll_machine_check_number or come from napcoll_machine_read_number, and then all together
 * napcoll_machine_complete.
 */
double *napcoll_machine_number(napcoll_machine_t *machine, int index);

/** The number of the index-th key as a text of the fewest digits that read back as that number, up to
 * 32 characters; the same for equal numbers, whatever the locale. Whole numbers below 1e17 have no exponent. */
void napcoll_machine_number_text(const napcoll_machine_t *machine, int index, char *text,
                                 size_t size);

/** Read the number of the index-th key from a text that would stand behind its = in a file. Returns
 * 0, or -1 with *error set. */
int napcoll_machine_read_number(int index, const char *text, double *number,
                                napcoll_machine_error_t *error);

/** Whether a number may be that of the index-th key, by itself: 0, or -1 with error->text set. */
int napcoll_machine_check_number(int index, double number, napcoll_machine_error_t *error);

/** Check what several keys together must meet, and set what follows from them. Returns 0, or -1 with
 * error->text set. */
int napcoll_machine_complete(napcoll_machine_t *machine, napcoll_machine_error_t *error);

/**
 * Read a machine from text.
 *
 * @param[in]  text     [length] the file's contents; needs no terminating zero, may hold any bytes
 * @param[in]  length   bytes
 * @param[out] machine  the machine; undefined after an error
 * @param[out] error    what is wrong
 *
 * @return 0, or -1 with *error set
 */
int napcoll_machine_parse(const char *text, size_t length, napcoll_machine_t *machine,
                          napcoll_machine_error_t *error);

/** Read a machine from an open file, of 1 MiB at most; as napcoll_machine_parse. */
int napcoll_machine_read(FILE *in, napcoll_machine_t *machine, napcoll_machine_error_t *error);

/** Print a machine as a file that reads back the same. Returns 0, or -1 when out failed. */
int napcoll_machine_print(const napcoll_machine_t *machine, FILE *out);

/**
 * Open a machine file by name: the name as a path; then, where it has no slash, that name in each
 * folder of a list.
 *
 * @param[in]  name     path or name ("bluewaters.conf")
 * @param[in]  folders  folders separated by colons, in the order in which they are tried; may be
 *                      empty or NULL
 * @param[out] path     [size] the path that was opened
 * @param[in]  size     bytes of path
 *
 * @return the file, which the caller closes; NULL where there is none, or a path that does not fit
 */
FILE *napcoll_machine_open(const char *name, const char *folders, char *path, size_t size);

#endif /* NAPCOLL_MACHINE_H */
