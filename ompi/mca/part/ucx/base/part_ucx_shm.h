/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that processes of one host share: a segment of this process, and views that others have of
 * it. To copy into a view takes no system call, and costs less than placing (part_ucx_cma.h),
 * where the system looks up every page of the target.
 *
 * A segment is a file without a name, so nothing is left behind however a process ends. Others are
 * told of it, and reach it through the number of its file in this process; device and inode show
 * that it is the one meant. That works also where processes may not copy from each other's memory.
 */
#ifndef PART_UCX_SHM_H
#define PART_UCX_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A segment, and how others find it. Goes over the wire. */
typedef struct mca_part_ucx_shm_t {
    uint64_t base;   /**< its address in its process; 0: it is not mapped there */
    uint64_t bytes;  /**< 0: there is none */
    uint64_t device; /**< of the file */
    uint64_t inode;  /**< likewise */
    int32_t file;    /**< number of the open file, or -1 */
    int32_t process; /**< id of the process */
} mca_part_ucx_shm_t;

/** A segment of another process, as it is mapped here. */
typedef struct mca_part_ucx_shm_view_t {
    uint64_t base; /**< its address there */
    uint64_t bytes;
    char *here;    /**< NULL: there is no view */
} mca_part_ucx_shm_view_t;

/** So many processes of this host make segments. Each gets its share of the memory for them. */
void mca_part_ucx_shm_among(unsigned processes);

/** Make a segment of zeros. False: the system has no memory, no file or no way to, or it is more
 * than a small part of the memory, or all of them are more than this process's share. */
bool mca_part_ucx_shm_make(mca_part_ucx_shm_t *shm, uint64_t bytes);

/** Make one for others to look for, no more. It is not mapped, as is nothing that looks for it: UCX
 * keeps something of every munmap() of a process. False: as above. */
bool mca_part_ucx_shm_beacon(mca_part_ucx_shm_t *shm);

/** Could that segment of another process be viewed? */
bool mca_part_ucx_shm_found(const mca_part_ucx_shm_t *shm);

/** All views have been opened: the file is not needed any more. Without a segment: nothing. */
void mca_part_ucx_shm_hide(mca_part_ucx_shm_t *shm);

/** Give it back; views of it stay good. Without a segment: nothing. */
void mca_part_ucx_shm_free(mca_part_ucx_shm_t *shm);

/** View a segment of another process. False: it cannot be. */
bool mca_part_ucx_shm_open(mca_part_ucx_shm_view_t *view, const mca_part_ucx_shm_t *shm);

/** Where a range of that process's memory is here; NULL when it does not lie in the view. */
static inline char *mca_part_ucx_shm_at(const mca_part_ucx_shm_view_t *view, uint64_t address,
                                        uint64_t length)
{
    uint64_t offset = address - view->base;
    bool within = offset <= view->bytes && length <= view->bytes - offset;

    return within && NULL != view->here ? view->here + offset : NULL;
}

void mca_part_ucx_shm_close(mca_part_ucx_shm_view_t *view);

#endif /* PART_UCX_SHM_H */
