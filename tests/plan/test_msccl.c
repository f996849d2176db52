/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MSCCL XML: the plans of every algorithm that can be a program are written, read again and proved;
 * a program by hand is proved; mistakes are named with their place.
 */

#include "plan_set.h"
#include "replaced.h"

#include <string.h>

#include "common/napcoll_msccl.h"

/* The plans of XML as text, which the caller frees; NULL after an error. */
static char *plans_of_xml(const char *xml, unsigned how, size_t *length,
                          napcoll_plan_text_error_t *error)
{
    napcoll_msccl_t *program = napcoll_msccl_read(xml, strlen(xml), error);
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    bool good;

    assert_non_null(out);
    good = NULL != program && napcoll_msccl_sort(program, error)
           && napcoll_msccl_plans(program, "copy", how, out, error);
    assert_int_equal(fclose(out), 0);
    napcoll_msccl_free(program);
    if (!good) {
        free(text);
        return NULL;
    }
    return text;
}

/* Prove the first plan set of a text. */
static void prove_text(const char *text, size_t length, const napcoll_node_map_t *map,
                       bool in_place, napcoll_verdict_t *verdict)
{
    napcoll_generator_t generator = {.args = {.map = map}};
    napcoll_plan_text_error_t error;
    napcoll_plan_text_t *read;
    napcoll_claim_t claim;

    if (0 != napcoll_plan_text_read(text, length, false, &read, &error)) {
        fail_msg("line %d, column %d: %s", error.line, error.column, error.text);
    }
    generator.args.collective = read->set[0]->collective;
    generator.args.algorithm = &read->set[0]->row.algorithm;
    generator.args.params.in_place = in_place;
    claim = napcoll_plan_args_claim(&generator.args);
    assert_int_equal(
        napcoll_algorithm_eligible(generator.args.algorithm, map, &generator.args.params),
        NAPCOLL_REASON_NONE);
    (void) napcoll_plan_prove(napcoll_generator_plan, &generator, map, &claim,
                              &(napcoll_proof_t){0}, verdict);
    napcoll_plan_text_free(read);
}

/* ---- plans of algorithms ---- */

/* The program of a row's plans, which the caller frees; NULL: the row is not eligible. */
static char *xml_of(const napcoll_plan_args_t *args)
{
    napcoll_generator_t generator = {.args = *args};
    char *xml = NULL;
    size_t length;
    FILE *out;

    if (NAPCOLL_REASON_NONE
        != napcoll_algorithm_eligible(args->algorithm, args->map, &args->params)) {
        return NULL;
    }
    out = open_memstream(&xml, &length);
    assert_non_null(out);
    assert_null(napcoll_msccl_write(args, "row", napcoll_generator_plan, &generator, out));
    assert_int_equal(fclose(out), 0);
    return xml;
}

/* Returns whether the row is eligible. What it writes has the ranks' numbers, on any nodes. */
static bool check_row(const napcoll_plan_args_t *args)
{
    napcoll_node_map_t *map = placement("1", "block", args->map->size);
    char *xml = xml_of(args);
    napcoll_plan_text_error_t error;
    napcoll_verdict_t verdict;
    size_t length;

    for (unsigned how = 0; how < 4 && NULL != xml; how++) {
        char *text = plans_of_xml(xml, how, &length, &error);

        if (NULL == text) {
            fail_msg("%s %s: line %d: %s", args->collective->name, args->algorithm->name,
                     error.line, error.text);
        }
        prove_text(text, length, map, false, &verdict);
        if (NAPCOLL_VERIFY_OK == verdict.status && args->params.in_place
            && 0 != (how & NAPCOLL_MSCCL_IN_PLACE)) {
            prove_text(text, length, map, true, &verdict);
        }
        if (NAPCOLL_VERIFY_OK != verdict.status) {
            fail_msg("%s %s, how %u: %s", args->collective->name, args->algorithm->name, how,
                     verdict.text);
        }
        free(text);
    }
    napcoll_node_map_free(map);
    free(xml);
    return NULL != xml;
}

static void nap_msccl_plans_become_programs_and_plans_again(void **state)
{
    static const napcoll_collective_t *const collectives[] = {
        &napcoll_allreduce, &napcoll_allgather, &napcoll_allgatherv, &napcoll_reduce_scatter,
        &napcoll_alltoall};
    static const char *const lists[] = {"4", "3,2,1", "2"};
    static const char *const orders[] = {"block", "cyclic", "random:7"};
    int rows = 0;

    (void) state;
    for (int i = 0; i < 3 * 3 * 2; i++) {
        napcoll_node_map_t *map = placement(lists[i / 6], orders[i / 2 % 3], 1 + i % 6 * 2);

        for (int c = 0; c < 5; c++) {
            for (int row = 0; row < collectives[c]->algorithms; row++) {
                const napcoll_plan_args_t args = {
                    .collective = collectives[c],
                    .algorithm = &collectives[c]->algorithm[row],
                    .map = map,
                    .params = {.local_radix = 3, .in_place = 1 == i % 2, .segments = 1 + i % 3}};

                rows += check_row(&args);
            }
        }
        napcoll_node_map_free(map);
    }
    assert_true(rows > 200);
}

