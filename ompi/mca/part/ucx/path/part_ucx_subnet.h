/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The network that an interface is in: two TCP devices of one network reach each other.
 */
#ifndef PART_UCX_SUBNET_H
#define PART_UCX_SUBNET_H

#include "api/part_ucx_device.h"

#include <stdbool.h>

/** The network of an interface: of its IPv4 address if it has one, else of its IPv6 address. */
void mca_part_ucx_subnet_find(const char *interface, mca_part_ucx_subnet_t *subnet);

/** Do two TCP devices share a network? False when either is unknown. */
bool mca_part_ucx_subnet_equal(const mca_part_ucx_subnet_t *a, const mca_part_ucx_subnet_t *b);

#endif /* PART_UCX_SUBNET_H */
