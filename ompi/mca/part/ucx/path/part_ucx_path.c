/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One path: its making, its progress (see part_ucx_path.h).
 */
#include "path/part_ucx_path.h"

#include "path/part_ucx_config.h"
#include "path/part_ucx_window.h"
#include "process/part_ucx_help.h"
#include "process/part_ucx_log.h"

#include <string.h>

#include "ompi/constants.h"
#include "opal/util/proc.h"

/* Where something comes without UCX each time, UCX is looked at once in so many times. */
#define LOOKS_PER_PROGRESS 4u

static int create_worker(mca_part_ucx_path_t *path, bool wakeup)
{
    ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                  .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    ucs_status_t status = ucp_worker_create(path->context, &params, &path->worker);

    if (UCS_OK == status) {
        status = ucp_worker_get_address(path->worker, &path->address, &path->address_length);
    }
    if (UCS_OK == status && wakeup) {
        status = ucp_worker_get_efd(path->worker, &path->event_fd);
    }
    if (UCS_OK != status) {
        mca_part_ucx_help("path-failed", path->device.name, ucs_status_string(status));
        return OMPI_ERROR;
    }
    return path->user->attach(path);
}

static int create_context(mca_part_ucx_path_t *path, bool wakeup)
{
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
                           .features = UCP_FEATURE_AM,
                           .name = "part_ucx"};
    ucp_config_t *config;
    ucs_status_t status;
    int rc;

    if (wakeup) {
        params.features |= UCP_FEATURE_WAKEUP;
    }
    if (path->puts) {
        params.features |= UCP_FEATURE_RMA;
    }
    if (PART_UCX_DEVICE_RDMA == path->device.kind) {
        /* For UCX's choice between transports that have a connection for each peer and those that
         * have not. */
        params.field_mask |= UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_ESTIMATED_NUM_PPN;
        params.estimated_num_eps = opal_process_info.num_procs;
        params.estimated_num_ppn = opal_process_info.num_local_peers + 1;
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
    ucs_status_ptr_t flush = ucp_worker_flush_nbx(path->worker, &param);

    if (UCS_PTR_IS_PTR(flush) && NULL == atomic_load(&path->flush)) {
        atomic_store(&path->flush, flush); /* mca_part_ucx_path_flush_done() looks after it */
    }
    return NULL == flush;
}

static void destroy(mca_part_ucx_path_t *path)
{
    if (NULL != path->address) {
        ucp_worker_release_address(path->worker, path->address);
    }
    if (NULL != path->worker) {
        if (NULL != atomic_load(&path->flush)) {
            ucp_request_free(atomic_load(&path->flush));
        }
        path->user->detach(path);
        ucp_worker_destroy(path->worker);
    }
    if (NULL != path->context) {
        ucp_cleanup(path->context);
    }
    mca_part_ucx_path_free_ops(path);
    path->address = NULL;
    path->address_length = 0;
    path->worker = NULL;
    path->context = NULL;
    path->event_fd = -1;
}

/* One that is not still is left to the end of the process. */
void mca_part_ucx_path_destroy(mca_part_ucx_path_t *path)
{
    if (NULL != path->worker && !is_still(path)) {
        PART_UCX_VERBOSE(1, "path %d: UCX still answers a peer; its worker is left alone",
                         path->index);
    } else {
        destroy(path);
    }
}

/* Is nothing of ours left on it? */
static bool is_empty(mca_part_ucx_path_t *path)
{
    return mca_part_ucx_queue_empty(&path->queue) && NULL == path->pending
           && 0 == path->ops_in_flight && NULL == atomic_load(&path->flush)
           && !atomic_load(&path->dirty) && !path->user->waits(path);
}

bool mca_part_ucx_path_close(mca_part_ucx_path_t *path)
{
    bool closes;

    mca_part_ucx_path_lock(path);
    closes = mca_part_ucx_path_is_open(path) && is_empty(path) && is_still(path);
    if (closes) {
        atomic_store_explicit(&path->open, false, memory_order_relaxed);
        destroy(path);
        path->free_ops = NULL;
        path->endpoints = 0;
        atomic_store(&path->used, false);
    }
    mca_part_ucx_path_unlock(path);
    return closes;
}

