/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Contributions that go on together (see coll_pschedule_together.h).
 */
#include "patterns/coll_pschedule_together.h"

#include "patterns/coll_pschedule_tree.h"

void mca_coll_pschedule_together(mca_coll_pschedule_together_t *together,
                                 mca_coll_pschedule_plan_t *plan,
                                 const mca_coll_pschedule_problem_t *problem, uint32_t members)
{
    together->levels = 0;
    if (!mca_coll_pschedule_goes_together(problem)) {
        return;
    }
    together->levels = (uint32_t) mca_coll_pschedule_doublings((int32_t) members) + 1;
    for (uint32_t i = 0; i < together->levels; ++i) {
        together->point[i] = mca_coll_pschedule_plan_point(plan);
        if (0 < i) {
            mca_coll_pschedule_plan_depend(plan, together->point[i], together->point[i - 1]);
        }
    }
}

const mca_coll_pschedule_node_t *
mca_coll_pschedule_together_next(const mca_coll_pschedule_together_t *together, uint32_t bit)
{
    return 0 == together->levels ? NULL : &together->point[mca_coll_pschedule_level(bit)];
}

const mca_coll_pschedule_node_t *
mca_coll_pschedule_together_all(const mca_coll_pschedule_together_t *together)
{
    return 0 == together->levels ? NULL : &together->point[together->levels - 1];
}

mca_coll_pschedule_node_t
mca_coll_pschedule_together_came(const mca_coll_pschedule_together_t *together, uint32_t distance)
{
    if (0 == together->levels) {
        return COLL_PSCHEDULE_NONE;
    }
    return together->point[0 == distance ? 0 : mca_coll_pschedule_level(distance) + 1];
}
