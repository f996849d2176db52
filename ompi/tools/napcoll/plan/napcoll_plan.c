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

#include "algo/file/napcoll_file_rows.h"
#include "common/napcoll_output.h"
#include "plan/napcoll_plan_print.h"
#include "napcoll_plan_tool.h"

static int list(options_t *o)
{
    (void) o;
    for (int c = 0; NULL != napcoll_collective_at(c); c++) {
        const napcoll_collective_t *collective = napcoll_collective_at(c);

        printf("%s\n", collective->name);
        for (int a = 0; a < collective->algorithms; a++) {
            const napcoll_algorithm_t *algorithm = &collective->algorithm[a];

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
    free_map(o, map);
    return EXIT_SUCCESS;
}

/* In the order of plan_tool.command. */
static int (*const run[])(options_t *o) = {list,         show,  verify,      explain,
                                           simulate,     draw,  goal,        smpi,
                                           export_plans, links, rules_check, rules_make};

int main(int argc, char **argv)
{
    options_t o;
    napcoll_command_line_t line;
    int rc;

    napcoll_file_rows_clear(true);
    switch (parse_options(argc, argv, &o, &line)) {
    case NAPCOLL_PARSED_ANSWER:
        return napcoll_tool_answer(&line);
    case NAPCOLL_PARSED_BAD:
        return napcoll_tool_refuse(&line);
    default:
        break;
    }
    if (0 != (o.bit & COMMAND_ALL)) {
        complete_options(&o);
    }
    rc = run[line.command - plan_tool.command](&o);
    free_network(&o);
    napcoll_plan_text_free(o.text);
    return napcoll_output_finish("napcoll-plan") || EXIT_SUCCESS != rc ? rc : EXIT_FAILURE;
}
