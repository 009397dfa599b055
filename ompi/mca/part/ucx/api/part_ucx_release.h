/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is the Open MPI of this process the release whose headers this is compiled with? Structures of
 * another one may look different.
 */
#ifndef PART_UCX_RELEASE_H
#define PART_UCX_RELEASE_H

#include "ompi_config.h"

#include <ctype.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

#define PART_UCX_TEXT_OF(token)  #token
#define PART_UCX_VALUE_OF(token) PART_UCX_TEXT_OF(token)

/** As in "5.0.7". */
#define PART_UCX_RELEASE                    \
    PART_UCX_VALUE_OF(OMPI_MAJOR_VERSION)   \
    "." PART_UCX_VALUE_OF(OMPI_MINOR_VERSION) "." PART_UCX_VALUE_OF(OMPI_RELEASE_VERSION)

/**
 * Is this a program of the MPI Forum's ABI (MPI 5.0, mpicc_abi of Open MPI 6)? Its PMPI functions,
 * which the components would call, take other handles and return other numbers.
 */
static inline bool mca_part_ucx_speaks_forum_abi(void)
{
    void *library = dlopen("libmpi_abi.so.1", RTLD_LAZY | RTLD_NOLOAD);

    if (NULL != library) {
        (void) dlclose(library);
    }
    return NULL != library;
}

/**
 * Not in a program of the Forum's ABI. A pre-release counts as its release.
 *
 * @param[out] library  what MPI_Get_library_version() says: "Open MPI v5.0.7, package: ..."
 */
static inline bool mca_part_ucx_release_matches(char library[MPI_MAX_LIBRARY_VERSION_STRING])
{
    static const char built[] = "Open MPI v" PART_UCX_RELEASE;
    const size_t length = sizeof(built) - 1;
    const char *version;
    int written;

    library[0] = '\0';
    if (mca_part_ucx_speaks_forum_abi()) {
        return false; /* its text is longer, too */
    }
    if (MPI_SUCCESS != PMPI_Get_library_version(library, &written)) {
        return false;
    }
    version = strstr(library, "Open MPI v");
    return NULL != version && 0 == strncmp(version, built, length)
           && 0 == isdigit((unsigned char) version[length]);
}

#endif /* PART_UCX_RELEASE_H */
