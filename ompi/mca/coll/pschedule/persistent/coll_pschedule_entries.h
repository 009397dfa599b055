/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of the module that Open MPI calls.
 */
#ifndef COLL_PSCHEDULE_ENTRIES_H
#define COLL_PSCHEDULE_ENTRIES_H

#include "persistent/coll_pschedule_previous.h"

/** Offer them on a communicator. Where nobody has served a collective before, there is nobody to
 * hand it on to. */
void mca_coll_pschedule_entries_install(mca_coll_base_module_t *module,
                                        const mca_coll_pschedule_previous_t *previous,
                                        ompi_communicator_t *comm);

#endif /* COLL_PSCHEDULE_ENTRIES_H */
