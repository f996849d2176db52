/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The switches between the nodes, where parameter coll_napcoll_topology_file names them, and the pairs of nodes that
 * messages go between for each distance. As in the component, process 0 of the job reads the file for all, and a node is
 * looked up by the name that its host has.
 */

#include <stdlib.h>
#include <string.h>

#include "napcoll_tune_machine.h"
#include "util/napcoll_file.h"

#define PARAMETER "coll_napcoll_topology_file"

/* ---- the file ---- */

/* The value of the parameter, which the caller frees; NULL where it has none, or there is no napcoll in this job. */
static char *file_name(void)
{
    enum { MOST = 65536 }; /* characters: MPI_T does not say how many there are */
    char *name = calloc(MOST, 1);
    MPI_T_cvar_handle handle;
    int level, provided, index, count;
    bool good = false;

    if (NULL == name) {
        tune_out_of_memory();
    }
    if (MPI_SUCCESS == MPI_Query_thread(&level)
        && MPI_SUCCESS == MPI_T_init_thread(level, &provided)) {
        if (MPI_SUCCESS == MPI_T_cvar_get_index(PARAMETER, &index)
            && MPI_SUCCESS == MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) {
            good = MPI_SUCCESS == MPI_T_cvar_read(handle, name);
            (void) MPI_T_cvar_handle_free(&handle);
        }
        (void) MPI_T_finalize();
    }
    if (!good || '\0' == name[0]) {
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

    if (NULL == in) {
        (void) snprintf(error.text, sizeof(error.text), "%s", why.text);
    } else {
        (void) napcoll_switch_tree_read(in, &network->tree, &error);
        (void) fclose(in);
    }
    return NULL != network->tree
           || tune_file_refuse(PARAMETER ": ", network->file, error.line, error.column, error.text,
                               message);
}

/* ---- where the nodes are ---- */

/* Which node of the tree each node of the job is, by its first process's host; or why that cannot be said. */
static void find_spots(tune_network_t *network, const tune_nodes_t *n, const char *host)
{
    int *node_at = calloc((size_t) network->tree->nodes, sizeof(*node_at)); /* + 1; 0: none */

    network->spot = calloc((size_t) n->num, sizeof(*network->spot));
    if (NULL == node_at || NULL == network->spot) {
        tune_out_of_memory();
    }
    for (int node = 0; node < n->num && '\0' == network->missing[0]; node++) {
        const char *name = host + (size_t) tune_rank_at(n, node, 0) * MPI_MAX_PROCESSOR_NAME;
        const int spot = napcoll_switch_tree_find(network->tree, name);

        if (spot < 0 || node_at[spot] > 0) {
            (void) snprintf(network->missing, TUNE_TEXT,
                            "%.256s does not have host %.256s, of rank %d%s", network->file, name,
                            tune_rank_at(n, node, 0), spot < 0 ? "" : ", for itself alone");
        } else {
            node_at[spot] = node + 1;
        }
        network->spot[node] = spot;
    }
    free(node_at);
}

bool tune_network_open(tune_t *t, char message[TUNE_TEXT])
{
    enum { NONE, HAS_TREE, BAD };
    tune_network_t *network = &t->network;
    char own[MPI_MAX_PROCESSOR_NAME] = "", *all = NULL;
    int state = NONE, length;

    if (TUNE_MACHINE != t->options.command) {
        return true;
    }
    if (0 == t->rank) {
        network->file = file_name();
        state = NULL == network->file ? NONE : read_tree(network, message) ? HAS_TREE : BAD;
    }
    tune_check(MPI_Bcast(&state, 1, MPI_INT, 0, t->comm), "MPI_Bcast");
    if (HAS_TREE != state) {
        return NONE == state;
    }
    if (0 == t->rank) {
        all = calloc((size_t) t->ranks, sizeof(own));
        if (NULL == all) {
            tune_out_of_memory();
        }
    }
    tune_check(MPI_Get_processor_name(own, &length), "MPI_Get_processor_name");
    tune_check(
        MPI_Gather(own, (int) sizeof(own), MPI_CHAR, all, (int) sizeof(own), MPI_CHAR, 0, t->comm),
        "MPI_Gather");
    if (0 == t->rank) {
        find_spots(network, &t->node, all);
        free(all);
    }
    return true;
}

void tune_network_close(tune_t *t)
{
    free(t->network.file);
    free(t->network.spot);
    napcoll_switch_tree_free(t->network.tree);
    t->network = (tune_network_t){.file = NULL};
}

/* ---- pairs, their messages, and what these took ---- */

void tune_choose_distances(tune_t *t)
{
    const tune_network_t *network = &t->network;
    tune_machine_t *m = t->machine;
    size_t most = 0;

    if (NULL == network->tree || '\0' != network->missing[0]) {
        return;
    }
    m->distances = napcoll_distances_choose(network->tree, network->spot, t->node.num, m->distance);
    if (m->distances < 0) {
        tune_out_of_memory();
    }
    for (int i = 0; i < m->sizes[NAPCOLL_LEVEL_NETWORK]; i++) {
        const size_t bytes = m->size[NAPCOLL_LEVEL_NETWORK][i];

        most = bytes > most ? bytes : most;
    }
    m->distance_bytes[0] = 8;
    m->distance_bytes[1] = most / 4;
    m->distance_bytes[2] = most;
}

void tune_add_distances(const tune_t *t, tune_list_t *list)
{
    tune_machine_t *m = t->machine;

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
                               .kept = &m->distance_trip[i],
                               .reduction = -1});
        }
    }
}

