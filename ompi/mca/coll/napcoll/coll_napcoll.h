/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll: collectives that know which processes share a node. The MCA component and its modules.
 *
 * A function of the module (coll_napcoll_calls.c) asks for the decision on the call and for the
 * plan, which are cached. Then an operation runs the plan, or the fallback function is called, and
 * the reason is counted.
 *
 *     coll_napcoll_component.c    opens and closes the component
 *     coll_napcoll_params.c       MCA parameters, described in coll_napcoll_param_table.c
 *     coll_napcoll_machine.c      MCA parameters of the machine, and the kind of its network
 *     coll_napcoll_counters.c     performance variables
 *     coll_napcoll_required_components.c   components that the framework needs beside napcoll
 *     coll_napcoll_agree.c        compares the settings of all processes
 *     coll_napcoll_versions.c     whether all processes have napcoll, in one version
 *     coll_napcoll_topology.c     reads the switch tree from a file
 *     coll_napcoll_rules.c        reads the rules from a file
 *     coll_napcoll_plans.c        reads plans from files, and proves them
 *     coll_napcoll_module.c       enables a module, and installs its functions
 *     coll_napcoll_calls.c        the functions of a module
 *     coll_napcoll_run.c          a call's way from its arguments to its end; blocking calls
 *     coll_napcoll_request.c      nonblocking and persistent calls
 *     coll_napcoll_fallback.c     calls the fallback functions
 *     coll_napcoll_blocks.c       all-to-alls, gathers and scatters
 *     coll_napcoll_neighbors.c    the neighbours of a process, for neighbourhood collectives
 *     coll_napcoll_cache.c        decisions and plans of a module
 *     coll_napcoll_shared.c       node maps, decisions and plans that communicators share
 *     coll_napcoll_node_memory.c  memory that the processes of a node share
 *     coll_napcoll_info.c         info keys of communicators
 *     coll_napcoll_log.c          the verbose log
 *     coll_napcoll_stall.c        reports calls that wait for long
 *     coll_napcoll_stall_report.c what such a report says
 *     coll_napcoll_stats.c        call statistics, and the online check
 *     coll_napcoll_job_stats.c    gathers the statistics of all processes
 *     coll_napcoll_summary.c      writes the summary of calls
 *     coll_napcoll_verify.c       verifies new plans before their first use
 */

#ifndef MCA_COLL_NAPCOLL_EXPORT_H
#define MCA_COLL_NAPCOLL_EXPORT_H

#include "ompi_config.h"

#include <stdatomic.h>

#include "coll_napcoll_calls.h"
#include "coll_napcoll_history.h"
#include "coll_napcoll_values.h"
#include "compat/napcoll_compat.h"
#include "exec/napcoll_operation.h"
#include "model/napcoll_machine.h"
#include "model/napcoll_network.h"
#include "opal/util/proc.h"
#include "select/napcoll_decision_cache.h"
#include "select/napcoll_select.h"
#include "select/napcoll_call_stats.h"
#include "select/napcoll_job_stats.h"
#include "select/napcoll_trial.h"
#include "select/napcoll_uneven.h"
#include "topo/napcoll_discover.h"

/* napcoll's own version; configure.ac reads it from here. */
#define NAPCOLL_MAJOR_VERSION   0
#define NAPCOLL_MINOR_VERSION   2
#define NAPCOLL_RELEASE_VERSION 0

/* Raise it with every change after which two builds would not understand each other: of plans,
 * decisions, tags or the messages of the set-up (docs/developer-guide.md). */
#define NAPCOLL_PLAN_REVISION 8

#define NAPCOLL_TEXT(number)      #number
#define NAPCOLL_TEXT_OF(constant) NAPCOLL_TEXT(constant)
#define NAPCOLL_VERSION                    \
    NAPCOLL_TEXT_OF(NAPCOLL_MAJOR_VERSION) \
    "." NAPCOLL_TEXT_OF(NAPCOLL_MINOR_VERSION) "." NAPCOLL_TEXT_OF(NAPCOLL_RELEASE_VERSION)

