/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel says of a device: what it is made to carry, and whether there is one of a name.
 */
#ifndef PART_UCX_DEVICE_SPEED_H
#define PART_UCX_DEVICE_SPEED_H

#include "api/part_ucx_device.h"

#include <stdbool.h>

/** Mbit/s that a device is said to carry; 0: it does not say, as many virtual ones. */
unsigned mca_part_ucx_device_speed(const mca_part_ucx_device_t *device);

/** Is it made for less than a quarter of this? With as many units as others such a device would
 * hold them up. UCX draws the same line. */
static inline bool mca_part_ucx_device_is_slow(const mca_part_ucx_device_t *device,
                                               unsigned fastest)
{
    return 0 != device->speed && device->speed < fastest / 4;
}

/** What the text in a file says: "25000", or "100 Gb/sec (4X EDR)". */
unsigned mca_part_ucx_device_speed_in(const char *file);

/** Is there such a device, "eth0" or "mlx5_0" or "mlx5_0:1", also if it is down? */
bool mca_part_ucx_device_exists(const char *name);

#endif /* PART_UCX_DEVICE_SPEED_H */
