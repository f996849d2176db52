/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the commands of napcoll-plan share: the options, and what stands behind them.
 *
 * Each command is one function in a file of its own; the table in napcoll_plan.c lists them, that in
 * napcoll_plan_options.c says which option belongs to which. Mistakes in the arguments end the program
 * with a sentence that names the option and what was expected.
 */

#ifndef NAPCOLL_TOOLS_PLAN_H
#define NAPCOLL_TOOLS_PLAN_H

#include <stdbool.h>
#include <stdio.h>

#include "algo/napcoll_algo.h"
#include "model/napcoll_machine.h"
#include "common/napcoll_parameters.h"
#include "select/napcoll_rules.h"

enum {
    EXIT_USAGE = 2,
    MOST_RANKS = 1 << 20,
    MOST_SIMULATED = 1 << 18, /* ranks; they take about 1 GB */
    MOST_STEPS = 1 << 25,     /* of the plans that are simulated; they take up to 2 GB */
    MOST_VALUES = 1000,       /* of a range */
    BLOCKS_OF_STEP = 128, /* so many blocks of a plan take as long to make as a step to simulate */
    MOST_BYTES = 1 << 30,
    MOST_ALGORITHMS = 16,
    NODE_NUMBER = 20 /* characters of "node " and a number */
};

/** The commands, as bits: which of them take an option. */
enum {
    COMMAND_SHOW = 1,
    COMMAND_VERIFY = 2,
    COMMAND_EXPLAIN = 4,
    COMMAND_SIMULATE = 8,
    COMMAND_DRAW = 16,
    COMMAND_GOAL = 32,
    COMMAND_LINKS = 64,
    COMMAND_ALL = 127
};

/** The values of a range such as 8:64K. */
typedef struct {
    int value[MOST_VALUES];
    int count;
} values_t;

/** How a range FROM:TO goes on where it does not say so itself. */
typedef enum { RANGE_DOUBLES, RANGE_COUNTS } range_t;

typedef struct {
    const char *command; /* its name */
    unsigned bit;        /* COMMAND_... */
    const char *program; /* argv[0] */
    const napcoll_collective_t *collective;
    const napcoll_algorithm_t *algorithm; /* NULL: all that the collective has */
    const char *ppn;
    const char *order;
    int nodes;
    int ranks;
    int rank; /* -1: all */
    napcoll_params_t params;

    /* as given, or NULL */
    const char *node_range;
    const char *byte_range;
    const char *machine;
    /* of a node whose machine nobody has measured; 0: it was measured */
    int processors;
    const char *rules;
    const char *topology;
    const char *hosts;
    const char *csv;
    const char *svg;
    const char *output;
    bool closed_form;

    /* verify */
    int sample; /* ranks whose results are proven; 0: all */
    int jobs;   /* threads */

    /* the network, where a topology is given (read_network) */
    napcoll_switch_tree_t *tree;
    int *spot; /* [spots] the tree's node that each node of a map is */
    int spots;
} options_t;

/* ---- napcoll_plan_numbers.c ---- */

/** Say what is wrong with the arguments and end the program. */
__attribute__((noreturn, format(printf, 1, 2))) void complain(const char *format, ...);

/** Say that memory ran out and end the program. */
__attribute__((noreturn)) void out_of_memory(void);

/** Read one number without K, M or G. */
int read_number(const char *option, const char *text, int least, int most);

/** Read one number, perhaps with K, M or G; text NULL: `value`. */
int read_size(const char *option, const char *text, int value, int least, int most);

/** Read a range N, FROM:TO, FROM:TO:xK or FROM:TO:+K of numbers with K, M or G; text NULL: `value`. */
void read_range(const char *option, const char *text, int value, range_t kind, int least, int most,
                values_t *values);

/* ---- napcoll_plan_options.c ---- */

/** Read the options of a command: argv[1] is its name, bit its COMMAND_... */
options_t parse_options(int argc, char **argv, unsigned bit);

/* ---- napcoll_plan_subject.c ---- */

/** Read the machine file that the options name; one must be named. */
void read_machine(const options_t *o, napcoll_machine_t *machine);

/**
 * What the machine file says of other parameters, where it is a parameter file; mistakes end the program with status 2.
 *
 * @param[in]  o           the options
 * @param[out] parameters  for napcoll_parameters_close
 */
void read_parameters(const options_t *o, napcoll_parameters_t *parameters);

/** Sets the tunables of an algorithm to what they are where nothing is said. */
void initial_tunables(const napcoll_algorithm_t *algorithm, napcoll_params_t *params);

/** The size where --bytes says none: 8, and 0 of what has no data. */
int default_bytes(const options_t *o);

/** Whether --bytes is the size of a rank's block; else it is that of the vector. */
bool sized_by_rank(const napcoll_collective_t *collective);

/** The algorithms to study: the one named, or all; closed_form: those that have one. Returns how many. */
int choose_algorithms(const options_t *o, const napcoll_algorithm_t *chosen[MOST_ALGORITHMS]);

