/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What both ends of a channel do alike (see part_ucx_both_ends.h).
 */
#include "wireup/part_ucx_both_ends.h"

#include "channel/part_ucx_datatype.h"
#include "path/part_ucx_paths.h"

#include "ompi/constants.h"

bool mca_part_ucx_both_ends_fail_over(const mca_part_ucx_channel_t *channel,
                                      const mca_part_ucx_pairing_t *pairing)
{
    bool fails_over = PART_UCX_METHOD_MESSAGE == channel->method && channel->pairs > 1;

    for (uint32_t i = 0; i < channel->pairs && fails_over; ++i) {
        fails_over
            = mca_part_ucx_remote_fails_over(&mca_part_ucx_paths.path[pairing[i].local],
                                             &channel->peer->remote[pairing[i].remote]);
    }
    return fails_over;
}

bool mca_part_ucx_both_ends_are_usable(mca_part_ucx_endpoint_t *const *endpoint, uint32_t count,
                                       bool fails_over)
{
    uint32_t up = 0;

    for (uint32_t i = 0; i < count; ++i) {
        up += mca_part_ucx_endpoint_is_up(endpoint[i]) ? 1 : 0;
    }
    return fails_over ? 0 != up : count == up;
}

uint32_t mca_part_ucx_both_ends_paths(const mca_part_ucx_channel_t *channel,
                                      const mca_part_ucx_pairing_t *pairing)
{
    uint32_t paths = 0;

    for (uint32_t i = 0; i < channel->pairs; ++i) {
        paths |= 1u << pairing[i].local;
    }
    return paths;
}

int mca_part_ucx_both_ends_prepare(mca_part_ucx_channel_t *channel,
                                   const mca_part_ucx_pairing_t *pairing, bool packs,
                                   mca_part_ucx_region_t **region)
{
    if (!channel->contiguous) {
        channel->convertor = mca_part_ucx_datatype_convertors(channel->datatype,
                                                              channel->partitions * channel->count,
                                                              channel->buffer, packs,
                                                              channel->pairs);
        return NULL == channel->convertor ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    }
    if (PART_UCX_METHOD_MESSAGE == channel->method) {
        return OMPI_SUCCESS;
    }
    *region = mca_part_ucx_region_make(channel->data, channel->total,
                                       mca_part_ucx_both_ends_paths(channel, pairing));
    return NULL == *region ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}
