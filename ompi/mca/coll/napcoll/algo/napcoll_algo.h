/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What an algorithm is: a row in its collective's table. Pure: no MPI in here.
 *
 * Parameters, ompi_info texts, eligibility, fallback reasons, tests and tools all read these
 * tables. A new algorithm is one file with its generator, one row, and one line in
 * napcoll_generators.h.
 */

#ifndef NAPCOLL_ALGO_H
#define NAPCOLL_ALGO_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/napcoll_builder.h"
#include "plan/napcoll_goal.h"
#include "plan/napcoll_neighborhood.h"
#include "topo/napcoll_node_map.h"

/** What carries out phases inside nodes, or among leaders. */
typedef enum {
    NAPCOLL_PROVIDER_OWN,      /**< phases are expanded into messages of the plan */
    NAPCOLL_PROVIDER_DELEGATE, /**< the collectives of a subcommunicator of the scope */
    NAPCOLL_PROVIDERS
} napcoll_provider_t;

/** NAPCOLL_TUNABLE_MOST: the largest value of a tunable whose row has no other one. */
enum { NAPCOLL_MAX_TUNABLES = 2, NAPCOLL_TUNABLE_MOST = 65536 };

/**
 * How napcoll's own messages do an allreduce inside a node. All shapes reduce in the same order, so
 * nodes may differ, but not the processes of one node.
 */
typedef enum {
    NAPCOLL_SHAPE_AUTO,     /**< a tree where processes share cores, else exchanges */
    NAPCOLL_SHAPE_EXCHANGE, /**< recursive multiplying: fewest steps */
    NAPCOLL_SHAPE_TREE,     /**< reduce to the leader, then broadcast: fewest messages */
    NAPCOLL_SHAPES
} napcoll_shape_t;

/** What a plan depends on besides the node map and the rank; equal parameters share a plan. */
typedef struct napcoll_params {
    /** The input is in the receive buffer. */
    bool in_place;
    /** Contributions must be reduced in rank order: the operation does not commute. */
    bool noncommutative;
    /** They must be reduced by halves of the ranks: the same bits on any nodes. */
    bool reproducible;
    /** Of a reduce, broadcast, gather or scatter. */
    int root;
    /** Segments of a vector, one after the other in a pipeline; pieces of blocks, where the row
     * says that it cuts them. 0 is 1. */
    int segments;
    /** Of the scopes' phases, where the row delegates them. */
    napcoll_provider_t provider[NAPCOLL_SCOPES];
    /** Fan-out of local phases by own messages, at least 2. */
    int local_radix;
    /** Own messages: local allreduces by a tree, not by exchanges. */
    bool local_tree;
    /** The algorithm's own, in the order of its row. */
    int tunable[NAPCOLL_MAX_TUNABLES];
} napcoll_params_t;

/** Arguments of a generator: the plan of one rank is wanted. */
typedef struct napcoll_plan_args {
    const struct napcoll_collective *collective;
    /** A row of the collective's table. */
    const struct napcoll_algorithm *algorithm;
    const napcoll_node_map_t *map;
    int rank;
    /** The plan is for an estimate only (napcoll_plan.h). */
    bool sketch;
    /** ... and one of many like stages stands for all. */
    bool shortened;
    /** ... and a stage of very many messages is cut into several. */
    bool rough;
    /** The rank's, where blocks go along edges; else NULL. */
    const napcoll_neighborhood_t *neighborhood;
    napcoll_params_t params;
} napcoll_plan_args_t;

/** A radix over nodes that is the first tunable. */
static inline int napcoll_params_radix(const napcoll_params_t *params)
{
    return params->tunable[0] < 2 ? 2 : params->tunable[0];
}

/** Segments of the vector, at least 1. */
static inline int napcoll_params_segments(const napcoll_params_t *params)
{
    return params->segments > 1 ? params->segments : 1;
}

/** The buffer that a rank's input is in: the send or, in place, the receive buffer. */
int napcoll_plan_args_input_buffer(const napcoll_plan_args_t *args);

