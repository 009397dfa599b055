/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Choosing the method of a channel (see part_ucx_method.h).
 */
#include "channel/part_ucx_method.h"

mca_part_ucx_method_t mca_part_ucx_method_choose(mca_part_ucx_device_kind_t kind, uint64_t bytes)
{
    if (PART_UCX_METHOD_AUTO != mca_part_ucx_params.method) {
        return (mca_part_ucx_method_t) mca_part_ucx_params.method;
    }
    if (bytes <= mca_part_ucx_params.message_limit || PART_UCX_DEVICE_RDMA != kind) {
        return PART_UCX_METHOD_MESSAGE;
    }
    return PART_UCX_METHOD_FLUSH;
}

const char *mca_part_ucx_method_name(mca_part_ucx_method_t method)
{
    return PART_UCX_METHOD_FLUSH == method     ? "flush"
           : PART_UCX_METHOD_CHAINED == method ? "chained"
                                               : "message";
}
