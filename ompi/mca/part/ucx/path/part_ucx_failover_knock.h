/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does a path to another host work again? A connection to a port that nobody listens to is asked
 * for: that the other system refuses it is answer enough. UCX is not asked, because it takes an
 * endpoint badly that is given up while it connects (path/part_ucx_config.c).
 */
#ifndef PART_UCX_FAILOVER_KNOCK_H
#define PART_UCX_FAILOVER_KNOCK_H

#include "path/part_ucx_subnet.h"

typedef enum mca_part_ucx_failover_knock_t {
    PART_UCX_FAILOVER_KNOCK_SILENT, /**< no answer yet */
    PART_UCX_FAILOVER_KNOCK_THERE,
    PART_UCX_FAILOVER_KNOCK_FAILED /**< there is no way */
} mca_part_ucx_failover_knock_t;

/** Ask, from our address. A descriptor; -1: there is no way. */
int mca_part_ucx_failover_knock(const mca_part_ucx_subnet_t *ours,
                                const mca_part_ucx_subnet_t *theirs);

/** What has come of it. */
mca_part_ucx_failover_knock_t mca_part_ucx_failover_knock_answer(int knock);

#endif /* PART_UCX_FAILOVER_KNOCK_H */
