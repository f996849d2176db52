/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan draw: a picture of the plans of all ranks, as SVG. napcoll_plan_layout.h shows it
 * and has the positions.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_layout.h"
#include "plan/napcoll_plan_print.h"

/* Radius of a message's corners, in pixels. */
enum { CORNER = 5 };

/* ---- SVG ---- */

/* The style sheet, the arrow heads for the end and, turned round, for the beginning of a line, and
 * the legend. */
static const char style[] = "<style>\n"
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
                            ".reduce, .key-reduce { fill: #2f7d32 }\n"
                            ".copy, .key-copy { fill: #8a6d1f }\n"
                            ".phase rect, .key-phase { fill: #e5dcf4; stroke: #6b4fa0 }\n"
                            ".phase text { font-size: 10px; text-anchor: middle }\n"
                            "</style>\n";

static const char heads[] =
    "<marker id=\"%1$s-end\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" "
    "markerHeight=\"6\" refX=\"7\" refY=\"2.5\" orient=\"auto\">"
    "<path class=\"%1$s-head\" d=\"M0,0 L7,2.5 L0,5 z\"/></marker>\n"
    "<marker id=\"%1$s-begin\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" "
    "markerHeight=\"6\" refX=\"0\" refY=\"2.5\" orient=\"auto\">"
    "<path class=\"%1$s-head\" d=\"M7,0 L0,2.5 L7,5 z\"/></marker>\n";

static const char legend[] =
    "<g class=\"legend\">\n"
    "<path class=\"inter\" d=\"M16,52 h24\" marker-end=\"url(#inter-end)\"/>"
    "<text x=\"46\" y=\"56\">between nodes</text>\n"
    "<path class=\"intra\" d=\"M142,52 h24\" marker-end=\"url(#intra-end)\"/>"
    "<text x=\"172\" y=\"56\">inside a node</text>\n"
    "<rect class=\"stage\" x=\"270\" y=\"45\" width=\"16\" height=\"14\" rx=\"3\"/>"
    "<text class=\"number\" x=\"278\" y=\"55\">0</text>"
    "<text x=\"292\" y=\"56\">a stage, numbered as in the rank's plan</text>\n"
    "<circle class=\"key-reduce\" cx=\"540\" cy=\"52\" r=\"4\"/>"
    "<text x=\"549\" y=\"56\">reduce</text>\n"
    "<rect class=\"key-copy\" x=\"594\" y=\"48\" width=\"8\" height=\"8\"/>"
    "<text x=\"606\" y=\"56\">copy</text>\n"
    "<rect class=\"key-phase\" x=\"640\" y=\"45\" width=\"24\" height=\"14\" rx=\"5\"/>"
    "<text x=\"670\" y=\"56\">collective of a node</text>\n</g>\n";

/* Put a name of at most `most` characters; XML's own characters are escaped, unprintable ones
 * become "?". */
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

/* The parser of placements lets no XML characters through. */
static void put_head(const picture_t *p, FILE *out)
{
    const options_t *o = p->options;
    char graph[GRAPH_WORDS];

    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$d\" height=\"%2$d\" "
            "viewBox=\"0 0 %1$d %2$d\">\n%3$s<defs>\n",
            p->width, p->height, style);
    fprintf(out, heads, "inter");
    fprintf(out, heads, "intra");
    fprintf(out, "</defs>\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", p->width,
            p->height);
    fprintf(out,
            "<text class=\"title\" x=\"%d\" y=\"30\">%s %s: %d rank%s on %d node%s "
            "(ppn %s, %s placement)",
            MARGIN, o->collective->name, o->algorithm->name, p->map->size, plural(p->map->size),
            p->map->nodes, plural(p->map->nodes), o->ppn, o->order);
    put_text(name_graph(o, graph), GRAPH_WORDS, out);
    fprintf(out, "</text>\n%s", legend);
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
    char title[NAPCOLL_PHASE_TITLE];

    switch (step->kind) {
    case NAPCOLL_STEP_REDUCE:
        fprintf(
            out,
            "<circle class=\"reduce\" cx=\"%d\" cy=\"%d\" r=\"4\"><title>rank %d reduces, stage %d"
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
        napcoll_phase_title(step, title);
        fprintf(out,
                "<g class=\"phase\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\" rx=\"5\"/>"
                "<text x=\"%d\" y=\"%d\">%s</text></g>\n",
                x + 1, y - 7, width - 2, x + width / 2, y + 4, title);
        break;
    default:
        break;
    }
}

static void put_stage(const picture_t *p, place_t place, FILE *out)
{
    const napcoll_plan_t *plan = layout_plan(p, place.rank);
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
    for (int stage = 0; stage < layout_plan(p, rank)->stages; stage++) {
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

/* The line from the sender's box to the track, on it, and to the receiver's box. */
static void put_line(const picture_t *p, const message_t *message, FILE *out)
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
    put_line(p, message, out);
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
    for (int i = 0; i < p->messages; i++) {
        put_message(p, &p->message[i], out);
    }
    fputs("</g>\n</svg>\n", out);
}

/* ---- the command ---- */

int draw(options_t *o)
{
    napcoll_node_map_t *map = make_map_up_to(o, MOST_DRAWN);
    picture_t *p = layout_make(o, map);
    FILE *out;

    if (NULL == p) {
        fprintf(stderr,
                "napcoll-plan: %s: a send has no receive, or a receive no send; napcoll-plan "
                "verify says where\n",
                o->algorithm->name);
        return EXIT_FAILURE;
    }
    out = open_output("output", o->output);
    put_picture(p, out);
    layout_free(p);
    free_map(o, map);
    return close_output("output", o->output, out);
}
