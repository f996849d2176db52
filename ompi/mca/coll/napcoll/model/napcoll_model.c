/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The models and closed forms; their formulas and sources are in the header.
 */

#include "model/napcoll_model.h"

#include <math.h>
#include <string.h>

#include "algo/pattern/napcoll_tuna.h"
#include "algo/pattern/napcoll_split.h"
#include "plan/napcoll_plan.h"

/* What a message of so many bytes costs at a level. */
static napcoll_link_t link_of(const napcoll_machine_t *machine, napcoll_level_t level, double bytes)
{
    return machine->link[level][napcoll_machine_protocol(machine, bytes)];
}

/* (Not fmax and fmin: nothing else here needs the mathematical library.) */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double fold_us(const napcoll_machine_t *machine, double bytes)
{
    return bytes * machine->reduce_ns_per_byte / 1000;
}

double napcoll_model_linear_us(napcoll_link_t link, double bytes)
{
    return link.latency_us + bytes * link.ns_per_byte / 1000;
}

double napcoll_model_postal_us(const napcoll_machine_t *machine, napcoll_level_t level,
                               const napcoll_traffic_t *traffic)
{
    double one = napcoll_model_linear_us(link_of(machine, level, traffic->message_bytes),
                                         traffic->message_bytes);

    return (traffic->local_messages + traffic->network_messages) * one
           + fold_us(machine, traffic->folded_bytes);
}

double napcoll_model_loggp_us(const napcoll_machine_t *machine, napcoll_level_t level,
                              double messages, double bytes)
{
    napcoll_link_t link = link_of(machine, level, bytes);
    double interval = larger(machine->process_overhead_us, bytes * link.ns_per_byte / 1000);

    if (NAPCOLL_LEVEL_NETWORK == level) {
        interval = larger(interval, larger(machine->process_gap_us, machine->node_gap_us));
    } else {
        interval = larger(interval, machine->node_local_gap_us);
        interval = larger(interval, bytes * machine->node_local_ns_per_byte / 1000);
    }
    return (messages - 1) * interval + napcoll_model_linear_us(link, bytes);
}

double napcoll_model_two_level_us(const napcoll_machine_t *machine,
                                  const napcoll_traffic_t *traffic)
{
    const double bytes = traffic->message_bytes;
    double local = napcoll_model_linear_us(link_of(machine, NAPCOLL_LEVEL_NODE, bytes), bytes);
    double network = napcoll_model_linear_us(link_of(machine, NAPCOLL_LEVEL_NETWORK, bytes), bytes);

    return traffic->local_messages * local + traffic->network_messages * network
           + fold_us(machine, traffic->folded_bytes);
}

double napcoll_model_max_rate_us(const napcoll_machine_t *machine, int active,
                                 const napcoll_traffic_t *traffic)
{
    const double bytes = traffic->message_bytes;
    double local, network;

    if (active < machine->node_injection_from_processes
        || bytes < machine->node_injection_from_bytes) {
        return napcoll_model_two_level_us(machine, traffic);
    }
    local = napcoll_model_linear_us(link_of(machine, NAPCOLL_LEVEL_NODE, bytes), bytes);
    network = link_of(machine, NAPCOLL_LEVEL_NETWORK, bytes).latency_us
              + active * bytes
                    / smaller(machine->node_injection_mbyte_per_s,
                              active * machine->process_injection_mbyte_per_s);
    return traffic->local_messages * local + traffic->network_messages * network
           + fold_us(machine, traffic->folded_bytes);
}

double napcoll_model_heterogeneous_us(napcoll_processor_t from, napcoll_processor_t to,
                                      double beta_mbyte_per_s, double bytes)
{
    return from.delay_us + bytes * from.delay_ns_per_byte / 1000 + to.delay_us
           + bytes * to.delay_ns_per_byte / 1000 + bytes / beta_mbyte_per_s;
}

/* ---- pipelines ---- */

/* One hop between nodes, of a lane's share of a segment, or inside one. */
static double hop_us(const napcoll_machine_t *machine, napcoll_level_t level, double bytes)
{
    return napcoll_model_linear_us(link_of(machine, level, bytes), bytes);
}

/* Nanoseconds that a byte of a segment takes between nodes, where all lanes share the node's rate. */
static double network_ns_per_byte(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                  double segment)
{
    return larger(link_of(machine, NAPCOLL_LEVEL_NETWORK, segment / hops->lanes).ns_per_byte
                      / hops->lanes,
                  1000 / machine->node_injection_mbyte_per_s);
}

