/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll: collectives that know which processes share a node. The MCA component and its modules.
 *
 * A call's way: the module's function asks the selection for a decision (cached), the decision's
 * generator for a plan (cached), and the engine runs it; or the call goes to the function that
 * held the slot before, with the reason counted.
 *
 *     coll_napcoll_component.c    opening, closing, querying
 *     coll_napcoll_params.c       MCA parameters; coll_napcoll_param_table.c their table
 *     coll_napcoll_counters.c     performance variables
 *     coll_napcoll_machine.c      those on the machine, and its network's kind
 *     coll_napcoll_required_components.c   the components that must be there for napcoll to be one
 *     coll_napcoll_agree.c        whether all processes have the same settings
 *     coll_napcoll_topology.c     the switch tree, from a file
 *     coll_napcoll_rules.c        the rules, from a file
 *     coll_napcoll_module.c       one module per communicator: enabling, the table of functions
 *     coll_napcoll_cache.c        decisions and plans of a module
 *     coll_napcoll_log.c          the verbose log
 *     coll_napcoll_info.c         what a communicator's info keys ask for
 *     coll_napcoll_shared.c       node maps, decisions and plans that communicators share
 *     coll_napcoll_verify.c       new plans, proven before their first use
 *     coll_napcoll_stats.c        calls that are counted and timed: the summary, the online check
 *     coll_napcoll_vector.c       MPI_Allreduce, MPI_Reduce, MPI_Scan, MPI_Exscan
 *     coll_napcoll_blocks.c       what all-to-alls, gathers and scatters share
 *     coll_napcoll_allgather.c, _reduce_scatter.c, _barrier.c, _bcast.c, _alltoall.c, _gather.c    the others
 */

#ifndef MCA_COLL_NAPCOLL_EXPORT_H
#define MCA_COLL_NAPCOLL_EXPORT_H

#include "ompi_config.h"

#include <stdatomic.h>

#include "compat/napcoll_compat.h"
#include "exec/napcoll_exec.h"
#include "model/napcoll_machine.h"
#include "model/napcoll_network.h"
#include "opal/util/proc.h"
#include "select/napcoll_agreement.h"
#include "select/napcoll_decision_cache.h"
#include "select/napcoll_select.h"
#include "select/napcoll_call_stats.h"
#include "select/napcoll_trial.h"
#include "topo/napcoll_discover.h"

/* napcoll's own version; configure.ac reads it from here. */
#define NAPCOLL_MAJOR_VERSION   0
#define NAPCOLL_MINOR_VERSION   1
#define NAPCOLL_RELEASE_VERSION 0

BEGIN_C_DECLS

/** The collectives that napcoll replaces, and those that it calls under its own: rows of the
 * module's table of functions. */
typedef enum {
    NAPCOLL_COLL_ALLREDUCE,
    NAPCOLL_COLL_REDUCE,
    NAPCOLL_COLL_BARRIER,
    NAPCOLL_COLL_ALLGATHER, /**< also under napcoll's own: node map, verify */
    NAPCOLL_COLL_ALLGATHERV,
    NAPCOLL_COLL_REDUCE_SCATTER,
    NAPCOLL_COLL_REDUCE_SCATTER_BLOCK,
    NAPCOLL_COLL_SCAN,
    NAPCOLL_COLL_EXSCAN,
    NAPCOLL_COLL_BCAST,
    NAPCOLL_COLL_ALLTOALL,
    NAPCOLL_COLL_ALLTOALLV,
    NAPCOLL_COLL_ALLTOALLW,
    NAPCOLL_COLL_GATHER,
    NAPCOLL_COLL_GATHERV,
    NAPCOLL_COLL_SCATTER,
    NAPCOLL_COLL_SCATTERV,
    NAPCOLL_COLLS
} napcoll_coll_t;

/** What the parameter verify asks for. */
enum {
    NAPCOLL_VERIFY_PLANS_OFF,
    NAPCOLL_VERIFY_PLANS_ON,
    NAPCOLL_VERIFY_PLANS_BROKEN /**< for tests: on, with process 0's plan spoilt before */
};

/** What decides on the calls of a collective before their sizes are known, besides NAPCOLL_FORCE_... */
enum {
    NAPCOLL_FORCE_UNKNOWN = -1, /**< nobody has asked yet */
    NAPCOLL_FORCE_BY_SIZE = -2  /**< rules that depend on the size */
};

/** Of which processes there is a summary, what the parameter summary says. */
enum { NAPCOLL_SUMMARY_OFF, NAPCOLL_SUMMARY_RANK0, NAPCOLL_SUMMARY_ALL };

