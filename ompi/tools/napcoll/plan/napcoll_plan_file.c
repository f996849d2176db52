/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans from a file (napcoll-plans(5)) as what a command of napcoll-plan studies: collective,
 * algorithm, parameters and, if the file names them, nodes come from the plan set. A file of MSCCL
 * XML becomes such plans first.
 */

#include <stdlib.h>
#include <string.h>

#include "common/napcoll_msccl.h"
#include "napcoll_plan_tool.h"
#include "util/napcoll_file.h"
#include "verify/napcoll_verify.h"

void check_name(const options_t *o)
{
    const char *name = o->name;

    if (NULL != name
        && (strlen(name) != napcoll_plan_name_length(name, strlen(name)) || '\0' == *name)) {
        complain("--name %s: expected at most %d letters, digits and _ - . inside", name,
                 NAPCOLL_PLAN_NAME - 1);
    }
}

__attribute__((noreturn)) static void refuse_file(const char *path,
                                                  const napcoll_plan_text_error_t *error)
{
    if (0 == error->line) {
        complain("%s: %s", path, error->text);
    }
    if (0 == error->column) {
        complain("%s:%d: %s", path, error->line, error->text);
    }
    complain("%s:%d:%d: %s", path, error->line, error->column, error->text);
}

static napcoll_plan_text_t *read_text(const char *path, const char *text, size_t length)
{
    napcoll_plan_text_error_t error;
    napcoll_plan_text_t *read;

    if (0 != napcoll_plan_text_read(text, length, false, &read, &error)) {
        refuse_file(path, &error);
    }
    return read;
}

/* ---- MSCCL XML ---- */

/* The plans of a program as text, which the caller frees. */
static char *text_of(const char *path, napcoll_msccl_t *program, const char *name, unsigned how,
                     size_t *length)
{
    napcoll_plan_text_error_t error;
    char *text = NULL;
    FILE *out = open_memstream(&text, length);

    if (NULL == out) {
        napcoll_out_of_memory();
    }
    if (!napcoll_msccl_plans(program, name, how, out, &error)) {
        refuse_file(path, &error);
    }
    if (0 != fclose(out)) {
        napcoll_out_of_memory();
    }
    return text;
}

static napcoll_verify_status_t prove_set(const napcoll_plan_set_t *set,
                                         const napcoll_node_map_t *map, bool in_place,
                                         napcoll_verdict_t *verdict)
{
    napcoll_generator_t generator = {.args = {.collective = set->collective,
                                              .algorithm = &set->row.algorithm,
                                              .map = map,
                                              .params = napcoll_plan_set_params(set)}};
    const napcoll_proof_t proof = {.plan_memory = (size_t) 512 << 20,
                                   .value_memory = napcoll_memory_limit()};
    napcoll_claim_t claim;

    generator.args.params.in_place = in_place;
    claim = napcoll_plan_args_claim(&generator.args);
    (void) napcoll_plan_prove(napcoll_generator_plan, &generator, map, &claim, &proof, verdict);
    if (NAPCOLL_VERIFY_NO_MEMORY == verdict->status) {
        napcoll_out_of_memory();
    }
    return verdict->status;
}

/* What the plans of an allreduce lack, as a bit to be changed in how they are made; 0: nothing. */
static unsigned lack_of(const napcoll_plan_set_t *set, unsigned how)
{
    napcoll_verdict_t verdict;

    if (0 == (how & NAPCOLL_MSCCL_BY_RANK)
        && NAPCOLL_VERIFY_BRACKETING == prove_set(set, set->map, false, &verdict)) {
        return NAPCOLL_MSCCL_BY_RANK;
    }
    if (0 != (how & NAPCOLL_MSCCL_IN_PLACE)
        && NAPCOLL_VERIFY_OK != prove_set(set, set->map, true, &verdict)) {
        return NAPCOLL_MSCCL_IN_PLACE;
    }
    return 0;
}

/* The plans of a program. Only an allreduce can be wrong in place, and has ranks that reduce the
 * same. */