/* What git describe says of the source; configure finds it. */
#if !defined(NAPCOLL_GIT_REVISION)
#    define NAPCOLL_GIT_REVISION ""
#endif

BEGIN_C_DECLS

/** The counters of a function's calls, which the performance variables show. */
typedef struct napcoll_counters {
    /** [NAPCOLL_MAX_ALGORITHMS]: of all plans from files */
    _Atomic unsigned long long runs[NAPCOLL_MAX_ALGORITHMS + 1];
    _Atomic unsigned long long bytes[NAPCOLL_MAX_ALGORITHMS + 1];
    _Atomic unsigned long long fallbacks[NAPCOLL_REASONS];
} napcoll_counters_t;

typedef struct mca_coll_napcoll_component {
    mca_coll_base_component_t super;
    /** parameters: see coll_napcoll_param_table.c */
    int priority;
    int verbose;
    napcoll_settings_t settings[NAPCOLL_COLLS];
    /** napcoll_provider_t */
    int local_provider;
    int leader_provider;
    int local_radix;
    /** napcoll_shape_t */
    int local_shape;
    bool reproducible;
    size_t segment_bytes;
    size_t transit_bytes;
    size_t inline_bytes;
    size_t kept_bytes;
    napcoll_thresholds_t thresholds;
    /** NAPCOLL_VERIFY_PLANS_... */
    int verify;
    char *fake_ppn;
    char *fake_map;
    char *fake_version;
    char *topology_file;
    char *rules_file;
    char *plans_file;
    /** napcoll_network_t of the parameter network */
    int asked_network;
    char *network_classes;
    /** NAPCOLL_MISMATCH_... */
    int mismatch;
    /** NAPCOLL_SUMMARY_...; ..._JOB where process 0 has it */
    int summary;
    char *summary_file;
    bool online;
    int online_calls;
    bool node_memory;
    int node_memory_calls;
    size_t node_memory_bytes;
    int stall_seconds;
    /** NAPCOLL_STALL_SIGNAL_... */
    int stall_signal;

    /** stream of the verbose log */
    int output;
    /** rules of the file that process 0 has read, or NULL */
    napcoll_rules_t *rules;
    /** napcoll_rules_tell_requests */
    bool rules_tell_requests;
    /** supplies the numbers of the machine that are not set; never AUTO */
    napcoll_network_t network;
    napcoll_machine_t machine;
    /** users have set parameters of the machine, on process 0 of the job */
    bool measured;
    /** processors of the node of process 0 of the job */
    int processors;
    napcoll_job_t job;
    /** see mca_coll_napcoll_set_up_job() */
    bool job_known;
    /** all processes of the job have napcoll, in this version: found on MPI_COMM_WORLD */
    bool on_all_processes;
    /** some process of the job has not, so that no communicator is served */
    bool versions_differ;
    /** of this job or of jobs that it joins */
    bool versions_reported;
    /** why MPI_COMM_WORLD is not served; "" if it is */
    char unused[96];
    /** of MPI_COMM_WORLD; 0 where they are not known */
    int nodes;
    int min_ppn;
    int max_ppn;
    /** the job's number that process 0 has from the scheduler or from Open MPI */
    char job_id[64];
    /** copy of summary_file, or NULL: the parameters go before the component closes */
    char *summary_name;
    bool summary_written;
    /** hash of what process 0 of the job published */
    uint64_t fingerprint;
    /** of all communicators, under shared_lock */
    napcoll_map_cache_t maps;
    napcoll_decision_cache_t decisions;
    /** no other lock is taken while it is held */
    opal_mutex_t shared_lock;
    napcoll_counters_t counters[NAPCOLL_KINDS][NAPCOLL_COLLS];
    /** bytes of node memory, for all communicators */
    _Atomic unsigned long long node_memory_mapped;
    /** calls are counted for a summary */
    bool summarized;
    /** calls that wait for long are reported, by the clock or after a signal */
    bool watched;
    /** calls are timed, for the summary, for the online check or to be watched */
    bool recorded;
    /** under stats_lock */
    napcoll_call_stats_t stats;
    opal_mutex_t stats_lock;
    /** in MPI_Finalize */
    napcoll_job_stats_t job_stats;
    /** argv list "name=value" of parameters that all processes must set alike, and "refused:..." of
     * values that cannot be used */
    char **compared;
} mca_coll_napcoll_component_t;

