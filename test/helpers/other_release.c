/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * To be preloaded into a job: its Open MPI says that it is of another release.
 */
#include <mpi.h>
#include <stdio.h>

__attribute__((visibility("default"))) int PMPI_Get_library_version(char *version, int *length)
{
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Open MPI v5.99.0, made up");
    return MPI_SUCCESS;
}
