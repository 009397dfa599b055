/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up of channels: a send announces itself, a receive meets it, decides how the channel is
 * cut and answers. Lazy, local and pairwise: init calls return without waiting, nothing is
 * collective. All functions run under the set-up lock, in threads of the application.
 *
 *   sender                        receiver
 *   ANNOUNCE  ----------------->  matched with a receive, or kept
 *   READY state  <-------------   ACCEPT (READY state), or REFUSE (another size, or failure)
 *   WITHDRAW  ----------------->  the announcement, or the match, is forgotten (freed unstarted)
 *   MISMATCH  ----------------->  the refused send was started, or the accepted one has failed:
 *                                 both fail
 */
#ifndef PART_UCX_SETUP_H
#define PART_UCX_SETUP_H

#include "channel/part_ucx_request.h"

/** A new request looks for its other end. Returns an Open MPI code. */
int mca_part_ucx_setup_attach(mca_part_ucx_request_t *request);

/** A request is being freed: withdraw it, or tell the other end. */
void mca_part_ucx_setup_detach(mca_part_ucx_request_t *request);

/** A receive that has met a send of another size is started: tell the sender. */
void mca_part_ucx_setup_refuse_size(mca_part_ucx_recv_t *recv);

/** A send that was accepted cannot be set up: it fails, and its receive is told. */
void mca_part_ucx_setup_send_failed(mca_part_ucx_send_t *send);

/** Both ends of a mismatch are started: this one fails. */
void mca_part_ucx_setup_mismatch(mca_part_ucx_request_t *request);

/** Handle set-up messages. Returns how many. */
int mca_part_ucx_setup_progress(void);

/** Forget announcements that nobody met (MPI_Finalize). */
void mca_part_ucx_setup_forget(void);

/** Receiver: cut the channel, reserve its memory, answer ACCEPT or REFUSE (part_ucx_accept.c). */
void mca_part_ucx_setup_meet(mca_part_ucx_recv_t *recv, mca_part_ucx_peer_t *peer,
                             const mca_part_ucx_wire_announce_t *announce);

/** Sender: the answer came; the channel can be used (part_ucx_accept.c). */
void mca_part_ucx_setup_accepted(mca_part_ucx_send_t *send, const void *message, size_t length);

/** How a unit of contiguous data is delivered over a kind of device. */
mca_part_ucx_method_t mca_part_ucx_setup_method(mca_part_ucx_device_kind_t kind, uint64_t bytes);

/** Both: the link becomes READY; an epoch that was started meanwhile begins. */
void mca_part_ucx_setup_ready(mca_part_ucx_request_t *request);

#endif /* PART_UCX_SETUP_H */
