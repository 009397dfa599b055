/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When a unit may leave: all of it is marked, and the receiver has started the epoch.
 */
#ifndef PART_UCX_GATE_H
#define PART_UCX_GATE_H

#include "channel/part_ucx_send.h"

/** Begin an epoch. */
void mca_part_ucx_gate_start(mca_part_ucx_send_t *send);

/** READY has come: receiver `from` has started an epoch. Under a path's lock. */
void mca_part_ucx_gate_ready(mca_part_ucx_send_t *send, uint64_t from, uint32_t epoch);

/** The sender knows its receiver (peer_key): heed a READY that overtook the ACCEPT. */
void mca_part_ucx_gate_heed_ready(mca_part_ucx_send_t *send);

/**
 * Mark partitions, at any time in an epoch, and send what that completes. Any thread.
 *
 * @return MPI error class; MPI_ERR_ARG if one of them has been marked before
 */
int mca_part_ucx_gate_mark(mca_part_ucx_send_t *send, size_t low, size_t high);

/** Mark a piece of a link; only queues, or puts it into its box. The link is MATCHED. True: it has
 * left, and its owner is not told. */
bool mca_part_ucx_gate_mark_piece(mca_part_ucx_send_t *send, uint32_t piece);

#endif /* PART_UCX_GATE_H */
