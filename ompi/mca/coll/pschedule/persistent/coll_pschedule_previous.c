/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who served the persistent collectives before (see coll_pschedule_previous.h).
 */
#include "persistent/coll_pschedule_previous.h"

void mca_coll_pschedule_previous_save(mca_coll_pschedule_previous_t *previous,
                                      const ompi_communicator_t *comm)
{
    const mca_coll_base_comm_coll_t *coll = comm->c_coll;

    /* Open MPI 5.0 gives up the references that the communicator has to those who are replaced. */
#define SAVE(collective, slot, type)                         \
    previous->slot = coll->coll_##slot##_init;               \
    previous->slot##_module = coll->coll_##slot##_init_module; \
    if (NULL != previous->slot##_module) {                   \
        OBJ_RETAIN(previous->slot##_module);                 \
    }
    COLL_PSCHEDULE_EACH(SAVE)
#undef SAVE
}

void mca_coll_pschedule_previous_restore(const mca_coll_pschedule_previous_t *previous,
                                         const mca_coll_base_module_t *module,
                                         ompi_communicator_t *comm)
{
#if COLL_PSCHEDULE_INSTALLS
    mca_coll_base_comm_coll_t *coll = comm->c_coll;

#    define RESTORE(collective, slot, type)                            \
        if (module == coll->coll_##slot##_init_module) {               \
            coll->coll_##slot##_init = previous->slot;                 \
            coll->coll_##slot##_init_module = previous->slot##_module; \
        }
    COLL_PSCHEDULE_EACH(RESTORE)
#    undef RESTORE
#else
    /* Open MPI 5.0 empties the slots of a communicator one by one, and asks no more of them. */
    (void) previous, (void) module, (void) comm;
#endif
}

void mca_coll_pschedule_previous_release(mca_coll_pschedule_previous_t *previous)
{
#define RELEASE(collective, slot, type)           \
    if (NULL != previous->slot##_module) {        \
        OBJ_RELEASE(previous->slot##_module);     \
    }
    COLL_PSCHEDULE_EACH(RELEASE)
#undef RELEASE
}
