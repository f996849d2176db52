/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The picture of collbench's table. Rank 0 only.
 */

#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "bench.h"
#include "common/napcoll_plot.h"

/* Where the times come from: netlab tells its processes the number of nodes that it emulates. */
static void name_origin(char *text, size_t room)
{
    char host[128] = "";

    if (NULL != getenv("NETLAB_NODES")) {
        (void) snprintf(text, room, "measured on nodes that are emulated by netlab");
    } else if (0 == gethostname(host, sizeof(host) - 1)) {
        (void) snprintf(text, room, "measured on %s", host);
    } else {
        (void) snprintf(text, room, "measured");
    }
}

/* The points of times, or of ratios. */
static void add_rows(const struct bench *b, napcoll_plot_t *plot, const struct row *rows,
                     int num_rows)
{
    const bool sized = NAPCOLL_AXIS_BYTES == plot->x.unit;

    for (int i = 0; i < num_rows; i++) {
        const struct row *row = &rows[i];
        const napcoll_summary_t *y = NAPCOLL_AXIS_TIME == plot->y.unit ? &row->time : &row->ratio;
        const int contestant = i % b->opt.num_contestants;

        if (row->samples > 0) {
            napcoll_plot_add(plot, contestant,
                             &(napcoll_plot_point_t){sized ? (double) row->bytes : contestant + 1,
                                                     y->median, y->p05, y->p95});
        }
    }
}

/* The ratios beside the times: of the same contestants, over the same axis. */
static napcoll_plot_t plot_ratios(const struct bench *b, const napcoll_plot_t *times,
                                  const struct row *rows, int num_rows,
                                  char label[NAPCOLL_PLOT_TEXT])
{
    napcoll_plot_t plot = {
        .lines = times->lines, .x = times->x, .y = {.unit = NAPCOLL_AXIS_RATIO, .label = label}};

    (void) snprintf(label, NAPCOLL_PLOT_TEXT, "time over the time of %s in the same turn",
                    b->contestant[0].label);
    for (int i = 0; i < plot.lines; i++) {
        plot.line[i].name = times->line[i].name;
    }
    add_rows(b, &plot, rows, num_rows);
    return plot;
}

bool report_svg(const struct bench *b, const struct row *rows, int num_rows)
{
    const struct layout *l = &b->layout;
    char message[NAPCOLL_PLOT_MESSAGE], size[64], ppn[32], label[NAPCOLL_PLOT_TEXT];
    napcoll_plot_t plot = {.lines = b->opt.num_contestants,
                           .y = {NAPCOLL_AXIS_TIME, "time of the slowest rank (median, p05, p95)"},
                           .x = {.unit = NAPCOLL_AXIS_NAMES, .label = ""},
                           .bound = lower_bound(l)};
    napcoll_plot_t ratios;
    bool drawn = false;

    ppn_text(l, ppn);
    (void) snprintf(plot.title, sizeof(plot.title), "%s on %d node%s, %s processes per node",
                    b->opt.coll->name, l->nodes, 1 == l->nodes ? "" : "s", ppn);
    name_origin(plot.origin, sizeof(plot.origin));
    (void) snprintf(plot.bound_name, sizeof(plot.bound_name), "lower bound, %d x alpha",
                    layout_steps(l));
    if (NAPCOLL_BUFFER_NOTHING != b->opt.coll->recv) {
        (void) snprintf(size, sizeof(size), "size of %s", b->opt.coll->bytes);
        plot.x = (napcoll_axis_t){.unit = NAPCOLL_AXIS_BYTES, .label = size};
    }
    for (int i = 0; i < plot.lines; i++) {
        plot.line[i].name = b->contestant[i].label;
    }
    add_rows(b, &plot, rows, num_rows);
    ratios = plot_ratios(b, &plot, rows, num_rows, label);
    plot.beside = b->opt.num_contestants > 1 ? &ratios : NULL;
    if (napcoll_plot_points(&plot) > 0) {
        drawn = napcoll_plot_draw(&plot, b->opt.svg, message);
    } else {
        (void) snprintf(message, sizeof(message), "--svg %.256s: no times of sizes above 0",
                        b->opt.svg);
    }
    napcoll_plot_free(&plot);
    napcoll_plot_free(&ratios);
    if (!drawn) {
        fprintf(stderr, "collbench: %s\n", message);
    }
    return drawn;
}
