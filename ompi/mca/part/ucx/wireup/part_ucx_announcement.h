/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a receiver keeps of a send that was announced, until its receive is there. Under the set-up
 * lock.
 */
#ifndef PART_UCX_ANNOUNCEMENT_H
#define PART_UCX_ANNOUNCEMENT_H

#include "path/part_ucx_peer.h"
#include "wireup/part_ucx_listener.h"
#include "wireup/part_ucx_match.h"
#include "wireup/part_ucx_senders.h"
#include "wireup/part_ucx_wire.h"

typedef struct mca_part_ucx_announcement_t {
    mca_part_ucx_match_entry_t entry;
    mca_part_ucx_sender_t sender;
    mca_part_ucx_peer_t *peer;
    mca_part_ucx_listener_t *listener; /**< used, so that the communicator stays and the withdrawal
                                        * of this announcement is heard */
    mca_part_ucx_wire_announce_t announce;
    int error; /**< of the receive that meets it: there was no memory to meet it, and it has been
                * refused; or its send has failed meanwhile */
} mca_part_ucx_announcement_t;

/** One on this communicator; NULL: no memory, not even of the reserve. */
mca_part_ucx_announcement_t *mca_part_ucx_announcement_new(ompi_communicator_t *comm);

void mca_part_ucx_announcement_free(mca_part_ucx_announcement_t *announcement);

/** The sender of an announcement that there was no memory to meet, so that its peer may not be
 * known (senders know it as that of no peer); NULL: there is none. */
mca_part_ucx_sender_t *mca_part_ucx_announcement_refused(const ompi_communicator_t *comm,
                                                         int source, uint64_t send_key);

#endif /* PART_UCX_ANNOUNCEMENT_H */
