/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * From a communicator to its node map, and to the subcommunicator of a node's processes.
 */

#ifndef NAPCOLL_DISCOVER_H
#define NAPCOLL_DISCOVER_H

#include "ompi_config.h"

#include "compat/napcoll_compat.h"
#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** The locality of a process of this node. */
typedef struct napcoll_neighbour {
    uint32_t vpid;
    /** NULL if it is not bound */
    char *locality;
} napcoll_neighbour_t;

/** What a process knows of its job's nodes; one per process. It is filled when it is first needed,
 * so that no communicator's map repeats a look-up. */
typedef struct napcoll_job {
    opal_mutex_t lock;
    /** node_of was looked up */
    bool looked_up;
    /** [size] node of a process of this job; NULL where unknown */
    int *node_of;
    /** processes of this job */
    uint32_t size;
    /** all processes have published, of few enough nodes */
    bool published;
    /** the nodes are made up, see napcoll_job_fake */
    bool fake;
    /** of the network, or NULL */
    napcoll_switch_tree_t *tree;
    /** for messages; borrowed */
    const char *tree_file;
    /** the own node is not in the tree, and that was reported */
    bool reported;
    /** [neighbours] localities looked up so far */
    napcoll_neighbour_t *neighbour;
    int neighbours;
    int neighbour_room;
} napcoll_job_t;

void napcoll_job_construct(napcoll_job_t *job, uint32_t size);
void napcoll_job_destruct(napcoll_job_t *job);

/** The largest job whose nodes publish records. In larger ones an allgather is faster than the
 * questions that each process asks its node's server, one for each node. */
enum { NAPCOLL_JOB_RECORDS = 1024 };

/** Likewise the most nodes where MPI_Init has not collected the records, and each question goes to
 * another node: Open MPI 6.0, by its parameter pmix_base_async_modex. */
enum { NAPCOLL_JOB_QUESTIONS = 64 };

/** Publish which processes share this node, on the first of them, for napcoll_discover_node_map;
 * before the job's processes exchange their addresses. */
int napcoll_job_publish(const napcoll_job_t *job);

/**
 * The node of this process in its job, without communication.
 *
 * @param[in]  job    what this process knows
 * @param[out] first  whether it is the first process of its node
 * @param[out] ppn    processes of the job on the node
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE
 */
int napcoll_job_own_node(const napcoll_job_t *job, bool *first, int *ppn);

/** The source of a communicator's node map, for messages; static. After
 * napcoll_discover_node_map. */
const char *napcoll_job_source(const napcoll_job_t *job, ompi_communicator_t *comm);

/**
 * Make up nodes, for tests, by rank in MPI_COMM_WORLD (napcoll_placement_parse).
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
 * Build a communicator's node map. Collective: if the communicator joins several jobs, or the job's
 * nodes published no records (topo/napcoll_peers.h) or contradictory ones, it takes one allgather
 * of two ints per process, and another one of one int where the job has a switch tree. On
 * communicators of one job nodes are in the order of the tree, or else of the launcher's numbers.
 * Made-up nodes are called n0, n1, ... in the tree.
 *
 * @param[in]  job        what this process knows
 * @param[in]  comm       intracommunicator
 * @param[in]  allgather  the fallback function; NULL: the call must not wait
 * @param[in]  module     its module
 * @param[out] map        the map, owned by the caller
 *
 * @return OMPI_SUCCESS, or an error; on all ranks OMPI_ERR_WOULD_BLOCK, where an allgather is
 *         missing
 */
int napcoll_discover_node_map(napcoll_job_t *job, ompi_communicator_t *comm,
                              mca_coll_base_module_allgather_fn_t allgather,
                              mca_coll_base_module_t *module, napcoll_node_map_t **map);

/** Make the subcommunicator of a scope's members, in their order and without napcoll; NULL where
 * this process is not a member. Collective. */
int napcoll_subcomm_make(ompi_communicator_t *comm, const napcoll_node_map_t *map,
                         napcoll_scope_t scope, ompi_communicator_t **subcomm);

/** Free a subcommunicator of napcoll_subcomm_make, also when MPI_Finalize releases all
 * communicators, perhaps this one before its parent. NULL is allowed. */
void napcoll_subcomm_free(ompi_communicator_t **subcomm);

#endif /* NAPCOLL_DISCOVER_H */