/** What an algorithm needs to make plans on a map: the source's context, for napcoll_algorithm_source.
 * Where the options name no algorithm, tunables have their initial values. */
napcoll_generator_t generator_of(const options_t *o, const napcoll_algorithm_t *algorithm,
                                 const napcoll_node_map_t *map);

/** The steps of all ranks' plans, as if all had as many as the middle one; with what it takes to make plans
 * of many blocks. */
long long guess_steps(napcoll_generator_t *generator);

/** Ends the program where --root is none of so many ranks. */
void require_root(const options_t *o, int ranks);

/** Ends the program with status 1 where the algorithm cannot do what the options ask on this map. */
void require_eligible(const options_t *o, const napcoll_node_map_t *map);

/** Whether the closed forms know the placement: blocks of one size. */
bool is_uniform(const options_t *o, const napcoll_node_map_t *map);

/** Ends the program where --closed-form meets a placement that the formulas do not know. */
void require_uniform(const options_t *o, const napcoll_node_map_t *map);

/** Ends the program where the provider is none whose work is in the plans. */
void require_p2p(const options_t *o);

/* ---- napcoll_plan_output.c ---- */

/** Where --output asks for: its file, or standard output. */
FILE *open_output(const options_t *o);

/** End what open_output began; returns the exit status, and says what could not be written. */
int close_output(const options_t *o, FILE *out);

/** Where --csv asks for, begun with the names of the columns: its file, standard output for "-", or
 * NULL. */
FILE *open_csv(const options_t *o, const char *columns);

/** End what open_csv began; returns -1 where it could not be written, and says so. */
int close_csv(const options_t *o, FILE *csv);

/* ---- napcoll_plan_topology.c ---- */

/** Read the network that the options name, if any: o->tree and o->spot. Mistakes in the file end the program
 * with "FILE:LINE:COLUMN: ", and status 2. */
void read_network(options_t *o);

/** Free what read_network made. */
void free_network(options_t *o);

/** Ends the program where the network has no so many nodes. */
void require_hosts(const options_t *o, int nodes);

/** Processes on the first `nodes` nodes of a list such as "3,2,1"; nodes = 0: the list once.
 * MOST_RANKS + 1 where there are more. */
int count_ranks(const char *list, int nodes);

/** The map that the options ask for, with its network, and o->ranks; the options must outlive it. Ends the
 * program where they ask for none. */
napcoll_node_map_t *make_map(options_t *o);

/** The name of a node: that of the network, or "node 3", for which text has room. */
const char *name_of_node(const napcoll_node_map_t *map, int node, char text[NODE_NUMBER]);

/** The name of a switch of the map's tree: "(root)" where the file has none; "switch" without a tree. */
const char *name_of_switch(const napcoll_node_map_t *map, int at);

/* ---- napcoll_plan.c ---- */

/** Print the plan of a rank, under its node and lane. Returns 0, or -1 when out failed. */
int print_plan(napcoll_generator_t *generator, int rank, FILE *out);

/* ---- napcoll_plan_plots.c ---- */

/** One time of simulate. */
typedef struct {
    const napcoll_algorithm_t *algorithm;
    int nodes;
    int ranks;
    int bytes;
    double time_us;
} sample_t;

/** Times, in the order in which they were computed. */
typedef struct {
    sample_t *sample;
    size_t count;
    size_t room;
} samples_t;

/** Add one. */
void keep_sample(samples_t *samples, sample_t sample);

/** Which drawings the ranges give, as bits. Ends the program where --svg cannot be done: with status 2
 * where there are none or a file cannot be written, with 1 where gnuplot is missing. */
unsigned check_plots(const options_t *o, const values_t *nodes, const values_t *bytes,
                     int algorithms);

/** Make these drawings; returns -1 where one failed, and says so. */
int draw_plots(const options_t *o, const samples_t *samples, unsigned which);

/* ---- napcoll_plan_rules.c ---- */

/** The rules of a file; NULL where path is. Mistakes end the program with "FILE:LINE:COLUMN: ", and status 2. */
napcoll_rules_t *read_rules(const char *path);

/** The command rules, with arguments of its own; returns the exit status. */
int rules(int argc, char **argv);

/* ---- napcoll_plan_csv.c ---- */

/**
 * Make rules of files that collbench wrote: for each collective, number of nodes and ppn, of each size what was fastest.
 *
 * @param[in] paths     [count] the files
 * @param[in] count     at least 1
 * @param[in] margin    a size takes its neighbour's choice where that takes up to (1 + margin) times the least time
 * @param[in] previous  the component for which fallback stands, others are left out; NULL: any but napcoll
 * @param[in] output    file to write; NULL: standard output
 *
 * @return the exit status
 */
int rules_from_csv(char *const *paths, int count, double margin, const char *previous,
                   const char *output);

/* ---- the commands; each returns the exit status ---- */

int explain(options_t *o);
int verify(options_t *o);
int simulate(options_t *o);
int draw(options_t *o);
int goal(options_t *o);
int links(options_t *o);

#endif /* NAPCOLL_TOOLS_PLAN_H */
