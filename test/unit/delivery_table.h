/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of deliveries with one row more: as it is for somebody who has added the example of
 * docs/adding-a-delivery-method.md. What its rows begin is counted (linked with --wrap). And when a
 * receiver is about to be told that bytes are in place, they are compared.
 */
#ifndef MPIX_UNIT_DELIVERY_TABLE_H
#define MPIX_UNIT_DELIVERY_TABLE_H

#include "channel/part_ucx_delivery.h"

#undef PART_UCX_DELIVERIES
#define PART_UCX_DELIVERIES(ROW) \
    ROW(bundle)                  \
    ROW(shm)                     \
    ROW(self)                    \
    ROW(cma)                     \
    ROW(rndv)                    \
    ROW(eager)                   \
    ROW(flush)                   \
    ROW(chained)

/** deliver_self.c */
extern const mca_part_ucx_delivery_t mca_part_ucx_deliver_self;

#define DELIVERY_COUNT(row) +1
#define DELIVERY_ROWS       (0 PART_UCX_DELIVERIES(DELIVERY_COUNT))

/** Its rows, and how many parcels each has begun to deliver. */
extern const mca_part_ucx_delivery_t *const delivery_rows[DELIVERY_ROWS];
extern unsigned delivery_counts[DELIVERY_ROWS];

/** Index of the row of that name, and its count. */
unsigned delivery_row(const char *name);
unsigned delivery_count(const char *name);

#endif /* MPIX_UNIT_DELIVERY_TABLE_H */
