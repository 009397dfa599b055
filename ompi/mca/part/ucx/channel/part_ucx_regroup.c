/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Few large messages, or many small ones (see part_ucx_regroup.h).
 */
#include "channel/part_ucx_regroup.h"

#include "base/part_ucx_clock.h"
#include "process/part_ucx_params.h"

#include <stdlib.h>

#include "ompi/constants.h"

/* Nanoseconds that a message more costs at least, on both ends together. A round that takes no
 * longer than its messages would, if it were spread, is not limited by its links. */
#define MESSAGE_NS UINT64_C(6000)

/* Bytes of units that are joined: from the least on it is copying that costs; the most is a message
 * that a link of 10 Gbit/s carries in a fifth of a millisecond. It fits in one buffer of UCX's
 * receiver (path/part_ucx_config.c). */
#define JOINED_LEAST UINT64_C(32768)
#define JOINED_MOST  UINT64_C(262144)

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

/* Segments of units that are joined. There are at least two: one alone is delivered otherwise. */
static uint32_t join_group(const mca_part_ucx_map_t *map)
{
    uint64_t segment = map->total / map->segments;
    uint64_t unit = map->total / map->pairs;
    uint32_t group = map->group;

    unit = unit < JOINED_LEAST ? JOINED_LEAST : unit > JOINED_MOST ? JOINED_MOST : unit;
    while (group <= map->segments / 4 && 2 * group * segment <= unit) {
        group *= 2;
    }
    return group;
}

/* The other way to cut it; the group itself: there is none. */
static uint32_t other_group(const mca_part_ucx_map_t *map)
{
    uint32_t group = spread_group(map);

    return group == map->group ? join_group(map) : group;
}

/* Is the other way to be taken? mca_part_ucx_regroup_mode_t */
static int mode_of(const uint32_t group[2])
{
    return group[1] < group[0] ? mca_part_ucx_params.spread : mca_part_ucx_params.join;
}

/* Puts have keys, flags and offers that follow the units of both ends; convertors are per pair; and
 * with credit an epoch may end before anything has arrived. */
static bool may_regroup(const mca_part_ucx_send_t *send)
{
    const mca_part_ucx_channel_t *channel = &send->super;
    bool network = PART_UCX_DEVICE_SHARED != send->endpoint[0]->path->device.kind;

    return network && NULL == channel->piece && PART_UCX_METHOD_MESSAGE == channel->method
           && channel->contiguous && 0 != channel->map.total && 0 == send->early
           && 0 == send->credit;
}

static uint32_t settle_rounds(uint64_t bytes)
{
    uint64_t rounds = BURST / bytes;

    return (uint32_t) (rounds < SETTLE_MOST ? rounds : SETTLE_MOST) + 1;
}

int mca_part_ucx_regroup_build(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    const uint32_t group[2] = {map->group, other_group(map)};

    if (!may_regroup(send) || group[1] == group[0] || PART_UCX_REGROUP_OFF == mode_of(group)) {
        return OMPI_SUCCESS;
    }
    send->regroup = malloc(sizeof(*send->regroup));
    if (NULL == send->regroup) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *send->regroup = (mca_part_ucx_regroup_t) {
        .trial = {.worth = group[1] < group[0] ? map->pairs * MESSAGE_NS : 0,
                  .settle = settle_rounds(map->total)},
        .group = {group[0], group[1]}};
    return OMPI_SUCCESS;
}

void mca_part_ucx_regroup_adapt(mca_part_ucx_send_t *send)
{
    if (NULL != send->regroup && !may_regroup(send)) {
        send->regroup->group[1] = send->regroup->group[0];
    }
}

uint32_t mca_part_ucx_regroup_units(const mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    const uint32_t *group = NULL == send->regroup ? NULL : send->regroup->group;

    /* Not those of the present cut, which may be the one of fewer. */
    return NULL == group ? map->units : units_of(map, group[0] < group[1] ? group[0] : group[1]);
}

bool mca_part_ucx_regroup_fills(const mca_part_ucx_send_t *send)
{
    return send->super.map.group > 1 || (NULL != send->regroup && send->regroup->group[1] > 1);
}

void mca_part_ucx_regroup(mca_part_ucx_send_t *send)
{
    mca_part_ucx_regroup_t *regroup = send->regroup;
    uint64_t now = mca_part_ucx_clock_ns();
    bool first = 0 == regroup->began_ns; /* its marks may have been counted already */
    bool other = mca_part_ucx_trial_next(&regroup->trial, first ? 0 : now - regroup->began_ns);
    int mode = mode_of(regroup->group);

    regroup->began_ns = now;
    if (!first) {
        other = PART_UCX_REGROUP_AUTO == mode ? other : PART_UCX_REGROUP_ON == mode;
        mca_part_ucx_map_regroup(&send->super.map, regroup->group[other ? 1 : 0]);
    }
}
