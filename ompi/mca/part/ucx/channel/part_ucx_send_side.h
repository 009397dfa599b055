/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Making a send ready for its receiver.
 */
#ifndef PART_UCX_SEND_SIDE_H
#define PART_UCX_SEND_SIDE_H

#include "channel/part_ucx_send.h"

/** Matched (map and pairs are set): build the arrays. Under the set-up lock. Open MPI code. */
int mca_part_ucx_send_side_build(mca_part_ucx_send_t *send);

/** Set what depends on how the receiver takes its data: again for each that the send meets. */
int mca_part_ucx_send_side_adapt(mca_part_ucx_send_t *send);

#endif /* PART_UCX_SEND_SIDE_H */
