/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The cluster that SimGrid simulates: a zone for each node, with a host for each process. Routes
 * are the shortest ones by the number of links:
 *
 *     rank0 -ends-bus-> (memory) -ends-> rank1                                  inside a node
 *     rank0 -ends-network-> (port) -out-> (switch) -in-> (port) -network-ends-> rank9
 *
 * ends     what a process sends, or receives, inside the node and beyond: at the higher rate
 * bus      a message's rate inside a node, or what its processes share; the latency inside nodes
 * network  R_b, a process's rate to the network, or from it
 * out      R_N, which all processes of the node share; the latency of the network
 * in       no limit
 */

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_smpi.h"

/* ---- the numbers ---- */

static double rate_of(double ns_per_byte)
{
    return ns_per_byte > 0 ? 1e9 / ns_per_byte : SMPI_UNLIMITED;
}

/* The smallest size that is not below; sizes fit into an int with their envelope. */
static int whole_bytes(double bytes)
{
    return (int) fmin(ceil(bytes), INT_MAX - SMPI_ENVELOPE);
}

/* How long a process is busy with any message: never longer than half of a latency. */
static double overhead_of(const napcoll_machine_t *machine, double bytes)
{
    double least = napcoll_machine_link(machine, NAPCOLL_LEVEL_NODE, bytes).latency_us;

    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        least = fmin(least, machine->link[NAPCOLL_LEVEL_NETWORK][p].latency_us);
    }
    return fmin(machine->process_overhead_us, least / 2);
}

/* Messages between nodes of a size, and larger ones of the same section. Where the bytes take
 * longer than both overheads, the sender has both: they pass while the link is busy. */
static smpi_sizes_t describe_sizes(const napcoll_machine_t *machine, double overhead_us, int from)
{
    const napcoll_link_t *network = machine->link[NAPCOLL_LEVEL_NETWORK];
    const napcoll_link_t *large = &network[NAPCOLL_PROTOCOL_RENDEZVOUS];
    const napcoll_link_t *link = &network[napcoll_machine_protocol(machine, from)];
    const bool small = 2000 * overhead_us > from * link->ns_per_byte;
    smpi_sizes_t sizes = {.from = from,
                          .latency_factor = 1,
                          .bandwidth_factor = 1,
                          .send_overhead_us = small ? overhead_us : 2 * overhead_us,
                          .receive_overhead_us = small ? overhead_us : 0};

    if (large->latency_us > 2 * overhead_us && link->latency_us > 2 * overhead_us) {
        sizes.latency_factor = (link->latency_us - 2 * overhead_us)
                               / (large->latency_us - 2 * overhead_us);
    }
    if (link->ns_per_byte > 0) {
        sizes.bandwidth_factor = large->ns_per_byte / link->ns_per_byte;
    }
    return sizes;
}

static int compare_sizes(const void *a, const void *b)
{
    const int *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

static void describe_sections(const napcoll_machine_t *machine, double overhead_us,
                              smpi_cluster_t *cluster)
{
    int from[SMPI_MOST_SECTIONS] = {0, whole_bytes(machine->short_below_bytes),
                                    whole_bytes(machine->eager_below_bytes)};
    int bounds = NAPCOLL_PROTOCOLS;

    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        const double ns = machine->link[NAPCOLL_LEVEL_NETWORK][p].ns_per_byte;

        if (ns > 0) {
            from[bounds++] = whole_bytes(2000 * overhead_us / ns);
        }
    }
    qsort(from, (size_t) bounds, sizeof(*from), compare_sizes);
    for (int i = 0; i < bounds; i++) {
        if (0 == i || from[i] > from[i - 1]) {
            cluster->section[cluster->sections++] = describe_sizes(machine, overhead_us, from[i]);
        }
    }
}

const smpi_sizes_t *smpi_sizes_of(const smpi_cluster_t *cluster, double bytes)
{
    int at = cluster->sections - 1;

    while (at > 0 && cluster->section[at].from > bytes) {
        at--;
    }
    return &cluster->section[at];
}

