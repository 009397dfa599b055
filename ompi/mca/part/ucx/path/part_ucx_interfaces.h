/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's own choice of network interfaces, btl_tcp_if_include and btl_tcp_if_exclude: who sets
 * them wants MPI to stay away from other networks, whatever carries it. Where part_ucx_devices (or
 * UCX_NET_DEVICES) is set, that counts instead.
 */
#ifndef PART_UCX_INTERFACES_H
#define PART_UCX_INTERFACES_H

#include "api/part_ucx_device.h"

#include <stdbool.h>

/** Comma separated names and networks like 10.1.0.0/16; NULL: not set. */
typedef struct mca_part_ucx_interfaces_t {
    const char *include;
    const char *exclude;
    bool from_file; /**< for a host, not for this job: distributions name `lo` there */
} mca_part_ucx_interfaces_t;

/** What counts when devices are searched for. */
extern mca_part_ucx_interfaces_t mca_part_ucx_interfaces;

/** Ask Open MPI; or, if it is not to be followed, forget what it has said. */
void mca_part_ucx_interfaces_learn(bool follow);

/** Is a device allowed? Others than interfaces under TCP are. */
bool mca_part_ucx_interfaces_allow(const mca_part_ucx_device_t *device);

#endif /* PART_UCX_INTERFACES_H */
