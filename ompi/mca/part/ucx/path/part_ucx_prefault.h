/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that processes of a host share is touched when two of them meet. Otherwise each of the
 * first messages pays for page faults: as many as it has pages, until the ring of UCX's shared
 * memory has gone round.
 */
#ifndef PART_UCX_PREFAULT_H
#define PART_UCX_PREFAULT_H

#include "path/part_ucx_peer.h"

/** Touch all pages of the shared mapping that an address lies in. Of no shared mapping, or of a
 * large one, which is not UCX's: nothing. */
void mca_part_ucx_prefault(const void *address);

/**
 * Let UCX map the memory that messages to the peer are written to, and touch it: sends a message
 * `id`, whose bytes mean nothing. Only over shared memory, and only the first call does something.
 * Under the set-up lock.
 */
void mca_part_ucx_prefault_peer(mca_part_ucx_endpoint_t *endpoint, unsigned id);

#endif /* PART_UCX_PREFAULT_H */
