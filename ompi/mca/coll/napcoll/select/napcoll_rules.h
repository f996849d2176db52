/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The rules file: what an owner of a machine, or a measurement, knows better than the model. Pure: no MPI in here.
 *
 *     COLLECTIVE [KEY=VALUES]... -> ALGORITHM [TUNABLE=VALUE]...
 *     COLLECTIVE [KEY=VALUES]... -> fallback
 *     COLLECTIVE [KEY=VALUES]... -> auto
 *
 *     allreduce nodes=2..8 ppn=8 bytes=..4K op=commutative placement=contiguous -> nap local_radix=8
 *
 * One rule a line, # begins a comment. The first rule that matches a call decides; one whose algorithm cannot do
 * the call is passed over. Where none is left the model decides. All that rules look at is the same on all ranks of
 * a communicator, so all come to the same rule. napcoll-rules(5) is the user's manual.
 */

#ifndef NAPCOLL_RULES_H
#define NAPCOLL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "algo/napcoll_algo.h"

/** Limits of a file, so that reading any takes a moment and little memory. */
enum {
    NAPCOLL_MOST_RULES = 16384,
    NAPCOLL_MOST_RULES_BYTES = 1 << 20, /**< of the file, which process 0 sends to all others */
    NAPCOLL_MOST_RULES_LINE = 4096,     /**< bytes of a line */
    NAPCOLL_MOST_RULE_SEGMENTS = 1024,
    NAPCOLL_RULE_UNSET = -1 /**< a tunable about which a rule says nothing */
};

/** Numbers from `least` to `most`, both among them; without bounds 0 and SIZE_MAX. */
typedef struct napcoll_rule_range {
    size_t least;
    size_t most;
} napcoll_rule_range_t;

/** What a rule wants of something that is so or is not. */
typedef enum { NAPCOLL_RULE_NO, NAPCOLL_RULE_YES, NAPCOLL_RULE_ANY } napcoll_rule_whether_t;

typedef enum {
    NAPCOLL_RULE_ALGORITHM,
    NAPCOLL_RULE_FALLBACK, /**< the fallback function */
    NAPCOLL_RULE_AUTO      /**< what the model says */
} napcoll_rule_action_t;

typedef struct napcoll_rule {
    int line; /**< of the file, from 1 */
    const napcoll_collective_t *collective;

    /* what it matches */
    napcoll_rule_range_t nodes;            /**< of the communicator */
    napcoll_rule_range_t ppn;              /**< processes on its fullest node */
    napcoll_rule_range_t bytes;            /**< see napcoll_question_t */
    napcoll_rule_whether_t noncommutative; /**< the op does not commute */
    napcoll_rule_whether_t scattered;      /**< the ranks of some node are not one interval */

    /* what it decides */
    napcoll_rule_action_t action;
    int algorithm;                     /**< row of the collective's table; of other actions -1 */
    int local_radix;                   /**< 0: as the parameter says */
    int segments;                      /**< 0: as the parameter says */
    int tunable[NAPCOLL_MAX_TUNABLES]; /**< NAPCOLL_RULE_UNSET: as the parameter says */
} napcoll_rule_t;

typedef struct napcoll_rules {
    napcoll_rule_t *rule; /**< [rules] in the file's order */
    int rules;
} napcoll_rules_t;

/** Where a file is wrong, and a sentence on it. */
typedef struct napcoll_rules_error {
    int line;       /**< from 1; 0: the file as a whole */
    int column;     /**< from 1, in bytes; 0: the line, or the file, as a whole */
    char text[512]; /**< what was expected and what was found, in printable letters */
} napcoll_rules_error_t;

/** A rule that matches all calls of a collective and does what `action` says: where makers of rules begin. */
napcoll_rule_t napcoll_rule_any(const napcoll_collective_t *collective,
                                napcoll_rule_action_t action);

/** Whether rules can say segments= of an algorithm, though it has no tunable of that name. */
bool napcoll_rule_takes_segments(const napcoll_algorithm_t *algorithm);

/** Whether a rule says something of its algorithm's tunables. */
bool napcoll_rule_has_tunables(const napcoll_rule_t *rule);

/** Whether a range has all numbers of another one. */
bool napcoll_rule_range_has(const napcoll_rule_range_t *outer, const napcoll_rule_range_t *inner);

/** Whether a rule is on all calls that another one is on, their sizes aside. */
bool napcoll_rule_is_wider(const napcoll_rule_t *outer, const napcoll_rule_t *inner);

/** Whether a rule is on all calls that another one is on. */
bool napcoll_rule_covers(const napcoll_rule_t *outer, const napcoll_rule_t *inner);

/* ---- reading: napcoll_rules_parse.c ---- */

