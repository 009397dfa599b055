/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes have this component (see part_ucx_presence.h).
 */
#include "wireup/part_ucx_presence.h"

#include "api/part_ucx_modex.h"
#include "wireup/part_ucx_wire.h"

#include "ompi/runtime/params.h"

/* A process that has the component publishes this. */
#define PRESENCE_KEY "mpix.part.ucx"

bool mca_part_ucx_presence_announce(void)
{
    return mca_part_ucx_modex_put(PRESENCE_KEY, PART_UCX_WIRE_VERSION);
}

/* Seconds: a daemon that could not tell may have been busy. */
#define ASK_AGAIN_AFTER 60.0

bool mca_part_ucx_presence_lacks(mca_part_ucx_peer_t *peer, double now)
{
    uint64_t version;

    if (0 != peer->remotes || NULL == peer->proc) {
        return false; /* it has sent us something; or all of MPI has ended */
    }
    if (NULL == peer->presence) {
        bool local = peer->local && peer->name.jobid == OPAL_PROC_MY_NAME.jobid;

        peer->presence = mca_part_ucx_modex_ask(&peer->name, local, PRESENCE_KEY);
        peer->presence_asked = now;
    }
    if (NULL == peer->presence) {
        return false;
    }
    switch (mca_part_ucx_modex_look(peer->presence, &version)) {
    case PART_UCX_ANSWER_HAS:
        return PART_UCX_WIRE_VERSION != version; /* who has another version has not this one */
    case PART_UCX_ANSWER_LACKS:
        return true;
    case PART_UCX_ANSWER_UNKNOWN:
        if (now - peer->presence_asked >= ASK_AGAIN_AFTER) {
            mca_part_ucx_modex_drop(peer->presence);
            peer->presence = NULL;
        }
        return false;
    default:
        return false;
    }
}

bool mca_part_ucx_presence_has_died(const mca_part_ucx_peer_t *peer)
{
#if OPAL_ENABLE_FT_MPI
    return NULL != peer->proc && !ompi_proc_is_active(peer->proc);
#else
    (void) peer;
    return false;
#endif
}

bool mca_part_ucx_presence_tells_death(void)
{
#if OPAL_ENABLE_FT_MPI
    return ompi_ftmpi_enabled;
#else
    return false;
#endif
}