/** Whether the blocks of the user's larger buffer are not in the order of their numbers, or not
 * side by side, in the layout of ranks (napcoll_plan_t). */
bool napcoll_plan_args_scattered(const napcoll_plan_args_t *args);

/** A reduction's input, where the vector is one block. */
static inline napcoll_span_t napcoll_plan_args_input(const napcoll_plan_args_t *args)
{
    return (napcoll_span_t){.buffer = napcoll_plan_args_input_buffer(args), .count = 1};
}

/** The root; rank 0 where the collective has none. */
int napcoll_plan_args_root(const napcoll_plan_args_t *args);

/** Whether the rank gets a result in its receive buffer. */
bool napcoll_plan_args_takes(const napcoll_plan_args_t *args);

/** Whether messages begin with the sizes of their blocks: they are forwarded by ranks that do not
 * know these. */
bool napcoll_plan_args_headed(const napcoll_plan_args_t *args);

/** Whether the plans leave a scope's phases to another component. */
bool napcoll_plan_args_delegates(const napcoll_plan_args_t *args, napcoll_scope_t scope);

/** What the user's buffers hold in a plan (napcoll_goal_buffers). */
void napcoll_plan_args_user(const napcoll_plan_args_t *args, napcoll_layout_t layout, int blocks,
                            napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP]);

/**
 * The builder of a plan. Where the input is in the send buffer, the receive buffer serves as a
 * temporary (napcoll_builder_lend_recvbuf).
 *
 * @param[in] args    of the plan
 * @param[in] layout  of the plan
 * @param[in] blocks  of the vector; layouts of ranks and slots need none
 *
 * @return the builder; NULL when memory ran out
 */
napcoll_builder_t *napcoll_plan_args_builder(const napcoll_plan_args_t *args,
                                             napcoll_layout_t layout, int blocks);

/** What an algorithm needs; a set of flags. */
typedef enum {
    NAPCOLL_NEEDS_NOTHING = 0,
    NAPCOLL_NEEDS_SHARED_NODE = 1,  /**< a node with two processes or more */
    NAPCOLL_NEEDS_NODE_ORDER = 2,   /**< contiguous nodes, where the operation does not commute */
    NAPCOLL_NEEDS_COMMUTATIVE = 4,  /**< an operation that commutes */
    NAPCOLL_NEEDS_CONTIGUOUS = 8,   /**< contiguous nodes, for any operation */
    NAPCOLL_NEEDS_POWER_OF_TWO = 16 /**< a number of ranks that is a power of two */
} napcoll_needs_t;

/** Why an algorithm, or napcoll as a whole, does not do a call. The names are user interface. */
typedef enum {
    NAPCOLL_REASON_NONE,
    NAPCOLL_REASON_FALLBACK,       /**< the parameter or info key asks for the fallback function */
    NAPCOLL_REASON_RULES,          /**< a rule of the rules file asks for it */
    NAPCOLL_REASON_NONCOMMUTATIVE, /**< the algorithm cannot reduce in rank order here */
    NAPCOLL_REASON_PLACEMENT,      /**< the ranks of some node are not contiguous */
    NAPCOLL_REASON_POWER_OF_TWO,   /**< the number of ranks is not a power of two */
    NAPCOLL_REASON_REPRODUCIBLE,   /**< the algorithm's bits depend on the nodes */
    NAPCOLL_REASON_PPN,            /**< no node has a second process */
    NAPCOLL_REASON_ONE_NODE,       /**< all processes share one node */
    NAPCOLL_REASON_MEMORY,         /**< temporaries could take more than is allowed */
    NAPCOLL_REASON_ONLINE, /**< the online check times the fallback function, or found it faster */
    NAPCOLL_REASON_JOBS,   /**< the communicator joins jobs with different settings or versions */
    NAPCOLL_REASON_WRONG_PLAN, /**< the verifier found the plan to be wrong */
    /** a call that must not wait is the first of its kind, and the set-up for it takes messages */
    NAPCOLL_REASON_SETUP,
    /** auto tries none: on an unmeasured machine by napcoll_structure.h, or at this size */
    NAPCOLL_REASON_STRUCTURE,
    /** the plans file has none that serve the call */
    NAPCOLL_REASON_FILE,
    NAPCOLL_REASONS
} napcoll_reason_t;

