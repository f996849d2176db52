/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network that netlab-switch emulates: a port for each node, and the packets on their way.
 *
 *     network_read_nodes()   who is there
 *     routes_open()          where there is a switch tree
 *     network_open()         from now on packets are received, and wait
 *     forward()              is what the loop calls when there is something to read
 *
 * Where the system refuses something, a message says what, and the process ends.
 */
#ifndef NETLAB_NETWORK_H
#define NETLAB_NETWORK_H

#include <event2/event.h>
#include <linux/if_ether.h>
#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

#include "netlab-heap.h"
#include "netlab-routes.h"

enum {
    NAME_MAX_LENGTH = 32,
    SEND_BATCH = 64, /* packets handed to the kernel with one call */
    VNET_HEADER = sizeof(struct virtio_net_hdr)
};

struct port {
    struct network *network;
    char name[NAME_MAX_LENGTH];
    char node[NAME_MAX_LENGTH];
    /* Host order */
    uint32_t ip;
    /* Of the process that holds the node's namespaces open */
    int pid;
    unsigned char mac[ETH_ALEN];
    /* Node to switch */
    struct link uplink;
    /* Bytes accepted and not yet delivered */
    uint64_t queued;
    int fd;
    unsigned char *ring;
    uint32_t frame_size;
    uint32_t ring_frames;
    uint32_t ring_next;
    uint64_t last_arrival;
    struct event *readable;
    struct packet *batch[SEND_BATCH];
    unsigned batched;
    /* Packets that could not be received, queued or delivered */
    uint64_t lost;
    uint64_t lost_reported;
};

struct network {
    struct event_base *base;
    /* Readable when the emulation ends; -1 if nothing is to be said then */
    int end_fd;
    /* Ns that every packet is kept for besides the links' time */
    uint64_t hold;
    /* The overhead: links take no time, and nothing else is sent */
    bool measuring;
    /* Packets that have crossed their last link */
    struct heap deliveries;
    /* Packets between two links */
    struct heap between;
    struct routes routes;
    uint64_t arrivals;
    /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
    int64_t clock_offset;
    uint32_t port_count;
    struct port *ports;
};

/* ---- netlab-ports.c ---- */

/*
 * Reads the table of nodes, a line NAME PID IPV4 MAC PORT for each, with consecutive addresses;
 * each node has such a link to the switch.
 */
void network_read_nodes(struct network *network, const char *path, const struct link *uplink);

/* Opens the ports' packet sockets, and the loop that calls forward for them. */
void network_open(struct network *network);

/* ---- netlab-forward.c ---- */

/* Takes in what has come, and goes on as long as packets are on their way. The argument is the
 * network. */
void forward(evutil_socket_t fd, short what, void *arg);

/* ---- netlab-switch.c ---- */

/* Says what could not be done, and why by errno, and ends the process. */
void __attribute__((noreturn)) die(const char *what);

#endif
