/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The switches between the nodes, which parameter coll_napcoll_topology_file names, and a pair of
 * nodes for each number of switches between two nodes. As in the component, process 0 reads the
 * file, and a node is looked up by its host name.
 */

#include "tune/napcoll_tune.h"
#include "util/napcoll_file.h"

#define PARAMETER "coll_napcoll_topology_file"

/* ---- the file ---- */

/* The value of the parameter, which the caller frees; NULL: none, or no napcoll in this job. */
static char *file_name(void)
{
    /* MPI_T does not tell the length */
    enum { MOST = 65536 };
    char *name = napcoll_allocate(MOST, 1);
    MPI_T_cvar_handle handle;
    int index, count;

    if (MPI_SUCCESS == MPI_T_cvar_get_index(PARAMETER, &index)
        && MPI_SUCCESS == MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) {
        if (MPI_SUCCESS != MPI_T_cvar_read(handle, name)) {
            name[0] = '\0';
        }
        (void) MPI_T_cvar_handle_free(&handle);
    }
    if ('\0' == name[0]) {
        free(name);
        return NULL;
    }
    return name;
}

static bool read_tree(tune_network_t *network, char message[TUNE_TEXT])
{
    napcoll_switch_error_t error = {0};
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(network->file, NAPCOLL_MOST_SWITCH_BYTES, &why);
    char name[TUNE_TEXT];

    if (NULL == in) {
        (void) snprintf(error.text, sizeof(error.text), "%s", why.text);
    } else {
        (void) napcoll_switch_tree_read(in, &network->tree, &error);
        (void) fclose(in);
    }
    (void) snprintf(name, sizeof(name), PARAMETER ": %.256s", network->file);
    return NULL != network->tree
           || tune_refuse(name, error.line, error.column, error.text, message);
}

/* ---- where the nodes are ---- */

/* Find the tree's node for each node of the job, by its first process's host. */
static void find_spots(tune_network_t *network, const tune_nodes_t *n, const char *host)
{
    bool *used = napcoll_allocate((size_t) network->tree->nodes, sizeof(*used));

    network->spot = napcoll_allocate((size_t) n->num, sizeof(*network->spot));
    for (int node = 0; node < n->num && '\0' == network->missing[0]; node++) {
        const int rank = tune_rank_at(n, node, 0);
        const char *name = host + (size_t) rank * MPI_MAX_PROCESSOR_NAME;
        const int spot = napcoll_switch_tree_find(network->tree, name);

        network->spot[node] = spot;
        if (spot < 0 || used[spot]) {
            (void) snprintf(network->missing, TUNE_TEXT,
                            "%.256s does not have host %.256s, of rank %d%s", network->file, name,
                            rank, spot < 0 ? "" : ", for itself alone");
        } else {
            used[spot] = true;
        }
    }
    free(used);
}

bool tune_network_open(tune_t *t, char message[TUNE_TEXT])
{
    enum { NONE, HAS_TREE, BAD };
    tune_network_t *network = &t->network;
    char own[MPI_MAX_PROCESSOR_NAME] = "", *all = NULL;
    int state = NONE, length;

    if (TUNE_MACHINE != t->options.command || NULL != t->options.only) {
        return true;
    }
    if (0 == t->rank) {
        network->file = file_name();
        if (NULL != network->file) {
            state = read_tree(network, message) ? HAS_TREE : BAD;
        }
        all = napcoll_allocate((size_t) t->ranks, sizeof(own));
    }
    napcoll_check(MPI_Bcast(&state, 1, MPI_INT, 0, t->comm), "MPI_Bcast");
    if (HAS_TREE == state) {
        napcoll_check(MPI_Get_processor_name(own, &length), "MPI_Get_processor_name");
        napcoll_check(MPI_Gather(own, (int) sizeof(own), MPI_CHAR, all, (int) sizeof(own), MPI_CHAR,
                                 0, t->comm),
                      "MPI_Gather");
        if (0 == t->rank) {
            find_spots(network, &t->node, all);
        }
    }
    free(all);
    return BAD != state;
}

void tune_network_close(tune_t *t)
{
    free(t->network.file);
    free(t->network.spot);
    napcoll_switch_tree_free(t->network.tree);
}

/* ---- pairs and their messages ---- */

