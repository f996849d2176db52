/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * netlab-probe: measures the network between two nodes of an emulated cluster.
 *
 *     node1$ netlab-probe listen                  answers probes, until killed
 *     node0$ netlab-probe rtt node1 200           round trips of one byte over TCP:
 *                                                 prints the least, the median and the lower
 *                                                 quartile, in us
 *     node0$ netlab-probe rate node1 4000000      a stream of bytes over TCP:
 *                                                 prints Mbit/s as seen by the receiver
 *     node0$ netlab-probe packets node1 300       a burst of small datagrams:
 *                                                 prints packets/s as seen by the receiver
 *     node0$ netlab-probe burst node1 300         a burst of datagrams of 1000 bytes, some of which
 *                                                 may be lost: prints how many have arrived
 *
 * A probe opens a TCP connection and sends a request {kind, amount}.  For datagrams the listener
 * answers with one byte when it is ready to receive them.  Several probes of any kind but "packets"
 * are answered at the same time; probes of kind "burst" share what arrives, so the sum of their
 * numbers counts. The reply of "rate" and "packets" is {units counted, ns they took}, where the
 * first part of a stream, in which TCP speeds up, and the first datagram only start the clock; the
 * reply of "burst" is {datagrams, 0}.  A stream that arrives changed is not answered.
 *
 * Exit status: 0, or 1 with a message if something failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/napcoll_robust.h"

#define PORT_TEXT "7777"
enum {
    PORT = 7777,
    CHUNK = 65536,
    CONNECT_TRIES = 100,
    SMALL_DATAGRAM = 64,
    BURST_DATAGRAM = 1000,
    DATAGRAM_BUFFER = 4 << 20,
    SILENCE_S = 1,
    PERIOD = 251 /* of the bytes of a stream */
};

enum kind { KIND_RTT = 1, KIND_RATE, KIND_PACKETS, KIND_BURST };

struct request {
    uint64_t kind;
    /* Round trips, bytes, or datagrams */
    uint64_t amount;
};

struct reply {
    /* Bytes or datagrams in the measured part */
    uint64_t units;
    uint64_t ns;
};

static unsigned char buffer[CHUNK];
/* What a stream consists of, from its first byte */
static unsigned char pattern[CHUNK + PERIOD];

static void __attribute__((noreturn)) die(const char *what)
{
    fprintf(stderr, "netlab-probe: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    if (0 != clock_gettime(CLOCK_MONOTONIC, &now)) {
        die("clock_gettime");
    }
    return (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
}

/* Reads exactly length bytes. Returns 0, or -1 at the end of the stream or on an error. */
static int read_all(int fd, void *data, size_t length)
{
    unsigned char *to = data;

    while (length > 0) {
        ssize_t got = read(fd, to, length);

        if (got <= 0) {
            if (got < 0 && EINTR == errno) {
                continue;
            }
            return -1;
        }
        to += got;
        length -= (size_t) got;
    }
    return 0;
}

static int write_all(int fd, const void *data, size_t length)
{
    const unsigned char *from = data;

    while (length > 0) {
        ssize_t put = write(fd, from, length);

        if (put < 0) {
            if (EINTR == errno) {
                continue;
            }
            return -1;
        }
        from += put;
        length -= (size_t) put;
    }
    return 0;
}

static void make_pattern(void)
{
    for (size_t i = 0; i < sizeof(pattern); ++i) {
        pattern[i] = (unsigned char) (i % PERIOD);
    }
}

static void no_delay(int fd)
{
    int on = 1;

    if (0 != setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on))) {
        die("TCP_NODELAY");
    }
}

/* Reads a byte, for which it asks again and again, as the ranks of an MPI library do. Returns 0, or
 * -1 at the end of the stream or on an error. */
static int await_byte(int fd)
{
    char byte;

    for (;;) {
        const ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);

        if (1 == got) {
            return 0;
        }
        if (0 == got || (EAGAIN != errno && EWOULDBLOCK != errno && EINTR != errno)) {
            return -1;
        }
        (void) sched_yield();
    }
}

/* ---- the listener's side ---- */

static int answer_rtt(int fd, uint64_t count)
{
    for (; count > 0; --count) {
        if (0 != await_byte(fd) || 0 != write_all(fd, "x", 1)) {
            return -1;
        }
    }
    return 0;
}