NAPCOLL_COMPAT_COMPONENT_DECLSPEC extern mca_coll_napcoll_component_t mca_coll_napcoll_component;

/** The tables of all collectives, by napcoll_coll_t. */
extern const napcoll_collective_t *const mca_coll_napcoll_collectives[NAPCOLL_COLLS];

/** A function of a communicator's table, with its module. */
typedef struct napcoll_saved_function {
    void (*function)(void);
    mca_coll_base_module_t *module;
} napcoll_saved_function_t;

/** An entry of a communicator's list: a decision with its plans, which communicators share. */
typedef struct napcoll_cached {
    napcoll_decided_t *decided;
    /** online check of its class, owned by the module, or NULL */
    struct mca_coll_napcoll_trial *trial;
    struct napcoll_cached *next;
} napcoll_cached_t;

/** The memory that a communicator shares on this node (coll_napcoll_node_memory.c). */
typedef struct mca_coll_napcoll_node_memory mca_coll_napcoll_node_memory_t;

typedef struct mca_coll_napcoll_module {
    mca_coll_base_module_t super;
    ompi_communicator_t *comm;
    /** the functions before napcoll's; their modules are retained */
    napcoll_saved_function_t fallback[NAPCOLL_KINDS][NAPCOLL_COLLS];
    /** calls under way that have entered a fallback function, one inside the other
     * (mca_coll_napcoll_fallback_enter) */
    int fallback_depth;
    /** the node map and the info keys are known */
    bool ready;
    /** shared */
    napcoll_node_map_t *map;
    /** the communicator joins jobs that have different settings */
    bool jobs_differ;
    /** of uneven collectives: where rounds pay, NULL until it is needed; and what calls before have
     * said */
    napcoll_decided_t *limits[NAPCOLL_COLLS];
    napcoll_uneven_t uneven[NAPCOLL_COLLS];
    /** NAPCOLL_FORCE_...: of the info key, else of the parameter when the communicator was made */
    int force[NAPCOLL_COLLS];
    /** of the info key, where it names tunables, else NULL */
    napcoll_rule_t *asked[NAPCOLL_COLLS];
    /** [whether the call is a request] napcoll_rules_scope_t of the rules, or -1: not looked up yet
     */
    int rules_scope[NAPCOLL_COLLS][2];
    /** the latest first, a few dozen at most */
    napcoll_cached_t *cached[NAPCOLL_COLLS];
    /** online checks, one for each class of calls */
    struct mca_coll_napcoll_trial *trials[NAPCOLL_COLLS];
    /** [scope] what carries out phases there; NULL until it is needed, or where this process is not
     * a member */
    ompi_communicator_t *subcomm[NAPCOLL_SCOPES];
    /** [scope] it has been made */
    bool has_subcomm[NAPCOLL_SCOPES];
    /** all processes are on one node */
    bool one_node;
    /** NULL: there is none, or not yet */
    mca_coll_napcoll_node_memory_t *node_memory;
    /** of a communicator with a topology; NULL until it is needed */
    napcoll_neighborhood_t *neighborhood;
    /** calls so far that may wait; -1: it is decided whether there is node memory; large rings */
    int calls_before_node_memory, calls_before_large_rings;
    /** calls that would take large rings, and questions whether to make some */
    int large_calls, questions;
    /** operations that an error has ended: messages to their memory may be under way */
    _Atomic(napcoll_operation_t *) failed;
    /** where calls are watched */
    mca_coll_napcoll_history_t history;
} mca_coll_napcoll_module_t;

OBJ_CLASS_DECLARATION(mca_coll_napcoll_module_t);

/* ---- coll_napcoll_component.c ---- */

/**
 * End the job: memory ran out in this process, which alone would go on without napcoll while the
 * others wait for it.
 *
 * @param[in] what  the memory was for
 */
