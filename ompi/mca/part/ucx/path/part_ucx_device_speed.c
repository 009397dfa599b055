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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Mbit/s that no device has. */
#define TOO_MUCH 100000000ul

/* "2.5 Gb/sec"; not by scanf(), which reads it as the program's language writes numbers. */
static unsigned long mbit_in(const char *line)
{
    char *rest;
    unsigned long speed = '-' == line[0] ? 0 : strtoul(line, &rest, 10);
    unsigned long tenths = 0;

    if ('-' == line[0] || rest == line || speed >= TOO_MUCH) {
        return 0;
    }
    if ('.' == rest[0] && '0' <= rest[1] && rest[1] <= '9') {
        tenths = (unsigned long) (rest[1] - '0');
        rest += 2;
    }
    return 'G' == rest[strspn(rest, " ")] ? 1000 * speed + 100 * tenths : speed;
}

unsigned mca_part_ucx_device_speed_in(const char *file)
{
    FILE *stream = fopen(file, "re");
    char line[64] = "";
    unsigned long speed;

    if (NULL == stream) {
        return 0;
    }
    speed = NULL == fgets(line, sizeof(line), stream) ? 0 : mbit_in(line);
    (void) fclose(stream);
    return speed < TOO_MUCH ? (unsigned) speed : 0;
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
    const char *port = strchr(name, ':');
    int length = (int) strcspn(name, ":");
    char path[PATH_MAX];

    if (0 == length || NULL != strchr(name, '/') || '.' == name[0]) {
        return false;
    }
    if (NULL != port) {
        snprintf(path, sizeof(path), "/sys/class/infiniband/%.*s/ports/%s", length, name, port + 1);
        return '\0' != port[1] && 0 == access(path, F_OK);
    }
    snprintf(path, sizeof(path), "/sys/class/net/%s", name);
    if (0 == access(path, F_OK)) {
        return true;
    }
    snprintf(path, sizeof(path), "/sys/class/infiniband/%s", name);
    return 0 == access(path, F_OK);
}