static napcoll_plan_text_t *read_msccl(const options_t *o, const char *path, const char *xml,
                                       size_t length)
{
    napcoll_plan_text_error_t error;
    napcoll_msccl_t *program = napcoll_msccl_read(xml, length, &error);
    napcoll_plan_text_t *read = NULL;
    unsigned how = NAPCOLL_MSCCL_IN_PLACE, lack = 0;

    if (NULL == program || !napcoll_msccl_sort(program, &error)) {
        refuse_file(path, &error);
    }
    do {
        char *text;

        how ^= lack;
        napcoll_plan_text_free(read);
        text = text_of(path, program, NULL == o->name ? program->name : o->name, how, &length);
        read = read_text(path, text, length);
        free(text);
        lack = NAPCOLL_MSCCL_ALLREDUCE == program->coll ? lack_of(read->set[0], how) : 0;
    } while (0 != lack);
    napcoll_msccl_free(program);
    return read;
}

/* ---- any file ---- */

/* The first plan set, or the one of --name. */
static const napcoll_plan_set_t *choose(const options_t *o, const char *path)
{
    for (int i = 0; i < o->text->sets; i++) {
        if (NULL == o->name || 0 == strcmp(o->name, o->text->set[i]->name)) {
            return o->text->set[i];
        }
    }
    if (NULL != o->name) {
        complain("--name %s: %s has no plans of that name", o->name, path);
    }
    complain("%s: expected plans, found none", path);
}

void read_plan_file(options_t *o)
{
    const char *path = o->operand[0];
    napcoll_file_error_t why;
    size_t length;
    char *text;

    if (o->operands > 1) {
        complain("%s: expected one file of plans", o->operand[1]);
    }
    if (NULL != o->algorithm_name || NULL != o->tunables) {
        complain("--%s: the file says what its plans are (--name chooses plans)",
                 NULL != o->algorithm_name ? "algorithm" : "tunable");
    }
    check_name(o);
    text = napcoll_file_load(path, NAPCOLL_MOST_FILE_BYTES, &length, &why);
    if (NULL == text) {
        complain("%s: %s", path, why.text);
    }
    o->text = '<' == text[strspn(text, " \t\r\n")] ? read_msccl(o, path, text, length)
                                                   : read_text(path, text, length);
    free(text);
    o->set = choose(o, path);
    o->collective = o->set->collective;
    o->algorithm = &o->set->row.algorithm;
    o->params.root = o->set->root;
    o->params.noncommutative = o->set->noncommutative;
    o->params.in_place = NAPCOLL_IN_PLACE_YES == o->set->in_place
                         || (NAPCOLL_IN_PLACE_BOTH == o->set->in_place && o->params.in_place);
    o->ranks = o->set->ranks;
}

/* Prove the plans of a set for calls that are in place, or not; true if they are right. */
static bool prove(options_t *o, const napcoll_plan_set_t *set, bool in_place)
{
    napcoll_verdict_t verdict;
    napcoll_node_map_t *map;

    o->set = set;
    o->ranks = set->ranks;
    o->params.root = set->root;
    map = make_map(o);
    (void) prove_set(set, map, in_place, &verdict);
    printf("%s %s, line %d%s: ", set->collective->name, set->row.title, set->line,
           in_place ? ", in place" : "");
    if (NAPCOLL_VERIFY_OK == verdict.status) {
        printf("ok; %d plans, %lld messages\n", verdict.plans, (long long) verdict.messages);
    } else {
        printf("broken: %s: %s\n", napcoll_verify_status_name(verdict.status), verdict.text);
    }
    free_map(o, map);
    return NAPCOLL_VERIFY_OK == verdict.status;
}

int verify_plan_file(options_t *o)
{
    bool right = true;

    for (int i = 0; i < o->text->sets; i++) {
        const napcoll_plan_set_t *set = o->text->set[i];

        if (NULL != o->name && 0 != strcmp(o->name, set->name)) {
            continue;
        }
        if (NAPCOLL_IN_PLACE_YES != set->in_place) {
            right = prove(o, set, false) && right;
        }
        if (NAPCOLL_IN_PLACE_NO != set->in_place) {
            right = prove(o, set, true) && right;
        }
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
