/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The module that each communicator gets.
 */
#ifndef COLL_PSCHEDULE_MODULE_H
#define COLL_PSCHEDULE_MODULE_H

#include "call/coll_pschedule_peers.h"
#include "call/coll_pschedule_topology.h"
#include "persistent/coll_pschedule_persistent.h"

/** The module as the component has it: with what is known of the communicator. */
typedef struct mca_coll_pschedule_own_module_t {
    mca_coll_pschedule_module_t super;
    mca_coll_pschedule_peers_t peers;
    mca_coll_pschedule_topology_t topology;
    unsigned inits; /**< those that have opened links: the same on all ranks */
    mca_coll_pschedule_persistent_t persistent; /**< `super` points there when it is enabled */
} mca_coll_pschedule_own_module_t;

/** Memory for a few modules, from the opening of the component to its close. */
void mca_coll_pschedule_modules_begin(void);
void mca_coll_pschedule_modules_end(void);

/**
 * A new module; NULL: no memory. The other ranks of a communicator would wait in its first init for
 * a rank without a module. So there is memory for a few, in any case. Any thread.
 */
mca_coll_pschedule_own_module_t *mca_coll_pschedule_module_new(void);

#endif /* COLL_PSCHEDULE_MODULE_H */