void mca_coll_napcoll_no_memory(const char *what) __attribute__((noreturn));

/**
 * Compare the versions and the settings of the job's processes and, for tests, set the fake nodes:
 * at the first query, after the processes have exchanged what they published. Collective on
 * MPI_COMM_WORLD, on which MPI_Init calls it.
 *
 * @param[in] comm  communicator that is made
 */
int mca_coll_napcoll_set_up_job(ompi_communicator_t *comm);

/* ---- coll_napcoll_agree.c ---- */

/** On process 0 of the job: publish the settings, the kind of network, the rules and the switch
 * tree, before processes exchange their addresses. */
int mca_coll_napcoll_publish_settings(void);

/**
 * Compare the settings with process 0's, and take its kind of network, its rules and its
 * switch tree: once per process, after the exchange.
 *
 * @return OMPI_SUCCESS, or an error after a message that names what differs
 */
int mca_coll_napcoll_compare_settings(void);

/** On a communicator whose processes MPI_Init has not compared, because it joins jobs or there was
 * no MPI_Init: compare their versions, and what the processes 0 of the jobs published; set
 * module->jobs_differ. Collective. OMPI_ERR_WOULD_BLOCK, on all ranks: it takes messages, and the
 * call must not wait. */
int mca_coll_napcoll_compare_jobs(mca_coll_napcoll_module_t *module, bool waits);

/* ---- coll_napcoll_versions.c ---- */

/** What the processes of a communicator that have napcoll found out together. */
typedef struct {
    /** some process has no napcoll, or another version */
    bool versions_differ;
    /** fingerprints differ */
    bool settings_differ;
    /** where versions do not differ: */
    int nodes;
    int min_ppn;
    int max_ppn;
} mca_coll_napcoll_common_t;

/** Publish the version of this process, before processes exchange their addresses. */
int mca_coll_napcoll_publish_version(void);

/**
 * Compare versions and fingerprints. Collective on the processes with napcoll, which find the same;
 * processes without it do nothing.
 *
 * @param[in]  comm         communicator; its point-to-point messages work
 * @param[in]  fingerprint  what must be the same on all
 * @param[out] common       the result
 *
 * @return OMPI_SUCCESS, or the error of a message or of a look-up
 */
int mca_coll_napcoll_find_common(ompi_communicator_t *comm, uint64_t fingerprint,
                                 mca_coll_napcoll_common_t *common);

/** Whether a process has the version of this one. */
int mca_coll_napcoll_has_own_version(const opal_process_name_t *process, bool *same);

/**
 * Report versions that differ, by the lowest rank that has napcoll and once in a process, and end
 * the job if the parameter mismatch says so.
 *
 * @param[in] comm     communicator whose processes are named
 * @param[in] subject  of the message's sentences
 */
int mca_coll_napcoll_report_versions(ompi_communicator_t *comm, const char *subject);

/* ---- coll_napcoll_summary.c ---- */

/** Take what process 0 has: its word on whether the summary is of the job holds for all, and its
 * number of the job. Before the first call. */
void mca_coll_napcoll_take_summary(int summary, const char *job_id);

/* ---- coll_napcoll_params.c ---- */

int mca_coll_napcoll_register(void);

/** Whether this process reports values that cannot be used: one process of each job does. Other
 * processes with other values are found when the settings are compared. */
static inline bool mca_coll_napcoll_reports(void)
{
    return 0 == OPAL_PROC_MY_NAME.vpid;
}

/** Remember a parameter whose value cannot be used, for the comparison of the settings. */
void mca_coll_napcoll_reject(const char *name, const char *value);

/**
 * Where the file of a parameter is, or was looked for, for a message.
 *
 * @param[in] name of the parameter, without coll_napcoll_
 * @param[in] path its value
 *
 * @return a text that the caller frees; NULL: memory ran out
 */
char *mca_coll_napcoll_places(const char *name, const char *path);

/* ---- coll_napcoll_counters.c ---- */

/** Register runs_FUNCTION_ALGORITHM and bytes_FUNCTION_ALGORITHM for each function
 * (napcoll_function_name) and algorithm of a collective, and fallbacks_FUNCTION_REASON for each
 * reason that its calls can have. */
