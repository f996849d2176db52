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

const mca_coll_napcoll_param_t mca_coll_napcoll_params[] = {
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
     .initial = NAPCOLL_BUFFER_POOL_BYTES,
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
         "after 1, 2, 4, then 8 calls, and larger blocks go straight to it. After two leaps of the "
         "sizes in a row, 16 to 256 calls go straight. false: processes agree in each call"},
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
    {.name = NULL}};
