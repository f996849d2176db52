/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where everything in a picture of the plans is: nodes and switches, plans, the messages between them, then
 * columns, tracks, ports and sizes. Each step needs those before it.
 */

#include <stdlib.h>
#include <string.h>

#include "common/napcoll_plan_print.h"
#include "napcoll_plan_layout.h"

enum {
    MOST_TRACKS = MOST_DRAWN * MOST_DRAWN /* more than there are in any column */
};

/* Lengths, in pixels. */
enum {
    NODE_GAP = 8,      /* between two nodes */
    LEAST_ROW = 18,    /* height of a lane */
    PORT = 6,          /* between two messages that meet a stage */
    ARROW = 14,        /* from the box to the first track: the room of arrow heads */
    TRACK = 6,         /* between two tracks */
    PHASE_LETTER = 6,  /* about the width of a letter in a phase's box */
    FRAME = 10,        /* of a switch's name */
    LEAST_WIDTH = 812, /* of the picture: the legend's */
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (NULL == memory) {
        out_of_memory();
    }
    return memory;
}

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

/* ---- nodes and switches ---- */

static int letters(const char *name)
{
    const size_t length = strlen(name);

    return length < MOST_LETTERS ? (int) length : MOST_LETTERS;
}

/* A node, and where a depth-first order round the tree comes to it. */
typedef struct {
    int node;
    int spot;
} stop_t;

static int by_spot(const void *a, const void *b)
{
    const stop_t *x = a, *y = b;

    return compare(x->spot, y->spot);
}

static void order_nodes(picture_t *p)
{
    stop_t stop[MOST_DRAWN];
    int longest = NODE_LETTERS;

    for (int node = 0; node < p->map->nodes; node++) {
        char text[NODE_NUMBER];
        const int length = letters(name_of_node(p->map, node, text));

        stop[node] = (stop_t){node, NULL == p->map->tree ? node : p->map->spot[node]};
        longest = length > longest ? length : longest;
    }
    qsort(stop, (size_t) p->map->nodes, sizeof(*stop), by_spot);
    for (int i = 0; i < p->map->nodes; i++) {
        p->node[i] = stop[i].node;
    }
    p->names = NAMES + (longest - NODE_LETTERS) * LETTER;
}

bool layout_below(const picture_t *p, int at, int *first, int *last)
{
    const napcoll_switch_t *below = &p->map->tree->at[at];

    *first = -1;
    for (int i = 0; i < p->map->nodes; i++) {
        const int spot = p->map->spot[p->node[i]];

        if (spot >= below->first && spot < below->end) {
            *first = *first < 0 ? i : *first;
            *last = i;
        }
    }
    return *first >= 0;
}

/* A column for each depth of which a switch with a name is above a node. */
static void place_switches(picture_t *p)
{
    p->left = MARGIN;
    for (int at = 0; NULL != p->map->tree && at < p->map->tree->switches; at++) {
        const char *name = p->map->tree->at[at].name;
        switches_t *column = &p->switches[p->map->tree->at[at].depth];
        const int width = letters(name) * LETTER + FRAME;
        int first, last;

        if ('\0' != *name && layout_below(p, at, &first, &last)) {
            column->width = width > column->width ? width : column->width;
        }
    }
    for (int depth = 0; depth < NAPCOLL_MOST_SWITCH_DEPTH; depth++) {
        p->switches[depth].left = p->left;
        p->left += p->switches[depth].width > 0 ? p->switches[depth].width + SWITCH_GAP : 0;
    }
}

/* ---- plans and messages ---- */

static void make_plans(picture_t *p)
{
    napcoll_generator_t generator = generator_of(p->options, p->options->algorithm, p->map);

    for (int rank = 0; rank < p->map->size; rank++) {
        p->plan[rank] = napcoll_generator_plan(&generator, rank);
        if (NULL == p->plan[rank]) {
            out_of_memory();
        }
        p->column_of[rank] = allocate((size_t) p->plan[rank]->stages, sizeof(int));
        p->stages += p->plan[rank]->stages;
    }
    for (int i = 0, row = 0; i < p->map->nodes; i++) {
        for (int lane = 0; lane < napcoll_node_map_ppn(p->map, p->node[i]); lane++) {
            p->row[napcoll_node_map_rank(p->map, p->node[i], lane)] = row++;
        }
    }
}

static int count_steps(const picture_t *p, napcoll_step_kind_t kind)
{
    int count = 0;

    for (int rank = 0; rank < p->map->size; rank++) {
        for (int i = 0; i < p->plan[rank]->steps; i++) {
            count += kind == p->plan[rank]->step[i].kind;
        }
    }
    return count;
}

