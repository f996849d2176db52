/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The decision cache (see the header).
 */

#include "select/napcoll_decision_cache.h"

#include <stdlib.h>
#include <string.h>

#include "util/napcoll_mix.h"

static napcoll_decided_t *decided_of(napcoll_table_link_t *link)
{
    return (napcoll_decided_t *) (void *) ((char *) link - offsetof(napcoll_decided_t, link));
}

static uint64_t hash_of(const napcoll_decision_key_t *key)
{
    const napcoll_call_t *call = &key->call;
    const bool flags[] = {call->noncommutative, call->in_place, call->straight,  call->own_phases,
                          call->request,        key->limits,    key->jobs_differ};
    uint64_t hash = napcoll_mix((uint64_t) (uintptr_t) call->collective), bits = 0;

    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        bits |= (uint64_t) flags[i] << i;
    }
    hash = napcoll_mix(hash + (uint64_t) (uintptr_t) key->map);
    hash = napcoll_mix(hash + (uint64_t) key->rank);
    hash = napcoll_mix(hash + (uint64_t) key->force);
    hash = napcoll_mix(hash + (uint64_t) call->root);
    return napcoll_mix(hash + bits);
}

/* Whether two info keys ask for the same. */
static bool same_asked(const napcoll_rule_t *a, const napcoll_rule_t *b)
{
    if (NULL == a || NULL == b) {
        return a == b;
    }
    return a->collective == b->collective && a->action == b->action && a->algorithm == b->algorithm
           && a->local_radix == b->local_radix && a->segments == b->segments
           && a->inline_bytes == b->inline_bytes
           && 0 == memcmp(a->tunable, b->tunable, sizeof(a->tunable));
}

static bool same_key(const napcoll_decision_key_t *a, const napcoll_decision_key_t *b)
{
    return napcoll_call_is_alike(&a->call, &b->call) && a->map == b->map && a->rank == b->rank
           && a->force == b->force && a->first_root == b->first_root
           && a->jobs_differ == b->jobs_differ && a->limits == b->limits
           && same_asked(a->asked, b->asked);
}

napcoll_decided_t *napcoll_decided_create(const napcoll_decision_key_t *key)
{
    napcoll_decided_t *decided = calloc(1, sizeof(*decided));

    if (NULL == decided) {
        return NULL;
    }
    decided->key = *key;
    if (NULL != key->asked) {
        decided->asked = malloc(sizeof(*decided->asked));
        if (NULL == decided->asked) {
            free(decided);
            return NULL;
        }
        *decided->asked = *key->asked;
        decided->key.asked = decided->asked;
    }
    (void) napcoll_map_cache_retain(key->map);
    decided->users = 1;
    return decided;
}

/* Free an unused entry that is not in the table. */
static void destroy(napcoll_decision_cache_t *cache, napcoll_decided_t *decided)
{
    napcoll_plan_free(decided->plan[0]);
    napcoll_plan_free(decided->plan[1]);
    napcoll_map_cache_release(cache->maps, decided->key.map);
    free(decided->asked);
    free(decided);
}

/* Take an entry out of the list of unused ones. */
static void wake(napcoll_decision_cache_t *cache, napcoll_decided_t *decided)
{
    *(NULL == decided->older ? &cache->oldest : &decided->older->newer) = decided->newer;
    *(NULL == decided->newer ? &cache->newest : &decided->newer->older) = decided->older;
    decided->older = decided->newer = NULL;
    cache->idle--;
    cache->idle_bytes -= decided->bytes;
}

/* Put an entry at the end of that list, and free its first entries beyond the limits. */
static void idle(napcoll_decision_cache_t *cache, napcoll_decided_t *decided)
{
    decided->older = cache->newest;
    *(NULL == cache->newest ? &cache->oldest : &cache->newest->newer) = decided;
    cache->newest = decided;
    cache->idle++;
    cache->idle_bytes += decided->bytes;
    while (cache->idle > NAPCOLL_IDLE_DECISIONS || cache->idle_bytes > NAPCOLL_IDLE_BYTES) {
        napcoll_decided_t *first = cache->oldest;

        wake(cache, first);
        napcoll_table_remove(&cache->table, &first->link);
        destroy(cache, first);
    }
}

napcoll_decided_t *napcoll_decision_cache_find(napcoll_decision_cache_t *cache,
                                               const napcoll_decision_key_t *key, size_t bytes)
{
    const uint64_t hash = hash_of(key);
    napcoll_table_link_t *link;

    for (link = napcoll_table_chain(&cache->table, hash); NULL != link; link = link->next) {
        napcoll_decided_t *decided = decided_of(link);

        if (hash == link->hash && bytes >= decided->decision.least
            && bytes <= decided->decision.most && same_key(key, &decided->key)) {
            if (0 == decided->users++) {
                wake(cache, decided);
            }
            return decided;
        }
    }
    return NULL;
}

static size_t bytes_of(const napcoll_decided_t *decided)
{
    size_t bytes = sizeof(*decided) + (NULL == decided->asked ? 0 : sizeof(*decided->asked));

    for (int in_place = 0; in_place < 2; in_place++) {
        bytes += NULL == decided->plan[in_place] ? 0 : napcoll_plan_bytes(decided->plan[in_place]);
    }
    return bytes;
}

void napcoll_decision_cache_share(napcoll_decision_cache_t *cache, napcoll_decided_t **decided)
{
    napcoll_decided_t *made = *decided;
    napcoll_decided_t *other = napcoll_decision_cache_find(cache, &made->key, made->decision.most);

    if (NULL != other) {
        destroy(cache, made);
        *decided = other;
        return;
    }
    made->bytes = bytes_of(made);
    made->shared = 0 == napcoll_table_add(&cache->table, &made->link, hash_of(&made->key));
}

void napcoll_decision_cache_release(napcoll_decision_cache_t *cache, napcoll_decided_t *decided)
{
    if (NULL == decided || --decided->users > 0) {
        return;
    }
    if (decided->shared) {
        idle(cache, decided);
    } else {
        destroy(cache, decided);
    }
}

void napcoll_decision_cache_clear(napcoll_decision_cache_t *cache)
{
    napcoll_table_link_t *link;

    while (NULL != (link = napcoll_table_take(&cache->table))) {
        napcoll_decided_t *decided = decided_of(link);

        decided->shared = false;
        if (0 == decided->users) {
            destroy(cache, decided);
        }
    }
    napcoll_table_release(&cache->table);
    *cache = (napcoll_decision_cache_t){.maps = cache->maps};
}
