/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The parameter verify: before a new plan is used, process 0 of the communicator gets the plans of all
 * and verifies them together.
 *
 *     all        how long my packed plan is               -> all      (previous allgather)
 *     all but 0  my packed plan                           -> 0        (a message each)
 *     0          the verdict                              -> all      (previous allgather)
 */

#include "coll_napcoll.h"

#include <limits.h>
#include <stdlib.h>

#include "opal/util/output.h"
#include "ompi/mca/pml/pml.h"
#include "plan/napcoll_plan_verify.h"

/* What every rank says, in rank order. */
static int gather_numbers(const mca_coll_napcoll_module_t *module, int mine, int *all)
{
    const napcoll_holder_t *previous = &module->previous[NAPCOLL_SLOT_ALLGATHER];
    mca_coll_base_module_allgather_fn_t allgather = (mca_coll_base_module_allgather_fn_t)
                                                        previous->function;

    return allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, module->comm, previous->module);
}

/* The plan as numbers, which the caller frees; *count is -1 where that cannot be. */
static int32_t *pack(const napcoll_plan_t *plan, int *count)
{
    const size_t needed = napcoll_plan_packed_count(plan);
    int32_t *numbers = needed > INT_MAX ? NULL : malloc(needed * sizeof(*numbers));

    *count = NULL == numbers ? -1 : (int) needed;
    if (NULL != numbers) {
        napcoll_plan_pack(plan, numbers);
    }
    return numbers;
}

/* Take one rank's plan. The message is taken in any case, so that nobody is left with it. */
static int receive_plan(const mca_coll_napcoll_module_t *module, int rank, int count,
                        const napcoll_plan_t *mine, napcoll_plan_t **plan)
{
    int32_t *numbers = malloc((size_t) count * sizeof(*numbers));
    int rc;

    if (NULL == numbers) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = MCA_PML_CALL(recv(numbers, (size_t) count, MPI_INT32_T, rank, MCA_COLL_BASE_TAG_ALLREDUCE,
                           module->comm, MPI_STATUS_IGNORE));
    if (OMPI_SUCCESS == rc) {
        *plan = napcoll_plan_unpack(numbers, (size_t) count, mine->collective, mine->algorithm);
        rc = NULL == *plan ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    }
    free(numbers);
    return rc;
}

static void report(const mca_coll_napcoll_module_t *module, const napcoll_plan_t *plan,
                   const napcoll_verdict_t *verdict)
{
    opal_mutex_t *lock = &mca_coll_napcoll_component.job.lock;

    opal_mutex_lock(lock);
    napcoll_compat_show_help("wrong plan", plan->collective, plan->algorithm, module->comm->c_name,
                             module->map->size, verdict->text,
                             napcoll_verify_status_name(verdict->status));
    opal_mutex_unlock(lock);
}

/* On process 0: verify all plans. */
static int verify_plans(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                        const napcoll_decision_t *decision, napcoll_plan_t *const *plans)
{
    const napcoll_algorithm_t *algorithm =
        &mca_coll_napcoll_collectives[coll]->algorithm[decision->algorithm];
    const napcoll_bounds_t bounds = algorithm->bounds(module->map, &decision->params);
    const napcoll_claim_t claim = {.in_place = decision->params.in_place,
                                   .ordered = decision->params.ordered,
                                   .max_inter = bounds.inter,
                                   .max_messages = bounds.all};
    napcoll_verdict_t verdict;

    (void) napcoll_plan_verify_allreduce(plans, module->map, &claim, &verdict);
    if (NAPCOLL_VERIFY_OK == verdict.status) {
        opal_output_verbose(1, mca_coll_napcoll_component.output,
                            "coll:napcoll: communicator %u: %s by %s verified: %d plans, %lld "
                            "messages",
                            napcoll_compat_comm_id(module->comm), plans[0]->collective,
                            plans[0]->algorithm, verdict.plans, (long long) verdict.messages);
    } else if (NAPCOLL_VERIFY_NO_MEMORY != verdict.status) {
        report(module, plans[0], &verdict);
    }
    return (int) verdict.status;
}

