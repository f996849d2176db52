/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MCA parameters. One table describes those of the component; registration, the check of the range, the
 * comparison between processes, ompi_info and docs/parameters.md come from it. The parameters of algorithms
 * are read off the collectives' tables, those of the machine are in coll_napcoll_machine.c.
 */

#include "coll_napcoll.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/napcoll_reserve.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/util/argv.h"

/** The type of a parameter, and that of its field in the component. */
typedef enum {
    PARAM_INT,    /* int */
    PARAM_CHOICE, /* int: one of `values` */
    PARAM_SIZE,   /* size_t: bytes */
    PARAM_BOOL,   /* bool */
    PARAM_TEXT    /* char * */
} param_type_t;

typedef struct {
    const char *name;
    param_type_t type;
    /* of the component's field */
    size_t offset;
    /* the default; of a text NULL is none */
    long long initial;
    const char *initial_text;
    /* the range of an int or a size */
    long long least;
    long long most;
    /* of a choice; the first is the default */
    const mca_base_var_enum_value_t *values;
    /* whether all processes of a job must have the same value */
    bool must_agree;
    mca_base_var_info_lvl_t level;
    const char *help;
} param_t;

#define FIELD(name) offsetof(mca_coll_napcoll_component_t, name)

/* Far above any sensible value, and far below what overflows when it is multiplied. */
#define MOST_BYTES (1LL << 40)

static const mca_base_var_enum_value_t summaries[] = {{NAPCOLL_SUMMARY_OFF, "off"},
                                                      {NAPCOLL_SUMMARY_RANK0, "rank0"},
                                                      {NAPCOLL_SUMMARY_ALL, "all"},
                                                      {0, NULL}};
static const mca_base_var_enum_value_t networks[] = {{NAPCOLL_NETWORK_AUTO, "auto"},
                                                     {NAPCOLL_NETWORK_FABRIC, "fabric"},
                                                     {NAPCOLL_NETWORK_ETHERNET, "ethernet"},
                                                     {0, NULL}};
static const mca_base_var_enum_value_t providers[] = {
    {NAPCOLL_PROVIDER_P2P, "p2p"}, {NAPCOLL_PROVIDER_DELEGATE, "delegate"}, {0, NULL}};
static const mca_base_var_enum_value_t shapes[] = {{NAPCOLL_SHAPE_AUTO, "auto"},
                                                   {NAPCOLL_SHAPE_EXCHANGE, "exchange"},
                                                   {NAPCOLL_SHAPE_TREE, "tree"},
                                                   {0, NULL}};
static const mca_base_var_enum_value_t verifications[] = {{NAPCOLL_VERIFY_PLANS_OFF, "off"},
                                                          {NAPCOLL_VERIFY_PLANS_ON, "on"},
                                                          {NAPCOLL_VERIFY_PLANS_BROKEN, "broken"},
                                                          {0, NULL}};