/** Counters behind the performance variables. */
typedef struct napcoll_counters {
    _Atomic unsigned long long runs[NAPCOLL_COLLS][NAPCOLL_MAX_ALGORITHMS];
    _Atomic unsigned long long bytes[NAPCOLL_COLLS][NAPCOLL_MAX_ALGORITHMS]; /**< of these */
    _Atomic unsigned long long fallbacks[NAPCOLL_COLLS][NAPCOLL_REASONS];
} napcoll_counters_t;

typedef struct mca_coll_napcoll_component {
    napcoll_compat_component_t super;
    int priority;
    int verbose;
    int output; /**< stream of the verbose log */
    napcoll_settings_t settings[NAPCOLL_COLLS];
    int local_provider; /**< napcoll_provider_t */
    int local_radix;
    int local_shape; /**< napcoll_shape_t */
    bool reproducible;
    size_t segment_bytes;
    size_t transit_bytes; /**< that blocks may take which stop on a process on their way; 0: any */
    size_t alltoallv_mean_bytes; /**< what users say of blocks, 0: nothing */
    bool trust;                  /**< ranks rely on sizes on which they agreed before */
    size_t kept_bytes;           /**< of memory that the process keeps between calls */
    size_t bounded_bytes;        /**< ranks times the largest block, up to which sizes go along */
    napcoll_thresholds_t thresholds;
    int verify; /**< NAPCOLL_VERIFY_PLANS_... */
    char *fake_ppn;
    char *fake_map;
    char *topology_file;
    char *rules_file;
    napcoll_rules_t *rules;    /**< what the file of process 0 says, NULL: nothing */
    int asked_network;         /**< napcoll_network_t, as users say */
    napcoll_network_t network; /**< not AUTO: whose numbers the machine has where none is set */
    char *network_classes;     /**< see napcoll_network_find */
    napcoll_machine_t machine; /**< what communication costs here */
    /** on process 0 of the job users have set numbers of the machine */
    bool measured;
    /** on the node of process 0 of the job */
    int processors;
    napcoll_job_t job;
    bool job_known;                     /**< see mca_coll_napcoll_know_job */
    uint64_t fingerprint;               /**< of all that process 0 of the job published */
    napcoll_map_cache_t maps;           /**< of all communicators */
    napcoll_decision_cache_t decisions; /**< likewise, with their plans */
    opal_mutex_t shared_lock; /**< of maps and decisions; nothing else is locked under it */
    napcoll_counters_t counters;
    int summary;      /**< NAPCOLL_SUMMARY_... */
    bool online;      /**< new classes are checked against the fallback function */
    int online_calls; /**< of each, that are timed */
    bool summarized;  /**< this process's calls are */
    bool watched;     /**< calls have frames, see coll_napcoll_stats.h */
    napcoll_call_stats_t stats;
    opal_mutex_t stats_lock;
    /* "name=value" of parameters whose values cannot be used; an argv list, or NULL */
    char **rejected;
} mca_coll_napcoll_component_t;

NAPCOLL_COMPAT_COMPONENT_DECLSPEC extern mca_coll_napcoll_component_t mca_coll_napcoll_component;

/** The tables of all collectives, by napcoll_coll_t. */
extern const napcoll_collective_t *const mca_coll_napcoll_collectives[NAPCOLL_COLLS];

/** What holds a slot of a communicator's table: a function, with its module. */
typedef struct napcoll_saved_function {
    void (*function)(void);
    mca_coll_base_module_t *module;
} napcoll_saved_function_t;

/** A decision of a communicator's, with its plans: the process's, for all communicators that are alike. */
typedef struct napcoll_cached {
    napcoll_decided_t *decided;
    struct mca_coll_napcoll_trial *trial; /**< of its class; the module's, or NULL */
    struct napcoll_cached *next;
} napcoll_cached_t;

/** The last call in which ranks agreed on sizes, and how long they do with that. */
typedef struct mca_coll_napcoll_agreed {
    napcoll_patience_t patience;
    napcoll_trust_t trust;
    napcoll_call_t call;
    bool
        leaves_out; /**< of a gather: calls that patience spares leave larger blocks out of its plan */
    size_t sent;    /**< where trust holds: bytes of own blocks, of a scatter but for the root's */
    /** ranks have agreed before, and the blocks had `mean` bytes on average */
    bool known;
    /** it leapt at the last agreement */
    bool leapt;
    size_t mean;
} mca_coll_napcoll_agreed_t;

