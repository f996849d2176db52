/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The models; their formulas and sources are in the header.
 */

#include "model/napcoll_model.h"

/* (Not fmax: then this room would need the mathematical library.) */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

double napcoll_model_message_us(const napcoll_machine_t *machine, napcoll_level_t level,
                                double bytes)
{
    const napcoll_link_t link = napcoll_machine_link(machine, level, bytes);

    return link.latency_us + bytes * link.ns_per_byte / 1000;
}

/* ---- pipelines ---- */

/* Time per byte of a segment between nodes. All lanes share the node's rate. */
static double network_ns_per_byte(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                  double segment)
{
    return larger(
        napcoll_machine_link(machine, NAPCOLL_LEVEL_NETWORK, segment / hops->lanes).ns_per_byte
            / hops->lanes,
        1000 / machine->node_injection_mbyte_per_s);
}

static double network_hop_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                             double segment)
{
    return napcoll_machine_link(machine, NAPCOLL_LEVEL_NETWORK, segment / hops->lanes).latency_us
           + segment * network_ns_per_byte(machine, hops, segment) / 1000;
}

double napcoll_model_lead_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                             int segments, double bytes)
{
    return hops->network * network_hop_us(machine, hops, bytes / segments)
           + hops->local * napcoll_model_message_us(machine, NAPCOLL_LEVEL_NODE, bytes / segments);
}

static int at_most(int segments, double bytes)
{
    if (segments <= bytes) {
        return segments;
    }
    return bytes < 1 ? 1 : (int) bytes;
}

int napcoll_model_hockney_segments(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                   double bytes)
{
    int segments = 1;

    /* The protocol depends on the segment's size, and the size on the protocol: two rounds. */
    for (int round = 0; round < 2; round++) {
        const napcoll_link_t network = napcoll_machine_link(machine, NAPCOLL_LEVEL_NETWORK,
                                                            bytes / segments / hops->lanes);
        const napcoll_link_t local = napcoll_machine_link(machine, NAPCOLL_LEVEL_NODE,
                                                          bytes / segments);
        const double beta = (hops->network - 1)
                                * network_ns_per_byte(machine, hops, bytes / segments)
                            + hops->local * local.ns_per_byte;
        const double square = beta / 1000 * bytes / network.latency_us;

        for (segments = 1;
             segments < NAPCOLL_MODEL_MOST_SEGMENTS && (double) segments * segments < square;) {
            segments++;
        }
    }
    return at_most(segments, bytes);
}

int napcoll_model_eager_segments(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                 double bytes)
{
    int segments = 1;

    while (segments < NAPCOLL_MODEL_MOST_SEGMENTS
           && NAPCOLL_PROTOCOL_RENDEZVOUS
                  == napcoll_machine_protocol(machine, bytes / segments / hops->lanes)) {
        segments++;
    }
    return at_most(segments, bytes);
}