static const param_t params[] = {
    {.name = "priority",
     .type = PARAM_INT,
     .offset = FIELD(priority),
     .initial = 40,
     .least = -100,
     .most = 1000,
     .must_agree = true,
     .level = OPAL_INFO_LVL_2,
     .help =
         "Priority of napcoll. The component with the highest priority supplies a collective; tuned "
         "has 30, and han has 35 from Open MPI 5.0 on. Negative: napcoll is not used"},
    {.name = "verbose",
     .type = PARAM_INT,
     .offset = FIELD(verbose),
     .initial = 0,
     .least = -1,
     .most = 100,
     .level = OPAL_INFO_LVL_2,
     .help =
         "Verbosity. 1: each new decision with its reason and its tunables, logged by process 0 of the "
         "communicator. 5: also the estimate for every algorithm, or why it was excluded. 10: every "
         "process logs this, and names the communicators that napcoll does not serve. 20: also node maps"},
    {.name = "summary",
     .type = PARAM_CHOICE,
     .offset = FIELD(summary),
     .values = summaries,
     .level = OPAL_INFO_LVL_3,
     .help =
         "Call statistics at MPI_Finalize: one line for each collective, size class, and algorithm or "
         "fallback reason, with the number of calls, bytes and time. rank0: those of process 0. all: "
         "those of each process, written by that process"},
    {.name = "online",
     .type = PARAM_BOOL,
     .offset = FIELD(online),
     .initial = 0,
     .must_agree = true,
     .level = OPAL_INFO_LVL_4,
     .help =
         "Whether the choices of auto are checked in production. The first calls of each collective, "
         "size class, kind of operation and communicator go to napcoll and to the fallback component "
         "in turns and are timed; the faster one serves the calls that follow. Sums may have other "
         "bits in every other of these calls. Forced algorithms, rules and reproducible reductions are "
         "not checked"},
    {.name = "online_calls",
     .type = PARAM_INT,
     .offset = FIELD(online_calls),
     .initial = NAPCOLL_TRIAL_DEFAULT_CALLS,
     .least = 1,
     .most = NAPCOLL_TRIAL_MOST_CALLS,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "How many calls of each side the parameter online times, after one call of each to warm up"},
    {.name = "fake_ppn",
     .type = PARAM_TEXT,
     .offset = FIELD(fake_ppn),
     .must_agree = true,
     .level = OPAL_INFO_LVL_9,
     .help =
         "For tests: pretend that nodes have this many processes each. A list such as 3,2,1 repeats "
         "until all ranks of MPI_COMM_WORLD have a node"},
    {.name = "fake_map",
     .type = PARAM_TEXT,
     .offset = FIELD(fake_map),
     .must_agree = true,
     .level = OPAL_INFO_LVL_9,
     .help = "For tests: how fake_ppn places the ranks on nodes: block, cyclic or random:SEED"},
    {.name = "network_classes",
     .type = PARAM_TEXT,
     .offset = FIELD(network_classes),
     .initial_text = NAPCOLL_NETWORK_CLASSES,
     .level = OPAL_INFO_LVL_9,
     .help = "For tests: the folder in which Linux lists devices by class"},
    {.name = "network",
     .type = PARAM_CHOICE,
     .offset = FIELD(asked_network),
     .values = networks,
     .must_agree = true,
     .level = OPAL_INFO_LVL_4,
     .help =
         "The kind of network between the nodes. It supplies the numbers of the parameters machine_... "
         "that are not set, as before napcoll-tune was run. fabric: processes drive the adapter "
         "directly. ethernet: TCP. auto: fabric if the node of process 0 has an InfiniBand, RoCE, "
         "Omni-Path, Slingshot or BXI adapter, else ethernet"},
    {.name = "topology_file",
     .type = PARAM_TEXT,
     .offset = FIELD(topology_file),
     .level = OPAL_INFO_LVL_4,
     .help =
         "File that describes the network's switches in the form of Slurm's topology.conf "
         "(SwitchName=s0 Nodes=n[0-3], SwitchName=s1 Switches=s[0-2]). Broadcasts then visit the nodes "
         "in depth-first order of the switches, which loads the links least. Process 0 of the job reads "
         "it for all. Without a file, all nodes are taken to be on one switch, in the launcher's order"},
    {.name = "rules_file",
     .type = PARAM_TEXT,
     .offset = FIELD(rules_file),
     .level = OPAL_INFO_LVL_4,
     .help =
         "File of rules that select algorithms before the model does (napcoll-rules(5)). Lines such as "
         "\"allreduce nodes=2..8 ppn=8 bytes=..4K -> nap\"; the first line that matches decides. An info "
         "key, or a parameter COLLECTIVE_algorithm other than auto, comes before the rules. Process 0 of "
         "the job reads the file for all. A file with an error is reported and not used; "
         "napcoll-plan rules check FILE checks one"},
    {.name = "reproducible",
     .type = PARAM_BOOL,
     .offset = FIELD(reproducible),
     .initial = 0,
     .must_agree = true,
     .level = OPAL_INFO_LVL_4,
     .help =
         "Whether reductions give the same bits for any placement and any number of nodes. All of them "
         "then combine halves of the ranks, also on communicators within one node. Small vectors are "
         "gathered on all processes (P times the vector), large ones use algorithms that do not know "
         "nodes"},
    {.name = "compare",
     .type = PARAM_INT,
     .offset = FIELD(compare),
     .initial = NAPCOLL_DEFAULT_COMPARE,
     .least = 0,
     .most = 100000,
     .must_agree = true,
     .level = OPAL_INFO_LVL_5,
     .help =
         "Percent. auto lets the fallback component do a call if its estimated time is below this part "
         "of napcoll's, unless the parameter online has timed both. 0: no comparison. Estimates exist "
         "for tuned's fixed decisions, and for basic's scans, all-to-alls, and gathers and scatters of "
         "uneven blocks"},
    {.name = "segment_bytes",
     .type = PARAM_SIZE,
     .offset = FIELD(segment_bytes),
     .initial = NAPCOLL_DEFAULT_SEGMENT_BYTES,
     .least = 0,
     .most = MOST_BYTES,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "Larger vectors may go through the pipelines of lane and ring (reductions) in segments of about "
         "this size, at most 8; auto uses them where the model says so. 0: one segment. Broadcasts have "
         "a parameter segments for each algorithm instead"},
    {.name = "alltoall_memory_bytes",
     .type = PARAM_SIZE,
     .offset = FIELD(transit_bytes),
     .initial = 256LL * 1024 * 1024,
     .least = 0,
     .most = MOST_BYTES,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "Most memory that blocks in transit may take on a process: slots of the plan times the largest "
         "block of any process (algorithms tuna..., binomial, two_level of all-to-alls, gathers and "
         "scatters). A call that could need more goes to the fallback component. 0: no limit"},
    {.name = "kept_bytes",
     .type = PARAM_SIZE,
     .offset = FIELD(kept_bytes),
     .initial = NAPCOLL_RESERVE_BYTES,
     .least = 0,
     .most = MOST_BYTES,
     .level = OPAL_INFO_LVL_6,
     .help =
         "Memory that a process keeps for the vectors and blocks in transit of later calls, of any "
         "communicator, because new pages are slow. 0: it is freed after each call, except 3 MiB "
         "for each thread that calls collectives at the same time"},
    {.name = "alltoallv_mean_bytes",
     .type = PARAM_SIZE,
     .offset = FIELD(alltoallv_mean_bytes),
     .initial = 0,
     .least = 0,
     .most = MOST_BYTES,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "Mean block of MPI_Alltoallv and MPI_Alltoallw, by which auto chooses. 0: not known; processes "
         "agree on the mean and the largest block in a small allreduce where that pays, and MPI_Alltoallw "
         "goes to the fallback component. The info key "
         "napcoll_alltoallv_mean_bytes overrides it on a communicator. If the number is given, "
         "alltoall_memory_bytes limits MPI_Alltoall alone"},
    {.name = "alltoallv_trust",
     .type = PARAM_BOOL,
     .offset = FIELD(trust),
     .initial = 1,
     .must_agree = true,
     .level = OPAL_INFO_LVL_5,
     .help =
         "Whether processes rely in later calls on the block sizes that they agreed on, or that the root "
         "of MPI_Scatterv or MPI_Gatherv announced. Messages then say when the sizes no longer hold; a "
         "call with a larger block than agreed is run twice. The root of MPI_Gatherv announces again "
         "after 1, 2, 4, then 8 calls, and larger blocks go straight to it. false: processes agree in "
         "each call"},
    {.name = "alltoallv_bounded_bytes",
     .type = PARAM_SIZE,
     .offset = FIELD(bounded_bytes),
     .initial = NAPCOLL_BOUNDED_BYTES,
     .least = 0,
     .most = MOST_BYTES,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "Up to this many bytes, of the number of processes times the largest block, the receiver of "
         "blocks in transit reserves room for the largest, and block sizes travel with the blocks. "
         "Above it they travel in messages of their own before the blocks. 0: always before"},
    {.name = "gather_m1",
     .type = PARAM_SIZE,
     .offset = FIELD(thresholds.gather_m1),
     .initial = 5 * 1024,
     .least = 0,
     .most = MOST_BYTES,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "HeteroMPI's M1: the block from which flat gathers may escalate. More data arrives at the "
         "root's port than it can take, and TCP resends what was lost after 200 ms and more. segmented "
         "cuts blocks of gather_m1 to gather_m2 bytes into pieces below gather_m1, credit limits how "
         "many arrive at once, and auto excludes algorithms in which all arrive at once. "
         "napcoll-tune gather-scatter finds it. 0: gathers are never cut"},
    {.name = "gather_m2",
     .type = PARAM_SIZE,
     .offset = FIELD(thresholds.gather_m2),
     .initial = 64 * 1024,
     .least = 0,
     .most = MOST_BYTES,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "HeteroMPI's M2: the block up to which flat gathers may escalate, see gather_m1. The protocol "
         "of larger blocks limits how many arrive at once. napcoll-tune gather-scatter finds it"},
    {.name = "scatter_s",
     .type = PARAM_SIZE,
     .offset = FIELD(thresholds.scatter_s),
     .initial = 64 * 1024,
     .least = 0,
     .most = MOST_BYTES,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "HeteroMPI's S: the block from which the time of flat scatters leaps. segmented cuts blocks "
         "into pieces below it, credit limits how many are under way, and auto excludes algorithms that "
         "send all at once. napcoll-tune gather-scatter finds it. 0: scatters are never cut"},
    {.name = "verify",
     .type = PARAM_CHOICE,
     .offset = FIELD(verify),
     .values = verifications,
     .must_agree = true,
     .level = OPAL_INFO_LVL_9,
     .help =
         "For debugging. on: each new plan is proved together with those of all ranks before its first "
         "use; a wrong plan is reported and its calls go to the fallback component. Takes time and "
         "memory on rank 0 of the communicator. broken: the same, with an error put into rank 0's plan, "
         "to see that it is found"},
    {.name = "local_provider",
     .type = PARAM_CHOICE,
     .offset = FIELD(local_provider),
     .values = providers,
     .must_agree = true,
     .level = OPAL_INFO_LVL_5,
     .help =
         "Who does the phases inside a node. p2p: napcoll's own messages. delegate: the collectives of "
         "the component with the highest priority on a subcommunicator of the node"},
    {.name = "local_radix",
     .type = PARAM_INT,
     .offset = FIELD(local_radix),
     .initial = NAPCOLL_DEFAULT_LOCAL_RADIX,
     .least = 2,
     .most = NAPCOLL_TUNABLE_MOST,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "Radix of the steps inside a node (p2p): a larger one takes fewer steps of more messages. "
         "Vectors above 64 KiB use 2, and so does auto where the estimate is lower by 5 percent"},
    {.name = "local_shape",
     .type = PARAM_CHOICE,
     .offset = FIELD(local_shape),
     .values = shapes,
     .must_agree = true,
     .level = OPAL_INFO_LVL_6,
     .help =
         "Shape of an allreduce inside a node (p2p). exchange: fewest steps. tree: a reduce and a "
         "broadcast, fewest messages. auto: tree on nodes with more processes than cores, else "
         "exchange. The bits of the result are the same"},
};