static int answer_rate(int fd, uint64_t bytes)
{
    struct reply reply = {0, 0};
    uint64_t start = 0;
    uint64_t seen = 0;

    while (seen < bytes) {
        ssize_t got = read(fd, buffer, sizeof(buffer));

        if (got <= 0 || 0 != memcmp(buffer, pattern + seen % PERIOD, (size_t) got)) {
            return -1;
        }
        seen += (uint64_t) got;
        if (0 == start) {
            if (seen >= bytes / 4) {
                start = now_ns();
            }
        } else {
            reply.units += (uint64_t) got;
        }
    }
    reply.ns = now_ns() - start;
    return write_all(fd, &reply, sizeof(reply));
}

static int answer_packets(int fd, int datagrams, uint64_t count)
{
    struct reply reply = {0, 0};
    uint64_t start = 0;
    uint64_t last = 0;

    if (0 != write_all(fd, "r", 1)) {
        return -1;
    }
    for (uint64_t seen = 0; seen < count; ++seen) {
        if (recv(datagrams, buffer, sizeof(buffer), 0) < 0) {
            /* Nothing more for SILENCE_S seconds */
            break;
        }
        last = now_ns();
        if (0 == seen) {
            start = last;
        } else {
            reply.units++;
        }
    }
    reply.ns = last - start;
    return write_all(fd, &reply, sizeof(reply));
}

static int answer_burst(int fd, int datagrams)
{
    struct reply reply = {0, 0};

    if (0 != write_all(fd, "r", 1)) {
        return -1;
    }
    while (recv(datagrams, buffer, sizeof(buffer), 0) >= 0) {
        reply.units++;
    }
    return write_all(fd, &reply, sizeof(reply));
}

static int open_datagrams(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    struct timeval silence = {.tv_sec = SILENCE_S};
    /* Or as much as the system allows */
    int size = DATAGRAM_BUFFER;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || 0 != setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence))
        || 0 != setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size))
        || 0 != bind(fd, (struct sockaddr *) &address, sizeof(address))) {
        die("datagram socket");
    }
    return fd;
}

/* Answers one probe. Returns 0, or -1 if it was cut short. */
static int answer(int fd, int datagrams)
{
    struct request request;

    no_delay(fd);
    if (0 != read_all(fd, &request, sizeof(request))) {
        return -1;
    }
    switch (request.kind) {
    case KIND_RTT:
        return answer_rtt(fd, request.amount);
    case KIND_RATE:
        return answer_rate(fd, request.amount);
    case KIND_PACKETS:
        return answer_packets(fd, datagrams, request.amount);
    case KIND_BURST:
        return answer_burst(fd, datagrams);
    default:
        return -1;
    }
}

static void __attribute__((noreturn)) listen_for_probes(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    int datagrams = open_datagrams();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || 0 != bind(fd, (struct sockaddr *) &address, sizeof(address)) || 0 != listen(fd, 8)
        || SIG_ERR == signal(SIGCHLD, SIG_IGN)) {
        die("listen");
    }
    for (;;) {
        int connection = accept(fd, NULL, NULL);
        pid_t pid;

        if (connection < 0) {
            die("accept");
        }
        pid = fork();
        if (pid < 0) {
            die("fork");
        }
        if (0 == pid) {
            if (0 != answer(connection, datagrams)) {
                fprintf(stderr, "netlab-probe: a probe was cut short\n");
            }
            _exit(EXIT_SUCCESS);
        }
        close(connection);
    }
}

/* ---- the prober's side ---- */

/* Opens a socket to a node; for a stream, waits until its listener is there. */
static int connect_to(const char *node, int type)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = type};
    struct addrinfo *found;
    int rc = getaddrinfo(node, PORT_TEXT, &hints, &found);
    int fd = -1;

    if (0 != rc) {
        fprintf(stderr, "netlab-probe: %s: %s\n", node, gai_strerror(rc));
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < CONNECT_TRIES; ++i) {
        fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            die("socket");
        }
        if (0 == connect(fd, found->ai_addr, found->ai_addrlen)) {
            freeaddrinfo(found);
            return fd;
        }
        close(fd);
        usleep(50000);
    }
    die(node);
}