void mca_part_ucx_path_create(mca_part_ucx_path_t *path, int index,
                              const mca_part_ucx_device_t *device,
                              const mca_part_ucx_path_user_t *user)
{
    memset(path, 0, sizeof(*path));
    path->pending_tail = &path->pending;
    path->index = index;
    path->device = *device;
    path->event_fd = -1;
    path->user = user;
}

int mca_part_ucx_path_open(mca_part_ucx_path_t *path, bool wakeup)
{
    const mca_part_ucx_device_t *device = &path->device;
    int rc;

    path->puts = mca_part_ucx_config_puts(device);
    /* Without a descriptor of its events the path's connections are not known. */
    path->fails_over = wakeup && mca_part_ucx_config_fails_over(device);
    rc = create_context(path, wakeup);
    if (OMPI_SUCCESS == rc) {
        rc = create_worker(path, wakeup);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_part_ucx_path_add_ops(path);
    }
    if (OMPI_SUCCESS != rc) {
        mca_part_ucx_path_destroy(path);
        return rc;
    }
    atomic_store_explicit(&path->open, true, memory_order_release);
    PART_UCX_VERBOSE(1, "path %d: %s over %s, distance %u", path->index, device->name,
                     device->transports, device->distance);
    return OMPI_SUCCESS;
}

/* Take what was pushed: what is urgent is posted, the rest is appended to the pending list. */
static int take_pushed(mca_part_ucx_path_t *path)
{
    mca_part_ucx_item_t *taken = mca_part_ucx_queue_take(&path->queue);
    int posted = 0;

    while (NULL != taken) {
        mca_part_ucx_work_t *work = PART_UCX_CONTAINER(taken, mca_part_ucx_work_t, item);

        taken = taken->next;
        if (work->urgent) {
            (void) work->post(path, work);
            ++posted;
        } else {
            work->item.next = NULL;
            *path->pending_tail = &work->item;
            path->pending_tail = &work->item.next;
        }
    }
    return posted;
}

/* Post as much as the window allows, oldest first. */
static int post_pending(mca_part_ucx_path_t *path)
{
    int posted = take_pushed(path);

    while (NULL != path->pending) {
        mca_part_ucx_item_t *link = path->pending;
        mca_part_ucx_item_t *next = link->next;
        mca_part_ucx_work_t *work = PART_UCX_CONTAINER(link, mca_part_ucx_work_t, item);

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

/* First what costs less to look for. */
static int progress(mca_part_ucx_path_t *path)
{
    int found = path->user->look(path);
    int events;

    if (0 != found && 0 != ++path->ahead % LOOKS_PER_PROGRESS) {
        return found;
    }
    events = (int) ucp_worker_progress(path->worker);
    path->idle += 0 == events;
    return found + events;
}

static int path_step(mca_part_ucx_path_t *path)
{
    int events = progress(path);

    events += path->user->step(path);
    events += post_pending(path);
    return events + path->user->posted(path);
}

static int drive(mca_part_ucx_path_t *path, bool waiting, bool post_first)
{
    int events = 0;

    if (!mca_part_ucx_path_is_open(path)) {
        return 0;
    }
    do {
        if (!mca_part_ucx_lock_try(&path->lock)) {
            break; /* the holder looks at the queue again after releasing */
        }
        if (!mca_part_ucx_path_is_open(path)) { /* it has been closed meanwhile */
            mca_part_ucx_lock_release(&path->lock);
            break;
        }
        path->waiting = waiting;
        if (post_first) {
            events += post_pending(path);
        }
        events += path_step(path);
        mca_part_ucx_lock_release(&path->lock);
    } while (!mca_part_ucx_queue_empty(&path->queue));
    return events;
}

int mca_part_ucx_path_drive(mca_part_ucx_path_t *path, bool waiting)
{
    return drive(path, waiting, false);
}

void mca_part_ucx_path_drive_pushed(mca_part_ucx_path_t *path)
{
    (void) drive(path, false, true);
}

bool mca_part_ucx_path_flush_done(mca_part_ucx_path_t *path)
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
