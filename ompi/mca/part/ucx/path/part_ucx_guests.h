/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Guests are processes of other jobs, which come and go: spawned ones, and those that are joined by
 * MPI_Comm_accept. UCX gives an endpoint back only with its worker, and an endpoint of shared
 * memory keeps the other process's message memory mapped. So shared memory with guests has a path
 * of its own. It is opened with the first guest. Once no channel to a guest is left, and it has had
 * some endpoints, it is closed, and with it all that guests have left behind.
 *
 * After that it has another address. A guest that stays learns this from the next set-up message
 * (mca_part_ucx_peer_is_to_know).
 */
#ifndef PART_UCX_GUESTS_H
#define PART_UCX_GUESTS_H

#include "path/part_ucx_peer.h"

/** A channel, an announcement or a message has to do with a peer, from now on or no more. Counts
 * guests only. Any thread. */
void mca_part_ucx_guests_use(const mca_part_ucx_peer_t *peer);
void mca_part_ucx_guests_leave(const mca_part_ucx_peer_t *peer);

/** Open the path for guests, if it is closed. Under the set-up lock. */
void mca_part_ucx_guests_open(void);

/** Close it if that is worth it and nothing uses it. Under the set-up lock. */
void mca_part_ucx_guests_close(void);

#endif /* PART_UCX_GUESTS_H */
