/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in for a header that ompi/op/op.h includes and Open MPI does not install: conversions of
 * one integer between C and Fortran.
 */

#ifndef MPIX_COMPAT_FINT_2_INT_H
#define MPIX_COMPAT_FINT_2_INT_H

#include "ompi_config.h"

#include "mpi.h"

#define OMPI_INT_2_FINT(value) ((MPI_Fint) (value))
#define OMPI_FINT_2_INT(value) ((int) (value))

#endif /* MPIX_COMPAT_FINT_2_INT_H */
