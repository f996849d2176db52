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

#include "algo/napcoll_split.h"

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
    return bytes * machine->fold_ns_per_byte / 1000;
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

napcoll_closed_form_t napcoll_model_closed_form(const char *collective, const char *algorithm)
{
    static const struct {
        const char *collective;
        const char *algorithm;
        napcoll_closed_form_t form;
    } forms[] = {{"allreduce", "recursive_doubling", napcoll_model_recursive_doubling_us},
                 {"allreduce", "smp", napcoll_model_smp_us},
                 {"allreduce", "nap", napcoll_model_nap_us}};

    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        if (0 == strcmp(collective, forms[i].collective)
            && 0 == strcmp(algorithm, forms[i].algorithm)) {
            return forms[i].form;
        }
    }
    return NULL;
}
