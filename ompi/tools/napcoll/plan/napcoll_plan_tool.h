/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the commands of napcoll-plan share: the options and what they name.
 *
 * Each command is a function in a file of its own; napcoll_plan.c lists the commands,
 * napcoll_plan_options.c the options. A mistake in the arguments ends the program with a message
 * that names the option and what was expected.
 */

#ifndef NAPCOLL_TOOLS_PLAN_H
#define NAPCOLL_TOOLS_PLAN_H

#include <stdbool.h>
#include <stdio.h>

#include "algo/file/napcoll_plan_text.h"
#include "common/napcoll_graph_make.h"
#include "common/napcoll_memory.h"
#include "common/napcoll_numbers.h"
#include "common/napcoll_options.h"
#include "common/napcoll_parameters.h"
#include "common/napcoll_progress.h"
#include "model/napcoll_machine.h"
#include "model/napcoll_simulate.h"
#include "select/napcoll_rules.h"

enum {
    EXIT_USAGE = 2,
    MOST_RANKS = 1 << 20,
    /* Ranks of simulated plans; they take about 1 GB. */
    MOST_SIMULATED = 1 << 18,
    /* Steps of simulated plans; they take up to 2 GB. */
    MOST_STEPS = 1 << 25,
    /* Values of a range. */
    MOST_VALUES = 1000,
    MOST_BYTES = 1 << 30,
    MOST_ALGORITHMS = 16,
    /* Characters of "node " and a number. */
    NODE_NUMBER = 20
};

/** The commands that take options, as bits. COMMAND_ALL: those that study plans. */
enum {
    COMMAND_SHOW = 1,
    COMMAND_VERIFY = 2,
    COMMAND_EXPLAIN = 4,
    COMMAND_SIMULATE = 8,
    COMMAND_DRAW = 16,
    COMMAND_GOAL = 32,
    COMMAND_LINKS = 64,
    COMMAND_EXPORT = 128,
    COMMAND_SMPI = 256,
    COMMAND_ALL = 511,
    COMMAND_FROM_CSV = 512
};

/** The values of a range such as 8:64K. */
typedef struct {
    int value[MOST_VALUES];
    int count;
} values_t;

/** How a range FROM:TO continues without a factor or step. */
typedef enum { RANGE_DOUBLES, RANGE_COUNTS } range_t;

typedef struct {
    /* COMMAND_... */
    unsigned bit;
    /* The command line. */
    int argc;
    char *const *argv;
    /* algorithm NULL: all of the collective */
    const napcoll_collective_t *collective;
    const napcoll_algorithm_t *algorithm;
    napcoll_params_t params;

    /* Indices of the collective and of the providers, by their names. */
    int row, provider, leader_provider;
    /* As given, or the default. NULL, 0 or false without. */
    const char *algorithm_name, *tunables;
    const char *ppn, *order, *node_range, *byte_range;
    const char *machine, *rules, *topology, *hosts;
    const char *csv, *svg, *output, *stuck;
    const char *name;
    bool msccl;
    bool closed_form;
    /* The call is nonblocking or persistent. */
    bool request;
    int nodes, ranks;
    /* -1: all ranks */
    int rank;
    /* Ranks whose results verify proves, 0: all; and its threads. */
    int sample, jobs;
    /* Processors of a node of a machine that nobody has measured; 0: it was measured. */
    int processors;
    /* rules from-csv: see rules_from_csv. */
    double margin;
    const char *fallback;
    /* The plans of a file: all, and those that are studied; NULL: an algorithm's are. */
    napcoll_plan_text_t *text;
    const napcoll_plan_set_t *set;
    /* The arguments that are no options. */
    char **operand;
    int operands;

    /* The neighbours in a neighbourhood collective; and, while there is a map, the neighbourhoods
     * of all ranks, else all 0. */
    napcoll_graph_choice_t graph;
    napcoll_neighborhoods_t neighborhoods;

    /* The network (read_network): spot[i] is the tree's node of the i-th node of a map. */
    napcoll_switch_tree_t *tree;
    int *spot;
    int spots;
} options_t;

/* ---- napcoll_plan_numbers.c ---- */

/** Say what is wrong with the arguments and end the program. */
__attribute__((noreturn, format(printf, 1, 2))) void complain(const char *format, ...);

/** Read a number without K, M or G. */
int read_number(const char *option, const char *text, int least, int most);

/** Read a range N, FROM:TO, FROM:TO:xK or FROM:TO:+K of numbers with K, M or G; text NULL:
 * `value`. */
void read_range(const char *option, const char *text, int value, range_t kind, int least, int most,
                values_t *values);

