/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans as text: the plans of every algorithm are written and read back identical, as are those
 * of a file; what is read is proved as a generator's; mistakes are found where they are.
 */

#include "plan_set.h"
#include "replaced.h"

#include <string.h>

#include "common/napcoll_plan_text_write.h"

static void assert_same_span(napcoll_span_t a, napcoll_span_t b)
{
    assert_true(napcoll_span_equal(a, b));
}

static void assert_same_steps(const napcoll_plan_t *a, const napcoll_plan_t *b)
{
    for (int i = 0; i < a->steps; i++) {
        const napcoll_step_t *x = &a->step[i], *y = &b->step[i];

        assert_true(x->kind == y->kind && x->phase == y->phase && x->scope == y->scope
                    && x->peer == y->peer && x->headed == y->headed);
        assert_same_span(x->dst, y->dst);
        assert_same_span(x->left, y->left);
        assert_same_span(x->right, y->right);
    }
}

/* Every field of two plans, except the algorithm's name. */
static void assert_same_plan(const napcoll_plan_t *a, const napcoll_plan_t *b)
{
    const size_t numbers = napcoll_plan_packed_count(a);
    int32_t *x = malloc(2 * numbers * sizeof(*x)), *y = x + numbers;

    assert_non_null(x);
    assert_string_equal(a->collective, b->collective);
    assert_int_equal(numbers, napcoll_plan_packed_count(b));
    napcoll_plan_pack(a, x);
    napcoll_plan_pack(b, y);
    assert_memory_equal(x, y, numbers * sizeof(*x));
    assert_int_equal(a->reduces_alone, b->reduces_alone);
    assert_true(NULL == a->times && NULL == b->times);
    assert_int_equal(a->steps, b->steps);
    assert_same_steps(a, b);
    free(x);
}

