/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Who shares a node, as the nodes themselves say. Pure: no MPI in here.
 *
 * A launcher tells each process who is on its own node. What it tells of other nodes may be wrong, and
 * wrong in another way on every node. So the first process of each node publishes a record of its node,
 * and all processes read the same records:
 *
 *     job of 6, cyclic on 3 nodes            records
 *     node   A  B  C  A  B  C                process 0: "0 0,3"    (launcher's number, processes)
 *     number 0  1  2  3  4  5                process 1: "1 1,4"
 *                                            process 2: "2 2,5"
 *
 * The lowest process that is on no list yet is the first of its node: it has published the next list. So one
 * look-up for each node finds them all. Records that contradict each other do so for every reader.
 */

#ifndef NAPCOLL_PEERS_H
#define NAPCOLL_PEERS_H

/** What a node's first process publishes. */
typedef struct napcoll_peers {
    /** the launcher's number of the node, -1: not known */
    int number;
    /** how many processes it has */
    int count;
    /** [count] the processes, ascending */
    int *process;
} napcoll_peers_t;

/**
 * Read the list that a launcher gives of a node's processes, "0,3,6", in any order.
 *
 * @param[in]  list   the list; NULL where the launcher gives none
 * @param[in]  self   the process that it was given to
 * @param[in]  size   processes of the job
 * @param[out] peers  the node's processes with an unknown number, freed by napcoll_peers_free. A process
 *                    that is not on its own list, or on a list that makes no sense, is alone
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_peers_of_list(const char *list, int self, int size, napcoll_peers_t *peers);

/** Free what napcoll_peers_of_list took. */
void napcoll_peers_free(napcoll_peers_t *peers);

/** The record of a node, to be freed by the caller; NULL when memory ran out. Processes at equal distances take
 * the room of one: "5 0-12/4" are 0, 4, 8 and 12 on the launcher's node 5. */
char *napcoll_peers_record(const napcoll_peers_t *peers);

/**
 * Where to read a record.
 *
 * @param[in]  context  the caller's
 * @param[in]  process  who published it
 * @param[out] record   the record, to be freed by the caller; NULL: there is none
 *
 * @return 0, or -1 when memory ran out
 */
typedef int (*napcoll_peers_lookup_t)(void *context, int process, char **record);

/**
 * The nodes of a job from the records of all its nodes, by one look-up for each node.
 *
 * @param[in]  size     processes of the job
 * @param[in]  lookup   where to read the records
 * @param[in]  context  its argument
 * @param[out] node_of  [size] a number that two processes share if and only if they share a node: the
 *                      launcher's, where it gives each node one of its own; else in the order of the nodes' first
 *                      processes
 *
 * @return 0; 1 when a record is missing or contradicts another one; -1 when memory ran out
 */
int napcoll_peers_assemble(int size, napcoll_peers_lookup_t lookup, void *context, int *node_of);

/** What a process tells the others of a communicator where there are no records. */
typedef struct napcoll_peers_said {
    /** the lowest rank that it knows on its node */
    int lowest;
    /** the launcher's number of its node, -1: not known, or no number of one launcher */
    int number;
} napcoll_peers_said_t;

/**
 * Node ids from what all processes said. A process may not see all that share its node, so each rank takes
 * over what its lowest rank said.
 *
 * @param[in]  size  ranks
 * @param[in]  said  [size] what each rank said
 * @param[out] id    [size] a number that ranks share if and only if they are on one node: as node_of of
 *                   napcoll_peers_assemble. A rank that said a number that cannot be is alone
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_peers_connect(int size, const napcoll_peers_said_t *said, int *id);

#endif /* NAPCOLL_PEERS_H */
