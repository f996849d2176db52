/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan export: the plans of all ranks as text, in the form of napcoll-plans(5).
 */

#include <stdlib.h>
#include <string.h>

#include "common/napcoll_plan_text_write.h"
#include "napcoll_plan_tool.h"

/* The name of the plans: --name, or the algorithm's. */
static const char *name_of(const options_t *o)
{
    const char *name = o->name;

    if (NULL == name) {
        return NULL == o->algorithm->file ? o->algorithm->name
                                          : o->algorithm->name + strlen("file:");
    }
    if (strlen(name) != napcoll_plan_name_length(name, strlen(name)) || '\0' == *name) {
        complain("--name %s: expected at most %d letters, digits and _ - . inside", name,
                 NAPCOLL_PLAN_NAME - 1);
    }
    return name;
}

/* The parser of placements lets no line ends through. */
static void put_origin(const options_t *o, const napcoll_node_map_t *map, FILE *out)
{
    napcoll_plan_text_begin(out);
    fprintf(out,
            "# Made by napcoll-plan export: %s %s, %d ranks on %d nodes (--ppn %s --map %s).\n",
            o->collective->name, o->algorithm->name, map->size, map->nodes, o->ppn, o->order);
}

int export_plans(options_t *o)
{
    napcoll_node_map_t *map = make_map_up_to(o, NAPCOLL_MOST_PLAN_RANKS);
    napcoll_generator_t generator = generator_of(o, o->algorithm, map);
    const char *name = name_of(o);
    FILE *out = open_output("output", o->output);
    int rc;

    put_origin(o, map, out);
    rc = napcoll_plan_text_write(&generator.args, name, napcoll_generator_plan, &generator, out);
    free_map(o, map);
    if (NAPCOLL_PLAN_WRITE_NO_MEMORY == rc) {
        napcoll_out_of_memory();
    }
    if (0 != rc) {
        fprintf(stderr, "napcoll-plan: the ranks' plans differ in their layout; the text form has "
                        "one for all\n");
        (void) close_output("output", o->output, out);
        return EXIT_FAILURE;
    }
    return close_output("output", o->output, out);
}
