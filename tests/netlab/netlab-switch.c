/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * netlab-switch: the network of an emulated cluster.
 *
 *     node0 eth0 ---veth--- port0 |          |
 *     node1 eth0 ---veth--- port1 |  switch  |    one packet socket per port
 *     node2 eth0 ---veth--- port2 |          |
 *
 * Every IPv4 packet that a node sends is read from its port, kept for as long as the emulated
 * network would need, and written to the port of the node that has the destination address.
 * Under the max-rate model a node's link is busy for
 *
 *     busy(packet) = max(gap, bytes / rate)
 *
 * and packets wait for the link in order of arrival, so
 *
 *     start    = max(arrival, link.next_free)
 *     next_free = start + busy(packet)
 *     delivery = start + bytes / rate + max(0, latency - overhead)
 *
 * where the overhead is what a packet takes besides, in the system calls, TCP and cables of the nodes and
 * until this process wakes up.  It is measured at the start (see netlab-overhead.h), or given.
 *
 * With a tree of switches (see netlab-routes.h) a packet goes on like that over further links, which have
 * no gap, cutting through: on each it starts as early as the link before allows,
 *
 *     arrival at a link = start on the link before + max(0, bytes / its rate - bytes / this one's)
 *
 * so its last byte never comes before it has left the link before.  These links may have bounded queues,
 * and a packet that finds no room in one is dropped.  The links are shared, so packets enter each in the
 * order of their arrivals there: all that are between two links stand in a heap, and move when their time
 * has come.  That is looked after only as often as the rings are, which is often enough, because the
 * latency comes after the last link.
 *
 * Delays are exact on average even if this process is late: arrival is the time stamp that the
 * kernel put on the packet, and lateness of one packet does not move the next one.
 *
 * While the network is empty, a libevent loop watches the sockets.  While packets are on their way
 *
 *     look into all rings -> deliver what is due -> sleep until the next one is, or a while
 *
 * and "a while" is shorter than packets are held, so that no packet is found too late; packets that are due
 * within a small part of that time leave together.  So the switch wakes seldom, and leaves the
 * processors to the ranks.
 *
 * Packets are received through a ring shared with the kernel, which absorbs bursts that an ordinary
 * user's socket buffer could not, and are sent in batches.  Headers for checksum offloading
 * (virtio_net_hdr) travel along, so that nobody computes checksums.
 *
 * The process goes into the background; the first process prints its number and ends with status 0
 * once it is ready.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "netlab-heap.h"
#include "netlab-overhead.h"
#include "netlab-routes.h"

enum {
    NAME_MAX_LENGTH = 32,
    FRAME_HEADERS = 536,     /* of a packet in the ring: the kernel's, virtio's, Ethernet's */
    LEAST_FRAME_SIZE = 2048, /* one ring slot: headers and a packet of the nodes' MTU */
    BLOCK_SIZE = 1 << 20,    /* the kernel allocates rings in blocks */
    MAX_RING_BLOCKS = 32,    /* per port: 512 packets of the largest MTU, 16384 of Ethernet's */
    TOTAL_RING_BLOCKS = 512, /* all ports together: 512 MiB */
    RECEIVE_BUDGET = 256,    /* packets read from one port before others get a turn */
    SEND_BATCH = 64,         /* packets handed to the kernel with one call */
    REALTIME_PRIORITY = 20,
    LONGEST_MEASUREMENT_US = 4000000,
    VNET_HEADER = sizeof(struct virtio_net_hdr)
};

static const uint64_t second = UINT64_C(1000000000);    /* in ns */
static const uint64_t queue_limit = UINT64_C(32) << 20; /* bytes waiting per link */

/* Time stamps older than this, in ns, are not believed. */
static const uint64_t max_lateness = UINT64_C(200000000);

/* Packets that are due within this part of the time that each is held leave together. */
static const uint64_t together = 32;

/* Packets are held no longer than this, in ns, while the overhead is measured. */
static const uint64_t longest_held = UINT64_C(250000);

/* No packet lies in a ring for longer than this part of that time, between these times in ns. */
static const uint64_t unseen = 2, shortest_sleep = UINT64_C(20000),
                      longest_sleep = UINT64_C(250000);

struct port {
    struct network *network;
    char name[NAME_MAX_LENGTH];
    char node[NAME_MAX_LENGTH];
    uint32_t ip; /* host order */
    int pid;     /* of the process that holds the node's namespaces open */
    unsigned char mac[ETH_ALEN];
    struct link uplink; /* node to switch */
    uint64_t queued;    /* bytes accepted and not yet delivered */
    int fd;
    unsigned char *ring;
    uint32_t frame_size;
    uint32_t ring_frames;
    uint32_t ring_next;
    uint64_t last_arrival;
    struct event *readable;
    struct packet *batch[SEND_BATCH];
    unsigned batched;
    uint64_t lost; /* packets that could not be received, queued or delivered */
    uint64_t lost_reported;
};

struct network {
    struct event_base *base;
    int end_fd;             /* readable when the emulation ends; -1 if nothing is to be said then */
    uint64_t hold;          /* ns that every packet is kept for besides the links' time */
    bool measuring;         /* the overhead: links take no time, and nothing else is sent */
    struct heap deliveries; /* packets that have crossed their last link */
    struct heap between;    /* packets between two links */
    struct routes routes;
    uint64_t arrivals;
    int64_t clock_offset; /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
    uint32_t port_count;
    struct port *ports;
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    if (0 != clock_gettime(clock, &now)) {
        perror("netlab-switch: clock_gettime");
        exit(EXIT_FAILURE);
    }
    return (uint64_t) now.tv_sec * second + (uint64_t) now.tv_nsec;
}

static void __attribute__((noreturn)) die(const char *what)
{
    fprintf(stderr, "netlab-switch: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
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

/* Hands over every packet whose time has come. */
static void deliver_due(struct network *network)
{
    struct port *touched[SEND_BATCH];

    for (;;) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
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
        if (0 == packets) {
            break;
        }
        for (unsigned i = 0; i < ports; ++i) {
            flush_port(touched[i]);
        }
    }
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
        return; /* there is no other network */
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
    const uint64_t latest = now
                            + (part < shortest_sleep  ? shortest_sleep
                               : part > longest_sleep ? longest_sleep
                                                      : part);
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

/* Goes on as long as packets are on their way. */
static void on_readable(evutil_socket_t fd, short what, void *arg)
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
        deliver_due(network);
        if ((0 == network->deliveries.size && 0 == network->between.size) || at_the_end(network)) {
            return;
        }
        rest(network);
    }
}

/* ---- the end ---- */

/* An array of the nodes' names. */
static const char **node_names(const struct network *network)
{
    const char **names = calloc(network->port_count, sizeof(*names));

    if (NULL == names) {
        die("names of nodes");
    }
    for (uint32_t i = 0; i < network->port_count; ++i) {
        names[i] = network->ports[i].node;
    }
    return names;
}

/* Says what the queues have dropped. */
static void on_end(evutil_socket_t fd, short what, void *arg)
{
    struct network *network = arg;
    const char **names = node_names(network);

    (void) fd;
    (void) what;
    routes_describe_drops(&network->routes, names, network->port_count);
    free(names);
    exit(EXIT_SUCCESS);
}

/* Makes the signal TERM, by which netlab asks for the end, one more thing that the loop watches. */
static void expect_end(struct network *network)
{
    struct event *end;
    sigset_t set;

    if (0 != sigemptyset(&set) || 0 != sigaddset(&set, SIGTERM)
        || 0 != sigprocmask(SIG_BLOCK, &set, NULL)) {
        die("signal");
    }
    network->end_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (network->end_fd < 0) {
        die("signalfd");
    }
    end = event_new(network->base, network->end_fd, EV_READ, on_end, network);
    if (NULL == end || 0 != event_add(end, NULL)) {
        die("event");
    }
}

/* ---- setting up ---- */

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

static void read_table(struct network *network, const char *path, const struct link *uplink)
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
    port->readable = event_new(port->network->base, port->fd, EV_READ | EV_PERSIST, on_readable,
                               port->network);
    if (NULL == port->readable || 0 != event_add(port->readable, NULL)) {
        die("event");
    }
}

