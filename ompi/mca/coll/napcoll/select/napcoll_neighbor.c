/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Estimates of neighbourhood collectives (see the header).
 */

#include "select/napcoll_neighbor.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double network_us(const napcoll_machine_t *machine, const napcoll_neighbor_load_t *load,
                         double bytes)
{
    const double messages = load->messages, blocks = load->blocks, node = load->node_messages;
    const double each = messages > 0 ? blocks * bytes / messages : 0;
    const napcoll_link_t link = napcoll_machine_link(machine, NAPCOLL_LEVEL_NETWORK, each);
    double gaps_us, bytes_us;

    if (messages < 1) {
        return 0;
    }
    gaps_us = larger((messages - 1) * larger(machine->process_gap_us, machine->process_overhead_us),
                     (node - 1) * machine->node_gap_us);
    bytes_us = larger((messages - 1) * each * link.ns_per_byte / 1000,
                      (load->node_blocks * bytes - each) / machine->node_injection_mbyte_per_s);
    return link.latency_us + each * link.ns_per_byte / 1000 + larger(gaps_us, bytes_us);
}

static double local_us(const napcoll_machine_t *machine, const napcoll_neighbor_load_t *load,
                       int stages, double bytes)
{
    const double messages = load->local_messages;
    const double each = messages > 0 ? load->local_blocks * bytes / messages : 0;
    const napcoll_link_t link = napcoll_machine_link(machine, NAPCOLL_LEVEL_NODE, each);

    return messages < 1
               ? 0
               : stages * link.latency_us
                     + (messages - 1)
                           * larger(2 * machine->process_overhead_us, machine->node_local_gap_us)
                     + load->local_blocks * bytes * link.ns_per_byte / 1000;
}

double napcoll_neighbor_cost_us(const napcoll_machine_t *machine,
                                const napcoll_neighbor_load_t *load, bool forwards, double bytes)
{
    const double network = network_us(machine, load, bytes);
    const double local = local_us(machine, load, forwards ? 2 : 1, bytes);

    return forwards ? network + local : larger(network, local);
}

bool napcoll_neighbor_saves(const napcoll_neighbor_load_t *direct,
                            const napcoll_neighbor_load_t *coalesced)
{
    return coalesced->messages < direct->messages
           || coalesced->node_messages < direct->node_messages;
}