enum { PARAMS = sizeof(params) / sizeof(params[0]) };

/* ---- values that cannot be used ---- */

void mca_coll_napcoll_reject(const char *name, const char *value)
{
    char text[256];

    (void) snprintf(text, sizeof(text), "%s=%s", name, value);
    (void) opal_argv_append_nosize(&mca_coll_napcoll_component.rejected, text);
}

/* Whether a number can be used; else report it, and remember it for the comparison of the settings. */
static bool check_number(const char *name, unsigned long long magnitude, bool negative,
                         long long least, long long most, long long initial)
{
    const long long value = magnitude > LLONG_MAX ? LLONG_MAX : (long long) magnitude;
    const long long number = negative ? -value : value;
    char given[32];

    /* 0 stands for "by the model" where it is the default. */
    if ((number >= least && number <= most) || (0 == number && 0 == initial)) {
        return true;
    }
    (void) snprintf(given, sizeof(given), "%s%llu", negative ? "-" : "", magnitude);
    mca_coll_napcoll_reject(name, given);
    if (mca_coll_napcoll_reports()) {
        napcoll_compat_show_help("bad number", name, given, least, most,
                                 0 == initial && least > 0 ? ", or 0" : "", initial);
    }
    return false;
}

/* What Open MPI's enumerators do with a text; ours say more when it fails. */
static mca_base_var_enum_vfs_fn_t plain_value_from_string;

