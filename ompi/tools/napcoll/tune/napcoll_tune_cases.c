/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _POSIX_C_SOURCE 200809L

#include "tune/napcoll_tune_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_rule_write.h"
#include "common/napcoll_numbers.h"
#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "select/napcoll_select.h"
#include "select/napcoll_uneven.h"

/* Of one buffer of a call. */
static const size_t most_buffer = (size_t) 16 << 20;

/* An algorithm is not measured if its estimate is this many times auto's. */
static const double hopeless = 10;

/* ---- cases ---- */

typedef struct {
    int count;
    size_t bytes[TUNE_SIZES];
} sizes_t;

/* Whether a size is the size of a rank's block, not of a vector. */
static bool has_blocks(const napcoll_collective_t *collective)
{
    return NAPCOLL_GOAL_REDUCE_SCATTER == collective->goal
           || NAPCOLL_GOAL_ALLGATHER == collective->goal
           || napcoll_goal_is_personalized(collective->goal);
}

static const sizes_t *sizes_of(const napcoll_collective_t *collective)
{
    static const sizes_t of_vectors = {6, {8, 512, 4096, 32768, 262144, 1048576}};
    static const sizes_t of_blocks = {5, {8, 512, 4096, 32768, 65536}}, of_nothing = {1, {0}};

    if (NAPCOLL_GOAL_BARRIER == collective->goal) {
        return &of_nothing;
    }
    return has_blocks(collective) ? &of_blocks : &of_vectors;
}

/* Whether a process does not know the sizes of other processes' blocks. */
static bool is_untold(const napcoll_collective_t *collective)
{
    return collective->uneven && napcoll_goal_is_personalized(collective->goal);
}

void tune_want_all(tune_wanted_t *wanted)
{
    memset(wanted, 0, sizeof(*wanted));
    for (int i = 0; NULL != napcoll_collectives[i]; i++) {
        for (int size = 0; size < sizes_of(napcoll_collectives[i])->count; size++) {
            wanted->size[i][size] = !napcoll_collectives[i]->few_blocks;
        }
    }
}

static double apart(size_t one, size_t other)
{
    return fabs(log(fmax((double) one, 1) / fmax((double) other, 1)));
}

const char *tune_wanted_name_at(const void *context, int i)
{
    int at = 0;

    (void) context;
    for (; NULL != napcoll_collectives[at] && i >= 0; at++) {
        i -= !napcoll_collectives[at]->few_blocks;
    }
    return i < 0 ? napcoll_collectives[at - 1]->name : NULL;
}

/* A collective that can be measured, by the name that a text begins with; -1: none. */
static int find(const char *text, size_t length)
{
    const napcoll_names_t names = {.at = napcoll_collective_name_at};
    const int at = napcoll_name_find(&names, text, length);

    return at < 0 || napcoll_collective_at(at)->few_blocks
                   || napcoll_goal_is_neighbor(napcoll_collective_at(at)->goal)
               ? -1
               : at;
}

/* Read one element of a list. Returns what stands behind it, NULL if it is wrong. */
static const char *want_element(tune_wanted_t *wanted, const char *text)
{
    const size_t length = strcspn(text, ":,");
    const int i = find(text, length);
    const char *end = text + length;
    const bool sized = ':' == *end;
    const sizes_t *sizes;
    size_t bytes = 0;
    int nearest = 0;

    end += sized;
    if (i < 0 || (sized && !napcoll_take_size(&end, SIZE_MAX, &bytes))) {
        return NULL;
    }
    sizes = sizes_of(napcoll_collectives[i]);
    for (int size = 1; size < sizes->count; size++) {
        if (apart(sizes->bytes[size], bytes) < apart(sizes->bytes[nearest], bytes)) {
            nearest = size;
        }
    }
    for (int size = 0; size < sizes->count; size++) {
        if (!sized || size == nearest || is_untold(napcoll_collectives[i])) {
            wanted->size[i][size] = true;
        }
    }
    return end;
}

