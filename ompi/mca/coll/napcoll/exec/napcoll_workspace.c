/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What calls work with: one pool for all communicators, so that each of these holds nothing between its calls. An engine
 * takes a workspace at the first need of a call and gives it back when the call has ended. As many lie ready as calls of
 * different threads have ever been under way at once, up to a few; taking and giving are one atomic exchange each.
 */

#include "exec/napcoll_exec.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "exec/napcoll_personalized.h"
#include "exec/napcoll_buffer_pool.h"

enum { SPARE_WORKSPACES = 8 };

/* An engine without a communicator, whose memory the next call takes. */
static _Atomic(napcoll_engine_t *) spare[SPARE_WORKSPACES];

/* Free a workspace; NULL is none. */
static void destroy(napcoll_engine_t *workspace)
{
    if (NULL == workspace) {
        return;
    }
    if (NULL != workspace->personalized) {
        napcoll_personalized_end(workspace->personalized, 0);
        free(workspace->personalized);
    }
    napcoll_buffer_pool_give(workspace->scratch, workspace->scratch_size);
    free(workspace->request);
    free(workspace->due);
    free(workspace->status);
    free(workspace->base);
    free(workspace->start);
    free(workspace->place);
    free(workspace);
}

int napcoll_engine_take_workspace(napcoll_engine_t *engine)
{
    ompi_communicator_t *node_comm = engine->node_comm;
    napcoll_engine_t *workspace = NULL;

    for (int i = 0; i < SPARE_WORKSPACES && NULL == workspace; i++) {
        if (NULL != atomic_load_explicit(&spare[i], memory_order_relaxed)) {
            workspace = atomic_exchange_explicit(&spare[i], NULL, memory_order_acquire);
        }
    }
    if (NULL == workspace) {
        workspace = calloc(1, sizeof(*workspace));
        if (NULL == workspace) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    *engine = *workspace;
    engine->node_comm = node_comm;
    engine->workspace = workspace;
    return OMPI_SUCCESS;
}

/* Have a workspace's memory where it came from, and none in the engine. */
static napcoll_engine_t *detach(napcoll_engine_t *engine)
{
    napcoll_engine_t *workspace = engine->workspace;

    if (NULL != workspace) {
        *workspace = *engine;
        workspace->node_comm = NULL;
        workspace->workspace = NULL;
        *engine = (napcoll_engine_t){.node_comm = engine->node_comm};
    }
    return workspace;
}

void napcoll_engine_give_workspace(napcoll_engine_t *engine)
{
    napcoll_engine_t *workspace, *none;

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
    destroy(workspace);
}

void napcoll_engine_release(napcoll_engine_t *engine)
{
    destroy(detach(engine));
}

void napcoll_workspaces_free(void)
{
    for (int i = 0; i < SPARE_WORKSPACES; i++) {
        destroy(atomic_exchange(&spare[i], NULL));
    }
}