/* The value of a text. One that is not valid is reported, and the first value, the default, is taken. */
static int value_from_string(mca_base_var_enum_t *self, const char *text, int *value)
{
    char **names = NULL, *valid;

    if (OPAL_SUCCESS == plain_value_from_string(self, text, value)) {
        return OPAL_SUCCESS;
    }
    mca_coll_napcoll_reject(self->enum_name, text);
    *value = self->enum_values[0].value;
    if (!mca_coll_napcoll_reports()) {
        return OPAL_SUCCESS;
    }
    for (int i = 0; i < self->enum_value_count; i++) {
        (void) opal_argv_append_nosize(&names, self->enum_values[i].string);
    }
    valid = opal_argv_join(names, ' ');
    opal_argv_free(names);
    napcoll_compat_show_help("bad value", self->enum_name, text, NULL == valid ? "" : valid,
                             self->enum_values[0].string);
    free(valid);
    return OPAL_SUCCESS;
}

/* ---- registration ---- */

static int register_enum(const char *name, const char *help, mca_base_var_info_lvl_t level,
                         mca_base_var_scope_t scope, const mca_base_var_enum_value_t *values,
                         int *storage)
{
    const mca_base_component_t *version = &mca_coll_napcoll_component.super.collm_version;
    mca_base_var_enum_t *enumerator;
    char full_name[128];
    int flags = MCA_BASE_VAR_SCOPE_ALL_EQ == scope ? MCA_BASE_VAR_FLAG_SETTABLE : 0;
    int rc;

    (void) snprintf(full_name, sizeof(full_name), "coll_napcoll_%s", name);
    rc = mca_base_var_enum_create(full_name, values, &enumerator);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    plain_value_from_string = enumerator->value_from_string;
    enumerator->value_from_string = value_from_string;
    rc = mca_base_component_var_register(version, name, help, MCA_BASE_VAR_TYPE_INT, enumerator, 0,
                                         flags, level, scope, storage);
    OBJ_RELEASE(enumerator); /* the variable keeps it */
    return rc < 0 ? rc : OPAL_SUCCESS;
}

