/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a send's bytes go at a receiver on the same host, so that the sender can copy them there.
 */
#ifndef PART_UCX_TARGETS_H
#define PART_UCX_TARGETS_H

#include "channel/part_ucx_send.h"

/** The receiver is known: what may this send copy itself? `allowed`: the receiver lets it write
 * anywhere. `shm`: memory that a link's receiver shares, or of 0 bytes. */
void mca_part_ucx_targets_find(mca_part_ucx_send_t *send, bool allowed,
                               const mca_part_ucx_shm_t *shm);

/** Nothing is copied any more: close the view of the receiver's memory. */
void mca_part_ucx_targets_end(mca_part_ucx_send_t *send);

/** The same, and forget where the bytes went. */
void mca_part_ucx_targets_forget(mca_part_ucx_send_t *send);

/** Where a piece goes, in memory that is shared; NULL: that is not in any. */
char *mca_part_ucx_targets_view(const mca_part_ucx_send_t *send, uint32_t piece, uint64_t length);

#endif /* PART_UCX_TARGETS_H */
