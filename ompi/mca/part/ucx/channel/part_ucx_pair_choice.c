/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Dealing the units of an epoch (see part_ucx_pair_choice.h).
 */
#include "channel/part_ucx_pair_choice.h"

#include "base/part_ucx_clock.h"
#include "channel/part_ucx_regroup.h"

#include <stdlib.h>

#include "ompi/constants.h"

/* So long after the last news a pair's rate is old. */
#define OLD_NS UINT64_C(2000000000)

/* And after so many epochs without news, in which some rates were not even, it is quiet. */
#define QUIET_EPOCHS 256u

int mca_part_ucx_pair_choice_build(mca_part_ucx_send_t *send)
{
    uint32_t pairs = send->super.map.pairs;

    if (1 == pairs || 1 == send->super.map.units || PART_UCX_METHOD_MESSAGE != send->super.method) {
        return OMPI_SUCCESS;
    }
    send->share = calloc(1, sizeof(*send->share) + pairs * sizeof(send->share->pair[0]));
    if (NULL == send->share) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    send->share->pairs = pairs;
    return OMPI_SUCCESS;
}

/* What a pair carries, if it is known. Pairs of one link share what that carries: the others' share
 * of it at that time is in what is found of each, and it is no reason to give one of them less. */
static uint32_t rate_of(const mca_part_ucx_send_t *send, uint32_t pair)
{
    const mca_part_ucx_endpoint_t *endpoint = send->endpoint[pair];
    uint32_t rate = atomic_load_explicit(&endpoint->rate, memory_order_relaxed);

    for (uint32_t i = 0; i < send->super.map.pairs && 0 != rate; ++i) {
        if (i != pair && endpoint->devices == send->endpoint[i]->devices) {
            return 0;
        }
    }
    return rate;
}

/* What the receiver has told, and who is dead; false: nothing that could make a difference. */
static bool look_up(const mca_part_ucx_send_t *send, mca_part_ucx_known_t *known)
{
    uint32_t pairs = send->super.map.pairs;
    uint32_t least = UINT32_MAX, most = 0, dead = 0;

    for (uint32_t i = 0; i < pairs; ++i) {
        uint32_t rate = rate_of(send, i);

        known[i] = (mca_part_ucx_known_t) {
            .rate = rate,
            .dead = NULL != send->resend && !mca_part_ucx_endpoint_is_up(send->endpoint[i])};
        dead += known[i].dead ? 1 : 0;
        least = 0 != rate && rate < least ? rate : least;
        most = rate > most ? rate : most;
    }
    if (0 != dead) {
        return dead < pairs;
    }
    return send->share->dealt || (0 != most && least < PART_UCX_PAIR_SHARES_EVEN * most);
}

/* Which of them are old, and who is quiet. */
static void look_at_age(const mca_part_ucx_send_t *send, mca_part_ucx_known_t *known)
{
    uint64_t now = mca_part_ucx_clock_ns();

    for (uint32_t i = 0; i < send->super.map.pairs; ++i) {
        mca_part_ucx_endpoint_t *endpoint = send->endpoint[i];

        known[i].old
            = now - atomic_load_explicit(&endpoint->rated_ns, memory_order_relaxed) > OLD_NS;
        known[i].quiet = atomic_fetch_add_explicit(&endpoint->unrated, 1, memory_order_relaxed)
                         >= QUIET_EPOCHS;
    }
}

static uint64_t bytes_of(const mca_part_ucx_send_t *send, uint32_t unit)
{
    uint64_t offset, length;
    uint32_t first, count;

    mca_part_ucx_map_unit(&send->super.map, unit, &first, &count);
    mca_part_ucx_map_range(&send->super.map, first, count, &offset, &length);
    return length;
}

static void deal(mca_part_ucx_send_t *send)
{
    uint32_t units = send->super.map.units;

    for (uint32_t unit = 0; unit < units; ++unit) {
        send->unit[unit].pair = mca_part_ucx_pair_shares_next(send->share, bytes_of(send, unit));
    }
    mca_part_ucx_pair_shares_carry_over(send->share, send->super.map.total / units);
}

/* Also those that there are only when the message is cut in the other way, perhaps in the next
 * epoch. */
static void take_turns(mca_part_ucx_send_t *send)
{
    uint32_t units = mca_part_ucx_regroup_units(send);

    for (uint32_t unit = 0; unit < units; ++unit) {
        send->unit[unit].pair = mca_part_ucx_map_pair(&send->super.map, unit);
    }
}

void mca_part_ucx_pair_choice(mca_part_ucx_send_t *send)
{
    mca_part_ucx_known_t known[PART_UCX_MAX_PATHS];
    bool dealt = send->share->dealt;

    if (!look_up(send, known)) {
        return;
    }
    look_at_age(send, known);
    if (mca_part_ucx_pair_shares_adapt(send->share, known)) {
        deal(send);
    } else if (dealt) {
        take_turns(send);
    }
}