/* A plain variable; `storage` has its default. */
static int register_variable(const char *name, const char *help, mca_base_var_type_t type,
                             mca_base_var_info_lvl_t level, mca_base_var_scope_t scope,
                             void *storage)
{
    int rc = mca_base_component_var_register(&mca_coll_napcoll_component.super.collm_version, name,
                                             help, type, NULL, 0, 0, level, scope, storage);

    return rc < 0 ? rc : OPAL_SUCCESS;
}

/* An int with a range, which the help text names. */
static int register_int(const char *name, const char *help, mca_base_var_info_lvl_t level,
                        mca_base_var_scope_t scope, long long least, long long most, int *storage)
{
    const int initial = *storage;
    char text[2048];
    int rc;

    (void) snprintf(text, sizeof(text), "%s. Range: %lld to %lld%s", help, least, most,
                    0 == initial && least > 0 ? ", or 0" : "");
    rc = register_variable(name, text, MCA_BASE_VAR_TYPE_INT, level, scope, storage);
    if (OPAL_SUCCESS == rc
        && !check_number(name, (unsigned long long) llabs(*storage), *storage < 0, least, most,
                         initial)) {
        *storage = initial;
    }
    return rc;
}

static int register_size(const param_t *param, mca_base_var_scope_t scope, size_t *storage)
{
    int rc = register_variable(param->name, param->help, MCA_BASE_VAR_TYPE_SIZE_T, param->level,
                               scope, storage);
    const bool negative = *storage > SIZE_MAX / 2;

    if (OPAL_SUCCESS == rc
        && !check_number(param->name, negative ? -*storage : *storage, negative, param->least,
                         param->most, param->initial)) {
        *storage = (size_t) param->initial;
    }
    return rc;
}

