/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Active messages of UCX, as rows of the table of deliveries send them (part_ucx_delivery.h). Under
 * the path's lock.
 */
#ifndef PART_UCX_AM_H
#define PART_UCX_AM_H

#include "channel/part_ucx_delivery.h"

/** Up to how many bytes messages of a path carry their data. */
uint64_t mca_part_ucx_am_eager_limit(const mca_part_ucx_path_t *path);

/** Post the transfer's header and data as an active message; an OFFER is a rendezvous, all others
 * are eager. What UCX returns is to be settled. */
ucs_status_ptr_t mca_part_ucx_am_post(mca_part_ucx_transfer_t *transfer, unsigned id,
                                      const void *source, uint64_t length);

/** The same with data that are in place at the receiver's: they only have to be told of. */
void mca_part_ucx_am_post_placed(mca_part_ucx_transfer_t *transfer);

/** What UCX has returned: if that is no request, it has completed, or failed. */
void mca_part_ucx_am_settle(mca_part_ucx_transfer_t *transfer, ucs_status_ptr_t status);

#endif /* PART_UCX_AM_H */