bool tune_want_only(tune_wanted_t *wanted, const char *text)
{
    memset(wanted, 0, sizeof(*wanted));
    for (;; text++) {
        text = want_element(wanted, text);
        if (NULL == text || ('\0' != *text && ',' != *text)) {
            return false;
        }
        if ('\0' == *text) {
            return true;
        }
    }
}

/* The bytes of the largest buffer. */
static size_t buffer_of(const tune_case_t *c, int ranks)
{
    return has_blocks(c->collective) ? c->bytes * (size_t) ranks : c->bytes;
}

int tune_list_cases(const tune_wanted_t *wanted, int ranks, tune_case_t *list)
{
    int cases = 0;

    for (int i = 0; NULL != napcoll_collectives[i]; i++) {
        const sizes_t *sizes = sizes_of(napcoll_collectives[i]);

        for (int size = 0; size < sizes->count; size++) {
            const tune_case_t c = {.collective = napcoll_collectives[i],
                                   .size = size,
                                   .bytes = sizes->bytes[size],
                                   .untold = is_untold(napcoll_collectives[i])};
            const size_t buffer = buffer_of(&c, ranks);
            int at = cases;

            if (!wanted->size[i][size] || buffer > most_buffer) {
                continue;
            }
            for (; at > 0 && buffer_of(&list[at - 1], ranks) > buffer; at--) {
                list[at] = list[at - 1];
            }
            list[at] = c;
            cases++;
        }
    }
    return cases;
}

/* ---- the sizes that a rule is for ---- */

/* What all functions below ask of the selection. */
typedef struct {
    const napcoll_collective_t *collective;
    napcoll_settings_t settings;
    napcoll_call_t call;
} inquiry_t;

/* Whether the thresholds have a say in a decision. */
static bool is_warned(const napcoll_collective_t *collective, const napcoll_decision_t *decision)
{
    bool warned = decision->algorithm >= 0
                  && collective->algorithm[decision->algorithm].cuts_blocks;

    for (int row = 0; row < collective->algorithms; row++) {
        warned = warned || NAPCOLL_EVALUATION_BURSTS == decision->candidate[row].evaluation;
    }
    return warned;
}

static size_t half_way(size_t one, size_t other)
{
    return (size_t) sqrt((double) one * (double) other);
}

/* Set the range of a case. Sets *warned if the thresholds warn of its own size. */
static int find_range(tune_case_t *c, const inquiry_t *inquiry, bool *warned)
{
    const sizes_t *sizes = sizes_of(c->collective);
    const size_t *here = &sizes->bytes[c->size];
    napcoll_call_t call = inquiry->call;
    napcoll_decision_t decision;

    c->range.least = 0 == c->size ? 0 : 1 + half_way(here[-1], here[0]);
    c->range.most = sizes->count - 1 == c->size ? 4 * here[0] : half_way(here[0], here[1]);
    *warned = false;
    for (call.bytes = c->range.least;; call.bytes = decision.most + 1) {
        if (0 != napcoll_select(&inquiry->settings, &call, &decision)) {
            return -1;
        }
        if (is_warned(c->collective, &decision)) {
            *warned = *warned || (call.bytes <= c->bytes && c->bytes <= decision.most);
            if (call.bytes > c->bytes) {
                c->range.most = call.bytes - 1;
            } else {
                c->range.least = decision.most + 1;
            }
        }
        if (decision.most >= c->range.most) {
            return 0;
        }
    }
}

/* ---- contestants ---- */

/* The estimate of a decision's plans in microseconds; NAN when memory ran out. */
static double cost_of(const inquiry_t *inquiry, const napcoll_decision_t *decision)
{
    const napcoll_call_t *call = &inquiry->call;
    const napcoll_algorithm_t *algorithm = &inquiry->collective->algorithm[decision->algorithm];
    const int segments = decision->params.segments > 1 ? decision->params.segments : 1;
    const int root = napcoll_goal_is_rooted(inquiry->collective->goal) ? call->root : -1;
    napcoll_generator_t generator = {.args = {.collective = inquiry->collective,
                                              .algorithm = algorithm,
                                              .map = call->map,
                                              .params = decision->params}};
    napcoll_settings_t fitted = inquiry->settings;
    napcoll_machine_t machine;
    double lead = 0;

    napcoll_select_fit_machine(&fitted, inquiry->collective->goal, call->map, &machine);
    if (NULL != algorithm->hops) {
        const napcoll_hops_t hops = algorithm->hops(call->map, &decision->params);

        lead = napcoll_model_lead_us(&machine, &hops, segments, (double) call->bytes);
    }
    return napcoll_plan_cost_us(call->map, napcoll_generator_plan, &generator, root, &machine,
                                (double) call->bytes, lead, INFINITY);
}

