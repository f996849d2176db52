/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A hash table of structs that carry their own link. It grows with its entries; who looks one up compares the entries of
 * a chain that have the hash. Not safe for several threads at once.
 *
 *     for (link = napcoll_table_chain(table, hash); NULL != link; link = link->next)
 *         if (hash == link->hash && ...)
 */

#ifndef NAPCOLL_TABLE_H
#define NAPCOLL_TABLE_H

#include <stddef.h>
#include <stdint.h>

/** An entry's part in a table. */
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

/** The chain in which entries with a hash are, among others. */
static inline napcoll_table_link_t *napcoll_table_chain(const napcoll_table_t *table, uint64_t hash)
{
    return 0 == table->buckets ? NULL : table->bucket[hash & (table->buckets - 1)];
}

/** Add an entry. 0, or -1 when memory ran out and the table has no room at all. */
int napcoll_table_add(napcoll_table_t *table, napcoll_table_link_t *link, uint64_t hash);

/** Take an entry out that is in the table. */
void napcoll_table_remove(napcoll_table_t *table, napcoll_table_link_t *link);

/** Take any entry out; NULL where there is none. */
napcoll_table_link_t *napcoll_table_take(napcoll_table_t *table);

/** Free the table, which is empty then; entries are not touched. */
void napcoll_table_release(napcoll_table_t *table);

#endif /* NAPCOLL_TABLE_H */
