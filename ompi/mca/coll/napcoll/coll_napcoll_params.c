/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MCA parameters and MPI_T performance variables. What concerns algorithms is read off the
 * collectives' tables; what concerns the machine is in coll_napcoll_machine.c.
 */

#include "coll_napcoll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/napcoll_reserve.h"
#include "opal/mca/base/mca_base_pvar.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/util/argv.h"

/* What Open MPI's enumerators do with a text; ours say more when it fails. */
static mca_base_var_enum_vfs_fn_t plain_value_from_string;

/* The value of a text; for one that is not valid, say so and take the first value, the default. */
static int value_from_string(mca_base_var_enum_t *self, const char *text, int *value)
{
    char **names = NULL, *valid;

    if (OPAL_SUCCESS == plain_value_from_string(self, text, value)) {
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
    *value = self->enum_values[0].value;
    return OPAL_SUCCESS;
}

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

/* An int that must not be below `least`. */
static int register_int(const char *name, const char *help, mca_base_var_info_lvl_t level,
                        int least, int *storage)
{
    const mca_base_component_t *version = &mca_coll_napcoll_component.super.collm_version;
    const int initial = *storage;
    int rc = mca_base_component_var_register(version, name, help, MCA_BASE_VAR_TYPE_INT, NULL, 0, 0,
                                             level, MCA_BASE_VAR_SCOPE_READONLY, storage);

    if (rc >= 0 && *storage < least) {
        napcoll_compat_show_help("bad number", name, *storage, least, initial);
        *storage = initial;
    }
    return rc < 0 ? rc : OPAL_SUCCESS;
}

/* A number of bytes. */
static void register_size(const char *name, const char *help, size_t *storage)
{
    (void) mca_base_component_var_register(&mca_coll_napcoll_component.super.collm_version, name,
                                           help, MCA_BASE_VAR_TYPE_SIZE_T, NULL, 0, 0,
                                           OPAL_INFO_LVL_6, MCA_BASE_VAR_SCOPE_READONLY, storage);
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
        "Algorithm of %s. auto: what the rules file says (see rules_file), else the one that costs "
        "least on the model of the machine; "
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
        ". A communicator's info key %s overrides it; an algorithm that cannot do a call leaves "
        "it to the previous function. Set at run time (MPI_T), alike on all processes, it holds for "
        "communicators that are made from then on",
        key);
    return register_enum(name, help, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_ALL_EQ, values,
                         &settings->force);
}

static int register_tunables(const napcoll_collective_t *collective, napcoll_settings_t *settings)
{
    for (int row = 0; row < collective->algorithms; row++) {
        const napcoll_algorithm_t *algorithm = &collective->algorithm[row];

        for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
            char name[96];
            int rc;

            (void) snprintf(name, sizeof(name), "%s_%s_%s", collective->name, algorithm->name,
                            algorithm->tunable[t].name);
            rc = NULL != algorithm->tunable[t].names
                     ? register_choice(name, &algorithm->tunable[t], &settings->tunable[row][t])
                     : register_int(name, algorithm->tunable[t].help, OPAL_INFO_LVL_6,
                                    algorithm->tunable[t].least, &settings->tunable[row][t]);
            if (OPAL_SUCCESS != rc) {
                return rc;
            }
        }
    }
    return OPAL_SUCCESS;
}

static int register_counter(const char *name, const char *help, _Atomic unsigned long long *counter)
{
    int rc = mca_base_component_pvar_register(
        &mca_coll_napcoll_component.super.collm_version, name, help, OPAL_INFO_LVL_4,
        MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
        MCA_BASE_VAR_BIND_NO_OBJECT, MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS,
        NULL, NULL, NULL, (void *) (uintptr_t) counter);
    return rc < 0 ? rc : OPAL_SUCCESS;
}

