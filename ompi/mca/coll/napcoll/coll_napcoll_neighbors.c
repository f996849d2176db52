/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The neighbourhood of a process (plan/napcoll_neighborhood.h), found at the first neighbourhood
 * call on a communicator that may wait:
 *
 *     inside the node    each process tells the others its edges to and from other nodes
 *     between nodes      the ends of a link's first edge tell each other who carries its message
 *     inside the node    they tell it to that process
 *     all                one allreduce: the most that any process sends or receives
 *
 * Except in the allreduce no message goes to a node without a common edge, and nothing that is sent
 * or kept grows with the number of processes.
 */

#include "coll_napcoll_neighbors.h"

#include <stdlib.h>

#include "algo/napcoll_generators.h"
#include "ompi/mca/topo/base/base.h"

/* Tags beside the two of calls. */
enum {
    TAG_INSIDE = MCA_COLL_BASE_TAG_NEIGHBOR_BASE - 2,
    TAG_LEAVING = MCA_COLL_BASE_TAG_NEIGHBOR_BASE - 3,
    TAG_COMING = MCA_COLL_BASE_TAG_NEIGHBOR_BASE - 4
};

/* The set-up of a communicator. */
typedef struct {
    ompi_communicator_t *comm;
    const napcoll_node_map_t *map;
    napcoll_neighborhood_t *n;
    int rank;
    int node;
    napcoll_messages_t messages;
} meeting_t;

/* ---- the topology of the communicator ---- */

/* The neighbours in a grid: in each dimension first the one before, then the one behind. */
static int read_grid(ompi_communicator_t *comm, int *neighbor)
{
    const mca_topo_base_comm_cart_2_2_0_t *cart = comm->c_topo->mtc.cart;
    int rc = OMPI_SUCCESS;

    for (int d = 0; d < cart->ndims && OMPI_SUCCESS == rc; d++) {
        int *pair = &neighbor[2 * d];

        pair[0] = pair[1] = MPI_PROC_NULL;
        if (cart->dims[d] > 1) {
            rc = mca_topo_base_cart_shift(comm, d, 1, &pair[0], &pair[1]);
        } else if (cart->periods[d]) {
            pair[0] = pair[1] = ompi_comm_rank(comm);
        }
        for (int i = 0; i < 2; i++) {
            pair[i] = MPI_PROC_NULL == pair[i] ? -1 : pair[i];
        }
    }
    return rc;
}

/* Find the own edges. */
static int read_topology(meeting_t *m)
{
    ompi_communicator_t *comm = m->comm;
    napcoll_neighbors_t neighbors = {.grid = OMPI_COMM_IS_CART(comm)};
    int *list = NULL;
    int rc = mca_topo_base_neighbor_count(comm, &neighbors.in, &neighbors.out);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (OMPI_COMM_IS_DIST_GRAPH(comm)) {
        neighbors.to = comm->c_topo->mtc.dist_graph->out;
        neighbors.from = comm->c_topo->mtc.dist_graph->in;
    } else {
        list = malloc(((size_t) neighbors.in + 1) * sizeof(*list));
        if (NULL == list) {
            mca_coll_napcoll_no_memory("the neighbours of a communicator");
        }
        neighbors.to = neighbors.from = list;
        rc = neighbors.grid ? read_grid(comm, list)
                            : mca_topo_base_graph_neighbors(comm, m->rank, neighbors.in, list);
    }
    if (OMPI_SUCCESS == rc && 0 != napcoll_neighborhood_begin(m->map, m->rank, &neighbors, m->n)) {
        mca_coll_napcoll_no_memory("the neighbours of a communicator");
    }
    free(list);
    return rc;
}

/* ---- messages ---- */

/* Post a message of integers; none where there are none. */
static int post(meeting_t *m, napcoll_step_kind_t kind, int peer, int tag, void *at, size_t count)
{
    const napcoll_step_t step = {.kind = kind, .peer = peer};
    const napcoll_message_t message = {.at = at, .count = count, .type = MPI_INT32_T};

    return 0 == count ? OMPI_SUCCESS
                      : napcoll_messages_post(&m->messages, &step, &message, m->comm, tag);
}

/* End a round whose posting returned rc. */
static int end_round(meeting_t *m, int rc)
{
    if (OMPI_SUCCESS == rc) {
        rc = napcoll_messages_wait(&m->messages);
    }
    if (OMPI_SUCCESS != rc) {
        napcoll_messages_abandon(&m->messages, m->comm, rc);
    }
    napcoll_messages_begin(&m->messages);
    return rc;
}

static void reserve(meeting_t *m, size_t messages)
{
    if (!napcoll_messages_reserve(&m->messages, messages)) {
        mca_coll_napcoll_no_memory("the neighbours of a communicator");
    }
}

/* ---- inside the node ---- */

