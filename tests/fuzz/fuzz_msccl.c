/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Fuzz target for MSCCL XML: no input crashes the reader; an error says where and what in plain
 * letters; what is accepted becomes a text of plans that can be read and judged.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"

#include "common/napcoll_msccl.h"
#include "verify/napcoll_verify.h"

static void demand_error(const napcoll_plan_text_error_t *error)
{
    demand_text(error->line, error->column, error->text, sizeof(error->text));
}

/* The text can be read, unless it is larger than plans may be; the proof comes to an end. */
static void demand_plans(const char *text, size_t length)
{
    napcoll_plan_text_error_t error = {.line = -1};
    napcoll_plan_text_t *read;

    if (0 != napcoll_plan_text_read(text, length, false, &read, &error)) {
        demand(NULL != strstr(error.text, "more than"));
        return;
    }
    for (int i = 0; i < read->sets; i++) {
        const napcoll_plan_set_t *set = read->set[i];
        napcoll_generator_t generator = {.args = {.collective = set->collective,
                                                  .algorithm = &set->row.algorithm,
                                                  .map = set->map,
                                                  .params = napcoll_plan_set_params(set)}};
        const napcoll_claim_t claim = napcoll_plan_args_claim(&generator.args);
        napcoll_verdict_t verdict;

        (void) napcoll_plan_prove(napcoll_generator_plan, &generator, set->map, &claim,
                                  &(napcoll_proof_t){0}, &verdict);
        demand(NAPCOLL_VERIFY_DEADLOCK != verdict.status
               && NAPCOLL_VERIFY_UNMATCHED != verdict.status
               && NAPCOLL_VERIFY_IN_FLIGHT != verdict.status);
    }
    napcoll_plan_text_free(read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    napcoll_plan_text_error_t error = {.line = -1};
    napcoll_msccl_t *program = napcoll_msccl_read((const char *) data, size, &error);
    char *text = NULL;
    size_t length = 0;

    for (unsigned how = 0; how < 4; how++) {
        FILE *out = open_memstream(&text, &length);
        bool good;

        demand(NULL != out);
        good = NULL != program && (how > 0 || napcoll_msccl_sort(program, &error))
               && napcoll_msccl_plans(program, "fuzz", how, out, &error);
        demand(0 == fclose(out));
        if (good) {
            demand_plans(text, length);
        } else {
            demand_error(&error);
            how = 4;
        }
        free(text);
    }
    napcoll_msccl_free(program);
    return 0;
}