/* The sends, or receives, of one stage; only the end that is this rank's is a stage yet. */
static void collect_stage(const picture_t *p, place_t place, napcoll_step_kind_t kind,
                          messages_t *list)
{
    const napcoll_plan_t *plan = p->plan[place.rank];
    const napcoll_stage_t *stage = &plan->stage[place.stage];
    const int own = NAPCOLL_STEP_SEND == kind ? FROM : TO;

    for (int i = stage->first; i < stage->first + stage->messages; i++) {
        if (kind == plan->step[i].kind) {
            message_t *message = &list->message[list->count];

            *message = (message_t){.order = list->count};
            message->end[own] = place;
            message->end[ENDS - 1 - own].rank = plan->step[i].peer;
            list->count++;
        }
    }
}

static messages_t collect(const picture_t *p, napcoll_step_kind_t kind)
{
    messages_t list = {.message = allocate((size_t) count_steps(p, kind), sizeof(message_t))};

    for (int rank = 0; rank < p->map->size; rank++) {
        for (int stage = 0; stage < p->plan[rank]->stages; stage++) {
            collect_stage(p, (place_t){rank, stage}, kind, &list);
        }
    }
    return list;
}

/* Those between the same two ranks together, in their order. */
static int by_ranks(const void *a, const void *b)
{
    const message_t *x = a, *y = b;
    int order = compare(x->end[FROM].rank, y->end[FROM].rank);

    order = 0 != order ? order : compare(x->end[TO].rank, y->end[TO].rank);
    return 0 != order ? order : compare(x->order, y->order);
}

static void sort(messages_t list, int (*order)(const void *a, const void *b))
{
    if (list.count > 0) {
        qsort(list.message, (size_t) list.count, sizeof(message_t), order);
    }
}

/* Returns whether every send has its receive. */
static bool match(picture_t *p)
{
    messages_t sent = collect(p, NAPCOLL_STEP_SEND), received = collect(p, NAPCOLL_STEP_RECV);
    bool good = sent.count == received.count;

    sort(sent, by_ranks);
    sort(received, by_ranks);
    for (int i = 0; i < sent.count && good; i++) {
        place_t *to = &sent.message[i].end[TO];

        good = sent.message[i].end[FROM].rank == received.message[i].end[FROM].rank
               && to->rank == received.message[i].end[TO].rank;
        to->stage = received.message[i].end[TO].stage;
    }
    free(received.message);
    p->messages = sent;
    return good;
}

/* ---- columns ---- */

static int *column_at(const picture_t *p, place_t place)
{
    return &p->column_of[place.rank][place.stage];
}

/* Put two stages into the same column, the later one; returns whether one of them moved. */
static bool align(const picture_t *p, place_t one, place_t other)
{
    int *a = column_at(p, one), *b = column_at(p, other);
    bool moved = *a != *b;

    *a = *b = *a > *b ? *a : *b;
    return moved;
}

/* A rank's first stage with a phase from a stage on, or -1. */
static int next_phase(const napcoll_plan_t *plan, int stage)
{
    for (; stage < plan->stages; stage++) {
        const napcoll_stage_t *at = &plan->stage[stage];

        for (int i = at->first + at->messages; i < at->first + at->messages + at->work; i++) {
            if (NAPCOLL_STEP_PHASE == plan->step[i].kind) {
                return stage;
            }
        }
    }
    return -1;
}

/* The processes of a node meet in their phases. */
static bool align_phases(const picture_t *p, int leader, int rank)
{
    place_t a = {leader, next_phase(p->plan[leader], 0)}, b = {rank, next_phase(p->plan[rank], 0)};
    bool moved = false;

    while (a.stage >= 0 && b.stage >= 0) {
        moved = align(p, a, b) || moved;
        a.stage = next_phase(p->plan[leader], a.stage + 1);
        b.stage = next_phase(p->plan[rank], b.stage + 1);
    }
    return moved;
}

/* Put a rank's stages into columns of their own. */
static bool align_stages(const picture_t *p, int rank)
{
    int *column = p->column_of[rank];
    bool moved = false;

    for (int stage = 1; stage < p->plan[rank]->stages; stage++) {
        if (column[stage] <= column[stage - 1]) {
            column[stage] = column[stage - 1] + 1;
            moved = true;
        }
    }
    return moved;
}

