/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "netlab-overhead.h"

#include "common/napcoll_robust.h"

enum {
    TRIPS = 16, /* of a batch */
    LEAST_BATCHES = 3,
    MOST_BATCHES = 24,
    PAUSE_US = 3000, /* between batches */
    ALIKE = 16,      /* batches that differ by less than this part of the shortest */
};

/* No batch begins later than this, in ns, after the first. */
static const uint64_t longest_search = UINT64_C(1000000000);

static uint64_t now_ns(void)
{
    struct timespec now;

    if (0 != clock_gettime(CLOCK_MONOTONIC, &now)) {
        _exit(EXIT_FAILURE);
    }
    return (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
}

/* ---- the two processes, which end when something fails: that says enough ---- */

/* Asks again and again for a byte, as the ranks of an MPI library do while they wait: one that
 * slept would find the processor asleep, too, where nothing else runs. */
static void receive_byte(int fd)
{
    char byte;

    for (;;) {
        const ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);

        if (1 == got) {
            return;
        }
        if (0 == got || (EAGAIN != errno && EWOULDBLOCK != errno && EINTR != errno)) {
            _exit(EXIT_FAILURE);
        }
        (void) sched_yield();
    }
}

static void send_byte(int fd)
{
    if (1 != write(fd, "x", 1)) {
        _exit(EXIT_FAILURE);
    }
}

/* Sends at once, and ends without farewells. */
static void set_options(int fd)
{
    const struct linger none = {.l_onoff = 1, .l_linger = 0};
    int on = 1;

    if (0 != setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on))
        || 0 != setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none))) {
        _exit(EXIT_FAILURE);
    }
}

static void __attribute__((noreturn)) run_partner(int listener)
{
    int fd = accept(listener, NULL, NULL);

    if (fd < 0) {
        _exit(EXIT_FAILURE);
    }
    set_options(fd);
    for (;;) {
        receive_byte(fd);
        send_byte(fd);
    }
}

/* The median of a batch of round trips: what else the machine does makes single ones much
 * longer. */
static uint64_t batch_trip(int fd)
{
    double times[TRIPS];

    for (int i = 0; i < TRIPS; ++i) {
        const uint64_t before = now_ns();

        send_byte(fd);
        receive_byte(fd);
        times[i] = (double) (now_ns() - before);
    }
    return (uint64_t) napcoll_robust_median(times, TRIPS);
}

/*
 * The shortest batch, once another was about as short.  What else the machine does can make whole
 * batches longer, for much longer than they take; if it is at that all the time, the shortest of
 * many is the best there is.
 */
static uint64_t measure_trip(int fd)
{
    const uint64_t start = now_ns();
    uint64_t shortest = UINT64_MAX;
    uint64_t second = UINT64_MAX;

    for (int i = 0; i < MOST_BATCHES && now_ns() - start < longest_search; ++i) {
        uint64_t trip;

        if (i >= LEAST_BATCHES && second - shortest <= shortest / ALIKE) {
            break;
        }
        if (0 != i) {
            (void) usleep(PAUSE_US);
        }
        trip = batch_trip(fd);
        if (trip < shortest) {
            second = shortest;
            shortest = trip;
        } else if (trip < second) {
            second = trip;
        }
    }
    return shortest;
}

static void __attribute__((noreturn))
run_prober(int fd, const struct sockaddr_in *address, int go, int out)
{
    uint64_t half;
    char byte;

    if (1 != read(go, &byte, 1)
        || 0 != connect(fd, (const struct sockaddr *) address, sizeof(*address))) {
        _exit(EXIT_FAILURE);
    }
    set_options(fd);
    half = measure_trip(fd) / 2;
    if (sizeof(half) != write(out, &half, sizeof(half))) {
        _exit(EXIT_FAILURE);
    }
    _exit(EXIT_SUCCESS);
}

/* ---- the switch ---- */

