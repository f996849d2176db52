/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a packet takes from node to node besides what the emulated network holds it for.
 *
 * Two processes send a byte to and fro over TCP, as an MPI library would: from one node, through
 * its cable, the switch and the other cable, to the other node.  What half a round trip takes
 * longer than the switch has held the packet is the overhead: system calls, TCP, cables, waking up
 * the switch.
 *
 *     overhead_start()     while the switch has little memory yet, because it forks
 *     overhead_begin()     when the switch forwards packets
 *     overhead_result()    when result_fd is readable, or the time is up
 *     overhead_end()       in any case
 */
#ifndef NETLAB_OVERHEAD_H
#define NETLAB_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct overhead {
    /* -1: there is none */
    pid_t prober;
    /* Answers it; -1: there is none */
    pid_t partner;
    /* A byte in it lets the prober begin; -1: closed */
    int go_fd;
    /* Where its result comes out of; -1: closed */
    int result_fd;
};

/*
 * Starts the two processes, which wait for overhead_begin.
 *
 *   from, to    processes in the two nodes, whose networks are entered
 *   to_address  IPv4 address of the second node, host order
 *
 * The time is the least of the medians of batches of 16 round trips: of three batches at least, and
 * of as many, up to 24, as there are until the two shortest differ by no more than one part in 16,
 * within a second. Returns 0; or -1, with errno, and there is nothing to end.
 */
int overhead_start(struct overhead *overhead, pid_t from, pid_t to, uint32_t to_address);

/* Lets the prober begin. Returns 0, or -1 with errno. */
int overhead_begin(struct overhead *overhead);

/*
 * Takes the result: sets *half to the time of half a round trip in ns.  Does not wait.  Returns 0;
 * or -1 with errno, ETIMEDOUT if there is no result yet, EPIPE if the prober has ended without one.
 */
int overhead_result(struct overhead *overhead, uint64_t *half);

/* Ends both processes, and closes what is open. */
void overhead_end(struct overhead *overhead);

#endif
