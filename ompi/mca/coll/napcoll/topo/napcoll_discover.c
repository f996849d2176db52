/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * From a communicator to its node map (see the header).
 *
 *     nodes are made up ................. no communication
 *     one job of moderate size .......... the records that its nodes published, no message
 *     otherwise, or bad records ......... allgather of each process's lowest neighbour
 *     and with a switch tree ............ allgather of the place of each process's node in it
 *
 * All ranks of a communicator decide alike: they know the same jobs and read the same records.
 * Launchers are trusted about the own node only: Slurm 24.11 gives every process, as the
 * PMIX_NODEID of all others, the number of its own node.
 */

#include "topo/napcoll_discover.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/group/group.h"
#include "ompi/proc/proc.h"
#include "topo/napcoll_peers.h"

/* The key of the record that a node's first process publishes. */
static const char record_key[] = "napcoll.node";

void napcoll_job_construct(napcoll_job_t *job, uint32_t size)
{
    *job = (napcoll_job_t){.size = size};
    OBJ_CONSTRUCT(&job->lock, opal_mutex_t);
}

void napcoll_job_destruct(napcoll_job_t *job)
{
    for (int i = 0; i < job->neighbours; i++) {
        free(job->neighbour[i].locality);
    }
    free(job->neighbour);
    free(job->node_of);
    napcoll_switch_tree_free(job->tree);
    job->tree = NULL;
    job->neighbour = NULL;
    job->node_of = NULL;
    OBJ_DESTRUCT(&job->lock);
}

static opal_jobid_t my_job(void)
{
    return ompi_proc_local()->super.proc_name.jobid;
}

int napcoll_job_fake(napcoll_job_t *job, const char *ppn, const char *order, const char **culprit,
                     size_t *where)
{
    int *node_of = malloc(job->size * sizeof(*node_of));
    int rc;

    if (NULL == node_of) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = napcoll_placement_parse(ppn, order, (int) job->size, node_of, where);
    if (0 != rc) {
        free(node_of);
        *culprit = 1 == rc ? ppn : order;
        return rc < 0 ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_ERR_BAD_PARAM;
    }
    job->node_of = node_of;
    job->looked_up = true;
    job->fake = true;
    return OMPI_SUCCESS;
}

/* The launcher's number of this node, or -1. */
static int own_number(void)
{
    uint32_t number;

    return OMPI_SUCCESS == napcoll_compat_node_id(&number) && number < INT_MAX ? (int) number : -1;
}

bool napcoll_job_has_records(const napcoll_job_t *job)
{
    return job->size >= 2 && job->size <= NAPCOLL_JOB_RECORDS && napcoll_compat_collects();
}

