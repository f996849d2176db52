/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The parameter verify: before a new plan is used, process 0 of the communicator gets the plans of
 * all ranks and verifies them together.
 *
 *     all        the length of my packed plan             -> all      (fallback's allgather)
 *     0          whether it has memory for all plans      -> all      (fallback's allgather)
 *     all but 0  my packed plan                           -> 0        (one message each)
 *     0          the verdict                              -> all      (fallback's allgather)
 */

#include "coll_napcoll.h"

#include <limits.h>
#include <stdlib.h>

#include "opal/util/output.h"
#include "ompi/mca/pml/pml.h"
#include "verify/napcoll_verify.h"

/* Gather a number of every rank, in rank order. */
static int allgather_number(mca_coll_napcoll_module_t *module, int mine, int *all)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        module, NAPCOLL_COLL_ALLGATHER);
    mca_coll_base_module_allgather_fn_t allgather = (mca_coll_base_module_allgather_fn_t)
                                                        fallback->function;

    return mca_coll_napcoll_fallback_exit(
        module, allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, module->comm, fallback->module));
}

/* Pack a plan; the caller frees the numbers. *count: -1 when there is no memory. */
static int32_t *pack_plan(const napcoll_plan_t *plan, int *count)
{
    const size_t needed = napcoll_plan_packed_count(plan);
    int32_t *numbers = needed > INT_MAX ? NULL : malloc(needed * sizeof(*numbers));

    *count = NULL == numbers ? -1 : (int) needed;
    if (NULL != numbers) {
        napcoll_plan_pack(plan, numbers);
    }
    return numbers;
}

/* Memory for the packed plans of all ranks, in rank order; on process 0. */
static int32_t *new_inbox(const mca_coll_napcoll_module_t *module, const int *counts)
{
    size_t total = 0;

    for (int rank = 0; rank < ompi_comm_size(module->comm); rank++) {
        total += (size_t) counts[rank];
    }
    return malloc(total * sizeof(int32_t));
}

/* Send the packed plan to process 0, which receives all, even when one fails. */
static int transfer_plans(const mca_coll_napcoll_module_t *module, const int32_t *numbers,
                          const int *counts, int32_t *inbox)
{
    const int me = ompi_comm_rank(module->comm);
    int result = OMPI_SUCCESS;

    if (0 != me) {
        return MCA_PML_CALL(send((void *) (uintptr_t) numbers, (size_t) counts[me], MPI_INT32_T, 0,
                                 MCA_COLL_BASE_TAG_ALLREDUCE, MCA_PML_BASE_SEND_STANDARD,
                                 module->comm));
    }
    for (int rank = 1; rank < ompi_comm_size(module->comm); inbox += counts[rank++]) {
        int rc = MCA_PML_CALL(recv(inbox, (size_t) counts[rank], MPI_INT32_T, rank,
                                   MCA_COLL_BASE_TAG_ALLREDUCE, module->comm, MPI_STATUS_IGNORE));
        result = OMPI_SUCCESS == result ? rc : result;
    }
    return result;
}

static void report_verdict(const mca_coll_napcoll_module_t *module, const napcoll_plan_t *plan,
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
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    const napcoll_claim_t claim = napcoll_plan_args_claim(
        &(napcoll_plan_args_t){.collective = collective,
                               .algorithm = &collective->algorithm[decision->algorithm],
                               .map = module->map,
                               .params = decision->params});
    napcoll_verdict_t verdict;

    (void) napcoll_plan_verify(plans, module->map, &claim, &verdict);
    if (NAPCOLL_VERIFY_OK == verdict.status) {
        opal_output_verbose(1, mca_coll_napcoll_component.output,
                            "coll:napcoll: communicator %u: %s by %s verified: %d plans, %lld "
                            "messages",
                            napcoll_compat_comm_id(module->comm), plans[0]->collective,
                            plans[0]->algorithm, verdict.plans, (long long) verdict.messages);
    } else if (NAPCOLL_VERIFY_NO_MEMORY != verdict.status) {
        report_verdict(module, plans[0], &verdict);
    }
    return (int) verdict.status;
}

/* On process 0: unpack the other ranks' plans and verify all. Returns the verifier's status. */
static int unpack_and_verify(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                             const napcoll_decision_t *decision, napcoll_plan_t *mine,
                             const int *counts, const int32_t *inbox)
{
    const int size = ompi_comm_size(module->comm);
    napcoll_plan_t **plans = calloc((size_t) size, sizeof(napcoll_plan_t *));
    int status = NAPCOLL_VERIFY_NO_MEMORY;
    bool all = NULL != plans;

    for (int rank = 1; rank < size && all; inbox += counts[rank++]) {
        plans[rank] = napcoll_plan_unpack(inbox, (size_t) counts[rank], mine->collective,
                                          mine->algorithm);
        all = NULL != plans[rank];
    }
    if (all) {
        plans[0] = mine;
        status = verify_plans(module, coll, decision, plans);
    }
    for (int rank = 1; rank < size && NULL != plans; rank++) {
        napcoll_plan_free(plans[rank]);
    }
    free(plans);
    return status;
}

/* Exchange and verify the plans. counts, said: memory for a number of each rank. When memory runs
 * out on one rank, all ranks return at the same point. */
static int exchange_plans(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                          const napcoll_decision_t *decision, napcoll_plan_t *plan, int *counts,
                          int *said, bool *good)
{
    const bool first = 0 == ompi_comm_rank(module->comm);
    int mine, status = NAPCOLL_VERIFY_OK, rc;
    int32_t *numbers = pack_plan(plan, &mine), *inbox = NULL;

    rc = allgather_number(module, mine, counts);
    for (int rank = 0; rank < ompi_comm_size(module->comm) && OMPI_SUCCESS == rc; rank++) {
        rc = counts[rank] < 0 ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS == rc) {
        inbox = first ? new_inbox(module, counts) : NULL;
        rc = allgather_number(module, first && NULL == inbox, said);
    }
    if (OMPI_SUCCESS == rc) {
        rc = said[0] ? OMPI_ERR_OUT_OF_RESOURCE : transfer_plans(module, numbers, counts, inbox);
    }
    if (OMPI_SUCCESS == rc && first) {
        status = unpack_and_verify(module, coll, decision, plan, counts, inbox);
    }
    if (OMPI_SUCCESS == rc) {
        rc = allgather_number(module, status, said);
    }
    if (OMPI_SUCCESS == rc && NAPCOLL_VERIFY_NO_MEMORY == said[0]) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    *good = OMPI_SUCCESS == rc && NAPCOLL_VERIFY_OK == said[0];
    free(numbers);
    free(inbox);
    return rc;
}

int mca_coll_napcoll_verify_plan(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                 const napcoll_decision_t *decision, napcoll_plan_t *plan,
                                 bool *good)
{
    const size_t size = (size_t) ompi_comm_size(module->comm);
    const int wanted = mca_coll_napcoll_component.verify;
    int *counts, rc;

    *good = true;
    if (OPAL_LIKELY(NAPCOLL_VERIFY_PLANS_OFF == wanted)) {
        return OMPI_SUCCESS;
    }
    /* for tests: take away the last stage, which writes the result */
    if (NAPCOLL_VERIFY_PLANS_BROKEN == wanted && 0 == plan->rank && plan->stages > 0) {
        plan->stages--;
        plan->steps = plan->stage[plan->stages].first;
    }
    counts = malloc(2 * size * sizeof(*counts));
    if (NULL == counts) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = exchange_plans(module, coll, decision, plan, counts, counts + size, good);
    free(counts);
    return rc;
}
