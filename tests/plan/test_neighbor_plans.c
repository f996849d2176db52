/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All plans of neighbourhood collectives, run by the verifier over random graphs, grids and
 * power-law graphs: every edge's block exactly once and in its place, with edges twice, edges of a
 * rank to itself, ranks without neighbours, and blocks that go straight.
 */

#include "plan_set.h"

#include "algo/napcoll_generators.h"
#include "common/napcoll_graph_make.h"

/* A graph as two lists for each rank: of the ranks to which, and from which, it has edges. */
typedef struct {
    int size;
    int *out, *in;
    int *to, *from;
    int most;
    bool grid;
} lists_t;

static lists_t new_lists(int size, int most)
{
    lists_t lists = {.size = size, .most = most};
    const size_t room = (size_t) size * (size_t) most + 1;

    lists.out = calloc((size_t) size, sizeof(int));
    lists.in = calloc((size_t) size, sizeof(int));
    lists.to = calloc(room, sizeof(int));
    lists.from = calloc(room, sizeof(int));
    assert_true(NULL != lists.out && NULL != lists.in && NULL != lists.to && NULL != lists.from);
    return lists;
}

static void free_lists(lists_t *lists)
{
    free(lists->out);
    free(lists->in);
    free(lists->to);
    free(lists->from);
}

/* Add an edge, unless one of the two ranks has its most. */
static void add_edge(lists_t *lists, int from, int to)
{
    if (lists->out[from] < lists->most && lists->in[to] < lists->most) {
        lists->to[from * lists->most + lists->out[from]++] = to;
        lists->from[to * lists->most + lists->in[to]++] = from;
    }
}

static void neighbors_in_lists(void *context, int rank, napcoll_neighbors_t *neighbors)
{
    const lists_t *lists = context;

    *neighbors = (napcoll_neighbors_t){.to = lists->to + rank * lists->most,
                                       .from = lists->from + rank * lists->most,
                                       .out = lists->out[rank],
                                       .in = lists->in[rank],
                                       .grid = lists->grid};
}

/* The neighbourhoods, and the plans, of all ranks. */
typedef struct {
    const napcoll_node_map_t *map;
    napcoll_neighborhoods_t all;
    napcoll_neighborhood_t *n;
    napcoll_plan_t **plan;
} set_t;

static set_t open_set(const napcoll_node_map_t *map, lists_t *lists)
{
    const napcoll_graph_t graph = {
        .map = map, .neighbors_of = neighbors_in_lists, .context = lists};
    const size_t size = (size_t) map->size;
    set_t set = {.map = map, .plan = calloc(size, sizeof(napcoll_plan_t *))};

    assert_non_null(set.plan);
    assert_int_equal(napcoll_neighborhoods_open(&graph, &set.all), 0);
    set.n = set.all.of;
    for (int rank = 0; rank < map->size; rank++) {
        assert_int_equal(napcoll_neighbor_measure(map, &set.n[rank]), 0);
    }
    return set;
}

static void close_set(set_t *set)
{
    napcoll_neighborhoods_free(&set->all);
    free(set->plan);
}

static void make_plans(set_t *set, const napcoll_collective_t *collective, int row, int requests)
{
    for (int rank = 0; rank < set->map->size; rank++) {
        napcoll_plan_args_t args = {.collective = collective,
                                    .algorithm = &collective->algorithm[row],
                                    .map = set->map,
                                    .rank = rank,
                                    .neighborhood = &set->n[rank]};

        args.params.tunable[0] = requests;
        set->plan[rank] = args.algorithm->generate(&args);
        assert_non_null(set->plan[rank]);
        assert_int_equal(set->plan[rank]->edges, set->n[rank].out + set->n[rank].in);
    }
}

static void drop_plans(set_t *set)
{
    for (int rank = 0; rank < set->map->size; rank++) {
        napcoll_plan_free(set->plan[rank]);
    }
}

/* No two nodes have more than one message in a direction, and no process more than without
 * forwarding. */
static void check_messages(const set_t *set)
{
    const napcoll_node_map_t *map = set->map;
    const size_t nodes = (size_t) map->nodes;
    int *sent = calloc(nodes * nodes, sizeof(*sent));

    assert_non_null(sent);
    for (int rank = 0; rank < map->size; rank++) {
        const napcoll_plan_t *plan = set->plan[rank];
        const int node = napcoll_node_map_node(map, rank);

        for (int goal = 0; goal < NAPCOLL_NEIGHBOR_GOALS; goal++) {
            const napcoll_neighbor_load_t *load = set->n[rank].load[goal];

            assert_true(load[NAPCOLL_NEIGHBOR_COALESCED].messages
                        <= load[NAPCOLL_NEIGHBOR_DIRECT].messages);
        }
        for (int i = 0; i < plan->steps; i++) {
            if (NAPCOLL_STEP_SEND == plan->step[i].kind) {
                const int other = napcoll_node_map_node(map, plan->step[i].peer);

                sent[(size_t) node * nodes + (size_t) other] += other != node;
            }
        }
    }
    for (size_t i = 0; i < nodes * nodes; i++) {
        assert_true(sent[i] <= 1);
    }
    free(sent);
}