void tune_choose_distances(tune_t *t)
{
    const tune_network_t *network = &t->network;
    tune_machine_t *m = &t->machine;
    size_t most = 0;

    if (NULL == network->tree || '\0' != network->missing[0]) {
        return;
    }
    m->distances = napcoll_distances_choose(network->tree, network->spot, t->node.num, m->distance);
    if (m->distances < 0) {
        napcoll_out_of_memory();
    }
    for (int i = 0; i < m->sizes[NAPCOLL_LEVEL_NETWORK]; i++) {
        const size_t bytes = m->size[NAPCOLL_LEVEL_NETWORK][i];

        most = bytes > most ? bytes : most;
    }
    m->distance_bytes[0] = 8;
    m->distance_bytes[1] = most / 4;
    m->distance_bytes[2] = most;
}

void tune_add_distances(tune_t *t, tune_list_t *list)
{
    tune_machine_t *m = &t->machine;

    for (int i = 0; i < m->distances; i++) {
        for (int size = 0; size < NAPCOLL_DISTANCE_SIZES; size++) {
            tune_add_task(
                list,
                &(tune_task_t){.probe = {.kind = TUNE_PING,
                                         .bytes = m->distance_bytes[size],
                                         .count = 0 == size ? TUNE_MOST_ROUNDS : 2,
                                         .inner = 1,
                                         .from = tune_rank_at(&t->node, m->distance[i].one, 0),
                                         .to = tune_rank_at(&t->node, m->distance[i].other, 0)},
                               .times = &m->distance_trip[i]});
        }
    }
}

/* ---- report ---- */

static const char *name_of(const tune_t *t, int node)
{
    return t->network.tree->node[t->network.spot[node]];
}

/* The distances of the pinger's peers in the turns that were taken. */
static void print_far(const tune_t *t, FILE *out)
{
    const tune_network_t *network = &t->network;
    const tune_machine_t *m = &t->machine;
    int least = NAPCOLL_MOST_DISTANCES, most = 0;

    for (int turn = 0; turn < m->turns && turn < t->node.num - 1; turn++) {
        const int peer = t->node.node_of[tune_far_peer(t, turn)];
        const int switches = napcoll_distances_between(network->tree, network->spot[m->from],
                                                       network->spot[peer]);

        least = switches < least ? switches : least;
        most = switches > most ? switches : most;
    }
    fprintf(out, "  the machine's one latency is between %s and others", name_of(t, m->from));
    if (least == most) {
        fprintf(out, ", with %d switch%s between\n", least, 1 == least ? "" : "es");
    } else {
        fprintf(out, " in turn, with %d to %d switches between\n", least, most);
    }
}

static void print_distance(const tune_t *t, const napcoll_distance_t *d, FILE *out)
{
    fprintf(out, "  %8d %12.2f +- %-8.2f %10.4g +- %-8.2g  %s and %s\n", d->switches,
            1e6 * d->latency, 1e6 * d->latency_error, 1e-6 * d->rate, 1e-6 * d->rate_error,
            name_of(t, d->one), name_of(t, d->other));
}

void tune_report_distances(const tune_t *t, FILE *out)
{
    const tune_network_t *network = &t->network;
    const tune_machine_t *m = &t->machine;

    if (NULL == network->tree) {
        return;
    }
    if ('\0' != network->missing[0]) {
        fprintf(out, "latency by distance: not measured, as %s\n", network->missing);
        return;
    }
    fprintf(out, "latency by distance, half of a round trip of %zu bytes, and the rate of %zu\n",
            m->distance_bytes[0], m->distance_bytes[2]);
    fprintf(out, "  %8s %24s %22s  %s\n", "switches", "us", "10^6 bytes/s", "between");
    for (int i = 0; i < m->distances; i++) {
        print_distance(t, &m->distance[i], out);
    }
    for (int far = 1; far < m->distances; far++) {
        for (int near = 0; near < far; near++) {
            const napcoll_distance_t *n = &m->distance[near], *f = &m->distance[far];

            if (napcoll_distances_contradict(n, f)) {
                fprintf(out,
                        "  WARNING: %s and %s, %d switches apart, are faster than %s and %s, "
                        "%d apart: does %s describe this network?\n",
                        name_of(t, f->one), name_of(t, f->other), f->switches, name_of(t, n->one),
                        name_of(t, n->other), n->switches, network->file);
            }
        }
    }
    print_far(t, out);
}

int tune_count_contradictions(const tune_machine_t *m)
{
    int count = 0;

    for (int far = 1; far < m->distances; far++) {
        for (int near = 0; near < far; near++) {
            count += napcoll_distances_contradict(&m->distance[near], &m->distance[far]);
        }
    }
    return count;
}
