/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reading plan sets (see the header): the lines before the ranks, and where each rank's lines are.
 */

#include "algo/file/napcoll_plan_text.h"

#include <stdlib.h>
#include <string.h>

#include "algo/file/napcoll_plan_words.h"
#include "util/napcoll_grow.h"

/* A text that is being read. */
typedef struct {
    napcoll_words_t words;
    napcoll_plan_text_t *read;
    bool known;
    /* the plan set, and the nodes that it names */
    napcoll_plan_set_t *set;
    int *node;
    size_t node_room;
    int nodes;
    bool has_layout;
} reader_t;

size_t napcoll_plan_name_length(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && at < NAPCOLL_PLAN_NAME - 1
           && ((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z')
               || (text[at] >= '0' && text[at] <= '9')
               || (at > 0 && ('_' == text[at] || '-' == text[at] || '.' == text[at])))) {
        at++;
    }
    return at;
}

static bool no_memory(const reader_t *reader)
{
    const napcoll_words_t whole = {.error = reader->words.error};

    return napcoll_words_fail(&whole, NULL, "out of memory");
}

/* ---- the lines before the ranks ---- */

static bool read_ranks(reader_t *reader)
{
    return napcoll_words_number(&reader->words, "ranks", 1, NAPCOLL_MOST_PLAN_RANKS,
                                &reader->set->ranks);
}

/* nodes NODE or NODE*RANKS ... */
static bool read_nodes(reader_t *reader)
{
    napcoll_word_t word = napcoll_words_next(&reader->words);

    do {
        napcoll_word_t rest = word;
        int node, count = 1;

        if (!napcoll_word_take_number(&rest, NAPCOLL_MOST_PLAN_RANKS, &node)
            || (napcoll_word_take(&rest, '*')
                && !napcoll_word_take_number(&rest, NAPCOLL_MOST_PLAN_RANKS, &count))
            || rest.length > 0 || 0 == count || reader->nodes + count > NAPCOLL_MOST_PLAN_RANKS) {
            return napcoll_words_refuse(&reader->words, word,
                                        "the node of a rank, or NODE*RANKS as in 0*8");
        }
        if (!napcoll_grow(&reader->node, &reader->node_room, (size_t) (reader->nodes + count),
                          sizeof(*reader->node))) {
            return no_memory(reader);
        }
        for (; count > 0; count--) {
            reader->node[reader->nodes++] = node;
        }
        word = napcoll_words_next(&reader->words);
    } while (word.length > 0);
    return true;
}

/* Whether blocks of a layout can serve a goal. */
static bool suits(napcoll_layout_t layout, napcoll_goal_t goal)
{
    if (NAPCOLL_GOAL_ALLGATHER == goal || NAPCOLL_GOAL_REDUCE_SCATTER == goal) {
        return NAPCOLL_LAYOUT_RANKS == layout;
    }
    if (napcoll_goal_is_personalized(goal)) {
        return NAPCOLL_LAYOUT_PERSONALIZED == layout;
    }
    return NAPCOLL_LAYOUT_VECTOR == layout
           || (NAPCOLL_LAYOUT_SLOTS == layout && napcoll_goal_reduces(goal));
}

static bool read_layout(reader_t *reader)
{
    napcoll_plan_set_t *set = reader->set;
    const char *at = reader->words.at;
    int layout;

    if (!napcoll_words_choice(&reader->words, napcoll_layout_words,
                              "vector, ranks, slots or personalized", &layout)) {
        return false;
    }
    set->layout = (napcoll_layout_t) layout;
    if (!suits(set->layout, set->collective->goal)) {
        return napcoll_words_fail(&reader->words, at, "the blocks of %s are no layout %s",
                                  set->collective->name, napcoll_layout_words[layout]);
    }
    set->blocks = 1;
    reader->has_layout = true;
    return NAPCOLL_LAYOUT_VECTOR != set->layout
           || napcoll_words_number(&reader->words, "blocks of the vector", 1,
                                   NAPCOLL_MOST_PLAN_NUMBER, &set->blocks);
}

static bool read_root(reader_t *reader)
{
    return napcoll_words_number(&reader->words, "the root", 0, NAPCOLL_MOST_PLAN_RANKS - 1,
                                &reader->set->root);
}

static bool read_pieces(reader_t *reader)
{
    return napcoll_words_number(&reader->words, "pieces of a block", 1, NAPCOLL_MOST_PLAN_NUMBER,
                                &reader->set->pieces);
}

