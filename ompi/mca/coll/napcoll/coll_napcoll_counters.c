/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The counters as MPI_T performance variables, which come from the collectives' tables.
 */

#include "coll_napcoll.h"

#include <stdio.h>

#include "opal/mca/base/mca_base_pvar.h"

static int register_variable(const char *name, const char *help, int class,
                             _Atomic unsigned long long *value)
{
    int rc = mca_base_component_pvar_register(
        &mca_coll_napcoll_component.super.collm_version, name, help, OPAL_INFO_LVL_4, class,
        MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, NULL, NULL, NULL,
        (void *) (uintptr_t) value);
    return rc < 0 ? rc : OPAL_SUCCESS;
}

static int register_counter(const char *name, const char *help, _Atomic unsigned long long *counter)
{
    return register_variable(name, help, MCA_BASE_PVAR_CLASS_COUNTER, counter);
}

int mca_coll_napcoll_register_node_memory(void)
{
    int rc = register_counter("node_messages",
                              "Messages that this process has sent through node memory",
                              &napcoll_node_messages_sent);

    return OPAL_SUCCESS == rc ? register_variable("node_memory_mapped",
                                                  "Bytes of node memory that this process has "
                                                  "mapped now, for all communicators",
                                                  MCA_BASE_PVAR_CLASS_LEVEL,
                                                  &mca_coll_napcoll_component.node_memory_mapped)
                              : rc;
}

/* Register the counters of one function's calls by an algorithm. */
static int register_algorithm(napcoll_counters_t *counters, int row, const char *function,
                              const char *algorithm)
{
    char name[96], help[256];
    int rc;

    (void) snprintf(name, sizeof(name), "runs_%s_%s", function, algorithm);
    (void) snprintf(help, sizeof(help), "Calls of %s by algorithm %s", function, algorithm);
    rc = register_counter(name, help, &counters->runs[row]);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    (void) snprintf(name, sizeof(name), "bytes_%s_%s", function, algorithm);
    (void) snprintf(help, sizeof(help),
                    "Bytes of the calls of %s by algorithm %s: of each call the size by which it "
                    "was decided, of the vector or of a rank's block",
                    function, algorithm);
    return register_counter(name, help, &counters->bytes[row]);
}

/* Register the counters of one function. */
static int register_function(napcoll_coll_t coll, napcoll_kind_t kind)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];
    napcoll_counters_t *counters = &mca_coll_napcoll_component.counters[kind][coll];
    char function[NAPCOLL_FUNCTION_NAME], name[96], help[256];
    int rc = OPAL_SUCCESS;

    napcoll_function_name(collective, kind, function);
    for (int row = 0; row < collective->algorithms && OPAL_SUCCESS == rc; row++) {
        rc = register_algorithm(counters, row, function, collective->algorithm[row].name);
    }
    if (OPAL_SUCCESS == rc) {
        rc = register_algorithm(counters, NAPCOLL_MAX_ALGORITHMS, function, "file");
    }
    for (napcoll_reason_t reason = NAPCOLL_REASON_NONE + 1;
         reason < NAPCOLL_REASONS && OPAL_SUCCESS == rc; reason++) {
        if (!napcoll_collective_has_reason(collective, kind, reason)) {
            continue;
        }
        (void) snprintf(name, sizeof(name), "fallbacks_%s_%s", function,
                        napcoll_reason_name(reason));
        (void) snprintf(help, sizeof(help),
                        "Calls of %s that went to the fallback component, because %s", function,
                        napcoll_reason_help(reason));
        rc = register_counter(name, help, &counters->fallbacks[reason]);
    }
    return rc;
}

int mca_coll_napcoll_register_counters(napcoll_coll_t coll)
{
    int rc = OPAL_SUCCESS;

    for (int kind = 0; kind < NAPCOLL_KINDS && OPAL_SUCCESS == rc; kind++) {
        rc = register_function(coll, (napcoll_kind_t) kind);
    }
    return rc;
}

static inline void add_to(_Atomic unsigned long long *counter, size_t more)
{
    (void) atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

void mca_coll_napcoll_count(napcoll_coll_t coll, const napcoll_outcome_t *outcome, size_t bytes)
{
    napcoll_counters_t *counters = &mca_coll_napcoll_component.counters[outcome->kind][coll];

    if (OPAL_LIKELY(outcome->algorithm >= 0)) {
        const int row = napcoll_min(outcome->algorithm, NAPCOLL_MAX_ALGORITHMS);

        add_to(&counters->runs[row], 1);
        add_to(&counters->bytes[row], bytes);
    } else {
        add_to(&counters->fallbacks[outcome->reason], 1);
    }
}
