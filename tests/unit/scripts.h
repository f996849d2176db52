/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * For the tests of the simulation and of estimates: a machine and plans to be estimated by hand.
 */

#ifndef NAPCOLL_TESTS_SCRIPTS_H
#define NAPCOLL_TESTS_SCRIPTS_H

#include "cmocka_setup.h"

#include "model/napcoll_machine.h"
#include "plan/napcoll_builder.h"
#include "topo/napcoll_node_map.h"

static inline napcoll_node_map_t *block_map(int nodes, int ppn)
{
    int *id = calloc((size_t) nodes * (size_t) ppn, sizeof(*id));
    napcoll_node_map_t *map = NULL;

    assert_non_null(id);
    for (int rank = 0; rank < nodes * ppn; rank++) {
        id[rank] = rank / ppn;
    }
    assert_int_equal(napcoll_node_map_create(id, nodes * ppn, &map), 0);
    free(id);
    return map;
}

/* A message machine whose numbers add up in the head: latency 1 us on a node, 10 us on the network,
 * 1 us per 1000 bytes; messages of 10000 bytes or more go by rendezvous. */
static inline napcoll_machine_t plain(void)
{
    napcoll_machine_t m = {.short_below_bytes = 0,
                           .eager_below_bytes = 10000,
                           .process_injection_mbyte_per_s = 1000,
                           .node_injection_mbyte_per_s = 2000,
                           .node_injection_from_processes = 3,
                           .node_injection_from_bytes = 10000,
                           .reduce_ns_per_byte = 0.5};

    for (int protocol = 0; protocol < NAPCOLL_PROTOCOLS; protocol++) {
        m.link[NAPCOLL_LEVEL_NODE][protocol] = (napcoll_link_t){1, 1};
        m.link[NAPCOLL_LEVEL_NETWORK][protocol] = (napcoll_link_t){10, 1};
    }
    return m;
}

/* What one rank does, in one stage or a part of it: sends to and receives from ranks (-1: none),
 * then reduces. */
typedef struct {
    int rank;
    int to;
    int from;
    int reductions;
} act_t;

typedef struct {
    /* Of all ranks, in the order of each rank's stages */
    const act_t *act;
    int acts;
} script_t;

static inline napcoll_plan_t *play(void *context, int rank)
{
    const script_t *script = context;
    const napcoll_span_t in = {.buffer = NAPCOLL_BUFFER_SEND, .count = 1};
    napcoll_builder_t *builder = napcoll_builder_new("allreduce", "script", rank, 1);

    for (int i = 0; i < script->acts; i++) {
        napcoll_span_t temp;

        if (script->act[i].rank != rank) {
            continue;
        }
        temp = napcoll_builder_temp(builder, 0, 1);
        if (script->act[i].from >= 0) {
            napcoll_builder_recv(builder, temp, script->act[i].from);
        }
        if (script->act[i].to >= 0) {
            napcoll_builder_send(builder, in, script->act[i].to);
        }
        for (int reduction = 0; reduction < script->act[i].reductions; reduction++) {
            napcoll_builder_reduce(builder, temp, in, temp);
        }
        /* acts of a rank that follow each other are one stage, up to one with reduces */
        if (i + 1 == script->acts || script->act[i + 1].rank != rank
            || script->act[i].reductions > 0) {
            napcoll_builder_next_stage(builder);
        }
    }
    return napcoll_builder_finish(builder);
}

#endif /* NAPCOLL_TESTS_SCRIPTS_H */
