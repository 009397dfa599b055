/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Put, flush, flag: the put's completion only lists the transfer; when a flush of its endpoint has
 * ended, data are in place at the receiver, and the flags follow. Right on every transport.
 */
#include "channel/part_ucx_put.h"

const mca_part_ucx_delivery_t mca_part_ucx_deliver_flush = {.name = "flush",
                                                            .method = PART_UCX_METHOD_FLUSH,
                                                            .post = mca_part_ucx_put_post,
                                                            .done = mca_part_ucx_put_await_flush};