/** The three functions that MPI has for each collective. */
typedef enum {
    NAPCOLL_KIND_BLOCKING,    /**< MPI_Allreduce */
    NAPCOLL_KIND_NONBLOCKING, /**< MPI_Iallreduce */
    NAPCOLL_KIND_PERSISTENT,  /**< MPI_Allreduce_init; each start is a call */
    NAPCOLL_KINDS
} napcoll_kind_t;

/** How the model chooses a tunable that is 0. In a plan 0 is for the generator to choose. */
typedef enum {
    NAPCOLL_TUNES_NOTHING,     /**< it does not */
    NAPCOLL_TUNES_RADIX,       /**< a radix over nodes: it tries powers of two */
    NAPCOLL_TUNES_RADIX_RANKS, /**< the same over all ranks */
    NAPCOLL_TUNES_RADIX_LANES, /**< the same over the processes of a node */
    NAPCOLL_TUNES_LEADERS,     /**< leaders of a node: powers of two below its processes */
    NAPCOLL_TUNES_CHOICE,      /**< one of names: it tries all of them */
    NAPCOLL_TUNES_SEGMENTS,    /**< segments of a pipeline: it tries a few numbers */
    NAPCOLL_TUNES_PIECES, /**< bytes of a block's piece, where the thresholds (napcoll_thresholds.h)
                               ask for pieces */
    NAPCOLL_TUNES_WINDOW, /**< pieces under way at once there; 0 elsewhere */
} napcoll_tunes_t;

/** A number that users can set for one algorithm. */
typedef struct napcoll_tunable {
    /** Of the parameter coll_napcoll_COLL_ALGORITHM_name; NULL ends a list. */
    const char *name;
    /** For ompi_info. */
    const char *help;
    /** 0: chosen by the model, whatever the range. */
    int initial;
    int least;
    /** 0: NAPCOLL_TUNABLE_MOST. */
    int most;
    /** Only the first tunable of a row may be a radix or a choice. */
    napcoll_tunes_t tunes;
    /** Of a choice: the names of 1, 2, ...; NULL after the last. */
    const char *const *names;
    /** Of a choice: bit i: with choice i a plan has a step for every node, or more. */
    unsigned linear;
} napcoll_tunable_t;

/** The largest value of a tunable. */
static inline int napcoll_tunable_most(const napcoll_tunable_t *tunable)
{
    return 0 == tunable->most ? NAPCOLL_TUNABLE_MOST : tunable->most;
}

/** Tunables that several rows have: a radix of the steps or nodes named, lanes that do what is
 * said, and the segments of a pipeline. */
#define NAPCOLL_TUNABLE_RADIX(steps, kind)                                                        \
    {                                                                                             \
        .name = "radix",                                                                          \
        .help = "Radix of " steps ", at least 2: more messages in fewer steps. 0: chosen by the " \
                "model",                                                                          \
        .least = 2, .tunes = kind                                                                 \
    }
#define NAPCOLL_TUNABLE_LANES(what)                                                     \
    {                                                                                   \
        .name = "lanes", .help = "Lanes per node that " what                            \
                                 ". A process on a smaller node serves several lanes. " \
                                 "0: chosen from the numbers of processes per node"     \
    }
#define NAPCOLL_TUNABLE_SEGMENTS                                                                \
    {                                                                                           \
        .name = "segments",                                                                     \
        .help = "Segments into which the vector is cut for the pipeline. 0: chosen by the "     \
                "model among 1, the number by Hockney's model, sqrt((P - 2) c m / a), and the " \
                "number whose segments fit the network's eager protocol",                       \
        .tunes = NAPCOLL_TUNES_SEGMENTS                                                         \
    }

/** The most messages that one process sends, or receives, in one stage of an algorithm's plans. */
typedef struct napcoll_bounds {
    /** To or from other nodes. */
    int inter;
    int all;
} napcoll_bounds_t;

