/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel says of a device (see part_ucx_device_speed.h).
 */
#include "path/part_ucx_device_speed.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Mbit/s that no device has. */
#define TOO_MUCH 1e8

unsigned mca_part_ucx_device_speed_in(const char *file)
{
    FILE *stream = fopen(file, "re");
    char unit[8] = "";
    double speed = 0;

    if (NULL == stream) {
        return 0;
    }
    if (fscanf(stream, "%lf %7s", &speed, unit) < 1) {
        speed = 0;
    }
    (void) fclose(stream);
    speed *= 'G' == unit[0] ? 1000 : 1;
    return speed > 0 && speed < TOO_MUCH ? (unsigned) speed : 0;
}

unsigned mca_part_ucx_device_speed(const mca_part_ucx_device_t *device)
{
    const char *port = strchr(device->name, ':');
    int length = NULL == port ? (int) strlen(device->name) : (int) (port - device->name);
    char path[PATH_MAX];

    if (PART_UCX_DEVICE_TCP == device->kind) {
        snprintf(path, sizeof(path), "/sys/class/net/%s/speed", device->name);
    } else {
        snprintf(path, sizeof(path), "/sys/class/infiniband/%.*s/ports/%s/rate", length,
                 device->name, NULL == port ? "1" : port + 1);
    }
    return mca_part_ucx_device_speed_in(path);
}

bool mca_part_ucx_device_exists(const char *name)
{
    int length = (int) strcspn(name, ":");
    char path[PATH_MAX];

    if (0 == length || NULL != memchr(name, '/', (size_t) length) || '.' == name[0]) {
        return false;
    }
    snprintf(path, sizeof(path), "/sys/class/net/%s", name);
    if (0 == access(path, F_OK)) {
        return true;
    }
    snprintf(path, sizeof(path), "/sys/class/infiniband/%.*s", length, name);
    return 0 == access(path, F_OK);
}
