/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The load that the plans of all ranks put on the links of a network of switches, step by step.
 * Pure: no MPI.
 *
 * A link has two directions that do not disturb each other; each direction is a link of its own
 * here. A message between two nodes goes up to the lowest switch above both, and down from there:
 *
 *             s2                 n1 to n2:  n1 -> s0, s0 -> s2, s2 -> s1, s1 -> n2
 *           .'  '.               n0 to n1:  n0 -> s0, s0 -> n1
 *         s0      s1
 *        / |      | \            Both in one step are free of contention: no link has two messages.
 *      n0  n1    n2  n3
 *
 * Steps are counted over all ranks, as if every message took the same time and waited for its
 * receive: a rank's first stage with messages begins in step 0, each later one in the step after
 * the last message of the one before. A message goes in the first step in which both its ranks are
 * in its stages. Messages inside a node take steps, but are on no link. The stages of a plan of
 * several pieces are run once for each piece.
 *
 * Algorithms whose messages share no link in any step run at the rate of one link on any tree: P.
 * Patarasu, A. Faraj, X. Yuan, "Pipelined broadcast on Ethernet switched clusters", JPDC 68(6),
 * 2008.
 */

#ifndef NAPCOLL_LINKS_H
#define NAPCOLL_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

typedef enum {
    NAPCOLL_LINKS_OK = 0,
    /** A send without its receive, or a receive without its send. */
    NAPCOLL_LINKS_UNMATCHED,
    /** A phase of another component: its messages are not in the plans. */
    NAPCOLL_LINKS_PHASE,
    /** Ranks wait for one another. */
    NAPCOLL_LINKS_DEADLOCK,
    NAPCOLL_LINKS_STATUSES
} napcoll_links_status_t;

/**
 * The load of one link. Shares are relative to the bytes of the vector or of a rank's block
 * (napcoll_plan_share).
 */
typedef struct napcoll_link_load {
    /** Messages in all steps, and their share. */
    int64_t messages;
    double share;
    /** The step with most messages, their number and share. With as many messages the larger share
     * counts, then the first step; -1: none. */
    int64_t most;
    double most_share;
    int step;
} napcoll_link_load_t;

/**
 * The loads of all links. Each link has a lower end: a node of the map, or a switch s, which counts
 * as nodes + s. Link 2 e leads up from the lower end e, link 2 e + 1 down to it. The root's two
 * links carry nothing.
 */
typedef struct napcoll_links {
    /** Nodes of the map, and switches of its tree; 1 without a tree. */
    int nodes, switches;
    /** 2 (nodes + switches) */
    int links;
    /** Steps until the last message. */
    int steps;
    /** Messages of all plans, and those between nodes. */
    int64_t messages, network;
    /** The link with most messages in one step, then most bytes in it, then the first; -1: no link
     * carries any. */
    int worst;
    /** [links] */
    napcoll_link_load_t *load;
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

/** The upper end of a link: a switch, or -1 for links of the root. */
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
 * Compute the loads. All plans are kept at once, and 32 bytes for each message.
 *
 * @param[in]  source   makes the plans, in rank order
 * @param[in]  context  for source
 * @param[in]  map      the node map of the plans, with its tree; without one, all nodes are on one
 * switch
 * @param[out] links    the loads, which the caller frees (napcoll_links_free); NULL after an error
 *
 * @return NAPCOLL_LINKS_OK or what is wrong with the plans
 */
napcoll_links_status_t napcoll_plan_links(napcoll_plan_source_t source, void *context,
                                          const napcoll_node_map_t *map, napcoll_links_t **links);

/** Free the loads; NULL is allowed. */
void napcoll_links_free(napcoll_links_t *links);

/** A sentence on a status, static. */
const char *napcoll_links_status_help(napcoll_links_status_t status);

#endif /* NAPCOLL_LINKS_H */
