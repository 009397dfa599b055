/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several paths, of the same kind as Open MPI's own (see part_ucx_gains.h).
 */
#include "ompi_config.h"

#include "mpi/part_ucx_gains.h"

#include "path/part_ucx_paths.h"
#include "path/part_ucx_transports.h"
#include "process/part_ucx_process.h"

#include <string.h>

#include "ompi/mca/pml/base/base.h"
#include "opal/mca/btl/base/base.h"
#include "opal/mca/btl/btl.h"

/* What does not lead to other hosts, and what does so by TCP. */
static const char no_fabric[] = "self,sm,smcuda,xpmem,vader,tcp";

/* Do Open MPI's own messages take a network that UCX has not found? Where they go by UCX, too, it
 * has found the same there. A PML that only looks on hides another one. */
static bool has_fabric(void)
{
    const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;
    mca_btl_base_selected_module_t *btl;

    if (0 == strcmp("cm", pml) || 0 == strcmp("ucx", pml)) {
        return 0 == strcmp("cm", pml);
    }
    OPAL_LIST_FOREACH (btl, &mca_btl_base_modules_initialized, mca_btl_base_selected_module_t) {
        const char *name = btl->btl_component->btl_version.mca_component_name;

        if (!mca_part_ucx_transports_has(no_fabric, name)) {
            return true;
        }
    }
    return false;
}

static bool find_out(void)
{
    int network = mca_part_ucx_paths.fast;
    bool tcp = true;

    if (0 == mca_part_ucx_paths.count) {
        network = mca_part_ucx_paths_foresee(&tcp);
    }
    for (int i = 0; i < mca_part_ucx_paths.network; ++i) {
        tcp = tcp && PART_UCX_DEVICE_TCP == mca_part_ucx_paths.path[i].device.kind;
    }
    return network > 1 && !(tcp && has_fabric());
}

bool mca_part_ucx_gains(void)
{
    static enum { UNKNOWN, GAINS, LOSES } found;
    bool gains;

    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    if (UNKNOWN == found) {
        found = find_out() ? GAINS : LOSES;
    }
    gains = GAINS == found;
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    return gains;
}
