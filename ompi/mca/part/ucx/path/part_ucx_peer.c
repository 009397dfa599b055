/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Peers and endpoints (see part_ucx_peer.h).
 */
#include "path/part_ucx_peer.h"

#include "base/part_ucx_queue.h"
#include "path/part_ucx_business_card.h"
#include "path/part_ucx_cma.h"
#include "path/part_ucx_paths.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "opal/util/proc.h"

/* All under the set-up lock. */
static mca_part_ucx_hash_t peers; /* by process */
static mca_part_ucx_peer_t *guests;
static unsigned guest_endpoints;

/* Open MPI asks PMIx, and makes a string that nobody may free: so once. */
const char *mca_part_ucx_peer_host(mca_part_ucx_peer_t *peer)
{
    const char *host = NULL == peer ? NULL : atomic_load(&peer->host);

    if (NULL == host && NULL != peer && NULL != peer->proc) {
        host = opal_get_proc_hostname(&peer->proc->super);
        atomic_store(&peer->host, host);
    }
    return NULL == host ? "(unknown host)" : host;
}

static void note_guest(mca_part_ucx_peer_t *peer)
{
    peer->guest
        = NULL != mca_part_ucx_paths.guests && peer->name.jobid != OPAL_PROC_MY_NAME.jobid;
    if (peer->guest) {
        peer->next_guest = guests;
        guests = peer;
    }
}

static uint64_t hash_of(opal_process_name_t name)
{
    return mca_part_ucx_hash_mix(mca_part_ucx_hash_mix(0, name.jobid), name.vpid);
}

static mca_part_ucx_peer_t *find(opal_process_name_t name)
{
    mca_part_ucx_hashed_t *known = mca_part_ucx_hash_first(&peers, hash_of(name));

    for (; NULL != known; known = mca_part_ucx_hash_next(&peers, known)) {
        mca_part_ucx_peer_t *peer = PART_UCX_CONTAINER(known, mca_part_ucx_peer_t, known);

        if (peer->name.jobid == name.jobid && peer->name.vpid == name.vpid) {
            return peer;
        }
    }
    return NULL;
}

static void take_process(mca_part_ucx_peer_t *peer, ompi_proc_t *proc)
{
    if (peer->proc != proc) {
        peer->proc = proc;
        OBJ_RETAIN(proc);
    }
}

static mca_part_ucx_peer_t *peer_new(ompi_proc_t *proc)
{
    mca_part_ucx_peer_t *peer = calloc(1, sizeof(*peer));

    if (NULL != peer) {
        peer->name = proc->super.proc_name;
        peer->local = OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags);
        mca_part_ucx_hash_insert(&peers, &peer->known, hash_of(peer->name), NULL);
        note_guest(peer);
    }
    return peer;
}

mca_part_ucx_peer_t *mca_part_ucx_peer_get(ompi_proc_t *proc)
{
    mca_part_ucx_peer_t *peer;

    if (NULL == proc) {
        return NULL;
    }
    peer = find(proc->super.proc_name);
    if (NULL == peer) {
        peer = peer_new(proc);
    }
    if (NULL != peer) {
        take_process(peer, proc);
    }
    return peer;
}

static void forget_process(mca_part_ucx_hashed_t *known)
{
    PART_UCX_CONTAINER(known, mca_part_ucx_peer_t, known)->proc = NULL;
}

void mca_part_ucx_peers_forget_processes(void)
{
    mca_part_ucx_hash_each(&peers, forget_process);
}

const mca_part_ucx_host_t *mca_part_ucx_peer_this_host(void)
{
    static mca_part_ucx_host_t host;

    if (0 == host.memory) {
        host = mca_part_ucx_host();
    }
    return &host;
}

mca_part_ucx_path_t *mca_part_ucx_peer_shared_path(const mca_part_ucx_peer_t *peer)
{
    return peer->guest ? mca_part_ucx_paths.guests : mca_part_ucx_paths.shared;
}

/* Is the peer to know where this path is? */
static bool is_for(const mca_part_ucx_path_t *path, const mca_part_ucx_peer_t *peer)
{
    return PART_UCX_DEVICE_SHARED != path->device.kind
           || path == mca_part_ucx_peer_shared_path(peer);
}

