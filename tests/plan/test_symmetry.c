/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Proofs by symmetry say what proofs of all ranks say.
 */

#include "plan_set.h"
#include "common/napcoll_like_plans.h"
#include "mutated.h"

typedef enum { FOUND_BROKEN, FOUND_WRONG, FOUND_RIGHT } found_t;

/* Compare and prove with one symmetry. */
static found_t by_one(napcoll_plan_t **plans, napcoll_symmetry_t *symmetry,
                      napcoll_verdict_t *verdict)
{
    const napcoll_node_map_t *map = symmetry->map;
    napcoll_plan_t *model[16], *exception[NAPCOLL_SYMMETRY_EXCEPTIONS];
    int exceptions = 0;

    symmetry->model = model;
    for (int i = 0; i < symmetry->period; i++) {
        model[i] = plans[napcoll_node_map_at(map, symmetry->base + i)];
    }
    for (int rank = 0; rank < map->size; rank++) {
        switch (napcoll_symmetry_match(symmetry, plans[rank])) {
        case NAPCOLL_SYMMETRY_BROKEN:
            return FOUND_BROKEN;
        case NAPCOLL_SYMMETRY_EXCEPTION:
            if (NAPCOLL_SYMMETRY_EXCEPTIONS == exceptions) {
                return FOUND_BROKEN;
            }
            exception[exceptions++] = plans[rank];
            break;
        default:
            break;
        }
    }
    if (NAPCOLL_VERIFY_OK == napcoll_symmetry_prove(symmetry, exception, exceptions, verdict)) {
        return FOUND_RIGHT;
    }
    return 0 == exceptions ? FOUND_WRONG : FOUND_BROKEN;
}

/* The same with the first that holds. */
static found_t by_symmetry(napcoll_plan_t **plans, const napcoll_node_map_t *map,
                           const napcoll_claim_t *claim, napcoll_verdict_t *verdict)
{
    const struct {
        napcoll_symmetry_kind_t kind;
        int period;
    } candidate[] = {{NAPCOLL_SYMMETRY_RING, 1},
                     {NAPCOLL_SYMMETRY_TORUS, 1},
                     {NAPCOLL_SYMMETRY_RING, map->max_ppn}};
    found_t found = FOUND_BROKEN;

    for (int i = 0; i < 3 && FOUND_BROKEN == found; i++) {
        napcoll_symmetry_t symmetry = {.kind = candidate[i].kind,
                                       .map = map,
                                       .claim = claim,
                                       .base = 1,
                                       .period = candidate[i].period};

        if (napcoll_symmetry_is_possible(map, claim, symmetry.kind, symmetry.period)) {
            found = by_one(plans, &symmetry, verdict);
        }
    }
    return found;
}

/* What both say of one algorithm's plans on one map. */
static found_t compare_proofs(const napcoll_collective_t *collective, int row,
                              const napcoll_node_map_t *map)
{
    const napcoll_params_t params = {.local_radix = 3};
    const napcoll_plan_args_t args = {.collective = collective,
                                      .algorithm = &collective->algorithm[row],
                                      .map = map,
                                      .params = params};
    const napcoll_claim_t claim = napcoll_plan_args_claim(&args);
    napcoll_verdict_t whole, verdict;
    napcoll_plan_t **plans;
    found_t found;

    if (NAPCOLL_REASON_NONE != napcoll_algorithm_eligible(args.algorithm, map, &params)) {
        return FOUND_BROKEN;
    }
    plans = plans_of(collective, row, map, &params, ONE_SHAPE);
    assert_int_equal(napcoll_plan_verify(plans, map, &claim, &whole), NAPCOLL_VERIFY_OK);
    found = by_symmetry(plans, map, &claim, &verdict);
    assert_int_not_equal(found, FOUND_WRONG);
    if (FOUND_RIGHT == found) {
        assert_int_equal(verdict.results, whole.results);
        assert_int_equal(verdict.plans, whole.plans);
        assert_int_equal(verdict.messages, whole.messages);
    }
    free_plans(plans, map->size);
    return found;
}

static const napcoll_collective_t *const passing[] = {&napcoll_allgather, &napcoll_allgatherv,
                                                      &napcoll_alltoall, &napcoll_alltoallv};

