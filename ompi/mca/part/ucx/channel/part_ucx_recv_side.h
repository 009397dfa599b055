/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Making a receive ready for its sender.
 */
#ifndef PART_UCX_RECV_SIDE_H
#define PART_UCX_RECV_SIDE_H

#include "channel/part_ucx_recv.h"

/** Matched (the map is set): build the arrays. Under the set-up lock. Open MPI code. */
int mca_part_ucx_recv_side_build(mca_part_ucx_recv_t *recv);

/** The match is undone: forget what was built for it, except what threads may still look at. */
void mca_part_ucx_recv_side_unbuild(mca_part_ucx_recv_t *recv);

#endif /* PART_UCX_RECV_SIDE_H */