static void nap_msccl_other_plans_are_refused(void **state)
{
    napcoll_node_map_t *map = placement("2", "block", 4);
    napcoll_generator_t generator = {.args = {.collective = &napcoll_bcast,
                                              .algorithm = &napcoll_bcast.algorithm[0],
                                              .map = map,
                                              .params = {.local_radix = 8}}};
    FILE *out = tmpfile();

    (void) state;
    assert_non_null(out);
    assert_non_null(
        strstr(napcoll_msccl_write(&generator.args, "a", napcoll_generator_plan, &generator, out),
               "is for allreduce"));
    generator.args.collective = &napcoll_allreduce;
    generator.args.algorithm = &napcoll_allreduce.algorithm[NAPCOLL_ALLREDUCE_NAP];
    generator.args.params.provider[NAPCOLL_SCOPE_NODE] = NAPCOLL_PROVIDER_DELEGATE;
    assert_non_null(
        strstr(napcoll_msccl_write(&generator.args, "a", napcoll_generator_plan, &generator, out),
               "phases"));
    (void) fclose(out);
    napcoll_node_map_free(map);
}

/* ---- a program by hand ---- */

/* Two ranks exchange their vectors; the second thread block of each reduces. */
static const char pair[] =
    "<algo name='a pair' proto='LL' nchannels='1' nchunksperloop='2' ngpus='2' coll='allreduce'"
    " inplace='0'>\n"
    "<gpu id='0' i_chunks='2' o_chunks='2' s_chunks='2'>\n"
    "<tb id='0' send='1' recv='1' chan='0'>\n"
    "<step s='0' type='s' srcbuf='i' srcoff='0' dstbuf='s' dstoff='0' cnt='2' depid='-1' deps='-1'"
    " hasdep='0'/>\n"
    "<step s='1' type='r' srcbuf='i' srcoff='0' dstbuf='s' dstoff='0' cnt='2' depid='-1' deps='-1'"
    " hasdep='1'/>\n"
    "</tb>\n"
    "<tb id='1' send='-1' recv='-1' chan='0'>\n"
    "<step s='0' type='cpy' srcbuf='i' srcoff='0' dstbuf='o' dstoff='0' cnt='2' depid='-1'"
    " deps='-1' hasdep='0'/>\n"
    "<step s='1' type='re' srcbuf='s' srcoff='0' dstbuf='o' dstoff='0' cnt='2' depid='0' deps='1'"
    " hasdep='0'/>\n"
    "</tb>\n"
    "</gpu>\n"
    "<gpu id='1' i_chunks='2' o_chunks='2' s_chunks='0'>\n"
    "<tb id='0' send='0' recv='0' chan='0'>\n"
    "<step s='0' type='s' srcbuf='i' srcoff='0' dstbuf='s' dstoff='0' cnt='2' depid='-1' deps='-1'"
    " hasdep='0'/>\n"
    "<step s='1' type='rrc' srcbuf='i' srcoff='0' dstbuf='o' dstoff='0' cnt='2' depid='-1'"
    " deps='-1' hasdep='0'/>\n"
    "</tb>\n"
    "</gpu>\n"
    "</algo>\n";

static void nap_msccl_program_by_hand_is_proved(void **state)
{
    napcoll_node_map_t *map = placement("1", "block", 2);
    napcoll_plan_text_error_t error;
    napcoll_verdict_t verdict;
    size_t length;
    char *text = plans_of_xml(pair, 0, &length, &error);

    (void) state;
    assert_non_null(text);
    prove_text(text, length, map, false, &verdict);
    assert_int_equal(verdict.status, NAPCOLL_VERIFY_BRACKETING);
    free(text);
    text = plans_of_xml(pair, NAPCOLL_MSCCL_BY_RANK, &length, &error);
    assert_non_null(text);
    prove_text(text, length, map, false, &verdict);
    assert_string_equal(verdict.text, "ok");
    assert_int_equal(verdict.messages, 2);
    assert_non_null(strstr(text, "plan copy allreduce\nranks 2\nin_place no\nlayout vector 2\n"));
    free(text);
    napcoll_node_map_free(map);
}

