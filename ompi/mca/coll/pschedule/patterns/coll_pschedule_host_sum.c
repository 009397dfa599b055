/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of what the ranks of a host contribute (see coll_pschedule_host_sum.h).
 */
#include "patterns/coll_pschedule_host_sum.h"

/* Bytes of a partition from which on it has leaders of its own. */
#define WORTH_A_LEADER 4096u

uint32_t mca_coll_pschedule_host_sum_slots(uint32_t on)
{
    uint32_t wanted = 2 * (on - 1);

    wanted = wanted < COLL_PSCHEDULE_REDUCTION_SLOTS ? COLL_PSCHEDULE_REDUCTION_SLOTS : wanted;
    return wanted > COLL_PSCHEDULE_REDUCTION_SLOTS_MOST ? COLL_PSCHEDULE_REDUCTION_SLOTS_MOST
                                                        : wanted;
}

mca_coll_pschedule_host_sum_t
mca_coll_pschedule_host_sum(mca_coll_pschedule_plan_t *plan,
                            const mca_coll_pschedule_problem_t *problem, int32_t owner,
                            uint64_t ranges, uint64_t bytes)
{
    const mca_coll_pschedule_hosts_t *hosts = problem->hosts;
    uint32_t on = mca_coll_pschedule_hosts_on(hosts, hosts->host[owner]);

    return (mca_coll_pschedule_host_sum_t) {
        .plan = plan,
        .hosts = hosts,
        .rank = problem->rank,
        .owner = owner,
        .on = on,
        .slots = mca_coll_pschedule_slots_many(plan, mca_coll_pschedule_host_sum_slots(on),
                                               owner == problem->rank ? ranges * (on - 1) : 0,
                                               bytes)};
}

mca_coll_pschedule_partial_t mca_coll_pschedule_host_sum_take(mca_coll_pschedule_host_sum_t *sum,
                                                              mca_coll_pschedule_partial_t own,
                                                              uint64_t key, uint64_t bytes)
{
    mca_coll_pschedule_partial_t all = own;
    uint32_t host = sum->hosts->host[sum->owner];

    for (uint32_t i = 0; i < sum->on; ++i) {
        int32_t rank = mca_coll_pschedule_hosts_rank(sum->hosts, host, i);
        mca_coll_pschedule_partial_t its;
        bool in_slot = all.node != own.node;

        if (rank == sum->owner) {
            continue;
        }
        its = mca_coll_pschedule_slots_receive(&sum->slots, sum->transfers, rank, key, bytes);
        all = mca_coll_pschedule_join(sum->plan, all, its, bytes);
        if (in_slot) {
            mca_coll_pschedule_slots_used(&sum->slots, sum->last, all.node, COLL_PSCHEDULE_NONE);
        }
        sum->last = sum->transfers++;
    }
    return all;
}

void mca_coll_pschedule_host_sum_used(mca_coll_pschedule_host_sum_t *sum,
                                      mca_coll_pschedule_node_t node)
{
    if (1 < sum->on) {
        mca_coll_pschedule_slots_used(&sum->slots, sum->last, node, COLL_PSCHEDULE_NONE);
    }
}

mca_coll_pschedule_node_t mca_coll_pschedule_host_sum_give(mca_coll_pschedule_host_sum_t *sum,
                                                           mca_coll_pschedule_partial_t own,
                                                           uint64_t key, uint64_t bytes)
{
    uint32_t index = sum->hosts->index[sum->rank];
    uint32_t number = sum->transfers + index - (index > sum->hosts->index[sum->owner]);

    sum->transfers += sum->on - 1;
    return mca_coll_pschedule_slots_send_many(sum->plan, sum->slots.count, number, sum->owner, key,
                                              own, bytes);
}

void mca_coll_pschedule_host_sum_spread(const mca_coll_pschedule_host_sum_t *sum,
                                        mca_coll_pschedule_place_t place, uint64_t key,
                                        uint64_t bytes, mca_coll_pschedule_node_t after)
{
    uint32_t host = sum->hosts->host[sum->owner];

    for (uint32_t i = 0; i < sum->on; ++i) {
        int32_t rank = mca_coll_pschedule_hosts_rank(sum->hosts, host, i);

        if (rank != sum->owner) {
            (void) mca_coll_pschedule_plan_send(sum->plan, rank, key, place, bytes, after);
        }
    }
}

uint64_t mca_coll_pschedule_host_sum_scratch(uint32_t on, uint64_t ranges, uint64_t bytes)
{
    uint64_t slots = mca_coll_pschedule_host_sum_slots(on);
    uint64_t transfers = ranges * (on - 1);

    return (transfers < slots ? transfers : slots) * mca_coll_pschedule_padded(bytes);
}

/* ---- leaders ---- */

static bool is_worth_a_leader(const mca_coll_pschedule_problem_t *problem)
{
    return !problem->ordered && mca_coll_pschedule_common(problem) >= WORTH_A_LEADER;
}

uint32_t mca_coll_pschedule_leads(const mca_coll_pschedule_problem_t *problem, uint32_t partition)
{
    return is_worth_a_leader(problem) ? partition : 0;
}

uint64_t mca_coll_pschedule_led(const mca_coll_pschedule_problem_t *problem, uint32_t on)
{
    uint64_t all = problem->common_partitions;

    return is_worth_a_leader(problem) ? (all + on - 1) / on : all;
}