void smpi_describe(const napcoll_machine_t *machine, double bytes, smpi_cluster_t *cluster)
{
    const napcoll_link_t *large =
        &machine->link[NAPCOLL_LEVEL_NETWORK][NAPCOLL_PROTOCOL_RENDEZVOUS];
    const napcoll_link_t local = napcoll_machine_link(machine, NAPCOLL_LEVEL_NODE, bytes);
    const double overhead_us = overhead_of(machine, bytes);
    const smpi_sizes_t *sizes;

    *cluster = (smpi_cluster_t){
        .network_latency_us = large->latency_us - 2 * overhead_us,
        .process_network_rate = rate_of(large->ns_per_byte),
        .node_memory_rate = rate_of(machine->node_local_ns_per_byte),
        .node_network_rate = 1e6 * machine->node_injection_mbyte_per_s,
        .speed = rate_of(machine->reduce_ns_per_byte),
        .rendezvous_from = whole_bytes(machine->eager_below_bytes),
    };
    describe_sections(machine, overhead_us, cluster);
    sizes = smpi_sizes_of(cluster, bytes);
    cluster->node_latency_us = (local.latency_us - 2 * overhead_us) / sizes->latency_factor;
    cluster->process_node_rate = rate_of(local.ns_per_byte * sizes->bandwidth_factor);
}

/* ---- the platform file ---- */

static void put_link(FILE *out, const char *owner, int number, const char *name, double rate,
                     double latency_us, const char *policy)
{
    fprintf(out,
            "    <link id=\"%s%d-%s\" bandwidth=\"%.9gBps\" latency=\"%.9gus\" "
            "sharing_policy=\"%s\"/>\n",
            owner, number, name, rate, latency_us, policy);
}

/* A process: its host and its links. */
static void put_process(const smpi_cluster_t *cluster, int rank, FILE *out)
{
    fprintf(out, "    <host id=\"rank%d\" speed=\"%.9gf\"/>\n", rank, cluster->speed);
    put_link(out, "rank", rank, "ends",
             fmax(cluster->process_node_rate, cluster->process_network_rate), 0, "SPLITDUPLEX");
    put_link(out, "rank", rank, "network", cluster->process_network_rate, 0, "SPLITDUPLEX");
}

static void put_route(FILE *out, const char *from, int source, const char *to, int target)
{
    fprintf(out, "    <route src=\"%s%d\" dst=\"%s%d\" symmetrical=\"NO\">", from, source, to,
            target);
}

static void put_hop(FILE *out, const char *owner, int number, const char *name, const char *way)
{
    fprintf(out, "<link_ctn id=\"%s%d-%s\"%s/>", owner, number, name, way);
}

/* The routes of a process to what its node shares, and back. */
static void put_routes(int rank, int node, FILE *out)
{
    static const char up[] = " direction=\"UP\"", down[] = " direction=\"DOWN\"",
                      end[] = "</route>\n";

    put_route(out, "rank", rank, "memory", node);
    put_hop(out, "rank", rank, "ends", up);
    put_hop(out, "node", node, "bus", "");
    fputs(end, out);
    put_route(out, "memory", node, "rank", rank);
    put_hop(out, "rank", rank, "ends", down);
    fputs(end, out);
    put_route(out, "rank", rank, "port", node);
    put_hop(out, "rank", rank, "ends", up);
    put_hop(out, "rank", rank, "network", up);
    fputs(end, out);
    put_route(out, "port", node, "rank", rank);
    put_hop(out, "rank", rank, "network", down);
    put_hop(out, "rank", rank, "ends", down);
    fputs(end, out);
}

static void put_node(const smpi_cluster_t *cluster, const napcoll_node_map_t *map, int node,
                     FILE *out)
{
    const int members = napcoll_node_map_ppn(map, node);

    fprintf(out, "  <zone id=\"node%d\" routing=\"DijkstraCache\">\n", node);
    for (int lane = 0; lane < members; lane++) {
        put_process(cluster, napcoll_node_map_rank(map, node, lane), out);
    }
    fprintf(out, "    <router id=\"memory%d\"/>\n    <router id=\"port%d\"/>\n", node, node);
    put_link(out, "node", node, "bus", fmin(cluster->process_node_rate, cluster->node_memory_rate),
             cluster->node_latency_us,
             cluster->node_memory_rate < SMPI_UNLIMITED ? "SHARED" : "FATPIPE");
    for (int lane = 0; lane < members; lane++) {
        put_routes(napcoll_node_map_rank(map, node, lane), node, out);
    }
    fprintf(out, "  </zone>\n");
}