typedef struct mca_coll_napcoll_module {
    mca_coll_base_module_t super;
    ompi_communicator_t *comm;
    napcoll_saved_function_t fallback[NAPCOLL_COLLS]; /**< before napcoll; modules retained */
    int depth; /**< calls that are under way, one inside the other */
    int fallback_depth; /**< how deep in what goes by the fallback functions; see mca_coll_napcoll_fallback_enter() */
    bool ready;              /**< the nodes, and what the info keys say, are known */
    napcoll_node_map_t *map; /**< shared */
    bool jobs_differ;        /**< the communicator joins jobs whose settings are not the same */
    size_t mean_bytes;       /**< of a block of MPI_Alltoallv, as users say; 0: they say nothing */
    /** whether to agree on sizes; NULL: not known yet */
    napcoll_decided_t *agreement[NAPCOLL_COLLS];
    mca_coll_napcoll_agreed_t agreed[NAPCOLL_COLLS];
    int force
        [NAPCOLL_COLLS]; /**< NAPCOLL_FORCE_...: of the info key, else of the parameter when the
                                         communicator was made */
    napcoll_rule_t
        *asked[NAPCOLL_COLLS];      /**< of the info key, where it names tunables, else NULL */
    int ruled_force[NAPCOLL_COLLS]; /**< of the rules on all sizes; see coll_napcoll_rules.c */
    napcoll_cached_t *cached[NAPCOLL_COLLS]; /**< the latest first, a few dozen at most */
    struct mca_coll_napcoll_trial *trials[NAPCOLL_COLLS]; /**< online checks, one of each class */
    struct mca_coll_napcoll_call_stats
        *stats; /**< of the call that is under way, where it is watched */
    napcoll_engine_t engine;
} mca_coll_napcoll_module_t;

OBJ_CLASS_DECLARATION(mca_coll_napcoll_module_t);

/* coll_napcoll_component.c */

/**
 * End the job: memory ran out where this process alone would go on without napcoll, and the others wait
 * for it.
 *
 * @param[in] what  there was no memory for
 */
void mca_coll_napcoll_no_memory(const char *what) __attribute__((noreturn));

/**
 * See that the job's processes have the same settings and, for tests, make its nodes up: at the
 * first query, when the processes have exchanged what they published.
 */
int mca_coll_napcoll_know_job(void);

/* coll_napcoll_agree.c */

/** On process 0 of the job: let the others know the settings, the kind of network, the rules and the switch tree. Before
 * they exchange addresses. */
int mca_coll_napcoll_publish_settings(void);

/**
 * Compare the settings with those of process 0, and take over the kind of its network, its rules and its switch tree, once
 * per process and after the exchange.
 *
 * @return OMPI_SUCCESS, or an error after a message that names what differs
 */
int mca_coll_napcoll_compare_settings(void);

/** On a communicator that joins several jobs: see that these have the same settings, rules and switch tree, else all calls
 * on it are to go to the fallback component. Collective, in an allgather of the fallback component. */
int mca_coll_napcoll_compare_jobs(mca_coll_napcoll_module_t *module);

/* coll_napcoll_topology.c */

/** Read the topology file, where one is named; says what is wrong with it. Returns the tree as a text for
 * the other processes, "" where there is none, owned by the caller; NULL where memory ran out. */
char *mca_coll_napcoll_read_topology(void);

/** Take in the text that process 0 told: the job's tree. */
int mca_coll_napcoll_know_topology(const char *text);

/* coll_napcoll_rules.c */

/** Read the rules file, where one is named; says what is wrong with it. Returns its text for the other processes, ""
 * where there is none, owned by the caller; NULL where memory ran out. */
char *mca_coll_napcoll_read_rules(void);

/** Take in the text that process 0 told, of so many bytes: the job's rules. */
int mca_coll_napcoll_know_rules(const char *text, size_t length);

/** Forget the rules, and the decisions that rest on them: when the component closes. */
void mca_coll_napcoll_forget_rules(void);

/**
 * What decides on the calls of a collective whatever their sizes, once the nodes are known: what users force; else
 * what a rule that is on all sizes says; NAPCOLL_FORCE_BY_SIZE where rules depend on sizes; NAPCOLL_FORCE_AUTO where
 * they say nothing. The same on all ranks. For collectives without an operation.
 */
int mca_coll_napcoll_force_any_size(mca_coll_napcoll_module_t *module, napcoll_coll_t coll);

/* coll_napcoll_params.c */
int mca_coll_napcoll_register(void);

/** Whether this process reports a value that cannot be used: one of each job does. A process that has another
 * value than process 0 is found when the settings are compared. */
static inline bool mca_coll_napcoll_reports(void)
{
    return 0 == OPAL_PROC_MY_NAME.vpid;
}