/* On process 0: gather and verify. Returns a status of the verifier. */
static int judge(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                 const napcoll_decision_t *decision, napcoll_plan_t *mine, const int *counts)
{
    const int size = ompi_comm_size(module->comm);
    napcoll_plan_t **plans = calloc((size_t) size, sizeof(napcoll_plan_t *));
    int rc = NULL == plans ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    int status = NAPCOLL_VERIFY_NO_MEMORY;

    if (NULL != plans) {
        plans[0] = mine;
    }
    for (int rank = 1; rank < size && OMPI_SUCCESS == rc; rank++) {
        rc = receive_plan(module, rank, counts[rank], mine, &plans[rank]);
    }
    if (OMPI_SUCCESS == rc) {
        status = verify_plans(module, coll, decision, plans);
    }
    for (int rank = 1; rank < size && NULL != plans; rank++) {
        napcoll_plan_free(plans[rank]);
    }
    free(plans);
    return status;
}

/* Process 0 judges; the others send what it needs. *status: of the verifier, on process 0. */
static int bring_together(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                          const napcoll_decision_t *decision, napcoll_plan_t *plan,
                          const int32_t *numbers, const int *counts, int *status)
{
    const int rank = ompi_comm_rank(module->comm);

    for (int r = 0; r < ompi_comm_size(module->comm); r++) {
        if (counts[r] < 0) {
            return OMPI_ERR_OUT_OF_RESOURCE; /* on all ranks */
        }
    }
    if (0 == rank) {
        *status = judge(module, coll, decision, plan, counts);
        return OMPI_SUCCESS;
    }
    return MCA_PML_CALL(send((void *) (uintptr_t) numbers, (size_t) counts[rank], MPI_INT32_T, 0,
                             MCA_COLL_BASE_TAG_ALLREDUCE, MCA_PML_BASE_SEND_STANDARD,
                             module->comm));
}

static int exchange(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                    const napcoll_decision_t *decision, napcoll_plan_t *plan, bool *good)
{
    int *all = malloc((size_t) ompi_comm_size(module->comm) * sizeof(*all));
    int mine, status = NAPCOLL_VERIFY_OK, rc;
    int32_t *numbers;

    if (NULL == all) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    numbers = pack(plan, &mine);
    rc = gather_numbers(module, mine, all);
    if (OMPI_SUCCESS == rc) {
        rc = bring_together(module, coll, decision, plan, numbers, all, &status);
    }
    if (OMPI_SUCCESS == rc) {
        rc = gather_numbers(module, status, all);
    }
    if (OMPI_SUCCESS == rc && NAPCOLL_VERIFY_NO_MEMORY == all[0]) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    *good = OMPI_SUCCESS == rc && NAPCOLL_VERIFY_OK == all[0];
    free(numbers);
    free(all);
    return rc;
}

int mca_coll_napcoll_verify_plan(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                 const napcoll_decision_t *decision, napcoll_plan_t *plan,
                                 bool *good)
{
    const int wanted = mca_coll_napcoll_component.verify;
    int rc;

    *good = true;
    if (OPAL_LIKELY(NAPCOLL_VERIFY_PLANS_OFF == wanted)) {
        return OMPI_SUCCESS;
    }
    if (NAPCOLL_VERIFY_PLANS_BROKEN == wanted && 0 == plan->rank && plan->stages > 0) {
        plan->stages--; /* the last one, which writes the result */
        plan->steps = plan->stage[plan->stages].first;
    }
    module->topo_state = NAPCOLL_TOPO_BUSY; /* what this calls goes to the previous functions */
    rc = exchange(module, coll, decision, plan, good);
    module->topo_state = NAPCOLL_TOPO_READY;
    return rc;
}