/* runs_COLL_ALGORITHM, bytes_COLL_ALGORITHM and fallbacks_COLL_REASON */
static int register_counters(napcoll_coll_t coll)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    napcoll_counters_t *counters = &mca_coll_napcoll_component.counters;
    char name[96], help[256];
    int rc = OPAL_SUCCESS;

    for (int row = 0; row < collective->algorithms && OPAL_SUCCESS == rc; row++) {
        (void) snprintf(name, sizeof(name), "runs_%s_%s", collective->name,
                        collective->algorithm[row].name);
        (void) snprintf(help, sizeof(help), "Calls of %s that algorithm %s did", collective->name,
                        collective->algorithm[row].name);
        rc = register_counter(name, help, &counters->runs[coll][row]);
    }
    for (int row = 0; row < collective->algorithms && OPAL_SUCCESS == rc; row++) {
        (void) snprintf(name, sizeof(name), "bytes_%s_%s", collective->name,
                        collective->algorithm[row].name);
        (void) snprintf(
            help, sizeof(help),
            "Bytes of the calls of %s that algorithm %s did, of each call those by which "
            "it is decided: of the vector, or of a rank's block",
            collective->name, collective->algorithm[row].name);
        rc = register_counter(name, help, &counters->bytes[coll][row]);
    }
    for (int reason = NAPCOLL_REASON_NONE + 1; reason < NAPCOLL_REASONS && OPAL_SUCCESS == rc;
         reason++) {
        (void) snprintf(name, sizeof(name), "fallbacks_%s_%s", collective->name,
                        napcoll_reason_name((napcoll_reason_t) reason));
        (void) snprintf(help, sizeof(help),
                        "Calls of %s left to the previous component, because %s", collective->name,
                        napcoll_reason_help((napcoll_reason_t) reason));
        rc = register_counter(name, help, &counters->fallbacks[coll][reason]);
    }
    return rc;
}

/* HeteroMPI's thresholds. */
static void register_thresholds(napcoll_thresholds_t *thresholds)
{
    *thresholds = napcoll_thresholds_default;
    register_size(
        "gather_m1",
        "Bytes of a rank's block from which on flat gathers may escalate: more arrives at the root's "
        "port at once than it takes, and what is lost waits for TCP to send it again, 200 ms and more. "
        "Algorithm segmented cuts blocks of gather_m1 up to gather_m2 bytes into pieces below gather_m1, "
        "credit lets few of them come at once, and auto takes nothing that has all come at once. "
        "napcoll-tune gather-scatter finds it. 0: gathers are never cut",
        &thresholds->gather_m1);
    register_size(
        "gather_m2",
        "Bytes of a rank's block up to which flat gathers may escalate, see gather_m1; of "
        "larger ones the protocol sees to it that few come at once. napcoll-tune "
        "gather-scatter finds it. Less than gather_m1: gathers are never cut",
        &thresholds->gather_m2);
    register_size(
        "scatter_s",
        "Bytes of a rank's block from which on the time of flat scatters leaps. Algorithm "
        "segmented cuts blocks into pieces below it, credit has few under way, and auto sends none to "
        "all at once. napcoll-tune gather-scatter finds it. 0: scatters are never cut",
        &thresholds->scatter_s);
}

/* What is said of calls, and the check against the previous component. */
static int register_watching(mca_coll_napcoll_component_t *component)
{
    static const mca_base_var_enum_value_t summaries[] = {{NAPCOLL_SUMMARY_OFF, "off"},
                                                          {NAPCOLL_SUMMARY_RANK0, "rank0"},
                                                          {NAPCOLL_SUMMARY_ALL, "all"},
                                                          {0, NULL}};
    const mca_base_component_t *version = &component->super.collm_version;
    int rc;

    component->summary = NAPCOLL_SUMMARY_OFF;
    rc = register_enum(
        "summary",
        "What a process's calls were, at MPI_Finalize, in a line for each collective, size class, and "
        "algorithm or reason why the previous component did them: how many, bytes, and time. rank0: "
        "those of process 0; all: of every process for itself",
        OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_LOCAL, summaries, &component->summary);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    component->online = false;
    (void) mca_base_component_var_register(
        version, "online",
        "Whether auto's choices are checked: the first calls of each collective, size class, kind of "
        "operation and communicator go to napcoll and to the previous component in turns, with the clock "
        "running, and the faster one keeps the others. Sums may have other bits in every other of these "
        "calls. What users force or rules name is not checked, nor are reductions that are to be reproducible",
        MCA_BASE_VAR_TYPE_BOOL, NULL, 0, 0, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY,
        &component->online);
    component->online_calls = NAPCOLL_TRIAL_DEFAULT_CALLS;
    rc = register_int(
        "online_calls",
        "How many calls of each the parameter online times, at least 1 and at most 1000, "
        "after one of each to warm up",
        OPAL_INFO_LVL_6, 1, &component->online_calls);
    if (OPAL_SUCCESS == rc && component->online_calls > NAPCOLL_TRIAL_MOST_CALLS) {
        napcoll_compat_show_help("number too large", "online_calls", component->online_calls,
                                 NAPCOLL_TRIAL_MOST_CALLS, NAPCOLL_TRIAL_DEFAULT_CALLS);
        component->online_calls = NAPCOLL_TRIAL_DEFAULT_CALLS;
    }
    return rc;
}

