/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which path of ours meets which of a peer's (see part_ucx_pairing.h).
 */
#include "path/part_ucx_pairing.h"

#include "path/part_ucx_paths.h"
#include "path/part_ucx_subnet.h"
#include "process/part_ucx_log.h"

#include <stdlib.h>
#include <string.h>

/* May our path meet the peer's: same kind, and a network that both are on? */
static bool fits(const mca_part_ucx_device_t *ours, const mca_part_ucx_remote_t *theirs)
{
    if (ours->kind != theirs->kind) {
        return false;
    }
    if (PART_UCX_DEVICE_TCP == ours->kind) {
        return mca_part_ucx_subnet_equal(&ours->subnet, &theirs->subnet);
    }
    return 0 == strcmp(ours->name, theirs->name);
}

/* A private bridge (as of container engines) has the same address on every host, and does not lead
 * from one to another. */
static bool same_address(const mca_part_ucx_peer_t *peer, const mca_part_ucx_device_t *ours,
                         const mca_part_ucx_remote_t *theirs)
{
    return !peer->same_network && PART_UCX_DEVICE_TCP == ours->kind && 0 != ours->subnet.family
           && ours->subnet.family == theirs->subnet.family
           && 0 == memcmp(ours->subnet.address, theirs->subnet.address, 16);
}

static void add_pair(mca_part_ucx_peer_t *peer, uint32_t local, uint32_t remote)
{
    peer->pair[peer->pairs].local = local;
    peer->pair[peer->pairs].remote = remote;
    ++peer->pairs;
}

/* Pair network paths, each used once; with `exact`, only those that surely meet. */
static void pair_network(mca_part_ucx_peer_t *peer, bool exact)
{
    uint64_t taken = 0;

    for (int i = 0; i < mca_part_ucx_paths.network; ++i) {
        const mca_part_ucx_device_t *ours = &mca_part_ucx_paths.path[i].device;

        if (!mca_part_ucx_path_is_open(&mca_part_ucx_paths.path[i])) {
            continue;
        }
        for (uint32_t j = 0; j < peer->remotes; ++j) {
            const mca_part_ucx_remote_t *theirs = &peer->remote[j];

            if (0 != (taken >> j & 1) || PART_UCX_DEVICE_SHARED == theirs->kind
                || NULL == theirs->address
                || same_address(peer, ours, theirs)
                || (exact ? !fits(ours, theirs) : ours->kind != theirs->kind)) {
                continue;
            }
            taken |= UINT64_C(1) << j;
            add_pair(peer, (uint32_t) i, j);
            break;
        }
    }
}

static bool pair_shared(mca_part_ucx_peer_t *peer)
{
    mca_part_ucx_path_t *ours = mca_part_ucx_peer_shared_path(peer);

    if (!peer->local || NULL == ours || !mca_part_ucx_path_is_open(ours)) {
        return false;
    }
    for (uint32_t j = 0; j < peer->remotes; ++j) {
        if (PART_UCX_DEVICE_SHARED == peer->remote[j].kind && NULL != peer->remote[j].address) {
            add_pair(peer, (uint32_t) ours->index, j);
            return true;
        }
    }
    return false;
}

uint32_t mca_part_ucx_pairing_make(mca_part_ucx_peer_t *peer)
{
    if (0 != peer->pairs || pair_shared(peer)) {
        return peer->pairs;
    }
    pair_network(peer, true);
    if (0 == peer->pairs) {
        pair_network(peer, false); /* routed networks: trust the order */
    }
    if (peer->pairs > 1) {
        /* Without memory all paths are taken to carry the same. */
        peer->measure = calloc((size_t) mca_part_ucx_paths.count, sizeof(*peer->measure));
    }
    for (uint32_t i = 0; i < peer->pairs; ++i) {
        const mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[peer->pair[i].local];

        PART_UCX_VERBOSE(2, "to %s: path %d is %s to %s", mca_part_ucx_peer_host(peer),
                         path->index, path->device.name,
                         peer->remote[peer->pair[i].remote].name);
    }
    return peer->pairs;
}
