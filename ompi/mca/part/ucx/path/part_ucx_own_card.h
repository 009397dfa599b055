/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This process's business card (part_ucx_business_card.h), as its peers get it.
 */
#ifndef PART_UCX_OWN_CARD_H
#define PART_UCX_OWN_CARD_H

#include "path/part_ucx_peer.h"

/** Write it for a peer to `buffer`; returns its length, 0 when it does not fit into `size`:
 * the user has been told. */
uint32_t mca_part_ucx_own_card_write(const mca_part_ucx_peer_t *peer, void *buffer, size_t size);

#endif /* PART_UCX_OWN_CARD_H */
