/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Finding out who shares a node: the way from a communicator to its node map, and to the
 * subcommunicator of a node's processes.
 */

#ifndef NAPCOLL_DISCOVER_H
#define NAPCOLL_DISCOVER_H

#include "ompi_config.h"

#include "compat/napcoll_compat.h"
#include "topo/napcoll_node_map.h"

/** How a process's locality on its own node was found. */
typedef struct napcoll_neighbour {
    uint32_t vpid;
    char *locality; /**< NULL where it is not bound */
} napcoll_neighbour_t;

/**
 * What a process knows of its job's nodes; one per process, filled at first need, so that a
 * communicator's map costs no look-up that an earlier one has made.
 */
typedef struct napcoll_job {
    opal_mutex_t lock;
    bool asked;                     /**< node_of was sought */
    int *node_of;                   /**< [size] node of a process of this job; NULL where unknown */
    uint32_t size;                  /**< processes of this job */
    bool fake;                      /**< the nodes are made up, see napcoll_job_fake */
    napcoll_switch_tree_t *tree;    /**< of the network; NULL where it is not known */
    const char *tree_file;          /**< for messages; borrowed */
    bool strange;                   /**< the own node is not in the tree, and that was said */
    napcoll_neighbour_t *neighbour; /**< [neighbours] localities asked for so far */
    int neighbours;
    int neighbour_room;
} napcoll_job_t;

void napcoll_job_construct(napcoll_job_t *job, uint32_t size);
void napcoll_job_destruct(napcoll_job_t *job);

/** The largest job whose nodes publish records: each process asks its node's server once for each node, and
 * many thousand such questions take longer than an allgather. */
enum { NAPCOLL_JOB_RECORDS = 1024 };

/** Whether the job's nodes publish records; the same on all processes, whose settings are compared. */
bool napcoll_job_has_records(const napcoll_job_t *job);

/**
 * Publish which processes share this node, on the first of them, for napcoll_discover_node_map; before the
 * job's processes exchange their addresses.
 */
int napcoll_job_publish(const napcoll_job_t *job);

/** Where the nodes of a communicator come from, for messages; static. After napcoll_discover_node_map. */
const char *napcoll_job_source(const napcoll_job_t *job, ompi_communicator_t *comm);

/**
 * Make the nodes up, for tests: as napcoll_placement_parse reads them, by rank in MPI_COMM_WORLD.
 *
 * @return OMPI_SUCCESS; OMPI_ERR_OUT_OF_RESOURCE; OMPI_ERR_BAD_PARAM with *culprit the argument
 *         that is wrong and *where the offset in it
 */
int napcoll_job_fake(napcoll_job_t *job, const char *ppn, const char *order, const char **culprit,
                     size_t *where);

/** Whether a communicator spans several nodes; needs no communication. */
bool napcoll_spans_nodes(napcoll_job_t *job, ompi_communicator_t *comm);

/** Whether a communicator has processes of several jobs; the same on all of them. */
bool napcoll_joins_jobs(ompi_communicator_t *comm);

/**
 * Build a communicator's node map. Collective: where the communicator joins several jobs, or the job's nodes
 * published no records (topo/napcoll_peers.h) or contradictory ones, it takes one allgather of two ints per
 * process, and another one where the job has a switch tree. On communicators of one job nodes stand in the order of the
 * tree, or else of the launcher's numbers; made-up ones are called n0, n1, ... in the tree.
 *
 * @param[in]  job        what this process knows
 * @param[in]  comm       intracommunicator
 * @param[in]  allgather  the function to use, napcoll's predecessor
 * @param[in]  module     its module
 * @param[out] map        the map, owned by the caller
 */
int napcoll_discover_node_map(napcoll_job_t *job, ompi_communicator_t *comm,
                              mca_coll_base_module_allgather_fn_t allgather,
                              mca_coll_base_module_t *module, napcoll_node_map_t **map);

/**
 * Make the subcommunicator of this node's processes, in rank order and without napcoll on it.
 * Collective over comm.
 */
int napcoll_subcomm_node(ompi_communicator_t *comm, const napcoll_node_map_t *map,
                         ompi_communicator_t **node_comm);

/**
 * Free a subcommunicator of napcoll_subcomm_node, also while MPI_Finalize sweeps up the
 * communicators that are left, this one perhaps before its parent.
 */
void napcoll_subcomm_free(ompi_communicator_t **node_comm);

#endif /* NAPCOLL_DISCOVER_H */
