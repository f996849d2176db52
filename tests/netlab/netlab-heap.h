/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/* Packets that are on their way through an emulated network, in the order of time. */
#ifndef NETLAB_HEAP_H
#define NETLAB_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link;
struct port;

/* A packet on its way: virtio header, Ethernet header, payload. */
struct packet {
    /* When it arrives at the next link, or is delivered; ns, CLOCK_MONOTONIC */
    uint64_t due;
    /* Of arrival at the network, breaks ties */
    uint64_t order;
    struct port *from;
    /* Link that it is to enter; NULL: it is to be delivered */
    struct link *next;
    /* Switch behind that link, see routes_next */
    int at;
    uint32_t to;
    uint32_t length;
    unsigned char data[];
};

/* Packets, earliest first. */
struct heap {
    struct packet **at;
    size_t size;
    size_t capacity;
};

/* Returns false when memory is short; the packet then stays the caller's. */
bool heap_push(struct heap *heap, struct packet *packet);

/* Takes the earliest packet out of a heap that is not empty. */
struct packet *heap_pop(struct heap *heap);

#endif