/* One round; returns whether any stage moved. */
static bool align_all(const picture_t *p)
{
    bool moved = false;

    for (int rank = 0; rank < p->map->size; rank++) {
        const int node = napcoll_node_map_node(p->map, rank);

        moved = align_stages(p, rank) || moved;
        moved = align_phases(p, napcoll_node_map_rank(p->map, node, 0), rank) || moved;
    }
    for (int i = 0; i < p->messages.count; i++) {
        const message_t *message = &p->messages.message[i];

        moved = align(p, message->end[FROM], message->end[TO]) || moved;
    }
    return moved;
}

/* Each round settles at least the stages that follow the settled ones. Where ranks wait for one another
 * in a circle nothing settles; then a stage's column is its number. */
static void settle_columns(picture_t *p)
{
    bool moved = true;

    for (int round = 0; round <= p->stages && moved; round++) {
        moved = align_all(p);
    }
    for (int rank = 0; rank < p->map->size; rank++) {
        for (int stage = 0; stage < p->plan[rank]->stages; stage++) {
            int *column = &p->column_of[rank][stage];

            *column = moved ? stage : *column;
            p->columns = *column >= p->columns ? *column + 1 : p->columns;
        }
    }
    p->column = allocate((size_t) p->columns, sizeof(*p->column));
}

/* ---- the messages' ways ---- */

static bool is_answer(const message_t *message, const message_t *answer)
{
    return !answer->both && message->end[FROM].rank == answer->end[TO].rank
           && message->end[FROM].stage == answer->end[TO].stage
           && message->end[TO].rank == answer->end[FROM].rank
           && message->end[TO].stage == answer->end[FROM].stage;
}

/* Draw a message and its answer in the same two stages as one exchange. */
static void join_exchanges(messages_t *list)
{
    int kept = 0;

    for (int i = 0; i < list->count; i++) {
        bool joined = false;

        for (int j = 0; j < kept && !joined; j++) {
            joined = is_answer(&list->message[i], &list->message[j]);
            list->message[j].both = joined || list->message[j].both;
        }
        if (!joined) {
            list->message[kept++] = list->message[i];
        }
    }
    list->count = kept;
}

/* Short ones first, and from top to bottom. */
static int by_length(const void *a, const void *b)
{
    const message_t *x = a, *y = b;
    int order = compare(x->high - x->low, y->high - y->low);

    order = 0 != order ? order : compare(x->low, y->low);
    return 0 != order ? order : by_ranks(a, b);
}

static bool in_the_way(const message_t *one, const message_t *other)
{
    return one->column == other->column && one->low < other->high && other->low < one->high;
}

/* The innermost track outside of all that are in the way; so a message goes round shorter ones. */
static int free_track(const messages_t *list, int index)
{
    int track = 0;

    for (int i = 0; i < index; i++) {
        const message_t *before = &list->message[i];

        if (before->track >= track && in_the_way(before, &list->message[index])) {
            track = before->track + 1;
        }
    }
    return track;
}

static void choose_tracks(picture_t *p)
{
    messages_t *list = &p->messages;

    for (int i = 0; i < list->count; i++) {
        message_t *message = &list->message[i];
        const int from = p->row[message->end[FROM].rank], to = p->row[message->end[TO].rank];

        message->low = from < to ? from : to;
        message->high = from < to ? to : from;
        message->column = *column_at(p, message->end[FROM]);
    }
    sort(*list, by_length);
    for (int i = 0; i < list->count; i++) {
        message_t *message = &list->message[i];
        column_t *column = &p->column[message->column];

        message->track = free_track(list, i);
        column->tracks = message->track >= column->tracks ? message->track + 1 : column->tracks;
    }
}

/* Where a message meets a stage: its place among the ends there, from top to bottom. */
typedef struct {
    place_t place;
    int key; /* from top to bottom */
    int *y;
} port_t;

static int by_place(const void *a, const void *b)
{
    const port_t *x = a, *y = b;
    int order = compare(x->place.rank, y->place.rank);

    order = 0 != order ? order : compare(x->place.stage, y->place.stage);
    return 0 != order ? order : compare(x->key, y->key);
}

/* The ends of all messages, stage by stage. Those that go up are above those that go down, and in both
 * the inner tracks outside: so no two messages of a stage cross. */
static port_t *sorted_ports(const picture_t *p)
{
    const size_t count = (size_t) p->messages.count * ENDS;
    port_t *ports = allocate(count, sizeof(*ports));

    for (int i = 0; i < p->messages.count; i++) {
        message_t *message = &p->messages.message[i];

        for (int end = 0; end < ENDS; end++) {
            const int row = p->row[message->end[end].rank];

            ports[ENDS * i + end] = (port_t){.place = message->end[end],
                                             .key = row == message->high
                                                        ? message->track - MOST_TRACKS
                                                        : MOST_TRACKS - message->track,
                                             .y = &message->y[end]};
        }
    }
    if (count > 0) {
        qsort(ports, count, sizeof(*ports), by_place);
    }
    return ports;
}

