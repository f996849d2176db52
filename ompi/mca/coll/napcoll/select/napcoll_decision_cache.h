/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Decisions and their plans, for all communicators of a process: reference-counted, and kept for a
 * while when nobody uses them. Pure: no MPI in here; one caller at a time. Entries do not change
 * once they are shared, so users read them without a lock.
 *
 * Which entries a process has depends on its past, and may differ between the ranks of a
 * communicator. So the key has all that a decision rests on: a rank without the entry takes the
 * same decision again.
 */

#ifndef NAPCOLL_DECISION_CACHE_H
#define NAPCOLL_DECISION_CACHE_H

#include "select/napcoll_uneven.h"
#include "topo/napcoll_map_cache.h"

enum {
    /** entries kept at most that nobody uses */
    NAPCOLL_IDLE_DECISIONS = 1024,
    /** of these, with their plans */
    NAPCOLL_IDLE_BYTES = 1024 * 1024
};

/** What a decision and its plans rest on, besides the component's settings. */
typedef struct napcoll_decision_key {
    /** bytes do not matter */
    napcoll_call_t call;
    /** the call's, shared: equal maps have one address */
    napcoll_node_map_t *map;
    /** what an info key names besides the algorithm, compared by value; NULL: nothing */
    const napcoll_rule_t *asked;
    int rank;
    int force;
    /** the root for which the algorithm was chosen: on one communicator the first of its class */
    int first_root;
    /** see mca_coll_napcoll_module_t */
    bool jobs_differ;
    /** what is estimated is where rounds pay: there are no plans */
    bool limits;
} napcoll_decision_key_t;

/** A decision that was taken, and the plans that serve it. */
typedef struct napcoll_decided {
    napcoll_decision_key_t key;
    napcoll_decision_t decision;
    /** if the key says so */
    napcoll_limits_t limits;
    /** [1] is in place; NULL where there is none */
    napcoll_plan_t *plan[2];
    /** for blocks that stop, of the process with the most: the same on all ranks */
    int slots;

    /* the cache's */

    /** the key's */
    napcoll_rule_t *asked;
    int users;
    /** it is in the cache, by its link */
    bool shared;
    size_t bytes;
    napcoll_table_link_t link;
    /** neighbours in the list of unused entries */
    struct napcoll_decided *older;
    struct napcoll_decided *newer;
} napcoll_decided_t;

/** Set maps, the rest to 0. */
typedef struct napcoll_decision_cache {
    /** of the keys */
    napcoll_map_cache_t *maps;
    napcoll_table_t table;
    int idle;
    size_t idle_bytes;
    /** of the unused entries */
    napcoll_decided_t *oldest;
    napcoll_decided_t *newest;
} napcoll_decision_cache_t;

/** A new entry without a decision, which its maker is to release; it uses the key's map. NULL when
 * memory ran out. */
napcoll_decided_t *napcoll_decided_create(const napcoll_decision_key_t *key);

/** Find the decision on calls of this number of bytes; NULL: there is none. The caller releases it.
 * */
napcoll_decided_t *napcoll_decision_cache_find(napcoll_decision_cache_t *cache,
                                               const napcoll_decision_key_t *key, size_t bytes);

/**
 * Share an entry whose decision and plans are complete.
 *
 * @param[in,out] cache    the cache
 * @param[in,out] decided  a new entry; then the one to use, to be released: the same, or one that
 *                         another thread has added, and the new one is freed
 */
void napcoll_decision_cache_share(napcoll_decision_cache_t *cache, napcoll_decided_t **decided);

/** Release an entry, shared or not; NULL is allowed. Those that nobody uses stay as long as there
 * is room. */
void napcoll_decision_cache_release(napcoll_decision_cache_t *cache, napcoll_decided_t *decided);

/** Free all that nobody uses; what is in use is freed by its last user. */
void napcoll_decision_cache_clear(napcoll_decision_cache_t *cache);

#endif /* NAPCOLL_DECISION_CACHE_H */