/* What is written of a row's plans; the caller frees it. */
static char *text_of(const napcoll_plan_args_t *args, size_t *length)
{
    napcoll_generator_t generator = {.args = *args};
    char *text = NULL;
    FILE *out = open_memstream(&text, length);

    assert_non_null(out);
    napcoll_plan_text_begin(out);
    assert_int_equal(napcoll_plan_text_write(args, "copy", napcoll_generator_plan, &generator, out),
                     0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static napcoll_plan_text_t *read_text(const char *text, size_t length)
{
    napcoll_plan_text_error_t error;
    napcoll_plan_text_t *read;

    if (0 != napcoll_plan_text_read(text, length, false, &read, &error)) {
        fail_msg("line %d, column %d: %s", error.line, error.column, error.text);
    }
    return read;
}

/* Write the plans of a row and read them back. Returns whether it is eligible. */
static bool check_row(const napcoll_plan_args_t *args)
{
    napcoll_plan_args_t from = *args, to = *args;
    napcoll_plan_text_t *read;
    size_t length;
    char *text;

    if (NAPCOLL_REASON_NONE
        != napcoll_algorithm_eligible(args->algorithm, args->map, &args->params)) {
        return false;
    }
    text = text_of(args, &length);
    read = read_text(text, length);
    assert_int_equal(read->sets, 1);
    to.algorithm = &read->set[0]->row.algorithm;
    assert_int_equal(napcoll_algorithm_eligible(to.algorithm, to.map, &to.params),
                     NAPCOLL_REASON_NONE);
    for (int rank = 0; rank < args->map->size; rank++) {
        napcoll_plan_t *plan, *copy;

        from.rank = to.rank = rank;
        plan = from.algorithm->generate(&from);
        copy = to.algorithm->generate(&to);
        assert_non_null(plan);
        assert_non_null(copy);
        assert_same_plan(plan, copy);
        napcoll_plan_free(plan);
        napcoll_plan_free(copy);
    }
    napcoll_plan_text_free(read);
    free(text);
    return true;
}

/* All rows of all collectives with some parameters on a map. Returns how many were eligible. */
static int check_rows(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    int rows = 0;

    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        const napcoll_collective_t *collective = napcoll_collectives[c];
        napcoll_params_t own = *params;

        own.in_place = params->in_place && NAPCOLL_GOAL_BARRIER != collective->goal
                       && NAPCOLL_GOAL_BCAST != collective->goal;
        own.root = napcoll_goal_is_rooted(collective->goal) ? map->size / 2 : 0;
        if (!napcoll_goal_reduces(collective->goal)
            && (params->noncommutative || params->reproducible)) {
            continue;
        }
        for (int row = 0; row < collective->algorithms; row++) {
            const napcoll_plan_args_t args = {.collective = collective,
                                              .algorithm = &collective->algorithm[row],
                                              .map = map,
                                              .params = own};

            rows += check_row(&args);
        }
    }
    return rows;
}

static void nap_plan_text_reads_back_identical(void **state)
{
    static const napcoll_params_t params[] = {
        {.local_radix = 8},
        {.local_radix = 2, .in_place = true, .segments = 3},
        {.local_radix = 3, .noncommutative = true},
        {.local_radix = 4, .reproducible = true},
        {.local_radix = 8, .provider = {NAPCOLL_PROVIDER_DELEGATE, NAPCOLL_PROVIDER_DELEGATE}}};
    static const char *const orders[] = {"block", "cyclic", "random:7"};
    static const char *const lists[] = {"4", "3,2,1", "1"};

    (void) state;
    for (size_t l = 0; l < 3; l++) {
        for (size_t order = 0; order < 3; order++) {
            for (int size = 1; size <= 17; size += 4) {
                napcoll_node_map_t *map = placement(lists[l], orders[order], size);

                for (size_t p = 0; p < sizeof(params) / sizeof(*params); p++) {
                    assert_true(check_rows(map, &params[p]) > 0);
                }
                napcoll_node_map_free(map);
            }
        }
    }
}

/* ---- plans by hand ---- */

/* Two ranks exchange their vectors. */
static const char pair[] = "napcoll-plans 1\n"
                           "plan pair allreduce # of two\n"
                           "ranks 2\n"
                           "in_place both\n"
                           "layout vector 1\n"
                           "rank 0\n"
                           "temps 0+1\n"
                           "stage\n"
                           "send sendbuf[0] to 1\n"
                           "recv temp0 from 1\n"
                           "reduce temp0 = sendbuf op temp0\n"
                           "copy recvbuf = temp0\n"
                           "rank 1\n"
                           "temps 0+1\n"
                           "stage\n"
                           "send sendbuf[0] to 0\n"
                           "recv temp0 from 0\n"
                           "reduce recvbuf = temp0 op sendbuf\n";

static napcoll_verify_status_t prove_set(const napcoll_plan_set_t *set, bool in_place,
                                         napcoll_verdict_t *verdict)
{
    napcoll_generator_t generator = {.args = {.collective = set->collective,
                                              .algorithm = &set->row.algorithm,
                                              .map = set->map,
                                              .params = napcoll_plan_set_params(set)}};
    napcoll_claim_t claim;

    generator.args.params.in_place = in_place;
    claim = napcoll_plan_args_claim(&generator.args);
    return napcoll_plan_prove(napcoll_generator_plan, &generator, set->map, &claim,
                              &(napcoll_proof_t){0}, verdict);
}

static const struct {
    const char *old, *new, *error;
    int line;
} mistakes[] = {
    {"napcoll-plans 1", "napcoll-plans 2", "expected the version", 1},
    {"napcoll-plans 1", "plans", "expected napcoll-plans", 1},
    {"plan pair", "plan .pair", "expected a name", 2},
    {"allreduce", "allreduced", "expected a collective", 2},
    {"ranks 2", "ranks 0", "expected ranks, a number from 1", 3},
    {"ranks 2", "ranks 99999999999999999999", "expected ranks, a number from 1", 3},
    {"ranks 2\n", "", "expected a line \"ranks\"", 5},
    {"ranks 2", "nodes 0 0 1\nranks 2", "expected the nodes of 2 ranks", 7},
    {"ranks 2", "root 1\nranks 2", "no root 1", 7},
    {"in_place both", "in_place perhaps", "expected no, yes or both", 4},
    {"layout vector 1", "layout ranks", "no layout ranks", 5},
    {"layout vector 1", "layout vector 0", "expected blocks of the vector", 5},
    {"layout vector 1", "ranks 2", "a second line", 5},
    {"rank 0", "rank 2", "expected a rank", 6},
    {"rank 0", "rank 1", "rank 1 twice", 13},
    {"temps 0+1", "temps 0-1", "expected the blocks of a temporary", 7},
    {"stage\nsend", "send", "expected a line \"stage\"", 8},
    {"temp0 from 1", "temp1 from 1", "expected blocks such as", 10},
    {"temp0 from 1", "list[0+1] from 1", "expected whole runs", 10},
    {"temp0 from 1", "temp0 to 1", "expected from", 10},
    {"temp0 from 1", "temp0 from 2", "expected a rank", 10},
    {"temp0 from 1", "temp0[0] from 1 now", "expected the end", 10},
    {"sendbuf op temp0", "sendbuf + temp0", "expected op", 11},
    {"sendbuf op temp0", "sendbuf", "expected op, found the end", 11},
    {"rank 1\n", "plan second bcast\nrank 1\n", "pair has no rank 1", 2},
};

static void nap_plan_text_by_hand_is_proved(void **state)
{
    napcoll_plan_text_t *read = read_text(pair, strlen(pair));
    napcoll_verdict_t verdict;

    (void) state;
    assert_int_equal(read->sets, 1);
    assert_string_equal(read->set[0]->row.algorithm.name, "file:pair");
    for (int in_place = 0; in_place < 2; in_place++) {
        if (NAPCOLL_VERIFY_OK != prove_set(read->set[0], 1 == in_place, &verdict)) {
            fail_msg("%s", verdict.text);
        }
    }
    napcoll_plan_text_free(read);
}

/* Plans that can be read, but are wrong. */
static const struct {
    const char *old, *new;
    napcoll_verify_status_t status;
} mutants[] = {
    {"send sendbuf[0] to 1\n", "", NAPCOLL_VERIFY_UNMATCHED},
    {"temp0 from 1", "sendbuf from 1", NAPCOLL_VERIFY_SPAN},
    {"to 1", "to 0", NAPCOLL_VERIFY_PEER},
    {"sendbuf op temp0", "sendbuf op sendbuf", NAPCOLL_VERIFY_CONTRIBUTION},
    {"reduce temp0 =", "reduce sendbuf =", NAPCOLL_VERIFY_SPAN},
    {"copy recvbuf = temp0", "copy recvbuf = sendbuf", NAPCOLL_VERIFY_CONTRIBUTION},
    {"copy recvbuf = temp0\n", "", NAPCOLL_VERIFY_CONTRIBUTION},
    {"layout vector 1", "messages 1\nlayout vector 1\nnoncommutative", NAPCOLL_VERIFY_OK},
    {"sendbuf op temp0", "temp0 op sendbuf", NAPCOLL_VERIFY_REDUCTION},
    {"temps 0+1", "temps 1+1", NAPCOLL_VERIFY_REDUCTION},
    {"send sendbuf[0] to 1\nrecv", "send sendbuf[0] to 1\nstage\nrecv", NAPCOLL_VERIFY_OK},
    {"recv temp0 from 1\n", "recv temp0 from 1\nrecv temp0 from 1\n", NAPCOLL_VERIFY_IN_FLIGHT},
};

static void nap_plan_text_mutant_is_refused(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof(mutants) / sizeof(*mutants); i++) {
        char *text = replaced(pair, mutants[i].old, mutants[i].new);
        napcoll_plan_text_t *read = read_text(text, strlen(text));
        napcoll_verdict_t verdict;

        if (mutants[i].status != prove_set(read->set[0], false, &verdict)) {
            fail_msg("\"%s\" became \"%s\": %s: %s", mutants[i].old, mutants[i].new,
                     napcoll_verify_status_name(verdict.status), verdict.text);
        }
        napcoll_plan_text_free(read);
        free(text);
    }
}

static void nap_plan_text_mistake_is_named(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        char *text = replaced(pair, mistakes[i].old, mistakes[i].new);
        napcoll_plan_text_error_t error;
        napcoll_plan_text_t *read;

        assert_int_equal(napcoll_plan_text_read(text, strlen(text), false, &read, &error), -1);
        assert_null(read);
        if (NULL == strstr(error.text, mistakes[i].error) || error.line != mistakes[i].line) {
            fail_msg("\"%s\" became \"%s\": line %d: %s", mistakes[i].old, mistakes[i].new,
                     error.line, error.text);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nap_plan_text_reads_back_identical),
        cmocka_unit_test(nap_plan_text_by_hand_is_proved),
        cmocka_unit_test(nap_plan_text_mutant_is_refused),
        cmocka_unit_test(nap_plan_text_mistake_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