static int register_param(const param_t *param)
{
    void *field = (char *) &mca_coll_napcoll_component + param->offset;
    const mca_base_var_scope_t scope = param->must_agree ? MCA_BASE_VAR_SCOPE_READONLY
                                                         : MCA_BASE_VAR_SCOPE_LOCAL;

    switch (param->type) {
    case PARAM_INT:
        *(int *) field = (int) param->initial;
        return register_int(param->name, param->help, param->level, scope, param->least,
                            param->most, field);
    case PARAM_CHOICE:
        *(int *) field = param->values[0].value;
        return register_enum(param->name, param->help, param->level, scope, param->values, field);
    case PARAM_SIZE:
        *(size_t *) field = (size_t) param->initial;
        return register_size(param, scope, field);
    case PARAM_BOOL:
        *(bool *) field = 0 != param->initial;
        return register_variable(param->name, param->help, MCA_BASE_VAR_TYPE_BOOL, param->level,
                                 scope, field);
    case PARAM_TEXT:
        *(const char **) field = param->initial_text;
        return register_variable(param->name, param->help, MCA_BASE_VAR_TYPE_STRING, param->level,
                                 scope, field);
    }
    return OPAL_ERR_BAD_PARAM;
}

/* ---- what the tables of the collectives add ---- */

/* A tunable whose values have names; 0 leaves it to the model. */
static int register_choice(const char *name, const napcoll_tunable_t *tunable, int *storage)
{
    mca_base_var_enum_value_t values[NAPCOLL_MAX_ALGORITHMS + 2] = {{0, "auto"}};

    for (int v = 0; NULL != tunable->names[v]; v++) {
        values[v + 1].value = v + 1;
        values[v + 1].string = tunable->names[v];
    }
    return register_enum(name, tunable->help, OPAL_INFO_LVL_6, MCA_BASE_VAR_SCOPE_READONLY, values,
                         storage);
}

/* Add to a text of limited room. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t room,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    (void) vsnprintf(text + used, room - used, format, args);
    va_end(args);
}

/* COLL_algorithm: auto, previous and the rows of the table. */
static int register_algorithm(const napcoll_collective_t *collective, napcoll_settings_t *settings)
{
    mca_base_var_enum_value_t values[NAPCOLL_FORCE_FIRST + NAPCOLL_MAX_ALGORITHMS + 1] = {
        {NAPCOLL_FORCE_AUTO, "auto"}, {NAPCOLL_FORCE_PREVIOUS, "previous"}};
    char name[64], key[MPI_MAX_INFO_KEY + 1], help[2048];

    napcoll_collective_info_key(collective, key, MPI_MAX_INFO_KEY);
    (void) snprintf(name, sizeof(name), "%s_algorithm", collective->name);
    (void) snprintf(
        help, sizeof(help),
        "Algorithm of %s. auto: what the rules file says (see rules_file), else the one with the least "
        "estimated time on the model of the machine; "
        "previous: the function of the component with the next lower priority",
        collective->name);
    for (int row = 0; row < collective->algorithms; row++) {
        values[NAPCOLL_FORCE_FIRST + row].value = NAPCOLL_FORCE_FIRST + row;
        values[NAPCOLL_FORCE_FIRST + row].string = collective->algorithm[row].name;
        append(help, sizeof(help), "; %s: %s", collective->algorithm[row].name,
               collective->algorithm[row].help);
    }
    append(
        help, sizeof(help),
        ". A communicator's info key %s overrides it. Calls that the algorithm cannot do go to the fallback "
        "component. Set at run time (MPI_T), alike on all processes, it holds for communicators made "
        "from then on",
        key);
    return register_enum(name, help, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_ALL_EQ, values,
                         &settings->force);
}

static int register_tunables(const napcoll_collective_t *collective, napcoll_settings_t *settings)
{
    int rc = OPAL_SUCCESS;

    for (int row = 0; row < collective->algorithms; row++) {
        const napcoll_algorithm_t *algorithm = &collective->algorithm[row];

        for (int t = 0; NULL != algorithm->tunable[t].name && OPAL_SUCCESS == rc; t++) {
            const napcoll_tunable_t *tunable = &algorithm->tunable[t];
            int *storage = &settings->tunable[row][t];
            char name[96];

            (void) snprintf(name, sizeof(name), "%s_%s_%s", collective->name, algorithm->name,
                            tunable->name);
            rc = NULL != tunable->names ? register_choice(name, tunable, storage)
                                        : register_int(name, tunable->help, OPAL_INFO_LVL_6,
                                                       MCA_BASE_VAR_SCOPE_READONLY, tunable->least,
                                                       napcoll_tunable_most(tunable), storage);
        }
    }
    return rc;
}

