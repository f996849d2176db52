/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The links of an emulated network, and which of them a packet takes.
 *
 * Without a switch tree every node has a link to the one switch there is, and what it sends is all
 * that the network delays: a packet arrives as soon as it has crossed that.  With one, a packet
 * from node to node crosses
 *
 *     node0 --> s0 --> top --> s1 --> node2       the links up to the lowest switch above both,
 *                                                 the links down, and the receiver's link
 */
#ifndef NETLAB_ROUTES_H
#define NETLAB_ROUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/napcoll_switch_tree.h"

/* A directed link. Times in ns, rate in bit/s (0: unlimited). */
struct link {
    uint64_t rate;
    /* Least time between the starts of two packets */
    uint64_t gap;
    /* Bytes that may be in it or wait for it (0: any number) */
    uint64_t queue;
    /* When the packets accepted so far will have left */
    uint64_t next_free;
    /* That came, those dropped included */
    uint64_t packets;
    /* That found the queue full */
    uint64_t dropped;
};

/* How long bytes occupy a link that has no gap. */
uint64_t link_transfer(const struct link *link, uint64_t bytes);

/*
 * Sends a packet of bytes over a link, not before a time; sets when it starts.  Returns false, and
 * the packet is lost, if its bytes and those that have not left by the earliest time are more than
 * the queue holds.
 */
bool link_enter(struct link *link, uint64_t earliest, uint64_t bytes, uint64_t *start);

struct routes {
    /* NULL: there is one switch, and it delays nothing */
    napcoll_switch_tree_t *tree;
    /* [switches] from each to that above it */
    struct link *up;
    /* [switches] from that above it */
    struct link *down;
    /* [nodes] from its switch */
    struct link *to_node;
    /* [nodes] its place among the tree's nodes */
    int *place;
};

/*
 * Reads a switch tree that has the nodes of these names (it may have others), and opens its links:
 * those between switches are as trunk, those to the nodes as to_node.  Says on standard error what
 * is wrong with the file, as netlab does, and returns -1.
 */
int routes_open(struct routes *routes, const char *path, const char *const *names, uint32_t nodes,
                const struct link *trunk, const struct link *to_node);

void routes_close(struct routes *routes);

/* The switch where a packet from a node is first. */
int routes_start(const struct routes *routes, uint32_t from);

/* The next link on the way from switch *at to a node; *at becomes the switch behind it, or -1 at
 * the end. NULL where there is none. */
struct link *routes_next(const struct routes *routes, int *at, uint32_t to);

/* Says on standard error which node is where. */
void routes_describe(const struct routes *routes, const char *path, const char *const *names,
                     uint32_t nodes);

/* Says on standard error which queues have dropped packets, and how many all together. */
void routes_describe_drops(const struct routes *routes, const char *const *names, uint32_t nodes);

#endif
