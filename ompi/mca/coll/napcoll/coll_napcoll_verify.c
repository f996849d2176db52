/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The parameter verify: before a new plan is used, process 0 of the communicator collects the plans
 * of all ranks, verifies them together and broadcasts the verdict.
 */

#include "coll_napcoll.h"

#include <stdlib.h>

#include "opal/util/output.h"
#include "ompi/mca/pml/pml.h"
#include "verify/napcoll_verify.h"

/* Send the packed plan to rank 0: an empty message where there is no memory for it. */
static int send_plan(const mca_coll_napcoll_module_t *module, const napcoll_plan_t *plan)
{
    const size_t needed = napcoll_plan_packed_count(plan);
    int32_t *numbers = malloc(needed * sizeof(*numbers));
    int rc;

    if (NULL != numbers) {
        napcoll_plan_pack(plan, numbers);
    }
    rc = MCA_PML_CALL(send(numbers, NULL == numbers ? 0 : needed, MPI_INT32_T, 0,
                           MCA_COLL_BASE_TAG_ALLREDUCE, MCA_PML_BASE_SEND_STANDARD, module->comm));
    free(numbers);
    return rc;
}

/* On rank 0: receive a rank's plan, which is NULL where memory ran out on either side. */
static int receive_plan(const mca_coll_napcoll_module_t *module, int rank,
                        const napcoll_plan_t *mine, napcoll_plan_t **plan)
{
    const int tag = MCA_COLL_BASE_TAG_ALLREDUCE;
    ompi_status_public_t status;
    int32_t *numbers;
    size_t count;
    int rc = MCA_PML_CALL(probe(rank, tag, module->comm, &status));

    *plan = NULL;
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    count = status._ucount / sizeof(*numbers);
    numbers = count > 0 ? malloc(count * sizeof(*numbers)) : NULL;
    rc = MCA_PML_CALL(recv(numbers, NULL == numbers ? 0 : count, MPI_INT32_T, rank, tag,
                           module->comm, MPI_STATUS_IGNORE));
    if (NULL == numbers) {
        /* with more than an empty message, the error is that it does not fit */
        return OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS == rc) {
        *plan = napcoll_plan_unpack(numbers, count, mine->collective, mine->algorithm);
    }
    free(numbers);
    return rc;
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

/* On rank 0: verify all plans. */
static int verify_plans(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                        const napcoll_decision_t *decision, napcoll_plan_t *const *plans)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    const napcoll_claim_t claim = napcoll_plan_args_claim(
        &(napcoll_plan_args_t){.collective = collective,
                               .algorithm = napcoll_algorithm_at(collective, decision->algorithm),
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

/* On rank 0: receive and verify the plans of all ranks. */
static int verify_all(const mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                      const napcoll_decision_t *decision, napcoll_plan_t *mine, int *status)
{
    const int size = ompi_comm_size(module->comm);
    napcoll_plan_t **plans = calloc((size_t) size, sizeof(*plans)), *plan;
    bool all = NULL != plans;
    int rc = OMPI_SUCCESS;

    *status = NAPCOLL_VERIFY_NO_MEMORY;
    for (int rank = 1; rank < size && OMPI_SUCCESS == rc; rank++) {
        rc = receive_plan(module, rank, mine, &plan);
        all = all && NULL != plan;
        if (NULL != plans) {
            plans[rank] = plan;
        } else {
            napcoll_plan_free(plan);
        }
    }
    if (OMPI_SUCCESS == rc && all) {
        plans[0] = mine;
        *status = verify_plans(module, coll, decision, plans);
    }
    for (int rank = 1; rank < size && NULL != plans; rank++) {
        napcoll_plan_free(plans[rank]);
    }
    free(plans);
    return rc;
}

int mca_coll_napcoll_verify_plan(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                 const napcoll_decision_t *decision, napcoll_plan_t *plan,
                                 bool *good)
{
    const int wanted = mca_coll_napcoll_component.verify;
    int status = NAPCOLL_VERIFY_NO_MEMORY, rc;

    *good = true;
    if (OPAL_LIKELY(NAPCOLL_VERIFY_PLANS_OFF == wanted)) {
        return OMPI_SUCCESS;
    }
    /* for tests: take away the last stage, which writes the result */
    if (NAPCOLL_VERIFY_PLANS_BROKEN == wanted && 0 == plan->rank && plan->stages > 0) {
        plan->stages--;
        plan->steps = plan->stage[plan->stages].first;
    }
    rc = 0 == plan->rank ? verify_all(module, coll, decision, plan, &status)
                         : send_plan(module, plan);
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_fallback(
            module, NAPCOLL_COLL_BCAST,
            &(napcoll_binding_t){
                .recvbuf = &status, .count = 1, .datatype = MPI_INT, .comm = module->comm});
    }
    if (OMPI_SUCCESS == rc && NAPCOLL_VERIFY_NO_MEMORY == status) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    *good = OMPI_SUCCESS == rc && NAPCOLL_VERIFY_OK == status;
    return rc;
}
