/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A hash table of structs that contain its links. It grows with its entries. The caller looks an
 * entry up by comparing all entries of a chain that have the hash. Not thread-safe.
 *
 *     for (link = napcoll_table_chain(table, hash); NULL != link; link = link->next)
 *         if (hash == link->hash && ...)
 */

#ifndef NAPCOLL_TABLE_H
#define NAPCOLL_TABLE_H

#include <stddef.h>
#include <stdint.h>

/** The link in an entry. */
typedef struct napcoll_table_link {
    struct napcoll_table_link *next;
    uint64_t hash;
} napcoll_table_link_t;

/** All zero: no entries, no memory. */
typedef struct napcoll_table {
    /** [buckets] chains; a power of two */
    napcoll_table_link_t **bucket;
    size_t buckets;
    size_t entries;
} napcoll_table_t;

/** The chain that contains the entries of a hash, and others. */
static inline napcoll_table_link_t *napcoll_table_chain(const napcoll_table_t *table, uint64_t hash)
{
    return 0 == table->buckets ? NULL : table->bucket[hash & (table->buckets - 1)];
}

/** Add an entry. Returns 0, or -1 when memory ran out and the table has no bucket. */
int napcoll_table_add(napcoll_table_t *table, napcoll_table_link_t *link, uint64_t hash);

/** Remove an entry of the table. */
void napcoll_table_remove(napcoll_table_t *table, napcoll_table_link_t *link);

/** Remove any entry and return it; NULL: there is none. */
napcoll_table_link_t *napcoll_table_take(napcoll_table_t *table);

/** Free the table, which is empty then, but not its entries. */
void napcoll_table_release(napcoll_table_t *table);

#endif /* NAPCOLL_TABLE_H */