static double network_hop_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                             double segment)
{
    return link_of(machine, NAPCOLL_LEVEL_NETWORK, segment / hops->lanes).latency_us
           + segment * network_ns_per_byte(machine, hops, segment) / 1000;
}

double napcoll_model_lead_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                             int segments, double bytes)
{
    return hops->network * network_hop_us(machine, hops, bytes / segments)
           + hops->local * hop_us(machine, NAPCOLL_LEVEL_NODE, bytes / segments);
}

double napcoll_model_pipeline_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                 int segments, double bytes)
{
    double pace = 0;

    if (hops->network > 0) {
        pace = network_hop_us(machine, hops, bytes / segments);
    }
    if (hops->local > 0) {
        pace = larger(pace, hop_us(machine, NAPCOLL_LEVEL_NODE, bytes / segments));
    }
    return napcoll_model_lead_us(machine, hops, segments, bytes) + (segments - 1) * pace;
}

static int at_most(int segments, double bytes)
{
    return segments > bytes ? (bytes < 1 ? 1 : (int) bytes) : segments;
}

int napcoll_model_hockney_segments(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                   double bytes)
{
    int segments = 1;

    /* The protocol depends on the segment's size, which depends on the protocol: once more with the
     * first answer. */
    for (int round = 0; round < 2; round++) {
        const napcoll_link_t network = link_of(machine, NAPCOLL_LEVEL_NETWORK,
                                               bytes / segments / hops->lanes);
        const napcoll_link_t local = link_of(machine, NAPCOLL_LEVEL_NODE, bytes / segments);
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

/* ---- closed forms ---- */

/* Logarithm to base 2, rounded up. */
static int log2_up(int number)
{
    return napcoll_split_levels(number, 2);
}

double napcoll_model_recursive_doubling_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                           double bytes)
{
    const napcoll_traffic_t traffic = {.message_bytes = bytes,
                                       .local_messages = log2_up(ppn),
                                       .network_messages = log2_up(nodes),
                                       .folded_bytes = bytes * log2_up(nodes * ppn)};

    return napcoll_model_max_rate_us(machine, ppn, &traffic);
}

double napcoll_model_smp_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes)
{
    const napcoll_traffic_t traffic = {.message_bytes = bytes,
                                       .local_messages = 2 * log2_up(ppn),
                                       .network_messages = log2_up(nodes),
                                       .folded_bytes = bytes * log2_up(nodes * ppn)};

    return napcoll_model_max_rate_us(machine, 1, &traffic);
}

double napcoll_model_nap_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes)
{
    napcoll_traffic_t traffic = {.message_bytes = bytes};

    if (1 == ppn && nodes > 1) {
        return NAN;
    }
    traffic.local_messages = log2_up(nodes * ppn);
    traffic.network_messages = 1 == nodes ? 0 : napcoll_split_levels(nodes, ppn);
    traffic.folded_bytes = bytes * (log2_up(nodes * ppn) + log2_up(ppn));
    return napcoll_model_max_rate_us(machine, ppn, &traffic);
}

double napcoll_model_bcast_flat_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                   double bytes)
{
    const napcoll_traffic_t traffic = {.message_bytes = bytes,
                                       .local_messages = ppn - 1,
                                       .network_messages = (double) (nodes - 1) * ppn};

    return napcoll_model_two_level_us(machine, &traffic);
}

double napcoll_model_bcast_binomial_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                       double bytes)
{
    const napcoll_traffic_t traffic = {
        .message_bytes = bytes, .local_messages = log2_up(ppn), .network_messages = log2_up(nodes)};

    return napcoll_model_two_level_us(machine, &traffic);
}

double napcoll_model_bcast_scatter_allgather_us(const napcoll_machine_t *machine, int nodes,
                                                int ppn, double bytes)
{
    const double ranks = (double) nodes * ppn, block = bytes / ranks;
    const napcoll_level_t ring = nodes > 1 ? NAPCOLL_LEVEL_NETWORK : NAPCOLL_LEVEL_NODE;
    const napcoll_link_t network = link_of(machine, NAPCOLL_LEVEL_NETWORK, bytes / 2);
    const napcoll_link_t local = link_of(machine, NAPCOLL_LEVEL_NODE, bytes / nodes / 2);

    return log2_up(nodes) * network.latency_us + log2_up(ppn) * local.latency_us
           + (1 - 1.0 / nodes) * bytes * network.ns_per_byte / 1000
           + (1.0 / nodes - 1 / ranks) * bytes * local.ns_per_byte / 1000
           + (ranks - 1) * hop_us(machine, ring, block);
}

