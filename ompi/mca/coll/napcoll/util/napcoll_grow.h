/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Arrays that grow.
 */

#ifndef NAPCOLL_GROW_H
#define NAPCOLL_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/**
 * Make room in an array.
 *
 * @param[in,out] array   the address of the pointer to the array, which is NULL at first
 * @param[in,out] room    entries for which it has memory
 * @param[in]     needed  entries for which it must have memory
 * @param[in]     entry   bytes of an entry
 *
 * @return false when memory ran out; the array is unchanged then
 */
static inline bool napcoll_grow(void *array, size_t *room, size_t needed, size_t entry)
{
    const size_t least = 16, wanted = 2 * *room > least ? 2 * *room : least;
    const size_t larger = needed > wanted ? needed : wanted;
    void *memory;

    if (needed <= *room) {
        return true;
    }
    memcpy(&memory, array, sizeof(memory));
    memory = realloc(memory, larger * entry);
    if (NULL == memory) {
        return false;
    }
    memcpy(array, &memory, sizeof(memory));
    *room = larger;
    return true;
}

#endif /* NAPCOLL_GROW_H */