/* Which blocks are direct: by their sender only, as blocks of an allgather are. */
static bool is_direct(const void *context, int from, int to)
{
    (void) to;
    return 0 != (napcoll_mix(*(const uint64_t *) context + (uint64_t) from) & 1);
}

static void prove_set(set_t *set, const napcoll_collective_t *collective, int row, int requests)
{
    const napcoll_plan_args_t args = {
        .collective = collective, .algorithm = &collective->algorithm[row], .map = set->map};
    const uint64_t number = (uint64_t) set->map->size;
    napcoll_claim_t claim = napcoll_plan_args_claim(&args);
    napcoll_verdict_t verdict;

    make_plans(set, collective, row, requests);
    claim.max_messages = requests;
    for (int direct = 0; direct < 1 + (int) napcoll_plan_args_headed(&args); direct++) {
        claim.direct = direct > 0 ? is_direct : NULL;
        claim.direct_context = &number;
        if (NAPCOLL_VERIFY_OK != napcoll_plan_verify(set->plan, set->map, &claim, &verdict)) {
            print_message("%s %s: %d ranks, %d nodes: %s\n", collective->name, args.algorithm->name,
                          set->map->size, set->map->nodes, verdict.text);
            if (verdict.rank >= 0) {
                (void) napcoll_plan_print(set->plan[verdict.rank], stderr);
            }
        }
        assert_int_equal(verdict.status, NAPCOLL_VERIFY_OK);
    }
    if (args.algorithm->store_and_forward) {
        check_messages(set);
    }
    drop_plans(set);
}

/* Prove the plans of all collectives and rows; alltoallw has the plans of alltoallv. */
static void prove_graph(const napcoll_node_map_t *map, lists_t *lists)
{
    set_t set = open_set(map, lists);

    for (int c = 0; NULL != napcoll_neighbor_collectives[c]; c++) {
        if (&napcoll_neighbor_alltoallw != napcoll_neighbor_collectives[c]) {
            prove_set(&set, napcoll_neighbor_collectives[c], NAPCOLL_NEIGHBOR_DIRECT, 4);
            prove_set(&set, napcoll_neighbor_collectives[c], NAPCOLL_NEIGHBOR_COALESCED, 0);
        }
    }
    close_set(&set);
}

/* A random graph: edges may be there twice, and lead from a rank to itself. */
static lists_t random_lists(int size, int degree, uint64_t seed)
{
    lists_t lists = new_lists(size, 2 * degree + 2);

    for (int i = 0; i < size * degree; i++) {
        const int from = (int) (napcoll_mix(seed + 2 * (uint64_t) i) % (uint64_t) size);
        const int to = (int) (napcoll_mix(seed + 2 * (uint64_t) i + 1) % (uint64_t) size);

        add_edge(&lists, from, to);
        if (0 == i % 7) {
            add_edge(&lists, from, to);
        }
    }
    return lists;
}

static void neighbor_plans_on_random_graphs(void **state)
{
    static const char *const lists_of_ppn[] = {"1", "2", "4", "8", "3,2,1", "1,8", "16,1,3,16"};
    uint64_t seed = 1;

    (void) state;
    for (int l = 0; l < 7; l++) {
        for (int size = 1; size <= 64; size += size < 4 ? NODES_STRIDE : 20) {
            const char *order = uneven_orders[(size + l) % UNEVEN_ORDERS];
            napcoll_node_map_t *map = placement(lists_of_ppn[l], order, size);

            for (int degree = 0; degree <= size; degree = 3 * degree + 1) {
                lists_t lists = random_lists(size, degree, seed++ * 1000003);

                prove_graph(map, &lists);
                free_lists(&lists);
            }
            napcoll_node_map_free(map);
        }
    }
}

static void neighbor_plans_where_all_are_neighbours(void **state)
{
    napcoll_node_map_t *map = placement("4,3,5", "random:5", 24);
    lists_t lists = new_lists(24, 24);

    (void) state;
    for (int from = 0; from < 24; from++) {
        for (int to = 0; to < 24; to++) {
            add_edge(&lists, from, to);
        }
    }
    prove_graph(map, &lists);
    free_lists(&lists);
    napcoll_node_map_free(map);
}

