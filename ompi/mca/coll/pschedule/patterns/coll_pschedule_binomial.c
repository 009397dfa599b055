/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reductions up a binomial tree (see coll_pschedule_binomial.h).
 */
#include "patterns/coll_pschedule_binomial.h"

#include "patterns/coll_pschedule_tree.h"

uint32_t mca_coll_pschedule_binomial_children(uint32_t position, uint32_t positions)
{
    uint32_t count = 0;

    while (count < 31 && 0 == (position & UINT32_C(1) << count)
           && (UINT32_C(1) << count) < positions - position) {
        ++count;
    }
    return count;
}

/* Transfers to the slots of a position, per chunk: the last one may be direct. */
static uint32_t slotted(const mca_coll_pschedule_rooted_t *at, uint32_t position)
{
    uint32_t count = mca_coll_pschedule_binomial_children(position, at->positions);

    return at->direct && 0 == position && 0 < count ? count - 1 : count;
}

uint32_t mca_coll_pschedule_binomial_slotted(const mca_coll_pschedule_rooted_t *at)
{
    return slotted(at, at->position);
}

/* The number of a transfer at its receiver; what is direct is not granted. */
static uint32_t number_of(const mca_coll_pschedule_rooted_t *at, uint32_t position, uint32_t child,
                          uint32_t chunk)
{
    return child < slotted(at, position) ? chunk * slotted(at, position) + child : 0;
}

/* `*moved` is the node after which the sum has left the place where it began, if it does. */
static mca_coll_pschedule_partial_t take_children(const mca_coll_pschedule_rooted_t *at,
                                                  mca_coll_pschedule_slots_t *slots,
                                                  const mca_coll_pschedule_bit_t *bit,
                                                  mca_coll_pschedule_partial_t sum,
                                                  mca_coll_pschedule_node_t *moved)
{
    uint64_t key = mca_coll_pschedule_bit_key(bit, COLL_PSCHEDULE_ROOTED_REDUCE);
    mca_coll_pschedule_place_t begin = sum.place;

    *moved = COLL_PSCHEDULE_NONE;
    for (uint32_t k = 0; k < mca_coll_pschedule_binomial_children(at->position, at->positions);
         ++k) {
        int32_t peer = mca_coll_pschedule_rooted_rank(at, at->position + (UINT32_C(1) << k));
        uint32_t number = number_of(at, at->position, k, bit->index);
        mca_coll_pschedule_partial_t its =
            mca_coll_pschedule_slots_take(slots, number, k >= slotted(at, at->position),
                                          bit->target, peer, key, bit->range.bytes);

        sum = mca_coll_pschedule_rooted_join(at, sum, its, bit->range.bytes);
        if (0 < k) {
            mca_coll_pschedule_slots_used(slots, number_of(at, at->position, k - 1, bit->index),
                                          sum.node, COLL_PSCHEDULE_NONE);
        } else if (begin.space != sum.place.space || begin.offset != sum.place.offset) {
            *moved = sum.node;
        }
    }
    return sum;
}

static mca_coll_pschedule_node_t climb(const mca_coll_pschedule_rooted_t *at,
                                       const mca_coll_pschedule_bit_t *bit,
                                       mca_coll_pschedule_partial_t sum)
{
    uint64_t key = mca_coll_pschedule_bit_key(bit, COLL_PSCHEDULE_ROOTED_REDUCE);
    uint32_t low = mca_coll_pschedule_lowest(at->position);
    uint32_t parent = at->position - low;
    uint32_t child = mca_coll_pschedule_level(low);

    return mca_coll_pschedule_slots_send(at->plan, number_of(at, parent, child, bit->index),
                                         mca_coll_pschedule_rooted_rank(at, parent), key, sum,
                                         bit->range.bytes);
}

mca_coll_pschedule_node_t mca_coll_pschedule_binomial_chunk(const mca_coll_pschedule_rooted_t *at,
                                                            mca_coll_pschedule_slots_t *slots,
                                                            const mca_coll_pschedule_bit_t *bit,
                                                            mca_coll_pschedule_partial_t begin)
{
    uint32_t count = slotted(at, at->position);
    mca_coll_pschedule_node_t moved, gone;
    mca_coll_pschedule_partial_t sum = take_children(at, slots, bit, begin, &moved);

    gone = 0 == at->position ? mca_coll_pschedule_rooted_end(at, sum, bit) : climb(at, bit, sum);
    if (0 < count) {
        mca_coll_pschedule_slots_used(slots, number_of(at, at->position, count - 1, bit->index),
                                      gone, COLL_PSCHEDULE_NONE);
    }
    return COLL_PSCHEDULE_NONE == moved ? gone : moved;
}
