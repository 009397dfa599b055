/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The choice of an algorithm (see coll_pschedule_select.h).
 */
#include "algorithms/coll_pschedule_select.h"

#include <stddef.h>

/* What the processor does with data, adding up or carrying through memory, is several times faster
 * than moving them. */
#define PASSES_PER_TRANSFER 8u

/* What comes from several ranks at the same time fills queues of the network until something is
 * lost: 8 hosts with TCP over four paths took 2.2 to 2.8 times as long for an allgather that way as
 * around a ring. So such bytes count once more. */

/* Time in nanoseconds. Integers only, so that all processes calculate the same. */
static uint64_t time_of(const mca_coll_pschedule_algorithm_t *algorithm,
                        const mca_coll_pschedule_problem_t *problem, unsigned latency_us,
                        unsigned bandwidth)
{
    mca_coll_pschedule_cost_t cost = {0};

    algorithm->cost(problem, &cost);
    return (cost.rounds > cost.served ? cost.rounds : cost.served) * latency_us * 1000
           + (cost.bytes + cost.crowded + (cost.reduced + cost.relayed) / PASSES_PER_TRANSFER)
                 / bandwidth
                 * 1000;
}

const mca_coll_pschedule_algorithm_t *
mca_coll_pschedule_select(const mca_coll_pschedule_problem_t *problem, int forced,
                          unsigned latency_us, unsigned bandwidth, const char **why)
{
    const mca_coll_pschedule_algorithm_t *const *rows = mca_coll_pschedule_algorithms;
    const mca_coll_pschedule_algorithm_t *best = NULL;
    uint64_t least = UINT64_MAX;

    if (forced > 0 && mca_coll_pschedule_allows(rows[forced - 1], problem)) {
        *why = "forced";
        return rows[forced - 1];
    }
    *why = forced > 0 ? "the forced one cannot serve this call" : "least time by the model";
    for (; NULL != *rows; ++rows) {
        uint64_t time;

        if (!mca_coll_pschedule_allows(*rows, problem)) {
            continue;
        }
        time = time_of(*rows, problem, latency_us, bandwidth);
        if (time < least) {
            least = time;
            best = *rows;
        }
    }
    return best;
}