static inline int napcoll_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int napcoll_max(int a, int b)
{
    return a > b ? a : b;
}

/** Bounds where messages between nodes and inside are in different stages. */
static inline napcoll_bounds_t napcoll_bounds_either(int inter, int inside)
{
    return (napcoll_bounds_t){.inter = inter, .all = napcoll_max(inter, inside)};
}

/** Make the plan of args->rank; NULL only when memory ran out. The caller owns the plan. */
typedef napcoll_plan_t *napcoll_generate_t(const napcoll_plan_args_t *args);

/** What an algorithm claims of its plans on a map; the verifier proves it. */
typedef napcoll_bounds_t napcoll_claim_bounds_t(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params);

/** The longest path of a segment in a pipeline. */
typedef napcoll_hops_t napcoll_path_t(const napcoll_node_map_t *map,
                                      const napcoll_params_t *params);

/** One message at a time. */
napcoll_claim_bounds_t napcoll_bounds_one;

struct napcoll_file_row;

/** A row of a table. */
typedef struct napcoll_algorithm {
    const char *name;
    /** One line, for ompi_info. */
    const char *help;

    napcoll_generate_t *generate;
    napcoll_claim_bounds_t *bounds;
    /** NULL where the pipeline does not get deeper with the communicator. */
    napcoll_path_t *hops;

    /** Of a gather or scatter: the blocks in each of many messages that a process has under way at
     * once, from or to other nodes; 0, or NULL: there are not many. */
    int (*burst)(const napcoll_node_map_t *map, const napcoll_params_t *params);

    /** The most slots of any process, whatever args->rank; -1 when memory ran out. NULL: all
     * processes have the same number. */
    int (*slots)(const napcoll_plan_args_t *args);

    /** napcoll_needs_t flags. */
    unsigned needs;
    /** Processes keep the vectors of all ranks: auto uses it only for reproducible results. */
    bool keeps_all_vectors;
    /** Personalized blocks are stored and forwarded by ranks that they are not for. */
    bool store_and_forward;
    /** Blocks are cut into pieces, by the thresholds. */
    bool cuts_blocks;
    /** The plan of a process has a step for every rank, or more. */
    bool linear;
    /** ... one after the other, and a process that is late delays the others. */
    bool lockstep;
    /** It has local phases whose fan-out is local_radix. */
    bool radix;
    /** [scope] Another component can carry out its phases there. */
    bool delegates[NAPCOLL_SCOPES];
    /** Large vectors are cut into segments. */
    bool segmented;
    /** It reduces by halves of the ranks, which the verifier proves. */
    bool canonical;
    /** Its plans come from a file (algo/file/); NULL: from a generator. */
    const struct napcoll_file_row *file;
    napcoll_tunable_t tunable[NAPCOLL_MAX_TUNABLES + 1];
} napcoll_algorithm_t;

/** The most slots for forwarded personalized blocks of any process: the same on all ranks; -1 when
 * memory ran out. The plan is the one of the arguments. */
int napcoll_plan_args_slots(const napcoll_plan_args_t *args, const napcoll_plan_t *plan);

/** Makes the plans of all ranks: the context of napcoll_generator_plan. */
typedef struct napcoll_generator {
    /** The rank is set for each plan, and its neighborhood where the next field has them. */
    napcoll_plan_args_t args;
    /** [ranks] where blocks go along edges; else NULL */
    const napcoll_neighborhood_t *neighborhoods;
} napcoll_generator_t;

/** A napcoll_plan_source_t whose context is a napcoll_generator_t. */
napcoll_plan_t *napcoll_generator_plan(void *context, int rank);

/** What the verifier is to prove of the plans of all ranks. */
napcoll_claim_t napcoll_plan_args_claim(const napcoll_plan_args_t *args);

/** A collective's table. */
typedef struct napcoll_collective {
    const char *name;
    napcoll_goal_t goal;
    /** Every rank's block has a size of its own. */
    bool uneven;
    /** Its algorithms also gain where no two processes share a node. */
    bool everywhere;
    /** The user says where the blocks of the larger buffer are. */
    bool spread;
    /** Most calls have few blocks with bytes: napcoll-tune, which measures full ones, makes no
     * rules for it, and nonblocking calls send straight until blocking ones have told of many. */
    bool few_blocks;
    /** [algorithms] rows */
    const napcoll_algorithm_t *algorithm;
    int algorithms;
} napcoll_collective_t;

