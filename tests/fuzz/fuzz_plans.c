/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Fuzz target for plans as text: no input crashes the reader or the verifier, an error says where
 * and what in plain letters, and what is accepted reads back the same from its written form.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"

#include "algo/file/napcoll_plan_text.h"
#include "verify/napcoll_verify.h"

static void demand_error(const napcoll_plan_text_error_t *error)
{
    demand_text(error->line, error->column, error->text, sizeof(error->text));
}

/* What the verifier says of a set that may be wrong. */
static void demand_verdict(const napcoll_plan_set_t *set)
{
    napcoll_generator_t generator = {.args = {.collective = set->collective,
                                              .algorithm = &set->row.algorithm,
                                              .map = set->map,
                                              .params = napcoll_plan_set_params(set)}};
    const napcoll_claim_t claim = napcoll_plan_args_claim(&generator.args);
    napcoll_verdict_t verdict;

    demand(NAPCOLL_REASON_NONE
           == napcoll_algorithm_eligible(&set->row.algorithm, set->map, &generator.args.params));
    (void) napcoll_plan_prove(napcoll_generator_plan, &generator, set->map, &claim,
                              &(napcoll_proof_t){0}, &verdict);
    demand(NAPCOLL_VERIFY_OK == verdict.status || '\0' != verdict.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    napcoll_plan_text_error_t error = {.line = -1};
    napcoll_plan_text_t *read, *again;

    if (0 != napcoll_plan_text_read((const char *) data, size, false, &read, &error)) {
        demand(NULL == read);
        demand_error(&error);
        return 0;
    }
    for (int i = 0; i < read->sets; i++) {
        demand_verdict(read->set[i]);
    }
    demand(0 == napcoll_plan_text_read((const char *) data, size, true, &again, &error));
    demand(read->sets == again->sets);
    napcoll_plan_text_free(read);
    napcoll_plan_text_free(again);
    return 0;
}
