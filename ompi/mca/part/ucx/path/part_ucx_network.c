/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opening the network paths (see part_ucx_network.h).
 */
#include "path/part_ucx_network.h"

#include "path/part_ucx_headroom.h"
#include "path/part_ucx_helper.h"
#include "path/part_ucx_paths.h"

#include <sys/resource.h>

#include "ompi/constants.h"

int mca_part_ucx_network_open(void)
{
    mca_part_ucx_paths_t *paths = &mca_part_ucx_paths;
    mca_part_ucx_wish_t wish = mca_part_ucx_paths_wish();
    bool scarce = false;
    int failed = 0;

    if (paths->network_asked) {
        return paths->network_outcome;
    }
    paths->network_asked = true;
    for (int i = 0; i < paths->network; ++i) {
        int rc;

        if (mca_part_ucx_path_is_open(&paths->path[i])) {
            continue; /* since the last try */
        }
        rc = mca_part_ucx_path_open(&paths->path[i], mca_part_ucx_helper_wanted());
        if (OMPI_SUCCESS != rc) {
            ++failed;
            scarce = scarce || OMPI_ERR_OUT_OF_RESOURCE == rc;
        } else {
            mca_part_ucx_helper_add(&paths->path[i]);
        }
    }
    /* Not to be remembered, nor told to a peer, which would keep it. */
    if (scarce) {
        paths->network_asked = false;
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (0 != failed
        && ((wish.all && '\0' != wish.devices[0])
            || (failed == paths->network && NULL == paths->shared))) {
        paths->network_outcome = OMPI_ERR_NOT_FOUND;
    }
    return paths->network_outcome;
}

/* RDMA needs none for a connection. Those of TCP were counted: for each peer one by path, and now
 * and then one more, where both ends connect at once; and what a path takes to listen. */
#define LISTENING 3

/* Peers that descriptors were found for, and that no connection has been made to yet. */
static unsigned promised;

/* To count what is open takes longer, the more there is: so only now and then. Between, each
 * promise is taken to be kept at once, and a few are for whoever else opens some. */
#define COUNT_EVERY 64
#define OTHERS      32

static struct {
    uint64_t open;     /* when they were counted; 0: never */
    unsigned promises; /* since then */
} counted;

static bool fits(uint64_t needed, uint64_t used, uint64_t limit)
{
    return used < limit && needed <= (limit - used) / 4 * 3;
}

bool mca_part_ucx_network_has_room(unsigned peers)
{
    uint64_t tcp = 0, needed, limit;
    struct rlimit now;

    for (int i = 0; i < mca_part_ucx_paths.network; ++i) {
        tcp += PART_UCX_DEVICE_TCP == mca_part_ucx_paths.path[i].device.kind;
    }
    if (0 == tcp || 0 == peers || 0 != getrlimit(RLIMIT_NOFILE, &now)
        || RLIM_INFINITY == now.rlim_cur) {
        return true;
    }
    needed = (peers + promised) * (tcp + 1)
             + (mca_part_ucx_paths.network_asked ? 0 : LISTENING * tcp);
    if (0 != counted.open && counted.promises < COUNT_EVERY
        && fits(needed, counted.open + OTHERS + counted.promises * (tcp + 1), now.rlim_cur)) {
        return true;
    }
    counted.open = mca_part_ucx_descriptors_open(now.rlim_cur);
    counted.promises = 0;
    limit = mca_part_ucx_descriptors_raise(counted.open + needed / 3 * 4 + 4);
    return fits(needed, counted.open, limit);
}

bool mca_part_ucx_network_promise(mca_part_ucx_peer_t *peer)
{
    if (PART_UCX_PROMISE_NONE == peer->promise) {
        if (!mca_part_ucx_network_has_room(1)) {
            return false;
        }
        peer->promise = PART_UCX_PROMISE_MADE;
        ++promised;
        ++counted.promises;
    }
    return true;
}

void mca_part_ucx_network_promise_kept(mca_part_ucx_peer_t *peer)
{
    if (PART_UCX_PROMISE_MADE == peer->promise) {
        --promised;
    }
    peer->promise = PART_UCX_PROMISE_KEPT;
}