/* The neighbours in a grid of any dimensions. */
static lists_t grid_lists(const int *dims, int ndims, bool periodic)
{
    int size = 1, stride = 1;
    lists_t lists;

    for (int d = 0; d < ndims; d++) {
        size *= dims[d];
    }
    lists = new_lists(size, 2 * ndims);
    lists.grid = true;
    for (int d = 0; d < ndims; d++) {
        for (int rank = 0; rank < size; rank++) {
            const int at = rank / stride % dims[d];

            for (int i = 0; i < 2; i++) {
                const int next = at + (0 == i ? -1 : 1);
                const int wrapped = (next + dims[d]) % dims[d];
                const int peer = next == wrapped || periodic ? rank + (wrapped - at) * stride : -1;

                lists.to[rank * 2 * ndims + 2 * d + i] = peer;
                lists.from[rank * 2 * ndims + 2 * d + i] = peer;
            }
            lists.out[rank] = lists.in[rank] = 2 * ndims;
        }
        stride *= dims[d];
    }
    return lists;
}

static void neighbor_plans_on_grids(void **state)
{
    static const int dims[][3] = {{2, 2, 2}, {1, 2, 4}, {3, 3, 3}, {4, 4, 4}, {1, 1, 1}, {5, 2, 3}};

    (void) state;
    for (int i = 0; i < 6; i++) {
        for (int periodic = 0; periodic < 2; periodic++) {
            lists_t lists = grid_lists(dims[i], 3, 1 == periodic);

            for (int ppn = 1; ppn <= 8; ppn += 3) {
                napcoll_node_map_t *map = uniform(ppn, 4 == ppn ? "cyclic" : "block", lists.size);

                prove_graph(map, &lists);
                napcoll_node_map_free(map);
            }
            free_lists(&lists);
        }
    }
}

static void neighbor_plans_on_power_law_graphs(void **state)
{
    (void) state;
    for (int size = 16; size <= 64; size *= 2) {
        napcoll_node_map_t *map = placement("8,5", "block", size);
        lists_t lists = new_lists(size, size);

        for (int from = 0; from < size; from++) {
            for (int to = 0; to < size; to++) {
                /* rank r has about size / (r + 1) edges */
                if (0 == napcoll_mix((uint64_t) (from * size + to)) % (uint64_t) (from + 1)) {
                    add_edge(&lists, from, to);
                    add_edge(&lists, to, from);
                }
            }
        }
        prove_graph(map, &lists);
        free_lists(&lists);
        napcoll_node_map_free(map);
    }
}

/* The memory of the edges of a rank. */
static size_t crossing_bytes(const napcoll_crossing_t *crossing)
{
    return (size_t) crossing->edges * sizeof(*crossing->edge)
           + (size_t) crossing->links * sizeof(*crossing->link);
}

static size_t neighborhood_bytes(const napcoll_neighborhood_t *n)
{
    return sizeof(*n) + ((size_t) n->out + (size_t) n->in) * sizeof(*n->edge)
           + (size_t) n->turns * sizeof(*n->turn) + crossing_bytes(&n->leaving)
           + crossing_bytes(&n->coming);
}

/* The bytes of a rank's neighbourhood and of its plans. */
static size_t bytes_of_rank(const napcoll_node_map_t *map, const napcoll_neighborhood_t *n)
{
    size_t bytes = neighborhood_bytes(n);

    for (int row = 0; row < NAPCOLL_NEIGHBOR_ALGORITHMS; row++) {
        const napcoll_plan_args_t args = {.collective = &napcoll_neighbor_alltoall,
                                          .algorithm = &napcoll_neighbor_alltoall.algorithm[row],
                                          .map = map,
                                          .rank = n->rank,
                                          .neighborhood = n};
        napcoll_plan_t *plan = args.algorithm->generate(&args);

        assert_non_null(plan);
        bytes += napcoll_plan_bytes(plan);
        napcoll_plan_free(plan);
    }
    return bytes;
}

