/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What an algorithm is: a row in its collective's table. Pure: no MPI in here.
 *
 * Parameters, ompi_info texts, eligibility, fallback reasons, tests and tools all read these
 * tables. A new algorithm is one file with its generator and one row.
 */

#ifndef NAPCOLL_ALGO_H
#define NAPCOLL_ALGO_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/napcoll_builder.h"
#include "plan/napcoll_goal.h"
#include "topo/napcoll_node_map.h"

/** What carries out local phases. */
typedef enum {
    NAPCOLL_PROVIDER_P2P,      /**< phases are expanded into messages of the plan */
    NAPCOLL_PROVIDER_DELEGATE, /**< the collectives of a subcommunicator on the node */
    NAPCOLL_PROVIDERS
} napcoll_provider_t;

enum {
    NAPCOLL_MAX_TUNABLES = 2,
    NAPCOLL_TUNABLE_MOST = 65536 /**< the largest value of a tunable, unless its row has another */
};

/**
 * How the p2p provider does an allreduce inside a node. Both reduce alike, so nodes may differ, but
 * not the processes of one node.
 */
typedef enum {
    NAPCOLL_SHAPE_AUTO,     /**< a tree where processes share cores, else exchanges */
    NAPCOLL_SHAPE_EXCHANGE, /**< recursive multiplying: fewest steps */
    NAPCOLL_SHAPE_TREE,     /**< reduce to the leader, then broadcast: fewest messages */
    NAPCOLL_SHAPES
} napcoll_shape_t;

/** All that a plan depends on besides the node map and the rank; two equal ones share a plan. */
typedef struct napcoll_params {
    bool in_place; /**< input is in the receive buffer */
    bool
        noncommutative; /**< contributions must be reduced in rank order (the op does not commute) */
    bool reproducible;  /**< ... and by halves of the ranks: the same bits on any nodes */
    bool bounded;       /**< no block is larger than all ranks know, so that sizes can go along */
    int root;           /**< of a reduce, broadcast, gather or scatter */
    int segments; /**< pieces of a vector that follow each other through a pipeline, or of blocks, where
                            the row says that it cuts them; 0 is 1 */
    napcoll_provider_t provider;
    int local_radix;                   /**< fan-out of local phases in the p2p provider, >= 2 */
    bool local_tree;                   /**< p2p: local allreduces by a tree, not by exchanges */
    int tunable[NAPCOLL_MAX_TUNABLES]; /**< the algorithm's own, in the order of its row */
} napcoll_params_t;

/** One rank's question for a plan. */
typedef struct napcoll_plan_args {
    const struct napcoll_collective *collective;
    const struct napcoll_algorithm *algorithm; /**< a row of the collective's */
    const napcoll_node_map_t *map;
    int rank;
    bool sketch;    /**< the plan is for an estimate only (napcoll_plan.h) */
    bool shortened; /**< ... and one of many like stages stands for all */
    bool rough;     /**< ... and stages of very many messages are several */
    napcoll_params_t params;
} napcoll_plan_args_t;

/** A radix over nodes that is the first tunable. */
static inline int napcoll_params_radix(const napcoll_params_t *params)
{
    return params->tunable[0] < 2 ? 2 : params->tunable[0];
}

/** The buffer that a rank's input is in: the send or, in place, the receive buffer. */
int napcoll_plan_args_input_buffer(const napcoll_plan_args_t *args);

/** Whether the blocks of the user's larger buffer do not lie in the order of their numbers, or not side
 * by side, in the layout of ranks (napcoll_plan_t). */
bool napcoll_plan_args_scattered(const napcoll_plan_args_t *args);

/** A reduction's input, where the vector is one block. */
static inline napcoll_span_t napcoll_plan_args_input(const napcoll_plan_args_t *args)
{
    return (napcoll_span_t){.buffer = napcoll_plan_args_input_buffer(args), .count = 1};
}

/** The root, of a reduce that to which its result is led; rank 0 where the collective has none. */
int napcoll_plan_args_root(const napcoll_plan_args_t *args);

/** Whether the rank gets a result in its receive buffer. */
bool napcoll_plan_args_takes(const napcoll_plan_args_t *args);

