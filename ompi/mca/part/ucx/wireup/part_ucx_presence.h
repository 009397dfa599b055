/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Does a peer's process have this component, and is it still there? Who waits for a peer that is
 * silent asks (api/part_ucx_modex.h). All functions run under the set-up lock.
 */
#ifndef PART_UCX_PRESENCE_H
#define PART_UCX_PRESENCE_H

#include "path/part_ucx_peer.h"

/** This process has the component; not under the lock, before there is any peer. False: PMIx did
 * not take it, and peers would be sure that it has none. */
bool mca_part_ucx_presence_announce(void);

/**
 * Is it certain that the peer has not the component, or not in this version? Never waits: the first
 * call asks PMIx, and until the answer has come nothing is certain. Where PMIx cannot tell, it is
 * asked again after a while.
 *
 * @param now  seconds of mca_part_ucx_clock_coarse()
 */
bool mca_part_ucx_presence_lacks(mca_part_ucx_peer_t *peer, double now);

/** Has Open MPI been told that the peer's process has ended? The job must have been started with
 * fault tolerance; else such a job is ended. */
bool mca_part_ucx_presence_has_died(const mca_part_ucx_peer_t *peer);

/** Seconds for Open MPI to tell that a process has died. Its daemons have to be scheduled for that:
 * beside other load more than one second was seen. */
#define PART_UCX_DEATH_WITHIN 5.0

/** Is Open MPI going to tell it of one that ends? Without fault tolerance it never does. */
bool mca_part_ucx_presence_tells_death(void);

#endif /* PART_UCX_PRESENCE_H */
