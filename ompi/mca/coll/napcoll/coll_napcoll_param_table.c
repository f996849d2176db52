/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of the component's MCA parameters (see coll_napcoll_params.h).
 */

#include "coll_napcoll_params.h"

#include <stddef.h>

#include "exec/napcoll_buffer_pool.h"

/* The rows of the table: name, field of the component, default and range, whether all processes
 * must have the same value, level of ompi_info, help. */
#define ROW(kind, nam, field, agree, lvl, text)                                                   \
    .name = (nam), .type = PARAM_##kind, .offset = offsetof(mca_coll_napcoll_component_t, field), \
    .must_agree = (agree), .level = OPAL_INFO_LVL_##lvl, .help = (text)
#define INT(name, field, value, from, to, agree, lvl, help)                                        \
    {                                                                                              \
        ROW(INT, name, field, agree, lvl, help), .initial = (value), .least = (from), .most = (to) \
    }
#define SIZE(name, field, value, agree, lvl, help)                                       \
    {                                                                                    \
        ROW(SIZE, name, field, agree, lvl, help), .initial = (value), .most = MOST_BYTES \
    }
#define BOOL(name, field, value, agree, lvl, help)                   \
    {                                                                \
        ROW(BOOL, name, field, agree, lvl, help), .initial = (value) \
    }
#define CHOICE(name, field, choices, agree, lvl, help)                  \
    {                                                                   \
        ROW(CHOICE, name, field, agree, lvl, help), .values = (choices) \
    }
#define PATH(name, field, lvl, help)              \
    {                                             \
        ROW(FILE, name, field, LOCAL, lvl, help), \
    }
#define TEXT(name, field, value, agree, lvl, help)                        \
    {                                                                     \
        ROW(TEXT, name, field, agree, lvl, help), .initial_text = (value) \
    }

/* Whether all processes of a job must have the same value. */
enum { LOCAL = false, ALIKE = true };

/* Far above any sensible value, and small enough that products of it do not overflow. */
#define MOST_BYTES (1LL << 40)

static const mca_base_var_enum_value_t summaries[] = {{NAPCOLL_SUMMARY_OFF, "off"},
                                                      {NAPCOLL_SUMMARY_RANK0, "rank0"},
                                                      {NAPCOLL_SUMMARY_ALL, "all"},
                                                      {NAPCOLL_SUMMARY_JOB, "job"},
                                                      {0, NULL}};
static const mca_base_var_enum_value_t stall_signals[] = {{NAPCOLL_STALL_SIGNAL_NONE, "none"},
                                                          {NAPCOLL_STALL_SIGNAL_USR1, "SIGUSR1"},
                                                          {NAPCOLL_STALL_SIGNAL_USR2, "SIGUSR2"},
                                                          {0, NULL}};
static const mca_base_var_enum_value_t mismatches[] = {
    {NAPCOLL_MISMATCH_FALLBACK, "fallback"}, {NAPCOLL_MISMATCH_ABORT, "abort"}, {0, NULL}};
static const mca_base_var_enum_value_t networks[] = {{NAPCOLL_NETWORK_AUTO, "auto"},
                                                     {NAPCOLL_NETWORK_FABRIC, "fabric"},
                                                     {NAPCOLL_NETWORK_ETHERNET, "ethernet"},
                                                     {0, NULL}};
/* p2p is an older name of own. */
static const mca_base_var_enum_value_t local_providers[] = {{NAPCOLL_PROVIDER_OWN, "own"},
                                                            {NAPCOLL_PROVIDER_DELEGATE, "delegate"},
                                                            {NAPCOLL_PROVIDER_OWN, "p2p"},
                                                            {0, NULL}};
static const mca_base_var_enum_value_t leader_providers[] = {
    {NAPCOLL_PROVIDER_OWN, "own"}, {NAPCOLL_PROVIDER_DELEGATE, "delegate"}, {0, NULL}};
static const mca_base_var_enum_value_t shapes[] = {{NAPCOLL_SHAPE_AUTO, "auto"},
                                                   {NAPCOLL_SHAPE_EXCHANGE, "exchange"},
                                                   {NAPCOLL_SHAPE_TREE, "tree"},
                                                   {0, NULL}};
