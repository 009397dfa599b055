/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Paths: creation from devices, progress (see part_ucx_path.h).
 */
#include "base/part_ucx.h"
#include "base/part_ucx_clock.h"
#include "path/part_ucx_config.h"
#include "base/part_ucx_help.h"
#include "channel/part_ucx_request.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

/* How many calls of mca_part_ucx_paths_drive() leave unused paths alone. */
#define UNUSED_CALLS 64u

static int create_worker(mca_part_ucx_path_t *path)
{
    ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                  .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    ucs_status_t status = ucp_worker_create(path->context, &params, &path->worker);

    if (UCS_OK == status) {
        status = ucp_worker_get_address(path->worker, &path->address, &path->address_length);
    }
    if (UCS_OK == status && mca_part_ucx_async_wanted()) {
        status = ucp_worker_get_efd(path->worker, &path->event_fd);
    }
    if (UCS_OK != status) {
        mca_part_ucx_help("path-failed", path->device.name, ucs_status_string(status));
        return OMPI_ERROR;
    }
    return mca_part_ucx_handlers_install(path);
}

static int create_context(mca_part_ucx_path_t *path)
{
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
                           .features = UCP_FEATURE_RMA | UCP_FEATURE_AM,
                           .name = "part_ucx"};
    ucp_config_t *config;
    ucs_status_t status;
    int rc;

    if (mca_part_ucx_async_wanted()) {
        params.features |= UCP_FEATURE_WAKEUP;
    }
    status = ucp_config_read(NULL, NULL, &config);
    if (UCS_OK != status) {
        return OMPI_ERROR;
    }
    rc = mca_part_ucx_config_bind(config, &path->device);
    if (OMPI_SUCCESS == rc) {
        status = ucp_init(&params, config, &path->context);
        if (UCS_OK != status) {
            mca_part_ucx_help("path-failed", path->device.name, ucs_status_string(status));
            rc = OMPI_ERROR;
        }
    }
    ucp_config_release(config);
    return rc;
}

/*
 * Does UCX hold nothing back on this path? After all of ours has left, a peer may connect late, and
 * UCX has to answer: over a connection that it makes for that, so the answer waits. A worker that
 * is destroyed then ends the process, by an assertion of UCX's (1.13).
 */
static bool is_still(mca_part_ucx_path_t *path)
{
    ucp_request_param_t param = {0};

    return NULL == ucp_worker_flush_nbx(path->worker, &param);
}

/* One that is not still is left to the end of the process. */
static void path_destroy(mca_part_ucx_path_t *path)
{
    if (NULL != path->worker && !is_still(path)) {
        PART_UCX_VERBOSE(1, "path %d: UCX still answers a peer; its worker is left alone",
                         path->index);
        return;
    }
    if (NULL != path->address) {
        ucp_worker_release_address(path->worker, path->address);
    }
    if (NULL != path->worker) {
        if (NULL != atomic_load(&path->flush)) {
            ucp_request_free(atomic_load(&path->flush));
        }
        mca_part_ucx_recv_forget_early(path);
        ucp_worker_destroy(path->worker);
    }
    if (NULL != path->context) {
        ucp_cleanup(path->context);
    }
    mca_part_ucx_path_free_ops(path);
    while (NULL != path->rx_free) {
        void *next = *(void **) path->rx_free;

        free(path->rx_free);
        path->rx_free = next;
    }
}

static int path_create(mca_part_ucx_path_t *path, int index, const mca_part_ucx_device_t *device)
{
    int rc;

    memset(path, 0, sizeof(*path));
    mca_part_ucx_lock_init(&path->lock);
    mca_part_ucx_queue_init(&path->queue);
    path->pending_tail = &path->pending;
    path->index = index;
    path->device = *device;
    path->event_fd = -1;
    rc = create_context(path);
    if (OMPI_SUCCESS == rc) {
        rc = create_worker(path);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_part_ucx_path_add_ops(path);
    }
    if (OMPI_SUCCESS != rc) {
        path_destroy(path);
        return rc;
    }
    PART_UCX_VERBOSE(1, "path %d: %s over %s, distance %u", index, device->name,
                     device->transports, device->distance);
    return OMPI_SUCCESS;
}

/* The network paths that the user asks for; without a wish, one per device. */
static int paths_asked(const mca_part_ucx_devices_t *devices)
{
    int per_device = mca_part_ucx.params.paths_per_device;

    if (0 != mca_part_ucx.params.paths) {
        return mca_part_ucx.params.paths;
    }
    return devices->count * (0 == per_device ? 1 : per_device);
}

