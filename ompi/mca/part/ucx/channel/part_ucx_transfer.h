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

typedef struct mca_part_ucx_transfer_t {
    mca_part_ucx_op_t op;
    bool reserved; /**< counted in the endpoint's offers */
    uint8_t row;   /**< how it travels */
    uint32_t pair; /**< which of the channel's paths it takes */
    mca_part_ucx_data_header_t header; /**< must stay until the transfer is over */
} mca_part_ucx_transfer_t;

/** The transfer that an operation is. */
static inline mca_part_ucx_transfer_t *mca_part_ucx_transfer_of(mca_part_ucx_op_t *op)
{
    return (mca_part_ucx_transfer_t *) op;
}

#endif /* PART_UCX_TRANSFER_H */