static const mca_base_var_enum_value_t verifications[] = {{NAPCOLL_VERIFY_PLANS_OFF, "off"},
                                                          {NAPCOLL_VERIFY_PLANS_ON, "on"},
                                                          {NAPCOLL_VERIFY_PLANS_BROKEN, "broken"},
                                                          {0, NULL}};

const mca_coll_napcoll_param_t mca_coll_napcoll_params[] = {
    INT("priority", priority, 40, -100, 1000, ALIKE, 2,
        "Priority of napcoll. The component with the highest priority supplies a collective; "
        "tuned has 30, and han has 35 from Open MPI 5.0 on. Negative: napcoll is not used"),
    INT("verbose", verbose, 0, -1, 100, LOCAL, 2,
        "Verbosity. 1: version and nodes, logged by process 0 of MPI_COMM_WORLD, and each new "
        "decision with its reason and its tunables, logged by process 0 of the communicator. 5: "
        "also the estimate for every algorithm, or why it was excluded. 10: every process logs "
        "this, and names the communicators that napcoll does not serve. 20: also node maps"),
    CHOICE(
        "summary", summary, summaries, LOCAL, 3,
        "Call statistics at MPI_Finalize: one line for each collective, size class, and "
        "algorithm or fallback reason, with the number of calls, bytes and time. rank0: the "
        "calls of process 0. all: the calls of each process, written by that process. job: one "
        "table of the calls of all processes, with the least, median and largest time of a "
        "process, which MPI_Finalize gathers on process 0; the value of process 0 holds for all. "
        "With verbose = -1 the lines go to summary_file alone"),
    TEXT("summary_file", summary_file, NULL, LOCAL, 3,
         "File to which the processes that write a summary append it as JSON lines. %h stands for "
         "the host, %p for the rank in MPI_COMM_WORLD, %j for the number of the job (the "
         "scheduler's, else Open MPI's), %% for a percent sign. Every process appends its lines "
         "by one write; on a network file system give each process or host a file of its own"),
    INT("stall_seconds", stall_seconds, 0, 0, 1000000, ALIKE, 3,
        "Seconds after which a collective call that has not ended is reported on stderr, once by "
        "each process in it: the communicator, the algorithm and its stage, the ranks for which it "
        "waits, and the processes of its node that are not in the call, with what they did last. "
        "napcoll-plan explain --stuck reads these lines. A process reports while it is in MPI. 0: "
        "never"),
    CHOICE("stall_signal", stall_signal, stall_signals, ALIKE, 3,
           "Signal after which a process reports all collective calls that it is in, as "
           "stall_seconds does, or that it is in none. mpirun passes these signals on to the "
           "processes. The program's own handler for the signal, if it has one, stays. none: "
           "no signal"),
    CHOICE("mismatch", mismatch, mismatches, ALIKE, 4,
           "What happens where processes of a job have different versions of napcoll, or lack it; "
           "a message names their nodes. fallback: all collectives of the job go to other "
           "components. abort: the job ends"),
    BOOL("online", online, false, ALIKE, 4,
         "Whether the choices of auto are checked in production. The first calls of each "
         "collective, size class, kind of operation and communicator go to napcoll and to the "
         "fallback component in turns and are timed; the faster one serves the calls that follow. "
         "Floating-point results may differ in their last bits between these calls. Forced "
         "algorithms, rules and reproducible reductions are not checked"),
    INT("online_calls", online_calls, NAPCOLL_TRIAL_DEFAULT_CALLS, 1, NAPCOLL_TRIAL_MOST_CALLS,
        ALIKE, 6,
        "How many calls of napcoll and of the fallback component the parameter online times, "
        "after one warm-up call of each"),
    TEXT("fake_ppn", fake_ppn, NULL, ALIKE, 9,
         "For tests: pretend that nodes have this many processes each. A list such as 3,2,1 "
         "repeats until all ranks of MPI_COMM_WORLD have a node"),
    TEXT("fake_map", fake_map, NULL, ALIKE, 9,
         "For tests: how fake_ppn places the ranks on nodes: block, cyclic or random:SEED"),
    TEXT("fake_version", fake_version, NULL, LOCAL, 9,
         "For tests: pretend that this process has another version of napcoll"),
    TEXT("network_classes", network_classes, NAPCOLL_NETWORK_CLASSES, LOCAL, 9,
         "For tests: the folder in which Linux lists devices by class"),
    CHOICE("network", asked_network, networks, ALIKE, 4,
           "Kind of network between the nodes. It supplies the parameters machine_... that are "
           "not set, as before napcoll-tune has measured them. fabric: processes access the "
           "adapter directly. ethernet: TCP. auto: fabric if the node of process 0 has an "
           "InfiniBand, RoCE, Omni-Path, Slingshot or BXI adapter, else ethernet"),
    PATH("topology_file", topology_file, 4,
         "File that describes the network's switches in the form of Slurm's topology.conf "
         "(SwitchName=s0 Nodes=n[0-3], SwitchName=s1 Switches=s[0-2]). Broadcasts then visit the "
         "nodes in depth-first order of the switches, which loads the links least. Process 0 of "
         "the job reads the file for all. A relative path in a parameter file is looked for in the "
         "folder of that file, then in the current folder. Without a file, napcoll assumes one "
         "switch, with the nodes in the launcher's order"),
    PATH(
        "rules_file", rules_file, 4,
        "File of rules that select algorithms before the model does (napcoll-rules(5)). Lines "
        "such as \"allreduce nodes=2..8 ppn=8 bytes=..4K -> nap\"; the first line that matches "
        "decides. An info key, or a parameter COLLECTIVE_algorithm other than auto, comes before "
        "the rules. Process 0 of the job reads the file for all. A relative path in a parameter "
        "file is looked for in the folder of that file, then in the current folder. A file with an "
        "error is reported and not used; napcoll-plan rules check FILE checks one"),
    PATH("plans_file", plans_file, 4,
         "File of plans (napcoll-plans(5)), or a folder with files *.plans. Plans of the name NAME "
         "are the algorithm file:NAME of their collective, in parameters, info keys and rules. "
         "Process 0 of the job reads the files for all, at most 4 MiB, and proves the plans in "
         "MPI_Init. Plans that are wrong are reported and never run; napcoll-plan verify FILE "
         "proves them before. A relative path in a parameter file is looked for in the folder of "
         "that file, then in the current folder"),
    BOOL("reproducible", reproducible, false, ALIKE, 4,
         "Whether reductions give the same bits for any placement and any number of nodes. They "
         "then combine halves of the ranks, also on communicators within one node. Small vectors "
         "are gathered on all processes (P times the vector); large ones use algorithms that "
         "ignore nodes"),
    SIZE("segment_bytes", segment_bytes, NAPCOLL_DEFAULT_SEGMENT_BYTES, ALIKE, 6,
         "Size of the segments in which large vectors go through the pipelines of lane and ring "
         "(reductions), at most 8 segments; auto uses them where the model finds them faster. 0: "
         "one segment. Broadcasts have a parameter segments for each algorithm instead"),
    SIZE("alltoall_memory_bytes", transit_bytes, 256LL * 1024 * 1024, ALIKE, 6,
         "Memory that blocks in transit may take on a process: slots of the plan times the block "
         "(algorithms tuna..., binomial, two_level of all-to-alls, gathers and scatters). A call "
         "that needs more goes to the fallback component; where blocks have sizes of their own, "
         "those that are too large for it go straight to their processes. 0: no limit"),
    SIZE("kept_bytes", kept_bytes, NAPCOLL_BUFFER_POOL_BYTES, LOCAL, 6,
         "Memory that a process keeps for the vectors and blocks in transit of later calls, of "
         "any communicator, because new pages are slow. 0: it is freed after each call, except 3 "
         "MiB for each thread that calls collectives at the same time"),
    SIZE("inline_bytes", inline_bytes, 0, ALIKE, 6,
         "Largest block of MPI_Alltoallv, Alltoallw, Gatherv, Scatterv and of uneven neighbourhood "
         "collectives that is forwarded with others, by algorithms tuna..., binomial, two_level "
         "and coalesced. Larger ones go straight to their processes, in messages of their own. 0: "
         "4 times the size up to which the model finds forwarding faster, of neighbourhood "
         "collectives 4 KiB"),
    SIZE("gather_m1", thresholds.gather_m1, 5 * 1024, ALIKE, 6,
         "HeteroMPI's M1: the block from which flat gathers may escalate: more data arrives at "
         "the root's port than it can take, and TCP resends lost data after 200 ms or more. "
         "segmented cuts blocks of gather_m1 to gather_m2 bytes into pieces below gather_m1, "
         "credit limits how many arrive at once, and auto excludes algorithms in which all arrive "
         "at once. napcoll-tune gather-scatter finds it. 0: gathers are never cut"),
    SIZE("gather_m2", thresholds.gather_m2, 64 * 1024, ALIKE, 6,
         "HeteroMPI's M2: the block up to which flat gathers may escalate, see gather_m1. The "
         "protocol of larger blocks limits how many arrive at once. napcoll-tune gather-scatter "
         "finds it"),
    SIZE("scatter_s", thresholds.scatter_s, 64 * 1024, ALIKE, 6,
         "HeteroMPI's S: the block from which the time of flat scatters leaps. segmented cuts "
         "blocks into pieces below it, credit limits how many are sent at once, and auto excludes "
         "algorithms that send all at once. napcoll-tune gather-scatter finds it. 0: scatters are "
         "never cut"),
    CHOICE(
        "verify", verify, verifications, ALIKE, 9,
        "For debugging. on: process 0 of the communicator verifies each new plan, with the plans "
        "of all ranks, before its first use; a wrong plan is reported and its calls go to the "
        "fallback component. This takes time and memory on process 0. broken: the same, with "
        "an error put into the plan of process 0, to test the verifier"),
    CHOICE(
        "local_provider", local_provider, local_providers, ALIKE, 5,
        "What carries out the phases inside a node. own: napcoll's own messages; p2p is an older "
        "name. delegate: the collectives of the component with the highest priority on a "
        "subcommunicator of the node, in blocking calls of up to 2 GiB. Phases to delegate are "
        "in nap, smp and two_level of allreduce, reduce, barrier and bcast, and in smp of "
        "allgather(v) and reduce_scatter(_block)"),
    CHOICE(
        "leader_provider", leader_provider, leader_providers, ALIKE, 5,
        "What carries out the exchange among leaders, one process of each node, as local_provider "
        "inside a node: in smp of the same collectives, and in two_level of bcast"),
    INT("local_radix", local_radix, NAPCOLL_DEFAULT_LOCAL_RADIX, 2, NAPCOLL_TUNABLE_MOST, ALIKE, 6,
        "Radix of the steps inside a node by own messages: a larger one takes fewer steps of more "
        "messages. Vectors above 64 KiB use 2. auto takes 2, and on nodes of more than 8 processes "
        "another power of two, where the estimate is lower by 5 percent"),
    BOOL("node_memory", node_memory, true, ALIKE, 4,
         "Whether the processes of a node exchange messages of up to 16 KiB, and in reductions and "
         "broadcasts larger ones, through memory that they share, without Open MPI's "
         "point-to-point layer"),
    INT("node_memory_calls", node_memory_calls, 4, 0, 1000000, ALIKE, 6,
        "How many collectives of a communicator, blocking ones and initializations of persistent "
        "ones, come before it takes node memory, so that communicators with few calls take none; "
        "likewise how many of those with larger vectors come before it takes more for these"),
    SIZE("node_memory_bytes", node_memory_bytes, 64LL * 1024 * 1024, LOCAL, 6,
         "Most node memory that a process maps, for all communicators together. On a node where "
         "a process would need more, further communicators use point-to-point messages"),
    CHOICE("local_shape", local_shape, shapes, ALIKE, 6,
           "Shape of an allreduce inside a node by own messages. exchange: fewest steps. tree: a "
           "reduce and a broadcast, fewest messages. auto: tree on nodes with more processes than "
           "cores, else exchange. The bits of the result are the same"),
    {.name = NULL}};
