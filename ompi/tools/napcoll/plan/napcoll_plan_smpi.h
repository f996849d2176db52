/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The machine of a machine file as SimGrid describes a cluster: a platform file and options.
 *
 * SMPI has one list of factors for the sizes of messages, for all links. It describes the network,
 * and the links inside nodes are exact for messages of one size, the size of the call.
 */

#ifndef NAPCOLL_TOOLS_PLAN_SMPI_H
#define NAPCOLL_TOOLS_PLAN_SMPI_H

#include <stdio.h>

#include "model/napcoll_machine.h"
#include "topo/napcoll_node_map.h"

enum {
    /** SMPI adds this many bytes to each message. */
    SMPI_ENVELOPE = 16,
    /** Sizes at which the protocol changes, or a message's bytes take longer than its overhead. */
    SMPI_MOST_SECTIONS = 1 + 2 * NAPCOLL_PROTOCOLS
};

/** A bandwidth that limits nothing, and the speed of a host that reduces in no time. */
#define SMPI_UNLIMITED 1e18

/** Messages of some sizes. */
typedef struct {
    /** the least of them, in bytes */
    int from;
    /** as multiples of what the links have */
    double latency_factor;
    double bandwidth_factor;
    /** how long the sender sleeps before each, and the receiver behind it; not in the latency */
    double send_overhead_us;
    double receive_overhead_us;
} smpi_sizes_t;

/** What SimGrid is told. Rates are in bytes per second. */
typedef struct {
    double node_latency_us;
    double network_latency_us;
    /** of one process */
    double process_node_rate;
    double process_network_rate;
    /** of all processes of a node */
    double node_memory_rate;
    double node_network_rate;
    /** bytes reduced per second; a flop is a byte */
    double speed;
    /** smaller messages are sent at once */
    int rendezvous_from;
    /** by size, the first from 0 */
    int sections;
    smpi_sizes_t section[SMPI_MOST_SECTIONS];
} smpi_cluster_t;

/** Describe a machine; inside nodes exactly for messages of this size. */
void smpi_describe(const napcoll_machine_t *machine, double bytes, smpi_cluster_t *cluster);

/** The section of a size. */
const smpi_sizes_t *smpi_sizes_of(const smpi_cluster_t *cluster, double bytes);

/** Write the platform: rank r is the host "rank<r>", in the zone of its node. */
void smpi_put_platform(const smpi_cluster_t *cluster, const napcoll_node_map_t *map, FILE *out);

/** Write the options of smpirun, each behind a blank. */
void smpi_put_options(const smpi_cluster_t *cluster, FILE *out);

#endif /* NAPCOLL_TOOLS_PLAN_SMPI_H */