/** Open the file that an option names. NULL or "-": standard output. */
FILE *open_output(const char *option, const char *path);

/** Close what open_output opened; returns the exit status. main checks standard output. */
int close_output(const char *option, const char *path, FILE *out);

/** Open the file of --csv, with comment lines that end with what it comes from, and the line of
 * columns; NULL without the option. */
FILE *open_csv(const options_t *o, const char *origin, const char *columns);

/** Write the --ppn list as a field of a CSV file. */
void put_ppn(const options_t *o, FILE *csv);

/* ---- napcoll_plan_options.c ---- */

/** The commands and options. */
extern const napcoll_tool_t plan_tool;

/** Read the command line. */
napcoll_parsed_t parse_options(int argc, char **argv, options_t *o, napcoll_command_line_t *line);

/** Find what the options name; free_network frees what is read. */
void complete_options(options_t *o);

/* ---- napcoll_plan_subject.c ---- */

/** The values of --map. */
extern const char *const orders[];

/** The names of machine files that --machine finds. */
napcoll_names_t machine_names(const void *options);

enum { ORIGIN = 200 };

/** Tell where simulated times come from: "machine bluewaters.conf, simulated times". */
void name_origin(const options_t *o, char origin[ORIGIN]);

/** Read the machine file of --machine. */
void read_machine(const options_t *o, napcoll_machine_t *machine);

/** Read the thresholds and the rules file from the machine file; for napcoll_parameters_close. */
void read_parameters(const options_t *o, napcoll_parameters_t *parameters);

/** Set the tunables of an algorithm to their initial values. */
void initial_tunables(const napcoll_algorithm_t *algorithm, napcoll_params_t *params);

/** The one size of --bytes; default 8, and 0 for a barrier. */
int read_bytes(const options_t *o);

/** The default of --bytes. */
int default_bytes(const options_t *o);

/** Whether --bytes is the size of a rank's block, not of the vector. */
bool sized_by_rank(const napcoll_collective_t *collective);

/** The algorithms to study: the named one or all, with --closed-form those that have one. Returns
 * how many. */
int choose_algorithms(const options_t *o, const napcoll_algorithm_t *chosen[MOST_ALGORITHMS]);

/** The context of napcoll_generator_plan for an algorithm on a map. */
napcoll_generator_t generator_of(const options_t *o, const napcoll_algorithm_t *algorithm,
                                 const napcoll_node_map_t *map);

/** Make the plan of a rank, which the caller frees. */
napcoll_plan_t *make_plan(napcoll_generator_t *generator, int rank);

/** The context of make_watched_plan. */
typedef struct {
    napcoll_generator_t *generator;
    napcoll_progress_t *progress;
    /* The share of all work that is done before these plans are made, and after. */
    double before, after;
    int made;
} watched_t;

/** A napcoll_plan_source_t that shows how many of the plans it has made. */
napcoll_plan_t *make_watched_plan(void *context, int rank);

/** Whether the plans of all ranks have too many steps to be simulated: the middle rank's times the
 * ranks. */
bool has_too_many_steps(napcoll_generator_t *generator, bool of_all_pieces);

/** End the program where --root is not below ranks. */
void require_root(const options_t *o, int ranks);

/** End the program with status 1 where the algorithm cannot do what the options ask on this map. */
void require_eligible(const options_t *o, const napcoll_node_map_t *map);

/** Whether the closed forms cover the placement: block order, one number of processes per node. */
bool is_uniform(const options_t *o, const napcoll_node_map_t *map);

/** End the program where --closed-form meets another placement. */
void require_uniform(const options_t *o, const napcoll_node_map_t *map);

/** End the program where another component carries out phases, whose messages are not in the
 * plans. */
void require_own_phases(const options_t *o);

/* ---- napcoll_plan_topology.c ---- */

/** Read the network that the options name into o->tree and o->spot, to be freed with
 * free_network. */
void read_network(options_t *o);

/** Free what read_network made. */
void free_network(options_t *o);

/** End the program where the network has fewer nodes. */
void require_hosts(const options_t *o, int nodes);

/** Processes on the first `nodes` nodes of a list such as "3,2,1", at most MOST_RANKS + 1;
 * nodes = 0: the list once. */
int count_ranks(const char *list, int nodes);

/** Make the map of the options, with its network, and set o->ranks; of a neighbourhood collective
 * also the neighbourhoods of all ranks. The options must outlive the map, and have one map at a
 * time. */
napcoll_node_map_t *make_map(options_t *o);

/** Free the map of the options, with its neighbourhoods. */
void free_map(options_t *o, napcoll_node_map_t *map);