static bool read_in_place(reader_t *reader)
{
    int in_place;

    if (!napcoll_words_choice(&reader->words, napcoll_in_place_words, "no, yes or both",
                              &in_place)) {
        return false;
    }
    reader->set->in_place = (napcoll_in_place_t) in_place;
    return true;
}

static bool read_noncommutative(reader_t *reader)
{
    return reader->set->noncommutative = true;
}

static bool read_halves(reader_t *reader)
{
    return reader->set->canonical = true;
}

static bool read_alone(reader_t *reader)
{
    return reader->set->reduces_alone = true;
}

static bool read_announces(reader_t *reader)
{
    const napcoll_collective_t *collective = reader->set->collective;

    reader->set->announces = true;
    return (collective->uneven && napcoll_goal_is_personalized(collective->goal))
           || napcoll_words_fail(&reader->words, NULL, "all blocks of %s have one size",
                                 collective->name);
}

static bool read_messages(reader_t *reader)
{
    return napcoll_words_number(&reader->words, "messages in a stage", 1, NAPCOLL_MOST_PLAN_NUMBER,
                                &reader->set->bounds.all);
}

static bool read_inter(reader_t *reader)
{
    return napcoll_words_number(&reader->words, "messages between nodes in a stage", 1,
                                NAPCOLL_MOST_PLAN_NUMBER, &reader->set->bounds.inter);
}

static const struct {
    const char *name;
    bool (*read)(reader_t *reader);
} heads[] = {
    {"ranks", read_ranks},
    {"nodes", read_nodes},
    {"layout", read_layout},
    {"root", read_root},
    {"pieces", read_pieces},
    {"in_place", read_in_place},
    {"noncommutative", read_noncommutative},
    {"halves", read_halves},
    {"alone", read_alone},
    {"announces", read_announces},
    {"messages", read_messages},
    {"inter", read_inter},
};

enum { HEADS = sizeof(heads) / sizeof(*heads) };

/* A line before the ranks, of which each may be there once. */
static bool read_head(reader_t *reader, napcoll_word_t word, bool seen[HEADS])
{
    for (int i = 0; i < HEADS; i++) {
        if (napcoll_word_is(word, heads[i].name)) {
            if (seen[i]) {
                return napcoll_words_fail(&reader->words, word.at, "a second line \"%s\"",
                                          heads[i].name);
            }
            seen[i] = true;
            return heads[i].read(reader) && napcoll_words_end(&reader->words);
        }
    }
    return napcoll_words_refuse(
        &reader->words, word,
        "ranks, nodes, layout, root, in_place, noncommutative, halves, alone, announces, pieces, "
        "messages, inter or rank");
}

/* The map of the nodes that are named; else each rank is a node. */
static bool make_map(reader_t *reader)
{
    napcoll_plan_set_t *set = reader->set;
    int *id = NULL, rc;

    set->placed = reader->nodes > 0;
    if (!set->placed) {
        id = malloc((size_t) set->ranks * sizeof(*id));
        for (int rank = 0; NULL != id && rank < set->ranks; rank++) {
            id[rank] = rank;
        }
        if (NULL == id) {
            return no_memory(reader);
        }
    }
    rc = napcoll_node_map_create(set->placed ? reader->node : id, set->ranks, &set->map);
    free(id);
    return 0 == rc || no_memory(reader);
}

/* At the first rank: what the lines before it say must fit together. */
static bool end_head(reader_t *reader)
{
    napcoll_plan_set_t *set = reader->set;
    const napcoll_words_t *words = &reader->words;

    if (0 == set->ranks || !reader->has_layout) {
        return napcoll_words_fail(words, NULL, "expected a line \"%s\" before the ranks",
                                  0 == set->ranks ? "ranks" : "layout");
    }
    if (reader->nodes > 0 && reader->nodes != set->ranks) {
        return napcoll_words_fail(words, NULL, "expected the nodes of %d ranks, found %d",
                                  set->ranks, reader->nodes);
    }
    if (set->root >= set->ranks
        || (set->root > 0 && !napcoll_goal_is_rooted(set->collective->goal))) {
        return napcoll_words_fail(words, NULL, "%s of %d ranks has no root %d",
                                  set->collective->name, set->ranks, set->root);
    }
    if (NAPCOLL_LAYOUT_RANKS == set->layout || NAPCOLL_LAYOUT_PERSONALIZED == set->layout) {
        set->blocks = set->ranks;
    }
    set->row.algorithm.store_and_forward = set->announces;
    set->row.algorithm.canonical = set->canonical;
    set->section = calloc((size_t) set->ranks, sizeof(*set->section));
    return (NULL != set->section || no_memory(reader)) && make_map(reader);
}

