/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What napcoll itself takes of a call whose class is known: from the arguments to the plan,
 * with the frame around it. One process, on a module of 64 ranks that is made here, so nothing is
 * sent; the component's sources are compiled in (see Makefile.am). Prints nanoseconds for each
 * call, the median of some rounds.
 */

#include "coll_napcoll_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/napcoll_robust.h"
#include "opal/util/output.h"

enum { RANKS = 64, NODES = 8, ROUNDS = 21, CALLS = 1000000 };

static double now_ns(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "plan_for: %s failed\n", what);
    exit(EXIT_FAILURE);
}

static mca_coll_napcoll_module_t *make_module(void)
{
    mca_coll_napcoll_module_t *module = OBJ_NEW(mca_coll_napcoll_module_t);
    int node[RANKS];

    for (int rank = 0; rank < RANKS; rank++) {
        node[rank] = rank / (RANKS / NODES);
    }
    if (NULL == module || 0 != napcoll_node_map_create(node, RANKS, &module->map)) {
        fail("making a module");
    }
    module->comm = MPI_COMM_WORLD;
    module->ready = true;
    return module;
}

/* A call as the collectives make it, except for the operation; some vectors of one class, and where
 * asked for another one in between. */
static void call(mca_coll_napcoll_module_t *module, size_t bytes, int root)
{
    const napcoll_call_t what = {.coll = NAPCOLL_COLL_REDUCE, .bytes = bytes, .root = root};
    mca_coll_napcoll_call_stats_t stats;
    const napcoll_cached_t *entry;
    napcoll_plan_t *plan;

    mca_coll_napcoll_begin(module, &stats);
    if (OMPI_SUCCESS != mca_coll_napcoll_plan_for(module, &what, &stats, &entry, &plan)
        || NULL == plan) {
        fail("a plan");
    }
    if (OMPI_SUCCESS != mca_coll_napcoll_end(&stats, OMPI_SUCCESS)) {
        fail("a call");
    }
}

static void measure(const char *name, size_t other_bytes, int roots)
{
    mca_coll_napcoll_module_t *module = make_module();
    double ns[ROUNDS];

    for (int root = 0; root < roots; root++) {
        call(module, 8, root);
        call(module, other_bytes, root);
    }
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = now_ns();

        for (int i = 0; i < CALLS; i += 2) {
            call(module, 8, i / 2 % roots);
            call(module, other_bytes, i / 2 % roots);
        }
        ns[round] = (now_ns() - begin) / CALLS;
    }
    napcoll_robust_sort(ns, ROUNDS);
    printf("%-48s %7.1f ns   %7.1f .. %7.1f\n", name, napcoll_robust_quantile(ns, ROUNDS, 0.5),
           ns[0], ns[ROUNDS - 1]);
    OBJ_RELEASE(module);
}

int main(int argc, char **argv)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    if (MPI_SUCCESS != MPI_Init(&argc, &argv) || OMPI_SUCCESS != mca_coll_napcoll_register()) {
        fail("MPI_Init or the registration of parameters");
    }
    component->output = opal_output_open(NULL);
    napcoll_job_construct(&component->job, 1);
    mca_coll_napcoll_shared_open();
    component->summary = NAPCOLL_SUMMARY_OFF;
    component->online = false;
    mca_coll_napcoll_stats_open();
    printf(
        "One call of a known class, without what it sends; median and range of %d rounds of %d\n",
        ROUNDS, CALLS);
    measure("the same class again", 8, 1);
    measure("two classes in turn", 1024, 1);
    measure("16 roots and two classes in turn", 1024, 16);
    component->summary = NAPCOLL_SUMMARY_ALL;
    mca_coll_napcoll_stats_open();
    measure("the same class again, with a summary", 8, 1);
    napcoll_call_stats_release(&component->stats);
    mca_coll_napcoll_shared_close();
    return MPI_SUCCESS == MPI_Finalize() ? EXIT_SUCCESS : EXIT_FAILURE;
}
