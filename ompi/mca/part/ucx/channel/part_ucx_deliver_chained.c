/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Chained: the flags follow as soon as the put has completed here, as the paper has it. Only where
 * completion means in place (docs/protocol.md).
 */
#include "channel/part_ucx_put.h"

const mca_part_ucx_delivery_t mca_part_ucx_deliver_chained = {.name = "chained",
                                                              .method = PART_UCX_METHOD_CHAINED,
                                                              .post = mca_part_ucx_put_post,
                                                              .done = mca_part_ucx_put_in_place};
