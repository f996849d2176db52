/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Estimates of neighbourhood collectives (see the header).
 */

#include "select/napcoll_neighbor.h"

#include <math.h>

#include "algo/napcoll_generators.h"

/* Rounds beside blocks that go straight must save a fifth by the estimate: both are under way at
 * once, and delay each other. */
static const double caution = 1.25;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A part of a whole, of which there may be nothing. */
static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

napcoll_neighbor_sizes_t napcoll_neighbor_even_sizes(const napcoll_neighbor_load_t *load,
                                                     size_t bytes)
{
    const napcoll_neighbor_load_t *direct = &load[NAPCOLL_NEIGHBOR_DIRECT];
    const double most = (double) (INT64_MAX / 2);

    return (napcoll_neighbor_sizes_t){
        .bytes = (int64_t) fmin((double) direct->blocks * (double) bytes, most),
        .local_bytes = (int64_t) fmin((double) direct->local_blocks * (double) bytes, most)};
}

size_t napcoll_neighbor_mean(const napcoll_neighbor_load_t *load,
                             const napcoll_neighbor_sizes_t *sizes)
{
    return (size_t) ceil(share((double) sizes->bytes, load[NAPCOLL_NEIGHBOR_DIRECT].blocks));
}

/* Messages and bytes of one process, and of a node. */
typedef struct {
    double messages, bytes;
    double node_messages, node_bytes;
} traffic_t;

/* What a row has between nodes. The node has the loads' part of what its processes have. */
static traffic_t between_nodes(const napcoll_neighbor_load_t *load, int row,
                               const napcoll_neighbor_sizes_t *sizes)
{
    const napcoll_neighbor_load_t *direct = &load[NAPCOLL_NEIGHBOR_DIRECT], *own = &load[row];
    const double block = share((double) sizes->bytes, direct->blocks);
    const double large_bytes = (double) sizes->large_bytes;
    traffic_t traffic = {.messages = own->messages,
                         .bytes = own->blocks * block + large_bytes,
                         .node_messages = own->node_messages,
                         .node_bytes = own->node_blocks * block
                                       + direct->node_blocks * share(large_bytes, direct->blocks)};

    if (NAPCOLL_NEIGHBOR_DIRECT != row) {
        const double large = (double) sizes->large_blocks;

        traffic.messages += large;
        traffic.node_messages += direct->node_messages * share(large, direct->messages);
    }
    return traffic;
}

/* What it has inside a node. */
static traffic_t inside(const napcoll_neighbor_load_t *load, int row,
                        const napcoll_neighbor_sizes_t *sizes)
{
    const napcoll_neighbor_load_t *direct = &load[NAPCOLL_NEIGHBOR_DIRECT], *own = &load[row];
    const double block = share((double) sizes->bytes, direct->blocks);
    const double local = (double) sizes->local_bytes;

    return (traffic_t){
        .messages = own->local_messages,
        .bytes = larger(local + (own->local_blocks - direct->local_blocks) * block, 0),
        .node_messages = own->node_local_messages,
        .node_bytes = direct->node_local_blocks * share(local, direct->local_blocks)
                      + (own->node_local_blocks - direct->node_local_blocks) * block};
}

/* The time of one message, and for how long the ports of the process and of its node are busy with
 * the others. */
static void estimate_network(const napcoll_machine_t *machine, const traffic_t *t, double *one_us,
                             double *busy_us)
{
    const double each = share(t->bytes, t->messages);
    const napcoll_link_t link = napcoll_machine_link(machine, NAPCOLL_LEVEL_NETWORK, each);
    double gaps_us, bytes_us;

    *one_us = *busy_us = 0;
    if (t->messages < 1) {
        return;
    }
    gaps_us = larger((t->messages - 1)
                         * larger(machine->process_gap_us, machine->process_overhead_us),
                     (t->node_messages - 1) * machine->node_gap_us);
    bytes_us = larger((t->messages - 1) * each * link.ns_per_byte / 1000,
                      (t->node_bytes - each) / machine->node_injection_mbyte_per_s);
    *one_us = link.latency_us + each * link.ns_per_byte / 1000;
    *busy_us = larger(gaps_us, bytes_us);
}

/* The same inside the node; one_us: for each stage. */
static void estimate_local(const napcoll_machine_t *machine, const traffic_t *t, double *one_us,
                           double *busy_us)
{
    const napcoll_link_t link = napcoll_machine_link(machine, NAPCOLL_LEVEL_NODE,
                                                     share(t->bytes, t->messages));

    *one_us = *busy_us = 0;
    if (t->messages >= 1) {
        *one_us = link.latency_us;
        *busy_us = (t->messages - 1) * 2 * machine->process_overhead_us
                   + t->bytes * link.ns_per_byte / 1000;
    }
}

/* How long the processors, or the memory, of a node are busy with its messages before the last one
 * to another node. */
static double processors_us(const napcoll_machine_t *machine, const traffic_t *network,
                            const traffic_t *local)
{
    const double gap_us = machine->node_local_gap_us;
    double us = larger(local->node_messages * gap_us,
                       local->node_bytes * machine->node_local_ns_per_byte / 1000);

    if (gap_us > 0 && network->messages >= 1) {
        const double each = share(network->bytes, network->messages);

        us += larger((network->node_messages - 1) * machine->node_gap_us,
                     (network->node_bytes - each) / machine->node_injection_mbyte_per_s);
    }
    return us;
}

double napcoll_neighbor_cost_us(const napcoll_machine_t *machine,
                                const napcoll_neighbor_load_t *load, int row,
                                const napcoll_neighbor_sizes_t *sizes)
{
    const traffic_t network = between_nodes(load, row, sizes), local = inside(load, row, sizes);
    const double processors = processors_us(machine, &network, &local);
    double network_us, network_busy, local_us, local_busy;

    estimate_network(machine, &network, &network_us, &network_busy);
    estimate_local(machine, &local, &local_us, &local_busy);
    if (NAPCOLL_NEIGHBOR_DIRECT == row) {
        const double ports = larger(network_us + network_busy, local_us + local_busy);

        return larger(ports, larger(network_us, local_us) + processors);
    }
    return (sizes->large_blocks > 0 ? caution : 1)
           * (network_us + 2 * local_us + larger(network_busy + local_busy, processors));
}

bool napcoll_neighbor_saves(const napcoll_neighbor_load_t *load)
{
    const napcoll_neighbor_load_t *direct = &load[NAPCOLL_NEIGHBOR_DIRECT];
    const napcoll_neighbor_load_t *coalesced = &load[NAPCOLL_NEIGHBOR_COALESCED];

    return coalesced->messages < direct->messages
           || coalesced->node_messages < direct->node_messages;
}
