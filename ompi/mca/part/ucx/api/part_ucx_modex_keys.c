/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What processes of Open MPI publish (see part_ucx_modex_keys.h).
 */
#include "ompi_config.h"

#include "api/part_ucx_modex_keys.h"

#include <pmix.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ompi/mca/mtl/base/base.h"
#include "ompi/mca/mtl/mtl.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/pml.h"
#include "opal/mca/base/base.h"
#include "opal/mca/btl/base/base.h"
#include "opal/mca/btl/btl.h"
#include "opal/util/proc.h"

/* The n-th key, from 0 on, that may be used: of the PML, the MTL, or a BTL. */
static char *key_of(unsigned n)
{
    mca_btl_base_selected_module_t *module;

    if (0 == n) {
        return mca_base_component_to_string(&mca_pml_base_selected_component.pmlm_version);
    }
    if (NULL != ompi_mtl_base_selected_component && 0 == --n) {
        return mca_base_component_to_string(&ompi_mtl_base_selected_component->mtl_version);
    }
    OPAL_LIST_FOREACH (module, &mca_btl_base_modules_initialized, mca_btl_base_selected_module_t) {
        if (0 == --n) {
            return mca_base_component_to_string(&module->btl_component->btl_version);
        }
    }
    return NULL;
}

/* Looks at what this process has said itself, so it does not wait. */
static bool has_published(const char *key)
{
    bool optional = true;
    pmix_value_t *value = NULL;
    pmix_status_t status;
    pmix_info_t info;
    pmix_proc_t self;

    OPAL_PMIX_CONVERT_NAME(&self, &OPAL_PROC_MY_NAME);
    PMIX_INFO_LOAD(&info, PMIX_OPTIONAL, &optional, PMIX_BOOL);
    status = PMIx_Get(&self, key, &info, 1, &value);
    if (NULL != value) {
        PMIX_VALUE_RELEASE(value);
    }
    return PMIX_SUCCESS == status;
}

char *mca_part_ucx_modex_key(unsigned *next)
{
    char *key;

    while (NULL != (key = key_of((*next)++)) && !has_published(key)) {
        free(key);
    }
    return key;
}
