/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prefix sums by recursive doubling (see coll_pschedule_prefix.h).
 */
#include "patterns/coll_pschedule_prefix.h"

#include "patterns/coll_pschedule_tree.h"

typedef mca_coll_pschedule_prefix_t prefix_t;
typedef mca_coll_pschedule_prefix_bit_t bit_t;

uint32_t mca_coll_pschedule_prefix_levels(uint32_t member)
{
    return 0 < member ? mca_coll_pschedule_level(member) + 1 : 0;
}

bool mca_coll_pschedule_prefix_sends(uint32_t members, uint32_t member, uint32_t level)
{
    return (UINT32_C(1) << level) < members - member;
}

static bool sends(const prefix_t *prefix, uint32_t level)
{
    return mca_coll_pschedule_prefix_sends(prefix->members, prefix->member, level);
}

static int32_t rank_of(const prefix_t *prefix, uint32_t member)
{
    return NULL == prefix->hosts ? (int32_t) member
                                 : mca_coll_pschedule_hosts_rank(prefix->hosts, member, 0);
}

static uint64_t key_of(const bit_t *bit, uint32_t level)
{
    return mca_coll_pschedule_key(0, level, bit->partition, bit->index);
}

static void send_sum(prefix_t *prefix, bit_t *bit, uint32_t level)
{
    uint32_t peer = prefix->member + (UINT32_C(1) << level);
    uint32_t number = bit->index * mca_coll_pschedule_prefix_levels(peer) + level;

    bit->sent = COLL_PSCHEDULE_NONE;
    if (sends(prefix, level)) {
        bit->sent = mca_coll_pschedule_slots_send(prefix->plan, number, rank_of(prefix, peer),
                                                  key_of(bit, level), bit->sum, bit->range.bytes);
    }
    prefix->left[bit->index % COLL_PSCHEDULE_REDUCTION_SLOTS][level] = bit->sent;
}

/* What comes in is put to the result that excludes the member. */
static void join_result(const prefix_t *prefix, bit_t *bit, uint32_t level,
                        mca_coll_pschedule_partial_t before)
{
    if (0 == level) {
        bit->result.node
            = mca_coll_pschedule_plan_copy(prefix->plan, before.place, bit->result.place,
                                           bit->range.bytes, before.node);
        mca_coll_pschedule_plan_depend(prefix->plan, bit->result.node, bit->free);
    } else {
        bit->result
            = mca_coll_pschedule_join(prefix->plan, before, bit->result, bit->range.bytes);
    }
}

/* What covers the members before comes in. */
static void take(prefix_t *prefix, bit_t *bit, uint32_t level)
{
    uint32_t number = bit->index * mca_coll_pschedule_prefix_levels(prefix->member) + level;
    int32_t peer = rank_of(prefix, prefix->member - (UINT32_C(1) << level));
    mca_coll_pschedule_partial_t before = mca_coll_pschedule_slots_receive(
        prefix->slots, number, peer, key_of(bit, level), bit->range.bytes);
    mca_coll_pschedule_node_t used = COLL_PSCHEDULE_NONE;

    if (prefix->excludes) {
        join_result(prefix, bit, level, before);
    }
    if (!prefix->excludes || sends(prefix, level + 1)) {
        bit->sum = mca_coll_pschedule_join(prefix->plan, before, bit->sum, bit->range.bytes);
        mca_coll_pschedule_plan_depend(prefix->plan, bit->sum.node, bit->sent);
        used = bit->sum.node;
    }
    mca_coll_pschedule_slots_used(prefix->slots, number, used, bit->result.node);
}

void mca_coll_pschedule_prefix_begin(prefix_t *prefix)
{
    for (uint32_t i = 0; i < COLL_PSCHEDULE_REDUCTION_SLOTS; ++i) {
        for (uint32_t k = 0; k < COLL_PSCHEDULE_PREFIX_LEVELS; ++k) {
            prefix->left[i][k] = COLL_PSCHEDULE_NONE;
        }
    }
}

void mca_coll_pschedule_prefix_chunk(prefix_t *prefix, bit_t *bit)
{
    uint32_t last = mca_coll_pschedule_doublings((int32_t) prefix->members);

    for (uint32_t level = 0; level < last; ++level) {
        send_sum(prefix, bit, level);
        if (0 == level && 0 < prefix->member && NULL != prefix->fix) {
            prefix->fix(prefix, bit);
        }
        if (level < mca_coll_pschedule_prefix_levels(prefix->member)) {
            take(prefix, bit, level);
        }
    }
}

void mca_coll_pschedule_prefix_left(const prefix_t *prefix, uint32_t index,
                                    uint32_t level, mca_coll_pschedule_node_t node)
{
    for (uint32_t i = level; i < COLL_PSCHEDULE_PREFIX_LEVELS; ++i) {
        mca_coll_pschedule_plan_depend(prefix->plan, node,
                                       prefix->left[index % COLL_PSCHEDULE_REDUCTION_SLOTS][i]);
    }
}

uint64_t mca_coll_pschedule_prefix_joins(uint32_t members, uint32_t member, bool excludes)
{
    uint32_t levels = mca_coll_pschedule_prefix_levels(member);
    uint64_t count = excludes && 0 < levels ? levels - 1 : levels;

    for (uint32_t i = 0; excludes && i < levels; ++i) {
        count += mca_coll_pschedule_prefix_sends(members, member, i + 1);
    }
    return count;
}