int mca_coll_napcoll_register_counters(napcoll_coll_t coll);

/** Register node_messages and node_memory_mapped. */
int mca_coll_napcoll_register_node_memory(void);

/** Count a call of some bytes. */
void mca_coll_napcoll_count(napcoll_coll_t coll, const napcoll_outcome_t *outcome, size_t bytes);

/* ---- coll_napcoll_info.c ---- */

/** Read the info keys of a module's communicator; reports values that cannot be used. */
int mca_coll_napcoll_read_info(mca_coll_napcoll_module_t *module);

/* ---- coll_napcoll_log.c ---- */

/** The output for what all processes of a communicator log alike: process 0 logs it, and from
 * verbosity 10 on every process. -1 for a process that does not. */
int mca_coll_napcoll_log_output(const mca_coll_napcoll_module_t *module);

/** Log the node map of a communicator. */
void mca_coll_napcoll_log_map(const mca_coll_napcoll_module_t *module);

/** Log which components carry out the phases of a scope whose subcommunicator was made. */
void mca_coll_napcoll_log_subcomm(const mca_coll_napcoll_module_t *module, napcoll_scope_t scope);

/** Log a decision and, where it is new, why the other algorithms were not chosen. */
void mca_coll_napcoll_log_decision(const mca_coll_napcoll_module_t *module,
                                   const napcoll_decided_t *decided, bool is_new);

/* ---- coll_napcoll_machine.c ---- */

/** Register the parameters of the machine, after the network's. */
int mca_coll_napcoll_register_machine(void);

/** Take the kind of network of process 0: it supplies the numbers of the machine that users have
 * not set. Before the first decision. */
void mca_coll_napcoll_set_network(napcoll_network_t network);

/** The number of machine parameters that users have not set, without those that files of earlier
 * versions lack. */
int mca_coll_napcoll_not_measured(void);

/** Whether users have set at least one parameter of the machine. */
bool mca_coll_napcoll_is_measured(void);

/* ---- coll_napcoll_required_components.c ---- */

/** Open the components that the framework needs where the user's list of components does not name
 * them. Called once, while the framework opens its components. */
int mca_coll_napcoll_require_components(void);

/* ---- coll_napcoll_module.c ---- */

int mca_coll_napcoll_init_query(bool enable_progress_threads, bool enable_mpi_threads);
mca_coll_base_module_t *mca_coll_napcoll_comm_query(ompi_communicator_t *comm, int *priority);

/**
 * From here to mca_coll_napcoll_fallback_exit() calls on the communicator go to the fallback
 * functions: those that a fallback function makes, so that it takes the time that it takes without
 * napcoll, and those that napcoll makes where it cannot use its plans. May be nested.
 */
static inline void mca_coll_napcoll_fallback_enter(mca_coll_napcoll_module_t *module)
{
    module->fallback_depth++;
}

/** The end of mca_coll_napcoll_fallback_enter(); returns `rc`. */
static inline int mca_coll_napcoll_fallback_exit(mca_coll_napcoll_module_t *module, int rc)
{
    module->fallback_depth--;
    return rc;
}

/** An operation for a call on the communicator; NULL when memory ran out. */
napcoll_operation_t *mca_coll_napcoll_take_operation(const mca_coll_napcoll_module_t *module);

/** The call has ended. An operation that has failed is kept until the communicator ends. */
void mca_coll_napcoll_give_operation(mca_coll_napcoll_module_t *module,
                                     napcoll_operation_t *operation);

/* ---- coll_napcoll_cache.c ---- */

