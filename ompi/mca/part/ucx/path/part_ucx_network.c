/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opening the network paths (see part_ucx_network.h).
 */
#include "path/part_ucx_network.h"

#include "path/part_ucx_helper.h"
#include "path/part_ucx_paths.h"

#include "ompi/constants.h"

int mca_part_ucx_network_open(void)
{
    mca_part_ucx_paths_t *paths = &mca_part_ucx_paths;
    const char *devices, *transports;
    bool scarce = false;
    int failed = 0;

    if (paths->network_asked) {
        return paths->network_outcome;
    }
    paths->network_asked = true;
    mca_part_ucx_paths_wanted(&devices, &transports);
    for (int i = 0; i < paths->network; ++i) {
        int rc;

        if (mca_part_ucx_path_is_open(&paths->path[i])) {
            continue; /* since the last try */
        }
        rc = mca_part_ucx_path_open(&paths->path[i], mca_part_ucx_helper_wanted());
        if (OMPI_SUCCESS != rc) {
            ++failed;
            scarce = scarce || OMPI_ERR_OUT_OF_RESOURCE == rc;
        } else {
            mca_part_ucx_helper_add(&paths->path[i]);
        }
    }
    /* Not to be remembered, nor told to a peer, which would keep it. */
    if (scarce) {
        paths->network_asked = false;
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (0 != failed
        && ('\0' != devices[0] || (failed == paths->network && NULL == paths->shared))) {
        paths->network_outcome = OMPI_ERR_NOT_FOUND;
    }
    return paths->network_outcome;
}
