/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * From measured times to a machine (napcoll_machine.h). Pure: no MPI in here.
 *
 *     number                        from
 *     latency, time per byte        half round trips between two processes, by level and protocol: lines over bytes
 *     short_below, eager_below      where those between nodes change from one line to another
 *     R_b                           the slope of their rendezvous line
 *     R_N                           bursts of large messages from k processes of a node to k of another: a line over
 *                                   the messages of a burst, whose slope is the time that one of each takes
 *     process_gap, node_gap         the same of small messages, from one process and from all
 *     node_local_*                  the same inside a node, from half of its processes to the other half
 *     overhead                      how long it takes to start a small message
 *     gamma                         reduces by one process: a line over bytes
 *
 * A slope over messages or bytes is free of what comes once: the latency, and the acknowledgement by which a burst
 * ends. Max-rate model: W. Gropp, L. N. Olson, P. Samfass: "Modeling MPI Communication Performance on SMP Nodes: Is
 * it Time to Retire the Ping Pong Test", EuroMPI 2016. LogGP's numbers: A. Alexandrov, M. Ionescu, K. Schauser,
 * C. Scheiman: "LogGP", 1995.
 */

#ifndef NAPCOLL_CALIBRATE_H
#define NAPCOLL_CALIBRATE_H

#include <stdbool.h>

#include "model/napcoll_machine.h"
#include "common/napcoll_protocols.h"
#include "common/napcoll_timings.h"

enum {
    NAPCOLL_CALIBRATE_MOST_STREAMS = 16, /**< different numbers of active processes */
    NAPCOLL_CALIBRATE_MOST_LIMITS = 32,
    NAPCOLL_CALIBRATE_LEAST_SIZES = 8 /**< of round trips between nodes; fewer make no machine */
};

/** Bursts by so many processes at once. */
typedef struct napcoll_stream {
    int active;   /**< processes of a node that send, at least 1 */
    double bytes; /**< of a message */
    napcoll_timings_t
        sent; /**< x: messages from each of them; until the last one is acknowledged */
} napcoll_stream_t;

/** Bursts by more and more processes. */
typedef struct napcoll_streams {
    napcoll_stream_t stream[NAPCOLL_CALIBRATE_MOST_STREAMS]; /**< ascending in active */
    int num;
} napcoll_streams_t;

/** All that is measured. What has no times was not measured; only the round trips between nodes and a stream of
 * large messages have to be there. */
typedef struct napcoll_measured {
    napcoll_timings_t half_trip[NAPCOLL_LEVELS]; /**< x: bytes */
    napcoll_streams_t large;                     /**< between nodes, by rendezvous */
    napcoll_streams_t eager;                     /**< between nodes, of middle size */
    napcoll_streams_t small;                     /**< between nodes, of a few bytes */
    napcoll_stream_t near_large;                 /**< inside a node; active: pairs */
    napcoll_stream_t near_small;
    napcoll_timings_t
        start; /**< of starting a small message; x: anything that is the same for all */
    napcoll_timings_t reduction; /**< x: bytes */

    /** Whether processes share processors, so that messages inside a node have a gap. */
    bool oversubscribed;

    /** Sizes, in bytes, at which the library is said to change its protocol; a change that is found where only one of
     * them lies is taken to be exactly there. */
    double limit[NAPCOLL_CALIBRATE_MOST_LIMITS];
    int num_limits;
} napcoll_measured_t;

typedef enum {
    NAPCOLL_CALIBRATE_OK,
    NAPCOLL_CALIBRATE_TOO_FEW, /**< round trips between nodes of fewer than 8 sizes, or no stream of large messages */
    NAPCOLL_CALIBRATE_NO_RATE, /**< larger messages do not take longer: there is no R_b or no R_N */
    NAPCOLL_CALIBRATE_IMPLAUSIBLE, /**< a number that no machine file may have */
    NAPCOLL_CALIBRATE_NO_MEMORY
} napcoll_calibrate_result_t;

/** A machine, and what it was made from. */
typedef struct napcoll_calibrated {
    napcoll_machine_t machine;

    /** Changes of protocol, by level. The machine has those between nodes for all. */
    napcoll_protocols_t protocols[NAPCOLL_LEVELS];
    bool limit_known; /**< eager_below_bytes is one of the limits */

    /** In seconds and bytes; points = 0 where that level was not measured. */
    napcoll_line_t line[NAPCOLL_LEVELS][NAPCOLL_PROTOCOLS];

    double node_rate
        [NAPCOLL_CALIBRATE_MOST_STREAMS]; /**< of measured.large, 10^6 bytes per second of all together */
    bool rate_grows; /**< the most processes still had a tenth more than fewer had */
    double
        eager_rate; /**< of measured.eager, the most processes: what was reached at least; 0: not measured */
    double gap_us[2];  /**< of measured.small per message of the node: one process, and the most */
    bool node_has_gap; /**< the node's processes hold each other up */
    double
        start_us; /**< what it takes to start a message; the machine has at most half of the least latency */
    double near_gap_us; /**< of messages inside the node, also where it is not oversubscribed */
} napcoll_calibrated_t;

/** What went wrong, in words, for a message. Static. */
const char *napcoll_calibrate_result_text(napcoll_calibrate_result_t result);

/**
 * Make a machine of what was measured. Numbers have four digits. Of two levels inside a node the one that was not
 * measured has what the other has; what cannot be told at all is that of napcoll_machine_default.
 *
 * @param[in]  measured    what was measured
 * @param[in]  turns       which turns count
 * @param[out] calibrated  undefined after an error
 */
napcoll_calibrate_result_t napcoll_calibrate(const napcoll_measured_t *measured,
                                             napcoll_turns_t turns,
                                             napcoll_calibrated_t *calibrated);

/**
 * How far two machines differ in the index-th key (napcoll_machine_key), as a share of the larger number. 0 where the
 * key is not one that grows steadily with what is measured: a limit in bytes or a number of processes; and where
 * both are below a twentieth of its unit.
 */
double napcoll_calibrate_apart(napcoll_machine_t *one, napcoll_machine_t *other, int index);

/** Release all times. */
void napcoll_measured_close(napcoll_measured_t *measured);

#endif /* NAPCOLL_CALIBRATE_H */
