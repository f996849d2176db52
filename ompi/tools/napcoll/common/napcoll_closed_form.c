/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The closed forms (see the header).
 */

#include "common/napcoll_closed_form.h"

#include <math.h>
#include <string.h>

#include "algo/pattern/napcoll_tuna.h"
#include "algo/pattern/napcoll_split.h"
#include "model/napcoll_model.h"
#include "plan/napcoll_plan.h"

/* Logarithm to base 2, rounded up. */
static int log2_up(int number)
{
    return napcoll_split_levels(number, 2);
}

double napcoll_model_max_rate_us(const napcoll_machine_t *machine, int active,
                                 const napcoll_traffic_t *traffic)
{
    const double bytes = traffic->message_bytes;
    const double local = napcoll_model_message_us(machine, NAPCOLL_LEVEL_NODE, bytes);
    double network = napcoll_model_message_us(machine, NAPCOLL_LEVEL_NETWORK, bytes);

    if (active >= machine->node_injection_from_processes
        && bytes >= machine->node_injection_from_bytes) {
        network = napcoll_machine_link(machine, NAPCOLL_LEVEL_NETWORK, bytes).latency_us
                  + active * bytes
                        / fmin(machine->node_injection_mbyte_per_s,
                               active * machine->process_injection_mbyte_per_s);
    }
    return traffic->local_messages * local + traffic->network_messages * network
           + traffic->reduced_bytes * machine->reduce_ns_per_byte / 1000;
}

int64_t napcoll_digits_moved(int members, int radix)
{
    int64_t moved = 0;

    for (int64_t weight = 1; weight < members; weight *= radix) {
        for (int digit = 1; digit < radix && digit * weight < members; digit++) {
            moved += napcoll_digits_having(members, radix, weight, digit);
        }
    }
    return moved;
}

double napcoll_model_pipeline_us(const napcoll_machine_t *machine, const napcoll_hops_t *hops,
                                 int segments, double bytes)
{
    const napcoll_hops_t network = {.network = 1, .lanes = hops->lanes};
    const napcoll_hops_t local = {.local = 1, .lanes = hops->lanes};
    double pace = 0;

    if (hops->network > 0) {
        pace = napcoll_model_lead_us(machine, &network, segments, bytes);
    }
    if (hops->local > 0) {
        pace = fmax(pace, napcoll_model_lead_us(machine, &local, segments, bytes));
    }
    return napcoll_model_lead_us(machine, hops, segments, bytes) + (segments - 1) * pace;
}

double napcoll_model_recursive_doubling_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                           double bytes)
{
    const napcoll_traffic_t traffic = {.message_bytes = bytes,
                                       .local_messages = napcoll_split_levels(ppn, 2),
                                       .network_messages = napcoll_split_levels(nodes, 2),
                                       .reduced_bytes = bytes
                                                        * napcoll_split_levels(nodes * ppn, 2)};

    return napcoll_model_max_rate_us(machine, ppn, &traffic);
}

double napcoll_model_bcast_binomial_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                       double bytes)
{
    const napcoll_traffic_t traffic = {.message_bytes = bytes,
                                       .local_messages = napcoll_split_levels(ppn, 2),
                                       .network_messages = napcoll_split_levels(nodes, 2)};

    return napcoll_model_max_rate_us(machine, 0, &traffic);
}

/* Through leaders, one process of a node active (Bienz et al., Eq. 5):
 *
 *     T = local 2 log2(ppn) + network(1) log2(n) + gamma s log2(n ppn)
 *
 * The paper prints log2(ppn) local messages. Its figures have twice as many, of the reduction and
 * of the broadcast. */
static double smp_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes)
{
    const napcoll_traffic_t traffic = {.message_bytes = bytes,
                                       .local_messages = 2 * log2_up(ppn),
                                       .network_messages = log2_up(nodes),
                                       .reduced_bytes = bytes * log2_up(nodes * ppn)};

    return napcoll_model_max_rate_us(machine, 1, &traffic);
}

/* Node-aware parallel, all processes of a node active (Bienz et al., Eq. 6):
 *
 *     T = local log2(n ppn) + network(ppn) log_ppn(n) + gamma s (log2(n ppn) + log2(ppn))
 *
 * The paper prints log_ppn(n) further reductions. Its figures have log2(ppn). */
static double nap_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes)
{
    napcoll_traffic_t traffic = {.message_bytes = bytes};

    if (1 == ppn && nodes > 1) {
        return NAN;
    }
    traffic.local_messages = log2_up(nodes * ppn);
    traffic.network_messages = 1 == nodes ? 0 : napcoll_split_levels(nodes, ppn);
    traffic.reduced_bytes = bytes * (log2_up(nodes * ppn) + log2_up(ppn));
    return napcoll_model_max_rate_us(machine, ppn, &traffic);
}

/* By the root alone. The broadcasts are from "MPI: Going further", with own costs of messages
 * inside nodes, which the depth-first order keeps together. */
static double bcast_flat_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes)
{
    const napcoll_traffic_t traffic = {.message_bytes = bytes,
                                       .local_messages = ppn - 1,
                                       .network_messages = (double) (nodes - 1) * ppn};

    return napcoll_model_max_rate_us(machine, 0, &traffic);
}