/* ---- the ranks ---- */

/* The blocks of buffers and messages of a plan. */
static long long blocks_of(const napcoll_plan_t *plan)
{
    long long blocks = 0;

    for (int i = 0; i < NAPCOLL_BUFFER_TEMP + plan->temps; i++) {
        blocks += napcoll_plan_block_range(plan, i).count;
    }
    for (int i = 0; i < plan->steps; i++) {
        blocks += 1LL + napcoll_step_span(&plan->step[i])->count;
    }
    return blocks;
}

/* Make the plans of all ranks, to find mistakes. */
static bool check_plans(const reader_t *reader)
{
    const napcoll_plan_set_t *set = reader->set;
    napcoll_plan_args_t args = {.collective = set->collective,
                                .algorithm = &set->row.algorithm,
                                .map = set->map,
                                .params = napcoll_plan_set_params(set)};
    const napcoll_words_t whole = {.number = set->line, .error = reader->words.error};
    long long blocks = 0;

    for (args.rank = 0; args.rank < set->ranks; args.rank++) {
        napcoll_plan_t *plan;

        if (NULL == set->section[args.rank].begin) {
            return napcoll_words_fail(&whole, NULL, "plan %s has no rank %d", set->name, args.rank);
        }
        plan = reader->known ? NULL : napcoll_plan_set_plan(set, &args, reader->words.error);
        if (NULL == plan && !reader->known) {
            return false;
        }
        blocks += NULL == plan ? 0 : blocks_of(plan);
        napcoll_plan_free(plan);
        if (blocks > NAPCOLL_MOST_PLAN_BLOCKS) {
            return napcoll_words_fail(&whole, NULL,
                                      "plan %s: its ranks have more than %d blocks in buffers and "
                                      "messages",
                                      set->name, NAPCOLL_MOST_PLAN_BLOCKS);
        }
    }
    return true;
}

/* A line "rank R": its lines begin behind it. */
static bool begin_rank(reader_t *reader, napcoll_plan_section_t **section)
{
    napcoll_plan_set_t *set = reader->set;
    const char *at = reader->words.at;
    int rank;

    if ((NULL == set->map && !end_head(reader))
        || !napcoll_words_number(&reader->words, "a rank", 0, set->ranks - 1, &rank)
        || !napcoll_words_end(&reader->words)) {
        return false;
    }
    *section = &set->section[rank];
    if (NULL != (*section)->begin) {
        return napcoll_words_fail(&reader->words, at, "rank %d twice", rank);
    }
    **section = (napcoll_plan_section_t){
        .begin = reader->words.next, .end = reader->words.next, .line = reader->words.number + 1};
    return true;
}

/* ---- the text ---- */

/* No set before this one serves the same calls. */
static bool check_twin(const reader_t *reader)
{
    for (int i = 0; i < reader->read->sets - 1; i++) {
        if (napcoll_plan_set_is_twin(reader->read->set[i], reader->set)) {
            const napcoll_words_t at = {.number = reader->set->line, .error = reader->words.error};

            return napcoll_words_fail(&at, NULL,
                                      "line %d has plans of that name for the same calls",
                                      reader->read->set[i]->line);
        }
    }
    return true;
}

static bool end_set(reader_t *reader)
{
    if (NULL == reader->set) {
        return true;
    }
    return (NULL != reader->set->map || end_head(reader)) && check_plans(reader)
           && check_twin(reader);
}

static const napcoll_collective_t *find_collective(napcoll_word_t word)
{
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        if (napcoll_word_is(word, napcoll_collectives[c]->name)) {
            return napcoll_collectives[c];
        }
    }
    return NULL;
}

