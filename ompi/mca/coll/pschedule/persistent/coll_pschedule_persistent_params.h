/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user has set for persistent collectives. The MCA variables are registered in
 * coll_pschedule_params.c.
 */
#ifndef COLL_PSCHEDULE_PERSISTENT_PARAMS_H
#define COLL_PSCHEDULE_PERSISTENT_PARAMS_H

#include "algorithms/coll_pschedule_tuning.h"

/** coll_pschedule_persistent. */
typedef enum mca_coll_pschedule_mode_t {
    COLL_PSCHEDULE_MODE_OFF,  /**< Open MPI's others serve all */
    COLL_PSCHEDULE_MODE_AUTO, /**< what is at least as fast here is served here */
    COLL_PSCHEDULE_MODE_ON    /**< all that can be is served here */
} mca_coll_pschedule_mode_t;

typedef struct mca_coll_pschedule_persistent_params_t {
    int mode;   /**< mca_coll_pschedule_mode_t */
    unsigned trial; /**< coll_pschedule_persistent_trial: starts before a contest; 0: none */
    bool inexact; /**< coll_pschedule_persistent_inexact: a contest may change last bits */
    const mca_coll_pschedule_tuning_t *tuning; /**< what coll_pschedule_tuning_file says */
} mca_coll_pschedule_persistent_params_t;

extern mca_coll_pschedule_persistent_params_t mca_coll_pschedule_persistent_params;

#endif /* COLL_PSCHEDULE_PERSISTENT_PARAMS_H */
