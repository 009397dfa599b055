/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which path of ours meets which of a peer's. Under the set-up lock.
 */
#ifndef PART_UCX_PAIRING_H
#define PART_UCX_PAIRING_H

#include "path/part_ucx_peer.h"

/**
 * Decide how our paths and the peer's meet: shared memory where memory can be shared (both sides
 * find the same, from the two cards), else TCP devices by network, RDMA devices by name; in order
 * if none met that way. Called by the receiver; it tells the sender.
 *
 * @return number of pairs, 0 when there is no common path
 */
uint32_t mca_part_ucx_pairing_make(mca_part_ucx_peer_t *peer);

#endif /* PART_UCX_PAIRING_H */
