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
 * where the overhead is what a packet takes besides, in the system calls, TCP and cables of the
 * nodes and until this process wakes up.  It is measured at the start (see netlab-overhead.h), or
 * given.
 *
 * With a tree of switches (see netlab-routes.h) a packet goes on like that over further links,
 * which have no gap, cutting through: on each it starts as early as the link before allows,
 *
 *     arrival at a link = start on the link before + max(0, bytes / its rate - bytes / this one's)
 *
 * so its last byte never comes before it has left the link before.  These links may have bounded
 * queues, and a packet that finds no room in one is dropped.  The links are shared, so packets
 * enter each in the order of their arrivals there: all that are between two links stand in a heap,
 * and move when their time has come.  That is looked after only as often as the rings are, which is
 * often enough, because the latency comes after the last link.
 *
 * Delays are exact on average even if this process is late: arrival is the time stamp that the
 * kernel put on the packet, and lateness of one packet does not move the next one.
 *
 * While the network is empty, a libevent loop watches the sockets.  While packets are on their way
 *
 *     look into all rings -> deliver what is due -> sleep until the next one is, or a while
 *
 * and "a while" is shorter than packets are held, so that no packet is found too late; packets that
 * are due within a small part of that time leave together.  So the switch wakes seldom, and leaves
 * the processors to the ranks.
 *
 * Packets are received through a ring shared with the kernel, which absorbs bursts that an ordinary
 * user's socket buffer could not, and are sent in batches.  Headers for checksum offloading
 * (virtio_net_hdr) travel along, so that nobody computes checksums.
 *
 * The process goes into the background; the first process prints its number and ends with status 0
 * once it is ready.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/napcoll_names.h"
#include "common/napcoll_output.h"
#include "common/napcoll_version.h"
#include "netlab-network.h"
#include "netlab-overhead.h"

enum { REALTIME_PRIORITY = 20, LONGEST_MEASUREMENT_US = 4000000 };

/* Packets are held no longer than this, in ns, while the overhead is measured. */
static const uint64_t longest_held = UINT64_C(250000);

void die(const char *what)
{
    fprintf(stderr, "netlab-switch: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
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
/* ---- the process ---- */

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
 * Measures the overhead of a network that is open, and of one that holds packets for about as long
 * as it is going to: a switch that sleeps is later than one that need not.  Returns ns; 0, and says
 * why, if it cannot be found.
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
    /* The overhead is to be measured */
    bool automatic;
    /* Node to switch */
    struct link uplink;
    /* Switch to switch */
    struct link trunk;
    /* NULL: there is no tree of switches */
    const char *topology;
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

/* Print what netlab says about an unknown name. */
static int print_expected(const char *wrong, char **valid)
{
    const napcoll_names_t names = {.at = napcoll_name_in_array, .context = valid};
    char text[1024];

    napcoll_name_expected(text, sizeof(text), &names, wrong, strlen(wrong));
    return puts(text) < 0 || 0 != fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* What netlab asks for without starting a switch. Returns whether that is all; sets the status. */
static bool answers(int argc, char **argv, int *rc)
{
    if (2 == argc && 0 == strcmp(argv[1], "--version")) {
        printf("netlab %s\n", napcoll_version());
        *rc = napcoll_output_finish("netlab") ? EXIT_SUCCESS : EXIT_FAILURE;
        return true;
    }
    if (argc > 3 && 0 == strcmp(argv[1], "--expected")) {
        *rc = print_expected(argv[2], argv + 3);
        return true;
    }
    if (argc > 3 && 0 == strcmp(argv[1], "--check")) {
        *rc = check_topology(argv[2], (const char *const *) argv + 3, (uint32_t) argc - 3);
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct network network = {.end_fd = -1};
    struct overhead prober;
    struct settings settings;
    bool realtime;
    int ready, rc;

    if (answers(argc, argv, &rc)) {
        return rc;
    }
    if (!parse_settings(&settings, argc, argv)) {
        fprintf(
            stderr,
            "usage: netlab-switch TABLE LATENCY_NS OVERHEAD_NS|auto RATE_BITS_PER_SECOND GAP_NS "
            "[TRUNK_BITS_PER_SECOND QUEUE_BYTES TOPOLOGY]\n"
            "       netlab-switch --check TOPOLOGY NODE...\n"
            "       netlab-switch --expected WRONG NAME...\n"
            "       netlab-switch --version\n"
            "(started by netlab; rate 0 and queue 0 are unlimited)\n");
        return 2;
    }
    ready = go_to_background();
    if (SIG_ERR == signal(SIGPIPE, SIG_IGN)) {
        die("signal");
    }
    network_read_nodes(&network, settings.table, &settings.uplink);
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
    network_open(&network);
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
