/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The rules file: what an owner of a machine, or a measurement, knows better than the model. Pure:
 * no MPI in here.
 *
 *     COLLECTIVE [KEY=VALUES]... -> ALGORITHM [TUNABLE=VALUE]...
 *     COLLECTIVE [KEY=VALUES]... -> fallback
 *     COLLECTIVE [KEY=VALUES]... -> auto
 *
 *     allreduce nodes=2..8 ppn=8 bytes=..4K placement=contiguous -> nap local_radix=8
 *
 * One rule a line, # begins a comment. The first rule that matches a call decides; one whose
 * algorithm cannot do the call is passed over. Where none is left the model decides. All that rules
 * look at is the same on all ranks of a communicator, so all come to the same rule.
 * napcoll-rules(5) is the user's manual.
 */

#ifndef NAPCOLL_RULES_H
#define NAPCOLL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "select/napcoll_call.h"

/** Limits of a file, so that reading any takes a moment and little memory. */
enum {
    NAPCOLL_MOST_RULES = 16384,
    /** of the file, which process 0 sends to all others */
    NAPCOLL_MOST_RULES_BYTES = 1 << 20,
    /** bytes of a line */
    NAPCOLL_MOST_RULES_LINE = 4096,
    NAPCOLL_MOST_RULE_SEGMENTS = 1024
};

/** A tunable that a rule does not name. */
enum { NAPCOLL_RULE_UNSET = -1 };

/** Numbers from `least` to `most`, both among them; without bounds 0 and SIZE_MAX. */
typedef struct napcoll_rule_range {
    size_t least;
    size_t most;
} napcoll_rule_range_t;

/** What a rule wants of something that is so or is not. */
typedef enum { NAPCOLL_RULE_NO, NAPCOLL_RULE_YES, NAPCOLL_RULE_ANY } napcoll_rule_whether_t;

typedef enum {
    NAPCOLL_RULE_ALGORITHM,
    NAPCOLL_RULE_FALLBACK,
    NAPCOLL_RULE_AUTO
} napcoll_rule_action_t;

typedef struct napcoll_rule {
    /** of the file, from 1 */
    int line;
    const napcoll_collective_t *collective;

    /* what it matches */

    /** of the communicator */
    napcoll_rule_range_t nodes;
    /** processes on its fullest node */
    napcoll_rule_range_t ppn;
    /** see napcoll_call_t */
    napcoll_rule_range_t bytes;
    /** the op does not commute */
    napcoll_rule_whether_t noncommutative;
    /** the ranks of some node are not one interval */
    napcoll_rule_whether_t scattered;
    /** the call is nonblocking or persistent */
    napcoll_rule_whether_t request;

    /* what it decides */

    napcoll_rule_action_t action;
    /** row of the collective's table; of other actions -1 */
    int algorithm;
    /** 0: as the parameter says, likewise segments and inline_bytes */
    int local_radix;
    int segments;
    int inline_bytes;
    /** NAPCOLL_RULE_UNSET: as the parameter says */
    int tunable[NAPCOLL_MAX_TUNABLES];
} napcoll_rule_t;

typedef struct napcoll_rules {
    /** [rules] in the file's order */
    napcoll_rule_t *rule;
    int rules;
} napcoll_rules_t;

/** Where a file is wrong, and a sentence on it. */
typedef struct napcoll_rules_error {
    /** from 1; 0: the file as a whole */
    int line;
    /** from 1, in bytes; 0: the whole line or file */
    int column;
    /** what was expected and what was found, in printable letters */
    char text[512];
} napcoll_rules_error_t;

/** A rule that matches all calls of a collective and does what `action` says: where makers of rules
 * begin. */
napcoll_rule_t napcoll_rule_any(const napcoll_collective_t *collective,
                                napcoll_rule_action_t action);

/** Whether rules can say segments= of an algorithm, though it has no tunable of that name. */
bool napcoll_rule_takes_segments(const napcoll_algorithm_t *algorithm);

/** Whether rules can say inline_bytes= of an algorithm of a collective. */
static inline bool napcoll_rule_takes_inline(const napcoll_collective_t *collective,
                                             const napcoll_algorithm_t *algorithm)
{
    return collective->uneven && algorithm->store_and_forward;
}

/** Whether a rule says something of its algorithm's tunables. */
bool napcoll_rule_has_tunables(const napcoll_rule_t *rule);

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
 * As napcoll_rules_parse, but the caller hears of every mistake, and gets the rules of the other
 * lines.
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

/** What the rules say on a call. */
typedef struct napcoll_ruling {
    /** that decides; NULL: none does, so the model does */
    const napcoll_rule_t *rule;
    /** the ruling holds for least .. most bytes */
    size_t least;
    size_t most;
    /** the first that matches, but whose algorithm cannot do the call, or NULL */
    const napcoll_rule_t *passed;
    /** why it cannot */
    napcoll_reason_t reason;
} napcoll_ruling_t;

/** The rule that decides on a call. NULL for rules: there are none. `reproducible`: reductions must
 * give the same bits on any nodes. */
napcoll_ruling_t napcoll_rules_find(const napcoll_rules_t *rules, const napcoll_call_t *call,
                                    bool reproducible);

/** What rules say on all sizes together. */
typedef enum {
    /** the model decides, whatever the size */
    NAPCOLL_RULES_SILENT,
    /** one rule, other than auto, decides whatever the size */
    NAPCOLL_RULES_ONE,
    /** it depends on the size */
    NAPCOLL_RULES_BY_SIZE
} napcoll_rules_scope_t;

/** What rules say on calls of any size; call->bytes does not matter. *rule: the one of
 * NAPCOLL_RULES_ONE, else NULL. */
napcoll_rules_scope_t napcoll_rules_scope(const napcoll_rules_t *rules, const napcoll_call_t *call,
                                          bool reproducible, const napcoll_rule_t **rule);

/** Whether rules tell nonblocking and persistent calls from blocking ones. NULL for rules: no. */
bool napcoll_rules_tell_requests(const napcoll_rules_t *rules);

#endif /* NAPCOLL_RULES_H */