/** The same for one algorithm that must be eligible, on at most `most` ranks. */
napcoll_node_map_t *make_map_up_to(options_t *o, int most);

enum { GRAPH_WORDS = 300 };

/** Say which graph the options name, for headlines: " --graph random --degree 4"; nothing where the
 * collective has none. Returns the words. */
const char *name_graph(const options_t *o, char words[GRAPH_WORDS]);

/** The name of a node in the network, or "node 3", for which text has room. */
const char *name_of_node(const napcoll_node_map_t *map, int node, char text[NODE_NUMBER]);

/** The name of a switch: "(root)" where the file has none; "switch" without a network. */
const char *name_of_switch(const napcoll_node_map_t *map, int at);

/* ---- napcoll_plan.c ---- */

/** Print the plan of a rank, with its node and lane. */
void print_plan(napcoll_generator_t *generator, int rank);

/* ---- napcoll_plan_trace.c ---- */

/** The plan that an exporter writes. */
typedef struct {
    const napcoll_plan_t *plan;
    /* The piece that is written: a plan is run for each of its pieces. */
    int piece;
    /* Of the user's vector, or of a rank's block. */
    int bytes;
    /* [ranks] messages of this rank to and from each other one so far */
    int *sent, *received;
    FILE *out;
} trace_t;

/** The bytes of a message, at least 1: the simulators know no empty ones. */
int64_t trace_message_bytes(const trace_t *t, const napcoll_step_t *step);

/** The bytes that a stage reduces. */
int64_t trace_reduced_bytes(const trace_t *t, const napcoll_stage_t *stage);

/** The tag of a rank's next message: it counts the messages between the same two ranks in the same
 * direction, because the simulators know no order of messages. */
int trace_next_tag(trace_t *t, const napcoll_step_t *step);

/** Write all ranks to t->out: put_rank is called with the plan of each in t->plan. */
void trace_ranks(const options_t *o, const napcoll_node_map_t *map, trace_t *t,
                 void (*put_rank)(trace_t *t));

/* ---- napcoll_plan_plots.c ---- */

/** One time of simulate; NAN: it was not simulated. */
typedef struct {
    const napcoll_algorithm_t *algorithm;
    int nodes;
    int ranks;
    int bytes;
    double time_us;
} sample_t;

/** Times in the order in which they were computed: by nodes, algorithm, size. */
typedef struct {
    sample_t *sample;
    size_t count;
} samples_t;

/** Choose the drawings that the ranges allow, as bits. Ends the program where gnuplot is missing
 * or a file cannot be written. */
unsigned check_plots(const options_t *o, const values_t *nodes, const values_t *bytes,
                     int algorithms);

/** Make these drawings; returns the exit status. */
int draw_plots(const options_t *o, const samples_t *samples, unsigned which);

/* ---- napcoll_plan_file.c ---- */

/** End the program where --name is none that plans can have. */
void check_name(const options_t *o);

/** Read the plans of the file that is the operand, and let the command study them. */
void read_plan_file(options_t *o);

/** Prove all plans of the file; returns the exit status. */
int verify_plan_file(options_t *o);

/* ---- napcoll_plan_rules.c ---- */

/** Read the rules of a file; NULL where path is. */
napcoll_rules_t *read_rules(const char *path);

/* ---- napcoll_plan_csv.c ---- */

/**
 * Make rules from files of collbench: for each collective, number of nodes, ppn and size what was
 * fastest.
 *
 * @param[in] paths     [count] the files
 * @param[in] count     at least 1
 * @param[in] margin    a size takes its neighbour's choice where that takes at most 1 + margin
 * times the least time
 * @param[in] fallback  the component that stands for fallback, others are ignored; NULL: any but
 * napcoll
 * @param[in] output    file to write; NULL: standard output
 *
 * @return the exit status
 */
int rules_from_csv(char *const *paths, int count, double margin, const char *fallback,
                   const char *output);

/* ---- napcoll_plan_stuck.c ---- */

/** Read the log of --stuck, and print who is missing; returns the exit status. */
int explain_stuck(const options_t *o);

/* ---- the commands; each returns the exit status ---- */

int explain(options_t *o);
int verify(options_t *o);
int simulate(options_t *o);
int draw(options_t *o);
int goal(options_t *o);
int smpi(options_t *o);
int export_plans(options_t *o);
int links(options_t *o);
int rules_check(options_t *o);
int rules_make(options_t *o);

/** A sentence on a status, static. */
const char *napcoll_simulate_status_help(napcoll_simulate_status_t status);

#endif /* NAPCOLL_TOOLS_PLAN_H */
