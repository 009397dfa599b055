/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Network paths listen: whoever reaches this host can connect to them. So they are opened when the
 * first peer appears that may be on another host, and not before. A job on one host opens none.
 */
#ifndef PART_UCX_NETWORK_H
#define PART_UCX_NETWORK_H

#include "path/part_ucx_peer.h"

#include <stdbool.h>

/**
 * Open them, if that has not been tried yet. Under the set-up lock.
 *
 * @return Open MPI code; the user has been told. What the user has not asked for by name can be
 *         done without, as long as there is any path.
 */
int mca_part_ucx_network_open(void);

/**
 * May this process open so many descriptors as connections to so many more peers take, over all
 * network paths, and those to peers that have been promised some? Raises the limit if it may. It
 * must have some left for others: UCX's TCP that finds none when a peer connects never listens
 * again. Under the set-up lock, as what follows.
 */
bool mca_part_ucx_network_has_room(unsigned peers);

/** The same for a peer that may be on another host, once: it counts until it is connected. */
bool mca_part_ucx_network_promise(mca_part_ucx_peer_t *peer);

/** It is connected, or goes. */
void mca_part_ucx_network_promise_kept(mca_part_ucx_peer_t *peer);

#endif /* PART_UCX_NETWORK_H */
