/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fast boxes: how few bytes of a link get to a process of the same host. The receiver has a box for
 * each piece in memory that it shares; the sender copies the piece into it, then writes the epoch
 * beside it. The receiver looks into the boxes of links that are in an epoch whenever it looks at
 * their path. A message through UCX costs both of them several times as much.
 *
 * There are boxes for the epochs that the sender may be ahead (part_ucx_credit.h), so one that may
 * leave finds its box empty: READY says so, and nothing else is needed. docs/protocol.md, section
 * 5.5, has the argument.
 */
#ifndef PART_UCX_FASTBOX_H
#define PART_UCX_FASTBOX_H

#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_send.h"

/** What a receiving link wants of the memory that it shares: bytes, a multiple of a cache line. 0:
 * it has no boxes. `largest`, `total`: bytes of its pieces. */
uint64_t mca_part_ucx_fastbox_bytes(uint32_t pieces, uint64_t largest, uint64_t total);

/* ---- receiver ---- */

/** A link that is opened has this memory for boxes, which is 0 (address). False: no memory. */
bool mca_part_ucx_fastbox_make(mca_part_ucx_recv_t *recv, uint64_t boxes);

/** Matched, and the credit is known: without it there are no boxes. */
void mca_part_ucx_fastbox_build(mca_part_ucx_recv_t *recv);

/** Where they are, for the sender; 0: there are none. */
uint64_t mca_part_ucx_fastbox_offer(const mca_part_ucx_recv_t *recv);

/** An epoch starts: take what is there, and look for the rest from now on. */
void mca_part_ucx_fastbox_start(mca_part_ucx_recv_t *recv);

/** Look into the boxes of a path's links. Returns how many pieces there were. Under its lock. */
int mca_part_ucx_fastbox_poll(mca_part_ucx_path_t *path);

/** The helper thread is going to sleep: who fills a box from now on has to wake it. False: it need
 * not sleep, there was something. Under the path's lock. */
bool mca_part_ucx_fastbox_doze(mca_part_ucx_path_t *path);

/** Nobody looks into them any more. Under the set-up lock. */
void mca_part_ucx_fastbox_end(mca_part_ucx_recv_t *recv);

/* ---- sender ---- */

/** The receiver's are there, if this is not 0, and the pieces are known: use them if they can be
 * viewed. */
void mca_part_ucx_fastbox_attach(mca_part_ucx_send_t *send, uint64_t offer);

/**
 * Put a piece into its box. It has been marked, and the gate is open.
 *
 * @return false: the link has failed, and the piece goes nowhere
 */
bool mca_part_ucx_fastbox_put(mca_part_ucx_send_t *send, uint32_t piece);

#endif /* PART_UCX_FASTBOX_H */
