/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the plans of all ranks put on the links of a network of switches, step by step. Pure: no MPI in
 * here.
 *
 * A link has two directions that do not disturb each other, and each is a link of its own here. A
 * message between two nodes goes up to the lowest switch that is above both, and down from there:
 *
 *             s2                 n1 to n2:  n1 -> s0, s0 -> s2, s2 -> s1, s1 -> n2
 *           .'  '.               n0 to n1:  n0 -> s0, s0 -> n1
 *         s0      s1
 *        / |      | \            Both in one step are free of contention: no link has two messages.
 *      n0  n1    n2  n3
 *
 * The steps are those of all ranks together, as when every message takes the same time and waits for its
 * receive: a rank's first stage with messages begins in step 0, each later one in the step after the
 * last message of the one before (stages without messages take none), and a message goes in the first
 * step in which both its ranks are in its stages. Messages inside a node take steps like the others,
 * but are on no link. A plan of several pieces is run once for each: its first stage follows its last one.
 *
 * Algorithms whose messages share no link in any step run at the rate of one link, whatever the tree:
 * P. Patarasu, A. Faraj, X. Yuan, "Pipelined broadcast on Ethernet switched clusters", JPDC 68(6), 2008,
 * which has them for broadcasts.
 */

#ifndef NAPCOLL_PLAN_LINKS_H
#define NAPCOLL_PLAN_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

typedef enum {
    NAPCOLL_LINKS_OK = 0,
    NAPCOLL_LINKS_NO_MEMORY,
    NAPCOLL_LINKS_UNMATCHED, /**< a send without its receive, or the other way */
    NAPCOLL_LINKS_PHASE,     /**< a local phase: what its provider sends is not in the plans */
    NAPCOLL_LINKS_DEADLOCK,  /**< ranks wait for one another */
    NAPCOLL_LINKS_STATUSES
} napcoll_links_status_t;

/**
 * What goes over one link. Shares are parts of the vector's bytes, or of those of a rank's block (see
 * napcoll_plan_share). Of several steps with most messages, that with most bytes counts, then the first.
 */
typedef struct napcoll_link_load {
    int64_t messages;  /**< in all steps */
    double share;      /**< of all of them */
    int64_t most;      /**< messages in the step that has most of them */
    int step;          /**< that step; -1: none */
    double most_share; /**< of its messages */
} napcoll_link_load_t;

/**
 * The loads of all links. Each link has a lower end: a node of the map, or a switch s, which counts as
 * nodes + s. Link 2 e leads up from the lower end e, link 2 e + 1 down to it. The root's two are there, too,
 * and carry nothing. The worst link is the one with most messages in one step: of several the one with most
 * bytes in it, then the first.
 */
typedef struct napcoll_links {
    int nodes;                 /**< of the map */
    int switches;              /**< of its tree; 1 where it has none */
    int links;                 /**< 2 (nodes + switches) */
    int steps;                 /**< until the last message; 0 without any */
    int64_t messages;          /**< of all plans */
    int64_t network;           /**< those of them between nodes */
    int worst;                 /**< the worst link; -1 without messages between nodes */
    napcoll_link_load_t *load; /**< [links] */
} napcoll_links_t;

/** The lower end of a link: a node of the map, or nodes + a switch. */
static inline int napcoll_link_end(int link)
{
    return link / 2;
}

/** Whether a link leads up. */
static inline bool napcoll_link_is_up(int link)
{
    return 0 == link % 2;
}

/** The upper end of a link: a switch, or -1 for those of the root. */
static inline int napcoll_link_switch(const napcoll_node_map_t *map, int link)
{
    const int end = napcoll_link_end(link);

    if (NULL == map->tree) {
        return end < map->nodes ? 0 : -1;
    }
    return end < map->nodes ? map->tree->switch_of[map->spot[end]]
                            : map->tree->at[end - map->nodes].parent;
}

/** Whether no link has two messages in any step. */
static inline bool napcoll_links_contention_free(const napcoll_links_t *links)
{
    return links->worst < 0 || links->load[links->worst].most <= 1;
}

/**
 * Find out what plans put on the links.
 *
 * Holds all plans at once, and 32 bytes per message besides. A message takes time with the logarithm of
 * those of its ranks, and with the switches on its way.
 *
 * @param[in]  source   makes the plans, in rank order
 * @param[in]  context  for source
 * @param[in]  map      the node map that they are made for, with its tree; without one, all nodes hang on
 *                      one switch
 * @param[out] links    the loads, which the caller frees (napcoll_links_free); NULL after an error
 *
 * @return NAPCOLL_LINKS_OK or what is wrong
 */
napcoll_links_status_t napcoll_plan_links(napcoll_plan_source_t source, void *context,
                                          const napcoll_node_map_t *map, napcoll_links_t **links);

/** Free the loads; NULL is allowed. */
void napcoll_links_free(napcoll_links_t *links);

/** A sentence on a status, static. */
const char *napcoll_links_status_help(napcoll_links_status_t status);

#endif /* NAPCOLL_PLAN_LINKS_H */
