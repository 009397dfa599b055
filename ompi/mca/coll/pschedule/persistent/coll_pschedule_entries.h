/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How the functions of the module are written: say what is asked for, then ANSWER. The parameters
 * have the names that Open MPI's header gives them: `module`, `comm`, `info`, `request`, and those
 * that it lists for the collective (ALLREDUCE_BASE_ARG_NAMES, ...).
 */
#ifndef COLL_PSCHEDULE_ENTRIES_H
#define COLL_PSCHEDULE_ENTRIES_H

#include "persistent/coll_pschedule_persistent.h"

typedef mca_coll_pschedule_asked_t asked_t;

/** Return what becomes of `asked`: it is served here, or who served `slot` before is called. */
#define ANSWER(slot, ...)                                                                       \
    do {                                                                                        \
        mca_coll_pschedule_module_t *own = (mca_coll_pschedule_module_t *) module;              \
        const mca_coll_pschedule_previous_t *previous = &own->persistent->previous;             \
        int outcome = mca_coll_pschedule_persistent_serve(own, &asked, request);                \
                                                                                                \
        return COLL_PSCHEDULE_HANDED_ON != outcome                                              \
                   ? outcome                                                                    \
                   : previous->slot(__VA_ARGS__, info, request, previous->slot##_module);       \
    } while (0)

#endif /* COLL_PSCHEDULE_ENTRIES_H */
