/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which path of ours meets which of a peer's (see part_ucx_pairing.h).
 */
#include "path/part_ucx_pairing.h"

#include "path/part_ucx_device_speed.h"
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

/* Pair network paths that surely meet, each used once. */
static void pair_exactly(mca_part_ucx_peer_t *peer)
{
    uint64_t taken = 0;

    for (int i = 0; i < mca_part_ucx_paths.network; ++i) {
        const mca_part_ucx_device_t *ours = &mca_part_ucx_paths.path[i].device;

        if (!mca_part_ucx_path_is_open(&mca_part_ucx_paths.path[i])) {
            continue;
        }
        for (uint32_t j = 0; j < peer->remotes; ++j) {
            const mca_part_ucx_remote_t *theirs = &peer->remote[j];

            if (0 == (taken >> j & 1) && NULL != theirs->address
                && !same_address(peer, ours, theirs) && fits(ours, theirs)) {
                taken |= UINT64_C(1) << j;
                add_pair(peer, (uint32_t) i, j);
                break;
            }
        }
    }
}

/* Is there a device on the other host with our address? Then each host has one, for itself. */
static bool is_everywhere(const mca_part_ucx_peer_t *peer, const mca_part_ucx_device_t *ours)
{
    for (uint32_t j = 0; j < peer->remotes; ++j) {
        if (same_address(peer, ours, &peer->remote[j])) {
            return true;
        }
    }
    return false;
}

static bool is_everywhere_theirs(const mca_part_ucx_peer_t *peer,
                                 const mca_part_ucx_remote_t *theirs)
{
    for (int i = 0; i < mca_part_ucx_paths.network; ++i) {
        if (same_address(peer, &mca_part_ucx_paths.path[i].device, theirs)) {
            return true;
        }
    }
    return false;
}

/* What speaks for a pair without a network in common; 0: they cannot meet. */
static uint8_t likeness(const mca_part_ucx_peer_t *peer, const mca_part_ucx_path_t *path,
                        const mca_part_ucx_remote_t *theirs)
{
    const mca_part_ucx_device_t *ours = &path->device;
    int same_name = 0 == strcmp(ours->name, theirs->name);

    if (ours->kind != theirs->kind || NULL == theirs->address) {
        return 0;
    }
    if (PART_UCX_DEVICE_TCP != ours->kind || 0 == ours->subnet.family
        || 0 == theirs->subnet.family) {
        return (uint8_t) (1 + same_name);
    }
    if (ours->subnet.family != theirs->subnet.family || is_everywhere(peer, ours)
        || is_everywhere_theirs(peer, theirs)
        || !mca_part_ucx_subnet_leads_to(ours->name, &theirs->subnet)) {
        return 0;
    }
    /* At most 127 bits: else it would be our address. */
    return (uint8_t) (1 + same_name
                      + mca_part_ucx_subnet_likeness(&ours->subnet, &theirs->subnet));
}

/* Take the pair that is most alike, of the equal ones the first; false: there is none. */
static bool take_best(mca_part_ucx_peer_t *peer,
                      uint8_t like[PART_UCX_MAX_PATHS][PART_UCX_MAX_PATHS])
{
    uint32_t local = 0, remote = 0;

    for (uint32_t i = 0; i < PART_UCX_MAX_PATHS; ++i) {
        for (uint32_t j = 0; j < PART_UCX_MAX_PATHS; ++j) {
            if (like[i][j] > like[local][remote]) {
                local = i;
                remote = j;
            }
        }
    }
    if (0 == like[local][remote]) {
        return false;
    }
    add_pair(peer, local, remote);
    for (uint32_t i = 0; i < PART_UCX_MAX_PATHS; ++i) {
        like[local][i] = like[i][remote] = 0;
    }
    return true;
}

/* Pair those that are routed to each other. Their order says nothing: it depends on where the
 * process is bound. */
static void pair_alike(mca_part_ucx_peer_t *peer)
{
    uint8_t like[PART_UCX_MAX_PATHS][PART_UCX_MAX_PATHS] = {{0}};

    for (int i = 0; i < mca_part_ucx_paths.network; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];

        for (uint32_t j = 0; j < peer->remotes && mca_part_ucx_path_is_open(path); ++j) {
            like[i][j] = likeness(peer, path, &peer->remote[j]);
        }
    }
    while (take_best(peer, like)) {
        continue;
    }
}

/* Without those that are slow beside others that lead there, such as over a management network. */
static void drop_slow(mca_part_ucx_peer_t *peer)
{
    unsigned fastest = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < peer->pairs; ++i) {
        unsigned speed = mca_part_ucx_paths.path[peer->pair[i].local].device.speed;

        fastest = speed > fastest ? speed : fastest;
    }
    for (uint32_t i = 0; i < peer->pairs; ++i) {
        const mca_part_ucx_device_t *ours
            = &mca_part_ucx_paths.path[peer->pair[i].local].device;

        if (!mca_part_ucx_device_is_slow(ours, fastest)) {
            peer->pair[kept++] = peer->pair[i];
        } else {
            PART_UCX_VERBOSE(2, "to %s: not over %s, of %u Mbit/s beside %u",
                             mca_part_ucx_peer_host(peer), ours->name, ours->speed, fastest);
        }
    }
    peer->pairs = kept;
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
    pair_exactly(peer);
    if (0 == peer->pairs) {
        pair_alike(peer);
    }
    drop_slow(peer);
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
