/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan draw: a picture of the plans of all ranks, as SVG. napcoll_plan_layout.h shows what is in
 * it and decides where.
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_plan_print.h"
#include "napcoll_plan_tool.h"
#include "napcoll_plan_layout.h"

enum {
    CORNER = 5 /* radius of a message's corners, in pixels */
};

/* ---- SVG ---- */

static void put_style(FILE *out)
{
    fputs("<style>\n"
          "text { font-family: sans-serif; font-size: 11px; fill: #333 }\n"
          ".title { font-size: 15px; font-weight: bold }\n"
          ".header, .node-title { font-weight: bold }\n"
          ".number { font-size: 9px; text-anchor: middle; fill: #555 }\n"
          ".aside { fill: #888 }\n"
          ".box { fill: #f4f5f7; stroke: #c4c8ce }\n"
          ".switch rect { fill: #e9eef4; stroke: #9fb0c3 }\n"
          ".switch text { text-anchor: middle }\n"
          ".rail { stroke: #dfe2e6 }\n"
          ".grid { stroke: #e8e8ec; stroke-dasharray: 2 3 }\n"
          ".stage { fill: white; stroke: #9aa0a8 }\n"
          ".inter, .intra { fill: none }\n"
          ".inter { stroke: #c2410c; stroke-width: 1.6 }\n"
          ".intra { stroke: #2563a8; stroke-width: 0.9 }\n"
          ".message:hover { stroke-width: 4 }\n"
          ".inter-head { fill: #c2410c }\n"
          ".intra-head { fill: #2563a8 }\n"
          ".fold, .key-fold { fill: #2f7d32 }\n"
          ".copy, .key-copy { fill: #8a6d1f }\n"
          ".phase rect, .key-phase { fill: #e5dcf4; stroke: #6b4fa0 }\n"
          ".phase text { font-size: 10px; text-anchor: middle }\n"
          "</style>\n",
          out);
}

/* Heads for the end of a line and, the other way round, for its beginning. */
static void put_heads(FILE *out, const char *kind)
{
    fprintf(out,
            "<marker id=\"%s-end\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" "
            "markerHeight=\"6\" refX=\"7\" refY=\"2.5\" orient=\"auto\">"
            "<path class=\"%s-head\" d=\"M0,0 L7,2.5 L0,5 z\"/></marker>\n",
            kind, kind);
    fprintf(out,
            "<marker id=\"%s-begin\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" "
            "markerHeight=\"6\" refX=\"0\" refY=\"2.5\" orient=\"auto\">"
            "<path class=\"%s-head\" d=\"M7,0 L0,2.5 L7,5 z\"/></marker>\n",
            kind, kind);
}

static const char *plural(int count)
{
    return 1 == count ? "" : "s";
}

static void put_key_line(FILE *out, const char *kind, int x, const char *text)
{
    fprintf(out,
            "<path class=\"%s\" d=\"M%d,52 h24\" marker-end=\"url(#%s-end)\"/>"
            "<text x=\"%d\" y=\"56\">%s</text>\n",
            kind, x, kind, x + 30, text);
}

static void put_legend(FILE *out)
{
    const int x = MARGIN;

    fputs("<g class=\"legend\">\n", out);
    put_key_line(out, "inter", x, "between nodes");
    put_key_line(out, "intra", x + 126, "inside a node");
    fprintf(out,
            "<rect class=\"stage\" x=\"%d\" y=\"45\" width=\"%d\" height=\"14\" rx=\"3\"/>"
            "<text class=\"number\" x=\"%d\" y=\"55\">0</text>"
            "<text x=\"%d\" y=\"56\">a stage, numbered as in the rank's plan</text>\n",
            x + 254, CELL, x + 254 + CELL / 2, x + 276);
    fprintf(out,
            "<circle class=\"key-fold\" cx=\"%d\" cy=\"52\" r=\"4\"/><text x=\"%d\" y=\"56\">fold"
            "</text>\n",
            x + 530, x + 539);
    fprintf(out,
            "<rect class=\"key-copy\" x=\"%d\" y=\"48\" width=\"8\" height=\"8\"/><text x=\"%d\" "
            "y=\"56\">copy</text>\n",
            x + 578, x + 590);
    fprintf(out,
            "<rect class=\"key-phase\" x=\"%d\" y=\"45\" width=\"24\" height=\"14\" rx=\"5\"/>"
            "<text x=\"%d\" y=\"56\">collective of a node</text>\n</g>\n",
            x + 634, x + 664);
}

/* A name as text, cut where it is long; XML's own characters, and what no text has, become others. */
static void put_text(const char *name, int most, FILE *out)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    const bool cut = strlen(name) > (size_t) most;

    for (int i = 0; '\0' != name[i] && i < (cut ? most - 2 : most); i++) {
        const char *found = strchr(special, name[i]);

        if (NULL != found) {
            fputs(entity[found - special], out);
        } else {
            fputc(name[i] >= ' ' && name[i] <= '~' ? name[i] : '?', out);
        }
    }
    if (cut) {
        fputs("..", out);
    }
}