/** Whether a rank can say something to all others in front of the blocks of a call: any rank of an
 * all-to-all, the root of a scatter. In a gather no message comes back from the root. */
static inline bool napcoll_algorithm_announces(const napcoll_collective_t *collective,
                                               const napcoll_algorithm_t *algorithm)
{
    return collective->uneven && algorithm->store_and_forward
           && NAPCOLL_GOAL_GATHER != collective->goal
           && !napcoll_goal_is_neighbor(collective->goal);
}

/** The tables, see COLL/COLL.c. */
extern const napcoll_collective_t napcoll_allreduce, napcoll_reduce, napcoll_barrier,
    napcoll_allgather, napcoll_allgatherv, napcoll_reduce_scatter, napcoll_reduce_scatter_block,
    napcoll_scan, napcoll_exscan, napcoll_bcast, napcoll_alltoall, napcoll_alltoallv,
    napcoll_alltoallw, napcoll_gather, napcoll_gatherv, napcoll_scatter, napcoll_scatterv,
    napcoll_neighbor_allgather, napcoll_neighbor_allgatherv, napcoll_neighbor_alltoall,
    napcoll_neighbor_alltoallv, napcoll_neighbor_alltoallw;

/** Those whose plans follow from the node map, NULL after the last. */
extern const napcoll_collective_t *const napcoll_collectives[];

/** Those whose plans need a neighbourhood, too, NULL after the last. */
extern const napcoll_collective_t *const napcoll_neighbor_collectives[];

/** The collective at an index of both lists, one after the other; NULL after the last. */
const napcoll_collective_t *napcoll_collective_at(int index);

/**
 * The info key that sets the algorithm of a communicator: napcoll_COLLECTIVE_algorithm, or, where
 * that is too long, napcoll_COLLECTIVE.
 *
 * @param[out] key   room for limit + 1 characters
 * @param[in]  limit MPI_MAX_INFO_KEY: a key has fewer characters
 */
void napcoll_collective_info_key(const napcoll_collective_t *collective, char *key, int limit);

/** Rows of a table, at most; rows of plans from files come behind them. */
enum { NAPCOLL_MAX_ALGORITHMS = 16 };

/** A row of a collective: of its table, or of plans from a file (algo/file/napcoll_file_rows.h).
 * NULL: there is none. */
const napcoll_algorithm_t *napcoll_algorithm_at(const napcoll_collective_t *collective, int row);

/** The first tunable of a row that the model chooses like this, or -1. */
int napcoll_algorithm_tunable(const napcoll_algorithm_t *algorithm, napcoll_tunes_t tunes);

/** Whether an algorithm can do a call: NAPCOLL_REASON_NONE, or why not. */
napcoll_reason_t napcoll_algorithm_eligible(const napcoll_algorithm_t *algorithm,
                                            const napcoll_node_map_t *map,
                                            const napcoll_params_t *params);

/** Whether a call of a collective can fall back for a reason: one of its algorithms can be
 * ineligible for it, or the collective can have it by its nature. */
bool napcoll_collective_has_reason(const napcoll_collective_t *collective, napcoll_kind_t kind,
                                   napcoll_reason_t reason);

enum { NAPCOLL_FUNCTION_NAME = 40 };

/** The name of a collective's MPI function of some kind, in lower case and without MPI_: allreduce,
 * iallreduce, allreduce_init. */
void napcoll_function_name(const napcoll_collective_t *collective, napcoll_kind_t kind,
                           char name[NAPCOLL_FUNCTION_NAME]);

/** Name of a reason ("noncommutative"), static. */
const char *napcoll_reason_name(napcoll_reason_t reason);

/** A sentence on a reason, static. */
const char *napcoll_reason_help(napcoll_reason_t reason);

#endif /* NAPCOLL_ALGO_H */