void tune_fit_distances(tune_machine_t *m)
{
    for (int i = 0; i < m->distances; i++) {
        if (0
            != napcoll_distances_measure(&m->distance_trip[i], m->distance_bytes,
                                         &m->distance[i])) {
            tune_out_of_memory();
        }
    }
}

/* ---- report ---- */

static const char *name_of(const tune_t *t, int node)
{
    return t->network.tree->node[t->network.spot[node]];
}

/* How far the peers of the pinger were, in the turns that there were. */
static void print_far(const tune_t *t, FILE *out, const char *prefix)
{
    const tune_network_t *network = &t->network;
    const tune_machine_t *m = t->machine;
    int least = NAPCOLL_MOST_DISTANCES, most = 0;

    for (int turn = 0; turn < m->turns && turn < t->node.num - 1; turn++) {
        const int peer = t->node.node_of[tune_far_peer(t, turn)];
        const int switches = napcoll_distances_between(network->tree, network->spot[m->from],
                                                       network->spot[peer]);

        least = switches < least ? switches : least;
        most = switches > most ? switches : most;
    }
    fprintf(out, "%s  the machine's one latency is that of %s and others", prefix,
            name_of(t, m->from));
    if (least == most) {
        fprintf(out, ", %d switch%s on the way\n", least, 1 == least ? "" : "es");
    } else {
        fprintf(out, " in turn, %d to %d switches on the way\n", least, most);
    }
}

static void print_distance(const tune_t *t, const napcoll_distance_t *d, FILE *out,
                           const char *prefix)
{
    fprintf(out, "%s  %8d %12.2f +- %-8.2f %10.4g +- %-8.2g  %s and %s\n", prefix, d->switches,
            1e6 * d->latency, 1e6 * d->latency_error, 1e-6 * d->rate, 1e-6 * d->rate_error,
            name_of(t, d->one), name_of(t, d->other));
}

void tune_report_distances(const tune_t *t, FILE *out, const char *prefix)
{
    const tune_network_t *network = &t->network;
    const tune_machine_t *m = t->machine;

    if (NULL == network->tree) {
        return;
    }
    if ('\0' != network->missing[0]) {
        fprintf(out, "%slatency by distance: not measured, as %s\n", prefix, network->missing);
        return;
    }
    fprintf(out, "%slatency by distance, half of a round trip of %zu bytes, and the rate of %zu\n",
            prefix, m->distance_bytes[0], m->distance_bytes[2]);
    fprintf(out, "%s  %8s %24s %22s  %s\n", prefix, "switches", "us", "10^6 bytes/s", "between");
    for (int i = 0; i < m->distances; i++) {
        print_distance(t, &m->distance[i], out, prefix);
    }
    for (int far = 1; far < m->distances; far++) {
        for (int near = 0; near < far; near++) {
            const napcoll_distance_t *n = &m->distance[near], *f = &m->distance[far];

            if (napcoll_distances_contradict(n, f)) {
                fprintf(
                    out,
                    "%s  WARNING: %s and %s, %d switches apart, are faster than %s and %s, %d apart: "
                    "is %s that of this network?\n",
                    prefix, name_of(t, f->one), name_of(t, f->other), f->switches,
                    name_of(t, n->one), name_of(t, n->other), n->switches, network->file);
            }
        }
    }
    print_far(t, out, prefix);
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
