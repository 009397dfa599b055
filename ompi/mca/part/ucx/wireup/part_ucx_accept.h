/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ACCEPT: the message by which the receiver tells the sender how the channel is cut, where the data
 * go, and with which keys. Under the set-up lock.
 */
#ifndef PART_UCX_ACCEPT_H
#define PART_UCX_ACCEPT_H

#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_send.h"
#include "wireup/part_ucx_read.h"

/** Receiver: send it. `pairing`: the channel's pairs of paths. Returns an Open MPI code. */
int mca_part_ucx_accept_write(mca_part_ucx_recv_t *recv, const mca_part_ucx_pairing_t *pairing,
                              const mca_part_ucx_wire_announce_t *announce);

/** Receiver: make the endpoints of all its pairs. After the message: the first one to a peer takes
 * long, and the sender makes its own meanwhile. Returns an Open MPI code. */
int mca_part_ucx_accept_connect(mca_part_ucx_recv_t *recv, const mca_part_ucx_pairing_t *pairing);

/** Sender: is the channel cut as it was for the receive that the send had met before? */
bool mca_part_ucx_accept_fits_again(const mca_part_ucx_send_t *send,
                                    const mca_part_ucx_wire_accept_t *accept);

/** Sender: take all of it: endpoints, keys, map, where the data go. Returns an Open MPI code. */
int mca_part_ucx_accept_take(mca_part_ucx_send_t *send, const mca_part_ucx_read_accept_t *read);

#endif /* PART_UCX_ACCEPT_H */
