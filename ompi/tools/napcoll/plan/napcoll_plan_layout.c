/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Positions in a picture of the plans; see napcoll_plan_layout.h. Nodes and switches come first,
 * then plans and messages, columns, tracks, rows and sizes.
 */

#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_layout.h"
#include "plan/napcoll_plan_print.h"
#include "util/napcoll_order.h"

enum {
    /* Width of names of "node 63" and of the lanes; about the width of a letter. */
    NAMES = 162,
    SHORT_NAME = 7,
    LETTER = 7,
    PHASE_LETTER = 6,
    /* Around a switch's name, and between two columns of switches. */
    FRAME = 10,
    SWITCH_GAP = 4,
    NODE_GAP = 8,
    /* Height of a lane, at least; distance of two messages that meet a stage. */
    LEAST_ROW = 18,
    PORT = 6,
    /* From the box to the first track (arrow heads), and between two tracks. */
    ARROW = 14,
    TRACK = 6,
    /* Width of "stage 10", and of the legend. */
    LEAST_COLUMN = 44,
    LEAST_WIDTH = 812
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* ---- nodes and switches ---- */

static int letters(const char *name)
{
    const size_t length = strlen(name);

    return length < MOST_LETTERS ? (int) length : MOST_LETTERS;
}

static void order_nodes(picture_t *p)
{
    const napcoll_node_map_t *map = p->map;
    int longest = SHORT_NAME;

    for (int node = 0; node < map->nodes; node++) {
        char text[NODE_NUMBER];
        int at = node;

        longest = larger(longest, letters(name_of_node(map, node, text)));
        while (NULL != map->tree && at > 0 && map->spot[p->node[at - 1]] > map->spot[node]) {
            p->node[at] = p->node[at - 1];
            at--;
        }
        p->node[at] = node;
    }
    p->names = NAMES + (longest - SHORT_NAME) * LETTER;
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

/* A column for each depth with a named switch above some node. */
static void place_switches(picture_t *p)
{
    p->left = MARGIN;
    for (int at = 0; NULL != p->map->tree && at < p->map->tree->switches; at++) {
        const char *name = p->map->tree->at[at].name;
        switches_t *column = &p->switches[p->map->tree->at[at].depth];
        int first, last;

        if ('\0' != *name && layout_below(p, at, &first, &last)) {
            column->width = larger(column->width, letters(name) * LETTER + FRAME);
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
    int row = 0;

    if (!napcoll_plan_cache_open(&p->plans, p->map->size)) {
        napcoll_out_of_memory();
    }
    for (int rank = 0; rank < p->map->size; rank++) {
        napcoll_plan_t *plan = make_plan(&generator, rank);

        if (!napcoll_plan_cache_put(&p->plans, rank, plan)) {
            napcoll_out_of_memory();
        }
        p->column_of[rank] = napcoll_allocate((size_t) plan->stages, sizeof(int));
    }
    for (int i = 0; i < p->map->nodes; i++) {
        for (int lane = 0; lane < napcoll_node_map_ppn(p->map, p->node[i]); lane++) {
            p->row[napcoll_node_map_rank(p->map, p->node[i], lane)] = row++;
        }
    }
}

/* Add the messages that a rank sends, and count those that it receives. Returns whether each send
 * has its receive. */
static bool collect(picture_t *p, int rank, int *received)
{
    const napcoll_plan_t *plan = layout_plan(p, rank);

    for (int i = 0; i < plan->steps; i++) {
        const int peer = plan->step[i].peer;
        int other;

        if (NAPCOLL_STEP_RECV == plan->step[i].kind) {
            (*received)++;
        }
        if (NAPCOLL_STEP_SEND != plan->step[i].kind) {
            continue;
        }
        other = napcoll_plan_cache_other_end(&p->plans, rank, i);
        if (other < 0) {
            return false;
        }
        p->message = napcoll_memory_grow(p->message, (size_t) p->messages, sizeof(*p->message));
        p->message[p->messages] = (message_t){
            .end = {[FROM] = {rank, p->plans.entry[rank]->stage_of[i]},
                    [TO] = {peer, p->plans.entry[peer]->stage_of[other]}},
            .order = p->messages};
        p->messages++;
    }
    return true;
}

/* Returns whether all messages have both ends. */
static bool collect_messages(picture_t *p)
{
    bool matched = true;
    int received = 0;

    for (int rank = 0; rank < p->map->size && matched; rank++) {
        matched = collect(p, rank, &received);
    }
    return matched && received == p->messages;
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
    const bool moved = *a != *b;

    *a = *b = larger(*a, *b);
    return moved;
}

/* The members of a scope meet in their phases. */
static bool align_phases(const picture_t *p, napcoll_scope_t scope, int rank)
{
    const int first = napcoll_scope_rank(p->map, scope, rank, 0);
    bool moved = false;

    for (int n = 0;; n++) {
        const int a = napcoll_plan_stage_of_phase(layout_plan(p, first), scope, n);
        const int b = napcoll_plan_stage_of_phase(layout_plan(p, rank), scope, n);

        if (a < 0 || b < 0) {
            return moved;
        }
        moved = align(p, (place_t){first, a}, (place_t){rank, b}) || moved;
    }
}

/* Put a rank's stages into columns of their own. */
static bool align_stages(const picture_t *p, int rank)
{
    int *column = p->column_of[rank];
    bool moved = false;

    for (int stage = 1; stage < layout_plan(p, rank)->stages; stage++) {
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
        moved = align_stages(p, rank) || moved;
        for (int scope = 0; scope < NAPCOLL_SCOPES; scope++) {
            moved = align_phases(p, (napcoll_scope_t) scope, rank) || moved;
        }
    }
    for (int i = 0; i < p->messages; i++) {
        moved = align(p, p->message[i].end[FROM], p->message[i].end[TO]) || moved;
    }
    return moved;
}

/* Each round settles at least the stages behind the settled ones. Where ranks wait for one another
 * in a circle nothing settles; then a stage's column is its number. */
static void settle_columns(picture_t *p)
{
    bool moved = true;
    int stages = 0;

    for (int rank = 0; rank < p->map->size; rank++) {
        stages += layout_plan(p, rank)->stages;
    }
    for (int round = 0; round <= stages && moved; round++) {
        moved = align_all(p);
    }
    for (int rank = 0; rank < p->map->size; rank++) {
        for (int stage = 0; stage < layout_plan(p, rank)->stages; stage++) {
            int *column = &p->column_of[rank][stage];

            *column = moved ? stage : *column;
            p->columns = larger(p->columns, *column + 1);
        }
    }
    p->column = napcoll_allocate((size_t) p->columns, sizeof(*p->column));
}

/* ---- tracks ---- */

static bool same_place(place_t a, place_t b)
{
    return a.rank == b.rank && a.stage == b.stage;
}

/* Draw a message and its answer in the same two stages as one exchange. */
static void join_exchanges(picture_t *p)
{
    int kept = 0;

    for (int i = 0; i < p->messages; i++) {
        const message_t *answer = &p->message[i];
        int j = 0;

        while (j < kept
               && (p->message[j].both || !same_place(p->message[j].end[FROM], answer->end[TO])
                   || !same_place(p->message[j].end[TO], answer->end[FROM]))) {
            j++;
        }
        if (j < kept) {
            p->message[j].both = true;
        } else {
            p->message[kept++] = *answer;
        }
    }
    p->messages = kept;
}

/* Short ones first, and from top to bottom. */
static int by_length(const void *a, const void *b)
{
    const message_t *x = a, *y = b;
    const int order = napcoll_order_pairs(x->high - x->low, x->low, y->high - y->low, y->low);

    return 0 != order ? order : napcoll_order(x->order, y->order);
}

/* The innermost track outside of all messages between the same rows: a message goes round shorter
 * ones. */
static int free_track(const picture_t *p, int index)
{
    const message_t *own = &p->message[index];
    int track = 0;

    for (const message_t *m = p->message; m < own; m++) {
        if (m->column == own->column && m->low < own->high && own->low < m->high
            && m->track >= track) {
            track = m->track + 1;
        }
    }
    return track;
}

static void choose_tracks(picture_t *p)
{
    for (int i = 0; i < p->messages; i++) {
        message_t *message = &p->message[i];
        const int from = p->row[message->end[FROM].rank], to = p->row[message->end[TO].rank];

        message->low = from < to ? from : to;
        message->high = larger(from, to);
        message->column = *column_at(p, message->end[FROM]);
    }
    if (p->messages > 0) {
        qsort(p->message, (size_t) p->messages, sizeof(*p->message), by_length);
    }
    for (int i = 0; i < p->messages; i++) {
        column_t *column = &p->column[p->message[i].column];

        p->message[i].track = free_track(p, i);
        column->tracks = larger(column->tracks, p->message[i].track + 1);
    }
}

/* ---- rows ---- */

/* The messages that meet a stage: their number, and the next place from top to bottom. */
typedef struct {
    int messages;
    int next;
} ports_t;

/* A row is as high as its stage with the most messages needs. */
static void place_rows(picture_t *p, ports_t *const *ports)
{
    int top = HEAD;

    for (int i = 0; i < p->map->nodes; i++, top += NODE_GAP) {
        for (int lane = 0; lane < napcoll_node_map_ppn(p->map, p->node[i]); lane++) {
            const int rank = napcoll_node_map_rank(p->map, p->node[i], lane);
            int height = LEAST_ROW;

            for (int stage = 0; stage < layout_plan(p, rank)->stages; stage++) {
                height = larger(height, (ports[rank][stage].messages + 1) * PORT);
            }
            p->row_height[rank] = height;
            p->middle[rank] = top + height / 2;
            top += height;
        }
    }
    p->height = top - NODE_GAP + MARGIN;
}

/* Place the ends of a message that go up, or down. */
static void place_ends(picture_t *p, message_t *message, bool up, ports_t *const *ports)
{
    for (int end = 0; end < ENDS; end++) {
        const place_t place = message->end[end];
        ports_t *port = &ports[place.rank][place.stage];

        if (up == (p->row[place.rank] == message->high)) {
            message->y[end] = p->middle[place.rank]
                              + (2 * port->next - port->messages + 1) * PORT / 2;
            port->next++;
        }
    }
}

/* Messages that go up leave a stage above those that go down, and in both the shorter ones are
 * outside: so no two messages of a stage cross. */
static void place_messages(picture_t *p)
{
    ports_t *ports[MOST_DRAWN];

    for (int rank = 0; rank < p->map->size; rank++) {
        ports[rank] = napcoll_allocate((size_t) layout_plan(p, rank)->stages, sizeof(ports_t));
    }
    for (int i = 0; i < p->messages; i++) {
        for (int end = 0; end < ENDS; end++) {
            const place_t place = p->message[i].end[end];

            ports[place.rank][place.stage].messages++;
        }
    }
    place_rows(p, ports);
    for (int i = 0; i < p->messages; i++) {
        place_ends(p, &p->message[i], true, ports);
    }
    for (int i = p->messages - 1; i >= 0; i--) {
        place_ends(p, &p->message[i], false, ports);
    }
    for (int rank = 0; rank < p->map->size; rank++) {
        free(ports[rank]);
    }
}

/* ---- sizes ---- */

const column_t *layout_column(const picture_t *p, place_t place)
{
    return &p->column[*column_at(p, place)];
}

int layout_mark_width(const napcoll_step_t *step)
{
    char title[NAPCOLL_PHASE_TITLE];

    if (NAPCOLL_STEP_PHASE != step->kind) {
        return MARK;
    }
    napcoll_phase_title(step, title);
    return (int) strlen(title) * PHASE_LETTER + 10;
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
        const napcoll_plan_t *plan = layout_plan(p, rank);

        for (int s = 0; s < plan->stages; s++) {
            const napcoll_stage_t *stage = &plan->stage[s];
            column_t *column = &p->column[p->column_of[rank][s]];
            int width = 0;

            for (int i = 0; i < stage->work; i++) {
                width += layout_mark_width(&plan->step[stage->first + stage->messages + i]);
            }
            column->marks = larger(column->marks, width);
        }
    }
    for (int i = 0; i < p->columns; i++) {
        column_t *column = &p->column[i];

        column->left = left;
        left += larger(LEAST_COLUMN, layout_marks_offset(column) + column->marks) + COLUMN_GAP;
    }
    p->width = larger(left + MARGIN, LEAST_WIDTH);
}

/* ---- the picture ---- */

picture_t *layout_make(const options_t *o, const napcoll_node_map_t *map)
{
    picture_t *p = napcoll_allocate(1, sizeof(*p));

    p->options = o;
    p->map = map;
    order_nodes(p);
    place_switches(p);
    make_plans(p);
    if (!collect_messages(p)) {
        layout_free(p);
        return NULL;
    }
    settle_columns(p);
    join_exchanges(p);
    choose_tracks(p);
    place_messages(p);
    measure(p);
    return p;
}

void layout_free(picture_t *p)
{
    for (int rank = 0; rank < p->map->size; rank++) {
        free(p->column_of[rank]);
    }
    napcoll_plan_cache_empty(&p->plans);
    free(p->message);
    free(p->column);
    free(p);
}
