/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fetching: a large unit that the sender offers comes by UCX's rendezvous, straight into the user's
 * buffer. An offer may come before the receive has started its epoch; then it is kept.
 *
 * All functions run under the path's lock.
 */
#ifndef PART_UCX_FETCH_H
#define PART_UCX_FETCH_H

#include "channel/part_ucx_recv.h"

/** Take an offer of `length` bytes, which belong at `offset`: fetch it. What the handler is to
 * return. */
ucs_status_t mca_part_ucx_fetch_start(mca_part_ucx_path_t *path, mca_part_ucx_recv_t *recv,
                                      const mca_part_ucx_data_header_t *header, uint64_t offset,
                                      void *descriptor, size_t length);

/** Is this an offer of the next epoch? The receive has not started it, or does so right now. */
bool mca_part_ucx_fetch_is_early(mca_part_ucx_recv_t *recv,
                                 const mca_part_ucx_data_header_t *header);

/** Judge it: only a message of one unit is offered so early, and only once. */
mca_part_ucx_verdict_t mca_part_ucx_fetch_judge_early(const mca_part_ucx_recv_t *recv,
                                                      const mca_part_ucx_path_t *path,
                                                      const mca_part_ucx_data_header_t *header,
                                                      size_t length);

/** Keep such an offer until the receive has started. What the handler is to return. */
ucs_status_t mca_part_ucx_fetch_hold(mca_part_ucx_path_t *path, mca_part_ucx_recv_t *recv,
                                     const mca_part_ucx_data_header_t *header, void *descriptor,
                                     size_t length);

/** Fetch what has been kept, where its receive has started. Returns the number of events. */
int mca_part_ucx_fetch_early(mca_part_ucx_path_t *path);

/** Drop what has been kept, and free what is recycled: the path is being destroyed. */
void mca_part_ucx_fetch_forget(mca_part_ucx_path_t *path);

#endif /* PART_UCX_FETCH_H */
