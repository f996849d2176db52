/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reading the plan of one rank (see napcoll_plan_text.h).
 */

#include "algo/file/napcoll_plan_text.h"

#include <stdlib.h>
#include <string.h>

#include "algo/file/napcoll_plan_words.h"
#include "util/napcoll_grow.h"

/* A plan that is being read. */
typedef struct {
    const napcoll_plan_set_t *set;
    const napcoll_plan_args_t *args;
    napcoll_words_t words;
    napcoll_builder_t *builder;
    napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP];
    /* [temps] and [listed] */
    napcoll_block_range_t *temp;
    napcoll_span_t *run;
    int temps, listed;
    size_t temp_room, run_room;
    /* the step that follows may be a message, a phase or work */
    bool in_stage;
} reader_t;

static bool no_memory(const reader_t *reader)
{
    const napcoll_words_t whole = {.error = reader->words.error};

    return napcoll_words_fail(&whole, NULL, "out of memory");
}

/* ---- spans ---- */

#define SPAN_EXPECTED "blocks such as sendbuf[3], recvbuf[0+4], temp0[2] or list[0+8], or -"

/* Go over a word at the start of another one. */
static bool take_text(napcoll_word_t *word, const char *text)
{
    const size_t length = strlen(text);

    if (word->length < length || 0 != memcmp(word->at, text, length)) {
        return false;
    }
    word->at += length;
    word->length -= length;
    return true;
}

static bool take_buffer(napcoll_word_t *word, int temps, int32_t *buffer)
{
    int temp;

    if (take_text(word, "sendbuf")) {
        *buffer = NAPCOLL_BUFFER_SEND;
    } else if (take_text(word, "recvbuf")) {
        *buffer = NAPCOLL_BUFFER_RECV;
    } else if (take_text(word, "list")) {
        *buffer = NAPCOLL_BUFFER_LIST;
    } else if (take_text(word, "temp") && napcoll_word_take_number(word, temps - 1, &temp)) {
        *buffer = NAPCOLL_BUFFER_TEMP + temp;
    } else {
        return false;
    }
    return true;
}

/* [FIRST] or [FIRST+COUNT] behind a buffer; without them, all blocks that it holds. */
static bool take_blocks(const reader_t *reader, napcoll_word_t *word, napcoll_span_t *span)
{
    int first, count = 1;

    if (0 == word->length && NAPCOLL_BUFFER_LIST != span->buffer) {
        const napcoll_block_range_t all = span->buffer < NAPCOLL_BUFFER_TEMP
                                              ? reader->user[span->buffer]
                                              : reader->temp[span->buffer - NAPCOLL_BUFFER_TEMP];

        span->first = all.first;
        span->count = all.count;
        return true;
    }
    if (!napcoll_word_take(word, '[')
        || !napcoll_word_take_number(word, NAPCOLL_MOST_PLAN_NUMBER, &first)
        || (napcoll_word_take(word, '+')
            && !napcoll_word_take_number(word, NAPCOLL_MOST_PLAN_NUMBER, &count))
        || !napcoll_word_take(word, ']') || word->length > 0) {
        return false;
    }
    span->first = first;
    span->count = count;
    return true;
}

/* Whether the runs of a list have the blocks of a span. */
static bool is_in_list(const reader_t *reader, napcoll_span_t span)
{
    int left = span.count;

    for (int i = span.first; left > 0 && i < reader->listed; i++) {
        left -= reader->run[i].count;
    }
    return 0 == left;
}

static bool read_span(reader_t *reader, napcoll_span_t *span)
{
    const napcoll_word_t word = napcoll_words_next(&reader->words);
    napcoll_word_t rest = word;

    *span = (napcoll_span_t){0};
    if (napcoll_word_is(word, "-")) {
        return true;
    }
    if (!take_buffer(&rest, reader->temps, &span->buffer) || !take_blocks(reader, &rest, span)) {
        return napcoll_words_refuse(&reader->words, word, SPAN_EXPECTED);
    }
    if (NAPCOLL_BUFFER_LIST == span->buffer && !is_in_list(reader, *span)) {
        return napcoll_words_refuse(&reader->words, word, "whole runs of the list");
    }
    if (reader->args->params.in_place && NAPCOLL_IN_PLACE_BOTH == reader->set->in_place
        && NAPCOLL_BUFFER_SEND == span->buffer) {
        span->buffer = napcoll_plan_args_input_buffer(reader->args);
    }
    return true;
}

