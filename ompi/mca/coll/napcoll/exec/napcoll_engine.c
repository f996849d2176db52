/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the engine holds between calls: made before a plan's first run, released with the
 * communicator.
 */

#include <stdlib.h>

#include "exec/napcoll_exec.h"
#include "exec/napcoll_host.h"
#include "exec/napcoll_personalized.h"
#include "exec/napcoll_buffer_pool.h"

int napcoll_engine_prepare(napcoll_engine_t *engine, const napcoll_plan_t *plan)
{
    int bases = NAPCOLL_BUFFER_TEMP + plan->temps;

    if (NULL == engine->workspace && OMPI_SUCCESS != napcoll_engine_take_workspace(engine)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (plan->max_messages > engine->request_room) {
        const size_t messages = (size_t) plan->max_messages;
        ompi_request_t **request = realloc(engine->request, messages * sizeof(*request));
        size_t *due = realloc(engine->due, messages * sizeof(*due));
        ompi_status_public_t *status = realloc(engine->status, messages * sizeof(*status));

        engine->request = NULL == request ? engine->request : request;
        engine->due = NULL == due ? engine->due : due;
        engine->status = NULL == status ? engine->status : status;
        if (NULL == request || NULL == due || NULL == status) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        engine->request_room = plan->max_messages;
    }
    if (bases > engine->base_room) {
        char **base = realloc(engine->base, (size_t) bases * sizeof(*base));
        if (NULL == base) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        engine->base = base;
        engine->base_room = bases;
    }
    return OMPI_SUCCESS;
}

int napcoll_engine_ranks(napcoll_engine_t *engine, int ranks)
{
    size_t *start;
    ptrdiff_t *place;

    if (NULL == engine->workspace && OMPI_SUCCESS != napcoll_engine_take_workspace(engine)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (ranks < engine->ranks_room) {
        return OMPI_SUCCESS;
    }
    start = realloc(engine->start, ((size_t) ranks + 1) * sizeof(*start));
    engine->start = NULL == start ? engine->start : start;
    place = realloc(engine->place, ((size_t) ranks + 1) * sizeof(*place));
    engine->place = NULL == place ? engine->place : place;
    if (NULL == start || NULL == place) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    engine->ranks_room = ranks + 1;
    return OMPI_SUCCESS;
}

void napcoll_engine_drop_scratch(napcoll_engine_t *engine)
{
    napcoll_buffer_pool_give(engine->scratch, engine->scratch_size);
    engine->scratch = NULL;
    engine->scratch_size = 0;
}

int napcoll_engine_scratch(napcoll_engine_t *engine, ompi_datatype_t *datatype, size_t elements,
                           char **origin)
{
    ptrdiff_t gap;
    size_t size;
    int rc = napcoll_host_span(datatype, elements, &gap, &size);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL == engine->workspace && OMPI_SUCCESS != napcoll_engine_take_workspace(engine)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (size > engine->scratch_size) {
        napcoll_engine_drop_scratch(engine);
        engine->scratch = napcoll_buffer_pool_take(size, &engine->scratch_size);
        if (NULL == engine->scratch) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    *origin = napcoll_offset(engine->scratch, -gap);
    return OMPI_SUCCESS;
}

napcoll_personalized_t *napcoll_engine_personalized(napcoll_engine_t *engine)
{
    if (NULL == engine->workspace && OMPI_SUCCESS != napcoll_engine_take_workspace(engine)) {
        return NULL;
    }
    if (NULL == engine->personalized) {
        engine->personalized = calloc(1, sizeof(*engine->personalized));
    }
    return engine->personalized;
}