/** Remember that a parameter has a value which cannot be used; processes compare these with their settings. */
void mca_coll_napcoll_reject(const char *name, const char *value);

/** Append "name=value" of each parameter that must be the same on all processes, and of each value that was
 * refused, to an argv list. Returns OPAL_SUCCESS, or an error when memory ran out. */
int mca_coll_napcoll_append_params(char ***list);

/* coll_napcoll_counters.c */

/** Register runs_COLL_ALGORITHM, bytes_COLL_ALGORITHM and fallbacks_COLL_REASON of a collective. */
int mca_coll_napcoll_register_counters(napcoll_coll_t coll);

/* coll_napcoll_info.c */

/** Read the info keys of a module's communicator; says what is wrong with them. */
int mca_coll_napcoll_read_info(mca_coll_napcoll_module_t *module);

/* coll_napcoll_log.c */

/** Where to say what all processes of a communicator come to alike: once, by its process 0; from verbosity 10 on
 * each says it. An output of opal_output, -1 for who is to be silent. */
int mca_coll_napcoll_log_of(const mca_coll_napcoll_module_t *module);

/** Log the node map of a communicator. */
void mca_coll_napcoll_log_map(const mca_coll_napcoll_module_t *module);

/** Log a decision; and, where it is new, why every other algorithm was not taken. */
void mca_coll_napcoll_log_decision(const mca_coll_napcoll_module_t *module,
                                   const napcoll_decided_t *decided, bool is_new);
/* coll_napcoll_machine.c */

/** Register the parameters of the machine, once those of the network are. */
int mca_coll_napcoll_register_machine(void);

/** Take over the kind of network that process 0 has: the numbers of the machine that users have not set are those of
 * that kind. Before decisions are taken. */
void mca_coll_napcoll_take_network(napcoll_network_t network);

/** How many numbers of the machine users have not set. */
int mca_coll_napcoll_not_measured(void);

/** Whether users have set at least one number of the machine. */
bool mca_coll_napcoll_is_measured(void);

/* coll_napcoll_required_components.c */

/**
 * Bring Open MPI's basic, libnbc, self and inter along when the user's list of components left
 * them out: the framework needs every operation on every communicator. Likewise ftagree, cuda and
 * accelerator where the installation has them. Called once, while the framework opens its components.
 */
int mca_coll_napcoll_require_components(void);

/* coll_napcoll_module.c */
int mca_coll_napcoll_init_query(bool enable_progress_threads, bool enable_mpi_threads);
mca_coll_base_module_t *mca_coll_napcoll_comm_query(ompi_communicator_t *comm, int *priority);

/**
 * From here until mca_coll_napcoll_fallback_exit(), calls on the communicator go to the fallback functions: those that a previous
 * function causes, so that a call which is left to it takes the time that it takes without napcoll, and those that napcoll
 * itself causes where its plans cannot serve. Pairs may lie in one another.
 */
static inline void mca_coll_napcoll_fallback_enter(mca_coll_napcoll_module_t *module)
{
    module->fallback_depth++;
}

/** Leave for the fallback function of a collective, which is returned: the module's. */
static inline const napcoll_saved_function_t *mca_coll_napcoll_fallback_enter_for(
    mca_coll_napcoll_module_t *module, napcoll_coll_t coll)
{
    mca_coll_napcoll_fallback_enter(module);
    return &module->fallback[coll];
}

/** The end of what mca_coll_napcoll_fallback_enter() begins; returns `rc`. */
static inline int mca_coll_napcoll_fallback_exit(mca_coll_napcoll_module_t *module, int rc)
{
    module->fallback_depth--;
    return rc;
}

/* coll_napcoll_cache.c */

/**
 * The plan for a call: of the cached decision, which is taken now if it is new. Finds out the nodes at
 * first use. Counts what becomes of the call.
 *
 * @return OMPI_SUCCESS with *plan set, owned by the module, or to NULL where the call goes to the previous
 *         function; or an error
 */
int mca_coll_napcoll_plan_for(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                              const napcoll_plan_t **plan);

/** Whether the latest call of a collective, by napcoll or not, would have been the same without its sizes: blocks went
 * straight to their ends, or calls like it are left to the fallback function, by their decision or the online check. The
 * same on all ranks, of whose plans some may have no slots where others have. */
bool mca_coll_napcoll_went_straight(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                    bool by_napcoll);

/** Whether in the latest call of a collective sizes went along with blocks, so that ranks could rely on them in the next one
 * (see napcoll_trust_t, and of gathers napcoll_patience_t). The same on all ranks. */
