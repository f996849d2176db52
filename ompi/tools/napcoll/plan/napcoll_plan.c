/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan: shows, verifies, draws and times the plans of napcoll's algorithms, without MPI
 * and without starting a process. napcoll-plan(1) has examples.
 *
 * Exit status: 0; 1 where a plan is wrong or cannot be made, a rules file has errors, or output
 * failed; 2 for a mistake in the arguments.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/napcoll_plan_print.h"
#include "napcoll_plan_tool.h"

static void usage(FILE *out)
{
    fputs("usage: napcoll-plan list\n"
          "       napcoll-plan show     [OPTIONS]   print the plans of all ranks, or of one\n"
          "       napcoll-plan verify   [OPTIONS]   prove plans\n"
          "       napcoll-plan explain  --machine FILE [OPTIONS]   the candidates, and the choice\n"
          "       napcoll-plan simulate --machine FILE [OPTIONS]   predict times\n"
          "       napcoll-plan draw     [OPTIONS]   a picture of the plans (SVG)\n"
          "       napcoll-plan goal     [OPTIONS]   the plans in LogGOPSim's language\n"
          "       napcoll-plan links    [OPTIONS]   the load of the network's links\n"
          "       napcoll-plan rules check FILE...  mistakes in rules files\n"
          "       napcoll-plan rules from-csv [--margin M] [--fallback NAME] [--output FILE]\n"
          "                    FILE...              rules from what collbench --csv wrote\n\n",
          out);
    print_options(out);
}

static int list(void)
{
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        printf("%s\n", napcoll_collectives[c]->name);
        for (int a = 0; a < napcoll_collectives[c]->algorithms; a++) {
            const napcoll_algorithm_t *algorithm = &napcoll_collectives[c]->algorithm[a];

            printf("  %-20s %s\n", algorithm->name, algorithm->help);
            for (int t = 0; NULL != algorithm->tunable[t].name; t++) {
                printf("  %-20s   tunable %s (%d): %s\n", "", algorithm->tunable[t].name,
                       algorithm->tunable[t].initial, algorithm->tunable[t].help);
            }
        }
    }
    return EXIT_SUCCESS;
}

void print_plan(napcoll_generator_t *generator, int rank)
{
    const napcoll_node_map_t *map = generator->args.map;
    napcoll_plan_t *plan = make_plan(generator, rank);

    printf("node %d, lane %d; ", napcoll_node_map_node(map, rank),
           napcoll_node_map_lane(map, rank));
    napcoll_plan_print(plan, stdout);
    napcoll_plan_free(plan);
}

static int show(options_t *o)
{
    napcoll_node_map_t *map = make_map_up_to(o, MOST_RANKS);
    napcoll_generator_t generator = generator_of(o, o->algorithm, map);

    for (int rank = 0; rank < map->size && !ferror(stdout); rank++) {
        if (o->rank < 0 || rank == o->rank) {
            print_plan(&generator, rank);
        }
    }
    napcoll_node_map_free(map);
    return EXIT_SUCCESS;
}

static int run_command(int argc, char **argv)
{
    static const struct {
        const char *name;
        unsigned bit;
        int (*run)(options_t *o);
    } commands[] = {{"show", COMMAND_SHOW, show},          {"verify", COMMAND_VERIFY, verify},
                    {"explain", COMMAND_EXPLAIN, explain}, {"simulate", COMMAND_SIMULATE, simulate},
                    {"draw", COMMAND_DRAW, draw},          {"goal", COMMAND_GOAL, goal},
                    {"links", COMMAND_LINKS, links}};

    if (0 == strcmp(argv[1], "list")) {
        if (argc > 2) {
            complain("%s: unexpected argument", argv[2]);
        }
        return list();
    }
    if (0 == strcmp(argv[1], "rules")) {
        return rules(argc, argv);
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (0 == strcmp(argv[1], commands[i].name)) {
            options_t o = parse_options(argc, argv, commands[i].bit);
            const int rc = commands[i].run(&o);

            free_network(&o);
            return rc;
        }
    }
    complain("%s: no such command", argv[1]);
}

int main(int argc, char **argv)
{
    int rc = EXIT_USAGE;

    for (int i = 1; i < argc; i++) {
        if (0 == strcmp(argv[i], "--help")) {
            usage(stdout);
            return EXIT_SUCCESS;
        }
    }
    if (argc < 2) {
        usage(stderr);
    } else {
        rc = run_command(argc, argv);
    }
    if (0 != fflush(stdout) || ferror(stdout)) {
        fputs("napcoll-plan: standard output: could not be written\n", stderr);
        rc = EXIT_FAILURE;
    }
    return rc;
}