static int register_collective(napcoll_coll_t coll)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    napcoll_settings_t *settings = &component->settings[coll];
    int rc;

    *settings = napcoll_select_defaults(collective);
    rc = register_algorithm(collective, settings);
    if (OPAL_SUCCESS == rc) {
        rc = register_tunables(collective, settings);
    }
    if (OPAL_SUCCESS == rc) {
        rc = mca_coll_napcoll_register_counters(coll);
    }
    settings->local_radix = component->local_radix;
    settings->reproducible = component->reproducible;
    settings->segment_bytes = component->segment_bytes;
    settings->compare = component->compare;
    settings->thresholds = component->thresholds;
    settings->machine = &component->machine;
    settings->shape = (napcoll_shape_t) component->local_shape;
    settings->provider = (napcoll_provider_t) component->local_provider;
    return rc;
}

/* M1 above M2 would be no range; M1 = 0 says that there is none. */
static void check_thresholds(napcoll_thresholds_t *thresholds)
{
    char given[64];

    if (0 == thresholds->gather_m1 || thresholds->gather_m1 <= thresholds->gather_m2) {
        return;
    }
    (void) snprintf(given, sizeof(given), "%zu,gather_m2=%zu", thresholds->gather_m1,
                    thresholds->gather_m2);
    mca_coll_napcoll_reject("gather_m1", given);
    if (mca_coll_napcoll_reports()) {
        napcoll_compat_show_help("bad thresholds", thresholds->gather_m1, thresholds->gather_m2,
                                 napcoll_thresholds_default.gather_m1,
                                 napcoll_thresholds_default.gather_m2);
    }
    thresholds->gather_m1 = napcoll_thresholds_default.gather_m1;
    thresholds->gather_m2 = napcoll_thresholds_default.gather_m2;
}

int mca_coll_napcoll_register(void)
{
    int rc = OPAL_SUCCESS;

    napcoll_compat_help_folder();
    for (int i = 0; i < PARAMS && OPAL_SUCCESS == rc; i++) {
        rc = register_param(&params[i]);
    }
    check_thresholds(&mca_coll_napcoll_component.thresholds);
    if (OPAL_SUCCESS == rc) {
        rc = mca_coll_napcoll_register_machine();
    }
    for (int coll = 0; coll < NAPCOLL_COLLS && OPAL_SUCCESS == rc; coll++) {
        rc = register_collective((napcoll_coll_t) coll);
    }
    if (OPAL_ERR_OUT_OF_RESOURCE == rc) {
        mca_coll_napcoll_no_memory("its parameters");
    }
    return rc;
}

/* ---- comparison between processes ---- */

/* "name=value" of a parameter. */
static void param_text(const param_t *param, char *text, size_t room)
{
    const void *field = (const char *) &mca_coll_napcoll_component + param->offset;
    const char *string;

    switch (param->type) {
    case PARAM_INT:
    case PARAM_CHOICE:
        (void) snprintf(text, room, "%s=%d", param->name, *(const int *) field);
        break;
    case PARAM_SIZE:
        (void) snprintf(text, room, "%s=%zu", param->name, *(const size_t *) field);
        break;
    case PARAM_BOOL:
        (void) snprintf(text, room, "%s=%d", param->name, *(const bool *) field);
        break;
    case PARAM_TEXT:
        string = *(const char *const *) field;
        (void) snprintf(text, room, "%s=%s", param->name, NULL == string ? "" : string);
        break;
    }
}

int mca_coll_napcoll_append_params(char ***list)
{
    char text[512];
    int rc = OPAL_SUCCESS;

    for (int i = 0; i < PARAMS && OPAL_SUCCESS == rc; i++) {
        if (params[i].must_agree) {
            param_text(&params[i], text, sizeof(text));
            rc = opal_argv_append_nosize(list, text);
        }
    }
    for (int i = 0; NULL != mca_coll_napcoll_component.rejected && OPAL_SUCCESS == rc
                    && NULL != mca_coll_napcoll_component.rejected[i];
         i++) {
        (void) snprintf(text, sizeof(text), "refused:%s", mca_coll_napcoll_component.rejected[i]);
        rc = opal_argv_append_nosize(list, text);
    }
    return rc;
}
