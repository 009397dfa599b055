/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What channels keep on a path; under the path's lock. What they do there is in
 * part_ucx_path_user.c.
 */
#ifndef PART_UCX_TRAFFIC_H
#define PART_UCX_TRAFFIC_H

#include "path/part_ucx_path.h"

typedef struct mca_part_ucx_traffic_t {
    struct mca_part_ucx_fetch_t *early;    /**< offers whose receive has not started the epoch */
    struct mca_part_ucx_fetch_t *rx_free;  /**< recycled records of fetches */
    struct mca_part_ucx_polled_t *polled;  /**< receives whose flags are written remotely */
    struct mca_part_ucx_boxed_t *boxed;    /**< receiving links that miss pieces of boxes */
    struct mca_part_ucx_partial_t *partial; /**< sends with partly filled units; first the one that
                                             * was looked at longest ago */
    struct mca_part_ucx_partial_t **partial_tail;
    struct mca_part_ucx_endpoint_t *flush; /**< endpoints with puts to flush or flag */
} mca_part_ucx_traffic_t;

static inline mca_part_ucx_traffic_t *mca_part_ucx_traffic_of(const mca_part_ucx_path_t *path)
{
    return path->traffic;
}

#endif /* PART_UCX_TRAFFIC_H */