/* Blocking calls are compared; the fallback of nonblocking ones is another component. */
static tune_contestant_t fallback_of(const napcoll_collective_t *collective)
{
    napcoll_rule_t rule = napcoll_rule_any(collective, NAPCOLL_RULE_FALLBACK);

    rule.request = NAPCOLL_RULE_NO;
    return (tune_contestant_t){.action = "fallback", .model_us = INFINITY, .rule = rule};
}

/* Make a decision for an algorithm a contestant. Its action does not fit where the result has
 * none. */
static int describe(const inquiry_t *inquiry, const napcoll_decision_t *decision,
                    tune_contestant_t *contestant)
{
    napcoll_rule_t pinned = napcoll_rule_any(inquiry->collective, NAPCOLL_RULE_AUTO);
    FILE *out;

    *contestant = (tune_contestant_t){
        .model_us = cost_of(inquiry, decision),
        .rule = napcoll_rule_any(inquiry->collective, NAPCOLL_RULE_ALGORITHM)};
    contestant->rule.algorithm = decision->algorithm;
    out = fmemopen(contestant->action, sizeof(contestant->action), "w");
    if (NULL == out || isnan(contestant->model_us)) {
        return -1;
    }
    napcoll_rule_pin(&pinned, decision->algorithm, &decision->params);
    pinned.inline_bytes = contestant->rule.inline_bytes = (int) decision->inline_bytes;
    napcoll_rule_print_action(&pinned, out);
    if (0 != fclose(out) || strlen(contestant->action) + 1 >= sizeof(contestant->action)) {
        contestant->action[0] = '\0';
    }
    return 0;
}

/* An algorithm as it is when a rule names it, and maybe one choice of its tunable (0: none);
 * without an action if it is not worth a try. */
static int describe_named(const tune_case_t *c, const inquiry_t *inquiry, int row, int choice,
                          tune_contestant_t *contestant)
{
    const napcoll_algorithm_t *algorithm = &c->collective->algorithm[row];
    const int tunable = napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_CHOICE);
    napcoll_rule_t rule = napcoll_rule_any(c->collective, NAPCOLL_RULE_ALGORITHM);
    napcoll_settings_t settings = inquiry->settings;
    napcoll_decision_t decision;

    contestant->action[0] = '\0';
    rule.algorithm = row;
    if (choice > 0) {
        rule.tunable[tunable] = choice;
    }
    settings.force = napcoll_select_force(&rule);
    settings.asked = &rule;
    if ((0 == choice && row == c->contestant[0].rule.algorithm) || algorithm->keeps_all_vectors
        || algorithm->cuts_blocks || (c->untold && algorithm->store_and_forward)) {
        return 0;
    }
    if (0 != napcoll_select(&settings, &inquiry->call, &decision)) {
        return -1;
    }
    if (decision.algorithm != row) {
        return 0;
    }
    if (0 != describe(inquiry, &decision, contestant)) {
        return -1;
    }
    contestant->rule = rule;
    contestant->rule.inline_bytes = (int) decision.inline_bytes;
    return 0;
}

/* The choices of an algorithm's tunable; 0: it has no such one. */
static int count_choices(const napcoll_algorithm_t *algorithm)
{
    const int tunable = napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_CHOICE);
    int choices = 0;

    while (tunable >= 0 && NULL != algorithm->tunable[tunable].names[choices]) {
        choices++;
    }
    return choices;
}

