/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When what MPI_Pready has marked leaves (see coll_pschedule_hold.h).
 */
#include "coll_pschedule_hold.h"

/* The mean piece that this rank sends, but for notes without bytes. */
static uint64_t piece_bytes(const mca_coll_pschedule_plan_t *plan)
{
    uint64_t bytes = 0, pieces = 0;

    for (uint32_t i = 0; i < plan->transfers; ++i) {
        if (plan->link[plan->transfer[i].link].is_send) {
            bytes += plan->transfer[i].bytes;
            pieces += 0 != plan->transfer[i].bytes ? 1 : 0;
        }
    }
    return 0 == pieces ? 0 : bytes / pieces;
}

void mca_coll_pschedule_hold_make(mca_coll_pschedule_hold_t *hold,
                                  const mca_coll_pschedule_plan_t *plan,
                                  const mca_part_ucx_link_api_t *links)
{
    hold->links = links;
    hold->partitions = plan->send_partitions;
    hold->ns = hold->partitions > 1 ? links->hold(piece_bytes(plan)) : 0;
}

void mca_coll_pschedule_hold_begin(mca_coll_pschedule_hold_t *hold)
{
    if (0 != hold->ns) {
        atomic_store_explicit(&hold->unmarked, hold->partitions, memory_order_relaxed);
        atomic_store_explicit(&hold->since, hold->links->now(), memory_order_relaxed);
    }
}

/* Only a guess is made here, so the order of loads and stores does not matter: what is not pushed
 * now leaves later. Calls are counted before they mark, as the request may be gone afterwards. So
 * one that was not the last may mark after the last one has pushed, and leave its pieces to the
 * next progress. */
bool mca_coll_pschedule_hold_count(mca_coll_pschedule_hold_t *hold, uint32_t count)
{
    uint64_t now;

    if (0 == hold->ns) {
        return true;
    }
    if (count == atomic_fetch_sub_explicit(&hold->unmarked, count, memory_order_relaxed)) {
        return true;
    }
    now = hold->links->now();
    if (now - atomic_load_explicit(&hold->since, memory_order_relaxed) < hold->ns) {
        return false;
    }
    atomic_store_explicit(&hold->since, now, memory_order_relaxed);
    return true;
}
