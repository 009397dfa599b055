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

/** Addresses of such a network are the business of one cable: two hosts that have one each may be
 * on different ones. */
bool mca_part_ucx_subnet_is_link_local(const mca_part_ucx_subnet_t *subnet);

/** How many bits two addresses of one family have in common from the first on. Where no network is
 * common, those that belong together are mostly alike. */
unsigned mca_part_ucx_subnet_likeness(const mca_part_ucx_subnet_t *a,
                                      const mca_part_ucx_subnet_t *b);

/** Is this address the one from which the system sends to others of its network? */
bool mca_part_ucx_subnet_is_source(const mca_part_ucx_subnet_t *subnet);

/** Does a route lead from this interface to the peer's address? True where that cannot be found
 * out. */
bool mca_part_ucx_subnet_leads_to(const char *interface, const mca_part_ucx_subnet_t *peer);

#endif /* PART_UCX_SUBNET_H */
