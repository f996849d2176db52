/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The collectives that napcoll replaces: one list, from which come the enumeration, the functions
 * of the module, the slots of the communicator's table, the tables of algorithms and the calls of
 * the fallback functions.
 */

#ifndef MCA_COLL_NAPCOLL_CALLS_H
#define MCA_COLL_NAPCOLL_CALLS_H

#include "compat/napcoll_compat.h"
#include "exec/napcoll_buffers.h"

/**
 * X(ENUM, name, PREFIX) for each collective: ENUM as in MCA_COLL_BASE_TAG_ENUM, name as in
 * coll_NAME and mca_coll_base_module_NAME_fn_t, PREFIX as in PREFIX_ARGS of coll_base_functions.h.
 * Neighbourhood collectives come last.
 * The nonblocking and persistent functions have the names coll_iNAME and coll_NAME_init.
 */
#define NAPCOLL_FOR_EACH_COLLECTIVE(X)                                \
    X(ALLREDUCE, allreduce, ALLREDUCE)                                \
    X(REDUCE, reduce, REDUCE)                                         \
    X(BARRIER, barrier, BARRIER)                                      \
    X(ALLGATHER, allgather, ALLGATHER)                                \
    X(ALLGATHERV, allgatherv, ALLGATHERV)                             \
    X(REDUCE_SCATTER, reduce_scatter, REDUCESCATTER)                  \
    X(REDUCE_SCATTER_BLOCK, reduce_scatter_block, REDUCESCATTERBLOCK) \
    X(SCAN, scan, SCAN)                                               \
    X(EXSCAN, exscan, EXSCAN)                                         \
    X(BCAST, bcast, BCAST)                                            \
    X(ALLTOALL, alltoall, ALLTOALL)                                   \
    X(ALLTOALLV, alltoallv, ALLTOALLV)                                \
    X(ALLTOALLW, alltoallw, ALLTOALLW)                                \
    X(GATHER, gather, GATHER)                                         \
    X(GATHERV, gatherv, GATHERV)                                      \
    X(SCATTER, scatter, SCATTER)                                      \
    X(SCATTERV, scatterv, SCATTERV)                                   \
    X(NEIGHBOR_ALLGATHER, neighbor_allgather, NEIGHBOR_ALLGATHER)     \
    X(NEIGHBOR_ALLGATHERV, neighbor_allgatherv, NEIGHBOR_ALLGATHERV)  \
    X(NEIGHBOR_ALLTOALL, neighbor_alltoall, NEIGHBOR_ALLTOALL)        \
    X(NEIGHBOR_ALLTOALLV, neighbor_alltoallv, NEIGHBOR_ALLTOALLV)     \
    X(NEIGHBOR_ALLTOALLW, neighbor_alltoallw, NEIGHBOR_ALLTOALLW)

/** The collectives, in the order of the list. */
typedef enum {
#define NAPCOLL_ENUMERATOR(ENUM, name, PREFIX) NAPCOLL_COLL_##ENUM,
    NAPCOLL_FOR_EACH_COLLECTIVE(NAPCOLL_ENUMERATOR)
#undef NAPCOLL_ENUMERATOR
        NAPCOLL_COLLS
} napcoll_coll_t;

/** Whether blocks go along the edges of the communicator's topology. */
static inline bool mca_coll_napcoll_is_neighbor(napcoll_coll_t coll)
{
    return coll >= NAPCOLL_COLL_NEIGHBOR_ALLGATHER;
}

/* The framework has types of its own only for neighbor_alltoallw. */
#define NAPCOLL_NEIGHBOR_TYPES(name)                                                          \
    typedef mca_coll_base_module_##name##_fn_t mca_coll_base_module_neighbor_##name##_fn_t;   \
    typedef mca_coll_base_module_i##name##_fn_t mca_coll_base_module_ineighbor_##name##_fn_t; \
    typedef mca_coll_base_module_##name##_init_fn_t                                           \
        mca_coll_base_module_neighbor_##name##_init_fn_t;
NAPCOLL_NEIGHBOR_TYPES(allgather)
NAPCOLL_NEIGHBOR_TYPES(allgatherv)
NAPCOLL_NEIGHBOR_TYPES(alltoall)
NAPCOLL_NEIGHBOR_TYPES(alltoallv)
#undef NAPCOLL_NEIGHBOR_TYPES

/* The functions of the module (coll_napcoll_calls.c). */
#define NAPCOLL_PROTOTYPES(ENUM, name, PREFIX)      \
    int mca_coll_napcoll_##name(PREFIX##_ARGS);     \
    int mca_coll_napcoll_i##name(I##PREFIX##_ARGS); \
    int mca_coll_napcoll_##name##_init(PREFIX##_INIT_ARGS);
NAPCOLL_FOR_EACH_COLLECTIVE(NAPCOLL_PROTOTYPES)
#undef NAPCOLL_PROTOTYPES

#endif /* MCA_COLL_NAPCOLL_CALLS_H */