static void symmetry_and_whole_proof_agree(void **state)
{
    static const char *const orders[] = {"block", "cyclic", "random:5"};

    (void) state;
    for (int order = 0; order < 3; order++) {
        for (int size = 2; size <= 24; size++) {
            for (int ppn = 1; ppn <= 4; ppn++) {
                napcoll_node_map_t *map = uniform(ppn, orders[order], size);

                for (int c = 0; c < 4; c++) {
                    for (int row = 0; row < passing[c]->algorithms; row++) {
                        (void) compare_proofs(passing[c], row, map);
                    }
                }
                napcoll_node_map_free(map);
            }
        }
    }
}

static void equal_nodes_have_a_symmetry(void **state)
{
    napcoll_node_map_t *map = uniform(4, "block", 24), *cyclic = uniform(4, "cyclic", 24);

    (void) state;
    assert_int_equal(compare_proofs(&napcoll_allgather, NAPCOLL_ALLGATHER_BRUCK, map), FOUND_RIGHT);
    assert_int_equal(compare_proofs(&napcoll_allgather, NAPCOLL_ALLGATHER_RING, map), FOUND_RIGHT);
    assert_int_equal(compare_proofs(&napcoll_allgatherv, NAPCOLL_ALLGATHER_BRUCK, cyclic),
                     FOUND_RIGHT);
    for (int row = 0; row < napcoll_alltoall.algorithms; row++) {
        assert_int_equal(compare_proofs(&napcoll_alltoall, row, map), FOUND_RIGHT);
        assert_int_equal(compare_proofs(&napcoll_alltoallv, row, cyclic), FOUND_RIGHT);
    }
    napcoll_node_map_free(map);
    napcoll_node_map_free(cyclic);
}

/* Mutate one rank's plan, or all plans alike, and ask both. Returns 1 where both find it. */
static int ask_both(const napcoll_collective_t *collective, int row, const napcoll_node_map_t *map,
                    int rank, int index, int mutation)
{
    const napcoll_params_t params = {.local_radix = 3};
    const napcoll_plan_args_t args = {.collective = collective,
                                      .algorithm = &collective->algorithm[row],
                                      .map = map,
                                      .params = params};
    const napcoll_claim_t claim = napcoll_plan_args_claim(&args);
    napcoll_plan_t **plans = plans_of(collective, row, map, &params, ONE_SHAPE);
    napcoll_verdict_t whole, verdict;
    bool applies = true;
    found_t found;
    int both = 0;

    for (int r = rank < 0 ? 0 : rank; r < (rank < 0 ? map->size : rank + 1); r++) {
        applies = applies && mutate(plans[r], index, mutation, map->size);
    }
    if (applies) {
        (void) napcoll_plan_verify(plans, map, &claim, &whole);
        found = by_symmetry(plans, map, &claim, &verdict);
        if (FOUND_RIGHT == found && NAPCOLL_VERIFY_OK != whole.status) {
            fail_msg("%s %s, rank %d, step %d, mutation %d: %s", collective->name,
                     args.algorithm->name, rank, index, mutation, whole.text);
        }
        both = FOUND_RIGHT != found && NAPCOLL_VERIFY_OK != whole.status;
    }
    free_plans(plans, map->size);
    return both;
}

static void symmetry_proves_no_broken_plan(void **state)
{
    const struct {
        const napcoll_collective_t *collective;
        int row;
    } one[] = {{&napcoll_allgather, NAPCOLL_ALLGATHER_BRUCK},
               {&napcoll_allgather, NAPCOLL_ALLGATHER_RING},
               {&napcoll_alltoall, NAPCOLL_ALLTOALL_TUNA},
               {&napcoll_alltoall, NAPCOLL_ALLTOALL_TUNA_COALESCED},
               {&napcoll_alltoallv, NAPCOLL_ALLTOALL_TUNA_TWO_LEVEL}};
    napcoll_node_map_t *map = uniform(2, "block", 6);

    (void) state;
    for (int i = 0; i < 5; i++) {
        int found = 0;

        for (int rank = -1; rank < map->size; rank++) {
            for (int index = 0; index < 16; index++) {
                for (int mutation = 0; mutation < MUTATIONS; mutation++) {
                    found += ask_both(one[i].collective, one[i].row, map, rank, index, mutation);
                }
            }
        }
        assert_in_range(found, 100, 16 * 7 * MUTATIONS);
    }
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetry_and_whole_proof_agree),
        cmocka_unit_test(equal_nodes_have_a_symmetry),
        cmocka_unit_test(symmetry_proves_no_broken_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