static const struct {
    const char *old, *new, *error;
    int line;
} mistakes[] = {
    {"<algo", "<algos", "<algos>: expected <algo>", 1},
    {"proto='LL'", "protocol='LL'", "<algo> has no attribute protocol", 1},
    {"ngpus='2'", "", "<algo> lacks the attribute ngpus", 1},
    {"ngpus='2'", "ngpus='3'", "expected 3 gpus, by ngpus; found 2", 18},
    {"ngpus='2'", "ngpus='two'", "ngpus=\"two\": expected a number from 1 to 65536", 1},
    {"ngpus='2'", "ngpus='99999999999999999999'", "expected a number from 1", 1},
    {"'allreduce'", "'custom'", "expected one of allreduce, allgather, reduce_scatter, alltoall",
     1},
    {"inplace='0'", "inplace='2'", "expected a number from 0 to 1", 1},
    {"<gpu id='0'", "<gpu id='1'", "id=\"1\": expected 0", 2},
    {"<gpu id='1'", "<gpu id='0'", "id=\"0\": expected 1", 12},
    {"send='1' recv='1'", "send='0' recv='1'", "expected -1 or another of the 2 ranks", 3},
    {"send='1' recv='1'", "send='2' recv='1'", "expected -1 or another of the 2 ranks", 3},
    {"send='1' recv='1'", "send='-1' recv='1'", "its tb has send=\"-1\"", 4},
    {"s='1' type='r'", "s='2' type='r'", "s=\"2\": expected 1", 5},
    {"type='r'", "type='recv'", "expected one of nop, s, r, rcs", 5},
    {"srcbuf='i'", "srcbuf='x'", "expected one of i, o, s", 4},
    {"srcoff='0'", "srcoff='1'", "buffer i of gpu 0 has 2 chunks", 4},
    {"cnt='2'", "cnt='0'", "expected 1 or more", 4},
    {"cnt='2'", "cnt='1'", "receives cnt=\"2\" chunks, but gpu 0, tb 0, step 0 sends 1", 15},
    {"depid='0' deps='1'", "depid='0' deps='-1'", "expected a tb and its step, or -1 twice", 9},
    {"depid='0' deps='1'", "depid='2' deps='1'", "gpu 0 has no such step", 9},
    {"depid='0' deps='1'", "depid='0' deps='0'", "has hasdep=\"0\"; expected hasdep=\"1\"", 9},
    {"depid='0' deps='1'", "depid='-1' deps='-1'", "race for s[0] with tb 0, step 1 (r)", 9},
    {"type='r'", "type='nop'", "no step of gpu 0 receives this message on channel 0", 14},
    {"type='cpy'", "type='nop'", "reads o[0], to which no step before has written", 9},
    {"dstoff='0' cnt='2' depid='0'", "dstoff='1' cnt='1' depid='0'",
     "reduces chunk 1 with chunk 0; expected other offsets", 9},
    {"type='cpy' srcbuf='i' srcoff='0' dstbuf='o' dstoff='0' cnt='2'",
     "type='cpy' srcbuf='i' srcoff='1' dstbuf='o' dstoff='0' cnt='1'",
     "writes chunk 1 to o[0], the place of chunk 0", 8},
    {"</tb>\n<tb", "<tb", "<tb>: expected <step>", 6},
    {"</gpu>\n</algo>", "</algo>", "not XML: mismatched tag", 17},
    {"chan='0'", "chan='&big;'", "not XML: undefined entity", 3},
    {"<algo", "<!DOCTYPE algo><algo", "expected no <!DOCTYPE>", 1},
};

static void nap_msccl_mistake_is_named(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        char *xml = replaced(pair, mistakes[i].old, mistakes[i].new), *text;
        napcoll_plan_text_error_t error = {.line = -1};
        size_t length;

        text = plans_of_xml(xml, 0, &length, &error);
        if (NULL != text || NULL == strstr(error.text, mistakes[i].error)
            || error.line != mistakes[i].line) {
            fail_msg("\"%s\" became \"%s\": line %d: %s", mistakes[i].old, mistakes[i].new,
                     error.line, error.text);
        }
        free(xml);
    }
}

/* Wherever a file ends, that is said. */
static void nap_msccl_truncation_is_named(void **state)
{
    (void) state;
    for (size_t length = 0; length < sizeof(pair) - 2; length++) {
        napcoll_plan_text_error_t error = {.line = -1};

        assert_null(napcoll_msccl_read(pair, length, &error));
        assert_non_null(strstr(error.text, "is the file complete?"));
        assert_true(error.line > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nap_msccl_plans_become_programs_and_plans_again),
        cmocka_unit_test(nap_msccl_other_plans_are_refused),
        cmocka_unit_test(nap_msccl_program_by_hand_is_proved),
        cmocka_unit_test(nap_msccl_mistake_is_named),
        cmocka_unit_test(nap_msccl_truncation_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
