/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Made-up hosts for the ranks of a run of the simulator.
 */
#ifndef MPIX_UNIT_SIMHOSTS_H
#define MPIX_UNIT_SIMHOSTS_H

#include "plan/coll_pschedule_hosts.h"
#include "unit.h"

/** How ranks are placed on hosts. */
typedef enum sim_placement_t {
    SIM_BLOCK,
    SIM_ROUND_ROBIN,
    SIM_RANDOM, /**< follows from the seed of the run */
    SIM_UNEVEN, /**< in blocks of different sizes, the first rank alone */
    SIM_PLACEMENTS
} sim_placement_t;

struct sim_params_t;
struct sim_rank_t;

/** The hosts of a run; to be freed. */
void sim_hosts(const struct sim_params_t *params, mca_coll_pschedule_hosts_t *hosts);

/** May the row serve such a run? */
bool sim_allows(const struct sim_params_t *params);

/** Draw hosts: for rows that need them, and now and then for the others. */
void sim_draw_hosts(struct sim_params_t *params, unit_random_t *random);

/** Tell a rank how the blocks from and to the ranks of its host are cut; to be freed. */
void sim_tell_relay(struct sim_rank_t *rank);

#endif /* MPIX_UNIT_SIMHOSTS_H */