/**
 * Find what decisions on a communicator need, at its first call: nodes, node memory, neighbours.
 *
 * @param[in]  module  of the communicator
 * @param[in]  call    the call
 * @param[in]  waits   the call may wait for messages; the same on all ranks
 * @param[out] reason  why the call goes to the fallback function without a decision. SETUP: what is
 *                     missing takes messages. ONE_NODE: the node's processes do not share memory.
 *                     NONE: it does not
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_set_up(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                            bool waits, napcoll_reason_t *reason);

/**
 * The entry with the decision on a call, which is made now if it is new. The communicator is set
 * up.
 *
 * @param[in]  module  of the communicator
 * @param[in]  call    what the decision depends on
 * @param[in]  waits   the call may wait for messages; the same on all ranks
 * @param[out] entry   owned by the module; NULL where the call belongs to the fallback function
 *                     without a decision
 * @param[out] reason  SETUP: a new plan takes messages. NONE: there is an entry
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_find_entry(mca_coll_napcoll_module_t *module, const napcoll_call_t *call,
                                bool waits, const napcoll_cached_t **entry,
                                napcoll_reason_t *reason);

/** The settings of a collective on a communicator. With the online check the clock tells which
 * algorithms are slow. */
napcoll_settings_t mca_coll_napcoll_settings(const mca_coll_napcoll_module_t *module,
                                             napcoll_coll_t coll);

/** What becomes of a call that has an entry, or none and a reason. */
napcoll_outcome_t mca_coll_napcoll_outcome(const napcoll_cached_t *entry, napcoll_reason_t reason,
                                           const napcoll_call_t *call, napcoll_kind_t kind);

/** Where rounds of an uneven collective pay; the nodes are known. The same on all ranks; owned by
 * the module. */
int mca_coll_napcoll_limits(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                            const napcoll_limits_t **limits);

/** The forced choice of a collective, NAPCOLL_FORCE_...; the nodes are known. All calls on a
 * communicator use what was set when it was made. */
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

/* ---- coll_napcoll_shared.c: open and close with the component ---- */
void mca_coll_napcoll_shared_open(void);
void mca_coll_napcoll_shared_close(void);

/** Share a module's new map with the communicators that have the same one; the module's destructor
 * releases it. */
void mca_coll_napcoll_share_map(mca_coll_napcoll_module_t *module);
void mca_coll_napcoll_release_map(mca_coll_napcoll_module_t *module);

/* As napcoll_decided_create and napcoll_decision_cache_find, _share and _release, for any
 * thread. */
napcoll_decided_t *mca_coll_napcoll_make_decided(const napcoll_decision_key_t *key);
napcoll_decided_t *mca_coll_napcoll_find_decided(const napcoll_decision_key_t *key, size_t bytes);
void mca_coll_napcoll_share_decided(napcoll_decided_t **decided);
void mca_coll_napcoll_release_decided(napcoll_decided_t *decided);

/* ---- coll_napcoll_verify.c ---- */

/**
 * If the parameter verify asks for it, verify a new plan: all ranks of the communicator call this
 * with their plans of one call, process 0 verifies them together and reports an error.
 *
 * @param[in]  module    of the communicator
 * @param[in]  coll      collective
 * @param[in]  decision  that the plan is for
 * @param[in]  plan      of this rank
 * @param[out] good      whether the plans are right, the same on all ranks
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_verify_plan(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                 const napcoll_decision_t *decision, napcoll_plan_t *plan,
                                 bool *good);

/* ---- coll_napcoll_fallback.c ---- */

/**
 * Call the fallback function of a collective. Collectives that it calls go to fallback functions
 * as well.
 *
 * @param[in] module   of the communicator
 * @param[in] coll     collective
 * @param[in] binding  arguments
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_fallback(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                              const napcoll_binding_t *binding);

/** The same, with arguments that avoid the faults of component tuned (coll_napcoll_fallback.c). */
int mca_coll_napcoll_fallback_corrected(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                        const napcoll_binding_t *binding);

/** Call the nonblocking or persistent fallback function; info is for the latter. */
int mca_coll_napcoll_fallback_request(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                      napcoll_kind_t kind, const napcoll_binding_t *binding,
                                      ompi_info_t *info, ompi_request_t **request);

/* ---- coll_napcoll_request.c ---- */

/** When the component opens, and when it closes. */
void mca_coll_napcoll_requests_open(void);
void mca_coll_napcoll_requests_close(void);

END_C_DECLS

#endif /* MCA_COLL_NAPCOLL_EXPORT_H */