/* How many devices there are depends on the host: a wish that goes too far is cut, not refused. */
static void report_fewer(const mca_part_ucx_devices_t *devices, int asked, int count)
{
    int per_device = mca_part_ucx.params.paths_per_device;

    if (0 == mca_part_ucx.params.paths && 0 == per_device) {
        PART_UCX_VERBOSE(1, "%d devices, of which the nearest %d are used: a process has no more "
                         "paths", asked, count);
    } else {
        mca_part_ucx_help("fewer-paths", asked, count, per_device, devices->count,
                          PART_UCX_MAX_PATHS - 1);
    }
}

int mca_part_ucx_paths_count(const mca_part_ucx_devices_t *devices, bool tell)
{
    int per_device = mca_part_ucx.params.paths_per_device;
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

/* Paths take the devices in turn, so that a smaller count uses the nearest ones. */
static int create_all(const mca_part_ucx_devices_t *devices, int network, bool named)
{
    int total = network + (devices->has_shared ? 1 : 0);
    int rc = OMPI_SUCCESS;

    mca_part_ucx.paths = calloc((size_t) total, sizeof(*mca_part_ucx.paths));
    if (NULL == mca_part_ucx.paths) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int i = 0; i < network && OMPI_SUCCESS == rc; ++i) {
        rc = path_create(&mca_part_ucx.paths[mca_part_ucx.path_count], mca_part_ucx.path_count,
                         &devices->list[i % devices->count]);
        mca_part_ucx.path_count += OMPI_SUCCESS == rc ? 1 : 0;
        if (!named) {
            rc = OMPI_SUCCESS; /* told; what was not asked for by name can be done without */
        }
    }
    mca_part_ucx.network_paths = mca_part_ucx.path_count;
    if (OMPI_SUCCESS == rc && devices->has_shared) {
        mca_part_ucx_path_t *path = &mca_part_ucx.paths[mca_part_ucx.path_count];

        if (OMPI_SUCCESS == path_create(path, mca_part_ucx.path_count, &devices->shared)) {
            mca_part_ucx.shared_path = path;
            ++mca_part_ucx.path_count;
        }
    }
    return OMPI_SUCCESS == rc && 0 == mca_part_ucx.path_count ? OMPI_ERR_NOT_FOUND : rc;
}

void mca_part_ucx_paths_wanted(const char **devices, const char **transports)
{
    /* When Open MPI closes the component, it takes the values of its variables away. */
    *devices = NULL == mca_part_ucx.params.devices ? "" : mca_part_ucx.params.devices;
    *transports = NULL == mca_part_ucx.params.transports ? "" : mca_part_ucx.params.transports;
    if ('\0' == (*transports)[0] && NULL != getenv("UCX_TLS")) {
        *transports = getenv("UCX_TLS");
    }
    if ('\0' == (*devices)[0] && NULL != getenv("UCX_NET_DEVICES")
        && 0 != strcmp("all", getenv("UCX_NET_DEVICES"))) {
        *devices = getenv("UCX_NET_DEVICES");
    }
}