/* ---- lines ---- */

/* temps FIRST+COUNT... */
static bool read_temps(reader_t *reader)
{
    napcoll_word_t word = napcoll_words_next(&reader->words);

    if (reader->in_stage) {
        return napcoll_words_fail(&reader->words, NULL, "expected temps before the first stage");
    }
    do {
        napcoll_word_t rest = word;
        int first, count;

        if (!napcoll_word_take_number(&rest, NAPCOLL_MOST_PLAN_NUMBER, &first)
            || !napcoll_word_take(&rest, '+')
            || !napcoll_word_take_number(&rest, NAPCOLL_MOST_PLAN_NUMBER, &count)
            || rest.length > 0) {
            return napcoll_words_refuse(&reader->words, word,
                                        "the blocks of a temporary, FIRST+COUNT as in 0+4");
        }
        if (!napcoll_grow(&reader->temp, &reader->temp_room, (size_t) reader->temps + 1,
                          sizeof(*reader->temp))) {
            return no_memory(reader);
        }
        (void) napcoll_builder_rows(reader->builder, 1, first, count);
        reader->temp[reader->temps++] = (napcoll_block_range_t){first, count};
        word = napcoll_words_next(&reader->words);
    } while (word.length > 0);
    return true;
}

/* list SPAN... */
static bool read_list(reader_t *reader)
{
    if (reader->in_stage || NAPCOLL_LAYOUT_PERSONALIZED != reader->set->layout) {
        return napcoll_words_fail(&reader->words, NULL,
                                  "expected a list before the first stage, and only in the layout "
                                  "of personalized blocks");
    }
    do {
        const char *at = reader->words.at;
        napcoll_span_t run;

        if (!read_span(reader, &run)) {
            return false;
        }
        if (NAPCOLL_BUFFER_LIST == run.buffer || 0 == run.count) {
            return napcoll_words_fail(&reader->words, at, "expected blocks of a buffer");
        }
        if (!napcoll_grow(&reader->run, &reader->run_room, (size_t) reader->listed + 1,
                          sizeof(*reader->run))) {
            return no_memory(reader);
        }
        reader->run[reader->listed++] = run;
        while (reader->words.at < reader->words.end && ' ' == *reader->words.at) {
            reader->words.at++;
        }
    } while (reader->words.at < reader->words.end);
    return true;
}

/* recv SPAN from PEER, send SPAN to PEER */
static bool read_message(reader_t *reader, napcoll_step_kind_t kind)
{
    const bool sends = NAPCOLL_STEP_SEND == kind;
    napcoll_span_t span;
    int peer;

    if (!read_span(reader, &span) || !napcoll_words_demand(&reader->words, sends ? "to" : "from")
        || !napcoll_words_number(&reader->words, "a rank", 0, reader->set->ranks - 1, &peer)) {
        return false;
    }
    (sends ? napcoll_builder_send_blocks : napcoll_builder_recv_blocks)(reader->builder, span, peer,
                                                                        reader->set->announces);
    return napcoll_words_end(&reader->words);
}

/* reduce DST = LEFT op RIGHT, copy DST = LEFT */
static bool read_work(reader_t *reader, napcoll_step_kind_t kind)
{
    napcoll_span_t dst, left, right;

    if (!read_span(reader, &dst) || !napcoll_words_demand(&reader->words, "=")
        || !read_span(reader, &left)) {
        return false;
    }
    if (NAPCOLL_STEP_COPY == kind) {
        napcoll_builder_copy(reader->builder, dst, left);
        return napcoll_words_end(&reader->words);
    }
    if (!napcoll_words_demand(&reader->words, "op") || !read_span(reader, &right)) {
        return false;
    }
    napcoll_builder_reduce(reader->builder, dst, left, right);
    return napcoll_words_end(&reader->words);
}

