/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Registered memory of a channel. Channels do not share registrations, also when they use the same
 * range: the memory may have been given back and got anew in between, and then the pages of the old
 * registration are others. UCX, which is told of that, shares what can be shared. All functions run
 * under the set-up lock.
 */
#ifndef PART_UCX_MEMORY_H
#define PART_UCX_MEMORY_H

#include "path/part_ucx_path.h"

/** A range of memory and its registrations. */
typedef struct mca_part_ucx_region_t {
    char *base;
    size_t length;
    ucp_mem_h memh[PART_UCX_MAX_PATHS]; /**< by path; NULL where it is not registered */
} mca_part_ucx_region_t;

/**
 * Registration of base..base+length-1 on the paths whose bits are set in `paths`. NULL when UCX
 * cannot register it.
 */
mca_part_ucx_region_t *mca_part_ucx_region_make(void *base, size_t length, uint32_t paths);

/** Deregister. NULL is allowed. */
void mca_part_ucx_region_release(mca_part_ucx_region_t *region);

/**
 * Copy the remote key of a region on a path to `buffer`.
 *
 * @return its length, 0 when it does not fit in `size` or UCX fails
 */
uint32_t mca_part_ucx_region_pack(const mca_part_ucx_region_t *region, uint32_t path,
                                  void *buffer, size_t size);

/** Destroy the key of a region of a peer on a path, and forget it. NULL is allowed there. */
void mca_part_ucx_rkey_destroy(mca_part_ucx_path_t *path, ucp_rkey_h *rkey);

#endif /* PART_UCX_MEMORY_H */
