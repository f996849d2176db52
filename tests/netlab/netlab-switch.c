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
 *     delivery = start + bytes / rate + latency
 *
 * Delays are exact on average even if this process is late: arrival is the time stamp that the
 * kernel put on the packet, and lateness of one packet does not move the next one.
 *
 * While the network is empty, a libevent loop watches the sockets.  While packets are on their way
 *
 *     look into all rings -> deliver what is due -> sleep until the next one is, or a while
 *
 * and "a while" is shorter than the latency, so that no packet is found too late; packets that are due
 * within a small part of the latency leave together.  So the switch wakes seldom, and leaves the
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
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    NAME_MAX_LENGTH = 32,
    FRAME_SIZE = 16384,           /* one ring slot: headers and a packet of the nodes' MTU */
    BLOCK_SIZE = 64 * FRAME_SIZE, /* the kernel allocates rings in blocks */
    MAX_RING_BLOCKS = 16,         /* per port: 1024 packets */
    TOTAL_RING_BLOCKS = 512,      /* all ports together: 512 MiB */
    RECEIVE_BUDGET = 256,         /* packets read from one port before others get a turn */
    SEND_BATCH = 64,              /* packets handed to the kernel with one call */
    REALTIME_PRIORITY = 20,
    VNET_HEADER = sizeof(struct virtio_net_hdr)
};

static const uint64_t second = UINT64_C(1000000000);    /* in ns */
static const uint64_t queue_limit = UINT64_C(32) << 20; /* bytes waiting per link */

/* Time stamps older than this, in ns, are not believed. */
static const uint64_t max_lateness = UINT64_C(200000000);

/* Packets that are due within this part of the latency leave together. */
static const uint64_t together = 32;

/* No packet lies in a ring for longer than this part of the latency, between these times in ns. */
static const uint64_t unseen = 2, shortest_sleep = UINT64_C(20000),
                      longest_sleep = UINT64_C(250000);

/* A directed link. Times in ns, rate in bit/s (0: unlimited). */
struct link {
    uint64_t rate;
    uint64_t gap;
    uint64_t latency;
    uint64_t next_free; /* when the packets accepted so far will have left */
    uint64_t queued;    /* bytes accepted and not yet delivered */
};

/* A packet on its way: virtio header, Ethernet header, payload. */
struct packet {
    uint64_t due;   /* ns, CLOCK_MONOTONIC */
    uint64_t order; /* of arrival at the switch, breaks ties */
    struct link *link;
    uint32_t to;
    uint32_t length;
    unsigned char data[];
};

struct port {
    struct network *network;
    char name[NAME_MAX_LENGTH];
    char node[NAME_MAX_LENGTH];
    uint32_t ip; /* host order */
    unsigned char mac[ETH_ALEN];
    struct link uplink; /* node to switch */
    int fd;
    unsigned char *ring;
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
    uint64_t latency;     /* ns, of every link */
    struct packet **heap; /* earliest first */
    size_t heap_size;
    size_t heap_capacity;
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

/* ---- the heap of packets on their way ---- */

static bool earlier(const struct packet *a, const struct packet *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}

/* Returns false when memory is short; the packet then stays the caller's. */
static bool heap_push(struct network *network, struct packet *packet)
{
    size_t i = network->heap_size;

    if (i == network->heap_capacity) {
        size_t capacity = 0 == i ? 4096 : 2 * i;
        struct packet **heap = realloc(network->heap, capacity * sizeof(struct packet *));

        if (NULL == heap) {
            return false;
        }
        network->heap = heap;
        network->heap_capacity = capacity;
    }
    network->heap_size++;
    while (i > 0 && earlier(packet, network->heap[(i - 1) / 2])) {
        network->heap[i] = network->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    network->heap[i] = packet;
    return true;
}

/* Takes the earliest packet out of a heap that is not empty. */
static struct packet *heap_pop(struct network *network)
{
    struct packet *first = network->heap[0];
    struct packet *last = network->heap[--network->heap_size];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= network->heap_size) {
            break;
        }
        if (child + 1 < network->heap_size
            && earlier(network->heap[child + 1], network->heap[child])) {
            child++;
        }
        if (!earlier(network->heap[child], last)) {
            break;
        }
        network->heap[i] = network->heap[child];
        i = child;
    }
    network->heap[i] = last;
    return first;
}