bool mca_coll_napcoll_went_along(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                 bool by_napcoll);

/** The latest call, whose plan was run, is run anew by plan_for's next plan: it counts once. */
void mca_coll_napcoll_take_back(mca_coll_napcoll_module_t *module, const napcoll_call_t *call);

/** Have the nodes, and what the info keys say, known. *known: false where the call belongs to the fallback function,
 * because that, or napcoll itself, causes it (see mca_coll_napcoll_fallback_enter()). After an error the call is over: ranks
 * that have none run it. */
int mca_coll_napcoll_know_nodes(mca_coll_napcoll_module_t *module, bool *known);

/** What it costs and gains that ranks agree on sizes in each call of a collective (see napcoll_agreement.h), once the
 * nodes are known; the same on all ranks. The module's. */
int mca_coll_napcoll_agreement(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                               const napcoll_agreement_t **agreement);

/** What users force for a collective: NAPCOLL_FORCE_..., once the nodes are known. It never changes: all calls on a
 * communicator go by what was set when it was made. */
static inline int mca_coll_napcoll_force(const mca_coll_napcoll_module_t *module,
                                         napcoll_coll_t coll)
{
    return module->force[coll];
}

/** Whether each process decides by itself whether a collective is in place; else all do alike. */
static inline bool mca_coll_napcoll_in_place_alone(napcoll_coll_t coll)
{
    return NAPCOLL_COLL_REDUCE == coll || NAPCOLL_COLL_SCAN == coll || NAPCOLL_COLL_EXSCAN == coll;
}

/** Free a module's decisions and plans. */
void mca_coll_napcoll_cache_release(mca_coll_napcoll_module_t *module);

/* coll_napcoll_shared.c */

/** Begin with nothing to share, when the component opens; free what is shared when it closes. */
void mca_coll_napcoll_shared_open(void);
void mca_coll_napcoll_shared_close(void);

/** Have a module's new map in common with the communicators that have its like; it is released with the module. */
void mca_coll_napcoll_share_map(mca_coll_napcoll_module_t *module);
void mca_coll_napcoll_release_map(mca_coll_napcoll_module_t *module);

/* As napcoll_decided_create and napcoll_decision_cache_find, _share and _release, for any thread. */
napcoll_decided_t *mca_coll_napcoll_make_decided(const napcoll_decision_key_t *key);
napcoll_decided_t *mca_coll_napcoll_find_decided(const napcoll_decision_key_t *key, size_t bytes);
napcoll_decided_t *mca_coll_napcoll_share_decided(napcoll_decided_t *made);
void mca_coll_napcoll_release_decided(napcoll_decided_t *decided);

/* coll_napcoll_verify.c */

/**
 * Where the parameter verify asks for it, prove a new plan: all ranks of the communicator call this with
 * their plans of one call, and process 0 verifies them together. A wrong plan is reported there.
 *
 * @param[in]  module    the communicator's
 * @param[in]  coll      the collective
 * @param[in]  decision  whose plan it is
 * @param[in]  plan      this rank's
 * @param[out] good      whether the plans are right, the same on all ranks
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_verify_plan(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                 const napcoll_decision_t *decision, napcoll_plan_t *plan,
                                 bool *good);

/* the collectives */
int mca_coll_napcoll_allreduce(ALLREDUCE_ARGS);
int mca_coll_napcoll_reduce(REDUCE_ARGS);
int mca_coll_napcoll_barrier(BARRIER_ARGS);
int mca_coll_napcoll_allgather(ALLGATHER_ARGS);
int mca_coll_napcoll_allgatherv(ALLGATHERV_ARGS);
int mca_coll_napcoll_reduce_scatter(REDUCESCATTER_ARGS);
int mca_coll_napcoll_reduce_scatter_block(REDUCESCATTERBLOCK_ARGS);
int mca_coll_napcoll_scan(SCAN_ARGS);
int mca_coll_napcoll_exscan(EXSCAN_ARGS);
int mca_coll_napcoll_bcast(BCAST_ARGS);
int mca_coll_napcoll_alltoall(ALLTOALL_ARGS);
int mca_coll_napcoll_alltoallv(ALLTOALLV_ARGS);
int mca_coll_napcoll_alltoallw(ALLTOALLW_ARGS);
int mca_coll_napcoll_gather(GATHER_ARGS);
int mca_coll_napcoll_gatherv(GATHERV_ARGS);
int mca_coll_napcoll_scatter(SCATTER_ARGS);
int mca_coll_napcoll_scatterv(SCATTERV_ARGS);

END_C_DECLS

#endif /* MCA_COLL_NAPCOLL_EXPORT_H */