/**
 * The builder of a request's plan. Where the input is in the send buffer and phases of the delegate do
 * not write to the receive buffer, that one serves as a temporary (napcoll_builder_lend_recvbuf).
 *
 * @param[in] request  the request
 * @param[in] layout   of the plan
 * @param[in] blocks   pieces of the vector; ranks and slots need none
 *
 * @return the builder; NULL when memory ran out
 */
napcoll_builder_t *napcoll_plan_args_builder(const napcoll_plan_args_t *args,
                                             napcoll_layout_t layout, int blocks);

/** What an algorithm needs; a set of flags. */
typedef enum {
    NAPCOLL_NEEDS_NOTHING = 0,
    NAPCOLL_NEEDS_SHARED_NODE = 1,   /**< some node with two processes or more */
    NAPCOLL_NEEDS_NODE_ORDER = 2,    /**< contiguous nodes, where the op does not commute */
    NAPCOLL_NEEDS_COMMUTATIVE = 4,   /**< an op that commutes */
    NAPCOLL_NEEDS_CONTIGUOUS = 8,    /**< contiguous nodes, for any op */
    NAPCOLL_NEEDS_POWER_OF_TWO = 16, /**< so many ranks */
    NAPCOLL_NEEDS_EQUAL_NODES = 32   /**< with as many processes each */
} napcoll_needs_t;

/** Why an algorithm, or napcoll as a whole, does not do a call. The names are user interface. */
typedef enum {
    NAPCOLL_REASON_NONE,
    NAPCOLL_REASON_FALLBACK,       /**< the parameter or info key asks for the fallback function */
    NAPCOLL_REASON_RULES,          /**< so does a rule of the rules file */
    NAPCOLL_REASON_NONCOMMUTATIVE, /**< the order of the op cannot be kept on this placement */
    NAPCOLL_REASON_PLACEMENT,      /**< the ranks of some node are not one interval */
    NAPCOLL_REASON_POWER_OF_TWO,   /**< the number of ranks is none */
    NAPCOLL_REASON_REPRODUCIBLE,   /**< the algorithm's bits depend on the nodes */
    NAPCOLL_REASON_PPN,            /**< no node has a second process */
    NAPCOLL_REASON_ONE_NODE,       /**< all processes share one node */
    NAPCOLL_REASON_UNEQUAL_NODES,  /**< nodes have different numbers of processes */
    NAPCOLL_REASON_SIZES,          /**< it does not pay to agree on the sizes of blocks */
    NAPCOLL_REASON_MEMORY,         /**< temporaries could take more than is allowed */
    NAPCOLL_REASON_ONLINE, /**< the online check times the fallback function, or found it faster */
    NAPCOLL_REASON_JOBS,   /**< the communicator joins jobs that would choose differently */
    NAPCOLL_REASON_WRONG_PLAN, /**< the verifier found the plan to be wrong */
    /** auto tries none: on an unmeasured machine by napcoll_structure.h, or with so many processes */
    NAPCOLL_REASON_STRUCTURE,
    NAPCOLL_REASONS
} napcoll_reason_t;

/** What the model does about a tunable that is 0. In a plan 0 is left to the generator. */
typedef enum {
    NAPCOLL_TUNES_NOTHING,     /**< a number like others */
    NAPCOLL_TUNES_RADIX,       /**< a radix over nodes: it tries powers of two */
    NAPCOLL_TUNES_RADIX_RANKS, /**< the same over all ranks */
    NAPCOLL_TUNES_RADIX_LANES, /**< the same over the processes of a node */
    NAPCOLL_TUNES_CHOICE,      /**< one of names: it tries all of them */
    NAPCOLL_TUNES_SEGMENTS, /**< so many pieces of a pipeline: it tries a few, Hockney's among them */
    NAPCOLL_TUNES_PIECES, /**< bytes of a block's piece, where the thresholds warn (napcoll_thresholds.h) */
    NAPCOLL_TUNES_WINDOW, /**< how many of these are under way at once there; 0 elsewhere */
} napcoll_tunes_t;