uint32_t mca_part_ucx_peer_pack(const mca_part_ucx_peer_t *peer, void *buffer, size_t size)
{
    mca_part_ucx_wire_peer_t head = {.paths = (uint32_t) mca_part_ucx_paths.count,
                                     .memory = mca_part_ucx_peer_this_host()->memory,
                                     .network = mca_part_ucx_peer_this_host()->network};
    char *at = buffer;
    size_t used = sizeof(head);

    if (size < used) {
        return 0;
    }
    mca_part_ucx_cma_describe(&head);
    memcpy(at, &head, sizeof(head));
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        const mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];
        size_t address = is_for(path, peer) ? path->address_length : 0;
        mca_part_ucx_wire_path_t record = {.kind = path->device.kind,
                                           .address_bytes = (uint32_t) address,
                                           .subnet = path->device.subnet,
                                           .puts = path->puts,
                                           .fails_over = path->fails_over};

        if (size - used < sizeof(record) + address) {
            return 0;
        }
        memcpy(record.name, path->device.name, sizeof(record.name));
        memcpy(at + used, &record, sizeof(record));
        used += sizeof(record);
        if (0 != address) {
            memcpy(at + used, path->address, address);
            used += address;
        }
    }
    return (uint32_t) used;
}

static void remotes_free(mca_part_ucx_remote_t *remote, uint32_t count)
{
    for (uint32_t i = 0; NULL != remote && i < count; ++i) {
        free(remote[i].address);
        for (int j = 0; NULL != remote[i].endpoint && j < remote[i].endpoints; ++j) {
            free(remote[i].endpoint[j]);
        }
        free((void *) remote[i].endpoint);
        while (NULL != remote[i].former) {
            mca_part_ucx_endpoint_t *former = remote[i].former;

            remote[i].former = former->former;
            free(former);
        }
    }
    free(remote);
}

/* False: no memory. */
static bool take_address(mca_part_ucx_remote_t *remote,
                         const mca_part_ucx_business_card_path_t *path)
{
    free(remote->address);
    remote->address = NULL;
    remote->address_bytes = path->record.address_bytes;
    if (0 == remote->address_bytes) {
        return true; /* it is not open: nothing meets it */
    }
    remote->address = malloc(remote->address_bytes);
    if (NULL == remote->address) {
        return false;
    }
    memcpy(remote->address, path->address, remote->address_bytes);
    return true;
}

/* False: no memory. */
static bool take_remote(mca_part_ucx_remote_t *remote,
                        const mca_part_ucx_business_card_path_t *path)
{
    const mca_part_ucx_wire_path_t *record = &path->record;

    remote->kind = (mca_part_ucx_device_kind_t) record->kind;
    remote->subnet = record->subnet;
    remote->puts = 0 != record->puts;
    remote->fails_over = 0 != record->fails_over;
    memcpy(remote->name, record->name, sizeof(remote->name));
    remote->endpoints = mca_part_ucx_paths.count;
    remote->endpoint = calloc((size_t) remote->endpoints, sizeof(*remote->endpoint));
    return NULL != remote->endpoint && take_address(remote, path);
}

/* Endpoints to a path that has been opened again lead nowhere. A channel whose other end is gone
 * may still have one. */
static void leave_former(mca_part_ucx_remote_t *remote)
{
    for (int i = 0; i < remote->endpoints; ++i) {
        mca_part_ucx_endpoint_t *endpoint = remote->endpoint[i];

        if (NULL != endpoint) {
            endpoint->former = remote->former;
            remote->former = endpoint;
            remote->endpoint[i] = NULL;
        }
    }
}

