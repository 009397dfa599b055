/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How far devices are from this process.
 */
#ifndef PART_UCX_DEVICE_DISTANCE_H
#define PART_UCX_DEVICE_DISTANCE_H

#include "path/part_ucx_devices.h"

/** Sort by distance from the process; equals by network, then by name. */
void mca_part_ucx_devices_sort(mca_part_ucx_devices_t *devices);

/** Set the distance of devices, which is left at 0 where nothing depends on it. */
void mca_part_ucx_devices_measure(mca_part_ucx_device_t *list, int count);

#endif /* PART_UCX_DEVICE_DISTANCE_H */
