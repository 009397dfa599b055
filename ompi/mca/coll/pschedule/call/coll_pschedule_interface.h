/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What differs between the interfaces of collective components: 2.4.0 of Open MPI 5.0 and 3.0.0 of
 * 6.0. The parameters of a function come from Open MPI's own header, which has a list for each
 * (ALLREDUCE_INIT_ARGS, ...) whose names are the same in both. Their types are not: counts are int
 * or size_t, and lists are arrays or objects that hold either width.
 */
#ifndef COLL_PSCHEDULE_INTERFACE_H
#define COLL_PSCHEDULE_INTERFACE_H

#include "ompi_config.h"
#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/mca/coll/coll.h"

#ifdef MCA_COLL_BASE_VERSION_3_0_0

/* Who is enabled installs its functions itself. */
#    define COLL_PSCHEDULE_INSTALLS 1

typedef ompi_count_array_t mca_coll_pschedule_counts_t;
typedef ompi_disp_array_t mca_coll_pschedule_displs_t;
typedef ompi_disp_array_t mca_coll_pschedule_wide_displs_t;

/* A list of an array of int, and what is in a list. */
#    define COLL_PSCHEDULE_COUNTS(array)  ompi_count_array_create(array)
#    define COLL_PSCHEDULE_DISPLS(array)  ompi_disp_array_create(array)
#    define COLL_PSCHEDULE_COUNT(list, i) ((MPI_Count) ompi_count_array_get(list, (size_t) (i)))
#    define COLL_PSCHEDULE_DISPL(list, i) ((MPI_Aint) ompi_disp_array_get(list, (size_t) (i)))

#else

/* What a module offers when it has been enabled is installed by Open MPI. */
#    define COLL_PSCHEDULE_INSTALLS 0

typedef const int *mca_coll_pschedule_counts_t;
typedef const int *mca_coll_pschedule_displs_t;
typedef const MPI_Aint *mca_coll_pschedule_wide_displs_t;

#    define COLL_PSCHEDULE_COUNTS(array)  (array)
#    define COLL_PSCHEDULE_DISPLS(array)  (array)
#    define COLL_PSCHEDULE_COUNT(list, i) ((MPI_Count) (list)[i])
#    define COLL_PSCHEDULE_DISPL(list, i) ((MPI_Aint) (list)[i])

#endif

#endif /* COLL_PSCHEDULE_INTERFACE_H */