/* A guest that is known: its path of shared memory may have been opened again since. */
static int learn_again(mca_part_ucx_peer_t *peer, const mca_part_ucx_business_card_t *read)
{
    if (read->head.paths != peer->remotes) {
        return OMPI_ERR_BAD_PARAM;
    }
    for (uint32_t i = 0; i < peer->remotes; ++i) {
        const mca_part_ucx_business_card_path_t *path = &read->path[i];
        mca_part_ucx_remote_t *remote = &peer->remote[i];

        if (PART_UCX_DEVICE_SHARED != remote->kind || 0 == path->record.address_bytes
            || (NULL != remote->address && path->record.address_bytes == remote->address_bytes
                && 0 == memcmp(path->address, remote->address, remote->address_bytes))) {
            continue;
        }
        leave_former(remote);
        if (!take_address(remote, path)) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return OMPI_SUCCESS;
}

/* May we write into the peer's memory? Whoever leaves CMA out does not want the system call. */
static bool may_place(const mca_part_ucx_peer_t *peer)
{
    return peer->local && NULL != mca_part_ucx_paths.shared
           && NULL != strstr(mca_part_ucx_paths.shared->device.transports, "cma");
}

int mca_part_ucx_peer_unpack(mca_part_ucx_peer_t *peer, const void *card, size_t size)
{
    mca_part_ucx_business_card_t read;
    mca_part_ucx_remote_t *remote;

    if (0 != peer->remotes && (!peer->guest || 0 == size)) {
        return OMPI_SUCCESS;
    }
    if (!mca_part_ucx_business_card_read(&read, card, size)) {
        return OMPI_ERR_BAD_PARAM;
    }
    if (0 != peer->remotes) {
        return learn_again(peer, &read);
    }
    remote = calloc(read.head.paths, sizeof(*remote));
    if (NULL == remote) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (uint32_t i = 0; i < read.head.paths; ++i) {
        if (!take_remote(&remote[i], &read.path[i])) {
            remotes_free(remote, read.head.paths);
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    peer->remote = remote;
    peer->remotes = read.head.paths;
    peer->local = read.head.memory == mca_part_ucx_peer_this_host()->memory;
    peer->same_network = read.head.network == mca_part_ucx_peer_this_host()->network;
    peer->process = may_place(peer) ? mca_part_ucx_cma_reach(&read.head) : 0;
    return OMPI_SUCCESS;
}

mca_part_ucx_endpoint_t *mca_part_ucx_peer_endpoint(mca_part_ucx_peer_t *peer, uint32_t local,
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
    endpoint->devices = mca_part_ucx_endpoint_devices(peer, local, remote);
    endpoint->status = UCS_OK;
    endpoint->fails_over = mca_part_ucx_peer_fails_over(path, &peer->remote[remote]);
    if (!mca_part_ucx_endpoint_connect(endpoint, PART_UCX_ENDPOINT_UP)) {
        if (!endpoint->fails_over) {
            free(endpoint);
            return NULL;
        }
        mca_part_ucx_endpoint_lose(endpoint, "no endpoint can be made"); /* its device is gone */
    }
    atomic_store_explicit(&path->used, true, memory_order_relaxed);
    peer->remote[remote].endpoint[local] = endpoint;
    guest_endpoints += path == mca_part_ucx_paths.guests;
    return endpoint;
}

static void forget(mca_part_ucx_peer_t *peer)
{
    (void) mca_part_ucx_hash_remove(&peers, &peer->known);
    remotes_free(peer->remote, peer->remotes);
    free(peer->pace);
    free(peer);
}

/* Forget what was made for a path of ours; is anything left? */
static bool forget_endpoints(mca_part_ucx_peer_t *peer, int path)
{
    bool left = false;

    for (uint32_t i = 0; i < peer->remotes; ++i) {
        mca_part_ucx_remote_t *remote = &peer->remote[i];

        free(remote->endpoint[path]);
        remote->endpoint[path] = NULL;
        for (int j = 0; j < remote->endpoints; ++j) {
            left = left || NULL != remote->endpoint[j];
        }
    }
    return left;
}

unsigned mca_part_ucx_peers_guest_endpoints(void)
{
    return guest_endpoints;
}

void mca_part_ucx_peers_forget_guests(void (*before)(mca_part_ucx_peer_t *peer))
{
    mca_part_ucx_peer_t **link = &guests;

    while (NULL != *link) {
        mca_part_ucx_peer_t *peer = *link;

        if (forget_endpoints(peer, mca_part_ucx_paths.guests->index)) {
            link = &peer->next_guest; /* over a network, too: UCX has endpoints to it for good */
            continue;
        }
        *link = peer->next_guest;
        before(peer);
        if (NULL != peer->proc) {
            OBJ_RELEASE(peer->proc);
        }
        forget(peer);
    }
    guest_endpoints = 0;
}

void mca_part_ucx_peers_destroy(void (*before)(mca_part_ucx_peer_t *peer))
{
    mca_part_ucx_hashed_t *known;
    uint64_t from = 0;

    while (NULL != (known = mca_part_ucx_hash_any(&peers, &from))) {
        mca_part_ucx_peer_t *peer = PART_UCX_CONTAINER(known, mca_part_ucx_peer_t, known);

        before(peer);
        forget(peer);
    }
    mca_part_ucx_hash_destroy(&peers);
    guests = NULL;
    guest_endpoints = 0;
}
