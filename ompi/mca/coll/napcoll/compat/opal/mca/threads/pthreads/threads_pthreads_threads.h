/*
 * Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for the header that opal_config.h of Open MPI 5.x and 6.x names as
 * MCA_threads_base_include_HEADER (see threads_pthreads_mutex.h beside this): how a thread yields.
 */
#ifndef OPAL_MCA_THREADS_PTHREADS_THREADS_PTHREADS_THREADS_H
#define OPAL_MCA_THREADS_PTHREADS_THREADS_PTHREADS_THREADS_H

#include "opal_config.h"

#include <pthread.h>
#include <signal.h>

#include "opal/mca/threads/threads.h"

/* threads do not depend on each other's yielding */
#define OPAL_THREAD_YIELD_WHEN_IDLE_DEFAULT false

/* libopen-pal's: what the user chose with the parameter threads_pthreads_yield_strategy */
OPAL_DECLSPEC extern void (*opal_threads_pthreads_yield_fn)(void);

static inline void opal_thread_yield(void)
{
    opal_threads_pthreads_yield_fn();
}

#endif /* OPAL_MCA_THREADS_PTHREADS_THREADS_PTHREADS_THREADS_H */