/* Whether a contestant has the estimate of another one: their messages are the same. */
static bool is_like_others(const tune_case_t *c, const tune_contestant_t *contestant)
{
    const double same = 1e-3;

    for (int i = 0; i < c->contestants; i++) {
        if (fabs(c->contestant[i].model_us - contestant->model_us) <= same * contestant->model_us) {
            return true;
        }
    }
    return false;
}

/* Add a contestant after the first ones, in the order of estimates, unless it is not worth a try.
 * Of a collective with one rule for all sizes, those that lose with one size count, too. */
static void add_contestant(tune_case_t *c, int first, const tune_contestant_t *contestant)
{
    int at = c->contestants;

    if ('\0' == contestant->action[0] || is_like_others(c, contestant)
        || (!c->untold && contestant->model_us > hopeless * c->contestant[0].model_us)) {
        return;
    }
    for (; at > first && c->contestant[at - 1].model_us > contestant->model_us; at--) {
        if (at < TUNE_CONTESTANTS) {
            c->contestant[at] = c->contestant[at - 1];
        }
    }
    if (at < TUNE_CONTESTANTS) {
        c->contestant[at] = *contestant;
        c->contestants += c->contestants < TUNE_CONTESTANTS;
    }
}

/* Add the algorithms that the model estimates to be fastest, after auto's own choice and the
 * fallback. Each choice of a tunable counts as one. */
static int add_algorithms(tune_case_t *c, const inquiry_t *inquiry)
{
    const int first = c->contestants;

    for (int row = 0; row < c->collective->algorithms; row++) {
        const int choices = count_choices(&c->collective->algorithm[row]);

        for (int choice = 0; choice <= choices; choice++) {
            tune_contestant_t contestant;

            if (0 != describe_named(c, inquiry, row, choice, &contestant)) {
                return -1;
            }
            add_contestant(c, first, &contestant);
        }
    }
    return 0;
}

/* What auto does in a call of this size. */
static int choose_auto(const inquiry_t *inquiry, napcoll_decision_t *decision)
{
    const napcoll_collective_t *collective = inquiry->collective;
    napcoll_call_t call = inquiry->call;
    napcoll_limits_t limits;

    if (!napcoll_uneven_is_mute(collective)) {
        return napcoll_select(&inquiry->settings, &call, decision);
    }
    call.bytes = NAPCOLL_UNEVEN_FIRST_BYTES;
    if (0 != napcoll_select(&inquiry->settings, &call, decision)
        || 0 != napcoll_uneven_limits(collective, &inquiry->settings, call.map, &limits)) {
        return -1;
    }
    if (decision->algorithm >= 0
        && napcoll_rule_takes_inline(collective,
                                     napcoll_algorithm_at(collective, decision->algorithm))) {
        decision->inline_bytes = limits.inline_bytes;
    }
    return 0;
}

int tune_choose(tune_case_t *c, const napcoll_machine_t *machine,
                const napcoll_thresholds_t *thresholds, const napcoll_node_map_t *map)
{
    inquiry_t inquiry = {.collective = c->collective,
                         .settings = napcoll_select_defaults(c->collective),
                         .call = {.collective = c->collective, .map = map, .bytes = c->bytes}};
    napcoll_decision_t decision;
    bool warned;

    c->contestants = 0;
    inquiry.settings.machine = machine;
    inquiry.settings.thresholds = *thresholds;
    if (0 != find_range(c, &inquiry, &warned)
        || (!warned && 0 != choose_auto(&inquiry, &decision))) {
        return -1;
    }
    c->skipped = warned;
    if (warned) {
        return 0;
    }
    c->contestant[0] = fallback_of(c->collective);
    c->contestants = 1;
    if (decision.algorithm >= 0) {
        if (0 != describe(&inquiry, &decision, &c->contestant[0])) {
            return -1;
        }
        c->contestant[1] = fallback_of(c->collective);
        c->contestants = '\0' == c->contestant[0].action[0] ? 0 : 2;
    }
    if (c->contestants > 0 && 0 != add_algorithms(c, &inquiry)) {
        return -1;
    }
    c->skipped = c->contestants < 2;
    return 0;
}
