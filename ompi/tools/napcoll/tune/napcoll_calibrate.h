/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * From measured times to a machine (napcoll_machine.h). Pure: no MPI.
 *
 *     latency, time per byte      half round trips between two processes, by level and protocol:
 *                                 lines over bytes
 *     node_memory                 the same through memory that two processes share: a line
 *     short_below, eager_below    the changes of line of those between nodes
 *     R_b                         the slope of their rendezvous line
 *     R_N                         bursts of large messages from k processes of a node to k of
 *                                 another: the slope of a line over the messages of a burst
 *     process_gap, node_gap       the same of small messages, from one process and from all
 *     node_local_*                the same inside a node, from half of its processes to the others
 *     overhead                    the time to start a small message
 *     gamma                       reductions by one process: a line over bytes
 *
 * A slope over messages or bytes excludes one-time costs: the latency, and the acknowledgement at
 * the end of a burst. Max-rate model: W. Gropp, L. N. Olson, P. Samfass: "Modeling MPI
 * Communication Performance on SMP Nodes: Is it Time to Retire the Ping Pong Test", EuroMPI 2016.
 * LogGP: A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, 1995.
 */

#ifndef NAPCOLL_CALIBRATE_H
#define NAPCOLL_CALIBRATE_H

#include <stdbool.h>

#include "tune/napcoll_protocols.h"
#include "common/napcoll_timings.h"
#include "model/napcoll_machine.h"

enum {
    /** Different numbers of active processes. */
    NAPCOLL_CALIBRATE_MOST_STREAMS = 16,
    NAPCOLL_CALIBRATE_MOST_LIMITS = 32,
    /** Sizes of round trips between nodes. */
    NAPCOLL_CALIBRATE_LEAST_SIZES = 8
};

/** Bursts of messages. */
typedef struct napcoll_stream {
    /** Processes of a node that send at once, at least 1. */
    int active;
    /** Size of a message. */
    double bytes;
    /** x: messages of each process; the time until the last one is acknowledged. */
    napcoll_timings_t sent;
} napcoll_stream_t;

/** Bursts of more and more processes. */
typedef struct napcoll_streams {
    /** [num] ascending in active */
    napcoll_stream_t stream[NAPCOLL_CALIBRATE_MOST_STREAMS];
    int num;
} napcoll_streams_t;

/** All measurements. Only the round trips between nodes and one stream of large messages are
 * required. */
typedef struct napcoll_measured {
    /** x: bytes */
    napcoll_timings_t half_trip[NAPCOLL_LEVELS];
    /** x: bytes; through node memory */
    napcoll_timings_t node_memory;
    /** Between nodes: by rendezvous, of middle size, and of a few bytes. */
    napcoll_streams_t large, eager, small;
    /** Inside a node; active: pairs. */
    napcoll_stream_t near_large, near_small;
    /** Through node memory: in a shift each of the shift_ppn processes of a node sends one message
     * to the next one, on all nodes at once. Not measured where each process has a processor. */
    napcoll_timings_t shift;
    int shift_ppn;
    /** Times of starting a small message; x is the same for all. */
    napcoll_timings_t start;
    /** x: bytes */
    napcoll_timings_t reduction;
    /** Whether processes share processors, so that messages inside a node have a gap. */
    bool oversubscribed;
    /** Documented sizes at which the library changes its protocol. Where only one of them is inside
     * a found change, the change is taken to be there. */
    double limit[NAPCOLL_CALIBRATE_MOST_LIMITS];
    int num_limits;
} napcoll_measured_t;

typedef enum {
    NAPCOLL_CALIBRATE_OK,
    /** Too few sizes of round trips between nodes, or no stream of large messages. */
    NAPCOLL_CALIBRATE_TOO_FEW,
    /** Larger messages do not take longer: there is no R_b or no R_N. */
    NAPCOLL_CALIBRATE_NO_RATE,
    /** A number that no machine file may have. */
    NAPCOLL_CALIBRATE_IMPLAUSIBLE
} napcoll_calibrate_result_t;

/** A machine, and what it was made from. */
typedef struct napcoll_calibrated {
    napcoll_machine_t machine;
    /** Changes of protocol, by level. The machine has those between nodes for all. */
    napcoll_protocols_t protocols[NAPCOLL_LEVELS];
    /** eager_below_bytes is one of the limits. */
    bool limit_known;
    /** In seconds and bytes; points = 0 where that level was not measured. */
    napcoll_line_t line[NAPCOLL_LEVELS][NAPCOLL_PROTOCOLS];
    /** Likewise, through node memory. */
    napcoll_line_t node_memory;
    /** Of measured.large, 10^6 bytes per second of all processes together. */
    double node_rate[NAPCOLL_CALIBRATE_MOST_STREAMS];
    /** The rate of the most processes is a tenth above all others. */
    bool rate_grows;
    /** Rate of measured.eager with the most processes, at least; 0: not measured. */
    double eager_rate;
    /** Of measured.small, per message of the node: with one process, and with the most. */
    double gap_us[2];
    /** The processes of a node slow each other down. */
    bool node_has_gap;
    /** Time to start a message; the machine has at most half of the least latency. */
    double start_us;
    /** Gap of messages inside the node, also without oversubscription: of bursts, or, if longer, of
     * messages that wait for each other while all nodes are busy. */
    double near_gap_us;
} napcoll_calibrated_t;

/** What went wrong, in words, for a message. Static. */
const char *napcoll_calibrate_result_text(napcoll_calibrate_result_t result);

/**
 * Make a machine from measurements. Numbers have four digits. A level inside a node that was not
 * measured is a copy of the other one; other unknown numbers come from napcoll_machine_default.
 *
 * @param[in]  measured    the measurements
 * @param[in]  turns       which turns count
 * @param[out] calibrated  undefined after an error
 */
napcoll_calibrate_result_t napcoll_calibrate(const napcoll_measured_t *measured,
                                             napcoll_turns_t turns,
                                             napcoll_calibrated_t *calibrated);

/**
 * The difference of two machines in the index-th key (napcoll_machine_key), as a share of the
 * larger number. 0 for limits in bytes and numbers of processes, and where both are below a
 * twentieth of the key's unit.
 */
double napcoll_calibrate_apart(napcoll_machine_t *one, napcoll_machine_t *other, int index);

/** Release all times. */
void napcoll_measured_close(napcoll_measured_t *measured);

#endif /* NAPCOLL_CALIBRATE_H */
