/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX's configuration of a path's context: its device, and what part/ucx relies on.
 */
#ifndef PART_UCX_CONFIG_H
#define PART_UCX_CONFIG_H

#include "api/part_ucx_device.h"

#include <stdbool.h>
#include <ucp/api/ucp.h>

/** May puts be used over this device? Only then is UCX asked for remote memory access. */
bool mca_part_ucx_config_puts(const mca_part_ucx_device_t *device);

/** May endpoints over this device be lost, and the process go on (part_ucx_failover_outage.h)? */
bool mca_part_ucx_config_fails_over(const mca_part_ucx_device_t *device);

/** Bind a configuration to the path's device. Returns an Open MPI code. */
int mca_part_ucx_config_bind(ucp_config_t *config, const mca_part_ucx_device_t *device);

#endif /* PART_UCX_CONFIG_H */
