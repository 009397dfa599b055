/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which pair carries which unit of an epoch. Where all pairs carry about the same, or that is not
 * known, unit u takes pair u mod pairs, and a piece of a link the pair that has least to do. Where
 * one carries less, or nothing, units are dealt when the epoch starts (part_ucx_pair_shares.h). The
 * receiver takes them from any pair.
 */
#ifndef PART_UCX_PAIR_CHOICE_H
#define PART_UCX_PAIR_CHOICE_H

#include "channel/part_ucx_send.h"

/** Make a send's shares, if it has several pairs and could use them. Returns an Open MPI code. */
int mca_part_ucx_pair_choice_build(mca_part_ucx_send_t *send);

/** An epoch starts: see to it that each unit has its pair. Only if it has shares. */
void mca_part_ucx_pair_choice(mca_part_ucx_send_t *send);

#endif /* PART_UCX_PAIR_CHOICE_H */
