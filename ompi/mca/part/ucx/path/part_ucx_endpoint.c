/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An endpoint is made, and is lost (see part_ucx_endpoint.h).
 */
#include "path/part_ucx_endpoint.h"

#include "path/part_ucx_network.h"
#include "path/part_ucx_paths.h"
#include "path/part_ucx_peer.h"
#include "process/part_ucx_log.h"
#include "process/part_ucx_process.h"

#include <stdlib.h>
#include <string.h>

atomic_uint_least64_t mca_part_ucx_endpoints_lost;
atomic_uint_least64_t mca_part_ucx_endpoints_back;

/* The state comes last: who looks after paths reads the rest without the path's lock. */
void mca_part_ucx_endpoint_lose(mca_part_ucx_endpoint_t *endpoint, const char *why)
{
    bool up = mca_part_ucx_endpoint_is_up(endpoint);

    if (!mca_part_ucx_endpoint_is_open(endpoint)) {
        return;
    }
    endpoint->outage.fell = up; /* one that has not been back yet has lost nothing */
    if (up) {
        endpoint->outage.why = why;
    }
    if (up && endpoint->fails_over) { /* of others a peer may just have ended */
        atomic_fetch_add(&mca_part_ucx_endpoints_lost, 1);
        PART_UCX_VERBOSE(1, "path %d: no way to %s any more (%s)", endpoint->path->index,
                         mca_part_ucx_peer_host(endpoint->peer), why);
    }
    atomic_store(&endpoint->outage.state, PART_UCX_ENDPOINT_LOST);
    mca_part_ucx_watchdog_soon();
}

void mca_part_ucx_endpoint_op_failed(mca_part_ucx_endpoint_t *endpoint, ucs_status_t status)
{
    if (endpoint->fails_over && UCS_ERR_NO_MEMORY != status) { /* that is no matter of the path */
        mca_part_ucx_endpoint_lose(endpoint, ucs_status_string(status));
    }
}

/* UCX has found it broken. Under the path's lock: from inside its progress. */
static void broken(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    mca_part_ucx_endpoint_t *endpoint = arg;

    if (ep == endpoint->ucp) { /* not of an earlier generation */
        mca_part_ucx_endpoint_lose(endpoint, ucs_status_string(status));
    }
}

/* UCX tells of errors in any mode; who only receives hears of a lost connection by nothing else.
 * With this mode it also bears that the endpoint is closed, which only one that fails over is. */
static void ask_for_errors(mca_part_ucx_endpoint_t *endpoint, ucp_ep_params_t *params)
{
    params->field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLER;
    params->err_handler.cb = broken;
    params->err_handler.arg = endpoint;
    if (endpoint->fails_over) {
        params->field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
        params->err_mode = UCP_ERR_HANDLING_MODE_PEER;
    }
}

/* What its `devices` is: by the first paths of the two devices. */
static uint32_t devices_of(const mca_part_ucx_peer_t *peer, uint32_t local, uint32_t remote)
{
    const mca_part_ucx_path_t *path = mca_part_ucx_paths.path;
    uint32_t ours = 0, theirs = 0;

    while (0 != strcmp(path[ours].device.name, path[local].device.name)) {
        ++ours;
    }
    while (0 != strcmp(peer->remote[theirs].name, peer->remote[remote].name)) {
        ++theirs;
    }
    return ours * PART_UCX_MAX_PATHS + theirs;
}

bool mca_part_ucx_endpoint_connect(mca_part_ucx_endpoint_t *endpoint,
                                   mca_part_ucx_endpoint_state_t state)
{
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                              .address = endpoint->peer->remote[endpoint->remote].address};
    ucs_status_t status;

    ask_for_errors(endpoint, &params);
    mca_part_ucx_path_lock(endpoint->path);
    status = ucp_ep_create(endpoint->path->worker, &params, &endpoint->ucp);
    if (UCS_OK == status) {
        if (!mca_part_ucx_endpoint_has_puts(endpoint)) { /* none from before it was closed */
            endpoint->status = UCS_OK;
        }
        atomic_store(&endpoint->outage.state, (int) state);
    }
    mca_part_ucx_path_unlock(endpoint->path);
    if (UCS_OK != status) {
        PART_UCX_VERBOSE(1, "no endpoint to %s over %s: %s",
                         mca_part_ucx_peer_host(endpoint->peer),
                         endpoint->path->device.name, ucs_status_string(status));
    }
    return UCS_OK == status;
}

mca_part_ucx_endpoint_t *mca_part_ucx_endpoint_get(mca_part_ucx_peer_t *peer, uint32_t local,
                                                   uint32_t remote)
{
    mca_part_ucx_endpoint_t *endpoint;
    mca_part_ucx_path_t *path;

    if (local >= (uint32_t) mca_part_ucx_paths.count || remote >= peer->remotes
        || !mca_part_ucx_path_is_open(&mca_part_ucx_paths.path[local])
        || NULL == peer->remote[remote].address) {
        return NULL;
    }
    if (NULL != peer->remote[remote].endpoint[local]) {
        return peer->remote[remote].endpoint[local];
    }
    endpoint = calloc(1, sizeof(*endpoint));
    if (NULL == endpoint) {
        return NULL;
    }
    path = &mca_part_ucx_paths.path[local];
    endpoint->path = path;
    endpoint->peer = peer;
    endpoint->remote = remote;
    endpoint->devices = devices_of(peer, local, remote);
    endpoint->status = UCS_OK;
    endpoint->fails_over = mca_part_ucx_remote_fails_over(path, &peer->remote[remote]);
    if (!mca_part_ucx_endpoint_connect(endpoint, PART_UCX_ENDPOINT_UP)) {
        if (!endpoint->fails_over) {
            free(endpoint);
            return NULL;
        }
        mca_part_ucx_endpoint_lose(endpoint, "no endpoint can be made"); /* its device is gone */
    }
    mca_part_ucx_network_promise_kept(peer);
    atomic_store_explicit(&path->used, true, memory_order_relaxed);
    peer->remote[remote].endpoint[local] = endpoint;
    ++path->endpoints;
    return endpoint;
}
