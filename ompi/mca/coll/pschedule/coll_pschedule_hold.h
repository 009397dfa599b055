/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When what MPI_Pready has marked leaves. Programs often mark one partition after the other. If
 * these are small, a message for each costs several times as much as one for all. So a mark of a
 * plan of small pieces leaves what it has set free to the next one, except
 *
 *   - the last one of the epoch: nobody comes after it;
 *   - one that comes `part_ucx_hold` or more after the last time that something left: partitions
 *     that threads compute for longer than that leave one by one.
 *
 * What is left behind also leaves as soon as a thread waits or asks inside MPI, or the helper
 * thread looks.
 */
#ifndef COLL_PSCHEDULE_HOLD_H
#define COLL_PSCHEDULE_HOLD_H

#include "api/part_ucx_link.h"
#include "plan/coll_pschedule_plan.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct mca_coll_pschedule_hold_t {
    const mca_part_ucx_link_api_t *links;
    uint64_t ns;                /**< for so long; 0: marks leave at once */
    uint32_t partitions;        /**< of the contribution */
    atomic_uint unmarked;       /**< partitions that have not been marked in this epoch */
    atomic_uint_fast64_t since; /**< when something left, or the epoch began */
} mca_coll_pschedule_hold_t;

/** For a frozen plan. */
void mca_coll_pschedule_hold_make(mca_coll_pschedule_hold_t *hold,
                                  const mca_coll_pschedule_plan_t *plan,
                                  const mca_part_ucx_link_api_t *links);

/** An epoch begins. */
void mca_coll_pschedule_hold_begin(mca_coll_pschedule_hold_t *hold);

/** Count that a call is about to mark so many partitions. Does what they set free leave with it? */
bool mca_coll_pschedule_hold_count(mca_coll_pschedule_hold_t *hold, uint32_t count);

#endif /* COLL_PSCHEDULE_HOLD_H */
