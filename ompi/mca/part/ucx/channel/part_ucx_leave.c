/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaving a channel on which something has gone wrong (see part_ucx_leave.h).
 */
#include "channel/part_ucx_leave.h"

#include "base/part_ucx_help.h"
#include "wireup/part_ucx_watch.h"

#ifdef MPI_ERR_REVOKED /* of the extension for fault tolerance */
#define PART_UCX_ERR_REVOKED MPI_ERR_REVOKED
#else
#define PART_UCX_ERR_REVOKED MPI_ERR_OTHER
#endif

static bool is_revoked(ompi_communicator_t *comm)
{
#if OPAL_ENABLE_FT_MPI
    return ompi_comm_is_revoked(comm);
#else
    (void) comm;
    return false;
#endif
}

bool mca_part_ucx_leave_is_told(mca_part_ucx_request_t *request, uint64_t peer)
{
    return 0 != peer && peer == atomic_load(&request->left_by)
           && atomic_load(&request->told_revoked);
}

bool mca_part_ucx_leave_is_awaited(mca_part_ucx_request_t *request)
{
    uint64_t peer = atomic_load(&request->peer_key);

    return 0 != peer && !request->left && peer == atomic_load(&request->left_by);
}

bool mca_part_ucx_leave_is_due(mca_part_ucx_request_t *request)
{
    return mca_part_ucx_leave_is_told(request, atomic_load(&request->peer_key))
           || is_revoked(request->comm);
}

bool mca_part_ucx_leave_has_to(mca_part_ucx_request_t *request)
{
    return atomic_load(&request->leaving) || mca_part_ucx_leave_is_due(request)
           || (!atomic_load(&request->running) && mca_part_ucx_leave_is_awaited(request));
}

void mca_part_ucx_leave_begin(mca_part_ucx_request_t *request, int error)
{
    /* First: whoever finds a failure from here on does not complete the request. */
    atomic_store(&request->leaving, true);
    if (mca_part_ucx_leave_is_due(request)) {
        /* Whatever came before: an offer may have been refused because the peer has left. */
        atomic_store(&request->error, PART_UCX_ERR_REVOKED);
    }
    mca_part_ucx_request_give_up(request, error);
    mca_part_ucx_watch_soon();
}

/*
 * Is a thread inside MPI_Pready copying a unit into the receiver's memory, without a lock? It has
 * completed the unit's marks, then looked at the link, and takes the marks back afterwards. Giving
 * up has changed the link before this looks at the marks: one of the two sees the other.
 */
static bool is_placing(mca_part_ucx_send_t *send)
{
    const mca_part_ucx_map_t *map = &send->super.map;
    uint32_t first, count;

    for (uint32_t unit = 0; unit < map->units; ++unit) {
        mca_part_ucx_map_unit(map, unit, &first, &count);
        if ((count | PART_UCX_UNIT_OPEN) == atomic_load(&send->unit[unit].marks)) {
            return true;
        }
    }
    return false;
}

/* A unit that may leave before READY is the only one, and takes the first pair. */
static bool carries_own(const mca_part_ucx_send_t *send, const mca_part_ucx_path_t *path)
{
    return NULL != send->endpoint[0] && path == send->endpoint[0]->path
           && PART_UCX_OP_FREE != send->own.state;
}

bool mca_part_ucx_leave_fetches(mca_part_ucx_request_t *request)
{
    return !mca_part_ucx_request_is_send(request)
           && 0 != atomic_load(&((mca_part_ucx_recv_t *) request)->fetching);
}

/* Is none of its operations under way? Handlers that have seen the link before it failed run under
 * a path's lock, so they are over when this has had each. */
static bool is_quiet(mca_part_ucx_request_t *request)
{
    mca_part_ucx_send_t *send
        = mca_part_ucx_request_is_send(request) ? (mca_part_ucx_send_t *) request : NULL;
    bool quiet = true;

    for (int i = 0; i < mca_part_ucx.path_count; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx.paths[i];

        mca_part_ucx_path_lock(path);
        if (NULL != send && (mca_part_ucx_path_carries(path, send) || carries_own(send, path))) {
            quiet = false;
        }
        mca_part_ucx_path_unlock(path);
    }
    return quiet && !mca_part_ucx_leave_fetches(request)
           && (NULL == send || NULL == send->unit || !is_placing(send));
}

/* May the sender still write into the receive buffer? */
static bool is_exposed(mca_part_ucx_request_t *request)
{
    return !mca_part_ucx_request_is_send(request) && ((mca_part_ucx_recv_t *) request)->written
           && (UINT32_MAX == atomic_load(&request->peer_epoch)
               || atomic_load(&request->peer_busy));
}

void mca_part_ucx_leave_tell_uncertain(mca_part_ucx_request_t *request, double waited)
{
    mca_part_ucx_help("buffer-in-use", mca_part_ucx_request_is_send(request) ? "send" : "receive",
                      request->peer_rank, (int) waited);
}

void mca_part_ucx_leave(mca_part_ucx_request_t *request, double now)
{
    bool running = atomic_load(&request->running);
    bool late, quiet, exposed;

    if (PART_UCX_LINK_OPEN == mca_part_ucx_request_link(request)) {
        if (running) { /* nobody knows of its buffer */
            mca_part_ucx_request_fail(request, PART_UCX_ERR_REVOKED);
        }
        return;
    }
    if (request->left && !running) {
        return;
    }
    if (!request->leaving_seen) {
        request->leaving_seen = true;
        request->watched_since = now;
        mca_part_ucx_leave_begin(request, MPI_ERR_OTHER);
    }
    late = now - request->watched_since > PART_UCX_LEAVE_PATIENCE;
    quiet = request->left || is_quiet(request); /* nothing has begun since */
    if (!late && !quiet) {
        return;
    }
    if (!request->left) {
        request->left = true;
        mca_part_ucx_close_send(request,
                                mca_part_ucx_leave_is_due(request) ? PART_UCX_AM_LEAVE
                                                                   : PART_UCX_AM_FAIL,
                                !quiet);
    }
    exposed = is_exposed(request);
    if (running && (late || !exposed)) {
        if (!quiet || exposed) {
            mca_part_ucx_leave_tell_uncertain(request, PART_UCX_LEAVE_PATIENCE);
        }
        mca_part_ucx_request_finish(request);
    }
}

void mca_part_ucx_leave_told(mca_part_ucx_request_t *request, uint64_t peer, uint32_t epoch)
{
    atomic_store(&request->told_revoked, true);
    atomic_store(&request->left_by, peer);
    if (peer == atomic_load(&request->peer_key)) {
        mca_part_ucx_leave_begin(request, PART_UCX_ERR_REVOKED);
        atomic_store(&request->peer_epoch, epoch); /* last: before, it would mean CLOSE */
    }
}