int mca_part_ucx_paths_create(void)
{
    mca_part_ucx_devices_t devices;
    const char *transports, *wanted;
    int network, rc;

    mca_part_ucx_paths_wanted(&wanted, &transports);
    rc = mca_part_ucx_devices_find(wanted, transports, &devices);
    if (transports == mca_part_ucx.params.transports) { /* of UCX_TLS UCX itself tells */
        mca_part_ucx_devices_tell_unknown(&devices, transports);
    }
    if (OMPI_SUCCESS == rc) {
        network = mca_part_ucx_paths_count(&devices, true);
        if (0 == network && !devices.has_shared) {
            mca_part_ucx_help("no-device", transports);
            rc = OMPI_ERR_NOT_FOUND;
        } else {
            rc = create_all(&devices, network, '\0' != wanted[0]);
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
    for (int i = 0; i < mca_part_ucx.path_count; ++i) {
        path_destroy(&mca_part_ucx.paths[i]);
    }
    free(mca_part_ucx.paths);
    mca_part_ucx.paths = NULL;
    mca_part_ucx.path_count = 0;
    mca_part_ucx.network_paths = 0;
    mca_part_ucx.shared_path = NULL;
}

/* Take what was pushed: what is urgent is posted, the rest is appended to the pending list. */
static int take_pushed(mca_part_ucx_path_t *path)
{
    mca_part_ucx_link_t *taken = mca_part_ucx_queue_take(&path->queue);
    int posted = 0;

    while (NULL != taken) {
        mca_part_ucx_work_t *work = PART_UCX_CONTAINER(taken, mca_part_ucx_work_t, link);

        taken = taken->next;
        if (work->urgent) {
            (void) work->post(path, work);
            ++posted;
        } else {
            work->link.next = NULL;
            *path->pending_tail = &work->link;
            path->pending_tail = &work->link.next;
        }
    }
    return posted;
}

/* Post as much as the window allows, oldest first. */
static int post_pending(mca_part_ucx_path_t *path)
{
    int posted = take_pushed(path);

    while (NULL != path->pending) {
        mca_part_ucx_link_t *link = path->pending;
        mca_part_ucx_link_t *next = link->next;
        mca_part_ucx_work_t *work = PART_UCX_CONTAINER(link, mca_part_ucx_work_t, link);

        if (!work->post(path, work)) {
            break;
        }
        /* The work may be gone or queued again by now; only `next` is still ours. */
        path->pending = next;
        if (NULL == next) {
            path->pending_tail = &path->pending;
        }
        ++posted;
        if (!mca_part_ucx_queue_empty(&path->queue)) {
            posted += take_pushed(path); /* posting may copy for long: READY must not wait */
        }
    }
    return posted;
}

static int path_step(mca_part_ucx_path_t *path)
{
    int events = (int) ucp_worker_progress(path->worker);

    if (NULL != path->early) {
        events += mca_part_ucx_recv_early(path);
    }
    events += post_pending(path);
    events += mca_part_ucx_transfer_flush(path);
    if (NULL != path->polled) {
        events += mca_part_ucx_recv_poll(path);
    }
    if (NULL != path->held) {
        events += mca_part_ucx_post_release(path);
    }
    return events;
}

int mca_part_ucx_path_drive(mca_part_ucx_path_t *path, bool waiting)
{
    int events = 0;

    do {
        if (!mca_part_ucx_lock_try(&path->lock)) {
            break; /* the holder looks at the queue again after releasing */
        }
        path->waiting = waiting;
        events += path_step(path);
        mca_part_ucx_lock_release(&path->lock);
    } while (!mca_part_ucx_queue_empty(&path->queue));
    return events;
}

void mca_part_ucx_paths_push(void)
{
    bool again = true;

    /* Driving one path may have given work to others, also to one that had its turn. */
    for (int round = 0; again && round < 2; ++round) {
        again = false;
        for (int i = 0; i < mca_part_ucx.path_count; ++i) {
            if (!mca_part_ucx_queue_empty(&mca_part_ucx.paths[i].queue)) {
                (void) mca_part_ucx_path_drive(&mca_part_ucx.paths[i], false);
                again = true;
            }
        }
    }
}

int mca_part_ucx_paths_drive(bool waiting)
{
    static _Thread_local unsigned calls __attribute__((tls_model("initial-exec")));
    bool all = 0 == ++calls % UNUSED_CALLS;
    int events = 0;

    for (int i = 0; i < mca_part_ucx.path_count; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx.paths[i];

        if (all || atomic_load_explicit(&path->used, memory_order_relaxed)) {
            int found = mca_part_ucx_path_drive(path, waiting);

            if (found > 0 && all) {
                atomic_store_explicit(&path->used, true, memory_order_relaxed);
            }
            events += found;
        }
    }
    return events;
}

/* Has all that was posted reached the peers? Begins a flush to find out, or looks after it. */
static bool path_is_quiet(mca_part_ucx_path_t *path)
{
    ucp_request_param_t param = {0};
    ucs_status_ptr_t flush;

    if (NULL == atomic_load(&path->flush) && !atomic_load(&path->dirty)) {
        return true;
    }
    mca_part_ucx_path_lock(path);
    flush = atomic_load(&path->flush);
    if (NULL != flush && UCS_INPROGRESS != ucp_request_check_status(flush)) {
        ucp_request_free(flush);
        flush = NULL;
    }
    if (NULL == flush && atomic_exchange(&path->dirty, false)) {
        flush = ucp_worker_flush_nbx(path->worker, &param);
        flush = UCS_PTR_IS_PTR(flush) ? flush : NULL;
    }
    atomic_store(&path->flush, flush);
    mca_part_ucx_path_unlock(path);
    return NULL == flush;
}

bool mca_part_ucx_paths_quiet(double seconds)
{
    uint64_t deadline = mca_part_ucx_clock_ns() + (uint64_t) (1e9 * seconds);
    bool all = true;

    for (int i = 0; i < mca_part_ucx.path_count; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx.paths[i];
        bool quiet;

        (void) mca_part_ucx_path_drive(path, false);
        while (!(quiet = path_is_quiet(path)) && mca_part_ucx_clock_ns() < deadline) {
            (void) mca_part_ucx_paths_drive(false);
            sched_yield();
        }
        all = all && quiet;
    }
    return all;
}
