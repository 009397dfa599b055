/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All paths: how many, on which devices, their progress (see part_ucx_paths.h).
 */
#include "path/part_ucx_paths.h"

#include "base/part_ucx_clock.h"
#include "base/part_ucx_thread_local.h"
#include "path/part_ucx_helper.h"
#include "path/part_ucx_interfaces.h"
#include "path/part_ucx_ucx_settings.h"
#include "path/part_ucx_unmapping.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_params.h"
#include "process/part_ucx_process.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

/* How many calls of mca_part_ucx_paths_drive() leave unused paths alone. */
#define UNUSED_CALLS 64u

mca_part_ucx_paths_t mca_part_ucx_paths = {.existence = PTHREAD_MUTEX_INITIALIZER};

/* The network paths that the user asks for; without a wish, one per device. */
static int paths_asked(const mca_part_ucx_devices_t *devices)
{
    int per_device = mca_part_ucx_params.paths_per_device;

    if (0 != mca_part_ucx_params.paths) {
        return mca_part_ucx_params.paths;
    }
    return devices->count * (0 == per_device ? 1 : per_device);
}

/* How many devices there are depends on the host: a wish that goes too far is cut, not refused. */
static void report_fewer(const mca_part_ucx_devices_t *devices, int asked, int count)
{
    int per_device = mca_part_ucx_params.paths_per_device;

    if (0 == mca_part_ucx_params.paths && 0 == per_device) {
        PART_UCX_VERBOSE(1, "%d devices, of which the nearest %d are used: a process has no more "
                         "paths", asked, count);
    } else {
        mca_part_ucx_help("fewer-paths", asked, count, per_device, devices->count,
                          PART_UCX_MAX_PATHS - 1);
    }
}

int mca_part_ucx_paths_number(const mca_part_ucx_devices_t *devices, bool tell)
{
    int per_device = mca_part_ucx_params.paths_per_device;
    int asked = paths_asked(devices);
    int count = asked;

    if (0 == devices->count) {
        return 0;
    }
    if (0 != per_device && count > devices->count * per_device) {
        count = devices->count * per_device;
    }
    if (count >= PART_UCX_MAX_PATHS) {
        count = PART_UCX_MAX_PATHS - 1;
    }
    if (tell && count < asked) {
        report_fewer(devices, asked, count);
    }
    return count;
}

/* Of so many network paths, on these devices in turn, how many are not slow beside others. */
static int count_fast(const mca_part_ucx_devices_t *devices, int network)
{
    int count = 0;

    for (int i = 0; i < network; ++i) {
        count += !devices->list[i % devices->count].slow;
    }
    return count;
}

/* Paths take the devices in turn, so that a smaller count uses the nearest ones. */
static int create_all(const mca_part_ucx_devices_t *devices, int network,
                      const mca_part_ucx_path_user_t *user)
{
    int room = PART_UCX_MAX_PATHS - network;
    int shared = !devices->has_shared ? 0 : room < 2 ? room : 2;
    int total = network + shared;
    mca_part_ucx_path_t *path = calloc((size_t) total, sizeof(*path));
    int rc;

    if (NULL == path) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int i = 0; i < total; ++i) {
        mca_part_ucx_path_create(&path[i], i,
                                 i < network ? &devices->list[i % devices->count]
                                             : &devices->shared,
                                 user);
    }
    pthread_mutex_lock(&mca_part_ucx_paths.existence);
    mca_part_ucx_paths.path = path;
    mca_part_ucx_paths.network = network;
    mca_part_ucx_paths.fast = count_fast(devices, network);
    mca_part_ucx_paths.count = total;
    pthread_mutex_unlock(&mca_part_ucx_paths.existence);
    rc = devices->has_shared ? mca_part_ucx_path_open(&path[network], mca_part_ucx_helper_wanted())
                             : OMPI_ERR_NOT_FOUND;
    if (OMPI_ERR_OUT_OF_RESOURCE == rc) {
        return rc; /* another time; peers on this host would not find another path */
    }
    if (OMPI_SUCCESS == rc) {
        mca_part_ucx_paths.shared = &path[network];
        mca_part_ucx_paths.guests = shared > 1 ? &path[network + 1] : NULL;
    }
    for (int i = 0; i < network && NULL != mca_part_ucx_paths.shared; ++i) {
        PART_UCX_VERBOSE(1, "path %d: %s over %s, closed until there is a peer on another host", i,
                         path[i].device.name, path[i].device.transports);
    }
    return OMPI_SUCCESS;
}

/* Whatever Open MPI and UCX have been told. */
static bool all_devices(void)
{
    return NULL != mca_part_ucx_params.devices && 0 == strcmp("all", mca_part_ucx_params.devices);
}

mca_part_ucx_wish_t mca_part_ucx_paths_wish(void)
{
    const char *devices = mca_part_ucx_params.devices, *transports = mca_part_ucx_params.transports;
    /* When Open MPI closes the component, it takes the values of its variables away. */
    mca_part_ucx_wish_t wish = {.devices = NULL == devices ? "" : devices,
                                .all = true,
                                .transports = NULL == transports ? "" : transports};

    if ('\0' == wish.transports[0] && NULL != mca_part_ucx_settings_transports()) {
        wish.transports = mca_part_ucx_settings_transports();
    }
    if (all_devices()) {
        wish.devices = "";
    } else if ('\0' == wish.devices[0] && NULL != mca_part_ucx_settings_devices()) {
        wish.devices = mca_part_ucx_settings_devices();
        wish.all = false;
    }
    return wish;
}