static bool same_place(place_t a, place_t b)
{
    return a.rank == b.rank && a.stage == b.stage;
}

/* Rows are as high as their stage with the most messages wants. */
static void place_rows(picture_t *p, const port_t *ports, int count)
{
    int top = HEAD;

    for (int rank = 0; rank < p->map->size; rank++) {
        p->row_height[rank] = LEAST_ROW;
    }
    for (int i = 0, first = 0; i < count; i++) {
        int *height = &p->row_height[ports[i].place.rank];

        first = same_place(ports[first].place, ports[i].place) ? first : i;
        *height = (i - first + 2) * PORT > *height ? (i - first + 2) * PORT : *height;
    }
    for (int i = 0; i < p->map->nodes; i++, top += NODE_GAP) {
        for (int lane = 0; lane < napcoll_node_map_ppn(p->map, p->node[i]); lane++) {
            const int rank = napcoll_node_map_rank(p->map, p->node[i], lane);

            p->middle[rank] = top + p->row_height[rank] / 2;
            top += p->row_height[rank];
        }
    }
    p->height = top - NODE_GAP + MARGIN;
}

static void place_ports(picture_t *p)
{
    const int count = p->messages.count * ENDS;
    port_t *ports = sorted_ports(p);

    place_rows(p, ports, count);
    for (int first = 0, end = 0; first < count; first = end) {
        const place_t place = ports[first].place;

        while (end < count && same_place(place, ports[end].place)) {
            end++;
        }
        for (int i = first; i < end; i++) {
            *ports[i].y = p->middle[place.rank] + (2 * i - first - end + 1) * PORT / 2;
        }
    }
    free(ports);
}

/* ---- sizes ---- */

const column_t *layout_column(const picture_t *p, place_t place)
{
    return &p->column[*column_at(p, place)];
}

int layout_mark_width(const napcoll_step_t *step)
{
    return NAPCOLL_STEP_PHASE == step->kind
               ? (int) strlen(napcoll_phase_name(step->phase)) * PHASE_LETTER + 10
               : MARK;
}

static void measure_marks(picture_t *p, place_t place)
{
    const napcoll_plan_t *plan = p->plan[place.rank];
    const napcoll_stage_t *stage = &plan->stage[place.stage];
    column_t *column = &p->column[*column_at(p, place)];
    int width = 0;

    for (int i = 0; i < stage->work; i++) {
        width += layout_mark_width(&plan->step[stage->first + stage->messages + i]);
    }
    column->marks = width > column->marks ? width : column->marks;
}

int layout_track_offset(int track)
{
    return CELL + ARROW + track * TRACK;
}

int layout_marks_offset(const column_t *column)
{
    return column->tracks > 0 ? layout_track_offset(column->tracks) + 2 : CELL + 4;
}

static void measure(picture_t *p)
{
    int left = p->left + p->names;

    for (int rank = 0; rank < p->map->size; rank++) {
        for (int stage = 0; stage < p->plan[rank]->stages; stage++) {
            measure_marks(p, (place_t){rank, stage});
        }
    }
    for (int i = 0; i < p->columns; i++) {
        column_t *column = &p->column[i];
        const int width = layout_marks_offset(column) + column->marks;

        column->left = left;
        left += (width < 44 ? 44 : width) + COLUMN_GAP; /* 44: "stage 10" */
    }
    p->width = left + MARGIN > LEAST_WIDTH ? left + MARGIN : LEAST_WIDTH;
}

/* ---- the picture ---- */

picture_t *layout_make(const options_t *o, const napcoll_node_map_t *map)
{
    picture_t *p = allocate(1, sizeof(*p));

    p->options = o;
    p->map = map;
    order_nodes(p);
    place_switches(p);
    make_plans(p);
    if (!match(p)) {
        layout_free(p);
        return NULL;
    }
    settle_columns(p);
    join_exchanges(&p->messages);
    choose_tracks(p);
    place_ports(p);
    measure(p);
    return p;
}

void layout_free(picture_t *p)
{
    if (NULL == p) {
        return;
    }
    for (int rank = 0; rank < p->map->size; rank++) {
        napcoll_plan_free(p->plan[rank]);
        free(p->column_of[rank]);
    }
    free(p->messages.message);
    free(p->column);
    free(p);
}