/**
 * Read rules from text.
 *
 * @param[in]  text    [length] the file's contents; needs no terminating zero, may hold any bytes
 * @param[in]  length  bytes
 * @param[out] rules   the rules, which the caller frees; NULL after an error
 * @param[out] error   the first mistake; line 0 and "out of memory" where memory ran out
 *
 * @return 0, or -1 with *error set
 */
int napcoll_rules_parse(const char *text, size_t length, napcoll_rules_t **rules,
                        napcoll_rules_error_t *error);

/**
 * Read what stands behind the -> of a rule: an algorithm with its tunables, fallback or auto.
 *
 * @param[in]  collective  whose algorithms there are
 * @param[in]  text        a string
 * @param[out] rule        on all calls of the collective, its line 0; not set after an error
 * @param[out] error       the first mistake, on line 1
 *
 * @return 0, or -1 with *error set
 */
int napcoll_rules_parse_action(const napcoll_collective_t *collective, const char *text,
                               napcoll_rule_t *rule, napcoll_rules_error_t *error);

/** Hears of a mistake. Returns whether reading is to go on, with the next line. */
typedef bool (*napcoll_rules_complain_t)(void *context, const napcoll_rules_error_t *error);

/**
 * As napcoll_rules_parse, but the caller hears of every mistake, and gets the rules of the other lines.
 *
 * @return how many mistakes there were, or -1 when memory ran out (then *rules is NULL)
 */
int napcoll_rules_parse_all(const char *text, size_t length, napcoll_rules_t **rules,
                            napcoll_rules_complain_t complain, void *context);

/**
 * The contents of an open file, from where it stands, of NAPCOLL_MOST_RULES_BYTES at most.
 *
 * @param[in]  in      the file
 * @param[out] text    [*length], with a zero behind it; owned by the caller; NULL after an error
 * @param[out] length  bytes
 * @param[out] error   what is wrong
 *
 * @return 0, or -1 with *error set
 */
int napcoll_rules_load(FILE *in, char **text, size_t *length, napcoll_rules_error_t *error);

/** Free rules; NULL is allowed. */
void napcoll_rules_free(napcoll_rules_t *rules);

/* ---- using: napcoll_rules.c ---- */

/** What rules look at, but for the bytes. */
typedef struct napcoll_rules_case {
    const napcoll_collective_t *collective;
    const napcoll_node_map_t *map; /**< the communicator's */
    bool noncommutative;           /**< the op does not commute */
    bool reproducible;             /**< users want the same bits on any nodes */
} napcoll_rules_case_t;

/** What the rules say on a call. */
typedef struct napcoll_ruling {
    const napcoll_rule_t *rule; /**< that decides; NULL: none does, the model is to */
    size_t least;               /**< the same holds for so many bytes, least .. most */
    size_t most;
    const napcoll_rule_t
        *passed; /**< the first that matches, but whose algorithm cannot do it, or NULL */
    napcoll_reason_t reason; /**< why it cannot */
} napcoll_ruling_t;

/**
 * The rule that decides on a call.
 *
 * @param[in] rules  the rules; NULL: there are none
 * @param[in] about  the call
 * @param[in] bytes  of the call (see napcoll_question_t)
 */
napcoll_ruling_t napcoll_rules_find(const napcoll_rules_t *rules, const napcoll_rules_case_t *about,
                                    size_t bytes);

/** What rules say on all sizes together. */
typedef enum {
    NAPCOLL_RULES_SILENT, /**< the model decides, whatever the size */
    NAPCOLL_RULES_ONE,    /**< one rule, other than auto, decides whatever the size */
    NAPCOLL_RULES_BY_SIZE /**< it depends on the size */
} napcoll_rules_scope_t;

/**
 * Whether one must know the size to know what rules say: where no rank knows it alone, ranks then have to agree on it.
 *
 * @param[in]  rules  the rules; NULL: there are none
 * @param[in]  about  the calls
 * @param[out] rule   the one rule of NAPCOLL_RULES_ONE, else NULL
 */
napcoll_rules_scope_t napcoll_rules_scope(const napcoll_rules_t *rules,
                                          const napcoll_rules_case_t *about,
                                          const napcoll_rule_t **rule);

/**
 * Have a rule name an algorithm and every parameter that rules can say of it, as a decision has them: it then does the
 * same on any machine.
 *
 * @param[in,out] rule    of a collective
 * @param[in]     row     of its table
 * @param[in]     params  of the decision
 */
void napcoll_rule_pin(napcoll_rule_t *rule, int row, const napcoll_params_t *params);

/** Print a rule as a line that reads back the same. Returns 0, or -1 when out failed. */
int napcoll_rule_print(const napcoll_rule_t *rule, FILE *out);

/** Print what stands behind its ->, without an end of line: napcoll_rules_parse_action reads it back. */
void napcoll_rule_print_action(const napcoll_rule_t *rule, FILE *out);

#endif /* NAPCOLL_RULES_H */
