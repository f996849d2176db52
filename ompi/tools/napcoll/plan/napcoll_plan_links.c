/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan links: the load that the plans of all ranks put on the links of the network, and
 * whether any two messages meet on one (napcoll_links.h defines steps and links).
 */

#include <stdlib.h>
#include <string.h>

#include "plan/napcoll_links.h"
#include "napcoll_plan_tool.h"

/* What is reported. */
typedef struct {
    const options_t *options;
    const napcoll_node_map_t *map;
    const napcoll_links_t *links;
    /* NULL: none */
    FILE *csv, *table;
    /* Characters of the links' names. */
    int width;
} report_t;

/* The unit of shares. */
static const char *unit_of(const report_t *r)
{
    return sized_by_rank(r->options->collective) ? "blocks" : "vectors";
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

/* Put "FROM -> TO" and return the number of characters; out NULL: only count them. */
static int put_name(const report_t *r, int link, FILE *out)
{
    char text[NODE_NUMBER];
    const char *end[2];

    name_ends(r, link, text, end);
    return NULL == out ? snprintf(NULL, 0, "%s -> %s", end[0], end[1])
                       : fprintf(out, "%s -> %s", end[0], end[1]);
}

static void put_csv(const report_t *r, int link)
{
    const options_t *o = r->options;
    const napcoll_link_load_t *load = &r->links->load[link];
    const char *end[2];
    char text[NODE_NUMBER];

    name_ends(r, link, text, end);
    fprintf(r->csv, "%s,%s,%d,", o->collective->name, o->algorithm->name, r->map->nodes);
    put_ppn(o, r->csv);
    fprintf(r->csv, ",%s,%s,%lld,%.9g,%lld,%d,%.9g\n", end[0], end[1], (long long) load->messages,
            load->share, (long long) load->most, load->step, load->most_share);
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
    enum { LEAST_WIDTH = 12 };
    const napcoll_links_t *links = r->links;
    char graph[GRAPH_WORDS];

    r->width = LEAST_WIDTH;
    for (int link = 0; link < links->links; link++) {
        const int width = links->load[link].messages > 0 ? put_name(r, link, NULL) : 0;

        r->width = width > r->width ? width : r->width;
    }
    fprintf(r->table,
            "%s %s%s, %d rank%s on %d node%s: %d step%s, %lld message%s, %lld of them between "
            "nodes\n\n",
            r->options->collective->name, r->options->algorithm->name,
            name_graph(r->options, graph), r->map->size, plural(r->map->size), r->map->nodes,
            plural(r->map->nodes), links->steps, plural(links->steps), (long long) links->messages,
            plural(links->messages), (long long) links->network);
    if (links->network > 0) {
        fprintf(r->table, "%-*s  %10s  %10s  %6s  %6s  %10s\n", r->width, "link", "messages",
                unit_of(r), "most", "step", unit_of(r));
    }
}

/* The worst link, and whether two messages meet on it. */
static void put_foot(const report_t *r)
{
    const napcoll_links_t *links = r->links;
    const bool free = napcoll_links_contention_free(links);
    long long most = 0;

    if (links->worst >= 0) {
        const napcoll_link_load_t *worst = &links->load[links->worst];

        most = worst->most;
        fputs("\nworst: ", r->table);
        (void) put_name(r, links->worst, r->table);
        fprintf(r->table, " in step %d: %lld message%s, %.6g %s\n", worst->step, most, plural(most),
                worst->most_share, unit_of(r));
    }
    fprintf(r->table, "contention-free: %s (%d step%s, ", free ? "yes" : "no", links->steps,
            plural(links->steps));
    if (0 == most) {
        fputs("no message between nodes)\n", r->table);
    } else if (free) {
        fputs("1 message at a time on each link)\n", r->table);
    } else {
        fprintf(r->table, "up to %lld messages at a time on a link)\n", most);
    }
}

static int report(report_t *r)
{
    const options_t *o = r->options;
    char origin[ORIGIN];

    (void) snprintf(origin, sizeof(origin), "plans of %d rank%s on %d node%s", r->map->size,
                    plural(r->map->size), r->map->nodes, plural(r->map->nodes));
    r->csv = open_csv(o, origin,
                      "coll,algorithm,nodes,ppn,from,to,messages,share,most,step,most_share");
    r->table = stdout == r->csv ? NULL : stdout;
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
    return close_output("csv", o->csv, r->csv);
}

int links(options_t *o)
{
    napcoll_node_map_t *map;
    napcoll_generator_t generator;
    napcoll_progress_t progress;
    watched_t watched = {.generator = &generator, .progress = &progress, .after = 1};
    napcoll_links_t *loads = NULL;
    napcoll_links_status_t status;
    int rc = EXIT_FAILURE;

    require_own_phases(o);
    map = make_map_up_to(o, MOST_SIMULATED);
    generator = generator_of(o, o->algorithm, map);
    if (has_too_many_steps(&generator, true)) {
        complain("--nodes and --ppn, or --ranks: %d ranks: the plans of %s have too many steps, "
                 "more than %d; expected fewer ranks",
                 map->size, o->algorithm->name, MOST_STEPS);
    }
    napcoll_progress_begin(&progress, false);
    status = napcoll_plan_links(make_watched_plan, &watched, map, &loads);
    napcoll_progress_clear(&progress);
    if (NAPCOLL_LINKS_OK == status) {
        rc = report(&(report_t){.options = o, .map = map, .links = loads});
    } else {
        fprintf(stderr, "napcoll-plan: %s: %s\n", o->algorithm->name,
                napcoll_links_status_help(status));
    }
    napcoll_links_free(loads);
    free_map(o, map);
    return rc;
}
