/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan: shows, verifies, draws and times the plans of napcoll's algorithms, without MPI and
 * without starting a process.
 *
 *     napcoll-plan list
 *     napcoll-plan show     --algorithm nap --nodes 10 --ppn 4 --rank 5
 *     napcoll-plan verify   --algorithm nap --nodes 2:600 --ppn 2:40
 *     napcoll-plan verify   --coll reduce --algorithm lane --nodes 16 --ppn 8 --root 37
 *     napcoll-plan explain  --nodes 16 --ppn 16 --bytes 8 --machine bluewaters.conf
 *     napcoll-plan simulate --nodes 1:4096 --ppn 16 --bytes 8:64K --machine bluewaters.conf
 *     napcoll-plan draw     --algorithm nap --nodes 10 --ppn 4 --output nap.svg
 *     napcoll-plan goal     --algorithm nap --nodes 10 --ppn 4 --bytes 8 --output nap.goal
 *     napcoll-plan links    --algorithm ring --nodes 8 --ppn 4 --topology topology.conf
 *     napcoll-plan rules check napcoll.rules
 *     napcoll-plan rules from-csv --margin 0.05 --output napcoll.rules measured.csv
 *
 * Exit status: 0; 1 where a plan is wrong or cannot be made, or a rules file has errors; 2 for a mistake in the
 * arguments.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_plan_print.h"
#include "napcoll_plan_tool.h"

static void usage(FILE *out)
{
    fputs(
        "usage: napcoll-plan list\n"
        "       napcoll-plan show     [OPTIONS]   print the plans of all ranks, or of one\n"
        "       napcoll-plan verify   [OPTIONS]   prove plans\n"
        "       napcoll-plan explain  --machine FILE [OPTIONS]   the candidates, and the choice\n"
        "       napcoll-plan simulate --machine FILE [OPTIONS]   predict times\n"
        "       napcoll-plan draw     [OPTIONS]   a picture of the plans (SVG)\n"
        "       napcoll-plan goal     [OPTIONS]   the plans in LogGOPSim's language\n"
        "       napcoll-plan links    [OPTIONS]   what the plans put on the network's links\n"
        "       napcoll-plan rules check FILE...  what is wrong with rules files\n"
        "       napcoll-plan rules from-csv [--margin M] [--previous NAME] [--output FILE] FILE...\n"
        "                                         rules from what collbench --csv wrote\n"
        "\n"
        "  --coll NAME          a collective that \"napcoll-plan list\" names (allreduce)\n"
        "  --algorithm NAME     algorithm; \"napcoll-plan list\" names them (the node-aware one for\n"
        "                       small sizes, such as nap; simulate: all; not with explain)\n"
        "  --ppn LIST           processes per node, as in 4 or 3,2,1; the list repeats (4)\n"
        "  --nodes N            nodes (the length of the --ppn list)\n"
        "  --ranks N            processes, instead of --nodes (not with simulate)\n"
        "  --map ORDER          block, cyclic or random:SEED (block)\n"
        "  --topology FILE      the network's switches, as in Slurm's topology.conf\n"
        "  --hosts LIST         its nodes that the placement is on, in this order, as in n[0-3,8]\n"
        "                       (all, by their names)\n"
        "  --rank R             the plan of rank R (show, explain)\n"
        "  --provider NAME      local phases: p2p or delegate (p2p)\n"
        "  --local-radix N      fan-out of local phases with p2p, 2 or more (8)\n"
        "  --tunable [NAME=]V,... values of the algorithm's own tunables (their defaults)\n"
        "  --root R             root of a reduce, broadcast, gather or scatter (0)\n"
        "  --segments N         pieces of the vector that follow each other through the algorithm,\n"
        "                       1 to 1024, where it has a pipeline or cuts blocks (1)\n"
        "  --in-place           MPI_IN_PLACE\n"
        "  --ordered            an operation that does not commute\n"
        "  --reproducible       only algorithms that fold by halves of the ranks, whatever nodes\n"
        "                       they are on\n"
        "  --bounded            where ranks differ in blocks: none is larger than all ranks know,\n"
        "                       and sizes go along with the blocks\n"
        "  --output FILE        write the picture or text to FILE (draw, goal)\n"
        "  --help               this text\n"
        "\n"
        "verify proves the plans of all ranks; ranges sweep over placements:\n"
        "  --nodes RANGE        nodes: N, FROM:TO (each), FROM:TO:xK or FROM:TO:+K\n"
        "  --ppn RANGE          processes per node, alike, instead of a list\n"
        "  --sample N           prove the results of N ranks, with all that they depend on; for\n"
        "                       plans of up to 1048576 ranks\n"
        "  --jobs N             threads of a sweep (one per processor)\n"
        "\n"
        "simulate runs the plans on a model of a machine, explain uses it to compare them:\n"
        "  --machine FILE       machine file: a path, or a name such as bluewaters.conf\n"
        "  --nodes RANGE        nodes: N, FROM:TO (doubling), FROM:TO:xK or FROM:TO:+K (1)\n"
        "  --bytes RANGE        sizes, alike: of the vector of a rank or, where ranks have or send\n"
        "                       blocks, of a block; K, M and G are 2^10, 2^20, 2^30 (8); one size\n"
        "                       for explain and goal\n"
        "  --rules FILE         rules that the component would have (explain)\n"
        "  --closed-form        the papers' formulas instead of the plans\n"
        "  --processors N       explain: nobody has measured the machine, and its nodes have N processors:\n"
        "                       auto tries no algorithm with more messages or bytes than usual ones\n"
        "  --csv FILE           write the times to FILE as well, \"-\": to standard output only;\n"
        "                       with links the loads\n"
        "  --svg PREFIX         draw the times with gnuplot: PREFIX-size.svg,\n"
        "                       PREFIX-processes.svg, PREFIX-crossover.svg\n",
        out);
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
    return 0 == fflush(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int print_plan(napcoll_generator_t *generator, int rank, FILE *out)
{
    const napcoll_node_map_t *map = generator->args.map;
    napcoll_plan_t *plan = napcoll_generator_plan(generator, rank);
    int rc;

    if (NULL == plan) {
        out_of_memory();
    }
    fprintf(out, "node %d, lane %d; ", napcoll_node_map_node(map, rank),
            napcoll_node_map_lane(map, rank));
    rc = napcoll_plan_print(plan, out);
    napcoll_plan_free(plan);
    return rc;
}

static int show(options_t *o)
{
    napcoll_node_map_t *map = make_map(o);
    napcoll_generator_t generator = generator_of(o, o->algorithm, map);
    int first = o->rank < 0 ? 0 : o->rank, last = o->rank < 0 ? map->size - 1 : o->rank, rc = 0;

    require_eligible(o, map);
    for (int rank = first; rank <= last && 0 == rc; rank++) {
        rc = print_plan(&generator, rank, stdout);
    }
    napcoll_node_map_free(map);
    return 0 == rc && 0 == fflush(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        unsigned bit;
        int (*run)(options_t *o);
    } commands[] = {{"show", COMMAND_SHOW, show},          {"verify", COMMAND_VERIFY, verify},
                    {"explain", COMMAND_EXPLAIN, explain}, {"simulate", COMMAND_SIMULATE, simulate},
                    {"draw", COMMAND_DRAW, draw},          {"goal", COMMAND_GOAL, goal},
                    {"links", COMMAND_LINKS, links}};

    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    for (int i = 1; i < argc; i++) {
        if (0 == strcmp(argv[i], "--help")) {
            usage(stdout);
            return EXIT_SUCCESS;
        }
    }
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