/* The placement came through its parser: it holds nothing that XML would mind. */
static void put_head(const picture_t *p, FILE *out)
{
    const options_t *o = p->options;

    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n",
            p->width, p->height, p->width, p->height);
    put_style(out);
    fputs("<defs>\n", out);
    put_heads(out, "inter");
    put_heads(out, "intra");
    fprintf(out, "</defs>\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", p->width,
            p->height);
    fprintf(out,
            "<text class=\"title\" x=\"%d\" y=\"30\">%s %s: %d rank%s on %d node%s "
            "(ppn %s, %s placement)</text>\n",
            MARGIN, o->collective->name, o->algorithm->name, p->map->size, plural(p->map->size),
            p->map->nodes, plural(p->map->nodes), o->ppn, o->order);
    put_legend(out);
}

static void put_columns(const picture_t *p, FILE *out)
{
    for (int i = 0; i < p->columns; i++) {
        const int left = p->column[i].left;

        fprintf(out,
                "<text class=\"header\" x=\"%d\" y=\"%d\">stage %d</text>"
                "<path class=\"grid\" d=\"M%d,%d V%d\"/>\n",
                left, HEAD - 12, i, left - COLUMN_GAP / 2, HEAD - 24, p->height - MARGIN);
    }
}

static void put_mark(const napcoll_step_t *step, int rank, int stage, int x, int y, FILE *out)
{
    const int width = layout_mark_width(step);

    switch (step->kind) {
    case NAPCOLL_STEP_REDUCE:
        fprintf(out,
                "<circle class=\"fold\" cx=\"%d\" cy=\"%d\" r=\"4\"><title>rank %d folds, stage %d"
                "</title></circle>\n",
                x + MARK / 2, y, rank, stage);
        break;
    case NAPCOLL_STEP_COPY:
        fprintf(out,
                "<rect class=\"copy\" x=\"%d\" y=\"%d\" width=\"8\" height=\"8\"><title>rank %d "
                "copies, stage %d</title></rect>\n",
                x + 1, y - 4, rank, stage);
        break;
    case NAPCOLL_STEP_PHASE:
        fprintf(out,
                "<g class=\"phase\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\" rx=\"5\"/>"
                "<text x=\"%d\" y=\"%d\">%s</text></g>\n",
                x + 1, y - 7, width - 2, x + width / 2, y + 4, napcoll_phase_name(step->phase));
        break;
    default:
        break;
    }
}

static void put_stage(const picture_t *p, place_t place, FILE *out)
{
    const napcoll_plan_t *plan = p->plan[place.rank];
    const napcoll_stage_t *stage = &plan->stage[place.stage];
    const column_t *column = layout_column(p, place);
    const int y = p->middle[place.rank], height = p->row_height[place.rank] - 4;
    int x = column->left + layout_marks_offset(column);

    fprintf(out,
            "<rect class=\"stage\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>"
            "<text class=\"number\" x=\"%d\" y=\"%d\">%d</text>\n",
            column->left, y - height / 2, CELL, height, column->left + CELL / 2, y + 3,
            place.stage);
    for (int i = 0; i < stage->work; i++) {
        const napcoll_step_t *step = &plan->step[stage->first + stage->messages + i];

        put_mark(step, place.rank, place.stage, x, y, out);
        x += layout_mark_width(step);
    }
}

static void put_lane(const picture_t *p, int rank, FILE *out)
{
    const int y = p->middle[rank], left = p->left + p->names;

    fprintf(out, "<g class=\"lane\" data-rank=\"%d\">\n", rank);
    fprintf(out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">rank %d</text><text class=\"aside\" "
            "x=\"%d\" y=\"%d\" text-anchor=\"end\">lane %d</text>"
            "<path class=\"rail\" d=\"M%d,%d H%d\"/>\n",
            left - 58, y + 4, rank, left - 14, y + 4, napcoll_node_map_lane(p->map, rank), left, y,
            p->width - MARGIN - COLUMN_GAP / 2);
    for (int stage = 0; stage < p->plan[rank]->stages; stage++) {
        put_stage(p, (place_t){rank, stage}, out);
    }
    fputs("</g>\n", out);
}

/* The top and the height of a node of the map. */
static void measure_node(const picture_t *p, int node, int *top, int *height)
{
    const int first = napcoll_node_map_rank(p->map, node, 0);
    const int last = napcoll_node_map_rank(p->map, node, napcoll_node_map_ppn(p->map, node) - 1);

    *top = p->middle[first] - p->row_height[first] / 2;
    *height = p->middle[last] - p->row_height[last] / 2 + p->row_height[last] - *top;
}