static void measure_rtt(int fd, uint64_t count)
{
    double *times = calloc(count, sizeof(*times));

    if (NULL == times) {
        die("round trips");
    }
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t start = now_ns();

        if (0 != write_all(fd, "x", 1) || 0 != await_byte(fd)) {
            die("round trip");
        }
        times[i] = (double) (now_ns() - start) / 1000;
    }
    napcoll_robust_sort(times, count);
    printf("%.0f %.0f %.0f\n", times[0], napcoll_robust_quantile(times, count, 0.5),
           napcoll_robust_quantile(times, count, 0.25));
    free(times);
}

static struct reply read_reply(int fd)
{
    struct reply reply;

    if (0 != read_all(fd, &reply, sizeof(reply))) {
        die("reply");
    }
    if (0 == reply.ns) {
        reply.ns = 1;
    }
    return reply;
}

static void measure_rate(int fd, uint64_t bytes)
{
    struct reply reply;

    for (uint64_t sent = 0; sent < bytes;) {
        size_t part = bytes - sent < CHUNK ? (size_t) (bytes - sent) : CHUNK;

        if (0 != write_all(fd, pattern + sent % PERIOD, part)) {
            die("stream");
        }
        sent += part;
    }
    reply = read_reply(fd);
    printf("%.1f\n", (double) reply.units * 8e3 / (double) reply.ns);
}

/* Sends datagrams once the listener is ready. Returns its reply. */
static struct reply send_datagrams(int fd, const char *node, uint64_t count, size_t bytes)
{
    int datagrams = connect_to(node, SOCK_DGRAM);
    struct reply reply;
    char byte;

    if (0 != read_all(fd, &byte, 1)) {
        die("readiness");
    }
    for (uint64_t i = 0; i < count; ++i) {
        if ((ssize_t) bytes != send(datagrams, buffer, bytes, 0)) {
            die("datagram");
        }
    }
    reply = read_reply(fd);
    close(datagrams);
    return reply;
}

static void measure_packets(int fd, const char *node, uint64_t count)
{
    const struct reply reply = send_datagrams(fd, node, count, SMALL_DATAGRAM);

    if (reply.units + 1 != count) {
        fprintf(stderr, "netlab-probe: %" PRIu64 " of %" PRIu64 " datagrams arrived\n",
                reply.units + 1, count);
        exit(EXIT_FAILURE);
    }
    printf("%.0f\n", (double) reply.units * 1e9 / (double) reply.ns);
}

/* 0 for a name that is none. */
static uint64_t kind_named(const char *name)
{
    static const struct {
        const char *name;
        uint64_t kind;
    } kinds[] = {
        {"rtt", KIND_RTT}, {"rate", KIND_RATE}, {"packets", KIND_PACKETS}, {"burst", KIND_BURST}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        if (0 == strcmp(name, kinds[i].name)) {
            return kinds[i].kind;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct request request = {0, 0};
    char *end = NULL;
    int fd;

    make_pattern();
    if (2 == argc && 0 == strcmp(argv[1], "listen")) {
        listen_for_probes();
    }
    if (4 == argc) {
        request.kind = kind_named(argv[1]);
        request.amount = strtoull(argv[3], &end, 10);
    }
    if (0 == request.kind || 0 == request.amount || '\0' != *end) {
        fprintf(stderr, "usage: netlab-probe listen\n"
                        "       netlab-probe rtt|rate|packets|burst NODE COUNT\n");
        return 2;
    }
    fd = connect_to(argv[2], SOCK_STREAM);
    no_delay(fd);
    if (0 != write_all(fd, &request, sizeof(request))) {
        die("request");
    }
    switch (request.kind) {
    case KIND_RTT:
        measure_rtt(fd, request.amount);
        break;
    case KIND_RATE:
        measure_rate(fd, request.amount);
        break;
    case KIND_BURST:
        printf("%" PRIu64 "\n", send_datagrams(fd, argv[2], request.amount, BURST_DATAGRAM).units);
        break;
    default:
        measure_packets(fd, argv[2], request.amount);
        break;
    }
    close(fd);
    return 0 == fflush(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