/* Gives this process the network of another one. */
static int enter_network_of(pid_t pid)
{
    char path[64];
    int fd;
    int rc;

    snprintf(path, sizeof(path), "/proc/%d/ns/net", (int) pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    rc = setns(fd, CLONE_NEWNET);
    close(fd);
    return rc;
}

/* A socket in the network of a process. The caller's own network is another one afterwards. */
static int socket_in(pid_t pid)
{
    return 0 == enter_network_of(pid) ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
}

/* Opens sockets [0] of the first node and [1], which listens, of the second; sets the latter's
 * port. */
static int open_sockets(int sockets[2], pid_t from, pid_t to, struct sockaddr_in *address)
{
    socklen_t size = sizeof(*address);

    sockets[0] = socket_in(from);
    sockets[1] = socket_in(to);
    return sockets[0] < 0 || sockets[1] < 0
                   || 0 != bind(sockets[1], (const struct sockaddr *) address, sizeof(*address))
                   || 0 != listen(sockets[1], 1)
                   || 0 != getsockname(sockets[1], (struct sockaddr *) address, &size)
               ? -1
               : 0;
}

/*
 * Forks a process that ends with this one.  Where that is allowed, it comes before all that the
 * machine does otherwise: time spent waiting for a processor would be taken off the latency for
 * good.
 */
static pid_t fork_helper(void)
{
    const struct sched_param first = {.sched_priority = 1};
    const pid_t parent = getpid();
    const pid_t pid = fork();

    if (0 == pid) {
        if (0 != prctl(PR_SET_PDEATHSIG, SIGKILL) || parent != getppid()) {
            _exit(EXIT_FAILURE);
        }
        (void) sched_setscheduler(0, SCHED_FIFO, &first);
    }
    return pid;
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
        fds[i] = -1;
    }
}

/* The body of overhead_start, which may leave sockets and processes behind. */
static int start(struct overhead *overhead, int sockets[2], int pipes[4],
                 const struct sockaddr_in *address)
{
    if (0 != pipe2(pipes, O_CLOEXEC) || 0 != pipe2(pipes + 2, O_CLOEXEC)) {
        return -1;
    }
    overhead->partner = fork_helper();
    if (0 == overhead->partner) {
        /* So that only the prober keeps its pipes open */
        close_all(pipes, 4);
        run_partner(sockets[1]);
    }
    overhead->prober = overhead->partner < 0 ? -1 : fork_helper();
    if (0 == overhead->prober) {
        close(pipes[1]);
        close(pipes[2]);
        run_prober(sockets[0], address, pipes[0], pipes[3]);
    }
    return overhead->prober < 0 ? -1 : 0;
}

int overhead_start(struct overhead *overhead, pid_t from, pid_t to, uint32_t to_address)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(to_address)};
    int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int sockets[2] = {-1, -1};
    int pipes[4] = {-1, -1, -1, -1};
    int rc;
    int saved;

    *overhead = (struct overhead){.prober = -1, .partner = -1, .go_fd = -1, .result_fd = -1};
    if (own < 0) {
        return -1;
    }
    rc = open_sockets(sockets, from, to, &address);
    saved = errno;
    if (0 != setns(own, CLONE_NEWNET)) {
        perror("netlab-switch: cannot go back to its own network");
        exit(EXIT_FAILURE);
    }
    close(own);
    if (0 == rc) {
        rc = start(overhead, sockets, pipes, &address);
        saved = errno;
        overhead->go_fd = pipes[1];
        overhead->result_fd = pipes[2];
        pipes[1] = pipes[2] = -1;
    }
    close_all(sockets, 2);
    close_all(pipes, 4);
    if (0 != rc) {
        overhead_end(overhead);
        errno = saved;
    }
    return rc;
}

int overhead_begin(struct overhead *overhead)
{
    return 1 == write(overhead->go_fd, "g", 1) ? 0 : -1;
}

int overhead_result(struct overhead *overhead, uint64_t *half)
{
    struct pollfd there = {.fd = overhead->result_fd, .events = POLLIN};
    ssize_t got;

    if (poll(&there, 1, 0) <= 0) {
        errno = ETIMEDOUT;
        return -1;
    }
    got = read(overhead->result_fd, half, sizeof(*half));
    if (sizeof(*half) != got) {
        errno = got < 0 ? errno : EPIPE;
        return -1;
    }
    return 0;
}

void overhead_end(struct overhead *overhead)
{
    pid_t *helpers[] = {&overhead->prober, &overhead->partner};

    for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); ++i) {
        if (*helpers[i] > 0) {
            /* It may have ended */
            (void) kill(*helpers[i], SIGKILL);
            (void) waitpid(*helpers[i], NULL, 0);
        }
        *helpers[i] = -1;
    }
    close_all(&overhead->go_fd, 1);
    close_all(&overhead->result_fd, 1);
}
