/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component and what is global to a process. Start reading at README.md in this folder.
 */
#ifndef COLL_PSCHEDULE_H
#define COLL_PSCHEDULE_H

#include "algorithms/coll_pschedule_tuning.h"
#include "call/coll_pschedule_call.h"

#include "api/part_ucx_link.h"

/** The MCA variables. See coll_pschedule_params.c for their meaning. */
typedef struct mca_coll_pschedule_params_t {
    int priority;
    int verbose;
    size_t chunk;          /**< largest transfer in bytes */
    size_t shared_chunk;   /**< the same where all processes are on one host */
    mca_coll_pschedule_rates_t rates; /**< for the choice of an algorithm */
    char *tuning_file;     /**< where more is said of that, or NULL */
    mca_coll_pschedule_tuning_t tuning; /**< what it says */
    char *hosts;           /**< made-up ones, or NULL */
    int forced[COLL_PSCHEDULE_COLLECTIVES]; /**< 0: choose; else 1 + index in the table */
} mca_coll_pschedule_params_t;

extern mca_coll_pschedule_params_t mca_coll_pschedule_params;
OMPI_DECLSPEC extern mca_coll_base_component_t mca_coll_pschedule_component;

/** Register all MCA variables, and read the tuning file (coll_pschedule_params.c). */
void mca_coll_pschedule_params_register(const mca_base_component_t *component);

/** What part/ucx offers (coll_pschedule_component.c), or NULL when it is not the part component in
 * use. */
const mca_part_ucx_link_api_t *mca_coll_pschedule_links(void);

/** The `init` of the module (coll_pschedule_init.c). */
int mca_coll_pschedule_init(mca_coll_pschedule_module_t *module,
                            const mca_coll_pschedule_call_t *call, ompi_request_t **request);

#endif /* COLL_PSCHEDULE_H */
