/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The words of plans as text (see the header). Blanks separate words, # begins a comment.
 */

#include "algo/file/napcoll_plan_words.h"

#include <stdarg.h>
#include <string.h>

const char *const napcoll_layout_words[] = {[NAPCOLL_LAYOUT_VECTOR] = "vector",
                                            [NAPCOLL_LAYOUT_RANKS] = "ranks",
                                            [NAPCOLL_LAYOUT_SLOTS] = "slots",
                                            [NAPCOLL_LAYOUT_PERSONALIZED] = "personalized",
                                            [NAPCOLL_LAYOUTS] = NULL};

const char *const napcoll_step_words[] = {
    [NAPCOLL_STEP_RECV] = "recv", [NAPCOLL_STEP_SEND] = "send",   [NAPCOLL_STEP_REDUCE] = "reduce",
    [NAPCOLL_STEP_COPY] = "copy", [NAPCOLL_STEP_PHASE] = "phase", [NAPCOLL_STEP_KINDS] = NULL};

const char *const napcoll_scope_words[] = {
    [NAPCOLL_SCOPE_NODE] = "node", [NAPCOLL_SCOPE_LEADERS] = "leaders", [NAPCOLL_SCOPES] = NULL};

const char *const napcoll_phase_words[] = {[NAPCOLL_PHASE_NONE] = "none",
                                           [NAPCOLL_PHASE_REDUCE] = "reduce",
                                           [NAPCOLL_PHASE_BCAST] = "bcast",
                                           [NAPCOLL_PHASE_ALLREDUCE] = "allreduce",
                                           [NAPCOLL_PHASE_ALLGATHER] = "allgather",
                                           [NAPCOLL_PHASE_BARRIER] = "barrier",
                                           [NAPCOLL_PHASE_GATHER] = "gather",
                                           [NAPCOLL_PHASE_SCATTER] = "scatter",
                                           [NAPCOLL_PHASE_SHARE] = "share",
                                           [NAPCOLL_PHASE_REDUCE_SCATTER] = "reduce_scatter",
                                           [NAPCOLL_PHASE_KINDS] = NULL};

const char *const napcoll_in_place_words[] = {[NAPCOLL_IN_PLACE_NO] = "no",
                                              [NAPCOLL_IN_PLACE_YES] = "yes",
                                              [NAPCOLL_IN_PLACE_BOTH] = "both",
                                              NULL};

napcoll_words_t napcoll_words_of(const char *begin, const char *end, int number,
                                 napcoll_plan_text_error_t *error)
{
    return (napcoll_words_t){.begin = begin,
                             .at = begin,
                             .end = begin,
                             .next = begin,
                             .stop = end,
                             .number = number - 1,
                             .error = error};
}

static bool is_blank(char c)
{
    return ' ' == c || '\t' == c || '\r' == c;
}

bool napcoll_words_line(napcoll_words_t *words)
{
    while (words->next < words->stop) {
        const size_t left = (size_t) (words->stop - words->next);
        const char *newline = memchr(words->next, '\n', left), *comment;

        words->begin = words->at = words->next;
        words->end = NULL == newline ? words->stop : newline;
        words->next = NULL == newline ? words->stop : newline + 1;
        words->number++;
        comment = memchr(words->begin, '#', (size_t) (words->end - words->begin));
        words->end = NULL == comment ? words->end : comment;
        while (words->at < words->end && is_blank(*words->at)) {
            words->at++;
        }
        if (words->at < words->end) {
            return true;
        }
    }
    return false;
}

bool napcoll_words_fail(const napcoll_words_t *words, const char *at, const char *format, ...)
{
    napcoll_plan_text_error_t *error = words->error;
    va_list args;

    if (NULL == error) {
        return false;
    }
    error->line = words->number;
    error->column = NULL == at ? 0 : (int) (at - words->begin) + 1;
    va_start(args, format);
    (void) vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return false;
}

bool napcoll_words_refuse(const napcoll_words_t *words, napcoll_word_t found, const char *expected)
{
    enum { MOST_SHOWN = 40 };
    const int length = found.length < MOST_SHOWN ? (int) found.length : MOST_SHOWN;
    char shown[MOST_SHOWN + 1] = "";

    if (0 == found.length) {
        return napcoll_words_fail(words, found.at, "expected %s, found the end of the line",
                                  expected);
    }
    for (int i = 0; i < length; i++) {
        shown[i] = found.at[i] < ' ' || found.at[i] > '~' ? '?' : found.at[i];
    }
    return napcoll_words_fail(words, found.at, "expected %s, found \"%s%s\"", expected, shown,
                              (size_t) length < found.length ? "..." : "");
}

napcoll_word_t napcoll_words_next(napcoll_words_t *words)
{
    napcoll_word_t word;

    while (words->at < words->end && is_blank(*words->at)) {
        words->at++;
    }
    word.at = words->at;
    while (words->at < words->end && !is_blank(*words->at)) {
        words->at++;
    }
    word.length = (size_t) (words->at - word.at);
    return word;
}

bool napcoll_word_is(napcoll_word_t word, const char *text)
{
    return strlen(text) == word.length && 0 == memcmp(text, word.at, word.length);
}

bool napcoll_words_demand(napcoll_words_t *words, const char *text)
{
    const napcoll_word_t word = napcoll_words_next(words);

    return napcoll_word_is(word, text) || napcoll_words_refuse(words, word, text);
}

bool napcoll_words_end(napcoll_words_t *words)
{
    const napcoll_word_t word = napcoll_words_next(words);

    return 0 == word.length || napcoll_words_refuse(words, word, "the end of the line");
}

bool napcoll_words_choice(napcoll_words_t *words, const char *const *names, const char *expected,
                          int *choice)
{
    const napcoll_word_t word = napcoll_words_next(words);

    for (*choice = 0; NULL != names[*choice]; (*choice)++) {
        if (napcoll_word_is(word, names[*choice])) {
            return true;
        }
    }
    return napcoll_words_refuse(words, word, expected);
}

bool napcoll_word_take_number(napcoll_word_t *word, int most, int *number)
{
    long long value = 0;
    int digits = 0;

    for (; word->length > 0 && *word->at >= '0' && *word->at <= '9'; digits++) {
        value = 10 * value + (*word->at - '0');
        if (value > most) {
            return false;
        }
        word->at++;
        word->length--;
    }
    *number = (int) value;
    return digits > 0;
}

bool napcoll_word_take(napcoll_word_t *word, char c)
{
    if (0 == word->length || c != *word->at) {
        return false;
    }
    word->at++;
    word->length--;
    return true;
}

bool napcoll_words_number(napcoll_words_t *words, const char *expected, int least, int most,
                          int *number)
{
    const napcoll_word_t word = napcoll_words_next(words);
    napcoll_word_t rest = word;
    char text[96];

    if (napcoll_word_take_number(&rest, most, number) && 0 == rest.length && *number >= least) {
        return true;
    }
    (void) snprintf(text, sizeof(text), "%s, a number from %d to %d", expected, least, most);
    return napcoll_words_refuse(words, word, text);
}
