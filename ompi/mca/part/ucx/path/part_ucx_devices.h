/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The devices that can carry paths: the network devices that UCX reports and the MCA variables
 * allow, nearest to the process first, and shared memory as one more.
 */
#ifndef PART_UCX_DEVICES_H
#define PART_UCX_DEVICES_H

#include "api/part_ucx_device.h"

#include <stdbool.h>

/** Devices found; freed with free(). */
typedef struct mca_part_ucx_devices_t {
    mca_part_ucx_device_t *list; /**< network devices, nearest first; then those not used */
    int count;                   /**< of those that are used */
    int known;                   /**< of all in the list */
    mca_part_ucx_device_t shared; /**< shared memory */
    bool has_shared;
    char transports[512];         /**< comma separated: all that UCX has here, allowed or not */
} mca_part_ucx_devices_t;

/**
 * Find the usable devices.
 *
 * @param wanted      comma-separated device names, empty for all; a name may lack the port
 * @param all         all of these are wanted; else these may be used, and some may not be there, as
 *                    UCX reads its own variable
 * @param transports  comma-separated UCX transport names or aliases, ^ first to exclude, empty
 *                    for all
 * @return Open MPI code; a wanted device that does not exist is reported and OMPI_ERR_NOT_FOUND
 */
int mca_part_ucx_devices_find(const char *wanted, bool all, const char *transports,
                              mca_part_ucx_devices_t *devices);

/** Tell the user which words of such a list of transports name none: a list may be for several
 * machines, but what means nothing anywhere is a mistake. */
void mca_part_ucx_devices_tell_unknown(const mca_part_ucx_devices_t *devices,
                                       const char *transports);

#endif /* PART_UCX_DEVICES_H */
