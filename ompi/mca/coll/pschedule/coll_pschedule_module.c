/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Modules (see coll_pschedule_module.h).
 */
#include "coll_pschedule_module.h"

#include <pthread.h>
#include <stdlib.h>

#define SPARE_MODULES 4

static void module_construct(mca_coll_pschedule_own_module_t *module)
{
    module->peers = (mca_coll_pschedule_peers_t) {0};
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

/* Memory for modules, from malloc, as Open MPI gives it back. Under `lock`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *spare[SPARE_MODULES];

void mca_coll_pschedule_modules_begin(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SPARE_MODULES; ++i) {
        if (NULL == spare[i]) {
            spare[i] = malloc(sizeof(mca_coll_pschedule_own_module_t));
        }
    }
    pthread_mutex_unlock(&lock);
}

void mca_coll_pschedule_modules_end(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SPARE_MODULES; ++i) {
        free(spare[i]);
        spare[i] = NULL;
    }
    pthread_mutex_unlock(&lock);
}

static void *take_spare(void)
{
    void *memory = NULL;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < SPARE_MODULES && NULL == memory; ++i) {
        memory = spare[i];
        spare[i] = NULL;
    }
    pthread_mutex_unlock(&lock);
    return memory;
}

mca_coll_pschedule_own_module_t *mca_coll_pschedule_module_new(void)
{
    mca_coll_pschedule_own_module_t *module = malloc(sizeof(*module));

    if (NULL == module) {
        module = take_spare();
    } else {
        mca_coll_pschedule_modules_begin(); /* those that have been taken */
    }
    if (NULL != module) {
        OBJ_CONSTRUCT(module, mca_coll_pschedule_own_module_t);
    }
    return module;
}