/** A number that users can set for one algorithm. */
typedef struct napcoll_tunable {
    const char *name; /**< parameter coll_napcoll_COLL_ALGORITHM_name; NULL ends a list */
    const char *help; /**< for ompi_info */
    int initial;      /**< 0: by the model, whatever the range */
    int least;
    int most;                 /**< 0: NAPCOLL_TUNABLE_MOST */
    napcoll_tunes_t tunes;    /**< only the first tunable of a row may be a radix or a choice */
    const char *const *names; /**< of a choice: those of 1, 2, ...; NULL after the last */
    unsigned
        linear; /**< of a choice: bit 1, 2, ...: with it a plan has a step for every node, or more */
} napcoll_tunable_t;

/** The largest value of a tunable. */
static inline int napcoll_tunable_most(const napcoll_tunable_t *tunable)
{
    return 0 == tunable->most ? NAPCOLL_TUNABLE_MOST : tunable->most;
}

/** A radix over nodes, of the steps named, which the model chooses unless users set it. */
#define NAPCOLL_TUNABLE_RADIX(steps)                                                              \
    {                                                                                             \
        .name = "radix",                                                                          \
        .help = "Radix of " steps ", at least 2: more messages in fewer steps. 0: chosen by the " \
                "model",                                                                          \
        .initial = 0, .least = 2, .tunes = NAPCOLL_TUNES_RADIX                                    \
    }

/** The pieces of a pipeline, which the model chooses unless users set them. */
#define NAPCOLL_TUNABLE_SEGMENTS                                                                 \
    {                                                                                            \
        .name = "segments",                                                                      \
        .help = "Pieces in which the vector goes through the pipeline. 0: as many as the model " \
                "says, from none, those of Hockney's model, sqrt((P - 2) c m / a), and those "   \
                "that the network's eager protocol takes",                                       \
        .initial = 0, .least = 0, .tunes = NAPCOLL_TUNES_SEGMENTS                                \
    }

/** The most messages that one process sends, or receives, in one stage of an algorithm's plans. */
typedef struct napcoll_bounds {
    int inter; /**< to or from other nodes */
    int all;
} napcoll_bounds_t;

typedef struct napcoll_algorithm {
    const char *name;
    const char *help; /**< one line, for ompi_info */

    /** Make the plan of request->rank; NULL only when memory ran out. The caller owns the plan. */
    napcoll_plan_t *(*generate)(const napcoll_plan_args_t *args);

    /** What the algorithm claims of its plans on a map; the verifier proves it. */
    napcoll_bounds_t (*bounds)(const napcoll_node_map_t *map, const napcoll_params_t *params);

    /** The way of its segments, where they pass from process to process in a pipeline that deepens
     * with the communicator; else NULL. */
    napcoll_hops_t (*hops)(const napcoll_node_map_t *map, const napcoll_params_t *params);

    /** Of a gather or scatter: the blocks in each of the messages that a process has under way at once, from or to
     * other nodes; 0 where they are not many at once. NULL: neither are they. */
    int (*burst)(const napcoll_node_map_t *map, const napcoll_params_t *params);

    /** The slots of the process that has most, whatever request->rank, where processes differ in it; -1 when memory
     * ran out. NULL: all have as many as this one. */
    int (*slots)(const napcoll_plan_args_t *args);

    unsigned needs; /**< napcoll_needs_t flags */
    bool gathers;   /**< a process holds the vectors of all ranks: auto takes it for the sake of
                         reproducible results alone */
    bool
        detours; /**< in the layout of personalized blocks: blocks stop at ranks that they are not for */
    bool
        tells; /**< blocks detour, with their sizes where these go along; and, but for a gather, in every message
                         then, and what whoever has blocks for others has to say reaches all (napcoll_algorithm_tells) */
    bool cut;       /**< it cuts blocks into pieces, by the thresholds */
    bool linear;    /**< a process's plan has a step for every rank, or more */
    bool lockstep;  /**< these follow one another, and whoever is late makes the others late */
    bool radix;     /**< it has local phases whose fan-out is local_radix */
    bool segmented; /**< it cuts large vectors into segments */
    bool canonical; /**< it reduces by halves of the ranks, which the verifier proves */
    napcoll_tunable_t tunable[NAPCOLL_MAX_TUNABLES + 1];
} napcoll_algorithm_t;

/** The slots for blocks that stop, in the layout of personalized blocks, of the process that has most: the same on all ranks; -1 when
 * memory ran out. The plan is that of the request. */
