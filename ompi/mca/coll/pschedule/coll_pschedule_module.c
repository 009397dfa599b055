/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Modules (see coll_pschedule_module.h).
 */
#include "coll_pschedule_module.h"

#include <pthread.h>
#include <stdbool.h>

#define SPARE_MODULES 4

static void module_construct(mca_coll_pschedule_own_module_t *module)
{
    module->topology = (mca_coll_pschedule_topology_t) {0};
    module->inits = 0;
    module->super.persistent = NULL;
}

static void module_destruct(mca_coll_pschedule_own_module_t *module)
{
    mca_coll_pschedule_topology_free(&module->topology);
    mca_coll_pschedule_persistent_free(&module->super);
}

OBJ_CLASS_DECLARATION(mca_coll_pschedule_own_module_t);
OBJ_CLASS_INSTANCE(mca_coll_pschedule_own_module_t, mca_coll_base_module_t, module_construct,
                   module_destruct);

/* One that nobody uses, or NULL. The reference that is kept here has it outlive its users: Open MPI
 * would give its memory back. */
static mca_coll_pschedule_own_module_t *take_spare(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static mca_coll_pschedule_own_module_t spare[SPARE_MODULES];
    static bool made[SPARE_MODULES];
    mca_coll_pschedule_own_module_t *module = NULL;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < SPARE_MODULES && NULL == module; ++i) {
        mca_coll_base_module_t *base = &spare[i].super.super;

        if (made[i] && 1 != base->super.obj_reference_count) {
            continue;
        }
        if (made[i]) {
            OBJ_DESTRUCT(&spare[i]);
        }
        OBJ_CONSTRUCT(&spare[i], mca_coll_pschedule_own_module_t);
        OBJ_RETAIN(&spare[i]);
        made[i] = true;
        module = &spare[i];
    }
    pthread_mutex_unlock(&lock);
    return module;
}

mca_coll_pschedule_own_module_t *mca_coll_pschedule_module_new(void)
{
    mca_coll_pschedule_own_module_t *module = OBJ_NEW(mca_coll_pschedule_own_module_t);

    return NULL == module ? take_spare() : module;
}