static void put_node(const picture_t *p, int node, FILE *out)
{
    const int ppn = napcoll_node_map_ppn(p->map, node);
    char text[NODE_NUMBER];
    int top, height;

    measure_node(p, node, &top, &height);
    fprintf(out,
            "<g class=\"node\" data-node=\"%d\">\n"
            "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>"
            "<text class=\"node-title\" x=\"%d\" y=\"%d\">",
            node, p->left, top, p->width - p->left - MARGIN, height, p->left + 6,
            top + height / 2 + 4);
    put_text(name_of_node(p->map, node, text), MOST_LETTERS, out);
    fputs("</text>\n", out);
    for (int lane = 0; lane < ppn; lane++) {
        put_lane(p, napcoll_node_map_rank(p->map, node, lane), out);
    }
    fputs("</g>\n", out);
}

/* A switch, as high as the nodes below it. */
static void put_switch(const picture_t *p, int at, FILE *out)
{
    const napcoll_switch_t *own = &p->map->tree->at[at];
    const switches_t *column = &p->switches[own->depth];
    int first, last, top, bottom, height;

    if ('\0' == *own->name || !layout_below(p, at, &first, &last)) {
        return;
    }
    measure_node(p, p->node[first], &top, &height);
    measure_node(p, p->node[last], &bottom, &height);
    height += bottom - top;
    fprintf(out,
            "<g class=\"switch\" data-switch=\"%d\"><rect x=\"%d\" y=\"%d\" width=\"%d\" "
            "height=\"%d\" rx=\"4\"/><text x=\"%d\" y=\"%d\">",
            at, column->left, top, column->width, height, column->left + column->width / 2,
            top + height / 2 + 4);
    put_text(own->name, MOST_LETTERS, out);
    fputs("</text><title>", out);
    put_text(own->name, INT_MAX, out);
    fputs("</title></g>\n", out);
}

static void put_tooltip(const message_t *message, FILE *out)
{
    const place_t from = message->end[FROM], to = message->end[TO];

    fprintf(out, "<title>rank %d to rank %d%s, stage %d", from.rank, to.rank,
            message->both ? " and back" : "", from.stage);
    if (from.stage != to.stage) {
        fprintf(out, " (stage %d of rank %d)", to.stage, to.rank);
    }
    fputs("</title>", out);
}

/* From the sender's box to the track, along it, and to the receiver's box. */
static void put_way(const picture_t *p, const message_t *message, FILE *out)
{
    const column_t *from = &p->column[message->column];
    const column_t *to = layout_column(p, message->end[TO]);
    const int track = from->left + layout_track_offset(message->track);
    const int y0 = message->y[FROM], y1 = message->y[TO];
    const int corner = y0 < y1 ? CORNER : -CORNER;

    fprintf(out, "M%d,%d H%d Q%d,%d %d,%d V%d Q%d,%d %d,%d H%d", from->left + CELL, y0,
            track - CORNER, track, y0, track, y0 + corner, y1 - corner, track, y1, track - CORNER,
            y1, to->left + CELL);
}

static void put_message(const picture_t *p, const message_t *message, FILE *out)
{
    const place_t from = message->end[FROM], to = message->end[TO];
    const char *kind = napcoll_node_map_node(p->map, from.rank)
                               == napcoll_node_map_node(p->map, to.rank)
                           ? "intra"
                           : "inter";

    fprintf(out, "<path class=\"message %s%s\" data-from=\"%d\" data-to=\"%d\" data-stage=\"%d\" ",
            kind, message->both ? " exchange" : "", from.rank, to.rank, from.stage);
    if (message->both) {
        fprintf(out, "marker-start=\"url(#%s-begin)\" ", kind);
    }
    fprintf(out, "marker-end=\"url(#%s-end)\" d=\"", kind);
    put_way(p, message, out);
    fputs("\">", out);
    put_tooltip(message, out);
    fputs("</path>\n", out);
}

static void put_picture(const picture_t *p, FILE *out)
{
    put_head(p, out);
    for (int at = 0; NULL != p->map->tree && at < p->map->tree->switches; at++) {
        put_switch(p, at, out);
    }
    for (int i = 0; i < p->map->nodes; i++) {
        put_node(p, p->node[i], out);
    }
    put_columns(p, out);
    fputs("<g class=\"messages\">\n", out);
    for (int i = 0; i < p->messages.count; i++) {
        put_message(p, &p->messages.message[i], out);
    }
    fputs("</g>\n</svg>\n", out);
}

/* ---- the command ---- */

int draw(options_t *o)
{
    napcoll_node_map_t *map = make_map(o);
    picture_t *p;
    int rc = EXIT_FAILURE;

    if (map->size > MOST_DRAWN) {
        complain("--nodes and --ppn, or --ranks: %d ranks: expected from 1 to %d", map->size,
                 MOST_DRAWN);
    }
    require_eligible(o, map);
    p = layout_make(o, map);
    if (NULL != p) {
        FILE *out = open_output(o);

        put_picture(p, out);
        rc = close_output(o, out);
    } else {
        fprintf(stderr,
                "napcoll-plan: %s: a send has no receive, or a receive no send; napcoll-plan "
                "verify says where\n",
                o->algorithm->name);
    }
    layout_free(p);
    napcoll_node_map_free(map);
    return rc;
}
