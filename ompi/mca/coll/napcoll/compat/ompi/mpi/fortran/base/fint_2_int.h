/*
 * Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for the header of the same name in Open MPI's source, which the installed internal
 * headers include (ompi/op/op.h) but which "devel headers" installations leave out. It defines the
 * two conversions that those headers use. The folder is searched last, so the real header wins
 * wherever it is there; inside Open MPI's source tree this folder is not searched at all.
 *
 * A Fortran INTEGER that is as wide as an int, or wider, holds every int: a conversion is a cast.
 */
#ifndef OMPI_FORTRAN_BASE_FINT_2_INT_H
#define OMPI_FORTRAN_BASE_FINT_2_INT_H

#include "ompi_config.h"

#include "mpi.h"

#define OMPI_INT_2_FINT(a) ((MPI_Fint) (a))
#define OMPI_FINT_2_INT(a) ((int) (a))

#endif /* OMPI_FORTRAN_BASE_FINT_2_INT_H */
