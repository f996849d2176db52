/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the communicators of a process share: node maps, decisions and plans. Nothing in here
 * communicates, and a new entry is the same as one that was there. So ranks whose caches differ
 * stay in step.
 */

#include "coll_napcoll.h"

void mca_coll_napcoll_shared_open(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    OBJ_CONSTRUCT(&component->shared_lock, opal_mutex_t);
    component->maps = (napcoll_map_cache_t){0};
    component->decisions = (napcoll_decision_cache_t){.maps = &component->maps};
}

void mca_coll_napcoll_shared_close(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    napcoll_decision_cache_clear(&component->decisions);
    napcoll_map_cache_clear(&component->maps);
    napcoll_operations_free();
    OBJ_DESTRUCT(&component->shared_lock);
}

void mca_coll_napcoll_share_map(mca_coll_napcoll_module_t *module)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    opal_mutex_lock(&component->shared_lock);
    module->map = napcoll_map_cache_share(&component->maps, module->map);
    opal_mutex_unlock(&component->shared_lock);
}

void mca_coll_napcoll_release_map(mca_coll_napcoll_module_t *module)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    opal_mutex_lock(&component->shared_lock);
    napcoll_map_cache_release(&component->maps, module->map);
    opal_mutex_unlock(&component->shared_lock);
    module->map = NULL;
}

napcoll_decided_t *mca_coll_napcoll_make_decided(const napcoll_decision_key_t *key)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    napcoll_decided_t *made;

    opal_mutex_lock(&component->shared_lock);
    made = napcoll_decided_create(key);
    opal_mutex_unlock(&component->shared_lock);
    return made;
}

napcoll_decided_t *mca_coll_napcoll_find_decided(const napcoll_decision_key_t *key, size_t bytes)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    napcoll_decided_t *found;

    opal_mutex_lock(&component->shared_lock);
    found = napcoll_decision_cache_find(&component->decisions, key, bytes);
    opal_mutex_unlock(&component->shared_lock);
    return found;
}

void mca_coll_napcoll_share_decided(napcoll_decided_t **decided)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    opal_mutex_lock(&component->shared_lock);
    napcoll_decision_cache_share(&component->decisions, decided);
    opal_mutex_unlock(&component->shared_lock);
}

void mca_coll_napcoll_release_decided(napcoll_decided_t *decided)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    opal_mutex_lock(&component->shared_lock);
    napcoll_decision_cache_release(&component->decisions, decided);
    opal_mutex_unlock(&component->shared_lock);
}
