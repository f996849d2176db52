/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A hash table (see the header).
 */

#include "util/napcoll_table.h"

#include <stdlib.h>

enum { LEAST_BUCKETS = 64 };

static void put(napcoll_table_t *table, napcoll_table_link_t *link)
{
    napcoll_table_link_t **chain = &table->bucket[link->hash & (table->buckets - 1)];

    link->next = *chain;
    *chain = link;
}

/* Double the buckets. When memory runs out the old ones stay. */
static void grow(napcoll_table_t *table)
{
    napcoll_table_t larger = {.buckets = table->buckets > 0 ? 2 * table->buckets : LEAST_BUCKETS,
                              .entries = table->entries};

    larger.bucket = calloc(larger.buckets, sizeof(*larger.bucket));
    if (NULL == larger.bucket) {
        return;
    }
    for (size_t i = 0; i < table->buckets; i++) {
        while (NULL != table->bucket[i]) {
            napcoll_table_link_t *link = table->bucket[i];

            table->bucket[i] = link->next;
            put(&larger, link);
        }
    }
    free(table->bucket);
    *table = larger;
}

int napcoll_table_add(napcoll_table_t *table, napcoll_table_link_t *link, uint64_t hash)
{
    if (table->entries >= table->buckets) {
        grow(table);
    }
    if (0 == table->buckets) {
        return -1;
    }
    link->hash = hash;
    put(table, link);
    table->entries++;
    return 0;
}

void napcoll_table_remove(napcoll_table_t *table, napcoll_table_link_t *link)
{
    napcoll_table_link_t **at = &table->bucket[link->hash & (table->buckets - 1)];

    while (link != *at) {
        at = &(*at)->next;
    }
    *at = link->next;
    link->next = NULL;
    table->entries--;
}

napcoll_table_link_t *napcoll_table_take(napcoll_table_t *table)
{
    for (size_t i = 0; i < table->buckets; i++) {
        napcoll_table_link_t *link = table->bucket[i];

        if (NULL != link) {
            napcoll_table_remove(table, link);
            return link;
        }
    }
    return NULL;
}

void napcoll_table_release(napcoll_table_t *table)
{
    free(table->bucket);
    *table = (napcoll_table_t){0};
}
