/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ordering devices by their distance from the process: the fewer of its processors are near a
 * device, by what the kernel says, the farther it is. Loading hwloc's topology would tell the same,
 * but takes hundreds of milliseconds on a large machine, and more when all ranks of a host do so at
 * once.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "ompi_config.h"

#include "path/part_ucx_device_distance.h"
#include "process/part_ucx_log.h"

#include <dirent.h>
#include <hwloc.h>
#include <hwloc/linux.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any kernel has. */
#define PROCESSORS_MAX 8192

/* Where the kernel says it: of the device itself, or of the one on the bus that it belongs to (one
 * of virtio, a part of a network card). */
static const char *const places[] = {"", "/..", "/../.."};

/* The processors near a device; false: it has no place in the machine, as virtual interfaces. */
static bool find_near(const char *class, const char *name, hwloc_bitmap_t near)
{
    char path[PATH_MAX];

    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
        snprintf(path, sizeof(path), "/sys/class/%s/%s/device%s/local_cpus", class, name,
                 places[i]);
        if (0 == hwloc_linux_read_path_as_cpumask(path, near) && !hwloc_bitmap_iszero(near)) {
            return true;
        }
    }
    return false;
}

/* Of a bond, a VLAN or a bridge: those near what is below it. */
static bool find_near_below(const char *interface, hwloc_bitmap_t near)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    bool found = false;
    DIR *folder;

    snprintf(path, sizeof(path), "/sys/class/net/%s", interface);
    folder = opendir(path);
    while (NULL != folder && !found && NULL != (entry = readdir(folder))) {
        found = 0 == strncmp(entry->d_name, "lower_", 6)
                && find_near("net", entry->d_name + 6, near);
    }
    if (NULL != folder) {
        closedir(folder);
    }
    return found;
}

/* False: it has no place. */
static bool find_near_device(const mca_part_ucx_device_t *device, hwloc_bitmap_t near)
{
    bool tcp = PART_UCX_DEVICE_TCP == device->kind;
    char name[PART_UCX_NAME_MAX];

    snprintf(name, sizeof(name), "%.*s", (int) strcspn(device->name, ":"), device->name);
    return find_near(tcp ? "net" : "infiniband", name, near)
           || (tcp && find_near_below(name, near));
}

/* Add the processors that a thread may use. */
static void add_thread(hwloc_bitmap_t ours, pid_t thread, cpu_set_t *set, size_t size)
{
    bool known = 0 == sched_getaffinity(thread, size, set);

    for (int i = 0; known && i < PROCESSORS_MAX; ++i) {
        if (CPU_ISSET_S(i, size, set)) {
            hwloc_bitmap_set(ours, (unsigned) i);
        }
    }
}

/* The processors that this process may use: each of its threads may be bound. */
static bool find_ours(hwloc_bitmap_t ours)
{
    size_t size = CPU_ALLOC_SIZE(PROCESSORS_MAX);
    cpu_set_t *set = CPU_ALLOC(PROCESSORS_MAX);
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *entry;

    if (NULL != set) {
        add_thread(ours, 0, set, size);
    }
    while (NULL != set && NULL != threads && NULL != (entry = readdir(threads))) {
        int thread = atoi(entry->d_name);

        if (0 != thread) { /* neither "." nor ".." */
            add_thread(ours, thread, set, size);
        }
    }
    if (NULL != threads) {
        closedir(threads);
    }
    CPU_FREE(set);
    return !hwloc_bitmap_iszero(ours);
}

/* 0: all of the process's processors are near the device; 100: none is. Changes `near`. */
static unsigned distance_of(hwloc_const_bitmap_t ours, hwloc_bitmap_t near)
{
    hwloc_bitmap_and(near, ours, near);
    return (unsigned) (100 - 100 * hwloc_bitmap_weight(near) / hwloc_bitmap_weight(ours));
}

/* What has no place, as a tunnel, is not to be preferred to what has. */
static void measure(mca_part_ucx_device_t *list, int count, hwloc_const_bitmap_t ours,
                    hwloc_bitmap_t near)
{
    bool any = false;

    for (int i = 0; i < count; ++i) {
        bool found = find_near_device(&list[i], near);

        list[i].distance = found ? distance_of(ours, near) : 100;
        any = any || found;
    }
    for (int i = 0; i < count && !any; ++i) {
        list[i].distance = 0;
    }
}

void mca_part_ucx_devices_measure(mca_part_ucx_device_t *list, int count)
{
    hwloc_bitmap_t ours = hwloc_bitmap_alloc();
    hwloc_bitmap_t near = hwloc_bitmap_alloc();

    if (NULL == ours || NULL == near || !find_ours(ours)) {
        PART_UCX_VERBOSE(1, "the processors of this process are not known; devices are ordered by "
                            "network");
    } else {
        measure(list, count, ours, near);
    }
    hwloc_bitmap_free(ours);
    hwloc_bitmap_free(near);
}

/*
 * Slow ones come last: who uses only some paths does not want those. Equally near devices are
 * ordered by network, then by name: UCX lists them in an order that can differ between hosts, and
 * processes that use only some of them must choose the same networks.
 */
static int compare(const void *one, const void *other)
{
    const mca_part_ucx_device_t *a = one, *b = other;
    int order = memcmp(a->subnet.network, b->subnet.network, sizeof(a->subnet.network));

    if (a->slow != b->slow) {
        return a->slow ? 1 : -1;
    }
    if (a->distance != b->distance) {
        return a->distance < b->distance ? -1 : 1;
    }
    return 0 != order ? order : strcmp(a->name, b->name);
}

void mca_part_ucx_devices_sort(mca_part_ucx_devices_t *devices)
{
    if (devices->count > 1) {
        mca_part_ucx_devices_measure(devices->list, devices->count);
        qsort(devices->list, (size_t) devices->count, sizeof(*devices->list), compare);
    }
}
