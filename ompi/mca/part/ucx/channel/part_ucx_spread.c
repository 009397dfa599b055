/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Small messages over one path, or over all (see part_ucx_spread.h).
 */
#include "channel/part_ucx_spread.h"

#include "base/part_ucx_clock.h"
#include "process/part_ucx_params.h"

#include <stdlib.h>

#include "ompi/constants.h"

/* Nanoseconds that a message more costs at least, on both ends together. A round that takes no
 * longer than its messages would, if it were spread, is not limited by its links. */
#define MESSAGE_NS UINT64_C(6000)

/* Bytes that a path may carry faster than for long: what limits rates lets a burst pass, or a queue
 * takes it. */
#define BURST UINT64_C(131072)
#define SETTLE_MOST UINT64_C(64)

static uint32_t units_of(const mca_part_ucx_map_t *map, uint32_t group)
{
    return (map->segments + group - 1) / group;
}

/* Segments of a unit so that all paths have one, or as many as can; the group itself: none more. */
static uint32_t spread_group(const mca_part_ucx_map_t *map)
{
    uint32_t group = map->group;

    while (units_of(map, group) < map->pairs && 0 == group % 2) {
        group /= 2;
    }
    return group;
}

/* Puts have keys, flags and offers that follow the units of both ends; convertors are per pair; and
 * with credit an epoch may end before anything has arrived. */
static bool may_spread(const mca_part_ucx_send_t *send)
{
    const mca_part_ucx_channel_t *channel = &send->super;

    return PART_UCX_SPREAD_OFF != mca_part_ucx_params.spread && NULL == channel->piece
           && PART_UCX_METHOD_MESSAGE == channel->method && channel->contiguous
           && 0 == send->early && 0 == send->credit
           && spread_group(&channel->map) != channel->map.group;
}

static uint32_t settle_rounds(uint64_t bytes)
{
    uint64_t rounds = 0 == bytes ? 0 : BURST / bytes;

    return (uint32_t) (rounds < SETTLE_MOST ? rounds : SETTLE_MOST) + 1;
}

int mca_part_ucx_spread_build(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;

    if (!may_spread(send)) {
        return OMPI_SUCCESS;
    }
    send->spread = calloc(1, sizeof(*send->spread));
    if (NULL == send->spread) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    send->spread->group[0] = map->group;
    send->spread->group[1] = spread_group(map);
    send->spread->trial.worth = map->pairs * MESSAGE_NS;
    send->spread->trial.settle = settle_rounds(map->total);
    return OMPI_SUCCESS;
}

void mca_part_ucx_spread_adapt(mca_part_ucx_send_t *send)
{
    if (NULL != send->spread && !may_spread(send)) {
        send->spread->group[1] = send->spread->group[0];
    }
}

uint32_t mca_part_ucx_spread_units(const mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;

    return NULL == send->spread ? map->units : units_of(map, send->spread->group[1]);
}

void mca_part_ucx_spread(mca_part_ucx_send_t *send)
{
    mca_part_ucx_spread_t *spread = send->spread;
    uint64_t now = mca_part_ucx_clock_ns();
    bool first = 0 == spread->began_ns; /* its marks may have been counted already */
    bool wide = mca_part_ucx_trial_next(&spread->trial, first ? 0 : now - spread->began_ns);

    spread->began_ns = now;
    if (!first) {
        wide = wide || PART_UCX_SPREAD_ON == mca_part_ucx_params.spread;
        mca_part_ucx_map_regroup(&send->super.map, spread->group[wide ? 1 : 0]);
    }
}
