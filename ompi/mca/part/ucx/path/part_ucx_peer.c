/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Peers (see part_ucx_peer.h).
 */
#include "path/part_ucx_peer.h"

#include "api/part_ucx_modex.h"
#include "base/part_ucx_host.h"
#include "base/part_ucx_queue.h"
#include "path/part_ucx_business_card.h"
#include "path/part_ucx_cma.h"
#include "path/part_ucx_network.h"
#include "path/part_ucx_paths.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "opal/util/proc.h"

/* All under the set-up lock. */
static mca_part_ucx_hash_t peers; /* by process */
static mca_part_ucx_peer_t *guests;

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

mca_part_ucx_path_t *mca_part_ucx_peer_shared_path(const mca_part_ucx_peer_t *peer)
{
    return peer->guest ? mca_part_ucx_paths.guests : mca_part_ucx_paths.shared;
}

/* May we write into the peer's memory? Whoever leaves CMA out does not want the system call. */
static bool may_place(const mca_part_ucx_peer_t *peer)
{
    return peer->local && NULL != mca_part_ucx_paths.shared
           && NULL != strstr(mca_part_ucx_paths.shared->device.transports, "cma");
}

int mca_part_ucx_peer_learn(mca_part_ucx_peer_t *peer, const void *card, size_t size)
{
    mca_part_ucx_business_card_t read;

    if (0 != peer->remotes && (!peer->guest || 0 == size)) {
        return OMPI_SUCCESS;
    }
    if (!mca_part_ucx_business_card_read(&read, card, size)) {
        return OMPI_ERR_BAD_PARAM;
    }
    if (0 != peer->remotes) { /* a guest, whose path of shared memory may have been opened again */
        return mca_part_ucx_remotes_renew(peer->remote, peer->remotes, &read);
    }
    peer->remote = mca_part_ucx_remotes_new(&read);
    if (NULL == peer->remote) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    peer->remotes = read.head.paths;
    peer->local = read.head.memory == mca_part_ucx_host_ours()->memory;
    peer->same_network = read.head.network == mca_part_ucx_host_ours()->network;
    peer->process = may_place(peer) ? mca_part_ucx_cma_reach(&read.head) : 0;
    return OMPI_SUCCESS;
}

bool mca_part_ucx_peer_is_reachable(const mca_part_ucx_peer_t *peer)
{
    for (uint32_t i = 0; i < peer->remotes; ++i) {
        for (int j = 0; j < peer->remote[i].endpoints; ++j) {
            const mca_part_ucx_endpoint_t *endpoint = peer->remote[i].endpoint[j];

            if (NULL != endpoint && mca_part_ucx_endpoint_is_up(endpoint)) {
                return true;
            }
        }
    }
    return false;
}

static bool leads_to(const mca_part_ucx_op_t *op, const void *peer)
{
    return peer == op->endpoint->peer;
}

void mca_part_ucx_peer_drop_ops(const mca_part_ucx_peer_t *peer)
{
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];

        mca_part_ucx_path_lock(path);
        mca_part_ucx_path_lose_ops(path, leads_to, peer);
        mca_part_ucx_path_unlock(path);
    }
}

static void forget(mca_part_ucx_peer_t *peer)
{
    (void) mca_part_ucx_hash_remove(&peer->known);
    if (NULL != peer->presence) {
        mca_part_ucx_modex_drop(peer->presence);
    }
    mca_part_ucx_network_promise_kept(peer);
    mca_part_ucx_remotes_free(peer->remote, peer->remotes);
    free(peer->measure);
    free(peer);
}

void mca_part_ucx_peers_forget_guests(void)
{
    mca_part_ucx_peer_t **link = &guests;

    while (NULL != *link) {
        mca_part_ucx_peer_t *peer = *link;

        if (mca_part_ucx_remotes_forget(peer->remote, peer->remotes,
                                        mca_part_ucx_paths.guests->index)) {
            link = &peer->next_guest; /* over a network, too: UCX has endpoints to it for good */
            continue;
        }
        *link = peer->next_guest;
        if (NULL != peer->proc) {
            OBJ_RELEASE(peer->proc);
        }
        forget(peer);
    }
}

void mca_part_ucx_peers_destroy(void)
{
    mca_part_ucx_hashed_t *known;
    uint64_t from = 0;

    while (NULL != (known = mca_part_ucx_hash_any(&peers, &from))) {
        forget(PART_UCX_CONTAINER(known, mca_part_ucx_peer_t, known));
    }
    mca_part_ucx_hash_destroy(&peers);
    guests = NULL;
}