static bool add_set(reader_t *reader, napcoll_word_t name, const napcoll_collective_t *collective)
{
    napcoll_plan_text_t *read = reader->read;
    napcoll_plan_set_t *set = calloc(1, sizeof(*set));

    if (NULL == set
        || !napcoll_grow(&read->set, &read->room, (size_t) read->sets + 1, sizeof(*read->set))) {
        free(set);
        return no_memory(reader);
    }
    set->line = reader->words.number;
    set->whole = (napcoll_plan_section_t){.begin = reader->words.begin, .line = set->line};
    memcpy(set->name, name.at, name.length);
    set->collective = collective;
    set->pieces = 1;
    read->set[read->sets++] = set;
    napcoll_file_row_begin(&set->row, collective, set->name);
    reader->set = set;
    reader->nodes = 0;
    reader->has_layout = false;
    return napcoll_file_row_add(&set->row, set) || no_memory(reader);
}

/* plan NAME COLLECTIVE */
static bool begin_set(reader_t *reader)
{
    const napcoll_word_t name = napcoll_words_next(&reader->words);
    const napcoll_word_t word = napcoll_words_next(&reader->words);
    const napcoll_collective_t *collective = find_collective(word);

    if (0 == name.length || name.length != napcoll_plan_name_length(name.at, name.length)) {
        return napcoll_words_refuse(&reader->words, name,
                                    "a name of at most 63 letters, digits and _ - . inside");
    }
    if (NULL == collective) {
        return napcoll_words_refuse(&reader->words, word, "a collective such as allreduce");
    }
    if (NAPCOLL_MOST_PLAN_SETS == reader->read->sets) {
        return napcoll_words_fail(&reader->words, NULL, "expected at most %d plans",
                                  NAPCOLL_MOST_PLAN_SETS);
    }
    return add_set(reader, name, collective) && napcoll_words_end(&reader->words);
}

static bool read_version(reader_t *reader)
{
    int version;

    if (!napcoll_words_line(&reader->words)) {
        reader->words.number = 0;
        return napcoll_words_fail(&reader->words, NULL,
                                  "expected \"napcoll-plans %d\", found "
                                  "nothing",
                                  NAPCOLL_PLANS_VERSION);
    }
    return napcoll_words_demand(&reader->words, "napcoll-plans")
           && napcoll_words_number(&reader->words, "the version of the form", NAPCOLL_PLANS_VERSION,
                                   NAPCOLL_PLANS_VERSION, &version)
           && napcoll_words_end(&reader->words);
}

static bool read_sets(reader_t *reader)
{
    napcoll_plan_section_t *section = NULL;
    bool seen[HEADS] = {false};

    if (!read_version(reader)) {
        return false;
    }
    while (napcoll_words_line(&reader->words)) {
        const napcoll_word_t word = napcoll_words_next(&reader->words);

        if (napcoll_word_is(word, "plan")) {
            if (!end_set(reader) || !begin_set(reader)) {
                return false;
            }
            section = NULL;
            memset(seen, 0, sizeof(seen));
        } else if (NULL == reader->set) {
            return napcoll_words_refuse(&reader->words, word, "plan");
        } else if (napcoll_word_is(word, "rank")) {
            if (!begin_rank(reader, &section)) {
                return false;
            }
        } else if (NULL == section) {
            if (!read_head(reader, word, seen)) {
                return false;
            }
        } else {
            section->end = reader->words.next;
        }
        reader->set->whole.end = reader->words.next;
    }
    return end_set(reader);
}

int napcoll_plan_text_read(const char *text, size_t length, bool known, napcoll_plan_text_t **read,
                           napcoll_plan_text_error_t *error)
{
    napcoll_plan_text_t *made = calloc(1, sizeof(*made));
    reader_t reader = {.words = {.error = error}, .read = made, .known = known};
    bool good = false;

    *read = NULL;
    if (NULL != made) {
        made->text = malloc(length + 1);
    }
    if (NULL == made || NULL == made->text) {
        (void) no_memory(&reader);
    } else {
        memcpy(made->text, text, length);
        made->text[length] = '\0';
        reader.words = napcoll_words_of(made->text, made->text + length, 1, error);
        good = read_sets(&reader);
    }
    free(reader.node);
    if (!good) {
        napcoll_plan_text_free(made);
        return -1;
    }
    *read = made;
    return 0;
}

void napcoll_plan_text_free(napcoll_plan_text_t *read)
{
    for (int i = 0; NULL != read && i < read->sets; i++) {
        napcoll_file_row_end(&read->set[i]->row);
        napcoll_node_map_free(read->set[i]->map);
        free(read->set[i]->section);
        free(read->set[i]);
    }
    if (NULL != read) {
        free(read->set);
        free(read->text);
        free(read);
    }
}
