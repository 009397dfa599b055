/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who hears of memory that is unmapped. Registration caches must, or they send through pages that
 * have gone. With its first context UCX overwrites the system's functions so that it hears of it,
 * and does not pass it on: where Open MPI has done so before for others (libfabric, rcache/grdma),
 * these would hear of nothing any more. Open MPI tells UCX, then; as it does itself where it uses
 * UCX.
 */
#ifndef PART_UCX_UNMAPPING_H
#define PART_UCX_UNMAPPING_H

/** Before the first context of UCX, and again in each later life of MPI. */
void mca_part_ucx_unmapping_share(void);

#endif /* PART_UCX_UNMAPPING_H */