/* Exchange one array of integers with each other process of the node: this one's is `mine`, the one
 * of a lane has counts[lane] and goes to theirs[lane]. */
static int exchange_inside(meeting_t *m, int32_t *mine, size_t count, int32_t *const *theirs,
                           const int32_t *counts)
{
    const int ppn = napcoll_node_map_ppn(m->map, m->node);
    int rc = OMPI_SUCCESS;

    for (int sends = 0; sends < 2; sends++) {
        for (int lane = 0; lane < ppn && OMPI_SUCCESS == rc; lane++) {
            const int peer = napcoll_node_map_rank(m->map, m->node, lane);

            if (peer != m->rank) {
                rc = sends ? post(m, NAPCOLL_STEP_SEND, peer, TAG_INSIDE, mine, count)
                           : post(m, NAPCOLL_STEP_RECV, peer, TAG_INSIDE, theirs[lane],
                                  (size_t) counts[lane]);
            }
        }
    }
    return end_round(m, rc);
}

/* Add the edges of all processes of the node to a crossing; room: [ppn] for numbers and for
 * addresses. */
static int gather_edges(meeting_t *m, bool leaving, int32_t *number, int32_t **at)
{
    enum { INTS = sizeof(napcoll_edge_t) / sizeof(int32_t) };
    napcoll_crossing_t *crossing = leaving ? &m->n->leaving : &m->n->coming;
    const int ppn = napcoll_node_map_ppn(m->map, m->node);
    int edges, rc, first = 0;
    napcoll_edge_t *mine = napcoll_neighborhood_crossing(m->n, m->map, leaving, &edges), *all;
    int32_t own = (int32_t) (edges * INTS), *one = number + ppn;

    for (int lane = 0; lane < ppn; lane++) {
        at[lane] = &number[lane];
        number[lane] = 0;
        one[lane] = 1;
    }
    rc = exchange_inside(m, &own, 1, at, one);
    for (int lane = 0; lane < ppn; lane++) {
        first += number[lane] / INTS;
    }
    all = malloc(((size_t) first + 1) * sizeof(*all));
    if (NULL == mine || NULL == all || 0 != napcoll_neighborhood_add(crossing, mine, edges)) {
        mca_coll_napcoll_no_memory("the neighbours of a communicator");
    }
    first = 0;
    for (int lane = 0; lane < ppn; lane++) {
        at[lane] = (int32_t *) (all + first);
        first += number[lane] / INTS;
    }
    rc = OMPI_SUCCESS == rc ? exchange_inside(m, (int32_t *) mine, (size_t) own, at, number) : rc;
    if (OMPI_SUCCESS == rc && 0 != napcoll_neighborhood_add(crossing, all, first)) {
        mca_coll_napcoll_no_memory("the neighbours of a communicator");
    }
    free(mine);
    free(all);
    return rc;
}

static int gather_node(meeting_t *m)
{
    const size_t ppn = (size_t) napcoll_node_map_ppn(m->map, m->node);
    int32_t *number = malloc(2 * ppn * sizeof(*number));
    int32_t **at = malloc(ppn * sizeof(*at));
    int rc;

    if (NULL == number || NULL == at) {
        mca_coll_napcoll_no_memory("the neighbours of a communicator");
    }
    reserve(m, 2 * ppn);
    rc = gather_edges(m, true, number, at);
    rc = OMPI_SUCCESS == rc ? gather_edges(m, false, number, at) : rc;
    free(number);
    free(at);
    if (OMPI_SUCCESS == rc && 0 != napcoll_neighborhood_link(m->n, m->map)) {
        mca_coll_napcoll_no_memory("the neighbours of a communicator");
    }
    return rc;
}

/* ---- between nodes ---- */

/* Where this process has the first edge of a link: exchange the carriers with the other end. */
static int meet_link(meeting_t *m, napcoll_crossing_t *crossing, napcoll_node_link_t *link,
                     bool leaving)
{
    const int peer = napcoll_link_meets_at(crossing, link, !leaving);
    const int tag = leaving ? TAG_LEAVING : TAG_COMING, other = leaving ? TAG_COMING : TAG_LEAVING;
    int rc;

    if (m->rank != napcoll_link_meets_at(crossing, link, leaving)) {
        return OMPI_SUCCESS;
    }
    rc = post(m, NAPCOLL_STEP_RECV, peer, other, &link->peer, 1);
    return OMPI_SUCCESS == rc ? post(m, NAPCOLL_STEP_SEND, peer, tag, &link->carrier, 1) : rc;
}

