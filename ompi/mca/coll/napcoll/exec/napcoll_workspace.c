/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Workspaces: the memory of calls. The process keeps a few for all communicators, as many as calls
 * of different threads were ever under way at once. To take and to give one is one atomic exchange.
 */

#include <stdatomic.h>
#include <stdlib.h>

#include "exec/napcoll_exec.h"
#include "exec/napcoll_host.h"
#include "exec/napcoll_personalized.h"
#include "util/napcoll_grow.h"

enum { SPARE_WORKSPACES = 8 };

static _Atomic(napcoll_workspace_t *) spare[SPARE_WORKSPACES];

static void free_workspace(napcoll_workspace_t *workspace)
{
    if (NULL == workspace) {
        return;
    }
    if (NULL != workspace->personalized) {
        napcoll_personalized_end(workspace->personalized, 0);
        free(workspace->personalized);
    }
    napcoll_buffer_give(&workspace->scratch);
    free(workspace->request);
    free(workspace->due);
    free(workspace->status);
    free(workspace->base);
    free(workspace->start);
    free(workspace->place);
    free(workspace);
}

/* The engine's workspace; NULL when memory ran out. */
static napcoll_workspace_t *workspace_of(napcoll_engine_t *engine)
{
    for (int i = 0; i < SPARE_WORKSPACES && NULL == engine->workspace; i++) {
        if (NULL != atomic_load_explicit(&spare[i], memory_order_relaxed)) {
            engine->workspace = atomic_exchange_explicit(&spare[i], NULL, memory_order_acquire);
        }
    }
    if (NULL == engine->workspace) {
        engine->workspace = calloc(1, sizeof(*engine->workspace));
    }
    return engine->workspace;
}

/* Take the workspace from the engine. */
static napcoll_workspace_t *detach(napcoll_engine_t *engine)
{
    napcoll_workspace_t *workspace = engine->workspace;

    *engine = (napcoll_engine_t){.node_comm = engine->node_comm};
    return workspace;
}

void napcoll_engine_give_workspace(napcoll_engine_t *engine)
{
    napcoll_workspace_t *workspace, *none;

    if (NULL == engine->workspace || engine->failed) {
        return;
    }
    workspace = detach(engine);
    for (int i = 0; i < SPARE_WORKSPACES; i++) {
        none = NULL;
        if (atomic_compare_exchange_strong_explicit(&spare[i], &none, workspace,
                                                    memory_order_release, memory_order_relaxed)) {
            return;
        }
    }
    free_workspace(workspace);
}

void napcoll_engine_release(napcoll_engine_t *engine)
{
    free_workspace(detach(engine));
}

void napcoll_workspaces_free(void)
{
    for (int i = 0; i < SPARE_WORKSPACES; i++) {
        free_workspace(atomic_exchange(&spare[i], NULL));
    }
}

int napcoll_engine_prepare(napcoll_engine_t *engine, const napcoll_plan_t *plan)
{
    napcoll_workspace_t *w = workspace_of(engine);
    const size_t messages = (size_t) plan->max_messages;
    const size_t buffers = NAPCOLL_BUFFER_TEMP + (size_t) plan->temps;

    return NULL != w && napcoll_grow(&w->base, &w->base_room, buffers, sizeof(*w->base))
                   && napcoll_grow(&w->request, &w->request_room, messages, sizeof(*w->request))
                   && napcoll_grow(&w->due, &w->due_room, messages, sizeof(*w->due))
                   && napcoll_grow(&w->status, &w->status_room, messages, sizeof(*w->status))
               ? OMPI_SUCCESS
               : OMPI_ERR_OUT_OF_RESOURCE;
}

int napcoll_engine_ranks(napcoll_engine_t *engine, int ranks)
{
    napcoll_workspace_t *w = workspace_of(engine);
    const size_t needed = (size_t) ranks + 1;

    if (NULL == w || !napcoll_grow(&w->start, &w->start_room, needed, sizeof(*w->start))
        || !napcoll_grow(&w->place, &w->place_room, needed, sizeof(*w->place))) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    engine->start = w->start;
    engine->place = w->place;
    return OMPI_SUCCESS;
}

int napcoll_engine_scratch(napcoll_engine_t *engine, ompi_datatype_t *datatype, size_t elements,
                           char **origin)
{
    napcoll_workspace_t *w = workspace_of(engine);
    ptrdiff_t gap;
    size_t bytes;
    int rc = napcoll_host_span(datatype, elements, &gap, &bytes);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL == w || !napcoll_buffer_take(&w->scratch, bytes)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *origin = napcoll_offset(w->scratch.memory, -gap);
    return OMPI_SUCCESS;
}

napcoll_personalized_t *napcoll_engine_personalized(napcoll_engine_t *engine)
{
    napcoll_workspace_t *w = workspace_of(engine);

    if (NULL != w && NULL == w->personalized) {
        w->personalized = calloc(1, sizeof(*w->personalized));
    }
    engine->personalized = NULL == w ? NULL : w->personalized;
    return engine->personalized;
}
