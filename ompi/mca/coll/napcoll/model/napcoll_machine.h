/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What communication costs on a machine: the numbers, and the keys under which users set them.
 * Pure: no MPI in here.
 *
 * The keys are parameters of the component and the lines of a machine file
 * (ompi/tools/napcoll/common/napcoll_machine_file.h). Numbers keep the units of their names, so a
 * printed number reads back bit by bit. Bytes per microsecond are megabytes (10^6) per second.
 */

#ifndef NAPCOLL_MACHINE_H
#define NAPCOLL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/** Where the two ends of a message are: the nearest level that contains both. */
typedef enum {
    /** one socket of a node */
    NAPCOLL_LEVEL_SOCKET,
    /** two sockets of a node, or a node whose sockets are not known */
    NAPCOLL_LEVEL_NODE,
    /** two nodes */
    NAPCOLL_LEVEL_NETWORK,
    NAPCOLL_LEVELS
} napcoll_level_t;

/** How a message is sent; its size decides. */
typedef enum {
    /** with its envelope */
    NAPCOLL_PROTOCOL_SHORT,
    /** at once; the receiver buffers a message that is early */
    NAPCOLL_PROTOCOL_EAGER,
    /** when the receive is posted */
    NAPCOLL_PROTOCOL_RENDEZVOUS,
    NAPCOLL_PROTOCOLS
} napcoll_protocol_t;

/** The postal model's two numbers: a message of s bytes takes latency + s * time per byte. */
typedef struct napcoll_link {
    double latency_us;
    double ns_per_byte;
} napcoll_link_t;

enum {
    /** The largest node_injection_from_processes. */
    NAPCOLL_MACHINE_MOST_ACTIVE = 64,
    /** The most bytes of a message through node memory; others inside a node go by the PML. */
    NAPCOLL_MACHINE_NODE_MEMORY_MOST = 16 * 1024,
    /** The most bytes of a message through the large rings of node memory, for some goals; of all
     * processes of a node together, where that is less; and at least. */
    NAPCOLL_MACHINE_LARGE_RING_MOST = 512 * 1024,
    NAPCOLL_MACHINE_LARGE_RINGS = 4 * 1024 * 1024,
    NAPCOLL_MACHINE_LARGE_RING_LEAST = 32 * 1024
};

typedef struct napcoll_machine {
    /** smaller messages are short */
    double short_below_bytes;
    /** smaller messages that are not short are eager */
    double eager_below_bytes;

    /** By level and protocol. ns_per_byte of network and rendezvous is not set by a key: it is 1000
     * / process_injection_mbyte_per_s. */
    napcoll_link_t link[NAPCOLL_LEVELS][NAPCOLL_PROTOCOLS];

    /** One more protocol inside a node: memory that its processes share, for messages of at most
     * NAPCOLL_MACHINE_NODE_MEMORY_MOST bytes. latency_us 0: it was not measured, or there is none,
     * and these cost as `link` says. */
    napcoll_link_t node_memory;
    /** For larger ones, too, of at most this number of bytes, if that is more. No key sets it: it
     * is the goal's. */
    double node_memory_large;

    /** R_b: the rate at which one process can send to the network */
    double process_injection_mbyte_per_s;
    /** R_N: the rate at which all processes of a node together can */
    double node_injection_mbyte_per_s;
    /** R_N applies where this number of processes of a node, or more, send at once */
    double node_injection_from_processes;
    /** R_N applies to messages of this size or more */
    double node_injection_from_bytes;
    /** gamma: time to reduce one byte into another */
    double reduce_ns_per_byte;

    /** LogGP's o: how long a process is busy with one message, at either end. The latencies contain
     * it: LogGP's L is latency - 2 o. */
    double process_overhead_us;

    /** LogGP's g of a process: the least time between two messages that it sends to other nodes, or
     * receives from them. */
    double process_gap_us;

    /** LogGP's g of a node: the least time between two messages that it sends to the network. */
    double node_gap_us;

    /** The gap of messages inside a node whose processes share processors. Those are also busy with
     * messages to other nodes. 0 where each process has its own processor. */
    double node_local_gap_us;

    /** LogGP's G of all messages inside a node together: the bandwidth of its memory. */
    double node_local_ns_per_byte;
} napcoll_machine_t;

/** What is wrong with a number or a file, and where. */
typedef struct napcoll_machine_error {
    /** from 1; 0: the file as a whole */
    int line;
    /** from 1, in bytes; 0: the line, or the file, as a whole */
    int column;
    /** the key, what was expected, what to do */
    char text[512];
} napcoll_machine_error_t;

