/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Which processes share a node, by records that the nodes publish. Pure: no MPI in here.
 *
 * A launcher tells each process which processes are on its own node. What it tells of other nodes
 * may be wrong, and differ from node to node. So the first process of each node publishes a record
 * of its node, and all processes read the same records:
 *
 *     job of 6, cyclic on 3 nodes            records
 *     node   A  B  C  A  B  C                process 0: "0 0,3"    (launcher's number, processes)
 *     number 0  1  2  3  4  5                process 1: "1 1,4"
 *                                            process 2: "2 2,5"
 *
 * The lowest process that is in no record yet is the first of its node and has published the next
 * record. So one look-up for each node finds them all. Every reader sees the same contradictions.
 */

#ifndef NAPCOLL_PEERS_H
#define NAPCOLL_PEERS_H

#include <stdbool.h>

/** What a node's first process publishes. */
typedef struct napcoll_peers {
    /** the launcher's number of the node, or -1 */
    int number;
    /** processes of the node */
    int count;
    /** [count] the processes, ascending */
    int *process;
} napcoll_peers_t;

/**
 * Read a launcher's list of the processes of a node, "0,3,6", in any order.
 *
 * @param[in]  list   the list, or NULL
 * @param[in]  self   the process that got it
 * @param[in]  size   processes of the job
 * @param[out] peers  the node's processes without a number, freed by napcoll_peers_free. A process
 *                    that is not on its own list, or whose list is wrong, is alone
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_peers_of_list(const char *list, int self, int size, napcoll_peers_t *peers);

/** Free the result of napcoll_peers_of_list. */
void napcoll_peers_free(napcoll_peers_t *peers);

/** The record of a node, freed by the caller; NULL when memory ran out. Processes at equal
 * distances are one item: "5 0-12/4" are 0, 4, 8 and 12 on the launcher's node 5. */
char *napcoll_peers_record(const napcoll_peers_t *peers);

/**
 * Looks up a record.
 *
 * @param[in]  context  the caller's
 * @param[in]  process  the publisher
 * @param[out] record   the record, freed by the caller; NULL: there is none
 *
 * @return 0, or -1 when memory ran out
 */
typedef int (*napcoll_peers_lookup_t)(void *context, int process, char **record);

/**
 * The nodes of a job from the records of all its nodes, by one look-up for each node.
 *
 * @param[in]  size     processes of the job
 * @param[in]  lookup   looks up the records
 * @param[in]  context  its argument
 * @param[out] node_of  [size] a number that two processes share if and only if they share a node:
 *                      the launcher's numbers if these are all different, else 0, 1, ... in the
 *                      order of the nodes' first processes
 *
 * @return 0; 1 when a record is missing or contradicts another one; -1 when memory ran out
 */
int napcoll_peers_assemble(int size, napcoll_peers_lookup_t lookup, void *context, int *node_of);

/** What a process tells the others of a communicator without records. */
typedef struct napcoll_peer {
    /** the lowest rank that it knows on its node */
    int lowest;
    /** the launcher's number of its node; -1: not known, or the ranks have several launchers */
    int number;
} napcoll_peer_t;

/**
 * Node ids from what all processes tell. A process may not see all that share its node, so each
 * rank uses what its lowest rank tells.
 *
 * @param[in]  size  ranks
 * @param[in]  peer  [size] what each rank tells
 * @param[out] id    [size] a number that ranks share if and only if they are on one node, as
 *                   node_of of napcoll_peers_assemble. A rank that tells an impossible number is
 *                   alone
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_peers_connect(int size, const napcoll_peer_t *peer, int *id);

/** Whether numbers are all different, and none is below 0; sorts a copy in scratch [count]. */
bool napcoll_peers_are_distinct(const int *number, int count, int *scratch);

#endif /* NAPCOLL_PEERS_H */