/* What stands for the numbers of the machine that are not set. */
static int register_network(mca_coll_napcoll_component_t *component)
{
    static const mca_base_var_enum_value_t networks[] = {{NAPCOLL_NETWORK_AUTO, "auto"},
                                                         {NAPCOLL_NETWORK_FABRIC, "fabric"},
                                                         {NAPCOLL_NETWORK_ETHERNET, "ethernet"},
                                                         {0, NULL}};

    component->network_classes = NAPCOLL_NETWORK_CLASSES;
    (void) mca_base_component_var_register(
        &component->super.collm_version, "network_classes",
        "For tests: the folder in which Linux lists devices by their classes",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_LOCAL,
        &component->network_classes);
    component->asked_network = NAPCOLL_NETWORK_AUTO;
    return register_enum(
        "network",
        "What is between the nodes: whose numbers the parameters machine_... have that are not set, as where "
        "napcoll-tune has not been run. fabric: processes drive the adapter by themselves; ethernet: TCP; auto: "
        "fabric where the node of process 0 has an adapter of InfiniBand, RoCE, Omni-Path, Slingshot or BXI, "
        "else ethernet",
        OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY, networks, &component->asked_network);
}

static int register_general(void)
{
    static const mca_base_var_enum_value_t providers[] = {
        {NAPCOLL_PROVIDER_P2P, "p2p"}, {NAPCOLL_PROVIDER_DELEGATE, "delegate"}, {0, NULL}};
    static const mca_base_var_enum_value_t shapes[] = {{NAPCOLL_SHAPE_AUTO, "auto"},
                                                       {NAPCOLL_SHAPE_EXCHANGE, "exchange"},
                                                       {NAPCOLL_SHAPE_TREE, "tree"},
                                                       {0, NULL}};
    static const mca_base_var_enum_value_t verifications[] = {
        {NAPCOLL_VERIFY_PLANS_OFF, "off"},
        {NAPCOLL_VERIFY_PLANS_ON, "on"},
        {NAPCOLL_VERIFY_PLANS_BROKEN, "broken"},
        {0, NULL}};
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;
    const mca_base_component_t *version = &component->super.collm_version;
    int rc;

    component->priority = 40;
    (void) mca_base_component_var_register(
        version, "priority",
        "Priority of napcoll; the component with the highest one supplies a collective. tuned has "
        "30; han has 35 from Open MPI 5.0 on. Negative: napcoll is not used",
        MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_2, MCA_BASE_VAR_SCOPE_READONLY,
        &component->priority);
    component->verbose = 0;
    (void) mca_base_component_var_register(
        version, "verbose",
        "Verbosity. 1: each new decision, its reason and what the algorithm is run with, said by process "
        "0 of the communicator; 5: also what auto reckons for every algorithm, or why it leaves it out; "
        "10: all processes say so, and also on which communicators napcoll is not used and why; 20: also "
        "node maps",
        MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_2, MCA_BASE_VAR_SCOPE_LOCAL,
        &component->verbose);
    rc = register_watching(component);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    component->local_provider = NAPCOLL_PROVIDER_P2P;
    component->local_radix = NAPCOLL_DEFAULT_LOCAL_RADIX;
    component->fake_ppn = NULL;
    component->fake_map = NULL;
    (void) mca_base_component_var_register(
        version, "fake_ppn",
        "For tests: pretend that nodes hold this many processes each, a list like 3,2,1 that "
        "repeats until all ranks of MPI_COMM_WORLD have a node",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY,
        &component->fake_ppn);
    (void) mca_base_component_var_register(
        version, "fake_map",
        "For tests: how fake_ppn deals the ranks to nodes: block, cyclic or random:SEED",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY,
        &component->fake_map);
    rc = register_network(component);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    component->topology_file = NULL;
    (void) mca_base_component_var_register(
        version, "topology_file",
        "The network's switches, as a file in the form of Slurm's topology.conf (SwitchName=s0 "
        "Nodes=n[0-3], SwitchName=s1 Switches=s[0-2]). Broadcasts then go from node to node in the "
        "order of a walk through the switches, which loads their links least. Process 0 of the job "
        "reads it for all. Without one, nodes are taken to hang on one switch, in the launcher's order",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY,
        &component->topology_file);
    (void) register_int(
        "local_radix",
        "Fan-out of the steps inside a node with provider p2p, at least 2: more "
        "messages in fewer steps. Vectors over 64 KiB use 2, and auto does where it reckons "
        "that this takes less by a twentieth",
        OPAL_INFO_LVL_6, 2, &component->local_radix);
    component->rules_file = NULL;
    (void) mca_base_component_var_register(
        version, "rules_file",
        "File of rules that say which algorithm does what, before the model does (napcoll-rules(5)): lines such "
        "as \"allreduce nodes=2..8 ppn=8 bytes=..4K -> nap\", of which the first that matches decides. An info "
        "key or a parameter COLLECTIVE_algorithm other than auto comes before them. Process 0 of the job reads the "
        "file for all; a wrong one is reported and not used. napcoll-plan rules check FILE checks one",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY,
        &component->rules_file);
    component->reproducible = false;
    (void) mca_base_component_var_register(
        version, "reproducible",
        "Whether reductions give the same bits however the ranks are placed on however many nodes: "
        "all fold by halves of the ranks. napcoll then serves communicators within one node as "
        "well. Small vectors are gathered on all processes (P times the vector), large ones reduced "
        "by algorithms that are blind to nodes",
        MCA_BASE_VAR_TYPE_BOOL, NULL, 0, 0, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY,
        &component->reproducible);
    component->compare = NAPCOLL_DEFAULT_COMPARE;
    (void) register_int(
        "compare",
        "Percent: auto leaves a call to the previous component where that is reckoned to take less than this part of "
        "the time that napcoll would take, unless coll_napcoll_online has both timed. 100: auto takes napcoll wherever it is reckoned to be no slower; 0: there is "
        "no comparison. It is known what tuned does, but by rules of its users (coll_tuned_use_dynamic_rules), and what "
        "basic does in scans, all-to-alls and in gathers and scatters of uneven blocks; there is no comparison with other "
        "components. The default leaves the doubt to napcoll: the machine's parameters are a guess where nobody has "
        "set them, and even with fitted ones calls that napcoll does faster were reckoned up to 23 percent slower",
        OPAL_INFO_LVL_5, 0, &component->compare);
    component->segment_bytes = NAPCOLL_DEFAULT_SEGMENT_BYTES;
    register_size(
        "segment_bytes",
        "Vectors that are larger may go through pipelines (algorithms lane and ring of reductions) "
        "in segments of about this size, at most 8; auto takes them where the model says so. "
        "0: in one. Broadcasts have a parameter segments for each algorithm instead",
        &component->segment_bytes);
    component->transit_bytes = (size_t) 256 * 1024 * 1024;
    register_size(
        "alltoall_memory_bytes",
        "Bytes that blocks of an all-to-all, gather or scatter may take on a process on which they stop "
        "on their way (algorithms tuna..., binomial, two_level): slots of the plan times the largest "
        "block of any process. A call that could need more goes to the previous component. 0: any",
        &component->transit_bytes);
    component->kept_bytes = NAPCOLL_RESERVE_BYTES;
    register_size(
        "kept_bytes",
        "Bytes of memory that a process keeps for later calls, of any communicator, once vectors or blocks on their way have needed "
        "it: memory that is new to a process is slow. Besides, a communicator keeps up to 1 MiB. 0: all else is given back after each call",
        &component->kept_bytes);
    component->alltoallv_mean_bytes = 0;
    register_size(
        "alltoallv_mean_bytes",
        "Bytes of the blocks of MPI_Alltoallv and MPI_Alltoallw on average, by which auto "
        "chooses. 0: processes agree on it, in a small allreduce, and on the "
        "largest block (see alltoallv_trust); where that would take more than it gains, as on few processes, auto sends "
        "blocks of any size straight to their ends, or leaves the calls to the previous component. A communicator's info key "
        "napcoll_alltoallv_mean_bytes overrides it. Where the number is given, "
        "alltoall_memory_bytes bounds MPI_Alltoall alone",
        &component->alltoallv_mean_bytes);
    component->trust = true;
    (void) mca_base_component_var_register(
        version, "alltoallv_trust",
        "Whether processes that have agreed on the sizes of MPI_Alltoallv or MPI_Alltoallw, or know those of MPI_Scatterv or "
        "MPI_Gatherv from its root, rely on them in later calls on the communicator, with the same root, by algorithms in which "
        "sizes go along with blocks (tuna, tuna_coalesced and tuna_two_level, else binomial and two_level, with blocks within "
        "alltoallv_bounded_bytes). Messages say that they hold no longer, and a call with a larger block than was agreed on is run "
        "twice; but of MPI_Gatherv the root is asked after 1, 2, 4, then 8 calls, and larger blocks go straight to it",
        MCA_BASE_VAR_TYPE_BOOL, NULL, 0, 0, OPAL_INFO_LVL_5, MCA_BASE_VAR_SCOPE_READONLY,
        &component->trust);
    component->bounded_bytes = NAPCOLL_BOUNDED_BYTES;
    register_size(
        "alltoallv_bounded_bytes",
        "Where processes have agreed on the largest block of MPI_Alltoallv or MPI_Alltoallw, or the "
        "root of MPI_Gatherv or MPI_Scatterv has told it, and that times their number is at most so "
        "many bytes, blocks that stop on their way (algorithms tuna..., binomial, two_level) are "
        "received in the memory that the largest would take, and their sizes come with them; else in "
        "messages of their own before. 0: always before",
        &component->bounded_bytes);
    register_thresholds(&component->thresholds);
    component->local_shape = NAPCOLL_SHAPE_AUTO;
    rc = register_enum(
        "local_shape",
        "How provider p2p does an allreduce inside a node. exchange: processes exchange in the "
        "fewest steps; tree: reduce to one and broadcast, in the fewest messages; auto: tree on "
        "nodes with more processes than processors, else exchange. The result has the same bits",
        OPAL_INFO_LVL_6, MCA_BASE_VAR_SCOPE_READONLY, shapes, &component->local_shape);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    component->verify = NAPCOLL_VERIFY_PLANS_OFF;
    rc = register_enum(
        "verify",
        "For debugging: on: before its first use each new plan is proven, with those of all ranks; a "
        "wrong one is reported and its calls go to the previous component. Takes time and memory "
        "on rank 0 of the communicator. broken: the same, with rank 0's plan spoilt before, to see "
        "that it is noticed",
        OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY, verifications, &component->verify);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    return register_enum(
        "local_provider",
        "What carries out the phases inside a node. p2p: messages of napcoll's own; delegate: the "
        "collectives of the component with the highest priority on a subcommunicator of the node",
        OPAL_INFO_LVL_5, MCA_BASE_VAR_SCOPE_READONLY, providers, &component->local_provider);
}

/* ---- all ---- */

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
        rc = register_counters(coll);
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

int mca_coll_napcoll_register(void)
{
    int rc;

    napcoll_compat_help_folder();
    rc = register_general();
    if (OPAL_SUCCESS == rc) {
        rc = mca_coll_napcoll_register_machine();
    }
    for (int coll = 0; coll < NAPCOLL_COLLS && OPAL_SUCCESS == rc; coll++) {
        rc = register_collective((napcoll_coll_t) coll);
    }
    return rc;
}
