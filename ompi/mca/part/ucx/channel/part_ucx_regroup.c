/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Few large messages, or many small ones (see part_ucx_regroup.h).
 */
#include "channel/part_ucx_regroup.h"

#include "base/part_ucx_clock.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_params.h"

#include <stdlib.h>

#include "ompi/constants.h"

/* Nanoseconds that a message more costs at least, on both ends together. A round that takes no
 * longer than its messages would, if it were spread, is not limited by its links. */
#define MESSAGE_NS UINT64_C(6000)

/* Bytes of units that are joined: from the least on it is copying that costs; the most is a message
 * that a link of 10 Gbit/s carries in a fifth of a millisecond. It fits in one buffer of UCX's
 * receiver (path/part_ucx_config.c). A message of no more than the least becomes one unit. */
#define JOINED_LEAST UINT64_C(32768)
#define JOINED_MOST  UINT64_C(262144)

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

/* Segments of units that are joined: all, where one message may carry all. */
static uint32_t join_group(const mca_part_ucx_map_t *map)
{
    uint64_t segment = map->total / map->segments;
    uint64_t unit = map->total / map->pairs;
    uint32_t group = map->group;

    if (map->total <= JOINED_LEAST) {
        return map->segments;
    }
    unit = unit < JOINED_LEAST ? JOINED_LEAST : unit > JOINED_MOST ? JOINED_MOST : unit;
    while (group <= map->segments / 4 && 2 * group * segment <= unit) {
        group *= 2;
    }
    return group;
}

/* May units be joined? Without the helper thread a lone partition of one leaves only while its
 * process is inside MPI, where before it left with MPI_Pready: so not unless the user says so. */
static bool may_join(void)
{
    return PART_UCX_REGROUP_ON == mca_part_ucx_params.join
           || (PART_UCX_REGROUP_AUTO == mca_part_ucx_params.join
               && PART_UCX_ASYNC_OFF != mca_part_ucx_params.async);
}

/* Is a way that cuts it so to be taken? mca_part_ucx_regroup_mode_t */
static int mode_of(const uint32_t group[2])
{
    return group[1] < group[0] ? mca_part_ucx_params.spread : mca_part_ucx_params.join;
}

/* The other ways to cut it, those that may be taken; the group itself: there is none. What is to be
 * taken without a try leaves no other, and spreading comes first. */
static void other_groups(const mca_part_ucx_map_t *map, uint32_t *first, uint32_t *second)
{
    uint32_t spread = PART_UCX_REGROUP_OFF == mca_part_ucx_params.spread ? map->group
                                                                         : spread_group(map);
    uint32_t join = may_join() ? join_group(map) : map->group;

    if (spread != map->group && PART_UCX_REGROUP_ON == mca_part_ucx_params.spread) {
        join = map->group;
    } else if (join != map->group && PART_UCX_REGROUP_ON == mca_part_ucx_params.join) {
        spread = map->group;
    }
    *first = spread != map->group ? spread : join;
    *second = spread != map->group ? join : map->group;
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

static uint64_t worth_of(const mca_part_ucx_send_t *send, const uint32_t group[2])
{
    return group[1] < group[0] ? send->super.map.pairs * MESSAGE_NS : 0;
}

int mca_part_ucx_regroup_build(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    mca_part_ucx_regroup_t regroup = {.group[0] = map->group};

    if (!may_regroup(send)) {
        return OMPI_SUCCESS;
    }
    other_groups(map, &regroup.group[1], &regroup.next);
    if (regroup.group[1] == regroup.group[0]) {
        return OMPI_SUCCESS;
    }
    regroup.trial.settle = mca_part_ucx_trial_settle(map->total);
    send->regroup = malloc(sizeof(*send->regroup));
    if (NULL == send->regroup) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    regroup.trial.worth = worth_of(send, regroup.group);
    *send->regroup = regroup;
    return OMPI_SUCCESS;
}

void mca_part_ucx_regroup_adapt(mca_part_ucx_send_t *send)
{
    if (NULL != send->regroup && !may_regroup(send)) {
        send->regroup->group[1] = send->regroup->next = send->regroup->group[0];
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t mca_part_ucx_regroup_units(const mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    const mca_part_ucx_regroup_t *regroup = send->regroup;

    /* Not those of the present cut, which may be one of fewer. */
    return NULL == regroup
               ? map->units
               : units_of(map, least(regroup->group[0], least(regroup->group[1], regroup->next)));
}

bool mca_part_ucx_regroup_fills(const mca_part_ucx_send_t *send)
{
    return send->super.map.group > 1
           || (NULL != send->regroup
               && (send->regroup->group[1] > 1 || send->regroup->next > 1));
}

/* A try has ended without success, or was not worth it: the next one is of the way that was not
 * tried. */
static void take_next(mca_part_ucx_send_t *send)
{
    mca_part_ucx_regroup_t *regroup = send->regroup;
    uint32_t tried = regroup->group[1];

    if (regroup->next != regroup->group[0] && mca_part_ucx_trial_has_failed(&regroup->trial)) {
        regroup->group[1] = regroup->next;
        regroup->next = tried;
        regroup->trial.worth = worth_of(send, regroup->group);
    }
}

static void cut(mca_part_ucx_channel_t *channel, uint32_t group)
{
    if (group != channel->map.group) {
        mca_part_ucx_map_regroup(&channel->map, group);
        PART_UCX_VERBOSE(3, "send, rank %d tag %d: %u units from epoch %u on", channel->peer_rank,
                         channel->tag, channel->map.units, atomic_load(&channel->epoch));
    }
}

void mca_part_ucx_regroup(mca_part_ucx_send_t *send)
{
    mca_part_ucx_regroup_t *regroup = send->regroup;
    bool first = 0 == regroup->trial.began_ns; /* its marks may have been counted already */
    bool other = mca_part_ucx_trial_start(&regroup->trial, mca_part_ucx_clock_ns());
    int mode = mode_of(regroup->group);

    take_next(send);
    if (!first) {
        other = PART_UCX_REGROUP_AUTO == mode ? other : PART_UCX_REGROUP_ON == mode;
        cut(&send->super, regroup->group[other ? 1 : 0]);
    }
}