/* phase SCOPE KIND ROOT DST = LEFT */
static bool read_phase(reader_t *reader)
{
    int scope, phase, root;
    napcoll_span_t dst, left;

    if (!napcoll_words_choice(&reader->words, napcoll_scope_words, "node or leaders", &scope)
        || !napcoll_words_choice(&reader->words, napcoll_phase_words,
                                 "the kind of a phase, such as allreduce", &phase)
        || !napcoll_words_number(&reader->words, "the root member", 0, reader->set->ranks - 1,
                                 &root)
        || !read_span(reader, &dst) || !napcoll_words_demand(&reader->words, "=")
        || !read_span(reader, &left)) {
        return false;
    }
    napcoll_builder_phase(reader->builder, (napcoll_scope_t) scope, (napcoll_phase_t) phase, root,
                          dst, left);
    return napcoll_words_end(&reader->words);
}

static bool read_step(reader_t *reader, napcoll_word_t word)
{
    int kind;

    for (kind = 0; NULL != napcoll_step_words[kind]; kind++) {
        if (napcoll_word_is(word, napcoll_step_words[kind])) {
            break;
        }
    }
    if (NULL == napcoll_step_words[kind]) {
        return napcoll_words_refuse(&reader->words, word,
                                    "stage, recv, send, reduce, copy or phase");
    }
    if (!reader->in_stage) {
        return napcoll_words_fail(&reader->words, word.at, "expected a line \"stage\" before it");
    }
    switch (kind) {
    case NAPCOLL_STEP_RECV:
    case NAPCOLL_STEP_SEND:
        return read_message(reader, (napcoll_step_kind_t) kind);
    case NAPCOLL_STEP_PHASE:
        return read_phase(reader);
    default:
        return read_work(reader, (napcoll_step_kind_t) kind);
    }
}

static bool read_line(reader_t *reader)
{
    const napcoll_word_t word = napcoll_words_next(&reader->words);

    if (napcoll_word_is(word, "stage")) {
        if (reader->in_stage) {
            napcoll_builder_next_stage(reader->builder);
        }
        reader->in_stage = true;
        return napcoll_words_end(&reader->words);
    }
    if (napcoll_word_is(word, "temps")) {
        return read_temps(reader);
    }
    return napcoll_word_is(word, "list") ? read_list(reader) : read_step(reader, word);
}

/* ---- the plan ---- */

/* Give a plan its temporaries and its list as they were written: the builder empties temporaries
 * that no step names. */
static napcoll_plan_t *complete(reader_t *reader, napcoll_plan_t *plan)
{
    if (NULL == plan) {
        (void) no_memory(reader);
        return NULL;
    }
    free(plan->temp);
    free(plan->list);
    plan->temp = reader->temp;
    plan->temps = reader->temps;
    plan->list = reader->run;
    plan->listed = reader->listed;
    reader->temp = NULL;
    reader->run = NULL;
    return plan;
}

napcoll_plan_t *napcoll_plan_set_plan(const napcoll_plan_set_t *set,
                                      const napcoll_plan_args_t *args,
                                      napcoll_plan_text_error_t *error)
{
    const napcoll_plan_section_t *section = &set->section[args->rank];
    reader_t reader = {
        .set = set,
        .args = args,
        .words = napcoll_words_of(section->begin, section->end, section->line, error),
        .builder = napcoll_plan_args_builder(args, set->layout, set->blocks)};
    napcoll_plan_t *plan = NULL;
    bool good = true;

    if (NULL == reader.builder) {
        (void) no_memory(&reader);
        return NULL;
    }
    napcoll_builder_claim_recvbuf(reader.builder);
    napcoll_builder_pieces(reader.builder, set->pieces);
    napcoll_plan_args_user(args, set->layout, set->blocks, reader.user);
    if (set->reduces_alone) {
        napcoll_builder_reduces_alone(reader.builder);
    }
    while (good && napcoll_words_line(&reader.words)) {
        good = read_line(&reader);
    }
    if (good) {
        plan = complete(&reader, napcoll_builder_finish(reader.builder));
    } else {
        napcoll_builder_discard(reader.builder);
    }
    free(reader.temp);
    free(reader.run);
    return plan;
}