double napcoll_model_bcast_chain_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                    double bytes)
{
    const napcoll_hops_t hops = {.network = nodes - 1, .local = nodes * (ppn - 1), .lanes = 1};

    return napcoll_model_pipeline_us(machine, &hops,
                                     napcoll_model_hockney_segments(machine, &hops, bytes), bytes);
}

double napcoll_model_alltoall_pairwise_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                          double bytes)
{
    const napcoll_traffic_t traffic = {.message_bytes = bytes,
                                       .local_messages = ppn - 1,
                                       .network_messages = (double) (nodes - 1) * ppn};

    return napcoll_model_max_rate_us(machine, ppn, &traffic);
}

double napcoll_model_alltoall_linear_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                        double bytes)
{
    const double local = ppn > 1 ? ppn - 2 : 0, network = nodes > 1 ? (nodes - 1.0) * ppn - 1 : 0;

    return napcoll_model_alltoall_pairwise_us(machine, nodes, ppn, bytes)
           - local * link_of(machine, NAPCOLL_LEVEL_NODE, bytes).latency_us
           - network * link_of(machine, NAPCOLL_LEVEL_NETWORK, bytes).latency_us;
}

double napcoll_model_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes,
                             int radix, bool sized)
{
    const int ranks = nodes * ppn, rounds = napcoll_digits_rounds(ranks, radix);
    const double moved = (double) napcoll_digits_moved(ranks, radix);
    const int told = sized ? napcoll_digits_told(ranks, radix) : 0;
    napcoll_traffic_t traffic = {.message_bytes = rounds > 0 ? bytes * moved / rounds : 0};

    if (nodes > 1) {
        traffic.network_messages = rounds;
    } else {
        traffic.local_messages = rounds;
    }
    return napcoll_model_max_rate_us(machine, ppn, &traffic)
           + told
                 * link_of(machine, nodes > 1 ? NAPCOLL_LEVEL_NETWORK : NAPCOLL_LEVEL_NODE,
                           rounds > 0 ? NAPCOLL_SIZE_BYTES * moved / rounds : 0)
                       .latency_us;
}

/* TuNA with the radix that is best. */
static double best_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes,
                           bool sized)
{
    const int ranks = nodes * ppn;
    double best = napcoll_model_tuna_us(machine, nodes, ppn, bytes, ranks > 2 ? ranks : 2, sized);

    for (int64_t radix = 2; radix < ranks; radix *= 2) {
        const double time = napcoll_model_tuna_us(machine, nodes, ppn, bytes, (int) radix, sized);

        best = time < best ? time : best;
    }
    return best;
}

double napcoll_model_alltoall_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                      double bytes)
{
    return best_tuna_us(machine, nodes, ppn, bytes, false);
}

double napcoll_model_alltoallv_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                       double bytes)
{
    return best_tuna_us(machine, nodes, ppn, bytes, true);
}

napcoll_closed_form_t napcoll_model_closed_form(const char *collective, const char *algorithm)
{
    static const struct {
        const char *collective;
        const char *algorithm;
        napcoll_closed_form_t form;
    } forms[] = {{"allreduce", "recursive_doubling", napcoll_model_recursive_doubling_us},
                 {"allreduce", "smp", napcoll_model_smp_us},
                 {"allreduce", "nap", napcoll_model_nap_us},
                 {"bcast", "flat", napcoll_model_bcast_flat_us},
                 {"bcast", "binomial", napcoll_model_bcast_binomial_us},
                 {"bcast", "scatter_allgather", napcoll_model_bcast_scatter_allgather_us},
                 {"bcast", "chain", napcoll_model_bcast_chain_us},
                 {"alltoall", "linear", napcoll_model_alltoall_linear_us},
                 {"alltoall", "pairwise", napcoll_model_alltoall_pairwise_us},
                 {"alltoall", "tuna", napcoll_model_alltoall_tuna_us},
                 {"alltoallv", "linear", napcoll_model_alltoall_linear_us},
                 {"alltoallv", "pairwise", napcoll_model_alltoall_pairwise_us},
                 {"alltoallv", "tuna", napcoll_model_alltoallv_tuna_us}};

    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        if (0 == strcmp(collective, forms[i].collective)
            && 0 == strcmp(algorithm, forms[i].algorithm)) {
            return forms[i].form;
        }
    }
    return NULL;
}
