/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan links: what the plans of all ranks put on the links of the network, and whether any two
 * messages meet there (plan/napcoll_plan_links.h has the steps and the links).
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_tool.h"
#include "common/napcoll_plan_links.h"

enum { LEAST_NAME = 12 /* characters */ };

/* What is reported. */
typedef struct {
    const options_t *options;
    const napcoll_node_map_t *map;
    const napcoll_links_t *links;
    FILE *csv;
    FILE *table; /* NULL: none */
    int width;   /* of the links' names */
} report_t;

/* What shares are of. */
static const char *unit_of(const napcoll_collective_t *collective)
{
    return sized_by_rank(collective) ? "blocks" : "vectors";
}

static const char *plural(int64_t count)
{
    return 1 == count ? "" : "s";
}

/* The two ends of a link, in its direction. */
static void name_ends(const report_t *r, int link, char text[NODE_NUMBER], const char *end[2])
{
    const int lower = napcoll_link_end(link);
    const bool up = napcoll_link_is_up(link);

    end[!up] = lower < r->map->nodes ? name_of_node(r->map, lower, text)
                                     : name_of_switch(r->map, lower - r->map->nodes);
    end[up] = name_of_switch(r->map, napcoll_link_switch(r->map, link));
}

/* Returns the number of characters; out NULL: they are only counted. */
static int put_name(const report_t *r, int link, FILE *out)
{
    char text[NODE_NUMBER];
    const char *end[2];

    name_ends(r, link, text, end);
    if (NULL != out) {
        fprintf(out, "%s -> %s", end[0], end[1]);
    }
    return (int) (strlen(end[0]) + strlen(" -> ") + strlen(end[1]));
}

static void put_csv(const report_t *r, int link)
{
    const options_t *o = r->options;
    const napcoll_link_load_t *load = &r->links->load[link];
    const char *quote = NULL == strchr(o->ppn, ',') ? "" : "\"", *end[2];
    char text[NODE_NUMBER];

    name_ends(r, link, text, end);
    fprintf(r->csv, "%s,%s,%d,%s%s%s,%s,%s,%lld,%.9g,%lld,%d,%.9g\n", o->collective->name,
            o->algorithm->name, r->map->nodes, quote, o->ppn, quote, end[0], end[1],
            (long long) load->messages, load->share, (long long) load->most, load->step,
            load->most_share);
}

static void put_row(const report_t *r, int link)
{
    const napcoll_link_load_t *load = &r->links->load[link];
    const int width = put_name(r, link, r->table);

    fprintf(r->table, "%*s  %10lld  %10.6g  %6lld  %6d  %10.6g\n", r->width - width, "",
            (long long) load->messages, load->share, (long long) load->most, load->step,
            load->most_share);
}

static void put_head(report_t *r)
{
    const options_t *o = r->options;

    r->width = LEAST_NAME;
    for (int link = 0; link < r->links->links; link++) {
        const int width = r->links->load[link].messages > 0 ? put_name(r, link, NULL) : 0;

        r->width = width > r->width ? width : r->width;
    }
    fprintf(r->table,
            "%s %s, %d rank%s on %d node%s: %d step%s, %lld message%s, %lld of them between "
            "nodes\n\n",
            o->collective->name, o->algorithm->name, r->map->size, plural(r->map->size),
            r->map->nodes, plural(r->map->nodes), r->links->steps, plural(r->links->steps),
            (long long) r->links->messages, plural(r->links->messages),
            (long long) r->links->network);
    if (r->links->network > 0) {
        fprintf(r->table, "%-*s  %10s  %10s  %6s  %6s  %10s\n", r->width, "link", "messages",
                unit_of(o->collective), "most", "step", unit_of(o->collective));
    }
}

/* The worst link, and the line that says whether it is one. */
static void put_foot(const report_t *r)
{
    const napcoll_links_t *links = r->links;
    const napcoll_link_load_t *worst;

    if (links->worst < 0) {
        fprintf(r->table, "contention-free: yes (%d step%s, no message between nodes)\n",
                links->steps, plural(links->steps));
        return;
    }
    worst = &links->load[links->worst];
    fputs("\nworst: ", r->table);
    (void) put_name(r, links->worst, r->table);
    fprintf(r->table, " in step %d: %lld message%s, %.6g %s\n", worst->step,
            (long long) worst->most, plural(worst->most), worst->most_share,
            unit_of(r->options->collective));
    if (napcoll_links_contention_free(links)) {
        fprintf(r->table, "contention-free: yes (%d step%s, 1 message at a time on each link)\n",
                links->steps, plural(links->steps));
    } else {
        fprintf(r->table,
                "contention-free: no (%d step%s, up to %lld messages at a time on a link)\n",
                links->steps, plural(links->steps), (long long) worst->most);
    }
}

static int report(report_t *r)
{
    const options_t *o = r->options;
    int rc;

    r->csv = open_csv(o, "coll,algorithm,nodes,ppn,from,to,messages,share,most,step,most_share");
    r->table = NULL != r->csv && stdout == r->csv ? NULL : stdout;
    if (NULL != r->table) {
        put_head(r);
    }
    for (int link = 0; link < r->links->links; link++) {
        if (r->links->load[link].messages > 0 && NULL != r->table) {
            put_row(r, link);
        }
        if (r->links->load[link].messages > 0 && NULL != r->csv) {
            put_csv(r, link);
        }
    }
    if (NULL != r->table) {
        put_foot(r);
    }
    rc = close_csv(o, r->csv);
    return 0 == rc && 0 == fflush(stdout) && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* How often the plans are run. */
static int pieces_of(napcoll_generator_t *generator)
{
    napcoll_plan_t *plan = napcoll_generator_plan(generator, 0);
    int pieces;

    if (NULL == plan) {
        out_of_memory();
    }
    pieces = plan->pieces;
    napcoll_plan_free(plan);
    return pieces;
}

int links(options_t *o)
{
    napcoll_node_map_t *map;
    napcoll_generator_t generator;
    napcoll_links_t *loads = NULL;
    napcoll_links_status_t status;
    int rc = EXIT_FAILURE;

    require_p2p(o);
    map = make_map(o);
    if (map->size > MOST_SIMULATED) {
        complain("--nodes and --ppn, or --ranks: %d ranks: expected from 1 to %d", map->size,
                 MOST_SIMULATED);
    }
    require_eligible(o, map);
    generator = generator_of(o, o->algorithm, map);
    if (guess_steps(&generator) * pieces_of(&generator) > MOST_STEPS) {
        complain("--nodes and --ppn, or --ranks: %d ranks: the plans of %s have too many steps, "
                 "more than %d; expected fewer ranks",
                 map->size, o->algorithm->name, MOST_STEPS);
    }
    status = napcoll_plan_links(napcoll_generator_plan, &generator, map, &loads);
    if (NAPCOLL_LINKS_OK == status) {
        report_t r = {.options = o, .map = map, .links = loads};

        rc = report(&r);
    } else {
        fprintf(stderr, "napcoll-plan: %s: %s\n", o->algorithm->name,
                napcoll_links_status_help(status));
    }
    napcoll_links_free(loads);
    napcoll_node_map_free(map);
    return rc;
}
