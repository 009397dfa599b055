/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall in log2(N) rounds, for any number of ranks: the way of Bruck's algorithm. A block for
 * the rank at distance d goes over the distances that the bits of d make up, from the lowest to the
 * highest; the ranks between relay it.
 *
 *   d = 5 = 1 + 4:    r -> r+1 -> r+5         (rank r+1 relays)
 *
 * Every rank talks to log2(N) ranks before it and behind it, instead of N-1, and sends about
 * log2(N)/2 times as many bytes. Blocks are not put together, as then one would wait for another,
 * except where that is allowed (coll_pschedule_together.h). So it is for small blocks on so many
 * ranks that connections to all of them are what costs. Relays must know how foreign blocks are
 * cut: they have to be equal.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_flow.h"
#include "patterns/coll_pschedule_messages.h"
#include "patterns/coll_pschedule_together.h"
#include "patterns/coll_pschedule_tree.h"

/* Keys: a transfer over a distance `bit` belongs to exactly one pair of ranks at each distance, so
 * the distance tells the flows between two ranks apart. */

/* To the rank at distance `bit`, with the block for distance `distance`. */
static mca_coll_pschedule_hop_t hop_to(const mca_coll_pschedule_problem_t *problem,
                                       const mca_coll_pschedule_together_t *together, uint32_t bit,
                                       uint32_t distance)
{
    return (mca_coll_pschedule_hop_t) {
        .rank = mca_coll_pschedule_after(problem, bit),
        .step = distance,
        .relays = bit != mca_coll_pschedule_highest(distance),
        .together = mca_coll_pschedule_together_next(together, bit)};
}

static mca_coll_pschedule_hop_t hop_from(const mca_coll_pschedule_problem_t *problem, uint32_t bit,
                                         uint32_t distance)
{
    return (mca_coll_pschedule_hop_t) {
        .rank = mca_coll_pschedule_before(problem, bit), .step = distance};
}

/* The blocks of other ranks for distance `distance` that go through this one: one for each bit but
 * the lowest, over which they leave. */
static void relay(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
                  const mca_coll_pschedule_together_t *together, uint32_t distance)
{
    uint32_t last = mca_coll_pschedule_lowest(distance);
    mca_coll_pschedule_flow_t flow
        = mca_coll_pschedule_flow(plan, problem, problem->contribution[0], NULL, NULL);

    for (uint32_t rest = distance - last; 0 != rest; rest -= last) {
        uint32_t next = mca_coll_pschedule_lowest(rest);

        flow.came = mca_coll_pschedule_together_came(together, last);
        mca_coll_pschedule_flow_relay(&flow, hop_from(problem, last, distance),
                                      hop_to(problem, together, next, distance));
        last = next;
    }
}

/* The block of this rank that goes that far, and the one that comes from there. */
static void exchange(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
                     const mca_coll_pschedule_together_t *together, uint32_t distance)
{
    int32_t to = mca_coll_pschedule_after(problem, distance);
    int32_t from = mca_coll_pschedule_before(problem, distance);
    mca_coll_pschedule_hop_t next
        = hop_to(problem, together, mca_coll_pschedule_lowest(distance), distance);
    mca_coll_pschedule_flow_t out = mca_coll_pschedule_flow(plan, problem, problem->send[to].cut,
                                                            &problem->send[to], NULL);
    mca_coll_pschedule_flow_t in = mca_coll_pschedule_flow(
        plan, problem, problem->contribution[from], NULL, &problem->recv[from]);

    mca_coll_pschedule_flow_leave(&out, &next, 1);
    mca_coll_pschedule_flow_pass(
        &in, hop_from(problem, mca_coll_pschedule_highest(distance), distance), NULL, 0);
}

static void build(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem)
{
    int32_t rank = problem->rank;
    mca_coll_pschedule_flow_t own = mca_coll_pschedule_flow(
        plan, problem, problem->send[rank].cut, &problem->send[rank], &problem->recv[rank]);
    mca_coll_pschedule_together_t together;

    mca_coll_pschedule_together(&together, plan, problem, (uint32_t) problem->size);
    for (uint32_t distance = 1; distance < (uint32_t) problem->size; ++distance) {
        exchange(plan, problem, &together, distance);
        relay(plan, problem, &together, distance);
    }
    mca_coll_pschedule_flow_keep(&own);
}

/* Every block moves once per bit of its distance, and is relayed one time less. */
static void cost(const mca_coll_pschedule_problem_t *problem, mca_coll_pschedule_cost_t *cost)
{
    uint64_t moves = 0;
    uint64_t relayed = 0;

    for (uint32_t distance = 1; distance < (uint32_t) problem->size; ++distance) {
        for (uint32_t rest = distance; 0 != rest; rest -= mca_coll_pschedule_lowest(rest)) {
            ++moves;
        }
    }
    if (problem->size > 1) {
        relayed = moves - (uint64_t) (problem->size - 1);
    }
    *cost = (mca_coll_pschedule_cost_t) {
        .rounds = mca_coll_pschedule_doublings(problem->size),
        .bytes = moves * problem->common_bytes,
        .relayed = relayed * problem->common_bytes,
        .scratch = relayed * mca_coll_pschedule_flow_scratch(problem),
        .crowded = problem->size > 2 ? moves * problem->common_bytes : 0};
    cost->messages = mca_coll_pschedule_lone_messages(problem, cost->rounds);
}

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_alltoall_bruck = {
    .collective = COLL_PSCHEDULE_ALLTOALL,
    .last = COLL_PSCHEDULE_ALLTOALLW,
    .name = "bruck",
    .description = "log2(N) rounds over relays, log2(N) neighbours per rank; for small blocks",
    .memory = "about N/2 * (log2(N) - 2) blocks pass through a rank; for each of their partitions "
              "up to four chunks",
    .limits = COLL_PSCHEDULE_UNIFORM,
    .build = build,
    .cost = cost};