/* The processes of this node, as the launcher tells; freed by napcoll_peers_free. */
static int own_peers(const napcoll_job_t *job, napcoll_peers_t *peers)
{
    char *list = napcoll_compat_local_peers();
    const int rc = napcoll_peers_of_list(list, (int) OPAL_PROC_MY_NAME.vpid, (int) job->size,
                                         peers);

    free(list);
    return 0 == rc ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

int napcoll_job_own_node(const napcoll_job_t *job, bool *first, int *ppn)
{
    const int self = (int) OPAL_PROC_MY_NAME.vpid;
    napcoll_peers_t peers;

    *first = true;
    *ppn = 0;
    if (job->fake) {
        for (int v = 0; v < (int) job->size; v++) {
            if (job->node_of[v] == job->node_of[self]) {
                *first = *first && v >= self;
                ++*ppn;
            }
        }
        return OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS != own_peers(job, &peers)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *first = self == peers.process[0];
    *ppn = peers.count;
    napcoll_peers_free(&peers);
    return OMPI_SUCCESS;
}

int napcoll_job_publish(const napcoll_job_t *job)
{
    napcoll_peers_t peers;
    char *record;
    int rc = OMPI_SUCCESS;

    if (!napcoll_job_has_records(job)) {
        return OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS != own_peers(job, &peers)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if ((int) OPAL_PROC_MY_NAME.vpid == peers.process[0]) {
        peers.number = own_number();
        record = napcoll_peers_record(&peers);
        rc = NULL == record ? OMPI_ERR_OUT_OF_RESOURCE : napcoll_compat_publish(record_key, record);
        free(record);
    }
    napcoll_peers_free(&peers);
    return rc;
}

/* A record that nobody published is missing for all processes. Other errors concern this process
 * only. */
static int look_up(void *error, int process, char **record)
{
    const opal_process_name_t name = {.jobid = my_job(), .vpid = (uint32_t) process};
    const int rc = napcoll_compat_lookup(&name, record_key, record);

    if (OMPI_SUCCESS == rc || OMPI_ERR_NOT_FOUND == rc) {
        return 0;
    }
    *(int *) error = rc;
    return -1;
}

/* Read the records of all nodes, once. node_of stays NULL if records are missing or contradict one
 * another. */
static int know_job_nodes(napcoll_job_t *job)
{
    int rc = 0, error = OMPI_ERR_OUT_OF_RESOURCE;

    opal_mutex_lock(&job->lock);
    if (!job->looked_up && napcoll_job_has_records(job)) {
        int *node_of = malloc(job->size * sizeof(*node_of));

        rc = NULL == node_of ? -1
                             : napcoll_peers_assemble((int) job->size, look_up, &error, node_of);
        if (0 != rc) {
            free(node_of);
            node_of = NULL;
        }
        job->node_of = node_of;
        job->looked_up = rc >= 0;
    }
    opal_mutex_unlock(&job->lock);
    return rc < 0 ? error : OMPI_SUCCESS;
}

bool napcoll_joins_jobs(ompi_communicator_t *comm)
{
    for (int r = 0; r < ompi_comm_size(comm); r++) {
        if (ompi_group_get_proc_name(comm->c_local_group, r).jobid != my_job()) {
            return true;
        }
    }
    return false;
}

/* Whether all processes are of this job; id: their numbers in it. */
static bool is_one_job(const napcoll_job_t *job, ompi_communicator_t *comm, int *id)
{
    for (int r = 0; r < ompi_comm_size(comm); r++) {
        opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, r);

        if (name.jobid != my_job() || name.vpid >= job->size) {
            return false;
        }
        id[r] = (int) name.vpid;
    }
    return true;
}

/* Replace the numbers of processes by node ids, if the job's nodes are known. */
static int ids_from_job(napcoll_job_t *job, ompi_communicator_t *comm, int *id, bool *known)
{
    const int rc = know_job_nodes(job);

    *known = OMPI_SUCCESS == rc && NULL != job->node_of;
    for (int r = 0; r < ompi_comm_size(comm) && *known; r++) {
        id[r] = job->node_of[id[r]];
    }
    return rc;
}

/* The lowest rank on this process's node, as far as it knows. */
static int lowest_peer(ompi_communicator_t *comm)
{
    const int rank = ompi_comm_rank(comm);

    for (int r = 0; r < rank; r++) {
        ompi_proc_t *proc = ompi_group_peer_lookup_existing(comm->c_local_group, r);

        if (NULL != proc && OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags)) {
            return r;
        }
    }
    return rank;
}

/* Node ids by one allgather of the lowest rank that shares each process's node. */
static int ids_from_peers(ompi_communicator_t *comm, bool one_job,
                          mca_coll_base_module_allgather_fn_t allgather,
                          mca_coll_base_module_t *module, int *id)
{
    const napcoll_peer_t own = {.lowest = lowest_peer(comm), .number = one_job ? own_number() : -1};
    const int size = ompi_comm_size(comm);
    napcoll_peer_t *peers = malloc((size_t) size * sizeof(*peers));
    int rc;

    if (NULL == peers) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = allgather(&own, 2, MPI_INT, peers, 2, MPI_INT, comm, module);
    if (OMPI_SUCCESS == rc && 0 != napcoll_peers_connect(size, peers, id)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    free(peers);
    return rc;
}

const char *napcoll_job_source(const napcoll_job_t *job, ompi_communicator_t *comm)
{
    if (job->fake) {
        return "made up by fake_ppn";
    }
    return NULL == job->node_of || napcoll_joins_jobs(comm) ? "told by all processes"
                                                            : "told by each node's first process";
}

/* The locality of a process on this node, looked up once. The caller has the lock. */
static int neighbour_locality(napcoll_job_t *job, const opal_process_name_t *name,
                              const char **locality)
{
    for (int i = 0; i < job->neighbours; i++) {
        if (job->neighbour[i].vpid == name->vpid) {
            *locality = job->neighbour[i].locality;
            return OMPI_SUCCESS;
        }
    }
    if (job->neighbours == job->neighbour_room) {
        int room = 0 == job->neighbour_room ? 16 : 2 * job->neighbour_room;
        napcoll_neighbour_t *larger = realloc(job->neighbour, (size_t) room * sizeof(*larger));

        if (NULL == larger) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        job->neighbour = larger;
        job->neighbour_room = room;
    }
    job->neighbour[job->neighbours] = (napcoll_neighbour_t){
        .vpid = name->vpid, .locality = napcoll_compat_locality(name)};
    *locality = job->neighbour[job->neighbours++].locality;
    return OMPI_SUCCESS;
}

/* Order the own node's lanes by the hardware. */
static int order_lanes(napcoll_job_t *job, ompi_communicator_t *comm, napcoll_node_map_t *map)
{
    int node = napcoll_node_map_node(map, ompi_comm_rank(comm));
    int ppn = napcoll_node_map_ppn(map, node), rc = OMPI_SUCCESS;
    const char **locality = calloc((size_t) ppn, sizeof(*locality));

    if (NULL == locality) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    opal_mutex_lock(&job->lock);
    for (int lane = 0; lane < ppn && OMPI_SUCCESS == rc; lane++) {
        opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group,
                                                            napcoll_node_map_rank(map, node, lane));

        if (name.jobid == my_job()) {
            rc = neighbour_locality(job, &name, &locality[lane]);
        }
    }
    if (OMPI_SUCCESS == rc && 0 != napcoll_node_map_set_locality(map, node, locality)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    opal_mutex_unlock(&job->lock);
    free(locality);
    return rc;
}

/* The made-up node of a rank; -1 where it belongs to another job. */
static int fake_node(const napcoll_job_t *job, ompi_communicator_t *comm, int rank)
{
    opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, rank);

    return (name.jobid == my_job() && name.vpid < job->size) ? job->node_of[name.vpid] : -1;
}

bool napcoll_spans_nodes(napcoll_job_t *job, ompi_communicator_t *comm)
{
    int first;

    if (!job->fake) {
        return ompi_group_have_remote_peers(comm->c_local_group);
    }
    first = fake_node(job, comm, 0);
    for (int r = 1; r < ompi_comm_size(comm); r++) {
        if (first != fake_node(job, comm, r)) {
            return true;
        }
    }
    return false;
}

/* The place of the own node in the switch tree, or -1. */
static int own_spot(const napcoll_job_t *job, int id)
{
    char made_up[32];

    (void) snprintf(made_up, sizeof(made_up), "n%d", id);
    return napcoll_switch_tree_find(job->tree, job->fake ? made_up : napcoll_compat_hostname());
}

/* Report, once, that the own node is not in the tree or has the name of another one. */
static void complain_of_spot(napcoll_job_t *job, const char *host, const char *file)
{
    opal_mutex_lock(&job->lock);
    if (!job->reported) {
        napcoll_compat_show_help("node not in topology", host, file);
    }
    job->reported = true;
    opal_mutex_unlock(&job->lock);
}

/* Find the place of each node in the switch tree. *known: the tree has all of them. */
static int find_spots(napcoll_job_t *job, ompi_communicator_t *comm,
                      mca_coll_base_module_allgather_fn_t allgather, mca_coll_base_module_t *module,
                      const napcoll_node_map_t *map, int *id, int *spot, bool *known)
{
    const int rank = ompi_comm_rank(comm), node = napcoll_node_map_node(map, rank);
    int own = own_spot(job, id[rank]), rc;
    bool good = own >= 0;

    rc = allgather(&own, 1, MPI_INT, id, 1, MPI_INT, comm, module);
    *known = OMPI_SUCCESS == rc;
    for (int m = 0; m < map->nodes && OMPI_SUCCESS == rc; m++) {
        spot[m] = id[napcoll_node_map_rank(map, m, 0)];
        *known = *known && spot[m] >= 0;
    }
    for (int m = 0; m < map->nodes && OMPI_SUCCESS == rc; m++) {
        good = good && (m == node || spot[m] != own);
    }
    if (OMPI_SUCCESS == rc && !good && 0 == napcoll_node_map_lane(map, rank)) {
        complain_of_spot(job, napcoll_compat_hostname(), job->tree_file);
    }
    return rc;
}

/* Tell the map where its nodes are in the network, by the switch tree or else by the launcher's
 * numbers (id), which are overwritten. */
static int place_nodes(napcoll_job_t *job, ompi_communicator_t *comm,
                       mca_coll_base_module_allgather_fn_t allgather,
                       mca_coll_base_module_t *module, napcoll_node_map_t *map, int *id)
{
    int *spot = malloc(2 * (size_t) map->nodes * sizeof(*spot));
    bool known = false, ascending = true;
    int rc = OMPI_SUCCESS;

    if (NULL == spot) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int m = 0; m < map->nodes; m++) {
        spot[m] = id[napcoll_node_map_rank(map, m, 0)];
        ascending = ascending && (0 == m || spot[m] > spot[m - 1]);
    }
    if (NULL != job->tree) {
        rc = find_spots(job, comm, allgather, module, map, id, spot + map->nodes, &known);
        known = known && napcoll_peers_are_distinct(spot + map->nodes, map->nodes, id);
    }
    if (OMPI_SUCCESS == rc && (known || !ascending)) {
        const int *at = known ? spot + map->nodes : spot;

        if (0 != napcoll_node_map_set_network(map, known ? job->tree : NULL, at)) {
            rc = OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    free(spot);
    return rc;
}

int napcoll_discover_node_map(napcoll_job_t *job, ompi_communicator_t *comm,
                              mca_coll_base_module_allgather_fn_t allgather,
                              mca_coll_base_module_t *module, napcoll_node_map_t **map)
{
    int *id = malloc((size_t) ompi_comm_size(comm) * sizeof(*id));
    int rc = OMPI_SUCCESS;
    bool one_job, known = false;

    *map = NULL;
    if (NULL == id) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    one_job = is_one_job(job, comm, id);
    if (one_job) {
        rc = ids_from_job(job, comm, id, &known);
    }
    if (OMPI_SUCCESS == rc && NULL == allgather && (!known || NULL != job->tree)) {
        rc = OMPI_ERR_WOULD_BLOCK;
    }
    if (OMPI_SUCCESS == rc && !known) {
        rc = ids_from_peers(comm, one_job, allgather, module, id);
    }
    if (OMPI_SUCCESS == rc && 0 != napcoll_node_map_create(id, ompi_comm_size(comm), map)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == rc) {
        int node = napcoll_node_map_node(*map, ompi_comm_rank(comm));
        (*map)->oversubscribed = napcoll_node_map_ppn(*map, node) > sysconf(_SC_NPROCESSORS_ONLN);
    }
    if (OMPI_SUCCESS == rc && !job->fake) {
        rc = order_lanes(job, comm, *map);
    }
    if (OMPI_SUCCESS == rc && one_job) {
        rc = place_nodes(job, comm, allgather, module, *map, id);
    }
    if (OMPI_SUCCESS != rc) {
        napcoll_node_map_free(*map);
        *map = NULL;
    }
    free(id);
    return rc;
}