/** The protocol of a message of this size by the PML. */
napcoll_protocol_t napcoll_machine_protocol(const napcoll_machine_t *machine, double bytes);

/** Whether a message of this size and level goes through node memory. */
static inline bool napcoll_machine_shares(const napcoll_machine_t *machine, napcoll_level_t level,
                                          double bytes)
{
    return NAPCOLL_LEVEL_NETWORK != level && machine->node_memory.latency_us > 0
           && (bytes <= NAPCOLL_MACHINE_NODE_MEMORY_MOST || bytes <= machine->node_memory_large);
}

/** The latency and time per byte of a message of this size and level. */
static inline napcoll_link_t napcoll_machine_link(const napcoll_machine_t *machine,
                                                  napcoll_level_t level, double bytes)
{
    return napcoll_machine_shares(machine, level, bytes)
               ? machine->node_memory
               : machine->link[level][napcoll_machine_protocol(machine, bytes)];
}

/** Whether a message of this size and level is sent only when its receive is posted. */
static inline bool napcoll_machine_waits(const napcoll_machine_t *machine, napcoll_level_t level,
                                         double bytes)
{
    return NAPCOLL_PROTOCOL_RENDEZVOUS == napcoll_machine_protocol(machine, bytes)
           && !napcoll_machine_shares(machine, level, bytes);
}

/** How long a message of this size and level keeps either of its processes busy, at least: o, which
 * is measured with the PML; through node memory at most half of the latency. */
static inline double napcoll_machine_overhead_us(const napcoll_machine_t *machine,
                                                 napcoll_level_t level, double bytes)
{
    const double half = machine->node_memory.latency_us / 2;

    return napcoll_machine_shares(machine, level, bytes) && half < machine->process_overhead_us
               ? half
               : machine->process_overhead_us;
}

/** The machine where nobody has measured a fabric: Blue Waters, as in bluewaters.conf, with an
 * overhead of 0.22 us (half the latency inside its sockets) and a gap of 0.7 us between a process's
 * messages to other nodes (a third of their latency). The paper's models have neither: by them a
 * process could send any number of small messages at once. */
extern const napcoll_machine_t napcoll_machine_default;

/** The machine where nobody has measured an Ethernet, as in ethernet.conf: the nodes of
 * napcoll_machine_default, and TCP at a rate between 1 and 10 Gbit/s. */
extern const napcoll_machine_t napcoll_machine_ethernet;

/** A single node where nobody has measured: an x86 server of the 2020s, about as napcoll-tune finds
 * them. Blue Waters' processors reduced and copied ten times more slowly. What it says of a network
 * (an Ethernet's) no message uses. */
extern const napcoll_machine_t napcoll_machine_node;

/** Name of the index-th key ("coll_napcoll_machine_node_gap_us"), from 0; NULL after the last. */
const char *napcoll_machine_key(int index);

/** An earlier name of the index-th key, which files and parameters may still use; or NULL. */
const char *napcoll_machine_old_key(int index);

/** Whether a machine file may lack the index-th key, whose number is 0 then: it is younger than
 * other keys. */
bool napcoll_machine_is_optional(int index);

/** What the number of the index-th key means, with its unit. */
const char *napcoll_machine_key_help(int index);

/**
 * The field of the index-th key. A caller that sets numbers one by one checks each with
 * napcoll_machine_check_number or takes it from napcoll_machine_read_number, and calls
 * napcoll_machine_complete at the end.
 */
double *napcoll_machine_number(napcoll_machine_t *machine, int index);

/** The number of the index-th key as a text of the fewest digits that read back as that number, at
 * most 32 characters; the same for equal numbers, in any locale. Whole numbers below 1e17 have no
 * exponent. */
void napcoll_machine_number_text(const napcoll_machine_t *machine, int index, char *text,
                                 size_t size);

/** Read the number of the index-th key from a text: blanks, a number, blanks, and perhaps a comment
 * behind #. Returns 0, or -1 with *error set (line 1). */
int napcoll_machine_read_number(int index, const char *text, double *number,
                                napcoll_machine_error_t *error);

/** Check the range of one number of the index-th key. Returns 0, or -1 with *error set. */
int napcoll_machine_check_number(int index, double number, napcoll_machine_error_t *error);

/** Check the numbers against each other, and set the numbers that follow from them. Returns 0, or
 * -1 with *error set. */
int napcoll_machine_complete(napcoll_machine_t *machine, napcoll_machine_error_t *error);

#endif /* NAPCOLL_MACHINE_H */