/* Scatter and ring allgather, P = n ppn. The scatter's messages halve, the ring's have s/P bytes,
 * and in each of its P - 1 steps some process waits for the network:
 *
 *     T = log2(n) alpha + log2(ppn) alpha_l + (1 - 1/n) s beta + (1/n - 1/P) s beta_l
 *         + (P - 1) (alpha + s/P beta) */
static double bcast_scatter_allgather_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                         double bytes)
{
    const double ranks = (double) nodes * ppn, block = bytes / ranks;
    const napcoll_level_t ring = nodes > 1 ? NAPCOLL_LEVEL_NETWORK : NAPCOLL_LEVEL_NODE;
    const napcoll_link_t network = napcoll_machine_link(machine, NAPCOLL_LEVEL_NETWORK, bytes / 2);
    const napcoll_link_t local = napcoll_machine_link(machine, NAPCOLL_LEVEL_NODE,
                                                      bytes / nodes / 2);

    return log2_up(nodes) * network.latency_us + log2_up(ppn) * local.latency_us
           + (1 - 1.0 / nodes) * bytes * network.ns_per_byte / 1000
           + (1.0 / nodes - 1 / ranks) * bytes * local.ns_per_byte / 1000
           + (ranks - 1) * napcoll_model_message_us(machine, ring, block);
}

static double bcast_chain_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes)
{
    const napcoll_hops_t hops = {.network = nodes - 1, .local = nodes * (ppn - 1), .lanes = 1};

    return napcoll_model_pipeline_us(machine, &hops,
                                     napcoll_model_hockney_segments(machine, &hops, bytes), bytes);
}

static double alltoall_pairwise_us(const napcoll_machine_t *machine, int nodes, int ppn,
                                   double bytes)
{
    const napcoll_traffic_t traffic = {.message_bytes = bytes,
                                       .local_messages = ppn - 1,
                                       .network_messages = (double) (nodes - 1) * ppn};

    return napcoll_model_max_rate_us(machine, ppn, &traffic);
}

/* All messages at once: as pairwise, but on each level one latency is visible. */
static double alltoall_linear_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes)
{
    const double local = ppn > 1 ? ppn - 2 : 0;
    const double network = nodes > 1 ? (nodes - 1.0) * ppn - 1 : 0;

    return alltoall_pairwise_us(machine, nodes, ppn, bytes)
           - local * napcoll_machine_link(machine, NAPCOLL_LEVEL_NODE, bytes).latency_us
           - network * napcoll_machine_link(machine, NAPCOLL_LEVEL_NETWORK, bytes).latency_us;
}

double napcoll_model_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes,
                             int radix)
{
    const int ranks = nodes * ppn, rounds = napcoll_digits_rounds(ranks, radix);
    const double moved = (double) napcoll_digits_moved(ranks, radix);
    napcoll_traffic_t traffic = {.message_bytes = rounds > 0 ? bytes * moved / rounds : 0};

    if (nodes > 1) {
        traffic.network_messages = rounds;
    } else {
        traffic.local_messages = rounds;
    }
    return napcoll_model_max_rate_us(machine, ppn, &traffic);
}

/* TuNA with the best radix: a power of two, or P. */
static double alltoall_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes)
{
    const int ranks = nodes * ppn;
    double best = napcoll_model_tuna_us(machine, nodes, ppn, bytes, ranks > 2 ? ranks : 2);

    for (int64_t radix = 2; radix < ranks; radix *= 2) {
        const double time = napcoll_model_tuna_us(machine, nodes, ppn, bytes, (int) radix);

        best = time < best ? time : best;
    }
    return best;
}

/* Every block has its size in front of it. */
static double alltoallv_tuna_us(const napcoll_machine_t *machine, int nodes, int ppn, double bytes)
{
    return alltoall_tuna_us(machine, nodes, ppn, bytes + NAPCOLL_SIZE_BYTES);
}

napcoll_closed_form_t napcoll_model_closed_form(const char *collective, const char *algorithm)
{
    static const struct {
        const char *collective;
        const char *algorithm;
        napcoll_closed_form_t form;
    } forms[] = {{"allreduce", "recursive_doubling", napcoll_model_recursive_doubling_us},
                 {"allreduce", "smp", smp_us},
                 {"allreduce", "nap", nap_us},
                 {"bcast", "flat", bcast_flat_us},
                 {"bcast", "binomial", napcoll_model_bcast_binomial_us},
                 {"bcast", "scatter_allgather", bcast_scatter_allgather_us},
                 {"bcast", "chain", bcast_chain_us},
                 {"alltoall", "linear", alltoall_linear_us},
                 {"alltoall", "pairwise", alltoall_pairwise_us},
                 {"alltoall", "tuna", alltoall_tuna_us},
                 {"alltoallv", "linear", alltoall_linear_us},
                 {"alltoallv", "pairwise", alltoall_pairwise_us},
                 {"alltoallv", "tuna", alltoallv_tuna_us}};

    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        if (0 == strcmp(collective, forms[i].collective)
            && 0 == strcmp(algorithm, forms[i].algorithm)) {
            return forms[i].form;
        }
    }
    return NULL;
}