static void open_network(struct network *network)
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

/*
 * Asks for a priority above all ranks, and for memory that is always present.  Returns whether
 * both were granted.  Future memory is locked only if the limit allows a great deal of it: else
 * the next allocation would fail.
 */
static bool become_realtime(void)
{
    struct sched_param parameters = {.sched_priority = REALTIME_PRIORITY};
    size_t plenty = (size_t) 4 << 30;
    bool granted = 0 == sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters);
    void *probe;

    if (0 != mlockall(MCL_CURRENT | MCL_FUTURE)) {
        return false;
    }
    probe = mmap(NULL, plenty, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (MAP_FAILED == probe) {
        (void) munlockall();
        return false;
    }
    munmap(probe, plenty);
    return granted;
}

/*
 * Goes on in a child.  The parent prints the child's process number and ends, when the child writes
 * a byte to the returned descriptor; it ends with an error if the child dies before.
 */
static int go_to_background(void)
{
    int ready[2];
    char byte;
    pid_t pid;

    if (0 != pipe2(ready, O_CLOEXEC)) {
        die("pipe");
    }
    pid = fork();
    if (pid < 0) {
        die("fork");
    }
    if (pid > 0) {
        close(ready[1]);
        if (1 != read(ready[0], &byte, 1)) {
            exit(EXIT_FAILURE);
        }
        printf("%d\n", (int) pid);
        exit(0 == fflush(stdout) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ready[0]);
    if (NULL == freopen("/dev/null", "r", stdin) || NULL == freopen("/dev/null", "w", stdout)) {
        die("/dev/null");
    }
    return ready[1];
}

/* ---- the overhead ---- */

/* Says why, by errno. */
static void could_not_measure(void)
{
    fprintf(stderr,
            "netlab: the overhead could not be measured (%s): it comes on top of the latency, "
            "unless --overhead says how long it is\n",
            strerror(errno));
}

/* Starts what measures the overhead, between the first two nodes. Returns 0, or -1 with errno. */
static int start_prober(struct overhead *prober, const struct network *network)
{
    return overhead_start(prober, network->ports[0].pid, network->ports[1].pid,
                          network->ports[1].ip);
}

static void on_measured(evutil_socket_t fd, short what, void *arg)
{
    struct network *network = arg;

    (void) fd;
    (void) what;
    (void) event_base_loopbreak(network->base);
}

/* Forwards packets, and holds each for a time, until there is a result or the time is up. */
static void forward_until_measured(struct network *network, struct overhead *prober, uint64_t hold)
{
    const struct timeval limit = {.tv_sec = 0, .tv_usec = LONGEST_MEASUREMENT_US};
    struct event *done = event_new(network->base, prober->result_fd, EV_READ, on_measured, network);

    if (NULL == done || 0 != event_add(done, &limit)) {
        die("event");
    }
    network->hold = hold;
    if (event_base_dispatch(network->base) < 0) {
        die("event loop");
    }
    event_free(done);
}

/*
 * Measures the overhead of a network that is open, and of one that holds packets for about as long as it is
 * going to: a switch that sleeps is later than one that need not.  Returns ns; 0, and says why, if it cannot
 * be found.
 */
static uint64_t measure_overhead(struct network *network, struct overhead *prober, uint64_t latency)
{
    const uint64_t hold = latency < longest_held ? latency : longest_held;
    uint64_t half;
    int rc;

    network->measuring = true;
    rc = overhead_begin(prober);
    if (0 == rc) {
        forward_until_measured(network, prober, hold);
        rc = overhead_result(prober, &half);
    }
    if (0 != rc) {
        could_not_measure();
    }
    overhead_end(prober);
    /* The connection's end passes before links take time. */
    network->hold = 0;
    if (event_base_loop(network->base, EVLOOP_NONBLOCK) < 0) {
        die("event loop");
    }
    network->measuring = false;
    if (0 != rc) {
        return 0;
    }
    return half > hold ? half - hold : 0;
}

/* Reads a whole decimal number. Returns false if it is something else. */
static bool parse_number(const char *text, uint64_t *value)
{
    char *end;

    if (*text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    *value = strtoull(text, &end, 10);
    return 0 == errno && '\0' == *end;
}

/* Opens the links between the switches that connect the ports. */
static void read_topology(struct network *network, const char *path, const struct link *trunk,
                          const struct link *to_node)
{
    const char **names = node_names(network);

    if (0 != routes_open(&network->routes, path, names, network->port_count, trunk, to_node)) {
        exit(EXIT_FAILURE);
    }
    free(names);
}

/* Says what is wrong with a switch tree for these nodes. Returns the exit status. */
static int check_topology(const char *path, const char *const *names, uint32_t nodes)
{
    const struct link link = {.rate = 0};
    struct routes routes;

    if (0 != routes_open(&routes, path, names, nodes, &link, &link)) {
        return 2;
    }
    if (NULL != getenv("NETLAB_VERBOSE")) {
        routes_describe(&routes, path, names, nodes);
    }
    routes_close(&routes);
    return EXIT_SUCCESS;
}

/* The command line. Times in ns, rates in bit/s. */
struct settings {
    const char *table;
    uint64_t latency;
    uint64_t overhead;
    bool automatic;       /* the overhead is to be measured */
    struct link uplink;   /* node to switch */
    struct link trunk;    /* switch to switch */
    const char *topology; /* NULL: there is no tree of switches */
};

/* Returns false if there is something else than there should be. */
static bool parse_settings(struct settings *settings, int argc, char **argv)
{
    memset(settings, 0, sizeof(*settings));
    if (6 != argc && 9 != argc) {
        return false;
    }
    settings->table = argv[1];
    settings->automatic = 0 == strcmp(argv[3], "auto");
    if (!parse_number(argv[2], &settings->latency)
        || (!settings->automatic && !parse_number(argv[3], &settings->overhead))
        || !parse_number(argv[4], &settings->uplink.rate)
        || !parse_number(argv[5], &settings->uplink.gap)) {
        return false;
    }
    if (6 == argc) {
        return true;
    }
    settings->topology = argv[8];
    return parse_number(argv[6], &settings->trunk.rate)
           && parse_number(argv[7], &settings->trunk.queue);
}

/* Sets how long packets are held, which is the latency less what they take anyway. */
static void compensate(struct network *network, const struct settings *settings)
{
    const uint64_t latency = settings->latency;
    const uint64_t overhead = settings->overhead;

    network->hold = latency > overhead ? latency - overhead : 0;
    if (NULL != getenv("NETLAB_VERBOSE") && 0 != latency && network->port_count > 1) {
        fprintf(stderr,
                "netlab: overhead %" PRIu64 " ns (%s): packets are held for %" PRIu64 " ns%s\n",
                overhead, settings->automatic ? "measured" : "as given", network->hold,
                latency < overhead ? ", and take longer than the latency" : "");
    }
}

int main(int argc, char **argv)
{
    struct network network = {.end_fd = -1};
    struct overhead prober;
    struct settings settings;
    bool realtime;
    int ready;

    if (argc > 3 && 0 == strcmp(argv[1], "--check")) {
        return check_topology(argv[2], (const char *const *) argv + 3, (uint32_t) argc - 3);
    }
    if (!parse_settings(&settings, argc, argv)) {
        fprintf(
            stderr,
            "usage: netlab-switch TABLE LATENCY_NS OVERHEAD_NS|auto RATE_BITS_PER_SECOND GAP_NS "
            "[TRUNK_BITS_PER_SECOND QUEUE_BYTES TOPOLOGY]\n"
            "       netlab-switch --check TOPOLOGY NODE...\n"
            "(started by netlab; rate 0 and queue 0 are unlimited)\n");
        return 2;
    }
    ready = go_to_background();
    if (SIG_ERR == signal(SIGPIPE, SIG_IGN)) {
        die("signal");
    }
    read_table(&network, settings.table, &settings.uplink);
    if (NULL != settings.topology) {
        const struct link to_node = {.rate = settings.uplink.rate, .queue = settings.trunk.queue};

        read_topology(&network, settings.topology, &settings.trunk, &to_node);
    }
    /* With no latency, there is nothing to make shorter; with one node, no way. */
    settings.automatic = settings.automatic && 0 != settings.latency && network.port_count > 1;
    if (settings.automatic && 0 != start_prober(&prober, &network)) {
        could_not_measure();
        settings.automatic = false;
    }
    open_network(&network);
    if (0 != settings.trunk.queue && NULL != getenv("NETLAB_VERBOSE")) {
        expect_end(&network);
    }
    realtime = become_realtime();
    if (!realtime && NULL != getenv("NETLAB_VERBOSE")) {
        fprintf(stderr, "netlab-switch: no real-time priority or no locked memory: delays vary "
                        "more when the machine is busy\n");
    }
    if (settings.automatic) {
        settings.overhead = measure_overhead(&network, &prober, settings.latency);
    }
    compensate(&network, &settings);
    if (1 != write(ready, "r", 1) || 0 != close(ready)) {
        die("readiness");
    }
    if (event_base_dispatch(network.base) < 0) {
        die("event loop");
    }
    return EXIT_SUCCESS;
}
