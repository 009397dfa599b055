/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is there a cable? What the kernel knows of a network interface of this host.
 */
#ifndef PART_UCX_FAILOVER_CARRIER_H
#define PART_UCX_FAILOVER_CARRIER_H

#include <stdbool.h>

/** What was seen of a path's carrier. Under the set-up lock. */
typedef struct mca_part_ucx_failover_carrier_t {
    double looked; /**< when, in seconds; 0: never */
    unsigned dark; /**< looks, one after the other, at which there was none */
} mca_part_ucx_failover_carrier_t;

/** Has an interface no carrier, or is it gone? False also where the kernel does not say. */
bool mca_part_ucx_failover_carrier_is_lost(const char *name);

#endif /* PART_UCX_FAILOVER_CARRIER_H */
