/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up of channels: a send announces itself, a receive meets it, decides how the channel is
 * cut and answers. Lazy, local and pairwise: init calls return without waiting, nothing is
 * collective. All of it runs under the set-up lock, in threads of the application. Once MPI has
 * begun to end in this process nothing is heard.
 *
 *   sender                        receiver
 *   ANNOUNCE  ----------------->  matched with a receive, or kept
 *   MATCHED      <-------------   ACCEPT (MATCHED), or REFUSE (another size, or failure)
 *   WITHDRAW  ----------------->  the announcement, or the match, is forgotten (freed unstarted)
 *                <-------------   WITHDRAWN: nothing more comes of it
 *   GAVE_UP   ----------------->  the refused send was started, or the accepted one has failed:
 *                                 both fail
 */
#ifndef PART_UCX_WIREUP_H
#define PART_UCX_WIREUP_H

#include "channel/part_ucx_channel.h"

#include "ompi/constants.h"

/** MPI, or only its World Model, has begun to end since the caller looked. */
#define PART_UCX_WIREUP_CLOSING OMPI_ERR_RESOURCE_BUSY

/** Is the peer on this host, and shares its memory, also before it has told so? */
bool mca_part_ucx_wireup_is_surely_here(const mca_part_ucx_peer_t *peer);

/** A new channel looks for its other end. Returns an Open MPI code, or PART_UCX_WIREUP_CLOSING; on
 * failure it is as before. */
int mca_part_ucx_wireup_begin(mca_part_ucx_channel_t *channel);

/** Handle set-up messages. Returns how many. */
int mca_part_ucx_wireup_progress(void);

#endif /* PART_UCX_WIREUP_H */
