/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A transfer: what of a unit is under way on a path. It begins as an operation of the path's
 * window.
 */
#ifndef PART_UCX_TRANSFER_H
#define PART_UCX_TRANSFER_H

#include "channel/part_ucx_message.h"
#include "path/part_ucx_window.h"

struct mca_part_ucx_delivery_t;
struct mca_part_ucx_send_t;

typedef struct mca_part_ucx_transfer_t {
    mca_part_ucx_op_t op;
    const struct mca_part_ucx_delivery_t *delivery; /**< how it travels */
    struct mca_part_ucx_send_t *send;
    mca_part_ucx_data_header_t header; /**< must stay until the transfer is over */
    uint32_t pair;                     /**< which of the channel's paths */
    uint32_t flag;                     /**< index of the first arrival flag */
    bool reserved;                     /**< counted in the endpoint's offers (part_ucx_turns.h) */
} mca_part_ucx_transfer_t;

/** The transfer that an operation is. */
static inline mca_part_ucx_transfer_t *mca_part_ucx_transfer_of(mca_part_ucx_op_t *op)
{
    return (mca_part_ucx_transfer_t *) op;
}

#endif /* PART_UCX_TRANSFER_H */
