/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts into the receive buffer, and puts of flags: what the deliveries "flush" and "chained" have
 * in common. Under the path's lock.
 */
#ifndef PART_UCX_PUT_H
#define PART_UCX_PUT_H

#include "channel/part_ucx_delivery.h"

/** Post the data; when they have completed well, here, `done` of the transfer's row is called. */
bool mca_part_ucx_put_post(mca_part_ucx_transfer_t *transfer, const mca_part_ucx_parcel_t *parcel);

/** Its flags wait for a flush of all puts on the endpoint. */
void mca_part_ucx_put_await_flush(mca_part_ucx_transfer_t *transfer);

/** Its data are in place: its flags may go. */
void mca_part_ucx_put_in_place(mca_part_ucx_transfer_t *transfer);

/** Flush endpoints with completed puts, and put flags. Returns the number of events. */
int mca_part_ucx_put_flush(mca_part_ucx_path_t *path);

#endif /* PART_UCX_PUT_H */
