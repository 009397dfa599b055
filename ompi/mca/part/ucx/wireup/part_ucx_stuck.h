/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a request waits for that does not end: for who looks for the reason of a hang. Computing for
 * long is no fault, so it is said only with part_ucx_verbose 1, once for each MPI_Start.
 */
#ifndef PART_UCX_STUCK_H
#define PART_UCX_STUCK_H

#include "channel/part_ucx_channel.h"

/** Say it, of a channel of the user's that has been started so many seconds ago and is not
 * complete. Under the set-up lock. */
void mca_part_ucx_stuck_tell(mca_part_ucx_channel_t *channel, int seconds);

#endif /* PART_UCX_STUCK_H */
