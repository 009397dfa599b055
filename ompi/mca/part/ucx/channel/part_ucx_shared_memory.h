/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that senders of this host may write to: in general, and that of a link's receiver.
 */
#ifndef PART_UCX_SHARED_MEMORY_H
#define PART_UCX_SHARED_MEMORY_H

#include "channel/part_ucx_recv.h"

/** Once there are paths: may senders copy into the memory of receivers on their host? */
bool mca_part_ucx_shared_memory_allowed(void);

/** Memory for pieces of receiving links (mca_part_ucx_shm_make()), if that is of use. */
bool mca_part_ucx_shared_memory_make(mca_part_ucx_shm_t *shm, uint64_t bytes);

/** The same only to be looked for: mca_part_ucx_shm_beacon(). */
bool mca_part_ucx_shared_memory_beacon(mca_part_ucx_shm_t *shm);

/** Could links of this process copy into such segments of the process that has made this one? */
bool mca_part_ucx_shared_memory_sees(const mca_part_ucx_shm_t *shm);

/** Pieces larger than this that lie in shared memory are copied there: it takes no system call. */
uint64_t mca_part_ucx_shared_memory_limit(void);

/** Does anything that a sender copies lie in the link's shared memory? */
bool mca_part_ucx_shared_memory_is_used(const mca_part_ucx_recv_t *recv);

#endif /* PART_UCX_SHARED_MEMORY_H */
