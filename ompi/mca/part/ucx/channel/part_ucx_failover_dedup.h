/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Data of a channel that fails over: they may come twice, over two paths at the same moment, and
 * cut in other messages. Each segment is taken once.
 */
#ifndef PART_UCX_FAILOVER_DEDUP_H
#define PART_UCX_FAILOVER_DEDUP_H

#include "channel/part_ucx_recv.h"

/** Take of a data message what has not come before. Under the lock of the path that it came by. */
void mca_part_ucx_failover_dedup_take(mca_part_ucx_recv_t *recv, mca_part_ucx_path_t *path,
                                      const mca_part_ucx_data_header_t *header, const void *data,
                                      size_t length);

/** The same of a bundle. */
void mca_part_ucx_failover_dedup_take_bundle(mca_part_ucx_recv_t *recv, mca_part_ucx_path_t *path,
                                             const mca_part_ucx_data_header_t *header,
                                             const void *data, size_t length);

#endif /* PART_UCX_FAILOVER_DEDUP_H */
