/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan export: the plans of all ranks as text, in the form of napcoll-plans(5), or as MSCCL
 * XML.
 */

#include <stdlib.h>
#include <string.h>

#include "common/napcoll_msccl.h"
#include "common/napcoll_plan_text_write.h"
#include "napcoll_plan_tool.h"

/* The plan sets of a file, as they stand there. */
static int export_sets(const options_t *o)
{
    FILE *out = open_output("output", o->output);

    napcoll_plan_text_begin(out);
    for (int i = 0; i < o->text->sets; i++) {
        const napcoll_plan_set_t *set = o->text->set[i];

        if (NULL == o->name || 0 == strcmp(o->name, set->name)) {
            fprintf(out, "\n%.*s", (int) (set->whole.end - set->whole.begin), set->whole.begin);
        }
    }
    return close_output("output", o->output, out);
}

/* The name of the plans: --name, or the algorithm's. */
static const char *name_of(const options_t *o)
{
    check_name(o);
    if (NULL != o->name) {
        return o->name;
    }
    return NULL == o->algorithm->file ? o->algorithm->name : o->algorithm->name + strlen("file:");
}

/* The parser of placements lets no line ends through. */
static void put_origin(const options_t *o, const napcoll_node_map_t *map, FILE *out)
{
    napcoll_plan_text_begin(out);
    fprintf(out,
            "# Made by napcoll-plan export: %s %s, %d ranks on %d nodes (--ppn %s --map %s).\n",
            o->collective->name, o->algorithm->name, map->size, map->nodes, o->ppn, o->order);
}

static int export_msccl(const options_t *o, napcoll_generator_t *generator, const char *name)
{
    FILE *out = open_output("output", o->output);
    const char *why = napcoll_msccl_write(&generator->args, name, napcoll_generator_plan, generator,
                                          out);

    if (NULL != why) {
        fprintf(stderr, "napcoll-plan: --msccl: %s %s: %s\n", o->collective->name,
                o->algorithm->name, why);
        (void) close_output("output", o->output, out);
        return EXIT_FAILURE;
    }
    return close_output("output", o->output, out);
}

int export_plans(options_t *o)
{
    napcoll_node_map_t *map;
    napcoll_generator_t generator;
    const char *name = name_of(o);
    FILE *out;
    int rc;

    if (NULL != o->set && !o->msccl) {
        return export_sets(o);
    }
    map = make_map_up_to(o, NAPCOLL_MOST_PLAN_RANKS);
    generator = generator_of(o, o->algorithm, map);
    if (o->msccl) {
        rc = export_msccl(o, &generator, name);
        napcoll_node_map_free(map);
        return rc;
    }
    out = open_output("output", o->output);
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
