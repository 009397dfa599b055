/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ordering devices by their distance from the process, with hwloc. A device hangs below some
 * object of the topology (a NUMA node's package, say); it is near when the process runs on
 * processors below that object, and the farther the less of the process's processors are there.
 */
#include "ompi_config.h"

#include "path/part_ucx_device_distance.h"
#include "process/part_ucx_log.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Virtual interfaces have no place in the machine; loading a topology for them is wasted time. */
static bool is_physical(const mca_part_ucx_device_t *device)
{
    char name[PART_UCX_NAME_MAX];
    char path[128];

    snprintf(name, sizeof(name), "%s", device->name);
    name[strcspn(name, ":")] = '\0';
    snprintf(path, sizeof(path), "/sys/class/%s/%s/device",
             PART_UCX_DEVICE_TCP == device->kind ? "net" : "infiniband", name);
    return 0 == access(path, F_OK);
}

/* 0: all of the process's processors are local to the device; 100: none is. */
static unsigned distance_of(hwloc_topology_t topology, hwloc_const_cpuset_t bound,
                            const mca_part_ucx_device_t *device)
{
    char name[PART_UCX_NAME_MAX];
    hwloc_obj_t object = NULL;

    snprintf(name, sizeof(name), "%s", device->name);
    name[strcspn(name, ":")] = '\0';
    while (NULL != (object = hwloc_get_next_osdev(topology, object))) {
        hwloc_obj_t near;
        hwloc_cpuset_t common;
        int all, local;

        if (NULL == object->name || 0 != strcmp(object->name, name)) {
            continue;
        }
        near = hwloc_get_non_io_ancestor_obj(topology, object);
        common = hwloc_bitmap_alloc();
        if (NULL == near || NULL == common || NULL == near->cpuset) {
            hwloc_bitmap_free(common);
            return 0;
        }
        hwloc_bitmap_and(common, bound, near->cpuset);
        all = hwloc_bitmap_weight(bound);
        local = hwloc_bitmap_weight(common);
        hwloc_bitmap_free(common);
        return all > 0 ? (unsigned) (100 - 100 * local / all) : 0;
    }
    return 0;
}

/* Is there anything to measure? */
static bool any_physical(const mca_part_ucx_device_t *list, int count)
{
    bool physical = false;

    for (int i = 0; i < count; ++i) {
        physical = physical || is_physical(&list[i]);
    }
    return physical;
}

void mca_part_ucx_devices_measure(mca_part_ucx_device_t *list, int count)
{
    hwloc_topology_t topology;
    hwloc_cpuset_t bound;
    bool measured = false;

    if (!any_physical(list, count) || 0 != hwloc_topology_init(&topology)) {
        return;
    }
    bound = hwloc_bitmap_alloc();
    if (NULL != bound
        && 0 == hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT)
        && 0 == hwloc_topology_load(topology)) {
        if (0 != hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS)) {
            hwloc_bitmap_copy(bound, hwloc_topology_get_allowed_cpuset(topology));
        }
        for (int i = 0; i < count; ++i) {
            list[i].distance = distance_of(topology, bound, &list[i]);
        }
        measured = true;
    }
    hwloc_bitmap_free(bound);
    hwloc_topology_destroy(topology);
    if (!measured) {
        PART_UCX_VERBOSE(1, "hwloc could not load the topology; devices are ordered by network");
    }
}

/*
 * Equally near devices are ordered by network, then by name: UCX lists them in an order that can
 * differ between hosts, and processes that use only some of them must choose the same networks.
 */
static bool goes_before(const mca_part_ucx_device_t *a, const mca_part_ucx_device_t *b)
{
    int order;

    if (a->distance != b->distance) {
        return a->distance < b->distance;
    }
    order = memcmp(a->subnet.network, b->subnet.network, sizeof(a->subnet.network));
    return 0 != order ? order < 0 : strcmp(a->name, b->name) < 0;
}

void mca_part_ucx_devices_sort(mca_part_ucx_devices_t *devices)
{
    if (devices->count > 1) {
        mca_part_ucx_devices_measure(devices->list, devices->count);
    }
    for (int i = 1; i < devices->count; ++i) {
        mca_part_ucx_device_t device = devices->list[i];
        int j = i;

        for (; j > 0 && goes_before(&device, &devices->list[j - 1]); --j) {
            devices->list[j] = devices->list[j - 1];
        }
        devices->list[j] = device;
    }
}