/* Tell the carrier of a link of this node, or be told, who carries it on the other one. */
static int tell_link(meeting_t *m, napcoll_crossing_t *crossing, napcoll_node_link_t *link,
                     bool leaving)
{
    const int end = napcoll_link_meets_at(crossing, link, leaving);
    const int tag = leaving ? TAG_LEAVING : TAG_COMING;

    if (end == link->carrier) {
        return OMPI_SUCCESS;
    }
    if (m->rank == end) {
        return post(m, NAPCOLL_STEP_SEND, link->carrier, tag, &link->peer, 1);
    }
    return m->rank == link->carrier ? post(m, NAPCOLL_STEP_RECV, end, tag, &link->peer, 1)
                                    : OMPI_SUCCESS;
}

static int each_link(meeting_t *m, int (*what)(meeting_t *m, napcoll_crossing_t *crossing,
                                               napcoll_node_link_t *link, bool leaving))
{
    int rc = OMPI_SUCCESS;

    reserve(m, 2 * ((size_t) m->n->leaving.links + (size_t) m->n->coming.links));
    for (int leaving = 0; leaving < 2; leaving++) {
        napcoll_crossing_t *crossing = leaving ? &m->n->leaving : &m->n->coming;

        for (int i = 0; i < crossing->links && OMPI_SUCCESS == rc; i++) {
            rc = what(m, crossing, &crossing->link[i], leaving);
        }
    }
    return end_round(m, rc);
}

/* ---- all ---- */

/* The largest of each number of all processes. */
static int agree(mca_coll_napcoll_module_t *module, void *number, size_t count,
                 ompi_datatype_t *type)
{
    return mca_coll_napcoll_fallback(module, NAPCOLL_COLL_ALLREDUCE,
                                     &(napcoll_binding_t){.sendbuf = MPI_IN_PLACE,
                                                          .recvbuf = number,
                                                          .count = count,
                                                          .datatype = type,
                                                          .op = MPI_MAX,
                                                          .comm = module->comm});
}

/* Agree on the most that any process sends or receives. */
static int agree_on_loads(mca_coll_napcoll_module_t *module, napcoll_neighborhood_t *n)
{
    if (0 != napcoll_neighbor_measure(module->map, n)) {
        mca_coll_napcoll_no_memory("the neighbours of a communicator");
    }
    return agree(module, n->load, sizeof(n->load) / sizeof(int32_t), MPI_INT32_T);
}

int mca_coll_napcoll_agree_on_sizes(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                    napcoll_neighbor_sizes_t *sizes, napcoll_uneven_t *uneven)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    const napcoll_neighborhood_t *n = module->neighborhood;
    const napcoll_settings_t settings = mca_coll_napcoll_settings(module, coll);
    const int rc = agree(module, sizes, NAPCOLL_NEIGHBOR_SIZES, MPI_INT64_T);

    if (OMPI_SUCCESS == rc) {
        napcoll_uneven_agreed(
            uneven, napcoll_neighbor_mean(napcoll_neighbor_loads(collective, n), sizes),
            napcoll_uneven_edges_straight(collective, &settings, module->map, n, sizes));
    }
    return rc;
}

int mca_coll_napcoll_find_neighbors(mca_coll_napcoll_module_t *module)
{
    meeting_t m = {.comm = module->comm,
                   .map = module->map,
                   .n = calloc(1, sizeof(*m.n)),
                   .rank = ompi_comm_rank(module->comm)};
    int rc;

    if (NULL == m.n) {
        mca_coll_napcoll_no_memory("the neighbours of a communicator");
    }
    m.node = napcoll_node_map_node(m.map, m.rank);
    rc = read_topology(&m);
    rc = OMPI_SUCCESS == rc ? gather_node(&m) : rc;
    rc = OMPI_SUCCESS == rc ? each_link(&m, meet_link) : rc;
    rc = OMPI_SUCCESS == rc ? each_link(&m, tell_link) : rc;
    rc = OMPI_SUCCESS == rc ? agree_on_loads(module, m.n) : rc;
    napcoll_messages_free(&m.messages);
    if (OMPI_SUCCESS == rc) {
        module->neighborhood = m.n;
    } else {
        napcoll_neighborhood_free(m.n);
        free(m.n);
    }
    return rc;
}

void mca_coll_napcoll_release_neighbors(mca_coll_napcoll_module_t *module)
{
    if (NULL != module->neighborhood) {
        napcoll_neighborhood_free(module->neighborhood);
        free(module->neighborhood);
        module->neighborhood = NULL;
    }
}

size_t mca_coll_napcoll_neighbor_bytes(napcoll_coll_t coll, const napcoll_binding_t *binding)
{
    size_t bytes = 0, element;

    if (mca_coll_napcoll_collectives[coll]->uneven) {
        return 0;
    }
    if (binding->count > 0) {
        ompi_datatype_type_size(binding->datatype, &element);
        bytes = element * binding->count;
    }
    if (0 == bytes && binding->send_count > 0) {
        ompi_datatype_type_size(binding->send_type, &element);
        bytes = element * binding->send_count;
    }
    return bytes;
}
