/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/* Packets in the order of time: a binary heap (see the header). */
#include "netlab-heap.h"

#include <stdlib.h>

static bool earlier(const struct packet *a, const struct packet *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}

bool heap_push(struct heap *heap, struct packet *packet)
{
    size_t i = heap->size;

    if (i == heap->capacity) {
        size_t capacity = 0 == i ? 4096 : 2 * i;
        struct packet **at = realloc(heap->at, capacity * sizeof(struct packet *));

        if (NULL == at) {
            return false;
        }
        heap->at = at;
        heap->capacity = capacity;
    }
    heap->size++;
    while (i > 0 && earlier(packet, heap->at[(i - 1) / 2])) {
        heap->at[i] = heap->at[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->at[i] = packet;
    return true;
}

struct packet *heap_pop(struct heap *heap)
{
    struct packet *first = heap->at[0];
    struct packet *last = heap->at[--heap->size];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= heap->size) {
            break;
        }
        if (child + 1 < heap->size && earlier(heap->at[child + 1], heap->at[child])) {
            child++;
        }
        if (!earlier(heap->at[child], last)) {
            break;
        }
        heap->at[i] = heap->at[child];
        i = child;
    }
    heap->at[i] = last;
    return first;
}