int napcoll_plan_args_slots(const napcoll_plan_args_t *args, const napcoll_plan_t *plan);

/** What makes the plans of all ranks: the context of napcoll_generator_plan. */
typedef struct napcoll_generator {
    napcoll_plan_args_t args; /**< rank is set for each plan */
} napcoll_generator_t;

/** A napcoll_plan_source_t whose context is a napcoll_generator_t. */
napcoll_plan_t *napcoll_generator_plan(void *context, int rank);

/** What the verifier is to prove of the plans of a request, whatever its rank. */
napcoll_claim_t napcoll_plan_args_claim(const napcoll_plan_args_t *args);

/** A collective's table. */
typedef struct napcoll_collective {
    const char *name;
    napcoll_goal_t goal;
    bool uneven;     /**< every rank's block has a size of its own */
    bool everywhere; /**< its algorithms gain where no two processes share a node, too */
    bool spread;     /**< blocks of the larger user buffer lie where the user says */
    /** auto leaves it to the fallback: many calls have few blocks, and agreeing costs more than
     * they do */
    bool straight;
    const napcoll_algorithm_t *algorithm; /**< [algorithms] rows */
    int algorithms;
} napcoll_collective_t;

/** Whether messages of plans in which sizes go along say what has to be said to all ranks: of an all-to-all whoever
 * says it, of a scatter the root. In a gather none come back from the root. */
static inline bool napcoll_algorithm_tells(const napcoll_collective_t *collective,
                                           const napcoll_algorithm_t *algorithm)
{
    return algorithm->tells && NAPCOLL_GOAL_GATHER != collective->goal;
}

/** The tables, see COLL/COLL.c. */
extern const napcoll_collective_t napcoll_alltoall;
extern const napcoll_collective_t napcoll_alltoallv;
extern const napcoll_collective_t napcoll_alltoallw;
extern const napcoll_collective_t napcoll_allreduce;
extern const napcoll_collective_t napcoll_allgather;
extern const napcoll_collective_t napcoll_allgatherv;
extern const napcoll_collective_t napcoll_reduce_scatter;
extern const napcoll_collective_t napcoll_reduce_scatter_block;
extern const napcoll_collective_t napcoll_scan;
extern const napcoll_collective_t napcoll_exscan;
extern const napcoll_collective_t napcoll_reduce;
extern const napcoll_collective_t napcoll_barrier;
extern const napcoll_collective_t napcoll_bcast;
extern const napcoll_collective_t napcoll_gather;
extern const napcoll_collective_t napcoll_gatherv;
extern const napcoll_collective_t napcoll_scatter;
extern const napcoll_collective_t napcoll_scatterv;

/** All of them, NULL after the last. */
extern const napcoll_collective_t *const napcoll_collectives[];

/** The table of a collective by its name, or NULL. */
const napcoll_collective_t *napcoll_collective_find(const char *name);

/**
 * The info key by which a communicator has an algorithm of its own: napcoll_COLLECTIVE_algorithm, or, where that is too
 * long, napcoll_COLLECTIVE.
 *
 * @param[out] key   room for limit + 1 characters
 * @param[in]  limit MPI_MAX_INFO_KEY: a key has fewer characters
 */
void napcoll_collective_info_key(const napcoll_collective_t *collective, char *key, int limit);

/** The first tunable of a row that estimates so, or -1. */
int napcoll_algorithm_tunable(const napcoll_algorithm_t *algorithm, napcoll_tunes_t tunes);

/** A row by name, or -1. */
int napcoll_algorithm_find(const napcoll_collective_t *collective, const char *name);

/**
 * Whether an algorithm can do a request.
 *
 * @return NAPCOLL_REASON_NONE, or what stands against it
 */
napcoll_reason_t napcoll_algorithm_eligible(const napcoll_algorithm_t *algorithm,
                                            const napcoll_node_map_t *map,
                                            const napcoll_params_t *params);

/** Name of a reason ("noncommutative"), static. */
const char *napcoll_reason_name(napcoll_reason_t reason);

/** A sentence on a reason, static. */
const char *napcoll_reason_help(napcoll_reason_t reason);

#endif /* NAPCOLL_ALGO_H */