/* The most bytes of any rank, or of every 61st of many, of a graph on nodes of 8 processes. */
static size_t most_bytes(const char *name, int ranks)
{
    const napcoll_graph_choice_t choice = {.graph = name};
    napcoll_node_map_t *map = uniform(8, "block", ranks);
    napcoll_edge_lists_t lists;
    const napcoll_graph_t graph = {
        .map = map, .neighbors_of = napcoll_edge_lists_neighbors, .context = &lists};
    napcoll_neighborhoods_t all;
    char message[NAPCOLL_MESSAGE];
    size_t most = 0;

    assert_true(napcoll_graph_make(&choice, ranks, &lists, message));
    assert_int_equal(napcoll_neighborhoods_open(&graph, &all), 0);
    for (int rank = 0; rank<ranks; rank += ranks> 1024 ? 61 : 1) {
        const size_t bytes = bytes_of_rank(map, &all.of[rank]);

        most = bytes > most ? bytes : most;
    }
    napcoll_neighborhoods_free(&all);
    napcoll_edge_lists_free(&lists);
    napcoll_node_map_free(map);
    return most;
}

/* Where the degree does not grow either; on few ranks some neighbours share a node. */
static void memory_of_a_rank_does_not_grow_with_ranks(void **state)
{
    static const char *const names[] = {"torus", "stencil", "random"};

    (void) state;
    for (int i = 0; i < 3; i++) {
        const size_t few = most_bytes(names[i], 512), many = most_bytes(names[i], 32768);

        print_message("%s: %zu bytes on 512 ranks, %zu on 32768\n", names[i], few, many);
        assert_true(many <= few + few / 5);
        assert_true(many < 64 * 1024);
    }
}

/* The whole neighbourhoods of a graph with hubs are found, and agreed on. */
static void ranks_agree_on_the_most_of_all(void **state)
{
    const napcoll_graph_choice_t choice = {.graph = "power-law", .degree = 6, .seed = 7};
    napcoll_node_map_t *map = uniform(4, "cyclic", 64);
    napcoll_edge_lists_t lists;
    const napcoll_graph_t graph = {
        .map = map, .neighbors_of = napcoll_edge_lists_neighbors, .context = &lists};
    napcoll_neighborhoods_t all;
    char message[NAPCOLL_MESSAGE];
    int most = 0;

    (void) state;
    assert_true(napcoll_graph_make(&choice, 64, &lists, message));
    assert_int_equal(napcoll_neighborhoods_open(&graph, &all), 0);
    for (int rank = 0; rank < 64; rank++) {
        int away = 0;

        for (int i = 0; i < all.of[rank].out; i++) {
            away += napcoll_node_map_node(map, rank)
                    != napcoll_node_map_node(map, all.of[rank].edge[i].peer);
        }
        most = away > most ? away : most;
    }
    assert_int_equal(napcoll_neighborhoods_agree(map, &all), 0);
    for (int rank = 0; rank < 64; rank++) {
        assert_int_equal(all.of[rank].load[1][NAPCOLL_NEIGHBOR_DIRECT].messages, most);
    }
    napcoll_neighborhoods_free(&all);
    napcoll_edge_lists_free(&lists);
    napcoll_node_map_free(map);
}

/* A plan that lost its last stage, or whose edges are others, must not pass. */
static void verifier_finds_faults_of_neighbor_plans(void **state)
{
    static const int dims[] = {4, 4};
    lists_t lists = grid_lists(dims, 2, true);
    napcoll_node_map_t *map = uniform(4, "block", 16);
    const napcoll_claim_t claim = {.goal = NAPCOLL_GOAL_NEIGHBOR_ALLTOALL};
    set_t set = open_set(map, &lists);
    napcoll_plan_t *plan;
    napcoll_verdict_t verdict;

    (void) state;
    make_plans(&set, &napcoll_neighbor_alltoall, NAPCOLL_NEIGHBOR_COALESCED, 0);
    plan = set.plan[5];
    assert_int_equal(napcoll_plan_verify(set.plan, map, &claim, &verdict), NAPCOLL_VERIFY_OK);
    for (int i = 0; i < plan->edges; i++) {
        plan->edge[i].number++;
        assert_int_equal(napcoll_plan_verify(set.plan, map, &claim, &verdict),
                         NAPCOLL_VERIFY_CONTRIBUTION);
        plan->edge[i].number--;
    }
    plan->stages--;
    plan->steps = plan->stage[plan->stages].first;
    assert_int_not_equal(napcoll_plan_verify(set.plan, map, &claim, &verdict), NAPCOLL_VERIFY_OK);
    drop_plans(&set);
    close_set(&set);
    free_lists(&lists);
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbor_plans_on_random_graphs),
        cmocka_unit_test(neighbor_plans_where_all_are_neighbours),
        cmocka_unit_test(neighbor_plans_on_grids),
        cmocka_unit_test(neighbor_plans_on_power_law_graphs),
        cmocka_unit_test(memory_of_a_rank_does_not_grow_with_ranks),
        cmocka_unit_test(ranks_agree_on_the_most_of_all),
        cmocka_unit_test(verifier_finds_faults_of_neighbor_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