/* The routes of a node to the network and back. */
static void put_wires(int node, FILE *out)
{
    fprintf(out,
            "    <zoneRoute src=\"node%d\" dst=\"network\" gw_src=\"port%d\" gw_dst=\"switch\" "
            "symmetrical=\"NO\"><link_ctn id=\"node%d-out\"/></zoneRoute>\n",
            node, node, node);
    fprintf(out,
            "    <zoneRoute src=\"network\" dst=\"node%d\" gw_src=\"switch\" gw_dst=\"port%d\" "
            "symmetrical=\"NO\"><link_ctn id=\"node%d-in\"/></zoneRoute>\n",
            node, node, node);
}

void smpi_put_platform(const smpi_cluster_t *cluster, const napcoll_node_map_t *map, FILE *out)
{
    fprintf(out, "<?xml version='1.0'?>\n"
                 "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                 "<platform version=\"4.1\">\n"
                 "<zone id=\"cluster\" routing=\"DijkstraCache\">\n");
    for (int node = 0; node < map->nodes && !ferror(out); node++) {
        put_node(cluster, map, node, out);
    }
    fprintf(out, "  <zone id=\"network\" routing=\"None\">\n"
                 "    <router id=\"switch\"/>\n"
                 "  </zone>\n");
    for (int node = 0; node < map->nodes && !ferror(out); node++) {
        put_link(out, "node", node, "out", cluster->node_network_rate, cluster->network_latency_us,
                 "SHARED");
        put_link(out, "node", node, "in", SMPI_UNLIMITED, 0, "FATPIPE");
    }
    /* SimGrid's grammar has all links before the first route. */
    for (int node = 0; node < map->nodes && !ferror(out); node++) {
        put_wires(node, out);
    }
    fprintf(out, "</zone>\n</platform>\n");
}

/* ---- the options ---- */

/* SMPI takes a value for sizes above a number. */
static void put_values(FILE *out, const char *name, const smpi_cluster_t *cluster, int more,
                       size_t at, const char *unit)
{
    fprintf(out, " '--cfg=smpi/%s:", name);
    for (int i = 0; i < cluster->sections; i++) {
        const smpi_sizes_t *sizes = &cluster->section[i];
        const int above = 0 == i ? 0 : sizes->from + more - 1;
        double value;

        memcpy(&value, (const char *) sizes + at, sizeof(value));
        fprintf(out, "%s%d:%.9g%s", 0 == i ? "" : ";", above, value, unit);
    }
    fputc('\'', out);
}

void smpi_put_options(const smpi_cluster_t *cluster, FILE *out)
{
    put_values(out, "lat-factor", cluster, SMPI_ENVELOPE, offsetof(smpi_sizes_t, latency_factor),
               "");
    put_values(out, "bw-factor", cluster, SMPI_ENVELOPE, offsetof(smpi_sizes_t, bandwidth_factor),
               "");
    put_values(out, "ois", cluster, 0, offsetof(smpi_sizes_t, send_overhead_us), "us:0");
    put_values(out, "or", cluster, 0, offsetof(smpi_sizes_t, receive_overhead_us), "us:0");
    fprintf(out, " --cfg=smpi/async-small-thresh:%d --cfg=smpi/send-is-detached-thresh:%d",
            cluster->rendezvous_from, cluster->rendezvous_from);
    fprintf(out,
            " --cfg=network/crosstraffic:0 --cfg=network/weight-S:0"
            " --cfg=network/TCP-gamma:%.9g",
            SMPI_UNLIMITED);
    fprintf(out, " --cfg=smpi/host-speed:1Gf --cfg=smpi/display-timing:yes"
                 " --log=root.thres:warning --log=smpi_utils.thres:info");
}
