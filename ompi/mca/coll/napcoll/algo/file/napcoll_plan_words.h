/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The words of plans as text, and reading a text word by word; private to algo/file/.
 *
 * Functions that return bool return false when *error is set.
 */

#ifndef NAPCOLL_PLAN_WORDS_H
#define NAPCOLL_PLAN_WORDS_H

#include "algo/file/napcoll_plan_text.h"

/* The words of enumerations by their values; NULL after the last. */
extern const char *const napcoll_layout_words[];
extern const char *const napcoll_step_words[];
extern const char *const napcoll_scope_words[];
extern const char *const napcoll_phase_words[];
extern const char *const napcoll_in_place_words[];

/** A part of a line; of length 0 at its end. */
typedef struct {
    const char *at;
    size_t length;
} napcoll_word_t;

/** The line that is being read. */
typedef struct {
    const char *begin;
    const char *at;
    /** before a comment */
    const char *end;
    /** where the next line begins */
    const char *next;
    /** of the text */
    const char *stop;
    int number;
    napcoll_plan_text_error_t *error;
} napcoll_words_t;

/** Before the first line of [begin, end), which is line `number` of the text. */
napcoll_words_t napcoll_words_of(const char *begin, const char *end, int number,
                                 napcoll_plan_text_error_t *error);

/** Go to the next line with a word; false at the end of the text. */
bool napcoll_words_line(napcoll_words_t *words);

/** Set an error at a place of the line; NULL: of the whole line. Returns false. */
__attribute__((format(printf, 3, 4))) bool napcoll_words_fail(const napcoll_words_t *words,
                                                              const char *at, const char *format,
                                                              ...);

/** "expected EXPECTED, found WORD" */
bool napcoll_words_refuse(const napcoll_words_t *words, napcoll_word_t found, const char *expected);

/** The next word of the line. */
napcoll_word_t napcoll_words_next(napcoll_words_t *words);

bool napcoll_word_is(napcoll_word_t word, const char *text);

/** Demand that the next word is this one. */
bool napcoll_words_demand(napcoll_words_t *words, const char *text);

/** Demand the end of the line. */
bool napcoll_words_end(napcoll_words_t *words);

/** Read one of the words of an enumeration. */
bool napcoll_words_choice(napcoll_words_t *words, const char *const *names, const char *expected,
                          int *choice);

/** Read a number from least to most, which is a whole word. */
bool napcoll_words_number(napcoll_words_t *words, const char *expected, int least, int most,
                          int *number);

/** Read the digits at the start of a word; the word becomes the rest. False, without an error,
 * where there are none or the number is above most. */
bool napcoll_word_take_number(napcoll_word_t *word, int most, int *number);

/** Go over a character at the start of a word; false where it is another one. */
bool napcoll_word_take(napcoll_word_t *word, char c);

#endif /* NAPCOLL_PLAN_WORDS_H */
