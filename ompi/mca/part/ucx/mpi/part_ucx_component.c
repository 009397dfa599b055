/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MCA component: registration, eligibility, selection. No data path here.
 */
#include "mpi/part_ucx_component.h"

#include "api/part_ucx_link.h"
#include "mpi/part_ucx_abi.h"
#include "mpi/part_ucx_counters.h"
#include "mpi/part_ucx_life.h"
#include "mpi/part_ucx_module.h"
#include "mpi/part_ucx_variables.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_params.h"
#include "process/part_ucx_process.h"
#include "wireup/part_ucx_presence.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/part/base/base.h"

static int component_register(void)
{
    int rc = mca_part_ucx_variables_register(&mca_part_ucx_component.super.partm_version);

    if (OMPI_SUCCESS == rc) {
        mca_part_ucx_counters_register(&mca_part_ucx_component.super.partm_version);
    }
    return rc;
}

/*
 * Stock Open MPI considers no part component but those named in mca_part_base_part, and puts only
 * "persist" there, after the components have been opened. Entries are freed with free().
 */
static int become_eligible(void)
{
    char *name = strdup("ucx");

    if (NULL == name) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (opal_pointer_array_add(&mca_part_base_part, name) < 0) {
        free(name);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

static int component_open(void)
{
    mca_part_ucx_output = opal_output_open(NULL);
    opal_output_set_verbosity(mca_part_ucx_output, mca_part_ucx_params.verbose);
    if (!mca_part_ucx_abi_matches()) {
        return OPAL_ERR_NOT_AVAILABLE;
    }
    /* Open MPI may have closed it before: nobody asks any more for what ended then. */
    (void) mca_part_ucx_queue_take(&mca_part_ucx_process.done);
    return become_eligible();
}

static int component_close(void)
{
    mca_part_ucx_life_end();
    if (mca_part_ucx_output >= 0) {
        opal_output_close(mca_part_ucx_output);
        mca_part_ucx_output = -1;
    }
    return OMPI_SUCCESS;
}

static mca_part_base_module_t *component_init(int *priority, bool enable_progress_threads,
                                              bool enable_mpi_threads)
{
    (void) enable_progress_threads, (void) enable_mpi_threads;
    /* Open MPI 5.0 forgets variables when all of MPI has ended, and does not ask for them again. */
    if (NULL == mca_part_ucx_params.devices) {
        (void) component_register();
    }
    if (OMPI_SUCCESS != mca_part_ucx_variables_check()) {
        return NULL;
    }
    if (!mca_part_ucx_presence_announce()) {
        mca_part_ucx_help("unannounced");
        return NULL;
    }
    *priority = mca_part_ucx_params.priority;
    PART_UCX_VERBOSE(1, "may be selected, with priority %d", *priority);
    return &mca_part_ucx_module;
}

#ifdef MCA_BASE_COMPONENT_INIT /* Open MPI 6, when it is built with this in its tree */
MCA_BASE_COMPONENT_INIT(ompi, part, ucx)
#endif

mca_part_ucx_component_t mca_part_ucx_component = {
    .super = {
        .partm_version = {
            MCA_PART_BASE_VERSION_2_0_0,
            .mca_component_name = "ucx",
            MCA_BASE_MAKE_VERSION(component, 0, 2, 0),
            .mca_open_component = component_open,
            .mca_close_component = component_close,
            .mca_register_component_params = component_register,
        },
        .partm_data = {MCA_BASE_METADATA_PARAM_NONE},
        .partm_init = component_init,
    },
    .magic = PART_UCX_LINK_MAGIC,
    .link = &mca_part_ucx_link_api,
};
