/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * How packets are forwarded: received from the ports' rings, sent over links, held, and delivered.
 * netlab-switch.c says how long all of that takes.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "netlab-network.h"

enum { RECEIVE_BUDGET = 256 /* packets read from one port before others get a turn */ };

/* In ns */
static const uint64_t second = UINT64_C(1000000000);
/* Bytes waiting that a port has sent: a flat broadcast of 1 MB to 63 processes, and more. Real
 * hosts make senders wait in time; a lost packet is sent again after 200 ms. */
static const uint64_t queue_limit = UINT64_C(256) << 20;

/* Time stamps older than this, in ns, are not believed. */
static const uint64_t max_lateness = UINT64_C(200000000);

/* Packets that are due within this part of the time that each is held leave together. */
static const uint64_t together = 32;

/* No packet lies in a ring for longer than this part of that time, between these times in ns. */
static const uint64_t unseen = 2, shortest_sleep = UINT64_C(20000),
                      longest_sleep = UINT64_C(250000);

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    if (0 != clock_gettime(clock, &now)) {
        perror("netlab-switch: clock_gettime");
        exit(EXIT_FAILURE);
    }
    return (uint64_t) now.tv_sec * second + (uint64_t) now.tv_nsec;
}

/* ---- links ---- */

/* Counts lost packets, and says so whenever their number has doubled: loss ruins measurements. */
static void count_lost(struct port *port, uint64_t packets, const char *why)
{
    port->lost += packets;
    if (port->lost >= 2 * port->lost_reported && 0 != packets) {
        fprintf(stderr, "netlab-switch: %s: %" PRIu64 " packet%s lost: %s\n", port->node,
                port->lost, 1 == port->lost ? "" : "s", why);
        port->lost_reported = port->lost;
    }
}

/* Puts a packet where it waits until it is due. */
static void keep(struct heap *heap, struct packet *packet)
{
    if (!heap_push(heap, packet)) {
        packet->from->queued -= packet->length;
        count_lost(packet->from, 1, "out of memory");
        free(packet);
    }
}

/* Lets a packet cross a link, not before its time, and sets what comes after. */
static void cross(struct network *network, struct link *link, struct packet *packet)
{
    const uint64_t bytes = packet->length - VNET_HEADER;
    const uint64_t transfer = link_transfer(link, bytes);
    uint64_t start;

    if (!link_enter(link, packet->due, bytes, &start)) {
        packet->from->queued -= packet->length;
        free(packet);
        return;
    }
    packet->next = routes_next(&network->routes, &packet->at, packet->to);
    if (NULL == packet->next) {
        packet->due = start + transfer + network->hold;
        keep(&network->deliveries, packet);
    } else {
        const uint64_t next = link_transfer(packet->next, bytes);

        packet->due = start + (transfer > next ? transfer - next : 0);
        keep(&network->between, packet);
    }
}

/* Moves all packets that have arrived at their next link. */
static void move_on(struct network *network, uint64_t now)
{
    while (network->between.size > 0 && network->between.at[0]->due <= now) {
        struct packet *packet = heap_pop(&network->between);

        cross(network, packet->next, packet);
    }
}

/* ---- delivery ---- */