void mca_part_ucx_paths_search(mca_part_ucx_devices_t *devices)
{
    mca_part_ucx_wish_t wish = mca_part_ucx_paths_wish();
    char told[8];

    mca_part_ucx_help_divert(told, sizeof(told));
    (void) mca_part_ucx_devices_find(wish.devices, wish.all, wish.transports, devices);
    mca_part_ucx_help_divert(NULL, 0);
}

int mca_part_ucx_paths_foresee(bool *tcp)
{
    mca_part_ucx_devices_t devices;
    int network;

    mca_part_ucx_unmapping_share();
    mca_part_ucx_interfaces_learn(!all_devices());
    mca_part_ucx_paths_search(&devices);
    network = count_fast(&devices, mca_part_ucx_paths_number(&devices, false));
    *tcp = true;
    for (int i = 0; i < devices.count; ++i) {
        *tcp = *tcp && PART_UCX_DEVICE_TCP == devices.list[i].kind;
    }
    free(devices.list);
    return network;
}

int mca_part_ucx_paths_create(const mca_part_ucx_path_user_t *user)
{
    mca_part_ucx_wish_t wish = mca_part_ucx_paths_wish();
    mca_part_ucx_devices_t devices;
    int network, rc;

    mca_part_ucx_interfaces_learn(!all_devices());
    rc = mca_part_ucx_devices_find(wish.devices, wish.all, wish.transports, &devices);
    if (wish.transports == mca_part_ucx_params.transports) { /* of UCX_TLS UCX itself tells */
        mca_part_ucx_devices_tell_unknown(&devices, wish.transports);
    }
    if (OMPI_SUCCESS == rc) {
        network = mca_part_ucx_paths_number(&devices, true);
        if (0 == network && !devices.has_shared) {
            mca_part_ucx_help("no-device", wish.transports);
            rc = OMPI_ERR_NOT_FOUND;
        } else {
            rc = create_all(&devices, network, user);
        }
    }
    if (OMPI_SUCCESS != rc) {
        mca_part_ucx_paths_destroy();
    }
    free(devices.list);
    return rc;
}

void mca_part_ucx_paths_destroy(void)
{
    pthread_mutex_lock(&mca_part_ucx_paths.existence);
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        mca_part_ucx_path_destroy(&mca_part_ucx_paths.path[i]);
    }
    free(mca_part_ucx_paths.path);
    mca_part_ucx_paths.path = NULL;
    mca_part_ucx_paths.count = 0;
    mca_part_ucx_paths.network = mca_part_ucx_paths.fast = 0;
    mca_part_ucx_paths.shared = NULL;
    mca_part_ucx_paths.guests = NULL;
    mca_part_ucx_paths.network_asked = false;
    mca_part_ucx_paths.network_outcome = OMPI_SUCCESS;
    pthread_mutex_unlock(&mca_part_ucx_paths.existence);
}

void mca_part_ucx_paths_drive_pushed(void)
{
    bool again = true;

    /* Driving one path may have given work to others, also to one that had its turn. */
    for (int round = 0; again && round < 2; ++round) {
        again = false;
        for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
            if (!mca_part_ucx_queue_empty(&mca_part_ucx_paths.path[i].queue)) {
                mca_part_ucx_path_drive_pushed(&mca_part_ucx_paths.path[i]);
                again = true;
            }
        }
    }
}

static int drive(mca_part_ucx_path_t *path, bool waiting, bool all)
{
    int found = 0;

    if (all || atomic_load_explicit(&path->used, memory_order_relaxed)) {
        found = mca_part_ucx_path_drive(path, waiting);
        if (found > 0 && all) {
            atomic_store_explicit(&path->used, true, memory_order_relaxed);
        }
    }
    return found;
}

/* Who waits may wait for what has just become complete: then the other paths, each of which costs a
 * system call, have their turn next time. */
int mca_part_ucx_paths_drive(bool waiting)
{
    static PART_UCX_THREAD_LOCAL unsigned calls;
    static PART_UCX_THREAD_LOCAL int next;
    bool all = 0 == ++calls % UNUSED_CALLS;
    bool ends = false;
    int events = 0;

    for (int i = 0; i < mca_part_ucx_paths.count && !ends; ++i) {
        int found;

        next = next < mca_part_ucx_paths.count ? next : 0;
        found = drive(&mca_part_ucx_paths.path[next++], waiting, all);
        events += found;
        ends = waiting && !all && found > 0
               && !mca_part_ucx_queue_empty(&mca_part_ucx_process.done);
    }
    return events;
}

bool mca_part_ucx_paths_quiet(double seconds)
{
    uint64_t deadline = mca_part_ucx_clock_ns() + (uint64_t) (1e9 * seconds);
    bool all = true;

    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];
        bool quiet;

        (void) mca_part_ucx_path_drive(path, false);
        while (!(quiet = mca_part_ucx_path_flush_done(path))
               && mca_part_ucx_clock_ns() < deadline) {
            (void) mca_part_ucx_paths_drive(false);
            sched_yield();
        }
        all = all && quiet;
    }
    return all;
}
