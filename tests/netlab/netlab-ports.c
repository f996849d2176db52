/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nodes' ports: which there are, and how they are opened.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "netlab-network.h"

enum {
    FRAME_HEADERS = 536,     /* of a packet in the ring: the kernel's, virtio's, Ethernet's */
    LEAST_FRAME_SIZE = 2048, /* one ring slot: headers and a packet of the nodes' MTU */
    BLOCK_SIZE = 1 << 20,    /* the kernel allocates rings in blocks */
    MAX_RING_BLOCKS = 32,    /* per port: 256 packets of the largest MTU, 16384 of Ethernet's */
    TOTAL_RING_BLOCKS = 512  /* all ports together: 512 MiB */
};

/* Reads one line of the table of nodes: NAME PID IPV4 MAC PORT. Returns false on a bad line. */
static bool parse_node(const char *line, struct port *port)
{
    unsigned mac[ETH_ALEN];
    struct in_addr address;
    char ip[16];

    if (10
            != sscanf(line, "%31s %d %15s %x:%x:%x:%x:%x:%x %31s", port->node, &port->pid, ip,
                      &mac[0], &mac[1], &mac[2], &mac[3], &mac[4], &mac[5], port->name)
        || 1 != inet_pton(AF_INET, ip, &address)) {
        return false;
    }
    for (int i = 0; i < ETH_ALEN; ++i) {
        port->mac[i] = (unsigned char) mac[i];
    }
    port->ip = ntohl(address.s_addr);
    return true;
}

void network_read_nodes(struct network *network, const char *path, const struct link *uplink)
{
    FILE *in = fopen(path, "re");
    char line[256];
    struct port *ports = NULL;
    uint32_t count = 0;

    if (NULL == in) {
        die(path);
    }
    while (NULL != fgets(line, sizeof(line), in)) {
        ports = realloc(ports, (count + 1) * sizeof(*ports));
        if (NULL == ports) {
            die("table of nodes");
        }
        memset(&ports[count], 0, sizeof(ports[count]));
        if (!parse_node(line, &ports[count]) || ports[count].ip != ports[0].ip + count) {
            fprintf(stderr,
                    "netlab-switch: %s: line %" PRIu32 ": expected NAME PID IPV4 MAC PORT "
                    "with consecutive addresses\n",
                    path, count + 1);
            exit(EXIT_FAILURE);
        }
        ports[count].network = network;
        ports[count].uplink = *uplink;
        count++;
    }
    fclose(in);
    if (0 == count) {
        fprintf(stderr, "netlab-switch: %s: no nodes\n", path);
        exit(EXIT_FAILURE);
    }
    network->ports = ports;
    network->port_count = count;
}

/* The size of a ring slot, a power of two, for packets of an interface's MTU. */
static uint32_t frame_size_for(int fd, unsigned interface)
{
    struct ifreq request;
    uint32_t size = LEAST_FRAME_SIZE;

    memset(&request, 0, sizeof(request));
    if (NULL == if_indextoname(interface, request.ifr_name)
        || 0 != ioctl(fd, SIOCGIFMTU, &request)) {
        die("MTU");
    }
    while (size < FRAME_HEADERS + (uint32_t) request.ifr_mtu) {
        size *= 2;
    }
    return size;
}

/* Opens a port's packet socket with its ring. */
static void open_port(struct port *port, uint32_t blocks)
{
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
    struct tpacket_req request = {.tp_block_size = BLOCK_SIZE};
    int version = TPACKET_V2;
    int on = 1;
    void *ring;

    address.sll_ifindex = (int) if_nametoindex(port->name);
    if (0 == address.sll_ifindex) {
        die(port->name);
    }
    port->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (port->fd < 0) {
        die("packet socket");
    }
    port->frame_size = frame_size_for(port->fd, (unsigned) address.sll_ifindex);
    port->ring_frames = blocks * (BLOCK_SIZE / port->frame_size);
    request.tp_frame_size = port->frame_size;
    request.tp_block_nr = blocks;
    request.tp_frame_nr = port->ring_frames;
    if (0 != setsockopt(port->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version))
        || 0 != setsockopt(port->fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on))
        || 0 != setsockopt(port->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request))) {
        die("packet ring");
    }
    ring = mmap(NULL, (size_t) blocks * BLOCK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, port->fd,
                0);
    if (MAP_FAILED == ring) {
        die("mapping a packet ring");
    }
    port->ring = ring;
    if (0 != bind(port->fd, (struct sockaddr *) &address, sizeof(address))) {
        die("binding a packet socket");
    }
    port->readable = event_new(port->network->base, port->fd, EV_READ | EV_PERSIST, forward,
                               port->network);
    if (NULL == port->readable || 0 != event_add(port->readable, NULL)) {
        die("event");
    }
}

void network_open(struct network *network)
{
    uint32_t blocks = TOTAL_RING_BLOCKS / network->port_count;

    if (blocks > MAX_RING_BLOCKS) {
        blocks = MAX_RING_BLOCKS;
    } else if (0 == blocks) {
        blocks = 1;
    }
    network->base = event_base_new();
    if (NULL == network->base) {
        die("event base");
    }
    for (uint32_t i = 0; i < network->port_count; ++i) {
        open_port(&network->ports[i], blocks);
    }
}
