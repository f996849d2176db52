/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The functions that initialize persistent collectives, for programs: of MPI 4 or, in Open MPI 4.1,
 * of its extension pcollreq, without which there are none.
 */

#ifndef NAPCOLL_COMPAT_PERSISTENT_H
#define NAPCOLL_COMPAT_PERSISTENT_H

#include <mpi.h>
#if defined(OPEN_MPI) && OPEN_MPI
#    include <mpi-ext.h>
#endif

/** NAPCOLL_PERSISTENT_INIT(Allreduce, ...) calls MPI_Allreduce_init or MPIX_Allreduce_init. */
#if OMPI_MAJOR_VERSION >= 5
#    define NAPCOLL_HAVE_PERSISTENT             1
#    define NAPCOLL_PERSISTENT_INIT(Upper, ...) MPI_##Upper##_init(__VA_ARGS__)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ
#    define NAPCOLL_HAVE_PERSISTENT             1
#    define NAPCOLL_PERSISTENT_INIT(Upper, ...) MPIX_##Upper##_init(__VA_ARGS__)
#else
#    define NAPCOLL_HAVE_PERSISTENT             0
#    define NAPCOLL_PERSISTENT_INIT(Upper, ...) MPI_ERR_UNSUPPORTED_OPERATION
#endif

#endif /* NAPCOLL_COMPAT_PERSISTENT_H */
