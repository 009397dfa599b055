/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component descriptor, and the module's functions: it offers MPI's persistent collectives
 * (persistent/), and an entry point for libmpix_partitioned.
 */
#include "coll_pschedule.h"
#include "call/coll_pschedule_help.h"
#include "call/coll_pschedule_peers.h"
#include "coll_pschedule_module.h"

#include <string.h>

#include "api/part_ucx_release.h"
#include "ompi/constants.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/part/base/base.h"
#include "opal/util/output.h"
#include "persistent/coll_pschedule_counters.h"
#include "persistent/coll_pschedule_persistent.h"
#include "persistent/coll_pschedule_persistent_params.h"


static int component_register(void)
{
    mca_coll_pschedule_params_register(&mca_coll_pschedule_component.collm_version);
    mca_coll_pschedule_counters_register(&mca_coll_pschedule_component.collm_version);
    return OMPI_SUCCESS;
}

static bool is_alike(const opal_class_t *class, size_t size)
{
    if (class->cls_sizeof != size) {
        mca_coll_pschedule_help("layout", class->cls_name, (unsigned long) class->cls_sizeof,
                                (unsigned long) size, PART_UCX_RELEASE);
    }
    return class->cls_sizeof == size;
}

/* Pre-releases of one release may differ. Of other structures part/ucx looks at the sizes. */
static bool layouts_match(void)
{
    return is_alike(OBJ_CLASS(mca_coll_base_module_t), sizeof(mca_coll_base_module_t))
           && is_alike(OBJ_CLASS(ompi_coll_base_nbc_request_t),
                       sizeof(ompi_coll_base_nbc_request_t));
}

static int component_open(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    if (!mca_part_ucx_release_matches(library)) {
        return OPAL_ERR_NOT_AVAILABLE; /* part/ucx says why */
    }
    if (!layouts_match()) {
        return OPAL_ERR_NOT_AVAILABLE;
    }
    mca_coll_pschedule_output = opal_output_open(NULL);
    opal_output_set_verbosity(mca_coll_pschedule_output, mca_coll_pschedule_params.verbose);
    mca_coll_pschedule_modules_begin();
    mca_coll_pschedule_persistent_params.tuning = &mca_coll_pschedule_params.tuning;
    if (mca_coll_pschedule_params.priority >= 0) {
        mca_coll_pschedule_peers_announce(
            mca_coll_pschedule_persistent_number(mca_coll_pschedule_params.priority));
    }
    return OMPI_SUCCESS;
}

static int component_close(void)
{
    mca_coll_pschedule_modules_end();
    if (mca_coll_pschedule_output >= 0) {
        mca_coll_pschedule_counters_summary();
        opal_output_close(mca_coll_pschedule_output);
        mca_coll_pschedule_output = -1;
    }
    mca_coll_pschedule_tuning_free(&mca_coll_pschedule_params.tuning);
    return OMPI_SUCCESS;
}

static int init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads, (void) enable_mpi_threads;
    return OMPI_SUCCESS;
}

static int module_enable(mca_coll_base_module_t *module, ompi_communicator_t *comm)
{
    mca_coll_pschedule_own_module_t *own = (mca_coll_pschedule_own_module_t *) module;

    mca_coll_pschedule_persistent_enable(&own->super, &own->persistent, &own->peers, comm);
    return OMPI_SUCCESS;
}

static int module_disable(mca_coll_base_module_t *module, ompi_communicator_t *comm)
{
    mca_coll_pschedule_persistent_disable((mca_coll_pschedule_module_t *) module, comm);
    return OMPI_SUCCESS;
}

static bool gains(void)
{
    const mca_part_ucx_link_api_t *links = mca_coll_pschedule_links();

    return NULL != links && links->gains();
}

static mca_coll_base_module_t *comm_query(ompi_communicator_t *comm, int *priority)
{
    mca_coll_pschedule_own_module_t *module;

    (void) comm; /* what cannot be served (intercommunicators) is told when it is asked for */
    *priority = mca_coll_pschedule_params.priority;
    if (*priority < 0) {
        return NULL;
    }
    module = mca_coll_pschedule_module_new();
    if (NULL == module) {
        return NULL;
    }
    module->super.super.coll_module_enable = module_enable;
    module->super.super.coll_module_disable = module_disable;
    module->super.version = COLL_PSCHEDULE_CALL_VERSION;
    module->super.init = mca_coll_pschedule_init;
    module->super.gains = gains;
    return &module->super.super;
}

const mca_part_ucx_link_api_t *mca_coll_pschedule_links(void)
{
    mca_base_component_list_item_t *item;

    if (0 != strcmp("ucx", mca_part_base_selected_component.partm_version.mca_component_name)) {
        return NULL;
    }
    OPAL_LIST_FOREACH(item, &ompi_part_base_framework.framework_components,
                      mca_base_component_list_item_t) {
        const mca_part_ucx_component_t *component
            = (const mca_part_ucx_component_t *) item->cli_component;

        if (0 == strcmp("ucx", item->cli_component->mca_component_name)
            && PART_UCX_LINK_MAGIC == component->magic
            && PART_UCX_LINK_VERSION == component->link->version) {
            return component->link;
        }
    }
    return NULL;
}

#ifdef MCA_COLL_BASE_VERSION_3_0_0
#    define COLL_VERSION MCA_COLL_BASE_VERSION_3_0_0
#else
#    define COLL_VERSION MCA_COLL_BASE_VERSION_2_4_0
#endif

#ifdef MCA_BASE_COMPONENT_INIT /* Open MPI 6, when it is built with this in its tree */
MCA_BASE_COMPONENT_INIT(ompi, coll, pschedule)
#endif

mca_coll_base_component_t mca_coll_pschedule_component = {
    .collm_version = {
        COLL_VERSION,
        .mca_component_name = "pschedule",
        MCA_BASE_MAKE_VERSION(component, 0, 2, 0),
        .mca_open_component = component_open,
        .mca_close_component = component_close,
        .mca_register_component_params = component_register,
    },
    .collm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .collm_init_query = init_query,
    .collm_comm_query = comm_query,
};
