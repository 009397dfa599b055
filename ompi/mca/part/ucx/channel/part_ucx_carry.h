/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What rows of the table of deliveries have in common (part_ucx_delivery.h): where the bytes are,
 * and active messages. Under the path's lock.
 */
#ifndef PART_UCX_CARRY_H
#define PART_UCX_CARRY_H

#include "channel/part_ucx_delivery.h"

/** Where the bytes of a parcel are: in place, or packed into the transfer's staging. NULL: they
 * cannot be packed. */
const void *mca_part_ucx_carry_source(mca_part_ucx_transfer_t *transfer,
                                      const mca_part_ucx_parcel_t *parcel);

/** Up to how many bytes messages of a path carry their data. */
uint64_t mca_part_ucx_carry_limit(const mca_part_ucx_path_t *path);

/** Post the transfer's header and data as an active message. What UCX returns is to be settled. */
ucs_status_ptr_t mca_part_ucx_carry_message(mca_part_ucx_transfer_t *transfer, unsigned id,
                                            const void *source, uint64_t length, unsigned flags);

/** The same with data that are in place at the receiver's: they only have to be told of. */
void mca_part_ucx_carry_news(mca_part_ucx_transfer_t *transfer);

/** What UCX has returned: if that is no request, it has completed, or failed. */
void mca_part_ucx_carry_settle(mca_part_ucx_transfer_t *transfer, ucs_status_ptr_t status);

#endif /* PART_UCX_CARRY_H */
