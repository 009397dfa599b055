/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who served the persistent collectives of a communicator before this component was enabled on it.
 * What is not served here is handed on to them.
 */
#ifndef COLL_PSCHEDULE_PREVIOUS_H
#define COLL_PSCHEDULE_PREVIOUS_H

#include "call/coll_pschedule_interface.h"
#include "plan/coll_pschedule_each.h"

/** By slot: function, and the module that it is called with; reference held. NULL: nobody. */
typedef struct mca_coll_pschedule_previous_t {
#define COLL_PSCHEDULE_PREVIOUS(collective, slot, type) \
    mca_coll_base_module_##type##_init_fn_t slot;       \
    mca_coll_base_module_t *slot##_module;
    COLL_PSCHEDULE_EACH(COLL_PSCHEDULE_PREVIOUS)
#undef COLL_PSCHEDULE_PREVIOUS
} mca_coll_pschedule_previous_t;

/** Save what a communicator has. */
void mca_coll_pschedule_previous_save(mca_coll_pschedule_previous_t *previous,
                                      const ompi_communicator_t *comm);

/** Where this module's functions are in use, the saved ones are again. Any number of times. */
void mca_coll_pschedule_previous_restore(const mca_coll_pschedule_previous_t *previous,
                                         const mca_coll_base_module_t *module,
                                         ompi_communicator_t *comm);

void mca_coll_pschedule_previous_release(mca_coll_pschedule_previous_t *previous);

#endif /* COLL_PSCHEDULE_PREVIOUS_H */