/* ---- links ---- */

/* Sends bytes over a link at a time. Returns when they arrive at its end. */
static uint64_t link_cross(struct link *link, uint64_t arrival, uint64_t bytes)
{
    uint64_t start = arrival > link->next_free ? arrival : link->next_free;
    uint64_t transfer = 0 == link->rate ? 0 : bytes * 8 * second / link->rate;

    link->next_free = start + (transfer > link->gap ? transfer : link->gap);
    return start + transfer + link->latency;
}

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
        port->batch[i]->link->queued -= port->batch[i]->length;
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

        while (packets < SEND_BATCH && network->heap_size > 0 && network->heap[0]->due <= now) {
            struct packet *packet = heap_pop(network);
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
    struct link *link = &port->uplink;
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
    if (link->queued + length > queue_limit) {
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
    packet->link = link;
    packet->to = (uint32_t) (to - network->ports);
    packet->order = network->arrivals++;
    packet->due = link_cross(link, arrival_time(port, header, now), header->tp_len);
    if (!heap_push(network, packet)) {
        count_lost(port, 1, "out of memory");
        free(packet);
        return;
    }
    link->queued += length;
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
        unsigned char *frame = port->ring + (size_t) port->ring_next * FRAME_SIZE;
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
    const uint64_t soonest = now + network->latency / together;
    const uint64_t part = network->latency / unseen;
    const uint64_t latest = now
                            + (part < shortest_sleep  ? shortest_sleep
                               : part > longest_sleep ? longest_sleep
                                                      : part);
    uint64_t wake = network->heap[0]->due > soonest ? network->heap[0]->due : soonest;
    struct timespec when;

    wake = wake < latest ? wake : latest;
    when.tv_sec = (time_t) (wake / second);
    when.tv_nsec = (long) (wake % second);
    errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
    if (0 != errno && EINTR != errno) {
        die("clock_nanosleep");
    }
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
        deliver_due(network);
        if (0 == network->heap_size) {
            return;
        }
        rest(network);
    }
}

/* ---- setting up ---- */

/* Reads one line of the table of nodes: NAME PID IPV4 MAC PORT. Returns false on a bad line. */
static bool parse_node(const char *line, struct port *port)
{
    unsigned mac[ETH_ALEN];
    struct in_addr address;
    char ip[16];

    if (9
            != sscanf(line, "%31s %*d %15s %x:%x:%x:%x:%x:%x %31s", port->node, ip, &mac[0],
                      &mac[1], &mac[2], &mac[3], &mac[4], &mac[5], port->name)
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

/* Opens a port's packet socket with its ring. */
static void open_port(struct port *port, uint32_t blocks)
{
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
    struct tpacket_req request = {.tp_block_size = BLOCK_SIZE, .tp_frame_size = FRAME_SIZE};
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
    port->ring_frames = blocks * (BLOCK_SIZE / FRAME_SIZE);
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

int main(int argc, char **argv)
{
    struct network network = {.latency = 0};
    struct link uplink = {.rate = 0};
    int ready;
    bool realtime;

    if (5 != argc || !parse_number(argv[2], &uplink.latency) || !parse_number(argv[3], &uplink.rate)
        || !parse_number(argv[4], &uplink.gap)) {
        fprintf(stderr, "usage: netlab-switch TABLE LATENCY_NS RATE_BITS_PER_SECOND GAP_NS\n"
                        "(started by netlab; rate 0 is unlimited)\n");
        return 2;
    }
    ready = go_to_background();
    if (SIG_ERR == signal(SIGPIPE, SIG_IGN)) {
        die("signal");
    }
    network.latency = uplink.latency;
    read_table(&network, argv[1], &uplink);
    open_network(&network);
    realtime = become_realtime();
    if (!realtime && NULL != getenv("NETLAB_VERBOSE")) {
        fprintf(stderr, "netlab-switch: no real-time priority or no locked memory: delays vary "
                        "more when the machine is busy\n");
    }
    if (1 != write(ready, "r", 1) || 0 != close(ready)) {
        die("readiness");
    }
    if (event_base_dispatch(network.base) < 0) {
        die("event loop");
    }
    return EXIT_SUCCESS;
}
