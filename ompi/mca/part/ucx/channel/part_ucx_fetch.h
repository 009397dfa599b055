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

#include "path/part_ucx_path.h"

/** The handler of OFFER: fetch its bytes, or keep it until its receive has started. */
ucs_status_t mca_part_ucx_fetch_offered(void *arg, const void *header, size_t header_length,
                                        void *descriptor, size_t length,
                                        const ucp_am_recv_param_t *param);

/** Fetch what has been kept, where its receive has started. Returns the number of events. */
int mca_part_ucx_fetch_early(mca_part_ucx_path_t *path);

/** Drop what has been kept, and free what is recycled: the path is being destroyed. */
void mca_part_ucx_fetch_forget(mca_part_ucx_path_t *path);

#endif /* PART_UCX_FETCH_H */
