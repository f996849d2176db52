/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans from a file (napcoll-plans(5)) as what a command of napcoll-plan studies: collective,
 * algorithm, parameters and, if the file names them, nodes come from the plan set.
 */

#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_tool.h"
#include "util/napcoll_file.h"
#include "verify/napcoll_verify.h"

/* The contents of the file. */
static char *load(const char *path, size_t *length)
{
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(path, NAPCOLL_MOST_FILE_BYTES, &why);
    char *text;

    if (NULL == in) {
        complain("%s: %s", path, why.text);
    }
    text = napcoll_allocate((size_t) NAPCOLL_MOST_FILE_BYTES + 1, 1);
    *length = fread(text, 1, (size_t) NAPCOLL_MOST_FILE_BYTES + 1, in);
    if (ferror(in) || *length > NAPCOLL_MOST_FILE_BYTES) {
        complain("%s: cannot be read, or has more than %d bytes", path, NAPCOLL_MOST_FILE_BYTES);
    }
    (void) fclose(in);
    return text;
}

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
    napcoll_plan_text_error_t error;
    size_t length;
    char *text;
    int rc;

    if (o->operands > 1) {
        complain("%s: expected one file of plans", o->operand[1]);
    }
    if (NULL != o->algorithm_name || NULL != o->tunables) {
        complain("--%s: the file says what its plans are (--name chooses plans)",
                 NULL != o->algorithm_name ? "algorithm" : "tunable");
    }
    text = load(path, &length);
    rc = napcoll_plan_text_read(text, length, false, &o->text, &error);
    free(text);
    if (0 != rc && 0 == error.line) {
        complain("%s: %s", path, error.text);
    }
    if (0 != rc && 0 == error.column) {
        complain("%s:%d: %s", path, error.line, error.text);
    }
    if (0 != rc) {
        complain("%s:%d:%d: %s", path, error.line, error.column, error.text);
    }
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
    napcoll_generator_t generator = {.args = {.collective = set->collective,
                                              .algorithm = &set->row.algorithm,
                                              .params = napcoll_plan_set_params(set)}};
    const napcoll_proof_t proof = {.plan_memory = (size_t) 512 << 20};
    napcoll_verdict_t verdict;
    napcoll_claim_t claim;
    napcoll_node_map_t *map;

    o->set = set;
    o->ranks = set->ranks;
    o->params.root = set->root;
    map = make_map(o);
    generator.args.map = map;
    generator.args.params.in_place = in_place;
    claim = napcoll_plan_args_claim(&generator.args);
    (void) napcoll_plan_prove(napcoll_generator_plan, &generator, map, &claim, &proof, &verdict);
    if (NAPCOLL_VERIFY_NO_MEMORY == verdict.status) {
        napcoll_out_of_memory();
    }
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