static void flush_port(struct port *port)
{
    struct mmsghdr messages[SEND_BATCH];
    struct iovec vectors[SEND_BATCH];
    unsigned sent = 0;

    memset(messages, 0, port->batched * sizeof(messages[0]));
    for (unsigned i = 0; i < port->batched; ++i) {
        vectors[i].iov_base = port->batch[i]->data;
        vectors[i].iov_len = port->batch[i]->length;
        messages[i].msg_hdr.msg_iov = &vectors[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    while (sent < port->batched) {
        int rc = sendmmsg(port->fd, messages + sent, port->batched - sent, MSG_DONTWAIT);

        if (rc > 0) {
            sent += (unsigned) rc;
        } else if (EINTR != errno) {
            count_lost(port, 1, strerror(errno));
            sent++;
        }
    }
    for (unsigned i = 0; i < port->batched; ++i) {
        port->batch[i]->from->queued -= port->batch[i]->length;
        free(port->batch[i]);
    }
    port->batched = 0;
}

/* Hands over some of the packets whose time has come. Returns whether there were any. */
static bool deliver_some(struct network *network)
{
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    struct port *touched[SEND_BATCH];
    unsigned ports = 0;
    unsigned packets = 0;

    while (packets < SEND_BATCH && network->deliveries.size > 0
           && network->deliveries.at[0]->due <= now) {
        struct packet *packet = heap_pop(&network->deliveries);
        struct port *port = &network->ports[packet->to];

        if (0 == port->batched) {
            touched[ports++] = port;
        }
        port->batch[port->batched++] = packet;
        packets++;
    }
    for (unsigned i = 0; i < ports; ++i) {
        flush_port(touched[i]);
    }
    return packets > 0;
}

/* ---- reception ---- */

/* Returns the port that has an address, or NULL. Addresses are consecutive. */
static struct port *find_port(struct network *network, uint32_t ip)
{
    uint32_t index = ip - network->ports[0].ip;

    return index < network->port_count ? &network->ports[index] : NULL;
}

/* Time of arrival by the kernel's time stamp, in ns of CLOCK_MONOTONIC; never runs backwards. */
static uint64_t arrival_time(struct port *port, const struct tpacket2_hdr *header, uint64_t now)
{
    int64_t stamp = (int64_t) ((uint64_t) header->tp_sec * second + header->tp_nsec)
                    - port->network->clock_offset;
    uint64_t arrival = (uint64_t) stamp;

    if (stamp < 0 || arrival > now || arrival + max_lateness < now) {
        arrival = now;
    }
    if (arrival < port->last_arrival) {
        arrival = port->last_arrival;
    }
    port->last_arrival = arrival;
    return arrival;
}

/* Takes one received frame: decides where it goes and when. */
static void accept_frame(struct port *port, const unsigned char *frame, uint64_t now)
{
    const struct tpacket2_hdr *header = (const struct tpacket2_hdr *) (const void *) frame;
    uint32_t length = header->tp_snaplen + VNET_HEADER;
    struct network *network = port->network;
    struct packet *packet;
    struct port *to;
    uint32_t ip;

    if (header->tp_len != header->tp_snaplen) {
        count_lost(port, 1, "longer than the MTU");
        return;
    }
    if (header->tp_snaplen < ETH_HLEN + 20) {
        return;
    }
    memcpy(&ip, frame + header->tp_mac + ETH_HLEN + 16, sizeof(ip));
    to = find_port(network, ntohl(ip));
    if (NULL == to) {
        /* There is no other network */
        return;
    }
    if (port->queued + length > queue_limit) {
        count_lost(port, 1, "queue full");
        return;
    }
    packet = malloc(sizeof(*packet) + length);
    if (NULL == packet) {
        count_lost(port, 1, "out of memory");
        return;
    }
    memcpy(packet->data, frame + header->tp_mac - VNET_HEADER, length);
    memcpy(packet->data + VNET_HEADER, to->mac, ETH_ALEN);
    packet->length = length;
    packet->from = port;
    packet->at = routes_start(&network->routes, (uint32_t) (port - network->ports));
    packet->to = (uint32_t) (to - network->ports);
    packet->order = network->arrivals++;
    packet->due = arrival_time(port, header, now);
    port->queued += length;
    if (network->measuring) {
        packet->due += network->hold;
        keep(&network->deliveries, packet);
    } else {
        cross(network, &port->uplink, packet);
    }
}

/* Counts the packets that found the ring full; asking the kernel for their number resets it. */
static void count_overruns(struct port *port)
{
    struct tpacket_stats stats;
    socklen_t size = sizeof(stats);

    if (0 == getsockopt(port->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size)) {
        count_lost(port, stats.tp_drops, "the switch is too slow");
    }
}

/* Takes in what lies in a port's ring. */
static void read_ring(struct port *port, uint64_t now)
{
    for (int budget = RECEIVE_BUDGET; budget > 0; --budget) {
        unsigned char *frame = port->ring + (size_t) port->ring_next * port->frame_size;
        struct tpacket2_hdr *header = (struct tpacket2_hdr *) (void *) frame;
        uint32_t status = __atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE);

        if (0 == (status & TP_STATUS_USER)) {
            break;
        }
        if (0 != (status & TP_STATUS_LOSING)) {
            count_overruns(port);
        }
        accept_frame(port, frame, now);
        __atomic_store_n(&header->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
        port->ring_next = (port->ring_next + 1) % port->ring_frames;
    }
}

/* Sleeps until the next packet is due, and at most as long as packets may lie unseen. */
static void rest(const struct network *network)
{
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    const uint64_t soonest = now + network->hold / together;
    const uint64_t part = network->hold / unseen;
    const uint64_t bounded = part > longest_sleep ? longest_sleep : part;
    const uint64_t latest = now + (bounded < shortest_sleep ? shortest_sleep : bounded);
    const uint64_t due = network->deliveries.size > 0 ? network->deliveries.at[0]->due : latest;
    uint64_t wake = due > soonest ? due : soonest;
    struct timespec when;

    wake = wake < latest ? wake : latest;
    when.tv_sec = (time_t) (wake / second);
    when.tv_nsec = (long) (wake % second);
    errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
    if (0 != errno && EINTR != errno) {
        die("clock_nanosleep");
    }
}

/* Whether netlab has asked for the end. */
static bool at_the_end(const struct network *network)
{
    struct pollfd end = {.fd = network->end_fd, .events = POLLIN};

    return network->end_fd >= 0 && 0 != poll(&end, 1, 0);
}

void forward(evutil_socket_t fd, short what, void *arg)
{
    struct network *network = arg;

    (void) fd;
    (void) what;
    for (;;) {
        const uint64_t now = clock_ns(CLOCK_MONOTONIC);

        network->clock_offset = (int64_t) clock_ns(CLOCK_REALTIME) - (int64_t) now;
        for (uint32_t i = 0; i < network->port_count; ++i) {
            read_ring(&network->ports[i], now);
        }
        move_on(network, now);
        if (deliver_some(network)) {
            /* Packets that are delivered are answered: rings fill while many are due */
            continue;
        }
        if ((0 == network->deliveries.size && 0 == network->between.size) || at_the_end(network)) {
            return;
        }
        rest(network);
    }
}
